// Pinocchio called in a compiled loop over many states, with a plain C interface for ctypes.
//
// The model arrives as numbers (parents, joint types, placements, inertias) taken from the model that Pinocchio's own
// URDF parser made, so that this file can be compiled with any vectorisation flags without depending on the memory
// layout the wheel's libraries were compiled with. Only the variant that links those libraries has to keep their layout.
//
// Arrays are C-ordered, one row per state. Each function loops over all states; Model and Data are made beforehand,
// nothing is allocated inside the loop.

#include <array>
#include <memory>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

using namespace pinocchio;

#ifdef STATIC_SIZE
using Vector = Eigen::Matrix<double, STATIC_SIZE, 1>;
using Matrix = Eigen::Matrix<double, STATIC_SIZE, STATIC_SIZE, Eigen::RowMajor>;
#else
using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
#endif
using In = Eigen::Map<const Vector>;
using Out = Eigen::Map<Vector>;
using OutMatrix = Eigen::Map<Matrix>;

namespace {

struct Robot {
  Model model;
  std::unique_ptr<Data> data;
};

enum JointKind { RX, RY, RZ, R_ANY, PX, PY, PZ, P_ANY };

JointModel make_joint(int kind, const Eigen::Vector3d& axis) {
  switch (kind) {
    case RX: return JointModelRX();
    case RY: return JointModelRY();
    case RZ: return JointModelRZ();
    case R_ANY: return JointModelRevoluteUnaligned(axis);
    case PX: return JointModelPX();
    case PY: return JointModelPY();
    case PZ: return JointModelPZ();
    default: return JointModelPrismaticUnaligned(axis);
  }
}

// M(q), both triangles: crba leaves the lower one empty.
template <Convention convention>
void mass_matrix(void* handle, long states, const double* q, double* M) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  data->M.setZero();
  for (long i = 0; i < states; ++i) {
    crba(model, *data, In(q + i * n, n), convention);
    OutMatrix(M + i * n * n, n, n) = data->M.selfadjointView<Eigen::Upper>();
  }
}

// qdd = M^-1 (tau - h), articulated bodies.
template <Convention convention>
void articulated(void* handle, long states, const double* q, const double* qd, const double* tau, double* qdd) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  for (long i = 0; i < states; ++i)
    Out(qdd + i * n, n) = aba(model, *data, In(q + i * n, n), In(qd + i * n, n), In(tau + i * n, n), convention);
}

}  // namespace

extern "C" {

// placements: 12 numbers a joint (rotation row by row, translation). inertias: 13 numbers a joint (mass, centre of mass,
// rotational inertia about it row by row). parents count the universe as 0.
void* robot_new(int joints, const int* parents, const int* kinds, const double* axes, const double* placements,
                const double* inertias, const double* gravity) {
  using Rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;
  using Point = Eigen::Map<const Eigen::Vector3d>;
  auto* robot = new Robot;
  for (int i = 0; i < joints; ++i) {
    const double *placement = placements + 12 * i, *inertia = inertias + 13 * i;
    const JointIndex joint = robot->model.addJoint(
        parents[i], make_joint(kinds[i], Point(axes + 3 * i)),
        SE3(Eigen::Matrix3d(Rotation(placement)), Eigen::Vector3d(Point(placement + 9))), "j" + std::to_string(i));
    robot->model.appendBodyToJoint(
        joint, Inertia(inertia[0], Eigen::Vector3d(Point(inertia + 1)), Eigen::Matrix3d(Rotation(inertia + 4))));
  }
  robot->model.gravity.linear() = Point(gravity);
  robot->data = std::make_unique<Data>(robot->model);
  return robot;
}

void robot_delete(void* handle) { delete static_cast<Robot*>(handle); }

// tau = M(q) qdd + h(q, qd), recursive Newton-Euler.
void inverse_dynamics(void* handle, long states, const double* q, const double* qd, const double* qdd, double* tau) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  for (long i = 0; i < states; ++i)
    Out(tau + i * n, n) = rnea(model, *data, In(q + i * n, n), In(qd + i * n, n), In(qdd + i * n, n));
}

// h(q, qd).
void bias_forces(void* handle, long states, const double* q, const double* qd, double* tau) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  for (long i = 0; i < states; ++i)
    Out(tau + i * n, n) = nonLinearEffects(model, *data, In(q + i * n, n), In(qd + i * n, n));
}

void mass_matrix_local(void* robot, long states, const double* q, double* M) {
  mass_matrix<Convention::LOCAL>(robot, states, q, M);
}
void mass_matrix_world(void* robot, long states, const double* q, double* M) {
  mass_matrix<Convention::WORLD>(robot, states, q, M);
}

void forward_dynamics_local(void* robot, long states, const double* q, const double* qd, const double* tau,
                            double* qdd) {
  articulated<Convention::LOCAL>(robot, states, q, qd, tau, qdd);
}
void forward_dynamics_world(void* robot, long states, const double* q, const double* qd, const double* tau,
                            double* qdd) {
  articulated<Convention::WORLD>(robot, states, q, qd, tau, qdd);
}

// The same through M, h and a Cholesky factorisation; for short chains this may be the quicker way.
void forward_dynamics_cholesky(void* handle, long states, const double* q, const double* qd, const double* tau,
                               double* qdd) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  data->M.setZero();
  for (long i = 0; i < states; ++i) {
    const In position(q + i * n, n);
    crba(model, *data, position, Convention::LOCAL);
    cholesky::decompose(model, *data);
    data->ddq = In(tau + i * n, n) - nonLinearEffects(model, *data, position, In(qd + i * n, n));
    cholesky::solve(model, *data, data->ddq);
    Out(qdd + i * n, n) = data->ddq;
  }
}

// C(q, qd) with C qd = c(q, qd) and dM/dt - 2 C skew.
void coriolis_matrix(void* handle, long states, const double* q, const double* qd, double* C) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  for (long i = 0; i < states; ++i)
    OutMatrix(C + i * n * n, n, n) = computeCoriolisMatrix(model, *data, In(q + i * n, n), In(qd + i * n, n));
}

// d tau / d(q, qd, qdd); the last is M, both triangles.
void inverse_dynamics_derivatives(void* handle, long states, const double* q, const double* qd, const double* qdd,
                                  double* d_q, double* d_qd, double* d_qdd) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  data->dtau_dq.setZero();
  data->dtau_dv.setZero();
  data->M.setZero();
  for (long i = 0; i < states; ++i) {
    computeRNEADerivatives(model, *data, In(q + i * n, n), In(qd + i * n, n), In(qdd + i * n, n));
    OutMatrix(d_q + i * n * n, n, n) = data->dtau_dq;
    OutMatrix(d_qd + i * n * n, n, n) = data->dtau_dv;
    OutMatrix(d_qdd + i * n * n, n, n) = data->M.selfadjointView<Eigen::Upper>();
  }
}

// d qdd / d(q, qd, tau); the last is the inverse of M, both triangles.
void forward_dynamics_derivatives(void* handle, long states, const double* q, const double* qd, const double* tau,
                                  double* d_q, double* d_qd, double* d_tau) {
  auto& [model, data] = *static_cast<Robot*>(handle);
  const long n = model.nv;
  for (long i = 0; i < states; ++i) {
    computeABADerivatives(model, *data, In(q + i * n, n), In(qd + i * n, n), In(tau + i * n, n));
    OutMatrix(d_q + i * n * n, n, n) = data->ddq_dq;
    OutMatrix(d_qd + i * n * n, n, n) = data->ddq_dv;
    OutMatrix(d_tau + i * n * n, n, n) = data->Minv.selfadjointView<Eigen::Upper>();
  }
}

}  // extern "C"
