/* threads and what they wait for. where a platform has none (TN_THREADS 0) locks are nothing, no thread begins, and nobody may wait. */
#ifndef TN_THREADS_H
#define TN_THREADS_H

#include <stdbool.h>

#if TN_THREADS && defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <process.h>
#include <stdlib.h>
#include <windows.h>

typedef HANDLE tn_thread;
typedef SRWLOCK tn_lock;
typedef CONDITION_VARIABLE tn_condition;

/* what a thread is to do, until it has begun */
typedef struct tn_thread_work {
  void *(*work)(void *);
  void *user;
} tn_thread_work;

static inline unsigned __stdcall tn_thread_main(void *begun) {
  const tn_thread_work w = *(tn_thread_work *)begun;
  free(begun);
  w.work(w.user);
  return 0;
}
static inline bool tn_thread_begin(tn_thread *t, void *(*work)(void *), void *user) {
  tn_thread_work *w = malloc(sizeof *w);
  if (!w) return false;
  *w = (tn_thread_work){work, user};
  *t = (HANDLE)_beginthreadex(NULL, 0, tn_thread_main, w, 0, NULL);
  if (!*t) free(w);
  return *t != NULL;
}
static inline void tn_thread_end(tn_thread t) {
  WaitForSingleObject(t, INFINITE);
  CloseHandle(t);
}
static inline bool tn_lock_make(tn_lock *l) { return InitializeSRWLock(l), true; }
static inline void tn_lock_free(tn_lock *l) { (void)l; }
static inline void tn_lock_take(tn_lock *l) { AcquireSRWLockExclusive(l); }
static inline void tn_lock_leave(tn_lock *l) { ReleaseSRWLockExclusive(l); }
static inline bool tn_condition_make(tn_condition *s) { return InitializeConditionVariable(s), true; }
static inline void tn_condition_free(tn_condition *s) { (void)s; }
static inline void tn_condition_send(tn_condition *s) { WakeConditionVariable(s); }
static inline void tn_condition_wait(tn_condition *s, tn_lock *l) { SleepConditionVariableSRW(s, l, INFINITE, 0); }

#elif TN_THREADS

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
