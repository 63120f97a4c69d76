"""The times at which a simulation keeps its states."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from armdyn.base.advice import answering_class
from armdyn.base.checks import number, switch
from armdyn.base.errors import SettingError
from armdyn.base.fields import set_fields


@answering_class(dict.fromkeys(("dt", "step", "interval"), "the time between two states is every=, s"))
@dataclass(frozen=True, eq=False)
class SaveAt:
    """Times of the states that a trajectory contains, and the interpolants between them.

    Without ``times`` and ``every`` each step of a fixed-step method is kept, and a thousand equal intervals of an
    adaptive motion. The first and the last state are always kept.

    Args:
        times: the times, s, increasing, shape (T,).
        every: the time between two states, s.
        dense: true to keep the interpolants of the steps: ``trajectory.at(t)`` is then as accurate as the steps at any
            time, with the velocity before an impact at its time itself, and so is ``trajectory.rotors_at(t)`` of
            flexible joints. About 1.5 kB per step of "adaptive" for an arm of six joints. Under a controller they are
            steps of a part of the length, computed when ``at`` is called.

    Raises:
        SettingError: both ``times`` and ``every``, or an interval that is not above zero.

    >>> swing = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=1.0, save=SaveAt(every=0.25))
    >>> swing.t
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """

    times: ArrayLike | None = None
    every: float | None = None
    dense: bool = False

    def __post_init__(self) -> None:
        if self.every is not None:
            set_fields(self, every=number("every", self.every, above=0.0, unit="s", error=SettingError))
            if self.times is not None:
                raise SettingError("SaveAt has both times and every; expected one of them")
        set_fields(self, dense=switch("dense", self.dense, error=SettingError))
