/* reactions where redundant rows share a load: as equally stiff joints would share it. of all reactions with the same motion, those with
 *   (1) E = sum over joints j and their frames f of |F_jf|^2 + |tau_jf|^2 / l_j^2  least,
 * F_jf, tau_jf the wrench of joint j on its frame f, at the place of that frame (stress.c). With w0 the wrenches for any multipliers
 * lambda0 of the motion, N a basis of c'A = 0, W the wrenches of its columns alone, all of them with torques divided by l:
 *   (2) W z = -w0 in the sense of least squares, by reflections;  lambda = lambda0 + N z,  w = w0 + W z
 *   (3) l = max(r/10, r'/1000): r the root mean square distance of the places of the joints of a group from their mean; in r' the
 *       mass centres of their bodies count too. Both are of the configuration where rows were counted: where the run starts, and
 *       where an event switches joints. r' matters only where the places of a group lie on top of each other.
 * A group: joints that self-stresses connect, the finest division of joints in which every c'A = 0 is a sum of such c of one group
 * each. Each column of N has 1 at a row of its own, where the other columns are 0, so it lies within one group, and joints that
 * share a column are of one. Whether they do is judged in general positions, as in unique.c.
 * udot does not change: A'N = 0. Neither (1) nor (2) depends on axes and origin of the world, on the form and order of rows and
 * bodies, or on which joints carry bodies in relative coordinates: all of these give the same wrenches. */
#include "simulate/simulate.h"

static const double PART = 1e-7; /* of the largest force, or torque, of a self-stress: a joint takes part */
static const double NOISE =
    1e-12; /* of a force times the model's length: a torque that is roundoff; and alike of forces */
static const double OWN = 1e-10; /* of a column of W: what is left of one that depends on those before it */

static int members(const tn_model *m) { return m->joints + m->bodies; } /* joints, then pivots */

void tn_sharing_carve(tn_sharing *x, tn_carve *c, const tn_model *m) {
  const uint64_t n = (uint64_t)members(m), rows = m->large ? 0 : (uint64_t)m->rows, some = rows > 0;
  size_t frames = 0;
  int most = 2;
  for (int i = 0; i < members(m) && some; i++) {
    const int here = tn_stress_frames(m, i);
    frames += (size_t)here;
    most = here > most ? here : most;
  }
  const uint64_t all = frames * (uint64_t)m->twist;
  x->length = TN_CARVE(c, double, some *n);
  x->group = TN_CARVE(c, int, some *n);
  x->W = TN_CARVE(c, double, all *rows);
  x->w = TN_CARVE(c, double, all);
  x->diagonal = TN_CARVE(c, double, rows);
  x->scale = TN_CARVE(c, double, rows);
  x->z = TN_CARVE(c, double, rows);
  x->c = TN_CARVE(c, double, rows);
  x->dlambda = TN_CARVE(c, double, rows);
  x->q = TN_CARVE(c, double, some *(uint64_t)m->nq);
  x->reaction = TN_CARVE(c, double, some *(uint64_t)(m->joints * m->twist));
  x->pivot = TN_CARVE(c, double, some * 2 * (uint64_t)m->bodies);
  x->pivot_s = TN_CARVE(c, double, some * 2 * (uint64_t)m->bodies);
  x->wrench = TN_CARVE(c, double, some *(uint64_t)(most * m->twist));
  x->place = TN_CARVE(c, double, some * 3 * (uint64_t)most);
  if (!some) x->pivot_s = NULL;
  x->ready = false;
  for (size_t i = 0; c->base && i < some * n; i++) x->length[i] = 0;
}

static bool some(const tn_sim *s) { return !s->m->large && s->solver.rank < s->m->rows - s->solver.sys.given.idle; }

/* ---- groups and their lengths ---------------------------------------------------------------------------------------- */

static int root(int *group, int i) {
  while (group[i] != i) i = group[i] = group[group[i]];
  return i;
}

/* |F| and |tau|, the largest of a joint's frames */
static void size_of(const tn_model *m, int frames, const double *wrench, double *force, double *torque) {
  *force = *torque = 0;
  for (int k = 0; k < frames; k++) {
    const double *w = wrench + m->twist * k;
    *force = fmax(*force, m->dimension == 2 ? hypot(w[0], w[1]) : tn_norm3(w));
    *torque = fmax(*torque, m->dimension == 2 ? fabs(w[2]) : tn_norm3(w + 3));
  }
}

/* joints that the self-stress c connects */
static void connect(tn_sim *s, const double *c) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_sharing *x = &s->efforts.sharing;
  double force = 0, torque = 0, f, t;
  int first = -1;
  tn_reactions_of(sys, c, x->reaction, x->pivot);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < members(m); i++) {
      const int frames = tn_stress_frames(m, i);
      if (!frames) continue;
      tn_stress(sys, i, c, x->reaction, x->pivot, x->wrench);
      size_of(m, frames, x->wrench, &f, &t);
      if (!pass) {
        force = fmax(force, f);
        torque = fmax(torque, t);
        continue;
      }
      const double L = tn_joint_length(m, i), least_force = fmax(PART * force, NOISE * torque / L),
                   least_torque = fmax(PART * torque, NOISE * force * L);
      if (!(f > least_force) && !(t > least_torque)) continue;
      if (x->group[i] < 0) x->group[i] = i;
      if (first < 0) first = i;
      x->group[root(x->group, i)] = root(x->group, first);
    }
}

/* null vector number e of a factorisation; false: of a row that is switched off, which is none */
static bool null_vector(const tn_sim *s, const tn_kkt *k, int e, double *c) {
  const int row = tn_kkt_dependence(k, e, c);
  return !s->solver.sys.given.off[s->m->row_joint[row]];
}

/* places of a group: their number, sum of places and of squares of distances from `origin` */
typedef struct cloud {
  int n;
  double sum[3], squares;
} cloud;

static void add(cloud *to, const double origin[3], const double place[3]) {
  double d[3];
  tn_sub3(place, origin, d);
  tn_axpy3(1, d, to->sum);
  to->squares += tn_dot3(d, d);
  to->n++;
}

static double spread(const cloud *of) {
  if (!of->n) return 0;
  double mean[3];
  for (int d = 0; d < 3; d++) mean[d] = of->sum[d] / of->n;
  const double square = of->squares / of->n - tn_dot3(mean, mean);
  return square > 1e-14 * of->squares / of->n ? sqrt(square) : 0;
}

/* body k that joint i touches; -2: no more */
static int touched(const tn_model *m, int i, int k) {
  if (i >= m->joints) return k == 0 ? i - m->joints : k == 1 ? m->body[i - m->joints].parent : -2;
  const tn_joint *j = &m->joint[i];
  if (!j->terms) return k < j->frames ? j->spot[k].body : -2;
  if (k >= 2 * j->terms) return -2;
  const tn_measure *of = &j->term[k / 2].of;
  if (of->kind == TN_OF_JOINT) return m->joint[of->part].spot[k % 2].body;
  return k % 2 == 0 ? of->part : of->kind == TN_OF_RAW ? m->body[of->part].parent : TN_GROUND;
}

/* (3) of one group, at the present state of the system */
static double length_of(tn_sim *s, int group) {
  const tn_model *m = s->m;
  tn_sharing *x = &s->efforts.sharing;
  cloud places = {0}, all = {0};
  double origin[3] = {0};
  bool begun = false;
  for (int i = 0; i < members(m); i++) {
    if (x->group[i] < 0 || root(x->group, i) != group) continue;
    const int n = tn_stress_places(&s->solver.sys, i, x->place);
    if (n && !begun) memcpy(origin, x->place, sizeof origin), begun = true;
    for (int k = 0; k < n; k++) {
      add(&places, origin, x->place + 3 * k);
      add(&all, origin, x->place + 3 * k);
    }
    for (int k = 0, body; (body = touched(m, i, k)) != -2; k++) {
      double r[3];
      if (body < 0) continue;
      tn_mass_center(&s->solver.sys, body, r);
      if (!begun) memcpy(origin, r, sizeof origin), begun = true;
      add(&all, origin, r);
    }
  }
  const double l = fmax(spread(&places) / 10, spread(&all) / 1000);
  return l > 0 ? l : m->length / 10;
}

tn_status tn_sharing_find(tn_sim *s) {
  const tn_model *m = s->m;
  tn_sharing *x = &s->efforts.sharing;
  const double *pose[] = {s->singular.q_general, s->singular.beside ? s->singular.q_beside : NULL};
  x->ready = false;
  if (m->large || !m->rows) return TN_OK;
  for (int i = 0; i < members(m); i++) x->length[i] = 0, x->group[i] = -1;
  if (!some(s)) return TN_OK;
  for (int p = 0; p < 2 && pose[p]; p++) {
    int redundant;
    if (!tn_redundancy(s, pose[p], &redundant)) continue;
    for (int e = m->rows - redundant; e < m->rows; e++)
      if (null_vector(s, &s->start.rows.kkt, e, x->c)) connect(s, x->c);
  }
  const tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  if (status != TN_OK) return status;
  for (int i = 0; i < members(m); i++)
    if (x->group[i] >= 0 && root(x->group, i) == i) x->length[i] = length_of(s, i);
  for (int i = 0; i < members(m); i++)
    if (x->group[i] >= 0) x->length[i] = x->length[root(x->group, i)];
  return TN_OK;
}

/* ---- the reactions --------------------------------------------------------------------------------------------------- */

/* wrenches of all joints that take part, torques over l, into w; how many numbers */
static int wrenches(tn_sim *s, const double *lambda, const double *reaction, const double *pivot, double *w) {
  const tn_model *m = s->m;
  const tn_sharing *x = &s->efforts.sharing;
  int n = 0;
  for (int i = 0; i < members(m); i++) {
    if (!(x->length[i] > 0)) continue;
    const int here = tn_stress_frames(m, i) * m->twist;
    tn_stress(&s->solver.sys, i, lambda, reaction, pivot, w + n);
    for (int k = 0; k < here; k++)
      if (k % m->twist >= m->dimension) w[n + k] /= x->length[i];
    n += here;
  }
  return n;
}

/* the rows factored at the state of the system, for formulations without such a factor */
static const tn_kkt *factor(tn_sim *s) {
  tn_kkt *k = &s->start.rows.kkt;
  k->rows = s->m->rows;
  tn_kkt_reset(k);
  k->rank = s->solver.rank;
  k->ordered = TN_NO_ORDER;
  tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  return tn_kkt_factor(k, s->solver.sys.M, s->solver.sys.A, s->m->sigma ? s->start.rows.sigma : NULL) ? k : NULL;
}

/* W at the state of the system */
static bool prepare(tn_sim *s) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_sharing *x = &s->efforts.sharing;
  const size_t size = sizeof *x->q * (size_t)m->nq;
  const tn_kkt *there = tn_solver_kkt(&s->solver);
  if (x->ready && there && x->kkt == there && x->factorizations == s->solver.factorizations && x->t == sys->at.t &&
      memcmp(x->q, sys->at.q, size) == 0)
    return x->columns > 0;
  x->ready = false;
  const tn_kkt *k = there ? there : factor(s);
  if (!k) return false;
  const int most = m->rows - k->independent;
  int n = 0, columns = 0;
  for (int e = k->independent; e < m->rows; e++) {
    if (!null_vector(s, k, e, x->c)) continue;
    tn_reactions_of(sys, x->c, x->reaction, x->pivot);
    n = wrenches(s, x->c, x->reaction, x->pivot, x->w);
    const double length = sqrt(tn_dot(n, x->w, x->w));
    x->scale[columns] = length > 0 ? 1 / length : 0;
    for (int i = 0; i < n; i++) x->W[(size_t)i * (size_t)most + (size_t)columns] = x->w[i] * x->scale[columns];
    columns++;
  }
  for (int i = 0; i < n && columns < most; i++)
    memmove(x->W + (size_t)i * (size_t)columns, x->W + (size_t)i * (size_t)most, sizeof *x->W * (size_t)columns);
  x->n = n;
  x->columns = n >= columns ? columns : 0;
  if (x->columns) tn_qr(n, columns, x->W, x->diagonal);
  for (int i = 0; i < x->columns; i++)
    if (!(fabs(x->diagonal[i]) > OWN)) x->diagonal[i] = INFINITY; /* others do the same: this one is left alone */
  x->kkt = k;
  x->factorizations = s->solver.factorizations;
  x->t = sys->at.t;
  memcpy(x->q, sys->at.q, size);
  x->ready = true;
  return x->columns > 0;
}

void tn_share(tn_sim *s, double *lambda, double *reaction, double *pivot) {
  const tn_model *m = s->m;
  tn_sharing *x = &s->efforts.sharing;
  if (!some(s) || !prepare(s)) return;
  const tn_kkt *k = x->kkt;
  wrenches(s, lambda, reaction, pivot, x->w);
  tn_qr_solve(x->n, x->columns, x->W, x->diagonal, x->w, x->z);
  memset(x->dlambda, 0, sizeof *x->dlambda * (size_t)m->rows);
  for (int e = k->independent, column = 0; e < m->rows; e++) {
    if (!null_vector(s, k, e, x->c)) continue;
    const double z = x->z[column] * x->scale[column];
    for (int i = 0; i < m->rows; i++) x->dlambda[i] -= z * x->c[i];
    column++;
  }
  tn_reactions_of(&s->solver.sys, x->dlambda, x->reaction, x->pivot);
  for (int i = 0; i < m->rows; i++) lambda[i] += x->dlambda[i];
  for (int i = 0; i < m->joints; i++)
    for (int d = 0; d < m->twist && x->length[i] > 0; d++) reaction[m->twist * i + d] += x->reaction[m->twist * i + d];
  for (int i = 0; i < m->bodies; i++)
    for (int d = 0; d < 2 && x->length[m->joints + i] > 0; d++) pivot[2 * i + d] += x->pivot[2 * i + d];
}

void tn_reactions_here(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  tn_reactions(sys);
  tn_share(s, sys->solved.lambda, sys->solved.reaction, sys->solved.pivot);
  if (!s->stabilizing.feedback || !some(s)) return;
  tn_reactions_of_change(sys, sys->solved.udot_s, sys->solved.lambda_s, sys->solved.share, s->efforts.sharing.pivot_s);
  tn_share(s, sys->solved.lambda_s, sys->solved.share, s->efforts.sharing.pivot_s);
}
