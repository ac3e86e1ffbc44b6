/* the JSON schema against an independent validator, jsonschema of Python: what Tenon takes it takes, and what is wrong in key,
 * type, range or for lack of a member it refuses as Tenon does. examples of the types are models, too. */
#include "support/build.h"
#include "test.h"

#include "cli_support.h"

/* one line a file: what the validator thinks of it. comments are taken out, texts left alone */
static const char validator[] =
    "import json, re, sys\n"
    "import jsonschema\n"
    "schema = json.load(open(sys.argv[1]))\n"
    "jsonschema.Draft7Validator.check_schema(schema)\n"
    "judge = jsonschema.Draft7Validator(schema)\n"
    "for name in sys.argv[2:]:\n"
    "    text = open(name, encoding='utf-8').read()\n"
    "    text = re.sub(r'(\"(?:[^\"\\\\]|\\\\.)*\")|//[^\\n]*', lambda m: m.group(1) or '', text)\n"
    "    wrong = jsonschema.exceptions.best_match(judge.iter_errors(json.loads(text)))\n"
    "    print(name, 'good' if wrong is None else 'bad ' + ' '.join(wrong.message.split())[:120])\n";

/* false, in words, where there is no validator; else schema.json and judge.py are there */
static bool have_validator(void) {
  fresh();
  CHECK(tenon("schema >schema.json") == 0 && !*err);
  if (system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0) {
    printf("no python3-jsonschema: nothing is checked\n");
    return false;
  }
  FILE *f = fopen("judge.py", "wb");
  if (!f || fputs(validator, f) < 0 || fclose(f)) abort();
  return true;
}

static char verdicts[1 << 17];

static void judge(const char *files) {
  char command[600];
  snprintf(command, sizeof command, "/usr/bin/python3 judge.py schema.json %s >verdicts 2>trouble", files);
  CHECK(system(command) == 0);
  slurp("verdicts", verdicts, sizeof verdicts);
  char trouble[2000];
  CHECK_TEXT(slurp("trouble", trouble, sizeof trouble), "");
}

/* what it thinks of a file: `good`, `bad ..`, or nothing at all */
static const char *verdict(const char *file) {
  static char text[200];
  char line[400];
  snprintf(line, sizeof line, "%s ", file);
  text[0] = 0;
  for (const char *at = verdicts; *at; at += strcspn(at, "\n") + 1)
    if (strncmp(at, line, strlen(line)) == 0)
      snprintf(text, sizeof text, "%.*s", (int)strcspn(at + strlen(line), "\n"), at + strlen(line));
  return text;
}

TEST(schema_is_json) {
  CHECK(tenon("schema") == 0 && !*err);
  tn_desc *d = summary();
  const tn_node *draft = tn_node_get(d->root, "$schema");
  CHECK(draft && draft->kind == TN_NODE_TEXT);
  CHECK_TEXT(draft ? draft->text : "", "http://json-schema.org/draft-07/schema#");
  for (int k = 0; tn_list_kind(k); k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++) {
      char name[80];
      snprintf(name, sizeof name, "\"%s\"", tn_list_name(tn_list_kind(k), i));
      CHECK_HAS(out, name);
    }
  tn_desc_free(d);
}

TEST(every_model_is_good_to_the_schema) {
  char name[100][64], path[400];
  const int n = build_models(name, 100);
  if (!have_validator()) return;
  CHECK(n >= 9);
  judge("'" MODELS "'*.json");
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, MODELS "%.60s.json", name[i]);
    if (strcmp(verdict(path), "good") != 0) FAIL("%s: %s", name[i], verdict(path));
  }
  /* and as they are shown */
  for (int i = 0; i < n; i++) CHECK(tenon("show '" MODELS "%s.json' >shown_%s.json", name[i], name[i]) == 0);
  judge("shown_*.json");
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, "shown_%.60s.json", name[i]);
    if (strcmp(verdict(path), "good") != 0) FAIL("%s shown: %s", name[i], verdict(path));
  }
}

/* something of everything, as numbers, expressions, words and objects; a key of one's own at every level */
static const char everything[] =
    "{'tenon': 1, 'dimension': 2, 'title': 'all', 'x-mine': [1, null, {'a': true}],"
    "'constants': {'k': 3, 'm': '2*k'}, 'tables': {'w': [1, '2', 3]}, 'gravity': [0, '-g0'],"
    "'points': {'A': [0, 0], 'B': ['m/6', 0], 'P{i}': {'repeat': 'i=1..2', 'at': ['i', 1], 'x-mine': 1}},"
    "'body_coordinates': 'plane', 'bodies': {"
    "  'arm': {'rod': ['A', 'B'], 'mass': 'm', 'lumps': [{'mass': 1, 'at': [0.5, 0], 'x-mine': 1}], 'x-mine': 1},"
    "  'box': {'mass': 1, 'inertia': 0.1, 'center': [0, 0], 'position': 'P1', 'angle': 0.1},"
    "  'dot{i}': {'repeat': 'i=1..2', 'mass': 1, 'position': 'P{i}', 'coordinates': 'point'},"
    "  'bob': {'mass': 1, 'inertia': 0.1, 'coordinates': {'type': 'swing', 'parent': 'arm', 'at': 'B', 'x-mine': 1}}},"
    "'joints': {"
    "  'pin': {'type': 'revolute', 'between': ['ground', 'arm'], 'at': 'A', 'x-mine': 1},"
    "  'slide': {'type': 'prismatic', 'between': ['ground', 'box'], 'at': 'P1', 'axis': [1, 'k']},"
    "  'string': {'type': 'distance', 'between': ['ground', 'dot1'], 'at': [[0, 0], 'P1'], 'form': 'squared'},"
    "  'turn': {'type': 'driver', 'on': 'pin.angle', 'value': '0.1*t'},"
    "  'sum': {'type': 'coordinate', 'terms': {'dot2.x': 1, 'dot1.x': -1}, 'value': 1}},"
    "'forces': {"
    "  'push': {'type': 'force', 'on': 'box', 'at': 'P1', 'value': [1, 'sin(t)'], 'axes': 'world', 'x-mine': 1},"
    "  'coil': {'type': 'spring', 'on': 'pin.angle', 'stiffness': 2, 'rest': 0, 'damping': 0.1}},"
    "'rods': {'bar': {'between': ['dot1', 'dot2'], 'mass': 1, 'x-mine': 1}},"
    "'start': {'bob.rate': 1, 'guess': {'box.x': 1.1}, 'keep': []},"
    "'outputs': {'angle': 'bob.angle', 'both{i}': {'repeat': 'i=1..2', 'value': 'dot{i}.x'}, 'one': 1},"
    "'run': {'until': '1/4', 'every': 0.05, 'formulation': 'augmented', 'stabilize': ['project', {'type': 'baumgarte',"
    "  'alpha': 5, 'x-mine': 1}], 'integrator': {'type': 'dopri5', 'rtol': 1e-6, 'x-mine': 1},"
    "  'contract': {'position': 1e-6, 'velocity': '1e-4', 'breach': 'record', 'x-mine': 1}, 'x-mine': 1}}";

/* the value at a pointer becomes another, or goes; ' stands for " */
typedef struct change {
  const char *pointer, *json;
} change;

static const change broken[] = {
    /* keys */
    {"/gravitation", "[0, -9.81]"},
    {"/bodies/arm/mas", "1"},
    {"/bodies/arm/lumps", "[{'mass': 1, 'at': [0, 0], 'colour': 3}]"},
    {"/bodies/bob/coordinates/pivot", "[0, 0]"},
    {"/joints/string/stiffness", "1"},
    {"/joints/turn/at", "'A'"},
    {"/forces/push/stiffness", "1"},
    {"/forces/coil/strength", "1"},
    {"/rods/bar/inertia", "1"},
    {"/points/P{i}/y", "1"},
    {"/outputs/both{i}/unit", "'m'"},
    {"/run/untill", "1"},
    {"/run/integrator/tol", "1e-6"},
    {"/run/stabilize", "[{'type': 'baumgarte', 'gamma': 5}]"},
    {"/run/stabilize", "{'type': 'project', 'alpha': 5}"},
    {"/run/contract/acceleration", "1"},
    /* types */
    {"/tenon", "true"},
    {"/title", "3"},
    {"/gravity", "-9.81"},
    {"/gravity", "[0, -9.81, 0, 0]"},
    {"/gravity", "[0]"},
    {"/gravity", "[0, true]"},
    {"/gravity", "null"},
    {"/constants", "[1]"},
    {"/constants/k", "true"},
    {"/constants/k", "[1]"},
    {"/constants/k", "''"},
    {"/tables/w", "3"},
    {"/points/A", "3"},
    {"/points/A", "true"},
    {"/bodies", "[]"},
    {"/bodies/arm", "3"},
    {"/bodies/arm/mass", "true"},
    {"/bodies/arm/mass", "[1]"},
    {"/bodies/arm/mass", "null"},
    {"/bodies/arm/rod", "'A'"},
    {"/bodies/arm/rod", "['A']"},
    {"/bodies/arm/lumps", "{'mass': 1}"},
    {"/bodies/box/center", "1"},
    {"/bodies/bob/coordinates", "3"},
    {"/joints/pin", "'revolute'"},
    {"/joints/pin/between", "'arm'"},
    {"/joints/pin/between", "['arm']"},
    {"/joints/pin/between", "['ground', 'arm', 'box']"},
    {"/joints/pin/between", "['ground', 3]"},
    {"/joints/pin/at", "true"},
    {"/joints/slide/axis", "3"},
    {"/joints/turn/on", "3"},
    {"/joints/turn/value", "true"},
    {"/joints/sum/terms", "['dot1.x']"},
    {"/joints/sum/terms", "{'dot1.x': true}"},
    {"/forces/push/value", "3"},
    {"/forces/push/value", "[1, 2, 3, 4]"},
    {"/start", "[]"},
    {"/start/guess", "3"},
    {"/start/keep", "3"},
    {"/start/bob.rate", "[1]"},
    {"/outputs", "['bob.angle']"},
    {"/outputs/angle", "true"},
    {"/run", "[]"},
    {"/run/until", "true"},
    {"/run/integrator", "3"},
    {"/run/stabilize", "3"},
    {"/run/stabilize", "[3]"},
    {"/run/contract", "'stop'"},
    /* ranges and words */
    {"/tenon", "2"},
    {"/dimension", "4"},
    {"/bodies/arm/mass", "-1"},
    {"/bodies/box/inertia", "-0.1"},
    {"/run/until", "-1"},
    {"/run/every", "0"},
    {"/run/integrator/rtol", "0"},
    {"/run/integrator/step", "-1e-3"},
    {"/run/contract/position", "-1"},
    {"/joints/pin/type", "'hinge'"},
    {"/joints/slide/axis", "'w'"},
    {"/joints/string/form", "'cubic'"},
    {"/forces/push/type", "'gravity'"},
    {"/forces/push/axes", "'both'"},
    {"/bodies/bob/coordinates/type", "'polar'"},
    {"/body_coordinates", "'polar'"},
    {"/body_coordinates", "'plane:normalized=false'"},
    {"/body_coordinates", "'euler-parameters:normalised=false'"},
    {"/body_coordinates", "'euler-parameters:'"},
    {"/coordinates", "'natural'"},
    {"/run/method", "'magic'"},
    {"/run/formulation", "'magic'"},
    {"/run/integrator/type", "'rk5'"},
    {"/run/contract/breach", "'maybe'"},
    {"/start/mode", "'maybe'"},
    /* what must be there */
    {"/tenon", NULL},
    {"/dimension", NULL},
    {"/bodies", NULL},
    {"/joints/pin/type", NULL},
    {"/joints/pin/between", NULL},
    {"/joints/turn/on", NULL},
    {"/joints/turn/value", NULL},
    {"/joints/sum/terms", NULL},
    {"/forces/push/type", NULL},
    {"/forces/push/on", NULL},
    {"/forces/push/value", NULL},
    {"/forces/coil/stiffness", NULL},
    {"/rods/bar/mass", NULL},
    {"/rods/bar/between", NULL},
    {"/bodies/arm/lumps", "[{'at': [0, 0]}]"},
    {"/bodies/arm/lumps", "[{'mass': 1}]"},
    {"/bodies/bob/coordinates/type", NULL},
};

/* wrong in the plane, not in space: only the reader knows */
static const change of_space[] = {
    {"/joints/pin/axis", "'x'"},
    {"/joints/slide/axis", "'z'"},
    {"/joints/slide/axis", NULL},
    {"/joints/slide/axis", "[1, 0, 0]"},
    {"/gravity", "[0, -9.81, 0]"},
    {"/forces/push/value", "[1, 2, 3]"},
    {"/bodies/box/inertia", "[1, 1, 1]"},
    {"/points/A", "[0, 0, 0]"},
    {"/joints/pin/type", "'spherical'"},
    {"/body_coordinates", "'quaternion'"},
    {"/body_coordinates", "'euler-parameters:normalized=false'"},
};

/* other ways to write what is good */
static const change good[] = {
    {"/title", "''"},
    {"/constants/k", "'1.5*2'"},
    {"/gravity", NULL},
    {"/gravity", "['0', '-9.81']"},
    {"/joints/slide/axis", "'-y'"},
    {"/joints/string/at", "[[0, 0]]"},
    {"/joints/turn/value", "0.25"},
    {"/forces/coil/rest", "'10*deg'"},
    {"/outputs", NULL},
    {"/run", NULL},
    {"/run", "{}"},
    {"/run/until", "0"},
    {"/run/integrator", "'dopri5'"},
    {"/run/integrator", "{'rtol': 1e-6}"},
    {"/run/integrator", "{'type': 'rk4', 'step': '1/100'}"},
    {"/run/stabilize", "'project'"},
    {"/run/stabilize", "{'type': 'project', 'metric': 'identity'}"},
    {"/run/method", "'direct'"},
    {"/start/mode", "'as-given'"},
    {"/coordinates", "'relative'"},
};

static bool print_to(void *file, const char *text, size_t n) { return fwrite(text, 1, n, file) == n; }

static void requote(char *to, const char *from) {
  for (; *from; from++) *to++ = *from == '\'' ? '"' : *from;
  *to = 0;
}

static void spill_changed(const char *path, const change *c) {
  tn_desc *d;
  tn_error e;
  static char text[sizeof everything];
  requote(text, everything);
  if (tn_desc_new(NULL, &d, &e)) abort();
  CHECK(tn_desc_parse(d, path, text, strlen(text), &e) == TN_OK);
  if (c && !c->json) {
    CHECK(tn_desc_has(d, c->pointer));
    tn_desc_remove(d, c->pointer);
  }
  /* `formulation` and `method` do not stand beside one another */
  if (c && strcmp(c->pointer, "/run/method") == 0) {
    tn_desc_remove(d, "/run/formulation");
    tn_desc_remove(d, "/run/stabilize");
  }
  if (c && c->json) {
    requote(text, c->json);
    const tn_status status = tn_desc_json(d, c->pointer, text, &e);
    if (status != TN_OK) FAIL("%s: %s", c->pointer, e.message);
  }
  FILE *f = fopen(path, "wb");
  if (!f) abort();
  CHECK(tn_desc_print(d, print_to, f, &e) == TN_OK);
  fclose(f);
  tn_desc_free(d);
}

/* read, compiled and started; in this process, as there are many */
static tn_status judge_ourselves(const char *path, tn_error *e) {
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  tn_status status = tn_desc_new(NULL, &d, e);
  if (status == TN_OK) status = tn_desc_read(d, path, e);
  if (status == TN_OK) status = tn_compile(d, &m, e);
  if (status == TN_OK) status = tn_sim_new(m, &s, e);
  if (status == TN_OK) status = tn_sim_start(s, e);
  tn_sim_free(s);
  tn_model_free(m);
  tn_desc_free(d);
  return status;
}

TEST(schema_and_program_are_of_one_mind) {
  enum {
    BROKEN = sizeof broken / sizeof *broken,
    SPACE = sizeof of_space / sizeof *of_space,
    GOOD = sizeof good / sizeof *good
  };
  const change *all[BROKEN + SPACE + GOOD];
  char name[40];
  for (int i = 0; i < BROKEN + SPACE + GOOD; i++)
    all[i] = i < BROKEN ? &broken[i] : i < BROKEN + SPACE ? &of_space[i - BROKEN] : &good[i - BROKEN - SPACE];
  if (!have_validator()) return;
  spill_changed("m000.json", NULL);
  for (int i = 0; i < BROKEN + SPACE + GOOD; i++) {
    snprintf(name, sizeof name, "m%03d.json", i + 1);
    spill_changed(name, all[i]);
  }
  judge("m*.json");
  for (int i = -1; i < BROKEN + SPACE + GOOD; i++) {
    const change *c = i < 0 ? &(change){"as it is", ""} : all[i];
    const bool refused = i >= 0 && i < BROKEN + SPACE, bad = i >= 0 && i < BROKEN;
    snprintf(name, sizeof name, "m%03d.json", i + 1);
    const char *const what = c->json ? c->json : "gone";
    tn_error e;
    if (judge_ourselves(name, &e) != (refused ? TN_E_MODEL : TN_OK))
      FAIL("%s %s: tenon %s %s", c->pointer, what, refused ? "takes it" : "refuses it:", e.message);
    if (strncmp(verdict(name), bad ? "bad " : "good", 4) != 0)
      FAIL("%s %s: the schema says \"%s\", tenon \"%s\"", c->pointer, what, verdict(name), e.message);
    if (i % 16 == 0) CHECK(tenon("check %s -q", name) == (refused ? 2 : 0)); /* the program is no other */
  }
}

/* ---- examples ---------------------------------------------------------------------------------------------------------- */

/* a command that is printed, as if typed where the models are */
static void run_command(const char *type, const char *command) {
  char words[600];
  CHECK(strncmp(command, "tenon ", 6) == 0);
  snprintf(words, sizeof words, "cd '" TN_SOURCE_DIR "' && '" TN_BINARY "' %.*s", (int)strcspn(command + 6, "\n"),
           command + 6);
  char whole[800];
  snprintf(whole, sizeof whole, "(%s) >.example 2>&1", words);
  char said[2000];
  const int code = system(whole); /* 8: of a rough integrator, or one that drifts, the verdict is not `trusted` */
  if (code != 0 && !(WIFEXITED(code) && WEXITSTATUS(code) == 8))
    FAIL("%s: %s\n%s", type, words, slurp(".example", said, sizeof said));
}

TEST_FULL(every_example_of_a_type_is_good_and_runs) {
  const bool judged = have_validator();
  int models = 0, lines = 0;
  char type[100], file[100];
  for (int k = 0; tn_list_kind(k); k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++) {
      snprintf(type, sizeof type, "%s_%s", tn_list_kind(k), tn_list_name(tn_list_kind(k), i));
      CHECK(tenon("list %s %s", tn_list_kind(k), tn_list_name(tn_list_kind(k), i)) == 0 && !*err);
      const char *example = strstr(out, "\nexample:\n");
      CHECK(example != NULL);
      if (!example) continue;
      example += strlen("\nexample:\n");
      if (*example != '{') {
        lines++;
        run_command(type, example);
        continue;
      }
      /* one, or one in the plane and one in space */
      char texts[1 << 14], *text = texts;
      snprintf(texts, sizeof texts, "%s", example);
      for (int n = 1; text; n++) {
        char *next = strstr(text, "\nexample:\n");
        if (next) *next = 0, next += strlen("\nexample:\n");
        models++;
        snprintf(file, sizeof file, "e_%.80s_%d.json", type, n);
        FILE *f = fopen(file, "wb");
        if (!f || fputs(text, f) < 0 || fclose(f)) abort();
        CHECK(strstr(text, tn_list_name(tn_list_kind(k), i)));
        if (tenon("check %s -q", file) != 0 || tenon("run %s --until 0.5 --every 0.01 -q -o e.csv", file) != 0)
          FAIL("%s: %s", type, err);
        if (csv_rows("e.csv", 0.01, false) != 51) FAIL("%s: its rows", type);
        text = next;
      }
    }
  CHECK(models >= 14 && lines >= 14);
  if (!judged) return;
  judge("e_*.json");
  for (const char *at = verdicts; *at; at += strcspn(at, "\n") + 1, models--)
    if (!strstr(at, ".json good\n") || strstr(at, ".json good\n") > strchr(at, '\n'))
      FAIL("%.*s", (int)strcspn(at, "\n"), at);
  CHECK(models == 0);
}
