/* forces on bodies: gravity, the forces of the model, and the inertia forces of bodies and rods at udot = 0.
 *   (1) mass centre at rho from the frame: a_c = a + al k x rho - w^2 rho
 *   (2) inertia wrench at the frame when udot = 0: (m a0_c, rho x m a0_c + I al0)
 *   (3) rod between P and Q, velocity linear along it: T = m/6 (vP'vP + vP'vQ + vQ'vQ),
 *       inertia forces m/3 aP + m/6 aQ at P and m/6 aP + m/3 aQ at Q; half its weight at each end */
#include "assemble/assemble.h"

static void add_at(double *wrench, const tn_system *s, const tn_spot *spot, const tn_frame2 *f, double fx, double fy,
                   double t) {
  if (spot->body < 0) return;
  const tn_frame2 *b = &s->body[spot->body];
  double *w = wrench + 3 * spot->body;
  w[0] += fx;
  w[1] += fy;
  w[2] += t + (f->r[0] - b->r[0]) * fy - (f->r[1] - b->r[1]) * fx;
}

static void bodies(tn_system *s) {
  const tn_model *m = s->m;
  const double *g = m->gravity;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const tn_frame2 *f = &s->body[i];
    const double x = f->c * b->center[0] - f->s * b->center[1], y = f->s * b->center[0] + f->c * b->center[1];
    const double ax = f->a0[0] - f->al0 * y - f->w * f->w * x, ay = f->a0[1] + f->al0 * x - f->w * f->w * y;
    const double vx = f->v[0] - f->w * y, vy = f->v[1] + f->w * x, mass = b->mass;
    double *w = s->wrench + 3 * i, *h = s->bias + 3 * i;
    w[0] = mass * g[0];
    w[1] = mass * g[1];
    w[2] = mass * (x * g[1] - y * g[0]);
    h[0] = mass * ax;
    h[1] = mass * ay;
    h[2] = mass * (x * ay - y * ax) + b->inertia * f->al0;
    s->kinetic += 0.5 * (mass * (vx * vx + vy * vy) + b->inertia * f->w * f->w);
    s->potential -= mass * (g[0] * (f->r[0] + x) + g[1] * (f->r[1] + y));
  }
}

static void rods(tn_system *s) {
  const double *g = s->m->gravity;
  for (int i = 0; i < s->m->rods; i++) {
    const tn_rod *r = &s->m->rod[i];
    const double m = r->mass;
    tn_frame2 f[2];
    for (int k = 0; k < 2; k++) tn_frame_on(s, &r->end[k], &f[k]);
    for (int k = 0; k < 2; k++) {
      const tn_frame2 *p = &f[k], *o = &f[1 - k];
      add_at(s->wrench, s, &r->end[k], p, 0.5 * m * g[0], 0.5 * m * g[1], 0);
      add_at(s->bias, s, &r->end[k], p, m / 3 * p->a0[0] + m / 6 * o->a0[0], m / 3 * p->a0[1] + m / 6 * o->a0[1], 0);
      s->potential -= 0.5 * m * (g[0] * p->r[0] + g[1] * p->r[1]);
      s->kinetic += m / 6 * (p->v[0] * p->v[0] + p->v[1] * p->v[1]);
    }
    s->kinetic += m / 6 * (f[0].v[0] * f[1].v[0] + f[0].v[1] * f[1].v[1]);
  }
}

static void forces(tn_system *s) {
  const tn_model *m = s->m;
  for (int i = 0; i < m->forces; i++) {
    const tn_force *p = &m->force[i];
    tn_force_out *out = &s->force[i];
    tn_frame2 f[2];
    tn_force_in in = {.t = s->t, .how = p->how, .f = f, .system = s};
    memset(out, 0, sizeof *out);
    double power = 0, unused;
    if (p->how == TN_ON_CHANNEL) tn_measure_eval(s, &p->on, &in.value, &in.rate, &unused, NULL);
    for (int k = 0; k < p->frames; k++) tn_frame_on(s, &p->spot[k], &f[k]);
    p->type->plane(p->self, &in, out);
    for (int k = 0; k < p->frames; k++) {
      const double *w = out->w + 3 * k;
      add_at(s->wrench, s, &p->spot[k], &f[k], w[0], w[1], w[2]);
      power += w[0] * f[k].v[0] + w[1] * f[k].v[1] + w[2] * f[k].w;
    }
    if (p->how == TN_ON_CHANNEL) {
      tn_measure_push(s, &p->on, out->effort, s->wrench);
      power += out->effort * in.rate;
    }
    s->force_power[i] = power;
    s->potential += out->energy;
    s->power += out->power;
    s->dissipated += out->dissipated;
  }
}

void tn_assemble_forces(tn_system *s) {
  s->kinetic = s->potential = s->power = s->dissipated = 0;
  bodies(s);
  rods(s);
  forces(s);
}

double tn_running(const tn_system *s, const tn_expr *e) {
  double value;
  tn_expr_on(s, e, &value);
  return value;
}
