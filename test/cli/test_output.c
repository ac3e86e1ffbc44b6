/* where what a command says goes: files by suffix, stdout, stderr, terminals; and what is left when it goes wrong. */
#include "test.h"

#include "cli_support.h"

#define PARTICLE "'bodies': {'p': {'mass': 1, 'coordinates': 'point'}}"
#define HANGING                                                                                                        \
  "'bodies': {'p': {'rod': [[0, 0], [1, 0]], 'mass': 1}},"                                                             \
  "'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'p'], 'at': [0, 0]}}"
#define BODY "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], "
/* breaks its contract, in the middle of the run */
#define STOPS "run " FOUR_BAR " --method fci --rtol 1e-6"

/* ---- kinds -------------------------------------------------------------------------------------------------------- */

TEST(outputs_repeat_and_their_suffix_says_what_they_are) {
  fresh();
  char text[200];
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o a.csv --output b.csv --output=c.tnr -o d.svg -o e.npy") == 0 && !*err);
  CHECK(csv_rows("a.csv", 0.01, false) == 31 && same_files("a.csv", "b.csv"));
  CHECK(strncmp(slurp("c.tnr", text, sizeof text), "\x89TNR\r\n", 6) == 0);
  CHECK(strncmp(slurp("d.svg", text, sizeof text), "<svg ", 5) == 0);
  CHECK(exists("e.t.npy") && exists("e.tip.npy") && exists("e.load.npy") && !exists("e.npy"));
  CHECK(strncmp(slurp("e.tip.npy", text, sizeof text), "\x93NUMPY", 6) == 0);
  static const char *const said[] = {"a.csv", "b.csv", "c.tnr", "d.svg", "e.t.npy", "e.tip.npy", "e.load.npy"};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    char line[60];
    snprintf(line, sizeof line, "\n  wrote %s\n", said[i]);
    CHECK_HAS(out, line);
  }
  CHECK(names_with(".part") == 0);
  /* a picture alone leaves nothing else */
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -q -o d.svg") == 0 && !*out && !*err);
  CHECK(exists("d.svg") && names_with("") == 3); /* it, .out and .err */
}

/* tags that open and close, marks that are escaped */
static bool well_formed(const char *path) {
  static char text[1 << 18];
  char stack[40][40];
  int depth = 0;
  for (const char *c = slurp(path, text, sizeof text); *c; c++) {
    if (*c == '&') {
      const size_t n = strcspn(c, ";");
      if (n < 3 || n > 6 || !c[n]) return false;
    }
    if (*c == '>') return false;
    if (*c != '<') continue;
    const size_t n = strcspn(c + 1, "<>");
    if (c[1 + n] != '>') return false;
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(c + 1, " />"), c + 1);
    if (c[1] == '/') snprintf(name, sizeof name, "%.*s", (int)strcspn(c + 2, ">"), c + 2);
    if (c[1] == '/' && (depth == 0 || strcmp(stack[--depth], name) != 0)) return false;
    if (c[1] != '/' && c[n] != '/' && depth < 40) strcpy(stack[depth++], name);
    c += 1 + n;
  }
  return depth == 0;
}

TEST(a_picture_is_good_xml_whatever_the_title) {
  spill("t.json", BODY "'title': '<b> & ]]> \\u0022 \\u0027 \xc3\xa9', " PARTICLE "}");
  CHECK(tenon("run t.json --until 0.1 -o t.svg") == 0 && well_formed("t.svg"));
  char text[2000];
  CHECK_HAS(slurp("t.svg", text, sizeof text), "&lt;b&gt; &amp; ]]&gt; ");
  CHECK(tenon("run '" MODELS "andrews.json' --until 0.03 -o a.svg") == 0 && well_formed("a.svg"));
  CHECK(system("grep -qiE '(nan|inf)[, \"]' a.svg") != 0);
}

TEST(csv_on_stdout_and_the_summary_on_stderr) {
  fresh();
  static char text[sizeof out];
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o a.csv") == 0);
  slurp("a.csv", text, sizeof text);
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o -") == 0);
  CHECK_TEXT(out, text);
  CHECK(strstr(err, "crank-rocker") && strstr(err, "reached t = 0.3 s") && strstr(err, "energy balance"));
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o - -q") == 0 && !*err);
  CHECK_TEXT(out, text);
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o - -o b.csv -o b.svg") == 0 && strstr(err, "wrote b.csv"));
  CHECK_TEXT(out, text);
  CHECK(same_files("a.csv", "b.csv"));
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o - --json") == 1 && !*out && strstr(err, "both want standard output"));
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o - -o -") == 1 && !*out);
  CHECK(!exists("-") && !exists("-.part"));
  CHECK(tenon(STOPS " -o -") == 3 && strncmp(out, "t,tip.x,tip.y,load\n0,", 21) == 0);
  CHECK(strncmp(err, "verdict: wrong\n  wrong: contract broken: joint '", 47) == 0 &&
        strstr(err, "\ntenon: contract broken: joint '"));
  /* a pipe, a device */
  CHECK(mkfifo("pipe.csv", 0666) == 0);
  CHECK(tenon_after("cat pipe.csv >through.csv & ", "run " FOUR_BAR " --until 0.3 -o pipe.csv; wait") == 0);
  CHECK(same_files("a.csv", "through.csv") && names_with(".part") == 0);
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o /dev/null") == 0);
}

/* ---- JSON --------------------------------------------------------------------------------------------------------------- */

/* a number that cannot be said is null, and the member behind it says why */
static void check_reasons(const tn_node *object) {
  char reason[120];
  for (const tn_node *c = object->first; c; c = c->next) {
    if (c->kind == TN_NODE_OBJECT || c->kind == TN_NODE_LIST) check_reasons(c);
    if (c->kind != TN_NODE_NULL || !c->key || strcmp(c->key, "unit") == 0) continue; /* a unit may not be known */
    snprintf(reason, sizeof reason, "%s_reason", c->key);
    const tn_node *why = tn_node_get(object, reason);
    if (!why || why->kind != TN_NODE_TEXT || !*why->text) FAIL("no %s", reason);
  }
}

static void check_alone(const char *status) {
  const size_t n = strlen(out);
  CHECK(out[0] == '{' && n > 2 && strcmp(out + n - 3, "\n}\n") == 0);
  tn_desc *d = summary(); /* the strict reader takes no NaN, and nothing behind the object */
  check_reasons(d->root);
  tn_desc_free(d);
  CHECK_TEXT(text_of("status"), status);
  CHECK_TEXT(text_of("tenon"), TN_VERSION);
  CHECK(*text_of("model"));
}

TEST(json_is_one_object_and_alone) {
  spill("bad.json", BODY "'bodies': {'k': {'mass': -1, 'inertia': 1}}}");
  spill("never.json", BODY PARTICLE ", 'forces': {'f': {'type': 'force', 'on': 'p', 'value': ['1/t', 0]}}}");
  static const struct {
    const char *words;
    int code;
    const char *status;
  } cases[] = {{"run " FOUR_BAR " --until 0.1 --json", 0, "done"},
               {"run " FOUR_BAR " --until 0.1 --json -v", 0, "done"},
               {"run " FOUR_BAR " --until 0.1 --json -q", 0, "done"},
               {"run " FOUR_BAR " --until 0.1 --json -o a.csv -o a.tnr -o a.svg -o a.npy", 0, "done"},
               {STOPS " --json", 3, "stopped"},
               {STOPS " --json -o a.csv", 3, "stopped"}, /* where there is an older one */
               {STOPS " --json --until 1 --breach record", 8, "done"},
               {"run " FOUR_BAR " --until 0.5 --rtol 1e-4 --json", 8, "done"},
               {"run " FOUR_BAR " --until 0.5 --rtol 1e-4 --json --accept-doubt", 0, "done"},
               {"run never.json --json", 3, "stopped"},
               {"run never.json --json -o n.csv -o n.tnr", 3, "stopped"},
               {"run bad.json --json", 2, "refused"},
               {"run " FOUR_BAR " --json --method magic", 2, "refused"},
               {"run " FOUR_BAR " --json --until -1", 2, "refused"},
               {"run nowhere.json --json", 4, "failed"},
               {"run " FOUR_BAR " --until 0.1 --json -o no/such/folder.csv", 4, "failed"},
               {"run " FOUR_BAR " --until 0.1 --json -o no/such/folder.svg", 4, "failed"},
               {"run " FOUR_BAR " --until 0.1 --json -o /dev/full", 4, "failed"},
               {"check " FOUR_BAR " --json", 0, "good"},
               {"check bad.json --json", 2, "refused"},
               {"check never.json --json", 3, "refused"},
               {"check nowhere.json --json", 4, "failed"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int failures = tn_test_failures, code = tenon("%s", cases[i].words);
    CHECK(code == cases[i].code);
    check_alone(cases[i].status);
    CHECK((code == 0) == !*err); /* what went wrong is said there, too */
    if (tn_test_failures > failures) printf("%s: %d\n%.300s%.300s\n", cases[i].words, code, err, out);
  }
}

TEST(a_number_without_bounds_is_null_with_a_reason) {
  spill("fast.json", BODY PARTICLE ", 'start': {'p.vx': 1e200}}");
  CHECK(tenon("check fast.json --json") == 0);
  CHECK_HAS(out, "\"kinetic\": null,\n  \"kinetic_reason\": \"beyond all bounds\"");
  check_alone("good");
  CHECK(tenon("run fast.json --json --integrator euler --step 0.1 --accept-doubt") ==
        8); /* a balance that is no number */
  check_alone("done");
  CHECK_HAS(out, "\"energy_balance\": null,\n  \"energy_balance_reason\": \"");
}

TEST(json_of_a_refusal_says_where) {
  spill("bad.json", "{\n  'tenon': 1, 'dimension': 2,\n  'bodies': {'k': {'mass': -1, 'inertia': 1}}\n}");
  CHECK(tenon("run bad.json --json") == 2);
  CHECK_TEXT(text_of("file"), "bad.json");
  CHECK_TEXT(text_of("pointer"), "/bodies/k/mass");
  CHECK_TEXT(text_of("message"), "body 'k': the mass must not be negative, it is -1");
  CHECK(number_of("line") == 3 && number_of("column") == 28);
}

/* ---- where a model comes from --------------------------------------------------------------------------------------------- */

TEST(a_model_from_standard_input) {
  CHECK(tenon("run " FOUR_BAR " --until 0.3 --set rho=2 -o a.csv") == 0);
  CHECK(tenon_after("cat " FOUR_BAR " |", "run - --until 0.3 --set rho=2 -o b.csv --json") == 0 && !*err);
  CHECK_TEXT(text_of("model"), "<stdin>");
  CHECK(same_files("a.csv", "b.csv"));
  CHECK(tenon_after("cat " FOUR_BAR " |", "check -") == 0 && strncmp(out, "<stdin>: crank-rocker", 21) == 0);
  CHECK(tenon_after("cat " FOUR_BAR " |", "eval -") == 0 && number_of("rank") == 8);
  CHECK(tenon_after("\"" TN_BINARY "\" show " FOUR_BAR " --set rho=2 |", "run - --until 0.3 -o b.csv") == 0);
  CHECK(same_files("a.csv", "b.csv"));
  CHECK(tenon_after("printf '{\"tenon\": 1,\\n?}' |", "run -") == 2 && !*out && strstr(err, "(<stdin>:2:1)"));
  CHECK(tenon_after(":|", "run -") == 2 && !*out && strstr(err, "<stdin>"));
  CHECK(tenon_after("", "run - <&-") == 4 && !*out); /* there is none */
  /* larger than any buffer */
  CHECK(tenon_after("(cat " FOUR_BAR "; head -c 300000 /dev/zero | tr '\\0' ' ') |", "check - -q") == 0 && !*err);
}

TEST(the_model_in_a_result_runs_again) {
  CHECK(tenon("run '" MODELS "n_four_bar.json' --set N=3 --until 0.5 --every 0.1 --method direct --rtol 1e-6 -o a.csv "
              "-o a.tnr") == 0);
  CHECK(tenon("run a.tnr -o b.csv -o b.tnr --json") == 0 && !*err && same_files("a.csv", "b.csv"));
  CHECK_TEXT(text_of("method"), "direct");
  CHECK_TEXT(text_of("model"), "a.tnr");
  CHECK(tenon("run b.tnr -o c.csv") == 0 && same_files("a.csv", "c.csv"));
  CHECK(tenon("check a.tnr --json") == 0 && number_of("bodies") == 7 && number_of("until") == 0.5);
  CHECK(tenon("run a.tnr --set N=2 --until 0.3 -o c.csv") == 0); /* it still has its constants */
  CHECK(tenon("run '" MODELS "n_four_bar.json' --until 0.3 --every 0.1 --method direct --rtol 1e-6 -o d.csv") == 0);
  CHECK(same_files("c.csv", "d.csv"));
  CHECK(tenon("run a.tnr -o a.tnr") == 1 && strstr(err, "would be replaced")); /* it would lose what it reads */
  CHECK(tenon("export a.tnr -o e.csv") == 0 && same_files("a.csv", "e.csv"));
  CHECK(tenon_after("head -c 100 a.tnr >cut.tnr;", "run cut.tnr") == 4 && !*out && strstr(err, "(cut.tnr)"));
}

/* ---- older files ------------------------------------------------------------------------------------------------------------ */

static const char old[] = "the older result\n";

TEST(a_run_that_stops_leaves_an_older_file_alone) {
  fresh();
  static const char *const files[] = {"a.csv", "a.tnr", "a.svg", "a.t.npy", "a.tip.npy"};
  char part[40];
  CHECK(tenon(STOPS " -o new.csv -o new.tnr -o new.svg -o new.npy") == 3);
  CHECK(csv_rows("new.csv", 0.01, false) > 2 && names_with(".part") == 0);
  CHECK_HAS(out, "  wrote new.csv, the rows so far\n");
  CHECK(tenon("export new.tnr -o from.csv") == 0 && same_files("new.csv", "from.csv"));
  for (int i = 0; i < 5; i++) spill(files[i], old);
  CHECK(tenon(STOPS " -o a.csv -o a.tnr -o a.svg -o a.npy") == 3);
  for (int i = 0; i < 5; i++) {
    CHECK(file_is(files[i], old));
    snprintf(part, sizeof part, "%s.part", files[i]);
    CHECK(exists(part));
  }
  CHECK_HAS(out, "  the rows so far are in a.csv.part; the older a.csv is as it was\n");
  CHECK(same_files("new.csv", "a.csv.part") && same_files("new.tip.npy", "a.tip.npy.part"));
  CHECK(tenon("export a.tnr.part -o from.csv") == 0 && same_files("new.csv", "from.csv"));
  /* one that is whole takes their place, and theirs that were left */
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -o a.csv -o a.tnr -o a.svg -o a.npy") == 0);
  CHECK(csv_rows("a.csv", 0.01, false) == 31 && names_with(".part") == 0);
  for (int i = 0; i < 5; i++) CHECK(!file_is(files[i], old));
}

/* nothing was simulated: no file is touched, and none is said to be there */
TEST(a_start_that_fails_touches_no_file) {
  fresh();
  spill("never.json", BODY PARTICLE ", 'forces': {'f': {'type': 'force', 'on': 'p', 'value': ['1/t', 0]}}}");
  static const char *const words[] = {"", "-o x.csv", "-o x.tnr", "-o x.svg", "-o x.npy", "-o x.csv -o x.tnr -o x.svg"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const int code = tenon("run never.json %s", words[i]);
    if (code != 3 || strcmp(err, "tenon: force 'f' is not a finite number at t = 0 s\n") != 0)
      FAIL("%s: %d\n%s", words[i], code, err);
    CHECK(names_with("x.") == 0 && !strstr(out, "wrote"));
  }
  spill("x.csv", old);
  spill("x.tnr", old);
  CHECK(tenon("run never.json -o x.csv -o x.tnr") == 3 && file_is("x.csv", old) && file_is("x.tnr", old));
  CHECK(names_with(".part") == 0);
}

TEST(no_clobber_replaces_nothing) {
  fresh();
  static const char *const files[] = {"a.csv", "a.tnr", "a.svg", "a.t.npy"};
  static const char *const names[] = {"a.csv", "a.tnr", "a.svg", "a.npy"};
  for (int i = 0; i < 4; i++) {
    drop_files("a.* b.*");
    spill(files[i], old);
    CHECK(tenon("run " FOUR_BAR " --until 0.1 --no-clobber -o b.csv -o %s", names[i]) == 4);
    CHECK(!*out && strncmp(err, "tenon: '", 8) == 0 && strstr(err, files[i]) && strstr(err, "is there already"));
    CHECK(file_is(files[i], old) && !exists("b.csv") && names_with(".part") == 0); /* known before it runs */
    drop_files("a.*");
    CHECK(tenon("run " FOUR_BAR " --until 0.1 --no-clobber -q -o %s", names[i]) == 0 && exists(files[i]));
  }
}

TEST(an_output_is_written_once) {
  fresh();
  spill("a.csv", old);
  CHECK(mkdir("sub", 0777) == 0);
  CHECK(symlink("a.csv", "link.csv") == 0);
  static const char *const twice[] = {"-o a.csv -o a.csv",   "-o a.csv -o ./a.csv", "-o a.csv -o sub/../a.csv",
                                      "-o a.tnr -o ./a.tnr", "-o a.svg -o ./a.svg", "-o a.csv -o link.csv"};
  for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
    const int code = tenon("run " FOUR_BAR " --until 0.1 %s", twice[i]);
    if (code != 1 || *out) FAIL("%s: %d\n%s%s", twice[i], code, err, out);
  }
  CHECK(file_is("a.csv", old) && names_with("a.") == 1);
  /* two of a kind are two files, or are refused; never one */
  const int code = tenon("run " FOUR_BAR " --until 0.1 -q -o one.tnr -o two.tnr");
  CHECK(code == 1 || (code == 0 && exists("one.tnr") && exists("two.tnr")));
}

/* ---- what cannot be written --------------------------------------------------------------------------------------------------- */

TEST(what_cannot_be_written_leaves_nothing_about) {
  fresh();
  static const char *const words[] = {"-o a.csv -o no/such/b.csv", "-o a.csv -o no/such/b.tnr",
                                      "-o a.tnr -o no/such/b.csv", "-o a.svg -o no/such/b.csv",
                                      "-o no/such/b.svg",          "-o no/such/b.npy"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    CHECK(tenon("run " FOUR_BAR " --until 0.1 %s", words[i]) == 4 && !*out);
    CHECK(strncmp(err, "tenon: cannot write 'no/such/b.", 31) == 0);
    if (names_with("a.") || names_with(".part")) FAIL("%s: something is left", words[i]);
    drop_files("a.*");
  }
  CHECK(mkdir("taken.csv", 0777) == 0 && mkdir("taken.svg", 0777) == 0);
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -o taken.csv") == 4 && !*out && strstr(err, "cannot write 'taken.csv'"));
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -o taken.svg") == 4 && !*out && strstr(err, "cannot write 'taken.svg'"));
  CHECK(names_with(".part") == 0);
}

/* a disk that is full: exit 4, in words, once */
TEST(a_full_disk_is_exit_4) {
  fresh();
  static const char *const commands[] = {"--help",
                                         "--version",
                                         "--manual",
                                         "run --help",
                                         "run " FOUR_BAR " --until 0.1",
                                         "run " FOUR_BAR " --until 0.1 --json",
                                         "run " FOUR_BAR " --until 0.1 -o -",
                                         "run " FOUR_BAR " --until 3 --every 1e-3 -o -",
                                         "check " FOUR_BAR,
                                         "check " FOUR_BAR " --json",
                                         "show " FOUR_BAR,
                                         "show '" MODELS "n_four_bar.json' --set N=30", /* more than a buffer */
                                         "eval " FOUR_BAR,
                                         "list",
                                         "list joint revolute",
                                         "list --markdown",
                                         "schema",
                                         "new",
                                         "new four_bar -",
                                         "export r.tnr",
                                         "export r.tnr -o -",
                                         "completion bash",
                                         "completion zsh"};
  if (!exists("/dev/full")) {
    printf("no /dev/full: nothing is checked\n");
    return;
  }
  CHECK(tenon("run " FOUR_BAR " --until 3 --every 1e-3 -o r.tnr") == 0);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    const int code = tenon("%s >/dev/full", commands[i]);
    const char *once = strstr(err, "tenon: ");
    if (code != 4 || !once || strstr(once + 1, "tenon: ") || !strstr(once, "writ"))
      FAIL("%s: %d\n\"%s\"", commands[i], code, err);
  }
  CHECK(tenon("run " FOUR_BAR " --until 3 --every 1e-3 -o /dev/full") == 4 && strstr(err, "cannot write '/dev/full'"));
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -o /dev/full") == 4 && strstr(err, "cannot write '/dev/full'"));
  CHECK(tenon("export r.tnr -o /dev/full") == 4 && strstr(err, "cannot write '/dev/full'"));
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -o /dev/full -o good.csv") == 4);
}

TEST(out_of_memory_is_exit_5) {
  fresh();
  if (SANITIZED) return; /* they need more room than the limit leaves */
  CHECK(tenon_after("ulimit -v 60000;", "run '" MODELS "n_four_bar.json' --set N=3000 -o m.csv") == 5 && !*out);
  CHECK(strstr(err, "tenon: out of memory") && names_with("m.csv") == 0);
  CHECK(tenon_after("ulimit -v 60000;", "run '" MODELS "n_four_bar.json' --set N=3000 --json") == 5);
  CHECK_TEXT(text_of("status"), "failed");
}

/* ---- how much is said ------------------------------------------------------------------------------------------------------------ */

static int occurs(const char *text, const char *part) {
  int n = 0;
  while ((text = strstr(text, part))) n++, text++;
  return n;
}

TEST(quiet_and_verbose) {
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o a.csv") == 0 && !*out && !*err &&
        csv_rows("a.csv", 0.01, false) == 11);
  CHECK(tenon("run " FOUR_BAR " --until 0.1 --quiet") == 0 && !*out && !*err);
  CHECK(tenon(STOPS " -q") == 3 && !*out && strncmp(err, "tenon: contract broken: joint '", 31) == 0);
  CHECK(tenon("run nowhere.json -q") == 4 && !*out && *err);
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q --json") == 0 && number_of("t_end") == 0.1);
  CHECK(tenon("check " FOUR_BAR " -q") == 0 && !*out && !*err);
  spill("none.json", "{'tenon': 1, 'dimension': 2, " HANGING "}");
  CHECK(tenon("run none.json --until 0.1") == 0 && strstr(out, "  warning: no gravity"));
  CHECK(tenon("run none.json --until 0.1 -v") == 0 && strstr(out, "  warning: no gravity is given"));
  CHECK(tenon("run none.json --until 0.1 -v -o -") == 0 && strstr(err, "  warning: no gravity is given") &&
        strncmp(out, "t,", 2) == 0);
  /* more than three warnings: all of them, each once */
  spill("warns.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'b1': {'mass': 1, 'inertia': 1, 'angle': 90},"
                      "'b2': {'mass': 1, 'inertia': 1, 'angle': 90}, 'b3': {'mass': 1, 'inertia': 1, 'angle': 90},"
                      "'b4': {'mass': 1, 'inertia': 1, 'angle': 90}},"
                      "'joints': {'j': {'type': 'revolute', 'between': ['ground', 'b1'], 'at': [1, 0]}}}");
  CHECK(tenon("run warns.json --until 0.1") == 0 && occurs(out, "\n  warning: ") == 3);
  CHECK(tenon("run warns.json --until 0.1 -v") == 0 && occurs(out, "\n  warning: ") == 5);
  CHECK(!strstr(out, "warnings more"));
  CHECK(occurs(out, "no gravity is given") == 1 && occurs(out, "body 'b4'") == 1);
  CHECK(tenon("run warns.json --until 0.1") == 0 && strstr(out, "  and 2 warnings more: tenon check\n"));
  /* more than eight events: all of them */
  static const char many[] = "run '" MODELS "braun_four_bars.json' --until 10";
  int n = 0;
  CHECK(tenon("%s --json", many) == 0);
  tn_desc *d = summary();
  const tn_node *events = tn_node_get(d->root, "events");
  for (const tn_node *c = events ? events->first : NULL; c; c = c->next) n++;
  tn_desc_free(d);
  CHECK(n > 8);
  CHECK(tenon("%s -v", many) == 0);
  CHECK(occurs(out, "\n  event at t = ") == n && !strstr(out, "events more"));
  CHECK(tenon("%s", many) == 0);
  CHECK(occurs(out, "\n  event at t = ") == 8 && strstr(out, "events more"));
}

/* what an option says is not in the file */
TEST(a_mistake_in_an_option_is_on_the_command_line) {
  CHECK(tenon("run " FOUR_BAR " --integrator rk4 --rtol 1e-6") == 2);
  CHECK_TEXT(err, "tenon: rk4 has a fixed step: it takes `step`, not tolerances (command line)\n");
}

/* an event that did not happen has no time, and says why */
TEST(an_event_that_did_not_happen) {
  fresh();
  CHECK(tenon("run '" MODELS "clutch.json' --until 1 --json") == 0);
  CHECK_HAS(out, "\"first\": null");
  CHECK_HAS(out, "\"last\": null");
  CHECK_HAS(out, "\"last_reason\": \"it did not happen\"");
}

/* ---- terminals --------------------------------------------------------------------------------------------------------------------- */

#define RED "\x1b[1;31m"
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* an error, and a summary that begins with `wrong` */
static bool painted(bool both, const char *const *environment, const char *const *words) {
  terminal t;
  terminal_start(&t, words, both, environment);
  const int code = terminal_end(&t);
  CHECK(code == 3 || code == 4);
  CHECK_HAS(t.text, both ? "contract broken: joint" : "cannot open 'nowhere.json'");
  slurp(".out", out, sizeof out);
  CHECK(!strchr(out, 27));
  const char *red = strstr(t.text, both ? RED "verdict: wrong" : RED "tenon:\x1b[0m cannot open");
  CHECK((red != NULL) == (strchr(t.text, 27) != NULL)); /* nothing else is coloured */
  return red != NULL;
}

TEST(colour_on_a_terminal_only) {
  if (!terminal_there()) return;
  static const char *const stops[] = {"run", MODELS "four_bar.json", "--method", "fci", "--rtol", "1e-6", NULL};
  static const char *const missing[] = {"run", "nowhere.json", NULL};
  for (int both = 0; both < 2; both++) {
    const char *const *words = both ? stops : missing;
    CHECK(painted(both, WORDS("TERM=xterm", "NO_COLOR"), words));
    CHECK(painted(both, WORDS("TERM=xterm", "NO_COLOR="), words)); /* empty counts for nothing */
    CHECK(!painted(both, WORDS("TERM=xterm", "NO_COLOR=1"), words));
    CHECK(!painted(both, WORDS("TERM=dumb", "NO_COLOR"), words));
  }
  /* files and pipes, whatever the environment says */
  CHECK(tenon_after("unset NO_COLOR; export TERM=xterm;", "run nowhere.json") == 4 && !strchr(err, 27));
  CHECK(tenon_after("unset NO_COLOR; export TERM=xterm;", STOPS) == 3 && !strchr(err, 27) && !strchr(out, 27));
  /* the one is a terminal, the other is not */
  terminal t;
  terminal_start(&t, stops, false, WORDS("TERM=xterm", "NO_COLOR"));
  CHECK(terminal_end(&t) == 3 && strstr(t.text, RED "tenon:"));
  CHECK(!strchr(slurp(".out", out, sizeof out), 27) && strncmp(out, "verdict: wrong\n", 15) == 0);
}

/* a run that is not going to end. it is made to */
#define ENDLESS MODELS "four_bar.json", "--until", "1e6", "--step", "1e-4", "--every", "0.1"

TEST(progress_on_a_terminal_after_a_second) {
  if (!terminal_there()) return;
  terminal shown, quiet, json;
  const double began = seconds();
  terminal_start(&shown, WORDS("run", ENDLESS), false, WORDS("TERM=xterm"));
  terminal_start(&quiet, WORDS("run", ENDLESS, "-q"), false, WORDS("TERM=xterm"));
  terminal_start(&json, WORDS("run", ENDLESS, "--json"), false, WORDS("TERM=xterm"));
  const pid_t file = start_words(WORDS("run", ENDLESS), "/dev/null", ".out1", ".err1");
  CHECK(terminal_shows(&shown, " s left", 60));
  CHECK(seconds() - began >= 1);
  CHECK_HAS(shown.text, "\r  t = ");
  CHECK_HAS(shown.text, " of 1e+06 s, ");
  /* those that say nothing have had their second too, however late they began */
  nap(1.3);
  kill(shown.child, SIGINT);
  kill(quiet.child, SIGINT);
  kill(json.child, SIGINT);
  kill(file, SIGINT);
  CHECK(terminal_end(&shown) == 130 && terminal_end(&quiet) == 130 && terminal_end(&json) == 130);
  CHECK(wait_for(file) == 130);
  /* the line is gone before anything else is said */
  const char *end = strstr(shown.text, "tenon:");
  CHECK(end && !strstr(end, "\r  t = ") && strstr(shown.text, "\r\x1b[K"));
  CHECK(!strstr(quiet.text, " left") && !strstr(quiet.text, "\x1b[K"));
  CHECK(!strstr(json.text, " left") && !strstr(json.text, "\x1b[K"));
  slurp(".err1", err, sizeof err);
  CHECK(!strchr(err, '\r') && !strchr(err, 27) && strstr(err, "interrupted at t = "));
  /* and none where it is over before */
  double took = 1;
  for (int tries = 0; tries < 20 && took >= 1; tries++) { /* a busy machine may need more than that second */
    const double start = seconds();
    terminal_start(&shown, WORDS("run", MODELS "four_bar.json", "--until", "0.1"), false, WORDS("TERM=xterm"));
    CHECK(terminal_end(&shown) == 0);
    took = seconds() - start;
  }
  CHECK(took < 1);
  CHECK_TEXT(shown.text, "");
}

/* ---- words that are meant badly ----------------------------------------------------------------------------------------------------- */

static char long_word[30000]; /* longer than any buffer inside */

/* refused with this code and words on stderr alone, all of it fit to be shown */
static void check_refused(const char *what, int code, int expected) {
  bool shown = true;
  for (const char *c = err; *c; c++) shown = shown && ((unsigned char)*c >= 0x20 || *c == '\n');
  if (code != expected || *out || strncmp(err, "tenon: ", 7) != 0 || !strchr(err, '\n') || !shown)
    FAIL("%.60s: %d and not %d%s\n%.300s%.100s", what, code, expected, shown ? "" : ", control characters", err, out);
}

TEST(words_meant_badly) {
  fresh();
  memset(long_word, 'x', sizeof long_word - 1);
  static char long_csv[300 + 5], long_set[30000];
  memset(long_csv, 'n', 300);
  strcpy(long_csv + 300, ".csv");
  memset(long_set, 'n', 20000);
  strcpy(long_set + 20000, "=1");
  CHECK(mkdir("folder", 0777) == 0);
  const char *const f = MODELS "four_bar.json";
  const struct {
    int code;
    const char *words[8];
  } cases[] = {
      {1, {""}},
      {1, {" "}},
      {1, {"run", f, ""}},
      {1, {"", "run", f}},
      {4, {"run", ""}},
      {1, {"list", ""}},
      {1, {"list", "joint", ""}},
      {1, {"new", ""}},
      {4, {"new", "four_bar", ""}},
      {1, {"completion", ""}},
      {1, {"schema", ""}},
      {1, {"help", ""}},
      {4, {"export", ""}},
      {1, {"run", f, "-o", ""}},
      {1, {"run", f, "--set", ""}},
      {1, {"run", f, "--method", ""}},
      {1, {long_word}},
      {1, {"run", f, long_word}},
      {4, {"run", long_word}},
      {4, {"check", long_word}},
      {4, {"export", long_word}},
      {1, {"run", f, "--set", long_word}},
      {1, {"run", f, "--set", long_set}},
      {1, {"run", f, "-o", long_word}},
      {4, {"run", f, "-o", long_csv}},
      {1, {"eval", f, "--at", long_word}},
      {1, {"new", long_word}},
      {1, {"list", long_word}},
      {1, {"list", "joint", long_word}},
      {2, {"run", f, "--method", long_word}},
      {2, {"run", f, "--until", long_word}},
      {1, {"run", f, "--until"}},
      {1, {"run", f, "-o"}},
      {1, {"run", f, "--set"}},
      {1, {"run", f, "--method"}},
      {1, {"eval", f, "--at"}},
      {1, {"run", f, "--json=yes"}},
      {1, {"run", f, "--until", "1", "--until", "2"}},
      {1, {"run", f, "---"}},
      {1, {"run", f, "--=x"}},
      {1, {"run", f, "-oa.csv"}},
      {1, {"run", f, "-qv"}},
      {1, {"run", "--", "--help", f}},
      {1, {"run", f, "--set", "rho"}},
      {1, {"run", f, "--set", "="}},
      {1, {"run", f, "--set", "=="}},
      {1, {"run", f, "--set", "=1"}},
      {1, {"run", f, "--set", "rho/x=1"}},
      {1, {"run", f, "--set", "/=1"}},
      {1, {"run", f, "--set", "../title=1"}},
      {1, {"run", f, "--set", "~1=1"}},
      {2, {"run", f, "--set", "rho="}},
      {2, {"run", f, "--set", "rho=(1"}},
      {2, {"run", f, "--set", "rho=rho"}},
      {2, {"run", f, "--set", "rho=-1"}},
      {2, {"run", f, "--set", "rho=%s%n"}},
      {2, {"run", MODELS "n_four_bar.json", "--set", "N=1e9"}},
      {2, {"run", MODELS "n_four_bar.json", "--set", "N=-1e300"}},
      {2, {"run", MODELS "n_four_bar.json", "--set", "N=2.5"}},
      {2, {"run", f, "--until", ""}},
      {1, {"run", f, "--until", "1e999"}},
      {2, {"run", f, "--every", "0"}},
      {2, {"run", f, "--step", "0"}},
      {2, {"run", f, "--rtol", "-1"}},
      {2, {"run", f, "--integrator", "rk4:step=nonsense"}},
      {1, {"run", f, "-o", "result"}},
      {1, {"run", f, "-o", "result.CSV"}},
      {1, {"run", f, "-o", ".csv"}},
      {1, {"run", f, "-o", "folder/.tnr"}},
      {1, {"run", f, "-o", "result.csv."}},
      {1, {"run", f, "-o", "result.json"}},
      {4, {"run", f, "-o", "folder"}},
      {4, {"run", f, "-o", "folder/"}},
      {4, {"run", "folder"}},
      {4, {"check", "folder"}},
      {4, {"export", "folder"}},
      {4, {"new", "four_bar", "folder"}},
      {4, {"run", "%s%s%n%p.json"}},
      {1, {"run", f, "-o", "%s%n"}},
      {1, {"%s%n"}},
      {1, {"run", f, "--%s%n"}},
      {1, {"new", "%s%n"}},
      {4, {"run", "a\nb.json"}},
      {4, {"run", "\xff\xfe.json"}},
      {4, {"run", "\x1b[31m.json"}},
      {4, {"run", "no/such/\x1b]0;x\a.json"}},
      {1, {"run", f, "-o", "a\nb"}},
      {1, {"run", f, "-o", "\x1b[31mred"}},
      {4, {"run", f, "-o", "no/such/\x1b[31mred.csv"}},
      {1, {"\x1b[31mred"}},
      {1, {"run", f, "--\x1b[31mred"}},
      {1, {"run", f, "--set", "\xff=1"}},
      {1, {"run", f, "--set", "a\nb=1"}},
      {1, {"new", "\x1b[31mred"}},
      {1, {"list", "\x1b[31mred"}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char what[200] = "";
    for (int k = 0; cases[i].words[k] && k < 7; k++)
      snprintf(what + strlen(what), 60, "%.40s|", cases[i].words[k] == f ? "F" : cases[i].words[k]);
    check_refused(what, tenon_words(cases[i].words), cases[i].code);
  }
  CHECK(names_with(".part") == 0 && names_with("result") == 0);
}

/* names that a shell, printf or a terminal would stumble over are good names */
TEST(odd_names_are_names) {
  fresh();
  static const char *const names[] = {"a b",      "it's",  "a\"b\"",   "per%cent%s", "line\nend",
                                      "\xff\xfe", "-dash", "#;&|$(x)", "tab\t",      "\xc3\xa9"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char model[60], csv[60], tnr[60], svg[60];
    snprintf(model, sizeof model, "./%s.json", names[i]);
    snprintf(csv, sizeof csv, "./%s.csv", names[i]);
    snprintf(tnr, sizeof tnr, "./%s.tnr", names[i]);
    snprintf(svg, sizeof svg, "./%s.svg", names[i]);
    spill("model.json", BODY PARTICLE ", 'run': {'until': 0.1}}");
    CHECK(rename("model.json", model) == 0);
    CHECK(TENON("run", model, "--json", "-o", csv, "-o", tnr) == 0 && !*err);
    check_alone("done");
    CHECK(csv_rows(csv, 0.001, false) == 101);
    CHECK(TENON("run", tnr, "-q", "-o", "again.csv") == 0 && TENON("export", tnr, "-q", "-o", svg) == 0);
    CHECK(size_of("again.csv") == size_of(csv) && exists(svg) && well_formed(svg));
    CHECK(TENON("new", "four_bar", model) == 4 && TENON("new", "four_bar", model, "--force") == 0);
  }
  CHECK(names_with(".part") == 0);
  spill("model.json", BODY PARTICLE ", 'run': {'until': 0.1}}");
  CHECK(rename("model.json", "-m.json") == 0);
  CHECK(TENON("run", "-q", "-o", "-m.csv", "--", "-m.json") == 0 && csv_rows("./-m.csv", 0.001, false) == 101);
}

/* no byte of a text obeys: nothing but lines of characters that can be seen */
static bool is_plain(const char *text) {
  static const char *const marks[] = {"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                      "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae",
                                      "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (strstr(text, marks[i])) return false;
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if ((*c < 0x20 && *c != '\n') || *c == 0x7f) return false;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) return false;
    if (*c == 0xff || *c == 0xfe) return false;
  }
  return true;
}

#define TITLE                                                                                                          \
  "'title': 'red \xc2\x9b"                                                                                             \
  "31m and \xe2\x80\xae"                                                                                               \
  "evil\xe2\x81\xa9',"

TEST(names_and_titles_do_not_reach_a_terminal_as_they_are) {
  fresh();
  static const char *const names[] = {"e\x1b[31m",
                                      "bell\a",
                                      "del\x7f",
                                      "csi\xc2\x9b"
                                      "31m",
                                      "rtl\xe2\x80\xae"
                                      "fdp",
                                      "iso\xe2\x81\xa6",
                                      "bytes\xff\xfe",
                                      "line\nend"},
                           *const shown[] = {"e\\x1b[31m",    "bell\\x07",  "del\\x7f",        "csi\\u009b31m",
                                             "rtl\\u202efdp", "iso\\u2066", "bytes\\xff\\xfe", "line\\nend"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char model[60], csv[60], tnr[60], page[60], line[80];
    snprintf(model, sizeof model, "./%s.json", names[i]);
    snprintf(csv, sizeof csv, "./%s.csv", names[i]);
    snprintf(tnr, sizeof tnr, "./%s.tnr", names[i]);
    snprintf(page, sizeof page, "./%s.svg", names[i]);
    spill("model.json", BODY TITLE PARTICLE ", 'run': {'until': 0.1}}");
    CHECK(rename("model.json", model) == 0);
    CHECK(TENON("check", model) == 0 && is_plain(out) && is_plain(err));
    CHECK_HAS(out, "red \\u009b31m and \\u202eevil\\u2069\n");
    CHECK_HAS(out, shown[i]);
    CHECK(TENON("run", model, "-o", csv, "-o", tnr) == 0 && is_plain(out) && is_plain(err));
    snprintf(line, sizeof line, "  wrote ./%s.csv\n", shown[i]);
    CHECK_HAS(out, line);
    CHECK(TENON("run", model, "--json") == 0 && is_plain(out) && is_plain(err));
    CHECK(TENON("check", model, "--json") == 0 && is_plain(out) && is_plain(err));
    CHECK(TENON("export", tnr) == 0 && is_plain(out) && is_plain(err));
    CHECK_HAS(out, "red \\u009b31m and \\u202eevil\\u2069\n");
    CHECK(TENON("export", tnr, "-o", page) == 0 && is_plain(out));
    char svg[1 << 16];
    CHECK(is_plain(slurp(page, svg, sizeof svg)) && strstr(svg, "\\u202eevil"));
    CHECK(TENON("resume", tnr) == 0 && is_plain(out) && is_plain(err));
    CHECK(TENON("new", "four_bar", model, "--force") == 0 && is_plain(out));
    CHECK_HAS(out, shown[i]);
    CHECK(unlink(model) == 0 && TENON("run", model) == 4 && is_plain(err));
    CHECK_HAS(err, shown[i]);
  }
}
