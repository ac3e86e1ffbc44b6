/* the surface of a stabilizer that is a controller, as a part of the command line names it. any model will do for reading it. */
#include "report/report.h"
#include "stabilize/stabilize.h"

enum { SETS = TN_CONTROLLER_SETS, GRID = 20, SHOWN = 4 }; /* points on either side of zero: for programs, for people */

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
  if (status == TN_OK) *c = *tn_controller_of(&model->run.stabilizer[0]);
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

tn_status tn_report_surface_text(const char *stabilizer, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, stabilizer, "stabilizer");
  TN_NEED(error, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  tn_controller c;
  const tn_status status = tn_surface_controller(stabilizer, &c, error);
  if (status != TN_OK) return status;
  tn_put(p, "%s: U = Ku F(x, y), x = Kp C, y = Kd Cdot, both within -1 .. 1\n  sets:", stabilizer);
  for (int k = 0; k < SETS; k++) put_set(p, &c.set[k]);
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

static void sets_json(tn_json *j, const tn_controller *c) {
  tn_json_open(j, "sets", "[");
  for (int k = 0; k < SETS; k++) {
    const double *top = c->set[k].top, *fall = c->set[k].fall;
    const double gaussian[] = {top[0], fall[0]}, corners[] = {top[0] - fall[0], top[0], top[1], top[1] + fall[1]};
    tn_json_reals(j, NULL, c->set[k].gaussian ? 2 : 4, c->set[k].gaussian ? gaussian : corners);
  }
  tn_json_close(j);
}

static void members(tn_json *j, const char *stabilizer, const tn_controller *c) {
  double x[2 * GRID + 1], F[2 * GRID + 1];
  for (int i = 0; i <= 2 * GRID; i++) x[i] = (double)(i - GRID) / GRID;
  tn_json_text(j, "stabilizer", stabilizer);
  tn_json_text(j, "both", c->both ? "minimum" : "product");
  sets_json(j, c);
  tn_json_open(j, "table", "[");
  for (int i = 0; i < SETS; i++) tn_json_reals(j, NULL, SETS, c->table[i]);
  tn_json_close(j);
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
