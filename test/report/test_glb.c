/* the motion as glTF: our own reader finds the triangles again, every write and every allocation may fail. what other programs make of
 * it is tried in viewer/test/glb.test.mjs. */
#include "draw/maker.h"
#include "report/report.h"

#include "support/build.h"
#include "support/failing.h"
#include "test.h"

static const char path[] = "motion.tnr";

typedef struct text {
  size_t used, room;
  char *text;
  long calls, fail; /* the call number `fail` is refused */
} text;

static bool to_text(void *user, const char *bytes, size_t size) {
  text *p = user;
  if (++p->calls == p->fail) return false;
  if (p->used + size >= p->room) {
    p->room = 2 * (p->used + size) + 1000;
    if (!(p->text = realloc(p->text, p->room))) abort();
  }
  memcpy(p->text + p->used, bytes, size);
  p->used += size;
  return true;
}

static void record(const char *model, const char *until) {
  build b;
  text to = {0};
  tn_recorder *recorder = NULL;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, model);
  build_set(&b, "/run/until", "%s", until);
  build_set(&b, "/run/every", "0.01");
  if (!build_simulate(&b)) FAIL("%s", b.message);
  CHECK(tn_recorder_new(b.sim, b.desc, model, to_text, &to, &recorder, &e) == TN_OK);
  CHECK(tn_sim_run(b.sim, tn_recorder_row, recorder, &e) == TN_OK);
  CHECK(tn_recorder_end(recorder, b.sim, model, tn_report_json) == TN_OK);
  tn_recorder_free(recorder);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(to.text, 1, to.used, f) != to.used || fclose(f) != 0) abort();
  free(to.text);
  build_free(&b);
}

static tn_result *open_result(const tn_allocator *allocator) {
  tn_result *r = NULL;
  tn_error e;
  if (tn_result_open(allocator, path, &r, &e) != TN_OK) FAIL("%s", e.message);
  return r;
}

TEST(our_own_reader_finds_the_shapes) {
  static const char *const models[] = {"four_bar", "gear_train", "stewart_platform", "rolling_disc"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    record(models[i], "0.1");
    tn_result *r = open_result(NULL);
    text to = {0};
    tn_error e;
    tn_model *m = NULL;
    tn_drawing *d = NULL;
    tn_arena arena;
    tn_triangles t = {0};
    CHECK(tn_result_glb(r, to_text, &to, &e) == TN_OK);
    CHECK_TEXT(e.message, "");
    CHECK(tn_result_drawing(r, false, &m, &d, &e) == TN_OK);
    tn_arena_init(&arena, NULL);
    if (tn_read_gltf(&arena, "glb", (const unsigned char *)to.text, to.used, &t, &e) != TN_OK) FAIL("%s", e.message);
    long triangles = 0;
    for (int s = 0; s < d->shapes; s++) triangles += d->solid[d->shape[s].mesh].triangles;
    CHECK(t.triangles == triangles && t.normal && triangles > 0);
    /* where the model is at the given pose: the box around all of it, y up */
    double box[2][2][3];
    for (int k = 0; k < 2; k++)
      for (int c = 0; c < 3; c++) box[k][0][c] = INFINITY, box[k][1][c] = -INFINITY;
    for (int v = 0; v < t.vertices; v++)
      for (int c = 0; c < 3; c++) {
        const double x = (double)t.position[3 * v + c];
        box[0][0][c] = fmin(box[0][0][c], x), box[0][1][c] = fmax(box[0][1][c], x);
      }
    for (int s = 0; s < d->shapes; s++) {
      const tn_shape *shape = &d->shape[s];
      const tn_solid *solid = &d->solid[shape->mesh];
      for (int v = 0; v < solid->vertices; v++) {
        double p[3], q[3], w[3], A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int c = 0; c < 3; c++) p[c] = (double)solid->position[3 * v + c];
        tn_turn3(shape->A, p, q);
        tn_axpy3(1, shape->at, q);
        if (shape->body >= 0 && m->dimension == 3) memcpy(A, m->body[shape->body].pose.A, sizeof A);
        if (shape->body >= 0 && m->dimension == 2)
          tn_rotation_about3((double[3]){0, 0, 1}, m->body[shape->body].pose.angle, A);
        tn_turn3(A, q, w);
        if (shape->body >= 0) tn_axpy3(1, m->body[shape->body].pose.r, w);
        const double up[3] = {w[0], m->dimension == 3 ? w[2] : w[1], m->dimension == 3 ? -w[1] : w[2]};
        for (int c = 0; c < 3; c++) box[1][0][c] = fmin(box[1][0][c], up[c]), box[1][1][c] = fmax(box[1][1][c], up[c]);
      }
    }
    for (int c = 0; c < 6; c++) CHECK_NEAR(box[0][c / 3][c % 3], box[1][c / 3][c % 3], 1e-5);
    tn_arena_free(&arena);
    tn_drawing_free(d);
    tn_model_free(m);
    tn_result_close(r);
    free(to.text);
  }
}

TEST(a_write_that_fails_is_an_error_wherever_it_fails) {
  record("four_bar", "0.05");
  tn_result *r = open_result(NULL);
  text all = {0};
  tn_error e;
  CHECK(tn_result_glb(r, to_text, &all, &e) == TN_OK && all.calls > 10);
  for (long i = 1; i <= all.calls; i++) {
    text to = {.fail = i};
    CHECK(tn_result_glb(r, to_text, &to, &e) == TN_E_IO);
    CHECK(to.calls == i); /* nothing is written after it */
    free(to.text);
  }
  free(all.text);
  tn_result_close(r);
}

TEST(every_allocation_may_fail) {
  record("gear_train", "0.02");
  failing f = {0};
  const tn_allocator allocator = {fail_allocate, fail_release, &f};
  tn_result *r = open_result(&allocator);
  text to = {0};
  tn_error e;
  const long before = f.out;
  f.calls = 0;
  CHECK(tn_result_glb(r, to_text, &to, &e) == TN_OK && f.out >= before);
  const long calls = f.calls, out = f.out;
  for (long i = 1; i <= calls; i++) {
    f.calls = 0, f.fail = i;
    to.used = 0;
    CHECK(tn_result_glb(r, to_text, &to, &e) == TN_E_MEMORY);
    CHECK(f.out <= out);
  }
  f.fail = 0;
  tn_result_close(r);
  CHECK(f.out == 0);
  free(to.text);
}
