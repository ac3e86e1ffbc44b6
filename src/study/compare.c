/* methods compared on one model. errors are distances of bodies from a reference, which is made here in other coordinates, with
 * another integrator and tight tolerances, twice: the difference of the two is what it may be off itself.
 *   - it holds as long as that is below TN_HOLDS; what comes later (chaos) is not judged
 *   - errors below ten times that, and errors that differ by less than that, are not told apart: they share a rank
 * a run is good enough if its error, with that of the reference, is within the accuracy that is asked for, it keeps the constraint
 * contract and its verdict is not `wrong`; one that is doubtful by itself is recommended with a word of that. of those that are and cost, in processor time, at most a quarter more than the cheapest (less is not told apart by timing), the
 * recommendation is the one that keeps the constraints best, where that differs by ten times and is not roundoff; then the most accurate; then
 * the first. if none is good enough, the one with the least error. */
#include "study/study.h"

static const double GOOD_ERROR = 1e-4; /* of lengths of the model, and of directions: the usual accuracy           */
static const double SAME_COST = 1.25;  /* 1: times of the processor of which the longer is no more are not told apart */
/* of lengths of the model: errors and violations below are roundoff */
static const double ERROR_ROUNDOFF = 1e-13;
static const double LOOSER = 1e-2; /* of the accuracy: with smaller errors, looser tolerances would do            */
enum { MOST_RHS = 4000000, FEW_RHS = 400000, MOST_RUNS = 1000, ROWS = 200 };
enum { PATIENCE = 50 }; /* times the right-hand sides of the reference */

/* ---- the model as text ------------------------------------------------------------------------------------------------------ */

static bool collect(void *user, const char *text, size_t n) {
  tn_compare *c = user;
  if (c->size + n + 1 > c->room) {
    const size_t room = 2 * (c->room + n) + 4096;
    char *larger = tn_arena_alloc(&c->arena, room);
    if (!larger) return false;
    if (c->size) memcpy(larger, c->text, c->size);
    c->text = larger;
    c->room = room;
  }
  memcpy(c->text + c->size, text, n);
  c->size += n;
  c->text[c->size] = 0;
  return true;
}

/* ---- the reference ------------------------------------------------------------------------------------------------------------ */

static bool among(int n, const char *const *names, const char *name) {
  for (int i = 0; i < n; i++)
    if (strncmp(names[i], name, strlen(name)) == 0) return true;
  return false;
}

typedef struct attempt {
  tn_compare *c;
  const char *coordinates, *formulation, *integrator;
  tn_trial trial[2];
  tn_setting setting[2][6];
  bool some_doubtful; /* a way was left because its run is not trusted */
} attempt;

static bool one_of_two(tn_pool *pool, void *user, int i) {
  attempt *a = user;
  (void)pool;
  tn_trial_run(&a->trial[i], &a->c->arena.allocator);
  return true;
}

/* how far apart both are, and from when on by too much */
static void distance(tn_compare *c) {
  const tn_reference *a = &c->first, *b = &c->second;
  const size_t width = (size_t)b->columns + 1;
  c->reference_error = ERROR_ROUNDOFF; /* two that agree to the last digit may be off by that all the same */
  c->holds = 0;
  for (size_t i = 0; i < a->rows && i < b->rows; i++) {
    const double off = tn_pose_distance(c->dimension, b->columns, a->value + i * width + 1, b->value + i * width + 1);
    if (!(off <= TN_HOLDS)) break;
    c->reference_error = fmax(c->reference_error, off);
    c->holds = b->value[i * width];
  }
}

/* both runs of one way came to the end of what holds, and the tighter one has the verdict `trusted` or need not have it */
static bool attempt_reference(attempt *a, int64_t most, bool doubtful) {
  static const char *const rtol[] = {"1e-10", "1e-12"};
  tn_compare *c = a->c;
  tn_reference *table[] = {&c->first, &c->second};
  for (int i = 0; i < 2; i++) {
    tn_setting *s = a->setting[i];
    s[0] = (tn_setting){"method", "project"};
    s[1] =
        (tn_setting){a->formulation ? "formulation" : "coordinates", a->formulation ? a->formulation : a->coordinates};
    s[2] = (tn_setting){"integrator", a->integrator};
    s[3] = (tn_setting){"rtol", rtol[i]};
    s[4] = (tn_setting){"every", c->every};
    s[5] = (tn_setting){"atol", rtol[i]};
    tn_arena_free(&table[i]->arena);
    *table[i] = (tn_reference){.name = "reference"};
    tn_arena_init(&table[i]->arena, &c->arena.allocator);
    a->trial[i] = (tn_trial){.text = c->text,
                             .text_name = c->name,
                             .settings = 6,
                             .setting = s,
                             .most_rhs = most,
                             .poses = true,
                             .reference = table[i]};
  }
  tn_pool_run(c->options->workers, 2, one_of_two, a);
  if (a->trial[0].status != TN_OK || a->trial[1].status != TN_OK) return false;
  distance(c);
  c->until = a->trial[1].t_end;
  c->patience = PATIENCE * a->trial[1].summary.rhs;
  if (c->patience < FEW_RHS) c->patience = FEW_RHS;
  if (!(c->holds > 0)) {
    tn_format(a->trial[1].message, sizeof a->trial[1].message, "two runs with tight tolerances part at once");
    return false;
  }
  const tn_run_verdict verdict = a->trial[1].summary.verdict;
  if (verdict != TN_TRUSTED && !doubtful) {
    tn_format(a->trial[1].message, sizeof a->trial[1].message, "runs with tight tolerances are not trusted");
    a->some_doubtful = true;
    return false;
  }
  tn_format(c->reference, sizeof c->reference, "%s, %s %s, rtol 1e-12; against rtol 1e-10%s%s", a->integrator,
            a->formulation ? "formulation" : "coordinates", a->formulation ? a->formulation : a->coordinates,
            verdict == TN_TRUSTED ? "" : "; no run at this tolerance is trusted, this one is ",
            verdict == TN_TRUSTED ? "" : tn_run_verdict_name(verdict));
  return true;
}

/* explicit formulas first; a stiff model makes them give up early. other coordinates than those of the model. two runs may agree on a
 * wrong branch behind a singular position, so the first way is taken whose run is trusted, and a doubtful one only if there is none */
static bool try_references(attempt *a, bool relative, const char *own, bool doubtful) {
  static const char *const integrators[] = {"dop853", "abm", "radau5"};
  const tn_compare *c = a->c;
  for (int pass = 0; pass < 2; pass++) /* those that are compared come last */
    for (int k = 0; k < 3; k++) {
      a->integrator = integrators[k];
      const bool compared = c->options->integrators
                                ? among(c->options->integrators, c->options->integrator, a->integrator)
                                : strcmp(own, a->integrator) == 0;
      if (compared != (pass == 1)) continue;
      const int64_t most = k < 2 ? FEW_RHS : MOST_RHS;
      a->coordinates = relative ? "absolute" : "relative";
      a->formulation = NULL;
      if (attempt_reference(a, most, doubtful)) return true;
      a->formulation = "gauss";
      if (attempt_reference(a, most, doubtful)) return true;
    }
  return false;
}

static tn_status make_reference(tn_compare *c, bool relative, const char *own, tn_error *e) {
  attempt a = {.c = c};
  if (try_references(&a, relative, own, false)) return TN_OK;
  if (a.some_doubtful && try_references(&a, relative, own, true)) return TN_OK;
  return tn_fail(e, TN_E_RUN, "no reference could be made: %.400s", a.trial[1].message);
}

/* ---- the runs ------------------------------------------------------------------------------------------------------------------- */

enum { ERROR_MAX, ERROR_FINAL, C_MAX, C_RMS, CDOT_MAX, CDOT_RMS };

static void put_meters(tn_compare *c, tn_entry *x) {
  static const tn_meter usual = {.row = -1, .scaled = true, .by_time = true, .from = -INFINITY, .to = INFINITY};
  for (int i = 0; i < 6; i++) {
    x->meter[i] = usual;
    x->of[i] = &x->meter[i];
  }
  for (int i = 0; i < 2; i++) {
    x->meter[i].signal = TN_SIGNAL_POSE;
    x->meter[i].against = &c->second;
    x->meter[i].to = c->holds;
  }
  x->meter[ERROR_FINAL].take = TN_TAKE_FINAL;
  x->meter[CDOT_MAX].signal = x->meter[CDOT_RMS].signal = TN_SIGNAL_CDOT;
  x->meter[C_MAX].signal = x->meter[C_RMS].signal = TN_SIGNAL_C;
  x->meter[C_RMS].take = x->meter[CDOT_RMS].take = TN_TAKE_RMS;
}

/* with a reference from a file: all of its columns, which are outputs of the model */
static tn_status from_file(tn_compare *c, tn_meter *m, tn_error *e) {
  const int n = c->second.columns;
  int *theirs = tn_arena_alloc(&c->arena, sizeof *theirs * (size_t)(n + 1));
  m->column = tn_arena_alloc(&c->arena, sizeof *m->column * (size_t)(n + 1));
  if (!theirs || !m->column) return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < n; i++) theirs[i] = i;
  m->signal = TN_SIGNAL_ERROR;
  m->channels = n;
  m->channel = c->second.column;
  m->theirs = theirs;
  return TN_OK;
}

static bool is_method(const char *name) {
  for (int i = 0; tn_list_name("method", i); i++)
    if (strcmp(tn_list_name("method", i), name) == 0) return true;
  return false;
}

/* a method or a stabilizer, with its parameters behind a colon */
static tn_status known(const char *name, tn_error *e) {
  static const char *const kinds[] = {"method", "stabilizer"};
  const char *all[128];
  int n = 0;
  const size_t size = strcspn(name, ":");
  for (int k = 0; k < 2; k++)
    for (int i = 0; tn_list_name(kinds[k], i); i++) {
      const char *one = tn_list_name(kinds[k], i);
      if (strlen(one) == size && strncmp(one, name, size) == 0) return TN_OK;
      if (n < 128) all[n++] = one;
    }
  const char *near = tn_nearest(name, n, all);
  tn_fail(e, TN_E_USAGE, "there is no method or stabilizer '%.64s'", name);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_USAGE;
}

static tn_status list_runs(tn_compare *c, tn_error *e) {
  static const char *const usual[] = {"project", "direct", "baumgarte-step", "fuzzy", "braun-goldfarb", "fci"};
  const tn_compare_options *o = c->options;
  const int methods = o->methods ? o->methods : (int)(sizeof usual / sizeof *usual);
  const int integrators = o->integrators ? o->integrators : 1, settings = o->settings ? o->settings : 1;
  if ((double)methods * integrators * settings > MOST_RUNS)
    return tn_fail(e, TN_E_USAGE, "these are more than %d runs", (int)MOST_RUNS);
  for (int i = 0; i < o->methods; i++) TN_TRY(known(o->method[i], e));
  c->entry = tn_arena_alloc(&c->arena, sizeof *c->entry * (size_t)(methods * integrators * settings));
  if (!c->entry) return tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < methods; i++)
    for (int j = 0; j < integrators; j++)
      for (int k = 0; k < settings; k++) {
        tn_entry *x = &c->entry[c->rows++];
        tn_compare_row *r = &x->row;
        r->method = o->methods ? tn_arena_text(&c->arena, o->method[i], strlen(o->method[i])) : usual[i];
        r->integrator = o->integrators ? tn_arena_text(&c->arena, o->integrator[j], strlen(o->integrator[j])) : "";
        if (!r->method || !r->integrator) return tn_fail(e, TN_E_MEMORY, "out of memory");
        r->setting = o->settings ? o->setting[k] : (double)NAN;
        int n = 0;
        x->setting[n++] = (tn_setting){is_method(r->method) ? "method" : "stabilize", r->method};
        if (*r->integrator) x->setting[n++] = (tn_setting){"integrator", r->integrator};
        if (o->settings) {
          tn_json_digits(r->setting, x->digits);
          x->setting[n++] = (tn_setting){o->fixed ? "step" : "rtol", x->digits};
          if (!o->fixed && c->absolute) x->setting[n++] = (tn_setting){"atol", x->digits};
        }
        if (!o->reference) x->setting[n++] = (tn_setting){"every", c->every};
        put_meters(c, x);
        x->trial = (tn_trial){.text = c->text,
                              .text_name = c->name,
                              .settings = n,
                              .setting = x->setting,
                              .most_rhs = c->patience,
                              .own_outputs = o->reference != NULL,
                              .curve = true,
                              .scaled = true,
                              .has_error = true,
                              .meters = 6,
                              .meter = x->of};
        x->trial.bin = tn_arena_alloc(&c->arena, sizeof *x->trial.bin * TN_BINS);
        if (!x->trial.bin) return tn_fail(e, TN_E_MEMORY, "out of memory");
      }
  return TN_OK;
}

static bool one(tn_pool *pool, void *user, int i) {
  tn_compare *c = user;
  tn_entry *x = &c->entry[i];
  tn_trial *t = &x->trial;
  tn_compare_row *r = &x->row;
  tn_trial_run(t, &c->arena.allocator);
  r->error = x->meter[ERROR_MAX].value;
  r->error_final = x->meter[ERROR_FINAL].value;
  r->C_max = x->meter[C_MAX].value;
  r->C_rms = x->meter[C_RMS].value;
  r->Cdot_max = x->meter[CDOT_MAX].value;
  r->Cdot_rms = x->meter[CDOT_RMS].value;
  r->steps = t->summary.steps;
  r->rejected = t->summary.rejected;
  r->rhs = t->summary.rhs;
  r->cpu_seconds = t->summary.cpu_seconds;
  r->energy = t->summary.energy_balance;
  r->contract_kept = t->summary.contract_kept;
  r->verdict = t->summary.verdict;
  r->compared = (int)x->meter[ERROR_MAX].samples - 1; /* but for the start */
  if (t->status == TN_E_STOPPED)
    tn_format(t->message, sizeof t->message, "given up at t = %.4g s after %" PRId64 " right-hand sides", t->t_end,
              r->rhs);
  if (t->status != TN_OK)
    r->failure = t->message;
  else if (r->compared < 1)
    r->failure = "no row but the start is at a time of the reference";
  r->resolved = r->error > TN_APART * c->reference_error;
  tn_pool_lock(pool);
  c->done++;
  const bool on = !c->options->progress || c->options->progress(c->options->user, c->done, c->all, r->method);
  tn_pool_unlock(pool);
  return on;
}

/* ---- judgement -------------------------------------------------------------------------------------------------------------------- */

/* errors that the reference cannot tell apart are alike */
static double judged(const tn_compare *c, const tn_compare_row *r) {
  return fmax(r->error, TN_APART * c->reference_error);
}

static void rank(tn_compare *c) {
  for (int i = 0; i < c->rows; i++) {
    tn_compare_row *r = &c->entry[i].row;
    if (r->failure || isnan(r->error)) continue;
    r->rank_error = r->rank_residual = 1;
    for (int k = 0; k < c->rows; k++) {
      const tn_compare_row *other = &c->entry[k].row;
      if (other->failure || isnan(other->error)) continue;
      r->rank_error += judged(c, other) + c->reference_error < judged(c, r);
      r->rank_residual += other->C_max < r->C_max;
    }
  }
}

void tn_compare_label(const tn_compare *c, const tn_compare_row *r, char *text, size_t size) {
  char at[64] = "";
  if (!isnan(r->setting)) tn_format(at, sizeof at, ", %s %g", c->fixed ? "step" : "rtol", r->setting);
  tn_format(text, size, "%.120s%s%.60s%s", r->method, *r->integrator ? " with " : "", r->integrator, at);
}

static bool is_good(const tn_compare *c, const tn_compare_row *r) {
  return r->contract_kept && r->verdict != TN_WRONG && r->error + c->reference_error <= c->accuracy;
}

/* a before b, of two that cost the same or of which none is good */
static bool before(const tn_compare *c, const tn_compare_row *a, const tn_compare_row *b, bool good) {
  const double C_a = fmax(a->C_max, ERROR_ROUNDOFF), C_b = fmax(b->C_max, ERROR_ROUNDOFF);
  if (good && C_a > 10 * C_b) return false;
  if (good && C_b > 10 * C_a) return true;
  return judged(c, a) + c->reference_error < judged(c, b);
}

/* the first of those wanted; without one, -1 */
static int best_of(const tn_compare *c, bool good, double most_seconds, int but) {
  int best = -1;
  for (int i = 0; i < c->rows; i++) {
    const tn_compare_row *r = &c->entry[i].row;
    if (!r->rank_error || i == but || (good && (!is_good(c, r) || r->cpu_seconds > most_seconds))) continue;
    if (best < 0 || before(c, r, &c->entry[best].row, good)) best = i;
  }
  return best;
}

typedef struct sentence {
  char *at;
  size_t room;
} sentence;

static void say(sentence *s, const char *format, ...) TN_PRINTF(2, 3);
static void say(sentence *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = tn_vformat(s->at, s->room, format, list);
  va_end(list);
  if (n < 0) return;
  const size_t used = (size_t)n < s->room ? (size_t)n : s->room - 1;
  s->at += used;
  s->room -= used;
}

/* two runs that violations put in the wrong order, by most */
static void warn(const tn_compare *c, sentence *s) {
  double worst = 2;
  int a = -1, b = -1;
  char name[256], other[256];
  for (int i = 0; i < c->rows; i++)
    for (int k = 0; k < c->rows; k++) {
      const tn_compare_row *x = &c->entry[i].row, *y = &c->entry[k].row;
      if (!x->rank_error || !y->rank_error || !(2 * x->C_max < y->C_max) || !(judged(c, x) > worst * judged(c, y)))
        continue;
      worst = judged(c, x) / judged(c, y);
      a = i, b = k;
    }
  if (a < 0) return;
  const tn_compare_row *x = &c->entry[a].row, *y = &c->entry[b].row;
  tn_compare_label(c, x, name, sizeof name);
  tn_compare_label(c, y, other, sizeof other);
  say(s, "Violations alone would rank otherwise: %s has |C| %.2g and an error of %.2g, %s |C| %.2g and %.2g.", name,
      x->C_max, x->error, other, y->C_max, y->error);
}

static void recommend(tn_compare *c) {
  char name[256];
  int good = 0, ended = 0;
  double cheapest = INFINITY;
  sentence s = {c->recommendation, sizeof c->recommendation}, remark = {c->remark, sizeof c->remark};
  for (int i = 0; i < c->rows; i++) {
    const tn_compare_row *r = &c->entry[i].row;
    if (!r->rank_error) continue;
    ended++;
    if (!is_good(c, r)) continue;
    good++;
    cheapest = fmin(cheapest, r->cpu_seconds);
  }
  c->winner = best_of(c, good > 0, SAME_COST * cheapest, -1);
  warn(c, &remark);
  if (c->winner < 0) {
    say(&s, "None can be recommended: no run could be compared to its end.");
    return;
  }
  const tn_compare_row *w = &c->entry[c->winner].row;
  tn_compare_label(c, w, name, sizeof name);
  say(&s, "Use %s: ", name);
  if (good)
    say(&s,
        "it keeps the contract, its error of %.2g is within %g, and with %.3g s of processor time none of the %d such "
        "runs is cheaper by "
        "more than timing can tell",
        w->error, c->accuracy, w->cpu_seconds, good);
  else
    say(&s,
        "no run keeps the contract with an error within %g, and of the %d that came to their end its error of %.2g is "
        "the least",
        c->accuracy, ended, w->error);
  if (c->holds < c->until * (1 - TN_SAME_TIME)) say(&s, " (errors up to t = %.4g s of %.4g s)", c->holds, c->until);
  if (w->verdict != TN_TRUSTED) say(&s, "; `tenon run` calls it %s", tn_run_verdict_name(w->verdict));
  const int second = good == 1 ? -1 : best_of(c, good > 0, INFINITY, c->winner);
  if (second >= 0) {
    tn_compare_label(c, &c->entry[second].row, name, sizeof name);
    say(&s, "; %s has %.2g at %.3g s", name, c->entry[second].row.error, c->entry[second].row.cpu_seconds);
  }
  say(&s, ".");
  if (good && !c->fixed && w->error < LOOSER * c->accuracy && !c->options->settings)
    say(&s, " Looser tolerances would do: --rtol with several.");
}

/* ---- from a model to all of it ------------------------------------------------------------------------------------------------------- */

static tn_status prepare(tn_compare *c, const tn_desc *desc, tn_error *e) {
  const tn_compare_options *o = c->options;
  tn_model *model = NULL;
  TN_TRY(tn_compile(desc, &model, e));
  const bool relative = model->relative;
  const char *own = model->run.integrator->name; /* of the registry: it stays */
  c->until = model->run.until;
  c->absolute = model->run.atol > 0;
  c->dimension = model->dimension;
  c->contract[0] = model->run.contract_position;
  c->contract[1] = model->run.contract_velocity;
  c->title = tn_arena_text(&c->arena, model->title, strlen(model->title));
  tn_model_free(model);
  if (!c->title) return tn_fail(e, TN_E_MEMORY, "out of memory");
  if (!(c->until > 0)) return tn_fail(e, TN_E_USAGE, "the run has no length to compare anything over");
  tn_json_digits(c->until / ROWS, c->every);
  if (tn_desc_print(desc, collect, c, e) != TN_OK) return tn_fail(e, TN_E_MEMORY, "out of memory");
  TN_TRY(list_runs(c, e)); /* names are checked before anything runs */
  if (!o->reference) return make_reference(c, relative, own, e);
  TN_TRY(tn_reference_read(&c->second, o->reference, e));
  if (c->second.columns < 1) return tn_fail(e, TN_E_USAGE, "the reference has no column but t");
  const char *slash = o->reference[0] == '/' ? strrchr(o->reference, '/') : NULL; /* pages are shown to others */
  tn_format(c->reference, sizeof c->reference, "%.200s", slash ? slash + 1 : o->reference);
  c->from_file = true;
  c->holds = c->second.value[(c->second.rows - 1) * ((size_t)c->second.columns + 1)];
  return TN_OK;
}

/* lists as long as they say, without a NULL in them */
static tn_status whole(const tn_compare_options *o, tn_error *e) {
  static const char function[] = "tn_compare_run";
  if (o->settings > 0 && !o->setting) return tn_null_argument(e, function, "options->setting");
  for (int i = 0; i < o->methods; i++)
    if (!o->method || !o->method[i]) return tn_null_argument(e, function, "options->method");
  for (int i = 0; i < o->integrators; i++)
    if (!o->integrator || !o->integrator[i]) return tn_null_argument(e, function, "options->integrator");
  return TN_OK;
}

tn_status tn_compare_run(const tn_desc *desc, const char *model_name, const tn_compare_options *options,
                         tn_compare **out, tn_error *error) {
  static const tn_compare_options usual;
  tn_error spare, *e = error ? error : &spare;
  tn_arena arena;
  TN_NEED(e, out, "compare");
  *out = NULL;
  TN_NEED(e, desc, "desc");
  TN_NEED(e, model_name, "model_name");
  if (options) TN_TRY(whole(options, e));
  tn_error_clear(e);
  tn_arena_init(&arena, &desc->arena.allocator);
  tn_compare *c = tn_arena_alloc(&arena, sizeof *c);
  if (!c) return tn_fail(e, TN_E_MEMORY, "out of memory");
  c->options = options ? options : &usual;
  c->name = tn_arena_text(&arena, model_name, strlen(model_name));
  c->fixed = c->options->fixed;
  c->patience = 10L * MOST_RHS;
  c->accuracy = c->options->accuracy > 0 ? c->options->accuracy : GOOD_ERROR;
  c->arena = arena;
  tn_arena_init(&c->first.arena, &arena.allocator);
  tn_arena_init(&c->second.arena, &arena.allocator);
  tn_status status = c->name ? prepare(c, desc, e) : tn_fail(e, TN_E_MEMORY, "out of memory");
  for (int i = 0; i < c->rows; i++) { /* what the reference decides */
    c->entry[i].trial.most_rhs = c->patience;
    c->entry[i].meter[ERROR_MAX].to = c->entry[i].meter[ERROR_FINAL].to = c->holds;
    for (int l = 0; status == TN_OK && c->from_file && l < 2; l++) status = from_file(c, &c->entry[i].meter[l], e);
  }
  c->all = c->rows;
  if (status == TN_OK && !tn_pool_run(c->options->workers, c->rows, one, c))
    status = tn_fail(e, TN_E_STOPPED, "the comparison was interrupted");
  if (status != TN_OK) {
    tn_compare_free(c);
    return status;
  }
  rank(c);
  recommend(c);
  c->options = NULL;
  *out = c;
  return TN_OK;
}

void tn_compare_free(tn_compare *c) {
  if (!c) return;
  tn_arena_free(&c->first.arena);
  tn_arena_free(&c->second.arena);
  tn_arena arena = c->arena;
  tn_arena_free(&arena);
}

int tn_compare_rows(const tn_compare *c) { return c ? c->rows : 0; }
const tn_compare_row *tn_compare_row_at(const tn_compare *c, int i) {
  return c && i >= 0 && i < c->rows ? &c->entry[i].row : NULL;
}
const char *tn_compare_reference(const tn_compare *c, double *error, double *until) {
  if (error) *error = c ? c->reference_error : (double)NAN;
  if (until) *until = c ? c->holds : (double)NAN;
  return c ? c->reference : NULL;
}
const char *tn_compare_recommendation(const tn_compare *c, int *row) {
  if (row) *row = c ? c->winner : -1;
  return c ? c->recommendation : NULL;
}
