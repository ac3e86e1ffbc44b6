/* the files of fuzz/corpus/KIND, in the order of their names. */
#ifndef TN_CORPUS_H
#define TN_CORPUS_H

#include <dirent.h>
#include <stdint.h>

#include "test.h"

enum { CORPUS_NAME = 128, CORPUS_FILES = 2000, CORPUS_LARGEST = 4096 };

static int corpus_order(const void *a, const void *b) { return strcmp(a, b); }

static void corpus_path(char path[1024], const char *kind, const char *name) {
  if (snprintf(path, 1024, "%s/fuzz/corpus/%s/%s", TN_SOURCE_DIR, kind, name) >= 1024) abort();
}

/* how many files there are; each is handed out as a block of its own size, so that the sanitizer sees a byte read too far */
static inline int corpus_each(const char *kind, void (*use)(const char *name, const uint8_t *data, size_t size)) {
  static char names[CORPUS_FILES][CORPUS_NAME];
  char path[1024];
  int n = 0;
  corpus_path(path, kind, "");
  DIR *folder = opendir(path);
  if (!folder) {
    FAIL("there is no folder %s", path);
    return 0;
  }
  for (struct dirent *entry; (entry = readdir(folder)) && n < CORPUS_FILES;)
    if (entry->d_name[0] != '.' && strlen(entry->d_name) < CORPUS_NAME) strcpy(names[n++], entry->d_name);
  closedir(folder);
  qsort(names, (size_t)n, CORPUS_NAME, corpus_order);
  for (int i = 0; i < n; i++) {
    static uint8_t text[CORPUS_LARGEST + 1];
    corpus_path(path, kind, names[i]);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (!file || size > CORPUS_LARGEST) FAIL("%s: cannot be read, or has more than %d bytes", path, CORPUS_LARGEST);
    if (file) fclose(file);
    if (!file || size > CORPUS_LARGEST) continue;
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) abort();
    memcpy(exact, text, size);
    use(names[i], exact, size);
    free(exact);
  }
  return n;
}

#endif
