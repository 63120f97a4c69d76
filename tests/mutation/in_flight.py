"""What Pinocchio says of trees whose base moves: function, options, arguments, answer."""

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from mutation.answers import Answer, lagrangian_gradients, stacked
from oracles.flying import Flying


class Free:
    """What `stacked` asks for, of a tree without a coupling."""

    def __init__(self, flying: Flying) -> None:
        self.robot, self.A = flying.robot, np.eye(flying.robot.dof)


def of_flight(flying: Flying, q, qd, qdd, tau, twist, rate) -> Iterator[Answer]:
    """Forces, energies and their derivatives where the base moves."""
    model, data, v_of = flying.model, flying.data, flying.v
    zero, still = np.zeros(len(q)), np.zeros(6)
    given = [None, twist, rate]
    rest = flying.inverse_dynamics(q, qd, zero, twist, rate)
    x, v, a = flying.state(q, qd, twist, qdd, rate)
    M = flying_mass_matrix(flying, x)
    yield "inverse_dynamics", {}, [q, qd, qdd, *given], flying.inverse_dynamics(q, qd, qdd, twist, rate)
    for method in ("articulated", "mass_matrix"):
        yield "forward_dynamics", {"method": method}, [q, qd, tau, *given], np.linalg.solve(M, tau - rest)
    yield "kinetic_energy", {}, [q, qd, twist], np.array(flying.kinetic_energy(q, qd, twist))
    c = flying.inverse_dynamics(q, qd, zero, twist, still) - flying.inverse_dynamics(q, zero, zero, still, still)
    yield "velocity_forces", {}, [q, qd, twist], c

    def by_state(a: np.ndarray) -> list[np.ndarray]:
        found = pin.computeRNEADerivatives(model, data, x, v, a)
        return [matrix[np.ix_(v_of, v_of)] for matrix in found[:2]]

    yield "inverse_dynamics_derivatives", {}, [q, qd, qdd, *given], (*by_state(a), M)
    _, _, caused = flying.state(q, qd, twist, np.linalg.solve(M, tau - rest), rate)
    slopes = [-np.linalg.solve(M, matrix) for matrix in by_state(caused)]
    yield "forward_dynamics_derivatives", {}, [q, qd, tau, *given], (*slopes, np.linalg.inv(M))
    yield from regressors_in_flight(flying, q, qd, qdd, twist, rate)
    yield from links_in_flight(flying, q, qd, qdd, twist, rate)


def flying_mass_matrix(flying: Flying, x: np.ndarray) -> np.ndarray:
    """Of the joints alone."""
    M = pin.crba(flying.model, flying.data, x)
    return (np.triu(M) + np.triu(M, 1).T)[np.ix_(flying.v, flying.v)]


def regressors_in_flight(flying: Flying, q, qd, qdd, twist, rate) -> Iterator[Answer]:
    """The columns of the moving links."""
    model, v_of = flying.model, flying.v
    x, v, a = flying.state(q, qd, twist, qdd, rate)
    columns = np.concatenate([np.arange(10) + 10 * (model.getJointId(j.name) - 1) for j in flying.robot.model.joints])
    Y = pin.computeJointTorqueRegressor(model, model.createData(), x, v, a)[v_of][:, columns]
    yield "regressor", {}, [q, qd, qdd, twist, rate], Y
    weightless = model.copy()
    weightless.gravity.linear = np.zeros(3)
    momentum = pin.computeJointTorqueRegressor(weightless, weightless.createData(), x, 0.0 * v, v)[v_of][:, columns]
    yield "momentum_regressor", {}, [q, qd, twist], momentum
    yield "lagrangian_gradient_regressor", {}, [q, qd, twist], lagrangian_gradients(model, x, v)[v_of][:, columns]
    K = pin.computeKineticEnergyRegressor(model, model.createData(), x, v)[columns]
    yield "kinetic_energy_regressor", {}, [q, qd, twist], K


def links_in_flight(flying: Flying, q, qd, qdd, twist, rate) -> Iterator[Answer]:
    """The motion of all links, the base's too, what the joints transmit, and everything stacked."""
    model, data, robot = flying.model, flying.data, flying.robot
    pin.forwardKinematics(model, data, *flying.state(q, qd, twist, qdd, rate))
    pin.updateFramePlacements(model, data)
    rows, poses = [], {}
    for link in robot.model.links:
        index = model.getFrameId(link.name)
        V = pin.getFrameVelocity(model, data, index, pin.LOCAL)
        A = pin.getFrameClassicalAcceleration(model, data, index, pin.LOCAL)
        w, wd, a, c = V.angular, A.angular, A.linear, link.inertia.com
        a_com = a + np.cross(wd, c) + np.cross(w, np.cross(w, c))
        I = link.inertia.tensor  # noqa: E741
        rows.append([w, wd, a, a_com, link.inertia.mass * a_com, I @ wd + np.cross(w, I @ w)])
        poses[link.name] = data.oMf[index].homogeneous.copy()
        if link.name != robot.model.base:
            poses[link.name][:3, 3] += poses[link.name][:3, :3] @ c
    yield "link_motion", {}, [q, qd, qdd, twist, rate], tuple(np.swapaxes(rows, 0, 1))
    answer = stacked(Free(flying), poses, qd, qdd, None, twist, rate)
    yield "closed_form", {}, [q, qd, qdd, None, twist, rate], answer
    flying.inverse_dynamics(q, qd, qdd, twist, rate)
    found = [
        model.frames[model.getFrameId(joint.child)].placement.actInv(data.f[model.getJointId(joint.name)])
        for joint in robot.model.joints
    ]
    answer = np.array([x.linear for x in found]), np.array([x.angular for x in found])
    yield "joint_reactions", {}, [q, qd, qdd, None, twist, rate], answer
