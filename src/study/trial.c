/* one run with meters on it. violations are read at the start and at the ends of steps; channels there or at rows of output; errors
 * at the times of the reference, which have to be among the rows. */
#include "study/study.h"

/* of the least distance of rows of the reference: so near are two rows of the same time */
static const double SAME_ROW = 1e-3;
static const double LONE_ROW = 1e-9;               /* s: the same where the reference has one row */
static const double TOLERANCE_DIGITS = 4 * TN_EPS; /* 1: tolerances are not tightened below */

typedef struct run {
  tn_trial *trial;
  tn_sim *sim;
  int64_t most_rhs;
  double until;
  bool at_steps; /* some meter reads channels there: rows are made there too */
  int *column;   /* reference: columns of a row */
  double *values;
} run;

static bool reads_channels(const tn_meter *m) {
  return m->signal == TN_SIGNAL_EXPRESSION || m->signal == TN_SIGNAL_ERROR;
}

static double violation(const tn_meter *m, const tn_sim *s, bool velocity) {
  const tn_model *model = s->m;
  const double *all = velocity ? s->contract.V1 : s->contract.C1;
  const int first = m->rows == 2 ? model->holonomic : 0;
  const int last = m->rows == 1 || (!velocity && m->rows == 0) ? model->holonomic : model->rows;
  if (m->row >= 0) return m->row < model->rows ? all[m->row] : (double)NAN;
  double sum = 0;
  for (int i = first; i < last; i++) {
    if (m->joint && strcmp(tn_sim_row_joint(s, i), m->joint) != 0) continue;
    const double a = fabs(all[i]) * (m->scaled ? s->solver.sys.rows.scale[i] : 1);
    sum = m->norm == 0 ? (a <= sum ? sum : a) : sum + (m->norm == 1 ? a : a * a);
  }
  return m->norm == 2 ? sqrt(sum) : sum;
}

static void keep(tn_trial *t, double until, double time, double C, double Cdot, double error) {
  if (!t->curve) return;
  int i = until > 0 ? (int)(time / until * TN_BINS) : 0;
  i = i < 0 ? 0 : i >= TN_BINS ? TN_BINS - 1 : i;
  tn_bin *b = &t->bin[i];
  b->t = time;
  b->C = fmax(b->C, C); /* of NaN and a number it is the number */
  b->Cdot = fmax(b->Cdot, Cdot);
  b->error = fmax(b->error, error);
}

static bool on_step(void *user, double t) {
  run *r = user;
  tn_trial *trial = r->trial;
  tn_sim *s = r->sim;
  if (r->at_steps && tn_row_here(s) != TN_OK) return true;
  for (int i = 0; i < trial->meters; i++) {
    tn_meter *m = trial->meter[i];
    if (m->signal == TN_SIGNAL_EXPRESSION && !m->at_rows) tn_meter_add(m, t, s->output.row[m->column[0]]);
    if (m->signal == TN_SIGNAL_C) tn_meter_add(m, t, violation(m, s, false));
    if (m->signal == TN_SIGNAL_CDOT) tn_meter_add(m, t, violation(m, s, true));
    if (m->signal == TN_SIGNAL_BOTH) tn_meter_add(m, t, fmax(violation(m, s, false), violation(m, s, true)));
  }
  if (trial->curve) {
    const tn_meter all = {.row = -1, .scaled = trial->scaled};
    keep(trial, r->until, t, violation(&all, s, false), violation(&all, s, true), NAN);
  }
  if (trial->see) trial->see(trial->see_user, s, t);
  if (trial->stop && trial->stop(trial->stop_user)) return !(trial->stopped = true);
  if (trial->enough && trial->enough(trial->enough_user, &s->summary)) return false;
  return !r->most_rhs || s->summary.rhs < r->most_rhs;
}

/* where the bodies are: places in lengths of the model, and axes; 4 numbers a body in the plane, 12 in space */
static int poses(const tn_sim *s, double *out) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  int n = 0;
  for (int i = 0; i < m->bodies; i++) {
    if (!out) {
      n += m->dimension == 2 ? 4 : 12;
    } else if (m->dimension == 2) {
      const tn_frame2 *f = &sys->pose.body[i];
      for (int k = 0; k < 2; k++) out[n++] = f->r[k] / m->length;
      out[n++] = f->c;
      out[n++] = f->s;
    } else {
      const tn_frame3 *f = &sys->pose.body3[i];
      for (int k = 0; k < 3; k++) out[n++] = f->r[k] / m->length;
      for (int k = 0; k < 9; k++) out[n++] = f->A[k];
    }
  }
  return n;
}

double tn_pose_distance(int dimension, int n, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < n; i += dimension) { /* a place or a unit vector at a time */
    double sum = 0;
    for (int k = i; k < i + dimension; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    worst = sqrt(sum) <= worst ? worst : sqrt(sum);
  }
  return worst;
}

static double distance(const tn_meter *m, const double *values, const double *theirs) {
  double sum = 0;
  for (int k = 0; k < m->channels; k++) {
    const double d = fabs(values[m->column[k]] - theirs[1 + m->theirs[k]]);
    sum = m->norm == 0 ? (d <= sum ? sum : d) : sum + (m->norm == 1 ? d : d * d);
  }
  return m->norm == 2 ? sqrt(sum) : sum;
}

static tn_status on_row(void *user, double t, int n, const double *values) {
  run *r = user;
  tn_trial *trial = r->trial;
  (void)n;
  for (int i = 0; i < trial->meters; i++) {
    tn_meter *m = trial->meter[i];
    if (m->signal == TN_SIGNAL_EXPRESSION && m->at_rows) tn_meter_add(m, t, values[m->column[0]]);
    if (m->signal != TN_SIGNAL_ERROR && m->signal != TN_SIGNAL_POSE) continue;
    const tn_reference *ref = m->against;
    const size_t width = (size_t)ref->columns + 1;
    const double tol = m->spacing;
    while (m->at < ref->rows && ref->value[m->at * width] < t - tol) m->at++;
    if (m->at == ref->rows || ref->value[m->at * width] > t + tol) continue;
    double off = NAN;
    if (m->signal == TN_SIGNAL_ERROR) {
      off = distance(m, values, ref->value + m->at * width);
    } else if (poses(r->sim, NULL) == ref->columns) {
      poses(r->sim, r->values);
      off = tn_pose_distance(r->sim->m->dimension, ref->columns, r->values, ref->value + m->at * width + 1);
    }
    tn_meter_add(m, t, off);
    if (t <= m->to + tol) keep(trial, r->until, t, NAN, NAN, off);
  }
  if (!trial->reference) return TN_OK;
  if (trial->poses)
    poses(r->sim, r->values);
  else
    for (int k = 0; k < trial->reference->columns; k++) r->values[k] = values[r->column[k]];
  return tn_reference_add(trial->reference, t, r->values);
}

/* an error of what is measured, in words of whoever asked for it */
static tn_status blame(tn_trial *t, int i, tn_error *e) {
  const tn_status status = e->status;
  const tn_error was = *e;
  const char *why = was.message, *name = t->meter[i]->name;
  if (status == TN_E_MEMORY) return status;
  t->blamed = i;
  if (t->own_outputs) return status;
  const char *ours = strncmp(why, "output 'm", 9) == 0 ? strstr(why, "': ") : NULL;
  if (ours) why = ours + 3;
  if (name)
    tn_fail(e, status, "measure '%.64s': %s", name, why);
  else
    tn_fail(e, status, "what is measured: %s", why);
  if (*was.hint) tn_hint(e, "%s", was.hint);
  return status;
}

static tn_status add_output(tn_desc *d, const char *name, const char *expression, tn_error *e) {
  char pointer[64];
  tn_format(pointer, sizeof pointer, "/outputs/%s", name);
  return tn_desc_text(d, pointer, expression, e);
}

/* some meter, or who wants a reference, takes rows of output */
static bool wants_rows(const tn_trial *t) {
  bool rows = t->reference || t->own_outputs;
  for (int i = 0; i < t->meters; i++) {
    const tn_meter *m = t->meter[i];
    rows = rows || m->at_rows || m->signal == TN_SIGNAL_ERROR || m->signal == TN_SIGNAL_POSE;
  }
  return rows;
}

/* outputs of the model give way to what is measured */
static tn_status ask(tn_trial *t, tn_desc *d, tn_error *e) {
  char name[48];
  tn_status status = TN_OK;
  if (t->own_outputs) return TN_OK;
  tn_desc_remove(d, "/outputs");
  status = tn_desc_text(d, "/outputs/nothing", "0", e);
  for (int i = 0; i < t->meters && status == TN_OK; i++) {
    const tn_meter *m = t->meter[i];
    for (int k = 0; reads_channels(m) && k < m->channels && status == TN_OK; k++) {
      tn_format(name, sizeof name, "m%d_%d", i, k);
      status = add_output(d, name, m->channel[k], e);
      if (status != TN_OK) return blame(t, i, e);
    }
  }
  for (int k = 0; t->reference && !t->poses && k < t->reference->columns && status == TN_OK; k++) {
    tn_format(name, sizeof name, "r_%d", k);
    status = add_output(d, name, t->reference->column[k], e);
  }
  return status;
}

static int column_of(const tn_sim *s, const char *name) {
  for (int i = 0; i < tn_sim_columns(s); i++)
    if (strcmp(tn_sim_column(s, i), name) == 0) return i;
  return -1;
}

/* rows that a meter asks for are there */
static tn_status find_rows(const tn_meter *m, const tn_sim *s, tn_error *e) {
  const tn_model *model = s->m;
  const char *name[64];
  int n = 0;
  if (m->signal != TN_SIGNAL_C && m->signal != TN_SIGNAL_CDOT && m->signal != TN_SIGNAL_BOTH) return TN_OK;
  if (m->row >= model->rows)
    return tn_fail(e, TN_E_MODEL, "there is no row %d: the model has %d", m->row + 1, model->rows);
  if (m->signal == TN_SIGNAL_C && (m->rows == 2 || m->row >= model->holonomic))
    return tn_fail(e, TN_E_MODEL, "nonholonomic rows have no C: measure Cdot");
  if (!m->joint) return TN_OK;
  for (int i = 0; i < model->joints; i++) {
    if (strcmp(model->joint[i].name, m->joint) == 0) return TN_OK;
    if (n < 64) name[n++] = model->joint[i].name;
  }
  const char *near = tn_nearest(m->joint, n, name);
  tn_fail(e, TN_E_MODEL, "there is no joint '%.64s'", m->joint);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

static tn_status find_columns(run *r, tn_error *e) {
  char name[48];
  tn_trial *t = r->trial;
  for (int i = 0; i < t->meters; i++)
    if (find_rows(t->meter[i], r->sim, e) != TN_OK) return blame(t, i, e);
  for (int i = 0; i < t->meters; i++) {
    tn_meter *m = t->meter[i];
    for (int k = 0; reads_channels(m) && k < m->channels; k++) {
      tn_format(name, sizeof name, "m%d_%d", i, k);
      m->column[k] = column_of(r->sim, t->own_outputs ? m->channel[k] : name);
      if (m->column[k] >= 0) continue;
      tn_fail(e, TN_E_MODEL,
              t->own_outputs ? "the model has no output '%.200s', which the reference has"
                             : "'%.200s' is a vector: measure a component or its norm",
              m->channel[k]);
      return blame(t, i, e);
    }
    r->at_steps = r->at_steps || (m->signal == TN_SIGNAL_EXPRESSION && !m->at_rows);
  }
  for (int k = 0; t->reference && !t->poses && k < t->reference->columns; k++) {
    tn_format(name, sizeof name, "r_%d", k);
    if ((r->column[k] = column_of(r->sim, name)) < 0)
      return tn_fail(e, TN_E_MODEL, "'%.200s' is a vector: compare components", t->reference->column[k]);
  }
  return TN_OK;
}

/* times are the same if they are so to a thousandth of the least distance of rows of the reference */
static double same_time(const tn_reference *r) {
  const size_t width = r ? (size_t)r->columns + 1 : 0;
  double least = INFINITY;
  for (size_t i = 1; r && i < r->rows; i++) least = fmin(least, r->value[i * width] - r->value[(i - 1) * width]);
  return isfinite(least) ? SAME_ROW * least : LONE_ROW;
}

static tn_status once(run *r, tn_error *e) {
  tn_trial *t = r->trial;
  for (int i = 0; i < t->meters; i++) {
    tn_meter_begin(t->meter[i]);
    t->meter[i]->spacing = same_time(t->meter[i]->against);
  }
  for (int i = 0; t->curve && i < TN_BINS; i++) t->bin[i] = (tn_bin){NAN, NAN, NAN, NAN};
  if (t->reference) t->reference->rows = 0;
  tn_status status = tn_sim_start(r->sim, e);
  if (status != TN_OK) return status;
  on_step(r, r->sim->now.t);
  tn_sim_watch(r->sim, on_step, r);
  return tn_sim_run(r->sim, on_row, r, e);
}

static double number_of(const tn_plan_of_run *p, const char *key, double otherwise) {
  const tn_node *node = tn_plan_get(p, key);
  return node && node->kind == TN_NODE_NUMBER ? node->number : otherwise;
}

tn_status tn_trial_describe(const tn_trial *t, tn_desc *d, tn_error *e) {
  char path[TN_PATH];
  if (t->text) {
    TN_TRY(tn_desc_parse(d, t->text_name, t->text, strlen(t->text), e));
  } else {
    TN_TRY(tn_plan_model(t->plan, t->folder, t->givens, t->given, path, e));
    const char *text;
    size_t size;
    if (t->files) {
      TN_TRY(tn_file_from(t->files, t->files_user, path, &text, &size, e));
      TN_TRY(tn_desc_parse(d, path, text, size, e));
    } else {
      TN_TRY(tn_desc_read(d, path, e));
    }
  }
  TN_TRY(t->plan ? tn_plan_apply(t->plan, t->givens, t->given, d, e) : tn_desc_settings(d, t->settings, t->setting, e));
  if (t->enforced || (t->plan && tn_plan_get(t->plan, "breach"))) return TN_OK;
  return tn_desc_part(d, "/run/contract/breach", "record", e);
}

/* tolerances of a tenth, as far as there are digits; fixed steps half as long */
void tn_tighten(tn_run *r) {
  const double least = TOLERANCE_DIGITS;
  r->rtol = fmax(0.1 * r->rtol, fmin(r->rtol, least));
  r->atol = fmax(0.1 * r->atol, fmin(r->atol, least)); /* 0: none is given */
  r->step *= 0.5;
}

/* the model, with what is measured as its outputs */
static tn_status make(tn_trial *t, tn_desc *d, tn_model **model, tn_error *e) {
  char pointer[64];
  t->blamed = -1;
  TN_TRY(tn_trial_describe(t, d, e));
  TN_TRY(ask(t, d, e));
  const tn_status status = tn_compile(d, model, e);
  if (status == TN_OK && t->tighter) tn_tighten(&(*model)->run);
  if (status == TN_OK && !wants_rows(t))
    (*model)->run.every = 1e300; /* rows at both ends alone; steps are as in any run */
  for (int i = 0; i < t->meters && status != TN_OK && !t->own_outputs; i++)
    for (int k = 0; reads_channels(t->meter[i]) && k < t->meter[i]->channels; k++) {
      tn_format(pointer, sizeof pointer, "/outputs/m%d_%d", i, k);
      if (strcmp(e->pointer, pointer) == 0) return blame(t, i, e);
    }
  return status;
}

tn_status tn_trial_try(tn_trial *t, const tn_allocator *allocator, tn_error *e) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  run r = {.trial = t};
  tn_status status = tn_desc_new(allocator, &desc, e);
  if (status == TN_OK) status = make(t, desc, &model, e);
  if (status == TN_OK) status = tn_sim_new(model, &r.sim, e);
  if (status == TN_OK) status = find_columns(&r, e);
  tn_sim_free(r.sim);
  tn_model_free(model);
  tn_desc_free(desc);
  return status;
}

/* the run failed where what was measured had become large: it would have gone on to grow */
static bool blown(const tn_meter *m, tn_status status) {
  return status == TN_E_RUN && m->take == TN_TAKE_MAX && m->to == INFINITY && !(fabs(m->seen) <= 1);
}

void tn_trial_run(tn_trial *t, const tn_allocator *allocator) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e;
  run r = {.trial = t, .most_rhs = t->plan ? (int64_t)number_of(t->plan, "most-rhs", 0) : t->most_rhs};
  tn_arena arena;
  tn_arena_init(&arena, allocator);
  tn_status status = tn_desc_new(allocator, &desc, &e);
  if (status == TN_OK) status = make(t, desc, &model, &e);
  int columns = t->reference ? t->reference->columns : 0;
  if (status == TN_OK && 12 * model->bodies > columns) columns = 12 * model->bodies; /* or their poses */
  r.column = tn_arena_alloc(&arena, sizeof *r.column * (size_t)(columns + 1));
  r.values = tn_arena_alloc(&arena, sizeof *r.values * (size_t)(columns + 1));
  if (status == TN_OK && (!r.column || !r.values)) status = tn_fail(&e, TN_E_MEMORY, "out of memory");
  double least = INFINITY;
  t->broken = true; /* until it begins */
  t->stopped = false;
  t->seconds = 0;
  const int repeat = t->plan ? (int)number_of(t->plan, "repeat", 1) : 1;
  for (int k = 0; k < repeat && status == TN_OK; k++) {
    status = tn_sim_new(model, &r.sim, &e);
    if (status == TN_OK) {
      r.until = model->run.until;
      if (t->poses) t->reference->columns = poses(r.sim, NULL);
      status = find_columns(&r, &e);
    }
    if (status == TN_OK) {
      t->broken = false;
      status = once(&r, &e);
    }
    if (r.sim) {
      least = fmin(least, r.sim->summary.cpu_seconds);
      t->seconds += r.sim->summary.cpu_seconds;
      t->t_end = r.sim->now.t;
      t->summary = r.sim->summary;
    }
    if (k < repeat - 1 && status == TN_OK) tn_sim_free(r.sim), r.sim = NULL;
  }
  for (int i = 0; i < t->meters; i++) {
    tn_meter *m = t->meter[i];
    if (m->signal != TN_SIGNAL_FIGURE)
      m->value = blown(m, status) ? INFINITY : tn_meter_end(m);
    else if (r.sim && strcmp(m->figure, "cpu") == 0)
      m->value = least;
    else if (r.sim && r.sim->life.started && m->channels)
      m->value = tn_condition_without(r.sim, m->channels, m->channel);
    else if (r.sim && (r.sim->life.started || strcmp(m->figure, "jacobian-rank") == 0))
      m->value = tn_figure(r.sim, m->figure, m->level);
    else
      m->value = strcmp(m->figure, "failed") == 0 ? 1 : NAN;
  }
  t->status = status;
  if (status == TN_E_STOPPED)
    tn_format(t->message, sizeof t->message, "ended at t = %.4g s, after %" PRId64 " right-hand sides", t->t_end,
              t->summary.rhs);
  else if (status != TN_OK)
    tn_error_text(&e, t->message, sizeof t->message);
  t->done = true;
  tn_arena_free(&arena);
  tn_sim_free(r.sim);
  tn_model_free(model);
  tn_desc_free(desc);
}
