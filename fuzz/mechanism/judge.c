/* see judge.h.
 * SPDX-License-Identifier: MIT */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* a gap is a vector of up to three equations, each of which may be off by what is allowed */
static const double VECTOR = 1.7320508075688772;
/* the contract asks no more than 10 eps of the distances from the origin; as much is lost here again */
static const double ROUNDOFF = 40 * DBL_EPSILON, ROUNDOFF_ANGLE = 1e-12;

typedef struct watched {
  const mechanism *m;
  mech_outcome *o;
  double length[MECH_JOINTS];
  double last;
  int steps, most;
} watched;

__attribute__((format(printf, 2, 3))) static void fault(mech_outcome *o, const char *format, ...) {
  if (o->fault[0]) return;
  va_list list;
  va_start(list, format);
  vsnprintf(o->fault, sizeof o->fault, format, list);
  va_end(list);
}

static tn_status row_seen(void *user, double t, int n, const double *row) {
  watched *w = user;
  const mechanism *m = w->m;
  mech_outcome *o = w->o;
  if (n != m->columns) return fault(o, "%d columns, not %d", n, m->columns), TN_E_IO;
  if (!(t >= w->last)) fault(o, "a row at t = %.17g behind one at %.17g", t, w->last);
  w->last = t;
  o->rows++;
  /* many turns in the plane have the roundoff of their number */
  const double turns = 1 + gap_turns(m, row), reach = gap_reach(m, row) * turns, round_angle = ROUNDOFF_ANGLE * turns,
               unit = gap_unit(m, row);
  /* quaternions are put back to length 1 beyond 1e-9; Euler parameters have a constraint equation for it, which drifts as the others */
  if (unit > 2e-9 + m->contract_position && m->stops) fault(o, "t = %g: a quaternion of length 1 + %.3g", t, unit);
  for (int j = 0; j < m->joints; j++) {
    mech_gap gap;
    if (!gap_of(m, j, t, row, &gap)) continue;
    const double L = w->length[j], by_length = gap.length / (m->joint[j].squared ? L : 1);
    /* far from the origin the contract has a longer length, so that it does not ask for less than roundoff */
    const double wide = fmax(L, 10 * DBL_EPSILON * reach / m->contract_position);
    const double allowed = m->contract_position * wide * VECTOR + ROUNDOFF * (reach + L),
                 allowed_angle = m->contract_position * VECTOR + round_angle,
                 share = fmax(by_length / allowed, gap.angle / allowed_angle),
                 length = fmax(0, by_length - ROUNDOFF * (reach + L)) / wide,
                 scaled = fmax(length, fmax(0, gap.angle - round_angle)) / VECTOR;
    if (!(share <= o->share)) {
      o->share = isnan(share) ? INFINITY : share;
      o->joint = j;
      o->t = t;
    }
    if (!(scaled <= o->scaled)) o->scaled = isnan(scaled) ? INFINITY : scaled;
  }
  return TN_OK;
}

static bool step_seen(void *user, double t) {
  watched *w = user;
  if (!isfinite(t)) fault(w->o, "a step to t = %g", t);
  return ++w->steps < w->most;
}

static bool in_words(mech_outcome *o, const char *where) {
  if (o->status == TN_OK) return true;
  const tn_error *e = &o->error;
  if (o->status == TN_E_INTERNAL || o->status == TN_E_USAGE)
    fault(o, "%s: status %d: %s", where, (int)o->status, e->message);
  if (e->status != o->status || !e->message[0]) fault(o, "%s: status %d without words", where, (int)o->status);
  return false;
}

static void judge_summary(const mechanism *m, const tn_summary *sum, mech_outcome *o) {
  o->kept = sum->contract_kept;
  o->verdict = sum->verdict;
  o->reported = sum->max_position_violation;
  if (!o->rows) return;
  const char *name = m->joints ? mech_joint_names[m->joint[o->joint].kind] : "none";
  if (o->share > 1 && o->kept)
    fault(o, "contract kept, but joint j%d (%s) is off by %.3g times what it allows at t = %.6g", o->joint, name,
          o->share, o->t);
  if (o->share > 1 && o->verdict == TN_TRUSTED)
    fault(o, "trusted, but joint j%d (%s) is off by %.3g times what the contract allows at t = %.6g", o->joint, name,
          o->share, o->t);
  /* a motion that blows up ends before the last step is judged */
  if (o->scaled > 1.01 * o->reported && (o->status == TN_OK || o->status == TN_E_STOPPED))
    fault(o, "joint j%d (%s) is off by %.3g, reported are %.3g", o->joint, name, o->scaled, o->reported);
}

void mech_judge(const mechanism *m, int steps, mech_outcome *o) {
  watched w = {.m = m, .o = o, .last = 0, .most = steps};
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  memset(o, 0, sizeof *o);
  gap_lengths(m, w.length);
  o->status = tn_desc_new(NULL, &desc, &o->error);
  if (o->status == TN_OK) o->status = tn_desc_parse(desc, "random.json", m->text, (size_t)m->used, &o->error);
  if (o->status != TN_OK) fault(o, "the text: %s", o->error.message);
  if (o->status == TN_OK) o->status = tn_compile(desc, &model, &o->error);
  if (in_words(o, "compile")) {
    o->compiled = true;
    o->status = tn_sim_new(model, &sim, &o->error);
    in_words(o, "start");
  }
  if (sim) {
    tn_sim_watch(sim, step_seen, &w);
    o->status = tn_sim_run(sim, row_seen, &w, &o->error);
    in_words(o, "run");
    judge_summary(m, tn_sim_summary(sim), o);
    if (o->status == TN_OK && o->rows < 1) fault(o, "a run without rows");
  }
  tn_sim_free(sim);
  tn_model_free(model);
  tn_desc_free(desc);
}
