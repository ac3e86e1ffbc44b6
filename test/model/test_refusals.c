/* what is refused, in which words and at which place. each case changes one thing in a small model that is good: the
 * text `from` becomes `to`, in which @ marks where the error must point (the mark itself is not part of the model).
 * ' stands for " in all of them. */
#include "tenon/tenon.h"
#include "test.h"

static const char good[] =
    "{\n"
    "  'tenon': 1,\n"
    "  'dimension': 2,\n"
    "  'title': 'base',\n"
    "  'constants': {'m': 2, 'k': 'm/2'},\n"
    "  'tables': {'w': [1, 2, 3]},\n"
    "  'gravity': [0, -9.81],\n"
    "  'points': {'O': [0, 0], 'P': [1, 0], 'Q': [2, 0]},\n"
    "  'bodies': {\n"
    "    'arm': {'rod': ['O', 'P'], 'mass': 'm'},\n"
    "    'leg': {'mass': 1, 'inertia': 0.1, 'position': [2, 0], 'angle': 0},\n"
    "    'bob': {'mass': 1, 'position': 'Q', 'coordinates': 'point'}\n"
    "  },\n"
    "  'joints': {\n"
    "    'hip': {'type': 'revolute', 'between': ['ground', 'arm'], 'at': 'O'},\n"
    "    'knee': {'type': 'prismatic', 'between': ['arm', 'leg'], 'at': 'P', 'axis': 'x'},\n"
    "    'cord': {'type': 'distance', 'between': ['leg', 'bob'], 'at': [[2, 1], 'bob']}\n"
    "  },\n"
    "  'forces': {\n"
    "    'motor': {'type': 'torque', 'on': 'arm.angle', 'value': '1 - rate'},\n"
    "    'coil': {'type': 'spring', 'between': ['ground', 'leg'], 'at': ['O', 'Q'], 'stiffness': 5},\n"
    "    'push': {'type': 'force', 'on': 'leg', 'at': 'Q', 'value': [1, 't']}\n"
    "  },\n"
    "  'start': {'hip.rate': 0},\n"
    "  'outputs': {'tip': 'position(arm, P)'},\n"
    "  'run': {'until': 0.1, 'every': 0.05}\n"
    "}\n";

typedef struct refusal {
  const char *from, *to; /* from NULL: `to` is the whole model */
  const char *says;      /* in the message or hint             */
  tn_status status;      /* 0: TN_E_MODEL                      */
} refusal;

/* the model of a case with its mark taken out; line and column of the mark, 0 without one */
static char *model_of(const refusal *r, int *line, int *column) {
  static char text[20000];
  const char *at = r->from ? strstr(good, r->from) : NULL;
  if (r->from && (!at || strstr(at + 1, r->from))) {
    printf("\"%s\" is not in the model once\n", r->from);
    abort();
  }
  snprintf(text, sizeof text, "%.*s%s%s", at ? (int)(at - good) : 0, good, r->to, at ? at + strlen(r->from) : "");
  *line = *column = 0;
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  char *mark = strchr(text, '@');
  if (!mark) return text;
  *line = *column = 1;
  for (const char *c = text; c < mark; c++) {
    ++*column;
    if (*c == '\n') ++*line, *column = 1;
  }
  memmove(mark, mark + 1, strlen(mark));
  return text;
}

/* the byte that a line and column stand for */
static int64_t byte_of(const char *text, int line, int column) {
  const char *c = text;
  for (; line > 1 && (c = strchr(c, '\n')); line--) c++;
  return c ? c - text + column - 1 : -1;
}

/* as far as it gets: read, compile, start, run */
static tn_status try_model(const char *text, tn_error *e) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_status status = tn_desc_new(NULL, &desc, e);
  if (!status) status = tn_desc_parse(desc, "m.json", text, strlen(text), e);
  if (!status) status = tn_compile(desc, &model, e);
  CHECK((status == TN_OK) == (model != NULL));
  tn_desc_free(desc); /* messages must not need it any more */
  if (!status) status = tn_sim_new(model, &sim, e);
  if (!status) status = tn_sim_run(sim, NULL, NULL, e);
  tn_sim_free(sim);
  tn_model_free(model);
  return status;
}

/* `joint 'hip': joint 'hip': ..` */
static bool says_part_twice(const char *message) {
  const char *end = strstr(message, "': ");
  const size_t n = end ? (size_t)(end - message) + 3 : 0;
  return n && strncmp(message + n, message, n) == 0;
}

static void check_refusals(int n, const refusal *cases) {
  for (int i = 0; i < n; i++) {
    const refusal *r = &cases[i];
    int line, column;
    char text[2000];
    tn_error e = {.status = TN_OK};
    const char *model = model_of(r, &line, &column);
    const tn_status wanted = r->status ? r->status : TN_E_MODEL, status = try_model(model, &e);
    tn_error_text(&e, text, sizeof text);
    bool good_place = line ? e.line == line && e.column == column && strcmp(e.file, "m.json") == 0 : true;
    if (e.line) good_place = good_place && e.byte == byte_of(model, e.line, e.column);
    const bool good_time = wanted == TN_E_RUN ? e.time == 0 : isnan(e.time);
    if (says_part_twice(e.message)) FAIL("%s", e.message);
    if (status == wanted && e.status == wanted && strstr(text, r->says) && good_place && good_time) continue;
    tn_test_failures++;
    printf("case %d: %s -> %s\n  wanted %d \"%s\" at %d:%d\n  got    %d \"%s\" byte %" PRId64 "\n", i,
           r->from ? r->from : "", r->to, wanted, r->says, line, column, status, status ? text : "", e.byte);
  }
}

#define CHECK_REFUSALS(cases) check_refusals((int)(sizeof(cases) / sizeof *(cases)), cases)

TEST(the_model_that_is_broken_is_good_itself) {
  tn_error e;
  int line, column;
  const refusal nothing = {"'base'", "'base'", "", TN_OK};
  CHECK(try_model(model_of(&nothing, &line, &column), &e) == TN_OK);
}

TEST(heads) {
  static const refusal cases[] = {
      {"{\n  'tenon': 1,\n", "@{\n", "the model has no `tenon` key", 0},
      {"'tenon': 1", "'tenon': @2", "reads format version 1, the model has version 2", 0},
      {"'tenon': 1", "'tenon': @'one'", "unknown name 'one'", 0},
      {"'tenon': 1", "'tenon': @[1]", "a number or an expression is needed", 0},
      {"  'dimension': 2,\n", "", "no `dimension`", 0},
      {"'dimension': 2", "'dimension': 3", "a list of 3 numbers is needed here (m.json:7:14)", 0},
      {"'dimension': 2", "'dimension': @4", "must be 2 or 3, not 4", 0},
      {"'dimension': 2", "'dimension': @2.5", "must be 2 or 3, not 2.5", 0},
      {"'dimension': 2", "'dimension': @null", "a number or an expression is needed", 0},
      {"'title': 'base'", "'title': @7", "`title` must be a text", 0},
      {"'title'", "@'titel'", "unknown key 'titel' (m.json:4:3) - did you mean 'title'?", 0},
      {"'title'", "@'qqqq'", "unknown key 'qqqq'", 0},
      {"'title': 'base'", "@'include': 'other.json'", "`include` is reserved", 0},
      {"'title': 'base'", "@'parts': {}", "`parts` is reserved", 0},
      {"'title': 'base'", "'coordinates': @'relativ'", "did you mean 'relative'?", 0},
      {"'title': 'base'", "'coordinates': @{}", "`coordinates` must be a word", 0},
      {"'title': 'base'", "'body_coordinates': 'swing'", "coordinates `swing` need `parent`", 0},
      {"'title': 'base'", "'body_coordinates': @'quaternion'", "coordinates `quaternion` are for bodies in space", 0},
      {"'title': 'base'", "@'repeat': 'i=1..2'", "the model itself cannot repeat", 0},
      {"'title': 'base'", "@'tenon': 1", "duplicate key \"tenon\", first on line 2", 0},
      {"'gravity': [0, -9.81]", "'gravity': @9.81", "a list of 2 numbers", 0},
      {"'gravity': [0, -9.81]", "'gravity': @[0, 0, -9.81]", "a list of 2 numbers", 0},
      {"'gravity': [0, -9.81]", "'gravity': [0, @true]", "a number or an expression", 0},
      {"'gravity': [0, -9.81]", "'gravity': [0, @1e999]", "1e999", 0},
      {NULL, "@[1]", "a model is an object", 0},
      {NULL, "@", "the text is empty", 0},
      {NULL, "{'tenon': 1, 'dimension': 2, 'bodies': @{}}", "no `bodies`", 0},
      {NULL, "{'tenon': 1, 'dimension': 2, 'bodies': @[]}", "`bodies`", 0},
      {NULL, "@{'tenon': 1, 'dimension': 2}", "no `bodies`", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(constants_points_and_tables) {
  static const refusal cases[] = {
      {"{'m': 2, 'k': 'm/2'}", "@[2]", "`constants` must be an object", 0},
      {"'k': 'm/2'", "'k': @true", "a number or an expression", 0},
      {"'k': 'm/2'", "'k': @{'repeat': 'i=1..1', 'value': 1}", "a number or an expression", 0},
      {"'k': 'm/2'", "'k': @'mm2'", "unknown name 'mm2'", 0},
      {"'k': 'm/2'", "'mass': 1, 'k': '2*@mas'", "did you mean 'mass'?", 0},
      {"'k': 'm/2'", "'k': 'm/@'", "a value", 0},
      {"'k': 'm/2'", "'k': 'm @m'", "an operator", 0},
      {"'k': 'm/2'", "'k': @''", "the expression is empty", 0},
      {"'k': 'm/2'", "'k': '1 + @t'", "'t' is not known here", 0},
      {"'k': 'm/2'", "'k': @'1/0'", "infinite", 0},
      {"'k': 'm/2'", "'k': @'sqrt(-1)'", "not a number", 0},
      {"'k': 'm/2'", "'k': @'1e300*1e300'", "infinite", 0},
      {"'k': 'm/2'", "'k': @'O'", "a vector where a number is needed", 0},
      {"'k': 'm/2'", "'k': '1 + @w[4]'", "table 'w' has items 1 to 3, not 4", 0},
      {"'k': 'm/2'", "'k': 'v[1]'", "there is no table 'v'", 0},
      {"'k': 'm/2'", "'k': 'dist(O, Z)'", "there is no point 'Z'", 0},
      {"'k': 'm/2'", "'k': 'dist(O)'", "'dist' takes 2", 0},
      {"'k': 'm/2'", "'k': 'position(arm)'", "depends on the motion", 0},
      {"'k': 'm/2'", "'k': 'arm.angle'", "unknown name 'arm.angle'", 0},
      {"'k': 'm/2'", "'k': 'k'", "'k' is defined by itself", 0},
      {"'m': 2, 'k': 'm/2'", "'m': '2*k', 'k': 'm/2'", "is defined by itself", 0},
      {"'m': 2, 'k': 'm/2'", "'m': '2*a', 'k': 'm/2', 'a': 'b', 'b': 'c + 1', 'c': 'm'", "is defined by itself", 0},
      {"'m': 2, 'k': 'm/2'", "'m': 2, 'k': '1 + a', 'a': '2*@b'", "unknown name 'b'", 0}, /* where it is written */
      {"'k': 'm/2'", "@'pi': 3", "'pi' is reserved", 0},
      {"'k': 'm/2'", "@'t': 3", "'t' is reserved", 0},
      {"'k': 'm/2'", "@'a-b': 3", "'a-b' is not a name", 0},
      {"'k': 'm/2'", "@'2a': 3", "'2a' is not a name", 0},
      {"'k': 'm/2'", "@'': 3", "is not a name", 0},
      {"'k': 'm/2'", "@'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 3", "longer than 60", 0},
      {"{'w': [1, 2, 3]}", "@'w'", "`tables` must be an object", 0},
      {"[1, 2, 3]", "@[]", "table 'w' must be a list", 0},
      {"[1, 2, 3]", "@3", "table 'w' must be a list", 0},
      {"[1, 2, 3]", "[1, @[2], 3]", "a number or an expression", 0},
      {"{'O': [0, 0], 'P': [1, 0], 'Q': [2, 0]}", "@'O'", "`points` must be an object", 0},
      {"'P': [1, 0], 'Q'", "'P': @[1, 0, 0], 'Q'", "a list of 2 numbers", 0},
      {"'P': [1, 0], 'Q'", "'P': @'O', 'Q'", "a list of 2 numbers", 0},
      {"'P': [1, 0], 'Q'", "'P': @{'on': [1, 0]}, 'Q'", "`at` is missing", 0},
      {"'P': [1, 0], 'Q'", "'P': {'at': [1, 0], @'from': 'O'}, 'Q'", "unknown key 'from'", 0},
      {"'P': [1, 0], 'Q'", "'P': ['P.x', 0], 'Q'", "'P' is defined by itself", 0},
      {"'P': [1, 0], 'Q': [2, 0]", "'P': ['Q.x', 0], 'Q': ['P.x', 0]", "is defined by itself", 0},
      {"'P': [1, 0], 'Q': [2, 0]", "'P': ['Q.x', 0], 'Q': [@'1/0', 0]", "infinite", 0},
      {"'P': [1, 0], 'Q'", "@'P{i}': [1, 0], 'Q'", "'P{i}' is not a name", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(bodies) {
  static const refusal cases[] = {
      {"'arm': {'rod': ['O', 'P'], 'mass': 'm'}", "'arm': @'rod'", "body 'arm' must be an object", 0},
      {"'mass': 'm'", "@'mas': 'm'", "unknown key 'mas' (m.json:10:32) - did you mean 'mass'?", 0},
      {"'mass': 'm'", "'mass': @-2", "body 'arm': the mass must not be negative, it is -2", 0},
      {"'mass': 'm'", "'mass': @[2]", "body 'arm': a number or an expression", 0},
      {"'mass': 'm'", "'mass': 'm + @q'", "body 'arm': unknown name 'q'", 0},
      {"'mass': 'm'", "'mass': @'-m'", "must not be negative, it is -2", 0},
      {"{'mass': 1, 'inertia': 0.1, 'pos", "@{'inertia': 0.1, 'pos", "body 'leg': `mass` is missing", 0},
      {"{'mass': 1, 'inertia': 0.1, 'pos", "@{'mass': 1, 'pos", "body 'leg': `inertia` is missing", 0},
      {"'inertia': 0.1", "'inertia': @-0.1", "body 'leg': the inertia must not be negative, it is -0.1", 0},
      {"'inertia': 0.1", "'inertia': @[1, 1, 1]", "body 'leg': a number", 0},
      {"['O', 'P']", "@['O', 'O']", "body 'arm': the rod has no length", 0},
      {"['O', 'P']", "@['O']", "`rod` needs two places", 0},
      {"['O', 'P']", "@'O'", "`rod` needs two places", 0},
      {"['O', 'P']", "['O', @'PP']", "there is no point or body 'PP'", 0},
      {"['O', 'P']", "['O', @'legg']", "did you mean 'leg'?", 0},
      {"['O', 'P']", "['O', @1]", "a list of 2 numbers", 0},
      {"'rod': ['O', 'P']", "'rod': ['O', 'P'], 'angle': @0", "a `rod` has its pose already", 0},
      {"'angle': 0}", "'angle': @'x'}", "unknown name 'x'", 0},
      {"'angle': 0}", "'angle': 0, 'center': @[1]}", "a list of 2 numbers", 0},
      {"'position': [2, 0]", "'position': 'leg'", "its place is defined by itself", 0},
      {"'position': 'Q'", "'position': 'Q', 'angle': @1", "body 'bob': a particle has no angle", 0},
      {"'position': 'Q'", "'position': 'Q', 'inertia': @1", "body 'bob': a particle has no inertia", 0},
      {"'position': 'Q'", "'position': 'Q', 'center': @[0, 0]", "a particle is its own mass centre", 0},
      {"'position': 'Q'", "'position': 'Q', 'lumps': @[]", "a particle has no lumps", 0},
      {"'position': 'Q'", "'rod': @['O', 'Q']", "a particle cannot be a rod", 0},
      {"'point'}", "@'points'}", "did you mean 'point'?", 0},
      {"'point'}", "@7}", "`type` must be a word", 0},
      {"'point'}", "@{'at': 'O'}}", "`type` is missing", 0},
      {"'point'}", "{'type': 'point', @'at': 'O'}}", "unknown key 'at'", 0},
      {"'angle': 0}", "'angle': 0, 'lumps': @{'mass': 1, 'at': [0, 0]}}", "`lumps` must be a list", 0},
      {"'angle': 0}", "'angle': 0, 'lumps': [@1]}", "an object is needed here", 0},
      {"'angle': 0}", "'angle': 0, 'lumps': [@{'mass': 1}]}", "a lump needs `mass` and `at`", 0},
      {"'angle': 0}", "'angle': 0, 'lumps': [{'mass': @-1, 'at': [0, 0]}]}", "mass of a lump must not be negative", 0},
      {"'angle': 0}", "'angle': 0, 'lumps': [{'mass': 1, 'at': @'Q'}]}", "a list of 2 numbers", 0},
      {"'arm': {'rod'", "@'ground': {'rod'", "the name 'ground' is reserved", 0},
      {"'arm': {'rod'", "@'energy': {'rod'", "the name 'energy' is reserved", 0},
      {"'arm': {'rod'", "@'a.b': {'rod'", "'a.b' is not a name", 0},
      {"'leg': {'mass'", "@'arm': {'mass'", "duplicate key \"arm\"", 0},
      {"'leg': {'mass'", "'leg{i}': {'repeat': 'i=1..2', 'mass'",
       "there is no body 'leg' (m.json:16:54) - did you mean 'leg1'?", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(coordinates_on_a_parent) {
#define SWING "'position': [2, 0], 'angle': 0}"
  static const refusal cases[] = {
      {SWING, "'coordinates': @'swing'}", "coordinates `swing` need `parent` and `at`", 0},
      {SWING, "'coordinates': @{'type': 'swing', 'at': 'O'}}", "need a `parent`", 0},
      {SWING, "'coordinates': @{'type': 'swing', 'parent': 'arm'}}", "exactly one of `at` (world) and `on_body`", 0},
      {SWING, "'coordinates': @{'type': 'swing', 'parent': 'arm', 'at': 'P', 'on_body': [1, 0]}}", "exactly one of", 0},
      {SWING, "'coordinates': {'type': 'swing', 'parent': @'arn', 'at': 'P'}}", "did you mean 'arm'?", 0},
      {SWING, "'coordinates': {'type': 'swing', 'parent': @'bob', 'at': 'Q'}}", "the parent 'bob' is a particle", 0},
      {SWING, "'coordinates': {'type': 'swing', 'parent': 'leg', 'at': 'Q'}}", "its place is defined by itself", 0},
      {SWING, "'position': @[2, 0], 'coordinates': {'type': 'swing', 'parent': 'arm', 'at': 'P'}}", "no `position`", 0},
      {SWING, "'coordinates': {'type': 'swing', @'parnet': 'arm', 'at': 'P'}}", "did you mean 'parent'?", 0},
      {SWING, "'coordinates': {'type': 'swing', 'parent': 'arm', 'on_body': @'P'}}", "not the name 'P'", 0},
      {"'mass': 'm'", "'mass': 1, 'coordinates': {'type': 'swing', 'parent': 'ground', 'at': 'Q'}",
       "the rod does not begin at the pivot", 0},
      {NULL,
       "{'tenon': 1, 'dimension': 2, 'bodies': {\n"
       "'a': {'mass': 1, 'inertia': 1, 'coordinates': {'type': 'swing', 'parent': 'c', 'at': [0, 0]}},\n"
       "'b': {'mass': 1, 'inertia': 1, 'coordinates': {'type': 'swing', 'parent': @'a', 'at': [0, 0]}},\n"
       "'c': {'mass': 1, 'inertia': 1, 'coordinates': {'type': 'swing', 'parent': 'b', 'at': [0, 0]}}}}",
       "its place is defined by that of 'a', and so by itself", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(rods) {
#define RODS "'outputs': {'tip': 'position(arm, P)'}"
  static const refusal cases[] = {
      {RODS, "'outputs': {'toe': @'position(arm, T)'}", "output 'toe': there is no point or body 'T'", 0},
      {RODS, "'rods': @[]", "`rods` must be an object", 0},
      {RODS, "'rods': {'r': @{'between': ['ground', 'bob'], 'at': ['O', 'bob']}}", "rod 'r': `mass` is missing", 0},
      {RODS, "'rods': {'r': {'between': ['ground', 'bob'], 'at': ['O', 'bob'], 'mass': @0}}",
       "must be positive, it is 0", 0},
      {RODS, "'rods': {'r': @{'mass': 1}}", "rod 'r': `between` is missing", 0},
      {RODS, "'rods': {'r': @{'mass': 1, 'between': ['ground', 'bob']}}", "two places are needed", 0},
      {RODS, "'rods': {'r': {'mass': 1, 'between': ['ground', 'bob'], 'at': ['O', @'P']}}",
       "the particle 'bob' can be held", 0},
      {RODS, "'rods': {'r': {'mass': 1, @'inertia': 1, 'between': ['ground', 'bob']}}", "unknown key 'inertia'", 0},
      {RODS, "'rods': {'r': @3}", "rod 'r': an object is needed", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(joints) {
#define HIP "{'type': 'revolute', 'between': ['ground', 'arm'], 'at': 'O'}"
#define PIN "'type': 'revolute', 'between': ['ground', 'arm']"
#define KNEE "'at': 'P', 'axis': 'x'"
#define CORD "{'type': 'distance', 'between': ['leg', 'bob'], 'at': [[2, 1], 'bob']}"
#define ROD "'type': 'distance', 'between': ['leg', 'bob']"
  static const refusal cases[] = {
      {HIP, "@'revolute'", "joint 'hip': a joint must be an object", 0},
      {HIP, "@{}", "joint 'hip': `type` is missing", 0},
      {HIP, "{'type': @3}", "`type` must be a word", 0},
      {HIP, "{'type': @'revolut', 'between': ['ground', 'arm'], 'at': 'O'}", "did you mean 'revolute'?", 0},
      {HIP, "{'type': @'ball'}", "known: center-of-mass", 0},
      {HIP, "{'type': @'ball'}", " more", 0}, /* the list is cut, and says so */
      {HIP, "@{'type': 'revolute', 'at': 'O'}", "joint 'hip': `between` is missing", 0},
      {HIP, "{'type': 'revolute', 'between': @'arm', 'at': 'O'}", "`between` must name two bodies", 0},
      {HIP, "{'type': 'revolute', 'between': @['arm'], 'at': 'O'}", "`between` must name two bodies", 0},
      {HIP, "{'type': 'revolute', 'between': ['ground', @1], 'at': 'O'}", "`body` must be a word", 0},
      {HIP, "{'type': 'revolute', 'between': ['ground', @'amr'], 'at': 'O'}", "there is no body 'amr'", 0},
      {HIP, "{'type': 'revolute', 'between': ['ground', @'amr'], 'at': 'O'}", "did you mean 'arm'?", 0},
      {HIP, "{'type': 'revolute', 'between': @['arm', 'arm'], 'at': 'O'}", "the two bodies are the same, 'arm'", 0},
      {HIP, "{'type': 'revolute', 'between': @['ground', 'world'], 'at': 'O'}", "the two bodies are the same", 0},
      {HIP, "@{" PIN "}", "joint 'hip': `at` is missing", 0},
      {HIP, "{" PIN ", 'at': @'OO'}", "there is no point or body 'OO'", 0},
      {HIP, "{" PIN ", 'at': @7}", "a list of 2 numbers", 0},
      {HIP, "{" PIN ", 'at': 'O', 'on_bodies': @[[0, 0], [0, 0]]}", "not both", 0},
      {HIP, "{" PIN ", 'on_bodies': @[0, 0, 0]}", "`on_bodies` needs a place on each", 0},
      {HIP, "{" PIN ", 'on_bodies': [@'O', [0, 0]]}", "not the name 'O'", 0},
      {HIP, "{" PIN ", 'on_bodies': [@0, [0, 0]]}", "a list of 2 numbers", 0},
      {HIP, "{" PIN ", 'at': 'O', 'axis': @'z'}", "a revolute in the plane has no `axis`", 0},
      {HIP, "{" PIN ", @'betwen': 1, 'at': 'O'}", "did you mean 'between'?", 0},
      {HIP, "{'type': 'revolute', 'between': ['arm', 'bob'], 'at': @'O'}",
       "the particle 'bob' can be held at its own place", 0},
      {HIP, "{'type': 'weld', 'between': @['leg', 'bob'], 'at': 'Q'}",
       "a weld needs a body that can turn, 'bob' is a particle", 0},
      {HIP, "{'type': 'prismatic', 'between': @['ground', 'bob'], 'at': 'Q', 'axis': 'x'}", "'bob' is a particle", 0},
      {HIP, "{'type': 'point-on-line', 'between': @['bob', 'leg'], 'at': 'Q', 'axis': 'x'}", "'bob' is a particle", 0},
      {"'type': 'prismatic', 'between': ['arm', 'leg'], " KNEE,
       "'type': 'prismatic', 'between': ['arm', 'leg'], 'at': 'P'", "joint 'knee': `axis` is missing", 0},
      {KNEE, "'at': 'P', 'axis': @[0, 0]", "joint 'knee': axis has zero length (m.json:16:81)", 0},
      {KNEE, "'at': 'P', 'axis': @'z'", "'z' is not a direction", 0},
      {KNEE, "'at': 'P', 'axis': @1", "a list of 2 numbers", 0},
      {KNEE, "'at': 'P', 'axis': @[1, 0, 0]", "a list of 2 numbers", 0},
      {CORD, "@{" ROD "}", "two places are needed", 0},
      {CORD, "{" ROD ", 'at': @'bob'}", "two places are needed", 0},
      {CORD, "{" ROD ", 'at': [[2, 1], 'bob'], 'axis': @'x'}", "has no `axis`", 0},
      {CORD, "@{" ROD ", 'at': ['Q', 'bob']}", "joint 'cord': the distance is zero", 0},
      {CORD, "{" ROD ", 'at': ['Q', 'bob'], 'length': @0}", "the distance is zero", 0},
      {CORD, "{" ROD ", 'at': ['Q', 'bob'], 'length': @-1}", "must be at least 0, not -1", 0},
      {CORD, "{" ROD ", 'at': [[2, 1], 'bob'], 'form': @'square'}", "one of: length squared", 0},
      {CORD, "{" ROD ", 'at': [[2, 1], @'P']}", "the particle 'bob'", 0},
      {HIP, "@{'type': 'driver', 'value': 0}", "joint 'hip': `on` is missing", 0},
      {HIP, "@{'type': 'driver', 'on': 'arm.angle'}", "joint 'hip': `value` is missing", 0},
      {HIP, "{'type': 'driver', 'on': @'arm', 'value': 0}", "'arm' is a body: a channel", 0},
      {HIP, "{'type': 'driver', 'on': @3, 'value': 0}", "`on` must be a word", 0},
      {HIP, "{'type': 'driver', 'on': @'arm.rate', 'value': 0}", "'arm.rate' is a rate: a coordinate is needed", 0},
      {HIP, "{'type': 'driver', 'on': @'arm.fx', 'value': 0}", "body 'arm' has no channel 'fx'", 0},
      {HIP, "{'type': 'driver', 'on': @'arm.angel', 'value': 0}", "did you mean 'arm.angle'?", 0},
      {HIP, "{'type': 'driver', 'on': @'amr.angle', 'value': 0}", "did you mean 'arm.angle'?", 0},
      {HIP, "{'type': 'driver', 'on': @'bob.angle', 'value': 0}", "particle 'bob' has no channel 'angle'", 0},
      {HIP, "{'type': 'driver', 'on': @'knee.fx', 'value': 0}", "'knee.fx' is not a coordinate", 0},
      {HIP, "{'type': 'driver', 'on': 'arm.angle', 'value': '2*@leg.x'}", "'leg.x' depends on the motion", 0},
      {HIP, "{'type': 'driver', 'on': 'arm.angle', 'value': @'O'}", "a number is needed here, not a vector", 0},
      {HIP, "{'type': 'driver', 'on': 'arm.angle', 'value': 0, @'at': 'O'}", "unknown key 'at'", 0},
      {HIP, "{'type': 'coordinate', 'terms': @['arm.angle'], 'value': 0}", "`terms` must be an object", 0},
      {HIP, "{'type': 'coordinate', 'terms': @{}, 'value': 0}", "`terms` must be an object", 0},
      {HIP, "{'type': 'coordinate', 'terms': {'arm.angle': @'x'}, 'value': 0}", "unknown name 'x'", 0},
      {HIP, "{'type': 'coordinate', 'terms': {@'arm.agle': 1}, 'value': 0}", "did you mean 'arm.angle'?", 0},
      {HIP, "@{'type': 'center-of-mass', 'axis': 'x', 'value': 0}", "`bodies` is missing", 0},
      {HIP, "{'type': 'center-of-mass', 'bodies': @'arm', 'axis': 'x', 'value': 0}", "`bodies` must be a list", 0},
      {HIP, "{'type': 'center-of-mass', 'bodies': @[], 'axis': 'x', 'value': 0}", "`bodies` must be a list", 0},
      {HIP, "{'type': 'center-of-mass', 'bodies': [@'ground'], 'axis': 'x', 'value': 0}",
       "the ground has no mass centre", 0},
      {HIP, "{'type': 'center-of-mass', 'bodies': ['arm'], 'axis': @[0, 0], 'value': 0}", "axis has zero length", 0},
      {"'hip': " HIP, "@'arm': " HIP, "'arm' is the name of a body and of a joint", 0},
      {"'hip': " HIP, "@'world': " HIP, "the name 'world' is reserved", 0},
      {"'hip': " HIP, "'knee': " HIP, "duplicate key \"knee\", first on line 15 (m.json:16:5)", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(forces) {
#define MOTOR "{'type': 'torque', 'on': 'arm.angle', 'value': '1 - rate'}"
#define TURN "'type': 'torque', 'on': 'arm.angle', 'value': "
#define COIL "{'type': 'spring', 'between': ['ground', 'leg'], 'at': ['O', 'Q'], 'stiffness': 5}"
#define SPRING "'type': 'spring', 'between': ['ground', 'leg'], 'at': ['O', 'Q']"
#define DC "'type': 'dc-motor', 'on': 'arm.angle', 'k_torque': 1, 'resistance': 1"
#define PUSH "{'type': 'force', 'on': 'leg', 'at': 'Q', 'value': [1, 't']}"
  static const refusal cases[] = {
      {MOTOR, "@5", "force 'motor': a force must be an object", 0},
      {MOTOR, "{'type': @'torq'}", "unknown force type 'torq'", 0},
      {MOTOR, "@{'type': 'torque', 'value': 1}", "force 'motor': `on` is missing", 0},
      {MOTOR, "@{'type': 'torque', 'on': 'arm.angle'}", "force 'motor': `value` is missing", 0},
      {MOTOR, "{" TURN "'1 - @raet'}", "did you mean 'arm.rate'?", 0},
      {MOTOR, "{'type': 'torque', 'on': @'arn', 'value': 1}", "did you mean 'arm'?", 0},
      {MOTOR, "{'type': 'torque', 'on': @'ground', 'value': 1}", "moves nothing", 0},
      {MOTOR, "{'type': 'torque', 'on': @'bob', 'value': 1}", "a torque cannot turn the particle 'bob'", 0},
      {MOTOR, "{'type': 'torque', 'on': @'arm.rate', 'value': 1}", "is a rate", 0},
      {MOTOR, "{'type': 'torque', 'on': @'cord.violation', 'value': 1}", "is not a coordinate", 0},
      {MOTOR, "{'type': 'torque', 'on': 'arm', 'at': @'O', 'value': 1}", "a torque has no place", 0},
      {MOTOR, "{" TURN "'1 - @rat'}", "unknown name 'rat'", 0},
      {MOTOR, "{" TURN "'1 - @hip.fx'}", "known only after the accelerations", 0},
      {MOTOR, "@{" TURN "'1 - motor.power'}", "force 'motor': it depends on itself at the same moment", 0},
      {MOTOR, "{" TURN "'1 - @push.powr'}", "did you mean 'push.power'?", 0},
      {MOTOR, "{" DC ", 'voltage': @'motor.curent'}", "did you mean 'motor.current'?", 0},
      {MOTOR, "@{" DC ", 'voltage': '10 - motor.current'}", "it depends on itself at the same moment", 0},
      {MOTOR, "{" DC ", 'voltage': @'moter.current'}", "did you mean 'motor.current'?", 0},
      {MOTOR, "{" DC ", 'voltage': 1, 'ratio': @0}", "a ratio of 0 moves nothing", 0},
      {MOTOR, "{'type': 'dc-motor', 'on': 'arm.angle', 'k_torque': 1, 'resistance': @0, 'voltage': 1}",
       "must be positive", 0},
      {MOTOR, "@{'type': 'pid', 'on': 'arm.angle', 'target': 1}", "without gains does nothing", 0},
      {MOTOR, "@{'type': 'pid', 'target': 1, 'kp': 1}", "`of` is missing", 0},
      {MOTOR, "{'type': 'pid', 'of': 'arm.x', 'target': 1, 'kd': @1}", "give `rate_of`, or `filter`", 0},
      {MOTOR, "{'type': 'pid', 'of': 'arm.x', 'target': 1, 'kd': 1, 'rate_of': 'arm.vx', 'filter': @1}", "no `filter`",
       0},
      {MOTOR, "{'type': 'pid', @'onn': 'arm.angle', 'of': 'arm.x', 'target': 1, 'kp': 1}", "unknown key 'onn'", 0},
      {MOTOR, "@{'type': 'lag', 'value': 1}", "`time_constant` is missing", 0},
      {MOTOR, "{'type': 'lag', 'on': @'arm', 'value': 1, 'time_constant': 1}", "not on a body", 0},
      {MOTOR, "{" TURN "'1 - @energy.kinetic'}", "known only after", 0},
      {MOTOR, "{" TURN "@'velocity(arm)'}", "not a vector", 0},
      {MOTOR, "{" TURN "@[1]}", "a number or an expression", 0},
      {MOTOR, "{" TURN "@true}", "a number or an expression", 0},
      {MOTOR, "{'type': 'torque', 'on': 'arm.angle', @'vlaue': 1}", "did you mean 'value'?", 0},
      {MOTOR, "{'type': 'force', 'on': @'arm.angle', 'value': [1, 0]}", "a force acts on a body, not on a channel", 0},
      {COIL, "{'type': 'spring', 'on': @'leg', 'stiffness': 5}", "acts on a coordinate channel, not on a body", 0},
      {COIL, "{'type': 'spring', 'on': 'arm.angle', 'between': @['ground', 'leg'], 'stiffness': 5}", "not both", 0},
      {COIL, "@{'type': 'spring', 'stiffness': 5}", "force 'coil': `between` is missing", 0},
      {COIL, "@{'type': 'spring', 'between': ['ground', 'leg'], 'stiffness': 5}", "two places are needed", 0},
      {COIL, "@{" SPRING "}", "`stiffness` is missing", 0},
      {COIL, "{" SPRING ", 'stiffness': @-5}", "at least 0, not -5", 0},
      {COIL, "{" SPRING ", 'stiffness': @'t'}", "must be a constant", 0},
      {COIL, "{" SPRING ", 'stiffness': 5, 'rest': @1}", "takes `length`", 0},
      {COIL, "{'type': 'spring', 'on': 'arm.angle', 'stiffness': 5, 'length': @1}", "takes `rest`", 0},
      {COIL, "{'type': 'spring', 'between': @['leg', 'leg'], 'at': ['O', 'Q'], 'stiffness': 5}",
       "the two bodies are the same", 0},
      {PUSH, "@{'type': 'force', 'on': 'leg', 'value': [1, 't']}", "where does it act?", 0},
      {PUSH, "{'type': 'force', 'on': 'leg', 'at': 'Q', 'on_body': @[0, 0], 'value': [1, 't']}", "not both", 0},
      {PUSH, "{'type': 'force', 'on': 'leg', 'at': 'Q', 'value': @1}", "a list of 2 numbers or expressions", 0},
      {PUSH, "{'type': 'force', 'on': 'leg', 'at': 'Q', 'value': @[1, 2, 3]}", "a list of 2 numbers or expressions", 0},
      {PUSH, "{'type': 'force', 'on': 'leg', 'at': 'Q', 'value': [1, 'sin(@']}", "a value", 0},
      {PUSH, "{'type': 'force', 'on': 'leg', 'at': 'Q', 'value': [1, 2], 'axes': @'leg'}", "one of: world body", 0},
      {"'push': " PUSH, "@'leg': " PUSH, "'leg' is the name of a force and of a body or joint", 0},
      {"'push': " PUSH, "@'knee': " PUSH, "'knee' is the name of a force and of a body or joint", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(starts_and_outputs) {
#define START "{'hip.rate': 0}"
#define TIP "'position(arm, P)'"
  static const refusal cases[] = {
      {START, "@[]", "`start` must be an object", 0},
      {START, "{@'hip.rat': 0}", "did you mean 'hip.rate'?", 0},
      {START, "{@'hpi.rate': 0}", "did you mean 'hip.rate'?", 0},
      {START, "{@'hip': 0}", "'hip' is a joint: a channel", 0},
      {START, "{@'hip.fx': 0}", "'hip.fx' is not a coordinate", 0},
      {START, "{'hip.rate': @true}", "a number or an expression", 0},
      {START, "{'hip.rate': @'arm.x'}", "a constant cannot use the channel 'arm.x'", 0},
      {START, "{'hip.rate': '1*@t'}", "must be a constant", 0},
      {START, "{'hip.rate': {'repeat': 'i=1..1', @'valu': 0}}", "did you mean 'value'?", 0},
      {START, "{'hip.rate': @{}}", "`value` is missing", 0},
      {START, "{'keep': @'hip.angle'}", "`keep` must be a list", 0},
      {START, "{'keep': [@3]}", "`keep` must be a word", 0},
      {START, "{'keep': [@'hip.angel']}", "did you mean 'hip.angle'?", 0},
      {START, "{'guess': @[]}", "`guess` must be an object", 0},
      {START, "{'guess': {@'hip.angel': 1}}", "did you mean 'hip.angle'?", 0},
      {START, "{'mode': @'asgiven'}", "did you mean 'as-given'?", 0},
      {START, "{'mode': @1}", "`mode` must be a word", 0},
      {"{'tip': " TIP "}", "@[]", "`outputs` must be an object", 0},
      {"'tip': " TIP, "'tip': @[" TIP "]", "output 'tip': a number or an expression", 0},
      {"'tip': " TIP, "'tip': @{}", "`value` is missing", 0},
      {"'tip': " TIP, "'tip': {@'valu': 1}", "did you mean 'value'?", 0},
      {"'tip': " TIP, "@'a b': 1", "'a b' is not a name", 0},
      {TIP, "'1 + @position(amr)'", "there is none named 'amr'", 0},
      {TIP, "'1 + @position()'", "takes 1 or 2 arguments, 0 given", 0},
      {TIP, "'position(arm, PP)'", "there is no point or body 'PP'", 0},
      {TIP, "'position(arm, O, P)'", "takes 1 or 2 arguments, 3 given", 0},
      {TIP, "'force(arm)'", "needs a joint, there is none named 'arm'", 0},
      {TIP, "'axis(arm, z)'", "the axes of a body are x and y", 0},
      {TIP, "'omega(bob)'", "'bob' is a particle", 0},
      {TIP, "'acceleration(arm, P) + 1'", "vector", 0},
      {TIP, "'posn(arm)'", "posn", 0},
      {TIP, "'1 + @arm.q'", "body 'arm' has no channel 'q'", 0},
      {TIP, "'1 + @energy.knetic'", "did you mean 'energy.kinetic'?", 0},
      {TIP, "'1 + @knee.angle'", "joint 'knee' has no channel 'angle'", 0},
      {TIP, "'1 + @motor.torque'", "force 'motor' has no channel 'torque'", 0},
      {TIP, "'1 + @mottor.power'", "did you mean 'motor.power'?", 0},
      {TIP, "'position(amr)'", "did you mean 'arm'?", 0},
      {TIP, "'force(hpi)'", "did you mean 'hip'?", 0},
      {TIP, "'1 + @motor'", "a channel is needed: motor.NAME", 0},
      {TIP, "'splne(a, b, t)'", "did you mean 'spline'?", 0},
      {TIP, "'(1 + 2'", "')'", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(repeats) {
#define LEG "'leg': {'mass'"
  static const refusal cases[] = {
      {LEG, "'leg': {'repeat': @3, 'mass'", "repeat is a text such as", 0},
      {LEG, "'leg': {'repeat': @'i=1', 'mass'", "expected counter=first..last", 0},
      {LEG, "@'leg': {'repeat': 'i=1..2', 'mass'", "write the counter in the key: \"leg{i}\"", 0},
      {LEG, "'leg{i}': {'repeat': @'i=1..x', 'mass'", "unknown name 'x'", 0},
      {LEG, "'leg{i}': {'repeat': @'i=1..2.5', 'mass'", "not an integer", 0},
      {LEG, "'leg{i}': {'repeat': @'pi=1..2', 'mass'", "reserved name", 0},
      {LEG, "'leg{i}': {'repeat': @'i=1..1e9', 'mass'", "at most", 0},
      {LEG, "@'leg{j}': {'repeat': 'i=1..2', 'mass'", "unknown name 'j'", 0},
      {LEG, "@'leg{i/2}': {'repeat': 'i=1..2', 'mass'", "not an integer", 0},
      {LEG, "@'leg{i': {'repeat': 'i=1..2', 'mass'", "'{' without '}'", 0},
      {LEG, "'leg{i}': {'repeat': 'i=0..-1', 'mass'", "there is no body 'leg'", 0},
      {"'arm': {'rod'", "'a{i}m': {'repeat': 'i=1..2', 'center': @'{i-', 'rod'", "'{' without '}'", 0},
  };
  CHECK_REFUSALS(cases);
}

TEST(run_settings) {
#define RUN "{'until': 0.1, 'every': 0.05}"
  static const refusal cases[] = {
      {RUN, "@1", "an object is needed here", 0},
      {RUN, "{@'til': 0.1}", "unknown key 'til'", 0},
      {RUN, "{'until': @-1}", "`until` must not be negative, it is -1", 0},
      {RUN, "{'until': @'1/0'}", "infinite", 0},
      {RUN, "{'until': @'ten'}", "unknown name 'ten'", 0},
      {RUN, "{'until': @[1]}", "a number or an expression", 0},
      {RUN, "{'until': 1, 'every': @0}", "`every` must be positive, it is 0", 0},
      {RUN, "{'until': 1, 'every': @-0.1}", "`every` must be positive", 0},
      {RUN, "{'until': 1, 'every': @1e-10}", "more than 1e9 rows of output", 0},
      {RUN, "{'method': @'projekt'}", "did you mean 'project'?", 0},
      {RUN, "{'method': @'magic'}", "known: project direct", 0},
      {RUN, "{'method': @['project']}", "`method` must be a word", 0},
      {RUN, "{'formulation': @'augmentd'}", "did you mean 'augmented'?", 0},
      {RUN, "{'formulation': {'type': 'augmented', @'eps': 1}}", "unknown key 'eps'", 0},
      {RUN, "{'stabilize': @'projct'}", "did you mean 'project'?", 0},
      {RUN, "{'stabilize': ['project', @5]}", "`type` must be a word", 0},
      {RUN, "{'stabilize': @{'alpha': 5}}", "`type` is missing", 0},
      {RUN, "{'stabilize': {'type': 'project', @'metrik': 'mass'}}", "did you mean 'metric'?", 0},
      {RUN, "{'stabilize': {'type': 'project', 'metric': @'euclid'}}", "one of: mass identity", 0},
      {RUN, "{'stabilize': {'type': 'project', 'passes': @1}}", "`passes` must be a word", 0},
      {RUN, "{'stabilize': @'baumgarte'}", "stabilizer 'baumgarte': gains are missing", 0},
      {RUN, "{'stabilize': @{'type': 'baumgarte', 'alpha': 5, 'a': 1, 'b': 1}}", "not both", 0},
      {RUN, "{'stabilize': @{'type': 'baumgarte', 'a': 1}}", "a and b are needed both", 0},
      {RUN, "{'stabilize': {'type': 'baumgarte', 'alpha': @-5}}", "at least 0, not -5", 0},
      {RUN, "{'stabilize': {'type': 'baumgarte', 'alpha': 5, 'feedback': @'hold'}}", "one of: default held staged", 0},
      {RUN, "{'method': 'baumgarte-b3'}", "need a fixed step", 0},
      {RUN, "{'stabilize': {'type': 'baumgarte', 'a': 2, 'b': 2, 'feedback': @'staged'}}", "need a fixed step", 0},
      {RUN, "{'integrator': @'dopri'}", "did you mean 'dopri5'?", 0},
      {RUN, "{'integrator': @'magic'}", "known: ab1 ab2 ab3", 0},
      {RUN, "{'integrator': @3}", "`type` must be a word", 0},
      {RUN, "{'integrator': @'rk4'}", "rk4 needs a step", 0},
      {RUN, "{'integrator': @{'type': 'euler'}}", "euler needs a step", 0},
      {RUN, "{'integrator': @{'type': 'rk4', 'rtol': 1e-6}}", "it takes `step`, not tolerances", 0},
      {RUN, "{'integrator': @{'step': 0.1, 'rtol': 1e-6}}", "not both", 0},
      {RUN, "{'integrator': {'step': @0}}", "`step` must be positive", 0},
      {RUN, "{'integrator': {'step': @-1}}", "`step` must be positive", 0},
      {RUN, "{'integrator': {'rtol': @0}}", "`rtol` must be positive", 0},
      {RUN, "{'integrator': {'atol': @'-1e-3'}}", "`atol` must be positive", 0},
      {RUN, "{'integrator': {@'tol': 1}}", "unknown key 'tol'", 0},
      {RUN, "{'contract': @1e-8}", "an object is needed here", 0},
      {RUN, "{'contract': {'position': @0}}", "`position` must be positive", 0},
      {RUN, "{'contract': {'breach': @'stopp'}}", "did you mean 'stop'?", 0},
      {RUN, "{'contract': {'breach': @false}}", "`breach` must be a word", 0},
      {RUN, "{'contract': {@'positon': 1}}", "did you mean 'position'?", 0},
  };
  CHECK_REFUSALS(cases);
}

/* refused when the start is assembled */
TEST(starts_that_cannot_be) {
#define DRIVER(value) "{'type': 'driver', 'on': 'arm.angle', 'value': " value "}"
  static const refusal cases[] = {
      /* contradiction between exact values */
      {START, "{'hip.angle': 0.1, 'arm.angle': @0.2}", "start value", 0},
      {START, "{'hip.rate': 1, 'arm.rate': 2}", "start value", 0},
      {START, "{'keep': ['arm.angle'], 'hip.angle': @0.5}", "the start cannot be assembled: start value", 0},
      /* a joint against a value: the arm turns about O */
      {START, "{'arm.x': @0.5}", "the start cannot be assembled: start value 'arm.x' contradicts joint 'hip', off", 0},
      {START, "{'arm.vx': @0.5}", "off by 0.25 m/s", 0},
      /* a joint that cannot be closed */
      {CORD, "@{'type': 'revolute', 'between': ['ground', 'arm'], 'on_bodies': [[5, 5], [1, 0]]}",
       "the start cannot be assembled: joint 'cord'", 0},
      {"'cord': " CORD,
       "'cord': " CORD ", 'far': {'type': 'distance', 'between': ['ground', 'arm'], 'at': [[3, 0], 'P'], 'length': 9}",
       "the start cannot be assembled: joint", 0},
      {"'cord': " CORD, "'cord': " CORD ", 'a': " DRIVER("0.1") ", 'b': " DRIVER("'0.2 + t'"),
       "drivers 'a', 'b' are over-determined: they prescribe the same freedom and disagree by 0.1 rad", 0},
      /* nothing gives it inertia */
      {"{'mass': 1, 'position': 'Q', 'c", "{'position': 'Q', 'c", "body 'bob': the mass matrix is singular", 0},
      {"{'mass': 1, 'position': 'Q', 'c", "{'mass': 0, 'position': 'Q', 'c", "body 'bob': the mass matrix is singular",
       0},
      {NULL, "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': 1, 'inertia': 0}}}",
       "body 'k': the mass matrix is singular, nothing gives k.rate inertia", 0},
      /* not a number at t = 0 */
      {MOTOR, "{" TURN "'1/t'}", "force 'motor' is not a finite number", TN_E_RUN},
      {MOTOR, "{" TURN "'log(rate - 1)'}", "force 'motor' is not a finite number", TN_E_RUN},
      {PUSH, "{'type': 'force', 'on': 'leg', 'at': 'Q', 'value': [0, 'sqrt(-1 - leg.x)']}", "force 'push' is not",
       TN_E_RUN},
      {"'cord': " CORD, "'cord': " CORD ", 'a': " DRIVER("'sqrt(t)'"), "joint 'a' is not a finite number", TN_E_RUN},
      /* overflow */
      {"'inertia': 0.1, 'position': [2, 0]", "'inertia': 0.1, 'position': [1e200, 1e200]", "zero beside its bodies", 0},
      {"'rod': ['O', 'P']", "'inertia': 0.1, 'position': [1e200, 1e200]", "finite", TN_E_RUN},
      {"'stiffness': 5", "'stiffness': 1e308, 'length': 1e10", "force 'coil' is not a finite number", TN_E_RUN},
  };
  CHECK_REFUSALS(cases);
}

/* a chain of definitions, each needing the next: refused or done, whatever its length */
static tn_status try_chain(int n, bool bodies, tn_error *e) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_status status = tn_desc_new(NULL, &desc, e);
  static char text[3000000];
  size_t used = (size_t)sprintf(text, "{\"tenon\": 1, \"dimension\": 2, \"%s\": {\n", bodies ? "bodies" : "constants");
  for (int i = 0; i < n; i++)
    used += (size_t)sprintf(text + used,
                            bodies ? "\"c%d\": {\"mass\": 1, \"inertia\": 1, \"position\": \"c%d\"},\n"
                                   : "\"c%d\": \"c%d + 1\",\n",
                            i, i + 1);
  sprintf(text + used,
          bodies ? "\"c%d\": {\"mass\": 1, \"inertia\": 1}}}"
                 : "\"c%d\": 1}, \"bodies\": {\"b\": {\"mass\": \"c0\", \"inertia\": 1}}}",
          n);
  if (!status) status = tn_desc_parse(desc, "m.json", text, strlen(text), e);
  if (!status) status = tn_compile(desc, &model, e);
  tn_model_free(model);
  tn_desc_free(desc);
  return status;
}

TEST(long_chains_of_definitions_are_no_crash) {
  tn_error e;
  for (int bodies = 0; bodies < 2; bodies++) {
    CHECK(try_chain(100, bodies, &e) == TN_OK);
    const tn_status status = try_chain(20000, bodies, &e);
    CHECK(status == TN_OK || (status == TN_E_MODEL && e.line > 1));
  }
}

TEST(a_description_built_by_calls_is_refused_with_a_pointer) {
  tn_desc *d = NULL;
  tn_model *model = NULL;
  tn_error e;
  char text[1000];
  if (tn_desc_new(NULL, &d, &e)) abort();
  CHECK(tn_compile(d, &model, &e) == TN_E_MODEL && !model);
  CHECK_HAS(e.message, "the model has no `tenon` key");
  tn_desc_number(d, "/tenon", 1, &e);
  tn_desc_number(d, "/dimension", 2, &e);
  tn_desc_text(d, "/bodies/arm/mass", "2*x", &e);
  CHECK(tn_compile(d, &model, &e) == TN_E_MODEL && !model);
  tn_error_text(&e, text, sizeof text);
  CHECK_TEXT(text, "body 'arm': unknown name 'x' (at /bodies/arm/mass)");
  CHECK(e.line == 0 && e.byte == -1 && isnan(e.time));
  tn_desc_number(d, "/bodies/arm/mass", 2, &e);
  tn_desc_number(d, "/bodies/arm/inertia", 2, &e);
  tn_desc_json(d, "/joints/hip", "{\"type\": \"revolute\", \"between\": [\"ground\", \"leg\"], \"at\": [0, 0]}", &e);
  CHECK(tn_compile(d, &model, &e) == TN_E_MODEL && !model);
  tn_error_text(&e, text, sizeof text);
  CHECK_TEXT(text, "joint 'hip': there is no body 'leg' (at /joints/hip/between/1)");
  CHECK(tn_compile(d, &model, NULL) == TN_E_MODEL); /* nobody listens */
  tn_desc_remove(d, "/joints");
  CHECK(tn_compile(d, &model, &e) == TN_OK);
  tn_model_free(model);
  tn_desc_free(d);
}
