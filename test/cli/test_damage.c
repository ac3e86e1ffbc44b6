/* results that are damaged, cut off or cannot be read, through the program: what is not whole is refused with exit code 4 and changes no
 * file, --recover takes what is good and reports the rest. */
#include "test.h"

#include "cli_support.h"

enum { MOST = 64 };

typedef struct block {
  char kind[5];
  long from, size; /* of its head; of the payload */
} block;

static unsigned char *data;
static long size;
static int blocks;
static block list[MOST];

/* 1001 rows, in five blocks */
static void make_result(void) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " -q -o good.tnr -o good.csv") == 0);
  FILE *f = fopen("good.tnr", "rb");
  size = size_of("good.tnr");
  free(data);
  data = malloc((size_t)size);
  if (!f || !data || fread(data, 1, (size_t)size, f) != (size_t)size) abort();
  fclose(f);
  blocks = 0;
  for (long at = 16 + (long)tn_get_u32(data + 12); at < size; at += 16 + list[blocks++].size) {
    memcpy(list[blocks].kind, data + at, 4);
    list[blocks].from = at;
    list[blocks].size = (long)tn_get_u64(data + at + 8);
  }
  CHECK(blocks == 12 && lines_of("good.csv") == 1002);
}

static void damage(const char *path, long at, unsigned char change) {
  FILE *f = fopen(path, "wb");
  data[at] ^= change;
  if (!f || fwrite(data, 1, (size_t)size, f) != (size_t)size || fclose(f)) abort();
  data[at] ^= change;
}

/* rows of a block of the result */
static long rows_in(const block *b) { return strcmp(b->kind, "ROWS") == 0 ? b->size / 32 : 0; }

/* rows with a < t < b */
static int rows_between(const char *csv, double a, double b) {
  char command[200];
  snprintf(command, sizeof command, "awk -F, 'NR > 1 && $1 > %g && $1 < %g' %s >between", a, b, csv);
  return system(command) == 0 ? lines_of("between") : -1;
}

/* a byte of the title in the head */
static long title(void) {
  long at = 16;
  while (at < size && memcmp(data + at, "crank-rocker", 12) != 0) at++;
  return at;
}

/* a bit in the head and in every block, in its head and its payload */
TEST(a_bit_changed_in_every_block) {
  static const char old[] = "an older table\n";
  make_result();
  for (int i = -1; i < blocks && tn_test_failures < 5; i++)
    for (int part = 0; part < (i < 0 ? 1 : 2); part++) {
      const block *b = i < 0 ? NULL : &list[i];
      damage("bad.tnr", !b ? title() : part ? b->from + 16 + b->size / 2 : b->from + 9, 4);
      spill("a.csv", old);
      CHECK(tenon("export bad.tnr -o a.csv -o a.svg -o a.npy -o a.glb") == 4 && !*out && file_is("a.csv", old));
      CHECK_HAS(err, i < 0 ? "the head of the result is damaged" : "is damaged: the block at byte");
      CHECK_HAS(err, "tenon export --recover");
      CHECK(tenon("export bad.tnr -o -") == 4 && !*out);
      CHECK(tenon("export bad.tnr") == 4 && strstr(out, "tip.x"));
      CHECK(tenon("view bad.tnr") == 4 && strstr(err, "damaged"));
      CHECK(names_with("a.") == 1 && !exists("bad.html") && names_with(".part") == 0);
      CHECK(tenon("resume bad.tnr") == 4 && strstr(err, "damaged"));
      CHECK(tenon("run bad.tnr --until 0.1 -q") == (i < 0 ? 4 : 0));
      /* all other rows, and how many are missing */
      CHECK(tenon("export bad.tnr --recover -q -o new.csv --replace") == 0 && !*out);
      const long lost = b ? rows_in(b) : 0;
      if (lines_of("new.csv") != 1002 - lost) FAIL("block %d: %d lines", i, lines_of("new.csv"));
      if (lost) {
        char words[80];
        snprintf(words, sizeof words, "%ld rows are missing ", lost);
        CHECK_HAS(err, words);
        CHECK(!same_files("new.csv", "good.csv"));
      } else {
        CHECK(same_files("new.csv", "good.csv") && !strstr(err, "': 215 rows"));
      }
      if (b && strcmp(b->kind, "MOVE") == 0)
        CHECK_HAS(err, b->size > 60000 ? "the motion of 215 rows is missing" : "the motion of 141 rows is missing");
      if (b && strcmp(b->kind, "DONE") == 0) CHECK_HAS(err, "the summary is missing");
      if (b && strcmp(b->kind, "HEAD") == 0) CHECK_HAS(err, "all rows and the summary are there");
      if (!b) CHECK_HAS(err, "may be wrong");
    }
}

/* from when to when, in words; a picture and a page have them too */
TEST(what_is_missing_is_reported) {
  make_result();
  const block *b = &list[4];
  CHECK(rows_in(b) == 215);
  damage("bad.tnr", b->from + 100, 1);
  CHECK(tenon("export bad.tnr --recover -o bad.csv -o bad.svg -o bad.npy -o bad.glb") == 0);
  CHECK_HAS(err, "tenon: 'bad.tnr': 215 rows are missing behind t = 2.14 s and before t = 4.3 s\n");
  CHECK(lines_of("bad.csv") == 787 && rows_between("good.csv", 2.145, 4.295) == 215);
  CHECK(rows_between("bad.csv", 2.145, 4.295) == 0 && rows_between("bad.csv", 2.135, 4.305) == 2);
  CHECK(system("grep -q '215 rows are missing behind t = 2.14 s and before t = 4.3 s' bad.svg") == 0);
  CHECK(tenon("export bad.tnr --recover") == 0 && strstr(out, "786 rows") && strstr(out, "verdict: trusted"));
  if (tn_has_pages(NULL)) {
    CHECK(tenon("view bad.tnr --recover") == 0);
    CHECK(system("grep -q '215 rows are missing behind t = 2.14 s and before t = 4.3 s' bad.html") == 0);
  }
  damage("last.tnr", list[10].from + 100, 1);
  CHECK(tenon("export last.tnr --recover -q -o last.csv") == 0 && lines_of("last.csv") == 861);
  CHECK_HAS(err, "141 rows are missing behind t = 8.59 s up to the end at t = 10 s\n");
  CHECK(system("head -c 150000 good.tnr >cut.tnr") == 0);
  CHECK(tenon("export cut.tnr -o cut.csv") == 4 && strstr(err, "the end of the result is missing") &&
        !exists("cut.csv"));
  CHECK(tenon("export cut.tnr --recover -q -o cut.csv") == 0 && lines_of("cut.csv") == 431);
  CHECK_HAS(err, "up to 571 rows are missing behind t = 4.29 s; the run was to end at t = 10 s\n");
  CHECK_HAS(err, "the summary is missing");
}

/* a file that is there is not replaced by one with rows missing */
TEST(an_older_file_is_kept) {
  make_result();
  damage("bad.tnr", list[4].from + 100, 1);
  CHECK(system("cp good.csv a.csv") == 0);
  CHECK(tenon("export good.tnr -q -o a.npy") == 0 && system("cp a.t.npy kept.npy") == 0);
  CHECK(tenon("export bad.tnr --recover -o a.csv") == 4 && same_files("a.csv", "good.csv"));
  CHECK_HAS(err, "'a.csv' is there already");
  CHECK_HAS(err, "--replace");
  CHECK(tenon("export bad.tnr --recover -o a.npy") == 4 && same_files("a.t.npy", "kept.npy"));
  CHECK(tenon("export bad.tnr --recover --replace --no-clobber -o a.csv") == 4 && same_files("a.csv", "good.csv"));
  CHECK(names_with(".part") == 0);
  CHECK(tenon("export bad.tnr --recover -o b.csv") == 0 && lines_of("b.csv") == 787);
  CHECK(tenon("export bad.tnr --recover --replace -o a.csv") == 0 && same_files("a.csv", "b.csv"));
  CHECK(tenon("export good.tnr --recover -o a.csv") == 0 && same_files("a.csv", "good.csv") && !*err); /* it is whole */
}

/* ---- reads that fail ---------------------------------------------------------------------------------------------------------------- */

/* loaded before the program: of files whose name has .tnr in it and that are opened for reading, the read number TN_FAIL_READ fails */
static const char preload[] =
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static ssize_t take(void *f, char *to, size_t n) {\n"
    "  static long reads;\n"
    "  const char *fail = getenv(\"TN_FAIL_READ\");\n"
    "  if (fail && ++reads == atol(fail)) return errno = EIO, -1;\n"
    "  const size_t got = fread(to, 1, n, f);\n"
    "  return ferror((FILE *)f) ? -1 : (ssize_t)got;\n}\n"
    "static int seek(void *f, off64_t *to, int how) {\n"
    "  if (fseeko64(f, *to, how)) return -1;\n"
    "  return (*to = ftello64(f)) < 0 ? -1 : 0;\n}\n"
    "static int end(void *f) { return fclose(f); }\n"
    "FILE *fopen(const char *path, const char *mode) {\n"
    "  FILE *(*real)(const char *, const char *);\n"
    "  *(void **)&real = dlsym(RTLD_NEXT, \"fopen\");\n"
    "  FILE *f = real(path, mode);\n"
    "  if (!f || strcmp(mode, \"rb\") || !strstr(path, \".tnr\") || strstr(path, \".state\")) return f;\n"
    "  return fopencookie(f, \"rb\", (cookie_io_functions_t){.read = take, .seek = seek, .close = end});\n}\n"
    "FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }\n";

/* false: there is no compiler */
static bool make_preload(void) {
  FILE *f = fopen("fail.c", "w");
  if (!f || fputs(preload, f) == EOF || fclose(f)) abort();
  if (system("cc -shared -fPIC -o fail.so fail.c -ldl 2>.cc") == 0) return true;
  printf("no compiler to make failing reads with\n");
  return false;
}

static int failing(long read, const char *format, ...) {
  char before[200], words[400];
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  snprintf(before, sizeof before,
           "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 TN_FAIL_READ=%ld LD_PRELOAD=./fail.so", read);
  return tenon_after(before, "%s", words);
}

/* the older table stays, whatever read fails */
TEST(a_read_error_is_no_end) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -q -o a.tnr -o a.csv") == 0);
  if (!make_preload()) return;
  CHECK(system("cp a.csv old.csv") == 0);
  int failed = 0;
  /* this C library reads such files byte by byte: the first of them, and some of all others */
  for (long n = 1, step = 1; n < 60000 && tn_test_failures < 5; n += step) {
    if (n > 20) step = 997;
    const int code = failing(n, "export a.tnr -o a.csv");
    CHECK(same_files("a.csv", "old.csv"));
    if (code == 0 && n > 20) break; /* there are no more reads */
    if (code != 4 || !strstr(err, "cannot be read at byte") || !strstr(err, "Input/output error"))
      FAIL("read %ld: %d %s", n, code, err);
    failed++;
  }
  CHECK(failed > 25);
  CHECK(failing(4000, "export a.tnr -q -o b.csv --recover") == 0 && same_files("b.csv", "old.csv"));
  CHECK_HAS(err, "all rows and the summary are there");
}

/* a run that cannot read its own recording has not lost it */
TEST(a_run_keeps_what_it_cannot_read_back) {
  fresh();
  if (!make_preload()) return;
  CHECK(tenon("run " FOUR_BAR " --until 0.3 -q -o good.csv") == 0);
  for (long n = 1; n < 40000 && tn_test_failures < 5; n = n < 10 ? n + 3 : n + 4999) {
    drop_files("a.*");
    /* no row was read yet: that is not a run without rows, of which there is nothing to show */
    CHECK(failing(n, "run " FOUR_BAR " --until 0.3 -q -o a.glb") == 4 || n > 20000);
    CHECK(exists("a.glb") || exists("a.glb.tnr.part"));
    const int code = failing(n, "run " FOUR_BAR " --until 0.3 -q -o a.npy -o a.svg");
    if (code == 0 && n > 20000) break;
    CHECK(code == 4);
    CHECK_HAS(err, "cannot be read at byte");
    CHECK_HAS(err, "everything is in 'a.npy.tnr.part'");
    CHECK(exists("a.npy.tnr.part") && tenon("export a.npy.tnr.part -q -o from.csv") == 0);
    CHECK(same_files("from.csv", "good.csv"));
  }
  /* with a .tnr it is that */
  drop_files("a.*");
  CHECK(failing(5000, "run " FOUR_BAR " --until 0.3 -q -o a.npy -o a.tnr") == 4 && exists("a.tnr"));
  CHECK(tenon("export a.tnr -q -o again.csv") == 0 && same_files("again.csv", "good.csv"));
}

/* a state is not taken up behind bytes that cannot be read */
TEST(resume_tells_a_read_error) {
  fresh();
  if (!make_preload()) return;
  const char *const words[] = {
      "run",     MODELS "four_bar.json", "--step", "1e-4", "--until", "1000", "--every", "1e-3", "-q", "-o",
      "cut.tnr", "--checkpoint",         "0.001",  NULL};
  const pid_t child = start_words(words, "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "cut.tnr.part", 150000));
  drop_files("cut.tnr.state");
  CHECK(wait_bytes(child, "cut.tnr.state", 1));
  kill(child, SIGKILL);
  wait_for(child);
  CHECK(system("cp cut.tnr.part kept.part; cp cut.tnr.state kept.state") == 0);
  CHECK(failing(1, "resume cut.tnr") == 4 && strstr(err, "cannot be read at byte 0: Input/output error"));
  CHECK(same_files("cut.tnr.part", "kept.part") && same_files("cut.tnr.state", "kept.state"));
}
