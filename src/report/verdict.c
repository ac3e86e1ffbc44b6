/* the verdict of a result file, from the summary that ends it. */
#include "report/report.h"

bool tn_result_verdict(const tn_result *r, tn_run_verdict *verdict) {
  if (!r || !verdict) return false;
  const char *text = tn_result_summary(r);
  tn_arena arena;
  tn_node *root = NULL;
  tn_error why;
  bool found = false;
  tn_arena_init(&arena, tn_result_allocator(r));
  if (text && tn_json_parse(&arena, "summary", text, strlen(text), &root, &why) == TN_OK) {
    const tn_node *word = root->kind == TN_NODE_OBJECT ? tn_node_get(root, "verdict") : NULL;
    for (int v = TN_TRUSTED; word && word->kind == TN_NODE_TEXT && v <= TN_WRONG; v++)
      if (strcmp(word->text, tn_run_verdict_name((tn_run_verdict)v)) == 0) *verdict = (tn_run_verdict)v, found = true;
  }
  tn_arena_free(&arena);
  return found;
}
