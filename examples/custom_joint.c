/* a joint and a stabilizer from outside the library, by tenon/extend.h alone.
 *
 *   cc custom_joint.c $(pkg-config --cflags --libs tenon) -lm -o custom_joint && ./custom_joint
 *
 * the joint, `point-on-ellipse`: a point of the second body stays in an elliptic slot fixed in the first. d = r1 - r0;
 * x, n the axes of frame 0; p = (x'd, n'd) the point as frame 0 sees it; dv = v1 - v0, da = a1 - a0; semi-axes a, b.
 *   (1) C = (k1 p1^2 + k2 p2^2)/2 - ab/(a + b),  k1 = 2b/(a(a + b)), k2 = 2a/(b(a + b))
 *       a length, near the slot about the distance from it; on a circle (d'd - a^2)/(2a)
 *   (2) frames move with dx/dt = w0 n, dn/dt = -w0 x, so
 *       p1' = x'dv + w0 p2,                               p2' = n'dv - w0 p1
 *       p1'' = x'da + al0 p2 + 2 w0 n'dv - w0^2 p1,       p2'' = n'da - al0 p1 - 2 w0 x'dv - w0^2 p2
 *   (3) Cdot = k1 p1 p1' + k2 p2 p2'; with g = k1 p1 x + k2 p2 n the row on twists v0 w0 v1 w1 is
 *       [-g'  (k1 - k2) p1 p2  g'  0]
 *   (4) Cddot = J (a, al) - gamma with
 *       gamma = -k1 (p1'^2 + p1 (2 w0 n'dv - w0^2 p1)) - k2 (p2'^2 - p2 (2 w0 x'dv + w0^2 p2))
 *
 * the stabilizer, `one-pass`: at the end of a step one Newton correction of the positions and one of the velocities, each
 * the smallest in the norm of the kinetic energy.
 *
 * whoever writes a joint of their own should copy check_derivatives too: a mistake in gamma makes no noise, it only drifts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/extend.h>

/* ---- the joint ---------------------------------------------------------------------------------------------------------- */

typedef struct ellipse {
  double a, b;   /* read by the library, as the table of fields says */
  double k1, k2; /* by init */
} ellipse;

typedef struct seen { /* from frame 0 */
  double p[2], v[2], pdot[2];
} seen;

static seen look(const tn_frame2 *f) {
  const double c = f[0].c, s = f[0].s, w = f[0].w;
  const double d[2] = {f[1].r[0] - f[0].r[0], f[1].r[1] - f[0].r[1]};
  const double dv[2] = {f[1].v[0] - f[0].v[0], f[1].v[1] - f[0].v[1]};
  seen z = {.p = {c * d[0] + s * d[1], -s * d[0] + c * d[1]}, .v = {c * dv[0] + s * dv[1], -s * dv[0] + c * dv[1]}};
  z.pdot[0] = z.v[0] + w * z.p[1];
  z.pdot[1] = z.v[1] - w * z.p[0];
  return z;
}

/* once, when the model is compiled. a message set here comes with the name of the joint and its place in the file */
static tn_status ellipse_init(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  ellipse *j = self;
  (void)frames, (void)f, (void)masses;
  if (isnan(j->b)) j->b = j->a;
  if (j->a > 1e3 * j->b || j->b > 1e3 * j->a)
    return tn_context_fail(ctx, "b", "a slot of %g by %g m is too slender", j->a, j->b);
  j->k1 = 2 * j->b / (j->a * (j->a + j->b));
  j->k2 = 2 * j->a / (j->b * (j->a + j->b));
  return TN_OK;
}

static void ellipse_position(const void *self, double t, const tn_frame2 *f, double *C) {
  const ellipse *j = self;
  const seen z = look(f);
  (void)t; /* the slot does not change with time */
  C[0] = (j->k1 * z.p[0] * z.p[0] + j->k2 * z.p[1] * z.p[1]) / 2 - j->a * j->b / (j->a + j->b);
}

static void ellipse_rows(const void *self, double t, const tn_frame2 *f, double *J) {
  const ellipse *j = self;
  const seen z = look(f);
  const double g1 = j->k1 * z.p[0], g2 = j->k2 * z.p[1];
  (void)t;
  J[3] = g1 * f[0].c - g2 * f[0].s;
  J[4] = g1 * f[0].s + g2 * f[0].c;
  J[5] = 0;
  J[0] = -J[3];
  J[1] = -J[4];
  J[2] = (j->k1 - j->k2) * z.p[0] * z.p[1];
}

static void ellipse_rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  const ellipse *j = self;
  const seen z = look(f);
  const double w = f[0].w;
  (void)t;
  Ct[0] = 0;
  gamma[0] = -j->k1 * (z.pdot[0] * z.pdot[0] + z.p[0] * (2 * w * z.v[1] - w * w * z.p[0])) -
             j->k2 * (z.pdot[1] * z.pdot[1] - z.p[1] * (2 * w * z.v[0] + w * w * z.p[1]));
}

/* reader, defaults, ranges and messages come from here */
static const tn_field ellipse_fields[] = {{.key = "a",
                                           .unit = "m",
                                           .doc = "semi-axis along x of the first body",
                                           .kind = TN_NUMBER,
                                           .offset = offsetof(ellipse, a),
                                           .lo = TN_POSITIVE,
                                           .hi = INFINITY,
                                           .required = true},
                                          {.key = "b",
                                           .unit = "m",
                                           .doc = "semi-axis along y; a circle if left out",
                                           .kind = TN_NUMBER,
                                           .offset = offsetof(ellipse, b),
                                           .dflt = NAN,
                                           .lo = TN_POSITIVE,
                                           .hi = INFINITY},
                                          {.key = NULL}};

static const tn_joint_type point_on_ellipse = {
    .name = "point-on-ellipse",
    .doc = "a point of the second body stays in an elliptic slot about a place of the first",
    .seat = TN_SEAT_TWO, /* `at` [centre, point] */
    .oriented = 1,       /* the first body must be one that can turn; the second may be a particle */
    .size = sizeof(ellipse),
    .fields = ellipse_fields,
    .plane = {.there = true,
              .init = ellipse_init,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .position = ellipse_position,
              .rows_on_twists = ellipse_rows,
              .rates = ellipse_rates},
};

/* ---- the stabilizer ----------------------------------------------------------------------------------------------------- */

enum { MOST = 64 }; /* rows and speeds of the models here. a run allocates nothing, so the room is on the stack */

typedef struct one_pass {
  double share;
} one_pass;

static tn_status one_pass_accept(const void *self, const tn_stage *at, tn_solver *solver, double t, double *q,
                                 double *u, bool *changed) {
  (void)at;
  const double share = ((const one_pass *)self)->share;
  double r[MOST], s[MOST];
  for (int k = 0; k < 2; k++) { /* positions; then velocities, where the positions are now */
    tn_view v;
    tn_status status = tn_solver_assemble(solver, t, q, u);
    if (status != TN_OK) return status;
    tn_system_view(tn_solver_system(solver), &v);
    if (v.rows > MOST || v.speeds > MOST) return TN_E_USAGE;
    for (int i = 0; i < v.rows; i++) r[i] = k ? -v.Cdot[i] : i < v.holonomic ? -v.C[i] : 0;
    if ((status = tn_solver_smallest(solver, k == 0, r, s)) != TN_OK) return status;
    for (int i = 0; i < v.speeds; i++) s[i] *= share;
    if (k == 0) tn_solver_move(solver, q, s); /* not q += s: the rates of a quaternion are not its speeds */
    for (int i = 0; k == 1 && i < v.speeds; i++) u[i] += s[i];
  }
  *changed = true;
  return TN_OK;
}

static const tn_field one_pass_fields[] = {{.key = "share",
                                            .doc = "of the violation that a step takes away",
                                            .kind = TN_NUMBER,
                                            .offset = offsetof(one_pass, share),
                                            .dflt = 1,
                                            .lo = TN_POSITIVE,
                                            .hi = 1},
                                           {.key = NULL}};

static const tn_stabilizer_type one_pass_type = {
    .name = "one-pass",
    .doc = "one correction of positions and one of velocities after each step",
    .size = sizeof(one_pass),
    .fields = one_pass_fields,
    .accept = one_pass_accept,
};

/* ---- does it work? ------------------------------------------------------------------------------------------------------ */

static int failures;

/* |value - expected| <= allowed, with a line to read */
static void compare(const char *what, double value, double expected, double allowed) {
  const bool good = fabs(value - expected) <= allowed;
  printf("  %-44s %14.9g  expected %14.9g  %s\n", what, value, expected, good ? "ok" : "WRONG");
  if (!good) failures++;
}

/* two frames on some smooth way; ac: their acceleration, twist by twist as in a row */
static void frames_at(double t, tn_frame2 f[2], double ac[6]) {
  static const double way[2][3][3] = {{{0.2, 0.5, -0.7}, {-0.1, 0.3, 0.9}, {0.4, 1.3, -0.8}},
                                      {{1.4, -0.6, 0.4}, {0.9, 0.8, -0.5}, {-0.3, 0.2, 0.6}}};
  memset(f, 0, 2 * sizeof *f);
  for (int i = 0; i < 2; i++) {
    double x[3], v[3];
    for (int k = 0; k < 3; k++) {
      const double *w = way[i][k];
      x[k] = w[0] + t * (w[1] + t * w[2] / 2);
      v[k] = w[1] + t * w[2];
      ac[3 * i + k] = w[2];
    }
    f[i] = (tn_frame2){.r = {x[0], x[1]}, .angle = x[2], .c = cos(x[2]), .s = sin(x[2]), .v = {v[0], v[1]}, .w = v[2]};
  }
}

/* C by the joint, and Cdot by its row */
static void rates_at(const ellipse *j, double t, double *C, double *Cdot) {
  tn_frame2 f[2];
  double ac[6], J[6];
  frames_at(t, f, ac);
  point_on_ellipse.plane.position(j, t, f, C);
  point_on_ellipse.plane.rows_on_twists(j, t, f, J);
  *Cdot = 0;
  for (int i = 0; i < 2; i++) *Cdot += J[3 * i] * f[i].v[0] + J[3 * i + 1] * f[i].v[1] + J[3 * i + 2] * f[i].w;
}

/* row and gamma against differences of C and Cdot in time */
static void check_derivatives(void) {
  ellipse j = {.a = 1.7, .b = 0.6};
  const double h = 1e-5;
  double C0, C1, V0, V, V1, J[6], Ct, gamma, ac[6], Cddot;
  tn_frame2 f[2];
  ellipse_init(&j, NULL, 2, NULL, NULL);
  rates_at(&j, -h, &C0, &V0);
  rates_at(&j, h, &C1, &V1);
  rates_at(&j, 0, &(double){0}, &V);
  frames_at(0, f, ac);
  ellipse_rows(&j, 0, f, J);
  ellipse_rates(&j, 0, f, &Ct, &gamma);
  Cddot = -gamma;
  for (int i = 0; i < 6; i++) Cddot += J[i] * ac[i];
  printf("derivatives, slot and point both moving:\n");
  compare("Cdot, by the row and by differences", V + Ct, (C1 - C0) / (2 * h), 1e-8);
  compare("Cddot, by gamma and by differences", Cddot, (V1 - V0) / (2 * h), 1e-8);
}

/* a model of ours, run to its end; to be freed, the model too */
static tn_sim *simulate(const char *text, const char *stabilizer, tn_model **model) {
  tn_error e;
  tn_desc *desc = NULL;
  tn_sim *sim = NULL;
  char message[1600];
  *model = NULL;
  tn_status status = tn_desc_new(NULL, &desc, &e);
  if (status == TN_OK) status = tn_desc_add_joint(desc, &point_on_ellipse, &e);
  if (status == TN_OK) status = tn_desc_add_stabilizer(desc, &one_pass_type, &e);
  if (status == TN_OK) status = tn_desc_parse(desc, "custom_joint", text, strlen(text), &e);
  if (status == TN_OK) status = tn_desc_part(desc, "/run/stabilize", stabilizer, &e);
  if (status == TN_OK) status = tn_compile(desc, model, &e);
  if (status == TN_OK) status = tn_sim_new(*model, &sim, &e);
  if (status == TN_OK) status = tn_sim_run(sim, NULL, NULL, &e);
  tn_desc_free(desc); /* the model needs it no longer; the tables of types it still needs */
  if (status == TN_OK) return sim;
  tn_error_text(&e, message, sizeof message);
  fprintf(stderr, "%s\n", message);
  exit(1);
}

static double channel(tn_sim *sim, const char *name) {
  double value;
  return tn_sim_channel(sim, name, &value, NULL) == TN_OK ? value : NAN;
}

/* without gravity a bead keeps its speed: a lap takes perimeter / speed, and at the vertex the slot, whose curvature is a/b^2
 * there, pulls it inwards with m v^2 a/b^2 */
static void check_lap(void) {
  const double a = 2, b = 1, speed = 3, mass = 0.5, pi = acos(-1.0);
  const int n = 400; /* the trapezoidal rule is exact to all digits for a smooth periodic function */
  char text[1000];
  double perimeter = 0;
  tn_model *model;
  for (int i = 0; i < n; i++) perimeter += 2 * pi / n * hypot(a * sin(2 * pi * i / n), b * cos(2 * pi * i / n));
  snprintf(text, sizeof text,
           "{\"tenon\": 1, \"dimension\": 2,"
           " \"bodies\": {\"bead\": {\"mass\": %g, \"position\": [%g, 0], \"coordinates\": \"point\"}},"
           " \"joints\": {\"slot\": {\"type\": \"point-on-ellipse\", \"between\": [\"ground\", \"bead\"],"
           "   \"at\": [[0, 0]], \"a\": %g, \"b\": %g}},"
           " \"start\": {\"bead.vy\": %g},"
           " \"run\": {\"until\": %.17g, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-11}}}",
           mass, a, a, b, speed, perimeter / speed);
  tn_sim *sim = simulate(text, "one-pass", &model);
  printf("a bead in a fixed slot, after one lap of %.6f m:\n", perimeter);
  compare("x, m", channel(sim, "bead.x"), a, 1e-8);
  compare("y, m", channel(sim, "bead.y"), 0, 1e-8);
  compare("speed, m/s", channel(sim, "bead.vy"), speed, 1e-8);
  compare("force of the slot, N", channel(sim, "slot.fx"), -mass * speed * speed * a / (b * b), 1e-6);
  tn_sim_free(sim);
  tn_model_free(model);
}

/* the slot on a swinging plate: it turns, so that every term of gamma acts. nothing is lost, so the energy stays; and without
 * the stabilizer the bead creeps out of the slot */
static void check_swing(void) {
  static const char text[] =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
      " \"bodies\": {\"plate\": {\"mass\": 2, \"inertia\": 0.3, \"position\": [0.5, 0]},"
      "   \"bead\": {\"mass\": 0.4, \"position\": [0.9, 0], \"coordinates\": \"point\"}},"
      " \"joints\": {\"pin\": {\"type\": \"revolute\", \"between\": [\"ground\", \"plate\"], \"at\": [0, 0]},"
      "   \"slot\": {\"type\": \"point-on-ellipse\", \"between\": [\"plate\", \"bead\"], \"at\": [\"plate\"],"
      "     \"a\": 0.4, \"b\": 0.2}},"
      " \"run\": {\"until\": 5, \"integrator\": {\"type\": \"dopri5\", \"rtol\": 1e-9},"
      "   \"contract\": {\"breach\": \"record\"}}}";
  double violation[2], balance = 0;
  for (int k = 0; k < 2; k++) {
    tn_model *model;
    tn_sim *sim = simulate(text, k ? "none" : "one-pass:share=1", &model);
    violation[k] = tn_sim_summary(sim)->max_position_violation;
    if (!k) balance = tn_sim_summary(sim)->energy_balance;
    tn_sim_free(sim);
    tn_model_free(model);
  }
  printf("a bead in a slot of a swinging plate, 5 s:\n");
  compare("energy balance", balance, 0, 1e-7);
  compare("violation with one-pass", violation[0], 0, 1e-13);
  compare("is it less than 1/100 of that without?", violation[0] < violation[1] / 100, 1, 0);
}

int main(void) {
  check_derivatives();
  check_lap();
  check_swing();
  printf("%d wrong\n", failures);
  return failures ? 1 : 0;
}
