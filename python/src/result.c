/* result files: rows, summary, and all that is made of them. */
#include "core.h"

typedef struct result {
  PyObject_HEAD core *c;
  tn_result *result;
} result;

static PyObject *result_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *path = NULL;
  core *c = core_of_type(type);
  tn_error e;
  (void)kwargs;
  if (!c || !PyArg_ParseTuple(args, "O&:ResultFile", PyUnicode_FSConverter, &path)) return NULL;
  result *r = (result *)PyType_GenericAlloc(type, 0);
  if (r) {
    r->c = c;
    if (tn_result_open(&c->allocator, PyBytes_AsString(path), &r->result, &e) != TN_OK) {
      Py_CLEAR(r);
      core_raise(&e);
    }
  }
  Py_DECREF(path);
  return (PyObject *)r;
}

static void result_finish(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  tn_result_close(((result *)self)->result);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

typedef struct filling {
  double *to;
  size_t left;
} filling;

static tn_status on_row(void *user, double t, int n, const double *values) {
  filling *f = user;
  if (f->left < (size_t)n + 1) return TN_E_MEMORY;
  *f->to++ = t;
  memcpy(f->to, values, (size_t)n * sizeof *values);
  f->to += n;
  f->left -= (size_t)n + 1;
  return TN_OK;
}

/* the rows; behind a fault there are none, and that is the error */
static PyObject *rows(PyObject *self, PyObject *unused) {
  result *r = (result *)self;
  const Py_ssize_t shape[2] = {(Py_ssize_t)tn_result_rows(r->result), tn_result_columns(r->result) + 1};
  PyObject *a = core_array(r->c, 2, shape, NULL, NULL);
  tn_error e;
  (void)unused;
  if (!a) return NULL;
  filling f = {core_array_data(a), (size_t)shape[0] * (size_t)shape[1]};
  const tn_status status = tn_result_each(r->result, on_row, &f, &e);
  if (status == TN_OK) return a;
  Py_DECREF(a);
  return core_raise(&e);
}

static PyObject *names(PyObject *self, PyObject *arg) {
  const tn_result *r = ((result *)self)->result;
  const char *what = core_string(arg);
  if (!what) return NULL;
  const bool units = strcmp(what, "units") == 0;
  const int n = tn_result_columns(r);
  PyObject *tuple = PyTuple_New(n);
  for (int i = 0; tuple && i < n; i++) {
    PyObject *one = core_str(units ? tn_result_unit(r, i) : tn_result_column(r, i));
    if (!one || PyTuple_SetItem(tuple, i, one) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

/* name title model settings summary verdict */
static PyObject *said(PyObject *self, PyObject *arg) {
  const tn_result *r = ((result *)self)->result;
  const char *what = core_string(arg);
  tn_run_verdict verdict;
  if (!what) return NULL;
  if (strcmp(what, "name") == 0) return core_str(tn_result_name(r));
  if (strcmp(what, "title") == 0) return core_str(tn_result_title(r));
  if (strcmp(what, "model") == 0) return core_str(tn_result_model(r));
  if (strcmp(what, "settings") == 0) return core_str(tn_result_settings(r));
  if (strcmp(what, "summary") == 0) return core_str(tn_result_summary(r));
  if (strcmp(what, "verdict") == 0)
    return core_str(tn_result_verdict(r, &verdict) ? tn_run_verdict_name(verdict) : NULL);
  PyErr_SetString(PyExc_ValueError, what);
  return NULL;
}

static PyObject *check(PyObject *self, PyObject *unused) {
  tn_error e;
  (void)unused;
  if (tn_result_check(((result *)self)->result, NULL, &e) == TN_OK) return Py_NewRef(Py_None);
  return core_exception(&e);
}

static PyObject *recover(PyObject *self, PyObject *unused) {
  result *r = (result *)self;
  tn_error e;
  char sentence[512];
  (void)unused;
  if (tn_result_recover(r->result, &e) != TN_OK) return core_raise(&e);
  PyObject *list = PyList_New(0);
  for (int i = 0; list && tn_result_missing(r->result, i, sentence, sizeof sentence); i++) {
    PyObject *one = core_str(sentence);
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* kind: csv svg page glb, poses, poses-png; npy with the number of a group */
static PyObject *export(PyObject *self, PyObject *args) {
  result *r = (result *)self;
  const char *kind;
  int group = 0;
  tn_poses p = {NAN, NAN, NAN};
  text t = {0};
  tn_error e = {.status = TN_E_USAGE,
                .message = "a result is exported as csv, npy, svg, page, glb, poses or poses-png"};
  tn_status status = TN_E_USAGE;
  unlocked u;
  if (!PyArg_ParseTuple(args, "s|iddd:export", &kind, &group, &p.from, &p.to, &p.by)) return NULL;
  core_unlock(&u);
  if (strcmp(kind, "csv") == 0) status = tn_result_csv(r->result, core_write, &t, &e);
  if (strcmp(kind, "npy") == 0) status = tn_result_npy(r->result, group, core_write, &t, &e);
  if (strcmp(kind, "svg") == 0) status = tn_result_svg(r->result, core_write, &t, &e);
  if (strcmp(kind, "page") == 0) status = tn_result_page(r->result, core_write, &t, &e);
  if (strcmp(kind, "glb") == 0) status = tn_result_glb(r->result, core_write, &t, &e);
  if (strcmp(kind, "poses") == 0) status = tn_result_poses(r->result, &p, false, core_write, &t, &e);
  if (strcmp(kind, "poses-png") == 0) status = tn_result_poses(r->result, &p, true, core_write, &t, &e);
  core_lock(&u);
  if (status == TN_OK) return core_bytes(&t);
  free(t.bytes);
  return t.failed ? PyErr_NoMemory() : core_raise(&e);
}

static PyMethodDef methods[] = {
    METHOD("rows", rows, METH_NOARGS, "All rows, t first."),
    METHOD("names", names, METH_O, "Names of columns, or their units."),
    METHOD("said", said, METH_O, "A text: name, title, model, settings, summary, verdict."),
    METHOD("check", check, METH_NOARGS, "The first fault as an exception that is not raised; None: there is none."),
    METHOD("recover", recover, METH_NOARGS, "Look for good blocks behind a fault: what is missing, in sentences."),
    METHOD("export", export, METH_VARARGS, "As bytes of another kind of file: kind, group, from, to, by."),
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc, (void *)PyDoc_STR("A result file, .tnr: ResultFile(path).")},
                              {Py_tp_new, (void *)result_new},
                              {Py_tp_dealloc, (void *)result_finish},
                              {Py_tp_methods, methods},
                              {0, NULL}};
PyType_Spec result_spec = {.name = "tenon._core.ResultFile",
                           .basicsize = sizeof(result),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                           .slots = slots};
