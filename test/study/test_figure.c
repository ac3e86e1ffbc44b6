/* figures of a study: their curves are the values of the runs, whatever is wrong is refused with its place, and every figure of a paper
 * is drawn or has a reason. */
#include "study/study.h"

#include <unistd.h>

#include "support/failing.h"
#include "test.h"

#define MODELS TN_SOURCE_DIR "/models/"
#define RUNS                                                                                                           \
  "\"runs\": {\"a\": {\"model\": \"" MODELS "pendulum.json\", \"method\": \"fci\", \"integrator\": \"rk4\", "          \
  "\"step\": 0.001, \"until\": 2, \"every\": 0.01}, "                                                                  \
  "\"h\": {\"like\": \"a\", \"set\": {\"/run/integrator/step\": null}, \"step\": 0.01, \"integrator\": \"ab{x}\"}}, "  \
  "\"measures\": {\"most\": {\"run\": \"a\", \"of\": \"C\"}, \"limit\": {\"fact\": \"stability-real\", "               \
  "\"integrator\": \"ampc3\"}}, "
#define ROWS                                                                                                           \
  "\"rows\": [{\"id\": \"r\", \"holds\": \"measured < 1\", \"measure\": \"most\", \"tolerance\": \"at most 1\", "      \
  "\"verdict\": \"reproduced\"}]"
#define FIGURE(curves)                                                                                                 \
  "{\"study\": 1, \"paper\": \"p\", " RUNS ROWS                                                                        \
  ", \"figures\": [{\"figure\": 3, \"caption\": \"c\", \"curves\": [" curves "]}]}"

static tn_study *read_text(const char *text, tn_error *e) {
  char name[64];
  tn_study *s = NULL;
  snprintf(name, sizeof name, "test_figure.%ld.json", (long)getpid());
  FILE *file = fopen(name, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
  tn_study_read(NULL, name, &s, e);
  remove(name);
  return s;
}

/* the study with its figures drawn; the layers of the first panel of the first */
static tn_study *draw(const char *text, const tn_panel **panel) {
  static const tn_study_options o = {.figures = true};
  tn_error e;
  tn_study *s = read_text(text, &e);
  *panel = NULL;
  if (!s || tn_study_run(s, &o, &e) != TN_OK) {
    FAIL("%s", e.message);
    tn_study_free(s);
    return NULL;
  }
  const tn_study_figure *f = tn_study_figure_at(s, 0);
  if (!f->drawn || f->failure) FAIL("%s", f->failure ? f->failure : "not drawn");
  *panel = s->figure[0].graph.panel;
  return s;
}

static double most(const tn_layer *l, int k) {
  double x = -INFINITY;
  for (int i = 0; i < l->n; i++) x = fmax(x, l->p[i][k]);
  return x;
}

/* angle of a pendulum of length 1 m from the horizontal, by steps of its own */
static double pendulum(double t) {
  double y[2] = {0, 0};
  const int n = 20000;
  const double h = t / n;
  for (int i = 0; i < n; i++) {
    double k[4][2], at[2];
    for (int j = 0; j < 4; j++) {
      static const double c[] = {0, 0.5, 0.5, 1};
      for (int l = 0; l < 2; l++) at[l] = y[l] + (j ? c[j] * h * k[j - 1][l] : 0);
      k[j][0] = at[1];
      k[j][1] = -9.81 * cos(at[0]);
    }
    for (int l = 0; l < 2; l++) y[l] += h / 6 * (k[0][l] + 2 * k[1][l] + 2 * k[2][l] + k[3][l]);
  }
  return y[0];
}

TEST(curves_are_the_values_of_the_run) {
  const tn_panel *a;
  tn_study *s = draw(
      FIGURE(
          "{\"y\": \"most\"}, {\"y\": {\"run\": \"a\", \"expression\": \"bob.x\"}}, "
          "{\"x\": {\"run\": \"a\", \"expression\": \"bob.x\"}, \"y\": {\"run\": \"a\", \"expression\": \"bob.y\"}}, "
          "{\"y\": {\"run\": \"a\", \"expression\": \"bob.x\", \"at\": \"rows\", \"from\": 0.5}}"),
      &a);
  if (!s) return;
  CHECK(a->layers == 4 && a->layer[0].n == 2001 && a->layer[3].n == 151);
  CHECK_NEAR(most(&a->layer[0], 1), tn_study_row_at(s, 0)->measured, 0); /* of which the row has the largest */
  CHECK(most(&a->layer[0], 1) > 1e-14);
  for (int i = 0; i <= 2000; i += 400) {
    const double t = a->layer[1].p[i][0];
    CHECK_NEAR(t, i * 0.001, 1e-12);
    CHECK_NEAR(a->layer[1].p[i][1], t > 0 ? cos(pendulum(t)) : 1, 1e-9);
    CHECK_NEAR(hypot(a->layer[2].p[i][0], a->layer[2].p[i][1]), 1, 1e-9);
    CHECK_NEAR(a->layer[2].p[i][0], a->layer[1].p[i][1], 0);
  }
  CHECK_NEAR(a->layer[3].p[0][0], 0.5, 1e-9);
  tn_study_free(s);
}

TEST(curves_over_a_parameter_points_and_bars) {
  const tn_panel *a;
  tn_study *s = draw(FIGURE("{\"y\": {\"run\": \"h\", \"of\": \"C\", \"vary\": {\"from\": 1, \"to\": 4}}}, "
                            "{\"points\": [[0, \"limit\"], [\"limit + 1\", 2]]}"),
                     &a);
  if (!s) return;
  CHECK(a->layers == 2 && a->layer[0].n == 4 && a->layer[1].n == 2);
  for (int i = 0; i < 4; i++)
    CHECK(a->layer[0].p[i][0] == i + 1 && (!i || a->layer[0].p[i][1] < a->layer[0].p[i - 1][1]));
  CHECK_NEAR(a->layer[1].p[0][1], 1.728784, 1e-5); /* Table 2 of Wu, Chiou & Lin, further digits */
  CHECK_NEAR(a->layer[1].p[1][0], 2.728784, 1e-5);
  tn_study_free(s);
  s = draw(FIGURE("{\"bars\": [[\"one\", 1], [\"two\", \"2*limit\"]]}, {\"bars\": [[\"one\", 3], [\"two\", 4]]}"), &a);
  if (!s) return;
  CHECK(a->names == 2 && a->layer[0].kind == TN_LAYER_BARS);
  CHECK_TEXT(a->name[1], "two");
  CHECK_NEAR(a->layer[0].p[1][1], 2 * 1.728784, 1e-5);
  tn_study_free(s);
}

/* the outline crosses the real axis where the limit is, and encloses the area that the fact has */
TEST(regions_have_the_limit_and_the_area_of_the_integrator) {
  static const struct {
    const char *integrator;
    double limit, area; /* further digits of Table 2 of Wu; cells that are stable */
  } known[] = {{"ampc3", 1.728784, 2.61867}, {"mampc3", 1.934608, 3.04999}, {"mampc5", 1.039349, 0.994936}};
  for (size_t k = 0; k < 3; k++) {
    const tn_panel *a;
    char text[2048];
    snprintf(text, sizeof text,
             "{\"study\": 1, \"paper\": \"p\", " RUNS ROWS
             ", \"figures\": [{\"figure\": 3, \"caption\": \"c\", \"curves\": [{\"region\": \"%s\"}]}]}",
             known[k].integrator);
    tn_study *s = draw(text, &a);
    if (!s) return;
    const tn_layer *l = a->layer;
    double area = 0, left = 0;
    for (int i = 0; i < l->n; i++) {
      if (isnan(l->p[i][0])) continue;
      const int next = i + 1 < l->n && !isnan(l->p[i + 1][0]) ? i + 1 : -1;
      if (next > 0) area += 0.5 * (l->p[i][0] * l->p[next][1] - l->p[next][0] * l->p[i][1]);
      if (l->p[i][0] < left) left = l->p[i][0];
    }
    CHECK_NEAR(left, -known[k].limit, 0.012);
    CHECK_NEAR(area, known[k].area, 0.002 * area);
    tn_study_free(s);
  }
}

TEST(controllers_are_drawn_as_they_are) {
  const tn_panel *a;
  tn_study *s = draw(FIGURE("{\"sets\": \"fuzzy\"}, {\"singletons\": \"fuzzy\"}"), &a);
  if (!s) return;
  CHECK(a->layers == 6 && a->layer[0].n == 401);
  for (int i = 0; i <= 400; i++) { /* triangles of half width 0.5 add up to one */
    double sum = 0;
    for (int k = 0; k < 5; k++) sum += a->layer[k].p[i][1];
    CHECK_NEAR(sum, 1, 1e-12);
  }
  CHECK(a->layer[5].kind == TN_LAYER_STEMS && a->layer[5].n == 5);
  tn_study_free(s);
}

/* a bob on a circle, at the times that are asked for: the link from the middle to it, five times */
TEST(poses_are_those_of_the_run) {
  const tn_panel *a;
  tn_study *s = draw(FIGURE("{\"poses\": {\"run\": \"a\", \"from\": 0.5, \"to\": 1.5, \"by\": 0.25}}"), &a);
  if (!s) return;
  int found = 0;
  for (int k = 0; k < a->layers; k++)
    for (int i = 0; i < a->layer[k].n; i++) {
      const double *p = a->layer[k].p[i], angle = pendulum(0.5 + 0.25 * found);
      if (a->layer[k].kind == TN_LAYER_CURVE && found < 5 && fabs(p[0] - cos(angle)) < 1e-8 &&
          fabs(p[1] - sin(angle)) < 1e-8)
        found++;
    }
  CHECK(found == 5);
  tn_study_free(s);
}

/* shapes turn with their bodies: three rods of 0.3 m in a line, 80 degrees below the horizontal, whose pins are drawn */
TEST(poses_have_the_angles_of_bodies) {
  const tn_panel *a;
  tn_study *s =
      draw("{\"study\": 1, \"paper\": \"p\", \"runs\": {\"a\": {\"model\": \"" MODELS
           "triple_pendulum.json\", \"until\": 0.1, \"every\": 0.1}}, \"measures\": {\"most\": {\"run\": \"a\", "
           "\"of\": \"C\"}}, " ROWS
           ", \"figures\": [{\"figure\": 1, \"caption\": \"c\", \"curves\": [{\"poses\": {\"run\": \"a\", "
           "\"to\": 0, \"by\": 1}}]}]}",
           &a);
  if (!s) return;
  bool found[2] = {false, false};
  const double angle = -80 * acos(-1) / 180;
  for (int k = 0; k < a->layers; k++)
    for (int i = 0; i < a->layer[k].n; i++)
      for (int pin = 0; pin < 2; pin++) {
        const double *p = a->layer[k].p[i], l = 0.3 * (pin + 1);
        found[pin] = found[pin] || (fabs(p[0] - l * cos(angle)) < 1e-9 && fabs(p[1] - l * sin(angle)) < 1e-9);
      }
  CHECK(found[0] && found[1]);
  tn_study_free(s);
}

/* the pendulum swings with a period of 2.368 s: every second pose half a period apart lies on an earlier one */
TEST(poses_that_lie_on_earlier_ones_are_drawn_once) {
  const tn_panel *a;
  tn_study *s = draw("{\"study\": 1, \"paper\": \"p\", \"runs\": {\"a\": {\"model\": \"" MODELS
                     "pendulum.json\", \"until\": 12, \"every\": 1, \"integrator\": \"dopri5:max_step=0.001\"}}, "
                     "\"measures\": {\"most\": {\"run\": \"a\", \"of\": \"C\"}}, " ROWS
                     ", \"figures\": [{\"figure\": 1, \"caption\": \"c\", \"curves\": [{\"poses\": {\"run\": \"a\", "
                     "\"to\": 11.9, \"by\": 1.1840}}]}]}",
                     &a);
  if (!s) return;
  const tn_strobe *k = s->figure[0].panel[0].curve[0].strobe;
  CHECK(k->poses == 11 && k->earlier >= 5 && k->earlier < 11);
  CHECK(s->figure[0].graph.notes == 1);
  if (s->figure[0].graph.notes == 1) CHECK_HAS(s->figure[0].graph.note[0], "11 poses");
  tn_study_free(s);
}

static void pass(tn_track *k, int64_t n, int64_t peak) {
  tn_track_begin(k);
  for (int64_t i = 0; i < n; i++) tn_track_add(k, (double)i, i == peak ? 5 : (double)(i % 7) / 7);
  tn_track_end(k);
}

TEST(long_runs_keep_their_peaks_and_pairs) {
  tn_track alone = {0}, x = {.paired = true}, y = {.paired = true};
  for (int64_t peak = 17; peak < 3000000; peak += 700001) {
    double highest = 0;
    pass(&alone, 3000000, peak);
    CHECK(alone.n > 1000 && alone.n <= 1 << 16);
    for (size_t i = 0; i < alone.n; i++) {
      if (alone.p[i][1] > highest) highest = alone.p[i][1];
      CHECK(!i || alone.p[i][0] > alone.p[i - 1][0]);
    }
    CHECK(highest == 5);
  }
  pass(&x, 3000000, 5);
  pass(&y, 3000000, 9);
  CHECK(x.n == y.n && x.n > 1000);
  for (size_t i = 0; i < x.n && i < y.n; i++) CHECK(x.p[i][0] == y.p[i][0]);
  tn_track_free(&alone);
  tn_track_free(&x);
  tn_track_free(&y);
}

/* ---- pictures --------------------------------------------------------------------------------------------------------------- */

typedef struct page {
  char *text;
  size_t n;
} page;

static bool keep(void *user, const char *text, size_t n) {
  page *p = user;
  char *more = realloc(p->text, p->n + n + 1);
  if (!more) abort();
  memcpy(more + p->n, text, n);
  more[p->n += n] = 0;
  p->text = more;
  return true;
}

/* elements are closed in order, and no text or attribute has a bare < or & */
static void check_xml(const char *xml) {
  char open[16][16];
  int depth = 0, elements = 0;
  for (const char *c = xml; *c; c++) {
    if (*c == '&' && strncmp(c, "&lt;", 4) != 0 && strncmp(c, "&gt;", 4) != 0 && strncmp(c, "&amp;", 5) != 0 &&
        strncmp(c, "&quot;", 6) != 0)
      FAIL("a bare &");
    if (*c != '<') continue;
    const char *end = strchr(c, '>');
    if (!end) {
      FAIL("no >");
      return;
    }
    char name[16] = "";
    sscanf(c + 1 + (c[1] == '/'), "%15[a-z]", name);
    if (c[1] == '/') {
      CHECK(depth > 0);
      if (depth <= 0) return;
      CHECK_TEXT(open[--depth], name);
    } else if (end[-1] != '/') {
      CHECK(depth < 16);
      if (depth >= 16) return;
      snprintf(open[depth++], sizeof *open, "%s", name);
    }
    int quotes = 0;
    for (const char *q = c; q < end; q++) quotes += *q == '"';
    CHECK(quotes % 2 == 0 && *name);
    elements++;
    c = end;
  }
  CHECK(depth == 0 && elements > 10);
}

TEST(pictures_are_well_formed_whatever_the_words) {
  const tn_panel *a;
  tn_error e;
  page svg = {0}, csv = {0};
  tn_study *s = draw("{\"study\": 1, \"paper\": \"p\", " RUNS ROWS
                     ", \"figures\": [{\"figure\": 3, \"caption\": \"a < b & \\\"c\\\" α \\u202e\", \"remark\": "
                     "\"<script>\", \"x\": {\"label\": \"<x>\"}, \"panels\": ["
                     "{\"title\": \"a&b\", \"y\": {\"log\": true}, \"curves\": [{\"label\": \"=1+1\\\"\", \"y\": "
                     "\"most\", \"mark\": \"circle\"}]}, "
                     "{\"curves\": [{\"surface\": \"fuzzy\"}], \"bare\": true}, "
                     "{\"curves\": [{\"bars\": [[\"<\", 1], [\"&\", 2]]}]}]}]}",
                     &a);
  if (!s) return;
  CHECK(tn_study_figure_svg(s, 0, keep, &svg, &e) == TN_OK);
  check_xml(svg.text);
  CHECK(!strstr(svg.text, "<script") && !strstr(svg.text, "nan") && !strstr(svg.text, "inf"));
  CHECK_HAS(svg.text, "Fig. 3. a &lt; b &amp; &quot;c&quot; α \\u202e");
  CHECK(tn_study_figure_csv(s, 0, keep, &csv, &e) == TN_OK);
  CHECK_HAS(csv.text, "panel,curve,label,x,y\n1,1,\"'=1+1\"\"\",0,");
  CHECK(tn_study_figure_svg(s, 1, keep, &svg, &e) == TN_E_USAGE &&
        tn_study_figure_csv(s, -1, keep, &svg, &e) == TN_E_USAGE);
  free(svg.text);
  free(csv.text);
  tn_study_free(s);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------------- */

TEST(what_is_wrong_is_refused_with_its_place) {
  static const struct {
    const char *figures, *why, *pointer;
  } bad[] = {
      {"1", "`figures` is a list", "/figures"},
      {"[1]", "has to be an object", "/figures/0"},
      {"[{}]", "`figure` is its number", "/figures/0"},
      {"[{\"figure\": 0.5, \"caption\": \"c\"}]", "whole number", "/figures/0/figure"},
      {"[{\"figure\": 1}]", "`caption` is missing", "/figures/0"},
      {"[{\"figure\": 1, \"caption\": \"c\"}]", "`curves` is a list", "/figures/0"},
      {"[{\"figure\": 1, \"caption\": \"c\", \"curve\": []}]", "unknown key 'curve'", "/figures/0/curve"},
      {"[{\"figure\": 1, \"caption\": \"c\", \"curves\": []}]", "`curves` is a list", "/figures/0/curves"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"left_out\": \"w\"}, {\"figure\": 2, \"caption\": \"c\", \"left_out\": "
       "\"w\"}]",
       "order of the paper", "/figures/1/figure"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"left_out\": \"w\", \"curves\": []}]", "unknown key 'curves'",
       "/figures/0/curves"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"panels\": 1}]", "`panels` is a list", "/figures/0/panels"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"panels\": [{\"curves\": [{}], \"x\": 1}]}]", "has to be an object",
       "/figures/0/panels/0/x"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{}]}]", "has one of `y`", "/figures/0/curves/0"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"q\"}]}]", "there is no measure 'q'",
       "/figures/0/curves/0/y"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"limit\"}]}]", "one number",
       "/figures/0/curves/0/y"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": {\"run\": \"a\", \"of\": \"C\", \"take\": "
       "\"max\"}}]}]",
       "nothing is taken", "/figures/0/curves/0/y/take"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": {\"run\": \"b\", \"of\": \"C\"}}]}]",
       "there is no run 'b'", "/figures/0/curves/0/y/run"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": {\"run\": \"a\", \"of\": \"rhs\"}}]}]", "one number",
       "/figures/0/curves/0/y"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\", \"x\": {\"run\": \"h\", \"of\": \"C\"}}]}]",
       "of one run", "/figures/0/curves/0/x"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\", \"region\": \"rk4\"}]}]", "has one of",
       "/figures/0/curves/0"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"points\": [[1]]}]}]", "a point is x and y",
       "/figures/0/curves/0/points/0"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"points\": [[1, \"nothing\"]]}]}]", "there is no measure",
       "/figures/0/curves/0/points/0/1"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"bars\": [[\"a\", 1]]}, {\"bars\": [[\"b\", 1]]}]}]",
       "same names", "/figures/0/curves/1/bars/0"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\", \"line\": \"wavy\"}]}]", "can be solid",
       "/figures/0/curves/0/line"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\", \"width\": 1e9}]}]", "20 pixels",
       "/figures/0/curves/0/width"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\"}], \"x\": {\"from\": 1, \"to\": 1}}]",
       "less than `to`", "/figures/0/x"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\"}], \"x\": {\"from\": 5e-324, \"log\": "
       "true}}]",
       "at 1e-300 or more", "/figures/0/x"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\"}], \"x\": {\"from\": 0, \"log\": true}}]",
       "above 0", "/figures/0/x"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"y\": \"most\"}], \"x\": {\"unit\": 0}}]", "above 0",
       "/figures/0/x"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"poses\": {\"run\": \"a\", \"to\": 1, \"by\": 0}}]}]",
       "poses", "/figures/0/curves/0/poses"},
      {"[{\"figure\": 2, \"caption\": \"c\", \"curves\": [{\"poses\": {\"run\": \"q\", \"to\": 1, \"by\": 1}}]}]",
       "there is no run 'q'", "/figures/0/curves/0/poses/run"},
  };
  char text[4096];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tn_error e;
    snprintf(text, sizeof text, "{\"study\": 1, " RUNS ROWS ", \"figures\": %s}", bad[i].figures);
    tn_study *s = read_text(text, &e);
    CHECK(!s && e.status == TN_E_MODEL);
    if (!strstr(e.message, bad[i].why)) FAIL("%s: %s", bad[i].figures, e.message);
    if (strcmp(e.pointer, bad[i].pointer) != 0) FAIL("%s: at %s", bad[i].figures, e.pointer);
    tn_study_free(s);
  }
}

/* parts are known once they are drawn */
TEST(parts_that_are_not_known_are_refused_in_words) {
  static const struct {
    const char *curve, *why;
  } bad[] = {{"{\"region\": \"rk5\"}", "unknown integrator"},
             {"{\"region\": \"abm\"}", "each of its orders"},
             {"{\"region\": \"trbdf2\"}", "no end"},
             {"{\"sets\": \"baumgarte\"}", "no control surface"}};
  static const tn_study_options o = {.figures = true};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[2048];
    tn_error e;
    snprintf(text, sizeof text,
             "{\"study\": 1, \"paper\": \"p\", " RUNS ROWS
             ", \"figures\": [{\"figure\": 3, \"caption\": \"c\", \"curves\": [%s]}]}",
             bad[i].curve);
    tn_study *s = read_text(text, &e);
    CHECK(s && tn_study_run(s, &o, &e) != TN_OK);
    if (!strstr(e.message, bad[i].why)) FAIL("%s: %s", bad[i].curve, e.message);
    tn_study_free(s);
  }
}

/* a curve without points is reported, and the study is not as expected */
TEST(a_figure_without_a_curve_is_a_failure) {
  static const tn_study_options o = {.figures = true};
  tn_error e;
  tn_study *s = read_text("{\"study\": 1, \"paper\": \"p\", \"runs\": {\"a\": {\"model\": \"nowhere.json\"}}, "
                          "\"rows\": [{\"id\": \"r\", \"holds\": \"measured > 0\", \"measure\": {\"value\": 1}, "
                          "\"tolerance\": \"at most 1\", \"verdict\": \"reproduced\"}], \"figures\": [{\"figure\": 1, "
                          "\"caption\": \"c\", \"curves\": [{\"y\": {\"run\": \"a\", \"of\": \"C\"}}]}]}",
                          &e);
  CHECK(s && tn_study_run(s, NULL, &e) == TN_OK && tn_study_as_expected(s));
  CHECK(!tn_study_figure_at(s, 0)->drawn);
  CHECK(tn_study_run(s, &o, &e) == TN_OK && !tn_study_as_expected(s));
  CHECK_HAS(tn_study_figure_at(s, 0)->failure, "nowhere.json");
  tn_study_free(s);
}

TEST(every_allocation_may_fail) {
  static const char text[] =
      "{\"study\": 1, \"paper\": \"p\", \"runs\": {\"a\": {\"model\": \"" MODELS "pendulum.json\", \"until\": 0.1, "
      "\"every\": 0.05}}, \"measures\": {\"most\": {\"run\": \"a\", \"of\": \"C\"}}, " ROWS
      ", \"figures\": [{\"figure\": 3, \"caption\": \"c\", \"curves\": [{\"y\": \"most\"}, {\"sets\": \"fuzzy\"}, "
      "{\"poses\": {\"run\": \"a\", \"to\": 0.1, \"by\": 0.05}}]}]}";
  static const tn_study_options o = {.workers = 1, .figures = true};
  char name[64];
  bool good = false;
  int refused = 0, told = 0;
  snprintf(name, sizeof name, "test_figure.%ld.json", (long)getpid());
  FILE *file = fopen(name, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) abort();
  for (long fail = 1; fail < 2000 && !good; fail += fail < 60 ? 1 : 3) {
    failing f = {.fail = fail};
    const tn_allocator a = {fail_allocate, fail_release, &f};
    tn_study *s = NULL;
    tn_error e;
    tn_status status = tn_study_read(&a, name, &s, &e);
    if (status == TN_OK) status = tn_study_run(s, &o, &e);
    CHECK(status == TN_OK || status == TN_E_MEMORY);
    refused += status != TN_OK;
    told += status == TN_OK && !tn_study_as_expected(s);
    good = status == TN_OK && f.calls < fail;
    tn_study_free(s);
    CHECK(f.out == 0);
  }
  remove(name);
  CHECK(good && refused > 3 && told > 1);
}

/* ---- the papers ------------------------------------------------------------------------------------------------------------------ */

/* figures of a paper, and those of them that show results: each of these is drawn or says why not */
TEST(every_figure_of_the_papers_is_there) {
  static const struct {
    const char *paper;
    int figures, results;
  } papers[] = {{"wu2000", 7, 6}, {"braun2009", 10, 9}, {"hoang2023", 3, 2}, {"nada2017", 11, 8}, {"nada2023", 32, 22}};
  for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
    char name[256];
    tn_error e;
    tn_study *s = NULL;
    int drawn = 0;
    snprintf(name, sizeof name, TN_SOURCE_DIR "/studies/%s.json", papers[i].paper);
    if (tn_study_read(NULL, name, &s, &e) != TN_OK) {
      FAIL("%s", e.message);
      continue;
    }
    CHECK(tn_study_figures(s) == papers[i].figures);
    for (int k = 0; k < tn_study_figures(s); k++) {
      const tn_study_figure *f = tn_study_figure_at(s, k);
      CHECK(f->number == k + 1 && *f->caption);
      CHECK(!f->left_out || strlen(f->left_out) > 30);
      drawn += !f->left_out;
    }
    CHECK(drawn == papers[i].results);
    tn_study_free(s);
  }
}
