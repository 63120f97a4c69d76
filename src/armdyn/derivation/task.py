"""Task space in closed form: J, its rate, and the equations of motion F = Lambda Vdot + eta in its coordinates.

    Lambda = J^-T M J^-1,   eta = mu + p,   mu = J^-T c - Lambda Jdot qd,   p = J^-T g

(Modern Robotics 8.90, 8.91; the slides' M_x, V_x, G_x.)

A task has as many components as the arm has coordinates, so that J is square.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from sympy.polys.rings import PolyElement

from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.algorithms.task_rows import Components, chosen_rows
from armdyn.base.errors import UnknownName, Unsupported
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.closed_form import ClosedFormResults
from armdyn.derivation.named_results import DynamicsResults
from armdyn.derivation.quotients import LARGEST, adjugate_of, quotients
from armdyn.derivation.steps import Step
from armdyn.derivation.velocity_rows import tip_rows, words_of
from armdyn.spatial.rotations import Array


class TaskEquations(ClosedFormResults):
    """The equations of motion in coordinates of the tip, in closed form; made by `Derivation.task_space`.

    Args:
        derivation: derivation of the arm.
        components: components of the tip's twist, as many as the arm has coordinates, as in `Robot.task_space`.
        expressed_in: "body", "world" or "space", as in `Robot.task_space`.

    Raises:
        UnknownName: an unknown component or value of ``expressed_in``.
        Unsupported: an arm without a moving tip, or more than three coordinates, or another number of components.

    >>> arm = armdyn.derive(armdyn.load("planar_2r"))
    >>> arm.task_space(("vx", "vy")).Lambda
    Matrix([
    [1 + sin(q2)**(-2), 0],
    [                0, 1]])
    """

    RESULTS: ClassVar = {
        "J": ("J", "J(q)", "Jacobian, V = J qd"),
        "J_dot": ("Jdot", r"\dot{J}(q, \dot{q})", "its rate"),
        "det_J": ("det_J", r"\det J(q)", "its determinant: the task is singular if it is zero"),
        "J_inverse": ("Jinv", "J^{-1}(q)", "its inverse"),
        "Lambda": ("Lambda", r"\Lambda(q)", "mass matrix of the task"),
        "mu": ("mu", r"\mu(q, \dot{q})", "velocity forces along the components"),
        "p": ("p", "p(q)", "forces of gravity along the components"),
        "eta": ("eta", r"\eta(q, \dot{q})", "mu + p"),
    }
    WHERE = "task equations"
    arm: SymbolicArm
    form = "task-space"

    def __init__(self, derivation: DynamicsResults, components: Components, expressed_in: str = "body") -> None:
        rows, n = chosen_rows(components), derivation.arm.dof
        self.derivation, self.arm = derivation, derivation.arm
        self.expressed_in = way_of_twist(expressed_in)
        self.description = words_of(self.arm, components, self.expressed_in)
        if len(rows) != n or n > LARGEST:
            raise Unsupported(
                f"a task of {len(rows)} component{'s' * (len(rows) > 1)} ({self.description}) of {self.arm.name!r}, "
                f"which has {n} coordinates: J^-1 is written if there are as many of both, {LARGEST} at most. For "
                "others there is robot.task_space, in numbers"
            )
        self._jacobian = tip_rows(self.arm, components, self.expressed_in)

    def __repr__(self) -> str:
        return f"<TaskEquations of {self.arm.name!r}: {self.description}>"

    @cached_property
    def _rate(self) -> Array:
        return self.arm.algebra.rates(self._jacobian)

    @cached_property
    def _inverse(self) -> tuple[Array, PolyElement]:
        adjugate, determinant = adjugate_of(self._jacobian, self.arm.algebra.reduced)
        if not determinant:
            raise Unsupported(
                f"the components {self.description} of {self.arm.name!r} are dependent in every configuration: det J "
                "is zero and there is no Lambda; choose others"
            )
        return adjugate, determinant

    def arranged(self, name: str, by: Sequence[str]) -> Scalar:
        """J or J_dot in another arrangement, as in `Derivation.arranged`."""
        parts = {"J": lambda: self._jacobian, "J_dot": lambda: self._rate}
        if name not in parts:
            raise UnknownName.of("part", name, parts, self.WHERE)
        return self.derivation.arrangement.array(parts[name](), by)

    def _result(self, name: str) -> Scalar:
        if name == "J":
            return self.derivation.arrangement.array(self._jacobian)
        if name == "J_dot":
            return self.derivation.arrangement.array(self._rate)
        adjugate, det = self._inverse
        if name == "det_J":
            return self.derivation.arrangement.expression(det)
        if name == "J_inverse":
            return quotients(self.derivation.arrangement, adjugate, det)
        above = self.arm.algebra.each(adjugate.T @ self._in_joints(name))
        below = det if name == "p" else self.arm.algebra.reduced(det**2)
        return quotients(self.derivation.arrangement, above, below)

    def _in_joints(self, name: str) -> Array:
        """The joint-space quantity whose product with J^-T is the result, times det J if it contains J^-1."""
        s, (K, det), qd = self.derivation.structure, self._inverse, np.array(self.arm.algebra.qd, dtype=object)
        if name == "p":
            return s.g
        if name == "Lambda":
            return np.asarray(s.M @ K)
        forces = s.c + s.g if name == "eta" else s.c
        return np.asarray(forces * det - s.M @ (K @ (self._rate @ qd)))

    @property
    def J(self) -> Scalar:
        """The Jacobian of the components, shape (n, n)."""
        return self["J"]

    @property
    def J_dot(self) -> Scalar:
        """The time derivative of the Jacobian, shape (n, n)."""
        return self["J_dot"]

    @property
    def det_J(self) -> Scalar:
        """The determinant of the Jacobian; the task is singular if it is zero."""
        return self["det_J"]

    @property
    def J_inverse(self) -> Scalar:
        """The inverse J^-1 of the Jacobian, shape (n, n)."""
        return self["J_inverse"]

    @property
    def Lambda(self) -> Scalar:
        """Lambda = J^-T M J^-1, the slides' M_x, shape (n, n)."""
        return self["Lambda"]

    @property
    def mu(self) -> Scalar:
        """mu = J^-T c - Lambda Jdot qd, the slides' V_x, shape (n, 1)."""
        return self["mu"]

    @property
    def p(self) -> Scalar:
        """p = J^-T g, the slides' G_x, shape (n, 1)."""
        return self["p"]

    @property
    def eta(self) -> Scalar:
        """eta = mu + p, shape (n, 1)."""
        return self["eta"]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps: M, c and g; J, its rate and determinant; Lambda, mu and p."""
        velocity = f"The components {self.description} are V = J(q) qd, and Vdot = J qdd + Jdot qd."
        forces = (
            "The forces along them are F = Lambda(q) Vdot + mu(q, qd) + p(q), with tau = J^T F; eta = mu + p. "
            "There is no Lambda if det J is zero."
        )
        return (
            self.derivation.steps[-1],
            self._step("Jacobian", velocity, "J", "J_dot", "det_J"),
            self._step("Task-space form", forces, "Lambda", "mu", "p"),
        )
