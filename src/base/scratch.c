/* scratch: numbers with a scope.
 * SPDX-License-Identifier: MIT
 *
 * A buffer of a struct is free when its last user is done, and nobody but its author knows when that is. A piece of the stack is free when
 * its scope ends. Scopes nest as calls do, so that one stack serves all of them and is as large as the deepest nest. */
#include "base/base.h"

#include <assert.h>

enum { APART = 8 }; /* numbers: pieces begin at multiples of 64 bytes */

void tn_scratch_carve(tn_scratch *s, tn_carve *c, uint64_t size) {
  s->base = TN_CARVE(c, double, size);
  s->size = (size_t)size;
  s->used = 0;
  s->scopes = 0;
}

tn_scratch_scope tn_scratch_open(tn_scratch *s) { return (tn_scratch_scope){.used = s->used, .depth = ++s->scopes}; }

double *tn_scratch_numbers(tn_scratch *s, size_t n) {
  assert(s->scopes > 0);
  double *piece = s->base + s->used;
  s->used += (n + APART - 1) / APART * APART;
  assert(s->used <= s->size);
#ifndef NDEBUG
  for (size_t i = 0; i < n; i++) piece[i] = (double)NAN;
#endif
  return piece;
}

void tn_scratch_close(tn_scratch *s, tn_scratch_scope scope) {
  assert(scope.depth == s->scopes && scope.used <= s->used); /* inner scopes have ended */
  s->used = scope.used;
  s->scopes = scope.depth - 1;
}
