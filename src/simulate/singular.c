/* singular positions on the way: where they are, how near the motion came, whose rows become dependent there, and how it went on.
 *   (1) rho, the nearness, falls with the square of the distance towards a singular position and rises behind it
 *   (2) a step with a stage nearer than both its ends, or near a singular position one that begins with rho falling and ends with
 *       rho rising, has a least rho inside. it is found by parabolas on the way between the ends of the step (cubic through q and qdot
 *       of both), put back on the constraints
 *       with redundant rows the pivots depend on which rows are left out, and rho would jump with the choice: the square of the smallest
 *       singular value of the rows that counts stands for it
 *   (3) where it is below 1e-9 the rows have lost rank: c'A = 0 there, and the joints with a part in c are named
 * Nothing of it changes the motion: it has a factorisation of its own, and looks only at steps that come near. */
#include "simulate/simulate.h"

static const double NEAR = 1e-2;   /* of rho: steps nearer than this are looked at closely   */
static const double SEEN = 3e-3;   /* by blocks, which do not tell it as well                */
static const double WIDE = 0.3;    /* and long steps with a stage nearer than this and their ends */
static const double FAR = 0.1;     /* an eighth of a step away from a crossing rho is smaller */
static const double LOST = 1e-9;   /* below: rank is lost                                   */
static const double FOUND = 1e-14; /* below: near enough, the rest is roundoff              */
static const double GONE = 1e-6;   /* of pivots where rank is lost: those that vanish               */
static const double PART = 1e-4;   /* of a joint in c; what c is off by where rho is 1e-9   */
static const double ABRUPT = 0.5;  /* change of the velocities in a step that is no longer called smooth */
enum { MOST_LOOKS = 30, PIECES = 8, FEW = 2, MANY = 12 };

void tn_singular_reset(tn_sim *s) {
  s->singular.passing = (tn_passing){.rho = 1, .rho_end = 1};
  s->singular.count = 0;
  s->singular.nearest_rho = 1;
  s->summary.singular_positions = 0;
}

/* reflections look, wherever they serve the motion */
static bool by_root(const tn_sim *s) { return s->singular.look.there && s->solver.sparse.rooted; }

static void factor(tn_sim *s) {
  tn_system *sys = &s->solver.sys;
  if (by_root(s)) {
    tn_reflected_fill(&s->singular.look, sys);
    tn_root_factor(&s->singular.look.root, s->singular.look.K);
    return;
  }
  tn_need(sys, TN_LEVEL_MATRICES);
  tn_kkt_factor(&s->start.rows.kkt, sys->M, sys->A, s->m->sigma ? s->start.rows.sigma : NULL);
}

/* rho as factored, not yet relative */
static double rho_of(tn_sim *s) {
  if (by_root(s)) return s->singular.look.root.nearness;
  const tn_kkt *k = &s->start.rows.kkt;
  const int rows = k->rows, nu = k->nu, rank = s->solver.rank;
  if (rank == rows || rank == 0) return k->rho_min;
  const bool wide = rows <= nu;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < nu; j++)
      s->start.rows.A[wide ? (size_t)i * (size_t)nu + (size_t)j : (size_t)j * (size_t)rows + (size_t)i] =
          j >= k->lo[i] && j < k->hi[i] ? k->B[(size_t)i * (size_t)nu + (size_t)j] : 0;
  tn_singular_values(wide ? rows : nu, wide ? nu : rows, s->start.rows.A, s->singular.value);
  return s->singular.value[rank - 1] * s->singular.value[rank - 1];
}

/* the factorisation as this file uses it, and as the others find it */
static void take_kkt(tn_sim *s, int rank) {
  if (by_root(s)) return;
  tn_kkt *k = &s->start.rows.kkt;
  k->rows = s->m->rows;
  k->rank = rank;
  k->rho_typical = s->singular.passing.rho_typical;
  memcpy(k->D_typical, s->singular.D_typical, sizeof(double) * (size_t)s->m->rows);
}

static void leave_kkt(tn_sim *s) {
  if (by_root(s)) return;
  s->start.rows.kkt.rows = s->m->rows;
  tn_kkt_reset(&s->start.rows.kkt);
}

/* what rows typically are, from poses in general position */
static bool know_typical(tn_sim *s) {
  const tn_model *m = s->m;
  tn_kkt *k = &s->start.rows.kkt;
  const double *pose[] = {s->singular.q_general, s->singular.beside ? s->singular.q_beside : NULL};
  if (by_root(s)) { /* those of the motion */
    s->singular.passing.typical = 1;
    return true;
  }
  k->rows = m->rows;
  tn_kkt_reset(k);
  for (int i = 0; i < 2 && pose[i]; i++) {
    if (tn_solver_at(&s->solver, s->stepper.t0, pose[i], tn_u_of(s, s->now.y), NULL) != TN_OK) continue;
    k->rank = s->solver.rank;
    factor(s);
    s->singular.passing.typical = tn_max(s->singular.passing.typical, rho_of(s));
    tn_kkt_typical(k, s->solver.rank);
  }
  memcpy(s->singular.D_typical, k->D_typical, sizeof(double) * (size_t)m->rows);
  s->singular.passing.rho_typical = k->rho_typical;
  leave_kkt(s);
  return s->singular.passing.typical > 0;
}

/* one correction of q towards the constraints; directions that carry only roundoff are left alone */
static void put_back(tn_sim *s, double *q) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *r = tn_room(s, m->rows), *noise = tn_room(s, m->rows), *lambda = tn_room(s, m->rows), *x = tn_room(s, m->nu);
  tn_kkt_info info;
  for (int i = 0; i < m->rows; i++) r[i] = i < m->holonomic ? -sys->rows.C[i] : 0;
  tn_rows_noise(sys, false, noise);
  if (by_root(s))
    info.failed = !tn_reflected_correct(&s->singular.look, sys, r, noise, x, lambda);
  else
    tn_kkt_correct(&s->start.rows.kkt, sys->M, sys->A, m->sigma ? s->start.rows.sigma : NULL, r, noise, x, lambda,
                   &info);
  if (!info.failed) tn_model_add(m, q, x);
  tn_scratch_close(&s->scratch, scope);
}

/* rho at q, which is put back before in so many passes; the factorisation stands, for those who want more */
static double rho_at(tn_sim *s, double t, double *q, int passes, int rank) {
  for (;; passes--) {
    if (tn_solver_at(&s->solver, t, q, tn_u_of(s, s->now.y), NULL) != TN_OK) return 1;
    take_kkt(s, rank);
    factor(s);
    if (passes <= 0) return tn_min(rho_of(s) / s->singular.passing.typical, 1);
    put_back(s, q);
  }
}

/* does rho rise along the motion from this state on? a hundredth of a step tells */
static bool rises(tn_sim *s, double t, const double *y, double h, double *rho) {
  const tn_model *m = s->m;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *q = tn_room(s, m->nq), *way = tn_room(s, m->nu);
  memcpy(q, y, sizeof *q * (size_t)m->nq);
  *rho = rho_at(s, t, q, 0, s->solver.rank);
  for (int i = 0; i < m->nu; i++) way[i] = 0.01 * h * y[m->nq + i];
  tn_model_add(m, q, way);
  const bool rising = rho_at(s, t + 0.01 * h, q, 0, s->solver.rank) > *rho;
  tn_scratch_close(&s->scratch, scope);
  return rising;
}

/* (2): the pose at theta of the step into q */
static void between(tn_sim *s, double h, double theta, double *q) {
  const tn_model *m = s->m;
  const double *a = s->now.y, *b = s->next.y, r = 1 - theta;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *da = tn_room(s, m->nq), *db = tn_room(s, m->nq);
  tn_model_rates(m, a, a + m->nq, da);
  tn_model_rates(m, b, b + m->nq, db);
  for (int i = 0; i < m->nq; i++) {
    const double d = b[i] - a[i];
    q[i] = r * a[i] + theta * b[i] + theta * r * (r * (h * da[i] - d) - theta * (h * db[i] - d));
  }
  tn_scratch_close(&s->scratch, scope);
  tn_model_tidy(m, q);
}

/* the pose there is left in q */
static double rho_between(tn_sim *s, double h, double theta, int passes, double *q) {
  between(s, h, theta, q);
  return rho_at(s, s->now.t + theta * h, q, passes, s->solver.rank);
}

/* three places in a step, the middle one with the least rho */
typedef struct bracket {
  double a, fa, x, f, b, fb;
  double *q; /* nq: the pose last looked at */
} bracket;

/* (2): by parabolas; poses put back in so many passes */
static void narrow(tn_sim *s, double h, int passes, bracket *k) {
  for (int i = 0; i < MOST_LOOKS && k->f > FOUND && k->b - k->a > 1e-10; i++) {
    if ((i > 5 && k->f > 1e-3) || (i > 10 && k->f > 1e-6)) return; /* a crossing would be nearer by now */
    /* the vertex of the parabola; outside, or now and then, into the longer side instead */
    const double p = (k->x - k->a) * (k->fb - k->f), q = (k->b - k->x) * (k->fa - k->f);
    const double to_a = k->x - k->a, to_b = k->b - k->x, longer = to_b > to_a ? to_b : -to_a;
    double next = p + q > 0 ? k->x + 0.5 * (to_b * q - to_a * p) / (p + q) : NAN;
    if (!(next > k->a && next < k->b) || i % 4 == 3) next = k->x + 0.382 * longer;
    const double apart = 1e-3 * (k->b - k->a);
    if (fabs(next - k->x) < apart) next = k->x + copysign(apart, longer);
    const double f = rho_between(s, h, next, passes, k->q);
    if (f < k->f) {
      if (next > k->x)
        k->a = k->x, k->fa = k->f;
      else
        k->b = k->x, k->fb = k->f;
      k->x = next, k->f = f;
    } else if (next > k->x) {
      k->b = next, k->fb = f;
    } else {
      k->a = next, k->fa = f;
    }
  }
}

/* a long step: where in it, roughly */
static void survey(tn_sim *s, double h, bracket *k) {
  double before = k->fa, here = rho_between(s, h, 1.0 / PIECES, FEW, k->q);
  const double end = k->fb;
  k->f = INFINITY;
  for (int i = 1; i < PIECES; i++) {
    const double next = i + 1 < PIECES ? rho_between(s, h, (i + 1.0) / PIECES, FEW, k->q) : end;
    if (here < k->f)
      *k = (bracket){(i - 1.0) / PIECES, before, (double)i / PIECES, here, (i + 1.0) / PIECES, next, k->q};
    before = here;
    here = next;
  }
}

/* (2): theta of the least rho in a step that begins with rho_a and ends with rho_b; the pose there is left in q */
static double least_between(tn_sim *s, double h, double rho_a, double rho_b, double *least, double *q) {
  bracket k = {.a = 0, .fa = rho_a, .b = 1, .fb = rho_b, .q = q};
  k.x = tn_min(tn_max(sqrt(rho_a) / (sqrt(rho_a) + sqrt(rho_b)), 0.02), 0.98);
  if (tn_max(rho_a, rho_b) > NEAR)
    survey(s, h, &k);
  else
    k.f = rho_between(s, h, k.x, FEW, q);
  *least = k.f;
  if (k.f > FAR) return k.x;
  narrow(s, h, FEW, &k);
  int passes = FEW;
  if (k.f > FOUND && k.f < 1e-4) { /* the nearer, the slower the way back: each pass halves what is left */
    const double x = k.x, aside = 1e-2;
    passes = MANY;
    k = (bracket){.a = tn_max(x - aside, 0), .x = x, .b = tn_min(x + aside, 1), .q = q};
    k.fa = rho_between(s, h, k.a, passes, q);
    k.fb = rho_between(s, h, k.b, passes, q);
    k.f = rho_between(s, h, k.x, passes, q);
    narrow(s, h, passes, &k);
  }
  *least = rho_between(s, h, k.x, passes, q);
  return k.x;
}

/* in the order of the model */
static void name_joint(tn_singular *p, int joint) {
  int at = p->joints;
  for (int i = 0; i < p->joints; i++)
    if (p->joint[i] == joint) return;
  if (at == TN_MOST_IN_SINGULAR) {
    p->more = true;
    return;
  }
  for (; at > 0 && p->joint[at - 1] > joint; at--) p->joint[at] = p->joint[at - 1];
  p->joint[at] = joint;
  p->joints++;
}

/* does c have a part above `size` in a joint named already? or: name all that it has such a part in */
static bool takes_part(tn_sim *s, const double *c, double size, tn_singular *p, bool name) {
  const tn_model *m = s->m;
  tn_system *sys = &s->solver.sys;
  bool met = false;
  tn_reactions_of(sys, c, sys->solved.reaction, NULL); /* those that carry bodies have no rows */
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    double most = 0;
    for (int d = 0; j->in_tree && d < m->twist; d++)
      most =
          tn_max(most, fabs(sys->solved.reaction[m->twist * i + d]) * (d < m->dimension ? tn_joint_length(m, i) : 1));
    for (int r = j->row; !j->in_tree && r < j->row + j->rows; r++) most = tn_max(most, tn_effort_energy(m, r, c[r]));
    for (int r = j->row_velocity; !j->in_tree && r < j->row_velocity + j->rows_velocity; r++)
      most = tn_max(most, tn_effort_energy(m, r, c[r]));
    if (!(most > size)) continue;
    for (int k = 0; k < p->joints; k++) met = met || p->joint[k] == i;
    if (name) name_joint(p, i);
  }
  return met;
}

/* (3) at the pose last looked at, q. what is lost there is known up to what is redundant everywhere: that is named too where it has a
 * joint in common */
static double largest_effort(const tn_model *m, const double *c) {
  double most = 0;
  for (int i = 0; i < m->rows; i++) most = fmax(most, tn_effort_energy(m, i, c[i]));
  return most;
}

/* (3) by reflections: rows that are lost there are left out besides those that are redundant everywhere */
static void name_by_root(tn_sim *s, tn_singular *p) {
  const tn_model *m = s->m;
  const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
  double *c = tn_room(s, m->rows), *x = tn_room(s, m->nu);
  tn_reflected *look = &s->singular.look;
  const tn_root *motion = &s->solver.sparse.root.root;
  tn_root_leave_near(&look->root, GONE);
  tn_root_factor(&look->root, look->K);
  for (int everywhere = 0; everywhere < 2; everywhere++)
    for (int k = 0, row; !p->more && (row = tn_root_null(&look->root, k, look->x)) >= 0; k++) {
      if (motion->left[row] != (everywhere > 0)) continue;
      tn_sparse_results(&s->solver.sys, look->x, x, c);
      const double size = PART * largest_effort(m, c);
      if (!everywhere || takes_part(s, c, size, p, false)) takes_part(s, c, size, p, true);
    }
  tn_root_as(&look->root, motion);
  tn_scratch_close(&s->scratch, scope);
}

static void name_joints(tn_sim *s, double t, double *q, tn_singular *p) {
  tn_kkt *k = &s->start.rows.kkt;
  double *c = s->start.rows.lambda;
  int rank = s->solver.rank;
  rho_at(s, t, q, 0, rank);
  if (by_root(s)) {
    name_by_root(s, p);
    return;
  }
  const double lost = GONE * k->rho_typical;
  while (rank > 0 && k->rho[rank - 1] <= lost) rank--;
  rho_at(s, t, q, 0, rank);
  for (int e = k->independent; e < k->rows; e++) {
    const double size = tn_effort_energy(s->m, tn_kkt_dependence(k, e, c), PART);
    if (e < s->solver.rank || takes_part(s, c, size, p, false)) takes_part(s, c, size, p, true);
  }
}

static void joints_text(const tn_sim *s, const tn_singular *p, char *text, size_t size) {
  size_t used = 0;
  *text = 0;
  const int shown = p->joints > 5 ? 4 : p->joints;
  for (int i = 0; i < shown; i++) {
    const char *name = s->m->joint[p->joint[i]].name;
    used += (size_t)tn_format(text + used, size - used, "%s'%.24s'", i ? ", " : "", name);
  }
  if (p->more) /* there was no room to count them */
    tn_format(text + used, size - used, " and at least %d more", p->joints - shown + 1);
  else if (shown < p->joints)
    tn_format(text + used, size - used, " and %d more", p->joints - shown);
}

/* what is below is roundoff */
static void rho_text(double rho, char text[32]) {
  if (rho < FOUND)
    tn_format(text, 32, "rho below %.0e", FOUND);
  else
    tn_format(text, 32, "rho = %.1e", rho);
}

static tn_status stop(tn_sim *s, const tn_singular *p) {
  char names[160], rho[32];
  joints_text(s, p, names, sizeof names);
  rho_text(p->rho, rho);
  tn_fail(s->e, TN_E_RUN, "a singular position: the rows of %s become dependent, %s", names, rho);
  tn_hint(s->e, "--at-singularity pass goes through it");
  s->e->time = p->t;
  return TN_E_RUN;
}

static void found(tn_sim *s, double t, double rho, double *q, tn_singular_kind kind) {
  tn_singular *p = &s->singular.passing.found;
  *p = (tn_singular){.t = t, .rho = rho, .kind = kind};
  name_joints(s, t, q, p);
  s->singular.passing.is_found = true;
  if (rho < s->singular.nearest_rho) s->singular.nearest_rho = rho, s->singular.nearest_time = t;
}

/* a step of a model too large for matrices: the row with the smallest pivot is all that is known */
static void look_large(tn_sim *s, double h, double rho) {
  int row;
  tn_passing *x = &s->singular.passing;
  x->is_found = false;
  if (rho < LOST && !x->staying) {
    tn_sparse_least(&s->solver.sparse, s->m, &row);
    x->found = (tn_singular){.t = s->now.t + h, .rho = rho, .joints = 1, .joint = {s->m->row_joint[row]}};
    x->is_found = true;
  }
  x->staying = rho < LOST;
}

/* what is known of rho at the start of the step; q (nq) is room */
static void know_start(tn_sim *s, double h, double *q) {
  const tn_model *m = s->m;
  tn_passing *x = &s->singular.passing;
  memcpy(q, s->now.y, sizeof *q * (size_t)m->nq);
  if (x->known) {
    if (x->rho == 1) x->rho = rho_at(s, s->now.t, q, 0, s->solver.rank);
    return;
  }
  /* the start of the run, or a state that was set */
  x->rising = rises(s, s->now.t, s->now.y, h, &x->rho);
  x->known = true;
  x->staying = x->rho < LOST;
  if (x->staying) found(s, s->now.t, x->rho, q, TN_SINGULAR_START);
}

/* a step that came near: rho at its ends, and the least between them. dip: an evaluation inside was nearer than both ends */
static void look_closely(tn_sim *s, double h, bool dip, double rho_end, double *q) {
  const tn_model *m = s->m;
  tn_passing *x = &s->singular.passing;
  double end;
  know_start(s, h, q);
  const bool rising = rises(s, s->now.t + h, s->next.y, h, &end);
  if (x->rho < LOST && end < LOST) { /* dependent all along: told once */
    memcpy(q, s->next.y, sizeof *q * (size_t)m->nq);
    if (!x->staying) found(s, s->now.t, end, q, TN_SINGULAR_STAYS);
    x->staying = true;
  } else if (!x->staying && !x->is_found && (dip || (!x->rising && rising))) {
    double least;
    const double theta = least_between(s, h, x->rho, end, &least, q), t = s->now.t + theta * h;
    if (least < tn_min(s->singular.nearest_rho, NEAR)) s->singular.nearest_rho = least, s->singular.nearest_time = t;
    if (least < LOST) found(s, t, least, q, TN_SINGULAR_PASSED);
  }
  if (end > 10 * LOST) x->staying = false;
  x->rho = end < NEAR ? end : 1;
  x->rho_end = rho_end;
  x->rising = end < NEAR && rising;
}

/* a step that did not come near */
static void keep_away(tn_passing *x, double rho_end) {
  x->rho = 1;
  x->rho_end = rho_end;
  x->known = true;
  x->rising = x->staying = false;
}

tn_status tn_singular_look(tn_sim *s, double h, double rho, double seen, double rho_end) {
  const tn_model *m = s->m;
  tn_passing *x = &s->singular.passing;
  const bool few =
      m->run.integrator->keeps_rates || m->run.integrator->order > 5; /* long steps, or few stages in them */
  const bool dip = rho < WIDE && rho < 0.9 * tn_min(x->rho_end, rho_end);
  x->is_found = false;
  if (!m->rows) return TN_OK;
  if (m->large && !by_root(s)) {
    look_large(s, h, rho);
  } else if (rho >= NEAR && !(few && seen < SEEN) && !dip) {
    keep_away(x, rho_end);
    return TN_OK;
  } else if (x->typical > 0 || know_typical(s)) {
    const tn_scratch_scope scope = tn_scratch_open(&s->scratch);
    if (by_root(s)) tn_root_as(&s->singular.look.root, &s->solver.sparse.root.root);
    look_closely(s, h, dip, rho_end, tn_room(s, m->nq));
    tn_scratch_close(&s->scratch, scope);
    leave_kkt(s);
    /* as the attempt left it: its factorisation serves the projection and the next step */
    tn_status status = tn_at(s, s->now.t + h, s->next.y, s->e);
    if (status != TN_OK) return status;
    if (!by_root(s)) tn_need(&s->solver.sys, TN_LEVEL_MATRICES);
  }
  if (!x->is_found || !m->run.singular_stops) return TN_OK;
  x->found.change = NAN;
  if (s->singular.count < TN_MOST_SINGULAR) s->singular.found[s->singular.count++] = x->found;
  s->summary.singular_positions++;
  return stop(s, &x->found);
}

/* largest change of a speed over the step, of the largest speed; lengths by the model's length */
static double velocity_change(const tn_sim *s) {
  const tn_model *m = s->m;
  const double *before = s->before.y + m->nq, *after = s->now.y + m->nq; /* the step has been taken */
  double change = 0, size = 0;
  for (int i = 0; i < m->nu; i++) {
    const double unit = 1 / m->u_length[i];
    change = tn_max(change, fabs(after[i] - before[i]) * unit);
    size = tn_max(size, tn_max(fabs(after[i]), fabs(before[i])) * unit);
  }
  return size > 0 ? change / size : 0;
}

void tn_singular_log(tn_sim *s, double h, double error) {
  tn_singular *p = &s->singular.passing.found;
  char names[160], rho[32];
  if (!s->singular.passing.is_found) return;
  s->singular.passing.is_found = false;
  p->change = velocity_change(s);
  p->smooth = p->change <= ABRUPT && error <= 1;
  tn_doubt_singular(s, p);
  joints_text(s, p, names, sizeof names);
  rho_text(p->rho, rho);
  if (p->kind == TN_SINGULAR_STAYS)
    tn_log(s, p->t, "singular", "rows of %s are dependent from here on, %s", names, rho);
  else
    tn_log(s, p->t, "singular", "%srows of %s dependent, %s; %s: velocities change by %.2g %% in %.2g s",
           p->kind == TN_SINGULAR_START ? "starts there: " : "", names, rho,
           p->smooth ? "goes on along its branch" : "perhaps on another branch", 100 * p->change, h);
  if (s->singular.count < TN_MOST_SINGULAR) s->singular.found[s->singular.count++] = *p;
  s->summary.singular_positions++;
}
