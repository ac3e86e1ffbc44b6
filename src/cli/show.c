/* tenon show MODEL: the model expanded. */
#include "cli.h"

static int run(const words *w) {
  loaded l;
  int code = tn_load(w, &l);
  if (!code && tn_model_print(l.model, tn_to_file, stdout, &l.error) != TN_OK) code = TN_E_IO;
  tn_unload(&l);
  return code;
}

const command tn_cli_show = {
    .name = "show",
    .takes = "MODEL",
    .doc = "Print the model with every repeat carried out and what is given here in it. What is printed is a model.",
    .completes = "model",
    .least = 1,
    .most = 1,
    .shared = tn_cli_settings,
    .run = run,
};
