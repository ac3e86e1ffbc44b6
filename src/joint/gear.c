/* gear: two toothed wheels, a (frame 0) and b (frame 1), turn on a carrier c (frame 2). T_a, T_b teeth; z_a, z_b axes.
 * the pitch circles roll on one another at the pitch point P, fixed in the carrier, along the tangent t there:
 *   (1) t = z_a x (P - O_a)/r_a, r_a the distance of P from the axis of a
 *   (2) (T_a/r_a) t'(v_a(P) - v_b(P)) = 0,  v_k(P) = v_k + w_k x (P - r_k), in teeth rad/s: (2) of rolling.c with
 *       e = -(T_a/r_a) t, carried. it is 0 on the carrier's twist, which moves P and t alone
 *   (3) wheels in bearings on the carrier, turning against it at W_k about z_k: v_k(P) = v_c(P) + W_k z_k x (P - O_k),
 *       and (2) is T_a W_a + s T_b W_b = 0 (Nada 2017, eqs. 40-42), s = sign of -t'(z_b x (P - O_b)); axes the same
 *       way: +1 outside, -1 internal. the multiplier is the same; taken at P it also loads the bearings as teeth do,
 *       with the force lambda T_a/r_a = 2 lambda/module
 *   (4) form `position`: C = T_a phi_a + s T_b phi_b, phi_k the turn of wheel k against the carrier, 0 at the given
 *       pose. in bearings Cdot is (2); off them it differs, and the row stays (2): the load is the same in both forms
 * form `rates`: (3) itself, two torques and none at the teeth, for axes z_k fixed in the carrier, wherever the wheels are
 *   (8) T_a z_a'(w_a - w_c) + s T_b z_b'(w_b - w_c) = 0;  gamma = -T_a (w_c x z_a)'w_a - s T_b (w_c x z_b)'w_b
 *   (9) on bodies that stretch (tn_frame3) w_k in (8) is (1 + stretch_k) w_k, Gbar edot of its Euler parameters, and z_k of length 1;
 *       gamma has -g_k'(1 + stretch) ds w in addition, of wheel and carrier. the other forms are refused
 * pitch point, from the given pose:
 *   (5) parallel axes, D = O_b - O_a without its part along z_a: P = O_a + D T_a/(T_a + T_b), internal T_a - T_b
 *   (6) axes that meet in O, e_a, e_b from O to the centres (z_a, z_b where a centre is at O): the cones roll on a line
 *       along g, |g x e_a| : |g x e_b| = T_a : T_b. outside it lies between the axes: g = T_b e_a + T_a e_b; internal
 *       beyond that of the smaller wheel: g = +-(T_a e_b - T_b e_a), + if T_a > T_b (as e_a -> e_b it then goes along
 *       them, and P to (5))
 *   (7) P = O + g h_a/(g'e_a), h_a = |O_a - O|: abreast of the centre of a. if that is at O, or a is flat (a crown
 *       wheel, g'e_a <= 0), abreast of the centre of b; if neither can say, r_a = 1 m: the ratio does not depend on it,
 *       the force does */
#include "joint/rolling.h"

/* of the larger of two numbers of teeth, or lengths: a difference, or a length, by roundoff of what was written */
static const double GEAR_ROUNDOFF = 1e-9;

enum { VELOCITY, POSITION, RATES };

typedef struct gear {
  double teeth[2];
  int internal, form;
  double P_c[3], e_c[3];
  double s;
  double angle[2];  /* plane: of the wheels against the carrier at the given pose */
  double B[2][9];   /* space: axes of the wheels in those of the carrier then */
  double g_c[2][3]; /* T_a z_a, s T_b z_b along the axes of the carrier */
} gear;

static tn_status same_size(tn_context *ctx) {
  return tn_context_fail(ctx, "teeth", "a wheel inside another of as many teeth does not turn against it");
}

/* teeth that differ by roundoff have their pitch point nowhere */
static bool alike(const gear *j) {
  return j->internal && fabs(j->teeth[0] - j->teeth[1]) <= GEAR_ROUNDOFF * fmax(j->teeth[0], j->teeth[1]);
}

/* r: distances of the pitch point from the two axes. torques alone do not ask for it */
static tn_status check_radii(const gear *j, tn_context *ctx, double ra, double rb) {
  const double least = tn_context_least_length(ctx, fmax(ra, rb));
  if (j->form == RATES || (ra > least && rb > least)) return TN_OK;
  return tn_context_fail(ctx, "teeth",
                         "the pitch circle of the %s wheel has no radius beside that of the other, %.3g m",
                         ra > least ? "second" : "first", fmin(ra, rb));
}

static tn_status init2(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  gear *j = self;
  const double Ta = j->teeth[0], Tb = j->internal ? -j->teeth[1] : j->teeth[1];
  const double D[2] = {f[1].r[0] - f[0].r[0], f[1].r[1] - f[0].r[1]};
  (void)frames, (void)masses;
  if (alike(j)) return same_size(ctx);
  if (hypot(D[0], D[1]) <= tn_context_least_length(ctx, 0))
    return tn_context_fail(ctx, "between", "the two wheels have the same centre");
  const double k = Ta / (Ta + Tb), rho[2] = {k * D[0], k * D[1]}; /* (5) */
  const double r2 = rho[0] * rho[0] + rho[1] * rho[1];
  const tn_status status = check_radii(j, ctx, sqrt(r2), hypot(D[0] - rho[0], D[1] - rho[1]));
  if (status != TN_OK) return status;
  const double P[2] = {f[0].r[0] + rho[0], f[0].r[1] + rho[1]}, e[2] = {Ta * rho[1] / r2, -Ta * rho[0] / r2}; /* (2) */
  tn_touch_fix2(&f[2], P, e, j->P_c, j->e_c);
  j->s = j->internal ? -1 : 1;
  for (int i = 0; i < 2; i++) j->angle[i] = f[i].angle - f[2].angle;
  return TN_OK;
}

static void units(const void *self, tn_unit *unit, int *rows, int *rows_velocity_only) {
  unit[0] = TN_ANGLE;
  *rows = ((const gear *)self)->form == POSITION;
  *rows_velocity_only = 1 - *rows;
}

static void position2(const void *self, double t, const tn_frame2 *f, double *C) {
  const gear *j = self;
  (void)t;
  if (j->form != POSITION) return;
  C[0] = j->teeth[0] * (f[0].angle - f[2].angle - j->angle[0]) + /* (4) */
         j->s * j->teeth[1] * (f[1].angle - f[2].angle - j->angle[1]);
}

static void rows2(const void *self, double t, const tn_frame2 *f, double *J) {
  const gear *j = self;
  tn_touch2 k;
  (void)t;
  if (j->form == RATES) { /* (8) */
    memset(J, 0, 9 * sizeof *J);
    J[2] = j->teeth[0];
    J[5] = j->s * j->teeth[1];
    J[8] = -J[2] - J[5];
    return;
  }
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  tn_touch_row2(f, &k, J);
  memset(J + 6, 0, 3 * sizeof *J);
}

static void rates2(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  const gear *j = self;
  tn_touch2 k;
  (void)t;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  Ct[0] = 0;
  gamma[0] = j->form == RATES ? 0 : tn_touch_gamma2(f, &k);
}

static void contact2(const void *self, const tn_frame2 *f, double c[2]) {
  const gear *j = self;
  tn_touch2 k;
  tn_touch_carried2(&f[2], j->P_c, j->e_c, &k);
  for (int i = 0; i < 2; i++) c[i] = k.P[i];
}

/* (5) */
static tn_status parallel(const gear *j, tn_context *ctx, const tn_frame3 *f, const double za[3], const double D[3],
                          double same, double P[3]) {
  const double Ta = j->teeth[0], Tb = j->internal ? -j->teeth[1] : j->teeth[1], along = tn_dot3(D, za);
  double across[3];
  for (int i = 0; i < 3; i++) across[i] = D[i] - along * za[i];
  const double l = tn_norm3(across);
  if (l <= same || l <= GEAR_ROUNDOFF * fabs(along))
    return tn_context_fail(ctx, "between", "the two wheels have the same %s", fabs(along) > same ? "axis" : "centre");
  for (int i = 0; i < 3; i++) P[i] = f[0].r[i] + across[i] * Ta / (Ta + Tb);
  return TN_OK;
}

/* (6), (7); n = z_a x z_b */
static tn_status bevel(const gear *j, tn_context *ctx, const tn_frame3 *f, const double n[3], const double D[3],
                       double same, double P[3]) {
  const double *T = j->teeth, l = tn_norm3(D), n2 = tn_dot3(n, n);
  double z[2][3], O[3], e[2][3], h[2], g[3];
  for (int k = 0; k < 2; k++) tn_axis3(f[k].A, 2, z[k]);
  if (l > same && fabs(tn_dot3(D, n)) > TN_GIVEN_DIRECTION * l * sqrt(n2))
    return tn_context_fail(ctx, "between", "the axes neither are parallel nor meet");
  /* O = O_k + x_k z_k, the middle of where the axes are nearest */
  const double x[2] = {tn_triple3(n, D, z[1]) / n2, tn_triple3(n, D, z[0]) / n2};
  for (int i = 0; i < 3; i++) O[i] = 0.5 * (f[0].r[i] + x[0] * z[0][i] + f[1].r[i] + x[1] * z[1][i]);
  for (int k = 0; k < 2; k++) {
    h[k] = fabs(x[k]) <= fmax(same, GEAR_ROUNDOFF * l) ? 0 : fabs(x[k]);
    for (int i = 0; i < 3; i++) e[k][i] = h[k] > 0 && x[k] > 0 ? -z[k][i] : z[k][i];
  }
  const double sign = T[0] > T[1] ? 1 : -1;
  for (int i = 0; i < 3; i++)
    g[i] = j->internal ? sign * (T[0] * e[1][i] - T[1] * e[0][i]) : T[1] * e[0][i] + T[0] * e[1][i];
  const double flat = TN_GIVEN_DIRECTION * tn_norm3(g), ge[2] = {tn_dot3(g, e[0]), tn_dot3(g, e[1])};
  double scale;
  if (h[0] > 0 && ge[0] > flat) {
    scale = h[0] / ge[0];
  } else if (h[1] > 0 && ge[1] > flat) {
    scale = h[1] / ge[1];
  } else {
    double r[3];
    tn_cross3(z[0], g, r);
    scale = 1 / tn_norm3(r);
  }
  for (int i = 0; i < 3; i++) P[i] = O[i] + scale * g[i];
  return TN_OK;
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  gear *j = self;
  double z[2][3], n[3], D[3], P[3], rho[3], t[3], e[3], across[3];
  (void)frames, (void)masses;
  if (alike(j)) return same_size(ctx);
  for (int k = 0; k < 2; k++) tn_axis3(f[k].A, 2, z[k]);
  tn_sub3(f[1].r, f[0].r, D);
  tn_cross3(z[0], z[1], n);
  /* centres within this of one another are one */
  const double same = tn_context_least_length(ctx, 0);
  tn_status status =
      tn_norm3(n) < TN_GIVEN_DIRECTION ? parallel(j, ctx, f, z[0], D, same, P) : bevel(j, ctx, f, n, D, same, P);
  if (status != TN_OK) return status;
  tn_sub3(P, f[0].r, rho);
  tn_cross3(z[0], rho, t);
  for (int i = 0; i < 3; i++) e[i] = -j->teeth[0] * t[i] / tn_dot3(t, t); /* (1), (2): t is r_a long here */
  tn_touch_fix3(&f[2], P, e, j->P_c, j->e_c);
  tn_sub3(P, f[1].r, rho);
  tn_cross3(z[1], rho, across);
  if ((status = check_radii(j, ctx, tn_norm3(t), tn_norm3(across))) != TN_OK) return status;
  j->s = tn_dot3(t, across) > 0 ? -1 : 1; /* (3) */
  for (int k = 0; k < 2; k++) {
    tn_t_product3(f[2].A, f[k].A, j->B[k]);
    tn_axis3(j->B[k], 2, j->g_c[k]);
    for (int i = 0; i < 3; i++) j->g_c[k][i] *= k ? j->s * j->teeth[1] : j->teeth[0];
  }
  return TN_OK;
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const gear *j = self;
  double phi[2];
  (void)t;
  if (j->form != POSITION) return;
  for (int k = 0; k < 2; k++) phi[k] = tn_unwrap(tn_touch_turn3(&f[k], &f[2], j->B[k]), memory[k]);
  C[0] = j->teeth[0] * phi[0] + j->s * j->teeth[1] * phi[1]; /* (4) */
}

static void accept3(const void *self, const tn_frame3 *f, double *memory) {
  const gear *j = self;
  for (int k = 0; k < 2; k++) memory[k] = tn_unwrap(tn_touch_turn3(&f[k], &f[2], j->B[k]), memory[k]);
}

/* g of (9): T_a z_a, s T_b z_b, z of length 1 */
static void axis_of_rates(const gear *j, const tn_frame3 *f, int k, double g[3]) {
  tn_turn3(f[2].A, j->g_c[k], g);
  for (int i = 0; i < 3 && f[2].stretch != 0; i++) g[i] /= 1 + f[2].stretch;
}

static void rows_of_rates(const gear *j, const tn_frame3 *f, double *J) {
  memset(J, 0, 18 * sizeof *J);
  for (int k = 0; k < 2; k++) { /* (8) */
    double g[3];
    axis_of_rates(j, f, k, g);
    for (int i = 0; i < 3; i++) {
      J[6 * k + 3 + i] = (1 + f[k].stretch) * g[i];
      J[15 + i] -= (1 + f[2].stretch) * g[i];
    }
  }
}

static double gamma_of_rates(const gear *j, const tn_frame3 *f) {
  double gamma = 0, g[3];
  for (int k = 0; k < 2; k++) {
    axis_of_rates(j, f, k, g);
    gamma -= (1 + f[k].stretch) * tn_triple3(f[2].w, g, f[k].w);
    gamma -= (1 + f[k].stretch) * f[k].ds * tn_dot3(g, f[k].w);
    gamma += (1 + f[2].stretch) * f[2].ds * tn_dot3(g, f[2].w);
  }
  return gamma;
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  const gear *j = self;
  tn_touch3 k;
  (void)t;
  if (j->form == RATES) {
    rows_of_rates(j, f, J);
    return;
  }
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  tn_touch_row3(f, &k, J);
  memset(J + 12, 0, 6 * sizeof *J);
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  const gear *j = self;
  tn_touch3 k;
  (void)t;
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  Ct[0] = 0;
  gamma[0] = j->form == RATES ? gamma_of_rates(j, f) : tn_touch_gamma3(f, &k);
}

/* (9): its rates have no part along ds */
static bool stretch3(const void *self, const tn_frame3 *f, double *E) {
  (void)f;
  E[0] = E[1] = E[2] = 0;
  return ((const gear *)self)->form == RATES;
}

static void contact3(const void *self, const tn_frame3 *f, double c[3]) {
  const gear *j = self;
  tn_touch3 k;
  tn_touch_carried3(&f[2], j->P_c, j->e_c, &k);
  memcpy(c, k.P, sizeof k.P);
}

static void wheel_of(const gear *j, int k, tn_mark *mark) {
  mark->kind = TN_MARK_WHEEL;
  mark->frame = k;
  mark->teeth = j->teeth[k];
  mark->internal = j->internal && j->teeth[k] > j->teeth[1 - k];
}

static int marks2(const void *self, const tn_frame2 *f, tn_mark *mark) {
  double P[2];
  contact2(self, f, P);
  for (int k = 0; k < 2; k++) {
    tn_mark *m = &mark[k];
    wheel_of(self, k, m);
    m->axis[2] = 1;
    for (int i = 0; i < 2; i++) {
      m->at[i] = f[k].r[i];
      m->toward[i] = P[i] - f[k].r[i];
    }
    m->radius = hypot(m->toward[0], m->toward[1]);
  }
  return 2;
}

static int marks3(const void *self, const tn_frame3 *f, tn_mark *mark) {
  double P[3], z[2][3], n[3], D[3];
  contact3(self, f, P);
  for (int k = 0; k < 2; k++) tn_axis3(f[k].A, 2, z[k]);
  tn_cross3(z[0], z[1], n);
  tn_sub3(f[1].r, f[0].r, D);
  const double n2 = tn_dot3(n, n);
  for (int k = 0; k < 2; k++) {
    tn_mark *m = &mark[k];
    double rho[3];
    wheel_of(self, k, m);
    tn_sub3(P, f[k].r, rho);
    const double along = tn_dot3(rho, z[k]);
    memcpy(m->axis, z[k], sizeof m->axis);
    for (int i = 0; i < 3; i++) {
      m->at[i] = f[k].r[i] + along * z[k][i];
      m->toward[i] = P[i] - m->at[i];
    }
    m->radius = tn_norm3(m->toward);
    m->cone = n2 > TN_GIVEN_DIRECTION * TN_GIVEN_DIRECTION;
    if (!m->cone) continue;
    const double x = tn_triple3(n, D, z[1 - k]) / n2; /* to where the axes meet, as in (6) */
    for (int i = 0; i < 3; i++) m->apex[i] = f[k].r[i] + x * z[k][i];
  }
  return 2;
}

static const tn_field fields[] = {
    {.key = "teeth",
     .doc = "numbers of teeth of the two wheels; any positive numbers in their ratio",
     .kind = TN_VECTOR,
     .n = 2,
     .offset = offsetof(gear, teeth),
     .lo = TN_POSITIVE,
     .hi = INFINITY,
     .required = true},
    {.key = "internal",
     .doc = "whether the smaller wheel runs inside the larger, a ring",
     .kind = TN_BOOLEAN,
     .offset = offsetof(gear, internal)},
    {.key = "form",
     .doc = "whether the row is on speeds at the pitch point, or on angles too: then teeth stay where they mesh at the "
            "given "
            "pose; or on rates alone: then the teeth do not push, and bearings carry nothing of theirs",
     .kind = TN_WORD,
     .offset = offsetof(gear, form),
     .choices = "velocity position rates"},
    {.key = NULL}};

const tn_joint_type tn_joint_gear = {
    .name = "gear",
    .doc =
        "two wheels with teeth, each turning on the carrier, roll on one another; axes parallel, in space also meeting",
    .example = "'bodies': {\n"
               "  'pinion': { 'mass': 1, 'inertia': 0.005 },\n"
               "  'wheel': { 'mass': 4, 'inertia': 0.08, 'position': [0.3, 0] }\n"
               "},\n"
               "'joints': {\n"
               "  'fast': { 'type': 'revolute', 'between': ['ground', 'pinion'], 'at': 'pinion' },\n"
               "  'slow': { 'type': 'revolute', 'between': ['ground', 'wheel'], 'at': 'wheel' },\n"
               "  'mesh': { 'type': 'gear', 'between': ['pinion', 'wheel'], 'teeth': [20, 40] }\n"
               "},\n"
               "'forces': { 'motor': { 'type': 'torque', 'on': 'fast.angle', 'value': 0.1 } },\n"
               "'outputs': { 'fast': 'fast.rate', 'slow': 'slow.rate', 'tooth': 'norm(force(mesh))' }",
    .example_space = "'bodies': {\n"
                     "  'pinion': { 'mass': 1, 'inertia': [0.005, 0.003, 0.003], 'position': [0.1, 0, 0] },\n"
                     "  'wheel': { 'mass': 4, 'inertia': [0.05, 0.05, 0.08], 'position': [0, 0, 0.05] }\n"
                     "},\n"
                     "'joints': {\n"
                     "  'fast': { 'type': 'revolute', 'between': ['ground', 'pinion'], 'at': 'pinion', 'axis': 'x' },\n"
                     "  'slow': { 'type': 'revolute', 'between': ['ground', 'wheel'], 'at': 'wheel', 'axis': 'z' },\n"
                     "  'mesh': { 'type': 'gear', 'between': ['pinion', 'wheel'], 'teeth': [20, 40] }\n"
                     "},\n"
                     "'forces': { 'motor': { 'type': 'torque', 'on': 'fast.angle', 'value': 0.1 } },\n"
                     "'outputs': { 'fast': 'fast.rate', 'slow': 'slow.rate', 'tooth': 'norm(force(mesh))' }",
    .symbol = TN_SYM_WHEEL,
    .seat = TN_SEAT_MESH,
    .oriented = 7,
    .size = sizeof(gear),
    .fields = fields,
    .plane = {.there = true,
              .rows_velocity_only = 1,
              .unit = {TN_ANGLE},
              .axes = -1,
              .init = init2,
              .units = units,
              .position = position2,
              .rows_on_twists = rows2,
              .rates = rates2,
              .contact = contact2,
              .marks = marks2},
    .space = {.there = true,
              .frames = TN_AXES_AXIS,
              .rows_velocity_only = 1,
              .unit = {TN_ANGLE},
              .axes = -1,
              .memory = 2,
              .init = init3,
              .units = units,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .accept = accept3,
              .contact = contact3,
              .stretch = stretch3,
              .marks = marks3},
};
