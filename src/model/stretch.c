/* bodies that stretch: Euler parameters that are not normalized (body/euler-parameters.c), where |e|^2 is a length of axes. Twists
 * then have a seventh number in the whole model, the rate of stretch; what has no meaning for it is refused by name. */
#include "model/model.h"

bool tn_stretches(const tn_model *m, int body) {
  return m->dimension == 3 && body >= 0 && m->body[body].type && m->body[body].type->space.stretches;
}

static tn_status refuse_joint(tn_context *c, const tn_joint *j, int body) {
  c->kind = "joint";
  c->name = j->name;
  c->node = j->node;
  tn_refuse(c, j->node, "a `%s` as it is given has no meaning on body '%s', whose Euler parameters are not normalized",
            j->type->name, c->m->body[body].name);
  tn_hint(c->e, "use \"euler-parameters\" without `normalized`");
  return TN_E_MODEL;
}

/* rows of a joint between bodies of which some stretch */
static tn_status check_joint(tn_context *c, const tn_joint *j) {
  int body = -1;
  for (int k = 0; k < j->frames; k++)
    if (tn_stretches(c->m, j->spot[k].body)) body = j->spot[k].body;
  const tn_joint3 *type = &j->type->space;
  if (body < 0 || type->list || !(type->rows + type->rows_velocity_only) || j->type->seat == TN_SEAT_CHANNELS)
    return TN_OK;
  if (!j->type->space.stretch) return refuse_joint(c, j, body);
  const size_t n = (size_t)j->frames;
  tn_frame3 *f = tn_context_alloc(c, sizeof *f * n);
  double *E = tn_context_alloc(c, sizeof *E * n * 6);
  if (!f || !E) return TN_E_MEMORY;
  for (int k = 0; k < j->frames; k++) tn_spot_frame3(c, &j->spot[k], &f[k]);
  return j->type->space.stretch(j->self, f, E) ? TN_OK : refuse_joint(c, j, body);
}

tn_status tn_stretch_build(tn_context *c) {
  tn_model *m = c->m;
  int body = -1;
  for (int i = 0; i < m->bodies; i++)
    if (tn_stretches(m, i)) body = i;
  if (body < 0) return TN_OK;
  m->twist = TN_TWIST;
  for (int i = 0; i < m->bodies; i++) {
    if (m->body[i].type) continue;
    c->kind = "body";
    c->name = m->body[i].name;
    tn_refuse(
        c, m->body[i].node,
        "in relative coordinates joint '%s' carries it, and the Euler parameters of body '%s' are not normalized: "
        "the two cannot be in one model",
        m->joint[m->body[i].joint].name, m->body[body].name);
    tn_hint(c->e, "use \"coordinates\": \"absolute\"");
    return TN_E_MODEL;
  }
  for (int i = 0; i < m->joints; i++) TN_TRY(check_joint(c, &m->joint[i]));
  return TN_OK;
}
