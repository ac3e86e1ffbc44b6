/* sets, rules and outputs of `fuzzy` as its part has them: named sets, or one's own, by the numbers a list has: [centre, sigma];
 * [foot, top, foot]; [foot, top, top, foot].
 *   (1) gap: an x within -1 .. 1 that belongs to no set by 1e-6: F is not defined there, or is roundoff
 *   (2) Mamdani, no outputs of one's own: a triangle for each different number of the table, from the one below to the one above;
 *       at the ends as far out as in
 * refused is a feedback that pushes at zero, or along an axis drives a violation */
#include "stabilize/stabilize.h"

enum { MOST = TN_CONTROLLER_MOST };
static const double MEMBER_LEAST = 1e-6;  /* 1: (1), a smaller membership is none                    */
static const double PUSH_AT_REST = 1e-3;  /* of the largest output: what there may be at zero        */
static const double PUSH_ROUNDOFF = 1e-9; /* 1: slope of a feedback that drives a violation          */
static const double SAME_OUTPUT = 1e-9;   /* of the largest output: two numbers of a table are one   */
static const double SLOPE_MOST = 1000;    /* 1: largest number of tables of slopes                   */

/* what is said of the sets of one input */
typedef struct keys {
  const char *of, *set, *size, *width, *sets;
} keys;

static const keys of_C = {"C", "set", "size", "width", "sets"},
                  of_Cdot = {"Cdot", "set_rate", "size_rate", "width_rate", "sets_rate"};

/* ---- one's own sets ----------------------------------------------------------------------------------------------------- */

static tn_status finite_numbers(tn_context *ctx, const tn_node *node, int n, double *x) {
  TN_TRY(tn_context_numbers(ctx, node, n, x));
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return tn_context_refuse(ctx, tn_node_item(node, i), "a finite number is needed here");
  return TN_OK;
}

static tn_status read_corners(tn_context *ctx, const tn_node *node, int n, tn_fuzzy_set *s) {
  double x[4];
  TN_TRY(finite_numbers(ctx, node, n, x));
  for (int i = 1; i < n; i++)
    if (x[i] < x[i - 1])
      return tn_context_refuse(ctx, node, "the numbers of a set go from left to right: %g is left of %g", x[i],
                               x[i - 1]);
  *s = (tn_fuzzy_set){.top = {x[1], x[n - 2]}, .fall = {x[1] - x[0], x[n - 1] - x[n - 2]}};
  return TN_OK;
}

static tn_status read_set(tn_context *ctx, const tn_node *node, tn_fuzzy_set *s) {
  double x[2];
  const int n = tn_node_items(node);
  if (n < 2 || n > 4)
    return tn_context_refuse(
        ctx, node, "a set is [centre, sigma], [foot, top, foot] or [foot, top, top, foot]: two to four numbers");
  if (n == 2) {
    TN_TRY(finite_numbers(ctx, node, n, x));
    if (!(x[1] > 0)) return tn_context_refuse(ctx, node, "sigma must be positive, not %g", x[1]);
    *s = (tn_fuzzy_set){.top = {x[0], x[0]}, .fall = {x[1], x[1]}, .gaussian = true};
    return TN_OK;
  }
  TN_TRY(read_corners(ctx, node, n, s));
  for (int i = 0; i < 2; i++)
    if (!(s->fall[i] > 0) && fabs(s->top[i]) < 1)
      return tn_context_refuse(ctx, node, "the side of this set at %g is upright: the feedback would jump there",
                               s->top[i]);
  return TN_OK;
}

/* (1): from the left, as far as the sets that are there reach */
static tn_status find_gap(tn_context *ctx, const tn_node *node, const tn_fuzzy_sets *sets) {
  double x = -1;
  for (;;) {
    double reach = x, next = 1;
    for (int k = 0; k < sets->n; k++) {
      const tn_fuzzy_set *s = &sets->set[k];
      const double share = s->gaussian ? sqrt(-2 * log(MEMBER_LEAST)) : 1 - MEMBER_LEAST;
      const double from = s->top[0] - share * s->fall[0], to = s->top[1] + share * s->fall[1];
      if (from <= x && to > reach) reach = to;
      if (from > x && from < next) next = from;
    }
    if (reach >= 1) return TN_OK;
    if (reach == x)
      return tn_context_refuse(ctx, node,
                               "between %.6g and %.6g no set has a member: the feedback is not defined there", x, next);
    x = reach;
  }
}

static tn_status right_of(tn_context *ctx, const tn_node *node, const tn_fuzzy_set *s, int i) {
  if (i == 0 || s->top[0] / 2 + s->top[1] / 2 > s[-1].top[0] / 2 + s[-1].top[1] / 2) return TN_OK;
  return tn_context_refuse(ctx, node, "the sets go from left to right: set %d is not right of set %d", i + 1, i);
}

static bool is_odd(int n) { return n >= 3 && n <= MOST && n % 2 == 1; }

static tn_status read_list(tn_context *ctx, const char *key, tn_fuzzy_sets *sets) {
  const tn_node *node = tn_context_value(ctx, key);
  if (!is_odd(tn_node_items(node)))
    return tn_context_refuse(ctx, node, "`%s` needs a list of an odd number of sets, 3 to %d", key, (int)MOST);
  sets->n = tn_node_items(node);
  for (int i = 0; i < sets->n; i++) {
    const tn_node *k = tn_node_item(node, i);
    TN_TRY(read_set(ctx, k, &sets->set[i]));
    TN_TRY(right_of(ctx, k, &sets->set[i], i));
  }
  return find_gap(ctx, node, sets);
}

/* ---- the two inputs ----------------------------------------------------------------------------------------------------- */

static tn_status named_sets(tn_context *ctx, const keys *k, const tn_choice_of_sets *choice, tn_fuzzy_sets *sets) {
  const tn_node *size = tn_context_value(ctx, k->size), *width = tn_context_value(ctx, k->width);
  if (!is_odd(choice->size))
    return tn_context_refuse(ctx, size, "`%s` is an odd number of sets, 3 to %d, not %d", k->size, (int)MOST,
                             choice->size);
  tn_fuzzy_sets_named(sets, choice->set, choice->size, choice->width);
  return find_gap(ctx, width, sets);
}

/* the first key that names the sets of an input, or NULL */
static const char *named_by(const tn_context *ctx, const keys *k) {
  const char *const all[] = {k->set, k->size, k->width};
  for (int i = 0; i < 3; i++)
    if (tn_context_value(ctx, all[i])) return all[i];
  return NULL;
}

static tn_status read_input(tn_context *ctx, const keys *k, const tn_choice_of_sets *choice, tn_fuzzy_sets *sets) {
  const tn_node *own = tn_context_value(ctx, k->sets);
  const char *named = named_by(ctx, k);
  if (own && named) return tn_context_refuse(ctx, own, "give `%s` or `%s`, not both", named, k->sets);
  return own ? read_list(ctx, k->sets, sets) : named_sets(ctx, k, choice, sets);
}

/* Cdot: as C, but for what is said of it alone */
static tn_status read_inputs(tn_context *ctx, const tn_choice_of_sets choice[2], tn_controller *c) {
  tn_choice_of_sets rate = choice[1];
  TN_TRY(read_input(ctx, &of_C, &choice[0], &c->x));
  const char *named = named_by(ctx, &of_Cdot);
  const tn_node *own = tn_context_value(ctx, of_Cdot.sets);
  if (!named && !own) {
    c->y = c->x;
    return TN_OK;
  }
  if (named && tn_context_value(ctx, of_C.sets) && !tn_context_value(ctx, of_Cdot.set))
    return tn_context_refuse(ctx, tn_context_value(ctx, named),
                             "the sets of C are one's own: `set_rate` is needed, too");
  if (!tn_context_value(ctx, of_Cdot.set)) rate.set = choice[0].set;
  if (!tn_context_value(ctx, of_Cdot.size)) rate.size = choice[0].size;
  if (!tn_context_value(ctx, of_Cdot.width)) rate.width = choice[0].width;
  return read_input(ctx, &of_Cdot, &rate, &c->y);
}

/* ---- rules -------------------------------------------------------------------------------------------------------------- */

static tn_status read_table(tn_context *ctx, const char *key, const tn_controller *c, double most,
                            double (*table)[MOST]) {
  const tn_node *node = tn_context_value(ctx, key);
  if (!node) return TN_OK;
  if (tn_node_items(node) != c->x.n)
    return tn_context_refuse(ctx, node, "`%s` needs %d rows, one for each set of C", key, c->x.n);
  for (int j = 0; j < c->x.n; j++) {
    const tn_node *row = tn_node_item(node, j);
    if (tn_node_items(row) != c->y.n)
      return tn_context_refuse(ctx, row, "a row of `%s` needs %d numbers, one for each set of Cdot", key, c->y.n);
    TN_TRY(finite_numbers(ctx, row, c->y.n, table[j]));
    for (int k = 0; k < c->y.n; k++) {
      if (fabs(table[j][k]) <= most) continue;
      return most == 1 ? tn_context_refuse(ctx, tn_node_item(row, k),
                                           "outputs are between -1 and 1, not %g: `ku` makes them larger", table[j][k])
                       : tn_context_refuse(ctx, tn_node_item(row, k), "slopes of outputs are between %g and %g, not %g",
                                           -most, most, table[j][k]);
    }
  }
  return TN_OK;
}

static tn_status read_rules(tn_context *ctx, tn_controller *c) {
  const tn_node *along_x = tn_context_value(ctx, "table_x"), *along_y = tn_context_value(ctx, "table_y");
  tn_controller_rules(c);
  TN_TRY(read_table(ctx, "table", c, 1, c->table));
  TN_TRY(read_table(ctx, "table_x", c, SLOPE_MOST, c->table_x));
  TN_TRY(read_table(ctx, "table_y", c, SLOPE_MOST, c->table_y));
  c->first_order = along_x || along_y;
  if (c->first_order && c->mamdani)
    return tn_context_refuse(ctx, along_x ? along_x : along_y,
                             "slopes of outputs belong to `infer` sugeno, not to mamdani");
  return TN_OK;
}

/* ---- output sets -------------------------------------------------------------------------------------------------------- */

/* the numbers of the table, each once, in order; more than MOST: MOST + 1 */
static int different(const tn_controller *c, double *z) {
  int n = 0;
  for (int j = 0; j < c->x.n; j++)
    for (int k = 0; k < c->y.n; k++) {
      int at = 0;
      while (at < n && z[at] < c->table[j][k] - SAME_OUTPUT) at++;
      if (at < n && z[at] <= c->table[j][k] + SAME_OUTPUT) continue;
      if (n == MOST) return MOST + 1;
      memmove(z + at + 1, z + at, sizeof *z * (size_t)(n - at));
      z[at] = c->table[j][k];
      n++;
    }
  return n;
}

/* (2) */
static tn_status usual_outputs(tn_context *ctx, tn_controller *c) {
  double z[MOST];
  const int n = different(c, z);
  if (n > MOST)
    return tn_context_refuse(ctx, tn_context_value(ctx, "table"),
                             "more than %d different outputs: too many for `infer` mamdani", (int)MOST);
  c->out.n = n;
  for (int k = 0; k < n; k++) {
    const double below = k > 0 ? z[k] - z[k - 1] : n > 1 ? z[1] - z[0] : 1, above = k + 1 < n ? z[k + 1] - z[k] : below;
    c->out.set[k] = (tn_fuzzy_set){.top = {z[k], z[k]}, .fall = {below, above}};
  }
  return TN_OK;
}

static tn_status own_outputs(tn_context *ctx, const tn_node *node, tn_fuzzy_sets *out) {
  out->n = tn_node_items(node);
  if (out->n < 1 || out->n > MOST)
    return tn_context_refuse(ctx, node, "`outputs` needs a list of 1 to %d sets", (int)MOST);
  for (int i = 0; i < out->n; i++) {
    const tn_node *k = tn_node_item(node, i);
    tn_fuzzy_set *s = &out->set[i];
    const int n = tn_node_items(k);
    if (n < 3 || n > 4)
      return tn_context_refuse(
          ctx, k, "a set of outputs is [foot, top, foot] or [foot, top, top, foot]: three or four numbers");
    TN_TRY(read_corners(ctx, k, n, s));
    if (!(s->top[1] + s->fall[1] > s->top[0] - s->fall[0]) || fabs(s->top[0]) > 2 || fabs(s->top[1]) > 2 ||
        s->fall[0] > 2 || s->fall[1] > 2)
      return tn_context_refuse(ctx, k,
                               "a set of outputs has a width, its tops within -2 .. 2 and its sides at most 2 wide");
    TN_TRY(right_of(ctx, k, s, i));
  }
  return TN_OK;
}

static double middle(const tn_fuzzy_set *s) { return (s->top[0] + s->top[1]) / 2; }

/* each rule to the output set in whose middle its number is */
static tn_status name_outputs(tn_context *ctx, const tn_node *node, tn_controller *c) {
  for (int j = 0; j < c->x.n; j++)
    for (int k = 0; k < c->y.n; k++) {
      int at = 0;
      while (at < c->out.n && fabs(middle(&c->out.set[at]) - c->table[j][k]) > SAME_OUTPUT) at++;
      if (at == c->out.n)
        return tn_context_refuse(ctx, node,
                                 "the rule of set %d of C and set %d of Cdot says %g: no output set is there", j + 1,
                                 k + 1, c->table[j][k]);
      c->output[j][k] = (unsigned char)at;
    }
  return TN_OK;
}

static tn_status read_outputs(tn_context *ctx, tn_controller *c) {
  const tn_node *own = tn_context_value(ctx, "outputs");
  if (own && !c->mamdani) return tn_context_refuse(ctx, own, "sets of outputs belong to `infer` mamdani");
  if (!c->mamdani) return TN_OK;
  TN_TRY(own ? own_outputs(ctx, own, &c->out) : usual_outputs(ctx, c));
  return name_outputs(ctx, own, c);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------------- */

/* what would push where nothing is off, or away from where it should. sets that are not symmetric, as Gaussian ones are everywhere,
 * leave a little at zero */
static tn_status find_drive(tn_context *ctx, const tn_node *node, const tn_controller *c) {
  static const char *const of[] = {"F(x, 0)", "F(0, y)", "F(y)"};
  const double rest = tn_controller_surface(c, 0, 0), line = tn_controller_line(c, 0);
  if (!(fabs(rest) <= PUSH_AT_REST && fabs(line) <= PUSH_AT_REST))
    return tn_context_refuse(ctx, node, "the feedback at zero is %.4g, %.4g of Cdot alone: rows would be pushed off",
                             rest, line);
  for (int i = -20; i <= 20; i++) {
    const double x = i ? i / 20.0 : TN_FUZZY_NEAR;
    const double F[] = {tn_controller_surface(c, x, 0) - rest, tn_controller_surface(c, 0, x) - rest,
                        tn_controller_line(c, x) - line};
    for (int k = 0; k < 3; k++)
      if (F[k] * x < -PUSH_ROUNDOFF * fabs(x))
        return tn_context_refuse(ctx, node, "%s at %g is %.4g: it would drive a violation instead of taking it away",
                                 of[k], x, F[k]);
  }
  return TN_OK;
}

tn_status tn_controller_read(tn_controller *c, tn_context *ctx, const tn_choice_of_sets choice[2], int both,
                             bool mamdani) {
  static const char *const own[] = {"table_x", "table_y", "outputs", "table", "sets_rate", "sets"};
  memset(c, 0, sizeof *c);
  c->both = both;
  c->mamdani = mamdani;
  TN_TRY(read_inputs(ctx, choice, c));
  TN_TRY(read_rules(ctx, c));
  TN_TRY(read_outputs(ctx, c));
  const tn_node *at = NULL;
  for (size_t i = 0; i < sizeof own / sizeof *own && !at; i++) at = tn_context_value(ctx, own[i]);
  TN_TRY(find_drive(ctx, at, c));
  tn_controller_slopes(c);
  return TN_OK;
}
