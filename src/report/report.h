/* report: what a model is and how a run went, for programs and for people.
 *
 *   text.c json.c   the summary of a run          check.c   a model before it runs
 *   eval.c          the system at a state         list.c    types with their fields and examples
 *   plot.c          rows as a picture             stability.c  of an integrator
 *   surface.c       of a controller               page.c    the HTML that holds a page
 *   run_page.c      the page of a run             glb.c     its motion as glTF
 *   shown.c         what these two show             verdict.c the verdict of a result file
 *   strobe.c        poses over one another          facts.c   what a run says of itself */
#ifndef TN_REPORT_H
#define TN_REPORT_H

#include "draw/draw.h"
#include "graph/graph.h"
#include "integrate/integrate.h"
#include "record/record.h"
#include "stabilize/stabilize.h"

#define TN_S(n) ((n) == 1 ? "" : "s") /* of a plural */

/* ---- pages ---------------------------------------------------------------------------------------------------------- */

/* programs of pages, by kind: `plane space study`. written by viewer/build.sh; none, and why */
typedef struct tn_bundle {
  const char *kind;
  const unsigned char *js;
  size_t js_size;
  const unsigned char *css;
  size_t css_size;
  const char *policy; /* Content-Security-Policy: only this script and style, no network */
} tn_bundle;
extern const tn_bundle tn_bundles[]; /* ends with kind NULL */
extern const char *const tn_bundles_missing;

typedef struct tn_page {
  tn_printer out;
  char hidden[1024]; /* folder that is not shown, with a slash at its end; "" for none */
  const tn_bundle *bundle;
  tn_json json;
  int held; /* bytes in `three` */
  unsigned char three[3];
  size_t used;
  char coded[1024];
} tn_page;

/* head and style; refused in words where this build has no pages. path: of the file that the page is of, or NULL. if it is absolute, its
 * folder is left out of all texts: where files are on the author's machine is nobody's business */
tn_status tn_page_begin(tn_page *p, tn_write write, void *user, const char *kind, const char *path, const char *title,
                        tn_error *e);
/* what the page shows, as one JSON object: open and close it in between */
tn_json *tn_page_data(tn_page *p);
void tn_page_data_end(tn_page *p);
/* numbers as base64 in an element of their own, little endian */
void tn_page_bytes(tn_page *p, const char *id);
void tn_page_u32(tn_page *p, uint32_t bits);
void tn_page_f32(tn_page *p, float value);
void tn_page_f64(tn_page *p, double value);
void tn_page_bytes_end(tn_page *p);
/* the program, and the end */
tn_status tn_page_end(tn_page *p, tn_error *e);

/* a word as a shell takes it; one that is too long is cut */
void tn_shell_word(char *to, size_t size, const char *word);

/* the model of a result and its drawing, both to be freed, whatever comes of it; refused if there is no motion of it */
tn_status tn_result_drawing(tn_result *r, bool flat, tn_model **m, tn_drawing **d, tn_error *e);

/* stability.c: the region of an integrator that has one, and one that ends; surface.c: the controller of a part. both as the
 * command line names them; refused in words */
tn_status tn_stability_region(const char *integrator, tn_region *r, tn_error *e);
tn_status tn_surface_controller(const char *part, tn_controller *c, tn_error *e);

/* strobe.c: shapes of a model in the plane in several poses, over one another */
enum { TN_MOST_POSES = 1000 };
typedef struct tn_strobe {
  const tn_allocator *allocator;
  double from, to, by, next; /* s; how many `by` the next one is behind the first                      */
  int poses, earlier;        /* seen; of these, how many lie on an earlier one and are not drawn again */
  double *seen;              /* bodies x (place, cosine, sine) of each that is drawn                   */
  bool failed;               /* a model in space, or no memory: why */
  char why[200];
  tn_drawing *drawing;
  size_t n[2], room[2]; /* lines, and closed parts */
  double (*p[2])[2];
} tn_strobe;
void tn_strobe_free(tn_strobe *k);
bool tn_strobe_due(const tn_strobe *k, double t);                                 /* a pose is wanted now */
void tn_strobe_row(tn_strobe *k, const tn_model *m, double t, const double *row); /* x, y, angle of each body */
void tn_strobe_remark(const tn_strobe *k, char *text, size_t size);               /* how many there are */
/* up to two layers, whose points are in the arena; how many, -1: no memory */
int tn_strobe_layers(const tn_strobe *k, const tn_layer *style, const double unit[2], tn_arena *arena, tn_layer *out);

/* facts.c: the facts of a run in the order of the summary, until `use` returns false */
typedef bool (*tn_fact_use)(void *user, const tn_run_fact *fact);
void tn_facts_of(const tn_sim *s, tn_fact_use use, void *user);
/* the key of the only fact that another run of the same model does not repeat */
#define TN_FACT_CPU "cpu"

/* members of a JSON object that several reports share */
void tn_report_settings(tn_json *j, const tn_model *m);
void tn_report_warnings(tn_json *j, const tn_model *m);

#endif
