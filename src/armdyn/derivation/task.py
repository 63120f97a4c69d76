"""Task space in closed form: J, its rate, and Lambda with the forces of the task.

    Lambda = J^-T M J^-1,   eta = J^-T (c - M J^-1 Jdot qd),   gamma = J^-T g

(Modern Robotics 8.91; the slides' M_x, V_x, G_x.)

A task has as many rows as the arm has coordinates, so that J is square.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy.polys.rings import PolyElement

from armdyn.derivation.kinematics import Kinematics
from armdyn.derivation.steps import Equation, Step
from armdyn.errors import ModelError, UnknownName, Unsupported, shown
from armdyn.spatial.rotations import Array
from armdyn.threads import cached_property

if TYPE_CHECKING:
    from armdyn.derivation.derivation import Derivation

ROWS = {"wx": 0, "wy": 1, "wz": 2, "x": 3, "y": 4, "z": 5}
"""Components of a twist by name: of the angular velocity, and of the velocity of the frame's origin."""

LARGEST = 3
"""Rows of tasks and constraints whose matrices are inverted."""


class TaskEquations:
    """The motion of the tip frame in closed form, and the equations of motion in its coordinates.

    Args:
        derivation: of the arm.
        rows: components of the tip's velocity, such as ("x", "y").
        expressed_in: "world", base axes, or "body", the tip's own.

    Raises:
        ModelError: rows that are unknown.
        Unsupported: an arm without a tip that moves.

    >>> from armdyn.derivation.task import TaskEquations
    >>> arm = armdyn.derive(armdyn.load("planar_2r"))
    >>> TaskEquations(arm, ("x", "y"), expressed_in="body").mass
    Matrix([
    [1 + sin(q2)**(-2), 0],
    [                0, 1]])
    """

    def __init__(self, derivation: Derivation, rows: Sequence[str], expressed_in: str = "world") -> None:
        unknown = [row for row in rows if row not in ROWS]
        if unknown or not rows or len(set(rows)) < len(rows):
            raise ModelError(f"rows is {shown(tuple(rows))}; expected some of {', '.join(ROWS)}, each once")
        if expressed_in not in ("world", "body"):
            raise ModelError(f"expressed_in is {shown(expressed_in)}; expected 'world' or 'body'")
        if derivation.arm.tip is None:
            raise Unsupported(f"{derivation.arm.name!r} has no tip that moves; choose one by robot.with_tip")
        self.derivation, self.rows, self.expressed_in = derivation, tuple(rows), expressed_in
        self.algebra = derivation.arm.algebra

    @cached_property
    def _jacobian(self) -> Array:
        chosen = [ROWS[row] for row in self.rows]
        return np.asarray(twist_jacobian(self.derivation, self.expressed_in)[chosen])

    @cached_property
    def _rate(self) -> Array:
        return self.algebra.rates(self._jacobian)

    @cached_property
    def J(self) -> Any:
        """The Jacobian of the rows, shape (k, n)."""
        return self._written(self._jacobian)

    @cached_property
    def J_dot(self) -> Any:
        """Its rate, shape (k, n)."""
        return self._written(self._rate)

    def arranged(self, name: str, by: Sequence[str]) -> Any:
        """J or J_dot in another arrangement; see `Derivation.arranged`."""
        parts = {"J": lambda: self._jacobian, "J_dot": lambda: self._rate}
        if name not in parts:
            raise UnknownName.of("part", name, parts, "task equations")
        return self.derivation.arrangement.array(parts[name](), by)

    @cached_property
    def inverse(self) -> Any:
        """J^-1, shape (n, n).

        Raises:
            Unsupported: where J is not square, or has more than three rows, or no inverse anywhere.
        """
        adjugate, determinant = self._inverse
        return _matrix([[self._fraction(x, determinant) for x in row] for row in adjugate])

    @cached_property
    def _inverse(self) -> tuple[Array, PolyElement]:
        k, n = self._jacobian.shape
        if k != n or n > LARGEST:
            raise Unsupported(
                f"a task with {k} rows of an arm with {n} coordinates: J^-1 is written for square Jacobians of up to "
                f"{LARGEST} rows; for others there is robot.task_space, in numbers"
            )
        adjugate, determinant = adjugate_of(self._jacobian, self.algebra.reduced)
        if not determinant:
            raise Unsupported(f"the rows {', '.join(self.rows)} are dependent everywhere; choose others")
        return adjugate, determinant

    @cached_property
    def mass(self) -> Any:
        """Lambda = J^-T M J^-1, the slides' M_x, shape (n, n)."""
        K, det = self._inverse
        N = self.algebra.each(K.T @ self.derivation.structure.M @ K)
        return _matrix([[self._fraction(x, self.algebra.reduced(det**2)) for x in row] for row in N])

    @cached_property
    def velocity_forces(self) -> Any:
        """eta = J^-T (c - M J^-1 Jdot qd), the slides' V_x, shape (n, 1)."""
        K, det = self._inverse
        s, qd = self.derivation.structure, np.array(self.algebra.qd, dtype=object)
        inner = s.c * det - s.M @ (K @ (self._rate @ qd))
        return _matrix([[self._fraction(x, self.algebra.reduced(det**2))] for x in self.algebra.each(K.T @ inner)])

    @cached_property
    def gravity_forces(self) -> Any:
        """J^-T g, the slides' G_x, shape (n, 1)."""
        K, det = self._inverse
        return _matrix([[self._fraction(x, det)] for x in self.algebra.each(K.T @ self.derivation.structure.g)])

    @property
    def step(self) -> Step:
        """All of it as a step of a derivation."""
        named = [
            ("J", "J(q)", self.J),
            ("Jdot", r"\dot{J}(q, \dot{q})", self.J_dot),
            ("Lambda", r"\Lambda(q)", self.mass),
            ("eta", r"\eta(q, \dot{q})", self.velocity_forces),
            ("gamma", r"\gamma(q)", self.gravity_forces),
        ]
        equations = tuple(Equation(sympy.Symbol(name), value, latex) for name, latex, value in named)
        return Step("Task space", "The equations of motion in the coordinates of the task.", equations)

    def _written(self, values: Array) -> Any:
        return self.derivation.arrangement.array(values)

    def _fraction(self, above: PolyElement, below: PolyElement) -> Any:
        return fraction(self.derivation, above, below)


def twist_jacobian(derivation: Derivation, expressed_in: str) -> Array:
    """The Jacobian of the tip's angular velocity and its origin's velocity, in base or its own axes, shape (6, n)."""
    arm, algebra = derivation.arm, derivation.arm.algebra
    tip, kinematics = arm.tip, Kinematics(arm)
    if tip is None:
        raise Unsupported(f"{arm.name!r} has no tip that moves; choose one by robot.with_tip")
    p, R = kinematics.point(tip.body, tip.p), kinematics.poses[tip.body][0]
    w = algebra.each(R @ kinematics.angular_velocities[tip.body])
    twist = np.concatenate([w, algebra.rates(p)])
    if expressed_in == "body":
        R_tip = algebra.each(R @ algebra.array(tip.R))
        twist = np.concatenate([R_tip.T @ twist[:3], R_tip.T @ twist[3:]])
    return algebra.each(np.array([[v.diff(rate) for rate in algebra.qd] for v in twist], dtype=object))


def adjugate_of(A: Array, reduced: Callable[[PolyElement], PolyElement]) -> tuple[Array, PolyElement]:
    """The adjugate and the determinant of a matrix of up to three rows."""
    n = len(A)
    adjugate = np.empty((n, n), dtype=object)
    for i in range(n):
        for j in range(n):
            minor = np.delete(np.delete(A, j, 0), i, 1)
            adjugate[i, j] = reduced(determinant(minor, A.flat[0].ring(1)) * (-1) ** (i + j))
    return adjugate, reduced(determinant(A, A.flat[0].ring(1)))


def determinant(A: Array, one: PolyElement) -> PolyElement:
    """By the first row."""
    if not len(A):
        return one
    return sum(
        (A[0, j] * determinant(np.delete(A[1:], j, 1), one) * (-1) ** j for j in range(len(A))), start=one.ring(0)
    )


def fraction(derivation: Derivation, above: PolyElement, below: PolyElement) -> Any:
    """A quotient without common factors, each part as it is printed.

    Cosines and sines have two normal forms, with the squares of sines or of cosines replaced; common factors are
    looked for in both, and the shorter result is taken.
    """
    if not above:
        return sympy.Integer(0)
    write, reduced = derivation.arrangement.expression, derivation.arm.algebra.reduced
    candidates = []
    for one, other in ((above, below), (_other_form(derivation, above), _other_form(derivation, below))):
        numerator, denominator = one.cancel(other)
        candidates.append(write(reduced(numerator)) / write(reduced(denominator)))
        candidates += _split(derivation, numerator, denominator)
    return min(candidates, key=lambda expression: (sympy.count_ops(expression), str(expression)))


def _split(derivation: Derivation, above: PolyElement, below: PolyElement) -> list[Any]:
    """The quotient by a single term, as a sum over reduced denominators; empty where there are several terms."""
    if len(below) > 1:
        return []
    groups: dict[Any, Any] = {}
    for monomial, value in above.items():
        one = above.ring.from_dict({monomial: value})
        numerator, denominator = one.cancel(below)
        groups[denominator] = groups.get(denominator, above.ring(0)) + numerator
    write, reduced = derivation.arrangement.expression, derivation.arm.algebra.reduced
    return [sympy.Add(*(write(reduced(n)) / write(reduced(d)) for d, n in groups.items()))]


def _other_form(derivation: Derivation, f: PolyElement) -> PolyElement:
    """With c^2 = 1 - s^2 in place of s^2 = 1 - c^2."""
    algebra = derivation.arm.algebra
    for c, s in algebra.atoms.values():
        f = algebra.without_squares(f, c, s)
    return f


def _matrix(rows: list[list[Any]]) -> Any:
    return sympy.ImmutableMatrix(rows)
