"""A motion at any time: by the interpolants of the solver, piece by piece, or between the states that were saved."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from armdyn.simulation.system.coordinates import parted
from armdyn.spatial.rotations import Array


class StateAt(NamedTuple):
    """Joint positions ``q``, rad or m, and velocities ``qd``, rad/s or m/s, at the requested times."""

    q: Any
    qd: Any


class RotorsAt(NamedTuple):
    """Rotors' positions at the joints ``theta``, rad or m, and velocities ``thetad``, rad/s or m/s, at these times."""

    theta: Any
    thetad: Any


@dataclass
class Dense:
    """The interpolants y(t) of the steps of one motion, y = (q, qd, ...), in order, with the time each reaches to.

    Of an arm with flexible joints y = (q, theta, qd, thetad, ...), with theta and thetad of these joints alone.

    Args:
        dof: n.
        flexible: places in q of the flexible joints.
    """

    dof: int
    flexible: tuple[int, ...] = ()
    until: list[float] = field(default_factory=list)
    pieces: list[Callable[[float], Array]] = field(default_factory=list)

    def add(self, until: float, piece: Callable[[float], Array]) -> None:
        """The next piece."""
        self.until.append(until)
        self.pieces.append(piece)

    def at(self, t: Array) -> StateAt:
        """q and qd, each of shape (*t.shape, n); NaN after the last piece if the motion diverged."""
        return StateAt(*(of_all[..., : self.dof] for of_all in self._states(t)))

    def rotors_at(self, t: Array) -> RotorsAt:
        """theta and thetad, each of shape (*t.shape, n); at rigid joints they are q and qd."""
        return RotorsAt(*(parted(of_all, self.dof, self.flexible)[1] for of_all in self._states(t)))

    def _states(self, t: Array) -> tuple[Array, Array]:
        """Positions and velocities of links and of rotors at flexible joints, shapes (*t.shape, n + flexible)."""
        size = self.dof + len(self.flexible)
        y = np.full((*t.shape, 2 * size), np.nan)
        for index, at in np.ndenumerate(t):
            k = bisect_left(self.until, at)
            if k < len(self.pieces):
                y[index] = self.pieces[k](float(at))[: 2 * size]
        return y[..., :size], y[..., size:]


def of_batch(
    dense: Mapping[tuple[int, ...], Dense],
    t: Array,
    shape: tuple[int, ...],
    what: Callable[[Dense, Array], tuple[Array, Array]],
) -> tuple[Array, Array]:
    """Positions and velocities by the interpolants of every state of a batch, each of shape (*t.shape, *shape).

    Args:
        dense: the interpolants, by index in the batch.
        t: times, s.
        shape: of one state: the batch, n.
        what: the method that evaluates the interpolants, e.g. `Dense.at`.
    """
    positions = np.empty((*t.shape, *shape))
    velocities = np.empty_like(positions)
    for index, one in dense.items():
        where: Any = (*(slice(None),) * t.ndim, *index)
        positions[where], velocities[where] = what(one, t)
    return positions, velocities


@dataclass(frozen=True)
class Line:
    """The straight line from (t_0, y_0) to (t_1, y_1)."""

    t_0: float
    t_1: float
    y_0: Array
    y_1: Array

    def __call__(self, t: float) -> Array:
        """y(t)."""
        return self.y_0 + (t - self.t_0) / (self.t_1 - self.t_0) * (self.y_1 - self.y_0)


@np.errstate(all="ignore")  # of motions that were lost
def between_saved(t: Array, saved: Array, q: Array, qd: Array, qdd: Array) -> StateAt:
    """Hermite's polynomial of fourth degree between the saved states around each t.

    It has q and qd of both ends and qdd of the first: at the second, the force of the next step already acts.
    `resample`, which returns qdd too, uses another polynomial (`resampling.quintic`, with qdd of both ends), which is
    more accurate by one order if forces are smooth; this one is more accurate if forces jump at the saved times. With
    s = t - t_k and H = t_k+1 - t_k, the residuals D of the position and E of the velocity at the end, after constant
    acceleration qdd_k, are added by c_3 s^3 + c_4 s^4, c_3 = (4 D - E H) / H^3, c_4 = (E H - 3 D) / H^4.
    """
    k, s, H = _interval(t, saved, q.ndim - 1)
    if len(saved) == 1:
        return StateAt(q[k], qd[k])
    x, v, a = q[k], qd[k], qdd[k]
    D, E = q[k + 1] - (x + v * H + a * H**2 / 2), qd[k + 1] - (v + a * H)
    c_3, c_4 = (4 * D - E * H) / H**3, (E * H - 3 * D) / H**4
    return StateAt(
        x + s * (v + s * (a / 2 + s * (c_3 + s * c_4))),
        v + s * (a + s * (3 * c_3 + s * 4 * c_4)),
    )


@np.errstate(all="ignore")  # of motions that were lost
def rotors_between_saved(t: Array, saved: Array, theta: Array, thetad: Array) -> RotorsAt:
    """Hermite's cubic polynomial between the saved states around each t, with theta and thetad of both ends.

    The residuals D of the position and E of the velocity at the end, after constant velocity thetad_k, are added by
    c_2 s^2 + c_3 s^3, c_2 = (3 D - E H) / H^2, c_3 = (E H - 2 D) / H^3, with s and H as in `between_saved`.
    """
    k, s, H = _interval(t, saved, theta.ndim - 1)
    if len(saved) == 1:
        return RotorsAt(theta[k], thetad[k])
    v = thetad[k]
    D, E = theta[k + 1] - (theta[k] + v * H), thetad[k + 1] - v
    c_2, c_3 = (3 * D - E * H) / H**2, (E * H - 2 * D) / H**3
    return RotorsAt(theta[k] + s * (v + s * (c_2 + s * c_3)), v + s * (2 * c_2 + s * 3 * c_3))


def _interval(t: Array, saved: Array, axes: int) -> tuple[Array, Array, Array]:
    """Index of the saved time before each t, the time since then, s, and the time from there to the next one, s.

    The two times have ``axes`` further axes for the numbers of a state; with a single saved time the last is 0.
    """
    k = np.clip(np.searchsorted(saved, t, side="right") - 1, 0, max(len(saved) - 2, 0))
    over = (..., *(np.newaxis,) * axes)
    return k, (t - saved[k])[over], (saved[np.minimum(k + 1, len(saved) - 1)] - saved[k])[over]
