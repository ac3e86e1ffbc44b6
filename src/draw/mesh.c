/* Files of triangles: finding them, reading them up to a largest size, and the two forms of STL. Every count is checked against the size
 * of the file before memory is allocated for it.
 *   binary  80 bytes, u32 n, then n times 12 floats (normal, three corners) and 2 bytes; little endian
 *   text    solid .. facet normal x y z outer loop vertex x y z (three times) endloop endfacet .. endsolid */
#define _POSIX_C_SOURCE 200809L /* stat */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "draw/maker.h"

#define MOST_BYTES ((size_t)64 << 20)

/* ---- STL ---- */

static tn_status bad(tn_error *e, size_t byte, const char *what) {
  return tn_fail(e, TN_E_MODEL, "%s (byte %zu)", what, byte);
}

static tn_status no_memory(tn_error *e) { return tn_fail(e, TN_E_MEMORY, "out of memory"); }

static bool make_room(tn_arena *arena, size_t triangles, tn_triangles *t) {
  t->position = tn_arena_alloc(arena, 9 * sizeof *t->position * triangles);
  t->index = tn_arena_alloc(arena, 3 * sizeof *t->index * triangles);
  return t->position && t->index;
}

static tn_status read_binary(tn_arena *arena, const unsigned char *bytes, size_t n, tn_triangles *t, tn_error *e) {
  if (!make_room(arena, n, t)) return no_memory(e);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 9; c++) {
      const size_t at = 84 + 50 * i + 12 + 4 * c;
      const uint32_t bits = tn_u32_at(bytes + at);
      memcpy(&t->position[9 * i + c], &bits, sizeof bits);
      if (!isfinite(t->position[9 * i + c])) return bad(e, at, "a coordinate is not a finite number");
    }
  t->triangles = (int)n;
  return TN_OK;
}

typedef struct words {
  const char *s;
  size_t n, at, start, length; /* the word at hand */
} words;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

static bool next_word(words *w) {
  while (w->at < w->n && is_blank(w->s[w->at])) w->at++;
  w->start = w->at;
  while (w->at < w->n && !is_blank(w->s[w->at])) w->at++;
  w->length = w->at - w->start;
  return w->length > 0;
}

static bool word_is(const words *w, const char *word) {
  if (strlen(word) != w->length) return false;
  for (size_t i = 0; i < w->length; i++) {
    const char c = w->s[w->start + i], lower = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    if (lower != word[i]) return false;
  }
  return true;
}

/* the locale plays no part, and `.5`, `1.` and `+1` are numbers too */
static bool number_of(const words *w, float *value) {
  const char *s = w->s + w->start, *end = s + w->length;
  const bool minus = s < end && *s == '-';
  double x = 0;
  int digits = 0, shift = 0, power = 0;
  if (s < end && (*s == '-' || *s == '+')) s++;
  for (bool point = false; s < end && ((*s >= '0' && *s <= '9') || (*s == '.' && !point)); s++) {
    if (*s == '.') {
      point = true;
      continue;
    }
    digits++;
    if (x < 1e17)
      x = 10 * x + (*s - '0'), shift -= point;
    else
      shift += !point;
  }
  if (!digits) return false;
  if (s < end && (*s == 'e' || *s == 'E')) {
    const bool down = ++s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    if (s == end) return false;
    for (; s < end && *s >= '0' && *s <= '9'; s++)
      if (power < 10000) power = 10 * power + (*s - '0');
    if (down) power = -power;
  }
  const double y = x * pow(10, shift + power);
  *value = (float)(minus ? -y : y);
  return s == end && isfinite(*value);
}

static tn_status read_text(tn_arena *arena, const unsigned char *bytes, size_t size, tn_triangles *t, tn_error *e) {
  words w = {(const char *)bytes, size, 0, 0, 0};
  size_t corners = 0, room = 0;
  /* no facet is shorter than its words, so the size of the file bounds their number */
  for (words c = w; next_word(&c);) room += word_is(&c, "vertex");
  if (!make_room(arena, room / 3 + 1, t)) return no_memory(e);
  int in_loop = -1; /* corners in it so far; -1: outside */
  while (next_word(&w)) {
    if (word_is(&w, "solid") || word_is(&w, "endsolid")) {
      if (in_loop >= 0) return bad(e, w.start, "a loop is not closed");
      while (w.at < size && w.s[w.at] != '\n') w.at++; /* its name */
    } else if (word_is(&w, "loop")) {
      if (in_loop >= 0) return bad(e, w.start, "a loop in a loop");
      in_loop = 0;
    } else if (word_is(&w, "endloop")) {
      if (in_loop != 3) return bad(e, w.start, "a loop does not have three vertices");
      in_loop = -1;
    } else if (word_is(&w, "vertex")) {
      if (in_loop < 0 || in_loop >= 3) return bad(e, w.start, "a vertex that is not one of the three of a loop");
      for (size_t c = 0; c < 3; c++) {
        const size_t at = w.at;
        if (!next_word(&w)) return bad(e, at, "the file ends inside a vertex");
        if (!number_of(&w, &t->position[3 * corners + c]))
          return bad(e, w.start, "a coordinate is not a finite number");
      }
      corners++;
      in_loop++;
    } else if (word_is(&w, "normal")) {
      for (int c = 0; c < 3; c++) next_word(&w); /* it follows from the corners */
    } else if (!word_is(&w, "facet") && !word_is(&w, "outer") && !word_is(&w, "endfacet")) {
      return bad(e, w.start, "a word that STL does not know");
    }
  }
  if (in_loop >= 0) return bad(e, size, "the file ends inside a loop");
  t->triangles = (int)(corners / 3);
  return TN_OK;
}

tn_status tn_read_stl(tn_arena *arena, const char *name, const unsigned char *bytes, size_t size, tn_triangles *t,
                      tn_error *e) {
  (void)name;
  *t = (tn_triangles){0};
  const uint32_t n = size >= 84 ? tn_u32_at(bytes + 80) : 0;
  tn_status status;
  if (size >= 84 && (uint64_t)size == 84 + 50 * (uint64_t)n) {
    status = read_binary(arena, bytes, n, t, e);
  } else if (size >= 5 && memcmp(bytes, "solid", 5) == 0) {
    status = read_text(arena, bytes, size, t, e);
  } else if (size >= 84) {
    return tn_fail(e, TN_E_MODEL, "%u triangles need %" PRIu64 " bytes, there are %zu (byte 80)", (unsigned)n,
                   84 + 50 * (uint64_t)n, size);
  } else {
    return bad(e, size, "no STL: it begins with `solid`, or has 84 bytes at least");
  }
  if (status != TN_OK) return status;
  if (!t->triangles) return bad(e, size, "no triangles");
  t->vertices = 3 * t->triangles;
  for (int i = 0; i < t->vertices; i++) t->index[i] = (uint32_t)i;
  return TN_OK;
}

/* ---- files ---- */

/* all of a file in the arena */
static tn_status read_file(tn_arena *arena, const char *path, unsigned char **bytes, size_t *size, tn_error *e) {
  struct stat s;
  if (stat(path, &s) == 0 && !S_ISREG(s.st_mode)) return tn_fail(e, TN_E_IO, "is not a file"); /* a pipe would wait */
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return tn_fail(e, TN_E_IO, "cannot be opened: %s", strerror(errno));
  size_t room = 0;
  *size = 0;
  *bytes = NULL;
  for (;;) {
    if (*size == room) {
      const size_t more = room ? 2 * room : (size_t)1 << 16;
      unsigned char *larger = room > MOST_BYTES ? NULL : tn_arena_alloc(arena, more);
      if (!larger) {
        fclose(file);
        return room > MOST_BYTES ? tn_fail(e, TN_E_MODEL, "has more than %zu bytes", MOST_BYTES) : no_memory(e);
      }
      if (*size) memcpy(larger, *bytes, *size);
      *bytes = larger;
      room = more;
    }
    errno = 0;
    const size_t got = fread(*bytes + *size, 1, room - *size, file);
    *size += got;
    if (got) continue;
    const bool failed = ferror(file);
    const int why = errno;
    fclose(file);
    if (failed) return tn_fail(e, TN_E_IO, "cannot be read: %s", strerror(why));
    if (*size > MOST_BYTES) return tn_fail(e, TN_E_MODEL, "has more than %zu bytes", MOST_BYTES);
    return TN_OK;
  }
}

static bool ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static tn_status read_mesh(tn_maker *k, tn_arena *arena, const tn_draw *g, tn_triangles *t, tn_error *e) {
  const bool inside = k->folder && *k->folder && g->file[0] != '/';
  const size_t n = strlen(g->file) + (inside ? strlen(k->folder) + 1 : 0) + 1;
  char *path = tn_arena_alloc(arena, n);
  unsigned char *bytes = NULL;
  size_t size = 0;
  if (!path) return no_memory(e);
  tn_format(path, n, "%s%s%s", inside ? k->folder : "", inside ? "/" : "", g->file);
  TN_TRY(read_file(arena, path, &bytes, &size, e));
  if (ends_with(g->file, ".stl") || ends_with(g->file, ".STL"))
    TN_TRY(tn_read_stl(arena, g->file, bytes, size, t, e));
  else
    TN_TRY(tn_read_gltf(arena, g->file, bytes, size, t, e));
  for (int i = 0; i < 3 * t->vertices; i++)
    if (!isfinite((float)(g->scale * (double)t->position[i])))
      return tn_fail(e, TN_E_MODEL, "scaled, a coordinate is beyond all bounds");
  if (k->m->dimension == 3 && !ends_with(g->file, ".stl") && !ends_with(g->file, ".STL"))
    for (int i = 0; i < t->vertices; i++) /* of glTF y is up, here it is z */
      for (int a = 0; a < 2; a++) {
        float *p = (a ? t->normal : t->position);
        if (!p) continue;
        p += 3 * i;
        const float y = p[1];
        p[1] = -p[2];
        p[2] = y;
      }
  return TN_OK;
}

/* the outline from above: the hull */
static void draw_shadow(tn_maker *k, const tn_draw *g, const tn_triangles *t) {
  double(*p)[2] = tn_maker_alloc(k, sizeof *p * (size_t)t->vertices);
  if (!p) return;
  for (int i = 0; i < t->vertices; i++)
    for (int c = 0; c < 2; c++) p[i][c] = g->scale * (double)t->position[3 * i + c];
  tn_outline_start(&k->outline);
  tn_outline_hull(k, &k->outline, t->vertices, p, 0);
  tn_piece_plate(k, g->body, g->body < 0 ? TN_ROLE_GROUND : TN_ROLE_GIVEN, g->color, &k->outline, g->at, g->A, 0, 1);
}

tn_status tn_draw_mesh(tn_maker *k, const tn_draw *g) {
  int solid = k->flat ? -1 : tn_solid_named(k, g->file, g->scale);
  if (solid < 0) {
    tn_arena arena;
    tn_triangles t = {0};
    tn_error inner;
    tn_arena_init(&arena, &k->arena->allocator);
    tn_error_clear(&inner);
    tn_status status = read_mesh(k, &arena, g, &t, &inner);
    if (status == TN_OK && k->flat) draw_shadow(k, g, &t);
    if (status == TN_OK && !k->flat) {
      solid = tn_solid_mesh(k, g->file, g->scale, &t);
      if (solid == -1 && !k->failed) status = tn_fail(&inner, TN_E_MODEL, "none of its triangles has a face");
    }
    tn_arena_free(&arena);
    if (status == TN_E_MEMORY) return no_memory(k->e);
    if (status != TN_OK) {
      const char *where = *inner.pointer ? ", at " : "", *name = g->body < 0 ? "ground" : k->m->body[g->body].name;
      if (k->strict)
        return tn_node_fail(tn_node_get(g->node, "mesh"), k->e, status, "%s '%s': mesh '%.160s': %.200s%s%.100s",
                            g->body < 0 ? "scene" : "body", name, g->file, inner.message, where, inner.pointer);
      tn_maker_remark(k, "%s: mesh '%.160s': %.200s%s%.100s", name, g->file, inner.message, where, inner.pointer);
      return TN_OK;
    }
  }
  if (!k->flat) tn_piece_solid(k, g->body, g->body < 0 ? TN_ROLE_GROUND : TN_ROLE_GIVEN, g->color, solid, g->at, g->A);
  return TN_OK;
}
