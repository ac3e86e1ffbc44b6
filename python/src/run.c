/* runs: rows into one block of memory, the result file into another; progress, events, and Ctrl-C.
 *
 * The lock is given back for the whole run. Every so often, and where the model's events have happened, it is taken for a moment. */
#include "core.h"

typedef struct run {
  simulation *s;
  PyObject *progress, *on_event, *on_row; /* callables, or NULL                          */
  double *row;                            /* rows x (1 + columns): t first               */
  size_t rows, room, width;
  tn_recorder *recorder; /* NULL: nothing is recorded                   */
  text file;
  int64_t fired;  /* events that are told so far                 */
  int64_t *count; /* of each event, likewise                     */
  bool no_memory;
} run;

static bool add_row(run *r, double t, int n, const double *values) {
  if (r->rows == r->room) {
    const size_t room = r->room ? 2 * r->room : 256;
    double *larger = realloc(r->row, room * r->width * sizeof *larger);
    r->no_memory = r->no_memory || !larger;
    if (!larger) return false;
    r->row = larger;
    r->room = room;
  }
  double *to = r->row + r->rows++ * r->width;
  to[0] = t;
  memcpy(to + 1, values, (size_t)n * sizeof *to);
  return true;
}

static bool call_row(run *r, double t, int n, const double *values) {
  const callback c = core_callback();
  PyObject *row = core_array(r->s->c, 1, &(Py_ssize_t){n}, NULL, NULL), *answer = NULL;
  if (row) {
    memcpy(core_array_data(row), values, (size_t)n * sizeof *values);
    answer = PyObject_CallFunction(r->on_row, "dO", t, row);
  }
  const bool goes_on = answer && answer != Py_False;
  Py_XDECREF(row);
  Py_XDECREF(answer);
  core_callback_end(c);
  return goes_on;
}

static tn_status on_row(void *user, double t, int n, const double *values) {
  run *r = user;
  if (!add_row(r, t, n, values)) return TN_E_MEMORY;
  if (r->on_row && !call_row(r, t, n, values)) return TN_E_STOPPED;
  return r->recorder ? tn_recorder_row(r->recorder, t, n, values) : TN_OK;
}

/* an event that has happened several times since the last step is told as often, at its last time */
static bool tell_events(run *r) {
  tn_fired f;
  bool good = true;
  r->fired = tn_sim_summary(r->s->sim)->fired;
  for (int i = 0; good && tn_sim_fired(r->s->sim, i, &f); i++)
    for (; good && r->count[i] < f.count; r->count[i]++) {
      PyObject *answer = PyObject_CallFunction(r->on_event, "sd", f.event, f.last);
      good = answer && answer != Py_False;
      Py_XDECREF(answer);
    }
  return good;
}

static bool count_events(run *r) {
  tn_fired f;
  int n = 0;
  while (tn_sim_fired(r->s->sim, n, &f)) n++;
  r->count = calloc((size_t)n + 1, sizeof *r->count);
  for (int i = 0; r->count && tn_sim_fired(r->s->sim, i, &f); i++) r->count[i] = f.count;
  return r->count != NULL;
}

static bool on_step(void *user, double t) {
  run *r = user;
  const double now = core_clock();
  const bool happened = r->on_event && tn_sim_summary(r->s->sim)->fired != r->fired;
  if (!happened && now < r->s->next_look) return true;
  const callback c = core_callback();
  bool good = !happened || tell_events(r);
  if (good && now >= r->s->next_look) {
    r->s->next_look = now + r->s->beat;
    good = PyErr_CheckSignals() == 0;
    PyObject *answer = good && r->progress ? PyObject_CallFunction(r->progress, "d", t) : NULL;
    if (good && r->progress) good = answer && answer != Py_False;
    Py_XDECREF(answer);
  }
  core_callback_end(c);
  return good;
}

/* rows, file and exception of what came of it; the exception is None where the run reached its end */
static PyObject *outcome(run *r, tn_status status, const tn_error *e, bool recorded) {
  PyObject *type, *value, *trace, *error = NULL;
  simulation *s = r->s;
  if (r->no_memory && !PyErr_Occurred()) PyErr_NoMemory();
  if (!part_raised(((compiled *)s->model)->parts) && !PyErr_Occurred() && status != TN_OK) core_raise(e);
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace && value) PyException_SetTraceback(value, trace);
  error = value ? value : Py_NewRef(Py_None);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  double *fit = r->rows && r->rows < r->room ? realloc(r->row, r->rows * r->width * sizeof *fit) : NULL;
  if (fit) r->row = fit;
  PyObject *rows = core_array_adopt(s->c, 2, (Py_ssize_t[]){(Py_ssize_t)r->rows, (Py_ssize_t)r->width}, r->row);
  r->row = NULL;
  PyObject *file = recorded ? core_bytes(&r->file) : Py_NewRef(Py_None);
  free(r->file.bytes);
  if (rows && file) return Py_BuildValue("(NNN)", rows, file, error);
  Py_XDECREF(rows);
  Py_XDECREF(file);
  Py_DECREF(error);
  return NULL;
}

static bool callable_or_none(PyObject *given, PyObject **kept, const char *what) {
  *kept = given == Py_None ? NULL : given;
  if (!*kept || PyCallable_Check(given)) return true;
  PyErr_Format(PyExc_TypeError, "%s must be callable", what);
  return false;
}

PyObject *simulation_run(PyObject *self, PyObject *args, PyObject *kwargs) {
  static char *words[] = {"name", "description", "beat", "progress", "on_event", "on_row", NULL};
  simulation *s = (simulation *)self;
  PyObject *desc = Py_None, *progress = Py_None, *on_event = Py_None, *told_row = Py_None;
  const char *name = "";
  double beat = s->beat;
  run r = {.s = s, .width = (size_t)tn_sim_columns(s->sim) + 1, .fired = tn_sim_summary(s->sim)->fired};
  unlocked u;
  tn_error e;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|sOdOOO:run", words, &name, &desc, &beat, &progress, &on_event,
                                   &told_row))
    return NULL;
  if (!callable_or_none(progress, &r.progress, "progress") || !callable_or_none(on_event, &r.on_event, "on_event") ||
      !callable_or_none(told_row, &r.on_row, "on_row"))
    return NULL;
  if (desc != Py_None && Py_TYPE(desc) != s->c->description) {
    PyErr_SetString(PyExc_TypeError, "a description is needed");
    return NULL;
  }
  if (!simulation_enter(s)) return NULL;
  if (!count_events(&r)) {
    simulation_leave(s);
    return PyErr_NoMemory();
  }
  if (s->depth > 1) { /* from one of its own callbacks */
    free(r.count);
    simulation_leave(s);
    PyErr_SetString(PyExc_RuntimeError, "this simulation is running: a callback may only read it");
    return NULL;
  }
  s->beat = beat;
  core_unlock(&u);
  tn_status status = tn_sim_start(s->sim, &e);
  if (status == TN_OK && desc != Py_None)
    status = tn_recorder_new(s->sim, ((description *)desc)->desc, name, core_write, &r.file, &r.recorder, &e);
  const bool recorded = r.recorder != NULL;
  if (status == TN_OK) {
    tn_sim_watch(s->sim, on_step, &r);
    status = tn_sim_run(s->sim, on_row, &r, &e);
    tn_sim_watch(s->sim, NULL, NULL);
  }
  if (r.recorder && tn_recorder_end(r.recorder, s->sim, name, tn_report_json) != TN_OK && status == TN_OK)
    r.no_memory = true;
  tn_recorder_free(r.recorder);
  core_lock(&u);
  if (status == TN_OK && r.on_event && !tell_events(&r)) status = TN_E_STOPPED; /* those of the last step */
  free(r.count);
  simulation_leave(s);
  simulation_show(s);
  return outcome(&r, status, &e, recorded);
}
