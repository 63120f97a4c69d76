"""Mass, centre of mass and rotational inertia of one rigid body."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armdyn.model.frozen import frozen_array
from armdyn.spatial.rotations import Array

TRIANGLE_TOLERANCE = 1e-6
"""How far, relative to the largest principal moment, a + b >= c may be broken before it is called an error:
descriptions print their moments with about six digits."""

SMALLEST_RADIUS = 1e-6
"""Radius of gyration, m, below which a moment is rounding: exporters print 1e-20 where they mean 0."""


@dataclass(frozen=True, eq=False)
class Inertia:
    """The inertia of one rigid body, seen from some frame F.

    Args:
        mass: m, kg.
        com: c, from F's origin to the centre of mass, in F's axes, m, shape (3,).
        tensor: I_c, rotational inertia about the centre of mass, in F's axes, kg m^2, shape (3, 3).

    >>> ball = Inertia(2.0, [0.0, 0.0, 0.5], 0.1 * np.eye(3))
    >>> bool(np.allclose(ball.tensor_about_origin, np.diag([0.6, 0.6, 0.1])))
    True
    """

    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    tensor: Array = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "com", frozen_array(self.com, (3,), "com"))
        object.__setattr__(self, "tensor", frozen_array(self.tensor, (3, 3), "tensor"))

    @classmethod
    def point(cls, mass: float, position: ArrayLike) -> Inertia:
        """A point mass m at ``position``."""
        return cls(mass, np.asarray(position, dtype=float))

    @property
    def first_moment(self) -> Array:
        """H = m c, kg m, shape (3,)."""
        return self.mass * self.com

    @property
    def tensor_about_origin(self) -> Array:
        """I_o = I_c + m (c.c 1 - c c^T), by Steiner's theorem (Modern Robotics 8.26)."""
        c = self.com
        steiner: Array = self.mass * (c @ c * np.eye(3) - np.outer(c, c))
        return self.tensor + steiner

    @property
    def principal_moments(self) -> Array:
        """The eigenvalues of I_c, ascending, kg m^2, shape (3,)."""
        return np.linalg.eigvalsh(self.tensor)

    def seen_from(self, T: Array) -> Inertia:
        """The same body seen from frame A, where T = T_AF is the pose of F in A."""
        R, p = T[:3, :3], T[:3, 3]
        return Inertia(self.mass, R @ self.com + p, R @ self.tensor @ R.T)

    def __add__(self, other: Inertia) -> Inertia:
        """Both bodies as one, in the same frame."""
        if other.mass == 0.0 and not other.tensor.any():
            return self
        if self.mass == 0.0 and not self.tensor.any():
            return other
        mass = self.mass + other.mass
        com = (self.first_moment + other.first_moment) / mass if mass else self.com
        d = self.com - other.com
        reduced = self.mass * other.mass / mass if mass else 0.0
        steiner = reduced * (d @ d * np.eye(3) - np.outer(d, d))
        return Inertia(mass, com, self.tensor + other.tensor + steiner)

    def problems(self) -> Iterator[str]:
        """What makes this no inertia at all, one sentence each."""
        if not all(map(math.isfinite, (self.mass, *self.com.tolist(), *self.tensor.ravel().tolist()))):
            yield "mass, centre of mass or inertia is not a finite number"
            return
        if self.mass < 0.0:
            yield f"mass {self.mass:g} kg is negative"
        if (abs(self.tensor - self.tensor.T) > 1e-9 * abs(self.tensor) + 1e-15).any():
            yield "rotational inertia is not symmetric"

    def impossibilities(self) -> Iterator[str]:
        """What about this inertia no rigid body can have, one sentence each; `problems` must be none."""
        if not self.tensor.any():
            return
        if self.mass == 0.0:
            yield "mass is 0 kg but its rotational inertia is not zero; no body without mass has it"
        a, b, c = self.principal_moments
        shown = f"principal inertia ({a:.3g}, {b:.3g}, {c:.3g}) kg m^2"
        tolerance = max(TRIANGLE_TOLERANCE * max(abs(c), abs(a)), self.mass * SMALLEST_RADIUS**2)
        if a < -tolerance:
            yield f"{shown} has a negative moment; no rigid body has it"
        elif a + b < c - tolerance:
            yield f"{shown} breaks a+b>=c by {100 * (c - a - b) / c:.3g} %; no rigid body has it"
