/* mass, mass centre and inertia of a body, from numbers or from its shape, with lumps folded in. */
#include "model/model.h"

static const double SAME_MOMENT = 1e-6; /* of the largest principal moment: two that differ by less are equal */
/* of the sum of two principal moments: the third is larger by no more */
static const double MOMENT_ROUNDOFF = 1e-9;
/* the same: no rounding of numbers in a file explains more */
static const double MOMENT_IMPOSSIBLE = 0.01;

/* of a shape in space, along its axes: volume, and the squares that times mass give the principal moments */
typedef struct shape {
  const tn_node *node; /* NULL: none */
  double volume, moment[3], center[3];
} shape;

static tn_status positive(tn_context *c, const tn_node *node, int n, double *x) {
  if (n == 1)
    TN_TRY(tn_number_at(c, node, x));
  else
    TN_TRY(tn_numbers_at(c, node, n, x));
  for (int i = 0; i < n; i++)
    if (!(x[i] > 0) || !isfinite(x[i])) return tn_refuse(c, node, "sizes must be positive, not %g", x[i]);
  return TN_OK;
}

static void box(shape *s, double a, double b, double l) {
  s->volume = a * b * l;
  s->moment[0] = (b * b + l * l) / 12;
  s->moment[1] = (a * a + l * l) / 12;
  s->moment[2] = (a * a + b * b) / 12;
}

/* about the axis k */
static void cylinder(shape *s, int k, double r, double l) {
  s->volume = 3.141592653589793 * r * r * l;
  for (int i = 0; i < 3; i++) s->moment[i] = i == k ? r * r / 2 : (3 * r * r + l * l) / 12;
}

static tn_status rod_shape(tn_context *c, const tn_body *b, const tn_node *rod, shape *s) {
  const tn_node *section = tn_node_get(b->node, "section"), *radius = tn_node_get(b->node, "radius");
  double e[2][3], d[3], x[2];
  TN_TRY(tn_place_at(c, rod->first, e[0]));
  TN_TRY(tn_place_at(c, rod->last, e[1]));
  tn_sub3(e[1], e[0], d);
  const bool plane = c->m->dimension == 2;
  const double l = plane ? hypot(d[0], d[1]) : tn_norm3(d);
  s->center[0] = l / 2;
  if (plane) {
    s->moment[2] = l * l / 12;
    return TN_OK;
  }
  if (section && radius) return tn_refuse(c, radius, "give `section` or `radius`, not both");
  if (section) {
    TN_TRY(positive(c, section, 2, x));
    box(s, l, x[0], x[1]);
  } else if (radius) {
    TN_TRY(positive(c, radius, 1, x));
    cylinder(s, 0, x[0], l);
  } else if (!tn_node_get(b->node, "inertia") && tn_node_get(b->node, "mass")) {
    tn_refuse(c, rod, "a rod in space needs `section`, `radius` or `inertia`");
    tn_hint(c->e, "without thickness nothing resists a turn about its own axis");
    return TN_E_MODEL;
  }
  return TN_OK;
}

static tn_status read_shape(tn_context *c, const tn_body *b, shape *s) {
  static const char *const shapes[] = {"rod", "box", "cylinder", "sphere"}, *const only_rod[] = {"section", "radius"};
  double x[3];
  for (int i = 0; i < 4; i++) {
    const tn_node *node = tn_node_get(b->node, shapes[i]);
    if (!node) continue;
    if (i && c->m->dimension == 2) return tn_refuse_key(c, node, "`%s` is for bodies in space", shapes[i]);
    if (!b->oriented) return tn_refuse(c, node, "a particle has no shape");
    if (s->node) return tn_refuse_key(c, node, "the body has two shapes, `%s` and `%s`", s->node->key, node->key);
    s->node = node;
    if (i == 0) {
      TN_TRY(rod_shape(c, b, node, s));
    } else if (i == 1) {
      TN_TRY(positive(c, node, 3, x));
      box(s, x[0], x[1], x[2]);
    } else if (i == 2) {
      TN_TRY(positive(c, node, 2, x));
      cylinder(s, 2, x[0], x[1]);
    } else {
      TN_TRY(positive(c, node, 1, x));
      s->volume = 4 * 3.141592653589793 / 3 * x[0] * x[0] * x[0];
      for (int k = 0; k < 3; k++) s->moment[k] = 0.4 * x[0] * x[0];
    }
  }
  for (int i = 0; i < 2; i++) {
    const tn_node *node = tn_node_get(b->node, only_rod[i]);
    if (node && c->m->dimension == 2) return tn_refuse_key(c, node, "`%s` is for rods in space", only_rod[i]);
    if (node && !tn_node_get(b->node, "rod")) return tn_refuse_key(c, node, "`%s` goes with a `rod`", only_rod[i]);
  }
  return TN_OK;
}

/* eigenvalues of a symmetric matrix by Jacobi rotations */
static void principal(const double I[9], double value[3]) {
  double a[9];
  memcpy(a, I, sizeof a);
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[3 * p + q] == 0) continue;
        const double theta = (a[4 * q] - a[4 * p]) / (2 * a[3 * p + q]);
        const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), k = 1 / sqrt(t * t + 1);
        for (int i = 0; i < 3; i++) {
          const double x = a[3 * i + p], y = a[3 * i + q];
          a[3 * i + p] = k * (x - t * y);
          a[3 * i + q] = k * (t * x + y);
        }
        for (int i = 0; i < 3; i++) {
          const double x = a[3 * p + i], y = a[3 * q + i];
          a[3 * p + i] = k * (x - t * y);
          a[3 * q + i] = k * (t * x + y);
        }
      }
  for (int i = 0; i < 3; i++) value[i] = a[4 * i];
}

/* 3 or 6 numbers: xx yy zz xy xz yz, the entries of the tensor */
tn_status tn_tensor_at(tn_context *c, const tn_node *node, double I[9]) {
  double x[6] = {0}, value[3];
  if (node->kind != TN_NODE_LIST || (node->size != 3 && node->size != 6)) {
    tn_refuse(c, node, "`inertia` in space is 3 numbers, xx yy zz, or 6 with xy xz yz");
    tn_hint(c->e, "products are the entries of the tensor: Ixy = -sum m x y");
    return TN_E_MODEL;
  }
  TN_TRY(tn_numbers_at(c, node, (int)node->size, x));
  for (int i = 0; i < 6; i++)
    if (!isfinite(x[i])) return tn_refuse(c, node, "the inertia is not a finite number");
  for (int i = 0; i < 3; i++) I[4 * i] = x[i];
  I[1] = I[3] = x[3];
  I[2] = I[6] = x[4];
  I[5] = I[7] = x[5];
  principal(I, value);
  double sum = 0, most = -INFINITY, least = INFINITY;
  for (int i = 0; i < 3; i++) {
    sum += value[i];
    most = fmax(most, value[i]);
    least = fmin(least, value[i]);
  }
  if (!(least > 0)) return tn_refuse(c, node, "the principal moments of inertia must be positive, one is %.4g", least);
  const double beyond = most / (sum - most) - 1;
  if (beyond > MOMENT_IMPOSSIBLE) {
    tn_refuse(c, node, "no body has this inertia: a principal moment, %.4g, is %.3g %% more than the sum of the others",
              most, 100 * beyond);
    tn_hint(c->e, "each is at most the sum of the other two; are the products of the right sign?");
    return TN_E_MODEL;
  }
  if (beyond > MOMENT_ROUNDOFF)
    tn_warn(c, node, "a principal moment of inertia, %.4g, is %.2g %% more than the sum of the others", most,
            100 * beyond);
  return TN_OK;
}

static tn_status read_inertia(tn_context *c, tn_body *b, const shape *s, bool mass) {
  const tn_node *inertia = tn_node_get(b->node, "inertia");
  const bool plane = c->m->dimension == 2;
  if (inertia && !b->oriented) return tn_refuse(c, inertia, "a particle has no inertia");
  b->inertia = b->mass * s->moment[2];
  for (int i = 0; i < 3; i++) b->tensor[4 * i] = b->mass * s->moment[i];
  if (inertia && plane) {
    TN_TRY(tn_number_at(c, inertia, &b->inertia));
    if (!(b->inertia >= 0)) return tn_refuse(c, inertia, "the inertia must not be negative, it is %g", b->inertia);
  } else if (inertia) {
    return tn_tensor_at(c, inertia, b->tensor);
  } else if (b->oriented && mass && !s->node) {
    tn_refuse(c, b->node, "`inertia` is missing");
    tn_hint(c->e, plane ? "about the mass centre, kg m^2; 0 is allowed where a joint keeps the mass matrix regular"
                        : "about the mass centre, kg m^2: [xx, yy, zz], or a shape: box, cylinder, sphere, rod");
    return TN_E_MODEL;
  }
  return TN_OK;
}

/* m = m0 + sum m_i;  c = (m0 c0 + sum m_i p_i)/m;  I = I0 + sum m m_i/(m + m_i) (d'd 1 - d d'), d from the centre so far */
static tn_status add_lumps(tn_context *c, tn_body *b) {
  const tn_node *lumps = tn_node_get(b->node, "lumps");
  if (lumps && !b->oriented) return tn_refuse(c, lumps, "a particle has no lumps");
  if (lumps && lumps->kind != TN_NODE_LIST) return tn_refuse(c, lumps, "`lumps` must be a list");
  for (const tn_node *l = lumps ? lumps->first : NULL; l; l = l->next) {
    const tn_node *lm, *at;
    double ml, d[3];
    TN_TRY(tn_keys_known(c, l, tn_lump_fields, NULL));
    if (!(lm = tn_node_get(l, "mass")) || !(at = tn_node_get(l, "at")))
      return tn_refuse(c, l, "a lump needs `mass` and `at`");
    TN_TRY(tn_number_at(c, lm, &ml));
    if (!(ml >= 0)) return tn_refuse(c, lm, "the mass of a lump must not be negative, it is %g", ml);
    TN_TRY(tn_vector_at(c, at, d));
    const double sum = b->mass + ml;
    if (!(sum > 0)) continue;
    tn_axpy3(-1, b->center, d);
    const double k = b->mass * ml / sum, square = tn_dot3(d, d);
    b->inertia += k * square;
    for (int i = 0; i < 9; i++) b->tensor[i] += k * ((i % 4 == 0 ? square : 0) - d[i / 3] * d[i % 3]);
    tn_axpy3(ml / sum, d, b->center);
    b->mass = sum;
  }
  return TN_OK;
}

tn_status tn_mass_read(tn_context *c, tn_body *b) {
  const tn_node *mass = tn_node_get(b->node, "mass"), *density = tn_node_get(b->node, "density"),
                *center = tn_node_get(b->node, "center");
  shape s = {0};
  if (b->type->direction && mass) {
    tn_refuse_key(c, mass, "a unit vector has no mass");
    tn_hint(c->e, "`elements` give it inertia");
    return TN_E_MODEL;
  }
  TN_TRY(read_shape(c, b, &s));
  if (mass && density) return tn_refuse_key(c, density, "give `mass` or `density`, not both");
  if (mass) {
    TN_TRY(tn_number_at(c, mass, &b->mass));
    if (!(b->mass >= 0)) return tn_refuse(c, mass, "the mass must not be negative, it is %g", b->mass);
  } else if (density) {
    double rho;
    TN_TRY(positive(c, density, 1, &rho));
    if (!(s.volume > 0))
      return tn_refuse_key(c, density, "`density` needs a shape: box, cylinder, sphere, or a rod with its section");
    b->mass = rho * s.volume;
  } else if (tn_node_get(b->node, "inertia") || tn_node_get(b->node, "lumps")) {
    return tn_refuse(c, b->node, "`mass` is missing");
  } /* without any: allowed if joints and drivers hold all of its freedom; the start finds out */
  memcpy(b->center, s.center, sizeof s.center);
  if (!mass && !density) memset(b->center, 0, sizeof b->center);
  if (center) {
    if (!b->oriented) return tn_refuse(c, center, "a particle is its own mass centre");
    TN_TRY(tn_vector_at(c, center, b->center));
  }
  TN_TRY(read_inertia(c, b, &s, mass || density));
  TN_TRY(add_lumps(c, b));
  double sum = b->mass + b->inertia + b->center[0] + b->center[1] + b->center[2];
  for (int i = 0; i < 9; i++) sum += b->tensor[i];
  if (!isfinite(sum)) return tn_refuse(c, b->node, "its mass, mass centre or inertia is beyond all bounds");
  return TN_OK;
}

bool tn_is_axisymmetric(const tn_body *b) {
  double I[3];
  principal(b->tensor, I);
  const double apart = fmin(fabs(I[0] - I[1]), fmin(fabs(I[1] - I[2]), fabs(I[2] - I[0])));
  return apart <= SAME_MOMENT * fmax(I[0], fmax(I[1], I[2]));
}
