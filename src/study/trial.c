/* one run with meters on it. violations are read at the start and at the ends of steps; channels there or at rows of output; errors
 * at the times of the reference, which have to be among the rows. */
#include "study/study.h"

typedef struct run {
  tn_trial *trial;
  tn_sim *sim;
  long most_rhs;
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
  const double *all = velocity ? s->V1 : s->C1;
  const int first = m->rows == 2 ? model->holonomic : 0;
  const int last = m->rows == 1 || (!velocity && m->rows == 0) ? model->holonomic : model->rows;
  if (m->row >= 0) return m->row < model->rows ? all[m->row] : (double)NAN;
  double sum = 0;
  for (int i = first; i < last; i++) {
    if (m->joint && strcmp(tn_sim_row_joint(s, i), m->joint) != 0) continue;
    const double a = fabs(all[i]) * (m->scaled ? model->row_scale[i] : 1);
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
  b->C = fmax(b->C, C);
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
    if (m->signal == TN_SIGNAL_EXPRESSION && !m->at_rows) tn_meter_add(m, t, s->row[m->column[0]]);
    if (m->signal == TN_SIGNAL_C) tn_meter_add(m, t, violation(m, s, false));
    if (m->signal == TN_SIGNAL_CDOT) tn_meter_add(m, t, violation(m, s, true));
    if (m->signal == TN_SIGNAL_BOTH) tn_meter_add(m, t, fmax(violation(m, s, false), violation(m, s, true)));
  }
  keep(trial, r->until, t, tn_norm_of(0, s->m->holonomic, s->C1), tn_norm_of(0, s->m->rows, s->V1), 0);
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
      const tn_frame2 *f = &sys->body[i];
      for (int k = 0; k < 2; k++) out[n++] = f->r[k] / m->length;
      out[n++] = f->c;
      out[n++] = f->s;
    } else {
      const tn_frame3 *f = &sys->body3[i];
      for (int k = 0; k < 3; k++) out[n++] = f->r[k] / m->length;
      for (int k = 0; k < 9; k++) out[n++] = f->A[k];
    }
  }
  return n;
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
    const double tol = 1e-9 * fmax(1, fabs(t));
    while (m->at < ref->rows && ref->value[m->at * width] < t - tol) m->at++;
    if (m->at == ref->rows || ref->value[m->at * width] > t + tol) continue;
    double off = 0;
    if (m->signal == TN_SIGNAL_ERROR) {
      off = distance(m, values, ref->value + m->at * width);
    } else if (poses(r->sim, NULL) == ref->columns) {
      poses(r->sim, r->values);
      for (int k = 0; k < ref->columns; k++) {
        const double d = fabs(r->values[k] - ref->value[m->at * width + 1 + (size_t)k]);
        off = d <= off ? off : d;
      }
    }
    tn_meter_add(m, t, off);
    keep(trial, r->until, t, 0, 0, off);
  }
  if (!trial->reference) return TN_OK;
  if (trial->poses)
    poses(r->sim, r->values);
  else
    for (int k = 0; k < trial->reference->columns; k++) r->values[k] = values[r->column[k]];
  return tn_reference_add(trial->reference, t, r->values);
}

static tn_status add_output(tn_desc *d, const char *name, const char *expression, tn_error *e) {
  char pointer[64];
  tn_format(pointer, sizeof pointer, "/outputs/%s", name);
  return tn_desc_text(d, pointer, expression, e);
}

/* outputs of the model give way to what is measured */
static tn_status ask(tn_trial *t, tn_desc *d, tn_error *e) {
  char name[48];
  tn_status status = TN_OK;
  bool rows = t->reference != NULL;
  if (t->own_outputs) return TN_OK;
  tn_desc_remove(d, "/outputs");
  status = tn_desc_text(d, "/outputs/nothing", "0", e);
  for (int i = 0; i < t->meters && status == TN_OK; i++) {
    const tn_meter *m = t->meter[i];
    rows = rows || m->at_rows || m->signal == TN_SIGNAL_ERROR || m->signal == TN_SIGNAL_POSE;
    for (int k = 0; reads_channels(m) && k < m->channels && status == TN_OK; k++) {
      tn_format(name, sizeof name, "m%d_%d", i, k);
      status = add_output(d, name, m->channel[k], e);
    }
  }
  for (int k = 0; t->reference && !t->poses && k < t->reference->columns && status == TN_OK; k++) {
    tn_format(name, sizeof name, "r_%d", k);
    status = add_output(d, name, t->reference->column[k], e);
  }
  if (rows || status != TN_OK) return status;
  tn_desc_remove(d, "/run/every"); /* rows at both ends alone */
  return tn_desc_text(d, "/run/every", "1e300", e);
}

static int column_of(const tn_sim *s, const char *name) {
  for (int i = 0; i < tn_sim_columns(s); i++)
    if (strcmp(tn_sim_column(s, i), name) == 0) return i;
  return -1;
}

static tn_status find_columns(run *r, tn_error *e) {
  char name[48];
  tn_trial *t = r->trial;
  for (int i = 0; i < t->meters; i++) {
    tn_meter *m = t->meter[i];
    for (int k = 0; reads_channels(m) && k < m->channels; k++) {
      tn_format(name, sizeof name, "m%d_%d", i, k);
      m->column[k] = column_of(r->sim, t->own_outputs ? m->channel[k] : name);
      if (m->column[k] >= 0) continue;
      return tn_fail(e, TN_E_MODEL,
                     t->own_outputs ? "the model has no output '%.200s', which the reference has"
                                    : "'%.200s' is a vector: measure a component or its norm",
                     m->channel[k]);
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

static tn_status once(run *r, tn_error *e) {
  tn_trial *t = r->trial;
  for (int i = 0; i < t->meters; i++) tn_meter_begin(t->meter[i]);
  if (t->curve) memset(t->bin, 0, sizeof *t->bin * TN_BINS);
  if (t->reference) t->reference->rows = 0;
  tn_status status = tn_sim_start(r->sim, e);
  if (status != TN_OK) return status;
  on_step(r, r->sim->t);
  tn_sim_watch(r->sim, on_step, r);
  return tn_sim_run(r->sim, on_row, r, e);
}

static double number_of(const tn_plan_of_run *p, const char *key, double otherwise) {
  const tn_node *node = tn_plan_get(p, key);
  return node && node->kind == TN_NODE_NUMBER ? node->number : otherwise;
}

static tn_status describe(const tn_trial *t, tn_desc *d, tn_error *e) {
  tn_status status = t->plan ? tn_plan_apply(t->plan, t->folder, t->x, d, e)
                             : tn_desc_parse(d, t->text_name, t->text, strlen(t->text), e);
  if (status == TN_OK && !t->plan) status = tn_desc_settings(d, t->settings, t->setting, e);
  if (status == TN_OK && !(t->plan && tn_plan_get(t->plan, "breach")))
    status = tn_desc_part(d, "/run/contract/breach", "record", e);
  return status;
}

void tn_trial_run(tn_trial *t, const tn_allocator *allocator) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e;
  run r = {.trial = t, .most_rhs = t->plan ? (long)number_of(t->plan, "most-rhs", 0) : t->most_rhs};
  tn_arena arena;
  tn_arena_init(&arena, allocator);
  tn_status status = tn_desc_new(allocator, &desc, &e);
  if (status == TN_OK) status = describe(t, desc, &e);
  if (status == TN_OK) status = ask(t, desc, &e);
  if (status == TN_OK) status = tn_compile(desc, &model, &e);
  int columns = t->reference ? t->reference->columns : 0;
  if (status == TN_OK && 12 * model->bodies > columns) columns = 12 * model->bodies; /* or their poses */
  r.column = tn_arena_alloc(&arena, sizeof *r.column * (size_t)(columns + 1));
  r.values = tn_arena_alloc(&arena, sizeof *r.values * (size_t)(columns + 1));
  if (status == TN_OK && (!r.column || !r.values)) status = tn_fail(&e, TN_E_MEMORY, "out of memory");
  double least = INFINITY;
  const int repeat = t->plan ? (int)number_of(t->plan, "repeat", 1) : 1;
  for (int k = 0; k < repeat && status == TN_OK; k++) {
    status = tn_sim_new(model, &r.sim, &e);
    if (status == TN_OK) {
      r.until = model->run.until;
      if (t->poses) t->reference->columns = poses(r.sim, NULL);
      status = find_columns(&r, &e);
    }
    if (status == TN_OK) status = once(&r, &e);
    if (r.sim) {
      least = fmin(least, r.sim->summary.cpu_seconds);
      t->seconds += r.sim->summary.cpu_seconds;
      t->t_end = r.sim->t;
      t->summary = r.sim->summary;
    }
    if (k < repeat - 1 && status == TN_OK) tn_sim_free(r.sim), r.sim = NULL;
  }
  for (int i = 0; i < t->meters; i++) {
    tn_meter *m = t->meter[i];
    if (m->signal != TN_SIGNAL_FIGURE)
      m->value =
          status == TN_E_RUN && m->take == TN_TAKE_MAX && m->to == INFINITY ? INFINITY : tn_meter_end(m); /* blown up */
    else if (r.sim && strcmp(m->figure, "cpu") == 0)
      m->value = least;
    else if (r.sim && (r.sim->started || strcmp(m->figure, "jacobian-rank") == 0))
      m->value = tn_figure(r.sim, m->figure, m->level);
    else
      m->value = strcmp(m->figure, "failed") == 0 ? 1 : NAN;
  }
  t->status = status;
  if (status != TN_OK) tn_error_text(&e, t->message, sizeof t->message);
  t->done = true;
  tn_arena_free(&arena);
  tn_sim_free(r.sim);
  tn_model_free(model);
  tn_desc_free(desc);
}
