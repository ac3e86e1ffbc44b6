/* threads and what they wait for. where a platform has none (TN_THREADS 0) locks are nothing, no thread begins, and nobody may wait. */
#ifndef TN_THREADS_H
#define TN_THREADS_H

#include <stdbool.h>

#if TN_THREADS

#include <pthread.h>

typedef pthread_t tn_thread;
typedef pthread_mutex_t tn_lock;
typedef pthread_cond_t tn_condition;

static inline bool tn_thread_begin(tn_thread *t, void *(*work)(void *), void *user) {
  return pthread_create(t, NULL, work, user) == 0;
}
static inline void tn_thread_end(tn_thread t) { pthread_join(t, NULL); }
static inline bool tn_lock_make(tn_lock *l) { return pthread_mutex_init(l, NULL) == 0; }
static inline void tn_lock_free(tn_lock *l) { pthread_mutex_destroy(l); }
static inline void tn_lock_take(tn_lock *l) { pthread_mutex_lock(l); }
static inline void tn_lock_leave(tn_lock *l) { pthread_mutex_unlock(l); }
static inline bool tn_condition_make(tn_condition *s) { return pthread_cond_init(s, NULL) == 0; }
static inline void tn_condition_free(tn_condition *s) { pthread_cond_destroy(s); }
static inline void tn_condition_send(tn_condition *s) { pthread_cond_signal(s); }
static inline void tn_condition_wait(tn_condition *s, tn_lock *l) { pthread_cond_wait(s, l); }

#else

#include <assert.h>

typedef char tn_thread, tn_lock, tn_condition;

static inline bool tn_thread_begin(tn_thread *t, void *(*work)(void *), void *user) {
  (void)t, (void)work, (void)user;
  return false;
}
static inline void tn_thread_end(tn_thread t) { (void)t; }
static inline bool tn_lock_make(tn_lock *l) { return *l = 0, true; }
static inline void tn_lock_free(tn_lock *l) { (void)l; }
static inline void tn_lock_take(tn_lock *l) { (void)l; }
static inline void tn_lock_leave(tn_lock *l) { (void)l; }
static inline bool tn_condition_make(tn_condition *s) { return *s = 0, true; }
static inline void tn_condition_free(tn_condition *s) { (void)s; }
static inline void tn_condition_send(tn_condition *s) { (void)s; }
static inline void tn_condition_wait(tn_condition *s, tn_lock *l) {
  (void)s, (void)l;
  assert(0 && "nobody is there who would end the wait");
}

#endif
#endif
