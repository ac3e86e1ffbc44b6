/* the summary: as JSON that the library itself can read, and for people. */
#include "simulate/simulate.h"
#include "support/build.h"
#include "test.h"

typedef struct page {
  char text[60000];
  size_t used;
  long calls, fail; /* the call number `fail` is refused */
} page;

static page paper;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (++p->calls == p->fail || p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static const char *report_text(build *b, const char *name) {
  paper = (page){.used = 0};
  CHECK(tn_report_text(b->sim, name, to_page, &paper) == TN_OK);
  return paper.text;
}

/* the report read back; the description must be freed */
static tn_desc *read_back(build *b, const char *name) {
  tn_desc *d = NULL;
  tn_error e;
  paper = (page){.used = 0};
  CHECK(tn_report_json(b->sim, name, to_page, &paper) == TN_OK);
  if (tn_desc_new(NULL, &d, &e)) abort();
  const tn_status status = tn_desc_parse(d, "report", paper.text, paper.used, &e);
  if (status) printf("%s at %d:%d\n", e.message, e.line, e.column);
  CHECK(status == TN_OK);
  return d;
}

static const tn_node *member(const tn_desc *d, const char *key) {
  const tn_node *node = tn_node_get(d->root, key);
  static const tn_node none = {.kind = TN_NODE_NULL, .text = ""};
  if (!node) printf("no \"%s\"\n", key);
  CHECK(node != NULL);
  return node ? node : &none;
}

static void check_number(const tn_desc *d, const char *key, double value) {
  const tn_node *n = member(d, key);
  CHECK(n->kind == TN_NODE_NUMBER && n->number == value); /* all digits */
}

static void check_word(const tn_desc *d, const char *key, const char *text) {
  const tn_node *n = member(d, key);
  CHECK(n->kind == TN_NODE_TEXT);
  if (n->kind == TN_NODE_TEXT) CHECK_TEXT(n->text, text);
}

static void run_model(build *b, const char *model, const char *run) {
  build_new(b, 1);
  build_read(b, model);
  build_set(b, "/run", "%s", run);
  if (!build_simulate(b)) {
    printf("%s\n", b->message);
    exit(1);
  }
}

TEST(all_keys_are_there_and_hold_what_the_summary_holds) {
  static const char *const keys[] = {
      "tenon",        "model",     "method",   "formulation", "stabilizers",    "integrator",
      "t_end",        "steps",     "rejected", "rhs",         "factorizations", "max_position_violation",
      "worst_joint",  "contract",  "events",   "cpu_seconds", "energy_balance", "max_velocity_violation",
      "cpu_assemble", "cpu_solve", "message",  "cpu_project", "redundant_rows", "degrees_of_freedom",
      "status"};
  build b;
  run_model(&b, "four_bar", "{\"until\": 0.5, \"method\": \"project\"}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  tn_desc *d = read_back(&b, "dir/four_bar.json");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) member(d, keys[i]);
  const tn_summary *s = tn_sim_summary(b.sim);
  check_word(d, "tenon", TN_VERSION);
  check_word(d, "model", "dir/four_bar.json");
  check_word(d, "method", "project");
  check_word(d, "formulation", "augmented");
  check_word(d, "integrator", "dopri5");
  check_word(d, "status", "done");
  check_word(d, "message", "done");
  check_word(d, "worst_joint", s->worst_joint);
  check_number(d, "t_end", 0.5);
  check_number(d, "steps", (double)s->steps);
  check_number(d, "rejected", (double)s->rejected);
  check_number(d, "rhs", (double)s->rhs);
  check_number(d, "factorizations", (double)s->factorizations);
  check_number(d, "max_position_violation", s->max_position_violation);
  check_number(d, "max_velocity_violation", s->max_velocity_violation);
  check_number(d, "energy_balance", s->energy_balance);
  check_number(d, "degrees_of_freedom", 1);
  check_number(d, "redundant_rows", 0);
  check_number(d, "cpu_seconds", s->cpu_seconds);
  CHECK(s->steps > 10 && s->rhs >= 6 * s->steps && s->factorizations > 0 && s->max_position_violation > 0);
  CHECK(s->cpu_assemble > 0 && s->cpu_solve > 0 && s->cpu_project >= 0);
  const tn_node *list = member(d, "stabilizers"), *contract = member(d, "contract");
  CHECK(list->kind == TN_NODE_LIST && list->size == 1);
  if (list->size == 1) CHECK_TEXT(tn_node_item(list, 0)->text, "project");
  CHECK(member(d, "events")->kind == TN_NODE_LIST && member(d, "events")->size == 0);
  CHECK(tn_node_get(contract, "kept") && tn_node_get(contract, "kept")->boolean);
  CHECK(tn_node_get(contract, "position") && tn_node_get(contract, "position")->number == 1e-8);
  CHECK(tn_node_get(contract, "velocity") && tn_node_get(contract, "velocity")->number == 1e-6);
  tn_desc_free(d);
  build_free(&b);
}

TEST(stacks_and_events_are_lists) {
  build b;
  run_model(
      &b, "four_bar",
      "{\"until\": 0.5, \"integrator\": {\"type\": \"rk4\", \"step\": 0.01}, \"contract\": {\"breach\": \"record\"},"
      " \"stabilize\": [{\"type\": \"baumgarte\", \"alpha\": 5, \"feedback\": \"held\"}, \"none\"]}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  tn_desc *d = read_back(&b, "m");
  const tn_node *list = member(d, "stabilizers"), *events = member(d, "events"), *contract = member(d, "contract");
  CHECK(list->size == 2);
  if (list->size == 2) CHECK_TEXT(tn_node_item(list, 0)->text, "baumgarte:alpha=5,feedback=held");
  check_word(d, "method", "custom");
  CHECK(events->size == 1);
  const tn_node *event = tn_node_item(events, 0);
  if (event) {
    CHECK_TEXT(tn_node_get(event, "kind")->text, "contract");
    CHECK(tn_node_get(event, "t")->number > 0 && strstr(tn_node_get(event, "text")->text, "joint '"));
  }
  CHECK(!tn_node_get(contract, "kept")->boolean);
  CHECK(tn_node_get(contract, "broken") &&
        strncmp(tn_node_get(contract, "broken")->text, "contract broken: ", 17) == 0);
  CHECK_TEXT(tn_node_get(contract, "breach")->text, "record");
  check_word(d, "status", "done");
  tn_desc_free(d);
  build_free(&b);
}

/* the four-bars lie flat at 0.714 and 1.228 s */
TEST(singular_positions_are_a_list) {
  for (int stop = 0; stop < 2; stop++) {
    build b;
    char run[100];
    snprintf(run, sizeof run, "{\"until\": 1.5, \"at_singularity\": \"%s\"}", stop ? "stop" : "pass");
    run_model(&b, "braun_four_bars", run);
    CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == (stop ? TN_E_RUN : TN_OK));
    tn_desc *d = read_back(&b, "m");
    const tn_node *list = member(d, "singular_positions"), *first = tn_node_item(list, 0);
    check_word(d, "at_singularity", stop ? "stop" : "pass");
    CHECK((int)list->size == (stop ? 1 : 2) && member(d, "singular_positions_more")->number == 0);
    if (first) {
      CHECK_NEAR(tn_node_get(first, "t")->number, 0.7143555, 1e-6);
      CHECK(tn_node_get(first, "rho")->number < 1e-12 && tn_node_get(first, "joints")->size == 5);
      CHECK_TEXT(tn_node_item(tn_node_get(first, "joints"), 0)->text, "hold1");
      CHECK_TEXT(tn_node_get(first, "where")->text, "passed");
      CHECK((tn_node_get(first, "same_branch") != NULL) == !stop);
      CHECK((tn_node_get(first, "velocity_change_reason") != NULL) == stop);
      if (!stop)
        CHECK(tn_node_get(first, "same_branch")->boolean && tn_node_get(first, "velocity_change")->number < 0.1);
    }
    CHECK(member(d, "nearest_rho")->number < 1e-12);
    tn_desc_free(d);
    build_free(&b);
  }
}

TEST(a_run_that_stopped_says_so) {
  build b;
  tn_error e;
  run_model(&b, "four_bar", "{\"until\": 1, \"method\": \"fci\", \"integrator\": {\"rtol\": 1e-3}}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, &e) == TN_E_RUN);
  tn_desc *d = read_back(&b, "m");
  check_word(d, "status", "stopped");
  CHECK_HAS(member(d, "message")->text, "contract broken: joint '");
  CHECK(member(d, "t_end")->number < 1);
  tn_desc_free(d);
  CHECK(strncmp(report_text(&b, "m"), "verdict: wrong\n  wrong: contract broken: ", 40) == 0);
  build_free(&b);
}

TEST(a_model_that_was_refused_has_a_report_too) {
  tn_error e;
  tn_desc *d = NULL;
  if (tn_desc_new(NULL, &d, &e)) abort();
  tn_model *model = NULL;
  CHECK(tn_compile(d, &model, &e) == TN_E_MODEL);
  paper = (page){.used = 0};
  CHECK(tn_report_failure(&e, "a \"b\"", to_page, &paper) == TN_OK);
  CHECK(tn_desc_parse(d, "report", paper.text, paper.used, &e) == TN_OK);
  check_word(d, "status", "refused");
  check_word(d, "model", "a \"b\"");
  CHECK_HAS(member(d, "message")->text, "the model has no `tenon` key");
  tn_desc_free(d);
}

TEST(any_name_makes_good_json) {
  static const char *const names[] = {
      "", "a\"b\\c", "tab\there\nand\x01\x7f", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac.json", "100%d%s", "/a/b"};
  static const char *const broken[] = {"\xff\xfe", "cut \xc3", "\xed\xa0\x80", "x\xe2\x82y"};
  build b;
  run_model(&b, "pendulum", "{\"until\": 0.1}");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    tn_desc *d = read_back(&b, names[i]);
    check_word(d, "model", names[i]);
    tn_desc_free(d);
  }
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) /* a path need not be UTF-8, a report must */
    tn_desc_free(read_back(&b, broken[i]));
  build_free(&b);
}

TEST(no_number_that_json_does_not_have) {
  build b;
  run_model(&b, "pendulum", "{\"until\": 0.1}");
  b.sim->summary.energy_balance = NAN;
  b.sim->summary.max_position_violation = INFINITY;
  b.sim->summary.cpu_seconds = -INFINITY;
  tn_desc *d = read_back(&b, "m");
  CHECK(member(d, "energy_balance")->kind == TN_NODE_NULL && member(d, "max_position_violation")->kind == TN_NODE_NULL);
  CHECK(member(d, "cpu_seconds")->kind == TN_NODE_NULL);
  tn_desc_free(d);
  build_free(&b);
}

/* a motor whose current diverges until the ledger is no number, an output that is none from the start, another in half of the rows */
TEST(what_is_not_a_number_is_said) {
  static const char *const model =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"
      " \"bodies\": {\"a\": {\"rod\": [[0, 0], [1, 0]], \"mass\": 1}%s},"
      " \"joints\": {\"pin\": {\"type\": \"revolute\", \"between\": [\"ground\", \"a\"], \"at\": [0, 0]}},"
      " \"forces\": {\"filter\": {\"type\": \"dc-motor\", \"on\": \"pin.angle\", \"voltage\": 12,"
      " \"k_torque\": 1e-250, \"resistance\": 1, \"inductance\": 0.001}},"
      " \"outputs\": {\"angle\": \"a.angle\", \"root\": \"sqrt(-1 - a.x^2)\", \"late\": \"1/sqrt(0.55 - t)\","
      " \"balance\": \"energy.balance\"},"
      " \"run\": {\"until\": 1.1, \"every\": 0.1, \"integrator\": {\"type\": \"rk4\", \"step\": 0.004}}}";
  for (int parts = 1; parts <= 2; parts++) {
    build b;
    char text[2000];
    build_new(&b, 1);
    snprintf(text, sizeof text, model,
             parts == 2 ? ", \"free\": {\"mass\": 1, \"inertia\": 1, \"position\": [5, 0]}" : "");
    build_parse(&b, text);
    CHECK(build_simulate(&b));
    if (b.failed) printf("%s\n", b.message);
    if (b.failed) continue;
    CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
    const tn_summary *s = tn_sim_summary(b.sim);
    CHECK(isnan(s->energy_balance));
    CHECK_TEXT(s->balance_part, parts == 2 ? "a" : "");
    CHECK(s->bad_outputs == 3);
    static const struct {
      const char *name;
      double first;
      long rows;
    } bad[] = {{"root", 0, 12}, {"late", 0.6, 6}, {"balance", 0.9, 3}};
    tn_bad_output x;
    for (int i = 0; i < 3 && tn_sim_bad_output(b.sim, i, &x); i++) {
      CHECK_TEXT(x.name, bad[i].name);
      CHECK_NEAR(x.first, bad[i].first, 1e-12);
      CHECK(x.rows == bad[i].rows);
    }
    CHECK(!tn_sim_bad_output(b.sim, 3, &x) && !tn_sim_bad_output(b.sim, -1, &x));
    const char *said = report_text(&b, "m");
    CHECK_HAS(said, parts == 2 ? "energy balance of part 'a': not a number\n" : "energy balance: not a number\n");
    CHECK(strncmp(said, "verdict: wrong\n", 15) == 0);
    CHECK_HAS(said, "output 'root' is not a finite number in 12 rows, first at t = 0 s\n");
    CHECK_HAS(said, "output 'late' is not a finite number in 6 rows, first at t = 0.6 s\n");
    tn_desc *d = read_back(&b, "m");
    CHECK(member(d, "energy_balance")->kind == TN_NODE_NULL);
    CHECK_HAS(paper.text, "\"energy_balance_finite\": false");
    CHECK_HAS(paper.text, "{\"name\": \"root\", \"first\": 0, \"rows\": 12}");
    CHECK(member(d, "bad_outputs")->size == 3);
    if (parts == 2) check_word(d, "balance_part", "a");
    tn_desc_free(d);
    /* another state begins anew */
    CHECK(tn_sim_set(b.sim, 0, NULL, NULL, false, NULL) == TN_OK && tn_sim_summary(b.sim)->bad_outputs == 0);
    build_free(&b);
  }
}

TEST(the_part_of_the_worst_balance_is_named) {
  build b;
  build_new(&b, 1);
  build_set(&b, "/bodies",
            "{\"ship\": {\"mass\": 1e6, \"coordinates\": \"point\", \"position\": [1e5, 0]},"
            " \"cart\": {\"mass\": 1, \"inertia\": 1}, \"load\": {\"mass\": 1, \"inertia\": 1}}");
  build_set(&b, "/joints",
            "{\"rail\": {\"type\": \"prismatic\", \"between\": [\"ground\", \"cart\"], \"at\": \"cart\", "
            "\"axis\": \"x\"}, \"hold\": {\"type\": \"weld\", \"between\": [\"cart\", \"load\"], \"at\": "
            "\"cart\"}}");
  build_set(&b, "/forces/k", "{\"type\": \"spring\", \"on\": \"rail.shift\", \"stiffness\": 800}");
  build_set(&b, "/start", "{\"ship.vx\": 10, \"rail.shift\": 0.01}");
  build_set(&b, "/run", "{\"until\": 5, \"every\": 1, \"integrator\": {\"type\": \"rk4\", \"step\": 0.04}}");
  CHECK(build_simulate(&b) && tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  CHECK_HAS(report_text(&b, "m"), " of the largest kinetic energy of part 'cart' and 1 more body, 0.0");
  CHECK(strncmp(paper.text, "verdict: wrong\n", 15) == 0);
  tn_desc *d = read_back(&b, "m");
  check_word(d, "balance_part", "cart");
  check_number(d, "balance_bodies", 2);
  check_number(d, "balance_kinetic", tn_sim_summary(b.sim)->balance_kinetic);
  CHECK_HAS(paper.text, "\"energy_balance_finite\": true");
  CHECK_HAS(paper.text, "\"bad_outputs\": []");
  tn_desc_free(d);
  build_free(&b);
}

TEST(for_people_it_says_what_ran_and_how_good_it_is) {
  build b;
  run_model(&b, "four_bar", "{\"until\": 0.5}");
  CHECK(tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  const char *text = report_text(&b, "four_bar.json");
  static const char *const parts[] = {"four_bar.json: crank-rocker",
                                      "3 bodies, 9 coordinates, 8 rows, 1 degree of freedom\n",
                                      "--stabilize project --integrator dopri5",
                                      "reached t = 0.5 s",
                                      ": kept)",
                                      "worst joint '",
                                      "energy balance"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) CHECK_HAS(text, parts[i]);
  CHECK(!strstr(text, "stopped") && !strstr(text, "redundant"));
  build_free(&b);
  /* an assembled start and redundant rows are said */
  build_new(&b, 1);
  build_set(&b, "/bodies/k", "{\"mass\": 1, \"inertia\": 1, \"position\": [0.1, 0]}");
  build_set(&b, "/joints",
            "{\"w\": {\"type\": \"weld\", \"between\": [\"ground\", \"k\"], \"on_bodies\": [[0, 0], [0, 0]]},"
            " \"v\": {\"type\": \"weld\", \"between\": [\"ground\", \"k\"], \"on_bodies\": [[0, 0], [0, 0]]}}");
  CHECK(build_simulate(&b) && tn_sim_run(b.sim, NULL, NULL, NULL) == TN_OK);
  if (!b.failed) {
    text = report_text(&b, "m");
    CHECK_HAS(text, "0 degrees of freedom, 3 redundant rows");
    CHECK_HAS(text, "start assembled: k.x moved most, by 0.1 m");
  }
  build_free(&b);
}

/* the member `key` of some object of the list `of` */
static bool listed(const tn_desc *d, const char *of, const char *key, const char *text) {
  const tn_node *list = member(d, of);
  for (const tn_node *k = list->first; k; k = k->next) {
    const tn_node *word = tn_node_get(k, key);
    if (word && word->kind == TN_NODE_TEXT && strcmp(word->text, text) == 0) return true;
  }
  return false;
}

/* events, a broken contract, redundant rows, warnings, outputs that are no numbers, an impulse, a run that stops: each fact with its own
 * sentence in the text that has all, and in JSON; the short text has those that are no detail, and nothing that is no fact */
TEST(every_fact_is_in_text_and_json_alike) {
  static const char *const runs[][2] = {
      {"four_bar", "{\"until\": 0.5}"},
      {"braun_four_bars", "{\"until\": 10}"},
      {"door_three_hinges", "{\"until\": 0.2}"},
      {"pendulum_stop", "{\"until\": 3}"},
      {"four_bar", "{\"until\": 0.5, \"stabilize\": \"none\", \"integrator\": {\"type\": \"euler\", \"step\": 0.01}, "
                   "\"contract\": {\"breach\": \"record\"}}"},
      {"four_bar", "{\"until\": 0.5, \"stabilize\": \"none\", \"integrator\": {\"type\": \"euler\", \"step\": 0.01}}"}};
  int details = 0, reasons = 0, ends = 0;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    static char all[sizeof paper.text], some[sizeof paper.text];
    char line[1700];
    build b;
    tn_run_fact f;
    run_model(&b, runs[i][0], runs[i][1]);
    tn_sim_run(b.sim, NULL, NULL, NULL); /* the last one stops */
    snprintf(some, sizeof some, "%s", report_text(&b, "m"));
    paper = (page){.used = 0};
    CHECK(tn_report_text_all(b.sim, "m", to_page, &paper) == TN_OK);
    snprintf(all, sizeof all, "%s", paper.text);
    tn_desc *d = read_back(&b, "m");
    int lines = 2, k = 0; /* the verdict, the name of the model */
    for (; tn_sim_fact(b.sim, k, &f); k++) {
      const bool warning = f.about == TN_ABOUT_MODEL, reason = f.severity != TN_TRUSTED;
      CHECK(*f.key && *f.sentence && *f.unit && *tn_fact_about_name(f.about));
      if (strcmp(f.key, "cpu") == 0) { /* stands on the line of what it was taken for */
        check_number(d, "cpu_seconds", f.value);
        snprintf(line, sizeof line, " right-hand sides, %s\n", f.sentence);
        CHECK(strstr(all, line) && strstr(some, line));
        continue;
      }
      const char *const end = strcmp(f.key, "reached") == 0 ? "," : "\n";
      snprintf(line, sizeof line, "\n  %s%s%s%s",
               warning  ? "warning"
               : reason ? tn_run_verdict_name(f.severity)
                        : "",
               warning || reason ? ": " : "", f.sentence, end);
      if (!strstr(all, line)) FAIL("%s: the text has no line%s", runs[i][0], line);
      if (!f.detail && !strstr(some, line)) FAIL("%s: the short text has no line%s", runs[i][0], line);
      if (warning || f.about == TN_ABOUT_LOG)
        CHECK(tn_node_get(d->root, warning ? "warnings" : "events")->size > 0);
      else if (!listed(d, reason ? "reasons" : "facts", "sentence", f.sentence))
        FAIL("%s: JSON has no fact `%s`", runs[i][0], f.sentence);
      lines += 1 + (warning && strchr(f.sentence, '\n'));
      details += f.detail;
      reasons += reason;
      ends += f.about == TN_ABOUT_END;
    }
    for (const char *c = all; (c = strchr(c, '\n')); c++) lines--;
    if (lines != 0) FAIL("%s: %d lines of the text are no facts", runs[i][0], -lines);
    CHECK(k > 4 && !tn_sim_fact(b.sim, k, &f));
    tn_desc_free(d);
    build_free(&b);
  }
  CHECK(details > 0 && reasons > 0 && ends > 0);
}

TEST(a_write_that_fails_is_an_error_wherever_it_fails) {
  build b;
  run_model(&b, "four_bar", "{\"until\": 0.1}");
  for (int json = 0; json < 2; json++) {
    static page p;
    p = (page){.used = 0};
    tn_status (*report)(const tn_sim *, const char *, tn_write, void *) = json ? tn_report_json : tn_report_text;
    CHECK(report(b.sim, "m", to_page, &p) == TN_OK);
    const long calls = p.calls;
    for (long n = 1; n <= calls; n++) {
      p = (page){.fail = n};
      CHECK(report(b.sim, "m", to_page, &p) == TN_E_IO && p.calls == n); /* and nothing is written after it */
    }
  }
  build_free(&b);
}
