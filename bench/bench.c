/* tenon-bench: what a right-hand side costs. one is: assemble at a state, factor, solve; every time at another state on
 * the constraints, so that nothing is remembered from the last. reported is the median of several repetitions after a
 * warm-up. with --json one object a line, else a table. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "simulate/simulate.h"

enum { STATES = 32, REPETITIONS = 9 };
static const double WARM_UP = 0.02, REPETITION = 0.02; /* s */

typedef enum shape { CHAIN, FOUR_BARS } shape;

typedef struct bench {
  const char *name;
  shape shape;
  int n;
  bool relative;
} bench;

static const bench cases[] = {
    {"planar_chain", CHAIN, 1, false},    {"planar_chain", CHAIN, 3, false},   {"planar_chain", CHAIN, 10, false},
    {"planar_chain", CHAIN, 30, false},   {"planar_chain", CHAIN, 100, false}, {"relative_chain", CHAIN, 1, true},
    {"relative_chain", CHAIN, 3, true},   {"relative_chain", CHAIN, 10, true}, {"relative_chain", CHAIN, 30, true},
    {"relative_chain", CHAIN, 100, true}, {"n_four_bar", FOUR_BARS, 2, false}, {"n_four_bar", FOUR_BARS, 10, false},
    {"n_four_bar", FOUR_BARS, 40, false}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* uniform rods of 1 m and 1 kg, hanging on each other */
static const char chain[] =
    "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"constants\": {\"N\": 1}, \"outputs\": {},"
    "\"bodies\": {\"link{i}\": {\"repeat\": \"i=1..N\", \"rod\": [[\"i-1\", 0], [\"i\", 0]], \"mass\": 1}},"
    "\"joints\": {\"pin1\": {\"type\": \"revolute\", \"between\": [\"ground\", \"link1\"], \"at\": [0, 0]},"
    "\"pin{i}\": {\"repeat\": \"i=2..N\", \"type\": \"revolute\", \"between\": [\"link{i-1}\", \"link{i}\"],"
    "\"at\": [\"i-1\", 0]}}}";

static tn_status describe(tn_desc *d, const bench *b, tn_error *e) {
  tn_status status = b->shape == CHAIN ? tn_desc_parse(d, "chain", chain, sizeof chain - 1, e)
                                       : tn_desc_read(d, TN_SOURCE_DIR "/models/n_four_bar.json", e);
  if (!status) status = tn_desc_number(d, "/constants/N", b->n, e);
  if (!status && b->relative) status = tn_desc_text(d, "/coordinates", "relative", e);
  return status;
}

/* the body of a link or coupler of the n four-bars, from its name */
static bool is_link(const tn_body *b, int *number) {
  const bool link = strncmp(b->name, "link", 4) == 0;
  *number = atoi(b->name + (link ? 4 : 7));
  return link;
}

/* a state on the constraints; s is where on a path through them */
static void state(const tn_model *m, const bench *b, double s, double *q, double *u) {
  double r[2] = {0, 0}, v[2] = {0, 0}, last = 0, last_rate = 0; /* where the next link of a chain begins */
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    double pose[3], rate[3];
    if (b->shape == CHAIN) {
      const double angle = -1 + 0.7 * sin(s + i), w = 0.7 * cos(s + i);
      memcpy(pose, (double[]){r[0], r[1], angle}, sizeof pose);
      memcpy(rate, (double[]){v[0], v[1], w}, sizeof rate);
      r[0] += cos(angle), r[1] += sin(angle);
      v[0] -= w * sin(angle), v[1] += w * cos(angle);
      if (b->relative) { /* a joint's angle is 0 at the given pose, where all are level */
        q[body->q] = angle - last;
        u[body->u] = w - last_rate;
        last = angle, last_rate = w;
        continue;
      }
    } else {
      int number;
      const double angle = 1 + 0.5 * sin(s), w = 0.5 * cos(s), c = cos(angle), n = sin(angle);
      const bool link = is_link(body, &number);
      memcpy(pose, (double[]){link ? number : number - 1 + c, link ? 0 : n, link ? angle : 0}, sizeof pose);
      memcpy(rate, (double[]){link ? 0 : -n * w, link ? 0 : c * w, link ? w : 0}, sizeof rate);
    }
    memcpy(q + body->q, pose, sizeof pose);
    memcpy(u + body->u, rate, sizeof rate);
  }
}

typedef struct runner {
  tn_solver *solver;
  int nu;
  double *q, *u; /* STATES x nu */
  double *udot, *lambda;
  double sum; /* of what came out: it is needed, and finite */
  long done;
} runner;

static tn_status right_hand_sides(runner *r, long n, tn_error *e) {
  tn_solver *s = r->solver;
  for (long i = 0; i < n; i++) {
    const size_t at = (size_t)(r->done++ % STATES) * (size_t)r->nu;
    tn_status status = tn_solver_at(s, 0, r->q + at, r->u + at, e);
    if (!status) status = tn_solver_factor(s, TN_METRIC_MASS, e);
    if (!status) status = tn_solver_solve(s, s->sys.f, s->sys.gamma, r->udot, r->lambda, e);
    if (status) return status;
    r->sum += r->udot[r->nu - 1];
  }
  return TN_OK;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ns for one */
static tn_status measure(runner *r, double *ns, tn_error *e) {
  double times[REPETITIONS];
  long n = 0;
  tn_status status = TN_OK;
  for (const double start = now(); !status && now() - start < WARM_UP; n += STATES)
    status = right_hand_sides(r, STATES, e);
  n = (long)((double)n * REPETITION / WARM_UP) + 1;
  for (int i = 0; i < REPETITIONS && !status; i++) {
    const double start = now();
    status = right_hand_sides(r, n, e);
    times[i] = 1e9 * (now() - start) / (double)n;
  }
  if (status) return status;
  qsort(times, REPETITIONS, sizeof *times, by_size);
  *ns = times[REPETITIONS / 2];
  return isfinite(r->sum) ? TN_OK : tn_fail(e, TN_E_INTERNAL, "an acceleration is not a number");
}

static tn_status on_states(const tn_model *m, const bench *b, tn_sim *sim, double *ns, tn_error *e) {
  const size_t nu = (size_t)m->nu, rows = (size_t)m->rows;
  double *memory = calloc((2 * STATES + 1) * nu + rows + 1, sizeof *memory);
  if (!memory) return tn_fail(e, TN_E_MEMORY, "no memory for the states");
  runner r = {.solver = &sim->solver, .nu = m->nu, .q = memory, .u = memory + STATES * nu};
  r.udot = r.u + STATES * nu;
  r.lambda = r.udot + nu;
  tn_status status = TN_OK;
  for (int i = 0; i < STATES && !status; i++) {
    double *q = r.q + (size_t)i * nu, *u = r.u + (size_t)i * nu;
    state(m, b, 0.2 * i, q, u);
    status = tn_solver_at(r.solver, 0, q, u, e);
    const double off = tn_violation(&r.solver->sys, r.solver->sys.C, m->holonomic, NULL) +
                       tn_violation(&r.solver->sys, r.solver->sys.Cdot, m->rows, NULL);
    if (!status && !(off < 1e-12)) status = tn_fail(e, TN_E_INTERNAL, "state %d is off the constraints by %g", i, off);
  }
  if (!status) status = measure(&r, ns, e);
  free(memory);
  return status;
}

static tn_status run(const bench *b, double *ns, int *bodies, tn_error *e) {
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_status status = tn_desc_new(NULL, &d, e);
  if (!status) status = describe(d, b, e);
  if (!status) status = tn_compile(d, &m, e);
  if (!status) status = tn_sim_new(m, &sim, e);
  if (!status) status = tn_sim_start(sim, e);
  if (!status) status = on_states(m, b, sim, ns, e);
  *bodies = m ? m->bodies : 0;
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(d);
  return status;
}

int main(int argc, char **argv) {
  const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    fputs("tenon-bench [--json]: time of a right-hand side\n", stderr);
    return TN_E_USAGE;
  }
  if (!json) printf("%-16s %4s %14s %14s\n", "case", "n", "ns_per_rhs", "ns_per_body");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const bench *b = &cases[i];
    double ns = NAN;
    int bodies;
    tn_error e;
    const tn_status status = run(b, &ns, &bodies, &e);
    if (status) {
      char text[1600];
      tn_error_text(&e, text, sizeof text);
      fprintf(stderr, "tenon-bench: %s, n = %d: %s\n", b->name, b->n, text);
      return (int)status;
    }
    printf(json ? "{\"case\":\"%s\",\"n\":%d,\"ns_per_rhs\":%.1f,\"ns_per_body\":%.1f}\n" : "%-16s %4d %14.1f %14.1f\n",
           b->name, b->n, ns, ns / bodies);
    fflush(stdout);
  }
  return 0;
}
