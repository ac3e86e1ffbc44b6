/* assemblies: bodies that joints tie together, directly or through other bodies. A rod that is a mass element, a body that stands on
 * another, an actuator and a row on channels tie too. Forces do not tie, and the ground ties nothing: two pendulums on the ground are
 * two assemblies. Energy balances are kept for each of them. */
#include "model/model.h"

int tn_ties_root(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

void tn_ties_join(int *up, int a, int b) {
  if (a >= 0 && b >= 0) up[tn_ties_root(up, a)] = tn_ties_root(up, b);
}

void tn_ties_measured(const tn_model *m, int *up, const tn_measure *of, int body) {
  if (of->kind != TN_OF_JOINT) tn_ties_join(up, of->part, body);
  if (of->kind == TN_OF_JOINT)
    for (int k = 0; k < m->joint[of->part].frames; k++) tn_ties_join(up, m->joint[of->part].spot[k].body, body);
}

/* the first body that a joint or a body's own row sees; TN_GROUND: none */
static int body_of_joint(const tn_joint *j) {
  if (j->owner >= 0) return j->owner;
  for (int k = 0; k < j->frames; k++)
    if (j->spot[k].body >= 0) return j->spot[k].body;
  for (int k = 0; k < j->touches; k++)
    if (j->touch[k].body >= 0) return j->touch[k].body;
  return TN_GROUND;
}

static int body_of_measure(const tn_model *m, const tn_measure *of) {
  return of->kind == TN_OF_JOINT ? body_of_joint(&m->joint[of->part]) : of->part;
}

void tn_ties_of_joints(const tn_model *m, int *up) {
  for (int i = 0; i < m->bodies; i++) up[i] = i;
  for (int i = 0; i < m->bodies; i++) tn_ties_join(up, i, m->body[i].parent);
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    const int first = body_of_joint(j);
    for (int k = 0; k < j->touches; k++) tn_ties_join(up, first, j->touch[k].body);
    for (int k = 0; k < j->frames; k++) tn_ties_join(up, first, j->spot[k].body);
  }
  for (int i = 0; i < m->servos; i++) {
    const int first = body_of_joint(&m->joint[m->servo[i].joint]);
    for (int k = 0; k < m->servo[i].terms; k++) tn_ties_measured(m, up, &m->servo[i].term[k].of, first);
  }
  for (int i = 0; i < m->rods; i++) tn_ties_join(up, m->rod[i].end[0].body, m->rod[i].end[1].body);
  for (int i = 0; i < m->flywheels; i++) tn_ties_join(up, m->flywheel[i].body[0], m->flywheel[i].body[1]);
}

double tn_measure_length(const tn_model *m, const tn_measure *of) {
  const int body = body_of_measure(m, of);
  return tn_measure_unit(m, of) != TN_LENGTH ? 1 : body >= 0 ? tn_length_at(m, body) : 1;
}

/* of a force: the assembly that it acts on, TN_NOTHING or TN_ACROSS */
static int assembly_of_force(const tn_model *m, const tn_force *f) {
  int found = TN_NOTHING;
  if (f->how == TN_ON_CHANNEL) {
    const int body = body_of_measure(m, &f->on);
    return body >= 0 ? m->assembly[body] : TN_NOTHING;
  }
  for (int k = 0; k < f->frames; k++) {
    if (f->spot[k].body < 0) continue;
    const int at = m->assembly[f->spot[k].body];
    if (found != TN_NOTHING && found != at) return TN_ACROSS;
    found = at;
  }
  return found;
}

/* the largest distance between places of one assembly (n x 3); beyond 2,000 the diagonal of their box stands in for it, which is never
 * less and at most sqrt(3) of it */
static double extent(int n, double (*p)[3]) {
  double L = 0, d[3];
  if (n <= 2000) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        tn_sub3(p[i], p[j], d);
        L = fmax(L, hypot(hypot(d[0], d[1]), d[2]));
      }
    return L;
  }
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < n; i++)
    for (int x = 0; x < 3; x++) lo[x] = fmin(lo[x], p[i][x]), hi[x] = fmax(hi[x], p[i][x]);
  tn_sub3(hi, lo, d);
  return hypot(hypot(d[0], d[1]), d[2]);
}

/* calls `at` for every place: its assembly and where it is */
typedef void visit(void *user, int assembly, const tn_spot *spot);
static void all_places(const tn_model *m, visit *at, void *user) {
  for (int i = 0; i < m->bodies; i++) {
    tn_spot center = tn_spot_origin(i);
    memcpy(center.p, m->body[i].center, sizeof center.p);
    if (tn_has_place(m, i)) at(user, m->assembly[i], &center);
  }
  for (int i = 0; i < m->joints; i++) {
    /* a joint without a place has its frames at the origins of bodies, the world's among them, which mean nothing */
    if (m->joint_assembly[i] < 0 || (m->joint[i].type && m->joint[i].type->seat == TN_SEAT_NOWHERE)) continue;
    for (int k = 0; k < m->joint[i].frames; k++) at(user, m->joint_assembly[i], &m->joint[i].spot[k]);
  }
  for (int i = 0; i < m->rods; i++) {
    const tn_spot *end = m->rod[i].end;
    const int body = end[0].body >= 0 ? end[0].body : end[1].body;
    for (int k = 0; body >= 0 && k < 2; k++)
      if (tn_has_place(m, end[k].body)) at(user, m->assembly[body], &end[k]);
  }
}

typedef struct places {
  const tn_context *c;
  int *next; /* assemblies: where its next place goes */
  double (*p)[3];
} places;

static void count(void *user, int assembly, const tn_spot *spot) {
  (void)spot;
  ((places *)user)->next[assembly]++;
}

static void put(void *user, int assembly, const tn_spot *spot) {
  places *x = user;
  tn_spot_place(x->c, spot, x->p[x->next[assembly]++]);
}

static void reach(tn_model *m, const tn_spot *spot) {
  if (spot->body < 0) return;
  double *to = &m->body[spot->body].reach;
  *to = fmax(*to, tn_norm3(spot->p));
}

/* how far from its origin a body has places: what they are known to, beside the roundoff of the origin */
static void reaches(tn_model *m) {
  for (int i = 0; i < m->bodies; i++) m->body[i].reach = tn_norm3(m->body[i].center);
  for (int i = 0; i < m->joints; i++)
    for (int k = 0; k < m->joint[i].frames; k++) reach(m, &m->joint[i].spot[k]);
  for (int i = 0; i < m->forces; i++)
    for (int k = 0; m->force[i].how != TN_ON_CHANNEL && k < m->force[i].frames; k++) reach(m, &m->force[i].spot[k]);
  for (int i = 0; i < 2 * m->rods; i++) reach(m, &m->rod[i / 2].end[i % 2]);
  for (int i = 0; i < m->bodies; i++) {
    tn_body *b = &m->body[i];
    if (b->parent >= 0) reach(m, &b->pivot);
    b->size = fmax(b->reach, tn_gyration(m, b));
  }
}

static tn_status measure(tn_context *c) {
  tn_model *m = c->m;
  places x = {.c = c, .next = tn_context_alloc(c, sizeof *x.next * (size_t)(m->assemblies + 1))};
  m->assembly_length = tn_context_alloc(c, sizeof *m->assembly_length * (size_t)(m->assemblies + 1));
  m->assembly_size = tn_context_alloc(c, sizeof *m->assembly_size * (size_t)(m->assemblies + 1));
  if (!x.next || !m->assembly_length || !m->assembly_size) return tn_no_memory(c);
  memset(x.next, 0, sizeof *x.next * (size_t)(m->assemblies + 1));
  all_places(m, count, &x);
  int all = 0;
  for (int i = 0; i < m->assemblies; i++) {
    const int n = x.next[i];
    x.next[i] = all;
    all += n;
  }
  if (!(x.p = tn_context_alloc(c, sizeof *x.p * (size_t)(all + 1)))) return tn_no_memory(c);
  all_places(m, put, &x); /* next: the end of each, now */
  for (int i = 0, first = 0; i < m->assemblies; first = x.next[i++])
    m->assembly_length[i] = extent(x.next[i] - first, x.p + first);
  memset(m->assembly_size, 0, sizeof *m->assembly_size * (size_t)(m->assemblies + 1));
  for (int i = 0; i < m->bodies; i++) {
    const int a = m->assembly[i];
    m->assembly_size[a] = fmax(m->assembly_size[a], tn_gyration(m, &m->body[i]));
  }
  for (int i = 0; i < m->assemblies; i++) m->assembly_size[i] = fmax(m->assembly_size[i], m->assembly_length[i]);
  m->q_length = tn_context_alloc(c, sizeof *m->q_length * (size_t)(m->nq + 1));
  m->u_length = tn_context_alloc(c, sizeof *m->u_length * (size_t)(m->nu + 1));
  if (!m->q_length || !m->u_length) return tn_no_memory(c);
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *b = &m->body[i];
    for (int k = b->q; k < b->q + b->nq; k++) m->q_length[k] = m->q_unit[k] == TN_LENGTH ? tn_length_at(m, i) : 1;
    for (int k = b->u; k < b->u + b->nu; k++) m->u_length[k] = m->u_unit[k] == TN_LENGTH ? tn_length_at(m, i) : 1;
  }
  return TN_OK;
}

tn_status tn_assemblies_build(tn_context *c) {
  tn_model *m = c->m;
  const int joints = m->joints + m->owned;
  int *up = tn_context_alloc(c, sizeof *up * (size_t)(2 * m->bodies + 1)), *number = up + m->bodies;
  m->assembly = tn_context_alloc(c, sizeof *m->assembly * (size_t)(m->bodies + 1));
  m->joint_assembly = tn_context_alloc(c, sizeof *m->joint_assembly * (size_t)(joints + 1));
  m->force_assembly = tn_context_alloc(c, sizeof *m->force_assembly * (size_t)(m->forces + 1));
  if (!up || !m->assembly || !m->joint_assembly || !m->force_assembly) return tn_no_memory(c);
  tn_ties_of_joints(m, up);
  for (int i = 0; i < m->bodies; i++) number[i] = -1;
  for (int i = 0; i < m->bodies; i++) {
    int *at = &number[tn_ties_root(up, i)];
    if (*at < 0) *at = m->assemblies++;
    m->assembly[i] = *at;
  }
  for (int i = 0; i < joints; i++) {
    const int body = body_of_joint(&m->joint[i]);
    m->joint_assembly[i] = body >= 0 ? m->assembly[body] : TN_NOTHING;
  }
  for (int i = 0; i < m->forces; i++) m->force_assembly[i] = assembly_of_force(m, &m->force[i]);
  reaches(m);
  return measure(c);
}

void tn_assembly_name(const tn_model *m, int assembly, char *text, size_t size) {
  const char *first = NULL;
  int more = -1;
  for (int i = 0; i < m->bodies; i++) {
    if (m->assembly[i] != assembly) continue;
    if (!first) first = m->body[i].name;
    more++;
  }
  if (more > 0)
    tn_format(text, size, "'%s' and %d more bod%s", first, more, more > 1 ? "ies" : "y");
  else
    tn_format(text, size, "'%s'", first ? first : "");
}
