"""Euler steps compiled for one arm: a robot built from its lists, if its results equal those of the recursion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.algorithms import forward_dynamics, function
from armdyn.base.errors import ModelError
from armdyn.base.threads import Once
from armdyn.model.mechanism import Mechanism
from armdyn.modern_robotics import recursion
from armdyn.modern_robotics.kernels import compile_kernel
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.targets import kernel_of
from armdyn.targets.kernels import NumpyFunction

Lists = tuple[Array, Array, Array]
"""Mlist, Glist and Slist."""

MOST = 32
"""Largest number of arms with compiled steps, because compiled code remains until the process ends."""

SAME = 1e-12
"""Largest residual of the recursion's equation of motion, relative to its terms."""


@function("(n),(n),(n),(6),()->(n),(n)")
def euler_step(model: Mechanism, q: Array, qd: Array, tau: Array, f_tip: Array, h: Array) -> tuple[Array, Array]:
    """Joint positions q + qd h and velocities qd + qdd h a step later, shape (n,) each (Modern Robotics 8.5)."""
    return q + h * qd, qd + h * forward_dynamics(model, q, qd, tau, f_tip)


@dataclass(frozen=True)
class OwnStep:
    """The compiled step of one arm, and the lengths of its screw axes in the lists.

    A joint whose screw has length k moves by k q: the step works on k q, k qd and tau / k.
    """

    step: NumpyFunction
    lengths: Array

    def advance(
        self, q: Array, qd: Array, tau: Array, f_tip: Array, g: Array, h: float, steps: int
    ) -> tuple[Array, Array]:
        """Joint positions and velocities after ``steps`` Euler steps of length h with tau and f_tip held."""
        k = self.lengths
        q, qd, tau = q * k, qd * k, tau / k
        with np.errstate(all="ignore"):
            for _ in range(steps):
                q, qd = self.step(q, qd, tau, f_tip, h, g)
        return q / k, qd / k


_own_steps: Once[bytes, OwnStep | None] = Once()


def own_step(arm: Lists) -> OwnStep | None:
    """The step compiled for an arm; None if only the recursion has the results of the book's code for these lists."""
    key = b"".join(array.tobytes() for array in arm)
    if len(_own_steps) >= MOST and key not in _own_steps:
        return None
    return _own_steps.get(key, lambda: _compile(arm))


def _compile(arm: Lists) -> OwnStep | None:
    M, G, S = arm
    turns, slides = (np.linalg.norm(part, axis=0) for part in (S[:3], S[3:]))
    lengths = np.where(turns > 0.0, turns, slides)
    if not lengths.all():
        return None
    try:
        robot = Robot.from_screws(M, G, S / lengths)
        program = robot.compile(euler_step, parameters=["gravity"]).program()
    except ModelError:  # a pitch, an inertia that no single body has, a joint that moves no mass, a rough rotation, ...
        return None
    own = OwnStep(kernel_of(program).for_float64, lengths)
    return own if _agrees(own, arm) else None


def _agrees(own: OwnStep, arm: Lists) -> bool:
    """Return True if its accelerations satisfy the recursion's equation of motion at three states."""
    n, rng = len(own.lengths), np.random.default_rng(0)
    torques = compile_kernel(recursion.inverse_dynamics, n)
    for _ in range(3):
        q, qd, tau, f_tip, g = (rng.normal(size=size) for size in (n, n, n, 6, 3))
        _, next_qd = own.advance(q, qd, tau, f_tip, g, 1.0, 1)
        qdd = next_qd - qd
        M = torques(q, np.zeros(n), np.eye(n), np.zeros(3), np.zeros(6), *arm).T
        bias = torques(q, qd, np.zeros(n), g, f_tip, *arm)
        terms = np.abs(M) @ np.abs(qdd) + np.abs(bias) + np.abs(tau)
        if not (np.abs(M @ qdd + bias - tau) <= SAME * terms.max()).all():
            return False
    return True
