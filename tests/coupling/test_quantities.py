"""Every quantity of a coupled robot is that of the robot with its joints free, and the map done in NumPy."""

import inspect
import pickle

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from armdyn.algorithms import Function
from armdyn.model.coupling import Coupling
from armdyn.program import interpret
from oracles.couplings import MAKERS, Coupled, maker
from oracles.plain import plainly
from oracles.short_run import short_run
from oracles.states import as_tuple, assert_close, general_arguments

COUNT = 6


@pytest.fixture(params=short_run(MAKERS, "dense", "followers", "differential"))
def pair(request: pytest.FixtureRequest) -> Coupled:
    return maker(request.param)


class State:
    """A general state of the coordinates, and what else acts."""

    def __init__(self, pair: Coupled, seed: int = 31) -> None:
        rng = np.random.default_rng(seed)
        n = pair.robot.dof
        self.q, self.qd, self.qdd = rng.uniform(-2.0, 2.0, (COUNT, n)), *rng.normal(0.0, 1.5, (2, COUNT, n))
        self.tau = rng.normal(0.0, 20.0, (COUNT, n))
        self.f_tip, self.V, self.Vdot = rng.normal(0.0, 3.0, (3, COUNT, 6))
        self.f_ext = rng.normal(0.0, 5.0, (COUNT, len(pair.robot.link_names), 6))
        self.joints = (pair.joints(self.q), pair.rates(self.qd), pair.rates(self.qdd))

    @property
    def outer(self) -> dict[str, np.ndarray]:
        return {"f_tip": self.f_tip, "base_twist": self.V, "base_twist_rate": self.Vdot, "f_ext": self.f_ext}


def test_joint_positions(pair: Coupled) -> None:
    s = State(pair)
    assert_close(pair.robot.joint_positions(s.q), s.joints[0], 1e-14)
    assert_close(pair.free.joint_positions(s.joints[0]), s.joints[0], 0.0)


@pytest.mark.short_run("dense", "differential")
def test_inverse_dynamics(pair: Coupled) -> None:
    s = State(pair)
    joint_forces = plainly(pair.free, "inverse_dynamics", *s.joints, **s.outer)
    # what cancels in the sum is good to the size of what is summed
    size = np.abs(joint_forces) @ np.abs(pair.A)
    actual = pair.robot.inverse_dynamics(s.q, s.qd, s.qdd, **s.outer)
    assert (np.abs(actual - pair.forces(joint_forces)) / size.max(axis=1, keepdims=True)).max() < 1e-13


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("bias_forces", ("q", "qd")),
        ("gravity_forces", ("q",)),
        ("velocity_forces", ("q", "qd")),
        ("tip_forces", ("q", "f_tip")),
    ],
)
def test_parts_of_the_joint_forces(pair: Coupled, name: str, takes: tuple[str, ...]) -> None:
    s = State(pair)
    of_joints = {"q": s.joints[0], "qd": s.joints[1], "f_tip": s.f_tip}
    joint_forces = plainly(pair.free, name, *(of_joints[x] for x in takes))
    size = (np.abs(joint_forces) @ np.abs(pair.A)).max(axis=1, keepdims=True)
    actual = getattr(pair.robot, name)(*(getattr(s, x) for x in takes))
    assert (np.abs(actual - pair.forces(joint_forces)) / size).max() < 1e-13


def test_mass_matrix(pair: Coupled) -> None:
    """A^T M A, rotors included, both triangles."""
    s = State(pair)
    M = pair.robot.mass_matrix(s.q)
    assert_close(M, pair.A.T @ plainly(pair.free, "mass_matrix", s.joints[0]) @ pair.A)
    np.testing.assert_array_equal(M, np.swapaxes(M, 1, 2))


@pytest.mark.short_run("differential")
def test_forward_dynamics(pair: Coupled) -> None:
    s = State(pair)
    M = pair.A.T @ plainly(pair.free, "mass_matrix", s.joints[0]) @ pair.A
    still = (s.joints[0], s.joints[1], np.zeros_like(s.joints[0]))
    rest = pair.forces(plainly(pair.free, "inverse_dynamics", *still, **s.outer))
    expected = np.linalg.solve(M, (s.tau - rest)[..., None])[..., 0]
    actual = pair.robot.forward_dynamics(s.q, s.qd, s.tau, **s.outer)
    assert_close(actual, expected, max(1e-12, 1e-15 * np.linalg.cond(M).max()))


def test_forward_dynamics_undoes_inverse_dynamics(pair: Coupled) -> None:
    s = State(pair)
    tau = pair.robot.inverse_dynamics(s.q, s.qd, s.qdd, **s.outer)
    M = pair.robot.mass_matrix(s.q)
    amplified = np.linalg.cond(M).max() * np.abs(tau).max() / np.abs(np.einsum("kij,kj->ki", M, s.qdd)).max()
    assert_close(pair.robot.forward_dynamics(s.q, s.qd, tau, **s.outer), s.qdd, max(1e-12, 1e-15 * amplified))


@pytest.mark.parametrize("expressed_in", ["body", "space", "world"])
def test_jacobians(pair: Coupled, expressed_in: str) -> None:
    """J A and Jdot A, of frames far out and far in; the base does not move."""
    s = State(pair)
    for frame in ("tool", "link1", "base") if "tool" in pair.robot.frame_names else ("skew", "end", "base"):
        options = {"frame": frame, "expressed_in": expressed_in}
        free = plainly(pair.free, "jacobian", s.joints[0], **options)
        scale = max(1.0, np.abs(free).max() * np.abs(pair.A).max())
        assert_close(pair.robot.jacobian(s.q, **options), free @ pair.A, 1e-12, floor=scale)
        free = plainly(pair.free, "jacobian_dot", *s.joints[:2], **options)
        scale = max(1.0, np.abs(free).max() * np.abs(pair.A).max())
        assert_close(plainly(pair.robot, "jacobian_dot", s.q, s.qd, **options), free @ pair.A, 1e-12, floor=scale)


@pytest.mark.short_run("differential")
def test_poses_and_motions_are_those_of_the_joints(pair: Coupled) -> None:
    s = State(pair)
    for name, takes in (("forward_kinematics", 1), ("link_poses", 1), ("kinetic_energy", 2), ("potential_energy", 1)):
        actual = getattr(pair.robot, name)(*(s.q, s.qd, s.qdd)[:takes])
        assert_close(actual, plainly(pair.free, name, *s.joints[:takes]), 1e-12)
    base = {"base_twist": s.V, "base_twist_rate": s.Vdot}
    actual = pair.robot.link_motion(s.q, s.qd, s.qdd, **base)
    expected = plainly(pair.free, "link_motion", *s.joints, **base)
    for one, other in zip(actual, expected, strict=True):
        assert_close(one, other, 1e-12)
    expected = plainly(pair.free, "kinetic_energy", *s.joints[:2], s.V)
    assert_close(pair.robot.kinetic_energy(s.q, s.qd, s.V), expected, 1e-12)
    way = {"frame": pair.robot.tip, "expressed_in": "world"}
    expected = plainly(pair.free, "external_wrench", s.joints[0], s.f_tip, **way)
    assert_close(pair.robot.external_wrench(s.q, s.f_tip, **way), expected, 1e-12)


def test_joint_reactions_are_those_of_the_joints(pair: Coupled) -> None:
    """A row a joint, in the order of the model; the coupling's own forces go between joints, not through them."""
    s = State(pair)
    actual = pair.robot.joint_reactions(s.q, s.qd, s.qdd, **s.outer)
    expected = plainly(pair.free, "joint_reactions", *s.joints, **s.outer)
    assert actual.f.shape == (COUNT, len(pair.free.model.joints), 3)
    for one, other in zip(actual, expected, strict=True):
        assert_close(one, other, 1e-12)


def test_power_is_the_same_on_both_sides(pair: Coupled) -> None:
    s = State(pair)
    joint_power = plainly(pair.free, "inverse_dynamics", *s.joints) * s.joints[1]
    power = np.sum(pair.robot.inverse_dynamics(s.q, s.qd, s.qdd) * s.qd, axis=1)
    assert (np.abs(power - joint_power.sum(axis=1)) / np.abs(joint_power).sum(axis=1)).max() < 1e-12


def test_kinetic_energy_is_that_of_the_mass_matrix(pair: Coupled) -> None:
    s = State(pair)
    expected = 0.5 * np.einsum("ki,kij,kj->k", s.qd, pair.robot.mass_matrix(s.q), s.qd)
    assert_close(pair.robot.kinetic_energy(s.q, s.qd), expected, 1e-12)


MAPPED = {
    "coriolis_matrix": "xy,xa,yb->ab",
    "mass_matrix_dot": "xy,xa,yb->ab",
    "christoffel": "xyz,xa,yb,zc->abc",
    "generalized_momentum": "x,xa->a",
    "momentum_matrix": "ix,xa->ia",
    "center_of_mass_jacobian": "ix,xa->ia",
    "momentum": "i->i",
    "center_of_mass": "i->i",
    "center_of_mass_velocity": "i->i",
}
"""What the map does to a quantity: one A for each index that counts joints."""


@pytest.mark.short_run(without=("dense-christoffel", "followers-center_of_mass"))
@pytest.mark.parametrize("name", MAPPED)
def test_what_counts_joints_is_mapped(pair: Coupled, name: str) -> None:
    s, indices = State(pair), MAPPED[name]
    arity = len([a for a in getattr(algorithms, name).arguments if not a.optional])
    of_joints = plainly(pair.free, name, *s.joints[:arity])
    times = indices.count(",")
    actual = getattr(pair.robot, name)(*(s.q, s.qd)[:arity])
    expected = np.array([np.einsum(indices, row, *[pair.A] * times) for row in of_joints])
    scale = np.abs(of_joints).max() * max(1.0, np.abs(pair.A).max()) ** times
    assert_close(actual, expected, 1e-12, floor=scale)


def test_inverse_mass_matrix(pair: Coupled) -> None:
    s = State(pair)
    M = pair.A.T @ plainly(pair.free, "mass_matrix", s.joints[0]) @ pair.A
    assert_close(pair.robot.inverse_mass_matrix(s.q), np.linalg.inv(M), max(1e-12, 1e-15 * np.linalg.cond(M).max()))


@pytest.mark.short_run("followers", "differential")
def test_coefficients_of_the_velocities_give_the_velocity_forces(pair: Coupled) -> None:
    """c = B [qd_j qd_k, j < k] + C [qd_j^2], in the coordinates."""
    s, n = State(pair), pair.robot.dof
    j, k = np.triu_indices(n, 1)
    c = np.einsum("kij,kj->ki", pair.robot.centrifugal_coefficients(s.q), s.qd**2)
    if n > 1:  # one coordinate has no pairs
        c += np.einsum("kip,kp->ki", pair.robot.coriolis_coefficients(s.q), s.qd[:, j] * s.qd[:, k])
    assert_close(c, pair.robot.velocity_forces(s.q, s.qd), 1e-11)


FUNCTIONS = {
    name: f
    for name in (
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "jacobian",
        "joint_reactions",
        "joint_positions",
    )
    if isinstance(f := getattr(algorithms, name), Function)
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_floats_traced_and_compiled_agree(name: str, pair: Coupled) -> None:
    function, method = FUNCTIONS[name], getattr(pair.robot, name)
    given = general_arguments(function, pair.robot, count=3, seed=72)
    plain = [as_tuple(function(pair.robot.mechanism, *x)) for x in zip(*given.values(), strict=True)]
    expected = [np.array(results, dtype=float) for results in zip(*plain, strict=True)]
    interpreted = interpret(method.program(optional_inputs=given), *given.values())
    compiled = as_tuple(method(*given.values()))
    M = pair.robot.mass_matrix(given["q"])
    relative = max(1e-12, 1e-15 * np.linalg.cond(M).max() if name == "forward_dynamics" else 0.0)
    for one, two, three in zip(expected, interpreted, compiled, strict=True):
        assert_close(two, one, relative)
        assert_close(three, one, relative)


def test_a_coupled_robot_pickles_and_has_a_fingerprint_of_its_own(pair: Coupled) -> None:
    back = pickle.loads(pickle.dumps(pair.robot))  # noqa: S301
    assert back == pair.robot
    assert back.joint_names == pair.robot.joint_names
    assert len({pair.robot, pair.free, back}) == 2
    moved = armdyn.Robot(
        pair.robot.model.replace(coupling=Coupling(pair.robot.model.coordinates, pair.A, pair.b + 1e-9))
    )
    assert moved != pair.robot


@pytest.mark.short_run("differential")
def test_derived_robots_stay_coupled(pair: Coupled) -> None:
    s, g = State(pair), np.array([1.0, -2.0, 3.0])
    assert_close(
        pair.robot.with_gravity(g).gravity_forces(s.q),
        pair.forces(plainly(pair.free.with_gravity(g), "gravity_forces", s.joints[0])),
    )
    other = pair.robot.link_names[2]
    poses = plainly(pair.free.with_tip(other), "forward_kinematics", s.joints[0])
    assert_close(pair.robot.with_tip(other).forward_kinematics(s.q), poses)
    load = armdyn.inertia.box((0.1, 0.2, 0.3), mass=2.5).at([0.1, 0.2, 0.3])
    loaded = pair.robot.with_payload(load, pair.robot.tip)
    expected = pair.forces(plainly(pair.free.with_payload(load), "inverse_dynamics", *s.joints))
    assert_close(loaded.inverse_dynamics(s.q, s.qd, s.qdd), expected)
    assert pair.robot.without_couplings() == pair.free


def test_parameters_of_a_coupled_robot(pair: Coupled) -> None:
    s = State(pair)
    link = pair.robot.link_names[-1]
    varied, free = (
        robot.compile(algorithms.inverse_dynamics, parameters=[f"{link}.mass", "gravity"])
        for robot in (pair.robot, pair.free)
    )
    outer = (None, None, None, None, np.array([0.3, 1.7, 2.0, 5.0, 0.0, 9.0]), np.array([1.0, 2.0, 3.0]))
    assert_close(varied(s.q, s.qd, s.qdd, *outer), pair.forces(free(*s.joints, *outer)))


def test_signatures_say_nothing_of_couplings() -> None:
    assert list(inspect.signature(maker("dense").robot.inverse_dynamics).parameters)[:3] == ["q", "qd", "qdd"]


def test_a_coupling_of_other_joints_is_refused() -> None:
    pair = maker("followers")
    coordinates = pair.robot.model.coupling.coordinates
    robot = armdyn.Robot(pair.free.model.replace(coupling=Coupling(coordinates, pair.A[1:], pair.b[1:])))
    with pytest.raises(armdyn.ShapeError, match="the coupling has 7 rows; expected 8, one a joint"):
        robot.mass_matrix(np.zeros(3))


def test_it_says_what_it_counts() -> None:
    assert "3 coordinates of 8 joints (motor_0, motor_1, motor_2)" in repr(maker("followers").robot)
    assert "8 joints" in repr(maker("followers").free)


def test_errors_name_the_coordinates() -> None:
    robot = maker("followers").robot
    with pytest.raises(
        armdyn.ShapeError, match=r"q has shape \(8,\); expected \(..., 3\), one value per coordinate .*motor_0 motor_1"
    ):
        robot.mass_matrix(np.zeros(8))
