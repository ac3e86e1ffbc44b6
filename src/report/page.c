/* a page: one HTML file that holds everything it shows, viewer/src/page.ts says what. names come from outside: in the data every `<`
 * is written as \u003c, so that nothing in it can end the element that holds it. */
#include "report/report.h"

static const tn_bundle *bundle_of(const char *kind) {
  for (const tn_bundle *b = tn_bundles; b->kind; b++)
    if (strcmp(b->kind, kind) == 0) return b;
  return NULL;
}

bool tn_has_pages(const char **missing) {
  if (missing) *missing = tn_bundles_missing;
  return tn_bundles[0].kind != NULL;
}

static tn_status cannot_write(tn_error *e) { return tn_fail(e, TN_E_IO, "the page could not be written"); }

/* as text between tags */
static void put_text(tn_printer *p, const char *text, const char *hidden) {
  if (*hidden && strncmp(text, hidden, strlen(hidden)) == 0) text += strlen(hidden);
  for (const char *at = text; *at && !p->failed;) {
    const size_t plain = strcspn(at, "<>&\"");
    if (plain && !p->write(p->user, at, plain)) p->failed = true;
    at += plain;
    if (*at) tn_put(p, "&#%d;", *at++);
  }
}

/* the folder of an absolute path */
static void hide(tn_page *p, const char *path) {
  const char *slash = path && *path == '/' ? strrchr(path, '/') : NULL;
  if (slash > path) tn_format(p->hidden, sizeof p->hidden, "%.*s", (int)(slash - path) + 1, path);
}

tn_status tn_page_begin(tn_page *p, tn_write write, void *user, const char *kind, const char *path, const char *title,
                        tn_error *e) {
  *p = (tn_page){.out = {.write = write, .user = user}, .bundle = bundle_of(kind)};
  hide(p, path);
  if (!p->bundle) {
    tn_fail(e, TN_E_USAGE, "pages are left out of this Tenon: %s", tn_bundles_missing);
    return tn_hint(e, "with npm on the path, build it again"), TN_E_USAGE;
  }
  tn_put(&p->out,
         "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"generator\" content=\"Tenon " TN_VERSION "\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
         p->bundle->policy);
  put_text(&p->out, title, p->hidden);
  tn_put(&p->out, "</title>\n<style>");
  if (!write(user, (const char *)p->bundle->css, p->bundle->css_size)) p->out.failed = true;
  tn_put(&p->out, "</style>\n</head>\n<body>\n<noscript>This page draws itself: it needs JavaScript.</noscript>\n");
  return p->out.failed ? cannot_write(e) : TN_OK;
}

static bool without_tags(void *user, const char *text, size_t n) {
  tn_page *p = user;
  for (size_t i = 0; i < n && !p->out.failed;) {
    const char *tag = memchr(text + i, '<', n - i);
    const size_t plain = tag ? (size_t)(tag - text) - i : n - i;
    if (plain && !p->out.write(p->out.user, text + i, plain)) p->out.failed = true;
    i += plain;
    if (tag && !p->out.failed) tn_put(&p->out, "\\u003c"), i++;
  }
  return !p->out.failed;
}

tn_json *tn_page_data(tn_page *p) {
  tn_put(&p->out, "<script id=\"data\" type=\"application/json\">");
  p->json = (tn_json){.write = without_tags, .user = p, .hidden = *p->hidden ? p->hidden : NULL};
  return &p->json;
}

void tn_page_data_end(tn_page *p) {
  if (p->json.failed) p->out.failed = true;
  tn_put(&p->out, "</script>\n");
}

void tn_shell_word(char *to, size_t size, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  size_t n = 0;
  if (*word && !word[strspn(word, plain)]) {
    tn_format(to, size, "%s", word);
    return;
  }
  to[n++] = '\'';
  for (; *word && n + 6 < size; word++) {
    if (*word == '\'')
      n += (size_t)tn_format(to + n, size - n, "'\\''");
    else
      to[n++] = *word;
  }
  tn_format(to + n, size - n, "'");
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

void tn_page_bytes(tn_page *p, const char *id) {
  tn_put(&p->out, "<script id=\"%s\" type=\"text/plain\">", id);
  p->held = 0;
  p->used = 0;
}

static void put_coded(tn_page *p, uint32_t three, int bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 4; i++) p->coded[p->used++] = i <= bytes ? digits[three >> (18 - 6 * i) & 63] : '=';
  if (p->used < sizeof p->coded) return;
  if (!p->out.failed && !p->out.write(p->out.user, p->coded, p->used)) p->out.failed = true;
  p->used = 0;
}

static void put_byte(tn_page *p, unsigned char byte) {
  p->three[p->held++] = byte;
  if (p->held < 3) return;
  put_coded(p, (uint32_t)p->three[0] << 16 | (uint32_t)p->three[1] << 8 | p->three[2], 3);
  p->held = 0;
}

void tn_page_u32(tn_page *p, uint32_t bits) {
  for (int i = 0; i < 4; i++) put_byte(p, (unsigned char)(bits >> (8 * i)));
}

void tn_page_f32(tn_page *p, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  tn_page_u32(p, bits);
}

void tn_page_f64(tn_page *p, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  tn_page_u32(p, (uint32_t)bits);
  tn_page_u32(p, (uint32_t)(bits >> 32));
}

void tn_page_bytes_end(tn_page *p) {
  const uint32_t three = (uint32_t)p->three[0] << 16 | (p->held > 1 ? (uint32_t)p->three[1] << 8 : 0);
  if (p->held) put_coded(p, three, p->held);
  if (p->used && !p->out.failed && !p->out.write(p->out.user, p->coded, p->used)) p->out.failed = true;
  p->used = 0;
  tn_put(&p->out, "</script>\n");
}

tn_status tn_page_end(tn_page *p, tn_error *e) {
  tn_put(&p->out, "<script>");
  if (!p->out.failed && !p->out.write(p->out.user, (const char *)p->bundle->js, p->bundle->js_size))
    p->out.failed = true;
  tn_put(&p->out, "</script>\n</body>\n</html>\n");
  return p->out.failed ? cannot_write(e) : TN_OK;
}
