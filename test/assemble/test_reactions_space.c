/* what joints exert in space: Newton's and Euler's laws on every body of random mechanisms,
 *   m a_c = sum F,  I al + w x I w = sum of moments about the mass centre,
 * each joint's (fx .. tz) on its second body at its frame and the opposite on the first at the same place; nothing
 * along what it allows; the same in relative and in absolute coordinates; and the teeth of gears against their
 * bearings. */
#include "simulate/simulate.h"
#include "support/space.h"
#include "test.h"

enum { BODIES = 4, MOST = 8 };

static double worse(double a, double b) { return isnan(b) ? INFINITY : fmax(a, b); }

typedef struct total {
  double F[6], size; /* force, and moment about the world origin */
} total;

static void push(total *all, int body, double sign, const double f[6], const double at[3]) {
  double w[6];
  if (body < 0) return;
  for (int d = 0; d < 6; d++) w[d] = sign * f[d];
  tn_move_wrench(6, at, w, all[body].F);
  for (int d = 0; d < 6; d++) all[body].size += fabs(f[d]);
}

/* of a frame on a body, with all of udot */
static void acceleration(const tn_system *s, const tn_spot *spot, double a[6]) {
  double g[6], gains[6 * MOST], x[3];
  tn_frame3 f;
  memset(a, 0, 6 * sizeof *a);
  if (spot->body < 0) return;
  tn_frame3_on(s, spot, &f);
  tn_gains(s, s->solved.udot, gains);
  memcpy(g, gains + 6 * spot->body, sizeof g);
  tn_gains(s, s->solved.udot_s, gains);
  for (int d = 0; d < 6; d++) g[d] += gains[6 * spot->body + d];
  double arm[3];
  tn_sub3(f.r, s->pose.body3[spot->body].r, arm);
  tn_cross3(g + 3, arm, x);
  for (int d = 0; d < 3; d++) a[d] = f.a0[d] + g[d] + x[d], a[3 + d] = f.al0[d] + g[3 + d];
}

/* effort along a component of an axis e of a body: a turn dphi changes it by (dphi x e)_k, so that the torque is effort e x e_k */
static void push_axis(const tn_system *s, const tn_measure *of, double effort, total *all) {
  double e[3], along[3] = {0}, w[6] = {0};
  tn_frame3 f;
  tn_frame3_on(s, of->spot, &f);
  for (int d = 0; d < 3; d++) e[d] = f.A[3 * d + of->k / 3];
  along[of->k % 3] = effort;
  tn_cross3(e, along, w + 3);
  push(all, of->part, 1, w, f.r);
}

/* effort along a channel, from what the channel is: bodies x y z, points, turns, joints by the row that they measure with */
static void push_channel(const tn_system *s, const tn_measure *of, double effort, total *all) {
  if (of->kind == TN_OF_JOINT) {
    const tn_joint *j = &s->m->joint[of->part];
    double value[6], J[72], gamma[6], w[6];
    tn_frame3 f[2];
    for (int k = 0; k < 2; k++) tn_frame3_on(s, &j->spot[k], &f[k]);
    j->type->space.measure(j->self, s->given.memory + j->memory, f, value, J, gamma);
    for (int k = 0; k < 2; k++) {
      for (int d = 0; d < 6; d++) w[d] = effort * J[12 * of->k + 6 * k + d];
      push(all, j->spot[k].body, 1, w, f[k].r);
    }
  } else if (of->kind == TN_OF_AXIS) {
    push_axis(s, of, effort, all);
  } else {
    const tn_spot origin = tn_spot_origin(of->part);
    double w[6] = {0};
    tn_frame3 f;
    tn_frame3_on(s, of->kind == TN_OF_POINT ? of->spot : &origin, &f);
    if ((of->kind != TN_OF_BODY && of->kind != TN_OF_POINT) || of->k > 8) abort();
    for (int d = 0; d < 3 && of->k > 5; d++) w[3 + d] = effort * f.A[3 * d + of->k - 6];
    if (of->k <= 5) w[of->k] = effort;
    push(all, of->part, 1, w, f.r);
  }
}

/* a gear on rates alone: torques on both wheels, and against both on the carrier */
static bool on_rates(const tn_joint *j) {
  const tn_node *form = tn_node_get(j->node, "form");
  return j->type->seat == TN_SEAT_MESH && form && strcmp(form->text, "rates") == 0;
}

/* f: what is said of the second; how far that is off */
static double push_torques(const tn_system *s, const tn_joint *j, double load, const double f[6], total *all) {
  double J[18], w[6], off = 0, sum[3] = {0, 0, 0};
  tn_frame3 at[3];
  for (int k = 0; k < 3; k++) tn_frame3_on(s, &j->spot[k], &at[k]);
  j->type->space.rows_on_twists(j->self, 0, at, J);
  for (int k = 0; k < 3; k++) {
    for (int d = 0; d < 6; d++) w[d] = load * J[6 * k + d];
    for (int d = 0; d < 6; d++) off = fmax(off, d < 3 ? fabs(w[d]) : k == 1 ? fabs(w[d] - f[d]) / (1 + fabs(load)) : 0);
    tn_axpy3(1, w + 3, sum);
    push(all, j->spot[k].body, 1, w, at[k].r);
  }
  return fmax(off, tn_norm3(sum) / (1 + fabs(load)));
}

/* largest error of both laws over the bodies, relative to the forces there; the simulation has been solved */
static double laws(build *b) {
  static const char *const word[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  const tn_model *m = b->model;
  const tn_system *s = &b->sim->solver.sys;
  total all[MOST] = {0};
  double err = 0;
  if (m->bodies > MOST) abort();
  build_channel(b, "energy.total");     /* everything is at the present state */
  for (int i = 0; i < m->bodies; i++) { /* weight; forces from what they say of themselves */
    const double W[6] = {m->body[i].mass * m->gravity[0], m->body[i].mass * m->gravity[1],
                         m->body[i].mass * m->gravity[2]};
    double rho[3];
    tn_turn3(s->pose.body3[i].A, m->body[i].center, rho);
    tn_axpy3(1, s->pose.body3[i].r, rho);
    push(all, i, 1, W, rho);
  }
  for (int i = 0; i < m->forces; i++) {
    const tn_force *p = &m->force[i];
    for (int k = 0; k < p->frames; k++) {
      tn_frame3 f;
      tn_frame3_on(s, &p->spot[k], &f);
      push(all, p->spot[k].body, 1, s->forces.out[i].w + 6 * k, f.r);
    }
    if (p->how == TN_ON_CHANNEL) push_channel(s, &p->on, s->forces.out[i].effort, all);
  }
  for (int i = 0; i < m->rods; i++) { /* half its weight at each end, less m/6 (2 a + a of the other) */
    double a[2][6];
    for (int k = 0; k < 2; k++) acceleration(s, &m->rod[i].end[k], a[k]);
    for (int k = 0; k < 2; k++) {
      tn_frame3 f;
      double w[6] = {0};
      tn_frame3_on(s, &m->rod[i].end[k], &f);
      for (int d = 0; d < 3; d++) w[d] = m->rod[i].mass * (m->gravity[d] / 2 - (2 * a[k][d] + a[1 - k][d]) / 6);
      push(all, m->rod[i].end[k].body, 1, w, f.r);
    }
  }
  for (int i = 0; i < m->joints; i++) {
    const tn_joint *j = &m->joint[i];
    if (j->terms) {
      const double load = build_channel(b, "%s.load", j->name);
      for (int k = 0; k < j->terms; k++) push_channel(s, &j->term[k].of, load * tn_term_coefficient(s, j, k), all);
      continue;
    }
    if (j->type->seat == TN_SEAT_CENTERS) {
      const tn_node *axis = tn_node_get(j->node, "axis");
      const double load = build_channel(b, "%s.load", j->name);
      double mass = 0, e[3];
      for (int k = 0; k < j->frames; k++) mass += m->body[j->spot[k].body].mass;
      for (int d = 0; d < 3; d++) e[d] = tn_node_item(axis, d)->number;
      for (int k = 0; k < j->frames; k++) {
        double w[6] = {0};
        tn_frame3 f;
        tn_frame3_on(s, &j->spot[k], &f);
        tn_axpy3(load * m->body[j->spot[k].body].mass / mass / tn_norm3(e), e, w);
        push(all, j->spot[k].body, 1, w, f.r);
      }
      continue;
    }
    double f[6];
    tn_frame3 at[2];
    for (int d = 0; d < 6; d++) f[d] = build_channel(b, "%s.%s", j->name, word[d]);
    for (int k = 0; k < 2; k++) tn_frame3_on(s, &j->spot[k], &at[k]);
    if (on_rates(j)) {
      err = worse(err, push_torques(s, j, build_channel(b, "%s.load", j->name), f, all));
      continue;
    }
    push(all, j->spot[1].body, 1, f, at[1].r);
    push(all, j->spot[0].body, -1, f, at[1].r);
    /* nothing along what it allows */
    const tn_joint3 *type = &j->type->space;
    if (type->axes < 1 || type->chart || !type->measure) continue;
    double value[6], J[72], gamma[6], u[6] = {0}, S[6];
    tn_motion3 motion;
    type->measure(j->self, s->given.memory + j->memory, at, value, J, gamma);
    type->motion(j->self, value, u, &motion);
    double size = 1;
    for (int d = 0; d < 6; d++) size += fabs(f[d]);
    for (int k = 0; k < type->axes; k++) {
      double v[3], w[3];
      for (int d = 0; d < 6; d++) S[d] = motion.S[d * type->axes + k];
      tn_turn3(at[0].A, S, v);
      tn_turn3(at[0].A, S + 3, w);
      err = worse(err, fabs(tn_dot3(f, v) + tn_dot3(f + 3, w)) / size);
    }
  }
  for (int i = 0; i < m->bodies; i++) {
    const tn_body *body = &m->body[i];
    const tn_frame3 *f = &s->pose.body3[i];
    tn_spot center = tn_spot_origin(i);
    double a[6], r[3], x[3], M[3], L[3], w[3], h[3], Ial[3];
    memcpy(center.p, body->center, sizeof center.p);
    acceleration(s, &center, a);
    tn_turn3(f->A, body->center, r);
    tn_axpy3(1, f->r, r);
    tn_cross3(r, all[i].F, x);
    tn_sub3(all[i].F + 3, x, M); /* about the mass centre */
    for (int d = 0; d < 3; d++) err = worse(err, fabs(all[i].F[d] - body->mass * a[d]) / (1 + all[i].size));
    if (!body->oriented) continue;
    tn_unturn3(f->A, f->w, w);
    tn_turn3(body->tensor, w, h);
    tn_turn3(f->A, h, L);
    tn_unturn3(f->A, a + 3, w);
    tn_turn3(body->tensor, w, h);
    tn_turn3(f->A, h, Ial);
    tn_cross3(f->w, L, x);
    for (int d = 0; d < 3; d++) err = worse(err, fabs(M[d] - Ial[d] - x[d]) / (1 + all[i].size));
    /* and the channels of accelerations say the same */
    static const char *const accels[] = {"ax", "ay", "az", "alx", "aly", "alz"};
    const tn_spot origin = tn_spot_origin(i);
    acceleration(s, &origin, a);
    for (int d = 0; d < 6; d++)
      err = worse(err, fabs(a[d] - build_channel(b, "%s.%s", body->name, accels[d])) / (1 + fabs(a[d])));
  }
  return b->failed ? INFINITY : err;
}

/* ---- random mechanisms ------------------------------------------------------------------------------------------- */

/* a tree with `extra` more joints across it, of all types in turn, closed at the given pose */
static bool mechanism(build *b, int seed, bool relative, int extra, unsigned with) {
  space_tree(b, (uint64_t)seed, relative, BODIES, NULL, with);
  for (int k = 0; k < extra; k++) {
    const tn_joint_type *type;
    int i = (extra * seed + k) % tn_joint_type_count;
    while (!(type = tn_joint_types[i])->space.there) i = (i + 1) % tn_joint_type_count;
    space_extra(b, k, BODIES, type);
  }
  return build_simulate(b);
}

/* at the given pose, where all is closed, or with `away` off it where trees are closed; any speeds */
static bool at_some_state(build *rel, build *abs, double away) {
  double q[BUILD_MOST], u[BUILD_MOST];
  tn_error e;
  space_motion motion;
  space_motion_random(rel, away, &motion);
  space_motion_at(rel, &motion, 0, q, u, NULL);
  build_frames(&rel->sys, 0.4, q, u);
  if (tn_sim_set(rel->sim, 0.4, q, u, false, &e) != TN_OK) return false;
  return space_same(rel, abs, q, u) && tn_sim_set(abs->sim, 0.4, q, u, false, &e) == TN_OK;
}

static double apart(build *rel, build *abs) {
  const tn_system *r = &rel->sim->solver.sys, *a = &abs->sim->solver.sys;
  double err = 0, size = 10;
  build_channel(rel, "energy.total");
  build_channel(abs, "energy.total");
  for (int i = 0; i < 6 * rel->model->joints; i++) size = fmax(size, fabs(a->solved.reaction[i]));
  for (int i = 0; i < 6 * rel->model->joints; i++)
    err = worse(err, fabs(r->solved.reaction[i] - a->solved.reaction[i]) / size);
  return err;
}

/* trees, with joints forwards and backwards; then mechanisms with loops, velocity rows and drivers */
TEST_FULL(newton_and_euler_on_every_body) {
  for (int extra = 0; extra < 3; extra++) {
    double relative = 0, absolute = 0, differ = 0;
    int seen[64] = {0}, compared = 0, all = 72, bad = 0;
    for (int n = 0; n < all; n++) {
      build rel = {0}, abs = {0};
      const unsigned with = SPACE_FORCES | (n % 4 == 3 ? SPACE_LOOSE : 0) | (n % 3 == 0 ? SPACE_PARTICLE : 0);
      if (mechanism(&rel, n, true, extra, with) && mechanism(&abs, n, false, extra, with) &&
          at_some_state(&rel, &abs, extra ? 0 : 1)) {
        const double one = laws(&rel), two = laws(&abs);
        relative = worse(relative, one), absolute = worse(absolute, two);
        /* where rows repeat one another loads can be shared in more than one way */
        const bool unique = !rel.sim->summary.redundant_rows && !abs.sim->summary.redundant_rows;
        const double three = unique ? apart(&rel, &abs) : 0;
        differ = worse(differ, three);
        compared += unique;
        if (!(one <= 1e-9 && two <= 1e-9 && three <= 1e-9) && bad++ < 4)
          FAIL("mechanism %d with %d across: relative %.3g, absolute %.3g, apart %.3g %s%s", n, extra, one, two, three,
               rel.message, abs.message);
        for (int i = 0; i < rel.model->joints; i++)
          for (int k = 0; k < tn_joint_type_count; k++) seen[k] += rel.model->joint[i].type == tn_joint_types[k];
      } else {
        FAIL("mechanism %d: %s%s", n, rel.message, abs.message);
      }
      build_free(&rel);
      build_free(&abs);
    }
    printf("%d across: relative %.1e, absolute %.1e; %d of %d mechanisms differ by %.1e\n", extra, relative, absolute,
           compared, all, differ);
    CHECK(compared > (extra ? all / 4 : all - 1));
    for (int k = 0; k < tn_joint_type_count; k++)
      if ((extra || space_carries(tn_joint_types[k])) && tn_joint_types[k]->space.there && seen[k] < 2)
        FAIL("joint %s: in %d mechanisms only", tn_joint_types[k]->name, seen[k]);
  }
}

/* ---- gears ------------------------------------------------------------------------------------------------------- */

/* wheels and racks in their bearings on a carrier that moves: the force of the teeth acts at the pitch point, across
 * the radius, and its moments about the axles are in the ratio of the teeth */
TEST(teeth_and_bearings) {
  double law = 0, differ = 0, teeth = 0;
  int gears = 0, bevels = 0;
  for (int i = 0; i < tn_joint_type_count; i++)
    for (int n = 0; n < 24; n++) {
      const tn_joint_type *type = tn_joint_types[i];
      build one[2];
      space_given g = {0};
      if (!type->space.there || type->seat != TN_SEAT_MESH) continue;
      for (int k = 0; k < 2; k++) {
        build *b = &one[k];
        space_new(b, (uint64_t)n + 300);
        build_set(b, "/coordinates", k ? "\"absolute\"" : "\"relative\"");
        build_set(b, "/start/mode", "\"as-given\"");
        build_set(b, "/gravity", "[1, -2, -9]");
        space_world(b);
        build_set(b, "/joints/base",
                  "{\"type\": \"universal\", \"between\": [\"ground\", \"c\"], \"at\": [0.1, 0.2, 0.3], \"axes\": "
                  "[\"x\", \"y\"]}");
        space_joint(b, "j", type, "a", "b", 0, &g);
        build_set(b, "/forces/m",
                  "{\"type\": \"torque\", \"on\": \"a\", \"about\": [1, 2, 3], \"value\": \"20 - a.w1\"}");
        build_simulate(b);
      }
      if (!one[0].failed && !one[1].failed && at_some_state(&one[0], &one[1], n % 2 ? 0 : 1)) {
        const tn_system *s = &one[1].sim->solver.sys;
        const tn_model *m = one[1].model;
        law = worse(law, worse(laws(&one[0]), laws(&one[1])));
        if (one[0].sim->summary.redundant_rows)
          FAIL("gear %d: %d redundant rows", n, one[0].sim->summary.redundant_rows);
        differ = worse(differ, apart(&one[0], &one[1]));
        for (int k = 0; k < m->joints; k++) {
          const tn_joint *j = &m->joint[k];
          if (j->type->seat != TN_SEAT_MESH) continue;
          const double *F = s->solved.reaction + 6 * k;
          if (on_rates(j)) {
            CHECK(tn_norm3(F) == 0 && tn_norm3(F + 3) > 1e-6);
            gears++;
            continue;
          }
          tn_frame3 f[3];
          double P[3], arm[3], x[3], moment[2];
          for (int l = 0; l < 3; l++) tn_frame3_on(s, &j->spot[l], &f[l]);
          type->space.contact(j->self, f, P);
          tn_sub3(P, f[1].r, arm); /* on the second it is a force at P and nothing more */
          tn_cross3(arm, F, x);
          for (int d = 0; d < 3; d++) teeth = worse(teeth, fabs(x[d] - F[3 + d]) / (1 + tn_norm3(F)));
          const tn_node *node = tn_node_get(j->node, "teeth");
          for (int l = 0; l < 2; l++) {
            double z[3];
            tn_axis3(f[l].A, 2, z);
            tn_sub3(P, f[l].r, arm);
            tn_cross3(arm, F, x);
            moment[l] = tn_dot3(x, z);
            if (l == 0) teeth = worse(teeth, fabs(tn_dot3(F, arm)) / (1 + tn_norm3(F))); /* across its radius */
          }
          if (node) {
            const double ratio = tn_node_item(node, 0)->number / tn_node_item(node, 1)->number;
            teeth = worse(teeth, fabs(fabs(moment[0]) - ratio * fabs(moment[1])) / (1 + fabs(moment[0])));
          } else {
            const double r = tn_node_get(j->node, "radius")->number;
            teeth = worse(teeth, fabs(fabs(moment[0]) - r * tn_norm3(F)) / (1 + fabs(moment[0])));
          }
          if (!(tn_norm3(F) > 1e-6)) FAIL("gear %d: no force on its teeth", n);
          gears++;
          bevels += g.bevel;
        }
      } else {
        FAIL("gear %d: %s%s", n, one[0].message, one[1].message);
      }
      build_free(&one[0]);
      build_free(&one[1]);
    }
  printf("%d meshes, %d bevels: Newton, Euler %.1e, relative and absolute differ by %.1e, teeth %.1e\n", gears, bevels,
         law, differ, teeth);
  CHECK(law <= 1e-9 && differ <= 1e-9 && teeth <= 1e-12 && gears >= 40 && bevels >= 5);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* a flap on a hinge along y, held by a driver: all six, in either order */
TEST(a_beam_in_a_wall_and_a_spinning_wheel) {
  for (int n = 0; n < 4; n++) {
    const bool relative = n & 1, swap = n & 2;
    const double s = swap ? -1 : 1, g = 9.81;
    const char *order = swap ? "[\"x\", \"ground\"]" : "[\"ground\", \"x\"]";
    build b;
    /* 3 kg, mass centre at (0.7, 0.1, 0.4), welded at (0.2, 0, 0.4); 5 N along y at (1.2, 0.1, 0.4) */
    space_new(&b, 1);
    build_set(&b, "/gravity", "[0, 0, -9.81]");
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    build_set(
        &b, "/bodies/x",
        "{\"mass\": 3, \"inertia\": [0.1, 0.2, 0.25], \"position\": [0.7, 0.1, 0.4], \"axis_angle\": [[1, 1, 0], 1]}");
    build_set(&b, "/joints/j", "{\"type\": \"weld\", \"between\": %s, \"at\": [0.2, 0, 0.4]}", order);
    build_set(&b, "/forces/f", "{\"type\": \"force\", \"on\": \"x\", \"at\": [1.2, 0.1, 0.4], \"value\": [0, 5, 0]}");
    if (build_simulate(&b)) {
      CHECK_NEAR(build_channel(&b, "j.fx"), 0, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.fy"), s * -5, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.fz"), s * 3 * g, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.tx"), s * 0.1 * 3 * g,
                 1e-12); /* against (0.5, 0.1, 0) x weight + (1, 0.1, 0) x force */
      CHECK_NEAR(build_channel(&b, "j.ty"), s * -0.5 * 3 * g, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.tz"), s * -5, 1e-12);
    }
    if (b.failed) FAIL("%s", b.message);
    build_free(&b);
    /* a wheel spins at W about x on an axle that turns at w about z: the axle needs the moment I W w about y */
    space_new(&b, 1);
    build_set(&b, "/coordinates", relative ? "\"relative\"" : "\"absolute\"");
    build_set(&b, "/bodies/yoke", "{\"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}");
    build_set(&b, "/bodies/x", "{\"mass\": 2, \"inertia\": [0.5, 0.3, 0.3]}");
    build_set(&b, "/joints/turn",
              "{\"type\": \"revolute\", \"between\": [\"ground\", \"yoke\"], \"at\": [0, 0, 0], \"axis\": \"z\"}");
    build_set(&b, "/joints/j", "{\"type\": \"revolute\", \"between\": %s, \"at\": [0, 0, 0], \"axis\": \"x\"}",
              swap ? "[\"x\", \"yoke\"]" : "[\"yoke\", \"x\"]");
    build_set(&b, "/start", "{\"turn.rate\": 2, \"j.rate\": %g}", s * 30);
    if (build_simulate(&b)) {
      CHECK_NEAR(build_channel(&b, "x.wx"), 30, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.tx"), 0, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.ty"), s * 0.5 * 30 * 2, 1e-11); /* dL/dt = w z x I W x */
      CHECK_NEAR(build_channel(&b, "j.tz"), 0, 1e-12);
      CHECK_NEAR(build_channel(&b, "j.fx"), 0, 1e-12);
    }
    if (b.failed) FAIL("%s", b.message);
    build_free(&b);
  }
}
