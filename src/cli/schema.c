/* tenon schema: the JSON schema of model files. */
#include "cli.h"

static int run(const words *w) {
  (void)w;
  return tn_schema_print(tn_to_file, stdout) == TN_OK ? 0 : TN_E_IO;
}

const command tn_cli_schema = {
    .name = "schema",
    .takes = "",
    .doc = "The JSON schema (draft-07) of model files, for editors and validators.",
    .run = run,
};
