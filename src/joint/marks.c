/* what joints that slide want to be seen: a rail on the first, a block or roller on the second. */
#include "joint/joint.h"

static int slide2(const tn_frame2 *f, tn_mark_kind runs, tn_mark *mark) {
  for (int k = 0; k < 2; k++) {
    mark[k].kind = k ? runs : TN_MARK_RAIL;
    mark[k].frame = k;
    mark[k].at[0] = f[k].r[0];
    mark[k].at[1] = f[k].r[1];
    mark[k].axis[0] = f[k].c;
    mark[k].axis[1] = f[k].s;
  }
  return 2;
}

static int slide3(const tn_frame3 *f, tn_mark_kind runs, tn_mark *mark) {
  for (int k = 0; k < 2; k++) {
    mark[k].kind = k ? runs : TN_MARK_RAIL;
    mark[k].frame = k;
    memcpy(mark[k].at, f[k].r, sizeof mark[k].at);
    tn_axis3(f[k].A, 2, mark[k].axis);
  }
  return 2;
}

int tn_marks_block2(const void *self, const tn_frame2 *f, tn_mark *mark) {
  (void)self;
  return slide2(f, TN_MARK_BLOCK, mark);
}

int tn_marks_block3(const void *self, const tn_frame3 *f, tn_mark *mark) {
  (void)self;
  return slide3(f, TN_MARK_BLOCK, mark);
}

int tn_marks_roller2(const void *self, const tn_frame2 *f, tn_mark *mark) {
  (void)self;
  return slide2(f, TN_MARK_ROLLER, mark);
}

int tn_marks_roller3(const void *self, const tn_frame3 *f, tn_mark *mark) {
  (void)self;
  return slide3(f, TN_MARK_ROLLER, mark);
}

int tn_marks_floor3(const void *self, const tn_frame3 *f, tn_mark *mark) {
  (void)self;
  mark->kind = TN_MARK_FLOOR;
  memcpy(mark->at, f[0].r, sizeof mark->at);
  tn_axis3(f[0].A, 2, mark->axis);
  return 1;
}
