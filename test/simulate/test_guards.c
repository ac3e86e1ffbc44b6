/* states of guards: the diagram is that of its page, every transition happens in a run where it should, and no other one is possible. */
#include "docs/documents.h"
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the diagram -------------------------------------------------------------------------------------------------------- */

static int state_named(const char *word) {
  for (int i = 0; i < TN_GUARD_STATES; i++)
    if (strcmp(tn_guard_word((tn_guard_state)i), word) == 0) return i;
  return -1;
}

/* states in a cell of the table, `armed, held`, into list; their number, -1: something is no state */
static int states_in(const char *cell, size_t size, int *list) {
  char text[128];
  int n = 0;
  snprintf(text, sizeof text, "%.*s", (int)size, cell);
  for (char *at = text, *next; at; at = next) {
    if ((next = strchr(at, ','))) *next++ = '\0';
    while (*at == ' ') at++;
    for (char *end = at + strlen(at); end > at && end[-1] == ' ';) *--end = '\0';
    if ((list[n++] = state_named(at)) < 0) return -1;
  }
  return n;
}

TEST(the_page_has_the_transitions_of_the_code) {
  bool page[TN_GUARD_STATES][TN_GUARD_STATES] = {{false}};
  char *text = tn_read_source("docs/design/guards.md"), *at = text ? strstr(text, "| from | to | when |") : NULL;
  CHECK(at != NULL);
  if (!at) return;
  for (int line = 0; (at = strchr(at, '\n')) && at[1] == '|'; line++) {
    int from[TN_GUARD_STATES], to[TN_GUARD_STATES];
    const char *second = strchr(++at + 1, '|'), *third = second ? strchr(second + 1, '|') : NULL;
    if (line == 0) continue; /* |---| */
    CHECK(third != NULL);
    if (!third) return;
    const int n = states_in(at + 1, (size_t)(second - at) - 1, from),
              k = states_in(second + 1, (size_t)(third - second) - 1, to);
    if (n < 0 || k < 0) FAIL("no states: %.60s", at);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < k; j++) page[from[i]][to[j]] = true;
  }
  for (int i = 0; i < TN_GUARD_STATES; i++)
    for (int j = 0; j < TN_GUARD_STATES; j++)
      if (page[i][j] != tn_guard_may((tn_guard_state)i, (tn_guard_state)j))
        FAIL("%s -> %s: %s", tn_guard_word((tn_guard_state)i), tn_guard_word((tn_guard_state)j),
             page[i][j] ? "not in the code" : "not on the page");
  free(text);
}

/* ---- in runs ------------------------------------------------------------------------------------------------------------ */

/* a text with ' for " */
static bool made(build *b, const char *text) {
  char model[4096];
  snprintf(model, sizeof model, "%s", text);
  for (char *c = model; *c; c++)
    if (*c == '\'') *c = '"';
  build_new(b, 1);
  build_parse(b, model);
  if (!b->failed) build_simulate(b);
  if (b->failed) FAIL("%s", b->message);
  return !b->failed;
}

static int guard_of_event(const build *b, const char *name) {
  for (int i = 0; i < b->model->triggers; i++)
    if (strcmp(b->model->trigger[i].name, name) == 0) return b->model->trigger[i].slot;
  return -1;
}

static int guard_of_law(const build *b, const char *part) {
  for (int i = 0; i < b->model->switches; i++)
    if (strcmp(b->model->switched[i].name, part) == 0) return i;
  return -1;
}

/* states of one guard as they are seen behind every step and in every row, each once until it is another */
typedef struct trace {
  tn_sim *sim;
  int guard;
  char states[512];
  double level; /* the largest */
  bool refused; /* a state could not be saved while events act */
} trace;

static bool to_nowhere(void *user, const char *text, size_t size) {
  (void)user, (void)text, (void)size;
  return true;
}

static void see(trace *x) {
  const tn_guard *g = &x->sim->guards.guard[x->guard];
  const char *word = tn_guard_word(g->state);
  const size_t n = strlen(x->states), m = strlen(word);
  x->level = fmax(x->level, g->level);
  if (n >= m && strcmp(x->states + n - m, word) == 0) return;
  snprintf(x->states + n, sizeof x->states - n, "%s%s", n ? ", " : "", word);
}

static bool behind_a_step(void *user, double t) {
  (void)t;
  see(user);
  return true;
}

static tn_status at_a_row(void *user, double t, int n, const double *values) {
  trace *x = user;
  (void)t, (void)n, (void)values;
  see(x);
  if (x->sim->guards.guard[x->guard].state > TN_GUARD_DUE)
    x->refused = tn_sim_save(x->sim, to_nowhere, NULL, NULL) == TN_E_USAGE;
  return TN_OK;
}

static bool begins(const trace *x, const char *states) { return strncmp(x->states, states, strlen(states)) == 0; }

static void run(build *b, int guard, trace *x) {
  tn_error e;
  *x = (trace){.sim = b->sim, .guard = guard};
  CHECK(guard >= 0);
  if (guard < 0) return;
  tn_sim_watch(b->sim, behind_a_step, x);
  if (tn_sim_run(b->sim, at_a_row, x, &e) != TN_OK) FAIL("%s", e.message);
  CHECK(b->sim->guards.due == 0 || x->states[0]);
}

#define FREE                                                                                                           \
  "{'tenon': 1, 'dimension': 2, 'gravity': [0, 0], 'bodies': {'b': {'mass': 1, 'coordinates': 'point'}},"              \
  " 'start': {'b.vx': 1}, 'run': {'until': 1, 'every': 0.1}, "

TEST(a_law_takes_its_other_piece) {
  build b;
  trace x;
  if (!made(&b, FREE "'forces': {'f': {'type': 'force', 'on': 'b', 'value': ['if(b.x > 0.512, 1, 0)', 0]}}}")) return;
  run(&b, guard_of_law(&b, "f"), &x);
  if (strcmp(x.states, "armed, due, armed") != 0) FAIL("%s", x.states);
  build_free(&b);
}

TEST(an_event_is_passed_and_nothing_holds_it) {
  build b;
  trace x;
  if (!made(&b, FREE "'events': {'e': {'when': 'b.x - 0.512', 'do': 'record'}}}")) return;
  run(&b, guard_of_event(&b, "e"), &x);
  if (strcmp(x.states, "armed, due, passed, armed") != 0) FAIL("%s", x.states);
  CHECK(x.refused && x.level == 0);
  build_free(&b);
}

TEST(a_condition_is_jumped_over) {
  build b;
  trace x;
  if (!made(&b, FREE "'parameters': {'n': 0}, 'events': {'a': {'when': 't > 0.512', 'do': {'set': {'n': 2}}},"
                     " 'b': {'when': 'n > 1', 'do': 'record'}}}"))
    return;
  run(&b, guard_of_event(&b, "b"), &x);
  if (strcmp(x.states, "armed, passed, armed") != 0) FAIL("%s", x.states);
  CHECK(x.refused);
  build_free(&b);
}

TEST(joints_hold_an_event_and_let_it_go) {
  build b;
  trace x;
  if (!made(&b, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81],"
                " 'bodies': {'bob': {'mass': 1, 'inertia': 0.1, 'center': [0.5, -1]}},"
                " 'joints': {'pin': {'type': 'revolute', 'between': ['ground', 'bob'], 'at': [0, 0]},"
                "  'hold': {'type': 'driver', 'on': 'pin.angle', 'value': 0.25, 'active': false}},"
                " 'start': {'pin.rate': 4}, 'run': {'until': 2, 'every': 0.1},"
                " 'events': {'near': {'when': 'pin.angle - 0.25', 'direction': 'up', 'do': ['record', {'on': 'hold'}]},"
                "  'go': {'when': 't > 1.5', 'do': {'off': 'hold'}}}}"))
    return;
  run(&b, guard_of_event(&b, "near"), &x);
  if (!begins(&x, "armed, due, passed, held, ")) FAIL("%s", x.states);
  if (!strstr(x.states, "held, armed") && !strstr(x.states, "held, due")) FAIL("it was not let go: %s", x.states);
  CHECK(x.level > 0 && x.level < 1e-3);
  build_free(&b);
}

TEST(a_ball_is_sent_back) {
  build b;
  trace x;
  if (!made(&b, "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'parameters': {'y0': 0, 't0': 0, 'v': 0},"
                " 'bodies': {'ball': {'mass': 1, 'coordinates': 'point', 'position': [0, 1]}},"
                " 'joints': {'floor': {'type': 'driver', 'on': 'ball.y', 'value': 'y0 + v*(t - t0)', 'active': false}},"
                " 'run': {'until': 0.8, 'every': 0.1}, 'events': {'hit': {'when': 'ball.y', 'do': ['record',"
                " {'set': {'y0': 'ball.y', 't0': 't', 'v': 'abs(ball.vy)'}}, {'on': 'floor'}, {'off': 'floor'}]}}}"))
    return;
  run(&b, guard_of_event(&b, "hit"), &x);
  if (strcmp(x.states, "armed, due, passed, sent back, returned, armed") != 0) FAIL("%s", x.states);
  build_free(&b);
}

TEST(an_event_at_zero_has_no_side_until_it_leaves) {
  build b;
  trace x;
  if (!made(&b, FREE "'events': {'e': {'when': 'b.x'}}}")) return;
  run(&b, guard_of_event(&b, "e"), &x);
  if (strcmp(x.states, "armed, undecided, armed") != 0) FAIL("%s", x.states);
  build_free(&b);
}

TEST(a_law_of_a_part_that_is_off) {
  build b;
  trace x;
  if (!made(&b, FREE "'forces': {'f': {'type': 'force', 'on': 'b', 'active': false, 'value': ['abs(b.x - 9)', 0]}},"
                     " 'events': {'on': {'when': 't > 0.312', 'do': {'on': 'f'}},"
                     " 'off': {'when': 't > 0.612', 'do': {'off': 'f'}}}}"))
    return;
  run(&b, guard_of_law(&b, "f"), &x);
  if (strcmp(x.states, "off, armed, off") != 0) FAIL("%s", x.states);
  build_free(&b);
}

/* ---- by themselves ------------------------------------------------------------------------------------------------------ */

/* one event, guard 0, and one law, of a simulation that has started */
static bool pair(build *b, int *event, int *law) {
  tn_error e;
  if (!made(b, FREE "'events': {'e': {'when': 'b.x - 0.512'}},"
                    " 'forces': {'f': {'type': 'force', 'on': 'b', 'value': ['abs(b.x - 9)', 0]}}}"))
    return false;
  *event = guard_of_event(b, "e");
  *law = guard_of_law(b, "f");
  CHECK(tn_sim_advance(b->sim, 0.1, &e) == TN_OK && *event >= 0 && *law >= 0);
  return *event >= 0 && *law >= 0;
}

static void put(tn_sim *s, int i, tn_guard_state state) {
  tn_guard *g = &s->guards.guard[i];
  g->state = state;
  g->level = state == TN_GUARD_HELD || state == TN_GUARD_RETURNED ? 0.5 : 0;
  s->guards.due = state == TN_GUARD_DUE;
}

/* a root that is withdrawn leaves the guard as it was */
TEST(a_root_is_withdrawn) {
  static const tn_guard_state from[] = {TN_GUARD_ARMED, TN_GUARD_HELD, TN_GUARD_RETURNED};
  build b;
  int event, law;
  if (!pair(&b, &event, &law)) return;
  const tn_guard *g = &b.sim->guards.guard[event];
  for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
    put(b.sim, event, from[k]);
    const double level = g->level;
    tn_guard_due(b.sim, event, 1);
    CHECK(g->state == TN_GUARD_DUE && g->to == 1 && g->from == from[k] && g->level == level && b.sim->guards.due == 1);
    tn_guards_withdraw(b.sim);
    CHECK(g->state == from[k] && g->level == level && g->to == 0 && b.sim->guards.due == 0);
  }
  build_free(&b);
}

TEST(what_was_passed_is_settled) {
  build b;
  int event, law;
  if (!pair(&b, &event, &law)) return;
  const tn_guard *g = &b.sim->guards.guard[event];
  put(b.sim, event, TN_GUARD_PASSED);
  tn_guard_settle(b.sim, event, 0);
  CHECK(g->state == TN_GUARD_ARMED && g->level == 0);
  put(b.sim, event, TN_GUARD_PASSED);
  tn_guard_settle(b.sim, event, 0.25);
  CHECK(g->state == TN_GUARD_HELD && g->level == 0.25 && !tn_guard_counts(g, 0.2) && tn_guard_counts(g, 0.25));
  put(b.sim, event, TN_GUARD_SENT_BACK);
  tn_guard_settle(b.sim, event, 0.25);
  CHECK(g->state == TN_GUARD_RETURNED && g->level == 0.25 && tn_guard_counts(g, -1e-18));
  build_free(&b);
}

TEST(a_step_begins_and_guards_are_armed_again) {
  static const struct {
    tn_guard_state state;
    double level, begin;
    tn_guard_state then;
  } by[] = {{TN_GUARD_HELD, 0.5, 0.4, TN_GUARD_HELD},       {TN_GUARD_HELD, 0.5, 0.5, TN_GUARD_ARMED},
            {TN_GUARD_RETURNED, 0, -1e-18, TN_GUARD_ARMED}, {TN_GUARD_RETURNED, 0.5, 0.4, TN_GUARD_HELD},
            {TN_GUARD_RETURNED, 0.5, 0.6, TN_GUARD_ARMED},  {TN_GUARD_ARMED, 0, -1e-18, TN_GUARD_ARMED}};
  build b;
  int event, law;
  if (!pair(&b, &event, &law)) return;
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    tn_guard *g = &b.sim->guards.guard[event];
    put(b.sim, event, by[k].state);
    g->level = by[k].level;
    b.sim->guards.begin[event] = by[k].begin;
    tn_guards_rearm(b.sim);
    if (g->state != by[k].then || g->level != (by[k].then == TN_GUARD_HELD ? by[k].level : 0))
      FAIL("case %zu: %s", k, tn_guard_word(g->state));
  }
  build_free(&b);
}

TEST(sent_back_and_passed_again) {
  build b;
  int event, law;
  if (!pair(&b, &event, &law)) return;
  const tn_guard *g = &b.sim->guards.guard[event];
  put(b.sim, event, TN_GUARD_SENT_BACK);
  CHECK(tn_guard_change(b.sim, event, 1, false) == TN_OK && g->state == TN_GUARD_PASSED && g->fresh);
  CHECK(tn_guard_change(b.sim, event, -1, false) == TN_OK && g->state == TN_GUARD_PASSED);
  tn_guard_move(b.sim, event, TN_GUARD_SENT_BACK);
  CHECK(g->state == TN_GUARD_SENT_BACK);
  build_free(&b);
}

static bool asserts_are_on(void) {
  bool on = false;
  assert((on = true));
  return on;
}

/* in a process of its own: an assert ends it */
static bool aborts(tn_sim *s, int i, tn_guard_state to) {
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(2);
    tn_guard_move(s, i, to);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) abort();
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST(no_other_transition_is_possible) {
  build b;
  int event, law;
  if (!pair(&b, &event, &law)) return;
  for (int from = 0; from < TN_GUARD_STATES; from++)
    for (int to = 0; to < TN_GUARD_STATES; to++) {
      const bool may = tn_guard_may((tn_guard_state)from, (tn_guard_state)to);
      put(b.sim, event, (tn_guard_state)from);
      if (may) {
        tn_guard_move(b.sim, event, (tn_guard_state)to);
        CHECK((int)b.sim->guards.guard[event].state == to && b.sim->guards.due == (to == TN_GUARD_DUE));
      } else if (asserts_are_on() && !aborts(b.sim, event, (tn_guard_state)to)) {
        FAIL("%s -> %s was not caught", tn_guard_word((tn_guard_state)from), tn_guard_word((tn_guard_state)to));
      }
    }
  put(b.sim, law, TN_GUARD_DUE);
  if (asserts_are_on()) CHECK(aborts(b.sim, law, TN_GUARD_PASSED)); /* that is of events */
  build_free(&b);
}

/* ---- saved -------------------------------------------------------------------------------------------------------------- */

typedef struct bytes {
  char data[65536];
  size_t used;
} bytes;

static bool to_bytes(void *user, const char *text, size_t size) {
  bytes *b = user;
  if (b->used + size > sizeof b->data) return false;
  memcpy(b->data + b->used, text, size);
  b->used += size;
  return true;
}

/* a saved state whose guards no run leaves between two steps is refused */
TEST(states_that_make_no_sense_are_refused) {
  static const struct {
    bool law;
    tn_guard_state state;
    double level;
    bool good;
  } by[] = {
      {false, TN_GUARD_ARMED, 0, true},      {false, TN_GUARD_HELD, 0.5, true}, {false, TN_GUARD_RETURNED, 0, true},
      {false, TN_GUARD_ARMED, 0.5, false},   {false, TN_GUARD_HELD, 0, false},  {false, TN_GUARD_HELD, NAN, false},
      {false, TN_GUARD_UNDECIDED, 0, false}, {false, TN_GUARD_OFF, 0, false},   {true, TN_GUARD_ARMED, 0, true},
      {true, TN_GUARD_HELD, 0.5, false},     {true, TN_GUARD_OFF, 0, false},    {true, TN_GUARD_UNDECIDED, 0, false}};
  static bytes state;
  build b;
  int event, law;
  if (!pair(&b, &event, &law)) return;
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    tn_error e = {.status = TN_OK};
    const int i = by[k].law ? law : event;
    tn_guard *g = &b.sim->guards.guard[i];
    const tn_guard was = *g;
    state.used = 0;
    g->state = by[k].state;
    g->level = by[k].level;
    CHECK(tn_sim_save(b.sim, to_bytes, &state, &e) == TN_OK);
    const tn_status status = tn_sim_load(b.sim, state.data, state.used, &e);
    if (status != (by[k].good ? TN_OK : TN_E_IO)) FAIL("case %zu: %s", k, e.message);
    if (!by[k].good && !strstr(e.message, "its guards do not fit together")) FAIL("case %zu: %s", k, e.message);
    *g = was;
    b.sim->life.stopped = false;
  }
  build_free(&b);
}
