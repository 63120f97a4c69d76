"""MJCF files that armdyn writes, compiled by MuJoCo: equations of motion, sites of the arm, what has no words."""

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Balancer, Gear, JointSpring, Motor, Spring, Stribeck
from armdyn.base.errors import Unsupported
from armdyn.model.geometry import Box, Cylinder, Geometry, Sphere
from armdyn.robot import Robot
from oracles.cases import CASES
from oracles.short_run import short_run

TOLERANCE = 1e-12


def compiled(robot: Robot) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(robot.to_mjcf())


def sprung() -> Robot:
    """A 2R arm and a slide with everything that MJCF has words for, along skew axes."""
    rng = np.random.default_rng(5)
    tensor = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.35]])
    parts = []
    for k, kind in enumerate(["revolute", "revolute", "prismatic"]):
        axis = rng.normal(size=3)
        parts.append(
            armdyn.Part(
                f"link_{k}",
                f"link_{k - 1}" if k else "base",
                kind,
                axis=axis / np.linalg.norm(axis),
                xyz=rng.normal(size=3),
                rpy=rng.normal(size=3),
                inertia=armdyn.Inertia(1.0 + k, rng.normal(size=3) * 0.1, tensor),
                limits=armdyn.Limits(-1.5, 2.0, effort=40.0),
                damping=0.3 + k,
                armature=0.05,
                friction=0.1 * k,
            )
        )
    robot = Robot.from_links(parts, gravity=(1.0, -2.0, -9.0), name="sprung")
    return robot.with_parallel_springs(
        {"joint_of_link_0": (20.0, 0.3), "joint_of_link_1": JointSpring(5.0, -0.2, quadratic=1.5, cubic=2.0)}
    )


def accelerations(model: mujoco.MjModel, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """MuJoCo's accelerations without its soft dry friction and limits."""
    data = mujoco.MjData(model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, qd, tau
    mujoco.mj_forward(model, data)
    return data.qacc.copy()


@pytest.mark.short_run("ur5")
@pytest.mark.parametrize("name", short_run([n for n in CASES if "tree" not in n], "ur5", "panda_fingers"))
def test_the_equations_of_motion_of_robots(name: str) -> None:
    robot = CASES[name]().robot.without_friction()
    rng = np.random.default_rng(1)
    q, qd = rng.uniform(-1, 1, (2, robot.dof))
    model = compiled(robot)
    order = [robot.joint_names.index(model.joint(k).name) for k in range(model.njnt)]
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q[order], qd[order]
    mujoco.mj_forward(model, data)
    M = np.zeros((robot.dof, robot.dof))
    mujoco.mj_fullM(model, data, M)
    forces, inertia = robot.bias_forces(q, qd)[order], robot.mass_matrix(q)[np.ix_(order, order)]
    np.testing.assert_allclose(M, inertia, rtol=0, atol=TOLERANCE * abs(inertia).max())
    np.testing.assert_allclose(data.qfrc_bias, forces, rtol=0, atol=TOLERANCE * abs(forces).max())


def test_springs_damping_armature_and_gravity() -> None:
    robot = sprung()
    rng = np.random.default_rng(2)
    model = compiled(robot)
    np.testing.assert_allclose(model.dof_frictionloss, [0.0, 0.1, 0.2])
    np.testing.assert_allclose(model.jnt_actfrcrange, [[-40.0, 40.0]] * 3)
    np.testing.assert_allclose(model.jnt_range, [[-1.5, 2.0]] * 3)
    smooth = robot.with_friction({name: (0.3 + k, 0.0) for k, name in enumerate(robot.joint_names)})
    for _ in range(5):
        q, qd, tau = rng.uniform(-1, 1, (3, 3))
        expected = smooth.forward_dynamics(q, qd, tau)
        np.testing.assert_allclose(accelerations(model, q, qd, tau), expected, rtol=TOLERANCE, atol=TOLERANCE)


def test_round_trip(tmp_path: Path) -> None:
    robot = sprung()
    robot.to_mjcf(tmp_path / "arm.xml")
    back = armdyn.load(tmp_path / "arm.xml")
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 20, 3))
    assert back.joint_names == robot.joint_names
    np.testing.assert_allclose(
        back.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), rtol=TOLERANCE, atol=TOLERANCE
    )
    np.testing.assert_allclose(
        back.forward_kinematics(q, frame="link_2"), robot.forward_kinematics(q, frame="link_2"), atol=1e-14
    )
    assert [joint.limits.effort for joint in back.joints] == [40.0] * 3


MIMIC = """<robot name="gripper"> <link name="base"/>
  <link name="left">
    <inertial> <mass value="1"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial> </link>
  <link name="right">
    <inertial> <mass value="2"/> <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/> </inertial> </link>
  <joint name="a" type="prismatic"> <parent link="base"/> <child link="left"/> <axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="10" velocity="1"/> </joint>
  <joint name="b" type="prismatic"> <parent link="base"/> <child link="right"/> <axis xyz="0 0 1"/>
    <limit lower="-4" upper="4" effort="10" velocity="1"/> <mimic joint="a" multiplier="-2.5" offset="0.3"/> </joint>
</robot>"""


def test_joints_that_mimic_others() -> None:
    robot = armdyn.load(MIMIC)
    with pytest.warns(armdyn.DescriptionWarning, match="velocity limits"):
        model = compiled(robot)
    np.testing.assert_array_equal(model.eq_data[0, :5], [0.3, -2.5, 0.0, 0.0, 0.0])
    back = armdyn.load(model)
    np.testing.assert_allclose(back.inverse_dynamics([0.2], [0.1], [0.5]), robot.inverse_dynamics([0.2], [0.1], [0.5]))


def test_shapes_are_geoms_without_mass_and_contacts() -> None:
    tilted = np.eye(4)
    tilted[:3, 3] = [0.1, 0.0, 0.2]
    shapes = (
        Geometry("link_1", "visual", Box((0.2, 0.4, 0.6)), tilted),
        Geometry("link_1", "collision", Cylinder(0.05, 0.3), tilted),
        Geometry("base", "collision", Sphere(0.1)),
    )
    robot = armdyn.load("planar_2r")
    shown = Robot(robot.model.replace(geometry=shapes))
    model = compiled(shown)
    assert model.ngeom == 3
    sizes = {int(kind): size.tolist() for kind, size in zip(model.geom_type, model.geom_size, strict=True)}
    assert sizes[mujoco.mjtGeom.mjGEOM_BOX] == [0.1, 0.2, 0.3]
    assert sizes[mujoco.mjtGeom.mjGEOM_CYLINDER][:2] == [0.05, 0.15]
    assert not model.geom_contype.any()
    np.testing.assert_array_equal(model.body_mass, compiled(robot).body_mass)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda r: r.with_actuators({"joint_1": Actuator(friction=[Stribeck(2.0, 1.0, 0.1)])}),
            "friction by the law Stribeck",
        ),
        (lambda r: r.with_parallel_springs({"joint_1": Balancer(1.0, 0.1, 0.2, 0.05)}), "parallel springs other than"),
        (
            lambda r: r.with_actuators(
                {"joint_1": Actuator(Motor(rotor_inertia=1e-4), Gear(50.0), spring=Spring(1e4))}
            ),
            "a spring in series",
        ),
    ],
)
def test_no_words(change: Callable[[Robot], Robot], message: str) -> None:
    with pytest.raises(Unsupported, match=message):
        change(armdyn.load("planar_2r")).to_mjcf()


def test_point_masses_and_massless_links() -> None:
    robot = armdyn.load("planar_2r")  # two point masses
    q, qd, tau = np.random.default_rng(4).uniform(-1, 1, (3, 2))
    np.testing.assert_allclose(
        accelerations(compiled(robot), q, qd, tau), robot.forward_dynamics(q, qd, tau), rtol=TOLERANCE
    )


def test_an_inertia_that_no_body_has_is_named() -> None:
    inertia = armdyn.Inertia(1.0, [0.0, 0.0, 0.1], np.diag([0.1, 0.1, 0.3]))
    robot = Robot.from_links([armdyn.Part("disc", "base", axis=(0, 0, 1), inertia=inertia)], check_inertia=False)
    with pytest.raises(Unsupported, match=r"inertia of link 'disc' is not that of a rigid body.*armdyn doctor"):
        robot.to_mjcf()


def test_notes_name_what_is_not_written() -> None:
    with pytest.warns(armdyn.DescriptionWarning, match="velocity limits are not written: 'shoulder_pan_joint'"):
        text = armdyn.load("ur5").to_mjcf()
    assert "velocity limits are not written" in text
