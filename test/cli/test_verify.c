/* tenon run --verify: what it says, in text, JSON and result file, and that it changes nothing else. */
#include "test.h"

#include "cli_support.h"

static const char swing[] =
    "{'tenon':1,'dimension':2,'gravity':[0,-9.81],"
    "'bodies':{'arm':{'mass':1,'inertia':'1/12','position':[0.5,0]}},"
    "'joints':{'pin':{'type':'revolute','between':['ground','arm'],'on_bodies':[[0,0],[-0.5,0]]}},"
    "'outputs':{'a':'arm.angle','w':'arm.rate','still':'2','bad':'sqrt(-1-t)'},"
    "'run':{'until':%s,'every':0.1}}";

static void model(const char *path, const char *until) {
  char text[1000];
  snprintf(text, sizeof text, swing, until);
  spill(path, text);
}

/* a member of the last object on stdout, by a path with dots; NULL */
static const tn_node *member(tn_arena *arena, const char *path) {
  tn_node *root = NULL;
  tn_error e;
  char key[64];
  if (tn_json_parse(arena, "out", out, strlen(out), &root, &e) != TN_OK) {
    FAIL("%s", e.message);
    return NULL;
  }
  const tn_node *node = root;
  while (node && *path) {
    const size_t n = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)n, path);
    node = tn_node_get(node, key);
    path += n + (path[n] == '.');
  }
  return node;
}

static double number(const char *path) {
  tn_arena arena;
  tn_arena_init(&arena, NULL);
  const tn_node *node = member(&arena, path);
  const double x = node && node->kind == TN_NODE_NUMBER ? node->number : (double)NAN;
  tn_arena_free(&arena);
  return x;
}

TEST(in_text) {
  fresh();
  model("swing.json", "10");
  CHECK(tenon("run swing.json --accept-doubt --verify") == 0 && !*err);
  CHECK_HAS(out, "  verified: errors of outputs are about ");
  CHECK_HAS(out, "  second run, rtol 1e-09: ");
  CHECK_HAS(out, "; 101 rows compared\n");
  CHECK_HAS(out, "    a                ");
  CHECK_HAS(out, " rad at t = ");
  CHECK_HAS(out, " of its scale; at the end ");
  CHECK_HAS(out, "; error about ");
  CHECK_HAS(out, "    still            0.00e+00 at t = 0 s, constant;");
  CHECK_HAS(out, "    bad              not compared: no row has a finite number in both runs\n");
  CHECK(tenon("run swing.json --accept-doubt --verify --integrator rk4 --step 0.01") == 0 &&
        strstr(out, "  second run, step 0.005 s: 2000 steps, "));
  CHECK(tenon("run swing.json --accept-doubt --verify -q") == 0 && !*out && !*err);
  CHECK(tenon("run swing.json --accept-doubt") == 0 && !strstr(out, "second run") && !strstr(out, "verified") &&
        !strstr(out, "long run"));
  CHECK(tenon("run --help") == 0 && strstr(out, "--verify"));
}

TEST(in_json) {
  fresh();
  model("swing.json", "10");
  CHECK(tenon("run swing.json --accept-doubt --verify --json") == 0 && !*err);
  CHECK_NEAR(number("verify.rtol"), 1e-9, 1e-18);
  CHECK_NEAR(number("verify.factor"), 10.0 / 9, 1e-12);
  CHECK_NEAR(number("verify.rows"), 101, 0);
  CHECK_NEAR(number("verify.from"), 0, 0);
  CHECK_NEAR(number("verify.predictable_until"), 10, 0);
  CHECK_NEAR(number("verify.threshold"), 0.01, 0);
  CHECK(number("local_errors") > 0 && number("verify.steps") > number("steps"));
  CHECK_HAS(out, "\"long_run\": false");
  CHECK_HAS(out, "\"relative_reason\": \"it is constant but for errors\"");
  CHECK_HAS(out, "\"difference_reason\": \"no row has a finite number in both runs\"");
  CHECK(tenon("run swing.json --accept-doubt --json") == 0 && isnan(number("verify.rows")) &&
        number("local_errors") > 0);
  CHECK(tenon("run swing.json --accept-doubt --json --step 1e-3") == 0);
  CHECK_HAS(out, "\"local_errors_reason\": \"fixed steps have no error estimate\"");
}

/* rows are those of a run without it; the result has the object in its last block */
TEST(files_are_those_of_the_first_run) {
  static char text[1 << 20];
  fresh();
  model("swing.json", "10");
  CHECK(tenon("run swing.json --accept-doubt -o a.csv -o a.tnr -q") == 0);
  CHECK(tenon("run swing.json --accept-doubt -o b.csv -o b.tnr -q --verify") == 0);
  CHECK(same_files("a.csv", "b.csv") && lines_of("a.csv") == 102);
  FILE *a = fopen("a.tnr", "rb"), *b = fopen("b.tnr", "rb");
  const size_t n = a ? fread(text, 1, sizeof text, a) : 0;
  long same = 0;
  for (int c; b && (size_t)same < n && (c = fgetc(b)) != EOF && (char)c == text[same];) same++;
  size_t at = n;
  while (at >= 4 && memcmp(text + at - 4, "DONE", 4) != 0) at--;
  CHECK(at >= 4 && same >= (long)at); /* the same up to the last block */
  if (a) fclose(a);
  if (b) fclose(b);
  CHECK(tenon("export b.tnr -o c.csv") == 0 && same_files("a.csv", "c.csv"));
  CHECK(system("grep -aq predictable_until b.tnr") == 0 && system("grep -aq predictable_until a.tnr") != 0);
}

TEST_FULL(a_long_run_says_so) {
  fresh();
  model("swing.json", "1000");
  CHECK(tenon("run swing.json --accept-doubt") == 0 && strstr(out, "  long run: errors of steps add up to about "));
  CHECK_HAS(out, "`--verify`");
  CHECK(tenon("run swing.json --accept-doubt --json") == 0 && strstr(out, "\"long_run\": true"));
  CHECK(tenon("run swing.json --accept-doubt --verify") == 0 && !strstr(out, "long run") && strstr(out, "second run"));
}

/* a run that was interrupted is compared from where it goes on; its result is that of a run that was never stopped */
TEST_FULL(resumed) {
  fresh();
  model("swing.json", "1500");
  CHECK(tenon("run swing.json --accept-doubt -o whole.csv --json") == 0);
  const double alone = number("local_errors");
  const pid_t child =
      start_words((const char *const[]){"run", "swing.json", "-o", "a.tnr", NULL}, "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "a.tnr.part", 70000));
  kill(child, SIGTERM);
  CHECK(wait_for(child) == 143 && exists("a.tnr.state"));
  CHECK(tenon("resume a.tnr --accept-doubt --verify --json") == 0);
  const double from = number("verify.from");
  CHECK(number("local_errors") == alone);
  CHECK(from > 0 && from < 1500 && number("verify.until") == 1500);
  CHECK_NEAR(number("verify.rows"), (1500 - from) / 0.1 + 1, 0.5);
  CHECK(tenon("export a.tnr -o a.csv") == 0 && same_files("a.csv", "whole.csv"));
}

/* both runs end with Ctrl-C */
TEST(interrupted) {
  fresh();
  model("swing.json", "1e7");
  const pid_t child = start_words((const char *const[]){"run", "swing.json", "--verify", "-o", "a.csv", NULL},
                                  "/dev/null", ".out", ".err");
  CHECK(wait_bytes(child, "a.csv.part", 4096));
  kill(child, SIGINT);
  CHECK(wait_for(child) == 130);
  slurp(".out", out, sizeof out);
  CHECK_HAS(out, "interrupted");
  CHECK_HAS(out, " rows compared\n");
}
