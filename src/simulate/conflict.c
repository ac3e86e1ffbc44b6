/* a start that cannot be assembled: who contradicts whom. of the exact values a smallest set is sought that the joints still
 * refuse, then of the joints a smallest set that still refuses these, by leaving out one after the other:
 *   (1) what can be left out while the rest stays impossible has no part in it and is left out from there on
 *   (2) what makes the rest possible by being left out belongs to the conflict
 * joints that cannot be met by themselves: a smallest set of drivers that the other joints refuse, then of these joints. let the set have
 * d drivers; they are
 *   (3) over-determined if they add less than d to the rank of the joints in the set
 *   (4) out of reach if not
 * each question is an assembly of its own, from where the first began; the order is that of the file, the answer always the same. */
#include "simulate/simulate.h"

enum { MOST_NAMES = 6 };
enum { MOST_ANSWERS = 10000 }; /* assemblies, in all */

/* each question is a few dense factorisations, and as many for every step to values that are far: in large models the answer is not
 * worth the wait */
static bool affordable(const tn_sim *s, int questions) {
  const tn_model *m = s->m;
  const double size = m->nu + m->rows + m->exact, steps = 1 + s->start.walk.steps;
  return questions * size * size * size * fmax(1, steps / 50) <= 2e10 && questions * steps <= MOST_ANSWERS;
}

/* (1), (2) over the exact values; false: the joints alone are impossible */
static bool find_values(tn_sim *s, bool rate) {
  const tn_model *m = s->m;
  bool *out = s->start.rows.left_out;
  int values = 0;
  for (int i = 0; i < m->exact; i++)
    if (m->target[i].rate == rate) out[i] = true, values++;
  if (!values || !tn_start_reach(s, rate)) return false;
  for (int i = 0; i < m->exact; i++)
    if (m->target[i].rate == rate) out[i] = false;
  for (int i = 0; i < m->exact; i++) {
    if (m->target[i].rate != rate) continue;
    out[i] = true;
    if (tn_start_reach(s, rate)) out[i] = false;
  }
  return true;
}

static bool has_rows(const tn_joint *j) { return !j->in_tree && j->rows + j->rows_velocity > 0; }

/* a joint that gives one channel its value */
static bool is_driver(const tn_joint *j) { return has_rows(j) && j->terms == 1 && !j->equation.expr; }

static int joints_with_rows(const tn_model *m) {
  int n = 0;
  for (int i = 0; i < m->joints; i++) n += has_rows(&m->joint[i]);
  return n;
}

/* (1), (2) over the joints that have rows and are not left out yet: drivers, or the others, or both */
static void leave_out(tn_sim *s, bool rate, bool drivers, bool others) {
  const tn_model *m = s->m;
  bool *out = s->start.rows.without;
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (!has_rows(j) || out[i] || !(is_driver(j) ? drivers : others)) continue;
    out[i] = true;
    if (tn_start_reach(s, rate)) out[i] = false;
  }
}

/* if there are not too many; rows that a body has on its own coordinates stay */
static void find_joints(tn_sim *s, bool rate) {
  if (affordable(s, joints_with_rows(s->m)))
    leave_out(s, rate, true, true);
  else
    for (int i = 0; i < s->m->joints; i++)
      s->start.rows.without[i] = s->start.rows.without[i] || has_rows(&s->m->joint[i]);
}

/* drivers that the other joints refuse, and these joints; false: the others are impossible without any driver */
static bool find_drivers(tn_sim *s, bool rate) {
  const tn_model *m = s->m;
  bool *out = s->start.rows.without;
  int drivers = 0;
  for (int i = 0; i < m->joints; i++)
    if (is_driver(&m->joint[i])) out[i] = true, drivers++;
  const bool possible = drivers && tn_start_reach(s, rate);
  for (int i = 0; i < m->joints; i++) out[i] = false;
  if (!possible) return false;
  leave_out(s, rate, true, false);
  leave_out(s, rate, false, true);
  return true;
}

/* ---- words -------------------------------------------------------------------------------------------------------------- */

typedef struct list {
  char text[300];
  size_t used;
  int n;
} list;

static void add(list *l, const char *name) {
  if (l->n++ < MOST_NAMES)
    l->used += (size_t)tn_format(l->text + l->used, sizeof l->text - l->used, "%s'%.40s'", l->n > 1 ? ", " : "", name);
}

static void finish(list *l) {
  if (l->n > MOST_NAMES) tn_format(l->text + l->used, sizeof l->text - l->used, " and %d more", l->n - MOST_NAMES);
}

static tn_status refuse_at(tn_sim *s, const tn_node *node) {
  char pointer[256];
  tn_node_pointer(node, pointer, sizeof pointer);
  tn_error_at(s->e, &node->place, pointer);
  return TN_E_MODEL;
}

static bool in_conflict(const tn_sim *s, bool rate, int target) {
  return s->m->target[target].rate == rate && !s->start.rows.left_out[target];
}

/* what row, or the target behind the rows, stays off by: `0.15 m`, `2 rad/s` */
static void off_text(const tn_sim *s, bool rate, double off, int row, char *text, size_t size) {
  const tn_model *m = s->m;
  if (row < m->rows) {
    tn_row_figure(m, row, m->row_scale[row], rate, off, 3, text, size);
    return;
  }
  const tn_target *t = &m->target[row - m->rows];
  const tn_unit unit = tn_measure_unit(m, &t->of);
  tn_format(text, size, "%.3g%s%s", off / tn_target_scale(m, t),
            unit == TN_LENGTH  ? " m"
            : unit == TN_ANGLE ? " rad"
                               : "",
            rate ? unit == TN_RATIO ? " 1/s" : "/s" : "");
}

/* the last of the values against the others and the joints */
static tn_status contradiction(tn_sim *s, bool rate, const char *off) {
  const tn_model *m = s->m;
  const tn_target *last = NULL;
  list values = {.n = 0}, joints = {.n = 0};
  for (int i = 0; i < m->exact;
       i++) /* those that are kept come after those with a number, at which the eye looks first */
    if (in_conflict(s, rate, i) && (!last || !isnan(m->target[i].value))) last = &m->target[i];
  if (!last) return tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: it stays off by %s", off);
  for (int i = 0; i < m->exact; i++)
    if (in_conflict(s, rate, i) && &m->target[i] != last) add(&values, m->target[i].name);
  for (int i = 0; i < m->joints; i++)
    if (has_rows(&m->joint[i]) && !s->start.rows.without[i]) add(&joints, m->joint[i].name);
  finish(&values);
  finish(&joints);
  const char *many = joints.n > 1 ? "s" : "";
  if (values.n && joints.n)
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: start value '%.60s' contradicts start value%s %s (joint%s %s), off by %s",
            last->name, values.n > 1 ? "s" : "", values.text, many, joints.text, off);
  else if (values.n)
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: start value '%.60s' contradicts start value%s %s, off by %s", last->name,
            values.n > 1 ? "s" : "", values.text, off);
  else if (joints.n)
    tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: start value '%.60s' contradicts joint%s %s, off by %s",
            last->name, many, joints.text, off);
  else
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: start value '%.60s' cannot be reached, it stays off by %s", last->name,
            off);
  tn_hint(s->e, "exact start values must not contradict the joints; put some of them under \"guess\"");
  return refuse_at(s, last->node);
}

/* what joint i is off by where all others of the conflict are met */
static void disagreement(tn_sim *s, bool rate, int i, char *text, size_t size) {
  const tn_joint *j = &s->m->joint[i];
  const tn_system *sys = &s->solver.sys;
  const int row = j->rows ? j->row : j->row_velocity;
  s->start.rows.without[i] = true;
  tn_start_reach(s, rate);
  const tn_status status = tn_at(s, s->now.t, s->now.y, s->e);
  s->start.rows.without[i] = false;
  tn_row_figure(s->m, row, s->m->row_scale[row], rate,
                status == TN_OK ? tn_contract_at_start(s->m, row, (rate ? sys->rows.Cdot : sys->rows.C)[row]) : NAN, 3,
                text, size);
}

/* a smallest set of drivers and joints that contradict each other */
typedef struct conflict {
  list drivers, joints;
  int last;     /* of the drivers                                 */
  char off[48]; /* what that is off by where all others are met   */
  bool over;    /* (3); else (4)                                  */
} conflict;

static tn_status drivers_refused(tn_sim *s, bool rate, const conflict *x) {
  const tn_joint *last = &s->m->joint[x->last];
  const bool one = x->joints.n == 1;
  const char *many = one ? "" : "s", *drivers = x->drivers.text, *joints = x->joints.text;
  if (x->over && x->drivers.n == 2)
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: drivers %s are over-determined: they prescribe the same freedom and "
            "disagree by %s",
            drivers, x->off);
  else if (x->over && x->drivers.n > 2)
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: drivers %s are over-determined: driver '%.60s' disagrees with the others "
            "by %s",
            drivers, last->name, x->off);
  else if (x->over && !rate)
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: driver %s is over-determined: joint%s %s leave%s it no freedom, and it is "
            "off by %s",
            drivers, many, joints, one ? "s" : "", x->off);
  else if (x->over) /* at a dead centre there may be freedom elsewhere */
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: the motion of driver %s cannot be followed: joint%s %s leave%s it no "
            "freedom in this position, and it is off by %s",
            drivers, many, joints, one ? "s" : "", x->off);
  else
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: driver%s %s cannot be reached: with joint%s %s driver '%.60s' stays off "
            "by %s",
            x->drivers.n > 1 ? "s" : "", drivers, many, joints, last->name, x->off);
  if (x->over && x->drivers.n > 1) tn_hint(s->e, "remove one of them, or give them values that agree");
  return refuse_at(s, last->node);
}

static bool find_conflict(tn_sim *s, bool rate, conflict *x) {
  const tn_model *m = s->m;
  bool *out = s->start.rows.without;
  if (!find_drivers(s, rate)) return false;
  for (int i = 0; i < m->joints; i++) {
    if (!has_rows(&m->joint[i]) || out[i]) continue;
    if (is_driver(&m->joint[i])) x->last = i;
    add(is_driver(&m->joint[i]) ? &x->drivers : &x->joints, m->joint[i].name);
  }
  finish(&x->drivers);
  finish(&x->joints);
  if (!x->drivers.n) return false;
  disagreement(s, rate, x->last, x->off, sizeof x->off);
  /* where assembly began the rows may be in a singular position; nearby, off the constraints, joints that are redundant are not */
  int added[2];
  for (int nearby = 0; nearby < 2; nearby++) added[nearby] = tn_start_rank(s, rate, nearby);
  for (int i = 0; i < m->joints; i++) out[i] = out[i] || is_driver(&m->joint[i]);
  for (int nearby = 0; nearby < 2; nearby++) added[nearby] -= tn_start_rank(s, rate, nearby);
  x->over = added[0] < x->drivers.n && (rate || added[1] < x->drivers.n);
  return true;
}

/* TN_E_MODEL in words; TN_OK: drivers have no part in it, or it is not worth the wait */
static tn_status refuse_drivers(tn_sim *s, bool rate) {
  tn_error *e = s->e;
  conflict x = {.last = -1};
  if (s->m->large || !affordable(s, joints_with_rows(s->m) + 4)) return TN_OK;
  s->e = &s->life.spare;
  const bool found = find_conflict(s, rate, &x);
  s->e = e;
  return found ? drivers_refused(s, rate, &x) : TN_OK;
}

/* of joints alone. they hold still; what moves in time is what cannot be followed */
static const tn_node *moving(const tn_sim *s, list *movers) {
  const tn_model *m = s->m;
  const tn_node *mover = NULL;
  for (int i = 0; i < m->rows; i++) {
    const tn_joint *j = &m->joint[m->row_joint[i]];
    if (s->solver.sys.rows.Ct[i] == 0 || j->node == mover) continue;
    add(movers, j->name);
    mover = j->node;
  }
  finish(movers);
  return mover;
}

static tn_status joints_alone(tn_sim *s, bool rate, double off, int row) {
  const tn_model *m = s->m;
  const tn_node *node = m->joint[m->row_joint[row]].node;
  char name[160], size[48], gap[48];
  list movers = {.n = 0};
  tn_row_owner(m, row, name, sizeof name);
  off_text(s, rate, off, row, size, sizeof size);
  /* what stays off is where the least squares left it; what the given pose has open is more likely to be at fault */
  const tn_joint *open = s->summary.start_violation > 1e-9 ? &m->joint[m->row_joint[s->start.row]] : NULL;
  const tn_node *mover = rate ? moving(s, &movers) : NULL;
  if (mover) {
    node = mover;
    tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: the motion of %s cannot be followed, %s stays off by %s",
            movers.text, name, size);
  } else if (open && !rate && open->node != node) {
    node = open->node;
    off_text(s, false, s->summary.start_violation, s->start.row, gap, sizeof gap);
    tn_fail(s->e, TN_E_MODEL,
            "the start cannot be assembled: joint '%s' is off by %s in the initial configuration, and closing it "
            "leaves %s off "
            "by %s",
            open->name, gap, name, size);
  } else {
    tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: %s stays off by %s", name, size);
  }
  return refuse_at(s, node);
}

/* the joint row that is violated most where assembly without any value ended */
static int worst_row(const tn_sim *s, bool rate, double *off) {
  const tn_system *sys = &s->solver.sys;
  int row;
  *off = rate ? tn_violation(sys, sys->rows.Cdot, s->m->rows, &row)
              : tn_violation(sys, sys->rows.C, s->m->holonomic, &row);
  return row;
}

/* one value or joint, where the least squares left them: not worth more, or not to be told */
static tn_status worst_alone(tn_sim *s, bool rate, double off, int row) {
  const tn_model *m = s->m;
  if (row < m->rows) return joints_alone(s, rate, off, row);
  const tn_target *t = &m->target[row - m->rows];
  char size[48];
  off_text(s, rate, off, row, size, sizeof size);
  tn_fail(s->e, TN_E_MODEL, "the start cannot be assembled: start value '%.60s' stays off by %s", t->name, size);
  tn_hint(s->e, "exact start values must not contradict the joints; put some of them under \"guess\"");
  return refuse_at(s, t->node);
}

/* what the joints say of it is not known: it was not walked there */
static tn_status too_far(tn_sim *s) {
  const tn_target *t = &s->m->target[s->start.walk.too_far];
  tn_fail(s->e, TN_E_MODEL,
          "the start cannot be assembled: start value '%.60s' is too far from the initial configuration to be followed "
          "there step by step",
          t->name);
  tn_hint(s->e, "give the bodies a pose nearer to it, or a value some turns or lengths away at most");
  return refuse_at(s, t->node);
}

tn_status tn_start_refuse(tn_sim *s, bool rate, double off, int row) {
  tn_error *e = s->e;
  int values = 0;
  for (int i = 0; i < s->m->exact; i++) values += s->m->target[i].rate == rate && !s->start.rows.left_out[i];
  if (s->m->large) return worst_alone(s, rate, off, row);
  if (!values) {
    const tn_status status = refuse_drivers(s, rate);
    return status != TN_OK ? status : joints_alone(s, rate, off, row);
  }
  if (!rate && s->start.walk.too_far >= 0) return too_far(s);
  if (!affordable(s, values)) return worst_alone(s, rate, off, row);
  s->e = &s->life.spare;
  const bool found = find_values(s, rate);
  if (found) find_joints(s, rate);
  s->e = e;
  char size[48];
  off_text(s, rate, off, row, size, sizeof size);
  if (found) return contradiction(s, rate, size);
  row = worst_row(s, rate, &off);
  const tn_status status = refuse_drivers(s, rate);
  if (status != TN_OK) return status;
  return joints_alone(s, rate, off, row);
}
