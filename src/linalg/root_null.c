/* Left-null vectors of redundant rows, listed number by number. The vector of a row left out is found from its step downwards. Only pieces
 * on whose open bodies a force acts are looked at, so that it stays as local as the redundancy is.
 *   (16) a piece is left where max |c_b| <= cut of what it was: cut is 10 |F|, or roundoff. With less, vectors have tails of the size |F|
 *        over the whole model
 * If there is no room for all of them none is used, and (11), (12) take passes over the model instead. */
#include "linalg/root.h"

#include <assert.h>

static const double CUT_LEAST = 1e-14; /* 1: forces on open bodies over the first ones, that are roundoff */
static const double CUT_OFF = 10;      /* 1: the same over |F|                                            */

static double most_force(const tn_root *q, const tn_root_end *end, int n) {
  double most = 0;
  for (; n-- > 0; end++) {
    const tn_root_body *b = &q->plan->body[end->body];
    for (int i = 0; i < b->n; i++) most = fmax(most, fabs(q->c[b->t + i]));
  }
  return most;
}

static bool put(tn_root *q, int first, int n) {
  for (int i = first; i < first + n; i++) {
    if (q->mu[i] == 0) continue;
    if (q->entries == q->plan->entries) return false;
    q->entry[q->entries++] = (tn_root_entry){i, q->mu[i]};
  }
  return true;
}

/* the pieces of a step, if a force acts on them. returns how many steps wait */
static int follow(tn_root *q, const tn_root_step *s, double cut, int waiting) {
  for (int c = 0; c < s->children; c++) {
    const int step = q->plan->child[s->child + c] - q->plan->bodies;
    if (step < 0) continue;
    const tn_root_step *of = &q->plan->step[step];
    if (most_force(q, q->plan->end + of->end + of->ends, of->ports) > cut) q->list[waiting++] = step;
  }
  return waiting;
}

/* the vector of the row left out at place i of the order of a step */
static bool find(tn_root *q, int number, int i, double share) {
  const tn_root_plan *plan = q->plan;
  double own[TN_BLOCK_MOST] = {0}, cut = 0;
  int seen = plan->steps, waiting = 0; /* steps that wait from below, those that were seen from above */
  bool room = true;
  own[i] = 1;
  q->list[waiting++] = number;
  while (waiting > 0 && room) {
    const int k = q->list[--waiting];
    const tn_root_step *s = &plan->step[k];
    const int first = s->row + s->skip;
    tn_root_multipliers(q, k, NULL, own, q->mu + first);
    memset(own, 0, sizeof own);
    if (k == number) cut = share * most_force(q, plan->end + s->end, s->ends);
    room = put(q, first, s->size - s->skip);
    waiting = follow(q, s, cut, waiting);
    q->list[--seen] = k;
  }
  for (; seen < plan->steps; seen++) {
    const tn_root_step *s = &plan->step[q->list[seen]];
    const tn_root_end *end = plan->end + s->end;
    for (int e = 0; e < s->ends + s->ports; e++, end++)
      memset(q->c + plan->body[end->body].t, 0, sizeof *q->c * (size_t)plan->body[end->body].n);
  }
  return room;
}

void tn_root_list_nulls(tn_root *q) {
  const tn_root_plan *plan = q->plan;
  const double share = fmax(CUT_LEAST, CUT_OFF * q->off);
  q->entries = q->nulls = 0;
  q->listed = false;
  memset(q->c, 0, sizeof *q->c * (size_t)plan->twists);
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    const int first = s->row + s->skip;
    for (int i = q->rank[k]; i < s->size - s->skip; i++) {
      if (!q->left[first + q->pivot[first + i]]) continue;
      q->null_row[q->nulls] = first + q->pivot[first + i];
      q->null_first[q->nulls++] = q->entries;
      if (!find(q, k, i, share)) return;
    }
  }
  q->null_first[q->nulls] = q->entries;
  q->listed = true;
}

void tn_root_list_balance(const tn_root *q, const double *a, double *mu) {
  assert(q->listed);
  memset(mu, 0, sizeof *mu * (size_t)q->plan->plan->rows);
  for (int k = 0; k < q->nulls; k++) {
    const double own = a[q->null_row[k]];
    for (const tn_root_entry *e = q->entry + q->null_first[k], *end = q->entry + q->null_first[k + 1]; e < end; e++)
      mu[e->row] += own * e->value;
  }
}

void tn_root_list_remains(const tn_root *q, const double *v, double *d) {
  assert(q->listed);
  memset(d, 0, sizeof *d * (size_t)q->plan->plan->rows);
  for (int k = 0; k < q->nulls; k++) {
    double sum = 0;
    for (const tn_root_entry *e = q->entry + q->null_first[k], *end = q->entry + q->null_first[k + 1]; e < end; e++)
      sum += e->value * v[e->row];
    d[q->null_row[k]] = sum;
  }
}
