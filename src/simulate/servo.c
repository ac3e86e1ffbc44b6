/* control objectives realised by actuators: servo constraints (Braun & Goldfarb 2009, 5.4; Blajer & Kolodziejczyk 2004). rows s
 * keep their equation and lose their force; in its place efforts tau_j act along channels b_j:
 *   (1) M udot + A'lambda = f + sum_j b_j'tau_j,  A udot = gamma,  lambda_s = 0
 * with K = [M A'; A 0] of all rows, as factored:
 *   (2) K (x0, l0) = (f, gamma),  K (x_j, l_j) = (b_j', 0),  L_sj = l_j[s]
 *   (3) L tau = -l0[s],  udot = x0 + sum tau_j x_j,  lambda = l0 + sum tau_j l_j
 * where b_j is the row itself x_j = 0, L = 1: the ideal force. how well actuators reach what they shall, without units:
 *   (4) K (w_s, z_s) = (0, e_s),  -z_s[s'] = (G^-1)_s's = R R',  G_s's = a_s' N a_s', N = K^-1 without the rows s
 *   (5) S = R^-1 L E^-1/2,  E_j = b_j N b_j' = b_j x_j + |R^-1 L_j|^2
 * the columns of S are the actuators, each of length 1 in the metric of the motion, seen in the span of the objectives: with one
 * of each S is the cosine between them. the smallest singular value of S below 1e-6, or a determinant of L with another sign than at
 * the start, is refused: between the two signs no effort keeps the objectives */
#include "simulate/simulate.h"

static const double SINGULAR = 1e-6; /* of S */
static const double HELD = 1e-12;    /* of E, against all of the mass */

enum { MOST_NAMES = 6 };

void tn_servos_carve(tn_servos *v, tn_carve *c, const tn_model *m) {
  const uint64_t n = (uint64_t)m->servos, some = n > 0;
  v->x = TN_CARVE(c, double, n *(uint64_t)m->nu);
  v->l = TN_CARVE(c, double, n *(uint64_t)m->rows);
  v->row = TN_CARVE(c, double, n *(uint64_t)m->nu);
  v->push = TN_CARVE(c, double, some *(uint64_t)(m->bodies * m->twist));
  v->w = TN_CARVE(c, double, some *(uint64_t)m->nu);
  v->mu = TN_CARVE(c, double, some *(uint64_t)m->rows);
  v->g = TN_CARVE(c, double, some *(uint64_t)m->rows);
  v->L = TN_CARVE(c, double, n *n);
  v->Z = TN_CARVE(c, double, n *n);
  v->S = TN_CARVE(c, double, n *n);
  v->sigma = TN_CARVE(c, double, n);
  v->pivot = TN_CARVE(c, int, n);
}

/* (2) of the actuators, and (4) */
static tn_status effects(tn_sim *s) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_servos *v = &s->efforts.servos;
  const size_t n = (size_t)m->servos, nu = (size_t)m->nu, rows = (size_t)m->rows;
  tn_status status = TN_OK;
  tn_need(sys, TN_LEVEL_GENERALIZED); /* before anything acts alone */
  for (size_t j = 0; j < n && status == TN_OK; j++) {
    double *row = v->row + j * nu, *l = v->l + j * rows;
    tn_servo_row(sys, (int)j, row);
    memset(v->push, 0, sizeof *v->push * (size_t)(m->bodies * m->twist));
    tn_servo_push(sys, (int)j, 1, v->push);
    sys->given.push = v->push; /* for the factorisation by blocks, which has no f */
    status = tn_solver_solve(&s->solver, row, v->g, v->x + j * nu, l, s->e);
    sys->given.push = NULL;
    for (size_t i = 0; i < n; i++) v->L[i * n + j] = l[m->servo[i].row];
  }
  for (size_t j = 0; j < n && status == TN_OK; j++) {
    const int row = m->servo[j].row;
    v->g[row] = 1;
    status = tn_solver_solve(&s->solver, NULL, v->g, v->w, v->mu, s->e);
    v->g[row] = 0;
    for (size_t i = 0; i < n; i++) v->Z[i * n + j] = -v->mu[m->servo[i].row];
  }
  return status;
}

/* lower R in place of Z; false: not positive definite */
static bool cholesky(size_t n, double *Z) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = (Z[i * n + j] + Z[j * n + i]) / 2;
      for (size_t k = 0; k < j; k++) sum -= Z[i * n + k] * Z[j * n + k];
      if (i == j && !(sum > 0)) return false;
      Z[i * n + j] = i == j ? sqrt(sum) : sum / Z[j * n + j];
    }
  return true;
}

/* what the sum b_k^2/m_k would be if all the mass of its assembly moved with every speed of actuator j */
static double natural(const tn_model *m, int j, const double *row) {
  const int assembly = m->joint_assembly[m->servo[j].joint];
  const double L = tn_joint_length(m, m->servo[j].joint);
  double mass = 0, sum = 0;
  for (int i = 0; i < m->bodies; i++)
    if (m->assembly[i] == assembly) mass += m->body[i].mass;
  for (int i = 0; i < m->rods; i++) {
    const int body = m->rod[i].end[0].body >= 0 ? m->rod[i].end[0].body : m->rod[i].end[1].body;
    if (body >= 0 && m->assembly[body] == assembly) mass += m->rod[i].share[0] + m->rod[i].share[1];
  }
  for (int k = 0; k < m->nu; k++) sum += row[k] * row[k] / (m->u_unit[k] == TN_LENGTH ? 1 : L * L);
  return mass > 0 ? sum / mass : 0;
}

/* (5) into S */
static bool compare(const tn_sim *s) {
  const tn_servos *v = &s->efforts.servos;
  const size_t n = (size_t)s->m->servos, nu = (size_t)s->m->nu;
  if (!cholesky(n, v->Z)) return false;
  for (size_t j = 0; j < n; j++) {
    double seen = 0, beside = 0;
    for (size_t i = 0; i < n; i++) {
      double sum = v->L[i * n + j];
      for (size_t k = 0; k < i; k++) sum -= v->Z[i * n + k] * v->S[k * n + j];
      v->S[i * n + j] = sum / v->Z[i * n + i];
      seen += v->S[i * n + j] * v->S[i * n + j];
    }
    for (size_t k = 0; k < nu; k++) beside += v->row[j * nu + k] * v->x[j * nu + k];
    /* an actuator that the joints hold moves nothing but by roundoff */
    const double length = sqrt(fmax(seen + fmax(beside, 0), HELD * natural(s->m, (int)j, v->row + j * nu)));
    for (size_t i = 0; i < n; i++) v->S[i * n + j] = length > 0 ? v->S[i * n + j] / length : 0;
  }
  return true;
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

static void names(const tn_model *m, bool joints, char *text, size_t size) {
  const int shown = m->servos < MOST_NAMES ? m->servos : MOST_NAMES;
  int used = 0;
  for (int i = 0; i < shown; i++) {
    const tn_servo *v = &m->servo[i];
    used += tn_format(text + used, size - (size_t)used, "%s'%.60s'", i ? ", " : "",
                      joints ? m->joint[v->joint].name : v->name);
  }
  if (shown < m->servos) tn_format(text + used, size - (size_t)used, " and %d more", m->servos - shown);
}

static tn_status refuse(tn_sim *s, double sigma) {
  const tn_model *m = s->m;
  char objectives[440], along[440];
  names(m, true, objectives, sizeof objectives);
  names(m, false, along, sizeof along);
  s->efforts.servos.singular = true;
  if (sigma > SINGULAR)
    tn_fail(s->e, TN_E_RUN,
            "%s cannot be realised by actuators along %s: on the way their effect has vanished and turned round",
            objectives, along);
  else
    tn_fail(
        s->e, TN_E_RUN,
        "%s cannot be realised by actuators along %s: their effect is %.2g of what it could be, at least %g is needed",
        objectives, along, sigma, SINGULAR);
  tn_hint(s->e, "other channels, as many as move the objectives independently of each other, or a motion that stays "
                "away from here");
  s->e->time = s->solver.sys.at.t;
  return TN_E_RUN;
}

/* ------------------------------------------------------------------------------------------------------------------------- */

/* L factored; whether that may be used */
static tn_status factor(tn_sim *s) {
  tn_servos *v = &s->efforts.servos;
  const int n = s->m->servos;
  double sigma = 0;
  int sign = 1;
  if (compare(s)) {
    tn_singular_values(n, n, v->S, v->sigma);
    sigma = v->sigma[n - 1];
  }
  if (!(sigma >= SINGULAR) || !tn_lu_factor(n, v->L, v->pivot)) return refuse(s, fmin(sigma, SINGULAR));
  for (int i = 0; i < n; i++) {
    if (v->L[i * n + i] < 0) sign = -sign;
    if (v->pivot[i] != i) sign = -sign;
  }
  if (v->sign && sign != v->sign) return refuse(s, sigma);
  v->sign = sign;
  return TN_OK;
}

tn_status tn_servos_solve(tn_sim *s) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_servos *v = &s->efforts.servos;
  const int n = m->servos;
  const double inconsistency = s->solver.inconsistency; /* of the motion, not of these */
  tn_status status = effects(s);
  if (status == TN_OK) status = factor(s);
  s->solver.inconsistency = inconsistency;
  if (status != TN_OK) return status;
  for (int i = 0; i < n; i++) sys->solved.effort[i] = -sys->solved.lambda[m->servo[i].row];
  tn_lu_solve(n, v->L, v->pivot, sys->solved.effort);
  for (int j = 0; j < n; j++) {
    const double tau = sys->solved.effort[j], *x = v->x + (size_t)j * (size_t)m->nu,
                 *l = v->l + (size_t)j * (size_t)m->rows;
    for (int i = 0; i < m->nu; i++) sys->solved.udot[i] += tau * x[i];
    for (int i = 0; i < m->rows; i++) sys->solved.lambda[i] += tau * l[i];
  }
  for (int i = 0; i < n; i++) sys->solved.lambda[m->servo[i].row] = 0;
  return TN_OK;
}

const double *tn_servos_force(tn_sim *s) {
  const tn_system *sys = &s->solver.sys;
  const int nu = s->m->nu;
  double *f = s->efforts.servos.w;
  memcpy(f, sys->f, sizeof *f * (size_t)nu);
  for (int j = 0; j < s->m->servos; j++)
    for (int i = 0; i < nu; i++)
      f[i] += sys->solved.effort[j] * s->efforts.servos.row[(size_t)j * (size_t)nu + (size_t)i];
  return f;
}

static tn_status at_the_actuator(tn_sim *s, const tn_servo *v) {
  char pointer[256];
  tn_node_pointer(v->node, pointer, sizeof pointer);
  tn_error_at(s->e, &v->node->place, pointer);
  s->e->status = TN_E_MODEL;
  return TN_E_MODEL;
}

tn_status tn_servos_begin(tn_sim *s) {
  s->efforts.servos.sign = 0;
  s->efforts.servos.singular = false;
  tn_status status = tn_solve_here(s, s->now.t, s->now.y);
  return status == TN_E_RUN && s->efforts.servos.singular ? at_the_actuator(s, &s->m->servo[0]) : status;
}

tn_status tn_servos_check(tn_sim *s) {
  for (int i = 0; i < s->m->servos; i++) {
    const tn_servo *v = &s->m->servo[i];
    if (!s->output.shared[v->joint].load) continue;
    tn_fail(s->e, TN_E_MODEL,
            "joint '%s': other rows keep what it asks for as well, so that no actuator is needed for it",
            s->m->joint[v->joint].name);
    tn_hint(s->e, "leave out its `actuators`, or the joint");
    return at_the_actuator(s, v);
  }
  return TN_OK;
}
