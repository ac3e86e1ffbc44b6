/* a ball that bounces, from any height: it comes back at the times of the closed form and never falls through the floor, alone and
 * beside things that are large and fast. default settings. TENON_ONLY="1e-10 planet space" runs one case.
 *
 *   dropped from h at rest, V = sqrt(2 g h): hit 1 at V/g, hit k + 1 is 2 e^k V/g later; e^k V/g is the time to the top between both */
#include "support/bystander.h"
#include "test.h"

static const double G = 9.81, E = 0.8, SHARE = 1e-5;
enum { HITS = 12 };

/* hits up to t, the height there, and the time of the last hit before it */
static int exact(double h, double t, double *y, double *hit) {
  double v = sqrt(2 * G * h), next = v / G;
  int n = 0;
  *y = h - G * t * t / 2;
  *hit = 0;
  for (; next <= t; n++) {
    *hit = next;
    v *= E;
    *y = v * (t - next) - G * (t - next) * (t - next) / 2;
    next += 2 * v / G;
  }
  return n;
}

/* the middle of the flight behind hit k */
static double top_behind(double h, int k) {
  double v = sqrt(2 * G * h), t = v / G;
  for (int i = 1; i < k; i++) t += 2 * (v *= E) / G;
  return t + E * v / G;
}

static const char *const model =
    "{ 'tenon': 1, 'constants': { 'e': 0.8 }, 'parameters': { 'y0': 0, 't0': 0, 'v': 0, 'n': 0 },"
    "  'joints': { 'floor': { 'type': 'driver', 'on': 'ball.y', 'value': 'y0 + v*(t - t0)', 'active': false } },"
    "  'events': { 'hit': { 'when': 'ball.y', 'direction': 'down', 'do': [{ 'set': { 'y0': 'ball.y', 't0': 't', 'v': "
    "'-e*ball.vy', 'n': 'n + 1' } },"
    "                       { 'on': 'floor' }, { 'off': 'floor' }] } },"
    "  'outputs': { 'y': 'ball.y', 'n': 'n' } }";

static void bounce(judge *j, const char *name, double h, const char *beside, int dimension) {
  const double until = top_behind(h, HITS);
  tn_desc *desc = model_new(model);
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  ref_table run = {0};
  tn_fired fired = {0};
  double off = 0, early = 0;
  model_set(desc, "/dimension", "%d", dimension);
  model_set(desc, "/gravity", dimension == 2 ? "[0, %.17g]" : "[0, %.17g, 0]", -G);
  model_set(desc, "/bodies/ball", "{'mass': 1, 'coordinates': 'point', 'position': [0, %.17g%s]}", h,
            dimension == 2 ? "" : ", 0");
  model_set(desc, "/run", "{'until': %.17g, 'every': %.17g}", until, until / 200);
  if (beside) bystander_add(desc, dimension, bystander_named(beside));
  const bool ok = ref_compile(desc, &m) && tn_sim_new(m, &sim, &e) == TN_OK && ref_run_on(sim, &run);
  for (int i = 0; i < run.rows; i++) {
    double y, hit;
    const int n = exact(h, run.t[i], &y, &hit);
    off = fmax(off, fabs(run.value[2 * i] - y));
    early = fmax(early, fabs(run.value[2 * i + 1] - n)); /* no row is near a hit */
  }
  double y, last;
  exact(h, until, &y, &last);
  if (sim) tn_sim_fired(sim, 0, &fired);
  judge_case(j, name, "y", ok && run.rows == 201 ? off : INFINITY, SHARE * h);
  judge_case(j, name, "time of the last hit", fired.count == HITS ? fabs(fired.last - last) : INFINITY, SHARE * last);
  judge_case(j, name, "hits so far", early, 0);
  ref_table_free(&run);
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(desc);
}

TEST(a_ball_bounces_from_any_height) {
  static const char *const height[] = {"1e-10", "1e-9", "1e-6", "1e-3", "1", "1e6"}, *const beside[] = {NULL, "train",
                                                                                                        "planet",
                                                                                                        "ship"};
  judge j = {0};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 4; k++)
      for (int dimension = 2; dimension <= 3; dimension++) {
        char name[96];
        snprintf(name, sizeof name, "%s %s %s", height[i], beside[k] ? beside[k] : "alone",
                 dimension == 2 ? "plane" : "space");
        if (judge_wants(name)) bounce(&j, name, atof(height[i]), beside[k], dimension);
      }
  CHECK(judge_ends(&j, "bouncing"));
}
