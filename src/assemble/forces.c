/* forces on bodies: gravity, the forces of the model, and the inertia forces of bodies and rods at udot = 0.
 *   (1) mass centre at rho from the frame: a_c = a + al k x rho - w^2 rho
 *   (2) inertia wrench at the frame when udot = 0: (m a0_c, rho x m a0_c + I al0); in space
 *       a0_c = a0 + al0 x rho + w x (w x rho) and torque rho x m a0_c + I al0 + w x I w
 *   (3) rod between P and Q, velocity linear along it: T = m/6 (vP'vP + vP'vQ + vQ'vQ),
 *       inertia forces m/3 aP + m/6 aQ at P and m/6 aP + m/3 aQ at Q; half its weight at each end. of a pair of an element other
 *       numbers than m/3, m/6, m/2: model/elements.c
 *   (4) inertia I on a coordinate channel, rate = r'u: T = I rate^2/2, effort -I (r'udot + rate'(udot = 0)) along it
 * of bodies that stretch (body/euler-parameters.c), J = A I A' with A as long as it is, T = m v_c'v_c/2 + w'J w/2, Jdot = w x J - J w x + 2 ds J:
 *   (5) v_c = v + w x rho + ds rho;  a0_c has 2 ds w x rho + (ds0 + ds^2) rho in addition, the torque 2 ds J w;  on ds works
 *       rho'm a0_c - w'J w */
#include "assemble/assemble.h"

static void weight_in_plane(tn_system *s, int first, int end) {
  const tn_model *m = s->m;
  const double gx = m->gravity[0], gy = m->gravity[1];
  double *restrict wrench = s->forces.wrench + 3 * first;
  for (int i = first; i < end; i++, wrench += 3) {
    const tn_lump *b = &m->lump[i];
    const tn_frame2 *f = &s->pose.body[i];
    const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1];
    const double fx = b->mass * gx, fy = b->mass * gy;
    wrench[0] = fx;
    wrench[1] = fy;
    wrench[2] = x * fy - y * fx;
  }
}

static void weight_in_space(tn_system *s, int first, int end) {
  const tn_model *m = s->m;
  const int twist = m->twist;
  for (int i = first; i < end; i++) {
    const tn_lump3 *b = &m->lump3[i];
    double rho[3], *w = s->forces.wrench + twist * i;
    tn_turn3(s->pose.body3[i].A, b->center, rho);
    for (int k = 0; k < 3; k++) w[k] = b->mass * m->gravity[k];
    tn_cross3(rho, w, w + 3);
    if (twist == TN_TWIST) w[6] = tn_dot3(rho, w);
  }
}

static void bias_in_plane(const tn_system *s, int i, double *h) {
  const tn_lump *b = &s->m->lump[i];
  const tn_frame2 *f = &s->pose.body[i];
  const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1];
  const double w2 = f->w * f->w;
  h[0] = b->mass * (f->a0[0] - f->al0 * y - w2 * x);
  h[1] = b->mass * (f->a0[1] + f->al0 * x - w2 * y);
  h[2] = x * h[1] - y * h[0] + b->inertia * f->al0;
}

static void bias_in_space(const tn_system *s, int i, double *h) {
  const tn_lump3 *b = &s->m->lump3[i];
  const tn_frame3 *f = &s->pose.body3[i];
  double rho[3], v[3], a[3], x[3], w_b[3], al_b[3], Iw_b[3], Ial_b[3], Iw[3], Ial[3];
  tn_turn3(f->A, b->center, rho);
  tn_cross3(f->w, rho, v);
  tn_cross3(f->w, v, a);
  tn_unturn3(f->A, f->w, w_b);
  tn_turn3(b->tensor, w_b, Iw_b);
  tn_turn3(f->A, Iw_b, Iw);
  tn_cross3(f->w, Iw, h + 3);
  if (!s->m->plain) { /* else a0 is zero */
    tn_cross3(f->al0, rho, x);
    for (int k = 0; k < 3; k++) a[k] += f->a0[k] + x[k];
    tn_unturn3(f->A, f->al0, al_b);
    tn_turn3(b->tensor, al_b, Ial_b);
    tn_turn3(f->A, Ial_b, Ial);
    tn_axpy3(1, Ial, h + 3);
  }
  for (int k = 0; k < 3; k++) h[k] = b->mass * a[k];
  tn_cross3(rho, h, x);
  tn_axpy3(1, x, h + 3);
}

/* (5), what bias_in_space does not have */
static void bias_of_stretch(const tn_system *s, int i, double *h) {
  const tn_lump3 *b = &s->m->lump3[i];
  const tn_frame3 *f = &s->pose.body3[i];
  double rho[3], F[3], x[3], w_b[3], Iw_b[3], Jw[3];
  tn_turn3(f->A, b->center, rho);
  tn_cross3(f->w, rho, F);
  for (int k = 0; k < 3; k++) F[k] = b->mass * (2 * f->ds * F[k] + (f->ds0 + f->ds * f->ds) * rho[k]);
  tn_cross3(rho, F, x);
  tn_unturn3(f->A, f->w, w_b);
  tn_turn3(b->tensor, w_b, Iw_b);
  tn_turn3(f->A, Iw_b, Jw);
  tn_axpy3(1, F, h);
  tn_axpy3(1, x, h + 3);
  tn_axpy3(2 * f->ds, Jw, h + 3);
  h[6] = tn_dot3(rho, h) - tn_dot3(f->w, Jw);
}

void tn_body_net(const tn_system *s, int i, double *net) {
  assert(i >= 0 && i < s->m->bodies);
  const int twist = s->m->twist;
  double h[TN_TWIST];
  if (s->given.push) {
    memcpy(net, s->given.push + twist * i, sizeof *net * (size_t)twist);
    return;
  }
  if (s->m->dimension == 2)
    bias_in_plane(s, i, h);
  else
    bias_in_space(s, i, h);
  if (twist == TN_TWIST) bias_of_stretch(s, i, h);
  for (int k = 0; k < twist; k++) net[k] = s->forces.wrench[twist * i + k] - h[k];
  for (int k = 0; k < twist && (s->m->rods || s->m->flywheels); k++) net[k] -= s->forces.bias[twist * i + k];
}

/* (4): what is left of it when udot = 0 */
static void flywheels(tn_system *s) {
  for (int i = 0; i < s->m->flywheels; i++) {
    const tn_flywheel *e = &s->m->flywheel[i];
    double value, rate, accel;
    tn_measure_eval(s, &e->on, &value, &rate, &accel, NULL);
    tn_measure_push(s, &e->on, e->inertia * accel, s->forces.bias);
  }
}

static void rods(tn_system *s) {
  const int dimension = s->m->dimension, twist = s->m->twist;
  const double *g = s->m->gravity;
  for (int i = 0; i < s->m->rods; i++) {
    const tn_rod *r = &s->m->rod[i];
    tn_seen end[2];
    for (int k = 0; k < 2; k++) tn_look(s, &r->end[k], NULL, NULL, &end[k]);
    for (int k = 0; k < 2; k++) {
      const tn_seen *p = &end[k], *o = &end[1 - k];
      double weight[TN_TWIST] = {0}, bias[TN_TWIST] = {0};
      for (int d = 0; d < dimension; d++) {
        weight[d] = r->share[k] * g[d];
        bias[d] = r->own[k] * p->bias[d] + r->shared * o->bias[d];
      }
      if (p->body < 0) continue;
      tn_move_wrench(twist, p->arm, weight, s->forces.wrench + twist * p->body);
      tn_move_wrench(twist, p->arm, bias, s->forces.bias + twist * p->body);
    }
  }
}

/* those that know the load of their joint, or the others */
static void forces(tn_system *s, bool loaded) {
  const tn_model *m = s->m;
  const int twist = m->twist;
  for (int n = 0; n < m->forces; n++) {
    const int i = m->force_order[n];
    const tn_force *p = &m->force[i];
    if (p->loaded != loaded) continue;
    tn_force_out *out = &s->forces.out[i];
    if (s->given.force_off[i]) { /* its own numbers stay what they are */
      memset(out, 0, sizeof *out);
      memset(s->forces.state_rate + p->state, 0, sizeof *s->forces.state_rate * (size_t)p->states);
      s->forces.power_of[i] = 0;
      if (m->force_assembly[i] == TN_ACROSS) s->forces.side_power[2 * i] = s->forces.side_power[2 * i + 1] = 0;
      continue;
    }
    tn_frame2 f2[2];
    tn_frame3 f3[2];
    tn_seen seen[2];
    const bool plane = m->dimension == 2;
    tn_force_in in = {.t = s->at.t, .how = p->how, .f = plane ? f2 : NULL, .f3 = plane ? NULL : f3, .system = s};
    in.state = s->at.state + p->state;
    memset(out, 0, sizeof *out);
    double power = 0, unused;
    if (loaded) in.load = s->forces.load[i];
    if (p->how == TN_ON_CHANNEL) tn_measure_eval(s, &p->on, &in.value, &in.rate, &unused, NULL);
    for (int k = 0; k < p->frames; k++) tn_look(s, &p->spot[k], &f2[k], &f3[k], &seen[k]);
    if (plane)
      p->type->plane(p->self, &in, out);
    else
      p->type->space(p->self, &in, out);
    for (int k = 0; m->force_assembly[i] == TN_ACROSS && k < p->frames; k++)
      s->forces.side_power[2 * i + k] = tn_dot(m->wrench, out->w + m->wrench * k, seen[k].twist);
    for (int k = 0; k < p->frames; k++) {
      double w[TN_TWIST] = {0}; /* nothing of it works on ds at its own frame */
      memcpy(w, out->w + m->wrench * k, sizeof *w * (size_t)m->wrench);
      for (int d = 0; d < m->wrench; d++) power += w[d] * seen[k].twist[d];
      if (seen[k].body >= 0) tn_move_wrench(twist, seen[k].arm, w, s->forces.wrench + twist * seen[k].body);
    }
    if (p->how == TN_ON_CHANNEL) {
      tn_measure_push(s, &p->on, out->effort, s->forces.wrench);
      power += out->effort * in.rate;
    }
    memcpy(s->forces.state_rate + p->state, out->state_rate, sizeof *out->state_rate * (size_t)p->states);
    memcpy(out->signal, in.state, sizeof *out->signal * (size_t)p->states);
    s->forces.power_of[i] = power;
    s->forces.potential += out->energy;
    s->forces.power += out->power;
    s->forces.dissipated += out->dissipated;
  }
}

void tn_weights(tn_system *s, int first, int end) {
  assert(first >= 0 && end <= s->m->bodies);
  if (s->m->dimension == 2)
    weight_in_plane(s, first, end);
  else
    weight_in_space(s, first, end);
}

void tn_other_forces(tn_system *s) {
  assert(tn_knows(s, TN_LEVEL_TWISTS));
  s->forces.potential = s->forces.power = s->forces.dissipated = 0;
  if (s->m->rods || s->m->flywheels)
    memset(s->forces.bias, 0, sizeof *s->forces.bias * (size_t)(s->m->twist * s->m->bodies));
  rods(s);
  flywheels(s);
  forces(s, false);
  if (!s->m->loaded) return;
  memcpy(s->unloaded.wrench, s->forces.wrench, sizeof *s->forces.wrench * (size_t)(s->m->twist * s->m->bodies));
  s->unloaded.power = s->forces.power;
  s->unloaded.dissipated = s->forces.dissipated;
  s->unloaded.potential = s->forces.potential;
  memset(s->forces.load, 0, sizeof *s->forces.load * (size_t)s->m->forces);
  s->forces.loads = TN_LOADS_NONE;
  forces(s, true);
}

void tn_inertia_alone(tn_system *s) {
  const size_t size = sizeof *s->forces.wrench * (size_t)(s->m->twist * s->m->bodies);
  if (s->m->rods || s->m->flywheels) memset(s->forces.bias, 0, size);
  rods(s);
  flywheels(s);
  memset(s->forces.wrench, 0, size); /* the weight of rods too */
}

void tn_forces_loaded(tn_system *s) {
  assert(s->m->loaded && tn_knows(s, TN_LEVEL_FORCES));
  memcpy(s->forces.wrench, s->unloaded.wrench, sizeof *s->forces.wrench * (size_t)(s->m->twist * s->m->bodies));
  s->forces.power = s->unloaded.power;
  s->forces.dissipated = s->unloaded.dissipated;
  s->forces.potential = s->unloaded.potential;
  forces(s, true);
  s->known.motion = TN_LEVEL_FORCES;
  tn_system_changed(s);
}

/* ---- energies: of those who ask. `of` (bodies): which sum a body's go into; NULL: all into the first ----------------------- */

static void energy_of_bodies(const tn_system *s, const int *of, double *T, double *V) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    double *kinetic = T + (of ? of[i] : 0), *potential = V + (of ? of[i] : 0);
    const double *g = m->gravity, mass = b->mass;
    if (m->dimension == 2) {
      const tn_frame2 *f = &s->pose.body[i];
      const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1];
      const double vx = f->v[0] - f->w * y, vy = f->v[1] + f->w * x;
      *kinetic += 0.5 * (mass * (vx * vx + vy * vy) + b->inertia * f->w * f->w);
      *potential -= mass * (g[0] * (f->r[0] + x) + g[1] * (f->r[1] + y));
      continue;
    }
    const tn_frame3 *f = &s->pose.body3[i];
    double rho[3], v[3], w_b[3], Iw_b[3];
    tn_turn3(f->A, b->center, rho);
    tn_cross3(f->w, rho, v);
    tn_axpy3(1, f->v, v);
    tn_unturn3(f->A, f->w, w_b);
    tn_turn3(b->tensor, w_b, Iw_b);
    *kinetic += 0.5 * (mass * tn_dot3(v, v) + tn_dot3(w_b, Iw_b));
    *potential -= mass * (tn_dot3(g, f->r) + tn_dot3(g, rho));
    if (f->ds != 0) *kinetic += mass * f->ds * (tn_dot3(v, rho) + 0.5 * f->ds * tn_dot3(rho, rho));
  }
}

static void energy_of_rods(const tn_system *s, const int *of, double *T, double *V) {
  for (int i = 0; i < s->m->rods; i++) {
    const tn_rod *r = &s->m->rod[i];
    const int body = r->end[0].body >= 0 ? r->end[0].body : r->end[1].body, at = of && body >= 0 ? of[body] : 0;
    double *kinetic = T + at, *potential = V + at;
    tn_seen end[2];
    for (int k = 0; k < 2; k++) tn_look(s, &r->end[k], NULL, NULL, &end[k]);
    for (int k = 0; k < 2; k++) {
      const tn_seen *p = &end[k], *o = &end[1 - k];
      double origin[3];
      tn_body_origin(s, p->body, origin);
      for (int d = 0; d < s->m->dimension; d++) {
        *potential -= r->share[k] * s->m->gravity[d] * (origin[d] + p->arm[d]);
        *kinetic += p->twist[d] * (0.5 * r->own[k] * p->twist[d] + (k ? r->shared * o->twist[d] : 0));
      }
    }
  }
}

static void energy_of_flywheels(const tn_system *s, const int *of, double *T) {
  for (int i = 0; i < s->m->flywheels; i++) {
    const tn_flywheel *e = &s->m->flywheel[i];
    const int body = e->body[0] >= 0 ? e->body[0] : e->body[1];
    double value, rate, accel;
    tn_measure_eval(s, &e->on, &value, &rate, &accel, NULL);
    T[of && body >= 0 ? of[body] : 0] += 0.5 * e->inertia * rate * rate;
  }
}

void tn_energy_here(const tn_system *s, double *kinetic, double *potential) {
  assert(tn_knows(s, TN_LEVEL_FORCES));
  *kinetic = *potential = 0;
  energy_of_bodies(s, NULL, kinetic, potential);
  energy_of_rods(s, NULL, kinetic, potential);
  energy_of_flywheels(s, NULL, kinetic);
  *potential += s->forces.potential;
}

void tn_energy_by_assembly(const tn_system *s, double *kinetic, double *potential) {
  assert(tn_knows(s, TN_LEVEL_FORCES));
  const tn_model *m = s->m;
  memset(kinetic, 0, sizeof *kinetic * (size_t)m->assemblies);
  memset(potential, 0, sizeof *potential * (size_t)m->assemblies);
  energy_of_bodies(s, m->assembly, kinetic, potential);
  energy_of_rods(s, m->assembly, kinetic, potential);
  energy_of_flywheels(s, m->assembly, kinetic);
  for (int i = 0; i < m->forces; i++)
    if (m->force_assembly[i] >= 0) potential[m->force_assembly[i]] += s->forces.out[i].energy;
}

double tn_running(const tn_system *s, const tn_expr *e) {
  double value = NAN;
  if (s && e) tn_expr_on(s, e, &value);
  return value;
}
