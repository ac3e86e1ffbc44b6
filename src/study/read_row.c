/* rows of a study file: what is claimed, how it is judged, what is expected. */
#include "study/study.h"

static const char *const row_keys[] = {"id",    "what",      "where",    "paper",     "measure", "agree",
                                       "holds", "decidable", "expected", "tolerance", "verdict", "why",
                                       "ours",  "cost",      "own_form", NULL};
static const char *const ours_keys[] = {"value", "tolerance", "why", "verdict", NULL};
static const char *const own_keys[] = {"measure", "expected", "tolerance", "why", NULL};

static tn_status tolerance_at(const tn_node *object, const char *key, const char **out, tn_error *e) {
  TN_TRY(tn_member_text(object, key, NULL, out, e));
  if (tn_tolerance_reads(*out)) return TN_OK;
  return tn_node_fail(
      tn_node_get(object, key), e, TN_E_MODEL,
      "a tolerance is `rel X`, `abs X`, `factor X`, `at most X`, `at least X`, `exact` or `qualitative`");
}

static tn_status paper_of(tn_study *s, tn_row_plan *r, tn_error *e) {
  const tn_node *node = tn_node_get(r->node, "paper");
  char digits[32];
  r->paper = NAN;
  r->row.paper = "";
  if (!node) return TN_OK;
  if (node->kind == TN_NODE_TEXT) r->row.paper = node->text;
  if (node->kind != TN_NODE_NUMBER)
    return node->kind == TN_NODE_TEXT ? TN_OK : tn_node_fail(node, e, TN_E_MODEL, "`paper` is a number or words");
  r->paper = node->number;
  tn_json_digits(node->number, digits);
  return (r->row.paper = tn_arena_text(&s->arena, digits, strlen(digits))) ? TN_OK : tn_out_of_memory(e);
}

/* a number, or "inf" */
static tn_status expected_of(const tn_node *node, const char *key, double *out, tn_error *e) {
  const tn_node *value = tn_node_get(node, key);
  if (value && value->kind == TN_NODE_TEXT && strcmp(value->text, "inf") == 0) {
    *out = INFINITY;
    return TN_OK;
  }
  return tn_member_number(node, key, NAN, out, e);
}

static tn_status measure_at(tn_study *s, const tn_node *node, int *out, tn_error *e) {
  if (node->kind != TN_NODE_TEXT) return tn_study_measure(s, node, NULL, out, e);
  if ((*out = tn_study_measure_named(s, node->text)) >= 0) return TN_OK;
  return tn_node_fail(node, e, TN_E_MODEL, "there is no measure '%.64s'", node->text);
}

/* the claim is judged in the form of the paper; this is the value of Tenon's own form, which decides nothing */
static tn_status own_form_of(tn_study *s, tn_row_plan *r, tn_error *e) {
  const tn_node *own = tn_node_get(r->node, "own_form"), *measure = tn_node_get(own, "measure");
  r->own_measure = -1;
  r->own_expected = r->row.own = NAN;
  if (!own) return TN_OK;
  TN_TRY(tn_members_known(own, own_keys, e));
  TN_TRY(tn_member_text(own, "why", NULL, &r->row.own_why, e));
  if (!measure) return tn_node_fail(own, e, TN_E_MODEL, "`own_form` has a `measure`");
  TN_TRY(measure_at(s, measure, &r->own_measure, e));
  TN_TRY(expected_of(own, "expected", &r->own_expected, e));
  if (!tn_node_get(own, "tolerance")) {
    if (isnan(r->own_expected)) return TN_OK;
    return tn_node_fail(own, e, TN_E_MODEL, "`expected` needs a `tolerance`");
  }
  TN_TRY(tolerance_at(own, "tolerance", &r->own_tolerance, e));
  if (isnan(r->own_expected) && tn_tolerance_needs_value(r->own_tolerance))
    return tn_node_fail(own, e, TN_E_MODEL, "a tolerance `%s` needs `expected`", r->own_tolerance);
  return TN_OK;
}

tn_status tn_row_read(tn_study *s, const tn_node *node, tn_error *e) {
  static const char *const verdicts[] = {"reproduced", "differs", "not-decidable", NULL}, *const costs[] = {
                                                                                              "quick", "long", NULL};
  tn_row_plan *r = &s->row[s->rows];
  const tn_node *measure, *decidable, *ours;
  int verdict, cost;
  *r = (tn_row_plan){.node = node, .decidable = true, .ours = NAN, .measure = -1};
  TN_TRY(tn_members_known(node, row_keys, e));
  TN_TRY(tn_member_text(node, "id", NULL, &r->row.id, e));
  for (int i = 0; i < s->rows; i++)
    if (strcmp(s->row[i].row.id, r->row.id) == 0)
      return tn_node_fail(node, e, TN_E_MODEL, "there are two rows '%.100s'", r->row.id);
  TN_TRY(tn_member_text(node, "what", "", &r->row.what, e));
  TN_TRY(tn_member_text(node, "where", "", &r->row.where, e));
  TN_TRY(tn_member_text(node, "why", "", &r->row.why, e));
  TN_TRY(paper_of(s, r, e));
  TN_TRY(tolerance_at(node, "tolerance", &r->row.tolerance, e));
  TN_TRY(expected_of(node, "expected", &r->row.expected, e));
  TN_TRY(tn_member_text(node, "verdict", NULL, &r->row.differs, e)); /* it has to be there */
  r->row.differs = NULL;
  TN_TRY(tn_member_word(node, "verdict", verdicts, &verdict, e));
  TN_TRY(tn_member_word(node, "cost", costs, &cost, e));
  r->row.foreseen = (tn_verdict)(TN_REPRODUCED + verdict);
  r->row.quick = cost == 0;
  r->row.measured = NAN;
  if ((decidable = tn_node_get(node, "decidable"))) {
    if (decidable->kind != TN_NODE_BOOL) return tn_node_fail(decidable, e, TN_E_MODEL, "`decidable` is true or false");
    r->decidable = decidable->boolean;
  }
  if ((ours = tn_node_get(node, "ours"))) {
    TN_TRY(tn_members_known(ours, ours_keys, e));
    TN_TRY(expected_of(ours, "value", &r->ours, e));
    TN_TRY(tolerance_at(ours, "tolerance", &r->ours_tolerance, e));
    TN_TRY(tn_member_text(ours, "why", NULL, &r->row.differs, e));
    if (tn_node_get(ours, "verdict")) TN_TRY(tn_member_word(ours, "verdict", verdicts, &verdict, e));
    r->ours_verdict = (tn_verdict)(TN_REPRODUCED + verdict); /* that of the claim if it is left out */
  }
  if (isnan(r->row.expected) && tn_tolerance_needs_value(r->row.tolerance) && tn_node_get(node, "measure"))
    return tn_node_fail(node, e, TN_E_MODEL, "a tolerance `%s` needs `expected`", r->row.tolerance);
  if ((measure = tn_node_get(node, "measure"))) {
    TN_TRY(measure_at(s, measure, &r->measure, e));
  } else if (r->decidable) {
    return tn_node_fail(node, e, TN_E_MODEL, "a row that can be decided has a `measure`");
  }
  TN_TRY(own_form_of(s, r, e));
  s->rows++;
  return TN_OK;
}

tn_status tn_row_rule(tn_study *s, tn_row_plan *r, tn_error *e) {
  TN_TRY(tn_study_expression(s, r->node, "holds", &r->holds, e));
  if (r->holds && !tn_expr_is_condition(r->holds))
    return tn_node_fail(tn_node_get(r->node, "holds"), e, TN_E_MODEL,
                        "`holds` has to be a condition, such as `measured < 1e-3`");
  TN_TRY(tn_member_text(r->node, "agree", "", &r->agree, e));
  if (*r->agree && !tn_tolerance_reads(r->agree)) return tolerance_at(r->node, "agree", &r->agree, e);
  if (r->decidable && !r->holds && (isnan(r->paper) || !*r->agree))
    return tn_node_fail(r->node, e, TN_E_MODEL,
                        "the claim needs `holds`, or a number in `paper` and how near it is to `agree`");
  return TN_OK;
}
