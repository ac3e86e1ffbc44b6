/* an allocator that counts, refuses the call number `fail`, and knows what is still out. */
#ifndef TN_TEST_FAILING_H
#define TN_TEST_FAILING_H

#include <stdlib.h>

typedef struct failing {
  long calls, fail, out;
} failing;

static void *fail_allocate(void *user, size_t size) {
  failing *f = user;
  if (++f->calls == f->fail) return NULL;
  void *p = malloc(size);
  f->out += p != NULL;
  return p;
}

static void fail_release(void *user, void *p) {
  ((failing *)user)->out -= p != NULL;
  free(p);
}

#endif
