/* texts as they are shown: what a terminal would obey, what turns the direction of writing and what is not UTF-8 is escaped; everything
 * else stands as it is. */
#include "base/base.h"
#include "test.h"

static size_t utf8_of(unsigned code, char text[5]) {
  size_t n = 0;
  if (code < 0x80) {
    text[n++] = (char)code;
  } else if (code < 0x800) {
    text[n++] = (char)(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    text[n++] = (char)(0xe0 | code >> 12);
    text[n++] = (char)(0x80 | (code >> 6 & 0x3f));
  } else {
    text[n++] = (char)(0xf0 | code >> 18);
    text[n++] = (char)(0x80 | (code >> 12 & 0x3f));
    text[n++] = (char)(0x80 | (code >> 6 & 0x3f));
  }
  if (code >= 0x80) text[n++] = (char)(0x80 | (code & 0x3f));
  text[n] = 0;
  return n;
}

/* the list of the documents, apart from the one in src */
static bool is_bad(unsigned c) {
  static const unsigned marks[] = {0x61c,  0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c,
                                   0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x7f};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (marks[i] == c) return true;
  return c < 0x20 || (c >= 0x80 && c <= 0x9f);
}

TEST(every_character_is_shown_or_escaped) {
  int wrong = 0, escaped = 0;
  for (unsigned code = 1; code <= 0x10ffff; code++) {
    char text[5], shown[16], wanted[16];
    if (code >= 0xd800 && code < 0xe000) continue;
    utf8_of(code, text);
    const int n = tn_show(shown, sizeof shown, text);
    snprintf(wanted, sizeof wanted, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
    if (code == '\n' || code == '\t' || code == '\r' || code == '\b' || code == '\f')
      snprintf(wanted, sizeof wanted, "\\%c",
               code == '\n'   ? 'n'
               : code == '\t' ? 't'
               : code == '\r' ? 'r'
               : code == '\b' ? 'b'
                              : 'f');
    wrong += strcmp(shown, is_bad(code) ? wanted : text) != 0 || n != (int)strlen(shown);
    escaped += shown[0] == '\\' && shown[1];
  }
  CHECK(wrong == 0);
  CHECK(escaped == 31 + 33 + 14);
}

TEST(bytes_that_are_not_utf8_are_escaped_one_by_one) {
  char shown[64];
  tn_show(shown, sizeof shown,
          "a\xff\xc3(\xed\xa0\x80\x9b"
          "b");
  CHECK_TEXT(shown, "a\\xff\\xc3(\\xed\\xa0\\x80\\x9b"
                    "b");
}

TEST(what_was_shown_is_shown_the_same_again) {
  char once[64], twice[64];
  tn_show(once, sizeof once, "C:\\new\x1b[31m \xe2\x80\xae \xff");
  tn_show(twice, sizeof twice, once);
  CHECK_TEXT(once, "C:\\new\\x1b[31m \\u202e \\xff");
  CHECK_TEXT(twice, once);
}

TEST(a_cut_is_between_characters) {
  char shown[8];
  CHECK(tn_show(shown, 5,
                "ab\x1b"
                "c") == 7);
  CHECK_TEXT(shown, "ab");
  CHECK(tn_show(shown, 4, "ab\xc3\xa4") == 4);
  CHECK_TEXT(shown, "ab");
  CHECK(tn_show(NULL, 0, "ab\n") == 4 && tn_show(shown, 1, "a") == 1 && !*shown && tn_show(shown, 8, NULL) == 0);
}

static void formatted(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tn_vformat_shown(text, size, format, arguments);
  va_end(arguments);
}

TEST(a_format_shows_its_texts_and_keeps_its_own_lines) {
  char text[80];
  formatted(text, sizeof text, "%s:\n%-8s|%8s|%.2s\n", "a\nb", "\x1b", "\x9b", "\n\n\n");
  CHECK_TEXT(text, "a\\nb:\n\\x1b    |    \\x9b|\\n\\n\n");
}
