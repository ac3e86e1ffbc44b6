/* what a run says of itself: a list of facts, each with a sentence. Text, JSON and page print this list; nothing else makes a
 * sentence about a run.
 *
 * Facts with a limit, which decide the verdict, are those of simulate/verdict.c. The order is that of the summary: reasons, what was
 * run, what it cost, events of the model, what is within its limits, what else the motion is worth, the log, warnings, the end.
 * Of a kind of which there may be many the first are for every reader; the others have `detail`. */
#include "report/report.h"

/* of the accelerations: redundant rows that contradict each other by more are reported */
static const double CONTRADICTION = 1e-9;
enum { MOST_EVENTS = 8, MOST_OUTPUTS = 5, MOST_LOG = 8, MOST_WARNINGS = 3 }; /* for every reader */

/* hands facts to `use` until that returns false */
typedef struct teller {
  const tn_sim *s;
  tn_fact_use use;
  void *user;
  bool enough;
  tn_run_fact fact; /* the one that is made */
} teller;

static void tell(teller *p) {
  if (!p->enough) p->enough = !p->use(p->user, &p->fact);
}

/* begins a fact without a limit; a sentence is to follow */
static char *about(teller *p, tn_fact_about what, const char *key, double value, const char *unit) {
  p->fact = (tn_run_fact){.key = key, .about = what, .value = value, .limit = NAN, .unit = unit};
  return p->fact.sentence;
}

enum { SIZE = sizeof((tn_run_fact *)NULL)->sentence };

static void at(teller *p, double t) {
  p->fact.timed = true;
  p->fact.t = t;
}

static void judged(teller *p, bool reasons) {
  for (int i = 0; !p->enough && tn_judged_fact(p->s, i, &p->fact); i++)
    if ((p->fact.severity != TN_TRUSTED) == reasons) tell(p);
}

/* ---- what was run, what it cost ------------------------------------------------------------------------------------------- */

static void what_was_run(teller *p) {
  const tn_summary *r = &p->s->summary;
  const tn_model *m = p->s->m;
  char settings[512];
  char *text = about(p, TN_ABOUT_RUN, "size", r->degrees_of_freedom, "1");
  const int used = tn_format(text, SIZE, "%d bod%s, %d coordinate%s, %d row%s, %d degree%s of freedom", m->bodies,
                             m->bodies == 1 ? "y" : "ies", m->nq, TN_S(m->nq), m->rows, TN_S(m->rows),
                             r->degrees_of_freedom, TN_S(r->degrees_of_freedom));
  if (r->redundant_rows)
    tn_format(text + used, SIZE - (size_t)used, ", %d redundant row%s", r->redundant_rows, TN_S(r->redundant_rows));
  tell(p);
  if (r->start_moves) {
    text = about(p, TN_ABOUT_RUN, "start", fabs(r->start_move[0].by), r->start_move[0].unit);
    tn_format(text, SIZE, "start assembled: %s moved most, by %.3g %s", r->start_move[0].name,
              fabs(r->start_move[0].by), r->start_move[0].unit);
    tell(p);
  }
  tn_model_settings(m, settings, sizeof settings);
  text = about(p, TN_ABOUT_RUN, "method", m->run.fixed ? m->run.step : m->run.rtol, m->run.fixed ? "s" : "1");
  tn_format(text, SIZE, "method %s: %s", m->run.method, settings);
  tell(p);
}

static void effort(teller *p) {
  const tn_summary *r = &p->s->summary;
  char *text = about(p, TN_ABOUT_COST, "reached", r->t_end, "s");
  tn_format(text, SIZE, "reached t = %.9g s in %" PRId64 " step%s (%" PRId64 " rejected), %" PRId64 " right-hand sides",
            r->t_end, r->steps, TN_S(r->steps), r->rejected, r->rhs);
  tell(p);
  tn_format(about(p, TN_ABOUT_COST, TN_FACT_CPU, r->cpu_seconds, "s"), SIZE, "%.3g s of CPU", r->cpu_seconds);
  tell(p);
  if (r->jacobians) {
    text = about(p, TN_ABOUT_COST, "implicit", (double)r->jacobians, "1");
    tn_format(text, SIZE,
              "implicit: %" PRId64 " iteration%s, %" PRId64 " Jacobian%s (%" PRId64
              " of the right-hand sides), %" PRId64 " decomposition%s",
              r->iterations, TN_S(r->iterations), r->jacobians, TN_S(r->jacobians), r->jacobian_rhs, r->decompositions,
              TN_S(r->decompositions));
    tell(p);
  }
  if (r->set_changes) {
    text = about(p, TN_ABOUT_COST, "set-changes", (double)r->set_changes, "1");
    tn_format(text, SIZE, "other coordinates or speeds became independent %" PRId64 " time%s", r->set_changes,
              TN_S(r->set_changes));
    tell(p);
  }
  if (r->switches) {
    text = about(p, TN_ABOUT_COST, "switches", (double)r->switches, "1");
    tn_format(text, SIZE, "%" PRId64 " switch%s of piecewise functions", r->switches, r->switches == 1 ? "" : "es");
    tell(p);
  }
}

/* ---- events of the model, and what impulses took ----------------------------------------------------------------------------- */

static void model_events(teller *p) {
  const tn_summary *r = &p->s->summary;
  tn_fired f;
  double lost = 0;
  int listed = 0;
  for (int i = 0; tn_sim_fired(p->s, i, &f); i++) {
    lost += f.energy_lost;
    if (!f.count) continue;
    char *text = about(p, TN_ABOUT_EVENTS, "event", (double)f.count, "1");
    const int used = tn_format(text, SIZE, "event '%s': %" PRId64 " time%s, ", f.event, f.count, TN_S(f.count));
    if (f.count > 1)
      tn_format(text + used, SIZE - (size_t)used, "from t = %.9g to %.9g s", f.first, f.last);
    else
      tn_format(text + used, SIZE - (size_t)used, "at t = %.9g s", f.first);
    at(p, f.first);
    p->fact.detail = listed++ >= MOST_EVENTS;
    tell(p);
  }
  if (!r->impulses) return;
  char *text = about(p, TN_ABOUT_EVENTS, "impulses", lost, "J");
  tn_format(text, SIZE, "velocities jumped %" PRId64 " time%s: impulses took %.6g J", r->impulses, TN_S(r->impulses),
            lost);
  tell(p);
}

/* ---- what the motion is worth ------------------------------------------------------------------------------------------------ */

static void bad_outputs(teller *p) {
  tn_bad_output x;
  for (int i = 0; tn_sim_bad_output(p->s, i, &x); i++) {
    char *text = about(p, TN_ABOUT_WORTH, "output", (double)x.rows, "1");
    tn_format(text, SIZE, "output '%s' is not a finite number in %" PRId64 " row%s, first at t = %.6g s", x.name,
              x.rows, TN_S(x.rows), x.first);
    at(p, x.first);
    p->fact.detail = i >= MOST_OUTPUTS;
    tell(p);
  }
}

static void long_run(teller *p) {
  const tn_summary *r = &p->s->summary;
  const bool fixed = p->s->m->run.fixed;
  char *text = about(p, TN_ABOUT_WORTH, "long-run", fixed ? (double)r->steps : r->local_errors, "1");
  if (fixed)
    tn_format(text, SIZE,
              "long run: %" PRId64
              " fixed steps, whose errors nobody has estimated; `--verify` measures what they add up to",
              r->steps);
  else
    tn_format(text, SIZE,
              "long run: errors of steps add up to about %.1e of the motion; `--verify` measures what becomes of them",
              r->local_errors);
  tell(p);
}

/* what inconsistency is measured in */
#define SCALED "each row divided by its length in the metric of the masses"

static void rows(teller *p) {
  const tn_summary *r = &p->s->summary;
  const tn_model *m = p->s->m;
  const tn_formulation_type *type = m->run.formulation.type;
  char *text;
  if (r->redundant_rows) {
    text = about(p, TN_ABOUT_WORTH, "redundant", r->redundant_rows, "1");
    tn_format(text, SIZE, "redundant rows share their load in more than one way: reactions are %s",
              m->large ? "the smallest that do" : "as equally stiff joints would share it");
    tell(p);
  }
  if (type->inexact || r->inconsistency > CONTRADICTION) {
    text = about(p, TN_ABOUT_WORTH, "inconsistency", r->inconsistency, "1");
    if (type->inexact)
      tn_format(text, SIZE, "%s leaves rows off by up to %.2e in acceleration, " SCALED, type->name, r->inconsistency);
    else
      tn_format(text, SIZE, "redundant rows contradict each other by up to %.2e in acceleration, " SCALED,
                r->inconsistency);
    tell(p);
  }
}

static void singular_positions(teller *p) {
  const tn_sim *s = p->s;
  const int64_t n = s->summary.singular_positions;
  if (n < 2) return;
  char *text = about(p, TN_ABOUT_WORTH, "singular-positions", (double)n, "1");
  tn_format(text, SIZE,
            "singular positions on the way, where rows become dependent: %" PRId64 ", from t = %.6g to %.6g s", n,
            s->singular.found[0].t, s->singular.found[s->singular.count - 1].t);
  at(p, s->singular.found[0].t);
  tell(p);
}

static void worth(teller *p) {
  const int64_t corrected = p->s->summary.guard_calls;
  judged(p, false);
  if (corrected) {
    char *text = about(p, TN_ABOUT_WORTH, "corrections", (double)corrected, "1");
    tn_format(text, SIZE, "a bound was exceeded and the state corrected %" PRId64 " time%s", corrected,
              TN_S(corrected));
    tell(p);
  }
  bad_outputs(p);
  if (tn_sim_is_long(p->s) && !p->s->output.addition.text) long_run(p);
  rows(p);
  singular_positions(p);
}

/* ---- the log, warnings, the end ---------------------------------------------------------------------------------------------- */

/* what happens to events of the model is told above: here they are for those who ask for all */
static void event_log(teller *p) {
  int listed = 0;
  for (int i = 0; !p->enough && i < tn_sim_events(p->s); i++) {
    const tn_event *e = tn_sim_event(p->s, i);
    char *text = about(p, TN_ABOUT_LOG, "log", 1, "1");
    tn_format(text, SIZE, "event at t = %.6g s, %s: %s", e->t, e->kind, e->text);
    at(p, e->t);
    p->fact.detail = strcmp(e->kind, "event") == 0 || listed++ >= MOST_LOG;
    tell(p);
  }
}

static void warnings(teller *p) {
  const tn_model *m = p->s->m;
  for (int i = 0; !p->enough && i < m->warnings; i++) {
    char *text = about(p, TN_ABOUT_MODEL, "warning", 1, "1");
    tn_error_text(m->warning[i], text, SIZE);
    p->fact.detail = i >= MOST_WARNINGS;
    tell(p);
  }
}

static void ending(teller *p) {
  const tn_summary *r = &p->s->summary;
  if (p->s->events.ended >= 0) {
    tn_format(about(p, TN_ABOUT_END, "ended", r->t_end, "s"), SIZE, "%s", r->message);
    tell(p);
  }
  if (r->status != TN_OK) {
    tn_format(about(p, TN_ABOUT_END, "message", r->t_end, "s"), SIZE, "%s: %s",
              r->status == TN_E_STOPPED ? "interrupted" : "stopped", r->message);
    tell(p);
  }
}

void tn_facts_of(const tn_sim *s, tn_fact_use use, void *user) {
  teller t = {.s = s, .use = use, .user = user}, *p = &t;
  static void (*const parts[])(teller *) = {what_was_run, effort, model_events, worth, event_log, warnings, ending};
  judged(p, true);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && !p->enough; i++) parts[i](p);
}

/* ---- by number ------------------------------------------------------------------------------------------------------------------ */

typedef struct search {
  int left;
  tn_run_fact *fact;
} search;

static bool look(void *user, const tn_run_fact *fact) {
  search *s = user;
  if (s->left-- > 0) return true;
  *s->fact = *fact;
  return false;
}

bool tn_sim_fact(const tn_sim *s, int i, tn_run_fact *fact) {
  if (!s || !fact || i < 0) return false;
  search at_i = {i, fact};
  tn_facts_of(s, look, &at_i);
  return at_i.left < 0;
}

const char *tn_fact_about_name(tn_fact_about about) {
  static const char *const names[] = {
      [TN_ABOUT_WORTH] = "worth", [TN_ABOUT_RUN] = "run",     [TN_ABOUT_COST] = "cost", [TN_ABOUT_EVENTS] = "events",
      [TN_ABOUT_LOG] = "log",     [TN_ABOUT_MODEL] = "model", [TN_ABOUT_END] = "end"};
  return names[about];
}
