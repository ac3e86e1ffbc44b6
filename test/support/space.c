#include "support/space.h"

#include "support/equation.h"

#include <stdio.h>
#include <stdlib.h>

void space_new(build *b, uint64_t seed) {
  build_new(b, seed);
  build_set(b, "/dimension", "3");
}

/* ---- random things ----------------------------------------------------------------------------------------------- */

void space_vector(build *b, double size, double v[3]) {
  for (int i = 0; i < 3; i++) v[i] = build_uniform(b, -size, size);
}

static void unit(int n, double *v) {
  double l = 0;
  for (int i = 0; i < n; i++) l += v[i] * v[i];
  for (int i = 0; i < n; i++) v[i] /= sqrt(l);
}

void space_direction(build *b, double e[3]) {
  do space_vector(b, 1, e);
  while (tn_norm3(e) > 1 || tn_norm3(e) < 0.1);
  unit(3, e);
}

void space_normal(build *b, const double e[3], double n[3]) {
  double k;
  do {
    space_direction(b, n);
    k = tn_dot3(n, e);
  } while (fabs(k) > 0.9);
  for (int i = 0; i < 3; i++) n[i] -= k * e[i];
  unit(3, n);
}

static void quaternion(build *b, double e[4]) {
  double l;
  do {
    l = 0;
    for (int i = 0; i < 4; i++) e[i] = build_uniform(b, -1, 1), l += e[i] * e[i];
  } while (l > 1 || l < 0.01);
  unit(4, e);
}

void space_rotation(build *b, double A[9]) {
  double e[4];
  quaternion(b, e);
  tn_quaternion_rotation(e, A);
}

void space_turn_between(const double A[9], const double B[9], double angle[3]) {
  double R[9];
  tn_t_product3(A, B, R);
  angle[0] = (R[7] - R[5]) / 2;
  angle[1] = (R[2] - R[6]) / 2;
  angle[2] = (R[3] - R[1]) / 2;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static const char *list(int n, const double *x, char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < n; i++) used += (size_t)snprintf(text + used, size - used, "%s%.17g", i ? ", " : "[", x[i]);
  snprintf(text + used, size - used, "]");
  return text;
}
#define LIST(n, x) list((n), (x), (char[200]){0}, 200)

static void orientation(build *b, const char *name) {
  static const char *const sequence[] = {"xyx", "xyz", "xzx", "xzy", "yxy", "yxz",
                                         "yzx", "yzy", "zxy", "zxz", "zyx", "zyz"};
  char at[64];
  double e[4], n[3], angle[3];
  quaternion(b, e);
  space_vector(b, 3, angle);
  const int k = build_integer(b, 0, 11), i = build_integer(b, 0, 2), j = (i + build_integer(b, 1, 2)) % 3;
  switch (build_integer(b, 0, 3)) {
  case 0:
    snprintf(at, sizeof at, "/bodies/%s/quaternion", name);
    build_set(b, at, "%s", LIST(4, e));
    break;
  case 1:
    snprintf(at, sizeof at, "/bodies/%s/axis_angle", name);
    build_set(b, at, "[%s, %.17g]", LIST(3, e), angle[0]);
    break;
  case 2:
    snprintf(at, sizeof at, "/bodies/%s/euler", name);
    build_set(b, at, "{\"%s\": %s}", sequence[k], LIST(3, angle));
    break;
  default:
    unit(3, e);
    space_normal(b, e, n);
    snprintf(at, sizeof at, "/bodies/%s/axes", name);
    build_set(b, at, "{\"%c\": %s, \"%c\": %s}", 'x' + i, LIST(3, e), 'x' + j, LIST(3, n));
  }
}

void space_body(build *b, const char *name, const char *coordinates) {
  char at[64];
  double x[3], R[9], I[9] = {0}, c[3], r[3];
  for (int i = 0; i < 3; i++) x[i] = build_uniform(b, 0.05, 0.4); /* sums of pairs of these can be moments */
  space_rotation(b, R);
  space_vector(b, 0.3, c);
  space_vector(b, 1.2, r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) I[3 * i + j] += R[3 * i + k] * (x[(k + 1) % 3] + x[(k + 2) % 3]) * R[3 * j + k];
  const double six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  snprintf(at, sizeof at, "/bodies/%s", name);
  build_set(b, at, "{\"mass\": %.17g, \"inertia\": %s, \"center\": %s, \"position\": %s}", build_uniform(b, 0.5, 3),
            LIST(6, six), LIST(3, c), LIST(3, r));
  orientation(b, name);
  snprintf(at, sizeof at, "/bodies/%s/coordinates", name);
  if (coordinates) build_set(b, at, "\"%s\"", coordinates);
}

void space_particle(build *b, const char *name) {
  char at[64];
  double r[3];
  snprintf(at, sizeof at, "/bodies/%s", name);
  for (int i = 0; i < 3; i++) r[i] = build_uniform(b, 1.6, 2.5);
  build_set(b, at, "{\"mass\": %.17g, \"position\": %s, \"coordinates\": \"point\"}", build_uniform(b, 0.5, 3),
            LIST(3, r));
}

void space_channel(build *b, const char *part, const char *word) {
  if (b->channels < 32) snprintf(b->channel[b->channels++], sizeof *b->channel, "%.20s.%.16s", part, word);
}

static void place_channels(build *b, const char *part) {
  space_channel(b, part, "x");
  space_channel(b, part, "y");
  space_channel(b, part, "z");
}

void space_world(build *b) {
  static const char *const body[] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    space_body(b, body[i], NULL);
    place_channels(b, body[i]);
  }
  space_particle(b, "p");
  place_channels(b, "p");
}

void space_helpers(build *b) {
  static const char *const pair[][2] = {{"a", "b"}, {"c", "b"}, {"ground", "a"}, {"c", "ground"}};
  int n = 0;
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    char name[16];
    space_given g;
    if (!type->coordinates || !type->space.measure) continue;
    snprintf(name, sizeof name, "h%d", n);
    if (!space_joint(b, name, type, pair[n % 4][0], pair[n % 4][1], 0, &g)) return;
    n++;
    for (const tn_coordinate *k = type->coordinates; k->name; k++) space_channel(b, name, k->name);
  }
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static int words_in(const char *choices) {
  int n = 1;
  for (; *choices; choices++) n += *choices == ' ';
  return n;
}

static double number(build *b, const tn_field *f) {
  const bool any = !tn_field_has_range(f);
  const double lo = any ? -2 : f->lo, hi = any ? 1 : isfinite(f->hi) ? f->hi : lo + 3;
  return lo + (hi - lo) * build_uniform(b, 0.1, 0.9);
}

/* a function of t; of a and b too when it may run */
static void expression(build *b, char *text, size_t size, bool running) {
  int n =
      snprintf(text, size, "%.4f*sin(%.3f*t + %.3f) + %.3f*t^2 - %.3f", build_uniform(b, 0.2, 0.8),
               build_uniform(b, 1, 3), build_uniform(b, 0, 3), build_uniform(b, 0.1, 0.5), build_uniform(b, 0.1, 1));
  if (running)
    snprintf(text + n, size - (size_t)n, " + %.3f*sin(a.x + 2*b.z) - %.3f*a.w2*b.vx + %.3f*b.wy",
             build_uniform(b, 0.2, 1), build_uniform(b, 0.2, 0.6), build_uniform(b, 0.2, 1));
}

static bool field(build *b, const char *at, const tn_field *f, const double *normal, double direction[3],
                  unsigned *chosen) {
  char text[400];
  double x[3];
  switch (f->kind) {
  case TN_NUMBER: build_set(b, at, "%.17g", number(b, f)); return true;
  case TN_INTEGER: build_set(b, at, "%d", build_whole(b, f)); return true;
  case TN_VECTOR:
    for (int i = 0; i < 3; i++) x[i] = number(b, f);
    build_set(b, at, "%s", LIST(f->n ? f->n : 3, x));
    return true;
  case TN_MATRIX: build_matrix(b, at, f->n ? f->n : 6); return true;
  case TN_WORD: {
    const int i = build_integer(b, 0, words_in(f->choices) - 1);
    const char *word = f->choices;
    for (int k = 0; k < i; k++) word = strchr(word, ' ') + 1;
    *chosen = 1u << i;
    build_set(b, at, "\"%.*s\"", (int)strcspn(word, " "), word);
    return true;
  }
  case TN_BOOLEAN: build_set(b, at, build_integer(b, 0, 1) ? "true" : "false"); return true;
  case TN_TIME:
    expression(b, text, sizeof text, false);
    build_set(b, at, "\"%s\"", text);
    return true;
  case TN_RUNNING:
    for (int i = 0; i < (f->n ? f->n : 3); i++) {
      char item[160];
      snprintf(item, sizeof item, f->n == 1 ? "%s" : "%s/-", at);
      expression(b, text, sizeof text, true);
      build_set(b, item, "\"%s\"", text);
    }
    return true;
  case TN_DIRECTION: /* a rack moves across the axis of its pinion */
    if (normal)
      space_normal(b, normal, direction);
    else
      space_direction(b, direction);
    for (int i = 0; i < 3; i++) x[i] = 1.7 * direction[i]; /* any length */
    build_set(b, at, "%s", LIST(3, x));
    return true;
  case TN_LIST: {
    static const char *const bodies[] = {"[\"a\"]", "[\"a\", \"b\"]", "[\"b\", \"a\"]"};
    build_set(b, at, "%s", bodies[build_integer(b, 0, 2)]);
    return true;
  }
  case TN_CHANNEL: build_set(b, at, "\"%s\"", b->channel[build_integer(b, 0, b->channels - 1)]); return true;
  case TN_OBJECT: {
    const int n = build_integer(b, 1, 4), first = build_integer(b, 0, b->channels - 1);
    for (int i = 0; i < n && i < b->channels; i++) {
      char term[160];
      snprintf(term, sizeof term, "%s/%s", at, b->channel[(first + 5 * i) % b->channels]);
      build_set(b, term, "%.17g", build_uniform(b, -2, 2));
    }
    return true;
  }
  default: break;
  }
  build_fail(b, "field `%s` is of a kind that space.c cannot make", f->key);
  return false;
}

static bool fields(build *b, const char *part, const tn_field *table, const double *normal, double direction[3],
                   build_given *given) {
  memset(given, 0, sizeof *given);
  for (int i = 0; table && table[i].key; i++) {
    const tn_field *f = &table[i];
    char at[128];
    if (!f->required && build_integer(b, 0, 1)) continue;
    snprintf(at, sizeof at, "%s/%s", part, f->key);
    if (!field(b, at, f, normal, direction, &given->words[i])) return false;
    given->fields |= 1u << i;
  }
  return !b->failed;
}

static bool has_field(const tn_joint_type *type, const char *key) {
  for (const tn_field *f = type->fields; f && f->key; f++)
    if (strcmp(f->key, key) == 0) return true;
  return false;
}

/* ---- joints ------------------------------------------------------------------------------------------------------ */

static bool is_particle(const char *name) { return strcmp(name, "p") == 0; }

/* two different ones of a b c p ground; a particle only where it need not turn */
static void pick(build *b, unsigned oriented, const char *body[2]) {
  static const char *const all[] = {"ground", "a", "b", "c", "p"};
  for (int i = 0; i < 2; i++)
    while (!body[i]) {
      const char *x = all[build_integer(b, 0, 4)];
      if (!(oriented >> i & 1 && is_particle(x)) && !(body[1 - i] && strcmp(body[1 - i], x) == 0)) body[i] = x;
    }
}

static void set(build *b, const char *part, const char *key, const char *json) {
  char at[128];
  snprintf(at, sizeof at, "%s/%s", part, key);
  build_set(b, at, "%s", json);
}

static void set_pair(build *b, const char *part, const char *key, const double x[3], const double y[3]) {
  char text[450];
  snprintf(text, sizeof text, "[%s, %s]", LIST(3, x), LIST(3, y));
  set(b, part, key, text);
}

static void places_of(build *b, const char *part, bool shared, bool on_bodies, space_given *g) {
  const bool particle[2] = {is_particle(g->first), is_particle(g->second)};
  for (int i = 0; i < 2; i++) {
    space_vector(b, 1.2, g->place[i]);
    if (particle[i]) memset(g->place[i], 0, sizeof g->place[i]);
  }
  if (particle[0] || particle[1]) on_bodies = true;
  g->at = !on_bodies;
  if (shared && !on_bodies)
    set(b, part, "at", LIST(3, g->place[0]));
  else
    set_pair(b, part, on_bodies ? "on_bodies" : "at", g->place[0], g->place[1]);
}

/* directions as the frames of the type want them */
static void directions(build *b, const char *part, const tn_joint_type *type, int places, space_given *g) {
  double *e = g->axis[0], *o = g->axis[1], x[3];
  space_direction(b, e);
  memcpy(o, e, 3 * sizeof *o);
  for (int i = 0; i < 3; i++) x[i] = 0.6 * e[i]; /* any length */
  switch (type->space.frames) {
  case TN_AXES_NONE: break;
  case TN_AXES_AXIS:
    if (places == 1 && build_integer(b, 0, 1)) {
      space_direction(b, o);
      g->own_axes = true;
      set_pair(b, part, "axis_on_bodies", x, o);
    } else {
      set(b, part, "axis", LIST(3, x));
    }
    break;
  case TN_AXES_NORMAL: set(b, part, "normal", LIST(3, x)); break;
  case TN_AXES_PAIR:
    if (type->space.perpendicular) {
      space_normal(b, e, o);
    } else if (type->space.parallel) {
      const double sign = build_integer(b, 0, 1) ? 1 : -1;
      for (int i = 0; i < 3; i++) o[i] = sign * e[i];
    } else {
      do space_direction(b, o);
      while (tn_dot3(e, o) < -0.5);
    }
    set_pair(b, part, "axes", x, o);
    break;
  case TN_AXES_FLOOR:
    set(b, part, "normal", LIST(3, x));
    memcpy(g->normal, e, sizeof g->normal);
    break;
  case TN_AXES_BLADE:
    do space_direction(b, o);
    while (fabs(tn_dot3(e, o)) > 0.7);
    set(b, part, "normal", LIST(3, x));
    set(b, part, "axis", LIST(3, o));
    memcpy(g->normal, e, sizeof g->normal);
    break;
  }
}

/* wheels on a carrier: with bearings on axes that are parallel or meet, a rack in a guide; or by `axis` alone */
static bool mesh(build *b, const char *part, const char *name, const tn_joint_type *type, int places, space_given *g) {
  const bool gear = has_field(type, "teeth");
  char at[64];
  double P[2][3], *z = g->axis[0];
  g->bearings = places == 0;
  space_direction(b, z);
  memcpy(g->axis[1], z, sizeof g->axis[1]);
  if (strcmp(g->carrier, "ground") != 0 || build_integer(b, 0, 1)) {
    char word[24];
    snprintf(word, sizeof word, "\"%s\"", g->carrier);
    set(b, part, "carrier", word);
  }
  space_vector(b, 1, P[0]);
  space_vector(b, 1, P[1]);
  if (g->bearings && gear) {
    g->bevel = build_integer(b, 0, 1);
    if (g->bevel) {
      double n[3];
      const double angle = build_uniform(b, 0.4, 2.4);
      space_vector(b, 1, g->O);
      space_normal(b, z, n);
      for (int i = 0; i < 3; i++) {
        g->axis[1][i] = cos(angle) * z[i] + sin(angle) * n[i];
        P[0][i] = g->O[i] + 0.4 * z[i];
        P[1][i] = g->O[i] + 0.7 * g->axis[1][i];
      }
    }
    if (build_integer(b, 0, 1)) /* an axle may point either way */
      for (int i = 0; i < 3; i++) g->axis[1][i] = -g->axis[1][i];
  }
  if (!g->bearings || (!gear && build_integer(b, 0, 1))) set(b, part, "axis", LIST(3, z));
  if (!fields(b, part, type->fields, z, g->direction, &g->fields) ||
      !fields(b, part, type->fields_space, z, g->direction, &g->fields_space))
    return false;
  for (int i = 0; g->bearings && i < 2; i++) {
    const bool guide = i == 1 && !gear;
    snprintf(at, sizeof at, "/joints/%s_%d", name, i);
    build_set(b, at, "{\"type\": \"%s\", \"between\": [\"%s\", \"%s\"], \"at\": %s, \"axis\": %s}",
              guide ? "prismatic" : "revolute", g->carrier, i ? g->second : g->first, LIST(3, P[i]),
              LIST(3, guide ? g->direction : g->axis[i]));
  }
  return !b->failed;
}

bool space_joint(build *b, const char *name, const tn_joint_type *type, const char *first, const char *second,
                 int places, space_given *g) {
  const char *body[2] = {first, second};
  char part[40], between[48];
  memset(g, 0, sizeof *g);
  snprintf(part, sizeof part, "/joints/%s", name);
  snprintf(between, sizeof between, "\"%s\"", type->name);
  set(b, part, "type", between);
  if (type->equation) return build_equation(b, part, type, true, &g->fields);
  if (type->seat == TN_SEAT_CENTERS || type->seat == TN_SEAT_CHANNELS)
    return fields(b, part, type->fields, NULL, g->direction, &g->fields) &&
           fields(b, part, type->fields_space, NULL, g->direction, &g->fields_space);
  if (type->seat == TN_SEAT_MESH) {
    static const char *const carrier[] = {"c", "ground"};
    if (!body[0]) body[0] = "a", body[1] = "b";
    strcpy(g->carrier, carrier[build_integer(b, 0, 1)]);
  } else {
    pick(b, type->oriented | type->space.oriented, body);
  }
  snprintf(g->first, sizeof g->first, "%s", body[0]);
  snprintf(g->second, sizeof g->second, "%s", body[1]);
  snprintf(between, sizeof between, "[\"%s\", \"%s\"]", body[0], body[1]);
  set(b, part, "between", between);
  switch (type->seat) {
  case TN_SEAT_MESH: return mesh(b, part, name, type, places, g);
  case TN_SEAT_SHARED:
  case TN_SEAT_TWO: places_of(b, part, type->seat == TN_SEAT_SHARED, places, g); break;
  case TN_SEAT_NOWHERE: break;
  default: build_fail(b, "a joint with seat %d is not known to space.c", (int)type->seat); return false;
  }
  directions(b, part, type, places, g);
  return fields(b, part, type->fields, NULL, g->direction, &g->fields) &&
         fields(b, part, type->fields_space, NULL, g->direction, &g->fields_space);
}

bool space_force(build *b, const char *name, const tn_force_type *type, int how, const char *first, const char *second,
                 build_given *plain, build_given *space) {
  char part[40], text[64];
  double unused[3], P[3];
  snprintf(part, sizeof part, "/forces/%s", name);
  snprintf(text, sizeof text, "\"%s\"", type->name);
  set(b, part, "type", text);
  if (how == TN_ON_BODY) {
    snprintf(text, sizeof text, "\"%s\"", first);
    set(b, part, "on", text);
    space_vector(b, 1.2, P);
    if (type->takes & TN_AT_POINT) set(b, part, build_integer(b, 0, 1) ? "at" : "on_body", LIST(3, P));
  } else if (how == TN_ON_CHANNEL) {
    snprintf(text, sizeof text, "\"%s\"", b->channel[build_integer(b, 0, b->channels - 1)]);
    set(b, part, "on", text);
  } else if (how == TN_BETWEEN) {
    space_given g = {0};
    snprintf(g.first, sizeof g.first, "%s", first);
    snprintf(g.second, sizeof g.second, "%s", second);
    snprintf(text, sizeof text, "[\"%s\", \"%s\"]", first, second);
    set(b, part, "between", text);
    const bool shared = type->takes & TN_SHARED;
    places_of(b, part, shared, build_integer(b, 0, 1), &g);
    if (shared && build_integer(b, 0, 1)) {
      space_vector(b, 1, P);
      set(b, part, "axis", LIST(3, P));
    }
  } else {
    build_fail(b, "a force that acts in the way %d is not known to space.c", how);
    return false;
  }
  return fields(b, part, type->fields, NULL, unused, plain) && fields(b, part, type->fields_space, NULL, unused, space);
}

/* ---- mechanisms -------------------------------------------------------------------------------------------------- */

bool space_carries(const tn_joint_type *type) {
  return type->space.there && type->seat == TN_SEAT_SHARED && type->space.axes >= 0;
}

static void name_of(int i, char name[8]) {
  if (i < 0)
    strcpy(name, "ground");
  else
    name[0] = (char)('a' + i), name[1] = 0;
}

static void some_forces(build *b, int bodies) {
  double g[3];
  char first[8], second[8];
  space_vector(b, 9, g);
  build_set(b, "/gravity", "%s", LIST(3, g));
  build_set(b, "/forces/s1",
            "{\"type\": \"spring\", \"between\": [\"ground\", \"a\"], \"at\": [[2, 1, 0.5], [0.3, 0.2, -0.4]], "
            "\"stiffness\": 20, \"length\": 1, \"damping\": 1.5}");
  name_of(build_integer(b, 0, bodies - 2), first);
  name_of(bodies - 1, second);
  build_set(b, "/forces/s2",
            "{\"type\": \"spring\", \"between\": [\"%s\", \"%s\"], \"on_bodies\": [[0.2, 1, 0.5], [0.3, 0.7, -0.4]], "
            "\"stiffness\": 12, \"length\": 0.5}",
            first, second);
  build_set(b, "/forces/f1",
            "{\"type\": \"force\", \"on\": \"%s\", \"on_body\": [0.3, -0.2, 0.5], \"value\": [\"3 + b.vx\", \"-2*sin(t "
            "+ a.x)\", 1.5], \"axes\": \"body\"}",
            second);
  build_set(b, "/forces/m1",
            "{\"type\": \"torque\", \"on\": \"%s\", \"about\": [1, -2, 0.5], \"value\": \"2 - 0.3*a.w1\", \"axes\": "
            "\"body\"}",
            first);
  for (int i = 0; i < 2; i++) {
    char at[32];
    snprintf(at, sizeof at, "/forces/c%d", i);
    build_set(b, at,
              i ? "{\"type\": \"torque\", \"on\": \"%s\", \"value\": \"1.2 - 0.4*b.wz\"}"
                : "{\"type\": \"spring\", \"on\": \"%s\", \"stiffness\": 7, \"rest\": 0.2, \"damping\": 0.6}",
              b->channel[build_integer(b, 0, b->channels - 1)]);
  }
}

void space_tree(build *b, uint64_t seed, bool relative, int bodies, const tn_joint_type *type, unsigned with) {
  static const char *const coordinates[] = {"quaternion", "euler-parameters", "euler-angles"};
  char name[8], parent[8], joint[16];
  space_new(b, seed);
  build_set(b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
  build_set(b, "/body_coordinates", "\"%s\"", coordinates[seed % 3]);
  build_set(b, "/start/mode", "\"as-given\"");
  build_set(b, "/run/contract/breach", "\"record\"");
  for (int i = 0; i < bodies; i++) {
    name_of(i, name);
    space_body(b, name, NULL);
    place_channels(b, name);
  }
  for (int i = with & SPACE_LOOSE ? 1 : 0; i < bodies; i++) {
    const tn_joint_type *t = type;
    space_given g;
    while (!t) {
      const tn_joint_type *any = tn_joint_types[build_integer(b, 0, tn_joint_type_count - 1)];
      if (space_carries(any)) t = any;
    }
    name_of(i, name);
    name_of(i == 0 ? -1 : build_integer(b, with & SPACE_LOOSE ? 0 : -1, i - 1), parent);
    if (build_integer(b, 0, 2)) name_of(i - 1, parent); /* rather a chain */
    snprintf(joint, sizeof joint, "t%s", name);
    const bool swap = build_integer(b, 0, 1), on = (with & SPACE_ON_BODIES) && build_integer(b, 0, 1);
    space_joint(b, joint, t, swap ? name : parent, swap ? parent : name, on, &g);
    for (const tn_coordinate *k = t->coordinates; k && k->name; k++) space_channel(b, joint, k->name);
  }
  if (with & SPACE_PARTICLE) {
    space_particle(b, "p");
    place_channels(b, "p");
    build_set(b, "/rods/r1",
              "{\"between\": [\"a\", \"p\"], \"on_bodies\": [[0.3, 0.6, -0.2], [0, 0, 0]], \"mass\": 0.8}");
    build_set(b, "/rods/r2",
              "{\"between\": [\"ground\", \"b\"], \"at\": [[2, 2, -1], [0.4, 0.1, 0.3]], \"mass\": 0.5}");
    build_set(b, "/joints/string",
              "{\"type\": \"distance\", \"between\": [\"b\", \"p\"], \"on_bodies\": [[-0.4, 0.1, 0.2], [0, 0, 0]]}");
    build_set(b, "/bodies/b/lumps",
              "[{\"mass\": 0.4, \"at\": [0.3, -0.2, 0.5]}, {\"mass\": 0.2, \"at\": [0, 0.4, 0]}]");
  }
  if (with & SPACE_FORCES) some_forces(b, bodies);
}

/* whether a mesh would take this joint as the bearing of its wheels */
static bool bears(const tn_node *joint) {
  const tn_node *name = tn_node_get(joint, "type");
  for (int i = 0; i < tn_joint_type_count; i++)
    if (name && strcmp(tn_joint_types[i]->name, name->text) == 0)
      return tn_joint_types[i]->seat == TN_SEAT_SHARED && tn_joint_types[i]->space.axes == 1;
  return false;
}

/* whether one hangs on the other in a bearing, so that the wheels of a mesh have one centre */
static bool concentric(const build *b, const char *const body[2]) {
  const tn_node *joints = tn_node_get(b->desc->root, "joints");
  for (const tn_node *j = joints ? joints->first : NULL; j; j = j->next) {
    const tn_node *between = tn_node_get(j, "between");
    if (!between || !bears(j)) continue;
    const char *one = tn_node_item(between, 0)->text, *two = tn_node_item(between, 1)->text;
    for (int k = 0; k < 2; k++)
      if (strcmp(one, body[k]) == 0 && strcmp(two, body[1 - k]) == 0) return true;
  }
  return false;
}

/* The wheels of a mesh, which c may carry. A mesh of wheels with one centre is refused. In a tree of a, b, c, d one pair at
 * least is not held together. */
static void wheels(const build *b, int bodies, const char *body[2]) {
  static const char *const pair[][2] = {{"a", "b"}, {"a", "d"}, {"b", "d"}};
  if (bodies < 3 || strcmp(body[0], "ground") == 0) body[0] = "a", body[1] = "b";
  if (strcmp(body[0], "c") == 0 || strcmp(body[1], "c") == 0) body[0] = "b", body[1] = "a";
  for (int k = 0; bodies > 3 && k < 3 && concentric(b, body); k++) body[0] = pair[k][0], body[1] = pair[k][1];
}

bool space_extra(build *b, int n, int bodies, const tn_joint_type *type) {
  char name[8], first[8], second[8];
  const char *body[2] = {first, second};
  space_given g;
  const int i = build_integer(b, -1, bodies - 1);
  int j = build_integer(b, 0, bodies - 1);
  if (i == j) j = (j + 1) % bodies;
  name_of(i, first);
  name_of(j, second);
  if (type->seat == TN_SEAT_MESH) wheels(b, bodies, body);
  snprintf(name, sizeof name, "x%d", n);
  return space_joint(b, name, type, body[0], body[1], type->seat == TN_SEAT_MESH, &g);
}

/* ---- frames and coordinates that move ---------------------------------------------------------------------------- */

void space_path_random(build *b, space_path *path) {
  double e[4];
  const double l = build_uniform(b, 0.6, 1.8);
  quaternion(b, e);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++) path->r[i][k] = build_uniform(b, -1.5, 1.5);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 6; k++) path->e[i][k] = k ? build_uniform(b, -1, 1) : l * e[i];
}

/* value, first and second derivative */
static void polynomial(const double c[6], double s, double x[3]) {
  x[0] = x[1] = x[2] = 0;
  for (int k = 5; k >= 0; k--) {
    x[2] = x[2] * s + 2 * x[1];
    x[1] = x[1] * s + x[0];
    x[0] = x[0] * s + c[k];
  }
}

/* vector part of x * conj(y) */
static void vector_part(const double x[4], const double y[4], double v[3]) {
  double c[3];
  tn_cross3(x + 1, y + 1, c);
  for (int i = 0; i < 3; i++) v[i] = y[0] * x[1 + i] - x[0] * y[1 + i] - c[i];
}

/* w = 2 vec(edot conj(e))/e'e, al its derivative, in which vec(edot conj(edot)) = 0 */
void space_path_at(const space_path *path, double s, tn_frame3 *f, double a[6]) {
  double e[3][4], x[3], ee = 0, ed = 0;
  *f = (tn_frame3){.a0 = {NAN, NAN, NAN}, .al0 = {NAN, NAN, NAN}};
  for (int i = 0; i < 3; i++) {
    polynomial(path->r[i], s, x);
    f->r[i] = x[0];
    f->v[i] = x[1];
    a[i] = x[2];
  }
  for (int i = 0; i < 4; i++) {
    polynomial(path->e[i], s, x);
    for (int k = 0; k < 3; k++) e[k][i] = x[k];
    ee += x[0] * x[0];
    ed += x[0] * x[1];
  }
  tn_quaternion_rotation(e[0], f->A);
  vector_part(e[1], e[0], f->w);
  vector_part(e[2], e[0], a + 3);
  for (int i = 0; i < 3; i++) {
    f->w[i] *= 2 / ee;
    a[3 + i] = 2 * a[3 + i] / ee - 2 * ed / ee * f->w[i];
  }
}

double space_regular(const tn_joint *j, const tn_frame3 *f) {
  return j->type->space.regular ? j->type->space.regular(j->self, f) : 1;
}

void space_motion_random(build *b, double spread, space_motion *m) {
  m->t = build_uniform(b, 0.1, 1);
  for (int i = 0; i < b->model->nq; i++) {
    m->c[i][0] = b->model->q0[i] + spread * build_uniform(b, -1, 1);
    for (int k = 1; k < 4; k++) m->c[i][k] = build_uniform(b, -1, 1);
  }
}

static void speeds_at(const build *b, const space_motion *m, double s, double *q, double *u) {
  double qdot[BUILD_MOST];
  for (int i = 0; i < b->model->nq; i++) {
    const double *c = m->c[i];
    q[i] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    qdot[i] = c[1] + s * (2 * c[2] + s * 3 * c[3]);
  }
  tn_model_tangent(b->model, q, qdot, u);
}

void space_motion_at(const build *b, const space_motion *m, double s, double *q, double *u, double *udot) {
  static double at[BUILD_MOST][BUILD_STENCIL];
  speeds_at(b, m, s, q, u);
  if (!udot) return;
  for (int k = 0; k < BUILD_STENCIL; k++) {
    double x[BUILD_MOST], v[BUILD_MOST];
    speeds_at(b, m, s + build_offset(k, b->h), x, v);
    for (int i = 0; i < b->model->nu; i++) at[i][k] = v[i];
  }
  for (int i = 0; i < b->model->nu; i++) udot[i] = build_slope(at[i], b->h);
}

/* ---- one state in other coordinates ------------------------------------------------------------------------------ */

static bool solve(int n, double A[49], double x[7]) {
  for (int i = 0; i < n; i++) {
    int p = i;
    for (int k = i + 1; k < n; k++)
      if (fabs(A[k * n + i]) > fabs(A[p * n + i])) p = k;
    if (!(fabs(A[p * n + i]) > 1e-6)) return false;
    for (int c = 0; c < n; c++) {
      const double y = A[i * n + c];
      A[i * n + c] = A[p * n + c];
      A[p * n + c] = y;
    }
    const double y = x[i];
    x[i] = x[p];
    x[p] = y;
    for (int k = i + 1; k < n; k++) {
      const double l = A[k * n + i] / A[i * n + i];
      for (int c = i; c < n; c++) A[k * n + c] -= l * A[i * n + c];
      x[k] -= l * x[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) x[i] -= A[i * n + c] * x[c];
    x[i] /= A[i * n + i];
  }
  return true;
}

bool space_same(const build *from, const build *to, double *q, double *u) {
  static const double rest[8];
  for (int i = 0; i < to->model->bodies; i++) {
    const tn_body *x = &to->model->body[i];
    const tn_frame3 *f = &from->sys.pose.body3[i];
    if (!x->type || strcmp(x->name, from->model->body[i].name) != 0) return false;
    const tn_body3 *type = &x->type->space;
    double S[49] = {0}, v[7] = {0}, C, gamma;
    tn_frame3 unused;
    type->from_pose(f->r, f->A, q + x->q);
    type->motion(q + x->q, rest, &unused, S);
    memcpy(v, f->v, sizeof f->v);
    if (x->nu > 3) memcpy(v + 3, f->w, sizeof f->w);
    if (x->nu > 6) type->own(q + x->q, rest, &C, S + 6 * x->nu, &gamma);
    if (!solve(x->nu, S, v)) return false;
    memcpy(u + x->u, v, sizeof *v * (size_t)x->nu);
  }
  return true;
}
