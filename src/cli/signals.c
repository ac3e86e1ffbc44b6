/* Ctrl-C, SIGTERM and SIGHUP (a lost connection): the first one is for the work to end well, a second Ctrl-C or SIGTERM
 * ends it at once. */
#include "cli.h"

#include <signal.h>

static volatile sig_atomic_t caught;

static void on_signal(int number) { caught = number; }

int tn_caught(void) { return (int)caught; }

void tn_catch_signals(void) {
  /* a write that waits for a slow reader goes on: what is handed over is whole rows */
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (int i = 0; i < 3; i++) {
    struct sigaction old;
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue; /* as nohup wants it */
    /* of a lost connection kernel and shell tell one after the other: the second is not somebody who has no patience */
    action.sa_flags = signals[i] == SIGHUP ? SA_RESTART : (int)SA_RESETHAND | SA_RESTART;
    sigaction(signals[i], &action, NULL);
  }
}
