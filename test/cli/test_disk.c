/* a loss of power at every operation on files: what is on the disk then is the older file or the new one, whole, or a checkpoint or
 * journal from which the work goes on. A folder that was not synced may have any of the names that were given or taken away since;
 * a file has what was in it when it was synced, or what was written since. */
#include "test.h"

#include "cli_support.h"
#include "disk_support.h"

enum { MOST_NAMES = 60, MOST_PENDING = 5 };

/* ---- what a loss of power leaves ----------------------------------------------------------------------------------------------- */

typedef struct change {
  char what, name[80], to[80]; /* 'c'reate, 'r'ename, 'u'nlink */
  long inode;
} change;

typedef struct world {
  int names, inodes, changes;
  struct {
    char name[80];
    long inode;
  } at[MOST_NAMES]; /* the folder when it was synced */
  struct {
    long inode;
    char synced[120]; /* a copy; "": it never was */
  } file[400];
  change change[MOST_PENDING + 1]; /* since then */
} world;

static long inode_of(const char *name) {
  struct stat s;
  return stat(name, &s) == 0 ? (long)s.st_ino : 0;
}

static void put(world *w, const char *name, long inode) {
  int i = 0;
  while (i < w->names && strcmp(w->at[i].name, name) != 0) i++;
  if (i == w->names) w->names++;
  snprintf(w->at[i].name, sizeof w->at[i].name, "%s", name);
  w->at[i].inode = inode;
}

static void take(world *w, const char *name) {
  for (int i = 0; i < w->names; i++)
    if (strcmp(w->at[i].name, name) == 0) w->at[i--] = w->at[--w->names];
}

static void sync_file(world *w, long inode, const char *copy) {
  int i = 0;
  while (i < w->inodes && w->file[i].inode != inode) i++;
  if (i == w->inodes) w->inodes++;
  w->file[i].inode = inode;
  snprintf(w->file[i].synced, sizeof w->file[i].synced, "%s", copy);
}

static void apply(world *w, const change *c) {
  if (c->what == 'c') put(w, c->name, c->inode);
  if (c->what != 'c') take(w, c->name);
  if (c->what == 'r') put(w, c->to, c->inode);
}

static bool same_bytes(const char *a, const char *b) {
  FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
  int c = 0, d = x && y ? 0 : 1;
  while (c == d && c != EOF) c = fgetc(x), d = fgetc(y);
  if (x) fclose(x);
  if (y) fclose(y);
  return c == d;
}

static void copy_file(const char *from, const char *to) {
  static char data[1 << 20];
  FILE *in = fopen(from, "rb"), *copy = fopen(to, "wb");
  if (!in || !copy) abort();
  for (size_t n; (n = fread(data, 1, sizeof data, in)) > 0;)
    if (fwrite(data, 1, n, copy) != n) abort();
  fclose(in);
  fclose(copy);
}

/* files that are there before the program begins are on the disk: a copy of each is in before/ */
static void begin(world *w, const char *const *names) {
  *w = (world){0};
  mkdir("before", 0777);
  for (; *names; names++) {
    char copy[120];
    snprintf(copy, sizeof copy, "before/%s", *names);
    copy_file(*names, copy);
    put(w, *names, inode_of(*names));
    sync_file(w, inode_of(*names), copy);
  }
}

/* all that the log has; the number of operations */
static int follow(world *w) {
  FILE *log = fopen(".log", "r");
  char line[400], a[80], b[80], copy[120];
  long inode;
  int n = 0, k;
  for (; log && fgets(line, sizeof line, log); n++) {
    change c = {.what = line[0]};
    if (sscanf(line, "create %79s %ld", c.name, &c.inode) == 2) {
      sync_file(w, c.inode, "");
      w->change[w->changes++] = c;
    } else if (sscanf(line, "rename %79s %79s %ld", c.name, c.to, &c.inode) == 3 ||
               sscanf(line, "unlink %79s", c.name) == 1) {
      w->change[w->changes++] = c;
    } else if (sscanf(line, "sync %79s %ld %d", a, &inode, &k) == 3) {
      snprintf(copy, sizeof copy, ".store/%d", k);
      sync_file(w, inode, copy);
    } else if (strcmp(line, "folder\n") == 0) {
      for (int i = 0; i < w->changes; i++) apply(w, &w->change[i]);
      w->changes = 0;
    } else if (sscanf(line, "cut %79s %79s", a, b) != 2) {
      FAIL("a line of the log: %s", line);
    }
    if (w->changes > MOST_PENDING) {
      FAIL("too many changes of the folder are not synced");
      w->changes--;
    }
  }
  if (log) fclose(log);
  return n;
}

/* how the file of this inode is called now; NULL: by no name that it may have */
static const char *name_now(const world *w, const char *name, long inode) {
  if (inode_of(name) == inode) return name;
  for (int i = 0; i < w->changes; i++) {
    const change *c = &w->change[i];
    if (c->inode == inode && inode_of(c->name) == inode) return c->name;
    if (c->inode == inode && *c->to && inode_of(c->to) == inode) return c->to;
  }
  return NULL;
}

/* the folder after/, with these of the changes, and with files as they were synced or as they were last */
static void make_after(const world *before, unsigned mask, bool newest) {
  world w = *before;
  char path[400];
  mkdir("after", 0777);
  DIR *folder = opendir("after");
  for (const struct dirent *e; (e = readdir(folder));)
    if (snprintf(path, sizeof path, "after/%s", e->d_name), *e->d_name != '.' || e->d_name[1] == 's') unlink(path);
  closedir(folder);
  for (int i = 0; i < w.changes; i++)
    if (mask >> i & 1) apply(&w, &before->change[i]);
  for (int i = 0; i < w.names; i++) {
    const char *from = "", *now = newest ? name_now(before, w.at[i].name, w.at[i].inode) : NULL;
    for (int k = 0; k < w.inodes; k++)
      if (w.file[k].inode == w.at[i].inode) from = w.file[k].synced;
    snprintf(path, sizeof path, "after/%s", w.at[i].name);
    copy_file(now ? now : *from ? from : "/dev/null", path);
  }
}

/* every folder that may be left, once each of those that matter; `check` looks at after/ */
static void each_after(const world *w, void (*check)(void *user), void *user) {
  for (unsigned mask = 0; mask < 1u << w->changes; mask++)
    for (int newest = 0; newest < 2; newest++) {
      const int failures = tn_test_failures;
      make_after(w, mask, newest);
      check(user);
      if (tn_test_failures == failures) continue;
      printf("  left with changes %x of %d, files as they were %s\n", mask, w->changes, newest ? "last" : "synced");
      return;
    }
}

/* the n-th line of the log in which this stands; 0: there is none */
static int line_with(const char *text, int n) {
  FILE *log = fopen(".log", "r");
  char line[400];
  int at = 0, found = 0;
  while (log && found < n && fgets(line, sizeof line, log)) {
    at++;
    found += strstr(line, text) != NULL;
  }
  if (log) fclose(log);
  return found == n ? at : 0;
}

/* ---- a run ------------------------------------------------------------------------------------------------------------------- */

#define LONG_RUN                                                                                                       \
  "run '" MODELS "four_bar.json' --step 1e-4 --until 0.2 --every 1e-2 -q -o x.tnr -o x.csv --checkpoint 0.0005"

static const char *const old_files[] = {"x.tnr", "x.csv", NULL};

static bool add(void *file, const char *part, size_t n) { return fwrite(part, 1, n, file) == n; }

/* the rows of a result as text, or "" if it is not whole */
static char *rows_of(const char *path, char *text, size_t size) {
  tn_result *r;
  tn_error e;
  *text = 0;
  if (tn_result_open(NULL, path, &r, &e) != TN_OK) return text;
  FILE *to = fmemopen(text, size, "w");
  if (tn_result_summary(r)) tn_result_csv(r, add, to, &e);
  fclose(to);
  tn_result_close(r);
  return text;
}

typedef struct promise {
  bool ended, saved; /* the program said that all is well; a checkpoint was finished before */
  int resumed;
  char old[20000], new[20000]; /* rows */
} promise;

static void check_run(void *user) {
  static char text[20000];
  promise *p = user;
  rows_of("after/x.tnr", text, sizeof text);
  const bool is_new = strcmp(text, p->new) == 0;
  if (!is_new && (strcmp(text, p->old) != 0 || p->ended)) FAIL("x.tnr is neither the older nor the new one");
  if (!same_bytes("after/x.csv", "new.csv") && (p->ended || !same_bytes("after/x.csv", "before/x.csv")))
    FAIL("x.csv is neither the older nor the new one");
  if (is_new || !p->saved) return;
  p->resumed++;
  if (system("cd after && '" TN_BINARY "' resume x.tnr -q >.said 2>&1") != 0 ||
      strcmp(rows_of("after/x.tnr", text, sizeof text), p->new) != 0)
    FAIL("the run does not go on: %s", slurp("after/.said", err, sizeof err));
}

static int operations(void) { return follow(&(world){0}); }

/* power is lost before operation k, counted from the first sync of the file `from` on; false: the program has ended before that */
static bool lose_power_in_run(const char *from, int k, promise *p) {
  static world w;
  char setting[80];
  drop_files("x.*");
  copy_file("old.tnr", "x.tnr");
  copy_file("old.csv", "x.csv");
  begin(&w, old_files);
  snprintf(setting, sizeof setting, from ? "DISK_KILL=%d DISK_FROM=%s" : "DISK_KILL=%d", k, from);
  const int code = disk(setting, LONG_RUN), failures = tn_test_failures;
  if (code != 0 && code != 1000 + SIGKILL) FAIL("operation %d: %d %s", k, code, err);
  follow(&w);
  p->ended = code == 0;
  const int state = line_with("rename x.tnr.state.part", 1);
  p->saved = state && operations() > state; /* the folder is synced next */
  each_after(&w, check_run, p);
  if (tn_test_failures > failures) printf("  before operation %d\n", k);
  return code != 0;
}

static promise *run_to_end(void) {
  static promise p;
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o old.tnr -o old.csv") == 0);
  rows_of("old.tnr", p.old, sizeof p.old);
  CHECK(disk("DISK_NONE=1", LONG_RUN) == 0);
  rows_of("x.tnr", p.new, sizeof p.new);
  CHECK(rename("x.csv", "new.csv") == 0 && *p.old && *p.new &&strcmp(p.old, p.new) != 0);
  return &p;
}

/* at the start and in the second checkpoint */
TEST(a_run_under_way_survives_a_loss_of_power) {
  promise *p = run_to_end();
  const int second = line_with("rename x.tnr.state.part", 2);
  CHECK(second > 0 && line_with("unlink x.tnr.state", 1) > second);
  CHECK(lose_power_in_run(NULL, 2, p));
  for (int k = second; k <= second + 1; k++) CHECK(lose_power_in_run(NULL, k, p));
  CHECK(p->resumed > 0);
}

/* at every operation of the end: how many there are before it depends on the clock */
TEST_FULL(the_end_of_a_run_survives_a_loss_of_power) {
  promise *p = run_to_end();
  int k = 1;
  while (k < 100 && lose_power_in_run("x.csv.part", k, p)) k++;
  CHECK(k > 6 && p->ended && p->resumed > 0);
}

TEST_LONG(a_run_survives_a_loss_of_power_anywhere) {
  promise *p = run_to_end();
  const int n = operations();
  for (int k = 1; k <= n && k < 200; k++) lose_power_in_run(NULL, k, p);
  CHECK(p->resumed > 0);
}

/* ---- files that are written at once ---------------------------------------------------------------------------------------------- */

typedef struct whole {
  const char *const *names; /* new.NAME is the new one, before/NAME the older */
  bool ended;
} whole;

static void check_whole(void *user) {
  const whole *p = user;
  for (const char *const *name = p->names; *name; name++) {
    char after[100], before[100], new[100];
    snprintf(after, sizeof after, "after/%s", *name);
    snprintf(before, sizeof before, "before/%s", *name);
    snprintf(new, sizeof new, "new.%s", *name);
    if (!same_bytes(after, new) && (p->ended || !same_bytes(after, before)))
      FAIL("%s is neither the older nor the new one", *name);
  }
}

/* at every operation of a command that writes `names`, of each of which there is an older one */
static void lose_power_everywhere(const char *const *names, const char *command, void (*check)(void *user)) {
  static world w;
  whole p = {.names = names};
  char line[200];
  CHECK(disk("DISK_NONE=1", "%s", command) == 0);
  for (const char *const *name = names; *name; name++) {
    snprintf(line, sizeof line, "mv '%s' 'new.%s'", *name, *name);
    CHECK(system(line) == 0);
  }
  int k = 0;
  while (!p.ended && ++k < 100) {
    for (const char *const *name = names; *name; name++) {
      snprintf(line, sizeof line, "rm -f '%s'*; echo older > '%s'", *name, *name);
      CHECK(system(line) == 0);
    }
    begin(&w, names);
    snprintf(line, sizeof line, "DISK_KILL=%d", k);
    const int code = disk(line, "%s", command), failures = tn_test_failures;
    if (code != 0 && code != 1000 + SIGKILL) FAIL("operation %d: %d %s", k, code, err);
    follow(&w);
    p.ended = code == 0;
    each_after(&w, check, &p);
    if (tn_test_failures > failures) printf("  before operation %d\n", k);
  }
  CHECK(k > 3 && p.ended);
}

TEST(an_export_survives_a_loss_of_power) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 0.05 -q -o r.tnr") == 0);
  lose_power_everywhere((const char *const[]){"x.csv", "x.svg", NULL}, "export r.tnr -q -o x.csv -o x.svg",
                        check_whole);
}

/* both files are new, or the journal has all runs as soon as they are done */
static void check_sweep(void *user) {
  char copy[40];
  int done = 0;
  check_whole(user);
  for (int k = 1; snprintf(copy, sizeof copy, ".store/%d", k), exists(copy); k++) {
    char text[100];
    slurp(copy, text, sizeof text);
    if (strncmp(text, "tenon sweep journal", 19) == 0) done = lines_of(copy) - 1;
  }
  const bool both = same_bytes("after/a.csv", "new.a.csv") && same_bytes("after/b.json", "new.b.json");
  if (done == 3 && !both && lines_of("after/a.csv.journal") != 4) FAIL("neither results nor journal are there");
}

TEST_FULL(a_sweep_survives_a_loss_of_power) {
  fresh();
  spill("s.json",
        "{'sweep': 1, 'run': {'model': '" MODELS "pendulum.json', 'until': 0.1}, 'vary': {'/bodies/bob/mass': "
        "[1, 2, 3]}, 'measures': {'rhs': {'of': 'rhs'}}}");
  lose_power_everywhere((const char *const[]){"a.csv", "b.json", NULL}, "sweep s.json -q -j 1 -o a.csv -o b.json",
                        check_sweep);
}

/* ---- the order, as the kernel sees it -------------------------------------------------------------------------------------------- */

/* operations of a command as lines: `sync NAME`, `folder`, `rename A B`, `unlink NAME`. by strace; where that may not be used, by the
 * library that is loaded before */
static void trace(const char *command, char *lines, size_t size) {
  char line[2000], here[400], a[300], b[300];
  size_t n = 0;
  *lines = 0;
  const bool traced = system("strace -f -o .trace true 2>.said") == 0;
  if (traced) {
    snprintf(line, sizeof line,
             "ASAN_OPTIONS=detect_leaks=0 strace -f -y -o .trace -e trace=/rename.*,/unlink.*,fsync,fdatasync '%s' %s "
             ">.out 2>.err </dev/null",
             TN_BINARY, command);
    CHECK(system(line) == 0);
  } else {
    printf("strace may not be used here: by preload\n");
    CHECK(disk("DISK_NONE=1", "%s", command) == 0);
  }
  if (!getcwd(here, sizeof here)) abort();
  FILE *log = fopen(traced ? ".trace" : ".log", "r");
  while (log && fgets(line, sizeof line, log) && n + 700 < size) {
    const char *at = line;
    if (!traced) {
      if (sscanf(line, "sync %299s", a) == 1) n += (size_t)snprintf(lines + n, size - n, "sync %s\n", a);
      if (sscanf(line, "rename %299s %299s", a, b) == 2)
        n += (size_t)snprintf(lines + n, size - n, "rename %s %s\n", a, b);
      if (sscanf(line, "unlink %299s", a) == 1) n += (size_t)snprintf(lines + n, size - n, "unlink %s\n", a);
      if (strcmp(line, "folder\n") == 0) n += (size_t)snprintf(lines + n, size - n, "folder\n");
      continue;
    }
    if (!strstr(line, " = 0")) continue;
    if ((at = strstr(line, "sync(")) && (at = strchr(at, '<')) && sscanf(at + 1, "%299[^>]", a) == 1)
      n += (size_t)snprintf(lines + n, size - n, strcmp(a, here) == 0 ? "folder\n" : "sync %s\n", strrchr(a, '/') + 1);
    /* the names are the texts in quotes */
    if ((at = strstr(line, "rename")) && (at = strchr(at, '"')) && sscanf(at + 1, "%299[^\"]", a) == 1 &&
        (at = strchr(at + strlen(a) + 2, '"')) && sscanf(at + 1, "%299[^\"]", b) == 1)
      n += (size_t)snprintf(lines + n, size - n, "rename %s %s\n", a, b);
    if ((at = strstr(line, "unlink")) && (at = strchr(at, '"')) && sscanf(at + 1, "%299[^\"]", a) == 1)
      n += (size_t)snprintf(lines + n, size - n, "unlink %s\n", a);
  }
  if (log) fclose(log);
}

/* they come in this order at the end, and nothing of them comes later again */
static void check_order(const char *lines, const char *const *wanted) {
  const char *at = lines;
  for (; *wanted; wanted++) {
    const char *found = strstr(at, *wanted);
    if (!found) {
      FAIL("no '%s' in its place:\n%s", *wanted, lines);
      return;
    }
    at = found + strlen(*wanted);
  }
}
#define ORDER(lines, ...) check_order(lines, (const char *const[]){__VA_ARGS__, NULL})

TEST(files_are_synced_before_they_are_renamed) {
  static char lines[100000];
  fresh();
  trace(LONG_RUN, lines, sizeof lines);
  ORDER(lines, "sync x.tnr.part\n", "sync x.tnr.state.part\n", "rename x.tnr.state.part x.tnr.state\n", "folder\n",
        "sync x.csv.part\n", "rename x.csv.part x.csv\n", "folder\n", "sync x.tnr.part\n", "rename x.tnr.part x.tnr\n",
        "folder\n", "unlink x.tnr.state\n", "folder\n");
  CHECK(strstr(lines, "unlink") > strstr(lines, "rename x.tnr.part"));
  trace("export x.tnr -q -o y.csv -o y.svg -o y.npy -o y.glb", lines, sizeof lines);
  ORDER(lines, "sync y.csv.part\n", "rename y.csv.part y.csv\n", "folder\n", "sync y.svg.part\n",
        "rename y.svg.part y.svg\n", "folder\n", "sync y.t.npy.part\n", "rename y.t.npy.part y.t.npy\n", "folder\n",
        "sync y.glb.part\n", "rename y.glb.part y.glb\n", "folder\n");
  trace("run '" MODELS "pendulum.json' --until 0.1 -q -o p.svg", lines, sizeof lines); /* of a recording that goes */
  ORDER(lines, "sync p.svg.part\n", "rename p.svg.part p.svg\n", "folder\n", "unlink p.svg.tnr.part\n");
  spill("s.json",
        "{'sweep': 1, 'run': {'model': '" MODELS "pendulum.json', 'until': 0.1}, 'vary': {'/bodies/bob/mass': "
        "[1, 2, 3]}, 'measures': {'rhs': {'of': 'rhs'}}}");
  trace("sweep s.json -q -o a.csv", lines, sizeof lines);
  ORDER(lines, "sync a.csv.journal\n", "folder\n", "sync a.csv.journal\n", "sync a.csv.part\n",
        "rename a.csv.part a.csv\n", "folder\n", "unlink a.csv.journal\n", "folder\n");
  trace("new pendulum", lines, sizeof lines);
  ORDER(lines, "sync pendulum.json.part\n", "rename pendulum.json.part pendulum.json\n", "folder\n");
  trace("compare '" MODELS "pendulum.json' --until 0.2 --methods project --curves k.csv -q -o c.csv", lines,
        sizeof lines);
  ORDER(lines, "sync c.csv.part\n", "rename c.csv.part c.csv\n", "folder\n");
  ORDER(lines, "sync k.csv.part\n", "rename k.csv.part k.csv\n", "folder\n");
}
