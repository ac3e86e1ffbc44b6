/* names of files: what is read is never written over, two programs never write one file, links are not followed where nobody named
 * them, and what goes wrong is said with the reason and the file that has the rows. */
#include "test.h"

#include "cli_support.h"
#include "disk_support.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void spill_sweep(const char *path, const char *model) {
  char text[400];
  snprintf(text, sizeof text,
           "{'sweep': 1, 'run': {'model': '%s', 'until': 0.1}, 'vary': {'/bodies/bob/mass': [1, 2]}, 'measures': "
           "{'rhs': {'of': 'rhs'}}}",
           model);
  spill(path, text);
}

static void spill_study(const char *path, const char *model) {
  char text[800];
  snprintf(
      text, sizeof text,
      "{'study': 1, 'paper': 'p', 'title': 'x', 'runs': {'a': {'model': '%s', 'until': 0.1}}, 'rows': [{'id': 'r', "
      "'what': 'it runs', 'holds': 'measured > 0', 'measure': {'run': 'a', 'of': 'rhs'}, 'tolerance': 'at least 1', "
      "'verdict': 'reproduced'}]}",
      model);
  spill(path, text);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------------------ */

/* it is refused, and the file is as it was */
static void spares(const char *input, const char *command) {
  char copy[300];
  snprintf(copy, sizeof copy, "cp '%s' .kept", input);
  CHECK(system(copy) == 0);
  const int code = tenon("%s", command);
  if (code != 1 || !strstr(err, "is read, and would be replaced")) FAIL("%s: %d %s", command, code, err);
  if (!same_files(input, ".kept")) FAIL("%s: '%s' is another now", command, input);
}

TEST(what_is_read_is_not_written_over) {
  fresh();
  CHECK(system("cp '" MODELS
               "pendulum.json' m.json; cp m.json m.csv.part; cp m.json m.svg.tnr.part; ln m.json hard.csv; "
               "ln -s m.json soft.csv; cp m.json m.tnr.state; cp m.json n.tnr.state.part; mkdir sub") == 0);
  CHECK(tenon("run m.json --until 0.1 -q -o r.tnr") == 0);
  CHECK(system("cp r.tnr x.tnr.part; cp r.tnr x.csv.part; cp r.tnr x.t.npy.part") == 0);
  spares("x.tnr.part", "run x.tnr.part -o x.tnr");
  spares("x.tnr.part", "run ./x.tnr.part -o sub/../x.tnr --until 0.1");
  spares("r.tnr", "run r.tnr -o r.tnr");
  spares("m.csv.part", "run m.csv.part -o m.csv");
  spares("m.csv.part", "run - -o m.csv <m.csv.part");
  spares("m.svg.tnr.part", "run m.svg.tnr.part -o m.svg");
  spares("m.tnr.state", "run m.tnr.state -o m.tnr --anew");
  spares("n.tnr.state.part", "run n.tnr.state.part -o n.tnr");
  spares("m.json", "run m.json -o hard.csv");
  spares("m.json", "run m.json -o soft.csv");
  spares("x.csv.part", "export x.csv.part -o x.csv");
  spares("x.t.npy.part", "export x.t.npy.part -o x.npy");
  spares("m.csv.part", "compare m.csv.part --until 0.1 --methods project -o m.csv");
  spares("m.csv.part", "compare m.csv.part --until 0.1 --methods project --curves m.csv");
  CHECK(tenon("run m.json --until 0.1 -q -o ref.csv.part.csv") == 0 && rename("ref.csv.part.csv", "ref.csv.part") == 0);
  spares("ref.csv.part", "compare m.json --until 0.1 --methods project --reference ref.csv.part -o ref.csv");
  /* another name is good */
  CHECK(tenon("run m.csv.part -o other.csv --until 0.1 -q") == 0 && exists("m.csv.part"));
}

TEST(sweeps_and_studies_spare_what_they_read) {
  fresh();
  CHECK(system("cp '" MODELS
               "pendulum.json' m.csv.part; cp m.csv.part m.csv.journal; cp m.csv.part p.a.csv; cp m.csv.part "
               "m.html.part") == 0);
  spill_sweep("s.json", "m.csv.part");
  spares("m.csv.part", "sweep s.json -o m.csv");
  spill_sweep("s.json", "m.csv.journal");
  spares("m.csv.journal", "sweep s.json -o m.csv");
  CHECK(rename("m.csv.part", "m.json") == 0);
  spill_sweep("r.csv.part", "m.json");
  spares("r.csv.part", "sweep r.csv.part -o r.csv");
  spill_study("study.json", "p.a.csv"); /* the curve of its run would have this name */
  spares("p.a.csv", "reproduce ./study.json -o . -q");
  if (!tn_has_pages(NULL)) return;
  spill_study("study.json", "m.html.part");
  spares("m.html.part", "reproduce ./study.json -o m.html");
}

static void spill_mesh_model(const char *path, const char *mesh) {
  char text[400];
  snprintf(text, sizeof text,
           "{'tenon': 1, 'dimension': 3, 'bodies': {'bob': {'mass': 1, 'inertia': [1, 1, 1], 'draw': {'mesh': '%s'}}}, "
           "'run': {'until': 0.1}}",
           mesh);
  spill(path, text);
}

/* the mesh that a model is drawn from; also where it is not there yet, and by a link */
TEST(meshes_are_spared) {
  fresh();
  CHECK(mkdir("sub", 0777) == 0 && tenon("run " PENDULUM " --until 0.1 -q -o body.glb") == 0);
  CHECK(system("cp body.glb sub/part.glb; ln -s body.glb link.glb") == 0);
  spill_mesh_model("m.json", "body.glb");
  spares("body.glb", "run m.json -o body.glb");
  spares("body.glb", "run m.json -o link.glb");
  spares("body.glb", "compare m.json --until 0.1 --methods project -o link.csv --curves body.glb");
  CHECK(tenon("run m.json -q -o r.tnr") == 0);
  spares("body.glb", "export r.tnr -o body.glb");
  spill_mesh_model("sub/m.json", "part.glb"); /* beside the model */
  spares("sub/part.glb", "run sub/m.json -o sub/part.glb");
  CHECK(tenon("run sub/m.json -q -o part.glb") == 0);
  spill_mesh_model("none.json", "none.glb");
  CHECK(tenon("run none.json -o ./none.glb") == 1 && strstr(err, "would be replaced") && !exists("none.glb"));
  CHECK(symlink("body.glb", "s.csv") == 0);
  spill_sweep("s.json", "m.json");
  spares("body.glb", "sweep s.json -o s.csv");
}

/* ---- two at a time ------------------------------------------------------------------------------------------------------------- */

/* the first stops before it renames; the second is refused; the first goes on, and its file is whole */
static void one_wins(const char *file, const char *const *first, const char *second) {
  int status;
  char whole[300];
  CHECK(tenon_words(first) == 0 && exists(file));
  snprintf(whole, sizeof whole, "cp '%s' .whole && rm '%s'", file, file);
  CHECK(system(whole) == 0);
  const pid_t child = start_disk("DISK_STOP=rename", first);
  if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status)) {
    FAIL("%s: it did not stop", file);
    return;
  }
  const int code = tenon("%s", second);
  if (code != 4 || !strstr(err, "another process is writing it")) FAIL("%s: %d %s", second, code, err);
  kill(child, SIGCONT);
  CHECK(wait_for(child) == 0);
  if (!same_files(file, ".whole")) FAIL("%s is not whole", file);
  CHECK(names_with(".part") == 0);
}

TEST(two_exports_to_one_name) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 0.1 -q -o a.tnr") == 0 &&
        tenon("run " PENDULUM " --until 0.2 -q -o b.tnr") == 0);
  one_wins("y.csv", WORDS("export", "a.tnr", "-q", "-o", "y.csv"), "export b.tnr -o y.csv");
  one_wins("y.svg", WORDS("export", "a.tnr", "-q", "-o", "y.svg"), "export b.tnr -o y.svg");
  one_wins("y.glb", WORDS("export", "a.tnr", "-q", "-o", "y.glb"), "export b.tnr -o ./y.glb");
  one_wins("y.t.npy", WORDS("export", "a.tnr", "-q", "-o", "y.npy"), "export b.tnr -o y.npy");
  CHECK(mkdir("sub", 0777) == 0 && symlink("../y.csv", "sub/link.csv") == 0);
  one_wins("y.csv", WORDS("export", "a.tnr", "-q", "-o", "sub/link.csv"), "export b.tnr -o y.csv");
  one_wins("y.csv", WORDS("export", "a.tnr", "-q", "-o", "y.csv"), "run " PENDULUM " --until 0.1 -o y.csv");
}

TEST(two_studies_to_one_name) {
  fresh();
  CHECK(system("cp '" MODELS "pendulum.json' m.json") == 0);
  spill_sweep("s.json", "m.json");
  spill_study("study.json", "m.json");
  one_wins("y.csv", WORDS("sweep", "s.json", "-q", "-o", "y.csv"), "sweep s.json -o y.csv");
  one_wins("y.csv", WORDS("compare", "m.json", "--until", "0.1", "--methods", "project", "-q", "--curves", "y.csv"),
           "sweep s.json -o y.csv");
  one_wins("f/p.a.csv", WORDS("reproduce", "./study.json", "-q", "-o", "f"), "reproduce ./study.json -q -o f");
  one_wins("pendulum.json", WORDS("new", "pendulum"), "new pendulum");
  if (!tn_has_pages(NULL)) return;
  one_wins("y.html", WORDS("surface", "fuzzy", "-o", "y.html"), "surface fuzzy -o y.html");
}

/* twenty at a time, without being held: what is there in the end is one of them */
TEST_FULL(many_exports_to_one_name) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --until 3 -q -o a.tnr") == 0 && tenon("run " PENDULUM " --until 2 -q -o b.tnr") == 0);
  CHECK(tenon("export a.tnr -q -o a.csv") == 0 && tenon("export b.tnr -q -o b.csv") == 0);
  pid_t child[20];
  int wins = 0;
  for (int i = 0; i < 20; i++)
    child[i] = start_words(WORDS("export", i % 2 ? "a.tnr" : "b.tnr", "-q", "-o", "y.csv"), "/dev/null", ".o", ".e");
  for (int i = 0; i < 20; i++) {
    const int code = wait_for(child[i]);
    CHECK(code == 0 || code == 4);
    wins += code == 0;
  }
  CHECK(wins > 0 && (same_files("y.csv", "a.csv") || same_files("y.csv", "b.csv")) && !exists("y.csv.part"));
}

TEST(a_journal_in_use_is_left_alone) {
  fresh();
  CHECK(system("cp '" MODELS "pendulum.json' m.json; : >y.csv.journal") == 0);
  spill_sweep("s.json", "m.json");
  const int fd = open("y.csv.journal", O_RDWR);
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  CHECK(fd >= 0 && fcntl(fd, F_SETLK, &all) == 0);
  CHECK(tenon("sweep s.json -o y.csv") == 4 && strstr(err, "'y.csv.journal' is in use") &&
        size_of("y.csv.journal") == 0);
  close(fd);
  CHECK(tenon("sweep s.json -q -o y.csv") == 0 && !exists("y.csv.journal") && names_with(".part") == 0);
}

/* ---- what is there already -------------------------------------------------------------------------------------------------------- */

typedef struct at_part {
  const char *part, *command;
} at_part;

static const at_part parts[] = {{"y.csv.part", "run m.json --until 0.1 -o y.csv"},
                                {"y.tnr.part", "run m.json --until 0.1 -o y.tnr"},
                                {"y.svg.tnr.part", "run m.json --until 0.1 -o y.svg"},
                                {"y.svg.part", "run m.json --until 0.1 -o y.svg"},
                                {"y.csv.part", "export r.tnr -o y.csv"},
                                {"y.t.npy.part", "export r.tnr -o y.npy"},
                                {"y.csv.part", "sweep s.json -o y.csv"},
                                {"y.csv.journal", "sweep s.json -o y.csv"},
                                {"y.csv.journal", "sweep s.json -o y.csv --anew"},
                                {"y.csv.part", "compare m.json --until 0.1 --methods project --curves y.csv"},
                                {"pendulum.json.part", "new pendulum"}};

/* what `make` puts at the name of the part is refused, with `why`, and victim is as it was */
static void refuses(const char *settings, const char *make, const char *why) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char command[200];
    drop_files("y.* pendulum.json*");
    spill("victim", "do not touch\n");
    snprintf(command, sizeof command, make, parts[i].part);
    CHECK(system(command) == 0);
    const int code = disk(settings, "%s", parts[i].command);
    if (code != 4 || !strstr(err, why) || !strstr(err, "cannot "))
      FAIL("%s, %s: %d %s", make, parts[i].command, code, err);
    if (!file_is("victim", "do not touch\n")) FAIL("%s, %s: the victim is another now", make, parts[i].command);
    if (!exists(parts[i].part)) FAIL("%s, %s: it is gone", make, parts[i].command);
  }
}

static void make_inputs(void) {
  fresh();
  CHECK(system("cp '" MODELS "pendulum.json' m.json") == 0);
  spill_sweep("s.json", "m.json");
  CHECK(tenon("run m.json --until 0.1 -q -o r.tnr") == 0);
}

TEST(a_link_at_the_name_of_a_part_is_not_followed) {
  make_inputs();
  refuses("A=1", "ln -s victim %s", "file");
  refuses("A=1", "ln victim %s", "another name, too");
}

TEST(a_pipe_or_a_strangers_file_is_not_a_part) {
  make_inputs();
  refuses("A=1", "mkfifo %s", "file");
  refuses("DISK_USER=4711", "echo mine >%s", "belongs to another user");
}

/* one that a program left when it was killed is taken over; nobody holds it */
TEST(a_part_that_was_left_is_taken_over) {
  make_inputs();
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char command[200];
    if (strstr(parts[i].part, ".journal")) continue;
    drop_files("y.* pendulum.json*");
    snprintf(command, sizeof command, "head -c 100000 /dev/zero >%s", parts[i].part);
    CHECK(system(command) == 0);
    const int code = tenon("%s", parts[i].command);
    if (code != 0 || exists(parts[i].part)) FAIL("%s: %d %s", parts[i].command, code, err);
  }
}

/* nor is one at the name of a checkpoint under way: the run goes on without */
TEST(a_link_at_the_name_of_a_checkpoint_is_not_followed) {
  fresh();
  spill("victim", "do not touch\n");
  CHECK(symlink("victim", "x.tnr.state.part") == 0);
  CHECK(tenon("run " FOUR_BAR " --step 1e-4 --until 0.5 -q -o x.tnr --checkpoint 0.001") == 0);
  CHECK_HAS(err, "no checkpoint could be made in 'x.tnr.state': 'x.tnr.state.part' is there and is no regular file");
  CHECK(file_is("victim", "do not touch\n") && exists("x.tnr"));
  drop_files("x.*");
  CHECK(symlink("victim", "x.tnr.state") == 0); /* the name itself is replaced, and not what it stands for */
  CHECK(tenon("run " FOUR_BAR " --step 1e-4 --until 0.5 -q -o x.tnr --checkpoint 0.001 --anew") == 0 && !*err);
  CHECK(file_is("victim", "do not touch\n") && exists("x.tnr") && !exists("x.tnr.state"));
}

/* ---- what goes wrong ----------------------------------------------------------------------------------------------------------- */

/* a disk that is full on the way: the file that has the rows is named, and an older one is as it was */
TEST(a_full_disk_names_the_file_that_has_the_rows) {
  static const struct {
    const char *full, *output, *has;
  } all[] = {{"y.csv.part:200", "y.csv", "y.csv.part"},
             {"y.tnr.part:4", "y.tnr", "y.tnr.part"},
             {"y.svg.tnr.part:4", "y.svg", "y.svg.tnr.part"},
             {"y.svg.part:2", "y.svg", "y.svg.tnr.part"},
             {"y.t.npy.part:1", "y.npy", "y.npy.tnr.part"}};
  if (!exists("/dev/full")) {
    printf("no /dev/full: nothing is checked\n");
    return;
  }
  fresh();
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char setting[80], named[80];
    spill(all[i].output, "older\n");
    snprintf(setting, sizeof setting, "DISK_FULL=%s", all[i].full);
    snprintf(named, sizeof named, "in '%s'", all[i].has);
    const int code = disk(setting, "run " FOUR_BAR " --until 3 --every 1e-3 -q -o %s", all[i].output);
    if (code != 4 || !strstr(err, "No space left on device") || !strstr(err, named))
      FAIL("%s: %d %s", setting, code, err);
    if (!file_is(all[i].output, "older\n")) FAIL("%s: the older file is lost", setting);
    if (size_of(all[i].has) <= 0) FAIL("%s: there are no rows in %s", setting, all[i].has);
    drop_files("y.*");
  }
}

/* and the run goes on from its last checkpoint when there is room again */
TEST(a_full_disk_and_a_checkpoint) {
  fresh();
  CHECK(tenon("run " FOUR_BAR " --step 1e-4 --until 0.5 --every 1e-4 -q -o whole.tnr") == 0);
  CHECK(disk("DISK_FULL=y.tnr.part:6",
             "run " FOUR_BAR " --step 1e-4 --until 0.5 --every 1e-4 -q -o y.tnr --checkpoint 0.0005") == 4);
  CHECK_HAS(err, "cannot write 'y.tnr.part': No space left on device");
  CHECK_HAS(err, "tenon resume y.tnr");
  CHECK(tenon("resume y.tnr -q") == 0 && tenon("export y.tnr -q -o y.csv") == 0 &&
        tenon("export whole.tnr -q -o whole.csv") == 0 && same_files("y.csv", "whole.csv"));
}

/* a folder that cannot be written any more, a disk that fails */
TEST(reasons_are_given) {
  static const struct {
    const char *setting, *command, *why, *where;
  } all[] = {
      {"DISK_FAIL=create:30", "run m.json --until 0.1 -q -o y.csv", "cannot write 'y.csv': Read-only file system", ""},
      {"DISK_FAIL=create:13", "sweep s.json -o y.csv", "cannot write 'y.csv': Permission denied", ""},
      {"DISK_FAIL=rename:30", "run m.json --until 0.1 -q -o y.csv", "cannot write 'y.csv': Read-only file system",
       "the result is in 'y.csv.part'"},
      {"DISK_FAIL=rename:30", "run m.json --until 0.1 -q -o y.tnr", "cannot write 'y.tnr': Read-only file system",
       "the result is in 'y.tnr.part'"},
      {"DISK_FAIL=fsync:5", "run m.json --until 0.1 -q -o y.csv", "cannot write 'y.csv': Input/output error",
       "what was written before that is in 'y.csv.part'"},
      {"DISK_FAIL=fsync:5", "export r.tnr -o y.csv", "cannot write 'y.csv': Input/output error", "y.csv"},
      {"DISK_FAIL=ftruncate:5", "run m.json --until 0.1 -q -o y.csv", "cannot write 'y.csv.part': Input/output error",
       ""},
      {"DISK_FAIL=ftruncate:5", "run m.json --until 0.1 -q -o y.tnr", "cannot write 'y.tnr.part': Input/output error",
       ""},
      {"DISK_FAIL=ftruncate:5", "export r.tnr -o y.csv", "cannot write 'y.csv': Input/output error", ""},
      {"DISK_FAIL=write:28:2", "sweep s.json -q -o y.csv",
       "cannot write 'y.csv.journal': No space left on device; the runs before that are kept in it", ""},
      {"DISK_FAIL=rename:30", "sweep s.json -q -o y.csv", "cannot write 'y.csv': Read-only file system",
       "all runs are kept in 'y.csv.journal'"},
      {"DISK_FAIL=ftruncate:5", "sweep s.json -q -o y.csv --anew", "'y.csv.journal': Input/output error", ""}};
  make_inputs();
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    drop_files("y.*");
    if (strncmp(all[i].setting, "DISK_FAIL=ftruncate", 19) == 0) spill("y.csv.part", "of a run that was killed\n");
    const int code = disk(all[i].setting, "%s", all[i].command);
    if (code != 4 || !strstr(err, all[i].why) || !strstr(err, all[i].where))
      FAIL("%s %s: %d %s", all[i].setting, all[i].command, code, err);
    if (exists("y.csv") || exists("y.tnr")) FAIL("%s %s: it is there", all[i].setting, all[i].command);
  }
  /* what a run can go on from stays when the folder could not be synced */
  drop_files("y.*");
  CHECK(disk("DISK_FAIL=fsync:5:2", "sweep s.json -q -o y.csv") == 4 && exists("y.csv.journal"));
}

/* a checkpoint that cannot be synced is none; the one before stands */
TEST(a_checkpoint_that_cannot_be_synced) {
  fresh();
  const int code = disk("DISK_FAIL=fsync:5:8",
                        "run " FOUR_BAR " --step 1e-4 --until 0.3 --every 1e-2 -q -o y.tnr --checkpoint 0.0005");
  CHECK(code == 4 && exists("y.tnr.state") && exists("y.tnr.part"));
  CHECK_HAS(err, "no checkpoint could be made in 'y.tnr.state': Input/output error; the one before stands");
  CHECK_HAS(err, "what was written before that is in 'y.tnr.part'");
  CHECK(tenon("resume y.tnr -q") == 0 && !exists("y.tnr.state"));
}
