/* cli: words to calls of the public headers. one file a sub-command; each declares its options once, in a table from which help,
 * manual page, completion and parsing come.
 *
 *   main.c    dispatch, version        words.c   tables: parsing and help     manual.c   tables: manual page, completion
 *   load.c    a model with overrides   output.c  files of a run               say.c      messages, colour, progress
 *   file.c    parts, locks, the disk   make.c    files out of a result        save.c     files written at once
 *   signals.c Ctrl-C                   farm.c    where runs of a sweep are made  damage.c   results that are not whole */
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
    tn_cli_new, tn_cli_export, tn_cli_view, tn_cli_stability, tn_cli_surface, tn_cli_compare, tn_cli_tune, tn_cli_sweep,
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
/* one line, its end added; whatever names and paths stand in it, as tn_show shows them */
void tn_line(FILE *to, const char *format, ...);
/* an error on stderr, and the exit code for it; with `json` the object on stdout too */
int tn_say_error(const tn_error *e);
int tn_say_usage(const words *w, const char *message, const char *word);
int tn_exit_code(tn_status status);
/* what was printed on stdout has got there, or exit code 4 */
int tn_end_stdout(int code);

bool tn_to_file(void *file, const char *text, size_t size);
bool tn_to_file_now(void *file, const char *text, size_t size); /* and flushed */

double tn_wall_clock(void); /* s */

/* the first Ctrl-C, SIGTERM or SIGHUP is noted, and the default again for the next: signals.c. its number, 0: none */
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

/* ---- files that are written and read: file.c ------------------------------------------------------------------------------- */

/* a file under way, in NAME.part until it is whole; locked as long as it is open */
typedef struct part_file {
  const char *name;    /* as it was given; not a copy                                              */
  char *target, *path; /* what is written in the end (what a link stands for), and until then      */
  FILE *to;            /* NULL: closed                                                             */
  bool ours;           /* nothing of another is in it: it was made or cut here                     */
  char why[400];       /* the reason that the last call gave                                       */
} part_file;

/* these give NULL, or the reason why it could not be done, which stays until the next call */
const char *tn_part_open(part_file *p, const char *name); /* what was in it before is there until it is cut */
const char *tn_part_beside(part_file *p,
                           const char *target); /* the same of a file with a name of ours: no link is followed */
/* an existing one, which may be `target` itself: of a run that is taken up again */
const char *tn_part_take(part_file *p, const char *target, const char *path);
const char *tn_part_cut(part_file *p, int64_t length); /* and goes on from there; 0: empty */
const char *tn_part_sync(part_file *p);                /* on the disk, as far as it is    */
/* whole: on the disk under its name. it stays open, and locked, until it is left */
const char *tn_part_commit(part_file *p);
void tn_part_discard(part_file *p); /* NAME.part is removed, but not if another has left it and it was not cut */
void tn_part_leave(part_file *p);   /* NAME.part stays; also of one that is closed       */
bool tn_remove(const char *path);   /* of a file that is needed no more, and that on the disk; true if there was none */

bool tn_same_file(const char *a, const char *b); /* by whatever names; also if neither is there yet */
bool tn_exists(const char *path);                /* whatever it is, a link to nothing too */
/* what a link stands for, though it may not be there yet; NULL: it is no link. to be freed */
char *tn_link_target(const char *path);
char *tn_joined(const char *a, const char *b); /* to be freed; NULL: no memory */
int tn_say_no_memory(void);                    /* says it; the exit code */
int tn_cannot_write(const char *name, const char *why);

/* files that a command reads: no output may be one of them. 0, or an exit code that has been explained */
typedef struct inputs {
  int n;
  char **path;
} inputs;
int tn_inputs_add(inputs *in, const char *path);
int tn_inputs_drawn(inputs *in, const char *name, const tn_model *m); /* files of meshes of the model of this name */
int tn_inputs_drawn_by(inputs *in, const char *path);                 /* of the model in this file, if it can be read */
/* refuses an output that is an input, or of which NAME.part or another file, NAME + suffix, is one; suffixes end with NULL and may be NULL */
int tn_inputs_spare(const inputs *in, const char *output, const char *const *suffixes);
void tn_inputs_free(inputs *in);

/* ---- a model: load.c ---------------------------------------------------------------------------------------------------- */

typedef struct loaded {
  const char *name;
  tn_desc *desc;
  tn_model *model;
  tn_sim *sim;
  inputs inputs; /* all files that it is made of, and drawn from */
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
/* refuses an output that is a file which the model needs */
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

/* ---- files out of a result: make.c ----------------------------------------------------------------------------------------- */

typedef enum file_kind { CSV, TNR, NPY, SVG, HTML, GLB, PNG, KINDS } file_kind;
bool tn_kind_of(const char *path, file_kind *k); /* by suffix */
/* one file, or as many arrays as there are groups. poses: of pictures, by is 0: curves. `whole`: it may replace an older file; else the rows stay in FILE.part then */
int tn_make(tn_result *r, file_kind k, const char *path, const tn_poses *poses, bool whole, bool no_clobber, FILE *say);
/* --poses, what pictures show: BY or FROM:BY:TO, in s; by is 0 where it is not given. 0, or an exit code that has been explained */
int tn_poses_given(const words *w, tn_poses *poses);
/* an output is a picture that shows them, or there are none: 0, or an exit code. a .png shows nothing else */
int tn_poses_shown(const words *w, const tn_poses *poses);
int tn_poses_fit(const words *w, const char *path, const tn_poses *poses);
/* a part under its name, unless that would replace an older file by less; 0 or an exit code. it stays open */
int tn_settle(part_file *p, bool whole, bool no_clobber, FILE *say);
int tn_refuse_to_replace(const char *path); /* if it is there; 0 or an exit code */
/* base.group.npy of base.npy; to be freed */
char *tn_array_name(const char *path, const char *group);
/* the result file `from` as other kinds, by suffix; never over itself, nor over what its model is drawn from */
int tn_export(tn_result *result, const char *from, const char *path, const tn_poses *poses, bool no_clobber, FILE *say);

/* the result that the first word names, for export and view: whole, or with --recover what is good of it, reported. 0, or an exit code that has
 * been explained; *r is to be closed in either case. incomplete: something is missing */
int tn_open_result(const words *w, tn_result **r, bool *incomplete);
/* tn_export, that by default replaces no file by one of an incomplete result */
int tn_export_opened(const words *w, tn_result *r, bool incomplete, const char *path, const tn_poses *poses, FILE *say);

/* ---- other files: save.c --------------------------------------------------------------------------------------------------- */

/* a file that is written at once, at the end: it is opened, and locked, now, and must be none of the inputs (NULL: there are none).
 * 0, or an exit code that has been explained */
int tn_save_plan(const char *path, const inputs *in);
bool tn_ends_in(const char *path, const char *suffix); /* and something stands before it */
/* whether this build has pages; if not, that has been explained */
bool tn_pages(const char *path);
int tn_save(const char *path, tn_status (*print)(const void *what, tn_write write, void *user), const void *what);
void tn_save_end(void); /* files that were planned and not saved are given up */
/* --jobs N: 0 if it is not given, -1 if it makes no sense, which has been explained */
int tn_jobs(const words *w);

/* ---- examples, written by the build --------------------------------------------------------------------------------------- */

typedef struct example {
  const char *name;
  const unsigned char *text;
  size_t size;
} example;
extern const example tn_cli_examples[]; /* models by their names; ends with name NULL */
extern const example tn_cli_files[];    /* models, studies and their references by their paths; likewise */

#endif
