/* a joint from outside with harmonics, an integer field and a field of space only, by tenon/extend.h alone.
 *
 *   cc cam.c $(pkg-config --cflags --libs tenon) -lm -o cam && ./cam
 *
 * `cam`: a point of the second body, the follower, stays on the profile of a cam that turns with the first.
 * d = r1 - r0; e1, e2 the axes of frame 0 across the axis of the cam; p = (e1'd, e2'd) = rho (cos phi, sin phi);
 * dv = v1 - v0, da = a1 - a0. in space d'e3 is free: the profile is a cylinder.
 *   (1) C = rho - r(phi),  r = R (1 + h1 cos(n phi) + h2 cos(2 n phi) + h3 cos(3 n phi)),  n lobes, phi from the nose
 *   (2) gradient in p: g = u - (r'/rho) w,  u = (cos phi, sin phi), w = (-sin phi, cos phi)
 *   (3) frame 0 turns with w0, so p_i' = e_i'dv + (w0 x e_i)'d, and with a = g1 e1 + g2 e2 the row on v0 w0 v1 w1 is
 *       [-a'  (a x d)'  a'  0]
 *   (4) second derivatives in the directions u and w: C_uu = 0, C_uw = r'/rho^2, C_ww = 1/rho - r''/rho^2, so
 *       gamma = -((w0 x (w0 x a))'d + 2 (w0 x a)'dv) - (2 C_uw (u'p') (w'p') + C_ww (w'p')^2)
 * at rho = 0 the profile has no direction: the follower may not be on the axis of the cam. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/extend.h>

/* ---- the joint ---------------------------------------------------------------------------------------------------------- */

enum { HARMONICS = 3 };

typedef struct cam {
  double radius, harmonic[HARMONICS];
  int lobes;
  double nose[3], phase; /* direction in the initial configuration; its angle from e1 */
} cam;

/* r, r', r'' */
static void profile(const cam *j, double phi, double r[3]) {
  r[0] = j->radius;
  r[1] = r[2] = 0;
  for (int i = 0; i < HARMONICS; i++) {
    const double k = (i + 1.0) * j->lobes, a = j->radius * j->harmonic[i];
    r[0] += a * cos(k * phi);
    r[1] -= a * k * sin(k * phi);
    r[2] -= a * k * k * cos(k * phi);
  }
}

/* the follower as frame 0 sees it: C, (2) and what (4) needs */
typedef struct contact {
  double C, g[2], u[2], C_uw, C_ww;
} contact;

static contact contact_at(const cam *j, const double p[2]) {
  const double rho = hypot(p[0], p[1]);
  contact k = {.u = {p[0] / rho, p[1] / rho}};
  double r[3];
  profile(j, atan2(p[1], p[0]) - j->phase, r);
  k.C = rho - r[0];
  k.g[0] = k.u[0] + r[1] / rho * k.u[1];
  k.g[1] = k.u[1] - r[1] / rho * k.u[0];
  k.C_uw = r[1] / (rho * rho);
  k.C_ww = 1 / rho - r[2] / (rho * rho);
  return k;
}

/* the last two terms of (4) */
static double curvature(const contact *k, const double pdot[2]) {
  const double along = k->u[0] * pdot[0] + k->u[1] * pdot[1], across = k->u[0] * pdot[1] - k->u[1] * pdot[0];
  return 2 * k->C_uw * along * across + k->C_ww * across * across;
}

/* p in the initial configuration: a radius that is not given is the one that closes the joint there */
static tn_status set_up(cam *j, tn_context *ctx, const double p[2]) {
  const double rho = hypot(p[0], p[1]);
  double r[3];
  if (!(rho > tn_context_least_length(ctx, 0)))
    return tn_context_fail(ctx, NULL, "the follower is on the axis of the cam: the profile has no direction there");
  if (isnan(j->radius)) {
    j->radius = 1;
    profile(j, atan2(p[1], p[0]) - j->phase, r);
    j->radius = rho / r[0];
  }
  if (!(j->radius > tn_context_least_length(ctx, j->radius)))
    return tn_context_fail(ctx, "radius", "%.3g m is zero beside the bodies", j->radius);
  return TN_OK;
}

/* in the plane */
static void seen2(const tn_frame2 *f, double p[2], double v[2]) {
  const double c = f[0].c, s = f[0].s;
  const double d[2] = {f[1].r[0] - f[0].r[0], f[1].r[1] - f[0].r[1]};
  const double dv[2] = {f[1].v[0] - f[0].v[0], f[1].v[1] - f[0].v[1]};
  p[0] = c * d[0] + s * d[1];
  p[1] = -s * d[0] + c * d[1];
  v[0] = c * dv[0] + s * dv[1];
  v[1] = -s * dv[0] + c * dv[1];
}

static tn_status init2(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  double p[2], v[2];
  (void)frames, (void)masses;
  seen2(f, p, v);
  return set_up(self, ctx, p);
}

static void position2(const void *self, double t, const tn_frame2 *f, double *C) {
  double p[2], v[2];
  (void)t; /* the cam does not change with time */
  seen2(f, p, v);
  C[0] = contact_at(self, p).C;
}

static void rows2(const void *self, double t, const tn_frame2 *f, double *J) {
  double p[2], v[2];
  (void)t;
  seen2(f, p, v);
  const contact k = contact_at(self, p);
  J[3] = k.g[0] * f[0].c - k.g[1] * f[0].s;
  J[4] = k.g[0] * f[0].s + k.g[1] * f[0].c;
  J[5] = 0;
  J[0] = -J[3];
  J[1] = -J[4];
  J[2] = k.g[0] * p[1] - k.g[1] * p[0];
}

static void rates2(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  double p[2], v[2];
  const double w = f[0].w;
  (void)t;
  seen2(f, p, v);
  const contact k = contact_at(self, p);
  const double pdot[2] = {v[0] + w * p[1], v[1] - w * p[0]};
  Ct[0] = 0;
  gamma[0] = -k.g[0] * (2 * w * v[1] - w * w * p[0]) + k.g[1] * (2 * w * v[0] + w * w * p[1]) - curvature(&k, pdot);
}

static double regular2(const void *self, const tn_frame2 *f) {
  double p[2], v[2];
  seen2(f, p, v);
  return fmin(1, hypot(p[0], p[1]) / ((const cam *)self)->radius);
}

/* in space */
static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

typedef struct seen {
  double e[2][3], d[3], dv[3], p[2];
} seen;

static seen seen3(const tn_frame3 *f) {
  seen z;
  for (int i = 0; i < 3; i++) {
    z.d[i] = f[1].r[i] - f[0].r[i];
    z.dv[i] = f[1].v[i] - f[0].v[i];
    for (int k = 0; k < 2; k++) z.e[k][i] = f[0].A[3 * i + k];
  }
  for (int k = 0; k < 2; k++) z.p[k] = dot(z.e[k], z.d);
  return z;
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  cam *j = self;
  const seen z = seen3(f);
  const double n[2] = {dot(z.e[0], j->nose), dot(z.e[1], j->nose)};
  (void)frames, (void)masses;
  if (dot(j->nose, j->nose) > 0) { /* else it is along e1 */
    if (hypot(n[0], n[1]) < 1e-6) return tn_context_fail(ctx, "nose", "it is along the axis of the cam");
    j->phase = atan2(n[1], n[0]);
  }
  return set_up(j, ctx, z.p);
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const seen z = seen3(f);
  (void)memory, (void)t;
  C[0] = contact_at(self, z.p).C;
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  const seen z = seen3(f);
  const contact k = contact_at(self, z.p);
  (void)t;
  for (int i = 0; i < 3; i++) {
    J[6 + i] = k.g[0] * z.e[0][i] + k.g[1] * z.e[1][i];
    J[i] = -J[6 + i];
    J[9 + i] = 0;
  }
  cross(J + 6, z.d, J + 3);
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  const seen z = seen3(f);
  const contact k = contact_at(self, z.p);
  double a[3], adot[3], addot[3], edot[3], pdot[2];
  (void)t;
  for (int i = 0; i < 3; i++) a[i] = k.g[0] * z.e[0][i] + k.g[1] * z.e[1][i];
  cross(f[0].w, a, adot);
  cross(f[0].w, adot, addot);
  for (int i = 0; i < 2; i++) {
    cross(f[0].w, z.e[i], edot);
    pdot[i] = dot(z.e[i], z.dv) + dot(edot, z.d);
  }
  Ct[0] = 0;
  gamma[0] = -dot(addot, z.d) - 2 * dot(adot, z.dv) - curvature(&k, pdot);
}

static double regular3(const void *self, const tn_frame3 *f) {
  const seen z = seen3(f);
  return fmin(1, hypot(z.p[0], z.p[1]) / ((const cam *)self)->radius);
}

static const tn_field cam_fields[] = {
    {.key = "radius",
     .unit = "m",
     .doc = "mean radius; the one that closes the joint at the given pose if left out",
     .offset = offsetof(cam, radius),
     .dflt = NAN,
     .lo = TN_POSITIVE,
     .hi = INFINITY,
     .opens = true},
    {.key = "lobes",
     .doc = "how often the profile repeats in a turn",
     .kind = TN_INTEGER,
     .offset = offsetof(cam, lobes),
     .dflt = 1,
     .lo = 1,
     .hi = 12},
    {.key = "harmonics",
     .doc = "shares of the radius: cosines of 1, 2 and 3 lobes",
     .kind = TN_VECTOR,
     .n = HARMONICS,
     .offset = offsetof(cam, harmonic),
     .lo = -0.3,
     .hi = 0.3},
    {.key = NULL}};

/* in the plane the nose is along `axis`; in space `axis` is that of the cam */
static const tn_field cam_fields_space[] = {
    {.key = "nose",
     .doc = "direction in which the cosines are 1, at the given pose; x of the first frame if left out",
     .kind = TN_DIRECTION,
     .offset = offsetof(cam, nose)},
    {.key = NULL}};

static const tn_joint_type cam_type = {
    .name = "cam",
    .doc = "a follower, a point of the second body, stays on the profile of a cam that is fixed in the first",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'shaft': { 'mass': 1, 'inertia': 0.01 }, 'valve': { 'mass': 0.1, 'position': [0, 0.05], "
               "'coordinates': 'point' } },\n"
               "'joints': {\n"
               "  'bearing': { 'type': 'revolute', 'between': ['ground', 'shaft'], 'at': [0, 0] },\n"
               "  'motor': { 'type': 'driver', 'on': 'bearing.angle', 'value': '20*t' },\n"
               "  'guide': { 'type': 'point-on-line', 'between': ['ground', 'valve'], 'at': 'valve', 'axis': 'y' },\n"
               "  'lift': { 'type': 'cam', 'between': ['shaft', 'valve'], 'at': ['shaft', 'valve'], 'axis': 'y', "
               "'harmonics': [0.2, 0.05, 0] }\n"
               "},\n"
               "'outputs': { 'y': 'valve.y', 'load': 'lift.fy' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'shaft': { 'mass': 1, 'inertia': [0.01, 0.01, 0.01] }, 'valve': { 'mass': 0.1, 'position': [0, 0, "
        "0.05], 'coordinates': 'point' } },\n"
        "'joints': {\n"
        "  'bearing': { 'type': 'revolute', 'between': ['ground', 'shaft'], 'at': [0, 0, 0], 'axis': 'y' },\n"
        "  'motor': { 'type': 'driver', 'on': 'bearing.angle', 'value': '20*t' },\n"
        "  'guide': { 'type': 'point-on-line', 'between': ['ground', 'valve'], 'at': 'valve', 'axis': 'z' },\n"
        "  'lift': { 'type': 'cam', 'between': ['shaft', 'valve'], 'at': ['shaft', 'valve'], 'axis': 'y', 'nose': 'z', "
        "'lobes': 2, 'harmonics': [0.2, 0.05, 0] }\n"
        "},\n"
        "'outputs': { 'z': 'valve.z', 'load': 'lift.fz' }",
    .symbol = TN_SYM_WHEEL,
    .seat = TN_SEAT_TWO, /* `at` [axis of the cam, follower] */
    .oriented = 1,       /* the cam is a body that can turn; the follower may be a particle */
    .size = sizeof(cam),
    .fields = cam_fields,
    .fields_space = cam_fields_space,
    .plane = {.there = true,
              .has_axis = true,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .init = init2,
              .position = position2,
              .rows_on_twists = rows2,
              .rates = rates2,
              .regular = regular2},
    .space = {.there = true,
              .frames = TN_AXES_AXIS,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .init = init3,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .regular = regular3},
};

/* ---- does it work? ------------------------------------------------------------------------------------------------------ */

static int failures;

/* |value - expected| <= allowed, with a line to read */
static void compare(const char *what, double value, double expected, double allowed) {
  const bool good = fabs(value - expected) <= allowed;
  printf("  %-44s %14.9g  expected %14.9g  %s\n", what, value, expected, good ? "ok" : "WRONG");
  if (!good) failures++;
}

static double channel(tn_sim *sim, const char *name) {
  double value;
  return tn_sim_channel(sim, name, &value, NULL) == TN_OK ? value : NAN;
}

/* a valve on a cam that turns at a steady rate w: seen from the cam the follower goes round backwards, so y = r(-w t) if the nose
 * begins upwards, and the cam carries m (y'' + g). everything in a plane whose upward axis is `up` */
static void check_valve(const char *title, const char *model, const char *up, const char *load) {
  const double mass = 0.1, g = 9.81, w = 20;
  const cam j = {.radius = 0.05 / 1.26, .harmonic = {0.2, 0.05, 0.01}, .lobes = 2};
  tn_desc *desc = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  char message[1600];
  tn_status status = tn_desc_new(NULL, &desc, &e);
  if (status == TN_OK) status = tn_desc_add_joint(desc, &cam_type, &e);
  if (status == TN_OK) status = tn_desc_parse(desc, title, model, strlen(model), &e);
  if (status == TN_OK) status = tn_compile(desc, &m, &e);
  if (status == TN_OK) status = tn_sim_new(m, &sim, &e);
  printf("%s:\n", title);
  for (int i = 1; i <= 3 && status == TN_OK; i++) {
    double r[3];
    if ((status = tn_sim_advance(sim, 0.1 * i, &e)) != TN_OK) break;
    profile(&j, -w * 0.1 * i, r);
    compare("lift, m", channel(sim, up), r[0], 1e-9);
    compare("force of the cam, N", channel(sim, load), mass * (w * w * r[2] + g), 1e-6);
  }
  if (status != TN_OK) {
    tn_error_text(&e, message, sizeof message);
    fprintf(stderr, "%s\n", message);
    failures++;
  }
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(desc);
}

static const char plane[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
    " \"bodies\": {\"shaft\": {\"mass\": 1, \"inertia\": 0.01},"
    "   \"valve\": {\"mass\": 0.1, \"position\": [0, 0.05], \"coordinates\": \"point\"}},"
    " \"joints\": {"
    "   \"bearing\": {\"type\": \"revolute\", \"between\": [\"ground\", \"shaft\"], \"at\": [0, 0]},"
    "   \"motor\": {\"type\": \"driver\", \"on\": \"bearing.angle\", \"value\": \"20*t\"},"
    "   \"guide\": {\"type\": \"point-on-line\", \"between\": [\"ground\", \"valve\"], \"at\": \"valve\", \"axis\": "
    "\"y\"},"
    "   \"lift\": {\"type\": \"cam\", \"between\": [\"shaft\", \"valve\"], \"at\": [\"shaft\", \"valve\"], \"axis\": "
    "\"y\","
    "     \"lobes\": 2, \"harmonics\": [0.2, 0.05, 0.01]}},"
    " \"run\": {\"until\": 1, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-10}}}";

static const char space[] = "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81],"
                            " \"bodies\": {\"shaft\": {\"mass\": 1, \"inertia\": [0.01, 0.01, 0.01]},"
                            "   \"valve\": {\"mass\": 0.1, \"position\": [0, 0, 0.05], \"coordinates\": \"point\"}},"
                            " \"joints\": {"
                            "   \"bearing\": {\"type\": \"revolute\", \"between\": [\"ground\", \"shaft\"], \"at\": "
                            "[0, 0, 0], \"axis\": \"y\"},"
                            "   \"motor\": {\"type\": \"driver\", \"on\": \"bearing.angle\", \"value\": \"20*t\"},"
                            "   \"guide\": {\"type\": \"point-on-line\", \"between\": [\"ground\", \"valve\"], \"at\": "
                            "\"valve\", \"axis\": \"z\"},"
                            "   \"lift\": {\"type\": \"cam\", \"between\": [\"shaft\", \"valve\"], \"at\": [\"shaft\", "
                            "\"valve\"], \"axis\": \"y\","
                            "     \"nose\": \"z\", \"lobes\": 2, \"harmonics\": [0.2, 0.05, 0.01]}},"
                            " \"run\": {\"until\": 1, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-10}}}";

int main(void) {
  check_valve("a valve on a cam, in the plane", plane, "valve.y", "lift.fy");
  check_valve("a valve on a cam, in space", space, "valve.z", "lift.fz");
  printf("%d wrong\n", failures);
  return failures ? 1 : 0;
}
