/* round numbers of an axis, as text. */
#include "graph/graph.h"

static const double POWER_LEAST = 1e-307; /* in the unit of the axis: smaller powers of ten lose digits */

double tn_tick(double range, int n) {
  const double rough = range / n, power = pow(10, floor(log10(rough))), s = rough / power;
  return power * (s <= 1 ? 1 : s <= 2 ? 2 : s <= 5 ? 5 : 10);
}

/* 10 to the k in characters of its own */
static void power_of_ten(char *text, size_t size, const char *before, int k) {
  static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char number[16];
  tn_format(number, sizeof number, "%d", k < 0 ? -k : k);
  int used = tn_format(text, size, "%s10%s", before, k < 0 ? "⁻" : "");
  for (const char *c = number; *c && used < (int)size; c++)
    used += tn_format(text + used, size - (size_t)used, "%s", digit[*c - '0']);
}

static void logarithmic(const tn_scale *s, tn_ticks *t) {
  if (!(s->from >= POWER_LEAST && s->to > s->from && s->to < INFINITY)) return;
  const int first = (int)ceil(log10(s->from) - TN_WHOLE), last = (int)floor(log10(s->to) + TN_WHOLE);
  const int every = 1 + (last - first) / 9;
  for (int k = first; k <= last && t->n < TN_MOST_TICKS; k++) {
    if ((k - first) % every) continue;
    t->at[t->n] = pow(10, k);
    power_of_ten(t->text[t->n++], sizeof *t->text, "", k);
  }
  /* less than two powers: the numbers between them have their digits */
  for (int k = first - 1; last - first < 1 && k <= last; k++)
    for (int d = 2; d <= 5 && t->n < TN_MOST_TICKS; d += d == 2 ? 3 : 1) {
      const double at = d * pow(10, k);
      if (at < s->from * (1 - TN_WHOLE) || at > s->to * (1 + TN_WHOLE)) continue;
      t->at[t->n] = at;
      tn_format(t->text[t->n++], sizeof *t->text, "%.3g", at);
    }
}

void tn_ticks_of(const tn_scale *s, int n, tn_ticks *t) {
  *t = (tn_ticks){.n = 0};
  if (s->log) {
    logarithmic(s, t);
    return;
  }
  const double step = tn_tick(s->to - s->from, n), most = fmax(fabs(s->from), fabs(s->to));
  int k = (int)floor(log10(most) + TN_WHOLE);
  if (most >= 0.01 && most < 1e5) k = 0;
  if (k) power_of_ten(t->factor, sizeof t->factor, "× ", k);
  for (double i = ceil(s->from / step - TN_WHOLE); i * step <= s->to + TN_WHOLE * step && t->n < TN_MOST_TICKS; i++) {
    t->at[t->n] = i * step;
    tn_format(t->text[t->n++], sizeof *t->text, "%.6g", i * step * pow(10, -k) + 0.0);
  }
}
