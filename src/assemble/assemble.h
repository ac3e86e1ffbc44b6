/* assemble: a model at a state: poses and twists, M f A C Cdot gamma, energies, reactions.
 *
 *   kinematics.c  frames of bodies and their motion axes     forces.c    wrenches on bodies, energies
 *   system.c      M, f, and all of it in order               rows.c      C, A, Cdot, gamma; measures
 *   reactions.c   what joints exert                          channels.c  values of channels */
#ifndef TN_ASSEMBLE_H
#define TN_ASSEMBLE_H

#include "model/model.h"

enum { TN_LEDGER_FORCE, TN_LEDGER_DRIVER, TN_LEDGER_STABILIZER, TN_LEDGER_DISSIPATED, TN_LEDGERS };

struct tn_system {
  const tn_model *m;
  bool complete; /* everything below is at (t, q, u); else C and positions only              */
  double t;
  double *q, *u;                 /* nq, nu: the state it is at                                               */
  tn_frame2 *body;               /* bodies: frames                                                           */
  double **J;                    /* bodies: 3 x cols, twist of the frame = J u(col)                          */
  double *M, *f;                 /* nu x nu, nu                                                              */
  double *A;                     /* rows x nu                                                                */
  double *C, *Ct, *Cdot, *gamma; /* rows; C of nonholonomic rows is 0, their Ct is g                   */
  double *wrench, *bias;         /* bodies x 3: applied forces; inertia forces at udot = 0; at the frame     */
  tn_force_out *force;           /* forces                                                                   */
  double *force_power;           /* forces: all of it                                                        */
  double kinetic, potential, power, dissipated; /* power: of forces without a potential                */
  /* after a solve */
  double *udot, *lambda;     /* nu, rows: without the stabilizer                                         */
  double *udot_s, *lambda_s; /* its share                                                              */
  double *reaction, *share;  /* joints x 3: on the second body, at its frame; the stabilizer's          */
  double *pivot;             /* bodies x 2: force of the parent on a body that stands on it              */
  double ledger[TN_LEDGERS]; /* J, since the start                                                     */
  double energy0;            /* T + V at the start                                                       */
  /* scratch */
  tn_frame2 *frame;
  double *row, *carried, *carried_s;
};

void tn_system_carve(tn_system *s, tn_carve *c, const tn_model *m);

/* frames, twists and motion axes at (q, u) */
void tn_kinematics(tn_system *s, double t, const double *q, const double *u);
/* everything at (t, q, u) */
void tn_assemble(tn_system *s, double t, const double *q, const double *u);
/* C and positions only; the rest stays as it was */
void tn_assemble_position(tn_system *s, double t, const double *q);
/* a speed or row that is not a number, in words, or false */
bool tn_system_fault(const tn_system *s, char *text, size_t size);

/* the largest coordinate of a body's place and its largest speed, in units of the model's length (angles: rad) */
double tn_system_extent(const tn_system *s); /* at least 1 */
double tn_system_speed(const tn_system *s);

void tn_frame_on(const tn_system *s, const tn_spot *spot, tn_frame2 *f);
/* J' w added to x: a wrench at a frame of a body as generalised forces */
void tn_add_row(const tn_system *s, const tn_spot *spot, const tn_frame2 *f, const double row[3], double *x);

void tn_assemble_forces(tn_system *s); /* wrench, bias, energies */
void tn_assemble_rows(tn_system *s);   /* C Ct Cdot A gamma     */
void tn_rows_position(tn_system *s);   /* C                     */

/* a coordinate channel: value, rate, and its acceleration when udot = 0; row (nu) may be NULL */
void tn_measure_eval(const tn_system *s, const tn_measure *of, double *value, double *rate, double *accel0,
                     double *row);
/* effort along a channel as wrenches on the bodies it is measured between */
void tn_measure_push(const tn_system *s, const tn_measure *of, double effort, double *wrench);

void tn_reactions(tn_system *s); /* after a solve */

double tn_energy_of(const tn_system *s, tn_energy which);
void tn_channel_eval(const tn_system *s, const tn_channel *ch, double *value);
void tn_expr_on(const tn_system *s, const tn_expr *e, double *value);

#endif
