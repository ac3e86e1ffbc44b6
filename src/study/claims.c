/* what a study counts: claims of the paper, checks beyond it, remarks. One claim may have several rows. Also where the paper is to be
 * found, and who measured the values that are expected. */
#include "study/claims.h"

static const char *const kinds[] = {"claim", "check", "remark", NULL};

const char *tn_claim_kind_name(tn_claim_kind kind) { return kinds[kind]; }

/* ---- the paper, and the check of it ---------------------------------------------------------------------------------------- */

static tn_status read_publication(tn_study *s, tn_error *e) {
  static const char *const keys[] = {"authors", "title", "journal", "volume", "pages", "year", "doi", NULL};
  const tn_node *node = tn_node_get(s->root, "publication");
  const char *text;
  TN_TRY(tn_member_text(s->root, "check", "", &s->check, e));
  if (!node) return TN_OK;
  TN_TRY(tn_members_known(node, keys, e));
  for (int i = 0; keys[i]; i++) TN_TRY(tn_member_text(node, keys[i], i < 2 ? NULL : "", &text, e));
  return TN_OK;
}

/* ---- claims ------------------------------------------------------------------------------------------------------------------ */

bool tn_row_is(const char *pattern, const char *id) {
  const size_t n = strlen(pattern);
  return n && pattern[n - 1] == '*' ? strncmp(pattern, id, n - 1) == 0 : strcmp(pattern, id) == 0;
}

static tn_status take_rows(tn_study *s, int claim, const tn_node *pattern, tn_error *e) {
  int found = 0;
  if (pattern->kind != TN_NODE_TEXT) return tn_node_fail(pattern, e, TN_E_MODEL, "this has to be the name of a row");
  for (int i = 0; i < s->rows; i++) {
    tn_study_row *row = &s->row[i].row;
    if (!tn_row_is(pattern->text, row->id)) continue;
    found++;
    if (row->claim >= 0)
      return tn_node_fail(pattern, e, TN_E_MODEL, "row '%.100s' belongs to claim '%.64s' already", row->id,
                          s->claim[row->claim].claim.name);
    row->claim = claim;
  }
  if (found) return TN_OK;
  return tn_node_fail(pattern, e, TN_E_MODEL, "there is no row '%.100s'", pattern->text);
}

static tn_status read_claim(tn_study *s, const tn_node *node, tn_error *e) {
  static const char *const keys[] = {"what", "where", "kind", "rows", NULL};
  tn_claim_plan *c = &s->claim[s->claims];
  const tn_node *rows = tn_node_get(node, "rows");
  int kind;
  TN_TRY(tn_members_known(node, keys, e));
  *c = (tn_claim_plan){.claim = {.name = node->key}, .node = node, .place = -1};
  TN_TRY(tn_member_text(node, "what", "", &c->claim.what, e));
  TN_TRY(tn_member_text(node, "where", "", &c->claim.where, e));
  TN_TRY(tn_member_word(node, "kind", kinds, &kind, e));
  c->claim.kind = (tn_claim_kind)kind;
  s->claims++;
  if (!rows || rows->kind != TN_NODE_LIST || !rows->size)
    return tn_node_fail(rows ? rows : node, e, TN_E_MODEL, "`rows` of a claim is a list of names of rows");
  for (const tn_node *r = rows->first; r; r = r->next) TN_TRY(take_rows(s, s->claims - 1, r, e));
  return TN_OK;
}

/* a row without a claim is one of its own */
static void stand_alone(tn_study *s, tn_study_row *row) {
  row->claim = s->claims++;
  s->claim[row->claim] = (tn_claim_plan){.claim = {.name = row->id, .what = "", .where = ""}, .place = -1};
}

/* in the order of their first rows, whose words they have where they have none of their own */
static tn_status in_order(tn_study *s, tn_error *e) {
  tn_claim_plan *sorted = tn_arena_alloc(&s->arena, sizeof *sorted * (size_t)(s->claims + 1));
  int n = 0;
  if (!sorted) return tn_out_of_memory(e);
  for (int i = 0; i < s->rows; i++) {
    tn_study_row *row = &s->row[i].row;
    tn_claim_plan *c = &s->claim[row->claim];
    if (c->place < 0) {
      c->place = n++;
      sorted[c->place] = *c;
      tn_study_claim *first = &sorted[c->place].claim;
      if (!*first->what) first->what = *row->what ? row->what : row->id;
      if (!*first->where) first->where = row->where;
    }
    row->claim = c->place;
    sorted[row->claim].claim.rows++;
  }
  s->claim = sorted;
  return TN_OK;
}

tn_status tn_claims_read(tn_study *s, tn_error *e) {
  const tn_node *all = tn_node_get(s->root, "claims");
  TN_TRY(read_publication(s, e));
  if (all && all->kind != TN_NODE_OBJECT) return tn_node_fail(all, e, TN_E_MODEL, "`claims` has to be an object");
  s->claim = tn_arena_alloc(&s->arena, sizeof *s->claim * (size_t)(tn_member_count(all) + s->rows + 1));
  if (!s->claim) return tn_out_of_memory(e);
  for (int i = 0; i < s->rows; i++) s->row[i].row.claim = -1;
  for (const tn_node *c = all ? all->first : NULL; c; c = c->next) TN_TRY(read_claim(s, c, e));
  for (int i = 0; i < s->rows; i++)
    if (s->row[i].row.claim < 0) stand_alone(s, &s->row[i].row);
  return in_order(s, e);
}

/* rows that cannot be decided do not count where others can */
static tn_verdict together(tn_verdict so_far, tn_verdict next) {
  if (next == TN_NOT_RUN || so_far == next) return so_far;
  if (so_far == TN_NOT_RUN || so_far == TN_NOT_DECIDABLE) return next;
  return next == TN_NOT_DECIDABLE ? so_far : TN_IN_PART;
}

void tn_claims_judge(tn_study *s) {
  for (int i = 0; i < s->claims; i++) {
    s->claim[i].claim.verdict = TN_NOT_RUN;
    s->claim[i].claim.run = 0;
  }
  for (int i = 0; i < s->rows; i++) {
    tn_study_claim *c = &s->claim[s->row[i].row.claim].claim;
    c->verdict = together(c->verdict, s->row[i].row.verdict);
    c->run += s->row[i].row.verdict != TN_NOT_RUN;
  }
}

const tn_study_claim *tn_study_claim_at(const tn_study *s, int i) {
  return s && i >= 0 && i < s->claims ? &s->claim[i].claim : NULL;
}

static bool is_assumed(const tn_study *s, int claim) {
  for (int i = 0; i < s->rows; i++)
    if (s->row[i].row.claim == claim && s->row[i].row.verdict != TN_NOT_RUN && s->row[i].row.assumptions) return true;
  return false;
}

static void count_claim(const tn_study *s, int i, tn_study_counts *n) {
  const tn_study_claim *c = &s->claim[i].claim;
  if (!c->run) return;
  if (c->kind != TN_CLAIM) {
    *(c->kind == TN_CHECK ? &n->checks : &n->remarks) += 1;
    return;
  }
  n->claims++;
  n->reproduced += c->verdict == TN_REPRODUCED;
  n->in_part += c->verdict == TN_IN_PART;
  n->differ += c->verdict == TN_DIFFERS;
  n->not_decidable += c->verdict == TN_NOT_DECIDABLE;
  n->assumed += is_assumed(s, i);
}

void tn_study_count(const tn_study *s, tn_study_counts *n) {
  if (!n) return;
  *n = (tn_study_counts){0};
  for (int i = 0; s && i < s->claims; i++) count_claim(s, i, n);
  for (int i = 0; s && i < s->rows; i++) {
    const tn_study_row *r = &s->row[i].row;
    if (r->verdict == TN_NOT_RUN) continue;
    n->rows++;
    n->measured += s->row[i].measure >= 0 && !isnan(r->expected);
    n->outside += !r->within;
    n->unexplained += !r->within && !(r->as_expected && r->differs);
  }
}
