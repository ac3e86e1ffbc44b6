/* a run with a second one beside it, which makes smaller errors: the difference tells the error of the first.
 *
 * adaptive: a tenth of the tolerances. steps are shorter by (1/10)^(1/(k + 1)), k the order of the error estimate. errors are smaller
 *   by r = (1/10)^(p/(k + 1)), p the order of the integrator; where orders vary, by r = 1/10. `max_step` becomes shorter as the
 *   steps do: two runs that it bounds would otherwise be the same, and tell nothing.
 * fixed: half the step, r = 2^-p.
 *
 * the second run is in a thread of its own. its rows wait in a ring until the first run has the same row; each waits for the other,
 * so that nothing is kept of rows that were compared. where there are no threads, the second run is made before the first one and all
 * of its rows wait. */
#include "study/study.h"
#include "study/threads.h"

static const double PREDICTABLE = 0.01;
/* of the time so far: how much longer than the first run the second goes on to show its end */
static const double SECOND_LONGER = 0.01;
static const double LEAST_RATIO = 0.5; /* of tolerances: above it there are no digits left for a tighter run */
enum { RING = 256 };

typedef struct tn_beside {
  tn_lock lock;
  tn_condition moved; /* the ring, or how far the second run may go */
  tn_thread thread;
  double *row; /* room x (2 + columns): t, jumps so far, values */
  size_t width;
  int64_t room; /* RING; without threads it grows */
  int64_t put, taken;
  double limit;   /* s: the second run ends behind it  */
  bool done;      /* the second run has ended          */
  tn_error error; /* of it                             */
  tn_watch watch; /* of the first run, and who gets its rows */
  void *watcher;
  tn_row row_to;
  void *row_user;
  double every, last; /* s: distance of rows; the last row of the first run that was compared, or NaN */
  int64_t missed;     /* rows of the first run that the second does not have */
} beside;

double tn_tightened(tn_run *r) {
  const tn_integrator_type *type = r->integrator;
  const double rtol = r->rtol, atol = r->atol;
  tn_tighten(r);
  if (r->fixed) return pow(0.5, type->order);
  const double ratio = fmax(r->rtol / rtol, atol > 0 ? r->atol / atol : 0);
  const double k = type->order_estimate > 0 ? type->order_estimate : type->order;
  r->max_step *= pow(ratio, 1 / (k + 1));
  return type->orders || type->advance ? ratio : pow(ratio, type->order / (k + 1));
}

tn_status tn_verify_new(const tn_desc *desc, const tn_verify_options *options, tn_verify **verify, tn_error *error) {
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  TN_NEED(error, verify, "verify");
  *verify = NULL;
  TN_NEED(error, desc, "desc");
  tn_error_clear(error);
  TN_TRY(tn_compile(desc, &model, error));
  const double ratio = tn_tightened(&model->run);
  tn_status status = tn_sim_new(model, &sim, error);
  tn_arena arena;
  tn_arena_init(&arena, &model->arena.allocator);
  tn_verify *v = status == TN_OK ? tn_arena_alloc(&arena, sizeof *v) : NULL;
  if (v) {
    const tn_run *r = &model->run;
    memset(v, 0, sizeof *v);
    v->arena = arena;
    v->model = model;
    v->sim = sim;
    if (options) v->options = *options;
    v->summary = (tn_verify_summary){.rtol = r->fixed ? NAN : r->rtol,
                                     .atol = r->atol > 0 ? r->atol : NAN,
                                     .step = r->fixed ? r->step : NAN,
                                     .factor = ratio <= LEAST_RATIO ? 1 / (1 - ratio) : NAN,
                                     .status = TN_E_STOPPED,
                                     .t_end = NAN,
                                     .from = NAN,
                                     .until = NAN,
                                     .threshold = v->options.threshold > 0 ? v->options.threshold : PREDICTABLE,
                                     .predictable_until = NAN,
                                     .limited_by = -1,
                                     .folding_time = NAN,
                                     .exponent = NAN,
                                     .growing = -1};
    const size_t size = sizeof *v->occasion * (size_t)(model->triggers + 1);
    status = tn_differences_new(&v->differences, &model->arena.allocator, sim, error);
    v->occasion = tn_arena_alloc(&v->arena, size);
    if (v->occasion) {
      memset(v->occasion, 0, size);
      *verify = v;
    }
    if (status == TN_OK && v->occasion) return TN_OK;
    tn_differences_free(&v->differences);
    arena = v->arena;
  }
  *verify = NULL;
  if (status == TN_OK) status = tn_fail(error, TN_E_MEMORY, "out of memory");
  tn_arena_free(&arena);
  tn_sim_free(sim);
  tn_model_free(model);
  return status;
}

void tn_verify_free(tn_verify *v) {
  if (!v || v->beside) return; /* its runs are under way */
  if (v->first && v->first->output.addition.self == v) v->first->output.addition = (tn_addition){NULL, NULL, NULL};
  tn_sim_drop(v->first);
  tn_differences_free(&v->differences);
  tn_sim_free(v->sim);
  tn_model_free(v->model);
  tn_arena arena = v->arena; /* v lies in it */
  tn_arena_free(&arena);
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

static void pair(tn_occasion *o, double t, double other) {
  const double by = fabs(t - other);
  o->pairs++;
  o->last = by;
  if (o->pairs > 1 && !(by > o->most)) return;
  o->most = by;
  o->most_at = fmin(t, other);
  o->most_number = o->passed + o->pairs;
}

/* event i of one of both runs at t: it waits for the one of the same number in the other */
static bool happened(tn_verify *v, int which, int i, double t) {
  tn_occasion *o = &v->occasion[i];
  if (++o->seen[which] <= o->passed) return true;
  if (o->head < o->tail && o->of != which) {
    pair(o, t, o->time[o->head++]);
    return true;
  }
  if (o->head == o->tail) o->head = o->tail = 0;
  if (o->tail == o->room) {
    const int room = o->room ? 2 * o->room : 16;
    double *larger = tn_arena_alloc(&v->arena, sizeof *larger * (size_t)room);
    if (!larger) return false;
    if (o->tail) memcpy(larger, o->time, sizeof *larger * (size_t)o->tail);
    o->time = larger;
    o->room = room;
  }
  o->of = which;
  o->time[o->tail++] = t;
  return true;
}

/* those since the last look, all of them at one time: steps end at events. under the lock */
static void look_for_events(tn_verify *v, int which, const tn_sim *s) {
  const tn_event_record *record = s->events.record;
  for (int i = 0; i < s->m->triggers; i++)
    while (v->occasion[i].seen[which] < record[i].count)
      if (!happened(v, which, i, record[i].last)) v->no_memory = true;
}

static double jumps(const tn_sim *s) {
  const tn_summary *r = &s->summary;
  return (double)(r->fired + r->switches + r->impulses);
}

/* without threads: nothing has been taken yet */
static bool grow(tn_verify *v, beside *b) {
  const size_t size = sizeof *b->row * b->width * (size_t)b->room;
  double *larger = size < SIZE_MAX / 4 ? tn_arena_alloc(&v->arena, 2 * size) : NULL;
  if (!larger) return false;
  memcpy(larger, b->row, size);
  b->row = larger;
  b->room *= 2;
  return true;
}

/* ---- the second run, in its thread ----------------------------------------------------------------------------------------- */

static bool second_watch(void *user, double t) {
  tn_verify *v = user;
  beside *b = v->beside;
  tn_lock_take(&b->lock);
  look_for_events(v, 1, v->sim);
  const bool on = t <= b->limit;
  tn_lock_leave(&b->lock);
  return on && !(v->options.stop && v->options.stop(v->options.user));
}

static tn_status second_row(void *user, double t, int n, const double *values) {
  tn_verify *v = user;
  beside *b = v->beside;
  tn_lock_take(&b->lock);
  if (!TN_THREADS && b->put == b->room && !grow(v, b)) {
    v->no_memory = true;
    return TN_E_MEMORY;
  }
  while (b->put - b->taken == b->room && t <= b->limit) tn_condition_wait(&b->moved, &b->lock);
  const bool on = t <= b->limit;
  if (b->put - b->taken < b->room) {
    double *row = b->row + (size_t)(b->put++ % b->room) * b->width;
    row[0] = t;
    row[1] = jumps(v->sim);
    memcpy(row + 2, values, sizeof *values * (size_t)n);
  }
  tn_condition_send(&b->moved);
  tn_lock_leave(&b->lock);
  return on ? TN_OK : TN_E_STOPPED;
}

static void *second_run(void *user) {
  tn_verify *v = user;
  beside *b = v->beside;
  tn_sim_watch(v->sim, second_watch, v);
  tn_status status = tn_sim_start(v->sim, &b->error);
  if (status == TN_OK) status = tn_sim_run(v->sim, second_row, v, &b->error);
  tn_lock_take(&b->lock);
  look_for_events(v, 1, v->sim);
  b->done = true;
  v->summary.status = status;
  tn_condition_send(&b->moved);
  tn_lock_leave(&b->lock);
  return NULL;
}

/* ---- the first run ---------------------------------------------------------------------------------------------------------- */

static bool first_watch(void *user, double t) {
  tn_verify *v = user;
  beside *b = v->beside;
  if (v->model->triggers) {
    tn_lock_take(&b->lock);
    look_for_events(v, 0, v->first);
    tn_lock_leave(&b->lock);
  }
  return !b->watch || b->watch(b->watcher, t);
}

/* the row of the second run at t, or NULL: it has none. older ones are of a time before the first was resumed */
static const double *row_beside(beside *b, double t) {
  const double same = TN_SAME_TIME * fmax(fabs(t), b->every);
  const double *row = NULL;
  tn_lock_take(&b->lock);
  for (;;) {
    while (b->put > b->taken && b->row[(size_t)(b->taken % b->room) * b->width] < t - same) {
      b->taken++;
      tn_condition_send(&b->moved);
    }
    if (b->put > b->taken || b->done) break;
    tn_condition_wait(&b->moved, &b->lock);
  }
  if (b->put > b->taken) row = b->row + (size_t)(b->taken % b->room) * b->width;
  tn_lock_leave(&b->lock);
  return row && row[0] <= t + same ? row : NULL;
}

static tn_status first_row(void *user, double t, int n, const double *values) {
  tn_verify *v = user;
  beside *b = v->beside;
  const tn_status status = b->row_to ? b->row_to(b->row_user, t, n, values) : TN_OK;
  if (status != TN_OK) return status;
  const double *other = row_beside(b, t);
  if (!other) {
    b->missed++;
    return TN_OK;
  }
  const bool good = tn_differences_row(&v->differences, t, (int64_t)(jumps(v->first) - other[1]), values, other + 2);
  tn_lock_take(&b->lock);
  if (!good) v->no_memory = true;
  b->taken++;
  tn_condition_send(&b->moved);
  tn_lock_leave(&b->lock);
  return TN_OK;
}

/* ---- both ------------------------------------------------------------------------------------------------------------------- */

static void conclude(tn_verify *v, const beside *b) {
  tn_verify_summary *r = &v->summary;
  tn_differences *d = &v->differences;
  const tn_summary *second = &v->sim->summary;
  if (!tn_differences_end(d, v->sim->stepper.t0, v->model->length, v->first->summary.max_kinetic,
                          isnan(r->factor) ? 1 : r->factor, r->threshold))
    v->no_memory = true;
  r->cpu_seconds = second->cpu_seconds;
  if (v->sim->now.t <= v->limit) {
    tn_format(r->message, sizeof r->message, "%s", second->message);
    r->t_end = v->sim->now.t;
    r->steps = second->steps;
    r->rhs = second->rhs;
  } else { /* how far it was ahead by then is chance */
    r->status = TN_E_STOPPED;
    tn_format(r->message, sizeof r->message, "ended with the first run");
    r->t_end = v->first->now.t;
  }
  r->rows = d->rows;
  r->from = d->begin;
  r->until = d->end;
  /* where events end both runs, the last row is at the event, whose time is compared instead */
  const bool ended = v->first->events.ended >= 0 && v->sim->events.ended >= 0 && v->sim->now.t <= v->limit;
  r->complete = d->rows > 0 && b->missed <= (ended ? 1 : 0) && !v->no_memory;
  r->predictable_until = d->predictable_until;
  r->limited_by = d->limited_by;
  r->predictable = d->rows > 0 && d->limited_by < 0;
  r->growth = d->growth;
  r->growing = d->growing;
  r->folding_time = d->folding;
  r->exponent = d->exponent;
  tn_verify_event event;
  for (int i = 0; tn_verify_event_at(v, i, &event); i++)
    r->events_differ = r->events_differ || event.count != event.count_second;
  v->first->output.addition = (tn_addition){v, tn_verify_json, tn_verify_text};
}

static tn_status both(tn_verify *v, beside *b, tn_error *error) {
  tn_sim *s = v->first;
  if (!tn_lock_make(&b->lock)) return tn_fail(error, TN_E_MEMORY, "a lock cannot be made");
  if (!tn_condition_make(&b->moved)) {
    tn_lock_free(&b->lock);
    return tn_fail(error, TN_E_MEMORY, "a lock cannot be made");
  }
  v->beside = b;
  tn_status status = TN_OK;
  if (!TN_THREADS) second_run(v);
  if (TN_THREADS && !tn_thread_begin(&b->thread, second_run, v)) {
    status = tn_fail(error, TN_E_MEMORY, "a thread for the second run cannot be made");
  } else {
    tn_sim_watch(s, first_watch, v);
    status = tn_sim_run(s, first_row, v, error);
    tn_sim_watch(s, b->watch, b->watcher);
    tn_lock_take(&b->lock);
    look_for_events(v, 0, s);
    /* a run that its user has ended is not waited for; the end of any other, before the last row too, is looked for in the second */
    const bool own_end = status == TN_OK || status == TN_E_RUN;
    v->limit = b->limit =
        own_end ? s->now.t + fmax(SECOND_LONGER * (s->now.t - s->stepper.t0), 2 * b->every) : -INFINITY;
    b->taken = b->put; /* nothing more is compared */
    tn_condition_send(&b->moved);
    while (!b->done) { /* its rows go nowhere */
      tn_condition_wait(&b->moved, &b->lock);
      b->taken = b->put;
      tn_condition_send(&b->moved);
    }
    tn_lock_leave(&b->lock);
    tn_thread_end(b->thread);
    conclude(v, b);
  }
  v->beside = NULL;
  tn_condition_free(&b->moved);
  tn_lock_free(&b->lock);
  return status;
}

tn_status tn_verify_run(tn_verify *v, tn_sim *sim, tn_row row, void *user, tn_error *error) {
  tn_error spare;
  TN_NEED(error, v, "verify");
  TN_TRY(tn_sim_may_change(sim, __func__, error));
  if (!error) error = &spare;
  tn_error_clear(error);
  if (v->used) return tn_fail(error, TN_E_USAGE, "this verification has had its run");
  if (sim->m->fingerprint != v->model->fingerprint || sim->m->columns != v->model->columns)
    return tn_fail(error, TN_E_USAGE, "the simulation is not of the description that is verified");
  TN_TRY(tn_sim_start(sim, error));
  v->used = true;
  v->first = sim;
  tn_sim_hold(sim);
  for (int i = 0; i < v->model->triggers; i++) /* of a run that was resumed */
    v->occasion[i].passed = v->occasion[i].seen[0] = sim->events.record[i].count;
  beside b = {.width = (size_t)v->model->columns + 2,
              .room = RING,
              .limit = INFINITY,
              .watch = sim->output.watch,
              .watcher = sim->output.watcher,
              .row_to = row,
              .row_user = user,
              .every = v->model->run.every};
  b.row = tn_arena_alloc(&v->arena, sizeof *b.row * RING * b.width);
  if (!b.row) return tn_fail(error, TN_E_MEMORY, "out of memory");
  return both(v, &b, error);
}

/* ---- what came of it ---------------------------------------------------------------------------------------------------------- */

const tn_verify_summary *tn_verify_result(const tn_verify *v) { return v ? &v->summary : NULL; }

bool tn_verify_output_at(const tn_verify *v, int i, tn_verify_output *out) {
  if (!v || !out) return false;
  const tn_differences *s = &v->differences;
  if (i < 0 || i >= s->n) return false;
  const tn_difference *d = &s->output[i];
  const double factor = v->summary.factor;
  const bool known = !isnan(d->at);
  const double most = known ? d->most : (double)NAN, scale = known && !d->constant ? d->scale : (double)NAN;
  *out = (tn_verify_output){.name = d->name,
                            .unit = d->unit,
                            .range = d->range,
                            .scale = scale,
                            .difference = most,
                            .time = d->at,
                            .relative = most / scale,
                            .error = factor * most,
                            .error_relative = factor * most / scale,
                            .difference_end = d->last,
                            .error_end = factor * d->last,
                            .difference_at_jumps = d->jump,
                            .rows_at_jumps = d->jump_rows,
                            .not_finite = d->not_finite,
                            .one_finite = d->one_finite};
  return true;
}

/* one that the other run has not had, beyond the time that both went, says nothing; two runs that events have ended went all the way */
static int64_t counted(const tn_verify *v, const tn_occasion *o, int which) {
  const bool ended = v->sim->events.ended >= 0 && v->first && v->first->events.ended >= 0 && v->sim->now.t <= v->limit;
  const double common = ended || !v->first ? INFINITY : fmin(v->sim->now.t, v->first->now.t);
  int64_t n = o->seen[which];
  for (int k = o->head; k < o->tail && o->of == which; k++) n -= o->time[k] > common;
  return n;
}

bool tn_verify_event_at(const tn_verify *v, int i, tn_verify_event *out) {
  if (!v || !out || i < 0 || i >= v->model->triggers) return false;
  const tn_occasion *o = &v->occasion[i];
  *out = (tn_verify_event){.event = v->model->trigger[i].name,
                           .count = counted(v, o, 0),
                           .count_second = counted(v, o, 1),
                           .difference = o->pairs ? o->most : (double)NAN,
                           .time = o->pairs ? o->most_at : (double)NAN,
                           .number = o->most_number,
                           .difference_end = o->pairs ? o->last : (double)NAN};
  return true;
}

tn_status tn_predictable_until(const tn_desc *desc, double threshold, double *t, tn_error *error) {
  tn_verify *v = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  const tn_verify_options options = {.threshold = threshold};
  TN_NEED(error, t, "t");
  *t = NAN;
  TN_NEED(error, desc, "desc");
  tn_status status = tn_verify_new(desc, &options, &v, error);
  if (status == TN_OK) status = tn_compile(desc, &model, error);
  if (status == TN_OK) status = tn_sim_new(model, &sim, error);
  if (status == TN_OK) status = tn_verify_run(v, sim, NULL, NULL, error);
  if (v) *t = v->summary.predictable_until;
  tn_verify_free(v);
  tn_sim_free(sim);
  tn_model_free(model);
  return status;
}
