"""Models of Pinocchio in memory, e.g. of ``pinocchio.buildModelFromUrdf``; the library itself is not imported.

Joint i turns about or slides along the column S of its motion subspace, v first, in the frame of the joint; its
placement T_{parent,i} at q = 0, the inertia that it carries, its limits, damping, friction and armature are stated.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.coulomb import Coulomb
from armdyn.actuators.direction_dependent import DirectionDependent
from armdyn.base.errors import ModelError, Unsupported, excerpt
from armdyn.model.assembly import assemble
from armdyn.model.inertia import Inertia
from armdyn.model.joint_order import in_joint_order
from armdyn.model.limits import Limits
from armdyn.model.messages import listing
from armdyn.model.model import Model
from armdyn.model.parts import JointPart, LinkPart
from armdyn.model.passive import Passive
from armdyn.model.selection import FrictionPolicy, Policy, Selection
from armdyn.spatial.rotations import Array, Z

UNIVERSE = "universe"
"""Pinocchio's name of the fixed base, if it carries no body."""

BODY = "BODY"

BOUNDED = ("Velocity", "Effort")
"""The quantities with a limit in both directions."""

QPOS0 = "qpos0"
"""The reference configuration that Pinocchio makes from the ``ref`` of MJCF's joints."""

SHOWN = 10
"""The most joints that one note names."""


def is_pinocchio_model(source: object) -> bool:
    """True if an object is a ``pinocchio.Model``."""
    kind = type(source)
    return kind.__name__ == "Model" and kind.__module__.partition(".")[0] == "pinocchio"


def read_pinocchio_model(
    source: Any,
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: ArrayLike | None = None,
    check_inertia: bool = True,
    problems: Policy = "refuse",
    friction: FrictionPolicy = "count",
    joint_order: str | Sequence[str] = "file",
) -> Model:
    """Read a ``pinocchio.Model`` of revolute and prismatic joints.

    q has one number per joint, in Pinocchio's order; for an unbounded joint, whose configuration Pinocchio keeps as
    cosine and sine, the angle. Links have the names of Pinocchio's bodies. Damping and friction of joints are part of
    the equations here, but not of Pinocchio's ``rnea``: ``friction="ignore"`` leaves them out too.

    Args:
        source: a ``pinocchio.Model``.
        base: as for `read_urdf`, like the other options.
        tip: likewise; any frame of the model except its joints.
        chain: likewise.
        locked: likewise.
        gravity: acceleration of free fall in base axes, m/s^2; the model's by default, turned into the axes of
            ``base``.
        check_inertia: as for `read_urdf`.
        problems: likewise.
        friction: likewise.
        joint_order: likewise.

    Raises:
        ModelError: an object of another kind, or a model that is not an arm.
        Unsupported: joints of several freedoms, helical, mimicking or composite ones.
    """
    if not is_pinocchio_model(source):
        raise ModelError(f"expected a pinocchio.Model, got {excerpt(source)}.")
    selection = Selection(
        base, tip, chain, {} if locked is None else locked, gravity, check_inertia, problems, friction, joint_order
    )
    bodies = _bodies(source)
    links, joints = _links_and_joints(source, bodies)
    welded_links, welds = _frames(source, bodies, {link.name for link in links})
    name = source.name or "pinocchio_model"
    gravity_of_model, notes = np.array(source.gravity.linear), [*_notes(source)]
    whole = assemble(name, [*links, *welded_links], [*joints, *welds], selection, gravity=gravity_of_model, notes=notes)
    return in_joint_order(whole, selection.joint_order)


def _bodies(source: Any) -> list[str]:
    """The name of the link that each joint carries: of the body whose frame is the joint's, or made from its name."""
    names: list[str] = []
    for i in range(source.njoints):
        on_it = (f.name for f in source.frames if f.parentJoint == i and f.type.name == BODY and _is_identity(f))
        result = UNIVERSE if i == 0 else f"{source.names[i]}_body"
        names.append(next(on_it, result))
    return names


def _is_identity(frame: Any) -> bool:
    return bool(np.array_equal(frame.placement.homogeneous, np.eye(4)))


def _links_and_joints(source: Any, bodies: list[str]) -> tuple[list[LinkPart], list[JointPart]]:
    links = [LinkPart(name, _inertia(source.inertias[i]), _place_text(source, i)) for i, name in enumerate(bodies)]
    joints = [_joint(source, i, bodies) for i in range(1, source.njoints)]
    return links, joints


def _place_text(source: Any, i: int) -> str:
    return f"joint {i} {source.names[i]!r} of {source.name!r}"


def _inertia(inertia: Any) -> Inertia:
    return Inertia(float(inertia.mass), np.array(inertia.lever), np.array(inertia.inertia))


def _joint(source: Any, i: int, bodies: list[str]) -> JointPart:
    kind, axis = _motion(source, i)
    v = source.idx_vs[i]
    damping, armature = float(source.damping[v]), float(source.armature[v])
    forwards, backwards = _dry_friction(source, i)
    friction, actuator = (forwards, None) if forwards == backwards else (0.0, _rubbing(forwards, backwards))
    if actuator is not None and min(damping, armature) >= 0.0:  # others are refused with the place of the joint
        actuator = dataclasses.replace(actuator, passive=Passive(armature, damping))
    return JointPart(
        source.names[i], kind, bodies[source.parents[i]], bodies[i], np.array(source.jointPlacements[i].homogeneous),
        axis, limits=_limits(source, i), damping=damping, friction=friction, armature=armature,
        actuator=actuator, where=_place_text(source, i),
    )  # fmt: skip


def _motion(source: Any, i: int) -> tuple[Any, Array]:
    """Revolute or prismatic, and the unit vector about or along it."""
    joint = source.joints[i]
    data = joint.createData()
    if source.nvs[i] == 1 and "Mimic" not in joint.shortname():
        joint.calc(data, _neutral(source))
        S = np.asarray(data.S, dtype=float).ravel()
        for kind, axis, other in (("revolute", S[3:], S[:3]), ("prismatic", S[:3], S[3:])):
            if S.shape == (6,) and axis.any() and not other.any():
                return kind, axis
    raise Unsupported(
        f"{_place_text(source, i)} is a {joint.shortname()}; expected revolute and prismatic joints. {_remedy(joint)}"
    )


def _remedy(joint: Any) -> str:
    if any(word in joint.shortname() for word in ("Mimic", "Composite")):
        return (
            "armdyn.load of the file that the model is made of reads such joints; or lock it with "
            "pinocchio.buildReducedModel"
        )
    return "Lock it with pinocchio.buildReducedModel"


def _neutral(source: Any) -> Array:
    """q = 0, with cosine 1 for unbounded joints."""
    q = np.zeros(source.nq)
    for start, size in zip(source.idx_qs, source.nqs, strict=True):
        if size == 2:
            q[start] = 1.0
    return q


def _limits(source: Any, i: int) -> Limits:
    q, v = source.idx_qs[i], source.idx_vs[i]
    unbounded = source.nqs[i] != 1
    lower, upper = (-np.inf, np.inf) if unbounded else (source.lowerPositionLimit[q], source.upperPositionLimit[q])
    speed, effort = (max(_bounds(source, quantity, v)) for quantity in BOUNDED)
    return Limits(-_limit(-lower), _limit(upper), speed, effort)


def _bounds(source: object, quantity: str, v: int) -> tuple[float, float]:
    """The most backwards and forwards of a velocity or effort; Pinocchio 3 and older have one number for both.

    Newer ones have a lower limit too: of an effort minus the most backwards, of a velocity, by Pinocchio's own readers,
    the number that is the upper one.
    """
    if not hasattr(source, f"upper{quantity}Limit"):
        both = _limit(getattr(source, f"{quantity.lower()}Limit")[v])
        return both, both
    lower, upper = (getattr(source, f"{end}{quantity}Limit")[v] for end in ("lower", "upper"))
    return _limit(abs(lower)), _limit(upper)


def _notes(source: Any) -> Iterator[str]:
    """Numbers of a model that no equation contains, or that differ from those of its file."""
    for quantity in BOUNDED:
        for i in range(1, source.njoints):
            backwards, forwards = _bounds(source, quantity, source.idx_vs[i])
            if source.nvs[i] == 1 and backwards != forwards:
                yield (
                    f"the {quantity.lower()} limit of joint {source.names[i]!r} (-{backwards:g} to {forwards:g}) "
                    "differs with the direction; its larger end is taken"
                )
    if np.any(source.rotorInertia):
        yield "rotorInertia and rotorGearRatio are not counted, as in Pinocchio; their reflected inertia is armature"
    if shifted := [source.names[i] for i in range(1, source.njoints) if _reference(source, i)]:
        yield (
            f"limits of {listing(list(map(repr, shifted)), SHOWN)}: Pinocchio's reader of MJCF shifts those of joints "
            "with a ref; armdyn.load of the file itself has those of the file"
        )


def _reference(source: Any, i: int) -> float:
    """The ``ref`` of a joint that Pinocchio read from MJCF, in Pinocchio's form."""
    configurations = {entry.key(): entry.data() for entry in source.referenceConfigurations}
    return float(configurations[QPOS0][source.idx_qs[i]]) if QPOS0 in configurations and source.nqs[i] == 1 else 0.0


def _limit(value: float) -> float:
    """A limit; the largest floating-point number, Pinocchio's value for no limit, becomes infinity."""
    return np.inf if value >= np.finfo(float).max else float(value)


def _dry_friction(source: Any, i: int) -> tuple[float, float]:
    """Coulomb friction forwards and backwards; Pinocchio 3 and older have one number for both.

    Newer ones have the least and the largest force of it: the least acts on a joint that moves forwards.
    """
    v = source.idx_vs[i]
    if not hasattr(source, "upperDryFrictionLimit"):
        return float(source.friction[v]), float(source.friction[v])
    lower, upper = float(source.lowerDryFrictionLimit[v]), float(source.upperDryFrictionLimit[v])
    if lower != -upper and not lower <= 0.0 <= upper:
        raise Unsupported(
            f"{_place_text(source, i)} has dry friction between {lower:g} and {upper:g}: a force that pushes one way "
            "is not friction. Make lowerDryFrictionLimit at most 0 and upperDryFrictionLimit at least 0."
        )
    return -lower, upper


def _rubbing(forwards: float, backwards: float) -> Actuator:
    """Dry friction that differs between the directions."""
    return Actuator(friction=[DirectionDependent(Coulomb(forwards), Coulomb(backwards))])


def _frames(source: Any, bodies: list[str], taken: set[str]) -> tuple[list[LinkPart], list[JointPart]]:
    """The frames that are not joints or links yet, as massless links welded to the link that carries each."""
    links, welds = [], []
    for frame in _others(source, taken):
        name, carrier = frame.name, bodies[frame.parentJoint]
        links.append(LinkPart(name, where=f"frame {name!r} of {source.name!r}"))
        placement = np.array(frame.placement.homogeneous)
        welds.append(JointPart(f"weld_of_{name}", "fixed", carrier, name, placement, Z))
    return links, welds


def _others(source: Any, taken: set[str]) -> Iterator[Any]:
    seen = {*taken, UNIVERSE}
    for frame in source.frames:
        if frame.type.name in (BODY, "OP_FRAME", "SENSOR") and frame.name not in seen:
            seen.add(frame.name)
            yield frame
