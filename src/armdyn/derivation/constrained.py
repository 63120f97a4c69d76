"""Constrained motion in closed form (Modern Robotics 8.7): A(q), its rate, the multipliers and the projection.

A qd = 0,   tau = M qdd + c + g + A^T lambda,
lambda = W tau + w,   W = (A M^-1 A^T)^-1 A M^-1,   w = (A M^-1 A^T)^-1 (Adot qd - A M^-1 (c + g)),
P = 1 - A^T W
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy.polys.rings import PolyElement

from armdyn.derivation.steps import Equation, Step
from armdyn.derivation.task import LARGEST, ROWS, adjugate_of, fraction, twist_jacobian
from armdyn.errors import ModelError, Unsupported, shown
from armdyn.spatial.rotations import Array
from armdyn.threads import cached_property

if TYPE_CHECKING:
    from armdyn.derivation.derivation import Derivation


class ConstrainedEquations:
    """The motion of an arm whose tip cannot move along some directions, in closed form.

    Args:
        derivation: of the arm without the constraint.
        rows: components of the tip's velocity in base axes that are zero, such as ("x",) in a channel along y.

    Raises:
        ModelError: rows that are unknown, or as many as the arm has coordinates.
        Unsupported: an arm of more than three coordinates, or without a tip.

    >>> from armdyn.derivation.constrained import ConstrainedEquations
    >>> arm = armdyn.derive(armdyn.load("planar_2r", gravity=(0, 0, 0)))
    >>> ConstrainedEquations(arm, ["x"]).A
    Matrix([[-sin(q1) - sin(q1 + q2), -sin(q1 + q2)]])
    """

    def __init__(self, derivation: Derivation, rows: Sequence[str]) -> None:
        n = derivation.arm.dof
        if any(row not in ROWS for row in rows) or not rows or len(rows) >= n or len(set(rows)) < len(rows):
            raise ModelError(f"rows is {shown(tuple(rows))}; expected fewer than {n} of {', '.join(ROWS)}, each once")
        if n > LARGEST:
            raise Unsupported(
                f"{derivation.arm.name!r} has {n} coordinates; multipliers are written for up to {LARGEST}. For others "
                "there is robot.constrained_forward_dynamics, in numbers"
            )
        self.derivation, self.rows = derivation, tuple(rows)
        self.algebra = derivation.arm.algebra

    @cached_property
    def _A(self) -> Array:
        return np.asarray(twist_jacobian(self.derivation, "world")[[ROWS[row] for row in self.rows]])

    @cached_property
    def A(self) -> Any:
        """The constraint Jacobian A, shape (k, n)."""
        return self.derivation.arrangement.array(self._A)

    @cached_property
    def A_dot(self) -> Any:
        """Its rate, shape (k, n)."""
        return self.derivation.arrangement.array(self.algebra.rates(self._A))

    @cached_property
    def _parts(self) -> tuple[Array, Array, PolyElement]:
        """Numerators of W and w, and their denominator."""
        algebra, s, A = self.algebra, self.derivation.structure, self._A
        K, det = adjugate_of(s.M, algebra.reduced)
        S, denominator = adjugate_of(algebra.each(A @ K @ A.T), algebra.reduced)
        if not denominator:
            raise Unsupported(f"the rows {', '.join(self.rows)} are dependent everywhere; leave some out")
        qd = np.array(algebra.qd, dtype=object)
        W = algebra.each(S @ A @ K)
        drift = algebra.rates(A) @ qd
        w = algebra.each(S @ (drift * det) - W @ (s.c + s.g))
        return W, w, denominator

    @cached_property
    def W(self) -> Any:
        """Multipliers per joint force, W of lambda = W tau + w, shape (k, n)."""
        W, _, denominator = self._parts
        return sympy.ImmutableMatrix([[fraction(self.derivation, x, denominator) for x in row] for row in W])

    @cached_property
    def w(self) -> Any:
        """The multipliers without joint forces, shape (k, 1)."""
        _, w, denominator = self._parts
        return sympy.ImmutableMatrix([[fraction(self.derivation, x, denominator)] for x in w])

    @cached_property
    def P(self) -> Any:
        """The projection of joint forces on those that move the arm, P = 1 - A^T W (Modern Robotics 8.99), (n, n)."""
        W, _, denominator = self._parts
        one = self.algebra.array(np.eye(self.derivation.arm.dof, dtype=int)) * denominator
        N = self.algebra.each(one - self._A.T @ W)
        return sympy.ImmutableMatrix([[fraction(self.derivation, x, denominator) for x in row] for row in N])

    @property
    def step(self) -> Step:
        """All of it as a step of a derivation."""
        named = [
            ("A", "A(q)", self.A),
            ("Adot", r"\dot{A}(q, \dot{q})", self.A_dot),
            ("W", "W(q)", self.W),
            ("w", r"w(q, \dot{q})", self.w),
            ("P", "P(q)", self.P),
        ]
        equations = tuple(Equation(sympy.Symbol(name), value, latex) for name, latex, value in named)
        return Step("Constraint", "The tip is held along some directions; lambda = W tau + w.", equations)
