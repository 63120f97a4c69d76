"""A mass behind a lossy gear on a mass that hangs on a spring and a rotor: exact motion, piece by piece.

The first mass m1 moves along the vertical on the spring of its rotor (`oracles.two_masses`), and carries the slide of
the second, m2, which its own rotor a drives through a gear that takes a part of the load l = m2 (q1'' + q2'' + g). With
phi = 1/eta where the gear drives its load and eta_b where it is driven, and the direction s of the slip,

    phi l + a q2'' + s c = tau2,    (m1 + m2) q1'' + m2 q2'' + (m1 + m2) g = k (theta - q1),

so q2'' = alpha q1'' + beta, and q1 and theta are those of two masses with another mass and another pull. Where the
slide sticks, q2'' = 0.
"""

from dataclasses import dataclass, replace

import numpy as np

from oracles.two_masses import TwoMasses, first_end

NAMES = ("first rotor", "second")


@dataclass(frozen=True)
class CarriedSlide:
    """``below``: m1 as its link, rotor, spring, forces and friction of the first; the others are of the second."""

    below: TwoMasses
    mass: float
    rotor: float
    tau: float
    coulomb: float
    efficiency: float
    back: float
    g: float = 9.81

    def sliding(self, s, drives):
        """alpha and beta."""
        if s == 0:
            return 0.0, 0.0
        phi = 1.0 / self.efficiency if drives else self.back
        inertia = self.rotor + phi * self.mass
        return -phi * self.mass / inertia, (self.tau - s * self.coulomb - phi * self.mass * self.g) / inertia

    def two_masses(self, s, drives):
        """The first mass, its spring and its rotor while the slide does so."""
        alpha, beta = self.sliding(s, drives)
        both = self.below.link + self.mass
        return replace(self.below, link=both + alpha * self.mass, pull=-both * self.g - self.mass * beta)

    def load(self, state, s, drives):
        """What the gear of the slide transmits."""
        (alpha, beta), one = self.sliding(s, drives), self.two_masses(s, drives)
        qdd = (one.stiffness * (state[2] - state[0]) + one.pull) / one.link
        return self.mass * ((1.0 + alpha) * qdd + beta + self.g)

    def drives(self, state, s):
        """Whether the gear drives its load, in the slip s: the one of both that agrees with itself."""
        loads = [s * self.load(state, s, drives) for drives in (True, False)]
        if min(map(abs, loads)) < 1e-10:
            return bool(s * (state[3] - state[1]) > 0)
        assert (loads[0] > 0) == (loads[1] > 0)
        return bool(loads[0] > 0)

    def margin(self, state, way):
        """Of a slide that sticks, until it starts that way."""
        load = self.load(state, 0, drives=False)
        along = way * load
        most = max((1.0 / self.efficiency - 1.0) * along, (self.back - 1.0) * along) + self.coulomb
        return most - way * (self.tau - load)

    def starts(self, state):
        """The direction in which it starts from rest, 0 where it sticks."""
        return int(self.margin(state, 1) < 0) - int(self.margin(state, -1) < 0)

    def path(self, state, ways, drives):
        """The state as a function of the time since one."""
        (s, slides), (driving, carries) = ways, drives
        alpha, beta = self.sliding(slides, carries)
        first = self.two_masses(slides, carries).path(state[:4], s, driving)
        q, qd, q2, qd2 = state[0], state[1], state[4], state[5]

        def at(t):
            below = first(t)
            if slides == 0:
                return (*below, q2, 0.0)
            place = q2 + qd2 * t + alpha * (below[0] - q - qd * t) + beta * t**2 / 2
            return (*below, place, qd2 + alpha * (below[1] - qd) + beta * t)

        return at

    def ends(self, ways, drives):
        """What becomes zero at the end of a piece, and of which of the two."""
        (s, slides), (driving, carries) = ways, drives
        own = [(0, place, lambda y, end=end: end(y[:4])) for place, end in enumerate(self.below.ends(s, driving))]
        if slides == 0:
            return [*own, (1, 0, lambda y: self.margin(y, 1)), (1, 1, lambda y: self.margin(y, -1))]
        sign = slides * (1 if carries else -1)
        return [
            *own,
            (1, 0, lambda y: slides * y[5]),
            (1, 1, lambda y: sign * self.load(y, slides, carries)),
        ]

    def motion(self, state, duration):
        """Events (t, name, kind), and the state (q1, q1', theta, theta', q2, q2') as a function of time."""
        ways = [int(np.sign(state[3])) or self.below.starts(state, self.below.static)]
        ways.append(int(np.sign(state[5])) or self.starts(state))
        t, pieces, events = 0.0, [], []
        while t < duration:
            x, xd = state[2] - state[0], state[3] - state[1]
            drives = ways[0] * x > 0 if abs(x) > 1e-13 else ways[0] * xd > 0, self.drives(state, ways[1])
            path = self.path(state, ways, drives)
            pieces.append((t, path))
            ends = self.ends(ways, drives)
            after, what = first_end(path, [end for *_, end in ends], duration - t)
            t, state = t + after, path(after)
            if t >= duration:
                break
            which, side, _ = ends[what]
            if ways[which] and side == 1:
                continue
            if ways[which]:
                at_rest = list(state)
                at_rest[(3, 5)[which]] = 0.0
                state = tuple(at_rest)
                starts = self.below.starts(state, self.below.static) if which == 0 else self.starts(state)
                kind = "reversal" if starts else "stick"
            else:
                starts, kind = (1, -1)[side], "slip"
            events.append((t, NAMES[which], kind))
            ways[which] = starts
        begins = np.array([begin for begin, _ in pieces])

        def at(t):
            begin, path = pieces[int(np.searchsorted(begins, t, side="right")) - 1]
            return path(t - begin)

        return events, at
