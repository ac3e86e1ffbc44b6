/* saved states have the same bytes on every platform: widths of `int`, `long` and `size_t`, and the order of bytes, are not in them. */
#include "base/base.h"

#include "test.h"

typedef struct kept {
  int small[2];
  int64_t count[2];
  double number;
  bool flag;
  char text[8];
  unsigned char byte[8];
  size_t bytes;
} kept;

static void list(void *self, tn_keep *k) {
  kept *x = self;
  tn_keep_group(k, "all");
  tn_keep_ints(k, "small", 2, x->small, INT32_MIN, INT32_MAX);
  tn_keep_longs(k, "count", 2, x->count);
  tn_keep_numbers(k, "number", 1, &x->number);
  tn_keep_flag(k, "flag", &x->flag, true);
  tn_keep_text(k, "text", sizeof x->text, x->text);
  tn_keep_bytes(k, "bytes", &x->bytes, sizeof x->byte, x->byte);
}

typedef struct page {
  unsigned char byte[512];
  size_t used;
} page;

static bool to_page(void *user, const char *text, size_t n) {
  page *p = user;
  if (n > sizeof p->byte - p->used) return false;
  memcpy(p->byte + p->used, text, n);
  p->used += n;
  return true;
}

static const kept example = {.small = {-2, 70000},
                             .count = {6000000000, 1},
                             .number = -1.5,
                             .flag = true,
                             .text = "ab",
                             .byte = "xyz",
                             .bytes = 3};

TEST(the_bytes_are_the_documented_ones) {
  static const char expected[] = "\x89TNS\r\n\x1a\n\1\0\0\0\0\0\0\0\xd1\0\0\0\0\0\0\0\x08\7\6\5\4\3\2\1"
                                 "g\3\0\0\0\0\0\0\0\0all"
                                 "i\5\2\0\0\0\0\0\0\0small\xfe\xff\xff\xff\x70\x11\1\0"
                                 "l\5\2\0\0\0\0\0\0\0count\0\xbc\xa0\x65\1\0\0\0\1\0\0\0\0\0\0\0"
                                 "d\6\1\0\0\0\0\0\0\0number\0\0\0\0\0\0\xf8\xbf"
                                 "b\4\1\0\0\0\0\0\0\0flag\1"
                                 "t\4\10\0\0\0\0\0\0\0text"
                                 "ab\0\0\0\0\0\0"
                                 "l\5\1\0\0\0\0\0\0\0bytes\3\0\0\0\0\0\0\0"
                                 "x\5\3\0\0\0\0\0\0\0bytesxyz"
                                 "\0\0\0";
  kept x = example;
  page p = {.used = 0};
  tn_error e;
  CHECK(tn_keep_save(list, &x, 0x0102030405060708u, to_page, &p, &e) == TN_OK);
  CHECK(p.used == sizeof expected + 4 && memcmp(p.byte, expected, sizeof expected) == 0); /* the CRC stands behind it */
  CHECK(tn_get_u32(p.byte + p.used - 4) == tn_crc32(0, p.byte, p.used - 4));
}

TEST(counts_above_32_bits_are_put_back) {
  kept x = example, y = {.flag = false};
  page p = {.used = 0};
  tn_error e;
  CHECK(tn_keep_save(list, &x, 7, to_page, &p, &e) == TN_OK);
  CHECK(tn_keep_load(list, &y, 7, p.byte, p.used, NULL, &e) == TN_OK);
  CHECK(y.small[0] == -2 && y.small[1] == 70000 && y.count[0] == 6000000000 && y.count[1] == 1);
  CHECK(y.number == -1.5 && y.flag && strcmp(y.text, "ab") == 0 && y.bytes == 3 && memcmp(y.byte, "xyz", 3) == 0);
  CHECK(tn_keep_load(list, &y, 7 + (UINT64_C(1) << 40), p.byte, p.used, NULL, &e) == TN_E_IO);
}
