/* what is wrong with the table of a type: checked when a type from outside is added, and for all types, those of the build too, when a
 * model names one. What the compiler would not read is refused, so that no member of a table is ignored. */
#include "model/model.h"

#include <limits.h>

enum { MOST_NUMBERS = 3, MOST_SIDE = 6 }; /* of a vector; rows of a matrix: fields.c */

typedef struct fault {
  char *why;
  size_t size;
} fault;

static bool wrong(const fault *f, const char *format, ...) TN_PRINTF(2, 3);
static bool wrong(const fault *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tn_vformat(f->why, f->size, format, arguments);
  va_end(arguments);
  return true;
}

/* ---- fields --------------------------------------------------------------------------------------------------------------- */

/* the largest n that a field of a kind can have; -1: it has none */
static int most_of(tn_kind kind) {
  switch (kind) {
  case TN_VECTOR:
  case TN_RUNNING:
  case TN_DIRECTION: return MOST_NUMBERS;
  case TN_MATRIX: return MOST_SIDE;
  case TN_NUMBER:
  case TN_INTEGER:
  case TN_WORD:
  case TN_BOOLEAN:
  case TN_TIME: return 1;
  case TN_LIST: return INT_MAX;
  default: return 0;
  }
}

/* bytes that reading a field stores at its offset */
static size_t stored(const tn_field *f) {
  const size_t n = (size_t)f->n;
  switch (f->kind) {
  case TN_NUMBER: return sizeof(double);
  case TN_VECTOR: return sizeof(double) * (n ? n : MOST_NUMBERS);
  case TN_DIRECTION: return sizeof(double) * MOST_NUMBERS;
  case TN_INTEGER:
  case TN_WORD:
  case TN_BOOLEAN: return sizeof(int);
  case TN_TIME: return sizeof(const tn_expr *);
  case TN_MATRIX: return sizeof(double) * (n ? n * n : MOST_SIDE * MOST_SIDE);
  case TN_RUNNING: return sizeof(const tn_expr *) * (n ? n : MOST_NUMBERS);
  default: return 0;
  }
}

static bool is_whole(tn_kind kind) { return kind == TN_INTEGER || kind == TN_WORD || kind == TN_BOOLEAN; }

static bool has_inside(tn_kind kind) {
  return kind == TN_LIST || kind == TN_OBJECT || kind == TN_SHAPES || kind == TN_ACTS;
}

/* size: of the struct that they are stored in */
static bool bad_table(const fault *x, const tn_field *fields, size_t size) {
  for (const tn_field *f = fields; f && f->key; f++) {
    if (f->n < 0 || f->n > most_of(f->kind))
      return wrong(x, "field `%s` has n = %d, and a field of its kind holds %d at most", f->key, f->n,
                   most_of(f->kind));
    if (f->kind == TN_DIRECTION && f->n && f->n != MOST_NUMBERS)
      return wrong(x, "field `%s` is a direction and has three numbers, not %d", f->key, f->n);
    if (stored(f) && (f->offset > size || stored(f) > size - f->offset))
      return wrong(x, "field `%s` is stored at bytes %zu to %zu of a struct of %zu", f->key, f->offset,
                   f->offset + stored(f), size);
    if (f->kind == TN_WORD && !f->choices) return wrong(x, "field `%s` is a word and has no `choices`", f->key);
    if (has_inside(f->kind) && !f->inside) return wrong(x, "field `%s` needs `inside`", f->key);
    if (tn_field_has_range(f) && !(f->lo <= f->hi))
      return wrong(x, "field `%s` has a range from %g to %g", f->key, f->lo, f->hi);
    if (is_whole(f->kind) && !(fabs(f->dflt) <= INT_MAX && f->dflt == floor(f->dflt)))
      return wrong(x, "field `%s` holds a whole number, and its default is %g", f->key, f->dflt);
  }
  return false;
}

/* two fields with one key, or one place in the struct */
static bool bad_pair(const fault *x, const tn_field *f, const tn_field *g) {
  if (strcmp(f->key, g->key) == 0) return wrong(x, "field `%s` is there twice", f->key);
  return stored(f) && stored(g) && f->offset < g->offset + stored(g) && g->offset < f->offset + stored(f) &&
         wrong(x, "fields `%s` and `%s` are stored at the same place", f->key, g->key);
}

/* of one table, or of two that are read into one struct */
static bool bad_fields(const fault *x, const tn_field *fields, const tn_field *more, size_t size) {
  const tn_field *const tables[] = {fields, more};
  if (bad_table(x, fields, size) || bad_table(x, more, size)) return true;
  for (int i = 0; i < 2; i++)
    for (const tn_field *f = tables[i]; f && f->key; f++)
      for (int k = i; k < 2; k++)
        for (const tn_field *g = k == i ? f + 1 : tables[k]; g && g->key; g++)
          if (bad_pair(x, f, g)) return true;
  return false;
}

/* those of a joint or force */
static bool bad_part_fields(const fault *x, const tn_field *fields, const tn_field *fields_space, bool space,
                            size_t size) {
  int n = 0;
  for (const tn_field *f = fields; f && f->key; f++) n++;
  for (const tn_field *f = fields_space; f && f->key; f++) n++;
  if (n > TN_MOST_FIELDS) return wrong(x, "it has %d fields, and %d are the most", n, TN_MOST_FIELDS);
  if (fields_space && !space) return wrong(x, "`fields_space` would not be read: it is not there in space");
  return bad_fields(x, fields, fields_space, size);
}

/* ---- coordinates ---------------------------------------------------------------------------------------------------------- */

static const char NOT_WHOLE[] = "functions that it needs are NULL, or its sizes make no sense";

/* how many coordinates have a name, and one for their rate */
static int named(const tn_coordinate *c) {
  int n = 0;
  for (; c && c[n].name && c[n].rate; n++) continue;
  return n;
}

static bool good_chart(const tn_chart *c) {
  if (!c) return true;
  if (c->nu < 1 || c->nq < 1 || c->nu > 8 || c->nq > 8 || !c->rates || !c->add || !c->tangent) return false;
  if (!c->to_own != !c->from_own || !c->to_own != !c->carry) return false;
  for (int i = 0; i < c->nq; i++)
    if (!c->q_name[i]) return false;
  for (int i = 0; i < c->nu; i++)
    if (!c->u_name[i] || (c->to_own && !c->own_name[i])) return false;
  return true;
}

static bool good_coordinates(const tn_body_type *t) {
  const tn_body2 *p = &t->plane;
  const tn_body3 *q = &t->space;
  if (p->n && !(p->motion && p->from_pose && p->n >= 1 && p->n <= 3 && named(p->coordinates) >= p->n)) return false;
  if (q->nq < 0 || p->n < 0 || !good_chart(q->chart)) return false;
  if (q->nq && !(q->motion && q->from_pose && q->nu >= 1 && q->nu <= 8 && q->nq <= 8 &&
                 (q->chart ? q->chart->nq == q->nq && q->chart->nu == q->nu
                           : q->nq == q->nu && named(q->coordinates) >= q->nq) &&
                 (q->rows == 0 || (q->rows == 1 && q->own && !q->chart))))
    return false;
  return p->n || q->nq;
}

static bool bad_coordinates(const fault *x, const tn_body_type *t) {
  if (bad_fields(x, t->fields, NULL, t->size)) return true;
  if (!t->fields != !t->chosen) return wrong(x, "`fields` and `chosen` go together");
  return !good_coordinates(t) && wrong(x, "%s", NOT_WHOLE);
}

/* ---- joints --------------------------------------------------------------------------------------------------------------- */

static const char *const seats[] = {[TN_SEAT_SHARED] = "TN_SEAT_SHARED",   [TN_SEAT_TWO] = "TN_SEAT_TWO",
                                    [TN_SEAT_NOWHERE] = "TN_SEAT_NOWHERE", [TN_SEAT_MESH] = "TN_SEAT_MESH",
                                    [TN_SEAT_CENTERS] = "TN_SEAT_CENTERS", [TN_SEAT_CHANNELS] = "TN_SEAT_CHANNELS"};

/* the joint has a place on each of two bodies, or their origins */
static bool is_framed(const tn_joint_type *t) {
  return t->seat == TN_SEAT_SHARED || t->seat == TN_SEAT_TWO || t->seat == TN_SEAT_NOWHERE;
}

/* axes that are not read where the joint sits */
static bool bad_axes(const fault *x, const tn_joint_type *t) {
  const tn_axes frames = t->space.frames;
  const bool mesh = t->seat == TN_SEAT_MESH;
  if ((int)frames < 0 || frames > TN_AXES_BLADE) return wrong(x, "there are no axes %d", (int)frames);
  if (t->space.there && frames != TN_AXES_NONE && !is_framed(t) && !(mesh && frames == TN_AXES_AXIS))
    return wrong(x, "`space.frames` would not be read: a joint of %s has %s", seats[t->seat],
                 mesh ? "an `axis` or none" : "no axes");
  if (t->plane.there && t->plane.has_axis && !is_framed(t))
    return wrong(x, "`plane.has_axis` would not be read: a joint of %s has no axis in the plane", seats[t->seat]);
  if ((t->space.parallel || t->space.perpendicular) && (frames != TN_AXES_PAIR || !t->space.there))
    return wrong(x, "`space.parallel` and `space.perpendicular` are read with TN_AXES_PAIR only");
  return t->space.parallel && t->space.perpendicular && wrong(x, "axes cannot be parallel and perpendicular");
}

/* bodies that the joint does not have */
static bool bad_bodies(const fault *x, const tn_joint_type *t) {
  const bool mesh = t->seat == TN_SEAT_MESH;
  const unsigned oriented = t->oriented | t->space.oriented;
  if (oriented > (mesh ? 7 : 3))
    return wrong(x, "`oriented` has a bit for each frame, and a joint of %s has %d", seats[t->seat], mesh ? 3 : 2);
  if (oriented && !is_framed(t) && !mesh)
    return wrong(x, "`oriented` would not be read: a joint of %s has no `between`", seats[t->seat]);
  return t->at_second && t->seat != TN_SEAT_SHARED &&
         wrong(x, "`at_second` is read with TN_SEAT_SHARED only, not with %s", seats[t->seat]);
}

/* other members that are not read where the joint sits */
static bool bad_seat(const fault *x, const tn_joint_type *t) {
  if ((int)t->seat < 0 || t->seat > TN_SEAT_CHANNELS) return wrong(x, "there is no seat %d", (int)t->seat);
  const char *seat = seats[t->seat];
  if (bad_axes(x, t) || bad_bodies(x, t)) return true;
  if ((t->value || t->equation) && t->seat != TN_SEAT_CHANNELS)
    return wrong(x, "`%s` is read with TN_SEAT_CHANNELS only, not with %s", t->value ? "value" : "equation", seat);
  if (named(t->coordinates) && !is_framed(t)) return wrong(x, "a joint of %s measures no `coordinates`", seat);
  if (t->seat != TN_SEAT_SHARED && ((t->plane.there && t->plane.axes >= 0) || (t->space.there && t->space.axes >= 0)))
    return wrong(x, "a joint of %s cannot carry a body: `axes` is -1", seat);
  return false;
}

static bool good_joint2(const tn_joint_type *t) {
  const tn_joint2 *p = &t->plane;
  const int coordinates = named(t->coordinates), carried = p->carried ? named(p->carried) : coordinates;
  if (p->rows < 0 || p->rows_velocity_only < 0 || p->rows + p->rows_velocity_only > 3) return false;
  if (coordinates > 3 || (coordinates && !p->measure)) return false;
  if (p->axes >= 0 && (!p->motion || p->axes > 3 || p->axes > carried)) return false;
  return p->position && p->rows_on_twists && p->rates;
}

/* rows that a list makes */
static int rows_of(const tn_row3 *list) {
  int n = 0;
  for (; list->kind != TN_ROWS_END; list++) n += list->kind == TN_ROWS_POINT ? 3 : 1;
  return n;
}

/* `list` is read instead of the functions, between two frames */
static bool bad_list(const fault *x, const tn_joint_type *t) {
  const tn_joint3 *p = &t->space;
  if (!p->there || !p->list) return false;
  if (p->position || p->rows_on_twists || p->rates || p->stretch)
    return wrong(x,
                 "`space.list` says what the rows are: `position`, `rows_on_twists`, `rates` and `stretch` would not "
                 "be read");
  if (!is_framed(t))
    return wrong(x, "`space.list` has rows between two frames, not those of a joint of %s", seats[t->seat]);
  for (const tn_row3 *r = p->list; r->kind != TN_ROWS_END; r++)
    if ((int)r->kind < 0 || r->kind > TN_ROW_DOT || r->a < 0 || r->a > 2 || r->b < 0 || r->b > 2)
      return wrong(x, "`space.list`: row %d has axes %d and %d of 0 to 2", (int)(r - p->list) + 1, r->a, r->b);
  if (rows_of(p->list) != p->rows || p->rows_velocity_only)
    return wrong(x, "`space.list` makes %d rows, and the joint has %d and %d on velocities", rows_of(p->list), p->rows,
                 p->rows_velocity_only);
  return false;
}

static bool good_joint3(const tn_joint_type *t) {
  const tn_joint3 *p = &t->space;
  const int coordinates = named(t->coordinates), carried = p->carried ? named(p->carried) : coordinates;
  if (p->rows < 0 || p->rows_velocity_only < 0 || p->rows + p->rows_velocity_only > 6) return false;
  if (coordinates > 6 || (coordinates && !p->measure)) return false;
  if (p->memory < 0 || (p->memory && !p->accept) || !good_chart(p->chart)) return false;
  if (p->axes >= 0 && (!p->motion || p->axes > 6 || (p->chart ? p->chart->nu != p->axes : p->axes > carried)))
    return false;
  return p->list || (p->position && p->rows_on_twists && p->rates);
}

static bool good_functions(const tn_joint_type *t) {
  if (!(t->plane.there || t->space.there)) return false;
  if (t->seat == TN_SEAT_CHANNELS)
    return (t->value != NULL) != (t->equation != NULL) &&
           (!t->plane.there || (t->plane.rows == 1 && !t->plane.rows_velocity_only)) &&
           (!t->space.there || (t->space.rows == 1 && !t->space.rows_velocity_only));
  if (named(t->coordinates) && (t->plane.carried || t->space.carried))
    return false; /* what it measures is what it gives */
  return (!t->plane.there || good_joint2(t)) && (!t->space.there || good_joint3(t));
}

static bool bad_joint(const fault *x, const tn_joint_type *t) {
  if (bad_part_fields(x, t->fields, t->fields_space, t->space.there, t->size)) return true;
  const tn_field *const tables[] = {t->fields, t->fields_space};
  for (int i = 0; i < 2; i++)
    for (const tn_field *f = tables[i]; f && f->key; f++)
      if (f->kind == TN_RUNNING && !(t->equation && i == 0))
        return wrong(x, "field `%s` would not be read: an expression that runs belongs to `equation`", f->key);
  if (!good_functions(t)) return wrong(x, "%s", NOT_WHOLE);
  if ((int)t->smooth < 0 || t->smooth > TN_C2) return wrong(x, "there is no smoothness %d", (int)t->smooth);
  if (t->smooth == TN_C0) return wrong(x, "TN_C0: where the slope of C jumps, velocities would jump");
  return bad_seat(x, t) || bad_list(x, t);
}

/* ---- others --------------------------------------------------------------------------------------------------------------- */

static bool bad_force(const fault *x, const tn_force_type *t) {
  if (bad_part_fields(x, t->fields, t->fields_space, t->space != NULL, t->size)) return true;
  if ((int)t->smooth < 0 || t->smooth > TN_C2) return wrong(x, "there is no smoothness %d", (int)t->smooth);
  return !((t->plane || t->space) && t->takes) && wrong(x, "%s", NOT_WHOLE);
}

static bool bad_formulation(const fault *x, const tn_formulation_type *t) {
  if (bad_fields(x, t->fields, NULL, t->size)) return true;
  const bool whole = t->memory && t->prepare && t->reset && t->typical && t->factor && t->solve && t->correct &&
                     t->nearness && t->rank;
  return !whole && wrong(x, "%s", NOT_WHOLE);
}

static bool bad_stabilizer(const fault *x, const tn_stabilizer_type *t) {
  if (bad_fields(x, t->fields, NULL, t->size)) return true;
  return t->feedback && !(t->held && t->tied_to_step) && wrong(x, "%s", NOT_WHOLE);
}

static bool bad_integrator(const fault *x, const tn_integrator_type *t) {
  if (bad_fields(x, t->fields, NULL, t->size)) return true;
  const bool whole = t->memory && t->start && (t->attempt || t->advance) && t->accept && t->dense &&
                     (t->fixed || t->adaptive) && !(t->fixed && !t->attempt);
  return !whole && wrong(x, "%s", NOT_WHOLE);
}

bool tn_type_fault(tn_registry kind, const void *type, char *why, size_t size) {
  const fault x = {why, size};
  if (size) why[0] = 0;
  switch (kind) {
  case TN_JOINTS: return bad_joint(&x, type);
  case TN_FORCES: return bad_force(&x, type);
  case TN_COORDINATES: return bad_coordinates(&x, type);
  case TN_FORMULATIONS: return bad_formulation(&x, type);
  case TN_STABILIZERS: return bad_stabilizer(&x, type);
  case TN_INTEGRATORS: return bad_integrator(&x, type);
  default: return false; /* a method is a name for parts */
  }
}
