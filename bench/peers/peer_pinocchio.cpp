/* Pinocchio: ABA for trees, proximal constraintDynamics where loops are closed. Pinocchio has no integrators. Two are
 * here: the classical Runge-Kutta formula with a fixed step, and Dormand-Prince 5(4) with step control, which lands
 * on the samples, or interpolates them by its own polynomial of 4th order.
 *
 *   peer_pinocchio FILE     FILE: the listing of mechanisms.py
 *
 * Every line of standard input is a setting: METHOD H_OR_TOLERANCE MU OMEGA DENSE BUDGET LIMIT
 *   METHOD  rk4 or dp5
 *   MU      of the proximal method
 *   OMEGA   of the feedback, 1/s: Kp = omega^2, Kd = 2 omega
 *   DENSE   0 or 1: whether samples are interpolated
 *   BUDGET  s; the run is repeated for so long, and the least time counts
 *   LIMIT   s; a run of dp5 that takes longer is given up
 * `accelerations` alone asks for those of the mass centres at the start. The answer is a line of JSON. */
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

double cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

struct Place { // a point that is fixed in the frame of a joint
  pin::JointIndex joint;
  Vector3d at;
};

class Mechanism {
public:
  explicit Mechanism(std::istream &in);
  void settle(double mu, double omega);
  const VectorXd &accelerations(const VectorXd &q, const VectorXd &v);
  void places(const VectorXd &q, std::vector<double> &out);
  void accelerations_of_bodies(std::vector<double> &out);

  VectorXd rates;
  double every = 0;
  int samples = 0;
  long rhs = 0;

private:
  Vector3d vector(std::istream &in) {
    Vector3d v;
    in >> v[0] >> v[1] >> v[2];
    return v;
  }

  pin::Model model;
  pin::Data data;
  std::vector<pin::RigidConstraintModel> loops;
  std::vector<pin::RigidConstraintData> loop_data;
  pin::ProximalSettings proximal;
  VectorXd stiffness, damping, rest, effort;
  bool forced = false;
  std::vector<Place> centres;
};

Mechanism::Mechanism(std::istream &in) {
  std::string word, kind;
  int links, bodies, closed;
  in >> word >> links >> bodies >> closed;
  const Vector3d gravity = vector(in);
  in >> every >> samples;
  model.gravity.linear(gravity);
  rates.resize(links), stiffness.resize(links), damping.resize(links), rest.resize(links), effort.resize(links);
  std::vector<pin::SE3> frame(size_t(links) + 1, pin::SE3::Identity());
  std::vector<int> body(links);
  for (int i = 0; i < links; i++) {
    int parent;
    in >> body[i] >> parent >> kind;
    const Vector3d at = vector(in), axis = vector(in);
    in >> rates[i] >> stiffness[i] >> damping[i] >> rest[i];
    forced = forced || stiffness[i] != 0 || damping[i] != 0;
    const Matrix3d turn = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis).toRotationMatrix();
    frame[size_t(i) + 1] = pin::SE3(turn, at);
    const pin::SE3 placement = frame[size_t(parent + 1)].actInv(frame[size_t(i) + 1]);
    const pin::JointIndex above = pin::JointIndex(parent + 1);
    const std::string name = "joint" + std::to_string(i);
    if (kind == "R")
      model.addJoint(above, pin::JointModelRZ(), placement, name);
    else
      model.addJoint(above, pin::JointModelPZ(), placement, name);
  }
  centres.resize(size_t(bodies));
  std::vector<int> carrier(bodies);
  for (int i = 0; i < links; i++)
    if (body[i] >= 0) carrier[size_t(body[i])] = i + 1;
  for (int b = 0; b < bodies; b++) {
    double mass, xx, yy, zz, xy, xz, yz;
    in >> mass;
    const Vector3d com = vector(in);
    in >> xx >> yy >> zz >> xy >> xz >> yz;
    Matrix3d inertia;
    inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const pin::JointIndex j = pin::JointIndex(carrier[size_t(b)]);
    const Matrix3d R = frame[j].rotation();
    const Vector3d at = frame[j].actInv(com);
    model.appendBodyToJoint(j, pin::Inertia(mass, at, R.transpose() * inertia * R), pin::SE3::Identity());
    centres[size_t(b)] = {j, at};
  }
  for (int i = 0; i < closed; i++) {
    int a, b;
    in >> a >> b;
    const Vector3d at = vector(in);
    const pin::JointIndex ja = pin::JointIndex(a + 1), jb = pin::JointIndex(b + 1);
    loops.emplace_back(pin::CONTACT_3D, model, ja, frame[ja].actInv(pin::SE3(Matrix3d::Identity(), at)), jb,
                       frame[jb].actInv(pin::SE3(Matrix3d::Identity(), at)), pin::LOCAL);
  }
  if (!in) throw std::runtime_error("the listing is too short");
  data = pin::Data(model);
  settle(1e-9, 0);
}

void Mechanism::settle(double mu, double omega) {
  proximal = pin::ProximalSettings(1e-14, mu, 20);
  loop_data.clear();
  for (auto &loop : loops) {
    loop.m_baumgarte_parameters.Kp = omega * omega;
    loop.m_baumgarte_parameters.Kd = 2 * omega;
    loop_data.emplace_back(loop);
  }
  if (!loops.empty()) pin::initConstraintDynamics(model, data, loops, loop_data);
}

const VectorXd &Mechanism::accelerations(const VectorXd &q, const VectorXd &v) {
  rhs++;
  if (forced)
    effort.array() = -stiffness.array() * (q - rest).array() - damping.array() * v.array();
  else
    effort.setZero();
  if (loops.empty()) return pin::aba(model, data, q, v, effort, pin::Convention::LOCAL);
  return pin::constraintDynamics(model, data, q, v, effort, loops, loop_data, proximal);
}

void Mechanism::places(const VectorXd &q, std::vector<double> &out) {
  pin::forwardKinematics(model, data, q);
  for (const Place &p : centres) {
    const Vector3d at = data.oMi[p.joint].act(p.at);
    out.insert(out.end(), at.data(), at.data() + 3);
  }
}

void Mechanism::accelerations_of_bodies(std::vector<double> &out) {
  const VectorXd q = VectorXd::Zero(model.nv), a = accelerations(q, rates);
  pin::forwardKinematics(model, data, q, rates, a);
  for (const Place &p : centres) {
    const pin::SE3 to(Matrix3d::Identity(), p.at);
    const pin::Motion v = to.actInv(data.v[p.joint]), acc = to.actInv(data.a[p.joint]);
    const Vector3d local = acc.linear() + v.angular().cross(v.linear());
    const Vector3d world = data.oMi[p.joint].rotation() * local;
    out.insert(out.end(), world.data(), world.data() + 3);
  }
}

/* ---- integrators: y = (q, v), each half a vector ---------------------------------------- */

struct State {
  VectorXd q, v;
};

using Samples = std::vector<VectorXd>;

void rk4(Mechanism &m, State s, double step, Samples &out) {
  const long each = std::max(1L, std::lround(m.every / step));
  const double h = m.every / double(each);
  VectorXd a1, a2, a3, a4, q2, v2, v3, v4;
  for (int i = 0; i < m.samples; i++) {
    for (long k = 0; k < each; k++) {
      a1 = m.accelerations(s.q, s.v);
      q2 = s.q + h / 2 * s.v, v2 = s.v + h / 2 * a1;
      a2 = m.accelerations(q2, v2);
      q2 = s.q + h / 2 * v2, v3 = s.v + h / 2 * a2;
      a3 = m.accelerations(q2, v3);
      q2 = s.q + h * v3, v4 = s.v + h * a3;
      a4 = m.accelerations(q2, v4);
      s.q += h / 6 * (s.v + 2 * v2 + 2 * v3 + v4);
      s.v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    out.push_back(s.q);
  }
}

/* Hairer, Norsett & Wanner I, dopri5; the polynomial of 4th order is theirs */
struct Dopri5 {
  static constexpr double A[7][6] = {{0},
                                     {1. / 5},
                                     {3. / 40, 9. / 40},
                                     {44. / 45, -56. / 15, 32. / 9},
                                     {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                     {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                     {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static constexpr double E[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
  static constexpr double D[7] = {-12715105075. / 11282082432,  0,
                                  87487479700. / 32700410799,   -10690763975. / 1880347072,
                                  701980252875. / 199316789632, -1453857185. / 822651844,
                                  69997945. / 29380423};
  VectorXd y[2], k[7][2], sum[2];
};
constexpr double Dopri5::A[7][6], Dopri5::E[7], Dopri5::D[7];

/* q at a share s of the step */
VectorXd inside(const Dopri5 &d, const VectorXd &q0, const VectorXd &q1, double h, double s) {
  const VectorXd difference = q1 - q0, bend = h * d.k[0][0] - difference;
  VectorXd last = VectorXd::Zero(q0.size());
  for (int i = 0; i < 7; i++)
    if (Dopri5::D[i] != 0) last += h * Dopri5::D[i] * d.k[i][0];
  const double s1 = 1 - s;
  return q0 + s * (difference + s1 * (bend + s * (difference - h * d.k[6][0] - bend + s1 * last)));
}

/* the stages of a step from s; the end is in y, its rates are those of the last stage */
void attempt(Mechanism &m, Dopri5 &d, const State &s, double step) {
  for (int i = 1; i < 7; i++) {
    d.y[0] = s.q, d.y[1] = s.v;
    for (int j = 0; j < i; j++)
      if (Dopri5::A[i][j] != 0) {
        d.y[0] += step * Dopri5::A[i][j] * d.k[j][0];
        d.y[1] += step * Dopri5::A[i][j] * d.k[j][1];
      }
    d.k[i][0] = d.y[1];
    d.k[i][1] = m.accelerations(d.y[0], d.y[1]);
  }
}

/* the largest of the estimates, 1 being allowed */
double error_of(Dopri5 &d, const State &s, double step, double tolerance) {
  double error = 0;
  for (int half = 0; half < 2; half++) {
    d.sum[half] = step * Dopri5::E[0] * d.k[0][half];
    for (int j = 2; j < 7; j++) d.sum[half] += step * Dopri5::E[j] * d.k[j][half];
    const VectorXd &old = half ? s.v : s.q;
    const auto scale = 1 + old.array().abs().max(d.y[half].array().abs());
    error = std::max(error, (d.sum[half].array().abs() / scale).maxCoeff() / tolerance);
  }
  return error < 1e300 ? error : 1e6;
}

/* the samples inside a step from t */
void interpolate(const Mechanism &m, const Dopri5 &d, const State &s, double t, double step, Samples &out) {
  for (double next; int(out.size()) < m.samples; out.push_back(inside(d, s.q, d.y[0], step, (next - t) / step))) {
    next = m.every * double(out.size() + 1);
    if (next > t + step + 1e-12) return;
  }
}

bool dp5(Mechanism &m, State s, double tolerance, bool dense, double limit, Samples &out) {
  Dopri5 d;
  const double from = cpu(), until = m.every * m.samples;
  double t = 0, h = 1e-3, before = 1e-4;
  long steps = 0;
  d.k[0][0] = s.v, d.k[0][1] = m.accelerations(s.q, s.v);
  while (int(out.size()) < m.samples) {
    const double next = dense ? until : m.every * double(out.size() + 1);
    const bool landing = t + 1.0000001 * h >= next;
    const double step = landing ? next - t : h;
    if ((++steps % 100 == 0 && cpu() - from > limit) || step < 1e-13) return false;
    attempt(m, d, s, step);
    const double error = error_of(d, s, step, tolerance);
    if (error > 1) {
      h = step * std::max(0.2, 0.9 * std::pow(error, -0.2));
      continue;
    }
    if (dense) interpolate(m, d, s, t, step, out);
    const double grown = step * std::min(5.0, 0.9 * std::pow(std::max(error, 1e-10), -0.17) * std::pow(before, 0.04));
    before = std::max(error, 1e-4);
    h = landing && grown < h ? h : grown; /* a step cut short says nothing against a longer one */
    t = landing ? next : t + step;
    s.q = d.y[0], s.v = d.y[1];
    std::swap(d.k[0][0], d.k[6][0]), std::swap(d.k[0][1], d.k[6][1]);
    if (!dense && landing) out.push_back(s.q);
  }
  return true;
}

void print(const char *name, const std::vector<double> &values) {
  std::printf("\"%s\":[", name);
  for (size_t i = 0; i < values.size(); i++)
    if (std::isfinite(values[i]))
      std::printf("%s%.17g", i ? "," : "", values[i]);
    else
      std::printf("%snull", i ? "," : "");
  std::printf("]}\n");
  std::fflush(stdout);
}

void run(Mechanism &m, const std::string &line) {
  std::istringstream words(line);
  std::string method;
  double h, mu, omega, budget, limit;
  int dense;
  if (!(words >> method >> h >> mu >> omega >> dense >> budget >> limit))
    throw std::runtime_error("not a setting: " + line);
  m.settle(mu, omega);
  double least = HUGE_VAL, spent = 0;
  Samples out;
  bool good = true;
  do {
    out.clear();
    out.reserve(size_t(m.samples));
    const State start = {VectorXd::Zero(m.rates.size()), m.rates};
    m.rhs = 0;
    const double from = cpu();
    if (method == "rk4")
      rk4(m, start, h, out);
    else
      good = dp5(m, start, h, dense != 0, limit, out);
    const double took = cpu() - from;
    least = std::min(least, took), spent += took;
  } while (spent < budget && good);
  std::vector<double> places;
  for (const VectorXd &q : out) m.places(q, places);
  std::printf("{\"cpu\":%.9g,\"rhs\":%ld,\"good\":%s,", least, m.rhs, good ? "true" : "false");
  print("places", places);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) return std::fprintf(stderr, "peer_pinocchio FILE\n"), 1;
  try {
    std::ifstream file(argv[1]);
    Mechanism m(file);
    for (std::string line; std::getline(std::cin, line);)
      if (line == "accelerations") {
        std::vector<double> a;
        m.settle(1e-8, 0);
        m.accelerations_of_bodies(a);
        std::printf("{");
        print("accelerations", a);
      } else
        run(m, line);
  } catch (const std::exception &e) {
    return std::fprintf(stderr, "peer_pinocchio: %s\n", e.what()), 1;
  }
  return 0;
}
