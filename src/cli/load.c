/* a model from a file, from stdin or out of a result, with what the command line says instead of it. */
#include "cli.h"

#include <sys/stat.h>

const option tn_cli_settings[] = {
    {"--set", NULL, "NAME=VALUE",
     "another value for a constant of the model, or the first one of a parameter; may repeat", NULL, true},
    {"--until", NULL, "T", "end of the run, s", NULL, false},
    {"--every", NULL, "T", "distance of rows of output, s", NULL, false},
    {"--method", NULL, "NAME", "a named combination: tenon list method", "method", false},
    {"--formulation", NULL, "PART", "one part of it: tenon list formulation", "formulation", false},
    {"--stabilize", NULL, "PART", "the other: tenon list stabilizer; may repeat, they stack in the order named",
     "stabilizer", true},
    {"--integrator", NULL, "PART", "tenon list integrator", "integrator", false},
    {"--step", NULL, "H", "fixed step, s", NULL, false},
    {"--rtol", NULL, "X", "adaptive step: relative tolerance", NULL, false},
    {"--atol", NULL, "X", "adaptive step: absolute tolerance; none by default", NULL, false},
    {"--coordinates", NULL, "WORD", "absolute, or relative: the same motion with fewer unknowns", "absolute relative",
     false},
    {"--body-coordinates", NULL, "NAME", "of bodies that name none: tenon list coordinates", "coordinates", false},
    {"--breach", NULL, "WORD", "what happens when the constraint contract is broken: stop or record", "stop record",
     false},
    {"--at-singularity", NULL, "WORD", "what happens where rows become dependent on the way: pass or stop", "pass stop",
     false},
    {"--allow-unstable", NULL, NULL,
     "run gains of a stabilizer that let a violation grow, which are refused otherwise; the verdict is `doubtful`",
     NULL, false},
    {.flag = NULL}};

static int apply(const words *w, tn_desc *d, tn_error *e) {
  tn_setting *setting = calloc((size_t)w->options + 1, sizeof *setting);
  int n = 0, code = 0;
  if (!setting) {
    tn_say(RED, "out of memory");
    return 5;
  }
  for (int i = 0; i < w->options && !code; i++) {
    const char *flag = w->option[i].option->flag, *value = w->option[i].value;
    bool shared = false;
    for (const option *o = tn_cli_settings; o->flag; o++)
      shared = shared || o == w->option[i].option; /* not a command's own */
    if (!shared) continue;
    if (strcmp(flag, "--set") == 0 && (!strchr(value, '=') || *value == '='))
      code = tn_say_usage(w, "--set needs NAME=VALUE, not", value);
    setting[n++] = (tn_setting){flag + 2, value ? value : "true"}; /* one without a value is a truth */
  }
  if (!code && tn_desc_settings(d, n, setting, e) != TN_OK) code = tn_say_error(e);
  free(setting);
  return code;
}

/* all of stdin; the reader refuses what is too large itself */
static tn_status read_stdin(tn_desc *d, tn_error *e) {
  const size_t most = (size_t)65 << 20;
  size_t room = 1 << 16, used = 0, n;
  char *text = malloc(room);
  while (text && (n = fread(text + used, 1, room - used, stdin)) > 0) {
    used += n;
    if (used < room) continue;
    if (room > most) break;
    char *larger = realloc(text, 2 * room);
    if (!larger) free(text);
    text = larger;
    room *= 2;
  }
  tn_status status = TN_E_MEMORY;
  if (!text) {
    tn_say(RED, "out of memory");
    e->status = status;
    e->message[0] = 0;
  } else if (ferror(stdin)) {
    tn_say(RED, "cannot read standard input");
    e->status = status = TN_E_IO;
    e->message[0] = 0;
  } else {
    status = tn_desc_parse(d, "<stdin>", text, used, e);
  }
  free(text);
  return status;
}

/* a result holds the model it came from */
static bool is_result(const char *path) {
  char start[4] = "";
  struct stat s;
  if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return false; /* a pipe can be read once only */
  FILE *file = fopen(path, "rb");
  const bool yes = file && fread(start, 1, 4, file) == 4 && memcmp(start, "\x89TNR", 4) == 0;
  if (file) fclose(file);
  return yes;
}

static tn_status read_model(loaded *l) {
  if (strcmp(l->name, "-") == 0) {
    l->name = "<stdin>";
    return read_stdin(l->desc, &l->error);
  }
  if (!is_result(l->name)) return tn_desc_read(l->desc, l->name, &l->error);
  tn_result *result;
  tn_status status = tn_result_open(NULL, l->name, &result, &l->error);
  if (status != TN_OK) return status;
  tn_result_fault fault; /* rows may be missing: the head is enough, if it is good */
  const tn_status whole = tn_result_check(result, &fault, &l->error);
  if (fault == TN_FAULT_HEAD) status = whole;
  if (status == TN_OK)
    status = tn_desc_parse(l->desc, l->name, tn_result_model(result), strlen(tn_result_model(result)), &l->error);
  tn_result_close(result);
  return status;
}

int tn_load_failed(const words *w, const loaded *l) {
  /* what has a pointer and no place in the file was given by an option */
  tn_error shown = l->error;
  if (*shown.pointer && !*shown.file && !shown.line) snprintf(shown.file, sizeof shown.file, "command line");
  const int code = *l->error.message ? tn_say_error(&shown) : tn_exit_code(l->error.status);
  if (tn_words_has(w, "--json")) tn_report_failure(&l->error, l->name, tn_to_file, stdout);
  return code;
}

int tn_load(const words *w, loaded *l) {
  *l = (loaded){.name = w->word[w->words - 1]}; /* the model comes last */
  if (tn_words_has(w, "--step") && (tn_words_has(w, "--rtol") || tn_words_has(w, "--atol")))
    return tn_say_usage(w, "--step is for a fixed step, --rtol and --atol for an adaptive one: not both", NULL);
  int code = tn_inputs_add(&l->inputs, l->name);
  if (code) return code;
  if (tn_desc_new(NULL, &l->desc, &l->error) != TN_OK || read_model(l) != TN_OK) return tn_load_failed(w, l);
  code = apply(w, l->desc, &l->error);
  if (code) {
    if (code != TN_E_USAGE && tn_words_has(w, "--json")) tn_report_failure(&l->error, l->name, tn_to_file, stdout);
    return code;
  }
  if (tn_compile(l->desc, &l->model, &l->error) != TN_OK || tn_sim_new(l->model, &l->sim, &l->error) != TN_OK)
    return tn_load_failed(w, l);
  return tn_inputs_drawn(&l->inputs, l->name, l->model);
}

void tn_unload(loaded *l) {
  tn_sim_free(l->sim);
  tn_model_free(l->model);
  tn_desc_free(l->desc);
  tn_inputs_free(&l->inputs);
}
