/* a canvas that draws with cairo and writes PNG. cairo is looked for when the first picture is made: linked in, it and what it needs
 * would make every start of the program 8 ms longer. prototypes are those of its header. */
#include "graph/graph.h"

#if TN_CAIRO

#include <cairo.h>
#include <dlfcn.h>
#include <math.h>

enum { SCALE = 2 }; /* pixels of the picture to one of the canvas */

#define FUNCTIONS(X)                                                                                                   \
  X(image_surface_create)                                                                                              \
  X(create)                                                                                                            \
  X(scale)                                                                                                             \
  X(set_source_rgb)                                                                                                    \
  X(paint)                                                                                                             \
  X(save)                                                                                                              \
  X(restore)                                                                                                           \
  X(rectangle)                                                                                                         \
  X(clip)                                                                                                              \
  X(new_path)                                                                                                          \
  X(move_to)                                                                                                           \
  X(line_to)                                                                                                           \
  X(close_path)                                                                                                        \
  X(set_source_rgba)                                                                                                   \
  X(fill_preserve)                                                                                                     \
  X(stroke)                                                                                                            \
  X(set_line_width)                                                                                                    \
  X(set_line_join)                                                                                                     \
  X(set_dash)                                                                                                          \
  X(select_font_face)                                                                                                  \
  X(set_font_size)                                                                                                     \
  X(text_extents)                                                                                                      \
  X(rotate)                                                                                                            \
  X(show_text)                                                                                                         \
  X(status)                                                                                                            \
  X(surface_write_to_png_stream)                                                                                       \
  X(destroy)                                                                                                           \
  X(surface_destroy)

typedef struct cairo {
#define MEMBER(name) __typeof__(cairo_##name) *name;
  FUNCTIONS(MEMBER)
} cairo;

typedef struct png {
  tn_canvas canvas;
  cairo f;
  cairo_t *c;
  tn_write write;
  void *user;
} png;

/* ISO C has no conversion of a pointer to an object into one to a function */
static bool look_up(void *library, const char *name, void *to) {
  void *found = dlsym(library, name);
  memcpy(to, &found, sizeof found);
  return found;
}

static bool find_functions(void *library, cairo *f) {
  bool all = true;
#define FIND(name) all = look_up(library, "cairo_" #name, &f->name) && all;
  FUNCTIONS(FIND)
  return all;
}

static void color(png *p, int rgb, double opacity) {
  p->f.set_source_rgba(p->c, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, opacity);
}

static void path(tn_canvas *canvas, int n, const double (*at)[2], bool closed, const tn_ink *ink) {
  png *p = (png *)canvas;
  bool down = false;
  p->f.new_path(p->c);
  for (int i = 0; i < n; i++) {
    const bool up = isnan(at[i][0]);
    if (up && down && closed) p->f.close_path(p->c);
    if (!up && down) p->f.line_to(p->c, at[i][0], at[i][1]);
    if (!up && !down) p->f.move_to(p->c, at[i][0], at[i][1]);
    down = !up;
  }
  if (down && closed) p->f.close_path(p->c);
  if (ink->fill != TN_NO_COLOR) {
    color(p, ink->fill, ink->opacity);
    p->f.fill_preserve(p->c);
  }
  if (ink->stroke != TN_NO_COLOR) {
    color(p, ink->stroke, ink->opacity);
    p->f.set_line_width(p->c, ink->width);
    p->f.set_dash(p->c, tn_dash[ink->dash], tn_dash[ink->dash][0] > 0 ? 4 : 0, 0);
    p->f.stroke(p->c);
  }
  p->f.new_path(p->c);
}

static void text(tn_canvas *canvas, double x, double y, const tn_letters *l, const char *words) {
  png *p = (png *)canvas;
  char shown[512];
  cairo_text_extents_t size;
  tn_show_cut(shown, sizeof shown, words, false);
  p->f.set_font_size(p->c, l->size);
  p->f.text_extents(p->c, shown, &size);
  color(p, l->color, 1);
  p->f.save(p->c);
  p->f.move_to(p->c, x - l->anchor * size.x_advance * cos(l->angle), y - l->anchor * size.x_advance * sin(l->angle));
  p->f.rotate(p->c, l->angle);
  p->f.show_text(p->c, shown);
  p->f.restore(p->c);
}

static void clip(tn_canvas *canvas, const double box[4]) {
  png *p = (png *)canvas;
  if (!box) {
    p->f.restore(p->c);
    return;
  }
  p->f.save(p->c);
  p->f.rectangle(p->c, box[0], box[1], box[2], box[3]);
  p->f.clip(p->c);
}

static cairo_status_t take(void *to, const unsigned char *data, unsigned size) {
  const png *p = to;
  return p->write(p->user, (const char *)data, size) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static tn_status picture(png *p, double width, double height, tn_drawer draw, void *what, tn_error *e) {
  cairo_surface_t *s =
      p->f.image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(SCALE * width), (int)ceil(SCALE * height));
  p->c = p->f.create(s);
  p->f.scale(p->c, SCALE, SCALE);
  p->f.set_source_rgb(p->c, 1, 1, 1);
  p->f.paint(p->c);
  p->f.set_line_join(p->c, CAIRO_LINE_JOIN_ROUND);
  p->f.select_font_face(p->c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  draw(what, &p->canvas);
  const cairo_status_t drawn = p->f.status(p->c);
  const cairo_status_t status = drawn == CAIRO_STATUS_SUCCESS ? p->f.surface_write_to_png_stream(s, take, p) : drawn;
  p->f.destroy(p->c);
  p->f.surface_destroy(s);
  if (status == CAIRO_STATUS_SUCCESS) return TN_OK;
  if (status == CAIRO_STATUS_NO_MEMORY) return tn_fail(e, TN_E_MEMORY, "out of memory for the picture");
  return tn_fail(e, TN_E_IO, "the picture could not be written");
}

#if defined(__SANITIZE_ADDRESS__)
/* fontconfig, by which cairo finds its letters, frees some of what it has read nowhere */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }
#endif

/* it stays where it is found: fonts are kept for the next picture */
static bool find_cairo(cairo *f, const char **missing) {
  void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  const bool found = library && find_functions(library, f);
  if (library && !found) dlclose(library);
  *missing = found ? NULL : "cairo is not on this machine: install libcairo2";
  return found;
}

#else

typedef struct cairo {
  int unused;
} cairo;

static bool find_cairo(cairo *f, const char **missing) {
  (void)f;
  *missing = "this Tenon was built without libcairo2-dev";
  return false;
}

#endif

bool tn_has_png(const char **missing) {
  cairo f;
  const char *why;
  const bool found = find_cairo(&f, &why);
  if (missing) *missing = why;
  return found;
}

tn_status tn_canvas_png(double width, double height, const char *name, tn_drawer draw, void *what, tn_write write,
                        void *user, tn_error *e) {
  (void)name;
  const char *missing;
#if TN_CAIRO
  png p = {.canvas = {path, text, clip}, .write = write, .user = user};
  if (find_cairo(&p.f, &missing)) return picture(&p, width, height, draw, what, e);
#else
  cairo none;
  find_cairo(&none, &missing);
  (void)width, (void)height, (void)draw, (void)what, (void)write, (void)user;
#endif
  tn_fail(e, TN_E_USAGE, "no PNG: %s", missing);
  tn_hint(e, "SVG needs nothing");
  return TN_E_USAGE;
}
