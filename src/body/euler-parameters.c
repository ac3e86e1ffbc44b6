/* euler-parameters: x, y, z of the frame origin and e = (e0, e1, e2, e3), with a row that keeps |e| = 1; u = qdot.
 *   (1) A = A(e/|e|)
 *   (2) w = 2 E ndot, n = e/|e|, E = E(n) = [-n1 n0 -n3 n2; -n2 n3 n0 -n1; -n3 -n2 n1 n0]; as E(e) e = 0, with E = E(e):
 *       w = 2 E edot / (e'e), along the world axes; S = [1 0; 0 2E/(e'e)]
 *   (3) bias: d/dt of (2) at udot = 0. E(edot) edot = 0 again, so that only the divisor counts:
 *       al0 = -2 (e'edot)/(e'e) w
 *   (4) own row: C = e'e - 1, row [0 2e'], gamma = -2 edot'edot
 * the motion along e moves nothing: the row (4) alone decides about it. Nada 2017
 *
 * normalized=false: e as it is, which Shabana and Nada 2017, 2023 write. with s = e'e, R = A(e/|e|), Ebar = E(e)' turned into the body,
 * Gbar = 2 Ebar:
 *   (5) A = E Gbar'/2 = s R;  Gbar edot = A'w, w of (2): what they call the angular velocity is s w, along the axes of the body
 *   (6) a point at u on the body: d(A u)/dt = (2 E edot) x R u + 2 (e'edot) R u = w x A u + ds A u,  ds = 2 e'edot/s, the last row of S
 *   (7) bias of ds: ds0 = 2 edot'edot/s - ds^2
 *   (8) T = m v_c'v_c/2 + (Gbar edot)'I (Gbar edot)/2, the second w'J w/2 with J = A I A': Lagrange's equations of it have
 *       -2 Gbar(edot)'I Gbar edot on the right, which assemble/forces.c (5) has on w and ds
 * on |e| = 1 both are the same. off it A stretches, and nothing but (4) holds it back */
#include "body/body.h"

static double dot4(const double a[4], const double b[4]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void motion(const double *q, const double *u, tn_frame3 *b, double *S) {
  const double *e = q + 3, *edot = u + 3, ee = dot4(e, e), k = 2 / ee;
  const double E[12] = {-e[1], e[0], -e[3], e[2], -e[2], e[3], e[0], -e[1], -e[3], -e[2], e[1], e[0]};
  memset(b, 0, sizeof *b);
  memcpy(b->r, q, sizeof b->r);
  tn_quaternion_rotation(e, b->A);
  memcpy(b->v, u, sizeof b->v);
  memset(S, 0, 42 * sizeof *S);
  for (int i = 0; i < 3; i++) {
    S[7 * i + i] = 1;
    for (int j = 0; j < 4; j++) S[7 * (3 + i) + 3 + j] = k * E[4 * i + j];
    b->w[i] = k * dot4(E + 4 * i, edot);
  }
  tn_axpy3(-k * dot4(e, edot), b->w, b->al0);
}

/* (5) to (7) */
static void motion_as_it_is(const double *q, const double *u, tn_frame3 *b, double *S) {
  const double *e = q + 3, *edot = u + 3, ee = dot4(e, e);
  motion(q, u, b, S);
  for (int i = 0; i < 9; i++) b->A[i] *= ee;
  for (int j = 0; j < 7; j++) S[42 + j] = j < 3 ? 0 : 2 * e[j - 3] / ee;
  b->stretch = ee - 1;
  b->ds = 2 * dot4(e, edot) / ee;
  b->ds0 = 2 * dot4(edot, edot) / ee - b->ds * b->ds;
}

static void from_pose(const double r[3], const double A[9], double *q) {
  memcpy(q, r, 3 * sizeof *q);
  tn_rotation_quaternion(A, q + 3);
}

static void own(const double *q, const double *u, double *C, double *row, double *gamma) {
  const double *e = q + 3, *edot = u + 3;
  C[0] = dot4(e, e) - 1;
  memset(row, 0, 3 * sizeof *row);
  for (int j = 0; j < 4; j++) row[3 + j] = 2 * e[j];
  gamma[0] = -2 * dot4(edot, edot);
}

static const tn_coordinate coordinates[] = {{"x", "vx", TN_LENGTH},  {"y", "vy", TN_LENGTH},  {"z", "vz", TN_LENGTH},
                                            {"e0", "de0", TN_RATIO}, {"e1", "de1", TN_RATIO}, {"e2", "de2", TN_RATIO},
                                            {"e3", "de3", TN_RATIO}, {NULL, NULL, TN_ANGLE}};

typedef struct form {
  int normalized;
} form;

static const tn_body_type *chosen(const void *self);

static const tn_field fields[] = {
    {.key = "normalized",
     .doc = "whether rotations are those of e made of length 1; else of e as it is, as Shabana writes "
            "them: A = E Gbar', w = Gbar edot, "
            "where a length that drifts stretches the body",
     .kind = TN_BOOLEAN,
     .offset = offsetof(form, normalized),
     .dflt = 1},
    {.key = NULL}};

#define NAMED                                                                                                          \
  .name = "euler-parameters",                                                                                          \
  .doc = "x, y, z of the frame origin and four Euler parameters, which are kept at length 1 by a row; speeds are "     \
         "their rates",                                                                                                \
  .example = "'gravity': [0, 0, -9.81],\n"                                                                             \
             "'bodies': { 'bar': { 'mass': 2, 'inertia': [0.01, 0.17, 0.17], 'center': [0.5, 0, 0], 'coordinates': "   \
             "'euler-parameters' } },\n"                                                                               \
             "'joints': { 'ball': { 'type': 'spherical', 'between': ['ground', 'bar'], 'at': [0, 0, 0] } },\n"         \
             "'start': { 'bar.de3': 1.5 },\n"                                                                          \
             "'outputs': { 'tip': 'position(bar) + axis(bar, x)', 'e0': 'bar.e0', 'load': 'norm(force(ball))' }",      \
  .size = sizeof(form), .fields = fields, .chosen = chosen, .oriented = true

const tn_body_type tn_body_euler_parameters = {
    NAMED,
    .space =
        {.nq = 7, .nu = 7, .coordinates = coordinates, .motion = motion, .from_pose = from_pose, .rows = 1, .own = own},
};

static const tn_body_type as_it_is = {
    NAMED,
    .space = {.nq = 7,
              .nu = 7,
              .stretches = true,
              .coordinates = coordinates,
              .motion = motion_as_it_is,
              .from_pose = from_pose,
              .rows = 1,
              .own = own},
};

static const tn_body_type *chosen(const void *self) {
  return ((const form *)self)->normalized ? &tn_body_euler_parameters : &as_it_is;
}
