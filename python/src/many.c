/* many runs: batches, comparisons, gains searched for; studies and sweeps from files. what comes of them is handed on as JSON, which has the
 * tables; rows of a batch are one array.
 *
 * The thread that called makes runs, too. It alone calls back and looks at signals; the others have never seen the interpreter. */
#include "core.h"

typedef struct watcher {
  PyObject *progress;   /* callable (done, all), or NULL              */
  unsigned long caller; /* thread                                     */
  double next;          /* s: when it looks at signals and progress   */
  PyObject *type, *value, *trace;
  bool failed;
  _Atomic bool stop;
} watcher;

static const double BEAT = 0.05; /* s */

/* what was raised is kept, and raised again where the call ends */
static void keep_exception(watcher *w) {
  if (!PyErr_Occurred()) return;
  if (w->failed)
    PyErr_Clear();
  else
    PyErr_Fetch(&w->type, &w->value, &w->trace);
  w->failed = true;
  atomic_store(&w->stop, true);
}

static bool report_progress(watcher *w, int done, int all) {
  PyObject *answer = w->progress ? PyObject_CallFunction(w->progress, "ii", done, all) : NULL;
  const bool good = !w->progress || (answer && answer != Py_False);
  Py_XDECREF(answer);
  if (!good) atomic_store(&w->stop, true);
  return good;
}

static bool on_progress(void *user, int done, int all, const char *run) {
  watcher *w = user;
  (void)run;
  if (PyThread_get_thread_ident() != w->caller) return !atomic_load(&w->stop);
  const callback c = core_callback();
  bool good = PyErr_CheckSignals() == 0;
  if (good && w->progress) good = report_progress(w, done, all);
  keep_exception(w);
  core_callback_end(c);
  return good && !atomic_load(&w->stop);
}

static bool on_sweep_progress(void *user, const tn_sweep_progress *p) {
  return on_progress(user, p->done, p->all, NULL);
}

/* asked at every step of every run */
static bool on_step(void *user) {
  watcher *w = user;
  if (atomic_load(&w->stop)) return true;
  if (PyThread_get_thread_ident() != w->caller || core_clock() < w->next) return false;
  w->next = core_clock() + BEAT;
  const callback c = core_callback();
  const bool bad = PyErr_CheckSignals() != 0;
  keep_exception(w);
  core_callback_end(c);
  return bad;
}

static bool watcher_begin(watcher *w, PyObject *progress) {
  *w = (watcher){.progress = progress == Py_None ? NULL : progress, .caller = PyThread_get_thread_ident()};
  if (!w->progress || PyCallable_Check(progress)) return true;
  PyErr_SetString(PyExc_TypeError, "progress must be callable");
  return false;
}

/* what was raised, or what the library says; true: neither */
static bool watcher_end(watcher *w, tn_status status, const tn_error *e) {
  if (w->failed) PyErr_Restore(w->type, w->value, w->trace);
  if (!w->failed && status != TN_OK) core_raise(e);
  return !w->failed && status == TN_OK;
}

/* ---- batches ------------------------------------------------------------------------------------------------------------ */

static PyObject *batch_outcome(int runs, const tn_batch_result *r) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < runs; i++, r++) {
    PyObject *one = Py_BuildValue("(isLdLLddN)", (int)r->status, tn_run_verdict_name(r->verdict), (long long)r->rows,
                                  r->t_end, (long long)r->steps, (long long)r->rhs, r->energy_balance,
                                  r->max_position_violation, core_str(r->message));
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *batch(description *d, tn_batch_options *o, Py_ssize_t rows, int columns, watcher *w) {
  const Py_ssize_t shape[3] = {o->runs, rows, columns + 1};
  PyObject *array = core_array(d->c, 3, shape, NULL, NULL), *list = NULL;
  tn_batch_result *result = calloc((size_t)o->runs + 1, sizeof *result);
  unlocked u;
  tn_error e;
  if (!result) PyErr_NoMemory();
  if (array && result) {
    d->under_way++;
    core_unlock(&u);
    const tn_status status = tn_batch_run(d->desc, o, rows, columns, core_array_data(array), result, &e);
    core_lock(&u);
    d->under_way--;
    const bool raised = part_raised(d->parts);
    if (watcher_end(w, status, &e) && !raised) list = batch_outcome(o->runs, result);
  }
  free(result);
  if (list) return Py_BuildValue("(NN)", array, list);
  Py_XDECREF(array);
  return NULL;
}

PyObject *description_batch(PyObject *self, PyObject *args, PyObject *kwargs) {
  static char *words[] = {"name", "parameters", "values", "runs", "rows", "columns", "workers", "progress", NULL};
  PyObject *names, *values, *progress = Py_None, *keep = NULL, *made = NULL;
  Py_ssize_t n = 0, rows;
  int runs, columns, workers = 0;
  const char *name;
  watcher w;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sOOini|iO:batch", words, &name, &names, &values, &runs, &rows,
                                   &columns, &workers, &progress))
    return NULL;
  if (runs < 0 || rows < 0 || columns < 0 || !watcher_begin(&w, progress)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a batch has no runs, rows or columns below 0");
    return NULL;
  }
  const char **parameter = core_names(names, &n, &keep);
  double *value = parameter ? core_numbers(values, n * runs, NULL, "values") : NULL;
  tn_batch_options o = {.name = name,
                        .runs = runs,
                        .parameters = (int)n,
                        .parameter = parameter,
                        .value = value,
                        .workers = workers,
                        .progress = on_progress,
                        .stop = on_step,
                        .user = &w};
  if (value) made = batch((description *)self, &o, rows, columns, &w);
  PyMem_Free(value);
  PyMem_Free(parameter);
  Py_XDECREF(keep);
  return made;
}

/* ---- methods compared --------------------------------------------------------------------------------------------------- */

/* "json", "text", "csv", "curves" or "page" as a dict */
static PyObject *compare_texts(const tn_compare *compare, const char *command) {
  PyObject *dict = PyDict_New();
  typedef tn_status (*writer)(const tn_compare *, tn_write, void *);
  static const struct {
    const char *name;
    writer write;
  } all[] = {
      {"json", tn_compare_json}, {"text", tn_compare_text}, {"csv", tn_compare_csv}, {"curves", tn_compare_curves}};
  for (size_t i = 0; dict && i < sizeof all / sizeof *all; i++) {
    text t = {0};
    all[i].write(compare, core_write, &t);
    PyObject *one = core_text(&t);
    if (!one || PyDict_SetItemString(dict, all[i].name, one) != 0) Py_CLEAR(dict);
    Py_XDECREF(one);
  }
  text page = {0};
  tn_error e;
  if (dict && tn_has_pages(NULL) && tn_compare_page(compare, command, NULL, core_write, &page, &e) == TN_OK) {
    PyObject *one = core_bytes(&page);
    if (!one || PyDict_SetItemString(dict, "page", one) != 0) Py_CLEAR(dict);
    Py_XDECREF(one);
  }
  free(page.bytes);
  return dict;
}

PyObject *description_compare(PyObject *self, PyObject *args, PyObject *kwargs) {
  static char *words[] = {"name",     "methods", "integrators", "settings",  "fixed",
                          "accuracy", "workers", "progress",    "reference", NULL};
  description *d = (description *)self;
  PyObject *methods, *integrators, *settings, *progress, *keep[2] = {NULL, NULL}, *made = NULL;
  Py_ssize_t n[3] = {0, 0, 0};
  const char *name, *reference;
  tn_compare_options o = {.progress = on_progress};
  tn_compare *compare = NULL;
  int fixed;
  watcher w;
  unlocked u;
  tn_error e;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sOOOpdiOz:compare", words, &name, &methods, &integrators, &settings,
                                   &fixed, &o.accuracy, &o.workers, &progress, &reference))
    return NULL;
  if (!watcher_begin(&w, progress)) return NULL;
  const char **method = core_names(methods, &n[0], &keep[0]);
  const char **integrator = method ? core_names(integrators, &n[1], &keep[1]) : NULL;
  double *setting = integrator ? core_numbers(settings, -1, &n[2], "settings") : NULL;
  if (setting) {
    o.methods = (int)n[0], o.integrators = (int)n[1], o.settings = (int)n[2];
    o.method = method, o.integrator = integrator, o.setting = setting;
    o.fixed = fixed, o.reference = reference, o.user = &w;
    d->under_way++;
    core_unlock(&u);
    const tn_status status = tn_compare_run(d->desc, name, &o, &compare, &e);
    core_lock(&u);
    d->under_way--;
    const bool raised = part_raised(d->parts);
    if (watcher_end(&w, status, &e) && !raised) made = compare_texts(compare, "tenon.compare");
    tn_compare_free(compare);
  }
  PyMem_Free(setting);
  PyMem_Free(integrator);
  PyMem_Free(method);
  Py_XDECREF(keep[0]);
  Py_XDECREF(keep[1]);
  return made;
}

PyObject *description_tune(PyObject *self, PyObject *args, PyObject *kwargs) {
  static char *words[] = {"name", "stabilizer", "budget", "workers", "velocity", "progress", NULL};
  description *d = (description *)self;
  PyObject *progress;
  const char *name;
  tn_tune_options o = {.progress = on_progress, .stop = on_step};
  tn_tune *tune = NULL;
  int velocity;
  watcher w;
  unlocked u;
  text t = {0};
  tn_error e;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "ssiipO:tune", words, &name, &o.stabilizer, &o.budget, &o.workers,
                                   &velocity, &progress) ||
      !watcher_begin(&w, progress))
    return NULL;
  o.velocity = velocity;
  o.user = &w;
  d->under_way++;
  core_unlock(&u);
  const tn_status status = tn_tune_run(d->desc, name, &o, &tune, &e);
  core_lock(&u);
  d->under_way--;
  PyObject *made = NULL;
  if (watcher_end(&w, status, &e)) {
    tn_tune_json(tune, core_write, &t);
    made = core_text(&t);
  }
  tn_tune_free(tune);
  return made;
}

PyObject *description_verify(PyObject *self, PyObject *args) {
  description *d = (description *)self;
  double threshold, t = NAN;
  unlocked u;
  tn_error e;
  if (!PyArg_ParseTuple(args, "d:predictable_until", &threshold)) return NULL;
  d->under_way++;
  core_unlock(&u);
  const tn_status status = tn_predictable_until(d->desc, threshold, &t, &e);
  core_lock(&u);
  d->under_way--;
  if (part_raised(d->parts)) return NULL;
  return status == TN_OK ? PyFloat_FromDouble(t) : core_raise(&e);
}

/* ---- studies ------------------------------------------------------------------------------------------------------------ */

typedef struct study {
  PyObject_HEAD core *c;
  tn_study *study;
  bool under_way;
} study;

static PyObject *study_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *path = NULL;
  core *c = core_of_type(type);
  unlocked u;
  tn_error e;
  (void)kwargs;
  if (!c || !PyArg_ParseTuple(args, "O&:Study", PyUnicode_FSConverter, &path)) return NULL;
  study *s = (study *)PyType_GenericAlloc(type, 0);
  if (s) {
    s->c = c;
    const char *name = PyBytes_AsString(path);
    core_unlock(&u);
    const tn_status status = tn_study_read(&c->allocator, name, &s->study, &e);
    core_lock(&u);
    if (status != TN_OK) {
      Py_CLEAR(s);
      core_raise(&e);
    }
  }
  Py_DECREF(path);
  return (PyObject *)s;
}

static void study_finish(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  tn_study_free(((study *)self)->study);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyObject *study_run(PyObject *self, PyObject *args) {
  study *s = (study *)self;
  PyObject *progress;
  const char *only;
  int quick, workers;
  watcher w;
  unlocked u;
  tn_error e;
  if (!PyArg_ParseTuple(args, "pziO:run", &quick, &only, &workers, &progress) || !watcher_begin(&w, progress))
    return NULL;
  if (s->under_way) {
    PyErr_SetString(PyExc_RuntimeError, "this study is being run by another thread");
    return NULL;
  }
  const tn_study_options o = {.quick = quick, .workers = workers, .only = only, .progress = on_progress, .user = &w};
  s->under_way = true;
  core_unlock(&u);
  const tn_status status = tn_study_run(s->study, &o, &e);
  core_lock(&u);
  s->under_way = false;
  return watcher_end(&w, status, &e) ? Py_NewRef(Py_None) : NULL;
}

/* kind: json text page */
static PyObject *study_report(PyObject *self, PyObject *arg) {
  const study *s = (study *)self;
  const char *kind = core_string(arg);
  text t = {0};
  tn_error e;
  if (!kind) return NULL;
  if (s->under_way) {
    PyErr_SetString(PyExc_RuntimeError, "this study is being run by another thread");
    return NULL;
  }
  if (strcmp(kind, "json") == 0) return tn_study_json(s->study, core_write, &t), core_text(&t);
  if (strcmp(kind, "text") == 0) return tn_study_text(s->study, core_write, &t), core_text(&t);
  if (tn_study_page(s->study, "tenon.reproduce", core_write, &t, &e) == TN_OK) return core_bytes(&t);
  free(t.bytes);
  return core_raise(&e);
}

static PyMethodDef study_methods[] = {METHOD("run", study_run, METH_VARARGS, "Run: quick, only, workers, progress."),
                                      METHOD("report", study_report, METH_O, "As json, text or page."),
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot study_slots[] = {{Py_tp_doc, (void *)PyDoc_STR("A study: Study(path).")},
                                    {Py_tp_new, (void *)study_new},
                                    {Py_tp_dealloc, (void *)study_finish},
                                    {Py_tp_methods, study_methods},
                                    {0, NULL}};
PyType_Spec study_spec = {.name = "tenon._core.Study",
                          .basicsize = sizeof(study),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                          .slots = study_slots};

/* ---- sweeps ------------------------------------------------------------------------------------------------------------- */

typedef struct sweep {
  PyObject_HEAD core *c;
  tn_sweep *sweep;
  bool under_way;
} sweep;

static PyObject *sweep_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *path = NULL;
  core *c = core_of_type(type);
  unlocked u;
  tn_error e;
  (void)kwargs;
  if (!c || !PyArg_ParseTuple(args, "O&:Sweep", PyUnicode_FSConverter, &path)) return NULL;
  sweep *s = (sweep *)PyType_GenericAlloc(type, 0);
  if (s) {
    s->c = c;
    const char *name = PyBytes_AsString(path);
    core_unlock(&u);
    const tn_status status = tn_sweep_read(&c->allocator, name, &s->sweep, &e);
    core_lock(&u);
    if (status != TN_OK) {
      Py_CLEAR(s);
      core_raise(&e);
    }
  }
  Py_DECREF(path);
  return (PyObject *)s;
}

static void sweep_finish(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  tn_sweep_free(((sweep *)self)->sweep);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyObject *sweep_run(PyObject *self, PyObject *args) {
  sweep *s = (sweep *)self;
  PyObject *progress;
  int workers;
  watcher w;
  unlocked u;
  tn_error e;
  if (!PyArg_ParseTuple(args, "iO:run", &workers, &progress) || !watcher_begin(&w, progress)) return NULL;
  if (s->under_way) {
    PyErr_SetString(PyExc_RuntimeError, "this sweep is being run by another thread");
    return NULL;
  }
  const tn_sweep_options o = {.workers = workers, .progress = on_sweep_progress, .stop = on_step, .user = &w};
  s->under_way = true;
  core_unlock(&u);
  const tn_status status = tn_sweep_run(s->sweep, &o, &e);
  core_lock(&u);
  s->under_way = false;
  return watcher_end(&w, status, &e) ? Py_NewRef(Py_None) : NULL;
}

/* kind: json csv text summary plan page */
static PyObject *sweep_report(PyObject *self, PyObject *arg) {
  const sweep *s = (sweep *)self;
  const char *kind = core_string(arg);
  text t = {0};
  tn_error e;
  if (!kind) return NULL;
  if (s->under_way) {
    PyErr_SetString(PyExc_RuntimeError, "this sweep is being run by another thread");
    return NULL;
  }
  typedef tn_status (*writer)(const tn_sweep *, tn_write, void *);
  static const struct {
    const char *name;
    writer write;
  } all[] = {{"json", tn_sweep_json},
             {"csv", tn_sweep_csv},
             {"text", tn_sweep_text},
             {"summary", tn_sweep_summary},
             {"plan", tn_sweep_plan}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(kind, all[i].name) == 0) return all[i].write(s->sweep, core_write, &t), core_text(&t);
  if (tn_sweep_page(s->sweep, "tenon.sweep", core_write, &t, &e) == TN_OK) return core_bytes(&t);
  free(t.bytes);
  return core_raise(&e);
}

static PyMethodDef sweep_methods[] = {
    METHOD("run", sweep_run, METH_VARARGS, "Run: workers, progress."),
    METHOD("report", sweep_report, METH_O, "As json, csv, text, summary, plan or page."),
    {NULL, NULL, 0, NULL}};
static PyType_Slot sweep_slots[] = {{Py_tp_doc, (void *)PyDoc_STR("A sweep: Sweep(path).")},
                                    {Py_tp_new, (void *)sweep_new},
                                    {Py_tp_dealloc, (void *)sweep_finish},
                                    {Py_tp_methods, sweep_methods},
                                    {0, NULL}};
PyType_Spec sweep_spec = {.name = "tenon._core.Sweep",
                          .basicsize = sizeof(sweep),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                          .slots = sweep_slots};
