/* types with their fields, channels and examples: for people, and as the reference in Markdown. all of it from the tables. */
#include "report/report.h"

typedef struct entry {
  const char *name, *doc, *example, *source;
  const tn_field *fields, *common;
  const tn_coordinate *coordinates;
  /* joints, forces, coordinates */
  bool plane, space;
  const tn_field *fields_space;
  const char *example_space;
  const tn_chart *chart;
} entry;

static entry entry_of(tn_registry kind, const void *type) {
  entry e;
  switch (kind) {
  case TN_JOINTS: {
    const tn_joint_type *t = type;
    e = (entry){.name = t->name,
                .doc = t->doc,
                .example = t->example,
                .fields = t->fields,
                .common = tn_joint_common(t),
                .coordinates = t->coordinates};
    e.fields_space = t->fields_space;
    e.example_space = t->example_space;
    e.plane = t->plane.there;
    e.space = t->space.there;
    break;
  }
  case TN_FORCES: {
    const tn_force_type *t = type;
    e = (entry){.name = t->name, .doc = t->doc, .example = t->example, .fields = t->fields, .common = tn_force_fields};
    e.fields_space = t->fields_space;
    e.example_space = t->example_space;
    e.plane = t->plane != NULL;
    e.space = t->space != NULL;
    break;
  }
  case TN_COORDINATES: {
    const tn_body_type *t = type;
    e = (entry){.name = t->name, .doc = t->doc, .example = t->example, .common = t->on_parent ? tn_swing_fields : NULL};
    e.fields = t->fields;
    e.example_space = t->example_space;
    e.plane = t->plane.n > 0;
    e.space = t->space.nq > 0;
    e.chart = t->space.chart;
    e.coordinates = e.space ? t->space.coordinates : t->plane.coordinates;
    break;
  }
  case TN_FORMULATIONS: {
    const tn_formulation_type *t = type;
    e = (entry){.name = t->name, .doc = t->doc, .example = t->example, .source = t->source, .fields = t->fields};
    break;
  }
  case TN_STABILIZERS: {
    const tn_stabilizer_type *t = type;
    e = (entry){.name = t->name, .doc = t->doc, .example = t->example, .source = t->source, .fields = t->fields};
    break;
  }
  case TN_INTEGRATORS: {
    const tn_integrator_type *t = type;
    e = (entry){.name = t->name,
                .doc = t->doc,
                .example = t->example,
                .source = t->source,
                .fields = t->fields,
                .common = tn_integrator_fields};
    break;
  }
  default: {
    const tn_method *t = type;
    e = (entry){.name = t->name, .doc = t->doc, .example = t->example, .source = t->source};
    break;
  }
  }
  return e;
}

static const char *kind_word(const tn_field *f) {
  switch (f->kind) {
  case TN_NUMBER: return "number";
  case TN_INTEGER: return "integer";
  case TN_VECTOR: return f->n == 2 ? "two numbers" : f->n == 3 ? "three numbers" : "vector";
  case TN_DIRECTION: return "direction";
  case TN_INERTIA: return "number, or list of 3 or 6";
  case TN_MATRIX: return "list of numbers, or symmetric matrix";
  case TN_ANY: return "as described";
  case TN_WORD: return "word";
  case TN_BOOLEAN: return "true or false";
  case TN_TIME: return "number or f(t)";
  case TN_RUNNING: return f->n != 1 ? "list of running expressions" : "running expression";
  case TN_TEXT: return "text";
  case TN_NAMES: return "names";
  case TN_NAME: return "body";
  case TN_CHANNEL: return "channel";
  case TN_PLACE: return "place";
  case TN_PLACES: return "two places";
  case TN_PART: return "part";
  case TN_PARTS: return "part or list of parts";
  case TN_LIST: return "list";
  case TN_OBJECT: return "object";
  case TN_SIZES: return "number, or list of numbers";
  case TN_SHAPES: return "`none`, shape or list of shapes";
  case TN_ACTS: return "`stop`, `record`, {\"set\": ..}, {\"on\": ..}, {\"off\": ..}, or a list of these";
  }
  return "";
}

/* a field of the common table that this type does not take */
static bool left_out(tn_registry kind, const void *type, const tn_field *f) {
  if (strcmp(f->key, "type") == 0 || strcmp(f->key, "repeat") == 0) return true;
  if (kind == TN_JOINTS)
    return tn_is_direction(f->key) && !tn_joint_takes(type, 2, f->key) && !tn_joint_takes(type, 3, f->key);
  if (kind == TN_FORCES) {
    const unsigned takes = ((const tn_force_type *)type)->takes;
    if (strcmp(f->key, "on") == 0) return !(takes & (TN_ON_BODY | TN_ON_CHANNEL));
    if (strcmp(f->key, "on_body") == 0) return !(takes & TN_AT_POINT);
    if (strcmp(f->key, "at") == 0) return !(takes & (TN_AT_POINT | TN_BETWEEN));
    if (strcmp(f->key, "axis") == 0) return !(takes & TN_SHARED);
    if (strcmp(f->key, "between") == 0 || strcmp(f->key, "on_bodies") == 0) return !(takes & TN_BETWEEN);
  }
  if (kind == TN_INTEGRATORS) {
    const tn_integrator_type *t = type;
    return strcmp(f->key, "step") == 0 ? !t->fixed : !t->adaptive;
  }
  return false;
}

static void field_line(tn_printer *p, const tn_field *f, bool markdown) {
  char range[96] = "", unit[64] = "";
  if (f->unit && *f->unit) tn_format(unit, sizeof unit, ", %s", f->unit);
  if (f->kind == TN_WORD) tn_format(range, sizeof range, ": %s", f->choices);
  if (f->kind == TN_NUMBER || f->kind == TN_INTEGER) tn_field_range_text(f, range, sizeof range);
  if (markdown)
    tn_put(p, "| `%s` | %s%s%s | %s%s |\n", f->key, kind_word(f), range, unit, f->doc ? f->doc : "",
           f->required ? "; required" : "");
  else
    tn_put(p, "  %-12s %s%s%s: %s%s\n", f->key, kind_word(f), range, unit, f->doc ? f->doc : "",
           f->required ? "; required" : "");
}

static void write_fields(tn_printer *p, tn_registry kind, const void *type, const entry *e, bool markdown) {
  bool head = false;
  const tn_field *const tables[] = {e->common, e->fields, e->fields_space};
  for (int k = 0; k < 3; k++)
    for (const tn_field *f = tables[k]; f && f->key; f++) {
      if (k == 0 && left_out(kind, type, f)) continue;
      if (!head) tn_put(p, markdown ? "\n| field | takes | meaning |\n|---|---|---|\n" : "fields:\n");
      head = true;
      tn_field shown = *f;
      char doc[320];
      if (k == 2 && e->plane && f->doc) {
        tn_format(doc, sizeof doc, "space: %s", f->doc);
        shown.doc = doc;
      }
      if (kind == TN_JOINTS && k == 0 && tn_is_direction(f->key)) {
        const bool in[2] = {tn_joint_takes(type, 2, f->key), tn_joint_takes(type, 3, f->key)};
        if (e->plane && e->space && in[0] != in[1]) {
          tn_format(doc, sizeof doc, "%s: %s", in[0] ? "plane" : "space", f->doc);
          shown.doc = doc;
        }
        shown.required = (in[0] || in[1]) && (!in[0] || tn_joint_needs(type, 2, f->key)) &&
                         (!in[1] || tn_joint_needs(type, 3, f->key));
      }
      if (kind == TN_FORCES && k == 0 && strcmp(f->key, "on") == 0) {
        const unsigned takes = ((const tn_force_type *)type)->takes;
        if (!(takes & TN_ON_CHANNEL)) shown.kind = TN_NAME, shown.doc = "the body it acts on";
        if (!(takes & TN_ON_BODY)) shown.doc = "the coordinate channel it acts on";
      }
      if (kind == TN_FORCES && k == 0 && ((const tn_force_type *)type)->takes & TN_SHARED) {
        if (strcmp(f->key, "between") == 0) shown.required = true;
        if (strcmp(f->key, "at") == 0) shown.doc = "its place, in the world at the given pose";
        if (strcmp(f->key, "on_bodies") == 0) shown.doc = "its place in the axes of each of the two";
      } else if (kind == TN_FORCES && k == 0 && strcmp(f->key, "at") == 0 &&
                 ((const tn_force_type *)type)->takes & TN_BETWEEN) {
        shown.kind = TN_PLACES;
        shown.doc = "two places, in the world at the given pose; that of a particle may be left out";
      }
      field_line(p, &shown, markdown);
    }
}

static void write_channels(tn_printer *p, const tn_coordinate *c, bool markdown) {
  if (!c || !c->name) return;
  tn_put(p, markdown ? "\nCoordinates and rates:" : "coordinates and rates:");
  for (; c->name; c++)
    tn_put(p, markdown ? " `%s`, `%s` (%s)%s" : " %s, %s (%s)%s", c->name, c->rate,
           c->unit == TN_ANGLE   ? "rad, rad/s"
           : c->unit == TN_RATIO ? "1, 1/s"
                                 : "m, m/s",
           c[1].name ? ";" : "");
  tn_put(p, markdown ? ".\n" : "\n");
}

static void put_lines(tn_printer *p, const char *text) {
  for (; *text; text += strcspn(text, "\n"), text += *text == '\n') tn_put(p, "%.*s\n", (int)strcspn(text, "\n"), text);
}

/* quotes that do not have to be escaped in C */
static void requote(tn_printer *p, const char *text, const char *indent) {
  tn_put(p, "%s", indent);
  for (; *text; text++) {
    tn_put(p, "%c", *text == '\'' ? '"' : *text);
    if (*text == '\n') tn_put(p, "%s", indent);
  }
}

static void write_model(tn_printer *p, const char *text, int dimension, bool markdown) {
  tn_put(p,
         markdown ? "\n```jsonc\n{\n  \"tenon\": 1, \"dimension\": %d,\n"
                  : "example:\n{\n  \"tenon\": 1, \"dimension\": %d,\n",
         dimension);
  requote(p, text, "  ");
  tn_put(p, markdown ? "\n}\n```\n" : "\n}\n");
}

static void write_example(tn_printer *p, tn_registry kind, const entry *e, bool markdown) {
  if (kind <= TN_COORDINATES) {
    if (e->example) write_model(p, e->example, e->plane ? 2 : 3, markdown);
    if (e->example_space) write_model(p, e->example_space, 3, markdown);
  } else if (e->example) {
    tn_put(p, markdown ? "\n```sh\n" : "example:\n");
    tn_put(p, "tenon run models/pendulum.json --until 1 %s", e->example);
    tn_put(p, markdown ? "\n```\n" : "\n");
  }
}

/* names of coordinates whose rates are not the speeds */
static void write_chart(tn_printer *p, const tn_chart *c, bool markdown) {
  if (!c) return;
  tn_put(p, markdown ? "\nCoordinates:" : "coordinates:");
  for (int i = 0; i < c->nq; i++) tn_put(p, markdown ? " `%s`" : " %s", c->q_name[i]);
  tn_put(p, markdown ? "; speeds:" : "; speeds:");
  for (int i = 0; i < c->nu; i++) tn_put(p, markdown ? " `%s`" : " %s", c->u_name[i]);
  tn_put(p, markdown ? ".\n" : "\n");
}

/* of a force, beside those that all have */
static void write_signals(tn_printer *p, const tn_signal *s, bool markdown) {
  if (!s || !s->name) return;
  tn_put(p, markdown ? "\nChannels:" : "channels:");
  for (const char *comma = ""; s->name; s++, comma = ",") {
    tn_put(p, markdown ? "%s `%s`" : "%s %s", comma, s->name);
    if (s->unit) tn_put(p, " (%s)", s->unit);
  }
  tn_put(p, markdown ? ".\n" : "\n");
}

static void write_entry(tn_printer *p, tn_registry kind, const void *type, bool markdown) {
  const entry e = entry_of(kind, type);
  if (markdown)
    tn_put(p, "\n### %s `%s`\n\n%s.", tn_registry_kinds[kind], e.name, e.doc);
  else
    tn_put(p, "%s %s: %s\n", tn_registry_kinds[kind], e.name, e.doc);
  if (kind <= TN_COORDINATES && e.plane != e.space)
    tn_put(p, markdown ? " In %s only." : "in %s only\n", e.plane ? "the plane" : "space");
  if (e.source && *e.source) tn_put(p, markdown ? " Source: %s." : "source: %s\n", e.source);
  if (markdown) tn_put(p, "\n");
  if (kind == TN_METHODS) {
    const tn_method *m = type;
    tn_put(p, markdown ? "\nStands for `--formulation %s" : "stands for --formulation %s", m->formulation);
    for (const char *s = m->stabilizer; *s;) { /* separated by blanks */
      const int n = (int)strcspn(s, " ");
      tn_put(p, " --stabilize %.*s", n, s);
      s += n + (s[n] == ' ');
    }
    tn_put(p, markdown ? "`.\n" : "\n");
    if (markdown) tn_put(p, "\n```text\n");
    put_lines(p, m->text);
    if (markdown) tn_put(p, "```\n");
  }
  write_fields(p, kind, type, &e, markdown);
  write_channels(p, e.coordinates, markdown);
  if (kind == TN_FORCES) write_signals(p, ((const tn_force_type *)type)->signals, markdown);
  write_chart(p, e.chart, markdown);
  write_example(p, kind, &e, markdown);
}

tn_status tn_list_print(const char *kind, const char *name, bool markdown, tn_write write, void *user,
                        tn_error *error) {
  TN_NEED(error, write, "write");
  tn_printer printer = {write, user, false}, *p = &printer;
  bool known_kind = !kind;
  tn_error_clear(error);
  const char *known[256];
  int n = 0;
  for (int k = 0; k < TN_REGISTRIES; k++) {
    const void *type;
    if (kind && strcmp(kind, tn_registry_kinds[k]) != 0) continue;
    known_kind = true;
    if (!name && markdown) tn_put(p, k ? "\n## %s\n" : "## %s\n", tn_registry_kinds[k]);
    if (!name && !markdown && !kind) tn_put(p, k ? "\n%s:\n" : "%s:\n", tn_registry_kinds[k]);
    for (int i = 0; (type = tn_registry_type(NULL, (tn_registry)k, i)); i++) {
      if (n < 256) known[n++] = tn_type_name(type);
      if (name && strcmp(name, tn_type_name(type)) != 0) continue;
      if (name || markdown)
        write_entry(p, (tn_registry)k, type, markdown);
      else
        tn_put(p, "  %-21s %s\n", tn_type_name(type), entry_of((tn_registry)k, type).doc);
      if (name) return p->failed ? tn_fail(error, TN_E_IO, "the list could not be written") : TN_OK;
    }
  }
  if (p->failed) return tn_fail(error, TN_E_IO, "the list could not be written");
  if (known_kind && !name) return TN_OK;
  const char *near = known_kind ? tn_nearest(name, n, known) : tn_nearest(kind, TN_REGISTRIES, tn_registry_kinds);
  if (known_kind)
    tn_fail(error, TN_E_USAGE, "there is no %s '%s'", kind ? kind : "type", name);
  else
    tn_fail(error, TN_E_USAGE, "unknown kind '%s'", kind);
  if (near) tn_hint(error, "did you mean '%s'?", near);
  return TN_E_USAGE;
}
