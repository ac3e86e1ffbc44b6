/* the orientation of a body at the given pose: `angle` in the plane; in space one of `quaternion`, `axis_angle`, `euler`,
 * `axes`. */
#include "model/model.h"

static tn_status from_quaternion(tn_context *c, const tn_node *node, double A[9]) {
  double e[4];
  TN_TRY(tn_numbers_at(c, node, 4, e));
  const double n = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  if (!(fabs(n - 1) <= TN_GIVEN_DIRECTION)) {
    tn_refuse(c, node, "a quaternion has length 1, this one %.9g", n);
    tn_hint(c->e, "[w, x, y, z], the cosine of half the angle first");
    return TN_E_MODEL;
  }
  tn_quaternion_rotation(e, A);
  return TN_OK;
}

static tn_status from_axis_angle(tn_context *c, const tn_node *node, double A[9]) {
  double axis[3], angle;
  if (node->kind != TN_NODE_LIST || node->size != 2)
    return tn_refuse(c, node, "`axis_angle` is a list of a direction and an angle: [\"z\", \"30*deg\"]");
  TN_TRY(tn_direction_at(c, node->first, axis));
  TN_TRY(tn_number_at(c, node->last, &angle));
  tn_warn_angle(c, node->last);
  tn_rotation_about3(axis, angle, A);
  return TN_OK;
}

/* {"zxy": [a, b, c]} is Rz(a) Rx(b) Ry(c) */
static tn_status from_euler(tn_context *c, const tn_node *node, double A[9]) {
  double angle[3];
  if (node->kind != TN_NODE_OBJECT || node->size != 1)
    return tn_refuse(c, node, "`euler` is an object with one sequence: {\"zxz\": [a, b, c]}");
  const char *s = node->first->key;
  bool good = strlen(s) == 3 && s[0] != s[1] && s[1] != s[2];
  for (int i = 0; good && i < 3; i++) good = s[i] >= 'x' && s[i] <= 'z';
  if (!good) {
    tn_refuse_key(c, node->first, "'%.20s' is not a sequence of axes", s);
    tn_hint(c->e, "three of x, y, z, neighbours different, about the moving axes in the order written: \"zxz\"");
    return TN_E_MODEL;
  }
  TN_TRY(tn_numbers_at(c, node->first, 3, angle));
  for (int i = 0; i < 3; i++) {
    double e[3] = {0, 0, 0}, turn[9], before[9];
    e[s[i] - 'x'] = 1;
    memcpy(before, A, sizeof before);
    tn_rotation_about3(e, angle[i], turn);
    tn_product3(before, turn, A);
  }
  for (const tn_node *k = node->first->first; k; k = k->next) tn_warn_angle(c, k);
  return TN_OK;
}

static tn_status from_axes(tn_context *c, const tn_node *node, double A[9]) {
  double e[3][3];
  bool given[3] = {false, false, false};
  int missing = 0;
  if (node->kind != TN_NODE_OBJECT || node->size != 2)
    return tn_refuse(c, node, "`axes` names two of the body's axes: {\"x\": .., \"z\": ..}");
  for (const tn_node *k = node->first; k; k = k->next) {
    if (!k->key[0] || k->key[1] || k->key[0] < 'x' || k->key[0] > 'z')
      return tn_refuse_key(c, k, "the axes of a body are x, y and z, not '%.20s'", k->key);
    TN_TRY(tn_direction_at(c, k, e[k->key[0] - 'x']));
    given[k->key[0] - 'x'] = true;
  }
  while (given[missing]) missing++;
  const int i = (missing + 1) % 3, j = (missing + 2) % 3;
  const double dot = tn_dot3(e[i], e[j]);
  if (!(fabs(dot) <= TN_GIVEN_DIRECTION))
    return tn_refuse(c, node, "the two axes are not perpendicular: the cosine of their angle is %.3g", dot);
  /* the first of the two stays, the second is made exactly normal to it */
  tn_cross3(e[i], e[j], e[missing]);
  const double n = tn_norm3(e[missing]);
  for (int k = 0; k < 3; k++) e[missing][k] /= n;
  tn_cross3(e[missing], e[i], e[j]);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) A[3 * k + l] = e[l][k];
  return TN_OK;
}

tn_status tn_orientation_at(tn_context *c, const tn_node *body, tn_pose *pose, const tn_node **turn) {
  static const struct {
    const char *key;
    tn_status (*read)(tn_context *, const tn_node *, double *);
  } ways[] = {
      {"quaternion", from_quaternion}, {"axis_angle", from_axis_angle}, {"euler", from_euler}, {"axes", from_axes}};
  const tn_node *angle = tn_node_get(body, "angle");
  const bool plane = c->m->dimension == 2;
  *turn = angle;
  if (angle && !plane) {
    tn_refuse_key(c, angle, "`angle` is for bodies in the plane");
    tn_hint(c->e, "in space: quaternion, axis_angle, euler or axes");
    return TN_E_MODEL;
  }
  if (angle) {
    TN_TRY(tn_number_at(c, angle, &pose->angle));
    tn_warn_angle(c, angle);
  }
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const tn_node *node = tn_node_get(body, ways[i].key);
    if (!node) continue;
    if (plane) return tn_refuse_key(c, node, "`%s` is for bodies in space, in the plane there is `angle`", ways[i].key);
    if (*turn)
      return tn_refuse_key(c, node, "the orientation is given twice, by `%s` and `%s`", (*turn)->key, node->key);
    *turn = node;
    TN_TRY(ways[i].read(c, node, pose->A));
    for (int k = 0; k < 9; k++)
      if (!isfinite(pose->A[k])) return tn_refuse(c, node, "the orientation is not a finite number");
  }
  return TN_OK;
}
