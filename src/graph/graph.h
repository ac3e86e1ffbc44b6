/* graph: curves, bars and shapes in panels with axes, as SVG and, where cairo is, as PNG.
 *
 *   graph.c   panels, axes, legends, layers        svg.c   a canvas that writes SVG
 *   ticks.c   round numbers of an axis, as text    png.c   one that draws with cairo and writes PNG */
#ifndef TN_GRAPH_H
#define TN_GRAPH_H

#include "base/base.h"

/* ---- a canvas: lengths are pixels, y is downwards -------------------------------------------------------------------- */

enum { TN_NO_COLOR = -1 };
enum { TN_SOLID, TN_DASHED, TN_DASH_DOT, TN_DOTTED, TN_DASHES };
extern const double tn_dash[TN_DASHES][4]; /* lengths of line and gap in turn, px; all 0: solid */

typedef struct tn_ink {
  int stroke, fill; /* 0xrrggbb or TN_NO_COLOR */
  double width, opacity;
  int dash;
} tn_ink;

typedef struct tn_letters {
  double size, angle; /* px; rad, 0 or -pi/2 */
  double anchor;      /* of the width: 0 start, 0.5 middle, 1 end at the place */
  int color;
} tn_letters;

typedef struct tn_canvas tn_canvas;
struct tn_canvas {
  /* n points; a NaN in x lifts the pen. `closed`: every part is */
  void (*path)(tn_canvas *c, int n, const double (*p)[2], bool closed, const tn_ink *ink);
  void (*text)(tn_canvas *c, double x, double y, const tn_letters *l, const char *words);
  void (*clip)(tn_canvas *c, const double box[4]); /* x, y, width, height; NULL: no more */
};

/* draws with `draw` on a picture of a size, px, that is written. TN_E_IO: it could not be; TN_E_USAGE: no PNG in this build */
typedef void (*tn_drawer)(void *what, tn_canvas *c);
tn_status tn_canvas_svg(double width, double height, const char *name, tn_drawer draw, void *what, tn_write write,
                        void *user, tn_error *e);
tn_status tn_canvas_png(double width, double height, const char *name, tn_drawer draw, void *what, tn_write write,
                        void *user, tn_error *e);
/* about how wide it is, px: fonts differ */
double tn_text_width(const char *words, double size);

/* of a range over the size of its numbers: a smaller one is drawn as a range without width */
static const double TN_FLAT_RANGE = 1e-9;
/* in the unit of the axis: smaller numbers are not on a logarithmic axis, so that powers of ten around those on it are numbers */
static const double TN_LOG_LEAST = 1e-300;

/* ---- a graph ------------------------------------------------------------------------------------------------------------ */

typedef enum tn_layer_kind {
  TN_LAYER_CURVE,  /* n points                                          */
  TN_LAYER_BARS,   /* from the x axis to y; x is the number of the name */
  TN_LAYER_STEMS,  /* likewise, thin, with a head                       */
  TN_LAYER_SHAPES, /* closed parts, filled                              */
  TN_LAYER_WORDS   /* `label` at the first point; not in the legend     */
} tn_layer_kind;
enum {
  TN_MARK_NONE,
  TN_MARK_CIRCLE,
  TN_MARK_SQUARE,
  TN_MARK_TRIANGLE,
  TN_MARK_DIAMOND,
  TN_MARK_PLUS,
  TN_MARK_DOT,
  TN_MARKS
};

typedef struct tn_layer {
  tn_layer_kind kind;
  const char *label; /* in the legend; "" none */
  int color, fill, dash, mark;
  bool no_line;
  double width, opacity;
  int n;
  double (*p)[2];  /* values; a NaN lifts the pen                  */
  const int *tint; /* of shapes: a fill for each part; NULL: `fill` */
} tn_layer;

typedef struct tn_scale {
  const char *label;
  double from, to; /* NaN: as the layers need */
  bool log;
} tn_scale;

typedef struct tn_panel {
  const char *title;
  tn_scale x, y;
  bool equal, bare; /* one length is as long on both axes; no axes at all */
  int names;
  const char *const *name; /* under bars, in place of numbers */
  int layers;
  tn_layer *layer;
} tn_panel;

typedef struct tn_graph {
  const char *title;
  int notes;
  const char *const *note; /* below all panels */
  int panels, columns;
  tn_panel *panel;
} tn_graph;

void tn_graph_size(const tn_graph *c, double *width, double *height);
void tn_graph_draw(const tn_graph *graph, tn_canvas *c);
tn_status tn_graph_svg(const tn_graph *graph, tn_write write, void *user, tn_error *e);
tn_status tn_graph_png(const tn_graph *graph, tn_write write, void *user, tn_error *e);

/* the colours of layers, in turn */
enum { TN_COLORS = 10 };
extern const int tn_colors[TN_COLORS];

/* ---- ticks.c -------------------------------------------------------------------------------------------------------------- */

enum { TN_MOST_TICKS = 32 };
typedef struct tn_ticks {
  int n;
  double at[TN_MOST_TICKS];
  char text[TN_MOST_TICKS][16]; /* "" for one without a number                          */
  char factor[24];              /* what all numbers are multiplied by, `x 10^-6`; or "" */
} tn_ticks;
/* about n round numbers from `from` to `to`; of a logarithmic axis powers of ten */
void tn_ticks_of(const tn_scale *s, int n, tn_ticks *t);
/* a step of 1, 2 or 5 times a power of ten that divides the range into about n */
double tn_tick(double range, int n);

#endif
