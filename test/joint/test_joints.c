/* every joint type in the registry, by random instances built from its field table: rows and gamma against differences,
 * what it measures, what it allows, and its use in a tree. a type that cannot be built here fails.
 *
 * along a motion of the frames with twists tw and accelerations (a, al):
 *   dC/dt = J tw + Ct,  d(J tw + Ct)/dt = J (a, al) - gamma
 *   dm/dt = Jm tw,      d(Jm tw)/dt = Jm (a, al) - gamma_m                  m: its coordinates
 * those there are in the plane; a mesh (gear, rack) has dC/dt = J tw in its bearings only, and is moved in them for that */
#include "support/build.h"
#include "test.h"

enum { INSTANCES = 60, MOST_FRAMES = 8 };

/* a joint of the type, alone in its model but for what its channels are of */
static bool instance(build *b, const tn_joint_type *type, int seed, build_given *given) {
  build_new(b, (uint64_t)seed);
  build_world(b);
  if (type->seat == TN_SEAT_CHANNELS) build_helpers(b, 1);
  return build_joint(b, "j", type, NULL, NULL, seed & 1, given) && build_compile(b);
}

static const tn_joint *joint_of(const build *b) { return &b->model->joint[b->model->joints - 1]; }

typedef double (*check)(build *b, const tn_joint *j);

typedef struct trial {
  check f;
  const tn_joint *j;
} trial;

static double error_of(build *b, const void *of) {
  const trial *x = of;
  return x->f(b, x->j);
}

/* the worst of `check` over instances of each type; a check returns a negative number where it does not apply */
static void each_type(const char *what, double tolerance, bool framed, check f) {
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    double worst = -1;
    if (!type->plane.there) continue;
    if (framed && type->seat == TN_SEAT_CHANNELS) continue; /* the assembler makes its rows: see rows_in_a_model */
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      build_given given;
      if (instance(&b, type, n, &given)) {
        const trial x = {f, joint_of(&b)};
        const double err = build_converged(&b, error_of, &x, tolerance, type->smooth);
        if (!(err <= worst)) worst = isnan(err) ? INFINITY : err;
      }
      build_free(&b);
    }
    if (worst < 0) continue;
    printf("%-16s %-22s %.1e\n", type->name, what, worst);
    if (!(worst <= tolerance)) FAIL("joint %s: %s is off by %.3g > %.3g", type->name, what, worst, tolerance);
  }
}

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

/* ---- types and their tables ------------------------------------------------------------------------------------------ */

TEST(every_type_can_be_built_with_every_field) {
  CHECK(tn_joint_type_count > 0);
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    build_given all = {0};
    int built = 0;
    if (!type->plane.there) continue;
    char why[1200] = "", text[64];
    for (int n = 0; n < INSTANCES; n++) {
      build b;
      build_given given;
      if (instance(&b, type, n, &given)) {
        built++;
        build_given_too(&all, &given);
      } else {
        snprintf(why, sizeof why, "%s", b.message);
      }
      build_free(&b);
    }
    const char *missing = build_missing(type->fields, &all, text, sizeof text);
    if (built < INSTANCES / 2)
      FAIL("joint %s: only %d of %d random instances were accepted: %s", type->name, built, INSTANCES, why);
    if (missing) FAIL("joint %s: `%s` was never accepted: %s", type->name, missing, why);
    printf("%-16s %d of %d\n", type->name, built, INSTANCES);
  }
}

TEST(every_table_is_complete) {
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *type = tn_joint_types[i];
    const tn_joint2 *p = &type->plane;
    int coordinates = 0, carried = 0;
    for (const tn_coordinate *k = type->coordinates; k && k->name; k++) coordinates++;
    for (const tn_coordinate *k = p->carried; k && k->name; k++) carried++;
    CHECK(type->name && *type->name && type->doc && *type->doc);
    CHECK(p->there || type->space.there);
    if (!p->there) continue;
    CHECK(p->rows + p->rows_velocity_only <= 3);
    if (type->seat == TN_SEAT_CHANNELS) {
      if (!type->value == !type->equation || p->rows != 1)
        FAIL("joint %s: a row on channels needs `value` or `equation` and one row", type->name);
      continue;
    }
    if (p->rows + p->rows_velocity_only > 0 && (!p->position || !p->rows_on_twists || !p->rates))
      FAIL("joint %s: rows without functions", type->name);
    if (p->axes >= 0 && !p->motion) FAIL("joint %s: axes without `motion`", type->name);
    if (p->axes >= 0 && p->axes != (p->carried ? carried : coordinates))
      FAIL("joint %s: %d axes, %d coordinates", type->name, p->axes, p->carried ? carried : coordinates);
    if (p->carried && coordinates) FAIL("joint %s: names for coordinates that it measures", type->name);
    if (coordinates && !p->measure) FAIL("joint %s: coordinates without `measure`", type->name);
    /* in a tree the rows it saves and the coordinates it gives make a plane body's three */
    if (p->axes >= 0 && p->rows + p->axes != 3) FAIL("joint %s: %d rows and %d axes", type->name, p->rows, p->axes);
  }
}

/* ---- rows, gamma, Ct on moving frames --------------------------------------------------------------------------------- */

static void frames_at(const tn_joint *j, const build_path *path, double s, tn_frame2 *f, double (*a)[3]) {
  for (int k = 0; k < j->frames; k++) build_path_at(&path[k], s, &f[k], a[k]);
}

/* frames of a mesh in its bearings: the carrier moves, wheels turn on it about their own centres and a rack slides along its
 * direction, as at the given pose */
typedef struct bearings {
  build_path path[3]; /* of the carrier; of what turns or slides on it: its third component */
  tn_frame2 given[3];
  double way[2]; /* of the rack, along the axes of the carrier; 0: a wheel */
} bearings;

static void bearings_random(build *b, const tn_joint *j, bearings *x) {
  static const double rest[BUILD_MOST];
  const tn_node *direction = tn_node_get(j->node, "direction");
  build_frames(&b->sys, 0, b->model->q0, rest);
  for (int k = 0; k < 3; k++) {
    build_path_random(b, &x->path[k]);
    tn_frame_on(&b->sys, &j->spot[k], &x->given[k]);
  }
  x->way[0] = x->way[1] = 0;
  if (!direction) return;
  const double dx = direction->first->number, dy = direction->last->number, l = hypot(dx, dy);
  const tn_frame2 *c = &x->given[2];
  x->way[0] = (c->c * dx + c->s * dy) / l;
  x->way[1] = (-c->s * dx + c->c * dy) / l;
}

static void bearings_at(const bearings *x, double s, tn_frame2 *f) {
  tn_frame2 on;
  double unused[3];
  build_path_at(&x->path[2], s, &f[2], unused);
  const tn_frame2 *c = &f[2], *g = &x->given[2];
  for (int k = 0; k < 2; k++) {
    build_path_at(&x->path[k], s, &on, unused);
    const bool slides = k == 1 && (x->way[0] != 0 || x->way[1] != 0);
    const double dx = x->given[k].r[0] - g->r[0], dy = x->given[k].r[1] - g->r[1], way = slides ? on.angle : 0;
    const double speed = slides ? on.w : 0, turn = slides ? 0 : on.angle;
    const double p[2] = {g->c * dx + g->s * dy + way * x->way[0], -g->s * dx + g->c * dy + way * x->way[1]};
    const double arm[2] = {c->c * p[0] - c->s * p[1], c->s * p[0] + c->c * p[1]};
    f[k] = (tn_frame2){.r = {c->r[0] + arm[0], c->r[1] + arm[1]},
                       .angle = c->angle + x->given[k].angle - g->angle + turn,
                       .v = {c->v[0] - c->w * arm[1] + speed * (c->c * x->way[0] - c->s * x->way[1]),
                             c->v[1] + c->w * arm[0] + speed * (c->s * x->way[0] + c->c * x->way[1])},
                       .w = c->w + (slides ? 0 : on.w),
                       .a0 = {NAN, NAN},
                       .al0 = NAN};
    f[k].c = cos(f[k].angle);
    f[k].s = sin(f[k].angle);
  }
}

/* frames that move anyhow, away from where the joint is singular */
static void paths(build *b, const tn_joint *j, build_path *path) {
  tn_frame2 f[MOST_FRAMES];
  double a[MOST_FRAMES][3];
  const tn_joint2 *type = &j->type->plane;
  if (j->frames > MOST_FRAMES) abort();
  do {
    for (int k = 0; k < j->frames; k++) build_path_random(b, &path[k]);
    frames_at(j, path, 0, f, a);
  } while (type->regular && type->regular(j->self, f) < 0.2);
}

static double times_twists(const double *J, int frames, const tn_frame2 *f) {
  double sum = 0;
  for (int k = 0; k < frames; k++) sum += J[3 * k] * f[k].v[0] + J[3 * k + 1] * f[k].v[1] + J[3 * k + 2] * f[k].w;
  return sum;
}

static double size_of(const double *J, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(J[i]));
  return most;
}

/* C is 0 at the given pose; along a motion in the bearings its derivative is the row of any form */
static double mesh_rows(build *b, const tn_joint *j) {
  const tn_joint2 *type = &j->type->plane;
  bearings x;
  tn_frame2 f[3];
  double C = 0, J[9], Ct, gamma, along[BUILD_STENCIL], err = 0;
  bearings_random(b, j, &x);
  type->position(j->self, 0.3, x.given, &C);
  err = worse(err, fabs(C));
  for (int k = 0; k < BUILD_STENCIL; k++) {
    bearings_at(&x, build_offset(k, b->h), f);
    type->position(j->self, 0.3, f, &along[k]);
  }
  bearings_at(&x, 0, f);
  type->rows_on_twists(j->self, 0.3, f, J);
  type->rates(j->self, 0.3, f, &Ct, &gamma);
  /* on rates alone it is a torque of the carrier against both wheels; else the carrier has no part in it */
  const tn_node *form = tn_node_get(j->node, "form");
  const double torque = form && strcmp(form->text, "rates") == 0 ? J[2] + J[5] : 0;
  for (int k = 6; k < 9; k++) err = worse(err, fabs(J[k] + (k == 8 ? torque : 0)));
  for (int k = 0; torque != 0 && k < 8; k++) err = worse(err, k % 3 == 2 ? 0 : fabs(J[k]));
  err = worse(err, fabs(Ct));
  if (j->rows) err = worse(err, fabs(times_twists(J, 3, f) - build_slope(along, b->h)) / (1 + size_of(J, 9)));
  return err;
}

static double rows_against_differences(build *b, const tn_joint *j) {
  if (j->type->seat == TN_SEAT_MESH) return mesh_rows(b, j);
  const tn_joint2 *type = &j->type->plane;
  build_path path[MOST_FRAMES];
  tn_frame2 f[MOST_FRAMES];
  double a[MOST_FRAMES][3], C[3], Ct[3], gamma[3], J[9 * MOST_FRAMES], along[3][BUILD_STENCIL], err = 0;
  const double t = build_uniform(b, 0, 1);
  const int width = 3 * j->frames;
  paths(b, j, path);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    const double s = build_offset(k, b->h);
    frames_at(j, path, s, f, a);
    type->position(j->self, t + s, f, C);
    for (int r = 0; r < type->rows; r++) along[r][k] = C[r];
  }
  frames_at(j, path, 0, f, a);
  type->rows_on_twists(j->self, t, f, J);
  type->rates(j->self, t, f, Ct, gamma);
  for (int r = 0; r < type->rows; r++) {
    const double *row = J + r * width, Cdot = times_twists(row, j->frames, f) + Ct[r];
    err = worse(err, fabs(Cdot - build_slope(along[r], b->h)) / (1 + size_of(row, width)));
  }
  /* each component of each frame alone: columns of J one by one; a turn about the frame's own origin */
  for (int k = 0; k < j->frames; k++)
    for (int d = 0; d < 3; d++) {
      for (int i = 0; i < BUILD_STENCIL; i++) {
        tn_frame2 g[MOST_FRAMES];
        const double s = build_offset(i, b->h);
        memcpy(g, f, sizeof g);
        if (d < 2) {
          g[k].r[d] += s;
        } else {
          g[k].angle += s;
          g[k].c = cos(g[k].angle);
          g[k].s = sin(g[k].angle);
        }
        type->position(j->self, t, g, C);
        for (int r = 0; r < type->rows; r++) along[r][i] = C[r];
      }
      for (int r = 0; r < type->rows; r++) {
        const double *row = J + r * width;
        err = worse(err, fabs(row[3 * k + d] - build_slope(along[r], b->h)) / (1 + size_of(row, width)));
      }
    }
  return err;
}

static double time_alone(build *b, const tn_joint *j) {
  const tn_joint2 *type = &j->type->plane;
  build_path path[MOST_FRAMES];
  tn_frame2 f[MOST_FRAMES];
  double a[MOST_FRAMES][3], C[3], Ct[3], gamma[3], along[3][BUILD_STENCIL], err = 0;
  const double t = build_uniform(b, 0, 1);
  const int rows = j->rows;
  paths(b, j, path);
  frames_at(j, path, 0, f, a);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    type->position(j->self, t + build_offset(k, b->h), f, C);
    for (int r = 0; r < rows; r++) along[r][k] = C[r];
  }
  type->rates(j->self, t, f, Ct, gamma);
  for (int r = 0; r < rows; r++) err = worse(err, fabs(Ct[r] - build_slope(along[r], b->h)) / (1 + fabs(Ct[r])));
  return err;
}

static double gamma_against_differences(build *b, const tn_joint *j) {
  const tn_joint2 *type = &j->type->plane;
  const int rows = type->rows + type->rows_velocity_only, width = 3 * j->frames;
  build_path path[MOST_FRAMES];
  tn_frame2 f[MOST_FRAMES];
  double a[MOST_FRAMES][3], Ct[3], gamma[3], J[9 * MOST_FRAMES], along[3][BUILD_STENCIL], err = 0;
  const double t = build_uniform(b, 0, 1);
  paths(b, j, path);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    const double s = build_offset(k, b->h);
    frames_at(j, path, s, f, a);
    type->rows_on_twists(j->self, t + s, f, J);
    type->rates(j->self, t + s, f, Ct, gamma);
    for (int r = 0; r < rows; r++) along[r][k] = times_twists(J + r * width, j->frames, f) + Ct[r];
  }
  frames_at(j, path, 0, f, a);
  type->rows_on_twists(j->self, t, f, J);
  type->rates(j->self, t, f, Ct, gamma);
  for (int r = 0; r < rows; r++) {
    double Cddot = -gamma[r], size = fabs(gamma[r]);
    for (int i = 0; i < width; i++) {
      Cddot += J[r * width + i] * a[i / 3][i % 3];
      size += fabs(J[r * width + i] * a[i / 3][i % 3]);
    }
    err = worse(err, fabs(Cddot - build_slope(along[r], b->h)) / (1 + size));
  }
  return err;
}

TEST(rows_are_derivatives_of_position) { each_type("rows", 1e-8, true, rows_against_differences); }
TEST(time_derivatives_of_position) { each_type("Ct", 1e-9, true, time_alone); }
TEST(gamma_completes_the_second_derivative) { each_type("gamma", 1e-8, true, gamma_against_differences); }

/* ---- coordinates ------------------------------------------------------------------------------------------------------ */

static int coordinates_of(const tn_joint *j) { return j->type->plane.measure ? j->coordinates : 0; }

static double measure_against_differences(build *b, const tn_joint *j) {
  const tn_joint2 *type = &j->type->plane;
  const int n = coordinates_of(j);
  build_path path[MOST_FRAMES];
  tn_frame2 f[MOST_FRAMES];
  double a[MOST_FRAMES][3], value[3], gamma[3], J[18], v[3][BUILD_STENCIL], rate[3][BUILD_STENCIL], err = 0;
  if (!n) return -1;
  paths(b, j, path);
  for (int k = 0; k < BUILD_STENCIL; k++) {
    frames_at(j, path, build_offset(k, b->h), f, a);
    type->measure(j->self, f, value, J, gamma);
    for (int i = 0; i < n; i++) v[i][k] = value[i], rate[i][k] = times_twists(J + 6 * i, 2, f);
  }
  frames_at(j, path, 0, f, a);
  type->measure(j->self, f, value, J, gamma);
  for (int i = 0; i < n; i++) {
    double second = -gamma[i], size = fabs(gamma[i]);
    for (int k = 0; k < 6; k++) second += J[6 * i + k] * a[k / 3][k % 3], size += fabs(J[6 * i + k] * a[k / 3][k % 3]);
    err = worse(err, fabs(times_twists(J + 6 * i, 2, f) - build_slope(v[i], b->h)) / (1 + size_of(J + 6 * i, 6)));
    err = worse(err, fabs(second - build_slope(rate[i], b->h)) / (1 + size));
  }
  return err;
}

static double zero_at_the_given_pose(build *b, const tn_joint *j) {
  double value[3], J[18], gamma[3], err = 0;
  tn_frame2 f[2];
  if (!coordinates_of(j)) return -1;
  static const double rest[BUILD_MOST];
  build_frames(&b->sys, 0, b->model->q0, rest);
  for (int k = 0; k < 2; k++) tn_frame_on(&b->sys, &j->spot[k], &f[k]);
  j->type->plane.measure(j->self, f, value, J, gamma);
  for (int i = 0; i < coordinates_of(j); i++) err = worse(err, fabs(value[i]));
  return err;
}

TEST(measured_coordinates) { each_type("measure", 1e-9, true, measure_against_differences); }
TEST(coordinates_are_zero_at_the_given_pose) { each_type("at the given pose", 1e-14, true, zero_at_the_given_pose); }

/* ---- what it allows --------------------------------------------------------------------------------------------------- */

/* frame 1 where the motion puts it on frame 0, with speeds u on top of the twist of frame 0 */
static void place_on(const tn_joint *j, const double *q, const double *u, const tn_frame2 *f0, tn_frame2 *f1) {
  const int n = j->type->plane.axes;
  double d[2], angle, S[9] = {0}, V[3] = {0, 0, 0};
  j->type->plane.motion(j->self, q, d, &angle, S);
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < n; i++) V[r] += S[r * n + i] * u[i];
  const double c = f0->c, s = f0->s, x = c * d[0] - s * d[1], y = s * d[0] + c * d[1];
  *f1 = (tn_frame2){.r = {f0->r[0] + x, f0->r[1] + y},
                    .angle = f0->angle + angle,
                    .v = {f0->v[0] - f0->w * y + c * V[0] - s * V[1], f0->v[1] + f0->w * x + s * V[0] + c * V[1]},
                    .w = f0->w + V[2]};
  f1->c = cos(f1->angle);
  f1->s = sin(f1->angle);
}

static double motion_keeps_it_closed(build *b, const tn_joint *j) {
  const tn_joint2 *type = &j->type->plane;
  build_path path;
  tn_frame2 f[2];
  double q[3], u[3] = {0}, a[3], C[3], J[18], Ct[3], gamma[3], value[3], Jm[18], err = 0;
  if (type->axes < 0) return -1;
  build_path_random(b, &path);
  build_path_at(&path, 0, &f[0], a);
  for (int i = 0; i < 3; i++) q[i] = build_uniform(b, -2, 2), u[i] = build_uniform(b, -2, 2);
  place_on(j, q, u, &f[0], &f[1]);
  type->position(j->self, 0.3, f, C);
  type->rows_on_twists(j->self, 0.3, f, J);
  type->rates(j->self, 0.3, f, Ct, gamma);
  for (int r = 0; r < type->rows; r++) err = worse(err, fabs(C[r]));
  for (int r = 0; r < type->rows; r++) err = worse(err, fabs(times_twists(J + 6 * r, 2, f) + Ct[r]));
  /* its coordinates are those it measures, and its speeds their rates */
  if (coordinates_of(j)) type->measure(j->self, f, value, Jm, gamma);
  for (int i = 0; i < coordinates_of(j); i++) {
    err = worse(err, fabs(value[i] - q[i]));
    err = worse(err, fabs(times_twists(Jm + 6 * i, 2, f) - u[i]));
  }
  return err;
}

/* S against differences of the pose, in the axes of frame 0 */
static double axes_against_differences(build *b, const tn_joint *j) {
  const int n = j->type->plane.axes;
  double q[3], d[2], angle, S[9], unused[9], along[3][BUILD_STENCIL], err = 0;
  if (n < 1) return -1;
  for (int i = 0; i < n; i++) q[i] = build_uniform(b, -2, 2);
  j->type->plane.motion(j->self, q, d, &angle, S);
  for (int i = 0; i < n; i++) {
    const double q0 = q[i];
    for (int k = 0; k < BUILD_STENCIL; k++) {
      q[i] = q0 + build_offset(k, b->h);
      j->type->plane.motion(j->self, q, d, &angle, unused);
      along[0][k] = d[0], along[1][k] = d[1], along[2][k] = angle;
    }
    q[i] = q0;
    for (int r = 0; r < 3; r++) err = worse(err, fabs(S[r * n + i] - build_slope(along[r], b->h)));
  }
  return err;
}

TEST(motion_keeps_the_joint_closed) { each_type("closed by motion", 1e-13, true, motion_keeps_it_closed); }
TEST(motion_axes) { each_type("axes", 1e-10, true, axes_against_differences); }

/* small dense solve for Newton: J J' x = b, n <= 3 */
static bool solve(int n, double *G, double *x) {
  for (int i = 0; i < n; i++) {
    if (!(G[i * n + i] > 1e-14)) return false;
    for (int k = i + 1; k < n; k++) {
      const double l = G[k * n + i] / G[i * n + i];
      for (int c = i; c < n; c++) G[k * n + c] -= l * G[i * n + c];
      x[k] -= l * x[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) x[i] -= G[i * n + c] * x[c];
    x[i] /= G[i * n + i];
  }
  return true;
}

/* on the joint, both bodies moving as one rigid body move none of its rows: it exerts force and moment on the second and
 * the opposite on the first, and does no work on them together */
static double rigid_motion_is_free(build *b, const tn_joint *j) {
  const tn_joint2 *type = &j->type->plane;
  const bool mesh = j->type->seat == TN_SEAT_MESH;
  const int n = mesh ? 0 : type->rows, width = 3 * j->frames;
  double J[27], C[3], a[3], G[9], err = 0;
  build_path path;
  tn_frame2 f[3];
  if (j->type->seat != TN_SEAT_SHARED && j->type->seat != TN_SEAT_TWO && !mesh) return -1;
  for (int k = 0; k < j->frames; k++) {
    build_path_random(b, &path);
    build_path_at(&path, 0, &f[k], a);
  }
  for (int pass = 0; pass < 40; pass++) { /* onto the joint by moving the frames, least squares */
    type->position(j->self, 0.3, f, C);
    if (!(size_of(C, n) > 1e-14)) break;
    type->rows_on_twists(j->self, 0.3, f, J);
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) {
        G[r * n + c] = 0;
        for (int i = 0; i < 6; i++) G[r * n + c] += J[6 * r + i] * J[6 * c + i];
      }
    if (!solve(n, G, C)) return INFINITY;
    for (int k = 0; k < 2; k++) {
      double step[3] = {0, 0, 0};
      for (int r = 0; r < n; r++)
        for (int d = 0; d < 3; d++) step[d] -= J[6 * r + 3 * k + d] * C[r];
      f[k].r[0] += step[0];
      f[k].r[1] += step[1];
      f[k].angle += step[2];
      f[k].c = cos(f[k].angle);
      f[k].s = sin(f[k].angle);
    }
  }
  if (n) type->position(j->self, 0.3, f, C);
  if (n && !(size_of(C, n) < 1e-12)) return INFINITY;
  const double v[2] = {build_uniform(b, -2, 2), build_uniform(b, -2, 2)}, w = build_uniform(b, -2, 2);
  for (int k = 0; k < j->frames; k++) {
    f[k].w = w;
    f[k].v[0] = v[0] - w * f[k].r[1];
    f[k].v[1] = v[1] + w * f[k].r[0];
  }
  type->rows_on_twists(j->self, 0.3, f, J);
  for (int r = 0; r < j->rows + j->rows_velocity; r++)
    err = worse(err, fabs(times_twists(J + width * r, j->frames, f)) / (1 + size_of(J + width * r, width)));
  return err;
}

TEST(a_rigid_motion_of_both_is_free) { each_type("rigid motion", 1e-11, true, rigid_motion_is_free); }

/* ---- in a model ------------------------------------------------------------------------------------------------------- */

static double rows_of_the_model(build *b, const tn_joint *j) {
  build_errors e = {0};
  build_motion m;
  (void)j;
  build_motion_random(b, 0.7, &m);
  build_rows(b, &m, &e);
  return worse(worse(worse(e.A, e.Ct), e.Cdot), e.gamma);
}

TEST(rows_in_a_model) { each_type("rows in a model", 1e-9, false, rows_of_the_model); }

/* ---- in a tree -------------------------------------------------------------------------------------------------------- */

static const tn_joint_type *random_carrier(build *b) {
  for (;;) {
    const tn_joint_type *type = tn_joint_types[build_integer(b, 0, tn_joint_type_count - 1)];
    if (type->plane.there && type->seat == TN_SEAT_SHARED && type->plane.axes >= 0) return type;
  }
}

/* ground or a free a - b - c - d in a row, each joint of `type` (NULL: any), in either direction; e swings on d */
static bool chain(build *b, const tn_joint_type *type, int seed, bool free, bool closed) {
  static const char *const body[] = {"ground", "a", "b", "c", "d"};
  build_given given;
  build_new(b, 977u * (uint64_t)seed + 5);
  build_world(b);
  build_set(b, "/coordinates", "\"relative\"");
  build_set(b, "/bodies/d",
            "{\"mass\": 1, \"inertia\": 0.2, \"center\": [0.1, -0.2], \"position\": [%.17g, %.17g], \"angle\": 1}",
            build_uniform(b, -1, 1), build_uniform(b, -1, 1));
  build_set(b, "/bodies/e",
            "{\"mass\": 1, \"inertia\": 0.2, \"angle\": 2, \"coordinates\": {\"type\": \"swing\", \"parent\": \"d\", "
            "\"at\": [1, 2]}}");
  for (int i = free; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    const bool backwards = build_integer(b, 0, 1);
    build_joint(b, name, type ? type : random_carrier(b), body[backwards ? i + 1 : i], body[backwards ? i : i + 1],
                !closed, &given);
  }
  return build_compile(b);
}

/* tree joints are closed and measure their coordinates; every body moves as its twist and bias say */
static double tree(build *b, bool closed, int carried, int *backwards) {
  const tn_model *m = b->model;
  build_errors e = {0};
  build_motion motion;
  double err = 0;
  int seen = 0;
  static const double rest[BUILD_MOST];
  for (int i = 0; i < m->bodies; i++) {
    seen += m->body[i].joint >= 0;
    *backwards += m->body[i].joint >= 0 && m->body[i].backwards;
  }
  if (seen != carried) return INFINITY;
  build_motion_random(b, 2, &motion);
  build_kinematics(b, &motion, &e);
  err = worse(worse(e.twist, e.axes), e.bias);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    if (body->joint < 0) continue;
    const tn_joint *j = &m->joint[body->joint];
    const tn_joint2 *type = &j->type->plane;
    double C[3], J[18], value[3], gamma[3];
    tn_frame2 f[2], expected;
    for (int k = 0; k < 2; k++) tn_frame_on(&b->sys, &j->spot[k], &f[k]);
    place_on(j, motion.q + body->q, motion.u + body->u, &f[0], &expected);
    err = worse(err, hypot(f[1].r[0] - expected.r[0], f[1].r[1] - expected.r[1]) + fabs(f[1].angle - expected.angle));
    err = worse(err, hypot(f[1].v[0] - expected.v[0], f[1].v[1] - expected.v[1]) + fabs(f[1].w - expected.w));
    type->position(j->self, 0, f, C);
    for (int r = 0; r < type->rows; r++) err = worse(err, fabs(C[r]));
    type->rows_on_twists(j->self, 0, f, J);
    for (int r = 0; r < type->rows; r++) err = worse(err, fabs(times_twists(J + 6 * r, 2, f)));
    if (coordinates_of(j)) type->measure(j->self, f, value, J, gamma);
    for (int k = 0; k < coordinates_of(j); k++) {
      err = worse(err, fabs(value[k] - motion.q[body->q + k]));
      err = worse(err, fabs(times_twists(J + 6 * k, 2, f) - motion.u[body->u + k]));
    }
  }
  if (!closed) return err;
  /* joints closed by `at`: coordinates 0 are the given pose */
  build_frames(&b->sys, 0, m->q0, rest);
  for (int i = 0; i < m->bodies; i++) {
    const tn_pose *pose = &m->body[i].pose;
    const tn_frame2 *f = &b->sys.pose.body[i];
    err = worse(err, hypot(f->r[0] - pose->r[0], f->r[1] - pose->r[1]));
    if (m->body[i].oriented) err = worse(err, fabs(f->angle - pose->angle));
  }
  return err;
}

TEST(carried_in_a_tree_forwards_and_backwards) {
  int types = 0;
  for (int i = 0; i <= tn_joint_type_count; i++) { /* the last: all of them mixed */
    const tn_joint_type *type = i < tn_joint_type_count ? tn_joint_types[i] : NULL;
    double worst = 0;
    int backwards = 0, all = 0, refused = 0;
    if (type && (!type->plane.there || type->seat != TN_SEAT_SHARED || type->plane.axes < 0)) continue;
    types++;
    for (int n = 0; n < 30; n++) {
      build b;
      const bool free = n % 3 == 0, closed = n % 2 == 0;
      if (chain(&b, type, n, free, closed))
        worst = worse(worst, tree(&b, closed, free ? 3 : 4, &backwards));
      else if (!refused++)
        FAIL("joint %s: not accepted in a tree: %s", type ? type->name : "mixed", b.message);
      all += free ? 3 : 4;
      build_free(&b);
    }
    printf("%-16s in a tree %.1e, %d of %d backwards\n", type ? type->name : "mixed", worst, backwards, all);
    if (!(worst <= 1e-9)) FAIL("joint %s: in a tree it is off by %.3g", type ? type->name : "mixed", worst);
    CHECK(backwards > all / 4 && backwards < 3 * all / 4);
  }
  CHECK(types > 1);
}

/* the types there are move along x or turn. in a tree of joints that do all at once every term of the kinematics counts */
static void skew_motion(const void *self, const double *q, double d[2], double *angle, double *S) {
  (void)self;
  d[0] = 0.3 + 0.8 * q[0];
  d[1] = -0.5 - 0.6 * q[0];
  *angle = 0.2 + 0.7 * q[0];
  S[0] = 0.8, S[1] = -0.6, S[2] = 0.7;
}

TEST(carried_by_a_joint_that_slides_and_turns) {
  tn_joint_type skew = {.name = "skew", .plane = {.there = true, .axes = 1, .motion = skew_motion}};
  double worst = 0;
  int replaced = 0;
  for (int n = 0; n < 30; n++) {
    build b;
    if (chain(&b, NULL, n, n & 1, true)) {
      build_errors e = {0};
      build_motion m;
      for (int i = 0; i < b.model->joints; i++) {
        tn_joint *j = &b.model->joint[i];
        if (!j->in_tree || j->type->plane.axes != 1) continue;
        j->type = &skew;
        replaced++;
      }
      build_motion_random(&b, 2, &m);
      build_kinematics(&b, &m, &e);
      worst = worse(worse(worse(worst, e.twist), e.axes), e.bias);
    } else {
      FAIL("%s", b.message);
    }
    build_free(&b);
  }
  printf("%d joints that slide and turn: %.1e\n", replaced, worst);
  CHECK(worst <= 1e-9 && replaced > 40);
}
