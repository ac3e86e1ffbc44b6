/* rational numbers without rounding, for coefficients. whole numbers have digits of base 2^32 and room for 768 bits on every platform:
 * numerators and denominators of the formulas of Adams have at most 127 bits, sums of products of two of them at most 4 times as many. */
#include "integrate/integrate.h"

#include <assert.h>

/* ---- whole numbers, not below 0 -------------------------------------------------------------------------------------------- */

static tn_natural natural(uint64_t x) {
  const uint32_t low = (uint32_t)(x & UINT32_MAX), high = (uint32_t)(x >> 32);
  return (tn_natural){high ? 2 : low > 0, {low, high}};
}

/* of at most two digits */
static uint64_t whole(const tn_natural *a) {
  return (a->used > 1 ? (uint64_t)a->digit[1] << 32 : 0) | (a->used ? a->digit[0] : 0);
}

static void trim(tn_natural *a) {
  while (a->used && !a->digit[a->used - 1]) a->used--;
}

static int compare(const tn_natural *a, const tn_natural *b) {
  if (a->used != b->used) return a->used < b->used ? -1 : 1;
  for (int i = a->used; i-- > 0;)
    if (a->digit[i] != b->digit[i]) return a->digit[i] < b->digit[i] ? -1 : 1;
  return 0;
}

static tn_natural sum(const tn_natural *a, const tn_natural *b) {
  tn_natural x = {.used = 0};
  uint64_t carry = 0;
  for (; x.used < a->used || x.used < b->used || carry; x.used++, carry >>= 32) {
    assert(x.used < TN_DIGITS);
    carry += x.used < a->used ? a->digit[x.used] : 0;
    carry += x.used < b->used ? b->digit[x.used] : 0;
    x.digit[x.used] = (uint32_t)(carry & UINT32_MAX);
  }
  return x;
}

/* a -= b 2^(32 places); a is not smaller */
static void subtract(tn_natural *a, const tn_natural *b, int places) {
  uint64_t borrow = 0;
  for (int i = places; i < a->used; i++) {
    const uint64_t by = borrow + (i - places < b->used ? b->digit[i - places] : 0);
    borrow = a->digit[i] < by;
    a->digit[i] = (uint32_t)((a->digit[i] - by) & UINT32_MAX);
  }
  assert(!borrow);
  trim(a);
}

static tn_natural product(const tn_natural *a, const tn_natural *b) {
  tn_natural x = {.used = a->used + b->used};
  assert(x.used <= TN_DIGITS);
  for (int i = 0; i < a->used; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < b->used; j++, carry >>= 32) {
      carry += (uint64_t)a->digit[i] * b->digit[j] + x.digit[i + j];
      x.digit[i + j] = (uint32_t)(carry & UINT32_MAX);
    }
    x.digit[i + b->used] = (uint32_t)carry;
  }
  trim(&x);
  return x;
}

/* a 2^bits; below 0: what is left of a 2^bits without its fraction */
static tn_natural shifted(const tn_natural *a, int bits) {
  const int places = (bits < 0 ? -bits : bits) / 32, rest = (bits < 0 ? -bits : bits) % 32;
  tn_natural x = {.used = 0};
  if (bits >= 0) {
    x.used = a->used ? a->used + places + 1 : 0;
    assert(x.used <= TN_DIGITS);
    for (int i = 0; i < a->used; i++) {
      const uint64_t wide = (uint64_t)a->digit[i] << rest;
      x.digit[i + places] |= (uint32_t)(wide & UINT32_MAX);
      x.digit[i + places + 1] = (uint32_t)(wide >> 32);
    }
  } else {
    x.used = a->used > places ? a->used - places : 0;
    for (int i = 0; i < x.used; i++) {
      const uint64_t above = i + 1 < x.used ? a->digit[i + places + 1] : 0;
      x.digit[i] = (uint32_t)((above << 32 | a->digit[i + places]) >> rest & UINT32_MAX);
    }
  }
  trim(&x);
  return x;
}

static int bits_of(const tn_natural *a) {
  int n = 32 * a->used;
  for (uint32_t top = a->used ? a->digit[a->used - 1] : UINT32_MAX; top <= UINT32_MAX / 2; top <<= 1) n--;
  return n;
}

/* a / b for b > 0, digit by digit (Knuth, The Art of Computer Programming 2, 4.3.1 D): each is estimated from the leading ones of
 * b with its highest bit set, at most 2 too large; what is left over is *rest */
static tn_natural quotient(const tn_natural *a, const tn_natural *b, tn_natural *rest) {
  const int up = 32 * b->used - bits_of(b);
  const tn_natural by = shifted(b, up);
  tn_natural left = shifted(a, up), x = {.used = 0};
  const uint64_t top = by.digit[by.used - 1];
  for (int i = left.used - by.used; i >= 0; i--) {
    const int at = i + by.used;
    const uint64_t head =
        (at < left.used ? (uint64_t)left.digit[at] << 32 : 0) | (at - 1 < left.used ? left.digit[at - 1] : 0);
    uint64_t guess = head / top;
    if (guess > UINT32_MAX) guess = UINT32_MAX;
    tn_natural one = natural(guess), part = product(&by, &one), high = shifted(&left, -32 * i);
    for (; compare(&part, &high) > 0; guess--) subtract(&part, &by, 0);
    subtract(&left, &part, i);
    x.digit[i] = (uint32_t)guess;
    if (guess && !x.used) x.used = i + 1;
  }
  *rest = shifted(&left, -up);
  return x;
}

/* most numbers have two digits at most, which processors divide by themselves */
static tn_natural divisor(tn_natural a, tn_natural b) {
  while (b.used && (a.used > 2 || b.used > 2)) {
    tn_natural rest;
    quotient(&a, &b, &rest);
    a = b;
    b = rest;
  }
  if (!b.used) return a;
  uint64_t x = whole(&a), y = whole(&b);
  while (y) {
    const uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  return natural(x);
}

static tn_natural divided(const tn_natural *a, const tn_natural *b) {
  tn_natural rest;
  return a->used > 2 || b->used > 2 ? quotient(a, b, &rest) : natural(whole(a) / whole(b));
}

/* the nearest double: of two that are equally near, the one whose last bit is 0 */
static double value(const tn_natural *a) {
  const int below = bits_of(a) > 54 ? bits_of(a) - 54 : 0;
  const tn_natural head = shifted(a, -below), back = shifted(&head, below);
  uint64_t x = whole(&head);
  if (below) { /* 54 bits, the last of which is rounded */
    const bool more = compare(&back, a) != 0;
    x = (x >> 1) + ((x & 1) && (more || (x >> 1 & 1)));
  }
  return ldexp((double)x, below ? below + 1 : 0);
}

/* ---- rational numbers ------------------------------------------------------------------------------------------------------ */

static tn_ratio reduced(bool negative, const tn_natural *over, const tn_natural *under) {
  const tn_natural d = divisor(*over, *under);
  return (tn_ratio){negative && over->used, divided(over, &d), divided(under, &d)};
}

tn_ratio tn_ratio_of(int over, int under) {
  const tn_natural a = natural(over < 0 ? 0u - (unsigned)over : (unsigned)over), b = natural((unsigned)under);
  return reduced(over < 0, &a, &b);
}

bool tn_ratio_read(const char *text, tn_ratio *r) {
  enum { MOST = 30 };
  const bool negative = *text == '-';
  const tn_natural ten = natural(10);
  tn_natural part[2] = {natural(0), natural(1)};
  text += negative;
  for (int i = 0; i < 2; i++) {
    int digits = 0;
    if (i && *text != '/') break;
    text += i;
    part[i] = natural(0);
    for (; *text >= '0' && *text <= '9' && digits < MOST; text++, digits++) {
      const tn_natural up = product(&part[i], &ten), digit = natural((uint32_t)(*text - '0'));
      part[i] = sum(&up, &digit);
    }
    if (!digits) return false;
  }
  if (*text || !part[1].used) return false;
  *r = reduced(negative, &part[0], &part[1]);
  return true;
}

tn_ratio tn_ratio_sum(tn_ratio a, tn_ratio b) {
  const tn_natural d = divisor(a.under, b.under), a_part = divided(&a.under, &d), b_part = divided(&b.under, &d);
  tn_natural x = product(&a.over, &b_part), y = product(&b.over, &a_part), under = product(&a_part, &b.under);
  if (a.negative == b.negative) {
    x = sum(&x, &y);
    return reduced(a.negative, &x, &under);
  }
  const bool second = compare(&x, &y) < 0; /* is the larger one */
  subtract(second ? &y : &x, second ? &x : &y, 0);
  return reduced(second ? b.negative : a.negative, second ? &y : &x, &under);
}

tn_ratio tn_ratio_product(tn_ratio a, tn_ratio b) {
  const tn_ratio x = reduced(false, &a.over, &b.under), y = reduced(false, &b.over, &a.under);
  return (tn_ratio){x.over.used && y.over.used && a.negative != b.negative, product(&x.over, &y.over),
                    product(&x.under, &y.under)};
}

tn_ratio tn_ratio_minus(tn_ratio a) { return (tn_ratio){a.over.used && !a.negative, a.over, a.under}; }

tn_ratio tn_ratio_inverse(tn_ratio a) {
  assert(a.over.used);
  return (tn_ratio){a.negative, a.under, a.over};
}

bool tn_ratio_same(tn_ratio a, tn_ratio b) {
  return a.negative == b.negative && compare(&a.over, &b.over) == 0 && compare(&a.under, &b.under) == 0;
}

double tn_ratio_value(tn_ratio a) { return (a.negative ? -1 : 1) * value(&a.over) / value(&a.under); }
