/* printf into a buffer, the same in every locale: a number always has a point.
 * conversions: d i u x c s e f g with flags, width, precision, `*`, and the lengths l, ll and z */
#include "base/base.h"

#include <locale.h>
#include <stdio.h>

/* the decimal point of the locale, which may be longer than a byte, becomes '.' */
static void fix_point(char *text) {
  const char *point = localeconv()->decimal_point;
  if (!point[0] || strcmp(point, ".") == 0) return;
  char *found = strstr(text, point);
  if (!found) return;
  const size_t n = strlen(point);
  found[0] = '.';
  memmove(found + 1, found + n, strlen(found + n) + 1);
}

typedef struct target {
  char *text;
  size_t size, used; /* used counts what would have been written, as snprintf does */
  bool shown;        /* texts as tn_show shows them */
} target;

static void put(target *out, const char *s, size_t n) {
  if (out->used < out->size) {
    const size_t room = out->size - out->used, take = n < room ? n : room;
    memcpy(out->text + out->used, s, take);
  }
  out->used += n;
}

/* one conversion: %[flags][width][.precision][length]kind */
typedef struct conversion {
  char flags[8];
  int width, precision; /* precision -1: not given */
  char length, kind;    /* length: l, L for ll, or z */
} conversion;

static int number_at(const char **p, va_list *arguments) {
  int value = 0;
  if (**p == '*') {
    ++*p;
    return va_arg(*arguments, int);
  }
  for (; **p >= '0' && **p <= '9' && value < 100000; ++*p) value = 10 * value + **p - '0';
  return value;
}

static const char *read_conversion(const char *p, va_list *arguments, conversion *c) {
  size_t flags = 0;
  *c = (conversion){.precision = -1};
  for (p++; *p && strchr("-+ #0", *p); p++)
    if (flags + 1 < sizeof c->flags) c->flags[flags++] = *p;
  c->width = number_at(&p, arguments);
  if (*p == '.') {
    p++;
    c->precision = number_at(&p, arguments);
  }
  for (; *p == 'l' || *p == 'z'; p++) c->length = *p == 'l' && c->length == 'l' ? 'L' : *p;
  c->kind = *p ? *p : 'd';
  return *p ? p + 1 : p;
}

static void put_shown(target *out, const char *s, size_t n) {
  char escape[8];
  for (size_t i = 0; i < n;) {
    const int bytes = tn_escape(s + i, n - i, escape);
    put(out, *escape ? escape : s + i, *escape ? strlen(escape) : (size_t)bytes);
    i += (size_t)bytes;
  }
}

static void put_text(target *out, const conversion *c, const char *s) {
  size_t n = 0;
  while (s && (c->precision < 0 || n < (size_t)c->precision) && s[n]) n++;
  const bool left = c->width < 0 || strchr(c->flags, '-');
  const size_t width = c->width < 0 ? 0u - (unsigned)c->width : (unsigned)c->width,
               length = out->shown && n ? (size_t)tn_show_part(NULL, 0, s, n) : n,
               blanks = width > length ? width - length : 0;
  for (size_t i = 0; !left && i < blanks; i++) put(out, " ", 1);
  if (out->shown && n)
    put_shown(out, s, n);
  else
    put(out, s ? s : "", n);
  for (size_t i = 0; left && i < blanks; i++) put(out, " ", 1);
}

static int format_to(char *text, size_t size, bool shown, const char *format, va_list list) {
  if (!text) size = 0; /* as snprintf(NULL, 0) */
  if (!format) format = "";
  target out = {text, size ? size - 1 : 0, 0, shown};
  va_list arguments;
  va_copy(arguments, list);
  for (const char *p = format; *p;) {
    const size_t plain = strcspn(p, "%");
    put(&out, p, plain);
    p += plain;
    if (!*p) break;
    if (p[1] == '%') {
      put(&out, p, 1);
      p += 2;
      continue;
    }
    conversion c;
    char spec[24], number[1600]; /* the longest double has 309 digits before its point */
    p = read_conversion(p, &arguments, &c);
    if (c.kind == 's') {
      put_text(&out, &c, va_arg(arguments, const char *));
      continue;
    }
    const bool real = c.kind == 'e' || c.kind == 'f' || c.kind == 'g', letter = c.kind == 'c';
    snprintf(spec, sizeof spec, letter ? "%%%s*%c" : real ? "%%%s*.*%c" : "%%%s*.*ll%c", c.flags, c.kind);
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    if (letter) {
      snprintf(number, sizeof number, spec, c.width, va_arg(arguments, int));
    } else if (real) {
      const double value = va_arg(arguments, double);
      /* NaN has no sign: `nan`, never `-nan` */
      snprintf(number, sizeof number, spec, c.width, c.precision, isnan(value) ? copysign(NAN, 1) : value);
      fix_point(number);
    } else if (c.kind == 'u' || c.kind == 'x') {
      const unsigned long long value = c.length == 'z'   ? va_arg(arguments, size_t)
                                       : c.length == 'L' ? va_arg(arguments, unsigned long long)
                                       : c.length == 'l' ? va_arg(arguments, unsigned long)
                                                         : va_arg(arguments, unsigned);
      snprintf(number, sizeof number, spec, c.width, c.precision, value);
    } else {
      const long long value = c.length == 'z'   ? va_arg(arguments, ptrdiff_t)
                              : c.length == 'L' ? va_arg(arguments, long long)
                              : c.length == 'l' ? va_arg(arguments, long)
                                                : va_arg(arguments, int);
      snprintf(number, sizeof number, spec, c.width, c.precision, value);
    }
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
    put(&out, number, strlen(number));
  }
  va_end(arguments);
  if (size) text[out.used < size ? out.used : size - 1] = 0;
  return (int)out.used;
}

int tn_vformat(char *text, size_t size, const char *format, va_list list) {
  return format_to(text, size, false, format, list);
}

int tn_vformat_shown(char *text, size_t size, const char *format, va_list list) {
  return format_to(text, size, true, format, list);
}

int tn_format(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = tn_vformat(text, size, format, arguments);
  va_end(arguments);
  return n;
}
