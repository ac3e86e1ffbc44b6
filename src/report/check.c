/* what a model is before it runs: sizes, freedom, rank, redundant rows and the joints they depend on, the start, remarks. */
#include "report/report.h"

static const double UNLOADED = 1e-9; /* of the load on a row: what takes less of it has no part in it */

enum { MOST_NAMED = 1000, MOST_SHOWN = 12 };

/* a joint's redundant rows that follow from the same other joints */
typedef struct follower {
  int joint, rows, n;
  int other[MOST_NAMED];
} follower;

/* a joint that carries a body has no rows; its effort may keep that of a row in balance */
static bool is_loaded(const tn_system *sys, int joint, double size) {
  const tn_model *m = sys->m;
  const double *w = sys->solved.reaction + m->twist * joint;
  double most = 0;
  for (int k = 0; k < m->wrench; k++) most = fmax(most, fabs(w[k]) * (k < m->dimension ? m->length : 1));
  return most > UNLOADED * size;
}

static void find_others(tn_system *sys, const double *c, int row, follower *f) {
  const tn_model *m = sys->m;
  *f = (follower){.joint = m->row_joint[row], .rows = 1};
  for (int i = 0; i < m->rows; i++) {
    const int joint = m->row_joint[i];
    /* in units of force: a row of angle against rows of length is worth what it does at the model's length */
    bool seen = fabs(c[i]) * m->row_scale[row] / m->row_scale[i] < UNLOADED || joint == f->joint || f->n == MOST_NAMED;
    for (int k = 0; k < f->n; k++) seen = seen || f->other[k] == joint;
    if (!seen) f->other[f->n++] = joint;
  }
  if (f->n) return;
  /* no other row: those that carry the bodies keep it */
  tn_reactions_of(sys, c, sys->solved.reaction, NULL);
  for (int i = 0; i < m->joints && f->n < MOST_NAMED; i++)
    if (m->joint[i].in_tree && is_loaded(sys, i, 1 / m->row_scale[row])) f->other[f->n++] = i;
}

/* where the rows have the rank that they have in general */
static void each(tn_sim *s, void (*use)(void *user, const tn_model *m, const follower *f), void *user) {
  const tn_model *m = s->m;
  double *c = s->start.rows.lambda;
  follower last = {.rows = 0}, f;
  int redundant;
  if (!tn_redundancy(s, s->singular.q_general, &redundant)) return;
  for (int e = m->rows - redundant; e < m->rows; e++) {
    const int row = tn_kkt_dependence(&s->start.rows.kkt, e, c);
    if (s->solver.sys.given.off[m->row_joint[row]]) continue; /* it is none */
    find_others(&s->solver.sys, c, row, &f);
    if (last.rows && f.joint == last.joint && f.n == last.n &&
        memcmp(f.other, last.other, sizeof *f.other * (size_t)f.n) == 0) {
      last.rows++;
      continue;
    }
    if (last.rows) use(user, m, &last);
    last = f;
  }
  if (last.rows) use(user, m, &last);
}

static void redundant_text(void *user, const tn_model *m, const follower *f) {
  tn_printer *p = user;
  if (f->rows == 1)
    tn_put(p, "    a row of joint '%s' follows from ", m->joint[f->joint].name);
  else
    tn_put(p, "    %d rows of joint '%s' follow from ", f->rows, m->joint[f->joint].name);
  if (!f->n) tn_put(p, "its other rows");
  for (int i = 0; i < f->n && i < MOST_SHOWN; i++) tn_put(p, "%s'%s'", i ? ", " : "", m->joint[f->other[i]].name);
  if (f->n > MOST_SHOWN)
    tn_put(p, " and %s%d more\n", f->n == MOST_NAMED ? "at least " : "", f->n - MOST_SHOWN);
  else
    tn_put(p, "\n");
}

static void redundant_json(void *user, const tn_model *m, const follower *f) {
  tn_json *j = user;
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "joint", m->joint[f->joint].name);
  tn_json_whole(j, "rows", f->rows);
  tn_json_open(j, "follows_from", "[");
  for (int i = 0; i < f->n; i++) tn_json_text(j, NULL, m->joint[f->other[i]].name);
  tn_json_close(j);
  tn_json_close(j);
}

/* ---- reactions that redundant rows leave open ----------------------------------------------------------------------- */

static const char *const components2[] = {"fx", "fy", "t"}, *const components3[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

static const char *component(const tn_model *m, int k) { return (m->dimension == 2 ? components2 : components3)[k]; }

/* it has a `load`: rows on channels, and meshes */
static bool has_load(const tn_joint *j) { return !tn_joint_has_wrench(j) || j->type->seat == TN_SEAT_MESH; }

static bool is_shared(const tn_joint *j, const tn_shared *x) {
  return (tn_joint_has_wrench(j) && (x->world || x->own)) || (has_load(j) && x->load);
}

static void components_text(tn_printer *p, const tn_model *m, unsigned set) {
  for (int k = 0; k < m->wrench; k++)
    if (set >> k & 1) tn_put(p, " %s", component(m, k));
}

static void shared_text(tn_printer *p, const tn_sim *s) {
  const tn_model *m = s->m;
  int n = 0;
  for (int i = 0; i < m->joints; i++) n += is_shared(&m->joint[i], &s->output.shared[i]);
  if (!n) return;
  tn_put(p, "  reactions that are not unique, since redundant rows share their load in more than one way; shown as "
            "equally stiff joints "
            "would share it:\n");
  for (int i = 0, shown = 0; i < m->joints && shown < MOST_SHOWN; i++) {
    const tn_joint *j = &m->joint[i];
    const tn_shared *x = &s->output.shared[i];
    if (!is_shared(j, x)) continue;
    shown++;
    tn_put(p, "    joint '%s':", j->name);
    if (has_load(j) && x->load) tn_put(p, " load");
    if (tn_joint_has_wrench(j)) {
      components_text(p, m, x->world);
      if (x->own != x->world) {
        tn_put(p, "; in its own axes");
        components_text(p, m, x->own);
      }
    }
    tn_put(p, "\n");
  }
  if (n > MOST_SHOWN) tn_put(p, "    and %d joints more (--json lists them)\n", n - MOST_SHOWN);
}

static void components_json(tn_json *j, const char *key, const tn_model *m, unsigned set, bool load) {
  tn_json_open(j, key, "[");
  if (load) tn_json_text(j, NULL, "load");
  for (int k = 0; k < m->wrench; k++)
    if (set >> k & 1) tn_json_text(j, NULL, component(m, k));
  tn_json_close(j);
}

/* every joint that exerts anything: the lists are empty where all of it is unique */
static void shared_json(tn_json *j, const tn_sim *s) {
  const tn_model *m = s->m;
  tn_json_open(j, "reactions", "[");
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *joint = &m->joint[i];
    const tn_shared *x = &s->output.shared[i];
    const bool wrench = tn_joint_has_wrench(joint), load = has_load(joint) && x->load;
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "joint", joint->name);
    components_json(j, "not_unique", m, wrench ? x->world : 0, load);
    if (wrench) components_json(j, "not_unique_in_its_axes", m, x->own, load);
    tn_json_close(j);
  }
  tn_json_close(j);
}

/* how far the gains of stabilizer i are stable; false: it has nothing to say */
static bool limits_of(const tn_model *m, int i, char *text, size_t size) {
  const tn_run *run = &m->run;
  const tn_stabilizer_type *type = run->stabilizer[i].type;
  const tn_integrator_type *by = run->integrator;
  *text = 0;
  if (type->limits && m->rows && by->attempt)
    type->limits(run->stabilizer[i].self, by, by->size ? run->integrator_part.self : by->constants,
                 run->fixed ? run->step : 0, text, size);
  return *text;
}

/* false, and not a number, if forces cannot be evaluated at the present state */
static bool energies_now(tn_sim *s, double *kinetic, double *potential) {
  const bool known = tn_at(s, s->now.t, s->now.y, NULL) == TN_OK;
  *kinetic = known ? tn_energy_of(&s->solver.sys, TN_KINETIC) : NAN;
  *potential = known ? tn_energy_of(&s->solver.sys, TN_POTENTIAL) : NAN;
  return known;
}

static int nonholonomic(const tn_model *m) { return m->rows - m->holonomic; }

tn_status tn_report_check_text(tn_sim *s, const char *model_name, tn_write write, void *user) {
  TN_NEED(NULL, s, "sim");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, write, "write");
  tn_printer printer = {write, user, false}, *p = &printer;
  const tn_model *m = s->m;
  const tn_summary *r = &s->summary;
  char settings[1024];
  double kinetic, potential;
  tn_put(p, "%s%s%s\n", model_name, *m->title ? ": " : "", m->title);
  tn_put(p, "  %d bod%s, %d joint%s, %d force%s; %d coordinate%s (%s); length %.4g m\n", m->bodies,
         m->bodies == 1 ? "y" : "ies", m->joints, TN_S(m->joints), m->forces, TN_S(m->forces), m->nq, TN_S(m->nq),
         m->relative ? "relative" : "absolute", m->length);
  tn_put(p, "  constraints: %d row%s", m->rows, TN_S(m->rows));
  if (nonholonomic(m)) tn_put(p, ", %d of them nonholonomic", nonholonomic(m));
  const int idle = s->solver.sys.given.idle;
  if (idle) tn_put(p, ", %d of joints that are switched off", idle);
  if (s->life.started) {
    tn_put(p, ", rank %d; degrees of freedom: %d\n", s->solver.rank, r->degrees_of_freedom);
    if (r->redundant_rows) {
      tn_put(p, "  %d redundant row%s:\n", r->redundant_rows, r->redundant_rows == 1 ? "" : "s");
      each(s, redundant_text, p);
      shared_text(p, s);
    }
    char gap[48] = "0", owner[160] = "";
    if (r->start_violation > 0) {
      tn_row_figure(m, s->start.row, m->row_scale[s->start.row], false, r->start_violation, 3, gap, sizeof gap);
      tn_row_owner(m, s->start.row, owner, sizeof owner);
    }
    tn_put(p, "  initial configuration: off by %s", gap);
    if (*owner) tn_put(p, " (%s)", owner);
    if (m->as_given)
      tn_put(p, "; kept as given\n");
    else if (r->start_moves)
      tn_put(p, "; assembled, %s moved most, by %.3g %s\n", r->start_move[0].name, fabs(r->start_move[0].by),
             r->start_move[0].unit);
    else
      tn_put(p, "; nothing had to move\n");
    if (r->start_moves > 1) {
      char list[600];
      tn_moves_text(r, list, sizeof list);
      tn_put(p, "    moved: %s\n", list);
    }
    if (energies_now(s, &kinetic, &potential))
      tn_put(p, "  energy at the start: kinetic %.9g J, potential %.9g J\n", kinetic, potential);
    else
      tn_put(p, "  energy at the start: forces cannot be evaluated there\n");
  } else {
    tn_put(p, "\n");
  }
  for (int i = 0; i < m->triggers; i++)
    tn_put(p, i + 1 < m->triggers ? "%s%s" : "%s%s\n", i ? ", " : "  events: ", m->trigger[i].name);
  for (int i = 0; i < m->parameters; i++)
    tn_put(p, i + 1 < m->parameters ? "%s%s = %.6g" : "%s%s = %.6g\n",
           i ? ", " : "  parameters: ", m->parameter[i].name, m->parameter[i].value);
  tn_model_settings(m, settings, sizeof settings);
  tn_put(p, "  method %s: %s\n", m->run.method, settings);
  for (int i = 0; i < m->run.stabilizers; i++)
    if (limits_of(m, i, settings, sizeof settings))
      tn_put(p, "  %s: %s\n", ((const tn_stabilizer_type *)m->run.stabilizer[i].type)->name, settings);
  tn_put(p, "  contract: position %g, velocity %g, %s\n", m->run.contract_position, m->run.contract_velocity,
         m->run.breach_stops ? "stop" : "record");
  for (int i = 0; i < m->warnings; i++) {
    char text[1600];
    tn_error_text(m->warning[i], text, sizeof text);
    tn_put(p, "  warning: %s\n", text);
  }
  if (m->warnings_more) tn_put(p, "  and %d warning%s more\n", m->warnings_more, TN_S(m->warnings_more));
  return p->failed ? TN_E_IO : TN_OK;
}

tn_status tn_report_check_json(tn_sim *s, const char *model_name, tn_write write, void *user) {
  TN_NEED(NULL, s, "sim");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, write, "write");
  tn_json json = {.write = write, .user = user}, *j = &json;
  const tn_model *m = s->m;
  const tn_summary *r = &s->summary;
  double kinetic, potential;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "model", model_name);
  tn_json_text(j, "title", m->title);
  tn_json_whole(j, "bodies", m->bodies);
  tn_json_whole(j, "joints", m->joints);
  tn_json_whole(j, "forces", m->forces);
  tn_json_whole(j, "coordinates", m->nq);
  tn_json_text(j, "coordinate_kind", m->relative ? "relative" : "absolute");
  tn_json_real(j, "length", m->length);
  tn_json_open(j, "events", "[-");
  for (int i = 0; i < m->triggers; i++) tn_json_text(j, NULL, m->trigger[i].name);
  tn_json_close(j);
  tn_json_open(j, "parameters", "{-");
  for (int i = 0; i < m->parameters; i++) tn_json_real(j, m->parameter[i].name, m->parameter[i].value);
  tn_json_close(j);
  tn_json_whole(j, "rows", m->rows);
  tn_json_whole(j, "nonholonomic_rows", nonholonomic(m));
  tn_json_whole(j, "rows_switched_off", s->solver.sys.given.idle);
  if (s->life.started) {
    tn_json_whole(j, "rank", s->solver.rank);
    tn_json_whole(j, "degrees_of_freedom", r->degrees_of_freedom);
    tn_json_whole(j, "redundant_rows", r->redundant_rows);
    tn_json_open(j, "redundant", "[");
    if (r->redundant_rows) each(s, redundant_json, j);
    tn_json_close(j);
    shared_json(j, s);
    tn_json_real(j, "start_violation", r->start_violation);
    if (r->start_violation > 0) tn_json_text(j, "start_violation_joint", r->start_violation_joint);
    tn_json_real(j, "start_moved", r->start_moved);
    if (r->start_moved > 0) tn_json_text(j, "start_moved_name", r->start_moved_name);
    tn_json_open(j, "start_moves", "[");
    for (int i = 0; i < r->start_moves && i < TN_MOST_MOVES; i++) {
      tn_json_open(j, NULL, "{-");
      tn_json_text(j, "name", r->start_move[i].name);
      tn_json_real(j, "by", r->start_move[i].by);
      tn_json_text(j, "unit", r->start_move[i].unit);
      tn_json_close(j);
    }
    tn_json_close(j);
    tn_json_whole(j, "start_moves_more", r->start_moves > TN_MOST_MOVES ? r->start_moves - TN_MOST_MOVES : 0);
    energies_now(s, &kinetic, &potential);
    tn_json_real(j, "kinetic", kinetic);
    tn_json_real(j, "potential", potential);
  }
  tn_report_settings(j, m);
  tn_json_open(j, "limits", "[");
  for (int i = 0; i < m->run.stabilizers; i++) {
    char text[400];
    if (!limits_of(m, i, text, sizeof text)) continue;
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "stabilizer", ((const tn_stabilizer_type *)m->run.stabilizer[i].type)->name);
    tn_json_text(j, "text", text);
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_open(j, "contract", "{-");
  tn_json_real(j, "position", m->run.contract_position);
  tn_json_real(j, "velocity", m->run.contract_velocity);
  tn_json_text(j, "breach", m->run.breach_stops ? "stop" : "record");
  tn_json_close(j);
  tn_record_channels(j, m);
  tn_report_warnings(j, m);
  tn_json_text(j, "status", r->status == TN_OK ? "good" : "refused");
  if (r->status != TN_OK) tn_json_text(j, "message", r->message);
  tn_json_close(j);
  return j->failed ? TN_E_IO : TN_OK;
}
