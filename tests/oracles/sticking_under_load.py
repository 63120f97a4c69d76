"""Arms whose joints stick and slip by friction that depends on the load, with every mode tried and events located.

The rigid links, by mass matrix and bias forces of the bare robot, and for each joint a rotor and laws; l + f + a qdd =
tau in each joint that slips, qdd = 0 in each that sticks.
"""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.integrate import solve_ivp

SLOWEST = 1e-12
"""rad/s: a joint that starts has this velocity, so that its sign says where it goes."""


@dataclass
class LoadedArm:
    """A bare robot, the reflected inertia of each rotor, and the laws of each joint."""

    bare: object
    rotors: np.ndarray
    laws: list
    events: list = field(default_factory=list)

    def friction(self, i, rate, load):
        return sum(law.force(rate, load) for law in self.laws[i])

    def motion(self, q, qd, tau, slip):
        """qdd and loads of joints that slip in given directions, or stick where that is 0: Newton's method on qdd."""
        M, h = self.bare.mass_matrix(q), self.bare.bias_forces(q, qd)
        moving, qdd = np.flatnonzero(slip), np.zeros(len(q))
        rates = np.where(slip * qd > 0.0, qd, slip * SLOWEST)
        for _ in range(60):
            load, slopes, rubs = M @ qdd + h, np.zeros(len(q)), np.zeros(len(q))
            for i in moving:
                rubs[i], nearby = self.friction(i, rates[i], load[i]), 1e-7 * (1.0 + abs(load[i]))
                slopes[i] = (self.friction(i, rates[i], load[i] + nearby) - rubs[i]) / nearby
            left = (tau - load - rubs - self.rotors * qdd)[moving]
            J = (M * (1.0 + slopes)[:, None] + np.diag(self.rotors))[np.ix_(moving, moving)]
            change = np.linalg.solve(J, left)
            qdd[moving] += change
            if np.abs(change).max(initial=0.0) <= 1e-13 * (1.0 + np.abs(qdd).max()):
                break
        else:
            raise AssertionError("Newton's method did not settle")
        return qdd, M @ qdd + h

    def margins(self, tau, load, slip):
        """How far the friction of each joint that sticks is from its bounds; 1 of the others."""
        at_rest = [[law.at_rest(load[i]) for law in laws] for i, laws in enumerate(self.laws)]
        least, most = np.array([np.sum(bounds, axis=0) for bounds in at_rest]).T
        return np.where(slip == 0, np.minimum(tau - load - least, most - (tau - load)), 1.0)

    def modes(self, q, qd, tau):
        """All modes of the joints at rest that agree with the equations; what moves slips."""
        at_rest, found = np.flatnonzero(qd == 0.0), []
        for tried in product((-1.0, 0.0, 1.0), repeat=len(at_rest)):
            slip = np.sign(qd)
            slip[at_rest] = tried
            qdd, load = self.motion(q, qd, tau, slip)
            if (slip * qdd)[at_rest].min(initial=1.0, where=slip[at_rest] != 0.0) < 0.0:
                continue
            if self.margins(tau, load, slip).min() >= 0.0:
                found.append(slip)
        return found

    def mode(self, q, qd, tau):
        """The only one."""
        found = self.modes(q, qd, tau)
        assert len(found) == 1, found
        return found[0]

    def run(self, q, table, hold):
        """Positions at the ends of holds, of torques held so long each, from rest."""
        q, qd, n, positions = np.array(q, dtype=float), np.zeros(len(q)), len(q), [np.array(q, dtype=float)]
        for k, tau in enumerate(table):
            t, end = k * hold, (k + 1) * hold
            while t < end - 1e-13:
                slip = self.mode(q, qd, tau)
                t, q, qd = self._until_change(t, end, q, qd, tau, slip, n)
            positions.append(q)
        return np.array(positions)

    def _until_change(self, t, end, q, qd, tau, slip, n):
        def rates(_, y):
            return np.concatenate([y[n:], self.motion(y[:n], y[n:], tau, slip)[0]])

        def stops(i):
            def speed(now, y):
                return slip[i] * y[n + i] + (SLOWEST if now == t else 0.0)

            speed.terminal, speed.direction = True, -1.0
            return speed

        def lets_go(i):
            def margin(_, y):
                return self.margins(tau, self.motion(y[:n], y[n:], tau, slip)[1], slip)[i]

            margin.terminal, margin.direction = True, -1.0
            return margin

        watched = [stops(i) if slip[i] else lets_go(i) for i in range(n)]
        found = solve_ivp(rates, (t, end), np.concatenate([q, qd]), "DOP853", events=watched, rtol=1e-9, atol=1e-11)
        q, qd, now = found.y[:n, -1], found.y[n:, -1], found.t[-1]
        for i in range(n):
            if len(found.t_events[i]):
                qd[i] = 0.0
                self.events.append((now, "stop" if slip[i] else "start", i))
        return now, q, np.where(slip == 0.0, 0.0, qd)
