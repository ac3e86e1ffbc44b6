/* a simulation: its state, what can be read of it, the equations at a state. runs are in run.c. */
#include "core.h"

static const double BEAT = 0.05; /* s: signals and progress are looked at so often */

/* ---- life --------------------------------------------------------------------------------------------------------------- */

static PyObject *simulation_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *model;
  tn_error e;
  core *c = core_of_type(type);
  (void)kwargs; /* of a class that derives from this one */
  if (!c || !PyArg_ParseTuple(args, "O:Simulation", &model)) return NULL;
  if (Py_TYPE(model) != c->compiled) {
    PyErr_SetString(PyExc_TypeError, "a compiled model is needed");
    return NULL;
  }
  simulation *s = (simulation *)PyType_GenericAlloc(type, 0);
  if (!s) return NULL;
  s->c = c;
  s->model = Py_NewRef(model);
  s->beat = BEAT;
  if (tn_sim_new(((compiled *)model)->model, &s->sim, &e) == TN_OK) return (PyObject *)s;
  Py_DECREF(s);
  return core_raise(&e);
}

static int simulation_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((simulation *)self)->model);
  return 0;
}

static void simulation_finish(PyObject *self) {
  simulation *s = (simulation *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  tn_sim_free(s->sim);
  Py_XDECREF(s->shown);
  Py_XDECREF(s->pose);
  Py_XDECREF(s->model);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

bool simulation_enter(simulation *s) {
  const unsigned long here = PyThread_get_thread_ident();
  if (s->depth && s->thread != here) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this simulation is running in another thread: give each thread a simulation of its own");
    return false;
  }
  s->thread = here;
  s->depth++;
  return true;
}

void simulation_leave(simulation *s) { s->depth--; }

/* ---- views -------------------------------------------------------------------------------------------------------------- */

static int shown_numbers(const simulation *s) {
  return tn_sim_coordinates(s->sim) + tn_sim_speeds(s->sim) + tn_sim_states(s->sim);
}

/* the library keeps states in turns: views have memory of their own, which follows after every call that moves the simulation. it is an
 * object that knows nothing of the simulation: arrays of NumPy take no part in the search for cycles, and the simulation keeps them */
void simulation_show(simulation *s) {
  if (!s->shown) return;
  double *shown = core_array_data(s->shown);
  const size_t nq = (size_t)tn_sim_coordinates(s->sim), nu = (size_t)tn_sim_speeds(s->sim);
  memcpy(shown, tn_sim_q(s->sim), sizeof(double) * nq);
  memcpy(shown + nq, tn_sim_u(s->sim), sizeof(double) * nu);
  memcpy(shown + nq + nu, tn_sim_state(s->sim), sizeof(double) * (size_t)tn_sim_states(s->sim));
}

static PyObject *view(PyObject *self, PyObject *arg) {
  simulation *s = (simulation *)self;
  const char *what = core_string(arg);
  if (!what) return NULL;
  if (!s->shown) {
    s->shown = core_array(s->c, 1, &(Py_ssize_t){shown_numbers(s)}, NULL, NULL);
    if (!s->shown) return NULL;
    if (!s->depth) simulation_show(s);
  }
  const int nq = tn_sim_coordinates(s->sim), nu = tn_sim_speeds(s->sim);
  double *shown = core_array_data(s->shown);
  if (strcmp(what, "q") == 0) return core_array(s->c, 1, &(Py_ssize_t){nq}, shown, s->shown);
  if (strcmp(what, "u") == 0) return core_array(s->c, 1, &(Py_ssize_t){nu}, shown + nq, s->shown);
  return core_array(s->c, 1, &(Py_ssize_t){tn_sim_states(s->sim)}, shown + nq + nu, s->shown);
}

static PyObject *copy_of(simulation *s, int n, const double *from) {
  PyObject *a = core_array(s->c, 1, &(Py_ssize_t){n}, NULL, NULL);
  if (a && n) memcpy(core_array_data(a), from, sizeof(double) * (size_t)n);
  return a;
}

static PyObject *memory(PyObject *self, PyObject *unused) {
  simulation *s = (simulation *)self;
  (void)unused;
  return copy_of(s, tn_sim_remembered(s->sim), tn_sim_memory(s->sim));
}

/* fills memory that stays the same */
static PyObject *poses(PyObject *self, PyObject *unused) {
  simulation *s = (simulation *)self;
  const Py_ssize_t shape[2] = {tn_sim_bodies(s->sim), tn_sim_pose_size(s->sim)};
  tn_error e;
  (void)unused;
  if (!simulation_enter(s)) return NULL;
  if (!s->pose) s->pose = core_array(s->c, 2, shape, NULL, NULL);
  const tn_status status = s->pose ? tn_sim_poses(s->sim, core_array_data(s->pose), &e) : TN_OK;
  simulation_leave(s);
  if (!s->pose || part_raised(((compiled *)s->model)->parts)) return NULL;
  if (status != TN_OK) return core_raise(&e);
  return core_array(s->c, 2, shape, core_array_data(s->pose), s->pose);
}

/* ---- moving ------------------------------------------------------------------------------------------------------------- */

/* between steps: signals are looked at every so often */
static bool look(void *user, double t) {
  simulation *s = user;
  (void)t;
  const double now = core_clock();
  if (now < s->next_look) return true;
  s->next_look = now + s->beat;
  const callback c = core_callback();
  const bool goes_on = PyErr_CheckSignals() == 0;
  core_callback_end(c);
  return goes_on;
}

static PyObject *after(simulation *s, tn_status status, const tn_error *e) {
  simulation_leave(s);
  simulation_show(s);
  if (part_raised(((compiled *)s->model)->parts) || PyErr_Occurred()) return NULL;
  return status == TN_OK ? Py_NewRef(Py_None) : core_raise(e);
}

static PyObject *advance(PyObject *self, PyObject *arg) {
  simulation *s = (simulation *)self;
  const double t = PyFloat_AsDouble(arg);
  unlocked u;
  tn_error e;
  if ((t == -1 && PyErr_Occurred()) || !simulation_enter(s)) return NULL;
  if (s->depth == 1) tn_sim_watch(s->sim, look, s);
  core_unlock(&u);
  const tn_status status = tn_sim_advance(s->sim, t, &e);
  core_lock(&u);
  return after(s, status, &e);
}

static PyObject *start(PyObject *self, PyObject *unused) {
  simulation *s = (simulation *)self;
  unlocked u;
  tn_error e;
  (void)unused;
  if (!simulation_enter(s)) return NULL;
  core_unlock(&u);
  const tn_status status = tn_sim_start(s->sim, &e);
  core_lock(&u);
  return after(s, status, &e);
}

static PyObject *set(PyObject *self, PyObject *args) {
  simulation *s = (simulation *)self;
  double t, *q = NULL, *v = NULL;
  PyObject *q_given, *u_given;
  int assemble;
  unlocked u;
  tn_error e;
  if (!PyArg_ParseTuple(args, "dOOp:set", &t, &q_given, &u_given, &assemble)) return NULL;
  if (q_given != Py_None && !(q = core_numbers(q_given, tn_sim_coordinates(s->sim), NULL, "q"))) return NULL;
  if (u_given != Py_None && !(v = core_numbers(u_given, tn_sim_speeds(s->sim), NULL, "u"))) {
    PyMem_Free(q);
    return NULL;
  }
  PyObject *made = NULL;
  if (simulation_enter(s)) {
    core_unlock(&u);
    const tn_status status = tn_sim_set(s->sim, t, q, v, assemble, &e);
    core_lock(&u);
    made = after(s, status, &e);
  }
  PyMem_Free(q);
  PyMem_Free(v);
  return made;
}

static PyObject *set_state(PyObject *self, PyObject *arg) {
  simulation *s = (simulation *)self;
  tn_error e;
  double *x = core_numbers(arg, tn_sim_states(s->sim), NULL, "states");
  PyObject *made = NULL;
  if (x && simulation_enter(s)) made = after(s, tn_sim_set_state(s->sim, x, &e), &e);
  PyMem_Free(x);
  return made;
}

static PyObject *remember(PyObject *self, PyObject *arg) {
  simulation *s = (simulation *)self;
  tn_error e;
  double *x = core_numbers(arg, tn_sim_remembered(s->sim), NULL, "memory");
  PyObject *made = NULL;
  if (x && simulation_enter(s)) made = after(s, tn_sim_remember(s->sim, x, &e), &e);
  PyMem_Free(x);
  return made;
}

static PyObject *set_parameter(PyObject *self, PyObject *args) {
  simulation *s = (simulation *)self;
  const char *name;
  double value;
  tn_error e;
  if (!PyArg_ParseTuple(args, "sd:set_parameter", &name, &value) || !simulation_enter(s)) return NULL;
  return after(s, tn_sim_set_parameter(s->sim, name, value, &e), &e);
}

static PyObject *parameters(PyObject *self, PyObject *unused) {
  const simulation *s = (simulation *)self;
  PyObject *dict = PyDict_New();
  (void)unused;
  for (int i = 0; dict && i < tn_sim_parameters(s->sim); i++) {
    PyObject *x = PyFloat_FromDouble(tn_sim_parameter(s->sim, i));
    if (!x || PyDict_SetItemString(dict, tn_sim_parameter_name(s->sim, i), x) != 0) Py_CLEAR(dict);
    Py_XDECREF(x);
  }
  return dict;
}

static PyObject *set_switch(PyObject *self, PyObject *args) {
  simulation *s = (simulation *)self;
  const char *name;
  int on;
  tn_error e;
  if (!PyArg_ParseTuple(args, "sp:switch", &name, &on) || !simulation_enter(s)) return NULL;
  return after(s, tn_sim_switch(s->sim, name, on, &e), &e);
}

static PyObject *is_on(PyObject *self, PyObject *arg) {
  simulation *s = (simulation *)self;
  const char *name = core_string(arg);
  bool on;
  tn_error e;
  if (!name || !simulation_enter(s)) return NULL;
  const tn_status status = tn_sim_is_on(s->sim, name, &on, &e);
  simulation_leave(s);
  return status == TN_OK ? PyBool_FromLong(on) : core_raise(&e);
}

static PyObject *save(PyObject *self, PyObject *unused) {
  simulation *s = (simulation *)self;
  text t = {0};
  tn_error e;
  (void)unused;
  if (!simulation_enter(s)) return NULL;
  const tn_status status = tn_sim_save(s->sim, core_write, &t, &e);
  simulation_leave(s);
  if (status == TN_OK) return core_bytes(&t);
  free(t.bytes);
  return t.failed ? PyErr_NoMemory() : core_raise(&e);
}

static PyObject *load(PyObject *self, PyObject *args) {
  simulation *s = (simulation *)self;
  const char *bytes;
  Py_ssize_t size;
  tn_error e;
  if (!PyArg_ParseTuple(args, "y#:load", &bytes, &size) || !simulation_enter(s)) return NULL;
  return after(s, tn_sim_load(s->sim, bytes, (size_t)size, &e), &e);
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static PyObject *channel(PyObject *self, PyObject *arg) {
  simulation *s = (simulation *)self;
  const char *name = core_string(arg);
  double value;
  tn_error e;
  if (!name || !simulation_enter(s)) return NULL;
  const tn_status status = tn_sim_channel(s->sim, name, &value, &e);
  simulation_leave(s);
  if (part_raised(((compiled *)s->model)->parts)) return NULL;
  if (status == TN_OK) return PyFloat_FromDouble(value);
  if (status != TN_E_USAGE) return core_raise(&e);
  core_raise(&e); /* a name that is not there */
  return NULL;
}

static PyObject *channels(PyObject *self, PyObject *arg) {
  simulation *s = (simulation *)self;
  Py_ssize_t n = 0;
  PyObject *keep, *made = NULL;
  tn_error e;
  const char **name = core_names(arg, &n, &keep);
  if (!name) return NULL;
  if (simulation_enter(s)) {
    made = core_array(s->c, 1, &n, NULL, NULL);
    const tn_status status = made ? tn_sim_channels(s->sim, (int)n, name, core_array_data(made), &e) : TN_OK;
    simulation_leave(s);
    if (part_raised(((compiled *)s->model)->parts) || status != TN_OK) Py_CLEAR(made);
    if (status != TN_OK) core_raise(&e);
  }
  PyMem_Free(name);
  Py_DECREF(keep);
  return made;
}

static PyObject *outputs(PyObject *self, PyObject *unused) {
  simulation *s = (simulation *)self;
  tn_error e;
  (void)unused;
  if (!simulation_enter(s)) return NULL;
  PyObject *made = core_array(s->c, 1, &(Py_ssize_t){tn_sim_columns(s->sim)}, NULL, NULL);
  const tn_status status = made ? tn_sim_outputs(s->sim, core_array_data(made), &e) : TN_OK;
  simulation_leave(s);
  if (part_raised(((compiled *)s->model)->parts) || status != TN_OK) Py_CLEAR(made);
  return status == TN_OK ? made : core_raise(&e);
}

static PyObject *get_time(PyObject *self, void *unused) {
  (void)unused;
  return PyFloat_FromDouble(tn_sim_time(((simulation *)self)->sim));
}

static PyObject *name_list(const tn_sim *s, int n, const char *(*name)(const tn_sim *, int)) {
  PyObject *tuple = PyTuple_New(n);
  for (int i = 0; tuple && i < n; i++) {
    PyObject *one = core_str(name(s, i));
    if (!one || PyTuple_SetItem(tuple, i, one) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

/* names of columns and their units, coordinates, speeds, states, joints of the rows, bodies */
static PyObject *names(PyObject *self, PyObject *arg) {
  const tn_sim *s = ((simulation *)self)->sim;
  const char *what = core_string(arg);
  if (!what) return NULL;
  if (strcmp(what, "columns") == 0) return name_list(s, tn_sim_columns(s), tn_sim_column);
  if (strcmp(what, "units") == 0) return name_list(s, tn_sim_columns(s), tn_sim_column_unit);
  if (strcmp(what, "coordinates") == 0) return name_list(s, tn_sim_coordinates(s), tn_sim_coordinate);
  if (strcmp(what, "speeds") == 0) return name_list(s, tn_sim_speeds(s), tn_sim_speed);
  if (strcmp(what, "states") == 0) return name_list(s, tn_sim_states(s), tn_sim_state_name);
  if (strcmp(what, "bodies") == 0) return name_list(s, tn_sim_bodies(s), tn_sim_body);
  if (strcmp(what, "rows") == 0) {
    int rows = 0;
    while (tn_sim_row_joint(s, rows)) rows++;
    return name_list(s, rows, tn_sim_row_joint);
  }
  PyErr_SetString(PyExc_ValueError, what);
  return NULL;
}

/* ---- the equations ------------------------------------------------------------------------------------------------------ */

static bool put_array(simulation *s, PyObject *dict, const char *name, int rows, int columns, const double *from) {
  const Py_ssize_t shape[2] = {rows, columns};
  PyObject *a = core_array(s->c, columns < 0 ? 1 : 2, shape, NULL, NULL);
  const size_t n = (size_t)rows * (size_t)(columns < 0 ? 1 : columns);
  if (a && n) memcpy(core_array_data(a), from, sizeof(double) * n);
  const bool good = a && PyDict_SetItemString(dict, name, a) == 0;
  Py_XDECREF(a);
  return good;
}

/* numbers that may be left out */
static bool optional(PyObject *given, int n, const char *what, double **x) {
  *x = NULL;
  return given == Py_None || (*x = core_numbers(given, n, NULL, what)) != NULL;
}

typedef struct place {
  double t, *q, *u, *state;
} place;

static void place_free(place *p) {
  PyMem_Free(p->q);
  PyMem_Free(p->u);
  PyMem_Free(p->state);
}

static bool place_read(const simulation *s, PyObject *args, place *p) {
  PyObject *t, *q, *u, *state;
  *p = (place){.t = tn_sim_time(s->sim)};
  if (!PyArg_ParseTuple(args, "OOOO:eval", &t, &q, &u, &state)) return false;
  if (t != Py_None && (p->t = PyFloat_AsDouble(t)) == -1 && PyErr_Occurred()) return false;
  if (optional(q, tn_sim_coordinates(s->sim), "q", &p->q) && optional(u, tn_sim_speeds(s->sim), "u", &p->u) &&
      optional(state, tn_sim_states(s->sim), "states", &p->state))
    return true;
  place_free(p);
  return false;
}

static PyObject *eval(PyObject *self, PyObject *args) {
  simulation *s = (simulation *)self;
  place p;
  tn_eval e;
  tn_error error;
  PyObject *dict = NULL;
  if (!place_read(s, args, &p)) return NULL;
  if (simulation_enter(s)) {
    const tn_status status = tn_sim_eval_at(s->sim, p.t, p.q, p.u, p.state, &e, &error);
    simulation_leave(s);
    if (part_raised(((compiled *)s->model)->parts))
      ;
    else if (status != TN_OK)
      core_raise(&error);
    else
      dict = Py_BuildValue("{sisisd}", "rank", e.rank, "holonomic", e.holonomic, "t", e.t);
  }
  place_free(&p);
  if (!dict) return NULL;
  const bool good =
      put_array(s, dict, "q", e.coordinates, -1, e.q) && put_array(s, dict, "u", e.speeds, -1, e.u) &&
      put_array(s, dict, "M", e.speeds, e.speeds, e.M) && put_array(s, dict, "f", e.speeds, -1, e.f) &&
      put_array(s, dict, "A", e.rows, e.speeds, e.A) && put_array(s, dict, "C", e.rows, -1, e.C) &&
      put_array(s, dict, "Cdot", e.rows, -1, e.Cdot) && put_array(s, dict, "gamma", e.rows, -1, e.gamma) &&
      put_array(s, dict, "udot", e.speeds, -1, e.udot) && put_array(s, dict, "lambda", e.rows, -1, e.lambda) &&
      put_array(s, dict, "singular_values", e.values, -1, e.singular_values);
  if (!good) Py_CLEAR(dict);
  return dict;
}

/* y = (q, u, states) to ydot, into memory that stays the same: ydot is that of the last call */
static PyObject *rates(PyObject *self, PyObject *args) {
  simulation *s = (simulation *)self;
  PyObject *given;
  double t;
  tn_error e;
  const int nq = tn_sim_coordinates(s->sim), nu = tn_sim_speeds(s->sim), n = nq + nu + tn_sim_states(s->sim);
  if (!PyArg_ParseTuple(args, "dO:rates", &t, &given)) return NULL;
  double *y = core_numbers(given, n, NULL, "y");
  PyObject *made = NULL;
  if (y && simulation_enter(s)) {
    made = core_array(s->c, 1, &(Py_ssize_t){n}, NULL, NULL);
    double *to = made ? core_array_data(made) : NULL;
    const tn_status status =
        made ? tn_sim_rates(s->sim, t, y, y + nq, y + nq + nu, to, to + nq, to + nq + nu, NULL, &e) : TN_OK;
    simulation_leave(s);
    if (part_raised(((compiled *)s->model)->parts) || status != TN_OK) Py_CLEAR(made);
    if (status != TN_OK) core_raise(&e);
  }
  PyMem_Free(y);
  return made;
}

static PyObject *coriolis(PyObject *self, PyObject *unused) {
  simulation *s = (simulation *)self;
  const int nu = tn_sim_speeds(s->sim);
  tn_error e;
  (void)unused;
  if (!simulation_enter(s)) return NULL;
  PyObject *made = core_array(s->c, 2, (Py_ssize_t[]){nu, nu}, NULL, NULL);
  const tn_status status = made ? tn_sim_coriolis(s->sim, core_array_data(made), &e) : TN_OK;
  simulation_leave(s);
  if (status == TN_OK) return made;
  Py_XDECREF(made);
  return core_raise(&e);
}

/* ---- what it says of itself --------------------------------------------------------------------------------------------- */

/* kind: json text all check check_json eval; name: of the model */
static PyObject *report(PyObject *self, PyObject *args) {
  simulation *s = (simulation *)self;
  const char *kind, *name;
  text t = {0};
  tn_error e = {.status = TN_E_MEMORY};
  tn_status status = TN_E_USAGE;
  if (!PyArg_ParseTuple(args, "ss:report", &kind, &name) || !simulation_enter(s)) return NULL;
  if (strcmp(kind, "json") == 0) status = tn_report_json(s->sim, name, core_write, &t);
  if (strcmp(kind, "text") == 0) status = tn_report_text(s->sim, name, core_write, &t);
  if (strcmp(kind, "all") == 0) status = tn_report_text_all(s->sim, name, core_write, &t);
  if (strcmp(kind, "check") == 0) status = tn_report_check_text(s->sim, name, core_write, &t);
  if (strcmp(kind, "check_json") == 0) status = tn_report_check_json(s->sim, name, core_write, &t);
  if (strcmp(kind, "eval") == 0) status = tn_report_eval(s->sim, name, core_write, &t, &e);
  simulation_leave(s);
  if (status == TN_OK) return core_text(&t);
  free(t.bytes);
  if (status != TN_E_USAGE || strcmp(kind, "eval") == 0) return core_raise(&e);
  PyErr_SetString(PyExc_ValueError, kind);
  return NULL;
}

static PyObject *verdict(PyObject *self, void *unused) {
  (void)unused;
  return core_str(tn_run_verdict_name(tn_sim_summary(((simulation *)self)->sim)->verdict));
}

static PyObject *fired(PyObject *self, PyObject *unused) {
  const simulation *s = (simulation *)self;
  PyObject *list = PyList_New(0);
  tn_fired f;
  (void)unused;
  for (int i = 0; list && tn_sim_fired(s->sim, i, &f); i++) {
    PyObject *one = Py_BuildValue("(NLddd)", core_str(f.event), (long long)f.count, f.first, f.last, f.energy_lost);
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *events(PyObject *self, PyObject *unused) {
  const simulation *s = (simulation *)self;
  PyObject *list = PyList_New(0);
  (void)unused;
  for (int i = 0; list && i < tn_sim_events(s->sim); i++) {
    const tn_event *e = tn_sim_event(s->sim, i);
    PyObject *one = Py_BuildValue("(dNN)", e->t, core_str(e->kind), core_str(e->text));
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *drift(PyObject *self, PyObject *unused) {
  const simulation *s = (simulation *)self;
  PyObject *list = PyList_New(0);
  tn_drift d;
  (void)unused;
  for (int i = 0; list && tn_sim_drift(s->sim, i, &d); i++) {
    PyObject *one = Py_BuildValue("(Nidddd)", core_str(d.joint), d.rows, d.position_max, d.position_rms, d.velocity_max,
                                  d.velocity_rms);
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyMethodDef methods[] = {
    METHOD("start", start, METH_NOARGS, "Assemble the start, or take it as given; advance and run do so themselves."),
    METHOD("advance", advance, METH_O,
           "On to time t, s. The state there is that of a step, never an interpolated one."),
    METHOD("_run", simulation_run, METH_VARARGS | METH_KEYWORDS, "To the end of the run: see Simulation.run."),
    METHOD("_set", set, METH_VARARGS, "Another state: t, q, u, assemble."),
    METHOD("_set_state", set_state, METH_O, "Other states of forces."),
    METHOD("_remember", remember, METH_O, "What joints remember of their turns."),
    METHOD("_memory", memory, METH_NOARGS, "What joints remember of their turns."),
    METHOD("_view", view, METH_O, "A view of q, u or states."),
    METHOD("_poses", poses, METH_NOARGS, "Poses of all bodies, in memory that stays the same."),
    METHOD("set_parameter", set_parameter, METH_VARARGS, "Another value of a parameter, from the present state on."),
    METHOD("_parameters", parameters, METH_NOARGS, "Parameters and their present values."),
    METHOD("switch", set_switch, METH_VARARGS, "A force or a switchable joint on or off: name, on."),
    METHOD("is_on", is_on, METH_O, "Is this force or joint on?"),
    METHOD("save", save, METH_NOARGS, "All of the simulation between two steps, as bytes."),
    METHOD("load", load, METH_VARARGS, "Take up what save gave, of the same model."),
    METHOD("channel", channel, METH_O, "A channel by name at the present state, such as 'A.angle'."),
    METHOD("_channels", channels, METH_O, "Several channels."),
    METHOD("_outputs", outputs, METH_NOARGS, "The outputs of the model at the present state."),
    METHOD("_names", names, METH_O, "Names of columns, units, coordinates, speeds, states, bodies, rows."),
    METHOD("_eval", eval, METH_VARARGS, "The equations at t, q, u, states; None: the present ones."),
    METHOD("_rates", rates, METH_VARARGS, "The rates of y = (q, u, states) at t."),
    METHOD("_coriolis", coriolis, METH_NOARGS, "The Coriolis matrix of Christoffel symbols."),
    METHOD("_report", report, METH_VARARGS, "A report: kind, name of the model."),
    METHOD("_fired", fired, METH_NOARGS, "Events of the model: name, count, first, last, energy lost."),
    METHOD("_events", events, METH_NOARGS, "The log: t, kind, text."),
    METHOD("_drift", drift, METH_NOARGS, "Joints: rows, largest and mean violations."),
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getset[] = {{"t", get_time, NULL, PyDoc_STR("The time, s."), NULL},
                               {"verdict", verdict, NULL, PyDoc_STR("trusted, doubtful or wrong."), NULL},
                               {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc, (void *)PyDoc_STR("A simulation of a compiled model.")},
                              {Py_tp_new, (void *)simulation_new},
                              {Py_tp_traverse, (void *)simulation_traverse},
                              {Py_tp_dealloc, (void *)simulation_finish},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, getset},
                              {Py_mp_subscript, (void *)channel},
                              {0, NULL}};
PyType_Spec simulation_spec = {.name = "tenon._core.Simulation",
                               .basicsize = sizeof(simulation),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                               .slots = slots};
