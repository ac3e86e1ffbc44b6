/* elements: rigid bodies whose unknowns are points and unit vectors, "natural" coordinates. Their mass matrix is constant.
 * P_0 the first point, s_k = P_k - P_0 of the other points and s_k = v_k of vectors, three that are independent, S their matrix at the
 * given pose. a rigid body moves so that every place of it keeps its coordinates c along s_1 .. s_3:
 *   (1) r = P_0 + sum c_k s_k = sum N_i x_i, x_i the points and vectors;  N_k = c_k, N_0 = 1 - sum of c_k over points
 *   (2) T = sum_ij M_ij xdot_i'xdot_j/2,  M_ij = int N_i N_j dm;  weight int N_i dm g on x_i
 *   (3) with d from P_0 to the mass centre and the second moments E = tr(I)/2 1 - I + m d d' about P_0:
 *       int c dm = m S^-1 d,  int c c' dm = S^-1 E S^-T
 * joints and own rows keep the lengths and angles of the s_k. each pair i < j becomes a tn_rod with M_ij; M_ii goes to the first pair
 * that i is in. Garcia de Jalon, Unda & Avello 1986. */
#include "model/model.h"

/* volume over the product of the edges: the points of an element are in one plane */
static const double FLAT_ELEMENT = 1e-6;

enum { PLACES = 4 };

typedef struct element {
  const char *name;
  int points, places;
  tn_spot spot[PLACES];
  double x[PLACES][3];                 /* at the given pose                       */
  double M[PLACES][PLACES], w[PLACES]; /* (2)                                 */
} element;

static tn_status add_place(tn_context *c, element *x, const tn_node *at, bool vector) {
  const int body = at->kind == TN_NODE_TEXT ? tn_body_named(c, at->text) : TN_GROUND;
  if (x->places == PLACES) return tn_refuse(c, at, "an element has four points and vectors, here is one more");
  tn_spot *spot = &x->spot[x->places];
  *spot = tn_spot_origin(TN_GROUND);
  if (body >= 0) {
    const tn_body *b = &c->m->body[body];
    if (vector != b->type->direction || b->oriented) {
      tn_refuse(c, at, "'%s' is no %s", b->name, vector ? "unit vector" : "particle");
      tn_hint(c->e, "its coordinates would be `%s`", vector ? "vector" : "point");
      return TN_E_MODEL;
    }
    *spot = tn_spot_origin(body);
    memcpy(x->x[x->places], b->pose.r, sizeof *x->x);
  } else if (vector) {
    return tn_refuse(c, at, "there is no body '%s'", at->kind == TN_NODE_TEXT ? at->text : "");
  } else {
    TN_TRY(tn_place_at(c, at, x->x[x->places]));
    memcpy(spot->p, x->x[x->places], sizeof spot->p);
  }
  for (int k = 0; k < x->places; k++)
    if (body >= 0 && x->spot[k].body == body) return tn_refuse(c, at, "'%s' is here twice", at->text);
  x->places++;
  return TN_OK;
}

static tn_status read_places(tn_context *c, const tn_node *node, element *x) {
  const tn_node *points = tn_node_get(node, "points"), *vectors = tn_node_get(node, "vectors");
  if (!points) return tn_refuse(c, node, "`points` is missing");
  if (points->kind != TN_NODE_LIST || !points->size) return tn_refuse(c, points, "`points` must be a list of points");
  if (vectors && vectors->kind != TN_NODE_LIST) return tn_refuse(c, vectors, "`vectors` must be a list of bodies");
  for (const tn_node *k = points->first; k; k = k->next) TN_TRY(add_place(c, x, k, false));
  x->points = x->places;
  for (const tn_node *k = vectors ? vectors->first : NULL; k; k = k->next) TN_TRY(add_place(c, x, k, true));
  if (x->places < PLACES) return tn_refuse(c, node, "an element needs four points and vectors, here are %d", x->places);
  return TN_OK;
}

/* S^-1, rows are its reciprocal vectors; false: they are in one plane */
static bool reciprocal(const element *x, double R[3][3]) {
  double s[3][3], size = 1;
  for (int k = 0; k < 3; k++) {
    if (k + 1 < x->points)
      tn_sub3(x->x[k + 1], x->x[0], s[k]);
    else
      memcpy(s[k], x->x[k + 1], sizeof s[k]);
    size *= tn_norm3(s[k]);
  }
  for (int k = 0; k < 3; k++) tn_cross3(s[(k + 1) % 3], s[(k + 2) % 3], R[k]);
  const double volume = tn_dot3(s[0], R[0]);
  if (!(fabs(volume) > FLAT_ELEMENT * size)) return false;
  for (int k = 0; k < 9; k++) R[k / 3][k % 3] /= volume;
  return true;
}

/* (2), (3). d: from the first point to the mass centre */
static void find_mass(element *x, double R[3][3], double mass, const double d[3], const double I[9]) {
  const double half = (I[0] + I[4] + I[8]) / 2;
  double E[9], first[3], second[3][3];
  for (int i = 0; i < 9; i++) E[i] = (i % 4 == 0 ? half : 0) - I[i] + mass * d[i / 3] * d[i % 3];
  for (int i = 0; i < 3; i++) {
    double ER[3];
    first[i] = mass * tn_dot3(R[i], d);
    tn_turn3(E, R[i], ER);
    for (int j = 0; j < 3; j++) second[i][j] = tn_dot3(R[j], ER);
  }
  /* N = B (1, c): rows of B for each place */
  double B[PLACES][4] = {{1}}, G[4][4] = {{mass}};
  for (int k = 0; k < 3; k++) {
    B[k + 1][k + 1] = 1;
    if (k + 1 < x->points) B[0][k + 1] = -1;
    G[0][k + 1] = G[k + 1][0] = first[k];
    for (int j = 0; j < 3; j++) G[k + 1][j + 1] = second[k][j];
  }
  for (int i = 0; i < PLACES; i++) {
    x->w[i] = 0;
    for (int k = 0; k < 4; k++) x->w[i] += B[i][k] * G[k][0];
    for (int j = 0; j < PLACES; j++) {
      x->M[i][j] = 0;
      for (int k = 0; k < 4; k++)
        for (int l = 0; l < 4; l++) x->M[i][j] += B[i][k] * G[k][l] * B[j][l];
    }
  }
}

static void add_pairs(tn_model *m, const element *x) {
  bool done[PLACES] = {false};
  for (int i = 0; i < PLACES; i++)
    for (int j = i + 1; j < PLACES; j++) {
      tn_rod *r = &m->rod[m->rods++];
      const int at[2] = {i, j};
      *r = (tn_rod){.name = x->name, .shared = x->M[i][j], .drawn = j < x->points};
      for (int k = 0; k < 2; k++) {
        r->end[k] = x->spot[at[k]];
        if (done[at[k]]) continue;
        r->own[k] = x->M[at[k]][at[k]];
        r->share[k] = x->w[at[k]];
        done[at[k]] = true;
      }
    }
}

static tn_status read_element(tn_context *c, const tn_node *node) {
  element x = {.name = tn_arena_text(c->arena, node->key, strlen(node->key))};
  double mass, d[3] = {0}, I[9], R[3][3];
  const tn_node *center = tn_node_get(node, "center"), *inertia = tn_node_get(node, "inertia"),
                *of = tn_node_get(node, "mass");
  if (!x.name) return tn_no_memory(c);
  TN_TRY(tn_keys_known(c, node, tn_element_fields, NULL));
  if (!of || !inertia) return tn_refuse(c, node, "`%s` is missing", of ? "inertia" : "mass");
  TN_TRY(tn_number_at(c, of, &mass));
  if (!(mass > 0)) return tn_refuse(c, of, "the mass must be positive, it is %g", mass);
  TN_TRY(tn_tensor_at(c, inertia, I));
  TN_TRY(read_places(c, node, &x));
  if (center) {
    double r[3];
    TN_TRY(tn_place_at(c, center, r));
    tn_sub3(r, x.x[0], d);
  }
  if (!reciprocal(&x, R)) return tn_refuse(c, node, "the ways from the first point and the vectors are in one plane");
  find_mass(&x, R, mass, d, I);
  add_pairs(c->m, &x);
  return TN_OK;
}

tn_status tn_elements_read(tn_context *c) {
  const tn_node *elements = tn_node_get(c->root, "elements");
  if (!elements) return TN_OK;
  if (elements->kind != TN_NODE_OBJECT) return tn_refuse(c, elements, "`elements` must be an object");
  if (c->m->dimension == 2 && elements->size) {
    tn_refuse(c, elements, "`elements` are in space");
    tn_hint(c->e, "in the plane `rods` between particles have the same purpose");
    return TN_E_MODEL;
  }
  for (const tn_node *k = elements->first; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    c->kind = NULL;
    TN_TRY(tn_check_name(c, k));
    c->kind = "element";
    c->name = k->key;
    c->node = k;
    TN_TRY(read_element(c, k));
  }
  c->kind = NULL;
  c->node = NULL;
  return TN_OK;
}
