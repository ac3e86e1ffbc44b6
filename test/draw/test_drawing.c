/* what models look like: rods between joints, sliders on rails, teeth that mesh, shapes that files give, solids that are closed; at every
 * size, for every joint there is, and without a part in the motion. */
#include "draw/maker.h"

#include "support/build.h"
#include "support/failing.h"
#include "test.h"

typedef struct made {
  tn_desc *desc;
  tn_model *m;
  tn_drawing *d;
  tn_error e;
} made;

/* ' stands for " */
static bool make_from(made *x, const tn_allocator *allocator, const char *text, bool flat) {
  char *copy = malloc(strlen(text) + 1);
  if (!copy) abort();
  for (size_t i = 0; i <= strlen(text); i++) copy[i] = text[i] == '\'' ? '"' : text[i];
  *x = (made){.desc = NULL};
  bool good = tn_desc_new(allocator, &x->desc, &x->e) == TN_OK &&
              tn_desc_parse(x->desc, "m.json", copy, strlen(copy), &x->e) == TN_OK &&
              tn_compile(x->desc, &x->m, &x->e) == TN_OK &&
              tn_drawing_new(x->m, &(tn_picture){flat, ".", true, NULL}, &x->d, &x->e) == TN_OK;
  free(copy);
  return good;
}

static void make(made *x, const char *text, bool flat) {
  if (make_from(x, NULL, text, flat)) return;
  FAIL("%s", x->e.message);
  exit(1);
}

static void make_file(made *x, const char *name, bool flat) {
  char path[400];
  snprintf(path, sizeof path, TN_SOURCE_DIR "/models/%s.json", name);
  *x = (made){.desc = NULL};
  if (tn_desc_new(NULL, &x->desc, &x->e) == TN_OK && tn_desc_read(x->desc, path, &x->e) == TN_OK &&
      tn_compile(x->desc, &x->m, &x->e) == TN_OK &&
      tn_drawing_new(x->m, &(tn_picture){flat, NULL, true, NULL}, &x->d, &x->e) == TN_OK)
    return;
  FAIL("%s: %s", name, x->e.message);
  exit(1);
}

static void let_go(made *x) {
  tn_drawing_free(x->d);
  tn_model_free(x->m);
  tn_desc_free(x->desc);
}

/* a point of a body, or of a shape of it, in the world at the given pose */
static void world(const made *x, int body, const double p[3], double w[3]) {
  if (body < 0) {
    memcpy(w, p, 3 * sizeof *w);
    return;
  }
  const tn_pose *pose = &x->m->body[body].pose;
  double A[9];
  memcpy(A, pose->A, sizeof A);
  if (x->m->dimension == 2) tn_rotation_about3((double[3]){0, 0, 1}, pose->angle, A);
  tn_turn3(A, p, w);
  tn_axpy3(1, pose->r, w);
}

static const tn_shape *shape_of(const made *x, int body, tn_role role, int number) {
  for (int i = 0; i < x->d->shapes; i++)
    if (x->d->shape[i].body == body && x->d->shape[i].role == role && number-- == 0) return &x->d->shape[i];
  return NULL;
}

static int count_of(const made *x, int body, int role) {
  int n = 0;
  for (int i = 0; i < x->d->shapes; i++)
    n += x->d->shape[i].body == body && (role < 0 || (int)x->d->shape[i].role == role);
  return n;
}

static void all_finite(const char *name, const made *x) {
  for (int i = 0; i < x->d->shapes; i++) {
    const tn_shape *s = &x->d->shape[i];
    bool good = tn_all_finite(2 * s->points, s->point) && tn_all_finite(3, s->at) && tn_all_finite(9, s->A);
    good = good && isfinite(s->width) && isfinite(s->radius) && tn_all_finite(2, s->center);
    good = good && s->body >= TN_GROUND && s->body < x->m->bodies;
    if (!good) FAIL("%s: shape %d is not finite", name, i);
  }
}

/* ---- bodies ---- */

TEST(rods_go_from_joint_to_joint) {
  made x;
  make_file(&x, "four_bar", true);
  static const double end[3][4] = {{0, 0, 0, 1}, {0, 1, 3, 2}, {4, 0, 3, 2}};
  for (int b = 0; b < 3; b++) {
    const tn_shape *s = shape_of(&x, b, TN_ROLE_BODY, 0);
    CHECK(s && s->kind == TN_STROKE && s->points == 2 && count_of(&x, b, -1) == 1);
    for (int i = 0; s && i < 2; i++) {
      double w[3];
      world(&x, b, (double[3]){s->point[2 * i], s->point[2 * i + 1], 0}, w);
      const double *e = end[b], to_first = hypot(w[0] - e[0], w[1] - e[1]), to_second = hypot(w[0] - e[2], w[1] - e[3]);
      CHECK(fmin(to_first, to_second) < 1e-12);
    }
    CHECK(s && s->width > 0.02 && s->width < 0.4);
    CHECK(x.d->sign[b].symbol == TN_SYM_PIN && x.d->sign[b].placed);
  }
  CHECK(count_of(&x, TN_GROUND, TN_ROLE_GROUND) == 2);
  CHECK(x.d->solids == 0);
  let_go(&x);
}

TEST(a_body_with_three_places_is_a_plate_around_them) {
  made x;
  make_file(&x, "andrews", true);
  int plates = 0;
  for (int i = 0; i < x.d->shapes; i++) {
    const tn_shape *s = &x.d->shape[i];
    if (s->body < 0 || s->kind != TN_FILL) continue;
    plates++;
    double area = 0;
    CHECK(s->loops == 1 && s->loop[0] == s->points);
    for (int a = s->points - 1, b = 0; b < s->points; a = b++)
      area += (s->point[2 * a] * s->point[2 * b + 1] - s->point[2 * b] * s->point[2 * a + 1]) / 2;
    CHECK(area > 0);
    for (int j = 0; j < x.m->joints; j++)
      for (int f = 0; f < 2 && x.m->joint[j].frames > f; f++) {
        const tn_spot *p = &x.m->joint[j].spot[f];
        if (p->body != s->body || !x.d->sign[j].placed) continue;
        for (int a = s->points - 1, b = 0; b < s->points; a = b++) { /* inside, at a distance from every edge */
          const double ex = s->point[2 * b] - s->point[2 * a], ey = s->point[2 * b + 1] - s->point[2 * a + 1];
          CHECK(ex * (p->p[1] - s->point[2 * a + 1]) - ey * (p->p[0] - s->point[2 * a]) > 0 || hypot(ex, ey) < 1e-12);
        }
      }
  }
  CHECK(plates >= 2);
  let_go(&x);
}

static const char *const crank =
    "{'tenon':1,'dimension':2,'gravity':[0,-9.81],'points':{'O':[0,0],'P':[0,0.1],'Q':[0.2828427,0]},"
    "'bodies':{'crank':{'rod':['O','P'],'mass':0.4},'rod':{'rod':['P','Q'],'mass':0.6},"
    "'slider':{'position':'Q','mass':0.5,'inertia':1e-4}},"
    "'joints':{'main':{'type':'revolute','between':['ground','crank'],'at':'O'},"
    "'big':{'type':'revolute','between':['crank','rod'],'at':'P'},"
    "'small':{'type':'revolute','between':['rod','slider'],'at':'Q'},"
    "'guide':{'type':'prismatic','between':['ground','slider'],'at':'Q','axis':'x'}}}";

TEST(a_slider_is_a_block_on_a_rail) {
  made x;
  make(&x, crank, true);
  const tn_shape *rail = shape_of(&x, TN_GROUND, TN_ROLE_RAIL, 0), *block = shape_of(&x, 2, TN_ROLE_SLIDER, 0);
  CHECK(rail && rail->kind == TN_STROKE && block && block->kind == TN_FILL && block->points == 4);
  CHECK(count_of(&x, 2, -1) == 1); /* nothing hides the block */
  if (rail) {
    /* all of the way of the slider: from l - r to l + r */
    CHECK(fmin(rail->point[0], rail->point[2]) <= 0.2 && fmax(rail->point[0], rail->point[2]) >= 0.4);
    CHECK(rail->point[1] == 0 && rail->point[3] == 0);
  }
  const tn_sign *s = &x.d->sign[3];
  CHECK(s->symbol == TN_SYM_SLIDE && s->has_axis && s->placed);
  CHECK_NEAR(s->axis[0], 1, 1e-12);
  let_go(&x);
}

TEST(sizes_follow_from_the_model) {
  /* the same mechanism from a millimetre to a kilometre: all widths in proportion */
  static const double scale[] = {1e-3, 1, 1e3};
  double width[3], foot[3];
  for (int i = 0; i < 3; i++) {
    char text[600];
    const double k = scale[i];
    made x;
    snprintf(
        text, sizeof text,
        "{'tenon':1,'dimension':2,'bodies':{'a':{'rod':[[0,0],[%g,0]],'mass':1},'b':{'rod':[[%g,0],[%g,%g]],'mass':1}},"
        "'joints':{'A':{'type':'revolute','between':['ground','a'],'at':[0,0]},"
        "'B':{'type':'revolute','between':['a','b'],'at':[%g,0]}}}",
        k, k, k, 3 * k, k);
    make(&x, text, true);
    width[i] = shape_of(&x, 0, TN_ROLE_BODY, 0)->width / k;
    const tn_shape *s = shape_of(&x, TN_GROUND, TN_ROLE_GROUND, 0);
    foot[i] = s->point[0] / k;
    let_go(&x);
  }
  for (int i = 0; i < 3; i += 2) {
    CHECK_NEAR(width[i], width[1], 1e-12);
    CHECK_NEAR(foot[i], foot[1], 1e-9);
  }
  CHECK(width[1] > 0.03 && width[1] < 0.2);
}

/* the largest and smallest numbers: drawn, or left out with a remark, and finite in any case */
TEST(sizes_that_are_beyond_all_bounds) {
  static const double scale[] = {1e-300, 1e-160, 1e-50, 1e-39, 1e30, 1e38, 1e100, 1e155, 1e300};
  for (size_t i = 0; i < sizeof scale / sizeof *scale; i++)
    for (int space = 0; space < 2; space++)
      for (int flat = 0; flat < 2; flat++) {
        char text[1000];
        made x;
        snprintf(text, sizeof text,
                 "{'tenon':1,'dimension':%d,'constants':{'s':%g},'bodies':{"
                 "'a':{'mass':1,'inertia':%s,'draw':[{'sphere':'s'},{'box':['s','s'%s]},{'capsule':['s','s']}]},"
                 "'b':{'mass':1,'inertia':%s,'position':['s',0%s]}},"
                 "'joints':{'A':{'type':'%s','between':['ground','b'],'at':[0,0%s]}}}",
                 space ? 3 : 2, scale[i], space ? "[1,1,1]" : "1", space ? ",'s'" : "", space ? "[1,1,1]" : "1",
                 space ? ",0" : "", space ? "spherical" : "revolute", space ? ",0" : "");
        if (make_from(&x, NULL, text, flat)) {
          all_finite(text, &x);
          for (int s = 0; s < x.d->solids; s++)
            for (int v = 0; v < 3 * x.d->solid[s].vertices; v++)
              if (!isfinite(x.d->solid[s].position[v]) || !isfinite(x.d->solid[s].normal[v])) {
                FAIL("%g, %d: solid %d is not finite", scale[i], space, s);
                break;
              }
        }
        let_go(&x);
      }
}

/* ---- teeth ---- */

static bool holds(const tn_shape *s, const double p[2]) { /* by crossings */
  bool in = false;
  for (int l = 0, from = 0; l < s->loops; from = s->loop[l++])
    for (int a = s->loop[l] - 1, b = from; b < s->loop[l]; a = b++) {
      const double *u = s->point + 2 * a, *v = s->point + 2 * b;
      if ((u[1] > p[1]) != (v[1] > p[1]) && p[0] < u[0] + (p[1] - u[1]) * (v[0] - u[0]) / (v[1] - u[1])) in = !in;
    }
  return in;
}

/* of a small square about P, of a side of two modules: what part is inside both. body axes turned by the angles */
static double overlap(const tn_shape *s, const tn_shape *o, const double P[2], double size, const double ra[3],
                      const double rb[3]) {
  enum { N = 80 };
  int both = 0;
  for (int i = 0; i < N * N; i++) {
    const double w[2] = {P[0] + size * ((i % N + 0.5) / N - 0.5), P[1] + size * ((i / N + 0.5) / N - 0.5)};
    bool in[2];
    for (int k = 0; k < 2; k++) {
      const double *r = k ? rb : ra, c = cos(r[2]), sn = sin(r[2]), dx = w[0] - r[0], dy = w[1] - r[1];
      in[k] = holds(k ? o : s, (double[2]){c * dx + sn * dy, -sn * dx + c * dy});
    }
    both += in[0] && in[1];
  }
  return (double)both / (N * N);
}

/* two wheels or a wheel and a rack, teeth [ta, tb], turned through more than a tooth */
static void check_mesh(const char *what, const char *text, double ta, double tb, bool internal, const double P[2]) {
  made x;
  make(&x, text, true);
  const tn_shape *a = shape_of(&x, 0, TN_ROLE_GEAR, 0), *b = shape_of(&x, 1, TN_ROLE_GEAR, 0);
  CHECK(a && b && a->kind == TN_FILL && b->kind == TN_FILL);
  const tn_body *A = &x.m->body[0], *B = &x.m->body[1];
  const double r = hypot(P[0] - A->pose.r[0], P[1] - A->pose.r[1]), module = 2 * r / ta;
  double most = 0, gap = 0;
  for (int i = 0; a && b && i < 9; i++) {
    const double turn = i / 9.0 * 2.2 * TN_PI / ta;
    const double ra[3] = {A->pose.r[0], A->pose.r[1], A->pose.angle + turn};
    double rb[3] = {B->pose.r[0], B->pose.r[1], B->pose.angle};
    if (tb > 0)
      rb[2] += (internal ? 1 : -1) * turn * ta / tb;
    else
      rb[0] += turn * r; /* a rack along x, below */
    most = fmax(most, overlap(a, b, P, 2 * module, ra, rb));
    if (tb > 0)
      rb[2] += TN_PI / tb; /* half a tooth off: the test can tell */
    else
      rb[0] += TN_PI * module / 2;
    gap = fmax(gap, overlap(a, b, P, 2 * module, ra, rb));
  }
  if (!(most < 0.01)) FAIL("%s: teeth are inside one another by %.3g of a square of 2 modules", what, most);
  if (!(gap > 0.15)) FAIL("%s: the test cannot tell, %.3g", what, gap);
  let_go(&x);
}

TEST_FULL(teeth_mesh_at_the_given_pose) {
  char text[1500];
  for (int n = 0; n < 4; n++) {
    static const double teeth[4][2] = {{20, 40}, {23, 52}, {17, 31}, {1, 2.5}},
                        shown[4][2] = {{20, 40}, {23, 52}, {17, 31}, {12, 30}};
    const double at[2] = {0.3, 0.1 * (n - 1)}, k = teeth[n][0] / (teeth[n][0] + teeth[n][1]);
    snprintf(text, sizeof text,
             "{'tenon':1,'dimension':2,'bodies':{'a':{'mass':1,'inertia':1,'angle':%g},'b':{'mass':1,'inertia':1,"
             "'position':[%g,%g],'angle':%g}},'joints':{'A':{'type':'revolute','between':['ground','a'],'at':'a'},"
             "'B':{'type':'revolute','between':['ground','b'],'at':'b'},"
             "'m':{'type':'gear','between':['a','b'],'teeth':[%g,%g]}}}",
             0.3 * n, at[0], at[1], 1.1 * n, teeth[n][0], teeth[n][1]);
    check_mesh("outside", text, shown[n][0], shown[n][1], false, (double[2]){k * at[0], k * at[1]});
  }
  check_mesh("a ring",
             "{'tenon':1,'dimension':2,'bodies':{'p':{'mass':1,'inertia':1,'position':[0.2,0.1],'angle':0.7},"
             "'ring':{'mass':1,'inertia':1,'angle':-0.2}},"
             "'joints':{'A':{'type':'revolute','between':['ground','p'],'at':'p'},"
             "'B':{'type':'revolute','between':['ground','ring'],'at':'ring'},"
             "'m':{'type':'gear','between':['p','ring'],'teeth':[20,70],'internal':true}}}",
             20, 70, true, (double[2]){0.2 * 70 / 50, 0.1 * 70 / 50});
  check_mesh("a rack",
             "{'tenon':1,'dimension':2,'bodies':{'p':{'mass':1,'inertia':1,'angle':0.7},"
             "'bar':{'mass':1,'inertia':1,'position':[0,-0.07]}},"
             "'joints':{'A':{'type':'revolute','between':['ground','p'],'at':'p'},"
             "'B':{'type':'prismatic','between':['ground','bar'],'at':'bar','axis':'x'},"
             "'m':{'type':'rack','between':['p','bar'],'radius':0.05,'direction':'x'}}}",
             24, 0, false, (double[2]){0, -0.05});
}

TEST(a_wheel_between_two_keeps_its_teeth) {
  /* the second of three: one shape, and both of its neighbours mesh with it */
  const char *text =
      "{'tenon':1,'dimension':2,'bodies':{'a':{'mass':1,'inertia':1},'b':{'mass':1,'inertia':1,'position':[0.3,0]},"
      "'c':{'mass':1,'inertia':1,'position':[0.3,0.35]}},"
      "'joints':{'A':{'type':'revolute','between':['ground','a'],'at':'a'},"
      "'B':{'type':'revolute','between':['ground','b'],'at':'b'},"
      "'C':{'type':'revolute','between':['ground','c'],'at':'c'},"
      "'n':{'type':'gear','between':['c','b'],'teeth':[30,40]},"
      "'m':{'type':'gear','between':['a','b'],'teeth':[20,40]}}}";
  made x;
  make(&x, text, true);
  CHECK(count_of(&x, 1, TN_ROLE_GEAR) == 1);
  const double r[3][3] = {{0, 0, 0}, {0.3, 0, 0}, {0.3, 0.35, 0}};
  CHECK(overlap(shape_of(&x, 0, TN_ROLE_GEAR, 0), shape_of(&x, 1, TN_ROLE_GEAR, 0), (double[2]){0.1, 0}, 0.02, r[0],
                r[1]) < 0.02);
  CHECK(overlap(shape_of(&x, 2, TN_ROLE_GEAR, 0), shape_of(&x, 1, TN_ROLE_GEAR, 0), (double[2]){0.3, 0.2}, 0.02, r[2],
                r[1]) < 0.02);
  let_go(&x);
}

TEST(gears_in_space_are_those_of_the_plane) {
  made x, y;
  static const char *const text[2] = {
      "{'tenon':1,'dimension':2,'bodies':{'a':{'mass':1,'inertia':1,'angle':0.4},'b':{'mass':1,'inertia':1,'position':["
      "0.3,0.2]}},"
      "'joints':{'A':{'type':'revolute','between':['ground','a'],'at':'a'},'B':{'type':'revolute','between':['ground','"
      "b'],'at':'b'},"
      "'m':{'type':'gear','between':['a','b'],'teeth':[20,40]}}}",
      "{'tenon':1,'dimension':3,'bodies':{'a':{'mass':1,'inertia':[1,1,1],'axis_angle':['z',0.4]},"
      "'b':{'mass':1,'inertia':[1,1,1],'position':[0.3,0.2,0]}},"
      "'joints':{'A':{'type':'revolute','between':['ground','a'],'at':'a','axis':'z'},"
      "'B':{'type':'revolute','between':['ground','b'],'at':'b','axis':'z'},"
      "'m':{'type':'gear','between':['a','b'],'teeth':[20,40]}}}"};
  make(&x, text[0], true);
  for (int k = 0; k < 2; k++) { /* solids of the plane, and of space */
    make(&y, text[k], false);
    for (int b = 0; b < 2; b++) {
      const tn_shape *s = shape_of(&x, b, TN_ROLE_GEAR, 0), *o = shape_of(&y, b, TN_ROLE_GEAR, 0);
      CHECK(s && o && o->mesh >= 0);
      if (!s || !o) continue;
      const tn_solid *solid = &y.d->solid[o->mesh]; /* its first vertices are those of the outline */
      for (int i = 0; i < s->points && i < solid->vertices; i++) {
        double p[3], q[3];
        for (int c = 0; c < 3; c++) p[c] = (double)solid->position[3 * i + c];
        tn_turn3(o->A, p, q);
        tn_axpy3(1, o->at, q);
        CHECK_NEAR(q[0], s->point[2 * i], 1e-6);
        CHECK_NEAR(q[1], s->point[2 * i + 1], 1e-6);
      }
    }
    let_go(&y);
  }
  let_go(&x);
}

/* ---- solids ---- */

/* closed, facing outwards, normals of length 1 that lie on the side of their faces */
static void check_solid(const char *name, int number, const tn_solid *s, bool closed) {
  double sum[3] = {0}, area = 0, volume = 0, worst = 1, length = 0;
  CHECK(s->vertices > 0 && s->triangles > 0);
  for (int i = 0; i < s->triangles; i++) {
    double p[3][3], u[3], v[3], n[3];
    for (int c = 0; c < 3; c++) {
      CHECK(s->index[3 * i + c] < (uint32_t)s->vertices);
      for (int k = 0; k < 3; k++) p[c][k] = (double)s->position[3 * s->index[3 * i + c] + (uint32_t)k];
    }
    tn_sub3(p[1], p[0], u);
    tn_sub3(p[2], p[0], v);
    tn_cross3(u, v, n);
    const double l = tn_norm3(n);
    tn_axpy3(0.5, n, sum);
    area += l / 2;
    volume += tn_triple3(p[0], p[1], p[2]) / 6;
    if (!(l > 1e-4 * tn_norm3(u) * tn_norm3(v))) continue; /* nearly without a face */
    for (int c = 0; c < 3; c++) {
      double m[3];
      for (int k = 0; k < 3; k++) m[k] = (double)s->normal[3 * s->index[3 * i + c] + (uint32_t)k];
      worst = fmin(worst, tn_dot3(m, n) / l);
      length = fmax(length, fabs(tn_norm3(m) - 1));
    }
  }
  if (!(length < 1e-5)) FAIL("%s, solid %d: a normal is %g off length 1", name, number, length);
  if (!(worst > 0.3)) FAIL("%s, solid %d: a normal points away from its face, %g", name, number, worst);
  if (closed && !(tn_norm3(sum) < 1e-5 * area))
    FAIL("%s, solid %d: it is open, %g", name, number, tn_norm3(sum) / area);
  if (closed && !(volume > 0)) FAIL("%s, solid %d: it is inside out, %g", name, number, volume);
}

static const char *const models[] = {"andrews",
                                     "biped_1",
                                     "braun_slider_crank",
                                     "bricard",
                                     "chaplygin_sleigh",
                                     "door",
                                     "engine",
                                     "four_bar",
                                     "gear_train",
                                     "heavy_top",
                                     "hoang_const",
                                     "n_four_bar",
                                     "pendulum",
                                     "rolling_disc",
                                     "rotary_pendulum",
                                     "spatial_chain",
                                     "spatial_four_bar",
                                     "spatial_slider_crank",
                                     "stewart_platform",
                                     "table",
                                     "wu_crank_slider"};

TEST(solids_are_closed_and_face_outwards) {
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    made x;
    make_file(&x, models[i], false);
    CHECK(x.d->shapes > 0 && x.d->remarks == 0);
    for (int b = 0; b < x.m->bodies; b++)
      if (!count_of(&x, b, -1)) FAIL("%s: body '%s' is not seen", models[i], x.m->body[b].name);
    all_finite(models[i], &x);
    for (int s = 0; s < x.d->solids; s++) check_solid(models[i], s, &x.d->solid[s], true);
    let_go(&x);
    make_file(&x, models[i], true);
    all_finite(models[i], &x);
    let_go(&x);
  }
}

TEST(solids_of_all_shapes) {
  made x;
  make(&x,
       "{'tenon':1,'dimension':3,'bodies':{'a':{'mass':1,'inertia':[1,1,1],'draw':["
       "{'box':[1,2,3]},{'cylinder':[1,2],'axis':'x'},{'sphere':0.5},{'capsule':[0.2,1]},"
       "{'polyline':[[0,0,0],[1,0,0],[1,1,0],[1,1,1]],'width':0.1},"
       "{'polyline':[[0,0,0],[1,0,0],[1,1,0],[0,1,0]],'width':0.1,'closed':true}]}}}",
       false);
  CHECK(x.d->solids == 6 && count_of(&x, 0, TN_ROLE_GIVEN) == 6);
  for (int s = 0; s < x.d->solids; s++) check_solid("shapes", s, &x.d->solid[s], true);
  static const double volume[] = {6, TN_PI * 2, TN_PI / 6, TN_PI * 0.04 + 4 * TN_PI / 3 * 0.008};
  for (int s = 0; s < 4; s++) {
    double v = 0;
    const tn_solid *o = &x.d->solid[s];
    for (int i = 0; i < o->triangles; i++) {
      double p[3][3];
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) p[c][k] = (double)o->position[3 * o->index[3 * i + c] + (uint32_t)k];
      v += tn_triple3(p[0], p[1], p[2]) / 6;
    }
    CHECK_NEAR(v / volume[s], 1, 0.05);
  }
  let_go(&x);
}

TEST(equal_links_share_a_solid) {
  made x;
  make(&x,
       "{'tenon':1,'dimension':3,'constants':{'l':0.1},'bodies':{"
       "'b{i}':{'repeat':'i=1..1000','rod':[['l*(i-1)',0,0],['l*i',0,0]],'mass':1,'inertia':[1,1,1]}},"
       "'joints':{'j1':{'type':'spherical','between':['ground','b1'],'at':[0,0,0]},"
       "'j{i}':{'repeat':'i=2..1000','type':'spherical','between':['b{i-1}','b{i}'],'at':['l*(i-1)',0,0]}}}",
       false);
  CHECK(x.d->shapes == 1001);
  if (x.d->solids > 20) FAIL("%d solids for a thousand equal links", x.d->solids);
  let_go(&x);
}

TEST(loops_become_triangles) {
  made x;
  make(&x, crank, true);
  tn_maker *k = tn_arena_alloc(&x.d->arena, sizeof *k);
  k->arena = &x.d->arena;
  build b;
  build_new(&b, 7);
  for (int n = 0; n < 300; n++) {
    tn_outline o = {0};
    double area = 0;
    const int points = 3 + (int)build_uniform(&b, 0, 60), holes = n % 4;
    for (int i = 0; i < points; i++) { /* a star about the origin, ragged */
      const double a = 2 * TN_PI * i / points, r = build_uniform(&b, 5, 9);
      tn_outline_add(k, &o, r * cos(a), r * sin(a));
    }
    tn_outline_close(k, &o);
    for (int h = 0; h < holes && points > 6; h++) { /* clockwise, apart from one another */
      const double c[2] = {1.4 * cos(2.1 * h), 1.4 * sin(2.1 * h)};
      for (int i = 0; i < 12; i++) tn_outline_add(k, &o, c[0] + 0.8 * cos(-0.5236 * i), c[1] + 0.8 * sin(-0.5236 * i));
      tn_outline_close(k, &o);
    }
    for (int l = 0, from = 0; l < o.loops; from = o.loop[l++])
      for (int a = o.loop[l] - 1, c = from; c < o.loop[l]; a = c++)
        area += (o.xy[2 * a] * o.xy[2 * c + 1] - o.xy[2 * c] * o.xy[2 * a + 1]) / 2;
    int triangles;
    const uint32_t *t = tn_outline_triangles(k, &o, &triangles);
    double sum = 0;
    for (int i = 0; i < triangles; i++) {
      const double *p = o.xy + 2 * t[3 * i], *q = o.xy + 2 * t[3 * i + 1], *r = o.xy + 2 * t[3 * i + 2];
      const double one = ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
      CHECK(one > 0);
      sum += one;
    }
    if (!(fabs(sum - area) < 1e-9 * area)) FAIL("outline %d: %g of %g", n, sum, area);
  }
  build_free(&b);
  let_go(&x);
}

/* ---- every joint there is ---- */

TEST(every_joint_can_be_drawn) {
  for (int i = 0; i < tn_joint_type_count; i++)
    for (int space = 0; space < 2; space++) {
      const tn_joint_type *type = tn_joint_types[i];
      const char *example = space && type->example_space ? type->example_space : type->example;
      if (space ? !type->space.there : !type->plane.there) continue;
      if (space && type->plane.there && !type->example_space) continue; /* as in the plane */
      char text[4000];
      snprintf(text, sizeof text, "{'tenon':1,'dimension':%d,%s}", space ? 3 : 2, example);
      for (int flat = 0; flat < 2 - space; flat++) {
        made x;
        if (!make_from(&x, NULL, text, flat)) FAIL("%s: %s", type->name, x.e.message);
        if (x.d) {
          CHECK(x.d->shapes > 0);
          all_finite(type->name, &x);
          for (int s = 0; s < x.d->solids; s++) check_solid(type->name, s, &x.d->solid[s], true);
          if ((space ? type->space.marks != NULL : type->plane.marks != NULL) && x.d->shapes < 2)
            FAIL("%s has marks, and they are not seen", type->name);
        }
        let_go(&x);
      }
    }
}

/* ---- keys of the file ---- */

#define PLANE(draw, more)                                                                                              \
  "{'tenon':1,'dimension':2,'gravity':[0,-9.81],'constants':{'w':0.2},'points':{'P':[1,0]},"                           \
  "'bodies':{'a':{'mass':1,'inertia':1,'position':[1,1],'angle':'90*deg'" draw "}}" more "}"

TEST(shapes_that_the_file_gives) {
  made x;
  make(&x,
       PLANE(
           ",'draw':[{'box':[2,'w'],'at':[1,0],'angle':'90*deg','color':'#Ff8001'},{'cylinder':0.5},{'cylinder':['w']},"
           "{'capsule':[0.1,1],'angle':'90*deg'},{'polyline':['P',[0,1]],'width':'w'},{'sphere':0.3}]",
           ",'scene':{'ground':{'polyline':[[0,0],[1,0],[1,1]],'closed':true},"
           "'traces':{'tip':{'on':'a','at':'P'},'mid':{'on':'a','on_body':[0.5,0]},'own':{'on':'a'}}}"),
       true);
  CHECK(x.d->shapes == 7 && count_of(&x, 0, TN_ROLE_GIVEN) == 6 && count_of(&x, TN_GROUND, TN_ROLE_GROUND) == 1);
  const tn_shape *s = shape_of(&x, 0, TN_ROLE_GIVEN, 0);
  CHECK(s->color == 0xff8001 && s->kind == TN_FILL && s->points == 4);
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(fabs(s->point[2 * i] - 1), 0.1, 1e-12);
    CHECK_NEAR(fabs(s->point[2 * i + 1]), 1, 1e-12);
  }
  s = shape_of(&x, 0, TN_ROLE_GIVEN, 1);
  CHECK(s->kind == TN_DISC && s->radius == 0.5 && s->color == -1);
  CHECK(shape_of(&x, 0, TN_ROLE_GIVEN, 2)->radius == 0.2);
  s = shape_of(&x, 0, TN_ROLE_GIVEN, 3);
  CHECK(s->kind == TN_STROKE && s->width == 0.2);
  CHECK_NEAR(fabs(s->point[1] - s->point[3]), 1, 1e-12);
  s = shape_of(&x, 0, TN_ROLE_GIVEN, 4); /* a point of the world, seen from a body at [1, 1] turned by 90 degrees */
  CHECK(s->kind == TN_STROKE && s->points == 2 && s->width == 0.2);
  CHECK_NEAR(s->point[0], -1, 1e-12);
  CHECK_NEAR(s->point[1], 0, 1e-12);
  CHECK(s->point[2] == 0 && s->point[3] == 1);
  s = shape_of(&x, TN_GROUND, TN_ROLE_GROUND, 0);
  CHECK(s->kind == TN_STROKE && s->closed && s->points == 3 && s->width > 0);
  CHECK(x.d->traces == 3);
  CHECK_TEXT(x.d->trace[0].name, "tip");
  CHECK_NEAR(x.d->trace[0].at[0], -1, 1e-12);
  CHECK(x.d->trace[1].at[0] == 0.5 && x.d->trace[2].at[0] == 0 && x.d->trace[2].body == 0);
  let_go(&x);
  make(&x, PLANE(",'draw':'none'", ",'scene':{'ground':'none'}"), true);
  CHECK(x.d->shapes == 0);
  let_go(&x);
  make(&x, PLANE(",'draw':[]", ""), false);
  CHECK(x.d->shapes == 0);
  let_go(&x);
}

TEST(a_body_is_drawn_as_what_its_inertia_is_of) {
  made x;
  make(&x,
       "{'tenon':1,'dimension':3,'bodies':{'a':{'mass':1,'box':[1,2,3],'center':[0.5,0,0]},'b':{'mass':1,'cylinder':[1,"
       "4]},"
       "'c':{'mass':1,'sphere':0.5},'d':{'mass':1,'rod':[[0,0,0],[0,0,2]],'radius':0.1},"
       "'e':{'mass':1,'inertia':[1,1,1],'lumps':[{'mass':1,'at':[1,0,0]}]},'f':{'mass':1,'coordinates':'point'}}}",
       false);
  const tn_shape *s = shape_of(&x, 0, TN_ROLE_BODY, 0);
  CHECK(s->at[0] == 0.5 && x.d->solid[s->mesh].vertices == 24);
  double low = 0, high = 0;
  for (int i = 0; i < 24; i++)
    low = fmin(low, (double)x.d->solid[s->mesh].position[3 * i + 2]),
    high = fmax(high, (double)x.d->solid[s->mesh].position[3 * i + 2]);
  CHECK(low == -1.5 && high == 1.5);
  s = shape_of(&x, 3, TN_ROLE_BODY, 0); /* along x of its body, which is along z of the world */
  CHECK_NEAR(s->at[0], 1, 1e-12);
  CHECK_NEAR(s->A[2], 1, 1e-12);
  for (int b = 0; b < 4; b++) CHECK(count_of(&x, b, -1) == 1);
  CHECK(count_of(&x, 4, TN_ROLE_POINT) == 1 && count_of(&x, 4, TN_ROLE_BODY) == 1);
  CHECK(count_of(&x, 5, TN_ROLE_POINT) == 1);
  s = shape_of(&x, 4, TN_ROLE_POINT, 0);
  CHECK(s->at[0] == 1);
  let_go(&x);
}

TEST(mistakes_are_shown_where_they_are) {
  static const struct {
    const char *text, *message, *pointer;
  } cases[] = {
      {PLANE(",'draw':'cube'", ""), "body 'a': 'cube' is no shape", "/bodies/a/draw"},
      {PLANE(",'draw':{}", ""), "a shape has one of: box cylinder", "/bodies/a/draw"},
      {PLANE(",'draw':[{'box':[1,1]},{'bx':[1,1]}]", ""), "unknown key 'bx'", "/bodies/a/draw/1/bx"},
      {PLANE(",'draw':{'box':[1,1],'sphere':1}", ""), "one shape has `box` and `sphere`", "/bodies/a/draw/sphere"},
      {PLANE(",'draw':{'box':[1,0]}", ""), "sizes of a `box` must be positive, not 0", "/bodies/a/draw/box"},
      {PLANE(",'draw':{'box':[1,1,1]}", ""), "a list of 2 numbers", "/bodies/a/draw/box"},
      {PLANE(",'draw':{'cylinder':[1,2]}", ""), "in the plane a `cylinder` is a disc", "/bodies/a/draw/cylinder"},
      {PLANE(",'draw':{'capsule':1}", ""), "a `capsule` is [radius, length]", "/bodies/a/draw/capsule"},
      {PLANE(",'draw':{'sphere':'q'}", ""), "unknown name 'q'", "/bodies/a/draw/sphere"},
      {PLANE(",'draw':{'sphere':-1}", ""), "`sphere` must be positive", "/bodies/a/draw/sphere"},
      {PLANE(",'draw':{'sphere':1,'color':'red'}", ""), "a color is \"#rrggbb\"", "/bodies/a/draw/color"},
      {PLANE(",'draw':{'sphere':1,'color':'#12345g'}", ""), "a color is \"#rrggbb\"", "/bodies/a/draw/color"},
      {PLANE(",'draw':{'sphere':1,'width':1}", ""), "a `sphere` has no `width`", "/bodies/a/draw/width"},
      {PLANE(",'draw':{'box':[1,1],'scale':2}", ""), "a `box` has no `scale`", "/bodies/a/draw/scale"},
      {PLANE(",'draw':{'box':[1,1],'axis':'x'}", ""), "`axis` is for shapes in space", "/bodies/a/draw/axis"},
      {PLANE(",'draw':{'polyline':[[0,0]]}", ""), "two places or more", "/bodies/a/draw/polyline"},
      {PLANE(",'draw':{'polyline':[[0,0],[0,0]]}", ""), "has no length", "/bodies/a/draw/polyline"},
      {PLANE(",'draw':{'polyline':[[0,0],'X']}", ""), "there is no point or body 'X'", "/bodies/a/draw/polyline/1"},
      {PLANE(",'draw':{'mesh':'a.obj'}", ""), ".stl, .glb or .gltf", "/bodies/a/draw/mesh"},
      {PLANE(",'draw':{'mesh':'a.stl'}", ""), "body 'a': mesh 'a.stl': cannot be opened", "/bodies/a/draw/mesh"},
      {PLANE("", ",'scene':{'grund':[]}"), "unknown key 'grund'", "/scene/grund"},
      {PLANE("", ",'scene':{'ground':{'box':[1]}}"), "a list of 2 numbers", "/scene/ground/box"},
      {PLANE("", ",'scene':{'traces':{'p':{'on':'b'}}}"), "trace 'p': there is no body 'b'", "/scene/traces/p/on"},
      {PLANE("", ",'scene':{'traces':{'p':{'on':'ground'}}}"), "the ground leaves no trace", "/scene/traces/p/on"},
      {PLANE("", ",'scene':{'traces':{'p':{'on':'a','at':'P','on_body':[0,0]}}}"), "not both",
       "/scene/traces/p/on_body"},
      {PLANE("", ",'scene':{'traces':{'p':{}}}"), "`on` is missing", "/scene/traces/p"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    made x;
    if (make_from(&x, NULL, cases[i].text, true)) FAIL("%s: it is taken", cases[i].message);
    CHECK_HAS(x.e.message, cases[i].message);
    CHECK_TEXT(x.e.pointer, cases[i].pointer);
    CHECK(x.e.line == 1 && x.e.column > 1);
    let_go(&x);
  }
}

TEST(a_mesh_that_is_not_there_is_a_remark) {
  made x;
  make(&x, PLANE("", ""), false);
  let_go(&x);
  x = (made){.desc = NULL};
  const char *text =
      "{\"tenon\":1,\"dimension\":2,\"bodies\":{\"a\":{\"mass\":1,\"inertia\":1,\"draw\":{\"mesh\":\"no<b>.stl\"}}}}";
  CHECK(tn_desc_new(NULL, &x.desc, &x.e) == TN_OK && tn_desc_parse(x.desc, "m", text, strlen(text), &x.e) == TN_OK &&
        tn_compile(x.desc, &x.m, &x.e) == TN_OK);
  CHECK(tn_drawing_new(x.m, &(tn_picture){true, "nowhere", false, NULL}, &x.d, &x.e) == TN_OK);
  CHECK(x.d->shapes == 0 && x.d->remarks == 1);
  CHECK_HAS(x.d->remark[0], "mesh 'no<b>.stl': cannot be opened");
  let_go(&x);
}

static double run_to_end(const char *draw) {
  build b;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  if (draw) build_set(&b, "/bodies/coupler/draw", "%s", draw);
  if (draw) build_set(&b, "/scene", "{\"ground\":\"none\",\"traces\":{\"tip\":{\"on\":\"coupler\"}}}");
  build_set(&b, "/run/until", "1");
  if (!build_simulate(&b)) FAIL("%s", b.message);
  CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  const double x = build_channel(&b, "%s.%s", "coupler", "x");
  build_free(&b);
  return x;
}

TEST(looks_have_no_part_in_the_motion) {
  const double plain = run_to_end(NULL), drawn = run_to_end("[{\"box\":[1,2]},{\"sphere\":3,\"color\":\"#000000\"}]");
  CHECK(memcmp(&plain, &drawn, sizeof plain) == 0 && isfinite(plain));
}

TEST(every_allocation_may_fail) {
  static const char *const text =
      "{'tenon':1,'dimension':3,'bodies':{'a':{'mass':1,'inertia':[1,1,1],'draw':[{'polyline':[[0,0,0],[1,0,0],[1,1,0]]"
      "},"
      "{'box':[1,1,1]}]},'b':{'mass':1,'inertia':[1,1,1],'position':[0.3,0,0]},'c':{'mass':1,'inertia':[1,1,1]}},"
      "'joints':{'A':{'type':'revolute','between':['ground','c'],'at':'c','axis':'z'},"
      "'B':{'type':'revolute','between':['ground','b'],'at':'b','axis':'z'},"
      "'m':{'type':'gear','between':['c','b'],'teeth':[60,120]}}}";
  failing f = {0};
  const tn_allocator allocator = {fail_allocate, fail_release, &f};
  made x;
  CHECK(make_from(&x, &allocator, text, false));
  tn_drawing_free(x.d);
  x.d = NULL;
  f.calls = 0;
  CHECK(tn_drawing_new(x.m, &(tn_picture){false, NULL, true, NULL}, &x.d, &x.e) == TN_OK);
  tn_drawing_free(x.d);
  const long calls = f.calls, out = f.out;
  CHECK(calls > 3);
  for (long i = 1; i <= calls; i++) {
    f.calls = 0, f.fail = i;
    CHECK(tn_drawing_new(x.m, &(tn_picture){false, NULL, true, NULL}, &x.d, &x.e) == TN_E_MEMORY && !x.d);
    CHECK(f.out == out);
  }
  f.fail = 0;
  x.d = NULL;
  let_go(&x);
  CHECK(f.out == 0);
}
