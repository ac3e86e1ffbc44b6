/* tenon-mpi under mpirun: the bytes of `tenon sweep` with any number of ranks; one rank speaks; a rank that is killed. all ranks are on
 * this machine, and more of them than it has processors. */
#include "test.h"

#include "cli/cli_support.h"

#define MPIRUN                                                                                                         \
  "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "                 \
  "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader timeout 100 '" TN_MPIRUN     \
  "' "
#define PROGRAM " '" TN_BINARY "-mpi' "

/* the exit code; what was said is in `out` and `err` */
static int mpirun(const char *words) {
  char command[2000];
  enter();
  snprintf(command, sizeof command, "{ " MPIRUN "%s; } >.out 2>.err </dev/null", words);
  const int status = system(command);
  slurp(".out", out, sizeof out);
  slurp(".err", err, sizeof err);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

/* densities from `least` on: some fail if it is below 0, and mpirun takes a second to end where an exit code is not 0 */
static void spill_sweep(int n, double until, double least) {
  char text[600];
  snprintf(text, sizeof text,
           "{'sweep': 1, 'run': {'model': '" MODELS "four_bar.json', 'until': %g}, 'vary': {'/constants/rho': "
           "{'uniform': [%g, 2]}}, 'samples': %d, 'seed': 5, 'measures': {'load': {'expression': 'norm(force(D))', "
           "'take': 'max'}, 'rhs': {'of': 'rhs'}}}",
           until, least, n);
  spill("s.json", text);
}

static int times(const char *text, const char *part) {
  int n = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) n++;
  return n;
}

TEST_FULL(any_number_of_ranks_gives_the_same_bytes) {
  for (int ranks = 1; ranks <= 3; ranks++) {
    const int code = ranks == 3 ? 3 : 0;
    char words[300];
    fresh();
    spill_sweep(30, 0.2, code ? -0.2 : 0.5);
    CHECK(tenon("sweep s.json -q -o whole.csv -o whole.json") == code);
    snprintf(words, sizeof words, "-n %d" PROGRAM "sweep s.json -o a.csv -o a.json", ranks);
    CHECK(mpirun(words) == code);
    CHECK(same_files("a.csv", "whole.csv") && same_files("a.json", "whole.json") && !exists("a.csv.journal"));
    CHECK(times(out, "median") == 1 && times(out, "runs failed") == (code == 3));
  }
}

TEST_FULL(one_rank_speaks) {
  fresh();
  CHECK(mpirun("-n 3" PROGRAM "sweep nowhere.json") == 4);
  CHECK(times(err, "cannot read 'nowhere.json'") == 1);
  CHECK(mpirun("-n 3" PROGRAM "--version") == 0);
  CHECK(times(out, "tenon-mpi ") == 1 && strstr(out, "\nmpi ") && strstr(out, ", 3 ranks\n"));
  CHECK(mpirun("-n 2" PROGRAM "run " MODELS "pendulum.json --until 1 -o a.csv") == 0);
  CHECK(times(out, "reached t = 1 s") == 1 && exists("a.csv"));
}

/* each in a folder of its own: the second has another sweep there, the third none */
TEST_FULL(ranks_that_read_other_files_take_no_part) {
  fresh();
  spill_sweep(6, 0.1, 0.5);
  if (system("mkdir r0 r1 r2; mv s.json r0") != 0) abort();
  spill_sweep(6, 0.2, 0.5);
  if (system("mv s.json r1") != 0) abort();
  CHECK(tenon("sweep r0/s.json -q -o whole.csv") == 0);
  CHECK(mpirun("-n 3 sh -c 'cd r$OMPI_COMM_WORLD_RANK; exec \"" TN_BINARY "-mpi\" sweep s.json -q -o a.csv'") == 0);
  CHECK_HAS(err, "rank 1 takes no part: it has read other files");
  CHECK_HAS(err, "rank 2 takes no part: cannot read 's.json'");
  CHECK(same_files("whole.csv", "r0/a.csv"));
}

/* the last rank gets a signal when some runs are done */
static int signal_a_rank(int number, const char *how) {
  char command[2000];
  snprintf(command, sizeof command,
           "{ " MPIRUN "%s -n 3 sh -c '[ $OMPI_COMM_WORLD_RANK = 2 ] && echo $$ >pid; exec \"" TN_BINARY
           "-mpi\" sweep s.json -o a.csv -q'; } >.out 2>.err </dev/null & mpi=$!; "
           "until [ -s pid ] && [ $(cat a.csv.journal 2>/dev/null | wc -c) -ge 300 ]; do sleep 0.01; done; "
           "kill -%d $(cat pid); wait $mpi",
           how, number);
  const int status = system(command);
  slurp(".err", err, sizeof err);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static int kill_a_rank(const char *how) { return signal_a_rank(9, how); }

/* what one rank is told is told by all, in the exit code too */
TEST_FULL(a_signal_that_another_rank_catches) {
  fresh();
  spill_sweep(60, 5, 0.5);
  CHECK(tenon("sweep s.json -q -o whole.csv") == 0);
  CHECK(signal_a_rank(15, "") == 143);
  CHECK_HAS(err, "'a.csv.journal': the same command goes on from there");
  CHECK(!exists("a.csv"));
  CHECK(mpirun("-n 2" PROGRAM "sweep s.json -q -o a.csv") == 0);
  CHECK(same_files("a.csv", "whole.csv"));
}

TEST_FULL(a_rank_that_is_killed) {
  fresh();
  spill_sweep(60, 5, 0.5);
  CHECK(tenon("sweep s.json -q -o whole.csv") == 0);
  CHECK(kill_a_rank("") == 137);
  CHECK_HAS(err, "signal 9");
  CHECK(!exists("a.csv") && exists("a.csv.journal"));
  CHECK(mpirun("-n 2" PROGRAM "sweep s.json -o a.csv") == 0);
  CHECK_HAS(err, "going on: ");
  CHECK(same_files("a.csv", "whole.csv"));
}

/* and where mpirun is told to let the others live, they do its work */
TEST_LONG(the_others_go_on_without_it) {
  fresh();
  spill_sweep(60, 5, 0.5);
  CHECK(tenon("sweep s.json -q -o whole.csv") == 0);
  kill_a_rank("--enable-recovery");
  CHECK_HAS(err, "rank 2 no longer answers: its runs were made here");
  CHECK(same_files("a.csv", "whole.csv") && !exists("a.csv.journal"));
}

/* one that never says hello, since it waits for a file that nobody writes */
TEST_LONG(nobody_is_waited_for) {
  fresh();
  spill_sweep(6, 0.1, 0.5);
  if (system("mkdir r0 r1 r2; cp s.json r0; cp s.json r1; mkfifo r2/s.json") != 0) abort();
  CHECK(tenon("sweep s.json -q -o whole.csv") == 0);
  mpirun("-n 3 sh -c 'cd r$OMPI_COMM_WORLD_RANK; exec \"" TN_BINARY "-mpi\" sweep s.json -q -o a.csv'");
  CHECK_HAS(err, "rank 2 no longer answers\n");
  CHECK(same_files("whole.csv", "r0/a.csv"));
}

/* a thousand four-bars */
TEST_LONG(a_thousand_four_bars) {
  fresh();
  CHECK(tenon("sweep " TN_SOURCE_DIR "/sweeps/four_bar_tolerances.json -q -j 1 -o one.csv") == 0);
  CHECK(tenon("sweep " TN_SOURCE_DIR "/sweeps/four_bar_tolerances.json -q -j 2 -o two.csv") == 0);
  CHECK(lines_of("one.csv") == 1001 && same_files("one.csv", "two.csv"));
  for (int ranks = 1; ranks <= 3; ranks++) {
    char words[400];
    snprintf(words, sizeof words,
             "-n %d" PROGRAM "sweep " TN_SOURCE_DIR "/sweeps/four_bar_tolerances.json -q -o mpi.csv", ranks);
    CHECK(mpirun(words) == 0 && same_files("one.csv", "mpi.csv"));
  }
}
