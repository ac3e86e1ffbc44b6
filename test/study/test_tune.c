/* gains that are searched for: the best of them against a grid of its own, the same runs on any number of threads, numbers that begin with
 * the published ones, runs that fail, what is refused. */
#include "study/study.h"
#include "support/build.h"
#include "support/failing.h"
#include "test.h"

static char text[200000], other[200000];

typedef struct page {
  char *text;
  size_t used;
} page;

static bool to_page(void *user, const char *piece, size_t n) {
  page *p = user;
  if (p->used + n >= sizeof text) return false;
  memcpy(p->text + p->used, piece, n);
  p->text[p->used += n] = 0;
  return true;
}

/* a model with an integrator, ready to be tuned */
static void begin(build *b, const char *model, const char *integrator, double until) {
  build_new(b, 1);
  build_read(b, model);
  build_set(b, "/run/until", "%g", until);
  build_set(b, "/run/every", "%g", until);
  build_set(b, "/run/integrator", "%s", integrator);
}

static tn_tune *tune(build *b, const tn_tune_options *o) {
  tn_tune *t = NULL;
  tn_error e;
  if (b->failed || tn_tune_run(b->desc, "model.json", o, &t, &e) != TN_OK)
    FAIL("%s: %s", o->stabilizer, b->failed ? b->message : e.message);
  return t;
}

/* violation and right-hand sides of the model with a stabilizer, by a run of its own */
static bool measure(build *b, const char *stabilize, double *position, int64_t *rhs) {
  tn_error e;
  tn_model *m = NULL;
  tn_sim *s = NULL;
  build_set(b, "/run/contract", "{\"breach\": \"record\"}");
  const bool good = tn_desc_part(b->desc, "/run/stabilize", stabilize, &e) == TN_OK &&
                    tn_compile(b->desc, &m, &e) == TN_OK && tn_sim_new(m, &s, &e) == TN_OK &&
                    tn_sim_run(s, NULL, NULL, &e) == TN_OK;
  if (good) *position = tn_sim_summary(s)->max_position_violation, *rhs = tn_sim_summary(s)->rhs;
  tn_sim_free(s);
  tn_model_free(m);
  return good;
}

#define RK4 "{\"type\": \"rk4\", \"step\": 0.01}"
#define LOOSE "{\"type\": \"dopri5\", \"rtol\": 1e-3}"

/* one gain: no value of a grid is better by more than the digits of the search */
TEST(the_best_of_a_grid) {
  build b;
  const tn_tune_range range = {"alpha", 0.5, 200};
  begin(&b, "pendulum", RK4, 2);
  tn_tune *t = tune(
      &b, &(tn_tune_options){.stabilizer = "baumgarte:alpha=1,beta=20", .ranges = 1, .range = &range, .budget = 40});
  if (t) {
    const tn_tune_row *best = tn_tune_row_at(t, tn_tune_best(t));
    double least = INFINITY, at = 0;
    for (int i = 0; i <= 60; i++) {
      char part[80];
      double C;
      int64_t rhs;
      const double alpha = 0.5 * pow(400, i / 60.0);
      snprintf(part, sizeof part, "baumgarte:alpha=%.17g,beta=20", alpha);
      if (measure(&b, part, &C, &rhs) && C * (double)rhs < least) least = C * (double)rhs, at = alpha;
    }
    printf("search %.5g at %.4g, grid %.5g at %.4g\n", best->product, best->value[0], least, at);
    CHECK(best->product <= 1.0005 * least && tn_tune_rows(t) <= 40);
    CHECK_TEXT(best->stage, "search");
    const char *field = tn_tune_parameter(t, 0, NULL, NULL);
    CHECK_TEXT(field, "alpha");
    CHECK(!tn_tune_parameter(t, 1, NULL, NULL) && tn_tune_parameters(t) == 1);
  }
  tn_tune_free(t);
  build_free(&b);
}

/* fuzzy as published, on the rotary pendulum: far better, with no more right-hand sides; and what is shown is what another run gives */
TEST(better_than_published) {
  build b;
  begin(&b, "rotary_pendulum", LOOSE, 1);
  tn_tune *t = tune(&b, &(tn_tune_options){.stabilizer = "fuzzy", .budget = 60, .most_rhs = 2500});
  if (t) {
    const tn_tune_row *published = tn_tune_row_at(t, 0), *best = tn_tune_row_at(t, tn_tune_best(t));
    printf("published %.2g, %" PRId64 "; best %.2g, %" PRId64 "\n", published->position, published->rhs, best->position,
           best->rhs);
    double sampled = INFINITY;
    for (int i = 0; i < tn_tune_rows(t); i++)
      if (strcmp(tn_tune_row_at(t, i)->stage, "sample") == 0 && !tn_tune_row_at(t, i)->failure)
        sampled = fmin(sampled, tn_tune_row_at(t, i)->product);
    CHECK(best->product < 0.7 * sampled); /* the compass has found more than the samples had */
    CHECK_TEXT(published->stage, "published");
    CHECK(tn_tune_parameters(t) == 4 && best->product < 0.25 * published->product && best->rhs <= 2500);
    CHECK(best->product == best->position * (double)best->rhs);
    double C = 0;
    int64_t rhs = 0;
    CHECK(measure(&b, t->best_part, &C, &rhs) && C == best->position && rhs == best->rhs);
    CHECK(measure(&b, "fuzzy:set=gaussian,kp=100,kd=0.01,ku=1e4,feedback=staged", &C, &rhs) &&
          C == published->position && rhs == published->rhs);
    CHECK(tn_desc_json(b.desc, "/run/stabilize", t->block, NULL) == TN_OK); /* the block can be pasted */
    for (int i = 0; i < tn_tune_rows(t); i++) {                             /* no run that counts is better */
      const tn_tune_row *r = tn_tune_row_at(t, i);
      CHECK(r->failure || r->rhs > 2500 || r->product >= best->product);
    }
  }
  tn_tune_free(t);
  build_free(&b);
}

TEST(the_same_runs_on_any_number_of_threads) {
  build b;
  begin(&b, "pendulum", LOOSE, 1);
  for (int k = 0; k < 2; k++) {
    tn_tune *t = tune(&b, &(tn_tune_options){.stabilizer = "fuzzy", .budget = 30, .workers = k ? 4 : 1});
    page p = {.text = k ? other : text};
    CHECK(t && tn_tune_csv(t, to_page, &p) == TN_OK && p.used > 1000);
    tn_tune_free(t);
  }
  CHECK(strcmp(text, other) == 0);
  build_free(&b);
}

/* numbers of one's own: the published ones are beside, and only numbers that both have are varied */
TEST(a_start_of_ones_own) {
  build b;
  begin(&b, "pendulum", LOOSE, 1);
  tn_tune *t = tune(&b, &(tn_tune_options){.stabilizer = "fuzzy:set=triangular,kp=10,kd=0.1,ku=100", .budget = 10});
  if (t) {
    CHECK_TEXT(tn_tune_row_at(t, 0)->stage, "published");
    CHECK_TEXT(tn_tune_row_at(t, 1)->stage, "start");
    CHECK(tn_tune_parameters(t) == 3 && tn_tune_row_at(t, 0)->value[0] == 100);
    CHECK(tn_tune_row_at(t, 0)->value[1] == 0.01 && tn_tune_row_at(t, 0)->value[2] == 1e4);
    CHECK(tn_tune_row_at(t, 1)->value[0] == 10 && tn_tune_row_at(t, 1)->value[2] == 100);
    page p = {.text = text};
    tn_desc *d = NULL;
    tn_error e;
    CHECK(tn_tune_json(t, to_page, &p) == TN_OK);
    CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && tn_desc_parse(d, NULL, text, p.used, &e) == TN_OK);
    const tn_node *rows = tn_node_get(d->root, "rows"), *best = tn_node_get(d->root, "best");
    CHECK(rows && (int)rows->size == tn_tune_rows(t) && best && tn_node_get(d->root, "published"));
    CHECK(best && tn_node_get(best, "product")->number == tn_tune_row_at(t, tn_tune_best(t))->product);
    tn_desc_free(d);
    p.used = 0;
    CHECK(tn_tune_text(t, to_page, &p) == TN_OK);
    CHECK_HAS(text, "\"stabilize\": {\n    \"type\": \"fuzzy\",\n");
    CHECK_HAS(text, "  tenon run model.json --stabilize 'fuzzy:set=triangular,");
  }
  tn_tune_free(t);
  build_free(&b);
}

/* the numbers of the published controller with other sets: both are run */
TEST(published_numbers_with_other_sets) {
  build b;
  begin(&b, "pendulum", LOOSE, 0.5);
  tn_tune *t =
      tune(&b, &(tn_tune_options){.stabilizer = "fuzzy:set=triangular,kp=100,kd=0.01,ku=1e4,width=1", .budget = 10});
  if (t) {
    CHECK_TEXT(tn_tune_row_at(t, 1)->stage, "start");
    CHECK(memcmp(tn_tune_row_at(t, 0)->value, tn_tune_row_at(t, 1)->value, 4 * sizeof(double)) == 0);
    CHECK(tn_tune_row_at(t, 0)->product != tn_tune_row_at(t, 1)->product);
    for (int i = 2; i < tn_tune_rows(t); i++) CHECK(strcmp(tn_tune_row_at(t, i)->stage, "start") != 0);
  }
  tn_tune_free(t);
  build_free(&b);
}

/* defaults of fields where nothing is published; velocities where no row has a C; gains that are refused are rows */
TEST(other_stabilizers) {
  static const struct {
    const char *model, *part, *integrator, *fields;
    bool velocity, start_fails;
  } all[] = {{"pendulum", "pid", RK4, "a b c", false, false},
             {"pendulum", "baumgarte", RK4, "alpha beta", false, false},
             {"pendulum", "baumgarte:a=1,b=0.5", RK4, "a b", false, false},
             {"pendulum", "fuzzy", RK4, "width kp kd ku", false, true},
             {"chaplygin_sleigh", "baumgarte:nonholonomic=1,alpha=1,beta=1", RK4, "alpha beta", true, false}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    build b;
    char fields[100] = "";
    begin(&b, all[k].model, all[k].integrator, 0.5);
    tn_tune *t = tune(&b, &(tn_tune_options){.stabilizer = all[k].part, .budget = 20});
    if (!t) continue;
    for (int i = 0; i < tn_tune_parameters(t); i++) {
      if (i) strcat(fields, " ");
      strcat(fields, tn_tune_parameter(t, i, NULL, NULL));
    }
    CHECK_TEXT(fields, all[k].fields);
    CHECK(t->velocity == all[k].velocity);
    const tn_tune_row *start = tn_tune_row_at(t, t->published_text ? 1 : 0);
    if ((start->failure != NULL) != all[k].start_fails) FAIL("%s: %s", all[k].part, start->failure);
    CHECK(tn_tune_best(t) >= 0 && !tn_tune_row_at(t, tn_tune_best(t))->failure);
    tn_tune_free(t);
    build_free(&b);
  }
}

typedef struct stop {
  int after;
} stop;

static bool until_then(void *user, int done, int all, const char *run) {
  (void)all, (void)run;
  return done < ((stop *)user)->after;
}

static bool at_once(void *user) {
  (void)user;
  return true;
}

TEST(a_search_can_be_stopped) {
  build b;
  tn_error e;
  tn_tune *t;
  stop s = {12};
  begin(&b, "pendulum", LOOSE, 0.5);
  const tn_tune_options some = {.stabilizer = "fuzzy", .budget = 30, .workers = 1, .progress = until_then, .user = &s};
  CHECK(tn_tune_run(b.desc, "m", &some, &t, &e) == TN_E_STOPPED && !t);
  CHECK_HAS(e.message, "12 of 30 runs are done");
  CHECK_HAS(e.hint, "the best of them: width=");
  const tn_tune_options none = {.stabilizer = "fuzzy", .budget = 30, .stop = at_once};
  CHECK(tn_tune_run(b.desc, "m", &none, &t, &e) == TN_E_STOPPED && !t);
  CHECK_HAS(e.message, "0 of 30 runs are done");
  build_free(&b);
}

TEST(what_is_refused) {
  static const tn_tune_range wrong[] = {{"kpp", 0, 0}, {"kp", 10, 1},          {"kp", -1, 1}, {"width", 0.1, 2},
                                        {"set", 0, 0}, {"eps_position", 0, 0}, {"kp", 0, 0}};
  static const tn_tune_range twice[] = {{"kp", 0, 0}, {"kp", 0, 0}};
  const struct {
    tn_tune_options o;
    const char *message;
  } all[] = {
      {{.stabilizer = "fuzy"}, "no stabilizer 'fuzy'"},
      {{.stabilizer = "none"}, "no number that could be varied"},
      {{.stabilizer = "fuzzy:kpp=1"}, "unknown key 'kpp'"},
      {{.stabilizer = "fuzzy:kp=1"}, "needed all three"},
      {{.stabilizer = "fuzzy:kp=10,kd=0.1,ku=100,steps=1"}, "only `rule` measured"},
      {{.stabilizer = "fuzzy", .budget = 3}, "10 to 100000 runs, not 3"},
      {{.stabilizer = "fuzzy", .budget = -1}, "runs, not -1"},
      {{.stabilizer = "fuzzy", .ranges = 1, .range = &wrong[0]}, "has no number 'kpp'"},
      {{.stabilizer = "fuzzy", .ranges = 1, .range = &wrong[1]}, "the smaller one first"},
      {{.stabilizer = "fuzzy", .ranges = 1, .range = &wrong[2]}, "two positive numbers"},
      {{.stabilizer = "fuzzy", .ranges = 1, .range = &wrong[3]}, "may be 0.25 to 4"},
      {{.stabilizer = "fuzzy", .ranges = 1, .range = &wrong[4]}, "has no number 'set'"},
      {{.stabilizer = "fuzzy", .ranges = 1, .range = &wrong[5]}, "no number to begin with"},
      {{.stabilizer = "fuzzy", .ranges = 2, .range = twice}, "'kp' is varied twice"},
      {{.stabilizer = "fuzzy:kp=2*5,kd=1,ku=1", .ranges = 1, .range = &wrong[6]}, "not a number where it begins"},
      {{.stabilizer = "baumgarte:alpha=0,beta=5", .ranges = 0}, NULL}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    build b;
    tn_error e = {0};
    tn_tune *t = NULL;
    begin(&b, "pendulum", LOOSE, 0.1);
    tn_tune_options o = all[i].o;
    if (!o.budget) o.budget = 10;
    const tn_status status = tn_tune_run(b.desc, "m", &o, &t, &e);
    CHECK((status == TN_OK) == !all[i].message && (t != NULL) == (status == TN_OK));
    if (all[i].message) CHECK_HAS(e.message, all[i].message);
    if (t) CHECK(tn_tune_parameters(t) == 1); /* alpha is zero: beta alone */
    tn_tune_free(t);
    build_free(&b);
  }
}

/* no run reaches its end: an error with the reason of the first */
TEST(nothing_runs) {
  build b;
  tn_error e;
  tn_tune *t;
  begin(&b, "pendulum", "{\"type\": \"dopri5\", \"rtol\": 1e-3}", 1);
  const tn_tune_options o = {.stabilizer = "fuzzy", .budget = 10, .most_rhs = 5};
  CHECK(tn_tune_run(b.desc, "m", &o, &t, &e) == TN_E_RUN && !t);
  CHECK_HAS(e.message, "no run came to its end");
  build_free(&b);
}

/* every allocation of a short search may fail; nothing is left then */
TEST(memory_that_is_not_there) {
  static const char model[] =
      "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": {\"bob\": {\"mass\": 1, "
      "\"position\": [1, 0], \"coordinates\": \"point\"}}, \"joints\": {\"rod\": {\"type\": \"distance\", "
      "\"between\": [\"ground\", \"bob\"], \"at\": [[0, 0], \"bob\"]}}, \"run\": {\"until\": 0.02, "
      "\"integrator\": {\"type\": \"rk4\", \"step\": 0.01}}}";
  const tn_tune_options o = {.stabilizer = "baumgarte:alpha=1,beta=2", .budget = 10, .workers = 1};
  long fail = 0, calls = 1;
  for (; fail <= calls; fail++) {
    failing f = {.fail = fail};
    const tn_allocator a = {fail_allocate, fail_release, &f};
    tn_desc *d = NULL;
    tn_tune *t = NULL;
    tn_error e = {0};
    tn_status status = tn_desc_new(&a, &d, &e);
    if (status == TN_OK) status = tn_desc_parse(d, NULL, model, strlen(model), &e);
    if (status == TN_OK) status = tn_tune_run(d, "m", &o, &t, &e);
    if (status != (fail ? TN_E_MEMORY : TN_OK)) FAIL("allocation %ld: %d, %s", fail, status, e.message);
    if (!fail) calls = f.calls;
    tn_tune_free(t);
    tn_desc_free(d);
    CHECK(f.out == 0);
  }
  CHECK(calls > 60);
}

/* what types recommend are parts of theirs, and models can have them */
TEST(published_parts_are_parts) {
  int n = 0;
  for (int i = 0; i < tn_stabilizer_type_count; i++) {
    const tn_stabilizer_type *type = tn_stabilizer_types[i];
    build b;
    tn_error e;
    if (!type->published) continue;
    begin(&b, "pendulum", LOOSE, 1);
    CHECK(strncmp(type->published, type->name, strlen(type->name)) == 0 && type->published[strlen(type->name)] == ':');
    CHECK(tn_desc_part(b.desc, "/run/stabilize", type->published, &e) == TN_OK);
    if (!build_compile(&b)) FAIL("%s: %s", type->published, b.message);
    build_free(&b);
    n++;
  }
  CHECK(n >= 2);
}
