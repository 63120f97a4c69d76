"""Model parameters as inputs of a function: for payloads, identification, randomisation.

A parameter is named "gravity"; "LINK.mass", "LINK.com", "LINK.inertia" for a moving link, or "JOINT.armature",
"JOINT.damping", "JOINT.friction" for a joint, "JOINT.rotor" for the inertia about its axis of a rotor that is a body of
its own, "JOINT.spring.stiffness", "JOINT.spring.damping", "JOINT.spring.cubic" for the spring of a flexible joint,
"JOINT.parallel_spring.stiffness" and so on for every number of a spring in parallel with a drive,
whose own values it replaces; or "FRAME.payload.mass", "FRAME.payload.com", "FRAME.payload.inertia" for a body fixed to
a frame, which is added.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from armdyn.base.errors import UnknownName
from armdyn.base.scalars import Scalar
from armdyn.model.drive import OF_JOINT
from armdyn.model.inertial_constants import canonical_inertia
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.model import Model
from armdyn.model.payload import PAYLOAD, POINT, check_complete, payload_frame
from armdyn.spatial.rotations import Array

SHAPES: Mapping[str, tuple[int, ...]] = {"mass": (), "com": (3,), "inertia": (3, 3)}
"""The inputs of a body: m, kg; c in the link's or the loaded frame, m; I_c in its axes, kg m^2."""

WILD = "*?["
"""The characters that make a name a pattern."""

SPRING = ".spring"
"""The word after the joint's name in the parameters of its spring."""


class LinkInertia(NamedTuple):
    """The fields of `Inertia`, of numbers or traced scalars."""

    mass: Scalar
    com: Array
    tensor: Array


def parameter_shape(model: Model, name: str) -> tuple[int, ...]:
    """The shape of the input a parameter becomes, or an `UnknownName` that lists the names."""
    if name == "gravity":
        return (3,)
    owner, _, quantity = name.rpartition(".")
    if (quantity in OF_JOINT and owner in model.joint_names) or name in model.rotors or name in model.springs:
        return ()
    if name in model.numbers_of_parallel_springs:
        return ()
    exists = owner in model.link_names[1:] or payload_frame(model, owner) is not None
    if quantity not in SHAPES or not exists:
        raise _unknown(model, name)
    return SHAPES[quantity]


def matching_parameters(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    """The names of parameters, with each pattern, e.g. "*.mass", replaced by its matches.

    ``*`` matches any characters, ``?`` one, ``[ab]`` one of several. Those of payloads, which every frame may
    have, match only if the pattern has ``payload`` in it. A parameter that several patterns match is listed once.

    Raises:
        UnknownName: a pattern that no parameter matches.
    """
    matched: list[str] = []
    words = None
    for name in names:
        if not any(sign in name for sign in WILD):
            matched.append(name)
            continue
        words = list(parameter_names(model)) if words is None else words
        result = [one for one in words if fnmatchcase(one, name) and (PAYLOAD not in one or PAYLOAD in name)]
        if name in words:  # names of descriptions may have these characters
            result = [name]
        if not result:
            raise UnknownName.of("parameter that matches", name, words, repr(model.name))
        matched += [one for one in result if one not in matched]
    return tuple(matched)


def _unknown(model: Model, name: str) -> UnknownName:
    """The error for a name that is not a parameter; a joint is not confused with the link that it moves."""
    owner, _, quantity = name.rpartition(".")
    for joint in model.joints:
        if owner == joint.name and quantity in SHAPES:
            return UnknownName(
                f"no parameter {name!r} in {model.name!r}: {owner!r} is a joint, and the {quantity} is that of the "
                f"link it moves. Did you mean '{joint.child}.{quantity}'?"
            )
        if owner == joint.child and quantity in OF_JOINT:
            return UnknownName(
                f"no parameter {name!r} in {model.name!r}: {owner!r} is a link, and {quantity} is that of the joint "
                f"that moves it. Did you mean '{joint.name}.{quantity}'?"
            )
    return UnknownName.of("parameter", name, parameter_names(model), repr(model.name))


def parameter_names(model: Model) -> Iterator[str]:
    """All parameters of a model: gravity, those of every link with its joint's, and of payloads on every frame."""
    yield "gravity"
    for joint in model.joints:
        yield from (f"{joint.child}.{quantity}" for quantity in SHAPES)
        yield from (f"{joint.name}.{quantity}" for quantity in OF_JOINT)
        yield from joint.rotors
        yield from joint.springs
        yield from (
            f"{name}.{quantity}" for name, own in joint.named_parallel_springs.items() for quantity in own.numbers
        )
    carried = [frame.name for frame in model.frames if frame.link != model.base]
    yield from (f"{frame}{PAYLOAD}.{quantity}" for frame in carried for quantity in SHAPES)


def parameter_value(model: Model, name: str) -> Array:
    """The number or array the model itself has for a parameter; None for a payload."""
    if name == "gravity":
        return model.gravity
    owner, _, quantity = name.rpartition(".")
    if quantity in OF_JOINT and owner in model.joint_names:
        return np.asarray(getattr(model.joint(owner), quantity))
    if name in model.rotors:
        return np.asarray(model.rotors[name].moment_about_axis)
    if name in (springs := {**model.springs, **model.numbers_of_parallel_springs}):
        return np.asarray(springs[name])
    if payload_frame(model, owner) is not None:
        return np.zeros(SHAPES[quantity])
    inertia = model.link(owner).inertia
    return np.asarray({"mass": inertia.mass, "com": inertia.com, "inertia": inertia.tensor}[quantity])


def with_parameters(mechanism: Mechanism, values: Mapping[str, Scalar]) -> Mechanism:
    """The mechanism with some parameters replaced by traced scalars, and payloads of traced scalars added."""
    of_link: dict[str, dict[str, Scalar]] = {}
    of_payload: dict[str, dict[str, Scalar]] = {}
    of_joint: dict[str, dict[str, Scalar]] = {quantity: {} for quantity in OF_JOINT}
    of_spring: dict[str, dict[str, Scalar]] = {}
    of_parallel: dict[str, dict[str, Scalar]] = {}
    rotors, springs = {body.name for body in mechanism.rotors}, mechanism.model.springs
    for name, value in values.items():
        owner, _, quantity = name.rpartition(".")
        if quantity in OF_JOINT and owner in mechanism.model.joint_names:
            of_joint[quantity][owner] = value
        elif name in springs:
            of_spring.setdefault(owner.removesuffix(SPRING), {})[quantity] = value
        elif owner in mechanism.model.parallel_springs:
            of_parallel.setdefault(owner, {})[quantity] = value
        elif name != "gravity" and name not in rotors:
            is_payload = payload_frame(mechanism.model, owner) is not None
            (of_payload if is_payload else of_link).setdefault(owner, {})[quantity] = value
    check_complete(of_payload)
    bodies = [_with_own(mechanism, body, of_link[body.name]) if body.name in of_link else body
              for body in mechanism.bodies]  # fmt: skip
    for owner, changed in of_payload.items():
        k, T = mechanism.frame(owner.removesuffix(PAYLOAD))
        bodies[k] = _with_payload(bodies[k], T, POINT | changed)
    gravity = values.get("gravity", mechanism.gravity)
    bodies = [_with_moment(body, values[body.name]) if body.spins and body.name in values else body for body in bodies]
    joints = ["" if body.spins else mechanism.model.joint_names[body.joint] for body in mechanism.bodies]
    drive = mechanism.drive
    for quantity, arguments in of_joint.items():
        own = zip(joints, getattr(drive, quantity), strict=True)
        numbers: dict[str, Scalar] = {quantity: tuple(arguments.get(joint, number) for joint, number in own)}
        drive = dataclasses.replace(drive, **numbers)
    drive = dataclasses.replace(drive, springs=_parallel_springs(mechanism, of_parallel))
    return dataclasses.replace(mechanism, bodies=tuple(bodies), gravity=gravity, drive=drive, springs=of_spring)


def _parallel_springs(mechanism: Mechanism, numbers: Mapping[str, Mapping[str, Scalar]]) -> tuple[Scalar, ...]:
    """The springs in parallel with the drives, by body, some of whose numbers are inputs."""
    joints, springs = mechanism.model.joints, []
    for body in mechanism.bodies:
        named = {} if body.spins else joints[body.joint].named_parallel_springs
        springs.append(tuple(spring.with_inputs(numbers.get(name, {})) for name, spring in named.items()))
    return tuple(springs)


def _with_own(mechanism: Mechanism, body: Body, changed: Mapping[str, Scalar]) -> Body:
    """The body with some of its link's own values changed."""
    own = mechanism.model.link(body.name).inertia
    tensor = symmetric_part(changed["inertia"]) if "inertia" in changed else own.tensor
    inertia = LinkInertia(changed.get("mass", own.mass), changed.get("com", own.com), tensor)
    mass, h, S = canonical_inertia(inertia, body.link_pose)
    return dataclasses.replace(body, mass=mass, first_moment=h, second_moment=S)


def _with_moment(rotor: Body, inertia: Scalar) -> Body:
    """The rotor with another moment about its axis."""
    half = 0.5 * inertia
    return dataclasses.replace(rotor, second_moment=np.diag([half, half, -half]))


def symmetric_part(tensor: Array) -> Array:
    """(I + I^T) / 2: the symmetric part of a tensor given as nine numbers."""
    half = 0.5 * (tensor + tensor.T)
    return np.triu(half) + np.triu(half, 1).T


def _with_payload(body: Body, T: Array, payload: Mapping[str, Scalar]) -> Body:
    """The body with another fixed to it in frame F, with T = T_BF: mass, first and second moment add up."""
    inertia = LinkInertia(payload["mass"], payload["com"], symmetric_part(payload["inertia"]))
    mass, h, S = canonical_inertia(inertia, T)
    return dataclasses.replace(
        body,
        mass=body.mass + mass,
        first_moment=body.first_moment + h,
        second_moment=body.second_moment + S,
    )
