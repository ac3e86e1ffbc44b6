/* members of files of studies and sweeps, and the text of a file. */
#include "study/study.h"

#include <errno.h>
#include <stdio.h>

tn_status tn_out_of_memory(tn_error *e) { return tn_fail(e, TN_E_MEMORY, "out of memory"); }

tn_status tn_placed(tn_status status, const tn_node *node, tn_error *e) {
  char pointer[sizeof e->pointer + 4];
  if (status == TN_OK || status == TN_E_MEMORY || e->file[0]) return status;
  tn_node_pointer(node, pointer, sizeof pointer);
  tn_error_at(e, &node->place, pointer);
  return status;
}

tn_status tn_members_known(const tn_node *node, const char *const *known, tn_error *e) {
  if (node->kind != TN_NODE_OBJECT) return tn_node_fail(node, e, TN_E_MODEL, "this has to be an object");
  for (const tn_node *c = node->first; c; c = c->next) {
    int n = 0;
    bool found = tn_node_is_own(c);
    for (; known[n]; n++) found = found || strcmp(known[n], c->key) == 0;
    if (found) continue;
    const char *near = tn_nearest(c->key, n, known);
    tn_node_fail(c, e, TN_E_MODEL, "unknown key '%.64s'", c->key);
    if (near) tn_hint(e, "did you mean '%s'?", near);
    return TN_E_MODEL;
  }
  return TN_OK;
}

tn_status tn_member_text(const tn_node *object, const char *key, const char *otherwise, const char **out, tn_error *e) {
  const tn_node *node = tn_node_get(object, key);
  *out = otherwise;
  if (!node) return otherwise ? TN_OK : tn_node_fail(object, e, TN_E_MODEL, "`%s` is missing", key);
  if (node->kind != TN_NODE_TEXT) return tn_node_fail(node, e, TN_E_MODEL, "`%s` has to be a text", key);
  *out = node->text;
  return TN_OK;
}

tn_status tn_member_number(const tn_node *object, const char *key, double otherwise, double *out, tn_error *e) {
  const tn_node *node = tn_node_get(object, key);
  *out = otherwise;
  if (!node) return TN_OK;
  if (node->kind != TN_NODE_NUMBER) return tn_node_fail(node, e, TN_E_MODEL, "`%s` has to be a number", key);
  *out = node->number;
  return TN_OK;
}

tn_status tn_member_whole(const tn_node *object, const char *key, int otherwise, double lo, double hi, int *out,
                          tn_error *e) {
  double x;
  TN_TRY(tn_member_number(object, key, otherwise, &x, e));
  if (tn_node_get(object, key) && !(x >= lo && x <= hi && x == floor(x)))
    return tn_node_fail(tn_node_get(object, key), e, TN_E_MODEL, "`%s` is a whole number from %g to %g", key, lo, hi);
  *out = (int)x;
  return TN_OK;
}

tn_status tn_member_word(const tn_node *object, const char *key, const char *const *words, int *out, tn_error *e) {
  const char *text;
  tn_status status = tn_member_text(object, key, words[0], &text, e);
  char all[256];
  if (status != TN_OK) return status;
  for (*out = 0; words[*out]; ++*out)
    if (strcmp(words[*out], text) == 0) return TN_OK;
  tn_names_text(all, sizeof all, ", ", *out, words);
  return tn_node_fail(tn_node_get(object, key), e, TN_E_MODEL, "`%s` is '%.64s', and can be %s", key, text, all);
}

int tn_member_count(const tn_node *node) { return node ? (int)node->size : 0; }

tn_status tn_file_from(tn_files files, void *user, const char *path, const char **text, size_t *size, tn_error *e) {
  *size = 0;
  return (*text = files(user, path, size)) ? TN_OK : tn_fail(e, TN_E_IO, "there is no file '%.200s'", path);
}

tn_status tn_file_text(tn_arena *arena, const char *path, char **text, size_t *size, tn_error *e) {
  FILE *file = fopen(path, "rb");
  if (!file) return tn_fail(e, TN_E_IO, "cannot read '%.200s': %s", path, strerror(errno));
  size_t room = 1 << 16, used = 0, n;
  tn_status status = TN_OK;
  char *at = tn_arena_alloc(arena, room);
  while (at && (n = fread(at + used, 1, room - used, file)) > 0) {
    used += n;
    if (used < room) continue;
    if (room > TN_TEXT_MOST) {
      status = tn_fail(e, TN_E_IO, "'%.200s' has more than %zu bytes", path, TN_TEXT_MOST);
      break;
    }
    char *larger = tn_arena_alloc(arena, 2 * room);
    if (larger) memcpy(larger, at, used);
    at = larger;
    room *= 2;
  }
  if (!at)
    status = tn_out_of_memory(e);
  else if (status == TN_OK && ferror(file))
    status = tn_fail(e, TN_E_IO, "cannot read '%.200s'", path);
  fclose(file);
  *text = at;
  *size = used;
  return status;
}
