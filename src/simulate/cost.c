/* CPU time of the calls that start, set or move a simulation, and of their parts.
 *
 * a clock of the processor takes as long to read as the right-hand side of a small model: it is read twice a call. the parts of a call are
 * measured by the wall clock, which is quick to read and goes on while others have the processor; so that all times of a summary are of
 * one kind, the CPU time is shared out: cpu_part = cpu wall_part / wall. */
#include "simulate/simulate.h"

static tn_spent now(const tn_sim *s) {
  return (tn_spent){.cpu = tn_cpu_clock(),
                    .wall = tn_clock(),
                    .assemble = s->solver.time_assemble,
                    .solve = s->solver.time_solve,
                    .project = s->log.time_project};
}

void tn_cost_begin(tn_sim *s) { s->log.began = now(s); }

void tn_cost_end(tn_sim *s) {
  const tn_spent end = now(s), *from = &s->log.began;
  tn_spent *sum = &s->log.spent;
  sum->cpu += end.cpu - from->cpu;
  sum->wall += end.wall - from->wall;
  sum->assemble += end.assemble - from->assemble;
  sum->solve += end.solve - from->solve;
  sum->project += end.project - from->project;
}

void tn_cost_report(tn_sim *s) {
  const tn_spent *x = &s->log.spent;
  const double share = x->wall > 0 ? x->cpu / x->wall : 0;
  s->summary.cpu_seconds = x->cpu;
  s->summary.cpu_assemble = share * x->assemble;
  s->summary.cpu_solve = share * x->solve;
  s->summary.cpu_project = share * fmax(x->project, 0); /* differences of clocks */
}
