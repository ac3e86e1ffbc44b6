/* outputs of two runs compared: known differences laid on known signals, and what is made of them. */
#include "study/study.h"

#include "support/build.h"
#include "test.h"

enum { X, A, E, N, OUTPUTS };

/* outputs in m, rad, J and without a unit */
static const char model[] = "{'tenon':1,'dimension':2,'gravity':[0,-9.81],"
                            "'bodies':{'arm':{'mass':1,'inertia':1,'position':[1,0]}},"
                            "'outputs':{'x':'arm.x','a':'arm.angle','e':'energy.total','n':'2*sin(arm.angle)'},"
                            "'run':{'until':1,'every':0.1}}";

typedef struct pair {
  build b;
  tn_differences d;
} pair;

static void begin(pair *p) {
  char text[sizeof model];
  tn_error e;
  memcpy(text, model, sizeof text);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(&p->b, 1);
  build_parse(&p->b, text);
  if (!build_simulate(&p->b)) FAIL("%s", p->b.message);
  p->d = (tn_differences){.n = 0};
  if (tn_differences_new(&p->d, NULL, p->b.sim, &e) != TN_OK) FAIL("%s", e.message);
}

static void end(pair *p) {
  tn_differences_free(&p->d);
  build_free(&p->b);
}

/* signals that both runs have, and what the second has beside */
static void feed(pair *p, double t, long ahead, const double *a, const double *by) {
  double b[OUTPUTS];
  for (int i = 0; i < OUTPUTS; i++) b[i] = a[i] + by[i];
  CHECK(tn_differences_row(&p->d, t, ahead, a, b));
}

static void judge(pair *p) { CHECK(tn_differences_end(&p->d, 0, 1, 10, 10.0 / 9, 0.01)); }

/* d = c e^(t/tau), and never more than the signal */
TEST(exponential_growth_is_told_with_its_time) {
  for (int k = 0; k < 4; k++) {
    const double tau = 0.3 + 0.5 * k, c = pow(10, -14 + k), until = tau * log(1 / c) + 5;
    pair p;
    begin(&p);
    for (int i = 0; i * 0.01 <= until; i++) {
      const double t = i * 0.01, d = fmin(1, c * exp(t / tau)) * cos(7 * t);
      feed(&p, t, 0, (double[]){sin(3 * t), 0, 0, 0}, (double[]){d, 0, 0, 0});
    }
    judge(&p);
    CHECK(p.d.growth == TN_GROWTH_EXPONENTIAL && p.d.growing == X && p.d.limited_by == X);
    CHECK_NEAR(p.d.folding, tau, 0.05 * tau);
    /* 10/9 d is 1 % of the range of both, which is 2 to 4; d has a maximum every 0.45 s, and its history steps of a tenth */
    const double first = tau * log(0.009 * 2 / c), last = tau * log(0.009 * 4 * 1.1 / c) + 0.45;
    if (p.d.predictable_until < first - 0.011 || p.d.predictable_until > last)
      FAIL("tau %g: until %g, not %g to %g", tau, p.d.predictable_until, first, last);
    end(&p);
  }
}

/* not by much yet, and steadily */
TEST(slow_exponential_growth) {
  pair p;
  begin(&p);
  for (int i = 0; i <= 900; i++) {
    const double t = i * 0.01;
    feed(&p, t, 0, (double[]){sin(30 * t), 0, 0, 0}, (double[]){1e-6 * exp(t) * cos(30 * t), 0, 0, 0});
  }
  judge(&p);
  CHECK(p.d.growth == TN_GROWTH_EXPONENTIAL);
  CHECK_NEAR(p.d.folding, 1, 0.1);
  end(&p);
}

/* as of a pendulum by radau5: the best line through its logarithm is an exponential, and it is none */
TEST(a_constant_and_a_square) {
  pair p;
  begin(&p);
  for (int i = 0; i <= 1800; i++) {
    const double t = i * 0.1;
    feed(&p, t, 0, (double[]){0, sin(3 * t), 0, 0}, (double[]){0, (2.6e-10 + 4.6e-13 * t * t) * cos(3 * t), 0, 0});
  }
  judge(&p);
  CHECK(p.d.growth == TN_GROWTH_POWER);
  end(&p);
}

/* chaos in bursts: e^18 in the first half of the time, and not much behind it */
TEST(growth_in_bursts_is_exponential) {
  pair p;
  begin(&p);
  for (int i = 0; i <= 1000; i++) {
    const double t = i * 0.01, d = 1e-10 * exp(18 * fmin(1, t / 5)) * (1 + 0.1 * t);
    feed(&p, t, 0, (double[]){sin(3 * t), 0, 0, 0}, (double[]){d, 0, 0, 0});
  }
  judge(&p);
  CHECK(p.d.growth == TN_GROWTH_EXPONENTIAL);
  CHECK_NEAR(p.d.folding, 0.5, 0.25);
  end(&p);
}

/* d = c t^n of a periodic motion, with something that is there from the start */
TEST(growth_by_a_power_is_not_taken_for_chaos) {
  for (int n = 1; n <= 3; n++) {
    pair p;
    begin(&p);
    for (int i = 0; i <= 20000; i++) {
      const double t = i * 0.05;
      feed(&p, t, 0, (double[]){0, sin(3 * t), 0, 0}, (double[]){0, (1e-10 + 1e-12 * pow(t, n)) * cos(3 * t), 0, 0});
    }
    judge(&p);
    CHECK(p.d.growth == TN_GROWTH_POWER && p.d.growing == A);
    CHECK_NEAR(p.d.exponent, n, n == 1 ? 0.4 : 0.2);
    const double most = 1e-10 + 1e-12 * pow(1000, n);
    CHECK_NEAR(p.d.output[A].most, most, 0.01 * most);
    CHECK_NEAR(p.d.output[A].at, 1000, 1.1);
    CHECK(p.d.limited_by < 0);
    end(&p);
  }
}

/* a square wave whose edges are 3 ms apart, at rows 1 ms apart; with events that tell of them, and without */
TEST(rows_between_two_jumps_count_apart) {
  for (int told = 0; told < 2; told++) {
    pair p;
    begin(&p);
    long rows = 0;
    for (int i = 0; i <= 10000; i++) {
      const double t = i * 1e-3, late = t - 0.0031;
      const long a = (long)floor(t / 0.37 + 1e-9), b = (long)floor(late / 0.37 + 1e-9);
      const double ripple = told ? 4 * sin(400 * t) : 0.01 * sin(t); /* events tell of jumps that are hard to see */
      const double from = 5 * (double)(a & 1) + ripple, to = 5 * (double)(b & 1) + ripple + 1e-6;
      rows += b >= 0 && a != b;
      feed(&p, t, told ? a - (b < 0 ? 0 : b) : 0, (double[]){from, 0, 0, 0},
           (double[]){(b < 0 ? from + 1e-6 : to) - from, 0, 0, 0});
    }
    judge(&p);
    const tn_difference *d = &p.d.output[X];
    CHECK_NEAR(d->most, 1e-6, 1e-12);
    CHECK_NEAR(d->jump, 5, 1e-5);
    /* the first of them cannot be told from a difference that begins, until 1 % of the time is longer */
    CHECK(d->jump_rows >= rows - 8 && d->jump_rows <= rows && rows > 80);
    CHECK(p.d.limited_by < 0 && p.d.predictable_until == p.d.end);
    end(&p);
  }
}

/* a jump that the second run does not have is a difference, with events or without */
TEST(a_jump_of_one_run_alone_is_a_difference) {
  for (int told = 0; told < 2; told++) {
    pair p;
    begin(&p);
    for (int i = 0; i <= 1000; i++) {
      const double t = i * 0.01;
      const bool behind = i >= 500;
      feed(&p, t, told && behind, (double[]){sin(t), 0, 0, 0}, (double[]){behind ? 0.7 : 0, 0, 0, 0});
    }
    judge(&p);
    const tn_difference *d = &p.d.output[X];
    CHECK_NEAR(d->most, 0.7, 1e-12);
    CHECK(p.d.limited_by == X);
    CHECK_NEAR(p.d.predictable_until, 4.99, 1e-9);
    end(&p);
  }
}

/* beyond a turn angles count turns, and are judged by one turn; within one, -pi and pi are the same */
TEST(angles) {
  pair p;
  begin(&p);
  for (int i = 0; i <= 10000; i++) {
    const double t = i * 0.01;
    feed(&p, t, 0, (double[]){0, 50 * t, 0, 0}, (double[]){0, 1e-3 * t, 0, 0});
  }
  judge(&p);
  CHECK_NEAR(p.d.output[A].scale, 6.283185307179586, 1e-12);
  CHECK(p.d.limited_by == A);
  CHECK_NEAR(p.d.predictable_until, 0.0628318 * 0.9 / 1e-3, 0.11 * 56.6);
  end(&p);

  begin(&p); /* off by a whole turn */
  for (int i = 0; i <= 1000; i++)
    feed(&p, i, 0, (double[]){0, 0.1 * i, 0, 0}, (double[]){0, i > 700 ? 6.283185307179586 : 0, 0, 0});
  judge(&p);
  CHECK_NEAR(p.d.output[A].most, 6.283185307179586, 1e-12);
  CHECK_NEAR(p.d.predictable_until, 700, 1e-9);
  end(&p);

  begin(&p); /* wrapped: rows too far apart for anything else to tell */
  for (int i = 0; i <= 5000; i++) {
    const double a = 1.3 * i, b = a + 0.05;
    const double wrapped = remainder(a, 6.283185307179586), other = remainder(b, 6.283185307179586);
    feed(&p, i, 0, (double[]){0, wrapped, 0, 0}, (double[]){0, other - wrapped, 0, 0});
  }
  judge(&p);
  CHECK_NEAR(p.d.output[A].most, 0.05, 1e-9);
  CHECK(p.d.output[A].jump_rows == 0);
  end(&p);
}

/* what does not move but for errors has no scale, and limits nothing; energies are judged by the largest kinetic one */
TEST(outputs_that_are_constant) {
  pair p;
  begin(&p);
  for (int i = 0; i <= 1000; i++) {
    const double t = i * 0.01, noise = 1e-9 * sin(97.0 * i);
    feed(&p, t, 0, (double[]){1 + noise, 0, 40 + 1e-7 * t, sin(t)}, (double[]){-noise, 0, -1e-7 * t, 1e-8});
  }
  judge(&p);
  CHECK(p.d.output[X].constant && p.d.output[A].constant && !p.d.output[E].constant && !p.d.output[N].constant);
  CHECK_NEAR(p.d.output[E].scale, 10, 1e-12);
  CHECK(p.d.limited_by < 0);
  end(&p);

  begin(&p); /* at rest in one run alone */
  for (int i = 0; i <= 1000; i++)
    feed(&p, i * 0.01, 0, (double[]){0, 0, 0, 0}, (double[]){i < 300 ? 0 : 1e-3 * (i - 300), 0, 0, 0});
  judge(&p);
  CHECK(!p.d.output[X].constant && p.d.limited_by == X);
  CHECK_NEAR(p.d.output[X].most, 0.7, 1e-12);
  end(&p);
}

TEST(numbers_that_are_not_finite_are_counted) {
  pair p;
  begin(&p);
  for (int i = 0; i <= 100; i++) {
    const double bad = i % 10 == 3 ? NAN : i % 10 == 7 ? INFINITY : 1;
    feed(&p, i, 0, (double[]){sin(i) * bad, NAN, 0, cos(i)}, (double[]){1e-3, 0, 0, i == 55 ? NAN : 1e-4});
  }
  judge(&p);
  CHECK(p.d.output[X].not_finite == 20 && p.d.output[X].one_finite == 0);
  CHECK_NEAR(p.d.output[X].most, 1e-3, 1e-12);
  CHECK(p.d.output[A].not_finite == 101 && isnan(p.d.output[A].at) && p.d.output[A].constant);
  CHECK(p.d.output[N].not_finite == 1 && p.d.output[N].one_finite == 1);
  CHECK_NEAR(p.d.output[N].most, 1e-4, 1e-12);
  end(&p);
}
