/* where the runs of a sweep are made: in threads of this process. tenon-mpi has ../mpi/farm.c in its place. */
#include "cli.h"

const char *const tn_program = "tenon";

int tn_farm_begin(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

int tn_farm_end(int code) { return code; }

void tn_farm_version(void) {}

int tn_farm_rank(void) { return 0; }

bool tn_farm_jobs(const words *w, int *workers) { return (*workers = tn_jobs(w)) >= 0; }

void tn_farm_make(void *unused, const tn_sweep_work *work) { tn_sweep_threads(unused, work); }

void tn_farm_serve(const tn_sweep *sweep, const tn_error *error, tn_stop stop) {
  (void)sweep;
  (void)error;
  (void)stop;
}
