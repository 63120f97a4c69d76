"""Rotors known only at run time: "JOINT.armature" as an input, against robots that have them, Pinocchio and mpmath.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

import dataclasses

import numpy as np
import pinocchio as pin
import pytest
from mpmath import matrix, mp, mpf

import armdyn
from armdyn import Inertia, Part, Robot, UnknownName, algorithms
from armdyn.algorithms import Function
from oracles.cases import CASES, Case
from oracles.couplings import MAKERS, maker
from oracles.differences import first
from oracles.plain import compiled_unless_large, plainly
from oracles.short_run import each_once, short_run
from oracles.states import assert_close, random_states

COUNT = 5
FELT = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_mass_matrix",
    "kinetic_energy",
    "generalized_momentum",
    "kinetic_energy_derivatives",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
NOT_FELT = (
    "bias_forces",
    "gravity_forces",
    "velocity_forces",
    "coriolis_matrix",
    "christoffel",
    "mass_matrix_dot",
    "transposed_coriolis_forces",
    "potential_energy",
    "momentum",
    "momentum_rate",
    "joint_reactions",
    "regressor",
)


def with_rotors(robot: Robot, rotors: np.ndarray) -> Robot:
    """The robot that has these rotors."""
    joints = zip(robot.model.joints, rotors, strict=True)
    changed = tuple(dataclasses.replace(joint, armature=float(x)) for joint, x in joints)
    return Robot(robot.model.replace(joints=changed))


def names_of(robot: Robot) -> list[str]:
    return [f"{name}.armature" for name in robot.model.joint_names]


def by_name(robot: Robot, rotors: np.ndarray) -> dict[str, np.ndarray]:
    """A batch of rotors, shape (batch, joints), as the arrays of a call."""
    return dict(zip(names_of(robot), np.moveaxis(rotors, -1, 0), strict=True))


def rotors_for(robot: Robot, seed: int) -> np.ndarray:
    """Other ones for every state of a batch; some are none."""
    rng = np.random.default_rng(seed)
    size = (COUNT, len(robot.model.joints))
    return rng.uniform(0.05, 2.0, size) * (rng.random(size) < 0.8)


def arrays_for(function: Function, s: object) -> list[np.ndarray]:
    return [getattr(s, a.name) for a in function.arguments if not a.optional]


def assert_is_that_of_the_robots(robot: Robot, name: str, seed: int, **options: object) -> None:
    """An input does what the robot with that rotor does, state by state."""
    function, s, rotors = getattr(algorithms, name), random_states(robot.dof, COUNT, seed), rotors_for(robot, seed)
    arrays = arrays_for(function, s)
    varied = robot.compile(function, parameters=names_of(robot))
    actual = compiled_unless_large(varied, *arrays, **by_name(robot, rotors), **options)
    robots = [with_rotors(robot, x) for x in rotors]
    expected = [function(r.mechanism, *(x[k] for x in arrays), **options) for k, r in enumerate(robots)]  # in floats
    condition = max(np.linalg.cond(plainly(r, "mass_matrix", s.q[k : k + 1])[0]) for k, r in enumerate(robots))
    allowed = max(1e-12, 2e-15 * condition) if "forward" in name or "inverse_mass" in name else 1e-12
    results = actual if isinstance(actual, tuple) else (actual,)
    for k, result in enumerate(results):
        rows = np.array([x[k] for x in expected] if isinstance(actual, tuple) else expected, dtype=float)
        assert_close(result.reshape(COUNT, -1), rows.reshape(COUNT, -1), allowed)


@pytest.mark.short_run(
    without=(
        "random_tree-forward_dynamics_derivatives",
        "ur5-forward_dynamics",
        "ur5-forward_dynamics_derivatives",
        "ur5-inverse_dynamics_derivatives",
    )
)
@pytest.mark.parametrize(("case", "name"), each_once(["random_tree", "ur5"], FELT), indirect=["case"])
def test_inputs_are_what_the_robot_with_them_has(case: Case, name: str) -> None:
    assert_is_that_of_the_robots(case.robot, name, seed=461)


@pytest.mark.short_run(
    without=(
        "dense-forward_dynamics",
        "dense-inverse_dynamics",
        "dense-kinetic_energy",
        "dense-mass_matrix",
        "followers-inverse_dynamics",
        "followers-kinetic_energy",
        "followers-mass_matrix",
        "permuted-inverse_dynamics",
    )
)
@pytest.mark.parametrize(
    ("coupling", "name"),
    each_once(MAKERS, ["inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy"]),
)
def test_coupled_joints(coupling: str, name: str) -> None:
    """Parameters are of joints, not of the coordinates that move them."""
    assert_is_that_of_the_robots(maker(coupling).robot, name, seed=462)


@pytest.mark.parametrize("name", short_run(["ur5", "panda_fingers", "random_tree"], "ur5", "random_tree"))
def test_by_the_mass_matrix(name: str) -> None:
    assert_is_that_of_the_robots(CASES[name]().robot, "forward_dynamics", seed=463, method="mass_matrix")


def test_against_pinocchio(case: Case) -> None:
    robot, s, model = case.robot, random_states(case.n, COUNT, seed=464), case.pin.copy()
    rotors = rotors_for(robot, 464)
    tau = robot.compile(algorithms.inverse_dynamics, parameters=names_of(robot))
    M = robot.compile(algorithms.mass_matrix, parameters=names_of(robot))
    expected_tau, expected_M = [], []
    for k in range(COUNT):
        model.armature = case.to_pin(rotors[k])
        other = Case(case.name, robot, model)
        expected_tau.append(other.inverse_dynamics(s.q[k], s.qd[k], s.qdd[k]))
        whole = np.triu(pin.crba(model, other.data, case.pin_q(s.q[k])))
        expected_M.append((whole + np.triu(whole, 1).T)[np.ix_(case.column, case.column)])
    assert_close(tau(s.q, s.qd, s.qdd, **by_name(robot, rotors)), np.array(expected_tau))
    assert_close(M(s.q, **by_name(robot, rotors)), np.array(expected_M))


@pytest.mark.short_run("ur5")
def test_derivatives_of_what_is_linear_in_it(case: Case) -> None:
    """d tau/d a_k = e_k qdd_k, d K/d a_k = qd_k^2 / 2, d p/d a_k = e_k qd_k, d M/d a_k = e_k e_k^T, exactly."""
    robot, s, k = case.robot, random_states(case.n, COUNT, seed=465), case.n // 2
    name, e = names_of(robot)[k], np.eye(case.n)[k]
    by = robot.inverse_dynamics.derivative(name)
    np.testing.assert_array_equal(by(s.q, s.qd, s.qdd), s.qdd[:, k, None] * e)
    np.testing.assert_array_equal(robot.generalized_momentum.derivative(name)(s.q, s.qd), s.qd[:, k, None] * e)
    by_rotor = robot.mass_matrix.derivative(name)(s.q)
    np.testing.assert_array_equal(by_rotor, np.broadcast_to(np.outer(e, e), by_rotor.shape))
    np.testing.assert_allclose(robot.kinetic_energy.derivative(name)(s.q, s.qd), 0.5 * s.qd[:, k] ** 2, rtol=1e-15)
    assert str(by.op_counts) == "0"


def test_derivatives_of_coupled_joints() -> None:
    """d tau/d a_k = A^T e_k e_k^T A qdd."""
    pair = maker("dense")
    s, k = random_states(pair.robot.dof, COUNT, seed=466), 3
    actual = pair.robot.inverse_dynamics.derivative(names_of(pair.robot)[k])(s.q, s.qd, s.qdd)
    assert_close(actual, (s.qdd @ pair.A[k])[:, None] * pair.A[k])


@pytest.mark.short_run("random_tree-of a rotor-articulated", "random_tree-of none-mass_matrix")
@pytest.mark.parametrize("method", ["articulated", "mass_matrix"])
@pytest.mark.parametrize("geared", [False, True], ids=["of none", "of a rotor"])
@pytest.mark.parametrize("name", short_run(["ur5", "panda_locked", "random_tree"], "random_tree"))
def test_derivatives_of_accelerations_in_fifty_digits(name: str, geared: bool, method: str) -> None:
    """(M + diag(a)) qdd = tau - h, solved in 50 digits and differenced, where the robot's own M and h are exact."""
    bare = CASES[name]().robot
    n, rng = bare.dof, np.random.default_rng(467)
    rotors = rng.uniform(0.1, 1.0, n) if geared else np.zeros(n)
    robot, s = with_rotors(bare, rotors), random_states(n, 3, seed=468)
    by = robot.forward_dynamics.derivative(*names_of(robot))(s.q, s.qd, s.tau, method=method)
    for j in range(3):
        M, rest = bare.mass_matrix(s.q[j]), s.tau[j] - bare.bias_forces(s.q[j], s.qd[j])

        def accelerations(a: np.ndarray, M: np.ndarray = M, rest: np.ndarray = rest) -> np.ndarray:
            left = matrix(M.tolist()) + mp.diag(list(a))
            return np.array(list(mp.lu_solve(left, matrix(rest.tolist()))))

        expected = first(accelerations, np.array([mpf(float(x)) for x in rotors], dtype=object))
        actual = np.column_stack([one[j] for one in by])
        allowed = max(1e-12, 1e-15 * np.linalg.cond(M + np.diag(rotors)))
        assert_close(actual[None], np.asarray(expected, dtype=float)[None], allowed)


def test_second_and_directional_derivatives(ur5: Case) -> None:
    """d2 qdd/d a da and what it makes of a direction; d2 tau/d a dqdd is a column of zeros and one 1."""
    robot, s = with_rotors(ur5.robot, np.full(6, 0.3)), random_states(6, COUNT, seed=469)
    name = "elbow_joint.armature"
    mixed = robot.inverse_dynamics.derivative(name).derivative("qdd")(s.q, s.qd, s.qdd)
    np.testing.assert_array_equal(mixed, np.broadcast_to(np.outer(np.eye(6)[2], np.eye(6)[2]), (COUNT, 6, 6)))
    once = robot.forward_dynamics.derivative(name)
    second = once.derivative(name)(s.q, s.qd, s.tau)
    # d qdd = -M^-1 e (e . qdd) da, so d2 qdd = 2 M^-1 e (e . M^-1 e) (e . qdd) da da
    column = robot.inverse_mass_matrix(s.q)[:, :, 2]
    qdd = robot.forward_dynamics(s.q, s.qd, s.tau)
    assert_close(second, 2.0 * column * (column[:, 2] * qdd[:, 2])[:, None], 1e-11)
    rate = robot.forward_dynamics.jvp(name)(s.q, s.qd, s.tau, tangent_elbow_joint_armature=0.7)
    assert_close(rate, 0.7 * once(s.q, s.qd, s.tau))


@pytest.mark.parametrize("name", NOT_FELT)
def test_what_rotors_do_not_change_does_not_depend_on_them(ur5: Case, name: str) -> None:
    by = getattr(ur5.robot, name).derivative("elbow_joint.armature")
    assert str(by.op_counts) == "0"
    program = by.program()
    assert {program.nodes[result] for result in program.results} == {("const", 0.0)}


def test_columns_of_the_regressor(ur5: Case) -> None:
    """Asked for, they are the derivatives by the rotors, and Y pi is the inverse dynamics with any of them."""
    robot, s, rotors = ur5.robot, random_states(6, COUNT, seed=470), rotors_for(ur5.robot, 470)
    Y, pi = robot.regressor(s.q, s.qd, s.qdd, armature=True), robot.standard_parameters(armature=True)
    columns = [pi.names.index(name) for name in names_of(robot)]
    by = robot.inverse_dynamics.derivative(*names_of(robot))(s.q, s.qd, s.qdd)
    np.testing.assert_array_equal(Y[..., columns], np.stack(by, axis=-1))
    values = np.tile(pi.values, (COUNT, 1))
    values[:, columns] = rotors
    tau = robot.compile(algorithms.inverse_dynamics, parameters=names_of(robot))
    assert_close(np.einsum("bij,bj->bi", Y, values), tau(s.q, s.qd, s.qdd, **by_name(robot, rotors)))


def test_inertias_are_still_regrouped(ur5: Case) -> None:
    """Rotors as inputs cost a product and a sum each, that of the first joint a sum; links cost what they did.

    One product and one sum more, for two multiples of one number are one multiple where both factors are constants.
    """
    without = ur5.robot.inverse_dynamics.op_counts
    varied = ur5.robot.compile(algorithms.inverse_dynamics, parameters=names_of(ur5.robot)).op_counts
    assert varied.multiplications == without.multiplications + 5 + 1
    assert varied.additions == without.additions + 6 + 1


def test_beside_other_parameters(ur5: Case) -> None:
    """Of one body at once: its mass, a payload on it, the rotor of its joint; and gravity."""
    s, robot = random_states(6, COUNT, seed=471), ur5.robot
    names = ["forearm_link.mass", "elbow_joint.armature", "forearm_link.payload.mass", "gravity"]
    tau = robot.compile(algorithms.inverse_dynamics, parameters=names)
    g = np.array([0.3, -0.2, -5.0])
    actual = tau(
        s.q, s.qd, s.qdd, forearm_link_mass=2.5, elbow_joint_armature=0.7, forearm_link_payload_mass=1.5, gravity=g
    )
    own = robot.model.link("forearm_link").inertia
    links = tuple(
        armdyn.Link(link.name, Inertia(2.5, own.com, own.tensor)) if link.name == "forearm_link" else link
        for link in robot.model.links
    )
    other = with_rotors(Robot(robot.model.replace(links=links, gravity=g)), 0.7 * np.eye(6)[2])
    other = other.with_payload(Inertia.point(1.5, [0.0, 0.0, 0.0]), "forearm_link")
    assert_close(actual, other.inverse_dynamics(s.q, s.qd, s.qdd))


def test_a_joint_that_moves_nothing_but_its_rotor() -> None:
    """Without one no force decides its acceleration; as an input it may be there."""
    wheel = Robot.from_links([Part("wheel", "base", axis=(0, 0, 1))])
    with pytest.raises(armdyn.ModelError, match="moves no inertia"):
        wheel.forward_dynamics([0.0], [0.0], [1.0])
    for method in ("articulated", "mass_matrix"):
        spun = wheel.compile(algorithms.forward_dynamics, parameters=["joint_of_wheel.armature"])
        qdd = spun([0.0], [0.0], [1.0], joint_of_wheel_armature=[0.5, 0.25], method=method)
        np.testing.assert_array_equal(qdd, [[2.0], [4.0]])


def test_within_constraints() -> None:
    rail = armdyn.constraints.PointOnPlane("tip", normal=(0, 1, 0), through=(0.0, 1.0, 0.0), name="rail")
    arm = armdyn.load("planar_2r").with_constraints(rail)
    q, qd, tau = np.array([0.0, np.pi / 2]), np.zeros(2), np.array([1.0, 2.0])
    moved = arm.compile(armdyn.constraints.constrained_forward_dynamics, parameters=names_of(arm))
    actual = moved(q, qd, tau, **by_name(arm, np.array([0.3, 0.8])))
    expected = with_rotors(arm, np.array([0.3, 0.8])).constrained_forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(actual.qdd, expected.qdd, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(actual.multipliers, expected.multipliers, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("elbow_joint.armatur", r"no parameter 'elbow_joint\.armatur' .* Did you mean 'elbow_joint\.armature'\?"),
        ("elbow.armature", r"no parameter 'elbow\.armature' in 'ur5' \(58 parameters\)\. Did you mean 'elbow_joint\.a"),
        ("elbow_joint.mass", r"'elbow_joint' is a joint, and the mass .* Did you mean 'forearm_link\.mass'\?"),
        ("forearm_link.armature", r"'forearm_link' is a link, and armature .* Did you mean 'elbow_joint\.armature'\?"),
        ("armature", r"Known: gravity, shoulder_link\.mass, .*, shoulder_pan_joint\.armature, "),
        ("tool0.payload.armature", r"no parameter 'tool0\.payload\.armature'"),
        ("wrist_3_link-tool0_fixed_joint.armature", r"no parameter 'wrist_3_link-tool0_fixed_joint\.armature'"),
    ],
)
def test_names_that_are_none(ur5: Case, name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        ur5.robot.compile(algorithms.inverse_dynamics, parameters=[name])


def test_a_joint_and_its_link_of_one_name() -> None:
    """The quantity says which is meant."""
    rod = Inertia.point(2.0, [1.0, 0.0, 0.0])
    arm = Robot.from_links([Part("arm", "base", axis=(0, 0, 1), joint="arm", inertia=rod)])
    assert arm.joint_names == ("arm",)
    tau = arm.compile(algorithms.inverse_dynamics, parameters=["arm.mass", "arm.armature"])
    np.testing.assert_allclose(tau([0.3], [1.0], [2.0], arm_mass=3.0, arm_armature=0.5), [7.0], rtol=1e-15)
