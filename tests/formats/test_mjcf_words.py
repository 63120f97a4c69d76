"""Every row of the table of MJCF's words is run: beside MuJoCo's numbers, as a refusal, or as a note.

What a note or a word without bearing leaves out does not change MuJoCo's own forces; what is refused does.
"""

from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn import Robot, Unsupported
from armdyn.actuators import Actuator
from formats.mjcf_words import ROWS, arm
from formats.words import Row, rows_of_page, rows_of_tests
from oracles.states import assert_close

pytestmark = [
    pytest.mark.skipif(mujoco.__version__ < "4", reason="the table is that of MuJoCo 4"),
    pytest.mark.usefixtures("compiled_here"),
]


def states(dof: int) -> np.ndarray:
    """q, qd and qdd, fast enough for MuJoCo's soft friction to be as large as it gets."""
    rng = np.random.default_rng(7)
    sign = rng.choice([-1.0, 1.0], (4, dof))
    return np.stack(
        [rng.uniform(-1.5, 1.5, (4, dof)), sign * rng.uniform(2.0, 3.0, (4, dof)), rng.normal(0.0, 0.2, (4, dof))]
    )


def forces(m: mujoco.MjModel) -> np.ndarray:
    """M and the inverse dynamics of MuJoCo at some states."""
    d, rows = mujoco.MjData(m), []
    for q, qd, qdd in zip(*states(m.nv), strict=True):
        d.qpos[:], d.qvel[:], d.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        rows.append(np.append(d.qfrc_inverse, M))
    return np.array(rows)


def ours(robot: Robot) -> np.ndarray:
    q, qd, qdd = states(robot.dof)
    return np.hstack([robot.inverse_dynamics(q, qd, qdd), robot.mass_matrix(q).reshape(len(q), -1)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "arm.xml"


def peer(row: Row, file: Path) -> mujoco.MjModel:
    file.write_text(arm(dict(row.parts)))
    return mujoco.MjModel.from_xml_path(str(file))


@pytest.fixture(autouse=True)
def no_log_file() -> Iterator[None]:
    """MuJoCo writes its warnings into a file of the working directory, unless they are handled."""
    mujoco.set_mju_user_warning(lambda _: None)
    yield
    mujoco.set_mju_user_warning(None)


def of(outcome: str) -> pytest.MarkDecorator:
    rows = [row for row in ROWS if row.outcome == outcome]
    return pytest.mark.parametrize("row", rows, ids=[row.label for row in rows])


@of("counted")
def test_counted(row: Row, file: Path) -> None:
    """From the file and from the model in memory."""
    m = peer(row, file)
    for robot in (Robot.from_mjcf(file), armdyn.load(m)):
        CHECKS[row.check](robot, m)
        assert any(row.says in note for note in ("", *robot.notes))


@of("Unsupported")
def test_unsupported(row: Row, file: Path) -> None:
    """MuJoCo's motion depends on the word, and both readers name it."""
    m, bare = peer(row, file), mujoco.MjModel.from_xml_string(arm({}))
    if m.nv == bare.nv and not m.neq:
        assert np.abs(forces(m) - forces(bare)).max() > 1e-3
    else:
        assert (m.nv, m.neq) != (bare.nv, bare.neq)
    with pytest.raises(Unsupported) as caught:
        Robot.from_mjcf(file)
    assert row.says in str(caught.value)
    with pytest.raises(Unsupported):
        armdyn.load(m)


@of("note")
def test_note(row: Row, file: Path) -> None:
    """What is left out bears on no force, and is named."""
    m, robot = peer(row, file), Robot.from_mjcf(file)
    assert any(row.says in note for note in robot.notes), robot.notes
    CHECKS[row.check](robot, m)


@of("no bearing")
def test_no_bearing(row: Row, file: Path) -> None:
    m, robot = peer(row, file), Robot.from_mjcf(file)
    assert_close(forces(m), forces(mujoco.MjModel.from_xml_string(arm({}))))
    CHECKS[row.check](robot, m)


def check_dynamics(robot: Robot, m: mujoco.MjModel) -> None:
    assert_close(ours(robot), forces(m))


def check_ranges(robot: Robot, m: mujoco.MjModel) -> None:
    assert [(j.limits.lower, j.limits.upper) for j in robot.joints] == [(-1.0, 2.0), (-np.inf, np.inf)]
    assert m.jnt_range[0].tolist() == [-1.0, 2.0]


def check_efforts(robot: Robot, m: mujoco.MjModel) -> None:
    """The most that MuJoCo's actuators ever put on each joint."""
    d = mujoco.MjData(m)
    most = np.zeros(m.nv)
    for far in (-1e9, 1e9):
        d.ctrl[:] = far
        mujoco.mj_forward(m, d)
        most = np.maximum(most, np.abs(d.qfrc_actuator))
    assert most.any()
    for joint, force in zip(robot.joints, most, strict=True):
        is_bounded = 0.0 < force < 1e8  # 0 is a joint without an actuator
        assert joint.limits.effort == (pytest.approx(force, rel=1e-15) if is_bounded else np.inf)


def check_commanded_gravity(robot: Robot, m: mujoco.MjModel) -> None:
    """MuJoCo's own command holds 0.7 of the weight: with it, the same acceleration."""
    d = mujoco.MjData(m)
    for q, qd, _ in zip(*states(m.nv), strict=True):
        d.qpos[:], d.qvel[:] = q, qd
        mujoco.mj_forward(m, d)
        assert np.abs(d.qfrc_actuator).min() > 0.0
        assert_close(robot.forward_dynamics(q, qd, d.qfrc_actuator), d.qacc)


def check_loop(robot: Robot, m: mujoco.MjModel) -> None:
    """The rows of MuJoCo: those of the point alike at any q; those of the axes, half as long, where the weld holds."""
    J, A = equality_rows(m, q := states(m.nv)[0][0]), robot.constraint_jacobian(q)
    assert_close(A[:3].T @ A[:3], J[:3].T @ J[:3])
    J, A = equality_rows(m, q := np.zeros(m.nv)), robot.constraint_jacobian(q)
    if len(A) > 3:
        assert_close(A[3:].T @ A[3:], 4.0 * J[3:].T @ J[3:])
    else:
        assert not J[3:].any()


def equality_rows(m: mujoco.MjModel, q: np.ndarray) -> np.ndarray:
    d = mujoco.MjData(m)
    d.qpos[:] = q
    mujoco.mj_forward(m, d)
    return np.array(d.efc_J).reshape(d.nefc, m.nv)[d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]


def check_coupling(robot: Robot, m: mujoco.MjModel) -> None:
    """MuJoCo's rows see no error and no motion against them where ours has the joints; the same reduced M."""
    d = mujoco.MjData(m)
    at = robot.joint_positions([0.3])
    along = robot.joint_positions([1.3]) - at
    d.qpos[:] = at
    mujoco.mj_forward(m, d)
    J = np.array(d.efc_J).reshape(d.nefc, m.nv)
    np.testing.assert_allclose(np.append(d.efc_pos, J @ along), 0.0, atol=1e-15)
    M = np.zeros((2, 2))
    mujoco.mj_fullM(m, d, M)
    assert_close(robot.mass_matrix([0.3]), (along @ M @ along).reshape(1, 1))


def check_motor(robot: Robot, m: mujoco.MjModel) -> None:
    check_dynamics(robot, m)
    check_efforts(robot, m)
    actuator = robot.joints[0].actuator
    assert isinstance(actuator, Actuator)
    assert actuator.motor is not None
    d = mujoco.MjData(m)
    d.ctrl[:] = 3.0  # V
    mujoco.mj_forward(m, d)
    at_stall = 30.0 * actuator.motor.torque_constant * 3.0 / actuator.motor.resistance
    assert_close(np.array([at_stall]), d.qfrc_actuator[:1])


def check_frames(robot: Robot, m: mujoco.MjModel) -> None:
    d = mujoco.MjData(m)
    for q in states(m.nv)[0]:
        d.qpos[:] = q
        mujoco.mj_kinematics(m, d)
        pose = robot.forward_kinematics(q, frame="tool")
        site = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_SITE, "tool")
        assert_close(pose[:3], np.column_stack([d.site_xmat[site].reshape(3, 3), d.site_xpos[site]]))


CHECKS = {
    "dynamics": check_dynamics,
    "ranges": check_ranges,
    "efforts": check_efforts,
    "commanded gravity": check_commanded_gravity,
    "loop": check_loop,
    "coupling": check_coupling,
    "motor": check_motor,
    "frames": check_frames,
}


def test_the_page_has_these_rows() -> None:
    assert rows_of_page("MJCF, word by word") == rows_of_tests(ROWS)
