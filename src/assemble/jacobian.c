/* a part of A at the present state, column by column from what a speed of 1 does to the rows: no matrix of the whole is needed. */
#include "assemble/assemble.h"

double tn_jacobian_eval(const tn_system *s, const tn_channel *ch) {
  assert(tn_knows(s, TN_LEVEL_ROWS));
  const tn_model *m = s->m;
  const tn_jacobian *x = ch->jacobian;
  double *e = s->room.probe, *gains = e + m->nu, *r = gains + m->twist * m->bodies, *part = r + m->rows;
  /* singular values are asked of the shape that is wider than high */
  const bool wide = x->rows <= x->speeds;
  const size_t across = (size_t)(wide ? x->speeds : x->rows);
  memset(e, 0, sizeof *e * (size_t)m->nu);
  for (int k = 0; k < x->speeds; k++) {
    e[x->speed[k]] = 1;
    tn_gains(s, e, gains);
    tn_rows_times(s, e, gains, r);
    e[x->speed[k]] = 0;
    for (int i = 0, row = 0; i < x->joints; i++) {
      const tn_joint *j = &m->joint[x->joint[i]];
      for (int l = 0; l < j->rows + j->rows_velocity; l++, row++)
        part[wide ? (size_t)row * across + (size_t)k : (size_t)k * across + (size_t)row] =
            r[l < j->rows ? j->row + l : j->row_velocity + l - j->rows];
    }
  }
  if (ch->kind == TN_CH_DETERMINANT) return tn_determinant(x->rows, part);
  const int n = wide ? x->rows : x->speeds;
  double *sigma = part + (size_t)x->rows * (size_t)x->speeds;
  tn_singular_values(n, (int)across, part, sigma);
  return sigma[n - 1];
}
