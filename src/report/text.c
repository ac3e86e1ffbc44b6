/* the summary for people: the facts of a run, line by line. What is for those who ask for all is counted here. */
#include "report/report.h"

typedef struct paper {
  tn_printer out;
  const tn_sim *sim;
  const char *name; /* of the model; NULL: it stands there */
  bool all, added;  /* the addition stands there */
  char key[32];     /* of the last fact, and how many of its kind are left out */
  int left_out;
} paper;

/* how many facts of a kind are left out, and where they are */
static void rest(paper *p) {
  static const struct {
    const char *key, *one, *where;
  } rests[] = {{"event", "other event", " (--json lists them)"},
               {"output", "other output", " (--json lists them)"},
               {"log", "event", " more (-v or --json lists them)"},
               {"warning", "warning", " more: tenon check"}};
  if (p->left_out && strcmp(p->key, "warning") == 0) p->left_out += p->sim->m->warnings_more;
  for (size_t i = 0; i < sizeof rests / sizeof *rests && p->left_out; i++)
    if (strcmp(rests[i].key, p->key) == 0)
      tn_put(&p->out, "  and %d %s%s%s\n", p->left_out, rests[i].one, TN_S(p->left_out), rests[i].where);
  p->left_out = 0;
}

static void title(paper *p) {
  const char *text = p->sim->m->title;
  tn_put(&p->out, "%s%s%s\n", p->name, *text ? ": " : "", text);
  p->name = NULL;
}

/* what a verification has to say stands before how the run ended */
static void addition(paper *p) {
  const tn_addition *a = &p->sim->output.addition;
  if (!p->added && a->text && a->text(a->self, p->out.write, p->out.user) != TN_OK) p->out.failed = true;
  p->added = true;
}

static bool line(void *user, const tn_run_fact *f) {
  paper *p = user;
  if (strcmp(p->key, f->key) != 0) rest(p);
  tn_format(p->key, sizeof p->key, "%s", f->key);
  if (f->about == TN_ABOUT_END) addition(p);
  if (p->name && f->severity == TN_TRUSTED) title(p);
  if (f->detail && !p->all)
    p->left_out++;
  else if (f->severity != TN_TRUSTED)
    tn_put(&p->out, "  %s: %s\n", tn_run_verdict_name(f->severity), f->sentence);
  else if (strcmp(f->key, TN_FACT_CPU) == 0) /* stands behind what it was taken for */
    tn_put(&p->out, ", %s\n", f->sentence);
  else
    tn_put(&p->out, strcmp(f->key, "reached") == 0 ? "  %s%s" : "  %s%s\n",
           f->about == TN_ABOUT_MODEL ? "warning: " : "", f->sentence);
  return !p->out.failed;
}

static tn_status print(const tn_sim *s, const char *model_name, bool all, tn_write write, void *user) {
  paper p = {.out = {write, user, false}, .sim = s, .name = model_name, .all = all};
  tn_put(&p.out, "verdict: %s\n", tn_run_verdict_name(s->summary.verdict));
  tn_facts_of(s, line, &p);
  rest(&p);
  addition(&p);
  return p.out.failed ? TN_E_IO : TN_OK;
}

tn_status tn_report_text(const tn_sim *s, const char *model_name, tn_write write, void *user) {
  TN_NEED(NULL, s, "sim");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, write, "write");
  return print(s, model_name, false, write, user);
}

tn_status tn_report_text_all(const tn_sim *s, const char *model_name, tn_write write, void *user) {
  TN_NEED(NULL, s, "sim");
  TN_NEED(NULL, model_name, "model_name");
  TN_NEED(NULL, write, "write");
  return print(s, model_name, true, write, user);
}
