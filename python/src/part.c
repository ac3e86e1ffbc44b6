/* laws of forces that are functions of Python, or of C by their address.
 *
 * A part is a type of force of its own, made for one function: `tn_force_type` with a field `inputs`, running expressions whose values
 * are the arguments. It is on a channel, where it gives an effort, or on a body, where it gives a wrench at the place it acts, in the
 * axes of the world: in the plane fx fy t, in space fx fy fz tx ty tz. The power goes into the balance of energy.
 *
 *   Python:  function(t, x1, .. xn) -> number, or sequence of 3 or 6
 *   C:       void function(double t, const double *x, double *out)
 *
 * A function of Python that raises gives NaN from then on, which ends the run; the exception is raised where the run was asked for. */
#include "core.h"

enum { MOST_INPUTS = 24, NAME = 64 };
typedef void (*law)(double t, const double *x, double *out);

typedef struct part {
  core *c;
  PyObject *function; /* NULL: `law` */
  law law;
  PyObject *type, *value, *trace; /* what the function raised first             */
  _Atomic bool failed;
  char name[NAME];
  tn_field fields[3]; /* `part`, `inputs`, and the end */
  tn_force_type force;
  int inputs;
} part;

/* what the library keeps of a force of this type. tables of functions have no place for data of their own: the address of the part is
 * the default of a field, and its range has no other value in it. a double holds the addresses of all platforms that there are */
typedef struct instance {
  const tn_expr *input[MOST_INPUTS];
  double address;
} instance;

static part *part_of(const instance *self) { return (part *)(uintptr_t)self->address; }

static void keep_exception(part *p) {
  if (atomic_exchange(&p->failed, true))
    PyErr_Clear();
  else
    PyErr_Fetch(&p->type, &p->value, &p->trace);
}

static bool numbers_of(PyObject *answer, int n, double *out) {
  if (n == 1) {
    out[0] = PyFloat_AsDouble(answer);
    return !(out[0] == -1 && PyErr_Occurred());
  }
  double *x = core_numbers(answer, n, NULL, "the law of a force");
  if (x) memcpy(out, x, (size_t)n * sizeof *x);
  PyMem_Free(x);
  return x != NULL;
}

static bool call(part *p, double t, const double *x, int n, double *out) {
  PyObject *args = PyTuple_New(p->inputs + 1), *answer = NULL;
  for (int i = 0; args && i <= p->inputs; i++) {
    PyObject *one = PyFloat_FromDouble(i ? x[i - 1] : t);
    if (!one || PyTuple_SetItem(args, i, one) != 0) Py_CLEAR(args);
  }
  if (args) answer = PyObject_Call(p->function, args, NULL);
  const bool good = answer && numbers_of(answer, n, out);
  Py_XDECREF(args);
  Py_XDECREF(answer);
  if (!good) keep_exception(p);
  return good;
}

static void law_of(const instance *self, const tn_force_in *in, int n, double *out) {
  part *p = part_of(self);
  double x[MOST_INPUTS];
  for (int i = 0; i < p->inputs; i++) x[i] = tn_running(in->system, self->input[i]);
  for (int i = 0; i < n; i++) out[i] = NAN;
  if (p->law) {
    p->law(in->t, x, out);
  } else if (!atomic_load(&p->failed)) {
    const callback c = core_callback();
    if (!call(p, in->t, x, n, out))
      for (int i = 0; i < n; i++) out[i] = NAN;
    core_callback_end(c);
  }
}

static void on_channel(const instance *self, const tn_force_in *in, tn_force_out *out) {
  law_of(self, in, 1, &out->effort);
  out->power = out->effort * in->rate;
}

static void plane(const void *self, const tn_force_in *in, tn_force_out *out) {
  if (in->how == TN_ON_CHANNEL) {
    on_channel(self, in, out);
    return;
  }
  law_of(self, in, 3, out->w);
  out->power = out->w[0] * in->f->v[0] + out->w[1] * in->f->v[1] + out->w[2] * in->f->w;
}

static void space(const void *self, const tn_force_in *in, tn_force_out *out) {
  if (in->how == TN_ON_CHANNEL) {
    on_channel(self, in, out);
    return;
  }
  law_of(self, in, 6, out->w);
  out->power = tn_dot(3, out->w, in->f3->v) + tn_dot(3, out->w + 3, in->f3->w);
}

/* ---- from Python -------------------------------------------------------------------------------------------------------- */

static const char CAPSULE[] = "tenon._core.part";

static void part_finish(PyObject *capsule) {
  part *p = PyCapsule_GetPointer(capsule, CAPSULE);
  Py_XDECREF(p->function);
  Py_XDECREF(p->type);
  Py_XDECREF(p->value);
  Py_XDECREF(p->trace);
  PyMem_Free(p);
}

static void fill(part *p, int inputs) {
  p->inputs = inputs;
  p->fields[0] = (tn_field){.key = "part",
                            .doc = "which function it is: left out",
                            .kind = TN_NUMBER,
                            .offset = offsetof(instance, address),
                            .dflt = (double)(uintptr_t)p,
                            .lo = (double)(uintptr_t)p,
                            .hi = (double)(uintptr_t)p};
  if (inputs)
    p->fields[1] = (tn_field){.key = "inputs",
                              .doc = "arguments of the function behind t, running expressions",
                              .kind = TN_RUNNING,
                              .n = inputs,
                              .offset = offsetof(instance, input),
                              .required = true};
  p->force = (tn_force_type){.name = p->name,
                             .doc = "a law that is a function",
                             .takes = TN_ON_BODY | TN_ON_CHANNEL | TN_AT_POINT,
                             .size = sizeof(instance),
                             .fields = p->fields,
                             .plane = plane,
                             .space = space};
}

/* functions are called back with the lock of the main interpreter */
static bool is_main_interpreter(void) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return true;
  PyErr_SetString(PyExc_RuntimeError, "forces that are Python functions work in the main interpreter alone");
  return false;
}

static part *part_new(description *d, const char *name, PyObject *function, unsigned long long address, int inputs) {
  if (strlen(name) >= NAME || inputs < 0 || inputs > MOST_INPUTS) {
    PyErr_Format(PyExc_ValueError, "a law has a name below %d bytes and at most %d inputs", NAME, MOST_INPUTS);
    return NULL;
  }
  if (!address && !PyCallable_Check(function)) {
    PyErr_SetString(PyExc_TypeError, "the law of a force must be callable, or the address of a function");
    return NULL;
  }
  if (!address && !is_main_interpreter()) return NULL;
  part *p = PyMem_Calloc(1, sizeof *p);
  if (!p) {
    PyErr_NoMemory();
    return NULL;
  }
  p->c = d->c;
  p->law = (law)(uintptr_t)address;
  p->function = address ? NULL : Py_NewRef(function);
  strcpy(p->name, name);
  fill(p, inputs);
  return p;
}

PyObject *description_add_force(PyObject *self, PyObject *args, PyObject *kwargs) {
  static char *words[] = {"name", "function", "inputs", "address", NULL};
  description *d = (description *)self;
  const char *name;
  PyObject *function;
  int inputs;
  unsigned long long address = 0;
  tn_error e;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sOi|K:add_force", words, &name, &function, &inputs, &address))
    return NULL;
  if (d->under_way) {
    PyErr_SetString(PyExc_RuntimeError, "this description is being used by another thread");
    return NULL;
  }
  part *p = part_new(d, name, function, address, inputs);
  PyObject *capsule = p ? PyCapsule_New(p, CAPSULE, part_finish) : NULL;
  if (p && !capsule) {
    Py_XDECREF(p->function);
    PyMem_Free(p);
  }
  if (!capsule) return NULL;
  const bool good = PyDict_SetItemString(d->parts, name, capsule) == 0;
  Py_DECREF(capsule);
  if (!good) return NULL;
  return tn_desc_add_force(d->desc, &p->force, &e) == TN_OK ? Py_NewRef(Py_None) : core_raise(&e);
}

bool part_raised(PyObject *parts) {
  PyObject *capsule;
  Py_ssize_t at = 0;
  if (PyDict_Size(parts) == 0) return false;
  while (PyDict_Next(parts, &at, NULL, &capsule)) {
    part *p = PyCapsule_GetPointer(capsule, CAPSULE);
    if (!atomic_load(&p->failed) || !p->type) continue;
    PyErr_Restore(p->type, p->value, p->trace);
    p->type = p->value = p->trace = NULL;
    atomic_store(&p->failed, false);
    return true;
  }
  return false;
}
