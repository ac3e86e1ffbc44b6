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

/* ---- poses over one another, and the figures of a study ------------------------------------------------------------------- */

static bool has_png(void) { return tn_has_png(NULL); }

/* chunks, checksums, and as many bytes behind zlib as the size asks for, of which not all are the same */
static const char judge[] =
    "import struct, sys, zlib\n"
    "for name in sys.argv[1:]:\n"
    "    d = open(name, 'rb').read()\n"
    "    assert d[:8] == b'\\x89PNG\\r\\n\\x1a\\n', name\n"
    "    at, data, last = 8, b'', b''\n"
    "    while at < len(d):\n"
    "        n, = struct.unpack('>I', d[at:at + 4])\n"
    "        last, body = d[at + 4:at + 8], d[at + 8:at + 8 + n]\n"
    "        assert struct.unpack('>I', d[at + 8 + n:at + 12 + n])[0] == zlib.crc32(last + body), name\n"
    "        if last == b'IHDR': w, h, bits, kind = struct.unpack('>IIBB', body[:10])\n"
    "        if last == b'IDAT': data += body\n"
    "        at += 12 + n\n"
    "    raw = zlib.decompress(data)\n"
    "    assert last == b'IEND' and bits == 8 and kind == 2 and w > 400 and h > 300, name\n"
    "    assert len(raw) == h * (3 * w + 1), name\n"
    "    assert len(set(raw[i * (3 * w + 1):(i + 1) * (3 * w + 1)] for i in range(h))) > 50, name\n";

static void check_pngs(const char *names) {
  char command[512];
  if (system("command -v python3 > /dev/null") != 0) {
    printf("no python3 to decode PNG with\n");
    return;
  }
  FILE *file = fopen("judge.py", "w");
  if (!file || fputs(judge, file) < 0 || fclose(file) != 0) abort();
  snprintf(command, sizeof command, "python3 judge.py %s", names);
  CHECK(system(command) == 0);
  remove("judge.py");
}

TEST(poses_of_a_run_and_of_a_result) {
  CHECK(tenon("run " MODELS "four_bar.json --until 2 --every 0.1 -q --poses 0.5 -o poses.svg -o poses.tnr") == 0);
  char *svg = picture_of("poses.svg");
  CHECK(svg && strstr(svg, "poses from 0 to 2 s, each 0.5 s"));
  int drawn = 0; /* the coupler is one line of two pins: three bodies in five poses, and the ground */
  for (const char *at = svg; at && (at = strstr(at, "<path d=\"M")); at++) drawn++;
  CHECK(drawn >= 2);
  free(svg);
  CHECK(tenon("export poses.tnr --poses 0.5:0.25:1 -o again.svg -q") == 0);
  svg = picture_of("again.svg");
  CHECK(svg && strstr(svg, "poses from 0.5 to 1 s, each 0.25 s"));
  free(svg);
  CHECK(tenon("export poses.tnr --poses 0.1 -o none.csv -q") == 1 && strstr(err, "--poses needs a picture"));
  CHECK(tenon("run " MODELS "four_bar.json --until 0.1 --poses 0.1 -o none.csv") == 1 &&
        strstr(err, "needs a picture"));
  CHECK(tenon("export poses.tnr --poses 5:1:9 -o none.svg -q") == 1 && strstr(err, "no row is at 5 s"));
  if (has_png()) {
    CHECK(tenon("export poses.tnr --poses 0.5 -o poses.png -q") == 0);
    check_pngs("poses.png");
    remove("poses.png");
  } else {
    CHECK(tenon("export poses.tnr --poses 0.5 -o poses.png -q") == 1 && strstr(err, "SVG needs nothing"));
  }
  remove("poses.svg");
  remove("again.svg");
  remove("poses.tnr");
}

TEST(poses_that_cannot_be_are_refused_before_the_run) {
  static const char *const bad[] = {"0", "-1", "x", "1:2", "1:0:2", "2:1:1", "1:1:2:3", "nan", "0x1", "1:", "inf", ""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(tenon("run " MODELS "four_bar.json --until 1 -q --poses '%s' -o p.svg", bad[i]) == 1 &&
          strstr(err, "--poses needs"));
  CHECK(tenon("run " MODELS "heavy_top.json --until 1 -q --poses 0.1 -o p.svg") == 1 &&
        strstr(err, "models in the plane"));
  CHECK(tenon("run " MODELS "four_bar.json --until 1 -q --poses 1e-9 -o p.svg") == 1 && strstr(err, "are not 1 to"));
  if (has_png()) CHECK(tenon("run " MODELS "four_bar.json --until 1 -q -o p.png") == 1 && strstr(err, "--poses BY"));
  CHECK(access("p.svg", F_OK) != 0 && access("p.png", F_OK) != 0);
  remove("p.svg.tnr.part");
}

TEST(figures_of_a_study_are_files) {
  CHECK(tenon("reproduce wu2000 --quick --only fig1 --figures 'a folder'") == 0);
  CHECK_HAS(out, "Fig. 1: The stability region of ABMPC_3 and MAMPC_3\n");
  CHECK_HAS(out, "wu2000: 7 figures: 1 drawn");
  char *svg = picture_of("a folder/fig_01.svg"), *csv = picture_of("a folder/fig_01.csv");
  CHECK(svg && strstr(svg, "Re h\xce\xbb") && csv && strstr(csv, "panel,curve,label,x,y\n1,1,\"ABMPC_3\",") == csv);
  CHECK(access("a folder/fig_01.svg.part", F_OK) != 0 && access("a folder/fig_02.svg", F_OK) != 0);
  free(svg);
  free(csv);
  if (has_png()) {
    check_pngs("'a folder/fig_01.png'");
    remove("a folder/fig_01.png");
  } else {
    CHECK_HAS(err, "written as SVG and CSV");
  }
  CHECK(tenon("reproduce wu2000 --quick --only fig1 --json --figures 'a folder'") == 0);
  CHECK_HAS(out, "\"state\": \"drawn\"");
  CHECK_HAS(out, "\"left_out\": \"It shows the mechanism");
  FILE *file = fopen("a file", "w");
  if (file) fclose(file);
  CHECK(tenon("reproduce wu2000 --quick --only fig1 --figures 'a file'") == 4 && strstr(err, "Not a directory"));
  CHECK(tenon("reproduce wu2000 --quick --only nothing --figures 'a folder'") == 1);
  remove("a file");
  remove("a folder/fig_01.svg");
  remove("a folder/fig_01.csv");
  remove("a folder/fig_01.png");
  rmdir("a folder");
}
