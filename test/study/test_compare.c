/* methods compared: the reference and how far it holds, ranks, and the sentence at the end. */
#include "study/study.h"

#include "support/build.h"
#include "test.h"

static tn_compare *compare(const char *model, double until, const tn_compare_options *o) {
  tn_desc *d = NULL;
  tn_compare *c = NULL;
  tn_error e;
  char path[512];
  snprintf(path, sizeof path, TN_SOURCE_DIR "/models/%s.json", model);
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_read(d, path, &e) != TN_OK ||
      tn_desc_number(d, "/run/until", until, &e) != TN_OK || tn_compare_run(d, model, o, &c, &e) != TN_OK)
    FAIL("%s: %s", model, e.message);
  tn_desc_free(d);
  return c;
}

static const tn_compare_row *row_of(const tn_compare *c, const char *method) {
  for (int i = 0; i < tn_compare_rows(c); i++)
    if (strcmp(tn_compare_row_at(c, i)->method, method) == 0) return tn_compare_row_at(c, i);
  return NULL;
}

/* what is said at the end: good enough if any is, not dearer than timing can tell, and nothing better by all three at once */
static void check_winner(const tn_compare *c, double accuracy) {
  int winner;
  const char *sentence = tn_compare_recommendation(c, &winner);
  if (winner < 0) {
    FAIL("%s", sentence);
    return;
  }
  const tn_compare_row *w = tn_compare_row_at(c, winner);
  CHECK_HAS(sentence, w->method);
  CHECK_HAS(sentence, w->integrator);
  CHECK((strstr(sentence, "calls it") != NULL) ==
        (w->verdict != TN_TRUSTED)); /* what is recommended has no doubt that is hidden */
  for (int i = 0; i < tn_compare_rows(c); i++) {
    const tn_compare_row *r = tn_compare_row_at(c, i);
    const bool good = r->rank_error && r->contract_kept && r->verdict != TN_WRONG && r->error <= 0.9 * accuracy;
    if (good) CHECK(w->contract_kept && w->error <= accuracy && w->cpu_seconds <= 1.25 * r->cpu_seconds);
    if (good && w->error > 0 && r->cpu_seconds < w->cpu_seconds && r->C_max < 0.01 * w->C_max) CHECK(w->C_max < 1e-12);
  }
}

/* the published combination has the smaller residual than feedback, and the larger error; projection wins by error */
TEST(parallel_robot) {
  static const char *const methods[] = {"nullspace", "project", "baumgarte-b1", "none"}, *const rk4[] = {"rk4"};
  static const double step[] = {0.002};
  const tn_compare_options o = {.methods = 4,
                                .method = methods,
                                .integrators = 1,
                                .integrator = rk4,
                                .settings = 1,
                                .setting = step,
                                .fixed = true};
  tn_compare *c = compare("hoang_const", 2, &o);
  if (!c) return;
  const tn_compare_row *published = row_of(c, "nullspace"), *project = row_of(c, "project"),
                       *feedback = row_of(c, "baumgarte-b1");
  CHECK(project->rank_error == 1 && published->rank_error == 4);
  CHECK(published->error > 50 * project->error);
  CHECK(published->rank_residual < feedback->rank_residual && published->rank_error > feedback->rank_error);
  CHECK_NEAR(log10(published->error), log10(0.02), 0.3);
  check_winner(c, 1e-4);
  tn_compare_free(c);
}

/* the integrator of the run that is good enough with the fewest right-hand sides: seconds are for check_winner, which asks only that the
 * recommendation fits those that were measured */
static const char *least_work(const tn_compare *c, double accuracy) {
  const tn_compare_row *least = NULL;
  for (int i = 0; i < tn_compare_rows(c); i++) {
    const tn_compare_row *r = tn_compare_row_at(c, i);
    if (r->rank_error && r->error <= accuracy && (!least || r->rhs < least->rhs)) least = r;
  }
  return least ? least->integrator : "none";
}

TEST_FULL(stiff_smooth_and_singular) {
  static const char *const project[] = {"project"}, *const integrators[] = {"dopri5", "abm", "radau5", "trbdf2"};
  static const char *const methods[] = {"project", "fci", "none"};
  static const double rtol[] = {1e-4, 1e-6};
  const tn_compare_options o = {.methods = 1,
                                .method = project,
                                .integrators = 4,
                                .integrator = integrators,
                                .settings = 2,
                                .setting = rtol},
                           by_method = {.methods = 3, .method = methods};
  int winner;
  tn_compare *c = compare("stiff_pendulum", 2, &o);
  if (!c) return;
  CHECK_TEXT(least_work(c, 1e-4), "radau5");
  check_winner(c, 1e-4);
  tn_compare_free(c);
  if (!(c = compare("iftomm_a01", 10, &o))) return;
  CHECK_TEXT(least_work(c, 1e-4), "abm");
  check_winner(c, 1e-4);
  tn_compare_free(c);
  if (!(c = compare("n_four_bar", 5, &by_method))) return;
  tn_compare_recommendation(c, &winner);
  CHECK_TEXT(tn_compare_row_at(c, winner)->method, "project");
  CHECK(row_of(c, "fci")->failure || row_of(c, "fci")->error > 1e-3);
  check_winner(c, 1e-4);
  tn_compare_free(c);
}

/* chaos: beyond a time nobody knows where the bodies are, and nobody is ranked by it */
TEST(a_chaotic_motion_is_judged_as_long_as_it_is_known) {
  static const char *const methods[] = {"project", "fci"};
  const tn_compare_options o = {.methods = 2, .method = methods};
  tn_desc *d = NULL;
  tn_compare *c = NULL;
  tn_error e;
  double off, holds;
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_read(d, TN_SOURCE_DIR "/models/triple_pendulum.json", &e) != TN_OK)
    abort();
  if (tn_desc_json(d, "/constants/release", "0", &e) != TN_OK || tn_desc_number(d, "/run/until", 20, &e) != TN_OK ||
      tn_compare_run(d, "triple", &o, &c, &e) != TN_OK) {
    FAIL("%s", e.message);
  } else {
    tn_compare_reference(c, &off, &holds);
    CHECK(holds > 4 && holds < 12 && off <= 1e-6);
    CHECK(row_of(c, "project")->error < 1e-2);
    CHECK(row_of(c, "project")->error_final <= row_of(c, "project")->error);
  }
  tn_compare_free(c);
  tn_desc_free(d);
}

/* ranks are not finer than the reference is good */
/* radau5 is left as reference if the others are compared. With both tolerances it takes the same wrong branch of a four-bar at 1.4 s, and its
 * runs are doubtful */
TEST_FULL(a_reference_on_a_wrong_branch_is_not_taken) {
  static const char *const methods[] = {"project"}, *const integrators[] = {"dopri5", "dop853", "abm"};
  const tn_compare_options o = {.methods = 1, .method = methods, .integrators = 3, .integrator = integrators};
  tn_desc *d = NULL;
  tn_compare *c = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_read(d, TN_SOURCE_DIR "/models/n_four_bar.json", &e) != TN_OK ||
      tn_desc_number(d, "/constants/N", 1, &e) != TN_OK || tn_desc_number(d, "/run/until", 2, &e) != TN_OK ||
      tn_compare_run(d, "n_four_bar", &o, &c, &e) != TN_OK)
    FAIL("%s", e.message);
  tn_desc_free(d);
  if (!c) return;
  double error, until;
  CHECK(!strstr(tn_compare_reference(c, &error, &until), "doubtful"));
  CHECK(error < 1e-8 && until == 2);
  for (int i = 0; i < tn_compare_rows(c); i++) CHECK(tn_compare_row_at(c, i)->error < 1e-6);
  check_winner(c, 1e-4);
  tn_compare_free(c);
}

TEST(errors_below_that_of_the_reference_share_a_rank) {
  static const char *const methods[] = {"project", "direct"}, *const integrator[] = {"dop853"};
  static const double rtol[] = {1e-3, 1e-11, 1e-12};
  const tn_compare_options o = {
      .methods = 2, .method = methods, .integrators = 1, .integrator = integrator, .settings = 3, .setting = rtol};
  tn_compare *c = compare("four_bar", 2, &o);
  if (!c) return;
  CHECK(strstr(tn_compare_reference(c, NULL, NULL), "abm") != NULL); /* not that which is compared */
  for (int i = 0; i < 6; i++) {
    const tn_compare_row *r = tn_compare_row_at(c, i);
    CHECK(r->resolved == (i % 3 == 0));
    CHECK(i % 3 == 0 ? r->rank_error >= 5 : r->rank_error == 1);
  }
  tn_compare_free(c);
}

TEST(a_reference_from_a_file) {
  static const char *const methods[] = {"project"};
  FILE *file = fopen("reference_under_test.csv", "w");
  if (!file) abort();
  fprintf(file, "t,x\n0,1\n0.1,%.17g\n", 1 - 0.5); /* on purpose wrong by a lot */
  fclose(file);
  const tn_compare_options o = {.methods = 1, .method = methods, .reference = "reference_under_test.csv"};
  tn_compare *c = compare("pendulum", 1, &o);
  remove("reference_under_test.csv");
  if (!c) return;
  const tn_compare_row *r = tn_compare_row_at(c, 0);
  CHECK(!r->failure && r->error > 0.4 && r->error < 0.6);
  tn_compare_free(c);
}

/* the rows that fail say why, the others are run */
TEST(one_failure_does_not_stop_the_rest) {
  static const char *const methods[] = {"project", "adjust:dependent=nobody.x", "baumgarte:alpha=5,beta=5"};
  const tn_compare_options o = {.methods = 3, .method = methods};
  tn_compare *c = compare("four_bar", 1, &o);
  if (!c) return;
  CHECK(!row_of(c, "project")->failure && !row_of(c, "baumgarte:alpha=5,beta=5")->failure);
  CHECK_HAS(row_of(c, methods[1])->failure, "nobody");
  CHECK(row_of(c, methods[1])->rank_error == 0);
  tn_compare_free(c);
  /* a name that is not known is known before anything runs */
  static const char *const wrong[] = {"project", "projcet"};
  const tn_compare_options bad = {.methods = 2, .method = wrong};
  tn_desc *d = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_read(d, TN_SOURCE_DIR "/models/pendulum.json", &e) != TN_OK)
    abort();
  CHECK(tn_compare_run(d, "pendulum", &bad, &c, &e) == TN_E_USAGE && !c);
  CHECK_HAS(e.hint, "'project'");
  tn_desc_free(d);
}
