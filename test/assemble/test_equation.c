/* every kind of channel in an equation of its own: those that it takes have rows and gamma as differences say, the others are refused
 * by name. random equations of several channels: test_joints.c, test_assemble_space.c */
#include "support/space.h"
#include "test.h"

/* a joint `constraint` of one channel, with a function around it that has a second derivative. false: refused, see message */
static bool alone(build *b, bool space, int seed, const char *coordinates, bool on_rates, const char *name) {
  if (space) {
    space_new(b, (uint64_t)seed);
    space_world(b);
    space_helpers(b);
    build_set(b, "/bodies/a/coordinates", "\"%s\"", coordinates);
    build_set(b, "/points/E", "[0.3, -0.2, 0.4]");
  } else {
    build_new(b, (uint64_t)seed);
    build_world(b);
    build_helpers(b, 0);
    build_set(b, "/points/E", "[0.3, -0.2]");
  }
  build_set(b, "/joints/eq/type", "\"constraint\"");
  if (on_rates)
    build_set(b, "/joints/eq/rate", "\"(2 + sin(a.x + t))*(%s) - 0.3*t\"", name);
  else
    build_set(b, "/joints/eq/value", "\"sin(0.7*(%s) + 0.4*t) + 0.2*(%s)\"", name, name);
  return build_compile(b);
}

static void check_taken(bool space, const char *coordinates, bool on_rates, const char *name) {
  double worst = 0;
  for (int seed = 1; seed <= 3; seed++) {
    build b;
    build_errors e = {0};
    build_motion m;
    if (alone(&b, space, seed, coordinates, on_rates, name)) {
      build_motion_random(&b, 0.3, &m);
      build_rows(&b, &m, &e);
      worst = fmax(worst, fmax(fmax(e.A, e.Ct), fmax(e.Cdot, e.gamma)));
    } else {
      FAIL("%s: %s", name, b.message);
    }
    build_free(&b);
  }
  if (!(worst <= 1e-9)) FAIL("%s of %s: rows are off by %.3g", name, coordinates, worst);
}

static void check_refused(bool space, bool on_rates, const char *name) {
  build b;
  char quoted[60];
  snprintf(quoted, sizeof quoted, "'%.*s'", (int)strcspn(name, "("), name);
  if (alone(&b, space, 1, "quaternion", on_rates, name))
    FAIL("%s is accepted", name);
  else if (!strstr(b.message, quoted) || !strstr(b.message, "joint 'eq'"))
    FAIL("%s: %s", name, b.message);
  build_free(&b);
}

#define EACH(list, call)                                                                                               \
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) call

TEST(channels_in_the_plane) {
  static const char *const values[] = {"a.x",
                                       "a.y",
                                       "a.angle",
                                       "p.x",
                                       "position(a).x",
                                       "position(b, E).y",
                                       "axis(c, x).y",
                                       "axis(h0, y).x",
                                       "norm(position(a, E) - position(p))",
                                       "in(a, position(b)).x"},
                           *const rates[] = {"a.vx",     "a.rate",
                                             "p.vy",     "velocity(a, E).y",
                                             "omega(b)", "in(a, velocity(b, E)).x"},
                           *const others[] = {"a.ax",         "a.accel",      "acceleration(a, E).x",
                                              "energy.total", "momentum.l",   "h0.fx",
                                              "h0.power",     "h0.violation", "violation(h0)",
                                              "force(h0).x",  "torque(h0)",   "sigma_min()"};
  EACH(values, check_taken(false, "plane", false, values[i]));
  EACH(rates, check_taken(false, "plane", true, rates[i]));
  EACH(rates, check_refused(false, false, i == 5 ? "velocity(b, E).x" : rates[i]));
  EACH(others, check_refused(false, i & 1, others[i]));
}

TEST(channels_in_space) {
  static const char *const values[] = {"a.x",
                                       "p.z",
                                       "position(a, E).z",
                                       "axis(a, y).z",
                                       "axis(h0, z).x",
                                       "dot(axis(a, x), axis(b, z))",
                                       "in(a, position(b, E)).y"},
                           *const rates[] = {"a.vz",       "a.wx",
                                             "b.w2",       "velocity(a, E).x",
                                             "omega(a).z", "in(a, omega(b)).y"},
                           *const kinds[] = {"quaternion", "euler-parameters", "euler-angles"},
                           *const others[] = {"a.e0",        "a.alx",  "energy.kinetic", "h0.tx",
                                              "momentum.lz", "h0.sfx", "det()",          "violation_rate(h0, 1)"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    EACH(values, check_taken(true, kinds[k], false, values[i]));
    EACH(rates, check_taken(true, kinds[k], true, rates[i]));
  }
  /* numbers of coordinates that are their own rates */
  check_taken(true, "euler-parameters", false, "a.e1");
  check_taken(true, "euler-parameters", true, "a.de2");
  check_taken(true, "euler-angles", false, "a.phi");
  check_taken(true, "euler-angles", true, "a.dpsi");
  EACH(others, check_refused(true, i & 1, others[i]));
}

/* coordinates and rates of all joints that measure some, by the tables */
TEST(coordinates_of_joints) {
  int n[2] = {0, 0};
  for (int space = 0; space < 2; space++) {
    build b;
    char name[32][40];
    if (space)
      space_new(&b, 1), space_world(&b), space_helpers(&b);
    else
      build_new(&b, 1), build_world(&b), build_helpers(&b, 0);
    memcpy(name, b.channel, sizeof name);
    const int channels = b.channels;
    build_free(&b);
    for (int i = 0; i < channels; i++)
      if (name[i][0] == 'h') check_taken(space, "quaternion", false, name[i]), n[space]++;
  }
  printf("%d in the plane, %d in space\n", n[0], n[1]);
  CHECK(n[0] >= 2 && n[1] >= 7);
}

/* what is linear in the rates, and smooth, by the operations of expressions; `why`: a word of the refusal */
TEST(linear_and_smooth) {
  static const struct {
    const char *text, *why;
  } all[] = {{"a.vx - 2*a.vy + t", NULL},
             {"dot(velocity(a), position(b))", NULL},
             {"a.vx/(1 + a.x^2)", NULL},
             {"if(t > 1, a.vx, a.vy)", NULL},
             {"step(t - 1)*a.vx + abs(t)", NULL},
             {"cross(position(a), velocity(b)).z", NULL},
             {"norm(position(a))*a.vx", NULL},
             {"-(velocity(a) + 2*velocity(b)).y", NULL},
             {"(velocity(a)/exp(b.x) - position(b)).x", NULL},
             {"(b.x*velocity(a)).z", NULL},
             {"in(b, velocity(a)).y", NULL},
             {"step(a.x, -1, 0, 1, 2)*a.vx", NULL},
             {"a.vx*a.vy", "linear"},
             {"a.vx^2", "linear"},
             {"sin(a.vx)", "linear"},
             {"a.x/a.vx", "linear"},
             {"atan2(a.vx, 1)", "linear"},
             {"norm(velocity(a))", "linear"},
             {"dot(velocity(a), velocity(b))", "linear"},
             {"cross(velocity(a), velocity(b)).x", "linear"},
             {"(a.vx*velocity(b)).x", "linear"},
             {"(velocity(b)/a.vx).y", "linear"},
             {"step(a.vx, 0, 0, 1, 1)", "linear"},
             {"abs(a.x)*a.vx", "abs"},
             {"abs(a.vx)", "abs"},
             {"max(a.x, 0)*a.vx", "max"},
             {"mod(a.x, 1)*a.vx", "mod"},
             {"step(a.x)*a.vx", "step"},
             {"sign(b.y)*a.vx", "sign"},
             {"if(a.x > 0, a.vx, a.vy)", "comparison"},
             {"(a.x > 0 and t > 1)*a.vx", "comparison"},
             {"a.x - t", "no rate"},
             {"(a.x*velocity(a) - a.x*velocity(a)).x*0 + velocity(a).x/velocity(a).x", "linear"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    space_new(&b, 1);
    space_world(&b);
    build_set(&b, "/joints/eq/type", "\"constraint\"");
    build_set(&b, "/joints/eq/rate", "\"%s\"", all[i].text);
    const bool taken = build_compile(&b);
    if (taken != !all[i].why) FAIL("%s: %s", all[i].text, taken ? "accepted" : b.message);
    if (!taken && all[i].why) CHECK_HAS(b.message, all[i].why);
    build_free(&b);
  }
}
