"""A model under other names: of the robot, its links, frames, joints and coordinates, and in all that names them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from armdyn.base.checks import text_problems
from armdyn.base.errors import ModelError, UnknownName, excerpt
from armdyn.constraints import JointCoupling, RowsOf
from armdyn.model.constraints import Constraint
from armdyn.model.coordinates import refuse
from armdyn.model.joint import Joint
from armdyn.model.model import Model
from armdyn.model.notes import renew_notes

NAMING_FRAMES = ("frame", "to", "of")
"""The fields of constraints that hold the name of a frame."""


def renamed(model: Model, names: Mapping[str, str] | None = None, *, name: str | None = None) -> Model:
    """The robot under other names. References to a link, frame or joint follow: tip, constraints, couplings, shapes.

    Args:
        names: old names to new ones, of links, frames, joints and coordinates. If a link and a joint are called the
            same, both get the new name. Constraints keep their own names.
        name: of the robot.

    Raises:
        UnknownName: a name that the robot does not have.
        ModelError: a name given twice, or an invalid name.

    >>> arm = armdyn.load("planar_2r").renamed({"joint_1": "shoulder", "joint_2": "elbow"}, name="arm")
    >>> arm.name, arm.joint_names
    ('arm', ('shoulder', 'elbow'))
    """
    new = _check(model, {} if names is None else names, model.name if name is None else name)

    def to(old: str) -> str:
        return new.get(old, old)

    coupling = model.coupling
    if coupling is not None:
        coordinates = tuple(dataclasses.replace(c, name=to(c.name)) for c in coupling.coordinates)
        coupling = dataclasses.replace(coupling, coordinates=coordinates)
    other = model.replace(
        name=model.name if name is None else name,
        links=tuple(link.renamed(to(link.name)) if link.name in new else link for link in model.links),
        joints=tuple(_renamed_joint(joint, new) for joint in model.joints),
        frames=tuple(frame.replace(name=to(frame.name), link=to(frame.link)) for frame in model.frames),
        tip=None if model.tip is None else to(model.tip),
        geometry=tuple(dataclasses.replace(shape, link=to(shape.link)) for shape in model.geometry),
        coupling=coupling,
        constraints=tuple(_renamed(constraint, new) for constraint in model.constraints),
    )
    return renew_notes(model, other)


def _check(model: Model, names: object, name: str) -> dict[str, str]:
    """The new names by the old ones; raises if they do not name existing parts or do not stay unique."""
    if not isinstance(names, Mapping):
        raise ModelError(
            f"names are {excerpt(names)}; expected old names and new ones, such as {{'joint1': 'shoulder'}}."
        )
    frames = [frame.name for frame in model.frames]
    joints = list(dict.fromkeys((*model.joint_names, *(c.name for c in model.coordinates))))
    for old in names:
        if old not in frames and old not in joints:
            raise UnknownName.of("link, frame or joint", old, [*frames, *joints], repr(model.name))
    refuse((*text_problems(name, "name"), *(p for new in names.values() for p in text_problems(new, "a new name"))))
    refuse((*_duplicates("frame", frames, names), *_duplicates("joint", joints, names)))
    return dict(names)


def _duplicates(kind: str, old: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Names that two of a kind would have."""
    owners: dict[str, list[str]] = {}
    for name in old:
        owners.setdefault(names.get(name, name), []).append(repr(name))
    return [
        f"{kind}s {' and '.join(these)} would both be called {new!r}; names must differ."
        for new, these in owners.items()
        if len(these) > 1
    ]


def _renamed_joint(joint: Joint, names: Mapping[str, str]) -> Joint:
    """A joint under another name, between links and with rotors on frames that have others."""
    called = {word: names.get(getattr(joint, word), getattr(joint, word)) for word in ("name", "parent", "child")}
    actuator = None if joint.actuator is None else joint.actuator.renamed(names)
    parts = tuple(part.renamed(names) for part in joint.motor_parts)
    return joint.replace(**called, actuator=actuator, motor_parts=parts)


def _renamed(constraint: Constraint, names: Mapping[str, str]) -> Constraint:
    """A constraint that names other frames and coordinates; it keeps its own name."""
    if isinstance(constraint, RowsOf):
        return dataclasses.replace(constraint, constraint=_renamed(constraint.constraint, names))
    if isinstance(constraint, JointCoupling):
        factors = [(names.get(joint, joint), factor) for joint, factor in constraint.factors]
        return dataclasses.replace(constraint, factors=factors)
    named = {field: getattr(constraint, field, "") for field in NAMING_FRAMES}
    changed = {field: names[frame] for field, frame in named.items() if frame in names}
    return dataclasses.replace(constraint, **changed) if changed else constraint  # type: ignore[type-var]
