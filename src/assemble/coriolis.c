/* the Coriolis matrix H(q, u) of Christoffel symbols: H u are the inertia forces at udot = 0, and Mdot - 2 H is skew-symmetric.
 *   (1) b(u) = H u is quadratic in u, and in coordinates whose rates are the speeds its symmetric form has the Christoffel symbols:
 *       H e_j = B(u, e_j) = (b(u + k e_j) - b(u - k e_j))/(4 k), which is exact for every k; k = max |u| keeps digits
 *   (2) speeds that turn do not commute: where a rotation s carries speeds x by s x x (tn_chart.carry),
 *       H e_j = B(u, e_j) + M (e_j x u)/2
 * (2) is what makes the symbols those of the derivative that keeps M: of points r, H_ij = sum m dr/du_i . d/dt dr/du_j.
 * Hoang et al. 2023, eq. 3. */
#include "assemble/assemble.h"

/* b(v) into b (nu), at the place of the system */
static void inertia_forces(tn_system *s, const double *v, double *b) {
  const tn_model *m = s->m;
  tn_system_move_speeds(s, v);
  tn_kinematics(s);
  tn_inertia_alone(s);
  tn_generalized_forces(s);
  for (int i = 0; i < m->nu; i++) b[i] = -s->f[i];
}

/* (2) of the body on whose speeds j is: what e_j carries of u, in w (8) */
static const tn_body *carried(const tn_model *m, int j, const double *u, double w[8]) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    double s[8] = {0};
    if (j < b->u || j >= b->u + b->nu) continue;
    if (!b->chart) return NULL;
    memset(w, 0, 8 * sizeof *w);
    s[j - b->u] = 1;
    b->chart->carry(u + b->u, s, 1, w);
    return b;
  }
  return NULL;
}

bool tn_coriolis_is_known(const tn_model *m) {
  for (int i = 0; i < m->bodies; i++)
    if (m->body[i].chart && !m->body[i].chart->carry) return false;
  return !m->large;
}

void tn_system_coriolis(tn_system *s, const double *u, const double *M, double *room, double *H) {
  assert(tn_coriolis_is_known(s->m));
  const int nu = s->m->nu;
  double k = 0, *v = room, *ahead = room + nu, *behind = room + 2 * nu, w[8];
  for (int i = 0; i < nu; i++) k = fmax(k, fabs(u[i]));
  if (!(k > 0)) k = 1;
  memcpy(v, u, sizeof *v * (size_t)nu);
  for (int j = 0; j < nu; j++) {
    v[j] = u[j] + k;
    inertia_forces(s, v, ahead);
    v[j] = u[j] - k;
    inertia_forces(s, v, behind);
    v[j] = u[j];
    const tn_body *b = carried(s->m, j, u, w);
    for (int i = 0; i < nu; i++) {
      double sum = (ahead[i] - behind[i]) / (4 * k);
      for (int c = 0; b && c < b->nu; c++) sum += 0.5 * M[(size_t)i * (size_t)nu + (size_t)(b->u + c)] * w[c];
      H[(size_t)i * (size_t)nu + (size_t)j] = sum;
    }
  }
}
