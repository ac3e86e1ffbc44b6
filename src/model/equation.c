/* equations that the user writes: which channels they may use, what their terms are, their unit. each channel is one term, a vector
 * one for each component; a channel that is named twice is one term. */
#include "model/model.h"

static bool is_rate(const tn_channel *ch) {
  return ch->kind == TN_CH_RATE || ch->kind == TN_CH_VELOCITY || ch->kind == TN_CH_OMEGA;
}

bool tn_equation_takes(const tn_context *c, const tn_channel *ch, const char *name, tn_error *e) {
  switch (ch->kind) {
  case TN_CH_RATE:
  case TN_CH_VELOCITY:
  case TN_CH_OMEGA:
    if (c->equation->on_rates) return true;
    tn_fail(e, TN_E_MODEL, "'%s' is a rate: `value` is an equation of positions", name);
    tn_hint(e, "an equation that is linear in rates goes under `rate`");
    return false;
  case TN_CH_MEASURE:
  case TN_CH_POSITION:
  case TN_CH_AXIS:
  case TN_CH_JOINT_AXIS: return true;
  case TN_CH_Q:
  case TN_CH_U:
  case TN_CH_QUATERNION:
    tn_fail(e, TN_E_MODEL, "'%s' is one number of a rotation: a constraint equation cannot use it", name);
    tn_hint(e, "use components of axes, such as axis(body, x).y");
    return false;
  default:
    tn_fail(e, TN_E_MODEL, "'%s' is no coordinate: a constraint equation cannot use it", name);
    tn_hint(e, "it takes coordinates, position(body, point), axis(body, x) and t%s",
            c->equation->on_rates ? "; rates, velocity(body, point) and omega(body)" : "");
    return false;
  }
}

static bool same_spot(const tn_spot *a, const tn_spot *b) {
  return a->body == b->body && a->angle == b->angle && memcmp(a->p, b->p, sizeof a->p) == 0 &&
         memcmp(a->A, b->A, sizeof a->A) == 0;
}

static bool same_channel(const tn_channel *a, const tn_channel *b) {
  return a->kind == b->kind && a->part == b->part && a->component == b->component && a->width == b->width &&
         a->measure.kind == b->measure.kind && a->measure.part == b->measure.part && a->measure.k == b->measure.k &&
         same_spot(&a->spot, &b->spot);
}

/* of component i of a channel */
static tn_measure measure_of(const tn_model *m, const tn_channel *ch, const tn_spot *spot, int i) {
  switch (ch->kind) {
  case TN_CH_POSITION:
  case TN_CH_VELOCITY: return (tn_measure){TN_OF_POINT, spot->body, i, spot};
  case TN_CH_AXIS:
  case TN_CH_JOINT_AXIS: return (tn_measure){TN_OF_AXIS, spot->body, 3 * ch->component + i, spot};
  case TN_CH_OMEGA: return (tn_measure){TN_OF_BODY, ch->part, m->dimension + i, NULL};
  default: return ch->measure;
  }
}

static tn_status add_terms(tn_context *c, tn_joint *j, const tn_channel *ch) {
  tn_spot *spot = NULL;
  const bool fixed = ch->kind != TN_CH_MEASURE && ch->kind != TN_CH_RATE && ch->kind != TN_CH_OMEGA;
  if (fixed) {
    if (!(spot = tn_context_alloc(c, sizeof *spot))) return TN_E_MEMORY;
    *spot = ch->kind == TN_CH_JOINT_AXIS ? c->m->joint[ch->part].spot[0] : ch->spot;
  }
  for (int i = 0; i < ch->width; i++)
    j->term[j->terms++] = (tn_term){.of = measure_of(c->m, ch, spot, i), .coefficient = NAN, .rate = is_rate(ch)};
  return TN_OK;
}

static tn_status list_terms(tn_context *c, tn_joint *j, const tn_expr *expr) {
  tn_model *m = c->m;
  const int n = tn_expr_slots(expr);
  if (!(j->term = tn_context_alloc(c, sizeof *j->term * (size_t)(3 * n + 1)))) return TN_E_MEMORY;
  for (int i = 0; i < n; i++) {
    tn_channel *ch = &m->channel[tn_expr_slot(expr, i)];
    int k = 0;
    while (k < i && !same_channel(&m->channel[tn_expr_slot(expr, k)], ch)) k++;
    ch->term = k < i ? m->channel[tn_expr_slot(expr, k)].term : j->terms;
    if (k == i) TN_TRY(add_terms(c, j, ch));
  }
  j->coefficient = m->coefficients;
  m->coefficients += j->terms;
  return TN_OK;
}

static tn_order order_of(const void *model, int slot) {
  return is_rate(&((const tn_model *)model)->channel[slot]) ? TN_ORDER_LINEAR : TN_ORDER_POSITION;
}

static tn_status check_order(tn_context *c, const tn_node *node, const tn_equation *x) {
  const char *kinked;
  const tn_order order = tn_expr_order(x->expr, order_of, c->m, &kinked);
  if (order == TN_ORDER_KINKED) {
    tn_refuse(c, node, "`%s` has a kink: %s of the motion has no derivative everywhere", node->key, kinked);
    tn_hint(c->e, "`spline` and `step` with five arguments are smooth; an event switches between two constraints");
    return TN_E_MODEL;
  }
  if (order == TN_ORDER_NONLINEAR)
    return tn_refuse(c, node, "`rate` is not linear in the rates: a sum of coefficient times rate is needed");
  if (x->on_rates && order != TN_ORDER_LINEAR) {
    tn_refuse(c, node, "`rate` has no rate in it");
    tn_hint(c->e, "an equation of positions goes under `value`");
    return TN_E_MODEL;
  }
  if (order == TN_ORDER_FIXED) return tn_refuse(c, node, "`value` has no coordinate in it: it constrains nothing");
  return TN_OK;
}

/* as the expression has it: by outputs' rules, where a product with a number may be anything */
static void find_unit(const tn_model *m, tn_equation *x) {
  static const struct {
    const char *value, *rate;
    tn_unit unit;
  } known[] = {{"m", "m/s", TN_LENGTH}, {"rad", "rad/s", TN_ANGLE}, {"1", "1/s", TN_RATIO}};
  const char *unit = x->has_unit ? NULL : tn_running_unit(m, x->expr);
  for (size_t i = 0; unit && i < sizeof known / sizeof *known; i++) {
    if (strcmp(unit, x->on_rates ? known[i].rate : known[i].value) != 0) continue;
    x->unit = known[i].unit;
    x->has_unit = true;
  }
}

tn_status tn_equation_read(tn_context *c, tn_joint *j) {
  const tn_node *value = tn_node_get(j->node, "value"), *rate = tn_node_get(j->node, "rate"),
                *node = value ? value : rate;
  const int before = c->m->channels;
  tn_equation x = {.on_rates = rate != NULL};
  if (value && rate) return tn_refuse(c, rate, "it has `value` and `rate`: one equation has one of them");
  if (!node) {
    tn_refuse(c, j->node, "`value` or `rate` is missing");
    return TN_E_MODEL;
  }
  c->equation = &x;
  const tn_status status = tn_fields_running(c, j->node, j->type->fields, j->self);
  c->equation = NULL;
  TN_TRY(status);
  j->type->equation(j->self, &x);
  x.on_rates = rate != NULL;
  TN_TRY(check_order(c, node, &x));
  find_unit(c->m, &x);
  j->equation = x;
  j->value = x.expr;
  c->m->equation_channels += c->m->channels - before;
  TN_TRY(list_terms(c, j, x.expr));
  for (int k = 0; k < j->terms; k++)
    if (j->term[k].of.kind == TN_OF_JOINT || j->term[k].of.part >= 0) return TN_OK;
  return tn_refuse(c, node, "`%s` is of the ground alone: it constrains nothing", node->key);
}
