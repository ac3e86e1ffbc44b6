/* forces with numbers of their own: motors, controllers, actuators of first order. against closed forms (matrix exponentials in
 * long double), against each other, and against the bookkeeping of energy. */
#include "support/build.h"
#include "support/reference.h"
#include "test.h"

/* ---- x' = A x + b, x(0): exp by scaling and squaring of Taylor series ---------------------------------------------------- */

enum { LINEAR = 6 };
typedef struct linear {
  int n;
  long double A[LINEAR][LINEAR], b[LINEAR], x[LINEAR];
} linear;

/* [A b; 0 0] t, so that the constant is a number that does not change */
static void linear_at(const linear *p, long double t, long double *x) {
  enum { N = LINEAR + 1, SQUARINGS = 24 };
  const int n = p->n + 1;
  long double M[N][N] = {{0}}, E[N][N], T[N][N], P[N][N];
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) M[i][j] = p->A[i][j] * t / (1 << SQUARINGS);
    M[i][p->n] = p->b[i] * t / (1 << SQUARINGS);
  }
  /* E - 1 is kept, so that small things are not lost beside the 1 */
  memset(E, 0, sizeof E);
  memset(T, 0, sizeof T);
  for (int i = 0; i < n; i++) T[i][i] = 1;
  for (int k = 1; k < 12; k++) {
    memset(P, 0, sizeof P);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int l = 0; l < n; l++) P[i][j] += T[i][l] * M[l][j] / k;
    memcpy(T, P, sizeof T);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) E[i][j] += T[i][j];
  }
  for (int s = 0; s < SQUARINGS; s++) {
    memset(P, 0, sizeof P);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        P[i][j] = 2 * E[i][j];
        for (int l = 0; l < n; l++) P[i][j] += E[i][l] * E[l][j];
      }
    memcpy(E, P, sizeof E);
  }
  for (int i = 0; i < p->n; i++) {
    x[i] = p->x[i] + E[i][p->n];
    for (int j = 0; j < p->n; j++) x[i] += E[i][j] * p->x[j];
  }
}

/* runs the model of the text at 1e-12 for 2 s; largest error of its outputs, x0 x1 .., against the linear system */
static double against(const char *text, const linear *p) {
  build b;
  build_table t = {0};
  double worst = 0;
  build_new(&b, 1);
  build_parse(&b, text);
  build_tight(&b, 2, 0.05);
  if (!build_simulate(&b) || !build_run(&b, &t)) {
    FAIL("%s", b.message);
    worst = INFINITY;
  }
  for (int i = 0; i < t.rows; i++) {
    long double x[LINEAR];
    linear_at(p, build_at(&t, i, -1), x);
    for (int k = 0; k < p->n; k++) {
      char name[24];
      snprintf(name, sizeof name, "x%d", k);
      const int column = build_column(&b, name);
      if (column >= 0) build_worst(&worst, build_at(&t, i, column), (double)x[k], fabs((double)x[k]));
    }
  }
  if (b.sim && !(tn_sim_summary(b.sim)->energy_balance <= 1e-9))
    FAIL("balance %.2g", tn_sim_summary(b.sim)->energy_balance);
  build_table_free(&t);
  build_free(&b);
  return worst;
}

#define WHEEL                                                                                                          \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'wheel': {'mass': 2, 'inertia': 0.1}},"                  \
  " 'joints': {'axle': {'type': 'revolute', 'between': ['ground', 'wheel'], 'at': [0, 0]}},"
#define CART                                                                                                           \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'cart': {'mass': 2, 'inertia': 1}},"                     \
  " 'joints': {'rail': {'type': 'prismatic', 'between': ['ground', 'cart'], 'at': [0, 0], 'axis': 'x'}},"

/* single quotes for double ones, as in the examples of types */
static double holds(const char *quoted, const linear *p) {
  char text[4000];
  size_t n = strlen(quoted);
  if (n >= sizeof text) return INFINITY;
  for (size_t i = 0; i <= n; i++) text[i] = (char)(quoted[i] == '\'' ? '"' : quoted[i]);
  return against(text, p);
}

/* T132, T133: (angle, rate, current) */
TEST(motor_in_closed_form) {
  const long double n = 20, k = 0.05L, ke = 0.04L, R = 2, L = 0.004L, J = 1e-4L, d = 2e-4L, U = 12,
                    I = 0.1L + n * n * J;
  const linear with = {.n = 3,
                       .A = {{0, 1, 0}, {0, -n * n * d / I, n * k / I}, {0, -ke * n / L, -R / L}},
                       .b = {0, 0, U / L},
                       .x = {0, 3, 0.5L}};
  const char *outputs = "'outputs': {'x0': 'axle.angle', 'x1': 'axle.rate', 'x2': 'motor.current'}}";
  char text[2000];
  snprintf(text, sizeof text,
           WHEEL
           "'forces': {'motor': {'type': 'dc-motor', 'on': 'axle.angle', 'ratio': 20, 'k_torque': 0.05, 'k_emf': 0.04,"
           " 'resistance': 2, 'inductance': 0.004, 'rotor_inertia': 1e-4, 'rotor_damping': 2e-4, 'voltage': 12}},"
           "'start': {'axle.rate': 3, 'motor.current': 0.5}, %s",
           outputs);
  double err = holds(text, &with);
  printf("with inductance %.1e\n", err);
  CHECK(err < 1e-10);
  const linear without = {
      .n = 2, .A = {{0, 1}, {0, -n * n * (d + k * ke / R) / I}}, .b = {0, n * k * U / R / I}, .x = {0, 3}};
  snprintf(text, sizeof text,
           WHEEL
           "'forces': {'motor': {'type': 'dc-motor', 'on': 'axle.angle', 'ratio': 20, 'k_torque': 0.05, 'k_emf': 0.04,"
           " 'resistance': 2, 'rotor_inertia': 1e-4, 'rotor_damping': 2e-4, 'voltage': 12}},"
           "'start': {'axle.rate': 3}, %s",
           outputs);
  err = holds(text, &without);
  printf("without %.1e\n", err);
  CHECK(err < 1e-10);
}

/* T135: PID on a mass with a spring and a damper; (x, v, integral) */
TEST(pid_on_a_linear_plant) {
  const long double m = 2, c = 3, k = 5, kp = 40, ki = 30, kd = 12, goal = 0.7L, goal_rate = 0.2L;
  const linear plant = {.n = 3,
                        .A = {{0, 1, 0}, {-(k + kp) / m, -(c + kd) / m, ki / m}, {-1, 0, 0}},
                        .b = {0, (kp * goal + kd * goal_rate) / m, goal},
                        .x = {0.1L, -0.4L, 0.05L}};
  const char *spring = "'give': {'type': 'spring', 'on': 'rail.shift', 'stiffness': 5, 'damping': 3}";
  const char *start = "'start': {'rail.shift': 0.1, 'rail.speed': -0.4, 'hold.integral': 0.05},"
                      "'outputs': {'x0': 'rail.shift', 'x1': 'rail.speed', 'x2': 'hold.integral'}}";
  char text[2000];
  snprintf(text, sizeof text,
           CART
           "'forces': {%s, 'hold': {'type': 'pid', 'on': 'rail.shift', 'target': 0.7, 'target_rate': 0.2, 'kp': 40, "
           "'ki': 30, 'kd': 12}}, %s",
           spring, start);
  double err = holds(text, &plant);
  printf("on the channel %.1e\n", err);
  CHECK(err < 1e-10);
  /* the same as a signal, of channels that are named, in a force that comes before it */
  snprintf(text, sizeof text,
           CART
           "'forces': {'push': {'type': 'torque', 'on': 'rail.shift', 'value': 'hold.output'}, %s,"
           "'hold': {'type': 'pid', 'of': 'cart.x', 'rate_of': 'cart.vx', 'target': 0.7, 'target_rate': 0.2, 'kp': 40, "
           "'ki': 30, 'kd': 12}}, %s",
           spring, start);
  err = holds(text, &plant);
  printf("as a signal %.1e\n", err);
  CHECK(err < 1e-10);
}

/* T136: the rate of the error behind a lag; (x, v, integral, filtered) */
TEST(pid_with_a_filter) {
  const long double m = 2, kp = 40, ki = 30, kd = 12, goal = 0.7L, T = 0.02L, h = kd / T;
  const linear plant = {.n = 4,
                        .A = {{0, 1, 0, 0}, {-(kp + h) / m, 0, ki / m, -h / m}, {-1, 0, 0, 0}, {-1 / T, 0, 0, -1 / T}},
                        .b = {0, (kp + h) * goal / m, goal, goal / T},
                        .x = {0.1L, -0.4L, 0, 0.6L}};
  const double err =
      holds(CART "'forces': {'hold': {'type': 'pid', 'on': 'rail.shift', 'target': 0.7, 'kp': 40, 'ki': 30, 'kd': 12, "
                 "'filter': 0.02}},"
                 "'start': {'rail.shift': 0.1, 'rail.speed': -0.4, 'hold.filtered': 0.6},"
                 "'outputs': {'x0': 'rail.shift', 'x1': 'rail.speed', 'x2': 'hold.integral', 'x3': 'hold.filtered'}}",
            &plant);
  printf("%.1e\n", err);
  CHECK(err < 1e-10);
}

/* T137: a thruster that follows its command with a lag; (x, v, thrust) */
TEST(lag_in_closed_form) {
  const long double m = 2, T = 0.05L;
  const linear plant = {
      .n = 3, .A = {{0, 1, 0}, {0, 0, 1 / m}, {-50 / T, -30 / T, -1 / T}}, .b = {0, 0, 50 / T}, .x = {0, 0, 4}};
  double err = holds(CART "'forces': {'thruster': {'type': 'lag', 'on': 'rail.shift', 'time_constant': 0.05, 'value': "
                          "'50*(1 - rail.shift) - 30*rail.speed'}}, 'start': {'thruster.output': 4},"
                          "'outputs': {'x0': 'rail.shift', 'x1': 'rail.speed', 'x2': 'thruster.output'}}",
                     &plant);
  printf("on the channel %.1e\n", err);
  CHECK(err < 1e-10);
  err =
      holds(CART "'forces': {'push': {'type': 'force', 'on': 'cart', 'on_body': [0, 0], 'value': ['valve.output', 0]},"
                 "'valve': {'type': 'lag', 'time_constant': 0.05, 'value': '50*(1 - rail.shift) - 30*rail.speed'}},"
                 "'start': {'valve.output': 4},"
                 "'outputs': {'x0': 'rail.shift', 'x1': 'rail.speed', 'x2': 'valve.output'}}",
            &plant);
  printf("as a signal %.1e\n", err);
  CHECK(err < 1e-10);
}

/* ---- the bookkeeping of a motor ------------------------------------------------------------------------------------------ */

/* T134: electric input = heat + mechanical + stored, each integrated by a controller that does nothing else; and what is mechanical
 * is what the mechanism has, rotor included */
TEST_FULL(what_goes_into_a_motor) {
  for (int inductive = 0; inductive < 2; inductive++) {
    build b;
    build_table t = {0};
    double worst = 0, kinetic = 0, most = 0;
    build_new(&b, 1);
    build_read(&b, "motor_slider_crank");
    build_tight(&b, 1, 0.1);
    if (!inductive) build_set(&b, "/forces/motor/inductance", "0");
    build_set(&b, "/gravity", "[0, 0]");
    build_set(&b, "/forces/load/value", "[0, 0]");
    build_set(&b, "/forces/control/target", "\"12 + 3*sin(7*t)\"");
    build_set(&b, "/forces/motor/voltage", "\"control.output\"");
    static const char *const counted[] = {"input", "heat", "power"};
    for (int i = 0; i < 3; i++) {
      char at[64];
      snprintf(at, sizeof at, "/forces/sum_%s", counted[i]);
      build_set(&b, at, "{\"type\": \"pid\", \"target\": \"motor.%s\", \"of\": \"0\", \"ki\": 1}", counted[i]);
      snprintf(at, sizeof at, "/outputs/sum_%s", counted[i]);
      build_set(&b, at, "\"sum_%s.integral\"", counted[i]);
    }
    build_set(&b, "/outputs/stored", "\"motor.energy\"");
    build_set(&b, "/outputs/T", "\"energy.kinetic\"");
    if (!build_simulate(&b) || !build_run(&b, &t)) FAIL("%s", b.message);
    for (int i = 0; i < t.rows; i++) {
      const double in = build_at(&t, i, build_column(&b, "sum_input")),
                   heat = build_at(&t, i, build_column(&b, "sum_heat")),
                   work = build_at(&t, i, build_column(&b, "sum_power")),
                   stored = build_at(&t, i, build_column(&b, "stored")), T = build_at(&t, i, build_column(&b, "T")),
                   T0 = build_at(&t, 0, build_column(&b, "T"));
      most = fmax(most, fabs(in));
      worst = fmax(worst, fabs(in - heat - work - stored));
      kinetic = fmax(kinetic, fabs(work - (T - T0)));
    }
    printf("%s: input %.3g J, ledger off by %.1e, work against kinetic energy %.1e, balance %.1e\n",
           inductive ? "inductance" : "without", most, worst / most, kinetic / most,
           tn_sim_summary(b.sim)->energy_balance);
    CHECK(most > 1);
    CHECK(worst <= 1e-9 * most);
    CHECK(kinetic <= 1e-9 * most);
    CHECK(tn_sim_summary(b.sim)->energy_balance <= 1e-9);
    build_table_free(&t);
    build_free(&b);
  }
}

/* ---- inertia on a coordinate --------------------------------------------------------------------------------------------- */

/* T138: a rotor against a wheel that is a body, geared to the joint it drives: on a joint between two bodies that move, in the plane
 * and in space, in absolute and relative coordinates, and with blocks */
static double rotor_against_itself(const char *model, const char *joint, const char *coordinates,
                                   const char *formulation, double *udot, int *n, double *reaction) {
  build b;
  build_new(&b, 1);
  build_read(&b, model);
  build_set(&b, "/coordinates", "\"%s\"", coordinates);
  build_set(&b, "/run/formulation", "\"%s\"", formulation);
  build_set(&b, "/forces/rotor",
            "{\"type\": \"dc-motor\", \"on\": \"%s.angle\", \"ratio\": 8, \"k_torque\": 0.1, \"resistance\": 1, "
            "\"rotor_inertia\": 0.02, \"voltage\": 3}",
            joint);
  if (!build_simulate(&b)) FAIL("%s: %s", model, b.message);
  tn_error e;
  *n = 0;
  if (!b.failed && tn_sim_advance(b.sim, 0.05, &e) == TN_OK) {
    static const char *const seen[] = {"accel", "ax", "ay", "alx", "aly", "alz"};
    for (int i = 0; i < b.model->bodies; i++)
      for (int k = 0; k < 6; k++) {
        char name[96];
        double value;
        snprintf(name, sizeof name, "%s.%s", b.model->body[i].name, seen[k]);
        if (tn_sim_channel(b.sim, name, &value, NULL) == TN_OK) udot[(*n)++] = value;
      }
    for (int i = 0, k = 0; i < b.model->joints && k < 64; i++)
      for (int c = 0; c < 2; c++, k++) {
        char name[96];
        snprintf(name, sizeof name, "%s.%s", b.model->joint[i].name, c ? "fy" : "fx");
        if (tn_sim_channel(b.sim, name, &reaction[k], NULL) != TN_OK) reaction[k] = 0;
      }
  }
  const double balance = b.sim ? tn_sim_summary(b.sim)->energy_balance : INFINITY;
  build_free(&b);
  return balance;
}

TEST(a_rotor_in_all_coordinates_and_formulations) {
  static const struct {
    const char *model, *joint;
  } of[] = {{"four_bar", "B"}, {"four_bar", "A"},       {"engine", "big"},
            {"andrews", NULL}, {"spatial_chain", NULL}, {"n_four_bar", NULL}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char joint[64] = "";
    build probe;
    build_new(&probe, 1);
    build_read(&probe, of[i].model);
    if (!build_compile(&probe)) FAIL("%s", probe.message);
    for (int k = probe.model->joints / 2; !of[i].joint && k < probe.model->joints && !*joint; k++)
      if (strcmp(probe.model->joint[k].type->name, "revolute") == 0)
        snprintf(joint, sizeof joint, "%s", probe.model->joint[k].name);
    if (of[i].joint) snprintf(joint, sizeof joint, "%s", of[i].joint);
    build_free(&probe);
    static const char *const how[][2] = {{"absolute", "augmented"}, {"relative", "augmented"}, {"absolute", "gauss"}};
    double a[3][700] = {{0}}, r[3][64] = {{0}}, worst = 0, forces = 0, size = 1, load = 1;
    int n[3];
    for (int k = 0; k < 3; k++) {
      const double balance = rotor_against_itself(of[i].model, joint, how[k][0], how[k][1], a[k], &n[k], r[k]);
      if (!(balance < 1e-6)) FAIL("%s %s %s: balance %.1e", of[i].model, how[k][0], how[k][1], balance);
    }
    CHECK(n[0] > 0 && n[1] == n[0] && n[2] == n[0]);
    for (int j = 0; j < n[0]; j++) size = fmax(size, fabs(a[0][j]));
    for (int j = 0; j < 64; j++) load = fmax(load, fabs(r[0][j]));
    for (int k = 1; k < 3; k++) {
      for (int j = 0; j < n[0]; j++) worst = fmax(worst, fabs(a[k][j] - a[0][j]) / size);
      for (int j = 0; j < 64; j++) forces = fmax(forces, fabs(r[k][j] - r[0][j]) / load);
    }
    printf("%s, %s: accelerations %.1e, reactions %.1e\n", of[i].model, joint, worst, forces);
    CHECK(worst < 1e-5);
    CHECK(forces < 1e-5);
  }
}

/* ---- forces that use each other ------------------------------------------------------------------------------------------ */

static const char *const chain[] = {
    "{\"type\": \"dc-motor\", \"on\": \"axle.angle\", \"k_torque\": 0.1, \"resistance\": 1, \"voltage\": \"slow.output "
    "+ 0.2*cool.power\"}",
    "{\"type\": \"lag\", \"time_constant\": 0.1, \"value\": \"hold.output\"}",
    "{\"type\": \"pid\", \"of\": \"axle.rate\", \"target\": 5, \"kp\": 3, \"ki\": 2}",
    "{\"type\": \"torque\", \"on\": \"axle.angle\", \"value\": \"-0.02*rate + 0.01*slow.command\"}"};
static const char *const chain_name[] = {"motor", "slow", "hold", "cool"};

static void wheel(build *b) {
  build_new(b, 1);
  build_set(b, "/gravity", "[0, 0]");
  build_set(b, "/bodies/wheel", "{\"mass\": 2, \"inertia\": 0.1}");
  build_set(b, "/joints/axle", "{\"type\": \"revolute\", \"between\": [\"ground\", \"wheel\"], \"at\": [0, 0]}");
  build_tight(b, 1, 0.1);
}

/* whatever the order in the file: those that are used are evaluated first, and the motion is the same to the last bit */
TEST(order_does_not_matter) {
  double first[2] = {0};
  for (int turn = 0; turn < 24; turn++) {
    build b;
    tn_error e;
    wheel(&b);
    int left[4] = {0, 1, 2, 3}, n = 4;
    for (int k = turn; n; n--) {
      const int pick = k % n, which = left[pick];
      char at[40];
      snprintf(at, sizeof at, "/forces/%s", chain_name[which]);
      build_set(&b, at, "%s", chain[which]);
      memmove(left + pick, left + pick + 1, sizeof *left * (size_t)(n - pick - 1));
      k /= n;
    }
    if (!build_simulate(&b) || tn_sim_advance(b.sim, 1, &e) != TN_OK) FAIL("%s", b.message);
    const double angle = build_channel(&b, "axle.angle"), current = build_channel(&b, "motor.current");
    if (turn == 0) {
      first[0] = angle, first[1] = current;
      CHECK(fabs(angle) > 0.1 && fabs(current) > 0.1);
    }
    CHECK(angle == first[0] && current == first[1]);
    build_free(&b);
  }
}

/* at the same moment they may not depend on one another; through a state they may */
TEST(loops_of_forces) {
  build b;
  wheel(&b);
  build_set(&b, "/forces/a", "{\"type\": \"torque\", \"on\": \"axle.angle\", \"value\": \"1 - 0.1*b.load\"}");
  build_set(&b, "/forces/b", "{\"type\": \"torque\", \"on\": \"axle.angle\", \"value\": \"1 - 0.1*a.load\"}");
  CHECK(!build_compile(&b));
  CHECK_HAS(b.message, "it depends on force 'a', which at the same moment depends on it");
  build_free(&b);
  wheel(&b);
  build_set(&b, "/forces/a", "{\"type\": \"torque\", \"on\": \"axle.angle\", \"value\": \"1 - 0.1*b.output\"}");
  build_set(&b, "/forces/b", "{\"type\": \"lag\", \"time_constant\": 0.1, \"value\": \"a.load - 0.5*output\"}");
  CHECK(!build_compile(&b)); /* it acts on nothing: it has no channels without a name */
  CHECK_HAS(b.message, "unknown name 'output'");
  build_set(&b, "/forces/b/value", "\"a.load - 0.5*b.output\"");
  build_free(&b);
  wheel(&b);
  build_set(&b, "/forces/a", "{\"type\": \"torque\", \"on\": \"axle.angle\", \"value\": \"1 - 0.1*b.output\"}");
  build_set(&b, "/forces/b", "{\"type\": \"lag\", \"time_constant\": 0.1, \"value\": \"a.load - 0.5*b.output\"}");
  CHECK(build_simulate(&b));
  build_free(&b);
}

/* ---- starts -------------------------------------------------------------------------------------------------------------- */

TEST(states_at_the_start) {
  build b;
  tn_error e;
  wheel(&b);
  for (int i = 0; i < 4; i++) {
    char at[40];
    snprintf(at, sizeof at, "/forces/%s", chain_name[i]);
    build_set(&b, at, "%s", chain[i]);
  }
  build_set(&b, "/start", "{\"slow.output\": 0.3, \"hold.integral\": \"1/3\", \"axle.rate\": 2}");
  CHECK(build_simulate(&b));
  CHECK(tn_sim_states(b.sim) == 2 && tn_sim_state(b.sim)[0] == 0.3 && tn_sim_state(b.sim)[1] == 1.0 / 3);
  CHECK_TEXT(tn_sim_state_name(b.sim, 0), "slow.output");
  CHECK_TEXT(tn_sim_state_name(b.sim, 1), "hold.integral");
  CHECK(!tn_sim_state_name(b.sim, 2) && !tn_sim_state_name(b.sim, -1));
  CHECK(build_channel(&b, "axle.rate") == 2);
  /* saved, put back, and on: the same bytes */
  double saved[2], q[8], u[8], x[2], qa[8];
  const int nq = tn_sim_coordinates(b.sim), nu = tn_sim_speeds(b.sim);
  CHECK(tn_sim_advance(b.sim, 0.3, &e) == TN_OK);
  memcpy(saved, tn_sim_state(b.sim), sizeof saved);
  memcpy(q, tn_sim_q(b.sim), sizeof *q * (size_t)nq);
  memcpy(u, tn_sim_u(b.sim), sizeof *u * (size_t)nu);
  CHECK(saved[0] != 0.3 && saved[1] != 1.0 / 3);
  for (int k = 0; k < 2; k++) {
    CHECK(tn_sim_set_state(b.sim, saved, &e) == TN_OK);
    CHECK(tn_sim_set(b.sim, 0.3, q, u, false, &e) == TN_OK);
    CHECK(tn_sim_advance(b.sim, 0.7, &e) == TN_OK);
    if (k)
      CHECK(memcmp(x, tn_sim_state(b.sim), sizeof x) == 0 && memcmp(qa, tn_sim_q(b.sim), sizeof *qa * (size_t)nq) == 0);
    memcpy(x, tn_sim_state(b.sim), sizeof x);
    memcpy(qa, tn_sim_q(b.sim), sizeof *qa * (size_t)nq);
  }
  saved[1] = NAN;
  CHECK(tn_sim_set_state(b.sim, saved, &e) == TN_E_USAGE);
  CHECK_HAS(e.message, "hold.integral is not a finite number");
  build_free(&b);
  /* what is not a state cannot be given */
  wheel(&b);
  for (int i = 0; i < 4; i++) {
    char at[40];
    snprintf(at, sizeof at, "/forces/%s", chain_name[i]);
    build_set(&b, at, "%s", chain[i]);
  }
  build_set(&b, "/start", "{\"motor.current\": 1}");
  CHECK(!build_compile(&b));
  CHECK_HAS(b.message, "'motor.current' is not a state of its own");
  build_free(&b);
}

/* ---- every integrator and layout sees them ------------------------------------------------------------------------------ */

TEST_FULL(states_in_every_integrator) {
  double reference[3] = {0};
  static const char *const seen[] = {"main.angle", "motor.current", "control.integral"};
  for (int i = -1; i < tn_integrator_type_count; i++) {
    const tn_integrator_type *type = i < 0 ? NULL : tn_integrator_types[i];
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "motor_slider_crank");
    build_set(&b, "/forces/motor/voltage", "\"control.output\"");
    if (!type)
      build_set(&b, "/run/integrator", "{\"type\": \"dop853\", \"rtol\": 1e-13}");
    else if (type->adaptive)
      build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"rtol\": 1e-9}", type->name);
    else
      build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"step\": 1e-5}", type->name);
    build_set(&b, "/run/contract", "{\"breach\": \"record\"}");
    const double until = type && !type->adaptive ? 0.02 : 0.1;
    const bool ok = build_simulate(&b) && tn_sim_advance(b.sim, until, &e) == TN_OK;
    if (!ok) FAIL("%s: %s", type ? type->name : "dop853", b.failed ? b.message : e.message);
    double off = 0;
    if (type && !type->adaptive) { /* a reference for the shorter time */
      build r;
      build_new(&r, 1);
      build_read(&r, "motor_slider_crank");
      build_set(&r, "/forces/motor/voltage", "\"control.output\"");
      build_set(&r, "/run/integrator", "{\"type\": \"dop853\", \"rtol\": 1e-13}");
      CHECK(build_simulate(&r) && tn_sim_advance(r.sim, until, &e) == TN_OK);
      for (int k = 0; k < 3; k++)
        build_worst(&off, build_channel(&b, "%s", seen[k]), build_channel(&r, "%s", seen[k]), 1);
      build_free(&r);
    } else {
      for (int k = 0; ok && k < 3; k++) {
        const double x = build_channel(&b, "%s", seen[k]);
        if (!type) reference[k] = x;
        build_worst(&off, x, reference[k], 1);
      }
    }
    /* order 1 and 2 with a fixed step of 1/60 of the time constant of the current */
    const double allowed = !type || type->adaptive ? 1e-6 : type->order == 1 ? 1e-2 : type->order == 2 ? 1e-4 : 1e-6;
    if (type) printf("%-12s %.1e\n", type->name, off);
    if (!(off <= allowed)) FAIL("%s is off by %.2g", type ? type->name : "dop853", off);
    build_free(&b);
  }
}

TEST_FULL(states_in_every_layout) {
  static const char *const layout[] = {"augmented", "partition:layout=speeds", "partition:layout=independent",
                                       "nullspace"};
  static const char *const seen[] = {"main.angle", "motor.current", "control.integral"};
  double reference[3] = {0};
  for (int i = 0; i < 4; i++) {
    build b;
    tn_error e;
    build_new(&b, 1);
    build_read(&b, "motor_slider_crank");
    build_set(&b, "/forces/motor/voltage", "\"control.output\"");
    build_tight(&b, 0.2, 0.1);
    if (!b.failed && tn_desc_part(b.desc, "/run/formulation", layout[i], &e) != TN_OK) FAIL("%s", e.message);
    if (!build_simulate(&b) || tn_sim_advance(b.sim, 0.2, &e) != TN_OK) FAIL("%s: %s", layout[i], b.message);
    double off = 0;
    for (int k = 0; k < 3; k++) {
      const double x = build_channel(&b, "%s", seen[k]);
      if (i == 0) reference[k] = x;
      build_worst(&off, x, reference[k], 1);
    }
    printf("%-28s %.1e\n", layout[i], off);
    CHECK(off < 1e-9);
    build_free(&b);
  }
}

/* ---- Hoang et al. 2023 --------------------------------------------------------------------------------------------------- */

static bool robot(const char *model, const char *until, ref_table *t) {
  const ref_change changes[] = {{"/run/integrator", "{\"type\": \"dopri5\", \"rtol\": 1e-12, \"atol\": 1e-12}"},
                                {"/run/every", "0.001"},
                                {"/run/until", until},
                                {NULL, NULL}};
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_summary sum;
  const bool ok = ref_desc(model, changes, &d) && ref_compile(d, &m) && ref_run(m, t, &sum);
  if (!ok) FAIL("%s does not run", model);
  CHECK(!ok || (sum.contract_kept && sum.energy_balance < 1e-9));
  tn_model_free(m);
  tn_desc_free(d);
  return ok;
}

static double distance_within(const ref_table *a, const ref_table *b, double until) {
  double most = 0;
  for (int i = 0; i < a->rows && a->t[i] <= until + 1e-9; i++)
    for (int k = 0; k < 6; k++) most = fmax(most, fabs(a->value[i * a->columns + k] - b->value[i * b->columns + k]));
  return most;
}

/* sign changes of a column up to 1 s, by straight lines, against the times given */
static void check_crossings(const ref_table *t, const char *name, int n, const double *times) {
  const int k = ref_column(t, name);
  int found = 0;
  for (int i = 1; k >= 0 && i < t->rows && t->t[i] <= 1 + 1e-9; i++) {
    const double a = t->value[(i - 1) * t->columns + k], b = t->value[i * t->columns + k];
    if ((a > 0) == (b > 0)) continue;
    const double at = t->t[i - 1] + (t->t[i] - t->t[i - 1]) * a / (a - b);
    if (found < n) CHECK_NEAR(at, times[found], 1e-4);
    found++;
  }
  printf("%s vanishes %d times\n", name, found);
  CHECK(found == n);
}

#define ROBOT "crank1=q0 crank2=q1 crank3=q2 x=q3 y=q4 phi=q5"

TEST(robot_with_constant_voltage) {
  ref_table t = {0}, ref = {0}, with = {0};
  char where[128];
  if (robot("hoang_const", "1", &t) && ref_read("ref_hoang_const", "/rows", &ref)) {
    const double off = ref_distance(&t, &ref, ROBOT, 1, false, where);
    printf("%.1e from the reference, %s\n", off, where);
    CHECK(off < 1e-7);
    CHECK(t.value[0] == -0.1259 && t.value[1] == 1.3727 && t.value[2] == 3.2675); /* to the last bit */
    for (int k = 0; k < 6; k++) CHECK_NEAR(t.value[k], ref.value[ref_column(&ref, "q0") + k], 1e-12);
  }
  if (robot("hoang_const_inductance", "1", &with)) {
    const double apart = distance_within(&t, &with, 1);
    printf("inductance: %.3e\n", apart);
    CHECK_NEAR(apart, 3.5e-2, 0.05 * 3.5e-2);
  }
  ref_table_free(&t);
  ref_table_free(&ref);
  ref_table_free(&with);
}

TEST_FULL(robot_with_pd_control) {
  static const double theta[] = {0.33851}, x[] = {0.07688, 0.16072, 0.26186, 0.37370, 0.52445, 0.91780};
  ref_table t = {0}, ref = {0}, with = {0}, volts = {0};
  char where[128];
  if (robot("hoang_pd", "5", &t) && ref_read("ref_hoang_pd", "/rows", &ref)) {
    const double off = ref_distance(&t, &ref, ROBOT, 5, false, where);
    printf("%.1e from the reference, %s\n", off, where);
    CHECK(off < 1e-7);
    check_crossings(&t, "det_theta", 1, theta);
    check_crossings(&t, "det_x", 6, x);
  }
  if (robot("hoang_pd_inductance", "1", &with)) {
    const double apart = distance_within(&with, &t, 1);
    printf("inductance: %.3e\n", apart);
    CHECK_NEAR(apart, 2.8e-2, 0.05 * 2.8e-2);
  }
  /* read as a voltage the law passes 17 singular positions of the platform instead */
  if (robot("hoang_pd_voltage", "1", &volts)) {
    const int k = ref_column(&volts, "det_x");
    int found = 0;
    for (int i = 1; i < volts.rows; i++)
      found += (volts.value[(i - 1) * volts.columns + k] > 0) != (volts.value[i * volts.columns + k] > 0);
    printf("voltage: %d\n", found);
    CHECK(found == 17);
    ref_table kept = {
        0}; /* and with inductance: no figure of others, but of the size of the other two, ten times the gain */
    if (robot("hoang_pd_voltage_inductance", "1", &kept)) {
      const double apart = distance_within(&kept, &volts, 1);
      printf("voltage, inductance: %.3e\n", apart);
      CHECK(apart > 1e-2 && apart < 1);
    }
    ref_table_free(&kept);
  }
  ref_table_free(&t);
  ref_table_free(&ref);
  ref_table_free(&with);
  ref_table_free(&volts);
}
