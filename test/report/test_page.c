/* pages: the motion in a result is that of the channels, what a page holds is that motion, and nothing that a name says can get out of
 * the element that holds it. */
#include "report/report.h"

#include "support/build.h"
#include "test.h"

static const char path[] = "page.tnr";

typedef struct text {
  size_t used, room;
  char *text;
  long calls, fail; /* from the call number `fail` on it is refused */
} text;

static bool to_text(void *user, const char *bytes, size_t size) {
  text *p = user;
  if (p->fail && ++p->calls >= p->fail) return false;
  if (p->used + size >= p->room) {
    p->room = 2 * (p->used + size) + 1000;
    if (!(p->text = realloc(p->text, p->room))) abort();
  }
  memcpy(p->text + p->used, bytes, size);
  p->text[p->used += size] = 0;
  return true;
}

static void save(const text *p, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(p->text, 1, n, f) != n || fclose(f) != 0) abort();
}

/* a built model, run and recorded; the bytes are saved too */
static void record(build *b, const char *name, text *to) {
  tn_recorder *recorder = NULL;
  tn_error e;
  if (!build_simulate(b)) FAIL("%s", b->message);
  CHECK(tn_recorder_new(b->sim, b->desc, name, to_text, to, &recorder, &e) == TN_OK);
  if (tn_sim_run(b->sim, tn_recorder_row, recorder, &e) != TN_OK) FAIL("%s", e.message);
  CHECK(tn_recorder_end(recorder, b->sim, name, tn_report_json) == TN_OK);
  tn_recorder_free(recorder);
  save(to, to->used);
}

typedef struct rows {
  int columns; /* with t */
  long n, room;
  double *value;
} rows;

static tn_status keep(void *user, double t, int n, const double *values) {
  rows *r = user;
  if (r->n == r->room) {
    r->room = 2 * r->room + 16;
    if (!(r->value = realloc(r->value, sizeof *r->value * (size_t)(n + 1) * (size_t)r->room))) abort();
  }
  r->columns = n + 1;
  double *to = r->value + (size_t)r->n++ * (size_t)(n + 1);
  to[0] = t;
  memcpy(to + 1, values, sizeof *values * (size_t)n);
  return TN_OK;
}

/* whole, or what is good of it */
static tn_result *open_result(void) {
  tn_result *r = NULL;
  tn_error e;
  if (tn_result_open(NULL, path, &r, &e) != TN_OK || tn_result_recover(r, &e) != TN_OK) FAIL("%s", e.message);
  return r;
}

static void motion_of(rows *to) {
  tn_result *r = open_result();
  tn_error e;
  *to = (rows){0};
  if (tn_result_motion_each(r, keep, to, &e) != TN_OK) FAIL("%s", e.message);
  CHECK(to->n == tn_result_motion_rows(r) && to->columns == tn_result_motion_size(r) + 1);
  tn_result_close(r);
}

/* ---- the motion ------------------------------------------------------------------------------------------------------- */

static void same(build *b, double value, const char *part, const char *word) {
  const double there = build_channel(b, "%s.%s", part, word);
  if (!(fabs(value - there) <= 1e-12 * fmax(1, fabs(there)))) FAIL("%s.%s: %.17g, %.17g", part, word, value, there);
}

TEST(the_last_row_is_what_the_channels_say) {
  static const struct {
    const char *model, *coordinates;
  } cases[] = {{"four_bar", "absolute"},
               {"four_bar", "relative"},
               {"spatial_slider_crank", "absolute"},
               {"spatial_slider_crank", "relative"},
               {"gear_train", "absolute"},
               {"braun_four_bars", "absolute"},
               {"hoang_pd_inductance", "absolute"},
               {"rolling_disc", "absolute"}};
  static const char *const pose[2][7] = {{"x", "y", "angle"}, {"x", "y", "z", "e0", "e1", "e2", "e3"}},
                           *const wrench[2][6] = {{"fx", "fy", "t"}, {"fx", "fy", "fz", "tx", "ty", "tz"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build b;
    text file = {0};
    rows r;
    build_new(&b, 1);
    build_read(&b, cases[i].model);
    if (strcmp(cases[i].coordinates, "relative") == 0) build_set(&b, "/coordinates", "\"relative\"");
    build_set(&b, "/run/until", "0.31");
    build_set(&b, "/run/every", "0.1");
    record(&b, cases[i].model, &file);
    motion_of(&r);
    CHECK(r.n == 5);
    const tn_model *m = b.model;
    const int space = m->dimension == 3;
    const double *x = r.value + (r.n - 1) * r.columns + 1;
    CHECK(x[-1] == 0.31);
    for (int k = 0; k < m->bodies; k++, x += tn_motion_pose(m))
      for (int c = 0; c < tn_motion_pose(m); c++) {
        if (m->body[k].oriented || c < m->dimension)
          same(&b, x[c], m->body[k].name, pose[space][c]);
        else
          CHECK(x[c] == (space && c == 3));
      }
    for (int k = 0; k < m->joints; k++, x += 1 + m->twist) {
      same(&b, x[0], m->joint[k].name, "violation");
      for (int c = 0; c < m->twist; c++) {
        if (tn_joint_has_wrench(&m->joint[k]))
          same(&b, x[1 + c], m->joint[k].name, wrench[space][c]);
        else
          CHECK(x[1 + c] == 0);
      }
    }
    for (int c = 0; c < TN_ENERGIES; c++) same(&b, x[c], "energy", tn_energy_name[c]);
    x += TN_ENERGIES;
    const tn_summary *sum = tn_sim_summary(b.sim);
    CHECK(x[0] == (double)sum->steps && x[1] == (double)sum->rejected && x[2] <= (double)sum->rhs && x[2] > 0);
    CHECK(x[3] == (double)sum->guard_calls);
    free(r.value);
    free(file.text);
    build_free(&b);
  }
}

/* ---- a page ----------------------------------------------------------------------------------------------------------- */

/* the bytes of an element; NULL if it is not there */
static unsigned char *decode(const char *page, const char *id, size_t *size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char tag[80];
  snprintf(tag, sizeof tag, "<script id=\"%s\" type=\"text/plain\">", id);
  const char *at = strstr(page, tag);
  if (!at) return NULL;
  at += strlen(tag);
  const size_t n = strcspn(at, "<");
  unsigned char *bytes = malloc(n + 4);
  uint32_t word = 0;
  *size = 0;
  CHECK(n % 4 == 0);
  for (size_t i = 0; i < n; i++) {
    const char *digit = at[i] == '=' ? digits : strchr(digits, at[i]);
    if (!digit) FAIL("'%c' is no digit", at[i]);
    word = word << 6 | (uint32_t)(digit - digits);
    if (i % 4 == 3)
      for (int k = 2; k >= 0; k--) bytes[(*size)++] = (unsigned char)(word >> (8 * k));
  }
  for (size_t i = n; i && at[i - 1] == '='; i--) --*size;
  return bytes;
}

static double f64(const unsigned char *bytes) {
  const uint64_t bits = tn_get_u64(bytes);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static float f32(const unsigned char *bytes) {
  const uint32_t bits = tn_get_u32(bytes);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* the data of a page, parsed; the description must be freed */
static tn_desc *data_of(const text *page) {
  static const char begin[] = "<script id=\"data\" type=\"application/json\">";
  tn_desc *d = NULL;
  tn_error e;
  const char *at = strstr(page->text, begin);
  if (!at || tn_desc_new(NULL, &d, &e) != TN_OK) abort();
  at += strlen(begin);
  if (tn_desc_parse(d, "data", at, (size_t)(strstr(at, "</script>") - at), &e) != TN_OK)
    FAIL("%s at %d:%d", e.message, e.line, e.column);
  return d;
}

static bool make(text *page) {
  tn_result *r = open_result();
  tn_error e;
  *page = (text){0};
  const tn_status status = tn_result_page(r, to_text, page, &e);
  if (status != TN_OK && tn_has_pages(NULL)) FAIL("%s", e.message);
  if (!tn_has_pages(NULL)) CHECK(status == TN_E_USAGE && strstr(e.message, "left out"));
  tn_result_close(r);
  return status == TN_OK;
}

static const tn_node *item(const tn_node *list, int i) {
  const tn_node *n = list ? list->first : NULL;
  while (n && i--) n = n->next;
  return n;
}

TEST(a_page_holds_the_rows) {
  static const char *const models[] = {"four_bar", "spatial_slider_crank"};
  for (int i = 0; i < 2; i++) {
    build b;
    text file = {0}, page;
    rows r;
    build_new(&b, 1);
    build_read(&b, models[i]);
    build_set(&b, "/run/until", "0.5");
    build_set(&b, "/run/every", "0.01");
    record(&b, models[i], &file);
    motion_of(&r);
    if (make(&page)) {
      tn_desc *d = data_of(&page);
      const tn_node *sections = tn_node_get(d->root, "sections");
      static const char *const names[] = {"poses", "joints", "energy", "effort"};
      CHECK(tn_node_get(d->root, "rows")->number == (double)r.n && r.n == 51);
      int first = 1;
      for (int s = 0; s < 4; s++) {
        size_t size = 0;
        const tn_node *columns = tn_node_get(tn_node_get(sections, names[s]), "columns");
        unsigned char *bytes = decode(page.text, names[s], &size);
        const int n = (int)columns->size;
        const bool wide = tn_node_get(tn_node_get(sections, names[s]), "wide") != NULL;
        CHECK(wide == (s == 0 && i == 0)); /* angles of the plane count turns; outputs are not among these */
        CHECK(bytes && size == (wide ? 8 : 4) * (size_t)n * (size_t)r.n);
        for (long row = 0; row < r.n; row++)
          for (int c = 0; c < n; c++) {
            const double base = tn_node_get(item(columns, c), "base")->number,
                         stored = wide ? f64(bytes + 8 * (row * n + c)) : (double)f32(bytes + 4 * (row * n + c)),
                         x = base + stored, y = r.value[row * r.columns + first + c];
            /* wide: y - base is rounded once, the sum again */
            if (!(fabs(x - y) <= (wide ? DBL_EPSILON / 2 : 1e-7) * fabs(y - base) + 1e-15 * fabs(y) + 1e-38))
              FAIL("%s %d at row %ld: %.17g, %.17g", names[s], c, row, x, y);
          }
        first += n;
        free(bytes);
      }
      CHECK(first == r.columns);
      size_t size = 0;
      unsigned char *time = decode(page.text, "time", &size);
      CHECK(size == 8 * (size_t)r.n);
      for (long row = 0; row < r.n; row++) {
        const uint64_t bits = tn_get_u64(time + 8 * row);
        CHECK(memcmp(&bits, &r.value[row * r.columns], sizeof bits) == 0);
      }
      free(time);
      CHECK((int)tn_node_get(d->root, "bodies")->size == b.model->bodies);
      CHECK((int)tn_node_get(d->root, "joints")->size == b.model->joints);
      CHECK((int)tn_node_get(d->root, "constraints")->number == b.model->rows); /* as check and run count them */
      CHECK(strcmp(tn_node_get(d->root, "model")->text, "") != 0 &&
            strcmp(tn_node_get(d->root, "summary")->text, "") != 0);
      tn_desc_free(d);
    }
    free(page.text);
    free(r.value);
    free(file.text);
    build_free(&b);
  }
}

static int count(const char *in, const char *what) {
  int n = 0;
  for (const char *at = in; (at = strstr(at, what)); at++) n++;
  return n;
}

static const char hostile[] =
    "{\"tenon\": 1, \"dimension\": 2, \"title\": \"</script><script>alert(1)</script><!--\\u2028 & 'x' \\\"y\\\"\","
    "\"bodies\": {\"p\": {\"mass\": 1, \"position\": [1, 0], \"coordinates\": \"point\"}},"
    "\"outputs\": {\"tip\": \"position(p)\"}, \"run\": {\"until\": 0.3, \"every\": 0.1}}";

/* a page has as many elements whatever the names are */
TEST(names_stay_in_their_element) {
  build b;
  text file = {0}, page;
  build_new(&b, 1);
  build_parse(&b, hostile);
  record(&b, "dir/</script><b>'\".json", &file);
  if (make(&page)) {
    const char *begin = strstr(page.text, "<script id=\"data\""), *end = strstr(page.text, "</script>");
    CHECK(begin && end > begin);
    for (const char *at = begin + 1; at < end; at++) CHECK(*at != '<');
    CHECK(count(page.text, "<title>") == 1 && strstr(page.text, "<title>&#60;/script&#62;"));
    CHECK(count(page.text, "<script id=") == 7 && count(page.text, "alert(1)</script>") == 0);
    tn_desc *d = data_of(&page);
    char title[200];
    tn_show(title, sizeof title, b.model->title);
    CHECK(strcmp(tn_node_get(d->root, "title")->text, title) == 0);
    CHECK(strcmp(tn_node_get(d->root, "name")->text, "dir/</script><b>'\".json") == 0);
    CHECK(strcmp(tn_node_get(d->root, "command")->text, "tenon run 'script><b>'\\''\".json'") == 0);
    tn_desc_free(d);
  }
  free(page.text);
  free(file.text);
  build_free(&b);
}

/* where the model was on the author's machine is not told, neither by its name nor in warnings and messages */
TEST(no_folder_of_the_author_is_in_a_page) {
  build b;
  text file = {0}, page;
  build_new(&b, 1);
  build_parse(&b, "{\"tenon\": 1, \"dimension\": 2, \"bodies\": {\"p\": {\"mass\": 1, \"inertia\": 1, \"angle\": 100}},"
                  "\"run\": {\"until\": 0.3, \"every\": 0.1}}");
  record(&b, "/home/author/secret plans/arm.json", &file);
  if (make(&page)) {
    CHECK(strstr(file.text, "secret plans") || file.used > 0);
    CHECK(!strstr(page.text, "secret plans") && !strstr(page.text, "/home/author"));
    CHECK(strstr(page.text, "<title>arm.json</title>"));
    tn_desc *d = data_of(&page);
    CHECK(strcmp(tn_node_get(d->root, "name")->text, "arm.json") == 0);
    CHECK(strcmp(tn_node_get(d->root, "command")->text, "tenon run arm.json") == 0);
    CHECK(strstr(tn_node_get(d->root, "summary")->text, "\"model\": \"arm.json\""));
    tn_desc_free(d);
  }
  free(page.text);
  free(file.text);
  build_free(&b);
}

/* whatever else gets into the file: no other script runs, nothing is fetched */
TEST(a_page_allows_its_own_script_and_no_other) {
  build b;
  text file = {0}, page;
  build_new(&b, 1);
  build_parse(&b, hostile);
  record(&b, "m.json", &file);
  if (make(&page)) {
    const char *policy = strstr(
        page.text, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-");
    const char *end = policy ? strchr(policy, '>') : NULL, *script = strstr(page.text, "<script");
    CHECK(policy && end && script && policy < script && policy < strstr(page.text, "<style>"));
    static const char *const loose[] = {"unsafe", "http:", "https:", "*", "blob:"};
    for (int i = 0; policy && end && i < 5; i++) {
      const char *found = strstr(policy, loose[i]);
      CHECK(!found || found > end);
    }
  }
  free(page.text);
  free(file.text);
  build_free(&b);
}

TEST(a_run_that_was_cut_off_is_shown_up_to_there) {
  build b;
  text file = {0}, page;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  record(&b, "four_bar", &file);
  rows all, part;
  motion_of(&all);
  save(&file, file.used * 2 / 3);
  motion_of(&part);
  CHECK(part.n > 0 && part.n < all.n);
  CHECK(memcmp(all.value, part.value, sizeof *all.value * (size_t)part.columns * (size_t)part.n) == 0);
  if (make(&page)) {
    tn_desc *d = data_of(&page);
    CHECK(tn_node_get(d->root, "rows")->number <= (double)part.n && tn_node_get(d->root, "rows")->number > 10);
    CHECK(strcmp(tn_node_get(d->root, "summary")->text, "") == 0);
    const tn_node *missing = tn_node_get(d->root, "missing");
    CHECK(missing && missing->size == 3 && strstr(missing->first->text, "rows are missing behind t = "));
    tn_desc_free(d);
  }
  free(page.text);
  free(all.value);
  free(part.value);
  free(file.text);
  build_free(&b);
}

/* a receiver of rows that asks the simulation something in between: the row has its own motion all the same */
typedef struct asker {
  tn_sim *sim;
  tn_recorder *recorder;
} asker;

static tn_status ask(void *user, double t, int n, const double *values) {
  const asker *a = user;
  double energy;
  tn_error e;
  if (tn_sim_channel(a->sim, "energy.total", &energy, &e) != TN_OK) return TN_E_RUN;
  return tn_recorder_row(a->recorder, t, n, values);
}

TEST(a_row_has_the_motion_of_its_own_time) {
  build b;
  text file = {0};
  asker a = {0};
  rows r;
  tn_error e;
  build_new(&b, 1);
  build_read(&b, "four_bar");
  build_set(&b, "/run/until", "0.2");
  build_set(&b, "/run/every", "0.003");
  build_set(&b, "/outputs", "{\"x\": \"rocker.angle\", \"y\": \"coupler.x\"}");
  if (!build_simulate(&b)) FAIL("%s", b.message);
  a.sim = b.sim;
  CHECK(tn_recorder_new(b.sim, b.desc, "m", to_text, &file, &a.recorder, &e) == TN_OK);
  CHECK(tn_sim_run(b.sim, ask, &a, &e) == TN_OK);
  /* one for another time has none */
  CHECK(tn_recorder_row(a.recorder, 17, 2, (const double[]){1, 2}) == TN_OK);
  CHECK(tn_recorder_end(a.recorder, b.sim, "m", tn_report_json) == TN_OK);
  tn_recorder_free(a.recorder);
  save(&file, file.used);
  motion_of(&r);
  tn_result *result = open_result();
  rows given = {0};
  CHECK(tn_result_each(result, keep, &given, &e) == TN_OK && given.n == r.n && r.n == 69);
  tn_result_close(result);
  for (long i = 0; i < r.n - 1; i++) {
    const double *m = r.value + i * r.columns, *x = given.value + i * given.columns;
    CHECK(m[0] == x[0] && m[1 + 8] == x[1] && m[1 + 3] == x[2]);
  }
  CHECK(r.value[(r.n - 1) * r.columns] == 17);
  for (int c = 1; c < r.columns; c++) CHECK(isnan(r.value[(r.n - 1) * r.columns + c]));
  free(r.value);
  free(given.value);
  free(file.text);
  build_free(&b);
}

TEST(a_result_without_motion_says_so) {
  build b;
  text file = {0}, page = {0};
  tn_recorder *recorder = NULL;
  tn_error e;
  build_new(&b, 1);
  build_parse(&b, hostile);
  if (!build_simulate(&b)) FAIL("%s", b.message);
  CHECK(tn_recorder_new(b.sim, b.desc, "m", to_text, &file, &recorder, &e) == TN_OK);
  CHECK(tn_recorder_end(recorder, b.sim, "m", tn_report_json) == TN_OK);
  tn_recorder_free(recorder);
  save(&file, file.used);
  tn_result *r = open_result();
  CHECK(tn_result_rows(r) == 0 && tn_result_motion_rows(r) == 0);
  CHECK(tn_result_page(r, to_text, &page, &e) == TN_E_USAGE && strstr(e.message, "no rows to show"));
  tn_result_close(r);
  /* of another model: the head says how long a row is, and the model another length */
  char *motion = strstr(file.text + TN_TNR_START, "\"motion\": ");
  CHECK(motion);
  motion[strlen("\"motion\": ")] = '9';
  save(&file, file.used);
  r = open_result();
  CHECK(tn_result_page(r, to_text, &page, &e) == TN_E_USAGE && strstr(e.message, "not that of its model"));
  tn_result_close(r);
  memcpy(motion, "\"motiom\": ", strlen("\"motion\": "));
  save(&file, file.used);
  r = open_result();
  CHECK(tn_result_page(r, to_text, &page, &e) == TN_E_USAGE && strstr(e.message, "older Tenon"));
  tn_result_close(r);
  CHECK(page.used == 0);
  free(page.text);
  free(file.text);
  build_free(&b);
}

TEST(a_page_that_cannot_be_written) {
  build b;
  text file = {0}, page = {0};
  tn_error e;
  if (!tn_has_pages(NULL)) return;
  build_new(&b, 1);
  build_parse(&b, hostile);
  record(&b, "m", &file);
  tn_result *r = open_result();
  CHECK(tn_result_page(r, to_text, &page, &e) == TN_OK);
  page.calls = 0;
  page.fail = 1;
  long fails = 0;
  while (tn_result_page(r, to_text, &page, &e) != TN_OK) {
    CHECK(e.status == TN_E_IO);
    page.calls = 0;
    page.used = 0;
    page.fail = ++fails + 1;
    CHECK(fails < 10000);
  }
  CHECK(fails > 10);
  tn_result_close(r);
  free(page.text);
  free(file.text);
  build_free(&b);
}

/* more rows than a browser should hold: every k-th, and the last */
TEST_FULL(very_many_rows_are_thinned_and_it_is_said) {
  build b;
  text file = {0}, page;
  build_new(&b, 1);
  build_parse(&b, hostile);
  build_set(&b, "/run/until", "41");
  build_set(&b, "/run/every", "1e-4");
  record(&b, "m", &file);
  if (make(&page)) {
    tn_desc *d = data_of(&page);
    const double rows_shown = tn_node_get(d->root, "rows")->number;
    size_t size = 0;
    unsigned char *time = decode(page.text, "time", &size);
    CHECK(tn_node_get(d->root, "every")->number == 3 && rows_shown == 136668 && size == 8 * 136668);
    uint64_t bits[3] = {tn_get_u64(time), tn_get_u64(time + 8), tn_get_u64(time + size - 8)};
    double t[3];
    memcpy(t, bits, sizeof t);
    CHECK(t[0] == 0 && fabs(t[1] - 3e-4) < 1e-15 && t[2] == 41);
    free(time);
    tn_desc_free(d);
  }
  free(page.text);
  free(file.text);
  build_free(&b);
}
