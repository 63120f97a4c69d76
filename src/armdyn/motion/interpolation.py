"""Hermite's polynomials between the saved states of a motion: quintic, quartic and cubic."""

from __future__ import annotations

import numpy as np

from armdyn.motion.dense import RotorsAt, StateAt
from armdyn.spatial.rotations import Array


class Interval:
    """The two saved times around each of some times, and its position between them.

    Args:
        saved: rising, s, shape (m,).
        t: from the first saved time to the last, s, of any shape.
    """

    def __init__(self, saved: Array, t: Array) -> None:
        last = len(saved) - 1
        self.left = np.clip(np.searchsorted(saved, t, side="right") - 1, 0, max(last - 1, 0))
        self.right = np.minimum(self.left + 1, last)
        self.length = np.where(self.right > self.left, saved[self.right] - saved[self.left], 1.0)
        self.since = t - saved[self.left]
        self.at_left, self.at_right = t == saved[self.left], t == saved[self.right]

    def ends(self, values: Array) -> tuple[Array, Array]:
        """The saved values at both ends of each interval, shape (*t.shape, ...)."""
        return values[self.left], values[self.right]

    def along(self, numbers: Array, values: Array) -> Array:
        """Numbers of each time, shape t.shape, with the further axes of ``values``, shape (m, ...)."""
        return numbers[(..., *(np.newaxis,) * (values.ndim - 1))]

    def linear(self, values: Array) -> Array:
        """Values by linear interpolation between the two times."""
        a, b = self.ends(values)
        return self.exact_at_ends(a + self.along(self.since / self.length, values) * (b - a), values)

    def exact_at_ends(self, between: Array, values: Array) -> Array:
        """Saved values, to the bit, at saved times, even next to states that are not finite; else ``between``."""
        a, b = self.ends(values)
        right = np.where(self.along(self.at_right, values), b, between)
        return np.where(self.along(self.at_left, values), a, right)


def quintic(interval: Interval, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """The polynomial of fifth degree with position, velocity and acceleration of both ends, and its derivatives.

    If forces jump at the saved times, the acceleration at the end is the one after the jump, which is not the one
    this interval ends with; `quartic`, which does not use it, is then more accurate.

    In s from 0 to 1: q = q0 + v s + a s^2/2 + c3 s^3 + c4 s^4 + c5 s^5, v and a being derivatives by s.
    """
    (q0, q1), (qd0, qd1), (qdd0, qdd1) = (interval.ends(values) for values in (q, qd, qdd))
    h, s = interval.along(interval.length, q), interval.along(interval.since / interval.length, q)
    v, a = h * qd0, h**2 * qdd0
    way, faster, change = q1 - q0 - v - a / 2, h * (qd1 - qd0) - a, h**2 * (qdd1 - qdd0)
    c3 = 10 * way - 4 * faster + change / 2
    c4 = -15 * way + 7 * faster - change
    c5 = 6 * way - 3 * faster + change / 2
    position = q0 + s * (v + s * (a / 2 + s * (c3 + s * (c4 + s * c5))))
    velocity = qd0 + s * (a + s * (3 * c3 + s * (4 * c4 + s * 5 * c5))) / h
    acceleration = qdd0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)) / h**2
    of_saved = zip((position, velocity, acceleration), (q, qd, qdd), strict=True)
    position, velocity, acceleration = (interval.exact_at_ends(new, saved) for new, saved in of_saved)
    return position, velocity, acceleration


@np.errstate(all="ignore")  # of motions that diverged
def quartic(t: Array, saved: Array, q: Array, qd: Array, qdd: Array) -> StateAt:
    """The polynomial of fourth degree with q and qd of both ends and qdd of the first, between saved states.

    At the second end the force of the next step already acts. `quintic`, with qdd of both ends, is more accurate by one
    order if forces are smooth; this one is more accurate if forces jump at the saved times. With s = t - t_k and
    H = t_k+1 - t_k, the residuals D of the position and E of the velocity at the end, after constant acceleration
    qdd_k, are added by c_3 s^3 + c_4 s^4, c_3 = (4 D - E H) / H^3, c_4 = (E H - 3 D) / H^4.
    """
    interval = Interval(saved, t)
    (x, y), (v, w), (a, _) = (interval.ends(values) for values in (q, qd, qdd))
    if len(saved) == 1:
        return StateAt(x, v)
    s, H = interval.along(interval.since, q), interval.along(interval.length, q)
    D, E = y - (x + v * H + a * H**2 / 2), w - (v + a * H)
    c_3, c_4 = (4 * D - E * H) / H**3, (E * H - 3 * D) / H**4
    return StateAt(
        x + s * (v + s * (a / 2 + s * (c_3 + s * c_4))),
        v + s * (a + s * (3 * c_3 + s * 4 * c_4)),
    )


@np.errstate(all="ignore")  # of motions that diverged
def cubic(t: Array, saved: Array, theta: Array, thetad: Array) -> RotorsAt:
    """The polynomial of third degree with theta and thetad of both ends, between saved states.

    The residuals D of the position and E of the velocity at the end, after constant velocity thetad_k, are added by
    c_2 s^2 + c_3 s^3, c_2 = (3 D - E H) / H^2, c_3 = (E H - 2 D) / H^3, with s and H as in `quartic`.
    """
    interval = Interval(saved, t)
    (x, y), (v, w) = (interval.ends(values) for values in (theta, thetad))
    if len(saved) == 1:
        return RotorsAt(x, v)
    s, H = interval.along(interval.since, theta), interval.along(interval.length, theta)
    D, E = y - (x + v * H), w - v
    c_2, c_3 = (3 * D - E * H) / H**2, (E * H - 2 * D) / H**3
    return RotorsAt(x + s * (v + s * (c_2 + s * c_3)), v + s * (2 * c_2 + s * 3 * c_3))
