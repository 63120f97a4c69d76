"""``armdyn list``, ``fk``, ``jacobian`` and ``ik``, against closed forms."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armdyn
from armdyn.robots.postures import POSTURES

Shell = Callable[..., Any]

Q = (0.3, -1.1, 0.07, 0.9)


def scara_tip(q: tuple[float, ...]) -> tuple[np.ndarray, float]:
    """Where the tip is and how far it is turned about z: links of 0.35 and 0.3 m, from its URDF file."""
    a, b = q[0], q[0] + q[1]
    at_zero = armdyn.load("scara").forward_kinematics(np.zeros(4))
    x = 0.35 * math.cos(a) + 0.3 * math.cos(b)
    y = 0.35 * math.sin(a) + 0.3 * math.sin(b)
    return np.array([x, y, at_zero[2, 3] - q[2]]), b + q[3]


def typed(q: Any) -> str:
    return ",".join(repr(float(x)) for x in q)


def test_list(shell: Shell) -> None:
    said = shell("list", columns=200)
    assert said.code == 0
    for name in armdyn.bundled_robots():
        assert any(line.split()[:1] == [name] for line in said.out.splitlines())
    assert "RRPRRR" in said.out
    robots = {one["name"]: one for one in json.loads(shell("list", "--json").out)["robots"]}
    assert tuple(robots) == armdyn.bundled_robots()
    assert [joint["kind"] for joint in robots["rp"]["joints"]] == ["revolute", "prismatic"]
    assert all(one["what"] and one["source"] for one in robots.values())
    assert all("picture" not in one for one in robots.values())


def test_pictures_of_the_list(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = ("rp", "scara")
    monkeypatch.setattr("armdyn.cli.list_robots.bundled_robots", lambda: two)
    said = shell("list", "--pictures", str(tmp_path / "new" / "arms"))
    assert said.code == 0, said.err
    drawn = {file.stem for file in (tmp_path / "new" / "arms").glob("*.png") if file.stat().st_size > 10_000}
    assert drawn == {*two}
    (tmp_path / "file").touch()
    said = shell("list", "--pictures", str(tmp_path / "file"))
    assert said.code == 2
    assert "no folder" in said.err


def test_postures_are_of_the_bundled_robots_and_within_limits() -> None:
    assert tuple(POSTURES) == armdyn.bundled_robots()
    for name, q in POSTURES.items():
        robot = armdyn.load(name)
        assert ((robot.lower <= q) & (q <= robot.upper)).all(), name


def test_fk(shell: Shell) -> None:
    p, yaw = scara_tip(Q)
    said = shell("fk", "scara", "--q", typed(Q), "--json")
    assert said.code == 0, said.err
    tip = json.loads(said.out)["frames"]["tip"]
    np.testing.assert_allclose(tip["position"], p, atol=1e-15)
    np.testing.assert_allclose(tip["rpy"], [0.0, 0.0, yaw], atol=1e-12)
    np.testing.assert_allclose(tip["quaternion_wxyz"], [math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)], atol=1e-12)
    page = shell("fk", "scara", "--q", typed(Q), "--frame", "forearm", "--frame", "tip").out
    assert f"{p[0]:.6g}" in page
    assert "forearm" in page
    every = json.loads(shell("fk", "scara", "--all", "--json").out)["frames"]
    assert tuple(every) == armdyn.load("scara").frame_names


def test_orientations_are_scipys(shell: Shell) -> None:
    q = (0.3, -1.2, 1.4, -0.7, 1.1, 0.2)
    tool = json.loads(shell("fk", "ur5", "--q", typed(q), "--json").out)["frames"]["tool0"]
    R = Rotation.from_matrix(np.array(tool["T"])[:3, :3])
    np.testing.assert_allclose(tool["rpy"], R.as_euler("xyz"), atol=1e-12)
    np.testing.assert_allclose(tool["quaternion_wxyz"], np.roll(R.as_quat(canonical=True), 1), atol=1e-12)


def test_fk_of_a_table(shell: Shell, tmp_path: Path) -> None:
    motion, out = tmp_path / "motion.csv", tmp_path / "poses.csv"
    rows = np.random.default_rng(3).uniform(-1, 1, (5, 4))
    header = "t,q_shoulder [deg],q_elbow,q_quill_slide [mm],q_wrist"
    scaled = rows * [180 / math.pi, 1, 1000, 1]
    np.savetxt(motion, np.column_stack([np.arange(5), scaled]), delimiter=",", header=header, comments="", fmt="%.17g")
    said = shell("fk", "scara", "--motion", str(motion), "--out", str(out))
    assert (said.code, said.out) == (0, ""), said.err
    assert out.read_text().splitlines()[0] == (
        "t,x_tip,y_tip,z_tip,quaternion_w_tip,quaternion_x_tip,quaternion_y_tip,quaternion_z_tip"
    )
    table = np.loadtxt(out, delimiter=",", skiprows=1)
    np.testing.assert_allclose(table[:, 1:4], [scara_tip(tuple(q))[0] for q in rows], atol=1e-12)
    answer = json.loads(shell("fk", "scara", "--motion", str(motion), "--json").out)
    np.testing.assert_allclose(np.array(answer["frames"]["tip"]["T"])[:, :3, 3], table[:, 1:4], atol=1e-15)
    assert shell("fk", "scara", "--motion", str(motion)).out == out.read_text()


def test_jacobian(shell: Shell, tmp_path: Path) -> None:
    """Columns of the planar part by hand; a slide has no angular part."""
    (x, y, _), _ = scara_tip(Q)
    elbow = 0.35 * np.array([math.cos(Q[0]), math.sin(Q[0])])
    said = shell("jacobian", "scara", "--q", typed(Q), "--expressed-in", "world", "--qd", "1,-2,0.5,0.1", "--json")
    answer = json.loads(said.out)
    expected = np.array(
        [
            [0, 0, 1, -y, x, 0],
            [0, 0, 1, -(y - elbow[1]), x - elbow[0], 0],
            [0, 0, 0, 0, 0, -1],
            [0, 0, 1, 0, 0, 0],
        ]
    ).T
    np.testing.assert_allclose(answer["jacobian"], expected, atol=1e-15)
    np.testing.assert_allclose(answer["twist"], expected @ [1, -2, 0.5, 0.1], atol=1e-15)
    assert answer["rows"] == ["wx", "wy", "wz", "vx", "vy", "vz"]
    out = tmp_path / "J.csv"
    assert shell("jacobian", "scara", "--q", typed(Q), "--expressed-in", "world", "-o", str(out)).code == 0
    np.testing.assert_allclose(np.loadtxt(out, delimiter=",", skiprows=1), expected, atol=1e-15)
    page = shell("jacobian", "scara", "--q", typed(Q), "--qd", "1,-2,0.5,0.1").out
    assert "Twist" in page
    assert "Jacobian of tip of scara, body" in page


@pytest.mark.parametrize("way", ["pose", "rpy", "quaternion"])
def test_ik_finds_what_fk_says(shell: Shell, way: str) -> None:
    q = (0.3, -1.2, 1.4, -0.7, 1.1, 0.2)
    there = json.loads(shell("fk", "ur5", "--q", typed(q), "--json").out)["frames"]["tool0"]
    T = np.array(there["T"])
    target = {
        "pose": ("--pose", json.dumps(there["T"])),
        "rpy": ("--xyz", typed(there["position"]), "--rpy", typed(there["rpy"])),
        "quaternion": ("--xyz", typed(there["position"]), "--quaternion", typed(there["quaternion_wxyz"])),
    }[way]
    said = shell("ik", "ur5", *target, "--q0", "0.3,-1,1,-1,1,0", "--json")
    answer = json.loads(said.out)
    assert (said.code, answer["success"], answer["status"]) == (0, True, "converged")
    np.testing.assert_allclose(armdyn.load("ur5").forward_kinematics(answer["q"]), T, atol=1e-9)
    np.testing.assert_allclose(answer["q"], q, atol=1e-8)


def test_ik_pointing(shell: Shell) -> None:
    answer = json.loads(shell("ik", "ur5", "--xyz", "0.4,0.2,100mm", "--pointing", "0,0,-2", "--json").out)
    T = armdyn.load("ur5").forward_kinematics(answer["q"])
    np.testing.assert_allclose(T[:3, 2], [0, 0, -1], atol=1e-9)
    np.testing.assert_allclose(T[:3, 3], [0.4, 0.2, 0.1], atol=1e-9)
    page = shell("ik", "ur5", "--xyz", "0.4,0.2,100mm").out
    assert "met: converged" in page


def test_ik_that_is_not_met(shell: Shell) -> None:
    said = shell("ik", "planar_2r", "--xyz", "3,4,0", columns=300)
    assert said.code == 1
    assert "not met: out of reach: the target is 5 m from the axis of 'joint_1'" in said.out
    answer = json.loads(shell("ik", "planar_2r", "--xyz", "3,4,0", "--starts", "2", "--json").out)
    assert (answer["success"], answer["status"], answer["starts"]) == (False, "out of reach", 2)
    assert answer["position_error"] == pytest.approx(3.0)


@pytest.mark.parametrize("verb", ["torque", "fk", "jacobian"])
def test_positions_that_may_be_degrees_are_told(shell: Shell, verb: str) -> None:
    said = shell(verb, "ur5", "--q", "0,-90,90,0,0,0", columns=400)
    assert said.code == 0
    assert (
        "note: shoulder_lift_joint at -90 rad is beyond its limits, -6.283 to 6.283 rad, and would be within them as "
        "degrees, as elbow_joint; write -90deg if degrees are meant" in said.err
    )
    for q in ("0,-90deg,90deg,0,0,0", "0,-90 rad,90 rad,0,0,0", "0,-1.5,1.5,0,0,0", "0,-900,0,0,0,0"):
        assert "if degrees are meant" not in shell(verb, "ur5", "--q", q, columns=400).err


def test_an_angle_of_less_than_a_turn_may_be_in_rad(shell: Shell, tmp_path: Path) -> None:
    """Beyond its limits too: 3 rad are 172 degrees, and 6.28 rad are a turn; 6.3 rad are taken for degrees."""
    limited = armdyn.load("planar_2r").with_limits({"joint_1": (-1.5, 1.5), "joint_2": (-1.5, 1.5)})
    (tmp_path / "arm.urdf").write_text(limited.to_urdf())
    arm = str(tmp_path / "arm.urdf")
    for q in ("3,0", "-3.2,0", "6.28,-6.28", "0,100"):  # 100 degrees are beyond 1.5 rad too
        assert "degrees" not in shell("torque", arm, "--q", q, columns=400).err
    for q, first in (("6.3,0", "joint_1 at 6.3 rad"), ("0,-30", "joint_2 at -30 rad"), ("3,30", "joint_2 at 30 rad")):
        err = shell("torque", arm, "--q", q, columns=400).err
        assert f"note: {first} is beyond its limits, -1.5 to 1.5 rad, and would be within them as degrees" in err
        assert (", as joint_1;" in err) == (q == "3,30")


def test_a_motion_that_may_begin_in_degrees_is_told(shell: Shell) -> None:
    said = shell("simulate", "planar_2r", "--q0", "90,0", "--duration", "0.01", "--json")
    assert not any("degrees" in note for note in json.loads(said.out)["notes"])  # no limits
    said = shell("simulate", "ur5", "--q0", "0,-90,90,0,0,0", "--duration", "0.01", "--json")
    (note,) = [note for note in json.loads(said.out)["notes"] if "degrees" in note]
    assert note.startswith("shoulder_lift_joint at -90 rad is beyond its limits")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ik", "ur5"), "there is no target; expected --xyz"),
        (("ik", "ur5", "--xyz", "1,2"), "--xyz has 2 numbers; expected 3 numbers separated by commas, x,y,z"),
        (("ik", "ur5", "--xyz", "1,2,3deg"), "--xyz[2] is '3deg', an angle; expected a unit like m"),
        (("ik", "ur5", "--rpy", "0,0,0", "--quaternion", "1,0,0,0"), "given twice: by --rpy and by --quaternion"),
        (("ik", "ur5", "--pose", "1,2,3"), "--pose has 3 numbers; expected 12 numbers"),
        (("ik", "ur5", "--pose", "1,0,0,0,0,1,0,0,0,0,2,0"), "--pose"),
        (("ik", "ur5", "--pose", "1,0,0,0,0,1,0,0,0,0,1,0", "--xyz", "0,0,0"), "given twice: by --pose and by --xyz"),
        (("ik", "ur5", "--quaternion", "1,1,0,0"), "has length 1.41421; expected a unit one"),
        (("ik", "ur5", "--pointing", "0,0,0"), "--pointing is zero"),
        (("ik", "ur5", "--xyz", ".4,.2,.3", "--q0", "7,0,0,0,0,0"), "move it inside, or pass --ignore-limits"),
        (("ik", "ur5", "--xyz", ".4,.2,.3", "--frame", "tool"), "Did you mean 'tool0'?"),
        (("ik", "ur5", "--xyz", ".4,.2,.3", "--choose", "near"), "Did you mean 'nearest'?"),
        (("fk", "ur5", "--frame", "tool"), "Did you mean 'tool0'?"),
        (("fk", "UR5"), "no bundled robot 'UR5' in armdyn (11 bundled robots). Did you mean 'ur5'?"),
        (("fk", "ur5", "--q", "0,0,0,0,0,0", "--motion", "x.csv"), "given twice: by --motion and by --q"),
        (("jacobian", "ur5", "--expressed-in", "base"), "no way 'base' in --expressed-in"),
        (("jacobian", "ur5", "-o", "."), "is a folder; expected the name of a file"),
    ],
)
def test_bad_input(shell: Shell, words: tuple[str, ...], expected: str) -> None:
    said = shell(*words, columns=400)
    assert said.code == 2, said
    assert said.out == ""
    assert expected in " ".join(said.err.split())
