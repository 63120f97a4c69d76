"""Joint equalities of MJCF, as MuJoCo itself measures them."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn import ModelError, Robot, Unsupported
from oracles.states import assert_close

ARM = """<mujoco model="arm">
  <compiler angle="degree"/>
  <option gravity="1 -2 -9"><flag contact="disable"/></option>
  <worldbody>
    <body>
      <joint name="lift" axis="0 1 0" ref="20" armature="0.1"/> <geom size="0.1" pos="0.1 0.2 0.3"/>
      <body pos="0 0 0.3" euler="10 20 30">
        <joint name="reach" type="slide" axis="1 0 0" ref="0.2" armature="0.3"/> <geom size="0.12" pos="0.1 0 0"/>
        <body pos="0 0.2 0.3">
          <joint name="bend" axis="1 0 0" ref="-15"/> <geom size="0.08" pos="0 0.1 0.2"/>
          <body pos="0.1 0 0.2"> <joint name="turn" axis="0 0 1" pos="0 0.1 0"/> <geom size="0.09"/> </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality/>
</mujoco>"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "arm.xml"


def read(file: Path, *equalities: str, **options: object) -> Robot:
    file.write_text(ARM.replace("<equality/>", f"<equality>{''.join(equalities)}</equality>"))
    return Robot.from_mjcf(file, **options)


def gear(joint: str, other: str | None, coefficients: str, name: str = "gear", more: str = "") -> str:
    second = f'joint2="{other}"' if other else ""
    return f'<joint name="{name}" joint1="{joint}" {second} polycoef="{coefficients}" {more}/>'


def by_name(m: mujoco.MjModel, robot: Robot) -> np.ndarray:
    """qpos addresses of the robot's joints."""
    return np.array([m.joint(name).qposadr[0] for name in robot.model.joint_names])


COUPLINGS = [
    (gear("reach", "lift", "0.1 0.7 0 0 0"),),
    (gear("lift", "reach", "0.1 -1.7 0 0 0"), gear("turn", "bend", "0 1.5 0 0 0", "second")),
    (gear("lift", "bend", "0.1 2 0 0 0"), gear("bend", "turn", "-0.2 0.5 0 0 0", "second")),
    (gear("lift", "bend", "0.1 2 0 0 0"), gear("lift", "turn", "-0.2 0.5 0 0 0", "second")),
    (gear("bend", None, "0.25 3 0 0 0"), gear("lift", "reach", "0 1 0 0 0", "second")),
]


@pytest.mark.short_run(without=("held",))
@pytest.mark.parametrize("equalities", COUPLINGS, ids=["one", "two", "chain", "shared", "held"])
def test_mujoco_finds_no_violation(file: Path, equalities: tuple[str, ...]) -> None:
    """The residuals that MuJoCo measures are zero for every q, and are not for other positions."""
    robot = read(file, *equalities)
    m = mujoco.MjModel.from_xml_path(str(file))
    assert robot.dof == m.njnt - len(equalities)
    free = read(file)
    d, rng = mujoco.MjData(m), np.random.default_rng(61)
    for q in rng.normal(size=(5, robot.dof)):
        joints = dict(zip(robot.model.joint_names, robot.joint_positions(q), strict=True))
        for name in free.joint_names:
            d.qpos[m.joint(name).qposadr[0]] = joints.get(name, 0.25 + m.qpos0[m.joint(name).qposadr[0]])
        mujoco.mj_forward(m, d)
        residuals = d.efc_pos[d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
        assert residuals.shape == (len(equalities),)
        assert np.abs(residuals).max() < 1e-14
        d.qpos += rng.normal(size=m.nq)
        mujoco.mj_forward(m, d)
        assert np.abs(d.efc_pos[: len(equalities)]).min() > 1e-3


@pytest.mark.parametrize("equalities", COUPLINGS[:4], ids=["one", "two", "chain", "shared"])
def test_dynamics_are_mujocos_on_the_coupled_motions(file: Path, equalities: tuple[str, ...]) -> None:
    """M and h of MuJoCo's free joints, projected on the motions that its own equality rows J qd = 0 allow."""
    robot = read(file, *equalities)
    m = mujoco.MjModel.from_xml_path(str(file))
    d, rng, place = mujoco.MjData(m), np.random.default_rng(62), by_name(m, robot)
    for q, qd in rng.normal(size=(4, 2, robot.dof)):
        step = np.array([robot.joint_positions(q + e) - robot.joint_positions(q - e) for e in np.eye(robot.dof)])
        A = 0.5 * step.T
        d.qpos[place], d.qvel[place] = robot.joint_positions(q), A @ qd
        mujoco.mj_forward(m, d)
        rows = d.efc_J.reshape(d.nefc, m.nv)[: len(equalities)][:, place]
        assert np.abs(rows @ A).max() < 1e-12
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, M, d.qM) if not hasattr(d, "M") else mujoco.mj_fullM(m, d, M)
        assert_close(robot.mass_matrix(q)[None], (A.T @ M[np.ix_(place, place)] @ A)[None])
        assert_close(robot.bias_forces(q, qd)[None], (A.T @ d.qfrc_bias[place])[None])


def test_what_is_read_and_what_mujoco_does_besides_is_noted(file: Path) -> None:
    notes = read(file, gear("reach", "lift", "0.1 0.7 0 0 0")).notes
    assert any("equality 'gear' (arm.xml:16): held exactly, where MuJoCo lets them give" in note for note in notes)


def test_the_first_joint_follows_where_it_can(file: Path) -> None:
    assert read(file, gear("lift", "bend", "0 2 0 0 0")).joint_names == ("reach", "bend", "turn")
    shared = read(file, gear("lift", "bend", "0 2 0 0 0"), gear("lift", "turn", "0 3 0 0 0", "b"))
    assert len(shared.joint_names) == 2
    assert "lift" not in shared.joint_names


def test_either_joint_may_be_locked(file: Path) -> None:
    """q_reach - 0.2 = 0.1 + 0.7 (q_lift - 20 deg), whichever is given."""
    equality = gear("reach", "lift", "0.1 0.7 0 0 0")
    for locked in ({"lift": 0.5}, {"reach": 0.2 + 0.1 + 0.7 * (0.5 - np.radians(20.0))}):
        robot = read(file, equality, locked=locked)
        assert robot.joint_names == ("bend", "turn")
        expected = read(file, locked={"lift": 0.5, "reach": 0.3 + 0.7 * (0.5 - np.radians(20.0))})
        assert_close(robot.gravity_forces([[0.1, 0.2]]), expected.gravity_forces([[0.1, 0.2]]))
        assert any("is held at" in note and "equality 'gear' (arm.xml:16), with" in note for note in robot.notes)


def test_locks_pass_along_a_chain(file: Path) -> None:
    robot = read(file, *COUPLINGS[2], locked={"turn": 0.0})
    assert robot.joint_names == ("reach",)


def test_a_curve_is_refused_unless_it_is_held(file: Path) -> None:
    curve = gear("reach", "lift", "0.1 0.7 0.2 0 0")
    with pytest.raises(
        Unsupported, match=r"equality 'gear' \(arm.xml:16\): joint 'reach' is a curve of 'lift' \(polycoef"
    ):
        read(file, curve)
    with pytest.raises(Unsupported, match="is a curve of 'lift'"):
        read(file, curve, locked={"reach": 0.3})
    robot = read(file, curve, locked={"lift": 0.5})
    x = 0.5 - np.radians(20.0)
    expected = read(file, locked={"lift": 0.5, "reach": 0.3 + 0.7 * x + 0.2 * x**2})
    assert_close(robot.gravity_forces([[0.1, 0.2]]), expected.gravity_forces([[0.1, 0.2]]))


def test_what_is_locked_elsewhere_is_noted(file: Path) -> None:
    robot = read(file, gear("reach", "lift", "0.1 0.7 0 0 0"), locked={"lift": 0.5, "reach": 0.0})
    assert any("holds joint 'reach' at 0.405654, and it is held at 0 as asked for" in note for note in robot.notes)


def test_a_joint_that_is_left_out_ties_nothing(file: Path) -> None:
    robot = read(file, gear("lift", "turn", "0 1 0 0 0"), tip="body_3", chain=True)
    assert robot.joint_names == ("lift", "reach", "bend")
    assert any("ties 'lift' to 'turn', which is left out: 'lift' is free" in note for note in robot.notes)


def test_what_is_switched_off_is_left_out(file: Path) -> None:
    assert read(file, gear("lift", "turn", "0 1 0 0 0", more='active="false"')).dof == 4
    text = ARM.replace("contact=", 'equality="disable" contact=')
    file.write_text(text.replace("<equality/>", f"<equality>{gear('lift', 'turn', '0 1 0 0 0')}</equality>"))
    assert Robot.from_mjcf(file).dof == 4


CONFLICTS = [
    (
        (gear("lift", "bend", "0 2 0 0 0", "one"), gear("bend", "lift", "0 0.5 0 0 0", "back")),
        r"equality 'back' \(arm.xml:16\) says nothing that equality 'one' \(arm.xml:16\) does not say already",
    ),
    (
        (gear("lift", "bend", "0 2 0 0 0", "one"), gear("bend", "lift", "0.1 0.5 0 0 0", "back")),
        r"equality 'back' .* contradicts equality 'one' .*: together they ask for 0 = ",
    ),
    (
        (gear("lift", None, "0.1 0 0 0 0", "one"), gear("lift", None, "0.2 0 0 0 0", "two")),
        r"equality 'two' .* holds joint 'lift' at 0\.549066, and it is held at 0\.449066 by other equalities; mend",
    ),
]


@pytest.mark.parametrize(("equalities", "message"), CONFLICTS, ids=["twice", "conflict", "held apart"])
def test_conflicts(file: Path, equalities: tuple[str, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read(file, *equalities)


def test_limits_of_both_joints_count(file: Path) -> None:
    text = ARM.replace('name="reach"', 'name="reach" range="0.1 0.5"').replace(
        'name="lift"', 'name="lift" range="-60 60"'
    )
    file.write_text(text.replace("<equality/>", f"<equality>{gear('reach', 'lift', '0 0.5 0 0 0')}</equality>"))
    limits = armdyn.Robot.from_mjcf(file).joints[0].limits
    at = np.radians(20.0)
    np.testing.assert_allclose(
        [limits.lower, limits.upper], [(0.1 - 0.2) / 0.5 + at, (0.5 - 0.2) / 0.5 + at], rtol=1e-14
    )
