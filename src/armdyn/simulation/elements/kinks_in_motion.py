"""The kinks of a user's elements along one motion."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from armdyn.simulation.drivers.crossings import Function
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, crossing, found_in
from armdyn.simulation.drivers.pieces import Step
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.own import Kinks
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.spatial.rotations import Array


class KinksInMotion(LocatedFunctions):
    """The kinks of elements along one motion: each change of sign of a located function begins a new piece.

    Args:
        motion: of one state.
        kinks: the located functions.
    """

    def __init__(self, motion: StateInMotion, kinks: Kinks) -> None:
        self.motion, self.kinks, self.signs = motion, kinks, np.zeros(0)

    def begun(self, t: float, y: Array) -> Array:
        """The state with which the motion begins; the signs of the functions there."""
        self.signs = np.zeros(len(self.kinks(*self.motion.seen(y))))
        return y

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """Functions that change their sign."""
        for k in range(len(self.signs)):
            for way in (-1, 1):
                value = partial(self._value, k, step.t)
                yield from found_in(step, "kink", way * (k + 1), value, partial(crossing, value, times, way))

    def _value(self, k: int, begin: float, at: At) -> Function:
        """A located function; at the begin of a piece its sign alone, if it is known."""
        known = float(self.signs[k])
        return lambda t: known if known and t <= begin else float(self.kinks(*self.motion.seen(at(t)))[k])

    def state_at(self, step: Step, event: Found) -> tuple[float, Array]:
        """The time of a change of sign, s, and the state there, integrated from the begin of the step.

        A step of an adaptive method goes over the kink, so that its interpolant is less accurate than its end.
        """
        method = self.motion.method
        if not isinstance(method, Adaptive) or event.t <= step.t or event.t >= step.end:
            return super().state_at(step, event)
        from scipy.integrate import solve_ivp  # noqa: PLC0415 - slow to import

        tolerances = {"rtol": method.rtol, "atol": method.atol}
        until = solve_ivp(self.motion.rates, (step.t, event.t), step.y, method=method.scipy_method, **tolerances)
        return event.t, until.y[:, -1]

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a change of sign, which is unchanged."""
        self.signs[:] = 0.0
        self.signs[abs(event.place) - 1] = np.sign(event.place)
        return y
