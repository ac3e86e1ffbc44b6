/* batch: one description, many values of its constants, parameters or of anything else that has a pointer; all rows of all runs.
 *
 * A run knows its number and nothing of others: its rows are the same for any number of threads. Each has a description of its own,
 * made of the text of the one given and of the types that were added to it. */
#include "study/study.h"

typedef struct batch {
  const tn_desc *desc;
  const tn_batch_options *o;
  tn_arena arena; /* of the text */
  char *text;
  size_t used, text_room;
  int64_t room;
  int columns;
  double *value;
  tn_batch_result *result;
  int done;
  bool stopped;
} batch;

static bool collect(void *user, const char *text, size_t n) {
  batch *b = user;
  if (b->used + n > b->text_room) {
    const size_t room = 2 * (b->text_room + n) + 4096;
    char *larger = tn_arena_alloc(&b->arena, room);
    if (!larger) return false;
    if (b->used) memcpy(larger, b->text, b->used);
    b->text = larger;
    b->text_room = room;
  }
  memcpy(b->text + b->used, text, n);
  b->used += n;
  return true;
}

/* one run under way */
typedef struct filling {
  const batch *b;
  double *to;
  tn_batch_result *result;
} filling;

static tn_status on_row(void *user, double t, int n, const double *values) {
  filling *f = user;
  const batch *b = f->b;
  if (n != b->columns || f->result->rows >= b->room) return TN_E_USAGE;
  *f->to++ = t;
  memcpy(f->to, values, sizeof *values * (size_t)n);
  f->to += n;
  f->result->rows++;
  return TN_OK;
}

static bool goes_on(void *user, double t) {
  const filling *f = user;
  (void)t;
  return !f->b->o->stop || !f->b->o->stop(f->b->o->user);
}

static tn_status describe(const batch *b, int run, tn_desc *d, tn_error *e) {
  const tn_batch_options *o = b->o;
  d->added = b->desc->added; /* which outlives the run */
  TN_TRY(tn_desc_parse(d, o->name, b->text, b->used, e));
  for (int i = 0; i < o->parameters; i++) {
    const char *name = o->parameter[i];
    const double x = o->value[(size_t)run * (size_t)o->parameters + (size_t)i];
    char set[160];
    if (*name == '/') {
      TN_TRY(tn_desc_number(d, name, x, e));
    } else {
      tn_format(set, sizeof set, "%.100s=%.17g", name, x);
      TN_TRY(tn_desc_settings(d, 1, &(const tn_setting){"set", set}, e));
    }
  }
  return TN_OK;
}

static tn_status simulate(const batch *b, tn_desc *d, filling *f, tn_error *e) {
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_status status = tn_compile(d, &model, e);
  if (status == TN_OK) status = tn_sim_new(model, &sim, e);
  if (status == TN_OK && b->columns != tn_sim_columns(sim))
    status =
        tn_fail(e, TN_E_USAGE, "this run has %d outputs, and there is room for %d", tn_sim_columns(sim), b->columns);
  if (status == TN_OK && b->o->stop) tn_sim_watch(sim, goes_on, f);
  if (status == TN_OK) status = tn_sim_run(sim, on_row, f, e);
  if (status == TN_E_USAGE && f->result->rows == b->room)
    tn_fail(e, status, "this run has more rows than there is room for, %" PRId64, b->room);
  if (sim) {
    const tn_summary *sum = tn_sim_summary(sim);
    f->result->verdict = sum->verdict;
    f->result->t_end = sum->t_end;
    f->result->steps = sum->steps;
    f->result->rhs = sum->rhs;
    f->result->energy_balance = sum->energy_balance;
    f->result->max_position_violation = sum->max_position_violation;
  }
  tn_sim_free(sim);
  tn_model_free(model);
  return status;
}

static bool one(tn_pool *pool, void *user, int run) {
  batch *b = user;
  tn_desc *d = NULL;
  tn_batch_result *r = &b->result[run];
  const size_t size = (size_t)b->room * (size_t)(b->columns + 1);
  filling f = {.b = b, .to = b->value + size * (size_t)run, .result = r};
  tn_error e;
  *r = (tn_batch_result){.verdict = TN_WRONG, .t_end = NAN, .energy_balance = NAN, .max_position_violation = NAN};
  tn_status status = tn_desc_new(&b->desc->arena.allocator, &d, &e);
  if (status == TN_OK) status = describe(b, run, d, &e);
  if (status == TN_OK) status = simulate(b, d, &f, &e);
  if (status != TN_OK) tn_error_text(&e, r->message, sizeof r->message);
  tn_desc_free(d);
  r->status = status;
  tn_pool_lock(pool);
  b->done++;
  if (status == TN_E_STOPPED) b->stopped = true;
  if (b->o->progress && !b->stopped && !b->o->progress(b->o->user, b->done, b->o->runs, NULL)) b->stopped = true;
  const bool more = !b->stopped;
  tn_pool_unlock(pool);
  return more;
}

static tn_status check(const tn_batch_options *o, tn_error *e) {
  TN_NEED(e, o->parameter || o->parameters <= 0, "options->parameter");
  TN_NEED(e, o->value || o->parameters <= 0, "options->value");
  for (int i = 0; i < o->parameters; i++) TN_NEED(e, o->parameter[i], "options->parameter");
  return TN_OK;
}

tn_status tn_batch_run(const tn_desc *desc, const tn_batch_options *options, int64_t rows, int columns, double *value,
                       tn_batch_result *result, tn_error *error) {
  TN_NEED(error, desc, "desc");
  TN_NEED(error, options, "options");
  TN_TRY(check(options, error));
  TN_NEED(error, value || options->runs <= 0 || rows <= 0, "value");
  TN_NEED(error, result || options->runs <= 0, "result");
  tn_error_clear(error);
  if (rows < 0 || columns < 0) return tn_fail(error, TN_E_USAGE, "a batch has no rows or columns below 0");
  batch b = {.desc = desc, .o = options, .room = rows, .columns = columns, .value = value, .result = result};
  tn_arena_init(&b.arena, &desc->arena.allocator);
  tn_status status = tn_desc_print(desc, collect, &b, error) == TN_OK ? TN_OK : tn_out_of_memory(error);
  if (status == TN_OK) {
    for (int i = 0; i < options->runs; i++) {
      result[i] = (tn_batch_result){.status = TN_E_STOPPED, .verdict = TN_WRONG};
    }
    const size_t size = (size_t)rows * (size_t)(columns + 1) * (size_t)(options->runs > 0 ? options->runs : 0);
    for (size_t i = 0; i < size; i++) value[i] = NAN;
    tn_pool_run(options->workers, options->runs, one, &b);
    if (b.stopped) status = tn_fail(error, TN_E_STOPPED, "the batch was interrupted");
  }
  tn_arena_free(&b.arena);
  return status;
}
