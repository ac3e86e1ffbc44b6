/* expressions: tokens and messages.
 * SPDX-License-Identifier: MIT */
#include "base/expr.h"

#include <stdlib.h>

tn_quote tn_expr_quote(const tn_parser *p, size_t from, size_t to) {
  tn_quote q = {""};
  size_t n = to - from, most = sizeof q.text - 4;
  tn_format(q.text, sizeof q.text, "%.*s%s", (int)(n < most ? n : most), p->text + from, n > most ? ".." : "");
  return q;
}

bool tn_expr_fail(tn_parser *p, size_t at, const char *format, ...) {
  char message[sizeof p->error.message];
  va_list arguments;
  va_start(arguments, format);
  tn_vformat(message, sizeof message, format, arguments);
  va_end(arguments);
  tn_fail(&p->error, TN_E_MODEL, "%s", message);
  p->error.byte = (int64_t)at;
  return false;
}

bool tn_expr_no_memory(tn_parser *p) {
  tn_fail(&p->error, TN_E_MEMORY, "no memory for an expression");
  return false;
}

bool tn_expr_expected(tn_parser *p, const char *what) {
  if (p->now.kind == TN_TOKEN_END) return tn_expr_fail(p, p->now.from, "expected %s at the end", what);
  return tn_expr_fail(p, p->now.from, "expected %s before '%s'", what, tn_expr_quote(p, p->now.from, p->now.to).text);
}

bool tn_expr_refused(tn_parser *p, size_t at, const char *what, const char *name) {
  if (p->error.status == TN_OK) tn_fail(&p->error, TN_E_MODEL, "unknown %s '%s'", what, name);
  if (p->error.line == 0) p->error.byte = (int64_t)at; /* else it has its place: where the name is defined */
  return false;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_word(int c) { return is_letter(c) || is_digit(c); }

/* digits without their point, and the power of ten that goes with it: strtod then reads the same in every locale */
static bool read_number(tn_parser *p, size_t i) {
  tn_token *k = &p->now;
  if (!p->digits && !(p->digits = tn_arena_alloc(&p->scratch, p->n + 32))) return tn_expr_no_memory(p);
  char *digits = p->digits;
  size_t used = 0;
  int64_t power = 0, exponent = 0;
  while (is_digit(tn_expr_byte(p, i))) digits[used++] = p->text[i++];
  if (tn_expr_byte(p, i) == '.')
    for (i++; is_digit(tn_expr_byte(p, i)); power--) digits[used++] = p->text[i++];
  if (tn_expr_byte(p, i) == 'e' || tn_expr_byte(p, i) == 'E') {
    size_t e = i + 1;
    bool minus = tn_expr_byte(p, e) == '-';
    if (minus || tn_expr_byte(p, e) == '+') e++;
    if (is_digit(tn_expr_byte(p, e))) {
      for (i = e; is_digit(tn_expr_byte(p, i)); i++)
        if (exponent < 1000000) exponent = 10 * exponent + (p->text[i] - '0');
      power += minus ? -exponent : exponent;
    }
  }
  k->kind = TN_TOKEN_NUMBER;
  k->to = i;
  if (is_word(tn_expr_byte(p, i)) || tn_expr_byte(p, i) == '.') {
    size_t end = i;
    while (is_word(tn_expr_byte(p, end)) || tn_expr_byte(p, end) == '.') end++;
    tn_expr_fail(p, k->from, "'%s' is not a number", tn_expr_quote(p, k->from, end).text);
    if (is_letter(tn_expr_byte(p, i))) tn_hint(&p->error, "a product needs its '*'");
    return false;
  }
  tn_format(digits + used, 32, "e%" PRId64, power);
  k->number = strtod(digits, NULL);
  if (isfinite(k->number)) return true;
  return tn_expr_fail(p, k->from, "'%s' is too large for a number", tn_expr_quote(p, k->from, i).text);
}

static void read_name(tn_parser *p, size_t i) {
  static const struct {
    const char *word;
    int kind;
  } words[] = {{"and", TN_TOKEN_AND}, {"or", TN_TOKEN_OR}, {"not", TN_TOKEN_NOT}};
  tn_token *k = &p->now;
  while (is_word(tn_expr_byte(p, i)) || (tn_expr_byte(p, i) == '.' && is_letter(tn_expr_byte(p, i + 1)))) i++;
  k->kind = TN_TOKEN_NAME;
  k->to = i;
  for (size_t w = 0; w < sizeof words / sizeof *words; w++)
    if (i - k->from == strlen(words[w].word) && !memcmp(p->text + k->from, words[w].word, i - k->from))
      k->kind = words[w].kind;
}

/* operators of other languages */
static bool foreign(tn_parser *p, size_t i) {
  static const struct {
    const char *sign, *hint;
  } signs[] = {{"**", "a power is written a^b"},
               {"=", "equality is '=='"},
               {"&&", "write 'and'"},
               {"||", "write 'or'"},
               {"!", "write 'not'"},
               {"%", "the remainder is mod(a, b)"},
               {"?", "a choice is if(c, a, b)"},
               {"{", "braces belong to 'repeat'"},
               {"}", "braces belong to 'repeat'"}};
  for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
    size_t n = strlen(signs[s].sign);
    if (n > p->n - i || memcmp(p->text + i, signs[s].sign, n) != 0) continue;
    tn_expr_fail(p, i, "unexpected '%s'", signs[s].sign);
    tn_hint(&p->error, "%s", signs[s].hint);
    return true;
  }
  return false;
}

bool tn_expr_advance(tn_parser *p) {
  p->last = p->now;
  size_t i = p->now.to;
  while (is_space(tn_expr_byte(p, i))) i++;
  tn_token *k = &p->now;
  int c = tn_expr_byte(p, i), next = tn_expr_byte(p, i + 1);
  *k = (tn_token){.kind = c, .from = i, .to = i + 1};
  if (i >= p->n) {
    k->kind = TN_TOKEN_END;
    k->to = i;
    return true;
  }
  if (is_digit(c) || (c == '.' && is_digit(next))) return read_number(p, i);
  if (is_letter(c)) return read_name(p, i), true;
  if (next == '=' && (c == '<' || c == '>' || c == '=' || c == '!')) {
    k->kind = c == '<' ? TN_TOKEN_LE : c == '>' ? TN_TOKEN_GE : c == '=' ? TN_TOKEN_EQ : TN_TOKEN_NE;
    k->to = i + 2;
    return true;
  }
  if (foreign(p, i)) return false;
  if (c && strchr("+-*/^<>()[],.", c)) return true;
  int length = tn_utf8(p->text + i, p->n - i);
  if (!length || c < ' ' || c == 0x7f) return tn_expr_fail(p, i, "unexpected byte 0x%02x", (unsigned)c);
  return tn_expr_fail(p, i, "unexpected '%.*s'", length, p->text + i);
}

bool tn_expr_take(tn_parser *p, int kind, const char *what) {
  return p->now.kind == kind ? tn_expr_advance(p) : tn_expr_expected(p, what);
}

char *tn_expr_text(tn_parser *p, const tn_token *k) {
  char *text = tn_arena_text(&p->scratch, p->text + k->from, k->to - k->from);
  if (!text) tn_expr_no_memory(p);
  return text;
}

bool tn_expr_enter(tn_parser *p) {
  if (p->nest == TN_EXPR_NEST) return tn_expr_fail(p, p->now.from, "nested deeper than %d levels", TN_EXPR_NEST);
  if (p->outer + p->nest >= TN_EXPR_NEST_ALL)
    return tn_expr_fail(p, p->now.from, "nested deeper than %d levels, with the definitions that ask for it",
                        TN_EXPR_NEST_ALL);
  p->nest++;
  return true;
}
