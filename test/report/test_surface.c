/* the surface of a controller, for people and for programs. */
#include "stabilize/stabilize.h"
#include "support/build.h"
#include "test.h"

typedef struct page {
  char text[200000];
  size_t used;
  long calls, fail; /* the call number `fail` is refused */
} page;

static page paper;

static bool to_page(void *user, const char *text, size_t size) {
  page *p = user;
  if (++p->calls == p->fail || p->used + size >= sizeof p->text) return false;
  memcpy(p->text + p->used, text, size);
  p->text[p->used += size] = 0;
  return true;
}

static double item(const tn_node *list, int i) { return tn_node_item(list, i) ? tn_node_item(list, i)->number : NAN; }

TEST(json_and_csv_have_the_surface) {
  tn_controller c;
  tn_desc *d = NULL;
  tn_error e;
  tn_controller_preset(&c, 2, 1);
  paper = (page){.used = 0};
  CHECK(tn_report_surface_json("fuzzy:set=gaussian,both=minimum", to_page, &paper, &e) == TN_OK);
  CHECK(tn_desc_new(NULL, &d, &e) == TN_OK && tn_desc_parse(d, NULL, paper.text, paper.used, &e) == TN_OK);
  const tn_node *x = tn_node_get(d->root, "x"), *y = tn_node_get(d->root, "y"), *F = tn_node_get(d->root, "F"),
                *line = tn_node_get(d->root, "line"), *table = tn_node_get(d->root, "table"),
                *sets = tn_node_get(d->root, "sets");
  CHECK(x && y && F && line && table && sets && x->size == 41 && F->size == 41 && sets->size == 5 && table->size == 5);
  CHECK(item(x, 0) == -1 && item(x, 20) == 0 && item(y, 40) == 1);
  for (int i = 0; i < 41; i++) {
    for (int k = 0; k < 41; k++)
      CHECK(item(tn_node_item(F, i), k) == tn_controller_surface(&c, item(x, i), item(y, k)));
    CHECK(item(line, i) == tn_controller_line(&c, item(y, i)));
  }
  CHECK_NEAR(tn_node_get(d->root, "slope_x")->number, 0.813123, 1e-5);
  CHECK_NEAR(tn_node_get(d->root, "slope_line")->number, 0.505011, 1e-5);
  CHECK(item(tn_node_item(sets, 1), 0) == -0.5 && item(tn_node_item(sets, 1), 1) == 0.2);
  CHECK(item(tn_node_item(table, 0), 3) == -0.5);
  tn_desc_free(d);

  paper = (page){.used = 0};
  CHECK(tn_report_surface_csv("fuzzy:set=gaussian,both=minimum", to_page, &paper, &e) == TN_OK);
  const char *s = paper.text;
  int rows = 0;
  CHECK(strncmp(s, "x,y,F,line\n", 11) == 0);
  for (s = strchr(s, '\n') + 1; *s; s = strchr(s, '\n') + 1, rows++) {
    double v[4];
    CHECK(sscanf(s, "%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3]) == 4);
    CHECK_NEAR(v[2], tn_controller_surface(&c, v[0], v[1]), 1e-15);
    CHECK_NEAR(v[3], tn_controller_line(&c, v[1]), 1e-15);
  }
  CHECK(rows == 41 * 41);
}

/* sets that need gains are shown without; gains do not matter */
TEST(text_says_sets_and_slopes) {
  static const struct {
    const char *part, *says;
  } all[] = {{"fuzzy", "slope at zero: 1 along x, 1 along y, 1 of y alone"},
             {"fuzzy:set=trapezoidal", "slope at zero: 0 along x"},
             {"fuzzy:rule=paper", "[-0.5, 0, 0.5]"},
             {"fuzzy:kp=3,kd=4,ku=5", "    0.25 -0.7500 -0.5000 -0.2500  0.0000  0.2500  0.5000  0.7500  0.8750"},
             {"fuzzy:set=gaussian", "[-1, 0.2] [-0.5, 0.2] [0, 0.2]"},
             {"fuzzy", "  25 rules: Sugeno, product\n  sets: ["},
             {"fuzzy:infer=mamdani,both=minimum", "25 rules: Mamdani, minimum"},
             {"fuzzy:infer=mamdani", "  output sets: [-1.5, -1, -0.5] [-1, -0.5, 0]"},
             {"fuzzy:set_rate=gaussian,size_rate=3", "  sets of Cdot: [-1, 0.4] [0, 0.4] [1, 0.4]\n"},
             {"fuzzy:kd_nonholonomic=2", "slope at zero: 1 along x"},
             {"fuzzy:rule=measured", "slope at zero: 1 along x"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    tn_error e;
    paper = (page){.used = 0};
    CHECK(tn_report_surface_text(all[i].part, to_page, &paper, &e) == TN_OK);
    CHECK_HAS(paper.text, all[i].says);
    CHECK(!strstr(paper.text, "-0.0000"));
  }
}

TEST(what_has_no_surface) {
  static const struct {
    const char *part, *message;
  } all[] = {{"baumgarte", "has no control surface"},       {"project:metric=identity", "has no control surface"},
             {"fuzz", "unknown stabilizer 'fuzz'"},         {"", "expected type"},
             {"fuzzy:sett=gaussian", "unknown key 'sett'"}, {"fuzzy:sets=[1]", "an odd number of sets"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    tn_error e;
    paper = (page){.used = 0};
    CHECK(tn_report_surface_text(all[i].part, to_page, &paper, &e) != TN_OK && !paper.used);
    CHECK_HAS(e.message, all[i].message);
    CHECK(tn_report_surface_json(all[i].part, to_page, &paper, NULL) != TN_OK && !paper.used);
    CHECK(tn_report_surface_csv(all[i].part, to_page, &paper, NULL) != TN_OK && !paper.used);
  }
}

TEST(writing_that_stops) {
  tn_error e;
  paper = (page){.fail = 1};
  CHECK(tn_report_surface_text("fuzzy", to_page, &paper, &e) == TN_E_IO);
  paper = (page){.fail = 2};
  CHECK(tn_report_surface_json("fuzzy", to_page, &paper, &e) == TN_E_IO);
  paper = (page){.fail = 3};
  CHECK(tn_report_surface_csv("fuzzy", to_page, &paper, &e) == TN_E_IO);
}
