"""Arms of servos for simulation: SO-101, OpenArm 2.0 and YAM, bare of shapes, with friction that a fit is not told.

Masses, centres, inertias and frames are those of the makers' descriptions: the SO-101 of example-robot-data, the right
arm of OpenArm 2.0 of the PyPI package openarm-mujoco 2.3.0 (Apache 2.0), the YAM of MuJoCo Menagerie's i2rt_yam
(MIT), with the fingers of both welded to their hands and without friction, armature and gravity compensation.
"""

from __future__ import annotations

from dataclasses import replace

import armdyn
from armdyn.actuators import Actuator, Motor, ServoFriction, published
from oracles.robot_data import ROBOTS

OPENARM = """<mujoco model="openarm_right"><compiler angle="radian"/><worldbody><body name="base" pos="0 -0.031 0">
<body name="link1" pos="0 -0.0625 0">
 <inertial pos="0.00090035 -0.044466 2.88441e-05" quat="0.999901 0.000371041 -5.04627e-05 0.0140338" mass="1.14167"
  diaginertia="0.00109459 0.000758935 0.000670659"/>
 <joint name="joint1" axis="0 -1 0" range="-1.3963 3.4907" actuatorfrcrange="-40 40"/>
 <body name="link2" pos="0 -0.06 0">
  <inertial pos="-0.0247185 7.60578e-08 -0.0312643" quat="0.999342 6.47495e-06 -0.0362804 -3.02331e-06" mass="0.277509"
   diaginertia="0.000153968 0.000113062 8.19211e-05"/>
  <joint name="joint2" axis="-1 0 0" range="-0.17453 3.3161" actuatorfrcrange="-40 40"/>
  <body name="link3" pos="0 0 -0.06625">
   <inertial pos="-0.00300862 -0.000514813 -0.109368" quat="0.998906 -0.00891348 0.0458105 0.00280505" mass="1.07386"
    diaginertia="0.00129561 0.00114038 0.000553361"/>
   <joint name="joint3" axis="0 0 -1" range="-1.5708 1.5708" actuatorfrcrange="-27 27"/>
   <body name="link4" pos="0 0 -0.15375">
    <inertial pos="-0.00310326 -0.00136539 -0.0574601" quat="0.996952 0.00947325 0.00348083 0.0773554" mass="0.634853"
     diaginertia="0.000469894 0.000433114 0.000245134"/>
    <joint name="joint4" axis="0 -1 0" range="0 2.4435" actuatorfrcrange="-27 27"/>
    <body name="link5" pos="0 0 -0.0955">
     <inertial pos="-0.000737189 -0.000412407 -0.0470938" mass="0.615659"
      quat="0.728019 -0.00297125 -0.0023482 0.685547" diaginertia="0.000334799 0.00027946 0.000176657"/>
     <joint name="joint5" axis="0 0 -1" range="-1.5708 1.5708" actuatorfrcrange="-7 7"/>
     <body name="link6" pos="0 0 -0.1205">
      <inertial pos="2.27438e-05 0.000686496 5.44e-05" quat="0.999832 0.0183155 0.000397003 0.000757974" mass="0.475203"
       diaginertia="0.000179276 0.000136249 0.000135339"/>
      <joint name="joint6" axis="0 1 0" range="-0.7854 0.7854" actuatorfrcrange="-7 7"/>
      <body name="hand">
       <inertial pos="0.0137902 0.0084073 -0.05938" quat="0.648846 0.760121 0.0169317 0.0304587" mass="0.52832"
        diaginertia="0.000219417 0.000166122 0.000155742"/>
       <joint name="joint7" axis="1 0 0" range="-1.5708 1.5708" actuatorfrcrange="-7 7"/>
       <body name="inner_finger" pos="-0.00143 0.018 -0.068">
        <inertial pos="-0.0124991 0.00176593 -0.0241663" quat="0.982638 -0.0922084 -0.15927 0.0235197" mass="0.125979"
         diaginertia="3.8543e-05 3.6883e-05 1.43942e-05"/></body>
       <body name="outer_finger" pos="-0.00143 -0.018 -0.068">
        <inertial pos="-0.012796 -0.0020183 -0.026792" quat="0.982097 0.0906989 -0.165079 -0.00294117" mass="0.11372"
         diaginertia="3.70662e-05 3.60159e-05 1.33599e-05"/></body>
</body></body></body></body></body></body></body></body></worldbody></mujoco>"""

YAM = """<mujoco model="yam"><compiler angle="radian"/><worldbody><body name="arm">
<body name="link_1" pos="0 0 0.0631" quat="1 0 0 1">
 <inertial pos="-0.00192861 -0.00795735 0.0208176" quat="0.297851 0.642634 0.360045 0.607185" mass="0.12415"
  diaginertia="0.000180751 0.000145532 5.89179e-05"/>
 <joint name="joint1" axis="0 0 1" range="-2.61799 3.05433" actuatorfrcrange="-28 28"/>
 <body name="link_2" pos="2.5e-05 -0.02 0.0409" quat="1 1 1 1">
  <inertial pos="0.132008 2.10599e-06 0.000293073" quat="1 1 1 1" mass="1.24434"
   diaginertia="0.0121902 0.0121318 0.000683304"/>
  <joint name="joint2" axis="0 0 1" range="0 3.66519" actuatorfrcrange="-28 28"/>
  <body name="link_3" pos="0.264 0 0" quat="0 1 0 0">
   <inertial pos="-0.121816 -0.054846 -0.000111108" quat="1 1 1 1" mass="0.853698"
    diaginertia="0.00699732 0.00696112 0.000788244"/>
   <joint name="joint3" axis="0 0 1" range="0 3.66519" actuatorfrcrange="-28 28"/>
   <body name="link_4" pos="-0.245 -0.06 0">
    <inertial pos="-0.0769778 -0.0527104 0.000154878" quat="0.667 0.667 -0.236 -0.236" mass="0.463511"
     diaginertia="0.000791532 0.000744733 0.000282116"/>
    <joint name="joint4" axis="0 0 1" range="-1.5708 1.5708" actuatorfrcrange="-10 10"/>
    <body name="link_5" pos="-0.074 -0.0395 2.5e-05" quat="1 -1 1 1">
     <inertial pos="3.64861e-05 0.00025665 0.0353526" mass="0.350962" diaginertia="0.000197802 0.0001775 0.000147402"/>
     <joint name="joint5" axis="0 0 1" range="-1.5708 1.5708" actuatorfrcrange="-10 10"/>
     <body name="link_6" pos="0 0.0353 0.0395" quat="1 -1 0 0">
      <inertial pos="-0.000217767 7.37059e-05 0.0270545" quat="1 1 0 0" mass="0.367476"
       diaginertia="0.000265958 0.000242686 0.000227409"/>
      <joint name="joint6" axis="0 0 1" range="-2.0944 2.0944" actuatorfrcrange="-10 10"/>
      <body name="left_finger" pos="-0.037 0.0392 0.0605" quat="1 0 1 0">
       <inertial pos="-0.0192995 -0.0365902 0.039774" quat="0.757351 0.568898 -0.3199 0.0" mass="0.118"
        diaginertia="0.000159084 0.000154909 4.63655e-05"/></body>
      <body name="right_finger" pos="0.037 -0.0392 0.0605" quat="1 0 1 0">
       <inertial pos="-0.0192995 0.0365902 -0.039774" quat="-0.757351 0.568898 -0.3199 0" mass="0.118"
        diaginertia="0.000159084 0.000154909 4.63655e-05"/></body>
</body></body></body></body></body></body></body></worldbody></mujoco>"""

MX_106_STALL = 8.4
"""N m, of the servo whose friction is scaled to larger drives; its maker's number at 12 V."""


def so101() -> armdyn.Robot:
    """The SO-101, bare."""
    return armdyn.load(ROBOTS / "so_arm_description/urdf/so101.urdf", tip="gripper_frame_link")


def openarm() -> armdyn.Robot:
    """The right arm of OpenArm 2.0, bare."""
    return armdyn.load(OPENARM, tip="hand")


def yam() -> armdyn.Robot:
    """The YAM, bare."""
    return armdyn.load(YAM, tip="link_6")


def with_servos(robot: armdyn.Robot, name: str, law: str = "M4") -> armdyn.Robot:
    """The robot with a servo of BAM in each joint, as it was identified."""
    return robot.with_actuators(dict.fromkeys(robot.joint_names, published.servo(name, law)))


def with_scaled_servos(robot: armdyn.Robot) -> armdyn.Robot:
    """The robot with law M4 of the MX-106 in each joint: torques and inertia in proportion to the joint's effort.

    Of the drives of OpenArm and YAM no such law is published.
    """
    servo = published.servo("MX-106", "M4")
    (law,) = servo.friction
    assert isinstance(law, ServoFriction)
    actuators = {}
    for joint, effort in zip(robot.joint_names, robot.effort_limits, strict=True):
        size = effort / MX_106_STALL
        torques = {name: size * getattr(law, name) for name in ("coulomb", "viscous", "stribeck")}
        actuators[joint] = Actuator(Motor(rotor_inertia=size * servo.armature), friction=replace(law, **torques))
    return robot.with_actuators(actuators)
