/* what is varied in a sweep.
 *
 *   (1) grid      x_k = a + (b - a) k/(n - 1), or a (b/a)^(k/(n - 1)), to 15 digits, so that tenths are tenths; both ends exactly
 *   (2) random    w(c) = mix(key + c g), u = (w/2^11 + 1/2)/2^53 in (0, 1), c = 2 sample, 2 sample + 1
 *                 key = mix(hash(name) + mix(seed)), mix and g those of splitmix64 (Steele, Lea & Flood 2014)
 *   (3) uniform   a + (b - a) u_0;  log-uniform a (b/a)^u_0;  normal a + b sqrt(-2 log u_0) cos(2 pi u_1) (Box & Muller 1958)
 *
 * a number of (2) is a function of seed, sample and name and of nothing else: not of other parameters, not of their order, not of who
 * asks for it. */
#include "study/study.h"

static const double DIFFERENCE_STEP = 1e-2; /* of the value: step of a difference quotient if none is given */

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint64_t hash(const char *text, uint64_t h) {
  for (; *text; text++) h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return h;
}

#define FNV UINT64_C(0xcbf29ce484222325)

/* (2) */
static double between_0_and_1(const char *name, uint64_t seed, uint64_t count) {
  const uint64_t g = UINT64_C(0x9e3779b97f4a7c15), key = mix(hash(name, FNV) + mix(seed + g));
  return ldexp((double)(mix(key + (count + 1) * g) >> 11) + 0.5, -53);
}

void tn_fingerprint(int n, const char *const *texts, char out[33]) {
  uint64_t h[2] = {FNV, mix(FNV)};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++) h[k] = mix(hash(texts[i], h[k]) + (uint64_t)strlen(texts[i]));
  tn_format(out, 33, "%016" PRIx64 "%016" PRIx64, h[0], h[1]);
}

void tn_axis_number(const tn_axis *a, double x, tn_given *out) {
  *out = (tn_given){.name = a->name, .number = x, .node = a->node};
  tn_json_digits(x, out->digits);
}

static double rounded(double x) {
  char digits[32];
  const int n = tn_format(digits, sizeof digits, "%.15g", x);
  tn_json_number(digits, (size_t)n, &x);
  return x;
}

void tn_axis_value(const tn_axis *a, uint64_t seed, int k, tn_given *out) {
  const double pi = 3.14159265358979323846;
  const tn_node *item = a->kind == TN_AXIS_LIST ? a->item[k] : NULL;
  if (item && item->kind == TN_NODE_TEXT) {
    *out = (tn_given){.name = a->name, .text = item->text, .number = NAN, .node = item};
    return;
  }
  const uint64_t count = 2 * (uint64_t)k;
  const bool random = tn_axis_random(a), last = k > 0 && k == a->n - 1;
  const double u = random ? between_0_and_1(a->name, seed, count) : a->n > 1 ? (double)k / (a->n - 1) : 0;
  double x = item ? item->number : last ? a->b : a->a;
  if (a->kind == TN_AXIS_NORMAL)
    x = a->a + a->b * sqrt(-2 * log(u)) * cos(2 * pi * between_0_and_1(a->name, seed, count + 1));
  else if (a->kind == TN_AXIS_UNIFORM)
    x = a->a + (a->b - a->a) * u;
  else if (a->kind == TN_AXIS_LOG_UNIFORM)
    x = a->a * pow(a->b / a->a, u);
  else if (a->kind == TN_AXIS_GRID && k > 0 && !last)
    x = rounded(a->log ? a->a * pow(a->b / a->a, u) : a->a + (a->b - a->a) * k / (a->n - 1));
  tn_axis_number(a, x, out);
}

/* ---- as written ---------------------------------------------------------------------------------------------------------- */

static bool is_name(const char *s) {
  if (strlen(s) > 200) return false;
  if (*s == '/') return s[1] != 0;
  for (const char *c = s; *c; c++) {
    const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
    if (!letter && (c == s || !((*c >= '0' && *c <= '9')))) return false;
  }
  return *s != 0;
}

static tn_status two_numbers(const tn_node *pair, double *a, double *b, tn_error *e) {
  if (pair->kind != TN_NODE_LIST || pair->size != 2 || pair->first->kind != TN_NODE_NUMBER ||
      pair->last->kind != TN_NODE_NUMBER)
    return tn_node_fail(pair, e, TN_E_MODEL, "`%s` has to be two numbers", pair->key);
  *a = pair->first->number;
  *b = pair->last->number;
  return TN_OK;
}

static tn_status read_grid(const tn_node *node, tn_axis *a, tn_error *e) {
  static const char *const keys[] = {"from", "to", "n", "scale", NULL}, *const scales[] = {"linear", "log", NULL};
  int scale;
  TN_TRY(tn_members_known(node, keys, e));
  for (int i = 0; i < 3; i++)
    if (!tn_node_get(node, keys[i])) return tn_node_fail(node, e, TN_E_MODEL, "`%s` is missing", keys[i]);
  TN_TRY(tn_member_number(node, "from", 0, &a->a, e));
  TN_TRY(tn_member_number(node, "to", 0, &a->b, e));
  TN_TRY(tn_member_whole(node, "n", 1, 1, TN_MOST_RUNS, &a->n, e));
  TN_TRY(tn_member_word(node, "scale", scales, &scale, e));
  a->kind = TN_AXIS_GRID;
  a->log = scale == 1;
  if (a->n == 1 && a->a != a->b)
    return tn_node_fail(node, e, TN_E_MODEL, "from one number to another there are at least 2");
  if (a->log && !(a->a > 0 && a->b > 0))
    return tn_node_fail(node, e, TN_E_MODEL, "a scale `log` is of numbers above 0");
  if (!isfinite(a->log ? a->b / a->a : (a->b - a->a) * a->n))
    return tn_node_fail(node, e, TN_E_MODEL, "these numbers are too far apart");
  return TN_OK;
}

static tn_status read_list(tn_arena *arena, const tn_node *node, tn_axis *a, tn_error *e) {
  if (!node->size) return tn_node_fail(node, e, TN_E_MODEL, "this list is empty");
  if (node->size > TN_MOST_RUNS) return tn_node_fail(node, e, TN_E_MODEL, "this list is too long");
  a->kind = TN_AXIS_LIST;
  a->item = tn_arena_alloc(arena, sizeof *a->item * node->size);
  if (!a->item) return tn_out_of_memory(e);
  for (const tn_node *c = node->first; c; c = c->next) {
    if (c->kind != TN_NODE_NUMBER && c->kind != TN_NODE_TEXT)
      return tn_node_fail(c, e, TN_E_MODEL, "this has to be a number or a text");
    a->item[a->n++] = c;
  }
  return TN_OK;
}

static tn_status read_random(const tn_node *node, tn_axis *a, tn_error *e) {
  static const char *const keys[] = {"uniform", "log-uniform", "normal", NULL};
  TN_TRY(tn_members_known(node, keys, e));
  if (node->size != 1) return tn_node_fail(node, e, TN_E_MODEL, "this has to be one kind of random numbers");
  const tn_node *pair = node->first;
  TN_TRY(two_numbers(pair, &a->a, &a->b, e));
  a->n = 1;
  a->kind = strcmp(pair->key, "uniform") == 0  ? TN_AXIS_UNIFORM
            : strcmp(pair->key, "normal") == 0 ? TN_AXIS_NORMAL
                                               : TN_AXIS_LOG_UNIFORM;
  if (a->kind == TN_AXIS_NORMAL)
    return a->b >= 0 ? TN_OK : tn_node_fail(pair, e, TN_E_MODEL, "a standard deviation is not below 0");
  if (!(a->a <= a->b)) return tn_node_fail(pair, e, TN_E_MODEL, "the first number has to be the smaller one");
  if (a->kind == TN_AXIS_LOG_UNIFORM && !(a->a > 0))
    return tn_node_fail(pair, e, TN_E_MODEL, "`log-uniform` is of numbers above 0");
  return isfinite(a->kind == TN_AXIS_UNIFORM ? a->b - a->a : a->b / a->a)
             ? TN_OK
             : tn_node_fail(pair, e, TN_E_MODEL, "these numbers are too far apart");
}

/* a step of a hundredth: differences of a run with tolerances of 1e-8 know about five digits then, and Richardson's rule takes the
 * error of the step itself to 1e-8 */
static tn_status read_at(const tn_node *node, tn_axis *a, tn_error *e) {
  static const char *const keys[] = {"at", "step", NULL};
  TN_TRY(tn_members_known(node, keys, e));
  if (!tn_node_get(node, "at")) return tn_node_fail(node, e, TN_E_MODEL, "`at` is missing");
  TN_TRY(tn_member_number(node, "at", 0, &a->a, e));
  TN_TRY(tn_member_number(node, "step", DIFFERENCE_STEP * fabs(a->a), &a->b, e));
  a->kind = TN_AXIS_AT;
  a->n = 1;
  if (!tn_node_get(node, "step") && a->a == 0)
    return tn_node_fail(node, e, TN_E_MODEL, "at 0 the length of a `step` has to be said");
  if (!(a->b > 0)) return tn_node_fail(node, e, TN_E_MODEL, "a `step` has to be above 0");
  if (!(a->a + a->b / 2 > a->a) || !(a->a - a->b / 2 < a->a) || !isfinite(fabs(a->a) + a->b))
    return tn_node_fail(node, e, TN_E_MODEL, "a step of %g means nothing at %g", a->b, a->a);
  return TN_OK;
}

tn_status tn_axis_read(tn_arena *arena, const tn_node *node, bool sensitivity, tn_axis *a, tn_error *e) {
  *a = (tn_axis){.name = node->key, .node = node, .per = 1};
  if (!is_name(a->name) || strcmp(a->name, "run") == 0 || strcmp(a->name, "failure") == 0) {
    tn_node_fail(node, e, TN_E_MODEL, "'%.64s' cannot be the name of a parameter", a->name);
    tn_hint(e, "letters, digits and _, not `run` or `failure`; or a pointer into the model that begins with /");
    return TN_E_MODEL;
  }
  const bool object = node->kind == TN_NODE_OBJECT;
  if (sensitivity != (object && (tn_node_get(node, "at") || tn_node_get(node, "step"))))
    return tn_node_fail(node, e, TN_E_MODEL,
                        sensitivity ? "in a sensitivity this has to be {\"at\": number, \"step\": number}"
                                    : "`at` and `step` are for \"kind\": \"sensitivity\"");
  if (sensitivity) return read_at(node, a, e);
  if (node->kind == TN_NODE_LIST) return read_list(arena, node, a, e);
  if (!object || !node->size)
    return tn_node_fail(node, e, TN_E_MODEL,
                        "this has to be a list, {from, to, n}, or {uniform, normal or log-uniform: [number, number]}");
  const bool random = tn_node_get(node, "uniform") || tn_node_get(node, "normal") || tn_node_get(node, "log-uniform");
  return random ? read_random(node, a, e) : read_grid(node, a, e);
}
