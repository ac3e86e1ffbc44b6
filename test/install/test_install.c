/* what `cmake --install` leaves: files, the two libraries, the packages for pkg-config and CMake. the examples are built against
 * it as a user would, and run. */
#include <ctype.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tenon/tenon.h"
#include "test.h"

/* ---- shell ------------------------------------------------------------------------------------------------------------- */

static void leave(void) {
  char command[600], here[500];
  if (!getcwd(here, sizeof here) || !strstr(here, "/tenon-install-")) return;
  snprintf(command, sizeof command, "rm -rf '%s'", here);
  if (chdir("/") || system(command)) return;
}

/* a folder of its own for each test, gone at the end */
static void enter(void) {
  static bool before;
  char folder[] = "/tmp/tenon-install-XXXXXX";
  if (before)
    leave();
  else
    atexit(leave);
  before = true;
  if (!mkdtemp(folder) || chdir(folder)) abort();
}

/* the exit code of a command; what it prints is in .out */
static int quietly(const char *format, ...) {
  char command[8000], whole[9000];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  snprintf(whole, sizeof whole, "{ %s\n} >.out 2>&1 </dev/null", command);
  const int status = system(whole);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

/* a command that must succeed; shown with its output if it does not */
#define RUN(...)                                                                                                       \
  do {                                                                                                                 \
    const int tn_code = quietly(__VA_ARGS__);                                                                          \
    if (tn_code) {                                                                                                     \
      printf("exit code %d of: ", tn_code);                                                                            \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
      fflush(stdout);                                                                                                  \
      if (system("cat .out")) printf("(no output)\n");                                                                 \
    }                                                                                                                  \
    CHECK(tn_code == 0);                                                                                               \
  } while (0)

/* what is in a file; nothing if it is not there */
static const char *text_of(const char *path) {
  static char text[300000];
  FILE *f = fopen(path, "rb");
  const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  text[n] = 0;
  if (f) fclose(f);
  return text;
}

static bool has_tool(const char *name) {
  if (quietly("command -v %s", name) == 0) return true;
  printf("note: there is no %s here, what needs it is left out\n", name);
  return false;
}

/* ---- installing -------------------------------------------------------------------------------------------------------- */

#define LIB "prefix/" TN_LIBDIR
#define EXAMPLES "prefix/share/doc/tenon/examples"
#define STRICT "-std=c17 -Wall -Wextra -Wpedantic -Werror"

static const char *const examples[] = {"embed",     "custom_joint",     "study", "cam", "bump_stop",
                                       "positions", "generalized_alpha"};
enum { EXAMPLES_N = sizeof examples / sizeof *examples };

static const char *build_folder(void) {
  static char folder[1024];
  snprintf(folder, sizeof folder, "%s", TN_BINARY);
  *strrchr(folder, '/') = 0;
  return folder;
}

/* into ./prefix, moved there from where it was installed: nothing in it may know its place. DESTDIR keeps folders that were
 * configured with a whole path inside too */
static void install(void) {
  enter();
  RUN("DESTDIR=\"$PWD/root\" '%s' --install '%s' --prefix /opt/tenon && mv root/opt/tenon prefix && rm -r root",
      TN_CMAKE, build_folder());
}

static void run_example(const char *program, const char *name) {
  RUN("mkdir -p run && cd run && rm -f embed.* && LD_LIBRARY_PATH=\"$PWD/../" LIB "\" '%s'", program);
  if (strcmp(name, "embed") == 0) {
    RUN("cmp run/embed.csv run/embed.again.csv"); /* the rows of the run, and those read back */
    CHECK_HAS(text_of("run/embed.csv"), "t,tip.x,tip.y,load\n");
    CHECK_HAS(text_of("run/embed.svg"), "</svg>");
  }
}

/* ---- names ------------------------------------------------------------------------------------------------------------- */

typedef struct names {
  int n;
  char name[400][64];
} names;

static bool has_name(const names *s, const char *name) {
  for (int i = 0; i < s->n; i++)
    if (strcmp(s->name[i], name) == 0) return true;
  return false;
}

static void add_name(names *s, const char *name, size_t length) {
  CHECK(length > 0 && length < 64 && s->n < 400);
  if (length == 0 || length >= 64 || s->n >= 400) return;
  snprintf(s->name[s->n++], 64, "%.*s", (int)length, name);
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* the name that ends before `end`, blanks and [] left out */
static void add_name_before(names *s, const char *begin, const char *end) {
  while (end > begin && !in_name(end[-1])) end--;
  const char *from = end;
  while (from > begin && in_name(from[-1])) from--;
  add_name(s, from, (size_t)(end - from));
}

/* what a header declares TN_API: functions, and objects if asked for */
static void declared(const char *header, bool objects, names *s) {
  char *text = strdup(text_of(header)), *at;
  if (!text) abort();
  CHECK(*text);
  for (at = text; (at = strstr(at, "/*"));) {
    const char *end = strstr(at, "*/");
    CHECK(end != NULL);
    while (end && at < end + 2) *at++ = ' ';
  }
  for (at = text; (at = strstr(at, "TN_API"));) {
    const char *line = at;
    while (line > text && line[-1] != '\n') line--;
    at += strlen("TN_API");
    if (*line == '#') continue;
    const char *end = at + strcspn(at, ";"), *open = at + strcspn(at, "(;");
    if (*open == '(') {
      add_name_before(s, at, open);
      continue;
    }
    for (const char *from = at; objects && from < end;) {
      const char *comma = from + strcspn(from, ",;");
      add_name_before(s, from, comma);
      from = comma + 1;
    }
  }
  free(text);
}

/* the last words of the lines that a command prints. names that begin with _ belong to compiler and system */
static void listed(const char *command, const char *file, names *s) {
  char *text, *line;
  RUN("%s '%s'", command, file);
  text = strdup(text_of(".out"));
  if (!text) abort();
  for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    const char *word = strrchr(line, ' ');
    word = word ? word + 1 : line;
    if (*word != '_') add_name(s, word, strlen(word));
  }
  free(text);
}

/* ---- tests ------------------------------------------------------------------------------------------------------------- */

TEST(examples_of_the_build_run) {
  enter();
  for (int i = 0; i < EXAMPLES_N; i++) {
    char program[1200];
    snprintf(program, sizeof program, "%s/examples/%s", build_folder(), examples[i]);
    run_example(program, examples[i]);
  }
}

TEST_FULL(files_are_installed) {
  static const char *const files[] = {"prefix/bin/tenon",
                                      "prefix/include/tenon/tenon.h",
                                      "prefix/include/tenon/extend.h",
                                      "prefix/include/tenon/study.h",
                                      "prefix/include/tenon/dense.h",
                                      "prefix/share/tenon/studies/wu2000.json",
                                      "prefix/share/tenon/sweeps/pendulum_grid.json",
                                      LIB "/libtenon.a",
                                      LIB "/pkgconfig/tenon.pc",
                                      LIB "/cmake/tenon/tenonConfig.cmake",
                                      LIB "/cmake/tenon/tenonConfigVersion.cmake",
                                      "prefix/share/doc/tenon/LICENSE",
                                      EXAMPLES "/embed.c",
                                      EXAMPLES "/custom_joint.c",
                                      EXAMPLES "/cam.c",
                                      EXAMPLES "/bump_stop.c",
                                      EXAMPLES "/positions.c",
                                      EXAMPLES "/generalized_alpha.c"};
  /* what the program says of itself, and where that goes */
  static const char *const said[][3] = {
      {"--manual", "prefix/share/man/man1/tenon.1", ".TH TENON 1"},
      {"completion bash", "prefix/share/bash-completion/completions/tenon", "complete -F _tenon tenon"},
      {"completion zsh", "prefix/share/zsh/site-functions/_tenon", "#compdef tenon"},
      {"schema", "prefix/share/tenon/tenon.schema.json", "\"$schema\""}};
  install();
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) RUN("test -s %s", files[i]);
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    CHECK_HAS(text_of(said[i][1]), said[i][2]);
    RUN("prefix/bin/tenon %s | cmp - %s", said[i][0], said[i][1]);
  }
  RUN("prefix/bin/tenon --version");
  CHECK_HAS(text_of(".out"), "tenon " TN_VERSION "\n");
  RUN("diff -r '%s/models' prefix/share/tenon/models", TN_SOURCE_DIR);
  RUN("prefix/bin/tenon check prefix/share/tenon/models/four_bar.json");
  RUN("cd / && \"$OLDPWD/prefix/bin/tenon\" reproduce wu2000 --only table2.abp3"); /* its studies, wherever one is */
  /* nothing remembers the folders it was built in */
  RUN("! grep -rIl -e '%s' -e /opt/tenon prefix", build_folder());

  if (has_tool("man")) {
    RUN("LC_ALL=C.UTF-8 man --warnings -l prefix/share/man/man1/tenon.1 2>&1 >page");
    CHECK_TEXT(text_of(".out"), "");
    CHECK_HAS(text_of("page"), "SYNOPSIS");
  }
  if (has_tool("bash")) {
    RUN("bash -c 'set -e; source prefix/share/bash-completion/completions/tenon\n"
        "COMP_WORDS=(tenon sche) COMP_CWORD=1; _tenon; echo \"${COMPREPLY[@]}\"'");
    CHECK_TEXT(text_of(".out"), "schema\n");
  }
  if (has_tool("zsh")) RUN("zsh -n prefix/share/zsh/site-functions/_tenon");
}

TEST_FULL(shared_library_shows_what_the_headers_say) {
  static names wanted, found;
  install();
  if (!TN_SHARED) {
    printf("note: built without a shared library\n");
    CHECK(quietly("ls " LIB "/libtenon.so*") != 0);
    return;
  }
  /* the version is in the name of the file, major and minor in the name that programs ask for */
  int major = 0, minor = 0;
  char soname[64], line[96];
  CHECK(sscanf(TN_VERSION, "%d.%d", &major, &minor) == 2);
  snprintf(soname, sizeof soname, "libtenon.so.%d.%d", major, minor);
  RUN("readelf -d " LIB "/libtenon.so");
  snprintf(line, sizeof line, "soname: [%s]", soname);
  CHECK_HAS(text_of(".out"), line);
  RUN("test ! -L " LIB "/libtenon.so." TN_VERSION " && test -s " LIB "/libtenon.so." TN_VERSION);
  RUN("test \"$(readlink " LIB "/%s)\" = libtenon.so." TN_VERSION, soname);
  RUN("test \"$(readlink " LIB "/libtenon.so)\" = %s", soname);

  RUN("ls prefix/include/tenon/*.h");
  char *headers = strdup(text_of(".out"));
  if (!headers) abort();
  for (char *h = strtok(headers, "\n"); h; h = strtok(NULL, "\n")) declared(h, true, &wanted);
  free(headers);
  listed("nm -D --defined-only", LIB "/libtenon.so", &found);
  CHECK(wanted.n > 90 && has_name(&wanted, "tn_compile") && has_name(&wanted, "tn_fields_numbers"));
  for (int i = 0; i < wanted.n; i++)
    if (!has_name(&found, wanted.name[i])) FAIL("%s is declared TN_API and not in the library", wanted.name[i]);
  for (int i = 0; i < found.n; i++)
    if (!has_name(&wanted, found.name[i])) FAIL("%s is in the library and not declared TN_API", found.name[i]);
}

/* an example shows every function of a header */
static void uses_all(const char *example, const char *header, int least) {
  static names wanted, found;
  char path[80];
  wanted.n = found.n = 0;
  RUN("'%s' %s " STRICT " -Iprefix/include -c " EXAMPLES "/%s.c -o %s.o", TN_CC, TN_C_FLAGS, example, example);
  snprintf(path, sizeof path, "prefix/include/tenon/%s.h", header);
  declared(path, false, &wanted);
  snprintf(path, sizeof path, "%s.o", example);
  listed("nm -u", path, &found);
  CHECK(wanted.n > least);
  for (int i = 0; i < wanted.n; i++)
    if (!has_name(&found, wanted.name[i])) FAIL("examples/%s.c does not use %s", example, wanted.name[i]);
}

TEST_FULL(examples_use_every_function) {
  install();
  uses_all("embed", "tenon", 70);
  uses_all("study", "study", 20);
}

TEST_FULL(headers_are_good_cplusplus) {
  install();
  if (!has_tool("c++")) return;
  FILE *file = fopen("all.cpp", "w");
  if (!file) abort();
  /* extend.h first: each stands alone */
  fputs("#include <tenon/extend.h>\n#include <tenon/tenon.h>\n#include <cstring>\n"
        "static void position(const void *, double, const tn_frame2 *f, double *C) { C[0] = f[1].r[0]; }\n"
        "static tn_joint_type type;\n"
        "int main() {\n"
        "  tn_error e;\n  tn_desc *d = nullptr;\n"
        "  type.name = \"wall\";\n  type.plane.position = position;\n"
        "  if (tn_desc_new(nullptr, &d, &e) != TN_OK) return 1;\n"
        "  const tn_status s = tn_desc_add_joint(d, &type, &e); // functions are missing\n"
        "  tn_desc_free(d);\n"
        "  return s == TN_E_USAGE && std::strcmp(tn_version(), TN_VERSION) == 0 && tn_fields_names[0].key ? 0 : 1;\n"
        "}\n",
        file);
  fclose(file);
  RUN("c++ %s -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Werror -Iprefix/include all.cpp -L" LIB
      " -ltenon -lm -o all && LD_LIBRARY_PATH=" LIB " ./all",
      TN_C_FLAGS);
}

TEST_FULL(examples_build_with_pkg_config) {
  install();
  const bool there = has_tool("pkg-config");
  CHECK(there || TN_MINIMAL);
  if (!there) return;
  const char *const pc = "PKG_CONFIG_PATH=" LIB "/pkgconfig pkg-config";
  RUN("%s --modversion tenon", pc);
  CHECK_TEXT(text_of(".out"), TN_VERSION "\n");
  for (int i = 0; i < EXAMPLES_N; i++)
    for (int shared = 0; shared <= TN_SHARED; shared++) {
      /* -ltenon prefers the shared library; the static one is asked for by its file */
      RUN("'%s' %s " STRICT " " EXAMPLES "/%s.c $(%s --cflags --libs %s tenon %s) %s -o %s", TN_CC, TN_C_FLAGS,
          examples[i], pc, shared ? "" : "--static", shared ? "" : "| sed s/-ltenon/-l:libtenon.a/",
          shared && strcmp(examples[i], "embed") != 0 ? "-lm" : "", examples[i]);
      RUN("readelf -d %s", examples[i]);
      CHECK((strstr(text_of(".out"), "[libtenon.so.") != NULL) == shared);
      char program[64];
      snprintf(program, sizeof program, "../%s", examples[i]);
      run_example(program, examples[i]);
    }
}

TEST_FULL(examples_build_with_cmake) {
  install();
  int major = 0, minor = 0;
  CHECK(sscanf(TN_VERSION, "%d.%d", &major, &minor) == 2);
  RUN("mkdir project && cp " EXAMPLES "/*.c project");
  FILE *file = fopen("project/CMakeLists.txt", "w");
  if (!file) abort();
  fprintf(file,
          "cmake_minimum_required(VERSION 3.16)\nproject(user C)\nset(CMAKE_C_STANDARD 17)\n"
          /* another minor version is another interface */
          "foreach(other %d.%d %d.%d %d.0)\n"
          "  find_package(tenon ${other} CONFIG QUIET)\n"
          "  if(tenon_FOUND)\n    message(FATAL_ERROR \"found as ${other}\")\n  endif()\n"
          "endforeach()\n"
          "find_package(tenon %d.%d CONFIG REQUIRED)\n"
          "file(GLOB sources RELATIVE ${CMAKE_SOURCE_DIR} *.c)\n"
          "foreach(source IN LISTS sources)\n"
          "  string(REPLACE .c \"\" name ${source})\n"
          "  add_executable(${name} ${name}.c)\n  target_link_libraries(${name} tenon::tenon m)\n"
          "  add_executable(${name}-static ${name}.c)\n  target_link_libraries(${name}-static tenon::static)\n"
          "endforeach()\n",
          major, minor + 1, major, minor ? minor - 1 : 99, major + 1, major, minor);
  fclose(file);
  RUN("'%s' -G '%s' -S project -B build -DCMAKE_C_COMPILER='%s' -DCMAKE_C_FLAGS='%s' "
      "-DCMAKE_PREFIX_PATH=\"$PWD/prefix\"",
      TN_CMAKE, TN_GENERATOR, TN_CC, TN_C_FLAGS);
  RUN("'%s' --build build", TN_CMAKE);
  for (int i = 0; i < EXAMPLES_N; i++)
    for (int k = 0; k < 2; k++) {
      char program[64];
      snprintf(program, sizeof program, "../build/%s%s", examples[i], k ? "-static" : "");
      RUN("readelf -d %s", program + 3);
      CHECK((strstr(text_of(".out"), "[libtenon.so.") != NULL) == (TN_SHARED && !k));
      run_example(program, examples[i]);
    }
}
