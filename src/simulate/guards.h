/* guards: event functions of a simulation, the discrete modes that they watch over, and what happens where one is
 * passed.
 *
 *   guards.c          states and transitions (the diagram); life; values of event functions
 *   guards_roots.c    where an event function falls below its threshold inside a candidate of a step
 *   guards_apply.c    at that time: other pieces of functions, in which order, and what follows from them
 *   guards_hold.c     hysteresis: held at the threshold by joints, sent back by what an event did, armed again
 *   guards_events.c   events: values of `when`, which are due, their actions, calls that ask for them
 *   guards_impulse.c  jumps of velocities and energies behind an action
 *   guards_outside.c  parameters and parts that the caller of the library changes
 *   guards_limits.c   what has no end: Zeno behavior, circles, switching to and fro; chattering
 *
 * Every piecewise function of a law, a driver or an event has a guard, and every event has one: its pieces are the
 * signs of `when`. The number of a guard is that of its switch in the model and in tn_switching, which holds the
 * piece and the margin. The margin is the event function: at least 0 inside the piece, 0 at the threshold. The step
 * sees guards through judge_guards.c alone. */
#ifndef TN_GUARDS_H
#define TN_GUARDS_H

#include "formulate/formulate.h"

/* the diagram is in guards.c. TN_GUARD_DUE is the last that a guard may have between two steps */
typedef enum tn_guard_state {
  TN_GUARD_OFF,       /* its law belongs to a part that is off: nobody evaluates it, its margin is infinite       */
  TN_GUARD_UNDECIDED, /* an event whose `when` has been 0 from the start: it has no side yet, its margin is infinite */
  TN_GUARD_ARMED,     /* a margin below 0 is a root                                                               */
  TN_GUARD_HELD,      /* joints hold its margin at the threshold: it counts again from `level` on                 */
  TN_GUARD_RETURNED,  /* sent back to where it came from: it counts at once, though the margin may be -0 by roundoff */
  TN_GUARD_DUE,       /* a root was found: the next step begins with the piece `to`                               */
  TN_GUARD_PASSED,    /* passed at the present time, where events still act                                       */
  TN_GUARD_SENT_BACK, /* likewise, and back on the side that it came from                                         */
  TN_GUARD_STATES
} tn_guard_state;

/* one guard. `state`, `from`, `to` and `level` are written by tn_guard_move and the functions beside it alone */
typedef struct tn_guard {
  tn_guard_state state;
  tn_guard_state
      from;      /* DUE: the state before, to which it goes back if the root is withdrawn                        */
  double to;     /* DUE: the piece behind the root; else 0                                                       */
  double level;  /* HELD, RETURNED, and DUE from these: the margin from which it counts again; else 0            */
  double noise;  /* what its margin changes by within the error of the state: guards_roots.c, where a root is sought */
  double span;   /* of an event: the largest margin where steps began: guards_hold.c                             */
  double last;   /* s: when its piece changed last, -INFINITY: never                                             */
  int event;     /* the event that it is, or -1. of the model                                                    */
  int part;      /* the joint or force whose law it is in, or -1. of the model                                   */
  bool of_joint; /* that part is a joint                                                                         */
  bool moved;    /* it has another piece since margins were last compared: guards_apply.c, 0 between steps       */
  bool fresh;    /* it has another piece since the step before began, whose margin says nothing of this one      */
  int idle;      /* changes in a row without progress of time: guards_limits.c                                   */
  int quick;     /* changes in a row soon after the last: guards_limits.c                                        */
  int logged;    /* lines in the log: guards_apply.c                                                             */
  int64_t at_step; /* steps taken when its piece changed last                                                      */
} tn_guard;

/* all guards. margins are numbers of guards in units of their event functions */
typedef struct tn_guards {
  tn_guard *guard;
  double *begin;             /* margins where the step begins: tn_guards_begin                                       */
  double *before, before_at; /* margins where the step before began, and when, s: likewise                           */
  double *near[2],
      near_at[2]; /* margins inside the attempt near a third and two thirds; at these shares, or INFINITY */
  double suspect; /* share of the attempt at which an evaluation was outside of a piece, or INFINITY      */
  int due;        /* guards that are DUE                                                                  */
  bool known;     /* pieces of the present state have been recorded                                       */
  bool applying;  /* what is due is being done: no state can be saved                                     */
} tn_guards;

/* what is done at one time. it lives as long as tn_guards_apply, its margins are scratch */
typedef struct tn_application {
  double *before, *behind; /* margins before the last action, and behind it                                       */
  double *wander;          /* what joints that hold a margin let it be off; 0: nothing holds it. tn_guards_wander */
  bool by_event;           /* events have acted: pieces follow what they set                                      */
  bool in_joint, in_law;   /* pieces of joints changed; of any law                                                */
} tn_application;

/* a root inside a candidate */
typedef enum tn_found {
  TN_FOUND_NONE,
  TN_FOUND_HERE, /* where the step begins: it was applied, and the step has to be made anew */
  TN_FOUND_INSIDE
} tn_found;
typedef struct tn_guard_root {
  tn_found found;
  double t;     /* s: where the candidate has to end            */
  int guard;    /* the first whose root that is                 */
  double slope; /* of its margin there, 1/s                     */
} tn_guard_root;

#define TN_NOISE 1e-3 /* of the error that the state may have: a margin that changes by less is nothing to switch at */

/* number i of a change in no direction in particular, of the size given */
static inline double tn_any_way(int i, double size) { return size * (0.75 + 0.25 * cos(i)) * (i % 2 ? -1 : 1); }

/* guards.c: memory, the start of a run, saving. after a state was read: whether it makes sense */
void tn_guards_carve(tn_sim *s, tn_carve *c, const tn_model *m);
void tn_guards_reset(tn_sim *s);
void tn_guards_keep(tn_sim *s, tn_keep *k);
bool tn_guards_read(tn_sim *s);
/* whether the diagram has that transition; its name */
bool tn_guard_may(tn_guard_state from, tn_guard_state to);
const char *tn_guard_word(tn_guard_state state);
/* the only ways from state to state. due: with the piece behind the root. held: from which margin on it counts again */
void tn_guard_move(tn_sim *s, int i, tn_guard_state to);
void tn_guard_due(tn_sim *s, int i, double piece);
void tn_guard_withdraw(tn_sim *s, int i);
void tn_guard_settle(tn_sim *s, int i, double level);
void tn_guards_withdraw(tn_sim *s);                             /* all that are DUE                       */
void tn_guards_part(tn_sim *s, bool joint, int part, bool off); /* laws of a part that is switched        */
/* whether a margin below 0 counts from where the step began; below which margin it is outside */
static inline bool tn_guard_counts(const tn_guard *g, double begin) {
  return begin >= g->level || g->state == TN_GUARD_RETURNED;
}
static inline double tn_guard_least(const tn_guard *g) { return fmax(g->noise, g->level); }
/* pieces: as in the step; those of the values; those of the side that the state is on; those of the values, and they
 * are stored */
void tn_pieces_hold(tn_sim *s);
void tn_pieces_live(tn_sim *s);
void tn_pieces_side(tn_sim *s);
tn_status tn_pieces_record(tn_sim *s);
/* margins at a state */
tn_status tn_guards_margins(tn_sim *s, double t, double *y, double *to);

/* guards_roots.c: an attempt begins; every evaluation of it */
void tn_guards_attempt(tn_sim *s);
void tn_guards_notice(tn_sim *s);
/* the first root in a candidate from the present state to `next` at t_end */
tn_status tn_guards_look(tn_sim *s, double t_end, tn_guard_root *root);
/* a candidate that ends at t: how far off the root is, s */
tn_status tn_guards_off(tn_sim *s, const tn_guard_root *root, double t, double *off);
/* `next` becomes the state that the integrator has inside the candidate, at t */
tn_status tn_guards_inside(tn_sim *s, double t_end, double t);

/* guards_apply.c: before a step; at the present state, all that are due */
tn_status tn_guards_begin(tn_sim *s);
tn_status tn_guards_apply(tn_sim *s);
/* those that are due where no step follows: all, or only if events are among them. a run that ends at the threshold
 * of a law or of a driver ends before it */
tn_status tn_guards_finish(tn_sim *s, bool all);
/* to another piece; pieces of laws whose operands an action has set */
tn_status tn_guard_change(tn_sim *s, int i, double piece, bool by_event);
tn_status tn_guards_laws_follow(tn_sim *s, tn_application *a);

/* guards_hold.c: what joints that hold a margin let it be off. guards that were passed and go back at once, to the
 * other piece. all that is applied is done. a step begins: those that have gone far enough are armed */
tn_status tn_guards_wander(tn_sim *s, double *wander);
tn_status tn_guards_send_back(tn_sim *s, tn_application *a, bool *some);
tn_status tn_guards_settle(tn_sim *s, double *wander);
void tn_guards_rearm(tn_sim *s);

/* guards_limits.c: the piece of guard i changes, event i is about to act: TN_E_RUN where that has no end. an event
 * changes no piece without end by itself: what it sets may come back as often as it acts */
tn_status tn_limit_changes(tn_sim *s, int i, bool by_event);
tn_status tn_limit_firings(tn_sim *s, int i);
bool tn_guard_chatters(tn_sim *s, int i);             /* from now on */
enum { TN_CHATTER_TIMES = 20, TN_CHATTER_STEPS = 2 }; /* changes in a row; steps in between */

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* what an event of the model has done. times are in s */
typedef struct tn_event_record {
  bool due;                  /* passed at the present time, and not yet done                       */
  int64_t count;             /* firings so far                                                     */
  double first, last;        /* of these, if there are any                                         */
  double lost;               /* energy that its impulses lost, J                                   */
  double apart, apart_first; /* between the last two; and between two before that became less      */
  int shorter;               /* how often in a row it became less                                  */
  int here;                  /* firings at `t_here`, of the later half of those that may be there  */
} tn_event_record;

/* one jump of velocities */
enum { TN_MOST_IMPULSES = 256 };
typedef struct tn_struck {
  int joint, event; /* event -1: from outside */
  double t, wrench[6], lost;
} tn_struck;

typedef struct tn_events {
  tn_event_record *record;
  double t_here;          /* s: time of the last firing                                                        */
  int64_t firings;        /* of all events at `t_here`                                                         */
  int ended;              /* event that ended the run, or -1                                                   */
  int undefined;          /* event whose `when` was not a number at the last evaluation, or -1                 */
  bool *touched;          /* joints: switched on, or with other parameters, and not yet in place               */
  bool stop_asked;        /* the receiver of a row wants the run to stop, when all that happens here is done   */
  bool uncounted;         /* joints were switched since the rank was counted                                   */
  bool changed, switched; /* what is being done has changed parameters or parts; has switched joints           */
  int impulses;           /* in the list                                                                       */
  tn_struck impulse[TN_MOST_IMPULSES];
} tn_events;

/* guards_events.c: margins of events as of pieces, where the system is; `solved`: accelerations are known there.
 * TN_E_RUN: `when` of one is not a number */
void tn_events_carve(tn_sim *s, tn_carve *c, const tn_model *m);
void tn_events_reset(tn_sim *s);
void tn_events_keep(tn_sim *s, tn_keep *k);
tn_status tn_events_margins(tn_sim *s, bool solved);
void tn_events_unknown(tn_sim *s); /* where nothing could be evaluated: margins that compare with nothing */
bool tn_events_decide(tn_sim *s);  /* those that were undecided and have left 0; false: none */
void tn_events_pass(tn_sim *s, int i, double to); /* event i has passed 0 to the side `to`: it is due   */
/* the next that is due behind number *at, in the order of the file and round about; *some: there was one */
tn_status tn_events_next(tn_sim *s, tn_application *a, int *at, bool *some);
tn_status tn_events_restart(tn_sim *s); /* velocities, accuracy and everything that remembers begins anew */
tn_status tn_event_refuse(tn_sim *s, int event, const char *format, ...) TN_PRINTF(3, 4); /* event -1: none */
void tn_event_switch(tn_sim *s, bool joint, int part, bool on);
void tn_event_touch_parameters(tn_sim *s);

/* guards_impulse.c: behind an action of an event (or of the caller: event -1, a NULL), where T + V was `before` */
tn_status tn_impulse_settle(tn_sim *s, tn_application *a, int event, double before);
tn_status tn_impulse_in_place(tn_sim *s, tn_application *a, int event);
void tn_impulse_untouch(tn_sim *s);

#endif
