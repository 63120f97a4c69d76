"""The end of a step in which several joints stop, start or turn: friction leaves the arm the least energy that it can.

The impulses p of friction over the whole step, each within h times the friction of its joint at rest, make the kinetic
energy v' M v / 2 of v = v0 - M^-1 p least, v0 being without friction (Moreau 1988). Then a joint that moves has the
largest impulse against it, and one at rest any. The solution is unique, whatever joints do at once, and no joint is
thrown: each impulse only takes energy. It does not know when in the step a joint stops, so that velocities have an
error of the order of h. It stands in where `armdyn.simulation.sticking.stick_slip` finds nothing that joints may do and
that its solution agrees with.

Each impulse is made what is best beside the others, sweep by sweep, which lessens the energy each time. Then those that
are within their bounds are solved for, and their joints rest exactly. Where that solution contradicts itself, the
sweeps were too few, and their velocities count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.program import clip, less, less_equal, select
from armdyn.simulation.integration.schemes import State
from armdyn.simulation.sticking.doings import Doings
from armdyn.simulation.sticking.slides import Slide
from armdyn.simulation.sticking.slip_friction import SlipFriction
from armdyn.spatial.rotations import Array

SWEEPS = 8
"""Over all joints: in arms that are coupled strongly each lessens what is left by a third or so."""


@dataclass(frozen=True, eq=False)
class LeastEnergy:
    """The changes of velocity M dqd = p' by impulses p' within bounds, of dry coordinates, in their order.

    Args:
        friction: of the predicted step.
        low, high: the bounds of p'.
        at_rest: h times the friction that holds what rests in the predicted step, else 0.
    """

    friction: SlipFriction
    low: Array
    high: Array
    at_rest: Array

    @classmethod
    def of(cls, friction: SlipFriction, doings: Doings, holding: Array, loads: Mapping[int, Any]) -> LeastEnergy:
        """For what friction takes beside the predicted step: taken - p'/h is within its bounds.

        Args:
            friction: of the predicted step.
            doings: the first guess of what joints do, which knows what friction takes in that step.
            holding: the friction that holds what rests in the predicted step.
            loads: on which friction depends, behind the changes: those before end with the stops of other joints.
        """
        least, most = friction.at_rest(loads)
        rests = 1.0 - doings.slip * doings.slip
        slips_on = (1.0 - rests) * (1.0 - doings.turns)
        least = least + slips_on * (friction.backwards - friction.least)  # kinetic in the place of static friction
        most = most + slips_on * (friction.forwards - friction.most)
        low, high = (doings.h * (doings.taken - one) for one in (most, least))
        return cls(friction, low, high, rests * doings.h * holding)

    def later(self, first: Slide, state: State, h: Any) -> State:
        """The state a step later; paths are those of the mean velocities.

        Args:
            first: what the arm does when the step begins.
            state: then.
            h: length of the step, s.
        """
        q, qd, energies = state
        after, changed = self.velocities(q)
        mean = 0.5 * (qd + after)
        taken = (self.at_rest - changed) @ mean[self.friction.dry]  # beside the friction in ``first``
        energies = energies + self.friction.arm.energies_on(q, first, h * mean)
        return q + h * mean, after, energies + np.array([-taken, taken])

    def velocities(self, q: Array) -> tuple[Array, Array]:
        """Velocities at the end of the step, (n,), and p'; from positions at its beginning."""
        friction, arm = self.friction, self.friction.arm
        n, dry = len(friction.before), friction.dry
        ones, none, unit = np.ones(n), np.zeros(n, dtype=object), np.eye(n)
        columns = [arm.changed(q, {}, ones, unit[i].astype(object), none).x for i in dry]  # M^-1 e_i
        p = clip(np.zeros(len(dry)), self.low, self.high)
        v = friction.predicted + sum(column * one for column, one in zip(columns, p, strict=True))
        for _ in range(SWEEPS):
            for place, (i, column) in enumerate(zip(dry, columns, strict=True)):
                better = clip(p[place] - v[i] / column[i], self.low[place], self.high[place])
                v, p[place] = v + column * (better - p[place]), better
        return self._at_rest_exactly(q, v, p)

    def _at_rest_exactly(self, q: Array, v: Array, p: Array) -> tuple[Array, Array]:
        """The same with joints at rest whose impulses are within their bounds, where that agrees."""
        friction, n = self.friction, len(self.friction.before)
        dry = friction.dry
        held, given, impulses = (np.zeros(n, dtype=object) for _ in range(3))
        held[dry] = less(self.low, p) * less(p, self.high)
        given[dry], impulses[dry] = -friction.predicted[dry] * held[dry], (1.0 - held[dry]) * p
        found = friction.arm.changed(q, {}, 1.0 - held, impulses, given)
        after, whole = friction.predicted + found.x, impulses[dry] + held[dry] * found.reactions[dry]
        after[dry] = select(held[dry], 0.0, after[dry])
        forwards, backwards = less_equal(p, self.low), less_equal(self.high, p)  # the ways in which they may slip
        wrong = held[dry] * (less(whole, self.low) + less(self.high, whole))
        wrong = wrong + (1.0 - backwards) * forwards * less(after[dry], 0.0)
        wrong = wrong + (1.0 - forwards) * backwards * less(0.0, after[dry])
        any_wrong = sum(wrong)
        return select(any_wrong, v, after), select(any_wrong, p, whole)
