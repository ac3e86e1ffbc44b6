/* joints in space whose rows are a list, straight on the twists of their bodies: rho_k the arms, a an axis of frame 0, b of
 * frame 1, r_k v_k a_k the places of the frames and their derivatives, the last when udot = 0. gamma is that of joint/space.c
 * less the row times a_k, al_k:
 *   (1) point  [-1 -rho0 x | 1 rho1 x]             C = d,    Cdot = v1 - v0,   gamma = a0 - a1
 *   (2) along  [-a', (a x d - rho0 x a)' | a', (rho1 x a)']
 *   (3) dot    [0, (a x b)' | 0, (b x a)'] */
#include "assemble/assemble.h"

typedef struct end {
  double arm[3], r[3], v[3], a[3], w[3], al[3];
} end;

static void end_of(const tn_system *s, const tn_list *l, int k, end *e) {
  if (l->body[k] < 0) {
    memset(e, 0, sizeof *e);
    memcpy(e->r, l->p[k], sizeof e->r);
    return;
  }
  const tn_frame3 *f = &s->pose.body3[l->body[k]];
  double wr[3], wwr[3];
  tn_turn3(f->A, l->p[k], e->arm);
  tn_cross3(f->w, e->arm, wr);
  tn_cross3(f->w, wr, wwr);
  for (int i = 0; i < 3; i++) {
    e->r[i] = f->r[i] + e->arm[i];
    e->v[i] = f->v[i] + wr[i];
    e->a[i] = f->a0[i] + wwr[i];
    e->w[i] = f->w[i];
    e->al[i] = f->al0[i];
  }
  if (s->m->plain) return;
  tn_cross3(f->al0, e->arm, wr);
  tn_axpy3(1, wr, e->a);
}

static void axis_of(const tn_system *s, const tn_list *l, int k, int axis, double e[3]) {
  double on_body[3];
  tn_axis3(l->A[k], axis, on_body);
  if (l->body[k] < 0)
    memcpy(e, on_body, sizeof on_body);
  else
    tn_turn3(s->pose.body3[l->body[k]].A, on_body, e);
}

typedef struct rows { /* where the numbers of the next row go */
  double *R[2];       /* on the twists; NULL: the ground */
  int step;           /* from row to row */
  double *C, *Cdot, *gamma;
} rows;

static inline void put(double *R, double x, double y, double z, double a, double b, double c) {
  if (!R) return;
  R[0] = x, R[1] = y, R[2] = z;
  R[3] = a, R[4] = b, R[5] = c;
}

static void next(rows *o, int n) {
  for (int k = 0; k < 2; k++)
    if (o->R[k]) o->R[k] += n * o->step;
  o->C += n, o->Cdot += n, o->gamma += n;
}

static void point(const end e[2], rows *o) {
  for (int k = 0; k < 2; k++) {
    const double s = k ? 1 : -1, x = s * e[k].arm[0], y = s * e[k].arm[1], z = s * e[k].arm[2];
    double *R = o->R[k];
    if (!R) continue;
    put(R, s, 0, 0, 0, z, -y);
    put(R + o->step, 0, s, 0, -z, 0, x);
    put(R + 2 * o->step, 0, 0, s, y, -x, 0);
  }
  for (int i = 0; i < 3; i++) {
    o->C[i] = e[1].r[i] - e[0].r[i];
    o->Cdot[i] = e[1].v[i] - e[0].v[i];
    o->gamma[i] = e[0].a[i] - e[1].a[i];
  }
  next(o, 3);
}

static void along(const end e[2], const double a[3], rows *o) {
  double d[3], dv[3], ad[3], m[2][3], adot[3], addot[3];
  tn_sub3(e[1].r, e[0].r, d);
  tn_sub3(e[1].v, e[0].v, dv);
  tn_cross3(a, d, ad);
  for (int k = 0; k < 2; k++) tn_cross3(e[k].arm, a, m[k]);
  put(o->R[0], -a[0], -a[1], -a[2], ad[0] - m[0][0], ad[1] - m[0][1], ad[2] - m[0][2]);
  put(o->R[1], a[0], a[1], a[2], m[1][0], m[1][1], m[1][2]);
  tn_cross3(e[0].w, a, adot);
  tn_cross3(e[0].w, adot, addot);
  *o->C = tn_dot3(a, d);
  *o->Cdot = tn_dot3(a, dv) + tn_dot3(adot, d);
  *o->gamma =
      -tn_dot3(addot, d) - 2 * tn_dot3(adot, dv) + tn_dot3(a, e[0].a) - tn_dot3(a, e[1].a) - tn_dot3(ad, e[0].al);
  next(o, 1);
}

static void dot(const end e[2], const double a[3], const double b[3], rows *o) {
  double ab[3], adot[3], addot[3], bdot[3], bddot[3];
  tn_cross3(a, b, ab);
  put(o->R[0], 0, 0, 0, ab[0], ab[1], ab[2]);
  put(o->R[1], 0, 0, 0, -ab[0], -ab[1], -ab[2]);
  tn_cross3(e[0].w, a, adot);
  tn_cross3(e[0].w, adot, addot);
  tn_cross3(e[1].w, b, bdot);
  tn_cross3(e[1].w, bdot, bddot);
  *o->C = tn_dot3(a, b);
  *o->Cdot = tn_dot3(adot, b) + tn_dot3(a, bdot);
  *o->gamma =
      -(tn_dot3(b, addot) + tn_dot3(a, bddot) + 2 * tn_dot3(adot, bdot)) - tn_dot3(ab, e[0].al) + tn_dot3(ab, e[1].al);
  next(o, 1);
}

void tn_lists(tn_system *s, int first_list, int past) {
  assert(first_list >= 0 && past <= s->m->lists);
  for (int i = first_list; i < past; i++) {
    const tn_list *l = &s->m->list[i];
    const bool first = l->body[0] >= 0, second = l->body[1] >= 0;
    rows o = {.step = 6 * (first + second),
              .C = s->rows.C + l->first,
              .Cdot = s->rows.Cdot + l->first,
              .gamma = s->rows.gamma + l->first};
    if (first) o.R[0] = s->rows.R + l->R;
    if (second) o.R[1] = s->rows.R + l->R + (first ? 6 : 0);
    end e[2];
    for (int k = 0; k < 2; k++) end_of(s, l, k, &e[k]);
    for (const tn_row3 *r = l->row; r->kind != TN_ROWS_END; r++) {
      double a[3], b[3];
      if (r->kind == TN_ROWS_POINT) {
        point(e, &o);
        continue;
      }
      axis_of(s, l, 0, r->a, a);
      if (r->kind == TN_ROW_ALONG) {
        along(e, a, &o);
        continue;
      }
      axis_of(s, l, 1, r->b, b);
      dot(e, a, b, &o);
    }
  }
}
