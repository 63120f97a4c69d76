"""A robot built by hand: one `Part` for each link, with the joint that carries it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, is_one_of, listed, object_problems, text_problems
from armdyn.base.errors import ModelError, ShapeError, excerpt
from armdyn.formats.given import collar_problems, numbers, pose_problems, unit_problems
from armdyn.model.assembly import assemble
from armdyn.model.bounds import largest_problem
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Collar
from armdyn.model.limits import UNLIMITED, Limits
from armdyn.model.model import STANDARD_GRAVITY, Model
from armdyn.model.parallel_spring import ParallelSpring
from armdyn.model.parts import JointPart, LinkPart, mechanics
from armdyn.model.selection import Selection
from armdyn.spatial.rotations import Array, Z, rigid, rotation_from_rpy

PART_KINDS = ("revolute", "prismatic", "fixed")


@dataclass(frozen=True, eq=False)
class Part:
    """A link and the joint that carries it.

    Args:
        name: of the link; its frame is on the joint.
        parent: the link that carries it.
        kind: "revolute", "prismatic" or "fixed".
        axis: unit vector the joint turns about or slides along, in the link's own axes; not for a fixed joint.
        xyz: the joint's place in the parent's frame, m.
        rpy: its turns about the parent's axes x, y and z in this order, rad, as URDF has them.
        T: pose of the link's frame in the parent's at q = 0, shape (4, 4), in place of xyz and rpy.
        inertia: of the link, in its own frame.
        joint: name of the joint; "joint_of_" and the link's name by default.
        limits: of q, and of its speed and force.
        damping: viscous friction, N m s/rad or N s/m.
        friction: Coulomb friction, N m or N.
        collar: the link that carries the collar of a slide, "parent" or "child".
        armature: reflected inertia of the joint's rotor, kg m^2 or kg.
        parallel_springs: between its two links, in addition to its drive.

    >>> load = armdyn.Inertia.point(2.0, [1, 0, 0])
    >>> boom = Part("boom", "base", "revolute", axis=(0, 0, 1), xyz=(0, 0, 0.3), inertia=load)
    >>> boom.joint_name
    'joint_of_boom'
    """

    name: str
    parent: str
    kind: Literal["revolute", "prismatic", "fixed"] = "revolute"
    axis: ArrayLike | None = None
    xyz: ArrayLike | None = None
    rpy: ArrayLike | None = None
    T: ArrayLike | None = None
    inertia: Inertia = field(default_factory=Inertia)
    joint: str | None = None
    limits: Limits = UNLIMITED
    damping: float = 0.0
    friction: float = 0.0
    collar: Collar = "child"
    armature: float = 0.0
    parallel_springs: tuple[ParallelSpring, ...] = ()

    @property
    def joint_name(self) -> str:
        """The joint's name, given or made from the link's."""
        return f"joint_of_{self.name}" if self.joint is None else self.joint


def read_links(
    parts: Sequence[Part],
    *,
    base: str = "base",
    base_inertia: Inertia | None = None,
    tip: str | None = None,
    gravity: ArrayLike = STANDARD_GRAVITY,
    name: str = "links",
    check_inertia: bool = True,
) -> Model:
    """Build an arm, or a tree of them, link by link.

    Args:
        parts: one `armdyn.Part` per link except the base, in the order of q.
        base: name of the link that does not move.
        base_inertia: of that link; it loads no joint.
        tip: the link that counts as the tip. By default the end, if there is only one; else tool0, tcp, flange or
            ee_link; else the robot has no tip, which ``notes`` reports.
        gravity: acceleration of free fall in base axes, m/s^2.
        name: of the robot.
        check_inertia: refuse inertias that no rigid body has; otherwise accept them unchanged, with a note.

    Raises:
        ModelError: parts that do not form a robot, all problems at once, each with its part.

    >>> rod = armdyn.Inertia(1.0, [0.5, 0.0, 0.0], np.diag([0.0, 1 / 12, 1 / 12]))
    >>> pendulum = armdyn.Robot.from_links([
    ...     armdyn.Part("upper", "base", "revolute", axis=(0, -1, 0), inertia=rod),
    ...     armdyn.Part("lower", "upper", "revolute", axis=(0, -1, 0), xyz=(1, 0, 0), inertia=rod),
    ...     armdyn.Part("end", "lower", "fixed", xyz=(1, 0, 0)),
    ... ])
    >>> pendulum.gravity_forces([0.0, 0.0])
    array([19.62 ,  4.905])
    """
    values = listed(parts)
    if values is None:
        raise ShapeError(f"parts is {excerpt(parts)}; expected a list of armdyn.Part, one for each link but the base")
    for i, part in enumerate(values):
        if not isinstance(part, Part):
            raise ShapeError(f"parts[{i}] is {excerpt(part)}; expected an armdyn.Part")
    parts = values
    problems = [problem for i, part in enumerate(parts) for problem in _part_problems(part, _place_text(i, part))]
    if problems:
        raise ModelError(problems)
    links = [LinkPart(base, Inertia() if base_inertia is None else base_inertia)]
    links += [LinkPart(part.name, part.inertia, f"parts[{i}]") for i, part in enumerate(parts)]
    joints = [_joint(part, f"parts[{i}]") for i, part in enumerate(parts)]
    return assemble(name, links, joints, Selection(base, tip, gravity=gravity, check_inertia=check_inertia))


def _place_text(i: int, part: Part) -> str:
    return f"parts[{i}] {excerpt(part.name)}:"


def _part_problems(part: Part, here: str) -> Iterator[str]:
    yield from text_problems(part.name, f"{here} name")
    yield from text_problems(part.parent, f"{here} parent")
    if part.joint is not None:
        yield from text_problems(part.joint, f"{here} joint")
    yield from object_problems(part.inertia, Inertia, f"{here} inertia")
    yield from object_problems(part.limits, Limits, f"{here} limits")
    if not is_one_of(part.kind, PART_KINDS):
        yield f"{here} kind is {excerpt(part.kind)}; expected one of {', '.join(PART_KINDS)}."
    else:
        yield from _place_problems(part, here)


def _place_problems(part: Part, here: str) -> Iterator[str]:
    yield from collar_problems(part.collar, f"{here} collar")
    if is_one_of(part.collar, ("parent",)) and part.kind != "prismatic":
        yield f"{here} a {part.kind} joint has no collar; only prismatic joints have one."
    if part.T is not None and (part.xyz is not None or part.rpy is not None):
        yield f"{here} T and {'xyz' if part.xyz is not None else 'rpy'} both say where the joint is; give one of them."
    elif part.T is not None:
        yield from pose_problems(numbers(part.T, (4, 4), f"{here} T", "a homogeneous matrix"), f"{here} T")
    elif part.rpy is not None:
        angles = numbers(part.rpy, (3,), f"{here} rpy", "roll, pitch, yaw in rad")
        if fault := largest_problem(float(np.abs(angles).max()), "revolute"):
            yield f"{here} rpy holds {fault}."
    if part.kind == "fixed" and part.axis is not None:
        yield f"{here} a fixed joint has no axis."
    if part.kind != "fixed" and part.axis is None:
        yield f"{here} a {part.kind} joint needs its axis, a unit vector in the link's own axes such as (0, 0, 1)."
    elif part.axis is not None:
        yield from unit_problems(numbers(part.axis, (3,), f"{here} axis", "a unit vector"), f"{here} axis")


def _joint(part: Part, where: str) -> JointPart:
    axis = Z if part.axis is None else array(f"{where} axis", part.axis, (3,))
    placement, names = _placement(part, where), (part.joint_name, part.kind, part.parent, part.name)
    springs = part.parallel_springs
    return JointPart(*names, placement, axis, where=where, **mechanics(part), parallel_springs=springs)


def _placement(part: Part, where: str) -> Array:
    if part.T is not None:
        return array(f"{where} T", part.T, (4, 4))
    xyz = None if part.xyz is None else numbers(part.xyz, (3,), f"{where} xyz", "x, y, z in m")
    rpy = None if part.rpy is None else numbers(part.rpy, (3,), f"{where} rpy", "roll, pitch, yaw in rad")
    return rigid(None if rpy is None else rotation_from_rpy(*rpy), xyz)


def parts_of(model: Model) -> list[Part]:
    """The links of a model as parts, and its other frames as massless parts welded to the links that carry them."""
    moved = {joint.child: joint for joint in model.joints}
    parts = [
        Part(
            joint.child, joint.parent, joint.kind, joint.axis, T=joint.placement, joint=joint.name,
            inertia=model.link(joint.child).inertia, **mechanics(joint), parallel_springs=joint.parallel_springs,
        )
        for joint in model.joints
    ]  # fmt: skip
    welded = [frame for frame in model.frames if frame.name != model.base and frame.name not in moved]
    names_in_use = {joint.name for joint in model.joints}
    for frame in welded:
        part = Part(frame.name, frame.link, "fixed", T=frame.pose)
        while part.joint_name in names_in_use:
            part = dataclasses.replace(part, joint=part.joint_name + "_")
        names_in_use.add(part.joint_name)
        parts.append(part)
    return parts
