/* assumptions varied: the rows that rest on one are run with what is used, and with each variation in its place; verdicts that change are
 * compared with those that the study says. */
#include "study/claims.h"

static bool chosen(const tn_variation_plan *v, const tn_study_options *o) { return v->variation.quick || !o->quick; }

/* rows that some variation needs; false: there is none */
static bool all_rows(const tn_study *s, const tn_study_options *o, bool *rows) {
  bool some = false;
  for (int i = 0; i < s->rows; i++) {
    rows[i] = false;
    for (int k = 0; k < s->assumptions; k++)
      for (int l = 0; l < s->assumption[k].variations; l++) {
        const tn_variation_plan *v = &s->assumption[k].variation[l];
        rows[i] = rows[i] || (chosen(v, o) && v->rests[i]);
      }
    some = some || rows[i];
  }
  return some;
}

static void compare(const tn_study *s, const tn_study *other, tn_variation_plan *v) {
  tn_study_variation *shown = &v->variation;
  shown->run = shown->changed = 0;
  shown->done = shown->as_said = true;
  for (int i = 0; i < s->rows; i++) {
    v->used[i] = v->rests[i] ? s->row[i].row.verdict : TN_NOT_RUN;
    v->found[i] = v->rests[i] ? other->row[i].row.verdict : TN_NOT_RUN;
    if (v->used[i] == TN_NOT_RUN) continue;
    shown->run++;
    shown->changed += v->found[i] != v->used[i];
    if (v->found[i] != (v->said[i] == TN_NOT_RUN ? v->used[i] : v->said[i])) shown->as_said = false;
  }
}

static tn_status run_variation(tn_study *s, tn_variation_plan *v, const tn_study_options *o, tn_error *e) {
  tn_study *other = NULL;
  tn_status status = tn_study_make(&s->arena.allocator, s->path, s->files, s->files_user, v->replace, &other, e);
  if (status != TN_OK) return status;
  other->rows_only = v->rests;
  if (other->rows != s->rows)
    status = tn_fail(e, TN_E_IO, "'%.200s' has changed since it was read", s->path);
  else
    status = tn_study_make_runs(other, o, e);
  if (status == TN_OK) compare(s, other, v);
  tn_study_free(other);
  return status;
}

static tn_status vary(tn_study *s, const tn_study_options *o, bool *rows, tn_error *e) {
  for (int k = 0; k < s->assumptions; k++)
    for (int l = 0; l < s->assumption[k].variations; l++) s->assumption[k].variation[l].variation.done = false;
  if (!all_rows(s, o, rows)) return TN_OK;
  s->rows_only = rows;
  tn_status status = tn_study_make_runs(s, o, e);
  s->rows_only = NULL;
  for (int k = 0; k < s->assumptions && status == TN_OK; k++)
    for (int l = 0; l < s->assumption[k].variations && status == TN_OK; l++)
      if (chosen(&s->assumption[k].variation[l], o)) status = run_variation(s, &s->assumption[k].variation[l], o, e);
  return status;
}

tn_status tn_study_vary(tn_study *s, const tn_study_options *options, tn_error *error) {
  static const tn_study_options usual;
  tn_error spare, *e = error ? error : &spare;
  TN_NEED(e, s, "study");
  tn_error_clear(e);
  if (s->under_way) return tn_fail(e, TN_E_USAGE, "tn_study_vary: not while the study runs");
  bool *rows = tn_block_new(&s->arena.allocator, sizeof *rows * (size_t)(s->rows + 1));
  if (!rows) return tn_out_of_memory(e);
  s->under_way = true;
  const tn_status status = vary(s, options ? options : &usual, rows, e);
  s->under_way = false;
  tn_block_free(&s->arena.allocator, rows);
  return status;
}

bool tn_study_varied_as_said(const tn_study *s) {
  if (!s) return false;
  for (int k = 0; k < s->assumptions; k++)
    for (int l = 0; l < s->assumption[k].variations; l++) {
      const tn_study_variation *v = &s->assumption[k].variation[l].variation;
      if (v->done && !v->as_said) return false;
    }
  return true;
}
