"""Mass, centre of mass and rotational inertia of one rigid body, as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, printed_pose
from armdyn.base.errors import DTypeError, ModelError
from armdyn.base.exact import exact
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Scalar
from armdyn.model.bounds import LARGEST, largest_problem
from armdyn.model.frozen import frozen_array
from armdyn.model.inertia_matrices import asymmetry, pseudo_inertia_problems, spatial_inertia_problems
from armdyn.model.principal_axes import PrincipalAxes, principal_axes
from armdyn.spatial.mass_properties import MassProperties, parts_of_pseudo_inertia, parts_of_spatial_inertia
from armdyn.spatial.rotations import Array

TRIANGLE_TOLERANCE = 1e-6
"""Tolerance of a + b >= c, relative to the largest principal moment: descriptions print moments with about six
digits."""

SMALLEST_RADIUS = 1e-6
"""Radius of gyration, m, below which a moment is rounding: exporters print 1e-20 for 0."""

DUST = 1e-12
"""Moments smaller than this, relative to the largest, are rounding, and are shown as 0."""


@dataclass(frozen=True, eq=False)
class Inertia(MassProperties):
    """The inertia of one rigid body, seen from some frame F.

    Bodies add (``a + b``), holes are cut out (``a - b``); `armdyn.inertia` makes inertias from shapes and meshes.

    Args:
        mass: m, kg.
        com: c, from F's origin to the centre of mass, in F's axes, m, shape (3,).
        tensor: I_c, rotational inertia about the centre of mass, in F's axes, kg m^2, shape (3, 3). The off-diagonal
            entries are minus the products of inertia, as in Craig and in Modern Robotics.

    Raises:
        ModelError: the tensor is not symmetric.

    >>> ball = armdyn.Inertia(2.0, [0.0, 0.0, 0.5], 0.1 * np.eye(3))
    >>> bool(np.allclose(ball.tensor_about_origin, np.diag([0.6, 0.6, 0.1])))
    True
    """

    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    tensor: Array = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        try:
            set_fields(
                self,
                mass=float(array("mass", self.mass, (), "kg")),
                com=frozen_array(self.com, (3,), "com"),
                tensor=frozen_array(self.tensor, (3, 3), "tensor"),
            )
        except DTypeError as error:
            raise DTypeError(
                f"Inertia holds numbers only; for symbols take armdyn.spatial.MassProperties ({error})"
            ) from None
        if fault := asymmetry(self.tensor):
            raise ModelError(
                f"{fault}; expected a symmetric matrix. Set both entries to the same number, or pass (I + I.T) / 2."
            )

    def _of_parts(self, mass: Scalar, com: Array, tensor: Array) -> Self:
        """An `Inertia`, or if there are symbols, the `MassProperties` that hold them."""
        try:
            return type(self)(mass, com, tensor)
        except TypeError:
            return cast("Self", MassProperties(mass, com, tensor))

    @classmethod
    def of(cls, properties: MassProperties) -> Self:
        """The body in float64; its numbers, of any kind, are rounded once."""
        return cls(properties.mass, properties.com, properties.tensor)

    @classmethod
    def _symmetrised(cls, mass: Scalar, com: Array, tensor: Array) -> Inertia:
        """The body with the symmetric part of a tensor that a subtraction left asymmetric by rounding."""
        return cls(cast("float", mass), com, 0.5 * (tensor + tensor.T))

    @property
    def exact(self) -> MassProperties:
        """The body in `armdyn.base.exact.Exact` numbers, for sums and turns that are to be rounded once."""
        return MassProperties(exact(self.mass), exact(self.com), exact(self.tensor))

    def seen_from(self, T: ArrayLike) -> Self:
        """The body seen from frame A, with T = T_AF the pose of F in A, shape (4, 4); rounded once.

        Raises:
            ModelError: if T is not a rigid motion.

        >>> T = np.eye(4)
        >>> T[2, 3] = 0.5  # F stands half a metre above A
        >>> armdyn.inertia.sphere(0.1, mass=2.0).seen_from(T).com
        array([0. , 0. , 0.5])
        """
        seen = self.exact.seen_from(exact(printed_pose("T", T)))
        return self._of_parts(seen.mass, seen.com, seen.tensor)

    def __add__(self, other: MassProperties) -> Self:
        """Both bodies as one, in the same frame; rounded once."""
        if not isinstance(other, Inertia):
            return super().__add__(other)
        both = self.exact + other.exact
        return self._of_parts(both.mass, both.com, both.tensor)

    @classmethod
    def point(cls, mass: float, position: ArrayLike) -> Inertia:
        """A point mass m at ``position``."""
        return cls(mass, array("position", position, (3,), "x, y and z, m"))

    @classmethod
    def from_spatial_inertia(cls, G: ArrayLike) -> Inertia:
        """The body of this spatial inertia G = [[I_o, m [c]], [m [c]^T, m 1]], angular part first.

        Args:
            G: kg m^2, kg m and kg, shape (6, 6), in the frame the inertia is to be seen from.

        Raises:
            ModelError: if G has another structure, or its mass is not positive.

        >>> G = armdyn.inertia.sphere(0.5, mass=10.0).at([0, 0, 2.0]).spatial_inertia
        >>> armdyn.Inertia.from_spatial_inertia(G).com
        array([0., 0., 2.])
        """
        G = array("G", G, (6, 6), "kg m^2, kg m and kg")
        problems = [f"G is no spatial inertia: {problem}." for problem in spatial_inertia_problems(G)]
        if problems:
            raise ModelError(problems)
        return cls._symmetrised(*parts_of_spatial_inertia(G))

    @classmethod
    def from_pseudo_inertia(cls, J: ArrayLike) -> Inertia:
        """The body of this pseudo-inertia J = [[S_o, H], [H^T, m]], with S_o the integral of r r^T dm.

        Args:
            J: kg m^2, kg m and kg, shape (4, 4), in the frame the inertia is to be seen from.

        Raises:
            ModelError: if J is not symmetric, or its mass is not positive.

        >>> armdyn.Inertia.from_pseudo_inertia(np.diag([1.0, 2.0, 3.0, 4.0])).tensor.diagonal()
        array([5., 4., 3.])
        """
        J = array("J", J, (4, 4), "kg m^2, kg m and kg")
        problems = [f"J is no pseudo-inertia: {problem}." for problem in pseudo_inertia_problems(J)]
        if problems:
            raise ModelError(problems)
        return cls._symmetrised(*parts_of_pseudo_inertia(J))

    def __sub__(self, other: MassProperties) -> Self:
        """The body with another one cut out of it, in the same frame: a hole, a cavity."""
        if not isinstance(other, Inertia):
            return super().__sub__(other)
        if self.mass <= other.mass:
            raise ModelError(f"{other.mass:g} kg cannot be cut out of {self.mass:g} kg; some mass must stay.")
        rest = type(self).of(self.exact - other.exact)
        problems = [f"what is cut out does not lie inside the body: {problem}." for problem in rest.impossibilities()]
        if problems:
            raise ModelError(problems)
        return rest

    @property
    def principal_moments(self) -> Array:
        """The eigenvalues of I_c, ascending, kg m^2, shape (3,)."""
        return np.linalg.eigvalsh(self.tensor)

    @property
    def principal_axes(self) -> PrincipalAxes:
        """Principal moments, ascending, and right-handed principal axes R_FP about the centre of mass.

        Modern Robotics 8.26. Signs and axes that the body leaves open follow the rules of `PrincipalAxes`.

        >>> armdyn.inertia.box((3, 2, 1), mass=12).principal_axes.moments.round(12)
        array([ 5., 10., 13.])
        """
        return principal_axes(self.tensor)

    def problems(self) -> Iterator[str]:
        """The faults of the numbers, one sentence each."""
        if not all(map(math.isfinite, (self.mass, *self.com.tolist(), *self.tensor.ravel().tolist()))):
            yield "mass, centre of mass or inertia is not a finite number"
            return
        largest = max(abs(self.mass), float(abs(self.tensor).max()))
        if largest > LARGEST:
            yield f"mass or inertia is as large as {largest:.3g}; expected numbers below {LARGEST:g}"
            return
        if fault := largest_problem(float(abs(self.com).max()), "prismatic"):
            yield f"centre of mass is off by {fault}"
            return
        if self.mass < 0.0:
            yield f"mass {self.mass:g} kg is negative; expected 0 or more"

    def impossibilities(self) -> Iterator[str]:
        """The conditions of a rigid body that are broken, one sentence each; there must be no `problems`."""
        if not self.tensor.any():
            return
        if self.mass == 0.0:
            yield "mass is 0 kg but its rotational inertia is not zero; no body without mass has it"
        a, b, c = self.principal_moments.tolist()
        x, y, z = (0.0 if abs(moment) < DUST * max(abs(a), abs(c)) else moment for moment in (a, b, c))
        text = f"principal inertia ({x:.3g}, {y:.3g}, {z:.3g}) kg m^2"
        tolerance = max(TRIANGLE_TOLERANCE * max(abs(c), abs(a)), self.mass * SMALLEST_RADIUS**2)
        if a < -tolerance:
            yield f"{text} has a negative moment; no rigid body has it"
        elif a + b < c - tolerance:
            yield f"{text} breaks a+b>=c by {100 * (c - a - b) / c:.3g} %; no rigid body has it"
