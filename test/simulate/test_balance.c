/* the energy balance of each assembly: T_s + V_s - start = work on s, equation (1) of simulate/balance.c, for forces inside and across,
 * motors, drivers, friction, events, whatever integrates and stabilizes; the parts against the whole; a fault in a small part beside a
 * large one. ' stands for " in the models here. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

static void parse(build *b, const char *model) {
  char text[8000];
  if (strlen(model) >= sizeof text) abort();
  for (char *c = strcpy(text, model); *c; c++)
    if (*c == '\'') *c = '"';
  build_parse(b, text);
}

static void set(build *b, const char *at, const char *value) {
  char text[2000];
  if (strlen(value) >= sizeof text) abort();
  for (char *c = strcpy(text, value); *c; c++)
    if (*c == '\'') *c = '"';
  build_set(b, at, "%s", text);
}

/* a double pendulum with a motor, a driven arm, a body between them on springs, dampers and a bushing, a light particle on a spring */
static const char *const plane =
    "{'tenon': 1, 'dimension': 2, 'gravity': [0.5, -9.81],"
    "'bodies': {'a': {'rod': [[0, 0], [1, 0.2]], 'mass': 2}, 'b': {'rod': [[1, 0.2], [1.6, -0.5]], 'mass': 1},"
    "'c': {'rod': [[4, 0], [3, 0]], 'mass': 1.5}, 'd': {'mass': 3, 'inertia': 0.2, 'position': [2.5, -0.5]},"
    "'e': {'mass': 0.01, 'coordinates': 'point', 'position': [2.5, -1.5]}},"
    "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"
    "'B': {'type': 'revolute', 'between': ['a', 'b'], 'at': [1, 0.2]},"
    "'C': {'type': 'revolute', 'between': ['ground', 'c'], 'at': [4, 0]},"
    "'drive': {'type': 'driver', 'on': 'c.angle', 'value': '3.14159265358979 + 0.3*sin(2*t)'}},"
    "'forces': {'motor': {'type': 'dc-motor', 'on': 'A.angle', 'voltage': 12, 'k_torque': 0.5, 'resistance': 2,"
    "'inductance': 0.05, 'rotor_inertia': 0.01},"
    "'push': {'type': 'torque', 'on': 'b', 'value': '0.5*sin(3*t)'},"
    "'rub': {'type': 'friction', 'on': 'B.angle', 'viscous': 0.3},"
    "'inner': {'type': 'spring', 'between': ['a', 'b'], 'at': [[0.5, 0.1], [1.3, -0.15]], 'stiffness': 40},"
    "'base': {'type': 'spring', 'between': ['ground', 'd'], 'at': [[2.5, 2], [2.5, -0.4]], 'stiffness': 300,"
    "'damping': 1},"
    "'link': {'type': 'spring', 'between': ['b', 'd'], 'at': [[1.6, -0.5], [2.3, -0.5]], 'stiffness': 60, 'length': "
    "0.5,"
    "'damping': 0.4},"
    "'bush': {'type': 'bushing', 'between': ['d', 'c'], 'at': [2.8, -0.2], 'stiffness': [80, 50, 3],"
    "'damping': [0.5, 0.6, 0.2]},"
    "'hang': {'type': 'spring', 'between': ['e', 'd'], 'at': ['e', [2.5, -0.6]], 'stiffness': 2, 'length': 0.85}},"
    "'start': {'b.rate': 1, 'e.vx': 0.3},"
    "'outputs': {'balance': 'energy.balance'}, 'run': {'until': 2, 'every': 0.05}}";

/* in space: a spinning body on a ball joint, a free body, a hinged plate; springs, a bushing and dampers between them */
static const char *const space =
    "{'tenon': 1, 'dimension': 3, 'gravity': [0.2, 0, -9.81],"
    "'bodies': {'top': {'mass': 2, 'inertia': [0.1, 0.1, 0.2], 'position': [0, 0, 1]},"
    "'box': {'mass': 3, 'inertia': [0.3, 0.2, 0.1], 'position': [2, 0.3, 1]},"
    "'plate': {'mass': 1, 'inertia': [0.1, 0.2, 0.3], 'position': [4, 0, 1.2]}},"
    "'joints': {'ball': {'type': 'spherical', 'between': ['ground', 'top'], 'at': [0, 0, 0]},"
    "'hinge': {'type': 'revolute', 'between': ['ground', 'plate'], 'at': [4, 0, 1], 'axis': 'y'}},"
    "'forces': {'s1': {'type': 'spring', 'between': ['top', 'box'], 'at': [[0, 0, 1.1], [1.9, 0.2, 1]], 'stiffness': "
    "40,"
    "'damping': 0.3},"
    "'s2': {'type': 'spring', 'between': ['ground', 'box'], 'at': [[2, 0.3, 3], [2, 0.3, 1.1]], 'stiffness': 200,"
    "'damping': 0.2},"
    "'bush': {'type': 'bushing', 'between': ['box', 'plate'], 'at': [3, 0, 1], 'stiffness': [20, 30, 40, 2, 3, 4],"
    "'damping': [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]},"
    "'twist': {'type': 'torque', 'on': 'hinge.angle', 'value': '0.3*sin(4*t)'}},"
    "'start': {'guess': {'top.wz': 20, 'box.wx': 1, 'box.wy': 2}},"
    "'outputs': {'balance': 'energy.balance'}, 'run': {'until': 2, 'every': 0.05}}";

typedef struct found {
  double balance; /* largest of the summary                                                            */
  double apart;   /* of the whole's balance and the sum of the parts', over all T                       */
  double split;   /* of T + V of the whole and of the parts, relative                                   */
  double least;   /* of the parts: the largest |work| over the largest T                                */
} found;

/* where the run has ended */
static found audit(build *b) {
  tn_sim *s = b->sim;
  tn_system *sys = &s->solver.sys;
  const tn_balances *p = &s->ledger.balances;
  found f = {.balance = tn_sim_summary(s)->energy_balance, .least = INFINITY};
  double T, V, sum = 0, energy = 0, most = 0;
  const double whole = build_channel(b, "energy.balance");
  tn_energy_here(sys, &T, &V);
  tn_energy_by_assembly(sys, p->kinetic, p->potential);
  const double *work = tn_ledger_of(s, s->now.y) + TN_LEDGERS;
  for (int i = 0; i < p->n; i++) {
    energy += p->kinetic[i] + p->potential[i];
    sum += p->kinetic[i] + p->potential[i] - p->energy0[i] - work[i];
    most += fabs(p->kinetic[i]) + fabs(p->potential[i]);
    f.least = fmin(f.least, fabs(work[i]) / p->max_kinetic[i]);
  }
  for (int i = 0; i < b->model->forces; i++)
    if (b->model->force_assembly[i] == TN_ACROSS) energy += sys->forces.out[i].energy;
  f.split = fabs(T + V - energy) / most;
  f.apart = fabs(whole - sum) / tn_sim_summary(s)->max_kinetic;
  return f;
}

static bool ran(build *b) {
  build_table t = {0};
  const bool well = build_simulate(b) && build_run(b, &t);
  if (!well) FAIL("%s", b->message);
  build_table_free(&t);
  return well;
}

static bool is_here(const char *integrator) {
  for (const tn_left_out *x = tn_types_left_out; x->name; x++)
    if (strcmp(x->name, integrator) == 0) return false;
  return true;
}

static void check(build *b, const char *what, double tolerance) {
  if (!ran(b)) return;
  const found f = audit(b);
  printf("%-64s balance %.1e, whole - parts %.1e, energies %.1e, work at least %.1e\n", what, f.balance, f.apart,
         f.split, f.least);
  CHECK(b->sim->ledger.balances.n > 1);
  CHECK(f.balance <= tolerance);
  CHECK(f.apart <= 2 * tolerance); /* what springs across store is in the whole as it is, in the parts as an integral */
  CHECK(f.split <= 1e-13);
  CHECK(f.least >= 1e-3); /* something happened in each of them */
}

TEST(whatever_integrates) {
  static const struct {
    const char *name, *integrator;
    double tolerance;
  } how[] = {{"dopri5", "{'type': 'dopri5', 'rtol': 1e-9, 'atol': 1e-9}", 1e-8},
             {"dop853", "{'type': 'dop853', 'rtol': 1e-9, 'atol': 1e-9}", 1e-8},
             {"abm", "{'type': 'abm', 'rtol': 1e-9, 'atol': 1e-9}", 1e-8},
             {"radau5", "{'type': 'radau5', 'rtol': 1e-9, 'atol': 1e-9}", 1e-7},
             {"trbdf2", "{'type': 'trbdf2', 'rtol': 1e-7, 'atol': 1e-7}", 1e-4},
             {"rk4", "{'type': 'rk4', 'step': 0.001}", 1e-7},
             {"ab4", "{'type': 'ab4', 'step': 0.0005}", 1e-6},
             {"ampc4", "{'type': 'ampc4', 'step': 0.0005}", 1e-7},
             {"cvode-adams", "{'type': 'cvode-adams', 'rtol': 1e-9, 'atol': 1e-9}", 1e-7},
             {"cvode-bdf", "{'type': 'cvode-bdf', 'rtol': 1e-9, 'atol': 1e-9}", 1e-7},
             {"arkode", "{'type': 'arkode', 'rtol': 1e-9, 'atol': 1e-9}", 1e-8},
             {"ida", "{'type': 'ida', 'rtol': 1e-9, 'atol': 1e-9}", 1e-6}};
  for (size_t i = 0; i < sizeof how / sizeof *how; i++)
    for (int n = 0; n < 4 && is_here(how[i].name); n++) {
      build b;
      char what[80];
      build_new(&b, 1);
      parse(&b, n / 2 ? space : plane);
      set(&b, "/coordinates", n % 2 ? "'relative'" : "'absolute'");
      set(&b, "/run/integrator", how[i].integrator);
      set(&b, "/run/contract", "{'breach': 'record'}");
      /* ida does not control multipliers, and the work of a driver is made of them: of the whole too it may be off by much */
      if (n < 2 && strcmp(how[i].name, "ida") == 0)
        set(&b, "/joints/drive", "{'type': 'coordinate', 'terms': {'c.angle': 1}, 'value': 3.1, 'active': false}");
      snprintf(what, sizeof what, "%s, %s, %s", how[i].name, n / 2 ? "space" : "plane",
               n % 2 ? "relative" : "absolute");
      check(&b, what, how[i].tolerance);
      build_free(&b);
    }
}

/* formulations that pack, and all ways to keep the constraints; the start is off them */
TEST(whatever_stabilizes) {
  static const struct {
    const char *at, *value;
    double tolerance;
  } how[] = {{"/run/stabilize", "'none'", 1e-6},
             {"/run/stabilize", "'project'", 1e-6},
             {"/run/stabilize", "{'type': 'baumgarte', 'alpha': 5, 'beta': 12}", 1e-6},
             {"/run/stabilize", "{'type': 'baumgarte', 'alpha': 8, 'beta': 8, 'feedback': 'held'}", 1e-6},
             {"/run/stabilize", "[{'type': 'baumgarte', 'alpha': 5, 'beta': 5}, 'project']", 1e-6},
             {"/run/stabilize", "'embedded'", 1e-5},
             {"/run/stabilize", "'adjust'", 1e-6},
             {"/run/method", "'gcpi'", 1e-6},
             {"/run/method", "'scpi'", 1e-6},
             {"/run/method", "'nullspace'", 1e-6},
             {"/run/method", "'braun-goldfarb'", 1e-5},
             {"/run/method", "'baumgarte-step'", 1e-5},
             {"/run/method", "'fuzzy'", 1e-5},
             {"/run/formulation", "{'type': 'partition', 'layout': 'independent'}", 1e-6},
             {"/run/formulation", "{'type': 'partition', 'layout': 'speeds'}", 1e-6}};
  for (size_t i = 0; i < sizeof how / sizeof *how; i++)
    for (int fixed = 0; fixed < 3; fixed++) {
      build b;
      char what[120];
      const bool given = i < 7;                                  /* methods refuse or close it at once */
      if (fixed == 1 && strstr(how[i].value, "-step")) continue; /* unstable with ab4 */
      build_new(&b, 1);
      parse(&b, plane);
      set(&b, "/run/contract", "{'breach': 'record'}");
      set(&b, "/joints/B", "{'type': 'revolute', 'between': ['a', 'b'], 'on_bodies': [[1.021, 0], [0.005, -0.003]]}");
      set(&b, "/start/mode", given ? "'as-given'" : "'assemble'");
      set(&b, how[i].at, how[i].value);
      set(&b, "/run/integrator",
          fixed == 0   ? "{'type': 'dopri5', 'step': 0.001}"
          : fixed == 1 ? "{'type': 'ab4', 'step': 0.00025}"
                       : "{'type': 'dopri5', 'rtol': 1e-10, 'atol': 1e-10}");
      snprintf(what, sizeof what, "%.60s %s", how[i].value, fixed == 0 ? "fixed" : fixed == 1 ? "ab4" : "adaptive");
      /* jumps of the first steps are rough for a formula that keeps rates: so they are in the whole */
      check(&b, what, fixed == 1 && given ? 1e-2 : how[i].tolerance);
      build_free(&b);
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

/* two sliders that lock when they meet, a spring that is switched off and on inside one part, another across, a driver that jumps */
static const char *const eventful =
    "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'parameters': {'rate': 0.5},"
    "'bodies': {'p': {'mass': 1, 'inertia': 0.1}, 'q': {'mass': 2, 'inertia': 0.1, 'position': [1, 0]},"
    "'r': {'mass': 1, 'coordinates': 'point', 'position': [0, 3]}, 'arm': {'rod': [[5, 0], [6, 0]], 'mass': 1}},"
    "'joints': {'pr': {'type': 'prismatic', 'between': ['ground', 'p'], 'at': 'p', 'axis': 'x'},"
    "'qr': {'type': 'prismatic', 'between': ['ground', 'q'], 'at': 'q', 'axis': 'x'},"
    "'lock': {'type': 'coordinate', 'terms': {'p.x': 1, 'q.x': -1}, 'value': 0, 'active': false},"
    "'pin': {'type': 'revolute', 'between': ['ground', 'arm'], 'at': [5, 0]},"
    "'turn': {'type': 'driver', 'on': 'pin.angle', 'value': 'rate*(t - 0.7)'}},"
    "'forces': {'k': {'type': 'spring', 'between': ['ground', 'r'], 'at': [[0, 4], 'r'], 'stiffness': 20, 'length': "
    "0.3,"
    "'active': true}, 'across': {'type': 'spring', 'between': ['r', 'p'], 'at': ['r', 'p'], 'stiffness': 3, 'length': "
    "2,"
    "'active': true}, 'pull': {'type': 'spring', 'between': ['ground', 'q'], 'at': [[-1, 0], [1, 0]], 'stiffness': 5}},"
    "'events': {'meet': {'when': 'q.x - p.x', 'times': 1, 'do': {'on': 'lock'}},"
    "'cut': {'when': 't > 0.3', 'do': [{'off': 'k'}, {'off': 'across'}]},"
    "'back': {'when': 't > 0.6', 'do': [{'on': 'k'}, {'on': 'across'}]},"
    "'faster': {'when': 't > 0.7', 'do': {'set': {'rate': 3}}}},"
    "'start': {'p.vx': 1, 'q.vx': -1},"
    "'outputs': {'balance': 'energy.balance'}, 'run': {'until': 1.5, 'every': 0.05}}";

TEST(events_and_impulses) {
  static const char *const integrator[] = {"{'type': 'dopri5', 'rtol': 1e-9, 'atol': 1e-9}",
                                           "{'type': 'radau5', 'rtol': 1e-9, 'atol': 1e-9}",
                                           "{'type': 'rk4', 'step': 0.002}"};
  for (int i = 0; i < 3; i++)
    for (int n = 0; n < 3; n++) {
      build b;
      build_new(&b, 1);
      parse(&b, eventful);
      set(&b, "/coordinates", n == 1 ? "'relative'" : "'absolute'");
      if (n == 2) set(&b, "/run/formulation", "{'type': 'partition', 'layout': 'independent'}");
      set(&b, "/run/integrator", integrator[i]);
      check(&b, integrator[i], 1e-6);
      if (b.sim) {
        CHECK(b.sim->ledger.balances.n == 3); /* p and q are one: a joint can tie them */
        CHECK(tn_sim_summary(b.sim)->impulses >= 2);
        CHECK(tn_sim_summary(b.sim)->fired == 4);
      }
      build_free(&b);
    }
}

/* ---- saved and put back --------------------------------------------------------------------------------------------------- */

typedef struct bytes {
  unsigned char data[200000];
  size_t used;
} bytes;

static bool to_bytes(void *user, const char *text, size_t n) {
  bytes *b = user;
  if (b->used + n > sizeof b->data) return false;
  memcpy(b->data + b->used, text, n);
  b->used += n;
  return true;
}

TEST(resumed_balances_are_the_same) {
  static bytes state;
  build b[2];
  tn_error e;
  state.used = 0;
  for (int i = 0; i < 2; i++) {
    build_new(&b[i], 1);
    parse(&b[i], plane);
    if (!build_simulate(&b[i])) FAIL("%s", b[i].message);
  }
  CHECK(tn_sim_advance(b[0].sim, 0.7, &e) == TN_OK && tn_sim_save(b[0].sim, to_bytes, &state, &e) == TN_OK);
  CHECK(tn_sim_load(b[1].sim, state.data, state.used, &e) == TN_OK);
  for (int i = 0; i < 2; i++) CHECK(tn_sim_advance(b[i].sim, 2, &e) == TN_OK);
  const tn_summary *x = tn_sim_summary(b[0].sim), *y = tn_sim_summary(b[1].sim);
  CHECK(memcmp(b[0].sim->now.y, b[1].sim->now.y, sizeof(double) * (size_t)b[0].sim->n) == 0);
  CHECK(x->energy_balance == y->energy_balance && x->balance_kinetic == y->balance_kinetic);
  CHECK(x->balance_bodies == y->balance_bodies && strcmp(x->balance_part, y->balance_part) == 0);
  const size_t n = sizeof(double) * (size_t)b[0].sim->ledger.balances.n;
  CHECK(memcmp(b[0].sim->ledger.balances.max_balance, b[1].sim->ledger.balances.max_balance, n) == 0);
  CHECK(memcmp(b[0].sim->ledger.balances.max_kinetic, b[1].sim->ledger.balances.max_kinetic, n) == 0);
  for (int i = 0; i < 2; i++) build_free(&b[i]);
}

/* ---- what a large part hid ------------------------------------------------------------------------------------------------- */

/* a mass on a spring, at a step that is too long for it, beside a free body of much energy, far away or spinning; alone, its balance is
 * the same number */
TEST(a_small_part_is_seen_beside_a_large_one) {
  static const char *const small =
      "{'tenon': 1, 'dimension': 2, 'bodies': {'m': {'mass': 1, 'coordinates': 'point', 'position': [0.01, 0]}},"
      "'forces': {'k': {'type': 'spring', 'on': 'm.x', 'stiffness': 400}},"
      "'run': {'until': 10, 'every': 0.1, 'integrator': {'type': 'rk4', 'step': 0.04}}}";
  static const char *const beside[] = {
      "{'mass': 1e6, 'coordinates': 'point', 'position': [1e5, 0]}",
      "{'mass': 1e6, 'inertia': 1e9, 'position': [3, 0]}",
  };
  static const char *const start[] = {"{'big.vx': 10}", "{'big.rate': 100}"};
  double alone = 0;
  for (int i = -1; i < 2; i++)
    for (int order = 0; order < 2; order++) { /* the part of the fault is the first, or the last */
      build b;
      build_new(&b, 1);
      parse(&b, small);
      if (i >= 0 && order) { /* before it */
        set(&b, "/bodies", "{}");
        set(&b, "/bodies/big", beside[i]);
        set(&b, "/bodies/m", "{'mass': 1, 'coordinates': 'point', 'position': [0.01, 0]}");
      }
      if (i >= 0) set(&b, "/bodies/big", beside[i]);
      if (i >= 0) set(&b, "/start", start[i]);
      if (!ran(&b)) continue;
      const tn_summary *s = tn_sim_summary(b.sim);
      if (i < 0) alone = s->energy_balance;
      printf("balance %.6g of %.6g J, '%s'\n", s->energy_balance, s->balance_kinetic, s->balance_part);
      CHECK_TEXT(s->balance_part, i < 0 ? "" : "m");
      CHECK(s->balance_bodies == 1);
      CHECK_NEAR(s->energy_balance, alone, 1e-12 * alone);
      CHECK(alone > 1e-2); /* the motion is wrong, and it shows */
      CHECK(s->balance_kinetic < 0.03);
      build_free(&b);
    }
}

/* parts of one model are worth what they are worth alone: of each the balance is that of a model with nothing else in it */
TEST(parts_that_do_not_meet_are_as_they_are_alone) {
  static const char *const body[] = {"{'mass': 1, 'coordinates': 'point', 'position': [0.01, 0]}",
                                     "{'mass': 7, 'coordinates': 'point', 'position': [100, 0]}",
                                     "{'mass': 1e-6, 'coordinates': 'point', 'position': [1e-5, 0]}"};
  static const char *const stiffness[] = {"400", "100", "1e-5"};
  double alone[3];
  for (int i = 0; i < 4; i++) {
    build b;
    build_new(&b, 1);
    for (int k = 0; k < 3; k++) {
      char at[40], spring[100];
      if (i < 3 && k != i) continue;
      snprintf(at, sizeof at, "/bodies/m%d", k);
      set(&b, at, body[k]);
      snprintf(at, sizeof at, "/forces/k%d", k);
      snprintf(spring, sizeof spring, "{'type': 'spring', 'on': 'm%d.x', 'stiffness': %s}", k, stiffness[k]);
      set(&b, at, spring);
    }
    set(&b, "/run", "{'until': 5, 'every': 0.1, 'integrator': {'type': 'rk4', 'step': 0.02}}");
    if (ran(&b)) {
      if (i < 3)
        alone[i] = b.sim->ledger.max_balance;
      else
        for (int k = 0; k < 3; k++) CHECK_NEAR(b.sim->ledger.balances.max_balance[k], alone[k], 1e-12 * alone[k]);
    }
    build_free(&b);
  }
}

/* at rest nothing is judged by its roundoff */
TEST(parts_at_rest) {
  build b;
  build_new(&b, 1);
  parse(&b, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"
            "'bodies': {'a': {'rod': [[0, 0], [0, -1]], 'mass': 1}, 'b': {'rod': [[2, 0], [3, 0]], 'mass': 1},"
            "'c': {'mass': 1, 'coordinates': 'point', 'position': [7.3, 0.1]}},"
            "'joints': {'A': {'type': 'revolute', 'between': ['ground', 'a'], 'at': [0, 0]},"
            "'B': {'type': 'revolute', 'between': ['ground', 'b'], 'at': [2, 0]}},"
            "'forces': {'k': {'type': 'spring', 'between': ['ground', 'c'], 'at': [[7.3, 1.1], 'c'], 'stiffness': 100,"
            "'length': 0.9019}},"
            "'run': {'until': 5, 'every': 0.1}}");
  if (ran(&b)) {
    printf("at rest: %.2e, '%s'\n", tn_sim_summary(b.sim)->energy_balance, tn_sim_summary(b.sim)->balance_part);
    CHECK(tn_sim_summary(b.sim)->energy_balance <= 1e-6);
  }
  build_free(&b);
}

/* a state off the constraints, corrected for an integrator that asks for it: the work on each is what its energy gains */
TEST(corrections_are_work_on_each) {
  build b;
  build_new(&b, 1);
  parse(&b, plane);
  if (!build_simulate(&b)) FAIL("%s", b.message);
  tn_sim *s = b.sim;
  double y[64], before[4], after[4], least = INFINITY;
  bool changed = false;
  CHECK(s->n <= 64 && s->ledger.balances.n == 4);
  memcpy(y, s->now.y, sizeof *y * (size_t)s->n);
  for (int i = 0; i < b.model->nq + b.model->nu; i++) y[i] += 0.01 * (i % 3 + 1);
  CHECK(tn_at(s, s->now.t, y, s->e) == TN_OK);
  tn_balance_energies(s, before);
  CHECK(tn_rates_correct(s, s->now.t, y, &changed) == TN_OK && changed);
  CHECK(tn_at(s, s->now.t, y, s->e) == TN_OK);
  tn_balance_energies(s, after);
  for (int i = 0; i < 4; i++) {
    const double gained = after[i] - before[i];
    CHECK_NEAR(tn_ledger_of(s, y)[TN_LEDGERS + i], gained, 1e-12);
    if (i < 2) least = fmin(least, fabs(gained)); /* the others have no joints */
  }
  CHECK(least > 1e-4);
  build_free(&b);
}
