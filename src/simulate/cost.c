/* CPU time of the calls that start, set or move a simulation, and of their parts.
 *
 * a clock of the processor takes as long to read as the right-hand side of a small model: it is read twice a call. the parts of a call
 * are measured by the wall clock, which is quick to read and goes on while others have the processor; so that all times of a summary
 * are of one kind, the CPU time is shared out: cpu_part = cpu wall_part / wall.
 *
 * even the wall clock, read some fifty times a step, took a fifteenth of the time of small models. so parts are measured outside of
 * steps, in the first FIRST steps and in one of EVERY that follow. in the others nothing is read but the clock where they begin and
 * end, and their time is shared out as in the steps that were measured so far:
 *   part = measured part + skipped time (part in measured steps)/(time of measured steps)
 * so parts never add up to more than the whole. tried: parts of measured steps times the number of steps; one step that loses the
 * processor in between then counts EVERY times. */
#include "simulate/simulate.h"

enum { FIRST = 16, EVERY = 64 };

/* the stretch under way ends, and another begins */
static void next_stretch(tn_sim *s, int stretch) {
  tn_cost *c = &s->log.cost;
  tn_profile *p = &s->solver.profile;
  const double now = tn_clock(), length = now - c->since;
  p->readings++;
  if (c->stretch == TN_STRETCH_SKIPPED) c->skipped += length;
  if (c->stretch == TN_STRETCH_MEASURED) {
    c->measured += length;
    for (int i = 0; i < TN_TIMES; i++) c->in[i] += p->time[i] - c->before[i];
  }
  memcpy(c->before, p->time, sizeof c->before);
  c->since = now;
  c->stretch = (unsigned)stretch;
  p->on = stretch != TN_STRETCH_SKIPPED;
}

void tn_cost_begin(tn_sim *s) {
  tn_cost *c = &s->log.cost;
  c->cpu_began = tn_cpu_clock();
  c->stretch = TN_STRETCH_OUTSIDE;
  next_stretch(s, TN_STRETCH_OUTSIDE);
  c->wall_began = c->since;
  c->skipped = 0;
  memcpy(c->at_call, c->before, sizeof c->at_call);
}

void tn_cost_step(tn_sim *s) {
  tn_cost *c = &s->log.cost;
  const int64_t k = c->steps++;
  const int stretch = k < FIRST || (k - FIRST) % EVERY == 0 ? TN_STRETCH_MEASURED : TN_STRETCH_SKIPPED;
  if (stretch != (int)c->stretch) next_stretch(s, stretch);
}

void tn_cost_end(tn_sim *s) {
  tn_cost *c = &s->log.cost;
  next_stretch(s, TN_STRETCH_OUTSIDE);
  s->solver.profile.on = false;
  c->cpu += tn_cpu_clock() - c->cpu_began;
  c->wall += c->since - c->wall_began;
  for (int i = 0; i < TN_TIMES; i++)
    c->part[i] += c->before[i] - c->at_call[i] + (c->measured > 0 ? c->skipped * c->in[i] / c->measured : 0);
}

void tn_cost_report(tn_sim *s) {
  const tn_cost *c = &s->log.cost;
  const double share = c->wall > 0 ? c->cpu / c->wall : 0;
  s->summary.cpu_seconds = c->cpu;
  s->summary.cpu_assemble = share * c->part[TN_TIME_ASSEMBLE];
  s->summary.cpu_solve = share * c->part[TN_TIME_SOLVE];
  s->summary.cpu_project = share * fmax(c->part[TN_TIME_PROJECT], 0); /* differences of clocks */
}
