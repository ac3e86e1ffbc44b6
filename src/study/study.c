/* from a study file to its rows. first the references, then every run with all meters that rows want of it, then what is combined of
 * their values; verdicts come last, of values alone. */
#include "study/claims.h"

tn_status tn_study_make(const tn_allocator *allocator, const char *path, tn_files files, void *user,
                        const tn_node *replace, tn_study **study, tn_error *e) {
  tn_arena arena;
  tn_error_clear(e);
  tn_arena_init(&arena, allocator);
  tn_study *s = tn_arena_alloc(&arena, sizeof *s);
  if (!s) return tn_fail(e, TN_E_MEMORY, "out of memory");
  s->arena = arena;
  s->files = files;
  s->files_user = user;
  s->replace = replace;
  const tn_status status = tn_study_parse(s, path, e);
  if (status == TN_OK)
    *study = s;
  else
    tn_study_free(s);
  return status;
}

tn_status tn_study_read(const tn_allocator *allocator, const char *path, tn_study **study, tn_error *error) {
  tn_error spare, *e = error ? error : &spare;
  TN_NEED(e, study, "study");
  *study = NULL;
  TN_NEED(e, path, "path");
  TN_NEED(e, !allocator || (allocator->allocate && allocator->release), "allocator->allocate or release");
  return tn_study_make(allocator, path, NULL, NULL, NULL, study, e);
}

tn_status tn_study_read_from(const tn_allocator *allocator, const char *path, tn_files files, void *user,
                             tn_study **study, tn_error *error) {
  tn_error spare, *e = error ? error : &spare;
  TN_NEED(e, study, "study");
  *study = NULL;
  TN_NEED(e, path, "path");
  TN_NEED(e, files, "files");
  TN_NEED(e, !allocator || (allocator->allocate && allocator->release), "allocator->allocate or release");
  return tn_study_make(allocator, path, files, user, NULL, study, e);
}

void tn_study_free(tn_study *s) {
  if (!s || s->under_way) return;
  for (int i = 0; i < s->references; i++) tn_arena_free(&s->reference[i].table.arena);
  for (int i = 0; i < s->measures; i++) tn_track_free(&s->measure[i].track);
  for (int i = 0; i < s->figures; i++) tn_figure_free(&s->figure[i]);
  tn_arena arena = s->arena;
  tn_arena_free(&arena);
}

const char *tn_study_paper(const tn_study *s) { return s ? s->paper : NULL; }
const char *tn_study_title(const tn_study *s) { return s ? s->title : NULL; }
const char *tn_study_file(const tn_study *s, int i) { return s && i >= 0 && i < s->inputs ? s->input[i] : NULL; }
int tn_study_rows(const tn_study *s) { return s ? s->rows : 0; }
const tn_study_row *tn_study_row_at(const tn_study *s, int i) {
  return s && i >= 0 && i < s->rows ? &s->row[i].row : NULL;
}

/* ---- what is needed -------------------------------------------------------------------------------------------------------- */

static void need(tn_study *s, int i);

static void need_named(tn_study *s, const tn_expr *expr) {
  for (int k = 0; expr && k < tn_expr_slots(expr); k++)
    if (tn_expr_slot(expr, k) < s->measures) need(s, tn_expr_slot(expr, k));
}

void tn_study_need(tn_study *s, const tn_expr *expr) { need_named(s, expr); }

static void need(tn_study *s, int i) {
  tn_finding *m = &s->measure[i];
  if (m->needed) return;
  m->needed = true;
  if (m->against >= 0) s->reference[m->against].needed = true;
  need_named(s, m->value);
  need_named(s, m->where);
}

/* ---- values of expressions ------------------------------------------------------------------------------------------------- */

typedef struct scope {
  const tn_study *s;
  double measured, paper, m, x, failed;
} scope;

static void fetch(const void *user, int slot, double *value) {
  const scope *c = user;
  *value = slot == TN_SLOT_MEASURED ? c->measured
           : slot == TN_SLOT_PAPER  ? c->paper
           : slot == TN_SLOT_M      ? c->m
           : slot == TN_SLOT_X      ? c->x
           : slot == TN_SLOT_FAILED ? c->failed
                                    : c->s->measure[slot].result;
}

static double evaluate(const tn_expr *expr, const scope *c) {
  double value[3];
  tn_expr_eval(expr, 0, fetch, c, value);
  return value[0];
}

/* what is compared with something that is not known is not so */
static bool is_so(const tn_expr *expr, const scope *c) {
  const double value = evaluate(expr, c);
  return value != 0 && !isnan(value);
}

/* ---- runs -------------------------------------------------------------------------------------------------------------------- */

static void explain(tn_finding *m, const tn_trial *t) {
  if (t->status == TN_OK) return;
  tn_format(m->message, sizeof m->message, "run '%.64s': %.400s", t->plan->name, t->message);
  m->failure = m->message;
}

static int64_t last_of(const tn_finding *m) { return (int64_t)floor((m->to - m->from) / m->by + TN_WHOLE); }

static void varied(tn_study *s, tn_finding *m) {
  const int64_t n = last_of(m);
  double best = NAN;
  m->points = 0;
  for (int64_t k = 0; k <= n; k++) {
    tn_meter *meter = &m->meter;
    const double x = m->from + (double)k * m->by;
    tn_given given = {.name = "x", .number = x};
    tn_json_digits(x, given.digits);
    tn_trial trial = {.plan = m->plan,
                      .folder = s->folder,
                      .files = s->files,
                      .files_user = s->files_user,
                      .givens = 1,
                      .given = &given,
                      .meters = 1,
                      .meter = &meter};
    tn_trial_run(&trial, &s->arena.allocator);
    m->seconds += trial.seconds;
    if (trial.broken) { /* a mistake in the file */
      explain(m, &trial);
      m->broken = true;
      return;
    }
    const scope c = {.s = s, .m = meter->value, .x = x, .failed = trial.status == TN_E_RUN};
    const bool holds = m->where && is_so(m->where, &c);
    m->point[m->points++] = (tn_point){x, meter->value, holds, trial.status != TN_OK};
    if (m->collect == TN_COLLECT_FIRST || m->collect == TN_COLLECT_LAST) {
      if (m->collect == TN_COLLECT_FIRST && holds) best = x;
      if (m->collect == TN_COLLECT_FIRST ? holds : !holds) break;
      if (m->collect == TN_COLLECT_LAST) best = x;
      continue;
    }
    const double v = m->where ? holds : meter->value;
    if (m->collect == TN_COLLECT_SUM)
      best = k ? best + v : v;
    else if (k == 0 || (m->collect == TN_COLLECT_MAX ? !(v <= best) : v < best))
      best = v;
  }
  m->result = best;
}

static void fact(tn_study *s, tn_finding *m) {
  tn_error e;
  const double start = tn_cpu_clock();
  if (tn_fact(&s->arena.allocator, m->node, &m->result, &e) != TN_OK) {
    tn_error_text(&e, m->message, sizeof m->message);
    m->failure = m->message;
    m->result = NAN;
  }
  m->seconds = tn_cpu_clock() - start;
}

typedef struct work {
  tn_study *s;
  const tn_study_options *options;
  int done, all;
  int *trial, *measure, *reference;        /* which, in this order */
  int trials, facts, measures, references; /* measures: facts first, then those that are varied */
} work;

static bool tell(tn_pool *pool, work *w, const char *name) {
  bool on = true;
  tn_pool_lock(pool);
  w->done++;
  if (w->options->progress) on = w->options->progress(w->options->user, w->done, w->all, name);
  tn_pool_unlock(pool);
  return on;
}

static bool one_reference(tn_pool *pool, void *user, int i) {
  work *w = user;
  tn_reference_plan *r = &w->s->reference[w->reference[i]];
  tn_trial trial = {.plan = r->plan,
                    .folder = w->s->folder,
                    .files = w->s->files,
                    .files_user = w->s->files_user,
                    .reference = &r->table};
  tn_trial_run(&trial, &w->s->arena.allocator);
  r->seconds = trial.seconds;
  if (trial.status != TN_OK) tn_format(r->failure, sizeof r->failure, "its reference: %.400s", trial.message);
  return tell(pool, w, r->table.name);
}

static bool one(tn_pool *pool, void *user, int i) {
  work *w = user;
  tn_study *s = w->s;
  if (i < w->trials) {
    tn_trial *t = &s->trial[w->trial[i]];
    tn_trial_run(t, &s->arena.allocator);
    return tell(pool, w, t->plan->name);
  }
  tn_finding *m = &s->measure[w->measure[i - w->trials]];
  fact(s, m);
  return tell(pool, w, m->name ? m->name : "fact");
}

static bool one_varied(tn_pool *pool, void *user, int i) {
  work *w = user;
  tn_finding *m = &w->s->measure[w->measure[w->facts + i]];
  varied(w->s, m);
  return tell(pool, w, m->plan->name);
}

/* all meters on the run of a plan */
static tn_status trial_of(tn_study *s, const tn_plan_of_run *p, tn_trial *t, tn_error *e) {
  *t = (tn_trial){.plan = p, .folder = s->folder, .files = s->files, .files_user = s->files_user, .curve = true};
  for (int i = 0; i < s->measures; i++)
    t->meters += s->measure[i].needed && s->measure[i].plan == p && s->measure[i].kind == TN_MEASURE_RUN;
  const int poses = tn_figure_strobes(s, p, NULL);
  if (!t->meters && !poses) return TN_OK;
  if (poses) {
    tn_strobe **strobe = tn_arena_alloc(&s->arena, sizeof *strobe * (size_t)(poses + 1));
    if (!strobe) return tn_out_of_memory(e);
    tn_figure_strobes(s, p, strobe);
    t->see = tn_figure_see;
    t->see_user = strobe;
  }
  t->meter = tn_arena_alloc(&s->arena, sizeof *t->meter * (size_t)(t->meters + 1));
  t->bin = tn_arena_alloc(&s->arena, sizeof *t->bin * TN_BINS);
  if (!t->meter || !t->bin) return tn_fail(e, TN_E_MEMORY, "out of memory");
  int n = 0;
  for (int i = 0; i < s->measures; i++) {
    tn_finding *m = &s->measure[i];
    if (!m->needed || m->plan != p || m->kind != TN_MEASURE_RUN) continue;
    t->meter[n++] = &m->meter;
    t->has_error = t->has_error || m->meter.signal == TN_SIGNAL_ERROR;
  }
  return TN_OK;
}

/* ---- values and verdicts ---------------------------------------------------------------------------------------------------------- */

static void settle(tn_study *s, int i);

static void settle_named(tn_study *s, tn_finding *m, const tn_expr *expr) {
  for (int k = 0; expr && k < tn_expr_slots(expr); k++) {
    const int slot = tn_expr_slot(expr, k);
    if (slot >= s->measures) continue;
    settle(s, slot);
    m->seconds += s->measure[slot].seconds;
    if (!m->failure) m->failure = s->measure[slot].failure;
    m->broken = m->broken || s->measure[slot].broken;
  }
}

void tn_study_settle(tn_study *s, int i) { settle(s, i); }

static void settle(tn_study *s, int i) {
  tn_finding *m = &s->measure[i];
  if (m->done) return;
  if (m->busy) {
    m->failure = "this measure needs itself";
    return;
  }
  m->busy = true;
  if (m->kind == TN_MEASURE_RUN) {
    const tn_trial *t = &s->trial[m->plan - s->plan];
    m->result = m->meter.value;
    m->seconds = t->seconds;
    explain(m, t);
    m->broken = t->broken;
    if (m->against >= 0 && s->reference[m->against].failure[0]) {
      m->failure = s->reference[m->against].failure;
      m->result = NAN;
    } else if (m->against >= 0 && !m->meter.samples && !m->failure) {
      m->failure = "no row of the run is at a time of the reference";
    }
  } else if (m->kind == TN_MEASURE_VALUE) {
    settle_named(s, m, m->value);
    const scope c = {.s = s, .measured = NAN, .paper = NAN, .m = NAN, .x = NAN};
    m->result = evaluate(m->value, &c);
  }
  m->busy = false;
  m->done = true;
}

double tn_study_value(tn_study *s, const tn_expr *expr) {
  for (int k = 0; k < tn_expr_slots(expr); k++)
    if (tn_expr_slot(expr, k) < s->measures) settle(s, tn_expr_slot(expr, k));
  const scope c = {.s = s, .measured = NAN, .paper = NAN, .m = NAN, .x = NAN};
  return evaluate(expr, &c);
}

static void judge(tn_study *s, tn_row_plan *r) {
  tn_study_row *row = &r->row;
  tn_finding *m = r->measure >= 0 ? &s->measure[r->measure] : NULL;
  if (m) {
    settle(s, r->measure);
    row->measured = m->result;
    row->failure = m->failure;
    row->seconds = m->seconds;
  }
  bool broken = m && m->broken;
  for (int k = 0; r->holds && k < tn_expr_slots(r->holds); k++) {
    const int slot = tn_expr_slot(r->holds, k);
    if (slot >= s->measures) continue;
    settle(s, slot);
    if (!row->failure) row->failure = s->measure[slot].failure;
    broken = broken || s->measure[slot].broken;
  }
  const scope c = {.s = s, .measured = row->measured, .paper = r->paper, .m = NAN, .x = NAN};
  if (!r->decidable || broken || (row->failure && isnan(row->measured) && !r->holds))
    row->verdict = TN_NOT_DECIDABLE;
  else if (r->holds)
    row->verdict = is_so(r->holds, &c) ? TN_REPRODUCED : TN_DIFFERS;
  else
    row->verdict = tn_within(r->agree, row->measured, r->paper) ? TN_REPRODUCED : TN_DIFFERS;
  /* a run that has failed is no evidence that something stays small */
  if (row->verdict == TN_REPRODUCED && !tn_rule_holds(s, r, tn_rule_unbounded, NULL)) row->verdict = TN_DIFFERS;
  row->within = !m || tn_within(row->tolerance, row->measured, row->expected);
  bool own = true;
  if (r->own_measure >= 0) {
    settle(s, r->own_measure);
    const tn_finding *o = &s->measure[r->own_measure];
    row->own = o->result;
    row->seconds += o->seconds;
    own = !o->broken && (!r->own_tolerance || tn_within(r->own_tolerance, o->result, r->own_expected));
    if (o->broken && !row->failure) row->failure = o->failure;
  }
  const bool ours = r->ours_tolerance && tn_within(r->ours_tolerance, row->measured, r->ours);
  row->as_expected =
      !broken && own && ((row->verdict == row->foreseen && row->within) || (ours && row->verdict == r->ours_verdict));
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------------------- */

static tn_status list_work(tn_study *s, const tn_study_options *o, work *w, tn_error *e) {
  w->trial = tn_arena_alloc(&s->arena, sizeof *w->trial * (size_t)(s->plans + 1));
  w->measure = tn_arena_alloc(&s->arena, sizeof *w->measure * (size_t)(s->measures + 1));
  w->reference = tn_arena_alloc(&s->arena, sizeof *w->reference * (size_t)(s->references + 1));
  if (!w->trial || !w->measure || !w->reference) return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < s->rows; i++) {
    tn_row_plan *r = &s->row[i];
    r->wanted =
        (r->row.quick || !o->quick) && (!o->only || strstr(r->row.id, o->only)) && (!s->rows_only || s->rows_only[i]);
    if (!r->wanted) continue;
    if (r->measure >= 0) need(s, r->measure);
    need_named(s, r->holds);
    if (r->own_measure >= 0) need(s, r->own_measure);
  }
  s->figures_asked = o->figures;
  for (int i = 0; i < s->figures; i++) {
    tn_figure_plan *f = &s->figure[i];
    f->wanted = o->figures && !f->figure.left_out && (f->figure.quick || !o->quick) &&
                (!o->only || strstr(f->figure.id, o->only));
    f->figure.drawn = false;
    if (f->wanted) TN_TRY(tn_figure_begin(s, f, e));
  }
  for (int i = 0; i < s->references; i++)
    if (s->reference[i].needed && s->reference[i].plan) w->reference[w->references++] = i;
  for (int i = 0; i < s->plans; i++) {
    tn_status status = trial_of(s, &s->plan[i], &s->trial[i], e);
    if (status != TN_OK) return status;
    if (s->trial[i].meters || s->trial[i].see) w->trial[w->trials++] = i;
  }
  for (int i = 0; i < s->measures; i++)
    if (s->measure[i].needed && s->measure[i].kind == TN_MEASURE_FACT) w->measure[w->measures++] = i;
  w->facts = w->measures;
  for (int i = 0; i < s->measures; i++) {
    tn_finding *m = &s->measure[i];
    if (!m->needed || m->kind != TN_MEASURE_VARIED) continue;
    w->measure[w->measures++] = i;
    if (!m->point) m->point = tn_arena_alloc(&s->arena, sizeof *m->point * (size_t)(last_of(m) + 1));
    if (!m->point) return tn_fail(e, TN_E_MEMORY, "out of memory");
  }
  w->all = w->references + w->trials + w->measures;
  return TN_OK;
}

tn_status tn_study_make_runs(tn_study *s, const tn_study_options *options, tn_error *e) {
  work w = {.s = s, .options = options};
  for (int i = 0; i < s->measures; i++) {
    tn_finding *m = &s->measure[i];
    m->needed = m->busy = m->done = m->broken = m->track.paired = false;
    m->meter.track = NULL;
    m->result = NAN;
    m->seconds = 0;
    m->failure = NULL;
  }
  for (int i = 0; i < s->rows; i++) s->row[i].row.verdict = TN_NOT_RUN;
  tn_status status = list_work(s, w.options, &w, e);
  if (status != TN_OK) return status;
  if (!tn_pool_run(w.options->workers, w.references, one_reference, &w) ||
      !tn_pool_run(w.options->workers, w.trials + w.facts, one, &w))
    return tn_fail(e, TN_E_STOPPED, "the study was interrupted");
  /* `where` may look at what those have given */
  for (int i = w.facts; i < w.measures; i++) {
    tn_finding *m = &s->measure[w.measure[i]];
    settle_named(s, m, m->where);
    m->seconds = 0;
  }
  if (!tn_pool_run(w.options->workers, w.measures - w.facts, one_varied, &w))
    return tn_fail(e, TN_E_STOPPED, "the study was interrupted");
  for (int i = 0; i < s->rows; i++)
    if (s->row[i].wanted) judge(s, &s->row[i]);
  tn_claims_judge(s);
  for (int i = 0; i < s->figures; i++)
    if (s->figure[i].wanted) TN_TRY(tn_figure_draw(s, &s->figure[i], e));
  return TN_OK;
}

tn_status tn_study_run(tn_study *s, const tn_study_options *options, tn_error *error) {
  static const tn_study_options usual;
  tn_error spare, *e = error ? error : &spare;
  TN_NEED(e, s, "study");
  tn_error_clear(e);
  if (s->under_way) return tn_fail(e, TN_E_USAGE, "tn_study_run: not while the study runs");
  s->under_way = true;
  const tn_status status = tn_study_make_runs(s, options ? options : &usual, e);
  s->under_way = false;
  return status;
}

bool tn_study_as_expected(const tn_study *s) {
  if (!s) return false;
  for (int i = 0; i < s->rows; i++)
    if (s->row[i].row.verdict != TN_NOT_RUN && !s->row[i].row.as_expected) return false;
  for (int i = 0; i < s->figures; i++)
    if (s->figure[i].figure.drawn && s->figure[i].figure.failure) return false;
  return true;
}
