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

/* how far what slides goes */
typedef struct traveller {
  const tn_model *m;
  double (*travel)[2];
} traveller;

static tn_status go(void *user, double t, int n, const double *row) {
  const traveller *k = user;
  (void)t, (void)n;
  for (int i = 0; i < k->m->joints; i++) {
    const tn_joint *j = &k->m->joint[i];
    if (j->type->symbol != TN_SYM_SLIDE || j->frames < 2) continue;
    double p[2][3], d[3], e[3], r[3], A[9];
    for (int c = 0; c < 2; c++) tn_motion_place(k->m, row, &j->spot[c], p[c]);
    tn_sub3(p[1], p[0], d);
    if (k->m->dimension == 2)
      e[0] = cos(j->spot[0].angle), e[1] = sin(j->spot[0].angle), e[2] = 0;
    else
      tn_axis3(j->spot[0].A, 2, e);
    if (j->spot[0].body >= 0) {
      double world[3];
      tn_motion_body(k->m, row, j->spot[0].body, r, A);
      tn_turn3(A, e, world);
      memcpy(e, world, sizeof e);
    }
    const double x = tn_dot3(d, e);
    if (!isfinite(x)) continue;
    k->travel[i][0] = fmin(k->travel[i][0], x);
    k->travel[i][1] = fmax(k->travel[i][1], x);
  }
  return TN_OK;
}

static tn_status find_travel(tn_result *r, const tn_model *m, double (*travel)[2], tn_error *e) {
  traveller k = {m, travel};
  for (int i = 0; i < m->joints; i++) travel[i][0] = INFINITY, travel[i][1] = -INFINITY;
  for (int i = 0; i < m->joints; i++)
    if (m->joint[i].type->symbol == TN_SYM_SLIDE) return tn_result_motion_each(r, go, &k, e);
  return TN_OK;
}

tn_status tn_result_drawing(tn_result *r, bool flat, tn_model **m, tn_drawing **d, tn_error *e) {
  char folder[1024];
  const tn_allocator *a = tn_result_allocator(r);
  const char *name = tn_result_name(r), *slash = strrchr(name, '/'); /* files of meshes are beside the model */
  *m = NULL;
  *d = NULL;
  tn_format(folder, sizeof folder, "%.*s", slash ? (int)(slash - name + 1) : 0, name);
  tn_status status = compile(r, m, e);
  if (status != TN_OK) return status;
  if (!tn_result_motion_size(r))
    return tn_fail(e, TN_E_USAGE, "the result has no motion in it: it was recorded by an older Tenon; run it again");
  if (tn_result_motion_size(r) != tn_motion_size(*m))
    return tn_fail(e, TN_E_USAGE, "the motion in the result file is not that of its model");
  double(*travel)[2] = a->allocate(a->user, sizeof *travel * ((size_t)(*m)->joints + 1));
  if (!travel) return tn_fail(e, TN_E_MEMORY, "out of memory");
  status = find_travel(r, *m, travel, e);
  const tn_picture picture = {.flat = flat, .folder = folder, .travel = (const double(*)[2])travel};
  if (status == TN_OK) status = tn_drawing_new(*m, &picture, d, e);
  a->release(a->user, travel);
  return status;
}
