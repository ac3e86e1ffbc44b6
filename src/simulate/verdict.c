/* the verdict of a run, and the facts it rests on. report/facts.c has these among all facts of a run, which text, JSON and page print.
 *
 * A fact has a value and a limit. Within its limit it is `trusted`; beyond it, it is a reason and makes the run `doubtful` or
 * `wrong`. The verdict is the worst of all facts. docs/results.md lists the keys and limits.
 * Counters of reasons that only a step or a row can see are in tn_doubts. They decide nothing of the motion. */
#include "simulate/simulate.h"

/* ---- limits ------------------------------------------------------------------------------------------------------------- */

static const double BALANCE_TRUSTED =
    1e-6; /* of the largest kinetic energy: the balance of a trusted run              */
static const double BALANCE_DOUBTFUL =
    1e-3; /* of the largest kinetic energy: beyond, the run is wrong                  */
static const double ROUNDOFF_TRUSTED = 1e-4; /* of the motion of a body: what its place may be off by roundoff */
static const double STABILIZER_WORK =
    1e-3;                                 /* of the largest kinetic energy: what stabilizers may have done            */
static const double BRANCH = 0.05;        /* of the largest speed: what velocities may be off by at a crossing */
static const double CROSSING_WORK = 1e-6; /* of the largest kinetic energy: work of stabilizers there          */
static const double ROW_OFF =
    1e-4; /* scaled as the contract does: what a row inside a step may be off before it is corrected */
static const double ROW_ENERGY =
    1e-6; /* of the largest kinetic energy: what a row inside a step may be off from its ends       */
static const double HALF_TURN = 3.141592653589793; /* rad in a step: beyond, an angle cannot be counted  */

/* ---- counted on the way --------------------------------------------------------------------------------------------------- */

void tn_doubts_reset(tn_sim *s) {
  s->log.doubts = (tn_doubts){.forced.t = NAN, .branch.t = NAN, .stays.t = NAN, .closed.t = NAN};
}

void tn_doubt_forced(tn_sim *s, double t, double error) {
  tn_doubts *d = &s->log.doubts;
  if (d->forced.n++ == 0) d->forced.t = t;
  d->forced.error = fmax(d->forced.error, error);
}

void tn_doubt_singular(tn_sim *s, const tn_singular *p) {
  tn_doubts *d = &s->log.doubts;
  if (p->kind == TN_SINGULAR_STAYS) {
    if (d->stays.n++ == 0) d->stays.t = p->t;
  } else if (!p->smooth) {
    if (d->branch.n++ == 0) d->branch.t = p->t;
    d->branch.change = fmax(d->branch.change, p->change);
  }
}

void tn_doubt_crossing(tn_sim *s, double t, int first, double off, double work) {
  tn_doubts *d = &s->log.doubts;
  if (fabs(work) > d->crossing.work) d->crossing.work = fabs(work), d->crossing.t = t;
  if (off <= BRANCH) return;
  for (int i = first; i < s->singular.count; i++) s->singular.found[i].smooth = false;
  if (d->branch.n++ == 0) d->branch.t = t;
  d->branch.change = fmax(d->branch.change, off);
  tn_log(s, t, "singular", "perhaps on another branch: velocities changed by %.2g %% more than accelerations explain",
         100 * off);
}

void tn_doubt_closed(tn_sim *s, double t, double gap, int row, bool rate) {
  tn_doubts *d = &s->log.doubts;
  if (d->closed.n++ == 0) d->closed.t = t;
  if (gap > d->closed.gap) d->closed.gap = gap, d->closed.row = row, d->closed.rate = rate;
}

void tn_doubt_turn(tn_sim *s, double t, double turned) {
  tn_doubts *d = &s->log.doubts;
  if (!s->m->run.by_numbers || !(turned > HALF_TURN)) return;
  if (d->turns.n++ == 0) d->turns.t = t;
  d->turns.angle = fmax(d->turns.angle, turned);
}

void tn_doubt_row(tn_sim *s, double t) {
  tn_doubts *d = &s->log.doubts;
  for (int i = 0; i < s->m->columns; i++)
    if (!isfinite(s->output.row[i]) && d->outputs.n++ == 0) d->outputs.column = i, d->outputs.t = t;
}

void tn_doubt_step(tn_sim *s, double energy) {
  tn_doubts *d = &s->log.doubts;
  d->inside.balance[0] = d->inside.balance[1];
  d->inside.balance[1] = tn_energy_balance(&s->solver.sys, energy);
}

void tn_doubt_interpolation(tn_sim *s, double t, double theta, double energy, double off, int row) {
  tn_doubts *d = &s->log.doubts;
  const double expected = (1 - theta) * d->inside.balance[0] + theta * d->inside.balance[1];
  const double unexplained = fabs(tn_energy_balance(&s->solver.sys, energy) - expected);
  if (unexplained > d->inside.energy) d->inside.energy = unexplained, d->inside.t = t;
  if (off > d->inside.off) d->inside.off = off, d->inside.row = row;
}

void tn_doubt_chatter(tn_sim *s, int i) {
  tn_doubts *d = &s->log.doubts;
  if (d->chatter.n++ == 0) d->chatter.guard = i, d->chatter.t = s->now.t;
}

/* ---- facts ------------------------------------------------------------------------------------------------------------------ */

static tn_run_verdict contract_severity(const tn_sim *s) {
  return !s->m->rows || s->summary.contract_kept ? TN_TRUSTED : TN_WRONG;
}

static bool contract(const tn_sim *s, tn_run_fact *f) {
  const tn_summary *sum = &s->summary;
  const double *scale = s->solver.sys.rows.scale; /* for words alone */
  char worst[128] = "", off[2][64];
  if (!s->m->rows) return false;
  const double share = tn_contract_share(s->m, sum->max_position_violation, sum->max_velocity_violation);
  *f = (tn_run_fact){.key = "contract", .value = share, .limit = 1, .unit = "1"};
  f->severity = contract_severity(s);
  if (*sum->worst_joint)
    tn_format(worst, sizeof worst, ", worst joint '%s' at t = %.4g s", sum->worst_joint, sum->worst_time);
  tn_row_share(s->m, s->contract.worst_row[0], scale[s->contract.worst_row[0]], false, sum->max_position_violation,
               off[0], sizeof off[0]);
  tn_row_share(s->m, s->contract.worst_row[1], scale[s->contract.worst_row[1]], true, sum->max_velocity_violation,
               off[1], sizeof off[1]);
  if (sum->contract_kept)
    tn_format(f->sentence, sizeof f->sentence,
              "largest violation: position %s, velocity %s (contract %.0e, %.0e: kept)%s", off[0], off[1],
              tn_contract_allowed(s->m, false), tn_contract_allowed(s->m, true), worst);
  else
    tn_format(f->sentence, sizeof f->sentence, "%s; largest violation: position %s, velocity %s%s", sum->contract_text,
              off[0], off[1], worst);
  return true;
}

static tn_run_verdict balance_severity(const tn_sim *s) {
  const double x = s->summary.energy_balance;
  return x <= BALANCE_TRUSTED ? TN_TRUSTED : x <= BALANCE_DOUBTFUL ? TN_DOUBTFUL : TN_WRONG;
}

static bool balance(const tn_sim *s, tn_run_fact *f) {
  const double x = s->summary.energy_balance;
  *f = (tn_run_fact){.key = "balance", .value = x, .limit = BALANCE_TRUSTED, .unit = "1"};
  f->severity = balance_severity(s);
  char of[120] = "";
  const tn_summary *r = &s->summary;
  if (*r->balance_part && r->balance_bodies > 1)
    tn_format(of, sizeof of, " of part '%s' and %d more bod%s", r->balance_part, r->balance_bodies - 1,
              r->balance_bodies > 2 ? "ies" : "y");
  else if (*r->balance_part)
    tn_format(of, sizeof of, " of part '%s'", r->balance_part);
  if (!isfinite(x))
    tn_format(f->sentence, sizeof f->sentence, "energy balance%s: %s", of,
              isnan(x) ? "not a number" : "beyond all bounds");
  else if (f->severity == TN_TRUSTED)
    tn_format(f->sentence, sizeof f->sentence, "energy balance: %.2e of the largest kinetic energy%s, %.4g J", x, of,
              r->balance_kinetic);
  else
    tn_format(f->sentence, sizeof f->sentence,
              "energy balance: %.2e of the largest kinetic energy%s, %.4g J, where %.0e is allowed: tighten the "
              "tolerances or the step",
              x, of, r->balance_kinetic, f->severity == TN_WRONG ? BALANCE_DOUBTFUL : BALANCE_TRUSTED);
  return true;
}

static bool stabilizer(const tn_sim *s, tn_run_fact *f) {
  const double work = s->summary.stabilizer_work, scale = tn_energy_scale(s), share = scale > 0 ? work / scale : 0;
  if (share <= 1e-6) return false;
  *f = (tn_run_fact){.key = "stabilizer-work", .value = share, .limit = STABILIZER_WORK, .unit = "1"};
  f->severity = share <= STABILIZER_WORK ? TN_TRUSTED : TN_DOUBTFUL;
  tn_format(f->sentence, sizeof f->sentence,
            "work of the stabilizer: up to %.3g J, %.2e of the largest kinetic energy%s", work, share,
            f->severity == TN_TRUSTED ? "" : ": it changes the motion");
  return true;
}

/* a count, of which none is allowed */
static void count(tn_run_fact *f, const char *key, int64_t n, double t) {
  *f = (tn_run_fact){
      .key = key, .value = (double)n, .limit = 0, .unit = "1", .severity = TN_DOUBTFUL, .t = t, .timed = true};
}

static bool forced(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  if (!d->forced.n) return false;
  count(f, "forced-steps", d->forced.n, d->forced.t);
  tn_format(f->sentence, sizeof f->sentence,
            "%" PRId64
            " step%s near a singular position taken with an error above the tolerance, up to %.3g times; the first at "
            "t = %.6g s",
            d->forced.n, d->forced.n == 1 ? "" : "s", d->forced.error, d->forced.t);
  return true;
}

static bool branch(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  if (!d->branch.n) return false;
  count(f, "branch", d->branch.n, d->branch.t);
  tn_format(f->sentence, sizeof f->sentence,
            "%" PRId64 " singular position%s behind which the motion may be on another branch; the first at t = %.6g s",
            d->branch.n, d->branch.n == 1 ? "" : "s", d->branch.t);
  return true;
}

static bool crossing(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  const double scale = tn_energy_scale(s), share = scale > 0 ? d->crossing.work / scale : 0;
  if (share <= CROSSING_WORK) return false;
  *f = (tn_run_fact){.key = "crossing",
                     .value = share,
                     .limit = CROSSING_WORK,
                     .unit = "1",
                     .severity = TN_DOUBTFUL,
                     .timed = true,
                     .t = d->crossing.t};
  tn_format(
      f->sentence, sizeof f->sentence,
      "at the singular position near t = %.6g s the stabilizer did work of %.2e of the largest kinetic energy, where "
      "%.0e is allowed",
      d->crossing.t, share, CROSSING_WORK);
  return true;
}

static bool stays(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  if (!d->stays.n) return false;
  count(f, "singular", d->stays.n, d->stays.t);
  tn_format(f->sentence, sizeof f->sentence,
            "the motion stayed at a singular position %" PRId64
            " time%s, where accelerations are not unique; the first at t = "
            "%.6g s",
            d->stays.n, d->stays.n == 1 ? "" : "s", d->stays.t);
  return true;
}

static bool closed(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  if (!d->closed.n) return false;
  char owner[160], gap[48];
  count(f, "projection", d->closed.n, d->closed.t);
  tn_row_owner(s->m, d->closed.row, owner, sizeof owner);
  tn_contract_figure(s, d->closed.row, d->closed.rate, d->closed.gap, 3, gap, sizeof gap);
  tn_format(f->sentence, sizeof f->sentence,
            "%" PRId64
            " time%s the projection closed a gap that no accurate step leaves, up to %s at %s; the first at t = "
            "%.6g s: does a driver jump, or is the step too long?",
            d->closed.n, d->closed.n == 1 ? "" : "s", gap, owner, d->closed.t);
  return true;
}

static bool turns(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  if (!d->turns.n) return false;
  count(f, "turns", d->turns.n, d->turns.t);
  tn_format(
      f->sentence, sizeof f->sentence,
      "%" PRId64
      " step%s turned a joint by more than half a turn, up to %.3g rad: `control=numbers` does not limit that, and "
      "angles of joints may be off by whole turns; the first ended at t = %.6g s",
      d->turns.n, d->turns.n == 1 ? "" : "s", d->turns.angle, d->turns.t);
  return true;
}

static bool outputs(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  if (!d->outputs.n || d->outputs.column >= s->m->columns) return false;
  count(f, "outputs", d->outputs.n, d->outputs.t);
  tn_format(f->sentence, sizeof f->sentence, "outputs: %" PRId64 " value%s not finite; the first is '%s' at t = %.6g s",
            d->outputs.n, d->outputs.n == 1 ? "" : "s", tn_sim_column(s, d->outputs.column), d->outputs.t);
  return true;
}

static bool chattering(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  if (!d->chatter.n || d->chatter.guard >= s->m->switches) return false;
  const tn_switch *x = &s->m->switched[d->chatter.guard];
  count(f, "chattering", d->chatter.n, d->chatter.t);
  tn_format(f->sentence, sizeof f->sentence,
            "chattering: %s '%s' switches %d times in a row with no more than %d steps in between, at t = %.6g s",
            x->kind, x->name, TN_CHATTER_TIMES, TN_CHATTER_STEPS, d->chatter.t);
  return true;
}

static bool interpolation(const tn_sim *s, tn_run_fact *f) {
  const tn_doubts *d = &s->log.doubts;
  const double scale = tn_energy_scale(s), share = scale > 0 ? d->inside.energy / scale : 0;
  if (d->inside.off <= ROW_OFF && share <= ROW_ENERGY) return false;
  const bool energy = share > ROW_ENERGY;
  *f = (tn_run_fact){.key = "interpolation",
                     .value = energy ? share : d->inside.off,
                     .limit = energy ? ROW_ENERGY : ROW_OFF,
                     .unit = "1",
                     .severity = TN_DOUBTFUL,
                     .timed = true,
                     .t = d->inside.t};
  char off[120] = "";
  if (s->m->rows) {
    char owner[160], gap[48];
    tn_row_owner(s->m, d->inside.row, owner, sizeof owner);
    tn_contract_figure(s, d->inside.row, false, d->inside.off, 2, gap, sizeof gap);
    tn_format(off, sizeof off, ", and by up to %s at %s before the constraints were restored", gap, owner);
  }
  tn_format(f->sentence, sizeof f->sentence,
            "interpolation inside steps is too coarse: rows of output are off by up to %.2g of the largest kinetic "
            "energy%s; limit the step by max_step, or tighten the tolerances",
            share, off);
  return true;
}

static bool roundoff(const tn_sim *s, tn_run_fact *f) {
  double share, length;
  int body;
  if (!tn_scales_coarse(s, &body, &share, &length)) return false;
  *f =
      (tn_run_fact){.key = "roundoff", .value = share, .limit = ROUNDOFF_TRUSTED, .unit = "1", .severity = TN_DOUBTFUL};
  tn_format(
      f->sentence, sizeof f->sentence,
      "the place of body '%s' is known to %.2g m only, %.2g of its own motion: it is far from the origin; move the "
      "origin, or use relative coordinates",
      s->m->body[body].name, length, share);
  return true;
}

static bool unstable(const tn_sim *s, tn_run_fact *f) {
  const double growth = s->m->run.unstable_growth;
  if (!(growth > 0)) return false;
  *f = (tn_run_fact){.key = "unstable-gains", .value = growth, .limit = 1, .unit = "1", .severity = TN_DOUBTFUL};
  tn_format(f->sentence, sizeof f->sentence,
            "gains of the stabilizer are not stable at this step, which `allow_unstable` allows: a small violation is "
            "multiplied by %.4g a step",
            growth);
  return true;
}

static bool stopped(const tn_sim *s, tn_run_fact *f) {
  const tn_summary *sum = &s->summary;
  if (sum->status == TN_OK) return false;
  const bool by_user = sum->status == TN_E_STOPPED;
  *f = (tn_run_fact){
      .key = by_user ? "interrupted" : "stopped", .value = sum->t_end, .limit = s->m->run.until, .unit = "s"};
  f->severity = by_user ? TN_TRUSTED : TN_DOUBTFUL;
  tn_format(f->sentence, sizeof f->sentence, "%s at t = %.9g of %.9g s", by_user ? "interrupted" : "the run stopped",
            sum->t_end, s->m->run.until);
  return true;
}

/* the first two are there in every run */
static bool (*const facts[])(const tn_sim *, tn_run_fact *) = {
    contract, balance, stabilizer, forced,        branch,   crossing, stays,  closed,
    turns,    outputs, chattering, interpolation, roundoff, unstable, stopped};

bool tn_judged_fact(const tn_sim *s, int i, tn_run_fact *fact) {
  for (size_t k = 0; i >= 0 && k < sizeof facts / sizeof *facts; k++)
    if (facts[k](s, fact) && i-- == 0) return true;
  return false;
}

/* the worst of all, at the end of every call, which may be a step: the facts that every run has are judged without their words, which
 * take as long as a right-hand side; the others are there in few runs */
tn_run_verdict tn_verdict_of(const tn_sim *s) {
  tn_run_verdict worst = contract_severity(s);
  if (balance_severity(s) > worst) worst = balance_severity(s);
  tn_run_fact f;
  for (size_t k = 2; k < sizeof facts / sizeof *facts; k++)
    if (facts[k](s, &f) && f.severity > worst) worst = f.severity;
  return worst;
}

const char *tn_run_verdict_name(tn_run_verdict v) {
  return v == TN_TRUSTED ? "trusted" : v == TN_DOUBTFUL ? "doubtful" : "wrong";
}
