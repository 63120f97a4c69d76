"""What acts beside drives and gravity: parallel springs and elements of a user's own; what held joints react with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pinocchio as pin

import armdyn
from armdyn import algorithms
from armdyn.actuators import JointSpring
from armdyn.algorithms.factors import factored, links_mass
from armdyn.constraints.multipliers import moved_within
from mutation.answers import Answer
from mutation.driven import _derivatives
from mutation.known import Known
from mutation.question import Question
from oracles.states import random_states
from task_space.expected import task_space

COMPONENTS, FRAME = ("vx", "wy", "vz"), "tool0"
STIFFNESS, REST, CUBIC, DAMPING = np.linspace(20.0, 5.0, 6), 0.3, 40.0, 1.5
"""Of two springs on every joint: k e and c e^3, e = q - rest, and of what an element damps."""


@dataclass(frozen=True)
class Twist(armdyn.simulation.Element):
    """A spring and a damper between each joint and the next: energy k (q_i - q_j)^2/2."""

    stiffness: float
    damping: float

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        """-k (q_i - q_j) - d (qd_i - qd_j) of the first, the opposite of the next."""
        n = len(q)
        pull = [self.stiffness * (q[i] - q[i + 1]) + self.damping * (qd[i] - qd[i + 1]) for i in range(n - 1)]
        return np.array([(pull[i - 1] if i else 0.0) - (pull[i] if i < n - 1 else 0.0) for i in range(n)])

    def energy(self, model: Any, q: Any) -> Any:
        """Of all springs."""
        return sum(0.5 * self.stiffness * (a - b) ** 2 for a, b in pairwise(q))


def sprung(some: Known) -> tuple[armdyn.Robot, list[Answer]]:
    """An arm with two springs on every joint; its forces are those of Pinocchio and of the springs."""
    names = some.robot.joint_names
    springs = {
        name: (JointSpring(float(k)), JointSpring(0.0, rest=REST, cubic=CUBIC))
        for name, k in zip(names, STIFFNESS, strict=True)
    }
    return some.robot.with_parallel_springs(springs), [a for s in _states(some.n) for a in _of_springs(some, *s)]


def twisted(some: Known) -> tuple[armdyn.Robot, list[Answer]]:
    """An arm with an element of a user's own."""
    element = Twist(12.0, DAMPING)
    robot = some.robot.with_elements(element)
    return robot, [a for s in _states(some.n) for a in _of_element(some, element, *s)]


def _states(n: int) -> Iterator[tuple[np.ndarray, ...]]:
    return zip(*random_states(n, 2, seed=161)[:4], strict=True)


def _gravity_energy(some: Known, q: np.ndarray) -> np.ndarray:
    return np.array(pin.computePotentialEnergy(some.case.pin, some.case.data, some.at(q)[0]))


def _of_springs(some: Known, q, qd, qdd, tau) -> Iterator[Answer]:
    zero, e = 0.0 * q, q - REST
    force, slope = STIFFNESS * q + CUBIC * e**3, np.diag(STIFFNESS + 3.0 * CUBIC * e**2)
    M, bias = some.mass_matrix(q), some.inverse_dynamics(q, qd, zero)
    yield "inverse_dynamics", {}, [q, qd, qdd], some.inverse_dynamics(q, qd, qdd) + force
    yield "parallel_spring_forces", {}, [q], force
    moved = np.linalg.solve(M, tau - force - bias)
    for options in ({}, {"method": "articulated"}, {"method": "mass_matrix"}):
        yield "forward_dynamics", options, [q, qd, tau], moved
    of_springs = np.sum(STIFFNESS * q**2 / 2 + CUBIC * e**4 / 4)
    yield "potential_energy", {}, [q], _gravity_energy(some, q) + of_springs
    by_q, by_qd, by_qdd = _derivatives(some, q, qd, qdd)
    yield "inverse_dynamics_derivatives", {}, [q, qd, qdd], (by_q + slope, by_qd, by_qdd)
    by_q, by_qd, _ = _derivatives(some, q, qd, moved)
    slopes = -np.linalg.solve(M, by_q + slope), -np.linalg.solve(M, by_qd), np.linalg.inv(M)
    yield "forward_dynamics_derivatives", {}, [q, qd, tau], slopes
    bare = task_space(some.case, q, qd, FRAME, (0.0, 0.0, 0.0), COMPONENTS, "world")
    p = bare.Jbar.T @ force
    expected = bare._replace(eta=bare.eta + p, p=bare.p + p)
    options = {"frame": FRAME, "components": COMPONENTS, "expressed_in": "world"}
    yield "task_space", options, [q, qd], tuple(expected)


def _of_element(some: Known, element: Twist, q, qd, qdd, tau) -> Iterator[Answer]:
    force, zero = element.force(None, q, qd), 0.0 * q
    bias = some.inverse_dynamics(q, qd, zero)
    yield "inverse_dynamics", {}, [q, qd, qdd], some.inverse_dynamics(q, qd, qdd) - force
    moved = np.linalg.solve(some.mass_matrix(q), tau + force - bias)
    for options in ({}, {"method": "articulated"}, {"method": "mass_matrix"}):
        yield "forward_dynamics", options, [q, qd, tau], moved
    yield "potential_energy", {}, [q], _gravity_energy(some, q) + element.energy(None, q)


def reactions(mechanism: Any, q: np.ndarray, b: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and the forces that hold the coordinates at rest, zero for the others."""
    found = factored(mechanism, mechanism.drive, links_mass(mechanism, q), moves).with_reactions(b)
    return np.asarray(found[0], dtype=float), np.asarray(found[1] * (1.0 - moves), dtype=float)


def within(mechanism: Any, q: np.ndarray, A: np.ndarray, drift: np.ndarray, pushed: np.ndarray, active: Any) -> Any:
    """The motion within some of the rows of A, its multipliers and the independence of the rows."""
    factors = factored(mechanism, mechanism.drive, links_mass(mechanism, q))
    return tuple(moved_within(mechanism, A, drift, factors, pushed, active))


def tables(mechanism: Any, function: str, *state: np.ndarray) -> np.ndarray:
    """1 if the result has a table in notebooks, of one state and of two."""
    results = (getattr(algorithms, function)(mechanism, *state), getattr(algorithms, function)(mechanism, *state))
    batch = type(results[0])(*(np.stack(parts) for parts in zip(*results, strict=True)))
    return np.array([float("<table" in (one._repr_html_() or "")) for one in (results[0], batch)])


def of_held(name: str, some: Known) -> Iterator[Question]:
    """Joints that are held, and rows of constraints that count or do not."""
    rng = np.random.default_rng(162)
    q, _, _, b = next(_states(some.n))
    M = some.mass_matrix(q)
    for count in (0, 2, some.n - 1):
        moves = np.ones(some.n)
        moves[rng.choice(some.n, count, replace=False)] = 0.0
        free, x = moves > 0.0, np.zeros(some.n)
        x[free] = np.linalg.solve(M[np.ix_(free, free)], b[free])
        answer = x, (1.0 - moves) * (M @ x - b)
        yield Question(name, "mutation.added_forces.reactions", {}, [q, b, moves], answer)
    A, drift = rng.normal(size=(3, some.n)), rng.normal(size=3)
    A[1] *= 0.01  # short, beside the others
    for active in (None, [1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]):
        rows = np.ones(3, dtype=bool) if active is None else np.array(active) > 0.0
        S = A[rows] @ np.linalg.solve(M, A[rows].T)
        answer, independence = np.zeros(3), np.ones(3)
        answer[rows] = np.linalg.solve(S, A[rows] @ np.linalg.solve(M, b) + drift[rows])
        independence[rows] = np.diagonal(np.linalg.cholesky(S)) ** 2 / np.diagonal(S)
        qdd = np.linalg.solve(M, b - A.T @ answer)
        yield Question(name, "mutation.added_forces.within", {}, [q, A, drift, b, active], (qdd, answer, independence))
    scale = np.array([[1.0], [1e-7], [1.0]])
    A = scale * A  # a row of rounding: 1e-14 of the largest square takes the place of its own
    S = A @ np.linalg.solve(M, A.T)
    squares = np.maximum(np.diagonal(S), 1e-14 * np.diagonal(S).max())
    answer = np.diagonal(np.linalg.cholesky(S)) ** 2 / squares
    yield Question(name, "mutation.added_forces.within", {}, [q, A, 0.0 * drift, b, None], (None, None, answer))


def of_tables(name: str, some: Known) -> Iterator[Question]:
    """Tables of one state, none of many."""
    q, qd, qdd, _ = next(_states(some.n))
    for function in ("joint_reactions", "link_motion"):
        yield Question(name, "mutation.added_forces.tables", {}, [function, q, qd, qdd], np.array([1.0, 0.0]))
