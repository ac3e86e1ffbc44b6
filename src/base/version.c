/* The version, and the libraries that it was built with. */
#include "base/base.h"

#ifndef TN_LIBRARIES
#define TN_LIBRARIES "none"
#endif

const char *tn_version(void) { return TN_VERSION; }

int tn_built_with(char *text, size_t size) {
#if defined(__VERSION__)
  const char *compiler = __VERSION__;
#else
  const char *compiler = "unknown compiler";
#endif
#if defined(__clang__)
  const char *name = "";
#elif defined(__GNUC__)
  const char *name = "gcc ";
#else
  const char *name = "";
#endif
#if defined(__SANITIZE_ADDRESS__)
  const char *extra = ", sanitized";
#elif defined(NDEBUG)
  const char *extra = "";
#else
  const char *extra = ", with assertions";
#endif
  return tn_format(text, size, "built with %s%s%s; other libraries: %s", name, compiler, extra, TN_LIBRARIES);
}
