/* tables of types: every combination of seat and axes is either read by the compiler, and the frames are turned as the table says, or
 * refused when the type is added; and no field stores more than it holds. types of the build pass through the same checks. */
#include "model/model.h"
#include "support/build.h"
#include "test.h"

/* ---- a joint that remembers its frames ---------------------------------------------------------------------------------------- */

static double seen_z[2][3], seen_angle[2];
static int seen;

static tn_status init2(void *self, tn_context *ctx, int frames, const tn_frame2 *f, const double *masses) {
  (void)self, (void)ctx, (void)masses;
  for (int k = 0; k < 2 && k < frames; k++) seen_angle[k] = f[k].angle;
  seen++;
  return TN_OK;
}

static tn_status init3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  (void)self, (void)ctx, (void)masses;
  for (int k = 0; k < 2 && k < frames; k++) tn_axis3(f[k].A, 2, seen_z[k]);
  seen++;
  return TN_OK;
}

static void position2(const void *self, double t, const tn_frame2 *f, double *C) {
  (void)self, (void)t;
  C[0] = f[1].r[0] - f[0].r[0];
}

static void rows2(const void *self, double t, const tn_frame2 *f, double *J) {
  (void)self, (void)t, (void)f;
  memset(J, 0, 6 * sizeof *J);
  J[0] = -1;
  J[3] = 1;
}

static void rates2(const void *self, double t, const tn_frame2 *f, double *Ct, double *gamma) {
  (void)self, (void)t, (void)f;
  Ct[0] = gamma[0] = 0;
}

static void position3(const void *self, const double *memory, double t, const tn_frame3 *f, double *C) {
  (void)self, (void)memory, (void)t;
  C[0] = f[1].r[0] - f[0].r[0];
}

static void rows3(const void *self, double t, const tn_frame3 *f, double *J) {
  (void)self, (void)t, (void)f;
  memset(J, 0, 12 * sizeof *J);
  J[0] = -1;
  J[6] = 1;
}

static void rates3(const void *self, double t, const tn_frame3 *f, double *Ct, double *gamma) {
  (void)self, (void)t, (void)f;
  Ct[0] = gamma[0] = 0;
}

static const tn_expr *value(const void *self) {
  (void)self;
  return NULL;
}

static tn_joint_type table_of(tn_seat seat, bool plane, bool space) {
  const tn_joint2 in_plane = {.there = plane,
                              .rows = 1,
                              .axes = -1,
                              .init = init2,
                              .position = position2,
                              .rows_on_twists = rows2,
                              .rates = rates2};
  const tn_joint3 in_space = {.there = space,
                              .rows = 1,
                              .axes = -1,
                              .init = init3,
                              .position = position3,
                              .rows_on_twists = rows3,
                              .rates = rates3};
  return (tn_joint_type){.name = "probe",
                         .seat = seat,
                         .value = seat == TN_SEAT_CHANNELS ? value : NULL,
                         .plane = in_plane,
                         .space = in_space};
}

static bool added(const tn_joint_type *t, char *why, size_t size) {
  tn_desc *d = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e) != TN_OK) abort();
  const tn_status status = tn_desc_add_joint(d, t, &e);
  CHECK(status == TN_OK || status == TN_E_USAGE);
  snprintf(why, size, "%s", status ? e.message : "");
  tn_desc_free(d);
  return status == TN_OK;
}

/* a model with one joint of the type; false: refused */
static bool compiled(const tn_joint_type *t, int dimension, const char *members, char *why, size_t size) {
  static const char *const model[] = {
      "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'a': {'mass': 1, 'inertia': 1, 'angle': 0.4}, "
      "'b': {'mass': 1, 'inertia': 1, 'position': [1, 0]}}, 'joints': {'it': {'type': 'probe', 'between': ['a', "
      "'b']%s}}}",
      "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'bodies': {'a': {'mass': 1, 'inertia': [1, 1, 1], "
      "'axis_angle': ['y', 0.4]}, 'b': {'mass': 1, 'inertia': [1, 1, 1], 'position': [1, 0, 0]}}, 'joints': {'it': "
      "{'type': 'probe', 'between': ['a', 'b']%s}}}"};
  char text[1000];
  snprintf(text, sizeof text, model[dimension - 2], members);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_add_joint(d, t, &e) != TN_OK) abort();
  tn_status status = tn_desc_parse(d, "m", text, strlen(text), &e);
  if (!status) status = tn_compile(d, &m, &e);
  snprintf(why, size, "%s", status ? e.message : "");
  tn_model_free(m);
  tn_desc_free(d);
  return status == TN_OK;
}

static const char *const places[2][4] = {{", 'at': [0, 0]", ", 'at': [[0, 0], [1, 1]]", "", ""},
                                         {", 'at': [0, 0, 0]", ", 'at': [[0, 0, 0], [1, 1, 1]]", "", ""}};

/* ---- combinations ------------------------------------------------------------------------------------------------------------- */

/* accepted in space: then z of the frames is where the model says */
TEST(every_seat_with_every_kind_of_axes) {
  static const char *const given[] = {"",
                                      ", 'axis': [1, 2, 3]",
                                      ", 'normal': [1, 2, 3]",
                                      ", 'axes': [[1, 2, 3], [1, 1, -1]]",
                                      ", 'normal': [1, 2, 3]",
                                      ", 'normal': [1, 2, 3], 'axis': [3, 1, 1]"};
  static const double all[6][2][3] = {{{0, 0, 1}, {0, 0, 1}},  {{1, 2, 3}, {1, 2, 3}}, {{1, 2, 3}, {1, 2, 3}},
                                      {{1, 2, 3}, {1, 1, -1}}, {{1, 2, 3}, {0, 0, 1}}, {{1, 2, 3}, {3, 1, 1}}};
  int good = 0;
  for (int seat = TN_SEAT_SHARED; seat <= TN_SEAT_CHANNELS; seat++)
    for (int axes = TN_AXES_NONE; axes <= TN_AXES_BLADE; axes++) {
      char why[600], members[200];
      tn_joint_type t = table_of((tn_seat)seat, false, true);
      t.space.frames = (tn_axes)axes;
      const bool framed = seat <= TN_SEAT_NOWHERE,
                 read = framed || axes == TN_AXES_NONE || (seat == TN_SEAT_MESH && axes == TN_AXES_AXIS);
      const bool taken = added(&t, why, sizeof why);
      CHECK(taken == read);
      if (!read) CHECK_HAS(why, "`space.frames` would not be read");
      if (!taken || seat > TN_SEAT_MESH || (seat == TN_SEAT_MESH && axes == TN_AXES_NONE)) continue;
      seen = 0;
      snprintf(members, sizeof members, "%s%s", places[1][seat], given[axes]);
      if (!compiled(&t, 3, members, why, sizeof why)) FAIL("seat %d, axes %d: %s", seat, axes, why);
      CHECK(seen == 1);
      good++;
      for (int k = 0; k < 2 && !(seat == TN_SEAT_NOWHERE && axes == TN_AXES_NONE); k++)
        for (int i = 0; i < 3; i++) CHECK_NEAR(seen_z[k][i], all[axes][k][i] / tn_norm3(all[axes][k]), 1e-14);
    }
  CHECK(good == 3 * 6 + 1);
}

TEST(every_seat_with_an_axis_in_the_plane) {
  for (int seat = TN_SEAT_SHARED; seat <= TN_SEAT_CHANNELS; seat++) {
    char why[600], members[200];
    tn_joint_type t = table_of((tn_seat)seat, true, false);
    t.plane.has_axis = true;
    const bool framed = seat <= TN_SEAT_NOWHERE;
    CHECK(added(&t, why, sizeof why) == framed);
    if (!framed) {
      CHECK_HAS(why, "`plane.has_axis` would not be read");
      continue;
    }
    snprintf(members, sizeof members, "%s, 'axis': [1, 2]", places[0][seat]);
    if (!compiled(&t, 2, members, why, sizeof why)) FAIL("seat %d: %s", seat, why);
    for (int k = 0; k < 2; k++) CHECK_NEAR(seen_angle[k], atan2(2, 1), 1e-14);
    CHECK(!compiled(&t, 2, places[0][seat], why, sizeof why) && strstr(why, "`axis`"));
  }
}

typedef struct choice {
  int seat, axes;
  bool parallel, perpendicular, second, axis, valued, plane, space;
  unsigned oriented;
} choice;

/* one of all combinations */
static choice choice_of(int k) {
  static const unsigned oriented[] = {0, 3, 7, 8};
  choice x = {.seat = k % 6, .axes = k / 6 % 6};
  k /= 36;
  bool *flags[] = {&x.parallel, &x.perpendicular, &x.second, &x.axis, &x.valued, &x.plane, &x.space};
  for (int i = 0; i < 7; i++, k /= 2) *flags[i] = k % 2;
  x.oriented = oriented[k];
  return x;
}

/* the compiler reads every member that is given */
static bool is_read(const choice *x) {
  const bool framed = x->seat <= TN_SEAT_NOWHERE, mesh = x->seat == TN_SEAT_MESH;
  if (!x->plane && !x->space) return false;
  if (x->space && !framed && x->axes != TN_AXES_NONE && !(mesh && x->axes == TN_AXES_AXIS)) return false;
  if (x->plane && x->axis && !framed) return false;
  if (x->parallel && x->perpendicular) return false;
  if ((x->parallel || x->perpendicular) && !(x->space && x->axes == TN_AXES_PAIR)) return false;
  if (x->second && x->seat != TN_SEAT_SHARED) return false;
  if (x->oriented > (mesh ? 7 : 3) || (x->oriented && !framed && !mesh)) return false;
  return x->valued == (x->seat == TN_SEAT_CHANNELS);
}

TEST(members_that_would_be_ignored) {
  int taken = 0, refused = 0;
  for (int k = 0; k < 6 * 6 * 128 * 4; k++) {
    const choice x = choice_of(k);
    char why[600];
    tn_joint_type t = table_of((tn_seat)x.seat, x.plane, x.space);
    t.space.frames = (tn_axes)x.axes;
    t.space.parallel = x.parallel;
    t.space.perpendicular = x.perpendicular;
    t.at_second = x.second;
    t.plane.has_axis = x.axis;
    t.oriented = x.oriented;
    t.value = x.valued ? value : NULL;
    const bool good = is_read(&x);
    if (added(&t, why, sizeof why) != good) {
      FAIL("combination %d, seat %d, axes %d: %s", k, x.seat, x.axes, good ? why : "accepted");
      return;
    }
    if (good)
      taken++;
    else
      refused++;
  }
  printf("%d accepted, %d refused\n", taken, refused);
  CHECK(taken > 100 && refused > 1000);
}

TEST(joints_that_cannot_carry_or_measure_do_not_say_so) {
  const tn_joint_type *revolute = NULL;
  for (int i = 0; i < tn_joint_type_count; i++)
    if (strcmp(tn_joint_types[i]->name, "revolute") == 0) revolute = tn_joint_types[i];
  for (int seat = TN_SEAT_SHARED; seat <= TN_SEAT_CHANNELS; seat++) {
    char why[600];
    tn_joint_type t = *revolute;
    t.name = "probe";
    t.seat = (tn_seat)seat;
    t.value = seat == TN_SEAT_CHANNELS ? value : NULL;
    if (seat > TN_SEAT_MESH) t.oriented = 0;
    t.space = (tn_joint3){.there = false};
    if (seat == TN_SEAT_CHANNELS) t.plane.rows = 1;
    CHECK(added(&t, why, sizeof why) == (seat == TN_SEAT_SHARED));
    t.plane.axes = -1; /* its coordinate can be measured between any two frames */
    CHECK(added(&t, why, sizeof why) == (seat <= TN_SEAT_NOWHERE));
    t.coordinates = NULL;
    CHECK(added(&t, why, sizeof why));
  }
}

/* ---- rows that are a list ------------------------------------------------------------------------------------------------------ */

static bool stretch3(const void *self, const tn_frame3 *f, double *E) {
  (void)self, (void)f;
  E[0] = E[1] = 0;
  return true;
}

TEST(a_list_says_all_of_the_rows) {
  static const tn_row3 good[] = {{TN_ROWS_POINT, 0, 0}, {TN_ROW_DOT, 0, 2}, {TN_ROWS_END, 0, 0}},
                       far[] = {{TN_ROWS_POINT, 0, 0}, {TN_ROW_DOT, 0, 3}, {TN_ROWS_END, 0, 0}};
  char why[600];
  tn_joint_type t = table_of(TN_SEAT_SHARED, false, true), other;
  t.space.position = NULL;
  t.space.rows_on_twists = NULL;
  t.space.rates = NULL;
  t.space.rows = 4;
  CHECK(!added(&t, why, sizeof why)); /* neither functions nor a list */
  t.space.list = good;
  CHECK(added(&t, why, sizeof why));
  CHECK(compiled(&t, 3, ", 'at': [0, 0, 0]", why, sizeof why));

  for (int k = 0; k < 4; k++) {
    other = t;
    if (k == 0) other.space.position = position3;
    if (k == 1) other.space.rows_on_twists = rows3;
    if (k == 2) other.space.rates = rates3;
    if (k == 3) other.space.stretch = stretch3;
    CHECK(!added(&other, why, sizeof why));
    CHECK_HAS(why, "would not be read");
  }
  other = t;
  other.space.rows = 3;
  CHECK(!added(&other, why, sizeof why));
  CHECK_HAS(why, "`space.list` makes 4 rows, and the joint has 3 and 0 on velocities");
  other.space.rows_velocity_only = 1;
  CHECK(!added(&other, why, sizeof why));
  other = t;
  other.space.list = far;
  CHECK(!added(&other, why, sizeof why));
  CHECK_HAS(why, "row 2 has axes 0 and 3 of 0 to 2");
  other = t;
  other.seat = TN_SEAT_MESH;
  CHECK(!added(&other, why, sizeof why));
  CHECK_HAS(why, "not those of a joint of TN_SEAT_MESH");
}

/* ---- fields ------------------------------------------------------------------------------------------------------------------- */

enum { ROOM = 400 };

static tn_joint_type with_fields(const tn_field *fields) {
  tn_joint_type t = table_of(TN_SEAT_SHARED, true, true);
  t.fields = fields;
  t.size = ROOM;
  return t;
}

static void act(const void *self, const tn_force_in *in, tn_force_out *out) { (void)self, (void)in, (void)out; }

/* a force, whose fields may run */
static bool force_added(const tn_field *fields, char *why, size_t size) {
  const tn_force_type t = {.name = "probe", .takes = TN_ON_CHANNEL, .size = ROOM, .fields = fields, .plane = act};
  tn_desc *d = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e) != TN_OK) abort();
  const tn_status status = tn_desc_add_force(d, &t, &e);
  snprintf(why, size, "%s", status ? e.message : "");
  tn_desc_free(d);
  return status == TN_OK;
}

static int most_of(tn_kind kind) {
  switch (kind) {
  case TN_VECTOR:
  case TN_DIRECTION:
  case TN_RUNNING: return 3;
  case TN_MATRIX: return 6;
  case TN_LIST: return 1 << 30;
  default: return kind == TN_NUMBER || kind == TN_INTEGER || kind == TN_WORD || kind == TN_BOOLEAN || kind == TN_TIME;
  }
}

TEST(every_kind_of_field_with_every_number) {
  for (int kind = TN_NUMBER; kind <= TN_ANY; kind++)
    for (int n = -2; n <= 40; n++) {
      char why[600];
      const tn_field fields[] = {
          {.key = "x", .kind = (tn_kind)kind, .n = n, .choices = "a b", .inside = tn_fields_numbers}, {.key = NULL}};
      const bool good = n >= 0 && n <= most_of((tn_kind)kind) && (kind != TN_DIRECTION || n == 0 || n == 3);
      if (force_added(fields, why, sizeof why) != good) FAIL("kind %d, n = %d: %s", kind, n, why);
      if (!good) CHECK_HAS(why, "field `x`");
    }
}

TEST(fields_stay_inside_their_struct) {
  static const struct {
    tn_kind kind;
    int n;
    size_t bytes;
  } cases[] = {{TN_NUMBER, 0, 8},
               {TN_VECTOR, 0, 24},
               {TN_VECTOR, 2, 16},
               {TN_DIRECTION, 0, 24},
               {TN_WORD, 0, sizeof(int)},
               {TN_BOOLEAN, 0, sizeof(int)},
               {TN_INTEGER, 0, sizeof(int)},
               {TN_TIME, 0, sizeof(void *)},
               {TN_MATRIX, 0, 288},
               {TN_MATRIX, 2, 32},
               {TN_RUNNING, 1, sizeof(void *)},
               {TN_RUNNING, 0, 3 * sizeof(void *)}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t past = 0; past < 4; past++) {
      char why[600];
      const tn_field fields[] = {{.key = "x",
                                  .kind = cases[i].kind,
                                  .n = cases[i].n,
                                  .choices = "a b",
                                  .offset = past == 3 ? SIZE_MAX : ROOM - cases[i].bytes + past},
                                 {.key = NULL}};
      CHECK(force_added(fields, why, sizeof why) == (past == 0));
    }
}

TEST(fields_that_run_belong_to_an_equation) {
  static const tn_field fields[] = {{.key = "x", .kind = TN_RUNNING, .n = 1}, {.key = NULL}};
  char why[600];
  CHECK(force_added(fields, why, sizeof why));
  for (int in_space = 0; in_space < 2; in_space++) {
    tn_joint_type t = with_fields(in_space ? NULL : fields);
    if (in_space) t.fields_space = fields;
    CHECK(!added(&t, why, sizeof why));
    CHECK_HAS(why, "field `x` would not be read");
  }
}

TEST(rows_with_a_kink_are_refused) {
  char why[600];
  for (int smooth = TN_ANALYTIC - 1; smooth <= TN_C2 + 1; smooth++) {
    tn_joint_type t = table_of(TN_SEAT_SHARED, true, true);
    t.smooth = (tn_smooth)smooth;
    CHECK(added(&t, why, sizeof why) == (smooth == TN_ANALYTIC || smooth == TN_C1 || smooth == TN_C2));
    if (smooth == TN_C0) CHECK_HAS(why, "velocities would jump");
  }
}

TEST(fields_that_share_a_key_or_a_place) {
  static const struct {
    const char *key;
    tn_kind kind;
    size_t at;
    const char *why; /* NULL: accepted */
  } cases[] = {{"y", TN_NUMBER, 24, NULL},
               {"x", TN_NUMBER, 24, "field `x` is there twice"},
               {"y", TN_NUMBER, 16, "same place"},
               {"y", TN_INTEGER, 12, "same place"},
               {"y", TN_INTEGER, 4, NULL},
               {"y", TN_VECTOR, 0, "same place"},
               {"y", TN_NAMES, 8, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int beside = 0; beside < 2; beside++) { /* in one table; the second in that of space */
      const tn_field x = {.key = "x", .kind = TN_VECTOR, .n = 2, .offset = 8},
                     y = {.key = cases[i].key, .kind = cases[i].kind, .offset = cases[i].at};
      const tn_field one[] = {x, y, {.key = NULL}}, first[] = {x, {.key = NULL}}, second[] = {y, {.key = NULL}};
      char why[600];
      tn_joint_type t = with_fields(beside ? first : one);
      if (beside) t.fields_space = second;
      CHECK(added(&t, why, sizeof why) == !cases[i].why);
      if (cases[i].why) CHECK_HAS(why, cases[i].why);
    }
}

TEST(fields_with_a_default_or_a_range_that_cannot_be) {
  static const tn_field cases[] = {{.key = "x", .kind = TN_INTEGER, .dflt = 0.5},
                                   {.key = "x", .kind = TN_INTEGER, .dflt = NAN},
                                   {.key = "x", .kind = TN_BOOLEAN, .dflt = NAN},
                                   {.key = "x", .kind = TN_NUMBER, .lo = 2, .hi = 1},
                                   {.key = "x", .kind = TN_NUMBER, .lo = NAN, .hi = 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tn_field fields[] = {cases[i], {.key = NULL}};
    const tn_joint_type t = with_fields(fields);
    char why[600];
    CHECK(!added(&t, why, sizeof why));
    CHECK_HAS(why, "field `x`");
  }
}

TEST(no_more_fields_than_there_is_room_for) {
  static char key[TN_MOST_FIELDS + 1][8];
  for (int n = TN_MOST_FIELDS; n <= TN_MOST_FIELDS + 1; n++) {
    tn_field fields[TN_MOST_FIELDS + 2] = {{.key = NULL}};
    for (int i = 0; i < n; i++) {
      snprintf(key[i], sizeof key[i], "k%d", i);
      fields[i] = (tn_field){.key = key[i], .offset = 8 * (size_t)i};
    }
    char why[600];
    const tn_joint_type t = with_fields(fields);
    CHECK(added(&t, why, sizeof why) == (n == TN_MOST_FIELDS));
  }
}

TEST(fields_of_space_go_with_space) {
  static const tn_field fields[] = {{.key = "x"}, {.key = NULL}};
  char why[600];
  tn_joint_type t = table_of(TN_SEAT_SHARED, true, false);
  t.fields_space = fields;
  t.size = sizeof(double);
  CHECK(!added(&t, why, sizeof why));
  CHECK_HAS(why, "`fields_space` would not be read");
  t.space = table_of(TN_SEAT_SHARED, true, true).space;
  CHECK(added(&t, why, sizeof why));
  CHECK(compiled(&t, 3, ", 'at': [0, 0, 0], 'x': 2", why, sizeof why));
  CHECK(compiled(&t, 2, ", 'at': [0, 0]", why, sizeof why));
  CHECK(!compiled(&t, 2, ", 'at': [0, 0], 'x': 2", why, sizeof why));
  CHECK_HAS(why, "unknown key 'x'");
}

static int counted;

static tn_status count3(void *self, tn_context *ctx, int frames, const tn_frame3 *f, const double *masses) {
  (void)ctx, (void)frames, (void)f, (void)masses;
  memcpy(&counted, self, sizeof counted);
  return TN_OK;
}

TEST(integers_are_whole_and_in_their_range) {
  static const struct {
    const char *given, *why; /* NULL: accepted, and it is 3 */
  } cases[] = {{"3", NULL},
               {"3.0", NULL},
               {"'1 + 2'", NULL},
               {"2.5", "`x` must be a whole number, not 2.5"},
               {"'7/2'", "`x` must be a whole number, not 3.5"},
               {"0", "`x` must be between 1 and 9, not 0"},
               {"1e12", "`x` must be between 1 and 9, not 1e+12"}};
  static const tn_field ranged[] = {{.key = "x", .kind = TN_INTEGER, .lo = 1, .hi = 9, .dflt = 3}, {.key = NULL}},
                        any[] = {{.key = "x", .kind = TN_INTEGER, .dflt = 3}, {.key = NULL}};
  char why[600], members[100];
  tn_joint_type t = with_fields(ranged);
  t.space.init = count3;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(members, sizeof members, ", 'at': [0, 0, 0], 'x': %s", cases[i].given);
    counted = 0;
    CHECK(compiled(&t, 3, members, why, sizeof why) == !cases[i].why);
    if (cases[i].why)
      CHECK_HAS(why, cases[i].why);
    else
      CHECK(counted == 3);
  }
  counted = 0;
  CHECK(compiled(&t, 3, ", 'at': [0, 0, 0]", why, sizeof why) && counted == 3);
  t.fields = any;
  CHECK(compiled(&t, 3, ", 'at': [0, 0, 0], 'x': -2147483647", why, sizeof why) && counted == -2147483647);
  CHECK(!compiled(&t, 3, ", 'at': [0, 0, 0], 'x': 1e10", why, sizeof why));
  CHECK_HAS(why, "`x` must be between -2147483647 and 2147483647, not 1e+10");
}

/* TN_POSITIVE is a number that nobody has written, and no text shows it */
TEST(ranges_are_said_in_words) {
  static const struct {
    double lo, hi;
    const char *text, *given, *why; /* why `given` is refused; NULL: it is not */
  } cases[] = {{0, 0, "", "-1", NULL},
               {0, INFINITY, " >= 0", "-1", "`x` must be at least 0, not -1"},
               {TN_POSITIVE, INFINITY, " > 0", "0", "`x` must be positive, not 0"},
               {TN_POSITIVE, 1, " > 0, at most 1", "0", "`x` must be positive and at most 1, not 0"},
               {TN_POSITIVE, 1, " > 0, at most 1", "2", "`x` must be positive and at most 1, not 2"},
               {TN_POSITIVE, 1, " > 0, at most 1", "1", NULL},
               {-1, 1, " from -1 to 1", "2", "`x` must be between -1 and 1, not 2"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const tn_field ranged[] = {{.key = "x", .lo = cases[i].lo, .hi = cases[i].hi, .dflt = 1}, {.key = NULL}};
    const tn_joint_type t = with_fields(ranged);
    char text[96], why[600], members[100];
    tn_field_range_text(ranged, text, sizeof text);
    CHECK_TEXT(text, cases[i].text);
    snprintf(members, sizeof members, ", 'at': [0, 0, 0], 'x': %s", cases[i].given);
    CHECK(compiled(&t, 3, members, why, sizeof why) == !cases[i].why);
    if (cases[i].why) CHECK_HAS(why, cases[i].why);
  }
}

/* ---- types of the build ------------------------------------------------------------------------------------------------------- */

TEST(types_of_the_build_pass_the_same_checks) {
  int n = 0;
  for (int kind = 0; kind < TN_REGISTRIES; kind++)
    for (int i = 0; tn_registry_type(NULL, (tn_registry)kind, i); i++, n++) {
      const void *type = tn_registry_type(NULL, (tn_registry)kind, i);
      char why[200];
      if (tn_type_fault((tn_registry)kind, type, why, sizeof why))
        FAIL("%s '%s': %s", tn_registry_kinds[kind], tn_type_name(type), why);
    }
  CHECK(n > 50);
}

/* as one of the build with a fault would be: it never passed tn_desc_add_joint */
TEST(a_table_is_checked_where_a_model_names_it) {
  static const char text[] =
      "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 1}}, \"joints\": {\"it\": {"
      "\"type\": \"probe\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0], \"x\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
      "11, 12]}}}";
  static const tn_field fields[] = {{.key = "x", .kind = TN_VECTOR, .n = 12}, {.key = NULL}};
  tn_joint_type t = table_of(TN_SEAT_SHARED, true, true);
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_error e;
  if (tn_desc_new(NULL, &d, &e) != TN_OK || tn_desc_add_joint(d, &t, &e) != TN_OK) abort();
  t.fields = fields;
  t.size = 12 * sizeof(double);
  CHECK(tn_desc_parse(d, "m", text, strlen(text), &e) == TN_OK);
  CHECK(tn_compile(d, &m, &e) == TN_E_MODEL);
  CHECK_HAS(e.message, "joint 'it': its type cannot be used: field `x` has n = 12");
  CHECK(e.line == 1 && e.column > 1);
  tn_model_free(m);
  tn_desc_free(d);
}

/* ---- rows that are no numbers ------------------------------------------------------------------------------------------------- */

static void broken_rows(const void *self, double t, const tn_frame2 *f, double *J) {
  rows2(self, t, f, J);
  J[3] = 1 / (f[1].r[0] - f[0].r[0]);
}

TEST(rows_that_are_not_finite_at_the_start_are_refused_by_name) {
  char why[600];
  tn_joint_type t = table_of(TN_SEAT_TWO, true, true);
  t.plane.rows_on_twists = broken_rows;
  CHECK(compiled(&t, 2, ", 'at': [[0, 0], [1, 0]]", why, sizeof why));
  CHECK(!compiled(&t, 2, ", 'at': [[1, 0], [1, 0]]", why, sizeof why));
  CHECK_HAS(why, "joint 'it': degenerate in the initial configuration");
}
