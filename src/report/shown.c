/* what pages and glTF files begin with: the model of a result, compiled anew, and what it looks like. */
#include "report/report.h"

static tn_status compile(tn_result *r, tn_model **model, tn_error *e) {
  const char *text = tn_result_model(r);
  tn_desc *desc = NULL;
  tn_status status = tn_desc_new(tn_result_allocator(r), &desc, e);
  if (status == TN_OK) status = tn_desc_parse(desc, tn_result_name(r), text, strlen(text), e);
  if (status == TN_OK) status = tn_compile(desc, model, e);
  tn_desc_free(desc);
  return status;
}

tn_status tn_result_drawing(tn_result *r, bool flat, tn_model **m, tn_drawing **d, tn_error *e) {
  char folder[1024];
  const char *name = tn_result_name(r), *slash = strrchr(name, '/'); /* files of meshes are beside the model */
  *m = NULL;
  *d = NULL;
  tn_format(folder, sizeof folder, "%.*s", slash ? (int)(slash - name + 1) : 0, name);
  tn_status status = compile(r, m, e);
  if (status == TN_OK) status = tn_drawing_new(*m, flat && (*m)->dimension == 2, folder, false, d, e);
  if (status != TN_OK) return status;
  if (!tn_result_motion_size(r))
    return tn_fail(e, TN_E_USAGE, "the result has no motion in it: it was recorded by an older Tenon; run it again");
  if (tn_result_motion_size(r) != tn_motion_size(*m))
    return tn_fail(e, TN_E_USAGE, "the motion in the result file is not that of its model");
  return TN_OK;
}
