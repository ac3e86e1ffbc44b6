/* runs that are interrupted, ended and killed. they would go on for hours, so that no machine is too fast for them; they are
 * known to be under way by the rows in their files, so that none is too slow. */
#include <sys/ioctl.h>

#include "test.h"

#include "cli_support.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ENDLESS "run", MODELS "four_bar.json", "--until", "1e6", "--step", "1e-4", "--every", "1e-3"

static const char old[] = "the older result\n";

static double uniform(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (double)(1u << 24);
}

static pid_t start(const char *const *words) { return start_words(words, "/dev/null", ".out", ".err"); }

/* the exit code, or 1000 + the signal; what it said is read */
static int ended(pid_t child) {
  const int code = wait_for(child);
  slurp(".out", out, sizeof out);
  slurp(".err", err, sizeof err);
  CHECK(!strstr(err, "Sanitizer") && !strstr(err, "runtime error:"));
  return code;
}

/* whole once the first rows are in it: then the run is under way, and listens */
static bool under_way(pid_t child, const char *csv_part) {
  const bool good = wait_bytes(child, csv_part, 1);
  CHECK(good);
  if (!good) kill(child, SIGKILL);
  return good;
}

/* rows of a result and the time of its last; -1 if it cannot be read */
typedef struct last {
  double t, every;
  long rows;
  bool good;
} last;

static tn_status last_row(void *user, double t, int n, const double *values) {
  last *l = user;
  l->good = l->good && n == 3 && isfinite(values[0]) && fabs(t - (double)l->rows * l->every) <= 1e-9 * (1 + t);
  l->rows++;
  l->t = t;
  return TN_OK;
}

static long rows_of(const char *path, double every, bool *whole, double *t) {
  tn_result *r;
  tn_error e;
  last l = {.every = every, .good = true};
  if (tn_result_open(NULL, path, &r, &e) != TN_OK) return -1;
  const long rows = (long)tn_result_rows(r);
  *whole = tn_result_summary(r) != NULL;
  tn_result_each(r, last_row, &l, &e); /* of one without an end it hands out all that there is, and says so */
  if (!l.good || l.rows != rows) l.rows = -1;
  if (t) *t = l.t;
  tn_result_close(r);
  return l.rows;
}

/* CSV and result hold the same rows, up to just before the time that stderr says */
static void check_rows(const char *csv, const char *tnr) {
  bool whole = false;
  double t = -1;
  const int rows = csv_rows(csv, 1e-3, false);
  CHECK(rows > 0 && rows_of(tnr, 1e-3, &whole, &t) == rows && whole);
  const char *said = strstr(err, "tenon: interrupted at t = ");
  CHECK(said != NULL);
  if (!said) return;
  const double reached = atof(said + strlen("tenon: interrupted at t = "));
  CHECK(reached >= t - 1e-9 && reached < t + 1.1e-3);
  CHECK_HAS(said, " of 1000000 s\n");
  CHECK(TENON("export", tnr, "-q", "-o", "from.csv") == 0 && same_files(csv, "from.csv"));
}

TEST(ctrl_c_leaves_rows_that_can_be_read) {
  unsigned random = 20240607;
  for (int i = 0; i < 5; i++) {
    fresh();
    const bool older = i % 2 == 0;
    if (older) spill("a.csv", old);
    if (older) spill("a.tnr", old);
    const pid_t child = start(WORDS(ENDLESS, "-o", "a.csv", "-o", "a.tnr"));
    if (!under_way(child, "a.csv.part")) return;
    nap(0.3 * uniform(&random));
    kill(child, SIGINT);
    const int code = ended(child);
    if (code != 130) FAIL("exit code %d\n%s", code, err);
    CHECK_HAS(out, "  interrupted: the run was interrupted at t = ");
    check_rows(older ? "a.csv.part" : "a.csv", older ? "a.tnr.part" : "a.tnr");
    if (older) CHECK(file_is("a.csv", old) && file_is("a.tnr", old));
    if (!older) CHECK(names_with(".part") == 0);
  }
}

TEST(ctrl_c_with_pictures_and_arrays) {
  fresh();
  spill("a.svg", old);
  spill("a.t.npy", old);
  const pid_t child = start(WORDS(ENDLESS, "-o", "a.csv", "-o", "a.svg", "-o", "a.npy"));
  if (!under_way(child, "a.csv.part")) return;
  kill(child, SIGINT);
  CHECK(ended(child) == 130);
  CHECK(file_is("a.svg", old) && exists("a.svg.part") && file_is("a.t.npy", old) && exists("a.t.npy.part"));
  CHECK(csv_rows("a.csv", 1e-3, false) > 0 && exists("a.tip.npy") && !exists("a.tip.npy.part"));
  CHECK(names_with(".tnr") == 0); /* what they were made from */
}

TEST(ctrl_c_and_json) {
  fresh();
  const pid_t child = start(WORDS(ENDLESS, "-o", "a.csv", "--json"));
  if (!under_way(child, "a.csv.part")) return;
  kill(child, SIGINT);
  CHECK(ended(child) == 130);
  CHECK_TEXT(text_of("status"), "interrupted");
  CHECK(number_of("t_end") > 0 && number_of("steps") > 0);
  CHECK(out[0] == '{' && strcmp(out + strlen(out) - 3, "\n}\n") == 0);
}

TEST(sigterm_is_143) {
  fresh();
  spill("a.csv", old);
  const pid_t child = start(WORDS(ENDLESS, "-o", "a.csv", "-o", "a.tnr", "-q"));
  if (!under_way(child, "a.csv.part")) return;
  kill(child, SIGTERM);
  CHECK(ended(child) == 143 && !*out && file_is("a.csv", old));
  check_rows("a.csv.part", "a.tnr");
}

/* no rows on the disk for as long as half a second; whatever is there is whole blocks */
TEST(killed_the_result_reads_to_the_last_block) {
  fresh();
  spill("a.tnr", old);
  bool whole = true;
  double t = -1;
  const pid_t child = start(WORDS(ENDLESS, "-o", "a.tnr", "-o", "a.csv"));
  for (const double began = seconds(); rows_of("a.tnr.part", 1e-3, &whole, &t) <= 0 && seconds() - began < 60;)
    nap(0.01);
  nap(0.2);
  kill(child, SIGKILL);
  CHECK(ended(child) == 1000 + SIGKILL && file_is("a.tnr", old) && !exists("a.csv"));
  const long rows = rows_of("a.tnr.part", 1e-3, &whole, &t);
  CHECK(rows > 0 && !whole);
  CHECK(TENON("export", "a.tnr.part") == 4 && strstr(err, "the end of the result is missing"));
  CHECK(TENON("export", "a.tnr.part", "-o", "from.csv") == 4 && !exists("from.csv"));
  CHECK(TENON("export", "a.tnr.part", "--recover", "-o", "from.csv") == 0 && csv_rows("from.csv", 1e-3, false) == rows);
  /* the rows of a run that went beyond */
  char words[80];
  snprintf(words, sizeof words, "%.3f", t + 0.05);
  CHECK(TENON("run", "a.tnr.part", "--until", words, "-q", "-o", "beyond.csv") == 0);
  snprintf(words, sizeof words, "head -n %ld beyond.csv >begin.csv", rows + 1);
  CHECK(system(words) == 0 && same_files("from.csv", "begin.csv"));
  /* cut anywhere behind that */
  const long size = size_of("a.tnr.part");
  unsigned random = 7;
  for (int i = 0; i < 10; i++) {
    char command[120];
    snprintf(command, sizeof command, "head -c %ld a.tnr.part >cut.tnr",
             size - (long)(uniform(&random) * (double)size / 2));
    CHECK(system(command) == 0);
    const long left = rows_of("cut.tnr", 1e-3, &whole, NULL);
    CHECK(left >= 0 && left <= rows && !whole);
    CHECK(TENON("export", "cut.tnr", "--recover", "--replace", "-o", "cut.csv") == 0 &&
          csv_rows("cut.csv", 1e-3, false) == left);
  }
  CHECK(csv_rows("a.csv.part", 1e-3, true) >= 0);
  /* a byte that is not as it was written ends it there, too */
  FILE *f = fopen("a.tnr.part", "r+b");
  if (!f || fseek(f, size - size / 4, SEEK_SET)) abort();
  const int byte = fgetc(f);
  if (fseek(f, size - size / 4, SEEK_SET) || fputc(byte ^ 1, f) == EOF || fclose(f)) abort();
  const long left = rows_of("a.tnr.part", 1e-3, &whole, NULL);
  CHECK(left >= 0 && left < rows && !whole);
}

/* rows that come one by one are on the disk soon, long before there are enough of them for a block */
TEST(a_slow_run_is_on_the_disk) {
  fresh();
  bool whole = false;
  long rows = 0;
  const pid_t child = start(WORDS("run", MODELS "four_bar.json", "--until", "1e5", "--step", "1e-5", "--every", "0.01",
                                  "-o", "a.tnr", "-o", "a.csv"));
  for (const double began = seconds(); rows < 3 && seconds() - began < 60; nap(0.01))
    rows = rows_of("a.tnr.part", 0.01, &whole, NULL);
  const int table = csv_rows("a.csv.part", 0.01, true);
  kill(child, SIGKILL);
  CHECK(ended(child) == 1000 + SIGKILL);
  CHECK(rows >= 3 && rows < 1000 && table >= 3);
}

/* a step is one movement: the first Ctrl-C waits for its end, the second one does not. here it takes seconds */
TEST_FULL(a_second_ctrl_c_ends_it_at_once) {
  fresh();
  int how = 130; /* the step may end between the two: once more, then */
  for (int tries = 0; tries < 6 && how == 130; tries++) {
    spill("a.csv", old);
    remove("a.csv.part");
    const pid_t child =
        start(WORDS("run", MODELS "n_four_bar.json", "--set", "N=100", "--formulation", "gauss", "-o", "a.csv"));
    CHECK(wait_bytes(child, "a.csv.part", 0) && wait_signal(child, "SigCgt", SIGINT, true));
    kill(child, SIGINT);
    CHECK(wait_signal(child, "ShdPnd", SIGINT, false)); /* two that wait would be one */
    kill(child, SIGINT);
    how = ended(child);
    CHECK(file_is("a.csv", old));
  }
  CHECK(how == 1000 + SIGINT); /* by the signal, not at the end of the step */
}

/* rows and rows within one step: Ctrl-C is heard among them */
TEST(ctrl_c_is_heard_between_rows) {
  fresh();
  spill("far.json",
        "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'p': {'mass': 1, 'coordinates': 'point'}},"
        "'start': {'p.vx': 1}, 'run': {'until': 9e5, 'every': 1e-3, 'integrator': {'type': 'rk4', 'step': 1e5}}}");
  const pid_t child = start(WORDS("run", "far.json", "-o", "a.csv"));
  if (!under_way(child, "a.csv.part")) return;
  kill(child, SIGINT);
  /* by then it has been given a few thousand times what it needs; the file would fill the disk */
  siginfo_t gone = {.si_pid = 0};
  for (const double began = seconds(); seconds() - began < 40 && gone.si_pid != child; nap(0.01))
    CHECK(waitid(P_PID, (id_t)child, &gone, WEXITED | WNOHANG | WNOWAIT) == 0);
  CHECK(gone.si_pid == child);
  if (gone.si_pid != child) kill(child, SIGKILL);
  CHECK(ended(child) == 130 && csv_rows("a.csv", 1e-3, false) > 0);
}

/* nobody reads the pipe: the write that waits is interrupted, and that is no failure to write */
TEST(ctrl_c_while_a_reader_sleeps) {
  int pipe_ends[2], waiting = 0, before = -1;
  fresh();
  CHECK(pipe(pipe_ends) == 0);
  char path[40];
  snprintf(path, sizeof path, "/dev/fd/%d", pipe_ends[1]);
  const pid_t child = start_words(WORDS(ENDLESS, "-o", "-"), "/dev/null", path, ".err");
  for (const double began = seconds(); seconds() - began < 60 && (waiting <= 4096 || waiting != before); nap(0.3)) {
    before = waiting;
    if (ioctl(pipe_ends[0], FIONREAD, &waiting) != 0) abort();
  }
  CHECK(waiting > 4096); /* full: nothing more goes in */
  kill(child, SIGINT);
  nap(0.2);
  /* the reader wakes up and reads all there is */
  static char text[1 << 20];
  size_t used = 0;
  close(pipe_ends[1]);
  for (ssize_t n; (n = read(pipe_ends[0], text + used, sizeof text - 1 - used)) > 0;) used += (size_t)n;
  text[used] = 0;
  close(pipe_ends[0]);
  const int code = wait_for(child);
  slurp(".err", err, sizeof err);
  if (code != 130 || !strstr(err, "tenon: interrupted at t = ") || strstr(err, "cannot write"))
    FAIL("exit code %d\n%s", code, err);
}
