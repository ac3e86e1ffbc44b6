/* the documents of the repository, for tests of them: README, CONTRIBUTING and all of docs/. */
#ifndef TN_DOCUMENTS_H
#define TN_DOCUMENTS_H

#include <dirent.h>

#include "test.h"

enum { TN_MOST_DOCUMENTS = 96 };

static inline int tn_by_name(const void *a, const void *b) { return strcmp(a, b); }

/* paths from the root of the repository, in order of names; how many */
static inline int tn_documents(char name[TN_MOST_DOCUMENTS][64]) {
  static const char *const folders[] = {"docs", "docs/design", "docs/papers"};
  char path[1024];
  int n = 0;
  snprintf(name[n++], sizeof name[0], "README.md");
  snprintf(name[n++], sizeof name[0], "CONTRIBUTING.md");
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    snprintf(path, sizeof path, "%s/%s", TN_SOURCE_DIR, folders[i]);
    DIR *folder = opendir(path);
    CHECK(folder != NULL);
    for (struct dirent *d; folder && (d = readdir(folder));) {
      const size_t length = strlen(d->d_name);
      if (length <= 3 || strcmp(d->d_name + length - 3, ".md") != 0) continue;
      CHECK(n < TN_MOST_DOCUMENTS && length < 50);
      if (n < TN_MOST_DOCUMENTS) snprintf(name[n++], sizeof name[0], "%s/%.50s", folders[i], d->d_name);
    }
    if (folder) closedir(folder);
  }
  qsort(name, (size_t)n, sizeof name[0], tn_by_name);
  return n;
}

/* a file of the repository, whole; to be freed. NULL: it cannot be read */
static inline char *tn_read_source(const char *name) {
  char path[1200];
  snprintf(path, sizeof path, "%s/%.100s", TN_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = NULL;
  long size = -1;
  if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  rewind(file);
  if (size >= 0) text = malloc((size_t)size + 1);
  if (text) text[fread(text, 1, (size_t)size, file)] = '\0';
  fclose(file);
  return text;
}

#endif
