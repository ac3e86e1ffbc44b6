/* soak: mechanisms, kills, resumes and injected faults in a loop, through the command line and the files that docs/results.md names.
 *
 *   soak.c     the rounds, the workers, the summary          child.c   one command: faults, kills, time limits
 *   files.c    results compared: rows, blocks, summaries     faults.c  the library that injects faults
 * SPDX-License-Identifier: MIT */
#ifndef TN_SOAK_H
#define TN_SOAK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct soak_setup {
  const char *program, *faults; /* tenon; the library that injects faults, or NULL */
} soak_setup;

/* ---- child.c -------------------------------------------------------------------------------------------------------------- */

/* how a command ends early: nothing, a signal after so many seconds, or a fault by the library */
typedef struct soak_early {
  int signal;     /* 0: none */
  double after;   /* s */
  char fault[48]; /* TENON_FAULT; empty: none */
} soak_early;

typedef struct soak_end {
  int code;        /* exit code, or 128 and the signal */
  bool hung;       /* it was ended after the time limit */
  double seconds;  /* of the clock */
  long calls;      /* that the library counted; -1: not told */
  char words[512]; /* the begin of standard error */
} soak_end;

/* runs `tenon` with these words, NULL ends them, for at most `limit` seconds */
soak_end soak_run(const soak_setup *setup, const soak_early *early, double limit, const char *const *words);
double soak_seconds(void);

/* ---- files.c -------------------------------------------------------------------------------------------------------------- */

bool soak_exists(const char *path);
/* all of a file, with a 0 behind it, to be freed; NULL: it is not there */
unsigned char *soak_read(const char *path, size_t *size);
bool soak_write(const char *path, const void *data, size_t size);
/* the same bytes; of results but for the times of clocks in the summary. `why` gets words if not */
bool soak_same(const char *a, const char *b, char why[256]);
/* every whole block of rows and motion in `part`, a result that may be cut off, is in the whole result as well */
bool soak_begins(const char *part, const char *whole, char why[256]);
/* a result with a summary at its end */
bool soak_is_whole(const char *path);

#endif
