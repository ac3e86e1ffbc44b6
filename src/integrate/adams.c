/* the family of Adams: explicit (ab), predictor and corrector (ampc, mampc), implicit (am), and both of variable order and step (abm).
 *
 * rates at earlier steps are kept as divided differences, scaled by the distances of their times (Krogh 1974; Shampine & Gordon
 * 1975). with psi_0 = 0, psi_j = t_n - t_{n-j} and s = t - t_n,
 *   (1) f(t) = sum_{i=1}^k c_i(s) phi_i,  c_i(s) = prod_{j=0}^{i-2} (s + psi_j)/psi_{j+1},  phi_i = prod psi_j f[t_n .. t_{n-i+1}]
 *   (2) predictor: p = y_n + h sum b_i phi_i, b_i = 1/h int_0^h c_i ds;  rate that it expects: e = sum c_i(h) phi_i
 *   (3) corrector: y = p + h g (f(p) - e), where b_i = g_i c_i(h):  g = g_k has order k (ampc), g = g_{k+1} order k + 1 (mampc, abm);
 *       the difference of both estimates the error of the first
 *   (4) at the end, with f the rate at the state that was accepted: phi_1 = f, phi_{i+1} <- phi_i - c_i(h) phi_i(before)
 *   (5) n corrections, P(EC)^n: y_0 = p, y_i = p + h g (f(y_{i-1}) - e), i = 1 .. n. implicit (am): y = p + h g (f(y) - e) is solved, by
 *       Newton's iteration (c I - J) x = f(y) - e - c (y - p), y += x, c = 1/(h g), J kept between steps (newton.c); or by (5) until it
 *       converges, which it does if h g |J| < 1. an iteration that does not converge ends the run: no other step is taken in its place.
 *       g = g_{k+1} is Adams-Moulton of k steps and order k + 1; am1, implicit Euler, has g_1
 * on a uniform grid these are the formulas of coefficients.c; steps may be of any length, so that one that is cut short needs
 * no new start. mampc is Wu, Chiou & Lin's weighting of ab and ampc, which is the corrector of one order more. P E C, and the
 * last E at the accepted state: it is that of the next step, so that a projection costs none. mode pec leaves it out: f(p) is kept.
 *
 * feedback that is held over a step is not in the rates: its kick is added to the step (extend.h).
 *
 * the first steps of a given order are made by dop853, in halves. abm begins with order one and short steps. */
#include "integrate/integrate.h"

enum {
  MOST = 12,
  DIFFERENCES = MOST + 2,
  POINTS = 7,
  LANES = 4
}; /* orders of the predictor; numbers that go with each, from 0 */

typedef enum kind { BASHFORTH, MOULTON, MODIFIED, VARIABLE } kind;

typedef enum mode { PECE, PEC } mode;
typedef enum iteration { NEWTON, FIXED_POINT } iteration;

typedef struct adams {
  kind kind;
  int k;
  int corrections; /* n of (5); 0: it is solved */
  int mode, iteration;
} adams;

typedef struct memory {
  adams is;
  int n; /* numbers of y          */
  int k; /* order of the predictor */
  /* rates at earlier steps, valid up to `have`. written by take_rate, begun by an attempt */
  struct {
    int have;                /* differences there are                                                     */
    double psi[DIFFERENCES]; /* s: distances of their times                                               */
    double *phi[DIFFERENCES];
    bool pending;   /* a step was accepted, and the rate at its end is not among the differences */
    bool predicted; /* f is the rate that goes among them: at p, or that of `end_known`         */
  } past;
  /* the last attempt: written by it, and by accept */
  struct {
    double t, h;     /* s: its start and length                                        */
    bool by_starter; /* it was one of dop853                                           */
    bool kicked;     /* `kick` was added to it                                         */
    bool candidate;  /* it was neither accepted nor thrown away                        */
    bool end_known;  /* of a candidate: f is the rate at its end                       */
  } last;
  /* (2): valid for a step of length h at order k. written by weigh */
  struct {
    double b[DIFFERENCES], c[DIFFERENCES];
    double h;
    int k;
  } weights;
  /* lengths and orders so far. written by accept and plan */
  struct {
    double h;                  /* s: of the last step that stands                                            */
    int same;                  /* steps of this length                                                       */
    int failed;                /* attempts since then                                                        */
    bool rising;               /* abm, from the start: order and length grow at every step                   */
    int weighed;               /* steps that the weights in w still stand for                                */
    double gamma[DIFFERENCES]; /* |gamma*_i| of abm, written by start                           */
  } plan;
  /* am: (5) by Newton's iteration. written by solve and newton */
  struct {
    double g;          /* of this step                                               */
    double c;          /* of the matrix in `newton`                                  */
    tn_newton *newton; /* or NULL                                                    */
  } implicit;
  double *y, *ynew;         /* n: the state that was accepted last, or is iterated; end of the last attempt */
  double *p, *e;            /* n: (2)                                                                      */
  double *f, *d, *kick, *w; /* n: a rate; f - e, or a correction; of held feedback; weights */
  tn_dop853 *starter[2];    /* of both halves of a step                                                      */
} memory;

static int differences(const void *self) {
  const adams *is = self;
  return (is->kind == VARIABLE ? MOST : is->k) + 1;
}
static int starters(const void *self) { return ((const adams *)self)->kind == VARIABLE ? 0 : 2; }
static int newtons(const void *self) {
  const adams *is = self;
  return is->corrections == 0 && is->iteration == NEWTON;
}

static const tn_array arrays[] = {
    TN_ARRAY(memory, past.phi, .rows = TN_N, .many = differences),
    TN_ARRAY(memory, y, .rows = TN_N),
    TN_ARRAY(memory, ynew, .rows = TN_N),
    TN_ARRAY(memory, p, .rows = TN_N),
    TN_ARRAY(memory, e, .rows = TN_N),
    TN_ARRAY(memory, f, .rows = TN_N),
    TN_ARRAY(memory, d, .rows = TN_N),
    TN_ARRAY(memory, kick, .rows = TN_N),
    TN_ARRAY(memory, w, .rows = TN_N),
    TN_ARRAY(memory, starter, .element = TN_NESTED, .nested = &tn_dop853_workspace, .many = starters),
    TN_ARRAY(memory, implicit.newton, .element = TN_NESTED, .nested = &tn_newton_workspace, .many = newtons),
    {.name = NULL}};
static const tn_workspace workspace = {sizeof(memory), arrays};

static size_t size(const void *self, int n) { return tn_workspace_size(&workspace, self, (tn_sizes){.n = n}); }

static void start(const void *self, void *work, int n) {
  memory *w = tn_workspace_start(&workspace, self, work, (tn_sizes){.n = n});
  w->is = *(const adams *)self;
  w->n = n;
  w->k = w->is.kind == VARIABLE ? 1 : w->is.k;
  w->plan.rising = true;
  for (int i = 0; i < starters(self); i++) tn_dop853_begin(w->starter[i], n);
  if (w->implicit.newton) w->implicit.newton->most = TN_NEWTON_FIXED;
  if (w->is.kind != VARIABLE) return;
  tn_ratio gamma[DIFFERENCES];
  tn_adams_gamma(DIFFERENCES - 1, false, gamma);
  for (int i = 0; i < DIFFERENCES; i++) w->plan.gamma[i] = fabs(tn_ratio_value(gamma[i]));
}

/* ---- weights ------------------------------------------------------------------------------------------------------------ */

/* Gauss and Legendre on (0, 1), exact to degree 13 */
static const double POINT[POINTS] = {0.025446043828620738, 0.12923440720030278, 0.29707742431130142, 0.5,
                                     0.70292257568869858,  0.87076559279969722, 0.97455395617137926};
static const double WEIGHT[POINTS] = {0.06474248308443485, 0.13985269574463833, 0.19091502525255947,
                                      0.20897959183673469, 0.19091502525255947, 0.13985269574463833,
                                      0.06474248308443485};

/* (1): c_1 .. c_count at s */
static void values(const double *psi, double s, int count, double *c) {
  c[0] = 1;
  for (int i = 1; i < count; i++) c[i] = c[i - 1] * (s + psi[i - 1]) / psi[i];
}

/* (2): their means over (0, s) */
static void means(const double *psi, double s, int count, double *b) {
  double c[DIFFERENCES];
  memset(b, 0, sizeof *b * (size_t)count);
  for (int g = 0; g < POINTS; g++) {
    values(psi, POINT[g] * s, count, c);
    for (int i = 0; i < count; i++) b[i] += WEIGHT[g] * c[i];
  }
}

/* those of a step of length h, with one more than its order; kept while steps do not change */
static void weigh(memory *w, double h) {
  if (h == w->weights.h && w->k == w->weights.k && h == w->plan.h && w->plan.same > w->k + 1) return;
  if (w->past.have == w->k)
    w->past.psi[w->k] = w->past.psi[w->k - 1] + h; /* of one that is not there yet: it cancels in g */
  means(w->past.psi, h, w->k + 1, w->weights.b);
  values(w->past.psi, h, w->k + 1, w->weights.c);
  w->weights.h = h;
  w->weights.k = w->k;
}

/* g_i: of the corrector that goes through the new rate and i - 1 before it */
static double corrector(const memory *w, int i) { return w->weights.b[i - 1] / w->weights.c[i - 1]; }

/* ---- rates ------------------------------------------------------------------------------------------------------------- */

/* x - c_0 b_0 in the place of b_0, that minus c_1 b_1 in the place of b_1 ..; some numbers at a time, in registers */
static void differ(int n, const double *x, int count, const double *c, double *const *b) {
  int i = 0;
  for (; i + 2 * TN_LANES <= n; i += 2 * TN_LANES) {
    tn_lanes u = TN_LOAD(x + i), v = TN_LOAD(x + i + TN_LANES);
    for (int j = 0; j < count; j++) {
      TN_STORE(b[j] + i, u = u - c[j] * TN_LOAD(b[j] + i));
      TN_STORE(b[j] + i + TN_LANES, v = v - c[j] * TN_LOAD(b[j] + i + TN_LANES));
    }
  }
  for (; i < n; i++) {
    double u = x[i];
    for (int j = 0; j < count; j++) u = b[j][i] = u - c[j] * b[j][i];
  }
}

/* differences there are behind (4) */
static int have_next(const memory *w) {
  const int most = w->k + (w->k < (w->is.kind == VARIABLE ? MOST : w->is.k) ? 2 : 1);
  return w->past.have + 1 < most ? w->past.have + 1 : most;
}

/* (4): f at the accepted state among the differences, each of which is made in the place of the one before it */
static tn_status take_rate(memory *w, const tn_ode *ode) {
  if (!w->past.pending) return TN_OK;
  tn_status status =
      w->past.predicted ? TN_OK : ode->rates(ode->self, w->past.have ? w->last.t + w->last.h : w->last.t, w->y, w->f);
  if (status != TN_OK) return status;
  const int old = w->past.have;
  double c[DIFFERENCES];
  w->past.pending = false;
  w->past.have = have_next(w);
  values(w->past.psi, w->last.h, old, c); /* psi still is that of the start of the step */
  const int kept = old < w->past.have ? old : w->past.have;
  differ(w->n, w->f, kept, c, w->past.phi);
  double *x = w->f; /* what is in the place of one is the next of them now */
  for (int j = 0; j < w->past.have; j++) {
    double *before = w->past.phi[j];
    w->past.phi[j] = x;
    x = before;
  }
  w->f = x;
  for (int j = w->past.have - 1; j > 0; j--) w->past.psi[j] = w->last.h + w->past.psi[j - 1];
  return TN_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

/* two steps of half the length, without the feedback that is held */
static tn_status starting_step(memory *w, const tn_ode *ode, double t, const double *y, double h, double *ynew) {
  tn_status status = TN_OK;
  for (int i = 0; i < 2 && status == TN_OK; i++) {
    tn_dop853_forget(w->starter[i]);
    status = tn_dop853_step(w->starter[i], ode, t + i * h / 2, i ? w->p : y, h / 2, i ? ynew : w->p);
  }
  return status;
}

/* (5): x the next of y, with g h for g */
static tn_status correct_once(memory *w, const tn_ode *ode, double g, const double *y, double *x) {
  const tn_status status = ode->rates(ode->self, w->last.t + w->last.h, y, w->f);
  if (status != TN_OK) return status;
  for (int i = 0; i < w->n; i++) {
    w->d[i] = w->f[i] - w->e[i];
    x[i] = w->p[i] + g * w->d[i];
  }
  return TN_OK;
}

static tn_status correct(memory *w, const tn_ode *ode, double g, double *ynew) {
  tn_status status = correct_once(w, ode, g, w->p, ynew);
  for (int i = 1; i < w->is.corrections && status == TN_OK; i++) status = correct_once(w, ode, g, ynew, ynew);
  return status;
}

/* (5) with the corrections that are left expected to be below a thousandth of the weights; roundoff, where they no longer fall */
static tn_status fixed_point(memory *w, const tn_ode *ode, double g, double *ynew) {
  enum { MOST_CORRECTIONS = 100 };
  static const double FIXED_POINT_SLOW = 0.98; /* of the change before */
  const int m = w->n - ode->ledgers;
  double before = INFINITY;
  ode->weights(ode->self, w->y, w->w);
  memcpy(ynew, w->p, sizeof *ynew * (size_t)w->n);
  for (int count = 1; count <= MOST_CORRECTIONS; count++) {
    double change = 0;
    memcpy(w->y, ynew, sizeof *ynew * (size_t)w->n); /* of this step no more is asked of it */
    const tn_status status = correct_once(w, ode, g, w->y, ynew);
    if (status != TN_OK) return status;
    ode->effort->iterations++;
    for (int i = 0; i < m; i++) {
      const double e = fabs(ynew[i] - w->y[i]) / w->w[i];
      if (!(e <= change)) change = isnan(e) ? INFINITY : e;
    }
    const double ratio = change / before;
    if (change == 0 || (count > 1 && ratio < FIXED_POINT_SLOW && ratio / (1 - ratio) * change <= TN_LEFT_OPEN))
      return TN_OK;
    if (ratio >= FIXED_POINT_SLOW && change <= TN_STUCK) return TN_OK;
    if (!isfinite(change)) break;
    before = change;
  }
  char message[160];
  tn_format(message, sizeof message,
            "the fixed-point iteration of the corrector does not converge in a step of %.3g s: take a shorter step, or "
            "`iteration=newton`",
            w->last.h);
  return ode->refuse(ode->self, w->last.t, message);
}

static bool nearly(double a, double b) { return fabs(a - b) <= TN_SAME_LENGTH * fabs(a); }

static tn_newton_state newton(void *work, const tn_ode *ode, tn_status *status) {
  memory *w = work;
  tn_newton *s = w->implicit.newton;
  const double c = 1 / w->implicit.g;
  double *y = w->y;
  /* lengths of steps differ by their roundoff, and c with them: a matrix serves all of these */
  *status = tn_newton_begin(s, ode, w->last.t, y, nearly(w->last.h, s->h) ? s->h : w->last.h, w->past.phi[0]);
  if (*status != TN_OK) return TN_NEWTON_FAILS;
  if (!s->factored || !nearly(c, w->implicit.c)) {
    if (s->factored) ode->effort->decompositions++; /* another c in a step of the same length */
    tn_newton_matrix(s, c, s->matrix[0]);
    w->implicit.c = c;
    if (!tn_lu_factor(s->m, s->matrix[0], s->pivot[0])) {
      s->h = 0;
      return TN_NEWTON_FAILS;
    }
  }
  tn_newton_state state = TN_NEWTON_GOES_ON;
  memcpy(w->ynew, w->p, sizeof *w->p * (size_t)w->n);
  while (state == TN_NEWTON_GOES_ON) {
    if ((*status = ode->rates(ode->self, w->last.t + w->last.h, w->ynew, w->f)) != TN_OK) return TN_NEWTON_FAILS;
    for (int i = 0; i < w->n; i++) w->d[i] = w->f[i] - w->e[i] - c * (w->ynew[i] - w->p[i]);
    tn_lu_solve(s->m, s->matrix[0], s->pivot[0], w->d);
    for (int i = s->m; i < w->n; i++) w->d[i] /= c;
    for (int i = 0; i < w->n; i++) w->ynew[i] += w->d[i];
    state = tn_newton_judge(s, ode, tn_newton_norm(s, w->d));
  }
  return state;
}

static tn_status solve(memory *w, const tn_ode *ode, double g, const double *y, double *ynew) {
  memcpy(w->y, y, sizeof *y * (size_t)w->n);
  if (!w->implicit.newton) return fixed_point(w, ode, g, ynew);
  w->implicit.g = g;
  const tn_status status = tn_newton_iterate(w->implicit.newton, ode, w->last.t, w->last.h, newton, w, "am");
  memcpy(ynew, w->ynew, sizeof *ynew * (size_t)w->n);
  return status;
}

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  memory *w = work;
  const int n = w->n;
  tn_status status = ode->begin(ode->self, t, y, h);
  w->last.candidate = w->last.end_known = false;
  if (status != TN_OK) return status;
  if (!w->past.have) {
    memcpy(w->y, y, sizeof *y * (size_t)n);
    w->last.t = t;
    w->past.pending = true;
  }
  if ((status = take_rate(w, ode)) != TN_OK) return status;
  w->last.kicked = ode->kick != NULL;
  if (w->last.kicked && (status = ode->kick(ode->self, t, y, h, w->kick)) != TN_OK) return status;
  w->last.t = t;
  w->last.h = h;
  w->last.by_starter = w->past.have < w->k;
  if (w->last.by_starter) {
    if ((status = starting_step(w, ode, t, y, h, ynew)) != TN_OK) return status;
  } else {
    weigh(w, h);
    tn_combine(n, y, h, w->k, w->weights.b, w->past.phi, w->is.kind == BASHFORTH ? ynew : w->p);
  }
  if (!w->last.by_starter && w->is.kind != BASHFORTH) {
    const double low = corrector(w, w->k), high = corrector(w, w->k + 1), g = h * (w->is.kind == MOULTON ? low : high);
    tn_combine(n, NULL, 1, w->k, w->weights.c, w->past.phi, w->e);
    status = w->is.corrections > 0 ? correct(w, ode, g, ynew) : solve(w, ode, g, y, ynew);
    if (status != TN_OK) return status;
    for (int i = 0; error && i < n; i++) error[i] = h * (high - low) * w->d[i];
  }
  for (int i = 0; w->last.kicked && i < n; i++) ynew[i] += w->kick[i];
  memcpy(w->ynew, ynew, sizeof *ynew * (size_t)n);
  w->last.candidate = true;
  return TN_OK;
}

static void accept(void *work, const double *y, bool changed) {
  memory *w = work;
  if (w->implicit.newton) tn_newton_accept(w->implicit.newton);
  w->past.predicted = ((w->is.mode == PEC && !w->last.by_starter) || w->last.end_known) && !changed;
  w->last.candidate = w->last.end_known = false;
  memcpy(w->y, y, sizeof *y * (size_t)w->n);
  w->plan.same = w->last.h == w->plan.h ? w->plan.same + 1 : 1;
  w->plan.h = w->last.h;
  w->plan.failed = 0;
  w->past.pending = true;
}

/* of an attempt that may still be thrown away: the polynomial that (4) would make, and the differences stay as they are */
static tn_status dense_of_candidate(memory *w, const tn_ode *ode, double theta, double *y) {
  if (!w->last.end_known && w->is.mode != PEC) {
    const tn_status status = ode->rates(ode->self, w->last.t + w->last.h, w->ynew, w->f);
    if (status != TN_OK) return status;
  }
  w->last.end_known = true;
  const int have = have_next(w), count = have < w->k + 1 ? have : w->k + 1;
  const double back = (theta - 1) * w->last.h;
  double b[DIFFERENCES], c[DIFFERENCES], psi[DIFFERENCES];
  values(w->past.psi, w->last.h, w->past.have, c);
  psi[0] = w->past.psi[0];
  for (int j = 1; j < have; j++) psi[j] = w->last.h + w->past.psi[j - 1];
  means(psi, back, count, b);
  for (int i = 0; i < w->n; i++) {
    double difference = w->f[i], sum = b[0] * difference;
    for (int j = 1; j < count; j++) {
      difference -= c[j - 1] * w->past.phi[j - 1][i];
      sum += b[j] * difference;
    }
    y[i] = w->ynew[i] + back * sum;
  }
  for (int i = 0; w->last.kicked && i < w->n; i++) y[i] -= (1 - theta) * w->kick[i];
  return TN_OK;
}

/* the polynomial of the rates, with that at the end, back from there */
static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  memory *w = work;
  if (w->last.by_starter) {
    const int half = theta < 0.5 ? 0 : 1;
    tn_status status = tn_dop853_dense(w->starter[half], ode, 2 * theta - half, y);
    for (int i = 0; w->last.kicked && i < w->n; i++) y[i] += theta * w->kick[i];
    return status;
  }
  if (w->last.candidate) return dense_of_candidate(w, ode, theta, y);
  tn_status status = take_rate(w, ode);
  if (status != TN_OK) return status;
  const double back = (theta - 1) * w->last.h;
  double b[DIFFERENCES];
  const int count = w->past.have < w->k + 1 ? w->past.have : w->k + 1;
  means(w->past.psi, back, count, b);
  tn_combine(w->n, w->y, back, count, b, w->past.phi, y);
  for (int i = 0; w->last.kicked && i < w->n; i++) y[i] -= (1 - theta) * w->kick[i];
  return TN_OK;
}

/* ---- order and step of abm ------------------------------------------------------------------------------------------------ */

static int order_now(const void *work) { return ((const memory *)work)->k; }

/* what this step leaves of the differences k - 2 + l, l = 0 .. 3, of all numbers, each by its weight: the root of the sum of squares.
 * f(p) - e is that of l = 2; lower ones have what the lower orders leave of e */
static void sizes(const memory *w, double size[4]) {
  const int k = w->k;
  const double *d = w->d, *r = w->w, *a = k > 2 ? w->past.phi[k - 2] : d, *b = k > 1 ? w->past.phi[k - 1] : d,
               *up = w->past.have > k ? w->past.phi[k] : d;
  const double ca = k > 2 ? w->weights.c[k - 2] : 0, cb = k > 1 ? w->weights.c[k - 1] : 0,
               cu = w->past.have > k ? w->weights.c[k] : 0;
  tn_four sum[4] = {{0}};
  int i = 0;
  for (; i + LANES <= w->n; i += LANES) {
    const tn_four weight = TN_LOAD4(r + i), x = weight * TN_LOAD4(d + i), y = x + cb * weight * TN_LOAD4(b + i),
                  z = y + ca * weight * TN_LOAD4(a + i), v = x - cu * weight * TN_LOAD4(up + i);
    sum[0] += z * z;
    sum[1] += y * y;
    sum[2] += x * x;
    sum[3] += v * v;
  }
  for (; i < w->n; i++) {
    const double x = d[i] * r[i], y = x + cb * b[i] * r[i], z = y + ca * a[i] * r[i], v = x - cu * up[i] * r[i];
    sum[0][0] += z * z;
    sum[1][0] += y * y;
    sum[2][0] += x * x;
    sum[3][0] += v * v;
  }
  for (int l = 0; l < 4; l++) size[l] = sqrt((sum[l][0] + sum[l][1]) + (sum[l][2] + sum[l][3]));
}

/* the error that a formula of order i would have, with steps as long as this one (Shampine & Gordon): |gamma*_i sigma_{i+1}
 * phi_{i+1}|, phi as sizes has it */
static double error_of(const memory *w, int i, double size) {
  double sigma = 1;
  for (int j = 1; j <= i; j++) sigma *= j * w->last.h / (w->last.h + w->past.psi[j - 1]);
  return w->plan.gamma[i] * sigma * fabs(w->last.h) * size;
}

/* of the length that has the error of `aim`: kept while it is long enough, doubled if it may be, else shorter */
static double length(double error, double aim, int k) {
  if (ldexp(error, k + 1) <= aim) return 2;
  if (error <= aim) return 1;
  return fmin(0.9, fmax(0.5, pow(aim / error, 1.0 / (k + 1))));
}

/* for the comparison of orders weights need not be new */
static void refresh_weights(memory *w, const tn_ode *ode) {
  if (w->plan.weighed-- > 0) return;
  ode->weights(ode->self, w->y, w->w);
  for (int i = 0; i < w->n; i++) w->w[i] = 1 / w->w[i];
  w->plan.weighed = 8;
}

/* the order to go on with, where the error of one more is known, too; next: its error, if it is another than k */
static int with_one_more(int k, double down, double here, double up, double *next) {
  if (k > 1 && down <= fmin(here, up)) {
    *next = down;
    return k - 1;
  }
  if (k > 1 ? up < here : up < 0.5 * here) {
    *next = up;
    return k + 1;
  }
  return k;
}

static double plan(void *work, const tn_ode *ode, double err, double aim) {
  memory *w = work;
  const int k = w->k;
  if (isinf(err)) { /* it has not come to its end */
    w->plan.rising = false;
    if (++w->plan.failed > 2) w->k = 1;
    return 0.25;
  }
  refresh_weights(w, ode);
  double size[4];
  sizes(w, size);
  /* what the estimate says of the differences, as they are; of the error, the part that counts */
  const double here = error_of(w, k, size[2]),
               plain = fabs(w->last.h * (corrector(w, k + 1) - corrector(w, k))) * size[2],
               counts = plain > 0 ? err / plain : 1;
  const double down = k > 1 ? error_of(w, k - 1, size[1]) : INFINITY, down2 = k > 2 ? error_of(w, k - 2, size[0]) : 0;
  double next = here;
  int order = k;
  if (k > 2 ? fmax(down, down2) <= here : down <= 0.5 * here) order = k - 1, next = down;
  if (err > 1) {
    w->plan.rising = false;
    w->k = ++w->plan.failed > 2 ? 1 : order;
    /* with order one, at the start and behind switches, the length that has the error wanted (Shampine & Gordon 1975) */
    return fmin(0.5, w->k == 1 ? sqrt(aim / err) : length(counts * next, aim, w->k));
  }
  if (order < k || k == MOST || err > aim) w->plan.rising = false;
  if (w->plan.rising) {
    w->k = k + 1;
    return 2;
  }
  /* one more is known only where steps have not changed */
  if (order == k && k < MOST && w->past.have > k && w->plan.same > k) {
    const double up = error_of(w, k + 1, size[3]);
    order = with_one_more(k, down, here, up, &next);
  }
  w->k = order;
  return length(counts * next, aim, order);
}

/* ---- of steps of one length ------------------------------------------------------------------------------------------------ */

static int formula(const void *self, int order, double *b, double *c) {
  const adams *is = self;
  const int k = is->kind == VARIABLE ? order : is->k, corrected = is->kind == MOULTON ? k : k + 1;
  tn_ratio beta[MOST + 1];
  tn_adams_beta(k, true, beta);
  for (int j = 0; j < k; j++) b[j] = tn_ratio_value(beta[j]);
  memset(c, 0, sizeof *c * (size_t)(k + 1));
  tn_adams_beta(corrected, false, beta);
  for (int j = 0; is->kind != BASHFORTH && j < corrected; j++) c[j] = tn_ratio_value(beta[j]);
  return k;
}

static int corrections(const void *self) { return ((const adams *)self)->corrections; }

static bool keeps_predicted(const void *self) { return ((const adams *)self)->mode == PEC; }

/* what the name says, beside what the fields do */
static tn_status init(void *self, tn_context *ctx) {
  tn_settings run;
  tn_context_settings(ctx, &run);
  const adams *named = run.integrator->constants;
  adams *s = self;
  s->kind = named->kind;
  s->k = named->k;
  if (named->corrections == 0) s->corrections = 0;
  return TN_OK;
}

static const tn_field fields[] = {
    {.key = "mode",
     .doc = "which rate is kept: that at the corrected state, or (pec) the last one that was corrected by, which saves "
            "an evaluation",
     .kind = TN_WORD,
     .offset = offsetof(adams, mode),
     .choices = "pece pec"},
    {.key = "corrections",
     .doc = "n of the modes P(EC)^n E and P(EC)^n",
     .kind = TN_INTEGER,
     .offset = offsetof(adams, corrections),
     .dflt = 1,
     .lo = 1,
     .hi = 100},
    {.key = NULL}};

static const tn_field fields_implicit[] = {
    {.key = "iteration",
     .doc =
         "Newton's, with a Jacobian by differences; or the corrector again and again, which converges in short steps "
         "alone",
     .kind = TN_WORD,
     .offset = offsetof(adams, iteration),
     .choices = "newton fixed-point"},
    {.key = NULL}};

#define ADAMS(NAME, KIND, K, CORRECTIONS, ORDER, DOC, SOURCE, ...)                                                     \
  {                                                                                                                    \
    .name = NAME, .doc = DOC, .example = "--integrator " NAME " --step 1e-3", .source = SOURCE,                        \
    .constants = &(const adams){.kind = KIND, .k = K, .corrections = CORRECTIONS}, .order = ORDER, .fixed = true,      \
    .keeps_rates = true, .memory = size, .start = start, .attempt = attempt, .accept = accept, .dense = dense,         \
    .formula = formula, __VA_ARGS__                                                                                    \
  }
#define CORRECTED                                                                                                      \
  .size = sizeof(adams), .fields = fields, .init = init, .corrections = corrections, .keeps_predicted = keeps_predicted,
#define AB(K)                                                                                                          \
  ADAMS("ab" #K, BASHFORTH, K, 1, K, "Adams-Bashforth, order " #K ", one rate a step", "Bashforth & Adams 1883", )
#define AMPC(K)                                                                                                        \
  ADAMS("ampc" #K, MOULTON, K, 1, K, "Adams-Bashforth and Adams-Moulton of order " #K ", PECE",                        \
        "Moulton 1926; Wu, Chiou & Lin 2000", CORRECTED)
#define MAMPC(K)                                                                                                       \
  ADAMS("mampc" #K, MODIFIED, K, 1, (K) + 1,                                                                           \
        "modified Adams-Moulton: Adams-Bashforth of order " #K ", corrector of one more, PECE",                        \
        "Wu, Chiou & Lin 2000", CORRECTED)
#define AM(KIND, K, ORDER)                                                                                             \
  ADAMS("am" #ORDER, KIND, K, 0, ORDER, "Adams-Moulton of order " #ORDER ", implicit, solved in every step",           \
        "Moulton 1926; Wu, Chiou & Lin 2000 eqs. 9, 29", .size = sizeof(adams), .fields = fields_implicit,             \
        .init = init, .corrections = corrections, )

const tn_integrator_type tn_integrator_am1 = AM(MOULTON, 1, 1);
const tn_integrator_type tn_integrator_am2 = AM(MODIFIED, 1, 2);
const tn_integrator_type tn_integrator_am3 = AM(MODIFIED, 2, 3);
const tn_integrator_type tn_integrator_am4 = AM(MODIFIED, 3, 4);
const tn_integrator_type tn_integrator_am5 = AM(MODIFIED, 4, 5);
const tn_integrator_type tn_integrator_am6 = AM(MODIFIED, 5, 6);
const tn_integrator_type tn_integrator_am7 = AM(MODIFIED, 6, 7);
const tn_integrator_type tn_integrator_am8 = AM(MODIFIED, 7, 8);
const tn_integrator_type tn_integrator_am9 = AM(MODIFIED, 8, 9);
const tn_integrator_type tn_integrator_ab1 = AB(1);
const tn_integrator_type tn_integrator_ab2 = AB(2);
const tn_integrator_type tn_integrator_ab3 = AB(3);
const tn_integrator_type tn_integrator_ab4 = AB(4);
const tn_integrator_type tn_integrator_ab5 = AB(5);
const tn_integrator_type tn_integrator_ab6 = AB(6);
const tn_integrator_type tn_integrator_ab7 = AB(7);
const tn_integrator_type tn_integrator_ab8 = AB(8);
const tn_integrator_type tn_integrator_ampc1 = AMPC(1);
const tn_integrator_type tn_integrator_ampc2 = AMPC(2);
const tn_integrator_type tn_integrator_ampc3 = AMPC(3);
const tn_integrator_type tn_integrator_ampc4 = AMPC(4);
const tn_integrator_type tn_integrator_ampc5 = AMPC(5);
const tn_integrator_type tn_integrator_ampc6 = AMPC(6);
const tn_integrator_type tn_integrator_ampc7 = AMPC(7);
const tn_integrator_type tn_integrator_ampc8 = AMPC(8);
const tn_integrator_type tn_integrator_mampc1 = MAMPC(1);
const tn_integrator_type tn_integrator_mampc2 = MAMPC(2);
const tn_integrator_type tn_integrator_mampc3 = MAMPC(3);
const tn_integrator_type tn_integrator_mampc4 = MAMPC(4);
const tn_integrator_type tn_integrator_mampc5 = MAMPC(5);
const tn_integrator_type tn_integrator_mampc6 = MAMPC(6);
const tn_integrator_type tn_integrator_mampc7 = MAMPC(7);
const tn_integrator_type tn_integrator_mampc8 = MAMPC(8);

const tn_integrator_type tn_integrator_abm = {
    .name = "abm",
    .doc = "Adams-Bashforth-Moulton of variable order, up to 13, and variable step, PECE",
    .example = "--integrator abm --rtol 1e-10",
    .source = "Shampine & Gordon 1975",
    .constants = &(const adams){.kind = VARIABLE, .k = MOST, .corrections = 1},
    .order = 2, /* that it begins with */
    .orders = MOST,
    .adaptive = true,
    .keeps_rates = true,
    .order_estimate = 1,
    .memory = size,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .dense = dense,
    .order_now = order_now,
    .plan = plan,
    .aim = 1.0 / 16,       /* errors of many short steps add up to more than those of a one-step formula */
    .aim_of_numbers = 0.5, /* Shampine & Gordon 1975 */
    .formula = formula,
};
