/* jobs on all processors; without threads one after the other. */
#define _POSIX_C_SOURCE 200809L /* sysconf, pthreads */
#include "study/study.h"
#include "study/threads.h"

#include <unistd.h>

enum { MOST = 256 };

struct tn_pool {
  tn_lock lock;
  int next, n;
  bool stop;
  bool (*job)(tn_pool *, void *, int);
  void *user;
};

int tn_processors(void) {
#if TN_THREADS && defined(_WIN32)
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  const long n = (long)system.dwNumberOfProcessors;
  return n < 1 ? 1 : n > MOST ? MOST : (int)n;
#elif TN_THREADS
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST ? MOST : (int)n;
#else
  return 1;
#endif
}

void tn_pool_lock(tn_pool *p) { tn_lock_take(&p->lock); }
void tn_pool_unlock(tn_pool *p) { tn_lock_leave(&p->lock); }

static void *work(void *pool) {
  tn_pool *p = pool;
  for (;;) {
    tn_pool_lock(p);
    const int i = p->stop ? p->n : p->next++;
    tn_pool_unlock(p);
    if (i >= p->n) return NULL;
    if (p->job(p, p->user, i)) continue;
    tn_pool_lock(p);
    p->stop = true;
    tn_pool_unlock(p);
  }
}

bool tn_pool_run(int workers, int n, bool (*job)(tn_pool *, void *, int), void *user) {
  tn_pool p = {.n = n, .job = job, .user = user};
  tn_thread thread[MOST];
  int started = 0;
  if (workers < 1) workers = tn_processors();
  if (workers > MOST) workers = MOST;
  if (workers > n) workers = n;
  if (!tn_lock_make(&p.lock)) return false;
  for (; started < workers - 1; started++)
    if (!tn_thread_begin(&thread[started], work, &p)) break; /* fewer do it too */
  work(&p);
  for (int i = 0; i < started; i++) tn_thread_end(thread[i]);
  tn_lock_free(&p.lock);
  return !p.stop;
}
