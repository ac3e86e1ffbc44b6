/* NULL in every pointer argument of every public function. the headers are read: an argument that nobody tries here fails the test.
 *
 *   REFUSE(function, argument, call)   TN_E_USAGE, in words that name both
 *   HARMLESS(function, argument, what) a value that the header promises
 *   LEFT_OUT(function, argument, what) it may be NULL, and the call does what it should */
#include <ctype.h>

#include "record/record.h"
#include "support/build.h"
#include "tenon/study.h"
#include "test.h"

enum { MOST = 900 };
typedef struct argument {
  char function[48], name[32];
} argument;

static argument tried[MOST];
static int tries;

static void note(const char *function, const char *name) {
  if (tries == MOST) abort();
  snprintf(tried[tries].function, sizeof tried->function, "%s", function);
  snprintf(tried[tries++].name, sizeof tried->name, "%s", name);
}

static tn_error e;

/* the status is behind the call, which has filled `e` if it has one */
static void refused(const char *function, const char *name, bool has_error, tn_status status) {
  char words[128];
  note(function, name);
  if (status != TN_E_USAGE) FAIL("%s, %s: status %d", function, name, (int)status);
  if (!has_error) return;
  snprintf(words, sizeof words, "%s: `%s", function, name);
  CHECK(e.status == TN_E_USAGE && memchr(e.message, 0, sizeof e.message));
  CHECK_HAS(e.message, words);
}

#define REFUSE(function, argument, ...)                                                                                \
  do {                                                                                                                 \
    memset(&e, 0x55, sizeof e);                                                                                        \
    refused(#function, #argument, strstr(#__VA_ARGS__, "&e") != NULL, function(__VA_ARGS__));                          \
  } while (0)
#define HARMLESS(function, argument, what)                                                                             \
  do {                                                                                                                 \
    note(#function, #argument);                                                                                        \
    if (!(what)) FAIL("%s, %s: not %s", #function, #argument, #what);                                                  \
  } while (0)
#define LEFT_OUT(function, argument, what) HARMLESS(function, argument, what)
#define DONE(call) ((call), true)

static bool no_text(void *user, const char *text, size_t n) {
  (void)user, (void)text, (void)n;
  return true;
}

static tn_status no_row(void *user, double t, int n, const double *values) {
  (void)user, (void)t, (void)n, (void)values;
  return TN_OK;
}

static tn_status no_report(const tn_sim *sim, const char *name, tn_write write, void *user) {
  (void)sim, (void)name;
  return write(user, "{}", 2) ? TN_OK : TN_E_IO;
}

static bool to_file(void *user, const char *text, size_t n) { return fwrite(text, 1, n, user) == n; }

static const char MODEL[] =
    "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81], \"parameters\": {\"k\": 1}, \"bodies\": {\"a\": "
    "{\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 1, 0]}, \"b\": {\"mass\": 1, \"inertia\": [1, 1, 1], "
    "\"position\": [1, 1, 0]}}, \"joints\": {\"p\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": "
    "[0, 0, 0], \"axis\": \"x\"}, \"r\": {\"type\": \"revolute\", \"between\": [\"a\", \"b\"], \"at\": [0, 1, 0], "
    "\"axis\": \"x\"}}, \"forces\": {\"l\": {\"type\": \"lag\", \"on\": \"p.angle\", \"value\": \"k\", "
    "\"time_constant\": "
    "0.1}}, \"run\": {\"until\": 0.02, \"every\": 0.01}, \"outputs\": {\"a\": \"p.angle\"}}";

static tn_desc *desc;
static tn_model *model;
static tn_sim *sim;

static void make(void) {
  if (tn_desc_new(NULL, &desc, &e) || tn_desc_parse(desc, "m", MODEL, strlen(MODEL), &e) ||
      tn_compile(desc, &model, &e) || tn_sim_new(model, &sim, &e)) {
    printf("%s\n", e.message);
    abort();
  }
}

static void try_base_and_descriptions(void) {
  static const char *const names[] = {"one"};
  static const tn_setting set[] = {{"until", "1"}};
  char text[2];
  tn_desc *made = NULL, *none;
  tn_desc_new(NULL, &made, NULL);
  HARMLESS(tn_built_with, text, tn_built_with(NULL, 0) > 0 && tn_built_with(NULL, 9) > 0);
  HARMLESS(tn_nearest, name, !tn_nearest(NULL, 1, names));
  HARMLESS(tn_nearest, names, !tn_nearest("one", 1, NULL));
  HARMLESS(tn_error_text, error, tn_error_text(NULL, text, 2) == 0 && !text[0]);
  HARMLESS(tn_error_text, text, tn_error_text(&e, NULL, 9) >= 0);
  HARMLESS(tn_show, shown, tn_show(NULL, 9, "x") == 1);
  HARMLESS(tn_show, text, tn_show(text, 2, NULL) == 0 && !text[0]);
  LEFT_OUT(tn_desc_new, allocator, made != NULL);
  REFUSE(tn_desc_new, allocator, &(tn_allocator){NULL, NULL, NULL}, &none, &e);
  REFUSE(tn_desc_new, desc, NULL, NULL, &e);
  tn_desc_free(made);
  HARMLESS(tn_desc_free, desc, DONE(tn_desc_free(NULL)));
  REFUSE(tn_desc_read, desc, NULL, "x", &e);
  REFUSE(tn_desc_read, path, desc, NULL, &e);
  REFUSE(tn_desc_parse, desc, NULL, "m", "{}", 2, &e);
  LEFT_OUT(tn_desc_parse, name, tn_desc_parse(desc, NULL, MODEL, strlen(MODEL), &e) == TN_OK);
  REFUSE(tn_desc_parse, text, desc, "m", NULL, 2, &e);
  REFUSE(tn_desc_number, desc, NULL, "/x", 1, &e);
  REFUSE(tn_desc_number, pointer, desc, NULL, 1, &e);
  REFUSE(tn_desc_numbers, desc, NULL, "/x", 1, &(double){1}, &e);
  REFUSE(tn_desc_numbers, pointer, desc, NULL, 1, &(double){1}, &e);
  REFUSE(tn_desc_numbers, values, desc, "/x", 1, NULL, &e);
  REFUSE(tn_desc_text, desc, NULL, "/x", "a", &e);
  REFUSE(tn_desc_text, pointer, desc, NULL, "a", &e);
  REFUSE(tn_desc_text, text, desc, "/x", NULL, &e);
  REFUSE(tn_desc_json, desc, NULL, "/x", "1", &e);
  REFUSE(tn_desc_json, pointer, desc, NULL, "1", &e);
  REFUSE(tn_desc_json, json, desc, "/x", NULL, &e);
  REFUSE(tn_desc_part, desc, NULL, "/x", "a", &e);
  REFUSE(tn_desc_part, pointer, desc, NULL, "a", &e);
  REFUSE(tn_desc_part, part, desc, "/x", NULL, &e);
  HARMLESS(tn_desc_remove, desc, DONE(tn_desc_remove(NULL, "/x")));
  HARMLESS(tn_desc_remove, pointer, DONE(tn_desc_remove(desc, NULL)));
  HARMLESS(tn_desc_has, desc, !tn_desc_has(NULL, "/x"));
  HARMLESS(tn_desc_has, pointer, !tn_desc_has(desc, NULL));
  REFUSE(tn_desc_settings, desc, NULL, 1, set, &e);
  REFUSE(tn_desc_settings, setting, desc, 1, NULL, &e);
  REFUSE(tn_desc_settings, setting.name, desc, 1, &(tn_setting){NULL, "1"}, &e);
  REFUSE(tn_desc_settings, setting.value, desc, 1, &(tn_setting){"until", NULL}, &e);
  REFUSE(tn_desc_print, desc, NULL, no_text, NULL, &e);
  REFUSE(tn_desc_print, write, desc, NULL, NULL, &e);
}

static void try_models(void) {
  tn_model *none;
  tn_model_info info = {.bodies = 7};
  char text[8];
  REFUSE(tn_compile, desc, NULL, &none, &e);
  REFUSE(tn_compile, model, desc, NULL, &e);
  HARMLESS(tn_model_free, model, DONE(tn_model_free(NULL)));
  HARMLESS(tn_model_get_info, model, DONE(tn_model_get_info(NULL, &info)) && !info.bodies && !info.title);
  HARMLESS(tn_model_get_info, info, DONE(tn_model_get_info(model, NULL)));
  HARMLESS(tn_model_stabilizer, model, !tn_model_stabilizer(NULL, 0));
  HARMLESS(tn_model_settings, model, tn_model_settings(NULL, text, sizeof text) == 0 && !text[0]);
  HARMLESS(tn_model_settings, text, tn_model_settings(model, NULL, 9) > 9);
  REFUSE(tn_model_print, model, NULL, no_text, NULL, &e);
  REFUSE(tn_model_print, write, model, NULL, NULL, &e);
  REFUSE(tn_schema_print, write, NULL, NULL);
  HARMLESS(tn_model_warnings, model, tn_model_warnings(NULL) == 0);
  HARMLESS(tn_model_file, model, !tn_model_file(NULL, 0));
  HARMLESS(tn_model_warning, model, !tn_model_warning(NULL, 0));
}

static void try_simulations(void) {
  tn_sim *none;
  tn_drift drift;
  tn_bad_output bad;
  tn_eval eval;
  tn_run_fact fact;
  tn_fired fired;
  tn_impulse impulse;
  double x;
  bool on;
  REFUSE(tn_sim_new, model, NULL, &none, &e);
  REFUSE(tn_sim_new, sim, model, NULL, &e);
  HARMLESS(tn_sim_free, sim, DONE(tn_sim_free(NULL)));
  REFUSE(tn_sim_start, sim, NULL, &e);
  REFUSE(tn_sim_advance, sim, NULL, 1, &e);
  REFUSE(tn_sim_run, sim, NULL, no_row, NULL, &e);
  LEFT_OUT(tn_sim_run, row, tn_sim_run(sim, NULL, NULL, &e) == TN_OK);
  HARMLESS(tn_sim_watch, sim, DONE(tn_sim_watch(NULL, NULL, NULL)));
  LEFT_OUT(tn_sim_watch, watch, DONE(tn_sim_watch(sim, NULL, NULL)));
  REFUSE(tn_sim_save, sim, NULL, no_text, NULL, &e);
  REFUSE(tn_sim_save, write, sim, NULL, NULL, &e);
  REFUSE(tn_sim_load, sim, NULL, "x", 1, &e);
  REFUSE(tn_sim_load, data, sim, NULL, 0, &e);
  HARMLESS(tn_sim_columns, sim, tn_sim_columns(NULL) == 0);
  HARMLESS(tn_sim_column, sim, !tn_sim_column(NULL, 0));
  HARMLESS(tn_sim_column_unit, sim, !tn_sim_column_unit(NULL, 0));
  HARMLESS(tn_sim_time, sim, isnan(tn_sim_time(NULL)));
  HARMLESS(tn_sim_coordinates, sim, tn_sim_coordinates(NULL) == 0);
  HARMLESS(tn_sim_speeds, sim, tn_sim_speeds(NULL) == 0);
  HARMLESS(tn_sim_q, sim, !tn_sim_q(NULL));
  HARMLESS(tn_sim_u, sim, !tn_sim_u(NULL));
  REFUSE(tn_sim_set, sim, NULL, 0, NULL, NULL, true, &e);
  LEFT_OUT(tn_sim_set, q, tn_sim_set(sim, 0, NULL, tn_sim_u(sim), true, &e) == TN_OK);
  LEFT_OUT(tn_sim_set, u, tn_sim_set(sim, 0, tn_sim_q(sim), NULL, true, &e) == TN_OK);
  HARMLESS(tn_sim_remembered, sim, tn_sim_remembered(NULL) == 0);
  HARMLESS(tn_sim_memory, sim, !tn_sim_memory(NULL));
  REFUSE(tn_sim_remember, sim, NULL, &x, &e);
  CHECK(tn_sim_remembered(sim) > 0 && tn_sim_states(sim) > 0);
  REFUSE(tn_sim_remember, memory, sim, NULL, &e);
  HARMLESS(tn_sim_drift, sim, !tn_sim_drift(NULL, 0, &drift));
  HARMLESS(tn_sim_drift, drift, !tn_sim_drift(sim, 0, NULL));
  HARMLESS(tn_sim_bad_output, sim, !tn_sim_bad_output(NULL, 0, &bad));
  HARMLESS(tn_sim_bad_output, bad, !tn_sim_bad_output(sim, 0, NULL));
  HARMLESS(tn_sim_states, sim, tn_sim_states(NULL) == 0);
  HARMLESS(tn_sim_state, sim, !tn_sim_state(NULL));
  HARMLESS(tn_sim_state_name, sim, !tn_sim_state_name(NULL, 0));
  REFUSE(tn_sim_set_state, sim, NULL, &x, &e);
  REFUSE(tn_sim_set_state, state, sim, NULL, &e);
  REFUSE(tn_sim_channel, sim, NULL, "p.angle", &x, &e);
  REFUSE(tn_sim_channel, name, sim, NULL, &x, &e);
  REFUSE(tn_sim_channel, value, sim, "p.angle", NULL, &e);
  static const char *const angle[] = {"p.angle"};
  double many[256];
  REFUSE(tn_sim_channels, sim, NULL, 1, angle, &x, &e);
  REFUSE(tn_sim_channels, name, sim, 1, NULL, &x, &e);
  REFUSE(tn_sim_channels, value, sim, 1, angle, NULL, &e);
  REFUSE(tn_sim_outputs, sim, NULL, many, &e);
  REFUSE(tn_sim_outputs, value, sim, NULL, &e);
  HARMLESS(tn_sim_bodies, sim, tn_sim_bodies(NULL) == 0);
  HARMLESS(tn_sim_body, sim, !tn_sim_body(NULL, 0));
  HARMLESS(tn_sim_pose_size, sim, tn_sim_pose_size(NULL) == 0);
  REFUSE(tn_sim_poses, sim, NULL, many, &e);
  REFUSE(tn_sim_poses, pose, sim, NULL, &e);
  REFUSE(tn_sim_eval_at, sim, NULL, 0, NULL, NULL, NULL, &eval, &e);
  const double *const q = tn_sim_q(sim), *const u = tn_sim_u(sim), *const state = tn_sim_state(sim);
  LEFT_OUT(tn_sim_eval_at, q, tn_sim_eval_at(sim, 0, NULL, u, state, &eval, &e) == TN_OK);
  LEFT_OUT(tn_sim_eval_at, u, tn_sim_eval_at(sim, 0, q, NULL, state, &eval, &e) == TN_OK);
  LEFT_OUT(tn_sim_eval_at, state, tn_sim_eval_at(sim, 0, q, u, NULL, &eval, &e) == TN_OK);
  REFUSE(tn_sim_eval_at, eval, sim, 0, q, u, state, NULL, &e);
  double *const a = many, *const b = many + 64, *const c = many + 128, *const d = many + 192;
  REFUSE(tn_sim_rates, sim, NULL, 0, q, u, state, a, b, c, d, &e);
  LEFT_OUT(tn_sim_rates, q, tn_sim_rates(sim, 0, NULL, u, state, a, b, c, d, &e) == TN_OK);
  LEFT_OUT(tn_sim_rates, u, tn_sim_rates(sim, 0, q, NULL, state, a, b, c, d, &e) == TN_OK);
  LEFT_OUT(tn_sim_rates, state, tn_sim_rates(sim, 0, q, u, NULL, a, b, c, d, &e) == TN_OK);
  LEFT_OUT(tn_sim_rates, qdot, tn_sim_rates(sim, 0, q, u, state, NULL, b, c, d, &e) == TN_OK);
  LEFT_OUT(tn_sim_rates, udot, tn_sim_rates(sim, 0, q, u, state, a, NULL, c, d, &e) == TN_OK);
  LEFT_OUT(tn_sim_rates, state_rate, tn_sim_rates(sim, 0, q, u, state, a, b, NULL, d, &e) == TN_OK);
  LEFT_OUT(tn_sim_rates, lambda, tn_sim_rates(sim, 0, q, u, state, a, b, c, NULL, &e) == TN_OK);
  REFUSE(tn_sim_eval, sim, NULL, &eval, &e);
  REFUSE(tn_sim_eval, eval, sim, NULL, &e);
  REFUSE(tn_sim_coriolis, sim, NULL, &x, &e);
  REFUSE(tn_sim_coriolis, matrix, sim, NULL, &e);
  HARMLESS(tn_sim_coordinate, sim, !tn_sim_coordinate(NULL, 0));
  HARMLESS(tn_sim_speed, sim, !tn_sim_speed(NULL, 0));
  HARMLESS(tn_sim_row_joint, sim, !tn_sim_row_joint(NULL, 0));
  HARMLESS(tn_sim_summary, sim, !tn_sim_summary(NULL));
  HARMLESS(tn_sim_fact, sim, !tn_sim_fact(NULL, 0, &fact));
  HARMLESS(tn_sim_fact, fact, !tn_sim_fact(sim, 0, NULL));
  HARMLESS(tn_sim_is_long, sim, !tn_sim_is_long(NULL));
  HARMLESS(tn_sim_events, sim, tn_sim_events(NULL) == 0);
  HARMLESS(tn_sim_event, sim, !tn_sim_event(NULL, 0));
  HARMLESS(tn_sim_fired, sim, !tn_sim_fired(NULL, 0, &fired));
  HARMLESS(tn_sim_fired, fired, !tn_sim_fired(sim, 0, NULL));
  HARMLESS(tn_sim_impulse, sim, !tn_sim_impulse(NULL, 0, &impulse));
  HARMLESS(tn_sim_impulse, impulse, !tn_sim_impulse(sim, 0, NULL));
  HARMLESS(tn_sim_parameters, sim, tn_sim_parameters(NULL) == 0);
  HARMLESS(tn_sim_parameter_name, sim, !tn_sim_parameter_name(NULL, 0));
  HARMLESS(tn_sim_parameter, sim, isnan(tn_sim_parameter(NULL, 0)));
  REFUSE(tn_sim_set_parameter, sim, NULL, "k", 1, &e);
  REFUSE(tn_sim_set_parameter, name, sim, NULL, 1, &e);
  REFUSE(tn_sim_switch, sim, NULL, "l", true, &e);
  REFUSE(tn_sim_switch, name, sim, NULL, true, &e);
  REFUSE(tn_sim_is_on, sim, NULL, "l", &on, &e);
  REFUSE(tn_sim_is_on, name, sim, NULL, &on, &e);
  REFUSE(tn_sim_is_on, on, sim, "l", NULL, &e);
}

static void try_results(void) {
  tn_recorder *r = NULL, *none;
  tn_result *result = NULL, *no_result;
  tn_run_verdict verdict;
  long length;
  int first;
  char name[16];
  const double x[8] = {0};
  const int n = tn_sim_columns(sim);
  REFUSE(tn_recorder_new, sim, NULL, desc, "m", no_text, NULL, &none, &e);
  REFUSE(tn_recorder_new, desc, sim, NULL, "m", no_text, NULL, &none, &e);
  REFUSE(tn_recorder_new, model_name, sim, desc, NULL, no_text, NULL, &none, &e);
  REFUSE(tn_recorder_new, write, sim, desc, "m", NULL, NULL, &none, &e);
  REFUSE(tn_recorder_new, recorder, sim, desc, "m", no_text, NULL, NULL, &e);
  FILE *file = fopen("arguments.tnr", "wb");
  if (!file || n > 8 || tn_recorder_new(sim, desc, "m", to_file, file, &r, &e)) abort();
  HARMLESS(tn_recorder_free, recorder, DONE(tn_recorder_free(NULL)));
  REFUSE(tn_recorder_row, recorder, NULL, 0, n, x);
  REFUSE(tn_recorder_row, values, r, 0, n, NULL);
  REFUSE(tn_recorder_flush, recorder, NULL);
  REFUSE(tn_recorder_tail, recorder, NULL, no_text, NULL);
  REFUSE(tn_recorder_tail, write, r, NULL, NULL);
  REFUSE(tn_recorder_save, recorder, NULL, no_text, NULL, &e);
  REFUSE(tn_recorder_save, write, r, NULL, NULL, &e);
  REFUSE(tn_recorder_resume, sim, NULL, "x", "x", 1, no_text, NULL, &none, &length, &e);
  REFUSE(tn_recorder_resume, path, sim, NULL, "x", 1, no_text, NULL, &none, &length, &e);
  REFUSE(tn_recorder_resume, state, sim, "x", NULL, 1, no_text, NULL, &none, &length, &e);
  REFUSE(tn_recorder_resume, write, sim, "x", "x", 1, NULL, NULL, &none, &length, &e);
  REFUSE(tn_recorder_resume, recorder, sim, "x", "x", 1, no_text, NULL, NULL, &length, &e);
  REFUSE(tn_recorder_resume, length, sim, "x", "x", 1, no_text, NULL, &none, NULL, &e);
  REFUSE(tn_recorder_end, recorder, NULL, sim, "m", no_report);
  REFUSE(tn_recorder_end, sim, r, NULL, "m", no_report);
  REFUSE(tn_recorder_end, model_name, r, sim, NULL, no_report);
  REFUSE(tn_recorder_end, report, r, sim, "m", NULL);
  CHECK(tn_recorder_row(r, 0, n, x) == TN_OK && tn_recorder_end(r, sim, "m", no_report) == TN_OK);
  tn_recorder_free(r);
  fclose(file);
  LEFT_OUT(tn_result_open, allocator, tn_result_open(NULL, "arguments.tnr", &result, &e) == TN_OK);
  REFUSE(tn_result_open, allocator, &(tn_allocator){NULL, NULL, NULL}, "arguments.tnr", &no_result, &e);
  REFUSE(tn_result_open, path, NULL, NULL, &no_result, &e);
  REFUSE(tn_result_open, result, NULL, "arguments.tnr", NULL, &e);
  HARMLESS(tn_result_close, result, DONE(tn_result_close(NULL)));
  HARMLESS(tn_result_rows, result, tn_result_rows(NULL) == 0);
  HARMLESS(tn_result_columns, result, tn_result_columns(NULL) == 0);
  HARMLESS(tn_result_column, result, !tn_result_column(NULL, 0));
  HARMLESS(tn_result_unit, result, !tn_result_unit(NULL, 0));
  HARMLESS(tn_result_name, result, !tn_result_name(NULL));
  HARMLESS(tn_result_title, result, !tn_result_title(NULL));
  HARMLESS(tn_result_model, result, !tn_result_model(NULL));
  HARMLESS(tn_result_settings, result, !tn_result_settings(NULL));
  HARMLESS(tn_result_summary, result, !tn_result_summary(NULL));
  HARMLESS(tn_result_verdict, result, !tn_result_verdict(NULL, &verdict));
  HARMLESS(tn_result_verdict, verdict, !tn_result_verdict(result, NULL));
  tn_gap gap;
  REFUSE(tn_result_check, result, NULL, NULL, &e);
  LEFT_OUT(tn_result_check, fault, tn_result_check(result, NULL, &e) == TN_OK);
  REFUSE(tn_result_recover, result, NULL, &e);
  HARMLESS(tn_result_gap, result, !tn_result_gap(NULL, 0, &gap));
  HARMLESS(tn_result_gap, gap, !tn_result_gap(result, 0, NULL));
  HARMLESS(tn_result_missing, result, tn_result_missing(NULL, 0, (char[2]){0}, 2) == 0);
  HARMLESS(tn_result_missing, text, tn_result_missing(result, 0, NULL, 0) == 0);
  REFUSE(tn_result_each, result, NULL, no_row, NULL, &e);
  REFUSE(tn_result_each, row, result, NULL, NULL, &e);
  HARMLESS(tn_result_groups, result, tn_result_groups(NULL) == 0);
  HARMLESS(tn_result_group, result, tn_result_group(NULL, 0, name, sizeof name, &first) == 0);
  LEFT_OUT(tn_result_group, name, tn_result_group(result, 0, NULL, 9, &first) == 1);
  HARMLESS(tn_result_group, first, tn_result_group(result, 0, name, sizeof name, NULL) == 0);
  REFUSE(tn_result_csv, result, NULL, no_text, NULL, &e);
  REFUSE(tn_result_csv, write, result, NULL, NULL, &e);
  REFUSE(tn_result_npy, result, NULL, 0, no_text, NULL, &e);
  REFUSE(tn_result_npy, write, result, 0, NULL, NULL, &e);
  REFUSE(tn_result_svg, result, NULL, no_text, NULL, &e);
  REFUSE(tn_result_svg, write, result, NULL, NULL, &e);
  REFUSE(tn_result_poses, result, NULL, &(tn_poses){0, 1, 1}, false, no_text, NULL, &e);
  REFUSE(tn_result_poses, poses, result, NULL, false, no_text, NULL, &e);
  REFUSE(tn_result_poses, write, result, &(tn_poses){0, 1, 1}, false, NULL, NULL, &e);
  LEFT_OUT(tn_has_png, missing, (tn_has_png(NULL), true));
  LEFT_OUT(tn_has_pages, missing, tn_has_pages(NULL) == tn_has_pages(&(const char *){NULL}));
  REFUSE(tn_result_page, result, NULL, no_text, NULL, &e);
  REFUSE(tn_result_page, write, result, NULL, NULL, &e);
  REFUSE(tn_result_glb, result, NULL, no_text, NULL, &e);
  REFUSE(tn_result_glb, write, result, NULL, NULL, &e);
  tn_result_close(result);
}

static void try_reports(void) {
  static const char *const names[] = {"rk4"};
  static const char *const no_names[] = {NULL};
  const double x = 0;
  REFUSE(tn_csv_head, sim, NULL, no_text, NULL);
  REFUSE(tn_csv_head, write, sim, NULL, NULL);
  REFUSE(tn_csv_row, values, 0, 1, NULL, no_text, NULL);
  REFUSE(tn_csv_row, write, 0, 1, &x, NULL, NULL);
  REFUSE(tn_report_json, sim, NULL, "m", no_text, NULL);
  REFUSE(tn_report_json, model_name, sim, NULL, no_text, NULL);
  REFUSE(tn_report_json, write, sim, "m", NULL, NULL);
  REFUSE(tn_report_failure, error, NULL, "m", no_text, NULL);
  REFUSE(tn_report_failure, model_name, &(tn_error){TN_OK}, NULL, no_text, NULL);
  REFUSE(tn_report_failure, write, &(tn_error){TN_OK}, "m", NULL, NULL);
  REFUSE(tn_report_text, sim, NULL, "m", no_text, NULL);
  REFUSE(tn_report_text, model_name, sim, NULL, no_text, NULL);
  REFUSE(tn_report_text, write, sim, "m", NULL, NULL);
  REFUSE(tn_report_text_all, sim, NULL, "m", no_text, NULL);
  REFUSE(tn_report_text_all, model_name, sim, NULL, no_text, NULL);
  REFUSE(tn_report_text_all, write, sim, "m", NULL, NULL);
  REFUSE(tn_report_check_text, sim, NULL, "m", no_text, NULL);
  REFUSE(tn_report_check_text, model_name, sim, NULL, no_text, NULL);
  REFUSE(tn_report_check_text, write, sim, "m", NULL, NULL);
  REFUSE(tn_report_check_json, sim, NULL, "m", no_text, NULL);
  REFUSE(tn_report_check_json, model_name, sim, NULL, no_text, NULL);
  REFUSE(tn_report_check_json, write, sim, "m", NULL, NULL);
  REFUSE(tn_report_eval, sim, NULL, "m", no_text, NULL, &e);
  REFUSE(tn_report_eval, model_name, sim, NULL, no_text, NULL, &e);
  REFUSE(tn_report_eval, write, sim, "m", NULL, NULL, &e);
  REFUSE(tn_report_stability_text, integrator, NULL, no_text, NULL, &e);
  REFUSE(tn_report_stability_text, write, "rk4", NULL, NULL, &e);
  REFUSE(tn_report_stability_json, integrator, NULL, no_text, NULL, &e);
  REFUSE(tn_report_stability_json, write, "rk4", NULL, NULL, &e);
  REFUSE(tn_report_stability_csv, integrator, NULL, no_text, NULL, &e);
  REFUSE(tn_report_stability_csv, write, "rk4", NULL, NULL, &e);
  REFUSE(tn_report_stability_page, integrators, 1, NULL, "c", no_text, NULL, &e);
  REFUSE(tn_report_stability_page, integrators, 1, no_names, "c", no_text, NULL, &e);
  REFUSE(tn_report_stability_page, command, 1, names, NULL, no_text, NULL, &e);
  REFUSE(tn_report_stability_page, write, 1, names, "c", NULL, NULL, &e);
  REFUSE(tn_report_surface_text, stabilizer, NULL, no_text, NULL, &e);
  REFUSE(tn_report_surface_text, write, "fuzzy", NULL, NULL, &e);
  REFUSE(tn_report_surface_json, stabilizer, NULL, no_text, NULL, &e);
  REFUSE(tn_report_surface_json, write, "fuzzy", NULL, NULL, &e);
  REFUSE(tn_report_surface_csv, stabilizer, NULL, no_text, NULL, &e);
  REFUSE(tn_report_surface_csv, write, "fuzzy", NULL, NULL, &e);
  REFUSE(tn_report_surface_page, stabilizer, NULL, "c", no_text, NULL, &e);
  REFUSE(tn_report_surface_page, command, "fuzzy", NULL, no_text, NULL, &e);
  REFUSE(tn_report_surface_page, write, "fuzzy", "c", NULL, NULL, &e);
  HARMLESS(tn_list_name, kind, !tn_list_name(NULL, 0));
  HARMLESS(tn_list_doc, kind, !tn_list_doc(NULL, 0));
  LEFT_OUT(tn_list_print, kind, tn_list_print(NULL, "rk4", false, no_text, NULL, &e) == TN_OK);
  LEFT_OUT(tn_list_print, name, tn_list_print("joint", NULL, false, no_text, NULL, &e) == TN_OK);
  REFUSE(tn_list_print, write, NULL, NULL, false, NULL, NULL, &e);
}

static void try_solver(tn_solver *solver, const tn_system *system) {
  static const tn_projection by = {.metric = TN_METRIC_MASS};
  double x[64] = {0}, y[64] = {0};
  int which = 7, column[64];
  bool changed = false, dependent[64] = {false};
  REFUSE(tn_solver_evaluate_at, solver, NULL, TN_EVALUATE_MOTION, 0, x, x);
  REFUSE(tn_solver_evaluate_at, q, solver, TN_EVALUATE_MOTION, 0, NULL, x);
  REFUSE(tn_solver_evaluate_at, u, solver, TN_EVALUATE_MOTION, 0, x, NULL);
  HARMLESS(tn_solver_rows_times, solver, DONE(tn_solver_rows_times(NULL, x, y)));
  HARMLESS(tn_solver_rows_times, x, DONE(tn_solver_rows_times(solver, NULL, y)));
  HARMLESS(tn_solver_rows_times, r, DONE(tn_solver_rows_times(solver, x, NULL)));
  HARMLESS(tn_violation, system, isnan(tn_violation(NULL, x, 1, &which)) && which == 0);
  HARMLESS(tn_violation, rows, isnan(tn_violation(system, NULL, 1, NULL)));
  LEFT_OUT(tn_violation, which, tn_violation(system, x, 1, NULL) == 0);
  REFUSE(tn_solver_fail, solver, NULL, TN_E_RUN, "x");
  REFUSE(tn_solver_fail, format, solver, TN_E_RUN, NULL);
  REFUSE(tn_solver_project, solver, NULL, &by, 0, x, y, &changed);
  REFUSE(tn_solver_project, how, solver, NULL, 0, x, y, &changed);
  REFUSE(tn_solver_project, q, solver, &by, 0, NULL, y, &changed);
  REFUSE(tn_solver_project, u, solver, &by, 0, x, NULL, &changed);
  REFUSE(tn_solver_project, changed, solver, &by, 0, x, y, NULL);
  REFUSE(tn_solver_guard, solver, NULL, 1, 1, 0, x, y, &changed);
  REFUSE(tn_solver_guard, q, solver, 1, 1, 0, NULL, y, &changed);
  REFUSE(tn_solver_guard, u, solver, 1, 1, 0, x, NULL, &changed);
  REFUSE(tn_solver_guard, changed, solver, 1, 1, 0, x, y, NULL);
  HARMLESS(tn_solver_filter, solver, DONE(tn_solver_filter(NULL, &by, x, x, y, y)));
  HARMLESS(tn_solver_filter, how, DONE(tn_solver_filter(solver, NULL, x, x, y, y)));
  HARMLESS(tn_solver_filter, dq, DONE(tn_solver_filter(solver, &by, NULL, x, y, y)));
  HARMLESS(tn_solver_filter, du, DONE(tn_solver_filter(solver, &by, x, NULL, y, y)));
  HARMLESS(tn_solver_filter, taken_position, DONE(tn_solver_filter(solver, &by, x, x, NULL, y)));
  HARMLESS(tn_solver_filter, taken_velocity, DONE(tn_solver_filter(solver, &by, x, x, y, NULL)));
  HARMLESS(tn_solver_dependent, solver, tn_solver_dependent(NULL, false, column) == 0);
  HARMLESS(tn_solver_dependent, column, tn_solver_dependent(solver, false, NULL) == 0);
  HARMLESS(tn_solver_has_penalized, solver, !tn_solver_has_penalized(NULL));
  REFUSE(tn_solver_penalized, solver, NULL, false, 1, 1, dependent, x, y);
  REFUSE(tn_solver_penalized, dependent, solver, false, 1, 1, NULL, x, y);
  LEFT_OUT(tn_solver_penalized, far, DONE(tn_solver_penalized(solver, false, 1, 1, dependent, NULL, y)));
  REFUSE(tn_solver_penalized, x, solver, false, 1, 1, dependent, x, NULL);
  HARMLESS(tn_solver_penalized_slope, solver, isnan(tn_solver_penalized_slope(NULL, 1, 1, dependent, x)));
  HARMLESS(tn_solver_penalized_slope, dependent, isnan(tn_solver_penalized_slope(solver, 1, 1, NULL, x)));
  HARMLESS(tn_solver_penalized_slope, far, isnan(tn_solver_penalized_slope(solver, 1, 1, dependent, NULL)));
}

static void try_workspaces(void) {
  static const tn_array arrays[] = {{.name = "x", .rows = TN_N, .kept = true}, {.name = NULL}};
  static const tn_workspace of = {sizeof(double *), arrays};
  static double memory[64];
  const tn_sizes two = {.n = 2};
  tn_keep k = {.mode = TN_KEEP_MEASURE, .e = &e};
  HARMLESS(tn_workspace_size, workspace, tn_workspace_size(NULL, NULL, two) == 0);
  LEFT_OUT(tn_workspace_size, self, tn_workspace_size(&of, NULL, two) <= sizeof memory);
  HARMLESS(tn_workspace_ready, workspace, !tn_workspace_ready(NULL, NULL, memory, two));
  HARMLESS(tn_workspace_ready, work, !tn_workspace_ready(&of, NULL, NULL, two));
  LEFT_OUT(tn_workspace_ready, self, tn_workspace_ready(&of, NULL, memory, two) == memory);
  HARMLESS(tn_workspace_start, workspace, !tn_workspace_start(NULL, NULL, memory, two));
  HARMLESS(tn_workspace_start, work, !tn_workspace_start(&of, NULL, NULL, two));
  LEFT_OUT(tn_workspace_start, self, tn_workspace_start(&of, NULL, memory, two) == memory);
  HARMLESS(tn_workspace_keep, workspace, DONE(tn_workspace_keep(NULL, NULL, memory, two, &k)) && k.size == 0);
  HARMLESS(tn_workspace_keep, work, DONE(tn_workspace_keep(&of, NULL, NULL, two, &k)) && k.size == 0);
  HARMLESS(tn_workspace_keep, keep, DONE(tn_workspace_keep(&of, NULL, memory, two, NULL)));
  LEFT_OUT(tn_workspace_keep, self, DONE(tn_workspace_keep(&of, NULL, memory, two, &k)) && k.size > 16);
}

static int formatted(char *text, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = tn_vformat(text, size, format, list);
  va_end(list);
  return n;
}

static void try_dense(void) {
  double A[4] = {1, 0, 0, 1}, B[4] = {0}, x[2] = {1, 1}, y[2] = {0};
  int pivot[2] = {0, 1};
  char text[8];
  HARMLESS(tn_cholesky, A, !tn_cholesky(2, NULL));
  HARMLESS(tn_cholesky_down, L, DONE(tn_cholesky_down(2, NULL, x)));
  HARMLESS(tn_cholesky_down, x, DONE(tn_cholesky_down(2, A, NULL)));
  HARMLESS(tn_cholesky_up, L, DONE(tn_cholesky_up(2, NULL, x)));
  HARMLESS(tn_cholesky_up, x, DONE(tn_cholesky_up(2, A, NULL)));
  HARMLESS(tn_lu_factor, A, !tn_lu_factor(2, NULL, pivot));
  HARMLESS(tn_lu_factor, pivot, !tn_lu_factor(2, A, NULL));
  HARMLESS(tn_lu_solve, LU, DONE(tn_lu_solve(2, NULL, pivot, x)));
  HARMLESS(tn_lu_solve, pivot, DONE(tn_lu_solve(2, A, NULL, x)));
  HARMLESS(tn_lu_solve, x, DONE(tn_lu_solve(2, A, pivot, NULL)));
  HARMLESS(tn_lu_factor_complex, A, !tn_lu_factor_complex(2, NULL, B, pivot));
  HARMLESS(tn_lu_factor_complex, B, !tn_lu_factor_complex(2, A, NULL, pivot));
  HARMLESS(tn_lu_factor_complex, pivot, !tn_lu_factor_complex(2, A, B, NULL));
  HARMLESS(tn_lu_solve_complex, A, DONE(tn_lu_solve_complex(2, NULL, B, pivot, x, y)));
  HARMLESS(tn_lu_solve_complex, B, DONE(tn_lu_solve_complex(2, A, NULL, pivot, x, y)));
  HARMLESS(tn_lu_solve_complex, pivot, DONE(tn_lu_solve_complex(2, A, B, NULL, x, y)));
  HARMLESS(tn_lu_solve_complex, x, DONE(tn_lu_solve_complex(2, A, B, pivot, NULL, y)));
  HARMLESS(tn_lu_solve_complex, y, DONE(tn_lu_solve_complex(2, A, B, pivot, x, NULL)));
  HARMLESS(tn_spectral_radius, A, isnan(tn_spectral_radius(2, NULL)));
  HARMLESS(tn_vformat, text, formatted(NULL, 8, "abc") == 3);
  HARMLESS(tn_vformat, format, formatted(text, 8, NULL) == 0 && !text[0]);
  HARMLESS(tn_format, text, tn_format(NULL, 8, "abc") == 3);
  HARMLESS(tn_format, format, tn_format(text, 8, NULL) == 0 && !text[0]);
}

static void try_context(tn_context *ctx) {
  const int *speed;
  const bool *which;
  int n = 0;
  double x[2];
  tn_settings s = {.rows = 7};
  const tn_node *gravity = tn_context_value(ctx, "gravity");
  HARMLESS(tn_context_settings, ctx, DONE(tn_context_settings(NULL, &s)) && s.rows == 0);
  HARMLESS(tn_context_settings, settings, DONE(tn_context_settings(ctx, NULL)));
  HARMLESS(tn_context_hint, ctx, DONE(tn_context_hint(NULL, "x")));
  HARMLESS(tn_context_hint, format, DONE(tn_context_hint(ctx, NULL)));
  HARMLESS(tn_context_unstable, ctx, tn_context_unstable(NULL, NULL, 2, "h", "x") == TN_E_USAGE);
  LEFT_OUT(tn_context_unstable, key, tn_context_unstable(ctx, NULL, 2, "h", "x") == TN_E_MODEL);
  HARMLESS(tn_context_unstable, hint, tn_context_unstable(ctx, NULL, 2, NULL, "x") == TN_E_USAGE);
  HARMLESS(tn_context_unstable, format, tn_context_unstable(ctx, NULL, 2, "h", NULL) == TN_E_USAGE);
  HARMLESS(tn_context_use_dependent, ctx, DONE(tn_context_use_dependent(NULL)));
  HARMLESS(tn_context_use_penalty, ctx, DONE(tn_context_use_penalty(NULL)));
  HARMLESS(tn_context_value, ctx, gravity && !tn_context_value(NULL, "gravity"));
  HARMLESS(tn_context_value, key, !tn_context_value(ctx, NULL));
  HARMLESS(tn_node_items, value, tn_node_items(NULL) == -1 && tn_node_items(gravity) == 3);
  HARMLESS(tn_node_item, list, !tn_node_item(NULL, 0));
  HARMLESS(tn_context_numbers, ctx, tn_context_numbers(NULL, gravity, 3, x) == TN_E_USAGE);
  HARMLESS(tn_context_numbers, value, tn_context_numbers(ctx, NULL, 3, x) == TN_E_USAGE);
  HARMLESS(tn_context_numbers, x, tn_context_numbers(ctx, gravity, 3, NULL) == TN_E_USAGE);
  HARMLESS(tn_context_refuse, ctx, tn_context_refuse(NULL, gravity, "x") == TN_E_USAGE);
  LEFT_OUT(tn_context_refuse, value, tn_context_refuse(ctx, NULL, "x") == TN_E_MODEL);
  HARMLESS(tn_context_refuse, format, tn_context_refuse(ctx, gravity, NULL) == TN_E_USAGE);
  HARMLESS(tn_context_speeds, ctx, tn_context_speeds(NULL, "k", &speed, &n) == TN_E_USAGE);
  HARMLESS(tn_context_speeds, key, tn_context_speeds(ctx, NULL, &speed, &n) == TN_E_USAGE);
  HARMLESS(tn_context_speeds, speed, tn_context_speeds(ctx, "k", NULL, &n) == TN_E_USAGE);
  HARMLESS(tn_context_speeds, n, tn_context_speeds(ctx, "k", &speed, NULL) == TN_E_USAGE);
  HARMLESS(tn_context_speed_set, ctx, tn_context_speed_set(NULL, "k", &which) == TN_E_USAGE);
  HARMLESS(tn_context_speed_set, key, tn_context_speed_set(ctx, NULL, &which) == TN_E_USAGE);
  HARMLESS(tn_context_speed_set, which, tn_context_speed_set(ctx, "k", NULL) == TN_E_USAGE);
}

static void try_parts(void) {
  double x[64] = {0};
  int whole = 0;
  bool flag = false;
  tn_view view = {.rows = 7};
  tn_keep k;
  tn_solver *solver = &sim->solver;
  const tn_system *system = &solver->sys;
  tn_context ctx = {.e = &e, .root = desc->root, .node = desc->root, .m = model, .desc = desc, .arena = &model->arena};
  tn_context *const no_ctx = NULL;
#define KEPT(function, argument, ...)                                                                                  \
  k = (tn_keep){.mode = TN_KEEP_MEASURE, .e = &e};                                                                     \
  HARMLESS(function, argument, (function(__VA_ARGS__), k.failed))
  HARMLESS(tn_keep_group, keep, DONE(tn_keep_group(NULL, "g")));
  KEPT(tn_keep_group, name, &k, NULL);
  HARMLESS(tn_keep_numbers, keep, DONE(tn_keep_numbers(NULL, "n", 1, x)));
  KEPT(tn_keep_numbers, name, &k, NULL, 1, x);
  KEPT(tn_keep_numbers, x, &k, "n", 1, NULL);
  HARMLESS(tn_keep_finite, keep, DONE(tn_keep_finite(NULL, "n", 1, x)));
  KEPT(tn_keep_finite, name, &k, NULL, 1, x);
  KEPT(tn_keep_finite, x, &k, "n", 1, NULL);
  HARMLESS(tn_keep_ints, keep, DONE(tn_keep_ints(NULL, "n", 1, &whole, 0, 1)));
  KEPT(tn_keep_ints, name, &k, NULL, 1, &whole, 0, 1);
  KEPT(tn_keep_ints, x, &k, "n", 1, NULL, 0, 1);
  HARMLESS(tn_keep_flags, keep, DONE(tn_keep_flags(NULL, "n", 1, &flag)));
  KEPT(tn_keep_flags, name, &k, NULL, 1, &flag);
  KEPT(tn_keep_flags, x, &k, "n", 1, NULL);
#undef KEPT
  HARMLESS(tn_view_of, system, !tn_view_of(NULL) && tn_view_of(system) == &system->view);
  HARMLESS(tn_system_view, system, DONE(tn_system_view(NULL, &view)) && !view.rows && !view.q);
  HARMLESS(tn_system_view, view, DONE(tn_system_view(system, NULL)));
  HARMLESS(tn_solver_system, solver, !tn_solver_system(NULL));
  REFUSE(tn_solver_assemble, solver, NULL, 0, x, x);
  REFUSE(tn_solver_assemble, q, solver, 0, NULL, x);
  REFUSE(tn_solver_assemble, u, solver, 0, x, NULL);
  REFUSE(tn_solver_smallest, solver, NULL, true, x, x);
  REFUSE(tn_solver_smallest, r, solver, true, NULL, x);
  REFUSE(tn_solver_smallest, s, solver, true, x, NULL);
  HARMLESS(tn_solver_move, solver, DONE(tn_solver_move(NULL, x, x)));
  HARMLESS(tn_solver_move, q, DONE(tn_solver_move(solver, NULL, x)));
  HARMLESS(tn_solver_move, s, DONE(tn_solver_move(solver, x, NULL)));
  try_solver(solver, system);
  try_workspaces();
  try_dense();
  try_context(&ctx);
  HARMLESS(tn_context_fail, ctx, tn_context_fail(NULL, NULL, "x") == TN_E_USAGE);
  LEFT_OUT(tn_context_fail, key, tn_context_fail(&ctx, NULL, "x") == TN_E_MODEL);
  HARMLESS(tn_context_fail, format, tn_context_fail(&ctx, NULL, NULL) == TN_E_USAGE);
  HARMLESS(tn_context_warn, ctx, DONE(tn_context_warn(NULL, NULL, "x")));
  LEFT_OUT(tn_context_warn, key, DONE(tn_context_warn(&ctx, NULL, "x")) && model->warnings > 0);
  HARMLESS(tn_context_warn, format, DONE(tn_context_warn(&ctx, NULL, NULL)));
  HARMLESS(tn_context_alloc, ctx, !tn_context_alloc(no_ctx, 8));
  HARMLESS(tn_context_least_length, ctx, tn_context_least_length(no_ctx, 1) >= 0);
  HARMLESS(tn_context_on_bodies, ctx, !tn_context_on_bodies(no_ctx));
  HARMLESS(tn_running, system, isnan(tn_running(NULL, model->output[0].expr)));
  HARMLESS(tn_running, e, isnan(tn_running(system, NULL)));
  REFUSE(tn_desc_add_joint, desc, NULL, tn_joint_types[0], &e);
  REFUSE(tn_desc_add_joint, type, desc, NULL, &e);
  REFUSE(tn_desc_add_force, desc, NULL, tn_force_types[0], &e);
  REFUSE(tn_desc_add_force, type, desc, NULL, &e);
  REFUSE(tn_desc_add_coordinates, desc, NULL, tn_body_types[0], &e);
  REFUSE(tn_desc_add_coordinates, type, desc, NULL, &e);
  REFUSE(tn_desc_add_formulation, desc, NULL, tn_formulation_types[0], &e);
  REFUSE(tn_desc_add_formulation, type, desc, NULL, &e);
  REFUSE(tn_desc_add_stabilizer, desc, NULL, tn_stabilizer_types[0], &e);
  REFUSE(tn_desc_add_stabilizer, type, desc, NULL, &e);
  REFUSE(tn_desc_add_integrator, desc, NULL, tn_integrator_types[0], &e);
  REFUSE(tn_desc_add_integrator, type, desc, NULL, &e);
}

static const char STUDY[] = TN_SOURCE_DIR "/studies/hoang2023.json";

static const char *no_file(void *user, const char *path, size_t *size) {
  (void)user, (void)path, (void)size;
  return NULL;
}

static void try_studies(void) {
  tn_study *s = NULL, *none;
  LEFT_OUT(tn_study_read, allocator, tn_study_read(NULL, STUDY, &s, &e) == TN_OK);
  REFUSE(tn_study_read, allocator, &(tn_allocator){NULL, NULL, NULL}, STUDY, &none, &e);
  REFUSE(tn_study_read, path, NULL, NULL, &none, &e);
  REFUSE(tn_study_read, study, NULL, STUDY, NULL, &e);
  REFUSE(tn_study_read_from, allocator, &(tn_allocator){NULL, NULL, NULL}, STUDY, no_file, NULL, &none, &e);
  REFUSE(tn_study_read_from, path, NULL, NULL, no_file, NULL, &none, &e);
  REFUSE(tn_study_read_from, files, NULL, STUDY, NULL, NULL, &none, &e);
  REFUSE(tn_study_read_from, study, NULL, STUDY, no_file, NULL, NULL, &e);
  CHECK(tn_study_read_from(NULL, STUDY, no_file, NULL, &none, &e) == TN_E_IO && !none);
  HARMLESS(tn_study_free, study, DONE(tn_study_free(NULL)));
  HARMLESS(tn_study_paper, study, !tn_study_paper(NULL));
  HARMLESS(tn_study_title, study, !tn_study_title(NULL));
  HARMLESS(tn_study_file, study, !tn_study_file(NULL, 0));
  REFUSE(tn_study_run, study, NULL, NULL, &e);
  /* all rows, as the program does it; here there is no time for that */
  LEFT_OUT(tn_study_run, options, tn_study_run(s, &(tn_study_options){.only = "none of them"}, &e) == TN_OK);
  HARMLESS(tn_study_rows, study, tn_study_rows(NULL) == 0);
  HARMLESS(tn_study_row_at, study, !tn_study_row_at(NULL, 0));
  HARMLESS(tn_study_as_expected, study, !tn_study_as_expected(NULL));
  HARMLESS(tn_study_claim_at, study, !tn_study_claim_at(NULL, 0));
  tn_study_counts counts = {.claims = 1};
  tn_study_count(NULL, &counts);
  HARMLESS(tn_study_count, study, counts.claims == 0);
  tn_study_count(s, NULL);
  HARMLESS(tn_study_count, counts, true);
  HARMLESS(tn_study_assumption_at, study, !tn_study_assumption_at(NULL, 0));
  HARMLESS(tn_study_variation_at, study, !tn_study_variation_at(NULL, 0, 0));
  REFUSE(tn_study_vary, study, NULL, NULL, &e);
  LEFT_OUT(tn_study_vary, options, tn_study_vary(s, &(tn_study_options){.only = "none of them"}, &e) == TN_OK);
  HARMLESS(tn_study_varied_as_said, study, !tn_study_varied_as_said(NULL));
  REFUSE(tn_study_vary_text, study, NULL, no_text, NULL);
  REFUSE(tn_study_vary_text, write, s, NULL, NULL);
  REFUSE(tn_study_vary_json, study, NULL, no_text, NULL);
  REFUSE(tn_study_vary_json, write, s, NULL, NULL);
  REFUSE(tn_study_text, study, NULL, no_text, NULL);
  REFUSE(tn_study_text, write, s, NULL, NULL);
  REFUSE(tn_study_json, study, NULL, no_text, NULL);
  REFUSE(tn_study_json, write, s, NULL, NULL);
  HARMLESS(tn_study_curve, study, !tn_study_curve(NULL, 0));
  REFUSE(tn_study_curve_csv, study, NULL, 0, no_text, NULL);
  REFUSE(tn_study_curve_csv, write, s, 0, NULL, NULL);
  HARMLESS(tn_study_figures, study, tn_study_figures(NULL) == 0);
  HARMLESS(tn_study_figure_at, study, !tn_study_figure_at(NULL, 0));
  REFUSE(tn_study_figure_svg, study, NULL, 0, no_text, NULL, &e);
  REFUSE(tn_study_figure_svg, write, s, 0, NULL, NULL, &e);
  REFUSE(tn_study_figure_png, study, NULL, 0, no_text, NULL, &e);
  REFUSE(tn_study_figure_png, write, s, 0, NULL, NULL, &e);
  REFUSE(tn_study_figure_csv, study, NULL, 0, no_text, NULL, &e);
  REFUSE(tn_study_figure_csv, write, s, 0, NULL, NULL, &e);
  REFUSE(tn_study_page, study, NULL, "c", no_text, NULL, &e);
  REFUSE(tn_study_page, command, s, NULL, no_text, NULL, &e);
  REFUSE(tn_study_page, write, s, "c", NULL, NULL, &e);
  tn_study_free(s);
}

static void try_comparisons(void) {
  static const char *const method[] = {"project"}, *const none[] = {NULL};
  tn_compare *c = NULL, *no_compare;
  double error, until;
  int row = 7;
  const char *pages;
  const bool has_pages = tn_has_pages(&pages);
  if (tn_compare_run(desc, "m", &(tn_compare_options){.methods = 1, .method = method, .workers = 1}, &c, &e)) {
    FAIL("%s", e.message);
    return;
  }
  REFUSE(tn_compare_run, desc, NULL, "m", NULL, &no_compare, &e);
  REFUSE(tn_compare_run, model_name, desc, NULL, NULL, &no_compare, &e);
  REFUSE(tn_compare_run, compare, desc, "m", NULL, NULL, &e);
  REFUSE(tn_compare_run, options->method, desc, "m", &(tn_compare_options){.methods = 1}, &no_compare, &e);
  REFUSE(tn_compare_run, options->method, desc, "m", &(tn_compare_options){.methods = 1, .method = none}, &no_compare,
         &e);
  REFUSE(tn_compare_run, options->integrator, desc, "m", &(tn_compare_options){.integrators = 1}, &no_compare, &e);
  REFUSE(tn_compare_run, options->setting, desc, "m", &(tn_compare_options){.settings = 1}, &no_compare, &e);
  no_compare = NULL;
  LEFT_OUT(tn_compare_run, options, tn_compare_run(desc, "m", NULL, &no_compare, &e) == TN_OK);
  tn_compare_free(no_compare);
  HARMLESS(tn_compare_free, compare, DONE(tn_compare_free(NULL)));
  HARMLESS(tn_compare_rows, compare, tn_compare_rows(NULL) == 0);
  HARMLESS(tn_compare_row_at, compare, !tn_compare_row_at(NULL, 0));
  HARMLESS(tn_compare_reference, compare, !tn_compare_reference(NULL, &error, &until) && isnan(error) && isnan(until));
  LEFT_OUT(tn_compare_reference, error, tn_compare_reference(c, NULL, &until) && !isnan(until));
  LEFT_OUT(tn_compare_reference, until, tn_compare_reference(c, &error, NULL) && !isnan(error));
  HARMLESS(tn_compare_recommendation, compare, !tn_compare_recommendation(NULL, &row) && row == -1);
  LEFT_OUT(tn_compare_recommendation, row, tn_compare_recommendation(c, NULL));
  REFUSE(tn_compare_text, compare, NULL, no_text, NULL);
  REFUSE(tn_compare_text, write, c, NULL, NULL);
  REFUSE(tn_compare_json, compare, NULL, no_text, NULL);
  REFUSE(tn_compare_json, write, c, NULL, NULL);
  REFUSE(tn_compare_csv, compare, NULL, no_text, NULL);
  REFUSE(tn_compare_csv, write, c, NULL, NULL);
  REFUSE(tn_compare_curves, compare, NULL, no_text, NULL);
  REFUSE(tn_compare_curves, write, c, NULL, NULL);
  REFUSE(tn_compare_page, compare, NULL, "c", NULL, no_text, NULL, &e);
  REFUSE(tn_compare_page, command, c, NULL, NULL, no_text, NULL, &e);
  LEFT_OUT(tn_compare_page, run, (tn_compare_page(c, "c", NULL, no_text, NULL, &e) == TN_OK) == has_pages);
  REFUSE(tn_compare_page, write, c, "c", NULL, NULL, NULL, &e);
  tn_compare_free(c);
}

static const char SWEEP[] = TN_SOURCE_DIR "/sweeps/pendulum_grid.json";

static bool no_run(void *to, int run, tn_status status, const double *values, const char *failure) {
  (void)to, (void)run, (void)status, (void)values, (void)failure;
  return false;
}

static void try_tuning(void) {
  const tn_tune_options o = {.stabilizer = "baumgarte", .budget = 10, .workers = 1};
  const tn_tune_range range[] = {{NULL, 0, 0}};
  tn_tune *t = NULL, *no_tune;
  double from, to;
  if (tn_tune_run(desc, "m", &o, &t, &e)) {
    FAIL("%s", e.message);
    return;
  }
  REFUSE(tn_tune_run, desc, NULL, "m", &o, &no_tune, &e);
  REFUSE(tn_tune_run, model_name, desc, NULL, &o, &no_tune, &e);
  REFUSE(tn_tune_run, options, desc, "m", NULL, &no_tune, &e);
  REFUSE(tn_tune_run, options->stabilizer, desc, "m", &(tn_tune_options){.budget = 10}, &no_tune, &e);
  REFUSE(tn_tune_run, options->range, desc, "m", &(tn_tune_options){.stabilizer = "pid", .ranges = 1}, &no_tune, &e);
  REFUSE(tn_tune_run, options->range, desc, "m", &(tn_tune_options){.stabilizer = "pid", .ranges = 1, .range = range},
         &no_tune, &e);
  REFUSE(tn_tune_run, tune, desc, "m", &o, NULL, &e);
  HARMLESS(tn_tune_free, tune, DONE(tn_tune_free(NULL)));
  HARMLESS(tn_tune_parameters, tune, tn_tune_parameters(NULL) == 0);
  HARMLESS(tn_tune_parameter, tune, !tn_tune_parameter(NULL, 0, &from, &to) && isnan(from) && isnan(to));
  LEFT_OUT(tn_tune_parameter, from, tn_tune_parameter(t, 0, NULL, &to) && to > 0);
  LEFT_OUT(tn_tune_parameter, to, tn_tune_parameter(t, 0, &from, NULL) && from > 0);
  HARMLESS(tn_tune_rows, tune, tn_tune_rows(NULL) == 0);
  HARMLESS(tn_tune_row_at, tune, !tn_tune_row_at(NULL, 0));
  HARMLESS(tn_tune_best, tune, tn_tune_best(NULL) == -1);
  REFUSE(tn_tune_text, tune, NULL, no_text, NULL);
  REFUSE(tn_tune_text, write, t, NULL, NULL);
  REFUSE(tn_tune_json, tune, NULL, no_text, NULL);
  REFUSE(tn_tune_json, write, t, NULL, NULL);
  REFUSE(tn_tune_csv, tune, NULL, no_text, NULL);
  REFUSE(tn_tune_csv, write, t, NULL, NULL);
  tn_tune_free(t);
}

static void try_batches(void) {
  const tn_batch_options one = {.runs = 1};
  tn_batch_result result;
  double value[64];
  REFUSE(tn_batch_run, desc, NULL, &one, 1, 8, value, &result, &e);
  REFUSE(tn_batch_run, options, desc, NULL, 1, 8, value, &result, &e);
  REFUSE(tn_batch_run, value, desc, &one, 1, 8, NULL, &result, &e);
  REFUSE(tn_batch_run, result, desc, &one, 1, 8, value, NULL, &e);
}

static void try_sweeps(void) {
  tn_sweep *s = NULL, *none;
  tn_sweep_row row;
  tn_sensitivity sensitivity;
  char text[8], failure[512];
  double number, values[64];
  LEFT_OUT(tn_sweep_read, allocator, tn_sweep_read(NULL, SWEEP, &s, &e) == TN_OK);
  if (!s) return;
  REFUSE(tn_sweep_read, allocator, &(tn_allocator){NULL, NULL, NULL}, SWEEP, &none, &e);
  REFUSE(tn_sweep_read, path, NULL, NULL, &none, &e);
  REFUSE(tn_sweep_read, sweep, NULL, SWEEP, NULL, &e);
  HARMLESS(tn_sweep_free, sweep, DONE(tn_sweep_free(NULL)));
  HARMLESS(tn_sweep_title, sweep, !tn_sweep_title(NULL));
  HARMLESS(tn_sweep_fingerprint, sweep, !tn_sweep_fingerprint(NULL));
  HARMLESS(tn_sweep_file, sweep, !tn_sweep_file(NULL, 0));
  HARMLESS(tn_sweep_runs, sweep, tn_sweep_runs(NULL) == 0);
  HARMLESS(tn_sweep_parameters, sweep, tn_sweep_parameters(NULL) == 0);
  HARMLESS(tn_sweep_parameter, sweep, !tn_sweep_parameter(NULL, 0));
  HARMLESS(tn_sweep_measures, sweep, tn_sweep_measures(NULL) == 0);
  HARMLESS(tn_sweep_measure, sweep, !tn_sweep_measure(NULL, 0));
  HARMLESS(tn_sweep_values, sweep, tn_sweep_values(NULL) == 0);
  HARMLESS(tn_sweep_given_text, sweep, tn_sweep_given_text(NULL, 0, 0, text, sizeof text, &number) == -1);
  HARMLESS(tn_sweep_given_text, text, tn_sweep_given_text(s, 0, 0, NULL, 8, &number) > 0);
  LEFT_OUT(tn_sweep_given_text, number, tn_sweep_given_text(s, 0, 0, text, sizeof text, NULL) > 0);
  CHECK(tn_sweep_values(s) <= 64);
  REFUSE(tn_sweep_one, sweep, NULL, 0, NULL, NULL, values, failure);
  LEFT_OUT(tn_sweep_one, stop, tn_sweep_one(s, 0, NULL, NULL, values, failure) == TN_OK);
  REFUSE(tn_sweep_one, values, s, 0, NULL, NULL, NULL, failure);
  REFUSE(tn_sweep_one, failure, s, 0, NULL, NULL, values, NULL);
  HARMLESS(tn_sweep_threads, work, DONE(tn_sweep_threads(NULL, NULL)));
  tn_sweep_threads(NULL, &(tn_sweep_work){.sweep = s, .runs = 1, .done = no_run});
  REFUSE(tn_sweep_run, sweep, NULL, NULL, &e);
  REFUSE(tn_sweep_csv, sweep, NULL, no_text, NULL);
  REFUSE(tn_sweep_csv, write, s, NULL, NULL);
  REFUSE(tn_sweep_json, sweep, NULL, no_text, NULL);
  REFUSE(tn_sweep_json, write, s, NULL, NULL);
  REFUSE(tn_sweep_text, sweep, NULL, no_text, NULL);
  REFUSE(tn_sweep_text, write, s, NULL, NULL);
  REFUSE(tn_sweep_summary, sweep, NULL, no_text, NULL);
  REFUSE(tn_sweep_summary, write, s, NULL, NULL);
  REFUSE(tn_sweep_plan, sweep, NULL, no_text, NULL);
  REFUSE(tn_sweep_plan, write, s, NULL, NULL);
  REFUSE(tn_sweep_page, sweep, NULL, "c", no_text, NULL, &e);
  REFUSE(tn_sweep_page, command, s, NULL, no_text, NULL, &e);
  REFUSE(tn_sweep_page, write, s, "c", NULL, NULL, &e);
  HARMLESS(tn_sweep_row_at, sweep, !tn_sweep_row_at(NULL, 0, &row));
  HARMLESS(tn_sweep_row_at, row, !tn_sweep_row_at(s, 0, NULL));
  HARMLESS(tn_sweep_failed, sweep, tn_sweep_failed(NULL) == 0);
  HARMLESS(tn_sweep_count, sweep, tn_sweep_count(NULL, TN_TRUSTED) == 0);
  HARMLESS(tn_sweep_sensitivity, sweep, !tn_sweep_sensitivity(NULL, 0, &sensitivity));
  HARMLESS(tn_sweep_sensitivity, out, !tn_sweep_sensitivity(s, 0, NULL));
  LEFT_OUT(tn_sweep_run, options, tn_sweep_run(s, NULL, &e) == TN_OK);
  tn_sweep_free(s);
}

static void try_verifications(void) {
  tn_verify *v = NULL, *none;
  tn_verify_output output;
  tn_verify_event event;
  tn_sim *other;
  double t;
  if (tn_sim_new(model, &other, &e)) abort();
  REFUSE(tn_verify_new, desc, NULL, NULL, &none, &e);
  LEFT_OUT(tn_verify_new, options, tn_verify_new(desc, NULL, &v, &e) == TN_OK);
  REFUSE(tn_verify_new, verify, desc, NULL, NULL, &e);
  HARMLESS(tn_verify_free, verify, DONE(tn_verify_free(NULL)));
  REFUSE(tn_verify_run, verify, NULL, other, no_row, NULL, &e);
  REFUSE(tn_verify_run, sim, v, NULL, no_row, NULL, &e);
  LEFT_OUT(tn_verify_run, row, tn_verify_run(v, other, NULL, NULL, &e) == TN_OK);
  HARMLESS(tn_verify_result, verify, !tn_verify_result(NULL));
  HARMLESS(tn_verify_output_at, verify, !tn_verify_output_at(NULL, 0, &output));
  HARMLESS(tn_verify_output_at, out, !tn_verify_output_at(v, 0, NULL));
  HARMLESS(tn_verify_event_at, verify, !tn_verify_event_at(NULL, 0, &event));
  HARMLESS(tn_verify_event_at, out, !tn_verify_event_at(v, 0, NULL));
  REFUSE(tn_predictable_until, desc, NULL, 0, &t, &e);
  REFUSE(tn_predictable_until, t, desc, 0, NULL, &e);
  tn_verify_free(v);
  tn_sim_free(other);
}

/* ---- the headers --------------------------------------------------------------------------------------------------------- */

static char *header(const char *name) {
  static char text[200000];
  char path[512];
  snprintf(path, sizeof path, TN_SOURCE_DIR "/include/tenon/%s", name);
  FILE *file = fopen(path, "rb");
  const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[n] = 0;
  for (char *c = text; (c = strstr(c, "/*"));) { /* without comments */
    char *stop = strstr(c, "*/");
    if (!stop) abort();
    memset(c, ' ', (size_t)(stop + 2 - c));
  }
  return text;
}

static bool starts_with(const char *s, const char *word) {
  const size_t n = strlen(word);
  return strncmp(s, word, n) == 0 && !isalnum((unsigned char)s[n]) && s[n] != '_';
}

/* the name of an argument that could be NULL; false: it could not, or its meaning is the same everywhere */
static bool is_pointer(char *parameter, char *name, size_t size) {
  static const char *const functions[] = {"tn_write", "tn_row",  "tn_watch", "tn_report",
                                          "tn_stop",  "tn_farm", "tn_files"};
  while (isspace((unsigned char)*parameter)) parameter++;
  bool pointer = strpbrk(parameter, "*[") != NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    pointer = pointer || starts_with(parameter, functions[i]);
  char *end = strchr(parameter, '[');
  if (end) *end = 0;
  end = parameter + strlen(parameter);
  while (end > parameter && isspace((unsigned char)end[-1])) *--end = 0;
  while (end > parameter && (isalnum((unsigned char)end[-1]) || end[-1] == '_')) end--;
  snprintf(name, size, "%.30s", end);
  if (strcmp(parameter, "tn_error *error") == 0) return false; /* NULL: nobody wants to know */
  return pointer && strcmp(name, "user") != 0 && strcmp(name, "unused") != 0;
}

static int arguments_of(const char *file, argument *found, int n) {
  for (char *c = header(file); (c = strstr(c, "\nTN_API ")); c++) {
    char *open = strchr(c, '('), *close = strchr(c, ';');
    if (!open || open > close) continue; /* data */
    char *start = open;
    while (isalnum((unsigned char)start[-1]) || start[-1] == '_') start--;
    char function[48], list[600], *next;
    snprintf(function, sizeof function, "%.*s", (int)(open - start), start);
    snprintf(list, sizeof list, "%.*s", (int)(strrchr(open, ')') && close > open ? close - open - 2 : 0), open + 1);
    for (char *at = list; at; at = next) {
      char *comma = strchr(at, ',');
      next = comma ? comma + 1 : NULL;
      if (comma) *comma = 0;
      char name[32];
      if (!is_pointer(at, name, sizeof name)) continue;
      if (n == MOST) abort();
      snprintf(found[n].function, sizeof found->function, "%s", function);
      snprintf(found[n++].name, sizeof found->name, "%s", name);
    }
  }
  return n;
}

/* ---- from inside -------------------------------------------------------------------------------------------------------- */

static int meddled;

static bool meddle_with_study(void *user, int done, int all, const char *run) {
  (void)done, (void)all, (void)run;
  CHECK(tn_study_run(user, NULL, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "tn_study_run: not while");
  tn_study_free(user);
  meddled++;
  return true;
}

static bool meddle_with_sweep(void *user, const tn_sweep_progress *progress) {
  tn_error own;
  (void)progress;
  CHECK(tn_sweep_run(user, NULL, &own) == TN_E_USAGE);
  CHECK_HAS(own.message, "tn_sweep_run: not while");
  tn_sweep_free(user);
  meddled++;
  return true;
}

TEST(not_run_or_freed_from_inside) {
  tn_study *study = NULL;
  tn_sweep *sweep = NULL;
  tn_error own;
  if (tn_study_read(NULL, STUDY, &study, &own) || tn_sweep_read(NULL, SWEEP, &sweep, &own)) abort();
  meddled = 0;
  const tn_study_options options = {
      .only = tn_study_row_at(study, 0)->id, .quick = true, .workers = 1, .progress = meddle_with_study, .user = study};
  CHECK(tn_study_run(study, &options, &own) == TN_OK && meddled > 0);
  meddled = 0;
  const tn_sweep_options more = {.workers = 1, .progress = meddle_with_sweep, .user = sweep};
  CHECK(tn_sweep_run(sweep, &more, &own) == TN_OK && meddled == tn_sweep_runs(sweep) + 1);
  tn_study_free(study);
  tn_sweep_free(sweep);
}

TEST(null_in_every_argument) {
  static argument found[MOST];
  tries = 0;
  make();
  try_base_and_descriptions();
  try_models();
  try_simulations();
  try_results();
  try_reports();
  try_parts();
  try_studies();
  try_comparisons();
  try_tuning();
  try_batches();
  try_sweeps();
  try_verifications();
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
  int n = arguments_of("tenon.h", found, 0);
  n = arguments_of("dense.h", found, n);
  n = arguments_of("extend.h", found, n);
  n = arguments_of("study.h", found, n);
  for (int i = 0; i < n; i++) {
    bool there = false;
    for (int k = 0; k < tries && !there; k++)
      there = strcmp(found[i].function, tried[k].function) == 0 && strcmp(found[i].name, tried[k].name) == 0;
    if (!there) FAIL("%s: nobody has tried NULL for `%s`", found[i].function, found[i].name);
  }
  printf("%d arguments in the headers, %d tries\n", n, tries);
  CHECK(n > 250);
}
