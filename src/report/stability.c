/* regions of stability of an integrator, of zdot = lambda z and of feedback that is held over a step. */
#include "integrate/integrate.h"
#include "report/report.h"
#include "stabilize/stabilize.h"

static const char *const any_model = "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"bob\": {\"mass\": 1, "
                                     "\"position\": [0, 0], \"coordinates\": \"point\"}}}";

static const double SHOWN[] = {1.0 / 64, 1.0 / 16, 0.25, 0.5, 1}; /* gains b */

/* an integrator as the command line names it, with fields or without */
typedef struct subject {
  const char *name;
  const tn_integrator_type *type;
  const void *self;
  tn_desc *desc; /* where it has fields, or NULL */
  tn_model *model;
} subject;

static void release(subject *s) {
  tn_model_free(s->model);
  tn_desc_free(s->desc);
}

static tn_status find_type(const char *name, size_t size, const tn_integrator_type **type, tn_error *e) {
  const char *known[128];
  char word[64];
  int n = 0;
  tn_format(word, sizeof word, "%.*s", (int)size, name);
  for (int i = 0; (*type = tn_registry_type(NULL, TN_INTEGRATORS, i)); i++) {
    if (strcmp((*type)->name, word) == 0) break;
    if (n < 128) known[n++] = (*type)->name;
  }
  if (!*type) {
    const char *near = tn_nearest(word, n, known);
    tn_fail(e, TN_E_USAGE, "unknown integrator '%s'", word);
    if (near)
      tn_hint(e, "did you mean '%s'?", near);
    else
      tn_hint(e, "tenon list integrator");
    return TN_E_USAGE;
  }
  if (!(*type)->attempt)
    return tn_fail(e, TN_E_USAGE, "'%s' chooses formula and step itself: it has no region of its own", word);
  return TN_OK;
}

/* fields are read as those of a run: of any model, with any step */
static tn_status read_fields(subject *s, tn_error *e) {
  TN_TRY(tn_desc_new(NULL, &s->desc, e));
  TN_TRY(tn_desc_parse(s->desc, NULL, any_model, strlen(any_model), e));
  TN_TRY(tn_desc_part(s->desc, "/run/integrator", s->name, e));
  const tn_node *part = tn_node_get(tn_node_get(s->desc->root, "run"), "integrator");
  if (!s->type->adaptive && !tn_node_get(part, "step")) TN_TRY(tn_desc_number(s->desc, "/run/integrator/step", 1, e));
  TN_TRY(tn_compile(s->desc, &s->model, e));
  s->self = s->type->size ? s->model->run.integrator_part.self : s->type->constants;
  return TN_OK;
}

/* to be released, found or not */
static tn_status find(const char *name, subject *s, tn_error *e) {
  const size_t word = strcspn(name, ":");
  tn_error_clear(e);
  *s = (subject){.name = name};
  TN_TRY(find_type(name, word, &s->type, e));
  s->self = s->type->constants;
  return name[word] ? read_fields(s, e) : TN_OK;
}

tn_status tn_stability_region(const char *integrator, tn_region *r, tn_error *e) {
  subject s;
  tn_status status = find(integrator, &s, e);
  if (status == TN_OK && s.type->orders)
    status = tn_fail(e, TN_E_USAGE, "'%s' has a region for each of its orders", integrator);
  if (status == TN_OK && (status = tn_stability(s.type, s.self, 0, r)) != TN_OK) tn_fail(e, status, "out of memory");
  if (status == TN_OK && isinf(r->area)) status = tn_fail(e, TN_E_USAGE, "the region of '%s' has no end", integrator);
  release(&s);
  return status;
}

/* the region of each order; `see` is shown them in turn */
typedef void (*seer)(void *to, const subject *s, int order, const tn_region *r);

static tn_status for_orders(const subject *s, seer see, void *to, tn_error *e) {
  tn_region *r = tn_block_new(NULL, sizeof *r);
  tn_status status = r ? TN_OK : TN_E_MEMORY;
  for (int k = s->type->orders ? 1 : 0; status == TN_OK && k <= s->type->orders; k++) {
    status = tn_stability(s->type, s->self, k, r);
    if (status == TN_OK) see(to, s, k, r);
  }
  tn_block_free(NULL, r);
  return status == TN_E_MEMORY ? tn_fail(e, TN_E_MEMORY, "out of memory") : status;
}

/* ---- for people -------------------------------------------------------------------------------------------------------- */

static void number(tn_printer *p, const char *what, double x) {
  if (isinf(x))
    tn_put(p, "%s without end", what);
  else
    tn_put(p, "%s %.6g", what, x);
}

static void line(void *to, const subject *s, int order, const tn_region *r) {
  tn_printer *p = to;
  if (s->type->orders) tn_put(p, "  order %d:", order);
  number(p, s->type->orders ? " real axis to" : "  real axis to", r->real);
  number(p, ", imaginary axis to", r->imaginary);
  number(p, ", area", r->area);
  tn_put(p, "\n");
}

static tn_status text_of(tn_printer *p, const subject *s, tn_error *e) {
  tn_put(p, "%s: %s\n", s->name, s->type->doc);
  tn_put(p, "zdot = lambda z with a step h is stable where h lambda is in a region left of 0:\n");
  TN_TRY(for_orders(s, line, p, e));
  tn_put(p, "feedback (a/h) Cdot + (b/h^2) C held over a step, baumgarte:a=..,b=..,feedback=held:\n");
  for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++) {
    double from, to;
    if (tn_held_range(s->type, s->self, SHOWN[i], &from, &to))
      tn_put(p, "  b = %g: stable with a from %.6g to %.6g\n", SHOWN[i], from, to);
    else
      tn_put(p, "  b = %g: not stable for any a\n", SHOWN[i]);
  }
  tn_put(p, "  a = 1, b = 0.5 multiplies a violation by %.6g a step, in the long run\n",
         tn_held_growth(s->type, s->self, 1, 0.5));
  return TN_OK;
}

tn_status tn_report_stability_text(const char *integrator, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, integrator, "integrator");
  TN_NEED(error, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  subject found, *s = &found;
  tn_status status = find(integrator, s, error);
  if (status == TN_OK) status = text_of(p, s, error);
  release(s);
  return status == TN_OK && p->failed ? TN_E_IO : status;
}
/* ---- for programs ------------------------------------------------------------------------------------------------------- */

static void member(tn_json *j, const char *key, double x) {
  if (isinf(x))
    tn_json_null(j, key, "without end");
  else
    tn_json_real(j, key, x);
}

static void limits(tn_json *j, const tn_region *r) {
  member(j, "real_limit", r->real);
  member(j, "imaginary_limit", r->imaginary);
  member(j, "area", r->area);
}

static void object(void *to, const subject *s, int order, const tn_region *r) {
  tn_json *j = to;
  if (!s->type->orders) {
    limits(j, r);
    return;
  }
  tn_json_open(j, NULL, "{-");
  tn_json_whole(j, "order", order);
  limits(j, r);
  tn_json_close(j);
}

static tn_status members(tn_json *j, const subject *s, tn_error *error) {
  tn_status status;
  tn_json_text(j, "integrator", s->name);
  if (s->type->orders)
    tn_json_open(j, "orders", "[");
  else
    tn_json_whole(j, "order", s->type->order);
  if ((status = for_orders(s, object, j, error)) != TN_OK) return status;
  if (s->type->orders) tn_json_close(j);
  tn_json_open(j, "held", "{");
  tn_json_real(j, "growth_a_1_b_half", tn_held_growth(s->type, s->self, 1, 0.5));
  tn_json_open(j, "stable", "[");
  for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++) {
    double from, to;
    const bool some = tn_held_range(s->type, s->self, SHOWN[i], &from, &to);
    tn_json_open(j, NULL, "{-");
    tn_json_real(j, "b", SHOWN[i]);
    if (some) {
      tn_json_real(j, "a_from", from);
      tn_json_real(j, "a_to", to);
    } else {
      tn_json_null(j, "a_from", "not stable for any a");
      tn_json_null(j, "a_to", "not stable for any a");
    }
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_close(j);
  return TN_OK;
}

tn_status tn_report_stability_json(const char *integrator, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, integrator, "integrator");
  TN_NEED(error, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  subject s;
  tn_status status = find(integrator, &s, error);
  if (status == TN_OK) {
    tn_json_open(j, NULL, "{");
    tn_json_text(j, "tenon", TN_VERSION);
    if ((status = members(j, &s, error)) == TN_OK) tn_json_close(j);
  }
  release(&s);
  return status == TN_OK && json.failed ? TN_E_IO : status;
}

/* both halves of the plane, by columns */
static void grid(void *to, const subject *s, int order, const tn_region *r) {
  tn_printer *p = to;
  const double dx = (r->right - r->left) / TN_REGION_COLUMNS, dy = r->top / TN_REGION_ROWS;
  for (int i = 0; i < TN_REGION_COLUMNS; i++)
    for (int k = -TN_REGION_ROWS; k < TN_REGION_ROWS; k++) {
      const int j = k < 0 ? -1 - k : k;
      if (s->type->orders) tn_put(p, "%d,", order);
      tn_put(p, "%.9g,%.9g,%d\n", r->left + (i + 0.5) * dx, (k + 0.5) * dy, r->stable[i][j]);
    }
}

static void look_for_end(void *to, const subject *s, int order, const tn_region *r) {
  (void)s, (void)order;
  if (isinf(r->area)) *(bool *)to = true;
}

static tn_status csv_of(tn_printer *p, const subject *s, tn_error *e) {
  bool endless = false;
  TN_TRY(for_orders(s, look_for_end, &endless, e));
  if (endless) return tn_fail(e, TN_E_USAGE, "the region of '%s' has no end: no grid can show it", s->name);
  tn_put(p, s->type->orders ? "order,re,im,stable\n" : "re,im,stable\n");
  return for_orders(s, grid, p, e);
}

tn_status tn_report_stability_csv(const char *integrator, tn_write write, void *user, tn_error *error) {
  TN_NEED(error, integrator, "integrator");
  TN_NEED(error, write, "write");
  tn_printer printer = {.write = write, .user = user}, *p = &printer;
  subject s;
  tn_status status = find(integrator, &s, error);
  if (status == TN_OK) status = csv_of(p, &s, error);
  release(&s);
  return status == TN_OK && p->failed ? TN_E_IO : status;
}

/* ---- as a page ------------------------------------------------------------------------------------------------------------ */

enum { COLUMNS = TN_REGION_COLUMNS, ROWS = TN_REGION_ROWS, LOOK = 20 }; /* on either side of 0: a first look */

/* where a column becomes stable, and where it no longer is, upwards */
static void column(tn_json *j, const bool *is_stable) {
  bool before = false;
  tn_json_open(j, NULL, "[-");
  for (int k = 0; k <= ROWS; k++) {
    const bool now = k < ROWS && is_stable[k];
    if (now != before) tn_json_whole(j, NULL, k);
    before = now;
  }
  tn_json_close(j);
}

static void window(tn_json *j, double left, double right, double top) {
  tn_json_real(j, "left", left);
  tn_json_real(j, "right", right);
  tn_json_real(j, "top", top);
  tn_json_whole(j, "rows", ROWS);
}

/* of a region without end: as much as shows where it is not, or a look around 0 */
static tn_status endless(tn_json *j, const subject *s, int order, tn_region *r) {
  bool look[2 * LOOK * LOOK];
  double size = 4;
  for (double look_at = 2; look_at < 60; look_at *= 1.25) {
    bool bounded = true, any = false;
    TN_TRY(tn_stability_at(s->type, s->self, order, look_at / LOOK, -LOOK, 2 * LOOK, LOOK, look));
    for (int i = LOOK; i < 2 * LOOK; i++)
      for (int k = 0; k < LOOK; k++) {
        if (look[i * LOOK + k]) continue;
        any = true;
        bounded = bounded && i < 2 * LOOK - 1 && k < LOOK - 1;
      }
    if (!any || !bounded) continue;
    size = look_at;
    break;
  }
  TN_TRY(tn_stability_at(s->type, s->self, order, 2 * size / COLUMNS, -COLUMNS / 2, COLUMNS, ROWS, r->stable[0]));
  window(j, -size, size, size);
  return TN_OK;
}

typedef struct regions {
  tn_json *j;
  tn_region *region; /* room for one */
  tn_status status;
} regions;

static void region(void *to, const subject *s, int order, const tn_region *r) {
  regions *all = to;
  tn_json *j = all->j;
  tn_json_open(j, NULL, "{");
  if (s->type->orders) tn_json_whole(j, "order", order);
  if (isinf(r->area)) {
    const tn_status status = endless(j, s, order, all->region);
    if (status != TN_OK) all->status = status;
    r = all->region;
  } else {
    window(j, r->left, r->right, r->top);
  }
  tn_json_open(j, "columns", "[-");
  for (int i = 0; i < COLUMNS; i++) column(j, r->stable[i]);
  tn_json_close(j);
  tn_json_close(j);
}

enum { GAINS = 24 };

/* the largest b with some a, from 0 on; at most 2 */
static double most_gain(const subject *s) {
  double in = 0, out = 1.0 / 64, from, to;
  for (; tn_held_range(s->type, s->self, out, &from, &to); out *= 2) {
    if (out >= 2) return 2;
    in = out;
  }
  for (int i = 0; i < 6 && in > 0; i++) {
    const double b = (in + out) / 2;
    if (tn_held_range(s->type, s->self, b, &from, &to))
      in = b;
    else
      out = b;
  }
  return in;
}

/* which a may be held, over b */
static void gains(tn_json *j, const subject *s) {
  const double most = most_gain(s);
  tn_json_open(j, "gains", "[");
  for (int i = 1; i <= GAINS && most > 0; i++) {
    double range[3] = {most * i / GAINS, 0, 0};
    if (tn_held_range(s->type, s->self, range[0], &range[1], &range[2])) tn_json_reals(j, NULL, 3, range);
  }
  tn_json_close(j);
}

static tn_status page_of(tn_json *j, const subject *s, tn_region *room, tn_error *e) {
  regions all = {j, room, TN_OK};
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "doc", s->type->doc);
  TN_TRY(members(j, s, e));
  tn_json_open(j, "regions", "[");
  TN_TRY(for_orders(s, region, &all, e));
  if (all.status != TN_OK) return tn_fail(e, all.status, "out of memory");
  tn_json_close(j);
  gains(j, s);
  tn_json_close(j);
  return TN_OK;
}

tn_status tn_report_stability_page(int n, const char *const *integrators, const char *command, tn_write write,
                                   void *user, tn_error *error) {
  TN_NEED(error, integrators || n <= 0, "integrators");
  TN_NEED(error, command, "command");
  TN_NEED(error, write, "write");
  tn_error spare, *e = error ? error : &spare;
  tn_page page;
  tn_error_clear(e);
  for (int i = 0; i < n; i++) {
    subject s;
    TN_NEED(e, integrators[i], "integrators");
    const tn_status found = find(integrators[i], &s, e);
    release(&s);
    if (found != TN_OK) return found;
  }
  tn_region *room = tn_block_new(NULL, sizeof *room);
  if (!room) return tn_fail(e, TN_E_MEMORY, "out of memory");
  tn_status status = tn_page_begin(&page, write, user, "study", NULL, "Regions of stability", e);
  if (status != TN_OK) {
    tn_block_free(NULL, room);
    return status;
  }
  tn_json *j = tn_page_data(&page);
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "kind", "stability");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "command", command);
  tn_json_open(j, "integrators", "[");
  for (int i = 0; i < n && status == TN_OK; i++) {
    subject s;
    status = find(integrators[i], &s, e);
    if (status == TN_OK) status = page_of(j, &s, room, e);
    release(&s);
  }
  tn_json_close(j);
  tn_json_close(j);
  tn_page_data_end(&page);
  tn_block_free(NULL, room);
  return status == TN_OK ? tn_page_end(&page, e) : status;
}
