/* fuzzing files of meshes: any bytes are triangles or are refused in words.
 * SPDX-License-Identifier: MIT
 *
 * the first byte: even STL, odd glTF; from 128 on the lengths in the head of a binary glTF are put right. the rest is the file. */
#include "fuzz.h"

#include "draw/maker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* `glTF`, version 2, size of all; then chunks of a size, a kind and so many bytes: the first has what its text needs, the second the rest */
static void put_lengths(uint8_t *file, size_t size) {
  if (size < 20 || memcmp(file, "glTF", 4) != 0) return;
  tn_put_u32(file + 4, 2);
  tn_put_u32(file + 8, (uint32_t)size);
  const uint32_t left = (uint32_t)size - 20;
  uint32_t first = tn_get_u32(file + 12);
  if (first > left) first = left;
  tn_put_u32(file + 12, first);
  if (left - first >= 8) tn_put_u32(file + 20 + first, left - first - 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const size_t n = size - 1;
  uint8_t *file = malloc(n ? n : 1); /* a block of its own: a byte read too far is seen */
  require(file != NULL);
  if (n) memcpy(file, data + 1, n);
  if (data[0] >= 128) put_lengths(file, n);
  purse memory = {(size_t)64 << 20, 10000};
  const tn_allocator allocator = {purse_allocate, purse_release, &memory};
  tn_arena arena;
  tn_triangles t = {0};
  tn_error e;
  tn_arena_init(&arena, &allocator);
  tn_error_clear(&e);
  const tn_status status = (data[0] % 2 ? tn_read_gltf : tn_read_stl)(&arena, "file", file, n, &t, &e);
  if (status == TN_OK) {
    require(t.vertices >= 0 && t.triangles > 0);
    for (int i = 0; i < 3 * t.vertices; i++) {
      require(isfinite((double)t.position[i]));
      if (t.normal) require(fabs((double)t.normal[i]) <= 1.001);
    }
    for (int i = 0; i < 3 * t.triangles; i++) require(t.index[i] < (uint32_t)t.vertices);
  } else {
    require_words(status, &e, SIZE_MAX / 2);
    require(status == TN_E_MODEL || status == TN_E_IO || status == TN_E_MEMORY);
  }
  tn_arena_free(&arena);
  free(file);
  return 0;
}
