/* channels: the names by which expressions, outputs, starts and forces speak of the motion. */
#include "model/model.h"

const char *const tn_energy_name[TN_ENERGIES] = {"kinetic", "potential",  "total",   "force",
                                                 "driver",  "stabilizer", "balance", "dissipated"};
/* of bodies and joints, by dimension; the names in space are those of the plane and more */
static const char *const values2[] = {"x", "y", "angle"}, *const rates2[] = {"vx", "vy", "rate"},
                         *const accels2[] = {"ax", "ay", "accel"};
static const char *const values3[] = {"x", "y", "z"}, *const rates3[] = {"vx", "vy", "vz", "wx", "wy",
                                                                         "wz", "w1", "w2", "w3"},
                         *const accels3[] = {"ax", "ay", "az", "alx", "aly", "alz"},
                         *const quaternion[] = {"e0", "e1", "e2", "e3"};
static const char *const reactions2[] = {"fx", "fy", "t"}, *const shares2[] = {"sfx", "sfy", "st"};
static const char *const reactions3[] = {"fx", "fy", "fz", "tx", "ty", "tz"}, *const shares3[] = {"sfx", "sfy", "sfz",
                                                                                                  "stx", "sty", "stz"};
static const char *const contacts[] = {"cx", "cy", "cz"};
static const char *const momenta2[] = {"px", "py", "l"}, *const momenta3[] = {"px", "py", "pz", "lx", "ly", "lz"};

static int which(const char *word, const char *const *list, int n) {
  for (int i = 0; i < n; i++)
    if (strcmp(word, list[i]) == 0) return i;
  return -1;
}

bool tn_is_energy(const char *name) { return which(name, tn_energy_name, TN_ENERGIES) >= 0; }

static bool unknown_channel(tn_error *e, const char *kind, const char *name, const char *word, int n,
                            const char *const *known) {
  const char *near = tn_nearest(word, n, known);
  tn_fail(e, TN_E_MODEL, "%s '%s' has no channel '%s'", kind, name, word);
  if (near) {
    tn_hint(e, "did you mean '%s.%s'?", name, near);
  } else {
    char list[240];
    tn_names_text(list, sizeof list, " ", n, known);
    tn_hint(e, "it has: %s", list);
  }
  return false;
}

/* one of the numbers in q or u of a body, by the name that its coordinates give it */
static bool raw_channel(const tn_model *m, int i, const char *word, tn_channel *ch) {
  const tn_body *b = &m->body[i];
  const size_t skip = strlen(b->type ? b->name : m->joint[b->joint].name) + 1;
  for (int k = 0; k < b->nq + b->nu; k++) {
    const bool speed = k >= b->nq;
    const int at = speed ? b->u + k - b->nq : b->q + k;
    if (strcmp((speed ? m->u_name : m->q_name)[at] + skip, word) != 0) continue;
    ch->part = i;
    ch->component = at;
    if (b->chart) {
      ch->kind = speed ? TN_CH_U : TN_CH_Q;
    } else {
      ch->kind = speed ? TN_CH_RATE : TN_CH_MEASURE;
      ch->measure = (tn_measure){TN_OF_RAW, i, speed ? k - b->nq : k, NULL};
    }
    return true;
  }
  return false;
}

static bool body_channel(const tn_model *m, int i, const char *word, tn_channel *ch, tn_error *e) {
  const tn_body *b = &m->body[i];
  const bool plane = m->dimension == 2;
  int k;
  ch->part = i;
  ch->measure = (tn_measure){TN_OF_BODY, i, 0, NULL};
  if ((k = which(word, plane ? values2 : values3, plane ? (b->oriented ? 3 : 2) : 3)) >= 0) {
    ch->kind = TN_CH_MEASURE;
  } else if ((k = which(word, plane ? rates2 : rates3, plane ? (b->oriented ? 3 : 2) : b->oriented ? 9 : 3)) >= 0) {
    ch->kind = TN_CH_RATE;
  } else if ((k = which(word, plane ? accels2 : accels3, plane ? (b->oriented ? 3 : 2) : b->oriented ? 6 : 3)) >= 0) {
    ch->kind = TN_CH_ACCELERATION;
    ch->after_solve = true;
  } else if (b->type && b->type->on_parent && (k = which(word, reactions2, 2)) >= 0) {
    ch->kind = TN_CH_PIVOT;
    ch->after_solve = true;
  } else if (b->type && m->q_name && raw_channel(m, i, word, ch)) {
    return true;
  } else if (!plane && b->oriented && (k = which(word, quaternion, 4)) >= 0) {
    ch->kind = TN_CH_QUATERNION;
  } else {
    const char *known[64];
    int n = 0;
    for (k = 0; k < 3; k++)
      if (!plane || b->oriented || k < 2) {
        known[n++] = (plane ? values2 : values3)[k];
        known[n++] = (plane ? rates2 : rates3)[k];
        known[n++] = (plane ? accels2 : accels3)[k];
      }
    for (k = 0; !plane && b->oriented && k < 6; k++) known[n++] = rates3[3 + k];
    for (k = 0; !plane && b->oriented && k < 3; k++) known[n++] = accels3[3 + k];
    for (k = 0; !plane && b->oriented && k < 4; k++) known[n++] = quaternion[k];
    return unknown_channel(e, b->oriented ? "body" : "particle", b->name, word, n, known);
  }
  ch->component = ch->measure.k = k;
  return true;
}

static bool measured_channel(const tn_model *m, int i, const char *word, tn_channel *ch, tn_error *e, bool *failed) {
  const tn_joint *j = &m->joint[i];
  for (int k = 0; k < j->coordinates; k++) {
    const tn_coordinate *x = &j->type->coordinates[k];
    if (strcmp(word, x->name) != 0 && strcmp(word, x->rate) != 0) continue;
    for (int f = 0; f < 2; f++)
      if (j->spot[f].body >= 0 && !m->body[j->spot[f].body].oriented && x->unit == TN_ANGLE) {
        tn_fail(e, TN_E_MODEL, "joint '%s' has no %s: '%s' is a particle", j->name, x->name,
                m->body[j->spot[f].body].name);
        *failed = true;
        return false;
      }
    ch->kind = strcmp(word, x->name) == 0 ? TN_CH_MEASURE : TN_CH_RATE;
    ch->measure = (tn_measure){TN_OF_JOINT, i, k, NULL};
    return true;
  }
  return false;
}

static bool has_contact(const tn_model *m, const tn_joint *j) {
  return m->dimension == 2 ? j->type->plane.contact != NULL : j->type->space.contact != NULL;
}

static bool joint_channel(const tn_model *m, int i, const char *word, tn_channel *ch, tn_error *e) {
  const tn_joint *j = &m->joint[i];
  const bool plane = m->dimension == 2, wrench = tn_joint_has_wrench(j),
             load = !wrench || j->type->seat == TN_SEAT_MESH;
  int k;
  bool failed = false;
  ch->part = i;
  if (measured_channel(m, i, word, ch, e, &failed)) return true;
  if (failed) return false;
  if (j->carries >= 0 && m->q_name && raw_channel(m, j->carries, word, ch)) return true;
  ch->part = i;
  ch->after_solve = true;
  if (wrench && (k = which(word, plane ? reactions2 : reactions3, m->wrench)) >= 0) {
    ch->kind = TN_CH_REACTION;
    ch->component = k;
    return true;
  }
  if (wrench && (k = which(word, plane ? shares2 : shares3, m->wrench)) >= 0) {
    ch->kind = TN_CH_STABILIZER;
    ch->component = k;
    return true;
  }
  if (load && strcmp(word, "load") == 0) {
    ch->kind = TN_CH_LOAD;
    return true;
  }
  if (strcmp(word, "power") == 0) {
    ch->kind = TN_CH_JOINT_POWER;
    return true;
  }
  ch->after_solve = false;
  if (strcmp(word, "violation") == 0) {
    ch->kind = TN_CH_VIOLATION;
    ch->violated = (tn_violated){TN_NORM_MAX, .scaled = true};
    return true;
  }
  if (has_contact(m, j) && (k = which(word, contacts, m->dimension)) >= 0) {
    ch->kind = TN_CH_CONTACT;
    ch->component = k;
    return true;
  }
  const char *known[48];
  int n = 0;
  for (k = 0; k < j->coordinates; k++) {
    known[n++] = j->type->coordinates[k].name;
    known[n++] = j->type->coordinates[k].rate;
  }
  for (k = 0; wrench && k < m->wrench; k++)
    known[n++] = (plane ? reactions2 : reactions3)[k], known[n++] = (plane ? shares2 : shares3)[k];
  for (k = 0; has_contact(m, j) && k < m->dimension; k++) known[n++] = contacts[k];
  if (load) known[n++] = "load";
  known[n++] = "violation";
  known[n++] = "power";
  return unknown_channel(e, "joint", j->name, word, n, known);
}

static bool force_channel(const tn_model *m, int i, const char *word, tn_channel *ch, tn_error *e) {
  const tn_force *f = &m->force[i];
  const bool shared = f->type->takes & TN_SHARED, load = f->how == TN_ON_CHANNEL || (f->how == TN_BETWEEN && !shared);
  const char *const *wrench = m->dimension == 2 ? reactions2 : reactions3;
  const char *known[9 + TN_MOST_SIGNALS];
  int n = 0;
  ch->part = i;
  for (const tn_signal *s = f->type->signals; s && s->name; s++, n++) {
    known[n] = s->name;
    if (strcmp(word, s->name) != 0) continue;
    ch->kind = TN_CH_SIGNAL;
    ch->component = n;
    return true;
  }
  static const struct {
    const char *name;
    tn_channel_kind kind;
  } all[] = {{"power", TN_CH_FORCE_POWER}, {"energy", TN_CH_FORCE_ENERGY}, {"load", TN_CH_FORCE_LOAD}};
  for (int k = 0; k < (load ? 3 : 2); k++) {
    known[n++] = all[k].name;
    if (strcmp(word, all[k].name) != 0) continue;
    ch->kind = all[k].kind;
    return true;
  }
  for (int k = 0; shared && k < m->wrench; k++) {
    known[n++] = wrench[k];
    if (strcmp(word, wrench[k]) != 0) continue;
    ch->kind = TN_CH_FORCE_WRENCH;
    ch->component = k;
    return true;
  }
  return unknown_channel(e, "force", f->name, word, n, known);
}

bool tn_model_channel(const tn_model *m, const char *name, tn_channel *ch, tn_error *e) {
  char part[64];
  const char *dot = strchr(name, '.');
  memset(ch, 0, sizeof *ch);
  ch->width = 1;
  if (!dot) {
    const char *kind = tn_index_find(&m->body_index, name) >= 0    ? "body"
                       : tn_index_find(&m->joint_index, name) >= 0 ? "joint"
                       : tn_index_find(&m->force_index, name) >= 0 ? "force"
                                                                   : NULL;
    if (kind) return tn_fail(e, TN_E_MODEL, "'%s' is a %s: a channel of it is needed", name, kind), false;
  }
  if (!dot || dot == name || (size_t)(dot - name) >= sizeof part)
    return tn_fail(e, TN_E_MODEL, "unknown name '%.60s'", name), false;
  memcpy(part, name, (size_t)(dot - name));
  part[dot - name] = 0;
  const char *word = dot + 1;
  if (strcmp(part, "energy") == 0) {
    ch->kind = TN_CH_ENERGY;
    ch->after_solve = true; /* the ledger */
    ch->component = which(word, tn_energy_name, TN_ENERGIES);
    return ch->component >= 0 || unknown_channel(e, "the", "energy", word, TN_ENERGIES, tn_energy_name);
  }
  if (strcmp(part, "momentum") == 0) {
    const char *const *known = m->dimension == 2 ? momenta2 : momenta3;
    ch->kind = TN_CH_MOMENTUM;
    ch->component = which(word, known, m->wrench);
    return ch->component >= 0 || unknown_channel(e, "the", "momentum", word, m->wrench, known);
  }
  int i;
  if ((i = tn_index_find(&m->body_index, part)) >= 0) return body_channel(m, i, word, ch, e);
  if ((i = tn_index_find(&m->joint_index, part)) >= 0) return joint_channel(m, i, word, ch, e);
  if ((i = tn_index_find(&m->force_index, part)) >= 0) {
    return force_channel(m, i, word, ch, e);
  }
  if (strcmp(part, "violation") == 0) return tn_violation_channel(m, word, ch, e);
  const char *known[192];
  int n = 0;
  for (i = 0; i < m->bodies && n < 64; i++) known[n++] = m->body[i].name;
  for (i = 0; i < m->joints && n < 128; i++) known[n++] = m->joint[i].name;
  for (i = 0; i < m->forces && n < 192; i++) known[n++] = m->force[i].name;
  const char *near = tn_nearest(part, n, known);
  tn_fail(e, TN_E_MODEL, "unknown name '%.60s': there is no body, joint or force '%s'", name, part);
  if (near) tn_hint(e, "did you mean '%s.%.40s'?", near, word);
  return false;
}

/* a bare name in a force on a channel is a channel of the same part: `20 - 5*rate` */
tn_status tn_channel_find(tn_context *c, const char *name, tn_channel *ch, tn_error *e) {
  const tn_model *m = c->m;
  if (c->has_own && !strchr(name, '.')) {
    memset(ch, 0, sizeof *ch);
    ch->width = 1;
    const bool ok = c->own.kind == TN_OF_JOINT ? joint_channel(m, c->own.part, name, ch, e)
                                               : body_channel(m, c->own.part, name, ch, e);
    if (ok) return TN_OK;
    char hint[sizeof e->hint];
    tn_format(hint, sizeof hint, "%s", e->hint);
    tn_fail(e, TN_E_MODEL, "unknown name '%.60s'", name);
    if (strncmp(hint, "did you mean", 12) == 0) tn_hint(e, "%s", hint);
    return TN_E_MODEL;
  }
  return tn_model_channel(m, name, ch, e) ? TN_OK : TN_E_MODEL;
}

tn_status tn_no_part(const tn_model *m, const char *function, const char *what, const char *name, tn_error *e) {
  const char *known[192];
  int n = 0;
  for (int i = 0; *what == 'b' && i < m->bodies && n < 96; i++) known[n++] = m->body[i].name;
  for (int i = 0; strcmp(what, "body") != 0 && i < m->joints && n < 192; i++) known[n++] = m->joint[i].name;
  const char *near = tn_nearest(name, n, known);
  tn_fail(e, TN_E_MODEL, "'%s' needs a %s, there is none named '%.60s'", function, what, name);
  if (near) tn_hint(e, "did you mean '%s'?", near);
  return TN_E_MODEL;
}

tn_status tn_channel_call(tn_context *c, const char *function, int n, const char *const *args, tn_channel *ch,
                          tn_error *e) {
  enum { BODY, JOINT, EITHER };
  static const struct {
    const char *name;
    tn_channel_kind kind;
    int least, most, of;
    bool after;
  } table[] = {{"position", TN_CH_POSITION, 1, 2, BODY, false},
               {"velocity", TN_CH_VELOCITY, 1, 2, BODY, false},
               {"acceleration", TN_CH_POINT_ACCELERATION, 1, 2, BODY, true},
               {"omega", TN_CH_OMEGA, 1, 1, BODY, false},
               {"axis", TN_CH_AXIS, 2, 2, EITHER, false},
               {"force", TN_CH_FORCE_VECTOR, 1, 1, JOINT, true},
               {"torque", TN_CH_TORQUE_VECTOR, 1, 1, JOINT, true}};
  const bool plane = c->m->dimension == 2;
  memset(ch, 0, sizeof *ch);
  if (strcmp(function, "det") == 0 || strcmp(function, "sigma_min") == 0)
    return tn_jacobian_call(c, function, n, args, ch, e);
  if (tn_is_violation(function)) return tn_violation_call(c, function, n, args, ch, e);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(function, table[i].name) != 0) continue;
    ch->kind = table[i].kind;
    ch->width = c->m->dimension;
    ch->after_solve = table[i].after;
    if (n < table[i].least || n > table[i].most)
      return tn_fail(e, TN_E_MODEL, "'%s' takes %d argument%s, %d given", function, table[i].least,
                     table[i].most > table[i].least ? " or one more"
                     : table[i].least > 1           ? "s"
                                                    : "",
                     n);
    const int joint = tn_joint_named(c, args[0]);
    if (table[i].of == JOINT || (table[i].of == EITHER && joint >= 0)) {
      ch->part = joint;
      if (ch->part < 0) return tn_no_part(c->m, function, "joint", args[0], e);
      if (!tn_joint_has_wrench(&c->m->joint[ch->part]))
        return tn_fail(e, TN_E_MODEL, "joint '%s' acts on channels: its effort is '%s.load'", args[0], args[0]);
      if (ch->kind == TN_CH_AXIS) ch->kind = TN_CH_JOINT_AXIS;
      if (plane && ch->kind == TN_CH_TORQUE_VECTOR) { /* a number */
        ch->kind = TN_CH_REACTION;
        ch->component = 2;
        ch->width = 1;
      }
    } else {
      ch->part = tn_body_named(c, args[0]);
      if (ch->part < 0) return tn_no_part(c->m, function, table[i].of == EITHER ? "body or joint" : "body", args[0], e);
    }
    ch->spot = tn_spot_origin(ch->part);
    if (ch->kind == TN_CH_OMEGA) {
      if (!c->m->body[ch->part].oriented)
        return tn_fail(e, TN_E_MODEL, "'%s' is a particle and does not turn", args[0]);
      if (plane) {
        ch->kind = TN_CH_RATE;
        ch->measure = (tn_measure){TN_OF_BODY, ch->part, 2, NULL};
        ch->width = 1;
      }
    } else if (ch->kind == TN_CH_AXIS || ch->kind == TN_CH_JOINT_AXIS) {
      const int k = args[1][0] && !args[1][1] ? args[1][0] - 'x' : -1;
      if (k < 0 || k >= c->m->dimension)
        return tn_fail(e, TN_E_MODEL, "the axes of a %s are %s, not '%.60s'", ch->kind == TN_CH_AXIS ? "body" : "joint",
                       plane ? "x and y" : "x, y and z", args[1]);
      ch->component = k;
    } else if (n == 2) {
      tn_node place = {.kind = TN_NODE_TEXT, .text = args[1]};
      tn_error *outer = c->e;
      c->e = e;
      tn_status status = tn_spot_at(c, &place, ch->part, &ch->spot);
      c->e = outer;
      return status;
    }
    return TN_OK;
  }
  return tn_fail(e, TN_E_MODEL, "unknown function '%.60s'", function);
}

tn_status tn_channel_slot(tn_context *c, const tn_channel *ch, int *slot) {
  tn_model *m = c->m;
  if (m->channels == c->channel_room) {
    const int room = c->channel_room ? 2 * c->channel_room : 32;
    tn_channel *list = tn_arena_alloc(c->arena, sizeof *list * (size_t)room);
    if (!list) return tn_no_memory(c);
    if (m->channels) memcpy(list, m->channel, sizeof *list * (size_t)m->channels);
    m->channel = list;
    c->channel_room = room;
  }
  m->channel[ *slot = m->channels++] = *ch;
  return TN_OK;
}

tn_status tn_measure_at(tn_context *c, const tn_node *node, const char *name, tn_measure *m, bool *rate) {
  tn_channel ch;
  tn_error why;
  tn_error_clear(&why);
  /* a channel that is a key is shown there */
  tn_status (*say)(tn_context *, const tn_node *, const char *, ...) =
      node->key && name == node->key ? tn_refuse_key : tn_refuse;
  if (!tn_model_channel(c->m, name, &ch, &why)) {
    say(c, node, "%s", why.message);
    if (*why.hint) tn_hint(c->e, "%s", why.hint);
    return TN_E_MODEL;
  }
  if (ch.kind == TN_CH_Q || ch.kind == TN_CH_U || ch.kind == TN_CH_QUATERNION)
    return say(c, node, "'%s' cannot be set alone: it is one number of a rotation", name);
  if (ch.kind != TN_CH_MEASURE && ch.kind != TN_CH_RATE)
    return say(c, node, "'%s' is not a coordinate or its rate", name);
  *m = ch.measure;
  *rate = ch.kind == TN_CH_RATE;
  return TN_OK;
}

tn_unit tn_measure_unit(const tn_model *m, const tn_measure *of) {
  if (of->kind == TN_OF_JOINT) return m->joint[of->part].type->coordinates[of->k].unit;
  if (of->kind == TN_OF_RAW) return m->q_unit[m->body[of->part].q + of->k];
  if (of->kind == TN_OF_POINT) return TN_LENGTH;
  if (of->kind == TN_OF_AXIS || (of->kind == TN_OF_BODY && !tn_has_place(m, of->part))) return TN_RATIO;
  return of->k >= m->dimension ? TN_ANGLE : TN_LENGTH;
}

const char *tn_channel_unit(const tn_model *m, const tn_channel *ch) {
  static const char *const values[] = {"m", "", "rad", "1"}, *const rates[] = {"m/s", "", "rad/s", "1/s"},
                           *const accels[] = {"m/s^2", "", "rad/s^2", "1/s^2"}; /* by tn_unit */
  tn_unit unit = TN_LENGTH;
  if (ch->kind == TN_CH_MEASURE || ch->kind == TN_CH_RATE || ch->kind == TN_CH_ACCELERATION)
    unit = tn_measure_unit(m, &ch->measure);
  else if (ch->kind == TN_CH_Q)
    unit = m->q_unit[ch->component];
  else if (ch->kind == TN_CH_U)
    unit = m->u_unit[ch->component];
  switch (ch->kind) {
  case TN_CH_MEASURE:
  case TN_CH_Q: return values[unit];
  case TN_CH_U:
  case TN_CH_RATE: return rates[unit];
  case TN_CH_ACCELERATION: return accels[unit];
  case TN_CH_FORCE_WRENCH:
  case TN_CH_REACTION:
  case TN_CH_STABILIZER: return ch->component >= m->dimension ? "N m" : "N";
  case TN_CH_PIVOT:
  case TN_CH_FORCE_VECTOR: return "N";
  case TN_CH_LOAD: {
    const tn_joint *j = &m->joint[ch->part];
    if (j->equation.expr && !j->servos)
      return !j->equation.has_unit                   ? NULL
             : j->equation.unit == TN_LENGTH         ? "N"
             : j->equation.unit == TN_LENGTH_SQUARED ? "N/m"
                                                     : "N m";
    if (j->servos) {
      bool mixed;
      const tn_unit along = tn_servo_unit(&m->servo[j->servo], m, &mixed);
      return mixed ? NULL : along == TN_ANGLE ? "N m" : "N";
    }
    for (int k = 1; k < j->terms; k++)
      if (tn_measure_unit(m, &j->term[k].of) != tn_measure_unit(m, &j->term[0].of)) return NULL;
    if (j->type->seat == TN_SEAT_MESH) return NULL; /* per unit of its row */
    return j->terms && tn_measure_unit(m, &j->term[0].of) == TN_ANGLE ? "N m" : "N";
  }
  case TN_CH_SIGNAL: return m->force[ch->part].type->signals[ch->component].unit;
  case TN_CH_FORCE_LOAD: {
    const tn_force *f = &m->force[ch->part];
    return f->how == TN_ON_CHANNEL && tn_measure_unit(m, &f->on) == TN_ANGLE ? "N m" : "N";
  }
  case TN_CH_VIOLATION: return tn_violation_unit(m, ch);
  case TN_CH_QUATERNION:
  case TN_CH_JOINT_AXIS:
  case TN_CH_AXIS: return "1";
  case TN_CH_OMEGA: return "rad/s";
  case TN_CH_CONTACT: return "m";
  case TN_CH_TORQUE_VECTOR: return "N m";
  case TN_CH_MOMENTUM: return ch->component >= m->dimension ? "kg m^2/s" : "kg m/s";
  case TN_CH_JOINT_POWER:
  case TN_CH_FORCE_POWER: return "W";
  case TN_CH_FORCE_ENERGY:
  case TN_CH_ENERGY: return "J";
  case TN_CH_POSITION: return "m";
  case TN_CH_VELOCITY: return "m/s";
  case TN_CH_POINT_ACCELERATION: return "m/s^2";
  case TN_CH_DETERMINANT: /* of whatever the rows are over whatever the speeds are */
  case TN_CH_SIGMA_MIN: return NULL;
  }
  return "";
}

static const char *slot_unit(const void *model, int slot) {
  const tn_model *m = model;
  return tn_channel_unit(m, &m->channel[slot]);
}

const char *tn_running_unit(const tn_model *m, const tn_expr *expr) { return tn_expr_unit(expr, slot_unit, m); }

/* ---- outputs ---------------------------------------------------------------------------------------------------------- */

static tn_status make_columns(tn_context *c, size_t n) {
  tn_model *m = c->m;
  m->column = tn_context_alloc(c, sizeof *m->column * (n + 1));
  m->column_unit = tn_context_alloc(c, sizeof *m->column_unit * (n + 1));
  return m->column && m->column_unit ? TN_OK : TN_E_MEMORY;
}

static tn_status add_column(tn_context *c, const char *name, const char *part, const tn_expr *expr) {
  const size_t n = strlen(name) + (part ? strlen(part) + 1 : 0) + 1;
  char *text = tn_context_alloc(c, n);
  if (!text) return TN_E_MEMORY;
  tn_format(text, n, part ? "%s.%s" : "%s", name, part ? part : "");
  const char *unit = tn_running_unit(c->m, expr);
  c->m->column_unit[c->m->columns] = unit ? unit : "";
  c->m->column[c->m->columns++] = text;
  return TN_OK;
}

static tn_status add_default(tn_context *c, const char *name, const char *word) {
  tn_channel ch;
  char text[160];
  tn_format(text, sizeof text, "%s.%s", name, word);
  tn_error why;
  if (!tn_model_channel(c->m, text, &ch, &why)) return TN_OK; /* a particle has no angle */
  tn_output *o = &c->m->output[c->m->outputs++];
  tn_node node = {.kind = TN_NODE_TEXT, .text = text, .size = strlen(text)};
  TN_TRY(tn_expr_at(c, &node, TN_CLASS_RUNNING, 1, &o->expr));
  TN_TRY(add_column(c, name, word, o->expr));
  o->name = c->m->column[c->m->columns - 1];
  return TN_OK;
}

/* without `outputs`: all coordinates and rates of bodies and joints, and states of forces */
static tn_status default_outputs(tn_context *c) {
  tn_model *m = c->m;
  const bool plane = m->dimension == 2;
  size_t n = (plane ? 6 : 13) * (size_t)m->bodies;
  for (int i = 0; i < m->joints; i++) n += 2 * (size_t)m->joint[i].coordinates;
  n += (size_t)m->states;
  m->output = tn_context_alloc(c, sizeof *m->output * (n + 1));
  TN_TRY(make_columns(c, n));
  if (!m->output) return TN_E_MEMORY;
  for (int i = 0; i < m->bodies; i++) {
    for (int k = 0; k < 3; k++) TN_TRY(add_default(c, m->body[i].name, (plane ? values2 : values3)[k]));
    for (int k = 0; !plane && k < 4; k++) TN_TRY(add_default(c, m->body[i].name, quaternion[k]));
    for (int k = 0; k < m->wrench; k++) TN_TRY(add_default(c, m->body[i].name, (plane ? rates2 : rates3)[k]));
  }
  for (int i = 0; i < m->joints; i++)
    for (int k = 0; k < m->joint[i].coordinates; k++) {
      TN_TRY(add_default(c, m->joint[i].name, m->joint[i].type->coordinates[k].name));
      TN_TRY(add_default(c, m->joint[i].name, m->joint[i].type->coordinates[k].rate));
    }
  for (int i = 0; i < m->forces; i++)
    for (int k = 0; k < m->force[i].states; k++)
      TN_TRY(add_default(c, m->force[i].name, m->force[i].type->signals[k].name));
  return TN_OK;
}

tn_status tn_outputs_read(tn_context *c) {
  tn_model *m = c->m;
  const tn_node *outputs = tn_node_get(c->root, "outputs");
  if (!outputs) return default_outputs(c);
  if (outputs->kind != TN_NODE_OBJECT) return tn_refuse(c, outputs, "`outputs` must be an object");
  m->output = tn_context_alloc(c, sizeof *m->output * (outputs->size + 1));
  TN_TRY(make_columns(c, 3 * outputs->size));
  if (!m->output) return TN_E_MEMORY;
  for (const tn_node *k = outputs->first; k; k = k->next) {
    if (tn_node_is_own(k)) continue;
    const tn_node *value = k;
    TN_TRY(tn_check_name(c, k));
    c->kind = "output";
    c->name = k->key;
    c->node = k;
    if (k->kind == TN_NODE_OBJECT) {
      TN_TRY(tn_keys_known(c, k, tn_value_fields, NULL));
      if (!(value = tn_node_get(k, "value"))) return tn_refuse(c, k, "`value` is missing");
    }
    tn_output *o = &m->output[m->outputs++];
    TN_TRY(tn_expr_at(c, value, TN_CLASS_RUNNING, 0, &o->expr));
    const int width = tn_expr_width(o->expr);
    static const char *const component[] = {"x", "y", "z"};
    for (int i = 0; i < width && i < 3; i++) TN_TRY(add_column(c, k->key, width > 1 ? component[i] : NULL, o->expr));
    c->kind = NULL;
    if (!(o->name = tn_arena_text(c->arena, k->key, strlen(k->key)))) return tn_no_memory(c);
  }
  return TN_OK;
}
