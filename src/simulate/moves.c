/* what assembling the start moved: changes of pose, by the names of coordinates, in m and rad.
 *   (1) a rotation by quaternions from a to b:  b conj(a) = (cos(phi/2), n sin(phi/2)),  the turn is phi n, |phi| <= pi
 * Its three numbers have no coordinate of their own: `arm about y`, about axes of what the coordinates are measured against. */
#include "simulate/simulate.h"

static const double LEAST = 1e-9; /* m or rad: less is not reported */

/* one number of a pose that changed */
typedef struct change {
  char name[64], unit[4];
  double by;
} change;

/* the largest first, those alike in the order of the coordinates */
static void note(tn_summary *sum, const change *x) {
  int at = sum->start_moves < TN_MOST_MOVES ? sum->start_moves : TN_MOST_MOVES;
  if (fabs(x->by) > sum->start_moved) {
    sum->start_moved = fabs(x->by);
    memcpy(sum->start_moved_name, x->name, sizeof x->name);
  }
  if (!(fabs(x->by) > LEAST)) return;
  sum->start_moves++;
  while (at > 0 && fabs(sum->start_move[at - 1].by) < fabs(x->by)) at--;
  if (at == TN_MOST_MOVES) return;
  tn_move *to = &sum->start_move[at];
  memmove(to + 1, to, sizeof *to * (size_t)(TN_MOST_MOVES - 1 - at));
  memcpy(to->name, x->name, sizeof to->name);
  memcpy(to->unit, x->unit, sizeof to->unit);
  to->by = x->by;
}

/* (1) */
static void turn_of(const double a[4], const double b[4], double turn[3]) {
  const double conjugate[4] = {a[0], -a[1], -a[2], -a[3]};
  double p[4];
  tn_quaternion_product(b, conjugate, p);
  const double sine = tn_norm3(p + 1), angle = 2 * atan2(sine, fabs(p[0]));
  for (int k = 0; k < 3; k++) turn[k] = sine > 0 ? (p[0] < 0 ? -angle : angle) * p[1 + k] / sine : 0;
}

/* coordinate k of a body that has a name of its own */
static void note_number(tn_sim *s, int q, double by) {
  static const char *const unit[] = {[TN_LENGTH] = "m", [TN_LENGTH_SQUARED] = "", [TN_ANGLE] = "rad", [TN_RATIO] = ""};
  change x = {.by = by};
  tn_format(x.name, sizeof x.name, "%.63s", s->m->q_name[q]);
  tn_format(x.unit, sizeof x.unit, "%s", unit[s->m->q_unit[q]]);
  note(&s->summary, &x);
}

static void note_turn(tn_sim *s, const tn_body *b, const double turn[3]) {
  const char *part = b->type ? b->name : s->m->joint[b->joint].name;
  for (int k = 0; k < 3; k++) {
    change x = {.by = turn[k], .unit = "rad"};
    tn_format(x.name, sizeof x.name, "%.54s about %c", part, "xyz"[k]);
    note(&s->summary, &x);
  }
}

void tn_report_moves(tn_sim *s, const double *from) {
  const tn_model *m = s->m;
  tn_summary *sum = &s->summary;
  sum->start_moves = 0;
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    const double *q0 = from + b->q, *q1 = s->now.y + b->q;
    const int turned = b->chart && b->nq == b->nu + 1 ? b->nq - 4 : b->nq; /* charts end with a quaternion */
    for (int k = 0; k < turned; k++) note_number(s, b->q + k, q1[k] - q0[k]);
    if (turned == b->nq) continue;
    double turn[3];
    turn_of(q0 + turned, q1 + turned, turn);
    note_turn(s, b, turn);
  }
  if (!sum->start_moves) return;
  char list[200];
  tn_moves_text(sum, list, sizeof list);
  tn_log(s, s->now.t, "assembled", "the start moved %s", list);
}

void tn_moves_text(const tn_summary *sum, char *text, size_t size) {
  const int n = sum->start_moves < TN_MOST_MOVES ? sum->start_moves : TN_MOST_MOVES;
  size_t used = 0;
  int i = 0;
  text[0] = 0;
  for (; i < n; i++) {
    const tn_move *x = &sum->start_move[i];
    char one[112];
    const size_t length = (size_t)tn_format(one, sizeof one, "%s%s by %.3g%s%s", i ? ", " : "", x->name, x->by,
                                            *x->unit ? " " : "", x->unit);
    if (used + length + 16 > size) break;
    used += (size_t)tn_format(text + used, size - used, "%s", one);
  }
  if (i < sum->start_moves) tn_format(text + used, size - used, " and %d more", sum->start_moves - i);
}
