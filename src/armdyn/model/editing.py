"""A model with other numbers in its links and joints: inertias, limits, armatures, friction."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from armdyn.base.checks import array, listed, number
from armdyn.base.errors import DTypeError, ModelError, UnknownName, excerpt
from armdyn.model.actuator import JointActuator
from armdyn.model.coordinates import refuse, with_coordinates
from armdyn.model.coupling import Coordinate
from armdyn.model.fingerprint import fingerprint
from armdyn.model.friction import check_load
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Joint
from armdyn.model.limits import UNLIMITED, Limits, float_limits
from armdyn.model.model import Link, Model
from armdyn.model.motor_masses import with_motor_masses
from armdyn.model.notes import renew_notes
from armdyn.model.parallel_spring import JointSpring, ParallelSpring
from armdyn.model.payload import checked_inertia
from armdyn.model.validation import limit_problems

WITHOUT_ROTOR = (
    "the rotor behind it has no inertia, so that no equation tells how it moves; give its Actuator a "
    "Motor(rotor_inertia=...) or a Gear(inertia=...), or the joint an armature."
)
"""The fault of a flexible joint of armature 0."""


def with_inertia(model: Model, inertias: Mapping[str, Inertia], *, check_inertia: bool = True) -> Model:
    """A copy of the robot with other inertias for some of its links.

    Args:
        inertias: by link, in its frame; that of the whole body, merged links included.
        check_inertia: refuse inertias that no rigid body has and that load a joint; otherwise accept them unchanged,
            with a note.

    Raises:
        UnknownName: a link that the robot does not have, or one that is welded to another.
        ModelError: an invalid inertia.
        DTypeError: a value that is not an `armdyn.Inertia`.

    >>> rod = armdyn.inertia.cylinder(0.02, 1.0, mass=3.0).at([0.5, 0, 0])
    >>> armdyn.load("planar_2r").with_inertia({"link_2": rod}).model.link("link_2").inertia.mass
    3.0
    """
    values = _mapping(inertias, "inertias", "links to armdyn.Inertia", "{'forearm': armdyn.Inertia(2.0)}")
    notes: list[str] = []
    for name, inertia in values.items():
        frame = next((frame for frame in model.frames if frame.name == name != frame.link), None)
        if frame is not None:
            raise UnknownName(
                f"{name!r} of {model.name!r} is a frame welded to link {frame.link!r}, and has no inertia of its own; "
                f"give that of {frame.link!r}, which everything is part of that moves with it, or add a body to it: "
                "with_payload."
            )
        moves = model.link(name).name != model.base
        notes += checked_inertia(f"inertia of link {name!r}", inertia, check_inertia=check_inertia and moves)
    links = tuple(Link(link.name, values[link.name]) if link.name in values else link for link in model.links)
    return renew_notes(model, model.replace(links=links), *notes)


def with_limits(model: Model, limits: Mapping[str, Limits | Sequence[float]]) -> Model:
    """A copy of the robot with other limits for some of its joints.

    Args:
        limits: by joint, an `armdyn.Limits`; or (lower, upper), rad or m, with velocity and effort unchanged. The
            limits of coordinates that move several joints follow from them.

    Raises:
        UnknownName: a joint that the robot does not have.
        ModelError: invalid limits.

    >>> armdyn.load("planar_2r").with_limits({"joint_2": (-2.0, 0.5)}).joints[1].limits.upper
    0.5
    """
    values = _mapping(limits, "limits", "joints to armdyn.Limits or (lower, upper)", "{'elbow': (-1.0, 2.0)}")
    new = {name: _as_limits(model.joint(name), value) for name, value in values.items()}
    refuse(f"joint {name!r}: {problem}" for name, value in new.items() for problem in limit_problems(value))
    return with_joints(model, {name: {"limits": float_limits(value)} for name, value in new.items()})


def _as_limits(joint: Joint, value: Any) -> Limits:
    if isinstance(value, Limits):
        return value
    meaning = "an armdyn.Limits, or (lower, upper) in rad or m"
    lower, upper = array(f"limits of joint {joint.name!r}", value, (2,), meaning).tolist()
    return dataclasses.replace(joint.limits, lower=lower, upper=upper)


def with_armature(model: Model, armatures: Mapping[str, float]) -> Model:
    """A copy of the robot with other reflected inertias of its rotors: gear ratio squared times the rotor's own.

    Args:
        armatures: by joint, kg m^2, or kg for a slide.

    Raises:
        UnknownName: a joint that the robot does not have.
        ModelError: a negative one, NaN or infinity.

    >>> robot = armdyn.load("planar_2r")
    >>> robot.with_armature({"joint_2": 0.5}).mass_matrix([0.1, 0.2]) - robot.mass_matrix([0.1, 0.2])
    array([[0. , 0. ],
           [0. , 0.5]])
    """
    values = _mapping(armatures, "armatures", "joints to kg m^2 or kg", "{'elbow': 0.2}")
    new = {}
    for name, value in values.items():
        subject, meaning = f"armature of joint {model.joint(name).name!r}", "an inertia, a number not below zero"
        new[name] = number(subject, value, least=0.0, expected=meaning)
    return with_joints(model, {name: {"armature": value} for name, value in new.items()})


def with_friction(model: Model, frictions: Mapping[str, Sequence[float]]) -> Model:
    """A copy of the robot with other viscous and Coulomb friction for some of its joints.

    Args:
        frictions: by joint, (damping, friction), N m s/rad and N m, or N s/m and N for a slide. The friction laws of
            its actuator stay.

    Raises:
        UnknownName: a joint that the robot does not have.
        ModelError: negative ones, which would add energy, NaN or infinity.
        ShapeError: not two numbers.

    >>> arm = armdyn.load("planar_2r").with_friction({"joint_2": (0.5, 2.0)})
    >>> arm.friction_forces([0.1, 0.2], [1.0, -3.0])
    array([ 0. , -3.5])
    """
    arguments = _mapping(frictions, "frictions", "joints to (damping, friction)", "{'elbow': (0.5, 2.0)}")
    new = {}
    for name, pair in arguments.items():
        subject, meaning = f"friction of joint {model.joint(name).name!r}", "(damping, friction), N m s/rad and N m"
        values = array(subject, pair, (2,), meaning, finite=ModelError).tolist()
        refuse(f"{subject} is {value:g}; expected a number not below zero." for value in values if value < 0.0)
        new[name] = dict(zip(("damping", "friction"), values, strict=True))
    return with_joints(model, new)


def without_friction(model: Model) -> Model:
    """A copy of the robot without joint friction: the bare rigid bodies, as libraries of rigid bodies compute them.

    >>> arm = armdyn.load("planar_2r").with_friction({"joint_2": (0.5, 2.0)})
    >>> arm.without_friction() == armdyn.load("planar_2r")
    True
    """
    none = {"damping": 0.0, "friction": 0.0}
    bare = {joint.name: none | _without_laws(joint) for joint in model.joints if joint.rubs}
    return with_joints(model, bare)


def _without_laws(joint: Joint) -> dict[str, object]:
    return {} if joint.actuator is None else {"actuator": joint.actuator.without_friction}


def without_springs(model: Model) -> Model:
    """A copy of the robot with stiff joints: the rotors and gears of its actuators move as their joints do.

    >>> from armdyn.actuators import Actuator, Motor, Spring
    >>> flexible = Actuator(Motor(rotor_inertia=0.2), spring=Spring(stiffness=900.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_2": flexible})
    >>> arm.without_springs().joints[1].has_spring
    False
    """
    return with_joints(
        model,
        {
            joint.name: {"actuator": joint.actuator.without_spring}
            for joint in model.joints
            if joint.actuator is not None and joint.has_spring
        },
    )


def with_parallel_springs(
    model: Model, springs: Mapping[str, ParallelSpring | Sequence[float] | Sequence[ParallelSpring] | None]
) -> Model:
    """Another robot with springs in parallel with the drives of some joints, in place of their present ones.

    All functions of the result include them: s(q) is part of tau, their energy of `potential_energy`. The load of a
    gear is the force that its drive transmits, that of the springs included.

    Args:
        springs: by joint, (stiffness, rest), N m/rad and rad, or N/m and m for a slide; an
            `armdyn.actuators.JointSpring` or `armdyn.actuators.Balancer`, or another `armdyn.actuators.ParallelSpring`;
            a sequence of these; None removes the joint's.

    Raises:
        UnknownName: a joint that the robot does not have.
        ModelError: a negative stiffness, NaN or infinity; a balancer at a slide.
        DTypeError: another value.

    >>> arm = armdyn.load("planar_2r").with_parallel_springs({"joint_1": (120.0, 0.5)})
    >>> arm.bias_forces([0.7, 0.0], [0.0, 0.0]) - armdyn.load("planar_2r").bias_forces([0.7, 0.0], [0.0, 0.0])
    array([24.,  0.])
    """
    example = "{'shoulder': (120.0, 0.5)}"
    by_joint = _mapping(springs, "springs", "joints to (stiffness, rest) or armdyn.actuators.JointSpring", example)
    new = {name: {"parallel_springs": _as_springs(model.joint(name), value)} for name, value in by_joint.items()}
    return with_joints(model, new)


def _as_springs(joint: Joint, value: Any) -> tuple[ParallelSpring, ...]:
    subject = f"springs of joint {joint.name!r}"
    if value is None:
        return ()
    if isinstance(value, ParallelSpring):
        return (_checked_spring(joint, value),)
    several = listed(value) or []
    if several and all(isinstance(spring, ParallelSpring) for spring in several):
        return tuple(_checked_spring(joint, spring) for spring in several)
    if len(several) != 2 or any(isinstance(spring, ParallelSpring) for spring in several):
        raise DTypeError(
            f"{subject} are {excerpt(value)}; expected (stiffness, rest), an armdyn.actuators.JointSpring, a sequence "
            "of springs, or None"
        )
    return (JointSpring(*several),)


def _checked_spring(joint: Joint, spring: ParallelSpring) -> ParallelSpring:
    fingerprint(f"spring of joint {joint.name!r}", spring)  # its text differs from all others
    if joint.kind not in spring.kinds:
        raise ModelError(
            f"joint {joint.name!r} is {joint.kind}, and {type(spring).__name__} belongs to joints that are "
            f"{' or '.join(spring.kinds)}; give it a JointSpring"
        )
    return spring


def with_parallel_spring_number(model: Model, name: str, value: float) -> Model:
    """The robot whose spring in parallel with a drive has another number.

    Args:
        name: "JOINT.parallel_spring.stiffness" and so on, one of ``model.numbers_of_parallel_springs``.
        value: N m/rad, rad, ...; checked by the class of the spring.
    """
    owner, _, quantity = name.rpartition(".")
    changes = {
        joint.name: {
            "parallel_springs": tuple(
                dataclasses.replace(spring, **{quantity: value}) if own == owner else spring  # type: ignore[type-var]  # each is a dataclass
                for own, spring in joint.named_parallel_springs.items()
            )
        }
        for joint in model.joints
        if owner in joint.named_parallel_springs
    }
    return with_joints(model, changes)


def without_parallel_springs(model: Model) -> Model:
    """Another robot without springs in parallel with its drives.

    >>> arm = armdyn.load("planar_2r").with_parallel_springs({"joint_1": (120.0, 0.5)})
    >>> arm.without_parallel_springs() == armdyn.load("planar_2r")
    True
    """
    return with_joints(
        model, {joint.name: {"parallel_springs": ()} for joint in model.joints if joint.parallel_springs}
    )


def with_actuators(model: Model, actuators: Mapping[str, JointActuator | None]) -> Model:
    """A copy of the robot with actuators at some of its joints, included in every algorithm.

    Quantities of an actuator replace those of the joint: the inertia of a motor or gear its armature, friction laws its
    damping and friction; those of the joint itself, its ``passive``, are added. Quantities that the actuator does not
    specify stay. A later `with_armature` replaces the actuator's armature, and a later `with_friction` adds to its
    laws. The masses of its stator and rotor are added to those of the links that carry them, and removed with it.

    Args:
        actuators: by joint, an `armdyn.actuators.Actuator`; None removes the joint's, with all its quantities except
            its ``passive``.
            Those of a file: ``armdyn.actuators.read("drives.yaml")``.

    Raises:
        UnknownName: a joint that the robot does not have; a frame for a rotor or stator that it does not have.
        DTypeError: a value that is not an actuator, or a custom law that is not a frozen dataclass.
        ModelError: a law that depends on the load without declaring it; masses to be removed from a link with a smaller
            mass, after `with_inertia` replaced its inertia.
        ModelError: a spring at a joint whose rotor has no inertia.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear, Motor
    >>> drive = Actuator(Motor(rotor_inertia=1e-4), Gear(100.0), Coulomb(2.0))
    >>> arm, state = armdyn.load("planar_2r"), ([0, 0], [0, 0.1], [0, 1])
    >>> arm.with_actuators({"joint_2": drive}).inverse_dynamics(*state) - arm.inverse_dynamics(*state)
    array([0., 3.])
    """
    values = _mapping(actuators, "actuators", "joints to armdyn.actuators.Actuator", "{'elbow': Actuator(motor, gear)}")
    changes = {name: _driven_by(model.joint(name), actuator) for name, actuator in values.items()}
    return with_joints(with_motor_masses(model, {name: c["motor_parts"] for name, c in changes.items()}), changes)


def _driven_by(joint: Joint, actuator: object) -> dict[str, Any]:
    """The fields of a joint that an actuator determines."""
    if not isinstance(actuator, JointActuator | None):
        raise DTypeError(
            f"actuator of joint {joint.name!r} is {excerpt(actuator)}; expected an armdyn.actuators.Actuator"
        )
    if actuator is not None:
        fingerprint(f"actuator of joint {joint.name!r}", actuator)  # raises if it has no unique text
        for law in (*(actuator.laws or ()), *actuator.losses):
            check_load(f"friction of joint {joint.name!r}", law)
    before, after = joint.actuator, actuator
    changes: dict[str, Any] = {"actuator": actuator, "motor_parts": () if after is None else after.motor_parts}
    if after is not None and after.armature is not None:
        changes["armature"] = after.armature
    elif before is not None and joint.armature == before.armature:  # not one given since
        changes["armature"] = before.of_joint.armature
    if after is not None and (after.laws is not None or after.of_joint.rubs):
        changes |= {"damping": after.of_joint.damping, "friction": after.of_joint.friction}
    if after is not None and after.has_spring and not changes.get("armature", joint.armature):
        refuse([f"joint {joint.name!r} has a spring, but {WITHOUT_ROTOR}"])
    return changes


def _mapping(value: object, subject: str, of: str, example: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ModelError(f"{subject} are {excerpt(value)}; expected a mapping from {of}, such as {example}.")
    return value


def with_joints(model: Model, changes: Mapping[str, Mapping[str, object]]) -> Model:
    """The model with some fields of joints changed; coordinates that move them get the remaining limits."""
    joints = tuple(joint.replace(**changes.get(joint.name, {})) for joint in model.joints)
    other = model.replace(joints=joints)
    coupling = model.coupling
    if coupling is None:
        return renew_notes(model, other)
    names, kinds = [c.name for c in coupling.coordinates], {c.name: c.kind for c in coupling.coordinates}

    def coupled(free: Model, limits: Mapping[str, Limits]) -> Model:
        A, b = np.array(coupling.matrix), np.array(coupling.offset)
        return with_coordinates(free.replace(coupling=None), names, A, b, kinds=kinds, limits=limits)

    remaining = coupled(model, {}).coordinates
    own = {c.name: _own(c, of_joints) for c, of_joints in zip(coupling.coordinates, remaining, strict=True)}
    return renew_notes(model, coupled(other, own).replace(notes=model.notes))


def _own(coordinate: Coordinate, of_joints: Joint | Coordinate) -> Limits:
    """The limits that a coordinate has in addition to those of its joints."""
    own, others = dataclasses.asdict(coordinate.limits), dataclasses.asdict(of_joints.limits)
    unlimited = dataclasses.asdict(UNLIMITED)
    return Limits(**{end: unlimited[end] if own[end] == others[end] else own[end] for end in own})
