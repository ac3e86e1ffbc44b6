/* Wheels, rings and racks with their teeth. Where two of them meet in the initial configuration, a tooth of one is in a gap of the other:
 *   (1) teeth of a wheel are at angles phi + i 2 pi/n about its axis; phi is chosen for the first of those that mesh
 *   (2) P seen from its centre at the angle alpha: along the tangent t = z x (P - O)/r the nearest tooth is (phi - alpha) r from P, in
 *       pitches -u, u = (alpha - phi) n/(2 pi)
 *   (3) the other, whose tangent there is s t, s = +-1: -s u_b = -u_a + 1/2, so phi_b = alpha_b - s (u_a - 1/2) 2 pi/n_b
 *   (4) flanks are involutes, pressure angle a0 = 20 degrees: half a tooth at the radius rho is the angle
 *       b pi/(2 n) + inv a0 - inv acos(r cos a0/rho), inv x = tan x - x, b = 0.97 for some play; a ring has the gaps of that, b = 1.03
 * numbers of teeth that are no whole numbers are multiplied until they are. */
#include "draw/maker.h"

static const double WHOLE_TEETH = 1e-6; /* of a number of teeth: it is whole to this */

enum { LEAST_TEETH = 12, MOST_TEETH = 400, ANY_TEETH = 24 };

typedef struct wheel {
  int body, next;           /* next wheel of this body */
  double at[3], x[3], z[3]; /* at the given pose, world: centre, towards where it first meets another, axis */
  double radius, teeth;     /* as the joint says */
  int count;                /* of teeth drawn; 0: it is smooth, -1: not known yet */
  bool internal, cone, settled;
  double apex[3], phase;
  int part; /* wheels that mesh have the same: of solids of the plane, one level */
} wheel;

typedef struct mesh {
  int a, b;            /* wheels; b -1: a rack */
  const tn_marked *of; /* the marks of both */
  bool done;
  double shift; /* of a rack: where a tooth is, along its axis from P */
} mesh;

typedef struct works {
  int wheels, meshes;
  wheel *wheel;
  mesh *mesh;
  int *first; /* bodies and ground: a wheel of it + 1 */
} works;

static bool near3(const double a[3], const double b[3], double tolerance) {
  double d[3];
  tn_sub3(a, b, d);
  return tn_norm3(d) <= tolerance;
}

static int wheel_of(tn_maker *k, works *w, const tn_marked *s) {
  const tn_mark *m = &s->mark;
  int *first = &w->first[s->body < 0 ? k->m->bodies : s->body];
  for (int i = *first - 1; i >= 0; i = w->wheel[i].next) {
    wheel *o = &w->wheel[i];
    if (!near3(o->at, m->at, TN_UNDRAWN * m->radius) || !near3(o->z, m->axis, TN_UNDRAWN)) continue;
    if (fabs(o->radius - m->radius) > TN_UNDRAWN * m->radius || o->internal != m->internal || o->cone != m->cone)
      continue;
    if (o->teeth > 0 && m->teeth > 0 && o->teeth != m->teeth) continue;
    if (!(o->teeth > 0) && m->teeth != 0) o->teeth = m->teeth;
    return i;
  }
  wheel *o = &w->wheel[w->wheels];
  *o = (wheel){.body = s->body,
               .next = *first - 1,
               .radius = m->radius,
               .teeth = m->teeth,
               .count = m->teeth == 0 ? 0 : -1,
               .internal = m->internal,
               .cone = m->cone,
               .part = w->wheels};
  memcpy(o->at, m->at, sizeof o->at);
  memcpy(o->z, m->axis, sizeof o->z);
  memcpy(o->apex, m->apex, sizeof o->apex);
  for (int i = 0; i < 3; i++) o->x[i] = m->teeth != 0 ? m->toward[i] / m->radius : 0;
  if (m->teeth == 0) {
    double A[9];
    tn_frame_along3(o->z, NULL, A);
    tn_axis3(A, 0, o->x);
  }
  *first = w->wheels + 1;
  return w->wheels++;
}

static double angle_of(const wheel *w, const double toward[3]) {
  double y[3];
  tn_cross3(w->z, w->x, y);
  return atan2(tn_dot3(y, toward), tn_dot3(w->x, toward));
}

/* whole numbers of teeth in the ratio of a and b, enough of them to be seen as a wheel */
static void counts(double a, double b, int *na, int *nb) {
  *na = *nb = 0;
  for (int f = 1; f <= MOST_TEETH && f * fmax(a, b) <= MOST_TEETH + 0.5; f++) {
    const double x = f * a, y = f * b;
    if (fmin(x, y) < LEAST_TEETH - 0.5) continue;
    if (fabs(x - round(x)) > WHOLE_TEETH * x || fabs(y - round(y)) > WHOLE_TEETH * y) continue;
    *na = (int)round(x);
    *nb = (int)round(y);
    return;
  }
}

static void settle_mesh(works *w, mesh *m) {
  wheel *a = &w->wheel[m->a], *b = m->b >= 0 ? &w->wheel[m->b] : NULL;
  const tn_mark *ma = &m->of[0].mark, *mb = &m->of[1].mark;
  if (b && b->settled && !a->settled) { /* the settled one first */
    wheel *o = a;
    a = b, b = o;
    const tn_mark *om = ma;
    ma = mb, mb = om;
  }
  m->done = true;
  if (!a->settled) {
    int other = 0;
    if (b)
      counts(ma->teeth, mb->teeth, &a->count, &other);
    else if (a->teeth > 0)
      counts(a->teeth, a->teeth, &a->count, &other);
    else
      a->count = ANY_TEETH;
    a->settled = true;
    a->phase = 0;
  }
  double t[3], tb[3];
  tn_cross3(a->z, ma->toward, t);
  const double u = a->count ? (angle_of(a, ma->toward) - a->phase) * a->count / (2 * TN_PI) : 0;
  if (!b) {
    const double s = tn_dot3(t, mb->axis) > 0 ? 1 : -1;
    m->shift = a->count ? -s * (u - 0.5) * 2 * TN_PI * a->radius / a->count : 0;
    return;
  }
  if (b->settled) return; /* a ring of wheels: it fits, or no phase does */
  const double n = a->count * mb->teeth / ma->teeth;
  b->count = n >= 3 && n <= MOST_TEETH && fabs(n - round(n)) < WHOLE_TEETH * n ? (int)round(n) : 0;
  b->settled = true;
  tn_cross3(b->z, mb->toward, tb);
  const double s = tn_dot3(t, tb) > 0 ? 1 : -1;
  if (b->count) b->phase = angle_of(b, mb->toward) - s * (u - 0.5) * 2 * TN_PI / b->count; /* (3) */
}

/* ---- shapes ---- */

static const double A0 = 20 * TN_PI / 180;

static double inv(double x) { return tan(x) - x; }

static double half_tooth(const wheel *w, double rho) { /* (4) */
  const double base = w->radius * cos(A0), past = inv(A0) - (rho > base ? inv(acos(base / rho)) : 0);
  const double half = (w->internal ? 1.03 : 0.97) * TN_PI / (2 * w->count) + past;
  return fmax(w->internal ? TN_PI / w->count - half : half, 0.02 * TN_PI / w->count);
}

/* the toothed loop, counterclockwise, or clockwise as a hole */
static void toothed(tn_maker *k, tn_outline *o, const wheel *w, bool hole) {
  static const double height[] = {-1.1, -0.5, 0, 0.5, 0.95}; /* of points of a flank, in modules */
  enum { FLANK = sizeof height / sizeof *height };
  const double m = 2 * w->radius / w->count, out = w->internal ? -1 : 1;
  for (int i = 0; i < w->count; i++)
    for (int j = 0; j < 2 * FLANK; j++) { /* up one flank, down the other */
      const double rho = w->radius + out * m * height[j < FLANK ? j : 2 * FLANK - 1 - j], half = half_tooth(w, rho);
      const double a =
          w->phase + 2 * TN_PI * (hole ? w->count - i : i) / w->count + (hole ? -1 : 1) * (j < FLANK ? -half : half);
      tn_outline_add(k, o, rho * cos(a), rho * sin(a));
    }
  tn_outline_close(k, o);
}

static void circle(tn_maker *k, tn_outline *o, double r) {
  const int n = 72;
  for (int i = 0; i < n; i++) tn_outline_add(k, o, r * cos(2 * TN_PI * i / n), r * sin(2 * TN_PI * i / n));
  tn_outline_close(k, o);
}

/* openings between spokes: a wheel that turns is seen to */
static void windows(tn_maker *k, tn_outline *o, double rim, double from) {
  enum { SPOKES = 5, STEPS = 8 };
  const double hub = 0.34 * rim, half = 0.085 * rim, r[2] = {0.8 * rim, hub};
  for (int s = 0; s < SPOKES; s++) {
    for (int edge = 0; edge < 2; edge++) {
      const double a = asin(half / r[edge]), lo = from + 2 * TN_PI * s / SPOKES + a,
                   hi = from + 2 * TN_PI * (s + 1) / SPOKES - a;
      for (int i = 0; i <= STEPS; i++) { /* the outer edge back, the inner one forth: clockwise */
        const double x = edge ? lo + (hi - lo) * i / STEPS : hi + (lo - hi) * i / STEPS;
        tn_outline_add(k, o, r[edge] * cos(x), r[edge] * sin(x));
      }
    }
    tn_outline_close(k, o);
  }
}

static void draw_wheel(tn_maker *k, const wheel *w, int level) {
  tn_outline *o = &k->outline;
  const double m = w->count ? 2 * w->radius / w->count : 0.06 * w->radius;
  double at[3], x[3], y[3], z[3], A[9], scale = 1;
  double face = fmin(5 * m, 0.5 * w->radius);
  tn_outline_start(o);
  if (w->internal) {
    circle(k, o, w->radius + fmax(3.2 * m, 0.09 * w->radius));
    if (w->count)
      toothed(k, o, w, true);
    else {
      const int n = 72;
      for (int i = 0; i < n; i++)
        tn_outline_add(k, o, w->radius * cos(2 * TN_PI * i / n), -w->radius * sin(2 * TN_PI * i / n));
      tn_outline_close(k, o);
    }
  } else {
    if (w->count)
      toothed(k, o, w, false);
    else
      circle(k, o, w->radius);
    const double rim = w->count ? w->radius - 1.1 * m : w->radius;
    if (w->count == 0 || w->count >= 16) windows(k, o, rim, w->phase);
  }
  tn_to_body(k, w->body, w->at, at);
  tn_turn_to_body(k, w->body, w->x, x);
  tn_turn_to_body(k, w->body, w->z, z);
  tn_cross3(z, x, y);
  if (k->m->dimension == 2) {
    at[2] += (level + 1) * -1.1 * k->thick - tn_layer_height(k, w->body);
    face = k->thick;
  } else if (w->cone) { /* from the pitch circle towards the apex */
    double d[3];
    tn_sub3(w->apex, w->at, d);
    const double h = tn_dot3(d, w->z);
    if (fabs(h) > TN_UNDRAWN * w->radius) {
      face = fmin(face, 0.35 * fabs(h));
      scale = 1 - face / fabs(h);
      tn_axpy3(copysign(face / 2, h), z, at);
      if (h < 0) { /* the small end is at the top of a prism: turned over, teeth stay where they are */
        for (int i = 0; i < 3; i++) z[i] = -z[i], y[i] = -y[i];
        for (int i = 0; i < o->points; i++) o->xy[2 * i + 1] = -o->xy[2 * i + 1];
        for (int l = 0, from = 0; l < o->loops; from = o->loop[l++])
          for (int a = from, b = o->loop[l] - 1; a < b; a++, b--)
            for (int c = 0; c < 2; c++) {
              const double other = o->xy[2 * a + c];
              o->xy[2 * a + c] = o->xy[2 * b + c];
              o->xy[2 * b + c] = other;
            }
      }
    }
  } else if (!w->count) {
    face = 0.18 * w->radius;
  }
  for (int i = 0; i < 3; i++) A[3 * i] = x[i], A[3 * i + 1] = y[i], A[3 * i + 2] = z[i];
  tn_piece_plate(k, w->body, TN_ROLE_GEAR, -1, o, at, A, face, scale);
}

static void draw_rack(tn_maker *k, const mesh *m, const wheel *pinion, int level) {
  const tn_mark *mark = &m->of[1].mark;
  const int body = m->of[1].body, n = pinion->count ? pinion->count : ANY_TEETH;
  const double p = 2 * TN_PI * pinion->radius / n, module = p / TN_PI;
  const int teeth = n + n / 4; /* a turn and a bit */
  double at[3], x[3], y[3], z[3], A[9];
  tn_outline *o = &k->outline;
  tn_to_body(k, body, mark->at, at);
  tn_turn_to_body(k, body, mark->axis, x);
  tn_turn_to_body(k, body, mark->toward, y);
  const double r = tn_norm3(y);
  for (int i = 0; i < 3; i++) y[i] /= r;
  tn_cross3(x, y, z);
  const int half_way = teeth / 2;
  const double left = m->shift - p * half_way - p / 2, right = left + p * teeth;
  tn_outline_start(o);
  tn_outline_add(k, o, left, -3.2 * module);
  tn_outline_add(k, o, right, -3.2 * module);
  static const double height[4] = {-1.1, 0.95, 0.95, -1.1};
  for (int i = teeth - 1; i >= 0; i--)
    for (int j = 0; j < 4; j++) {
      const double h = height[j] * module, half = 0.97 * p / 4 - h * tan(A0);
      tn_outline_add(k, o, left + (i + 0.5) * p + (j < 2 ? half : -half), h);
    }
  tn_outline_close(k, o);
  double face = fmin(5 * module, 0.5 * pinion->radius);
  if (k->m->dimension == 2) {
    if (z[2] < 0) { /* seen from above all the same */
      for (int i = 0; i < 3; i++) x[i] = -x[i], z[i] = -z[i];
      for (int i = 0; i < o->points; i++) o->xy[2 * i] = -o->xy[2 * i];
      for (int a = 0, b = o->points - 1; a < b; a++, b--)
        for (int c = 0; c < 2; c++) {
          const double other = o->xy[2 * a + c];
          o->xy[2 * a + c] = o->xy[2 * b + c];
          o->xy[2 * b + c] = other;
        }
    }
    at[2] += (level + 1) * -1.1 * k->thick - tn_layer_height(k, body);
    face = k->thick;
  }
  for (int i = 0; i < 3; i++) A[3 * i] = x[i], A[3 * i + 1] = y[i], A[3 * i + 2] = z[i];
  tn_piece_plate(k, body, TN_ROLE_GEAR, -1, o, at, A, face, 1);
}

static bool is_hidden(const tn_maker *k, int body) { return body < 0 ? k->m->ground_drawn : k->m->body[body].drawn; }

static int root(works *w, int i) {
  while (w->wheel[i].part != i) i = w->wheel[i].part = w->wheel[w->wheel[i].part].part;
  return i;
}

/* a level of solids for each set of wheels that mesh; two of one body that are not of one set have different ones */
static void find_levels(tn_maker *k, works *w, int *level) {
  for (int i = 0; i < w->meshes; i++)
    if (w->mesh[i].b >= 0) w->wheel[root(w, w->mesh[i].a)].part = root(w, w->mesh[i].b);
  for (int i = 0; i < w->wheels; i++) level[i] = -1;
  for (int i = 0; i < w->wheels; i++) {
    const int r = root(w, i);
    if (level[r] >= 0) continue;
    int free = 0;
    for (bool again = true; again;) {
      again = false;
      for (int j = i; j < w->wheels; j++) {
        if (root(w, j) != r) continue;
        const int body = w->wheel[j].body;
        for (int o = w->first[body < 0 ? k->m->bodies : body] - 1; o >= 0; o = w->wheel[o].next)
          if (root(w, o) != r && level[root(w, o)] == free) again = true;
      }
      if (again && ++free > 16) break;
    }
    level[r] = free;
  }
}

void tn_draw_gears(tn_maker *k) {
  works w = {0};
  w.wheel = tn_maker_alloc(k, sizeof *w.wheel * (size_t)(k->seens + 1));
  w.mesh = tn_maker_alloc(k, sizeof *w.mesh * (size_t)(k->seens + 1));
  w.first = tn_maker_alloc(k, sizeof *w.first * (size_t)(k->m->bodies + 1));
  int *level = tn_maker_alloc(k, sizeof *level * (size_t)(k->seens + 1));
  if (!w.wheel || !w.mesh || !w.first || !level) return;
  for (int i = 0; i < k->seens; i++) {
    const tn_marked *s = &k->seen[i];
    if (s->mark.kind != TN_MARK_WHEEL || !(s->mark.radius > 0)) continue;
    const int a = wheel_of(k, &w, s);
    const tn_marked *other = i + 1 < k->seens && s[1].joint == s->joint && s->mark.teeth != 0 ? s + 1 : NULL;
    if (other && other->mark.kind == TN_MARK_WHEEL && other->mark.radius > 0) {
      const int b = wheel_of(k, &w, other);
      w.mesh[w.meshes++] = (mesh){.a = a, .b = b, .of = s};
      i++;
    } else if (other && other->mark.kind == TN_MARK_RACK) {
      w.mesh[w.meshes++] = (mesh){.a = a, .b = -1, .of = s};
      i++;
    }
  }
  /* from wheels whose teeth are known to others, wheels before racks, as long as there are any */
  for (int pass = 0; pass < 2; pass++)
    for (int start = 0; start < w.meshes;) {
      bool any = true;
      while (any) {
        any = false;
        for (int i = start; i < w.meshes; i++) {
          mesh *m = &w.mesh[i];
          if (m->done || (m->b < 0 && pass == 0)) continue;
          if (!w.wheel[m->a].settled && !(m->b >= 0 && w.wheel[m->b].settled)) continue;
          settle_mesh(&w, m);
          any = true;
        }
      }
      while (start < w.meshes && (w.mesh[start].done || (w.mesh[start].b < 0 && pass == 0))) start++;
      if (start < w.meshes) settle_mesh(&w, &w.mesh[start]);
    }
  if (k->m->dimension == 2 && !k->flat) find_levels(k, &w, level);
  for (int i = 0; i < w.wheels && !k->failed; i++)
    if (!is_hidden(k, w.wheel[i].body)) draw_wheel(k, &w.wheel[i], level[root(&w, i)]);
  for (int i = 0; i < w.meshes && !k->failed; i++)
    if (w.mesh[i].b < 0 && !is_hidden(k, w.mesh[i].of[1].body))
      draw_rack(k, &w.mesh[i], &w.wheel[w.mesh[i].a], level[root(&w, w.mesh[i].a)]);
}
