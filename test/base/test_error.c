/* messages, their one-line form, and the nearest name. */
#include "base/base.h"
#include "test.h"

static const char *line_of(const tn_error *e) {
  static char text[2048];
  tn_error_text(e, text, sizeof text);
  return text;
}

TEST(fail_sets_message_and_clears_the_rest) {
  tn_error e;
  memset(&e, 'x', sizeof e);
  CHECK(tn_fail(&e, TN_E_MODEL, "joint '%s': %d", "knee", 3) == TN_E_MODEL);
  CHECK(e.status == TN_E_MODEL);
  CHECK_TEXT(e.message, "joint 'knee': 3");
  CHECK_TEXT(e.hint, "");
  CHECK_TEXT(e.pointer, "");
  CHECK_TEXT(e.file, "");
  CHECK(e.byte == -1 && e.line == 0 && e.column == 0 && isnan(e.time));
}

TEST(no_error_to_fill_is_fine) {
  tn_place place = {"f", 1, 2, 3};
  char text[8] = "?";
  tn_error_clear(NULL);
  CHECK(tn_fail(NULL, TN_E_IO, "%d", 1) == TN_E_IO);
  tn_hint(NULL, "%d", 1);
  tn_error_at(NULL, &place, "/a");
  CHECK(tn_error_text(NULL, text, sizeof text) == 0);
  CHECK_TEXT(text, "");
}

TEST(a_message_may_quote_the_one_before) {
  tn_error e;
  tn_fail(&e, TN_E_MODEL, "inner");
  tn_hint(&e, "h");
  tn_fail(&e, TN_E_MODEL, "outer: %s", e.message);
  CHECK_TEXT(e.message, "outer: inner");
  CHECK_TEXT(e.hint, "");
  tn_hint(&e, "a");
  tn_hint(&e, "%s%s", e.hint, "b");
  CHECK_TEXT(e.hint, "ab");
}

TEST(line_holds_the_pieces_there_are) {
  tn_error e;
  tn_fail(&e, TN_E_MODEL, "joint 'knee': axis has zero length");
  CHECK_TEXT(line_of(&e), "joint 'knee': axis has zero length");
  tn_error_at(&e, NULL, "/joints/knee/axis");
  CHECK_TEXT(line_of(&e), "joint 'knee': axis has zero length (at /joints/knee/axis)");
  tn_error_at(&e, &(tn_place){"leg.json", 900, 41, 15}, NULL);
  CHECK_TEXT(line_of(&e), "joint 'knee': axis has zero length (leg.json:41:15)");
  CHECK_TEXT(e.pointer, "/joints/knee/axis");
  CHECK(e.byte == 900);
  e.time = 0.25;
  CHECK_TEXT(line_of(&e), "joint 'knee': axis has zero length (leg.json:41:15) at t = 0.25 s");
  tn_hint(&e, "give %s", "one");
  CHECK_TEXT(line_of(&e), "joint 'knee': axis has zero length (leg.json:41:15) at t = 0.25 s - give one");
  e.line = 0;
  e.time = NAN;
  CHECK_TEXT(line_of(&e), "joint 'knee': axis has zero length (leg.json) - give one");
  tn_fail(&e, TN_E_MODEL, "m");
  tn_error_at(&e, &(tn_place){NULL, 7, 2, 3}, NULL);
  CHECK_TEXT(line_of(&e), "m (line 2, column 3)");
}

TEST(line_is_cut_like_snprintf) {
  tn_error e;
  char text[6];
  tn_fail(&e, TN_E_MODEL, "0123456789");
  CHECK(tn_error_text(&e, text, sizeof text) == 10);
  CHECK_TEXT(text, "01234");
  CHECK(tn_error_text(&e, NULL, 0) == 10);
}

TEST(long_texts_are_cut_between_characters) {
  tn_error e;
  char longer[1200];
  for (size_t i = 0; i + 2 < sizeof longer; i += 2) memcpy(longer + i, "\xc3\xa4", 3);
  tn_fail(&e, TN_E_MODEL, "%s", longer);
  CHECK(strlen(e.message) == 510); /* 511 would be half of a character */
  CHECK(!strchr(e.message, '?'));
  tn_hint(&e, "%s", longer);
  CHECK(strlen(e.hint) == 254);
  tn_error_at(&e, &(tn_place){longer, 0, 1, 1}, longer);
  CHECK(strlen(e.file) == 254 && strlen(e.pointer) == 254);
}

TEST(control_characters_and_broken_utf8_do_not_get_out) {
  tn_error e;
  tn_fail(&e, TN_E_MODEL, "a\nb\x1b[1m\x7f\xff\xc3(\xe2\x82\xac");
  CHECK_TEXT(e.message, "a\\nb\\x1b[1m\\x7f\\xff\\xc3(\xe2\x82\xac");
  tn_fail(&e, TN_E_MODEL, "end \xc3");
  CHECK_TEXT(e.message, "end \\xc3");
  tn_error_at(&e, &(tn_place){"a\nb", 0, 1, 1}, "/\t");
  CHECK_TEXT(e.file, "a\\nb");
  CHECK_TEXT(e.pointer, "/\\t");
}

TEST(utf8_as_in_table_3_7) {
  CHECK(tn_utf8("a", 1) == 1 && tn_utf8("", 0) == 0 && tn_utf8("\0", 1) == 1);
  CHECK(tn_utf8("\xc2\x80", 2) == 2 && tn_utf8("\xdf\xbf", 2) == 2);
  CHECK(tn_utf8("\xe0\xa0\x80", 3) == 3 && tn_utf8("\xed\x9f\xbf", 3) == 3 && tn_utf8("\xef\xbf\xbf", 3) == 3);
  CHECK(tn_utf8("\xf0\x90\x80\x80", 4) == 4 && tn_utf8("\xf4\x8f\xbf\xbf", 4) == 4);
  CHECK(!tn_utf8("\xc0\x80", 2) && !tn_utf8("\xc1\xbf", 2) && !tn_utf8("\x80", 1) && !tn_utf8("\xff", 1));
  CHECK(!tn_utf8("\xe0\x9f\xbf", 3) && !tn_utf8("\xed\xa0\x80", 3)); /* overlong; a surrogate */
  CHECK(!tn_utf8("\xf0\x8f\xbf\xbf", 4) && !tn_utf8("\xf4\x90\x80\x80", 4) && !tn_utf8("\xf5\x80\x80\x80", 4));
  CHECK(!tn_utf8("\xe2\x82\xac", 2) && !tn_utf8("\xe2\x28\xac", 3) && !tn_utf8("\xe2\x82\x28", 3));
}

TEST(nearest_name) {
  static const char *const names[] = {"revolute", "prismatic", "mass", "axis", NULL, ""};
  CHECK_TEXT(tn_nearest("revolut", 6, names), "revolute");
  CHECK_TEXT(tn_nearest("revloute", 6, names), "revolute");
  CHECK_TEXT(tn_nearest("REVOLUTE", 6, names), "revolute");
  CHECK_TEXT(tn_nearest("prismatik", 6, names), "prismatic");
  CHECK_TEXT(tn_nearest("mas", 6, names), "mass");
  CHECK_TEXT(tn_nearest("maxis", 6, names), "axis");
  CHECK(!tn_nearest("spherical", 6, names));
  CHECK(!tn_nearest("moss_", 6, names)); /* two edits of five letters */
  CHECK(!tn_nearest("", 6, names) && !tn_nearest(NULL, 6, names) && !tn_nearest("mass", 0, names));
}

TEST(nearest_prefers_the_nearer_and_counts_a_swap_once) {
  static const char *const names[] = {"dampinh", "damping", "stiffness"};
  CHECK_TEXT(tn_nearest("dampign", 3, names), "damping"); /* a swap is one edit, two letters are two */
  CHECK_TEXT(tn_nearest("damping", 3, names), "damping");
  static const char *const letters[] = {"x", "Y"};
  CHECK_TEXT(tn_nearest("y", 2, letters), "Y");
  CHECK(!tn_nearest("z", 2, letters));
}

TEST(nearest_does_not_compare_long_names) {
  char a[66] = {0}, b[66] = {0};
  memset(a, 'a', 65);
  memset(b, 'a', 64);
  const char *long_name[] = {a}, *fitting[] = {b};
  CHECK(!tn_nearest(b, 1, long_name));
  CHECK(!tn_nearest(a, 1, fitting));
  CHECK(tn_nearest(b, 1, fitting) == b);
}

/* every length of the text: whole names, and how many are left out; nothing is lost without a word */
TEST(a_list_that_is_cut_says_so) {
  static const char *const names[] = {"revolute", "weld", "screw", "universal"};
  char text[80];
  CHECK(tn_names_text(text, sizeof text, ", ", 4, names) == 0);
  CHECK_TEXT(text, "revolute, weld, screw, universal");
  CHECK(tn_names_text(text, 33, ", ", 4, names) == 0); /* it just fits */
  CHECK(tn_names_text(text, 0, ", ", 4, names) == 0);
  CHECK(tn_names_text(text, sizeof text, ", ", 0, names) == 0 && !*text);
  for (size_t size = 1; size < 33; size++) {
    const int more = tn_names_text(text, size, ", ", 4, names);
    char end[40];
    snprintf(end, sizeof end, "%s%d more", more < 4 ? " and " : "", more);
    CHECK(more > 0 && strlen(text) < size);
    if (size > 8) CHECK_HAS(text, end);
  }
  CHECK(tn_names_text(text, 40, " ", 4, names) == 0);
  CHECK_TEXT(text, "revolute weld screw universal");
}
