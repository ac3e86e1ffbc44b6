/* the system at a state as JSON: M udot + A'lambda = f, A udot = gamma. */
#include "report/report.h"

static void matrix(tn_json *j, const char *key, int rows, int columns, const double *values) {
  tn_json_open(j, key, "[");
  for (int i = 0; i < rows; i++) tn_json_reals(j, NULL, columns, values + (size_t)i * (size_t)columns);
  tn_json_close(j);
}

/* H of `tn_sim_coriolis`, n x n; NULL where these coordinates have none */
static tn_status coriolis_of(tn_sim *s, int n, double **H, tn_error *error) {
  *H = NULL;
  if (!tn_coriolis_is_known(s->m)) return TN_OK;
  if (!(*H = tn_block_new(NULL, sizeof **H * ((size_t)n * (size_t)n + 1))))
    return tn_fail(error, TN_E_MEMORY, "out of memory");
  return tn_sim_coriolis(s, *H, error);
}

static tn_status write_eval(tn_sim *s, const char *model_name, const double *H, tn_json *j, tn_error *error);

tn_status tn_report_eval(tn_sim *s, const char *model_name, tn_write write, void *user, tn_error *error) {
  TN_TRY(tn_sim_may_change(s, __func__, error)); /* outputs are evaluated where a run has its rows */
  TN_NEED(error, model_name, "model_name");
  TN_NEED(error, write, "write");
  tn_json json = {.write = write, .user = user};
  double *H;
  tn_status status = s->life.started ? TN_OK : tn_sim_start(s, error);
  if (status != TN_OK) return status;
  status = coriolis_of(s, s->m->nu, &H, error);
  if (status == TN_OK) status = write_eval(s, model_name, H, &json, error);
  tn_block_free(NULL, H);
  return status;
}

static tn_status write_eval(tn_sim *s, const char *model_name, const double *H, tn_json *j, tn_error *error) {
  tn_eval e;
  tn_status status = tn_sim_eval(s, &e, error);
  if (status == TN_OK) status = tn_row_eval(s, s->now.y);
  if (status != TN_OK) return status;
  tn_json_open(j, NULL, "{");
  tn_json_text(j, "tenon", TN_VERSION);
  tn_json_text(j, "model", model_name);
  tn_json_real(j, "t", e.t);
  tn_json_open(j, "coordinates", "[-");
  for (int i = 0; i < e.coordinates; i++) tn_json_text(j, NULL, s->m->q_name[i]);
  tn_json_close(j);
  tn_json_open(j, "speeds", "[-");
  for (int i = 0; i < e.speeds; i++) tn_json_text(j, NULL, s->m->u_name[i]);
  tn_json_close(j);
  tn_json_open(j, "rows", "[-");
  for (int i = 0; i < e.rows; i++) tn_json_text(j, NULL, tn_sim_row_joint(s, i));
  tn_json_close(j);
  tn_json_whole(j, "holonomic", e.holonomic);
  tn_json_reals(j, "q", e.coordinates, e.q);
  tn_json_reals(j, "u", e.speeds, e.u);
  matrix(j, "M", e.speeds, e.speeds, e.M);
  tn_json_reals(j, "f", e.speeds, e.f);
  matrix(j, "A", e.rows, e.speeds, e.A);
  tn_json_reals(j, "C", e.rows, e.C);
  tn_json_reals(j, "Cdot", e.rows, e.Cdot);
  tn_json_reals(j, "gamma", e.rows, e.gamma);
  if (H) matrix(j, "coriolis", e.speeds, e.speeds, H);
  tn_json_reals(j, "udot", e.speeds, e.udot);
  tn_json_reals(j, "lambda", e.rows, e.lambda);
  tn_json_open(j, "outputs", "{");
  for (int i = 0; i < s->m->columns; i++) tn_json_real(j, s->m->column[i], s->output.row[i]);
  tn_json_close(j);
  tn_json_whole(j, "rank", e.rank);
  tn_json_reals(j, "singular_values", e.values, e.singular_values);
  tn_json_close(j);
  return j->failed ? tn_fail(error, TN_E_IO, "the system could not be written") : TN_OK;
}
