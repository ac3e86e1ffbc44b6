/* an unrelated part that is far away, heavy, fast or tiny changes no output of a shipped model by more than 10 tolerances or 3 times
 * the error that the model has without it (judge.h). `near`, an ordinary free body, shows that the criterion itself can be met.
 *
 * outputs that count the whole model in, energies and momenta, are left out. rows are compared as far as the motion is predictable.
 * TENON_ONLY="four_bar heavy absolute dopri5" runs one case, TENON_SHOW=1 prints all. `trbdf2` is not among the integrators: at tolerances that
 * it can afford its own errors are above 1 % in 14 models. */
#include "support/build.h"
#include "support/bystander.h"
#include "tenon/study.h"
#include "test.h"

static const char *const variants[] = {"near", "far", "heavy", "fast", "tiny"};
static const char *const integrators[] = {"dopri5", "dop853", "abm", "radau5", "cvode-adams"}; /* SUNDIALS last */

/* what stops alone already, or is off by more than 1 % of a scale: implicit formulas and those of SUNDIALS do not pass singular positions
 * (docs/methods.md) */
static const char *const refused[] = {"braun_four_bars absolute radau5",    "braun_four_bars absolute cvode-adams",
                                      "braun_four_bars relative radau5",    "braun_four_bars relative cvode-adams",
                                      "braun_slider_crank absolute radau5", "braun_slider_crank absolute cvode-adams",
                                      "braun_slider_crank relative radau5", "braun_slider_crank relative cvode-adams",
                                      "n_four_bar absolute radau5",         "n_four_bar absolute cvode-adams",
                                      "n_four_bar relative radau5",         "n_four_bar relative cvode-adams"};

enum {
  VARIANTS = sizeof variants / sizeof *variants,
  INTEGRATORS = sizeof integrators / sizeof *integrators,
  REFUSED = sizeof refused / sizeof *refused,
  MODELS = 64
};

typedef struct grid {
  judge judge;
  int left_out;       /* outputs of whole models */
  bool seen[REFUSED]; /* of `refused`            */
  char model[64];     /* and of this model:      */
  double until;       /* s: predictable; NaN: not yet known */
  const char *coordinates;
  const char *integrator;
} grid;

static bool of_whole(const tn_node *output) {
  const tn_node *value = output->kind == TN_NODE_OBJECT ? tn_node_get(output, "value") : output;
  return value && value->kind == TN_NODE_TEXT && (strstr(value->text, "energy.") || strstr(value->text, "momentum"));
}

/* returns how many it has removed */
static int leave_out_outputs_of_the_whole(tn_desc *desc) {
  const tn_node *outputs = tn_node_get(desc->root, "outputs");
  int n = 0;
  for (const tn_node *o = outputs ? outputs->first : NULL, *next; o; o = next) {
    char pointer[128];
    next = o->next;
    if (!of_whole(o)) continue;
    snprintf(pointer, sizeof pointer, "/outputs/%s", o->key);
    tn_desc_remove(desc, pointer);
    n++;
  }
  return n;
}

/* the model as the grid wants it; variant NULL: alone. NULL: it is refused */
static tn_model *model_of(grid *g, const char *variant) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e;
  char text[1024];
  if (!ref_desc(g->model, NULL, &desc)) return NULL;
  leave_out_outputs_of_the_whole(desc);
  model_set(desc, "/coordinates", "'%s'", g->coordinates);
  model_set(desc, "/run/integrator", "{'type': '%s', 'rtol': 1e-8}", g->integrator);
  if (variant) bystander_add(desc, (int)tn_node_get(desc->root, "dimension")->number, bystander_named(variant));
  if (tn_compile(desc, &model, &e) != TN_OK) {
    tn_error_text(&e, text, sizeof text);
    printf("%s %s %s: %s\n", g->model, g->coordinates, g->integrator, text);
    model = NULL;
  }
  tn_desc_free(desc);
  return model;
}

/* with the settings of the model file */
static double predictable_until(const char *model) {
  tn_desc *desc = NULL;
  tn_error e;
  double until = NAN;
  if (!ref_desc(model, NULL, &desc) || tn_predictable_until(desc, 0, &until, &e) != TN_OK) FAIL("%s", model);
  tn_desc_free(desc);
  return until;
}

static void refuse(grid *g, const char *name) {
  for (int i = 0; i < REFUSED; i++) {
    if (strcmp(name, refused[i]) != 0) continue;
    g->seen[i] = true;
    return;
  }
  FAIL("%s is refused", name);
}

/* all variants of a model with an integrator */
static void beside(grid *g) {
  char name[VARIANTS][160], alone[160];
  bool wanted = false;
  for (int v = 0; v < VARIANTS; v++) {
    snprintf(name[v], sizeof name[v], "%s %s %s %s", g->model, g->coordinates, g->integrator, variants[v]);
    wanted = wanted || judge_wants(name[v]);
  }
  if (!wanted) return;
  if (isnan(g->until)) g->until = predictable_until(g->model);
  snprintf(alone, sizeof alone, "%s %s %s", g->model, g->coordinates, g->integrator);
  yardstick y = {0};
  tn_model *model = model_of(g, NULL);
  const bool runs = model && yardstick_make(&y, model, g->until);
  tn_model_free(model);
  if (!runs) refuse(g, alone);
  for (int v = 0; runs && v < VARIANTS; v++)
    if (judge_wants(name[v])) yardstick_judge(&y, model_of(g, variants[v]), 1, &g->judge, name[v]);
  yardstick_free(&y);
}

static bool in(const char *const *list, const char *name) {
  while (*list && strcmp(*list, name) != 0) list++;
  return *list != NULL;
}

/* models of the list, or all that are shipped (NULL), with the first integrators */
static void over(grid *g, const char *const *models, const char *coordinates, int n_integrators) {
  static char name[MODELS][64];
  const int n = build_models(name, MODELS);
  CHECK(n > 40 && n < MODELS);
  g->coordinates = coordinates;
  for (int i = 0; i < n; i++) {
    tn_desc *desc = NULL;
    if ((models && !in(models, name[i])) || !ref_desc(name[i], NULL, &desc)) continue;
    g->left_out += leave_out_outputs_of_the_whole(desc);
    tn_desc_free(desc);
    memcpy(g->model, name[i], sizeof g->model);
    g->until = NAN;
    for (int k = 0; k < n_integrators; k++) {
      g->integrator = integrators[k];
      beside(g);
    }
  }
}

TEST_FULL(a_bystander_changes_nothing_of_some_models) {
  static const char *const models[] = {
      "andrews",          "four_bar", "pendulum",   "pendulum_stop",    "heavy_top", "rolling_disc",
      "spatial_four_bar", "hoang_pd", "n_four_bar", "stewart_platform", NULL};
  grid g = {0};
  over(&g, models, "absolute", 1);
  CHECK(judge_ends(&g.judge, "some models"));
}

static void all_models(const char *coordinates) {
  const bool sundials = !tn_types_left_out[0].name;
  grid g = {0};
  over(&g, NULL, coordinates, sundials ? INTEGRATORS : INTEGRATORS - 1);
  CHECK(judge_ends(&g.judge, coordinates));
  CHECK(g.left_out == 10);
  for (int i = 0; i < REFUSED && !judge_filters(); i++)
    if (strstr(refused[i], coordinates) && !g.seen[i] && (sundials || !strstr(refused[i], "cvode")))
      FAIL("%s is no longer refused", refused[i]);
}

TEST_LONG(a_bystander_changes_no_model_in_absolute_coordinates) { all_models("absolute"); }

TEST_LONG(a_bystander_changes_no_model_in_relative_coordinates) { all_models("relative"); }
