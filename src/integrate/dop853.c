/* dop853: the explicit formula of order 8 of Dormand and Prince with embedded formulas of order 5 and 3 and the dense output of
 * order 7 of Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.5 and II.6, whose coefficients these are.
 *   (1) Y_s = y + h sum A_sr k_r, k_s = f(t + C_s h, Y_s), twelve stages; y1 = Y_13
 *   (2) error e5 |e5|/sqrt(|e5|^2 + |e3|^2/100), with e5 of order 5 and e3 of order 3: falls as h^8
 * dense output takes four more rates, when it is asked for: (3) P(theta), of the ends, their rates and those of Y_14, Y_15, Y_16.
 * fixed or adaptive step.
 *
 * A stiff part whose motion is slow at present lets a step go far beyond the limit of stability, h lambda = -6: at its end the error is
 * small still, and (2) tells it. Y_14 to Y_16 come after all other stages and amplify it more, so P is off inside the step:
 *   (4) m = largest |P(C_s) - Y_s|/w, s = 14, 15, 16
 * On ydot = lambda y:
 *   h lambda                -2    -4    -6   -10  -20   -30   |  i/5   i     3i
 *   error of P over (2)     0.67  1.5   78   93   980   4400  |  2.9   2.9   2.8
 *   m over (2)              2.3   3.4   140  130  1100  4500  |  66    14    5.3
 *   m over |e5|/w           0.66  3.2   115  130  1100  4600  |  0.08  0.45  2
 * Where m is above INSIDE_APART and above INSIDE_APART |e5|/w, the state inside the step is the end of a step of its own, of length theta h: it has
 * the error of (2). This is decided for each of the parts that know nothing of each other, and one is enough. */
#include "integrate/integrate.h"

enum { STAGES = 12, LAST = 12, ALL = 16, MORE = 4 };

static const double INSIDE_APART = 10; /* tolerances; times |e5| */

static const double C[ALL] = {0,
                              0.526001519587677318785587544488e-01,
                              0.789002279381515978178381316732e-01,
                              0.118350341907227396726757197510,
                              0.281649658092772603273242802490,
                              1.0 / 3,
                              0.25,
                              4.0 / 13,
                              0.651282051282051282051282051282,
                              0.6,
                              6.0 / 7,
                              1,
                              1,
                              0.1,
                              0.2,
                              7.0 / 9};
static const double A[ALL][ALL] = {
    [1] = {[0] = 5.26001519587677318785587544488e-2},
    [2] = {[0] = 1.97250569845378994544595329183e-2, [1] = 5.91751709536136983633785987549e-2},
    [3] = {[0] = 2.95875854768068491816892993775e-2, [2] = 8.87627564304205475450678981324e-2},
    [4] = {[0] = 2.41365134159266685502369798665e-1,
           [2] = -8.84549479328286085344864962717e-1,
           [3] = 9.24834003261792003115737966543e-1},
    [5] = {[0] = 3.7037037037037037037037037037e-2,
           [3] = 1.70828608729473871279604482173e-1,
           [4] = 1.25467687566822425016691814123e-1},
    [6] = {[0] = 3.7109375e-2,
           [3] = 1.70252211019544039314978060272e-1,
           [4] = 6.02165389804559606850219397283e-2,
           [5] = -1.7578125e-2},
    [7] = {[0] = 3.70920001185047927108779319836e-2,
           [3] = 1.70383925712239993810214054705e-1,
           [4] = 1.07262030446373284651809199168e-1,
           [5] = -1.53194377486244017527936158236e-2,
           [6] = 8.27378916381402288758473766002e-3},
    [8] = {[0] = 6.24110958716075717114429577812e-1,
           [3] = -3.36089262944694129406857109825,
           [4] = -8.68219346841726006818189891453e-1,
           [5] = 2.75920996994467083049415600797e1,
           [6] = 2.01540675504778934086186788979e1,
           [7] = -4.34898841810699588477366255144e1},
    [9] = {[0] = 4.77662536438264365890433908527e-1,
           [3] = -2.48811461997166764192642586468,
           [4] = -5.90290826836842996371446475743e-1,
           [5] = 2.12300514481811942347288949897e1,
           [6] = 1.52792336328824235832596922938e1,
           [7] = -3.32882109689848629194453265587e1,
           [8] = -2.03312017085086261358222928593e-2},
    [10] = {[0] = -9.3714243008598732571704021658e-1,
            [3] = 5.18637242884406370830023853209,
            [4] = 1.09143734899672957818500254654,
            [5] = -8.14978701074692612513997267357,
            [6] = -1.85200656599969598641566180701e1,
            [7] = 2.27394870993505042818970056734e1,
            [8] = 2.49360555267965238987089396762,
            [9] = -3.0467644718982195003823669022},
    [11] = {[0] = 2.27331014751653820792359768449,
            [3] = -1.05344954667372501984066689879e1,
            [4] = -2.00087205822486249909675718444,
            [5] = -1.79589318631187989172765950534e1,
            [6] = 2.79488845294199600508499808837e1,
            [7] = -2.85899827713502369474065508674,
            [8] = -8.87285693353062954433549289258,
            [9] = 1.23605671757943030647266201528e1,
            [10] = 6.43392746015763530355970484046e-1},
    [12] = {[0] = 5.42937341165687622380535766363e-2,
            [5] = 4.45031289275240888144113950566,
            [6] = 1.89151789931450038304281599044,
            [7] = -5.8012039600105847814672114227,
            [8] = 3.1116436695781989440891606237e-1,
            [9] = -1.52160949662516078556178806805e-1,
            [10] = 2.01365400804030348374776537501e-1,
            [11] = 4.47106157277725905176885569043e-2},
    [13] = {[0] = 5.61675022830479523392909219681e-2,
            [6] = 2.53500210216624811088794765333e-1,
            [7] = -2.46239037470802489917441475441e-1,
            [8] = -1.24191423263816360469010140626e-1,
            [9] = 1.5329179827876569731206322685e-1,
            [10] = 8.20105229563468988491666602057e-3,
            [11] = 7.56789766054569976138603589584e-3,
            [12] = -8.298e-3},
    [14] = {[0] = 3.18346481635021405060768473261e-2,
            [5] = 2.83009096723667755288322961402e-2,
            [6] = 5.35419883074385676223797384372e-2,
            [7] = -5.49237485713909884646569340306e-2,
            [10] = -1.08347328697249322858509316994e-4,
            [11] = 3.82571090835658412954920192323e-4,
            [12] = -3.40465008687404560802977114492e-4,
            [13] = 1.41312443674632500278074618366e-1},
    [15] = {[0] = -4.28896301583791923408573538692e-1,
            [5] = -4.69762141536116384314449447206,
            [6] = 7.68342119606259904184240953878,
            [7] = 4.06898981839711007970213554331,
            [8] = 3.56727187455281109270669543021e-1,
            [12] = -1.39902416515901462129418009734e-3,
            [13] = 2.9475147891527723389556272149,
            [14] = -9.15095847217987001081870187138},
};
/* order 8 minus order 5; the formula of order 3 has three stages */
static const double E5[STAGES] = {[0] = 0.1312004499419488073250102996e-1,  [5] = -0.1225156446376204440720569753e+1,
                                  [6] = -0.4957589496572501915214079952,    [7] = 0.1664377182454986536961530415e+1,
                                  [8] = -0.3503288487499736816886487290,    [9] = 0.3341791187130174790297318841,
                                  [10] = 0.8192320648511571246570742613e-1, [11] = -0.2235530786388629525884427845e-1};
static const double B3[STAGES] = {[0] = 0.244094488188976377952755905512,
                                  [8] = 0.733846688281611857341361741547,
                                  [11] = 0.220588235294117647058823529412e-1};
/* of the dense output, beyond its first three coefficients */
static const double D[MORE][ALL] = {
    {[0] = -0.84289382761090128651353491142e+1,
     [5] = 0.56671495351937776962531783590,
     [6] = -0.30689499459498916912797304727e+1,
     [7] = 0.23846676565120698287728149680e+1,
     [8] = 0.21170345824450282767155149946e+1,
     [9] = -0.87139158377797299206789907490,
     [10] = 0.22404374302607882758541771650e+1,
     [11] = 0.63157877876946881815570249290,
     [12] = -0.88990336451333310820698117400e-1,
     [13] = 0.18148505520854727256656404962e+2,
     [14] = -0.91946323924783554000451984436e+1,
     [15] = -0.44360363875948939664310572000e+1},
    {[0] = 0.10427508642579134603413151009e+2,
     [5] = 0.24228349177525818288430175319e+3,
     [6] = 0.16520045171727028198505394887e+3,
     [7] = -0.37454675472269020279518312152e+3,
     [8] = -0.22113666853125306036270938578e+2,
     [9] = 0.77334326684722638389603898808e+1,
     [10] = -0.30674084731089398182061213626e+2,
     [11] = -0.93321305264302278729567221706e+1,
     [12] = 0.15697238121770843886131091075e+2,
     [13] = -0.31139403219565177677282850411e+2,
     [14] = -0.93529243588444783865713862664e+1,
     [15] = 0.35816841486394083752465898540e+2},
    {[0] = 0.19985053242002433820987653617e+2,
     [5] = -0.38703730874935176555105901742e+3,
     [6] = -0.18917813819516756882830838328e+3,
     [7] = 0.52780815920542364900561016686e+3,
     [8] = -0.11573902539959630126141871134e+2,
     [9] = 0.68812326946963000169666922661e+1,
     [10] = -0.10006050966910838403183860980e+1,
     [11] = 0.77771377980534432092869265740,
     [12] = -0.27782057523535084065932004339e+1,
     [13] = -0.60196695231264120758267380846e+2,
     [14] = 0.84320405506677161018159903784e+2,
     [15] = 0.11992291136182789328035130030e+2},
    {[0] = -0.25693933462703749003312586129e+2,
     [5] = -0.15418974869023643374053993627e+3,
     [6] = -0.23152937917604549567536039109e+3,
     [7] = 0.35763911791061412378285349910e+3,
     [8] = 0.93405324183624310003907691704e+2,
     [9] = -0.37458323136451633156875139351e+2,
     [10] = 0.10409964950896230045147246184e+3,
     [11] = 0.29840293426660503123344363579e+2,
     [12] = -0.43533456590011143754432175058e+2,
     [13] = 0.96324553959188282948394950600e+2,
     [14] = -0.39177261675615439165231486172e+2,
     [15] = -0.14972683625798562581422125276e+3},
};

struct tn_dop853 {
  int n;
  bool first_ready, last_ready,
      more_ready; /* k[0] holds the rate at the start of the next attempt; k[LAST] that at y1; `more` was called */
  bool weighed;   /* w holds the weights of numbers at y0: the step is adaptive */
  bool apart;     /* P is off; k[1] .. are then of the last step of its own. valid with more_ready */
  double t, h;
  double *y0, *y1, *stage, *w, *k[ALL], *d[MORE];
  double *e5; /* of each part: |e5|/w of the last estimate. valid with `weighed` */
};

static const tn_array arrays[] = {TN_INSIDE(tn_dop853, first_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(tn_dop853, last_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(tn_dop853, more_ready, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(tn_dop853, weighed, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(tn_dop853, apart, .element = TN_FLAGS, .kept = true),
                                  TN_INSIDE(tn_dop853, t, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_INSIDE(tn_dop853, h, .element = TN_FINITE_DOUBLES, .kept = true),
                                  TN_ARRAY(tn_dop853, y0, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_dop853, y1, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_dop853, w, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_dop853, e5, .rows = TN_N, .kept = true),
                                  TN_ARRAY(tn_dop853, k, .rows = TN_N, .count = ALL, .kept = true),
                                  TN_ARRAY(tn_dop853, d, .rows = TN_N, .count = MORE, .kept = true),
                                  TN_ARRAY(tn_dop853, stage, .rows = TN_N),
                                  {.name = NULL}};
const tn_workspace tn_dop853_workspace = {sizeof(tn_dop853), arrays};

static size_t size(const void *self, int n) {
  return tn_workspace_size(&tn_dop853_workspace, self, (tn_sizes){.n = n});
}

void tn_dop853_begin(tn_dop853 *w, int n) { w->n = n; }

static void start(const void *self, void *work, int n) {
  tn_dop853_begin(tn_workspace_start(&tn_dop853_workspace, self, work, (tn_sizes){.n = n}), n);
}

/* of number i; there are no more parts than numbers */
static int part_of(const tn_dop853 *w, const tn_ode *ode, int i) {
  return ode->part && i < w->n - ode->ledgers ? ode->part[i] : 0;
}

/* (2), for each of the parts that know nothing of each other: one must not change what counts in another */
static void estimate(tn_dop853 *w, const tn_ode *ode, double *error) {
  double e3[STAGES], *a = w->e5, *b = w->d[0]; /* by parts; dense output is made later */
  for (int s = 0; s < STAGES; s++) e3[s] = A[LAST][s] - B3[s];
  ode->weights(ode->self, w->y0, w->w);
  w->weighed = true;
  tn_combine(w->n, NULL, w->h, STAGES, E5, w->k, error);
  tn_combine(w->n, NULL, w->h, STAGES, e3, w->k, w->stage);
  for (int i = 0; i < w->n; i++) a[i] = b[i] = 0;
  for (int i = 0; i < w->n; i++) {
    const int part = part_of(w, ode, i);
    a[part] = fmax(a[part], fabs(error[i]) / w->w[i]);
    b[part] = fmax(b[part], fabs(w->stage[i]) / w->w[i]);
  }
  for (int i = 0; i < w->n; i++) {
    const int part = part_of(w, ode, i);
    const double all = sqrt(a[part] * a[part] + b[part] * b[part] / 100);
    if (all > 0) error[i] *= a[part] / all;
  }
}

/* (1) from y0 and its rate k[0] */
static tn_status stages(tn_dop853 *w, const tn_ode *ode, double h, double *y1) {
  for (int s = 1; s < STAGES; s++) {
    tn_combine(w->n, w->y0, h, s, A[s], w->k, w->stage);
    const tn_status status = ode->rates(ode->self, w->t + C[s] * h, w->stage, w->k[s]);
    if (status != TN_OK) return status;
  }
  tn_combine(w->n, w->y0, h, STAGES, A[LAST], w->k, y1);
  return TN_OK;
}

tn_status tn_dop853_step(tn_dop853 *w, const tn_ode *ode, double t, const double *y, double h, double *ynew) {
  tn_status status = TN_OK;
  w->t = t;
  w->h = h;
  w->last_ready = w->more_ready = w->weighed = false;
  memcpy(w->y0, y, sizeof *y * (size_t)w->n);
  if (!w->first_ready || ode->rates_know_step) {
    w->first_ready = false;
    if ((status = ode->rates(ode->self, t, y, w->k[0])) != TN_OK) return status;
    w->first_ready = true; /* a rejected attempt leaves it standing */
  }
  if ((status = stages(w, ode, h, w->y1)) != TN_OK) return status;
  memcpy(ynew, w->y1, sizeof *ynew * (size_t)w->n);
  return TN_OK;
}

void tn_dop853_forget(tn_dop853 *w) { w->first_ready = false; }

static tn_status attempt(void *work, const tn_ode *ode, double t, const double *y, double h, double *ynew,
                         double *error) {
  tn_dop853 *w = work;
  tn_status status = ode->begin(ode->self, t, y, h);
  if (status == TN_OK) status = tn_dop853_step(w, ode, t, y, h, ynew);
  if (status == TN_OK && error) estimate(w, ode, error);
  return status;
}

static void accept(void *work, const double *y, bool changed) {
  tn_dop853 *w = work;
  (void)y, (void)changed;
  w->first_ready = false; /* the dense output still needs this one: the next attempt makes its own */
}

/* (3) */
static double inside(const tn_dop853 *w, double theta, int i) {
  const double r = 1 - theta, d = w->y1[i] - w->y0[i], b = w->h * w->k[0][i] - d, c = d - w->h * w->k[LAST][i] - b;
  const double high = w->d[0][i] + theta * (w->d[1][i] + r * (w->d[2][i] + theta * w->d[3][i]));
  return w->y0[i] + theta * (d + r * (b + theta * (c + r * high)));
}

/* (4), of any part */
static bool is_apart(tn_dop853 *w, const tn_ode *ode) {
  for (int s = LAST + 1; s < ALL; s++) {
    tn_combine(w->n, w->y0, w->h, s, A[s], w->k, w->stage);
    for (int i = 0; i < w->n; i++)
      if (fabs(inside(w, C[s], i) - w->stage[i]) / w->w[i] > INSIDE_APART * fmax(1, w->e5[part_of(w, ode, i)]))
        return true;
  }
  return false;
}

/* the three stages beyond the step, and its polynomial */
static tn_status more(tn_dop853 *w, const tn_ode *ode) {
  tn_status status;
  if (!w->last_ready) {
    if ((status = ode->rates(ode->self, w->t + w->h, w->y1, w->k[LAST])) != TN_OK) return status;
    w->last_ready = true;
  }
  for (int s = LAST + 1; s < ALL; s++) {
    tn_combine(w->n, w->y0, w->h, s, A[s], w->k, w->stage);
    if ((status = ode->rates(ode->self, w->t + C[s] * w->h, w->stage, w->k[s])) != TN_OK) return status;
  }
  for (int s = 0; s < MORE; s++) tn_combine(w->n, NULL, w->h, ALL, D[s], w->k, w->d[s]);
  w->more_ready = true;
  w->apart = w->weighed && is_apart(w, ode);
  return TN_OK;
}

tn_status tn_dop853_dense(tn_dop853 *w, const tn_ode *ode, double theta, double *y) {
  if (!w->more_ready) {
    tn_status status = more(w, ode);
    if (status != TN_OK) return status;
  }
  if (w->apart) return stages(w, ode, theta * w->h, y);
  for (int i = 0; i < w->n; i++) y[i] = inside(w, theta, i);
  return TN_OK;
}

static tn_status dense(void *work, const tn_ode *ode, double theta, double *y) {
  return tn_dop853_dense(work, ode, theta, y);
}

static void keep(void *work, tn_keep *k) {
  tn_workspace_keep(&tn_dop853_workspace, NULL, work, (tn_sizes){.n = ((const tn_dop853 *)work)->n}, k);
}

const tn_integrator_type tn_integrator_dop853 = {
    .name = "dop853",
    .doc = "Dormand-Prince, order 8(5,3), with dense output of order 7; adaptive, or fixed step",
    .example = "--integrator dop853 --rtol 1e-10",
    .source = "Hairer, Norsett & Wanner 1993",
    .order = 8,
    .fixed = true,
    .adaptive = true,
    .order_estimate = 7,
    .proportion = 0.1,
    .memory = size,
    .start = start,
    .attempt = attempt,
    .accept = accept,
    .dense = dense,
    .keep = keep,
};
