/* processor time of the thread that asks, s: runs in other threads do not count. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "base/base.h"

#include <time.h>

double tn_cpu_clock(void) {
#ifdef CLOCK_THREAD_CPUTIME_ID
  struct timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 || clock_gettime(CLOCK_MONOTONIC, &now) == 0)
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  return 0;
#else
  return (double)clock() / CLOCKS_PER_SEC;
#endif
}
