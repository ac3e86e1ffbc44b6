/* fuzz the reader: whatever is accepted prints, and what was printed reads back and prints the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/tenon.h"

typedef struct page {
  char *text;
  size_t used, room;
} page;

static bool page_write(void *user, const char *text, size_t size) {
  page *p = user;
  if (p->room - p->used < size) {
    size_t room = 2 * (p->used + size);
    char *larger = realloc(p->text, room);
    if (!larger) return false;
    p->text = larger;
    p->room = room;
  }
  memcpy(p->text + p->used, text, size);
  p->used += size;
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tn_desc *desc;
  tn_error error;
  page first = {0}, second = {0};
  if (tn_desc_new(NULL, &desc, &error)) return 0;
  tn_status status = tn_desc_parse(desc, "fuzz.json", (const char *)data, size, &error);
  if (!status) {
    if (tn_desc_print(desc, page_write, &first, &error)) abort();
    if (tn_desc_parse(desc, "again.json", first.text, first.used, &error)) abort();
    if (tn_desc_print(desc, page_write, &second, &error)) abort();
    if (first.used != second.used || memcmp(first.text, second.text, first.used) != 0) abort();
  } else if (!error.message[0] || error.status != status) {
    abort();
  }
  free(first.text);
  free(second.text);
  tn_desc_free(desc);
  return 0;
}
