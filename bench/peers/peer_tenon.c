/* Tenon by its library.
 *
 *   peer_tenon MODEL EVERY UNTIL [NAME=VALUE ..]     constants of the model
 *
 * The first lines of standard input: the number of bodies, then NAME X Y [Z], where the mass centre of each is at the
 * start. Every further line is a setting: BUDGET [NAME=VALUE ..], with options of the command line without dashes. The
 * run is repeated for BUDGET s, and the least time counts. `accelerations` alone asks for those of the mass centres at
 * the start. The answer is a line of JSON. Time is that of tn_sim_run, with its rows and without the start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tenon/tenon.h"

enum { MOST = 32, LONG = 256 };

typedef struct rows {
  double *value;
  size_t n, most;
  bool start; /* the row at t = 0 counts, and no other */
} rows;

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_status keep(void *user, double t, int n, const double *values) {
  rows *r = user;
  if (r->start != (t == 0)) return TN_OK;
  if (r->n + (size_t)n > r->most) return TN_E_MEMORY;
  memcpy(r->value + r->n, values, (size_t)n * sizeof *values);
  r->n += (size_t)n;
  return TN_OK;
}

static void print(const char *name, const double *values, size_t n, int dimension) {
  printf("\"%s\":[", name);
  for (size_t i = 0; i < n; i++) {
    if (isfinite(values[i]))
      printf("%s%.17g", i ? "," : "", values[i]);
    else
      printf("%snull", i ? "," : "");
    if (dimension == 2 && i % 2 == 1) printf(",0");
  }
  printf("]}\n");
  fflush(stdout);
}

/* words NAME=VALUE as settings; constants and parameters are those of `set` */
static int settings(char *words, tn_setting *list, char (*text)[LONG]) {
  int n = 0;
  for (char *word = strtok(words, " \n"); word && n < MOST; word = strtok(NULL, " \n")) {
    char *equal = strchr(word, '=');
    snprintf(text[n], LONG, "%s", word);
    if (!equal) continue;
    text[n][equal - word] = '\0';
    list[n] = (tn_setting){text[n], text[n] + (equal - word) + 1};
    n++;
  }
  return n;
}

typedef struct problem {
  const char *file, *every, *until;
  char **constant;
  int constants, bodies;
  char (*name)[64];
  double (*at)[3];
} problem;

static tn_status outputs(tn_desc *desc, const problem *p, const char *function, tn_error *e) {
  tn_desc_remove(desc, "/outputs");
  tn_status status = TN_OK;
  for (int i = 0; i < p->bodies && !status; i++) {
    char point[64], output[64], value[160];
    snprintf(point, sizeof point, "/points/centre_of_%d", i);
    snprintf(output, sizeof output, "/outputs/centre%d", i);
    snprintf(value, sizeof value, "%s(%s, centre_of_%d)", function, p->name[i], i);
    status = tn_desc_numbers(desc, point, isnan(p->at[i][2]) ? 2 : 3, p->at[i], e);
    if (!status) status = tn_desc_text(desc, output, value, e);
  }
  return status;
}

static tn_status compile(const problem *p, char *words, const char *function, const char *until, tn_model **model,
                         tn_error *e) {
  tn_setting list[MOST + 8];
  char text[MOST][LONG];
  tn_desc *desc = NULL;
  int n = 0;
  for (; n < p->constants; n++) list[n] = (tn_setting){"set", p->constant[n]};
  list[n++] = (tn_setting){"every", p->every};
  list[n++] = (tn_setting){"until", until};
  n += settings(words, list + n, text);
  tn_status status = tn_desc_new(NULL, &desc, e);
  if (!status) status = tn_desc_read(desc, p->file, e);
  if (!status) status = outputs(desc, p, function, e);
  if (!status) status = tn_desc_settings(desc, n, list, e);
  if (!status) status = tn_compile(desc, model, e);
  tn_desc_free(desc);
  return status;
}

static tn_status run(tn_model *model, rows *r, double budget, double *least, tn_summary *summary, tn_error *e) {
  double spent = 0;
  tn_status status = TN_OK;
  *least = HUGE_VAL;
  do {
    tn_sim *sim = NULL;
    r->n = 0;
    status = tn_sim_new(model, &sim, e);
    if (!status) status = tn_sim_start(sim, e);
    const double from = cpu();
    if (!status) status = tn_sim_run(sim, keep, r, e);
    const double took = cpu() - from;
    *least = fmin(*least, took), spent += took;
    if (sim) *summary = *tn_sim_summary(sim);
    tn_sim_free(sim);
  } while (!status && spent < budget);
  return status;
}

static int fault(const tn_error *e) {
  char text[1200];
  tn_error_text(e, text, sizeof text);
  for (char *c = text; *c; c++)
    if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') *c = '\'';
  printf("{\"fault\":\"%s\"}\n", text);
  fflush(stdout);
  return 0;
}

static int answer(const problem *p, char *line) {
  tn_model *model = NULL;
  tn_error e = {0};
  tn_summary summary = {0};
  tn_model_info info;
  double least;
  char *words = line;
  const bool at_start = strncmp(line, "accelerations", 13) == 0;
  const double budget = at_start ? 0 : strtod(line, &words);
  char none[1] = "";
  tn_status status = compile(p, at_start ? none : words, at_start ? "acceleration" : "position",
                             at_start ? "1e-9" : p->until, &model, &e);
  if (status) return fault(&e);
  tn_model_get_info(model, &info);
  const size_t width = (size_t)(p->bodies * info.dimension),
               samples = (size_t)lround(strtod(p->until, NULL) / strtod(p->every, NULL)) + 1;
  rows r = {calloc(width * samples, sizeof(double)), 0, width * samples, at_start};
  if (!r.value) return 1;
  status = run(model, &r, budget, &least, &summary, &e);
  if (status)
    fault(&e);
  else if (at_start) {
    printf("{");
    print("accelerations", r.value, width, info.dimension);
  } else {
    printf("{\"cpu\":%.9g,\"length\":%.9g,\"rhs\":%lld,\"good\":%s,", least, info.length, (long long)summary.rhs,
           summary.verdict == TN_WRONG ? "false" : "true");
    print("places", r.value, r.n, info.dimension);
  }
  free(r.value);
  tn_model_free(model);
  return 0;
}

int main(int argc, char **argv) {
  char *line = NULL;
  size_t size = 0;
  if (argc < 4) return fprintf(stderr, "peer_tenon MODEL EVERY UNTIL [NAME=VALUE ..]\n"), 1;
  problem p = {.file = argv[1], .every = argv[2], .until = argv[3], .constant = argv + 4, .constants = argc - 4};
  if (getline(&line, &size, stdin) <= 0 || (p.bodies = atoi(line)) <= 0)
    return fprintf(stderr, "peer_tenon: no bodies\n"), 1;
  p.name = calloc((size_t)p.bodies, sizeof *p.name), p.at = calloc((size_t)p.bodies, sizeof *p.at);
  if (!p.name || !p.at) return 1;
  for (int i = 0; i < p.bodies; i++) {
    p.at[i][2] = NAN; /* in the plane */
    if (getline(&line, &size, stdin) <= 0 ||
        sscanf(line, "%63s %lf %lf %lf", p.name[i], &p.at[i][0], &p.at[i][1], &p.at[i][2]) < 3)
      return fprintf(stderr, "peer_tenon: body %d is missing\n", i), 1;
  }
  int code = 0;
  while (!code && getline(&line, &size, stdin) > 0) code = answer(&p, line);
  free(line), free(p.name), free(p.at);
  return code;
}
