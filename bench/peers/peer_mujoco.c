/* MuJoCo: mj_step of the C library in its wheel.
 *
 *   peer_mujoco FILE       FILE: the MJCF of mechanisms.py
 *
 * The first line of standard input: EVERY SAMPLES. Then the rates of the joints at the start, in the order of qvel.
 * Every further line is a setting: INTEGRATOR H SOFT BUDGET
 *   INTEGRATOR  Euler, RK4, implicit, implicitfast or discrete
 *   SOFT        time constant of closed loops, in steps
 *   BUDGET      s; the run is repeated for so long, and the least time counts
 * `accelerations` alone asks for those of the mass centres at the start. Loops are closed exactly for it:
 * MuJoCo's are soft. The answer is a line of JSON. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench {
  mjModel *m;
  mjData *d;
  double every, *rates, *kept; /* s; nv; samples x nq */
  int samples;
} bench;

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(size_t n) {
  void *p = calloc(n ? n : 1, sizeof(double));
  if (!p) fprintf(stderr, "peer_mujoco: out of memory\n"), exit(1);
  return p;
}

static void print(const char *name, const double *values, int n) {
  printf("\"%s\":[", name);
  for (int i = 0; i < n; i++)
    if (isfinite(values[i]))
      printf("%s%.17g", i ? "," : "", values[i]);
    else
      printf("%snull", i ? "," : "");
  printf("]}\n");
  fflush(stdout);
}

static void begin(bench *b) {
  mj_resetData(b->m, b->d);
  memcpy(b->d->qvel, b->rates, (size_t)b->m->nv * sizeof(double));
}

static void run(bench *b, const char *line) {
  static const char *const names[] = {"Euler", "RK4", "implicit", "implicitfast", "discrete"};
  char name[32];
  double h, soft, budget, least = HUGE_VAL, spent = 0;
  mjModel *m = b->m;
  if (sscanf(line, "%31s %lf %lf %lf", name, &h, &soft, &budget) != 4)
    fprintf(stderr, "peer_mujoco: not a setting: %s\n", line), exit(1);
  for (int i = 0; i < 5; i++)
    if (strcmp(name, names[i]) == 0) m->opt.integrator = i;
  const long each = lround(fmax(1, b->every / h));
  m->opt.timestep = b->every / (double)each;
  for (int i = 0; i < m->neq; i++) {
    const double stiff[2] = {soft * m->opt.timestep, 1}, hard[5] = {0.9999, 0.9999, 0.001, 0.5, 2};
    memcpy(m->eq_solref + i * mjNREF, stiff, sizeof stiff);
    memcpy(m->eq_solimp + i * mjNIMP, hard, sizeof hard);
  }
  do {
    begin(b);
    const double from = cpu();
    for (int i = 0; i < b->samples; i++) {
      for (long k = 0; k < each; k++) mj_step(m, b->d);
      memcpy(b->kept + (size_t)i * (size_t)m->nq, b->d->qpos, (size_t)m->nq * sizeof(double));
    }
    const double took = cpu() - from;
    least = fmin(least, took), spent += took;
  } while (spent < budget);
  int warned = b->d->warning[mjWARN_BADQACC].number + b->d->warning[mjWARN_BADQPOS].number +
               b->d->warning[mjWARN_BADQVEL].number;
  double *places = room((size_t)(b->samples * (m->nbody - 1) * 3));
  for (int i = 0; i < b->samples; i++) {
    memcpy(b->d->qpos, b->kept + (size_t)i * (size_t)m->nq, (size_t)m->nq * sizeof(double));
    mj_kinematics(m, b->d);
    memcpy(places + i * (m->nbody - 1) * 3, b->d->xipos + 3, (size_t)(m->nbody - 1) * 3 * sizeof(double));
  }
  printf("{\"cpu\":%.9g,\"rhs\":%ld,\"good\":%s,", least, each * b->samples * (strcmp(name, "RK4") ? 1 : 4),
         warned ? "false" : "true");
  print("places", places, b->samples * (m->nbody - 1) * 3);
  free(places);
}

/* ---- accelerations of the mechanism ---------------------------------------- */

/* rows of the loops at q, and C' over t along the motion: J qvel */
static void rows(bench *b, const double *q, double *J) {
  mjModel *m = b->m;
  memcpy(b->d->qpos, q, (size_t)m->nq * sizeof(double));
  mj_fwdPosition(m, b->d);
  if (mj_isSparse(m))
    mju_sparse2dense(J, b->d->efc_J, b->d->nefc, m->nv, b->d->efc_J_rownnz, b->d->efc_J_rowadr, b->d->efc_J_colind);
  else
    memcpy(J, b->d->efc_J, (size_t)(b->d->nefc * m->nv) * sizeof(double));
}

/* M a = f + J' l, J a = -J' v, by the proximal iteration that redundant rows allow */
static void exact(bench *b, double *a) {
  mjModel *m = b->m;
  mjData *d = b->d;
  const int nv = m->nv, ne = (begin(b), mj_forward(m, d), d->ne);
  static const double weight[6] = {-1. / 60, 3. / 20, -3. / 4, 3. / 4, -3. / 20, 1. / 60};
  const double step = 1e-3, mu = 1e-8;
  double *J = room((size_t)(ne * nv)), *shifted = room((size_t)(ne * nv)), *gamma = room((size_t)ne),
         *q = room((size_t)nv);
  double *free_a = room((size_t)nv), *MJ = room((size_t)(ne * nv)), *S = room((size_t)(ne * ne)), *l = room((size_t)ne),
         *r = room((size_t)ne);
  memcpy(free_a, d->qacc_smooth, (size_t)nv * sizeof(double));
  for (int i = 0; i < 6; i++) { /* gamma by differences of the rows along the motion */
    const double s = (i < 3 ? i - 3 : i - 2) * step;
    for (int k = 0; k < nv; k++) q[k] = s * b->rates[k];
    rows(b, q, shifted);
    for (int e = 0; e < ne; e++)
      for (int k = 0; k < nv; k++) gamma[e] -= weight[i] / step * shifted[e * nv + k] * b->rates[k];
  }
  memset(q, 0, (size_t)nv * sizeof(double));
  rows(b, q, J);
  mj_solveM(m, d, MJ, J, ne);
  double scale = 0;
  mju_mulMatMatT(S, J, MJ, ne, nv, ne);
  for (int e = 0; e < ne; e++) scale = fmax(scale, S[e * ne + e]);
  for (int e = 0; e < ne; e++) S[e * ne + e] += mu * scale;
  if (ne) mju_cholFactor(S, ne, 0);
  memcpy(a, free_a, (size_t)nv * sizeof(double));
  for (int sweep = 0; sweep < 30 && ne; sweep++) {
    mju_mulMatVec(r, J, a, ne, nv);
    for (int e = 0; e < ne; e++) r[e] = gamma[e] - r[e];
    mju_cholSolve(l, S, r, ne);
    for (int k = 0; k < nv; k++)
      for (int e = 0; e < ne; e++) a[k] += MJ[e * nv + k] * l[e];
  }
  free(J), free(shifted), free(gamma), free(q), free(free_a), free(MJ), free(S), free(l), free(r);
}

/* second differences of places along q = v t + a t^2 / 2, of order 6 */
static void accelerations(bench *b) {
  static const double weight[4] = {-49. / 18, 3. / 2, -3. / 20, 1. / 90};
  const double step = 2e-3;
  mjModel *m = b->m;
  const int n = (m->nbody - 1) * 3;
  double *a = room((size_t)m->nv), *sum = room((size_t)n);
  exact(b, a);
  for (int i = -3; i <= 3; i++) {
    const double t = i * step;
    for (int k = 0; k < m->nv; k++) b->d->qpos[k] = b->rates[k] * t + a[k] * t * t / 2;
    mj_kinematics(m, b->d);
    for (int k = 0; k < n; k++) sum[k] += weight[abs(i)] / (step * step) * b->d->xipos[3 + k];
  }
  printf("{");
  print("accelerations", sum, n);
  free(a), free(sum);
}

int main(int argc, char **argv) {
  char error[500] = "", *line = NULL;
  size_t size = 0;
  bench b = {0};
  if (argc != 2) return fprintf(stderr, "peer_mujoco FILE\n"), 1;
  b.m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!b.m) return fprintf(stderr, "peer_mujoco: %s\n", error), 1;
  b.d = mj_makeData(b.m);
  b.m->opt.disableflags |= mjDSBL_CONTACT;
  b.m->opt.disableflags &= ~(mjDSBL_REFSAFE);
  if (scanf("%lf %d", &b.every, &b.samples) != 2) return fprintf(stderr, "peer_mujoco: no samples\n"), 1;
  b.rates = room((size_t)b.m->nv), b.kept = room((size_t)(b.samples * b.m->nq));
  for (int i = 0; i < b.m->nv; i++)
    if (scanf("%lf", &b.rates[i]) != 1) return fprintf(stderr, "peer_mujoco: no rates\n"), 1;
  while (getline(&line, &size, stdin) > 0) {
    if (strcmp(line, "accelerations\n") == 0)
      accelerations(&b);
    else if (strcmp(line, "\n") != 0)
      run(&b, line);
  }
  return 0;
}
