/* layouts of partition: what the integrator sees instead of (q, u).
 *   speeds       z = (q, v), v the independent speeds:  A u = -Ct, W u = v with A, Ct of all rows at the q given
 *   independent  z = (p, v), p the independent coordinates:  C(q) = 0, q_S = p by Newton from the last q, then u as above
 *   (1) Newton: A s = -C (holonomic rows), (N s)_S = p - q_S; q moved by s
 *   (2) zdot: qdot or its part S; vdot_c = udot_c, of an angular rate the angular acceleration al0 + J udot
 * positions are restricted by holonomic rows alone and speeds by all: the two sets differ. the candidates are all coordinates q (of an
 * orientation its four numbers, which the chart ties to each other), all speeds u, and the angular rate of `rate_of`, or where no body
 * is named of the slowest, if there are bodies whose speeds are not their angular rates.
 *
 * which of them are independent is chosen between steps only (split.c). a set is worth the least gain it has had over its gain now,
 * with one freedom its share of the best:
 *   below 0.5  another is chosen before the next step (kept), or after an evaluation was refused (once); always: at every step
 *   below 0.2  an evaluation is refused, and the step tried again
 * never: whatever it is worth, until no dependent ones are found. a set by name is worth what it is, too: it stays, as long as it tells
 * anything */
#include "formulate/partition.h"

static const double CHOOSE_AGAIN = 0.5, REFUSE = 0.2; /* of what the set was worth */
static const double COUNTED = 1e-6;                   /* pivots of rows that count, in general */
static const double LONGEST = 0.5;                    /* Newton step, in units of the model's length, or rad */
static const double CLOSED = 1e-10;                   /* what Newton may leave */
static const double SLOWEST = 0.05, ALIKE = 0.999; /* of the fastest: less is no turning; of another: less is slower */
enum { MOST_PASSES = 30 };

typedef struct room {
  tn_split position, speed;
  int rank;             /* of the holonomic rows, in general */
  double *qdot, *x, *r; /* nq, nu, rows */
  double *row;          /* 3 x nu: of an angular rate */
  int rate_of;          /* whose, counted from 1; 0: none yet */
  int bodies;
} room;

static bool wanted(const void *self) { return ((const tn_partition *)self)->layout != TN_LAYOUT_ALL; }

/* a free body in space whose speeds are not its angular rate: Euler parameters turn into each other as it turns */
static bool turns_by_others(const tn_model *m, int i) {
  const tn_body *b = &m->body[i];
  return m->dimension == 3 && b->type && b->oriented && b->nu && !b->plain;
}

/* nothing is named: the rate of a slow body is taken, see slowest */
static bool by_itself(const tn_partition *p, const tn_model *m) {
  bool some = false;
  for (int i = 0; i < m->bodies; i++) some = some || turns_by_others(m, i);
  return some && !p->rate_of && !p->prefer && !p->named;
}

static int rates_of(const tn_partition *p, const tn_model *m) {
  return !p->rate_of && !by_itself(p, m) ? 0 : m->dimension == 3 ? 3 : 1;
}

static void carve(room *r, const tn_partition *p, tn_carve *c, const tn_model *m) {
  const bool positions = p->layout == TN_LAYOUT_INDEPENDENT;
  tn_split_carve(&r->position, c, positions ? m->nu : 0, positions ? m->holonomic : 0, positions ? m->nq : 0);
  tn_split_carve(&r->speed, c, m->nu, m->rows, m->nu + rates_of(p, m));
  r->qdot = TN_CARVE(c, double, m->nq);
  r->x = TN_CARVE(c, double, m->nu);
  r->r = TN_CARVE(c, double, m->rows);
  r->row = TN_CARVE(c, double, 3 * (uint64_t)m->nu);
}

static size_t memory(const void *self, const tn_system *sys) {
  tn_carve c = {NULL, 0};
  room r;
  TN_CARVE(&c, room, 1);
  carve(&r, self, &c, sys->m);
  return c.used;
}

static void prepare(const void *self, void *work, const tn_system *sys) {
  const tn_partition *p = self;
  const tn_model *m = sys->m;
  tn_carve c = {work, 0};
  room *r = TN_CARVE(&c, room, 1);
  carve(r, p, &c, m);
  for (int j = 0; j < r->position.nu; j++) r->position.weight[j] = m->u_length[j];
  for (int j = 0; j < m->nu; j++) r->speed.weight[j] = m->u_length[j];
  const tn_body *body = p->prefer ? &m->body[p->prefer - 1] : NULL;
  for (int i = 0; body && i < body->nu; i++) r->speed.preferred[body->u + i] = true;
  for (int i = 0; body && r->position.candidates && i < body->nq; i++) r->position.preferred[body->q + i] = true;
  for (int i = m->nu; i < r->speed.candidates; i++) r->speed.preferred[i] = true;
  r->rate_of = p->rate_of;
  r->bodies = m->bodies;
}

static void keep(void *work, tn_keep *k) {
  room *r = work;
  tn_keep_group(k, "layout");
  tn_split_keep(&r->position, k);
  tn_split_keep(&r->speed, k);
  tn_keep_ints(k, "rank", 1, &r->rank, r->rank, r->rank); /* as the model has it */
  tn_keep_ints(k, "rate_of", 1, &r->rate_of, 0, r->bodies);
  tn_keep_numbers(k, "row", 3 * (size_t)r->speed.nu, r->row);
}

/* ---- candidates ---------------------------------------------------------------------------------------------------------- */

/* row `axis` of the angular rate of body i on the speeds, times x */
static double turning(const tn_system *sys, int i, int axis, const double *x) {
  const tn_body *b = &sys->m->body[i];
  const double *J = sys->J[i] + (size_t)(3 + axis) * (size_t)b->cols;
  double sum = 0;
  for (int j = 0; j < b->cols; j++) sum += J[j] * x[b->col[j]];
  return sum;
}

/* of the bodies that turn with the free speeds the slowest, counted from 1: its rate tells least of the others, but it is what an
 * integrator follows with the longest steps (Nada & Bashiri's gear train: the arm, not the sun). one that hardly turns tells
 * nothing. the first in the file of those that turn alike */
static int slowest(const room *r, const tn_system *sys) {
  const tn_model *m = sys->m;
  double most = 0, least = HUGE_VAL;
  int found = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m->bodies; i++) {
      double size = 0;
      if (!turns_by_others(m, i)) continue;
      for (int b = 0; b < r->speed.k; b++)
        for (int axis = 0; axis < 3; axis++) {
          const double w = turning(sys, i, axis, tn_split_vector(&r->speed, b));
          size += w * w;
        }
      size = sqrt(size);
      if (pass == 0) most = fmax(most, size);
      if (pass == 1 && size > SLOWEST * most && size < ALIKE * least) least = size, found = i + 1;
    }
  return found;
}

/* rows of the angular rate on the speeds, at the state of the system */
static void rate_rows(const tn_partition *p, room *r, const tn_system *sys) {
  const tn_model *m = sys->m;
  const int n = rates_of(p, m);
  memset(r->row, 0, sizeof *r->row * (size_t)n * (size_t)m->nu);
  if (!r->rate_of) return;
  const tn_body *b = &m->body[r->rate_of - 1];
  const double *J = sys->J[r->rate_of - 1], scale = m->dimension == 3 ? 1 + sys->pose.body3[r->rate_of - 1].stretch : 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < b->cols; j++) r->row[i * m->nu + b->col[j]] = scale * J[(m->dimension + i) * b->cols + j];
}

/* candidate c of speeds x, in its own unit */
static double told(const room *r, int nu, int c, const double *x) {
  if (c < nu) return x[c];
  double sum = 0;
  for (int j = 0; j < nu; j++) sum += r->row[(c - nu) * nu + j] * x[j];
  return sum;
}

static double unit(const tn_model *m, int c) { return c < m->nu ? m->u_length[c] : 1; }

static tn_status singular(tn_solver *solver, const char *what) {
  tn_fail(solver->e, TN_E_RUN, "the independent %s are not independent here: a singular position", what);
  if (solver->e) solver->e->time = solver->sys.at.t;
  return TN_E_RUN;
}

/* the basis of free speeds at the state of the system, which has its matrices; and what candidates tell of it */
static tn_status speeds_at(const tn_partition *p, room *r, tn_solver *solver, bool choose_body) {
  const tn_system *sys = &solver->sys;
  const tn_model *m = sys->m;
  tn_split *s = &r->speed;
  if (tn_split_factor(s, sys->A, m->row_scale, solver->rank, 0) < solver->rank) return singular(solver, "speeds");
  tn_split_free(s);
  if (choose_body && by_itself(p, m)) r->rate_of = slowest(r, sys);
  rate_rows(p, r, sys);
  for (int b = 0; b < s->k; b++)
    for (int c = 0; c < s->candidates; c++)
      tn_split_told(s, b)[c] = told(r, m->nu, c, tn_split_vector(s, b)) / unit(m, c);
  return TN_OK;
}

static tn_status positions_at(room *r, tn_solver *solver) {
  const tn_system *sys = &solver->sys;
  const tn_model *m = sys->m;
  tn_split *s = &r->position;
  if (tn_split_factor(s, sys->A, m->row_scale, r->rank, 0) < r->rank) return singular(solver, "coordinates");
  tn_split_free(s);
  for (int b = 0; b < s->k; b++) {
    double *g = tn_split_told(s, b);
    tn_model_rates(m, sys->at.q, tn_split_vector(s, b), g);
    for (int c = 0; c < m->nq; c++) g[c] /= m->q_length[c];
  }
  return TN_OK;
}

/* in terms of the set: false where it is not worth enough */
static tn_status tell(const tn_partition *p, tn_split *s, tn_solver *solver, const char *what) {
  if (!tn_split_reduce(s)) return singular(solver, what);
  const double gain = tn_split_gain(s);
  if (s->least >= REFUSE * gain || p->choose == TN_CHOOSE_NEVER) return TN_OK;
  tn_fail(solver->e, TN_E_RUN, "the independent %s tell too little here, %.2g of what they did", what, s->least / gain);
  if (solver->e) solver->e->time = solver->sys.at.t;
  return TN_E_RUN;
}

/* ---- choice -------------------------------------------------------------------------------------------------------------- */

static tn_status matrices(tn_solver *solver, double t, const double *q, const double *u) {
  tn_status status = tn_solver_at(solver, t, q, u, solver->e);
  if (status == TN_OK) tn_need(&solver->sys, TN_LEVEL_MATRICES);
  return status;
}

static tn_status count(const void *self, void *work, tn_solver *solver, double t, const double *q, const double *u,
                       int rank, int *n) {
  const tn_partition *p = self;
  const tn_model *m = solver->sys.m;
  room *r = work;
  r->speed.chosen = r->position.chosen = false;
  *n = m->nq + m->nu - rank;
  if (p->layout != TN_LAYOUT_INDEPENDENT) return TN_OK;
  r->rank = rank;
  if (m->holonomic < m->rows) { /* the rank of some of the rows */
    tn_status status = matrices(solver, t, q, u);
    if (status != TN_OK) return status;
    r->rank = tn_split_factor(&r->position, solver->sys.A, m->row_scale, m->holonomic, COUNTED);
  }
  *n = m->nu - r->rank + m->nu - rank;
  return TN_OK;
}

static tn_status take_named(const int *number, int named, tn_split *s, tn_solver *solver, const char *what) {
  if (named < s->k)
    return tn_fail(solver->e, TN_E_MODEL, "`independent` names %d of the %d independent %s", named, s->k, what);
  memcpy(s->set, number, sizeof *number * (size_t)s->k);
  s->chosen = true;
  s->least = INFINITY;
  return tn_split_reduce(s) ? TN_OK : singular(solver, what);
}

static tn_status renew(const tn_partition *p, tn_split *s, tn_solver *solver, tn_choice when, const char *what,
                       bool *changed) {
  bool again = when == TN_AT_START || (when == TN_BEFORE_STEP && p->choose == TN_CHOOSE_ALWAYS);
  if (!again && !tn_split_reduce(s)) again = true;
  if (!again) {
    const double gain = tn_split_gain(s);
    s->least = fmin(s->least, gain);
    again = s->least < CHOOSE_AGAIN * gain && (when == TN_AFTER_REJECTION || p->choose == TN_CHOOSE_KEPT);
  }
  return !again || tn_split_choose(s, p->pivoting, changed) ? TN_OK : singular(solver, what);
}

static tn_status choose(const void *self, void *work, tn_solver *solver, double t, const double *q, const double *u,
                        tn_choice when, bool *changed) {
  const tn_partition *p = self;
  room *r = work;
  if (when == TN_BEFORE_STEP && p->choose == TN_CHOOSE_ONCE) return TN_OK;
  if (when != TN_AT_START && (p->choose == TN_CHOOSE_NEVER || p->named)) return TN_OK;
  tn_status status = matrices(solver, t, q, u);
  if (status == TN_OK) status = speeds_at(p, r, solver, when == TN_AT_START);
  if (p->named) {
    if (status == TN_OK) status = take_named(p->speed, p->named, &r->speed, solver, "speeds");
    if (status != TN_OK || p->layout != TN_LAYOUT_INDEPENDENT) return status;
    status = positions_at(r, solver);
    return status == TN_OK ? take_named(p->coordinate, p->named, &r->position, solver, "coordinates") : status;
  }
  if (status == TN_OK) status = renew(p, &r->speed, solver, when, "speeds", changed);
  if (status != TN_OK || p->layout != TN_LAYOUT_INDEPENDENT) return status;
  if ((status = positions_at(r, solver)) != TN_OK) return status;
  return renew(p, &r->position, solver, when, "coordinates", changed);
}

static void names(const void *self, const void *work, const tn_system *sys, char *text, size_t size) {
  const tn_partition *p = self;
  const tn_model *m = sys->m;
  const room *r = work;
  enum { REST = 24 }; /* ` and 1000 more` */
  const int positions = p->layout == TN_LAYOUT_INDEPENDENT ? r->position.k : 0, all = positions + r->speed.k;
  size_t used = 0;
  int i = 0;
  *text = 0;
  for (; i < all; i++) {
    const int c = i < positions ? r->position.set[i] : r->speed.set[i - positions];
    const char *before = i ? ", " : "";
    char one[112];
    if (i < positions || c < m->nu)
      tn_format(one, sizeof one, "%s%.80s", before, i < positions ? m->q_name[c] : m->u_name[c]);
    else
      tn_format(one, sizeof one, "%sangular rate of %.60s%s", before, m->body[r->rate_of - 1].name,
                m->dimension == 2 ? ""
                : c == m->nu      ? " about x"
                : c == m->nu + 1  ? " about y"
                                  : " about z");
    if (used + strlen(one) + REST >= size) break;
    used += (size_t)tn_format(text + used, size - used, "%s", one);
  }
  if (i < all) tn_format(text + used, size - used, "%s%d more", i ? " and " : "", all - i);
}

/* ---- there and back ------------------------------------------------------------------------------------------------------ */

static int positions_in(const tn_partition *p, const room *r, const tn_model *m) {
  return p->layout == TN_LAYOUT_INDEPENDENT ? r->position.k : m->nq;
}

static tn_status pack(const void *self, void *work, tn_solver *solver, double t, const double *q, const double *u,
                      double *z) {
  const tn_partition *p = self;
  const tn_model *m = solver->sys.m;
  room *r = work;
  tn_status status = matrices(solver, t, q, u);
  if (status != TN_OK) return status;
  const int n = positions_in(p, r, m);
  for (int i = 0; i < n; i++) z[i] = q[p->layout == TN_LAYOUT_INDEPENDENT ? r->position.set[i] : i];
  rate_rows(p, r, &solver->sys);
  for (int b = 0; b < r->speed.k; b++) z[n + b] = told(r, m->nu, r->speed.set[b], u);
  return TN_OK;
}

/* the speeds at the q that the system has its matrices at */
static tn_status find_speeds(const tn_partition *p, room *r, tn_solver *solver, const double *v, double *u) {
  const tn_model *m = solver->sys.m;
  tn_split *s = &r->speed;
  tn_status status = speeds_at(p, r, solver, false);
  if (status == TN_OK) status = tell(p, s, solver, "speeds");
  if (status != TN_OK) return status;
  for (int i = 0; i < m->rows; i++) r->r[i] = -solver->sys.rows.Ct[i];
  tn_split_particular(s, m->row_scale, r->r);
  memcpy(u, s->p, sizeof *u * (size_t)m->nu);
  for (int b = 0; b < s->k; b++) {
    const int c = s->set[b];
    const double d = (v[b] - told(r, m->nu, c, s->p)) / unit(m, c), *x = tn_split_vector(s, b);
    for (int j = 0; j < m->nu; j++) u[j] += d * x[j];
  }
  /* what is given is not rounded */
  for (int b = 0; b < s->k; b++)
    if (s->set[b] < m->nu) u[s->set[b]] = v[b];
  return TN_OK;
}

/* (1): the step into x; how large it is, in units */
static double newton_step(room *r, tn_solver *solver, const double *z) {
  const tn_system *sys = &solver->sys;
  const tn_model *m = sys->m;
  tn_split *s = &r->position;
  double size = 0;
  for (int i = 0; i < m->holonomic; i++) r->r[i] = -sys->rows.C[i];
  tn_split_particular(s, m->row_scale, r->r);
  tn_model_rates(m, sys->at.q, s->p, r->qdot);
  memcpy(r->x, s->p, sizeof *r->x * (size_t)m->nu);
  for (int b = 0; b < s->k; b++) {
    const int c = s->set[b];
    const double d = (z[b] - sys->at.q[c] - r->qdot[c]) / m->q_length[c], *x = tn_split_vector(s, b);
    for (int j = 0; j < m->nu; j++) r->x[j] += d * x[j];
  }
  for (int j = 0; j < m->nu; j++) size = fmax(size, fabs(r->x[j]) / m->u_length[j]);
  return size;
}

/* how far q is from what is wanted; row: of the rows the one that is farthest */
static double off(const room *r, const tn_system *sys, const double *z, int *row) {
  const tn_model *m = sys->m;
  double most = m->holonomic ? tn_violation(sys, sys->rows.C, m->holonomic, row) : 0;
  for (int b = 0; b < r->position.k; b++) {
    const int c = r->position.set[b];
    most = fmax(most, fabs(z[b] - sys->at.q[c]) / m->q_length[c]);
  }
  return most;
}

static tn_status find_positions(const tn_partition *p, room *r, tn_solver *solver, double t, const double *z, double *q,
                                const double *u) {
  const tn_system *sys = &solver->sys;
  const tn_model *m = sys->m;
  double last = INFINITY, left = INFINITY;
  int row = 0;
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    tn_status status = matrices(solver, t, q, u);
    if (status == TN_OK) status = positions_at(r, solver);
    if (status == TN_OK) status = tell(p, &r->position, solver, "coordinates");
    if (status != TN_OK) return status;
    left = off(r, sys, z, &row);
    /* nothing left, or nothing to be gained: roundoff */
    if (left < 1e-15 || (left < CLOSED && !(left < 0.5 * last))) return TN_OK;
    last = left;
    const double size = newton_step(r, solver, z);
    if (!isfinite(size)) break;
    for (int j = 0; size > LONGEST && j < m->nu; j++) r->x[j] *= LONGEST / size;
    tn_model_add(m, q, r->x);
  }
  if (left < CLOSED) return TN_OK;
  char owner[160] = "the coordinates", gap[48] = "";
  if (m->holonomic) tn_row_owner(m, row, owner, sizeof owner);
  if (m->holonomic)
    tn_row_figure(m, row, m->row_scale[row], false, fabs(sys->rows.C[row]) * m->row_scale[row], 2, gap, sizeof gap);
  tn_fail(solver->e, TN_E_RUN, "%s: no dependent coordinates are found for the independent ones%s%s", owner,
          *gap ? ", it stays off by " : "", gap);
  if (solver->e) solver->e->time = t;
  return TN_E_RUN;
}

static tn_status unpack(const void *self, void *work, tn_solver *solver, double t, const double *z, double *q,
                        double *u) {
  const tn_partition *p = self;
  const tn_model *m = solver->sys.m;
  room *r = work;
  tn_status status;
  if (p->layout == TN_LAYOUT_INDEPENDENT) {
    status = find_positions(p, r, solver, t, z, q, u);
  } else {
    memcpy(q, z, sizeof *q * (size_t)m->nq);
    status = matrices(solver, t, q, u);
  }
  return status == TN_OK ? find_speeds(p, r, solver, z + positions_in(p, r, m), u) : status;
}

static void rates(const void *self, void *work, const tn_system *sys, const double *qdot, const double *udot,
                  double *zdot) {
  const tn_partition *p = self;
  const tn_model *m = sys->m;
  room *r = work;
  const int n = positions_in(p, r, m);
  for (int i = 0; i < n; i++) zdot[i] = qdot[p->layout == TN_LAYOUT_INDEPENDENT ? r->position.set[i] : i];
  for (int b = 0; b < r->speed.k; b++) {
    const int c = r->speed.set[b];
    zdot[n + b] = told(r, m->nu, c, udot);
    if (c < m->nu) continue;
    if (m->dimension == 2) {
      zdot[n + b] += sys->pose.body[r->rate_of - 1].al0;
    } else { /* of (1 + stretch) w */
      const tn_frame3 *f = &sys->pose.body3[r->rate_of - 1];
      zdot[n + b] += (1 + f->stretch) * (f->al0[c - m->nu] + f->ds * f->w[c - m->nu]);
    }
  }
}

static void weights(const void *self, const void *work, const tn_system *sys, const double *wy, double *wz) {
  const tn_partition *p = self;
  const tn_model *m = sys->m;
  const room *r = work;
  const int n = positions_in(p, r, m);
  for (int i = 0; i < n; i++) wz[i] = wy[p->layout == TN_LAYOUT_INDEPENDENT ? r->position.set[i] : i];
  for (int b = 0; b < r->speed.k; b++) { /* of an angular rate: as that of a speed of its body */
    const int c = r->speed.set[b];
    wz[n + b] = wy[m->nq + (c < m->nu ? c : m->body[r->rate_of - 1].u + m->body[r->rate_of - 1].nu - 1)];
  }
}

static void adopt(const void *self, void *work, const tn_system *sys, const double *q, double *z) {
  (void)work;
  if (((const tn_partition *)self)->layout == TN_LAYOUT_SPEEDS) memcpy(z, q, sizeof *q * (size_t)sys->m->nq);
}

const tn_packing tn_partition_packing = {
    .wanted = wanted,
    .memory = memory,
    .prepare = prepare,
    .count = count,
    .choose = choose,
    .names = names,
    .pack = pack,
    .unpack = unpack,
    .rates = rates,
    .weights = weights,
    .adopt = adopt,
    .keep = keep,
};
