/* center-of-mass: the common mass centre of any number of bodies, seen along a fixed direction e, follows f(t).
 *   (1) C = e' sum_i m_i r_i / m - f(t), m = sum m_i, frames at the mass centres
 *   (2) row on twists: [.. m_i/m e' 0 ..];  Ct = -f',  gamma = f'' */
#include "joint/joint.h"

typedef struct center {
  double axis[3]; /* unit */
  const tn_expr *value;
  int frames;
  double *share; /* frames: m_i/m */
} center;

/* the shares; the same in the plane and in space */
static tn_status shares(center *j, tn_context *ctx, int frames, const double *masses) {
  double m = 0;
  j->frames = frames;
  j->share = tn_context_alloc(ctx, sizeof(double) * (size_t)frames);
  if (!j->share) return TN_E_MEMORY;
  for (int i = 0; i < frames; i++) m += masses[i];
  if (!(m > 0)) return tn_context_fail(ctx, "bodies", "the bodies have no mass");
  for (int i = 0; i < frames; i++) j->share[i] = masses[i] / m;
  return TN_OK;
}

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  (void)f;
  return shares(self, ctx, frames, masses);
}

static void position(const void *self, double t, const tn_frame2 *f, double *C) {
  const center *j = self;
  double jet[3];
  tn_expr_jet(j->value, t, jet);
  C[0] = -jet[0];
  for (int i = 0; i < j->frames; i++) C[0] += j->share[i] * (j->axis[0] * f[i].r[0] + j->axis[1] * f[i].r[1]);
}

static void rows(const void *self, double t, const tn_frame2 *f, double *J) {
  const center *j = self;
  (void)t, (void)f;
  for (int i = 0; i < j->frames; i++) {
    J[3 * i] = j->share[i] * j->axis[0];
    J[3 * i + 1] = j->share[i] * j->axis[1];
    J[3 * i + 2] = 0;
  }
}

static void rates(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  double jet[3];
  (void)f;
  tn_expr_jet(((const center *)self)->value, t, jet);
  Ct[0] = -jet[1];
  gamma[0] = jet[2];
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  (void)f;
  return shares(self, ctx, frames, masses);
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  const center *j = self;
  double jet[3];
  (void)memory;
  tn_expr_jet(j->value, t, jet);
  C[0] = -jet[0];
  for (int i = 0; i < j->frames; i++) C[0] += j->share[i] * tn_dot3(j->axis, f[i].r);
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  const center *j = self;
  (void)t, (void)f;
  for (int i = 0; i < j->frames; i++)
    for (int k = 0; k < 3; k++) {
      J[6 * i + k] = j->share[i] * j->axis[k];
      J[6 * i + 3 + k] = 0;
    }
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  double jet[3];
  (void)f;
  tn_expr_jet(((const center *)self)->value, t, jet);
  Ct[0] = -jet[1];
  gamma[0] = jet[2];
}

/* it sees places, not axes */
static bool stretch3(const void *self, const tn_frame3 *f, double *E) {
  const center *j = self;
  (void)f;
  memset(E, 0, sizeof *E * (size_t)j->frames);
  return true;
}

static const tn_field fields[] = {{.key = "bodies",
                                   .doc = "the bodies whose common mass centre is meant",
                                   .kind = TN_LIST,
                                   .required = true,
                                   .inside = tn_fields_names},
                                  {.key = "axis",
                                   .doc = "direction along which it is seen, fixed in the world",
                                   .kind = TN_DIRECTION,
                                   .offset = offsetof(center, axis),
                                   .required = true},
                                  {.key = "value",
                                   .unit = "m",
                                   .doc = "its place along the axis: a number or a function of t",
                                   .kind = TN_TIME,
                                   .offset = offsetof(center, value),
                                   .required = true},
                                  {.key = NULL}};

const tn_joint_type tn_joint_center_of_mass = {
    .name = "center-of-mass",
    .doc = "the common mass centre of bodies, along an axis, is fixed or follows a function of time",
    .example =
        "'gravity': [0, -9.81],\n"
        "'bodies': {\n"
        "  'left': { 'mass': 1, 'position': [-1, 0], 'coordinates': 'point' },\n"
        "  'right': { 'mass': 3, 'position': [1, 0], 'coordinates': 'point' }\n"
        "},\n"
        "'joints': { 'held': { 'type': 'center-of-mass', 'bodies': ['left', 'right'], 'axis': 'y', 'value': 0 } },\n"
        "'outputs': { 'left': 'left.y', 'right': 'right.y', 'load': 'held.load' }",
    .example_space =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': {\n"
        "  'left': { 'mass': 1, 'position': [-1, 0, 0], 'coordinates': 'point' },\n"
        "  'right': { 'mass': 3, 'position': [1, 0, 0], 'coordinates': 'point' }\n"
        "},\n"
        "'forces': { 'push': { 'type': 'force', 'on': 'left', 'value': [0, 0, 5] } },\n"
        "'joints': { 'held': { 'type': 'center-of-mass', 'bodies': ['left', 'right'], 'axis': 'z', 'value': 0 } },\n"
        "'outputs': { 'left': 'left.z', 'right': 'right.z', 'load': 'held.load' }",
    .seat = TN_SEAT_CENTERS,
    .size = sizeof(center),
    .fields = fields,
    .plane = {.there = true,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .init = init,
              .position = position,
              .rows_on_twists = rows,
              .rates = rates},
    .space = {.there = true,
              .rows = 1,
              .unit = {TN_LENGTH},
              .axes = -1,
              .init = init3,
              .position = position3,
              .rows_on_twists = rows3,
              .rates = rates3,
              .stretch = stretch3},
};
