/* what a description becomes: bodies, joints, rows, columns, settings. ' stands for " in the models here. */
#include "support/build.h"
#include "test.h"

#define HEAD "{'tenon': 1, 'dimension': 2, "

static void parse(build *b, const char *model) {
  char text[8000];
  if (strlen(model) >= sizeof text) abort();
  for (char *c = strcpy(text, model); *c; c++)
    if (*c == '\'') *c = '"';
  build_parse(b, text);
}

static tn_model *compiled(build *b, const char *model) {
  build_new(b, 1);
  parse(b, model);
  build_compile(b);
  if (b->failed) printf("%s\n", b->message);
  CHECK(!b->failed && b->model);
  return b->model;
}

static const tn_body *body(const tn_model *m, const char *name) {
  for (int i = 0; i < m->bodies; i++)
    if (strcmp(m->body[i].name, name) == 0) return &m->body[i];
  printf("no body %s\n", name);
  abort();
}

static const tn_joint *joint(const tn_model *m, const char *name) {
  for (int i = 0; i < m->joints; i++)
    if (strcmp(m->joint[i].name, name) == 0) return &m->joint[i];
  printf("no joint %s\n", name);
  abort();
}

/* ---- by calls -------------------------------------------------------------------------------------------------- */

static void four_bar_by_calls(tn_desc *d) {
  static const double A[] = {0, 0}, B[] = {0, 1}, C[] = {3, 2}, D[] = {4, 0}, g[] = {0, -9.81};
  static const char *const bodies[][4] = {{"crank", "A", "B", "rho*dist(A,B)"},
                                          {"coupler", "B", "C", "rho*dist(B,C)"},
                                          {"rocker", "D", "C", "rho*dist(D,C)"}};
  static const char *const joints[][3] = {
      {"A", "ground", "crank"}, {"B", "crank", "coupler"}, {"C", "coupler", "rocker"}, {"D", "ground", "rocker"}};
  tn_error e;
  char at[64];
  unsigned bad = 0;
  bad |= tn_desc_number(d, "/tenon", 1, &e);
  bad |= tn_desc_number(d, "/dimension", 2, &e);
  bad |= tn_desc_number(d, "/constants/rho", 1.5, &e);
  bad |= tn_desc_numbers(d, "/gravity", 2, g, &e);
  bad |= tn_desc_numbers(d, "/points/A", 2, A, &e) | tn_desc_numbers(d, "/points/B", 2, B, &e);
  bad |= tn_desc_numbers(d, "/points/C", 2, C, &e) | tn_desc_numbers(d, "/points/D", 2, D, &e);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      snprintf(at, sizeof at, "/bodies/%s/rod/-", bodies[i][0]);
      bad |= tn_desc_text(d, at, bodies[i][1 + k], &e);
    }
    snprintf(at, sizeof at, "/bodies/%s/mass", bodies[i][0]);
    bad |= tn_desc_text(d, at, bodies[i][3], &e);
  }
  for (int i = 0; i < 4; i++) {
    snprintf(at, sizeof at, "/joints/%s/type", joints[i][0]);
    bad |= tn_desc_text(d, at, "revolute", &e);
    for (int k = 0; k < 2; k++) {
      snprintf(at, sizeof at, "/joints/%s/between/-", joints[i][0]);
      bad |= tn_desc_text(d, at, joints[i][1 + k], &e);
    }
    snprintf(at, sizeof at, "/joints/%s/at", joints[i][0]);
    bad |= tn_desc_text(d, at, joints[i][0], &e);
  }
  bad |= tn_desc_text(d, "/start/A.rate", "60*rpm", &e);
  bad |= tn_desc_text(d, "/outputs/tip", "position(coupler, C)", &e);
  bad |= tn_desc_text(d, "/outputs/load", "norm(force(D))", &e);
  bad |= tn_desc_number(d, "/run/every", 0.01, &e);
  bad |= tn_desc_part(d, "/run/integrator", "dopri5:rtol=1e-8", &e);
  CHECK(bad == 0);
}

TEST(a_model_built_by_calls_is_that_of_the_file) {
  build called, file;
  build_table a = {0}, b = {0};
  build_new(&called, 1);
  four_bar_by_calls(called.desc);
  build_new(&file, 1);
  build_read(&file, "four_bar");
  build_set(&called, "/run/until", "0.5");
  build_set(&file, "/run/until", "0.5");
  CHECK(build_simulate(&called) && build_run(&called, &a));
  CHECK(build_simulate(&file) && build_run(&file, &b));
  CHECK(a.rows == 51 && b.rows == 51 && a.columns == 3 && b.columns == 3);
  if (a.rows == b.rows && a.columns == b.columns)
    CHECK(memcmp(a.value, b.value, sizeof *a.value * (size_t)(a.rows * (a.columns + 1))) == 0);
  build_table_free(&a);
  build_table_free(&b);
  build_free(&called);
  build_free(&file);
}

TEST(a_constant_set_by_a_call_changes_what_follows_from_it) {
  build b;
  tn_error e;
  tn_model *m =
      compiled(&b, HEAD "'constants': {'a': 'b*2', 'b': 3}, 'bodies': {'k': {'mass': 'a', 'inertia': 'a^2'}}}");
  CHECK(body(m, "k")->mass == 6 && body(m, "k")->inertia == 36);
  tn_model *other = NULL;
  CHECK(tn_desc_number(b.desc, "/constants/b", 5, &e) == TN_OK);
  CHECK(tn_compile(b.desc, &other, &e) == TN_OK);
  CHECK(body(other, "k")->mass == 10 && body(other, "k")->inertia == 100);
  CHECK(body(m, "k")->mass == 6); /* the first is its own */
  tn_model_free(other);
  build_free(&b);
}

TEST(a_model_outlives_its_description) {
  build b;
  tn_model *m = compiled(&b, HEAD "'title': 'a title', 'bodies': {'k': {'mass': 1, 'inertia': 1}}}");
  tn_desc_free(b.desc);
  b.desc = NULL;
  tn_model_info info;
  tn_model_get_info(m, &info);
  CHECK_TEXT(info.title, "a title");
  CHECK_TEXT(m->body[0].name, "k");
  CHECK(build_simulate(&b));
  build_free(&b);
}

/* ---- names and numbers ------------------------------------------------------------------------------------------ */

TEST(constants_and_points_in_any_order_and_tables) {
  build b;
  tn_model *m = compiled(&b, HEAD "'bodies': {'k': {'mass': 'a', 'inertia': 'w[2]', 'center': ['P.x', 'P.y'],"
                                  "                 'angle': 'dist(O, P)'}},"
                                  "'constants': {'a': 'b + c', 'b': '2*c', 'c': 'd + 1', 'd': 2},"
                                  "'tables': {'v': [7], 'w': [5, '2^3 + v[1]', 'a', 'dist(O, P)']},"
                                  "'points': {'P': ['O.x + 3', 'a - 5'], 'O': [1, 0]}}");
  if (m) {
    const tn_body *k = body(m, "k");
    CHECK(k->mass == 9 && k->inertia == 15 && k->center[0] == 4 && k->center[1] == 4);
    CHECK_NEAR(k->pose.angle, 5, TOL_MACHINE(10));
  }
  build_free(&b);
}

TEST(repeats_make_bodies_joints_lumps_and_outputs) {
  build b;
  tn_model *m = compiled(
      &b, HEAD "'constants': {'N': 3}, 'tables': {'w': [1, 2, 4]},"
               "'points': {'A{i}': {'repeat': 'i=0..N', 'at': ['i', 0]}},"
               "'bodies': {'link{i}': {'repeat': 'i=1..N', 'rod': ['A{i-1}', 'A{i}'], 'mass': 'w[i]',"
               "                       'lumps': [{'repeat': 'k=1..i', 'mass': 'k/10', 'at': ['k', 0]}]}},"
               "'joints': {'pin1': {'type': 'revolute', 'between': ['ground', 'link1'], 'at': 'A0'},"
               "           'pin{i}': {'repeat': 'i=2..N', 'type': 'revolute', 'between': ['link{i-1}', 'link{i}'],"
               "                      'at': 'A{i-1}'}},"
               "'forces': {'t{i}': {'repeat': 'i=1..N', 'type': 'torque', 'on': 'link{i}.angle', 'value': 'i*rate'}},"
               "'outputs': {'d{i}': {'repeat': 'i=1..N', 'value': 'i*link{i}.angle'}, 'last': 'link3.x'}}");
  if (m) {
    CHECK(m->bodies == 3 && m->joints == 3 && m->forces == 3 && m->outputs == 4 && m->rows == 6);
    CHECK_TEXT(m->body[0].name, "link1");
    CHECK_TEXT(m->body[2].name, "link3");
    CHECK_TEXT(m->joint[2].name, "pin3");
    CHECK_TEXT(m->column[1], "d2");
    CHECK_TEXT(m->column[3], "last");
    CHECK(m->body[1].pose.r[0] == 1 && m->body[2].pose.r[0] == 2);
    CHECK_NEAR(m->body[0].mass, 1 + 0.1, 1e-15);
    CHECK_NEAR(m->body[1].mass, 2 + 0.3, 1e-15);
    CHECK_NEAR(m->body[2].mass, 4 + 0.6, 1e-15);
    CHECK_NEAR(m->body[2].center[0], (4 * 0.5 + 0.1 * 1 + 0.2 * 2 + 0.3 * 3) / 4.6, 1e-15);
    CHECK(joint(m, "pin3")->spot[0].body == 1 && joint(m, "pin3")->spot[1].body == 2);
  }
  build_free(&b);
}

TEST(repeats_inside_repeats) {
  build b;
  tn_model *m = compiled(&b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1,"
                                  "                 'lumps': [{'repeat': 'i=1..2', 'mass': 1, 'at': [0, 0]}]},"
                                  "'a{i}': {'repeat': 'i=1..2', 'mass': 1, 'inertia': 1, 'position': ['10*i', 'i'],"
                                  "         'lumps': [{'repeat': 'j=0..i', 'mass': '10*i + j', 'at': ['i', 'j']}]}}}");
  if (m) {
    CHECK(m->bodies == 3);
    CHECK(body(m, "k")->mass == 3);
    CHECK_NEAR(body(m, "a1")->mass, 1 + 10 + 11, 1e-13);
    CHECK_NEAR(body(m, "a2")->mass, 1 + 20 + 21 + 22, 1e-13);
    CHECK_NEAR(body(m, "a2")->center[1], (21 * 1 + 22 * 2) / 64.0, 1e-15);
    CHECK(body(m, "a2")->pose.r[0] == 20 && body(m, "a2")->pose.r[1] == 2);
  }
  build_free(&b);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

TEST(lumps_are_folded_into_mass_centre_and_inertia) {
  build b;
  tn_model *m = compiled(
      &b, HEAD "'bodies': {'k': {'mass': 2, 'center': [0.5, -0.25], 'inertia': 0.3, 'angle': 1,"
               "'position': [7, 8],"
               "'lumps': [{'mass': 1, 'at': [1, 0]}, {'mass': 3, 'at': [0, 2]}, {'mass': 0, 'at': [9, 9]}]}}}");
  if (m) {
    static const double mass[3] = {2, 1, 3}, at[3][2] = {{0.5, -0.25}, {1, 0}, {0, 2}};
    double sum = 0, c[2] = {0, 0}, I = 0.3;
    for (int i = 0; i < 3; i++) {
      sum += mass[i];
      for (int d = 0; d < 2; d++) c[d] += mass[i] * at[i][d];
    }
    for (int d = 0; d < 2; d++) c[d] /= sum;
    for (int i = 0; i < 3; i++) I += mass[i] * (pow(at[i][0] - c[0], 2) + pow(at[i][1] - c[1], 2));
    const tn_body *k = body(m, "k");
    CHECK_NEAR(k->mass, 6, TOL_MACHINE(10));
    CHECK_NEAR(k->center[0], c[0], TOL_MACHINE(10));
    CHECK_NEAR(k->center[1], c[1], TOL_MACHINE(10));
    CHECK_NEAR(k->inertia, I, TOL_MACHINE(100));
    CHECK(k->pose.r[0] == 7 && k->pose.r[1] == 8 && k->pose.angle == 1);
  }
  build_free(&b);
}

TEST(lumps_alone_make_a_body) {
  build b;
  tn_model *m = compiled(&b, HEAD "'bodies': {'k': {'mass': 0, 'inertia': 0,"
                                  "'lumps': [{'mass': 1, 'at': [-1, 0]}, {'mass': 1, 'at': [1, 0]}]}}}");
  if (m) {
    const tn_body *k = body(m, "k");
    CHECK(k->mass == 2 && k->center[0] == 0 && k->center[1] == 0 && k->inertia == 2);
  }
  build_free(&b);
}

TEST(a_rod_has_its_pose_centre_and_inertia) {
  build b;
  tn_model *m =
      compiled(&b, HEAD "'points': {'A': [1, 2], 'B': [4, 6]}, 'bodies': {'r': {'rod': ['A', 'B'], 'mass': 3},"
                        "'s': {'rod': ['B', 'A'], 'mass': 3, 'inertia': 2, 'center': [1, 1]}}}");
  if (m) {
    const tn_body *r = body(m, "r"), *s = body(m, "s");
    CHECK(r->pose.r[0] == 1 && r->pose.r[1] == 2);
    CHECK_NEAR(r->pose.angle, atan2(4, 3), TOL_MACHINE(4));
    CHECK(r->mass == 3 && r->center[0] == 2.5 && r->center[1] == 0);
    CHECK_NEAR(r->inertia, 3 * 25.0 / 12, TOL_MACHINE(20));
    CHECK(s->pose.r[0] == 4 && s->inertia == 2 && s->center[0] == 1 && s->center[1] == 1);
  }
  build_free(&b);
}

/* mass elements: m/6 [2 1; 1 2] on the velocities of the ends; half of the weight at each */
TEST(rods_between_places_are_mass_elements) {
  build b;
  build_new(&b, 1);
  parse(&b, HEAD "'gravity': [0, -10], 'bodies': {'p': {'mass': 0, 'position': [3, 4], 'coordinates': 'point'},"
                 "'q': {'mass': 0, 'position': [6, 4], 'coordinates': 'point'}},"
                 "'rods': {'r': {'between': ['ground', 'p'], 'at': [[0, 0], 'p'], 'mass': 6},"
                 "         's': {'between': ['p', 'q'], 'mass': 12}},"
                 "'start': {'p.vx': 2, 'p.vy': 1, 'q.vx': -1, 'q.vy': 3}}");
  CHECK(build_simulate(&b));
  if (!b.failed) {
    CHECK(b.model->rods == 2);
    CHECK_NEAR(build_channel(&b, "energy.kinetic"), 6.0 / 6 * 5 + 12.0 / 6 * (5 + (2 * -1 + 1 * 3) + 10), 1e-13);
    CHECK_NEAR(build_channel(&b, "energy.potential"), 10 * (3 * 4 + 6 * 4 + 6 * 4), 1e-12);
  }
  build_free(&b);
}

TEST(places_are_fixed_on_the_bodies_at_the_given_pose) {
  build b;
  tn_model *m =
      compiled(&b, HEAD "'points': {'P': [2, 3]},"
                        "'bodies': {'k': {'mass': 1, 'inertia': 1, 'position': [1, 1], 'angle': 'pi/2'}},"
                        "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'k'], 'at': 'P'},"
                        "'arm': {'type': 'distance', 'between': ['ground', 'k'], 'on_bodies': [[5, 5], [1, 2]]}}}");
  if (m) {
    /* R(-90 deg) (P - origin) = (2, -1) */
    CHECK_NEAR(joint(m, "pin")->spot[1].p[0], 2, 1e-15);
    CHECK_NEAR(joint(m, "pin")->spot[1].p[1], -1, 1e-15);
    CHECK(joint(m, "pin")->spot[0].body == TN_GROUND && joint(m, "pin")->spot[0].p[0] == 2);
    CHECK(joint(m, "arm")->spot[1].p[0] == 1 && joint(m, "arm")->spot[1].p[1] == 2);
  }
  build_free(&b);
}

/* ---- rows, length, tree ------------------------------------------------------------------------------------------ */

TEST(the_length_of_the_model_is_its_largest_distance) {
  build b;
  /* mass centre of k at (1, 0) + R(90 deg) (2, 0) = (1, 2); joint places (0, 0), (4, -2) */
  tn_model *m = compiled(
      &b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1, 'position': [1, 0], 'angle': 'pi/2', 'center': [2, 0]}},"
               "'joints': {'d': {'type': 'distance', 'between': ['ground', 'k'], 'at': [[0, 0], [4, -2]]}}}");
  tn_model_info info;
  if (m) {
    CHECK_NEAR(m->length, 5, 1e-14);
    tn_model_get_info(m, &info);
    CHECK(info.length == m->length);
  }
  build_free(&b);
  m = compiled(&b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1, 'position': [100, 0]}}}");
  if (m) CHECK(m->length == 1); /* there is none */
  build_free(&b);
  m = compiled(&b, HEAD "'bodies': {'p': {'mass': 0, 'position': [3, 0], 'coordinates': 'point'}},"
                        "'rods': {'r': {'mass': 1, 'between': ['ground', 'p'], 'at': [[0, 4], 'p']}}}");
  if (m) CHECK_NEAR(m->length, 5, 1e-15);
  build_free(&b);
}

TEST(rows_are_numbered_in_file_order_and_scaled_by_their_unit) {
  build b;
  tn_model *m =
      compiled(&b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1, 'position': [1, 0]},"
                        "           'l': {'mass': 1, 'inertia': 1, 'position': [5, 0]}},"
                        "'joints': {'turn': {'type': 'driver', 'on': 'k.angle', 'value': 't'},"
                        "'w': {'type': 'weld', 'between': ['ground', 'k'], 'at': [0, 0]},"
                        "'s': {'type': 'distance', 'between': ['k', 'l'], 'at': ['k', 'l'], 'form': 'squared'},"
                        "'mix': {'type': 'coordinate', 'terms': {'k.x': 1, 'k.angle': 2}, 'value': 0},"
                        "'line': {'type': 'coordinate', 'terms': {'k.x': 1, 'l.y': 2}, 'value': 0}}}");
  if (m) {
    static const char *const owner[] = {"turn", "w", "w", "w", "s", "mix", "line"};
    const double L = 5, scale[] = {1, 1 / L, 1 / L, 1, 1 / (2 * L * L), 1, 1 / L};
    CHECK(m->rows == 7 && m->holonomic == 7 && m->length == L);
    for (int i = 0; i < 7 && m->rows == 7; i++) {
      CHECK_TEXT(m->joint[m->row_joint[i]].name, owner[i]);
      CHECK_NEAR(m->row_scale[i], scale[i], 1e-16);
    }
    CHECK(joint(m, "w")->row == 1 && joint(m, "w")->rows == 3 && joint(m, "s")->row == 4);
    CHECK(!m->sigma); /* all have mass */
  }
  build_free(&b);
}

#define BARS                                                                                                           \
  "'points': {'A': [0, 0], 'B': [0, 1], 'C': [3, 2], 'D': [4, 0]},"                                                    \
  "'bodies': {'crank': {'rod': ['A', 'B'], 'mass': 1}, 'coupler': {'rod': ['B', 'C'], 'mass': 1},"                     \
  "           'rocker': {'rod': ['D', 'C'], 'mass': 1}},"
#define PIN(name, first, second)                                                                                       \
  "'" name "': {'type': 'revolute', 'between': ['" first "', '" second "'], 'at': '" name "'}"

TEST(relative_coordinates_come_from_joints_in_file_order) {
  build b;
  tn_model *m = compiled(&b, HEAD "'coordinates': 'relative'," BARS
                                  "'joints': {" PIN("A", "ground", "crank") "," PIN("B", "crank", "coupler") "," PIN(
                                      "C", "coupler", "rocker") "," PIN("D", "ground", "rocker") "}}");
  if (m) {
    CHECK(m->nq == 3 && m->nu == 3 && m->rows == 2);
    CHECK(joint(m, "A")->in_tree && joint(m, "B")->in_tree && joint(m, "C")->in_tree && !joint(m, "D")->in_tree);
    CHECK_TEXT(m->q_name[0], "A.angle");
    CHECK_TEXT(m->q_name[2], "C.angle");
    CHECK(m->q0[0] == 0 && m->q0[1] == 0 && m->q0[2] == 0);
    CHECK(body(m, "crank")->parent == TN_GROUND && body(m, "coupler")->parent == 0 && body(m, "rocker")->parent == 1);
    CHECK(body(m, "rocker")->cols == 3 && body(m, "crank")->cols == 1);
  }
  build_free(&b);
  /* written the other way round: carried backwards from the rocker, A closes the loop */
  m = compiled(&b, HEAD "'coordinates': 'relative'," BARS "'joints': {" PIN("D", "ground", "rocker") "," PIN(
                       "C", "coupler", "rocker") "," PIN("B", "crank", "coupler") "," PIN("A", "ground", "crank") "}}");
  if (m) {
    CHECK(!joint(m, "A")->in_tree && joint(m, "D")->in_tree && m->rows == 2);
    CHECK(body(m, "coupler")->backwards && body(m, "crank")->backwards && !body(m, "rocker")->backwards);
    CHECK(body(m, "coupler")->parent == 2 && body(m, "crank")->parent == 1);
    CHECK(m->order[0] == 2 && m->order[2] == 0);
  }
  build_free(&b);
}

TEST(relative_coordinates_leave_particles_swings_and_free_bodies_their_own) {
  build b;
  tn_model *m = compiled(
      &b, HEAD
      "'coordinates': 'relative', 'bodies': {'k': {'mass': 1, 'inertia': 1},"
      "'p': {'mass': 1, 'coordinates': 'point'}, 'free': {'mass': 1, 'inertia': 1}, 'w': {'mass': 1, 'inertia': 1},"
      "'s': {'mass': 1, 'inertia': 1, 'coordinates': {'type': 'swing', 'parent': 'k', 'at': [1, 0]}}},"
      "'joints': {'slide': {'type': 'prismatic', 'between': ['ground', 'k'], 'at': 'k', 'axis': 'x'},"
      "'hold': {'type': 'revolute', 'between': ['k', 'p']}, 'tie': {'type': 'weld', 'between': ['k', 'w']},"
      "'cord': {'type': 'distance', 'between': ['s', 'free'], 'at': ['s', [5, 5]]}}}");
  if (m) {
    CHECK(body(m, "k")->joint == 0 && body(m, "p")->type && body(m, "p")->nq == 2 && body(m, "free")->nq == 3);
    CHECK(body(m, "s")->nq == 1 && body(m, "s")->cols == 2); /* its own angle and the slide */
    CHECK(body(m, "w")->nq == 0 && body(m, "w")->cols == 1);
    CHECK(m->nq == 1 + 2 + 3 + 1 && m->rows == 2 + 1); /* hold and cord */
    CHECK(!joint(m, "hold")->in_tree && joint(m, "tie")->in_tree);
  }
  build_free(&b);
}

TEST(absolute_is_the_default) {
  build b;
  tn_model *m = compiled(&b, HEAD BARS "'joints': {" PIN("A", "ground", "crank") "}}");
  tn_model_info info = {0};
  if (m) tn_model_get_info(m, &info);
  CHECK(info.coordinates == 9 && info.speeds == 9 && info.rows == 2);
  CHECK(info.bodies == 3 && info.joints == 1 && info.forces == 0);
  if (m) CHECK_TEXT(m->q_name[2], "crank.angle");
  build_free(&b);
}

TEST(a_body_without_mass_gets_its_weight_from_rows) {
  build b;
  build_new(&b, 1);
  build_read(&b, "driven_pivot");
  CHECK(build_compile(&b));
  if (!b.failed) {
    CHECK(b.model->body[0].mass == 0 && b.model->body[1].mass == 2 && b.model->sigma);
    for (int i = 0; i < b.model->rows && b.model->sigma; i++) CHECK(b.model->sigma[i] > 0); /* all hold the pivot */
  }
  build_free(&b);
}

/* ---- outputs, channels -------------------------------------------------------------------------------------------- */

static void check_columns(const tn_sim *s, int n, const char *const *names) {
  CHECK(tn_sim_columns(s) == n);
  for (int i = 0; i < n && i < tn_sim_columns(s); i++) CHECK_TEXT(tn_sim_column(s, i), names[i]);
  CHECK(!tn_sim_column(s, n) && !tn_sim_column(s, -1));
}

TEST(without_outputs_there_are_all_coordinates_and_rates) {
  static const char *const names[] = {"k.x", "k.y",  "k.angle", "k.vx",      "k.vy",     "k.rate",      "p.x",
                                      "p.y", "p.vx", "p.vy",    "pin.angle", "pin.rate", "slide.shift", "slide.speed"};
  build b;
  build_new(&b, 1);
  parse(&b, HEAD "'x-note': [1], 'bodies': {'k': {'mass': 1, 'inertia': 1, 'x-note': {}},"
                 "'p': {'mass': 1, 'position': [1, 0], 'coordinates': 'point'}},"
                 "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'k'], 'at': 'k'},"
                 "'hold': {'type': 'revolute', 'between': ['k', 'p']},"
                 "'slide': {'type': 'prismatic', 'between': ['ground', 'k'], 'at': 'k', 'axis': 'x'},"
                 "'d': {'type': 'distance', 'between': ['k', 'p'], 'at': ['k', 'p']}}}");
  CHECK(build_simulate(&b));
  if (!b.failed) check_columns(b.sim, 14, names); /* a joint that holds a particle has no angle to show */
  build_free(&b);
}

TEST(outputs_in_file_order_vectors_by_component) {
  static const char *const names[] = {"z", "tip.x", "tip.y", "a", "n"};
  build b;
  build_table t = {0};
  build_new(&b, 1);
  parse(&b, HEAD "'points': {'P': [2, 0]}, 'bodies': {'k': {'mass': 1, 'inertia': 1, 'position': [1, 0]}},"
                 "'outputs': {'z': 'k.x + t', 'tip': 'position(k, P) + 2*axis(k, y)', 'a': 5,"
                 "            'n': {'value': 'norm(position(k))'}},"
                 "'run': {'until': 2, 'every': 2}}");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  if (!b.failed) {
    static const double last[] = {3, 2, 2, 5, 1};
    check_columns(b.sim, 5, names);
    CHECK(t.rows == 2);
    for (int i = 0; i < 5; i++) CHECK_NEAR(build_at(&t, 1, i), last[i], 1e-12);
  }
  build_table_free(&t);
  build_free(&b);
}

TEST(no_outputs_at_all_is_a_column_of_times) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  parse(&b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}}, 'outputs': {}, 'run': {'until': 1, 'every': 0.5}}");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK(t.rows == 3 && t.columns == 0);
  build_table_free(&t);
  build_free(&b);
}

/* every channel that the format lists can be asked for, and nothing else */
TEST(channels) {
  static const char *const known[] = {"k.x",
                                      "k.y",
                                      "k.angle",
                                      "k.vx",
                                      "k.vy",
                                      "k.rate",
                                      "k.ax",
                                      "k.ay",
                                      "k.accel",
                                      "p.x",
                                      "p.y",
                                      "p.vx",
                                      "p.vy",
                                      "p.ax",
                                      "p.ay",
                                      "s.angle",
                                      "s.rate",
                                      "s.accel",
                                      "s.x",
                                      "s.vx",
                                      "s.fx",
                                      "s.fy",
                                      "pin.angle",
                                      "pin.rate",
                                      "pin.fx",
                                      "pin.fy",
                                      "pin.t",
                                      "pin.sfx",
                                      "pin.sfy",
                                      "pin.st",
                                      "pin.violation",
                                      "pin.power",
                                      "slide.shift",
                                      "slide.speed",
                                      "slide.t",
                                      "d.fx",
                                      "d.violation",
                                      "turn.load",
                                      "turn.violation",
                                      "turn.power",
                                      "mid.load",
                                      "coil.power",
                                      "coil.energy",
                                      "energy.total",
                                      "energy.kinetic",
                                      "energy.force",
                                      "energy.balance",
                                      "energy.potential",
                                      "energy.driver",
                                      "hold.fx",
                                      "energy.dissipated",
                                      "energy.stabilizer"};
  static const char *const unknown[] = {"k",       "k.",          ".x",       "k.z",        "k.fx",
                                        "p.angle", "p.rate",      "p.accel",  "pin.x",      "pin.load",
                                        "d.angle", "turn.fx",     "q.x",      "k.x.y",      "turn.angle",
                                        "energy",  "coil.torque", "energy.x", "hold.angle", ""};
  build b;
  build_new(&b, 1);
  parse(&b,
        HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}, 'p': {'mass': 1, 'position': [1, 0], 'coordinates': 'point'},"
             "'s': {'mass': 1, 'inertia': 1, 'coordinates': {'type': 'swing', 'parent': 'k', 'at': [2, 0]}}},"
             "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'k'], 'at': 'k'},"
             "'hold': {'type': 'revolute', 'between': ['k', 'p']},"
             "'slide': {'type': 'prismatic', 'between': ['ground', 'k'], 'at': 'k', 'axis': 'x'},"
             "'d': {'type': 'distance', 'between': ['k', 'p'], 'at': ['k', 'p']},"
             "'turn': {'type': 'driver', 'on': 's.angle', 'value': 't'},"
             "'mid': {'type': 'center-of-mass', 'bodies': ['k', 'p'], 'axis': 'y', 'value': 0}},"
             "'forces': {'coil': {'type': 'spring', 'on': 'pin.angle', 'stiffness': 1}}}");
  CHECK(build_simulate(&b));
  if (b.failed) printf("%s\n", b.message);
  tn_error e;
  double value;
  for (size_t i = 0; i < sizeof known / sizeof *known && !b.failed; i++) {
    value = NAN;
    const tn_status status = tn_sim_channel(b.sim, known[i], &value, &e);
    if (status != TN_OK || !isfinite(value)) printf("%s: %s\n", known[i], e.message);
    CHECK(status == TN_OK && isfinite(value));
  }
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown && !b.failed; i++) {
    const tn_status status = tn_sim_channel(b.sim, unknown[i], &value, &e);
    if (status != TN_E_USAGE) printf("%s is known\n", unknown[i]);
    CHECK(status == TN_E_USAGE && e.message[0]);
  }
  build_free(&b);
}

/* ---- settings ------------------------------------------------------------------------------------------------------ */

static const char *settings(build *b, const char *run) {
  static char text[600];
  build_new(b, 1);
  parse(b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}}}");
  for (char *c = strcpy(text, run ? run : ""); *c; c++)
    if (*c == '\'') *c = '"';
  if (run) build_set(b, "/run", "%s", text);
  CHECK(build_compile(b));
  if (b->failed) return b->message;
  const int n = tn_model_settings(b->model, text, sizeof text);
  CHECK(n == (int)strlen(text));
  char cut[10];
  CHECK(tn_model_settings(b->model, cut, sizeof cut) == n && strlen(cut) == 9 && strncmp(cut, text, 9) == 0);
  CHECK(tn_model_settings(b->model, NULL, 0) == n);
  return text;
}

TEST(settings_as_words_of_the_command_line) {
  static const char *const cases[][3] = {
      {NULL, "--formulation augmented --stabilize project --integrator dopri5 --rtol 1e-08 --until 1 --every 0.01",
       "project"},
      {"{'until': 3, 'every': 0.75, 'method': 'fci', 'integrator': {'type': 'rk4', 'step': '1/4'}}",
       "--formulation augmented --stabilize none --integrator rk4 --step 0.25 --until 3 --every 0.75", "fci"},
      {"{'until': 2, 'every': 0.5, 'method': 'direct', 'integrator': {'rtol': 1e-6}}",
       "--formulation augmented --stabilize project:metric=identity --integrator dopri5 --rtol 1e-06"
       " --until 2 --every 0.5",
       "direct"},
      {"{'until': 2, 'every': 0.5, 'stabilize': [{'type': 'baumgarte', 'alpha': 5, 'feedback': 'held'}, 'project'],"
       " 'integrator': {'rtol': 1e-3, 'atol': 0.25}}",
       "--formulation augmented --stabilize baumgarte:alpha=5,feedback=held --stabilize project --integrator dopri5"
       " --rtol 0.001 --atol 0.25 --until 2 --every 0.5",
       "custom"},
      {"{'until': 0, 'stabilize': []}",
       "--formulation augmented --stabilize none --integrator dopri5 --rtol 1e-08 --until 0 --every 1", "custom"},
      {"{'until': 2, 'every': 0.5, 'integrator': {'control': 'numbers', 'rtol': 1e-6}}",
       "--formulation augmented --stabilize project --integrator dopri5:control=numbers --rtol 1e-06 --atol 1e-06"
       " --until 2 --every 0.5",
       "project"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    tn_model_info info;
    CHECK_TEXT(settings(&b, cases[i][0]), cases[i][1]);
    if (b.model) {
      tn_model_get_info(b.model, &info);
      CHECK_TEXT(info.method, cases[i][2]);
      CHECK_TEXT(info.formulation, "augmented");
      CHECK(strstr(cases[i][1], info.integrator) && (info.stabilizers > 0 || strstr(cases[i][1], "none")));
      CHECK(!tn_model_stabilizer(b.model, info.stabilizers) && !tn_model_stabilizer(b.model, -1));
    }
    build_free(&b);
  }
}

/* the words of tn_model_settings given as options, each over what is there */
static void paste(build *b, char *words) {
  static const char *const option[][2] = {{"--formulation", "/run/formulation"},
                                          {"--stabilize", "/run/stabilize/-"},
                                          {"--integrator", "/run/integrator"},
                                          {"--step", "/run/integrator/step"},
                                          {"--rtol", "/run/integrator/rtol"},
                                          {"--atol", "/run/integrator/atol"},
                                          {"--until", "/run/until"},
                                          {"--every", "/run/every"}};
  tn_error e;
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
    char *value = strtok(NULL, " "), *end;
    size_t k = 0;
    while (k < 8 && strcmp(option[k][0], word) != 0) k++;
    CHECK(k < 8 && value);
    if (k >= 8 || !value) return;
    const double number = strtod(value, &end);
    if (k < 3)
      CHECK(tn_desc_part(b->desc, option[k][1], value, &e) == TN_OK);
    else
      CHECK(!*end && tn_desc_number(b->desc, option[k][1], number, &e) == TN_OK);
  }
}

TEST(settings_can_be_pasted_back) {
  static const char *const cases[] = {
      "{'until': '1/3', 'every': 0.1, 'integrator': {'rtol': 1.2345678e-5, 'atol': '1e-9/3'}}",
      "{'until': 0.7, 'integrator': {'type': 'rk4', 'step': '1/7'},"
      " 'stabilize': ['project', {'type': 'baumgarte', 'alpha': 0.1, 'beta': 'sqrt(2)'}]}",
      "{'until': 1e-5, 'method': 'baumgarte-b3', 'integrator': {'step': 1e-7}}"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build a, b;
    char words[600];
    snprintf(words, sizeof words, "%s", settings(&a, cases[i]));
    build_new(&b, 1);
    parse(&b, HEAD "'bodies': {'k': {'mass': 1, 'inertia': 1}}}");
    paste(&b, words);
    CHECK(build_compile(&b));
    if (b.model && a.model) {
      const tn_run *x = &a.model->run, *y = &b.model->run;
      CHECK(x->until == y->until && x->every == y->every && x->fixed == y->fixed && x->step == y->step);
      if (!x->fixed) CHECK(x->rtol == y->rtol && x->atol == y->atol);
      CHECK(x->integrator == y->integrator && x->stabilizers == y->stabilizers);
      for (int k = 0; k < x->stabilizers && k < y->stabilizers; k++)
        CHECK_TEXT(x->stabilizer[k].text, y->stabilizer[k].text);
    }
    build_free(&a);
    build_free(&b);
  }
}

TEST(settings_that_are_not_given_have_their_defaults) {
  build b;
  settings(&b, NULL);
  if (!b.failed) {
    const tn_run *r = &b.model->run;
    CHECK(r->until == 1 && r->every == 0.01 && !r->fixed && r->rtol == 1e-8 && r->atol == 0);
    CHECK(r->contract_position == 1e-8 && r->contract_velocity == 1e-6 && r->breach_stops);
  }
  build_free(&b);
}

/* ---- lists ---------------------------------------------------------------------------------------------------------- */

TEST(lists_of_what_can_be_named) {
  static const char *const kinds[] = {"joint",      "force",      "coordinates", "formulation",
                                      "stabilizer", "integrator", "method"};
  static const char *const member[][2] = {
      {"joint", "revolute"},        {"joint", "center-of-mass"}, {"force", "spring"},   {"coordinates", "swing"},
      {"formulation", "augmented"}, {"stabilizer", "baumgarte"}, {"integrator", "rk4"}, {"method", "fci"}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    int n = 0;
    for (; tn_list_name(kinds[k], n); n++) {
      CHECK(tn_list_doc(kinds[k], n) && strlen(tn_list_doc(kinds[k], n)) > 5);
      for (int i = 0; i < n; i++) CHECK(strcmp(tn_list_name(kinds[k], i), tn_list_name(kinds[k], n)) != 0);
    }
    CHECK(n > 0 && !tn_list_doc(kinds[k], n) && !tn_list_name(kinds[k], -1) && !tn_list_name(kinds[k], 1000000));
  }
  for (size_t k = 0; k < sizeof member / sizeof *member; k++) {
    bool found = false;
    for (int i = 0; tn_list_name(member[k][0], i); i++)
      found = found || strcmp(tn_list_name(member[k][0], i), member[k][1]) == 0;
    CHECK(found);
  }
  CHECK(!tn_list_name("", 0) && !tn_list_name("joints", 0) && !tn_list_doc("nothing", 0));
}

TEST(every_method_of_the_list_compiles) {
  for (int i = 0; tn_list_name("method", i); i++) {
    build b;
    build_new(&b, 1);
    build_read(&b, "pendulum");
    build_set(&b, "/run/method", "\"%s\"", tn_list_name("method", i));
    build_set(&b, "/run/integrator", "{\"step\": 0.001}");
    CHECK(build_compile(&b));
    tn_model_info info = {0};
    if (b.model) tn_model_get_info(b.model, &info);
    CHECK_TEXT(info.method, tn_list_name("method", i));
    CHECK(info.stabilizers == (strcmp(tn_list_name("method", i), "nullspace") == 0 ? 2 : 1));
    build_free(&b);
  }
}

/* a place that is farther from the rod than that is long is often a slip: it makes another mechanism. a pin may sit beside a rod */
TEST(a_joint_far_off_its_rod_is_remarked) {
  static const struct {
    const char *place;
    bool good;
  } places[] = {{"[1, 0]", true}, {"[0.5, 0]", true},  {"[1.9, 0]", true},  {"[0.5, 0.05]", true},
                {"[0, 0]", true}, {"[2.1, 0]", false}, {"[-10, 0]", false}, {"[0.5, 1.1]", false}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    build b;
    tn_error e;
    tn_model *m = NULL;
    build_new(&b, 1);
    build_set(&b, "/gravity", "[0, -9.81]");
    build_set(&b, "/bodies/arm", "{\"rod\": [[0, 0], [1, 0]], \"mass\": 1}");
    build_set(&b, "/joints/pin", "{\"type\": \"revolute\", \"between\": [\"ground\", \"arm\"], \"at\": %s}",
              places[i].place);
    CHECK(tn_compile(b.desc, &m, &e) == TN_OK);
    if (m && (tn_model_warnings(m) == 0) != places[i].good) FAIL("%s: %d", places[i].place, tn_model_warnings(m));
    if (m && !places[i].good) CHECK_HAS(tn_model_warning(m, 0)->message, "off the rod 'arm', which is 1 m long");
    tn_model_free(m);
    build_free(&b);
  }
}
