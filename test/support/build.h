/* models for tests: descriptions built by calls, random parts of every registered type, differences along random motions.
 * nothing here knows test.h: what goes wrong comes back as a message, or as an error to hold against a tolerance. */
#ifndef TN_TEST_BUILD_H
#define TN_TEST_BUILD_H

#include "formulate/formulate.h"

enum { BUILD_MOST = 96, BUILD_STENCIL = 6 };
#define BUILD_STEP 3e-3

/* ---- a model on its way from description to simulation -------------------------------------------------------------- */

typedef struct build {
  uint64_t random;
  tn_desc *desc;
  tn_model *model;
  tn_sim *sim;
  tn_system sys; /* of the model, at whatever state it was put last */
  void *block;   /* its memory                                      */
  bool failed;   /* a call went wrong, the first of them:           */
  char message[1200];
  double h;     /* step of differences: see build_converged */
  int channels; /* coordinate channels that parts on channels may be given */
  char channel[32][40];
} build;

void build_new(build *b, uint64_t seed); /* `tenon` and `dimension`, nothing else */
void build_free(build *b);
/* the value at a pointer, as JSON made by printf */
void build_set(build *b, const char *pointer, const char *format, ...) TN_PRINTF(3, 4);
void build_read(build *b, const char *model); /* models/<model>.json */
void build_parse(build *b, const char *text); /* a whole model       */
/* dopri5 at rtol = atol = 1e-12 */
void build_tight(build *b, double until, double every);
bool build_compile(build *b);  /* model and system    */
bool build_simulate(build *b); /* and a simulation, started */
void build_fail(build *b, const char *format, ...) TN_PRINTF(2, 3);
double build_channel(build *b, const char *format, ...)
    TN_PRINTF(2, 3); /* of the simulation; NaN and failed if it is refused */

/* names in models/, sorted, without .json; returns their number */
int build_models(char (*name)[64], int most);

double build_uniform(build *b, double lo, double hi);
int build_integer(build *b, int lo, int hi); /* both included */

/* ---- rows of a run --------------------------------------------------------------------------------------------------- */

typedef struct build_table {
  int rows, columns, room;
  double *value; /* rows x (1 + columns): t first */
} build_table;

/* tn_sim_run of a built simulation; false: see message */
bool build_run(build *b, build_table *table);
void build_table_free(build_table *table);
double build_at(const build_table *t, int row, int column); /* column -1: t */
int build_column(const build *b, const char *name);         /* -2 if there is none */

/* ---- random parts of a type ------------------------------------------------------------------------------------------ */

/* what a part was given: bit i for field i of its table, and of a field that is a word, bit k for its choice k */
typedef struct build_given {
  unsigned fields, words[32];
} build_given;

void build_given_too(build_given *all, const build_given *given);

/* plane bodies a, b, c and a particle p, at random; their coordinates become channels */
void build_world(build *b);
/* a joint between a, b and c for every registered type that measures something: h0, h1, ..; channels too */
void build_helpers(build *b, int places);
/* `first`, `second`: of a b c p ground; NULL: any that the type can hold. places: 0 `at`, 1 `on_bodies` */
bool build_joint(build *b, const char *name, const tn_joint_type *type, const char *first, const char *second,
                 int places, build_given *given);
/* how: one of the bits of type->takes but TN_AT_POINT */
bool build_force(build *b, const char *name, const tn_force_type *type, int how, build_given *given);
int build_whole(build *b, const tn_field *f);       /* in the range of a TN_INTEGER */
void build_matrix(build *b, const char *at, int n); /* n x n, at a pointer */
/* the first field, or choice of a word, that `given` has not; NULL if it has all. `text` is where it is written */
const char *build_missing(const tn_field *fields, const build_given *given, char *text, size_t size);

/* ---- derivatives are judged by convergence ------------------------------------------------------------------------------ */

/* the error of a check at the step b->h of its differences. negative: the check does not apply */
typedef double (*build_error)(build *b, const void *of);
/* that error with b->h = BUILD_STEP, and as long as it is above the tolerance with half of that, six times at most; the same random
 * numbers each time. a derivative that is right has an error that falls with h^6 until roundoff is left; one that is wrong has one
 * that stays. so the error is returned that is within the tolerance, if it has fallen at least by 8 from the one before, else the
 * largest. where a law is not smooth an error may fall slowly, as long as a stencil has a kink in it: it has to fall all the way */
double build_converged(build *b, build_error error, const void *of, double tolerance, tn_smooth smooth);
/* of a model: that of its roughest joint or force */
tn_smooth build_smooth(const tn_model *m);

/* ---- motions and differences ------------------------------------------------------------------------------------------ */

/* central difference of sixth order: f at s = -3h -2h -h h 2h 3h */
double build_slope(const double f[BUILD_STENCIL], double h);
double build_offset(int k, double h); /* s of stencil point k */

/* a frame that moves: x, y and angle are polynomials of s */
typedef struct build_path {
  double p[3][6];
} build_path;
void build_path_random(build *b, build_path *path);
/* a0 and al0 are not-a-number: those who must not look at them are found out. acceleration: x, y, angle */
void build_path_at(const build_path *path, double s, tn_frame2 *f, double acceleration[3]);

/* coordinates of the model as polynomials of s; where their rates are not the speeds, q moved by such: u is the rate of it at
 * s = 0 only */
typedef struct build_motion {
  double t, q[BUILD_MOST], u[BUILD_MOST], a[BUILD_MOST], j[BUILD_MOST];
} build_motion;
/* around the given pose, `spread` m or rad away from it */
void build_motion_random(build *b, double spread, build_motion *m);
void build_motion_at(const build *b, const build_motion *m, double s, double *q, double *u);

/* states of forces along a motion: at random at s = 0, there with the rates that they have at (t, q, u), a parabola before and after */
typedef struct build_states {
  double x[16], rate[16];
} build_states;
void build_states_random(build *b, double t, const double *q, const double *u, build_states *states);
void build_states_at(build *b, const build_states *states, double s);

/* how regular force 0 is at (q, u): what its type says, 1 if that says nothing */
double build_force_regular(build *b, double t, const double *q, const double *u);
/* the largest of what the forces of the model give to the speeds, at random around the given pose */
double build_force_at_random(build *b, double spread);

/* largest errors against differences, each divided by 1 + the size of what is compared */
typedef struct build_errors {
  double Cdot, A, Ct, gamma; /* rows: C along the motion, for each speed, over t alone; Cdot along the motion.
                              * C of a mesh is not looked at: its rows are derivatives of it in bearings only */
  double twist, axes, bias;  /* bodies: pose along the motion, J u, acceleration                                    */
} build_errors;
void build_rows(build *b, const build_motion *m, build_errors *worst);
void build_kinematics(build *b, const build_motion *m, build_errors *worst);
/* the system at a point: frames alone; or C, at the speeds that it has */
void build_frames(tn_system *s, double t, const double *q, const double *u);
void build_rows_at(tn_system *s, double t, const double *q);
/* err into *worst; not-a-number counts as infinite */
void build_worst(double *worst, double value, double expected, double scale);

#endif
