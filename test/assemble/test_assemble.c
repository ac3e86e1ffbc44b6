/* the system of equations of whole models: every file in models/ and two of this test with a bit of everything, in absolute
 * and in relative coordinates, at random states off the constraints.
 *   M        T = u'Mu/2, with T from differences of the poses
 *   f        Lagrange: f = Q - dV/dq + dT/dq - (dM/dt) u, with Q_i = sum of wrenches times d pose/dq_i
 *   A gamma  differences of C and Cdot
 *   channels their rates and accelerations against differences of their values */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

/* bodies carried both ways, swings on swings, a particle, rods as mass elements at places off the origins, lumps, every
 * force, rows on channels that move in time */
static const char *const rich =
    "{ \"tenon\": 1, \"dimension\": 2, \"gravity\": [1.3, -9.81],"
    "  \"points\": { \"P\": [0.4, -0.7], \"Q\": [1.9, 0.8] },"
    "  \"bodies\": {"
    "    \"a\": { \"mass\": 2, \"inertia\": 0.3, \"center\": [0.2, -0.1], \"position\": [0.3, 0.1], \"angle\": 0.4 },"
    "    \"b\": { \"mass\": 1.5, \"inertia\": 0.2, \"center\": [-0.3, 0.2], \"position\": [1.1, 0.4], \"angle\": -1.2,"
    "           \"lumps\": [ { \"mass\": 0.5, \"at\": [0.4, 0.3] }, { \"mass\": 0.25, \"at\": [-0.4, 0.1] } ] },"
    "    \"c\": { \"mass\": 1, \"inertia\": 0.1, \"center\": [0.5, 0.1], \"angle\": 2,"
    "           \"coordinates\": { \"type\": \"swing\", \"parent\": \"b\", \"at\": [1.6, 0.9] } },"
    "    \"d\": { \"mass\": 0.7, \"inertia\": 0.05, \"center\": [0.1, 0.3], \"angle\": -2.5,"
    "           \"coordinates\": { \"type\": \"swing\", \"parent\": \"c\", \"on_body\": [0.8, -0.2] } },"
    "    \"e\": { \"mass\": 0.9, \"inertia\": 0.08, \"center\": [0.15, 0.05], \"position\": [2.2, -0.3], \"angle\": "
    "0.9 },"
    "    \"p\": { \"mass\": 0.4, \"position\": [-0.8, 1.4], \"coordinates\": \"point\" } },"
    "  \"rods\": {"
    "    \"r1\": { \"between\": [\"a\", \"p\"], \"on_bodies\": [[0.3, 0.6], [0, 0]], \"mass\": 0.8 },"
    "    \"r2\": { \"between\": [\"ground\", \"c\"], \"at\": [[2, 2], \"Q\"], \"mass\": 1.1 },"
    "    \"r3\": { \"between\": [\"d\", \"e\"], \"on_bodies\": [[0.5, 0.2], [-0.3, 0.4]], \"mass\": 0.6 } },"
    "  \"joints\": {"
    "    \"slide\": { \"type\": \"prismatic\", \"between\": [\"a\", \"ground\"], \"at\": [0.2, 0.5], \"axis\": [1, "
    "0.5] },"
    "    \"pin\":   { \"type\": \"revolute\", \"between\": [\"b\", \"a\"], \"at\": \"P\" },"
    "    \"hold\":  { \"type\": \"weld\", \"between\": [\"d\", \"e\"], \"at\": [1.5, 0] },"
    "    \"bar\":   { \"type\": \"distance\", \"between\": [\"p\", \"e\"], \"on_bodies\": [[0, 0], [0.2, 0.1]], "
    "\"form\": \"squared\" },"
    "    \"rope\":  { \"type\": \"distance\", \"between\": [\"b\", \"p\"], \"on_bodies\": [[-0.4, 0.1], [0, 0]] },"
    "    \"track\": { \"type\": \"point-on-line\", \"between\": [\"c\", \"p\"], \"on_bodies\": [[0.3, 0.2], [0, 0]], "
    "\"axis\": [0.3, 1] },"
    "    \"turn\":  { \"type\": \"driver\", \"on\": \"pin.angle\", \"value\": \"0.3*sin(2*t)\" },"
    "    \"mix\":   { \"type\": \"coordinate\", \"terms\": { \"slide.shift\": 2, \"e.angle\": -1.5, \"p.y\": 0.7 }, "
    "\"value\": \"t^2\" },"
    "    \"com\":   { \"type\": \"center-of-mass\", \"bodies\": [\"a\", \"d\", \"p\"], \"axis\": [1, 2], \"value\": "
    "\"0.2*cos(3*t)\" } },"
    "  \"forces\": {"
    "    \"s1\": { \"type\": \"spring\", \"between\": [\"a\", \"d\"], \"at\": [[0.1, 0.9], [1.7, 0.5]], \"stiffness\": "
    "40, \"length\": 1, \"damping\": 2 },"
    "    \"s2\": { \"type\": \"spring\", \"on\": \"pin.angle\", \"stiffness\": 6, \"rest\": 0.3, \"damping\": 0.5 },"
    "    \"s3\": { \"type\": \"spring\", \"on\": \"slide.shift\", \"stiffness\": 15, \"damping\": 0.4 },"
    "    \"f1\": { \"type\": \"force\", \"on\": \"c\", \"on_body\": [0.6, 0.2], \"value\": [\"3 + b.vx\", "
    "\"-2*sin(t)\"], \"axes\": \"body\" },"
    "    \"f2\": { \"type\": \"force\", \"on\": \"b\", \"at\": \"Q\", \"value\": [\"2*pin.rate\", 5] },"
    "    \"t1\": { \"type\": \"torque\", \"on\": \"e\", \"value\": \"4 - rate\" },"
    "    \"t2\": { \"type\": \"torque\", \"on\": \"slide.shift\", \"value\": \"1 - 0.3*speed\" } },"
    "  \"outputs\": { \"at\": \"position(d, Q)\", \"v\": \"velocity(d, Q)\", \"acc\": \"acceleration(d, Q)\","
    "    \"home\": \"position(b)\", \"homev\": \"velocity(b)\", \"homea\": \"acceleration(b)\","
    "    \"x\": \"axis(c, x)\", \"y\": \"axis(c, y)\", \"w\": \"omega(c)\" } }";

/* two free chains, welds and a body that hangs backwards between them */
static const char *const loose =
    "{ \"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
    "  \"bodies\": {"
    "    \"a\": { \"rod\": [[0, 0], [1, 0.3]], \"mass\": 2 },  \"b\": { \"rod\": [[1, 0.3], [1.5, 1]], \"mass\": 1 },"
    "    \"c\": { \"rod\": [[3, 0], [1.5, 1]], \"mass\": 1.5 }, \"d\": { \"rod\": [[3, 0], [3, 1]], \"mass\": 0.5 },"
    "    \"e\": { \"rod\": [[3, 1], [2, 2]], \"mass\": 0.5 } },"
    "  \"joints\": {"
    "    \"j1\": { \"type\": \"revolute\", \"between\": [\"b\", \"a\"], \"at\": [1, 0.3] },"
    "    \"j2\": { \"type\": \"prismatic\", \"between\": [\"c\", \"b\"], \"at\": [1.5, 1], \"axis\": [1, 1] },"
    "    \"j3\": { \"type\": \"weld\", \"between\": [\"d\", \"c\"] },"
    "    \"j4\": { \"type\": \"prismatic\", \"between\": [\"d\", \"e\"], \"at\": [3, 1], \"axis\": \"y\" },"
    "    \"j5\": { \"type\": \"revolute\", \"between\": [\"e\", \"a\"], \"at\": [0.4, 0.2] } },"
    "  \"forces\": { \"s\": { \"type\": \"spring\", \"between\": [\"e\", \"a\"], \"at\": [[2, 2], [0, 0]], "
    "\"stiffness\": 30, \"damping\": 1 } } }";

/* coordinates whose axes depend on them in every component, as none of the plane's do: no term of the bias is zero */
static void bent_motion(const double *q, const double *u, const tn_frame2 *p, tn_frame2 *f, double *S) {
  (void)p;
  const double axes[9] = {1,          0.3 * q[2], 0.3 * q[1] + 0.4 * q[2], 0.5 * q[0], 1, -0.6 * q[2],
                          0.2 * q[1], 0.2 * q[0], 1 + 0.4 * q[2]};
  const double rate[9] = {0,          0.3 * u[2], 0.3 * u[1] + 0.4 * u[2], 0.5 * u[0], 0, -0.6 * u[2], 0.2 * u[1],
                          0.2 * u[0], 0.4 * u[2]};
  double v[3] = {0, 0, 0}, a[3] = {0, 0, 0};
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < 3; i++) v[r] += axes[3 * r + i] * u[i], a[r] += rate[3 * r + i] * u[i];
  memcpy(S, axes, sizeof axes);
  f->r[0] = q[0] + 0.3 * q[1] * q[2] + 0.2 * q[2] * q[2];
  f->r[1] = q[1] + 0.25 * q[0] * q[0] - 0.3 * q[2] * q[2];
  f->angle = q[2] + 0.2 * q[0] * q[1] + 0.2 * q[2] * q[2];
  f->c = cos(f->angle), f->s = sin(f->angle);
  f->v[0] = v[0], f->v[1] = v[1], f->w = v[2];
  f->a0[0] = a[0], f->a0[1] = a[1], f->al0 = a[2];
}
static tn_body_type bent = {.name = "bent", .oriented = true, .plane = {.n = 3, .motion = bent_motion}};

/* give every body that stands on x, y and angle these instead; how many */
static int bend(build *b) {
  int n = 0;
  for (int i = 0; i < b->model->bodies; i++) {
    tn_body *body = &b->model->body[i];
    if (!body->type || strcmp(body->type->name, "plane") != 0) continue;
    bent.plane.coordinates = body->type->plane.coordinates;
    body->type = &bent;
    body->plain = false; /* as the compiler would have said */
    b->model->plain = NULL;
    n++;
  }
  return n;
}

typedef double (*check)(build *b);

static double error_of(build *b, const void *of) { return (*(const check *)of)(b); }

/* the worst of `check` over `states` random states of every model, in absolute and in relative coordinates. `space`: of those
 * in space too */
static void each_model(const char *what, double tolerance, int states, bool space, check f) {
  char name[64][64];
  const int n = build_models(name, 60);
  double all = 0;
  int done = 4;
  CHECK(n >= 9);
  strcpy(name[n], "rich"), strcpy(name[n + 1], "loose"), strcpy(name[n + 2], "bent rich"),
      strcpy(name[n + 3], "bent loose");
  for (int i = 0; i < n + 4; i++)
    for (int relative = 0; relative < 2; relative++) {
      build b;
      double worst = 0;
      build_new(&b, (uint64_t)i);
      if (i < n)
        build_read(&b, name[i]);
      else
        build_parse(&b, (i - n) % 2 == 0 ? rich : loose);
      build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
      if (build_compile(&b) && b.model->dimension == 3 && !space) {
        build_free(&b);
        break;
      }
      done += i < n && relative;
      if (!b.failed) {
        if (i >= n + 2 && !bend(&b)) CHECK(i == n + 2 && relative); /* there all of them are carried */
        for (int k = 0; k < states; k++) {
          const double err = build_converged(&b, error_of, &f, tolerance, build_smooth(b.model));
          if (!(err <= worst)) worst = isnan(err) ? INFINITY : err;
        }
      } else {
        FAIL("%s: %s", name[i], b.message);
      }
      if (!(worst <= tolerance))
        FAIL("%s, %s: %s is off by %.3g > %.3g", name[i], relative ? "relative" : "absolute", what, worst, tolerance);
      all = fmax(all, worst);
      build_free(&b);
    }
  printf("%d models, two kinds of coordinates: %s, worst %.1e\n", done, what, all);
  CHECK(done >= 4 + 9);
}

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* ---- kinematics and rows ---------------------------------------------------------------------------------------------- */

static double kinematics(build *b) {
  build_errors e = {0};
  build_motion m;
  build_motion_random(b, 0.4, &m);
  build_kinematics(b, &m, &e);
  return worse(worse(e.twist, e.axes), e.bias);
}

static double rows(build *b) {
  build_errors e = {0};
  build_motion m;
  build_motion_random(b, 0.2, &m);
  build_rows(b, &m, &e);
  return worse(worse(e.A, e.Ct), worse(e.Cdot, e.gamma));
}

TEST(twists_axes_and_bias_of_bodies) { each_model("kinematics", 1e-9, 5, false, kinematics); }
TEST(rows_and_gamma_of_models) { each_model("rows", 1e-8, 5, true, rows); }

/* ---- mass ------------------------------------------------------------------------------------------------------------- */

static void center_of(const build *b, int i, double r[3]) {
  const tn_body *body = &b->model->body[i];
  const tn_frame2 *f = &b->sys.pose.body[i];
  r[0] = f->r[0] + f->c * body->center[0] - f->s * body->center[1];
  r[1] = f->r[1] + f->s * body->center[0] + f->c * body->center[1];
  r[2] = f->angle;
}

/* T at (q, u) from where things are a little before and after */
static double kinetic_by_differences(build *b, const double *q, const double *u) {
  const tn_model *m = b->model;
  static double body[BUILD_MOST][3][BUILD_STENCIL], end[BUILD_MOST][4][BUILD_STENCIL],
      turned[BUILD_MOST][BUILD_STENCIL];
  double x[BUILD_MOST], T = 0;
  for (int k = 0; k < BUILD_STENCIL; k++) {
    for (int i = 0; i < m->nq; i++) x[i] = q[i] + build_offset(k, b->h) * u[i];
    build_frames(&b->sys, 0, x, u);
    for (int i = 0; i < m->bodies; i++) {
      double r[3];
      center_of(b, i, r);
      for (int d = 0; d < 3; d++) body[i][d][k] = r[d];
    }
    for (int i = 0; i < m->rods; i++)
      for (int e = 0; e < 2; e++) {
        tn_frame2 f;
        tn_frame_on(&b->sys, &m->rod[i].end[e], &f);
        end[i][2 * e][k] = f.r[0], end[i][2 * e + 1][k] = f.r[1];
      }
    for (int i = 0; i < m->flywheels; i++) {
      double rate, accel;
      tn_measure_eval(&b->sys, &m->flywheel[i].on, &turned[i][k], &rate, &accel, NULL);
    }
  }
  for (int i = 0; i < m->bodies; i++) {
    const double vx = build_slope(body[i][0], b->h), vy = build_slope(body[i][1], b->h),
                 w = build_slope(body[i][2], b->h);
    T += 0.5 * m->body[i].mass * (vx * vx + vy * vy) + 0.5 * m->body[i].inertia * w * w;
  }
  for (int i = 0; i < m->rods; i++) {
    double v[4];
    for (int d = 0; d < 4; d++) v[d] = build_slope(end[i][d], b->h);
    T += m->rod[i].mass / 6 * (v[0] * v[0] + v[1] * v[1] + v[0] * v[2] + v[1] * v[3] + v[2] * v[2] + v[3] * v[3]);
  }
  for (int i = 0; i < m->flywheels; i++) T += 0.5 * m->flywheel[i].inertia * pow(build_slope(turned[i], b->h), 2);
  return T;
}

static double mass(build *b) {
  tn_system *s = &b->sys;
  const int nu = b->model->nu;
  static double M[BUILD_MOST * BUILD_MOST];
  double err = 0, u[BUILD_MOST] = {0}, most = 0;
  build_motion m;
  build_motion_random(b, 1, &m);
  tn_assemble(s, m.t, m.q, m.u);
  memcpy(M, s->M, sizeof *M * (size_t)(nu * nu));
  double T = 0;
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) {
      T += 0.5 * m.u[i] * M[i * nu + j] * m.u[j];
      most = fmax(most, fabs(M[i * nu + j]));
      err = worse(err, fabs(M[i * nu + j] - M[j * nu + i]) / 10);
    }
  err = worse(err, fabs(T - tn_energy_of(s, TN_KINETIC)) / (1 + T));
  err = worse(err, fabs(T - kinetic_by_differences(b, m.q, m.u)) / (1 + T));
  /* entry by entry: M_ij = T(e_i + e_j) - T(e_i) - T(e_j) */
  for (int n = 0; n < 12; n++) {
    const int i = build_integer(b, 0, nu - 1), j = build_integer(b, 0, nu - 1);
    double part[3];
    for (int k = 0; k < 3; k++) {
      memset(u, 0, sizeof u);
      if (k != 1) u[i] += 1;
      if (k != 2) u[j] += 1;
      part[k] = kinetic_by_differences(b, m.q, u);
    }
    err = worse(err, fabs(M[i * nu + j] - (part[0] - part[1] - part[2])) / (1 + most));
  }
  return err;
}

TEST(mass_matrix_is_that_of_the_kinetic_energy) { each_model("mass", 1e-9, 3, false, mass); }

/* ---- forces ----------------------------------------------------------------------------------------------------------- */

/* how the frames and channels that forces act on move with coordinate i: Q = sum of wrench times that */
static void generalised(build *b, const build_motion *m, double *Q) {
  const tn_model *model = b->model;
  tn_system *s = &b->sys;
  static tn_force_out out[64];
  static double x[64][6][BUILD_STENCIL], value[64][BUILD_STENCIL];
  double q[BUILD_MOST];
  if (model->forces > 64) abort();
  tn_assemble(s, m->t, m->q, m->u);
  if (model->forces) memcpy(out, s->forces.out, sizeof *out * (size_t)model->forces);
  for (int i = 0; i < model->nu; i++) {
    for (int k = 0; k < BUILD_STENCIL; k++) {
      memcpy(q, m->q, sizeof *q * (size_t)model->nq);
      q[i] += build_offset(k, b->h);
      build_frames(s, m->t, q, m->u);
      for (int p = 0; p < model->forces; p++) {
        const tn_force *force = &model->force[p];
        double rate, accel;
        tn_frame2 f;
        for (int e = 0; e < force->frames; e++) {
          tn_frame_on(s, &force->spot[e], &f);
          x[p][3 * e][k] = f.r[0], x[p][3 * e + 1][k] = f.r[1], x[p][3 * e + 2][k] = f.angle;
        }
        if (force->how == TN_ON_CHANNEL) tn_measure_eval(s, &force->on, &value[p][k], &rate, &accel, NULL);
      }
    }
    Q[i] = 0;
    for (int p = 0; p < model->forces; p++) {
      for (int d = 0; d < 3 * model->force[p].frames; d++) Q[i] += out[p].w[d] * build_slope(x[p][d], b->h);
      if (model->force[p].how == TN_ON_CHANNEL) Q[i] += out[p].effort * build_slope(value[p], b->h);
    }
  }
}

/* weight alone */
static double height(const build *b) {
  double V = tn_energy_of(&b->sys, TN_POTENTIAL);
  for (int i = 0; i < b->model->forces; i++) V -= b->sys.forces.out[i].energy;
  return V;
}

static double lagrange(build *b) {
  tn_system *s = &b->sys;
  const int nu = b->model->nu;
  static double Mu[BUILD_MOST][BUILD_STENCIL];
  double Q[BUILD_MOST], f[BUILD_MOST], q[BUILD_MOST], size = 0, err = 0;
  build_motion m;
  build_motion_random(b, 0.3, &m);
  generalised(b, &m, Q);
  for (int k = 0; k < BUILD_STENCIL; k++) { /* along u: M u, u held */
    for (int i = 0; i < nu; i++) q[i] = m.q[i] + build_offset(k, b->h) * m.u[i];
    tn_assemble(s, m.t, q, m.u);
    for (int i = 0; i < nu; i++) {
      Mu[i][k] = 0;
      for (int j = 0; j < nu; j++) Mu[i][k] += s->M[i * nu + j] * m.u[j];
    }
  }
  tn_assemble(s, m.t, m.q, m.u);
  memcpy(f, s->f, sizeof *f * (size_t)nu);
  for (int i = 0; i < nu; i++) size = fmax(size, fabs(f[i]));
  for (int i = 0; i < nu; i++) {
    double T[BUILD_STENCIL], V[BUILD_STENCIL];
    for (int k = 0; k < BUILD_STENCIL; k++) {
      memcpy(q, m.q, sizeof *q * (size_t)nu);
      q[i] += build_offset(k, b->h);
      tn_assemble(s, m.t, q, m.u);
      T[k] = tn_energy_of(s, TN_KINETIC);
      V[k] = height(b);
    }
    const double expected = Q[i] - build_slope(V, b->h) + build_slope(T, b->h) - build_slope(Mu[i], b->h);
    err = worse(err, fabs(f[i] - expected) / (1 + size));
  }
  return err;
}

TEST(forces_satisfy_the_equations_of_lagrange) { each_model("Lagrange", 1e-9, 3, false, lagrange); }

/* gravity and springs from the energies they say they have: weight at the world origin is 0 */
static double potential(build *b) {
  build_motion m;
  double V = 0;
  build_motion_random(b, 1, &m);
  tn_assemble(&b->sys, m.t, m.q, m.u);
  for (int i = 0; i < b->model->bodies; i++) {
    double r[3];
    center_of(b, i, r);
    V -= b->model->body[i].mass * (b->model->gravity[0] * r[0] + b->model->gravity[1] * r[1]);
  }
  for (int i = 0; i < b->model->rods; i++)
    for (int e = 0; e < 2; e++) {
      tn_frame2 f;
      tn_frame_on(&b->sys, &b->model->rod[i].end[e], &f);
      V -= b->model->rod[i].mass / 2 * (b->model->gravity[0] * f.r[0] + b->model->gravity[1] * f.r[1]);
    }
  return fabs(V - height(b)) / (1 + fabs(V) + fabs(tn_energy_of(&b->sys, TN_POTENTIAL)));
}

TEST(potential_of_gravity) { each_model("weight", 1e-13, 5, false, potential); }

/* ---- channels --------------------------------------------------------------------------------------------------------- */

static double channel(build *b, const char *part, const char *word) {
  char name[128];
  tn_channel ch;
  tn_error e;
  double value[3];
  snprintf(name, sizeof name, "%.60s.%.60s", part, word);
  if (!tn_model_channel(b->model, name, &ch, &e)) return NAN;
  tn_gains(&b->sys, b->sys.solved.udot, b->sys.room.gains);
  tn_gains(&b->sys, b->sys.solved.udot_s, b->sys.room.gains_s);
  tn_channel_eval(&b->sys, &ch, value);
  if (ch.kind == TN_CH_MEASURE || ch.kind == TN_CH_RATE) { /* by the shorter way it is the same to the last bit */
    double x[2], unused;
    tn_measure_eval(&b->sys, &ch.measure, &x[0], &x[1], &unused, NULL);
    CHECK(memcmp(value, &x[ch.kind == TN_CH_RATE], sizeof *value) == 0);
  }
  return value[0];
}

/* values, rates and (bodies) accelerations along q + u s + udot s^2/2, half of udot called the stabilizer's */
static double channels(build *b) {
  static const char *const word[3][3] = {{"x", "vx", "ax"}, {"y", "vy", "ay"}, {"angle", "rate", "accel"}};
  const tn_model *model = b->model;
  tn_system *s = &b->sys;
  static double value[256][BUILD_STENCIL], rate[256][BUILD_STENCIL];
  build_motion m;
  double q[BUILD_MOST], u[BUILD_MOST], err = 0;
  build_motion_random(b, 0.5, &m);
  for (int k = 0; k <= BUILD_STENCIL; k++) {
    const bool here = k == BUILD_STENCIL;
    int n = 0;
    build_motion_at(b, &m, here ? 0 : build_offset(k, b->h), q, u);
    tn_assemble(s, m.t, q, u);
    for (int i = 0; i < model->nu; i++) s->solved.udot[i] = 0.25 * m.a[i], s->solved.udot_s[i] = 0.75 * m.a[i];
    for (int i = 0; i < model->bodies; i++)
      for (int d = 0; d < (model->body[i].oriented ? 3 : 2) && n < 256; d++, n++) {
        const char *name = model->body[i].name;
        const double v = channel(b, name, word[d][1]);
        if (here) {
          const double a = channel(b, name, word[d][2]);
          build_worst(&err, v, build_slope(value[n], b->h), fabs(v));
          build_worst(&err, a, build_slope(rate[n], b->h), 10 + fabs(a));
        } else {
          value[n][k] = channel(b, name, word[d][0]);
          rate[n][k] = v;
        }
      }
    for (int i = 0; i < model->joints; i++)
      for (int d = 0; d < model->joint[i].coordinates && n < 256; d++) {
        const tn_coordinate *c = &model->joint[i].type->coordinates[d];
        tn_channel ch;
        tn_error e;
        char name[128];
        snprintf(name, sizeof name, "%.60s.%s", model->joint[i].name, c->name);
        if (!tn_model_channel(model, name, &ch, &e)) continue; /* the angle of a pin on a particle */
        const double v = channel(b, model->joint[i].name, c->rate);
        if (here)
          build_worst(&err, v, build_slope(value[n], b->h), fabs(v));
        else
          value[n][k] = channel(b, model->joint[i].name, c->name);
        n++;
      }
  }
  return err;
}

TEST(channels_of_bodies_and_joints) { each_model("channels", 1e-9, 3, false, channels); }

TEST(functions_of_points) {
  build b;
  build_motion m;
  double v[13][BUILD_STENCIL], now[13], q[BUILD_MOST], u[BUILD_MOST], err = 0;
  build_new(&b, 11);
  build_parse(&b, rich);
  if (!build_compile(&b)) {
    FAIL("%s", b.message);
    build_free(&b);
    return;
  }
  build_motion_random(&b, 0.5, &m);
  /* at v acc home homev homea: two numbers each; x, y, w */
  for (int k = 0; k <= BUILD_STENCIL; k++) {
    build_motion_at(&b, &m, k == BUILD_STENCIL ? 0 : build_offset(k, b.h), q, u);
    tn_assemble(&b.sys, m.t, q, u);
    memcpy(b.sys.solved.udot, m.a, sizeof *m.a * (size_t)b.model->nu);
    memset(b.sys.solved.udot_s, 0, sizeof *m.a * (size_t)b.model->nu);
    int n = 0;
    for (int i = 0; i < b.model->outputs; i++) {
      double x[3];
      tn_gains(&b.sys, b.sys.solved.udot, b.sys.room.gains);
      tn_gains(&b.sys, b.sys.solved.udot_s, b.sys.room.gains_s);
      tn_expr_on(&b.sys, b.model->output[i].expr, x);
      for (int d = 0; d < tn_expr_width(b.model->output[i].expr) && n < 17; d++, n++)
        if (n < 13) *(k == BUILD_STENCIL ? &now[n] : &v[n][k]) = x[d];
    }
    CHECK(n == 17);
  }
  for (int i = 0; i < 12; i++)
    if (i % 6 < 4) build_worst(&err, now[i + 2], build_slope(v[i], b.h), 0);
  /* the point Q of d at the given pose is Q; axes turn with the body */
  static const double rest[BUILD_MOST];
  double x[17][2];
  tn_assemble(&b.sys, 0, b.model->q0, rest);
  for (int i = 0; i < b.model->outputs; i++) tn_expr_on(&b.sys, b.model->output[i].expr, x[i]);
  CHECK_NEAR(x[0][0], 1.9, 1e-14);
  CHECK_NEAR(x[0][1], 0.8, 1e-14);
  CHECK_NEAR(x[6][0], cos(2), 1e-15);
  CHECK_NEAR(x[6][1], sin(2), 1e-15);
  CHECK_NEAR(x[7][0], -sin(2), 1e-15);
  CHECK_NEAR(x[7][1], cos(2), 1e-15);
  printf("position, velocity, acceleration of points: %.1e\n", err);
  CHECK(err < 1e-9);
  build_free(&b);
}

/* The contract divides lengths by the length of the joint's assembly, squared lengths by twice its square, and leaves angles as they are.
 * The rod is 5 m long. All places of the welded body coincide: its radius of gyration, 2 m, stands in for a length. */
TEST(violations_are_scaled) {
  static const char *const form[] = {"length", "squared"};
  for (int i = 0; i < 2; i++) {
    build b;
    tn_error e;
    double q[5], length;
    build_new(&b, 1);
    build_set(&b, "/bodies/p", "{\"mass\": 1, \"position\": [3, 4], \"coordinates\": \"point\"}");
    build_set(&b, "/bodies/x", "{\"mass\": 1, \"inertia\": 4, \"position\": [3, 4]}");
    build_set(&b, "/joints/rod",
              "{\"type\": \"distance\", \"between\": [\"ground\", \"p\"], \"at\": [[0, 0], \"p\"], \"form\": \"%s\"}",
              form[i]);
    build_set(&b, "/joints/glue", "{\"type\": \"weld\", \"between\": [\"ground\", \"x\"]}");
    build_set(&b, "/run/contract/breach", "\"record\"");
    if (build_simulate(&b)) {
      tn_model_info info;
      tn_model_get_info(b.model, &info);
      length = info.length;
      CHECK_NEAR(length, 5, 1e-14);
      memcpy(q, tn_sim_q(b.sim), sizeof q);
      q[0] += 3e-6, q[1] += 4e-6; /* 5e-6 m along the rod */
      CHECK(tn_sim_set(b.sim, 0, q, NULL, false, &e) == TN_OK);
      CHECK_NEAR(build_channel(&b, "rod.violation"), 1e-6, 1e-11);
      CHECK(tn_contract_check(b.sim, 0) == TN_OK); /* what is set as it is is judged later only */
      CHECK_NEAR(tn_sim_summary(b.sim)->max_position_violation, 1e-6, 1e-11);
      q[2] += 2e-3, q[4] += 3e-4;
      CHECK(tn_sim_set(b.sim, 0, q, NULL, false, &e) == TN_OK);
      CHECK_NEAR(build_channel(&b, "glue.violation"), 1e-3, 1e-12);
      q[4] += 9e-4;
      CHECK(tn_sim_set(b.sim, 0, q, NULL, false, &e) == TN_OK);
      CHECK_NEAR(build_channel(&b, "glue.violation"), 1.2e-3, 1e-12);
    } else {
      FAIL("%s", b.message);
    }
    build_free(&b);
  }
}
