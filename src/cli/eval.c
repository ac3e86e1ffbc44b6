/* tenon eval MODEL: the system at a state, as JSON. */
#include "cli.h"

static const option options[] = {
    {"--at", NULL, "NAME=VALUE",
     "t=0.3: at that time of the run; a channel, crank.angle=30*deg: a start with that value. may repeat", NULL, true},
    {.flag = NULL}};

/* channels go into the start, t is where to stop */
static int place(const words *w, tn_desc *d, double *t) {
  tn_error e;
  for (int i = 0; i < w->options; i++) {
    const char *value = w->option[i].value, *equal = value ? strchr(value, '=') : NULL;
    if (strcmp(w->option[i].option->flag, "--at") != 0) continue;
    char *end = NULL, pointer[160];
    if (!equal || equal == value || !equal[1] || (size_t)(equal - value) > 128)
      return tn_say_usage(w, "--at needs NAME=VALUE, not", value);
    const double number = strtod(equal + 1, &end);
    if (equal - value == 1 && value[0] == 't') {
      if (*end || !(number >= 0 && number < 1e300))
        return tn_say_usage(w, "the time is a number, 0 or more, not", equal + 1);
      *t = number;
      continue;
    }
    snprintf(pointer, sizeof pointer, "/start/%.*s", (int)(equal - value), value);
    const tn_status status = *end ? tn_desc_text(d, pointer, equal + 1, &e) : tn_desc_number(d, pointer, number, &e);
    if (status != TN_OK) return tn_say_error(&e);
  }
  return 0;
}

static int run(const words *w) {
  loaded l;
  double t = 0;
  int code = tn_load(w, &l);
  if (!code && tn_words_has(w, "--at")) {
    /* once more, with the values in the start */
    tn_sim_free(l.sim);
    tn_model_free(l.model);
    l.sim = NULL;
    l.model = NULL;
    code = place(w, l.desc, &t);
    if (!code && (tn_compile(l.desc, &l.model, &l.error) != TN_OK || tn_sim_new(l.model, &l.sim, &l.error) != TN_OK))
      code = tn_say_error(&l.error);
  }
  if (!code && (tn_sim_start(l.sim, &l.error) != TN_OK || tn_sim_advance(l.sim, t, &l.error) != TN_OK ||
                tn_report_eval(l.sim, l.name, tn_to_file, stdout, &l.error) != TN_OK))
    code = tn_say_error(&l.error);
  tn_unload(&l);
  return code;
}

const command tn_cli_eval = {
    .name = "eval",
    .takes = "MODEL",
    .doc = "The equations at a state as JSON: M f A C Cdot gamma, the Coriolis matrix, the solution udot and lambda of "
           "M udot + A'lambda = f, "
           "A udot = gamma, rank and singular values of A, and the outputs.",
    .completes = "model",
    .least = 1,
    .most = 1,
    .options = options,
    .shared = tn_cli_settings,
    .run = run,
};
