/* draw: the look of a model. A body has the shapes that its `draw` names, or those that follow from its joints and inertia.
 *
 *   drawing.c   model to shapes              joints.c   marks of joints: rails, blocks, floors, feet
 *   bodies.c    a body that names no shape   gears.c    wheels, and where their teeth are
 *   pieces.c    things in both forms         outline.c  loops of the plane, and their triangles
 *   solids.c    shapes to triangles          mesh.c     files of triangles: STL
 *   gltf.c      the same: glTF */
#ifndef TN_DRAW_H
#define TN_DRAW_H

#include "model/model.h"

typedef enum tn_role {
  TN_ROLE_BODY,
  TN_ROLE_GIVEN,
  TN_ROLE_POINT,
  TN_ROLE_SLIDER,
  TN_ROLE_RAIL,
  TN_ROLE_GEAR,
  TN_ROLE_GROUND
} tn_role;
extern const char *const tn_role_name[]; /* `body`, `given`, .. */

typedef enum tn_flat { TN_FILL, TN_STROKE, TN_DISC } tn_flat;

typedef struct tn_shape {
  int body; /* or TN_GROUND; shapes of a body are in its axes */
  tn_role role;
  int color; /* 0xrrggbb; -1: not said */
  /* flat */
  tn_flat kind;
  int points, loops; /* of a fill: all points, loop by loop, outline first; loop[i] is the end of loop i */
  double *point;     /* points x 2 */
  int *loop;
  bool closed;
  double width;             /* of a stroke, m; 0: a hairline */
  double center[2], radius; /* of a disc */
  /* solid */
  int mesh;
  double at[3], A[9];
} tn_shape;

typedef struct tn_solid {
  int vertices, triangles;
  float *position, *normal; /* vertices x 3 */
  uint32_t *index;          /* triangles x 3 */
} tn_solid;

extern const char *const tn_symbol_name[]; /* of tn_symbol in extend.h: `other`, `pin`, .. */

/* of joint i of the model */
typedef struct tn_sign {
  tn_symbol symbol;
  bool placed;    /* it has a place on each of the two: spot[0] and spot[1] of the joint */
  bool has_axis;  /* of a pin or slide */
  double axis[3]; /* in the axes of the first body */
} tn_sign;

typedef struct tn_trace {
  const char *name;
  int body;
  double at[3]; /* in its axes */
} tn_trace;

/* names point into the model, which must live as long */
/* a rod between places of two bodies: one with mass between particles, or a distance that a joint keeps */
typedef struct tn_link {
  const char *name;
  const tn_spot *end; /* two                                                                         */
  int mesh;           /* -1: none. about the middle between the ends, along z, in the plane along x */
  double height;      /* of a solid in the plane                                                     */
} tn_link;

typedef struct tn_drawing {
  tn_arena arena;
  int shapes, solids, traces;
  tn_shape *shape;
  tn_solid *solid;
  tn_sign *sign; /* joints of the model, without those that bodies own */
  tn_trace *trace;
  int links;
  tn_link *link;
  int remarks; /* things that could not be drawn, in words */
  const char **remark;
} tn_drawing;

typedef struct tn_picture {
  bool flat;          /* shapes of the plane, else solids, of a model in the plane a plate each */
  const char *folder; /* where files of meshes are looked for; NULL: here                       */
  bool strict;        /* one that cannot be read is an error, else a remark                     */
  const double (*travel)
      [2]; /* joints: the travel of a slider along its rail, m, from the place on the first body; NULL: not known */
} tn_picture;

tn_status tn_drawing_new(const tn_model *m, const tn_picture *picture, tn_drawing **drawing, tn_error *e);
void tn_drawing_free(tn_drawing *d);
void tn_remarks_text(const tn_drawing *d, char *text, size_t size); /* the first, and how many more there are */

#endif
