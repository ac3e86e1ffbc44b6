/* CSV: a line of names, then numbers with 17 digits, which read back as the same doubles. */
#include "record/record.h"

/* spreadsheets treat a text that begins like this as a formula, and some execute it */
static bool is_formula(const char *text) { return *text && strchr("=+-@\t\r", *text); }

bool tn_csv_text(const char *text, bool quotes, tn_write write, void *user) {
  const size_t n = strlen(text);
  const bool formula = is_formula(text);
  bool good = true;
  quotes = quotes || formula || strpbrk(text, ",\"\n\r") || *text == ' ';
  if (quotes) good = write(user, formula ? "\"'" : "\"", formula ? 2 : 1);
  for (size_t i = 0; i < n && good;) {
    char escape[8];
    const int bytes = tn_escape(text + i, n - i, escape);
    if (*escape)
      good = write(user, escape, strlen(escape));
    else
      good = (text[i] != '"' || write(user, "\"", 1)) && write(user, text + i, (size_t)bytes);
    i += (size_t)bytes;
  }
  return good && (!quotes || write(user, "\"", 1));
}

static int digits_of(double value, char text[40]) { return tn_format(text, 40, "%.17g", value); }

tn_status tn_csv_head(const tn_sim *s, tn_write write, void *user) {
  TN_NEED(NULL, s, "sim");
  TN_NEED(NULL, write, "write");
  if (!write(user, "t", 1)) return TN_E_IO;
  for (int i = 0; i < s->m->columns; i++)
    if (!write(user, ",", 1) || !tn_csv_text(s->m->column[i], false, write, user)) return TN_E_IO;
  return write(user, "\n", 1) ? TN_OK : TN_E_IO;
}

tn_status tn_csv_row(double t, int n, const double *values, tn_write write, void *user) {
  TN_NEED(NULL, values || n <= 0, "values");
  TN_NEED(NULL, write, "write");
  char text[40];
  if (!write(user, text, (size_t)digits_of(t, text))) return TN_E_IO;
  for (int i = 0; i < n; i++)
    if (!write(user, ",", 1) || !write(user, text, (size_t)digits_of(values[i], text))) return TN_E_IO;
  return write(user, "\n", 1) ? TN_OK : TN_E_IO;
}
