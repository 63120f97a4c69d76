"""Fourier series from rest to rest, with values and derivatives that are linear in the coefficients.

    q(t) = q_0 + w(t) sum_k (a_k sin(k omega t) - b_k cos(k omega t)) / (k omega),    omega = 2 pi / T

(Swevers et al., IEEE Trans. Robotics and Automation 13(5), 1997), with w a quintic blend from 0 to 1 and back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.spatial.rotations import Array

BLEND = 0.15
"""The part of the duration in which the motion leaves rest, and that in which it returns."""


class Basis(NamedTuple):
    """The values of the series' functions at times t, and their first two derivatives, (T, 2 harmonics) each."""

    value: Array
    rate: Array
    acceleration: Array

    @classmethod
    def of(cls, t: Array, duration: float, harmonics: int) -> Basis:
        """With the blend."""
        omega = 2.0 * np.pi / duration * np.arange(1, harmonics + 1)
        angle = omega * t[:, None]
        sines, cosines = np.sin(angle), np.cos(angle)
        f = np.concatenate([sines / omega, -cosines / omega], axis=1)
        fd = np.concatenate([cosines, sines], axis=1)
        fdd = np.concatenate([-omega * sines, omega * cosines], axis=1)
        w, wd, wdd = (each[:, None] for each in _blend(t, duration))
        return cls(w * f, wd * f + w * fd, wdd * f + 2.0 * wd * fd + w * fdd)


def _blend(t: Array, duration: float) -> tuple[Array, Array, Array]:
    """A quintic from 0 to 1 at the begin, its mirror image at the end, and their derivatives."""
    length = BLEND * duration
    early = t < 0.5 * duration
    s = np.clip(np.where(early, t, duration - t) / length, 0.0, 1.0)
    side = np.where(early, 1.0, -1.0) / length
    inside = s < 1.0
    w = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    wd = np.where(inside, 30.0 * s**2 * (1.0 - s) ** 2, 0.0) * side
    wdd = np.where(inside, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s), 0.0) / length**2
    return w, wd, wdd


def motion_of(basis: Basis, start: Array, c: Array) -> tuple[Array, Array, Array]:
    """q, qd and qdd, (T, n) each, of the series from q_0, (n,), with coefficients c, (n, 2 harmonics)."""
    return start + basis.value @ c.T, basis.rate @ c.T, basis.acceleration @ c.T
