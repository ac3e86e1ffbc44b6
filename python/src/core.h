/* the extension module: the public C library for Python, by the limited API.
 * SPDX-License-Identifier: MIT
 *
 *   module.c   the module, errors, registries    array.c      memory that NumPy reads without a copy
 *   model.c    descriptions, compiled models     simulation.c a simulation, its state, its equations
 *   run.c      runs: rows, progress, Ctrl-C      result.c     result files
 *   many.c     batches, comparisons, studies     part.c       laws of forces that are functions
 *
 * There are no globals but one pointer a thread. What the module owns is its state; every object keeps its type alive, and that the
 * module. The lock of the interpreter is given back while the library works for long, and taken again for callbacks. */
#ifndef TENON_PYTHON_CORE_H
#define TENON_PYTHON_CORE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000 /* 3.11, from where on the buffer protocol is in it */
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/extend.h>
#include <tenon/study.h>

typedef struct core {
  PyTypeObject *array, *description, *compiled, *simulation, *result, *study, *sweep;
  tn_allocator allocator;  /* of all that the library asks for                                   */
  _Atomic int64_t fail_in; /* allocations until one fails, for tests; 0: none does               */
  _Atomic int64_t blocks;  /* that are in use, for tests                                         */
} core;

core *core_of(PyObject *module);
core *core_of_type(PyTypeObject *type); /* of this module, or derived from one; NULL with an exception */

/* ---- errors ------------------------------------------------------------------------------------------------------------- */

/* raise what the library says; an exception that is set already stays. NULL */
PyObject *core_raise(const tn_error *e);
/* the exception itself, a new reference; NULL with one set: it could not be made */
PyObject *core_exception(const tn_error *e);
/* the same for a warning: a tuple (message, hint, file, line, column, pointer) */
PyObject *core_remark(const tn_error *e);

/* ---- the lock of the interpreter ---------------------------------------------------------------------------------------- */

/* between both calls the thread has no lock; core_callback takes it again inside */
typedef struct unlocked {
  PyThreadState *before;
} unlocked;
void core_unlock(unlocked *u);
void core_lock(unlocked *u);
typedef struct callback {
  PyThreadState *thread;
  PyGILState_STATE state;
} callback;
callback core_callback(void);
void core_callback_end(callback c);

/* ---- text that the library writes --------------------------------------------------------------------------------------- */

typedef struct text {
  char *bytes;
  size_t used, room;
  bool failed;
} text;
bool core_write(void *user, const char *bytes, size_t n); /* a tn_write */
PyObject *core_text(text *t);                             /* as str; freed */
PyObject *core_bytes(text *t);                            /* as bytes; freed */

/* ---- arrays ------------------------------------------------------------------------------------------------------------- */

/* n-dimensional, of doubles, for the buffer protocol. data NULL: its own, zero at first; else that of `owner`, which it keeps alive */
PyObject *core_array(core *c, int dimensions, const Py_ssize_t *shape, double *data, PyObject *owner);
/* takes over data of malloc */
PyObject *core_array_adopt(core *c, int dimensions, const Py_ssize_t *shape, double *data);
double *core_array_data(PyObject *array);
/* n doubles from any object: a buffer of doubles that lies together, or a sequence of numbers. *copy is to be freed by PyMem_Free.
 * NULL with an exception; n below 0: any number, told in *found */
double *core_numbers(PyObject *object, Py_ssize_t n, Py_ssize_t *found, const char *what);
/* names as a list of C strings, which live as long as the tuple *keep; freed by PyMem_Free */
const char **core_names(PyObject *sequence, Py_ssize_t *n, PyObject **keep);

/* a C string of str, bytes or path-like objects are not taken; NULL with an exception */
const char *core_string(PyObject *object);
PyObject *core_str(const char *words); /* UTF-8 that may be cut; None if NULL */

/* ---- objects ------------------------------------------------------------------------------------------------------------ */

typedef struct description {
  PyObject_HEAD core *c;
  tn_desc *desc;
  PyObject *parts; /* dict of names to parts, which the models need   */
  int under_way;   /* it is read by threads and may not change         */
} description;

typedef struct compiled {
  PyObject_HEAD core *c;
  tn_model *model;
  PyObject *parts;
} compiled;

typedef struct simulation {
  PyObject_HEAD core *c;
  tn_sim *sim;
  PyObject *model;        /* compiled                                                    */
  unsigned long thread;   /* that runs it now                                            */
  int depth;              /* calls under way                                             */
  PyObject *shown;        /* array: q, u, states, which views show; NULL until one is asked for */
  PyObject *pose;         /* array: what `poses` shows; NULL likewise                    */
  double next_look, beat; /* s: of the clock, when signals are looked at next; how often */
} simulation;

bool simulation_enter(simulation *s); /* false with an exception: another thread has it */
void simulation_leave(simulation *s);
void simulation_show(simulation *s); /* views follow */
double core_clock(void);             /* s */

PyObject *compiled_new(core *c, tn_model *model, PyObject *parts);
PyObject *simulation_run(PyObject *self, PyObject *args, PyObject *kwargs);

bool module_add_types(PyObject *module, core *c);
extern PyType_Spec array_spec, description_spec, compiled_spec, simulation_spec, result_spec, study_spec, sweep_spec;

/* many.c: methods of a description */
PyObject *description_batch(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *description_compare(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *description_tune(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *description_verify(PyObject *self, PyObject *args);
/* part.c */
PyObject *description_add_force(PyObject *self, PyObject *args, PyObject *kwargs);
/* an exception that a function raised inside a run is raised instead of what the library makes of it */
bool part_raised(PyObject *parts);

/* functions of tables of methods have casts in one place */
#define METHOD(name, function, flags, doc)                                                                             \
  { name, (PyCFunction)(void (*)(void))(function), flags, PyDoc_STR(doc) }

#endif
