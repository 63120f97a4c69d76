"""Kinks of friction under load: the load of a rotor on a spring changes its sign, e.g. when a gear is driven back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from armdyn.simulation.drivers.crossings import Function
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, crossing, found_in
from armdyn.simulation.drivers.pieces import Step
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.system.pushing_on_springs import FlexiblePushing
from armdyn.spatial.rotations import Array


class LoadKinks(LocatedFunctions):
    """The loads of rotors that slide, in one motion: each change of sign is a kink of the friction.

    Args:
        modes: of the motion.
        pushing: the equations of motion.
    """

    def __init__(self, modes: ContactModes, pushing: FlexiblePushing) -> None:
        self.modes, self.joints, self.kinks = modes, len(pushing.joints), pushing.kinks
        self.signs = np.zeros(self.joints, dtype=int)
        """Signs of loads that changed it while the rotor slid, else 0: a load of zero to rounding has that sign."""

    @property
    def _pushing(self) -> FlexiblePushing:
        assert isinstance(self.modes.pushing, FlexiblePushing)  # noqa: S101 - of an arm with springs
        return self.modes.pushing

    def _held_rotors(self) -> Array:
        """True for each flexible joint whose rotor sticks."""
        sticking = np.zeros(self.joints, dtype=bool)
        sticking[self._pushing.rubbing] = self._pushing.held_rotors(self.modes.mode)
        return sticking

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """Loads that change their sign."""
        sticking = self._held_rotors()
        self.signs[sticking] = 0
        for k in self.kinks:
            for way in () if sticking[k] else (-1, 1):
                load = partial(self._load, k, step.t)
                yield from found_in(step, "load", way * (k + 1), load, partial(crossing, load, times, way))

    def _load(self, k: int, begin: float, at: At) -> Function:
        """The load of a rotor's friction; at the begin its sign alone, if that is known."""
        known, motion = float(self.signs[k]), self.modes.motion
        return lambda t: known if known and t <= begin else self._pushing.loads(*motion.parts(at(t)))[k]

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a change of sign."""
        self.signs[abs(event.place) - 1] = np.sign(event.place)
        return self.modes.corrected(y, after_step=True) if self.modes.any_held else y
