/* pins in the plane, of which there may be very many: C = r1 - r0, rows [-1 -k x arm0 1 k x arm1]. their arms are all that is
 * kept. */
#include "assemble/assemble.h"

typedef struct end {
  double arm[2], r[2], v[2], a[2]; /* its arm; place, velocity and acceleration when udot = 0 */
} end;

/* still: a0 of the frame is zero, as of bodies on coordinates of their own */
static inline __attribute__((always_inline)) void end_of(const tn_frame2 *f, const double p[2], const bool still,
                                                         end *e) {
  const double x = f->c * p[0] - f->s * p[1], y = f->s * p[0] + f->c * p[1], w = f->w, w2 = w * w;
  e->arm[0] = x, e->arm[1] = y;
  e->r[0] = f->r[0] + x, e->r[1] = f->r[1] + y;
  e->v[0] = f->v[0] - w * y, e->v[1] = f->v[1] + w * x;
  e->a[0] = still ? -w2 * x : f->a0[0] - f->al0 * y - w2 * x;
  e->a[1] = still ? -w2 * y : f->a0[1] + f->al0 * x - w2 * y;
}

static inline __attribute__((always_inline)) void some(tn_system *s, int first, int past, const bool still) {
  static const tn_frame2 ground = {.c = 1};
  const tn_pin *p = s->m->pin + first, *last = s->m->pin + past;
  double *restrict C = s->rows.C, *restrict Cdot = s->rows.Cdot, *restrict gamma = s->rows.gamma,
                   *restrict R = s->rows.R;
  for (; p < last; p++) {
    end a, b;
    end_of(p->body[0] < 0 ? &ground : &s->pose.body[p->body[0]], p->p[0], still, &a);
    end_of(p->body[1] < 0 ? &ground : &s->pose.body[p->body[1]], p->p[1], still, &b);
    const int r = p->row;
    C[r] = b.r[0] - a.r[0];
    C[r + 1] = b.r[1] - a.r[1];
    Cdot[r] = b.v[0] - a.v[0];
    Cdot[r + 1] = b.v[1] - a.v[1];
    gamma[r] = a.a[0] - b.a[0];
    gamma[r + 1] = a.a[1] - b.a[1];
    R[p->R] = a.arm[0];
    R[p->R + 1] = a.arm[1];
    R[p->R + 2] = b.arm[0];
    R[p->R + 3] = b.arm[1];
  }
}

void tn_pins(tn_system *s, int first, int past) {
  assert(first >= 0 && past <= s->m->pins);
  if (s->m->plain)
    some(s, first, past, true);
  else
    some(s, first, past, false);
}
