"""What Pinocchio and NumPy answer of a robot at rest on its base: function, options, arguments, answer."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pinocchio as pin

from crosscheck.test_link_motion import one_motion
from mutation.known import Known
from oracles.cases import ANGULAR_FIRST
from oracles.twist_wrench import Ad, ad
from task_space.expected import task_space

Answer = tuple[str, dict[str, Any], list[Any], Any]
WAYS = {"body": pin.LOCAL, "space": pin.WORLD, "world": pin.LOCAL_WORLD_ALIGNED}


def of_dynamics(some: Known, q, qd, qdd, tau, f_tip) -> Iterator[Answer]:
    """Joint forces and accelerations, with every load."""
    zero, case = np.zeros(some.n), some.case
    M, rest, bias = some.mass_matrix(q), some.inverse_dynamics(q, zero, zero), some.inverse_dynamics(q, qd, zero)
    at_tip = case.external(f_tip)
    f_ext = np.random.default_rng(135).normal(0.0, 5.0, (len(some.robot.link_names), 6))
    everywhere = case.on_links(f_ext)
    for k in range(case.pin.njoints):
        everywhere[k] = everywhere[k] + at_tip[k]
    pushed = some.inverse_dynamics(q, qd, qdd, everywhere)
    yield "inverse_dynamics", {}, [q, qd, qdd], some.inverse_dynamics(q, qd, qdd)
    yield "inverse_dynamics", {}, [q, qd, qdd, f_tip], some.inverse_dynamics(q, qd, qdd, at_tip)
    yield "inverse_dynamics", {}, [q, qd, qdd, f_tip, None, None, f_ext], pushed
    for method in ("articulated", "mass_matrix"):
        loads = [f_tip, None, None, f_ext]
        qdd_of_tau = np.linalg.solve(M, tau - pushed + M @ qdd)
        yield "forward_dynamics", {"method": method}, [q, qd, tau, *loads], qdd_of_tau
    yield "forward_dynamics", {}, [q, qd, tau], np.linalg.solve(M, tau - bias)
    yield "mass_matrix", {}, [q], M
    yield "inverse_mass_matrix", {}, [q], np.linalg.inv(M)
    yield "bias_forces", {}, [q, qd], bias
    yield "gravity_forces", {}, [q], rest
    yield "velocity_forces", {}, [q, qd], bias - rest
    yield "tip_forces", {}, [q, f_tip], some.inverse_dynamics(q, zero, zero, at_tip) - rest
    x, v = some.at(q, qd)
    rotors = 0.5 * some.rotors @ (some.A @ qd) ** 2
    yield "kinetic_energy", {}, [q, qd], np.array(pin.computeKineticEnergy(case.pin, case.data, x, v) + rotors)
    yield "potential_energy", {}, [q], np.array(pin.computePotentialEnergy(case.pin, case.data, x))
    yield "joint_positions", {}, [q], some.A @ q + some.b


def of_structure(some: Known, q, qd, qdd, other) -> Iterator[Answer]:
    """M and its derivatives, the Coriolis matrix, and what they make of velocities."""
    M, C = some.mass_matrix(q), some.coriolis_matrix(q, qd)
    Gamma = np.stack([some.coriolis_matrix(q, unit) for unit in np.eye(some.n)], axis=-1)
    j, k = np.triu_indices(some.n, 1)
    yield "mass_matrix_dot", {}, [q, qd], C + C.T
    yield "coriolis_matrix", {}, [q, qd], C
    yield "christoffel", {}, [q], Gamma
    yield "centrifugal_coefficients", {}, [q], np.einsum("ijj->ij", Gamma)
    yield "coriolis_coefficients", {}, [q], 2.0 * Gamma[:, j, k]
    yield "generalized_momentum", {}, [q, qd], M @ qd
    yield "transposed_coriolis_forces", {}, [q, qd], C.T @ qd
    yield "transposed_coriolis_forces", {}, [q, qd, other], C.T @ other
    yield "kinetic_energy_derivatives", {}, [q, qd], (C.T @ qd, M @ qd)


def of_derivatives(some: Known, q, qd, qdd, tau, f_tip) -> Iterator[Answer]:
    """Of inverse and forward dynamics, under loads."""
    case, M = some.case, some.mass_matrix(q)
    f_ext = np.random.default_rng(140).normal(0.0, 5.0, (len(some.robot.link_names), 6))
    loads = case.on_links(f_ext)
    for k, on_tip in enumerate(case.external(f_tip)):
        loads[k] = loads[k] + on_tip
    given = [f_tip, None, None, f_ext]

    def by_state(qdd: np.ndarray) -> list[np.ndarray]:
        x, v = some.at(q, qd)
        found = pin.computeRNEADerivatives(case.pin, case.data, x, v, case.to_pin(some.A @ qdd), loads)
        return [some.matrix(matrix) for matrix in found[:2]]

    yield "inverse_dynamics_derivatives", {}, [q, qd, qdd, *given], (*by_state(qdd), M)
    pushed = some.inverse_dynamics(q, qd, np.zeros(some.n), loads)
    slopes = [-np.linalg.solve(M, matrix) for matrix in by_state(np.linalg.solve(M, tau - pushed))]
    yield "forward_dynamics_derivatives", {}, [q, qd, tau, *given], (*slopes, np.linalg.inv(M))


def of_frames(some: Known, q, qd, wrench) -> Iterator[Answer]:
    """Poses, Jacobians, their rates, and wrenches on frames."""
    case, links = some.case, some.robot.link_names[1:]
    yield "link_poses", {}, [q], np.array([np.eye(4), *(some.pose(q, name).homogeneous for name in links)])
    x, v = some.at(q, qd)
    for frame in dict.fromkeys((some.robot.tip, some.robot.link_names[0], links[0], links[len(links) // 2])):
        if not case.pin.existFrame(frame):
            continue  # Pinocchio has no name for the base of some trees
        index = case.pin.getFrameId(frame)
        yield "forward_kinematics", {"frame": frame}, [q], some.pose(q, frame).homogeneous
        for way, reference in WAYS.items():
            options = {"frame": frame, "expressed_in": way}
            pin.computeJointJacobiansTimeVariation(case.pin, case.data, x, v)
            pin.updateFramePlacements(case.pin, case.data)
            rate = pin.getFrameJacobianTimeVariation(case.pin, case.data, index, reference)[ANGULAR_FIRST]
            J = pin.computeFrameJacobian(case.pin, case.data, x, index, reference)[ANGULAR_FIRST]
            yield "jacobian_dot", options, [q, qd], some.columns(rate)
            yield "jacobian", options, [q], some.columns(J)
            yield "bias_acceleration", options, [q, qd], some.columns(rate) @ qd
    yield from of_wrenches(some, q, wrench)


def of_wrenches(some: Known, q, wrench) -> Iterator[Answer]:
    """A wrench on the tip, on a link and on the base, in all axes, as Pinocchio carries it to the link's frame."""
    robot, given = some.robot, pin.Force(wrench[3:], wrench[:3])
    on_base = [frame.name for frame in robot.model.frames if frame.link == robot.model.base]
    for name in (robot.tip, robot.link_names[-1], on_base[-1]):
        frame = robot.model.frame(name)
        T_0L, T_LF = some.pose(q, frame.link), pin.SE3(frame.pose.copy())
        to_link = {
            "body": T_LF,
            "space": T_0L.inverse(),
            "world": T_LF * pin.SE3((T_0L * T_LF).rotation.T, np.zeros(3)),
        }
        for way, T in to_link.items():
            rows, in_link = np.zeros((len(robot.link_names), 6)), T.act(given)
            rows[robot.link_names.index(frame.link)] = [*in_link.angular, *in_link.linear]
            yield "external_wrench", {"frame": name, "expressed_in": way}, [q, wrench], rows


def of_momentum(some: Known, q, qd, qdd) -> Iterator[Answer]:
    """Of the links alone; rotors do not count."""
    case, (x, v) = some.case, some.at(q, qd)
    pin.computeCentroidalMomentumTimeVariation(case.pin, case.data, x, v, case.to_pin(some.A @ qdd))
    h, rate = (np.concatenate([force.angular, force.linear]) for force in (case.data.hg, case.data.dhg))
    c = pin.centerOfMass(case.pin, case.data, x, v).copy()
    yield "center_of_mass", {}, [q], c
    yield "center_of_mass_velocity", {}, [q, qd], case.data.vcom[0].copy()
    yield "center_of_mass_jacobian", {}, [q], some.columns(pin.jacobianCenterOfMass(case.pin, case.data, x))
    matrix = some.columns(pin.ccrba(case.pin, case.data, x, v)[ANGULAR_FIRST])
    to_base = np.eye(6)
    to_base[:3, 3:] = np.cross(c, np.eye(3)).T  # k_0 = k_c + c x l
    for about, T in {"center_of_mass": np.eye(6), "base": to_base}.items():
        yield "momentum", {"about": about}, [q, qd], T @ h
        yield "momentum_rate", {"about": about}, [q, qd, qdd], T @ rate
        yield "momentum_matrix", {"about": about}, [q], T @ matrix


def of_links(some: Known, q, qd, qdd, f_tip) -> Iterator[Answer]:
    """The motion of every link, and what every joint transmits, in all axes."""
    case, robot = some.case, some.robot
    joints, rates, accelerations = some.A @ q + some.b, some.A @ qd, some.A @ qdd
    poses = {name: some.pose(q, name).rotation for name in robot.link_names}
    R = [poses[name] for name in robot.link_names[1:]]
    base = robot.model.links[0].inertia
    for felt in (False, True):
        at_rest = np.zeros((6, 3))
        at_rest[2:5] = -felt * np.outer([1.0, 1.0, base.mass], robot.gravity)
        of_link = one_motion(case, joints, rates, accelerations, felt)
        of_base = [[to_base @ row for to_base, row in zip(R, rows, strict=True)] for rows in of_link]
        for axes, rows in (("link", of_link), ("base", of_base)):
            answer = tuple(np.vstack([at_rest[k], rows[k]]) for k in range(6))
            yield "link_motion", {"expressed_in": axes, "minus_gravity": felt}, [q, qd, qdd], answer
    case.inverse_dynamics(joints, rates, accelerations, f_tip)
    places = [case.pin.frames[case.pin.getFrameId(joint.child)].placement for joint in robot.model.joints]
    found = [
        place.actInv(case.data.f[case.pin.getJointId(joint.name)])
        for place, joint in zip(places, robot.model.joints, strict=True)
    ]
    f, n = np.array([x.linear for x in found]), np.array([x.angular for x in found])
    for collar in ("child", "parent"):
        if collar == "parent":
            slides = [joint.kind == "prismatic" for joint in robot.model.joints]
            levers = np.array([x * joint.axis for x, joint in zip(joints, robot.model.joints, strict=True)])
            n = n + np.cross(levers, f) * np.array(slides)[:, None]
        for axes in ("link", "parent", "base"):
            turns = []
            for joint in robot.model.joints:
                to_base = poses[joint.child]
                turns.append({"link": np.eye(3), "parent": poses[joint.parent].T @ to_base, "base": to_base}[axes])
            rows = tuple(np.einsum("kij,kj->ki", turns, x) for x in (f, n))
            yield "joint_reactions", {"expressed_in": axes, "collar": collar}, [q, qd, qdd, f_tip], rows


def of_regressors(some: Known, q, qd, qdd) -> Iterator[Answer]:
    """Pinocchio's, its columns in the order of our joints, and those of the joints' own parameters."""
    case, A = some.case, some.A
    columns = np.concatenate([np.arange(10) + 10 * (case.pin.getJointId(j.name) - 1) for j in some.robot.model.joints])
    rates, accelerations = A @ qd, A @ qdd
    x, v = some.at(q, qd)

    def of_joints(model: pin.Model, x, v, a) -> np.ndarray:
        Y = pin.computeJointTorqueRegressor(model, model.createData(), x, v, a)
        return A.T @ Y.reshape(case.n, -1)[case.column][:, columns]

    Y = of_joints(case.pin, x, v, case.to_pin(accelerations))
    yield "regressor", {"armature": False}, [q, qd, qdd], Y
    extra = [A.T @ np.diag(factor) for factor in (accelerations, rates, np.sign(rates), np.ones(case.n))]
    everything = {"armature": True, "damping": True, "friction": True, "offset": True}
    yield "regressor", everything, [q, qd, qdd], np.hstack([Y, *extra])
    weightless = case.pin.copy()
    weightless.gravity.linear = np.zeros(3)
    momentum = of_joints(weightless, x, 0.0 * v, v)
    gradient = A.T @ lagrangian_gradients(case.pin, x, v)[case.column][:, columns]
    K = pin.computeKineticEnergyRegressor(case.pin, case.data, x, v)[columns]
    P = pin.computePotentialEnergyRegressor(case.pin, case.data, x)[columns]
    none = np.zeros(case.n)
    for armature in (False, True):
        options = {"armature": armature}
        rotors = [[A.T @ np.diag(rates)], [0.0 * A.T], [0.5 * rates**2], [none]] if armature else [[], [], [], []]
        yield "momentum_regressor", options, [q, qd], np.hstack([momentum, *rotors[0]])
        yield "lagrangian_gradient_regressor", options, [q, qd], np.hstack([gradient, *rotors[1]])
        yield "kinetic_energy_regressor", options, [q, qd], np.hstack([K, *rotors[2]])
        yield "potential_energy_regressor", options, [q], np.hstack([P, *rotors[3]])


def lagrangian_gradients(model: pin.Model, x, v) -> np.ndarray:
    """C^T v - g of Pinocchio for each of the ten parameters of every joint's body alone, in Pinocchio's order."""
    unit = np.array([1.0, 0, 0, 0, 1, 0, 1, 0, 0, 1])
    count = model.njoints - 1
    result = np.zeros((model.nv, 10 * count))
    for i in range(count):
        alone = model.copy()
        for k in range(alone.njoints):
            alone.inertias[k] = pin.Inertia.Zero()

        def of(parameters: np.ndarray, alone: pin.Model = alone, i: int = i) -> np.ndarray:
            alone.inertias[i + 1] = pin.Inertia.FromDynamicParameters(parameters)
            data = alone.createData()
            C = pin.computeCoriolisMatrix(alone, data, x, v)
            return C.T @ v - pin.computeGeneralizedGravity(alone, data, x)

        for k, e in enumerate(np.eye(10)):
            result[:, 10 * i + k] = of(unit + e) - of(unit)
    return result


def of_closed_form(some: Known, q, qd, qdd, f_tip) -> Iterator[Answer]:
    """Modern Robotics 8.60-8.75 as they are written, from Pinocchio's poses and the description's numbers."""
    model = some.robot.model
    poses = {model.base: np.eye(4)}
    for joint in model.joints:
        to_com = np.eye(4)
        to_com[:3, 3] = model.link(joint.child).inertia.com
        poses[joint.child] = some.pose(q, joint.child).homogeneous @ to_com
    answer = stacked(some, poses, qd, qdd, f_tip, np.zeros(6), np.zeros(6))
    yield "closed_form", {}, [q, qd, qdd, f_tip], answer


def stacked(some: Any, poses: dict[str, np.ndarray], qd, qdd, f_tip, twist, rate) -> tuple[np.ndarray, ...]:
    """The fields of a `ClosedForm`; ``poses`` are those of the centres of mass, and of the base."""
    model = some.robot.model
    size = 6 * len(model.joints)
    W, G, S = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, len(model.joints)))
    V_base, Vdot_base, F_tip = np.zeros((3, size))
    rows = {joint.child: np.s_[6 * k : 6 * k + 6] for k, joint in enumerate(model.joints)}
    for k, joint in enumerate(model.joints):
        here, inertia = rows[joint.child], model.link(joint.child).inertia
        inwards = Ad(np.linalg.inv(poses[joint.child]) @ poses[joint.parent])
        axis = [*joint.axis, 0, 0, 0] if joint.kind == "revolute" else [0, 0, 0, *joint.axis]
        from_com = np.eye(4)
        from_com[:3, 3] = -inertia.com
        S[here, k] = Ad(from_com) @ axis
        G[here, here] = np.block([[inertia.tensor, np.zeros((3, 3))], [np.zeros((3, 3)), inertia.mass * np.eye(3)]])
        if joint.parent == model.base:
            V_base[here], Vdot_base[here] = inwards @ twist, inwards @ (rate - [0, 0, 0, *model.gravity])
        else:
            W[here, rows[joint.parent]] = inwards
    tip = model.frame(model.tip)
    if f_tip is not None and tip.link != model.base:
        to_tip = np.linalg.inv(tip.pose)
        to_tip[:3, 3] += to_tip[:3, :3] @ model.link(tip.link).inertia.com
        F_tip[rows[tip.link]] = Ad(to_tip).T @ f_tip
    L = np.linalg.inv(np.eye(size) - W)
    A = S @ some.A
    V = L @ (A @ qd + V_base)
    ad_V, ad_Aqd = np.zeros((2, size, size))
    for k, place in enumerate(rows.values()):
        ad_V[place, place], ad_Aqd[place, place] = ad(V[place]), ad(S[place, k] * (some.A @ qd)[k])
    Vdot = L @ (A @ qdd - ad_Aqd @ (W @ V + V_base) + Vdot_base)
    F = L.T @ (G @ Vdot - ad_V.T @ G @ V + F_tip)
    return W, L, A, G, ad_V, ad_Aqd, V_base, Vdot_base, F_tip, V, Vdot, F


SKEW = ((0.3, -1.2, 0.7, 0.0, 0.0, 0.0), (0.2, 0.1, -0.4, 1.1, -0.6, 0.5))
POINT = (0.11, -0.23, 0.31)


def of_tasks(some: Known, q, qd, frame: str) -> Iterator[Answer]:
    """Task-space dynamics by dense algebra, of a free robot."""
    origin = (0.0, 0.0, 0.0)
    for components, way, point in (
        (("vx", "vz"), "body", POINT), (SKEW, "world", POINT), (("wy", *SKEW), "space", origin),
        (("vy", "wx"), "world", origin),
    ):  # fmt: skip
        options = {"frame": frame, "components": components, "expressed_in": way, "point": point}
        expected = task_space(some.case, q, qd, frame, point, components, way)
        yield "task_space", options, [q, qd], tuple(expected)
        if not any(point):
            yield "task_space", {k: v for k, v in options.items() if k != "point"}, [q, qd], tuple(expected)
        yield "task_space", options | {"damping": 0.4}, [q, qd], damped(some, q, qd, expected, 0.4)


def damped(some: Known, q, qd, task: Any, damping: float) -> tuple[np.ndarray, ...]:
    """With Lambda = (mobility + damping^2 1)^-1 and all that follows from it."""
    g = some.inverse_dynamics(q, 0.0 * qd, 0.0 * qd)
    c = some.inverse_dynamics(q, qd, 0.0 * qd) - g
    Lambda = np.linalg.inv(task.mobility + damping**2 * np.eye(len(task.mobility)))
    Jbar = np.linalg.solve(some.mass_matrix(q), task.J.T) @ Lambda
    mu, p = Jbar.T @ c - Lambda @ task.Jdot_qd, Jbar.T @ g
    N = np.eye(some.n) - task.J.T @ Jbar.T
    return Lambda, mu + p, mu, p, task.J, task.Jdot_qd, Jbar, N, task.mobility
