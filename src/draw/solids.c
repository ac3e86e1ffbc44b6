/* Shapes to triangles. A solid is identified by its parameters in single precision, so that a thousand equal links share one solid. */
#include "draw/maker.h"

/* 1: sum of the directions into and out of a point of a path: it goes back where it came from */
static const double TURNS_BACK = 1e-3;

enum { AROUND = 24, NEW = -1, BEYOND = -2 };
static const float MOST = 1e18f; /* m: squares of it still fit single precision */

/* ---- known solids ---- */

static uint32_t hash_of(int n, const float *key) {
  uint32_t h = 2166136261u;
  for (int i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &key[i], sizeof bits);
    for (int b = 0; b < 4; b++) h = (h ^ (bits >> 8 * b & 0xff)) * 16777619u;
  }
  return h;
}

static bool rehash(tn_maker *k) {
  const int n = k->buckets ? 2 * k->buckets : 64;
  int *bucket = tn_maker_alloc(k, sizeof *bucket * (size_t)n);
  if (!bucket) return false;
  k->bucket = bucket;
  k->buckets = n;
  for (int i = 0; i < k->known; i++) {
    uint32_t at = k->know[i].hash & (uint32_t)(n - 1);
    while (bucket[at]) at = (at + 1) & (uint32_t)(n - 1);
    bucket[at] = i + 1;
  }
  return true;
}

/* The solid of these parameters, or NEW: then it is begun, and `finish` registers it; BEYOND: there is none. */
static int begin(tn_maker *k, int n, float *key) {
  k->vertices = k->indices = 0;
  for (int i = 0; i < n; i++) {
    key[i] += 0.0f; /* -0 is 0 */
    if (fabsf(key[i]) < MOST) continue;
    tn_maker_beyond(k);
    return BEYOND;
  }
  const uint32_t h = hash_of(n, key);
  if (!k->buckets) return NEW;
  for (uint32_t at = h & (uint32_t)(k->buckets - 1); k->bucket[at]; at = (at + 1) & (uint32_t)(k->buckets - 1)) {
    const tn_known *known = &k->know[k->bucket[at] - 1];
    if (known->hash == h && known->n == n && memcmp(known->key, key, sizeof *key * (size_t)n) == 0) return known->solid;
  }
  return NEW;
}

static int finish(tn_maker *k, int n, const float *key) {
  if (!k->indices) { /* so small that nothing is left of it */
    if (!k->failed) tn_maker_beyond(k);
    return BEYOND;
  }
  void *solids = k->d->solid, *know = k->know;
  if (!tn_maker_grow(k, &solids, k->d->solids, &k->solid_room, sizeof *k->d->solid)) return -1;
  k->d->solid = solids;
  if (!tn_maker_grow(k, &know, k->known, &k->known_room, sizeof *k->know)) return -1;
  k->know = know;
  if (2 * (k->known + 1) > k->buckets && !rehash(k)) return -1;
  tn_solid *s = &k->d->solid[k->d->solids];
  const size_t v = 3 * sizeof *s->position * (size_t)k->vertices, t = sizeof *s->index * (size_t)k->indices;
  *s = (tn_solid){.vertices = k->vertices, .triangles = k->indices / 3};
  tn_known *known = &k->know[k->known];
  *known = (tn_known){.hash = hash_of(n, key), .n = n, .solid = k->d->solids};
  s->position = tn_maker_alloc(k, v);
  s->normal = tn_maker_alloc(k, v);
  s->index = tn_maker_alloc(k, t);
  known->key = tn_maker_alloc(k, sizeof *key * (size_t)n);
  if (!s->position || !s->normal || !s->index || !known->key) return -1;
  if (v) memcpy(s->position, k->position, v);
  if (v) memcpy(s->normal, k->normal, v);
  if (t) memcpy(s->index, k->index, t);
  memcpy(known->key, key, sizeof *key * (size_t)n);
  uint32_t at = known->hash & (uint32_t)(k->buckets - 1);
  while (k->bucket[at]) at = (at + 1) & (uint32_t)(k->buckets - 1);
  k->bucket[at] = ++k->known;
  return k->d->solids++;
}

/* ---- vertices and triangles ---- */

static uint32_t vertex(tn_maker *k, const double p[3], const double n[3]) {
  void *position = k->position, *normal = k->normal;
  int room = k->vertex_room;
  if (!tn_maker_grow(k, &position, k->vertices, &room, 3 * sizeof *k->position)) return 0;
  k->position = position;
  room = k->vertex_room;
  if (!tn_maker_grow(k, &normal, k->vertices, &room, 3 * sizeof *k->normal)) return 0;
  k->normal = normal;
  k->vertex_room = room;
  for (int i = 0; i < 3; i++) {
    k->position[3 * k->vertices + i] = (float)p[i];
    k->normal[3 * k->vertices + i] = (float)n[i];
  }
  return (uint32_t)k->vertices++;
}

static void triangle(tn_maker *k, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t corner[3] = {a, b, c};
  for (int i = 0; i < 3; i++) {
    void *index = k->index;
    if (!tn_maker_grow(k, &index, k->indices, &k->index_room, sizeof *k->index)) return;
    k->index = index;
    k->index[k->indices++] = corner[i];
  }
}

static void quad(tn_maker *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  triangle(k, a, b, c);
  triangle(k, a, c, d);
}

/* ---- shapes ---- */

int tn_solid_box(tn_maker *k, const double size[3]) {
  float key[4] = {1, (float)size[0], (float)size[1], (float)size[2]};
  const int found = begin(k, 4, key);
  if (found != NEW) return found;
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      double n[3] = {0}, p[3];
      uint32_t corner[4];
      n[axis] = side;
      for (int c = 0; c < 4; c++) {
        const int i = c == 1 || c == 2 ? 1 : -1, j = c >= 2 ? 1 : -1;
        p[axis] = side * (double)key[1 + axis] / 2;
        p[u] = i * side * (double)key[1 + u] / 2;
        p[v] = j * (double)key[1 + v] / 2;
        corner[c] = vertex(k, p, n);
      }
      quad(k, corner[0], corner[1], corner[2], corner[3]);
    }
  return finish(k, 4, key);
}

/* turned about z: points (r, z) with normals (nr, nz), from below; each pair of neighbours is a band */
static void band(tn_maker *k, const double a[4], const double b[4]) {
  const uint32_t first = (uint32_t)k->vertices;
  for (int i = 0; i <= AROUND; i++) {
    const double c = cos(2 * TN_PI * (i % AROUND) / AROUND), s = sin(2 * TN_PI * (i % AROUND) / AROUND);
    for (int end = 0; end < 2; end++) {
      const double *x = end ? b : a;
      vertex(k, (double[3]){x[0] * c, x[0] * s, x[1]}, (double[3]){x[2] * c, x[2] * s, x[3]});
    }
  }
  for (uint32_t i = 0; i < AROUND; i++) {
    const uint32_t v = first + 2 * i;
    if (a[0] > 0) triangle(k, v, v + 2, v + 3);
    if (b[0] > 0) triangle(k, v, v + 3, v + 1);
  }
}

int tn_solid_lathe(tn_maker *k, int n, const double (*rz)[2]) {
  float key[33] = {2};
  if (n > 16) n = 16;
  for (int i = 0; i < 2 * n; i++) key[1 + i] = (float)rz[i / 2][i % 2];
  const int found = begin(k, 1 + 2 * n, key);
  if (found != NEW) return found;
  for (int i = 0; i + 1 < n; i++) {
    const double r = key[1 + 2 * i], z = key[2 + 2 * i], dr = key[3 + 2 * i] - r, dz = key[4 + 2 * i] - z;
    const double l = hypot(dr, dz);
    if (!(l > 0)) continue;
    band(k, (double[4]){r, z, dz / l, -dr / l}, (double[4]){r + dr, z + dz, dz / l, -dr / l});
  }
  return finish(k, 1 + 2 * n, key);
}

/* half a ball from z = 0 up, or down to it, moved along z */
static void dome(tn_maker *k, double r, double z, bool up) {
  const int n = AROUND / 4;
  for (int i = 0; i < n; i++) {
    double x[2][4];
    for (int end = 0; end < 2; end++) {
      const double a = TN_PI / 2 * ((i + end) - (up ? 0 : n)) / n, c = (up ? i + end == n : i + end == 0) ? 0 : cos(a);
      x[end][0] = r * c, x[end][1] = z + r * sin(a), x[end][2] = c, x[end][3] = sin(a);
    }
    band(k, x[0], x[1]);
  }
}

int tn_solid_ball(tn_maker *k, const double semi[3]) {
  float key[4] = {3, (float)semi[0], (float)semi[1], (float)semi[2]};
  const int found = begin(k, 4, key);
  if (found != NEW) return found;
  if (!(key[1] > 0 && key[2] > 0 && key[3] > 0)) return BEYOND;
  dome(k, 1, 0, false);
  dome(k, 1, 0, true);
  for (int i = 0; i < k->vertices && !k->failed; i++) {
    float *p = k->position + 3 * i, *n = k->normal + 3 * i, l = 0;
    for (int x = 0; x < 3; x++) {
      p[x] *= key[1 + x];
      n[x] /= key[1 + x] / key[1];
      l += n[x] * n[x];
    }
    for (int x = 0; x < 3; x++) n[x] /= sqrtf(l);
  }
  return finish(k, 4, key);
}

int tn_solid_capsule(tn_maker *k, double radius, double length) {
  float key[3] = {4, (float)radius, (float)length};
  const int found = begin(k, 3, key);
  if (found != NEW) return found;
  const double r = key[1], h = (double)key[2] / 2;
  dome(k, r, -h, false);
  band(k, (double[4]){r, -h, 1, 0}, (double[4]){r, h, 1, 0});
  dome(k, r, h, true);
  return finish(k, 3, key);
}

/* rings of points around the line, each carried on from the one before by the smallest turn */
int tn_solid_tube(tn_maker *k, int n, const double *point, bool closed, double radius) {
  const int numbers = 3 + 3 * n, sides = 12;
  float *key = tn_maker_alloc(k, sizeof *key * (size_t)numbers);
  int *kept = tn_maker_alloc(k, sizeof *kept * (size_t)(n + 2));
  if (!key || !kept) return -1;
  key[0] = 5, key[1] = (float)radius, key[2] = closed;
  for (int i = 0; i < 3 * n; i++) key[3 + i] = (float)point[i];
  const int found = begin(k, numbers, key);
  if (found != NEW) return found;
  int m = 0;
  double d[3];
  for (int i = 0; i < n; i++) { /* no two neighbours in one place */
    if (m) tn_sub3(point + 3 * i, point + 3 * kept[m - 1], d);
    if (!m || tn_norm3(d) > TN_UNDRAWN * radius) kept[m++] = i;
  }
  if (m > 1) tn_sub3(point + 3 * kept[m - 1], point, d);
  if (closed && m > 2 && tn_norm3(d) <= TN_UNDRAWN * radius) m--;
  if (m < 3) closed = false;
  if (m < 2) return -1;
  const int rings = closed ? m + 1 : m;
  double frame[9] = {0}, from[3] = {0, 0, 1};
  uint32_t first = 0;
  for (int i = 0; i < rings; i++) {
    const double *p = point + 3 * kept[i % m];
    double in[3], out[3], t[3], x[3], y[3], turn[9], turned[9];
    const bool start = !closed && i == 0, end = !closed && i == rings - 1;
    tn_sub3(p, point + 3 * kept[(i + m - 1) % m], in);
    tn_sub3(point + 3 * kept[(i + 1) % m], p, out);
    const double li = tn_norm3(in), lo = tn_norm3(out);
    for (int c = 0; c < 3; c++) t[c] = (start ? 0 : in[c] / li) + (end ? 0 : out[c] / lo);
    double l = tn_norm3(t);
    if (l < TURNS_BACK) { /* it goes back where it came from */
      memcpy(t, in, sizeof t);
      l = li;
    }
    for (int c = 0; c < 3; c++) t[c] /= l;
    if (i == 0) {
      tn_frame_along3(t, NULL, frame);
    } else {
      tn_rotation_to3(from, t, turn);
      tn_product3(turn, frame, turned);
      memcpy(frame, turned, sizeof frame);
    }
    memcpy(from, t, sizeof from);
    tn_axis3(frame, 0, x);
    tn_axis3(frame, 1, y);
    /* at a corner the section is wider, as of a mitre, within bounds */
    const double half = start || end ? 1 : fmax(0.35, fabs(tn_dot3(t, out)) / lo);
    double across[3] = {0, 0, 0};
    if (half < 0.999) {
      for (int c = 0; c < 3; c++) across[c] = out[c] / lo - half * t[c];
      const double along = tn_dot3(across, t);
      tn_axpy3(-along, t, across);
      const double la = tn_norm3(across);
      for (int c = 0; c < 3; c++) across[c] = la > 0 ? across[c] / la : 0;
    }
    const uint32_t base = (uint32_t)k->vertices;
    for (int s = 0; s <= sides; s++) {
      const double a = 2 * TN_PI * (s % sides) / sides;
      double nrm[3], q[3];
      for (int c = 0; c < 3; c++) nrm[c] = cos(a) * x[c] + sin(a) * y[c];
      const double wide = tn_dot3(nrm, across);
      for (int c = 0; c < 3; c++) q[c] = p[c] + radius * (nrm[c] + wide * (1 / half - 1) * across[c]);
      vertex(k, q, nrm);
    }
    if (i)
      for (uint32_t s = 0; s < (uint32_t)sides; s++) quad(k, first + s, first + s + 1, base + s + 1, base + s);
    if (start || end) {
      double nrm[3];
      for (int c = 0; c < 3; c++) nrm[c] = start ? -t[c] : t[c];
      const uint32_t middle = vertex(k, p, nrm);
      for (int s = 0; s <= sides; s++) {
        const double a = 2 * TN_PI * (s % sides) / sides;
        double q[3];
        for (int c = 0; c < 3; c++) q[c] = p[c] + radius * (cos(a) * x[c] + sin(a) * y[c]);
        const uint32_t v = vertex(k, q, nrm);
        if (s && start) triangle(k, middle, v, v - 1);
        if (s && end) triangle(k, middle, v - 1, v);
      }
    }
    first = base;
  }
  return finish(k, numbers, key);
}

int tn_solid_prism(tn_maker *k, const tn_outline *o, double thick, double scale) {
  const int n = 4 + o->loops + 2 * o->points;
  float *key = tn_maker_alloc(k, sizeof *key * (size_t)n);
  if (!key) return -1;
  key[0] = 6, key[1] = (float)thick, key[2] = (float)scale, key[3] = (float)o->loops;
  for (int i = 0; i < o->loops; i++) key[4 + i] = (float)o->loop[i];
  for (int i = 0; i < 2 * o->points; i++) key[4 + o->loops + i] = (float)o->xy[i];
  const int found = begin(k, n, key);
  if (found != NEW) return found;
  int triangles;
  const uint32_t *t = tn_outline_triangles(k, o, &triangles);
  if (!t) return -1;
  for (int top = 0; top < 2; top++) {
    const uint32_t first = (uint32_t)k->vertices;
    const double s = top ? scale : 1, z = top ? thick / 2 : -thick / 2;
    for (int i = 0; i < o->points; i++)
      vertex(k, (double[3]){s * o->xy[2 * i], s * o->xy[2 * i + 1], z}, (double[3]){0, 0, top ? 1 : -1});
    for (int i = 0; i < triangles; i++)
      triangle(k, first + t[3 * i], first + t[3 * i + (top ? 1 : 2)], first + t[3 * i + (top ? 2 : 1)]);
  }
  for (int l = 0, from = 0; l < o->loops; from = o->loop[l++])
    for (int i = from, last = o->loop[l] - 1; i < o->loop[l]; last = i++) {
      const double *a = o->xy + 2 * last, *b = o->xy + 2 * i;
      double e[2] = {b[0] - a[0], b[1] - a[1]}, x[3], y[3], nrm[3];
      if (!(hypot(e[0], e[1]) > 0)) continue;
      const double pa[3] = {a[0], a[1], -thick / 2}, pb[3] = {b[0], b[1], -thick / 2},
                   qa[3] = {scale * a[0], scale * a[1], thick / 2}, qb[3] = {scale * b[0], scale * b[1], thick / 2};
      tn_sub3(pb, pa, x);
      tn_sub3(qa, pa, y);
      tn_cross3(x, y, nrm);
      const double size = tn_norm3(nrm);
      if (!(size > 0)) continue;
      for (int c = 0; c < 3; c++) nrm[c] /= size;
      quad(k, vertex(k, pa, nrm), vertex(k, pb, nrm), vertex(k, qb, nrm), vertex(k, qa, nrm));
    }
  return finish(k, n, key);
}

static float *named_key(tn_maker *k, const char *name, double scale, int *n) {
  *n = 2 + (int)strlen(name);
  float *key = tn_maker_alloc(k, sizeof *key * (size_t)*n);
  if (!key) return NULL;
  key[0] = 7, key[1] = (float)scale;
  for (int i = 2; i < *n; i++) key[i] = (float)(unsigned char)name[i - 2];
  return key;
}

int tn_solid_named(tn_maker *k, const char *name, double scale) {
  int n;
  float *key = named_key(k, name, scale, &n);
  return key ? begin(k, n, key) : -1;
}

int tn_solid_mesh(tn_maker *k, const char *name, double scale, const tn_triangles *t) {
  int n;
  float *key = named_key(k, name, scale, &n);
  if (!key) return -1;
  if (begin(k, n, key) != NEW) return BEYOND;
  for (int i = 0; i < 3 * t->vertices; i++)
    if (!(fabs(scale * (double)t->position[i]) < (double)MOST)) return tn_maker_beyond(k), BEYOND;
  for (int i = 0; t->normal && i < t->vertices && !k->failed; i++) {
    double p[3], u[3];
    for (int x = 0; x < 3; x++) p[x] = scale * (double)t->position[3 * i + x], u[x] = (double)t->normal[3 * i + x];
    vertex(k, p, u);
  }
  for (int i = 0; i < t->triangles && !k->failed; i++) {
    const uint32_t *corner = t->index + 3 * (size_t)i;
    if (t->normal) {
      triangle(k, corner[0], corner[1], corner[2]);
      continue;
    }
    double p[3][3], u[3], v[3], face[3];
    for (int c = 0; c < 3; c++)
      for (int x = 0; x < 3; x++) p[c][x] = scale * (double)t->position[3 * (size_t)corner[c] + (size_t)x];
    tn_sub3(p[1], p[0], u);
    tn_sub3(p[2], p[0], v);
    tn_cross3(u, v, face);
    const double l = tn_norm3(face);
    if (!(l > 0)) continue; /* it has no face */
    for (int x = 0; x < 3; x++) face[x] /= l;
    const uint32_t first = vertex(k, p[0], face);
    vertex(k, p[1], face);
    vertex(k, p[2], face);
    triangle(k, first, first + 1, first + 2);
  }
  if (!k->indices) return -1;
  return finish(k, n, key);
}
