"""Real robots: what armdyn reads from a URDF file is what Pinocchio reads from it."""

from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from armdyn import ArmdynError, Model, ModelError
from armdyn.formats.urdf import read_urdf
from oracles.robot_data import ROBOTS, description

TOLERANCE = 1e-12

ARMS: dict[str, dict[str, float]] = {
    "alex_description/urdf/alex_sake_hands.urdf": {},
    "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf": {},
    "asr_twodof_description/urdf/TwoDofs.urdf": {},
    "baxter_description/urdf/baxter.urdf": {"l_gripper_l_finger_joint": 0.01, "r_gripper_l_finger_joint": 0.0},
    "centauro_description/urdf/centauro.urdf": {},
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf": {},
    "finger_edu_description/robots/finger_edu.urdf": {},
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf": {},
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf": {},
    "human_description/robots/human.urdf": {},
    "icub_description/robots/icub.urdf": {},
    "kinova_description/robots/kinova.urdf": {},
    "laikago_description/urdf/laikago.urdf": {},
    "panda_description/urdf/panda.urdf": {"panda_finger_joint1": 0.02},
    "romeo_description/urdf/romeo.urdf": {"LHand": 0.3, "RHand": 0.1},
    "simple_humanoid_description/urdf/simple_humanoid.urdf": {},
    "so_arm_description/urdf/so101.urdf": {},
    "solo_description/robots/solo12.urdf": {},
    "talos_data/robots/talos_full_v2.urdf": {"gripper_left_joint": -0.2, "gripper_right_joint": 0.0},
    "talos_data/robots/talos_left_arm.urdf": {},
    "talos_data/robots/talos_reduced.urdf": {},
    "tiago_pro_description/robots/tiago_pro.urdf": {
        "gripper_left_finger_joint": 0.0,
        "gripper_right_finger_joint": 0.2,
    },
    "ur_description/urdf/ur10_robot.urdf": {},
    "ur_description/urdf/ur3_gripper.urdf": {},
    "ur_description/urdf/ur5_robot.urdf": {},
    "xarm_description/urdf/xarm7.urdf": {},
    "z1_description/urdf/z1.urdf": {},
}
"""Files, and the joints to lock so that no mimic joint moves."""

OTHERS = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "'Left_index_q2': <mimic> follows joint 'index_q1', which",
    "allegro_hand_description/urdf/allegro_left_hand.urdf": "link 'link_11.0': principal inertia",
    "bolt_description/robots/bolt.urdf": "link 'FL_FOOT': mass is 0 kg but",
    "hyq_description/robots/hyq_no_sensors.urdf": "link 'lf_foot': principal inertia (0, 0, 3e-06) kg m^2",
    "iris_description/robots/iris_simple.urdf": "'iris' has no moving joint",
    "pr2_description/urdf/pr2.urdf": "link 'sensor_mount_link': principal inertia",
    "romeo_description/urdf/romeo_small.urdf": "link 'RShoulderYawLink': principal inertia",
    "ur_description/urdf/ur3.urdf": "ur3.urdf:6 <robot> has no links",
}
"""Files that describe no arm, and why."""


@cache
def _both(path: str) -> tuple[Model, pin.Model]:
    ours = read_urdf(ROBOTS / path, locked=ARMS[path])
    theirs = pin.buildModelFromUrdf(str(ROBOTS / path))
    held = [name for name in theirs.names[1:] if name not in ours.joint_names]
    return ours, _locked(theirs, held, path)


def _locked(model: pin.Model, held: list[str], path: str) -> pin.Model:
    """Pinocchio's model with the joints held where armdyn holds them; followers where the file's <mimic> puts them."""
    if not held:
        return model
    q = pin.neutral(model)
    for name in held:
        q[model.joints[model.getJointId(name)].idx_q] = _held_at(name, path)
    return pin.buildReducedModel(model, [model.getJointId(name) for name in held], q)


def _held_at(name: str, path: str) -> float:
    mimic = description(path).find(f"joint[@name='{name}']/mimic")
    if mimic is None:
        return ARMS[path][name]
    leader = ARMS[path][mimic.attrib["joint"]]
    return leader * float(mimic.get("multiplier", "1")) + float(mimic.get("offset", "0"))


@pytest.fixture(params=ARMS)
def both(request: pytest.FixtureRequest) -> tuple[Model, pin.Model]:
    return _both(request.param)


def _poses_at_zero(model: Model) -> dict[str, np.ndarray]:
    """T of every frame in the base, by name."""
    joints = {joint.child: joint for joint in model.joints}

    def link_pose(link: str) -> np.ndarray:
        return link_pose(joints[link].parent) @ joints[link].placement if link in joints else np.eye(4)

    return {frame.name: link_pose(frame.link) @ frame.pose for frame in model.frames}


def test_joints_are_the_same(both: tuple[Model, pin.Model]) -> None:
    ours, theirs = both
    assert set(ours.joint_names) == set(theirs.names[1:])
    assert len(ours.joint_names) == len(theirs.names) - 1


def test_frames_stand_where_pinocchio_has_them(both: tuple[Model, pin.Model]) -> None:
    ours, theirs = both
    data = theirs.createData()
    pin.framesForwardKinematics(theirs, data, pin.neutral(theirs))
    poses = _poses_at_zero(ours)
    named = {frame.name: i for i, frame in enumerate(theirs.frames) if frame.type == pin.FrameType.BODY}
    assert set(named) == set(poses)
    for name, i in named.items():
        np.testing.assert_allclose(poses[name], data.oMf[i].homogeneous, rtol=0, atol=TOLERANCE, err_msg=name)


def test_axes_are_the_same(both: tuple[Model, pin.Model]) -> None:
    ours, theirs = both
    for joint in ours.joints:
        i = theirs.getJointId(joint.name)
        column = theirs.joints[i].idx_v
        data = theirs.createData()
        motion = pin.computeJointJacobian(theirs, data, pin.neutral(theirs), i)[:, column]
        expected = motion[3:] if joint.kind == "revolute" else motion[:3]
        # Pinocchio keeps a printed axis as it stands where armdyn normalises it.
        np.testing.assert_allclose(joint.axis, expected / np.linalg.norm(expected), atol=TOLERANCE, err_msg=joint.name)


def test_merged_inertias_are_the_same(both: tuple[Model, pin.Model]) -> None:
    ours, theirs = both
    carriers = [(ours.base, 0), *((joint.child, theirs.getJointId(joint.name)) for joint in ours.joints)]
    for link, i in carriers:
        mine, other = ours.link(link).inertia, theirs.inertias[i]
        assert mine.mass == pytest.approx(other.mass, rel=TOLERANCE, abs=TOLERANCE), link
        np.testing.assert_allclose(mine.mass * mine.com, other.mass * other.lever, rtol=0, atol=TOLERANCE, err_msg=link)
        scale = max(1.0, np.abs(other.inertia).max())
        np.testing.assert_allclose(mine.tensor, other.inertia, rtol=0, atol=TOLERANCE * scale, err_msg=link)


def test_limits_are_the_same(both: tuple[Model, pin.Model]) -> None:
    ours, theirs = both
    for joint in ours.joints:
        j = theirs.joints[theirs.getJointId(joint.name)]
        assert joint.limits.velocity == theirs.velocityLimit[j.idx_v], joint.name
        assert joint.limits.effort == theirs.upperEffortLimit[j.idx_v], joint.name
        assert joint.damping == theirs.damping[j.idx_v], joint.name
        assert joint.friction == theirs.upperDryFrictionLimit[j.idx_v], joint.name
        if j.nq == 1:
            assert joint.limits.lower == theirs.lowerPositionLimit[j.idx_q], joint.name
            assert joint.limits.upper == theirs.upperPositionLimit[j.idx_q], joint.name
        else:  # continuous: Pinocchio has (cos, sin)
            assert (joint.limits.lower, joint.limits.upper) == (-np.inf, np.inf), joint.name


def test_notes_stay_readable(both: tuple[Model, pin.Model]) -> None:
    ours, _ = both
    assert len(ours.notes) <= 13
    assert len(set(ours.notes)) == len(ours.notes)


@pytest.mark.short_run(without=("alex_description/urdf/alex_psyonic_hands.urdf",))
@pytest.mark.parametrize("path", OTHERS)
def test_a_file_that_describes_no_arm_says_why(path: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_urdf(ROBOTS / path)
    assert any(OTHERS[path] in problem for problem in caught.value.problems), caught.value


UNFELT = {
    "anymal_b_simple_description/robots/anymal.urdf": "link 'base'",
    "anymal_b_simple_description/robots/anymal-kinova.urdf": "link 'base'",
    "anymal_c_simple_description/urdf/anymal.urdf": "link 'depth_camera_front_camera'",
    "b1_description/urdf/b1.urdf": "link 'base'",
    "b1_description/urdf/b1-z1.urdf": "link 'base'",
    "go1_description/urdf/go1.urdf": "link 'base'",
    "tiago_description/robots/tiago.urdf": "link 'base_antenna_left_link'",
    "tiago_description/robots/tiago_dual.urdf": "link 'base_antenna_left_link'",
    "tiago_description/robots/tiago_no_hand.urdf": "link 'base_antenna_left_link'",
}
"""Files with inertias that no rigid body has, on the base or on what is welded to it."""


@pytest.mark.parametrize("path", UNFELT)
def test_what_no_joint_feels_is_noted(path: str) -> None:
    (first, *_) = [note for note in read_urdf(ROBOTS / path).notes if UNFELT[path] in note]
    assert "no rigid body has it; no joint feels it" in first
    assert first.startswith(f"{Path(path).name}:")


@pytest.mark.slow
def test_every_file_loads_or_is_refused_by_name_and_line() -> None:
    files = sorted(ROBOTS.rglob("*.urdf"))
    assert len(files) > 60
    for file in files:
        message = _refusal(file)
        assert not message or f"{file.name}:" in message or "has no moving joint" in message, message


def _refusal(file: Path) -> str:
    try:
        read_urdf(file)
    except ArmdynError as error:
        return str(error)
    return ""
