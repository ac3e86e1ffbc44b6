/* the picture of a result: curves stay inside their frames and reach from edge to edge, whether all rows are drawn or bins of them. */
#include "support/build.h"
#include "test.h"

#include "cli_support.h"

#include <unistd.h>

static char *picture_of(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  const long n = ftell(file);
  rewind(file);
  char *text = malloc((size_t)n + 1);
  if (!text || fread(text, 1, (size_t)n, file) != (size_t)n) abort();
  text[n] = 0;
  fclose(file);
  return text;
}

/* every line of points against the white frame before it */
static void check_picture(const char *svg, bool over_time) {
  double x = 0, y = 0, w = 0, h = 0;
  int lines = 0;
  for (const char *at = svg; (at = strchr(at, '<')); at++) {
    double r[4];
    if (sscanf(at, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\" fill=\"#fff\" stroke", &r[0], &r[1], &r[2],
               &r[3]) == 4 &&
        strncmp(strstr(at, "fill"), "fill=\"#fff\" stroke", 18) == 0)
      x = r[0], y = r[1], w = r[2], h = r[3];
    if (strncmp(at, "<polyline", 9) != 0) continue;
    const char *p = strstr(at, "points=\"") + 8;
    double u, v, first = NAN, last = NAN;
    for (int n; sscanf(p, "%lf,%lf %n", &u, &v, &n) == 2; p += n) {
      if (isnan(first)) first = u;
      if (over_time && !isnan(last)) CHECK(u >= last - 0.011);
      last = u;
      CHECK(u >= x - 0.06 && u <= x + w + 0.06 && v >= y - 0.06 && v <= y + h + 0.06);
    }
    if (over_time) {
      CHECK_NEAR(first, x, 0.06);
      CHECK_NEAR(last, x + w, 0.06);
    }
    lines++;
  }
  CHECK(lines >= 2);
  CHECK(!strstr(svg, ">-0<"));
}

TEST(curves_reach_from_edge_to_edge) {
  static const char *const every[] = {"0.05", "0.0005"}; /* all rows; bins */
  for (int i = 0; i < 2; i++) {
    CHECK(tenon("run " MODELS "pendulum.json --until 5 --every %s -o picture.svg -q", every[i]) == 0);
    char *svg = picture_of("picture.svg");
    CHECK(svg != NULL);
    if (svg) check_picture(svg, true);
    free(svg);
  }
  CHECK(tenon("run " MODELS "four_bar.json --until 2 -o picture.svg -q") == 0);
  char *svg = picture_of("picture.svg");
  if (svg) check_picture(svg, false); /* with a path in the plane */
  free(svg);
  remove("picture.svg");
}
