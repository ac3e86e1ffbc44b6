/* distance: a massless rod of length L between two places, alike in the plane and in space.
 *   (1) length:  C = |d| - L, e = d/|d|;  row [-e' 0 e' 0];  gamma = -(|dv|^2 - (e'dv)^2)/|d|, dv = v1 - v0
 *   (2) squared: C = d'd - L^2;           row 2[-d' 0 d' 0]; gamma = -2 |dv|^2
 * at |d| = 0 form (1) has no direction, and the row of (2) is zero: in the initial configuration that is refused, also where |d| is
 * roundoff beside the bodies. later form (1) comes out as not-a-number and the run stops there, named */
#include "joint/joint.h"

typedef struct distance {
  double length;
  int form; /* 0 length, 1 squared */
} distance;

/* d: the distance in the initial configuration; the length, if none is given */
static tn_status length_of(distance *j, tn_context *ctx, double d, const char *instead) {
  const bool given = !isnan(j->length);
  if (!given) j->length = d;
  const double least = tn_context_least_length(ctx, j->length);
  if (!(j->length > least))
    return tn_context_fail(ctx, given ? "length" : NULL,
                           "the distance is zero beside its bodies, %.3g m: use a %s to hold two points together",
                           j->length, instead);
  if (!(d > least))
    return tn_context_fail(ctx, NULL,
                           "the two places coincide in the initial configuration, within %.3g m: the direction of "
                           "the distance is not known",
                           d);
  return TN_OK;
}

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  (void)frames, (void)masses;
  return length_of(self, ctx, hypot(f[1].r[0] - f[0].r[0], f[1].r[1] - f[0].r[1]), "revolute");
}

static void position(const void *self, double t, const tn_frame2 *f, double *C) {
  const distance *j = self;
  const double dx = f[1].r[0] - f[0].r[0], dy = f[1].r[1] - f[0].r[1];
  (void)t;
  /* (1) as (d'd - L^2)/(|d| + L): no digits lost, and the same zero as (2) */
  const double C2 = dx * dx + dy * dy - j->length * j->length;
  C[0] = j->form ? C2 : C2 / (sqrt(dx * dx + dy * dy) + j->length);
}

static void rows(const void *self, double t, const tn_frame2 *f, double *J) {
  const distance *j = self;
  const double dx = f[1].r[0] - f[0].r[0], dy = f[1].r[1] - f[0].r[1];
  const double k = j->form ? 2 : 1 / sqrt(dx * dx + dy * dy);
  (void)t;
  J[3] = k * dx;
  J[4] = k * dy;
  J[0] = -J[3];
  J[1] = -J[4];
  J[2] = J[5] = 0;
}

static void rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  const distance *j = self;
  const double dx = f[1].r[0] - f[0].r[0], dy = f[1].r[1] - f[0].r[1];
  const double vx = f[1].v[0] - f[0].v[0], vy = f[1].v[1] - f[0].v[1];
  (void)t;
  Ct[0] = 0;
  if (j->form) {
    gamma[0] = -2 * (vx * vx + vy * vy);
  } else {
    const double l2 = dx * dx + dy * dy, across = dx * vy - dy * vx;
    gamma[0] = -across * across / (l2 * sqrt(l2));
  }
}

/* |d| beside the length; form (2) is smooth, but its row is zero there */
static double regular(const void *self, const tn_frame2 *f) {
  return fmin(1, hypot(f[1].r[0] - f[0].r[0], f[1].r[1] - f[0].r[1]) / ((const distance *)self)->length);
}

static double regular3(const void *self, const tn_frame3 *f) {
  double d[3];
  tn_sub3(f[1].r, f[0].r, d);
  return fmin(1, tn_norm3(d) / ((const distance *)self)->length);
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  double d[3];
  (void)frames, (void)masses;
  tn_sub3(f[1].r, f[0].r, d);
  return length_of(self, ctx, tn_norm3(d), "spherical");
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const distance *j = self;
  double d[3];
  (void)memory, (void)t;
  tn_sub3(f[1].r, f[0].r, d);
  const double C2 = tn_dot3(d, d) - j->length * j->length;
  C[0] = j->form ? C2 : C2 / (tn_norm3(d) + j->length);
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  const distance *j = self;
  double d[3];
  (void)t;
  tn_sub3(f[1].r, f[0].r, d);
  const double k = j->form ? 2 : 1 / tn_norm3(d);
  for (int i = 0; i < 3; i++) {
    J[i] = -k * d[i];
    J[6 + i] = k * d[i];
    J[3 + i] = J[9 + i] = 0;
  }
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  const distance *j = self;
  double d[3], dv[3], across[3];
  (void)t;
  tn_sub3(f[1].r, f[0].r, d);
  tn_sub3(f[1].v, f[0].v, dv);
  tn_cross3(d, dv, across);
  const double l2 = tn_dot3(d, d);
  Ct[0] = 0;
  gamma[0] = j->form ? -2 * tn_dot3(dv, dv) : -tn_dot3(across, across) / (l2 * sqrt(l2));
}

/* it sees places, not axes */
static bool stretch3(const void *self, const tn_frame3 *f, double *E) {
  (void)self, (void)f;
  E[0] = E[1] = 0;
  return true;
}

static void units(const void *self, tn_unit *unit, int *rows_there, int *rows_velocity_only) {
  (void)rows_there, (void)rows_velocity_only;
  unit[0] = ((const distance *)self)->form ? TN_LENGTH_SQUARED : TN_LENGTH;
}

static const tn_field fields[] = {{.key = "length",
                                   .unit = "m",
                                   .doc = "distance kept; that of the given pose if left out",
                                   .offset = offsetof(distance, length),
                                   .dflt = NAN,
                                   .hi = INFINITY,
                                   .opens = true},
                                  {.key = "form",
                                   .doc = "whether the row is a length or a squared length",
                                   .kind = TN_WORD,
                                   .offset = offsetof(distance, form),
                                   .choices = "length squared"},
                                  {.key = NULL}};

const tn_joint_type tn_joint_distance = {
    .name = "distance",
    .doc = "two places at a constant distance: a massless rod",
    .example = "'gravity': [0, -9.81],\n"
               "'bodies': { 'bob': { 'mass': 1, 'position': [1, 0], 'coordinates': 'point' } },\n"
               "'joints': { 'string': { 'type': 'distance', 'between': ['ground', 'bob'], 'at': [[0, 0]] } },\n"
               "'outputs': { 'x': 'bob.x', 'tension': 'norm(force(string))' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': { 'bob': { 'mass': 1, 'position': [1, 0, 0], 'coordinates': 'point' } },\n"
        "'joints': { 'string': { 'type': 'distance', 'between': ['ground', 'bob'], 'at': [[0, 0, 0]] } },\n"
        "'start': { 'bob.vy': 2 },\n"
        "'outputs': { 'place': 'position(bob)', 'tension': 'norm(force(string))' }",
    .seat = TN_SEAT_TWO,
    .size = sizeof(distance),
    .fields = fields,
    .plane = {.there = true,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .init = init,
              .units = units,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates,
              .regular = regular},
    .space = {.there = true,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .init = init3,
              .units = units,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .regular = regular3,
              .stretch = stretch3},
};
