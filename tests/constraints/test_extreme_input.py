# ruff: noqa: E501 - messages stand whole on their lines
"""Numbers of extreme size, settings that are none, arms without inertia, constraints within one body."""

import mpmath
import numpy as np
import pytest
from linkages import four_bar

import armdyn
from armdyn import constraints as c
from oracles.states import assert_close

NAN = float("nan")
CHANNEL = c.PointOnPlane("tip", (1, 0, 0), (1, 0, 0), name="channel")
ON_CHANNEL = [-np.pi / 3, 2 * np.pi / 3]


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("planar_2r").with_constraints(CHANNEL)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e-160, 1.0, 3.7, 1e160, 1.2e308])
def test_directions_of_any_length(size):
    normal = c.PointOnPlane("tip", (size, size, 0)).normal
    assert_close(np.array(normal), np.sqrt([0.5, 0.5, 0.0]), 1e-15)
    assert c.PointOnLine("tip", (0, 0, -size)).direction == (0.0, 0.0, -1.0)
    assert c.hinge("tip", axis=(size, 0, 0)).pose == c.hinge("tip", axis=(1, 0, 0)).pose


def test_lengths_do_not_change_a_digit():
    rng = np.random.default_rng(5)
    for v in rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-6, 6, size=(200, 1)):
        with mpmath.workdps(40):
            length = mpmath.sqrt(sum(mpmath.mpf(x) ** 2 for x in v))
            assert c.PointOnPlane("tip", v).normal == tuple(float(x / length) for x in v)


def test_a_long_normal_forbids_what_a_short_one_does(arm):
    long = armdyn.load("planar_2r").with_constraints(c.PointOnPlane("tip", (1e200, 0, 0), (1, 0, 0)))
    np.testing.assert_array_equal(long.constraint_jacobian(ON_CHANNEL), arm.constraint_jacobian(ON_CHANNEL))
    assert np.abs(long.constraint_jacobian(ON_CHANNEL)).max() > 0.8


SETTINGS = [
    ({"tolerance": NAN}, "tolerance is nan; expected a number of at least zero"),
    ({"tolerance": -1e-6}, "tolerance is -1e-06; expected a number of at least zero"),
    ({"tolerance": "1e-6"}, "tolerance is '1e-6'; expected"),
    ({"tolerance": True}, "tolerance is True; expected"),
    ({"tolerance": None}, "tolerance is None; expected"),
    ({"rank_tolerance": NAN}, "rank_tolerance is nan; expected a number of at least zero and below 1"),
    ({"rank_tolerance": 1.0}, "rank_tolerance is 1.0; expected"),
    ({"rank_tolerance": -1e-9}, "rank_tolerance is -1e-09; expected"),
]
GAINS = [
    ({"damping": NAN}, "damping is nan; expected a number of at least zero"),
    ({"damping": -1.0}, "damping is -1.0; expected"),
    ({"damping": "2"}, "damping is '2'; expected"),
    ({"stiffness": np.inf}, "stiffness is inf; expected"),
    ({"stiffness": [1.0, 2.0]}, r"stiffness is \[1.0, 2.0\]; expected"),
]


@pytest.mark.parametrize(("options", "message"), SETTINGS + GAINS)
def test_settings_of_forward_dynamics(arm, options, message):
    with pytest.raises(c.ConstraintError, match=message):
        arm.constrained_forward_dynamics([0.3, 0.2], [0, 0], [0, 0], **options)


@pytest.mark.parametrize(("options", "message"), SETTINGS)
def test_settings_of_the_other_functions(arm, options, message):
    q = ON_CHANNEL
    if "tolerance" in options:
        calls = [
            lambda: arm.close_loop(q, **options),
            lambda: arm.close_velocities(q, [1, 1], **options),
            lambda: arm.close_accelerations(q, [0, 0], [1, 1], **options),
        ]
    else:
        calls = [
            lambda: arm.constraint_rank(q, **options),
            lambda: arm.with_independent_constraints(q, **options),
        ]
    for call in [*calls, lambda: arm.actuator_forces(q, [0, 0], [0, 0], actuated=["joint_1"], **options)]:
        with pytest.raises(c.ConstraintError, match=message):
            call()


def test_infinite_tolerance_takes_states_as_they_are(arm):
    assert np.isfinite(arm.constrained_forward_dynamics([0.3, 0.2], [1, 0], [0, 0], tolerance=np.inf).qdd).all()
    with pytest.raises(c.OpenLoop):
        arm.constrained_forward_dynamics([0.3, 0.2], [0, 0], [0, 0])


def weightless_crank(extra: float = 0.0) -> armdyn.Robot:
    """A massless link that carries a point mass at the end of a second: stretched out, M is singular."""
    parts = [
        armdyn.Part("upper", "base", "revolute", axis=(0, 0, 1), inertia=armdyn.Inertia(extra, [1, 0, 0], np.zeros((3, 3)))),
        armdyn.Part("fore", "upper", "revolute", axis=(0, 0, 1), xyz=(1, 0, 0), inertia=armdyn.Inertia(1.0, [1, 0, 0], np.zeros((3, 3)))),
    ]  # fmt: skip
    return armdyn.Robot.from_links(parts, tip="fore", name="weightless")


def coupled(extra: float = 0.0) -> armdyn.Robot:
    robot = weightless_crank(extra)
    upper, fore = robot.joint_names
    return robot.with_constraints(c.JointCoupling({upper: 1.0, fore: 1.0}, name="both"))


def test_a_singular_mass_matrix_is_named():
    robot, rest, stretched = coupled(), np.zeros(2), np.zeros(2)
    message = r"the mass matrix of 'weightless' is singular at q: joints '\w+', '\w+' can move with no inertia"
    calls = [
        lambda: robot.constrained_forward_dynamics(stretched, rest, rest),
        lambda: robot.close_velocities(stretched, [1.0, 0.0]),
        lambda: robot.close_accelerations(stretched, rest, [1.0, 0.0]),
    ]
    for call in calls:
        with pytest.raises(armdyn.ModelError, match=message):
            call()
    with pytest.raises(armdyn.ModelError, match=r"singular at q of state 1: "):
        robot.close_velocities([[0.5, -0.5], [0.0, 0.0]], [1.0, 0.0])
    with pytest.raises(armdyn.ModelError, match=r"singular at q of state 1: "):
        robot.constrained_forward_dynamics([[0.5, -0.5], [0.0, 0.0]], rest, rest)


def test_what_has_a_little_inertia_is_solved():
    robot = coupled(1e-6)
    motion = robot.constrained_forward_dynamics(np.zeros(2), np.zeros(2), [0.0, 0.0])
    assert_close(motion.qdd.sum(), 0.0, 1e-9)
    assert_close(robot.close_velocities(np.zeros(2), [1.0, 0.0]).sum(), 0.0, 1e-9)


def test_a_held_joint_needs_no_inertia():
    robot = coupled()
    upper, _ = robot.joint_names
    assert_close(robot.close_velocities(np.zeros(2), [1.0, 0.0], locked=[upper]), np.array([1.0, -1.0]), 1e-12)


WITHIN = [
    lambda: c.Distance("tip", "tip", 1.0),
    lambda: c.weld("tip", "link_2"),
    lambda: c.ball("link_2", "tip", point=(1, 0, 0)),
    lambda: c.hinge("link_1", "link_1"),
    lambda: c.PointOnPlane("tip", (1, 0, 0), of="link_2"),
    lambda: c.PointOnLine("tip", (1, 0, 0), of="tip"),
    lambda: c.RowsOf(c.weld("tip", "link_2", name="w"), ["w: x"]),
]


@pytest.mark.parametrize("make", WITHIN)
def test_constraints_within_one_link(make):
    with pytest.raises(
        armdyn.ModelError,
        match=r"(on link 'link_2' of 'planar_2r': no joint moves one against|is between frame '\w+' and itself)",
    ):
        armdyn.load("planar_2r").with_constraints(make())


def test_a_constraint_of_the_base_to_itself():
    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.ModelError, match=r"is between .* on link"):
        robot.with_constraints(c.PointOnPlane(robot.model.base, (1, 0, 0)))


@pytest.mark.parametrize("equations", [1, None, 2.5, [1], [""]])
@pytest.mark.parametrize("kind", [c.Holonomic, c.Pfaffian])
def test_names_of_equations(kind, equations):
    with pytest.raises(armdyn.ModelError, match=r"equations of constraint 'own' are .*; expected a name for each"):
        kind(lambda model, q: q[0], equations, name="own")


def test_states_that_are_none_give_none():
    robot = four_bar()
    q = robot.close_loop([0.4, 0.3, 1.2], locked=["joint_of_crank"])
    qs = np.array([q, [NAN, 0.0, 0.0], q])
    still = np.zeros(3)
    driven = robot.actuator_forces(qs, still, still, actuated=["joint_of_crank"])
    alone = robot.actuator_forces(q, still, still, actuated=["joint_of_crank"])
    assert np.isnan(driven.tau[1]).all()
    assert np.isnan(driven.multipliers[1]).all()
    assert_close(driven.tau[[0, 2]], np.array([alone.tau] * 2), 1e-12)
    rates = robot.close_velocities(qs, [1.0, 0.2, 0.1])
    assert np.isnan(rates[1]).all()
    assert_close(rates[2], robot.close_velocities(q, [1.0, 0.2, 0.1]), 1e-12)
    assert np.isnan(robot.actuator_forces([NAN, 1, 1], still, still, actuated=["joint_of_crank"]).tau).all()
