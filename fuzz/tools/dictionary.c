/* a dictionary for libFuzzer: every word that means something, from the registries of types and their tables, and the
 * words and signs of JSON, of the model file and of expressions.
 * SPDX-License-Identifier: MIT
 *
 *   fuzz-dictionary [json | expr]      all of them by default */
#include "base/expr.h"
#include "model/model.h"

#include <stdio.h>

static void entry(const char *before, const char *word, size_t n, const char *after) {
  const char *const pieces[] = {before, word, after};
  const size_t sizes[] = {strlen(before), n, strlen(after)};
  putchar('"');
  for (int k = 0; k < 3; k++)
    for (size_t i = 0; i < sizes[k]; i++) {
      const unsigned char c = (unsigned char)pieces[k][i];
      if (c == '"' || c == '\\')
        printf("\\%c", c);
      else if (c < 0x20 || c >= 0x7f)
        printf("\\x%02x", c);
      else
        putchar(c);
    }
  puts("\"");
}

/* words separated by blanks, each between two pieces of text */
static void entries(const char *before, const char *words, const char *after) {
  while (words && *words) {
    const size_t n = strcspn(words, " ");
    if (n) entry(before, words, n, after);
    words += n + (words[n] == ' ');
  }
}

static void key(const char *word) { entry("\"", word, strlen(word), "\":"); }

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json(void) {
  entries("", "{ } [ ] : , {} [] null true false // //\n /**/ \" \"\" ' -0 0.1 -1.5e+3 1e308 1e999 1e-400 NaN Infinity",
          "");
  entries("\\", "\" \\ / b f n r t u0000 u0041 ud834\\udd1e ud800 udc00 uffff", "");
  entries("", "\xc3\xa4 \xe2\x82\xac \xf0\x9d\x84\x9e \xed\xa0\x80 \xef\xbb\xbf \xff \x7f", "");
  entries("", "[[[[[[[[[[[[[[[[ ]]]]]]]]]]]]]]]]", "");
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static bool expressions(void) {
  static const char *const functions[] = {
      "sin",  "cos",   "tan",  "asin",  "acos",   "atan",     "atan2",    "sqrt",         "exp",   "log",      "abs",
      "sign", "mod",   "min",  "max",   "if",     "step",     "table",    "dot",          "cross", "norm",     "in",
      "dist", "omega", "axis", "force", "torque", "position", "velocity", "acceleration", "det",   "sigma_min"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    entry("", functions[i], strlen(functions[i]), "(");
    if (tn_expr_is_function(functions[i])) continue;
    fprintf(stderr, "'%s' is no function\n", functions[i]);
    return false;
  }
  entries("", "pi deg rpm mm ms g0 t and or not + - * / ^ ( ) [ ] , .x .y .z < <= > >= == !=", "");
  entries("", "1e308 1e-308 0.5 ** && || % ? {i}", "");
  return true;
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* keys, and the words that one may choose from */
static void fields(const tn_field *f) {
  for (; f && f->key; f++) {
    key(f->key);
    entries("\"", f->choices, "\"");
  }
}

static void coordinates(const tn_coordinate *c) {
  for (; c && c->name; c++) {
    entry(".", c->name, strlen(c->name), "");
    entry(".", c->rate, strlen(c->rate), "");
  }
}

static void chart(const tn_chart *c) {
  for (int i = 0; c && i < c->nq; i++) entry(".", c->q_name[i], strlen(c->q_name[i]), "");
  for (int i = 0; c && i < c->nu; i++) entry(".", c->u_name[i], strlen(c->u_name[i]), "");
}

static void models(void) {
  static const char *const kinds[] = {"joint",      "force",      "coordinates", "formulation",
                                      "stabilizer", "integrator", "method"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int i = 0; tn_list_name(kinds[k], i); i++)
      entry("\"", tn_list_name(kinds[k], i), strlen(tn_list_name(kinds[k], i)), "\"");
  for (int i = 0; i < tn_joint_type_count; i++) {
    fields(tn_joint_types[i]->fields);
    coordinates(tn_joint_types[i]->coordinates);
  }
  for (int i = 0; i < tn_force_type_count; i++) {
    fields(tn_force_types[i]->fields);
    fields(tn_force_types[i]->fields_space);
  }
  for (int i = 0; i < tn_body_type_count; i++) {
    coordinates(tn_body_types[i]->plane.coordinates);
    coordinates(tn_body_types[i]->space.coordinates);
    chart(tn_body_types[i]->space.chart);
  }
  for (int i = 0; i < tn_formulation_type_count; i++) fields(tn_formulation_types[i]->fields);
  for (int i = 0; i < tn_stabilizer_type_count; i++) fields(tn_stabilizer_types[i]->fields);

  entries("\"",
          "tenon dimension title constants tables gravity points coordinates body_coordinates bodies joints forces",
          "\":");
  entries("\"", "rods start outputs run include parts mass inertia center position angle rod lumps parent at on_body",
          "\":");
  entries("\"", "quaternion axis_angle euler axes box cylinder sphere section radius density carrier normal", "\":");
  entries("\"", "axis_on_bodies cut", "\":");
  entries("\"", "on_bodies between axis on repeat type value guess keep mode until every method formulation stabilize",
          "\":");
  entries("\"", "integrator step rtol atol max_step contract velocity breach x-note", "\":");
  entries("\"", "ground world absolute relative assemble as-given stop record x y z -x -y -z zxz xyz i=1..3 i=0..N",
          "\"");
  entries(".", "angle ax ay accel fx fy t sfx sfy st load violation power energy", "");
  entries(".", "vz wx wy wz w1 w2 w3 az alx aly alz fz tx ty tz sfz stx sty stz cx cy cz orientation", "");
  entries("energy.", "kinetic potential total force driver stabilizer balance dissipated", "");
}

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "";
  const bool is_json = strcmp(which, "json") == 0, is_expr = strcmp(which, "expr") == 0;
  if (argc > 2 || (*which && !is_json && !is_expr)) {
    fputs("usage: fuzz-dictionary [json | expr]\n", stderr);
    return 1;
  }
  if (!is_expr) json();
  if (!is_json && !expressions()) return 1;
  if (!is_json && !is_expr) models();
  return fflush(stdout) == 0 ? 0 : 1;
}
