/* Tenon inside a program: a model is built by calls, looked at, run with a watcher, recorded, read back and asked. every function
 * of tenon/tenon.h is used at least once.
 *
 *   cc embed.c $(pkg-config --cflags --libs tenon) -o embed && ./embed
 *
 * leaves files embed.* in the present folder. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

/* every call that can fail returns a status and fills an error. this program ends at the first one it does not expect */
static tn_error error;

static void must(tn_status status) {
  char text[1600];
  if (status == TN_OK) return;
  tn_error_text(&error, text, sizeof text); /* message, file:line:column, hint */
  fprintf(stderr, "embed: %s\n", *text ? text : "cannot write");
  exit(1);
}

static void expect(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "embed: %s\n", what);
  exit(1);
}

/* the library opens no file to write into and prints nothing: text and bytes are handed to a function like this */
static bool to_file(void *user, const char *text, size_t size) { return fwrite(text, 1, size, user) == size; }

static FILE *create(const char *path) {
  FILE *file = fopen(path, "wb");
  expect(file != NULL, "cannot create a file");
  return file;
}

/* ---- memory: all of it comes from here, if one is given ----------------------------------------------------------------- */

static void *take(void *user, size_t size) {
  void *block = malloc(size);
  if (block) ++*(int64_t *)user;
  return block;
}

static void give_back(void *user, void *block) {
  if (block) --*(int64_t *)user;
  free(block);
}

/* ---- a description: the model as written -------------------------------------------------------------------------------- */

static tn_desc *describe(const tn_allocator *allocator) {
  tn_desc *d;
  must(tn_desc_new(allocator, &d, &error));
  must(tn_desc_number(d, "/tenon", 1, &error));
  must(tn_desc_number(d, "/dimension", 2, &error));
  must(tn_desc_text(d, "/title", "crank and rocker", &error));
  must(tn_desc_numbers(d, "/points/A", 2, (double[]){0, 0}, &error));
  must(tn_desc_numbers(d, "/points/B", 2, (double[]){0, 1}, &error));
  must(tn_desc_numbers(d, "/points/C", 2, (double[]){3, 2}, &error));
  must(tn_desc_numbers(d, "/points/D", 2, (double[]){4, 0}, &error));

  /* a part at a time as JSON, where that is shorter; names of points stand for places */
  must(tn_desc_json(d, "/bodies/crank", "{\"rod\": [\"A\", \"B\"], \"mass\": 1.5}", &error));
  must(tn_desc_json(d, "/bodies/coupler", "{\"rod\": [\"B\", \"C\"], \"mass\": 4.7}", &error));
  must(tn_desc_json(d, "/bodies/rocker", "{\"rod\": [\"D\", \"C\"], \"mass\": 3.4}", &error));
  static const char *const pins[][3] = {
      {"A", "ground", "crank"}, {"B", "crank", "coupler"}, {"C", "coupler", "rocker"}, {"D", "ground", "rocker"}};
  for (int i = 0; i < 4; i++) {
    char pointer[64], json[128];
    snprintf(pointer, sizeof pointer, "/joints/pin_%s", pins[i][0]);
    snprintf(json, sizeof json, "{\"type\": \"revolute\", \"between\": [\"%s\", \"%s\"], \"at\": \"%s\"}", pins[i][1],
             pins[i][2], pins[i][0]);
    must(tn_desc_json(d, pointer, json, &error));
  }
  must(tn_desc_text(d, "/start/pin_A.rate", "60*rpm", &error)); /* a text where a number belongs is an expression */
  must(tn_desc_text(d, "/outputs/tip", "position(coupler, C)", &error));
  must(tn_desc_text(d, "/outputs/load", "norm(force(pin_D))", &error));
  must(tn_desc_number(d, "/run/until", 2, &error));
  must(tn_desc_number(d, "/run/every", 0.01, &error));
  must(tn_desc_part(d, "/run/integrator", "dopri5:rtol=1e-9", &error));      /* as after --integrator */
  must(tn_desc_settings(d, 1, &(const tn_setting){"atol", "1e-9"}, &error)); /* as after --atol */
  return d;
}

/* what is refused is named, with its place; here in a text of ours, in a file it would be file:line:column */
static void refuse(void) {
  static const char text[] = "{\"tenon\": 1, \"dimension\": 2,\n \"bodies\": {\"b\": {\"mass\": -1, \"inertia\": 1}}}";
  tn_desc *d;
  tn_model *model = NULL;
  must(tn_desc_new(NULL, &d, &error));
  must(tn_desc_parse(d, "example", text, strlen(text), &error));
  expect(tn_compile(d, &model, &error) == TN_E_MODEL && !model, "a negative mass was taken");
  printf("refused: %s, at %s:%d:%d\n", error.message, error.file, error.line, error.column);
  must(tn_report_failure(&error, "example", to_file, stdout)); /* the same as JSON, for a program */
  tn_desc_free(d);

  const char *const names[] = {"revolute", "prismatic", "weld"};
  const char *near = tn_nearest("revolut", 3, names);
  printf("revolut: did you mean %s?\n", near ? near : "something else");
}

/* ---- a model: compiled, immutable ---------------------------------------------------------------------------------------- */

static void look(const tn_model *model) {
  tn_model_info info;
  char settings[512];
  tn_model_get_info(model, &info);
  printf("%s: %d bodies, %d joints, %d rows; method %s (", info.title, info.bodies, info.joints, info.rows,
         info.method);
  for (int i = 0; i < info.stabilizers; i++) printf("%s%s", i ? ", " : "", tn_model_stabilizer(model, i));
  tn_model_settings(model, settings, sizeof settings);
  printf("), as options: %s\n", settings);
  for (int i = 0; i < tn_model_warnings(model); i++) printf("warning: %s\n", tn_model_warning(model, i)->message);
  for (int i = 0; tn_model_file(model, i); i++) printf("drawn from: %s\n", tn_model_file(model, i));
}

/* ---- a run, watched and recorded ----------------------------------------------------------------------------------------- */

/* a state in memory */
struct buffer {
  char bytes[1 << 20];
  size_t used;
};

static bool to_buffer(void *user, const char *text, size_t size) {
  struct buffer *b = user;
  if (size > sizeof b->bytes - b->used) return false;
  memcpy(b->bytes + b->used, text, size);
  b->used += size;
  return true;
}

typedef struct progress {
  double next, stop_at; /* s */
} progress;

/* after every step: a place to draw a bar, or to look at a flag that Ctrl-C sets */
static bool watch(void *user, double t) {
  progress *p = user;
  if (t >= p->next) {
    printf("  t = %.1f s\n", p->next);
    p->next += 0.5;
  }
  return t < p->stop_at;
}

typedef struct rows {
  tn_recorder *recorder;
  FILE *csv;
  int64_t count;
} rows;

static tn_status receive(void *user, double t, int n, const double *values) {
  rows *r = user;
  r->count++;
  tn_status status = tn_recorder_row(r->recorder, t, n, values);
  return status == TN_OK ? tn_csv_row(t, n, values, to_file, r->csv) : status;
}

/* a checkpoint: what has been handed over is on its way to the disk first, then the state that stands for it */
static void save(tn_recorder *recorder, FILE *file) {
  FILE *state = create("embed.tnr.state");
  expect(fflush(file) == 0, "cannot write the result");
  must(tn_recorder_save(recorder, to_file, state, &error));
  expect(fclose(state) == 0, "cannot write the state");
  /* rows that wait for a whole block can be seen meanwhile; the next block goes over them */
  const long end = ftell(file);
  must(tn_recorder_tail(recorder, to_file, file));
  expect(end >= 0 && fseek(file, end, SEEK_SET) == 0, "cannot write the result");
}

static int64_t run(const tn_model *model, const tn_desc *desc) {
  tn_sim *sim;
  progress p = {.stop_at = 1};
  rows r = {.csv = create("embed.csv")};
  FILE *file = create("embed.tnr");
  must(tn_sim_new(model, &sim, &error)); /* it has all its memory now: no step can fail for want of it */

  /* the start is assembled; before the run one can see what there is */
  must(tn_sim_start(sim, &error));
  must(tn_report_check_text(sim, "embed", to_file, stdout));

  printf("columns: t");
  for (int i = 0; i < tn_sim_columns(sim); i++) printf(", %s [%s]", tn_sim_column(sim, i), tn_sim_column_unit(sim, i));
  printf("\n");

  must(tn_csv_head(sim, to_file, r.csv));
  must(tn_recorder_new(sim, desc, "embed", to_file, file, &r.recorder, &error));
  tn_sim_watch(sim, watch, &p);
  expect(tn_sim_run(sim, receive, &r, &error) == TN_E_STOPPED, "the watcher was not heard");
  printf("stopped at t = %.4f s after %" PRId64 " rows; on we go\n", tn_sim_time(sim), r.count);
  must(tn_recorder_flush(r.recorder)); /* the rows so far are safe, whatever happens to this program */
  save(r.recorder, file);              /* and from here another can go on */
  p.stop_at = 1e9;
  must(tn_sim_run(sim, receive, &r, &error)); /* behind the last row */

  must(tn_recorder_end(r.recorder, sim, "embed", tn_report_json));
  tn_recorder_free(r.recorder);
  expect(fclose(file) == 0 && fclose(r.csv) == 0, "cannot write the results");

  /* how it went: in words, the first of each kind or all of them, or as fields */
  must(tn_report_text(sim, "embed", to_file, stdout));
  must(tn_report_text_all(sim, "embed", to_file, stdout));
  const tn_summary *summary = tn_sim_summary(sim);
  tn_run_fact fact;
  printf("verdict: %s\n", tn_run_verdict_name(summary->verdict));
  for (int i = 0; tn_sim_fact(sim, i, &fact); i++)
    if (!isnan(fact.limit))
      printf("%s, %s, %s: %g of %g [%s]\n", tn_fact_about_name(fact.about), tn_run_verdict_name(fact.severity),
             fact.key, fact.value, fact.limit, fact.unit);
  expect(summary->verdict == TN_TRUSTED, "the run is worse than it should be");
  tn_bad_output bad; /* outputs that were not finite numbers: here none */
  for (int i = 0; tn_sim_bad_output(sim, i, &bad); i++)
    printf("output %s is no number in %" PRId64 " rows, first at t = %g s\n", bad.name, bad.rows, bad.first);
  expect(!tn_sim_is_long(sim), "errors of steps have added up: see tn_verify_run in study.c");
  for (int i = 0; i < tn_sim_events(sim); i++)
    printf("event at %g s: %s, %s\n", tn_sim_event(sim, i)->t, tn_sim_event(sim, i)->kind, tn_sim_event(sim, i)->text);
  tn_fired fired;
  tn_impulse impulse;
  for (int i = 0; tn_sim_fired(sim, i, &fired); i++) printf("event %s: %" PRId64 " times\n", fired.event, fired.count);
  for (int i = 0; tn_sim_impulse(sim, i, &impulse); i++) printf("%s: %g J lost\n", impulse.joint, impulse.energy_lost);
  tn_sim_free(sim);
  return r.count;
}

/* ---- a wheel with a brake, by our own hand --------------------------------------------------------------------------------- */

static void brake(void) {
  static const char text[] =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"parameters\": {\"grip\": 0},"
      " \"bodies\": {\"wheel\": {\"mass\": 1, \"inertia\": 0.5}},"
      " \"joints\": {\"axle\": {\"type\": \"revolute\", \"between\": [\"ground\", \"wheel\"], \"at\": [0, 0]},"
      "   \"lock\": {\"type\": \"coordinate\", \"terms\": {\"axle.angle\": 1}, \"value\": \"grip\", \"active\": "
      "false}},"
      " \"start\": {\"axle.rate\": 4}}";
  tn_desc *desc;
  tn_model *model;
  tn_sim *sim;
  double angle;
  bool on;
  must(tn_desc_new(NULL, &desc, &error));
  must(tn_desc_parse(desc, "wheel", text, strlen(text), &error));
  must(tn_compile(desc, &model, &error));
  must(tn_sim_new(model, &sim, &error));
  must(tn_sim_advance(sim, 1, &error));
  must(tn_sim_channel(sim, "axle.angle", &angle, &error));
  must(tn_sim_set_parameter(sim, "grip", angle, &error)); /* where it is now, there it shall stay */
  must(tn_sim_switch(sim, "lock", true, &error));
  must(tn_sim_is_on(sim, "lock", &on, &error));
  for (int i = 0; i < tn_sim_parameters(sim); i++)
    printf("%s is %g, the lock is %s\n", tn_sim_parameter_name(sim, i), tn_sim_parameter(sim, i), on ? "on" : "off");
  must(tn_sim_advance(sim, 2, &error));
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
}

/* ---- a program that goes on where another was stopped ----------------------------------------------------------------------- */

static tn_status count(void *user, double t, int n, const double *values) {
  rows *r = user;
  r->count++;
  return tn_recorder_row(r->recorder, t, n, values);
}

/* in another file, so that both can be compared; in the same one, it would be cut at `length` */
static void resume(const tn_model *model) {
  static char state[1 << 20];
  tn_sim *sim;
  rows r = {.count = 0};
  int64_t length;
  FILE *from = fopen("embed.tnr.state", "rb"), *first = fopen("embed.tnr", "rb"), *file = create("embed.again.tnr");
  expect(from && first, "cannot read the state");
  const size_t size = fread(state, 1, sizeof state, from);
  must(tn_sim_new(model, &sim, &error));
  must(tn_recorder_resume(sim, "embed.tnr", state, size, to_file, file, &r.recorder, &length, &error));
  for (int64_t i = 0; i < length; i++) putc(getc(first), file);
  must(tn_sim_run(sim, count, &r, &error));
  must(tn_recorder_end(r.recorder, sim, "embed", tn_report_json));
  printf("resumed from %zu bytes: %" PRId64 " more rows, and the same end\n", size, r.count);
  tn_recorder_free(r.recorder);
  tn_sim_free(sim);
  expect(fclose(file) == 0 && fclose(first) == 0 && fclose(from) == 0, "cannot write the result");
}

/* ---- a simulation that is asked, step by step ------------------------------------------------------------------------------ */

static void ask(const tn_model *model) {
  tn_sim *sim;
  tn_eval now;
  double angle, load, q[32], u[32], memory[32], state[32];
  must(tn_sim_new(model, &sim, &error));
  must(tn_sim_advance(sim, 0.25, &error)); /* to a time of our own, as a controller would */
  must(tn_sim_channel(sim, "crank.angle", &angle, &error));
  must(tn_sim_channel(sim, "pin_D.fy", &load, &error));
  printf("at t = %g s the crank is at %.6f rad, the load on D %.4f N\n", tn_sim_time(sim), angle, load);

  /* all of it at once, put back into another simulation: it goes on to the last bit */
  static struct buffer saved;
  tn_sim *twin;
  must(tn_sim_save(sim, to_buffer, &saved, &error));
  must(tn_sim_new(model, &twin, &error));
  must(tn_sim_load(twin, saved.bytes, saved.used, &error));
  expect(memcmp(tn_sim_q(sim), tn_sim_q(twin), sizeof(double) * (size_t)tn_sim_coordinates(sim)) == 0,
         "a state that was put back is another");
  tn_sim_free(twin);

  /* the state as it is; kept, for a return */
  const int nq = tn_sim_coordinates(sim), nu = tn_sim_speeds(sim);
  const int remembered = tn_sim_remembered(sim); /* turns that joints in space have counted; in the plane none */
  expect(nq <= 32 && nu <= 32 && remembered <= 32, "more coordinates than there is room for");
  memcpy(q, tn_sim_q(sim), sizeof *q * (size_t)nq);
  memcpy(u, tn_sim_u(sim), sizeof *u * (size_t)nu);
  memcpy(memory, tn_sim_memory(sim), sizeof *memory * (size_t)remembered);
  const int states =
      tn_sim_states(sim); /* numbers that forces have of their own, as the current of a motor; here none */
  expect(states <= 32, "more states than there is room for");
  memcpy(state, tn_sim_state(sim), sizeof *state * (size_t)states);
  tn_drift drift;
  for (int i = 0; tn_sim_drift(sim, i, &drift); i++) /* how well each joint was kept so far */
    if (drift.rows) printf("%s was off by %.1g at most\n", drift.joint, drift.position_max);
  for (int i = 0; i < states; i++) printf("%s is %.4f\n", tn_sim_state_name(sim, i), state[i]);
  must(tn_sim_advance(sim, 0.5, &error));
  for (int i = 0; i < nu; i++) u[i] = -u[i];
  must(tn_sim_remember(sim, memory, &error)); /* before the state that they belong to */
  must(tn_sim_set_state(sim, state, &error));
  must(tn_sim_set(sim, 0, q, u, true, &error)); /* back where we were, the other way round */

  printf("the first of %d coordinates is %s\n", nq, tn_sim_coordinate(sim, 0));

  /* the equations there: M udot + A'lambda = f, A udot = gamma */
  must(tn_sim_eval(sim, &now, &error));
  int fastest = 0;
  for (int i = 1; i < now.speeds; i++)
    if (now.udot[i] * now.udot[i] > now.udot[fastest] * now.udot[fastest]) fastest = i;
  printf("%d rows of rank %d; %s changes most, by %.4f /s^2; row 0 is of %s and carries %.4f\n", now.rows, now.rank,
         tn_sim_speed(sim, fastest), now.udot[fastest], tn_sim_row_joint(sim, 0), now.lambda[0]);

  /* and anywhere else, as for an integrator of one's own: here with all speeds twice as large. the simulation stays where it is */
  double fast[32], qdot[32], udot[32];
  for (int i = 0; i < nu; i++) fast[i] = 2 * tn_sim_u(sim)[i];
  must(tn_sim_rates(sim, 0.25, NULL, fast, NULL, qdot, udot, NULL, NULL, &error));
  must(tn_sim_eval_at(sim, 0.25, NULL, fast, NULL, &now, &error));
  printf("twice as fast %s changes by %.4f /s^2\n", tn_sim_speed(sim, fastest), now.udot[fastest]);
  expect(fabs(udot[fastest] - now.udot[fastest]) <= 1e-9 * fabs(udot[fastest]), "two ways to the same rates differ");

  /* where the bodies are, several channels in one call, and the outputs, beside any run */
  static const char *const asked[] = {"crank.angle", "energy.total"};
  double pose[32], values[2], outputs[8];
  must(tn_sim_poses(sim, pose, &error));
  must(tn_sim_channels(sim, 2, asked, values, &error));
  must(tn_sim_outputs(sim, outputs, &error));
  printf("%s of %d bodies is at (%.4f, %.4f), of %d numbers; energy %.4f J; %s %.4f m\n", tn_sim_body(sim, 0),
         tn_sim_bodies(sim), pose[0], pose[1], tn_sim_pose_size(sim), values[1], tn_sim_column(sim, 0), outputs[0]);

  /* H u are the inertia forces that f has with the opposite sign; dM/dt - 2 H is skew-symmetric */
  double *coriolis = calloc((size_t)(nu * nu), sizeof *coriolis);
  expect(coriolis != NULL, "no memory for a matrix");
  must(tn_sim_coriolis(sim, coriolis, &error));
  free(coriolis);

  /* the same as JSON, and what tn_report_check_text says in words */
  FILE *eval = create("embed.eval.json"), *check = create("embed.check.json");
  must(tn_report_eval(sim, "embed", to_file, eval, &error));
  must(tn_report_check_json(sim, "embed", to_file, check));
  expect(fclose(eval) == 0 && fclose(check) == 0, "cannot write the equations");

  /* how long steps of an integrator may be beside the fastest motion, in words, as JSON, and the region as CSV */
  FILE *stability = create("embed.stability.txt");
  must(tn_report_stability_text("mampc3", to_file, stability, &error));
  must(tn_report_stability_json("mampc3", to_file, stability, &error));
  must(tn_report_stability_csv("ab1", to_file, stability, &error));
  expect(fclose(stability) == 0, "cannot write the region");

  /* what a controller that keeps constraints answers, likewise */
  FILE *surface = create("embed.surface.txt");
  must(tn_report_surface_text("fuzzy:set=gaussian", to_file, surface, &error));
  must(tn_report_surface_json("fuzzy:set=gaussian", to_file, surface, &error));
  must(tn_report_surface_csv("fuzzy:set=gaussian", to_file, surface, &error));
  expect(fclose(surface) == 0, "cannot write the surface");

  /* both as pages for a browser, where this build has them */
  if (tn_has_pages(NULL)) {
    static const char *const integrators[] = {"mampc3", "rk4"};
    FILE *regions = create("embed.stability.html"), *answers = create("embed.surface.html");
    must(tn_report_stability_page(2, integrators, "embed", to_file, regions, &error));
    must(tn_report_surface_page("fuzzy:set=gaussian", "embed", to_file, answers, &error));
    expect(fclose(regions) == 0 && fclose(answers) == 0, "cannot write the pages");
  }

  /* forces are conservative here: with all speeds turned round the mechanism goes back to its start */
  must(tn_sim_advance(sim, 0.25, &error));
  must(tn_sim_channel(sim, "pin_A.angle", &angle, &error));
  printf("back at the start the crank is off by %.1e rad\n", angle);
  expect(angle * angle < 1e-12, "the way back does not lead home");
  tn_sim_free(sim);
}

/* ---- a result file ------------------------------------------------------------------------------------------------------- */

static tn_status largest(void *user, double t, int n, const double *values) {
  double *most = user; /* the load is the last column */
  (void)t;
  if (values[n - 1] > *most) *most = values[n - 1];
  return TN_OK;
}

static void read_back(const tn_allocator *allocator, int64_t count) {
  tn_result *r;
  double most = 0;
  char name[64];
  int first;
  must(tn_result_open(allocator, "embed.tnr", &r, &error)); /* one that is damaged opens too */
  tn_result_fault fault;
  tn_gap gap;
  char said[200];
  if (tn_result_check(r, &fault, &error) != TN_OK) { /* and is reported here; what is good of it can be had */
    must(tn_result_recover(r, &error));
    for (int i = 0; tn_result_gap(r, i, &gap); i++) printf("rows are missing behind t = %g s\n", gap.from);
    for (int i = 0; tn_result_missing(r, i, said, sizeof said); i++) printf("%s\n", said);
  }
  tn_show(said, sizeof said,
          tn_result_title(r)); /* a title may come from anywhere: no escape sequences on a terminal */
  printf("%s\n", said);
  expect(tn_result_rows(r) == count, "rows are missing in the result");
  expect(tn_result_summary(r) != NULL, "the result has no end");
  tn_run_verdict verdict; /* results of versions before 0.11 have none */
  expect(tn_result_verdict(r, &verdict) && verdict == TN_TRUSTED, "the result is not trusted");
  printf("%s (%s), run with %s: %" PRId64 " rows of %s [%s]", tn_result_name(r), tn_result_title(r),
         tn_result_settings(r), tn_result_rows(r), tn_result_column(r, -1), tn_result_unit(r, -1));
  for (int i = 0; i < tn_result_columns(r); i++) printf(" %s [%s]", tn_result_column(r, i), tn_result_unit(r, i));
  must(tn_result_each(r, largest, &most, &error));
  printf("\nthe largest load was %.3f N\n", most);

  FILE *csv = create("embed.again.csv"), *svg = create("embed.svg");
  must(tn_result_csv(r, to_file, csv, &error)); /* the same bytes as during the run */
  must(tn_result_svg(r, to_file, svg, &error));
  expect(fclose(csv) == 0 && fclose(svg) == 0, "cannot write the tables");
  const tn_poses poses = {.from = 0, .to = 0.5, .by = 0.1};
  const bool png = tn_has_png(NULL); /* with cairo */
  FILE *over = create(png ? "embed.poses.png" : "embed.poses.svg");
  must(tn_result_poses(r, &poses, png, to_file, over, &error));
  expect(fclose(over) == 0, "cannot write the poses");
  FILE *glb = create("embed.glb"); /* for Blender and other programs that show solids */
  must(tn_result_glb(r, to_file, glb, &error));
  expect(fclose(glb) == 0, "cannot write the solids");
  const char *missing;
  if (tn_has_pages(&missing)) { /* one file for a browser, with the linkage in motion */
    FILE *page = create("embed.html");
    must(tn_result_page(r, to_file, page, &error));
    expect(fclose(page) == 0, "cannot write the page");
  } else {
    printf("no page: %s\n", missing);
  }
  for (int g = 0; g < tn_result_groups(r); g++) { /* t; tip, of two columns; load */
    const int columns = tn_result_group(r, g, name, sizeof name, &first);
    if (strcmp(name, "tip") != 0) continue;
    FILE *npy = create("embed.npy");
    must(tn_result_npy(r, g, to_file, npy, &error)); /* numpy.load gives an array of rows x columns */
    expect(fclose(npy) == 0, "cannot write the array");
    printf("embed.npy holds %s, %d columns\n", name, columns);
  }

  /* the result carries its model: it can be run again from there */
  tn_desc *d;
  tn_model *model;
  must(tn_desc_new(allocator, &d, &error));
  must(tn_desc_parse(d, "embed.tnr", tn_result_model(r), strlen(tn_result_model(r)), &error));
  must(tn_compile(d, &model, &error));
  tn_model_free(model);
  tn_desc_free(d);
  tn_result_close(r);
}

/* ---- what there is -------------------------------------------------------------------------------------------------------- */

static void list(void) {
  for (int k = 0; tn_list_kind(k); k++) {
    const char *kind = tn_list_kind(k);
    int n = 0;
    while (tn_list_name(kind, n)) n++;
    printf("%s: %d, the first is %s: %s\n", kind, n, tn_list_name(kind, 0), tn_list_doc(kind, 0));
  }
  must(tn_list_print("joint", "revolute", false, to_file, stdout, &error)); /* one with its fields and an example */
  FILE *schema = create("embed.schema.json");
  must(tn_schema_print(to_file, schema)); /* for editors */
  expect(fclose(schema) == 0, "cannot write the schema");
}

int main(void) {
  int64_t blocks = 0;
  const tn_allocator allocator = {take, give_back, &blocks};
  char built[256];
  tn_desc *desc;
  tn_model *model;
  tn_built_with(built, sizeof built);
  printf("tenon %s (header %s), %s\n", tn_version(), TN_VERSION, built);
  list();
  refuse();

  desc = describe(&allocator);
  must(tn_compile(desc, &model, &error));
  look(model); /* with a warning: nobody has said a word of gravity */
  tn_model_free(model);

  /* a description can be changed and compiled again */
  if (!tn_desc_has(desc, "/gravity")) must(tn_desc_numbers(desc, "/gravity", 2, (double[]){0, -9.81}, &error));
  must(tn_desc_part(desc, "/run/stabilize", "baumgarte:alpha=5", &error));
  tn_desc_remove(desc, "/run/stabilize"); /* on second thoughts: the default, which projects */

  /* written, and read again as anyone would */
  FILE *file = create("embed.json");
  must(tn_desc_print(desc, to_file, file, &error));
  expect(fclose(file) == 0, "cannot write embed.json");
  must(tn_desc_read(desc, "embed.json", &error));
  must(tn_compile(desc, &model, &error));
  look(model);

  const int64_t count = run(model, desc);
  ask(model);
  brake();
  resume(model);
  read_back(&allocator, count);

  file = create("embed.model.json");
  must(tn_model_print(model, to_file, file, &error)); /* with every `repeat` carried out */
  expect(fclose(file) == 0, "cannot write embed.model.json");
  tn_model_free(model);
  tn_desc_free(desc);
  printf("blocks of memory still held: %" PRId64 "\n", blocks);
  return blocks == 0 ? 0 : 1;
}
