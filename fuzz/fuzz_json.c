/* fuzzing the reader: what is accepted prints, and what was printed reads back and prints the same; what is refused is
 * refused in words, at a place inside the text.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tn_desc *desc;
  tn_error error;
  if (tn_desc_new(NULL, &desc, &error)) return 0;
  tn_status status = tn_desc_parse(desc, "fuzz.json", (const char *)data, size, &error);
  page first = page_of(desc);
  if (status) {
    require_words(status, &error, size);
    require(error.line >= 1 && error.column >= 1 && error.byte >= 0);
    require(first.used == 3); /* {} as before */
  } else {
    require(tn_desc_parse(desc, "again.json", first.text, first.used, &error) == TN_OK);
    page second = page_of(desc);
    require(page_same(&first, &second));
    free(second.text);
  }
  free(first.text);
  tn_desc_free(desc);
  return 0;
}
