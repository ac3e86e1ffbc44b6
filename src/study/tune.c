/* gains of a stabilizer for a model: numbers x of its part are varied by factors, u = log(x/from)/log(to/from) within 0 .. 1, until
 *   (1) J = max(v, 1e-13) n,  v the largest violation of a run, scaled as the contract does, n its right-hand sides
 * is small. the same runs each time, whatever the threads: batches are settled before any run of them begins.
 *   (2) the published numbers, and the start; then half of the runs at the points of Halton's sequence
 *   (3) from the best on, a compass search: a step s along and against each u, and along and against one direction of the same sequence; the
 *       best of the batch is gone to if it is better, and twice as far is tried with the next batch; else s is halved
 *   (4) numbers have four digits, so that what is shown is what was run
 * a run that fails, is refused, or has a worse verdict than the start does not count. one is ended as soon as its v n is ten times the
 * best J, since v and n do not fall; or when n is twenty times that of the start, or what the caller
 * allows. */
#include "study/study.h"

static const double VIOLATION_ROUNDOFF = 1e-13, GIVE_UP_AT = 10, FIRST_SEARCH = 0.125, LAST_SEARCH = 1.0 / 1024;
enum { USUAL = 100, SKIPPED = 20, MOST_RHS = 4000000, FEW_RHS = 20000, PATIENCE = 20 };

/* ---- points ------------------------------------------------------------------------------------------------------------- */

/* number i of Halton's sequence to a base */
static double halton(int i, int base) {
  double x = 0, share = 1;
  for (; i > 0; i /= base) {
    share /= base;
    x += share * (i % base);
  }
  return x;
}

static void sample(int varied, int i, double *u) {
  static const int base[TN_TUNE_MOST] = {2, 3, 5, 7, 11, 13, 17, 19};
  for (int k = 0; k < varied; k++) u[k] = halton(SKIPPED + i, base[k]);
}

static double rounded(double x) {
  char digits[32];
  const int n = tn_format(digits, sizeof digits, "%.4g", x);
  tn_json_number(digits, (size_t)n, &x);
  return x;
}

static double value_at(const tn_tuned *v, double u) {
  const double x = rounded(v->from * pow(v->to / v->from, fmin(fmax(u, 0), 1)));
  return fmin(fmax(x, v->from), v->to);
}

static double place_of(const tn_tuned *v, double x) {
  return fmin(fmax(log(x / v->from) / log(v->to / v->from), 0), 1);
}

/* a row of these numbers; false: it is there already, or there are enough */
static bool add_row(tn_tune *t, const char *stage, const double *x) {
  const size_t size = sizeof *x * (size_t)t->varied;
  for (int i = t->published_text ? 1 : 0; i < t->rows; i++)
    if (memcmp(t->row[i].value, x, size) == 0) return false;
  if (t->rows == t->budget) return false;
  double *own = t->value + (size_t)t->rows * (size_t)t->varied;
  memcpy(own, x, size);
  t->row[t->rows++] = (tn_tune_row){.stage = stage, .value = own, .product = NAN};
  return true;
}

static void add_point(tn_tune *t, const char *stage, const double *u) {
  double x[TN_TUNE_MOST];
  for (int k = 0; k < t->varied; k++) x[k] = value_at(&t->vary[k], u[k]);
  add_row(t, stage, x);
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

static double product(const tn_tune *t, const tn_summary *s) {
  return fmax(t->velocity ? s->max_velocity_violation : s->max_position_violation, VIOLATION_ROUNDOFF) * (double)s->rhs;
}

static bool enough(void *user, const tn_summary *now) {
  const tn_tune *t = user;
  return now->rhs > t->most_rhs || product(t, now) > t->give_up;
}

typedef struct batch {
  tn_tune *t;
  int first;
} batch;

static void note(tn_tune *t, int i, tn_trial *trial) {
  tn_tune_row *r = &t->row[i];
  const tn_summary *s = &trial->summary;
  r->position = s->max_position_violation;
  r->velocity = s->max_velocity_violation;
  r->rhs = s->rhs;
  r->energy = s->energy_balance;
  r->verdict = s->verdict;
  if (trial->status == TN_OK) {
    r->product = product(t, s);
    return;
  }
  if (trial->status == TN_E_STOPPED)
    tn_format(t->message[i], sizeof *t->message, "given up at t = %.4g s after %" PRId64 " right-hand sides: worse",
              trial->t_end, s->rhs);
  else
    tn_format(t->message[i], sizeof *t->message, "%s", trial->message);
  tn_one_line(t->message[i]);
  r->failure = t->message[i];
}

static bool one(tn_pool *pool, void *user, int i) {
  const batch *b = user;
  tn_tune *t = b->t;
  const int row = b->first + i;
  const bool published = row == 0 && t->published_text;
  tn_given given[TN_TUNE_MOST];
  for (int k = 0; k < t->varied; k++) {
    given[k] = (tn_given){.name = t->vary[k].pointer, .number = t->row[row].value[k]};
    tn_json_digits(given[k].number, given[k].digits);
  }
  tn_trial trial = {.plan = &t->plan,
                    .text = published ? t->published_text : t->text,
                    .text_name = t->name,
                    .givens = published ? 0 : t->varied,
                    .given = given,
                    .stop = t->options->stop,
                    .stop_user = t->options->user,
                    .enough = enough,
                    .enough_user = t};
  tn_trial_run(&trial, &t->arena.allocator);
  tn_pool_lock(pool);
  if (!trial.stopped) {
    note(t, row, &trial);
    t->done++;
  }
  t->stopped = t->stopped || trial.stopped;
  if (!trial.stopped && t->options->progress &&
      !t->options->progress(t->options->user, t->done, t->budget, t->row[row].stage))
    t->stopped = true;
  const bool on = !t->stopped && trial.status != TN_E_MEMORY;
  tn_pool_unlock(pool);
  return on;
}

/* a better one than the best so far */
static bool better(const tn_tune *t, int i) {
  const tn_tune_row *r = &t->row[i], *from = &t->row[t->published_text ? 1 : 0];
  if (r->failure || isnan(r->product)) return false;
  if (t->options->most_rhs > 0 && r->rhs > t->options->most_rhs) return false;
  if (!from->failure && r->verdict > from->verdict) return false;
  return t->best < 0 || r->product < t->row[t->best].product;
}

static tn_status interrupted(const tn_tune *t, tn_error *e) {
  tn_fail(e, TN_E_STOPPED, "the search was interrupted: %d of %d runs are done", t->done, t->budget);
  if (t->best >= 0) {
    char text[300] = "";
    size_t used = 0;
    for (int k = 0; k < t->varied && used < sizeof text; k++)
      used += (size_t)tn_format(text + used, sizeof text - used, "%s%s=%.4g", k ? "," : "", t->vary[k].field,
                                t->row[t->best].value[k]);
    tn_hint(e, "the best of them: %s", text);
  }
  return TN_E_STOPPED;
}

/* all rows from `first` on; the best of all so far is known then */
static tn_status run_batch(tn_tune *t, int first, tn_error *e) {
  batch b = {t, first};
  t->give_up = t->best < 0 ? INFINITY : GIVE_UP_AT * t->row[t->best].product;
  const bool whole = t->rows == first || tn_pool_run(t->options->workers, t->rows - first, one, &b);
  for (int i = first; i < t->rows && !t->stopped; i++)
    if (!(i == 0 && t->published_text) && better(t, i)) t->best = i;
  if (whole && !t->stopped) return TN_OK;
  return t->stopped ? interrupted(t, e) : tn_out_of_memory(e);
}

/* ---- the search --------------------------------------------------------------------------------------------------------- */

/* (2) */
static tn_status begin(tn_tune *t, tn_error *e) {
  double x[TN_TUNE_MOST], u[TN_TUNE_MOST];
  if (t->published_text) {
    for (int k = 0; k < t->varied; k++) x[k] = t->vary[k].published;
    add_row(t, "published", x);
  }
  for (int k = 0; k < t->varied; k++) x[k] = t->vary[k].start;
  add_row(t, t->type->published && !t->published_text ? "published" : "start", x);
  t->most_rhs = MOST_RHS;
  TN_TRY(run_batch(t, 0, e));
  int64_t rhs = 0;
  for (int i = 0; i < t->rows; i++)
    if (!t->row[i].failure && t->row[i].rhs > rhs) rhs = t->row[i].rhs;
  if (t->options->most_rhs > 0)
    t->most_rhs = t->options->most_rhs;
  else if (rhs > 0)
    t->most_rhs = PATIENCE * rhs > FEW_RHS ? PATIENCE * rhs : FEW_RHS;
  const int from = t->rows, last = t->budget / 2;
  for (int i = 0; t->rows < last && i < 2 * t->budget; i++) {
    sample(t->varied, i, u);
    add_point(t, "sample", u);
  }
  return run_batch(t, from, e);
}

static void add_pair(tn_tune *t, const double *u, const double *direction, double s) {
  double v[TN_TUNE_MOST];
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int k = 0; k < t->varied; k++) v[k] = u[k] + sign * s * direction[k];
    add_point(t, "search", v);
  }
}

/* (3), a batch around u */
static void surround(tn_tune *t, int turn, const double *u, const double *ahead, double s) {
  double direction[TN_TUNE_MOST];
  if (ahead) add_point(t, "search", ahead);
  for (int k = 0; k < t->varied; k++) {
    memset(direction, 0, sizeof direction);
    direction[k] = 1;
    add_pair(t, u, direction, s);
  }
  if (t->varied < 2) return;
  sample(t->varied, turn, direction);
  for (int k = 0; k < t->varied; k++) direction[k] = 2 * direction[k] - 1;
  add_pair(t, u, direction, s);
}

static tn_status search(tn_tune *t, tn_error *e) {
  double u[TN_TUNE_MOST], v[TN_TUNE_MOST], s = FIRST_SEARCH;
  bool moved = false;
  for (int turn = 0; t->best >= 0 && t->rows < t->budget && s >= LAST_SEARCH; turn++) {
    const int was = t->best, from = t->rows;
    for (int k = 0; k < t->varied; k++) {
      const double now = place_of(&t->vary[k], t->row[was].value[k]);
      v[k] = now + (moved ? now - u[k] : 0);
      u[k] = now;
    }
    surround(t, turn, u, moved ? v : NULL, s);
    TN_TRY(run_batch(t, from, e));
    moved = t->best != was;
    if (!moved) s /= 2;
  }
  return TN_OK;
}

static tn_status failed(const tn_tune *t, tn_error *e) {
  const tn_tune_row *r = &t->row[t->published_text ? 1 : 0];
  return tn_fail(e, TN_E_RUN, "no run came to its end; where it begins: %.400s", r->failure ? r->failure : "-");
}

/* ---- from a model to all of it ------------------------------------------------------------------------------------------ */

static tn_status make_room(tn_tune *t, tn_error *e) {
  const size_t n = (size_t)t->budget;
  t->row = tn_arena_alloc(&t->arena, sizeof *t->row * n);
  t->value = tn_arena_alloc(&t->arena, sizeof *t->value * n * (size_t)t->varied);
  t->message = tn_arena_alloc(&t->arena, sizeof *t->message * n);
  t->plan_node = (tn_node){.kind = TN_NODE_OBJECT};
  t->plan = (tn_plan_of_run){.name = "", .node = &t->plan_node};
  return t->row && t->value && t->message ? TN_OK : tn_out_of_memory(e);
}

static tn_status make(tn_tune *t, const tn_desc *desc, tn_error *e) {
  TN_TRY(tn_tune_read(t, desc, e));
  TN_TRY(make_room(t, e));
  TN_TRY(begin(t, e));
  TN_TRY(search(t, e));
  if (t->best < 0) return failed(t, e);
  const int start = t->published_text ? 1 : 0;
  if (start) TN_TRY(tn_tune_describe(t, 0, &t->published_part, NULL, e));
  TN_TRY(tn_tune_describe(t, start, &t->start_part, NULL, e));
  return tn_tune_describe(t, t->best, &t->best_part, &t->block, e);
}

tn_status tn_tune_run(const tn_desc *desc, const char *model_name, const tn_tune_options *options, tn_tune **out,
                      tn_error *error) {
  tn_error spare, *e = error ? error : &spare;
  tn_arena arena;
  TN_NEED(e, out, "tune");
  *out = NULL;
  TN_NEED(e, desc, "desc");
  TN_NEED(e, model_name, "model_name");
  TN_NEED(e, options, "options");
  TN_NEED(e, options->stabilizer, "options->stabilizer");
  TN_NEED(e, !(options->ranges > 0) || options->range, "options->range");
  for (int i = 0; i < options->ranges; i++) TN_NEED(e, options->range[i].field, "options->range");
  tn_error_clear(e);
  const int budget = options->budget ? options->budget : USUAL;
  if (budget < TN_TUNE_LEAST_RUNS || budget > TN_TUNE_MOST_RUNS)
    return tn_fail(e, TN_E_USAGE, "a search has %d to %d runs, not %d", (int)TN_TUNE_LEAST_RUNS, (int)TN_TUNE_MOST_RUNS,
                   budget);
  tn_arena_init(&arena, &desc->arena.allocator);
  tn_tune *t = tn_arena_alloc(&arena, sizeof *t);
  if (!t) return tn_out_of_memory(e);
  t->arena = arena;
  t->options = options;
  t->budget = budget;
  t->best = -1;
  t->name = tn_arena_text(&t->arena, model_name, strlen(model_name));
  const tn_status status = t->name ? make(t, desc, e) : tn_out_of_memory(e);
  if (status != TN_OK) {
    tn_tune_free(t);
    return status;
  }
  t->options = NULL;
  *out = t;
  return TN_OK;
}

void tn_tune_free(tn_tune *t) {
  if (!t) return;
  tn_arena arena = t->arena;
  tn_arena_free(&arena);
}

int tn_tune_parameters(const tn_tune *t) { return t ? t->varied : 0; }
const char *tn_tune_parameter(const tn_tune *t, int i, double *from, double *to) {
  const tn_tuned *v = t && i >= 0 && i < t->varied ? &t->vary[i] : NULL;
  if (from) *from = v ? v->from : (double)NAN;
  if (to) *to = v ? v->to : (double)NAN;
  return v ? v->field : NULL;
}
int tn_tune_rows(const tn_tune *t) { return t ? t->rows : 0; }
const tn_tune_row *tn_tune_row_at(const tn_tune *t, int i) { return t && i >= 0 && i < t->rows ? &t->row[i] : NULL; }
int tn_tune_best(const tn_tune *t) { return t ? t->best : -1; }
