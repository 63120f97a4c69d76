"""`Arm`: the part of a robot that compiled functions read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from armdyn.model.mechanism import Mechanism
    from armdyn.model.model import Model


class Arm(Protocol):
    """A robot as a compiled function reads it: `armdyn.Robot` is one, and any object with these two is.

    Two arms whose models have the same digest have the same mechanism, and so share compiled code.
    """

    @property
    def model(self) -> Model:
        """The description: names and sizes for shapes and messages, values of parameters, the digest for the cache."""

    @property
    def exact_mechanism(self) -> Mechanism:
        """The model in canonical link frames, in `armdyn.base.exact.Exact` numbers: functions are traced with it."""
