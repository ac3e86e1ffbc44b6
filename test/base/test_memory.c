/* arenas, carving, blocks. */
#include "base/base.h"
#include "test.h"

/* counts what is out, fails the call number `fail`, hands out addresses that are only aligned to 8 */
typedef struct counting {
  long calls, out, fail;
  size_t largest;
} counting;

static void *count_allocate(void *user, size_t size) {
  counting *c = user;
  if (++c->calls == c->fail) return NULL;
  unsigned char *p = malloc(size + 8);
  if (!p) return NULL;
  c->out++;
  if (size > c->largest) c->largest = size;
  memset(p, 0xa5, size + 8);
  return p + 8;
}

static void count_release(void *user, void *block) {
  ((counting *)user)->out--;
  free((unsigned char *)block - 8);
}

static tn_allocator allocator_of(counting *c) { return (tn_allocator){count_allocate, count_release, c}; }

static bool all_zero(const void *p, size_t n) {
  const unsigned char *b = p;
  while (n) {
    if (b[--n]) return false;
  }
  return true;
}

TEST(arena_pieces_are_zeroed_aligned_and_apart) {
  counting c = {0};
  tn_allocator a = allocator_of(&c);
  tn_arena arena;
  tn_arena_init(&arena, &a);
  CHECK(c.calls == 0);
  unsigned char *pieces[500];
  size_t sizes[500];
  for (size_t i = 0; i < 500; i++) {
    sizes[i] = (i * 37) % 211;
    pieces[i] = tn_arena_alloc(&arena, sizes[i]);
    CHECK(pieces[i] && (uintptr_t)pieces[i] % 16 == 0 && all_zero(pieces[i], sizes[i]));
    memset(pieces[i], (int)(i % 255) + 1, sizes[i]);
  }
  for (size_t i = 0; i < 500; i++) {
    for (size_t k = 0; k < sizes[i]; k++) CHECK(pieces[i][k] == i % 255 + 1);
    if (i) CHECK(pieces[i] != pieces[i - 1]);
  }
  CHECK(c.calls > 1 && c.calls < 10);
  tn_arena_free(&arena);
  CHECK(c.out == 0);
  tn_arena_free(&arena); /* twice is fine */
}

TEST(arena_chunks_grow_geometrically) {
  counting c = {0};
  tn_allocator a = allocator_of(&c);
  tn_arena arena;
  tn_arena_init(&arena, &a);
  for (int i = 0; i < 100000; i++) CHECK(tn_arena_alloc(&arena, 64) != NULL);
  CHECK(c.calls < 16); /* 6.4 MB */
  tn_arena_free(&arena);
  CHECK(c.out == 0);
}

TEST(arena_large_and_impossible_pieces) {
  counting c = {0};
  tn_allocator a = allocator_of(&c);
  tn_arena arena;
  tn_arena_init(&arena, &a);
  unsigned char *p = tn_arena_alloc(&arena, (size_t)10 << 20);
  CHECK(p && all_zero(p, (size_t)10 << 20));
  CHECK(c.largest >= (size_t)10 << 20);
  long calls = c.calls;
  CHECK(!tn_arena_alloc(&arena, SIZE_MAX));
  CHECK(!tn_arena_alloc(&arena, SIZE_MAX - 15));
  CHECK(!tn_arena_alloc(&arena, SIZE_MAX / 2 + 1));
  CHECK(!tn_arena_text(&arena, "", SIZE_MAX));
  CHECK(c.calls == calls);
  CHECK(tn_arena_alloc(&arena, 16) != NULL);
  tn_arena_free(&arena);
  CHECK(c.out == 0);
}

TEST(arena_without_memory_stays_usable) {
  counting c = {.fail = 1};
  tn_allocator a = allocator_of(&c);
  tn_arena arena;
  tn_arena_init(&arena, &a);
  CHECK(!tn_arena_alloc(&arena, 8));
  CHECK(!arena.head);
  CHECK(tn_arena_alloc(&arena, 8) != NULL);
  tn_arena_free(&arena);
  CHECK(c.out == 0);
}

TEST(arena_text_ends_in_nul) {
  tn_arena arena;
  tn_arena_init(&arena, NULL);
  CHECK_TEXT(tn_arena_text(&arena, "abcdef", 3), "abc");
  CHECK_TEXT(tn_arena_text(&arena, NULL, 0), "");
  char *full = tn_arena_text(&arena, "0123456789abcdef", 16);
  CHECK_TEXT(full, "0123456789abcdef");
  tn_arena_free(&arena);
}

static size_t carve_all(tn_carve *c, double **x, char **s, double **none) {
  *x = TN_CARVE(c, double, 3);
  *s = TN_CARVE(c, char, 65);
  *none = TN_CARVE(c, double, 0);
  return c->used;
}

TEST(carve_measures_and_hands_out_the_same) {
  double *x, *none;
  char *s;
  tn_carve measure = {NULL, 0};
  size_t size = carve_all(&measure, &x, &s, &none);
  CHECK(!x && !s && size == 192);
  tn_carve hand = {tn_block_new(NULL, size), 0};
  CHECK(carve_all(&hand, &x, &s, &none) == size);
  CHECK((uintptr_t)x % 64 == 0 && (uintptr_t)s % 64 == 0);
  CHECK((unsigned char *)x == hand.base && (unsigned char *)s == hand.base + 64);
  memset(s, 1, 65);
  tn_block_free(NULL, hand.base);
}

TEST(carve_overflow_is_no_memory) {
  tn_carve c = {NULL, 0};
  CHECK(!tn_carve_bytes(&c, SIZE_MAX / 2 - 100));
  CHECK(c.used != SIZE_MAX);
  tn_carve_bytes(&c, SIZE_MAX / 2 - 100);
  CHECK(c.used == SIZE_MAX);
  tn_carve_bytes(&c, 1);
  CHECK(c.used == SIZE_MAX); /* stays */
  CHECK(!tn_block_new(NULL, c.used));
  tn_carve negative = {NULL, 0};
  TN_CARVE(&negative, double, -1);
  CHECK(negative.used == SIZE_MAX);
}

/* 70000 x 70000 numbers are 39 GB; in 32 bits they would be 0.5 GB */
TEST(products_beyond_32_bits_are_never_short) {
  const uint64_t n = 70000;
  tn_carve c = {NULL, 0};
  TN_CARVE(&c, double, n *n);
  CHECK(c.used == (SIZE_MAX > UINT32_MAX ? 39200000000 : SIZE_MAX));
}

TEST(block_is_zeroed_aligned_and_given_back) {
  counting c = {0};
  tn_allocator a = allocator_of(&c);
  for (size_t size = 0; size < 300; size += 13) {
    unsigned char *b = tn_block_new(&a, size);
    CHECK(b && (uintptr_t)b % 64 == 0 && all_zero(b, size));
    if (size) memset(b, 7, size);
    CHECK(c.out == 1);
    tn_block_free(&a, b);
    CHECK(c.out == 0);
  }
  tn_block_free(&a, NULL);
  c.fail = c.calls + 1;
  CHECK(!tn_block_new(&a, 8));
  long calls = c.calls;
  CHECK(!tn_block_new(&a, SIZE_MAX - 10) && c.calls == calls);
}
