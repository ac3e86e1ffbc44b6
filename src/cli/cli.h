/* cli: words to calls of the public headers. one file a sub-command. */
#ifndef TN_CLI_H
#define TN_CLI_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/tenon.h"

int tn_cli_run(int argc, char **argv);
int tn_cli_list(int argc, char **argv);

/* print an error on stderr; the exit code for it */
int tn_cli_fail(const tn_error *e);
int tn_cli_usage(const char *command, const char *message, const char *word);

bool tn_cli_to_file(void *file, const char *text, size_t size);

#endif
