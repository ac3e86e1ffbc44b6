/* numbers with a scope. compiled with asserts on, whatever the library has. */
#undef NDEBUG
#define tn_scratch_carve checked_scratch_carve
#define tn_scratch_open checked_scratch_open
#define tn_scratch_numbers checked_scratch_numbers
#define tn_scratch_close checked_scratch_close
#include "base/scratch.c"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { SIZE = 100 };

static void make(tn_scratch *s, void **block) {
  tn_carve c = {NULL, 0};
  tn_scratch_carve(s, &c, SIZE);
  *block = tn_block_new(NULL, c.used);
  c = (tn_carve){*block, 0};
  tn_scratch_carve(s, &c, SIZE);
}

TEST(pieces_are_apart_aligned_and_given_back_with_their_scope) {
  tn_scratch s;
  void *block;
  make(&s, &block);
  const tn_scratch_scope outer = tn_scratch_open(&s);
  double *a = tn_scratch_numbers(&s, 3);
  const tn_scratch_scope inner = tn_scratch_open(&s);
  double *b = tn_scratch_numbers(&s, 9), *none = tn_scratch_numbers(&s, 0), *c = tn_scratch_numbers(&s, 1);
  CHECK((uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0 && b >= a + 3 && none == c && c >= b + 9);
  for (int i = 0; i < 9; i++) b[i] = i;
  tn_scratch_close(&s, inner);
  CHECK(tn_scratch_numbers(&s, 2) == b);
  tn_scratch_close(&s, outer);
  CHECK(s.used == 0 && s.scopes == 0);
  tn_block_free(NULL, block);
}

TEST(the_need_of_a_number_of_pieces_is_enough) {
  for (size_t n = 0; n < 40; n++)
    for (size_t pieces = 0; pieces < 6; pieces++) {
      tn_scratch s;
      tn_carve c = {NULL, 0};
      tn_scratch_carve(&s, &c, tn_scratch_need(pieces, n));
      void *block = tn_block_new(NULL, c.used);
      c = (tn_carve){block, 0};
      tn_scratch_carve(&s, &c, tn_scratch_need(pieces, n));
      const tn_scratch_scope scope = tn_scratch_open(&s);
      for (size_t i = 0; i < pieces; i++) tn_scratch_numbers(&s, n);
      CHECK(s.used <= s.size);
      tn_scratch_close(&s, scope);
      tn_block_free(NULL, block);
    }
}

/* what a function that relies on the rules of scopes does when one is broken: asserts end the process */
static bool aborts(void (*act)(tn_scratch *s)) {
  const pid_t child = fork();
  if (child == 0) {
    tn_scratch s;
    void *block;
    if (!freopen("/dev/null", "w", stderr)) _exit(1);
    make(&s, &block);
    act(&s);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void overflow(tn_scratch *s) {
  tn_scratch_open(s);
  tn_scratch_numbers(s, SIZE + 1);
}

static void without_a_scope(tn_scratch *s) { tn_scratch_numbers(s, 1); }

static void out_of_order(tn_scratch *s) {
  const tn_scratch_scope outer = tn_scratch_open(s);
  tn_scratch_open(s); /* left open */
  tn_scratch_close(s, outer);
}

TEST(what_breaks_the_rules_is_caught) {
  CHECK(aborts(overflow));
  CHECK(aborts(without_a_scope));
  CHECK(aborts(out_of_order));
}

TEST(a_new_piece_has_no_value) {
  tn_scratch s;
  void *block;
  make(&s, &block);
  const tn_scratch_scope scope = tn_scratch_open(&s);
  CHECK(isnan(tn_scratch_numbers(&s, 4)[3]));
  tn_scratch_close(&s, scope);
  tn_block_free(NULL, block);
}
