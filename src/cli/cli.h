/* cli: words to calls of the public headers. one file a sub-command; each declares its options once, in a table from which help,
 * manual page, completion and parsing come.
 *
 *   main.c    dispatch, version        words.c   tables: parsing and help     manual.c   tables: manual page, completion
 *   load.c    a model with overrides   output.c  files of a run               say.c      messages, colour, progress
 *   signals.c Ctrl-C                   farm.c    where runs of a sweep are made */
#ifndef TN_CLI_H
#define TN_CLI_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/study.h"
#include "tenon/tenon.h"

enum { EXIT_DOUBT = 8 }; /* the run reached its end, and its verdict is not `trusted`; beside those of tn_status */

/* ---- tables ---------------------------------------------------------------------------------------------------------- */

typedef struct option {
  const char *flag, *also; /* `--output`, `-o`; also may be NULL                                        */
  const char *value;       /* what follows it, `FILE`; NULL: nothing                                    */
  const char *doc;
  const char *completes; /* `file`, `model`, a kind of `tenon list`, or words separated by blanks; NULL  */
  bool repeats;
} option; /* a table ends with flag NULL */

typedef struct words words;

typedef struct command {
  const char *name, *takes, *doc; /* `run`, `MODEL`                                                      */
  const char *more;               /* paragraphs                                                          */
  const char *completes;          /* its words, as of an option                                          */
  int least, most;                /* how many words                                                      */
  const option *options, *shared; /* its own, and those of a model with overrides                        */
  int (*run)(const words *w);
} command;

extern const command tn_cli_run, tn_cli_resume, tn_cli_check, tn_cli_show, tn_cli_eval, tn_cli_list, tn_cli_schema,
    tn_cli_new, tn_cli_export, tn_cli_view, tn_cli_stability, tn_cli_surface, tn_cli_compare, tn_cli_sweep,
    tn_cli_reproduce, tn_cli_completion;
extern const command *const tn_cli_commands[]; /* ends with NULL */
extern const option tn_cli_settings[];         /* overrides of the model: load.c */
extern const option tn_cli_general[];          /* of every command */
extern const char *const tn_cli_exit_codes[];  /* a line each, ends with NULL */

/* ---- words of the command line ---------------------------------------------------------------------------------------- */

typedef struct given {
  const option *option;
  const char *value;
} given;

struct words {
  const command *command;
  int words, options;
  const char **word;
  given *option;
};

/* fills w from the words after the command; 0, or an exit code that has been explained */
int tn_words_parse(const command *c, int argc, char **argv, words *w);
void tn_words_free(words *w);
bool tn_words_has(const words *w, const char *flag);
const char *tn_words_value(const words *w, const char *flag); /* the last one; NULL: not given */
/* `start`, the words and those options that `keep` likes, as a shell takes them: how to do it again. to be freed; NULL: no memory, which
 * has been said */
char *tn_words_again(const words *w, const char *start, bool (*keep)(const words *w, const option *o));
char *tn_quoted(const char *word); /* for a shell, behind a blank; to be freed, may be NULL */
void tn_help(FILE *to, const command *c);
void tn_help_all(FILE *to);
void tn_manual(FILE *to);
void tn_completion_bash(FILE *to);
void tn_completion_zsh(FILE *to);

/* ---- messages: say.c --------------------------------------------------------------------------------------------------- */

typedef enum color { PLAIN, RED, YELLOW } color;
bool tn_colored(FILE *to);
void tn_say(color c, const char *format, ...); /* on stderr, `tenon: ` before it */
/* an error on stderr, and the exit code for it; with `json` the object on stdout too */
int tn_say_error(const tn_error *e);
int tn_say_usage(const words *w, const char *message, const char *word);
int tn_exit_code(tn_status status);
/* what was printed on stdout has got there, or exit code 4 */
int tn_end_stdout(int code);

bool tn_to_file(void *file, const char *text, size_t size);
bool tn_to_file_now(void *file, const char *text, size_t size); /* and flushed */

double tn_wall_clock(void); /* s */

/* the first Ctrl-C or SIGTERM is noted, and the default again for the next: signals.c. its number, 0: none */
void tn_catch_signals(void);
int tn_caught(void);

/* ---- where runs of a sweep are made: farm.c; in tenon-mpi ../mpi/farm.c ---------------------------------------------------- */

extern const char *const tn_program; /* `tenon`, `tenon-mpi` */
/* of programs that were started together the first one, rank 0, speaks and does everything, and the others make runs for it. returns
 * the rank */
int tn_farm_begin(int *argc, char ***argv);
int tn_farm_end(int code); /* returns the code of this one */
int tn_farm_rank(void);
void tn_farm_version(void); /* a line of --version */
bool tn_farm_jobs(const words *w, int *workers);
void tn_farm_make(void *unused, const tn_sweep_work *work); /* a tn_farm */
/* of the others: runs are made until rank 0 says that it is the end. sweep NULL: it could not be read, and why */
void tn_farm_serve(const tn_sweep *sweep, const tn_error *error, tn_stop stop);

/* ---- a model: load.c ---------------------------------------------------------------------------------------------------- */

typedef struct loaded {
  const char *name;
  tn_desc *desc;
  tn_model *model;
  tn_sim *sim;
  tn_error error;
} loaded;

/* read (`-`: stdin; a result file: the model in it), override, compile, make a simulation; 0, or an exit code that has been
 * explained, on stdout as an object too if --json is given */
int tn_load(const words *w, loaded *l);
void tn_unload(loaded *l);
int tn_load_failed(const words *w, const loaded *l);

/* run.c: with the outputs open, to the end; the exit code. --checkpoint, --accept-doubt, --json, --quiet and --verbose of w count */
typedef struct outputs outputs;
int tn_simulate(const words *w, loaded *l, outputs *out);
bool tn_checkpoint_given(const words *w, double *seconds); /* false: it makes no sense, which has been explained */

/* ---- files of a run: output.c -------------------------------------------------------------------------------------------- */

/* the files named by -o; nothing is opened yet */
int tn_outputs_plan(const words *w, outputs **out);
/* refuses an output that is the model itself */
int tn_outputs_open(outputs *out, const loaded *l);
bool tn_outputs_to_stdout(const outputs *out);
tn_status tn_outputs_row(void *out, double t, int n, const double *values);
/* end the files: whole, or as far as they came. a run that did not reach its end never replaces an older file */
int tn_outputs_close(outputs *out, const loaded *l, bool whole, FILE *say);
void tn_outputs_free(outputs *out);
/* a checkpoint beside the .tnr, in FILE.state: from there `tenon resume` goes on. false: none was made, which has been said once */
bool tn_outputs_checkpoint(outputs *out);
const char *tn_outputs_result(const outputs *out); /* the .tnr as it was named; NULL: there is none */
/* the result `target`, whose bytes are in `record`, taken up again where the state says, with the simulation of l. 0, or an exit code:
 * explained, or in *e; then both files are as they were */
int tn_outputs_resume(const char *target, const char *record, const loaded *l, const void *state, size_t size,
                      outputs **out, tn_error *e);
/* the result file `from` as other kinds, by suffix; never over itself */
int tn_export(tn_result *result, const char *from, const char *path, bool no_clobber, FILE *say);

/* ---- other files: save.c --------------------------------------------------------------------------------------------------- */

bool tn_same_file(const char *a, const char *b); /* by whatever names */
char *tn_link_target(
    const char *path); /* what a link stands for, though it may not be there yet; NULL: it is no link. to be freed */
/* whether a file can be written; `inputs`, which ends with NULL, are files that it must not be. 0, or an exit code that has been explained */
int tn_save_plan(const char *path, const char *const *inputs);
bool tn_ends_in(const char *path, const char *suffix); /* and something stands before it */
/* whether this build has pages; if not, that has been explained */
bool tn_pages(const char *path);
int tn_save(const char *path, tn_status (*print)(const void *what, tn_write write, void *user), const void *what);
/* --jobs N: 0 if it is not given, -1 if it makes no sense, which has been explained */
int tn_jobs(const words *w);

/* ---- examples, written by the build --------------------------------------------------------------------------------------- */

typedef struct example {
  const char *name;
  const unsigned char *text;
  size_t size;
} example;
extern const example tn_cli_examples[]; /* ends with name NULL */

#endif
