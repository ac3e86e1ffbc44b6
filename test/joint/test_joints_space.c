/* every joint type in the registry that is there in space, by random instances compiled from generated models, so that
 * the frames are those that the compiler places: rows and gamma against differences, what it measures, what it allows,
 * and its use in a tree. a type that cannot be built here fails.
 *
 * along a motion of the frames with twists tw and accelerations (a, al):
 *   dC/dt = J tw + Ct,  d(J tw + Ct)/dt = J (a, al) - gamma
 *   dm/dt = Jm tw,      d(Jm tw)/dt = Jm (a, al) - gamma_m                  m: its coordinates */
#include "joint/joint.h"
#include "simulate/simulate.h"
#include "support/space.h"
#include "test.h"

enum { INSTANCES = 100, MOST_FRAMES = 4 };

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* a joint of the type, alone in its model but for what its channels are of and its wheels turn in */
static bool instance(build *b, const tn_joint_type *type, int seed, space_given *g) {
  space_new(b, (uint64_t)seed);
  space_world(b);
  if (type->seat == TN_SEAT_CHANNELS) space_helpers(b);
  return space_joint(b, "j", type, NULL, NULL, seed & 1, g) && build_compile(b);
}

static const tn_joint *joint_of(const build *b) {
  for (int i = 0; i < b->model->joints; i++)
    if (strcmp(b->model->joint[i].name, "j") == 0) return &b->model->joint[i];
  abort();
}

typedef double (*check)(build *b, const tn_joint *j, const space_given *g);

typedef struct trial {
  check f;
  const tn_joint *j;
  const space_given *g;
} trial;

static double error_of(build *b, const void *of) {
  const trial *x = of;
  return x->f(b, x->j, x->g);
}

/* the worst of `check` over instances of each type; a check returns a negative number where it does not apply */
static void each_type(const char *what, double tolerance, int least, check f) {
  int types = 0;
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    double worst = -1;
    int checked = 0;
    if (!type->space.there || type->seat == TN_SEAT_CHANNELS) continue; /* rows on channels: test_assemble_space */
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      space_given g;
      if (instance(&b, type, n, &g)) {
        const trial x = {f, joint_of(&b), &g};
        const double err = build_converged(&b, error_of, &x, tolerance, type->smooth);
        if (!(err <= worst)) worst = isnan(err) ? INFINITY : err;
        checked += !(err < 0);
      }
      build_free(&b);
    }
    if (!checked) continue;
    types++;
    printf("%-18s %-22s %.1e (%d)\n", type->name, what, worst, checked);
    if (!(worst <= tolerance)) FAIL("joint %s: %s is off by %.3g > %.3g", type->name, what, worst, tolerance);
  }
  CHECK(types >= least);
}

/* ---- types and their tables -------------------------------------------------------------------------------------- */

static int given_in(const build_given *given) {
  int n = 0;
  for (unsigned left = given->fields; left; left &= left - 1) n++;
  return n;
}

/* it was refused at one of its own fields, of which it was given two or more: these may exclude each other */
static bool excludes(const tn_joint_type *type, const space_given *g, const char *message) {
  const tn_field *const tables[] = {type->fields, type->fields_space};
  for (int i = 0; i < 2; i++)
    for (const tn_field *f = tables[i]; f && f->key; f++) {
      char at[80];
      snprintf(at, sizeof at, "(at /joints/j/%s)", f->key);
      if (strstr(message, at)) return given_in(&g->fields) + given_in(&g->fields_space) > 1;
    }
  return false;
}

TEST_FULL(every_type_can_be_built_with_every_field) {
  int types = 0;
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    build_given all[2] = {0};
    int built = 0, exclusive = 0;
    char why[1200] = "", text[64];
    if (!type->space.there) continue;
    types++;
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      space_given g;
      if (instance(&b, type, n, &g)) {
        built++;
        build_given_too(&all[0], &g.fields);
        build_given_too(&all[1], &g.fields_space);
      } else {
        snprintf(why, sizeof why, "%s", b.message);
        exclusive += excludes(type, &g, b.message);
      }
      build_free(&b);
    }
    const char *missing = build_missing(type->fields, &all[0], text, sizeof text);
    if (!missing) missing = build_missing(type->fields_space, &all[1], text, sizeof text);
    if (built + exclusive < INSTANCES || built < INSTANCES / 2)
      FAIL("joint %s: only %d of %d were accepted: %s", type->name, built, INSTANCES, why);
    if (exclusive) printf("joint %s: %d refused for fields that exclude each other\n", type->name, exclusive);
    if (missing) FAIL("joint %s: `%s` was never accepted: %s", type->name, missing, why);
  }
  printf("%d types\n", types);
  CHECK(types >= 20);
}

TEST(every_table_is_complete) {
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    const tn_joint3 *p = &type->space;
    int coordinates = 0, carried = 0;
    if (!p->there) continue;
    for (const tn_coordinate *k = type->coordinates; k && k->name; k++) coordinates++;
    for (const tn_coordinate *k = p->carried; k && k->name; k++) carried++;
    CHECK(p->rows + p->rows_velocity_only <= 6);
    if (type->seat == TN_SEAT_CHANNELS) {
      if (!type->value == !type->equation || p->rows != 1)
        FAIL("joint %s: a row on channels needs `value` or `equation` and one row", type->name);
      continue;
    }
    if (p->rows + p->rows_velocity_only > 0 && !p->list && (!p->position || !p->rows_on_twists || !p->rates))
      FAIL("joint %s: rows without functions", type->name);
    if (!p->memory != !p->accept) FAIL("joint %s: memory and `accept` go together", type->name);
    if (coordinates && !p->measure) FAIL("joint %s: coordinates without `measure`", type->name);
    if (p->axes < 0) continue;
    if (!p->motion) FAIL("joint %s: axes without `motion`", type->name);
    if (p->rows + p->axes != 6) FAIL("joint %s: %d rows and %d axes", type->name, p->rows, p->axes);
    if (p->chart ? p->chart->nu != p->axes : p->axes != (carried ? carried : coordinates))
      FAIL("joint %s: %d axes, and not as many names", type->name, p->axes);
  }
}

/* ---- frames where the compiler puts them ------------------------------------------------------------------------- */

static void given_frames(build *b, const tn_joint *j, tn_frame3 *f) {
  static const double rest[BUILD_MOST];
  build_frames(&b->sys, 0, b->model->q0, rest);
  for (int k = 0; k < j->frames; k++) tn_frame3_on(&b->sys, &j->spot[k], &f[k]);
}

static double distance(const double a[3], const double b[3]) {
  double d[3];
  tn_sub3(a, b, d);
  return tn_norm3(d);
}

static double frames_are_where_they_were_put(build *b, const tn_joint *j, const space_given *g) {
  tn_frame3 f[MOST_FRAMES];
  double err = 0;
  if (j->type->seat != TN_SEAT_SHARED && j->type->seat != TN_SEAT_TWO && j->type->seat != TN_SEAT_NOWHERE) return -1;
  given_frames(b, j, f);
  for (int k = 0; k < 2; k++) {
    const int body = j->spot[k].body;
    const tn_pose ground = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, *pose = body < 0 ? &ground : &b->model->body[body].pose;
    const char *name = body < 0 ? "ground" : b->model->body[body].name;
    double P[3], z[3], expected[3];
    CHECK_TEXT(name, k ? g->second : g->first);
    if (j->type->seat == TN_SEAT_NOWHERE) {
      memcpy(P, pose->r, sizeof P);
    } else if (g->at) {
      memcpy(P, g->place[j->type->seat == TN_SEAT_TWO ? k : 0], sizeof P);
    } else {
      tn_turn3(pose->A, g->place[k], P);
      for (int i = 0; i < 3; i++) P[i] += pose->r[i];
    }
    err = worse(err, distance(f[k].r, P));
    tn_axis3(f[k].A, 2, z);
    memcpy(expected, g->axis[k], sizeof expected);
    if (g->own_axes) tn_turn3(pose->A, g->axis[k], expected);
    switch (j->type->space.frames) {
    case TN_AXES_NONE:
      for (int i = 0; i < 9; i++) err = worse(err, fabs(f[k].A[i] - (i % 4 == 0)));
      break;
    case TN_AXES_FLOOR:
      if (k == 0)
        err = worse(err, distance(z, g->normal));
      else
        for (int i = 0; i < 9; i++) err = worse(err, fabs(f[k].A[i] - pose->A[i]));
      break;
    default: err = worse(err, distance(z, expected));
    }
  }
  return err;
}

/* it was given a value that may leave it open */
static bool may_be_open(const tn_field *fields, const build_given *given) {
  for (int i = 0; fields && fields[i].key; i++)
    if (fields[i].opens && (given->fields >> i & 1)) return true;
  return false;
}

/* with `at` all is closed there; its coordinates are 0 */
static double closed_at_the_given_pose(build *b, const tn_joint *j, const space_given *g) {
  double C[6] = {0}, memory[4] = {0}, err = 0;
  tn_frame3 f[MOST_FRAMES];
  if (j->type->seat == TN_SEAT_CENTERS || !j->rows || (j->type->seat == TN_SEAT_SHARED && !g->at) || g->own_axes)
    return -1;
  if (may_be_open(j->type->fields, &g->fields) || may_be_open(j->type->fields_space, &g->fields_space)) return -1;
  given_frames(b, j, f);
  tn_joint3_position(&j->type->space, j->self, memory, 0, f, C);
  for (int r = 0; r < j->rows; r++) err = worse(err, fabs(C[r]));
  if (j->type->space.side && !(j->type->space.side(j->self, f) > 0)) err = INFINITY; /* and the right way round */
  return err;
}

static double zero_at_the_given_pose(build *b, const tn_joint *j, const space_given *g) {
  double value[6], J[72], gamma[6], memory[4] = {0}, err = 0;
  tn_frame3 f[2];
  (void)g;
  if (!j->coordinates || !j->type->space.measure) return -1;
  given_frames(b, j, f);
  j->type->space.measure(j->self, memory, f, value, J, gamma);
  for (int i = 0; i < j->coordinates; i++) err = worse(err, fabs(value[i]));
  return err;
}

TEST_FULL(frames_at_the_given_pose) { each_type("frames", 1e-14, 15, frames_are_where_they_were_put); }
TEST_FULL(joints_are_closed_at_the_given_pose) { each_type("closed", 1e-14, 15, closed_at_the_given_pose); }
TEST_FULL(coordinates_are_zero_at_the_given_pose) { each_type("at the given pose", 1e-14, 4, zero_at_the_given_pose); }

/* ---- rows, gamma, Ct on moving frames ---------------------------------------------------------------------------- */

static void frames_at(const tn_joint *j, const space_path *path, double s, tn_frame3 *f, double (*a)[6]) {
  for (int k = 0; k < j->frames; k++) space_path_at(&path[k], s, &f[k], a[k]);
}

/* frames that move anyhow, away from where the joint is singular; what it remembers is where they are at s = 0 */
static void paths(build *b, const tn_joint *j, space_path *path, double memory[4]) {
  tn_frame3 f[MOST_FRAMES];
  double a[MOST_FRAMES][6];
  if (j->frames > MOST_FRAMES || j->type->space.memory > 4) abort();
  do {
    for (int k = 0; k < j->frames; k++) space_path_random(b, &path[k]);
    frames_at(j, path, 0, f, a);
  } while (space_regular(j, f) < 0.2);
  memset(memory, 0, 4 * sizeof *memory);
  if (j->type->space.accept) j->type->space.accept(j->self, f, memory);
}

static double times_twists(const double *J, int frames, const tn_frame3 *f) {
  double sum = 0;
  for (int k = 0; k < frames; k++) sum += tn_dot3(J + 6 * k, f[k].v) + tn_dot3(J + 6 * k + 3, f[k].w);
  return sum;
}

static double size_of(const double *J, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(J[i]));
  return most;
}

static double rows_against_differences(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  space_path path[MOST_FRAMES];
  tn_frame3 f[MOST_FRAMES];
  double a[MOST_FRAMES][6], C[6], Ct[6], gamma[6], J[36 * MOST_FRAMES], along[6][BUILD_STENCIL], memory[4], err = 0;
  const double t = build_uniform(b, 0, 1);
  const int width = 6 * j->frames;
  (void)g;
  if (!j->rows || j->type->seat == TN_SEAT_MESH) return -1; /* a mesh: only in bearings, below */
  paths(b, j, path, memory);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    const double s = build_offset(k, b->h);
    frames_at(j, path, s, f, a);
    tn_joint3_position(type, j->self, memory, t + s, f, C);
    for (int r = 0; r < j->rows; r++) along[r][k] = C[r];
  }
  frames_at(j, path, 0, f, a);
  tn_joint3_rows(type, j->self, t, f, J);
  tn_joint3_rates(type, j->self, t, f, Ct, gamma);
  for (int r = 0; r < j->rows; r++) {
    const double *row = J + r * width, Cdot = times_twists(row, j->frames, f) + Ct[r];
    err = worse(err, fabs(Cdot - build_slope(along[r], b->h)) / (1 + size_of(row, width)));
  }
  /* each component of each frame alone: columns of J one by one; a turn about an axis through the frame's own origin */
  for (int k = 0; k < j->frames; k++)
    for (int d = 0; d < 6; d++) {
      for (int i = 0; i < BUILD_STENCIL; i++) {
        tn_frame3 moved[MOST_FRAMES];
        const double s = build_offset(i, b->h), e[3] = {d == 3, d == 4, d == 5};
        memcpy(moved, f, sizeof moved);
        if (d < 3) {
          moved[k].r[d] += s;
        } else {
          double R[9];
          tn_rotation_about3(e, s, R);
          tn_product3(R, f[k].A, moved[k].A);
        }
        tn_joint3_position(type, j->self, memory, t, moved, C);
        for (int r = 0; r < j->rows; r++) along[r][i] = C[r];
      }
      for (int r = 0; r < j->rows; r++) {
        const double *row = J + r * width;
        err = worse(err, fabs(row[6 * k + d] - build_slope(along[r], b->h)) / (1 + size_of(row, width)));
      }
    }
  return err;
}

static double time_alone(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  space_path path[MOST_FRAMES];
  tn_frame3 f[MOST_FRAMES];
  double a[MOST_FRAMES][6], C[6], Ct[6], gamma[6], along[6][BUILD_STENCIL], memory[4], err = 0;
  const double t = build_uniform(b, 0, 1);
  (void)g;
  if (!j->rows) return -1;
  paths(b, j, path, memory);
  frames_at(j, path, 0, f, a);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    tn_joint3_position(type, j->self, memory, t + build_offset(k, b->h), f, C);
    for (int r = 0; r < j->rows; r++) along[r][k] = C[r];
  }
  tn_joint3_rates(type, j->self, t, f, Ct, gamma);
  for (int r = 0; r < j->rows; r++) err = worse(err, fabs(Ct[r] - build_slope(along[r], b->h)) / (1 + fabs(Ct[r])));
  return err;
}

static double gamma_against_differences(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  const int rows = j->rows + j->rows_velocity, width = 6 * j->frames;
  space_path path[MOST_FRAMES];
  tn_frame3 f[MOST_FRAMES];
  double a[MOST_FRAMES][6], Ct[6], gamma[6], J[36 * MOST_FRAMES], along[6][BUILD_STENCIL], memory[4], err = 0;
  const double t = build_uniform(b, 0, 1);
  (void)g;
  if (!rows) return -1;
  paths(b, j, path, memory);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    const double s = build_offset(k, b->h);
    frames_at(j, path, s, f, a);
    tn_joint3_rows(type, j->self, t + s, f, J);
    tn_joint3_rates(type, j->self, t + s, f, Ct, gamma);
    for (int r = 0; r < rows; r++) along[r][k] = times_twists(J + r * width, j->frames, f) + Ct[r];
  }
  frames_at(j, path, 0, f, a);
  tn_joint3_rows(type, j->self, t, f, J);
  tn_joint3_rates(type, j->self, t, f, Ct, gamma);
  for (int r = 0; r < rows; r++) {
    double Cddot = -gamma[r], size = fabs(gamma[r]);
    for (int i = 0; i < width; i++) {
      Cddot += J[r * width + i] * a[i / 6][i % 6];
      size += fabs(J[r * width + i] * a[i / 6][i % 6]);
    }
    err = worse(err, fabs(Cddot - build_slope(along[r], b->h)) / (1 + size));
  }
  return err;
}

/* what turns with all its bodies together sees no row: the joint exerts nothing on the whole. centres of mass are held
 * against the ground */
static double no_virtual_power(build *b, const tn_joint *j, const space_given *g) {
  const int rows = j->rows + j->rows_velocity, width = 6 * j->frames;
  space_path path[MOST_FRAMES];
  tn_frame3 f[MOST_FRAMES];
  double a[MOST_FRAMES][6], J[36 * MOST_FRAMES], C[6], memory[4], v[3], w[3], d[3], err = 0;
  (void)g;
  if (!rows || j->type->seat == TN_SEAT_CENTERS) return -1;
  paths(b, j, path, memory);
  frames_at(j, path, 0, f, a);
  /* a point in common turns with the whole only where it is one */
  if (j->rows >= 3) {
    tn_sub3(f[1].r, f[0].r, d);
    tn_joint3_position(&j->type->space, j->self, memory, 0.3, f, C);
    if (memcmp(C, d, sizeof d) == 0) memcpy(f[1].r, f[0].r, sizeof d);
  }
  tn_joint3_rows(&j->type->space, j->self, 0.3, f, J);
  space_vector(b, 2, v);
  space_vector(b, 2, w);
  for (int k = 0; k < j->frames; k++) {
    tn_cross3(w, f[k].r, f[k].v);
    tn_axpy3(1, v, f[k].v);
    memcpy(f[k].w, w, sizeof w);
  }
  for (int r = 0; r < rows; r++)
    err = worse(err, fabs(times_twists(J + r * width, j->frames, f)) / (1 + size_of(J + r * width, width)));
  return err;
}

TEST_FULL(rows_are_derivatives_of_position) { each_type("rows", 1e-9, 18, rows_against_differences); }
TEST_FULL(time_derivatives_of_position) { each_type("Ct", 1e-9, 18, time_alone); }
TEST_FULL(gamma_completes_the_second_derivative) { each_type("gamma", 1e-8, 20, gamma_against_differences); }
TEST_FULL(no_power_on_motion_of_the_whole) { each_type("virtual power", 1e-13, 20, no_virtual_power); }

/* ---- where they are singular -------------------------------------------------------------------------------------- */

/* from 0 to 1 wherever the frames are */
static double regular_is_a_share(build *b, const tn_joint *j, const space_given *g) {
  space_path path;
  tn_frame3 f[MOST_FRAMES];
  double a[6], off = 0;
  (void)g;
  if (!j->type->space.regular) return -1;
  for (int n = 0; n < 20; n++) {
    for (int k = 0; k < j->frames; k++) {
      space_path_random(b, &path);
      space_path_at(&path, 0, &f[k], a);
    }
    const double r = space_regular(j, f);
    off = worse(off, r < 0 ? -r : r > 1 ? r - 1 : 0);
    if (isnan(r)) off = INFINITY;
  }
  return off;
}

TEST(regular_is_from_zero_to_one) { each_type("regular", 1e-15, 8, regular_is_a_share); }

/* frame 1 turned against frame 0 by an angle across their z, or with its origin there */
TEST(regular_is_zero_where_a_joint_is_singular) {
  static const struct {
    const char *name;
    double turn, away; /* rad; share of the length */
    double regular;
  } cases[] = {{"revolute", 0, 1, 1},          {"revolute", 1, 1, 0.5},   {"revolute", 2, 1, 0},
               {"cylindrical", 2, 1, 0},       {"screw", 2, 1, 0},        {"constant-velocity", 2, 1, 0},
               {"constant-velocity", 0, 1, 1}, {"universal", 0, 1, 0},    {"universal", 1, 1, 1},
               {"universal", 2, 1, 0},         {"knife-edge", 0, 1, 0},   {"knife-edge", 1, 1, 1},
               {"rolling-disc", 0, 1, 0},      {"rolling-disc", 1, 1, 1}, {"distance", 0, 0, 0},
               {"distance", 1, 0.5, 0.5},      {"distance", 1, 2, 1},     {"spherical", 2, 0, 1},
               {"prismatic", 2, 0, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    space_given g;
    tn_frame3 f[2] = {{.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    const tn_joint_type *type = NULL;
    for (int k = 0; k < tn_joint_type_count; k++)
      if (strcmp(tn_joint_types[k]->name, cases[i].name) == 0) type = tn_joint_types[k];
    if (type && instance(&b, type, 3, &g)) {
      const bool distance = strcmp(type->name, "distance") == 0;
      tn_rotation_about3((double[3]){1, 0, 0}, cases[i].turn * acos(0), f[1].A);
      f[1].r[0] =
          cases[i].away * (distance ? *(const double *)joint_of(&b)->self : 1); /* its first field is the length */
      CHECK_NEAR(space_regular(joint_of(&b), f), cases[i].regular, 1e-15);
    } else {
      FAIL("%s", cases[i].name);
    }
    if (type) build_free(&b);
  }
}

/* ---- coordinates ------------------------------------------------------------------------------------------------- */

static double measure_against_differences(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  const int n = j->coordinates;
  space_path path[MOST_FRAMES];
  tn_frame3 f[MOST_FRAMES];
  double a[MOST_FRAMES][6], value[6], gamma[6], J[72], v[6][BUILD_STENCIL], rate[6][BUILD_STENCIL], memory[4], err = 0;
  (void)g;
  if (!n || !type->measure) return -1;
  paths(b, j, path, memory);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    frames_at(j, path, build_offset(k, b->h), f, a);
    type->measure(j->self, memory, f, value, J, gamma);
    for (int i = 0; i < n; i++) v[i][k] = value[i], rate[i][k] = times_twists(J + 12 * i, 2, f);
  }
  frames_at(j, path, 0, f, a);
  type->measure(j->self, memory, f, value, J, gamma);
  for (int i = 0; i < n; i++) {
    double second = -gamma[i], size = fabs(gamma[i]);
    for (int k = 0; k < 12; k++)
      second += J[12 * i + k] * a[k / 6][k % 6], size += fabs(J[12 * i + k] * a[k / 6][k % 6]);
    err = worse(err, fabs(times_twists(J + 12 * i, 2, f) - build_slope(v[i], b->h)) / (1 + size_of(J + 12 * i, 12)));
    err = worse(err, fabs(second - build_slope(rate[i], b->h)) / (1 + size));
  }
  return err;
}

TEST_FULL(measured_coordinates) { each_type("measure", 1e-8, 4, measure_against_differences); }

/* ---- what it allows ---------------------------------------------------------------------------------------------- */

/* coordinates of the joint in a tree: nq of them, as polynomials, with speeds */
typedef struct course {
  double c[8][4];
} course;

static int coordinates_in(const tn_joint3 *type) { return type->chart ? type->chart->nq : type->axes; }

static void course_random(build *b, const tn_joint3 *type, course *c) {
  for (int i = 0; i < coordinates_in(type); i++)
    for (int k = 0; k < 4; k++) c->c[i][k] = build_uniform(b, -1.5, 1.5);
}

static void course_at(const tn_joint3 *type, const course *c, double s, double *q, double *u) {
  double qdot[8];
  for (int i = 0; i < coordinates_in(type); i++) {
    const double *k = c->c[i];
    q[i] = k[0] + s * (k[1] + s * (k[2] + s * k[3]));
    qdot[i] = k[1] + s * (2 * k[2] + s * 3 * k[3]);
  }
  if (type->chart)
    type->chart->tangent(q, qdot, u);
  else
    memcpy(u, qdot, sizeof *u * (size_t)type->axes);
}

static void twist_in(const tn_joint3 *type, const tn_motion3 *m, const double *u, double V[6]) {
  for (int r = 0; r < 6; r++) {
    V[r] = 0;
    for (int i = 0; i < type->axes; i++) V[r] += m->S[r * type->axes + i] * u[i];
  }
}

/* frame 1 where the motion puts it on frame 0, with speeds u on top of the twist of frame 0 */
static void place_on(const tn_joint *j, const double *q, const double *u, const tn_frame3 *f0, tn_frame3 *f1) {
  tn_motion3 m;
  double V[6], D[3], x[3];
  memset(&m, 0x7f, sizeof m); /* all of it must be filled */
  j->type->space.motion(j->self, q, u, &m);
  twist_in(&j->type->space, &m, u, V);
  *f1 = *f0;
  tn_turn3(f0->A, m.d, D);
  tn_axpy3(1, D, f1->r);
  tn_product3(f0->A, m.A, f1->A);
  tn_cross3(f0->w, D, x);
  tn_axpy3(1, x, f1->v);
  tn_turn3(f0->A, V, x);
  tn_axpy3(1, x, f1->v);
  tn_turn3(f0->A, V + 3, x);
  tn_axpy3(1, x, f1->w);
}

static double motion_keeps_it_closed(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  const int n = type->axes;
  space_path path;
  course c;
  tn_frame3 f[2];
  tn_motion3 m;
  double q[8], u[8], a[6], C[6], J[72], Ct[6], gamma[6], memory[4] = {0}, err = 0;
  (void)g;
  if (n < 0) return -1;
  space_path_random(b, &path);
  space_path_at(&path, 0, &f[0], a);
  course_random(b, type, &c);
  course_at(type, &c, 0, q, u);
  place_on(j, q, u, &f[0], &f[1]);
  tn_joint3_position(type, j->self, memory, 0.3, f, C);
  tn_joint3_rows(type, j->self, 0.3, f, J);
  tn_joint3_rates(type, j->self, 0.3, f, Ct, gamma);
  for (int r = 0; r < type->rows; r++) err = worse(err, fabs(C[r]));
  for (int r = 0; r < type->rows; r++) err = worse(err, fabs(times_twists(J + 12 * r, 2, f) + Ct[r]));
  if (type->side && !(type->side(j->self, f) > 0)) err = INFINITY;
  /* rows times axes, one by one */
  type->motion(j->self, q, u, &m);
  for (int i = 0; i < n; i++) {
    double V[6], e[8] = {0};
    tn_frame3 one[2] = {f[0], f[1]};
    e[i] = 1;
    twist_in(type, &m, e, V);
    for (int d = 0; d < 3; d++) one[0].v[d] = one[0].w[d] = 0;
    tn_turn3(f[0].A, V, one[1].v);
    tn_turn3(f[0].A, V + 3, one[1].w);
    for (int r = 0; r < type->rows; r++) err = worse(err, fabs(times_twists(J + 12 * r, 2, one)));
  }
  /* its coordinates are those it measures, and its speeds their rates */
  if (type->measure && j->coordinates == n) {
    double value[6], Jm[72];
    type->measure(j->self, memory, f, value, Jm, gamma);
    for (int i = 0; i < n; i++) {
      err = worse(err, fabs(value[i] - q[i]));
      err = worse(err, fabs(times_twists(Jm + 12 * i, 2, f) - u[i]));
    }
  }
  return err;
}

/* far beyond a turn, through what it remembers */
static double turns_are_counted(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  space_path path;
  tn_frame3 f[2];
  double to[8], q[8], u[8] = {0}, a[6], C[6], value[6], J[72], gamma[6], memory[4] = {0}, err = 0;
  const int n = type->axes, steps = 60;
  (void)g;
  if (n < 1 || !type->measure || j->coordinates != n || !type->memory) return -1;
  space_path_random(b, &path);
  for (int i = 0; i < n; i++) to[i] = build_uniform(b, -100, 100);
  for (int k = 0; k <= steps; k++) {
    space_path_at(&path, 0.005 * k, &f[0], a);
    for (int i = 0; i < n; i++) q[i] = to[i] * k / steps;
    place_on(j, q, u, &f[0], &f[1]);
    type->measure(j->self, memory, f, value, J, gamma);
    tn_joint3_position(type, j->self, memory, 0, f, C);
    for (int i = 0; i < n; i++) err = worse(err, fabs(value[i] - q[i]));
    for (int r = 0; r < type->rows; r++) err = worse(err, fabs(C[r]));
    type->accept(j->self, f, memory);
    for (int i = 0; i < type->memory; i++) err = worse(err, fabs(memory[i] - q[i])); /* angles come first */
  }
  return err;
}

/* coordinates 0 are the given pose, as far as the joint moves: also where places on bodies leave it open there */
static double zero_is_the_given_pose(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  const int n = type->axes;
  static const double rest[8];
  tn_frame3 f[2];
  tn_motion3 m;
  double d[3], given[3], err = 0;
  (void)g;
  if (n < 1) return -1;
  given_frames(b, j, f);
  type->motion(j->self, type->chart ? type->chart->zero : rest, rest, &m);
  tn_sub3(f[1].r, f[0].r, d);
  tn_unturn3(f[0].A, d, given);
  for (int i = 0; i < n; i++) {
    double along = 0;
    for (int k = 0; k < 3; k++) along += m.S[k * n + i] * (m.d[k] - given[k]);
    err = worse(err, fabs(along));
  }
  return err;
}

/* S and bias against differences, in the axes of frame 0 */
static double axes_against_differences(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  const int n = type->axes;
  course c;
  tn_motion3 m;
  double q[8], u[8], V[6], r[3][BUILD_STENCIL], A[9][BUILD_STENCIL], v[6][BUILD_STENCIL], w[8][BUILD_STENCIL], err = 0;
  (void)g;
  if (n < 1) return -1;
  course_random(b, type, &c);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    course_at(type, &c, build_offset(k, b->h), q, u);
    type->motion(j->self, q, u, &m);
    twist_in(type, &m, u, V);
    for (int d = 0; d < 3; d++) r[d][k] = m.d[d];
    for (int d = 0; d < 9; d++) A[d][k] = m.A[d];
    for (int d = 0; d < 6; d++) v[d][k] = V[d];
    for (int i = 0; i < n; i++) w[i][k] = u[i];
  }
  course_at(type, &c, 0, q, u);
  type->motion(j->self, q, u, &m);
  twist_in(type, &m, u, V);
  for (int d = 0; d < 3; d++) err = worse(err, fabs(V[d] - build_slope(r[d], b->h)) / 3);
  for (int col = 0; col < 3; col++) {
    double e[3], x[3];
    tn_axis3(m.A, col, e);
    tn_cross3(V + 3, e, x);
    for (int d = 0; d < 3; d++) err = worse(err, fabs(x[d] - build_slope(A[3 * d + col], b->h)) / 3);
  }
  for (int d = 0; d < 6; d++) {
    double a = m.bias[d];
    for (int i = 0; i < n; i++) a += m.S[d * n + i] * build_slope(w[i], b->h);
    err = worse(err, fabs(a - build_slope(v[d], b->h)) / (10 + fabs(a)));
  }
  return err;
}

TEST_FULL(motion_keeps_the_joint_closed) { each_type("closed by motion", 1e-12, 8, motion_keeps_it_closed); }
TEST_FULL(coordinates_begin_at_the_given_pose) { each_type("zero", 1e-14, 7, zero_is_the_given_pose); }
TEST_FULL(angles_count_turns) { each_type("turns", 1e-12, 3, turns_are_counted); }
TEST_FULL(motion_axes_and_bias) { each_type("axes and bias", 1e-9, 7, axes_against_differences); }

/* ---- meshes in their bearings ------------------------------------------------------------------------------------ */

/* wheels turn in the carrier, a rack slides in it, and the carrier moves: rate T_a W_a + s T_b W_b, or r W - speed,
 * and in the form `position` C is its integral, over any number of turns */
static double mesh_in_bearings(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  space_path path;
  tn_frame3 given[3], f[3];
  double at[2][4], C[1], Ct[1], gamma[1], J[18], memory[4] = {0}, along[BUILD_STENCIL], a[6], err = 0, P[3];
  const tn_node *teeth = tn_node_get(j->node, "teeth"), *internal = tn_node_get(j->node, "internal"),
                *radius = tn_node_get(j->node, "radius");
  if (j->type->seat != TN_SEAT_MESH || !(teeth || radius)) return -1;
  given_frames(b, j, given);
  type->contact(j->self, given, P);
  double k[2], s = 1, z[2][3], rho[2][3], across[2][3];
  for (int i = 0; i < 2; i++) {
    tn_axis3(given[i].A, 2, z[i]);
    err = worse(err, distance(z[i], g->axis[i]));
    tn_sub3(P, given[i].r, rho[i]);
    tn_cross3(z[i], rho[i], across[i]);
  }
  if (teeth) {
    k[0] = tn_node_item(teeth, 0)->number, k[1] = tn_node_item(teeth, 1)->number;
    const bool in = internal && internal->boolean;
    /* radii as teeth, and P in the plane of the axes; between them, or beyond the smaller */
    double n[3], D[3];
    err = worse(err, fabs(tn_norm3(across[0]) / tn_norm3(across[1]) - k[0] / k[1]) * k[1] / k[0]);
    tn_sub3(given[1].r, given[0].r, D);
    tn_cross3(g->bevel ? z[0] : D, g->bevel ? z[1] : z[0], n);
    err = worse(err, fabs(tn_dot3(n, rho[0])) / (tn_norm3(n) * (1 + tn_norm3(rho[0]))));
    s = tn_dot3(across[0], across[1]) > 0 ? -1 : 1;
    if (g->bevel) {
      /* e_k from where the axes meet to the centres; P - O = x_0 e_0 + x_1 e_1 */
      double e[2][3], OP[3], x[2];
      for (int i = 0; i < 2; i++) tn_sub3(given[i].r, g->O, e[i]);
      tn_sub3(P, g->O, OP);
      const double ee = tn_dot3(e[0], e[1]), det = tn_dot3(e[0], e[0]) * tn_dot3(e[1], e[1]) - ee * ee;
      x[0] = (tn_dot3(OP, e[0]) * tn_dot3(e[1], e[1]) - tn_dot3(OP, e[1]) * ee) / det;
      x[1] = (tn_dot3(OP, e[1]) * tn_dot3(e[0], e[0]) - tn_dot3(OP, e[0]) * ee) / det;
      if ((x[0] > 0 && x[1] > 0) == in) err = INFINITY;
    } else if (s != (in ? -1 : 1) * (tn_dot3(z[0], z[1]) > 0 ? 1 : -1)) {
      err = INFINITY;
    }
    k[1] *= s;
  } else {
    k[0] = radius->number, k[1] = -1;
    err = worse(err, fabs(tn_norm3(across[0]) - k[0]));
    for (int i = 0; i < 3; i++) err = worse(err, fabs(across[0][i] - k[0] * g->direction[i]));
  }
  space_path_random(b, &path);
  for (int i = 0; i < 2; i++)
    for (int d = 0; d < 4; d++) at[i][d] = build_uniform(b, -1, 1) * (d ? 1.5 : 30);
  double expected[2] = {0, 0};
  for (int n = -80; n <= BUILD_STENCIL; n++) { /* on the way there, the stencil, and s = 0 */
    const bool way = n < 0, here = n == BUILD_STENCIL;
    const double t = way || here ? 0 : build_offset(n, b->h), part = way ? (n + 81) / 80.0 : 1;
    double x[2], xdot[2];
    space_path_at(&path, t, &f[2], a);
    for (int i = 0; i < 2; i++) {
      double B[9], R[9], D[3], turned[9], r[3], w[3];
      const bool slides = i == 1 && !teeth;
      x[i] = part * at[i][0] + t * (at[i][1] + t * (at[i][2] + t * at[i][3]));
      xdot[i] = at[i][1] + t * (2 * at[i][2] + t * 3 * at[i][3]);
      tn_sub3(given[i].r, given[2].r, D);
      if (slides) tn_axpy3(x[i], g->direction, D);
      tn_unturn3(given[2].A, D, r);
      tn_t_product3(given[2].A, given[i].A, B);
      tn_rotation_about3((double[3]){0, 0, 1}, slides ? 0 : x[i], R);
      tn_product3(B, R, turned);
      tn_product3(f[2].A, turned, f[i].A);
      tn_turn3(f[2].A, r, D);
      for (int d = 0; d < 3; d++) f[i].r[d] = f[2].r[d] + D[d];
      tn_cross3(f[2].w, D, f[i].v);
      tn_axpy3(1, f[2].v, f[i].v);
      memcpy(f[i].w, f[2].w, sizeof f[i].w);
      if (slides) {
        tn_unturn3(given[2].A, g->direction, r);
        tn_turn3(f[2].A, r, w);
        tn_axpy3(xdot[i], w, f[i].v);
      } else {
        tn_axis3(f[i].A, 2, w);
        tn_axpy3(xdot[i], w, f[i].w);
      }
    }
    expected[0] = k[0] * x[0] + k[1] * x[1];
    expected[1] = k[0] * xdot[0] + k[1] * xdot[1];
    if (j->rows) {
      tn_joint3_position(type, j->self, memory, 0, f, C);
      err = worse(err, fabs(C[0] - expected[0]) / 100);
      if (!way && !here) along[n] = C[0];
    }
    if (way) type->accept(j->self, f, memory);
  }
  tn_joint3_rows(type, j->self, 0, f, J);
  tn_joint3_rates(type, j->self, 0, f, Ct, gamma);
  err = worse(err, fabs(times_twists(J, 3, f) - expected[1]) / 10);
  if (j->rows) err = worse(err, fabs(build_slope(along, b->h) - expected[1]) / 100);
  return err;
}

TEST_FULL(meshes_in_their_bearings) { each_type("in bearings", 1e-9, 2, mesh_in_bearings); }

/* ---- wheels on a plane ------------------------------------------------------------------------------------------- */

/* a point of the surface; false: not a wheel that this test knows */
static bool on_surface(build *b, const tn_joint *j, const tn_frame3 *f, double x[3]) {
  const tn_node *radius = tn_node_get(j->node, "radius"), *axes = tn_node_get(j->node, "semi_axes");
  double y[3], e[3], z[3];
  if (!radius && !axes) return false;
  space_direction(b, e);
  if (axes) {
    for (int i = 0; i < 3; i++) y[i] = tn_node_item(axes, i)->number * e[i];
    tn_turn3(f->A, y, x);
  } else {
    tn_axis3(f->A, 2, z);
    if (j->type->space.frames == TN_AXES_BLADE) space_normal(b, z, e); /* the rim of a disc */
    for (int i = 0; i < 3; i++) x[i] = radius->number * e[i];
  }
  tn_axpy3(1, f->r, x);
  return true;
}

/* nothing of the wheel is lower than the contact, which is on it; C is its height; rows are the velocity there */
static double contact_is_lowest(build *b, const tn_joint *j, const space_given *g) {
  const tn_joint3 *type = &j->type->space;
  space_path path[2];
  tn_frame3 f[2], given[2];
  double a[2][6], c[3], c0[3], n[3], x[3], C[6], J[36], memory[4], lowest = INFINITY, err = 0, v[2][3];
  if (!type->contact || j->frames != 2 || j->rows + j->rows_velocity != 3) return -1;
  given_frames(b, j, given);
  paths(b, j, path, memory);
  frames_at(j, path, 0, f, a);
  type->contact(j->self, f, c);
  tn_axis3(f[0].A, 2, n);
  for (int i = 0; i < 400; i++) {
    if (!on_surface(b, j, &f[1], x)) return -1;
    lowest = fmin(lowest, tn_dot3(n, x) - tn_dot3(n, c));
  }
  err = worse(err, fmax(-lowest, 0));
  if (!(lowest < 0.3)) err = INFINITY; /* and it is near what is lowest */
  /* the plane: through the contact at the given pose, or the place on the first */
  double h = 0;
  if (g->at) {
    type->contact(j->self, given, c0);
    tn_sub3(c0, given[0].r, x);
    h = tn_dot3(x, g->normal);
  }
  tn_joint3_position(type, j->self, memory, 0, f, C);
  tn_sub3(c, f[0].r, x);
  err = worse(err, fabs(C[0] - (tn_dot3(n, x) - h)));
  for (int k = 0; k < 2; k++) {
    tn_sub3(c, f[k].r, x);
    tn_cross3(f[k].w, x, v[k]);
    tn_axpy3(1, f[k].v, v[k]);
  }
  tn_sub3(v[1], v[0], x);
  tn_joint3_rows(type, j->self, 0, f, J);
  double sum = 0, part[3];
  for (int r = 0; r < 3; r++) part[r] = times_twists(J + 12 * r, 2, f), sum += part[r] * part[r];
  err = worse(err, fabs(part[0] - tn_dot3(n, x)));
  err = worse(err, fabs(sum - tn_dot3(x, x)) / (1 + sum));
  return err;
}

TEST_FULL(wheels_touch_where_they_are_lowest) { each_type("contact", 1e-12, 3, contact_is_lowest); }

/* ---- in a tree --------------------------------------------------------------------------------------------------- */

/* a tree of four in relative coordinates at a random state; then in absolute ones at the same state */
static double same_accelerations(const tn_joint_type *type, int seed, int *backwards, int *carried) {
  enum { BODIES = 4 };
  build rel, abs;
  tn_error e;
  double err = 0, size = 10, q[BUILD_MOST], u[BUILD_MOST];
  space_motion m;
  const unsigned with = SPACE_FORCES | SPACE_ON_BODIES | (seed % 3 ? 0 : SPACE_LOOSE);
  space_tree(&rel, (uint64_t)seed, true, BODIES, type, with);
  space_tree(&abs, (uint64_t)seed, false, BODIES, type, with);
  if (!build_simulate(&rel) || !build_simulate(&abs)) {
    FAIL("joint %s, tree %d: %s%s", type ? type->name : "mixed", seed, rel.message, abs.message);
    err = INFINITY;
  } else {
    space_motion_random(&rel, 1, &m);
    space_motion_at(&rel, &m, 0, q, u, NULL);
    if (tn_sim_set(rel.sim, 0.3, q, u, false, &e) != TN_OK) err = INFINITY;
    build_frames(&rel.sys, 0.3, q, u);
    if (!space_same(&rel, &abs, q, u) || tn_sim_set(abs.sim, 0.3, q, u, false, &e) != TN_OK) err = INFINITY;
    const tn_system *s[2] = {&rel.sim->solver.sys, &abs.sim->solver.sys};
    const double E[2] = {build_channel(&rel, "energy.total"), build_channel(&abs, "energy.total")};
    err = worse(err, fabs(E[0] - E[1]) / (10 + fabs(E[0])));
    for (int r = 0; r < abs.model->rows; r++)
      err = worse(err, worse(fabs(s[1]->rows.C[r]), fabs(s[1]->rows.Cdot[r])) / 10);
    double a[2][BODIES][6], gains[6 * BODIES];
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < BODIES; i++) {
        const tn_body *body = &s[k]->m->body[i];
        tn_gains(s[k], s[k]->solved.udot, gains);
        for (int d = 0; d < 6; d++) {
          a[k][i][d] = gains[6 * i + d] + (d < 3 ? s[k]->pose.body3[i].a0[d] : s[k]->pose.body3[i].al0[d - 3]);
          size = fmax(size, fabs(a[k][i][d]));
        }
        if (k == 0) *carried += body->joint >= 0, *backwards += body->joint >= 0 && body->backwards;
        if (k == 1 && !body->type) err = INFINITY;
      }
    for (int i = 0; i < BODIES; i++)
      for (int d = 0; d < 6; d++) err = worse(err, fabs(a[0][i][d] - a[1][i][d]) / size);
    if (rel.failed || abs.failed) FAIL("tree %d: %s%s", seed, rel.message, abs.message);
  }
  build_free(&rel);
  build_free(&abs);
  return err;
}

TEST(same_accelerations_in_relative_and_absolute_coordinates) {
  int types = 0;
  for (int i = 0; i <= tn_joint_type_count; i++) { /* the last: all of them mixed */
    const tn_joint_type *type = i < tn_joint_type_count ? tn_joint_types[i] : NULL;
    double worst = 0;
    int backwards = 0, carried = 0;
    if (type && !space_carries(type)) continue;
    types++;
    for (int n = 0; n < (type ? 15 : 60); n++) worst = worse(worst, same_accelerations(type, n, &backwards, &carried));
    printf("%-18s in a tree %.1e, %d of %d backwards\n", type ? type->name : "mixed", worst, backwards, carried);
    if (!(worst <= 1e-9)) FAIL("joint %s: in a tree it is off by %.3g", type ? type->name : "mixed", worst);
    CHECK(backwards > carried / 5 && backwards < 4 * carried / 5);
  }
  CHECK(types >= 9);
}

/* every body of a tree moves as its twist and bias say; tree joints are closed; coordinates 0 are the given pose */
TEST(trees_are_closed_and_move_as_they_say) {
  double closed = 0, given = 0, measured = 0;
  for (int n = 0; n < 60; n++) {
    build b;
    space_motion motion;
    static const double rest[BUILD_MOST];
    double q[BUILD_MOST], u[BUILD_MOST];
    space_tree(&b, (uint64_t)n, true, 5, NULL, n % 3 ? 0 : SPACE_LOOSE);
    if (build_compile(&b)) {
      const tn_model *m = b.model;
      build_frames(&b.sys, 0, m->q0, rest);
      for (int i = 0; i < m->bodies; i++) {
        double turn[3];
        space_turn_between(m->body[i].pose.A, b.sys.pose.body3[i].A, turn);
        given = worse(given, worse(distance(b.sys.pose.body3[i].r, m->body[i].pose.r), tn_norm3(turn)));
      }
      space_motion_random(&b, 1.5, &motion);
      space_motion_at(&b, &motion, 0, q, u, NULL);
      build_frames(&b.sys, 0, q, u);
      for (int i = 0; i < m->bodies; i++) {
        const tn_body *body = &m->body[i];
        if (body->joint < 0) continue;
        const tn_joint *j = &m->joint[body->joint];
        const tn_joint3 *type = &j->type->space;
        double C[6], J[72], Ct[6], gamma[6], value[6], memory[4] = {0};
        tn_frame3 f[2];
        for (int k = 0; k < 2; k++) tn_frame3_on(&b.sys, &j->spot[k], &f[k]);
        tn_joint3_position(type, j->self, memory, 0, f, C);
        tn_joint3_rows(type, j->self, 0, f, J);
        tn_joint3_rates(type, j->self, 0, f, Ct, gamma);
        for (int r = 0; r < type->rows; r++)
          closed = worse(closed, worse(fabs(C[r]), fabs(times_twists(J + 12 * r, 2, f)) / 10));
        if (!type->measure || type->chart) continue;
        type->measure(j->self, memory, f, value, J, gamma);
        for (int k = 0; k < type->axes; k++) {
          measured = worse(measured, fabs(value[k] - q[body->q + k]));
          measured = worse(measured, fabs(times_twists(J + 12 * k, 2, f) - u[body->u + k]) / 10);
        }
      }
    } else {
      FAIL("tree %d: %s", n, b.message);
    }
    build_free(&b);
  }
  printf("trees: given pose %.1e, closed %.1e, measured %.1e\n", given, closed, measured);
  CHECK(given <= 1e-14 && closed <= 1e-13 && measured <= 1e-13);
}

/* ---- turns in a run ---------------------------------------------------------------------------------------------- */

/* what moves evenly is integrated in steps of many turns, unless someone counts them */
TEST(turns_are_counted_however_long_the_step) {
  static const char *const model[] = {
      "\"coordinates\": \"relative\", \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": [1, 1, 1]}},"
      "\"joints\": {\"h\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0, 0], \"axis\": "
      "\"z\"}}",
      "\"body_coordinates\": \"euler-angles\", \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": [1, 1, 1], "
      "\"euler\": {\"zxz\": [0.3, 1, 0]}}}, \"joints\": {\"h\": {\"type\": \"cylindrical\", \"between\": [\"ground\", "
      "\"a\"], \"at\": [0, 0, 0], \"axis\": [\"sin(0.3)*sin(1)\", \"-cos(0.3)*sin(1)\", \"cos(1)\"]}}",
      "\"coordinates\": \"relative\", \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": [1, 1, 1]}, \"b\": {\"mass\": 1, "
      "\"inertia\": [1, 1, 1], \"position\": [1, 0, 0]}}, \"joints\": {\"h\": {\"type\": \"revolute\", \"between\": "
      "[\"ground\", \"a\"], \"at\": [0, 0, 0], \"axis\": \"z\"}, \"k\": {\"type\": \"revolute\", \"between\": "
      "[\"ground\", "
      "\"b\"], \"at\": [1, 0, 0], \"axis\": \"z\"}, \"mesh\": {\"type\": \"gear\", \"between\": [\"a\", \"b\"], "
      "\"teeth\": "
      "[20, 30], \"form\": \"position\"}}"};
  for (int i = 0; i < 3; i++) {
    build b;
    char text[1600];
    tn_error e;
    build_new(&b, 1);
    snprintf(text, sizeof text, "{\"tenon\": 1, \"dimension\": 3, %s, \"start\": {\"h.rate\": 100}}", model[i]);
    build_parse(&b, text);
    build_set(&b, "/run", "{\"until\": 2, \"every\": 0.5}");
    if (build_simulate(&b)) {
      CHECK(tn_sim_advance(b.sim, 2, &e) == TN_OK);
      CHECK_NEAR(build_channel(&b, "h.angle"), 200, 1e-8);
      if (i == 2) CHECK_NEAR(build_channel(&b, "k.angle"), -400.0 / 3, 1e-8);
    }
    if (b.failed) FAIL("%s", b.message);
    build_free(&b);
  }
}

/* a start as given may have joints wide open; their angles there are still 0, without a turn too many */
TEST(turns_of_a_start_as_given) {
  int joints = 0;
  double worst = 0;
  for (int n = 0; n < 60; n++) {
    build b;
    space_tree(&b, (uint64_t)n, false, 4, NULL, SPACE_ON_BODIES);
    if (!build_simulate(&b)) FAIL("tree %d: %s", n, b.message);
    for (int i = 0; b.sim && i < b.model->joints; i++)
      for (int k = 0; k < b.model->joint[i].coordinates; k++, joints++) {
        const tn_joint *j = &b.model->joint[i];
        worst = worse(worst, fabs(build_channel(&b, "%s.%s", j->name, j->type->coordinates[k].name)));
      }
    build_free(&b);
  }
  printf("%d coordinates of open joints: %.1e\n", joints, worst);
  CHECK(worst <= 1e-13 && joints > 100);
}

/* in relative coordinates a state tells the turns; in absolute ones they begin anew with it */
TEST(turns_of_a_state_that_is_set) {
  for (int relative = 0; relative < 2; relative++) {
    build b;
    tn_error e;
    double q0[8], u0[8];
    space_new(&b, 1);
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    build_set(&b, "/bodies/a", "{\"mass\": 1, \"inertia\": [1, 2, 2]}");
    build_set(&b, "/joints/h",
              "{\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0, 0], \"axis\": [1, 2, 3]}");
    build_set(&b, "/start/h.rate", "10");
    if (build_simulate(&b)) {
      memcpy(q0, tn_sim_q(b.sim), sizeof *q0 * (size_t)b.model->nq);
      memcpy(u0, tn_sim_u(b.sim), sizeof *u0 * (size_t)b.model->nu);
      CHECK(tn_sim_advance(b.sim, 3, &e) == TN_OK);
      CHECK_NEAR(build_channel(&b, "h.angle"), 30, 1e-6);
      CHECK(tn_sim_set(b.sim, 0, q0, u0, false, &e) == TN_OK);
      CHECK_NEAR(build_channel(&b, "h.angle"), 0, 1e-12);
      if (relative) {
        CHECK(tn_sim_set(b.sim, 0, (double[1]){-20}, u0, false, &e) == TN_OK);
        CHECK_NEAR(build_channel(&b, "h.angle"), -20, 1e-12);
      }
    }
    if (b.failed) FAIL("%s", b.message);
    build_free(&b);
  }
}
