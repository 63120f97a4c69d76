"""The robots that are measured: one URDF file each, the same file for every library.

A joint that is to be locked becomes a fixed joint in that file (at zero), so that no library has to be told. Damping
and friction are left out of it: the bare body is compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.random_tree import random_tree

MOVABLE = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Case:
    """A robot ready to be measured: its name, its URDF file and its movable joints in the order of the file."""

    name: str
    urdf: Path
    joint_names: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of movable joints, n."""
        return len(self.joint_names)


def make_case(name: str, folder: Path) -> Case:
    """Write the URDF file of the robot ``name`` into ``folder`` and describe it."""
    text, locked = CASES[name]()
    root = ElementTree.fromstring(text)
    joints = root.findall("joint")
    for joint in joints:
        is_locked = joint.get("name") in locked
        if is_locked:
            joint.set("type", "fixed")
        for tag in ("axis", "limit", "mimic", "dynamics") if is_locked else ("dynamics",):
            for element in joint.findall(tag):
                joint.remove(element)
    path = folder / f"{name}.urdf"
    path.write_text(ElementTree.tostring(root, encoding="unicode"))
    movable = tuple(str(joint.get("name")) for joint in joints if joint.get("type") in MOVABLE)
    return Case(name, path, movable)


def _example(*parts: str) -> str:
    """The text of a description from the package ``example-robot-data``."""
    for entry in sys.path:
        path = Path(entry, "cmeel.prefix", "share", "example-robot-data", "robots", *parts)
        if path.is_file():
            return path.read_text()
    raise FileNotFoundError(f"{'/'.join(parts)} not found: pip install example-robot-data")


_Source = Callable[[], tuple[str, tuple[str, ...]]]  # the text of a URDF file and the joints to lock

CASES: dict[str, _Source] = {
    "ur5": lambda: (_example("ur_description", "urdf", "ur5_robot.urdf"), ()),
    "panda": lambda: (
        _example("panda_description", "urdf", "panda.urdf"),
        ("panda_finger_joint1", "panda_finger_joint2"),
    ),
    "xarm7": lambda: (_example("xarm_description", "urdf", "xarm7.urdf"), ()),
    "tree30": lambda: (random_tree(joints=30, seed=30), ()),
}
