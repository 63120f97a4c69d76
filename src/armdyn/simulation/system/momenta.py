"""Generalised momenta p = M v of all coordinates, and their rates by accelerations: dp/dt = M a + dM/dt v.

By these a variational step has the forces of whatever acts in a motion, of springs, constraints and rows at rest too.
Coordinates are those of joints and, after them, rotors on springs, which turn about their own axes only, and states of
elements, which are velocities of coordinates with an inertia of 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.actuators.flexible_joints import flexible_joints, links_side
from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.robot import Robot
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.methods.formulas import Equations, Rates


class Momenta:
    """Equations of motion by momenta (`armdyn.simulation.methods.variational.MomentumEquations`).

    Args:
        equations: accelerations and power.
        of_links: `momenta_of_links` of the arm.
        solve: `velocities_of_links` of the arm.
        dof: the number of joint coordinates.
        rotors: inertias of the rotors on springs, kg m^2 or kg.
    """

    def __init__(
        self, equations: Equations, of_links: Callable[..., Any], solve: Callable[..., Any], dof: int, rotors: Any
    ) -> None:
        self._equations, self._of_links, self._solve, self._dof, self._rotors = equations, of_links, solve, dof, rotors

    @classmethod
    def traced(cls, model: Mechanism, equations: Equations) -> Momenta:
        """The momenta of a traced arm."""
        of_links, solve = partial(momenta_of_links, model), partial(velocities_of_links, model)
        return cls(equations, of_links, solve, model.dof, _rotors(model))

    @classmethod
    def of(cls, robot: Robot, equations: Equations) -> Momenta:
        """The momenta of a robot, of numbers."""
        of_links, solve = robot.compile(momenta_of_links), robot.compile(velocities_of_links)
        return cls(equations, of_links, solve, robot.dof, np.array(_rotors(robot.mechanism), dtype=float))

    def by(self, equations: Equations) -> Momenta:
        """Momenta of this arm by other equations of motion."""
        return Momenta(equations, self._of_links, self._solve, self._dof, self._rotors)

    def __call__(self, t: Any, x: Any, v: Any) -> Rates:
        """Accelerations and power."""
        return self._equations(t, x, v)

    def momenta(self, x: Any, v: Any) -> Any:
        """p = M v, N m s or N s."""
        return self._rates(x, v, 0.0 * v)[0]

    def rates_of_momenta(self, t: Any, x: Any, v: Any) -> tuple[Any, Any, Any]:
        """p; dp/dt, N m or N; and the power, W."""
        a, power = self._equations(t, x, v)
        return *self._rates(x, v, a), power

    def velocities(self, x: Any, p: Any) -> Any:
        """M^-1 p."""
        n = self._dof
        of_links, others = self._solve(x[..., :n], p[..., :n]), p[..., n:]
        return of_links if others.shape[-1] == 0 else np.concatenate([of_links, others / self._others(others)], axis=-1)

    def _rates(self, x: Any, v: Any, a: Any) -> tuple[Any, Any]:
        n = self._dof
        both = self._of_links(x[..., :n], v[..., :n], a[..., :n])
        if v.shape[-1] == n:
            return both[0], both[1]
        others = self._others(v[..., n:])
        p, rate = (np.concatenate([b, others * c[..., n:]], axis=-1) for b, c in zip(both, (v, a), strict=True))
        return p, rate

    def _others(self, values: Any) -> Any:
        """Inertias of rotors and, after them, of states of elements."""
        return np.concatenate([self._rotors, np.ones(values.shape[-1] - len(self._rotors))])


@function("(n),(n),(n)->(n),(n)", sources=(*SOURCES, "actuators"))
def momenta_of_links(model: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """Generalised momentum p = M qd, N m s or N s, and its rate M qdd + dM/dt qd, N m or N, shape (..., n) each.

    dM/dt qd = c(q, qd) + dK/dq (Modern Robotics 8.15); of the arm without the rotors of its flexible joints.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
    """
    links = _links(model)
    kinetic = algorithms.kinetic_energy_derivatives(links, q, qd)
    accelerating = algorithms.generalized_momentum(links, q, qdd)  # M qdd
    return kinetic.d_qd, accelerating + algorithms.velocity_forces(links, q, qd) + kinetic.d_q


@function("(n),(n)->(n)", sources=(*SOURCES, "actuators"))
def velocities_of_links(model: Any, q: Any, p: Any) -> Any:
    """Joint velocities M(q)^-1 p, rad/s or m/s, shape (..., n); without the rotors of flexible joints.

    Args:
        q: joint positions, rad or m, shape (..., n).
        p: generalised momentum, N m s or N s, shape (..., n).
    """
    return factored_mass_matrix(_links(model), q).solve(p)


def _links(model: Mechanism) -> Mechanism:
    """The arm without the rotors of its flexible joints."""
    joints = flexible_joints(model)
    return links_side(model, joints) if joints else model


def _rotors(model: Mechanism) -> Any:
    return np.array([joint.inertia for joint in flexible_joints(model)], dtype=object)
