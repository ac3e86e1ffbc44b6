/* forces that depend on the loads of joints, and so on what is solved for: friction. with the accelerations and multipliers at hand,
 * reactions R (n forces x 3), and loads N:
 *   (1) N_i = |R_i(N)|
 * where R is affine in N, since efforts are linear in their loads and the system of motion is linear. so
 *   (2) R = R_k + S Q'(N - N_k)
 * is exact in all directions Q that the sweeps so far have shown, and sweep k + 1 has the N that (1) and (2) have:
 *   (3) a = Q'(|R_k + S a| - N_k), by Newton's method in as many unknowns as there are directions;  N = |R_k + S a|
 * with accelerations and multipliers given, as unknowns of others (dae.c), R depends on N only through what joints that carry
 * bodies have along their axes. a sweep is one solve with the factorisation at hand. the first has N = 0, so that the answer depends on nothing but the state, and is
 * the one that goes on to that without friction where there are several. where friction locks the mechanism there is none. */
#include "simulate/simulate.h"

static const double SETTLED = 1e-14; /* defect of (1) over the largest load, or `usual` */
static const double ENOUGH = 1e-9;   /* where it is roundoff and does not fall any more, as near singular positions */

void tn_loads_carve(tn_loads *l, tn_carve *c, const tn_model *m) {
  const uint64_t n = (uint64_t)m->loaded;
  l->n = m->loaded;
  l->force = TN_CARVE(c, int, n);
  double **vectors[] = {&l->N, &l->last, &l->N0}, **matrices[] = {&l->R, &l->R0, &l->now};
  for (int i = 0; i < 3; i++) *vectors[i] = TN_CARVE(c, double, n);
  for (int i = 0; i < 3; i++) *matrices[i] = TN_CARVE(c, double, 3 * n);
  l->Q = TN_CARVE(c, double, TN_MOST_SWEEPS *n);
  l->S = TN_CARVE(c, double, 3 * TN_MOST_SWEEPS * n);
  for (int i = 0, k = 0; c->base && i < m->forces; i++)
    if (m->force[i].loaded) l->force[k++] = i;
}

static void axpy(int n, double k, const double *a, double *b) {
  for (int i = 0; i < n; i++) b[i] += k * a[i];
}

/* R of the accelerations and multipliers at hand */
static void reactions(tn_sim *s) {
  const tn_loads *l = &s->efforts.loads;
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  tn_reactions_of_motion(sys);
  tn_share(s, sys->solved.lambda, sys->solved.reaction, sys->solved.pivot);
  for (int i = 0; i < l->n; i++) {
    const double *w = sys->solved.reaction + m->twist * m->force[l->force[i]].on.part;
    for (int d = 0; d < 3; d++) l->R[3 * i + d] = d < m->dimension ? w[d] : 0;
  }
}

/* what loads are measured against where all of them pass through zero: the largest mass times the largest acceleration */
static double usual(const tn_sim *s) {
  const tn_model *m = s->m;
  const tn_system *sys = &s->solver.sys;
  double mass = 0, most = tn_norm3(m->gravity);
  for (int i = 0; i < m->bodies; i++) {
    const double *gain = sys->room.gains + m->twist * i,
                 *bias = m->dimension == 2 ? sys->pose.body[i].a0 : sys->pose.body3[i].a0;
    double a = 0;
    for (int d = 0; d < m->dimension; d++) a = hypot(a, gain[d] + bias[d]);
    most = fmax(most, a);
    mass = fmax(mass, m->body[i].mass);
  }
  return mass * most;
}

/* the forces once more, with the loads N */
static void act(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  for (int i = 0; i < s->efforts.loads.n; i++) sys->forces.load[s->efforts.loads.force[i]] = s->efforts.loads.N[i];
  tn_forces_loaded(sys);
  sys->forces.loads = TN_LOADS_SOME;
}

/* (2): what the last sweep shows beyond the directions that are known */
static int learn(tn_loads *l, int directions) {
  const int n = l->n;
  double *d = l->Q + (size_t)directions * (size_t)n, *r = l->S + 3 * (size_t)directions * (size_t)n;
  for (int i = 0; i < n; i++) d[i] = l->N[i] - l->N0[i];
  for (int i = 0; i < 3 * n; i++) r[i] = l->R[i] - l->R0[i];
  const double before = sqrt(tn_dot(n, d, d));
  for (int twice = 0; twice < 2; twice++)
    for (int k = 0; k < directions; k++) {
      const double *Q = l->Q + (size_t)k * (size_t)n, c = tn_dot(n, Q, d);
      axpy(n, -c, Q, d);
      axpy(3 * n, -c, l->S + 3 * (size_t)k * (size_t)n, r);
    }
  const double left = sqrt(tn_dot(n, d, d));
  if (!(left > 1e-13 * before)) return directions;
  for (int i = 0; i < n; i++) d[i] /= left;
  for (int i = 0; i < 3 * n; i++) r[i] /= left;
  return directions + 1;
}

/* R and N at a: (2) */
static void at(const tn_loads *l, int directions, const double *a) {
  memcpy(l->now, l->R, sizeof *l->R * (size_t)(3 * l->n));
  for (int k = 0; k < directions; k++) axpy(3 * l->n, a[k], l->S + 3 * (size_t)k * (size_t)l->n, l->now);
  for (int i = 0; i < l->n; i++) l->N[i] = tn_norm3(l->now + 3 * i);
}

/* a of (3), N there; false: there is none */
static bool predict(const tn_loads *l, int directions) {
  enum { MOST_NEWTON = 30 };
  const int n = l->n, m = directions;
  double *N = l->N;
  double a[TN_MOST_SWEEPS] = {0}, J[TN_MOST_SWEEPS * TN_MOST_SWEEPS], g[TN_MOST_SWEEPS];
  int order[TN_MOST_SWEEPS];
  for (int iteration = 0; iteration < MOST_NEWTON; iteration++) {
    double size = 0, step = 0;
    at(l, m, a);
    for (int k = 0; k < m; k++) {
      const double *Q = l->Q + (size_t)k * (size_t)n;
      g[k] = -a[k];
      for (int i = 0; i < n; i++) g[k] += Q[i] * (N[i] - l->last[i]);
      for (int j = 0; j < m; j++) {
        const double *S = l->S + 3 * (size_t)j * (size_t)n;
        double sum = k == j;
        for (int i = 0; i < n; i++)
          if (N[i] > 0) sum -= Q[i] * tn_dot3(l->now + 3 * i, S + 3 * i) / N[i];
        J[k * m + j] = sum;
      }
    }
    if (!tn_lu_factor(m, J, order)) return false;
    tn_lu_solve(m, J, order, g);
    for (int k = 0; k < m; k++) {
      a[k] += g[k];
      step = fmax(step, fabs(g[k]));
    }
    for (int i = 0; i < n; i++) size = fmax(size, N[i]);
    if (!isfinite(step)) return false;
    if (step <= 1e-11 * size) { /* the next would be roundoff */
      at(l, m, a);
      return true;
    }
  }
  return false;
}

static tn_status locked(tn_sim *s, int worst) {
  const tn_loads *l = &s->efforts.loads;
  const tn_force *f = &s->m->force[l->force[worst]];
  tn_fail(s->e, TN_E_RUN,
          "force '%s': no load of joint '%s' goes with the friction that it makes: after %d sweeps %.6g N make %.6g N",
          f->name, s->m->joint[f->on.part].name, TN_MOST_SWEEPS, l->N[worst], tn_norm3(l->R + 3 * worst));
  tn_hint(s->e, "so much friction locks the mechanism here: a smaller `mu` or `radius`");
  s->e->time = s->solver.sys.at.t;
  return TN_E_RUN;
}

/* what a sweep does with the loads at hand */
typedef tn_status (*sweep)(tn_sim *s);

static tn_status of_motion(tn_sim *s) {
  tn_status status = tn_solve_motion(s);
  if (status == TN_OK) reactions(s);
  return status;
}

static tn_status of_given(tn_sim *s) {
  tn_set_solved(&s->solver.sys);
  reactions(s);
  return TN_OK;
}

static tn_status search(tn_sim *s, sweep once) {
  tn_loads *l = &s->efforts.loads;
  const size_t n = (size_t)l->n;
  int directions = 0, worst = 0;
  double before = INFINITY;
  memset(l->N, 0, sizeof *l->N * n);
  if (s->solver.sys.forces.loads != TN_LOADS_NONE) act(s);
  tn_status status = once(s);
  if (status != TN_OK) return status;
  memcpy(l->N0, l->N, sizeof *l->N * n);
  memcpy(l->R0, l->R, sizeof *l->R * 3 * n);
  for (int k = 1; k <= TN_MOST_SWEEPS; k++) {
    memcpy(l->last, l->N, sizeof *l->N * n);
    if (directions == 0 || !predict(l, directions))
      for (int i = 0; i < l->n; i++) l->N[i] = tn_norm3(l->R + 3 * i);
    act(s);
    if ((status = once(s)) != TN_OK) return status;
    double defect = 0, size = usual(s);
    for (int i = 0; i < l->n; i++) {
      const double N = tn_norm3(l->R + 3 * i), off = fabs(N - l->N[i]);
      if (off >= defect) defect = off, worst = i;
      size = fmax(size, N);
    }
    l->most = k > l->most ? k : l->most;
    const bool stays = defect > 0.5 * before || k == TN_MOST_SWEEPS;
    if (defect <= (stays ? ENOUGH : SETTLED) * size) return TN_OK;
    before = defect;
    directions = learn(l, directions);
  }
  return locked(s, worst);
}

tn_status tn_loads_solve(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  if (sys->forces.loads == TN_LOADS_FOUND) return of_motion(s);
  const tn_status status = search(s, of_motion);
  if (status == TN_OK) sys->forces.loads = TN_LOADS_FOUND;
  return status;
}

tn_status tn_loads_given(tn_sim *s, const double *udot, const double *lambda) {
  tn_system *sys = &s->solver.sys;
  memcpy(sys->solved.udot, udot, sizeof *udot * (size_t)s->m->nu);
  memcpy(sys->solved.lambda, lambda, sizeof *lambda * (size_t)s->m->rows);
  return search(s, of_given);
}
