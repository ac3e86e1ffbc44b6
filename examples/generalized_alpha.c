/* an implicit integrator with the multipliers among its unknowns, from outside the library, by tenon/extend.h alone: generalized-alpha
 * for constrained motion (Chung & Hulbert 1993; Arnold & Brüls 2007; on rotations: Brüls, Cardona & Arnold 2012).
 *
 *   cc generalized_alpha.c $(pkg-config --cflags --libs tenon) -lm -o generalized_alpha && ./generalized_alpha
 *
 * q, u are the state, udot its acceleration, a the algorithmic one. from step n to n + 1, of length h:
 *   (1) M udot1 + A'lambda1 = f,  C(q1) = 0;  rows without a C: Cdot(q1, u1) = 0                          index 3
 *   (2) (1 - am) a1 + am a = (1 - af) udot1 + af udot
 *   (3) q1 = q (+) h u + h^2 ((1/2 - beta) a + beta a1),  u1 = u + h ((1 - gamma) a + gamma a1)
 *   (4) am = (2 rho - 1)/(rho + 1), af = rho/(rho + 1), gamma = 1/2 + af - am, beta = (gamma + 1/2)^2/4: second order; rho, 0 to 1, is the
 *       amplification factor at infinite frequency: 1 damps nothing, 0 takes away at once what a step cannot follow
 *   (5) unknowns udot1, lambda1, by Newton's method: with k = (1 - af)/(1 - am), du1/dudot1 = h gamma k, dq1/dudot1 = h^2 beta k,
 *       the matrix is  [M + h gamma k D + h^2 beta k K, A'; h^2 beta k A, 0]  with the rows of C divided by h^2 beta k. D and K, the
 *       derivatives of the first of (1) by u and by q, are differences
 * the ledgers of energy are integrated by the trapezoidal rule. a is kept from step to step, also where a stabilizer has corrected the
 * velocities, which index 3 leaves off their constraints by O(h^2).
 *
 * the program shows the order on a four-bar linkage and on a top that spins about a fixed point, whose q is a quaternion. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <tenon/extend.h>

/* ---- the integrator ------------------------------------------------------------------------------------------------------- */

typedef struct alpha {
  double rho;
} alpha;

typedef struct memory {
  int n;     /* numbers in y */
  bool have; /* udot, a, lambda are those of the state from which the next step goes */
  double rho, h;
  double *udot, *a, *lambda;    /* at the start of the step                         */
  double *udot1, *a1, *lambda1; /* at its end                                       */
  double *y0, *y1, *f0, *f1;    /* both ends and the rates there, for states inside */
  double *ydot, *y, *s, *size, *zero;
  double *r, *g;  /* residuals                             */
  double *matrix; /* of (5)                                */
  double *x;      /* its unknowns: speeds, then rows       */
  int *pivot;
} memory;

/* rows are at most as many as speeds, since none is redundant: n numbers are enough for multipliers, and m = 3 n for a residual. where
 * they are not, the model is refused before */
static const tn_array arrays[] = {TN_INSIDE(memory, have, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(memory, h, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_ARRAY(memory, udot, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, a, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, lambda, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, y0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, y1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, f0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, f1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(memory, udot1, .rows = TN_N),
                                  TN_ARRAY(memory, a1, .rows = TN_N),
                                  TN_ARRAY(memory, lambda1, .rows = TN_N),
                                  TN_ARRAY(memory, ydot, .rows = TN_N),
                                  TN_ARRAY(memory, y, .rows = TN_N),
                                  TN_ARRAY(memory, s, .rows = TN_N),
                                  TN_ARRAY(memory, size, .rows = TN_N),
                                  TN_ARRAY(memory, zero, .rows = TN_N),
                                  TN_ARRAY(memory, r, .rows = TN_M),
                                  TN_ARRAY(memory, g, .rows = TN_M),
                                  TN_ARRAY(memory, matrix, .rows = TN_M, .columns = TN_M),
                                  TN_ARRAY(memory, x, .rows = TN_M),
                                  TN_ARRAY(memory, pivot, .element = TN_INTS, .rows = TN_M),
                                  {.name = NULL}};
static const tn_workspace workspace = {sizeof(memory), arrays};

static tn_sizes sizes_of(int n) { return (tn_sizes){.n = n, .m = 3 * n}; }

static size_t size(const void *self, int n) { return tn_workspace_size(&workspace, self, sizes_of(n)); }

static void start(const void *self, void *work, int n) {
  memory *w = tn_workspace_start(&workspace, self, work, sizes_of(n));
  w->n = n;
  w->rho = ((const alpha *)self)->rho;
  memset(w->zero, 0, sizeof *w->zero * (size_t)n);
}

static void keep(void *work, tn_keep *k) {
  tn_workspace_keep(&workspace, NULL, work, sizes_of(((memory *)work)->n), k);
}

typedef struct formula { /* (4), (5) */
  double am, af, beta, gamma, cu, cq;
} formula;

static formula formula_of(double rho, double h) {
  formula f = {.am = (2 * rho - 1) / (rho + 1), .af = rho / (rho + 1)};
  const double k = (1 - f.af) / (1 - f.am);
  f.gamma = 0.5 + f.af - f.am;
  f.beta = (f.gamma + 0.5) * (f.gamma + 0.5) / 4;
  f.cu = h * f.gamma * k;
  f.cq = h * h * f.beta * k;
  return f;
}

static tn_status possible(const tn_ode *ode, double t) {
  const char *why = NULL;
  if (!ode->residual)
    why = "generalized-alpha needs the equations with their multipliers, which this model or formulation has not";
  else if (ode->redundant)
    why = "generalized-alpha: rows depend on others, so the multipliers are not unique";
  else if (ode->n != ode->coordinates + ode->speeds + ode->ledgers)
    why = "generalized-alpha: forces and stabilizers with states of their own are not for it";
  return why ? ode->refuse(ode->self, t, why) : TN_OK;
}

/* the residual at y, udot, lambda, with mu = 0 and without rates of q and of the ledgers: what these should be, with a minus */
static tn_status residual(memory *w, const tn_ode *ode, double t, const double *y, const double *udot,
                          const double *lambda, double *r) {
  memset(w->ydot, 0, sizeof *y * (size_t)w->n);
  memcpy(w->ydot + ode->coordinates, udot, sizeof *udot * (size_t)ode->speeds);
  return ode->residual(ode->self, t, y, w->ydot, lambda, w->zero, r);
}

/* of a residual the equations (1), those of C divided by cq, those of Cdot by cu */
static void equations(const tn_ode *ode, const formula *f, const double *r, double *x) {
  const double *rv = r + ode->n, *rc = rv + ode->rows;
  memcpy(x, r + ode->coordinates, sizeof *x * (size_t)ode->speeds);
  for (int i = 0; i < ode->rows; i++) x[ode->speeds + i] = i < ode->holonomic ? rc[i] / f->cq : rv[i] / f->cu;
}

/* (3) of udot1 */
static void state(memory *w, const tn_ode *ode, const formula *f, double *y1) {
  const double h = w->h, *u = w->y0 + ode->coordinates;
  memcpy(y1, w->y0, sizeof *y1 * (size_t)w->n);
  for (int i = 0; i < ode->speeds; i++) {
    w->a1[i] = ((1 - f->af) * w->udot1[i] + f->af * w->udot[i] - f->am * w->a[i]) / (1 - f->am);
    w->s[i] = h * u[i] + h * h * ((0.5 - f->beta) * w->a[i] + f->beta * w->a1[i]);
    y1[ode->coordinates + i] = u[i] + h * ((1 - f->gamma) * w->a[i] + f->gamma * w->a1[i]);
  }
  ode->move(ode->self, y1, w->s);
}

/* (5): column j, of numbers by `from` and `to` a difference apart, times c */
static void add_column(memory *w, const tn_ode *ode, const formula *f, int j, double c) {
  const int all = ode->speeds + ode->rows;
  double *to = w->x, *from = w->s;
  equations(ode, f, w->g, to);
  equations(ode, f, w->r, from);
  for (int i = 0; i < all; i++) w->matrix[i * all + j] += c * (to[i] - from[i]);
}

/* (5) at y1, udot1, lambda1, where the residual is in r */
static tn_status make_matrix(memory *w, const tn_ode *ode, const formula *f, double t) {
  static const double SHARE = 1e-7;
  const int nu = ode->speeds, all = nu + ode->rows;
  memset(w->matrix, 0, sizeof *w->matrix * (size_t)all * (size_t)all);
  for (int i = 0; i < w->n; i++) w->size[i] = 1;
  if (ode->sizes) ode->sizes(ode->self, w->y1, w->size);
  for (int j = 0; j < all; j++) { /* linear in udot and lambda: any difference will do */
    double *x = j < nu ? &w->udot1[j] : &w->lambda1[j - nu], before = *x;
    *x += 1;
    TN_TRY(residual(w, ode, t, w->y1, w->udot1, w->lambda1, w->g));
    *x = before;
    add_column(w, ode, f, j, 1);
  }
  for (int j = 0; j < nu; j++) {
    const double du = SHARE * fmax(1, fabs(w->y1[ode->coordinates + j])), dq = SHARE * w->size[ode->coordinates + j];
    memcpy(w->y, w->y1, sizeof *w->y * (size_t)w->n);
    w->y[ode->coordinates + j] += du;
    TN_TRY(residual(w, ode, t, w->y, w->udot1, w->lambda1, w->g));
    add_column(w, ode, f, j, f->cu / du);
    memcpy(w->y, w->y1, sizeof *w->y * (size_t)w->n);
    memset(w->s, 0, sizeof *w->s * (size_t)nu);
    w->s[j] = dq;
    ode->move(ode->self, w->y, w->s);
    TN_TRY(residual(w, ode, t, w->y, w->udot1, w->lambda1, w->g));
    add_column(w, ode, f, j, f->cq / dq);
  }
  ode->effort->jacobians++;
  ode->effort->jacobian_rates += all + 2 * nu;
  ode->effort->decompositions++;
  return tn_lu_factor(all, w->matrix, w->pivot)
             ? TN_OK
             : ode->refuse(ode->self, t, "generalized-alpha: the matrix of its iteration is singular");
}

/* udot1, lambda1; a matrix for each step, from its first guess */
static tn_status solve(memory *w, const tn_ode *ode, const formula *f, double t) {
  enum { MOST = 20 };
  static const double ROUNDOFF = 1e-11; /* of speeds: C is known to 1e-16, and so they are to 1e-16/h */
  const int nu = ode->speeds, all = nu + ode->rows;
  const double *u = w->y1 + ode->coordinates;
  for (int pass = 0; pass < MOST; pass++) {
    state(w, ode, f, w->y1);
    TN_TRY(residual(w, ode, t, w->y1, w->udot1, w->lambda1, w->r));
    if (pass == 0) TN_TRY(make_matrix(w, ode, f, t));
    equations(ode, f, w->r, w->x);
    tn_lu_solve(all, w->matrix, w->pivot, w->x);
    double change = 0, size = 1; /* of udot; of u */
    for (int i = 0; i < all; i++) {
      double *x = i < nu ? &w->udot1[i] : &w->lambda1[i - nu];
      *x -= w->x[i];
      if (i < nu) change = fmax(change, fabs(w->x[i])), size = fmax(size, fabs(u[i]));
    }
    ode->effort->iterations++;
    if (!isfinite(change)) break;
    if (f->cu * change <= ROUNDOFF * size) {
      state(w, ode, f, w->y1);
      return residual(w, ode, t, w->y1, w->udot1, w->lambda1, w->r);
    }
  }
  return ode->refuse(ode->self, t, "the iteration of generalized-alpha does not converge: a shorter step");
}

/* rates of all of y from a residual without them */
static void rates_of(const memory *w, const tn_ode *ode, const double *r, const double *udot, double *f) {
  for (int i = 0; i < w->n; i++) f[i] = -r[i];
  memcpy(f + ode->coordinates, udot, sizeof *f * (size_t)ode->speeds);
}

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  memory *w = work;
  const int ledger = w->n - ode->ledgers;
  const formula f = formula_of(w->rho, h);
  (void)error; /* a fixed step */
  TN_TRY(possible(ode, t));
  TN_TRY(ode->begin(ode->self, t, y, h));
  w->h = h;
  memcpy(w->y0, y, sizeof *y * (size_t)w->n);
  if (!w->have) {
    TN_TRY(ode->multipliers(ode->self, t, y, w->f0, w->lambda));
    memcpy(w->udot, w->f0 + ode->coordinates, sizeof *y * (size_t)ode->speeds);
    memcpy(w->a, w->udot, sizeof *y * (size_t)ode->speeds);
    w->have = true;
  }
  TN_TRY(residual(w, ode, t, y, w->udot, w->lambda, w->r));
  rates_of(w, ode, w->r, w->udot, w->f0);
  memcpy(w->udot1, w->udot, sizeof *y * (size_t)ode->speeds);
  memcpy(w->lambda1, w->lambda, sizeof *y * (size_t)ode->rows);
  TN_TRY(solve(w, ode, &f, t + h));
  rates_of(w, ode, w->r, w->udot1, w->f1);
  for (int i = ledger; i < w->n; i++) w->y1[i] = y[i] + h / 2 * (w->f0[i] + w->f1[i]);
  memcpy(ynew, w->y1, sizeof *y * (size_t)w->n);
  return TN_OK;
}

static void exchange(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

/* accelerations go on as they were found, whatever a stabilizer has made of the state */
static void accept(void *work, const double *y, bool changed) {
  memory *w = work;
  (void)y, (void)changed;
  exchange(&w->udot, &w->udot1);
  exchange(&w->a, &w->a1);
  exchange(&w->lambda, &w->lambda1);
}

/* the cubic through both ends */
static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  const memory *w = work;
  const double c = 1 - theta;
  (void)ode;
  for (int i = 0; i < w->n; i++) {
    const double d = w->y1[i] - w->y0[i];
    y[i] = c * w->y0[i] + theta * w->y1[i] + theta * c * (c * (w->h * w->f0[i] - d) - theta * (w->h * w->f1[i] - d));
  }
  return TN_OK;
}

static const tn_field fields[] = {{.key = "rho",
                                   .doc = "amplification factor at infinite frequency: 1 damps nothing",
                                   .offset = offsetof(alpha, rho),
                                   .dflt = 0.8,
                                   .lo = 0,
                                   .hi = 1},
                                  {.key = NULL}};

static const tn_integrator_type generalized_alpha = {
    .name = "generalized-alpha",
    .doc = "generalized-alpha on index 3, order 2, fixed step",
    .source = "Chung & Hulbert 1993; Arnold & Brüls 2007",
    .size = sizeof(alpha),
    .fields = fields,
    .order = 2,
    .fixed = true,
    .memory = size,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .dense = dense,
    .keep = keep,
};

/* ---- does it work? -------------------------------------------------------------------------------------------------------- */

typedef struct trial {
  const char *name, *channel, *model;
  double until;
} trial;

static const trial trials[] = {
    {"four-bar linkage", "A.angle",
     "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": {"
     "\"crank\": {\"rod\": [[0, 0], [0, 1]], \"mass\": 1.5}, \"coupler\": {\"rod\": [[0, 1], [3, 2]], \"mass\": 4.7},"
     "\"rocker\": {\"rod\": [[4, 0], [3, 2]], \"mass\": 3.4}}, \"joints\": {"
     "\"A\": {\"type\": \"revolute\", \"between\": [\"ground\", \"crank\"], \"at\": [0, 0]},"
     "\"B\": {\"type\": \"revolute\", \"between\": [\"crank\", \"coupler\"], \"at\": [0, 1]},"
     "\"C\": {\"type\": \"revolute\", \"between\": [\"coupler\", \"rocker\"], \"at\": [3, 2]},"
     "\"D\": {\"type\": \"revolute\", \"between\": [\"ground\", \"rocker\"], \"at\": [4, 0]}},"
     "\"start\": {\"A.rate\": \"60*rpm\"}, \"run\": {\"until\": 1}}",
     1},
    {"top on a fixed point", "top.z",
     "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": {"
     "\"top\": {\"mass\": 15, \"inertia\": [0.234375, 0.46875, 0.234375], \"position\": [0, 1, 0]}}, \"joints\": {"
     "\"tip\": {\"type\": \"spherical\", \"between\": [\"ground\", \"top\"], \"at\": [0, 0, 0]}},"
     "\"start\": {\"top.wx\": 0, \"top.wy\": 40, \"top.wz\": -3}, \"run\": {\"until\": 1}}",
     0.5},
};

/* a channel at the end; step 0: adaptive */
static tn_status end_of(const trial *of, const char *integrator, double step, double *value, tn_error *e) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tn_status s = tn_desc_new(NULL, &desc, e);
  if (s == TN_OK) s = tn_desc_add_integrator(desc, &generalized_alpha, e);
  if (s == TN_OK) s = tn_desc_parse(desc, of->name, of->model, strlen(of->model), e);
  if (s == TN_OK) s = tn_desc_part(desc, "/run/integrator", integrator, e);
  if (s == TN_OK && step > 0) s = tn_desc_number(desc, "/run/integrator/step", step, e);
  if (s == TN_OK) s = tn_compile(desc, &model, e);
  if (s == TN_OK) s = tn_sim_new(model, &sim, e);
  if (s == TN_OK) s = tn_sim_advance(sim, of->until, e);
  if (s == TN_OK) s = tn_sim_channel(sim, of->channel, value, e);
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
  return s;
}

/* errors by steps that get shorter by half; the last order */
static tn_status show(const trial *of, const char *integrator, double *order, tn_error *e) {
  double exact, value, last = NAN;
  TN_TRY(end_of(of, "dopri5:rtol=1e-12", 0, &exact, e));
  printf("%s, %s, %s\n", of->name, of->channel, integrator);
  for (double h = 0.004; h > 2e-4; h /= 2) {
    TN_TRY(end_of(of, integrator, h, &value, e));
    const double error = fabs(value - exact);
    *order = log2(last / error);
    printf("  h %.6f s, error %.2e", h, error);
    if (isfinite(*order)) printf(", order %.2f", *order);
    putchar('\n');
    last = error;
  }
  return TN_OK;
}

int main(void) {
  static const char *const integrators[] = {"generalized-alpha:rho=0.8", "generalized-alpha:rho=0"};
  int failures = 0;
  tn_error e;
  char text[1600];
  for (int i = 0; i < 4; i++) {
    double order = NAN;
    if (show(&trials[i / 2], integrators[i % 2], &order, &e) != TN_OK) {
      tn_error_text(&e, text, sizeof text);
      fprintf(stderr, "%s\n", text);
      return 1;
    }
    if (!(fabs(order - 2) < 0.1)) failures++;
  }
  puts(failures ? "the order is not 2" : "second order");
  return failures != 0;
}
