/* a sweep, from the file to the values. a run is a function of its number (tn_sweep_one) and knows nothing of others; who makes them, in
 * which order and where, is for a farm to say. what comes back is put where it belongs, so that results do not depend on that. */
#include "study/study.h"

#include <errno.h>

tn_status tn_sweep_read(const tn_allocator *allocator, const char *path, tn_sweep **sweep, tn_error *error) {
  tn_error spare, *e = error ? error : &spare;
  tn_arena arena;
  char *text;
  size_t size;
  TN_NEED(e, sweep, "sweep");
  *sweep = NULL;
  TN_NEED(e, path, "path");
  TN_NEED(e, !allocator || (allocator->allocate && allocator->release), "allocator->allocate or release");
  tn_error_clear(e);
  tn_arena_init(&arena, allocator);
  tn_sweep *s = tn_arena_alloc(&arena, sizeof *s);
  if (!s) return tn_out_of_memory(e);
  s->study.arena = arena;
  s->journal.file = -1;
  tn_arena_init(&s->words, allocator);
  tn_status status = tn_file_text(&s->study.arena, path, &text, &size, e);
  if (status == TN_OK) status = tn_sweep_parse_text(s, path, text, size, e);
  if (status == TN_OK)
    *sweep = s;
  else
    tn_sweep_free(s);
  return status;
}

void tn_sweep_free(tn_sweep *s) {
  if (!s || s->study.under_way) return;
  tn_journal_close(&s->journal);
  for (int i = 0; i < s->study.references; i++) tn_arena_free(&s->study.reference[i].table.arena);
  tn_arena_free(&s->words);
  tn_arena arena = s->study.arena;
  tn_arena_free(&arena);
}

const char *tn_sweep_title(const tn_sweep *s) { return s ? s->study.title : NULL; }
const char *tn_sweep_fingerprint(const tn_sweep *s) { return s ? s->fingerprint : NULL; }
int tn_sweep_runs(const tn_sweep *s) { return s ? s->runs : 0; }
int tn_sweep_parameters(const tn_sweep *s) { return s ? s->axes : 0; }
const char *tn_sweep_parameter(const tn_sweep *s, int i) { return s && i >= 0 && i < s->axes ? s->axis[i].name : NULL; }
int tn_sweep_measures(const tn_sweep *s) { return s ? s->study.measures : 0; }
const char *tn_sweep_measure(const tn_sweep *s, int i) {
  return s && i >= 0 && i < s->study.measures ? s->study.measure[i].name : NULL;
}
int tn_sweep_values(const tn_sweep *s) { return s ? s->study.measures + 1 : 0; }
int tn_sweep_count(const tn_sweep *s, tn_run_verdict verdict) {
  int n = 0;
  for (int i = 0; s && s->done && i < s->runs; i++) n += s->done[i] && !s->failure[i] && s->verdict[i] == verdict;
  return n;
}
int tn_sweep_failed(const tn_sweep *s) { return s ? s->failed : 0; }

const char *tn_sweep_file(const tn_sweep *s, int i) {
  if (!s || i < 0 || i >= s->models + s->study.references) return NULL;
  return i < s->models ? s->model_name[i] : s->reference_name[i - s->models];
}

int tn_sweep_given_text(const tn_sweep *s, int run, int parameter, char *text, size_t size, double *number) {
  tn_given given[TN_MOST_AXES];
  if (number) *number = NAN;
  if (!s || run < 0 || run >= s->runs || parameter < 0 || parameter >= s->axes) return -1;
  tn_sweep_given(s, run, given);
  if (number) *number = given[parameter].number;
  return tn_format(text, size, "%s", tn_given_text(&given[parameter]));
}

bool tn_sweep_row_at(const tn_sweep *s, int run, tn_sweep_row *row) {
  if (!s || !row || run < 0 || run >= s->runs) return false;
  *row = (tn_sweep_row){.done = s->done && s->done[run]};
  if (!row->done) return true;
  row->values = s->value + (size_t)run * (size_t)s->study.measures;
  row->failure = s->failure[run];
  row->verdict = (tn_run_verdict)s->verdict[run];
  return true;
}

void tn_one_line(char *text) {
  size_t left = strlen(text);
  for (char *c = text; left;) {
    char escape[8];
    const int n = tn_escape(c, left, escape);
    for (int i = 0; i < n && *escape; i++) c[i] = tn_utf8(c, left) ? ' ' : '?';
    c += n;
    left -= (size_t)n;
  }
}

/* ---- one run ---------------------------------------------------------------------------------------------------------------- */

/* meters of one's own: what they have seen is of this run */
static tn_status meters_of(const tn_study *st, tn_arena *arena, tn_trial *t) {
  tn_meter *own = tn_arena_alloc(arena, sizeof *own * (size_t)st->measures);
  t->meter = tn_arena_alloc(arena, sizeof *t->meter * (size_t)st->measures);
  if (!own || !t->meter) return TN_E_MEMORY;
  for (int i = 0; i < st->measures; i++) {
    own[i] = st->measure[i].meter;
    if (st->measure[i].kind != TN_MEASURE_RUN) continue;
    if (own[i].column) own[i].column = tn_arena_alloc(arena, sizeof *own[i].column * (size_t)(own[i].channels + 1));
    if (st->measure[i].meter.column && !own[i].column) return TN_E_MEMORY;
    t->meter[t->meters++] = &own[i];
  }
  return TN_OK;
}

int tn_sweep_model(const tn_sweep *s, int run) {
  return s->model_axis ? run / s->model_axis->per % s->model_axis->n : 0;
}

tn_status tn_sweep_trial(const tn_sweep *s, int run, tn_given *given, tn_arena *arena, tn_trial *t) {
  const int model = tn_sweep_model(s, run);
  tn_sweep_given(s, run, given);
  *t = (tn_trial){.plan = s->study.plan,
                  .text = s->model_text[model],
                  .text_name = s->model_name[model],
                  .givens = s->axes,
                  .given = given,
                  .enforced = true,
                  .tighter = s->sensitivity && run > 0 && (run - 1) % TN_BESIDE >= 4};
  return meters_of(&s->study, arena, t);
}

typedef struct scope {
  const double *values;
  const tn_given *given;
} scope;

static void fetch(const void *user, int slot, double *value) {
  const scope *c = user;
  *value = slot >= TN_SLOT_MEASURED ? c->given[slot - TN_SLOT_MEASURED].number : c->values[slot];
}

/* what is measured, then what is combined of it */
static void values_of(const tn_sweep *s, const tn_trial *t, const tn_given *given, double *values, char *failure) {
  const tn_study *st = &s->study;
  const scope c = {values, given};
  double value[3];
  for (int i = 0, k = 0; i < st->measures; i++) {
    if (st->measure[i].kind != TN_MEASURE_RUN) continue;
    const tn_meter *m = t->meter[k++];
    values[i] = m->value;
    if (m->against && !m->samples)
      tn_format(failure, 512, "measure '%.64s': no row of the run is at a time of the reference", st->measure[i].name);
  }
  for (int i = 0; i < st->measures; i++) {
    const tn_finding *m = &st->measure[s->order[i]];
    if (m->kind != TN_MEASURE_VALUE) continue;
    tn_expr_eval(m->value, 0, fetch, &c, value);
    values[s->order[i]] = value[0];
  }
}

tn_status tn_sweep_one(const tn_sweep *s, int run, tn_stop stop, void *user, double *values, char failure[512]) {
  TN_NEED(NULL, s, "sweep");
  TN_NEED(NULL, values, "values");
  TN_NEED(NULL, failure, "failure");
  const tn_study *st = &s->study;
  tn_given given[TN_MOST_AXES];
  tn_arena arena;
  *failure = 0;
  for (int i = 0; i < tn_sweep_values(s); i++) values[i] = NAN;
  if (run < 0 || run >= s->runs) return TN_E_USAGE;
  tn_trial t;
  tn_arena_init(&arena, &st->arena.allocator);
  tn_status status = tn_sweep_trial(s, run, given, &arena, &t);
  t.stop = stop;
  t.stop_user = user;
  if (status == TN_OK) {
    tn_trial_run(&t, &st->arena.allocator);
    status = t.stopped ? TN_E_STOPPED : t.status == TN_E_MEMORY ? TN_E_MEMORY : TN_OK;
  }
  if (status == TN_OK && t.status != TN_OK) tn_format(failure, 512, "%s", t.message);
  if (status == TN_OK && t.status == TN_OK) values_of(s, &t, given, values, failure);
  values[st->measures] = t.summary.verdict;
  for (int i = 0; *failure && i < tn_sweep_values(s); i++) values[i] = NAN;
  tn_one_line(failure);
  tn_arena_free(&arena);
  return status;
}

/* ---- all of them -------------------------------------------------------------------------------------------------------------- */

bool tn_sweep_keep(tn_sweep *s, int run, const double *values, const char *failure) {
  const size_t n = (size_t)s->study.measures;
  if (failure && !(s->failure[run] = tn_arena_text(&s->words, failure, strlen(failure)))) return false;
  memcpy(s->value + (size_t)run * n, values, sizeof *values * n);
  if (!failure)
    s->verdict[run] = values[n] == TN_TRUSTED ? TN_TRUSTED : values[n] == TN_DOUBTFUL ? TN_DOUBTFUL : TN_WRONG;
  s->done[run] = 1;
  s->finished++;
  s->failed += failure != NULL;
  return true;
}

static bool one(tn_pool *pool, void *user, int i) {
  const tn_sweep_work *w = user;
  tn_arena arena;
  char failure[512];
  tn_arena_init(&arena, &w->sweep->study.arena.allocator);
  double *values = tn_arena_alloc(&arena, sizeof *values * (size_t)tn_sweep_values(w->sweep));
  const tn_status status = values ? tn_sweep_one(w->sweep, w->run[i], w->stop, w->user, values, failure) : TN_E_MEMORY;
  tn_pool_lock(pool);
  const bool on = w->done(w->to, w->run[i], status, values, failure);
  tn_pool_unlock(pool);
  tn_arena_free(&arena);
  return on;
}

void tn_sweep_threads(void *unused, const tn_sweep_work *work) {
  (void)unused;
  if (!work || !work->sweep || !work->done || (work->runs > 0 && !work->run)) return;
  tn_sweep_work w = *work;
  tn_pool_run(w.workers, w.runs, one, &w);
}

typedef struct taker {
  tn_sweep *s;
  const tn_sweep_options *o;
  tn_error *e;
  tn_status status;
} taker;

static bool tell(const taker *t) {
  const tn_sweep_progress p = {t->s->finished, t->s->runs, t->s->failed, t->s->resumed};
  return !t->o->progress || t->o->progress(t->o->user, &p);
}

static bool stopped(taker *t) {
  t->status =
      tn_fail(t->e, TN_E_STOPPED, "the sweep was interrupted: %d of %d runs are done", t->s->finished, t->s->runs);
  return false;
}

static tn_status cannot_write(const tn_sweep *s, tn_error *e) {
  return tn_fail(e, TN_E_IO, "cannot write '%.200s': %s; the runs before that are kept in it", s->journal.path,
                 strerror(errno));
}

static bool take(void *user, int run, tn_status status, const double *values, const char *failure) {
  taker *t = user;
  tn_sweep *s = t->s;
  if (t->status != TN_OK && t->status != TN_E_STOPPED) return false;
  if (status == TN_E_STOPPED) return stopped(t);
  if (status == TN_OK && (run < 0 || run >= s->runs || s->done[run])) return true; /* it came twice */
  if (status != TN_OK || !tn_sweep_keep(s, run, values, *failure ? failure : NULL)) {
    t->status = tn_out_of_memory(t->e);
    return false;
  }
  if (s->journal.file >= 0 && !tn_journal_add(&s->journal, s, run)) {
    t->status = cannot_write(s, t->e);
    return false;
  }
  return tell(t) || stopped(t);
}

static tn_status make_room(tn_sweep *s, tn_error *e) {
  const size_t n = (size_t)s->runs, m = (size_t)s->study.measures;
  tn_arena_free(&s->words);
  tn_arena_init(&s->words, &s->study.arena.allocator);
  s->value = tn_arena_alloc(&s->words, sizeof *s->value * n * m);
  s->failure = tn_arena_alloc(&s->words, sizeof *s->failure * n);
  s->done = tn_arena_alloc(&s->words, n);
  s->verdict = tn_arena_alloc(&s->words, n);
  s->finished = s->failed = s->resumed = 0;
  return s->value && s->failure && s->done && s->verdict ? TN_OK : tn_out_of_memory(e);
}

static tn_status make_runs(tn_sweep *s, const tn_sweep_options *o, tn_error *e) {
  taker t = {.s = s, .o = o, .e = e};
  tn_journal_close(&s->journal);
  const tn_status room = make_room(s, e);
  if (room != TN_OK) {
    s->done = NULL;
    return room;
  }
  if (o->journal) TN_TRY(tn_journal_open(&s->journal, o->journal, o->anew, s, e));
  s->resumed = s->finished;
  if (!tell(&t)) {
    stopped(&t);
    return t.status;
  }
  int *left = tn_block_new(&s->study.arena.allocator, sizeof *left * ((size_t)(s->runs - s->finished) + 1));
  if (!left) return tn_out_of_memory(e);
  int n = 0;
  for (int i = 0; i < s->runs; i++)
    if (!s->done[i]) left[n++] = i;
  const tn_sweep_work work = {s, n, left, o->workers, o->stop, o->user, take, &t};
  if (n) (o->farm ? o->farm : tn_sweep_threads)(o->farm_user, &work);
  tn_block_free(&s->study.arena.allocator, left);
  if (!tn_journal_sync(&s->journal) && t.status == TN_OK) t.status = cannot_write(s, e);
  if (t.status == TN_OK && s->finished < s->runs)
    t.status = tn_fail(e, TN_E_INTERNAL, "%d of %d runs were not made", s->runs - s->finished, s->runs);
  return t.status;
}

tn_status tn_sweep_run(tn_sweep *s, const tn_sweep_options *options, tn_error *error) {
  static const tn_sweep_options usual;
  tn_error spare, *e = error ? error : &spare;
  TN_NEED(e, s, "sweep");
  tn_error_clear(e);
  if (s->study.under_way) return tn_fail(e, TN_E_USAGE, "tn_sweep_run: not while the sweep runs");
  s->study.under_way = true;
  const tn_status status = make_runs(s, options ? options : &usual, e);
  s->study.under_way = false;
  return status;
}
