"""A model with some of its joints locked: the links they carry are welded on, as assembly welds fixed links."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from armdyn.base.errors import ModelError, UnknownName, Unsupported
from armdyn.constraints import Holonomic, JointCoupling, Pfaffian, RowsOf
from armdyn.model.assembly import lock, merge, refuse_motionless
from armdyn.model.constraints import Constraint
from armdyn.model.coordinates import HELD_WITHIN, coupling_of, moved_by, with_coordinates
from armdyn.model.elements import refuse_elements
from armdyn.model.model import Link, Model
from armdyn.model.notes import notes_on_locked, renew_notes
from armdyn.model.parts import JointPart, LinkPart, in_tree_order
from armdyn.model.selection import require_locked
from armdyn.spatial.rotations import Array, Z


def with_locked(model: Model, locked: Mapping[str, float]) -> Model:
    """The robot with joints locked: the links they carry are welded on, and they are no longer entries of q.

    It is the robot that ``locked=`` reads from a description. Joints that follow a locked one are held with it; a
    constraint between links that do not move against each other any more is left out, with a note. The tip stays.

    Args:
        locked: the locked positions by joint, or coordinate, rad or m.

    Raises:
        UnknownName: a joint that the robot does not have.
        ModelError: a joint that follows others; a robot that nothing moves any more.
        Unsupported: a constraint that is a function of all of q.

    >>> arm = armdyn.load("ur5").with_locked({"elbow_joint": 0.5})
    >>> arm.dof, "elbow_joint" in arm.joint_names
    (5, False)
    """
    refuse_elements(model, "with_locked")
    at = require_locked(locked)
    names = [coordinate.name for coordinate in model.coordinates]
    _check_names(model, names, at)
    remaining = [i for i, name in enumerate(names) if name not in at]
    coupling = coupling_of(model)
    A = coupling.matrix
    b = coupling.offset + sum(A[:, names.index(name)] * position for name, position in at.items())
    locked_joints = {
        joint.name: float(position)
        for joint, row, position in zip(model.joints, A, b, strict=True)
        if row.any() and not row[remaining].any()
    }
    welded = _welded(model, locked_joints)
    refuse_motionless(welded)
    constraints, missing = _constraints(model, welded, at)
    if model.coupling is not None:
        moving = [k for k, joint in enumerate(model.joints) if joint.name not in locked_joints]
        welded = _coupled(model, welded, remaining, A[np.ix_(moving, remaining)], b[moving])
    return renew_notes(
        model, welded.replace(constraints=constraints), *missing, *notes_on_locked(model.joints, locked_joints)
    )


def _check_names(model: Model, names: Sequence[str], locked: Iterable[str]) -> None:
    """Raise for a name that is not an entry of q."""
    for name in locked:
        if name in names:
            continue
        if name not in model.joint_names:
            raise UnknownName.of("moving joint", name, names, repr(model.name))
        others = [repr(other) for other in moved_by(model, name)]
        raise ModelError(
            f"joint {name!r} of {model.name!r} {'follows ' + ' and '.join(others) if others else 'is held still'} "
            "already, so it has no entry in q; lock the joint that it follows, or call without_couplings() first."
        )


def _welded(model: Model, locked: Mapping[str, float]) -> Model:
    """The model without couplings and constraints, and without the held joints."""
    moved = {model.base, *(joint.child for joint in model.joints)}
    frames = [frame for frame in model.frames if frame.name not in moved]
    joints = [
        JointPart(joint.name, joint.kind, joint.parent, joint.child, joint.exact_placement, joint.axis, joint.limits,
                  joint.damping, joint.friction, joint.collar, armature=joint.armature,
                  actuator=joint.actuator, motor_parts=joint.motor_parts, parallel_springs=joint.parallel_springs)
        for joint in model.joints
    ]  # fmt: skip
    welds = [JointPart(frame.name, "fixed", frame.link, frame.name, frame.exact_pose, Z) for frame in frames]
    in_order = in_tree_order([model.base], [lock(joint, locked) for joint in joints] + welds)
    links: list[Link | LinkPart] = [*model.links, *(LinkPart(frame.name) for frame in frames)]
    welded = merge(model.name, model.base, links, in_order, model.gravity, model.joint_names, model.geometry)
    return welded.replace(tip=model.tip, notes=model.notes)


def _coupled(model: Model, welded: Model, left: list[int], A: Array, b: Array) -> Model:
    """The remaining joints moved by the remaining coordinates; uncoupled if each has one of its own."""
    coordinates = [model.coordinates[i] for i in left]
    own = [(joint.name, joint.kind, joint.limits) for joint in welded.joints]
    if np.array_equal(A, np.eye(len(own))) and not b.any() and own == [(c.name, c.kind, c.limits) for c in coordinates]:
        return welded
    return with_coordinates(
        welded,
        [c.name for c in coordinates],
        A,
        b,
        kinds={c.name: c.kind for c in coordinates},
        limits={c.name: c.limits for c in coordinates},
    )


def _constraints(model: Model, welded: Model, at: Mapping[str, float]) -> tuple[tuple[Constraint, ...], list[str]]:
    """The constraints that are left to the motion, and notes on those that are not."""
    remaining, notes = [], []
    refuse_functions_of_q(model)
    for constraint in model.constraints:
        links = {welded.frame(frame or welded.base).link for frame in constraint.frames}
        inner = constraint.constraint if isinstance(constraint, RowsOf) else constraint
        if len(constraint.frames) > 1 and len(links) == 1:
            notes.append(f"constraint {constraint.name!r} is left out: its frames do not move against each other")
        elif not isinstance(inner, JointCoupling):
            remaining.append(constraint)
        elif (rest := _with_held(inner, at)) is not None:
            remaining.append(rest)
        else:
            notes.append(f"constraint {constraint.name!r} is left out: all of its joints are locked")
    return tuple(remaining), notes


def refuse_functions_of_q(model: Model) -> None:
    """Raise for a constraint that is a function of all of q, whose entries are about to be others."""
    for constraint in model.constraints:
        inner = constraint.constraint if isinstance(constraint, RowsOf) else constraint
        if isinstance(inner, Holonomic | Pfaffian):
            raise Unsupported(
                f"constraint {constraint.name!r} of {model.name!r} is a function of all of q, whose entries would be "
                "others; take without_constraints() first, and state it again."
            )


def _with_held(coupling: JointCoupling, at: Mapping[str, float]) -> JointCoupling | None:
    """The linear relation between the joints that are not locked; None if all of its joints are locked."""
    factors = {joint: factor for joint, factor in coupling.factors if joint not in at}
    value = coupling.value - sum(factor * at[joint] for joint, factor in coupling.factors if joint in at)
    if not factors and abs(value) > HELD_WITHIN * max(1.0, abs(coupling.value)):
        raise ModelError(
            f"constraint {coupling.name!r} does not hold where its joints are locked: it is off by {abs(value):g}."
        )
    return dataclasses.replace(coupling, factors=factors, value=value) if factors else None
