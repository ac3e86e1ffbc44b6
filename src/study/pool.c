/* jobs on all processors. */
#define _POSIX_C_SOURCE 200809L /* sysconf, pthreads */
#include "study/study.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST = 256 };

struct tn_pool {
  pthread_mutex_t lock;
  int next, n;
  bool stop;
  bool (*job)(tn_pool *, void *, int);
  void *user;
};

int tn_processors(void) {
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST ? MOST : (int)n;
}

void tn_pool_lock(tn_pool *p) { pthread_mutex_lock(&p->lock); }
void tn_pool_unlock(tn_pool *p) { pthread_mutex_unlock(&p->lock); }

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
  pthread_t thread[MOST];
  int started = 0;
  if (workers < 1) workers = tn_processors();
  if (workers > MOST) workers = MOST;
  if (workers > n) workers = n;
  if (pthread_mutex_init(&p.lock, NULL) != 0) return false;
  for (; started < workers - 1; started++)
    if (pthread_create(&thread[started], NULL, work, &p) != 0) break; /* fewer do it too */
  work(&p);
  for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&p.lock);
  return !p.stop;
}
