/* the JSON schema (draft-07) of model files, from the same tables that read them: what it refuses, the reader refuses too. to
 * the schema an expression is any text; whether it makes sense only the reader knows. */
#include <assert.h>
#include <stdio.h>

#include "model/model.h"

/* members of an object: of one table or several */
typedef struct tables {
  const tn_field *fields[3];
} tables;

static void object_members(tn_json *j, const tables *t, const char *type_name);

static void reference(tn_json *j, const char *name) {
  char text[64];
  tn_format(text, sizeof text, "#/definitions/%s", name);
  tn_json_text(j, "$ref", text);
}

static void list_of(tn_json *j, int least, int most) {
  tn_json_text(j, "type", "array");
  tn_json_whole(j, "minItems", least);
  if (most) tn_json_whole(j, "maxItems", most);
}

static void range(tn_json *j, const tn_field *f) {
  tn_json_open(j, "anyOf", "[");
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "type", f->kind == TN_INTEGER ? "integer" : "number");
  const bool any = f->kind == TN_INTEGER && !tn_field_has_range(f);
  if (f->lo == TN_POSITIVE)
    tn_json_whole(j, "exclusiveMinimum", 0);
  else if (!any && isfinite(f->lo))
    tn_json_real(j, "minimum", f->lo);
  if (!any && isfinite(f->hi)) tn_json_real(j, "maximum", f->hi);
  tn_json_close(j);
  tn_json_open(j, NULL, "{-");
  reference(j, "expression");
  tn_json_close(j);
  tn_json_close(j);
}

static void words(tn_json *j, const char *choices) {
  tn_json_open(j, "enum", "[-");
  for (const char *s = choices; *s;) {
    char word[64];
    const size_t n = strcspn(s, " ");
    tn_format(word, sizeof word, "%.*s", (int)n, s);
    tn_json_text(j, NULL, word);
    s += n + (s[n] == ' ');
  }
  tn_json_close(j);
}

static void short_or_long(tn_json *j, const tn_field *f);

/* ---- what may stand for a field, kind by kind ------------------------------------------------------------------------- */

static void one_reference(tn_json *j, const char *name) {
  tn_json_open(j, NULL, "{-");
  reference(j, name);
  tn_json_close(j);
}

/* the items of a list: what a definition says */
static void items(tn_json *j, const char *name) {
  tn_json_open(j, "items", "{-");
  reference(j, name);
  tn_json_close(j);
}

static void list_of_references(tn_json *j, int least, int most, const char *name) {
  tn_json_open(j, NULL, "{");
  list_of(j, least, most);
  items(j, name);
  tn_json_close(j);
}

static void any(tn_json *j, const tn_field *f) { (void)j, (void)f; }
static void number(tn_json *j, const tn_field *f) {
  if (tn_field_has_range(f))
    range(j, f);
  else
    reference(j, "number");
}
static void law(tn_json *j, const tn_field *f) {
  reference(j, f->kind == TN_RUNNING && f->n != 1 ? "vector" : "number");
}
static void vector(tn_json *j, const tn_field *f) { reference(j, f->kind == TN_VECTOR ? "vector" : "direction"); }
static void word(tn_json *j, const tn_field *f) { words(j, f->choices); }
static void flag(tn_json *j, const tn_field *f) { (void)f, tn_json_text(j, "type", "boolean"); }
static void text(tn_json *j, const tn_field *f) { (void)f, tn_json_text(j, "type", "string"); }
static void place(tn_json *j, const tn_field *f) { (void)f, reference(j, "place"); }
static void part(tn_json *j, const tn_field *f) { reference(j, f->choices); }

static void matrix(tn_json *j, const tn_field *f) { /* 3 in the plane, 6 in space */
  const int least = f->n ? f->n : 3, most = f->n ? f->n : 6;
  list_of(j, least, most);
  tn_json_open(j, "items", "{");
  tn_json_open(j, "anyOf", "[");
  one_reference(j, "number");
  list_of_references(j, least, most, "number");
  tn_json_close(j);
  tn_json_close(j);
}

static void names_of(tn_json *j, const tn_field *f) {
  tn_json_open(j, "anyOf", "[-");
  tn_json_open(j, NULL, "{");
  text(j, f);
  tn_json_close(j);
  tn_json_open(j, NULL, "{");
  list_of(j, 1, 0);
  tn_json_open(j, "items", "{");
  text(j, f);
  tn_json_close(j);
  tn_json_close(j);
  tn_json_close(j);
}

static void places(tn_json *j, const tn_field *f) {
  (void)f;
  list_of(j, 1, 2);
  tn_json_open(j, "items", "{");
  tn_json_open(j, "anyOf", "[");
  one_reference(j, "place");
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "type", "null");
  tn_json_close(j);
  tn_json_close(j);
  tn_json_close(j);
}

static void parts(tn_json *j, const tn_field *f) {
  tn_json_open(j, "anyOf", "[");
  one_reference(j, f->choices);
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "type", "array");
  items(j, f->choices);
  tn_json_close(j);
  tn_json_close(j);
}

static void list(tn_json *j, const tn_field *f) {
  list_of(j, f->n, f->n);
  tn_json_open(j, "items", "{");
  short_or_long(j, &f->inside[0]);
  tn_json_close(j);
}

static void inertia(tn_json *j, const tn_field *f) {
  (void)f;
  tn_json_open(j, "anyOf", "[");
  tn_json_open(j, NULL, "{");
  range(j, &(tn_field){.hi = INFINITY});
  tn_json_close(j);
  for (int n = 3; n <= 6; n += 3) list_of_references(j, n, n, "number");
  tn_json_close(j);
}

static void sizes(tn_json *j, const tn_field *f) {
  (void)f;
  tn_json_open(j, "anyOf", "[");
  one_reference(j, "number");
  list_of_references(j, 1, 0, "number");
  tn_json_close(j);
}

static void object(tn_json *j, const tn_field *f) { object_members(j, &(tables){{f->inside}}, NULL); }

static void shapes(tn_json *j, const tn_field *f) {
  tn_json_open(j, "anyOf", "[");
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "const", "none");
  tn_json_close(j);
  for (int many = 0; many < 2; many++) {
    tn_json_open(j, NULL, "{");
    if (many) list_of(j, 0, 0);
    if (many) tn_json_open(j, "items", "{");
    object(j, f);
    if (many) tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void acts(tn_json *j, const tn_field *f) {
  tn_json_open(j, "anyOf", "[");
  for (int many = 0; many < 2; many++) {
    if (many) {
      tn_json_open(j, NULL, "{");
      list_of(j, 0, 0);
      tn_json_open(j, "items", "{");
      tn_json_open(j, "anyOf", "[");
    }
    tn_json_open(j, NULL, "{-");
    words(j, f->choices);
    tn_json_close(j);
    tn_json_open(j, NULL, "{");
    object(j, f);
    tn_json_close(j);
  }
  for (int i = 0; i < 3; i++) tn_json_close(j);
  tn_json_close(j);
}

static void (*const by_kind[])(tn_json *j, const tn_field *f) = {
    [TN_NUMBER] = number,  [TN_INTEGER] = range, [TN_VECTOR] = vector, [TN_DIRECTION] = vector, [TN_WORD] = word,
    [TN_BOOLEAN] = flag,   [TN_TIME] = law,      [TN_MATRIX] = matrix, [TN_RUNNING] = law,      [TN_TEXT] = text,
    [TN_NAMES] = names_of, [TN_NAME] = text,     [TN_CHANNEL] = text,  [TN_PLACE] = place,      [TN_PLACES] = places,
    [TN_PART] = part,      [TN_PARTS] = parts,   [TN_LIST] = list,     [TN_OBJECT] = object,    [TN_INERTIA] = inertia,
    [TN_SIZES] = sizes,    [TN_SHAPES] = shapes, [TN_ACTS] = acts,     [TN_ANY] = any};

/* the short form of a field: what may stand there, without its long form as an object */
static void plain(tn_json *j, const tn_field *f) {
  assert(f->kind <= TN_ANY && by_kind[f->kind]);
  by_kind[f->kind](j, f);
}

static bool has_long_form(const tn_field *f) {
  return f->inside && f->kind != TN_LIST && f->kind != TN_OBJECT && f->kind != TN_SHAPES && f->kind != TN_ACTS;
}

static void short_or_long(tn_json *j, const tn_field *f) {
  if (!has_long_form(f)) {
    plain(j, f);
    return;
  }
  tn_json_open(j, "anyOf", "[");
  tn_json_open(j, NULL, "{");
  plain(j, f);
  tn_json_close(j);
  tn_json_open(j, NULL, "{");
  object_members(j, &(tables){{f->inside}}, NULL);
  tn_json_close(j);
  tn_json_close(j);
}

static void value(tn_json *j, const char *key, const tn_field *f) {
  char doc[256];
  tn_json_open(j, key, "{");
  if (f->doc) {
    tn_format(doc, sizeof doc, "%s%s%s", f->doc, f->unit ? "; " : "", f->unit ? f->unit : "");
    tn_json_text(j, "description", doc);
  }
  if (has_long_form(f)) {
    short_or_long(j, f);
  } else if (f->doc && (f->kind == TN_PART || f->kind == TN_VECTOR || f->kind == TN_DIRECTION || f->kind == TN_PLACE ||
                        f->kind == TN_TIME || f->kind == TN_RUNNING || f->kind == TN_NUMBER || f->kind == TN_INTEGER)) {
    /* what stands beside a $ref is not read in draft-07 */
    tn_json_open(j, "allOf", "[");
    tn_json_open(j, NULL, "{");
    plain(j, f);
    tn_json_close(j);
    tn_json_close(j);
  } else {
    plain(j, f);
  }
  tn_json_close(j);
}

/* an object with the members of the tables and none besides; type_name: the one word that `type` may be */
static void object_members(tn_json *j, const tables *t, const char *type_name) {
  const tn_field *other = NULL;
  tn_json_text(j, "type", "object");
  tn_json_open(j, "properties", "{");
  for (int k = 0; k < 3; k++)
    for (const tn_field *f = t->fields[k]; f && f->key; f++) {
      if (strcmp(f->key, "*") == 0) {
        other = f;
      } else if (type_name && strcmp(f->key, "type") == 0) {
        tn_json_open(j, "type", "{-");
        tn_json_text(j, "const", type_name);
        tn_json_close(j);
      } else {
        value(j, f->key, f);
      }
    }
  tn_json_close(j);
  bool any = false;
  for (int k = 0; k < 3; k++)
    for (const tn_field *f = t->fields[k]; f && f->key; f++) any = any || f->required;
  if (any) {
    tn_json_open(j, "required", "[-");
    for (int k = 0; k < 3; k++)
      for (const tn_field *f = t->fields[k]; f && f->key; f++)
        if (f->required) tn_json_text(j, NULL, f->key);
    tn_json_close(j);
  }
  /* keys that are the user's own */
  tn_json_open(j, "patternProperties", "{");
  tn_json_open(j, "^x-", "{-");
  tn_json_close(j);
  tn_json_close(j);
  if (other) {
    tn_json_open(j, "propertyNames", "{-");
    tn_json_text(j, "pattern", "^(x-.*|(?![0-9])([A-Za-z0-9_.]|\\{[^{}]*\\})+)$");
    tn_json_close(j);
    value(j, "additionalProperties", other);
  } else {
    tn_json_bool(j, "additionalProperties", false);
  }
}

/* what may stand beside the fields of a joint or force of its own */
static tables members_of(tn_registry kind, const void *type, tn_field *room) {
  tables t = {{NULL}};
  if (kind == TN_JOINTS) {
    const tn_joint_type *joint = type;
    int n = 0;
    for (const tn_field *f = tn_joint_common(joint); f->key; f++) {
      const bool direction = tn_is_direction(f->key);
      if (direction && !tn_joint_takes(joint, 2, f->key) && !tn_joint_takes(joint, 3, f->key)) continue;
      room[n] = *f;
      if (direction)
        room[n].required = (!joint->plane.there || tn_joint_needs(joint, 2, f->key)) &&
                           (!joint->space.there || tn_joint_needs(joint, 3, f->key));
      n++;
    }
    room[n].key = NULL;
    t = (tables){{room, joint->fields, joint->fields_space}};
  } else if (kind == TN_FORCES) {
    const tn_force_type *force = type;
    const bool on = force->takes & (TN_ON_BODY | TN_ON_CHANNEL), between = force->takes & TN_BETWEEN,
               at_point = force->takes & TN_AT_POINT, shared = force->takes & TN_SHARED;
    int n = 0;
    for (const tn_field *f = tn_force_fields; f->key; f++) {
      if (strcmp(f->key, "on") == 0 && !on) continue;
      if ((strcmp(f->key, "between") == 0 || strcmp(f->key, "on_bodies") == 0) && !between) continue;
      if (strcmp(f->key, "on_body") == 0 && !at_point) continue;
      if (strcmp(f->key, "at") == 0 && !at_point && !between) continue;
      if (strcmp(f->key, "axis") == 0 && !shared) continue;
      room[n] = *f;
      if (strcmp(f->key, "at") == 0 && between && !shared) room[n].kind = TN_PLACES;
      if (strcmp(f->key, "on") == 0 && !between && !(force->takes & TN_ON_NOTHING)) room[n].required = true;
      if (strcmp(f->key, "between") == 0 && !on) room[n].required = true;
      n++;
    }
    room[n].key = NULL;
    t = (tables){{room, force->fields, force->fields_space}};
  } else if (kind == TN_COORDINATES) {
    const tn_body_type *body = type;
    t = (tables){{body->on_parent ? tn_swing_fields : tn_part_fields, body->fields}};
  } else if (kind == TN_FORMULATIONS) {
    t = (tables){{tn_part_fields, ((const tn_formulation_type *)type)->fields}};
  } else if (kind == TN_STABILIZERS) {
    t = (tables){{tn_part_fields, ((const tn_stabilizer_type *)type)->fields}};
  } else if (kind == TN_INTEGRATORS) {
    t = (tables){{tn_integrator_fields}};
  }
  return t;
}

static void names(tn_json *j, tn_registry kind) {
  const void *type;
  tn_json_open(j, "enum", "[-");
  for (int i = 0; (type = tn_registry_type(NULL, kind, i)); i++) tn_json_text(j, NULL, tn_type_name(type));
  tn_json_close(j);
}

/* coordinates with parameters as one word, `type:key=value,key=value` */
static void coordinates_in_a_word(tn_json *j) {
  const tn_body_type *type;
  for (int i = 0; (type = tn_registry_type(NULL, TN_COORDINATES, i)); i++) {
    char keys[256] = "", pattern[768];
    if (!type->fields) continue;
    for (const tn_field *f = type->fields; f->key; f++) {
      const size_t used = strlen(keys);
      snprintf(keys + used, sizeof keys - used, "%s%s", used ? "|" : "", f->key);
    }
    snprintf(pattern, sizeof pattern, "^%s:(%s)=[^,=]+(,(%s)=[^,=]+)*$", type->name, keys, keys);
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "type", "string");
    tn_json_text(j, "pattern", pattern);
    tn_json_close(j);
  }
}

/* one of a registry: an object whose `type` says which, and where a word suffices that word */
static void registry(tn_json *j, tn_registry kind) {
  const bool word = kind != TN_JOINTS && kind != TN_FORCES, bare = kind == TN_METHODS;
  tn_field room[24];
  const void *type;
  tn_json_open(j, tn_registry_kinds[kind], "{");
  if (bare) {
    names(j, kind);
    tn_json_close(j);
    return;
  }
  if (word) {
    tn_json_open(j, "anyOf", "[");
    tn_json_open(j, NULL, "{");
    names(j, kind);
    tn_json_close(j);
    if (kind == TN_COORDINATES) coordinates_in_a_word(j);
    tn_json_open(j, NULL, "{");
  }
  tn_json_text(j, "type", "object");
  tn_json_open(j, "properties", "{");
  tn_json_open(j, "type", "{");
  names(j, kind);
  tn_json_close(j);
  tn_json_close(j);
  if (kind != TN_INTEGRATORS) {
    tn_json_open(j, "required", "[-");
    tn_json_text(j, NULL, "type");
    tn_json_close(j);
  }
  tn_json_open(j, "allOf", "[");
  for (int i = 0; (type = tn_registry_type(NULL, kind, i)); i++) {
    const tables t = members_of(kind, type, room);
    tn_json_open(j, NULL, "{");
    tn_json_open(j, "if", "{-");
    tn_json_open(j, "properties", "{");
    tn_json_open(j, "type", "{");
    tn_json_text(j, "const", tn_type_name(type));
    tn_json_close(j);
    tn_json_close(j);
    tn_json_open(j, "required", "[");
    tn_json_text(j, NULL, "type");
    tn_json_close(j);
    tn_json_close(j);
    tn_json_open(j, "then", "{");
    object_members(j, &t, tn_type_name(type));
    tn_json_close(j);
    tn_json_close(j);
  }
  if (kind == TN_INTEGRATORS) { /* whose type may be left out */
    const tables t = {{tn_integrator_fields}};
    tn_json_open(j, NULL, "{");
    object_members(j, &t, NULL);
    tn_json_close(j);
  }
  tn_json_close(j);
  if (word) {
    tn_json_close(j);
    tn_json_close(j);
  }
  tn_json_close(j);
}

static void simple(tn_json *j) {
  tn_json_open(j, "expression", "{-");
  tn_json_text(j, "type", "string");
  tn_json_whole(j, "minLength", 1);
  tn_json_close(j);
  tn_json_open(j, "number", "{");
  tn_json_open(j, "anyOf", "[-");
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "type", "number");
  tn_json_close(j);
  tn_json_open(j, NULL, "{");
  reference(j, "expression");
  tn_json_close(j);
  tn_json_close(j);
  tn_json_close(j);
  tn_json_open(j, "vector", "{");
  list_of(j, 2, 3);
  tn_json_open(j, "items", "{-");
  reference(j, "number");
  tn_json_close(j);
  tn_json_close(j);
  for (int k = 0; k < 2; k++) {
    tn_json_open(j, k ? "place" : "direction", "{");
    tn_json_open(j, "anyOf", "[-");
    tn_json_open(j, NULL, "{");
    if (k)
      tn_json_text(j, "type", "string");
    else
      words(j, "x y z -x -y -z");
    tn_json_close(j);
    tn_json_open(j, NULL, "{");
    reference(j, "vector");
    tn_json_close(j);
    tn_json_close(j);
    tn_json_close(j);
  }
}

tn_status tn_schema_print(tn_write write, void *user) {
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "$schema", "http://json-schema.org/draft-07/schema#");
  tn_json_text(j, "title", "Tenon model, format 1");
  object_members(j, &(tables){{tn_top_fields}}, NULL);
  tn_json_open(j, "definitions", "{");
  simple(j);
  for (int k = 0; k < TN_REGISTRIES; k++) registry(j, (tn_registry)k);
  tn_json_close(j);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}
