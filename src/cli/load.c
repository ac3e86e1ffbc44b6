/* a model from a file, from stdin or out of a result, with what the command line says instead of it. */
#include "cli.h"

#include <sys/stat.h>

const option tn_cli_settings[] = {
    {"--set", NULL, "NAME=VALUE", "another value for a constant of the model; may repeat", NULL, true},
    {"--until", NULL, "T", "end of the run, s", NULL, false},
    {"--every", NULL, "T", "distance of rows of output, s", NULL, false},
    {"--method", NULL, "NAME", "a named combination: tenon list method", "method", false},
    {"--formulation", NULL, "PART", "one part of it: tenon list formulation", "formulation", false},
    {"--stabilize", NULL, "PART", "the other: tenon list stabilizer; may repeat, they stack in the order named",
     "stabilizer", true},
    {"--integrator", NULL, "PART", "tenon list integrator", "integrator", false},
    {"--step", NULL, "H", "fixed step, s", NULL, false},
    {"--rtol", NULL, "X", "adaptive step: relative tolerance", NULL, false},
    {"--atol", NULL, "X", "adaptive step: absolute tolerance", NULL, false},
    {"--coordinates", NULL, "WORD", "absolute, or relative: the same motion with fewer unknowns", "absolute relative",
     false},
    {"--body-coordinates", NULL, "NAME", "of bodies that name none: tenon list coordinates", "coordinates", false},
    {"--breach", NULL, "WORD", "what happens when the constraint contract is broken: stop or record", "stop record",
     false},
    {"--at-singularity", NULL, "WORD", "what happens where rows become dependent on the way: pass or stop", "pass stop",
     false},
    {.flag = NULL}};

/* where a setting goes; parts may have parameters */
typedef struct setting {
  const char *flag, *pointer;
  bool part;
  const char *replaces[2]; /* settings of the file that it pushes aside */
} setting;

/* in the order that lets the parts of a whole win over the whole */
static const setting settings[] = {
    {"--method", "/run/method", true, {"/run/formulation", "/run/stabilize"}},
    {"--formulation", "/run/formulation", true, {NULL, NULL}},
    {"--stabilize", "/run/stabilize/-", true, {NULL, NULL}},
    {"--integrator", "/run/integrator", true, {NULL, NULL}},
    {"--step", "/run/integrator/step", false, {"/run/integrator/rtol", "/run/integrator/atol"}},
    {"--rtol", "/run/integrator/rtol", false, {"/run/integrator/step", NULL}},
    {"--atol", "/run/integrator/atol", false, {"/run/integrator/step", NULL}},
    {"--breach", "/run/contract/breach", true, {NULL, NULL}},
    {"--at-singularity", "/run/at_singularity", true, {NULL, NULL}},
    {"--coordinates", "/coordinates", false, {NULL, NULL}},
    {"--body-coordinates", "/body_coordinates", false, {NULL, NULL}},
    {"--until", "/run/until", false, {NULL, NULL}},
    {"--every", "/run/every", false, {NULL, NULL}},
};

/* a number, or an expression as in the model file */
static tn_status set_value(tn_desc *d, const char *pointer, const char *text, tn_error *e) {
  char *end;
  const double value = strtod(text, &end);
  return *text && !*end ? tn_desc_number(d, pointer, value, e) : tn_desc_text(d, pointer, text, e);
}

static int set_constant(const words *w, tn_desc *d, const char *word, tn_error *e) {
  char pointer[128];
  const char *equal = strchr(word, '=');
  if (!equal || equal == word || (size_t)(equal - word) > sizeof pointer - 16)
    return tn_say_usage(w, "--set needs NAME=VALUE, not", word);
  snprintf(pointer, sizeof pointer, "/constants/%.*s", (int)(equal - word), word);
  if (!tn_desc_has(d, pointer)) {
    tn_say(RED, "the model has no constant '%.*s' to set", (int)(equal - word), word);
    return TN_E_USAGE;
  }
  return set_value(d, pointer, equal + 1, e) == TN_OK ? 0 : tn_say_error(e);
}

static int apply(const words *w, tn_desc *d, tn_error *e) {
  bool cleared = false;
  for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
    const setting *s = &settings[k];
    for (int i = 0; i < w->options; i++) {
      const char *value = w->option[i].value;
      if (strcmp(w->option[i].option->flag, s->flag) != 0) continue;
      for (int r = 0; r < 2; r++)
        if (s->replaces[r]) tn_desc_remove(d, s->replaces[r]);
      if (strcmp(s->flag, "--stabilize") == 0 && !cleared) {
        tn_desc_remove(d, "/run/stabilize");
        cleared = true;
      }
      tn_status status = s->part ? tn_desc_part(d, s->pointer, value, e) : set_value(d, s->pointer, value, e);
      if (status != TN_OK) return tn_say_error(e);
    }
  }
  for (int i = 0; i < w->options; i++)
    if (strcmp(w->option[i].option->flag, "--set") == 0) {
      const int code = set_constant(w, d, w->option[i].value, e);
      if (code) return code;
    }
  return 0;
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
  status = tn_desc_parse(l->desc, l->name, tn_result_model(result), strlen(tn_result_model(result)), &l->error);
  tn_result_close(result);
  return status;
}

int tn_load_failed(const words *w, const loaded *l) {
  const int code = *l->error.message ? tn_say_error(&l->error) : tn_exit_code(l->error.status);
  if (tn_words_has(w, "--json")) tn_report_failure(&l->error, l->name, tn_to_file, stdout);
  return code;
}

int tn_load(const words *w, loaded *l) {
  *l = (loaded){.name = w->word[0]};
  if (tn_words_has(w, "--step") && (tn_words_has(w, "--rtol") || tn_words_has(w, "--atol")))
    return tn_say_usage(w, "--step is for a fixed step, --rtol and --atol for an adaptive one: not both", NULL);
  if (tn_desc_new(NULL, &l->desc, &l->error) != TN_OK || read_model(l) != TN_OK) return tn_load_failed(w, l);
  const int code = apply(w, l->desc, &l->error);
  if (code) {
    if (code != TN_E_USAGE && tn_words_has(w, "--json")) tn_report_failure(&l->error, l->name, tn_to_file, stdout);
    return code;
  }
  if (tn_compile(l->desc, &l->model, &l->error) != TN_OK || tn_sim_new(l->model, &l->sim, &l->error) != TN_OK)
    return tn_load_failed(w, l);
  return 0;
}

void tn_unload(loaded *l) {
  tn_sim_free(l->sim);
  tn_model_free(l->model);
  tn_desc_free(l->desc);
}
