/* tenon resume RESULT: a run that was killed or interrupted goes on from its last checkpoint. the result file has the model and its
 * settings, RESULT.state the state. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

static const option options[] = {
    {"--checkpoint", NULL, "SECONDS", "as of run: how often the state is saved, 60 if left out; 0: never", NULL, false},
    {"--accept-doubt", NULL, NULL, "exit with 0 if the verdict is `doubtful`; `wrong` stays 8", NULL, false},
    {"--verify", NULL, NULL,
     "as of run: a second run, from the start of the model; compared from where this one goes on", NULL, false},
    {"--json", NULL, NULL, "the summary as one JSON object on standard output", NULL, false},
    {"--quiet", "-q", NULL, "no summary", NULL, false},
    {"--verbose", "-v", NULL, "all warnings and events", NULL, false},
    {.flag = NULL}};

enum { PATH = 4096 };

/* all of a file, to be freed; NULL, with the reason in *e */
static unsigned char *read_state(const char *path, size_t *size, tn_error *e) {
  static const off_t most = (off_t)8 << 30;
  struct stat s;
  *e = (tn_error){.status = TN_E_IO, .byte = -1, .time = NAN};
  FILE *file = fopen(path, "rb");
  unsigned char *data = NULL;
  if (!file || fstat(fileno(file), &s) != 0 || !S_ISREG(s.st_mode) || s.st_size > most)
    snprintf(e->message, sizeof e->message, "cannot read the checkpoint '%.300s': %s", path,
             file ? "it is not one" : strerror(errno));
  else if (!(data = malloc((size_t)s.st_size + 1)))
    snprintf(e->message, sizeof e->message, "out of memory");
  else if ((*size = fread(data, 1, (size_t)s.st_size, file)) != (size_t)s.st_size) {
    snprintf(e->message, sizeof e->message, "cannot read the checkpoint '%.300s'", path);
    free(data);
    data = NULL;
  }
  if (file) fclose(file);
  return data;
}

/* the model as the head of the result has it, and its name; damage: of the head or a block, and else no message. that the end is missing is
 * why it is resumed */
static tn_status read_model(const char *record, loaded *l, char **name, tn_error *damage) {
  tn_result *result;
  tn_result_fault fault;
  tn_status status = tn_desc_new(NULL, &l->desc, &l->error);
  if (status == TN_OK) status = tn_result_open(NULL, record, &result, &l->error);
  if (status != TN_OK) return status;
  *name = strdup(tn_result_name(result));
  l->name = *name ? *name : "";
  tn_result_check(result, &fault, damage);
  if (fault == TN_FAULT_NO_END) damage->message[0] = 0;
  status = tn_desc_parse(l->desc, record, tn_result_model(result), strlen(tn_result_model(result)), &l->error);
  tn_result_close(result);
  if (status == TN_OK) status = tn_compile(l->desc, &l->model, &l->error);
  return status == TN_OK ? tn_sim_new(l->model, &l->sim, &l->error) : status;
}

/* -1: this is not the file that the state belongs to, said in *e */
static int go_on(const words *w, const char *target, const char *record, const unsigned char *state, size_t size,
                 tn_error *e) {
  loaded l = {.name = NULL};
  outputs *out = NULL;
  char *name = NULL;
  int code = -1;
  tn_error damage = {.status = TN_OK};
  e->message[0] = 0;
  if (read_model(record, &l, &name, &damage) != TN_OK)
    *e = l.error;
  else if ((code = tn_outputs_resume(target, record, &l, state, size, &out, e)) == 0)
    code = tn_simulate(w, &l, out);
  else if (*e->message)
    code = -1;
  if (code < 0 && *damage.message) *e = damage; /* which is why they do not belong together */
  if ((!code || code == EXIT_DOUBT) && !tn_words_has(w, "--quiet") && !tn_words_has(w, "--json"))
    tn_line(stdout, "  other kinds of files are made of it: tenon export %s -o FILE.csv", target);
  tn_outputs_free(out);
  tn_unload(&l);
  free(name);
  return code;
}

static bool there(const char *path) {
  struct stat s;
  return stat(path, &s) == 0;
}

/* what a link stands for: checkpoints are beside that, as in run */
static bool follow(char *target, size_t size) {
  char *real = tn_link_target(target);
  const bool fits = !real || strlen(real) < size;
  if (real && fits) strcpy(target, real);
  free(real);
  return fits;
}

static int nothing_to_resume(const char *target, const char *part, const char *state) {
  tn_result *r;
  tn_error e;
  if (!there(target) && !there(part)) {
    tn_say(RED, "there is no '%s', nor '%s'", target, part);
    return TN_E_IO;
  }
  if (!there(part) && tn_result_open(NULL, target, &r, &e) != TN_OK) return tn_say_error(&e);
  if (!there(part)) {
    tn_result_fault fault;
    const tn_status status = tn_result_check(r, &fault, &e);
    tn_result_close(r);
    if (status == TN_OK) {
      tn_line(stdout, "'%s' has come to its end: there is nothing to resume", target);
      return 0;
    }
    if (fault != TN_FAULT_NO_END) return tn_say_error(&e);
  }
  tn_say(RED, "there is no checkpoint '%s': the run ended before its first one, or was to make none", state);
  tn_say(PLAIN, "the rows so far are in '%s'; tenon run MODEL -o %s --checkpoint SECONDS makes them more often",
         there(part) ? part : target, target);
  return TN_E_IO;
}

static int run(const words *w) {
  char target[PATH], part[PATH + 16], state[PATH + 16];
  double seconds;
  tn_error e, first;
  size_t size = 0;
  const char *word = w->word[0];
  if (!tn_checkpoint_given(w, &seconds)) return TN_E_USAGE;
  size_t n = strlen(word);
  if (tn_ends_in(word, ".tnr.part")) n -= 5; /* what a killed run leaves */
  if (tn_ends_in(word, ".tnr.state")) n -= 6;
  if (n >= sizeof target) return tn_say_usage(w, "the name is too long:", word);
  snprintf(target, sizeof target, "%.*s", (int)n, word);
  if (!tn_ends_in(target, ".tnr")) return tn_say_usage(w, "the name of a result ends in .tnr, not", word);
  if (!follow(target, sizeof target)) return tn_say_usage(w, "the name is too long:", word);
  snprintf(part, sizeof part, "%s.part", target);
  snprintf(state, sizeof state, "%s.state", target);
  if (!there(state)) return nothing_to_resume(target, part, state);
  unsigned char *data = read_state(state, &size, &first);
  if (!data) return tn_say_error(&first);
  /* a killed run leaves FILE.part, an interrupted one FILE if there was no older one */
  int code = -1;
  first.message[0] = 0;
  if (there(part)) code = go_on(w, target, part, data, size, &first);
  if (code < 0 && there(target)) {
    if (there(part)) tn_say(YELLOW, "'%s' is of another run; the checkpoint belongs to '%s'", part, target);
    code = go_on(w, target, target, data, size, &e);
    if (code < 0 && !*first.message) first = e;
  }
  if (code < 0 && !*first.message)
    first = (tn_error){
        .status = TN_E_IO, .message = "the result that this checkpoint belongs to is gone", .byte = -1, .time = NAN};
  if (code < 0 && !*first.file) snprintf(first.file, sizeof first.file, "%.*s", (int)sizeof first.file - 1, state);
  if (code < 0) {
    code = tn_say_error(&first);
    if (tn_words_has(w, "--json")) tn_report_failure(&first, target, tn_to_file, stdout);
  }
  free(data);
  return code;
}

const command tn_cli_resume = {
    .name = "resume",
    .takes = "RESULT",
    .doc = "Go on with a run that was killed or interrupted, from its last checkpoint to its end.",
    .more =
        "RESULT is the .tnr that the run was to write: it has the model and its settings, RESULT.state has the state, "
        "saved every minute (--checkpoint of run) and when a run is interrupted. With integrators of one step the file "
        "becomes, byte for byte but for times of clocks, that of a run that was never stopped; those with a history "
        "begin anew, and an event says where. Of other outputs of the run nothing is written: tenon export makes them "
        "of RESULT. A run that has ended leaves no checkpoint; resuming it does nothing.",
    .completes = "file",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
