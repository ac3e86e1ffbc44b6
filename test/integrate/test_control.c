/* control by `numbers`: the steps of an adaptive formula against those of a code of its own for the same rules; what it means for others;
 * what is refused. */
#include "support/build.h"
#include "test.h"

/* ---- Dormand-Prince by (T177), (T178), on the pendulum -------------------------------------------------------------------------- */

static const double A[7][6] = {{0},
                               {1. / 5},
                               {3. / 40, 9. / 40},
                               {44. / 45, -56. / 15, 32. / 9},
                               {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                               {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                               {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
static const double E[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};

static void rate(const double y[2], double f[2]) {
  f[0] = y[1];
  f[1] = -9.81 * cos(y[0]);
}

enum { MOST = 4000 };

typedef struct path {
  int steps, rejected;
  double t[MOST], y[MOST][2]; /* at their ends */
} path;

static void follow(double rtol, double atol, double until, const double y0[2], path *p) {
  double y[2] = {y0[0], y0[1]}, t = 0, fastest = 0, k[7][2];
  rate(y, k[0]);
  for (int i = 0; i < 2; i++) fastest = fmax(fastest, fabs(k[0][i]) / fmax(fabs(y[i]), atol / rtol));
  double h = 0.8 * pow(rtol, 0.2) / fastest;
  *p = (path){0};
  while (t < until && p->steps < MOST) {
    for (int failed = 0;; failed++) {
      double z[2], err = 0;
      const bool last = 1.01 * h >= until - t;
      const double step = last ? until - t : h;
      rate(y, k[0]);
      for (int s = 1; s < 7; s++) {
        for (int i = 0; i < 2; i++) {
          z[i] = 0;
          for (int j = 0; j < s; j++) z[i] += A[s][j] * k[j][i];
          z[i] = y[i] + step * z[i];
        }
        rate(z, k[s]);
      }
      for (int i = 0; i < 2; i++) {
        double e = 0;
        for (int s = 0; s < 7; s++) e += E[s] * k[s][i];
        err = fmax(err, fabs(step * e) / fmax(atol, rtol * fmax(fabs(y[i]), fabs(z[i]))));
      }
      if (err <= 1) {
        t = last ? until : t + step;
        memcpy(y, z, sizeof y);
        if (!failed) h = step * fmin(5, 0.8 * pow(err, -0.2));
        break;
      }
      p->rejected++;
      h = step * (failed ? 0.5 : fmax(0.1, 0.8 * pow(err, -0.2)));
    }
    p->t[p->steps] = t;
    memcpy(p->y[p->steps++], y, sizeof y);
  }
}

typedef struct seen {
  build b;
  path p;
} seen;

static bool look(void *user, double t) {
  seen *s = user;
  if (s->p.steps == MOST) return false;
  s->p.t[s->p.steps] = t;
  s->p.y[s->p.steps][0] = tn_sim_q(s->b.sim)[0];
  s->p.y[s->p.steps++][1] = tn_sim_u(s->b.sim)[0];
  return true;
}

TEST(steps_are_those_of_the_rules) {
  static const double tolerance[][2] = {{1e-3, 1e-6}, {1e-6, 1e-9}, {1e-4, 1e-2}};
  static path p;
  static seen s;
  for (int k = 0; k < 3; k++) {
    tn_error e;
    const double rtol = tolerance[k][0], atol = tolerance[k][1];
    s = (seen){0};
    build_new(&s.b, 1);
    build_read(&s.b, "iftomm_a01");
    build_set(&s.b, "/run/integrator", "{\"rtol\": %g, \"atol\": %g, \"control\": \"numbers\"}", rtol, atol);
    CHECK(build_simulate(&s.b));
    const double y0[2] = {tn_sim_q(s.b.sim)[0], tn_sim_u(s.b.sim)[0]};
    CHECK_NEAR(y0[0], acos(-1), 1e-15);
    tn_sim_watch(s.b.sim, look, &s);
    CHECK(tn_sim_advance(s.b.sim, 10, &e) == TN_OK);
    follow(rtol, atol, 10, y0, &p);
    printf("%g %g: %d steps, %d rejected\n", rtol, atol, p.steps, p.rejected);
    CHECK(p.steps == s.p.steps && p.rejected == tn_sim_summary(s.b.sim)->rejected);
    CHECK(p.steps > 10);
    double far = 0;
    for (int i = 0; i < p.steps && i < s.p.steps; i++)
      far =
          fmax(far, fmax(fabs(p.t[i] - s.p.t[i]), fmax(fabs(p.y[i][0] - s.p.y[i][0]), fabs(p.y[i][1] - s.p.y[i][1]))));
    CHECK_NEAR(far, 0, 1e-6); /* lengths follow from estimates, which have few digits */
    build_free(&s.b);
  }
}

/* ---- others ------------------------------------------------------------------------------------------------------------------- */

static tn_summary run(const char *integrator) {
  build b;
  tn_error e;
  tn_summary sum = {0};
  build_new(&b, 1);
  build_read(&b, "triple_pendulum");
  CHECK(tn_desc_part(b.desc, "/run/integrator", integrator, &e) == TN_OK);
  if (!build_simulate(&b) || tn_sim_advance(b.sim, 2, &e) != TN_OK)
    FAIL("%s: %s", integrator, b.failed ? b.message : e.message);
  else
    sum = *tn_sim_summary(b.sim);
  build_free(&b);
  return sum;
}

/* all of them run by either; by numbers steps are longer */
TEST(every_adaptive_formula) {
  for (int k = 0; k < tn_integrator_type_count; k++) {
    const tn_integrator_type *type = tn_integrator_types[k];
    if (!type->adaptive) continue;
    char text[80];
    tn_summary sum[2];
    for (int i = 0; i < 2; i++) {
      snprintf(text, sizeof text, "%s:rtol=1e-5,control=%s", type->name, i ? "numbers,atol=1e-5" : "motion");
      sum[i] = run(text);
    }
    printf("%s: %" PRId64 " steps, balance %.1e; %" PRId64 ", %.1e\n", type->name, sum[0].steps, sum[0].energy_balance,
           sum[1].steps, sum[1].energy_balance);
    CHECK(sum[0].energy_balance < 1e-2 && sum[1].energy_balance < 1e-2);
    CHECK(sum[1].steps < sum[0].steps);
  }
}

TEST(settings_and_refusals) {
  static const struct {
    const char *integrator, *message;
  } all[] = {{"{\"step\": 0.1, \"control\": \"numbers\"}", "a fixed step is not controlled"},
             {"{\"type\": \"rk4\", \"step\": 0.1, \"control\": \"motion\"}", "a fixed step is not controlled"},
             {"{\"rtol\": 1e-3, \"control\": \"number\"}", "numbers"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/run/integrator", "%s", all[i].integrator);
    CHECK(!build_compile(&b));
    CHECK_HAS(b.message, all[i].message);
    build_free(&b);
  }
  static const char *const integrator[][2] = {
      {"{\"rtol\": 1e-3, \"control\": \"numbers\"}", "--integrator dopri5:control=numbers --rtol 0.001"},
      {"{\"rtol\": 1e-3, \"max_step\": 0.5, \"control\": \"numbers\"}",
       "--integrator dopri5:max_step=0.5,control=numbers --rtol"},
      {"{\"rtol\": 1e-3, \"control\": \"motion\"}", "--integrator dopri5 --rtol"}};
  for (int i = 0; i < 3; i++) {
    build b;
    char text[512];
    build_new(&b, 1);
    build_read(&b, "four_bar");
    build_set(&b, "/run/integrator", "%s", integrator[i][0]);
    CHECK(build_compile(&b));
    if (!b.failed) tn_model_settings(b.model, text, sizeof text);
    CHECK_HAS(text, integrator[i][1]);
    build_free(&b);
  }
}
