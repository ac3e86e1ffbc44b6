/* tenon run MODEL: read, override, compile, simulate, write. */
#include "cli.h"

static const char help[] =
    "tenon run MODEL [options]\n"
    "\n"
    "  -o FILE.csv              write the outputs of the model; rows at every multiple of --every and at the end\n"
    "  --json                   the summary as one JSON object on stdout\n"
    "  --set NAME=VALUE         another value for a constant of the model; may repeat\n"
    "  --until T, --every T     end of the run and distance of output rows, s\n"
    "  --method NAME            a named combination; `tenon list method`\n"
    "  --formulation PART       one part of it: `tenon list formulation`\n"
    "  --stabilize PART         `tenon list stabilizer`; may repeat, they stack in the order named\n"
    "  --integrator PART        `tenon list integrator`\n"
    "  --step H                 fixed step, s\n"
    "  --rtol X, --atol X       adaptive step: relative and absolute tolerance\n"
    "  --breach stop|record     what happens when the constraint contract is broken\n"
    "\n"
    "A PART has parameters after a colon: --stabilize baumgarte:alpha=5,beta=5 --integrator rk4:step=1e-3\n"
    "What is given here wins over the model's `run` settings; defaults: method project, adaptive dopri5, rtol = atol = "
    "1e-8.\n";

typedef struct options {
  const char *model, *output;
  bool json;
} options;

/* an option with a value under /run; parts may have parameters */
typedef struct setting {
  const char *flag, *pointer;
  bool part;
  const char *replaces[2]; /* settings of the file that it pushes aside */
} setting;

static const setting settings[] = {
    {"--method", "/run/method", true, {"/run/formulation", "/run/stabilize"}},
    {"--formulation", "/run/formulation", true, {NULL, NULL}},
    {"--stabilize", "/run/stabilize/-", true, {NULL, NULL}},
    {"--integrator", "/run/integrator", true, {NULL, NULL}},
    {"--step", "/run/integrator/step", false, {"/run/integrator/rtol", "/run/integrator/atol"}},
    {"--rtol", "/run/integrator/rtol", false, {"/run/integrator/step", NULL}},
    {"--atol", "/run/integrator/atol", false, {"/run/integrator/step", NULL}},
    {"--breach", "/run/contract/breach", true, {NULL, NULL}},
    {"--until", "/run/until", false, {NULL, NULL}},
    {"--every", "/run/every", false, {NULL, NULL}},
};

/* a number, or an expression as in the model file */
static tn_status set_value(tn_desc *d, const char *pointer, const char *text, tn_error *e) {
  char *end;
  const double value = strtod(text, &end);
  return *text && !*end ? tn_desc_number(d, pointer, value, e) : tn_desc_text(d, pointer, text, e);
}

static int set_constant(tn_desc *d, const char *word, tn_error *e) {
  char pointer[128];
  const char *equal = strchr(word, '=');
  if (!equal || equal == word || (size_t)(equal - word) > sizeof pointer - 16)
    return tn_cli_usage("run", "--set needs NAME=VALUE, not", word);
  snprintf(pointer, sizeof pointer, "/constants/%.*s", (int)(equal - word), word);
  if (!tn_desc_has(d, pointer)) {
    fprintf(stderr, "tenon: the model has no constant '%.*s' to set\n", (int)(equal - word), word);
    return TN_E_USAGE;
  }
  return set_value(d, pointer, equal + 1, e) == TN_OK ? 0 : tn_cli_fail(e);
}

/* the words after the model, in the order that lets the parts of a whole win over the whole */
static int apply(tn_desc *d, int argc, char **argv, tn_error *e) {
  bool stabilize_cleared = false;
  for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
    const setting *s = &settings[k];
    for (int i = 1; i + 1 < argc; i++) {
      if (strcmp(argv[i], s->flag) != 0) continue;
      const char *value = argv[++i];
      for (int r = 0; r < 2; r++)
        if (s->replaces[r]) tn_desc_remove(d, s->replaces[r]);
      if (strcmp(s->flag, "--stabilize") == 0 && !stabilize_cleared) {
        tn_desc_remove(d, "/run/stabilize");
        stabilize_cleared = true;
      }
      tn_status status = s->part ? tn_desc_part(d, s->pointer, value, e) : set_value(d, s->pointer, value, e);
      if (status != TN_OK) return tn_cli_fail(e);
    }
  }
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], "--set") == 0) {
      const int code = set_constant(d, argv[++i], e);
      if (code) return code;
    }
  return 0;
}

static bool has(int argc, char **argv, const char *flag) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], flag) == 0) return true;
  return false;
}

static int parse(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    bool takes_value = strcmp(word, "--set") == 0 || strcmp(word, "-o") == 0;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
      takes_value = takes_value || strcmp(word, settings[k].flag) == 0;
    if (takes_value) {
      if (i + 1 >= argc) return tn_cli_usage("run", "a value is missing after", word);
      if (strcmp(word, "-o") == 0) {
        if (o->output) return tn_cli_usage("run", "one -o only, not also", argv[i + 1]);
        o->output = argv[i + 1];
      }
      i++;
    } else if (strcmp(word, "--json") == 0) {
      o->json = true;
    } else if (word[0] == '-' && word[1]) {
      return tn_cli_usage("run", "unknown option", word);
    } else if (o->model) {
      return tn_cli_usage("run", "one model at a time, not also", word);
    } else {
      o->model = word;
    }
  }
  if (!o->model) return tn_cli_usage("run", "no model given", NULL);
  if (has(argc, argv, "--step") && (has(argc, argv, "--rtol") || has(argc, argv, "--atol")))
    return tn_cli_usage("run", "--step is for a fixed step, --rtol and --atol for an adaptive one: not both", NULL);
  if (o->output) {
    const char *dot = strrchr(o->output, '.');
    if (!dot || strcmp(dot, ".csv") != 0)
      return tn_cli_usage("run", "the output file must end in .csv, not", o->output);
  }
  return 0;
}

typedef struct sink {
  FILE *file;
  bool failed;
} sink;

static tn_status on_row(void *user, double t, int n, const double *values) {
  sink *out = user;
  if (!out->file) return TN_OK;
  tn_status status = tn_csv_row(t, n, values, tn_cli_to_file, out->file);
  out->failed = status != TN_OK;
  return status;
}

static int simulate(const tn_model *model, const options *o) {
  tn_sim *sim = NULL;
  tn_error e;
  sink out = {NULL, false};
  char part[4096];
  if (tn_sim_new(model, &sim, &e) != TN_OK) return tn_cli_fail(&e);
  int code = 0;
  /* the start first: a model that is refused touches no file */
  tn_status status = tn_sim_start(sim, &e);
  if (status == TN_OK && o->output) {
    if (snprintf(part, sizeof part, "%s.part", o->output) >= (int)sizeof part || !(out.file = fopen(part, "wb"))) {
      fprintf(stderr, "tenon: cannot write '%s'\n", o->output);
      tn_sim_free(sim);
      return TN_E_IO;
    }
    out.failed = tn_csv_head(sim, tn_cli_to_file, out.file) != TN_OK;
  }
  if (status == TN_OK && !out.failed) status = tn_sim_run(sim, on_row, &out, &e);
  if (out.file) {
    out.failed = fclose(out.file) != 0 || out.failed;
    if (out.failed || rename(part, o->output) != 0) {
      fprintf(stderr, "tenon: cannot write '%s'\n", o->output);
      remove(part);
      code = TN_E_IO;
    }
  }
  tn_status said = TN_OK;
  if (o->json)
    said = tn_report_json(sim, o->model, tn_cli_to_file, stdout);
  else if (status != TN_E_MODEL)
    said = tn_report_text(sim, o->model, tn_cli_to_file, stdout);
  if (status != TN_OK && !code) code = tn_cli_fail(&e);
  if (!code && o->output && !o->json) printf("  wrote %s\n", o->output);
  if ((fflush(stdout) != 0 || said != TN_OK) && !code) {
    fprintf(stderr, "tenon: cannot write to standard output\n");
    code = TN_E_IO;
  }
  tn_sim_free(sim);
  return code;
}

int tn_cli_run(int argc, char **argv) {
  options o = {NULL, NULL, false};
  tn_error e;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      fputs(help, stdout);
      return 0;
    }
  int code = parse(argc, argv, &o);
  if (code) return code;
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  if (tn_desc_new(NULL, &desc, &e) != TN_OK) return tn_cli_fail(&e);
  if (tn_desc_read(desc, o.model, &e) != TN_OK) code = tn_cli_fail(&e);
  if (!code) code = apply(desc, argc, argv, &e);
  if (!code && tn_compile(desc, &model, &e) != TN_OK) code = tn_cli_fail(&e);
  if (code && code != TN_E_USAGE && o.json) tn_report_failure(&e, o.model, tn_cli_to_file, stdout);
  tn_desc_free(desc);
  if (!code) code = simulate(model, &o);
  tn_model_free(model);
  return code;
}
