/* all samples of a meter, in a room that is bounded: when it is full, every second of them goes, or, of every four in a row, all but
 * the least and the largest, and from there on as many are put together before they are added. */
#include "study/study.h"

enum { FIRST = 1024, MOST = 1 << 16 };

void tn_track_begin(tn_track *k) {
  k->n = 0;
  k->every = 1;
  k->seen = 0;
  k->held = 0;
}

/* the least and the largest of n samples in a row, in the order of their times */
static void outermost(size_t n, const double (*p)[2], double to[2][2]) {
  size_t lo = 0, hi = 0;
  for (size_t i = 1; i < n; i++) {
    if (p[i][1] < p[lo][1]) lo = i;
    if (p[i][1] > p[hi][1]) hi = i;
  }
  const size_t order[] = {lo < hi ? lo : hi, lo < hi ? hi : lo};
  double two[2][2];
  for (int i = 0; i < 2; i++) memcpy(two[i], p[order[i]], sizeof two[i]);
  memcpy(to, two, sizeof two);
}

static void thin(tn_track *k) {
  if (k->paired)
    for (size_t i = 0; i < k->n / 2; i++) memcpy(k->p[i], k->p[2 * i], sizeof *k->p);
  else
    for (size_t i = 0; i < k->n / 4; i++) outermost(4, (const double(*)[2])k->p + 4 * i, k->p + 2 * i);
  k->n /= 2;
  k->every *= 2;
}

static void keep(tn_track *k, double t, double x) {
  if (k->n == k->room) {
    const size_t room = k->room ? 4 * k->room : FIRST;
    double(*more)[2] = room > MOST ? NULL : tn_block_new(k->allocator, sizeof *more * room);
    if (more) {
      if (k->n) memcpy(more, k->p, sizeof *more * k->n);
      tn_block_free(k->allocator, k->p);
      k->p = more;
      k->room = room;
    } else if (k->n) {
      thin(k);
    } else {
      return;
    }
  }
  k->p[k->n][0] = t;
  k->p[k->n++][1] = x;
}

void tn_track_end(tn_track *k) {
  const bool least_first = k->least[0] <= k->most[0];
  const double *a = least_first ? k->least : k->most, *b = least_first ? k->most : k->least;
  const int held = k->held;
  k->held = 0;
  if (!held) return;
  keep(k, a[0], a[1]);
  if (b[0] > a[0]) keep(k, b[0], b[1]);
}

void tn_track_add(tn_track *k, double t, double x) {
  const double here[] = {t, x};
  if (k->every == 1 || k->paired) {
    if (k->seen++ % k->every == 0) keep(k, t, x);
    return;
  }
  if (!k->held || x < k->least[1]) memcpy(k->least, here, sizeof here);
  if (!k->held || x > k->most[1]) memcpy(k->most, here, sizeof here);
  if (++k->held == 2 * k->every) tn_track_end(k);
}

void tn_track_free(tn_track *k) {
  tn_block_free(k->allocator, k->p);
  k->p = NULL;
  k->n = k->room = 0;
}
