/* the files of a run. each is written in FILE.part and renamed when it is whole: a run that does not reach its end never replaces an
 * older file. pictures and arrays are made from a recording at the end. */
#include "cli.h"

#include <errno.h>
#include <sys/stat.h>

/* made from a recording at the end */
static bool derived(file_kind k) { return k != CSV && k != TNR; }

typedef struct file {
  const char *path; /* "-": stdout                                                                   */
  file_kind kind;
  bool direct;    /* stdout, a device or pipe: written as it is                                            */
  part_file part; /* of a CSV                                                                             */
  FILE *to;       /* of its part, or of a direct one                                                      */
} file;

struct outputs {
  int n;
  file *file;
  tn_poses poses; /* of pictures; by is 0: none */
  bool no_clobber, anew;
  char *record_name; /* what the recording will be called, or NULL: none is needed                      */
  part_file record;
  file *kept; /* the file that the recording is, or NULL: it is scratch                               */
  tn_recorder *recorder;
  double flushed;
  bool saved, warned; /* there is a checkpoint of this run; one could not be made, and it was said */
  bool failed;
  const char *failed_path;
  char failed_why[400];
};

/* one -o: what it is, and whether it can be */
static int plan_file(const words *w, const char *path, bool no_clobber, file *f) {
  struct stat s;
  *f = (file){.path = path};
  if (strcmp(path, "-") == 0) {
    f->direct = true;
    return 0;
  }
  const bool suffix = tn_kind_of(path, &f->kind), there = stat(path, &s) == 0;
  if (there && S_ISDIR(s.st_mode)) return tn_cannot_write(path, strerror(EISDIR));
  if (there && !S_ISREG(s.st_mode)) { /* a device or pipe takes rows as they come */
    f->direct = true;
    return f->kind == CSV ? 0 : tn_say_usage(w, "a device or pipe takes CSV only, not", path);
  }
  if (!suffix)
    return tn_say_usage(w, "the name of an output ends in .csv, .tnr, .npy, .svg, .png, .html or .glb, not", path);
  if (f->kind == HTML && !tn_pages(path)) return TN_E_USAGE;
  return no_clobber && f->kind != NPY ? tn_refuse_to_replace(path) : 0;
}

/* pictures and arrays are made from a recording: the .tnr itself if one is wanted, else one beside the first of them */
static int plan_recording(const words *w, outputs *o) {
  const file *first = NULL;
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    if (f->kind == TNR && o->kept) return tn_say_usage(w, "one .tnr is enough, not also", f->path);
    if (f->kind == TNR) o->kept = f;
    if (f->kind != CSV && !first) first = f;
  }
  if (!first) return 0;
  char *target = tn_link_target(o->kept ? o->kept->path : first->path);
  o->record_name = tn_joined(target ? target : o->kept ? o->kept->path : first->path, o->kept ? "" : ".tnr");
  free(target);
  return o->record_name ? 0 : tn_say_no_memory();
}

/* what a run before this one has come to is not written over without a word */
static int look_for_checkpoint(const outputs *o) {
  if (!o->kept) return 0;
  char *state = tn_joined(o->record_name, ".state");
  int code = state ? 0 : tn_say_no_memory();
  if (state && tn_exists(state) && o->no_clobber && o->anew) {
    code = tn_refuse_to_replace(state);
  } else if (state && tn_exists(state) && !o->anew) {
    char *name = tn_quoted(o->kept->path);
    tn_say(RED, "'%s' is there: the run before this one can go on with `tenon resume%s`", state, name ? name : "");
    free(name);
    tn_say(PLAIN, "--anew begins anew; what that run has done is lost then");
    code = TN_E_USAGE;
  }
  free(state);
  return code;
}

int tn_outputs_plan(const words *w, outputs **out) {
  outputs *o = *out = calloc(1, sizeof *o);
  if (!o || !(o->file = calloc((size_t)w->options + 1, sizeof *o->file))) return tn_say_no_memory();
  o->no_clobber = tn_words_has(w, "--no-clobber");
  o->anew = tn_words_has(w, "--anew");
  int code = tn_poses_given(w, &o->poses);
  if (!code) code = tn_poses_shown(w, &o->poses);
  for (int i = 0; i < w->options && !code; i++) {
    if (strcmp(w->option[i].option->flag, "--output") != 0) continue;
    file *f = &o->file[o->n++];
    code = plan_file(w, w->option[i].value, o->no_clobber, f);
    if (!code) code = tn_poses_fit(w, f->path, &o->poses);
    if (code) return code;
    for (int k = 0; k < o->n - 1; k++)
      if (tn_same_file(o->file[k].path, f->path)) return tn_say_usage(w, "named twice as an output:", f->path);
  }
  if (code) return code;
  if (tn_outputs_to_stdout(o) && tn_words_has(w, "--json"))
    return tn_say_usage(w, "-o - and --json both want standard output: give one of them another place", NULL);
  code = plan_recording(w, o);
  return code ? code : look_for_checkpoint(o);
}

bool tn_outputs_to_stdout(const outputs *o) {
  for (int i = 0; i < o->n; i++)
    if (strcmp(o->file[i].path, "-") == 0) return true;
  return false;
}

static void note_failure(outputs *o, const char *path, const char *why) {
  if (!o->failed) snprintf(o->failed_why, sizeof o->failed_why, "%s", why ? why : errno ? strerror(errno) : "");
  if (!o->failed) o->failed_path = path;
  o->failed = true;
}

/* ---- the start ------------------------------------------------------------------------------------------------------------- */

/* arrays: their names are known with the channels */
static int check_arrays(const outputs *o, const loaded *l, const char *path) {
  int code = 0;
  for (int i = -1; i < tn_sim_columns(l->sim) && !code; i++) {
    const char *column = i < 0 ? "t" : tn_sim_column(l->sim, i), *dot = strrchr(column, '.');
    char group[160];
    snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - column) : (int)strlen(column), column);
    char *name = tn_array_name(path, group);
    code = !name ? tn_say_no_memory() : o->no_clobber ? tn_refuse_to_replace(name) : 0;
    if (!code) code = tn_inputs_spare(&l->inputs, name, NULL);
    free(name);
  }
  return code;
}

/* nothing that the model needs is written over, neither by an output nor by what is written on the way to it */
static int spare_inputs(const outputs *o, const loaded *l) {
  static const char *const states[] = {".state", ".state.part", NULL};
  int code = 0;
  for (int i = 0; i < o->n && !code; i++) {
    const file *f = &o->file[i];
    if (f->direct) continue;
    code = f->kind == NPY ? check_arrays(o, l, f->path) : tn_inputs_spare(&l->inputs, f->path, NULL);
  }
  if (!code && o->record_name) code = tn_inputs_spare(&l->inputs, o->record_name, o->kept ? states : NULL);
  return code;
}

/* what was opened for nothing goes again */
static int abandon(outputs *o, int code) {
  for (int i = 0; i < o->n; i++) {
    if (o->file[i].part.to) o->file[i].to = NULL;
    tn_part_discard(&o->file[i].part);
  }
  tn_part_discard(&o->record);
  return code;
}

/* a run that has ended, well or not, is not resumed; nor is the half of a checkpoint of use, in which one before it was killed */
static void drop_checkpoint(const outputs *o) {
  static const char *const suffixes[] = {".state", ".state.part"};
  for (int i = 0; o->kept && i < 2; i++) {
    char *path = tn_joined(o->record.target, suffixes[i]);
    if (path && tn_exists(path)) tn_remove(path); /* what stands there may be somebody's folder */
    free(path);
  }
}

/* the outputs of a run that goes on: the result alone. it is cut only when everything has been found good */
int tn_outputs_resume(const char *target, const char *record, const loaded *l, const void *state, size_t size,
                      outputs **out, tn_error *e) {
  outputs *o = *out = calloc(1, sizeof *o);
  int64_t length = 0;
  if (!o || !(o->file = calloc(1, sizeof *o->file))) return tn_say_no_memory();
  o->n = 1;
  o->kept = o->file;
  *o->kept = (file){.path = target, .kind = TNR};
  const char *why = tn_part_take(&o->record, target, record);
  if (why) return tn_cannot_write(record, why);
  o->flushed = tn_wall_clock();
  if (tn_recorder_resume(l->sim, record, state, size, tn_to_file_now, o->record.to, &o->recorder, &length, e) != TN_OK)
    return e->status == TN_E_MEMORY ? tn_say_no_memory() : (int)TN_E_IO;
  if ((why = tn_part_cut(&o->record, length))) return tn_cannot_write(record, why);
  o->saved = true;
  return 0;
}

/* all of them are open, and nothing is lost yet */
static int open_all(outputs *o) {
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    const char *why = NULL;
    errno = 0;
    if (f->kind != CSV) continue;
    if (strcmp(f->path, "-") == 0)
      f->to = stdout;
    else if (f->direct)
      why = (f->to = fopen(f->path, "wb")) ? NULL : strerror(errno);
    else if (!(why = tn_part_open(&f->part, f->path)))
      f->to = f->part.to;
    if (why) return tn_cannot_write(f->path, why);
  }
  const char *why = o->record_name ? tn_part_beside(&o->record, o->record_name) : NULL;
  return why ? tn_cannot_write(o->record.path, why) : 0;
}

static bool is_in_space(const loaded *l) {
  tn_model_info info;
  tn_model_get_info(l->model, &info);
  return info.dimension == 3;
}

int tn_outputs_open(outputs *o, const loaded *l) {
  tn_error e;
  o->flushed = tn_wall_clock();
  if (o->poses.by > 0 && is_in_space(l)) {
    tn_say(RED, "--poses: poses are drawn of models in the plane");
    return TN_E_USAGE;
  }
  int code = spare_inputs(o, l);
  if (!code && (code = open_all(o))) return abandon(o, code);
  if (code) return code;
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    const char *why = f->part.to ? tn_part_cut(&f->part, 0) : NULL;
    if (why) return abandon(o, tn_cannot_write(f->part.path, why));
    if (f->to && tn_csv_head(l->sim, tn_to_file, f->to) != TN_OK) note_failure(o, f->path, NULL);
  }
  if (!o->record_name) return 0;
  if (o->anew) drop_checkpoint(o); /* it is of what is emptied now */
  const char *why = tn_part_cut(&o->record, 0);
  if (why) return abandon(o, tn_cannot_write(o->record.path, why));
  errno = 0;
  const tn_status status = tn_recorder_new(l->sim, l->desc, l->name, tn_to_file_now, o->record.to, &o->recorder, &e);
  if (status == TN_E_IO) return tn_cannot_write(o->record.path, errno ? strerror(errno) : NULL);
  return status == TN_OK ? 0 : tn_say_error(&e);
}

/* ---- rows and checkpoints, FILE.tnr.state -------------------------------------------------------------------------------------- */

/* rows that wait for a whole block stand behind the file until that is written over them: where blocks end does not depend on
 * clocks */
static bool show_tail(outputs *o) {
  FILE *to = o->record.to;
  const off_t at = ftello(to);
  return at >= 0 && tn_recorder_tail(o->recorder, tn_to_file, to) == TN_OK && fflush(to) == 0 &&
         fseeko(to, at, SEEK_SET) == 0;
}

/* the state as a part; NULL, or why it could not be made */
static const char *save_state(outputs *o, part_file *p) {
  tn_error e = {.status = TN_OK};
  const char *why = tn_part_cut(p, 0);
  if (why) return why;
  errno = 0;
  if (tn_recorder_save(o->recorder, tn_to_file, p->to, &e) == TN_OK) return tn_part_commit(p);
  snprintf(p->why, sizeof p->why, "%.399s",
           e.status == TN_E_USAGE || e.status == TN_E_INTERNAL ? e.message
           : errno                                             ? strerror(errno)
                                                               : "out of memory");
  return p->why;
}

/* the result first, then a state that stands for it, beside the old one until it is whole */
bool tn_outputs_checkpoint(outputs *o) {
  if (!o->kept || !o->recorder || o->failed) return false;
  part_file p = {0};
  char *state = tn_joined(o->record.target, ".state");
  const char *why = state ? tn_part_sync(&o->record) : "out of memory";
  if (!why) why = tn_part_beside(&p, state);
  if (!why) why = save_state(o, &p);
  if (why && !o->warned)
    tn_say(YELLOW, "no checkpoint could be made in '%s': %s%s", state ? state : "", why,
           o->saved ? "; the one before stands" : "");
  o->warned = o->warned || why;
  o->saved = o->saved || !why;
  const bool good = !why;
  tn_part_discard(&p);
  free(state);
  return good;
}

const char *tn_outputs_result(const outputs *o) { return o->kept ? o->kept->path : NULL; }

tn_status tn_outputs_row(void *out, double t, int n, const double *values) {
  outputs *o = out;
  errno = 0;
  for (int i = 0; i < o->n; i++)
    if (o->file[i].to && tn_csv_row(t, n, values, tn_to_file, o->file[i].to) != TN_OK)
      note_failure(o, o->file[i].path, NULL);
  if (o->recorder && tn_recorder_row(o->recorder, t, n, values) != TN_OK) note_failure(o, o->record.path, NULL);
  /* a slow run is on the disk within half a second */
  if (tn_wall_clock() - o->flushed > 0.5) {
    if (o->recorder && !show_tail(o)) note_failure(o, o->record.path, NULL);
    for (int i = 0; i < o->n; i++)
      if (o->file[i].to && fflush(o->file[i].to) != 0) note_failure(o, o->file[i].path, NULL);
    o->flushed = tn_wall_clock();
  }
  return o->failed ? TN_E_IO : TN_OK;
}

/* ---- the end ----------------------------------------------------------------------------------------------------------- */

/* pictures and arrays, out of the recording; it stays locked meanwhile */
static int make_derived(const outputs *o, bool whole, FILE *say) {
  tn_result *r;
  tn_error e;
  int code = 0;
  bool any = false;
  for (int i = 0; i < o->n; i++) any = any || derived(o->file[i].kind);
  if (!any) return 0;
  if (tn_result_open(NULL, o->record.path, &r, &e) != TN_OK || tn_result_check(r, NULL, &e) != TN_OK) {
    tn_result_close(r);
    return tn_say_error(&e);
  }
  const bool empty = tn_result_rows(r) == 0;
  for (int i = 0; i < o->n; i++) {
    const file *f = &o->file[i];
    if (!derived(f->kind)) continue;
    if (empty && (f->kind == HTML || f->kind == GLB || (f->kind != NPY && o->poses.by > 0))) {
      tn_say(PLAIN, "'%s' is not written: there are no rows to show", f->path);
      continue;
    }
    const int made = tn_make(r, f->kind, f->path, &o->poses, whole, o->no_clobber, say);
    if (!code) code = made;
  }
  tn_result_close(r);
  return code;
}

static int close_record(outputs *o, const loaded *l, bool whole, FILE *say) {
  errno = 0;
  if (!o->failed && tn_recorder_end(o->recorder, l->sim, l->name, tn_report_json) != TN_OK)
    note_failure(o, o->record.path, NULL);
  const char *why = o->failed ? NULL : tn_part_sync(&o->record);
  if (why) note_failure(o, o->record.path, why);
  if (o->failed) return 0;
  int code = make_derived(o, whole, say);
  if (o->kept) {
    const int settled = tn_settle(&o->record, whole, o->no_clobber, say);
    if (!code) code = settled;
  } else if (code) {
    tn_say(PLAIN, "everything is in '%s': tenon export makes other files of it", o->record.path);
  } else {
    tn_part_discard(&o->record);
  }
  return code;
}

/* what was written before stays: it may be hours of work */
static void say_what_is_left(outputs *o) {
  for (int i = 0; i <= o->n; i++) {
    part_file *p = i < o->n ? &o->file[i].part : &o->record;
    if (!p->to) continue;
    tn_part_sync(p); /* as far as it goes */
    if (tn_exists(p->path)) tn_say(PLAIN, "what was written before that is in '%s'", p->path);
  }
  char *name = o->saved && o->kept ? tn_quoted(o->kept->path) : NULL;
  if (name) tn_say(PLAIN, "it goes on from its last checkpoint with: tenon resume%s", name);
  free(name);
}

int tn_outputs_close(outputs *o, const loaded *l, bool whole, FILE *say) {
  const tn_status how = tn_sim_summary(l->sim)->status;
  int code = 0;
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    if (!f->to) continue;
    errno = 0;
    if (f->direct) {
      if (f->to == stdout ? fflush(stdout) != 0 : fclose(f->to) != 0) note_failure(o, f->path, NULL);
    } else {
      const char *why = tn_part_sync(&f->part);
      if (why) note_failure(o, f->path, why);
      const int settled = o->failed ? 0 : tn_settle(&f->part, whole, o->no_clobber, say);
      if (!code) code = settled;
    }
    f->to = NULL;
  }
  if (o->recorder) { /* else nothing was begun: what lies there is not of this run */
    const int recorded = close_record(o, l, whole, say);
    if (!code) code = recorded;
    if (!o->failed && !code && how != TN_E_STOPPED && how != TN_E_IO && how != TN_E_MEMORY) drop_checkpoint(o);
  }
  if (!o->failed) return code;
  tn_cannot_write(strcmp(o->failed_path, "-") == 0 ? "standard output" : o->failed_path, o->failed_why);
  say_what_is_left(o);
  return TN_E_IO;
}

void tn_outputs_free(outputs *o) {
  if (!o) return;
  for (int i = 0; i < o->n; i++) {
    if (o->file[i].to && o->file[i].direct && o->file[i].to != stdout) fclose(o->file[i].to);
    tn_part_leave(&o->file[i].part);
  }
  tn_part_leave(&o->record);
  tn_recorder_free(o->recorder);
  free(o->record_name);
  free(o->file);
  free(o);
}
