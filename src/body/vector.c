/* vector: x, y, z of a unit vector, for natural coordinates. `elements` give it inertia; it has no place.
 *   (1) its components move like those of a point: S = [1; 0], no bias
 *   (2) own row: C = v'v - 1, row 2v', gamma = -2 vdot'vdot. Garcia de Jalon, Unda & Avello 1986 */
#include "body/body.h"

static void motion(const double *q, const double *u, tn_frame3 *b, double *S) {
  static const double axes[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memset(b, 0, sizeof *b);
  memcpy(b->r, q, sizeof b->r);
  tn_identity3(b->A);
  memcpy(b->v, u, sizeof b->v);
  memcpy(S, axes, sizeof axes);
}

static void from_pose(const double r[3], const double A[9], double *q) {
  (void)A;
  memcpy(q, r, 3 * sizeof *q);
}

static void own(const double *q, const double *u, double *C, double *row, double *gamma) {
  C[0] = tn_dot3(q, q) - 1;
  for (int i = 0; i < 3; i++) row[i] = 2 * q[i];
  gamma[0] = -2 * tn_dot3(u, u);
}

static const tn_coordinate coordinates[] = {
    {"x", "vx", TN_RATIO}, {"y", "vy", TN_RATIO}, {"z", "vz", TN_RATIO}, {NULL, NULL, TN_RATIO}};

const tn_body_type tn_body_vector = {
    .name = "vector",
    .doc = "x, y, z of a unit vector, which a row keeps at length 1; rigid bodies are `elements` of points and vectors",
    .example =
        "'gravity': [0, 0, -9.81],\n"
        "'bodies': {\n"
        "  'u': { 'coordinates': 'vector', 'position': 'x' }, 'v': { 'coordinates': 'vector', 'position': 'y' },\n"
        "  'w': { 'coordinates': 'vector', 'position': [0.6, 0, 0.8] }\n"
        "},\n"
        "'elements': { 'top': { 'points': ['O'], 'vectors': ['u', 'v', 'w'], 'mass': 2, 'center': [0.3, 0, 0.4],\n"
        "                      'inertia': [0.04, 0.05, 0.03] } },\n"
        "'points': { 'O': [0, 0, 0] },\n"
        "'joints': {\n"
        "  'uv': { 'type': 'constraint', 'value': 'dot(position(u), position(v))' },\n"
        "  'uw': { 'type': 'constraint', 'value': 'dot(position(u), position(w)) - 0.6' },\n"
        "  'vw': { 'type': 'constraint', 'value': 'dot(position(v), position(w))' }\n"
        "},\n"
        "'start': { 'u.vy': 3, 'v.vx': -3, 'w.vy': 1.8 },\n"
        "'outputs': { 'axis': 'position(w)', 'spin': 'dot(velocity(u), position(v))' }",
    .direction = true,
    .space =
        {.nq = 3, .nu = 3, .coordinates = coordinates, .motion = motion, .from_pose = from_pose, .rows = 1, .own = own},
};
