/* what a run uses instead of what the model says, by the names that the command line has for it. */
#include "model/model.h"

#include <stdlib.h>

/* how the text of a setting is read: a number or an expression; a part, which may have parameters; true or false */
typedef enum reading { VALUE, PART, TRUTH } reading;

/* where a setting goes */
typedef struct place {
  const char *name, *pointer;
  reading as;
  const char *replaces[2]; /* settings of the file that it pushes aside */
} place;

/* in the order that lets the parts of a whole win over the whole */
static const place places[] = {
    {"method", "/run/method", PART, {"/run/formulation", "/run/stabilize"}},
    {"formulation", "/run/formulation", PART, {NULL, NULL}},
    {"stabilize", "/run/stabilize/-", PART, {NULL, NULL}},
    {"integrator", "/run/integrator", PART, {NULL, NULL}},
    {"step", "/run/integrator/step", VALUE, {"/run/integrator/rtol", "/run/integrator/atol"}},
    {"rtol", "/run/integrator/rtol", VALUE, {"/run/integrator/step", NULL}},
    {"atol", "/run/integrator/atol", VALUE, {"/run/integrator/step", NULL}},
    {"breach", "/run/contract/breach", PART, {NULL, NULL}},
    {"at-singularity", "/run/at_singularity", PART, {NULL, NULL}},
    {"allow-unstable", "/run/allow_unstable", TRUTH, {NULL, NULL}},
    {"coordinates", "/coordinates", VALUE, {NULL, NULL}},
    {"body-coordinates", "/body_coordinates", PART, {NULL, NULL}},
    {"until", "/run/until", VALUE, {NULL, NULL}},
    {"every", "/run/every", VALUE, {NULL, NULL}},
};
enum { PLACES = sizeof places / sizeof *places };

/* a number, or an expression as in the model file */
static tn_status set_value(tn_desc *d, const char *pointer, const char *text, tn_error *e) {
  char *end;
  const double value = strtod(text, &end); /* nan and inf too, which are refused as numbers */
  return *text && !*end ? tn_desc_number(d, pointer, value, e) : tn_desc_text(d, pointer, text, e);
}

static tn_status set_truth(tn_desc *d, const place *p, const char *text, tn_error *e) {
  if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
    return tn_fail(e, TN_E_USAGE, "`%s` is true or false, not '%.64s'", p->name, text);
  return tn_desc_json(d, p->pointer, text, e);
}

/* one of `constants`, or else of `parameters`: names are of one of them only */
static tn_status set_constant(tn_desc *d, const char *text, tn_error *e) {
  char pointer[128];
  const char *equal = strchr(text, '=');
  if (!equal || equal == text || (size_t)(equal - text) > sizeof pointer - 16)
    return tn_fail(e, TN_E_USAGE, "`set` needs NAME=VALUE, not '%.64s'", text);
  tn_format(pointer, sizeof pointer, "/constants/%.*s", (int)(equal - text), text);
  if (!tn_desc_has(d, pointer)) tn_format(pointer, sizeof pointer, "/parameters/%.*s", (int)(equal - text), text);
  if (!tn_desc_has(d, pointer))
    return tn_fail(e, TN_E_USAGE, "the model has no constant or parameter '%.*s' to set", (int)(equal - text), text);
  return set_value(d, pointer, equal + 1, e);
}

static bool is(const tn_setting *s, const char *name) { return strcmp(s->name, name) == 0; }

static tn_status unknown(const char *name, tn_error *e) {
  const char *known[PLACES + 1];
  for (int k = 0; k < PLACES; k++) known[k] = places[k].name;
  known[PLACES] = "set";
  const char *near = tn_nearest(name, PLACES + 1, known);
  tn_fail(e, TN_E_USAGE, "unknown setting '%.64s'", name);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_USAGE;
}

tn_status tn_desc_settings(tn_desc *d, int n, const tn_setting *setting, tn_error *e) {
  bool cleared = false;
  TN_NEED(e, d, "desc");
  TN_NEED(e, setting || n <= 0, "setting");
  tn_error_clear(e);
  for (int i = 0; i < n; i++) {
    TN_NEED(e, setting[i].name, "setting.name");
    TN_NEED(e, setting[i].value, "setting.value");
    int k = 0;
    while (k < PLACES && !is(&setting[i], places[k].name)) k++;
    if (k == PLACES && !is(&setting[i], "set")) return unknown(setting[i].name, e);
  }
  for (int k = 0; k < PLACES; k++)
    for (int i = 0; i < n; i++) {
      const place *p = &places[k];
      if (!is(&setting[i], p->name)) continue;
      for (int r = 0; r < 2; r++)
        if (p->replaces[r]) tn_desc_remove(d, p->replaces[r]);
      if (strcmp(p->name, "stabilize") == 0 && !cleared) {
        tn_desc_remove(d, "/run/stabilize");
        cleared = true;
      }
      const char *text = setting[i].value;
      tn_status status = p->as == PART    ? tn_desc_part(d, p->pointer, text, e)
                         : p->as == TRUTH ? set_truth(d, p, text, e)
                                          : set_value(d, p->pointer, text, e);
      if (status != TN_OK) return status;
    }
  for (int i = 0; i < n; i++)
    if (is(&setting[i], "set")) {
      tn_status status = set_constant(d, setting[i].value, e);
      if (status != TN_OK) return status;
    }
  return TN_OK;
}
