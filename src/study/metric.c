/* what can be measured on a run: a signal, and what is taken of it. a closed list: who wants more combines measures in
 * expressions. used by studies, comparisons and sweeps alike. */
#include "study/study.h"

/* of the largest singular value: smaller ones do not count for `jacobian-rank` */
static const double RANK_LEVEL = 1e-10;

static const char *const takes[] = {"max",   "min",      "mean",  "rms",     "first", "final",
                                    "count", "crossing", "above", "settled", NULL};

int tn_take_named(const char *word) {
  for (int i = 0; takes[i]; i++)
    if (strcmp(takes[i], word) == 0) return i;
  return -1;
}

void tn_meter_begin(tn_meter *m) {
  m->samples = m->signs = 0;
  m->at = 0;
  m->sum = m->take == TN_TAKE_MAX || m->take == TN_TAKE_MIN || m->take >= TN_TAKE_CROSSING ? NAN : 0;
  m->value = m->x = m->t = m->zero = m->seen = NAN;
  m->area = m->span = 0;
  if (m->track) tn_track_begin(m->track);
}

void tn_meter_add(tn_meter *m, double t, double x) {
  m->seen = x;
  /* a hair's breadth beyond: times of fixed steps are sums */
  if (t < m->from - TN_SAME_TIME * fabs(m->from) || t > m->to + TN_SAME_TIME * fabs(m->to)) return;
  if (m->track) tn_track_add(m->track, t, x);
  const bool first = m->samples == 0, changes = !first && ((x < 0 && m->x > 0) || (x > 0 && m->x < 0));
  const double last = m->x, t_last = m->t;
  m->samples++;
  switch (m->take) {
  case TN_TAKE_MAX:
    if (first || !(x <= m->sum || isnan(m->sum))) m->sum = x;             /* and NaN, once there, stays */
    if (isnan(x) && m->signal != TN_SIGNAL_EXPRESSION) m->sum = INFINITY; /* of what should be small */
    break;
  case TN_TAKE_MIN:
    if (first || isnan(x) || x < m->sum) m->sum = x; /* and NaN, once there, stays */
    break;
  case TN_TAKE_MEAN: m->sum += x; break;
  case TN_TAKE_RMS:
    m->sum += x * x;
    if (first) break;
    m->area += 0.5 * (t - m->t_before) * (x * x + m->before * m->before);
    m->span += t - m->t_before;
    break;
  case TN_TAKE_FIRST:
    if (first) m->sum = x;
    break;
  case TN_TAKE_FINAL: m->sum = x; break;
  case TN_TAKE_COUNT:
  case TN_TAKE_CROSSING:
    if (!changes) break;
    m->signs++;
    if (m->take == TN_TAKE_CROSSING && m->signs == m->k)
      m->sum = m->zero > t_last ? m->zero : t_last + (t - t_last) * last / (last - x);
    break;
  case TN_TAKE_ABOVE:
    if (isnan(m->sum) && !(fabs(x) <= m->level)) m->sum = t;
    break;
  case TN_TAKE_SETTLED: /* signs: 1 while it is outside */
    if (first) m->value = fabs(x);
    if (!(fabs(x) <= m->level * m->value))
      m->signs = 1, m->sum = NAN;
    else if (m->signs)
      m->signs = 0, m->sum = t;
    break;
  }
  if (x == 0 && !(m->zero > t_last)) m->zero = t; /* the first of them since it had a sign */
  m->x = x == 0 && !first ? last : x;             /* a zero has no sign of its own */
  m->t = x == 0 && !first ? t_last : t;
  m->before = x;
  m->t_before = t;
}

double tn_meter_end(const tn_meter *m) {
  if (m->signal == TN_SIGNAL_FIGURE) return m->value;
  if (!m->samples) return NAN;
  if (m->take == TN_TAKE_MEAN) return m->sum / (double)m->samples;
  if (m->take == TN_TAKE_RMS) return sqrt(m->by_time && m->span > 0 ? m->area / m->span : m->sum / (double)m->samples);
  return m->take == TN_TAKE_COUNT ? (double)m->signs : m->sum;
}

double tn_norm_of(int norm, int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double a = fabs(x[i]);
    if (norm == 0)
      sum = a <= sum ? sum : a; /* NaN wins */
    else
      sum += norm == 1 ? a : a * a;
  }
  return norm == 2 ? sqrt(sum) : sum;
}

/* ---- numbers of a whole run -------------------------------------------------------------------------------------------- */

/* largest over smallest singular value of [M A'; A 0], as a symmetric matrix: by both ends of its spectrum */
static double condition(tn_sim *s) {
  tn_eval at;
  if (tn_sim_eval(s, &at, NULL) != TN_OK) return NAN;
  const int n = at.speeds + at.rows;
  const uint64_t size = sizeof(double) * (uint64_t)n * (uint64_t)n;
  double *K = size <= SIZE_MAX / 2 ? tn_block_new(&s->life.allocator, (size_t)size) : NULL, *sigma, result = NAN;
  sigma = tn_block_new(&s->life.allocator, sizeof *sigma * (size_t)n);
  if (K && sigma) {
    for (int i = 0; i < at.speeds; i++)
      for (int j = 0; j < at.speeds; j++) K[i * n + j] = at.M[i * at.speeds + j];
    for (int i = 0; i < at.rows; i++)
      for (int j = 0; j < at.speeds; j++)
        K[(at.speeds + i) * n + j] = K[j * n + at.speeds + i] = at.A[i * at.speeds + j];
    tn_singular_values(n, n, K, sigma);
    result = sigma[0] / sigma[n - 1];
  }
  tn_block_free(&s->life.allocator, sigma);
  tn_block_free(&s->life.allocator, K);
  return result;
}

/* of the rows alone: singular values above `least` of the largest. what there is of equations of motion does not matter: a start where
 * these fail has one */
static double jacobian_rank(tn_sim *s, double least) {
  const int rows = s->m->rows, nu = s->m->nu, m = rows < nu ? rows : nu, n = rows < nu ? nu : rows;
  if (s->m->large || !rows) return NAN;
  tn_assemble(&s->solver.sys, s->now.t, s->now.y, tn_u_of(s, s->now.y));
  double *A = tn_block_new(&s->life.allocator, sizeof *A * (size_t)(m * n + m));
  if (!A) return NAN;
  double *sigma = A + m * n;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nu; j++) A[rows < nu ? i * nu + j : j * rows + i] = s->solver.sys.A[i * nu + j];
  tn_singular_values(m, n, A, sigma);
  int rank = 0;
  while (rank < m && sigma[rank] > least * sigma[0]) rank++;
  tn_block_free(&s->life.allocator, A);
  return rank;
}

static bool among(const tn_model *m, int speed, int n, const char *const *names) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (speed < b->u || speed >= b->u + b->nu) continue;
    for (int k = 0; k < n; k++)
      if (strcmp(m->u_name[speed], names[k]) == 0 ||
          (!b->chart && strcmp(m->q_name[b->q + speed - b->u], names[k]) == 0))
        return true;
  }
  return false;
}

double tn_condition_without(tn_sim *s, int n, const char *const *names) {
  tn_eval at;
  if (tn_sim_eval(s, &at, NULL) != TN_OK) return NAN;
  const size_t size = (size_t)at.rows * (size_t)at.speeds;
  double *part = tn_block_new(&s->life.allocator, sizeof *part * (size + 1)), result = NAN;
  double *sigma = tn_block_new(&s->life.allocator, sizeof *sigma * (size_t)(at.rows + at.speeds + 1));
  int columns = 0;
  if (part && sigma) {
    for (int j = 0; j < at.speeds; j++) columns += !among(s->m, j, n, names);
    for (int j = 0, c = 0; j < at.speeds; j++) {
      if (among(s->m, j, n, names)) continue;
      /* or turned over: no more rows than columns */
      for (int i = 0; i < at.rows; i++)
        part[at.rows <= columns ? i * columns + c : c * at.rows + i] = at.A[i * at.speeds + j];
      c++;
    }
    const int least = at.rows < columns ? at.rows : columns;
    tn_singular_values(least, at.rows + columns - least, part, sigma);
    if (least && columns == at.speeds - n) result = sigma[0] / sigma[least - 1];
  }
  tn_block_free(&s->life.allocator, sigma);
  tn_block_free(&s->life.allocator, part);
  return result;
}

typedef struct figure {
  const char *name;
  double value;
} figure;

/* s NULL: the names alone */
static void figures_of(const tn_sim *s, figure *out) {
  static const tn_summary none;
  static const tn_model no_model;
  const tn_summary *sum = s ? &s->summary : &none;
  const tn_model *m = s ? s->m : &no_model;
  const double cpu = sum->cpu_seconds > 0 ? sum->cpu_seconds : NAN;
  const double wall = s && s->log.cost.wall > 0 ? s->log.cost.wall : NAN;
  const figure all[TN_FIGURES] = {{"rhs", (double)sum->rhs},
                                  {"steps", (double)sum->steps},
                                  {"rejected", (double)sum->rejected},
                                  {"factorizations", (double)sum->factorizations},
                                  {"jacobians", (double)sum->jacobians},
                                  {"decompositions", (double)sum->decompositions},
                                  {"set-changes", (double)sum->set_changes},
                                  {"guard-calls", (double)sum->guard_calls},
                                  {"singular", (double)sum->singular_positions},
                                  {"events", (double)sum->fired},
                                  {"impulses", (double)sum->impulses},
                                  {"failed", sum->status != TN_OK && sum->status != TN_E_STOPPED},
                                  {"time", s ? s->now.t : 0},
                                  {"energy", sum->energy_balance},
                                  {"cpu", sum->cpu_seconds},
                                  {"assemble-share", sum->cpu_assemble / cpu},
                                  {"solve-share", sum->cpu_solve / cpu},
                                  {"project-share", sum->cpu_project / cpu},
                                  {"position-share", s ? s->log.cost.part[TN_TIME_POSITION] / wall : 0},
                                  {"velocity-share", s ? s->log.cost.part[TN_TIME_VELOCITY] / wall : 0},
                                  {"coordinates", m->nq},
                                  {"speeds", m->nu},
                                  {"rows", m->rows},
                                  {"holonomic", m->holonomic},
                                  {"freedom", sum->degrees_of_freedom},
                                  {"independent", NAN},
                                  {"rank", NAN},
                                  {"jacobian-rank", NAN},
                                  {"condition", NAN}};
  memcpy(out, all, sizeof all);
}

int tn_figure_names(const char *name[TN_FIGURES]) {
  figure all[TN_FIGURES];
  figures_of(NULL, all);
  for (int i = 0; i < TN_FIGURES; i++) name[i] = all[i].name;
  return TN_FIGURES;
}

bool tn_figure_timed(const char *name) {
  static const char *const timed[] = {"cpu",           "assemble-share", "solve-share",
                                      "project-share", "position-share", "velocity-share"};
  for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
    if (strcmp(timed[i], name) == 0) return true;
  return false;
}

double tn_figure(tn_sim *s, const char *name, double level) {
  figure all[TN_FIGURES];
  tn_eval at;
  if (strcmp(name, "rank") == 0) return tn_sim_eval(s, &at, NULL) == TN_OK ? (double)at.rank : (double)NAN;
  if (strcmp(name, "condition") == 0) return condition(s);
  if (strcmp(name, "jacobian-rank") == 0) return jacobian_rank(s, level > 0 ? level : RANK_LEVEL);
  if (strcmp(name, "independent") == 0)
    return s->solver.type->independent ? s->solver.type->independent(s->solver.work) + 1 : (double)NAN;
  figures_of(s, all);
  for (int i = 0; i < TN_FIGURES; i++)
    if (strcmp(all[i].name, name) == 0) return all[i].value;
  return NAN;
}
