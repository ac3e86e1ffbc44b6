/* degenerate joints: lengths that roundoff decides, and rows that are not finite in the initial configuration.
 *   (1) places are known to eps (|r| + |p|), r where they are in the world, p where they are on the body
 *   (2) a body turns about its mass centre: its places move by their arm |p - c|, and with its radius of gyration the arm decides
 *       how a force there turns it
 * A length below TN_RESOLVED of the largest of these has no direction that can be relied on. All of them scale with the model. */
#include "model/model.h"

double tn_gyration(const tn_model *m, const tn_body *b) {
  const double inertia = m->dimension == 2 ? b->inertia : 0.5 * (b->tensor[0] + b->tensor[4] + b->tensor[8]);
  return b->mass > 0 ? sqrt(inertia / b->mass) : 0;
}

double tn_context_least_length(tn_context *c, double length) {
  double size = fabs(length);
  for (int k = 0; c && c->joint && k < c->joint->frames; k++) {
    const tn_spot *spot = &c->joint->spot[k];
    double r[3], arm[3];
    tn_spot_place(c, spot, r);
    size = fmax(size, fmax(tn_norm3(r), tn_norm3(spot->p))); /* (1) */
    if (spot->body < 0) continue;
    const tn_body *b = &c->m->body[spot->body];
    tn_sub3(spot->p, b->center, arm); /* (2) */
    size = fmax(size, fmax(tn_norm3(arm), tn_gyration(c->m, b)));
  }
  return TN_RESOLVED * size;
}

tn_status tn_joint_check_rows(tn_context *c, const tn_joint *j, const tn_frame2 *f2, const tn_frame3 *f3) {
  double J[6 * 6 * TN_FEW_FRAMES] = {0};
  tn_unit unit[6];
  int rows, rows_velocity;
  if (j->type->seat == TN_SEAT_CHANNELS || j->frames > TN_FEW_FRAMES) return TN_OK;
  if (f3 && j->type->space.list) return TN_OK; /* products of axes and places */
  tn_row_units(c->m, j, unit, &rows, &rows_velocity);
  const int all = rows + rows_velocity, n = j->frames * (f2 ? 3 : 6);
  if (all == 0) return TN_OK;
  if (f2)
    j->type->plane.rows_on_twists(j->self, 0, f2, J);
  else
    j->type->space.rows_on_twists(j->self, 0, f3, J);
  for (int i = 0; i < all * n; i++)
    if (!isfinite(J[i]))
      return tn_refuse(
          c, NULL, "degenerate in the initial configuration: constraint equation %d has no finite gradient", i / n + 1);
  return TN_OK;
}
