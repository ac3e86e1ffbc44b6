/* center-of-mass: the common mass centre of any number of bodies, seen along a fixed direction e, follows f(t).
 *   (1) C = e' sum_i m_i r_i / m - f(t), m = sum m_i, frames at the mass centres
 *   (2) row on twists: [.. m_i/m e' 0 ..];  Ct = -f',  gamma = f'' */
#include "joint/joint.h"

typedef struct center {
  double axis[2];
  const tn_expr *value;
  int frames;
  double *share; /* frames: m_i/m */
} center;

static tn_status init(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  center *j = self;
  double m = 0;
  (void)f;
  const double norm = hypot(j->axis[0], j->axis[1]);
  if (!(norm > 0)) return tn_context_fail(ctx, "axis", "axis has zero length");
  for (int i = 0; i < 2; i++) j->axis[i] /= norm;
  j->frames = frames;
  j->share = tn_context_alloc(ctx, sizeof(double) * (size_t)frames);
  if (!j->share) return TN_E_MEMORY;
  for (int i = 0; i < frames; i++) m += masses[i];
  if (!(m > 0)) return tn_context_fail(ctx, "bodies", "the bodies have no mass");
  for (int i = 0; i < frames; i++) j->share[i] = masses[i] / m;
  return TN_OK;
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
    .seat = TN_SEAT_CENTERS,
    .size = sizeof(center),
    .fields = fields,
    .init = init,
    .plane = {.rows = 1, .unit = {TN_LENGTH}, .axes = -1, .position = position, .rows_on_twists = rows, .rates = rates},
};
