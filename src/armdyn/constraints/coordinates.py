"""Coupled joints, and equations of the caller's own, whose derivatives the program takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.constraints.equations import Equations, equations, returned, wrong_shape
from armdyn.constraints.frames import State
from armdyn.model.constraints import Holonomic, JointCoupling, Pfaffian
from armdyn.program import derivative, rate
from armdyn.spatial.rotations import Array


@equations.register
def coupled(constraint: JointCoupling, state: State) -> Equations:
    """a . q = b, whose A is constant."""
    names = [coordinate.name for coordinate in state.model.model.coordinates]
    a = np.zeros(len(names))
    for joint, factor in constraint.factors:
        a[names.index(joint)] += factor
    return Equations(np.array([a @ state.q - constraint.value]), a[None, :], np.zeros(1))


@equations.register
def holonomic(constraint: Holonomic, state: State) -> Equations:
    """phi(q) = 0, with A = dphi/dq and Adot qd the rate of A qd with qd held."""
    size = len(constraint.rows)

    def phi(q: Array) -> Array:
        values = returned(constraint, constraint.function(state.model, q), state.model.dof)
        if values.shape != (size,) and not (size == 1 and values.shape == ()):
            raise wrong_shape(constraint, values.shape, state.model.dof)
        return values.reshape(size)

    drift = rate(lambda q: derivative(phi, q) @ state.qd, state.q, state.qd)
    return Equations(phi(state.q), derivative(phi, state.q), drift)


@equations.register
def pfaffian(constraint: Pfaffian, state: State) -> Equations:
    """A(q) qd = 0."""
    size, n = len(constraint.rows), state.model.dof

    def A(q: Array) -> Any:
        rows = returned(constraint, constraint.function(state.model, q), n)
        if rows.shape != (size, n) and not (size == 1 and rows.shape == (n,)):
            raise wrong_shape(constraint, rows.shape, n)
        return rows.reshape(size, n)

    drift = rate(lambda q: A(q) @ state.qd, state.q, state.qd)
    return Equations(np.empty(0), A(state.q), drift)
