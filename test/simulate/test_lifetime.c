/* who keeps whom alive, what a watch may not do, and what a refused state leaves behind. objects are freed in every order; the
 * sanitizers look for what is used after that. */
#include <stdio.h>

#include "report/report.h"
#include "support/build.h"
#include "support/failing.h"
#include "tenon/study.h"
#include "test.h"

typedef struct bytes {
  unsigned char *data;
  size_t used, room;
} bytes;

static bool to_bytes(void *user, const char *text, size_t n) {
  bytes *b = user;
  if (b->used + n > b->room) {
    b->room = 2 * (b->used + n);
    if (!(b->data = realloc(b->data, b->room))) abort();
  }
  memcpy(b->data + b->used, text, n);
  b->used += n;
  return true;
}

static bool same_bytes(const bytes *a, const bytes *b) {
  return a->used == b->used && memcmp(a->data, b->data, a->used) == 0;
}

/* rows as bytes */
static tn_status keep(void *user, double t, int n, const double *values) {
  to_bytes(user, (const char *)&t, sizeof t);
  to_bytes(user, (const char *)values, sizeof *values * (size_t)n);
  return TN_OK;
}

/* ---- the order in which things are freed ---------------------------------------------------------------------------------- */

enum { DESC, MODEL, SIM, OTHER, RECORDER, VERIFY, OBJECTS };

typedef struct objects {
  failing f;
  tn_allocator allocator;
  tn_desc *desc;
  tn_model *model;
  tn_sim *sim, *other;
  tn_recorder *recorder;
  tn_verify *verify;
  bytes file;
} objects;

static void make(objects *o) {
  tn_error e;
  *o = (objects){.f = {0}};
  o->allocator = (tn_allocator){fail_allocate, fail_release, &o->f};
  if (tn_desc_new(&o->allocator, &o->desc, &e) || tn_desc_read(o->desc, TN_SOURCE_DIR "/models/four_bar.json", &e) ||
      tn_desc_number(o->desc, "/run/until", 0.01, &e) || tn_compile(o->desc, &o->model, &e) ||
      tn_sim_new(o->model, &o->sim, &e) || tn_sim_new(o->model, &o->other, &e) ||
      tn_recorder_new(o->sim, o->desc, "m", to_bytes, &o->file, &o->recorder, &e) ||
      tn_verify_new(o->desc, NULL, &o->verify, &e)) {
    printf("%s\n", e.message);
    abort();
  }
}

static void end(objects *o, int which) {
  switch (which) {
  case DESC: tn_desc_free(o->desc); break;
  case MODEL: tn_model_free(o->model); break;
  case SIM: tn_sim_free(o->sim); break;
  case OTHER: tn_sim_free(o->other); break;
  case RECORDER: tn_recorder_free(o->recorder); break;
  default: tn_verify_free(o->verify); break;
  }
}

/* all of them in every order; the one that is looked for last still works before it is freed */
TEST(freed_in_any_order) {
  int order[OBJECTS] = {0};
  for (long code = 0; code < 46656; code++) { /* 6^6: all that are permutations */
    unsigned seen = 0;
    long rest = code;
    for (int i = 0; i < OBJECTS; i++, rest /= OBJECTS) seen |= 1u << (order[i] = (int)(rest % OBJECTS));
    if (seen != (1u << OBJECTS) - 1) continue;
    objects o;
    tn_error e;
    make(&o);
    const bool verified = code % 8 == 0; /* reports of the simulation have the verification in them */
    const tn_status status = verified ? tn_verify_run(o.verify, o.sim, tn_recorder_row, o.recorder, &e)
                                      : tn_sim_run(o.sim, tn_recorder_row, o.recorder, &e);
    if (status != TN_OK) FAIL("%s", e.message);
    for (int i = 0; i < OBJECTS; i++) {
      bool freed[OBJECTS] = {false};
      for (int k = 0; k < i; k++) freed[order[k]] = true;
      bytes page = {0};
      if (!freed[SIM]) CHECK(tn_report_json(o.sim, "m", to_bytes, &page) == TN_OK);
      if (!freed[OTHER]) CHECK(tn_sim_start(o.other, &e) == TN_OK && tn_sim_column(o.other, 0));
      if (!freed[RECORDER]) CHECK(tn_recorder_save(o.recorder, to_bytes, &page, &e) == TN_OK);
      if (!freed[VERIFY]) CHECK(tn_verify_result(o.verify)->complete == verified);
      free(page.data);
      end(&o, order[i]);
    }
    if (o.f.out != 0) FAIL("order %ld: %ld pieces of memory stay", code, o.f.out);
    free(o.file.data);
  }
}

/* a model that nobody but simulations holds is that of their runs to the end */
TEST(a_simulation_outlives_the_handle_of_its_model) {
  build a, b;
  bytes one = {0}, two = {0};
  build *const both[] = {&a, &b};
  for (int i = 0; i < 2; i++) {
    build_new(both[i], 1);
    build_read(both[i], "four_bar");
    build_set(both[i], "/run/until", "0.3");
    if (!build_simulate(both[i])) abort();
  }
  tn_model_free(b.model);
  b.model = NULL;
  CHECK(tn_sim_run(a.sim, keep, &one, NULL) == TN_OK && tn_sim_run(b.sim, keep, &two, NULL) == TN_OK);
  CHECK(same_bytes(&one, &two));
  free(one.data);
  free(two.data);
  build_free(&a);
  build_free(&b);
}

/* ---- from a watch --------------------------------------------------------------------------------------------------------- */

typedef struct meddler {
  tn_sim *sim;
  tn_recorder *recorder;
  tn_verify *verify;
  const tn_desc *desc;
  bytes state;
  long calls, reads;
  bool writing; /* inside tn_sim_save */
} meddler;

#define REFUSED(call)                                                                                                  \
  do {                                                                                                                 \
    char tn_name[64];                                                                                                  \
    snprintf(tn_name, sizeof tn_name, "%.*s: not while", (int)strcspn(#call, "("), #call);                             \
    memset(&e, 0x55, sizeof e);                                                                                        \
    CHECK(call == TN_E_USAGE && e.status == TN_E_USAGE);                                                               \
    CHECK_HAS(e.message, tn_name);                                                                                     \
  } while (0)

static bool no_text(void *user, const char *text, size_t n) {
  (void)user, (void)text, (void)n;
  return true;
}

static bool meddle_in_save(void *user, const char *text, size_t n);

/* everything that may not be called */
static void meddle(meddler *m) {
  tn_error e;
  tn_sim *s = m->sim;
  tn_recorder *none;
  long length;
  double q[64];
  memcpy(q, tn_sim_q(s), sizeof *q * (size_t)tn_sim_coordinates(s));
  REFUSED(tn_sim_start(s, &e));
  REFUSED(tn_sim_advance(s, tn_sim_time(s) + 1, &e));
  REFUSED(tn_sim_run(s, NULL, NULL, &e));
  REFUSED(tn_sim_set(s, 0, q, NULL, true, &e));
  REFUSED(tn_sim_set_state(s, q, &e));
  REFUSED(tn_sim_remember(s, q, &e));
  REFUSED(tn_sim_set_parameter(s, "speed", 2, &e));
  REFUSED(tn_sim_switch(s, "motor", false, &e));
  REFUSED(tn_sim_load(s, m->state.data, m->state.used, &e));
  REFUSED(tn_report_eval(s, "m", no_text, NULL, &e));
  REFUSED(tn_recorder_resume(s, "no file", m->state.data, m->state.used, no_text, NULL, &none, &length, &e));
  REFUSED(tn_verify_run(m->verify, s, NULL, NULL, &e));
  tn_sim_free(s); /* nothing happens */
  tn_recorder_free(m->recorder);
  m->calls++;
}

/* everything that may */
static void read_all(meddler *m) {
  tn_error e;
  tn_sim *s = m->sim;
  tn_eval eval;
  tn_run_fact fact;
  double x;
  bool on;
  for (int i = 0; i < tn_sim_columns(s); i++) {
    const tn_status status = tn_sim_channel(s, tn_sim_column(s, i), &x, &e);
    if (status != TN_OK && status != TN_E_USAGE) FAIL("%s", e.message); /* a column may be an expression */
  }
  CHECK(tn_sim_channel(s, "energy.total", &x, &e) == TN_OK && tn_sim_eval(s, &eval, &e) == TN_OK);
  CHECK(tn_sim_summary(s) && tn_sim_fact(s, 0, &fact) && tn_sim_is_on(s, "nobody", &on, &e) == TN_E_USAGE);
  CHECK(tn_report_json(s, "m", no_text, NULL) == TN_OK && tn_report_text(s, "m", no_text, NULL) == TN_OK);
  CHECK(tn_report_check_json(s, "m", no_text, NULL) == TN_OK && tn_report_check_text(s, "m", no_text, NULL) == TN_OK);
  m->writing = true;
  const tn_status saved = tn_sim_save(s, meddle_in_save, m, &e);
  m->writing = false;
  if (saved != TN_OK && saved != TN_E_USAGE) FAIL("%s", e.message); /* rows are due that cvode would not know */
  m->reads++;
}

static bool meddle_in_save(void *user, const char *text, size_t n) {
  (void)text, (void)n;
  meddle(user);
  return true;
}

static bool meddling_watch(void *user, double t) {
  meddler *m = user;
  (void)t;
  meddle(m);
  read_all(m);
  return true;
}

typedef struct receiver {
  meddler *m; /* NULL: nobody */
  tn_recorder *recorder;
  bytes *rows;
} receiver;

static tn_status take_row(void *user, double t, int n, const double *values) {
  receiver *r = user;
  if (r->m) meddle(r->m), read_all(r->m);
  keep(r->rows, t, n, values);
  return tn_recorder_row(r->recorder, t, n, values); /* with the motion at the row */
}

static const struct {
  const char *model, *integrator, *formulation;
  double until, every;
} watched[] = {
    {"four_bar", NULL, NULL, 0.3, 0.0137},
    {"four_bar", "rk4:step=0.01", NULL, 0.3, 0.0137},
    {"four_bar", "abm", NULL, 0.3, 0.0137},
    {"four_bar", "radau5", NULL, 0.1, 0.0137},
    {"four_bar", NULL, "partition:layout=independent", 0.3, 0.0137},
    {"braun_four_bars", NULL, NULL, 2, 0.11},
    {"motor_slider_crank", NULL, NULL, 0.2, 0.0137},
    {"clutch", NULL, NULL, 6, 0.31},
    {"pendulum_stop", NULL, NULL, 1.5, 0.077},
    {"heavy_top", NULL, NULL, 0.2, 0.0137},
};

static bool begin(build *b, size_t i) {
  tn_error e;
  build_new(b, 1);
  build_read(b, watched[i].model);
  build_set(b, "/run/until", "%.17g", watched[i].until);
  build_set(b, "/run/every", "%.17g", watched[i].every);
  if (watched[i].integrator && tn_desc_part(b->desc, "/run/integrator", watched[i].integrator, &e)) abort();
  if (watched[i].formulation && tn_desc_part(b->desc, "/run/formulation", watched[i].formulation, &e)) abort();
  return build_compile(b) && tn_sim_new(b->model, &b->sim, &e) == TN_OK;
}

/* refused, whatever it is, and the run is that which nobody meddled with, to the last bit */
TEST(a_watch_reads_and_changes_nothing) {
  for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
    build a, b;
    bytes one = {0}, two = {0}, first = {0}, second = {0};
    tn_error e;
    tn_recorder *recorder = NULL;
    if (!begin(&a, i) || !begin(&b, i)) {
      FAIL("%s: %s", watched[i].model, a.message);
      continue;
    }
    meddler m = {.sim = b.sim, .desc = b.desc};
    CHECK(tn_recorder_new(a.sim, a.desc, "m", to_bytes, &first, &recorder, &e) == TN_OK);
    CHECK(tn_recorder_new(b.sim, b.desc, "m", to_bytes, &second, &m.recorder, &e) == TN_OK);
    CHECK(tn_verify_new(b.desc, NULL, &m.verify, &e) == TN_OK);
    CHECK(tn_sim_start(a.sim, &e) == TN_OK && tn_sim_start(b.sim, &e) == TN_OK);
    CHECK(tn_sim_save(b.sim, to_bytes, &m.state, &e) == TN_OK);
    tn_sim_watch(b.sim, meddling_watch, &m);
    receiver alone = {NULL, recorder, &one}, r = {&m, m.recorder, &two};
    CHECK(tn_sim_run(a.sim, take_row, &alone, &e) == TN_OK);
    if (tn_sim_run(b.sim, take_row, &r, &e) != TN_OK) FAIL("%s: %s", watched[i].model, e.message);
    CHECK(m.calls > 20 && m.reads > 20 && b.sim->e == &e);
    if (!same_bytes(&one, &two)) FAIL("%s, %s: a watch is seen", watched[i].model, watched[i].integrator);
    const tn_summary *x = tn_sim_summary(a.sim), *y = tn_sim_summary(b.sim);
    CHECK(x->steps == y->steps && x->rejected == y->rejected && x->energy_balance == y->energy_balance);
    CHECK(x->verdict == y->verdict && x->max_position_violation == y->max_position_violation);
    CHECK(tn_recorder_flush(recorder) == TN_OK && tn_recorder_flush(m.recorder) == TN_OK);
    if (!same_bytes(&first, &second)) FAIL("%s: the recorded motion is another", watched[i].model);
    tn_recorder_free(recorder);
    tn_recorder_free(m.recorder);
    tn_verify_free(m.verify);
    free(one.data);
    free(two.data);
    free(first.data);
    free(second.data);
    free(m.state.data);
    build_free(&a);
    build_free(&b);
  }
}

/* ---- a state that is refused --------------------------------------------------------------------------------------------- */

static const char *const integrators[] = {NULL,     "rk4:step=0.001", "dop853",           "abm",
                                          "radau5", "cvode-bdf",      "cvode-adams",      "arkode",
                                          "ida",    "trbdf2",         "euler:step=0.0001"};

/* as far as 0.05 s, then the rest of the run */
static bool up_to(build *b, const char *integrator, const char *model) {
  tn_error e;
  build_new(b, 1);
  build_read(b, model);
  build_set(b, "/run/until", "0.1");
  build_set(b, "/run/every", "0.0037");
  if (integrator && tn_desc_part(b->desc, "/run/integrator", integrator, &e)) abort();
  return build_compile(b) && tn_sim_new(b->model, &b->sim, &e) == TN_OK && tn_sim_advance(b->sim, 0.05, &e) == TN_OK;
}

TEST(a_refused_state_leaves_the_one_before) {
  static const char *const models[] = {"motor_slider_crank", "hoang_pd_inductance"};
  int tried = 0;
  for (size_t k = 0; k < sizeof models / sizeof *models; k++)
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
      build a, b;
      bytes before = {0}, after = {0}, one = {0}, two = {0};
      tn_error e;
      double bad[16];
      if (!up_to(&a, integrators[i], models[k]) || !up_to(&b, integrators[i], models[k])) { /* without SUNDIALS */
        if (!integrators[i] || !strstr(a.message, "integrator")) FAIL("%s: %s", models[k], a.message);
        build_free(&a);
        continue;
      }
      tried++;
      const int n = tn_sim_states(b.sim);
      CHECK(n > 0 && n <= 16);
      CHECK(tn_sim_save(a.sim, to_bytes, &after, &e) == TN_OK && tn_sim_save(b.sim, to_bytes, &before, &e) == TN_OK);
      after.used = 0;
      unsigned char *block = malloc(b.sim->life.size); /* all of it, caches too */
      if (!block) abort();
      memcpy(block, b.sim, b.sim->life.size);
      for (int j = 0; j < n; j++) {
        memcpy(bad, tn_sim_state(b.sim), sizeof *bad * (size_t)n);
        bad[j] = 1e308;
        if (tn_sim_set_state(b.sim, bad, &e) == TN_OK) FAIL("%s: 1e308 is accepted", models[k]);
        CHECK(*e.message);
        CHECK(tn_sim_set_state(b.sim, bad, NULL) != TN_OK);
      }
      CHECK(memcmp(block, b.sim, b.sim->life.size) == 0);
      CHECK(tn_sim_save(b.sim, to_bytes, &after, &e) == TN_OK && same_bytes(&before, &after));
      CHECK(tn_sim_time(b.sim) == 0.05 && tn_sim_summary(b.sim)->status == TN_OK);
      CHECK(tn_sim_run(a.sim, keep, &one, &e) == TN_OK && tn_sim_run(b.sim, keep, &two, &e) == TN_OK);
      if (!same_bytes(&one, &two)) FAIL("%s, %s: the rest is another", models[k], integrators[i]);
      CHECK(tn_sim_summary(a.sim)->rhs == tn_sim_summary(b.sim)->rhs);
      CHECK(tn_sim_summary(a.sim)->factorizations == tn_sim_summary(b.sim)->factorizations);
      CHECK(tn_sim_events(a.sim) == tn_sim_events(b.sim));
      free(block);
      free(before.data);
      free(after.data);
      free(one.data);
      free(two.data);
      build_free(&a);
      build_free(&b);
    }
  CHECK(tried >= 10);
}

/* memory that is not to be had for the copy: nothing has happened either */
TEST(without_memory_the_state_stays) {
  failing f = {0};
  const tn_allocator allocator = {fail_allocate, fail_release, &f};
  tn_desc *desc;
  tn_model *model;
  tn_sim *sim;
  tn_error e;
  bytes before = {0}, after = {0};
  double state[16];
  if (tn_desc_new(&allocator, &desc, &e) || tn_desc_read(desc, TN_SOURCE_DIR "/models/motor_slider_crank.json", &e) ||
      tn_compile(desc, &model, &e) || tn_sim_new(model, &sim, &e) || tn_sim_advance(sim, 0.05, &e))
    abort();
  memcpy(state, tn_sim_state(sim), sizeof *state * (size_t)tn_sim_states(sim));
  CHECK(tn_sim_save(sim, to_bytes, &before, &e) == TN_OK);
  f.fail = f.calls + 1;
  CHECK(tn_sim_set_state(sim, state, &e) == TN_E_MEMORY);
  CHECK(tn_sim_save(sim, to_bytes, &after, &e) == TN_OK && same_bytes(&before, &after));
  CHECK(tn_sim_set_state(sim, state, &e) == TN_OK);
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
  CHECK(f.out == 0);
  free(before.data);
  free(after.data);
}

/* ---- what is no saved state ------------------------------------------------------------------------------------------------ */

TEST(nothing_at_all_is_no_saved_state) {
  build b;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  if (!build_simulate(&b)) abort();
  CHECK(tn_sim_load(b.sim, NULL, 0, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "tn_sim_load: `data` is NULL");
  CHECK(tn_sim_load(b.sim, NULL, 10, &e) == TN_E_USAGE);
  CHECK(tn_sim_load(b.sim, "", 0, &e) == TN_E_IO);
  CHECK_HAS(e.message, "cut off");
  CHECK(tn_sim_advance(b.sim, 0.1, &e) == TN_OK);
  build_free(&b);
}
