/* npy: a group of channels as an array of NumPy (format 1.0): magic, version, u16 size of a head that is a Python literal padded
 * so that the data begin at a multiple of 64, then doubles, little endian, row by row. */
#include "record/record.h"

typedef struct columns {
  tn_write write;
  void *user;
  int first, n; /* first -1: t */
} columns;

static tn_status npy_row(void *user, double t, int n, const double *values) {
  const columns *c = user;
  (void)n;
  for (int i = c->first; i < c->first + c->n; i++) {
    unsigned char bytes[8];
    uint64_t bits;
    memcpy(&bits, i < 0 ? &t : &values[i], sizeof bits);
    tn_put_u64(bytes, bits);
    if (!c->write(c->user, (const char *)bytes, sizeof bytes)) return TN_E_IO;
  }
  return TN_OK;
}

tn_status tn_result_npy(tn_result *r, int group, tn_write write, void *user, tn_error *e) {
  TN_NEED(e, r, "result");
  TN_NEED(e, write, "write");
  char name[128], head[192] = "\x93NUMPY\x01";
  columns c = {.write = write, .user = user};
  tn_error_clear(e);
  if (!(c.n = tn_result_group(r, group, name, sizeof name, &c.first)))
    return tn_fail(e, TN_E_USAGE, "there is no group %d", group);
  char shape[64];
  tn_format(shape, sizeof shape, c.n > 1 ? "(%" PRId64 ", %d)" : "(%" PRId64 ",)", tn_result_rows(r), c.n);
  int used =
      10 + tn_format(head + 10, sizeof head - 10, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape);
  while (used % 64 != 63) head[used++] = ' ';
  head[used++] = '\n';
  head[7] = 0;
  head[8] = (char)(used - 10);
  head[9] = 0;
  if (!write(user, head, (size_t)used)) return tn_fail(e, TN_E_IO, "the array could not be written");
  return tn_result_each(r, npy_row, &c, e);
}
