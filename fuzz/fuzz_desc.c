/* fuzzing the calls that build and change a description. a call that fails says why and leaves the description as it was;
 * after every call it prints, and what is printed reads back the same.
 * SPDX-License-Identifier: MIT
 *
 * the input is a list of lines, each a letter, a pointer, a blank and a value:
 *   n number   v numbers   t text   j JSON   p part   r remove   h ask and remove
 *   l a whole text   c compile   f so many blocks of memory left */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_LINES = 24, MOST_NUMBERS = 8, MANY = 1000000 };

static tn_status numbers_of(tn_desc *desc, const char *pointer, char *value, tn_error *e) {
  double numbers[MOST_NUMBERS];
  int n = 0;
  for (char *end; n < MOST_NUMBERS; value = end) {
    numbers[n] = strtod(value, &end);
    if (end == value) break;
    n++;
    end += *end == ',';
  }
  return tn_desc_numbers(desc, pointer, n, numbers, e);
}

static tn_status compiled_by_calls(const tn_desc *desc, tn_error *e) {
  tn_model *model = NULL;
  tn_status status = tn_compile(desc, &model, e);
  require((status == TN_OK) == (model != NULL));
  tn_model_free(model);
  return status;
}

/* one call; *puts: it was to put a value where the pointer says */
static tn_status called(tn_desc *desc, purse *memory, char letter, const char *pointer, char *value, bool *puts,
                        tn_error *e) {
  *puts = letter && strchr("nvtjp", letter);
  switch (letter) {
  case 'n': return tn_desc_number(desc, pointer, strtod(value, NULL), e);
  case 'v': return numbers_of(desc, pointer, value, e);
  case 't': return tn_desc_text(desc, pointer, value, e);
  case 'j': return tn_desc_json(desc, pointer, value, e);
  case 'p': return tn_desc_part(desc, pointer, value, e);
  case 'r': tn_desc_remove(desc, pointer); return TN_OK;
  case 'l': return tn_desc_parse(desc, "line.json", value, strlen(value), e);
  case 'c': return compiled_by_calls(desc, e);
  case 'f': memory->blocks = strtol(value, NULL, 10); return TN_OK;
  default: return TN_OK;
  }
}

static bool appends(const char *pointer) {
  size_t n = strlen(pointer);
  return n >= 2 && pointer[n - 2] == '/' && pointer[n - 1] == '-';
}

/* one line, without its end, as text of its own */
static void do_line(tn_desc *desc, purse *memory, char *line) {
  char letter = line[0], *pointer = line + (letter != 0), *value = strchr(pointer, ' ');
  if (value)
    *value++ = 0;
  else
    value = pointer + strlen(pointer);
  page before = page_of(desc);
  tn_error e;
  bool puts;
  tn_status status = called(desc, memory, letter, pointer, value, &puts, &e);
  page after = page_of(desc);
  if (status) {
    require_words(status, &e, SIZE_MAX / 2);
    require(status == TN_E_USAGE || status == TN_E_MODEL || status == TN_E_MEMORY);
    /* without memory a word may have become an object with that type, which says the same */
    require(status == TN_E_MEMORY || page_same(&before, &after));
    require(!puts || status == TN_E_USAGE || status == TN_E_MEMORY || letter == 'j');
  } else if (puts) {
    require(appends(pointer) || tn_desc_has(desc, pointer));
  }
  if (letter == 'h') {
    bool has = tn_desc_has(desc, pointer);
    tn_desc_remove(desc, pointer);
    page rest = page_of(desc);
    require(has != page_same(&after, &rest));
    free(rest.text);
  }
  free(before.text);
  free(after.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  purse memory = {(size_t)32 << 20, MANY};
  const tn_allocator allocator = {purse_allocate, purse_release, &memory};
  tn_desc *desc, *again;
  tn_error e;
  require(tn_desc_new(&allocator, &desc, &e) == TN_OK && tn_desc_new(NULL, &again, &e) == TN_OK);
  size_t at = 0;
  for (int k = 0; k < MOST_LINES && at < size; k++) {
    const uint8_t *end = memchr(data + at, '\n', size - at);
    size_t n = end ? (size_t)(end - data) - at : size - at;
    char *line = malloc(n + 1);
    require(line != NULL);
    memcpy(line, data + at, n);
    line[n] = 0;
    do_line(desc, &memory, line);
    free(line);
    at += n + 1;
  }
  page first = page_of(desc);
  require(tn_desc_parse(again, "again.json", first.text, first.used, &e) == TN_OK);
  page second = page_of(again);
  require(page_same(&first, &second));
  free(first.text);
  free(second.text);
  tn_desc_free(again);
  tn_desc_free(desc);
  return 0;
}
