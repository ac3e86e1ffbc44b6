/* files out of a result: tables, arrays, pictures, pages, glTF. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

bool tn_kind_of(const char *path, file_kind *k) {
  static const char *const suffixes[KINDS] = {".csv", ".tnr", ".npy", ".svg", ".html", ".glb", ".png"};
  const char *dot = strrchr(path, '.');
  for (int i = 0; dot && i < KINDS; i++)
    if (strcmp(dot, suffixes[i]) == 0 && dot != path && dot[-1] != '/') {
      *k = (file_kind)i;
      return true;
    }
  return false;
}

int tn_refuse_to_replace(const char *path) {
  if (!tn_exists(path)) return 0;
  tn_say(RED, "'%s' is there already, and is not replaced", path);
  return TN_E_IO;
}

char *tn_array_name(const char *path, const char *group) {
  const int stem = (int)strlen(path) - 4;
  const size_t room = strlen(path) + strlen(group) + 2;
  char *name = malloc(room);
  if (name) snprintf(name, room, "%.*s.%s.npy", stem, path, group);
  return name;
}

int tn_settle(part_file *p, bool whole, bool no_clobber, FILE *say) {
  const bool in_place = strcmp(p->path, p->target) == 0; /* one that was resumed */
  const bool older = !in_place && tn_exists(p->target);
  const bool stays = older && (!whole || no_clobber);
  const char *why = stays ? tn_part_sync(p) : tn_part_commit(p);
  if (why) {
    tn_cannot_write(stays ? p->path : p->name, why);
    if (tn_exists(p->path)) tn_say(PLAIN, whole ? "the result is in '%s'" : "the rows so far are in '%s'", p->path);
    return TN_E_IO;
  }
  if (stays && whole) tn_say(RED, "'%s' is there already: the result is in '%s'", p->name, p->path);
  if (stays && !whole && say) tn_line(say, "  the rows so far are in %s; the older %s is as it was", p->path, p->name);
  if (!stays && say) tn_line(say, "  wrote %s%s", p->name, whole ? "" : ", the rows so far");
  return stays && whole ? (int)TN_E_IO : 0;
}

typedef tn_status (*maker)(tn_result *r, int group, const tn_poses *poses, tn_write write, void *user, tn_error *e);

static tn_status make_csv(tn_result *r, int group, const tn_poses *poses, tn_write write, void *user, tn_error *e) {
  (void)group, (void)poses;
  return tn_result_csv(r, write, user, e);
}

/* a picture; the kind of it is its group */
static tn_status make_picture(tn_result *r, int kind, const tn_poses *poses, tn_write write, void *user, tn_error *e) {
  return poses->by > 0 ? tn_result_poses(r, poses, kind == PNG, write, user, e) : tn_result_svg(r, write, user, e);
}

static tn_status make_html(tn_result *r, int group, const tn_poses *poses, tn_write write, void *user, tn_error *e) {
  (void)group, (void)poses;
  return tn_result_page(r, write, user, e);
}

static tn_status make_glb(tn_result *r, int group, const tn_poses *poses, tn_write write, void *user, tn_error *e) {
  (void)group, (void)poses;
  return tn_result_glb(r, write, user, e);
}

static tn_status make_array(tn_result *r, int group, const tn_poses *poses, tn_write write, void *user, tn_error *e) {
  (void)poses;
  return tn_result_npy(r, group, write, user, e);
}

/* one file out of a result */
static int make(tn_result *r, maker m, int group, const tn_poses *poses, const char *path, bool whole, bool no_clobber,
                FILE *say) {
  tn_error e = {.status = TN_OK};
  part_file p;
  if (no_clobber && tn_refuse_to_replace(path)) return TN_E_IO;
  const char *why = tn_part_open(&p, path);
  if (!why) why = tn_part_cut(&p, 0);
  int code = why ? tn_cannot_write(path, why) : 0;
  if (!code) {
    errno = 0;
    const tn_status status = m(r, group, poses, tn_to_file, p.to, &e);
    const bool wrote = !ferror(p.to);
    if (status == TN_E_IO && !wrote)
      code = tn_cannot_write(path, errno ? strerror(errno) : NULL);
    else if (status != TN_OK)
      code = tn_say_error(&e);
    else if (*e.message)
      tn_say(YELLOW, "'%s': %s", path, e.message); /* it is good, but something is not in it */
  }
  if (code)
    tn_part_discard(&p);
  else
    code = tn_settle(&p, whole, no_clobber, say);
  tn_part_leave(&p);
  return code;
}

/* as many arrays as there are groups; one that cannot be made does not keep the others away */
static int make_arrays(tn_result *r, const char *path, bool whole, bool no_clobber, FILE *say) {
  int code = 0, first;
  char name[160];
  for (int g = 0; g < tn_result_groups(r); g++) {
    tn_result_group(r, g, name, sizeof name, &first);
    char *array = tn_array_name(path, name);
    const int made = array ? make(r, make_array, g, NULL, array, whole, no_clobber, say) : tn_say_no_memory();
    if (!code) code = made;
    free(array);
  }
  return code;
}

int tn_make(tn_result *r, file_kind k, const char *path, const tn_poses *poses, bool whole, bool no_clobber,
            FILE *say) {
  if (k == NPY) return make_arrays(r, path, whole, no_clobber, say);
  static const maker makers[KINDS] = {
      [CSV] = make_csv, [SVG] = make_picture, [PNG] = make_picture, [HTML] = make_html, [GLB] = make_glb};
  return make(r, makers[k], (int)k, poses, path, whole, no_clobber, say);
}

/* ---- poses ----------------------------------------------------------------------------------------------------------------- */

int tn_poses_given(const words *w, tn_poses *poses) {
  const char *text = tn_words_value(w, "--poses");
  double x[3];
  int n = 0;
  *poses = (tn_poses){NAN, NAN, 0};
  if (!text) return 0;
  const char *at = text;
  for (bool more = true; more && n < 3; at += more) {
    char *end;
    x[n++] = strtod(at, &end);
    if (end == at) n = 3, x[0] = x[1] = x[2] = NAN;
    more = *end == ':';
    at = end;
  }
  const bool range = n == 3;
  if (*at || (n != 1 && !range) || text[strspn(text, "0123456789.:eE+-")] || (range && !(x[0] <= x[2])) ||
      !(x[range] > 0))
    return tn_say_usage(w, "--poses needs BY or FROM:BY:TO in seconds, not", text);
  *poses = range ? (tn_poses){x[0], x[2], x[1]} : (tn_poses){NAN, NAN, x[0]};
  return 0;
}

int tn_poses_shown(const words *w, const tn_poses *poses) {
  file_kind k;
  for (int i = 0; i < w->options && poses->by > 0; i++)
    if (strcmp(w->option[i].option->flag, "--output") == 0 && tn_kind_of(w->option[i].value, &k) &&
        (k == SVG || k == PNG))
      return 0;
  return poses->by > 0 ? tn_say_usage(w, "--poses needs a picture, -o FILE.svg or", "-o FILE.png") : 0;
}

int tn_poses_fit(const words *w, const char *path, const tn_poses *poses) {
  file_kind k;
  const char *missing;
  if (!tn_kind_of(path, &k) || k != PNG) return 0;
  if (!tn_has_png(&missing)) {
    tn_say(RED, "cannot write '%s': %s; SVG needs nothing", path, missing);
    return TN_E_USAGE;
  }
  return poses->by > 0 ? 0 : tn_say_usage(w, "a .png shows poses: add --poses BY, or use .svg for", path);
}

/* ---- export ---------------------------------------------------------------------------------------------------------------- */

/* what the model in a result is drawn from; one that cannot be read any more is drawn from nothing */
static int add_drawn(tn_result *r, inputs *in) {
  tn_desc *desc = NULL;
  tn_model *model = NULL;
  tn_error e;
  int code = 0;
  const char *name = tn_result_name(r), *text = tn_result_model(r);
  if (tn_desc_new(NULL, &desc, &e) == TN_OK && tn_desc_parse(desc, name, text, strlen(text), &e) == TN_OK &&
      tn_compile(desc, &model, &e) == TN_OK)
    code = tn_inputs_drawn(in, name, model);
  tn_model_free(model);
  tn_desc_free(desc);
  return code;
}

/* an array is as good as a file */
static int spare_inputs(tn_result *r, const char *from, const char *path) {
  inputs in = {0};
  file_kind k;
  int code = tn_inputs_add(&in, from), first;
  if (!code) code = add_drawn(r, &in);
  if (!code) code = tn_inputs_spare(&in, path, NULL);
  for (int g = 0; !code && tn_kind_of(path, &k) && k == NPY && g < tn_result_groups(r); g++) {
    char group[160];
    tn_result_group(r, g, group, sizeof group, &first);
    char *array = tn_array_name(path, group);
    code = array ? tn_inputs_spare(&in, array, NULL) : tn_say_no_memory();
    free(array);
  }
  tn_inputs_free(&in);
  return code;
}

int tn_export(tn_result *r, const char *from, const char *path, const tn_poses *poses, bool no_clobber, FILE *say) {
  file_kind k;
  tn_error e;
  struct stat s;
  const int spared = spare_inputs(r, from, path);
  if (spared) return spared;
  if (strcmp(path, "-") == 0 || (stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode))) {
    const bool out = strcmp(path, "-") == 0;
    errno = 0;
    FILE *to = out ? stdout : fopen(path, "wb");
    if (!to) return tn_cannot_write(path, strerror(errno));
    const tn_status status = tn_result_csv(r, tn_to_file, to, &e);
    const bool wrote = !ferror(to), closed = out ? fflush(to) == 0 : fclose(to) == 0;
    if (status != TN_OK && (status != TN_E_IO || wrote)) return tn_say_error(&e);
    return status == TN_OK && closed ? 0
                                     : tn_cannot_write(out ? "standard output" : path, errno ? strerror(errno) : NULL);
  }
  if (!tn_kind_of(path, &k) || k == TNR) {
    tn_say(RED, "the name of an output ends in .csv, .npy, .svg, .png, .html or .glb, not '%s'", path);
    return TN_E_USAGE;
  }
  if (k == HTML && !tn_pages(path)) return TN_E_USAGE;
  if (no_clobber && k != NPY && tn_refuse_to_replace(path)) return TN_E_IO;
  return tn_make(r, k, path, poses, true, no_clobber, say);
}
