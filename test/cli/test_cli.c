/* the command line: words in, files and exit codes out. ' stands for " in the models here. */
#include "support/build.h"
#include "test.h"

#include "cli_support.h"

/* ---- words -------------------------------------------------------------------------------------------------------------- */

TEST(help_and_version) {
  static const char *const ways[] = {"--help", "-h", "help"};
  for (int i = 0; i < 3; i++) {
    CHECK(tenon("%s", ways[i]) == 0 && !*err);
    CHECK_HAS(out, "tenon run MODEL");
    CHECK_HAS(out, "exit codes");
  }
  CHECK(tenon("--version") == 0 && !*err);
  CHECK(strncmp(out, "tenon " TN_VERSION "\n", strlen("tenon " TN_VERSION "\n")) == 0);
  static const char *const options[] = {"-o, --output", "--json",   "--set",         "--until",
                                        "--every",      "--method", "--formulation", "--stabilize",
                                        "--integrator", "--step",   "--rtol",        "--atol"};
  CHECK(tenon("run --help") == 0 && !*err);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) CHECK_HAS(out, options[i]);
  CHECK(tenon("run -h") == 0 && tenon("run nothing.json --help") == 0); /* wherever it stands */
  CHECK(tenon("list --help") == 0 && strstr(out, "formulation"));
}

TEST(words_that_make_no_sense_are_usage) {
  CHECK(tenon(" ") == 1 && !*out && strstr(err, "tenon run MODEL"));
  CHECK(tenon("simulate") == 1 && !*out);
  CHECK_TEXT(err, "tenon: unknown command 'simulate'\n       see tenon --help\n");
  CHECK(tenon("list joints") == 1 && strstr(err, "unknown kind 'joints'"));
  CHECK(tenon("list joint force") == 1);
  static const char *const bad[][2] = {
      {"run", "run needs MODEL"},
      {"run " PENDULUM " --untill 3", "unknown option '--untill'"},
      {"run " PENDULUM " -x", "unknown option '-x'"},
      {"run " PENDULUM " " PENDULUM, "one word too many: '" MODELS "pendulum.json'"},
      {"run " PENDULUM " --until", "a value is missing after '--until'"},
      {"run " PENDULUM " -o", "a value is missing after '-o'"},
      {"run " PENDULUM " --set", "a value is missing after '--set'"},
      {"run " PENDULUM " -o result.txt", "ends in .csv, .tnr, .npy, .svg, .png, .html or .glb, not 'result.txt'"},
      {"run " PENDULUM " -o a.csv -o a.csv", "named twice as an output: 'a.csv'"},
      {"run " FOUR_BAR " --set rho", "--set needs NAME=VALUE"},
      {"run " FOUR_BAR " --set =3", "--set needs NAME=VALUE"},
      {"run " FOUR_BAR " --set rhoo=3", "the model has no constant or parameter 'rhoo' to set"},
      {"run " FOUR_BAR " --set rho=inf", "finite"},
      {"run " PENDULUM " --set g=3", "the model has no constant or parameter 'g' to set"},
      {"run " PENDULUM " --until nan", "finite"},
      {"run " PENDULUM " --stabilize baumgarte:alpha", "expected key=value"},
      {"run " PENDULUM " --stabilize baumgarte:", "expected key=value"},
      {"run " PENDULUM " --stabilize baumgarte:alpha=5,alpha=6", "given twice"},
      {"run " PENDULUM " --stabilize 'baumgarte:alpha=(5'", "brackets do not match"},
      {"run " PENDULUM " --stabilize :alpha=5", "expected type"},
      {"run " PENDULUM " --method ''", "expected type"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const int code = tenon("%s", bad[i][0]);
    if (code != 1 || !strstr(err, bad[i][1]) || strncmp(err, "tenon: ", 7) != 0 || *out)
      printf("%s: %d\n%s%s", bad[i][0], code, err, out);
    CHECK(code == 1 && strstr(err, bad[i][1]) && strncmp(err, "tenon: ", 7) == 0 && !*out);
  }
}

TEST(lists) {
  static const char *const kinds[][2] = {
      {"joint", "revolute"},       {"force", "spring"},      {"coordinates", "swing"}, {"formulation", "augmented"},
      {"stabilizer", "baumgarte"}, {"integrator", "dopri5"}, {"method", "project"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    CHECK(tenon("list %s", kinds[i][0]) == 0 && !*err);
    CHECK_HAS(out, kinds[i][1]);
  }
  CHECK(tenon("list") == 0);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) CHECK_HAS(out, kinds[i][1]);
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* ---- exit codes ------------------------------------------------------------------------------------------------------------ */

TEST(exit_codes) {
  CHECK(tenon("run " PENDULUM " --until 0.1") == 0 && !*err && strstr(out, "reached t = 0.1 s"));
  enter();
  spill("bad.json", "{\n  'tenon': 1, 'dimension': 2,\n  'bodies': {'k': {'mass': -1, 'inertia': 1}}\n}");
  CHECK(tenon("run bad.json") == 2 && !*out);
  CHECK_TEXT(err, "tenon: body 'k': the mass must not be negative, it is -1 (bad.json:3:28)\n");
  spill("syntax.json", "{'tenon': 1,}");
  CHECK(tenon("run syntax.json") == 2 && strstr(err, "syntax.json:1:12"));
  spill(
      "start.json",
      "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': 1, 'inertia': 1}}, 'joints': {'pin': {'type': 'revolute',"
      "'between': ['ground', 'k'], 'at': [0, 0]}}, 'start': {'k.x': 1}}");
  CHECK(tenon("run start.json") == 2 && strstr(err, "the start cannot be assembled: start value 'k.x'") &&
        strstr(err, "start.json:1:"));
  CHECK(tenon("run " FOUR_BAR " --method fci --rtol 1e-3") == 3);
  CHECK(begins(out, "verdict: wrong\n  wrong: contract broken: joint '") &&
        begins(err, "tenon: contract broken: joint '"));
  CHECK(tenon("run '" MODELS "braun_four_bars.json' --until 2 --at-singularity stop -o stopped.csv") == 3);
  CHECK_HAS(
      err, "tenon: a singular position: the rows of 'hold1', 'hold2', 'hold3', 'keep1', 'keep2' become dependent, rho");
  CHECK(lines_of("stopped.csv") == 16); /* rows to 0.7 s, flat is at 0.714 */
  CHECK(tenon("run '" MODELS "braun_four_bars.json' --until 2 --at-singularity pass") == 0);
  CHECK_HAS(out, "singular positions on the way, where rows become dependent: 2, from t = 0.714356 to 1.22816 s");
  CHECK(tenon("run " FOUR_BAR " --method fci --rtol 1e-3 --until 1 --breach record") == 8);
  CHECK(begins(out, "verdict: wrong\n  wrong: contract broken: joint '") && !*err);
  CHECK(tenon("run nowhere.json") == 4 && strstr(err, "cannot open 'nowhere.json'") && !*out);
  CHECK(tenon("run /") == 4 && strstr(err, "cannot read '/'"));
  CHECK(tenon("run " PENDULUM " --until 0.1 -o no/such/folder.csv") == 4 &&
        strstr(err, "cannot write 'no/such/folder.csv'"));
}

/* 8 and whole files, whatever the verdict; --accept-doubt is for doubt alone */
TEST(the_verdict_is_an_exit_code) {
  enter();
  spill("nan.json", "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'bodies': {'p': {'mass': 1, 'inertia': 1}},"
                    " 'outputs': {'y': 'p.y', 'root': 'sqrt(p.y)'}, 'run': {'until': 1, 'every': 0.1}}");
  CHECK(tenon("run nan.json -o a.csv -o a.tnr") == 8 && !*err);
  CHECK(
      begins(out, "verdict: doubtful\n  doubtful: outputs: 10 values not finite; the first is 'root' at t = 0.1 s\n"));
  CHECK(lines_of("a.csv") == 12 && !exists("a.csv.part") && !exists("a.tnr.part"));
  CHECK(tenon("export a.tnr") == 0 && strstr(out, "  verdict: doubtful\n"));
  CHECK(tenon("run nan.json --accept-doubt") == 0 && begins(out, "verdict: doubtful\n"));
  CHECK(tenon("run nan.json -q") == 8 && !*out && begins(err, "tenon: doubtful: outputs: 10 values not finite"));
  CHECK(tenon("run nan.json -q --accept-doubt") == 0 && !*out && !*err);
  CHECK(tenon("run nan.json --json") == 8 && *out == '{');
  CHECK_TEXT(text_of("verdict"), "doubtful");
  CHECK_TEXT(text_of("status"), "done");
  CHECK_HAS(out, "\"reasons\": [\n    {\"key\": \"outputs\", \"value\": 10, \"limit\": 0, \"unit\": \"1\", "
                 "\"severity\": \"doubtful\"");
  CHECK(tenon("run " FOUR_BAR " --method fci --rtol 1e-3 --until 1 --breach record --accept-doubt -o w.csv") == 8);
  CHECK(begins(out, "verdict: wrong\n") && lines_of("w.csv") == 102);
  CHECK(tenon("run " FOUR_BAR " --method fci --rtol 1e-3 --accept-doubt") == 3); /* it stopped */
  CHECK(tenon("run nan.json -o no/such/folder.csv") == 4);                       /* no file is worse than doubt */
  CHECK(tenon("run " PENDULUM " --until 0.1") == 0 && begins(out, "verdict: trusted\n"));
  CHECK(tenon("--help") == 0 && strstr(out, "\n  8    the run reached its end; its verdict is doubtful"));
  CHECK(tenon("run --help") == 0 && strstr(out, "--accept-doubt"));
}

/* ---- settings ---------------------------------------------------------------------------------------------------------------- */

TEST(json_has_all_keys_and_nothing_else_is_on_stdout) {
  static const char *const keys[] = {
      "tenon",          "model",        "method",    "formulation", "stabilizers",    "integrator",
      "t_end",          "steps",        "rejected",  "rhs",         "status",         "max_position_violation",
      "worst_joint",    "contract",     "events",    "cpu_seconds", "message",        "max_velocity_violation",
      "factorizations", "cpu_assemble", "cpu_solve", "cpu_project", "energy_balance", "degrees_of_freedom",
      "redundant_rows"};
  CHECK(tenon("run " FOUR_BAR " --until 0.5 --json") == 0 && !*err);
  tn_desc *d = summary();
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (!tn_node_get(d->root, keys[i])) printf("no %s\n", keys[i]);
    CHECK(tn_node_get(d->root, keys[i]) != NULL);
  }
  tn_desc_free(d);
  CHECK_TEXT(text_of("tenon"), TN_VERSION);
  CHECK_TEXT(text_of("model"), MODELS "four_bar.json");
  CHECK_TEXT(text_of("status"), "done");
  CHECK(number_of("t_end") == 0.5 && number_of("degrees_of_freedom") == 1);
  /* one that is refused, one that stops */
  enter();
  spill("bad.json", "{'tenon': 1, 'dimension': 2, 'bodies': {}}");
  CHECK(tenon("run bad.json --json") == 2 && strstr(err, "no `bodies`"));
  CHECK_TEXT(text_of("status"), "refused");
  CHECK(tenon("run " FOUR_BAR " --json --method fci --rtol 1e-3") == 3);
  CHECK_TEXT(text_of("status"), "stopped");
  CHECK(strncmp(text_of("message"), "contract broken: ", 17) == 0);
}

TEST(every_setting_of_a_run) {
  CHECK(tenon("run " FOUR_BAR " --json --until 0.25") == 0 && number_of("t_end") == 0.25);
  CHECK(tenon("run " FOUR_BAR " --json --until '1/8'") == 0 && number_of("t_end") == 0.125); /* expressions too */
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --step 0.02 --accept-doubt") == 0 && number_of("steps") == 10 &&
        number_of("step") == 0.02);
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --integrator rk4 --step 0.02") == 8);
  CHECK_TEXT(text_of("integrator"), "rk4");
  CHECK(number_of("steps") == 10);
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --integrator euler:step=0.1 --breach record") == 8 &&
        number_of("steps") == 2);
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --integrator rk4") == 2 && strstr(err, "rk4 needs a step"));
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --rtol 1e-5 --accept-doubt") == 0 && number_of("rtol") == 1e-5);
  CHECK_HAS(out, "\"atol\": null,\n  \"atol_reason\": \"not given\",\n");
  const double coarse = number_of("steps");
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --rtol 1e-11 --atol 1e-10") == 0);
  CHECK(number_of("rtol") == 1e-11 && number_of("atol") == 1e-10 && number_of("steps") > coarse);
  CHECK(tenon("run " FOUR_BAR " --until 0.2 --step 0.01 --rtol 1e-5") == 1); /* one or the other */
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --method direct") == 0);
  CHECK_TEXT(text_of("method"), "direct");
  CHECK_TEXT(text_of("stabilizers"), "project:metric=identity");
  CHECK(tenon("run " FOUR_BAR " --json --until 0.2 --formulation augmented --stabilize none --breach record") == 0);
  CHECK_TEXT(text_of("formulation"), "augmented");
  CHECK_TEXT(text_of("stabilizers"), "none");
  CHECK_TEXT(text_of("method"), "custom");
  CHECK(tenon("run " FOUR_BAR
              " --json --until 0.2 --stabilize baumgarte:alpha=5,beta=6 --stabilize project:passes=one") == 0);
  CHECK_TEXT(text_of("stabilizers"), "baumgarte:alpha=5,beta=6 project:passes=one"); /* in the order named */
  CHECK(tenon("run " FOUR_BAR
              " --json --until 0.2 --stabilize project:passes=one --stabilize 'baumgarte:alpha=10*sqrt(2)'") == 0);
  CHECK_TEXT(text_of("stabilizers"), "project:passes=one baumgarte:alpha=10*sqrt(2)");
  CHECK(tenon("run " FOUR_BAR " --method nonsense") == 2 && strstr(err, "unknown method 'nonsense'"));
  CHECK(tenon("run " FOUR_BAR " --stabilize projekt") == 2 && strstr(err, "did you mean 'project'?"));
  CHECK(tenon("run " FOUR_BAR " --breach maybe") == 2);
  CHECK(tenon("run " FOUR_BAR " --until -1") == 2 && strstr(err, "`until` must not be negative"));
}

TEST(what_is_on_the_line_wins_over_the_file) {
  enter();
  spill("m.json", "{'tenon': 1, 'dimension': 2, 'constants': {'n': 3}, 'gravity': [0, -10], 'bodies': {'p': {'mass': "
                  "1, 'coordinates': 'point'}},"
                  "'outputs': {'y': 'p.y', 'n': 'n'}, 'run': {'until': 2, 'every': 1, 'stabilize': ['project', "
                  "{'type': 'baumgarte', 'alpha': 1}],"
                  "'integrator': {'type': 'rk4', 'step': 0.5}, 'contract': {'breach': 'record'}}}");
  CHECK(tenon("run m.json --json") == 0 && number_of("steps") == 4);
  CHECK_TEXT(text_of("stabilizers"), "project baumgarte:alpha=1");
  CHECK(tenon("run m.json --json --step 0.25") == 0 && number_of("steps") == 8);
  CHECK_TEXT(text_of("integrator"), "rk4");
  CHECK(tenon("run m.json --json --stabilize none") == 0);
  CHECK_TEXT(text_of("stabilizers"), "none"); /* those of the file are gone */
  CHECK(tenon("run m.json --json --method fci") == 0);
  CHECK_TEXT(text_of("method"), "fci"); /* a method is all of it */
  CHECK(tenon("run m.json --json --integrator dopri5 --rtol 1e-9") == 0);
  CHECK_TEXT(text_of("integrator"), "dopri5");
  CHECK(tenon("run m.json --rtol 1e-9") == 2 && strstr(err, "rk4 has a fixed step"));
  CHECK(tenon("run m.json -o m.csv --set n=5 --every 0.5") == 0 && lines_of("m.csv") == 6);
  char text[2000];
  CHECK_HAS(slurp("m.csv", text, sizeof text), "t,y,n\n0,0,5\n0.5,");
  CHECK(tenon("run m.json -o m.csv --set 'n=2*pi' --until 0") == 0);
  CHECK_TEXT(slurp("m.csv", text, sizeof text), "t,y,n\n0,0,6.2831853071795862\n");
  spill("p.json", "{'tenon': 1, 'dimension': 2, 'parameters': {'n': 3}, 'bodies': {'b': {'mass': 1, 'inertia': 1}},"
                  " 'gravity': [0, 0], 'outputs': {'n': 'n'}}");
  CHECK(tenon("run p.json --set n=7 --until 0 -q -o -") == 0); /* a parameter as it begins */
  CHECK_HAS(out, ",7\n");
  CHECK(tenon("run --until 0 -o m.csv --set n=-1.5e0 m.json") == 0); /* in any order */
  CHECK_TEXT(slurp("m.csv", text, sizeof text), "t,y,n\n0,0,-1.5\n");
  CHECK(tenon("run m.json --set n=x") == 2 && strstr(err, "unknown name 'x'"));
  CHECK(tenon("run m.json --set n=") != 0);
}

/* ---- files -------------------------------------------------------------------------------------------------------------------- */

/* the numbers in the file are those of the library, to the last bit */
TEST(csv_is_the_run) {
  build b;
  build_table t = {0};
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/until", "0.5");
  CHECK(build_simulate(&b) && build_run(&b, &t));
  CHECK(tenon("run " FOUR_BAR " --until 0.5 -o four.csv") == 0 && strstr(out, "wrote four.csv"));
  static char text[200000];
  char *at = slurp("four.csv", text, sizeof text);
  CHECK(strncmp(at, "t,tip.x,tip.y,load\n", 19) == 0);
  CHECK(lines_of("four.csv") == t.rows + 1 && t.rows == 51 && t.columns == 3);
  at += strcspn(at, "\n") + (*at != 0);
  for (int r = 0; r < t.rows; r++)
    for (int c = -1; c < t.columns; c++) {
      char *end;
      const double value = strtod(at, &end);
      CHECK(value == build_at(&t, r, c) && *end == (c == t.columns - 1 ? '\n' : ','));
      at = *end ? end + 1 : end;
    }
  CHECK(*at == 0 && !exists("four.csv.part"));
  /* and again the same bytes */
  CHECK(tenon("run " FOUR_BAR " --until 0.5 -o again.csv --json") == 0 && system("cmp -s four.csv again.csv") == 0);
  build_table_free(&t);
  build_free(&b);
}

TEST(an_old_result_survives_a_model_that_is_refused) {
  char text[200];
  enter();
  spill("bad.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': -1, 'inertia': 1}}}");
  spill("syntax.json", "{'tenon'");
  spill(
      "start.json",
      "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': 1, 'inertia': 1}}, 'joints': {'pin': {'type': 'revolute',"
      "'between': ['ground', 'k'], 'at': [0, 0]}}, 'start': {'k.x': 1}}");
  spill("force.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': 1, 'inertia': 1}}, 'forces': {'f': "
                      "{'type': 'torque', 'on': 'k',"
                      "'value': '1/t'}}}");
  static const char *const words[] = {
      "bad.json",     "syntax.json",         "start.json",          "force.json",
      "nowhere.json", PENDULUM " --step -1", PENDULUM " --set a=1", PENDULUM " --method magic"};
  spill("old.csv", "the old result\n");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    CHECK(tenon("run %s -o old.csv", words[i]) != 0);
    CHECK_TEXT(slurp("old.csv", text, sizeof text), "the old result\n");
    CHECK(!exists("old.csv.part"));
  }
  CHECK(tenon("run " PENDULUM " --until 0.1 -o old.csv") == 0);
  CHECK(strncmp(slurp("old.csv", text, sizeof text), "t,x,y,vx,vy,tension\n", 20) == 0);
}

TEST(a_run_that_stops_leaves_the_rows_it_made) {
  char text[2000];
  CHECK(tenon("run " FOUR_BAR " --method fci --rtol 1e-6 -o part.csv") == 3);
  CHECK(strncmp(slurp("part.csv", text, sizeof text), "t,tip.x,tip.y,load\n0,", 21) == 0);
  CHECK(lines_of("part.csv") > 2 && lines_of("part.csv") < 900 && !exists("part.csv.part"));
}

TEST(an_output_that_cannot_be_written_is_said) {
  enter();
  CHECK(mkdir("taken.csv", 0777) == 0 || exists("taken.csv"));
  CHECK(tenon("run " PENDULUM " --until 0.1 -o taken.csv") == 4 && strstr(err, "cannot write 'taken.csv'"));
  CHECK(!exists("taken.csv.part")); /* nothing is left lying about */
  if (exists("/dev/full")) {
    CHECK(symlink("/dev/full", "full.csv.part") == 0 || exists("full.csv.part"));
    CHECK(tenon("run " FOUR_BAR " --until 1 -o full.csv") == 4 && strstr(err, "cannot write 'full.csv'"));
    CHECK(!exists("full.csv"));
  }
}

TEST(names_of_files_may_be_anything) {
  enter();
  spill("a b 'c.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': 1, 'inertia': 1}}}");
  CHECK(rename("a b 'c.json", "a b \"c\" \xc3\xa9.json") == 0);
  CHECK(tenon("run 'a b \"c\" \xc3\xa9.json' --json -o 'x y.csv'") == 0 && exists("x y.csv"));
  CHECK_TEXT(text_of("model"), "a b \"c\" \xc3\xa9.json");
  spill("-.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'k': {'mass': 1, 'inertia': 1}}}");
  CHECK(tenon("run ./-.json") == 0);
  CHECK(tenon("run '%%s%%n.json'") == 4 && strstr(err, "'%s%n.json'"));
}

/* the settings in the report for people, given as options, give the same run */
TEST(the_settings_of_the_report_can_be_pasted_back) {
  char words[600];
  CHECK(tenon("run " FOUR_BAR
              " --until '1/3' --every 0.07 --rtol 1.7e-7 --stabilize baumgarte:a=1,b=0.5 --breach record -o one.csv") ==
        0);
  const char *from = strstr(out, "--formulation");
  CHECK(from != NULL);
  if (!from) return;
  snprintf(words, sizeof words, "%.*s", (int)strcspn(from, "\n"), from);
  CHECK(tenon("run " FOUR_BAR " %s -o two.csv", words) == 0);
  CHECK(system("cmp -s one.csv two.csv") == 0);
}

TEST(every_model_of_the_repository_runs_for_a_moment) {
  char name[100][64];
  const int n = build_models(name, 100);
  CHECK(n >= 9);
  for (int i = 0; i < n; i++) {
    const int code = tenon("run '" MODELS "%s.json' --until 0.01 --every 0.005 -o m.csv", name[i]);
    if (code) printf("%s: %s\n", name[i], err);
    CHECK(code == 0 && lines_of("m.csv") == 4);
  }
}
