/* runs that are killed or interrupted, and resumed: the result is that of a run which was never stopped. what does not belong
 * together is refused, and leaves all files as they were. */
#include "test.h"

#include "cli_support.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* all of a file, to be freed; an empty one if it is not there */
static unsigned char *bytes_of(const char *path, size_t *size) {
  const long n = size_of(path);
  unsigned char *data = malloc((size_t)(n < 0 ? 0 : n) + 1);
  FILE *file = fopen(path, "rb");
  *size = file && data ? fread(data, 1, (size_t)(n < 0 ? 0 : n), file) : 0;
  if (file) fclose(file);
  return data;
}

/* the summary without the times that clocks have told: these blanked out, and the sum of the block with them */
static void blank_clocks(unsigned char *data, size_t size) {
  size_t at = size;
  while (at >= 4 && memcmp(data + at - 4, "DONE", 4) != 0) at--;
  if (at < 4) return;
  memset(data + at, 0, 4);
  for (char *line = (char *)data + at; line;) {
    char *end = memchr(line, '\n', size - (size_t)((unsigned char *)line - data));
    const size_t n = end ? (size_t)(end - line) : 0;
    if (n > 16 && strncmp(line, "  \"cpu_", 7) == 0) memset(line, ' ', n);
    line = end ? end + 1 : NULL;
  }
}

/* numbers have as many digits as they need: blanks of the padding do not count */
static size_t without_blanks(unsigned char *data, size_t size) {
  size_t at = size, to;
  while (at >= 4 && memcmp(data + at - 4, "DONE", 4) != 0) at--;
  for (to = at += 12; at < size; at++)
    if (data[at] != ' ') data[to++] = data[at];
  return to;
}

static bool same_results(const char *a, const char *b) {
  size_t n, m;
  unsigned char *x = bytes_of(a, &n), *y = bytes_of(b, &m);
  blank_clocks(x, n);
  blank_clocks(y, m);
  if (n > 16) n = without_blanks(x, n);
  if (m > 16) m = without_blanks(y, m);
  /* the size of the last block depends on the digits of its times */
  size_t done = 0;
  for (size_t i = 0; i + 4 < n; i++)
    if (memcmp(x + i, "DONE", 4) == 0) done = i;
  bool good =
      n > 100 && n == m && done && memcmp(x, y, done) == 0 && memcmp(x + done + 16, y + done + 16, n - done - 16) == 0;
  if (!good) {
    size_t at = 0;
    while (at < n && at < m && x[at] == y[at]) at++;
    printf("%s has %zu bytes, %s %zu; they differ from byte %zu on, `DONE` is at %zu\n", a, n, b, m, at, done);
  }
  free(x);
  free(y);
  return good;
}

static double uniform(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (double)(1u << 24);
}

/* seconds that a command takes */
static double timed(const char *const *words) {
  const double began = seconds();
  CHECK(tenon_words(words) == 0);
  return seconds() - began;
}

/* killed again and again; what was resumed is killed too, until one gets through */
static void kill_and_resume(const char *integrator, const char *option, const char *value, const char *until, int kills,
                            unsigned seed) {
  fresh();
  const double whole = timed(WORDS("run", MODELS "four_bar.json", "--integrator", integrator, option, value, "--until",
                                   until, "--every", "0.01", "-q", "-o", "whole.tnr"));
  int done = 0, resumed = 0;
  for (int tries = 0; done < kills && tries < 20 * kills; tries++) {
    const bool again = exists("cut.tnr.state");
    const char *const *words =
        again ? WORDS("resume", "cut.tnr", "--checkpoint", "0.001", "-q")
              : WORDS("run", MODELS "four_bar.json", "--integrator", integrator, option, value, "--until", until,
                      "--every", "0.01", "-q", "-o", "cut.tnr", "--checkpoint", "0.001");
    const pid_t child = start_words(words, "/dev/null", ".out", ".err");
    nap(0.002 + uniform(&seed) * 1.2 * whole / kills);
    kill(child, SIGKILL);
    const int code = wait_for(child);
    if (code == 0) { /* it was faster */
      if (exists("cut.tnr.state")) FAIL("a run that has ended leaves a checkpoint");
      drop_files("cut.tnr");
      continue;
    }
    CHECK(code == 1000 + SIGKILL);
    if (!exists("cut.tnr.state")) continue; /* before its first checkpoint: from the start, then */
    resumed += again;
    done++;
  }
  CHECK(done == kills);
  CHECK(exists("cut.tnr.state"));
  CHECK(TENON("resume", "cut.tnr") == 0);
  CHECK_HAS(out, "wrote cut.tnr");
  CHECK_HAS(out, "tenon export cut.tnr -o FILE.csv");
  CHECK(!exists("cut.tnr.state") && !exists("cut.tnr.part") && !exists("cut.tnr.state.part"));
  CHECK(same_results("whole.tnr", "cut.tnr"));
  printf("%s: %d kills, %d of them of resumed runs, within %.2g s\n", integrator, done, resumed, whole);
}

TEST(killed_and_resumed) {
  const char *until = SANITIZED ? "2" : "12";
  kill_and_resume("rk4", "--step", "1e-3", until, 3, 1);
  kill_and_resume("dopri5", "--rtol", "1e-9", until, 3, 2);
}

TEST_LONG(killed_ten_times) {
  kill_and_resume("rk4", "--step", "1e-3", "300", 10, 3);
  kill_and_resume("dopri5", "--rtol", "1e-9", "300", 10, 4);
}

/* Ctrl-C, SIGTERM and a lost connection save too, whatever the distance of checkpoints */
static void interrupt_and_resume(int number) {
  fresh();
  const char *const until = SANITIZED ? "2" : "5"; /* s: enough to be interrupted in */
  CHECK(tenon("run " FOUR_BAR " --step 1e-4 --until %s --every 1e-2 -q -o whole.tnr", until) == 0);
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--step", "1e-4", "--until", until, "--every",
                                        "1e-2", "-o", "cut.tnr", "-o", "cut.csv"),
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "cut.csv.part", 1));
  kill(child, number);
  if (number == SIGHUP) kill(child, SIGHUP); /* kernel and shell both send it */
  const int code = wait_for(child);
  slurp(".err", err, sizeof err);
  CHECK(code == 128 + number);
  CHECK_HAS(err, "tenon resume cut.tnr");
  CHECK(exists("cut.tnr") && exists("cut.tnr.state") && !exists("cut.tnr.part"));
  CHECK(TENON("view", "cut.tnr", "-q", "-o", "cut.html") != 4); /* as far as it came it is whole */
  CHECK(TENON("resume", "cut.tnr", "--json") == 0);
  CHECK_TEXT(text_of("message"), "done");
  CHECK(number_of("steps") == (SANITIZED ? 20000 : 50000));
  CHECK(same_results("whole.tnr", "cut.tnr") && !exists("cut.tnr.state"));
  CHECK(TENON("resume", "cut.tnr") == 0); /* once more: nothing happens */
  CHECK_HAS(out, "nothing to resume");
  CHECK(same_results("whole.tnr", "cut.tnr"));
}

TEST(interrupted_and_resumed) { interrupt_and_resume(SIGINT); }
TEST(ended_and_resumed) { interrupt_and_resume(SIGTERM); }
TEST(hung_up_and_resumed) { interrupt_and_resume(SIGHUP); }

/* the verdict of a run that was resumed is that of the whole */
TEST(a_run_that_is_wrong_is_so_when_resumed) {
  fresh();
  const char *const until = SANITIZED ? "2" : "5";
  CHECK(tenon("run " FOUR_BAR " --integrator euler --step 1e-4 --until %s --every 1e-2 -q -o whole.tnr", until) == 8);
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--integrator", "euler", "--step", "1e-4",
                                        "--until", until, "--every", "1e-2", "-o", "cut.tnr", "-o", "cut.csv"),
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "cut.csv.part", 1));
  kill(child, SIGINT);
  CHECK(wait_for(child) == 128 + SIGINT);
  CHECK(TENON("resume", "cut.tnr", "--accept-doubt") == 8);
  CHECK(strncmp(out, "verdict: wrong\n  wrong: energy balance: ", 40) == 0);
  CHECK_HAS(out, "tenon export cut.tnr -o FILE.csv");
  CHECK(same_results("whole.tnr", "cut.tnr"));
}

/* what has a history begins anew, and the result says where */
TEST(a_history_begins_anew) {
  fresh();
  const pid_t child =
      start_words(WORDS("run", MODELS "four_bar.json", "--integrator", "abm", "--rtol", "1e-10", "--until", "60",
                        "--every", "1e-2", "-q", "-o", "cut.tnr", "--checkpoint", "0.001"),
                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "cut.tnr.state", 1));
  kill(child, SIGKILL);
  CHECK(wait_for(child) == 1000 + SIGKILL);
  CHECK(TENON("resume", "cut.tnr", "-v") == 0);
  CHECK_HAS(out, "restart");
  CHECK_HAS(out, "abm has begun anew");
}

/* the same command once more does not lose what the killed run has done, unless it is told to */
TEST(begun_anew_only_when_told) {
  fresh();
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--step", "1e-4", "--until", "1000", "-q", "-o",
                                        "x.tnr", "--checkpoint", "0.001"),
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "x.tnr.state", 1));
  kill(child, SIGKILL);
  wait_for(child);
  CHECK(system("cp x.tnr.part kept.part; cp x.tnr.state kept.state") == 0);
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o x.tnr") == 1);
  CHECK_HAS(err, "tenon resume x.tnr");
  CHECK_HAS(err, "--anew");
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o x.tnr --no-clobber") == 1);
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o x.tnr --no-clobber --anew") == 4);
  CHECK_HAS(err, "x.tnr.state");
  CHECK(same_files("x.tnr.part", "kept.part") && same_files("x.tnr.state", "kept.state") && !exists("x.tnr"));
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o y.tnr -o x.csv") == 0); /* another file */
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o x.tnr --anew") == 0);
  CHECK(exists("x.tnr") && !exists("x.tnr.part") && !exists("x.tnr.state"));
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o x.tnr --anew") == 0); /* nothing to lose */
}

/* what a link stands for is written, and resumed by the name of the link */
TEST(resumed_by_a_link) {
  fresh();
  CHECK(system("mkdir far; : > far/x.tnr; ln -s far/x.tnr x.tnr") == 0);
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--step", "1e-4", "--until", "2", "--every",
                                        "1e-2", "-q", "-o", "x.tnr", "--checkpoint", "0.001"),
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "far/x.tnr.state", 1));
  kill(child, SIGKILL);
  if (wait_for(child) == 0) return;               /* it was faster */
  CHECK(system(": > far/x.tnr.state.part") == 0); /* killed while it wrote one */
  CHECK(TENON("resume", "x.tnr", "-q") == 0);
  CHECK(!exists("far/x.tnr.state.part"));
  CHECK(size_of("far/x.tnr") > 1000 && !exists("far/x.tnr.state") && !exists("far/x.tnr.part"));
  CHECK(system("test -L x.tnr") == 0);
}

/* and so is what it will stand for */
TEST(a_link_to_nothing_yet) {
  fresh();
  CHECK(system("mkdir far; ln -s far/x.tnr x.tnr; ln -s x.tnr y.tnr") == 0);
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o y.tnr") == 0);
  CHECK(system("test -L y.tnr && test -L x.tnr && test ! -L far/x.tnr") == 0 && size_of("far/x.tnr") > 1000);
  CHECK(system("ln -s round.tnr round.tnr") == 0);
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o round.tnr") != 1000);
}

/* a file that may not grow any more */
TEST(a_limit_of_the_size) {
  fresh();
  CHECK(tenon_after("ulimit -f 16;", "run " FOUR_BAR " --step 1e-4 --every 1e-4 --until 1 -q -o x.tnr") == 4);
  CHECK_HAS(err, "cannot write 'x.tnr.part'");
}

/* nothing is lost by a resume that is refused */
TEST(refused_and_left_alone) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --step 1e-3 --until 1 -q -o old.tnr") == 0);
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--step", "1e-4", "--until", "1000", "--every",
                                        "1e-3", "-q", "-o", "cut.tnr", "--checkpoint", "0.001"),
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "cut.tnr.part", 150000));
  drop_files("cut.tnr.state");
  CHECK(wait_bytes(child, "cut.tnr.state", 1));
  kill(child, SIGKILL);
  wait_for(child);
  CHECK(system("cp cut.tnr.part kept.part; cp cut.tnr.state kept.state") == 0);
  /* another result, cut short, damaged, of another model */
  CHECK(system("cp old.tnr other.tnr; cp cut.tnr.state other.tnr.state") == 0);
  CHECK(TENON("resume", "other.tnr") == 4);
  CHECK_HAS(err, "another model");
  CHECK(same_files("old.tnr", "other.tnr") && same_files("kept.state", "other.tnr.state"));
  CHECK(system("head -c 9000 kept.state > cut.tnr.state") == 0 && TENON("resume", "cut.tnr") == 4);
  CHECK_HAS(err, "cut off");
  CHECK_HAS(err, "(cut.tnr.state)");
  CHECK(system("cp kept.state cut.tnr.state; printf 'x' | dd of=cut.tnr.state bs=1 seek=9000 conv=notrunc 2>.dd") == 0);
  CHECK(TENON("resume", "cut.tnr") == 4);
  CHECK_HAS(err, "checksum");
  CHECK_HAS(err, "(cut.tnr.state)");
  CHECK(system("cp kept.state alone.tnr.state") == 0 && TENON("resume", "alone.tnr") == 4);
  CHECK_HAS(err, "is gone (alone.tnr.state)");
  CHECK(!strstr(err, "t = 0"));
  CHECK(system("cp kept.state cut.tnr.state; head -c 100000 kept.part > cut.tnr.part") == 0);
  CHECK(TENON("resume", "cut.tnr", "--json") == 4);
  CHECK_HAS(err, "bytes that it had");
  CHECK(size_of("cut.tnr.part") == 100000 && same_files("kept.state", "cut.tnr.state"));
  CHECK(system("cp kept.part cut.tnr.part; printf 'xyz' | dd of=cut.tnr.part bs=1 seek=5000 conv=notrunc 2>.dd") == 0);
  CHECK(TENON("resume", "cut.tnr") == 4);
  CHECK_HAS(err, "is damaged: the block at byte");
  CHECK(size_of("cut.tnr.part") == size_of("kept.part"));
  /* none at all, and words that make no sense */
  drop_files("cut.tnr.state");
  CHECK(TENON("resume", "cut.tnr") == 4);
  CHECK_HAS(err, "no checkpoint");
  CHECK_HAS(err, "--checkpoint");
  CHECK(TENON("resume", "nothere.tnr") == 4 && strstr(err, "there is no 'nothere.tnr'"));
  CHECK(TENON("resume", "model.json") == 1 && TENON("resume") == 1);
  CHECK(TENON("resume", "cut.tnr", "--checkpoint", "soon") == 1);
  CHECK(tenon("run " FOUR_BAR " --checkpoint -1 -o x.tnr") == 1 && tenon("run " FOUR_BAR " --checkpoint 5") == 1);
  CHECK_HAS(err, "-o FILE.tnr");
}

/* a state that cannot be written is told once, and the run goes on; a second run does not touch what a first one writes */
TEST(without_checkpoints) {
  fresh();
  CHECK(system("mkdir x.tnr.state.part") == 0);
  CHECK(tenon("run " FOUR_BAR " --step 1e-4 --until 0.5 -q -o x.tnr --checkpoint 0.001") == 0);
  CHECK_HAS(err, "no checkpoint could be made");
  const char *once = strstr(err, "no checkpoint");
  CHECK(once && !strstr(once + 1, "no checkpoint"));
  CHECK(exists("x.tnr") && !exists("x.tnr.state"));
  /* 0: never, not even when it is interrupted */
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--step", "1e-4", "--until", "1000", "-q", "-o",
                                        "y.tnr", "-o", "y.csv", "--checkpoint", "0"),
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "y.csv.part", 1));
  kill(child, SIGINT);
  CHECK(wait_for(child) == 130 && exists("y.tnr") && !exists("y.tnr.state"));
}

/* an interrupted run, and a later one of the same name that was killed before its first checkpoint */
TEST(the_part_is_of_another_run) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --step 1e-4 --until 0.5 --every 1e-3 -q -o whole.tnr") == 0);
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--step", "1e-4", "--until", "0.5", "--every",
                                        "1e-3", "-q", "-o", "x.tnr", "-o", "x.csv"),
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "x.csv.part", 1));
  kill(child, SIGINT);
  if (wait_for(child) != 130) return; /* it was faster */
  CHECK(tenon("run " FOUR_BAR " --until 0.4 -q -o other.tnr") == 0);
  CHECK(exists("x.tnr.state") && system("cp other.tnr x.tnr.part") == 0);
  CHECK(TENON("resume", "x.tnr") == 0);
  CHECK_HAS(err, "is of another run");
  CHECK(same_results("whole.tnr", "x.tnr") && same_files("other.tnr", "x.tnr.part"));
}

/* a run and what resumes it do not write at the same time */
TEST(one_at_a_time) {
  fresh();
  const pid_t child = start_words(WORDS("run", MODELS "four_bar.json", "--step", "1e-4", "--until", "1000", "-q", "-o",
                                        "x.tnr", "--checkpoint", "0.001"),
                                  "/dev/null", ".out", ".err2");
  CHECK(wait_bytes(child, "x.tnr.state", 1));
  CHECK(TENON("resume", "x.tnr") == 4);
  CHECK_HAS(err, "another process is writing it");
  kill(child, SIGTERM);
  CHECK(wait_for(child) == 143);
}
