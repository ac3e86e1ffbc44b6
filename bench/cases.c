/* the mechanisms: uniform rods of 1 m and 1 kg on revolute joints, at poses that are on the constraints and regular.
 *   planar-chain   every link at an angle of its own
 *   tree           link i hangs on the end of link i/2
 *   n-four-bar     links parallel, couplers level: N loops side by side, 2N + 1 bodies
 *   ladder         two rails hinged at every rung: N cells, each a parallelogram that shears by itself, 3N bodies
 *   spatial-chain  axes across the links, y and z in turn */
#include "bench.h"

/* models; ' stands for " */
#define HEAD "{'tenon': 1, 'constants': {'N': 1}, 'outputs': {}, "
#define PLANE HEAD "'dimension': 2, 'gravity': [0, -9.81], "

static const char chain_text[] = PLANE
    "'bodies': {"
    " 'link{i}': {'repeat': 'i=1..N', 'rod': [['i-1', 0], ['i', 0]], 'mass': 1}},"
    "'joints': {"
    " 'root': {'type': 'revolute', 'between': ['ground', 'link1'], 'at': [0, 0]},"
    " 'pin{i}': {'repeat': 'i=2..N', 'type': 'revolute', 'between': ['link{i-1}', 'link{i}'], 'at': ['i-1', 0]}}}";

/* link i begins at x = its depth, the largest whole number d with 2^d <= i */
#define DEPTH "log(i + 0.5)/log(2) - mod(log(i + 0.5)/log(2), 1)"
static const char tree_text[] =
    PLANE "'bodies': {"
          " 'link{i}': {'repeat': 'i=1..N', 'rod': [['" DEPTH "', 0], ['" DEPTH " + 1', 0]], 'mass': 1}},"
          "'joints': {"
          " 'root': {'type': 'revolute', 'between': ['ground', 'link1'], 'at': [0, 0]},"
          " 'pin{i}': {'repeat': 'i=2..N', 'type': 'revolute', 'between': ['link{(i - mod(i, 2))/2}', 'link{i}'],"
          "  'at': ['" DEPTH "', 0]}}}";

static const char four_bars_text[] = PLANE
    "'bodies': {"
    " 'link{i}': {'repeat': 'i=0..N', 'rod': [['i', 0], ['i', 1]], 'mass': 1},"
    " 'coupler{i}': {'repeat': 'i=1..N', 'rod': [['i-1', 1], ['i', 1]], 'mass': 1}},"
    "'joints': {"
    " 'ground{i}': {'repeat': 'i=0..N', 'type': 'revolute', 'between': ['ground', 'link{i}'], 'at': ['i', 0]},"
    " 'left{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['link{i-1}', 'coupler{i}'], 'at': ['i-1', 1]},"
    " 'right{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['coupler{i}', 'link{i}'], 'at': ['i', 1]}}}";

static const char ladder_text[] = PLANE
    "'bodies': {"
    " 'lower{i}': {'repeat': 'i=1..N', 'rod': [['i-1', 0], ['i', 0]], 'mass': 1},"
    " 'upper{i}': {'repeat': 'i=1..N', 'rod': [['i-1', 1], ['i', 1]], 'mass': 1},"
    " 'rung{i}': {'repeat': 'i=1..N', 'rod': [['i', 0], ['i', 1]], 'mass': 1}},"
    "'joints': {"
    " 'low': {'type': 'revolute', 'between': ['ground', 'lower1'], 'at': [0, 0]},"
    " 'high': {'type': 'revolute', 'between': ['ground', 'upper1'], 'at': [0, 1]},"
    " 'low{i}': {'repeat': 'i=2..N', 'type': 'revolute', 'between': ['lower{i-1}', 'lower{i}'], 'at': ['i-1', 0]},"
    " 'high{i}': {'repeat': 'i=2..N', 'type': 'revolute', 'between': ['upper{i-1}', 'upper{i}'], 'at': ['i-1', 1]},"
    " 'foot{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['lower{i}', 'rung{i}'], 'at': ['i', 0]},"
    " 'top{i}': {'repeat': 'i=1..N', 'type': 'revolute', 'between': ['upper{i}', 'rung{i}'], 'at': ['i', 1]}}}";

static const char spatial_text[] =
    HEAD "'dimension': 3, 'gravity': [0, 0, -9.81],"
         "'bodies': {"
         " 'link{i}': {'repeat': 'i=1..N', 'rod': [['i-1', 0, 0], ['i', 0, 0]], 'radius': 0.1, 'mass': 1}},"
         "'joints': {"
         " 'root': {'type': 'revolute', 'between': ['ground', 'link1'], 'at': [0, 0, 0], 'axis': 'y'},"
         " 'hinge{i}': {'repeat': 'i=2..N', 'type': 'revolute', 'between': ['link{i-1}', 'link{i}'],"
         "  'at': ['i-1', 0, 0], 'axis': [0, 'mod(i, 2)', '1 - mod(i, 2)']}}}";

static int same(int n) { return n; }
static int links_and_couplers(int n) { return 2 * n + 1; }
static int rails_and_rungs(int n) { return 3 * n; }

/* ---- places in the plane ------------------------------------------------------------------------------------------------ */

static void put(double *pose, double *twist, const double r[2], const double v[2], double angle, double w) {
  memcpy(pose, (double[]){r[0], r[1], angle}, 3 * sizeof *pose);
  memcpy(twist, (double[]){v[0], v[1], w}, 3 * sizeof *twist);
}

/* the end of a rod of 1 m */
static void end_of(const double *pose, const double *twist, double r[2], double v[2]) {
  const double c = cos(pose[2]), s = sin(pose[2]);
  r[0] = pose[0] + c, r[1] = pose[1] + s;
  v[0] = twist[0] - twist[2] * s, v[1] = twist[1] + twist[2] * c;
}

static void chain_at(int n, double s, double (*pose)[3], double (*twist)[3]) {
  double r[2] = {0, 0}, v[2] = {0, 0};
  for (int i = 0; i < n; i++) {
    put(pose[i], twist[i], r, v, -1 + 0.7 * sin(s + i), 0.7 * cos(s + i));
    end_of(pose[i], twist[i], r, v);
  }
}

static void tree_at(int n, double s, double (*pose)[3], double (*twist)[3]) {
  for (int i = 0; i < n; i++) {
    double r[2] = {0, 0}, v[2] = {0, 0};
    const int parent = (i + 1) / 2 - 1;
    if (parent >= 0) end_of(pose[parent], twist[parent], r, v);
    put(pose[i], twist[i], r, v, -1 + 0.7 * sin(s + i), 0.7 * cos(s + i));
  }
}

static void four_bars_at(int n, double s, double (*pose)[3], double (*twist)[3]) {
  static const double still[2] = {0, 0};
  for (int i = 0; i <= n; i++) put(pose[i], twist[i], (double[]){i, 0}, still, 1 + 0.5 * sin(s), 0.5 * cos(s));
  for (int i = 1; i <= n; i++) {
    double r[2], v[2];
    end_of(pose[i - 1], twist[i - 1], r, v);
    put(pose[n + i], twist[n + i], r, v, 0, 0);
  }
}

static void ladder_at(int n, double s, double (*pose)[3], double (*twist)[3]) {
  double r[2] = {0, 0}, v[2] = {0, 0};
  for (int i = 0; i < n; i++) {
    const double angle = 0.5 * sin(s + i), w = 0.5 * cos(s + i);
    put(pose[i], twist[i], r, v, angle, w);
    put(pose[n + i], twist[n + i], (double[]){r[0], r[1] + 1}, v, angle, w);
    end_of(pose[i], twist[i], r, v);
    put(pose[2 * n + i], twist[2 * n + i], r, v, 1.5707963267948966, 0);
  }
}

/* a joint's angle is 0 at the given pose */
static void plane_state(const tn_model *m, double (*pose)[3], double (*twist)[3], double *q, double *u) {
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    if (b->type) {
      memcpy(q + b->q, pose[i], sizeof *pose);
      memcpy(u + b->u, twist[i], sizeof *twist);
      continue;
    }
    const double sign = b->backwards ? -1 : 1;
    q[b->q] = sign * (pose[i][2] - b->pose.angle);
    u[b->u] = sign * twist[i][2];
    if (b->parent < 0) continue;
    q[b->q] -= sign * (pose[b->parent][2] - m->body[b->parent].pose.angle);
    u[b->u] -= sign * twist[b->parent][2];
  }
}

/* ---- the chain in space --------------------------------------------------------------------------------------------------- */

/* all axes of the given pose are the world's, and link i reaches from x = i to x = i + 1 */
static void spatial_state(const tn_model *m, double s, double *q, double *u) {
  double A[9], r[3] = {0, 0, 0}, v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
  tn_identity3(A);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const double axis[3] = {0, i % 2 == 0, i % 2 == 1}, angle = 0.4 * sin(s + i), rate = 0.4 * cos(s + i);
    double turn[9], B[9], e[4], axis_w[3], arm[3], across[3];
    tn_turn3(A, axis, axis_w);
    tn_axpy3(rate, axis_w, w);
    tn_rotation_about3(axis, angle, turn);
    tn_product3(A, turn, B);
    tn_rotation_quaternion(B, e); /* stays a rotation however long the chain */
    tn_quaternion_rotation(e, A);
    if (b->type) {
      memcpy(q + b->q, r, sizeof r);
      memcpy(q + b->q + 3, e, sizeof e);
      memcpy(u + b->u, v, sizeof v);
      memcpy(u + b->u + 3, w, sizeof w);
    } else {
      q[b->q] = angle;
      u[b->u] = rate;
    }
    tn_axis3(A, 0, arm);
    tn_axpy3(1, arm, r);
    tn_cross3(w, arm, across);
    tn_axpy3(1, across, v);
  }
}

const tn_case tn_cases[] = {
    {"planar-chain", chain_text, 100000, same, chain_at},
    {"spatial-chain", spatial_text, 100000, same, NULL},
    {"tree", tree_text, 100000, same, tree_at},
    {"n-four-bar", four_bars_text, 10000, links_and_couplers, four_bars_at},
    {"ladder", ladder_text, 10000, rails_and_rungs, ladder_at},
};
const int tn_cases_count = (int)(sizeof tn_cases / sizeof *tn_cases);

void tn_case_state(const tn_case *c, const tn_model *m, int n, double s, double *room, double *q, double *u) {
  double(*pose)[3] = (double(*)[3])(void *)room, (*twist)[3] = pose + m->bodies;
  if (!c->plane) {
    spatial_state(m, s, q, u);
    return;
  }
  c->plane(n, s, pose, twist);
  plane_state(m, pose, twist, q, u);
}

tn_status tn_case_describe(const tn_case *c, int n, bool relative, tn_desc *d, tn_error *e) {
  char text[4000];
  const size_t size = strlen(c->text);
  if (size >= sizeof text) return tn_fail(e, TN_E_INTERNAL, "the model of %s is longer than its room", c->name);
  for (size_t i = 0; i < size; i++) text[i] = (char)(c->text[i] == '\'' ? '"' : c->text[i]);
  tn_status status = tn_desc_parse(d, c->name, text, size, e);
  if (!status) status = tn_desc_number(d, "/constants/N", n, e);
  if (!status) status = tn_desc_text(d, "/coordinates", relative ? "relative" : "absolute", e);
  return status;
}
