/* the effective settings as text: they can be typed again and mean the same. */
#include "test.h"

#include "support/build.h"

TEST(settings_can_be_typed_again) {
  build b;
  char text[512];
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/stabilize",
            "[{\"type\": \"baumgarte\", \"a\": 1, \"b\": 0.5, \"feedback\": \"held\"},"
            " {\"type\": \"project\", \"metric\": \"identity\", \"passes\": \"one\"}]");
  build_set(&b, "/run/integrator", "{\"type\": \"rk4\", \"step\": 0.1}");
  build_set(&b, "/run/every", "0.3");
  CHECK(build_compile(&b));
  CHECK_TEXT(tn_model_stabilizer(b.model, 0), "baumgarte:a=1,b=0.5,feedback=held");
  CHECK_TEXT(tn_model_stabilizer(b.model, 1), "project:metric=identity,passes=one");
  CHECK(tn_model_stabilizer(b.model, 2) == NULL);
  const int n = tn_model_settings(b.model, text, sizeof text);
  CHECK(n == (int)strlen(text));
  CHECK_TEXT(text, "--formulation augmented --stabilize baumgarte:a=1,b=0.5,feedback=held --stabilize "
                   "project:metric=identity,passes=one --integrator rk4 --step 0.1 --until 10 --every 0.3");
  char cut[20];
  CHECK(tn_model_settings(b.model, cut, sizeof cut) == n && strlen(cut) == sizeof cut - 1);
  build_free(&b);
}

/* an exact angle a full turn away: the mechanism is turned there and stays on its branch */
TEST(starts_a_turn_away_stay_on_their_branch) {
  double rocker[3];
  for (int turns = -1; turns < 2; turns++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/start", "{\"A.angle\": %.17g}", -0.2 + turns * 2 * acos(-1));
    CHECK(build_simulate(&b));
    rocker[turns + 1] = build_channel(&b, "rocker.angle");
    build_free(&b);
  }
  CHECK_NEAR(rocker[0], rocker[1], 1e-12);
  CHECK_NEAR(rocker[2], rocker[1], 1e-12);
}

/* a driver that moves while nothing else does is not stepped over; without one, steps are as long as they may be */
TEST(steps_are_limited_where_time_enters) {
  build b;
  build_new(&b, 1);
  build_parse(&b, "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 1}},"
                  " \"forces\": {\"push\": {\"type\": \"force\", \"on\": \"a\", \"on_body\": [0, 0],"
                  " \"value\": [\"if(t > 2 and t < 2.5, 1, 0)\", 0]}}, \"run\": {\"until\": 20, \"every\": 0.2}}");
  build_table t = {0};
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK_NEAR(tn_sim_u(b.sim)[0], 0.5, 1e-6);
  CHECK(tn_sim_summary(b.sim)->steps >= 100);
  build_table_free(&t);
  build_free(&b);
  build_new(&b, 1);
  build_parse(&b, "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 1}},"
                  " \"run\": {\"until\": 20, \"every\": 0.2, \"integrator\": {\"rtol\": 1e-8}}}");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK(tn_sim_summary(b.sim)->steps < 30);
  build_table_free(&t);
  build_free(&b);
}
