"""The parts of a robot as a description names them, before they are assembled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from armdyn.model.actuator import JointActuator
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Collar
from armdyn.model.joint_friction import JointFriction
from armdyn.model.limits import UNLIMITED, Limits, float_limits
from armdyn.model.motor_parts import Rotor, Stator
from armdyn.model.parallel_spring import ParallelSpring
from armdyn.spatial.mass_properties import MassProperties
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class LinkPart:
    """A link as a description names it. ``where`` is the prefix of every message about it, e.g. "arm.urdf:214"."""

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    where: str = ""

    @property
    def exact_inertia(self) -> MassProperties:
        """The inertia in `armdyn.base.exact.Exact` numbers."""
        return self.inertia.exact


@dataclass(frozen=True)
class JointPart:
    """A joint as a description names it; "fixed" joints weld their two links.

    Those of several freedoms are marked fixed so that the tree can be assembled before they are refused, or left out
    because they are not on the requested chain.
    """

    name: str
    kind: Literal["revolute", "prismatic", "fixed"]
    parent: str
    child: str
    placement: Array
    axis: Array
    limits: Limits = UNLIMITED
    damping: float = 0.0
    friction: float = 0.0
    collar: Collar = "child"
    where: str = ""
    armature: float = 0.0
    actuator: JointActuator | None = None
    motor_parts: tuple[Rotor | Stator, ...] = ()
    is_multi_dof: bool = False
    parallel_springs: tuple[ParallelSpring, ...] = ()

    @property
    def total_friction(self) -> JointFriction:
        """Its own damping and friction, and those of its actuator's laws `Viscous` and `Coulomb`."""
        own = JointFriction(self.damping, self.friction)
        return own if self.actuator is None else own.plus(self.actuator.joint_friction)


@dataclass(frozen=True)
class MultiDofJoint:
    """A joint of several freedoms, e.g. a floating one, and the link that it carries."""

    name: str
    type: str
    child: str
    where: str


MECHANICS = ("limits", "damping", "friction", "collar", "armature")


def mechanics(joint: object) -> dict[str, Any]:
    """The fields that the joints of all descriptions share in addition to names, pose and axis."""
    return {name: getattr(joint, name) for name in MECHANICS}


def float_mechanics(joint: JointPart) -> dict[str, Any]:
    """The fields of `mechanics` of a checked joint, whose numbers of NumPy and of `decimal` are floats."""
    numbers = {name: float(getattr(joint, name)) for name in ("damping", "friction", "armature")}
    return mechanics(joint) | numbers | {"limits": float_limits(joint.limits)}


def cycles(next_of: Mapping[str, str]) -> Iterator[list[str]]:
    """The cycles of a mapping from names to the next ones; each name is visited once."""
    seen: set[str] = set()
    for start in next_of:
        path: dict[str, None] = {}
        name = start
        while name in next_of and name not in seen:
            seen.add(name)
            path[name] = None
            name = next_of[name]
        if name in path:
            yield [*path][[*path].index(name) :]


def in_tree_order(roots: Iterable[str], joints: Sequence[JointPart]) -> list[JointPart]:
    """The joints that are connected to ``roots``, each after the joint that moves its parent link."""
    on_link: dict[str, list[JointPart]] = {}
    for joint in joints:
        on_link.setdefault(joint.parent, []).append(joint)
    ordered: list[JointPart] = []
    waiting = list(reversed(list(roots)))
    while waiting:
        outgoing = on_link.pop(waiting.pop(), [])  # popped: a cycle is entered once
        ordered += outgoing
        waiting += [joint.child for joint in reversed(outgoing)]
    return ordered


def moved_links(base: str, joints: Iterable[JointPart]) -> list[str]:
    """The links that move against the base, not those that are welded to it; ``joints`` has parents first."""
    welded, moved = {base}, []
    for joint in joints:
        if joint.kind == "fixed" and joint.parent in welded:
            welded.add(joint.child)
        else:
            moved.append(joint.child)
    return moved
