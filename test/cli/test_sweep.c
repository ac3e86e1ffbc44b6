/* tenon sweep at the command line: what it prints and writes, what it refuses before anything runs, and sweeps that are interrupted,
 * killed and gone on with. */
#include "test.h"

#include "cli_support.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* n runs of a pendulum, each some milliseconds long */
static void spill_sweep(int n, double until) {
  char text[600];
  snprintf(text, sizeof text,
           "{'sweep': 1, 'title': 'masses', 'run': {'model': '" MODELS "pendulum.json', 'until': %g, 'set': "
           "{'/bodies/bob/mass': '{mass}'}}, 'vary': {'mass': {'uniform': [1, 2]}}, 'samples': %d, 'seed': 5, "
           "'measures': {'y': {'expression': 'bob.y', 'take': 'min'}, 'rhs': {'of': 'rhs'}}}",
           until, n);
  spill("s.json", text);
}

TEST(sweep_prints_and_writes) {
  fresh();
  spill_sweep(5, 1);
  CHECK(tenon("sweep s.json") == 0);
  CHECK_HAS(out, "masses\n      run         mass              y            rhs\n");
  CHECK_HAS(out, "median");
  CHECK(tenon("sweep s.json -o a.csv -o a.json -j 2") == 0);
  CHECK(strncmp(out, "  measure ", 10) == 0);
  CHECK(lines_of("a.csv") == 6 && size_of("a.json") > 500 && names_with("a.") == 2);
  CHECK(tenon("sweep s.json -o -") == 0 && strncmp(out, "run,mass,y,rhs,verdict,failure\n1,", 33) == 0);
  spill("b.csv", "");
  CHECK(tenon("sweep s.json -q -o b.csv") == 0 && !*out && !*err && same_files("a.csv", "b.csv"));
  CHECK(tenon("sweep s.json --json") == 0 && *out == '{');
  if (tn_has_pages(NULL)) CHECK(tenon("sweep s.json -q -o a.html") == 0 && size_of("a.html") > 20000);
  CHECK(tenon("sweep s.json --dry-run") == 0 && strncmp(out, "run,mass\n1,1.", 13) == 0 && !strstr(out, "rhs"));
  CHECK(tenon("sweep " TN_SOURCE_DIR "/sweeps/pendulum_grid.json -o grid.csv") == 0 && lines_of("grid.csv") == 10);
}

/* verdicts are counted, row by row, and are no failures */
TEST(verdicts_of_runs_are_counted) {
  fresh();
  spill("s.json",
        "{'sweep': 1, 'run': {'model': '" TN_SOURCE_DIR "/models/four_bar.json', 'until': 0.3, 'rtol': '{tol}',"
        " 'atol': '{tol}'}, 'vary': {'tol': [1e-8, 1e-4, 1e-9]}, 'measures': {'rhs': {'of': 'rhs'}}}");
  CHECK(tenon("sweep s.json -o v.csv -o v.json") == 0);
  CHECK_HAS(out, "\nverdicts: 2 trusted, 1 doubtful, 0 wrong\n");
  char text[4000];
  slurp("v.csv", text, sizeof text);
  CHECK(strstr(text, "run,tol,rhs,verdict,failure\n1,") && strstr(text, ",trusted,\n2,") &&
        strstr(text, ",doubtful,\n3,"));
  CHECK_HAS(slurp("v.json", text, sizeof text), "\"verdicts\": {\"trusted\": 2, \"doubtful\": 1, \"wrong\": 0}");
  CHECK_HAS(text, "\"verdict\": \"doubtful\"");
}

TEST(sweep_refuses_before_it_runs) {
  static const struct {
    const char *words, *why;
    int code;
  } bad[] = {{"-o a.svg", ".html, .csv or .json", 1}, {"-o nowhere/a.csv", "cannot write", 4},
             {"-o s.json", "would be replaced", 1},   {"-o model.json", "would be replaced", 1},
             {"--jobs 0", "--jobs needs", 1},         {"--anew", "nothing to begin anew", 1},
             {"-o odd.csv", "would be replaced", 1},  {"-o - --json", "both want standard output", 1},
             {"-o a.csv -o - --json", "both", 1},     {"--dry-run -o a.csv", "--dry-run", 1},
             {"--dry-run --json", "--dry-run", 1},    {"-o pipe.csv", "it is not a file", 4}};
  fresh();
  spill("model.json", "{'tenon': 1, 'dimension': 2, 'bodies': {'bob': {'mass': 1, 'position': [1, 0]}}}");
  spill("s.json", "{'sweep': 1, 'run': {'model': 'model.json'}, 'vary': {'/bodies/bob/mass': [1]}, 'measures': {'rhs': "
                  "{'of': 'rhs'}}}");
  if (link("s.json", "odd.csv.journal") || mkfifo("pipe.csv.journal", 0600)) abort();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const int code = tenon("sweep s.json %s", bad[i].words);
    if (code != bad[i].code || !strstr(err, bad[i].why) || *out) FAIL("%s: %d %s", bad[i].words, code, err);
  }
  CHECK(names_with("") == 6); /* these two, the link, the pipe, and what is said: .out and .err */
  CHECK(tenon("sweep nowhere.json") == 4 && strstr(err, "nowhere.json"));
  CHECK(tenon("sweep model.json") == 2 && strstr(err, "it has to begin with \"sweep\": 1 (model.json:1:"));
}

TEST(failures_are_told) {
  fresh();
  spill("s.json", "{'sweep': 1, 'run': {'model': '" MODELS "pendulum.json', 'until': 1}, 'vary': {'/bodies/bob/mass': "
                  "[1, -1, -1]}, 'measures': {'rhs': {'of': 'rhs'}}}");
  CHECK(tenon("sweep s.json -o a.csv") == 3);
  CHECK_HAS(out, "2 of 3 runs failed:\n  run 2 and 1 more alike: body 'bob': the mass must not be negative");
  CHECK(lines_of("a.csv") == 4 && !exists("a.csv.journal"));
  spill("s.json", "{'sweep': 1, 'run': {'model': '" MODELS "pendulum.json', 'until': 1}, 'vary': {'/bodies/bob/mass': "
                  "[-1, -1, -1]}, 'measures': {'rhs': {'of': 'rhs'}}}");
  CHECK(tenon("sweep s.json") == 3);
  CHECK_HAS(out, "all 3 runs failed alike: ");
}

static int journal_lines(void) { return lines_of("a.csv.journal") - 1; }

/* a signal when some runs are done; the same command goes on, and the bytes are those of a sweep in one piece */
static void cut_off(int number, int code) {
  fresh();
  spill_sweep(SANITIZED ? 12 : 40, SANITIZED ? 4 : 20);
  CHECK(TENON("sweep", "s.json", "-q", "-o", "whole.csv") == 0);
  const pid_t child = start_words(WORDS("sweep", "s.json", "-o", "a.csv", "-j", "1"), "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "a.csv.journal", 300)); /* some lines */
  kill(child, number);
  CHECK(wait_for(child) == code);
  slurp(".err", err, sizeof err);
  CHECK(!exists("a.csv") && journal_lines() >= 1);
  if (number != SIGKILL) CHECK_HAS(err, "'a.csv.journal': the same command goes on from there");
  CHECK(TENON("sweep", "s.json", "-o", "a.csv", "-j", "2") == 0);
  CHECK_HAS(err, "tenon: going on: ");
  CHECK(same_files("a.csv", "whole.csv") && !exists("a.csv.journal"));
}

TEST(interrupted) { cut_off(SIGINT, 130); }
TEST(connection_lost) { cut_off(SIGHUP, 129); }
TEST(killed) { cut_off(SIGKILL, 1000 + SIGKILL); }

TEST(a_long_run_is_interrupted_in_its_middle) {
  fresh();
  spill_sweep(3, 1e6);
  const pid_t child = start_words(WORDS("sweep", "s.json", "-o", "a.csv"), "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "a.csv.journal", 50));
  nap(0.1);
  kill(child, SIGTERM);
  CHECK(wait_for(child) == 143);
  slurp(".err", err, sizeof err);
  CHECK_HAS(err, "0 of 3 runs are done");
}

TEST(a_journal_is_in_use_or_of_another_sweep) {
  fresh();
  spill_sweep(3, 1e6);
  const pid_t child = start_words(WORDS("sweep", "s.json", "-o", "a.csv"), "/dev/null", ".busy.out", ".busy.err");
  CHECK(wait_bytes(child, "a.csv.journal", 50));
  CHECK(TENON("sweep", "s.json", "-o", "a.csv") == 4);
  CHECK_HAS(err, "cannot write 'a.csv': another process is writing it");
  CHECK(TENON("sweep", "s.json", "-o", "a.csv", "--anew") == 4);
  kill(child, SIGKILL);
  wait_for(child);
  spill_sweep(4, 1);
  CHECK(TENON("sweep", "s.json", "-o", "a.csv") == 1);
  CHECK_HAS(err, "is of another sweep");
  CHECK_HAS(err, "--anew begins again");
  CHECK(!exists("a.csv"));
  CHECK(TENON("sweep", "s.json", "-o", "a.csv", "--anew", "-q") == 0 && lines_of("a.csv") == 5);
}

/* more runs than any machine makes before a line is due; it is replaced, and gone when it is over */
TEST(progress_on_a_terminal) {
  terminal t;
  fresh();
  spill_sweep(1000000, 1);
  if (!terminal_there()) return;
  terminal_start(&t, WORDS("sweep", "s.json", "-o", "a.csv", "-j", "1"), false, WORDS("TERM=xterm"));
  CHECK(terminal_shows(&t, " left\x1b[K\r  ", 100)); /* and a second one in its place */
  CHECK_HAS(t.text, " of 1000000 runs, ");
  CHECK_HAS(t.text, " a second, ");
  kill(t.child, SIGINT);
  CHECK(terminal_end(&t) == 130);
  CHECK_HAS(t.text, " left\x1b[K\r\x1b[K");
  CHECK_HAS(t.text, "interrupted: ");
  spill_sweep(3, 1);
  terminal_start(&t, WORDS("sweep", "s.json", "-o", "b.csv", "-j", "1"), false, WORDS("TERM=xterm"));
  CHECK(terminal_end(&t) == 0 && lines_of("b.csv") == 4);
  spill_sweep(2, 1e6); /* none of them ends soon */
  terminal_start(&t, WORDS("sweep", "s.json", "-o", "c.csv", "-j", "2"), false, WORDS("TERM=xterm"));
  CHECK(terminal_shows(&t, "0 of 2 runs\x1b[K", 100));
  kill(t.child, SIGKILL);
  terminal_end(&t);
}
