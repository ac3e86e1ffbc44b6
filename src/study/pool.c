/* jobs on all processors. without threads in the C library they are done one after another. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "study/study.h"

#include <unistd.h>

#ifndef __STDC_NO_THREADS__
#include <threads.h>
#endif

enum { MOST = 256 };

int tn_processors(void) {
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST ? MOST : (int)n;
}

#ifdef __STDC_NO_THREADS__
void tn_pool_lock(tn_pool *p) { (void)p; }
void tn_pool_unlock(tn_pool *p) { (void)p; }
bool tn_pool_run(int workers, int n, bool (*job)(tn_pool *, void *, int), void *user) {
  (void)workers;
  for (int i = 0; i < n; i++)
    if (!job(NULL, user, i)) return false;
  return true;
}
#else
struct tn_pool {
  mtx_t lock;
  int next, n;
  bool stop;
  bool (*job)(tn_pool *, void *, int);
  void *user;
};

void tn_pool_lock(tn_pool *p) { mtx_lock(&p->lock); }
void tn_pool_unlock(tn_pool *p) { mtx_unlock(&p->lock); }

static int work(void *pool) {
  tn_pool *p = pool;
  for (;;) {
    mtx_lock(&p->lock);
    const int i = p->stop ? p->n : p->next++;
    mtx_unlock(&p->lock);
    if (i >= p->n) return 0;
    if (p->job(p, p->user, i)) continue;
    mtx_lock(&p->lock);
    p->stop = true;
    mtx_unlock(&p->lock);
  }
}

bool tn_pool_run(int workers, int n, bool (*job)(tn_pool *, void *, int), void *user) {
  tn_pool p = {.n = n, .job = job, .user = user};
  thrd_t thread[MOST];
  int started = 0;
  if (workers < 1) workers = tn_processors();
  if (workers > MOST) workers = MOST;
  if (workers > n) workers = n;
  if (mtx_init(&p.lock, mtx_plain) != thrd_success) return false;
  for (; started < workers - 1; started++)
    if (thrd_create(&thread[started], work, &p) != thrd_success) break; /* fewer do it too */
  work(&p);
  for (int i = 0; i < started; i++) thrd_join(thread[i], NULL);
  mtx_destroy(&p.lock);
  return !p.stop;
}
#endif
