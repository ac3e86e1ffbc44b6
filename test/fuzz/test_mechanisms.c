/* random mechanisms: whatever they are, a run that is called trusted, or whose contract is called kept, has no gap that the contract does not
 * allow. Gaps are computed from the poses in the rows by fuzz/mechanism/gaps.c, which calls nothing of the library. */
#include "judge.h"
#include "test.h"

typedef struct tally {
  int refused, stopped, done, kept, trusted, rows;
  int space, loops, driven, switched; /* of those that are trusted */
} tally;

static bool is_switched(const mechanism *m) {
  for (int i = 0; i < m->joints; i++)
    if (m->joint[i].on >= 0) return true;
  return false;
}

/* there are more joints between bodies than bodies */
static bool has_loops(const mechanism *m) {
  int joints = 0;
  for (int i = 0; i < m->joints; i++) joints += m->joint[i].body[0] >= 0 || m->joint[i].body[1] >= 0;
  return joints > m->bodies;
}

/* `steps` bounds the length of each run: a run that is ended so is judged as far as it went */
static tally run_seeds(uint64_t first, int n, int steps) {
  static mechanism m;
  mech_outcome o;
  tally all = {0};
  for (int i = 0; i < n; i++) {
    const unsigned long long seed = first + (unsigned long long)i;
    if (!mech_make_seed(&m, seed)) {
      FAIL("seed %llu does not fit", seed);
      continue;
    }
    mech_judge(&m, steps, &o);
    if (o.fault[0]) FAIL("seed %llu: %s\n%s", seed, o.fault, m.text);
    all.refused += !o.compiled;
    all.done += o.status == TN_OK;
    all.stopped += o.compiled && o.status != TN_OK;
    all.kept += o.rows > 0 && o.kept;
    all.trusted += o.rows > 0 && o.verdict == TN_TRUSTED;
    all.rows += o.rows;
    if (!o.rows || o.verdict != TN_TRUSTED) continue;
    all.space += m.dimension == 3;
    all.loops += has_loops(&m);
    all.driven += m.driven;
    all.switched += is_switched(&m);
  }
  printf("%d mechanisms: %d refused, %d stopped, %d done; %d rows, %d kept, %d trusted: %d in space, %d loops, %d "
         "driven, %d "
         "switched\n",
         n, all.refused, all.stopped, all.done, all.rows, all.kept, all.trusted, all.space, all.loops, all.driven,
         all.switched);
  CHECK(all.space > n / 10 && all.loops > n / 10 && all.driven > n / 20 && all.switched > n / 20);
  CHECK(all.refused < n / 5 && all.done > n / 3 && all.trusted > n / 3 && all.rows > 5 * n);
  return all;
}

TEST(what_is_trusted_is_closed) { run_seeds(1, 120, 80); }
TEST_FULL(what_is_trusted_is_closed_in_some_hundred) { run_seeds(1000, 600, 400); }
TEST_LONG(what_is_trusted_is_closed_in_thousands) { run_seeds(100000, 20000, 400); }

/* a motion that blows up to 1e13 m with a contract that records: far from the origin the contract measures by a longer length. the run is
 * written here, so that it does not depend on what random runs are made of */
TEST(what_blows_up_is_wrong_and_reported) {
  static const char run[] = "\"run\": {\"until\": 0.4618371862363623, \"every\": 0.0219922469636363, "
                            "\"formulation\": {\"type\": \"partition\", \"layout\": \"speeds\"}, "
                            "\"stabilize\": [{\"type\": \"fuzzy\", \"set\": \"gaussian\"}], "
                            "\"integrator\": {\"type\": \"ab6\", \"step\": 0.0018041}, \"contract\": {\"position\": "
                            "1e-8, \"velocity\": 1e-6, \"breach\": \"record\"}}}";
  static mechanism m;
  mech_outcome o;
  char *place = mech_make_seed(&m, 104683) ? strstr(m.text, "\"run\": {") : NULL;
  if (!place || (size_t)(place - m.text) + sizeof run > sizeof m.text) {
    FAIL("the seed does not fit");
    return;
  }
  memcpy(place, run, sizeof run);
  m.used = (int)strlen(m.text);
  m.contract_position = 1e-8;
  m.stops = false;
  mech_judge(&m, 400, &o);
  if (o.fault[0]) FAIL("%s", o.fault);
  CHECK(o.rows > 10 && !o.kept && o.verdict == TN_WRONG && o.reported > 1e6);
}

/* a row of the given pose, without the library */
static void given_row(const mechanism *m, double *row) {
  for (int i = 0; i < m->bodies; i++) {
    const mech_body *b = &m->body[i];
    double *x = row + b->column;
    memcpy(x, b->p, sizeof *x * (size_t)m->dimension);
    if (b->point) continue;
    if (m->dimension == 2)
      x[2] = b->angle;
    else
      memcpy(x + 3, b->e, sizeof b->e);
  }
  for (int i = 0; i < m->parameters; i++) row[m->columns - m->parameters + i] = m->parameter[i];
}

/* at the given pose every joint is closed; with one body moved and turned by a thousandth, most are not, and of every type some */
TEST(gaps_are_seen) {
  static mechanism m;
  int closed[32] = {0}, open[32] = {0};
  for (unsigned seed = 1; seed <= 2000; seed++) {
    double row[MECH_COLUMNS];
    mech_gap gap;
    CHECK(mech_make_seed(&m, seed));
    given_row(&m, row);
    for (int j = 0; j < m.joints; j++) {
      if (!gap_of(&m, j, 0, row, &gap)) continue;
      closed[m.joint[j].kind]++;
      if (!(gap.length <= 1e-13 * m.length * m.length + 1e-13 * m.length && gap.angle <= 1e-12))
        FAIL("seed %u, joint j%d (%s): %.3g m, %.3g rad at the given pose", seed, j, mech_joint_names[m.joint[j].kind],
             gap.length, gap.angle);
    }
    double *x = row + m.body[0].column;
    for (int k = 0; k < m.dimension; k++) x[k] += 1e-3 * m.length * (k + 1);
    if (!m.body[0].point) {
      if (m.dimension == 2)
        x[2] += 1e-3;
      else
        for (int k = 0; k < 4; k++) x[3 + k] += 1e-3 * (k == 1 ? -1 : k);
    }
    for (int j = 0; j < m.joints; j++)
      if (gap_of(&m, j, 0, row, &gap) && (gap.length > 1e-6 * m.length || gap.angle > 1e-6)) open[m.joint[j].kind]++;
  }
  for (int k = 0; mech_joint_names[k]; k++) {
    const bool free = strcmp(mech_joint_names[k], "free") == 0;
    if (!closed[k] || (!free && !open[k])) FAIL("%s: %d closed, %d open", mech_joint_names[k], closed[k], open[k]);
  }
}

static bool is_chosen(const char *kind, const char *name) {
  for (int i = 0; mech_word(kind, i); i++)
    if (strcmp(mech_word(kind, i), name) == 0) return true;
  return false;
}

static bool is_registered(const char *kind, const char *name) {
  for (int i = 0; tn_list_name(kind, i); i++)
    if (strcmp(tn_list_name(kind, i), name) == 0) return true;
  return false;
}

/* the choices are registered, and most of what is registered is among them. a type can be added without: the gap of a joint has to be
 * written here a second time, by hand */
TEST(most_types_can_be_chosen) {
  static const char *const kinds[] = {"joint", "force", "formulation", "stabilizer", "integrator", "method"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    int all = 0, chosen = 0;
    for (int i = 0; tn_list_name(kinds[k], i); i++, all++) {
      const bool is = is_chosen(kinds[k], tn_list_name(kinds[k], i));
      chosen += is;
      if (!is) printf("note: %s %s is in no mechanism\n", kinds[k], tn_list_name(kinds[k], i));
    }
    for (int i = 0; mech_word(kinds[k], i); i++)
      if (!is_registered(kinds[k], mech_word(kinds[k], i))) FAIL("there is no %s %s", kinds[k], mech_word(kinds[k], i));
    if (4 * chosen < 3 * all) FAIL("only %d of %d types of %s are in mechanisms", chosen, all, kinds[k]);
  }
}

TEST(same_bytes_make_the_same_mechanism) {
  static mechanism a, b;
  const uint8_t bytes[] = "whatever these are";
  CHECK(mech_make(&a, bytes, sizeof bytes) && mech_make(&b, bytes, sizeof bytes));
  CHECK_TEXT(a.text, b.text);
  CHECK(mech_make(&b, bytes, sizeof bytes - 2) && strcmp(a.text, b.text) != 0);
}
