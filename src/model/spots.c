/* places on bodies: frames fixed there, from the world at the given pose or from body axes. */
#include "model/model.h"

static const tn_pose *pose_of(const tn_context *c, int body) {
  static const tn_pose ground = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return body == TN_GROUND ? &ground : &c->m->body[body].pose;
}

tn_spot tn_spot_origin(int body) { return (tn_spot){.body = body, .c = 1, .A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}; }

void tn_spot_turn(const tn_context *c, tn_spot *spot, double angle) {
  spot->angle = angle - pose_of(c, spot->body)->angle;
  spot->c = cos(spot->angle);
  spot->s = sin(spot->angle);
}

void tn_spot_turn3(const tn_context *c, tn_spot *spot, const double A[9]) {
  tn_t_product3(pose_of(c, spot->body)->A, A, spot->A);
}

static void along_world(const tn_context *c, tn_spot *spot) {
  static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  tn_spot_turn(c, spot, 0);
  tn_spot_turn3(c, spot, world);
}

static tn_status particle_at_origin(tn_context *c, const tn_node *node, const tn_spot *s) {
  if (s->body >= 0 && !c->m->body[s->body].oriented && tn_norm3(s->p) > TN_SAME_PLACE)
    return tn_refuse(c, node, "the particle '%s' can be held at its own place only", c->m->body[s->body].name);
  return TN_OK;
}

void tn_spot_from(const tn_context *c, const double place[3], int body, tn_spot *spot) {
  double d[3];
  const tn_pose *pose = pose_of(c, body);
  *spot = tn_spot_origin(body);
  tn_sub3(place, pose->r, d);
  if (c->m->dimension == 2) {
    const double cs = cos(pose->angle), sn = sin(pose->angle);
    spot->p[0] = cs * d[0] + sn * d[1];
    spot->p[1] = -sn * d[0] + cs * d[1];
  } else {
    tn_unturn3(pose->A, d, spot->p);
  }
  along_world(c, spot);
}

tn_status tn_spot_at(tn_context *c, const tn_node *node, int body, tn_spot *spot) {
  double place[3];
  TN_TRY(tn_place_at(c, node, place));
  tn_spot_from(c, place, body, spot);
  return particle_at_origin(c, node, spot);
}

tn_status tn_spot_on(tn_context *c, const tn_node *node, int body, tn_spot *spot) {
  *spot = tn_spot_origin(body);
  along_world(c, spot);
  if (node->kind == TN_NODE_TEXT)
    return tn_refuse(c, node, "coordinates in the axes of the body are needed here, not the name '%s'", node->text);
  TN_TRY(tn_vector_at(c, node, spot->p));
  return particle_at_origin(c, node, spot);
}

void tn_spot_place(const tn_context *c, const tn_spot *spot, double r[3]) {
  const tn_pose *pose = pose_of(c, spot->body);
  if (c->m->dimension == 2) {
    const double cs = cos(pose->angle), sn = sin(pose->angle);
    r[0] = pose->r[0] + cs * spot->p[0] - sn * spot->p[1];
    r[1] = pose->r[1] + sn * spot->p[0] + cs * spot->p[1];
    r[2] = 0;
  } else {
    tn_turn3(pose->A, spot->p, r);
    tn_axpy3(1, pose->r, r);
  }
}

void tn_spot_axes(const tn_context *c, const tn_spot *spot, double A[9]) {
  tn_product3(pose_of(c, spot->body)->A, spot->A, A);
}

void tn_spot_frame(const tn_context *c, const tn_spot *spot, tn_frame2 *f) {
  double r[3];
  memset(f, 0, sizeof *f);
  tn_spot_place(c, spot, r);
  f->r[0] = r[0];
  f->r[1] = r[1];
  f->angle = pose_of(c, spot->body)->angle + spot->angle;
  f->c = cos(f->angle);
  f->s = sin(f->angle);
}

void tn_spot_frame3(const tn_context *c, const tn_spot *spot, tn_frame3 *f) {
  memset(f, 0, sizeof *f);
  tn_spot_place(c, spot, f->r);
  tn_spot_axes(c, spot, f->A);
}

tn_status tn_between_at(tn_context *c, const tn_node *node, int body[2]) {
  const tn_node *between = tn_node_get(node, "between");
  if (!between) return tn_missing(c, node, "between");
  if (between->kind != TN_NODE_LIST || between->size != 2)
    return tn_refuse(c, between, "`between` must name two bodies");
  TN_TRY(tn_body_at(c, between->first, &body[0]));
  TN_TRY(tn_body_at(c, between->last, &body[1]));
  if (body[0] == body[1]) return tn_refuse(c, between, "the two bodies are the same, '%s'", between->first->text);
  return TN_OK;
}

tn_status tn_one_place(tn_context *c, const tn_node *node, const int body[2], int here, tn_spot spot[2]) {
  const tn_node *at = tn_node_get(node, "at"), *on = tn_node_get(node, "on_bodies");
  if (at && on) return tn_refuse(c, on, "give `at` or `on_bodies`, not both");
  if (on) {
    if (on->kind != TN_NODE_LIST || on->size != 2)
      return tn_refuse(c, on, "`on_bodies` needs a place on each of the two bodies");
    TN_TRY(tn_spot_on(c, on->first, body[0], &spot[0]));
    return tn_spot_on(c, on->last, body[1], &spot[1]);
  }
  tn_node its = {.kind = TN_NODE_TEXT};
  if (!at) {
    if (here == TN_GROUND) return tn_refuse(c, node, "`at` is missing: a place in the world at the given pose");
    its.text = c->m->body[here].name;
    at = &its;
  }
  TN_TRY(tn_spot_at(c, at, body[0], &spot[0]));
  return tn_spot_at(c, at, body[1], &spot[1]);
}

static bool is_particle(const tn_context *c, int body) { return body >= 0 && !c->m->body[body].oriented; }

/* two places, `at` [P, Q] in the world or `on_bodies` in body axes. a particle is held at its own place: it may be left out,
 * `at` [P] or [P, null] */
tn_status tn_two_places(tn_context *c, const tn_node *node, const int body[2], tn_spot spot[2]) {
  const tn_node *at = tn_node_get(node, "at"), *on = tn_node_get(node, "on_bodies"), *list = at ? at : on;
  if (at && on) return tn_refuse(c, on, "give `at` or `on_bodies`, not both");
  if (!list) {
    for (int i = 0; i < 2; i++) {
      for (int k = 0; !is_particle(c, body[i]) && k < 2; k++)
        if (tn_misspelt(node, k ? "on_bodies" : "at")) return tn_missing(c, node, k ? "on_bodies" : "at");
      if (!is_particle(c, body[i]))
        return tn_refuse(c, node, "two places are needed: `at` [P, Q] in the world, or `on_bodies` in body axes");
      spot[i] = tn_spot_origin(body[i]);
    }
    return TN_OK;
  }
  const bool particle[2] = {is_particle(c, body[0]), is_particle(c, body[1])};
  const bool one = list->kind == TN_NODE_LIST && list->size == 1 && particle[0] != particle[1];
  if (!one && (list->kind != TN_NODE_LIST || list->size != 2))
    return tn_refuse(c, list, "two places are needed here, one on each body");
  for (int i = 0; i < 2; i++) {
    const tn_node *place = i ? list->last : list->first;
    if (particle[i] && (one || place->kind == TN_NODE_NULL))
      spot[i] = tn_spot_origin(body[i]);
    else if (at)
      TN_TRY(tn_spot_at(c, place, body[i], &spot[i]));
    else
      TN_TRY(tn_spot_on(c, place, body[i], &spot[i]));
  }
  return TN_OK;
}
