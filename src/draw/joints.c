/* The marks of joints: rails and blocks, rollers, floors, blades; and feet where the ground holds a body. Wheels are in gears.c. */
#include "draw/maker.h"

static const double SAME_FLOOR_TILT = 1e-9; /* 1: 1 - the cosine of the angle of two floors that are one */
/* of the size of a typical body: the distance of two floors that are one */
static const double SAME_FLOOR_HEIGHT = 1e-3;

/* axes with x along a direction of the body, in the plane about z */
static void axes_along(const tn_maker *k, const double e[3], const double *up, double A[9]) {
  if (k->m->dimension == 2) {
    tn_rotation_about3((double[3]){0, 0, 1}, atan2(e[1], e[0]), A);
    return;
  }
  double B[9], z[3], y[3];
  tn_frame_along3(e, up, B); /* z along e, x near up */
  tn_axis3(B, 0, z);
  tn_cross3(z, e, y);
  for (int i = 0; i < 3; i++) A[3 * i] = e[i], A[3 * i + 1] = y[i], A[3 * i + 2] = z[i];
}

/* how far a rail goes, from its place: along its own body if that has a length, else about as far as the parts reach */
static void rail_ends(const tn_maker *k, int body, const double at[3], const double e[3], double end[2]) {
  double reach = 0;
  for (int i = 0; i < 3; i++) reach = fmax(reach, k->box[1][i] - k->box[0][i]);
  const double h = fmin(fmax(0.8 * reach, 4 * k->width), 2.5 * k->typical);
  end[0] = -h, end[1] = h;
  if (body < 0 || !(k->places[body].extent > 4 * k->width)) return;
  end[0] = end[1] = 0;
  for (int i = 0; i < k->places[body].n; i++) {
    double d[3];
    tn_sub3(k->places[body].p[i], at, d);
    end[0] = fmin(end[0], tn_dot3(d, e));
    end[1] = fmax(end[1], tn_dot3(d, e));
  }
  const double more = fmax(0.35 * (end[1] - end[0]), 3 * k->width);
  if (end[0] < -2 * k->width && end[1] <= 2 * k->width)
    end[1] += more, end[0] -= k->width; /* the far end: it has its own end already */
  else if (end[1] > 2 * k->width && end[0] >= -2 * k->width)
    end[0] -= more, end[1] += k->width;
  else
    end[0] -= more, end[1] += more;
}

static void draw_rail(tn_maker *k, const tn_marked *s, double at[3], const double e[3]) {
  double end[2], p[3], q[3];
  if (k->travel && k->travel[s->joint][0] <= k->travel[s->joint][1]) { /* as far as it is used */
    const double *from = k->m->joint[s->joint].spot[0].p, more = 2.5 * k->width;
    for (int i = 0; i < 3; i++) p[i] = from[i] + (k->travel[s->joint][0] - more) * e[i];
    for (int i = 0; i < 3; i++) q[i] = from[i] + (k->travel[s->joint][1] + more) * e[i];
    tn_piece_rod(k, s->body, TN_ROLE_RAIL, -1, p, q, 0.35 * k->width);
    return;
  }
  if (s + 1 < k->seen + k->seens && s[1].joint == s->joint) { /* about where the other is */
    tn_to_body(k, s->body, s[1].mark.at, p);
    tn_sub3(p, at, q);
    tn_axpy3(tn_dot3(q, e), e, at);
  }
  rail_ends(k, s->body, at, e, end);
  for (int i = 0; i < 3; i++) p[i] = at[i] + end[0] * e[i], q[i] = at[i] + end[1] * e[i];
  tn_piece_rod(k, s->body, TN_ROLE_RAIL, -1, p, q, 0.35 * k->width);
}

static void draw_floor(tn_maker *k, const tn_marked *s, const double at[3], const double n[3]) {
  /* one floor for all that roll on it */
  for (const tn_marked *o = k->seen; o < s; o++) {
    double p[3], m[3], d[3];
    if (o->mark.kind != TN_MARK_FLOOR || o->body != s->body) continue;
    tn_to_body(k, o->body, o->mark.at, p);
    tn_turn_to_body(k, o->body, o->mark.axis, m);
    tn_sub3(at, p, d);
    if (tn_dot3(m, n) > 1 - SAME_FLOOR_TILT && fabs(tn_dot3(d, n)) < SAME_FLOOR_HEIGHT * k->typical) return;
  }
  double reach = 0, A[9], c[3];
  for (int i = 0; i < 3; i++) reach = fmax(reach, k->box[1][i] - k->box[0][i]);
  /* a rolling body goes far; a body that only stands on the floor is on its middle */
  const bool rolls = k->m->joint[s->joint].type->symbol == TN_SYM_WHEEL;
  const double half = rolls ? 0.7 * reach + 3 * k->typical : fmax(0.8 * reach, 1.2 * k->typical),
               thick = 0.15 * k->width;
  double middle[3], d[3];
  memcpy(c, at, sizeof c);
  if (!rolls) {
    for (int i = 0; i < 3; i++) d[i] = (k->box[0][i] + k->box[1][i]) / 2;
    tn_to_body(k, s->body, d, middle);
    tn_sub3(middle, at, d);
    tn_axpy3(1, d, c);
    tn_axpy3(-tn_dot3(d, n), n, c);
  }
  const double size[3] = {2 * half, 2 * half, thick};
  tn_frame_along3(n, NULL, A);
  tn_axpy3(-thick / 2, n, c);
  tn_piece_box(k, s->body, s->body < 0 ? TN_ROLE_GROUND : TN_ROLE_RAIL, -1, size, c, A);
}

static void draw_mark(tn_maker *k, const tn_marked *s) {
  const double w = k->width;
  double at[3], e[3], A[9], up[3], c[3];
  tn_to_body(k, s->body, s->mark.at, at);
  tn_turn_to_body(k, s->body, s->mark.axis, e);
  switch (s->mark.kind) {
  case TN_MARK_RAIL: draw_rail(k, s, at, e); break;
  case TN_MARK_BLOCK:
    axes_along(k, e, NULL, A);
    tn_piece_box(k, s->body, TN_ROLE_SLIDER, -1, (double[3]){2.6 * w, 1.6 * w, 1.6 * w}, at, A);
    break;
  case TN_MARK_ROLLER: tn_piece_disc(k, s->body, TN_ROLE_SLIDER, -1, at, 0.65 * w); break;
  case TN_MARK_BALL: {
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *B = s->body >= 0 ? k->m->joint[s->joint].spot[s->mark.frame].A : one;
    tn_piece_solid(k, s->body, TN_ROLE_BODY, -1, tn_solid_ball(k, s->mark.size), at, B);
    break;
  }
  case TN_MARK_FLOOR: draw_floor(k, s, at, e); break;
  case TN_MARK_BLADE:
    tn_turn_to_body(k, s->body, s->mark.toward, up);
    axes_along(k, e, up, A);
    for (int i = 0; i < 3; i++) c[i] = at[i] + (k->m->dimension == 3 ? 0.5 * w * up[i] : 0);
    tn_piece_box(k, s->body, TN_ROLE_SLIDER, -1, (double[3]){3 * w, 0.25 * w, w}, c,
                 A); /* in the plane seen from above */
    break;
  case TN_MARK_WHEEL:
  case TN_MARK_RACK: break;
  }
}

/* a foot under a place that the ground holds; its top is round about it */
static void draw_foot(tn_maker *k, const double at[3]) {
  const double w = k->width;
  double A[9];
  if (k->m->dimension == 3) {
    const double up[3] = {-k->down[0], -k->down[1], -k->down[2]};
    const double rz[5][2] = {
        {0, -1.9 * w}, {1.25 * w, -1.9 * w}, {1.25 * w, -1.65 * w}, {0.45 * w, -0.3 * w}, {0, -0.3 * w}};
    tn_frame_along3(up, NULL, A);
    tn_piece_solid(k, TN_GROUND, TN_ROLE_GROUND, -1, tn_solid_lathe(k, 5, rz), at, A);
    return;
  }
  enum { ARC = 16 };
  double p[ARC + 4][2];
  for (int i = 0; i < ARC; i++) {
    p[i][0] = 0.62 * w * cos(2 * TN_PI * i / ARC);
    p[i][1] = 0.62 * w * sin(2 * TN_PI * i / ARC);
  }
  for (int i = 0; i < 4; i++) {
    p[ARC + i][0] = (i % 2 ? 1.2 : -1.2) * w;
    p[ARC + i][1] = (i / 2 ? -1.75 : -1.6) * w;
  }
  tn_outline_start(&k->outline);
  tn_outline_hull(k, &k->outline, ARC + 4, p, 0);
  tn_rotation_about3((double[3]){0, 0, 1}, atan2(k->down[0], -k->down[1]), A);
  tn_piece_plate(k, TN_GROUND, TN_ROLE_GROUND, -1, &k->outline, at, A, 0, 1);
}

static void draw_feet(tn_maker *k) {
  const tn_model *m = k->m;
  double(*foot)[3] = tn_maker_alloc(k, sizeof *foot * (size_t)(2 * m->joints + m->bodies + 1));
  int n = 0;
  if (!foot) return;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (!k->d->sign[i].placed || j->type->symbol == TN_SYM_WHEEL || j->type->symbol == TN_SYM_SLIDE) continue;
    if (j->type->symbol == TN_SYM_OTHER && j->type->seat != TN_SEAT_TWO) continue;
    for (int f = 0; f < 2; f++)
      if (j->spot[f].body == TN_GROUND) memcpy(foot[n++], j->spot[f].p, sizeof *foot);
  }
  for (int i = 0; i < m->bodies; i++)
    if (m->body[i].type && m->body[i].type->on_parent && m->body[i].parent == TN_GROUND)
      memcpy(foot[n++], m->body[i].pivot.p, sizeof *foot);
  for (int i = 0; i < n; i++) {
    bool there = false;
    for (int j = 0; j < i && j < 4000 && !there; j++) {
      double d[3];
      tn_sub3(foot[i], foot[j], d);
      there = tn_norm3(d) < 0.1 * k->width;
    }
    if (!there) draw_foot(k, foot[i]);
  }
}

void tn_draw_joints(tn_maker *k) {
  if (!k->m->ground_drawn) draw_feet(k);
  for (int i = 0; i < k->seens && !k->failed; i++) {
    const tn_marked *s = &k->seen[i];
    if (s->body < 0 ? k->m->ground_drawn : k->shaped[s->body]) continue;
    draw_mark(k, s);
  }
}
