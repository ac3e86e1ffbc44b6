/* Formatted text for a callback, piece by piece. */
#include "base/base.h"

void tn_put(tn_printer *p, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  int n = tn_vformat_shown(text, sizeof text, format, args);
  va_end(args);
  if (n >= (int)sizeof text) n = (int)sizeof text - 1;
  if (!p->failed && n > 0) p->failed = !p->write(p->user, text, (size_t)n);
}
