/* tolerances in the words of study files. */
#include "study/study.h"

typedef struct form {
  const char *word;
  bool number;
} form;
static const form forms[] = {{"rel ", true},     {"abs ", true},         {"factor ", true},
                             {"at most ", true}, {"at least ", true},    {"exact count", false},
                             {"exact", false},   {"qualitative", false}, {NULL, false}};

static const form *form_of(const char *text, double *number) {
  for (const form *f = forms; f->word; f++) {
    const size_t n = strlen(f->word);
    if (strncmp(text, f->word, n) != 0) continue;
    if (!f->number && text[n]) continue;
    if (f->number &&
        (!tn_json_number(text + n, strlen(text + n), number) || (*number < 0 && strncmp(f->word, "at ", 3) != 0)))
      continue;
    if (strcmp(f->word, "factor ") == 0 && *number < 1) continue;
    return f;
  }
  return NULL;
}

bool tn_tolerance_reads(const char *text) {
  double number;
  return form_of(text, &number) != NULL;
}

bool tn_tolerance_needs_value(const char *text) {
  double number;
  const form *f = form_of(text, &number);
  return f && strncmp(f->word, "at ", 3) != 0 && strcmp(f->word, "qualitative") != 0;
}

bool tn_within(const char *tolerance, double value, double expected) {
  double x = 0;
  const form *f = form_of(tolerance, &x);
  if (!f) return false;
  if (strcmp(f->word, "qualitative") == 0) /* finite or not, as it was */
    return isnan(expected) || isfinite(value) == isfinite(expected);
  if (isnan(value)) return false;
  if (strcmp(f->word, "at most ") == 0) return value <= x;
  if (strcmp(f->word, "at least ") == 0) return value >= x;
  if (isinf(expected) || isinf(value)) return value == expected;
  if (strcmp(f->word, "rel ") == 0) return fabs(value - expected) <= x * fabs(expected);
  if (strcmp(f->word, "abs ") == 0) return fabs(value - expected) <= x;
  if (strcmp(f->word, "factor ") == 0)
    return value * expected > 0 && fabs(value) <= x * fabs(expected) && fabs(expected) <= x * fabs(value);
  return value == expected;
}
