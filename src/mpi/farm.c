/* where the runs of a sweep are made: in all programs that mpirun started together. in place of cli/farm.c this makes `tenon` into
 * `tenon-mpi`.
 *
 *   rank 0 -> rank r   one int: a run to make, ASK who you are, WAIT since it is still there, END
 *   rank r -> rank 0   HELLO  the fingerprint of what it read, or why it could not
 *                      RESULT run, status, the signal that stopped it, values, and why there are none
 *
 * Rank 0 makes runs too, in a thread of its own, while the first thread, the only one that speaks MPI, hands out and collects. Every rank
 * has two runs at a time, so that it finds the next one when it has sent the last. Nobody is waited for: a rank takes part from when it has
 * said hello, unless it has read something else, from a file system that is behind perhaps. Runs that a rank has kept for much longer than any took are made by rank 0: where mpirun is
 * told to let the others live (--enable-recovery) a sweep ends well without a rank that was lost. Waiting is by asking now and then: the
 * blocking calls of Open MPI turn round and round. */
#include "cli.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

const char *const tn_program = "tenon-mpi";

enum { ASK = -1, END = -2, WAIT = -3, HELLO = 1, RESULT = 2, ORDER = 3, AHEAD = 2, MOST_HELLO = 1024 };

static int rank, ranks = 1;
static bool lost; /* a rank no longer answers: MPI cannot be ended in order */

/* s: how often rank 0 says that it is there, and how long others believe it without a word */
static const double ALIVE = 20, SILENCE = 600;

static void nap(long microseconds) {
  const struct timespec t = {.tv_nsec = 1000 * microseconds};
  nanosleep(&t, NULL);
}

enum { SHORT = 200, LONG = 5000 }; /* naps, microseconds: where something is awaited soon, or is not */

int tn_farm_rank(void) { return rank; }

int tn_farm_begin(int *argc, char ***argv) {
  int level;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
    tn_say(RED, "MPI does not begin");
    exit(5);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* what there is to say rank 0 says, once */
  if (rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
    MPI_Abort(MPI_COMM_WORLD, TN_E_IO);
  return rank;
}

void tn_farm_version(void) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int n;
  MPI_Get_library_version(library, &n);
  library[strcspn(library, ",\n")] = 0;
  printf("%-12s %s, %d rank%s\n", "mpi", library, ranks, ranks == 1 ? "" : "s");
}

bool tn_farm_jobs(const words *w, int *workers) {
  *workers = 1;
  if (!tn_words_has(w, "--jobs")) return true;
  tn_say_usage(w, "a rank makes one run at a time, and mpirun says how many there are: nothing is left for", "--jobs");
  return false;
}

static void order(int to, int what) { MPI_Send(&what, 1, MPI_INT, to, ORDER, MPI_COMM_WORLD); }

/* the next order of rank 0. one that says nothing any more is lost, and nothing is left to do */
static int next_order(void) {
  int what = WAIT, there = 0;
  double heard = tn_wall_clock();
  while (what == WAIT) {
    if (MPI_Iprobe(0, ORDER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS) return END;
    const double silence = tn_wall_clock() - heard;
    if (!there && silence > SILENCE) MPI_Abort(MPI_COMM_WORLD, TN_E_INTERNAL);
    if (!there) {
      nap(silence < 1 ? SHORT : LONG);
      continue;
    }
    if (MPI_Recv(&what, 1, MPI_INT, 0, ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS) return END;
    heard = tn_wall_clock();
  }
  return what;
}

static bool ended; /* END has been sent, or read */

int tn_farm_end(int code) {
  if (rank > 0) {
    while (!ended) ended = next_order() == END;
    MPI_Finalize();
    return 0;
  }
  if (lost) MPI_Abort(MPI_COMM_WORLD, code); /* it would wait for the one that is lost */
  for (int r = 1; r < ranks; r++) order(r, END);
  MPI_Finalize();
  return code;
}

/* ---- the others ------------------------------------------------------------------------------------------------------------- */

typedef struct result {
  int run, status, caught;
  char failure[512];
  double values[];
} result;

static size_t result_size(const tn_sweep *s) { return sizeof(result) + sizeof(double) * (size_t)tn_sweep_values(s); }

static void say_hello(const tn_sweep *s, const tn_error *e) {
  char hello[MOST_HELLO] = "";
  if (s)
    snprintf(hello, sizeof hello, "%s", tn_sweep_fingerprint(s));
  else
    tn_error_text(e, hello, sizeof hello);
  MPI_Send(hello, MOST_HELLO, MPI_CHAR, 0, HELLO, MPI_COMM_WORLD);
}

void tn_farm_serve(const tn_sweep *s, const tn_error *e, tn_stop stop) {
  result *r = s ? calloc(1, result_size(s)) : NULL;
  for (int what; (what = next_order()) != END;) {
    if (what == ASK) {
      say_hello(r ? s : NULL, e);
      continue;
    }
    if (!r) continue;
    r->run = what;
    r->status = (int)tn_sweep_one(s, what, stop, NULL, r->values, r->failure);
    r->caught = tn_caught();
    MPI_Send(r, (int)result_size(s), MPI_BYTE, 0, RESULT, MPI_COMM_WORLD);
  }
  ended = true;
  free(r);
}

/* ---- rank 0 ----------------------------------------------------------------------------------------------------------------- */

typedef enum standing { SILENT, TAKES_PART, LEFT_OUT } standing; /* the first: it has not yet said hello */

typedef struct farm {
  const tn_sweep_work *work;
  pthread_mutex_t lock; /* of the members below, and of `done` */
  int next;             /* of work->run                        */
  bool on;              /* more may be begun                   */
  bool idle;            /* the thread has ended                */
  int left;             /* runs that have not come back        */
  double longest;       /* that a run took here, s             */
  int *caught;          /* signal that stopped another rank    */
  bool *back;           /* work->runs: it has                   */
  int *out;             /* ranks x AHEAD: what each of them has, as a place in work->run; -1 */
  double *since;        /* ranks: when it was last heard of, s */
  standing *with;       /* ranks                               */
} farm;

static void take_back(farm *f, int k, tn_status status, const double *values, const char *failure) {
  if (f->back[k]) return;
  f->back[k] = true;
  f->left--;
  if (!f->work->done(f->work->to, f->work->run[k], status, values, failure)) f->on = false;
}

/* a run that nobody has, or one that a rank has kept for too long; -1: there is none now */
static int one_to_make(farm *f) {
  if (!f->on) return -1;
  if (f->next < f->work->runs) return f->next++;
  const double now = tn_wall_clock(), patience = 10 + 10 * f->longest;
  for (int r = 1; r < ranks; r++)
    for (int i = 0; i < AHEAD && now - f->since[r] > patience; i++) {
      const int k = f->out[r * AHEAD + i];
      if (k >= 0 && !f->back[k]) return k;
    }
  return -1;
}

/* a signal here or at another rank; or what was made cannot be kept */
static bool halted(void *user) {
  farm *f = user;
  pthread_mutex_lock(&f->lock);
  const bool on = f->on;
  pthread_mutex_unlock(&f->lock);
  return !on || (f->work->stop && f->work->stop(f->work->user));
}

/* false: there is none to make now */
static bool make_one(farm *f, double *values) {
  const tn_sweep_work *w = f->work;
  char failure[512] = "";
  pthread_mutex_lock(&f->lock);
  const int k = one_to_make(f);
  pthread_mutex_unlock(&f->lock);
  if (k < 0) return false;
  const double began = tn_wall_clock();
  const tn_status status = values ? tn_sweep_one(w->sweep, w->run[k], halted, f, values, failure) : TN_E_MEMORY;
  const double took = tn_wall_clock() - began;
  pthread_mutex_lock(&f->lock);
  if (took > f->longest) f->longest = took;
  take_back(f, k, status, values, failure);
  pthread_mutex_unlock(&f->lock);
  return true;
}

static double *room_for_values(const farm *f) {
  return calloc((size_t)tn_sweep_values(f->work->sweep), sizeof(double));
}

static void *make_runs(void *user) {
  farm *f = user;
  double *values = room_for_values(f);
  for (bool on = true; on;) {
    if (!make_one(f, values)) nap(SHORT);
    pthread_mutex_lock(&f->lock);
    on = f->on && f->left > 0;
    f->idle = !on;
    pthread_mutex_unlock(&f->lock);
  }
  free(values);
  return NULL;
}

/* false: nobody has said hello */
static bool meet(farm *f) {
  char hello[MOST_HELLO];
  const char *mine = tn_sweep_fingerprint(f->work->sweep);
  MPI_Status from;
  int there = 0;
  if (MPI_Iprobe(MPI_ANY_SOURCE, HELLO, MPI_COMM_WORLD, &there, &from) != MPI_SUCCESS || !there) return false;
  const int r = from.MPI_SOURCE;
  if (MPI_Recv(hello, MOST_HELLO, MPI_CHAR, r, HELLO, MPI_COMM_WORLD, &from) != MPI_SUCCESS) return false;
  hello[MOST_HELLO - 1] = 0;
  f->with[r] = strcmp(hello, mine) == 0 ? TAKES_PART : LEFT_OUT;
  const bool other = strlen(hello) == strlen(mine) && strspn(hello, "0123456789abcdef") == strlen(hello);
  if (f->with[r] == LEFT_OUT) tn_say(YELLOW, "rank %d takes no part: %s", r, other ? "it has read other files" : hello);
  return true;
}

static void hand_out(farm *f) {
  for (int i = 0; i < AHEAD; i++)
    for (int r = 1; r < ranks; r++) {
      pthread_mutex_lock(&f->lock);
      int *mine = &f->out[r * AHEAD + i], k = -1;
      if (f->with[r] == TAKES_PART && *mine < 0 && f->on && f->next < f->work->runs) k = *mine = f->next++;
      if (k >= 0 && f->out[r * AHEAD + !i] < 0) f->since[r] = tn_wall_clock();
      pthread_mutex_unlock(&f->lock);
      if (k >= 0) order(r, f->work->run[k]);
    }
}

/* false: nothing has come */
static bool collect(farm *f, result *answer) {
  MPI_Status from;
  int there = 0;
  const size_t size = result_size(f->work->sweep);
  if (MPI_Iprobe(MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &there, &from) != MPI_SUCCESS || !there) return false;
  const int r = from.MPI_SOURCE;
  if (MPI_Recv(answer, (int)size, MPI_BYTE, r, RESULT, MPI_COMM_WORLD, &from) != MPI_SUCCESS) return false;
  pthread_mutex_lock(&f->lock);
  f->since[r] = tn_wall_clock();
  if (answer->status == TN_E_STOPPED && f->caught) *f->caught = answer->caught;
  for (int i = 0; i < AHEAD; i++) {
    const int k = f->out[r * AHEAD + i];
    if (k < 0 || f->work->run[k] != answer->run) continue;
    f->out[r * AHEAD + i] = -1;
    take_back(f, k, (tn_status)answer->status, answer->values, answer->failure);
  }
  pthread_mutex_unlock(&f->lock);
  return true;
}

/* it has something of ours: runs, or its hello */
static bool owes(const farm *f, int r) {
  bool some = f->with[r] == SILENT;
  for (int i = 0; i < AHEAD; i++) some = some || f->out[r * AHEAD + i] >= 0;
  return some;
}

/* until when those that owe something are waited for: a while after everything is done, or after it was stopped */
static double patience_ends(const farm *f, double began) {
  const double now = tn_wall_clock();
  bool silent = false;
  for (int r = 1; r < ranks; r++) silent = silent || f->with[r] == SILENT;
  return f->on && silent && began + 30 > now + 1 ? began + 30 : now + (f->on ? 1 : 2);
}

static void miss(const farm *f) {
  for (int r = 1; r < ranks; r++) {
    if (!owes(f, r)) continue;
    lost = true;
    if (f->left == 0)
      tn_say(YELLOW, "rank %d no longer answers%s", r, f->with[r] == SILENT ? "" : ": its runs were made here");
  }
}

/* hand out and collect, and make runs too if no other thread does */
static void keep_going(farm *f, result *answer, bool alone) {
  const tn_sweep_work *w = f->work;
  double *values = alone ? room_for_values(f) : NULL, deadline = INFINITY;
  const double began = tn_wall_clock();
  double said = began;
  for (bool busy = true; busy;) {
    bool some = meet(f);
    if (tn_wall_clock() - said > ALIVE) {
      for (int r = 1; r < ranks; r++) order(r, WAIT);
      said = tn_wall_clock();
    }
    hand_out(f);
    some = collect(f, answer) || some;
    if (alone && !some) some = make_one(f, values);
    pthread_mutex_lock(&f->lock);
    if (w->stop && w->stop(w->user)) f->on = false;
    bool out = false;
    for (int r = 1; r < ranks; r++) out = out || owes(f, r);
    if ((!f->on || f->left == 0) && isinf(deadline)) deadline = patience_ends(f, began);
    busy = (alone ? f->on && f->left > 0 : !f->idle) || (out && tn_wall_clock() < deadline);
    pthread_mutex_unlock(&f->lock);
    if (!some) nap(SHORT);
  }
  free(values);
}

void tn_farm_make(void *caught, const tn_sweep_work *work) {
  farm f = {.work = work, .caught = caught, .on = true, .left = work->runs, .lock = PTHREAD_MUTEX_INITIALIZER};
  result *answer = calloc(1, result_size(work->sweep));
  pthread_t thread;
  f.back = calloc((size_t)work->runs, sizeof *f.back);
  f.out = malloc(sizeof *f.out * (size_t)(ranks * AHEAD));
  f.since = calloc((size_t)ranks, sizeof *f.since);
  f.with = calloc((size_t)ranks, sizeof *f.with);
  if (!answer || !f.back || !f.out || !f.since || !f.with) {
    work->done(work->to, 0, TN_E_MEMORY, NULL, "");
  } else {
    for (int i = 0; i < ranks * AHEAD; i++) f.out[i] = -1;
    for (int r = 1; r < ranks; r++) order(r, ASK);
    const bool alone = pthread_create(&thread, NULL, make_runs, &f) != 0;
    keep_going(&f, answer, alone);
    if (!alone) pthread_join(thread, NULL);
    miss(&f);
  }
  free(f.with);
  free(f.since);
  free(f.out);
  free(f.back);
  free(answer);
}
