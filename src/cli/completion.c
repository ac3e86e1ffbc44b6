/* tenon completion SHELL: a completion script. */
#include "cli.h"

static int run(const words *w) {
  if (strcmp(w->word[0], "bash") == 0)
    tn_completion_bash(stdout);
  else if (strcmp(w->word[0], "zsh") == 0)
    tn_completion_zsh(stdout);
  else
    return tn_say_usage(w, "bash or zsh, not", w->word[0]);
  return 0;
}

const command tn_cli_completion = {
    .name = "completion",
    .takes = "bash|zsh",
    .doc = "A completion script. bash: source <(tenon completion bash); zsh: tenon completion zsh > a folder of "
           "fpath/_tenon",
    .completes = "bash zsh",
    .least = 1,
    .most = 1,
    .run = run,
};
