/* result files that go on: saved at any row, resumed by a program that begins anew, the same bytes come out, blocks and all; what does
 * not belong together is refused, and memory that is missing is told. */
#include <stdio.h>
#include <unistd.h>

#include "report/report.h"
#include "support/build.h"
#include "test.h"

typedef struct bytes {
  unsigned char *data;
  size_t used, room;
} bytes;

static bool to_bytes(void *user, const char *text, size_t n) {
  bytes *b = user;
  if (b->used + n > b->room) {
    b->room = 2 * (b->used + n);
    if (!(b->data = realloc(b->data, b->room))) abort();
  }
  memcpy(b->data + b->used, text, n);
  b->used += n;
  return true;
}

/* a report without clocks */
static tn_status no_report(const tn_sim *sim, const char *name, tn_write write, void *user) {
  char text[64];
  snprintf(text, sizeof text, "%s %" PRId64 " %.17g", name, tn_sim_summary(sim)->steps, tn_sim_time(sim));
  return write(user, text, strlen(text)) ? TN_OK : TN_E_IO;
}

static void make(build *b) {
  tn_error e;
  build_new(b, 1);
  build_read(b, "four_bar");
  build_set(b, "/run/until", "3");
  build_set(b, "/run/every", "0.0007");
  if (!build_compile(b) || tn_sim_new(b->model, &b->sim, &e) != TN_OK) abort();
}

enum { SAVES = 3 };
typedef struct session {
  tn_recorder *recorder;
  int64_t row, save_at[SAVES];
  bytes state[SAVES];
} session;

/* saved as the step ends that the row is in */
static bool watch(void *user, double t) {
  session *s = user;
  (void)t;
  for (int i = 0; i < SAVES; i++) {
    tn_error e;
    if (s->state[i].used || s->row < s->save_at[i]) continue;
    if (tn_recorder_save(s->recorder, to_bytes, &s->state[i], &e) != TN_OK) FAIL("%s", e.message);
  }
  return true;
}

static tn_status receive(void *user, double t, int n, const double *values) {
  session *s = user;
  s->row++;
  return tn_recorder_row(s->recorder, t, n, values);
}

static void whole_run(bytes *file, session *s) {
  build b;
  tn_error e;
  make(&b);
  CHECK(tn_recorder_new(b.sim, b.desc, "m", to_bytes, file, &s->recorder, &e) == TN_OK);
  if (s->save_at[0]) tn_sim_watch(b.sim, watch, s);
  CHECK(tn_sim_run(b.sim, receive, s, &e) == TN_OK);
  CHECK(tn_recorder_end(s->recorder, b.sim, "m", no_report) == TN_OK);
  tn_recorder_free(s->recorder);
  build_free(&b);
}

static void write_file(const char *path, const bytes *b, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(b->data, 1, n, f) != n || fclose(f) != 0) abort();
}

TEST(the_same_bytes) {
  bytes whole = {0}, watched = {0};
  session plain = {0}, s = {.save_at = {1, 1500, 4000}};
  tn_error e;
  whole_run(&whole, &plain);
  whole_run(&watched, &s);
  CHECK(plain.row == 4287 && whole.used == watched.used && memcmp(whole.data, watched.data, whole.used) == 0);
  write_file("resumed.tnr", &whole, whole.used);
  for (int i = 0; i < SAVES; i++) {
    build b;
    bytes file = {0};
    int64_t length = 0;
    session rest = {0};
    make(&b);
    CHECK(tn_recorder_resume(b.sim, "resumed.tnr", s.state[i].data, s.state[i].used, to_bytes, &file, &rest.recorder,
                             &length, &e) == TN_OK);
    if (!rest.recorder) {
      printf("%s\n", e.message);
      continue;
    }
    to_bytes(&file, (const char *)whole.data, (size_t)length);
    CHECK(tn_sim_run(b.sim, receive, &rest, &e) == TN_OK);
    CHECK(tn_recorder_end(rest.recorder, b.sim, "m", no_report) == TN_OK);
    CHECK(file.used == whole.used && memcmp(file.data, whole.data, whole.used) == 0);
    tn_recorder_free(rest.recorder);
    free(file.data);
    build_free(&b);
  }
  /* the file is another, or has less than it had */
  build b;
  tn_recorder *r;
  int64_t length;
  make(&b);
  write_file("resumed.tnr", &whole, 2000);
  CHECK(tn_recorder_resume(b.sim, "resumed.tnr", s.state[2].data, s.state[2].used, to_bytes, NULL, &r, &length, &e) ==
        TN_E_IO);
  CHECK_HAS(e.message, "2000 of the");
  whole.data[1900] ^= 1;
  write_file("resumed.tnr", &whole, whole.used);
  CHECK(tn_recorder_resume(b.sim, "resumed.tnr", s.state[2].data, s.state[2].used, to_bytes, NULL, &r, &length, &e) ==
        TN_E_IO);
  CHECK_HAS(e.message, "another result");
  CHECK(!r && tn_recorder_resume(b.sim, "nowhere.tnr", s.state[0].data, s.state[0].used, to_bytes, NULL, &r, &length,
                                 &e) == TN_E_IO);
  CHECK_HAS(e.message, "cannot read");
  for (size_t n = 0; n < s.state[0].used; n += 1 + n / 3) /* cut off anywhere */
    CHECK(tn_recorder_resume(b.sim, "resumed.tnr", s.state[0].data, n, to_bytes, NULL, &r, &length, &e) == TN_E_IO &&
          *e.message);
  build_free(&b);
  remove("resumed.tnr");
  for (int i = 0; i < SAVES; i++) free(s.state[i].data);
  free(whole.data);
  free(watched.data);
}

/* rows that wait, shown behind a file: it reads with them, and they still wait */
TEST(a_tail_can_be_read) {
  build b;
  bytes file = {0}, shown = {0};
  session s = {0};
  tn_error e;
  tn_result *result;
  make(&b);
  CHECK(tn_recorder_new(b.sim, b.desc, "m", to_bytes, &file, &s.recorder, &e) == TN_OK);
  const double row[8] = {1, 2, 3};
  for (int i = 0; i < 5; i++) CHECK(tn_recorder_row(s.recorder, i, tn_sim_columns(b.sim), row) == TN_OK);
  to_bytes(&shown, (const char *)file.data, file.used);
  CHECK(tn_recorder_tail(s.recorder, to_bytes, &shown) == TN_OK && shown.used > file.used);
  write_file("tail.tnr", &shown, shown.used);
  CHECK(tn_result_open(NULL, "tail.tnr", &result, &e) == TN_OK && tn_result_rows(result) == 5);
  tn_result_close(result);
  CHECK(tn_recorder_flush(s.recorder) == TN_OK && file.used == shown.used &&
        memcmp(file.data, shown.data, file.used) == 0);
  tn_recorder_free(s.recorder);
  remove("tail.tnr");
  free(file.data);
  free(shown.data);
  build_free(&b);
}

/* memory that is missing is told, and nothing is left behind */
typedef struct scarce {
  int64_t calls, out, fail;
} scarce;

static void *scarce_allocate(void *user, size_t size) {
  scarce *s = user;
  if (++s->calls == s->fail) return NULL;
  s->out++;
  return malloc(size ? size : 1);
}

static void scarce_release(void *user, void *block) {
  ((scarce *)user)->out--;
  free(block);
}

TEST(resuming_without_memory) {
  scarce c = {0};
  const tn_allocator allocator = {scarce_allocate, scarce_release, &c};
  bytes file = {0}, state = {0};
  tn_desc *d;
  tn_model *m;
  tn_sim *sim = NULL;
  tn_recorder *r = NULL;
  tn_error e;
  int64_t length;
  CHECK(tn_desc_new(&allocator, &d, &e) == TN_OK &&
        tn_desc_read(d, TN_SOURCE_DIR "/models/pendulum.json", &e) == TN_OK);
  CHECK(tn_compile(d, &m, &e) == TN_OK && tn_sim_new(m, &sim, &e) == TN_OK && tn_sim_start(sim, &e) == TN_OK);
  CHECK(tn_recorder_new(sim, d, "m", to_bytes, &file, &r, &e) == TN_OK);
  CHECK(tn_recorder_save(r, to_bytes, &state, &e) == TN_OK);
  tn_recorder_free(r);
  write_file("scarce.tnr", &file, file.used);
  int tries = 0;
  for (tn_status status = TN_E_MEMORY; status != TN_OK && tries < 20; tries++) {
    const int64_t before = c.out;
    c.calls = 0;
    c.fail = tries + 1;
    status = tn_recorder_resume(sim, "scarce.tnr", state.data, state.used, to_bytes, &file, &r, &length, &e);
    CHECK(status == TN_OK || (status == TN_E_MEMORY && !r && c.out == before));
  }
  CHECK(tries == 5); /* a recorder is four pieces */
  tn_recorder_free(r);
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(d);
  CHECK(c.out == 0);
  remove("scarce.tnr");
  free(file.data);
  free(state.data);
}

/* ---- ten million steps --------------------------------------------------------------------------------------------------- */

typedef struct counting {
  int64_t calls;
} counting;

static void *count_allocate(void *user, size_t size) {
  ((counting *)user)->calls++;
  return malloc(size);
}

static void count_release(void *user, void *block) {
  (void)user;
  free(block);
}

/* pages of this program, or -1 where there is no such file */
static int64_t resident(void) {
  int64_t all, pages = -1;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f && fscanf(f, "%" PRId64 " %" PRId64, &all, &pages) != 2) pages = -1;
  if (f) fclose(f);
  return pages;
}

typedef struct marathon {
  tn_recorder *recorder;
  tn_sim *sim;
  counting *memory;
  int64_t steps, rows, saves, pages_early, pages_late, calls_early;
  size_t state, size;
  double lowest, highest, worst_time; /* energy; |t - k h| */
} marathon;

static bool to_size(void *user, const char *text, size_t n) {
  (void)text;
  *(size_t *)user += n;
  return true;
}

static bool watch_marathon(void *user, double t) {
  marathon *m = user;
  m->steps++;
  m->worst_time = fmax(m->worst_time, fabs(t - (double)m->steps * 1e-3));
  if (m->steps % 50000 == 0) {
    m->state = 0;
    CHECK(tn_recorder_save(m->recorder, to_size, &m->state, NULL) == TN_OK);
    m->saves++;
  }
  /* once every block has been full */
  if (m->steps == 3000000) m->pages_early = resident(), m->calls_early = m->memory->calls;
  if (m->steps == 9900000) m->pages_late = resident();
  return true;
}

static tn_status row_marathon(void *user, double t, int n, const double *values) {
  marathon *m = user;
  double energy = values[2];
  m->rows++;
  m->lowest = fmin(m->lowest, energy);
  m->highest = fmax(m->highest, energy);
  return tn_recorder_row(m->recorder, t, n, values);
}

TEST_LONG(ten_million_steps) {
  counting memory = {0};
  const tn_allocator allocator = {count_allocate, count_release, &memory};
  tn_desc *d;
  tn_model *model;
  tn_sim *sim = NULL;
  tn_error e;
  marathon m = {.memory = &memory, .lowest = INFINITY, .highest = -INFINITY};
  const tn_setting settings[] = {{"integrator", "rk4"}, {"step", "1e-3"}, {"until", "1e4"}, {"every", "1"}};
  CHECK(tn_desc_new(&allocator, &d, &e) == TN_OK);
  CHECK(tn_desc_read(d, TN_SOURCE_DIR "/models/pendulum.json", &e) == TN_OK);
  CHECK(tn_desc_settings(d, 4, settings, &e) == TN_OK);
  CHECK(tn_desc_json(d, "/outputs", "{\"x\": \"bob.x\", \"y\": \"bob.y\", \"E\": \"energy.total\"}", &e) == TN_OK);
  if (tn_compile(d, &model, &e) != TN_OK || tn_sim_new(model, &sim, &e) != TN_OK) {
    printf("%s\n", e.message);
    abort();
  }
  CHECK(tn_recorder_new(sim, d, "pendulum", to_size, &m.size, &m.recorder, &e) == TN_OK);
  m.sim = sim;
  tn_sim_watch(sim, watch_marathon, &m);
  CHECK(tn_sim_run(sim, row_marathon, &m, &e) == TN_OK);
  CHECK(tn_recorder_end(m.recorder, sim, "pendulum", tn_report_json) == TN_OK);
  const tn_summary *sum = tn_sim_summary(sim);
  printf("%" PRId64 " steps in %.1f s of CPU, %" PRId64 " rows, %zu bytes of result, %" PRId64 " states of %zu bytes\n",
         sum->steps, sum->cpu_seconds, m.rows, m.size, m.saves, m.state);
  printf("violation %.2g, velocity %.2g; energy %.3g .. %.3g J, balance %.3g of %.3g J; time off by %.2g s\n",
         sum->max_position_violation, sum->max_velocity_violation, m.lowest, m.highest, sum->energy_balance,
         sum->max_kinetic, m.worst_time);
  printf("memory %" PRId64 " and %" PRId64 " pages, %" PRId64 " and %" PRId64 " allocations\n", m.pages_early,
         m.pages_late, m.calls_early, memory.calls);
  CHECK(sum->steps == 10000000 && sum->rejected == 0 && tn_sim_time(sim) == 1e4 && m.rows == 10001);
  CHECK(sum->contract_kept && sum->max_position_violation < 1e-14);
  CHECK(m.highest - m.lowest < 1e-6 * sum->max_kinetic && sum->energy_balance < 1e-6);
  CHECK(m.worst_time < 1e-11); /* k h, not a sum of h */
  /* the system counts pages in lots of some ten; a byte lost in each step would be 1,700 of them */
  CHECK(m.pages_early > 0 && m.pages_late <= m.pages_early + 64 && m.calls_early > 0);
  CHECK(memory.calls - m.calls_early < 40 && m.size < 3000000); /* the end of the file has a page of text */
  tn_recorder_free(m.recorder);
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(d);
}
