/* how errors of a step are scaled.
 *
 * Numbers of a body, or of a joint's own coordinates, form groups of one unit: its translation, its rotation. Of a group with speeds u and
 * displacement d since the start, both vectors, rotations along the axes of the body:
 *   (1) over the last N steps, b = exp(-1/N):  ubar <- ubar + (1 - b)(u - ubar),  dbar <- dbar + (1 - b)(d - dbar)
 *       s_u <- max(b s_u, |u - ubar|, |change of u in the step|),  s_d <- max(b s_d, |d - dbar|, |change of d in the step|)
 *   (2) over the run:      m_u = max s_u,  m_d = max s_d
 *   (3) size of the motion: S = s^(1-p) m^p;  of angles S_d is at most 1 rad
 *   (4) weights:           w_d = max(rtol S_d, rtol f C_d, K eps R, K eps B_d, atol L),
 *                          w_u = max(rtol S_u, rtol f C_u, K eps R h/H^2, K eps B_u, K eps |u|, atol L)
 *   (5) error of a step:   max over groups of |e|/w, with its own end in s and m
 *   (6) part that is projected away: |(A e)_i| / sum_k |A_ik| W_k for each row, W the larger of the weights of a body's translation
 *       and of its rotation over its size rho: a body that turns about its origin moves, too. positions with w_d, velocities with w_u
 *   (7) violations of positions are relative to max(L, K eps R/contract), L the length of the assembly; of points in one place 1 m
 * Translations are measured against uniform motion: d grows by the change of place less h ubar. So neither the origin nor a velocity
 * that all have in common has a part in it, and a body is measured by the motion that it makes itself. R is how far the
 * places of its assembly are from the origin: K eps R is their roundoff. Over a step h it changes a speed by K eps R h k/m, where k/m says
 * how fast accelerations change with places. Steps of length H were taken: an explicit formula needs H^2 k/m < 1. H is the longest of
 * the last steps; near a singular position it is h, because accelerations change fast there. In iterations inside a step it is h, too:
 * implicit formulas have speeds as differences of places over h. Joints pass the roundoff of a place on:
 * a body at the origin has none of its own, but moves with that of its neighbours. C is the largest S among the bodies that it is tied to
 * by joints or forces: a guard for those that others only begin to move. B is the same among the bodies of its assembly: K eps B is the
 * roundoff of accelerations that are solved for together. L is the length of its assembly; atol is 0 if it is not given.
 * States of forces are groups of one number. docs/methods.md has this for users, docs/design/error-scaling.md what else was tried. */
#include "simulate/simulate.h"

static const double STEPS = 100;   /* N                                                                    */
static const double GUARD = 1e-10; /* f                                                                    */
static const double ROUNDOFF = 10; /* K                                                                    */
static const double RECENT = 20;   /* steps that the longest one is remembered for, H                      */
static const double NEAR = 1e-2;   /* of rho: nearer to a singular position H is h                         */
static const double RESTING_SPEED =
    1e-4; /* of that over the first step: the same of speeds. 1e-2 loses N-four-bars, 0 starts from rest */
static const double RESTING =
    1e-7; /* of the tolerance, lengths and angles: least weight of numbers in iterations inside a step */
static const double OF_LARGEST = 1e-3; /* the same, of the largest motion of its assembly: many begin small */
static const double ITERABLE = 100;    /* K of iterations inside a step: they have to reach shares of their weights */
static const double OF_STATE = 1e-6;   /* of the tolerance: what a state of a force is known to, in its own unit */
static const double ITERATED =
    1e-12; /* of lengths, angles and rates: what iterations inside a fixed step have to reach */
static const double SHOWN = 1e-4,
                    TREMBLES = 1e-2; /* of its motion: roundoff of a place that is worth telling; that is the motion */

void tn_scales_carve(tn_sim *s, tn_carve *c, const tn_model *m) {
  tn_scales *x = &s->estimate.scales;
  x->group = TN_CARVE(c, tn_group, m->nu + m->states);
  x->row_unit = TN_CARVE(c, tn_unit, m->rows);
  if (!c->base) return;
  for (int i = 0; i < m->rows; i++) /* one with a scale of its own keeps it, like an angle */
    x->row_unit[i] = m->joint[m->row_joint[i]].equation.scale > 0 ? TN_ANGLE : tn_row_unit(m, i);
  x->groups = 0;
  for (int b = 0; b < m->bodies; b++) {
    const tn_body *body = &m->body[b];
    for (int k = 0, first = 0; k < body->nu; k++) {
      const int i = body->u + k;
      if (k + 1 < body->nu && (m->u_unit[i + 1] == TN_LENGTH) == (m->u_unit[i] == TN_LENGTH)) continue;
      x->group[x->groups++] = (tn_group){.first = body->u + first, .n = k + 1 - first, .body = b};
      first = k + 1;
    }
  }
  for (int i = 0; i < m->states; i++) x->group[x->groups++] = (tn_group){.first = m->nu + i, .n = 1, .body = -1};
}

static bool is_length(const tn_model *m, const tn_group *g) { return g->body >= 0 && m->u_unit[g->first] == TN_LENGTH; }

/* the numbers of a state that groups are made of: speeds as they are integrated, then states of forces */
static const double *speeds_of(const tn_sim *s, const double *y, const double *z) {
  return (s->packed.turns ? z : y) + s->m->nq;
}

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
  sum = 0;
  for (int i = 0; i < n; i++) sum = hypot(sum, x[i]);
  return sum;
}

/* ---- memory of the motion ------------------------------------------------------------------------------------------------- */

/* how far places of bodies are from the origin, where the system is */
static void find_far(tn_sim *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->bodies; i++) {
    double r[3];
    tn_body_origin(&s->solver.sys, i, r);
    s->estimate.scales.far[i] = norm(r, 3) + m->body[i].reach;
  }
}

/* (7) */
static void scale_rows(tn_sim *s) {
  const tn_model *m = s->m;
  tn_scales *x = &s->estimate.scales;
  memset(x->away, 0, sizeof *x->away * (size_t)(m->assemblies + 1));
  for (int i = 0; i < m->bodies; i++) x->away[m->assembly[i]] = tn_max(x->away[m->assembly[i]], x->far[i]);
  for (int i = 0; i < m->rows; i++) {
    const int a = m->joint_assembly[m->row_joint[i]];
    const tn_unit unit = x->row_unit[i];
    if (a < 0 || (unit != TN_LENGTH && unit != TN_LENGTH_SQUARED)) continue;
    const double own = m->assembly_size[a] > 0 ? m->assembly_size[a] : 1,
                 L = tn_max(own, ROUNDOFF * TN_EPS * x->away[a] / m->run.contract_position);
    if (L > 0) s->solver.sys.rows.scale[i] = unit == TN_LENGTH ? 1 / L : 1 / (2 * L * L);
  }
}

void tn_scales_begin(tn_sim *s) {
  const tn_model *m = s->m;
  memcpy(s->estimate.scales.ubar, speeds_of(s, s->now.y, s->now.z), sizeof(double) * (size_t)(m->nu + m->states));
  find_far(s);
  scale_rows(s);
}

void tn_scales_first(tn_sim *s, double h, const double *accel) {
  tn_scales *x = &s->estimate.scales;
  x->h_first = s->stepper.h;
  const double *u = s->now.y + s->m->nq;
  for (int i = 0; i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    const double a = norm(accel + g->first, g->n), v = is_length(s->m, g) ? 0 : norm(u + g->first, g->n);
    x->s_u[i] = tn_max(x->s_u[i], h * a);
    x->s_d[i] = tn_max(x->s_d[i], h * v + 0.5 * h * h * a);
    x->m_u[i] = tn_max(x->m_u[i], x->s_u[i]);
    x->m_d[i] = tn_max(x->m_d[i], x->s_d[i]);
  }
}

/* what happens to a group in a step of length h that changes its speeds from u0 to u1 and its places by `gone`: sizes with its end in
 * them; `keep`: it is taken */
static void follow(tn_sim *s, int i, double h, const double *u0, const double *u1, bool keep) {
  const double b = exp(-1 / STEPS);
  tn_scales *x = &s->estimate.scales;
  const tn_group *g = &x->group[i];
  const bool length = is_length(s->m, g);
  double off_u = 0, step_u = 0, off_d = 0, step_d = 0;
  for (int k = g->first; k < g->first + g->n; k++) {
    const double du = u1[k] - u0[k], dd = g->body < 0 ? 0 : x->gone[k] - (length ? h * x->ubar[k] : 0);
    const double d = x->d[k] + dd, off = b * (u1[k] - x->ubar[k]), far = b * (d - x->dbar[k]);
    step_u += du * du;
    off_u += off * off;
    step_d += dd * dd;
    off_d += far * far;
    if (!keep) continue;
    x->d[k] = d;
    x->dbar[k] = d - far;
    x->ubar[k] = u1[k] - off;
  }
  const double s_u = tn_max(b * x->s_u[i], sqrt(tn_max(off_u, step_u))), m_u = tn_max(x->m_u[i], s_u),
               s_d = tn_max(b * x->s_d[i], sqrt(tn_max(off_d, step_d))), m_d = tn_max(x->m_d[i], s_d);
  x->S_u[i] = sqrt(s_u) * sqrt(m_u);
  x->S_d[i] = sqrt(s_d) * sqrt(m_d);
  if (!keep) return;
  x->s_u[i] = s_u;
  x->m_u[i] = m_u;
  x->s_d[i] = s_d;
  x->m_d[i] = m_d;
}

/* the change of places from one state to another, as a motion */
static void find_gone(tn_sim *s, const double *from, const double *to) {
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *change = tn_room(s, s->m->nq);
  for (int i = 0; i < s->m->nq; i++) change[i] = to[i] - from[i];
  tn_model_tangent(s->m, from, change, s->estimate.scales.gone);
  tn_scratch_close(&s->scratch, scope);
}

/* numbers of the group for a motion of 1 m: of a rotation, of places as far away as the body has size; 0 of a point, which does not turn */
static double per_length(const tn_model *m, const tn_group *g) {
  const double rho = m->body[g->body].size;
  return is_length(m, g) ? 1 : rho > 0 ? 1 / rho : 0;
}

/* what nothing is known of yet: the length of the assembly; of points in one place 1 m, and of angles 1 rad */
static double resting_length(const tn_model *m, const tn_group *g) {
  return is_length(m, g) ? tn_length_at(m, g->body) : 1;
}

/* (4), of S_d and S_u in a step of length h with speeds u at its end */
static void weigh(tn_sim *s, double h, double H, const double *u, double K) {
  const tn_model *m = s->m;
  const tn_run *r = &m->run;
  tn_scales *x = &s->estimate.scales;
  memset(x->C_d, 0, sizeof *x->C_d * (size_t)m->parts);
  memset(x->C_u, 0, sizeof *x->C_u * (size_t)m->parts);
  memset(x->B_d, 0, sizeof *x->B_d * (size_t)m->assemblies);
  memset(x->B_u, 0, sizeof *x->B_u * (size_t)m->assemblies);
  for (int i = 0; i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    if (g->body < 0) continue;
    const double arm = is_length(m, g) ? 1 : m->body[g->body].size, d = arm * x->S_d[i], v = arm * x->S_u[i];
    const int part = m->part[m->nq + g->first], assembly = m->assembly[g->body];
    x->C_d[part] = tn_max(x->C_d[part], d);
    x->C_u[part] = tn_max(x->C_u[part], v);
    x->B_d[assembly] = tn_max(x->B_d[assembly], d);
    x->B_u[assembly] = tn_max(x->B_u[assembly], v);
  }
  for (int i = 0; i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    const double speed = norm(u + g->first, g->n), noise = K * TN_EPS;
    if (g->body < 0) {
      x->w_u[i] = tn_max(tn_max(r->rtol * x->S_u[i], noise * speed), tn_max(r->atol, OF_STATE * r->rtol));
      continue;
    }
    const bool length = is_length(m, g);
    const int part = m->part[m->nq + g->first], assembly = m->assembly[g->body];
    const double unit = per_length(m, g), atol = r->atol * (length ? tn_body_length(m, g->body) : 1);
    const double own_d = r->rtol * (length ? x->S_d[i] : tn_min(x->S_d[i], 1)), own_u = r->rtol * x->S_u[i];
    const double tied_d = unit * tn_max(r->rtol * GUARD * x->C_d[part], noise * x->B_d[assembly]),
                 tied_u = unit * tn_max(r->rtol * GUARD * x->C_u[part], noise * x->B_u[assembly]);
    const double R = noise * (length ? x->away[assembly] + h * speed : tn_max(1, norm(x->d + g->first, g->n)));
    const double rest = RESTING * r->rtol * resting_length(m, g);
    x->w_d[i] = tn_max(tn_max(own_d, tied_d), tn_max(tn_max(R, rest), atol));
    x->w_u[i] =
        tn_max(tn_max(own_u, tied_u),
               tn_max(tn_max(h > 0 ? R * h / (H * H) + RESTING_SPEED * rest / tn_max(h, x->h_first) : 0, noise * speed),
                      atol));
  }
}

void tn_scales_trial(tn_sim *s, double h) {
  const double *u0 = speeds_of(s, s->now.y, s->now.z), *u1 = speeds_of(s, s->next.y, s->next.z);
  find_gone(s, s->now.y, s->next.y);
  for (int i = 0; i < s->estimate.scales.groups; i++) follow(s, i, h, u0, u1, false);
  const bool singular = tn_min(s->solver.nearness, s->solver.seen) < NEAR;
  weigh(s, h, singular ? h : tn_max(h, s->estimate.scales.h_long), u1, ROUNDOFF);
}

void tn_scales_take(tn_sim *s, double h) {
  const double *u0 = speeds_of(s, s->before.y, s->before.z), *u1 = speeds_of(s, s->now.y, s->now.z);
  find_gone(s, s->before.y, s->now.y);
  s->estimate.scales.h_long = tn_max(h, exp(-1 / RECENT) * s->estimate.scales.h_long);
  for (int i = 0; i < s->estimate.scales.groups; i++) follow(s, i, h, u0, u1, true);
  find_far(s);
  scale_rows(s);
}

/* ---- for those who ask ------------------------------------------------------------------------------------------------------ */

/* of a number by itself, at both ends */
double tn_weight_of_number(const tn_run *r, double a, double b) {
  return tn_max(r->atol, r->rtol * tn_max(fabs(a), fabs(b)));
}

/* number by number: coordinates by the length of the assembly, or 1 rad; speeds and states by their size, at least that a second */
static void weights_by_length(const tn_sim *s, const double *y, double *w) {
  const tn_model *m = s->m;
  const tn_run *r = &m->run;
  const double least = r->fixed ? ITERATED : tn_max(r->atol, r->rtol), share = r->fixed ? ITERATED : r->rtol;
  for (int i = 0; i < m->nq; i++) w[i] = least * m->q_length[i];
  for (int i = 0; i < m->nu + m->states; i++)
    w[m->nq + i] = tn_max(least * (i < m->nu ? m->u_length[i] : 1), share * fabs(y[m->nq + i]));
}

/* (4) before an attempt, from the motion so far, for iterations and orders of the integrator. They have to reach shares of their weights,
 * and must not be lost in what only begins to move */
static void weights_by_motion(tn_sim *s, const double *y, double *w) {
  const tn_model *m = s->m;
  tn_scales *x = &s->estimate.scales;
  const double h = s->now.t > s->before.t ? s->now.t - s->before.t : s->stepper.h, rtol = m->run.rtol;
  for (int i = 0; i < x->groups; i++) {
    x->S_u[i] = sqrt(x->s_u[i]) * sqrt(x->m_u[i]);
    x->S_d[i] = sqrt(x->s_d[i]) * sqrt(x->m_d[i]);
  }
  weigh(s, h, h, y + m->nq, ITERABLE);
  for (int i = 0; i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    const tn_body *b = g->body >= 0 ? &m->body[g->body] : NULL;
    double w_d = x->w_d[i], w_u = x->w_u[i];
    if (b) {
      const double least = RESTING * rtol * resting_length(m, g), share = OF_LARGEST * rtol * per_length(m, g);
      const int assembly = m->assembly[g->body];
      w_d = tn_max(w_d, tn_max(least, share * x->B_d[assembly]));
      w_u = tn_max(w_u, tn_max(h > 0 ? least / tn_max(h, x->h_first) : 0, share * x->B_u[assembly]));
    }
    for (int k = g->first; k < g->first + g->n; k++) w[m->nq + k] = w_u;
    for (int k = 0; b && k < b->nq; k++) { /* coordinates of the unit of the group; half of an angle in a quaternion */
      const bool length = m->q_unit[b->q + k] == TN_LENGTH, half = m->q_unit[b->q + k] == TN_RATIO && b->chart;
      if (length == is_length(m, g)) w[b->q + k] = half ? 0.5 * w_d : w_d;
    }
  }
}

/* Fixed steps have no tolerances. Integrators that choose their steps judge them before their ends are known, and begin with steps that are
 * much too short to show a motion: scaled by it, they give up at once */
void tn_error_weights(void *sim, const double *y, double *w) {
  tn_sim *s = sim;
  const tn_run *r = &s->m->run;
  const int counted = s->n - s->stepper.ode.ledgers;
  for (int i = 0; i < s->n; i++) w[i] = i < counted ? tn_weight_of_number(r, y[i], y[i]) : INFINITY;
  if (r->by_numbers) return;
  if (r->fixed || r->integrator->advance)
    weights_by_length(s, y, w);
  else
    weights_by_motion(s, y, w);
}

void tn_error_sizes(void *sim, const double *y, double *size) {
  tn_sim *s = sim;
  const tn_model *m = s->m;
  const tn_scales *x = &s->estimate.scales;
  for (int i = 0; i < s->n; i++) size[i] = 1;
  for (int i = 0; i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    if (g->body < 0 || !is_length(m, g)) continue;
    const tn_body *b = &m->body[g->body];
    const double L = tn_max(tn_length_at(m, g->body), x->m_d[i]);
    for (int k = g->first; k < g->first + g->n; k++) size[m->nq + k] = L;
    for (int k = 0; k < b->nq; k++)
      if (m->q_unit[b->q + k] == TN_LENGTH) size[b->q + k] = L;
  }
  (void)y;
}

double tn_error_norm(const tn_sim *s, int *worst) {
  const tn_scales *x = &s->estimate.scales;
  const int nu = s->m->nu;
  double most = 0;
  for (int i = 0; i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    for (int speed = g->body < 0; speed < 2; speed++) {
      const double *e = s->estimate.tangent + (speed ? nu : 0) + g->first, size = norm(e, g->n),
                   w = speed ? x->w_u[i] : x->w_d[i];
      if (!isfinite(size)) return *worst = (speed ? nu : 0) + g->first, INFINITY;
      const double share = size > 0 ? size / tn_max(w, DBL_MIN) : 0;
      if (!(share > most)) continue;
      most = share;
      int k = 0;
      for (int j = 1; j < g->n; j++)
        if (fabs(e[j]) > fabs(e[k])) k = j;
      *worst = (speed ? nu : 0) + g->first + k;
    }
  }
  return most;
}

/* of a body in the plane on its own coordinates, whose weights are `own`: the larger of translation and rotation, over its size */
static void plane_weights(const tn_body *b, const double *own, double *W) {
  const double shift = tn_max(tn_max(0, own[0]), own[1]), swing = b->size * tn_max(0, own[2]);
  W[0] = tn_max(own[0], swing);
  W[1] = tn_max(own[1], swing);
  W[2] = b->size > 0 ? tn_max(own[2], shift / b->size) : own[2];
}

/* added to those of body i: what its parent moves it by */
static void inherit_weights(const tn_system *sys, int i, double *W) {
  const tn_model *m = sys->m;
  const tn_body *b = &m->body[i];
  const int twist = m->twist, d = m->dimension;
  const double *of_parent = W + twist * b->parent;
  double *own = W + twist * i, here[3], there[3], arm[3], turn = 0;
  tn_body_origin(sys, i, here);
  tn_body_origin(sys, b->parent, there);
  tn_sub3(here, there, arm);
  for (int k = d; k < twist; k++) turn = tn_max(turn, of_parent[k]);
  for (int k = 0; k < d; k++) own[k] = of_parent[k] + turn * norm(arm, 3);
  for (int k = d; k < twist && (!b->type || b->type->turns_with_parent); k++) own[k] = of_parent[k];
}

/* the larger of translation and rotation, over the size of the body */
static void level_weights(int twist, int d, double size, double *W) {
  double move = 0, turn = 0;
  for (int k = 0; k < d; k++) move = tn_max(move, W[k]);
  for (int k = d; k < twist; k++) turn = tn_max(turn, W[k]);
  for (int k = 0; k < d; k++) W[k] = tn_max(W[k], size * turn);
  for (int k = d; k < twist && size > 0; k++) W[k] = tn_max(W[k], move / size);
}

/* weights of the motion of bodies as weights of their twists: sums of magnitudes, the parent's first. numbers of a body on its own
 * coordinates: as they are, into w (nu) */
static void twist_weights(tn_sim *s, const double *w_group, double *w, double *W) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  const tn_scales *x = &s->estimate.scales;
  const int twist = m->twist;
  memset(W, 0, sizeof *W * (size_t)(m->bodies * twist));
  for (int i = 0; i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    for (int k = 0; g->body >= 0 && k < g->n; k++) w[g->first + k] = w_group[i];
  }
  for (int o = 0; o < m->bodies; o++) {
    const int i = m->plain ? o : m->order[o];
    const tn_body *b = &m->body[i];
    double *own = W + twist * i;
    if (b->plain && twist == 3) {
      plane_weights(b, w + b->u, own);
      continue;
    }
    if (b->plain) memcpy(own, w + b->u, sizeof *own * (size_t)twist);
    if (!b->plain && b->parent >= 0) inherit_weights(sys, i, W);
    for (int r = 0; r < twist && !b->plain; r++)
      for (int k = 0; k < b->nu; k++) own[r] += fabs(sys->pose.S[i][r * b->nu + k]) * w[b->u + k];
    level_weights(twist, m->dimension, b->size, own);
  }
}

/* r as a share of what it may be off by, unless `most` is larger */
static inline double larger_share(double r, double allowed, double most) {
  if (r == 0) return most;
  const double share = fabs(r) / tn_max(allowed, DBL_MIN);
  return share <= most ? most : isnan(share) ? INFINITY : share;
}

/* (6) of pins in the plane, whose rows are +-(1, 0, -y) and +-(0, 1, x) on the twists of their bodies */
static double pins_share(const tn_system *sys, const double *r, int n, const double *W) {
  double most = 0;
  for (const tn_pin *p = sys->m->pin, *end = p + sys->m->pins; p < end; p++) {
    const double *R = sys->rows.R + p->R;
    double x = 0, y = 0;
    if (p->row >= n || (r[p->row] == 0 && r[p->row + 1] == 0)) continue;
    for (int k = 0; k < 2; k++) {
      if (p->body[k] < 0) continue;
      const double *w = W + 3 * p->body[k];
      x += w[0], x += fabs(R[2 * k + 1]) * w[2];
      y += w[1], y += fabs(R[2 * k]) * w[2];
    }
    most = larger_share(r[p->row + 1], y, larger_share(r[p->row], x, most));
  }
  return most;
}

/* (6): the largest share of rows r of what they may be off by. rows of bodies on their own coordinates have the weights of these */
static double rows_share(tn_sim *s, const double *r, int n, const double *w, const double *W) {
  const tn_model *m = s->m;
  double most = pins_share(&s->solver.sys, r, n, W);
  for (int i = 0; m->pins < m->joints + m->owned && i < m->joints + m->owned; i++) {
    const tn_joint *j = &m->joint[i];
    for (int k = 0; !j->in_tree && !j->pin && k < j->rows + j->rows_velocity; k++) {
      const int row = k < j->rows ? j->row + k : j->row_velocity + k - j->rows;
      if (row >= n || r[row] == 0) continue;
      double sum = 0, room[3];
      for (int l = 0; l < j->touches; l++) {
        const double *R = tn_touch_row(&s->solver.sys, j, k, l, room);
        const tn_touch *t = &j->touch[l];
        const double *weight = t->speed >= 0 ? w + t->speed : W + m->twist * t->body;
        const int numbers = t->speed < 0 ? m->twist : j->owner >= 0 ? m->body[t->body].nu : 1;
        for (int c = 0; c < numbers; c++) sum += fabs(R[c]) * weight[c];
      }
      most = larger_share(r[row], sum, most);
    }
  }
  return most;
}

double tn_error_rows(tn_sim *s, const double *position, const double *velocity) {
  tn_scales *x = &s->estimate.scales;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *w = tn_room(s, s->m->nu + s->m->states); /* groups of states of forces have a number too */
  twist_weights(s, x->w_d, w, x->twist);
  const double off = rows_share(s, position, s->m->holonomic, w, x->twist);
  twist_weights(s, x->w_u, w, x->twist);
  const double off_velocity = rows_share(s, velocity, s->m->rows, w, x->twist);
  tn_scratch_close(&s->scratch, scope);
  return tn_max(off, off_velocity);
}

bool tn_scales_coarse(const tn_sim *s, int *body, double *share, double *length) {
  const tn_scales *x = &s->estimate.scales;
  *share = 0;
  for (int i = 0; !s->m->run.fixed && i < x->groups; i++) {
    const tn_group *g = &x->group[i];
    if (!is_length(s->m, g) || !(x->m_d[i] > 0)) continue;
    const double known = ROUNDOFF * TN_EPS * x->far[g->body], of = known / x->m_d[i];
    if (of > TREMBLES || of <= *share) continue; /* roundoff itself, of what is at rest */
    *share = of;
    *body = g->body;
    *length = known;
  }
  return *share > SHOWN;
}
