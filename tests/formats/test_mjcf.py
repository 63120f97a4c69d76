"""Arms read through MuJoCo's compiler against MuJoCo itself, with contacts, limits and friction switched off."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from armdyn import Robot, load
from oracles.cases import CASES
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, to_mjcf, to_urdf

ARMS = {
    "three joints on one body, with ref, in degrees": """
      <mujoco model="wrist"><option gravity="1 -2 -9"/><worldbody>
        <body name="upper" pos="0.1 0.2 0.3" euler="10 20 30">
          <joint name="turn" axis="0 1 2" ref="25"/>
          <geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0.1" euler="5 6 7"/>
          <body name="hand" pos="0.4 -0.1 0.2" axisangle="1 2 3 40">
            <joint name="roll" axis="1 0 0" pos="0.05 0.02 0.01" ref="-35"/>
            <joint name="reach" type="slide" axis="0 3 4" ref="0.2" pos="1 2 3"/>
            <joint name="yaw" axis="1 1 1" pos="-0.1 0.3 0.2" ref="70"/>
            <geom type="capsule" size="0.05 0.2" pos="0 0.1 0.2"/>
            <site name="grip" pos="0.1 0.2 0.3" euler="40 50 60"/>
          </body>
        </body>
      </worldbody></mujoco>""",
    "a slide that carries a hinge, inertias given in full and by principal axes": """
      <mujoco><compiler angle="radian"/><default><joint armature="0.3"/>
        <default class="light"><joint armature="0.02" axis="0 1 0"/></default></default><worldbody>
        <body name="sled" quat="1 2 3 4"><joint name="slide" type="slide" axis="1 2 2"/>
          <inertial pos="0.1 0.2 0.3" mass="3" fullinertia="0.5 0.6 0.7 0.05 -0.04 0.03"/>
          <body name="plate" pos="0 0 1" xyaxes="0 1 0 -1 0 1"><joint name="swing" class="light"/>
            <inertial pos="-0.2 0.1 0" quat="4 3 2 1" mass="2" diaginertia="0.1 0.2 0.25"/>
            <body name="welded" pos="0.3 0.1 0.2" euler="0.3 0.2 0.1">
              <inertial pos="0.1 0 0" mass="1.5" diaginertia="0.02 0.03 0.04"/>
              <body pos="0.2 0 0"><joint axis="0 0 1" class="light" ref="0.5"/><geom type="ellipsoid" size=".1 .2 .3"/>
              </body>
            </body>
          </body>
        </body>
      </worldbody></mujoco>""",
    "a tree on a pedestal, masses from densities": """
      <mujoco><compiler inertiafromgeom="true"/><worldbody>
        <body name="pedestal" pos="0 0 0.5" euler="0 30 0"><geom size="0.3"/>
          <body name="left" pos="0 0.5 0"><joint axis="1 0 0" armature="0.5"/><geom type="cylinder" size=".1 .3"/>
            <body name="left_hand" pos="0 0.2 0.1"><joint type="slide" axis="0 1 1"/><geom size=".1" pos=".1 .2 .3"/>
            </body></body>
          <body name="right" pos="0 -0.5 0"><joint axis="1 1 0" pos="0.1 0 0" ref="15"/>
            <inertial pos="0 0 0" mass="7" diaginertia="1 1 1"/>
            <geom type="box" size=".1 .2 .3" pos="0 -.3 0" density="2500"/></body>
        </body>
      </worldbody></mujoco>""",
}


class MuJoCo:
    """The file as MuJoCo computes with it: smooth dynamics with damping, no contacts, limits or dry friction."""

    def __init__(self, path: Path) -> None:
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.model)

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse.copy()

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = q, qd, tau
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        self.forward_dynamics(q, 0.0 * q, 0.0 * q)
        M = np.zeros((self.model.nv, self.model.nv))
        if hasattr(self.data, "qM"):  # before MuJoCo 4
            mujoco.mj_fullM(self.model, M, self.data.qM)
        else:
            mujoco.mj_fullM(self.model, self.data, M)
        return M

    def kinetic_energy(self, q: np.ndarray, qd: np.ndarray) -> float:
        self.forward_dynamics(q, qd, 0.0 * q)
        momentum = np.zeros(self.model.nv)
        mujoco.mj_mulM(self.model, self.data, momentum, qd)
        return 0.5 * float(momentum @ qd)

    def poses(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """T of every named body and site."""
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        bodies = [self.data.body(b) for b in range(self.model.nbody)]
        sites = [self.data.site(s) for s in range(self.model.nsite)]
        return {x.name: pose(x.xmat, x.xpos) for x in [*bodies, *sites] if x.name}


def pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R.reshape(3, 3), p
    return T


@pytest.fixture(params=ARMS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / "arm.xml"
    file.write_text(ARMS[request.param])
    return file


def test_inverse_dynamics(path: Path) -> None:
    robot, oracle = Robot.from_mjcf(path), MuJoCo(path)
    s = random_states(robot.dof, 10, seed=21)
    expected = np.array([oracle.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, strict=True)])
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd), expected)


def test_forward_dynamics(path: Path) -> None:
    robot, oracle = Robot.from_mjcf(path), MuJoCo(path)
    s = random_states(robot.dof, 10, seed=22)
    expected = np.array([oracle.forward_dynamics(*x) for x in zip(s.q, s.qd, s.tau, strict=True)])
    assert_close(robot.forward_dynamics(s.q, s.qd, s.tau), expected)


def test_mass_matrix(path: Path) -> None:
    robot, oracle = Robot.from_mjcf(path), MuJoCo(path)
    s = random_states(robot.dof, 10, seed=23)
    assert_close(robot.mass_matrix(s.q), np.array([oracle.mass_matrix(q) for q in s.q]))


def test_kinetic_energy(path: Path) -> None:
    robot, oracle = Robot.from_mjcf(path), MuJoCo(path)
    s = random_states(robot.dof, 10, seed=24)
    expected = np.array([oracle.kinetic_energy(*x) for x in zip(s.q, s.qd, strict=True)])
    assert_close(robot.kinetic_energy(s.q, s.qd), expected)


def test_poses_of_all_bodies_and_sites(path: Path) -> None:
    robot, oracle = Robot.from_mjcf(path), MuJoCo(path)
    for q in random_states(robot.dof, 5, seed=25).q:
        for name, expected in oracle.poses(q).items():
            np.testing.assert_allclose(robot.forward_kinematics(q, frame=name), expected, rtol=0.0, atol=1e-13)


def test_q_at_the_reference_is_the_arm_as_drawn(tmp_path: Path) -> None:
    """A hinge of ref 0.5 rad stands at q = 0.5 where its body's orientation is the file's."""
    file = tmp_path / "arm.xml"
    file.write_text(
        '<mujoco><compiler angle="radian"/><worldbody><body name="b" pos="1 2 3"><geom size="1"/>'
        '<joint axis="0 0 1" ref="0.5"/></body></worldbody></mujoco>'
    )
    robot = Robot.from_mjcf(file)
    np.testing.assert_allclose(robot.forward_kinematics([0.5]), pose(np.eye(3), np.array([1, 2, 3])), atol=1e-15)
    assert robot.link_names == ("world", "b")


@pytest.mark.short_run("3")
@pytest.mark.parametrize("seed", [3, 4])
def test_one_tree_as_urdf_and_as_mjcf(tmp_path: Path, seed: int) -> None:
    tree = random_tree(seed, 8)
    (tmp_path / "tree.xml").write_text(to_mjcf(tree))
    (tmp_path / "tree.urdf").write_text(to_urdf(tree))
    mjcf = load(tmp_path / "tree.xml", tip=tree.tip)
    urdf = load(tmp_path / "tree.urdf", tip=tree.tip, gravity=tree.gravity)
    assert np.array_equal(mjcf.gravity, tree.gravity)
    order = [mjcf.joint_names.index(name) for name in urdf.joint_names]
    s = random_states(urdf.dof, 10, seed)

    def in_order(values: np.ndarray) -> np.ndarray:
        result = np.empty_like(values)
        result[:, order] = values
        return result

    found = mjcf.inverse_dynamics(*map(in_order, (s.q, s.qd, s.qdd)), s.f_tip)[:, order]
    assert_close(found, urdf.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip))
    assert_close(mjcf.forward_kinematics(in_order(s.q)), urdf.forward_kinematics(s.q))


def test_one_arm_as_urdf_and_as_mjcf(tmp_path: Path) -> None:
    """The UR5's URDF as MuJoCo reads it and writes it as MJCF."""
    case = CASES["ur5"]()
    spec = mujoco.MjSpec.from_file(str(case.urdf))
    spec.compiler.fusestatic, spec.compiler.balanceinertia = False, False
    spec.compile()
    file = tmp_path / "ur5.xml"
    file.write_text(spec.to_xml())
    mjcf, s = Robot.from_mjcf(file, tip=case.robot.tip, gravity=case.robot.gravity), random_states(6, 10, seed=5)
    # MuJoCo writes its files with about six digits.
    assert_close(mjcf.inverse_dynamics(s.q, s.qd, s.qdd), case.robot.inverse_dynamics(s.q, s.qd, s.qdd), relative=1e-4)


DETAILS = """
<mujoco model="details"><compiler angle="radian"/><worldbody>
  <body name="turret" euler="0 0.4 0"><geom name="base" size="0.1"/>
    <joint name="pan" axis="0 0 1" range="-1 2" damping="0.5" frictionloss="0.25" armature="0.125"
           actuatorfrcrange="-30 30"/>
    <site name="turret" pos="1 0 0"/><site/>
    <body name="arm" pos="0 0 1" euler="0.3 0 0"><geom type="box" size="1 2 3" contype="0" conaffinity="0"/>
      <joint name="tilt" axis="0 1 0" actuatorfrcrange="-10 20"/>
    </body>
  </body></worldbody>
  <actuator><motor joint="pan"/></actuator><sensor><jointpos joint="pan"/></sensor><keyframe><key/></keyframe>
</mujoco>
"""


@pytest.fixture
def details(tmp_path: Path) -> Path:
    file = tmp_path / "details.xml"
    file.write_text(DETAILS)
    return file


def test_what_a_joint_says_is_kept(details: Path) -> None:
    pan, tilt = Robot.from_mjcf(details).joints
    assert (pan.limits.lower, pan.limits.upper, pan.limits.effort) == (-1.0, 2.0, 30.0)
    assert (pan.damping, pan.friction, pan.armature) == (0.5, 0.25, 0.125)
    assert (tilt.limits.lower, tilt.limits.upper, tilt.limits.effort) == (-np.inf, np.inf, 20.0)


def test_what_is_not_used_is_noted(details: Path) -> None:
    assert Robot.from_mjcf(details).notes == (
        "the range of what actuators put on joint 'tilt' (-10 to 20) differs with the direction; its larger end is "
        "taken as the effort limit",
        "1 of 2 sites have no name and are left out",
        "1 actuator is not part of the equations: tau is what it puts on the joints",
        "1 keyframe is not used",
        "1 sensor is not used",
        "no tip: the robot has 2 end frames (arm, turret_site), and no frame called tool0, tcp, flange or ee_link; "
        "choose one with tip=",
    )


def test_names(details: Path) -> None:
    robot = Robot.from_mjcf(details)
    assert (robot.name, robot.link_names) == ("details", ("world", "turret", "arm"))
    assert robot.frame_names == ("world", "turret", "arm", "turret_site")
    assert robot.tip is None  # arm or turret_site: the file does not say which
    assert Robot.from_mjcf(details, tip="turret_site").tip == "turret_site"


def test_gravity_is_turned_to_the_base(details: Path) -> None:
    """The turret stands askew: seen from it, gravity has another direction; what hangs on it moves as before."""
    part, s = Robot.from_mjcf(details, base="turret"), random_states(1, 5, seed=6)
    np.testing.assert_allclose(part.gravity, 9.81 * np.array([np.sin(0.4), 0.0, -np.cos(0.4)]), atol=1e-14)
    held = Robot.from_mjcf(details, locked={"pan": 0.0})
    assert_close(part.inverse_dynamics(s.q, s.qd, s.qdd), held.inverse_dynamics(s.q, s.qd, s.qdd))
    assert np.array_equal(Robot.from_mjcf(details, base="turret", gravity=(0, 0, -1)).gravity, [0, 0, -1])
    assert np.array_equal(held.gravity, [0.0, 0.0, -9.81])


def test_gravity_can_be_switched_off(tmp_path: Path) -> None:
    file = tmp_path / "arm.xml"
    file.write_text(DETAILS.replace("<worldbody>", '<option><flag gravity="disable"/></option><worldbody>'))
    assert not Robot.from_mjcf(file).gravity.any()


def test_includes_are_read(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        '<mujocoinclude><body name="b"><joint name="j"/><geom size="1"/></body></mujocoinclude>'
    )
    file = tmp_path / "arm.xml"
    file.write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    assert load(file).joint_names == ("j",)
    assert load(file).name == "arm"


def test_warnings_of_the_compiler_are_notes_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "arm.xml"
    file.write_text(DETAILS.replace('angle="radian"', 'angle="radian" settotalmass="3"'))
    heard: list[str] = []
    mujoco.set_mju_user_warning(heard.append)
    try:
        mujoco.MjModel.from_xml_path(str(file))
        robot = Robot.from_mjcf(file)
        assert mujoco.get_mju_user_warning() is not None  # the program's own handler is back
    finally:
        mujoco.set_mju_user_warning(None)
    warned = [f"MuJoCo's compiler warns: {warning}" for warning in heard]
    assert [note for note in robot.notes if note.startswith("MuJoCo's compiler")] == warned
    assert Robot.from_mjcf(file).notes == robot.notes
    assert list(tmp_path.iterdir()) == [file]
    assert sum(link.inertia.mass for link in robot.model.links) == pytest.approx(3.0)


def test_load_goes_by_the_root_element(tmp_path: Path, details: Path) -> None:
    assert load(details).model.digest == Robot.from_mjcf(details).model.digest
    urdf = tmp_path / "arm.xml"
    urdf.write_text(to_urdf(random_tree(3, 4)))
    assert load(urdf).model.digest == Robot.from_urdf(urdf).model.digest
