/* Redundant rows of the factorization by reflections: which are left out, and what they share.
 *   (10) a left-null vector of B for each row left out: multipliers mu = -R^-T sum H_b'c_b of the others balance a multiplier of 1 there.
 *        N a is one pass of (4) with y = z = 0. N'v is one pass of (3): what is left of the rows left out when all others are met
 *   (11) the part n = N (N'N)^-1 N'g of a right side can be met by no motion. It is taken out: least squares in the scaled rows
 *   (12) mu - N (N'N)^-1 N'mu are the shortest multipliers
 * Off the constraints rows repeat each other only nearly: (B'N)' = F is not zero. Solved is what does not depend on the choice of rows, the
 * nearest B of that rank, by sweeps with the true residual and the same factor:
 *  (13) (., dmu) = solve(f - M x - A'lambda, P s (g - A x)),  dmu <- P dmu,  dx = M^-1 (f - M x - A'lambda - A's dmu),  P = 1 - N (N'N)^-1 N'
 * Rows eliminated behind a row left out see its F. That is of second order in z. It is seen in multipliers, and counts where rows
 * are repeated only nearly at typical poses too. There, and not inside the iterations, the passes are those of whole solutions:
 *  (14) N'v = v - B z on the rows left out, z = solve(0, v);   N a = (-T a; a) + mu of solve(-F'a, 0):   B1 F' = 0 for all rows
 *  (15) N a + mu of solve(0, N1 b), b = (N'N)^-1 F F'a, N1 the part of N that is not left out:   B1 F' + T (N'N)^-1 F F' = 0, as it is for
 *       the left singular vectors of the smallest singular values
 * A choice may wear out: the null vector turns, until the row left out has hardly a part in it and another one has a pivot near zero
 * without any singular position. A row with a small pivot and a share above 2 in the null vector of a row left out takes its place.
 * Rows of ties say what coordinates are. They contradict nothing and share nothing: N'N and what is taken out are of all other rows.
 * N'N = 1 + T'T is solved by conjugate gradients. Null vectors are local, so the number of iterations does not grow with the model. */
#include "linalg/root.h"

#include <assert.h>

static const double SHARED_END = 1e-14; /* 1: residual of (11) and (12) over what it was: the end of the iterations */
static const double EXACTLY = 1e-10;    /* 1: |F| at typical poses up to which rows left out repeat others exactly   */
enum { SHARES_MOST = 60, ROUNDS_MOST = 4 }; /* iterations, one for each different left-null vector at most       */

static double dot(const tn_root *q, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < q->plan->plan->rows; i++) sum += a[i] * b[i];
  return sum;
}

/* rows of ties do not count */
static void only_counting(const tn_root *q, double *v) {
  for (int i = 0; i < q->plan->plan->rows; i++)
    if (q->tied[i]) v[i] = 0;
}

/* the vectors as they are listed, or passes */
static bool listed(const tn_root *q) { return q->listed && !(q->off_typical > EXACTLY); }

static void N_times(tn_root *q, const double *a, double *v) {
  if (listed(q))
    tn_root_list_balance(q, a, v);
  else
    tn_root_balance(q, a, v);
}

static void Nt_times(tn_root *q, const double *v, double *d) {
  if (listed(q)) {
    tn_root_list_remains(q, v, q->work[9]);
    memcpy(d, q->work[9], sizeof *d * (size_t)q->plan->plan->rows);
  } else {
    tn_root_remains(q, v, d);
  }
}

/* b = (N'N)^-1 b on the rows left out; v = N b on those that count. room: work[0] .. work[2] */
static void shares(tn_root *q, double *b, double *v) {
  const int rows = q->plan->plan->rows;
  double *r = q->work[0], *d = q->work[1], *Nd = q->work[2];
  double size = dot(q, b, b), first = size;
  for (int i = 0; i < rows; i++) r[i] = d[i] = b[i], b[i] = v[i] = 0;
  for (int n = 0; n < SHARES_MOST && size > 0; n++) {
    N_times(q, d, Nd);
    only_counting(q, Nd);
    const double a = size / dot(q, Nd, Nd);
    for (int i = 0; i < rows; i++) b[i] += a * d[i], v[i] += a * Nd[i];
    Nt_times(q, Nd, Nd);
    for (int i = 0; i < rows; i++) r[i] -= a * Nd[i];
    const double now = dot(q, r, r);
    if (!(now > SHARED_END * SHARED_END * first)) break;
    for (int i = 0; i < rows; i++) d[i] = r[i] + now / size * d[i];
    size = now;
  }
}

/* d -= B z on the rows left out, z of the accelerations x */
static void less_rows(const tn_root *q, const double *x, double *d) {
  const tn_root_plan *plan = q->plan;
  for (int k = 0; k < plan->steps; k++) {
    const tn_root_step *s = &plan->step[k];
    for (int i = 0, at = s->row; i < s->size; i++, at++)
      for (int e = 0; q->left[at] && e < s->ends; e++) {
        const tn_root_end *end = &plan->end[s->end + e];
        const tn_root_body *b = &plan->body[end->body];
        for (int j = 0; j < b->n; j++) d[at] -= q->value[end->a + i * b->n + j] * x[b->x + j];
      }
  }
}

/* b = (N'N)^-1 F F'a, the push F'a in q->c; N b in v */
static void turned(tn_root *q, double *b, double *v) {
  memcpy(q->push_kept, q->c, sizeof *q->c * (size_t)q->plan->twists);
  tn_root_pushed(q, q->c, q->y);
  memset(b, 0, sizeof *b * (size_t)q->plan->plan->rows);
  less_rows(q, q->y, b);
  for (int i = 0; i < q->plan->plan->rows; i++) b[i] = -b[i];
  shares(q, b, v);
  memcpy(q->c, q->push_kept, sizeof *q->c * (size_t)q->plan->twists);
}

/* only_left: v on the rows left out, else on all others */
static void part_of(const tn_root *q, bool only_left, double *v) {
  for (int i = 0; i < q->plan->plan->rows; i++)
    if (q->left[i] != only_left) v[i] = 0;
}

/* multipliers with a on the rows left out that push bodies least, (14), (15); q->c is that push */
static void balance(tn_root *q, const double *a, double *mu) {
  const tn_root_plan *plan = q->plan;
  const size_t rows = sizeof *mu * (size_t)plan->plan->rows, twists = sizeof *q->c * (size_t)plan->twists;
  if (listed(q)) {
    tn_root_list_balance(q, a, mu);
    tn_root_forces(q, mu);
    return;
  }
  tn_root_balance(q, a, mu);
  if (!(q->off_typical > EXACTLY)) return;
  for (int round = 0; round < 2; round++) {
    memset(q->g, 0, rows);
    if (round) { /* (15) */
      turned(q, q->work[7], q->work[8]);
      memcpy(q->g, q->work[8], rows);
      part_of(q, false, q->g);
    }
    memcpy(q->c_kept, q->c, twists);
    for (int i = 0; i < plan->bodies; i++)
      for (int k = 0; k < plan->body[i].n; k++) q->y[plan->body[i].x + k] = round ? 0 : -q->c[plan->body[i].t + k];
    tn_root_pass(q, NULL, q->y);
    for (int i = 0; i < plan->plan->rows; i++) mu[i] += round ? -q->mu[i] : q->mu[i];
    for (int i = 0; i < plan->twists; i++) q->c[i] = q->c_kept[i] + (round ? -q->c[i] : q->c[i]);
  }
}

/* what is left of rows left out when the others are met by the smallest motion, (14), (15) */
static void remains(tn_root *q, const double *v, double *d) {
  const tn_root_plan *plan = q->plan;
  const size_t rows = sizeof *v * (size_t)plan->plan->rows;
  double *w = q->work[7], *b = q->work[8];
  if (!(q->off_typical > EXACTLY)) {
    Nt_times(q, v, d);
    return;
  }
  memcpy(q->g, v, rows);
  memset(q->y, 0, sizeof *q->y * (size_t)plan->plan->size);
  tn_root_pass(q, NULL, q->y);
  memcpy(d, v, rows);
  part_of(q, true, d);
  less_rows(q, q->y, d);
  memcpy(w, q->mu, rows); /* (15) */
  part_of(q, false, w);
  only_counting(q, w);
  tn_root_remains(q, w, w);
  shares(q, w, b);
  tn_root_balance(q, w, b);
  memset(q->g, 0, rows);
  for (int i = 0; i < plan->bodies; i++)
    for (int k = 0; k < plan->body[i].n; k++) q->y[plan->body[i].x + k] = -q->c[plan->body[i].t + k];
  tn_root_pass(q, NULL, q->y); /* -F'w of (14) */
  memset(b, 0, rows);
  less_rows(q, q->y, b);
  for (int i = 0; i < plan->plan->rows; i++) d[i] -= b[i];
}

/* v = P v for those that count, what was taken away added to `part` and its push to q->push. N of the iterations is off by F from that of
 * (14), so that more than one round is needed where rows repeat each other only nearly */
static void take_null_part(tn_root *q, double *v, double *part) {
  const int rows = q->plan->plan->rows, twists = q->plan->twists;
  double *b = q->work[3], *n = q->work[4], first = 0;
  memset(part, 0, sizeof *part * (size_t)rows);
  memset(q->push, 0, sizeof *q->push * (size_t)twists);
  for (int round = 0; round < (q->off > EXACTLY && !listed(q) ? ROUNDS_MOST : 1); round++) {
    remains(q, v, b);
    shares(q, b, n);
    const double size = dot(q, b, b);
    balance(q, b, n);
    for (int i = 0; i < rows; i++) part[i] += n[i];
    for (int i = 0; i < twists; i++) q->push[i] += q->c[i];
    only_counting(q, n);
    for (int i = 0; i < rows; i++) v[i] -= n[i];
    if (!(size > first)) {
      if (!(size > SHARED_END * SHARED_END * first)) return;
    } else if (round == 0) {
      first = size;
    } else {
      return; /* it does not get smaller */
    }
  }
}

double tn_root_consistent(tn_root *q, double *g) {
  double most = 0, *n = q->work[6];
  take_null_part(q, g, n);
  only_counting(q, n);
  for (int i = 0; i < q->plan->plan->rows; i++) most = fmax(most, fabs(n[i]));
  return most;
}

void tn_root_null_part(tn_root *q, double *mu, double *part) {
  only_counting(q, mu);
  take_null_part(q, mu, part);
}

/* ---- which rows are left out ---------------------------------------------------------------------------------------------------- */

static const double LEAVES_FIRST = 1e-13, LEAVES_LAST = 1e-3; /* 1: pivots |R_ii| up to which rows may be left out */
static const double WORN =
    0.1; /* 1: pivot over what it typically is, below which another row of its null vector may be better */
static const double HEAVIER =
    2; /* 1: share of a row in the null vector of one left out: then it is left out instead            */
static const double ASIDE_SHARE =
    1e-3; /* 1: share from which on two exchanges concern each other                                   */
enum {
  LOOKS_MOST = 16
}; /* rows that one factorization looks at                                                         */
static const double LEAVES_CLEARLY = 1e-9; /* 1: the same where their number is not known       */

static bool factor_leaving(tn_root *q, const double *K, double tolerance) {
  tn_root_reset(q); /* what is typical of another choice says nothing of this one */
  q->leaves = tolerance;
  const bool good = tn_root_factor(q, K);
  q->leaves = 0;
  return good;
}

int tn_root_leave_out(tn_root *q, const double *K, int count) {
  if (count < 0) return factor_leaving(q, K, LEAVES_CLEARLY) ? q->out : -1;
  for (double tolerance = LEAVES_FIRST; tolerance < 2 * LEAVES_LAST; tolerance *= 10)
    if (!factor_leaving(q, K, tolerance))
      return -1;
    else if (q->out >= count)
      break;
  return q->out;
}

/* the row left out in whose null vector d (N'e) has the largest share, if that is above 2; -1: none, or one that changes already has a
 * part in it, too: then they are looked at again */
static int partner(const tn_root *q, const double *d) {
  int best = -1;
  for (int i = 0; i < q->plan->plan->rows; i++) {
    if (q->taken[i] && fabs(d[i]) > ASIDE_SHARE) return -1;
    if (q->left[i] && fabs(d[i]) > (best < 0 ? HEAVIER : fabs(d[best]))) best = i;
  }
  return best;
}

bool tn_root_exchange(tn_root *q) {
  const tn_root_plan *plan = q->plan;
  double *v = q->work[0], *d = q->work[1];
  int exchanged = 0, looks = 0;
  for (int i = 0; q->out && i < plan->plan->rows; i++) q->taken[i] = false;
  if (!q->out || !(q->nearness < WORN)) return false;
  for (int k = 0; k < plan->steps; k++) {
    const int first = plan->step[k].row + plan->step[k].skip;
    for (int i = 0; i < q->rank[k] && looks < LOOKS_MOST; i++) {
      const int at = first + i, row = first + q->pivot[at];
      if (q->tied[row] || !(q->rho[at] < WORN * (q->typical[at] > 0 ? q->typical[at] : 1))) continue;
      looks++;
      memset(v, 0, sizeof *v * (size_t)plan->plan->rows);
      v[row] = 1;
      tn_root_remains(q, v, d);
      const int other = partner(q, d);
      if (other < 0) continue;
      q->taken[other] = q->taken[row] = true;
      exchanged++;
    }
  }
  tn_root_change_places(q);
  return exchanged > 0;
}

void tn_root_change_places(tn_root *q) {
  for (int i = 0; i < q->plan->plan->rows; i++)
    if (q->taken[i]) q->left[i] = !q->left[i];
}

void tn_root_new_typical(tn_root *q) {
  for (int i = 0; i < q->plan->plan->rows; i++)
    if (!(q->typical[i] > 0)) q->typical[i] = fmax(q->rho[i], 0);
}

int tn_root_null(tn_root *q, int row, double *x) {
  const tn_root_plan *plan = q->plan;
  double *a = q->work[0];
  memset(a, 0, sizeof *a * (size_t)plan->plan->rows);
  for (int k = 0, n = 0; k < plan->steps; k++)
    for (int i = 0, at = plan->step[k].row; i < plan->step[k].size; i++, at++) {
      if (!q->left[at] || n++ != row) continue;
      if (!(q->s[at] > 0)) return -1;
      a[at] = 1 / q->s[at];
      tn_root_balance(q, a, q->mu);
      tn_root_efforts(q, x);
      return at;
    }
  return -1;
}

void tn_root_leave_near(tn_root *q, double limit) {
  const tn_root_plan *plan = q->plan;
  for (int k = 0; k < plan->steps; k++) {
    const int first = plan->step[k].row + plan->step[k].skip;
    for (int i = 0; i < q->rank[k]; i++) {
      const int at = first + i, row = first + q->pivot[at];
      if (q->tied[row] || !(q->rho[at] <= limit * (q->typical[at] > 0 ? q->typical[at] : 1))) continue;
      q->left[row] = true;
      q->out++;
    }
  }
}

void tn_root_as(tn_root *q, const tn_root *other) {
  const size_t rows = (size_t)q->plan->plan->rows;
  memcpy(q->D, other->D, sizeof *q->D * rows);
  memcpy(q->typical, other->typical, sizeof *q->typical * rows);
  memcpy(q->left, other->left, sizeof *q->left * rows);
  memcpy(q->tied, other->tied, sizeof *q->tied * rows);
  q->out = other->out;
  q->off_typical = other->off_typical;
  q->gauged = other->gauged;
}
