/* CSV: a line of names, then numbers with 17 digits, which read back as the same doubles. */
#include "record/record.h"

static int digits_of(double value, char text[40]) { return tn_format(text, 40, "%.17g", value); }

tn_status tn_csv_head(const tn_sim *s, tn_write write, void *user) {
  if (!write(user, "t", 1)) return TN_E_IO;
  for (int i = 0; i < s->m->columns; i++)
    if (!write(user, ",", 1) || !write(user, s->m->column[i], strlen(s->m->column[i]))) return TN_E_IO;
  return write(user, "\n", 1) ? TN_OK : TN_E_IO;
}

tn_status tn_csv_row(double t, int n, const double *values, tn_write write, void *user) {
  char text[40];
  if (!write(user, text, (size_t)digits_of(t, text))) return TN_E_IO;
  for (int i = 0; i < n; i++)
    if (!write(user, ",", 1) || !write(user, text, (size_t)digits_of(values[i], text))) return TN_E_IO;
  return write(user, "\n", 1) ? TN_OK : TN_E_IO;
}
