/* what keeping constraints costs beside the steps themselves, on a chain of thirty bodies with a fixed step. */
#include <unistd.h>

#include "support/build.h"
#include "test.h"

/* ' for ": links in line, or bent at every joint */
static const char chain[] =
    "{'tenon': 1, 'dimension': 2, 'gravity': [0, -9.81], 'outputs': {}, 'constants': {'N': 30, 'a': %g, 'b': %g},"
    "'points': {'P{i}': {'repeat': 'i=0..N', 'at': ['a*i', '-b*mod(i, 2)']}},"
    "'bodies': {'link{i}': {'repeat': 'i=1..N', 'rod': ['P{i-1}', 'P{i}'], 'mass': 1}},"
    "'joints': {'root': {'type': 'revolute', 'between': ['ground', 'link1'], 'at': 'P0'},"
    " 'pin{i}': {'repeat': 'i=2..N', 'type': 'revolute', 'between': ['link{i-1}', 'link{i}'], 'at': 'P{i-1}'}},"
    "'run': {'until': %g, 'every': %g, 'contract': {'breach': 'record'}}}";

static const char *const integrators[] = {"rk4", "dopri5"};
static const char *const stabilizers[] = {"none", "baumgarte:alpha=5,beta=5,feedback=held", "project"};
static const double H = 2e-3;

static void chain_text(bool bent, int steps, char *text, size_t size) {
  snprintf(text, size, chain, bent ? 0.8 : 1, bent ? 0.6 : 0, steps * H, steps * H);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
}

static tn_summary run(bool bent, const char *integrator, const char *stabilizer, int steps) {
  build b;
  char text[2000];
  tn_error e;
  tn_summary sum = {0};
  build_new(&b, 1);
  chain_text(bent, steps, text, sizeof text);
  build_parse(&b, text);
  build_set(&b, "/run/integrator", "{\"type\": \"%s\", \"step\": %g}", integrator, H);
  if (!b.failed && tn_desc_part(b.desc, "/run/stabilize", stabilizer, &e) != TN_OK) build_fail(&b, "%s", e.message);
  if (!build_simulate(&b) || tn_sim_advance(b.sim, steps * H, &e) != TN_OK)
    FAIL("%s, %s: %s", integrator, stabilizer, b.failed ? b.message : e.message);
  else
    sum = *tn_sim_summary(b.sim);
  build_free(&b);
  return sum;
}

/* the factorisation for the velocities is that of the next step, the one for the position that of the last stage; and there is none
 * that only tells where the step has ended */
TEST(no_stabilizer_takes_more_rates_or_factorisations) {
  for (int bent = 0; bent < 2; bent++)
    for (int i = 0; i < 2; i++)
      for (int k = 0; k < 3; k++) {
        enum { FEW = 20, MANY = 120 };
        const tn_summary few = run(bent, integrators[i], stabilizers[k], FEW),
                         many = run(bent, integrators[i], stabilizers[k], MANY);
        const int64_t stages = i ? 6 : 4, steps = MANY - FEW;
        CHECK(many.steps == MANY && few.steps == FEW);
        if (many.rhs - few.rhs != stages * steps || many.factorizations - few.factorizations != stages * steps)
          FAIL("%s, %s: %" PRId64 " rates and %" PRId64 " factorisations in %" PRId64 " steps", integrators[i],
               stabilizers[k], many.rhs - few.rhs, many.factorizations - few.factorizations, steps);
        if (k == 2) CHECK(many.max_position_violation < 1e-15 && many.max_velocity_violation < 1e-14);
      }
}

/* instructions of a run; 0: there is no valgrind, or it does not know this processor's */
static double collected(const char *model, const char *integrator, const char *stabilizer) {
  char command[3000], line[400];
  double instructions = 0;
  snprintf(command, sizeof command,
           "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=tn_sim_run '%s' run '%s' -q "
           "--integrator %s --step %g --stabilize %s 2>&1",
           TN_BINARY, model, integrator, H, stabilizer);
  FILE *pipe = popen(command, "r");
  if (!pipe) return 0;
  while (fgets(line, sizeof line, pipe)) {
    const char *at = strstr(line, "Collected : ");
    if (at) instructions = atof(at + 12);
  }
  return pclose(pipe) == 0 ? instructions : 0;
}

/* in line, where accelerations take a sweep of refinement and corrections none */
TEST_FULL(instructions_beside_a_step_without) {
  static const double most[] = {0, 0.05, 0.25};
  char model[] = "/tmp/tenon-cost-XXXXXX", text[2000];
  const int file = mkstemp(model);
  chain_text(false, 100, text, sizeof text);
  CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  for (int i = 0; i < 2; i++) {
    const double none = collected(model, integrators[i], stabilizers[0]);
    for (int k = 1; none > 0 && k < 3; k++) {
      const double more = collected(model, integrators[i], stabilizers[k]) / none - 1;
      if (!(more > 0 && more < most[k])) FAIL("%s, %s: %.1f %% more", integrators[i], stabilizers[k], 100 * more);
    }
  }
  unlink(model);
}
