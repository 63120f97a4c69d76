"""The model of a robot arm: moving joints, the rigid links between them, named frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from armdyn.base.advice import option
from armdyn.base.errors import UnknownName
from armdyn.base.exact import exact
from armdyn.base.fields import set_fields
from armdyn.base.threads import cached_property
from armdyn.model.constraints import Constraint, check_constraints
from armdyn.model.coupling import Coordinate, Coupling
from armdyn.model.element import Element
from armdyn.model.element_with_state import ElementWithState
from armdyn.model.fingerprint import fingerprint
from armdyn.model.frozen import exact_copy, frozen_array
from armdyn.model.geometry import Geometry
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Joint
from armdyn.model.motor_parts import MotorPart, PartPlace, Rotor
from armdyn.model.parallel_spring import ParallelSpring
from armdyn.spatial.mass_properties import MassProperties
from armdyn.spatial.rotations import Array

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
"""The acceleration of free fall in base axes, m/s^2, if a description names none."""

GRAVITY = "three numbers, m/s^2"
"""The expected gravity, for messages."""


Named = TypeVar("Named")


@dataclass(frozen=True)
class Link:
    """One rigid body: everything that moves together, with its inertia in the link frame."""

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    _unrounded: MassProperties | None = field(init=False, repr=False, compare=False, default=None)

    @classmethod
    def of(cls, name: str, properties: MassProperties) -> Link:
        """The link with these properties, rounded and, in addition, unrounded."""
        link = cls(name, Inertia.of(properties))
        set_fields(link, _unrounded=properties)
        return link

    @property
    def exact_inertia(self) -> MassProperties:
        """The inertia in `armdyn.base.exact.Exact` numbers: the value before rounding, if it was rounded."""
        return self.inertia.exact if self._unrounded is None else self._unrounded

    def renamed(self, name: str) -> Link:
        """The link under another name."""
        return Link.of(name, self.exact_inertia)


@dataclass(frozen=True, eq=False)
class Frame:
    """A named place on a link: ``pose`` is T_link,frame, shape (4, 4)."""

    name: str
    link: str
    pose: Array
    _unrounded: Array | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        set_fields(
            self, _unrounded=exact_copy(self.pose), pose=frozen_array(self.pose, (4, 4), f"pose of frame {self.name!r}")
        )

    @property
    def exact_pose(self) -> Array:
        """The pose in `armdyn.base.exact.Exact` numbers: the value before rounding, if it was rounded."""
        return exact(self.pose) if self._unrounded is None else self._unrounded

    def replace(self, **changes: Any) -> Frame:
        """A copy with some fields changed; the pose stays exact."""
        return dataclasses.replace(self, **{"pose": self.exact_pose, **changes})


@dataclass(frozen=True, eq=False)
class Model:
    """A robot arm, or a tree of them, from which every algorithm is traced. Immutable.

    ``links[0]`` is the base; ``links[k + 1]`` is moved by ``joints[k]``. Joints are in the order of the description,
    which is the order of q unless ``coupling`` maps other coordinates to them. ``frames`` holds every named frame: each
    link, and each link that a fixed joint merged into another. ``tip`` names the frame that ``f_tip``, the pose and the
    Jacobian mean when none is named; None if there are several ends and none was chosen. ``constraints`` are further
    equations of the motion, e.g. loops that joints alone do not close. ``geometry`` holds its shapes to draw and to
    collide with. ``elements`` are forces of a
    user's own. ``notes`` lists the data of the description that armdyn does not use.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...]
    tip: str | None = None
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    notes: tuple[str, ...] = ()
    geometry: tuple[Geometry, ...] = ()
    coupling: Coupling | None = None
    constraints: tuple[Constraint, ...] = ()
    elements: tuple[Element | ElementWithState, ...] = ()

    def __post_init__(self) -> None:
        set_fields(self, gravity=frozen_array(self.gravity, (3,), "gravity", GRAVITY))
        check_constraints(self)
        for joint in self.joints:
            for part in joint.motor_parts:
                self.place_of(part, joint)  # its carrier is a frame that there is

    @property
    def base(self) -> str:
        """Name of the link that does not move."""
        return self.links[0].name

    @property
    def coordinates(self) -> tuple[Joint | Coordinate, ...]:
        """The entries of q: the joints; if they are coupled, the coordinates that move them."""
        return self.joints if self.coupling is None else self.coupling.coordinates

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in the order of the description."""
        return tuple(joint.name for joint in self.joints)

    @property
    def rotors(self) -> Mapping[str, Rotor]:
        """The rotors that are bodies of their own, by their names."""
        return {name: rotor for joint in self.joints for name, rotor in joint.rotors.items()}

    @property
    def springs(self) -> Mapping[str, float]:
        """The numbers of the springs of flexible joints, by the names of parameters."""
        return {name: value for joint in self.joints for name, value in joint.springs.items()}

    @property
    def parallel_springs(self) -> Mapping[str, ParallelSpring]:
        """The springs in parallel with drives by name: "JOINT.parallel_spring", or "JOINT.parallel_spring_1", ..."""
        return {name: spring for joint in self.joints for name, spring in joint.named_parallel_springs.items()}

    @property
    def numbers_of_parallel_springs(self) -> Mapping[str, float]:
        """The numbers of these springs, by the names of parameters: "JOINT.parallel_spring.stiffness" and so on."""
        named = self.parallel_springs.items()
        return {f"{name}.{quantity}": value for name, spring in named for quantity, value in spring.numbers.items()}

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, base first."""
        return tuple(link.name for link in self.links)

    @cached_property
    def _links_by_name(self) -> Mapping[str, Link]:
        return {link.name: link for link in self.links}

    @cached_property
    def _joints_by_name(self) -> Mapping[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def _frames_by_name(self) -> Mapping[str, Frame]:
        return {frame.name: frame for frame in self.frames}

    def _find(self, kind: str, name: str, parts: Mapping[str, Named]) -> Named:
        try:
            return parts[name]
        except (KeyError, TypeError):
            raise UnknownName.of(kind, name, parts, repr(self.name)) from None

    def link(self, name: str) -> Link:
        """The link of that name."""
        return self._find("link", name, self._links_by_name)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return self._find("joint", name, self._joints_by_name)

    def frame(self, name: str | None = None) -> Frame:
        """The frame of that name; the tip by default."""
        if name is None:
            if self.tip is None:
                raise UnknownName(
                    f"{self.name!r} branches and has no single tip: name a frame, or load it with {option('tip')}. "
                    f"Frames: {', '.join(self._frames_by_name)}"
                )
            name = self.tip
        return self._find("frame", name, self._frames_by_name)

    def place_of(self, part: MotorPart, joint: Joint) -> PartPlace:
        """The link that carries a part of the motor of ``joint``, and the part's axis and centre there."""
        if part.carrier is None:
            return part.seen_from(joint.parent, joint.exact_placement, joint.axis)
        frame = self.frame(part.carrier)
        return part.seen_from(frame.link, frame.exact_pose, joint.axis)

    def replace(self, **changes: Any) -> Model:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything but notes and geometry."""
        parts: list[Any] = [self.name, self.tip, self.gravity.tobytes()]
        for link in self.links:
            i = link.inertia
            parts += [link.name, i.mass.hex(), i.com.tobytes(), i.tensor.tobytes()]
        for joint in self.joints:
            parts += [joint.name, joint.kind, joint.parent, joint.child]
            parts += [joint.placement.tobytes(), joint.axis.tobytes(), joint.limits, joint.damping, joint.friction]
            parts += [joint.collar, joint.armature]
            if joint.actuator is not None:
                parts.append(fingerprint(f"actuator of joint {joint.name!r}", joint.actuator))
            parts += joint.motor_parts  # theirs too
            parts += [fingerprint(f"spring of joint {joint.name!r}", spring) for spring in joint.parallel_springs]
        for frame in sorted(self.frames, key=lambda frame: frame.name):
            parts += [frame.name, frame.link, frame.pose.tobytes()]
        if self.coupling is not None:
            parts += [self.coupling.coordinates, self.coupling.matrix.tobytes(), self.coupling.offset.tobytes()]
        parts += [fingerprint("element", element) for element in self.elements]
        parts += self.constraints  # their repr holds every number with all digits
        import hashlib  # noqa: PLC0415 - slow to import

        return hashlib.sha256(repr(parts).encode()).hexdigest()
