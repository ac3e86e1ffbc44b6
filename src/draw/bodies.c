/* a body that names no shape: rods and plates between its places, else a thing of its inertia. and shapes that files give. */
#include "draw/maker.h"

/* ---- inertia ---- */

/* eigenvalues and, as columns of A, axes of a symmetric matrix, by Jacobi rotations */
static void principal(const double I[9], double value[3], double A[9]) {
  double a[9];
  memcpy(a, I, sizeof a);
  tn_identity3(A);
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[3 * p + q] == 0) continue;
        const double theta = (a[4 * q] - a[4 * p]) / (2 * a[3 * p + q]);
        const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1);
        for (int i = 0; i < 3; i++) {
          const double x = a[3 * i + p], y = a[3 * i + q], u = A[3 * i + p], v = A[3 * i + q];
          a[3 * i + p] = c * (x - t * y);
          a[3 * i + q] = c * (t * x + y);
          A[3 * i + p] = c * (u - t * v);
          A[3 * i + q] = c * (t * u + v);
        }
        for (int i = 0; i < 3; i++) {
          const double x = a[3 * p + i], y = a[3 * q + i];
          a[3 * p + i] = c * (x - t * y);
          a[3 * q + i] = c * (t * x + y);
        }
      }
  for (int i = 0; i < 3; i++) value[i] = a[4 * i];
  if (tn_triple3((double[3]){A[0], A[3], A[6]}, (double[3]){A[1], A[4], A[7]}, (double[3]){A[2], A[5], A[8]}) < 0)
    for (int i = 0; i < 3; i++) A[3 * i] = -A[3 * i];
}

/* a shape on a joint must not hide its surroundings */
static double limited(const tn_maker *k, int body, double size) {
  return fmin(fmax(size, 0.5 * k->width), (k->places[body].n && k->by_places ? 0.25 : 1.5) * k->typical);
}

/* the uniform disc or box that has this inertia */
static void draw_inertia(tn_maker *k, int body) {
  const tn_body *b = &k->m->body[body];
  if (!(b->mass > 0)) {
    tn_piece_disc(k, body, TN_ROLE_BODY, -1, b->center, 0.5 * k->width);
  } else if (k->m->dimension == 2) {
    tn_piece_disc(k, body, TN_ROLE_BODY, -1, b->center, limited(k, body, sqrt(2 * b->inertia / b->mass)));
  } else {
    double value[3], A[9], size[3];
    principal(b->tensor, value, A);
    for (int i = 0; i < 3; i++) {
      const double square = 6 * (value[(i + 1) % 3] + value[(i + 2) % 3] - value[i]) / b->mass;
      size[i] = limited(k, body, square > 0 ? sqrt(square) : 0);
    }
    tn_piece_box(k, body, TN_ROLE_BODY, -1, size, b->center, A);
  }
}

/* ---- places ---- */

/* a plate in the plane of its places, or false: they lie in none */
static bool plate_in_space(tn_maker *k, int body, int n, double (*p)[3], double width) {
  double x[3], y[3] = {0}, z[3], A[9], far = 0, e[3];
  int other = 0;
  for (int i = 1; i < n; i++) {
    tn_sub3(p[i], p[0], e);
    if (tn_norm3(e) > far) far = tn_norm3(e), other = i;
  }
  tn_sub3(p[other], p[0], x);
  for (int i = 0; i < 3; i++) x[i] /= far;
  double off = 0;
  for (int i = 1; i < n; i++) {
    tn_sub3(p[i], p[0], e);
    tn_axpy3(-tn_dot3(e, x), x, e);
    if (tn_norm3(e) > off) off = tn_norm3(e), memcpy(y, e, sizeof y);
  }
  if (off < 0.02 * far) { /* all on one line: from end to end */
    int first = 0;
    double most = 0;
    for (int i = 0; i < n; i++) {
      tn_sub3(p[i], p[other], e);
      if (tn_norm3(e) > most) most = tn_norm3(e), first = i;
    }
    tn_piece_rod(k, body, TN_ROLE_BODY, -1, p[first], p[other], width);
    return true;
  }
  for (int i = 0; i < 3; i++) y[i] /= off;
  tn_cross3(x, y, z);
  double(*flat)[2] = tn_maker_alloc(k, sizeof *flat * (size_t)n);
  if (!flat) return true;
  for (int i = 0; i < n; i++) {
    tn_sub3(p[i], p[0], e);
    if (fabs(tn_dot3(e, z)) > 0.25 * width) return false;
    flat[i][0] = tn_dot3(e, x);
    flat[i][1] = tn_dot3(e, y);
  }
  for (int i = 0; i < 3; i++) A[3 * i] = x[i], A[3 * i + 1] = y[i], A[3 * i + 2] = z[i];
  tn_outline_start(&k->outline);
  tn_outline_hull(k, &k->outline, n, flat, width / 2);
  tn_piece_plate(k, body, TN_ROLE_BODY, -1, &k->outline, p[0], A, 0.5 * width, 1);
  return true;
}

static void draw_places(tn_maker *k, int body, int n, double (*p)[3], double width) {
  static const double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0};
  if (n == 2) {
    tn_piece_rod(k, body, TN_ROLE_BODY, -1, p[0], p[1], width);
  } else if (k->m->dimension == 2) {
    double(*flat)[2] = tn_maker_alloc(k, sizeof *flat * (size_t)n);
    if (!flat) return;
    for (int i = 0; i < n; i++) flat[i][0] = p[i][0], flat[i][1] = p[i][1];
    tn_outline_start(&k->outline);
    tn_outline_hull(k, &k->outline, n, flat, width / 2);
    tn_piece_plate(k, body, TN_ROLE_BODY, -1, &k->outline, origin, A, 0, 1);
  } else if (!plate_in_space(k, body, n, p, width)) { /* a star about their middle */
    double middle[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) tn_axpy3(1.0 / n, p[i], middle);
    for (int i = 0; i < n; i++) tn_piece_rod(k, body, TN_ROLE_BODY, -1, middle, p[i], width);
    tn_piece_disc(k, body, TN_ROLE_BODY, -1, middle, 0.8 * width);
  }
}

/* distance of c from the line between p and q */
static double off_rod(const double p[3], const double q[3], const double c[3]) {
  double d[3], e[3];
  tn_sub3(q, p, d);
  tn_sub3(c, p, e);
  const double l2 = tn_dot3(d, d), t = l2 > 0 ? fmin(fmax(tn_dot3(d, e) / l2, 0), 1) : 0;
  tn_axpy3(-t, d, e);
  return tn_norm3(e);
}

void tn_draw_body(tn_maker *k, int body) {
  const tn_body *b = &k->m->body[body];
  const tn_places *at = &k->places[body];
  const double width = tn_width_for(k, at->extent);
  double e[3];
  if (!b->oriented) {
    tn_piece_disc(k, body, TN_ROLE_POINT, -1, b->center, 0.7 * k->width);
    return;
  }
  double(*p)[3] = tn_maker_alloc(k, sizeof *p * (size_t)(at->n + 1));
  if (!p) return;
  memcpy(p, at->p, sizeof *p * (size_t)at->n);
  int n = at->n;
  if (n == 1) {
    tn_sub3(b->center, p[0], e);
    if (b->mass > 0 && tn_norm3(e) > 0.02 * k->typical) {
      tn_piece_rod(k, body, TN_ROLE_BODY, -1, p[0], b->center, width);
      tn_piece_disc(k, body, TN_ROLE_BODY, -1, b->center, width);
      return;
    }
  }
  if (n < 2) {
    if (!k->dressed[body]) draw_inertia(k, body);
    return;
  }
  if (n == 2 && b->mass > 0 && off_rod(p[0], p[1], b->center) > 0.15 * at->extent) memcpy(p[n++], b->center, sizeof *p);
  draw_places(k, body, n, p, width);
}

/* ---- shapes that are given ---- */

static void draw_polyline(tn_maker *k, const tn_draw *g, tn_role role) {
  const double width = g->width > 0 ? g->width : 0.5 * tn_width_for(k, k->typical);
  double *p = tn_maker_alloc(k, 3 * sizeof *p * (size_t)(g->points + 1));
  if (!p) return;
  for (int i = 0; i < g->points; i++) {
    tn_turn3(g->A, g->point + 3 * i, p + 3 * i);
    tn_axpy3(1, g->at, p + 3 * i);
  }
  static const double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0};
  if (k->flat) {
    tn_shape *s = tn_shape_new(k, g->body, role, g->color);
    if (!s || !(s->point = tn_maker_alloc(k, 2 * sizeof *s->point * (size_t)g->points))) return;
    s->kind = TN_STROKE;
    s->points = g->points;
    s->closed = g->closed;
    s->width = width;
    for (int i = 0; i < g->points; i++) s->point[2 * i] = p[3 * i], s->point[2 * i + 1] = p[3 * i + 1];
  } else if (k->m->dimension == 2 && g->points <= 200) {
    memcpy(p + 3 * g->points, p, 3 * sizeof *p);
    for (int i = 0; i + 1 < g->points + (g->closed != 0); i++)
      tn_piece_rod(k, g->body, role, g->color, p + 3 * i, p + 3 * i + 3, width);
  } else {
    const double radius = k->m->dimension == 2 ? k->thick / 2 : width / 2;
    tn_piece_solid(k, g->body, role, g->color, tn_solid_tube(k, g->points, p, g->closed, radius), origin, A);
  }
}

tn_status tn_draw_given(tn_maker *k, const tn_draw *g) {
  const tn_role role = g->body == TN_GROUND ? TN_ROLE_GROUND : g->given ? TN_ROLE_GIVEN : TN_ROLE_BODY;
  const bool plane = k->m->dimension == 2;
  double p[3], q[3], z[3];
  switch (g->figure) {
  case TN_BOX: tn_piece_box(k, g->body, role, g->color, g->box, g->at, g->A); break;
  case TN_SPHERE:
    if (g->radius > 0)
      tn_piece_disc(k, g->body, role, g->color, g->at, g->radius);
    else
      tn_piece_disc(k, g->body, TN_ROLE_POINT, -1, g->at, 0.7 * k->width);
    break;
  case TN_CYLINDER:
    if (plane) {
      tn_piece_disc(k, g->body, role, g->color, g->at, g->radius);
    } else {
      const double r = g->radius, h = g->length / 2, rz[4][2] = {{0, -h}, {r, -h}, {r, h}, {0, h}};
      tn_piece_solid(k, g->body, role, g->color, tn_solid_lathe(k, 4, rz), g->at, g->A);
    }
    break;
  case TN_CAPSULE:
    if (!plane) {
      tn_piece_solid(k, g->body, role, g->color, tn_solid_capsule(k, g->radius, g->length), g->at, g->A);
      break;
    }
    tn_axis3(g->A, 0, z);
    for (int i = 0; i < 3; i++) p[i] = g->at[i] - g->length / 2 * z[i], q[i] = g->at[i] + g->length / 2 * z[i];
    tn_piece_rod(k, g->body, role, g->color, p, q, 2 * g->radius);
    break;
  case TN_POLYLINE: draw_polyline(k, g, role); break;
  case TN_MESH: return tn_draw_mesh(k, g);
  }
  return TN_OK;
}
