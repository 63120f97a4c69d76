"""Springs whose numbers are inputs of a function: as a robot with these numbers, and derivatives by them."""

import dataclasses

import numpy as np
import pytest

import armdyn
from armdyn import UnknownName
from armdyn.actuators import (
    Actuator,
    Spring,
    Viscous,
    flexible_forward_dynamics,
    flexible_inverse_dynamics,
    spring_deflections,
    spring_energy,
)
from oracles.flexible import flexible, springs_for
from oracles.states import assert_close

BARE = armdyn.load("ur5")
ROBOT = flexible(BARE, springs_for(BARE, 91, damped=True), Viscous(0.3))
JOINTS = ("wrist_1_joint", "shoulder_pan_joint")
QUANTITIES = ("stiffness", "damping", "cubic")
NAMES = tuple(f"{joint}.spring.{quantity}" for joint in JOINTS for quantity in QUANTITIES)
NUMBERS = (517.0, 2.1, 3300.0, 291.0, 0.7, 1700.0)
GIVEN = dict(zip(NAMES, NUMBERS, strict=True))
RNG = np.random.default_rng(92)
STATE = 0.7 * RNG.normal(size=(5, 6))
STATE[2] = STATE[0] + 0.1 * STATE[2]  # theta


def with_springs(numbers: tuple[float, ...]) -> armdyn.Robot:
    """The robot whose springs have these numbers."""
    springs = {joint: Spring(*numbers[3 * k : 3 * k + 3]) for k, joint in enumerate(JOINTS)}
    old = {joint.name: joint.actuator for joint in ROBOT.joints}
    return ROBOT.with_actuators(
        {joint: dataclasses.replace(old[joint], spring=spring) for joint, spring in springs.items()}
    )


def forward(robot: armdyn.Robot) -> np.ndarray:
    return np.concatenate(robot.flexible_forward_dynamics(*STATE))


def test_the_robot_has_the_parameters() -> None:
    values = ROBOT.model.springs
    assert values["wrist_1_joint.spring.stiffness"] == ROBOT.model.joint("wrist_1_joint").actuator.spring.stiffness
    assert len(values) == 4 * sum(joint.has_spring for joint in ROBOT.joints)
    with pytest.raises(UnknownName, match=r"no parameter 'elbow_joint\.spring\.bend'"):
        ROBOT.compile(flexible_forward_dynamics, parameters=["elbow_joint.spring.bend"])
    with pytest.raises(UnknownName, match=r"no parameter 'elbow_joint\.spring\.stiffness'"):
        ROBOT.without_springs().compile(flexible_forward_dynamics, parameters=["elbow_joint.spring.stiffness"])


def test_forward_dynamics() -> None:
    found = ROBOT.compile(flexible_forward_dynamics, parameters=NAMES)(*STATE, **GIVEN)
    assert_close(np.concatenate(found)[None], forward(with_springs(NUMBERS))[None], 1e-13)


def test_inverse_dynamics_energy_and_deflections() -> None:
    q, qd, qdd, jerk, snap = RNG.normal(size=(5, 6))
    x, f_tip = 0.05 * RNG.normal(size=6), RNG.normal(size=6)
    other = with_springs(NUMBERS)
    found = ROBOT.compile(flexible_inverse_dynamics, parameters=NAMES)(q, qd, qdd, jerk, snap, x, f_tip, **GIVEN)
    for one, expected in zip(found, other.flexible_inverse_dynamics(q, qd, qdd, jerk, snap, x, f_tip), strict=True):
        assert_close(one[None], expected[None], 1e-12)
    names, numbers = (NAMES[0], NAMES[2]), (NUMBERS[0], NUMBERS[2])
    elastic = ROBOT.with_actuators(
        {JOINTS[1]: dataclasses.replace(ROBOT.model.joint(JOINTS[1]).actuator, spring=Spring(*NUMBERS[3:]))}
    )
    elastic = elastic.with_actuators(
        {JOINTS[0]: dataclasses.replace(ROBOT.model.joint(JOINTS[0]).actuator, spring=Spring(9.0))}
    )
    energy = elastic.compile(spring_energy, parameters=names)(q, q + x, *numbers)
    assert energy == pytest.approx(other.spring_energy(q, q + x), rel=1e-14)
    bent = elastic.compile(spring_deflections, parameters=names)(f_tip, *numbers)
    assert_close(bent[None], other.spring_deflections(f_tip)[None], 1e-13)


@pytest.mark.slow
def test_derivatives_in_closed_form() -> None:
    """d thetadd/d(k, d, c) = -(x, xd, x^3)/B, and d qdd/d(k, d, c) = M^-1 e (x, xd, x^3)."""
    q, qd, theta, thetad, _ = STATE
    compiled = ROBOT.compile(flexible_forward_dynamics, parameters=NAMES)
    x, xd = theta - q, thetad - qd
    stiff = {joint.name for joint in ROBOT.joints if not joint.has_spring}
    bare = BARE.with_armature({name: ROBOT.model.joint(name).armature for name in stiff})
    inverse = np.linalg.inv(bare.mass_matrix(q))
    for place, joint in enumerate(JOINTS):
        i = ROBOT.joint_names.index(joint)
        B = ROBOT.model.joint(joint).armature
        for name, by in zip(NAMES[3 * place :], (x[i], xd[i], x[i] ** 3), strict=False):
            by_qdd, by_thetadd = compiled.derivative(name)(*STATE, **GIVEN)
            links = inverse[:, i] * by
            assert_close(by_qdd.reshape(1, 6), links[None], 1e-10)
            rotors = np.array([links[k] if n in stiff else 0.0 for k, n in enumerate(ROBOT.joint_names)])
            rotors[i] = -by / B
            assert_close(by_thetadd.reshape(1, 6), rotors[None], 1e-10)


def test_inverse_dynamics_by_stiffness() -> None:
    """theta - q = tau_J/k of an undamped linear spring, so theta and its rates change by -1/k of theirs."""
    drive = Actuator(armdyn.actuators.Motor(0.2), spring=Spring(800.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_2": drive})
    q, qd, qdd, jerk, snap = RNG.normal(size=(5, 2))
    compiled = arm.compile(flexible_inverse_dynamics, parameters=["joint_2.spring.stiffness"])
    found = compiled(q, qd, qdd, jerk, snap, **{"joint_2.spring.stiffness": 650.0})
    by = compiled.derivative("joint_2.spring.stiffness")(q, qd, qdd, jerk, snap, **{"joint_2.spring.stiffness": 650.0})
    for rate, x, moved in zip(by, (q, qd, qdd), found, strict=False):
        assert rate[1] == pytest.approx(-(moved[1] - x[1]) / 650.0, rel=1e-12)
    assert by[3][1] == pytest.approx(-0.2 * (found.thetadd[1] - qdd[1]) / 650.0, rel=1e-12)
