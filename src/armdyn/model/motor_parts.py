"""The rotors and stators of motors: bodies that are symmetric about an axis, carried by links (Modern Robotics 8.9.2).

A rotor of axis u, moment I_a about it and I_t across it, whose link has the angular velocity w, turns at w + s u. As it
is symmetric, its rotation does not move its mass, and its kinetic energy falls into two parts:

    2 K = (m v.v + I_t |w across u|^2) + I_a (u . w + s)^2,     s = G qd of the joint it drives.

The first is that of a body fixed to the link: it is part of the link's inertia. The second is that of a spin about u,
independent of the place of the axis on the link: a body of its own, without mass, that `armdyn.model.canonical` puts
into the mechanism. A stator as a whole is fixed to the link.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from armdyn.base import checks
from armdyn.base.checks import number, text_problems
from armdyn.base.errors import ModelError
from armdyn.base.exact import exact, unit
from armdyn.base.fields import check_numbers, set_fields
from armdyn.spatial.mass_properties import MassProperties
from armdyn.spatial.rotations import Array, orthonormal

Vector = tuple[float, float, float]

SYMMETRY_TOLERANCE = 1e-6
"""Tolerance of I_a <= 2 I_t, relative to I_t: data sheets print their moments with few digits."""

LARGEST_RATIO = 1e100
"""The largest gear ratio: far beyond any real one, and small enough for a float to hold its square."""

RATIO = f"a finite number, of a size below {LARGEST_RATIO:g}"

UNIT_TOLERANCE = 1e-6
"""The tolerance on the length of an axis, as of joints."""


class PartPlace(NamedTuple):
    """The place of a part: the link that carries it; its unit axis u and its centre of mass, m, in the link's frame."""

    link: str
    axis: Array
    position: Array


@dataclass(frozen=True)
class MotorPart:
    """The base of `Rotor` and `Stator`: a body that is symmetric about an axis, and the frame that carries it."""

    spins: ClassVar[bool] = False
    """True if it turns against the link that carries it."""

    inertia: float | None = None
    mass: float = 0.0
    transverse: float = 0.0
    axis: Vector | None = None
    position: Vector | None = None
    carrier: str | None = None

    def __post_init__(self) -> None:
        kind_of_part = type(self).__name__
        units = {"mass": "kg", "transverse": "kg m^2"} | ({} if self.inertia is None else {"inertia": "kg m^2"})
        check_numbers(self, units, least=0.0)
        for name in ("axis", "position"):
            if getattr(self, name) is not None:
                set_fields(
                    self, **{name: checks.vector(f"{name} of {kind_of_part}", getattr(self, name), error=ModelError)}
                )
        if self.axis is not None:
            checks.direction(f"axis of {kind_of_part}", np.array(self.axis), tolerance=UNIT_TOLERANCE)
        if self.carrier is not None:
            if problems := list(text_problems(self.carrier, f"carrier of {kind_of_part}")):
                raise ModelError(problems)
            if self.axis is None:
                raise ModelError(
                    f"{kind_of_part} has the carrier {self.carrier!r} and no axis; say which way it turns, a unit "
                    "vector in the axes of that frame, or leave the carrier out: then it is the joint's own axis"
                )
        self._check_symmetry()

    def _check_symmetry(self) -> None:
        """Raise unless I_a <= 2 I_t, as for bodies symmetric about an axis; I_t = 0 if the link's inertia has it."""
        most = 2.0 * self.transverse
        if self.inertia is not None and 0.0 < most * (1.0 + SYMMETRY_TOLERANCE) < self.inertia:
            raise ModelError(
                f"{type(self).__name__} has inertia {self.inertia:g} about its axis and {self.transverse:g} across it; "
                "of a body that is symmetric about an axis the first is at most twice the second. Leave transverse out "
                "where the inertia of the link has it already."
            )

    @property
    def moment_about_axis(self) -> float:
        """I_a, kg m^2."""
        if self.inertia is None:
            raise ModelError(f"this {type(self).__name__} has no inertia; it gets that of the motor in an Actuator")
        return self.inertia

    def seen_from(self, link: str, T: Array, joint_axis: Array) -> PartPlace:
        """The place on a link in which T is the pose of the frame of axis and position."""
        axis = joint_axis if self.axis is None else np.array(self.axis)
        position = exact(np.zeros(3) if self.position is None else np.array(self.position))
        R, p = orthonormal(T[:3, :3]), T[:3, 3]
        return PartPlace(link, R @ unit(exact(axis)), R @ position + p)

    def fixed_to_link(self, place: PartPlace) -> MassProperties:
        """The part of it that is the link's own inertia: for a rotor, all except the moment about its axis."""
        u, along = place.axis, 0.0 if self.spins else self.moment_about_axis
        across = exact(self.transverse) * (exact(np.eye(3)) - np.outer(u, u))
        return MassProperties(exact(self.mass), place.position, across + exact(along) * np.outer(u, u))

    def moment(self, place: PartPlace) -> MassProperties:
        """The moment about the axis alone, as a body without mass: the part to add if the rotor is held."""
        u = place.axis
        return MassProperties(exact(0.0), exact(np.zeros(3)), exact(self.moment_about_axis) * np.outer(u, u))

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The part in a robot whose frames have other names."""
        return (
            self if self.carrier is None else dataclasses.replace(self, carrier=names.get(self.carrier, self.carrier))
        )

    def turned(self, R: Array) -> Self:
        """The part for another zero of its joint: R is R_new,old of the joint's frame."""
        if self.carrier is not None:
            return self
        turned = {
            name: tuple(R @ np.array(v)) for name in ("axis", "position") if (v := getattr(self, name)) is not None
        }
        return dataclasses.replace(self, **turned)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Stator(MotorPart):
    """The stator of a motor, or its other parts that do not turn: fixed to the link that carries it.

    Its mass and inertia are added to those of that link (Modern Robotics 8.9.2). For a body that is not symmetric use
    ``robot.with_payload``.

    Args:
        inertia: about its axis, kg m^2.
        mass: kg.
        transverse: its moment about every line across the axis through its centre of mass, kg m^2.
        axis: unit vector, in the frame of ``carrier``, shape (3,); the joint's own axis by default.
        position: of its centre of mass, in the same frame, m, shape (3,); the origin by default.
        carrier: the frame, or link, that carries it. By default it is the link that carries the joint, and ``axis`` and
            ``position`` are in the frame of the joint, that of the child link at q = 0.

    >>> armdyn.actuators.Stator(inertia=0.005, mass=0.9).mass
    0.9
    """

    inertia: float | None = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.mass or self.inertia or self.transverse):
            raise ModelError("Stator has no mass and no inertia; expected mass, kg, or inertia about its axis, kg m^2")


@dataclass(frozen=True)
class Rotor(MotorPart):
    """The rotor of a geared motor as a body that turns: its gyroscopic moments are exact (Modern Robotics 8.104-8.112).

    It must be symmetric about its axis, as rotors are. Its mass and its inertia across the axis are added to those of
    the link that carries it; if they are 0, the inertia of that link has them already.

    Args:
        inertia: I_a, about its axis, kg m^2; that of the motor and of the gear's fast side by default.
        mass: kg.
        transverse: I_t, about every line across the axis through its centre of mass, kg m^2.
        axis: unit vector u, in the frame of ``carrier``, shape (3,); the joint's own axis by default.
        position: of its centre of mass, in the same frame, m, shape (3,); the origin by default.
        carrier: the frame, or link, that carries it, which may be any of the arm: motors are mounted on the link
            before, on the base, on the link that they move. By default it is the link that carries the joint, and
            ``axis`` and ``position`` are in the frame of the joint, that of the child link at q = 0.
        ratio: G, turns about u against the link that carries it per turn of the joint, or rad/m for a slide; negative
            if it turns the other way. The gear's by default. In an `Actuator` a rotor with inertia and ratio is another
            body than the motor's rotor, e.g. a gear's stage; a rotor without one of them is the motor's.

    >>> from armdyn.actuators import Actuator, Gear, Motor, Rotor
    >>> drive = Actuator(Motor(rotor_inertia=1e-4), Gear(100.0), rotor=Rotor(mass=0.3))
    >>> arm = armdyn.load("planar_2r")
    >>> M = arm.with_actuators({"joint_2": drive}).mass_matrix([0, 0]) - arm.mass_matrix([0, 0])
    >>> M.round(6)
    array([[0.3001, 0.01  ],
           [0.01  , 1.    ]])
    """

    spins: ClassVar[bool] = True

    ratio: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inertia == 0.0:
            raise ModelError(
                "inertia of Rotor is 0; expected its moment about its axis, kg m^2. Give a Stator for mass"
            )
        if self.ratio is not None:
            ratio = number("ratio of Rotor", self.ratio, above=-LARGEST_RATIO, below=LARGEST_RATIO, expected=RATIO)
            set_fields(self, ratio=ratio)
            if self.ratio == 0.0:
                raise ModelError(
                    "ratio of Rotor is 0; expected its turns for one of the joint. What stands is a Stator"
                )

    @property
    def gear_ratio(self) -> float:
        """G."""
        if self.ratio is None:
            raise ModelError("this Rotor has no ratio; it gets that of the gear in an Actuator")
        return self.ratio
