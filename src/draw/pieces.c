/* Pieces that are drawn flat or as solids, depending on the drawing. */
#include "draw/maker.h"

void tn_piece_solid(tn_maker *k, int body, tn_role role, int color, int solid, const double at[3], const double A[9]) {
  if (solid < 0) return;
  tn_shape *s = tn_shape_new(k, body, role, color);
  if (!s) return;
  s->mesh = solid;
  memcpy(s->at, at, sizeof s->at);
  memcpy(s->A, A, sizeof s->A);
  if (k->m->dimension == 2) s->at[2] += tn_layer_height(k, body);
}

static void along(const double p[3], const double q[3], double middle[3], double z[3], double *length) {
  tn_sub3(q, p, z);
  *length = tn_norm3(z);
  for (int i = 0; i < 3; i++) {
    z[i] = *length > 0 ? z[i] / *length : i == 2;
    middle[i] = (p[i] + q[i]) / 2;
  }
}

void tn_piece_rod(tn_maker *k, int body, tn_role role, int color, const double p[3], const double q[3], double width) {
  if (k->flat) {
    tn_shape *s = tn_shape_new(k, body, role, color);
    if (!s || !(s->point = tn_maker_alloc(k, 4 * sizeof *s->point))) return;
    s->kind = TN_STROKE;
    s->points = 2;
    s->width = width;
    for (int i = 0; i < 2; i++) s->point[i] = p[i], s->point[2 + i] = q[i];
    return;
  }
  double middle[3], z[3], length, A[9];
  along(p, q, middle, z, &length);
  if (k->m->dimension == 3) {
    tn_frame_along3(z, NULL, A);
    tn_piece_solid(k, body, role, color, tn_solid_capsule(k, width / 2, length), middle, A);
    return;
  }
  tn_outline *o = &k->outline;
  double end[2][2] = {{-length / 2, 0}, {length / 2, 0}};
  tn_outline_start(o);
  tn_outline_hull(k, o, 2, end, width / 2);
  tn_rotation_about3((double[3]){0, 0, 1}, atan2(q[1] - p[1], q[0] - p[0]), A);
  tn_piece_plate(k, body, role, color, o, middle, A, 0, 1);
}

void tn_piece_disc(tn_maker *k, int body, tn_role role, int color, const double c[3], double radius) {
  static const double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (k->flat) {
    tn_shape *s = tn_shape_new(k, body, role, color);
    if (!s) return;
    s->kind = TN_DISC;
    s->center[0] = c[0], s->center[1] = c[1];
    s->radius = radius;
  } else if (k->m->dimension == 2) {
    const double h = k->thick / 2, rz[4][2] = {{0, -h}, {radius, -h}, {radius, h}, {0, h}};
    tn_piece_solid(k, body, role, color, tn_solid_lathe(k, 4, rz), c, A);
  } else {
    tn_piece_solid(k, body, role, color, tn_solid_ball(k, (double[3]){radius, radius, radius}), c, A);
  }
}

void tn_piece_plate(tn_maker *k, int body, tn_role role, int color, const tn_outline *o, const double at[3],
                    const double A[9], double thick, double scale) {
  if (k->failed) return;
  if (!k->flat) {
    const int solid = tn_solid_prism(k, o, thick > 0 ? thick : k->thick, scale);
    tn_piece_solid(k, body, role, color, solid, at, A);
    return;
  }
  tn_shape *s = tn_shape_new(k, body, role, color);
  if (!s) return;
  s->kind = TN_FILL;
  s->points = o->points;
  s->loops = o->loops;
  s->closed = true;
  s->point = tn_maker_alloc(k, 2 * sizeof *s->point * (size_t)o->points);
  s->loop = tn_maker_alloc(k, sizeof *s->loop * (size_t)o->loops);
  if (!s->point || !s->loop) return;
  memcpy(s->loop, o->loop, sizeof *s->loop * (size_t)o->loops);
  for (int i = 0; i < o->points; i++)
    for (int c = 0; c < 2; c++) s->point[2 * i + c] = at[c] + A[3 * c] * o->xy[2 * i] + A[3 * c + 1] * o->xy[2 * i + 1];
}

void tn_piece_box(tn_maker *k, int body, tn_role role, int color, const double size[3], const double at[3],
                  const double A[9]) {
  if (k->m->dimension == 3) {
    tn_piece_solid(k, body, role, color, tn_solid_box(k, size), at, A);
    return;
  }
  tn_outline *o = &k->outline;
  tn_outline_start(o);
  for (int i = 0; i < 4; i++)
    tn_outline_add(k, o, size[0] / 2 * (i == 1 || i == 2 ? 1 : -1), size[1] / 2 * (i >= 2 ? 1 : -1));
  tn_outline_close(k, o);
  tn_piece_plate(k, body, role, color, o, at, A, 0, 1);
}
