"""A rotor that rubs, a spring and a link: exact motion, piece by piece, each in closed form.

With x = theta - q,

    I qdd = k x + f,    B thetadd = tau - k x - F,    F = s (c + a s k x)    where the rotor slides in the direction s,

a being 1/eta - 1 where the rotor drives the link, s x > 0, and eta_b - 1 where it is driven. So x swings harmonically
about a constant, and q is its double integral. Where the rotor sticks, theta is constant.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq

GRID = 2e-3
"""s: between the times at which the sign of what ends a piece is looked at."""


@dataclass(frozen=True)
class TwoMasses:
    """Inertia of link and rotor, stiffness, forces, friction at rest and in motion, and the gear's efficiencies.

    ``tau`` acts on the rotor, ``pull``, f above, on the link.
    """

    link: float
    rotor: float
    stiffness: float
    tau: float = 0.0
    pull: float = 0.0
    static: float = 0.0
    kinetic: float = 0.0
    efficiency: float = 1.0
    back: float = 1.0

    def friction(self, size, s, load):
        """Its size in the direction s, at a load."""
        along = s * load
        return size + max((1.0 / self.efficiency - 1.0) * along, (self.back - 1.0) * along)

    def path(self, state, s, driving):
        """(q, qd, theta, thetad) as a function of the time since a state, in one piece."""
        q, qd, theta, thetad = state
        x, xd, k = theta - q, thetad - qd, self.stiffness
        a = 0.0 if s == 0 else 1.0 / self.efficiency - 1.0 if driving else self.back - 1.0
        free = 0.0 if s == 0 else 1.0 / self.rotor
        w = np.sqrt(k * (1.0 / self.link + (1.0 + a) * free))
        f = self.pull / self.link
        X = ((self.tau - s * self.kinetic) * free - f) / w**2
        alpha, beta = x - X, xd / w

        def at(t):
            c, n = np.cos(w * t), np.sin(w * t)
            bent, rate = X + alpha * c + beta * n, w * (beta * c - alpha * n)
            once = X * t + (alpha * n - beta * (c - 1.0)) / w
            twice = X * t**2 / 2 + (alpha * (1.0 - c) + beta * (w * t - n)) / w**2
            link = q + qd * t + k / self.link * twice + f * t**2 / 2
            speed = qd + k / self.link * once + f * t
            return (link, speed, theta, 0.0) if s == 0 else (link, speed, link + bent, speed + rate)

        return at

    def starts(self, state, size):
        """The direction in which a rotor at rest starts against friction of that size; 0 where it sticks."""
        load = self.stiffness * (state[2] - state[0])
        net = self.tau - load
        return int(net > self.friction(size, 1, load)) - int(-net > self.friction(size, -1, load))

    def ends(self, s, driving):
        """What becomes zero at the end of a piece: functions of a state."""
        if s == 0:

            def margin(state, way):
                load = self.stiffness * (state[2] - state[0])
                return self.friction(self.static, way, load) - way * (self.tau - load)

            return [lambda state: margin(state, 1), lambda state: margin(state, -1)]
        return [lambda state: s * state[3], lambda state: (state[2] - state[0]) * s * (1 if driving else -1)]

    def motion(self, state, duration):
        """Events (t, kind) of the rotor, and the state as a function of time."""
        s = int(np.sign(state[3])) or self.starts(state, self.static)
        t, pieces, events = 0.0, [], []
        while t < duration:
            x, xd = state[2] - state[0], state[3] - state[1]
            driving = s * x > 0 if abs(x) > 1e-13 else s * xd > 0
            path = self.path(state, s, driving)
            pieces.append((t, path))
            after, what = first_end(path, self.ends(s, driving), duration - t)
            t, state = t + after, path(after)
            if t >= duration or (s and what == 1):
                continue
            before = s
            if s:  # it comes to rest
                state = (*state[:3], 0.0)
                s = self.starts(state, self.static)
                s = self.starts(state, self.kinetic) if s else 0
                events.append((t, "stick" if s == 0 else "reversal"))
            else:
                s = 1 if what == 0 else -1
                events.append((t, "slip"))
            assert s != before
        begins = np.array([begin for begin, _ in pieces])

        def at(t):
            begin, path = pieces[int(np.searchsorted(begins, t, side="right")) - 1]
            return path(t - begin)

        return events, at


def first_end(path, ends, left):
    """When the first of the ends comes, after a start at which one of them may be zero."""
    times = np.append(np.arange(0.0, left, GRID), left)
    found = []
    for place, end in enumerate(ends):
        along = lambda t, end=end: end(path(t))  # noqa: E731
        begin = GRID * 1e-4  # behind what is zero at the start
        values = [along(begin), *(along(t) for t in times[1:])]
        for (a, b), (f, g) in zip(pairwise([begin, *times[1:]]), pairwise(values), strict=True):
            if f < 0.0:
                break
            if g < 0.0:
                found.append((brentq(along, a, b, xtol=1e-15, rtol=1e-15), place))
                break
    return min(found, default=(left, -1))
