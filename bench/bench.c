/* tenon-bench: what a right-hand side costs. one is: assemble at a state, factor, solve; every time at another state on
 * the constraints, so that nothing is remembered from the last. reported is the smallest of several repetitions after a
 * warm-up, in time of the processor: what else the machine does can only add. with --json one object a line, else a table.
 *
 * instructions are counted by callgrind, which runs this program twice with --count: the difference of the two is that of
 * so many right-hand sides, whatever it takes to come there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

enum { STATES_MOST = 32, STATES_LEAST = 4, REPETITIONS = 9, COUNTED = 30 };
static const double WARM_UP = 0.02, REPETITION = 0.02; /* s */
static const int sizes[] = {10, COUNTED, 100, 1000, 10000, 100000};

typedef struct options {
  bool json;
  const char *only;        /* a case                                          */
  const char *coordinates; /* "absolute", "relative" or NULL for both          */
  const char *program;     /* one of this kind that callgrind can run, or NULL */
  long n, count;           /* 0: all of them; 0: time it                       */
} options;

typedef struct figures {
  int bodies;
  double compile, ns; /* s; of one right-hand side */
} figures;

/* s of the processor */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- right-hand sides ----------------------------------------------------------------------------------------------------- */

typedef struct runner {
  tn_solver *solver;
  int nq, nu, states;
  double *q, *u; /* states x nq, nu */
  double *udot, *lambda;
  double sum; /* of what came out: it is needed, and finite */
  long done;
} runner;

static tn_status right_hand_sides(runner *r, long n, tn_error *e) {
  tn_solver *s = r->solver;
  for (long i = 0; i < n; i++) {
    const size_t at = (size_t)(r->done++ % r->states);
    tn_status status = tn_solver_at(s, 0, r->q + at * (size_t)r->nq, r->u + at * (size_t)r->nu, e);
    if (!status) status = tn_solver_factor(s, TN_METRIC_MASS, e);
    if (!status) status = tn_solver_solve(s, s->sys.f, s->sys.rows.gamma, r->udot, r->lambda, e);
    if (status) return status;
    r->sum += r->udot[r->nu - 1];
  }
  return TN_OK;
}

/* ns for one */
static tn_status measure(runner *r, double *ns, tn_error *e) {
  long n = 0;
  tn_status status = TN_OK;
  *ns = HUGE_VAL;
  for (const double start = now(); !status && now() - start < WARM_UP; n += r->states)
    status = right_hand_sides(r, r->states, e);
  n = (long)((double)n * REPETITION / WARM_UP);
  for (int i = 0; i < REPETITIONS && !status; i++) {
    const double start = now();
    status = right_hand_sides(r, n, e);
    *ns = fmin(*ns, 1e9 * (now() - start) / (double)n);
  }
  return status;
}

/* states are on the constraints, and regular. (what is measured as nearness of a singular position falls with the length of
 * a ladder, whose cells are all far from one) */
static tn_status check(runner *r, const tn_model *m, int i, tn_error *e) {
  tn_solver *s = r->solver;
  tn_status status = tn_solver_at(s, 0, r->q + (size_t)i * (size_t)r->nq, r->u + (size_t)i * (size_t)r->nu, e);
  if (status) return status;
  const double off =
      tn_violation(&s->sys, s->sys.rows.C, m->holonomic, NULL) + tn_violation(&s->sys, s->sys.rows.Cdot, m->rows, NULL);
  if (!(off < 1e-12)) return tn_fail(e, TN_E_INTERNAL, "state %d is off the constraints by %g", i, off);
  s->nearness = 1;
  status = tn_solver_factor(s, TN_METRIC_MASS, e);
  if (!status && !(s->nearness > 1e-6))
    return tn_fail(e, TN_E_INTERNAL, "state %d is near a singular position, %g", i, s->nearness);
  return status;
}

static tn_status on_states(const tn_case *c, const tn_model *m, int n, tn_sim *sim, long count, double *ns,
                           tn_error *e) {
  const int states = m->nu > 10000 ? STATES_LEAST : STATES_MOST;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu, all = (size_t)states;
  double *memory = calloc(all * (nq + nu) + nu + (size_t)m->rows + 6 * (size_t)m->bodies + 1, sizeof *memory);
  if (!memory) return tn_fail(e, TN_E_MEMORY, "no memory for the states");
  runner r = {.solver = &sim->solver, .nq = m->nq, .nu = m->nu, .states = states, .q = memory};
  r.u = r.q + all * nq;
  r.udot = r.u + all * nu;
  r.lambda = r.udot + nu;
  tn_status status = TN_OK;
  for (int i = 0; i < states && !status; i++) {
    tn_case_state(c, m, n, 0.2 * i, r.lambda + m->rows, r.q + (size_t)i * nq, r.u + (size_t)i * nu);
    status = check(&r, m, i, e);
  }
  if (!status) status = count ? right_hand_sides(&r, count, e) : measure(&r, ns, e);
  if (!status && !isfinite(r.sum)) status = tn_fail(e, TN_E_INTERNAL, "an acceleration is not a number");
  free(memory);
  return status;
}

static tn_status run(const tn_case *c, int n, bool relative, long count, figures *f, tn_error *e) {
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  const double start = now();
  tn_status status = tn_desc_new(NULL, &d, e);
  if (!status) status = tn_case_describe(c, n, relative, d, e);
  if (!status) status = tn_compile(d, &m, e);
  f->compile = now() - start;
  if (!status) status = tn_sim_new(m, &sim, e);
  if (!status) status = tn_sim_start(sim, e);
  if (!status) status = on_states(c, m, n, sim, count, &f->ns, e);
  f->bodies = c->bodies(n);
  if (!status && f->bodies != m->bodies) status = tn_fail(e, TN_E_INTERNAL, "there are %d bodies", m->bodies);
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(d);
  return status;
}

/* ---- running expressions ---------------------------------------------------------------------------------------------------- */

static double evaluate(const tn_system *s, const tn_expr *law, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += tn_running(s, law);
  return sum;
}

/* ns of one, the smallest of several repetitions */
static double measure_law(const tn_system *s, const tn_expr *law, double *sum) {
  double ns = HUGE_VAL;
  const long n = 200000;
  for (int i = 0; i <= REPETITIONS; i++) {
    const double start = now();
    *sum += evaluate(s, law, n);
    if (i) ns = fmin(ns, 1e9 * (now() - start) / (double)n);
  }
  return ns;
}

static bool law(const tn_law *l, bool json, long count) {
  tn_desc *d = NULL;
  tn_model *m = NULL;
  tn_sim *sim = NULL;
  tn_error e;
  double sum = 0, ns = 0;
  tn_status status = tn_desc_new(NULL, &d, &e);
  if (!status) status = tn_law_describe(l, d, &e);
  if (!status) status = tn_compile(d, &m, &e);
  if (!status) status = tn_sim_new(m, &sim, &e);
  if (!status) status = tn_sim_start(sim, &e);
  if (!status && count) sum = evaluate(&sim->solver.sys, m->output[0].expr, count);
  if (!status && !count) ns = measure_law(&sim->solver.sys, m->output[0].expr, &sum);
  if (!status && !isfinite(sum)) status = tn_fail(&e, TN_E_INTERNAL, "a law is not a number");
  tn_sim_free(sim);
  tn_model_free(m);
  tn_desc_free(d);
  if (status) fprintf(stderr, "tenon-bench: %s: %s\n", l->name, e.message);
  if (!status && !count && json) printf("{\"law\":\"%s\",\"ns\":%.3g}\n", l->name, ns);
  if (!status && !count && !json) printf("%-14s %-10s %58.3g ns an evaluation: %s\n", "law", l->name, ns, l->text);
  return !status;
}

/* ---- instructions --------------------------------------------------------------------------------------------------------- */

/* of the program with --count; negative: callgrind cannot run it */
static double collected(const options *o, const tn_case *c, bool relative, int count) {
  char command[2000], line[400];
  double instructions = -1;
  snprintf(
      command, sizeof command,
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' --case %s --n %d --coordinates %s --count %d 2>&1",
      o->program, c->name, COUNTED, relative ? "relative" : "absolute", count);
  FILE *pipe = popen(command, "r");
  if (!pipe) return -1;
  while (fgets(line, sizeof line, pipe)) {
    const char *at = strstr(line, "Collected : ");
    if (at) instructions = atof(at + 12);
  }
  return pclose(pipe) == 0 ? instructions : -1;
}

static double instructions(const options *o, const tn_case *c, bool relative) {
  const double once = collected(o, c, relative, STATES_MOST), thrice = collected(o, c, relative, 3 * STATES_MOST);
  return once > 0 && thrice > once ? (thrice - once) / (2 * STATES_MOST) : NAN;
}

/* ---- lines of output ------------------------------------------------------------------------------------------------------ */

static void number(char text[32], const char *format, double x, bool json) {
  if (isfinite(x))
    snprintf(text, 32, format, x);
  else
    strcpy(text, json ? "null" : "");
}

static void print_figures(const options *o, const tn_case *c, bool relative, int n, const figures *f,
                          double instructions_each) {
  char count[32];
  number(count, "%.0f", instructions_each, o->json);
  printf(o->json ? "{\"case\":\"%s\",\"coordinates\":\"%s\",\"n\":%d,\"bodies\":%d,\"compile_seconds\":%.3g,"
                   "\"ns_per_rhs\":%.1f,\"ns_per_body\":%.1f,\"instructions_per_rhs\":%s}\n"
                 : "%-14s %-10s %7d %7d %9.3g %14.1f %11.1f %12s\n",
         c->name, relative ? "relative" : "absolute", n, f->bodies, f->compile, f->ns, f->ns / f->bodies, count);
  fflush(stdout);
}

/* cost ~ bodies^growth */
static void print_growth(const options *o, const tn_case *c, bool relative, const figures *a, const figures *b) {
  char growth[32];
  number(growth, "%.2f", log(b->ns / a->ns) / log((double)b->bodies / a->bodies), o->json);
  printf(o->json ? "{\"case\":\"%s\",\"coordinates\":\"%s\",\"growth\":%s}\n" : "%-14s %-10s growth %s\n\n", c->name,
         relative ? "relative" : "absolute", growth);
  fflush(stdout);
}

static bool one(const options *o, const tn_case *c, int n, bool relative, figures *f) {
  tn_error e;
  *f = (figures){.ns = NAN};
  const tn_status status = run(c, n, relative, o->count, f, &e);
  if (status) {
    char text[1600];
    tn_error_text(&e, text, sizeof text);
    fprintf(stderr, "tenon-bench: %s, n = %d, %s: %s\n", c->name, n, relative ? "relative" : "absolute", text);
    return false;
  }
  if (o->count) return true;
  const double counted = o->program && n == COUNTED ? instructions(o, c, relative) : NAN;
  if (o->program && n == COUNTED && isnan(counted))
    fprintf(stderr, "tenon-bench: valgrind could not count instructions of %s\n", o->program);
  print_figures(o, c, relative, n, f, counted);
  return true;
}

static bool all_sizes(const options *o, const tn_case *c, bool relative) {
  figures f[2] = {{.ns = NAN}, {.ns = NAN}}; /* of the two largest */
  bool ok = true;
  if (o->n) return one(o, c, (int)o->n, relative, &f[1]);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= c->largest; i++) {
    figures next;
    if (!one(o, c, sizes[i], relative, &next)) {
      ok = false;
      continue;
    }
    f[0] = f[1];
    f[1] = next;
  }
  print_growth(o, c, relative, &f[0], &f[1]);
  return ok;
}

/* ---- options -------------------------------------------------------------------------------------------------------------- */

static const char usage[] =
    "tenon-bench [options]: time of a right-hand side\n"
    "  --json              one object a line\n"
    "  --case NAME         this one alone: planar-chain spatial-chain tree n-four-bar ladder law\n"
    "  --n N               this size alone\n"
    "  --coordinates KIND  absolute or relative alone\n"
    "  --count K           K right-hand sides, not timed\n"
    "  --counted PROGRAM   instructions of a right-hand side, by PROGRAM (this one, built for a "
    "processor\n"
    "                      that valgrind knows) under callgrind\n";

static bool whole(const char *text, long most, long *value) {
  char *end;
  errno = 0;
  *value = strtol(text, &end, 10);
  return end != text && !*end && !errno && *value >= 1 && *value <= most;
}

static bool known_case(const char *name) {
  for (int i = 0; i < tn_cases_count; i++)
    if (strcmp(name, tn_cases[i].name) == 0) return true;
  return strcmp(name, "law") == 0;
}

static bool parse(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i++) {
    const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    bool good = value != NULL;
    if (strcmp(key, "--json") == 0) {
      o->json = true;
      continue;
    }
    if (good && strcmp(key, "--case") == 0)
      good = known_case(o->only = value);
    else if (good && strcmp(key, "--coordinates") == 0)
      good = strcmp(o->coordinates = value, "absolute") == 0 || strcmp(value, "relative") == 0;
    else if (good && strcmp(key, "--n") == 0)
      good = whole(value, 100000, &o->n);
    else if (good && strcmp(key, "--count") == 0)
      good = whole(value, 1000000000, &o->count);
    else if (good && strcmp(key, "--counted") == 0)
      good = !strchr(o->program = value, '\'');
    else
      good = false;
    if (!good) {
      fprintf(stderr, "tenon-bench: cannot use '%s%s%s'\n%s", key, value ? " " : "", value ? value : "", usage);
      return false;
    }
    i++;
  }
  return true;
}

int main(int argc, char **argv) {
  options o = {0};
  bool ok = true;
  if (!parse(argc, argv, &o)) return TN_E_USAGE;
  if (!o.json && !o.count)
    printf("%-14s %-10s %7s %7s %9s %14s %11s %12s\n", "case", "coordinates", "n", "bodies", "compile s", "ns a rhs",
           "ns a body", "instructions");
  for (int i = 0; i < tn_cases_count; i++) {
    const tn_case *c = &tn_cases[i];
    if (o.only && strcmp(o.only, c->name) != 0) continue;
    for (int relative = 0; relative < 2; relative++)
      if (!o.coordinates || (strcmp(o.coordinates, "relative") == 0) == relative) ok = all_sizes(&o, c, relative) && ok;
  }
  const bool laws = o.only ? strcmp(o.only, "law") == 0 : !o.n && !o.coordinates;
  for (int i = 0; laws && i < tn_laws_count; i++) {
    if (o.n && o.n != i + 1) continue; /* with --n: this one */
    ok = law(&tn_laws[i], o.json, o.count) && ok;
  }
  return ok ? 0 : 1;
}
