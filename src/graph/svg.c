/* a canvas that writes SVG. nothing in it has an id, so that many of them can stand in one page. */
#include "graph/graph.h"

#include <math.h>

const double tn_dash[TN_DASHES][4] = {{0, 0, 0, 0}, {7, 4, 7, 4}, {8, 3, 2, 3}, {2, 3, 2, 3}};

typedef struct svg {
  tn_canvas canvas;
  tn_printer p;
} svg;

/* as XML, cut at whole characters */
static void escaped(tn_printer *p, const char *s) {
  const size_t n = strlen(s);
  char escape[8];
  for (size_t i = 0; i < n && i < 400;) {
    const int size = tn_escape(s + i, n - i, escape);
    const char c = s[i];
    const char *name = c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
    if (name)
      tn_put(p, "%s", name);
    else
      tn_put(p, "%.*s", size, s + i);
    i += (size_t)size;
  }
}

static void paint(tn_printer *p, const tn_ink *ink) {
  if (ink->fill == TN_NO_COLOR)
    tn_put(p, " fill=\"none\"");
  else
    tn_put(p, " fill=\"#%06x\"", (unsigned)ink->fill);
  if (ink->stroke != TN_NO_COLOR)
    tn_put(p, " stroke=\"#%06x\" stroke-width=\"%.3g\" stroke-linejoin=\"round\"", (unsigned)ink->stroke, ink->width);
  if (ink->opacity < 1) tn_put(p, " opacity=\"%.3g\"", ink->opacity);
  const double *d = tn_dash[ink->dash];
  if (d[0] > 0) tn_put(p, " stroke-dasharray=\"%g %g %g %g\"", d[0], d[1], d[2], d[3]);
  tn_put(p, "/>\n");
}

static void path(tn_canvas *c, int n, const double (*at)[2], bool closed, const tn_ink *ink) {
  tn_printer *p = &((svg *)c)->p;
  bool down = false;
  tn_put(p, "<path d=\"");
  for (int i = 0; i < n; i++) {
    if (isnan(at[i][0])) {
      if (down && closed) tn_put(p, "Z");
      down = false;
      continue;
    }
    tn_put(p, "%s%.1f %.1f", down ? "L" : "M", at[i][0], at[i][1]);
    down = true;
  }
  tn_put(p, down && closed ? "Z\"" : "\"");
  paint(p, ink);
}

static void text(tn_canvas *c, double x, double y, const tn_letters *l, const char *words) {
  static const char *const anchors[] = {"start", "middle", "end"};
  tn_printer *p = &((svg *)c)->p;
  tn_put(p, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" text-anchor=\"%s\" fill=\"#%06x\"", x, y, l->size,
         anchors[(int)(2 * l->anchor)], (unsigned)l->color);
  if (l->angle != 0) tn_put(p, " transform=\"rotate(%g %.1f %.1f)\"", l->angle * 180 / acos(-1), x, y);
  tn_put(p, ">");
  escaped(p, words);
  tn_put(p, "</text>\n");
}

static void clip(tn_canvas *c, const double box[4]) {
  tn_printer *p = &((svg *)c)->p;
  if (!box)
    tn_put(p, "</svg>\n");
  else
    tn_put(p,
           "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\" "
           "overflow=\"hidden\">\n",
           box[0], box[1], box[2], box[3], box[0], box[1], box[2], box[3]);
}

tn_status tn_canvas_svg(double width, double height, const char *name, tn_drawer draw, void *what, tn_write write,
                        void *user, tn_error *e) {
  svg s = {{path, text, clip}, {write, user, false}};
  tn_put(&s.p,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
         "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" role=\"img\">\n<title>",
         width, height, width, height);
  escaped(&s.p, name);
  tn_put(&s.p, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
  draw(what, &s.canvas);
  tn_put(&s.p, "</svg>\n");
  return s.p.failed ? tn_fail(e, TN_E_IO, "the picture could not be written") : TN_OK;
}

double tn_text_width(const char *words, double size) {
  double width = 0;
  for (const char *c = words; *c; c++) {
    if (((unsigned char)*c & 0xc0) == 0x80) continue; /* not the first byte of a character */
    width += strchr(" .,:;|'!()[]/ijltfIr1-", *c) ? 0.36
             : strchr("mwMW@%", *c)               ? 0.9
             : *c >= 'A' && *c <= 'Z'             ? 0.7
                                                  : 0.6;
  }
  return width * size;
}
