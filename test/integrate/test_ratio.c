/* rational numbers without rounding, against numbers that Python's fractions made. */
#include "integrate/integrate.h"

#include "test.h"

static tn_ratio number(const char *text) {
  tn_ratio r = tn_ratio_of(0, 1);
  if (!tn_ratio_read(text, &r)) FAIL("'%s' is not read", text);
  return r;
}

#define SAME(a, b) CHECK(tn_ratio_same((a), (b)))

TEST(numbers_are_reduced) {
  SAME(number("6/4"), tn_ratio_of(3, 2));
  SAME(number("-6/4"), tn_ratio_of(-3, 2));
  SAME(number("-0"), tn_ratio_of(0, 7));
  SAME(number("000000000000000000000000000012/8"), tn_ratio_of(3, 2));
  SAME(number("340282366920938463463374607430/340282366920938463463374607430"), tn_ratio_of(1, 1));
  CHECK(!tn_ratio_same(number("1/2"), number("-1/2")));
}

TEST(what_is_no_number_is_refused) {
  static const char *const all[] = {"",
                                    "-",
                                    "/",
                                    "1/",
                                    "/2",
                                    "1/0",
                                    "1/2/3",
                                    "1.5",
                                    " 1",
                                    "1 ",
                                    "--1",
                                    "1/-2",
                                    "1000000000000000000000000000000" /* 31 digits */};
  tn_ratio r;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (tn_ratio_read(all[i], &r)) FAIL("'%s' is read", all[i]);
}

TEST(sums_and_products) {
  const tn_ratio a = number("123456789012345678901234567891/987654321098765432109876543211"),
                 b = number("-314159265358979323846264338327/271828182845904523536028747135");
  /* a + b = s, a b = p, both beyond 30 digits: held by what they give back */
  const tn_ratio s = tn_ratio_sum(a, b), p = tn_ratio_product(a, b);
  SAME(tn_ratio_sum(s, tn_ratio_minus(b)), a);
  SAME(tn_ratio_sum(s, tn_ratio_minus(a)), b);
  SAME(tn_ratio_product(p, tn_ratio_inverse(b)), a);
  SAME(tn_ratio_product(p, tn_ratio_inverse(a)), b);
  SAME(tn_ratio_sum(a, tn_ratio_minus(a)), tn_ratio_of(0, 1));
  SAME(tn_ratio_product(a, tn_ratio_of(0, 1)), tn_ratio_of(0, 1));
  CHECK(tn_ratio_value(s) == -0x1.07ddbf6756457p+0 && tn_ratio_value(p) == -0x1.27ddbf353647bp-3);
  SAME(tn_ratio_sum(tn_ratio_of(1, 6), tn_ratio_of(1, 10)), tn_ratio_of(4, 15));
  SAME(tn_ratio_sum(number("4294967295"), tn_ratio_of(1, 1)), number("4294967296"));
  SAME(tn_ratio_sum(number("18446744073709551616"), tn_ratio_of(-1, 1)), number("18446744073709551615"));
}

/* a quotient whose digits are estimated too large at first: divisors that begin with 2^31, numbers with runs of ones */
TEST(long_division) {
  SAME(number("340282366920938463463374607431/18446744073709551615"),
       number("113427455640312821154458202477/6148914691236517205"));
  tn_ratio sum = tn_ratio_of(0, 1); /* of 1/k, k = 1 .. 60 */
  for (int k = 1; k <= 60; k++) sum = tn_ratio_sum(sum, tn_ratio_of(1, k));
  SAME(sum, number("15117092380124150817026911/3230237388259077233637600"));
  for (int k = 60; k >= 1; k--) sum = tn_ratio_sum(sum, tn_ratio_of(-1, k));
  SAME(sum, tn_ratio_of(0, 1));
}

TEST(values_are_the_nearest_doubles) {
  CHECK(tn_ratio_value(tn_ratio_of(0, 5)) == 0 && !signbit(tn_ratio_value(tn_ratio_of(0, 5))));
  CHECK(tn_ratio_value(tn_ratio_of(-1, 3)) == -1.0 / 3);
  CHECK(tn_ratio_value(number("9007199254740993")) == 9007199254740992.0); /* half way: to even */
  CHECK(tn_ratio_value(number("9007199254740995")) == 9007199254740996.0);
  CHECK(tn_ratio_value(number("9007199254740991")) == 9007199254740991.0);
  CHECK(tn_ratio_value(number("18014398509481986")) == 18014398509481984.0);
  CHECK(tn_ratio_value(number("18014398509481987")) == 18014398509481988.0);
  CHECK(tn_ratio_value(number("36893488147419107329")) ==
        0x1.0000000000001p65); /* 2^65 + 2^12 + 1: just above half way */
  CHECK(tn_ratio_value(number("999999999999999999999999999999")) == 1e30);
}
