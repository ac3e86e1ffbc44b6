/* files of triangles: STL in both forms, glTF in both; what is wrong with a file is said with its place, and no bytes whatever do harm. */
#include "draw/maker.h"

#include <errno.h>
#include <sys/stat.h>

#include "test.h"

typedef struct bytes {
  size_t n;
  unsigned char at[8192];
} bytes;

static void put(bytes *b, const void *from, size_t n) {
  if (b->n + n > sizeof b->at) abort();
  memcpy(b->at + b->n, from, n);
  b->n += n;
}
static void put_text(bytes *b, const char *text) { put(b, text, strlen(text)); }
static void put_u32(bytes *b, uint32_t x) {
  for (int i = 0; i < 4; i++) put(b, &(unsigned char){(unsigned char)(x >> 8 * i)}, 1);
}
static void put_float(bytes *b, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_u32(b, bits);
}

/* a tetrahedron of edge 1 along the axes: volume 1/6 */
static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static void binary_stl(bytes *b) {
  b->n = 0;
  put(b, "solid, but binary all the same                                                  ", 80);
  put_u32(b, 4);
  for (int f = 0; f < 4; f++) {
    for (int c = 0; c < 3; c++) put_float(b, 0);
    for (int v = 0; v < 3; v++)
      for (int c = 0; c < 3; c++) put_float(b, corner[face[f][v]][c]);
    put(b, "\0\0", 2);
  }
}

static void text_stl(bytes *b) {
  char line[200];
  b->n = 0;
  put_text(b, "solid facet loop vertex\r\n");
  for (int f = 0; f < 4; f++) {
    put_text(b, "  facet normal 0 0 0\n    outer loop\n");
    for (int v = 0; v < 3; v++) {
      const float *p = corner[face[f][v]];
      snprintf(line, sizeof line, "      vertex %.1fe+00 +%g. .%d\n", (double)p[0], (double)p[1], 0);
      if (p[2] != 0) snprintf(line, sizeof line, "VERTEX 0 -0 100e-2\n");
      put_text(b, line);
    }
    put_text(b, "    endloop\n  endfacet\n");
  }
  put_text(b, "endsolid\n");
}

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* positions, then indices as u16: 48 + 24 bytes */
static void buffer_of(bytes *b) {
  b->n = 0;
  for (int v = 0; v < 4; v++)
    for (int c = 0; c < 3; c++) put_float(b, corner[v][c]);
  for (int f = 0; f < 12; f++) put(b, (unsigned char[2]){(unsigned char)face[f / 3][f % 3], 0}, 2);
}

#define REST                                                                                                           \
  "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1],\"translation\":[1,2,3]},"                    \
  "{\"mesh\":0,\"scale\":[2,2,2],\"rotation\":[0,0,0.7071067811865476,0.7071067811865476]}],"                          \
  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"                                   \
  "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"                            \
  "{\"bufferView\":1,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"}],"                                       \
  "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":" \
  "24}]}"

static void gltf(bytes *b) {
  bytes data;
  buffer_of(&data);
  b->n = 0;
  put_text(b, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":72,\"uri\":\"data:application/"
              "octet-stream;base64,");
  for (size_t i = 0; i < data.n; i += 3) {
    const unsigned x = (unsigned)data.at[i] << 16 | (unsigned)data.at[i + 1] << 8 | data.at[i + 2];
    for (int c = 3; c >= 0; c--) put(b, &base64[x >> 6 * c & 63], 1);
  }
  put_text(b, "\"}]," REST);
}

static void glb(bytes *b) {
  bytes data;
  char json[2000] = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":72}]," REST;
  buffer_of(&data);
  while (strlen(json) % 4) strcat(json, " ");
  b->n = 0;
  put_text(b, "glTF");
  put_u32(b, 2);
  put_u32(b, (uint32_t)(28 + strlen(json) + data.n));
  put_u32(b, (uint32_t)strlen(json));
  put_text(b, "JSON");
  put_text(b, json);
  put_u32(b, (uint32_t)data.n);
  put(b, "BIN\0", 4);
  put(b, data.at, data.n);
}

static const struct {
  const char *name;
  void (*make)(bytes *b);
  bool stl;
} kinds[] = {{"binary STL", binary_stl, true}, {"STL", text_stl, true}, {"glTF", gltf, false}, {"GLB", glb, false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static tn_status read_bytes(bool stl, const unsigned char *at, size_t n, tn_arena *arena, tn_triangles *t,
                            tn_error *e) {
  unsigned char *copy = malloc(n ? n : 1); /* its end is where the sanitizer looks */
  if (!copy) abort();
  memcpy(copy, at, n);
  tn_arena_init(arena, NULL);
  tn_error_clear(e);
  const tn_status status = (stl ? tn_read_stl : tn_read_gltf)(arena, "file", copy, n, t, e);
  free(copy);
  return status;
}

static double volume(const tn_triangles *t) {
  double v = 0;
  for (int i = 0; i < t->triangles; i++) {
    double p[3][3];
    for (int c = 0; c < 3; c++)
      for (int x = 0; x < 3; x++) p[c][x] = (double)t->position[3 * t->index[3 * i + c] + (uint32_t)x];
    v += tn_triple3(p[0], p[1], p[2]) / 6;
  }
  return v;
}

TEST(good_files_are_read) {
  for (int i = 0; i < KINDS; i++) {
    bytes b;
    tn_arena arena;
    tn_triangles t;
    tn_error e;
    kinds[i].make(&b);
    if (read_bytes(kinds[i].stl, b.at, b.n, &arena, &t, &e) != TN_OK) {
      FAIL("%s: %s", kinds[i].name, e.message);
      tn_arena_free(&arena);
      continue;
    }
    CHECK(t.triangles == 4);
    CHECK_NEAR(volume(&t), kinds[i].stl ? 1.0 / 6 : 8.0 / 6, 1e-6);
    double low[3] = {INFINITY, INFINITY, INFINITY};
    for (int v = 0; v < 3 * t.vertices; v++) low[v % 3] = fmin(low[v % 3], (double)t.position[v]);
    if (!kinds[i].stl) { /* turned about z by 90 degrees, twice as large, then moved */
      CHECK_NEAR(low[0], -1, 1e-6);
      CHECK_NEAR(low[1], 2, 1e-6);
      CHECK_NEAR(low[2], 3, 1e-6);
    }
    tn_arena_free(&arena);
  }
}

static void refused(bool stl, const bytes *b, const char *message, const char *pointer) {
  tn_arena arena;
  tn_triangles t;
  tn_error e;
  if (read_bytes(stl, b->at, b->n, &arena, &t, &e) == TN_OK) FAIL("it is taken: %s", message);
  CHECK_HAS(e.message, message);
  if (pointer) CHECK_TEXT(e.pointer, pointer);
  tn_arena_free(&arena);
}

TEST(what_is_wrong_with_stl) {
  bytes b;
  binary_stl(&b);
  b.n -= 1;
  refused(true, &b, "a word that STL does not know", NULL); /* it begins with solid */
  memcpy(b.at, "stuff", 5);
  refused(true, &b, "4 triangles need 284 bytes, there are 283 (byte 80)", NULL);
  binary_stl(&b);
  memcpy(b.at + 96, "\0\0\x80\x7f", 4);
  refused(true, &b, "a coordinate is not a finite number (byte 96)", NULL);
  b.n = 3;
  refused(true, &b, "no STL", NULL);
  b.n = 0;
  put_text(&b, "solid x\nendsolid x\n");
  refused(true, &b, "no triangles", NULL);
  b.n = 0;
  put_text(&b, "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n");
  refused(true, &b, "a loop does not have three vertices (byte 62)", NULL);
  b.n = 0;
  put_text(&b, "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e999\n");
  refused(true, &b, "not a finite number (byte 47)", NULL);
  b.n = 0;
  put_text(&b, "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0");
  refused(true, &b, "the file ends inside a vertex", NULL);
}

/* the text of the file with one piece of it in other words */
static void with(bytes *b, const char *old, const char *new) {
  bytes o;
  b->n = 0;
  gltf(&o);
  o.at[o.n] = 0;
  const char *at = strstr((const char *)o.at, old);
  if (!at) {
    FAIL("'%s' is not in the file", old);
    return;
  }
  const size_t before = (size_t)(at - (const char *)o.at);
  put(b, o.at, before);
  put_text(b, new);
  put(b, at + strlen(old), o.n - before - strlen(old));
}

TEST(what_is_wrong_with_gltf) {
  static const struct {
    const char *old, *new, *message, *pointer;
  } cases[] = {
      {"\"count\":4", "\"count\":5", "it reaches past the end of its view", "/accessors/0"},
      {"\"count\":4", "\"count\":0", "`count` must be at least 1", "/accessors/0/count"},
      {"\"count\":4", "\"count\":-1", "`count` is not a whole number", "/accessors/0/count"},
      {"\"count\":4", "\"count\":4e9", "`count` is 4000000000, and at most", "/accessors/0/count"},
      {"\"count\":4", "\"count\":3", "index 5 is 3, and there are 3 vertices", "/meshes/0/primitives/0"},
      {"\"count\":4", "\"x\":4", "`count` is missing", "/accessors/0"},
      {"\"byteLength\":48", "\"byteLength\":480", "past the end of its buffer", "/bufferViews/0"},
      {"\"byteLength\":72", "\"byteLength\":720", "`byteLength` is 720, the buffer has 72 bytes", "/buffers/0"},
      {"\"POSITION\":0", "\"POSITION\":7", "there is no 7 in `accessors`", "/meshes/0/primitives/0/attributes"},
      {"\"VEC3\"", "\"VEC2\"", "`type` must be VEC3 here", "/accessors/0/type"},
      {"5126", "5121", "positions must be floats", "/meshes/0/primitives/0/attributes"},
      {"5123", "5122", "indices must be whole numbers", "/meshes/0/primitives/0"},
      {"\"children\":[1]", "\"children\":[0]", "nodes that are children of two, or of themselves", NULL},
      {"\"children\":[1]", "\"children\":[1,1]", "nodes that are children of two, or of themselves", NULL},
      {"\"children\":[1]", "\"children\":[9]", "there is no 9 in `nodes`", "/nodes/0/children/0"},
      {"\"mesh\":0,", "", "no triangles", ""},
      {"data:application/octet-stream;base64,", "other.bin", "only buffers in the file itself are read",
       "/buffers/0/uri"},
      {"base64,A", "base64,!", "a character that base64 does not have", "/buffers/0/uri"},
      {"\"scene\":0", "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"scene\":0",
       "'KHR_draco_mesh_compression', which is not read", "/extensionsRequired/0"},
      {"\"scale\":[2,2,2]", "\"scale\":[2,2]", "a list of another length", "/nodes/1/scale"},
      {"\"scale\":[2,2,2]", "\"scale\":[1e300,1,1]", "beyond all bounds", "/meshes/0/primitives/0"},
      {"\"asset\"", "asset", "", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bytes b;
    with(&b, cases[i].old, cases[i].new);
    refused(false, &b, cases[i].message, cases[i].pointer);
  }
  bytes b;
  glb(&b);
  b.at[4] = 1;
  refused(false, &b, "version 1 of glTF, 2 is read (byte 4)", NULL);
  glb(&b);
  b.n -= 10;
  refused(false, &b, "bytes announced, there are", NULL);
  glb(&b);
  b.at[14] = 9;
  refused(false, &b, "the first chunk reaches past the end (byte 12)", NULL);
  glb(&b);
  b.n = 12;
  refused(false, &b, "the file ends in its head (byte 12)", NULL);
}

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* files with bytes changed, cut, doubled, moved: read or refused in words, and every index is one of a vertex */
static void mutate(long rounds) {
  uint64_t state = 1;
  long taken = 0;
  for (long n = 0; n < rounds; n++) {
    const int kind = (int)(n % KINDS);
    bytes b;
    tn_arena arena;
    tn_triangles t;
    tn_error e;
    kinds[kind].make(&b);
    for (uint32_t change = 1 + next_random(&state) % 4; change && b.n; change--) {
      const size_t at = next_random(&state) % b.n;
      static const unsigned char liked[] = {0,   1,   0x7f, 0x80, 0xff, '0', '9', '-',
                                            '[', ']', '{',  '}',  '"',  ',', 'e', ' '};
      switch (next_random(&state) % 6) {
      case 0: b.at[at] = (unsigned char)next_random(&state); break;
      case 1: b.at[at] = liked[next_random(&state) % sizeof liked]; break;
      case 2: b.at[at] ^= (unsigned char)(1u << next_random(&state) % 8); break;
      case 3: b.n = at; break;
      case 4: {
        size_t m = next_random(&state) % 64;
        if (m > b.n - at) m = b.n - at;
        if (b.n + m > sizeof b.at) break;
        memmove(b.at + at + m, b.at + at, b.n - at);
        b.n += m;
        break;
      }
      default: {
        size_t m = next_random(&state) % 64;
        if (m > b.n - at) m = b.n - at;
        memmove(b.at + at, b.at + at + m, b.n - at - m);
        b.n -= m;
      }
      }
    }
    const tn_status status = read_bytes(kinds[kind].stl, b.at, b.n, &arena, &t, &e);
    if (status == TN_OK) {
      taken++;
      CHECK(t.triangles > 0 && t.vertices > 0);
      for (int i = 0; i < 3 * t.triangles; i++) CHECK(t.index[i] < (uint32_t)t.vertices);
      for (int i = 0; i < 3 * t.vertices; i++) CHECK(isfinite(t.position[i]));
    } else {
      CHECK(status == TN_E_MODEL && strlen(e.message) > 5);
    }
    tn_arena_free(&arena);
  }
  CHECK(taken > rounds / 100 && taken < rounds);
}

TEST(no_bytes_do_harm) { mutate(40000); }
TEST_LONG(no_bytes_do_harm_for_long) { mutate(4000000); }

/* ---- through a model ---- */

static void save(const char *path, const bytes *b, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(b->at, 1, n, f) != n || fclose(f) != 0) abort();
}

TEST(a_model_finds_its_meshes_in_its_folder) {
  static const char *const text =
      "{\"tenon\":1,\"dimension\":3,\"bodies\":{\"a\":{\"mass\":1,\"inertia\":[1,1,1],\"draw\":[{\"mesh\":\"part.stl\","
      "\"scale\":\"10*mm\",\"at\":[1,0,0],\"color\":\"#102030\"},{\"mesh\":\"part.stl\",\"scale\":0.01},"
      "{\"mesh\":\"part.glb\"},{\"mesh\":\"bad.stl\"}]}}}";
  bytes b;
  tn_desc *desc;
  tn_model *m;
  tn_drawing *d;
  tn_error e;
  if (mkdir("parts", 0777) != 0 && errno != EEXIST) abort();
  binary_stl(&b);
  save("parts/part.stl", &b, b.n);
  save("parts/bad.stl", &b, b.n - 7);
  glb(&b);
  save("parts/part.glb", &b, b.n);
  CHECK(tn_desc_new(NULL, &desc, &e) == TN_OK && tn_desc_parse(desc, "m.json", text, strlen(text), &e) == TN_OK);
  CHECK(tn_compile(desc, &m, &e) == TN_OK);
  CHECK(tn_drawing_new(m, &(tn_picture){false, "parts", true, NULL}, &d, &e) == TN_E_MODEL && !d);
  CHECK_HAS(e.message, "body 'a': mesh 'bad.stl': a word that STL does not know");
  CHECK_TEXT(e.pointer, "/bodies/a/draw/3/mesh");
  CHECK(tn_drawing_new(m, &(tn_picture){false, "parts/", false, NULL}, &d, &e) == TN_OK);
  CHECK(d->shapes == 3 && d->solids == 2 && d->remarks == 1); /* the same file at the same scale is one solid */
  CHECK_HAS(d->remark[0], "bad.stl");
  CHECK(d->shape[0].mesh == d->shape[1].mesh && d->shape[0].at[0] == 1 && d->shape[0].color == 0x102030);
  float most = 0, up = 0;
  for (int i = 0; i < 3 * d->solid[0].vertices; i++) most = fmaxf(most, d->solid[0].position[i]);
  CHECK_NEAR((double)most, 0.01, 1e-7);
  /* of glTF y is up: what is 2 to 4 m up there is so along z here */
  for (int i = 0; i < d->solid[1].vertices; i++) up = fmaxf(up, d->solid[1].position[3 * i + 2]);
  CHECK_NEAR((double)up, 4, 1e-6);
  tn_drawing_free(d);
  tn_model_free(m);
  tn_desc_free(desc);
}
