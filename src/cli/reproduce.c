/* tenon reproduce PAPER: a study, or all of them. */
#include "cli.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tenon/study.h"

static const char *const papers[] = {"wu2000", "braun2009", "nada2017", "nada2023", "hoang2023", "iftomm", NULL};

static const option options[] = {
    {"--quick", NULL, NULL, "leave out what takes long", NULL, false},
    {"--only", NULL, "TEXT", "claims and figures with this in their id", NULL, false},
    {"--figures", NULL, "FOLDER",
     "draw the figures of the paper: fig_01.svg, fig_01.png and their numbers, fig_01.csv (several papers: each in a "
     "folder of its own)",
     "file", false},
    {"--vary-assumptions", NULL, NULL,
     "vary what had to be assumed, and compare the verdicts that change with those that the study says", NULL, false},
    {"--jobs", "-j", "N", "runs at a time; as many as there are processors if left out", NULL, false},
    {"--json", NULL, NULL, "as one JSON object (several papers: a list of them)", NULL, false},
    {"--output", "-o", "PLACE",
     "a name in .html: the page of a paper, for a browser; else a folder for PAPER.html and the curves of every run, "
     "as "
     "CSV",
     "file", false},
    {"--quiet", "-q", NULL, "no progress", NULL, false},
    {.flag = NULL}};

/* ---- where studies are ------------------------------------------------------------------------------------------------- */

static bool is_file(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* by its path; under $TENON_DATA, or here; false: none of them */
static bool find(const char *name, char *path, size_t size) {
  const char *data = getenv("TENON_DATA");
  if (strchr(name, '/') || (strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".json") == 0))
    return (size_t)snprintf(path, size, "%s", name) < size;
  if (data && (size_t)snprintf(path, size, "%s/studies/%s.json", data, name) < size && is_file(path)) return true;
  return (size_t)snprintf(path, size, "studies/%s.json", name) < size && is_file(path);
}

/* the text of a file that the build has put into the program: `studies/../models/pendulum.json` too */
static const char *built_in(void *user, const char *path, size_t *size) {
  (void)user;
  if (strncmp(path, "studies/../", 11) == 0) path += 11;
  for (const example *x = tn_cli_files; x->name; x++)
    if (strcmp(x->name, path) == 0) return *size = x->size, (const char *)x->text;
  return NULL;
}

/* ---- one study ------------------------------------------------------------------------------------------------------------ */

typedef struct progress {
  const char *paper;
  bool shown, line;
} progress;

static bool on_progress(void *user, int done, int all, const char *run) {
  progress *p = user;
  if (!p->shown) return true;
  char paper[64], shown[48];
  tn_show(paper, sizeof paper, p->paper);
  tn_show(shown, sizeof shown, run);
  fprintf(stderr, "\r  %s: %d of %d runs, %s\x1b[K", paper, done, all, shown);
  fflush(stderr);
  p->line = true;
  return true;
}

typedef struct curve {
  const tn_study *s;
  int i;
} curve;

typedef struct page {
  const tn_study *s;
  const char *command;
} page;

typedef tn_status (*painter)(const tn_study *s, int i, tn_write write, void *user, tn_error *e);
typedef struct picture {
  const tn_study *s;
  int i;
  painter paint;
} picture;

static tn_status as_picture(const void *what, tn_write write, void *user) {
  const picture *p = what;
  return p->paint(p->s, p->i, write, user, NULL);
}

static tn_status as_curve(const void *what, tn_write write, void *user) {
  const curve *c = what;
  return tn_study_curve_csv(c->s, c->i, write, user);
}

static tn_status as_page(const void *what, tn_write write, void *user) {
  const page *p = what;
  return tn_study_page(p->s, p->command, write, user, NULL);
}

static bool again(const words *w, const option *o) {
  (void)w;
  return strcmp(o->flag, "--quick") == 0 || strcmp(o->flag, "--only") == 0;
}

/* of `all` every paper has a command of its own */
static int save_page(const words *w, const char *paper, const tn_study *s, const char *path) {
  words one = *w;
  one.word = &paper;
  char *line = tn_words_again(&one, "tenon reproduce", again);
  const int code = line ? tn_save(path, as_page, &(page){s, line}) : 5;
  free(line);
  return code;
}

/* letters that a name of a file should not have are put away; true: there were some */
static bool plain(char *name) {
  bool changed = false;
  for (char *c = name; *c; c++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+", *c)) *c = '_', changed = true;
  if (*name == '.') *name = '_';
  return changed;
}

/* FOLDER/paper.html */
static int write_page(const words *w, const char *paper, const tn_study *s, const inputs *in, const char *folder) {
  char path[1024], name[128];
  snprintf(name, sizeof name, "%s", *tn_study_paper(s) ? tn_study_paper(s) : "study");
  plain(name);
  if ((size_t)snprintf(path, sizeof path, "%s/%s.html", folder, name) >= sizeof path) return TN_E_IO;
  const char *why;
  if (!tn_has_pages(&why)) {
    tn_say(YELLOW, "no page is written: pages are left out of this Tenon: %s", why);
    return 0;
  }
  const int code = tn_save_plan(path, in);
  return code ? code : save_page(w, paper, s, path);
}

/* before anything is read */
static int check_output(const words *w, const char *output, const inputs *in) {
  if (output && tn_words_has(w, "--vary-assumptions"))
    return tn_say_usage(w, "variations are printed, as text or with --json, and not written to", output);
  if (!output || !tn_ends_in(output, ".html")) return 0;
  if (strcmp(w->word[0], "all") == 0) return tn_say_usage(w, "all papers need a folder, not", output);
  return tn_pages(output) ? tn_inputs_spare(in, output, NULL) : TN_E_USAGE;
}

static int make_folder(const char *path) {
  struct stat s;
  if (mkdir(path, 0777) == 0) return 0;
  if (errno == EEXIST && stat(path, &s) == 0) {
    if (S_ISDIR(s.st_mode)) return 0;
    errno = ENOTDIR;
  }
  tn_say(RED, "cannot make '%s': %s", path, strerror(errno));
  return TN_E_IO;
}

/* before anything runs: a page that can be written, or a folder */
static int plan_output(const char *output, const inputs *in) {
  if (!output) return 0;
  return tn_ends_in(output, ".html") ? tn_save_plan(output, in) : make_folder(output);
}

/* where the figures of a study go: of several papers a folder in the one that is named. made before anything runs */
static int plan_figures(const words *w, const tn_study *s, char *folder, size_t size) {
  const char *chosen = tn_words_value(w, "--figures");
  char name[128];
  *folder = 0;
  if (!chosen) return 0;
  snprintf(name, sizeof name, "/%s", tn_study_paper(s));
  plain(name + 1);
  const bool all = strcmp(w->word[0], "all") == 0;
  if ((size_t)snprintf(folder, size, "%s%s", chosen, all ? name : "") >= size)
    return tn_cannot_write(chosen, "this path is too long");
  const int code = all ? make_folder(chosen) : 0;
  return code ? code : make_folder(folder);
}

/* FOLDER/fig_01.svg, .csv and, if that can be made, .png */
static int write_figures(const tn_study *s, const inputs *in, const char *folder) {
  static const struct {
    const char *suffix;
    painter paint;
  } kinds[] = {{"svg", tn_study_figure_svg}, {"csv", tn_study_figure_csv}, {"png", tn_study_figure_png}};
  char path[1100];
  int code = 0;
  const char *missing;
  const bool png = tn_has_png(&missing);
  if (!png) tn_say(YELLOW, "no PNG: %s; the figures are written as SVG and CSV", missing);
  for (int i = 0; i < tn_study_figures(s) && !code; i++) {
    const tn_study_figure *f = tn_study_figure_at(s, i);
    if (!f->drawn) continue;
    for (int k = 0; k < 2 + png && !code; k++) {
      snprintf(path, sizeof path, "%s/fig_%02d.%s", folder, f->number, kinds[k].suffix);
      code = tn_save_plan(path, in);
      if (!code) code = tn_save(path, as_picture, &(picture){s, i, kinds[k].paint});
    }
  }
  return code;
}

/* FOLDER/paper.run.csv, with a number in place of letters that a name of a file should not have */
static int write_curves(const tn_study *s, const inputs *in, const char *folder) {
  char path[1024], name[128];
  for (int i = 0; tn_study_curve(s, i); i++) {
    bool changed =
        snprintf(name, sizeof name - 16, "%s.%s", tn_study_paper(s), tn_study_curve(s, i)) >= (int)sizeof name - 16;
    changed = plain(name) || changed;
    if (changed) snprintf(name + strlen(name), 16, ".%d", i + 1);
    if ((size_t)snprintf(path, sizeof path, "%s/%s.csv", folder, name) >= sizeof path) return TN_E_IO;
    int code = tn_save_plan(path, in);
    if (!code) code = tn_save(path, as_curve, &(curve){s, i});
    if (code) return code;
  }
  return 0;
}

/* the study, its models and what they are drawn from, its references */
static int list_inputs(const tn_study *s, inputs *in) {
  int code = 0;
  for (int i = 0; tn_study_file(s, i) && !code; i++) {
    code = tn_inputs_add(in, tn_study_file(s, i));
    if (!code) code = tn_inputs_drawn_by(in, tn_study_file(s, i));
  }
  return code;
}

/* nothing: no row was asked for */
static int say_varied(const words *w, const tn_study *s, bool nothing) {
  if (nothing) return 0;
  const tn_status status =
      tn_words_has(w, "--json") ? tn_study_vary_json(s, tn_to_file, stdout) : tn_study_vary_text(s, tn_to_file, stdout);
  return status == TN_OK ? 0 : TN_E_IO;
}

static int run_study(const words *w, const char *name, tn_study *s, const inputs *in, const char *figures,
                     bool *as_expected, int *rows) {
  tn_error e;
  const char *output = tn_words_value(w, "--output");
  progress p = {.paper = tn_study_paper(s), .shown = isatty(2) && !tn_words_has(w, "--quiet")};
  const tn_study_options o = {.quick = tn_words_has(w, "--quick"),
                              .workers = tn_jobs(w),
                              .only = tn_words_value(w, "--only"),
                              .figures = output || *figures,
                              .progress = on_progress,
                              .user = &p};
  const bool vary = tn_words_has(w, "--vary-assumptions");
  tn_status status = vary ? tn_study_vary(s, &o, &e) : tn_study_run(s, &o, &e);
  if (p.line) fputs("\r\x1b[K", stderr);
  int code = status == TN_OK ? 0 : tn_say_error(&e), run = 0;
  for (int i = 0; i < tn_study_rows(s); i++) run += tn_study_row_at(s, i)->verdict != TN_NOT_RUN;
  for (int i = 0; i < tn_study_figures(s); i++) run += tn_study_figure_at(s, i)->drawn;
  *rows += run;
  if (vary) {
    *as_expected = *as_expected && tn_study_varied_as_said(s);
    return code ? code : say_varied(w, s, o.only && !run);
  }
  if (!code && (run || !o.only)) {
    status = tn_words_has(w, "--json") ? tn_study_json(s, tn_to_file, stdout) : tn_study_text(s, tn_to_file, stdout);
    code = status == TN_OK ? 0 : TN_E_IO;
  }
  if (!code && output && (run || !o.only)) {
    if (tn_ends_in(output, ".html"))
      code = save_page(w, name, s, output);
    else if ((code = write_page(w, name, s, in, output)) == 0)
      code = write_curves(s, in, output);
  }
  if (!code && *figures) code = write_figures(s, in, figures);
  *as_expected = *as_expected && tn_study_as_expected(s);
  return code;
}

static int reproduce(const words *w, const char *name, bool *as_expected, int *rows) {
  char path[1024], figures[1024];
  tn_error e;
  tn_study *s = NULL;
  const bool on_disk = find(name, path, sizeof path);
  size_t size;
  if (!on_disk &&
      ((size_t)snprintf(path, sizeof path, "studies/%s.json", name) >= sizeof path || !built_in(NULL, path, &size))) {
    int n = 0;
    while (papers[n]) n++;
    const char *near = tn_nearest(name, n, papers);
    tn_say(RED, near ? "there is no study '%s': did you mean '%s'?" : "there is no study '%s'", name, near);
    return TN_E_USAGE;
  }
  const char *output = tn_words_value(w, "--output");
  if (tn_jobs(w) < 0) return TN_E_USAGE;
  inputs in = {0};
  int code = on_disk ? tn_inputs_add(&in, path) : 0;
  if (!code) code = check_output(w, output, &in);
  if (!code &&
      (on_disk ? tn_study_read(NULL, path, &s, &e) : tn_study_read_from(NULL, path, built_in, NULL, &s, &e)) != TN_OK)
    code = tn_say_error(&e);
  if (!code && on_disk) code = list_inputs(s, &in);
  if (!code) code = plan_output(output, &in);
  if (!code) code = plan_figures(w, s, figures, sizeof figures);
  if (!code) code = run_study(w, name, s, &in, figures, as_expected, rows);
  tn_inputs_free(&in);
  tn_study_free(s);
  return code;
}

static int run(const words *w) {
  const char *one[] = {w->word[0], NULL}, *only = tn_words_value(w, "--only");
  const bool all = strcmp(w->word[0], "all") == 0, json = all && tn_words_has(w, "--json");
  bool as_expected = true, first = true;
  int code = 0, rows = 0;
  if (json) fputs("[", stdout);
  for (const char *const *paper = all ? papers : one; *paper; paper++) {
    const int before = rows;
    if (json && !first) fputs(",", stdout);
    const int failed = reproduce(w, *paper, &as_expected, &rows);
    first = first && rows == before;
    if (!code) code = failed; /* one that cannot be read does not stop the others */
    if (failed && json) fputs("null", stdout);
    if (failed) first = false;
  }
  if (json) fputs("]\n", stdout);
  if (!code && only && !rows) {
    tn_say(RED, "no claim has '%s' in its id, and no figure", only);
    return TN_E_USAGE;
  }
  return code ? code : as_expected ? 0 : 6;
}

const command tn_cli_reproduce = {
    .name = "reproduce",
    .takes = "PAPER",
    .doc = "Run the experiments of a paper and judge each of its claims by what is measured: wu2000, braun2009, "
           "nada2017, nada2023, hoang2023, iftomm, all; or a study file of your own.",
    .more = "Exit code 6: a verdict or a measured value is not as the study expects; with --vary-assumptions: another "
            "verdict "
            "changes.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
