"""Robots with rotors of their own, edited, coupled, constrained, written and simulated; and what bad rotors get."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.actuators import Actuator, Gear, Motor, Rotor, Stator, Viscous
from armdyn.base.errors import DTypeError, ModelError, UnknownName, Unsupported
from armdyn.constraints import PointOnPlane
from armdyn.formats.urdf import read_urdf_text
from oracles.geared import Geared, geared
from oracles.plain import plainly
from oracles.states import assert_close, random_states


@pytest.fixture(scope="module")
def case() -> Geared:
    return geared(8)


def mass_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    M: np.ndarray = plainly(robot, "mass_matrix", np.atleast_2d(q))[0]
    return M


def states(robot: Robot) -> tuple[np.ndarray, ...]:
    return tuple(x[0] for x in random_states(robot.dof, 1, seed=21)[:4])


def test_actuators_come_off_again(case: Geared) -> None:
    none = dict.fromkeys(case.actuators)
    assert case.robot.with_actuators(none) == case.bare
    assert case.robot.with_actuators(case.actuators) == case.robot
    assert case.robot.with_actuators(none).with_actuators(case.actuators) == case.robot
    assert pickle.loads(pickle.dumps(case.robot)) == case.robot  # noqa: S301


def test_one_actuator_of_many_comes_off(case: Geared) -> None:
    first, *others = case.actuators
    assert case.robot.with_actuators({first: None}) == case.bare.with_actuators(
        {name: case.actuators[name] for name in others}
    )


@pytest.mark.parametrize("at", [0, 2, 5])
def test_a_locked_joint_holds_its_rotors(case: Geared, at: int) -> None:
    """What is left is the same matrix, less a row: held rotors turn with their links."""
    robot, (q, *_) = case.robot, states(case.robot)
    left = [k for k in range(robot.dof) if k != at]
    expected = mass_matrix(robot, q)[np.ix_(left, left)]
    name = robot.joint_names[at]
    assert_close(mass_matrix(robot.with_locked({name: q[at]}), q[left])[None], expected[None], 1e-12)
    read = Robot(read_urdf_text(robot.to_urdf(), locked={name: q[at]}))
    assert_close(mass_matrix(read, q[left])[None], expected[None], 1e-12)


def test_locked_robots_keep_actuators(case: Geared) -> None:
    name, other = case.robot.joint_names[:2]
    assert case.robot.with_locked({name: 0.3}).model.joint(other).actuator == case.actuators[other]


def test_written_and_read(case: Geared) -> None:
    read = Robot(read_urdf_text(case.robot.to_urdf()))
    assert [joint.motor_parts for joint in read.model.joints] == [j.motor_parts for j in case.robot.model.joints]
    q, *_ = states(case.robot)
    assert_close(mass_matrix(read, q)[None], mass_matrix(case.robot, q)[None], 1e-13)


def test_renamed_carriers(case: Geared) -> None:
    names = {link: f"my_{link}" for link in case.robot.link_names}
    robot, (q, *_) = case.robot.renamed(names), states(case.robot)
    assert robot.with_actuators(dict.fromkeys(case.actuators)) == case.bare.renamed(names)
    np.testing.assert_array_equal(mass_matrix(robot, q), mass_matrix(case.robot, q))
    assert robot.renamed({new: old for old, new in names.items()}) == case.robot


def test_coupled_joints_turn_their_rotors(case: Geared) -> None:
    rng = np.random.default_rng(4)
    A, b = rng.normal(size=(case.robot.dof, 3)), rng.normal(size=case.robot.dof)
    robot = case.robot.with_coordinates(["u", "v", "w"], A, offset=b, kinds=dict.fromkeys("uvw", "revolute"))
    x, xd, xdd = rng.normal(size=(3, 1, 3))
    M = mass_matrix(case.robot, (x @ A.T + b)[0])
    assert_close(mass_matrix(robot, x[0])[None], (A.T @ M @ A)[None], 1e-12)
    tau = plainly(robot, "inverse_dynamics", x, xd, xdd)
    expected = plainly(case.robot, "inverse_dynamics", x @ A.T + b, xd @ A.T, xdd @ A.T) @ A
    assert_close(tau, expected, 1e-12)


def test_inertia_of_a_rotor_as_an_input() -> None:
    arm = armdyn.load("planar_2r_geared")
    given = arm.compile(armdyn.algorithms.mass_matrix, parameters=["joint_2.rotor", "joint_2.armature"])
    heavy = Actuator(Motor(rotor_inertia=0.004), Gear(10.0), rotor=Rotor(mass=0.5), stator=Stator(0.005, 0.5))
    M = arm.with_actuators({"joint_2": heavy}).with_armature({"joint_2": 0.3}).mass_matrix([0.1, 0.2])
    np.testing.assert_allclose(given([0.1, 0.2], joint_2_rotor=0.004, joint_2_armature=0.3), M, rtol=1e-15)
    assert given.arm.model.rotors["joint_1.rotor"].inertia == 0.00125
    with pytest.raises(UnknownName, match=r"Did you mean 'joint_2\.rotor'"):
        arm.compile(armdyn.algorithms.mass_matrix, parameters=["joint_2.roter"])


def test_base_parameters(case: Geared) -> None:
    base = case.robot.base_parameters()
    q, qd, qdd = (x[None] for x in states(case.robot)[:3])
    Y = plainly(case.robot, "regressor", q, qd, qdd)
    assert_close(base.columns(Y) @ base.values, plainly(case.robot, "inverse_dynamics", q, qd, qdd), 1e-9)
    with pytest.raises(Unsupported, match="rotors that are bodies of their own"):
        case.robot.base_parameters(method="structural")


@pytest.mark.slow
def test_constraints_and_task_space() -> None:
    drive = Actuator(Motor(rotor_inertia=2e-4), Gear(80.0), rotor=Rotor(axis=(0.6, 0.0, 0.8)))
    bare = armdyn.load("stanford")
    arm = bare.with_actuators(dict.fromkeys(bare.joint_names, drive))
    q, qd, _, tau = states(arm)
    M, task = arm.mass_matrix(q), arm.task_space(q, qd)
    J, F = arm.jacobian(q), arm.task_space(q, qd).Lambda
    np.testing.assert_allclose(F @ J @ np.linalg.solve(M, J.T), np.eye(6), rtol=0, atol=1e-9)
    at_rest = arm.velocity_forces(q, qd)
    mu = F @ (J @ np.linalg.solve(M, at_rest) - arm.jacobian_dot(q, qd) @ qd)
    np.testing.assert_allclose(task.mu, mu, rtol=0, atol=1e-9 * np.abs(mu).max())
    p = arm.forward_kinematics(q)[:3, 3]
    held = arm.with_constraints(PointOnPlane(arm.tip, normal=(0.0, 0.6, 0.8), through=p))
    rate = held.constraint_jacobian(q)
    on_plane = qd - np.linalg.pinv(rate) @ (rate @ qd)
    motion = held.constrained_forward_dynamics(q, on_plane, tau)
    force = M @ motion.qdd + arm.bias_forces(q, on_plane) - tau
    along = np.linalg.lstsq(rate.T, force, rcond=None)[0]
    np.testing.assert_allclose(rate.T @ along, force, atol=1e-10 * np.abs(force).max())


def test_energy_of_a_simulation_stays() -> None:
    bare = armdyn.load("stanford")
    drive = Actuator(Motor(rotor_inertia=2e-4), Gear(-60.0), rotor=Rotor(axis=(0.6, 0.0, 0.8), mass=0.5))
    arm = bare.with_actuators(dict.fromkeys(bare.joint_names, drive))
    motion = armdyn.simulate(arm, [0.1, 0.5, 0.3, 0.2, 0.4, 0.1], [0.4, -0.2, 0.1, 1.0, -1.0, 2.0], duration=0.5)
    assert np.abs(motion.energy.relative_drift).max() < 1e-8


COUNTS = {  # inverse dynamics: bare; rotors on the joints' axes; rotors on general axes
    "ur5": ((151, 125), (180, 150), (259, 192)),
    "puma560": ((185, 162), (214, 187), (293, 229)),
    "stanford": ((137, 108), (166, 133), (245, 175)),
    "planar_2r": ((10, 10), (13, 13), (14, 13)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operation_counts(name: str) -> None:
    bare = armdyn.load(name).without_friction()
    rng = np.random.default_rng(0)

    def geared_by(*rotors: Rotor) -> Robot:
        drives = [Actuator(Motor(rotor_inertia=1e-4), Gear(101.0), rotor=rotor) for rotor in rotors]
        return bare.with_actuators(dict(zip(bare.joint_names, drives, strict=True)))

    def askew() -> Rotor:
        u = rng.normal(size=3)
        return Rotor(axis=tuple(u / np.linalg.norm(u)))

    robots = (bare, geared_by(*(Rotor() for _ in bare.joint_names)), geared_by(*(askew() for _ in bare.joint_names)))
    counts = [robot.inverse_dynamics.program().op_counts for robot in robots]
    for count, (multiplications, additions) in zip(counts, COUNTS[name], strict=True):
        assert (count.multiplications, count.additions) <= (multiplications, additions)
        assert count.additions <= additions
    on_axes = counts[1].multiplications + counts[1].additions
    assert on_axes <= 1.35 * (counts[0].multiplications + counts[0].additions)


def test_friction_is_left_with_the_rotor() -> None:
    drive = Actuator(Motor(rotor_inertia=1e-4), Gear(50.0), Viscous(0.4), rotor=Rotor())
    arm = armdyn.load("planar_2r").with_actuators({"joint_2": drive})
    bare = arm.without_friction()
    np.testing.assert_array_equal(arm.mass_matrix([0.1, 0.2]), bare.mass_matrix([0.1, 0.2]))
    difference = arm.inverse_dynamics([0.1, 0.2], [1, 2], [3, 4]) - bare.inverse_dynamics([0.1, 0.2], [1, 2], [3, 4])
    np.testing.assert_allclose(difference, [0.0, 0.8], rtol=0, atol=1e-14)


def test_a_joint_that_moves_only_its_rotor() -> None:
    """A motor on a joint that carries nothing: no joint without inertia."""
    arm = Robot.from_links([armdyn.Part("hand", "base", axis=(0, 0, 1))])
    geared_arm = arm.with_actuators({"joint_of_hand": Actuator(Motor(rotor_inertia=1e-4), Gear(10.0), rotor=Rotor())})
    assert geared_arm.forward_dynamics([0.0], [0.0], [1.0])[0] == pytest.approx(100.0)
    assert not any("no mass moves" in note for note in geared_arm.notes)


@pytest.mark.parametrize(
    ("drive", "size"),
    [
        (Actuator(Motor(rotor_inertia=1e-4), Gear(100.0), rotor=Rotor()), 1.0),
        (Actuator(Motor(), Gear(100.0), rotor=Rotor(inertia=1e-4)), 1.0),
        (Actuator(Motor(rotor_inertia=1e-4), Gear(100.0), rotor=Rotor(inertia=1e-4, ratio=100.0)), 2.0),
        (Actuator(Motor(rotor_inertia=1e-4), Gear(100.0), rotor=[Rotor(), Rotor(inertia=1e-4)]), 2.0),
    ],
)
def test_a_rotor_counts_once(drive: Actuator, size: float) -> None:
    """G^2 I of the motor's rotor, and of another body where one is stated."""
    arm = armdyn.load("planar_2r")
    added = arm.with_actuators({"joint_2": drive}).mass_matrix([0, 0]) - arm.mass_matrix([0, 0])
    np.testing.assert_allclose(added[1, 1], size, rtol=1e-12)


def test_an_inertia_that_could_be_the_motors_or_another_one_is_refused() -> None:
    with pytest.raises(ModelError, match=r"state its inertia once: Rotor\(\) .* another body") as error:
        Actuator(Motor(rotor_inertia=1e-4), Gear(100.0), rotor=Rotor(inertia=2e-4))
    assert "rotor_inertia 0.0001 and a Rotor of inertia 0.0002 without a ratio" in str(error.value)
    assert "Rotor(inertia=0.0002, ratio=...)" in str(error.value)


BAD = [
    (lambda: Rotor(inertia=-1.0), ModelError, "inertia of Rotor is -1"),
    (lambda: Rotor(inertia=0.0), ModelError, "Give a Stator for mass"),
    (lambda: Rotor(mass=float("nan")), ModelError, "mass of Rotor is nan"),
    (lambda: Rotor(ratio=0.0), ModelError, "What stands is a Stator"),
    (lambda: Rotor(axis=(0.0, 0.0, 2.0)), ModelError, r"axis of Rotor has length 2; .* here \(0\.0, 0\.0, 1\.0\)"),
    (lambda: Rotor(carrier="link_1"), ModelError, "carrier 'link_1' and no axis"),
    (lambda: Rotor(inertia=3e-4, transverse=1e-4), ModelError, "at most twice the second"),
    (lambda: Stator(inertia=-0.1), ModelError, "inertia of Stator is -0.1"),
    (lambda: Actuator(rotor=Rotor()), ModelError, r"rotor of Actuator has no inertia; give Motor\(rotor_inertia"),
    (
        lambda: Actuator(Motor(rotor_inertia=1e-4), rotor=[Rotor(), Rotor()]),
        ModelError,
        "2 rotors of Actuator have no inertia",
    ),
    (
        lambda: Actuator(rotor=Motor(rotor_inertia=1e-4)),
        DTypeError,
        "rotor of Actuator is .*; expected an armdyn.actuators.Rotor",
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), BAD, ids=[message[:24] for _, _, message in BAD])
def test_bad_rotors(make: object, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        make()  # type: ignore[operator]


def test_carriers_that_are_not_there() -> None:
    drive = Actuator(Motor(rotor_inertia=1e-4), rotor=Rotor(axis=(0, 0, 1), carrier="link_3"))
    with pytest.raises(UnknownName, match=r"no frame 'link_3' in 'planar_2r' .* Did you mean 'link_"):
        armdyn.load("planar_2r").with_actuators({"joint_2": drive})


def test_carriers_that_a_selection_leaves_out() -> None:
    """The chain can keep such a link by locking the joints that lead to it: then the rotor counts as it did."""
    body = armdyn.Inertia(1.0, [0.3, 0.1, 0.2])
    parts = [
        armdyn.Part(name, parent, axis=axis, inertia=body, joint=f"to_{name}")
        for name, parent, axis in (
            ("a", "base", (0, 0, 1)),
            ("b", "a", (0, 1, 0)),
            ("c", "a", (1, 0, 0)),
            ("d", "c", (0, 0, 1)),
        )
    ]
    drive = Actuator(Motor(2e-4), Gear(80.0), rotor=Rotor(axis=(0, 0.6, 0.8), carrier="d"))
    on_base = Actuator(Motor(1e-4), Gear(50.0), rotor=Rotor(axis=(0, 0, 1), carrier="base"))
    arm = armdyn.Robot.from_links(parts, tip="b")
    text = arm.with_actuators({"to_b": drive}).to_urdf()
    with pytest.raises(ModelError) as raised:
        read_urdf_text(text, tip="b", chain=True)
    locked = {"to_c": 0.0, "to_d": 0.0}
    assert str(raised.value).endswith(
        "joint 'to_b': link 'd' carries its rotor, and chain=True leaves that link out; load the arm without it, or "
        f"keep the link with locked={locked}"
    )
    kept = Robot(read_urdf_text(text, tip="b", chain=True, locked=locked))
    whole = Robot(read_urdf_text(text, tip="b"))
    both = np.ix_([0, 1], [0, 1])
    np.testing.assert_allclose(kept.mass_matrix([0.3, 0.4]), whole.mass_matrix([0.3, 0.4, 0.0, 0.0])[both], rtol=1e-13)
    with pytest.raises(ModelError, match=r"'to_b': link 'base' carries its rotor, .* to the base; leave out base='a'"):
        read_urdf_text(arm.with_actuators({"to_b": on_base}).to_urdf(), base="a")


def test_masses_that_are_not_there_any_more() -> None:
    arm = armdyn.load("planar_2r_geared").with_inertia({"link_1": armdyn.Inertia(0.2, [1, 0, 0])})
    with pytest.raises(ModelError, match=r"'link_1' has 0\.2 kg, less than the motors on it"):
        arm.with_actuators({"joint_2": None})


def test_descriptions_without_a_place_for_rotors() -> None:
    driven = armdyn.load("planar_2r_geared")
    with pytest.raises(Unsupported, match=r"joint 'joint_1' has an actuator, .* write URDF"):
        driven.to_screws()
    joints = tuple(joint.replace(actuator=None) for joint in driven.model.joints)
    arm = armdyn.Robot(driven.model.replace(joints=joints))
    for write in (arm.to_screws, arm.to_zero_reference, lambda: arm.to_dh(convention="modified")):
        with pytest.raises(
            Unsupported, match=r"joint 'joint_1' turns a rotor that is a body of its own, .* write URDF"
        ):
            write()
    with pytest.raises(Unsupported, match=r"closed form of .* has no place for its rotors \(joint_1\.rotor"):
        arm.closed_form([0.1, 0.2], [0.3, 0.4])


def test_a_gear_that_loses_and_a_rotor() -> None:
    """Inverse dynamics has the loss of what the joint transmits, tau_gear, before which the rotor lies."""
    arm = geared_joints(efficiency=1.0)
    losing = geared_joints(efficiency=0.8)
    q, qd, qdd = [0.1, 0.2], [1.0, 2.0], [3.0, 4.0]
    load = arm.joint_reactions(q, qd, qdd).n[:, 2]
    assert (load > 0.0).all()
    lost = losing.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(lost, (1 / 0.8 - 1) * load, rtol=1e-12)
    back = losing.forward_dynamics(q, qd, losing.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(back, qdd, rtol=1e-12)


def geared_joints(efficiency: float) -> Robot:
    drive = Actuator(Motor(rotor_inertia=1e-3), Gear(10.0, efficiency=efficiency), rotor=Rotor())
    return armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})


def test_torques_of_motors() -> None:
    arm = armdyn.load("planar_2r_geared", gear_ratio=100)
    state = [0.1, 0.2], [1.0, 2.0], [3.0, 4.0]
    np.testing.assert_allclose(arm.motor_torques(*state), arm.inverse_dynamics(*state) / 100.0, rtol=1e-14)


def test_options_of_other_arms_are_named() -> None:
    with pytest.raises(UnknownName, match=r"no option 'gear_ratio' in armdyn.load of 'ur5' \(9 options\)"):
        armdyn.load("ur5", gear_ratio=3)
    with pytest.raises(UnknownName, match=r"no option 'gear_ration' .*'planar_2r_geared'.* Did you mean 'gear_ratio'"):
        armdyn.load("planar_2r_geared", gear_ration=3)  # type: ignore[call-arg]
