/* types from outside: a copy of a built-in type under another name moves bit for bit as the original; what cannot work is refused
 * when it is added; a type belongs to one description. */
#include "support/build.h"
#include "test.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const char mine[] = "from-outside";

static tn_status add(tn_desc *d, tn_registry kind, const void *type, tn_error *e) {
  switch (kind) {
  case TN_JOINTS: return tn_desc_add_joint(d, type, e);
  case TN_FORCES: return tn_desc_add_force(d, type, e);
  case TN_COORDINATES: return tn_desc_add_coordinates(d, type, e);
  case TN_FORMULATIONS: return tn_desc_add_formulation(d, type, e);
  case TN_STABILIZERS: return tn_desc_add_stabilizer(d, type, e);
  case TN_INTEGRATORS: return tn_desc_add_integrator(d, type, e);
  default: return TN_E_INTERNAL;
  }
}

/* a table of any kind, to be changed at run time */
typedef union table {
  const char *name; /* every table begins with it */
  tn_joint_type joint;
  tn_force_type force;
  tn_body_type body;
  tn_formulation_type formulation;
  tn_stabilizer_type stabilizer;
  tn_integrator_type integrator;
} table;

static table copy_of(tn_registry kind, const void *type) {
  table t;
  memset(&t, 0, sizeof t);
  switch (kind) {
  case TN_JOINTS: t.joint = *(const tn_joint_type *)type; break;
  case TN_FORCES: t.force = *(const tn_force_type *)type; break;
  case TN_COORDINATES: t.body = *(const tn_body_type *)type; break;
  case TN_FORMULATIONS: t.formulation = *(const tn_formulation_type *)type; break;
  case TN_STABILIZERS: t.stabilizer = *(const tn_stabilizer_type *)type; break;
  default: t.integrator = *(const tn_integrator_type *)type; break;
  }
  t.name = mine;
  return t;
}

/* every type of a kind that the build has */
static int count_of(tn_registry kind) {
  int n = 0;
  while (tn_registry_type(NULL, kind, n)) n++;
  return n;
}

/* in a section of the description, the type `name` becomes `other` */
static int rename_types(build *b, const char *section, const char *member, const char *name, const char *other) {
  const tn_node *parts = tn_node_get(b->desc->root, section);
  int n = 0;
  for (const tn_node *k = parts ? parts->first : NULL; k; k = k->next) {
    const tn_node *part = member ? tn_node_get(k, member) : k;
    const tn_node *type = part && part->kind == TN_NODE_OBJECT ? tn_node_get(part, "type") : part;
    char pointer[300];
    if (!type || type->kind != TN_NODE_TEXT || strcmp(type->text, name) != 0) continue;
    tn_node_pointer(type, pointer, sizeof pointer);
    build_set(b, pointer, "\"%s\"", other);
    n++;
  }
  return n;
}

static void example(build *b, int dimension, const char *sections) {
  char text[4000];
  snprintf(text, sizeof text, "{\"tenon\": 1, \"dimension\": %d, %s}", dimension, sections);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_parse(b, text);
}

static void check_same(build *a, build *b, const char *what) {
  build_table one = {0}, two = {0};
  const bool ran = build_simulate(a) && build_run(a, &one) && build_simulate(b) && build_run(b, &two);
  if (!ran) FAIL("%s: %s%s", what, a->message, b->message);
  if (ran && (one.rows != two.rows || one.columns != two.columns || one.rows < 5 ||
              memcmp(one.value, two.value, sizeof *one.value * (size_t)one.rows * (size_t)(one.columns + 1)) != 0))
    FAIL("%s: another motion", what);
  if (ran) CHECK(tn_sim_summary(a->sim)->steps == tn_sim_summary(b->sim)->steps);
  build_table_free(&one);
  build_table_free(&two);
}

static void run_settings(build *b, const char *coordinates) {
  build_set(b, "/run/until", "0.5");
  build_set(b, "/run/every", "0.03");
  tn_desc_remove(b->desc, "/outputs"); /* all coordinates and rates */
  if (coordinates) build_set(b, "/coordinates", "\"%s\"", coordinates);
}

/* the example of a type in the plane or in space; NULL: it has none there */
static const char *example_of(tn_registry kind, const void *type, int dimension) {
  const tn_joint_type *j = type;
  const tn_force_type *f = type;
  const tn_body_type *c = type;
  const char *first = kind == TN_JOINTS ? j->example : kind == TN_FORCES ? f->example : c->example;
  const char *space = kind == TN_JOINTS ? j->example_space : kind == TN_FORCES ? f->example_space : c->example_space;
  const bool plane = kind == TN_JOINTS ? j->plane.there : kind == TN_FORCES ? f->plane != NULL : c->plane.n > 0;
  return (dimension == 2) == plane ? first : dimension == 3 ? space : NULL;
}

TEST(joints_forces_and_coordinates_move_as_the_original) {
  static const struct {
    tn_registry kind;
    const char *section, *member;
  } kinds[] = {{TN_JOINTS, "joints", NULL}, {TN_FORCES, "forces", NULL}, {TN_COORDINATES, "bodies", "coordinates"}};
  for (int k = 0; k < COUNT(kinds); k++)
    for (int i = 0; i < count_of(kinds[k].kind); i++)
      for (int n = 0; n < 4; n++) {
        const int dimension = 2 + n / 2, relative = n % 2;
        const void *type = tn_registry_type(NULL, kinds[k].kind, i);
        const table t = copy_of(kinds[k].kind, type);
        const char *sections = example_of(kinds[k].kind, type, dimension);
        build a, b;
        tn_error e;
        if (!sections) continue;
        build_new(&a, 1);
        build_new(&b, 1);
        example(&a, dimension, sections);
        CHECK(add(b.desc, kinds[k].kind, &t, &e) == TN_OK && e.status == TN_OK);
        example(&b, dimension, sections);
        int renamed = rename_types(&b, kinds[k].section, kinds[k].member, tn_type_name(type), mine);
        if (!renamed && strcmp(tn_type_name(type), "plane") == 0) { /* what bodies are that say nothing */
          build_set(&b, "/body_coordinates", "\"%s\"", mine);
          renamed = 1;
        }
        CHECK(renamed > 0);
        run_settings(&a, relative ? "relative" : "absolute");
        run_settings(&b, relative ? "relative" : "absolute");
        check_same(&a, &b, tn_type_name(type));
        build_free(&a);
        build_free(&b);
      }
}

/* a weld sits by default where the second body is: its copy too */
TEST(a_copy_may_leave_out_what_the_original_may) {
  for (int i = 0; i < tn_joint_type_count; i++) {
    if (tn_joint_types[i]->seat != TN_SEAT_SHARED || !tn_joint_types[i]->plane.there) continue;
    build b;
    bool good[2];
    const table t = copy_of(TN_JOINTS, tn_joint_types[i]);
    for (int k = 0; k < 2; k++) {
      build_new(&b, 1);
      CHECK(add(b.desc, TN_JOINTS, &t, NULL) == TN_OK);
      build_set(&b, "/bodies/bar", "{\"mass\": 1, \"inertia\": 1, \"position\": [1, 2]}");
      build_set(&b, "/joints/j", "{\"type\": \"%s\", \"between\": [\"ground\", \"bar\"]%s}",
                k ? mine : tn_joint_types[i]->name, tn_joint_types[i]->plane.has_axis ? ", \"axis\": \"x\"" : "");
      good[k] = build_compile(&b);
      build_free(&b);
    }
    if (good[0] != good[1])
      FAIL("%s without `at` is %s, its copy is %s", tn_joint_types[i]->name, good[0] ? "good" : "refused",
           good[1] ? "good" : "refused");
  }
}

TEST(formulations_stabilizers_and_integrators_run_as_the_original) {
  static const struct {
    tn_registry kind;
    const char *key;
  } kinds[] = {{TN_FORMULATIONS, "formulation"}, {TN_STABILIZERS, "stabilize"}, {TN_INTEGRATORS, "integrator"}};
  for (int k = 0; k < COUNT(kinds); k++)
    for (int i = 0; i < count_of(kinds[k].kind); i++) {
      const void *type = tn_registry_type(NULL, kinds[k].kind, i);
      const table t = copy_of(kinds[k].kind, type);
      /* with the parameters of its example, and a step where one is needed */
      const char *options = kinds[k].kind == TN_STABILIZERS ? ((const tn_stabilizer_type *)type)->example : "";
      const char *colon = strchr(options, ':'), *given = colon ? colon : "";
      const bool fixed = kinds[k].kind == TN_INTEGRATORS && !((const tn_integrator_type *)type)->adaptive;
      if (fixed) given = ":step=0.01";
      build b[2];
      tn_error e;
      for (int n = 0; n < 2; n++) {
        char pointer[64], part[128];
        build_new(&b[n], 1);
        CHECK(add(b[n].desc, kinds[k].kind, &t, &e) == TN_OK);
        build_read(&b[n], "four_bar");
        run_settings(&b[n], NULL);
        build_set(&b[n], "/run/contract", "{\"breach\": \"record\"}");
        snprintf(pointer, sizeof pointer, "/run/%s", kinds[k].key);
        snprintf(part, sizeof part, "%s%.*s", n ? mine : tn_type_name(type), (int)strcspn(given, " "), given);
        CHECK(tn_desc_part(b[n].desc, pointer, part, &e) == TN_OK);
      }
      check_same(&b[0], &b[1], tn_type_name(type));
      if (b[1].model) {
        tn_model_info info;
        char settings[400];
        tn_model_get_info(b[1].model, &info);
        tn_model_settings(b[1].model, settings, sizeof settings);
        CHECK_HAS(settings, mine);
      }
      build_free(&b[0]);
      build_free(&b[1]);
    }
}

/* all of a model from outside, with parameters of the parts */
TEST(everything_from_outside_at_once) {
  static const char model[] =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
      "\"bodies\": {\"a\": {\"rod\": [[0, 0], [1, 0]], \"mass\": 1, \"coordinates\": {\"type\": \"%s\"}},"
      "  \"b\": {\"rod\": [[1, 0], [2, 0]], \"mass\": 2, \"coordinates\": {\"type\": \"%s\"}}},"
      "\"joints\": {\"p\": {\"type\": \"%s\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]},"
      "  \"q\": {\"type\": \"%s\", \"between\": [\"a\", \"b\"], \"at\": [1, 0]}},"
      "\"forces\": {\"s\": {\"type\": \"%s\", \"on\": \"p.angle\", \"stiffness\": 3, \"damping\": 0.2, \"rest\": 0.5}},"
      "\"run\": {\"until\": 1, \"every\": 0.1, \"formulation\": \"%s\", \"stabilize\": [{\"type\": \"%s\", \"alpha\": "
      "5, "
      "\"beta\": 6}, \"project\"], \"integrator\": {\"type\": \"%s\", \"rtol\": 1e-7}}}";
  static const char *const names[2][7] = {
      {"plane", "revolute", "spring", "augmented", "baumgarte", "dopri5", NULL},
      {"my-plane", "my-revolute", "my-spring", "my-augmented", "my-baumgarte", "my-dopri5", NULL}};
  static const tn_registry kinds[] = {TN_COORDINATES,  TN_JOINTS,      TN_FORCES,
                                      TN_FORMULATIONS, TN_STABILIZERS, TN_INTEGRATORS};
  table t[6];
  build b[2];
  for (int n = 0; n < 2; n++) {
    char text[2000];
    const char *const *w = names[n];
    build_new(&b[n], 1);
    for (int k = 0; n && k < 6; k++) {
      const void *type = NULL;
      for (int i = 0; (type = tn_registry_type(NULL, kinds[k], i)); i++)
        if (strcmp(tn_type_name(type), names[0][k]) == 0) break;
      CHECK(type != NULL);
      if (!type) return;
      t[k] = copy_of(kinds[k], type);
      t[k].name = names[1][k];
      CHECK(add(b[n].desc, kinds[k], &t[k], NULL) == TN_OK); /* an error is not asked for */
    }
    snprintf(text, sizeof text, model, w[0], w[0], w[1], w[1], w[2], w[3], w[4], w[5]);
    build_parse(&b[n], text);
  }
  check_same(&b[0], &b[1], "everything");
  if (b[1].model) CHECK_TEXT(tn_model_stabilizer(b[1].model, 0), "my-baumgarte:alpha=5,beta=6");
  build_free(&b[0]);
  build_free(&b[1]);
}

/* ---- belonging ---------------------------------------------------------------------------------------------------------- */

static const char pendulum[] =
    "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"a\": {\"rod\": [[0, 0], [1, 0]], \"mass\": 1}},"
    "\"joints\": {\"p\": {\"type\": \"from-outside\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]}}}";

static table revolute(void) {
  table t;
  memset(&t, 0, sizeof t);
  for (int i = 0; i < tn_joint_type_count; i++)
    if (strcmp(tn_joint_types[i]->name, "revolute") == 0) t = copy_of(TN_JOINTS, tn_joint_types[i]);
  return t;
}

static bool compiles(tn_desc *d, tn_error *e) {
  tn_model *m = NULL;
  const tn_status status = tn_compile(d, &m, e);
  tn_model_free(m);
  return status == TN_OK;
}

TEST(a_type_stays_when_other_texts_are_read) {
  const table t = revolute();
  tn_desc *d = NULL;
  tn_error e;
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && add(d, TN_JOINTS, &t, &e) == TN_OK);
  for (int i = 0; i < 3; i++) {
    CHECK(tn_desc_parse(d, "m", pendulum, strlen(pendulum), &e) == TN_OK && compiles(d, &e));
    CHECK(tn_desc_read(d, TN_SOURCE_DIR "/models/four_bar.json", &e) == TN_OK && compiles(d, &e));
    CHECK(tn_desc_parse(d, "m", "{\"a\": }", 7, &e) == TN_E_MODEL);
    CHECK(tn_desc_text(d, "/joints/A/type", mine, &e) == TN_OK && compiles(d, &e));
  }
  tn_desc_free(d);
}

TEST(a_type_is_unknown_to_another_description) {
  const table t = revolute();
  tn_desc *one = NULL, *two = NULL;
  tn_error e;
  CHECK(tn_desc_new(NULL, &one, &e) == TN_OK && tn_desc_new(NULL, &two, &e) == TN_OK);
  CHECK(add(one, TN_JOINTS, &t, &e) == TN_OK);
  CHECK(tn_desc_parse(one, "m", pendulum, strlen(pendulum), &e) == TN_OK && compiles(one, &e));
  CHECK(tn_desc_parse(two, "m", pendulum, strlen(pendulum), &e) == TN_OK && !compiles(two, &e));
  CHECK(e.status == TN_E_MODEL && e.line == 1);
  CHECK_HAS(e.message, "unknown joint type 'from-outside'");
  CHECK_TEXT(e.pointer, "/joints/p/type");
  CHECK(!strstr(e.hint, mine));
  /* nor is it a force, or anything else than what it was added as */
  CHECK(tn_desc_json(one, "/forces/f", "{\"type\": \"from-outside\", \"on\": \"a\", \"value\": 1}", &e) == TN_OK);
  CHECK(!compiles(one, &e));
  CHECK_HAS(e.message, "unknown force type 'from-outside'");
  for (int i = 0; tn_list_name("joint", i); i++) CHECK(strcmp(tn_list_name("joint", i), mine) != 0);
  tn_desc_free(one);
  tn_desc_free(two);
}

/* models outlive their description; the table outlives both */
TEST(a_model_needs_its_description_no_more) {
  const table t = revolute();
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_error e;
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && add(d, TN_JOINTS, &t, &e) == TN_OK);
  CHECK(tn_desc_parse(d, "m", pendulum, strlen(pendulum), &e) == TN_OK && tn_compile(d, &m, &e) == TN_OK);
  tn_desc_free(d);
  CHECK(m && tn_sim_new(m, &s, &e) == TN_OK && tn_sim_run(s, NULL, NULL, &e) == TN_OK);
  tn_sim_free(s);
  tn_model_free(m);
}

TEST(hints_know_the_types_from_outside) {
  static const struct {
    tn_registry kind;
    const char *pointer, *json;
  } cases[] = {
      {TN_JOINTS, "/joints/p", "{\"type\": \"from-outsid\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]}"},
      {TN_FORCES, "/forces/f", "{\"type\": \"form-outside\", \"on\": \"a\", \"value\": 1}"},
      {TN_COORDINATES, "/bodies/a/coordinates", "\"from-outsider\""},
      {TN_FORMULATIONS, "/run/formulation", "\"frm-outside\""},
      {TN_STABILIZERS, "/run/stabilize", "\"from_outside\""},
      {TN_INTEGRATORS, "/run/integrator", "{\"type\": \"From-Outside\"}"}};
  static const char body[] = "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"a\": {\"mass\": 1, \"inertia\": 1}}}";
  for (int i = 0; i < COUNT(cases); i++) {
    const table t = copy_of(cases[i].kind, tn_registry_type(NULL, cases[i].kind, 0));
    tn_desc *d = NULL;
    tn_error e;
    CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && add(d, cases[i].kind, &t, &e) == TN_OK);
    CHECK(tn_desc_parse(d, "m", body, strlen(body), &e) == TN_OK);
    CHECK(tn_desc_json(d, cases[i].pointer, cases[i].json, &e) == TN_OK && !compiles(d, &e));
    CHECK_HAS(e.message, "unknown ");
    CHECK_TEXT(e.hint, "did you mean 'from-outside'?");
    tn_desc_free(d);
  }
}

/* lists for hints have an end, registries do not */
TEST(as_many_as_one_likes) {
  enum { MANY = 100 };
  static table t[MANY];
  static char name[MANY][16];
  tn_desc *d = NULL;
  tn_error e;
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK);
  for (int i = 0; i < MANY; i++) {
    snprintf(name[i], sizeof name[i], "many%d", i);
    t[i] = revolute();
    t[i].name = name[i];
    CHECK(add(d, TN_JOINTS, &t[i], &e) == TN_OK);
  }
  CHECK(tn_desc_parse(d, "m", pendulum, strlen(pendulum), &e) == TN_OK && !compiles(d, &e));
  CHECK(tn_desc_text(d, "/joints/p/type", "many99", &e) == TN_OK && compiles(d, &e));
  CHECK(tn_desc_text(d, "/joints/p/type", "many0", &e) == TN_OK && compiles(d, &e));
  tn_desc_free(d);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------- */

TEST(names_that_are_taken_or_missing) {
  for (int kind = 0; kind < TN_METHODS; kind++) {
    const void *built_in = tn_registry_type(NULL, (tn_registry)kind, 0);
    tn_desc *d = NULL;
    tn_error e;
    table t = copy_of((tn_registry)kind, built_in);
    CHECK(tn_desc_new(NULL, &d, &e) == TN_OK);
    t.name = NULL;
    CHECK(add(d, (tn_registry)kind, &t, &e) == TN_E_USAGE && e.status == TN_E_USAGE && *e.message);
    t.name = "";
    CHECK(add(d, (tn_registry)kind, &t, &e) == TN_E_USAGE && add(d, (tn_registry)kind, &t, NULL) == TN_E_USAGE);
    CHECK(add(d, (tn_registry)kind, NULL, &e) == TN_E_USAGE && add(NULL, (tn_registry)kind, &t, &e) == TN_E_USAGE);
    CHECK(add(d, (tn_registry)kind, built_in, &e) == TN_E_USAGE);
    CHECK_HAS(e.message, "already");
    CHECK_HAS(e.message, tn_type_name(built_in));
    t.name = tn_type_name(built_in);
    CHECK(add(d, (tn_registry)kind, &t, &e) == TN_E_USAGE);
    CHECK(!d->added);
    t.name = mine;
    CHECK(add(d, (tn_registry)kind, &t, &e) == TN_OK && add(d, (tn_registry)kind, &t, &e) == TN_E_USAGE);
    table other = copy_of((tn_registry)kind, built_in); /* another table of the same name */
    CHECK(add(d, (tn_registry)kind, &other, &e) == TN_E_USAGE);
    CHECK_HAS(e.message, "is there already");
    tn_desc_free(d);
  }
  /* one name in two registries is no trouble */
  tn_desc *d = NULL;
  const table joint = revolute(), force = copy_of(TN_FORCES, tn_force_types[0]);
  CHECK(tn_desc_new(NULL, &d, NULL) == TN_OK && add(d, TN_JOINTS, &joint, NULL) == TN_OK);
  CHECK(add(d, TN_FORCES, &force, NULL) == TN_OK);
  tn_desc_free(d);
}

static void check_refused(tn_registry kind, const table *t, const char *original, const char *what) {
  tn_desc *d = NULL;
  tn_error e;
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK);
  const tn_status status = add(d, kind, t, &e);
  if (status != TN_E_USAGE) FAIL("%s '%s' without %s is taken", tn_registry_kinds[kind], original, what);
  if (status == TN_E_USAGE) CHECK_HAS(e.message, mine);
  CHECK(status == TN_OK || !d->added);
  tn_desc_free(d);
}

#define WITHOUT(kind, of, original, member)                                                                            \
  do {                                                                                                                 \
    table tn_t = copy_of(kind, original);                                                                              \
    tn_t.of.member = NULL;                                                                                             \
    check_refused(kind, &tn_t, (original)->name, #member);                                                             \
  } while (0)

TEST(joints_without_the_functions_of_their_rows) {
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *t = tn_joint_types[i];
    if (t->seat == TN_SEAT_CHANNELS) {
      if (t->value) WITHOUT(TN_JOINTS, joint, t, value);
      if (t->equation) WITHOUT(TN_JOINTS, joint, t, equation);
      continue;
    }
    if (t->plane.there) {
      WITHOUT(TN_JOINTS, joint, t, plane.position);
      WITHOUT(TN_JOINTS, joint, t, plane.rows_on_twists);
      WITHOUT(TN_JOINTS, joint, t, plane.rates);
    }
    if (t->space.there && t->space.list) {
      WITHOUT(TN_JOINTS, joint, t, space.list);
    } else if (t->space.there) {
      WITHOUT(TN_JOINTS, joint, t, space.position);
      WITHOUT(TN_JOINTS, joint, t, space.rows_on_twists);
      WITHOUT(TN_JOINTS, joint, t, space.rates);
    }
    table nowhere = copy_of(TN_JOINTS, t);
    nowhere.joint.plane.there = nowhere.joint.space.there = false;
    check_refused(TN_JOINTS, &nowhere, t->name, "plane and space");
  }
}

/* what has coordinates is measured, and what can carry a body moves it */
TEST(joints_without_the_functions_of_their_coordinates) {
  for (int i = 0; i < tn_joint_type_count; i++) {
    const tn_joint_type *t = tn_joint_types[i];
    if (t->coordinates && t->plane.there) WITHOUT(TN_JOINTS, joint, t, plane.measure);
    if (t->coordinates && t->space.there) WITHOUT(TN_JOINTS, joint, t, space.measure);
    if (t->plane.there && t->plane.axes >= 0) WITHOUT(TN_JOINTS, joint, t, plane.motion);
    if (t->space.there && t->space.axes >= 0) WITHOUT(TN_JOINTS, joint, t, space.motion);
    /* nor without names for them where it carries one, and not without following angles that it remembers */
    if (t->plane.there && t->plane.carried) WITHOUT(TN_JOINTS, joint, t, plane.carried);
    if (t->space.there && t->space.carried) WITHOUT(TN_JOINTS, joint, t, space.carried);
    if (t->space.there && t->space.memory) WITHOUT(TN_JOINTS, joint, t, space.accept);
  }
}

/* room for rows of a joint is three, in space six */
TEST(joints_with_more_rows_than_there_is_room_for) {
  static const int rows[][2] = {{4, 0}, {3, 1}, {2, 2}, {0, 4}, {-1, 0}, {2, -1}, {1000, 0}};
  for (int i = 0; i < COUNT(rows); i++) {
    table t = revolute();
    char what[64];
    t.joint.plane.rows = rows[i][0];
    t.joint.plane.rows_velocity_only = rows[i][1];
    snprintf(what, sizeof what, "sense: %d rows and %d of velocity", rows[i][0], rows[i][1]);
    check_refused(TN_JOINTS, &t, "revolute", what);
    t = revolute();
    t.joint.space.rows = rows[i][0] > 0 ? rows[i][0] + 3 : rows[i][0];
    t.joint.space.rows_velocity_only = rows[i][0] ? rows[i][1] : rows[i][1] + 3;
    check_refused(TN_JOINTS, &t, "revolute in space", what);
  }
}

TEST(other_types_without_what_they_need) {
  for (int i = 0; i < tn_force_type_count; i++) {
    table t = copy_of(TN_FORCES, tn_force_types[i]);
    t.force.plane = NULL, t.force.space = NULL;
    check_refused(TN_FORCES, &t, tn_force_types[i]->name, "plane and space");
    t = copy_of(TN_FORCES, tn_force_types[i]);
    t.force.takes = 0;
    check_refused(TN_FORCES, &t, tn_force_types[i]->name, "anything to act on");
  }
  for (int i = 0; i < tn_body_type_count; i++) {
    const tn_body_type *t = tn_body_types[i];
    if (t->plane.n) {
      WITHOUT(TN_COORDINATES, body, t, plane.motion);
      WITHOUT(TN_COORDINATES, body, t, plane.from_pose);
      WITHOUT(TN_COORDINATES, body, t, plane.coordinates);
    }
    if (t->space.nq) {
      WITHOUT(TN_COORDINATES, body, t, space.motion);
      WITHOUT(TN_COORDINATES, body, t, space.from_pose);
      if (t->space.chart) WITHOUT(TN_COORDINATES, body, t, space.chart);
      if (t->space.coordinates) WITHOUT(TN_COORDINATES, body, t, space.coordinates);
      if (t->space.rows) WITHOUT(TN_COORDINATES, body, t, space.own);
    }
    static const int n[] = {0, -1, 4, 1000}, nq[] = {0, -1, 9, 1000};
    for (int k = 0; k < COUNT(n); k++) {
      table other = copy_of(TN_COORDINATES, t);
      other.body.plane.n = n[k];
      other.body.space.nq = 0;
      check_refused(TN_COORDINATES, &other, t->name, "a number of coordinates that makes sense");
      if (!t->space.nq) continue;
      other = copy_of(TN_COORDINATES, t);
      other.body.plane.n = 0;
      other.body.space.nq = nq[k];
      if (nq[k] == t->space.nu) continue;
      check_refused(TN_COORDINATES, &other, t->name, "a number of coordinates in space that makes sense");
      other.body.space.nq = t->space.nq;
      other.body.space.nu = nq[k];
      check_refused(TN_COORDINATES, &other, t->name, "a number of speeds in space that makes sense");
    }
  }
  for (int i = 0; i < tn_formulation_type_count; i++) {
    const tn_formulation_type *t = tn_formulation_types[i];
    WITHOUT(TN_FORMULATIONS, formulation, t, memory);
    WITHOUT(TN_FORMULATIONS, formulation, t, prepare);
    WITHOUT(TN_FORMULATIONS, formulation, t, reset);
    WITHOUT(TN_FORMULATIONS, formulation, t, typical);
    WITHOUT(TN_FORMULATIONS, formulation, t, factor);
    WITHOUT(TN_FORMULATIONS, formulation, t, solve);
    WITHOUT(TN_FORMULATIONS, formulation, t, correct);
    WITHOUT(TN_FORMULATIONS, formulation, t, nearness);
    WITHOUT(TN_FORMULATIONS, formulation, t, rank);
  }
  for (int i = 0; i < tn_stabilizer_type_count; i++) {
    const tn_stabilizer_type *t = tn_stabilizer_types[i];
    if (!t->feedback) continue;
    WITHOUT(TN_STABILIZERS, stabilizer, t, held);
    WITHOUT(TN_STABILIZERS, stabilizer, t, tied_to_step);
  }
  for (int i = 0; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *t = tn_integrator_types[i];
    WITHOUT(TN_INTEGRATORS, integrator, t, memory);
    WITHOUT(TN_INTEGRATORS, integrator, t, start);
    if (t->attempt) WITHOUT(TN_INTEGRATORS, integrator, t, attempt);
    if (t->advance) WITHOUT(TN_INTEGRATORS, integrator, t, advance);
    WITHOUT(TN_INTEGRATORS, integrator, t, accept);
    WITHOUT(TN_INTEGRATORS, integrator, t, dense);
  }
}

static void *no_memory(void *user, size_t size) {
  long *left = user;
  return (*left)-- > 0 ? malloc(size) : NULL;
}
static void release(void *user, void *block) {
  (void)user;
  free(block);
}

TEST(without_memory_nothing_is_added) {
  long left = 100;
  const tn_allocator a = {no_memory, release, &left};
  const table t = revolute();
  tn_desc *d = NULL;
  tn_error e;
  CHECK(tn_desc_new(&a, &d, &e) == TN_OK);
  left = 0;
  CHECK(add(d, TN_JOINTS, &t, &e) == TN_E_MEMORY && e.status == TN_E_MEMORY && !d->added);
  left = 100;
  CHECK(add(d, TN_JOINTS, &t, &e) == TN_OK);
  tn_desc_free(d);
}
