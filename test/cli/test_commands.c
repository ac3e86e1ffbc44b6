/* the commands, one after the other: help version check show eval list new export completion manual. */
#include "support/build.h"
#include "test.h"

#include "cli_support.h"

static const char *const commands[] = {"run",    "check",     "show",    "eval",    "list", "schema",    "new",
                                       "export", "stability", "surface", "compare", "tune", "reproduce", "completion"};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* ---- help, version, manual ------------------------------------------------------------------------------------------ */

TEST(every_command_has_help) {
  char begin[80];
  static char first[sizeof out];
  for (int i = 0; i < COMMANDS; i++) {
    CHECK(tenon("%s --help", commands[i]) == 0 && !*err);
    snprintf(begin, sizeof begin, "tenon %s", commands[i]);
    CHECK(strncmp(out, begin, strlen(begin)) == 0 && strstr(out, "-h, --help"));
    strcpy(first, out);
    CHECK(tenon("%s -h", commands[i]) == 0 && strcmp(first, out) == 0);
    CHECK(tenon("help %s", commands[i]) == 0 && strcmp(first, out) == 0);
    CHECK(tenon("%s too many words here --help", commands[i]) == 0 && strcmp(first, out) == 0);
    CHECK(tenon("--help") == 0 && strstr(out, begin));
  }
  CHECK(tenon("help nonsense") == 1 && !*out && strstr(err, "unknown command 'nonsense'"));
  CHECK(tenon("--version more") == 1 && !*out);
  CHECK(tenon("chekc") == 1 && strstr(err, "did you mean 'check'?"));
  CHECK(tenon("run --unitl 3 x") == 1 && strstr(err, "did you mean '--until'?"));
}

TEST(no_line_of_help_is_wider_than_a_terminal) {
  for (int i = -1; i < COMMANDS; i++) {
    CHECK(tenon("%s --help", i < 0 ? "" : commands[i]) == 0);
    for (const char *line = out; *line; line += strcspn(line, "\n") + 1)
      if (strcspn(line, "\n") > 100) FAIL("%.120s", line);
  }
}

TEST(version_says_what_was_built_in) {
  CHECK(tenon("--version") == 0 && !*err);
  CHECK_HAS(out, "tenon " TN_VERSION "\nbuilt with ");
  CHECK((strstr(out, "sanitized") != NULL) == SANITIZED);
  for (int k = 0; tn_list_kind(k); k++) {
    char kind[40];
    snprintf(kind, sizeof kind, "\n%s ", tn_list_kind(k));
    const char *line = strstr(out, kind);
    CHECK(line != NULL);
    for (int i = 0; line && tn_list_name(tn_list_kind(k), i); i++) {
      char name[80];
      snprintf(name, sizeof name, " %s", tn_list_name(tn_list_kind(k), i));
      const char *at = strstr(line + 1, name);
      while (at && !strchr(" \n", at[strlen(name)])) at = strstr(at + 1, name); /* one that begins alike */
      CHECK(at && at < line + 1 + strcspn(line + 1, "\n"));
    }
  }
}

/* a flag as a word of its own */
static bool has_word(const char *text, const char *end, const char *word) {
  const size_t n = strlen(word);
  for (const char *at = text; (at = strstr(at, word)) && at < end; at++) {
    const char before = at > text ? at[-1] : ' ', after = at[n];
    if (!strchr("-abcdefghijklmnopqrstuvwxyz", before) && !(after == '-' || (after >= 'a' && after <= 'z')))
      return true;
  }
  return false;
}

/* the part of a completion that is for a command: `  run)` to the next of these */
static const char *part_of(const char *script, const char *command, const char **end) {
  char mark[40];
  snprintf(mark, sizeof mark, "\n  %s)\n", command);
  const char *at = strstr(script, mark);
  if (!at) return NULL;
  for (const char *line = at + 1;; line = *end + 1) {
    *end = line + strcspn(line, "\n");
    if (!**end || strncmp(*end, "\n  esac", 7) == 0) return at;
    if (strncmp(*end + 1, "  ", 2) == 0 && (*end)[3] != ' ' && (*end)[strcspn(*end + 1, "\n")] == ')') return at;
  }
}

/* the tables are read once each for help, manual and both completions: nothing is lost on the way */
TEST(every_option_is_in_help_manual_and_completion) {
  static char manual[sizeof out], bash[sizeof out], zsh[sizeof out];
  int flags = 0;
  CHECK(tenon("--manual") == 0 && !*err);
  size_t n = 0;
  for (const char *c = out; *c; c++)
    if (strncmp(c, "\\-", 2) != 0) manual[n++] = *c; /* as it is read: \- is a dash */
  CHECK_HAS(manual, ".TH TENON 1");
  for (int i = 0; i < COMMANDS; i++) {
    char head[60];
    snprintf(head, sizeof head, ".SS \"tenon %s ", commands[i]);
    CHECK_HAS(manual, head);
  }
  CHECK(tenon("completion bash") == 0 && !*err);
  strcpy(bash, out);
  CHECK(tenon("completion zsh") == 0 && !*err);
  strcpy(zsh, out);
  for (int i = 0; i < COMMANDS; i++) {
    const char *bash_end = NULL, *zsh_end = NULL, *in_bash = part_of(bash, commands[i], &bash_end),
               *in_zsh = part_of(zsh, commands[i], &zsh_end);
    CHECK(in_bash && in_zsh);
    if (!in_bash || !in_zsh) continue;
    CHECK(tenon("%s --help", commands[i]) == 0);
    for (const char *line = out; *line; line += strcspn(line, "\n") + 1) {
      if (strncmp(line, "  -", 3) != 0) continue;
      for (const char *at = line + 2; *at == '-';) {
        char flag[40];
        snprintf(flag, sizeof flag, "%.*s", (int)strcspn(at, ", \n"), at);
        flags++;
        if (strcmp(flag, "-h") != 0 && strcmp(flag, "--help") != 0 && !has_word(manual, manual + n, flag))
          FAIL("%s of %s is not in the manual", flag, commands[i]);
        /* a short form is nothing to complete: where it takes a value, that is completed */
        if (flag[1] == '-' && !has_word(in_bash, bash_end, flag)) FAIL("%s of %s is not in bash's", flag, commands[i]);
        if (!has_word(in_zsh, zsh_end, flag)) FAIL("%s of %s is not in zsh's", flag, commands[i]);
        at += strlen(flag) + (at[strlen(flag)] == ',' ? 2 : 0);
        if (*at != '-') break;
      }
    }
  }
  CHECK(flags > 50);
}

/* ---- check ------------------------------------------------------------------------------------------------------------ */

#define BODY "{'tenon': 1, 'dimension': 2, 'gravity': [0, -10], "

/* links from A0 A1 .. to B0 B1 .. with couplers between their ends, beside one another or all in one line */
static void spill_four_bars(const char *path, bool flat) {
  char text[1200];
  snprintf(text, sizeof text,
           BODY "'points': {'A{i}': {'repeat': 'i=0..2', 'at': ['i', 0]}, 'B{i}': {'repeat': 'i=0..2', 'at': %s}},"
                "'bodies': {'link{i}': {'repeat': 'i=0..2', 'rod': ['A{i}', 'B{i}'], 'mass': 1},"
                "'coupler{i}': {'repeat': 'i=1..2', 'rod': ['B{i-1}', 'B{i}'], 'mass': 1}}, 'joints': {"
                "'ground{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['ground', 'link{i}'], 'at': 'A{i}'},"
                "'left{i}': {'repeat': 'i=1..2', 'type': 'revolute', 'between': ['link{i-1}', 'coupler{i}'], 'at': "
                "'B{i-1}'},"
                "'right{i}': {'repeat': 'i=1..2', 'type': 'revolute', 'between': ['coupler{i}', 'link{i}'], 'at': "
                "'B{i}'}}}",
           flat ? "['i+1', 0]" : "['i', 1]");
  spill(path, text);
}

static void spill_parallelogram(const char *path) {
  spill(path, BODY "'points': {'A{i}': {'repeat': 'i=0..2', 'at': ['i', 0]}, 'B{i}': {'repeat': 'i=0..2', 'at': ['i + "
                   "0.3', 1]}},"
                   "'bodies': {'crank{i}': {'repeat': 'i=0..2', 'rod': ['A{i}', 'B{i}'], 'mass': 1},"
                   "'bar': {'rod': ['B0', 'B2'], 'mass': 2}}, 'joints': {"
                   "'foot{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['ground', 'crank{i}'], 'at': "
                   "'A{i}'},"
                   "'head{i}': {'repeat': 'i=0..2', 'type': 'revolute', 'between': ['crank{i}', 'bar'], 'at': "
                   "'B{i}'}}}");
}

static void spill_welds(const char *path) {
  spill(path, BODY "'bodies': {'k': {'mass': 3, 'inertia': 1, 'position': [0, 2]}}, 'joints': {"
                   "'one': {'type': 'weld', 'between': ['ground', 'k'], 'at': [0, 0]},"
                   "'two': {'type': 'weld', 'between': ['ground', 'k'], 'at': [1, 0]}}}");
}

/* bodies, coordinates, rows, rank, degrees of freedom, redundant rows: of JSON on stdout */
static bool counts_are(int bodies, int coordinates, int rows, int rank, int freedom, int redundant) {
  const bool good = number_of("bodies") == bodies && number_of("coordinates") == coordinates &&
                    number_of("rows") == rows && number_of("rank") == rank &&
                    number_of("degrees_of_freedom") == freedom && number_of("redundant_rows") == redundant;
  if (!good) printf("%s", out);
  return good;
}

TEST(check_counts_freedom_near_the_pose) {
  CHECK(tenon("check " FOUR_BAR " --json") == 0 && !*err);
  CHECK(counts_are(3, 9, 8, 8, 1, 0));
  CHECK_TEXT(text_of("redundant"), "");
  CHECK_TEXT(text_of("status"), "good");
  CHECK(tenon("check '" MODELS "n_four_bar.json' --set N=5 --json") == 0 && counts_are(11, 33, 32, 32, 1, 0));
  /* all in one line the rows lose rank, two of them: not anywhere near */
  spill_four_bars("up.json", false);
  spill_four_bars("flat.json", true);
  CHECK(tenon("check up.json --json") == 0 && counts_are(5, 15, 14, 14, 1, 0));
  CHECK(tenon("check flat.json --json") == 0 && counts_are(5, 15, 14, 14, 1, 0));
  CHECK(tenon("eval flat.json") == 0 && number_of("rank") == 12);
  CHECK(tenon("check flat.json") == 0 && !*err);
  CHECK(strstr(out, "degrees of freedom: 1\n") && strstr(out, "rank 14") && !strstr(out, "redundant"));
  spill("free.json", BODY "'bodies': {'k': {'mass': 1, 'inertia': 1}, 'p': {'mass': 1, 'coordinates': 'point'}}}");
  CHECK(tenon("check free.json --json") == 0 && counts_are(2, 5, 0, 0, 5, 0));
}

/* the joint with the redundant rows and those that they follow from; " more" if there is a second entry */
static const char *followers(void) {
  static char text[400];
  tn_desc *d = summary();
  const tn_node *list = tn_node_get(d->root, "redundant"), *one = list ? list->first : NULL,
                *others = one ? tn_node_get(one, "follows_from") : NULL;
  const tn_node *joint = one ? tn_node_get(one, "joint") : NULL, *rows = one ? tn_node_get(one, "rows") : NULL;
  text[0] = 0;
  if (joint && rows && others) snprintf(text, sizeof text, "%g of %s from", rows->number, joint->text);
  for (const tn_node *c = others ? others->first : NULL; c; c = c->next) {
    strcat(text, " ");
    strncat(text, c->text, 40);
  }
  if (one && one->next) strcat(text, " more");
  tn_desc_free(d);
  return text;
}

TEST(check_names_the_joints_of_redundant_rows) {
  static const char *const all[] = {"foot0", "foot1", "foot2", "head0", "head1", "head2"};
  spill_parallelogram("par.json");
  CHECK(tenon("check par.json --json") == 0 && counts_are(4, 12, 12, 11, 1, 1));
  const char *text = followers();
  CHECK(strncmp(text, "1 of ", 5) == 0 && !strstr(text, "more"));
  for (int i = 0; i < 6; i++) CHECK_HAS(text, all[i]); /* whichever of them it is, it follows from all others */
  CHECK(tenon("check par.json") == 0 && strstr(out, "\n  1 redundant row:\n    a row of joint '"));
  spill_welds("weld.json");
  CHECK(tenon("check weld.json --json") == 0 && counts_are(1, 3, 6, 3, 0, 3));
  text = followers();
  CHECK(strcmp(text, "3 of two from one") == 0 || strcmp(text, "3 of one from two") == 0);
  CHECK(tenon("check weld.json") == 0);
  CHECK(strstr(out, "3 redundant rows:\n    3 rows of joint 'two' follow from 'one'\n") ||
        strstr(out, "3 redundant rows:\n    3 rows of joint 'one' follow from 'two'\n"));
}

TEST(check_measures_the_start) {
  /* the pin is a quarter of a metre off along the arm, which points at -80 degrees */
  spill("off.json", BODY "'bodies': {'arm': {'mass': 2, 'inertia': 0.02, 'angle': '-80*deg'}}, 'joints': {'pin': "
                         "{'type': 'revolute', 'between': ['ground', 'arm'], 'on_bodies': [[0, 0], [-0.25, 0]]}},"
                         "'start': {'arm.angle': '-60*deg', 'pin.rate': 3}}");
  CHECK(tenon("check off.json --json") == 0 && !*err);
  const double down = sin(80 * acos(-1) / 180), half = 0.25 * sin(60 * acos(-1) / 180);
  CHECK_NEAR(number_of("start_violation") * number_of("length"), 0.25 * down, 1e-12);
  CHECK_TEXT(text_of("start_violation_joint"), "pin");
  CHECK_TEXT(text_of("start_moved_name"), "arm.angle");
  CHECK_NEAR(number_of("start_moved"), acos(-1) / 9, 1e-9);
  CHECK_NEAR(number_of("kinetic"), 0.5 * 9 * (0.02 + 2 * 0.0625), 1e-9);
  CHECK_NEAR(number_of("potential"), -2 * 10 * half, 1e-9);
  CHECK(tenon("check off.json") == 0);
  CHECK(strstr(out, "(joint 'pin'); assembled, arm.angle moved most, by 0.349 rad\n") &&
        strstr(out, "kinetic 0.6525 J, potential -4.33012702 J\n"));
  spill_welds("weld.json");
  CHECK(tenon("check weld.json") == 0 && strstr(out, "initial configuration: off by 0; nothing had to move\n") &&
        strstr(out, "kinetic 0 J, potential 60 J"));
}

TEST(check_says_the_settings_that_hold) {
  CHECK(tenon("check " FOUR_BAR " --json --method direct --rtol 1e-5 --until 3 --every 0.5 --breach record") == 0);
  CHECK_TEXT(text_of("method"), "direct");
  CHECK_TEXT(text_of("stabilizers"), "project:metric=identity");
  CHECK_TEXT(text_of("integrator"), "dopri5");
  CHECK(number_of("rtol") == 1e-5 && number_of("until") == 3 && number_of("every") == 0.5);
  CHECK_HAS(out, "\"atol\": null,\n  \"atol_reason\": \"not given\",\n");
  CHECK_HAS(out, "\"contract\": {\"position\": 1e-08, \"velocity\": 1e-06, \"breach\": \"record\"}");
  CHECK(tenon("check " FOUR_BAR " --integrator rk4 --step 1e-3") == 0);
  CHECK_HAS(out, "--formulation augmented --stabilize project --integrator rk4 --step 0.001 --until 10 --every 0.01");
  CHECK(tenon("check " FOUR_BAR " --set rho=3 --json") == 0);
  const double heavy = number_of("kinetic");
  CHECK(tenon("check " FOUR_BAR " --json") == 0);
  CHECK_NEAR(heavy, 2 * number_of("kinetic"), 1e-9);
}

/* the pointers of the warnings, with blanks between */
static const char *warnings(void) {
  static char text[1000];
  tn_desc *d = summary();
  const tn_node *list = tn_node_get(d->root, "warnings");
  text[0] = 0;
  for (const tn_node *w = list ? list->first : NULL; w; w = w->next) {
    const tn_node *pointer = tn_node_get(w, "pointer");
    if (*text) strcat(text, " ");
    strncat(text, pointer ? pointer->text : "/", 100);
  }
  tn_desc_free(d);
  return text;
}

/* a good model in which every angle can be put */
static void spill_angles(const char *path, const char *gravity, const char *body, const char *start, const char *driver,
                         const char *rest) {
  char text[1000];
  snprintf(text, sizeof text,
           "{'tenon': 1, 'dimension': 2, %s 'bodies': {'arm': {'mass': 1, 'inertia': 1, 'angle': %s},"
           "'two': {'mass': 1, 'inertia': 1}}, 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'arm'],"
           "'at': [1, 0]}, 'turn': {'type': 'driver', 'on': 'two.angle', 'value': %s},"
           "'lift': {'type': 'driver', 'on': 'two.y', 'value': 90}},"
           "'forces': {'coil': {'type': 'spring', 'on': 'pin.angle', 'stiffness': 1, 'rest': %s},"
           "'pull': {'type': 'spring', 'on': 'two.x', 'stiffness': 1, 'rest': 90}},"
           "'start': {'pin.angle': %s, 'pin.rate': 90, 'two.x': 90}}",
           gravity, body, driver, rest, start);
  spill(path, text);
}

TEST(check_warns_of_angles_that_look_like_degrees) {
  static const char down[] = "'gravity': [0, -9.81],";
  /* each place alone; lengths and rates of the same size are none of it */
  static const struct {
    const char *value[4], *pointer;
  } cases[] = {{{"0", "0", "0", "0"}, ""},
               {{"6.28", "-6.28", "6.28", "-6.28"}, ""},
               {{"90", "0", "0", "0"}, "/bodies/arm/angle"},
               {{"-6.29", "0", "0", "0"}, "/bodies/arm/angle"},
               {{"0", "45", "0", "0"}, "/start/pin.angle"},
               {{"0", "0", "-30", "0"}, "/joints/turn/value"},
               {{"0", "0", "0", "180"}, "/forces/coil/rest"},
               {{"90", "90", "90", "90"}, "/bodies/arm/angle /joints/turn/value /forces/coil/rest /start/pin.angle"},
               {{"'90*deg'", "'720*deg'", "'400*deg'", "'-500*deg'"}, ""},
               {{"'90'", "'10*pi'", "'20*t'", "'40'"}, ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const *v = cases[i].value;
    spill_angles("angles.json", down, v[0], v[1], v[2], v[3]);
    CHECK(tenon("check angles.json --json") == 0 && !*err);
    CHECK_TEXT(warnings(), cases[i].pointer);
    CHECK(tenon("check angles.json --json --strict") == (*cases[i].pointer ? 2 : 0));
  }
  spill_angles("angles.json", down, "90", "0", "0", "0");
  CHECK(tenon("check angles.json") == 0);
  CHECK_HAS(out, "  warning: body 'arm': an angle of 90 rad is more than a turn: are degrees meant? (angles.json:1:");
  CHECK_HAS(out, " - write \"90*deg\"\n");
}

TEST(check_warns_of_a_model_without_gravity) {
  spill_angles("none.json", "", "0", "0", "0", "0");
  CHECK(tenon("check none.json --json") == 0);
  CHECK_TEXT(warnings(), "/");
  CHECK(tenon("check none.json") == 0 && strstr(out, "  warning: no gravity is given"));
  CHECK(tenon("check none.json --strict -q") == 2 && !*out);
  CHECK(strncmp(err, "tenon: 1 warning, and --strict is given: no gravity", 51) == 0);
  spill_angles("zero.json", "'gravity': [0, 0],", "0", "0", "0", "0"); /* said, so meant */
  CHECK(tenon("check zero.json --strict -q") == 0 && !*out && !*err);
  CHECK(tenon("run none.json --until 0.01") == 0 && strstr(out, "  warning: no gravity"));
  CHECK(tenon("run none.json --until 0.01 -v") == 0 && strstr(out, "  warning: no gravity is given"));
}

TEST(check_of_a_bad_model_says_so) {
  spill("bad.json", BODY "'bodies': {'k': {'mass': -1, 'inertia': 1}}}");
  CHECK(tenon("check bad.json") == 2 && !*out && strstr(err, "must not be negative"));
  CHECK(tenon("check bad.json --json") == 2 && strstr(err, "must not be negative"));
  CHECK_TEXT(text_of("status"), "refused");
  spill("start.json", BODY "'bodies': {'k': {'mass': 1, 'inertia': 1}}, 'joints': {'pin': {'type': 'revolute', "
                           "'between': ['ground', 'k'], 'at': [0, 0]}}, 'start': {'k.x': 1}}");
  CHECK(tenon("check start.json --json") == 2 && strstr(err, "cannot be assembled"));
  CHECK_TEXT(text_of("status"), "refused");
  CHECK(tenon("check start.json -q") == 2 && strstr(err, "cannot be assembled"));
  CHECK(tenon("check nowhere.json --json") == 4);
  CHECK_TEXT(text_of("status"), "failed");
}

/* ---- show ----------------------------------------------------------------------------------------------------------------- */

/* what is shown is a model that has nothing to repeat, and gives the same bytes */
static void check_shown(const char *model, const char *settings) {
  CHECK(tenon("show '%s' %s >shown.json", model, settings) == 0 && !*err);
  static char text[sizeof out];
  slurp("shown.json", text, sizeof text);
  CHECK(!strstr(text, "repeat") && !strstr(text, "//") && text[0] == '{');
  CHECK(tenon("run '%s' %s --until 0.1 --every 0.01 -o one.csv", model, settings) == 0);
  CHECK(tenon("run shown.json --until 0.1 --every 0.01 -o two.csv") == 0);
  if (!same_files("one.csv", "two.csv")) FAIL("%s %s: the model that is shown moves in another way", model, settings);
  CHECK(lines_of("one.csv") == 12);
  CHECK(tenon("show shown.json >again.json") == 0);
  if (!same_files("shown.json", "again.json")) FAIL("%s %s: shown again it is another", model, settings);
}

TEST_FULL(show_prints_a_model_that_moves_the_same) {
  char name[100][64], path[300];
  const int n = build_models(name, 100);
  CHECK(n >= 9);
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, MODELS "%.60s.json", name[i]);
    check_shown(path, "");
  }
  check_shown(MODELS "n_four_bar.json", "--set N=5");
  check_shown(MODELS "triple_pendulum.json", "--set N=4 --set 'release=10*deg'");
  check_shown(MODELS "four_bar.json", "--method baumgarte-step --integrator rk4 --step 1e-3 --breach record");
  check_shown(MODELS "four_bar.json", "--coordinates relative");
  check_shown(MODELS "braun_four_bars.json", "--at-singularity stop");
  check_shown(MODELS "gear_train.json", "--body-coordinates quaternion");
  check_shown(MODELS "four_bar.json", "--stabilize baumgarte:alpha=5,beta=6 --stabilize project:passes=one");
}

TEST(show_has_what_the_line_says) {
  CHECK(tenon("show '" MODELS "n_four_bar.json' --set N=3 --until 0.25 --every 0.125 --method direct >n.json") == 0);
  CHECK(tenon("check n.json --json") == 0 && number_of("bodies") == 7 && number_of("until") == 0.25 &&
        number_of("every") == 0.125);
  CHECK_TEXT(text_of("method"), "direct");
  spill("bad.json", BODY "'bodies': {'k': {'mass': -1, 'inertia': 1}}}");
  CHECK(tenon("show bad.json") == 2 && !*out && strstr(err, "(bad.json:1:"));
}

/* ---- eval ------------------------------------------------------------------------------------------------------------------ */

enum { MOST = 40 };

typedef struct equations {
  int nu, rows, values;
  double M[MOST][MOST], A[MOST][MOST], f[MOST], gamma[MOST], udot[MOST], lambda[MOST], C[MOST], Cdot[MOST], sv[MOST],
      q[MOST], u[MOST];
  double t, rank;
} equations;

static int reals(const tn_node *list, double *to) {
  int n = 0;
  CHECK(list && list->kind == TN_NODE_LIST && list->size <= MOST);
  if (!list || list->kind != TN_NODE_LIST || list->size > MOST) return -1;
  for (const tn_node *c = list->first; c; c = c->next) {
    CHECK(c->kind == TN_NODE_NUMBER);
    to[n++] = c->number;
  }
  return n;
}

static int matrix(const tn_node *list, double to[MOST][MOST], int columns) {
  int n = 0;
  CHECK(list && list->kind == TN_NODE_LIST && list->size <= MOST);
  if (!list || list->size > MOST) return -1;
  for (const tn_node *c = list->first; c; c = c->next) CHECK(reals(c, to[n++]) == columns);
  return n;
}

static void read_equations(equations *e) {
  tn_desc *d = summary();
  const tn_node *r = d->root;
  *e = (equations){.t = number_of("t"), .rank = number_of("rank")};
  e->nu = reals(tn_node_get(r, "f"), e->f);
  e->rows = reals(tn_node_get(r, "gamma"), e->gamma);
  e->values = reals(tn_node_get(r, "singular_values"), e->sv);
  CHECK(matrix(tn_node_get(r, "M"), e->M, e->nu) == e->nu && matrix(tn_node_get(r, "A"), e->A, e->nu) == e->rows);
  CHECK(reals(tn_node_get(r, "udot"), e->udot) == e->nu && reals(tn_node_get(r, "lambda"), e->lambda) == e->rows);
  CHECK(reals(tn_node_get(r, "C"), e->C) == e->rows && reals(tn_node_get(r, "Cdot"), e->Cdot) == e->rows);
  CHECK(reals(tn_node_get(r, "u"), e->u) == e->nu && reals(tn_node_get(r, "q"), e->q) >= e->nu);
  tn_desc_free(d);
}

/* from the numbers that were printed and nothing else. each residual against the sizes of what was added up in it, and of
 * the largest such sum: a stable solver leaves its roundoff there */
static void check_equations(const char *what) {
  equations e;
  double size = 1e-300, worst = 0, frobenius = 0, squares = 0;
  read_equations(&e);
  for (int i = 0; i < e.nu; i++)
    for (int j = 0; j < e.nu; j++) CHECK_NEAR(e.M[i][j], e.M[j][i], 1e-15 * sqrt(e.M[i][i] * e.M[j][j]));
  for (int i = 0; i < e.nu; i++) {
    double sum = -e.f[i], sizes = fabs(e.f[i]);
    for (int j = 0; j < e.nu; j++) sum += e.M[i][j] * e.udot[j], sizes += fabs(e.M[i][j] * e.udot[j]);
    for (int k = 0; k < e.rows; k++) sum += e.A[k][i] * e.lambda[k], sizes += fabs(e.A[k][i] * e.lambda[k]);
    worst = fmax(worst, fabs(sum));
    size = fmax(size, sizes);
  }
  if (!(worst <= 1e-13 * size)) FAIL("%s: M udot + A'lambda - f is %.3g of %.3g", what, worst, size);
  worst = 0;
  size = 1e-300;
  for (int i = 0; i < e.nu; i++)
    size = fmax(size, fabs(e.f[i]) / e.M[i][i]); /* what rows hold back where nothing moves */
  for (int k = 0; k < e.rows; k++) {
    double sum = -e.gamma[k], sizes = fabs(e.gamma[k]);
    for (int j = 0; j < e.nu; j++) {
      sum += e.A[k][j] * e.udot[j], sizes += fabs(e.A[k][j] * e.udot[j]);
      frobenius += e.A[k][j] * e.A[k][j];
    }
    worst = fmax(worst, fabs(sum));
    size = fmax(size, sizes);
  }
  if (!(worst <= 1e-12 * size)) FAIL("%s: A udot - gamma is %.3g of %.3g", what, worst, size);
  CHECK(e.values == (e.rows < e.nu ? e.rows : e.nu));
  int large = 0;
  for (int i = 0; i < e.values; i++) {
    CHECK(e.sv[i] >= 0 && (i == 0 || e.sv[i] <= e.sv[i - 1]));
    squares += e.sv[i] * e.sv[i];
    large += e.sv[i] > 1e-9 * e.sv[0];
  }
  CHECK_NEAR(squares, frobenius, 1e-12 * frobenius);
  CHECK(e.rank == large);
}

TEST(eval_prints_equations_that_hold) {
  static const char *const models[] = {"four_bar", "n_four_bar",      "andrews",      "biped_1",    "biped_3",
                                       "pendulum", "braun_four_bars", "driven_pivot", "iftomm_a01", "wu_crank_slider"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const char *const at = strcmp(models[i], "andrews") == 0 ? "0.03" : "0.3"; /* its time is short */
    CHECK(tenon("eval '" MODELS "%s.json'", models[i]) == 0 && !*err);
    check_equations(models[i]);
    CHECK(tenon("eval '" MODELS "%s.json' --at t=%s", models[i], at) == 0 && !*err);
    CHECK(number_of("t") == atof(at));
    check_equations(models[i]);
  }
  CHECK(tenon("eval " FOUR_BAR " --coordinates relative --at t=0.3") == 0 && !*err);
  check_equations("relative");
  spill_parallelogram("par.json");
  spill_welds("weld.json");
  CHECK(tenon("eval par.json") == 0 && number_of("rank") == 11);
  check_equations("three cranks");
  CHECK(tenon("eval weld.json") == 0 && number_of("rank") == 3);
  check_equations("two welds");
}

/* of two links of length 1 m, 1 kg each, in their angles: h = -sin(B)/2 */
TEST(eval_prints_the_coriolis_matrix) {
  spill(
      "arm.json",
      "{\"tenon\": 1, \"dimension\": 2, \"coordinates\": \"relative\","
      "\"bodies\": {\"a\": {\"rod\": [[0, 0], [1, 0]], \"mass\": 1}, \"b\": {\"rod\": [[1, 0], [2, 0]], \"mass\": 1}},"
      "\"joints\": {\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]},"
      "\"B\": {\"type\": \"revolute\", \"between\": [\"a\", \"b\"], \"at\": [1, 0]}},"
      "\"start\": {\"B.angle\": 0.7, \"A.rate\": 2, \"B.rate\": 3}}");
  CHECK(tenon("eval arm.json") == 0 && !*err);
  tn_desc *d = summary();
  double H[MOST][MOST];
  CHECK(matrix(tn_node_get(d->root, "coriolis"), H, 2) == 2);
  const double h = -sin(0.7) / 2, expected[2][2] = {{3 * h, 5 * h}, {-2 * h, 0}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) CHECK_NEAR(H[i][j], expected[i][j], 1e-14);
  tn_desc_free(d);
}

static int index_in(const char *list, const char *name) {
  tn_desc *d = summary();
  const tn_node *n = tn_node_get(d->root, list);
  int at = -1, i = 0;
  for (const tn_node *c = n ? n->first : NULL; c; c = c->next, i++)
    if (c->kind == TN_NODE_TEXT && strcmp(c->text, name) == 0) at = i;
  tn_desc_free(d);
  return at;
}

TEST(eval_at_the_value_of_a_channel) {
  equations e;
  CHECK(tenon("eval " FOUR_BAR " --at crank.angle=1.2") == 0 && !*err);
  check_equations("crank.angle");
  read_equations(&e);
  const int angle = index_in("coordinates", "crank.angle");
  CHECK(angle >= 0 && e.t == 0);
  if (angle < 0) return;
  CHECK_NEAR(e.q[angle], 1.2, 1e-12);
  CHECK_NEAR(e.u[angle], 2 * acos(-1), 1e-12); /* 60 rpm, as the model says */
  for (int k = 0; k < e.rows; k++) {
    CHECK_NEAR(e.C[k], 0, 1e-12);
    CHECK_NEAR(e.Cdot[k], 0, 1e-12);
  }
  CHECK(index_in("rows", "A") == 1 && index_in("rows", "D") == 7); /* two rows a pin: the last one of each is found */
  CHECK(tenon("eval " FOUR_BAR " --at A.angle=-0.3 --at A.rate=2 --at t=0.3") == 0 && !*err);
  CHECK(number_of("t") == 0.3);
  check_equations("A.angle, A.rate and t");
  CHECK(tenon("eval " FOUR_BAR " --set rho=3") == 0);
  read_equations(&e);
  const double heavy = e.M[angle][angle];
  CHECK(tenon("eval " FOUR_BAR) == 0);
  read_equations(&e);
  CHECK_NEAR(heavy, 2 * e.M[angle][angle], 1e-12);
}

TEST(eval_refuses_what_makes_no_sense) {
  static const char *const words[][2] = {{"--at t", "--at needs NAME=VALUE, not 't'"},
                                         {"--at =3", "--at needs NAME=VALUE"},
                                         {"--at t=", "--at needs NAME=VALUE"},
                                         {"--at t=3x", "the time is a number, 0 or more"},
                                         {"--at t=-1", "the time is a number, 0 or more, not '-1'"},
                                         {"--at t=nan", "the time is a number, 0 or more"},
                                         {"--at t=inf", "the time is a number, 0 or more"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const int code = tenon("eval " FOUR_BAR " %s", words[i][0]);
    if (code != 1 || *out || !strstr(err, words[i][1])) FAIL("%s: %d %s%s", words[i][0], code, err, out);
  }
  CHECK(tenon("eval " FOUR_BAR " --at nobody.angle=1") == 2 && !*out && strstr(err, "nobody"));
  CHECK(tenon("eval " FOUR_BAR " --at crank.nothing=1") == 2 && !*out && strstr(err, "nothing"));
  CHECK(tenon("eval " FOUR_BAR " --at crank.angle=nan") != 0 && !*out);
}

/* ---- list and new ------------------------------------------------------------------------------------------------------------ */

TEST_FULL(list_tells_of_each_type) {
  for (int k = 0; tn_list_kind(k); k++)
    for (int i = 0; tn_list_name(tn_list_kind(k), i); i++) {
      const char *const name = tn_list_name(tn_list_kind(k), i);
      char head[80];
      snprintf(head, sizeof head, "%s %s: ", tn_list_kind(k), name);
      CHECK(tenon("list %s %s", tn_list_kind(k), name) == 0 && !*err);
      CHECK(strncmp(out, head, strlen(head)) == 0 && strstr(out, "\nexample:\n"));
      CHECK(tenon("list %s", tn_list_kind(k)) == 0 && strstr(out, name) &&
            strstr(out, tn_list_doc(tn_list_kind(k), i)));
    }
  CHECK(tenon("list joint revolut") == 1 && strstr(err, "there is no joint 'revolut'") &&
        strstr(err, "did you mean 'revolute'?"));
  CHECK(tenon("list metod") == 1 && strstr(err, "unknown kind 'metod'") && strstr(err, "did you mean 'method'?"));
  CHECK(tenon("list joint --markdown") == 0 && strncmp(out, "## joint\n", 9) == 0 && strstr(out, "| field |"));
}

/* a door on twenty hinges: twelve are named, the rest is counted */
TEST(check_counts_what_it_does_not_name) {
  fresh();
  spill("door.json",
        "{'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81], 'bodies': {'door': {'box': [1, 0.1, 2], 'mass': "
        "9, 'position': [0.5, 0, 0]}}, 'joints': {'hinge_{i}': {'repeat': 'i=1..20', 'type': 'revolute', "
        "'between': ['ground', 'door'], 'at': [0, 0, '{i}/20'], 'axis': 'z'}}, 'run': {'until': 1}}");
  CHECK(tenon("check door.json") == 0);
  CHECK_HAS(out, "    and 8 joints more (--json lists them)\n");
}

TEST_FULL(new_copies_examples) {
  fresh();
  char name[100][64], path[300], file[100];
  const int n = build_models(name, 100);
  CHECK(tenon("new") == 0 && !*err);
  for (int i = 0; i < n; i++) CHECK_HAS(out, name[i]);
  CHECK_HAS(out, "four_bar             crank-rocker, falling from a spin\n");
  for (int i = 0; i < n; i++) {
    snprintf(path, sizeof path, MODELS "%.60s.json", name[i]);
    snprintf(file, sizeof file, "%.60s.json", name[i]);
    CHECK(tenon("new %s", name[i]) == 0 && !*err && strstr(out, file));
    CHECK(same_files(path, file));
    CHECK(tenon("check %s -q", file) == 0);
  }
  spill("four_bar.json", "mine");
  CHECK(tenon("new four_bar") == 4 && !*out);
  CHECK_TEXT(err, "tenon: 'four_bar.json' is there already; --force replaces it\n");
  CHECK(file_is("four_bar.json", "mine"));
  CHECK(tenon("new four_bar other.json") == 0 && same_files(MODELS "four_bar.json", "other.json"));
  CHECK(tenon("new four_bar --force") == 0 && same_files(MODELS "four_bar.json", "four_bar.json"));
  CHECK(tenon("new pendulum - >copy.json") == 0 && same_files(MODELS "pendulum.json", "copy.json"));
  CHECK(tenon("new four_baar") == 1 && !*out && strstr(err, "did you mean 'four_bar'?") && !exists("four_baar.json"));
  CHECK(tenon("new zzz") == 1 && strstr(err, "tenon new lists them"));
  CHECK(tenon("new pendulum no/such/place.json") == 4 && !*out && strstr(err, "cannot write 'no/such/place.json'"));
  CHECK(symlink("nowhere.json", "link.json") == 0);
  CHECK(tenon("new pendulum link.json") == 4 && !exists("nowhere.json")); /* a link is there, too */
}

/* ---- export -------------------------------------------------------------------------------------------------------------------- */

static double double_at(const unsigned char *bytes) {
  double value;
  memcpy(&value, bytes, sizeof value); /* little endian, as the machines that run this */
  return value;
}

/* an array of NumPy of `columns` that are those of a CSV from `first` on */
static void check_array(const char *path, const char *csv, int first, int columns) {
  static char table[sizeof out], head[200];
  FILE *f = fopen(path, "rb");
  unsigned char bytes[10];
  CHECK(f != NULL);
  if (!f) return;
  CHECK(fread(bytes, 1, 10, f) == 10 && memcmp(bytes, "\x93NUMPY\x01\x00", 8) == 0);
  const size_t size = bytes[8] + 256u * bytes[9];
  CHECK((size + 10) % 64 == 0 && size < sizeof head);
  CHECK(size < sizeof head && fread(head, 1, size, f) == size && head[size - 1] == '\n');
  head[size - 1] = 0;
  const int rows = lines_of(csv) - 1;
  char shape[40];
  snprintf(shape, sizeof shape, columns > 1 ? "(%d, %d)" : "(%d,)", rows, columns);
  CHECK(strstr(head, "'descr': '<f8'") && strstr(head, "'fortran_order': False") && strstr(head, shape));
  char *at = slurp(csv, table, sizeof table);
  for (int r = 0; r < rows; r++) {
    at = strchr(at, '\n') + 1;
    char *value = at;
    for (int c = 0; c < first; c++) value = strchr(value, ',') + 1;
    for (int c = 0; c < columns; c++) {
      unsigned char number[8];
      CHECK(fread(number, 1, 8, f) == 8 && double_at(number) == strtod(value, &value));
      value++;
    }
  }
  CHECK(fgetc(f) == EOF);
  fclose(f);
}

/* the page of a result is that of its run; and nothing that is made of a result replaces it */
TEST(view_writes_the_page_of_a_result) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -q -o run.tnr") == 0);
  CHECK(system("cp run.tnr odd.html && cp run.tnr kept.tnr && ln -s run.tnr link.csv") == 0);
  CHECK(tenon("export run.tnr -o link.csv") == 1 && strstr(err, "would be replaced") &&
        same_files("run.tnr", "kept.tnr"));
  CHECK(tenon("view run.tnr -o page.txt") == 1 && strstr(err, "ends in .html"));
  CHECK(tenon("view nothere.tnr") == 4 && tenon("view .") == 4);
  if (!tn_has_pages(NULL)) {
    CHECK(tenon("view run.tnr") == 1 && strstr(err, "pages are left out of this Tenon"));
    return;
  }
  CHECK(tenon("view odd.html -o odd.html") == 1 && strstr(err, "would be replaced") &&
        same_files("odd.html", "kept.tnr"));
  CHECK(tenon("view run.tnr") == 0 && strstr(out, "wrote run.html") && exists("run.html"));
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -q -o again.html") == 0);
  /* but for times, and the blanks behind the summary that fill it up */
  CHECK(system("for f in run again; do sed -e 's/cpu_seconds.*cpu_project[^,]*//' -e 's/}.n *\",$/}\",/' $f.html "
               ">$f.x; done") == 0);
  CHECK(same_files("run.x", "again.x"));
  CHECK(tenon("view run.tnr --no-clobber") == 4 && strstr(err, "is there already"));
  CHECK(tenon("view run.tnr -q -o other.html") == 0 && !*out && same_files("run.html", "other.html"));
}

TEST(export_gives_what_the_run_gave) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 0.3 --set rho=2 -o run.csv -o run.tnr -o run.npy -o run.svg") == 0);
  CHECK(strstr(out, "wrote run.csv") && strstr(out, "wrote run.tnr") && strstr(out, "wrote run.svg"));
  CHECK(tenon("export run.tnr -o made.csv -o made.npy -o made.svg") == 0 && !*err && strstr(out, "wrote made.csv"));
  static const char *const kinds[] = {"csv", "t.npy", "tip.npy", "load.npy", "svg"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char a[40], b[40];
    snprintf(a, sizeof a, "run.%s", kinds[i]);
    snprintf(b, sizeof b, "made.%s", kinds[i]);
    if (!exists(a) || !same_files(a, b)) FAIL("%s and %s differ", a, b);
  }
  check_array("made.t.npy", "run.csv", 0, 1);
  check_array("made.tip.npy", "run.csv", 1, 2);
  check_array("made.load.npy", "run.csv", 3, 1);
  CHECK(tenon("export run.tnr -o -") == 0 && !*err);
  static char text[sizeof out];
  CHECK_TEXT(out, slurp("run.csv", text, sizeof text));
  CHECK(tenon("export run.tnr") == 0 && !*err);
  CHECK(strstr(out, "31 rows of t and 3 channels\n") && strstr(out, "tip.x                m\n") &&
        strstr(out, "--until 0.3") && strstr(out, "crank-rocker"));
  CHECK(tenon("export run.tnr -q -o quiet.csv") == 0 && !*out && !*err && same_files("run.csv", "quiet.csv"));
  spill("old.csv", "old\n");
  CHECK(tenon("export run.tnr --no-clobber -o old.csv") == 4 && file_is("old.csv", "old\n"));
  CHECK(tenon("export run.tnr --no-clobber -o made.npy") == 4);
  CHECK(tenon("export run.tnr -o old.csv") == 0 && same_files("run.csv", "old.csv"));
  CHECK(tenon("export run.tnr -o x.tnr") == 1 && tenon("export run.tnr -o x.txt") == 1 && !exists("x.txt"));
  CHECK(tenon("export run.csv -o x.csv") == 4 && strstr(err, "this is not a result file of Tenon (run.csv)"));
  CHECK(tenon("export nowhere.tnr") == 4 && tenon("export .") == 4 && tenon("export run.tnr -o no/such/x.csv") == 4);
  CHECK(names_with(".part") == 0);
}

/* ---- completion -------------------------------------------------------------------------------------------------------------------- */

static bool have(const char *program) {
  char command[100];
  snprintf(command, sizeof command, "command -v %s >/dev/null", program);
  return system(command) == 0;
}

/* the words that bash would offer for the last of these, with blanks between and behind */
static const char *offered(const char *words) {
  char script[1000];
  static char text[4000];
  snprintf(script, sizeof script,
           "bash --norc --noprofile -c 'set -u; source ./complete.bash; COMP_WORDS=(%s); "
           "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tenon; for w in ${COMPREPLY[@]+\"${COMPREPLY[@]}\"}; do printf "
           "\"%%s \" \"$w\"; done' >.offered 2>.said",
           words);
  CHECK(system(script) == 0);
  char said[400];
  CHECK_TEXT(slurp(".said", said, sizeof said), "");
  return slurp(".offered", text, sizeof text);
}

TEST(bash_completes) {
  if (!have("bash")) {
    printf("no bash: nothing is checked\n");
    return;
  }
  CHECK(tenon("completion bash") == 0 && !*err);
  CHECK(tenon("completion bash >complete.bash") == 0 && system("bash -n complete.bash") == 0);
  static const char *const cases[][2] = {
      {"tenon ch", "check "},
      {"tenon --v", "--version "},
      {"tenon run --met", "--method "},
      {"tenon run x.json --method ba", "baumgarte-b1 baumgarte-b2 baumgarte-b3 baumgarte-step "},
      {"tenon run x.json --integrator \"r\"", "radau5 rk4 "},
      {"tenon run --breach \"\"", "stop record "},
      {"tenon check --s", "--strict --set --stabilize --step "},
      {"tenon list for", "force formulation "},
      {"tenon list joint re", "revolute "},
      {"tenon new four", "four_bar four_bar_in_space "},
      {"tenon run --at-singularity \"\"", "pass stop "},
      {"tenon completion \"\"", "bash zsh "},
      {"tenon schema \"\"", ""},
      {"tenon run x.json -o \"\"", ""}, /* names of files: left to bash itself */
      {"tenon run x.json --until \"\"", ""},
      {"tenon nonsense \"\"", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *text = offered(cases[i][0]);
    if (strcmp(text, cases[i][1]) != 0) FAIL("%s: \"%s\" and not \"%s\"", cases[i][0], text, cases[i][1]);
  }
  const char *text = offered("tenon \"\"");
  for (int i = 0; i < COMMANDS; i++) CHECK_HAS(text, commands[i]);
  CHECK(tenon("completion fish") == 1 && !*out && strstr(err, "bash or zsh, not 'fish'"));
  CHECK(tenon("completion") == 1 && !*out);
}

/* what the function of zsh hands on for these words: the place and number of words, and what may be there */
static const char *handed_on(const char *words) {
  char script[1000];
  static char text[40000];
  snprintf(script, sizeof script,
           "zsh -f -c '_arguments() { print -r -- \"$CURRENT of ${#words}\"; print -rl -- \"$@\" }; "
           "_describe() { print -rl -- $commands }; words=(%s); CURRENT=${#words}; source ./_tenon' >.offered 2>.said",
           words);
  CHECK(system(script) == 0);
  char said[400];
  CHECK_TEXT(slurp(".said", said, sizeof said), "");
  return slurp(".offered", text, sizeof text);
}

TEST(zsh_completes) {
  CHECK(tenon("completion zsh >_tenon") == 0 && !*err);
  if (!have("zsh")) {
    printf("no zsh: nothing is checked\n");
    return;
  }
  CHECK(system("zsh -n _tenon") == 0);
  const char *text = handed_on("tenon \"\"");
  for (int i = 0; i < COMMANDS; i++) CHECK_HAS(text, commands[i]);
  text = handed_on("tenon run --met");
  CHECK(strncmp(text, "2 of 2\n", 7) == 0);
  CHECK(strstr(text, "--method[") && strstr(text, ":NAME:(project direct") && strstr(text, "*--set["));
  /* a word that is not begun yet is a word */
  CHECK(strncmp(handed_on("tenon run \"\""), "2 of 2\n", 7) == 0);
  CHECK(strncmp(handed_on("tenon run x.json --method \"\""), "4 of 4\n", 7) == 0);
  CHECK_HAS(handed_on("tenon completion \"\""), "(bash zsh)");
}
