/* arrays of doubles behind the buffer protocol: NumPy reads them without a copy, and its arrays keep their owner alive. */
#include "core.h"

enum { MOST = 3 };

typedef struct array {
  PyObject_HEAD core *c;
  PyObject *owner; /* whose data it is; NULL: its own */
  double *data;
  int dimensions;
  Py_ssize_t shape[MOST], strides[MOST];
} array;

static array *make(core *c, int dimensions, const Py_ssize_t *shape, double *data) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(c->array, Py_tp_alloc);
  array *a = (array *)alloc(c->array, 0);
  if (!a) return NULL;
  a->c = c;
  a->data = data;
  a->dimensions = dimensions;
  Py_ssize_t stride = sizeof(double);
  for (int i = dimensions - 1; i >= 0; i--) {
    a->shape[i] = shape[i];
    a->strides[i] = stride;
    stride *= shape[i];
  }
  return a;
}

static size_t numbers_of(int dimensions, const Py_ssize_t *shape) {
  size_t n = 1;
  for (int i = 0; i < dimensions; i++) n *= (size_t)shape[i];
  return n;
}

PyObject *core_array(core *c, int dimensions, const Py_ssize_t *shape, double *data, PyObject *owner) {
  double *own = NULL;
  if (!data) {
    own = data = calloc(numbers_of(dimensions, shape) + 1, sizeof *own);
    if (!data) return PyErr_NoMemory();
    owner = NULL;
  }
  array *a = make(c, dimensions, shape, data);
  if (!a) {
    free(own);
    return NULL;
  }
  a->owner = Py_XNewRef(owner);
  return (PyObject *)a;
}

PyObject *core_array_adopt(core *c, int dimensions, const Py_ssize_t *shape, double *data) {
  if (!data) return core_array(c, dimensions, shape, NULL, NULL);
  array *a = make(c, dimensions, shape, data);
  if (!a) free(data);
  return (PyObject *)a;
}

double *core_array_data(PyObject *a) { return ((array *)a)->data; }

static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((array *)self)->owner);
  return 0;
}

static int clear(PyObject *self) {
  (void)self; /* data and owner belong together: neither may go before the other */
  return 0;
}

static void finish(PyObject *self) {
  array *a = (array *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (a->owner)
    Py_DECREF(a->owner);
  else
    free(a->data);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

/* what shows the state of a simulation is read-only; an array of its own may be written into */
static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
  array *a = (array *)self;
  if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && a->owner) {
    view->obj = NULL;
    PyErr_SetString(PyExc_BufferError, "this array shows numbers of a simulation and cannot be written into");
    return -1;
  }
  *view = (Py_buffer){.buf = a->data,
                      .obj = Py_NewRef(self),
                      .len = (Py_ssize_t)(numbers_of(a->dimensions, a->shape) * sizeof(double)),
                      .itemsize = sizeof(double),
                      .readonly = a->owner != NULL,
                      .ndim = a->dimensions,
                      .format = flags & PyBUF_FORMAT ? (char *)"d" : NULL,
                      .shape = flags & PyBUF_ND ? a->shape : NULL,
                      .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL};
  return 0;
}

static PyType_Slot slots[] = {{Py_tp_doc, (void *)PyDoc_STR("Numbers for the buffer protocol.")},
                              {Py_tp_traverse, (void *)traverse},
                              {Py_tp_clear, (void *)clear},
                              {Py_tp_dealloc, (void *)finish},
                              {Py_bf_getbuffer, (void *)get_buffer},
                              {0, NULL}};
PyType_Spec array_spec = {.name = "tenon._core.Array",
                          .basicsize = sizeof(array),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                   Py_TPFLAGS_IMMUTABLETYPE,
                          .slots = slots};

/* ---- numbers from outside ----------------------------------------------------------------------------------------------- */

static double *copied(Py_ssize_t n, const double *from) {
  double *x = PyMem_Calloc((size_t)n + 1, sizeof *x);
  if (!x) PyErr_NoMemory();
  if (x && n) memcpy(x, from, (size_t)n * sizeof *x);
  return x;
}

/* 1: taken, 0: it is no buffer of doubles, -1: an exception */
static int from_buffer(PyObject *object, double **x, Py_ssize_t *n) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(object)) return 0;
  if (PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return 0;
  }
  const bool doubles = view.format && strcmp(view.format, "d") == 0;
  if (doubles) {
    *n = view.len / (Py_ssize_t)sizeof(double);
    *x = copied(*n, view.buf);
  }
  PyBuffer_Release(&view);
  return doubles ? *x ? 1 : -1 : 0;
}

static double *from_sequence(PyObject *object, Py_ssize_t *n, const char *what) {
  PyObject *tuple = PySequence_Tuple(object);
  if (!tuple) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Format(PyExc_TypeError, "%s: numbers are needed", what);
    return NULL;
  }
  *n = PyTuple_Size(tuple);
  double *x = PyMem_Calloc((size_t)*n + 1, sizeof *x);
  if (!x) PyErr_NoMemory();
  for (Py_ssize_t i = 0; x && i < *n; i++) {
    x[i] = PyFloat_AsDouble(PyTuple_GetItem(tuple, i));
    if (x[i] == -1 && PyErr_Occurred()) {
      PyMem_Free(x);
      x = NULL;
    }
  }
  Py_DECREF(tuple);
  return x;
}

double *core_numbers(PyObject *object, Py_ssize_t n, Py_ssize_t *found, const char *what) {
  double *x = NULL;
  Py_ssize_t m = 0;
  const int buffer = from_buffer(object, &x, &m);
  if (buffer < 0) return NULL;
  if (!buffer && !(x = from_sequence(object, &m, what))) return NULL;
  if (found) *found = m;
  if (n < 0 || m == n) return x;
  PyErr_Format(PyExc_ValueError, "%s: %zd numbers are needed, not %zd", what, n, m);
  PyMem_Free(x);
  return NULL;
}

const char **core_names(PyObject *sequence, Py_ssize_t *n, PyObject **keep) {
  *keep = PySequence_Tuple(sequence);
  if (!*keep) return NULL;
  *n = PyTuple_Size(*keep);
  const char **name = PyMem_Calloc((size_t)*n + 1, sizeof *name);
  if (!name) PyErr_NoMemory();
  for (Py_ssize_t i = 0; name && i < *n; i++)
    if (!(name[i] = core_string(PyTuple_GetItem(*keep, i)))) {
      PyMem_Free(name);
      name = NULL;
    }
  if (!name) Py_CLEAR(*keep);
  return name;
}
