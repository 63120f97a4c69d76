"""Constrained motion in closed form (Modern Robotics 8.7): A(q), its rate, the multipliers and the projection.

A qd = 0,   tau = M qdd + c + g + A^T lambda,
lambda = W tau + w,   W = (A M^-1 A^T)^-1 A M^-1,   w = (A M^-1 A^T)^-1 (Adot qd - A M^-1 (c + g)),
P = 1 - A^T W
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
import sympy
from sympy.polys.rings import PolyElement

from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.base.errors import ModelError, Unsupported
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.closed_form import ClosedFormResults
from armdyn.derivation.named_results import DynamicsResults
from armdyn.derivation.quotients import LARGEST, adjugate_of, quotients, shorter
from armdyn.derivation.steps import Step
from armdyn.derivation.velocity_rows import constraint_rows, tip_rows, words_of
from armdyn.model.constraints import Constraint
from armdyn.spatial.rotations import Array

Constraints = str | Constraint | Sequence[str | Sequence[float] | Constraint]
"""Components of the tip's twist that are zero, as of `Robot.task_space`, and constraints of `armdyn.constraints`."""


class ConstrainedEquations(ClosedFormResults):
    """The motion of an arm under constraints, in closed form; made by `Derivation.constrained`.

    Args:
        derivation: derivation of the arm without the constraints.
        constraints: components of the tip's twist that are zero, e.g. "vx" in a channel along y, and constraints
            of `armdyn.constraints`; fewer rows than the arm has coordinates.
        expressed_in: axes of the components.

    Raises:
        ModelError: no constraint, or as many rows as the arm has coordinates.
        UnknownName: an unknown component, joint or value of ``expressed_in``.
        Unsupported: an arm of more than three coordinates, or without a tip; kinds of constraints without closed form.

    >>> arm = armdyn.derive(armdyn.load("planar_2r", gravity=(0, 0, 0)))
    >>> arm.constrained("vx").A
    Matrix([[-sin(q1) - sin(q1 + q2), -sin(q1 + q2)]])
    """

    RESULTS: ClassVar = {
        "A": ("A", "A(q)", "constraint Jacobian, A qd = 0"),
        "A_dot": ("Adot", r"\dot{A}(q, \dot{q})", "its rate"),
        "W": ("W", "W(q)", "multipliers per joint force"),
        "w": ("w", r"w(q, \dot{q})", "multipliers without joint forces"),
        "P": ("P", "P(q)", "projection of joint forces on those that move the arm"),
    }
    WHERE = "constrained equations"
    arm: SymbolicArm
    form = "constrained"

    def __init__(self, derivation: DynamicsResults, constraints: Constraints, expressed_in: str = "world") -> None:
        self.derivation, self.arm = derivation, derivation.arm
        n = self.arm.dof
        if n > LARGEST:
            raise Unsupported(
                f"{self.arm.name!r} has {n} coordinates; multipliers are written for up to {LARGEST}. For others "
                "there is robot.constrained_forward_dynamics, in numbers"
            )
        values = [constraints] if isinstance(constraints, str | Constraint) else list(constraints)
        if not values:
            raise ModelError(
                f"{self.arm.name!r} is given no constraint; name components of its tip's velocity that are zero, such "
                "as 'vx', or give constraints of armdyn.constraints"
            )
        parts = list(_parts(derivation, values, way_of_twist(expressed_in)))
        self.description = "; ".join(words for words, _ in parts)
        self._A = np.concatenate([rows for _, rows in parts])
        if len(self._A) >= n:
            raise ModelError(
                f"{len(self._A)} rows of constraints ({self.description}) of {self.arm.name!r}, which has {n} "
                f"coordinates; expected fewer than {n}, so that it can move"
            )

    def __repr__(self) -> str:
        return f"<ConstrainedEquations of {self.arm.name!r}: {self.description}>"

    @cached_property
    def _numerators(self) -> tuple[Array, Array, PolyElement]:
        """Numerators of W and w, and their denominator."""
        algebra, s, A = self.arm.algebra, self.derivation.structure, self._A
        K, det = adjugate_of(s.M, algebra.reduced)
        S, denominator = adjugate_of(algebra.each(A @ K @ A.T), algebra.reduced)
        if not denominator:
            raise Unsupported(
                f"the constraints {self.description} of {self.arm.name!r} are dependent in every configuration, so "
                "that their multipliers are not unique; leave some out"
            )
        qd = np.array(algebra.qd, dtype=object)
        W = algebra.each(S @ A @ K)
        w = algebra.each(S @ (algebra.rates(A) @ qd * det) - W @ (s.c + s.g))
        return W, w, denominator

    def _result(self, name: str) -> Scalar:
        if name == "A":
            return self.derivation.arrangement.array(self._A)
        if name == "A_dot":
            return self.derivation.arrangement.array(self.arm.algebra.rates(self._A))
        if name == "P":
            return self._projection()
        W, w, denominator = self._numerators
        return quotients(self.derivation.arrangement, W if name == "W" else w, denominator)

    def _projection(self) -> Scalar:
        """P, with each entry multiplied out over one denominator, or as 1 - A^T W, whichever is shorter."""
        W, _, denominator = self._numerators
        one = self.arm.algebra.array(np.eye(self.arm.dof, dtype=int)) * denominator
        above = self.arm.algebra.each(one - self._A.T @ W)
        multiplied_out = quotients(self.derivation.arrangement, above, denominator)
        products = sympy.eye(self.arm.dof) - self.A.T * self.W
        return sympy.ImmutableMatrix(
            *above.shape, [shorter(*pair) for pair in zip(multiplied_out, products, strict=True)]
        )

    @property
    def A(self) -> Scalar:
        """The constraint Jacobian A, shape (k, n)."""
        return self["A"]

    @property
    def A_dot(self) -> Scalar:
        """The time derivative of the constraint Jacobian, shape (k, n)."""
        return self["A_dot"]

    @property
    def W(self) -> Scalar:
        """The multipliers per joint force, W in lambda = W tau + w, shape (k, n)."""
        return self["W"]

    @property
    def w(self) -> Scalar:
        """The multipliers without joint forces, shape (k, 1)."""
        return self["w"]

    @property
    def P(self) -> Scalar:
        """The projection of joint forces onto those that move the arm, P = 1 - A^T W (Modern Robotics 8.99), (n, n)."""
        return self["P"]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps: M, c and g; A and its rate; the multipliers; the projection."""
        text = f"The rows {self.description} are zero, A(q) qd = 0; then tau = M qdd + c + g + A^T lambda."
        projected = "The joint forces P tau move the arm, and A^T W tau act on the constraints alone."
        return (
            self.derivation.steps[-1],
            self._step("Constraints", text, "A", "A_dot"),
            self._step("Multipliers", "The multipliers are lambda = W(q) tau + w(q, qd).", "W", "w"),
            self._step("Projection", projected, "P"),
        )


def _parts(
    derivation: DynamicsResults, constraints: Iterable[Scalar], expressed_in: str
) -> Iterable[tuple[str, Array]]:
    """Names and rows of each constraint; the tip's components first, together."""
    arm, components = derivation.arm, [x for x in constraints if not isinstance(x, Constraint)]
    if components:
        yield words_of(arm, components, expressed_in), tip_rows(arm, components, expressed_in)
    for constraint in constraints:
        if isinstance(constraint, Constraint):
            yield constraint.name, constraint_rows(arm, constraint)
