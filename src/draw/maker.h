/* Internal to draw: a drawing that is being made. Pieces are added one by one. `failed` is set if there is no memory, and checked once at
 * the end. */
#ifndef TN_MAKER_H
#define TN_MAKER_H

#include "draw/draw.h"

typedef struct tn_outline { /* loops in a plane, outline first and counterclockwise, holes after it */
  int points, loops, room, loop_room;
  double *xy;
  int *loop; /* the end of each */
} tn_outline;

typedef struct tn_places { /* of a body, in its axes, no two the same */
  int n;
  double (*p)[3];
  double extent; /* largest distance between them, and the mass centre */
} tn_places;

typedef struct tn_marked { /* a mark of a joint, on its body */
  tn_mark mark;
  int joint, body;
} tn_marked;

typedef struct tn_known { /* how a solid was made, to find it again */
  uint32_t hash;
  int n, solid;
  float *key;
} tn_known;

typedef struct tn_triangles {
  int vertices, triangles;
  float *position, *normal; /* normal NULL: none */
  uint32_t *index;
} tn_triangles;

typedef struct tn_maker {
  tn_model model; /* a shallow copy, for `context` */
  tn_context context;
  const tn_model *m;
  tn_drawing *d;
  tn_arena *arena;
  tn_error *e;
  bool flat, failed, beyond;
  const char *folder;
  bool strict;
  const double (*travel)[2];
  bool by_places;   /* extents are those of places and shapes, not of inertia alone */
  bool *shaped;     /* bodies: they have a shape of their own */
  double typical;   /* extent of a body in the middle of all */
  double width;     /* of one of that extent */
  double thick;     /* of plates in a model of the plane */
  double box[2][3]; /* around all places, world */
  double down[3];
  tn_places *places; /* bodies */
  int *layer;        /* bodies and the ground: of solids of the plane */
  int seens;
  tn_marked *seen;
  bool *dressed; /* bodies: something was drawn on it that shows where it is */
  int shape_room, solid_room, remark_room;
  /* solids known so far, and the one at work */
  int known, known_room, *bucket, buckets;
  tn_known *know;
  int vertices, vertex_room, indices, index_room;
  float *position, *normal;
  uint32_t *index;
  tn_outline outline; /* to be used again and again */
} tn_maker;

static const double TN_UNDRAWN = 1e-6; /* of the size of what is drawn: nobody sees a length that is smaller */

#define TN_PI 3.141592653589793

/* zeroed; NULL and `failed`: no memory */
void *tn_maker_alloc(tn_maker *k, size_t size);
/* room for one more of `n` things of a size; false: no memory */
bool tn_maker_grow(tn_maker *k, void **list, int n, int *room, size_t size);
void tn_maker_remark(tn_maker *k, const char *format, ...) TN_PRINTF(2, 3);
void tn_maker_beyond(tn_maker *k); /* something is too large or too small to be drawn: reported once */
tn_shape *tn_shape_new(tn_maker *k, int body, tn_role role, int color); /* NULL: no memory */
/* a place and a direction of the world at the given pose in the axes of a body; their axes */
void tn_to_body(const tn_maker *k, int body, const double world[3], double p[3]);
void tn_turn_to_body(const tn_maker *k, int body, const double world[3], double e[3]);
void tn_to_world(const tn_maker *k, int body, const double p[3], double world[3]);
double tn_layer_height(const tn_maker *k, int body); /* of solids of the plane */
double tn_width_for(const tn_maker *k, double extent);

/* ---- outline.c */
void tn_outline_start(tn_outline *o);
bool tn_outline_add(tn_maker *k, tn_outline *o, double x, double y); /* false: no memory */
void tn_outline_arc(tn_maker *k, tn_outline *o, const double c[2], double r, double from, double to);
void tn_outline_close(tn_maker *k, tn_outline *o); /* the loop so far is one */
/* around the hull of n points (order is changed) at a distance */
void tn_outline_hull(tn_maker *k, tn_outline *o, int n, double (*p)[2], double margin);
/* triangles of the loops: 3 numbers of points each; count in *triangles. NULL: no memory */
const uint32_t *tn_outline_triangles(tn_maker *k, const tn_outline *o, int *triangles);

/* ---- solids.c: number of a solid, made if it is not there yet; -1: no memory. about the origin, axis z */
int tn_solid_box(tn_maker *k, const double size[3]);
int tn_solid_ball(tn_maker *k, const double semi[3]);
int tn_solid_lathe(tn_maker *k, int n, const double (*rz)[2]); /* a profile turned about z, from below */
int tn_solid_capsule(tn_maker *k, double radius, double length);
int tn_solid_tube(tn_maker *k, int n, const double *point, bool closed, double radius);
/* from z = -thick/2 to thick/2; the upper end `scale` times the lower one */
int tn_solid_prism(tn_maker *k, const tn_outline *o, double thick, double scale);
/* of a file; -1: it was not read yet */
int tn_solid_named(tn_maker *k, const char *name, double scale);
int tn_solid_mesh(tn_maker *k, const char *name, double scale, const tn_triangles *t);

/* ---- pieces.c: on a body, in its axes */
void tn_piece_solid(tn_maker *k, int body, tn_role role, int color, int solid, const double at[3], const double A[9]);
void tn_piece_rod(tn_maker *k, int body, tn_role role, int color, const double p[3], const double q[3], double width);
void tn_piece_disc(tn_maker *k, int body, tn_role role, int color, const double c[3], double radius);
/* the outline lies in x and y of A, through `at`; thick 0: by its layer in the plane */
void tn_piece_plate(tn_maker *k, int body, tn_role role, int color, const tn_outline *o, const double at[3],
                    const double A[9], double thick, double scale);
void tn_piece_box(tn_maker *k, int body, tn_role role, int color, const double size[3], const double at[3],
                  const double A[9]);

/* ---- the parts of a drawing */
void tn_draw_joints(tn_maker *k);
void tn_draw_gears(tn_maker *k);
void tn_draw_body(tn_maker *k, int body);
tn_status tn_draw_given(tn_maker *k, const tn_draw *g);
tn_status tn_draw_mesh(tn_maker *k, const tn_draw *g);

/* ---- files of triangles */
static inline uint32_t tn_u32_at(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
tn_status tn_read_stl(tn_arena *arena, const char *name, const unsigned char *bytes, size_t size, tn_triangles *t,
                      tn_error *e);
tn_status tn_read_gltf(tn_arena *arena, const char *name, const unsigned char *bytes, size_t size, tn_triangles *t,
                       tn_error *e);

#endif
