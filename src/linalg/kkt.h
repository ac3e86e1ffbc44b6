/* Code that kkt.c and kkt_rows.c share. */
#ifndef TN_KKT_H
#define TN_KKT_H

#include "linalg/linalg.h"

/* four partial sums: a compiler may vectorize this without reordering, and the order is always the same */
/* Most rows touch one body or two, so that short sums are made often. They have the same bits as the loop below gives: s0 begins
 * as +0, so it is never -0, and adding the other three, all +0, would not change it. */
static inline double dot_short(int n, const double *restrict a, const double *restrict b) {
  double s = 0;
  if (n > 0) s += a[0] * b[0];
  if (n > 1) s += a[1] * b[1];
  if (n > 2) s += a[2] * b[2];
  return s;
}

static inline double dot(int n, const double *restrict a, const double *restrict b) {
  if (n < 4) return dot_short(n, a, b);
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) s0 += a[i] * b[i];
  return (s0 + s2) + (s1 + s3);
}

static inline void axpy(int n, double c, const double *restrict a, double *restrict b) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    b[i] += c * a[i];
    b[i + 1] += c * a[i + 1];
    b[i + 2] += c * a[i + 2];
    b[i + 3] += c * a[i + 3];
  }
  for (; i < n; i++) b[i] += c * a[i];
}

static inline void copy(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) b[i] = a[i];
}

static inline void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

static inline double *row(double *a, int i, int n) { return a + (size_t)i * (size_t)n; }
static inline const double *crow(const double *a, int i, int n) { return a + (size_t)i * (size_t)n; }
static inline double norm(int n, const double *a) { return sqrt(dot(n, a, a)); }

/* kkt_rows.c: with B formed, (5) and (8) to (11) */
void tn_kkt_factor_rows(tn_kkt *k);
void tn_kkt_solve_rows(const tn_kkt *k, double *restrict v); /* (B1 B1' + eps)^-1, in the order of (5) */
void tn_kkt_null_part(const tn_kkt *k, double *restrict v);

#endif
