/* tenon check MODEL: what the model is, before it runs. */
#include "cli.h"

static const option options[] = {{"--strict", NULL, NULL, "refuse a model with warnings", NULL, false},
                                 {"--json", NULL, NULL, "as one JSON object", NULL, false},
                                 {"--quiet", "-q", NULL, "say nothing of a good model", NULL, false},
                                 {.flag = NULL}};

static int run(const words *w) {
  const bool json = tn_words_has(w, "--json");
  loaded l;
  int code = tn_load(w, &l);
  if (!code) {
    const tn_status status = tn_sim_start(l.sim, &l.error);
    if (json)
      tn_report_check_json(l.sim, l.name, tn_to_file, stdout);
    else if (!tn_words_has(w, "--quiet") || status != TN_OK)
      tn_report_check_text(l.sim, l.name, tn_to_file, stdout);
    if (status != TN_OK) {
      code = tn_say_error(&l.error);
    } else if (tn_words_has(w, "--strict") && tn_model_warnings(l.model)) {
      char text[1600];
      tn_error_text(tn_model_warning(l.model, 0), text, sizeof text);
      tn_say(RED, "%d warning%s, and --strict is given: %s", tn_model_warnings(l.model),
             tn_model_warnings(l.model) == 1 ? "" : "s", text);
      code = TN_E_MODEL;
    }
  }
  tn_unload(&l);
  return code;
}

const command tn_cli_check = {
    .name = "check",
    .takes = "MODEL",
    .doc =
        "Say what a model is without running it: sizes, degrees of freedom, rank, redundant rows and the joints they "
        "follow from, the start, settings, warnings.",
    .completes = "model",
    .least = 1,
    .most = 1,
    .options = options,
    .shared = tn_cli_settings,
    .run = run,
};
