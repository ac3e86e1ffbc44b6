/* a model in the plane in several poses, over one another: its shapes where the bodies are at the end of the step that reaches a time
 * that is asked for. */
#include "study/study.h"

enum { ROUND = 20, MOST_PLACES = 1 << 20 };
static const double SAME = 1e-4; /* of the length of the model: nobody sees that a pose is another one */

void tn_strobe_free(tn_strobe *k) {
  for (int i = 0; i < 2; i++) tn_block_free(k->allocator, k->p[i]);
  tn_block_free(k->allocator, k->seen);
  tn_drawing_free(k->drawing);
  *k = (tn_strobe){.allocator = k->allocator};
}

static void fail(tn_strobe *k, const char *why) {
  k->failed = true;
  tn_format(k->why, sizeof k->why, "%.150s", why);
}

static void add(tn_strobe *k, int kind, double x, double y) {
  if (k->n[kind] == k->room[kind]) {
    const size_t room = k->room[kind] ? 2 * k->room[kind] : 256;
    double(*more)[2] = room > MOST_PLACES ? NULL : tn_block_new(k->allocator, sizeof *more * room);
    if (!more) {
      fail(k, "the poses have too many places");
      return;
    }
    if (k->n[kind]) memcpy(more, k->p[kind], sizeof *more * k->n[kind]);
    tn_block_free(k->allocator, k->p[kind]);
    k->p[kind] = more;
    k->room[kind] = room;
  }
  k->p[kind][k->n[kind]][0] = x;
  k->p[kind][k->n[kind]++][1] = y;
}

static void end(tn_strobe *k, int kind) { add(k, kind, NAN, NAN); }

/* of a body, or the ground */
static void place(const tn_sim *s, int body, const double p[2], double to[2]) {
  memcpy(to, p, 2 * sizeof *to);
  if (body < 0) return;
  const tn_frame2 *f = &s->solver.sys.body[body];
  to[0] = f->r[0] + f->c * p[0] - f->s * p[1];
  to[1] = f->r[1] + f->s * p[0] + f->c * p[1];
}

static void disc(tn_strobe *k, const tn_sim *s, const tn_shape *a) {
  double to[2];
  place(s, a->body, a->center, to);
  for (int i = 0; i < ROUND; i++) {
    const double angle = 2 * acos(-1) * i / ROUND;
    add(k, 1, to[0] + a->radius * cos(angle), to[1] + a->radius * sin(angle));
  }
  end(k, 1);
}

static void shape(tn_strobe *k, const tn_sim *s, const tn_shape *a) {
  const int kind = a->kind == TN_FILL;
  double to[2];
  if (a->kind == TN_DISC) {
    disc(k, s, a);
    return;
  }
  for (int i = 0, loop = 0, first = 0; i < a->points; i++) {
    place(s, a->body, a->point + 2 * i, to);
    add(k, kind, to[0], to[1]);
    const bool last = i == a->points - 1 || (kind && loop < a->loops && i == a->loop[loop] - 1);
    if (!last) continue;
    if (!kind && a->closed) {
      place(s, a->body, a->point + 2 * first, to);
      add(k, kind, to[0], to[1]);
    }
    end(k, kind);
    loop++;
    first = i + 1;
  }
}

static void rods(tn_strobe *k, const tn_sim *s) {
  for (int i = 0; i < k->drawing->links; i++) {
    for (int end_of = 0; end_of < 2; end_of++) {
      const tn_spot *spot = &k->drawing->link[i].end[end_of];
      double to[2];
      place(s, spot->body, spot->p, to);
      add(k, 0, to[0], to[1]);
    }
    end(k, 0);
  }
}

/* the pose is new; it is kept */
static bool is_new(tn_strobe *k, const tn_sim *s) {
  const int n = 4 * s->m->bodies, drawn = k->poses - k->earlier;
  if (!k->seen) k->seen = tn_block_new(k->allocator, sizeof *k->seen * (size_t)(n * TN_MOST_POSES + 1));
  if (!k->seen) {
    fail(k, "out of memory for the poses");
    return false;
  }
  double *here = k->seen + n * drawn;
  for (int i = 0; i < s->m->bodies; i++) {
    const tn_frame2 *f = &s->solver.sys.body[i];
    const double pose[] = {f->r[0], f->r[1], f->c * s->m->length, f->s * s->m->length};
    memcpy(here + 4 * i, pose, sizeof pose);
  }
  for (int i = 0; i < drawn; i++) {
    double most = 0;
    for (int l = 0; l < n; l++) most = fmax(most, fabs(here[l] - k->seen[n * i + l]));
    if (most <= SAME * s->m->length) return false;
  }
  return true;
}

static void see(tn_strobe *k, tn_sim *s, double t) {
  const double due = k->from + k->poses * k->by, near = 1e-9 * fmax(1, fabs(due));
  if (k->failed || due > k->to + near || t < due - near) return;
  if (s->m->dimension != 2) {
    fail(k, "poses are drawn of models in the plane");
    return;
  }
  const tn_picture picture = {.flat = true};
  tn_error e;
  if (!k->drawing && tn_drawing_new(s->m, &picture, &k->drawing, &e) != TN_OK) {
    fail(k, e.message);
    return;
  }
  if (tn_row_here(s) != TN_OK) return;
  const bool draw = is_new(k, s);
  for (int i = 0; i < k->drawing->shapes && draw; i++)
    if (k->drawing->shape[i].body >= 0 || !k->poses) shape(k, s, &k->drawing->shape[i]);
  if (draw) rods(k, s);
  k->earlier += !draw;
  k->poses++;
}

void tn_strobe_see(void *strobes, tn_sim *s, double t) {
  for (tn_strobe **k = strobes; *k; k++) see(*k, s, t);
}
