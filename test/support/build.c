#include "support/build.h"

#include "support/equation.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a model on its way from description to simulation -------------------------------------------------------------- */

void build_fail(build *b, const char *format, ...) {
  if (b->failed) return;
  b->failed = true;
  va_list args;
  va_start(args, format);
  vsnprintf(b->message, sizeof b->message, format, args);
  va_end(args);
}

static bool tried(build *b, tn_status status, const tn_error *e) {
  char text[1000];
  if (status == TN_OK) return true;
  tn_error_text(e, text, sizeof text);
  build_fail(b, "%s", text);
  return false;
}

void build_new(build *b, uint64_t seed) {
  tn_error e;
  memset(b, 0, sizeof *b);
  b->h = BUILD_STEP;
  b->random = 0x9e3779b97f4a7c15u * (seed + 1);
  for (int i = 0; i < 8; i++) build_uniform(b, 0, 1);
  if (tn_desc_new(NULL, &b->desc, &e) != TN_OK) abort();
  build_set(b, "/tenon", "1");
  build_set(b, "/dimension", "2");
}

void build_free(build *b) {
  tn_sim_free(b->sim);
  tn_block_free(NULL, b->block);
  tn_model_free(b->model);
  tn_desc_free(b->desc);
  b->sim = NULL;
  b->block = NULL;
  b->model = NULL;
  b->desc = NULL;
}

void build_set(build *b, const char *pointer, const char *format, ...) {
  char text[8192];
  tn_error e;
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof text) abort();
  tried(b, tn_desc_json(b->desc, pointer, text, &e), &e);
}

void build_read(build *b, const char *model) {
  char path[512];
  tn_error e;
  snprintf(path, sizeof path, TN_SOURCE_DIR "/models/%s.json", model);
  tried(b, tn_desc_read(b->desc, path, &e), &e);
}

void build_parse(build *b, const char *text) {
  tn_error e;
  tried(b, tn_desc_parse(b->desc, "test", text, strlen(text), &e), &e);
}

bool build_compile(build *b) {
  tn_error e;
  if (b->failed || b->model) return !b->failed;
  if (!tried(b, tn_compile(b->desc, &b->model, &e), &e)) return false;
  if (b->model->nq > BUILD_MOST || b->model->rows > BUILD_MOST) {
    build_fail(b, "more than %d coordinates or rows: raise BUILD_MOST", BUILD_MOST);
    return false;
  }
  tn_carve c = {NULL, 0};
  tn_system_carve(&b->sys, &c, b->model);
  if (!(b->block = tn_block_new(NULL, c.used))) abort();
  c = (tn_carve){b->block, 0};
  tn_system_carve(&b->sys, &c, b->model);
  return true;
}

void build_tight(build *b, double until, double every) {
  build_set(b, "/run/integrator", "{\"type\": \"dopri5\", \"rtol\": 1e-12, \"atol\": 1e-12}");
  build_set(b, "/run/until", "%.17g", until);
  build_set(b, "/run/every", "%.17g", every);
}

bool build_simulate(build *b) {
  tn_error e;
  if (!build_compile(b)) return false;
  return tried(b, tn_sim_new(b->model, &b->sim, &e), &e) && tried(b, tn_sim_start(b->sim, &e), &e);
}

double build_channel(build *b, const char *format, ...) {
  char name[128];
  tn_error e;
  double value = NAN;
  va_list args;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  if (!b->sim || !tried(b, tn_sim_channel(b->sim, name, &value, &e), &e)) return NAN;
  return value;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

int build_models(char (*name)[64], int most) {
  DIR *dir = opendir(TN_SOURCE_DIR "/models");
  int n = 0;
  for (struct dirent *d; dir && n < most && (d = readdir(dir));) {
    const size_t size = strlen(d->d_name);
    if (size < 6 || size > 60 || d->d_name[0] == '.' || strcmp(d->d_name + size - 5, ".json") != 0) continue;
    memcpy(name[n], d->d_name, size - 5);
    name[n++][size - 5] = 0;
  }
  if (dir) closedir(dir);
  qsort(name, (size_t)n, sizeof *name, by_name);
  return n;
}

double build_uniform(build *b, double lo, double hi) {
  b->random = b->random * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(b->random >> 11) * 0x1p-53;
}

int build_integer(build *b, int lo, int hi) { return lo + (int)(build_uniform(b, 0, 1) * (hi - lo + 1)); }

/* ---- rows of a run --------------------------------------------------------------------------------------------------- */

static tn_status keep_row(void *user, double t, int n, const double *values) {
  build_table *table = user;
  const size_t width = (size_t)n + 1;
  if (table->rows == table->room) {
    table->room = 2 * table->room + 64;
    table->value = realloc(table->value, sizeof *table->value * width * (size_t)table->room);
    if (!table->value) abort();
  }
  double *row = table->value + width * (size_t)table->rows++;
  table->columns = n;
  row[0] = t;
  memcpy(row + 1, values, sizeof *values * (size_t)n);
  return TN_OK;
}

bool build_run(build *b, build_table *table) {
  tn_error e;
  memset(table, 0, sizeof *table);
  return b->sim && tried(b, tn_sim_run(b->sim, keep_row, table, &e), &e);
}

void build_table_free(build_table *table) {
  free(table->value);
  memset(table, 0, sizeof *table);
}

double build_at(const build_table *t, int row, int column) {
  if (row < 0 || row >= t->rows || column < -1 || column >= t->columns) return NAN;
  return t->value[(size_t)row * ((size_t)t->columns + 1) + (size_t)(column + 1)];
}

int build_column(const build *b, const char *name) {
  for (int i = 0; b->sim && i < tn_sim_columns(b->sim); i++)
    if (strcmp(tn_sim_column(b->sim, i), name) == 0) return i;
  return -2;
}

/* ---- random parts of a type ------------------------------------------------------------------------------------------ */

static void add_channel(build *b, const char *part, const char *word) {
  if (b->channels < 32) snprintf(b->channel[b->channels++], sizeof *b->channel, "%.20s.%.16s", part, word);
}

static void place(build *b, char text[64]) {
  snprintf(text, 64, "[%.17g, %.17g]", build_uniform(b, -1.5, 1.5), build_uniform(b, -1.5, 1.5));
}

void build_world(build *b) {
  static const char *const body[] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/bodies/%s", body[i]);
    build_set(b, pointer,
              "{\"mass\": %.17g, \"inertia\": %.17g, \"center\": [%.17g, %.17g], \"position\": [%.17g, %.17g], "
              "\"angle\": %.17g}",
              build_uniform(b, 0.5, 3), build_uniform(b, 0.1, 1), build_uniform(b, -0.4, 0.4),
              build_uniform(b, -0.4, 0.4), build_uniform(b, -1.5, 1.5), build_uniform(b, -1.5, 1.5),
              build_uniform(b, -3, 3));
    add_channel(b, body[i], "x");
    add_channel(b, body[i], "y");
    add_channel(b, body[i], "angle");
  }
  build_set(b, "/bodies/p", "{\"mass\": %.17g, \"position\": [%.17g, %.17g], \"coordinates\": \"point\"}",
            build_uniform(b, 0.5, 3), build_uniform(b, 1.6, 2.5), build_uniform(b, 1.6, 2.5));
  add_channel(b, "p", "x");
  add_channel(b, "p", "y");
}

void build_helpers(build *b, int places) {
  static const char *const pair[][2] = {{"a", "b"}, {"c", "b"}, {"ground", "a"}, {"c", "ground"}};
  int n = 0;
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    char name[16];
    build_given given;
    if (!type->coordinates || !type->plane.there) continue;
    snprintf(name, sizeof name, "h%d", n);
    if (!build_joint(b, name, type, pair[n % 4][0], pair[n % 4][1], places, &given)) return;
    n++;
    for (const tn_coordinate *k = type->coordinates; k->name; k++) add_channel(b, name, k->name);
  }
}

static int words_in(const char *choices) {
  int n = 1;
  for (; *choices; choices++) n += *choices == ' ';
  return n;
}

static void word(const char *choices, int i, char *text, size_t size) {
  for (; i > 0; i--) choices = strchr(choices, ' ') + 1;
  snprintf(text, size, "%.*s", (int)strcspn(choices, " "), choices);
}

/* in its range */
static double random_number(build *b, const tn_field *f) {
  const bool any = !tn_field_has_range(f);
  const double lo = any ? -2 : f->lo, hi = any ? 1 : isfinite(f->hi) ? f->hi : lo + 3;
  return lo + (hi - lo) * build_uniform(b, 0.1, 0.9);
}

int build_whole(build *b, const tn_field *f) {
  const bool any = !tn_field_has_range(f);
  const int lo = any ? -3 : (int)ceil(f->lo), hi = any ? 5 : f->hi < lo + 6 ? (int)f->hi : lo + 6;
  return build_integer(b, lo, hi);
}

/* a list of as many as it says: 0 are two, in the plane */
static int numbers_in(const tn_field *f) { return f->n ? f->n : 2; }

/* a function of t; of a and b too when it may run */
static void random_expression(build *b, char *text, size_t size, bool running) {
  int n =
      snprintf(text, size, "%.4f*sin(%.3f*t + %.3f) + %.3f*t^2 - %.3f", build_uniform(b, 0.2, 0.8),
               build_uniform(b, 1, 3), build_uniform(b, 0, 3), build_uniform(b, 0.1, 0.5), build_uniform(b, 0.1, 1));
  if (running)
    snprintf(text + n, size - (size_t)n, " + %.3f*sin(a.x + 2*b.y) - %.3f*a.rate*b.vx + %.3f*cos(b.angle)",
             build_uniform(b, 0.2, 1), build_uniform(b, 0.2, 0.6), build_uniform(b, 0.2, 1));
}

/* G'G: symmetric, without negative eigenvalues; or its diagonal */
void build_matrix(build *b, const char *at, int n) {
  double G[36];
  char text[1200] = "[";
  const bool whole = build_integer(b, 0, 1);
  for (int i = 0; i < n * n; i++) G[i] = build_uniform(b, -1, 1);
  for (int i = 0; i < n; i++) {
    if (whole) strcat(text, i ? ", [" : "[");
    for (int j = 0; j < n; j++) {
      double sum = 0;
      const size_t used = strlen(text);
      for (int k = 0; k < n; k++) sum += 4 * G[k * n + i] * G[k * n + j];
      if (whole || i == j) snprintf(text + used, sizeof text - used, "%s%.17g", (whole ? j : i) ? ", " : "", sum);
    }
    if (whole) strcat(text, "]");
  }
  build_set(b, at, "%s]", text);
}

static bool random_field(build *b, const char *at, const tn_field *f, unsigned *chosen) {
  char text[400];
  switch (f->kind) {
  case TN_NUMBER: build_set(b, at, "%.17g", random_number(b, f)); return true;
  case TN_INTEGER: build_set(b, at, "%d", build_whole(b, f)); return true;
  case TN_VECTOR: {
    char list[200] = "[";
    for (int i = 0; i < numbers_in(f); i++) {
      const size_t used = strlen(list);
      snprintf(list + used, sizeof list - used, "%s%.17g", i ? ", " : "", random_number(b, f));
    }
    build_set(b, at, "%s]", list);
    return true;
  }
  case TN_MATRIX: build_matrix(b, at, f->n ? f->n : 3); return true;
  case TN_WORD: {
    const int i = build_integer(b, 0, words_in(f->choices) - 1);
    *chosen = 1u << i;
    word(f->choices, i, text, sizeof text);
    build_set(b, at, "\"%s\"", text);
    return true;
  }
  case TN_BOOLEAN: build_set(b, at, build_integer(b, 0, 1) ? "true" : "false"); return true;
  case TN_TIME:
    random_expression(b, text, sizeof text, false);
    build_set(b, at, "\"%s\"", text);
    return true;
  case TN_RUNNING:
    for (int i = 0; i < numbers_in(f); i++) {
      char item[160];
      snprintf(item, sizeof item, numbers_in(f) > 1 ? "%s/-" : "%s", at);
      random_expression(b, text, sizeof text, true);
      build_set(b, item, "\"%s\"", text);
    }
    return true;
  case TN_DIRECTION: build_set(b, at, "[%.17g, %.17g]", build_uniform(b, 0.2, 1), build_uniform(b, -1, 1)); return true;
  case TN_LIST: {
    static const char *const list[] = {"[\"a\"]", "[\"a\", \"b\", \"c\", \"p\"]", "[\"c\", \"b\"]",
                                       "[\"b\", \"p\", \"a\"]"};
    build_set(b, at, "%s", list[build_integer(b, 0, 3)]);
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
  build_fail(b, "field `%s` is of a kind that build.c cannot make", f->key);
  return false;
}

static bool random_fields(build *b, const char *part, const tn_field *fields, build_given *given) {
  memset(given, 0, sizeof *given);
  for (int i = 0; fields && fields[i].key; i++) {
    const tn_field *f = &fields[i];
    char at[128];
    if (!f->required && build_integer(b, 0, 1)) continue;
    snprintf(at, sizeof at, "%s/%s", part, f->key);
    if (!random_field(b, at, f, &given->words[i])) return false;
    given->fields |= 1u << i;
  }
  return !b->failed;
}

void build_given_too(build_given *all, const build_given *given) {
  all->fields |= given->fields;
  for (int i = 0; i < 32; i++) all->words[i] |= given->words[i];
}

const char *build_missing(const tn_field *fields, const build_given *given, char *text, size_t size) {
  for (int i = 0; fields && fields[i].key; i++) {
    if (!(given->fields >> i & 1)) return fields[i].key;
    if (fields[i].kind != TN_WORD) continue;
    for (int k = 0; k < words_in(fields[i].choices); k++) {
      if (given->words[i] >> k & 1) continue;
      word(fields[i].choices, k, text, size);
      return text;
    }
  }
  return NULL;
}

/* two different ones of a b c p ground; a particle only where it need not turn */
static void pick(build *b, unsigned oriented, const char *body[2]) {
  static const char *const all[] = {"ground", "a", "b", "c", "p"};
  for (int i = 0; i < 2; i++)
    while (!body[i]) {
      const char *x = all[build_integer(b, 0, 4)];
      if (!(oriented >> i & 1 && strcmp(x, "p") == 0) && !(body[1 - i] && strcmp(body[1 - i], x) == 0)) body[i] = x;
    }
}

static void two_places(build *b, const char *part, const char *const body[2], bool shared, bool on_bodies) {
  const bool particle[2] = {strcmp(body[0], "p") == 0, strcmp(body[1], "p") == 0};
  char at[64], p[2][64];
  for (int i = 0; i < 2; i++) {
    place(b, p[i]);
    if (particle[i]) strcpy(p[i], "[0, 0]");
  }
  if (particle[0] || particle[1]) on_bodies = true;
  snprintf(at, sizeof at, "%s/%s", part, on_bodies ? "on_bodies" : "at");
  if (shared && !on_bodies)
    build_set(b, at, "%s", p[0]);
  else
    build_set(b, at, "[%s, %s]", p[0], p[1]);
}

/* a carrier that is neither of the two; none: the ground, where that is not one of them. its wheels have different centres: see
 * build_world */
static void carrier(build *b, const char *part, const char *const body[2]) {
  static const char *const all[] = {"ground", "a", "b", "c"};
  char at[64];
  const bool grounded = strcmp(body[0], "ground") == 0 || strcmp(body[1], "ground") == 0;
  int i = build_integer(b, grounded ? 1 : 0, grounded ? 3 : 4);
  if (i > 3) return;
  while (grounded && (strcmp(all[i], body[0]) == 0 || strcmp(all[i], body[1]) == 0)) i = i % 3 + 1;
  if (strcmp(all[i], body[0]) == 0 || strcmp(all[i], body[1]) == 0) return;
  snprintf(at, sizeof at, "%s/carrier", part);
  build_set(b, at, "\"%s\"", all[i]);
}

bool build_joint(build *b, const char *name, const tn_joint_type *type, const char *first, const char *second,
                 int places, build_given *given) {
  const char *body[2] = {first, second};
  char part[40], at[64];
  snprintf(part, sizeof part, "/joints/%s", name);
  snprintf(at, sizeof at, "%s/type", part);
  build_set(b, at, "\"%s\"", type->name);
  switch (type->seat) {
  case TN_SEAT_SHARED:
  case TN_SEAT_TWO:
    pick(b, type->oriented, body);
    snprintf(at, sizeof at, "%s/between", part);
    build_set(b, at, "[\"%s\", \"%s\"]", body[0], body[1]);
    two_places(b, part, body, type->seat == TN_SEAT_SHARED, places);
    break;
  case TN_SEAT_MESH:
    pick(b, type->oriented, body);
    snprintf(at, sizeof at, "%s/between", part);
    build_set(b, at, "[\"%s\", \"%s\"]", body[0], body[1]);
    carrier(b, part, body);
    break;
  case TN_SEAT_NOWHERE:
    pick(b, type->oriented, body);
    snprintf(at, sizeof at, "%s/between", part);
    build_set(b, at, "[\"%s\", \"%s\"]", body[0], body[1]);
    break;
  case TN_SEAT_CENTERS:
  case TN_SEAT_CHANNELS: break;
  default: build_fail(b, "a joint with seat %d is not known to build.c", (int)type->seat); return false;
  }
  if (type->plane.has_axis) {
    snprintf(at, sizeof at, "%s/axis", part);
    build_set(b, at, "[%.17g, %.17g]", build_uniform(b, -1, 1), build_uniform(b, -1, 1));
  }
  if (type->equation) return build_equation(b, part, type, false, given);
  return random_fields(b, part, type->fields, given);
}

bool build_force(build *b, const char *name, const tn_force_type *type, int how, build_given *given) {
  static const char *const body[2] = {"a", "b"};
  char part[40], at[64], p[64];
  snprintf(part, sizeof part, "/forces/%s", name);
  snprintf(at, sizeof at, "%s/type", part);
  build_set(b, at, "\"%s\"", type->name);
  snprintf(at, sizeof at, "%s/on", part);
  if (how == TN_ON_BODY) {
    build_set(b, at, "\"a\"");
    if (type->takes & TN_AT_POINT) {
      place(b, p);
      snprintf(at, sizeof at, "%s/%s", part, build_integer(b, 0, 1) ? "at" : "on_body");
      build_set(b, at, "%s", p);
    }
  } else if (how == TN_ON_CHANNEL) {
    build_set(b, at, "\"%s\"", b->channel[build_integer(b, 0, b->channels - 1)]);
  } else if (how == TN_BETWEEN) {
    snprintf(at, sizeof at, "%s/between", part);
    build_set(b, at, "[\"a\", \"b\"]");
    two_places(b, part, body, type->takes & TN_SHARED, build_integer(b, 0, 1));
    if (type->takes & TN_SHARED && build_integer(b, 0, 1)) {
      snprintf(at, sizeof at, "%s/axis", part);
      build_set(b, at, "[%.17g, %.17g]", build_uniform(b, -1, 1), build_uniform(b, -1, 1));
    }
  } else {
    build_fail(b, "a force that acts in the way %d is not known to build.c", how);
    return false;
  }
  return random_fields(b, part, type->fields, given);
}

/* ---- derivatives are judged by convergence ------------------------------------------------------------------------------ */

double build_converged(build *b, build_error error, const void *of, double tolerance, tn_smooth smooth) {
  const uint64_t random = b->random;
  const double falls = smooth == TN_ANALYTIC ? 8 : 1.6;
  double before = INFINITY, most = 0;
  bool all = true;
  b->h = BUILD_STEP;
  for (int k = 0; k <= 6; k++, b->h /= 2) {
    b->random = random;
    double e = error(b, of);
    if (isnan(e)) e = INFINITY;
    const bool fell = !(e > before / falls);
    if (e <= tolerance && (fell || e <= tolerance / 8)) {
      b->h = BUILD_STEP;
      return e;
    }
    most = fmax(most, e);
    all = all && fell;
    before = e;
  }
  b->h = BUILD_STEP;
  return all && smooth != TN_ANALYTIC ? tolerance : most;
}

static tn_smooth rougher(tn_smooth a, tn_smooth b) { return a == TN_ANALYTIC ? b : b == TN_ANALYTIC || a < b ? a : b; }

tn_smooth build_smooth(const tn_model *m) {
  tn_smooth smooth = TN_ANALYTIC;
  for (int i = 0; i < m->joints; i++) smooth = rougher(smooth, m->joint[i].type->smooth);
  for (int i = 0; i < m->forces; i++) smooth = rougher(smooth, m->force[i].type->smooth);
  return smooth;
}

/* ---- motions and differences ------------------------------------------------------------------------------------------ */

void build_states_random(build *b, double t, const double *q, const double *u, build_states *states) {
  const int n = b->model->states;
  if (n > 16) build_fail(b, "more states than there is room for");
  for (int i = 0; i < n && i < 16; i++) states->x[i] = build_uniform(b, -2, 2);
  tn_system_move_states(&b->sys, states->x);
  tn_assemble(&b->sys, t, q, u);
  memcpy(states->rate, b->sys.forces.state_rate, sizeof *states->rate * (size_t)(n < 16 ? n : 16));
}

void build_states_at(build *b, const build_states *states, double s) {
  double x[16] = {0};
  for (int i = 0; i < b->model->states && i < 16; i++) x[i] = states->x[i] + s * states->rate[i] + 0.3 * s * s;
  tn_system_move_states(&b->sys, x);
}

void build_frames(tn_system *s, double t, const double *q, const double *u) {
  tn_system_move(s, t, q, u, NULL);
  tn_kinematics(s);
}

void build_rows_at(tn_system *s, double t, const double *q) {
  double u[BUILD_MOST];
  memcpy(u, s->at.u, sizeof *u * (size_t)s->m->nu);
  tn_system_move(s, t, q, u, NULL);
  tn_need(s, TN_LEVEL_ROWS);
}

double build_slope(const double f[BUILD_STENCIL], double h) {
  return (45 * (f[3] - f[2]) - 9 * (f[4] - f[1]) + (f[5] - f[0])) / (60 * h);
}

double build_offset(int k, double h) { return (k < 3 ? k - 3 : k - 2) * h; }

void build_path_random(build *b, build_path *path) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++) path->p[i][k] = build_uniform(b, -1, 1) * (i == 2 && k == 0 ? 3 : 1.5);
}

void build_path_at(const build_path *path, double s, tn_frame2 *f, double acceleration[3]) {
  double x[3], v[3];
  for (int i = 0; i < 3; i++) {
    x[i] = v[i] = acceleration[i] = 0;
    for (int k = 5; k >= 0; k--) {
      acceleration[i] = acceleration[i] * s + 2 * v[i];
      v[i] = v[i] * s + x[i];
      x[i] = x[i] * s + path->p[i][k];
    }
  }
  *f = (tn_frame2){.r = {x[0], x[1]},
                   .angle = x[2],
                   .c = cos(x[2]),
                   .s = sin(x[2]),
                   .v = {v[0], v[1]},
                   .w = v[2],
                   .a0 = {NAN, NAN},
                   .al0 = NAN};
}

void build_motion_random(build *b, double spread, build_motion *m) {
  const tn_model *model = b->model;
  double away[BUILD_MOST];
  m->t = build_uniform(b, 0.1, 1);
  for (int i = 0; i < model->nu; i++) {
    away[i] = spread * build_uniform(b, -1, 1);
    m->u[i] = build_uniform(b, -1.5, 1.5);
    m->a[i] = build_uniform(b, -2, 2);
    m->j[i] = build_uniform(b, -2, 2);
  }
  memcpy(m->q, model->q0, sizeof *m->q * (size_t)model->nq);
  tn_model_add(model, m->q, away);
}

void build_motion_at(const build *b, const build_motion *m, double s, double *q, double *u) {
  double way[BUILD_MOST];
  for (int i = 0; i < b->model->nu; i++) {
    way[i] = s * (m->u[i] + s / 2 * (m->a[i] + s / 3 * m->j[i]));
    u[i] = m->u[i] + s * (m->a[i] + s / 2 * m->j[i]);
  }
  memcpy(q, m->q, sizeof *q * (size_t)b->model->nq);
  tn_model_add(b->model, q, way);
}

double build_force_regular(build *b, double t, const double *q, const double *u) {
  const tn_force *p = &b->model->force[0];
  tn_frame2 f2[2];
  tn_frame3 f3[2];
  const bool plane = b->model->dimension == 2;
  tn_force_in in = {.t = t, .how = p->how, .f = plane ? f2 : NULL, .f3 = plane ? NULL : f3, .system = &b->sys};
  double accel0;
  if (!p->type->regular) return 1;
  build_frames(&b->sys, t, q, u);
  if (p->how == TN_ON_CHANNEL) tn_measure_eval(&b->sys, &p->on, &in.value, &in.rate, &accel0, NULL);
  for (int k = 0; k < (p->how == TN_BETWEEN ? 2 : p->how == TN_ON_BODY); k++)
    if (plane)
      tn_frame_on(&b->sys, &p->spot[k], &f2[k]);
    else
      tn_frame3_on(&b->sys, &p->spot[k], &f3[k]);
  return p->type->regular(p->self, &in);
}

double build_force_at_random(build *b, double spread) {
  build_motion m;
  build_states states;
  double most = 0;
  build_motion_random(b, spread, &m);
  build_states_random(b, m.t, m.q, m.u, &states);
  for (int i = 0; i < b->model->nu; i++) most = fmax(most, fabs(b->sys.f[i]));
  return most;
}

void build_worst(double *worst, double value, double expected, double scale) {
  const double err = fabs(value - expected) / (1 + scale);
  if (!(err <= *worst)) *worst = isnan(err) ? INFINITY : err;
}

/* the row is the derivative of C everywhere: not that of a mesh, where it is so in bearings only (gear.c) */
static bool derived(const build *b, int row) {
  const tn_model *m = b->model;
  return m->joint[m->row_joint[row]].type->seat != TN_SEAT_MESH;
}

void build_rows(build *b, const build_motion *m, build_errors *worst) {
  static double C[BUILD_MOST][BUILD_STENCIL], V[BUILD_MOST][BUILD_STENCIL];
  tn_system *s = &b->sys;
  const int rows = b->model->rows, holonomic = b->model->holonomic, nu = b->model->nu;
  double q[BUILD_MOST], u[BUILD_MOST], A[BUILD_MOST], Ct[BUILD_MOST], way[BUILD_MOST] = {0};
  for (int k = 0; k < BUILD_STENCIL; k++) {
    const double ds = build_offset(k, b->h);
    build_motion_at(b, m, ds, q, u);
    tn_assemble(s, m->t + ds, q, u);
    for (int r = 0; r < rows; r++) C[r][k] = s->rows.C[r], V[r][k] = s->rows.Cdot[r];
  }
  tn_assemble(s, m->t, m->q, m->u);
  for (int r = 0; r < rows; r++) {
    double Au = s->rows.Ct[r], Aa = -s->rows.gamma[r], size = fabs(Aa);
    for (int i = 0; i < nu; i++) {
      const double a = s->A[r * nu + i];
      Au += a * m->u[i];
      Aa += a * m->a[i];
      size += fabs(a * m->a[i]);
    }
    build_worst(&worst->Cdot, s->rows.Cdot[r], Au, fabs(Au));
    if (r < holonomic && derived(b, r)) build_worst(&worst->Cdot, Au, build_slope(C[r], b->h), fabs(Au));
    build_worst(&worst->gamma, Aa, build_slope(V[r], b->h), size);
    Ct[r] = s->rows.Ct[r];
  }
  for (int i = 0; i <= nu; i++) { /* along each speed alone; last the time */
    for (int r = 0; r < rows; r++) A[r] = i < nu ? s->A[r * nu + i] : Ct[r];
    for (int k = 0; k < BUILD_STENCIL; k++) {
      const double ds = build_offset(k, b->h);
      memcpy(q, m->q, sizeof *q * (size_t)b->model->nq);
      if (i < nu) way[i] = ds, tn_model_add(b->model, q, way), way[i] = 0;
      build_rows_at(s, i < nu ? m->t : m->t + ds, q);
      for (int r = 0; r < holonomic; r++) C[r][k] = s->rows.C[r];
    }
    for (int r = 0; r < holonomic; r++)
      if (derived(b, r)) build_worst(i < nu ? &worst->A : &worst->Ct, A[r], build_slope(C[r], b->h), fabs(A[r]));
  }
}

void build_kinematics(build *b, const build_motion *m, build_errors *worst) {
  static double r[BUILD_MOST][3][BUILD_STENCIL], v[BUILD_MOST][3][BUILD_STENCIL];
  tn_system *s = &b->sys;
  double q[BUILD_MOST], u[BUILD_MOST];
  for (int k = 0; k < BUILD_STENCIL; k++) {
    build_motion_at(b, m, build_offset(k, b->h), q, u);
    build_frames(s, m->t, q, u);
    for (int i = 0; i < b->model->bodies; i++) {
      const tn_frame2 *f = &s->pose.body[i];
      for (int d = 0; d < 2; d++) r[i][d][k] = f->r[d], v[i][d][k] = f->v[d];
      r[i][2][k] = f->angle, v[i][2][k] = f->w;
      build_worst(&worst->twist, f->c, cos(f->angle), 0);
      build_worst(&worst->twist, f->s, sin(f->angle), 0);
    }
  }
  build_frames(s, m->t, m->q, m->u);
  tn_need(s, TN_LEVEL_MATRICES);
  for (int i = 0; i < b->model->bodies; i++) {
    const tn_body *body = &b->model->body[i];
    const tn_frame2 *f = &s->pose.body[i];
    const double twist[3] = {f->v[0], f->v[1], f->w}, bias[3] = {f->a0[0], f->a0[1], f->al0};
    for (int d = 0; d < 3; d++) {
      double Ju = 0, a = bias[d], size = fabs(a);
      for (int c = 0; c < body->cols; c++) {
        const double J = s->J[i][d * body->cols + c];
        Ju += J * m->u[body->col[c]];
        a += J * m->a[body->col[c]];
        size += fabs(J * m->a[body->col[c]]);
      }
      build_worst(&worst->twist, twist[d], build_slope(r[i][d], b->h), fabs(twist[d]));
      build_worst(&worst->axes, Ju, twist[d], fabs(twist[d]));
      build_worst(&worst->bias, a, build_slope(v[i][d], b->h), size);
    }
  }
}
