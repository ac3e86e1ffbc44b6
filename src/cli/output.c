/* the files of a run. each is written beside its name, FILE.part, and renamed when it is whole: a run that does not reach its end
 * never replaces an older file. pictures and arrays are made from a recording at the end. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum kind { CSV, TNR, NPY, SVG, HTML, GLB, KINDS } kind;

/* made from a recording at the end */
static bool derived(kind k) { return k != CSV && k != TNR; }

typedef struct file {
  const char *path; /* "-": stdout                                                                   */
  kind kind;
  bool direct; /* stdout, a device or pipe: written as it is                                            */
  char *folder;
  char *target, *part; /* what is written in the end, and until then; not of a direct one                */
  FILE *to;
} file;

struct outputs {
  int n;
  file *file;
  bool no_clobber, anew;
  char *record; /* path of the recording; NULL: none is needed                                         */
  FILE *record_file;
  file *kept; /* the file that the recording is, or NULL: it is scratch                               */
  tn_recorder *recorder;
  double flushed;
  bool saved, warned; /* there is a checkpoint of this run; one could not be made, and it was said */
  bool failed;
  const char *failed_path;
  int failed_errno;
};

static char *joined(const char *a, const char *b, const char *c) {
  const size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = malloc(n);
  if (text) snprintf(text, n, "%s%s%s", a, b, c);
  return text;
}

static int cannot_write(const char *path, int why) {
  tn_say(RED, why ? "cannot write '%s': %s" : "cannot write '%s'", path, why ? strerror(why) : "");
  return TN_E_IO;
}

static int no_memory(void) {
  tn_say(RED, "out of memory");
  return 5;
}

static bool exists(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0;
}

static bool kind_of(const char *path, kind *k) {
  static const char *const suffixes[KINDS] = {".csv", ".tnr", ".npy", ".svg", ".html", ".glb"};
  const char *dot = strrchr(path, '.');
  for (int i = 0; dot && i < KINDS; i++)
    if (strcmp(dot, suffixes[i]) == 0 && dot != path && dot[-1] != '/') {
      *k = (kind)i;
      return true;
    }
  return false;
}

static int refuse_to_replace(const char *path) {
  if (!exists(path)) return 0;
  tn_say(RED, "'%s' is there already, and --no-clobber is given", path);
  return TN_E_IO;
}

/* base.group.npy */
static char *array_name(const char *path, const char *group) {
  char *base = joined(path, "", "");
  if (base) base[strlen(base) - 4] = 0;
  char *name = base ? joined(base, ".", group) : NULL, *whole = name ? joined(name, ".npy", "") : NULL;
  free(base);
  free(name);
  return whole;
}

/* the folder of a path without links and dots, for comparing; NULL if it is not there */
static char *real_folder(const char *path) {
  char *copy = joined(path, "", ""), *slash = copy ? strrchr(copy, '/') : NULL, *real = NULL;
  if (slash) slash[slash == copy] = 0;
  if (copy) real = realpath(slash ? copy : ".", NULL);
  free(copy);
  return real;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool same_file(const file *a, const file *b) {
  if (strcmp(a->path, b->path) == 0) return true;
  return a->folder && b->folder && strcmp(a->folder, b->folder) == 0 &&
         strcmp(base_name(a->target), base_name(b->target)) == 0;
}

/* one -o: what it is, and whether it can be */
static int plan_file(const words *w, const char *path, bool no_clobber, file *f) {
  struct stat s;
  *f = (file){.path = path};
  if (strcmp(path, "-") == 0) {
    f->direct = true;
    return 0;
  }
  const bool suffix = kind_of(path, &f->kind), there = stat(path, &s) == 0;
  if (there && S_ISDIR(s.st_mode)) return cannot_write(path, EISDIR);
  if (there && !S_ISREG(s.st_mode)) { /* a device or pipe takes rows as they come */
    f->direct = true;
    return f->kind == CSV ? 0 : tn_say_usage(w, "a device or pipe takes CSV only, not", path);
  }
  if (!suffix) return tn_say_usage(w, "the name of an output ends in .csv, .tnr, .npy, .svg, .html or .glb, not", path);
  if (f->kind == HTML && !tn_pages(path)) return TN_E_USAGE;
  if (no_clobber && f->kind != NPY && refuse_to_replace(path)) return TN_E_IO;
  /* what a link stands for is written, not the link */
  f->target = tn_link_target(path);
  if (!f->target) f->target = joined(path, "", "");
  f->folder = real_folder(f->target ? f->target : path);
  f->part = f->target ? joined(f->target, ".part", "") : NULL;
  return f->part ? 0 : no_memory();
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
  o->record = o->kept ? joined(o->kept->part, "", "") : joined(first->target, ".tnr.part", "");
  return o->record ? 0 : no_memory();
}

/* what a run before this one has come to is not written over without a word */
static int look_for_checkpoint(const outputs *o) {
  if (!o->kept) return 0;
  char *state = joined(o->kept->target, ".state", "");
  int code = state ? 0 : no_memory();
  if (state && exists(state) && o->no_clobber && o->anew) {
    code = refuse_to_replace(state);
  } else if (state && exists(state) && !o->anew) {
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
  if (!o || !(o->file = calloc((size_t)w->options + 1, sizeof *o->file))) return no_memory();
  o->no_clobber = tn_words_has(w, "--no-clobber");
  o->anew = tn_words_has(w, "--anew");
  for (int i = 0; i < w->options; i++) {
    if (strcmp(w->option[i].option->flag, "--output") != 0) continue;
    file *f = &o->file[o->n++];
    const int code = plan_file(w, w->option[i].value, o->no_clobber, f);
    if (code) return code;
    for (int k = 0; k < o->n - 1; k++)
      if (same_file(&o->file[k], f)) return tn_say_usage(w, "named twice as an output:", f->path);
  }
  if (tn_outputs_to_stdout(o) && tn_words_has(w, "--json"))
    return tn_say_usage(w, "-o - and --json both want standard output: give one of them another place", NULL);
  const int code = plan_recording(w, o);
  return code ? code : look_for_checkpoint(o);
}

bool tn_outputs_to_stdout(const outputs *o) {
  for (int i = 0; i < o->n; i++)
    if (strcmp(o->file[i].path, "-") == 0) return true;
  return false;
}

static void note_failure(outputs *o, const char *path) {
  if (!o->failed) {
    o->failed_errno = errno;
    o->failed_path = path;
  }
  o->failed = true;
}

/* false: by another process */
static bool locked(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
}

/* a part to be written: open and locked, with what was in it still there. two runs do not write the same file */
static FILE *open_part(const char *path, const char *name, int *code) {
  struct stat mine, there;
  for (int tries = 0; tries < 8; tries++) {
    errno = 0;
    const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) {
      *code = cannot_write(name, errno);
      return NULL;
    }
    if (!locked(fd)) {
      tn_say(RED, "cannot write '%s': another run is writing it", name);
      *code = TN_E_IO;
      close(fd);
      return NULL;
    }
    /* the other run may have ended, and renamed it, in between */
    if (fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_dev == there.st_dev &&
        mine.st_ino == there.st_ino) {
      FILE *to = fdopen(fd, "wb");
      if (to) return to;
    }
    close(fd);
  }
  *code = cannot_write(name, errno);
  return NULL;
}

/* emptied only when all of them could be opened */
static void empty(FILE *to) {
  if (ftruncate(fileno(to), 0) != 0) errno = 0; /* a device has no length */
}

/* arrays that are there already: their names are known with the channels */
static int check_arrays(const loaded *l, const char *path) {
  for (int i = -1; i < tn_sim_columns(l->sim); i++) {
    const char *column = i < 0 ? "t" : tn_sim_column(l->sim, i), *dot = strrchr(column, '.');
    char group[160];
    snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - column) : (int)strlen(column), column);
    char *name = array_name(path, group);
    const bool there = name && exists(name);
    if (there) tn_say(RED, "'%s' is there already, and --no-clobber is given", name);
    free(name);
    if (there) return TN_E_IO;
  }
  return 0;
}

/* what was opened for nothing and has nothing in it goes again */
static int abandon(outputs *o, int code) {
  struct stat s;
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    if (f->to && !f->direct && fstat(fileno(f->to), &s) == 0 && s.st_size == 0) remove(f->part);
  }
  if (o->record_file && fstat(fileno(o->record_file), &s) == 0 && s.st_size == 0) remove(o->record);
  return code;
}

/* a run that has ended, well or not, is not resumed; nor is the half of a checkpoint of use, in which one before it was killed */
static void drop_checkpoint(const outputs *o) {
  static const char *const suffixes[] = {".state", ".state.part"};
  for (int i = 0; o->kept && i < 2; i++) {
    char *path = joined(o->kept->target, suffixes[i], "");
    if (path) unlink(path); /* what stands there may be somebody's folder */
    free(path);
  }
}

/* the outputs of a run that goes on: the result alone. it is cut only when everything has been found good */
int tn_outputs_resume(const char *target, const char *record, const loaded *l, const void *state, size_t size,
                      outputs **out, tn_error *e) {
  outputs *o = *out = calloc(1, sizeof *o);
  long length = 0;
  int code = 0;
  if (!o || !(o->file = calloc(1, sizeof *o->file))) return no_memory();
  o->n = 1;
  o->kept = o->file;
  *o->kept = (file){.path = target, .kind = TNR, .target = joined(target, "", ""), .part = joined(record, "", "")};
  o->record = joined(record, "", "");
  if (!o->kept->target || !o->kept->part || !o->record) return no_memory();
  if (!(o->record_file = open_part(record, record, &code))) return code;
  o->flushed = tn_wall_clock();
  if (tn_recorder_resume(l->sim, record, state, size, tn_to_file_now, o->record_file, &o->recorder, &length, e) !=
      TN_OK)
    return e->status == TN_E_MEMORY ? no_memory() : TN_E_IO;
  if (!locked(fileno(o->record_file))) { /* a look at the file has given the lock away */
    tn_say(RED, "cannot write '%s': another run is writing it", record);
    return TN_E_IO;
  }
  errno = 0;
  if (ftruncate(fileno(o->record_file), length) != 0 || fseeko(o->record_file, length, SEEK_SET) != 0)
    return cannot_write(record, errno);
  o->saved = true;
  return 0;
}

int tn_outputs_open(outputs *o, const loaded *l) {
  tn_error e;
  int code = 0;
  o->flushed = tn_wall_clock();
  for (int i = 0; i < o->n; i++) {
    if (!o->file[i].direct && tn_same_file(o->file[i].path, l->name)) {
      tn_say(RED, "'%s' is the model: its result needs another name", o->file[i].path);
      return TN_E_USAGE;
    }
    if (o->no_clobber && o->file[i].kind == NPY && check_arrays(l, o->file[i].path)) return TN_E_IO;
  }
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    errno = 0;
    if (f->kind != CSV) continue;
    if (strcmp(f->path, "-") == 0)
      f->to = stdout;
    else if (f->direct && !(f->to = fopen(f->path, "wb")))
      return abandon(o, cannot_write(f->path, errno));
    else if (!f->direct && !(f->to = open_part(f->part, f->path, &code)))
      return abandon(o, code);
  }
  if (o->record && !(o->record_file = open_part(o->record, o->record, &code))) return abandon(o, code);
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    if (f->to && !f->direct) empty(f->to);
    if (f->to && tn_csv_head(l->sim, tn_to_file, f->to) != TN_OK) note_failure(o, f->path);
  }
  if (!o->record) return 0;
  if (o->anew) drop_checkpoint(o); /* it is of what is emptied now */
  empty(o->record_file);
  const tn_status status = tn_recorder_new(l->sim, l->desc, l->name, tn_to_file_now, o->record_file, &o->recorder, &e);
  if (status == TN_E_IO) return cannot_write(o->record, errno);
  return status == TN_OK ? 0 : tn_say_error(&e);
}

/* rows that wait for a whole block stand behind the file until that is written over them: where blocks end does not depend on
 * clocks */
static bool show_tail(outputs *o) {
  const off_t at = ftello(o->record_file);
  return at >= 0 && tn_recorder_tail(o->recorder, tn_to_file, o->record_file) == TN_OK && fflush(o->record_file) == 0 &&
         fseeko(o->record_file, at, SEEK_SET) == 0;
}

/* ---- checkpoints: FILE.tnr.state ------------------------------------------------------------------------------------------- */

static bool on_disk(FILE *to) { return fflush(to) == 0 && fsync(fileno(to)) == 0; }

/* a new name is on the disk when its folder is; where folders cannot be synced nothing is lost but that */
static void sync_folder(const char *path) {
  char *folder = real_folder(path);
  const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) fsync(fd), close(fd);
  free(folder);
}

/* the result first, then a state that stands for it, beside the old one until it is whole */
bool tn_outputs_checkpoint(outputs *o) {
  tn_error e = {.status = TN_OK};
  if (!o->kept || !o->recorder || o->failed) return false;
  char *state = joined(o->kept->target, ".state", ""), *part = joined(o->kept->target, ".state.part", "");
  errno = 0;
  FILE *to = state && part && on_disk(o->record_file) ? fopen(part, "wb") : NULL;
  bool good = to && tn_recorder_save(o->recorder, tn_to_file, to, &e) == TN_OK && on_disk(to);
  int why = errno;
  if (to && fclose(to) != 0) good = false, why = errno;
  if (good && rename(part, state) != 0) good = false, why = errno;
  if (good) {
    sync_folder(state);
    o->saved = true;
  } else {
    if (to) remove(part);
    if (!o->warned)
      tn_say(YELLOW, "no checkpoint could be made in '%s': %s%s", state ? state : "",
             e.status == TN_E_USAGE || e.status == TN_E_INTERNAL ? e.message
             : why                                               ? strerror(why)
                                                                 : "out of memory",
             o->saved ? "; the one before stands" : "");
    o->warned = true;
  }
  free(state);
  free(part);
  return good;
}

const char *tn_outputs_result(const outputs *o) { return o->kept ? o->kept->path : NULL; }

tn_status tn_outputs_row(void *out, double t, int n, const double *values) {
  outputs *o = out;
  errno = 0;
  for (int i = 0; i < o->n; i++)
    if (o->file[i].to && tn_csv_row(t, n, values, tn_to_file, o->file[i].to) != TN_OK) note_failure(o, o->file[i].path);
  if (o->recorder && tn_recorder_row(o->recorder, t, n, values) != TN_OK) note_failure(o, o->record);
  /* a slow run is on the disk within half a second */
  if (tn_wall_clock() - o->flushed > 0.5) {
    if (o->recorder && !show_tail(o)) note_failure(o, o->record);
    for (int i = 0; i < o->n; i++)
      if (o->file[i].to && fflush(o->file[i].to) != 0) note_failure(o, o->file[i].path);
    o->flushed = tn_wall_clock();
  }
  return o->failed ? TN_E_IO : TN_OK;
}

/* ---- the end ----------------------------------------------------------------------------------------------------------- */

/* a part under its name, unless that would replace an older file by less; 0 or an exit code */
static int settle(const char *part, const char *path, bool whole, bool no_clobber, FILE *say) {
  const bool in_place = strcmp(part, path) == 0; /* one that was resumed */
  const bool old = !in_place && exists(path);
  if (old && (!whole || no_clobber)) {
    if (whole) tn_say(RED, "'%s' is there already: the result is in '%s'", path, part);
    if (!whole && say) fprintf(say, "  the rows so far are in %s; the older %s is as it was\n", part, path);
    return whole ? TN_E_IO : 0;
  }
  errno = 0;
  if (!in_place && rename(part, path) != 0) {
    cannot_write(path, errno);
    if (exists(part)) tn_say(PLAIN, "the result is in '%s'", part);
    return TN_E_IO;
  }
  if (say) fprintf(say, whole ? "  wrote %s\n" : "  wrote %s, the rows so far\n", path);
  return 0;
}

typedef tn_status (*maker)(tn_result *r, int group, tn_write write, void *user, tn_error *e);

static tn_status make_csv(tn_result *r, int group, tn_write write, void *user, tn_error *e) {
  (void)group;
  return tn_result_csv(r, write, user, e);
}

static tn_status make_svg(tn_result *r, int group, tn_write write, void *user, tn_error *e) {
  (void)group;
  return tn_result_svg(r, write, user, e);
}

static tn_status make_html(tn_result *r, int group, tn_write write, void *user, tn_error *e) {
  (void)group;
  return tn_result_page(r, write, user, e);
}

static tn_status make_glb(tn_result *r, int group, tn_write write, void *user, tn_error *e) {
  (void)group;
  return tn_result_glb(r, write, user, e);
}

/* one file out of a result */
static int make(tn_result *r, maker m, int group, const char *path, bool whole, bool no_clobber, FILE *say) {
  tn_error e = {.status = TN_OK};
  if (no_clobber && refuse_to_replace(path)) return TN_E_IO;
  char *part = joined(path, ".part", "");
  if (!part) return no_memory();
  errno = 0;
  FILE *to = fopen(part, "wb");
  int code = to ? 0 : cannot_write(path, errno);
  if (to) {
    const tn_status status = m(r, group, tn_to_file, to, &e);
    const bool wrote = !ferror(to), closed = fclose(to) == 0;
    if ((status == TN_E_IO && !wrote) || (status == TN_OK && !closed))
      code = cannot_write(path, errno);
    else if (status != TN_OK)
      code = tn_say_error(&e);
    else if (*e.message)
      tn_say(YELLOW, "'%s': %s", path, e.message); /* it is good, but something is not in it */
    if (code) remove(part);
  }
  if (!code) code = settle(part, path, whole, no_clobber, say);
  free(part);
  return code;
}

/* as many arrays as there are groups; one that cannot be made does not keep the others away */
static int make_arrays(tn_result *r, const char *path, bool whole, bool no_clobber, FILE *say) {
  int code = 0, first;
  char name[160];
  for (int g = 0; g < tn_result_groups(r); g++) {
    tn_result_group(r, g, name, sizeof name, &first);
    char *array = array_name(path, name);
    const int made = array ? make(r, tn_result_npy, g, array, whole, no_clobber, say) : no_memory();
    if (!code) code = made;
    free(array);
  }
  return code;
}

static int make_kind(tn_result *r, kind k, const char *path, bool whole, bool no_clobber, FILE *say) {
  if (k == NPY) return make_arrays(r, path, whole, no_clobber, say);
  static const maker makers[KINDS] = {[CSV] = make_csv, [SVG] = make_svg, [HTML] = make_html, [GLB] = make_glb};
  return make(r, makers[k], 0, path, whole, no_clobber, say);
}

int tn_export(tn_result *r, const char *from, const char *path, bool no_clobber, FILE *say) {
  kind k;
  tn_error e;
  struct stat s;
  if (tn_same_file(path, from)) {
    tn_say(RED, "'%s' is the result itself: what is made of it needs another name", path);
    return TN_E_USAGE;
  }
  if (strcmp(path, "-") == 0 || (stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode))) {
    const bool out = strcmp(path, "-") == 0;
    errno = 0;
    FILE *to = out ? stdout : fopen(path, "wb");
    if (!to) return cannot_write(path, errno);
    const tn_status status = tn_result_csv(r, tn_to_file, to, &e);
    const bool closed = out ? fflush(to) == 0 : fclose(to) == 0;
    if (status != TN_OK && status != TN_E_IO) return tn_say_error(&e);
    return status == TN_OK && closed ? 0 : cannot_write(out ? "standard output" : path, errno);
  }
  if (!kind_of(path, &k) || k == TNR) {
    tn_say(RED, "the name of an output ends in .csv, .npy, .svg, .html or .glb, not '%s'", path);
    return TN_E_USAGE;
  }
  if (k == HTML && !tn_pages(path)) return TN_E_USAGE;
  if (no_clobber && k != NPY && refuse_to_replace(path)) return TN_E_IO;
  return make_kind(r, k, path, true, no_clobber, say);
}

static int close_record(outputs *o, const loaded *l, bool whole, FILE *say) {
  int code = 0;
  if (!o->recorder) return 0; /* nothing was begun: what lies there is not of this run */
  errno = 0;
  if (o->recorder && !o->failed && tn_recorder_end(o->recorder, l->sim, l->name, tn_report_json) != TN_OK)
    note_failure(o, o->record);
  if (o->record_file && fclose(o->record_file) != 0) note_failure(o, o->record);
  o->record_file = NULL;
  bool any = false;
  for (int i = 0; i < o->n; i++) any = any || derived(o->file[i].kind);
  if (any && !o->failed) {
    tn_result *r;
    tn_error e;
    if (tn_result_open(NULL, o->record, &r, &e) != TN_OK) {
      code = tn_say_error(&e);
    } else {
      const bool empty = tn_result_rows(r) == 0;
      for (int i = 0; i < o->n; i++) {
        const file *f = &o->file[i];
        if (!derived(f->kind)) continue;
        if (empty && (f->kind == HTML || f->kind == GLB)) {
          tn_say(PLAIN, "'%s' is not written: there are no rows to show", f->path);
          continue;
        }
        const int made = make_kind(r, f->kind, f->target, whole, o->no_clobber, say);
        if (!code) code = made;
      }
      tn_result_close(r);
    }
  }
  if (o->failed) return code;
  if (o->kept) {
    const int settled = settle(o->record, o->kept->target, whole, o->no_clobber, say);
    if (!code) code = settled;
  } else if (!code) {
    remove(o->record);
  } else {
    tn_say(PLAIN, "everything is in '%s'", o->record);
  }
  return code;
}

int tn_outputs_close(outputs *o, const loaded *l, bool whole, FILE *say) {
  const tn_status how = tn_sim_summary(l->sim)->status;
  int code = 0;
  for (int i = 0; i < o->n; i++) {
    file *f = &o->file[i];
    if (!f->to) continue;
    errno = 0;
    const bool good = f->to == stdout ? fflush(stdout) == 0 : fclose(f->to) == 0;
    if (!good) note_failure(o, f->path);
    f->to = NULL;
    if (o->failed || f->direct) continue;
    const int settled = settle(f->part, f->target, whole, o->no_clobber, say);
    if (!code) code = settled;
  }
  if (o->record) {
    const int recorded = close_record(o, l, whole, say);
    if (!code) code = recorded;
    if (!o->failed && !code && o->recorder && how != TN_E_STOPPED && how != TN_E_IO && how != TN_E_MEMORY)
      drop_checkpoint(o);
  }
  if (!o->failed) return code;
  cannot_write(strcmp(o->failed_path, "-") == 0 ? "standard output" : o->failed_path, o->failed_errno);
  /* what was written before stays: it may be hours of work */
  for (int i = 0; i < o->n; i++)
    if (o->file[i].part && exists(o->file[i].part))
      tn_say(PLAIN, "what was written before that is in '%s'", o->file[i].part);
  return TN_E_IO;
}

void tn_outputs_free(outputs *o) {
  if (!o) return;
  for (int i = 0; i < o->n; i++) {
    if (o->file[i].to && o->file[i].to != stdout) fclose(o->file[i].to);
    free(o->file[i].part);
    free(o->file[i].target);
    free(o->file[i].folder);
  }
  if (o->record_file) fclose(o->record_file);
  tn_recorder_free(o->recorder);
  free(o->record);
  free(o->file);
  free(o);
}
