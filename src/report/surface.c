/* the surface of a stabilizer that is a controller, as a part of the command line names it. any model will do for reading it. */
#include "report/report.h"
#include "stabilize/stabilize.h"

enum { MOST = TN_CONTROLLER_MOST, GRID = 20, SHOWN = 4 }; /* points on either side of zero: for programs, for people */

static const char *const model_text = "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"bob\": {\"mass\": 1, "
                                      "\"position\": [0, 0], \"coordinates\": \"point\"}}}";

/* gains do not matter here: where there are none, any will do, so that sets that cannot be without some can be seen */
static tn_status any_gains(tn_desc *desc, const tn_node *part, tn_error *e) {
  static const char *const given[] = {"kp", "kd", "ku", "eps_position", "eps_velocity", "rule"};
  static const char *const gain[] = {"/run/stabilize/kp", "/run/stabilize/kd", "/run/stabilize/ku"};
  tn_status status = TN_OK;
  if (part->kind == TN_NODE_TEXT) return tn_desc_part(desc, "/run/stabilize", "fuzzy:kp=1,kd=1,ku=1", e);
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    if (tn_node_get(part, given[i])) return TN_OK;
  for (int i = 0; i < 3 && status == TN_OK; i++) status = tn_desc_number(desc, gain[i], 1, e);
  return status;
}

static tn_status describe(tn_desc *desc, const char *part, tn_error *e) {
  TN_TRY(tn_desc_parse(desc, NULL, model_text, strlen(model_text), e));
  TN_TRY(tn_desc_part(desc, "/run/stabilize", part, e));
  const tn_node *node = tn_node_get(tn_node_get(desc->root, "run"), "stabilize"),
                *type = node->kind == TN_NODE_OBJECT ? tn_node_get(node, "type") : node;
  if (strcmp(type->text, tn_stabilizer_fuzzy.name) == 0) return any_gains(desc, node, e);
  for (int i = 0; i < tn_stabilizer_type_count; i++)
    if (strcmp(type->text, tn_stabilizer_types[i]->name) == 0) {
      tn_fail(e, TN_E_USAGE, "stabilizer '%s' has no control surface", type->text);
      tn_hint(e, "'%s' has one", tn_stabilizer_fuzzy.name);
      return TN_E_USAGE;
    }
  return TN_OK; /* unknown: the compiler will say so */
}

tn_status tn_surface_controller(const char *part, tn_controller *c, tn_error *e) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error_clear(e);
  tn_status status = tn_desc_new(NULL, &desc, e);
  if (status == TN_OK) status = describe(desc, part, e);
  if (status == TN_OK) status = tn_compile(desc, &model, e);
  if (status == TN_OK) *c = *tn_controller_of(model->run.stabilizer[0].type, model->run.stabilizer[0].self);
  tn_model_free(model);
  tn_desc_free(desc);
  return status;
}

/* ---- for people -------------------------------------------------------------------------------------------------------- */

/* to four places, never -0 */
static double shown(double F) { return round(F * 1e4) / 1e4 + 0.0; }

static void put_set(tn_printer *p, const tn_fuzzy_set *s) {
  const double *top = s->top, *fall = s->fall;
  if (s->gaussian)
    tn_put(p, " [%.4g, %.4g]", top[0], fall[0]);
  else if (top[0] == top[1])
    tn_put(p, " [%.4g, %.4g, %.4g]", top[0] - fall[0], top[0], top[1] + fall[1]);
  else
    tn_put(p, " [%.4g, %.4g, %.4g, %.4g]", top[0] - fall[0], top[0], top[1], top[1] + fall[1]);
}

static void put_sets(tn_printer *p, const char *what, const tn_fuzzy_sets *s) {
  tn_put(p, "\n  %s:", what);
  for (int k = 0; k < s->n; k++) put_set(p, &s->set[k]);
}

/* C and Cdot have the same sets */
static bool alike(const tn_controller *c) {
  bool same = c->x.n == c->y.n;
  for (int k = 0; k < c->x.n && same; k++) {
    const tn_fuzzy_set *a = &c->x.set[k], *b = &c->y.set[k];
    same = a->gaussian == b->gaussian;
    for (int i = 0; i < 2; i++) same = same && a->top[i] == b->top[i] && a->fall[i] == b->fall[i];
  }
  return same;
}

static const char *inference(const tn_controller *c) {
  if (c->mamdani) return c->both ? "Mamdani, minimum" : "Mamdani, product";
  if (c->first_order) return c->both ? "Sugeno of first order, minimum" : "Sugeno of first order, product";
  return c->both ? "Sugeno, minimum" : "Sugeno, product";
}

tn_status tn_report_surface_text(const char *stabilizer, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, stabilizer, "stabilizer");
  TN_NEED(error, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_controller c;
  const tn_status status = tn_surface_controller(stabilizer, &c, error);
  if (status != TN_OK) return status;
  tn_put(p, "%s: U = Ku F(x, y), x = Kp C, y = Kd Cdot, both within -1 .. 1\n  %d rules: %s", stabilizer, c.x.n * c.y.n,
         inference(&c));
  put_sets(p, alike(&c) ? "sets" : "sets of C", &c.x);
  if (!alike(&c)) put_sets(p, "sets of Cdot", &c.y);
  if (c.mamdani) put_sets(p, "output sets", &c.out);
  tn_put(p, "\n  slope at zero: %.6g along x, %.6g along y, %.6g of y alone\n", c.slope_x, c.slope_y, c.slope_line);
  tn_put(p, "  F by x (down) and y:\n       x");
  for (int k = -SHOWN; k <= SHOWN; k++) tn_put(p, " %7.4g", (double)k / SHOWN);
  tn_put(p, "\n");
  for (int i = -SHOWN; i <= SHOWN; i++) {
    tn_put(p, " %7.4g", (double)i / SHOWN);
    for (int k = -SHOWN; k <= SHOWN; k++)
      tn_put(p, " %7.4f", shown(tn_controller_surface(&c, (double)i / SHOWN, (double)k / SHOWN)));
    tn_put(p, "\n");
  }
  tn_put(p, "  rows without a C:\n        ");
  for (int k = -SHOWN; k <= SHOWN; k++) tn_put(p, " %7.4f", shown(tn_controller_line(&c, (double)k / SHOWN)));
  tn_put(p, "\n");
  return p->failed ? TN_E_IO : TN_OK;
}

/* ---- for programs ------------------------------------------------------------------------------------------------------- */

static void sets_json(tn_json *j, const char *key, const tn_fuzzy_sets *sets) {
  tn_json_open(j, key, "[");
  for (int k = 0; k < sets->n; k++) {
    const tn_fuzzy_set *s = &sets->set[k];
    const double gaussian[] = {s->top[0], s->fall[0]},
                 corners[] = {s->top[0] - s->fall[0], s->top[0], s->top[1], s->top[1] + s->fall[1]};
    tn_json_reals(j, NULL, s->gaussian ? 2 : 4, s->gaussian ? gaussian : corners);
  }
  tn_json_close(j);
}

static void rules_json(tn_json *j, const char *key, const tn_controller *c, const double (*table)[MOST]) {
  tn_json_open(j, key, "[");
  for (int i = 0; i < c->x.n; i++) tn_json_reals(j, NULL, c->y.n, table[i]);
  tn_json_close(j);
}

static void members(tn_json *j, const char *stabilizer, const tn_controller *c) {
  double x[2 * GRID + 1], F[2 * GRID + 1];
  for (int i = 0; i <= 2 * GRID; i++) x[i] = (double)(i - GRID) / GRID;
  tn_json_text(j, "stabilizer", stabilizer);
  tn_json_text(j, "both", c->both ? "minimum" : "product");
  tn_json_text(j, "infer", c->mamdani ? "mamdani" : "sugeno");
  sets_json(j, "sets", &c->x);
  sets_json(j, "sets_rate", &c->y);
  if (c->mamdani) sets_json(j, "outputs", &c->out);
  rules_json(j, "table", c, c->table);
  if (c->first_order) rules_json(j, "table_x", c, c->table_x);
  if (c->first_order) rules_json(j, "table_y", c, c->table_y);
  tn_json_real(j, "slope_x", c->slope_x);
  tn_json_real(j, "slope_y", c->slope_y);
  tn_json_real(j, "slope_line", c->slope_line);
  tn_json_reals(j, "x", 2 * GRID + 1, x);
  tn_json_reals(j, "y", 2 * GRID + 1, x);
  tn_json_open(j, "F", "[");
  for (int i = 0; i <= 2 * GRID; i++) {
    for (int k = 0; k <= 2 * GRID; k++) F[k] = tn_controller_surface(c, x[i], x[k]);
    tn_json_reals(j, NULL, 2 * GRID + 1, F);
  }
  tn_json_close(j);
  for (int k = 0; k <= 2 * GRID; k++) F[k] = tn_controller_line(c, x[k]);
  tn_json_reals(j, "line", 2 * GRID + 1, F);
}

tn_status tn_report_surface_json(const char *stabilizer, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, stabilizer, "stabilizer");
  TN_NEED(error, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  tn_controller c;
  const tn_status status = tn_surface_controller(stabilizer, &c, error);
  if (status != TN_OK) return status;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "tenon", TN_VERSION);
  members(j, stabilizer, &c);
  tn_json_close(j);
  return json.failed ? TN_E_IO : TN_OK;
}

tn_status tn_report_surface_page(const char *stabilizer, const char *command, tn_write write, void *user,
                                 tn_error *error) {
  TN_NEED(error, stabilizer, "stabilizer");
  TN_NEED(error, command, "command");
  TN_NEED(error, write, "write");
  tn_error spare, *e = error ? error : &spare;
  tn_controller c;
  tn_page page;
  char title[256];
  TN_TRY(tn_surface_controller(stabilizer, &c, e));
  tn_format(title, sizeof title, "%.200s: control surface", stabilizer);
  TN_TRY(tn_page_begin(&page, write, user, "study", NULL, title, e));
  tn_json *j = tn_page_data(&page);
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "kind", "surface");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "command", command);
  members(j, stabilizer, &c);
  tn_json_close(j);
  tn_page_data_end(&page);
  return tn_page_end(&page, e);
}

tn_status tn_report_surface_csv(const char *stabilizer, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, stabilizer, "stabilizer");
  TN_NEED(error, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_controller c;
  const tn_status status = tn_surface_controller(stabilizer, &c, error);
  if (status != TN_OK) return status;
  tn_put(p, "x,y,F,line\n");
  for (int i = -GRID; i <= GRID; i++)
    for (int k = -GRID; k <= GRID; k++) {
      const double x = (double)i / GRID, y = (double)k / GRID;
      tn_put(p, "%.9g,%.9g,%.17g,%.17g\n", x, y, tn_controller_surface(&c, x, y), tn_controller_line(&c, y));
    }
  return p->failed ? TN_E_IO : TN_OK;
}
