/* descriptions and compiled models. */
#include "core.h"

/* ---- descriptions ------------------------------------------------------------------------------------------------------- */

static PyObject *description_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  tn_error e;
  if ((args && PyTuple_Size(args)) || (kwargs && PyDict_Size(kwargs))) {
    PyErr_SetString(PyExc_TypeError, "Description takes no arguments");
    return NULL;
  }
  PyObject *module = PyType_GetModule(type); /* the type itself: nobody may derive from it */
  description *d = module ? (description *)PyType_GenericAlloc(type, 0) : NULL;
  if (!d) return NULL;
  d->c = core_of(module);
  d->parts = PyDict_New();
  if (d->parts && tn_desc_new(&d->c->allocator, &d->desc, &e) != TN_OK) core_raise(&e);
  if (d->desc) return (PyObject *)d;
  Py_DECREF(d);
  return NULL;
}

static int description_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((description *)self)->parts);
  return 0;
}

/* `parts` has capsules that the description reads from: it goes with the description, not before it */
static void description_finish(PyObject *self) {
  description *d = (description *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  tn_desc_free(d->desc);
  Py_XDECREF(d->parts);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/* none of its calls may change what threads read */
static bool may_change(description *d) {
  if (d->under_way) PyErr_SetString(PyExc_RuntimeError, "this description is being used by another thread");
  return !d->under_way;
}

static PyObject *done(tn_status status, const tn_error *e) {
  return status == TN_OK ? Py_NewRef(Py_None) : core_raise(e);
}

static PyObject *parse(PyObject *self, PyObject *args) {
  description *d = (description *)self;
  const char *name, *bytes;
  Py_ssize_t size;
  tn_error e;
  if (!may_change(d) || !PyArg_ParseTuple(args, "sy#:parse", &name, &bytes, &size)) return NULL;
  return done(tn_desc_parse(d->desc, name, bytes, (size_t)size, &e), &e);
}

static PyObject *set_number(PyObject *self, PyObject *args) {
  description *d = (description *)self;
  const char *pointer;
  double value;
  tn_error e;
  if (!may_change(d) || !PyArg_ParseTuple(args, "sd:number", &pointer, &value)) return NULL;
  return done(tn_desc_number(d->desc, pointer, value, &e), &e);
}

typedef tn_status (*put_text)(tn_desc *desc, const char *pointer, const char *value, tn_error *e);
static PyObject *put(PyObject *self, PyObject *args, put_text function) {
  description *d = (description *)self;
  const char *pointer, *value;
  tn_error e;
  if (!may_change(d) || !PyArg_ParseTuple(args, "ss", &pointer, &value)) return NULL;
  return done(function(d->desc, pointer, value, &e), &e);
}
static PyObject *set_text(PyObject *self, PyObject *args) { return put(self, args, tn_desc_text); }
static PyObject *set_json(PyObject *self, PyObject *args) { return put(self, args, tn_desc_json); }
static PyObject *set_part(PyObject *self, PyObject *args) { return put(self, args, tn_desc_part); }

static PyObject *take_away(PyObject *self, PyObject *arg) {
  description *d = (description *)self;
  const char *pointer = core_string(arg);
  if (!pointer || !may_change(d)) return NULL;
  tn_desc_remove(d->desc, pointer);
  return Py_NewRef(Py_None);
}

static PyObject *has(PyObject *self, PyObject *arg) {
  const char *pointer = core_string(arg);
  return pointer ? PyBool_FromLong(tn_desc_has(((description *)self)->desc, pointer)) : NULL;
}

static PyObject *settings(PyObject *self, PyObject *pairs) {
  description *d = (description *)self;
  PyObject *tuple = may_change(d) ? PySequence_Tuple(pairs) : NULL;
  if (!tuple) return NULL;
  const Py_ssize_t n = PyTuple_Size(tuple);
  tn_setting *setting = PyMem_Calloc((size_t)n + 1, sizeof *setting);
  PyObject *made = NULL;
  tn_error e;
  bool good = setting != NULL;
  for (Py_ssize_t i = 0; good && i < n; i++) {
    PyObject *pair = PyTuple_GetItem(tuple, i);
    good = PyTuple_Check(pair) && PyArg_ParseTuple(pair, "ss", &setting[i].name, &setting[i].value);
    if (!good && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "settings are tuples of two texts");
  }
  if (!setting) PyErr_NoMemory();
  if (good) made = done(tn_desc_settings(d->desc, (int)n, setting, &e), &e);
  PyMem_Free(setting);
  Py_DECREF(tuple);
  return made;
}

static PyObject *description_print(PyObject *self, PyObject *unused) {
  text t = {0};
  tn_error e;
  (void)unused;
  if (tn_desc_print(((description *)self)->desc, core_write, &t, &e) == TN_OK) return core_text(&t);
  free(t.bytes);
  return t.failed ? PyErr_NoMemory() : core_raise(&e);
}

static PyObject *compile(PyObject *self, PyObject *unused) {
  description *d = (description *)self;
  tn_model *model;
  tn_error e;
  (void)unused;
  if (tn_compile(d->desc, &model, &e) != TN_OK) return core_raise(&e);
  return compiled_new(d->c, model, d->parts);
}

static PyMethodDef description_methods[] = {
    METHOD("parse", parse, METH_VARARGS, "Read a model: its name for messages, its text as bytes."),
    METHOD("number", set_number, METH_VARARGS, "Set a number: pointer, value."),
    METHOD("text", set_text, METH_VARARGS, "Set a text: pointer, value."),
    METHOD("json", set_json, METH_VARARGS, "Set any value: pointer, JSON."),
    METHOD("part", set_part, METH_VARARGS, "Set a part in the short form of the command line: pointer, part."),
    METHOD("remove", take_away, METH_O, "Remove a value, if it is there: pointer."),
    METHOD("has", has, METH_O, "Is there a value at this pointer?"),
    METHOD("settings", settings, METH_O, "Settings of a run: tuples of name and value."),
    METHOD("print", description_print, METH_NOARGS, "The description as JSON."),
    METHOD("compile", compile, METH_NOARGS, "The model."),
    METHOD("batch", description_batch, METH_VARARGS | METH_KEYWORDS, "Runs with many values: see tenon.batch."),
    METHOD("compare", description_compare, METH_VARARGS | METH_KEYWORDS, "Methods compared: see tenon.compare."),
    METHOD("tune", description_tune, METH_VARARGS | METH_KEYWORDS, "Gains searched for: see tenon.tune."),
    METHOD("predictable_until", description_verify, METH_VARARGS, "Until when a run is predictable, s."),
    METHOD("add_force", description_add_force, METH_VARARGS | METH_KEYWORDS, "A law of a force that is a function."),
    {NULL, NULL, 0, NULL}};

static PyType_Slot description_slots[] = {{Py_tp_doc, (void *)PyDoc_STR("A model as written: a tree of values.")},
                                          {Py_tp_new, (void *)description_new},
                                          {Py_tp_traverse, (void *)description_traverse},
                                          {Py_tp_dealloc, (void *)description_finish},
                                          {Py_tp_methods, description_methods},
                                          {0, NULL}};
PyType_Spec description_spec = {.name = "tenon._core.Description",
                                .basicsize = sizeof(description),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
                                .slots = description_slots};

/* ---- models ------------------------------------------------------------------------------------------------------------- */

PyObject *compiled_new(core *c, tn_model *model, PyObject *parts) {
  compiled *m = (compiled *)PyType_GenericAlloc(c->compiled, 0);
  if (!m) {
    tn_model_free(model);
    return NULL;
  }
  m->c = c;
  m->model = model;
  m->parts = PyDict_Copy(parts); /* the description may get more, or other ones */
  if (m->parts) return (PyObject *)m;
  Py_DECREF(m);
  return NULL;
}

static int compiled_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((compiled *)self)->parts);
  return 0;
}

static void compiled_finish(PyObject *self) {
  compiled *m = (compiled *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  tn_model_free(m->model);
  Py_XDECREF(m->parts);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static PyObject *info(PyObject *self, PyObject *unused) {
  const tn_model *m = ((compiled *)self)->model;
  tn_model_info i;
  (void)unused;
  tn_model_get_info(m, &i);
  PyObject *stabilizers = PyTuple_New(i.stabilizers);
  for (int k = 0; stabilizers && k < i.stabilizers; k++) {
    PyObject *name = core_str(tn_model_stabilizer(m, k));
    if (!name || PyTuple_SetItem(stabilizers, k, name) != 0) Py_CLEAR(stabilizers);
  }
  if (!stabilizers) return NULL;
  return Py_BuildValue("{sNsNsNsNsNsisisisisisisdsdsdsi}", "title", core_str(i.title), "method", core_str(i.method),
                       "formulation", core_str(i.formulation), "integrator", core_str(i.integrator), "stabilizers",
                       stabilizers, "bodies", i.bodies, "joints", i.joints, "forces", i.forces, "coordinates",
                       i.coordinates, "speeds", i.speeds, "rows", i.rows, "length", i.length, "until", i.until, "every",
                       i.every, "dimension", i.dimension);
}

static PyObject *compiled_settings(PyObject *self, PyObject *unused) {
  char words[2048];
  (void)unused;
  tn_model_settings(((compiled *)self)->model, words, sizeof words);
  return core_str(words);
}

static PyObject *compiled_print(PyObject *self, PyObject *unused) {
  text t = {0};
  tn_error e;
  (void)unused;
  if (tn_model_print(((compiled *)self)->model, core_write, &t, &e) == TN_OK) return core_text(&t);
  free(t.bytes);
  return t.failed ? PyErr_NoMemory() : core_raise(&e);
}

static PyObject *remarks(PyObject *self, PyObject *unused) {
  const tn_model *m = ((compiled *)self)->model;
  PyObject *list = PyList_New(0);
  (void)unused;
  for (int i = 0; list && i < tn_model_warnings(m); i++) {
    PyObject *one = core_remark(tn_model_warning(m, i));
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *files(PyObject *self, PyObject *unused) {
  const tn_model *m = ((compiled *)self)->model;
  PyObject *list = PyList_New(0);
  (void)unused;
  for (int i = 0; list && tn_model_file(m, i); i++) {
    PyObject *one = core_str(tn_model_file(m, i));
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyMethodDef compiled_methods[] = {
    METHOD("info", info, METH_NOARGS, "Sizes, effective settings and title."),
    METHOD("settings", compiled_settings, METH_NOARGS, "The effective settings as options of the command line."),
    METHOD("print", compiled_print, METH_NOARGS, "The model as JSON, with every repeat carried out."),
    METHOD("remarks", remarks, METH_NOARGS, "Warnings: (message, hint, file, line, column, pointer)."),
    METHOD("files", files, METH_NOARGS, "Files that the model is drawn from."),
    {NULL, NULL, 0, NULL}};

static PyType_Slot compiled_slots[] = {{Py_tp_doc, (void *)PyDoc_STR("A compiled model.")},
                                       {Py_tp_traverse, (void *)compiled_traverse},
                                       {Py_tp_dealloc, (void *)compiled_finish},
                                       {Py_tp_methods, compiled_methods},
                                       {0, NULL}};
PyType_Spec compiled_spec = {.name = "tenon._core.Compiled",
                             .basicsize = sizeof(compiled),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                      Py_TPFLAGS_IMMUTABLETYPE,
                             .slots = compiled_slots};
