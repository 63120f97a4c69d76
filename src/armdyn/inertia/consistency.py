"""Physical consistency of an inertia, and the nearest one that a rigid body can have.

A body's second moment S_c, the integral of r r^T dm about its centre of mass, has no negative eigenvalue. These are
s_i = (I_j + I_k - I_i)/2 in its principal moments, so that "S_c is positive semidefinite", "the triangle inequalities
hold" and, for a positive mass, "the pseudo-inertia is positive semidefinite" are equivalent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.model.inertia import Inertia
from armdyn.spatial.rotations import Array

ROUNDING = 1e-12
"""The rounding, relative to the largest principal moment: flat bodies have an eigenvalue of exactly zero."""


class Violation(NamedTuple):
    """One condition that is not met."""

    condition: str
    """The condition, for example "I1 + I2 >= I3"."""
    shortfall: float
    """The amount by which it is broken, in ``unit``."""
    unit: str
    """The unit of the amount, e.g. "kg m^2"."""

    def __str__(self) -> str:
        return f"{self.condition} is broken by {self.shortfall:.6g} {self.unit}"


class Consistency(NamedTuple):
    """The conditions on a rigid body's inertia, with the violated ones."""

    mass: float
    """m, kg."""
    moments: Array
    """I1 <= I2 <= I3, principal moments about the centre of mass, kg m^2, shape (3,)."""
    second_moments: Array
    """s1 <= s2 <= s3, eigenvalues of S_c: integrals of x^2 dm along the principal axes x, kg m^2, shape (3,)."""
    pseudo_inertia_eigenvalues: Array
    """Eigenvalues of the pseudo-inertia in the frame F itself, ascending, in mixed units, shape (4,)."""
    violations: tuple[Violation, ...]
    """The conditions that are not met."""

    @property
    def consistent(self) -> bool:
        """True if a rigid body can have this inertia."""
        return not self.violations

    @property
    def definite(self) -> bool:
        """True if a body with mass in all three directions can have it: not a rod, a plate or a point."""
        return self.consistent and self.mass > 0.0 and bool(self.second_moments[0] > ROUNDING * self.moments[-1])

    def __str__(self) -> str:
        if self.consistent:
            return "a rigid body can have this inertia"
        return "no rigid body has this inertia: " + "; ".join(map(str, self.violations))


class NearestInertia(NamedTuple):
    """The nearest inertia a rigid body can have."""

    inertia: Inertia
    """The corrected inertia; the given one itself if it needed no correction."""
    distance: float
    """Frobenius norm of the change of S_c, kg m^2."""
    changes: tuple[str, ...]
    """The changes, one sentence each."""


def consistency(inertia: Inertia) -> Consistency:
    """The conditions on a rigid body's inertia, the violated ones with their shortfall.

    Violations smaller than 1e-12 of the largest moment count as rounding.

    Raises:
        ModelError: if the inertia holds NaN or infinity.

    >>> print(armdyn.inertia.consistency(armdyn.Inertia(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.5]))))
    no rigid body has this inertia: I1 + I2 >= I3 is broken by 0.5 kg m^2
    """
    _refuse_not_finite(inertia)
    symmetric = Inertia(inertia.mass, inertia.com, _symmetric(inertia.tensor))
    moments = symmetric.principal_moments
    return Consistency(
        inertia.mass,
        moments,
        np.sort(moments.sum() / 2 - moments),
        np.linalg.eigvalsh(symmetric.pseudo_inertia),
        tuple(_violations(inertia, moments)),
    )


def _violations(inertia: Inertia, moments: Array) -> list[Violation]:
    largest = float(np.abs(moments).max())
    rounding = ROUNDING * largest
    skewness = float(np.abs(inertia.tensor - inertia.tensor.T).max())
    a, b, c = moments.tolist()
    result = [
        Violation("m >= 0", -inertia.mass, "kg") if inertia.mass < 0.0 else None,
        Violation("I = 0 for m = 0", float(np.abs(moments).max()), "kg m^2")
        if inertia.mass == 0.0 and inertia.tensor.any()
        else None,
        Violation("I = I^T", skewness, "kg m^2") if skewness > rounding else None,
        Violation("I1 >= 0", -a, "kg m^2") if a < -rounding else None,
        Violation("I1 + I2 >= I3", c - a - b, "kg m^2") if c - a - b > rounding else None,
        Violation("I1 + I3 >= I2", b - a - c, "kg m^2") if b - a - c > rounding else None,
    ]
    return [violation for violation in result if violation is not None]


def nearest_consistent(inertia: Inertia, *, smallest: float = 0.0) -> NearestInertia:
    """The inertia a rigid body can have that is nearest to the given one; mass and centre of mass are kept.

    Nearest in the Frobenius norm of the pseudo-inertia about the centre of mass, diag(S_c, m): its symmetric part with
    negative eigenvalues set to zero is the nearest positive semidefinite matrix of all (Higham 1988), and m does not
    change. The norm, and so the result, depends neither on the frame's axes nor on its origin. The principal axes stay.
    An inertia that is consistent up to rounding is returned unchanged.

    Args:
        inertia: of a positive mass.
        smallest: the required least eigenvalue of S_c, kg m^2: 0 permits flat bodies, more than 0 makes it definite.

    Raises:
        ModelError: if the mass is not positive, ``smallest`` is negative, or a number is not finite.

    >>> mended = armdyn.inertia.nearest_consistent(armdyn.Inertia(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.5])))
    >>> mended.inertia.tensor.diagonal(), mended.distance
    (array([1.25, 2.25, 3.5 ]), 0.25)
    """
    _refuse_not_finite(inertia)
    if inertia.mass <= 0.0:
        raise ModelError(
            f"mass {inertia.mass:g} kg is not positive, and it is kept: no body of that mass is near. "
            "Give the inertia its true mass first."
        )
    if not (math.isfinite(smallest) and smallest >= 0.0):
        raise ModelError(f"smallest {smallest:g} kg m^2 is negative or not finite; expected 0 or more.")
    S = Inertia(inertia.mass, inertia.com, _symmetric(inertia.tensor)).second_moment
    s, axes = np.linalg.eigh(S)
    rounding = ROUNDING * float(np.abs(inertia.tensor).max())
    symmetric = np.abs(inertia.tensor - inertia.tensor.T).max() <= rounding
    if symmetric and s[0] >= smallest - rounding:
        return NearestInertia(inertia, 0.0, ())
    clipped = np.maximum(s, smallest)
    S_near = _symmetric((axes * clipped) @ axes.T)
    mended = Inertia(inertia.mass, inertia.com, np.trace(S_near) * np.eye(3) - S_near)
    values = np.trace(inertia.tensor) / 2 * np.eye(3) - inertia.tensor
    distance = float(np.linalg.norm(S_near - values))
    return NearestInertia(mended, distance, tuple(_changes(inertia, mended, s, clipped, bool(symmetric))))


def _changes(before: Inertia, after: Inertia, s: Array, clipped: Array, symmetric: bool) -> list[str]:
    changes = []
    if not symmetric:
        changes.append("the tensor was made symmetric: (I + I^T)/2")
    for old, new in zip(s, clipped, strict=True):
        if old < new:
            changes.append(f"the second moment {old:.6g} kg m^2 along a principal axis was raised to {new:.6g}")
    old_moments = np.linalg.eigvalsh(_symmetric(before.tensor))
    changes.append(f"principal moments {_format(old_moments)} became {_format(after.principal_moments)} kg m^2")
    return changes


def _format(moments: Array) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in moments) + ")"


def _symmetric(tensor: Array) -> Array:
    return (tensor + tensor.T) / 2


def _refuse_not_finite(inertia: Inertia) -> None:
    if not all(np.isfinite(x).all() for x in (inertia.mass, inertia.com, inertia.tensor)):
        raise ModelError("mass, centre of mass or inertia is not a finite number; only finite ones can be judged.")
