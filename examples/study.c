/* methods compared on a model, a study of claims, gains of a stabilizer, a sweep, and a batch, from a program: every function of study.h.
 *   cc study.c $(pkg-config --cflags --libs tenon) -lm */
#include <tenon/study.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] =
    "{ \"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
    "  \"bodies\": { \"rod\": { \"rod\": [[0, 0], [1, 0]], \"mass\": 1 } },"
    "  \"joints\": { \"pin\": { \"type\": \"revolute\", \"between\": [\"ground\", \"rod\"], \"at\": [0, 0] } },"
    "  \"outputs\": { \"angle\": \"pin.angle\" }, \"run\": { \"until\": 1, \"every\": 0.1 } }";

static const char claims[] =
    "{ \"study\": 1, \"paper\": \"mine\", \"title\": \"does it drift?\","
    "  \"runs\": { \"none\": { \"model\": \"study_model.json\", \"method\": \"fci\", \"rtol\": 1e-6 } },"
    "  \"rows\": [ { \"id\": \"mine.drift\", \"what\": \"the pin stays closed to 1e-5 m\", \"holds\": \"measured < "
    "1e-5\","
    "    \"measure\": { \"run\": \"none\", \"of\": \"C\" }, \"tolerance\": \"at most 1e-5\", \"verdict\": "
    "\"reproduced\" } ],"
    "  \"assumptions\": [ { \"what\": \"mass\", \"used\": \"1 kg\", \"why\": \"not printed\", \"varied\": [ { \"to\": "
    "\"2 kg\","
    "    \"replace\": { \"runs\": { \"none\": { \"set\": { \"/bodies/rod/mass\": 2 } } } }, \"changes\": {} } ] } ],"
    "  \"figures\": [ { \"figure\": 1, \"caption\": \"drift of the pin\", \"x\": { \"label\": \"time, s\" },"
    "    \"y\": { \"label\": \"|C|\" }, \"curves\": [ { \"y\": { \"run\": \"none\", \"of\": \"C\" } } ] } ] }";

static const char masses[] =
    "{ \"sweep\": 1, \"title\": \"heavier\", \"run\": { \"model\": \"study_model.json\" },"
    "  \"vary\": { \"/bodies/rod/mass\": { \"uniform\": [1, 2] } }, \"samples\": 8, \"seed\": 3,"
    "  \"measures\": { \"load\": { \"expression\": \"norm(force(pin))\", \"take\": \"max\" } } }";

static const char depends[] =
    "{ \"sweep\": 1, \"kind\": \"sensitivity\", \"run\": { \"model\": \"study_model.json\" },"
    "  \"vary\": { \"/bodies/rod/mass\": { \"at\": 1 } },"
    "  \"measures\": { \"load\": { \"expression\": \"norm(force(pin))\", \"take\": \"final\" } } }";

static void must(tn_status status, const tn_error *e) {
  char text[1024];
  if (status == TN_OK) return;
  tn_error_text(e, text, sizeof text);
  fprintf(stderr, "%s\n", text);
  exit(1);
}

static bool to_file(void *file, const char *text, size_t size) { return fwrite(text, 1, size, file) == size; }

static bool shown(void *user, int done, int all, const char *run) {
  (void)user;
  printf("%d of %d: %s\n", done, all, run);
  return true; /* go on */
}

static void save(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(1);
}

static void compare(void) {
  static const char *const methods[] = {"project", "baumgarte:alpha=5,beta=5", "fci"};
  static const double rtol[] = {1e-4, 1e-6};
  const tn_compare_options options = {.methods = 3, .method = methods, .settings = 2, .setting = rtol};
  tn_error e;
  tn_desc *desc;
  tn_compare *c;
  double off, holds;
  int winner;
  must(tn_desc_new(NULL, &desc, &e), &e);
  must(tn_desc_parse(desc, "model", model, sizeof model - 1, &e), &e);
  must(tn_compare_run(desc, "a rod", &options, &c, &e), &e);
  printf("%s\n", tn_compare_reference(c, &off, &holds));
  for (int i = 0; i < tn_compare_rows(c); i++) {
    const tn_compare_row *row = tn_compare_row_at(c, i);
    printf("%s at %g: error %.2g, %" PRId64 " right-hand sides\n", row->method, row->setting, row->error, row->rhs);
  }
  printf("%s\n", tn_compare_recommendation(c, &winner));
  tn_compare_text(c, to_file, stdout);
  tn_compare_json(c, to_file, stdout);
  tn_compare_csv(c, to_file, stdout);
  tn_compare_curves(c, to_file, stdout);
  if (tn_has_pages(NULL)) { /* one file for a browser */
    FILE *page = fopen("study_compared.html", "w");
    if (!page) exit(1);
    must(tn_compare_page(c, "study", NULL, to_file, page, &e), &e);
    if (fclose(page) != 0) exit(1);
  }
  tn_compare_free(c);
  tn_desc_free(desc);
}

/* files that a program has in itself, in place of those on a disk */
static const char *built_in(void *user, const char *path, size_t *size) {
  (void)user;
  const char *text = strcmp(path, "study_claims.json") == 0  ? claims
                     : strcmp(path, "study_model.json") == 0 ? model
                                                             : NULL;
  if (text) *size = strlen(text);
  return text;
}

/* what a reader counts, and the figures as files */
static void claims_and_figures(const tn_study *s) {
  tn_study_counts n;
  tn_error e;
  tn_study_count(s, &n);
  printf("%d of %d claims are reproduced\n", n.reproduced, n.claims);
  for (int i = 0; tn_study_claim_at(s, i); i++)
    printf("%s: %s\n", tn_study_claim_at(s, i)->what, tn_verdict_name(tn_study_claim_at(s, i)->verdict));
  for (int i = 0; i < tn_study_figures(s); i++) {
    if (!tn_study_figure_at(s, i)->drawn) continue;
    FILE *svg = fopen("study_figure.svg", "w"), *png = fopen("study_figure.png", "wb");
    if (!svg || !png) exit(1);
    must(tn_study_figure_svg(s, i, to_file, svg, &e), &e);
    if (tn_study_figure_png(s, i, to_file, png, &e) == TN_E_USAGE) printf("without cairo there is no PNG\n");
    tn_study_figure_csv(s, i, to_file, stdout, &e);
    if (fclose(svg) != 0 || fclose(png) != 0) exit(1);
  }
}

/* what the paper does not say, chosen in another way */
static void vary(tn_study *s, const tn_study_options *options) {
  tn_error e;
  must(tn_study_vary(s, options, &e), &e);
  for (int i = 0; tn_study_assumption_at(s, i); i++)
    for (int k = 0; tn_study_variation_at(s, i, k); k++)
      printf("%s, %s in place of %s: %d verdicts change\n", tn_study_assumption_at(s, i)->what,
             tn_study_variation_at(s, i, k)->to, tn_study_assumption_at(s, i)->used,
             tn_study_variation_at(s, i, k)->changed);
  tn_study_vary_text(s, to_file, stdout);
  tn_study_vary_json(s, to_file, stdout);
  if (!tn_study_varied_as_said(s)) exit(1);
}

static void study(void) {
  const tn_study_options options = {.workers = 2, .figures = true, .progress = shown};
  tn_error e;
  tn_study *s;
  save("study_model.json", model);
  save("study_claims.json", claims);
  must(tn_study_read_from(NULL, "study_claims.json", built_in, NULL, &s, &e), &e);
  tn_study_free(s);
  must(tn_study_read(NULL, "study_claims.json", &s, &e), &e);
  printf("%s: %s\n", tn_study_paper(s), tn_study_title(s));
  for (int i = 0; tn_study_file(s, i); i++) printf("needs: %s\n", tn_study_file(s, i));
  must(tn_study_run(s, &options, &e), &e);
  for (int i = 0; i < tn_study_rows(s); i++) {
    const tn_study_row *row = tn_study_row_at(s, i);
    printf("%s: %g, %s\n", row->id, row->measured, tn_verdict_name(row->verdict));
  }
  tn_study_text(s, to_file, stdout);
  tn_study_json(s, to_file, stdout);
  for (int i = 0; tn_study_curve(s, i); i++) tn_study_curve_csv(s, i, to_file, stdout);
  if (tn_has_pages(NULL)) {
    FILE *page = fopen("study_claims.html", "w");
    if (!page) exit(1);
    must(tn_study_page(s, "study", to_file, page, &e), &e);
    if (fclose(page) != 0) exit(1);
  }
  if (!tn_study_as_expected(s)) exit(1);
  claims_and_figures(s);
  vary(s, &options);
  tn_study_free(s);
}

/* gains of a stabilizer for this model: the violation times the right-hand sides is to be small */
static void tune(void) {
  static const tn_tune_range ranges[] = {{"alpha", 1, 20}, {"beta", 1, 20}};
  const tn_tune_options options = {.stabilizer = "baumgarte", .ranges = 2, .range = ranges, .budget = 10, .workers = 2};
  tn_error e;
  tn_desc *desc;
  tn_tune *t;
  double from, to;
  must(tn_desc_new(NULL, &desc, &e), &e);
  must(tn_desc_parse(desc, "model", model, sizeof model - 1, &e), &e);
  must(tn_tune_run(desc, "a rod", &options, &t, &e), &e);
  for (int i = 0; i < tn_tune_parameters(t); i++) {
    const char *name = tn_tune_parameter(t, i, &from, &to);
    printf("%s from %g to %g\n", name, from, to);
  }
  if (tn_tune_best(t) < 0 || tn_tune_best(t) >= tn_tune_rows(t)) exit(1);
  printf("the best has %g of %s\n", tn_tune_row_at(t, tn_tune_best(t))->product, tn_tune_parameter(t, 0, &from, &to));
  tn_tune_text(t, to_file, stdout);
  tn_tune_json(t, to_file, stdout);
  tn_tune_csv(t, to_file, stdout);
  tn_tune_free(t);
  tn_desc_free(desc);
}

static bool counted(void *user, const tn_sweep_progress *p) {
  (void)user;
  printf("%d of %d runs, %d failed, %d done before\n", p->done, p->all, p->failed, p->resumed);
  return true; /* go on */
}

/* where runs are made: here one after the other, or in other programs, on other machines .. */
static void one_by_one(void *user, const tn_sweep_work *work) {
  double *values = calloc((size_t)tn_sweep_values(work->sweep), sizeof *values); /* measures and the verdict */
  char failure[512];
  bool on = values != NULL;
  for (int i = 0; i < work->runs && on; i++) {
    const tn_status status = tn_sweep_one(work->sweep, work->run[i], NULL, NULL, values, failure);
    on = work->done(work->to, work->run[i], status, values, failure);
  }
  free(values);
  ++*(int *)user;
}

static void sweep(void) {
  int farms = 0;
  const tn_sweep_options here = {.journal = "study_masses.journal",
                                 .progress = counted,
                                 .farm = one_by_one,
                                 .farm_user = &farms},
                         threads = {.farm = tn_sweep_threads, .workers = 2};
  tn_error e;
  tn_sweep *s;
  tn_sweep_row row;
  tn_sensitivity d;
  char text[64];
  double mass;
  save("study_masses.json", masses);
  save("study_depends.json", depends);
  must(tn_sweep_read(NULL, "study_masses.json", &s, &e), &e);
  printf("%s: %d runs of %s, %s\n", tn_sweep_title(s), tn_sweep_runs(s), tn_sweep_file(s, 0), tn_sweep_fingerprint(s));
  for (int i = 0; i < tn_sweep_parameters(s); i++) printf("varied: %s\n", tn_sweep_parameter(s, i));
  for (int i = 0; i < tn_sweep_measures(s); i++) printf("measured: %s\n", tn_sweep_measure(s, i));
  tn_sweep_plan(s, to_file, stdout);
  must(tn_sweep_run(s, &here, &e), &e);
  for (int i = 0; tn_sweep_row_at(s, i, &row); i++) {
    tn_sweep_given_text(s, i, 0, text, sizeof text, &mass);
    printf("mass %s: %g, %s\n", text, row.values[0] / mass, tn_run_verdict_name(row.verdict));
  }
  if (tn_sweep_count(s, TN_TRUSTED) != tn_sweep_runs(s)) exit(1);
  tn_sweep_csv(s, to_file, stdout);
  tn_sweep_json(s, to_file, stdout);
  tn_sweep_text(s, to_file, stdout);
  tn_sweep_summary(s, to_file, stdout);
  if (tn_has_pages(NULL)) {
    FILE *page = fopen("study_masses.html", "w");
    if (!page) exit(1);
    must(tn_sweep_page(s, "study", to_file, page, &e), &e);
    if (fclose(page) != 0) exit(1);
  }
  if (farms != 1 || tn_sweep_failed(s)) exit(1);
  remove("study_masses.journal"); /* the results are safe */
  tn_sweep_free(s);

  must(tn_sweep_read(NULL, "study_depends.json", &s, &e), &e);
  must(tn_sweep_run(s, &threads, &e), &e);
  for (int i = 0; tn_sweep_sensitivity(s, i, &d); i++)
    printf("d %s / d %s = %g, within %.1g\n", d.measure, d.parameter, d.derivative, d.error);
  tn_sweep_free(s);
}

/* a run with a second one beside it: how large its errors are, and up to when it can be believed */
static void verify(void) {
  tn_error e;
  tn_desc *desc;
  tn_model *compiled;
  tn_sim *sim;
  tn_verify *v;
  tn_verify_output output;
  tn_verify_event event;
  double until;
  must(tn_desc_new(NULL, &desc, &e), &e);
  must(tn_desc_parse(desc, "model", model, sizeof model - 1, &e), &e);
  must(tn_compile(desc, &compiled, &e), &e);
  must(tn_sim_new(compiled, &sim, &e), &e);
  must(tn_verify_new(desc, NULL, &v, &e), &e);
  must(tn_verify_run(v, sim, NULL, NULL, &e), &e);
  for (int i = 0; tn_verify_output_at(v, i, &output); i++)
    printf("%s: error about %.1g %s, %.1g of its scale\n", output.name, output.error, output.unit,
           output.error_relative);
  for (int i = 0; tn_verify_event_at(v, i, &event); i++)
    printf("%s: times differ by %.1g s\n", event.event, event.difference);
  const tn_verify_summary *result = tn_verify_result(v);
  printf("predictable until %g s\n", result->predictable_until);
  tn_report_text(sim, "a rod", to_file, stdout); /* has it too */
  must(tn_predictable_until(desc, 0.01, &until, &e), &e);
  if (!result->predictable || until != result->predictable_until) exit(1);
  tn_verify_free(v);
  tn_sim_free(sim);
  tn_model_free(compiled);
  tn_desc_free(desc);
}

/* the same model with three masses, all rows of all runs at once */
static void batch(void) {
  static const char *const varied[] = {"/bodies/rod/mass"};
  static const double mass[] = {1, 2, 3};
  enum { RUNS = 3, ROWS = 11, COLUMNS = 1 };
  static double rows[RUNS][ROWS][1 + COLUMNS]; /* t first */
  static tn_batch_result result[RUNS];
  const tn_batch_options options = {.runs = RUNS, .parameters = 1, .parameter = varied, .value = mass, .workers = 2};
  tn_error e;
  tn_desc *desc;
  must(tn_desc_new(NULL, &desc, &e), &e);
  must(tn_desc_parse(desc, "model", model, sizeof model - 1, &e), &e);
  must(tn_batch_run(desc, &options, ROWS, COLUMNS, &rows[0][0][0], result, &e), &e);
  for (int i = 0; i < RUNS; i++)
    printf("mass %g: %d rows, the last at t = %g s with %.6f rad\n", mass[i], (int)result[i].rows,
           rows[i][result[i].rows - 1][0], rows[i][result[i].rows - 1][1]);
  tn_desc_free(desc);
}

int main(void) {
  batch();
  compare();
  verify();
  study();
  tune();
  sweep();
  return 0;
}
