"""The motion along one step of a fixed length as a function of time, to be kept: dense output that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.motion.interpolation import quartic
from armdyn.simulation.methods.formulas import Formula
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class QuarticStep:
    """The polynomial of fourth degree with x and v of both ends and the acceleration at the first.

    Its error is of the fifth order in the length of the step, as is that of a step of Runge-Kutta 4.

    Args:
        ends: times at the ends of the step, s, (2,).
        x: positions there, (2, n).
        v: velocities there, (2, n).
        a: acceleration at the first, twice, (2, n).
    """

    ends: Array
    x: Array
    v: Array
    a: Array

    def __call__(self, t: float) -> Array:
        """x and v in one array, (2 n,)."""
        return np.concatenate(quartic(np.array(t), self.ends, self.x, self.v, self.a))


@dataclass(frozen=True, eq=False)
class QuadraticRates(QuarticStep):
    """Velocities on a parabola with the acceleration at the first end, positions on a cubic.

    Its error is of the third order in the length of the step, as is that of a step of Heun's method, whose own
    continuous extension it is: v + a s + (w - v - a H) (s/H)^2, w being the velocity at the second end, H the length.
    """

    def __call__(self, t: float) -> Array:
        """x and v in one array, (2 n,)."""
        s, H = t - self.ends[0], self.ends[1] - self.ends[0]
        (x, y), (v, w), a = self.x, self.v, self.a[0]
        D, E = y - (x + v * H + a * H**2 / 2), w - (v + a * H)
        return np.concatenate([x + s * (v + a * s / 2) + D * (s / H) ** 3, v + a * s + E * (s / H) ** 2])


@dataclass(frozen=True, eq=False)
class PartOfStep:
    """A part of a step by a formula that evaluates the forces once, at its beginning.

    Args:
        formula: of a step.
        t: the time at its beginning, s.
        x: positions there, (n,).
        v: velocities there, (n,).
        a: accelerations there, (n,).
    """

    formula: Formula
    t: float
    x: Array
    v: Array
    a: Array

    def __call__(self, t: float) -> Array:
        """x and v in one array, (2 n,)."""
        x, v, *_ = self.formula(_not_called, (self.a, 0.0), self.t, (self.x, self.v, 0.0), t - self.t)
        return np.concatenate([x, v])


def _not_called(t: float, x: Array, v: Array) -> tuple[Array, float]:
    raise AssertionError("this formula evaluates the forces once, before its step")
