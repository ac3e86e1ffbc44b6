/* one command of the program: started, disturbed, waited for.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "soak.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char COUNT[] = "calls.count", WORDS[] = "words.txt";

double soak_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(const soak_setup *setup, const soak_early *early, const char *const *words) {
  const char *all[40] = {setup->program};
  int n = 1;
  while (words[n - 1] && n < 39) all[n] = words[n - 1], n++;
  all[n] = NULL;
  const int to = open(WORDS, O_WRONLY | O_CREAT | O_TRUNC, 0644), nowhere = open("/dev/null", O_RDWR);
  if (to < 0 || nowhere < 0 || dup2(nowhere, 0) < 0 || dup2(nowhere, 1) < 0 || dup2(to, 2) < 0) _exit(98);
  if (early->fault[0] && setup->faults) {
    setenv("LD_PRELOAD", setup->faults, 1);
    setenv("TENON_FAULT", early->fault, 1);
    setenv("TENON_FAULT_COUNT", COUNT, 1);
  }
  execv(setup->program, (char *const *)(uintptr_t)all);
  _exit(97);
}

static void wait_until(double when) {
  const double left = when - soak_seconds();
  if (left <= 0) return;
  const struct timespec t = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
  nanosleep(&t, NULL);
}

/* whether it has ended by then; SIGCHLD is not used: a poll of a millisecond is enough */
static bool ended(pid_t pid, double when, int *status) {
  for (;;) {
    const pid_t found = waitpid(pid, status, WNOHANG);
    if (found == pid) return true;
    if (found < 0 && errno != EINTR) return *status = 0, true;
    const double now = soak_seconds();
    if (now >= when) return false;
    wait_until(now + 1e-3 < when ? now + 1e-3 : when);
  }
}

soak_end soak_run(const soak_setup *setup, const soak_early *early, double limit, const char *const *words) {
  static const soak_early never;
  soak_end e = {.calls = -1};
  int status = 0;
  if (!early) early = &never;
  unlink(COUNT);
  const double began = soak_seconds();
  const pid_t pid = fork();
  if (pid == 0) become(setup, early, words);
  if (pid < 0) return e.code = 96, e;
  bool over = early->signal && ended(pid, began + early->after, &status);
  if (early->signal && !over) kill(pid, early->signal);
  if (!over && !ended(pid, began + limit, &status)) {
    e.hung = true;
    kill(pid, SIGKILL);
    ended(pid, soak_seconds() + 60, &status);
  }
  e.seconds = soak_seconds() - began;
  e.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  size_t n;
  unsigned char *text = soak_read(COUNT, &n);
  if (text) e.calls = atol((const char *)text);
  free(text);
  text = soak_read(WORDS, &n);
  if (text) snprintf(e.words, sizeof e.words, "%.500s", (const char *)text);
  free(text);
  return e;
}
