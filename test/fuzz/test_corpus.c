/* the corpus of the fuzz programs, through the same functions: what was found once stays found. a file that fails is the
 * last one named in the output. */
#define LLVMFuzzerTestOneInput fuzz_json
#include "../../fuzz/fuzz_json.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_expr
#include "../../fuzz/fuzz_expr.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_model
#include "../../fuzz/fuzz_model.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_desc
#include "../../fuzz/fuzz_desc.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_result
#include "../../fuzz/fuzz_result.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_sweep
#include "../../fuzz/fuzz_sweep.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_mesh
#include "../../fuzz/fuzz_mesh.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_state
#include "../../fuzz/fuzz_state.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_study
#include "../../fuzz/fuzz_study.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_run
#include "../../fuzz/fuzz_run.c"
#undef LLVMFuzzerTestOneInput

#include "corpus.h"

static int (*target)(const uint8_t *data, size_t size);

static void replay(const char *name, const uint8_t *data, size_t size) {
  printf("%s\n", name);
  CHECK(target(data, size) == 0);
}

TEST(texts) {
  target = fuzz_json;
  CHECK(corpus_each("json", replay) >= 50);
}

TEST(expressions) {
  target = fuzz_expr;
  CHECK(corpus_each("expr", replay) >= 50);
}

TEST(models) {
  target = fuzz_model;
  CHECK(corpus_each("model", replay) >= 50);
}

TEST(descriptions) {
  target = fuzz_desc;
  CHECK(corpus_each("desc", replay) >= 20);
}

TEST(results) {
  target = fuzz_result;
  CHECK(corpus_each("result", replay) >= 20);
}

TEST(sweeps) {
  target = fuzz_sweep;
  CHECK(corpus_each("sweep", replay) >= 20);
}

TEST(meshes) {
  target = fuzz_mesh;
  CHECK(corpus_each("mesh", replay) >= 20);
}

TEST(states) {
  target = fuzz_state;
  CHECK(corpus_each("state", replay) >= 20);
}

TEST(studies) {
  target = fuzz_study;
  CHECK(corpus_each("study", replay) >= 20);
}

TEST(runs) {
  target = fuzz_run;
  CHECK(corpus_each("run", replay) >= 50);
}
