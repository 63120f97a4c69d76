"""Robots that armdyn and Pinocchio have both read, joined joint by joint, by name.

What is compared is the bare body: links, joints and gravity. Pinocchio reads the damping and the friction that a file
states and does not put them into these equations, so armdyn is told to ignore them (`test_friction_is_counted`).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

import numpy as np
import pinocchio as pin

import armdyn
from oracles.robot_data import ROBOTS, bare, written
from oracles.trees import TREES, random_tree, to_urdf

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""Pinocchio puts the linear part of twists and wrenches first; armdyn the angular one."""


class Case:
    """One robot twice."""

    def __init__(self, name: str, robot: armdyn.Robot, model: pin.Model, urdf: Path | None = None) -> None:
        self.name, self.robot, self.pin, self.urdf = name, robot, model, urdf
        assert set(model.names[1:]) == set(robot.joint_names)
        ids = [model.getJointId(joint) for joint in robot.joint_names]
        self.column = np.array([model.joints[i].idx_v for i in ids])
        self._position = [(model.joints[i].idx_q, model.joints[i].nq) for i in ids]

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def data(self) -> pin.Data:
        return self.pin.createData()

    @property
    def n(self) -> int:
        return self.robot.dof

    def to_pin(self, v: np.ndarray) -> np.ndarray:
        """Rates or forces in Pinocchio's order."""
        result = np.empty(self.n)
        result[self.column] = v
        return result

    def from_pin(self, v: np.ndarray) -> np.ndarray:
        """The last axis in armdyn's order."""
        return v[..., self.column]

    def pin_q(self, q: np.ndarray) -> np.ndarray:
        """Positions in Pinocchio's order; it takes (cos, sin) for a continuous joint."""
        result = np.empty(self.pin.nq)
        for value, (start, size) in zip(q, self._position, strict=True):
            result[start : start + size] = value if size == 1 else (np.cos(value), np.sin(value))
        return result

    def external(self, f_tip: np.ndarray) -> pin.StdVec_Force:
        """What the surroundings do to the links where the tip applies ``f_tip`` to them: the opposite."""
        frame = self.pin.frames[self.pin.getFrameId(self.robot.tip)]
        forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(self.pin.njoints)])
        on_tip = pin.Force(-f_tip[3:], -f_tip[:3])
        forces[frame.parentJoint] = frame.placement.act(on_tip)
        return forces

    def on_links(self, f_ext: np.ndarray) -> pin.StdVec_Force:
        """Wrenches on all links, in their frames: in Pinocchio those on its joints. The base's goes to the universe."""
        forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(self.pin.njoints)])
        for name, row in zip(self.robot.link_names[1:], f_ext[1:], strict=True):
            frame = self.pin.frames[self.pin.getFrameId(name)]
            forces[frame.parentJoint] = frame.placement.act(pin.Force(row[3:], row[:3]))
        return forces

    def inverse_dynamics(self, q, qd, qdd, f_tip=None) -> np.ndarray:
        arguments = [self.pin_q(q), self.to_pin(qd), self.to_pin(qdd)]
        arguments += [] if f_tip is None else [self.external(f_tip)]
        return self.from_pin(pin.rnea(self.pin, self.data, *arguments))

    def forward_dynamics(self, q, qd, tau, f_tip=None) -> np.ndarray:
        arguments = [self.pin_q(q), self.to_pin(qd), self.to_pin(tau)]
        arguments += [] if f_tip is None else [self.external(f_tip)]
        return self.from_pin(pin.aba(self.pin, self.data, *arguments))

    def mass_matrix(self, q) -> np.ndarray:
        M = pin.crba(self.pin, self.data, self.pin_q(q))
        M = np.triu(M) + np.triu(M, 1).T
        return M[np.ix_(self.column, self.column)]


FROM_URDF: Mapping[str, tuple[str, dict]] = {
    "panda_locked": (
        "panda_description/urdf/panda.urdf",
        {"locked": {"panda_finger_joint1": 0.013}, "tip": "panda_link7"},
    ),
    "panda_fingers": ("panda_description/urdf/panda.urdf", {"tip": "panda_leftfinger"}),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", {}),
    "tiago": ("tiago_description/robots/tiago_no_hand.urdf", {"tip": "arm_tool_link"}),
    "baxter": ("baxter_description/urdf/baxter.urdf", {"tip": "left_gripper"}),
}
FOLLOWERS = {"panda_locked": {"panda_finger_joint2": 0.013}}
"""What a joint that mimics a locked one is held at; Pinocchio has to be told."""


def general_gravity(name: str) -> np.ndarray:
    return np.random.default_rng(len(name)).normal(0.0, 6.0, 3)


def pinocchio_from_urdf(path: Path, gravity: np.ndarray, locked: Mapping[str, float]) -> pin.Model:
    model = pin.buildModelFromUrdf(str(path))
    if locked:
        q = pin.neutral(model)
        ids = [model.getJointId(name) for name in locked]
        for i, value in zip(ids, locked.values(), strict=True):
            joint = model.joints[i]
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
        model = pin.buildReducedModel(model, ids, q)
    model.gravity.linear = gravity
    return model


@cache
def bundled(name: str) -> Case:
    with resources.as_file(resources.files("armdyn.robots") / f"{name}.urdf") as path:
        gravity = general_gravity(name)
        return Case(
            name, armdyn.load(name, gravity=gravity, friction="ignore"), pinocchio_from_urdf(path, gravity, {}), path
        )


@cache
def from_urdf(name: str) -> Case:
    source, options = FROM_URDF[name]
    gravity = general_gravity(name)
    path = ROBOTS / source if name == "panda_locked" else written(bare(source), name)
    robot = armdyn.Robot.from_urdf(path, gravity=gravity, friction="ignore", **options)
    locked = options.get("locked", {}) | FOLLOWERS.get(name, {})
    return Case(name, robot, pinocchio_from_urdf(path, gravity, locked), path)


@cache
def grown(seed: int, joints: int, right_angled: bool) -> Case:
    """A random tree, through a URDF file that both libraries read."""
    tree = random_tree(seed, joints, right_angled=right_angled)
    path = written(ET.ElementTree(ET.fromstring(to_urdf(tree))), tree.name)
    robot = armdyn.Robot.from_urdf(path, tip=tree.tip, gravity=tree.gravity)
    return Case(tree.name, robot, pinocchio_from_urdf(path, tree.gravity, {}), path)


CASES: Mapping[str, Callable[[], Case]] = {
    "ur5": lambda: bundled("ur5"),
    **{name: lambda name=name: from_urdf(name) for name in FROM_URDF},
    **{name: lambda tree=tree: grown(*tree) for name, tree in TREES.items()},
}
