/* what a second run says of the first, as members of its JSON object and as lines of its summary. */
#include "study/study.h"

enum { MOST_LINES = 24 };

static const char *const growths[] = {"unknown", "power", "exponential"};

static void json_output(tn_json *j, const tn_verify_output *o) {
  tn_json_open(j, NULL, "{-");
  tn_json_text(j, "name", o->name);
  if (*o->unit)
    tn_json_text(j, "unit", o->unit);
  else
    tn_json_null(j, "unit", NULL);
  tn_json_real(j, "range", o->range);
  if (isnan(o->time)) {
    tn_json_null(j, "difference", "no row has a finite number in both runs");
  } else {
    tn_json_real(j, "difference", o->difference);
    tn_json_real(j, "time", o->time);
    tn_json_real(j, "difference_end", o->difference_end);
    if (isnan(o->scale))
      tn_json_null(j, "relative", "it is constant but for errors");
    else
      tn_json_real(j, "relative", o->relative);
  }
  if (isfinite(o->error)) {
    tn_json_real(j, "error", o->error);
    tn_json_real(j, "error_end", o->error_end);
    if (isfinite(o->error_relative)) tn_json_real(j, "error_relative", o->error_relative);
  }
  tn_json_whole(j, "rows_at_jumps", o->rows_at_jumps);
  if (o->rows_at_jumps) tn_json_real(j, "difference_at_jumps", o->difference_at_jumps);
  tn_json_whole(j, "not_finite", o->not_finite);
  tn_json_whole(j, "finite_in_one_run", o->one_finite);
  tn_json_close(j);
}

static void json_events(tn_json *j, const tn_verify *v) {
  tn_verify_event e;
  tn_json_open(j, "events", "[");
  for (int i = 0; tn_verify_event_at(v, i, &e); i++) {
    tn_json_open(j, NULL, "{-");
    tn_json_text(j, "event", e.event);
    tn_json_whole(j, "count", e.count);
    tn_json_whole(j, "count_second", e.count_second);
    if (isnan(e.difference)) {
      tn_json_null(j, "difference", "it did not happen in both runs");
    } else {
      tn_json_real(j, "difference", e.difference);
      tn_json_real(j, "time", e.time);
      tn_json_whole(j, "number", e.number);
      tn_json_real(j, "difference_end", e.difference_end);
    }
    tn_json_close(j);
  }
  tn_json_close(j);
  tn_json_bool(j, "events_differ", v->summary.events_differ);
}

void tn_verify_json(const void *verify, tn_json *j) {
  const tn_verify *v = verify;
  const tn_verify_summary *r = &v->summary;
  tn_verify_output o;
  tn_json_open(j, "verify", "{");
  if (isnan(r->step)) {
    tn_json_real(j, "rtol", r->rtol);
    if (isnan(r->atol))
      tn_json_null(j, "atol", "not given");
    else
      tn_json_real(j, "atol", r->atol);
  } else {
    tn_json_real(j, "step", r->step);
  }
  if (isnan(r->factor))
    tn_json_null(j, "factor", "the tolerances of the run leave no digits for tighter ones");
  else
    tn_json_real(j, "factor", r->factor);
  tn_json_text(j, "status", r->status == TN_OK ? "done" : r->status == TN_E_STOPPED ? "interrupted" : "stopped");
  tn_json_text(j, "message", r->message);
  tn_json_real(j, "t_end", r->t_end);
  if (r->steps) {
    tn_json_whole(j, "steps", r->steps);
    tn_json_whole(j, "rhs", r->rhs);
  }
  tn_json_real(j, "cpu_seconds", r->cpu_seconds);
  tn_json_bool(j, "complete", r->complete);
  tn_json_whole(j, "rows", r->rows);
  if (r->rows) {
    tn_json_real(j, "from", r->from);
    tn_json_real(j, "until", r->until);
    tn_json_real(j, "threshold", r->threshold);
    tn_json_real(j, "predictable_until", r->predictable_until);
    tn_json_bool(j, "predictable", r->predictable);
    if (r->limited_by >= 0) tn_json_text(j, "limited_by", v->differences.output[r->limited_by].name);
    tn_json_text(j, "growth", growths[r->growth]);
    if (r->growth == TN_GROWTH_EXPONENTIAL) tn_json_real(j, "folding_time", r->folding_time);
    if (r->growth == TN_GROWTH_POWER) tn_json_real(j, "exponent", r->exponent);
  } else {
    tn_json_null(j, "predictable_until", "no row of both runs could be compared");
  }
  tn_json_open(j, "outputs", "[");
  for (int i = 0; tn_verify_output_at(v, i, &o); i++) json_output(j, &o);
  tn_json_close(j);
  json_events(j, v);
  tn_json_close(j);
}

/* ---- for people ------------------------------------------------------------------------------------------------------------- */

/* in the order of the model; of very many those with the largest relative error */
static bool is_listed(const tn_verify *v, int which) {
  tn_verify_output o, other;
  int before = 0;
  tn_verify_output_at(v, which, &o);
  if (v->differences.n <= MOST_LINES) return true;
  const double mine = isnan(o.relative) ? -1 : o.relative;
  for (int i = 0; tn_verify_output_at(v, i, &other) && before < MOST_LINES; i++) {
    const double its = isnan(other.relative) ? -1 : other.relative;
    before += its > mine || (its == mine && i < which);
  }
  return before < MOST_LINES;
}

static void text_output(tn_printer *p, const tn_verify_output *o) {
  tn_put(p, "    %-16s ", o->name);
  if (isnan(o->time)) {
    tn_put(p, "not compared: no row has a finite number in both runs\n");
    return;
  }
  const char *blank = *o->unit ? " " : "";
  tn_put(p, "%.2e%s%s at t = %.6g s", o->difference, blank, o->unit, o->time);
  if (isnan(o->scale))
    tn_put(p, o->difference > 0 ? ", constant but for errors" : ", constant");
  else
    tn_put(p, ", %.1e of its scale", o->relative);
  tn_put(p, "; at the end %.2e%s%s", o->difference_end, blank, o->unit);
  if (isfinite(o->error)) tn_put(p, "; error about %.1e%s%s", o->error, blank, o->unit);
  if (o->rows_at_jumps)
    tn_put(p, "; left out: %" PRId64 " row%s between the jumps of both runs", o->rows_at_jumps, TN_S(o->rows_at_jumps));
  if (o->not_finite) tn_put(p, "; %" PRId64 " row%s not finite", o->not_finite, TN_S(o->not_finite));
  if (o->one_finite) tn_put(p, ", %" PRId64 " of them in one run only", o->one_finite);
  tn_put(p, "\n");
}

static void text_events(tn_printer *p, const tn_verify *v) {
  tn_verify_event e;
  int listed = 0, more = 0;
  for (int i = 0; tn_verify_event_at(v, i, &e); i++) {
    if (!e.count && !e.count_second) continue;
    if (e.count == e.count_second && listed >= MOST_LINES) {
      more++;
      continue;
    }
    listed++;
    tn_put(p, "    event '%s': ", e.event);
    if (e.count != e.count_second)
      tn_put(p, "%" PRId64 " time%s, in the second run %" PRId64 "%s", e.count, TN_S(e.count), e.count_second,
             isnan(e.difference) ? "" : "; ");
    if (!isnan(e.difference))
      tn_put(p, "times differ by up to %.2e s (number %" PRId64 ", t = %.6g s), the last by %.2e s", e.difference,
             e.number, e.time, e.difference_end);
    tn_put(p, "\n");
  }
  if (more) tn_put(p, "    and %d other event%s (--json lists them)\n", more, TN_S(more));
}

/* the largest estimated error of any output, relative to its scale; -1: there is none */
static int worst(const tn_verify *v) {
  tn_verify_output o;
  double most = -1;
  int which = -1;
  for (int i = 0; tn_verify_output_at(v, i, &o); i++)
    if (o.relative > most) most = o.relative, which = i;
  return which;
}

static void text_growth(tn_printer *p, const tn_verify *v) {
  const tn_verify_summary *r = &v->summary;
  const double percent = 100 * r->threshold;
  tn_verify_output o;
  const int which = worst(v);
  if (!r->predictable)
    tn_put(p, "  %s up to t = %.6g s: behind it output '%s' is off by more than %g %% of its scale\n",
           r->growth == TN_GROWTH_EXPONENTIAL ? "predictable" : "accurate", r->predictable_until,
           v->differences.output[r->limited_by].name, percent);
  else if (which >= 0 && tn_verify_output_at(v, which, &o))
    tn_put(p, "  verified: errors of outputs are about %.1e of their scale at most ('%s')\n",
           isnan(o.error_relative) ? o.relative : o.error_relative, o.name);
  if (r->growth == TN_GROWTH_EXPONENTIAL)
    tn_put(p, "  differences grow exponentially, e-fold in %.3g s: the motion is chaotic or unstable\n",
           r->folding_time);
  else if (r->growth == TN_GROWTH_POWER && r->exponent > 0.5)
    tn_put(p, "  differences grow as t^%.1f%s\n", r->exponent,
           r->exponent > 0.8 && r->exponent < 2.5 ? ", as the phase of a periodic motion does" : "");
}

tn_status tn_verify_text(const void *verify, tn_write write, void *user) {
  const tn_verify *v = verify;
  const tn_verify_summary *r = &v->summary;
  tn_printer printer = {write, user, false}, *p = &printer;
  tn_verify_output o;
  int left_out = 0;
  if (r->rows) text_growth(p, v);
  if (isnan(r->step)) tn_put(p, "  second run, rtol %.3g", r->rtol);
  if (isnan(r->step) && !isnan(r->atol)) tn_put(p, ", atol %.3g", r->atol);
  if (isnan(r->step))
    tn_put(p, ": ");
  else
    tn_put(p, "  second run, step %.6g s: ", r->step);
  if (r->steps) tn_put(p, "%" PRId64 " steps, ", r->steps);
  tn_put(p, "%.3g s of CPU; %" PRId64 " row%s compared", r->cpu_seconds, r->rows, TN_S(r->rows));
  if (r->rows && r->from > v->sim->stepper.t0) tn_put(p, ", from t = %.6g s on, where the run was resumed", r->from);
  tn_put(p, "\n");
  if (r->rows && v->first->summary.t_end > r->until && !r->complete)
    tn_put(p, "  not verified behind t = %.6g s\n", r->until);
  if (r->status == TN_E_RUN || r->status == TN_E_MODEL) tn_put(p, "  the second run stopped: %s\n", r->message);
  if (v->first->summary.status == TN_E_RUN && r->status != TN_E_RUN)
    tn_put(p, "  the second run went on where this one stopped\n");
  if (v->no_memory) tn_put(p, "  there was no memory to compare all of it\n");
  if (isnan(r->factor))
    tn_put(p, "  the tolerances leave no digits for a tighter run: both have about the same error\n");
  else if (r->rows && r->steps && r->steps <= v->first->summary.steps && isnan(r->step))
    tn_put(p, "  the second run made no more steps than the first: the difference may be less than the error\n");
  if (r->rows) tn_put(p, "  largest difference of every output:\n");
  for (int i = 0; r->rows && tn_verify_output_at(v, i, &o); i++)
    if (is_listed(v, i))
      text_output(p, &o);
    else
      left_out++;
  if (left_out) tn_put(p, "    and %d outputs with smaller ones (--json lists them)\n", left_out);
  text_events(p, v);
  return p->failed ? TN_E_IO : TN_OK;
}
