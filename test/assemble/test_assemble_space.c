/* the system of equations of models in space: random trees of every joint that carries, with more joints of every type
 * across them, particles, rods as mass elements, every force, drivers; in relative and in absolute coordinates of each
 * kind; and every file of models/ that is in space. at random states off the constraints.
 *   kinematics  twists against differences of the poses, J u, bias against differences of the twists
 *   M f         sum over bodies of d(momentum)/dt times d velocity/du = M udot - f + forces times d velocity/du
 *   T           u'Mu/2, and sum over bodies
 *   power       d/dt (T + V) = power of forces - lambda'A u, with udot solved
 *   A gamma     differences of C along each speed, of Cdot along a motion
 *   channels    rates and accelerations against differences; momentum against sums, and conserved */
#include "simulate/simulate.h"
#include "support/space.h"
#include "test.h"

enum { BODIES = 4, TREES = 48 };

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* model n: even relative, odd absolute. two joints across, so that n runs through all types */
static bool random_model(build *b, int n, bool loose) {
  const uint64_t seed = (uint64_t)n / 2;
  space_tree(b, seed, n % 2 == 0, BODIES, NULL, loose ? SPACE_LOOSE : SPACE_FORCES | SPACE_PARTICLE | SPACE_ON_BODIES);
  for (int k = 0; k < 2 && !loose; k++) {
    const tn_joint_type *type;
    int i = (int)(2 * seed + (uint64_t)k) % tn_joint_type_count;
    while (!(type = tn_joint_types[i])->space.there) i = (i + 1) % tn_joint_type_count;
    space_extra(b, k, BODIES, type);
  }
  return build_compile(b);
}

typedef double (*check)(build *b);

static bool in_space(const char *name) {
  build b;
  build_new(&b, 1);
  build_read(&b, name);
  const bool yes = build_compile(&b) && b.model->dimension == 3;
  build_free(&b);
  return yes;
}

static double error_of(build *b, const void *of) { return (*(const check *)of)(b); }

/* the worst of `check` over all models, each at `states` states */
static void each_model(const char *what, double tolerance, int states, check f) {
  char name[80][64];
  const int files = build_models(name, 80);
  double all[2] = {0, 0};
  int done[2] = {0, 0}, bad = 0;
  for (int i = 0; i < 2 * TREES + 2 * files; i++) {
    build b = {0};
    const bool file = i >= 2 * TREES;
    char text[80];
    double worst = 0;
    if (file && !in_space(name[i / 2 - TREES])) continue;
    snprintf(text, sizeof text, file ? "%s, %s" : "tree %.0s%s", file ? name[i / 2 - TREES] : "",
             i % 2 ? "absolute" : "relative");
    if (file) {
      build_new(&b, (uint64_t)i);
      build_read(&b, name[i / 2 - TREES]);
      build_set(&b, "/coordinates", i % 2 ? "\"absolute\"" : "\"relative\"");
      build_compile(&b);
    } else {
      random_model(&b, i, false);
    }
    if (!b.model) FAIL("%s %d: %s", text, i, b.message);
    for (int k = 0; b.model && k < states; k++)
      worst = worse(worst, build_converged(&b, error_of, &f, tolerance, build_smooth(b.model)));
    if (!(worst <= tolerance) && bad++ < 5) FAIL("%s %d: %s is off by %.3g %s", text, i, what, worst, b.message);
    all[file] = worse(all[file], worst);
    done[file] += b.model != NULL;
    build_free(&b);
  }
  printf("%s: %d trees %.1e, %d of models/ %.1e\n", what, done[0], all[0], done[1], all[1]);
  CHECK(done[0] == 2 * TREES);
}

static void center_of(const build *b, int i, double rho[3]) {
  tn_turn3(b->sys.pose.body3[i].A, b->model->body[i].center, rho);
}

/* velocity of the mass centre */
static void velocity_of(const build *b, int i, double v[3]) {
  double rho[3];
  center_of(b, i, rho);
  tn_cross3(b->sys.pose.body3[i].w, rho, v);
  tn_axpy3(1, b->sys.pose.body3[i].v, v);
}

static void spin_of(const build *b, int i, double L[3]) {
  double w[3], h[3];
  tn_unturn3(b->sys.pose.body3[i].A, b->sys.pose.body3[i].w, w);
  tn_turn3(b->model->body[i].tensor, w, h);
  tn_turn3(b->sys.pose.body3[i].A, h, L);
}

/* ---- kinematics -------------------------------------------------------------------------------------------------- */

static double kinematics(build *b) {
  const tn_model *m = b->model;
  tn_system *s = &b->sys;
  static double r[16][3][BUILD_STENCIL], A[16][9][BUILD_STENCIL], v[16][6][BUILD_STENCIL], gains[16 * 6];
  double q[BUILD_MOST], u[BUILD_MOST], udot[BUILD_MOST], err = 0;
  space_motion motion;
  if (m->bodies > 16) abort();
  space_motion_random(b, 0.3, &motion);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    space_motion_at(b, &motion, build_offset(k, b->h), q, u, NULL);
    build_frames(s, 0, q, u);
    for (int i = 0; i < m->bodies; i++) {
      const tn_frame3 *f = &s->pose.body3[i];
      for (int d = 0; d < 3; d++) r[i][d][k] = f->r[d], v[i][d][k] = f->v[d], v[i][3 + d][k] = f->w[d];
      for (int d = 0; d < 9; d++) A[i][d][k] = f->A[d];
    }
  }
  space_motion_at(b, &motion, 0, q, u, udot);
  tn_assemble(s, 0, q, u);
  tn_gains(s, udot, gains);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    const tn_frame3 *f = &s->pose.body3[i];
    const double size = 10 + tn_norm3(f->v) + tn_norm3(f->w);
    for (int d = 0; d < 3; d++) err = worse(err, fabs(f->v[d] - build_slope(r[i][d], b->h)) / size);
    for (int col = 0; col < 3; col++) {
      double e[3], x[3];
      tn_axis3(f->A, col, e);
      tn_cross3(f->w, e, x);
      for (int d = 0; d < 3; d++) err = worse(err, fabs(x[d] - build_slope(A[i][3 * d + col], b->h)) / size);
    }
    for (int d = 0; d < 6; d++) {
      const double bias = d < 3 ? f->a0[d] : f->al0[d - 3];
      double Ju = 0, Jx = 0, most = size * size + fabs(bias);
      for (int c = 0; c < body->cols; c++) {
        const double J = s->J[i][d * body->cols + c];
        Ju += J * u[body->col[c]];
        Jx += J * udot[body->col[c]];
        most = fmax(most, fabs(J * udot[body->col[c]]));
      }
      err = worse(err, fabs(Ju - (d < 3 ? f->v[d] : f->w[d - 3])) / size);
      err = worse(err, fabs(Jx - gains[6 * i + d]) / most);
      err = worse(err, fabs(bias + Jx - build_slope(v[i][d], b->h)) / most);
    }
  }
  return err;
}

TEST(twists_axes_and_bias_of_bodies) { each_model("kinematics", 1e-9, 2, kinematics); }

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool singular(const build *b, const tn_joint *j) {
  tn_frame3 f[3];
  for (int k = 0; k < j->terms; k++) {
    const tn_measure *of = &j->term[k].of;
    if (of->kind == TN_OF_JOINT && singular(b, &b->model->joint[of->part])) return true;
  }
  if (j->frames != 2) return false;
  for (int k = 0; k < 2; k++) tn_frame3_on(&b->sys, &j->spot[k], &f[k]);
  return space_regular(j, f) < 0.2;
}

static double rows(build *b) {
  const tn_model *m = b->model;
  tn_system *s = &b->sys;
  const int nu = m->nu;
  static double C[BUILD_MOST][BUILD_STENCIL], V[BUILD_MOST][BUILD_STENCIL], A[BUILD_MOST * BUILD_MOST];
  double q[BUILD_MOST], u[BUILD_MOST], udot[BUILD_MOST], at[BUILD_MOST], err = 0, Ct[BUILD_MOST], size[BUILD_MOST],
                                                                         gains[16 * 6], product[BUILD_MOST];
  if (m->bodies > 16) abort();
  bool skip[BUILD_MOST];
  space_motion motion;
  space_motion_random(b, 0.2, &motion);
  space_motion_at(b, &motion, 0, at, u, udot);
  tn_assemble(s, motion.t, at, u);
  tn_remember(s); /* angles are near where they are now */
  for (int k = 0; k < BUILD_STENCIL; k++) {
    space_motion_at(b, &motion, build_offset(k, b->h), q, u, NULL);
    tn_assemble(s, motion.t + build_offset(k, b->h), q, u);
    for (int r = 0; r < m->rows; r++) C[r][k] = s->rows.C[r], V[r][k] = s->rows.Cdot[r];
  }
  space_motion_at(b, &motion, 0, q, u, udot);
  tn_assemble(s, motion.t, q, u);
  for (int r = 0; r < m->rows; r++) {
    double Au = s->rows.Ct[r], Aa = -s->rows.gamma[r];
    const tn_joint *j = &m->joint[m->row_joint[r]];
    /* a mesh row is not the derivative of its C but in bearings; a distance of places that meet has none */
    skip[r] = (j->owner < 0 && singular(b, j)) || (j->type->seat == TN_SEAT_MESH && r < m->holonomic);
    size[r] = 1 + fabs(s->rows.gamma[r]);
    for (int i = 0; i < nu; i++) {
      const double a = s->A[r * nu + i];
      Au += a * u[i];
      Aa += a * udot[i];
      size[r] += fabs(a * udot[i]) + fabs(a * u[i]) + fabs(a);
    }
    err = worse(err, fabs(Au - s->rows.Cdot[r]) / size[r]);
    Ct[r] = s->rows.Ct[r];
    if (j->owner < 0 && singular(b, j)) continue;
    err = worse(err, fabs(Aa - build_slope(V[r], b->h)) / size[r]);
    if (r < m->holonomic && !skip[r]) err = worse(err, fabs(Au - build_slope(C[r], b->h)) / size[r]);
  }
  memcpy(A, s->A, sizeof *A * (size_t)(m->rows * nu));
  tn_gains(s, udot, gains); /* A udot without A */
  tn_rows_times(s, udot, gains, product);
  for (int r = 0; r < m->rows; r++) {
    double sum = 0;
    for (int i = 0; i < nu; i++) sum += A[r * nu + i] * udot[i];
    err = worse(err, fabs(sum - product[r]) / size[r]);
  }
  /* C along each speed alone, and over time; rows on velocities by Cdot, linear in u */
  for (int i = 0; i <= nu; i++) {
    for (int k = 0; k < BUILD_STENCIL; k++) {
      double step[BUILD_MOST] = {0};
      memcpy(q, at, sizeof q);
      if (i < nu) step[i] = build_offset(k, b->h);
      for (int body = 0; body < m->bodies; body++) { /* a quaternion of length 1 first: add makes it so */
        const tn_body *x = &m->body[body];
        if (x->chart && i >= x->u && i < x->u + x->nu) x->chart->add(q + x->q, step + x->u);
        if (!x->chart && i >= x->u && i < x->u + x->nu) q[x->q + i - x->u] += step[i];
      }
      build_rows_at(s, motion.t + (i < nu ? 0 : build_offset(k, b->h)), q);
      for (int r = 0; r < m->holonomic; r++) C[r][k] = s->rows.C[r];
    }
    for (int r = 0; r < m->holonomic; r++)
      if (!skip[r]) err = worse(err, fabs((i < nu ? A[r * nu + i] : Ct[r]) - build_slope(C[r], b->h)) / size[r]);
    if (i == nu) break;
    double e[BUILD_MOST] = {0};
    e[i] = 1;
    tn_assemble(s, motion.t, at, e);
    for (int r = m->holonomic; r < m->rows; r++)
      err = worse(err, fabs(A[r * nu + i] + Ct[r] - s->rows.Cdot[r]) / size[r]);
  }
  return err;
}

TEST(rows_and_gamma_of_models) { each_model("rows", 1e-8, 2, rows); }

/* ---- mass and forces --------------------------------------------------------------------------------------------- */

/* Cholesky: positive definite, but where Euler parameters have no inertia along themselves */
static bool positive(int n, const double *M, double shift) {
  static double L[BUILD_MOST * BUILD_MOST];
  memcpy(L, M, sizeof *L * (size_t)(n * n));
  for (int i = 0; i < n; i++) {
    double p = L[i * n + i] + shift;
    for (int k = 0; k < i; k++) p -= L[i * n + k] * L[i * n + k];
    if (!(p > 0)) return false;
    p = sqrt(p);
    for (int r = i + 1; r < n; r++) {
      double x = M[r * n + i];
      for (int k = 0; k < i; k++) x -= L[r * n + k] * L[i * n + k];
      L[r * n + i] = x / p;
    }
    L[i * n + i] = p;
  }
  return true;
}

static double mass(build *b) {
  const tn_model *m = b->model;
  tn_system *s = &b->sys;
  double q[BUILD_MOST], u[BUILD_MOST], T = 0, uMu = 0, err = 0, most = 1;
  space_motion motion;
  space_motion_random(b, 0.4, &motion);
  space_motion_at(b, &motion, 0, q, u, NULL);
  tn_assemble(s, motion.t, q, u);
  bool owned = false;
  for (int i = 0; i < m->bodies; i++) {
    double v[3], L[3];
    velocity_of(b, i, v);
    spin_of(b, i, L);
    T += 0.5 * m->body[i].mass * tn_dot3(v, v) + 0.5 * tn_dot3(L, s->pose.body3[i].w);
    owned = owned || (m->body[i].type && m->body[i].type->space.rows);
  }
  for (int i = 0; i < m->rods; i++) {
    tn_frame3 f[2];
    for (int k = 0; k < 2; k++) tn_frame3_on(s, &m->rod[i].end[k], &f[k]);
    T += m->rod[i].mass / 6 * (tn_dot3(f[0].v, f[0].v) + tn_dot3(f[0].v, f[1].v) + tn_dot3(f[1].v, f[1].v));
  }
  for (int i = 0; i < m->nu; i++)
    for (int j = 0; j < m->nu; j++) {
      uMu += u[i] * s->M[i * m->nu + j] * u[j];
      most = fmax(most, fabs(s->M[i * m->nu + j]));
    }
  for (int i = 0; i < m->nu; i++)
    for (int j = 0; j < m->nu; j++) err = worse(err, fabs(s->M[i * m->nu + j] - s->M[j * m->nu + i]) / most);
  err = worse(err, fabs(T - tn_energy_of(s, TN_KINETIC)) / (1 + T));
  err = worse(err, fabs(T - uMu / 2) / (1 + T));
  bool light = false;
  for (int i = 0; i < m->bodies; i++) light = light || m->body[i].mass == 0;
  if (!positive(m->nu, s->M, owned || light ? 1e-12 * most : 0)) err = INFINITY;
  return err;
}

TEST(mass_matrix_is_that_of_the_kinetic_energy) { each_model("mass", 1e-12, 3, mass); }

/* d/dt of momenta by differences along a motion, times what each speed moves: M udot - f = that - forces */
static double newton_euler(build *b) {
  const tn_model *m = b->model;
  tn_system *s = &b->sys;
  static double p[16][6][BUILD_STENCIL], end[8][6][BUILD_STENCIL];
  static double rate[16][6], end_rate[8][6];
  static tn_force_out out[16];
  double q[BUILD_MOST], u[BUILD_MOST], udot[BUILD_MOST], left[BUILD_MOST], err = 0, size = 10;
  space_motion motion;
  if (m->bodies > 16 || m->rods > 8 || m->forces > 16) abort();
  space_motion_random(b, 0.3, &motion);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    space_motion_at(b, &motion, build_offset(k, b->h), q, u, NULL);
    build_frames(s, 0, q, u);
    for (int i = 0; i < m->bodies; i++) {
      double v[3], L[3];
      velocity_of(b, i, v);
      spin_of(b, i, L);
      for (int d = 0; d < 3; d++) p[i][d][k] = m->body[i].mass * v[d], p[i][3 + d][k] = L[d];
    }
    for (int i = 0; i < m->rods; i++)
      for (int e = 0; e < 2; e++) {
        tn_frame3 f;
        tn_frame3_on(s, &m->rod[i].end[e], &f);
        for (int d = 0; d < 3; d++) end[i][3 * e + d][k] = f.v[d];
      }
  }
  for (int i = 0; i < m->bodies; i++)
    for (int d = 0; d < 6; d++) rate[i][d] = build_slope(p[i][d], b->h);
  for (int i = 0; i < m->rods; i++)
    for (int d = 0; d < 6; d++) end_rate[i][d] = build_slope(end[i][d], b->h);
  space_motion_at(b, &motion, 0, q, u, udot);
  tn_assemble(s, motion.t, q, u);
  if (m->forces) memcpy(out, s->forces.out, sizeof *out * (size_t)m->forces);
  for (int i = 0; i < m->nu; i++) {
    left[i] = -s->f[i];
    size = fmax(size, fabs(s->f[i]));
    for (int k = 0; k < m->nu; k++) {
      left[i] += s->M[i * m->nu + k] * udot[k];
      size = fmax(size, fabs(s->M[i * m->nu + k] * udot[k]));
    }
  }
  for (int i = 0; i < m->nu; i++) { /* what moves with speed i alone */
    double e[BUILD_MOST] = {0}, right = 0;
    e[i] = 1;
    build_frames(s, motion.t, q, e);
    for (int k = 0; k < m->bodies; k++) {
      double v[3];
      velocity_of(b, k, v);
      right +=
          tn_dot3(rate[k], v) + tn_dot3(rate[k] + 3, s->pose.body3[k].w) - m->body[k].mass * tn_dot3(m->gravity, v);
    }
    for (int k = 0; k < m->rods; k++) {
      tn_frame3 f[2];
      const double mass_of = m->rod[k].mass;
      for (int l = 0; l < 2; l++) tn_frame3_on(s, &m->rod[k].end[l], &f[l]);
      for (int l = 0; l < 2; l++)
        for (int d = 0; d < 3; d++)
          right += f[l].v[d] * (mass_of / 6 * (2 * end_rate[k][3 * l + d] + end_rate[k][3 * (1 - l) + d]) -
                                mass_of / 2 * m->gravity[d]);
    }
    for (int k = 0; k < m->forces; k++) {
      const tn_force *force = &m->force[k];
      for (int l = 0; l < force->frames; l++) {
        tn_frame3 f;
        tn_frame3_on(s, &force->spot[l], &f);
        right -= tn_dot3(out[k].w + 6 * l, f.v) + tn_dot3(out[k].w + 6 * l + 3, f.w);
      }
      if (force->how != TN_ON_CHANNEL) continue;
      double value, speed, accel;
      tn_measure_eval(s, &force->on, &value, &speed, &accel, NULL);
      right -= out[k].effort * speed;
    }
    err = worse(err, fabs(left[i] - right) / size);
  }
  return err;
}

TEST(forces_satisfy_the_equations_of_newton_and_euler) { each_model("Newton, Euler", 1e-9, 2, newton_euler); }

/* weight is 0 at the origin of the world */
static double potential(build *b) {
  const tn_model *m = b->model;
  double q[BUILD_MOST], u[BUILD_MOST], V = 0;
  space_motion motion;
  space_motion_random(b, 0.5, &motion);
  space_motion_at(b, &motion, 0, q, u, NULL);
  tn_assemble(&b->sys, motion.t, q, u);
  for (int i = 0; i < m->bodies; i++) {
    double rho[3];
    center_of(b, i, rho);
    V -= m->body[i].mass * (tn_dot3(m->gravity, rho) + tn_dot3(m->gravity, b->sys.pose.body3[i].r));
  }
  for (int i = 0; i < m->rods; i++)
    for (int e = 0; e < 2; e++) {
      tn_frame3 f;
      tn_frame3_on(&b->sys, &m->rod[i].end[e], &f);
      V -= m->rod[i].mass / 2 * tn_dot3(m->gravity, f.r);
    }
  for (int i = 0; i < m->forces; i++) V += b->sys.forces.out[i].energy;
  return fabs(V - tn_energy_of(&b->sys, TN_POTENTIAL)) / (1 + fabs(V));
}

TEST(potential_of_weight_and_springs) { each_model("potential", 1e-13, 3, potential); }

/* ---- efforts along coordinates -------------------------------------------------------------------------------------- */

static int axes_pushed[7];

/* an effort along one coordinate of a joint is 1 on its speed and nothing on any other, also of the joint's other axes, and those
 * are not at right angles to each other at the origin of the body */
static double pushes(build *b) {
  const tn_model *m = b->model;
  tn_system *s = &b->sys;
  double q[BUILD_MOST], u[BUILD_MOST], err = 0;
  space_motion motion;
  space_motion_random(b, 0.3, &motion);
  space_motion_at(b, &motion, 0, q, u, NULL);
  tn_assemble(s, 0, q, u);
  for (int i = 0; i < m->bodies; i++)
    for (int k = 0; m->body[i].joint >= 0 && k < m->body[i].nu; k++) {
      double wrench[16 * 6] = {0}, f[BUILD_MOST] = {0}, size = 1;
      if (m->bodies > 16) abort();
      tn_measure_push(s, &(tn_measure){TN_OF_RAW, i, k, NULL}, 1, wrench);
      for (int l = 0; l < m->bodies; l++)
        for (int c = 0; c < m->body[l].cols; c++)
          for (int d = 0; d < 6; d++) {
            const double part = s->J[l][d * m->body[l].cols + c] * wrench[6 * l + d];
            f[m->body[l].col[c]] += part;
            size = fmax(size, fabs(part));
          }
      for (int c = 0; c < m->nu; c++) err = worse(err, fabs(f[c] - (c == m->body[i].u + k)) / size);
      axes_pushed[m->body[i].nu]++;
    }
  return err;
}

TEST(efforts_along_coordinates_of_joints) {
  each_model("efforts", 1e-12, 3, pushes);
  printf("joints of one to six axes: %d %d %d %d %d %d\n", axes_pushed[1], axes_pushed[2], axes_pushed[3],
         axes_pushed[4], axes_pushed[5], axes_pushed[6]);
  CHECK(axes_pushed[1] && axes_pushed[2] && axes_pushed[3]);
}

/* ---- with udot solved -------------------------------------------------------------------------------------------- */

/* from q, u on: q (+) s u, u + s udot */
static void moved(const build *b, const double *q, const double *u, const double *udot, double s, double *x,
                  double *v) {
  double step[BUILD_MOST];
  memcpy(x, q, sizeof *x * (size_t)b->model->nq);
  for (int i = 0; i < b->model->nu; i++) step[i] = s * u[i], v[i] = u[i] + s * udot[i];
  tn_model_add(b->model, x, step);
}

/* d/dt (T + V) = power - lambda'(Cdot - Ct) anywhere; and A udot = gamma against Cdot along the motion */
static double power(build *b) {
  const tn_model *m = b->model;
  tn_error e;
  double q[BUILD_MOST], u[BUILD_MOST], x[BUILD_MOST], v[BUILD_MOST], E[BUILD_STENCIL], err = 0, udot[BUILD_MOST];
  static double V[BUILD_MOST][BUILD_STENCIL];
  space_motion motion;
  if (!b->sim) {
    build_set(b, "/start/mode", "\"as-given\"");
    if (!build_simulate(b)) return b->model && strstr(b->message, "singular") ? 0 : INFINITY;
  }
  space_motion_random(b, 0.2, &motion);
  space_motion_at(b, &motion, 0, q, u, NULL);
  memset(x, 0, sizeof x);
  tn_model_add(m, q, x); /* quaternions of length 1, as steps have them */
  if (tn_sim_set(b->sim, motion.t, q, u, false, &e) != TN_OK) return INFINITY;
  build_channel(b, "energy.total");
  const tn_system *s = &b->sim->solver.sys;
  double P = s->forces.power, size = 10 + fabs(s->forces.power);
  memcpy(udot, s->solved.udot, sizeof *udot * (size_t)m->nu);
  for (int r = 0; r < m->rows; r++) {
    P -= s->solved.lambda[r] * (s->rows.Cdot[r] - s->rows.Ct[r]);
    size += fabs(s->solved.lambda[r] * s->rows.Cdot[r]);
  }
  for (int i = 0; i < m->nu; i++) size += fabs(udot[i] * s->f[i]) + fabs(u[i] * s->f[i]);
  memcpy(b->sys.given.memory, s->given.memory, sizeof *s->given.memory * (size_t)m->memory);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    moved(b, q, u, udot, build_offset(k, b->h), x, v);
    tn_assemble(&b->sys, motion.t + build_offset(k, b->h), x, v);
    E[k] = tn_energy_of(&b->sys, TN_KINETIC) + tn_energy_of(&b->sys, TN_POTENTIAL);
    for (int r = 0; r < m->rows; r++) V[r][k] = b->sys.rows.Cdot[r];
  }
  err = worse(err, fabs(P - build_slope(E, b->h)) / size);
  double most = 10;
  for (int i = 0; i < m->nu; i++) most = fmax(most, fabs(udot[i]));
  if (b->sim->summary.redundant_rows) return err;
  for (int r = 0; r < m->rows; r++) {
    const tn_joint *j = &m->joint[m->row_joint[r]];
    if (j->owner < 0 && singular(b, j)) continue;
    /* udot was found so that Cdot stays */
    err = worse(err, fabs(build_slope(V[r], b->h)) / (most * (1 + fabs(s->rows.gamma[r]))));
  }
  return err;
}

TEST_FULL(power_balance_and_constraints_along_the_motion) { each_model("power", 1e-8, 2, power); }

static const tn_joint_type *joint_type(const char *name) {
  for (int i = 0; i < tn_joint_type_count; i++)
    if (strcmp(tn_joint_types[i]->name, name) == 0) return tn_joint_types[i];
  abort();
}

/* A state that is taken as it is may be far off the constraints: to count rows, poses nearby are looked for, and corrections
 * towards these may diverge. */
TEST_FULL(states_far_off_the_constraints_are_taken) {
  int taken = 0;
  for (int n = 0; n < 60; n++) {
    build b = {0};
    double q[BUILD_MOST], u[BUILD_MOST], none[BUILD_MOST] = {0};
    space_motion motion;
    tn_error e;
    space_tree(&b, (uint64_t)n, n % 2 == 0, BODIES, NULL, SPACE_FORCES | SPACE_PARTICLE | SPACE_ON_BODIES);
    space_extra(&b, 0, BODIES, joint_type("revolute"));
    space_extra(&b, 1, BODIES, joint_type("rolling-disc"));
    if (!build_simulate(&b)) FAIL("tree %d: %s", n, b.message);
    for (int k = 0; b.sim && k < 4; k++) {
      char text[1600];
      space_motion_random(&b, 0.5, &motion);
      space_motion_at(&b, &motion, 0, q, u, NULL);
      tn_model_add(b.model, q, none); /* quaternions of length 1 */
      const bool done = tn_sim_set(b.sim, motion.t, q, u, false, &e) == TN_OK;
      taken += done;
      tn_error_text(&e, text, sizeof text);
      if (!done) FAIL("tree %d: %s", n, text);
    }
    build_free(&b);
  }
  CHECK(taken == 240);
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static double channel(const build *b, const char *part, const char *word) {
  char name[128];
  tn_channel ch;
  tn_error e;
  double value[3];
  snprintf(name, sizeof name, "%.60s.%.60s", part, word);
  if (!tn_model_channel(b->model, name, &ch, &e)) return NAN;
  tn_channel_eval(&b->sys, &ch, value);
  if (ch.kind == TN_CH_MEASURE || ch.kind == TN_CH_RATE) { /* by the shorter way it is the same to the last bit */
    double x[2], unused;
    tn_measure_eval(&b->sys, &ch.measure, &x[0], &x[1], &unused, NULL);
    CHECK(memcmp(value, &x[ch.kind == TN_CH_RATE], sizeof *value) == 0);
  }
  return value[0];
}

/* along a motion whose udot is called in part the stabilizer's */
static double channels(build *b) {
  static const char *const value[] = {"x", "y", "z"}, *const rates[] = {"vx", "vy", "vz", "wx", "wy", "wz"},
                           *const own[] = {"w1", "w2", "w3"}, *const quaternion[] = {"e0", "e1", "e2", "e3"},
                           *const accels[] = {"ax", "ay", "az", "alx", "aly", "alz"};
  const tn_model *m = b->model;
  tn_system *s = &b->sys;
  static double at[300][BUILD_STENCIL];
  double q[BUILD_MOST], u[BUILD_MOST], udot[BUILD_MOST], err = 0;
  space_motion motion;
  space_motion_random(b, 0.2, &motion);
  space_motion_at(b, &motion, 0, q, u, udot);
  tn_assemble(s, motion.t, q, u);
  tn_remember(s);
  for (int k = 0; k <= BUILD_STENCIL; k++) {
    const bool here = k == BUILD_STENCIL;
    int n = 0;
    space_motion_at(b, &motion, here ? 0 : build_offset(k, b->h), q, u, NULL);
    tn_assemble(s, motion.t, q, u);
    for (int i = 0; i < m->nu; i++) s->solved.udot[i] = 0.25 * udot[i], s->solved.udot_s[i] = 0.75 * udot[i];
    tn_gains(s, s->solved.udot, s->room.gains);
    tn_gains(s, s->solved.udot_s, s->room.gains_s);
    for (int i = 0; i < m->bodies; i++) {
      const tn_frame3 *f = &s->pose.body3[i];
      const char *name = m->body[i].name;
      for (int d = 0; d < (m->body[i].oriented ? 6 : 3); d++, n += 2) {
        const double v = channel(b, name, rates[d]);
        if (here) {
          const double a = channel(b, name, accels[d]);
          if (d < 3) err = worse(err, fabs(v - build_slope(at[n], b->h)) / (10 + fabs(v)));
          err = worse(err, fabs(a - build_slope(at[n + 1], b->h)) / (100 + fabs(a)));
          err = worse(err, fabs(v - (d < 3 ? f->v[d] : f->w[d - 3])));
        } else {
          at[n][k] = d < 3 ? channel(b, name, value[d]) : 0;
          at[n + 1][k] = v;
        }
      }
      double w[3], e[4], A[9];
      if (!here || !m->body[i].oriented) continue;
      tn_unturn3(f->A, f->w, w);
      for (int d = 0; d < 3; d++) err = worse(err, fabs(channel(b, name, own[d]) - w[d]));
      for (int d = 0; d < 4; d++) e[d] = channel(b, name, quaternion[d]);
      tn_quaternion_rotation(e, A); /* raw ones may have any length */
      for (int d = 0; d < 9; d++) err = worse(err, fabs(A[d] - f->A[d]));
    }
    for (int i = 0; i < m->joints; i++)
      for (int d = 0; d < m->joint[i].coordinates; d++, n++) {
        const tn_joint *j = &m->joint[i];
        const tn_coordinate *c = &j->type->coordinates[d];
        const double v = channel(b, j->name, c->rate);
        if (!here)
          at[n][k] = channel(b, j->name, c->name);
        else if (!singular(b, j))
          err = worse(err, fabs(v - build_slope(at[n], b->h)) / (10 + fabs(v)));
      }
    if (n > 300) abort();
  }
  return err;
}

TEST(channels_of_bodies_and_joints) { each_model("channels", 1e-8, 2, channels); }

static const char *const momenta[] = {"px", "py", "pz", "lx", "ly", "lz"};

static double momentum_is_a_sum(build *b) {
  const tn_model *m = b->model;
  double q[BUILD_MOST], u[BUILD_MOST], sum[6] = {0}, err = 0, size = 10;
  space_motion motion;
  space_motion_random(b, 0.3, &motion);
  space_motion_at(b, &motion, 0, q, u, NULL);
  tn_assemble(&b->sys, motion.t, q, u);
  for (int i = 0; i < m->bodies; i++) {
    double v[3], p[6], r[3];
    velocity_of(b, i, v);
    for (int d = 0; d < 3; d++) p[d] = m->body[i].mass * v[d];
    spin_of(b, i, p + 3);
    center_of(b, i, r);
    tn_axpy3(1, b->sys.pose.body3[i].r, r);
    tn_move_wrench(6, r, p, sum);
  }
  for (int i = 0; i < m->rods; i++) { /* Simpson's rule along it: exact */
    tn_frame3 f[2];
    for (int k = 0; k < 2; k++) tn_frame3_on(&b->sys, &m->rod[i].end[k], &f[k]);
    for (int k = 0; k < 3; k++) {
      double r[3], p[6] = {0};
      for (int d = 0; d < 3; d++) {
        r[d] = f[0].r[d] + 0.5 * k * (f[1].r[d] - f[0].r[d]);
        p[d] = m->rod[i].mass * (k == 1 ? 4 : 1) / 6 * (f[0].v[d] + 0.5 * k * (f[1].v[d] - f[0].v[d]));
      }
      tn_move_wrench(6, r, p, sum);
    }
  }
  for (int d = 0; d < 6; d++) size += fabs(sum[d]);
  for (int d = 0; d < 6; d++) err = worse(err, fabs(channel(b, "momentum", momenta[d]) - sum[d]) / size);
  return err;
}

TEST(momentum_channels) { each_model("momentum", 1e-13, 3, momentum_is_a_sum); }

/* nothing from outside: trees and springs within keep all six, whatever the coordinates */
TEST(momentum_of_a_free_system_is_conserved) {
  double worst = 0, spin = 0;
  int done = 0, lossy = 0;
  for (int n = 0; n < 12; n++) {
    build b;
    tn_error e;
    double p[6], q[BUILD_MOST], u[BUILD_MOST];
    space_motion motion;
    random_model(&b, n, true);
    tn_model_free(b.model), b.model = NULL; /* compiled anew, with a spring and a motor */
    tn_block_free(NULL, b.block), b.block = NULL;
    build_set(&b, "/forces/s",
              "{\"type\": \"spring\", \"between\": [\"a\", \"d\"], \"on_bodies\": [[0.4, 0.1, -0.3], [0.2, 0.5, 0]], "
              "\"stiffness\": 15, \"length\": 0.6, \"damping\": 0.4}");
    build_tight(&b, 1, 0.1);
    build_set(&b, "/run/contract/breach", "\"record\"");
    if (build_simulate(&b)) {
      space_motion_random(&b, 0.2, &motion);
      space_motion_at(&b, &motion, 0, q, u, NULL);
      if (tn_sim_set(b.sim, 0, b.model->q0, u, true, &e) != TN_OK) FAIL("%s", e.message);
      for (int d = 0; d < 6; d++) p[d] = build_channel(&b, "momentum.%s", momenta[d]);
      const double T = build_channel(&b, "energy.total");
      if (tn_sim_advance(b.sim, 1, &e) != TN_OK) {
        if (!strstr(e.message, "singular")) FAIL("tree %d: %s", n, e.message);
      } else {
        done++;
        for (int d = 0; d < 6; d++) worst = worse(worst, fabs(build_channel(&b, "momentum.%s", momenta[d]) - p[d]));
        spin = fmax(spin, fabs(p[5]));
        lossy += fabs(build_channel(&b, "energy.total") - T) > 1e-6; /* the damper works, unless all is welded */
      }
    }
    if (b.failed) FAIL("tree %d: %s", n, b.message);
    build_free(&b);
  }
  printf("momentum of %d free systems: %.1e of %.2g\n", done, worst, spin);
  CHECK(worst <= 1e-9 && done >= 9 && lossy >= 7 && spin > 1);
}

/* ---- rows that the tree holds already ---------------------------------------------------------------------------- */

/* in relative coordinates such rows cancel to roundoff. a door on two hinges moves, and so does what is welded twice */
TEST(rows_that_repeat_what_the_tree_holds) {
  static const char *const model[] = {
      "\"bodies\": {\"a\": {\"mass\": 20, \"inertia\": [1, 2, 3], \"position\": [0.4, 0.1, 1], \"axis_angle\": [[1, 2, "
      "3], "
      "0.7]}}, \"joints\": {\"low\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0.1, 0.2, "
      "0.2], "
      "\"axis\": [0.1, 0.2, 1]}, \"high\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": "
      "[0.27, 0.54, 1.9], \"axis\": [0.1, 0.2, 1]}}",
      "\"bodies\": {\"a\": {\"mass\": 2, \"inertia\": [1, 2, 2.5], \"position\": [0.4, 0.1, 1], \"axis_angle\": [[1, "
      "2, 3], "
      "0.7]}, \"b\": {\"mass\": 1, \"inertia\": [1, 2, 2.5], \"position\": [1.4, 0.7, 1.2], \"axis_angle\": [[3, 2, "
      "1], "
      "1.7]}}, \"joints\": {\"low\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0.1, 0.2, "
      "0.2], "
      "\"axis\": [0.1, 0.2, 1]}, \"seam\": {\"type\": \"weld\", \"between\": [\"b\", \"a\"], \"at\": [0.7, 0.61, "
      "0.3]}, "
      "\"seam2\": {\"type\": \"weld\", \"between\": [\"a\", \"b\"], \"at\": [0.2, 0.33, 0.9]}}"};
  for (int n = 0; n < 2; n++) {
    double angle[2] = {0, 0};
    for (int relative = 0; relative < 2; relative++) {
      build b;
      char text[1500];
      tn_error e;
      build_new(&b, 1);
      snprintf(text, sizeof text,
               "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81], %s, \"start\": {\"low.rate\": 1}}",
               model[n]);
      build_parse(&b, text);
      build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
      build_tight(&b, 0.5, 0.1);
      if (build_simulate(&b)) {
        CHECK(tn_sim_summary(b.sim)->degrees_of_freedom == 1);
        CHECK(tn_sim_advance(b.sim, 0.5, &e) == TN_OK);
        angle[relative] = build_channel(&b, "low.angle");
      }
      if (b.failed) FAIL("%s", b.message);
      build_free(&b);
    }
    CHECK_NEAR(angle[0], angle[1], 1e-9);
    CHECK(fabs(angle[0]) > 0.1);
  }
}
