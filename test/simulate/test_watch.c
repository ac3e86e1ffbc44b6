/* watchers: told of every step, they may stop a run at a good state; what goes on from there is the run that was never stopped, to
 * the last bit. */
#include "support/build.h"
#include "test.h"

/* sees the steps, and stops at those that it is told to */
typedef struct watcher {
  int64_t calls, steps_before; /* of the simulation when it began to watch */
  double last, first;
  int64_t stop_every; /* every so many calls; 0: never */
  const tn_sim *sim;
  bool good;
} watcher;

static bool watch(void *user, double t) {
  watcher *w = user;
  if (w->calls == 0) w->first = t;
  if (w->calls && !(t > w->last)) w->good = false;
  if (w->sim && t != tn_sim_time(w->sim)) w->good = false;
  w->last = t;
  w->calls++;
  return !w->stop_every || w->calls % w->stop_every != 0;
}

typedef struct rows {
  int columns;
  int64_t n, room;
  double *value;
} rows;

static tn_status keep(void *user, double t, int n, const double *values) {
  rows *r = user;
  if (r->n == r->room) {
    r->room = 2 * r->room + 64;
    if (!(r->value = realloc(r->value, sizeof *r->value * (size_t)(n + 1) * (size_t)r->room))) abort();
  }
  r->columns = n + 1;
  r->value[r->n * r->columns] = t;
  memcpy(r->value + r->n++ * r->columns + 1, values, sizeof *values * (size_t)n);
  return TN_OK;
}

static bool same_bits(const rows *a, const rows *b) {
  if (a->n == b->n && a->columns == b->columns &&
      memcmp(a->value, b->value, sizeof *a->value * (size_t)a->n * (size_t)a->columns) == 0)
    return true;
  printf("%" PRId64 " rows and %" PRId64 " rows", a->n, b->n);
  for (int64_t i = 0; i < a->n && i < b->n; i++)
    if (memcmp(a->value + i * a->columns, b->value + i * b->columns, sizeof(double) * (size_t)a->columns) != 0) {
      printf(", another one from t = %.17g and %.17g on", a->value[i * a->columns], b->value[i * b->columns]);
      break;
    }
  printf("\n");
  return false;
}

typedef struct setting {
  const char *model, *integrator, *stabilize;
  double until, every;
} setting;

static void start(build *b, const setting *s) {
  build_new(b, 1);
  build_read(b, s->model);
  build_set(b, "/run/until", "%.17g", s->until);
  build_set(b, "/run/every", "%.17g", s->every);
  build_set(b, "/run/contract", "{\"breach\": \"record\"}");
  tn_error e;
  if (s->integrator && tn_desc_part(b->desc, "/run/integrator", s->integrator, &e)) abort();
  if (s->stabilize && tn_desc_part(b->desc, "/run/stabilize", s->stabilize, &e)) abort();
  if (!build_compile(b) || tn_sim_new(b->model, &b->sim, &e) != TN_OK) {
    printf("%s\n", b->message);
    abort();
  }
}

static const setting settings[] = {
    {"four_bar", NULL, NULL, 0.5, 0.0137},            /* adaptive, rows inside steps  */
    {"four_bar", "dopri5:rtol=1e-4", NULL, 1, 0.003}, /* several rows in a step       */
    {"four_bar", "rk4:step=0.01", NULL, 0.5, 0.01},   /* a row at every step          */
    {"four_bar", "rk4:step=0.01", NULL, 0.5, 0.0137}, /* fixed, rows inside steps     */
    {"four_bar", "rk4:step=0.003", NULL, 0.3, 0.001}, /* three rows a step, at its end */
    {"four_bar", "euler:step=0.0007", "baumgarte:a=1,b=0.5,feedback=held", 0.1, 0.0021},
    {"four_bar", "dopri5:step=0.01", "baumgarte:alpha=5,beta=5", 0.5, 0.02}, /* first stage kept              */
    {"four_bar", NULL, "none", 0.5, 0.02},                                   /* and adaptive                  */
    {"four_bar", NULL, "baumgarte:a=1,b=0.5,feedback=held", 0.5, 0.02},
    {"braun_four_bars", NULL, NULL, 2, 0.05}, /* through singular positions    */
    {"andrews", NULL, NULL, 0.02, 0.001},
    {"driven_pivot", NULL, NULL, 0.5, 0.0101},
    {"pendulum", "rk4:step=0.1", NULL, 1.05, 0.3}, /* ends between steps and rows */
};
enum { SETTINGS = sizeof settings / sizeof *settings };

TEST(told_after_every_step_with_its_time) {
  for (int i = 0; i < SETTINGS; i++) {
    build b;
    tn_error e;
    start(&b, &settings[i]);
    watcher w = {.sim = b.sim, .good = true};
    tn_sim_watch(b.sim, watch, &w);
    CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK);
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK(w.good); /* times rise, and are those of the state */
    if (w.calls != s->steps)
      FAIL("%s: told %" PRId64 " times of %" PRId64 " steps", settings[i].model, w.calls, s->steps);
    CHECK(w.first > 0 && w.first < settings[i].until && w.last == settings[i].until);
    build_free(&b);
  }
}

TEST(told_of_the_steps_of_an_advance_too) {
  build b;
  tn_error e;
  start(&b, &settings[0]);
  watcher w = {.sim = b.sim, .good = true};
  tn_sim_watch(b.sim, watch, &w);
  double t = 0;
  for (int i = 1; i <= 5; i++) {
    const int64_t before = w.calls, steps = tn_sim_summary(b.sim)->steps;
    CHECK(tn_sim_advance(b.sim, t += 0.07, &e) == TN_OK);
    CHECK(w.last == t && w.calls - before == tn_sim_summary(b.sim)->steps - steps && w.calls > before);
  }
  CHECK(w.good);
  const int64_t calls = w.calls;
  CHECK(tn_sim_advance(b.sim, t, &e) == TN_OK && w.calls == calls); /* no step, no word */
  tn_sim_watch(b.sim, NULL, NULL);
  CHECK(tn_sim_advance(b.sim, t + 0.1, &e) == TN_OK && w.calls == calls);
  build_free(&b);
}

TEST(to_be_watched_changes_nothing) {
  for (int i = 0; i < SETTINGS; i++) {
    build a, b;
    rows one = {0}, two = {0};
    start(&a, &settings[i]);
    start(&b, &settings[i]);
    watcher w = {.sim = b.sim, .good = true};
    tn_sim_watch(b.sim, watch, &w);
    CHECK(tn_sim_run(a.sim, keep, &one, NULL) == TN_OK && tn_sim_run(b.sim, keep, &two, NULL) == TN_OK);
    CHECK(same_bits(&one, &two));
    free(one.value);
    free(two.value);
    build_free(&a);
    build_free(&b);
  }
}

typedef struct page {
  char text[20000];
  size_t used;
} page;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

/* how an interrupted run looks: to the caller, in the summary, in the reports, and its state */
TEST(an_interruption_leaves_a_good_state) {
  for (int i = 0; i < SETTINGS; i++) {
    static page p;
    build b;
    tn_error e;
    start(&b, &settings[i]);
    watcher w = {.sim = b.sim, .good = true, .stop_every = 3};
    tn_sim_watch(b.sim, watch, &w);
    CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_STOPPED && e.status == TN_E_STOPPED);
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK(w.calls == 3 && s->steps == 3 && s->status == TN_E_STOPPED);
    CHECK(e.time == w.last && tn_sim_time(b.sim) == w.last && s->t_end == w.last);
    CHECK(*e.message && *s->message && strstr(s->message, e.message));
    for (int k = 0; k < tn_sim_coordinates(b.sim); k++)
      CHECK(isfinite(tn_sim_q(b.sim)[k]) && isfinite(tn_sim_u(b.sim)[k]));
    tn_eval eval;
    CHECK(tn_sim_eval(b.sim, &eval, &e) == TN_OK && eval.t == w.last); /* it can be asked */
    CHECK(isfinite(s->energy_balance) && isfinite(s->max_position_violation));
    p.used = 0;
    CHECK(tn_report_json(b.sim, "m", to_page, &p) == TN_OK);
    tn_desc *d = NULL;
    CHECK(tn_desc_new(NULL, &d, NULL) == TN_OK && tn_desc_parse(d, "r", p.text, p.used, &e) == TN_OK);
    const tn_node *status = tn_node_get(d->root, "status"), *t_end = tn_node_get(d->root, "t_end");
    CHECK(status && t_end && t_end->number == w.last);
    if (status) CHECK_TEXT(status->text, "interrupted");
    tn_desc_free(d);
    p.used = 0;
    CHECK(tn_report_text(b.sim, "m", to_page, &p) == TN_OK);
    CHECK_HAS(p.text, "interrupted");
    build_free(&b);
  }
}

/* together the pieces give the rows of the whole: none twice, none missing, every bit */
static void check_pieces(const setting *s, int64_t stop_every, bool ask_between) {
  build a, b;
  rows whole = {0}, pieces = {0};
  tn_error e;
  tn_status status;
  int64_t interruptions = 0;
  start(&a, s);
  start(&b, s);
  CHECK(tn_sim_run(a.sim, keep, &whole, &e) == TN_OK);
  watcher w = {.sim = b.sim, .good = true, .stop_every = stop_every};
  tn_sim_watch(b.sim, watch, &w);
  while ((status = tn_sim_run(b.sim, keep, &pieces, &e)) == TN_E_STOPPED && interruptions < 100000) {
    interruptions++;
    if (pieces.n) CHECK(pieces.value[(pieces.n - 1) * pieces.columns] <= tn_sim_time(b.sim) * (1 + 1e-12));
    if (!ask_between) continue;
    double value;
    tn_eval eval;
    static page p;
    p.used = 0;
    CHECK(tn_sim_channel(b.sim, "energy.total", &value, &e) == TN_OK && tn_sim_eval(b.sim, &eval, &e) == TN_OK);
    CHECK(tn_report_check_json(b.sim, "m", to_page, &p) == TN_OK && tn_sim_start(b.sim, &e) == TN_OK);
  }
  CHECK(status == TN_OK && w.good);
  CHECK(interruptions >= (tn_sim_summary(a.sim)->steps - 1) / stop_every);
  if (!same_bits(&whole, &pieces))
    FAIL("%s, %s, every %g: %" PRId64 " interruptions%s are seen", s->model, s->integrator ? s->integrator : "adaptive",
         s->every, interruptions, ask_between ? " with questions" : "");
  const tn_summary *x = tn_sim_summary(a.sim), *y = tn_sim_summary(b.sim);
  CHECK(y->status == TN_OK && x->steps == y->steps && x->rejected == y->rejected && x->t_end == y->t_end);
  CHECK(memcmp(tn_sim_q(a.sim), tn_sim_q(b.sim), sizeof(double) * (size_t)tn_sim_coordinates(a.sim)) == 0);
  CHECK(memcmp(tn_sim_u(a.sim), tn_sim_u(b.sim), sizeof(double) * (size_t)tn_sim_speeds(a.sim)) == 0);
  if (!ask_between) {
    CHECK(x->energy_balance == y->energy_balance && x->max_position_violation == y->max_position_violation);
    CHECK(x->max_velocity_violation == y->max_velocity_violation && x->rhs == y->rhs);
    CHECK_TEXT(y->worst_joint, x->worst_joint);
  }
  free(whole.value);
  free(pieces.value);
  build_free(&a);
  build_free(&b);
}

TEST(interrupted_after_every_step_it_is_the_same_run) {
  for (int i = 0; i < SETTINGS; i++) check_pieces(&settings[i], 1, false);
}

TEST(interrupted_now_and_then_it_is_the_same_run) {
  for (int i = 0; i < SETTINGS; i++)
    for (int64_t n = 2; n <= 50; n += 16) check_pieces(&settings[i], n, false);
}

TEST(questions_in_between_change_nothing) {
  for (int i = 0; i < SETTINGS; i++) check_pieces(&settings[i], 4, true);
}

/* steps and rows whose times are the same but for roundoff: k times the step against j times the interval */
TEST(rows_at_the_ends_of_steps_come_once) {
  static const double step[] = {0.03, 0.003, 0.07, 0.06, 0.09, 0.015, 0.021},
                      every[] = {0.01, 0.001, 0.01, 0.02, 0.01, 0.005, 0.007};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    char integrator[32];
    snprintf(integrator, sizeof integrator, "rk4:step=%g", step[i]);
    check_pieces(&(setting){"pendulum", integrator, NULL, 20 * step[i], every[i]}, 1, false);
  }
}

/* an advance likewise */
TEST(an_advance_goes_on_where_it_was_stopped) {
  for (int i = 0; i < SETTINGS; i++) {
    build a, b;
    tn_error e;
    tn_status status;
    int64_t interruptions = 0;
    start(&a, &settings[i]);
    start(&b, &settings[i]);
    const double t = settings[i].until;
    CHECK(tn_sim_advance(a.sim, t, &e) == TN_OK);
    watcher w = {.sim = b.sim, .good = true, .stop_every = 2};
    tn_sim_watch(b.sim, watch, &w);
    while ((status = tn_sim_advance(b.sim, t, &e)) == TN_E_STOPPED && tn_sim_time(b.sim) < t) {
      interruptions++;
      CHECK(e.status == TN_E_STOPPED && tn_sim_summary(b.sim)->status == TN_E_STOPPED && e.time == tn_sim_time(b.sim));
    }
    CHECK(interruptions > 0 && tn_sim_time(b.sim) == t && w.good);
    CHECK(memcmp(tn_sim_q(a.sim), tn_sim_q(b.sim), sizeof(double) * (size_t)tn_sim_coordinates(a.sim)) == 0);
    CHECK(memcmp(tn_sim_u(a.sim), tn_sim_u(b.sim), sizeof(double) * (size_t)tn_sim_speeds(a.sim)) == 0);
    CHECK(tn_sim_summary(a.sim)->steps == tn_sim_summary(b.sim)->steps);
    build_free(&a);
    build_free(&b);
  }
}

static bool never(void *user, double t) {
  (void)t;
  ++*(int64_t *)user;
  return false;
}

/* one that says no at the very end has nothing left to stop */
TEST(what_has_arrived_cannot_be_stopped) {
  build b;
  tn_error e;
  int64_t calls = 0;
  const setting s = {"pendulum", "rk4:step=0.1", NULL, 0.1, 0.1};
  start(&b, &s);
  tn_sim_watch(b.sim, never, &calls);
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_OK && calls == 1 && tn_sim_time(b.sim) == 0.1);
  CHECK(tn_sim_summary(b.sim)->status == TN_OK && e.status == TN_OK);
  build_free(&b);
}

TEST(nor_can_an_advance_that_has_arrived) {
  build b;
  tn_error e;
  int64_t calls = 0;
  const setting s = {"pendulum", "rk4:step=0.1", NULL, 0.1, 0.1};
  start(&b, &s);
  tn_sim_watch(b.sim, never, &calls);
  CHECK(tn_sim_advance(b.sim, 0.1, &e) == TN_OK && calls == 1 && tn_sim_time(b.sim) == 0.1);
  build_free(&b);
}

/* another start after an interruption forgets it: all rows again */
TEST(a_new_state_begins_anew) {
  build a, b;
  rows whole = {0}, again = {0};
  tn_error e;
  start(&a, &settings[3]);
  start(&b, &settings[3]);
  CHECK(tn_sim_start(a.sim, &e) == TN_OK && tn_sim_start(b.sim, &e) == TN_OK);
  double q[96], u[96];
  memcpy(q, tn_sim_q(b.sim), sizeof *q * (size_t)tn_sim_coordinates(b.sim));
  memcpy(u, tn_sim_u(b.sim), sizeof *u * (size_t)tn_sim_speeds(b.sim));
  CHECK(tn_sim_set(a.sim, 0, q, u, false, &e) == TN_OK && tn_sim_run(a.sim, keep, &whole, &e) == TN_OK);
  watcher w = {.sim = b.sim, .good = true, .stop_every = 5};
  tn_sim_watch(b.sim, watch, &w);
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_STOPPED);
  tn_sim_watch(b.sim, NULL, NULL);
  CHECK(tn_sim_set(b.sim, 0, q, u, false, &e) == TN_OK && tn_sim_run(b.sim, keep, &again, &e) == TN_OK);
  CHECK(same_bits(&whole, &again) && whole.n == 38);
  free(whole.value);
  free(again.value);
  build_free(&a);
  build_free(&b);
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

typedef struct counting {
  int64_t calls, out;
} counting;

static void *count_allocate(void *user, size_t size) {
  counting *c = user;
  c->calls++;
  c->out++;
  return malloc(size ? size : 1);
}

static void count_release(void *user, void *block) {
  ((counting *)user)->out--;
  free(block);
}

static tn_status no_row(void *user, double t, int n, const double *values) {
  (void)user, (void)t, (void)n, (void)values;
  return TN_OK;
}

TEST(steps_that_are_watched_and_interrupted_allocate_nothing) {
  static const char *const integrators[] = {"dopri5:rtol=1e-6", "rk4:step=0.005"};
  for (int i = 0; i < 2; i++) {
    counting c = {0};
    const tn_allocator allocator = {count_allocate, count_release, &c};
    tn_desc *d = NULL;
    tn_model *m = NULL;
    tn_sim *s = NULL;
    tn_error e;
    tn_status status;
    CHECK(tn_desc_new(&allocator, &d, &e) == TN_OK &&
          tn_desc_read(d, TN_SOURCE_DIR "/models/four_bar.json", &e) == TN_OK);
    CHECK(tn_desc_part(d, "/run/integrator", integrators[i], &e) == TN_OK &&
          tn_desc_number(d, "/run/until", 1, &e) == TN_OK);
    CHECK(tn_compile(d, &m, &e) == TN_OK && tn_sim_new(m, &s, &e) == TN_OK);
    const int64_t before = c.calls;
    watcher w = {.sim = s, .good = true, .stop_every = 3};
    tn_sim_watch(s, watch, &w);
    while ((status = tn_sim_run(s, no_row, NULL, &e)) == TN_E_STOPPED) {}
    CHECK(status == TN_OK && w.calls >= 50 && c.calls == before);
    tn_sim_free(s);
    tn_model_free(m);
    tn_desc_free(d);
    CHECK(c.out == 0);
  }
}
