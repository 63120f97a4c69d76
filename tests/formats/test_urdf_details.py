"""What each element of a URDF file means: small robots whose numbers are known."""

import math
from pathlib import Path

import numpy as np
import pytest

from armdyn import DescriptionWarning, Joint, Model
from armdyn.formats.urdf import read_urdf, read_urdf_text

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>'
BODY = f'<inertial><mass value="3"/>{INERTIA}</inertial>'


def arm(joint: str = "", *, body: str = BODY, kind: str = "revolute", more: str = "", robot: str = 'name="arm"') -> str:
    return f"""<robot {robot}>
  <link name="base"/>
  <link name="boom">{body}</link>
  <joint name="turn" type="{kind}"><parent link="base"/><child link="boom"/>{joint}</joint>
  {more}
</robot>"""


LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def only_joint(joint: str, kind: str = "revolute") -> Joint:
    return read_urdf_text(arm(joint, kind=kind)).joints[0]


def test_defaults_of_the_specification() -> None:
    joint = only_joint(LIMIT)
    assert joint.axis.tolist() == [1.0, 0.0, 0.0]
    assert np.array_equal(joint.placement, np.eye(4))
    assert (joint.damping, joint.friction) == (0.0, 0.0)


def test_limits_damping_and_friction_are_kept() -> None:
    joint = only_joint(LIMIT + '<dynamics damping="0.5" friction="0.25"/>')
    assert (joint.limits.lower, joint.limits.upper, joint.limits.velocity, joint.limits.effort) == (-1, 2, 3, 4)
    assert (joint.damping, joint.friction) == (0.5, 0.25)


def test_omitted_lower_and_upper_are_zero() -> None:
    limits = only_joint('<limit velocity="3" effort="4"/>', "prismatic").limits
    assert (limits.lower, limits.upper) == (0.0, 0.0)


def test_infinite_limits_may_be_written() -> None:
    limits = only_joint('<limit lower="-inf" upper="inf" velocity="INF" effort="1e3"/>').limits
    assert (limits.lower, limits.upper, limits.velocity) == (-math.inf, math.inf, math.inf)


def test_a_continuous_joint_is_revolute_without_position_limits() -> None:
    model = read_urdf_text(arm(LIMIT, kind="continuous"))
    joint = model.joints[0]
    assert joint.kind == "revolute"
    assert (joint.limits.lower, joint.limits.upper, joint.limits.effort) == (-math.inf, math.inf, 4.0)
    assert model.notes == ("position limits of a continuous joint are not used: joint 'turn'",)


def test_a_missing_limit_is_noted() -> None:
    assert "<limit> is missing; the joint is taken as unlimited: joint 'turn'" in read_urdf_text(arm()).notes
    assert read_urdf_text(arm(kind="continuous")).notes == ()


def test_a_missing_effort_is_noted() -> None:
    notes = read_urdf_text(arm('<limit lower="0" upper="1" velocity="1"/>')).notes
    assert notes == ("<limit> has no effort; it is taken as unlimited: joint 'turn'",)


@pytest.mark.parametrize("xyz", ["0 0 2", "0 3e-200 0", "1e200 1e200 0", "0.7071 0.7071 0", "1 2 3"])
def test_an_axis_is_normalised_with_a_note(xyz: str) -> None:
    model = read_urdf_text(arm(f'{LIMIT}<axis xyz="{xyz}"/>'))
    expected = np.array([float(x) for x in xyz.split()])
    expected /= np.abs(expected).max()
    np.testing.assert_allclose(model.joints[0].axis, expected / np.linalg.norm(expected), rtol=1e-15)
    assert model.notes == ("axis is not of unit length and was normalised: joint 'turn'",)


@pytest.mark.parametrize(
    "xyz", ["0 0 1", "0 -1 0", "0.6 0.8 0", "0.5773502691896258 0.5773502691896258 0.5773502691896258"]
)
def test_a_unit_axis_needs_no_note(xyz: str) -> None:
    assert read_urdf_text(arm(f'{LIMIT}<axis xyz="{xyz}"/>')).notes == ()


def test_rpy_turns_about_fixed_axes_x_then_y_then_z() -> None:
    roll, pitch, yaw = 0.3, -0.7, 1.9
    placement = only_joint(f'{LIMIT}<origin xyz="1 2 3" rpy="{roll} {pitch} {yaw}"/>').placement

    def about(i: int, j: int, angle: float) -> np.ndarray:
        R = np.eye(3)
        R[i, i] = R[j, j] = math.cos(angle)
        R[j, i], R[i, j] = math.sin(angle), -math.sin(angle)
        return R

    np.testing.assert_allclose(placement[:3, :3], about(0, 1, yaw) @ about(2, 0, pitch) @ about(1, 2, roll), atol=1e-15)
    assert placement[:3, 3].tolist() == [1.0, 2.0, 3.0]


def quaternion(text: str, version: str = 'version="1.1"', rpy: str = "") -> np.ndarray:
    """The placement of a joint whose origin has this quaternion."""
    joint = f'{LIMIT}<origin quat_xyzw="{text}" {rpy}/>'
    return read_urdf_text(arm(joint, robot=f'name="arm" {version}')).joints[0].placement


def test_a_quaternion_stands_for_rpy() -> None:
    half = 0.4
    placement = quaternion(f"0 0 {math.sin(half)} {math.cos(half)}")
    expected = only_joint(f'{LIMIT}<origin rpy="0 0 {2 * half}"/>').placement
    np.testing.assert_allclose(placement, expected, atol=1e-15)


def test_a_quaternion_of_general_direction() -> None:
    axis, angle = np.array([2.0, -1.0, 3.0]) / math.sqrt(14.0), 1.1
    x, y, z = axis * math.sin(angle / 2)
    R = quaternion(f"{x} {y} {z} {math.cos(angle / 2)}")[:3, :3]
    np.testing.assert_allclose(R @ axis, axis, atol=1e-15)
    np.testing.assert_allclose(np.trace(R), 1 + 2 * math.cos(angle), atol=1e-15)
    K = (R - R.T) / (2 * math.sin(angle))
    np.testing.assert_allclose([K[2, 1], K[0, 2], K[1, 0]], axis, atol=1e-15)


@pytest.mark.parametrize("version", ["", 'version="1.0"', 'version="1"', 'version="1.1 "', f'version="{"9" * 5000}.1"'])
def test_a_quaternion_needs_version_1_1_of_urdf(version: str) -> None:
    """As urdfdom has it, and with it ROS and Pinocchio."""
    expected = only_joint(f'{LIMIT}<origin rpy="0 0 0.3"/>').placement
    with pytest.warns(DescriptionWarning, match=r'quat_xyzw is not used, .* <robot version="1.1">: joint .turn.'):
        assert (quaternion("0 0 0.6 0.8", version, 'rpy="0 0 0.3"') == expected).all()


def test_versions_of_urdf() -> None:
    def notes(version: str) -> list[str]:
        model = read_urdf_text(arm(LIMIT, robot=f'name="arm" {version}'))
        return [note for note in model.notes if "version" in note]

    assert not [note for version in ("", 'version="1.0"', 'version="1.1"', 'version="1.2"') for note in notes(version)]
    assert notes('version="2.0"') == ["version of <robot> is none that URDF has; read as 2.0: '2.0'"]
    assert notes('version="one"') == ["version of <robot> is none that URDF has; read as 1.0: 'one'"]


HUGE = 1.7976931348623157e308


@pytest.mark.parametrize("size", [1e-323, 1e-200, 1e200, HUGE])
def test_directions_of_any_size(size: float) -> None:
    axis = only_joint(f'{LIMIT}<axis xyz="{size!r} 0 {size!r}"/>').axis
    np.testing.assert_allclose(axis, np.array([1.0, 0.0, 1.0]) / math.sqrt(2.0), rtol=1e-15)
    R = quaternion(f"{size!r} {size!r} {size!r} {size!r}")[:3, :3]
    np.testing.assert_allclose(R, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)


def test_the_inertia_is_turned_into_the_axes_of_the_link() -> None:
    body = f'<inertial><origin xyz="1 2 3" rpy="0 0 {math.pi / 2}"/><mass value="3"/>{INERTIA}</inertial>'
    inertia = read_urdf_text(arm(LIMIT, body=body)).link("boom").inertia
    np.testing.assert_allclose(inertia.tensor, np.diag([2.0, 1.0, 2.5]), atol=1e-15)
    assert inertia.com.tolist() == [1.0, 2.0, 3.0]


def test_the_products_of_inertia_are_the_entries_of_the_tensor() -> None:
    body = '<inertial><mass value="3"/><inertia ixx="3" ixy="0.1" ixz="0.2" iyy="4" iyz="0.3" izz="5"/></inertial>'
    tensor = read_urdf_text(arm(LIMIT, body=body)).link("boom").inertia.tensor
    assert tensor.tolist() == [[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]


@pytest.mark.parametrize("body", ["", '<inertial><mass value="0"/><inertia ' + " ".join(
    f'{ij}="0"' for ij in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")) + "/></inertial>"])  # fmt: skip
def test_a_link_without_inertia(body: str) -> None:
    model = read_urdf_text(arm(LIMIT, body=body))
    assert model.link("boom").inertia.mass == 0.0


def test_moments_that_an_exporter_rounded_are_taken_as_zero() -> None:
    body = '<inertial><mass value="3"/><inertia ixx="0" ixy="0" ixz="2e-20" iyy="0" iyz="0" izz="0"/></inertial>'
    assert read_urdf_text(arm(LIMIT, body=body)).link("boom").inertia.mass == 3.0


MIMIC = f"""<link name="f1">{BODY}</link><link name="f2">{BODY}</link>
  <joint name="f1" type="prismatic"><parent link="boom"/><child link="f1"/><axis xyz="0 1 0"/>{LIMIT}</joint>
  <joint name="f2" type="prismatic"><parent link="boom"/><child link="f2"/><axis xyz="0 -1 0"/>{LIMIT}
    <mimic joint="f1" multiplier="2" offset="0.5"/></joint>"""


def test_a_mimic_joint_is_locked_with_the_joint_it_follows() -> None:
    model = read_urdf_text(arm(LIMIT, more=MIMIC), locked={"f1": 0.25})
    assert model.joint_names == ("turn",)
    assert model.frame("f2").pose[:3, 3].tolist() == [0.0, -1.0, 0.0]
    assert "locked with joint 'f1', which it follows: joint 'f2'" in model.notes


def test_a_mimic_joint_may_be_locked_by_itself() -> None:
    model = read_urdf_text(arm(LIMIT, more=MIMIC), locked={"f2": 0.1})
    assert model.joint_names == ("turn", "f1")
    what = "locked though <mimic> has it follow a joint that is not locked"
    assert f"{what}: joint 'f2' (follows 'f1')" in model.notes


def test_a_mimic_joint_off_the_chain_does_no_harm() -> None:
    assert read_urdf_text(arm(LIMIT, more=MIMIC), tip="boom", chain=True).joint_names == ("turn",)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_what_a_floating_base_carries_can_be_read(kind: str) -> None:
    more = f'<link name="world"/><joint name="free" type="{kind}"><parent link="world"/><child link="base"/></joint>'
    model = read_urdf_text(arm(LIMIT, more=more), base="base")
    assert (model.base, model.joint_names) == ("base", ("turn",))


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ("<gazebo reference='boom'><mu1>1</mu1></gazebo><gazebo/>", "<gazebo> is not used: 'boom', line 5"),
        (
            "<gazebo reference='turn'><springReference>1</springReference></gazebo>",
            "<springReference> of <gazebo> is not used: 'turn'",
        ),
        (
            "<transmission name='t'><actuator><mechanicalReduction>50</mechanicalReduction></actuator></transmission>",
            "<transmission> is not used (q and tau are the joint's, not the motor's), nor its reduction: 't' (50)",
        ),
        ("<sensor name='eye'/>", "<sensor> is not used: 'eye'"),
        ("<ros2_control name='c' type='system'/>", "<ros2_control> is not used: 'c'"),
    ],
)
def test_what_is_not_used_is_noted(more: str, note: str) -> None:
    assert note in read_urdf_text(arm(LIMIT, more=more)).notes


@pytest.mark.parametrize(
    ("joint", "note"),
    [
        ("<safety_controller k_velocity='1'/>", "<safety_controller> is not used: joint 'turn'"),
        ("<calibration rising='0'/>", "<calibration> is not used: joint 'turn'"),
        ("<dynamics damping='0' mu_coulomb='3'/>", "'mu_coulomb' of <dynamics> is not used: joint 'turn'"),
    ],
)
def test_what_is_not_used_of_a_joint_is_noted(joint: str, note: str) -> None:
    assert note in read_urdf_text(arm(LIMIT + joint)).notes


def test_notes_that_differ_only_in_whose_they_are_become_one() -> None:
    more = "".join(f"<sensor name='s{i}'/>" for i in range(9))
    assert read_urdf_text(arm(LIMIT, more=more)).notes == ("<sensor> is not used: 's0', 's1', 's2' and 6 more",)


def test_colours_and_namespaces_need_no_note() -> None:
    robot = 'name="arm" version="1.0" xmlns="http://www.ros.org" xmlns:xacro="http://www.ros.org/wiki/xacro"'
    model = read_urdf_text(arm(LIMIT, more='<material name="red"><color rgba="1 0 0 1"/></material>', robot=robot))
    assert model.notes == ()


def test_a_robot_without_a_name_is_called_after_its_file(tmp_path: Path) -> None:
    file = tmp_path / "lifter.urdf"
    file.write_text(arm(LIMIT, robot=""))
    model = read_urdf(file)
    assert model.name == "lifter"
    assert model.notes == ("<robot> has no name and is called after its file: 'lifter'",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "cp1252"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f'<?xml version="1.0" encoding="{declared}"?>\n' + arm(LIMIT).replace("boom", "Arm_ä")
    file = tmp_path / "arm.urdf"
    file.write_bytes(text.encode(encoding))
    assert read_urdf(str(file)).link_names == ("base", "Arm_ä")
    assert read_urdf_text(text).link_names == ("base", "Arm_ä")
    assert read_urdf_text(text.encode(encoding)).link_names == ("base", "Arm_ä")


def test_lines_are_exact_in_long_files() -> None:
    text = arm(LIMIT + "\n" * 70_000 + '<axis\n\nxyz="0 0 0"/>')
    with pytest.raises(ValueError, match=r"^arm.urdf:70004 joint 'turn': <axis> xyz is zero"):
        read_urdf_text(text, "arm.urdf")


def chain_of(count: int) -> str:
    links = "".join(f'<link name="l{i}">{BODY if i else ""}</link>\n' for i in range(count + 1))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/></joint>\n'
        for i in range(count)
    )
    return f'<robot name="chain">{links}{joints}</robot>'


@pytest.mark.slow
def test_a_chain_of_ten_thousand_links() -> None:
    model: Model = read_urdf_text(chain_of(10_000))
    assert len(model.joints) == 10_000
    assert model.tip == "l10000"
