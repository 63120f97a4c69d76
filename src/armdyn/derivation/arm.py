"""`SymbolicArm`: an arm whose lengths, masses, inertias and gravity are numbers or symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import sympy

from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.derivation.algebra import Algebra
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class SymbolicSpring:
    """A spring in parallel with a drive: a force k e + k1 e^2 + k2 e^3 with e = q - rest of the joint.

    Args:
        stiffness: k, N m/rad or N/m.
        rest: the position without force, rad or m.
        quadratic: k1.
        cubic: k2.
    """

    stiffness: Scalar
    rest: Scalar = Fraction(0)
    quadratic: Scalar = Fraction(0)
    cubic: Scalar = Fraction(0)


@dataclass(frozen=True, eq=False)
class SymbolicBody:
    """A link and its parent joint; numbers are rational, symbols are SymPy's.

    Args:
        name: name of the link.
        joint: name of its joint.
        revolute: True if the joint is revolute, False if it is prismatic.
        parent: index of the parent body, -1 for the base.
        R: rotation of the link's frame in its parent's at q = 0, numbers, shape (3, 3).
        p: origin of the link's frame in its parent's at q = 0, m, shape (3,).
        axis: axis of the joint in the link's axes, numbers, shape (3,).
        mass: m, kg.
        com: centre of mass in the link's frame, m, shape (3,).
        tensor: rotational inertia about the centre of mass, kg m^2, shape (3, 3).
        armature: reflected inertia of the joint's rotor, kg m^2 or kg.
        damping: viscous friction, N m s/rad or N s/m.
        friction: Coulomb friction, N m or N.
        springs: springs in parallel with the drive of the joint.
    """

    name: str
    joint: str
    revolute: bool
    parent: int
    R: Array
    p: Array
    axis: Array
    mass: Scalar
    com: Array
    tensor: Array
    armature: Scalar = Fraction(0)
    damping: Scalar = Fraction(0)
    friction: Scalar = Fraction(0)
    springs: tuple[SymbolicSpring, ...] = ()

    @property
    def strengths(self) -> tuple[object, ...]:
        """The coefficients of friction and springs, the forces in addition to inertia."""
        of_springs = (x for spring in self.springs for x in (spring.stiffness, spring.quadratic, spring.cubic))
        return (self.damping, self.friction, *of_springs)


@dataclass(frozen=True, eq=False)
class SymbolicRotor:
    """The rotor of a motor as a rotating body: its inertia about its axis; the rest of it is part of its carrier.

    Args:
        name: "JOINT.rotor".
        driver: index of the body whose joint it drives.
        carrier: index of the body that carries it, -1 for the base.
        axis: u, in the carrier's axes, numbers, shape (3,).
        inertia: I_a about its axis, kg m^2.
        ratio: G, its turns relative to the carrier per turn of the joint.
    """

    name: str
    driver: int
    carrier: int
    axis: Array
    inertia: Scalar
    ratio: Scalar


@dataclass(frozen=True, eq=False)
class Tip:
    """The frame of the Jacobian: its name, the index of its body, and its pose in that body."""

    name: str
    body: int
    R: Array
    p: Array


@dataclass(frozen=True, eq=False)
class SymbolicArm:
    """The bodies of an arm from the base outwards, and their joint positions q_joints = matrix q + offset.

    Args:
        name: name of the arm.
        bodies: bodies, each after its parent.
        gravity: acceleration of free fall in base axes, m/s^2, shape (3,).
        coordinates: names of the entries of q.
        slides: for each coordinate, True if it is a length.
        matrix: matrix with one row per body and one column per coordinate.
        offset: joint positions at q = 0, for each body.
        values: numbers of the symbols that have one.
        meanings: meanings of the symbols, e.g. "mass of link_1".
        tip: the frame of the Jacobian.
        constraints: constraints on its motion.
        inexact: True if it has rounded numbers, e.g. the cosine of 30 degrees.
        rotors: rotors of motors that are separate bodies.
    """

    name: str
    bodies: tuple[SymbolicBody, ...]
    gravity: Array
    coordinates: tuple[str, ...]
    slides: tuple[bool, ...]
    matrix: Array
    offset: Array
    values: Mapping[sympy.Symbol, float] = field(default_factory=dict)
    meanings: Mapping[sympy.Symbol, str] = field(default_factory=dict)
    tip: Tip | None = None
    constraints: tuple[Scalar, ...] = ()
    inexact: bool = False
    rotors: tuple[SymbolicRotor, ...] = ()

    @property
    def dof(self) -> int:
        """n, the number of coordinates."""
        return len(self.coordinates)

    @property
    def coupled(self) -> bool:
        """True unless joint positions equal the coordinates."""
        own = [[Fraction(i == k) for i in range(self.dof)] for k in range(len(self.bodies))]
        return len(self.bodies) != self.dof or self.matrix.tolist() != own or any(self.offset)

    @cached_property
    def inertial_symbols(self) -> frozenset[sympy.Symbol]:
        """The symbols of masses and inertias: those of bodies that are not lengths."""
        symbols: set[sympy.Symbol] = set()
        for b in self.bodies:
            symbols |= symbols_in(b.mass, *b.tensor.flat, b.armature, *b.strengths)
        return frozenset((symbols | symbols_in(*(rotor.inertia for rotor in self.rotors))) - self.lengths)

    @cached_property
    def lengths(self) -> frozenset[sympy.Symbol]:
        """The symbols of lengths and of gravity."""
        symbols = symbols_in(*self.gravity, *(rotor.ratio for rotor in self.rotors))
        for b in self.bodies:
            symbols |= symbols_in(*b.p, *b.com, *(spring.rest for spring in b.springs))
        return frozenset(symbols | (symbols_in(*self.tip.p) if self.tip else set()))

    @cached_property
    def parameters(self) -> tuple[sympy.Symbol, ...]:
        """All symbols: masses and inertias, then lengths, in the order of the bodies."""
        met: dict[sympy.Symbol, None] = {}
        for b in self.bodies:
            for value in (b.mass, *b.tensor.flat, b.armature, *b.strengths):
                met |= dict.fromkeys(_sort(symbols_in(value) - self.lengths))
        for rotor in self.rotors:
            met |= dict.fromkeys(_sort(symbols_in(rotor.inertia) - self.lengths))
        met |= dict.fromkeys(_sort(symbols_in(*self.gravity)))
        for b in self.bodies:
            met |= dict.fromkeys(_sort(symbols_in(*b.p, *b.com)))
        return tuple(met | dict.fromkeys(_sort(self.lengths)))

    @cached_property
    def algebra(self) -> Algebra:
        """The ring of its equations."""
        turns = [b.revolute for b in self.bodies]
        return Algebra(self.parameters, self.matrix.tolist(), list(self.offset), turns, inexact=self.inexact)

    def replace(self, **changes: Any) -> SymbolicArm:
        """A copy with some fields changed."""
        return replace(self, **changes)


def symbols_in(*values: object) -> set[sympy.Symbol]:
    """The symbols of numbers and expressions."""
    return {symbol for value in values for symbol in getattr(value, "free_symbols", ())}


def _sort(symbols: set[sympy.Symbol] | frozenset[sympy.Symbol]) -> list[sympy.Symbol]:
    return sorted(symbols, key=lambda symbol: symbol.name)
