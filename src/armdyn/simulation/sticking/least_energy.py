"""The end of a step in which several joints stop, start or turn: friction makes the energy of the arm least.

The impulses p of friction over the whole step, each within h times the friction of its joint at rest, make the kinetic
energy v' M v / 2 of v = v0 - M^-1 p least, v0 being without friction (Moreau 1988). Then a joint that moves has the
largest impulse against it, and one at rest any. The solution is unique, for any simultaneous mode changes, and no joint
is thrown: each impulse only dissipates energy. The time of a stop within the step is not used, so that velocities have
an error of the order of h. It is the fallback if `armdyn.simulation.sticking.stick_slip` finds no modes with which its
solution agrees.

`armdyn.simulation.system.bounded_impulses` has the solution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.simulation.methods.formulas import State
from armdyn.simulation.sticking.doings import Doings
from armdyn.simulation.sticking.slides import Slide
from armdyn.simulation.sticking.slip_friction import SlipFriction
from armdyn.simulation.system.bounded_impulses import bounded_impulses
from armdyn.spatial.rotations import Array

SWEEPS = 8
"""Sweeps over all joints, without rounds after them: few states have such a step."""


@dataclass(frozen=True, eq=False)
class LeastEnergy:
    """The changes of velocity M dqd = p' by impulses p' within bounds, of dry coordinates, in their order.

    Args:
        friction: of the predicted step.
        low, high: the bounds of p'.
        at_rest: h times the friction that holds resting coordinates in the predicted step, else 0.
    """

    friction: SlipFriction
    low: Array
    high: Array
    at_rest: Array

    @classmethod
    def of(cls, friction: SlipFriction, doings: Doings, holding: Array, loads: Mapping[int, Any]) -> LeastEnergy:
        """The changes of velocity by friction in addition to the predicted step: taken - p'/h is within its bounds.

        Args:
            friction: of the predicted step.
            doings: the first guess of the modes, with the friction in that step.
            holding: the friction that holds resting coordinates in the predicted step.
            loads: on which friction depends, after the changes: those before end with the stops of other joints.
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
            first: accelerations and forces when the step begins.
            state: when the step begins.
            h: length of the step, s.
        """
        q, qd, energies = state
        after, changed = self.velocities(q)
        mean = 0.5 * (qd + after)
        taken = (self.at_rest - changed) @ mean[self.friction.dry]  # in addition to the friction in ``first``
        energies = energies + self.friction.arm.energies_on(q, first, h * mean)
        return q + h * mean, after, energies + np.array([-taken, taken])

    def velocities(self, q: Array) -> tuple[Array, Array]:
        """Velocities at the end of the step, (n,), and p'; from positions at its beginning."""
        friction, arm = self.friction, self.friction.arm
        n, dry = len(friction.before), friction.dry
        ones, none, unit = np.ones(n), np.zeros(n, dtype=object), np.eye(n)
        columns = np.array([arm.changed(q, {}, ones, unit[i].astype(object), none).x for i in dry])  # M^-1 e_i
        found = bounded_impulses(friction.predicted, unit[dry], columns, self.low, self.high, sweeps=SWEEPS, rounds=0)
        after = found.velocities
        after[dry] = (1.0 - found.rests) * after[dry]
        return after, found.impulses
