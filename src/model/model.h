/* model: description to compiled model. sizes and addresses are settled here once; nothing in it changes afterwards.
 *
 *   compile.c   the order of things          names.c    constants, points, tables; expressions over them
 *   fields.c    field tables                 bodies.c   bodies: pose, mass, coordinates; rods
 *   joints.c    joints and their frames      forces.c   forces
 *   degenerate.c lengths that are roundoff beside the bodies of a joint
 *   faults.c    what is wrong with the table of a type
 *   tree.c      who carries whom; q and u    channels.c names of channels and functions; outputs
 *   servo.c     actuators of objectives      equation.c rows that the user writes
 *   start.c     the start                    run.c      method, settings, contract
 *   mass.c      mass, centre, inertia        orient.c   orientations in space
 *   plan.c      what rows touch; the order of elimination
 *   spots.c     places on bodies             chart.c    coordinates whose rates are not the speeds
 *   sections.c  keys of the model file       registry.c types that can be named
 *   schema.c    the same as a JSON schema    jacobian.c parts of A that outputs ask for
 *   matrix.c    symmetric matrices           switches.c functions made of pieces
 *   states.c    numbers that forces and stabilizers have of their own
 *   methods.c   named combinations           settings.c what a run uses instead
 *   scene.c     shapes that the file gives   events.c   parameters, events, what can be switched
 *   assemblies.c bodies that joints tie      parts.c    bodies that anything ties
 *   elements.c  rigid bodies of points and vectors */
#ifndef TN_MODEL_H
#define TN_MODEL_H

#include "base/base.h"
#include "linalg/linalg.h"
#include "read/read.h"
#include "tenon/extend.h"

enum { TN_GROUND = -1, TN_MOST_DEPTH = 200 };
enum { TN_TWIST = 7 };                    /* numbers in a twist, at most */
enum { TN_NOTHING = -1, TN_ACROSS = -2 }; /* assembly of a joint or force that has none, or acts between two */

/* a frame fixed on a body; in body axes (ground: world) */
typedef struct tn_spot {
  int body;
  double p[3], angle; /* plane: turned by the angle                                       */
  double c, s;        /* plane: cosine and sine of the angle                              */
  double A[9];        /* space: its axes                                                  */
} tn_spot;

typedef struct tn_pose { /* given: of the frame of a body; in the plane r[2] is 0 */
  double r[3], angle;    /* plane                                         */
  double A[9];           /* space                                         */
} tn_pose;

/* a coordinate channel */
typedef enum tn_measured {
  TN_OF_BODY, /* plane: k = 0, 1, 2 for x, y, angle. space: x, y, z; 3 to 5 turned from the given pose about world axes, 6 to 8
                * about its own: of these two only the rates are channels, and the first can be kept */
  TN_OF_JOINT, /* coordinate k of a joint */
  TN_OF_RAW,   /* number k of q and u, where the rate is the speed */
  TN_OF_POINT, /* component k of the place of `spot`; of equations only, like the next */
  TN_OF_AXIS   /* component k % 3 of the axis k / 3 of `spot` */
} tn_measured;

typedef struct tn_measure {
  tn_measured kind;
  int part, k;         /* of a spot: its body */
  const tn_spot *spot; /* else NULL */
} tn_measure;

typedef struct tn_term {
  tn_measure of;
  double coefficient; /* of an equation: tn_system.coefficient */
  bool rate;          /* an equation uses the rate            */
} tn_term;

typedef enum tn_shape_kind { TN_BOX, TN_CYLINDER, TN_SPHERE, TN_CAPSULE, TN_POLYLINE, TN_MESH } tn_shape_kind;

/* a shape of a body or of the ground, in their axes */
typedef struct tn_draw {
  const tn_node *node;
  int body;
  bool given; /* by `draw` or `scene`; else it is the shape that gives the body its inertia */
  tn_shape_kind figure;
  double box[3];         /* in the plane the third is 0                                         */
  double radius, length; /* the length of a disc is 0; radius 0: a point                        */
  int points;
  double *point; /* points x 3                                                          */
  double width;  /* of a polyline; 0: not said                                          */
  int closed;
  const char *file; /* of a mesh                                                           */
  double scale;
  double at[3], angle; /* plane: turned by the angle                                          */
  double axis[3];      /* space: its z                                                        */
  double A[9];         /* its axes, in the plane too                                          */
  int color;           /* 0xrrggbb; -1: not said                                              */
} tn_draw;

typedef struct tn_traced { /* a place whose path is drawn */
  const char *name;
  tn_spot spot;
} tn_traced;

typedef struct tn_body {
  const char *name;
  const tn_node *node;
  const tn_body_type *type; /* NULL: a tree joint carries it                                   */
  int joint;                /* the tree joint, or -1                                           */
  bool backwards;           /* it is the first of that joint's two                             */
  bool oriented;
  bool drawn;                      /* `draw` says what it looks like                                  */
  tn_spot pivot;                   /* on the parent; body coordinates on_parent only                  */
  int parent;                      /* body its motion builds on, or TN_GROUND                         */
  int q, nq, u, nu;                /* its own coordinates and speeds, the first and their number      */
  const tn_chart *chart;           /* between them; NULL: qdot = u                                    */
  bool own_axes;                   /* its angular speeds are integrated along its own axes, tn_chart.to_own */
  tn_pose pose;                    /* given                                                           */
  double reach;                    /* of the places of joints, forces and rods on it, from its origin, m */
  double size;                     /* the larger of that and of its radius of gyration, m */
  double mass, center[3], inertia; /* with lumps; inertia about the mass centre, plane                */
  double tensor[9];                /* the same in space, body axes                                    */
  int cols, *col;                  /* speeds its twist depends on, its ancestors' first; col NULL in large models */
  /* nodes in the plan. a body on its own coordinates: its speeds. one that stands on another: its twist, the rows that tie it to
   * the parent and its own speeds, and its coordinates */
  int block, tie, free;
  bool plain;                   /* its speeds are the twist of its frame                           */
  tn_where where, where_tie[3]; /* of its mass; of the tie against itself, the parent, its coordinates */
} tn_body;

/* a body whose motion a row sees: through its twist, or one of its speeds alone */
typedef struct tn_touch {
  int body, speed; /* speed: number in u, or -1 */
  tn_where where;  /* of the block in the matrix; a body with its own speeds as unknowns: on these */
} tn_touch;

/* realises the objective of a row by an effort along a sum of channels, in place of one along the row itself */
typedef struct tn_servo {
  int joint, row;
  const tn_node *node;
  const char *name; /* of the channel, or of their sum, as one would write it */
  int terms;
  tn_term *term;
} tn_servo;

typedef struct tn_joint {
  const char *name;
  const tn_node *node;
  const tn_joint_type *type;
  void *self;
  int frames;
  tn_spot *spot;                   /* frames                                                          */
  bool in_tree;                    /* gives coordinates to a body: no rows                            */
  int carries;                     /* the body, or -1                                                 */
  bool cut;                        /* the user wants it to close a loop                               */
  bool switchable, off;            /* a run can switch it; it begins switched off                     */
  int row, rows;                   /* first row and number, holonomic rows first over all joints      */
  int row_velocity, rows_velocity; /* its nonholonomic rows                                    */
  int coordinates;                 /* it measures                                                     */
  int memory;                      /* first of the numbers it remembers                               */
  int owner;                       /* rows that a body has on its own coordinates: the body; else -1  */
  int touches;                     /* bodies that its rows see                                         */
  tn_touch *touch;
  int R; /* first of its numbers in tn_system.R: rows x touches x stride; of a pin its arms */
  int stride;
  bool pin;    /* in tn_model.pin                                                  */
  bool listed; /* in tn_model.list: its rows are a list, in space                */
  int block;   /* its node in the plan, or -1                                      */
  int terms;
  tn_term *term;        /* rows on channels                                                */
  const tn_expr *value; /* their right side; of an equation all of it                       */
  tn_equation equation; /* the row is an expression of its terms; expr NULL: a sum of them  */
  int coefficient;      /* first of its partial derivatives in tn_system.coefficient         */
  bool has_parameters;  /* in a function of time                                           */
  int servos, servo;    /* actuators that realise it, and the first of them in tn_model.servo */
} tn_joint;

typedef struct tn_force {
  const char *name;
  const tn_node *node;
  const tn_force_type *type;
  void *self;
  int how, frames;
  tn_spot spot[2];
  tn_measure on;
  int states, state;   /* its own numbers: how many, the first of them in tn_system.state     */
  int channels, slots; /* channels that its expressions use: the first and how many           */
  bool loaded;         /* by the reaction of the joint `on.part` */
  bool off;            /* it begins switched off                                              */
} tn_force;

/* inertia on a coordinate channel, as a flywheel geared to it has */
typedef struct tn_flywheel {
  tn_measure on;
  double inertia;
  int body[2];    /* that it is measured between, or TN_GROUND */
  tn_where where; /* of what it puts between the two */
} tn_flywheel;

/* two places as a mass element: own_k v_k^2/2 of each, and shared v_0'v_1; of a uniform rod m/3, m/6. larger elements are made of such
 * pairs: elements.c */
typedef struct tn_rod {
  const char *name;
  tn_spot end[2];
  double mass;                     /* of a uniform rod; of a pair of an element 0 */
  double own[2], shared, share[2]; /* kg; share: what weight and momentum of an end count, m/2 of a rod */
  bool drawn;
  tn_where where; /* of what it puts between the two */
} tn_rod;

typedef enum tn_channel_kind {
  TN_CH_MEASURE,      /* of a coordinate: value                          */
  TN_CH_RATE,         /* its rate                                        */
  TN_CH_ACCELERATION, /* its second derivative                           */
  TN_CH_Q,            /* number `component` of q                         */
  TN_CH_U,            /* number `component` of u                         */
  TN_CH_QUATERNION,   /* of the axes of a body, w >= 0                   */
  TN_CH_REACTION,     /* fx fy t (fx fy fz tx ty tz) of a joint on its second body */
  TN_CH_STABILIZER,   /* sfx sfy st ..: the stabilizer's share           */
  TN_CH_CONTACT,      /* cx cy (cz): where a joint acts                  */
  TN_CH_MOMENTUM,     /* of all bodies: px py (pz), l (lx ly lz) about the origin */
  TN_CH_PIVOT,        /* fx fy: force of the parent on a swing body      */
  TN_CH_LOAD,         /* of a row on channels: effort along it           */
  TN_CH_VIOLATION,    /* of constraint equations: violations.c           */
  TN_CH_JOINT_POWER,  /* what a joint's own motion in time puts in       */
  TN_CH_FORCE_POWER,  /* of a force, all of it                           */
  TN_CH_FORCE_ENERGY,
  TN_CH_FORCE_LOAD,   /* of a force on a channel: along it; between two places: its pull */
  TN_CH_FORCE_WRENCH, /* of a force at a place that two share: fx fy t (fx .. tz) on the second */
  TN_CH_SIGNAL,       /* number `component` of the signals of a force */
  TN_CH_ENERGY,       /* energy.*: component is a tn_energy              */
  TN_CH_POSITION,     /* of a point of a body, vector                    */
  TN_CH_VELOCITY,
  TN_CH_POINT_ACCELERATION,
  TN_CH_AXIS,          /* axis of a body, vector                          */
  TN_CH_JOINT_AXIS,    /* of a joint's frame on its first body            */
  TN_CH_OMEGA,         /* vector, in space                                */
  TN_CH_FORCE_VECTOR,  /* reaction of a joint, vector                     */
  TN_CH_TORQUE_VECTOR, /* in space                                        */
  TN_CH_DETERMINANT,   /* of a part of A                                  */
  TN_CH_SIGMA_MIN      /* its smallest singular value                     */
} tn_channel_kind;

typedef enum tn_energy {
  TN_KINETIC,
  TN_POTENTIAL,
  TN_TOTAL,
  TN_WORK_FORCE,
  TN_WORK_DRIVER,
  TN_WORK_STABILIZER,
  TN_BALANCE,
  TN_DISSIPATED,
  TN_ENERGIES
} tn_energy;

extern const char *const tn_energy_name[TN_ENERGIES];

enum { TN_AT_ONCE = 64 }; /* bodies that are evaluated together, while they are near in memory */

/* what every evaluation needs of bodies and of joints that there may be very many of, side by side */
typedef struct tn_lump {
  double mass, inertia, center[2]; /* plane */
} tn_lump;

typedef struct tn_lump3 {
  double mass, center[3], tensor[9]; /* space */
} tn_lump3;

typedef struct tn_pin { /* a point in common in the plane */
  double p[2][2];       /* on the bodies */
  int body[2];
  int row, R;
} tn_pin;

typedef struct tn_list {   /* rows of a list in space */
  double p[2][3], A[2][9]; /* frames on the bodies */
  const tn_row3 *row;
  int body[2], first, R;
} tn_list;

typedef struct tn_range {
  int at, n;
} tn_range;

/* ---- what is put into the matrix and vectors of the plan, in the order in which elimination needs it ---------------------- */

typedef struct tn_put_body {
  int body, at, x; /* its block in the matrix; its numbers in vectors */
} tn_put_body;

typedef struct tn_put_rows { /* of a pin, or of a list */
  int row, R, x, at;         /* its rows; as of the joint; its numbers in vectors and its pivot in the matrix */
  int end[2];                /* its block with each of the two bodies, or -1: none, or not made of R alone */
  unsigned char rows, touches;
  bool down[2]; /* the rows of the joint go down the columns of the block */
} tn_put_rows;

typedef struct tn_put_tile {
  int body, rows, tie, joint, clear, zero; /* the first of each */
} tn_put_tile;

typedef struct tn_filling {
  tn_put_tile *tile; /* tiles + 1 */
  tn_put_body *body; /* bodies */
  tn_put_rows *rows; /* pins or lists */
  int *tie;          /* bodies that stand on others */
  int *joint;        /* joints of which that is not all */
  tn_range *clear;   /* of the matrix: what filling adds to */
  tn_range *zero;    /* of the right side: nothing acts there */
} tn_filling;

/* a part of A: rows of joints by speeds, in the order named */
typedef struct tn_jacobian {
  int joints, rows, speeds;
  const int *joint, *speed;
} tn_jacobian;

typedef enum tn_norm { TN_NORM_NONE, TN_NORM_1, TN_NORM_2, TN_NORM_MAX } tn_norm;

/* C or its rate, of the row `component` or a norm of all rows of the joint `part`; part -1: of the model */
typedef struct tn_violated {
  tn_norm norm;
  bool rate, scaled; /* as the contract scales it */
} tn_violated;

typedef struct tn_channel {
  tn_channel_kind kind;
  int part, component, width;
  tn_measure measure;
  tn_violated violated;
  tn_spot spot;
  bool after_solve; /* needs accelerations or multipliers */
  const tn_jacobian *jacobian;
  int term; /* in an equation: the first of its terms that this is */
} tn_channel;

/* a function made of pieces in a law of the motion: where it goes from one to another, steps end */
typedef struct tn_switch {
  const char *kind, *name; /* `force`, `push`: whose law it is in */
  const char *text;        /* as written                          */
  bool in_joint;           /* in a row: velocities may jump there */
  bool in_event;           /* in `when`, or the event itself: nothing that moves sees it */
} tn_switch;

/* a number that laws, drivers, events and outputs may use, and events change */
typedef struct tn_parameter {
  const char *name;
  const tn_node *node;
  double value; /* at the start */
} tn_parameter;

typedef enum tn_act_kind { TN_ACT_STOP, TN_ACT_RECORD, TN_ACT_SET, TN_ACT_ON, TN_ACT_OFF } tn_act_kind;

/* one thing that an event does; what one action sets or switches together stands side by side */
typedef struct tn_act {
  tn_act_kind kind;
  int part;             /* parameter, joint, or force */
  bool joint;           /* a joint is switched, not a force */
  bool together;        /* with the one before it */
  const tn_expr *value; /* of a parameter */
} tn_act;

/* an event: what happens when a running expression passes zero, or a condition becomes true */
typedef struct tn_trigger {
  const char *name;
  const tn_node *node;
  const tn_expr *when;
  bool condition;       /* `when` is 0 or 1: its zero lies between */
  bool after_solve;     /* it needs accelerations or multipliers */
  bool up, down;        /* passages that count */
  int64_t most;         /* times; 0: no limit */
  int slot;             /* the switch that it is */
  int switches, inside; /* of functions in `when` made of pieces: the first, how many */
  int acts;
  tn_act *act;
} tn_trigger;

typedef struct tn_output {
  const char *name;
  const tn_expr *expr;
} tn_output;

/* an exact or guessed value at the start */
typedef struct tn_target {
  tn_measure of;
  bool rate;
  double value;
  const tn_node *node;
  const char *name;
} tn_target;

typedef struct tn_part { /* a stabilizer, formulation or integrator with its parameters */
  const void *type;
  void *self;
  const char *text;  /* short form: `baumgarte:alpha=5,beta=5` */
  int states, state; /* of a stabilizer, as of a force */
} tn_part;

typedef struct tn_run {
  double until, every;
  const char *method;
  tn_part formulation;
  int stabilizers;
  tn_part *stabilizer;
  const tn_integrator_type *integrator;
  tn_part integrator_part;
  bool fixed;
  double step, rtol, atol;
  double max_step; /* of an adaptive integrator */
  bool max_step_given;
  bool by_numbers; /* errors are judged number by number, simulate/step.c */
  bool by_mean;    /* and then by the mean of their squares               */
  double contract_position, contract_velocity;
  bool breach_stops;
  bool singular_stops;    /* a singular position ends the run */
  bool allows_unstable;   /* gains that let a violation grow are run on purpose */
  double unstable_growth; /* of gains that were allowed: the largest factor of a violation a step; 0: all are stable */
  bool chooses_dependent; /* a stabilizer needs formulate/dependent.c */
  bool uses_penalty;      /* a formulation or a stabilizer needs formulate/penalty.c */
} tn_run;

enum { TN_MOST_WARNINGS = 32 };

struct tn_model {
  tn_arena arena;
  tn_references *references; /* of the caller, and of each simulation; in the arena */
  const tn_node *root;       /* expanded */
  uint64_t fingerprint;      /* of the description as it is printed: what saved states belong to */
  int warnings;
  int warnings_more; /* that there was no room for */
  tn_error *warning[TN_MOST_WARNINGS];
  const char *title;
  bool relative;
  bool uses_time; /* drivers or forces do, explicitly */
  int dimension;
  int wrench; /* components of a wrench: 3 in the plane, 6 in space */
  int twist;  /* of a twist, and of what works on it: the same, or TN_TWIST where bodies stretch (tn_frame3) */
  double gravity[3];
  double length; /* the model's length, m */
  int bodies, joints, forces, rods, flywheels, channels, outputs, switches, parameters, triggers;
  bool triggers_after_solve; /* some event needs accelerations or multipliers */
  bool parameters_in_joints; /* some joint has a function of time with parameters */
  int states;                /* numbers that forces have of their own */
  const char **state_name, **state_unit;
  double *state0;   /* at the start */
  int owned;        /* joints past the last: rows that bodies have on their own coordinates */
  int loaded;       /* forces that depend on the load of a joint */
  int memory;       /* numbers that joints remember */
  int parts, *part; /* that know nothing of each other; nq + nu + states: of which each number is */

  int assemblies;          /* groups of bodies that joints tie together; ground and forces do not tie: assemblies.c */
  int *assembly;           /* bodies: of which each is                                                             */
  int *joint_assembly;     /* joints + owned: of which each is; TN_NOTHING: of none                                */
  int *force_assembly;     /* forces: on which each acts; TN_NOTHING: on none, TN_ACROSS: between two              */
  double *assembly_length; /* assemblies: the largest distance between its joint places, rod ends and mass centres at
                            * the given pose, m; 0 where all coincide                                              */
  double
      *assembly_size; /* assemblies: that, or where it is 0 the largest radius of gyration; 0: points in one place    */

  tn_index body_index, joint_index, force_index, parameter_index; /* by name */
  tn_body *body;
  int *order; /* bodies: parents before children */
  tn_joint *joint;
  tn_force *force;
  int *force_order; /* forces: those that others use before these */
  tn_rod *rod;
  tn_flywheel *flywheel;
  tn_channel *channel;                 /* slots of running expressions */
  int equation_channels, coefficients; /* of them those of equations; terms of all equations */
  tn_switch *switched;
  tn_parameter *parameter;
  tn_trigger *trigger;
  tn_output *output;
  int columns;
  const char **column, **column_unit; /* "" where the unit is not known */
  int nq, nu, rows, holonomic;
  double *q0;               /* nq: the given pose */
  tn_unit *q_unit, *u_unit; /* nq, nu */
  const char **q_name, **u_name;
  const char **own_name;       /* nu: of speeds as they are integrated, tn_chart.to_own */
  double *q_length, *u_length; /* nq, nu: what a number that is a length is seen against, m: tn_length_at; others: 1 */
  int *row_joint;              /* rows: whose it is */
  int *row_group;              /* rows: the first of those of the same joint with the same unit */
  double *row_scale; /* rows: 1 over the length of its assembly, where C is a length; of a run: tn_system.scale */
  double *sigma;     /* rows: weight that stands in for missing mass; NULL if there is none */
  tn_servo *servo;   /* servos, in the order of their rows */
  int servos;
  int max_frames; /* of a joint */
  int R;          /* numbers in tn_system.R */
  int draws;      /* those of one body after another, the ground's first */
  tn_draw *draw;
  bool ground_drawn;
  int traces;
  tn_traced *trace;
  int jacobian_room;            /* numbers in the largest part of A that an output asks for */
  tn_plan plan;                 /* of the sparse factorisation; nodes 0: there is none */
  tn_root_plan root_plan;       /* of that by reflections; steps 0: there is none      */
  const char *body_coordinates; /* of bodies that name none, as one types them; NULL: not given */
  const tn_body_type
      *plain;      /* of all bodies, where that is one and its speeds are the twist; q and u in the order of bodies */
  tn_lump *lump;   /* bodies, in the plane                                */
  tn_lump3 *lump3; /* bodies, in space                                    */
  int pins, lists;
  tn_pin *pin;
  tn_list *list;
  int *ready; /* plain: after every TN_AT_ONCE bodies, how many pins or lists need no other */
  tn_filling put;
  bool large;    /* no matrices are formed: what needs them is refused  */
  bool as_given; /* start mode */
  int exact, guesses;
  tn_target *target; /* exact ones first */
  tn_run run;
};

static inline const void *tn_integrator_self(const tn_model *m) {
  return m->run.integrator->size ? m->run.integrator_part.self : m->run.integrator->constants;
}

/* lengths that a body's motion is seen against, m: of its assembly, 0 where that has none; and 1 m, then, whatever else is in the model */
static inline double tn_body_length(const tn_model *m, int body) { return m->assembly_size[m->assembly[body]]; }
static inline double tn_length_at(const tn_model *m, int body) {
  const double L = tn_body_length(m, body);
  return L > 0 ? L : 1;
}
/* the same of a joint; i from m->joints on: of the pivot of body i - m->joints */
static inline double tn_joint_length(const tn_model *m, int i) {
  const int a = i < m->joints ? m->joint_assembly[i] : m->assembly[i - m->joints];
  return a >= 0 && m->assembly_size[a] > 0 ? m->assembly_size[a] : 1;
}

/* ---- inside the compile --------------------------------------------------------------------------------------------- */

typedef struct tn_constant {
  const char *name;
  const tn_node *node;
  int state; /* 0 not yet, 1 being evaluated, 2 done */
  double value[3];
} tn_constant;

typedef struct tn_table {
  const char *name;
  const tn_node *node;
  int state; /* as above */
  int n;
  double *value;
} tn_table;

/* a warning that others like it may join */
typedef struct tn_warned {
  const char *format, *kind; /* of the message; of the part, "" if there is none */
  size_t length;             /* of the message without the last ` and 3 more`    */
  int others, named;         /* that are in it, and those of them by name        */
} tn_warned;

struct tn_context {
  tn_warned warned[TN_MOST_WARNINGS];
  tn_model *m;
  tn_arena *arena;
  tn_error *e;
  const tn_desc *desc;
  const tn_node *root; /* expanded                                      */
  int constants, points, tables;
  tn_constant *constant, *point;
  tn_table *table;
  tn_index constant_index, point_index, table_index;
  int *pose_state; /* bodies: 0, 1, 2 as above                      */
  int depth;       /* of definitions that ask for one another */
  int nest;        /* levels of their expressions, together   */
  int channel_room, switch_room;
  bool switching;   /* what is parsed is a law of the motion: functions made of pieces have switches */
  bool names_ready; /* bodies, joints and forces can be named        */
  /* the part at work, for messages and for its own channels */
  const char *kind, *name; /* "joint", "knee"                               */
  const tn_node *node;
  const tn_joint *joint; /* NULL: it is not a joint                       */
  tn_measure own;        /* `rate` alone in a force on a channel          */
  bool has_own;
  bool before_solve;           /* running expressions may not use reactions     */
  const tn_equation *equation; /* what is parsed is this: it takes what has rows; else NULL */
  bool warning_lost;           /* there was no memory for it                    */
};

/* a message with the present part before it, once */
void tn_of_part(const tn_context *c, const char *message, char *text, size_t size);
/* an error of the present part: `joint 'knee': message`, at the node, or the part's if NULL */
tn_status tn_refuse(tn_context *c, const tn_node *at, const char *format, ...) TN_PRINTF(3, 4);
/* the same at the key of a member */
tn_status tn_refuse_key(tn_context *c, const tn_node *member, const char *format, ...) TN_PRINTF(3, 4);
/* `key` is not in the object: because it is misspelt there, or missing */
tn_status tn_missing(tn_context *c, const tn_node *object, const char *key);
/* a member that looks like `key` misspelt, or NULL */
const tn_node *tn_misspelt(const tn_node *object, const char *key);
tn_status tn_no_memory(tn_context *c);

/* names.c */
tn_status tn_names_prepare(tn_context *c, const tn_node *root); /* lists of constants, tables, points */
tn_status tn_names_points(tn_context *c, const tn_node *root);
tn_status tn_names_settle(tn_context *c);
tn_status tn_number_at(tn_context *c, const tn_node *node, double *value); /* number or constant expression */
tn_status tn_numbers_at(tn_context *c, const tn_node *node, int n, double *values);
tn_status tn_expr_at(tn_context *c, const tn_node *node, tn_class allowed, int width, const tn_expr **expr);
/* as many as the model has dimensions; in the plane the third is 0 */
tn_status tn_vector_at(tn_context *c, const tn_node *node, double v[3]);
tn_status tn_direction_at(tn_context *c, const tn_node *node, double axis[3]); /* word or vector, made a unit one */
tn_status tn_place_at(tn_context *c, const tn_node *node, double place[3]);    /* point, body or coordinates */
tn_status tn_number_text(void *context, const tn_scope *scope, const tn_node *at, const char *text, size_t n,
                         double *value, tn_error *e);
/* matrix.c: n x n, n <= 6, symmetric and without negative eigenvalues; given as its diagonal or by rows */
tn_status tn_matrix_at(tn_context *c, const tn_node *node, const char *key, int n, double *K);
/* jacobian.c: speeds by their names or those of coordinates, a list or `a.x+a.y`: which (nu, NULL if there is no node) */
tn_status tn_speeds_at(tn_context *c, const tn_node *node, const char *key, const bool **which);
/* the same as numbers in the order named */
tn_status tn_speeds_in_order(tn_context *c, const tn_node *node, const char *key, const int **speed, int *count);
bool tn_is_name(const char *text);
tn_status tn_check_name(tn_context *c, const tn_node *member);

/* sections.c: the keys of the file, one table a kind of object */
extern const tn_field tn_top_fields[], tn_body_fields[], tn_lump_fields[], tn_rod_fields[], tn_point_fields[],
    tn_value_fields[], tn_element_fields[], tn_start_fields[], tn_run_fields[], tn_integrator_fields[],
    tn_contract_fields[], tn_part_fields[], tn_row_fields[], tn_seat_fields[], tn_seat_two_fields[],
    tn_seat_nowhere_fields[], tn_seat_mesh_fields[], tn_force_fields[], tn_swing_fields[], tn_shape_fields[],
    tn_scene_fields[], tn_traced_fields[], tn_event_fields[], tn_act_fields[];

/* registry.c: the types of a kind, those of the build and then those added to the description (NULL: none) */
typedef enum tn_registry {
  TN_JOINTS,
  TN_FORCES,
  TN_COORDINATES,
  TN_FORMULATIONS,
  TN_STABILIZERS,
  TN_INTEGRATORS,
  TN_METHODS,
  TN_REGISTRIES
} tn_registry;
extern const char *const tn_registry_kinds[TN_REGISTRIES];                  /* `joint`, `force` .. */
const void *tn_registry_type(const tn_desc *desc, tn_registry kind, int i); /* NULL past the last */
const char *tn_type_name(const void *type);
/* the type named by a word, or an error at the node with the nearest */
/* faults.c: is something wrong with a table, and what? */
bool tn_type_fault(tn_registry kind, const void *type, char *why, size_t size);
tn_status tn_registry_find(tn_context *c, const tn_node *at, tn_registry kind, const char *word, const void **type);

extern const tn_joint_type *const tn_joint_types[];
extern const tn_force_type *const tn_force_types[];
extern const tn_body_type *const tn_body_types[];
extern const tn_formulation_type *const tn_formulation_types[];
extern const tn_stabilizer_type *const tn_stabilizer_types[];
extern const tn_integrator_type *const tn_integrator_types[];
/* types that this build does not have, for want of a library; a list ends with name NULL */
typedef struct tn_left_out {
  const char *kind, *name, *library;
} tn_left_out;
extern const tn_left_out tn_types_left_out[];
extern const int tn_joint_type_count, tn_force_type_count, tn_body_type_count, tn_formulation_type_count,
    tn_stabilizer_type_count, tn_integrator_type_count;

/* fields.c: `common` are keys read elsewhere */
tn_status tn_fields_read(tn_context *c, const tn_node *object, const tn_field *fields, const tn_field *common,
                         void *self);
/* running expressions of a joint, once channels can be named */
/* fields of a joint or force, in space those of a second table too */
tn_status tn_fields_read_both(tn_context *c, const tn_node *object, const tn_field *fields,
                              const tn_field *fields_space, const tn_field *common, void *self);
tn_status tn_fields_running(tn_context *c, const tn_node *object, const tn_field *fields, void *self);
/* every key of the object is one of these or starts with x- */
tn_status tn_keys_known(tn_context *c, const tn_node *object, const tn_field *fields, const tn_field *common);
bool tn_field_has_range(const tn_field *f);
/* ` > 0, at most 1`, to stand behind the kind of a number; empty without a range */
void tn_field_range_text(const tn_field *f, char *text, size_t size);
/* a remark that `check` shows; the model is good */
void tn_warn(tn_context *c, const tn_node *at, const char *format, ...) TN_PRINTF(3, 4);
/* a plain number that looks like degrees */
void tn_warn_angle(tn_context *c, const tn_node *node);
void tn_warn_off_rod(tn_context *c, const tn_joint *j);
void tn_warn_gravity(tn_context *c); /* with bodies and joints read */
/* the word of a `type`; a text node is its own type */
/* run.c: a part as one types it */
const char *tn_part_text(tn_context *c, const tn_node *node);
tn_status tn_type_word(tn_context *c, const tn_node *node, const char **word);
tn_status tn_word_at(tn_context *c, const tn_node *node, const char *what, const char **word);
/* an error that `word` is no known `what`, with the nearest and a list */
tn_status tn_unknown(tn_context *c, const tn_node *at, const char *what, const char *word, int n,
                     const char *const *known);

/* bodies.c, tree.c, joints.c, forces.c, channels.c, start.c, run.c */
tn_status tn_bodies_list(tn_context *c);
tn_status tn_bodies_read(tn_context *c);
tn_status tn_rods_read(tn_context *c);
enum { TN_MOST_PAIRS = 6 };                /* of an element: of four places */
tn_status tn_elements_read(tn_context *c); /* behind the rods, into the same list */
/* its origin is a place: not that of a unit vector */
static inline bool tn_has_place(const tn_model *m, int body) {
  return body < 0 || !m->body[body].type || !m->body[body].type->direction;
}
bool tn_is_axisymmetric(const tn_body *b); /* in space: two principal moments of inertia are equal */
tn_status tn_mass_read(tn_context *c, tn_body *b);
tn_status tn_tensor_at(tn_context *c, const tn_node *node, double inertia[9]); /* of a rigid body: 3 or 6 numbers */
/* *turn: what gave it, NULL if nothing did */
tn_status tn_orientation_at(tn_context *c, const tn_node *body, tn_pose *pose, const tn_node **turn);
tn_status tn_pose_of(tn_context *c, int body, const tn_node *at); /* at: who asks, for messages; may be NULL */
int tn_body_named(const tn_context *c, const char *name);         /* index, TN_GROUND, or -2 */
int tn_joint_named(const tn_context *c, const char *name);        /* index or -1 */
tn_status tn_body_at(tn_context *c, const tn_node *node, int *body);
/* keys of a joint beside its own fields; whether it takes one of the directions: axis, axis_on_bodies, axes, normal */
const tn_field *tn_joint_common(const tn_joint_type *type);
bool tn_is_direction(const char *key);
bool tn_joint_takes(const tn_joint_type *type, int dimension, const char *direction);
bool tn_joint_needs(const tn_joint_type *type, int dimension, const char *direction);
void tn_spot_from(const tn_context *c, const double place[3], int body, tn_spot *spot);
/* a frame on a body: its place given in the world at the given pose, or in body axes; its axes along the world's */
tn_status tn_spot_at(tn_context *c, const tn_node *node, int body, tn_spot *spot);
tn_status tn_spot_on(tn_context *c, const tn_node *node, int body, tn_spot *spot);
tn_spot tn_spot_origin(int body);                                          /* the frame of the body itself */
void tn_spot_turn(const tn_context *c, tn_spot *spot, double angle);       /* its x axis at this angle in the world */
void tn_spot_turn3(const tn_context *c, tn_spot *spot, const double A[9]); /* its axes in the world */
/* at the given pose */
void tn_spot_place(const tn_context *c, const tn_spot *spot, double r[3]);
void tn_spot_axes(const tn_context *c, const tn_spot *spot, double A[9]);
void tn_spot_frame(const tn_context *c, const tn_spot *spot, tn_frame2 *f);
void tn_spot_frame3(const tn_context *c, const tn_spot *spot, tn_frame3 *f);
/* one place for both, `at` in the world or `on_bodies` in body axes, or the place `here` of a body (-1: none); axes along the
 * world's */
tn_status tn_one_place(tn_context *c, const tn_node *node, const int body[2], int here, tn_spot spot[2]);
tn_status tn_two_places(tn_context *c, const tn_node *node, const int body[2], tn_spot spot[2]);
tn_status tn_between_at(tn_context *c, const tn_node *node, int body[2]);
tn_status tn_joints_list(tn_context *c);
tn_status tn_joints_read(tn_context *c);
tn_status tn_joints_terms(tn_context *c);
/* equation.c: the equation of a joint and its terms; whether it can use a channel, which *e says of `name` */
tn_status tn_equation_read(tn_context *c, tn_joint *j);
bool tn_equation_takes(const tn_context *c, const tn_channel *ch, const char *name, tn_error *e);
tn_status tn_tree_build(tn_context *c);
/* stretch.c: bodies of which Euler parameters are not normalized */
bool tn_stretches(const tn_model *m, int body);
tn_status tn_stretch_build(tn_context *c);
/* after the model is known to be small: col of every body, whose length goes with its depth */
tn_status tn_tree_columns(tn_context *c);
tn_status tn_rows_build(tn_context *c);
tn_status tn_rows_scale(tn_context *c); /* after the assemblies */
tn_status tn_servos_read(tn_context *c);
tn_unit tn_servo_unit(const tn_servo *v, const tn_model *m, bool *mixed);
tn_status tn_plan_build(tn_context *c);
tn_status tn_parts_build(tn_context *c);
/* degenerate.c. joints of up to TN_FEW_FRAMES frames: in the initial configuration all rows are finite; one of f2, f3 is NULL */
enum { TN_FEW_FRAMES = 3 };
tn_status tn_joint_check_rows(tn_context *c, const tn_joint *j, const tn_frame2 *f2, const tn_frame3 *f3);
double tn_gyration(const tn_model *m, const tn_body *b); /* radius, m; 0 without mass */
/* assemblies.c; its name in words: `'cart' and 2 more bodies` */
tn_status tn_assemblies_build(tn_context *c);
void tn_assembly_name(const tn_model *m, int assembly, char *text, size_t size);
/* sets that are joined, up (n): a member of the same set, of the root itself. joints, rods, parents and actuators join bodies; a
 * coordinate channel joins those that it is measured on with `body` */
int tn_ties_root(int *up, int i);
void tn_ties_join(int *up, int a, int b);
void tn_ties_measured(const tn_model *m, int *up, const tn_measure *of, int body);
void tn_ties_of_joints(const tn_model *m, int *up);
bool tn_plan_is_large(const tn_model *m);
tn_status tn_forces_list(tn_context *c);
tn_status tn_forces_read(tn_context *c);
tn_status tn_measure_at(tn_context *c, const tn_node *node, const char *name, tn_measure *m, bool *rate);
/* what a measure that is a length is seen against, m; others: 1 */
double tn_measure_length(const tn_model *m, const tn_measure *of);
tn_unit tn_measure_unit(const tn_model *m, const tn_measure *of);
int tn_measure_speed(const tn_model *m, const tn_measure *of); /* the speed that is its rate, or -1 */
/* the unit of a running expression as far as it follows from those of channels, or NULL */
const char *tn_running_unit(const tn_model *m, const tn_expr *expr);
bool tn_joint_there(const tn_model *m, const tn_joint_type *type); /* in the dimension of the model */
int tn_joint_axes(const tn_model *m, const tn_joint_type *type);
bool tn_joint_has_wrench(const tn_joint *j); /* exerts force and torque on a second body */
bool tn_joint_remembers(
    const tn_joint *j); /* angles that its frames alone do not tell: in space, if it carries no body */
/* whose row it is, in words: `joint 'knee'`; static text is not kept */
void tn_row_owner(const tn_model *m, int row, char *text, size_t size);
/* of the rows of a joint, with the numbers of those on positions and of those on velocities alone */
void tn_row_units(const tn_model *m, const tn_joint *j, tn_unit unit[6], int *rows, int *rows_velocity);
tn_unit tn_row_unit(const tn_model *m, int row); /* of C; one on channels of different units: TN_ANGLE */
/* figures.c: unit of a row in SI, ` m`, ` m^2`, ` rad`, or "" if it has none */
const char *tn_row_si(const tn_model *m, int row);
/* what the contract sees as `seen`, which is C or its rate times `scale`. in SI: `0.15 m/s`; as a share: `2.31e-02 of 6.494 m/s` */
void tn_row_figure(const tn_model *m, int row, double scale, bool rate, double seen, int digits, char *text,
                   size_t size);
void tn_row_share(const tn_model *m, int row, double scale, bool rate, double seen, char *text, size_t size);
/* coordinates: qdot = N u; q moved by s; s of a small dq */
void tn_model_rates(const tn_model *m, const double *q, const double *u, double *qdot);
void tn_model_add(const tn_model *m, double *q, const double *s);
/* speeds as they are integrated, and back; x may not be u. tn_model_turns: there are some that differ */
bool tn_model_turns(const tn_model *m);
void tn_model_to_own(const tn_model *m, const double *q, const double *u, double *x);
void tn_model_from_own(const tn_model *m, const double *q, const double *x, double *u);
void tn_model_carry(const tn_model *m, const double *u, const double *s, double k, double *du); /* tn_chart.carry */
bool tn_model_tidy(const tn_model *m,
                   double *q); /* quaternions that have left unit length are put back; true if any had */
void tn_model_tangent(const tn_model *m, const double *q, const double *dq, double *s);
tn_status tn_channel_find(tn_context *c, const char *name, tn_channel *ch, tn_error *e);
tn_status tn_channel_call(tn_context *c, const char *function, int n, const char *const *args, tn_channel *ch,
                          tn_error *e);
/* det and sigma_min; an empty argument stands between the two lists */
tn_status tn_jacobian_call(tn_context *c, const char *function, int n, const char *const *args, tn_channel *ch,
                           tn_error *e);
/* violations.c: `violation(joint, ..)` and the like; `norm1` .. of `violation.norm1`; its unit, NULL: of several */
bool tn_is_violation(const char *function);
tn_status tn_violation_call(tn_context *c, const char *function, int n, const char *const *args, tn_channel *ch,
                            tn_error *e);
bool tn_violation_channel(const tn_model *m, const char *word, tn_channel *ch, tn_error *e);
const char *tn_violation_unit(const tn_model *m, const tn_channel *ch);
/* a function is asked of a part that does not exist */
tn_status tn_no_part(const tn_model *m, const char *function, const char *what, const char *name, tn_error *e);
tn_status tn_channel_slot(tn_context *c, const tn_channel *ch, int *slot);
/* switches.c: the number of a new one of the part at work, -1: it has none, -2: no memory; for tn_names */
int tn_switch_new(tn_context *c, const char *text);
/* events.c: parameters are known before expressions are read, what events switch before the tree is built */
tn_status tn_parameters_list(tn_context *c);
tn_status tn_switchable_list(tn_context *c);
tn_status tn_events_read(tn_context *c);
bool tn_is_energy(const char *name); /* `kinetic` .. of `energy.kinetic` */
const char *tn_channel_unit(const tn_model *m, const tn_channel *ch);
tn_status tn_outputs_read(tn_context *c);
tn_status tn_states_name(tn_context *c); /* of forces and stabilizers */
tn_status tn_scene_read(tn_context *c);
tn_status tn_start_read(tn_context *c);
tn_status tn_run_read(tn_context *c);

/* a simulation keeps its model alive: one reference each, which it drops at its end. the last frees the model */
void tn_model_hold(const tn_model *m);
void tn_model_drop(const tn_model *m); /* NULL: nothing */

/* channels by name after the compile, for those who ask at run time */
bool tn_model_channel(const tn_model *m, const char *name, tn_channel *ch, tn_error *e);

extern const tn_method tn_methods[];
extern const int tn_method_count;

#endif
