/* the module, its errors, the lock of the interpreter, and what can be asked without a model. */
#include "core.h"

#include <time.h>

/* ---- errors ------------------------------------------------------------------------------------------------------------- */

PyObject *core_str(const char *words) {
  if (!words) return Py_NewRef(Py_None);
  return PyUnicode_DecodeUTF8(words, (Py_ssize_t)strlen(words), "replace");
}

PyObject *core_remark(const tn_error *e) {
  return Py_BuildValue("(NNNiiN)", core_str(e->message), core_str(e->hint), core_str(e->file), e->line, e->column,
                       core_str(e->pointer));
}

PyObject *core_exception(const tn_error *e) {
  char line[2048];
  tn_error_text(e, line, sizeof line);
  PyObject *module = PyImport_ImportModule("tenon._errors");
  if (!module) return NULL;
  PyObject *made = PyObject_CallMethod(module, "make", "iNNNNNiiLd", (int)e->status, core_str(line),
                                       core_str(e->message), core_str(e->hint), core_str(e->pointer), core_str(e->file),
                                       e->line, e->column, (long long)e->byte, e->time);
  Py_DECREF(module);
  return made;
}

PyObject *core_raise(const tn_error *e) {
  if (PyErr_Occurred()) return NULL;
  if (e->status == TN_E_MEMORY) return PyErr_NoMemory();
  PyObject *made = core_exception(e);
  if (made) PyErr_SetObject((PyObject *)Py_TYPE(made), made);
  Py_XDECREF(made);
  return NULL;
}

/* ---- the lock ----------------------------------------------------------------------------------------------------------- */

/* the state of this thread while it has given the lock back: callbacks need it, and the library knows nothing of it */
static _Thread_local PyThreadState *given_back;

void core_unlock(unlocked *u) {
  u->before = given_back;
  given_back = PyEval_SaveThread();
}

void core_lock(unlocked *u) {
  PyEval_RestoreThread(given_back);
  given_back = u->before;
}

callback core_callback(void) {
  callback c = {.thread = given_back};
  if (c.thread)
    PyEval_RestoreThread(c.thread);
  else
    c.state = PyGILState_Ensure(); /* a thread of the library, or one that never gave the lock back */
  given_back = NULL;
  return c;
}

void core_callback_end(callback c) {
  if (c.thread)
    given_back = PyEval_SaveThread();
  else
    PyGILState_Release(c.state);
}

double core_clock(void) {
  struct timespec now;
  return timespec_get(&now, TIME_UTC) ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

static void *allocate(void *user, size_t size) {
  core *c = user;
  if (atomic_load(&c->fail_in) > 0 && atomic_fetch_sub(&c->fail_in, 1) == 1) return NULL;
  void *block = malloc(size ? size : 1);
  if (block) atomic_fetch_add(&c->blocks, 1);
  return block;
}

static void release(void *user, void *block) {
  core *c = user;
  if (block) atomic_fetch_sub(&c->blocks, 1);
  free(block);
}

/* ---- text --------------------------------------------------------------------------------------------------------------- */

bool core_write(void *user, const char *bytes, size_t n) {
  text *t = user;
  if (t->used + n + 1 > t->room) {
    const size_t room = 2 * (t->used + n) + 1024;
    char *larger = realloc(t->bytes, room);
    t->failed = t->failed || !larger;
    if (!larger) return false;
    t->bytes = larger;
    t->room = room;
  }
  memcpy(t->bytes + t->used, bytes, n);
  t->used += n;
  return true;
}

PyObject *core_text(text *t) {
  PyObject *made =
      t->failed ? PyErr_NoMemory() : PyUnicode_DecodeUTF8(t->bytes ? t->bytes : "", (Py_ssize_t)t->used, "replace");
  free(t->bytes);
  *t = (text){0};
  return made;
}

PyObject *core_bytes(text *t) {
  PyObject *made =
      t->failed ? PyErr_NoMemory() : PyBytes_FromStringAndSize(t->bytes ? t->bytes : "", (Py_ssize_t)t->used);
  free(t->bytes);
  *t = (text){0};
  return made;
}

const char *core_string(PyObject *object) {
  Py_ssize_t size;
  if (!PyUnicode_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "a str is needed");
    return NULL;
  }
  const char *s = PyUnicode_AsUTF8AndSize(object, &size);
  if (s && strlen(s) != (size_t)size) {
    PyErr_SetString(PyExc_ValueError, "a text has a null character in it");
    return NULL;
  }
  return s;
}

/* ---- what can be asked without a model ---------------------------------------------------------------------------------- */

static PyObject *version(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  return core_str(tn_version());
}

static PyObject *built_with(PyObject *module, PyObject *unused) {
  char words[512];
  (void)module, (void)unused;
  tn_built_with(words, sizeof words);
  return core_str(words);
}

static PyObject *pages_missing(PyObject *module, PyObject *unused) {
  const char *missing = NULL;
  (void)module, (void)unused;
  return tn_has_pages(&missing) ? Py_NewRef(Py_None) : core_str(missing ? missing : "it has none");
}

static PyObject *kinds(PyObject *module, PyObject *unused) {
  PyObject *list = PyList_New(0);
  (void)module, (void)unused;
  for (int i = 0; list && tn_list_kind(i); i++) {
    PyObject *kind = core_str(tn_list_kind(i));
    if (!kind || PyList_Append(list, kind) != 0) Py_CLEAR(list);
    Py_XDECREF(kind);
  }
  return list;
}

static PyObject *names(PyObject *module, PyObject *arg) {
  const char *kind = core_string(arg);
  PyObject *dict = kind ? PyDict_New() : NULL;
  (void)module;
  for (int i = 0; dict && tn_list_name(kind, i); i++) {
    PyObject *doc = core_str(tn_list_doc(kind, i));
    if (!doc || PyDict_SetItemString(dict, tn_list_name(kind, i), doc) != 0) Py_CLEAR(dict);
    Py_XDECREF(doc);
  }
  return dict;
}

static PyObject *describe(PyObject *module, PyObject *args) {
  const char *kind = NULL, *name = NULL;
  int markdown = 0;
  text t = {0};
  tn_error e;
  (void)module;
  if (!PyArg_ParseTuple(args, "|zzp:describe", &kind, &name, &markdown)) return NULL;
  const tn_status status = tn_list_print(kind, name, markdown, core_write, &t, &e);
  if (status == TN_OK) return core_text(&t);
  free(t.bytes);
  return t.failed ? PyErr_NoMemory() : core_raise(&e);
}

static PyObject *schema(PyObject *module, PyObject *unused) {
  text t = {0};
  (void)module, (void)unused;
  tn_schema_print(core_write, &t);
  return core_text(&t);
}

/* of integrators and stabilizers: kind, name, format */
static PyObject *report(PyObject *module, PyObject *args) {
  const char *kind, *name, *format;
  text t = {0};
  tn_error e = {.status = TN_E_USAGE, .message = "a report is 'stability' or 'surface', as 'text', 'json' or 'csv'"};
  (void)module;
  if (!PyArg_ParseTuple(args, "sss:report", &kind, &name, &format)) return NULL;
  typedef tn_status (*writer)(const char *, tn_write, void *, tn_error *);
  static const struct {
    const char *kind, *format;
    writer write;
  } all[] = {{"stability", "text", tn_report_stability_text}, {"stability", "json", tn_report_stability_json},
             {"stability", "csv", tn_report_stability_csv},   {"surface", "text", tn_report_surface_text},
             {"surface", "json", tn_report_surface_json},     {"surface", "csv", tn_report_surface_csv}};
  tn_status status = TN_E_USAGE;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(kind, all[i].kind) == 0 && strcmp(format, all[i].format) == 0)
      status = all[i].write(name, core_write, &t, &e);
  if (status == TN_OK) return core_text(&t);
  free(t.bytes);
  return core_raise(&e);
}

static PyObject *fail_after(PyObject *module, PyObject *arg) {
  core *c = core_of(module);
  const long long n = PyLong_AsLongLong(arg);
  if (n == -1 && PyErr_Occurred()) return NULL;
  return PyLong_FromLongLong(atomic_exchange(&c->fail_in, n)); /* what was left of the last one */
}

static PyObject *blocks(PyObject *module, PyObject *unused) {
  (void)unused;
  return PyLong_FromLongLong(atomic_load(&core_of(module)->blocks));
}

static PyMethodDef methods[] = {
    METHOD("version", version, METH_NOARGS, "The version of the library."),
    METHOD("built_with", built_with, METH_NOARGS, "What the library was built with, in words."),
    METHOD("pages_missing", pages_missing, METH_NOARGS, "Why this build has no pages; None: it has them."),
    METHOD("kinds", kinds, METH_NOARGS, "Kinds of parts: joint, force, .."),
    METHOD("names", names, METH_O, "Names of a kind of parts, with a sentence on each."),
    METHOD("describe", describe, METH_VARARGS, "A kind or one of its types in words: kind, name, markdown."),
    METHOD("schema", schema, METH_NOARGS, "The JSON schema of model files."),
    METHOD("report", report, METH_VARARGS, "A report on an integrator or a stabilizer: kind, name, format."),
    METHOD("_fail_after", fail_after, METH_O,
           "Let the n-th allocation of the library fail; 0: none. What was left of the last."),
    METHOD("_blocks", blocks, METH_NOARGS, "Blocks of memory that the library has in use."),
    {NULL, NULL, 0, NULL}};

/* ---- the module --------------------------------------------------------------------------------------------------------- */

static int execute(PyObject *module) {
  core *c = core_of(module);
  *c = (core){.allocator = {allocate, release, c}};
  const struct {
    PyType_Spec *spec;
    PyTypeObject **type;
  } types[] = {{&array_spec, &c->array},       {&description_spec, &c->description},
               {&compiled_spec, &c->compiled}, {&simulation_spec, &c->simulation},
               {&result_spec, &c->result},     {&study_spec, &c->study},
               {&sweep_spec, &c->sweep}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    PyObject *type = PyType_FromModuleAndSpec(module, types[i].spec, NULL);
    if (!type) return -1;
    *types[i].type = (PyTypeObject *)type;
    if (PyModule_AddType(module, (PyTypeObject *)type) != 0) return -1;
  }
  return 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
  core *c = core_of(module);
  if (!c) return 0;
  Py_VISIT(c->array);
  Py_VISIT(c->description);
  Py_VISIT(c->compiled);
  Py_VISIT(c->simulation);
  Py_VISIT(c->result);
  Py_VISIT(c->study);
  Py_VISIT(c->sweep);
  return 0;
}

static int clear(PyObject *module) {
  core *c = core_of(module);
  if (!c) return 0;
  Py_CLEAR(c->array);
  Py_CLEAR(c->description);
  Py_CLEAR(c->compiled);
  Py_CLEAR(c->simulation);
  Py_CLEAR(c->result);
  Py_CLEAR(c->study);
  Py_CLEAR(c->sweep);
  return 0;
}

static void finish(void *module) { clear(module); }

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};
static PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                 .m_name = "tenon._core",
                                 .m_doc = PyDoc_STR("Tenon's C library. Use the package `tenon`."),
                                 .m_size = sizeof(core),
                                 .m_methods = methods,
                                 .m_slots = slots,
                                 .m_traverse = traverse,
                                 .m_clear = clear,
                                 .m_free = finish};

core *core_of(PyObject *module) { return PyModule_GetState(module); }

core *core_of_type(PyTypeObject *type) {
  for (; type; type = PyType_GetSlot(type, Py_tp_base)) {
    PyObject *module = PyType_GetModule(type);
    if (module && PyModule_GetDef(module) == &definition) return core_of(module);
    PyErr_Clear();
  }
  PyErr_SetString(PyExc_SystemError, "a type of tenon._core without its module");
  return NULL;
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
