"""The interpolants of a solver: a motion at any time, as accurate as its steps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from armdyn.spatial.rotations import Array


class StateAt(NamedTuple):
    """Joint positions ``q``, rad or m, and velocities ``qd``, rad/s or m/s, at the requested times."""

    q: Array
    qd: Array


class RotorsAt(NamedTuple):
    """Rotors' positions at the joints ``theta``, rad or m, and velocities ``thetad``, rad/s or m/s, at these times."""

    theta: Array
    thetad: Array


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
        return RotorsAt(*map(self._rotors, self._states(t)))

    def _states(self, t: Array) -> tuple[Array, Array]:
        """Positions and velocities of links and of rotors at flexible joints, shapes (*t.shape, n + flexible)."""
        size = self.dof + len(self.flexible)
        y = np.full((*t.shape, 2 * size), np.nan)
        for index, at in np.ndenumerate(t):
            k = bisect_left(self.until, at)
            if k < len(self.pieces):
                y[index] = self.pieces[k](float(at))[: 2 * size]
        return y[..., :size], y[..., size:]

    def _rotors(self, of_all: Array) -> Array:
        """The rotor of each joint, of links and the rotors at flexible joints."""
        rotors = np.array(of_all[..., : self.dof])
        rotors[..., list(self.flexible)] = of_all[..., self.dof :]
        return rotors


def of_batch(
    dense: Mapping[tuple[int, ...], Dense],
    t: Array,
    shape: tuple[int, ...],
    function: Callable[[Dense, Array], tuple[Array, Array]],
) -> tuple[Array, Array]:
    """Positions and velocities by the interpolants of every state of a batch, each of shape (*t.shape, *shape).

    Args:
        dense: the interpolants, by index in the batch.
        t: times, s.
        shape: of one state: the batch, n.
        function: the method that evaluates the interpolants, e.g. `Dense.at`.
    """
    positions = np.empty((*t.shape, *shape))
    velocities = np.empty_like(positions)
    for index, one in dense.items():
        where: Any = (*(slice(None),) * t.ndim, *index)
        positions[where], velocities[where] = function(one, t)
    return positions, velocities
