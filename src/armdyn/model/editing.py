"""A model with other numbers in its links and joints: inertias, limits, armatures."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from armdyn.checks import array, number
from armdyn.errors import ModelError, UnknownName, shown
from armdyn.model.coordinates import refuse, with_coordinates
from armdyn.model.coupling import Coordinate
from armdyn.model.inertia import Inertia
from armdyn.model.model import UNLIMITED, Joint, Limits, Link, Model
from armdyn.model.notes import renoted
from armdyn.model.payload import checked_inertia
from armdyn.model.validation import limit_problems


def with_inertia(model: Model, inertias: Mapping[str, Inertia], *, check_inertia: bool = True) -> Model:
    """The same robot with other inertias of some of its links.

    Args:
        inertias: by link, in its frame; of all that is one body with it, merged links included.
        check_inertia: refuse inertias that no rigid body has and a joint feels; otherwise take them as they stand,
            with a note.

    Raises:
        UnknownName: a link that the robot does not have, or one that is welded to another.
        ModelError: an invalid inertia.
        DTypeError: a value that is not an `armdyn.Inertia`.

    >>> rod = armdyn.inertia.cylinder(0.02, 1.0, mass=3.0).at([0.5, 0, 0])
    >>> armdyn.load("planar_2r").with_inertia({"link_2": rod}).model.link("link_2").inertia.mass
    3.0
    """
    given = _mapping(inertias, "inertias", "links to armdyn.Inertia", "{'forearm': armdyn.Inertia(2.0)}")
    notes: list[str] = []
    for name, inertia in given.items():
        frame = next((frame for frame in model.frames if frame.name == name != frame.link), None)
        if frame is not None:
            raise UnknownName(
                f"{name!r} of {model.name!r} is a frame welded to link {frame.link!r}, and has no inertia of its own; "
                f"give that of {frame.link!r}, which everything is part of that moves with it, or add a body to it: "
                "with_payload."
            )
        moves = model.link(name).name != model.base
        notes += checked_inertia(f"inertia of link {name!r}", inertia, check_inertia=check_inertia and moves)
    links = tuple(Link(link.name, given[link.name]) if link.name in given else link for link in model.links)
    return renoted(model, model.replace(links=links), *notes)


def with_limits(model: Model, limits: Mapping[str, Limits | Sequence[float]]) -> Model:
    """The same robot with other limits of some of its joints.

    Args:
        limits: by joint, an `armdyn.Limits`; or (lower, upper), rad or m, where velocity and effort stay as they are.
            What they leave of coordinates that move several joints follows.

    Raises:
        UnknownName: a joint that the robot does not have.
        ModelError: invalid limits.

    >>> armdyn.load("planar_2r").with_limits({"joint_2": (-2.0, 0.5)}).joints[1].limits.upper
    0.5
    """
    given = _mapping(limits, "limits", "joints to armdyn.Limits or (lower, upper)", "{'elbow': (-1.0, 2.0)}")
    new = {name: _as_limits(model.joint(name), value) for name, value in given.items()}
    refuse(f"joint {name!r}: {problem}" for name, value in new.items() for problem in limit_problems(value))
    return _with_joints(model, {name: {"limits": value} for name, value in new.items()})


def _as_limits(joint: Joint, given: Any) -> Limits:
    if isinstance(given, Limits):
        return given
    meaning = "an armdyn.Limits, or (lower, upper) in rad or m"
    lower, upper = array(f"limits of joint {joint.name!r}", given, (2,), meaning).tolist()
    return dataclasses.replace(joint.limits, lower=lower, upper=upper)


def with_armature(model: Model, armatures: Mapping[str, float]) -> Model:
    """The same robot with other reflected inertias of its rotors: gear ratio squared times the rotor's own.

    Args:
        armatures: by joint, kg m^2, or kg of a slide.

    Raises:
        UnknownName: a joint that the robot does not have.
        ModelError: a negative one, NaN or infinity.

    >>> robot = armdyn.load("planar_2r")
    >>> robot.with_armature({"joint_2": 0.5}).mass_matrix([0.1, 0.2]) - robot.mass_matrix([0.1, 0.2])
    array([[0. , 0. ],
           [0. , 0.5]])
    """
    given = _mapping(armatures, "armatures", "joints to kg m^2 or kg", "{'elbow': 0.2}")
    new = {}
    for name, value in given.items():
        what, meaning = f"armature of joint {model.joint(name).name!r}", "an inertia, a number not below zero"
        new[name] = number(what, value, least=0.0, expected=meaning)
    return _with_joints(model, {name: {"armature": value} for name, value in new.items()})


def _mapping(given: object, what: str, of: str, example: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise ModelError(f"{what} are {shown(given)}; expected a mapping from {of}, such as {example}.")
    return given


def _with_joints(model: Model, changes: Mapping[str, Mapping[str, Any]]) -> Model:
    """The model with some fields of joints changed; coordinates that move them get what these leave."""
    joints = tuple(joint.replace(**changes.get(joint.name, {})) for joint in model.joints)
    other = model.replace(joints=joints)
    coupling = model.coupling
    if coupling is None:
        return renoted(model, other)
    names, kinds = [c.name for c in coupling.coordinates], {c.name: c.kind for c in coupling.coordinates}

    def coupled(free: Model, limits: Mapping[str, Limits]) -> Model:
        A, b = np.array(coupling.matrix), np.array(coupling.offset)
        return with_coordinates(free.replace(coupling=None), names, A, b, kinds=kinds, limits=limits)

    left = coupled(model, {}).coordinates
    own = {c.name: _own(c, of_joints) for c, of_joints in zip(coupling.coordinates, left, strict=True)}
    return renoted(model, coupled(other, own).replace(notes=model.notes))


def _own(coordinate: Coordinate, of_joints: Joint | Coordinate) -> Limits:
    """The limits that a coordinate has beside those that its joints leave it."""
    own, left = dataclasses.asdict(coordinate.limits), dataclasses.asdict(of_joints.limits)
    unlimited = dataclasses.asdict(UNLIMITED)
    return Limits(**{end: unlimited[end] if own[end] == left[end] else own[end] for end in own})
