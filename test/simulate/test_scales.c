/* small parts in large company, with default settings: an oscillator or a pendulum beside, on or weakly tied to something that is far
 * away, heavy or fast is right to 1e-5 of its own amplitude over 100 periods. references are closed forms.
 *
 *   (1) x = c + s t + exp(-d t) (a cos w t + b sin w t)                       oscillators
 *   (2) sin(theta/2) = k sn(K - w t, k), k = sin(theta0/2), theta' = -2 k w cn(K - w t, k)     a pendulum released at theta0
 *
 * and a model that moves as a whole, or is somewhere else, has the same motion in itself.
 * TENON_ONLY="seismo planet space relative" runs one case. */
#include "support/bystander.h"
#include "test.h"

static const double PI = 3.14159265358979323846, PERIODS = 100, SHARE = 1e-5;
/* of absolute coordinates: what rounding of 1e4 steps may add up to */
static const double ROUNDOFF = 100 * 2.2e-16;

/* ---- closed forms ------------------------------------------------------------------------------------------------------- */

typedef struct form {
  double c, s, a, b, w, d; /* (1), k = 0 */
  double k;                /* (2)        */
  double amplitude;
} form;

/* complete elliptic integral of modulus k, by the arithmetic-geometric mean */
static double quarter(double k) {
  double a = 1, b = sqrt(1 - k * k);
  for (int i = 0; i < 8; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return PI / (2 * a);
}

/* sn and cn, by descending Landen transformations */
static void jacobi(double u, double k, double *sn, double *cn) {
  double a[10] = {1}, c[10] = {k}, b = sqrt(1 - k * k);
  int n = 0;
  for (; n < 9 && fabs(c[n]) > 1e-17; n++) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = sqrt(a[n] * b);
  }
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = (phi + asin(c[n] * sin(phi) / a[n])) / 2;
  *sn = sin(phi);
  *cn = cos(phi);
}

static double period(const form *f) { return f->k > 0 ? 4 * quarter(f->k) / f->w : 2 * PI / f->w; }

static void exact(const form *f, double t, double *x, double *v) {
  if (f->k > 0) {
    double sn, cn;
    jacobi(quarter(f->k) - f->w * fmod(t, period(f)), f->k, &sn, &cn);
    *x = 2 * asin(f->k * sn);
    *v = -2 * f->k * f->w * cn;
    return;
  }
  const double e = exp(-f->d * t), c = cos(f->w * t), s = sin(f->w * t);
  *x = f->c + f->s * t + e * (f->a * c + f->b * s);
  *v = f->s + e * ((f->b * f->w - f->d * f->a) * c - (f->a * f->w + f->d * f->b) * s);
}

TEST(closed_forms_satisfy_their_equations) {
  /* theta'' = -w^2 sin theta and x'' = -(w^2 + d^2) x - 2 d x' by differences of v over h, h/2, h/4 */
  const form forms[] = {{.k = sin(0.5), .w = 3.1, .amplitude = 1},
                        {.k = sin(5e-7), .w = 3.1, .amplitude = 1e-6},
                        {.a = 2, .b = 0.3, .w = 3.1, .d = 0.2, .amplitude = 2}};
  for (int n = 0; n < 3; n++) {
    const form *f = &forms[n];
    double x0, v0, last = INFINITY;
    exact(f, 0, &x0, &v0);
    CHECK_NEAR(x0, f->amplitude, 1e-13 * f->amplitude);
    for (int level = 0; level < 3; level++) {
      double worst = 0;
      for (double t = 0.1; t < 9; t += 0.37) {
        const double h = ldexp(0.02, -level);
        double x, v, below[2], above[2];
        exact(f, t, &x, &v);
        exact(f, t - h, &below[0], &below[1]);
        exact(f, t + h, &above[0], &above[1]);
        const double force = f->k > 0 ? -f->w * f->w * sin(x) : -(f->w * f->w + f->d * f->d) * x - 2 * f->d * v;
        worst = fmax(worst, fabs((above[0] - below[0]) / (2 * h) - v) + fabs((above[1] - below[1]) / (2 * h) - force));
      }
      CHECK(worst < 0.3 * last && worst < 0.2 * f->amplitude);
      last = worst;
    }
  }
}

/* ---- cases ---------------------------------------------------------------------------------------------------------------- */

/* a model on its way: what every case begins with */
typedef struct scene {
  tn_desc *desc;
  int dimension;
  form form;
  double far; /* m: largest coordinate of the small part */
} scene;

static void begin(scene *s, int dimension, const char *coordinates) {
  *s = (scene){.dimension = dimension, .desc = model_new("{'tenon': 1}")};
  model_set(s->desc, "/dimension", "%d", dimension);
  model_set(s->desc, "/coordinates", "'%s'", coordinates);
}

static void body(scene *s, const char *name, double mass, double inertia, double x, double y) {
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/bodies/%s", name);
  if (s->dimension == 2)
    model_set(s->desc, pointer, "{'mass': %.17g, 'inertia': %.17g, 'position': [%.17g, %.17g]}", mass, inertia, x, y);
  else
    model_set(s->desc, pointer, "{'mass': %.17g, 'inertia': [%.17g, %.17g, %.17g], 'position': [%.17g, %.17g, 0]}",
              mass, inertia, inertia, inertia, x, y);
}

/* prismatic along x, or revolute about z, at the second body or at the origin */
static void joint(scene *s, const char *name, const char *type, const char *first, const char *second, bool at_origin) {
  char pointer[64], at[64];
  const bool turns = strcmp(type, "revolute") == 0;
  snprintf(pointer, sizeof pointer, "/joints/%s", name);
  snprintf(at, sizeof at, at_origin ? s->dimension == 2 ? "[0, 0]" : "[0, 0, 0]" : "'%s'", second);
  model_set(s->desc, pointer, "{'type': '%s', 'between': ['%s', '%s'], 'at': %s%s}", type, first, second, at,
            !turns              ? ", 'axis': 'x'"
            : s->dimension == 3 ? ", 'axis': 'z'"
                                : "");
}

static void start(scene *s, const char *channel, double value) {
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/start/%s", channel);
  model_set(s->desc, pointer, "%.17g", value);
}

static void outputs(scene *s, const char *x, const char *v) {
  model_set(s->desc, "/outputs", "{'x': '%s', 'v': '%s'}", x, v);
}

/* ---- the small part ------------------------------------------------------------------------------------------------------ */

typedef struct small {
  const char *name;
  enum { POINT, GUIDE, PENDULUM } kind;
  double mass;
  double amplitude; /* m, of a pendulum rad                                      */
  double omega;     /* rad/s, undamped                                           */
  double length;    /* m, of a pendulum: to its mass centre. inertia mass length^2 */
  double zeta;      /* damping ratio                                             */
} small;

static const small smalls[] = {{"unit", GUIDE, 1, 1, 1, 0, 0},
                               {"point", POINT, 1, 0.01, 20, 0, 0},
                               {"seismo", GUIDE, 1, 1e-7, 6.283185307179586, 0, 0},
                               {"mems", GUIDE, 1e-9, 1e-6, 6.283185307179586e4, 0, 0},
                               {"damped", GUIDE, 1e-3, 1e-6, 600, 0, 1e-3},
                               {"pendulum", PENDULUM, 1, 1, 0, 1, 0},
                               {"plumb", PENDULUM, 1, 1e-6, 0, 1, 0},
                               {"hair", PENDULUM, 1e-12, 1, 0, 1e-6, 0}};
enum { SMALLS = sizeof smalls / sizeof *smalls };

static void put_small(scene *s, const small *p) {
  if (p->kind == PENDULUM) {
    model_set(s->desc, "/gravity", s->dimension == 2 ? "[0, -9.81]" : "[0, -9.81, 0]");
    body(s, "m", p->mass, p->mass * p->length * p->length, 0, -p->length);
    joint(s, "hinge", "revolute", "ground", "m", true);
    start(s, "hinge.angle", p->amplitude);
    start(s, "hinge.rate", 0);
    outputs(s, "hinge.angle", "hinge.rate");
    s->form = (form){.k = sin(p->amplitude / 2), .w = sqrt(9.81 / (2 * p->length)), .amplitude = p->amplitude};
    return;
  }
  const double d = p->zeta * p->omega, w = sqrt(p->omega * p->omega - d * d);
  const char *on = p->kind == POINT ? "m.x" : "guide.shift";
  if (p->kind == POINT) {
    model_set(s->desc, "/bodies/m", "{'mass': %.17g, 'coordinates': 'point'}", p->mass);
    outputs(s, "m.x", "m.vx");
  } else {
    body(s, "m", p->mass, p->mass * p->amplitude * p->amplitude, 0, 0);
    joint(s, "guide", "prismatic", "ground", "m", false);
    outputs(s, "guide.shift", "guide.speed");
  }
  start(s, on, p->amplitude);
  start(s, p->kind == POINT ? "m.vx" : "guide.speed", 0);
  model_set(s->desc, "/forces/k", "{'type': 'spring', 'on': '%s', 'stiffness': %.17g, 'damping': %.17g}", on,
            p->mass * p->omega * p->omega, 2 * p->mass * d);
  s->form = (form){.a = p->amplitude, .b = p->amplitude * d / w, .w = w, .d = d, .amplitude = p->amplitude};
}

/* ---- judged --------------------------------------------------------------------------------------------------------------- */

/* the scene, which is freed, with the integrator named or the default */
static void judge_scene(scene *s, const char *integrator, judge *j, const char *name) {
  const form *f = &s->form;
  const double T = period(f);
  ref_table run = {0};
  tn_model *model = NULL;
  double off[2] = {0, 0};
  model_set(s->desc, "/run", "{'until': %.17g, 'every': %.17g}", PERIODS * T, 0.43 * T);
  if (integrator) model_set(s->desc, "/run/integrator", "'%s'", integrator);
  const bool ok = ref_compile(s->desc, &model) && ref_run(model, &run, NULL) && run.rows > 200;
  for (int i = 0; ok && i < run.rows; i++) {
    double x, v;
    exact(f, run.t[i], &x, &v);
    off[0] = fmax(off[0], fabs(run.value[2 * i] - x));
    off[1] = fmax(off[1], fabs(run.value[2 * i + 1] - v) / f->w);
  }
  judge_case(j, name, off[1] > off[0] ? "v/omega" : "x", ok ? fmax(off[0], off[1]) : INFINITY,
             SHARE * f->amplitude + ROUNDOFF * s->far);
  ref_table_free(&run);
  tn_model_free(model);
  tn_desc_free(s->desc);
}

typedef struct way {
  const char *name;
  void (*make)(scene *s, const small *p);
  const small *small;
  const char *beside, *integrator; /* NULL: nothing; the default */
} way;

/* in plane and space, in absolute and relative coordinates */
static void four_ways(judge *j, const way *w) {
  for (int i = 0; i < 4; i++) {
    const bool space = i / 2, relative = i % 2;
    const char *coordinates = relative ? "relative" : "absolute";
    char name[128];
    scene s;
    snprintf(name, sizeof name, "%s %s %s %s %s", w->small->name, w->name, space ? "space" : "plane", coordinates,
             w->integrator ? w->integrator : "default");
    if (!judge_wants(name)) continue;
    begin(&s, space ? 3 : 2, coordinates);
    w->make(&s, w->small);
    if (w->beside) bystander_add(s.desc, s.dimension, bystander_named(w->beside));
    /* an orientation needs steps for every turn: a wheel that turns 10,000 times says no more than one that turns a thousand times */
    if (space && !relative && w->beside && bystander_named(w->beside)->rate * PERIODS * period(&s.form) > 1e4)
      tn_desc_free(s.desc);
    else
      judge_scene(&s, w->integrator, j, name);
  }
}

static void smalls_beside(const char *beside) {
  judge j = {0};
  for (int i = 0; i < SMALLS; i++) {
    const way w = {beside ? beside : "alone", put_small, &smalls[i], beside, NULL};
    four_ways(&j, &w);
  }
  CHECK(judge_ends(&j, beside ? beside : "alone"));
}

TEST_FULL(small_parts_alone) { smalls_beside(NULL); }
TEST_FULL(small_parts_beside_a_ship_far_away) { smalls_beside("ship"); }
TEST_FULL(small_parts_beside_a_fast_flywheel) { smalls_beside("flywheel"); }
TEST_FULL(small_parts_beside_a_train) { smalls_beside("train"); }
TEST_FULL(small_parts_beside_a_planet_at_rest) { smalls_beside("planet"); }
TEST_FULL(small_parts_beside_a_planet_on_its_orbit) { smalls_beside("orbit"); }
TEST_FULL(small_parts_beside_a_crane_that_swings) { smalls_beside("crane"); }

/* ---- on something that moves ------------------------------------------------------------------------------------------------ */

/* seat and car on a spring: s'' = -k (1/m + 1/M) s, whatever the speed of the car */
static void on_a_train(scene *s, const small *p) {
  const double M = 1e4, k = p->mass * p->omega * p->omega, w = sqrt(k * (1 / p->mass + 1 / M)), v = 30;
  body(s, "car", M, 1e4, 0, 0);
  body(s, "car2", M, 1e4, 1000, 0);
  body(s, "m", p->mass, p->mass, 0, 0);
  joint(s, "rail", "prismatic", "ground", "car", false);
  joint(s, "rail2", "prismatic", "ground", "car2", false);
  joint(s, "seat", "prismatic", "car", "m", false);
  model_set(s->desc, "/forces/k", "{'type': 'spring', 'on': 'seat.shift', 'stiffness': %.17g}", k);
  start(s, "car.vx", v);
  start(s, "car2.vx", v);
  start(s, "seat.shift", p->amplitude);
  start(s, "seat.speed", 0);
  outputs(s, "seat.shift", "seat.speed");
  s->form = (form){.a = p->amplitude, .w = w, .amplitude = p->amplitude};
  s->far = v * PERIODS * period(&s->form);
}

/* on a rotor that is driven at W, on a radius of 1 m: s'' = W^2 (1 + s) - w^2 s */
static void on_a_rotor(scene *s, const small *p) {
  const double W = 1, w = sqrt(p->omega * p->omega - W * W), c = W * W / (w * w);
  body(s, "rotor", 1e3, 1e3, 0, 0);
  body(s, "m", p->mass, p->mass * 1e-6, 1, 0);
  joint(s, "axle", "revolute", "ground", "rotor", true);
  joint(s, "guide", "prismatic", "rotor", "m", false);
  model_set(s->desc, "/joints/drive", "{'type': 'driver', 'on': 'axle.angle', 'value': '%.17g*t'}", W);
  model_set(s->desc, "/forces/k", "{'type': 'spring', 'on': 'guide.shift', 'stiffness': %.17g}",
            p->mass * p->omega * p->omega);
  start(s, "guide.shift", c + p->amplitude);
  start(s, "guide.speed", 0);
  outputs(s, "guide.shift", "guide.speed");
  s->form = (form){.c = c, .a = p->amplitude, .w = w, .amplitude = p->amplitude};
  s->far = 1;
}

/* tied to a ship that moves at V by a spring q that is at rest over 100 km: x'' = -(k x + q (x - V t))/m */
static void tied_to_a_ship(scene *s, const small *p) {
  const double q = 1e-9, k = p->mass * p->omega * p->omega, V = 10, drift = q * V / (k + q);
  put_small(s, p);
  bystander_add(s->desc, s->dimension, bystander_named("ship"));
  model_set(
      s->desc, "/forces/tie",
      "{'type': 'spring', 'between': ['m', 'bystander'], 'at': ['m', 'bystander'], 'stiffness': %.17g, 'length': 1e5}",
      q);
  s->form.w = sqrt((k + q) / p->mass);
  s->form.s = drift;
  s->form.b = -drift / s->form.w;
}

static const small cart = {"cart", GUIDE, 1, 1e-3, 20, 0, 0}, sensor = {"sensor", GUIDE, 1e-6, 1e-7, 6283, 0, 0};

/* with other integrators too: of two numbers that are large and nearly equal, the difference is what has to be right */
TEST_FULL(small_parts_on_a_train) {
  static const char *const integrators[] = {NULL, "dop853", "abm", "radau5"};
  judge j = {0};
  for (int i = 0; i < 8; i++) {
    const way w = {"on_train", on_a_train, i % 2 ? &sensor : &cart, NULL, integrators[i / 2]};
    four_ways(&j, &w);
  }
  CHECK(judge_ends(&j, "on a train"));
}

TEST_FULL(a_sensor_on_a_large_rotor) {
  const way w = {"on_rotor", on_a_rotor, &sensor, NULL, NULL};
  judge j = {0};
  four_ways(&j, &w);
  CHECK(judge_ends(&j, "on a rotor"));
}

TEST_FULL(small_parts_tied_to_a_ship_by_a_weak_spring) {
  judge j = {0};
  for (int i = 0; i < SMALLS; i++) {
    const way w = {"tied", tied_to_a_ship, &smalls[i], NULL, NULL};
    if (smalls[i].kind != PENDULUM && smalls[i].zeta == 0) four_ways(&j, &w);
  }
  CHECK(judge_ends(&j, "tied to a ship"));
}

/* ---- moved as a whole ---------------------------------------------------------------------------------------------------- */

/* X: where it is, m; V: how fast it moves, m/s; S: by what the speeds inside of it are smaller. two that nothing holds, two on a
 * carriage that is driven */
static const struct {
  const char *name, *text;
} moved[] = {
    {"floating_plane", "{ 'tenon': 1, 'dimension': 2, 'bodies': { 'a': { 'rod': [['X', 0], ['X + 1', 0]], 'mass': 2 },"
                       "    'b': { 'rod': [['X + 1', 0], ['X + 1.5', 0.5]], 'mass': 1 }, 'c': { 'mass': 0.5, "
                       "'inertia': 0.1, 'position': ['X + 2', 1] } },"
                       "  'joints': { 'pin': { 'type': 'revolute', 'between': ['a', 'b'], 'at': ['X + 1', 0] } },"
                       "  'forces': { 's': { 'type': 'spring', 'between': ['b', 'c'], 'at': [['X + 1.5', 0.5], ['X + "
                       "2.1', 1]], 'stiffness': 50, 'damping': 0.1 } },"
                       "  'start': { 'a.vx': 'V + 0.1*S', 'a.vy': 0, 'a.rate': 'S', 'pin.rate': '3*S', 'c.vx': 'V', "
                       "'c.vy': '0.5*S', 'c.rate': '2*S' },"
                       "  'outputs': { 'angle': 'pin.angle', 'rate': 'pin.rate', 'x': 'c.x - a.x', 'vx': 'c.vx - "
                       "a.vx', 'turn': 'c.angle', 'load': 'norm(force(pin))' },"
                       "  'run': { 'until': 10, 'every': 0.1 } }"},
    {"floating_space", "{ 'tenon': 1, 'dimension': 3, 'bodies': { 'a': { 'rod': [['X', 0, 0], ['X + 1', 0, 0]], "
                       "'radius': 0.1, 'mass': 2 },"
                       "    'b': { 'rod': [['X + 1', 0, 0], ['X + 1.5', 0.5, 0.2]], 'radius': 0.1, 'mass': 1 }, 'c': { "
                       "'mass': 0.5, 'inertia': [0.1, 0.12, 0.15], 'position': ['X + 2', 1, 0.5] } },"
                       "  'joints': { 'ball': { 'type': 'spherical', 'between': ['a', 'b'], 'at': ['X + 1', 0, 0] } },"
                       "  'forces': { 's': { 'type': 'spring', 'between': ['b', 'c'], 'at': [['X + 1.5', 0.5, 0.2], "
                       "['X + 2.1', 1, 0.5]], 'stiffness': 50, 'damping': 0.1 } },"
                       "  'start': { 'a.vx': 'V + 0.1*S', 'a.vy': 0, 'a.vz': 0, 'a.wx': '0.2*S', 'a.wy': '0.3*S', "
                       "'a.wz': 'S', 'b.wx': 'S', 'b.wy': '-S', 'b.wz': '2*S',"
                       "             'c.vx': 'V', 'c.vy': '0.5*S', 'c.vz': 0, 'c.wx': '2*S', 'c.wy': 0, 'c.wz': 'S' },"
                       "  'outputs': { 'spin': 'b.wx', 'x': 'c.x - a.x', 'vx': 'c.vx - a.vx', 'axle': 'axis(b, x)', "
                       "'load': 'norm(force(ball))' },"
                       "  'run': { 'until': 10, 'every': 0.1 } }"},
    {"carried_plane",
     "{ 'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'points': { 'A': ['X', 0], 'B': ['X', 1], 'C': ['X + 3', "
     "2], 'D': ['X + 4', 0] },"
     "  'bodies': { 'car': { 'mass': 100, 'inertia': 10, 'position': ['X', 0] }, 'crank': { 'rod': ['A', 'B'], 'mass': "
     "1 }, 'coupler': { 'rod': ['B', 'C'], 'mass': 3 }, 'rocker': { 'rod': ['D', 'C'], 'mass': 2 } },"
     "  'joints': { 'rail': { 'type': 'prismatic', 'between': ['ground', 'car'], 'at': 'car', 'axis': 'x' }, 'drive': "
     "{ 'type': 'driver', 'on': 'rail.shift', 'value': 'V*t' },"
     "    'A': { 'type': 'revolute', 'between': ['car', 'crank'], 'at': 'A' }, 'B': { 'type': 'revolute', 'between': "
     "['crank', 'coupler'], 'at': 'B' },"
     "    'C': { 'type': 'revolute', 'between': ['coupler', 'rocker'], 'at': 'C' }, 'D': { 'type': 'revolute', "
     "'between': ['car', 'rocker'], 'at': 'D' } },"
     "  'start': { 'A.rate': 6 },"
     "  'outputs': { 'rate': 'A.rate', 'angle': 'D.angle', 'x': 'coupler.x - car.x', 'vx': 'coupler.vx - car.vx', "
     "'load': 'norm(force(C))' },"
     "  'run': { 'until': 10, 'every': 0.1 } }"},
    {"carried_space", "{ 'tenon': 1, 'dimension': 3, 'gravity': [0, 0, -9.81],"
                      "  'bodies': { 'car': { 'mass': 100, 'inertia': [10, 10, 10], 'position': ['X', 0, 0] }, 'b': { "
                      "'rod': [['X', 0, 0], ['X', 0, -1]], 'radius': 0.1, 'mass': 1 },"
                      "    'c': { 'rod': [['X', 0, -1], ['X + 0.3', 0, -1.5]], 'radius': 0.05, 'mass': 0.5 } },"
                      "  'joints': { 'rail': { 'type': 'prismatic', 'between': ['ground', 'car'], 'at': 'car', 'axis': "
                      "'x' }, 'drive': { 'type': 'driver', 'on': 'rail.shift', 'value': 'V*t' },"
                      "    'ball': { 'type': 'spherical', 'between': ['car', 'b'], 'at': ['X', 0, 0] }, 'elbow': { "
                      "'type': 'universal', 'between': ['b', 'c'], 'at': ['X', 0, -1], 'axes': ['x', 'y'] } },"
                      "  'start': { 'b.wx': 1, 'b.wy': 2, 'b.wz': 0.5, 'elbow.rate1': 1, 'elbow.rate2': -1 },"
                      "  'outputs': { 'spin': 'b.wx', 'x': 'c.x - car.x', 'vx': 'c.vx - car.vx', 'rate': "
                      "'elbow.rate1', 'load': 'norm(force(ball))' },"
                      "  'run': { 'until': 3, 'every': 0.05 } }"}};

static tn_model *model_moved(const char *text, double X, double V, double S, const char *coordinates) {
  tn_desc *desc = model_new(text);
  tn_model *model = NULL;
  model_set(desc, "/constants", "{'X': %.17g, 'V': %.17g, 'S': %.17g}", X, V, S);
  model_set(desc, "/coordinates", "'%s'", coordinates);
  ref_compile(desc, &model);
  tn_desc_free(desc);
  return model;
}

static void move(judge *j, int which, double S, const char *coordinates) {
  static const double X[] = {1000, 0, 1000}, V[] = {0, 30, 30};
  yardstick y = {0};
  tn_model *model = model_moved(moved[which].text, 0, 0, S, coordinates);
  CHECK(model && yardstick_make(&y, model, model->run.until));
  tn_model_free(model);
  for (int k = 0; k < 3; k++) {
    char name[128];
    snprintf(name, sizeof name, "%s S%g X%g V%g %s", moved[which].name, S, X[k], V[k], coordinates);
    /* roundoff of places, eps R, over a motion of S m, times 100 for one that it does to speeds in a step of a hundredth of the
     * motion's time, and 100 for many of them: the floor of the error norm */
    y.roundoff = 1e4 * DBL_EPSILON * (X[k] + V[k] * y.until) / S;
    if (judge_wants(name)) yardstick_judge(&y, model_moved(moved[which].text, X[k], V[k], S, coordinates), 1, j, name);
  }
  yardstick_free(&y);
}

TEST_FULL(a_model_that_moves_as_a_whole_has_the_same_motion_in_itself) {
  judge j = {0};
  for (int relative = 0; relative < 2; relative++) {
    const char *coordinates = relative ? "relative" : "absolute";
    for (int i = 0; i < 4; i++) move(&j, i, 1, coordinates);
    for (int i = 0; i < 2; i++) move(&j, i, 1e-3, coordinates); /* slow beside the motion of the whole */
  }
  CHECK(judge_ends(&j, "moved as a whole"));
}
