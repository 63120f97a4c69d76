"""A rollout that breaks off, and what was computed until then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from armdyn.functions.rolled import Rolled

KEPT = "What was computed until then is in error.rolled."
"""The end of messages of a rollout that broke off."""


class RolloutInterrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a rollout; ``rolled`` holds what was computed until then.

    All states of the batch, or arms, have made the same number of steps, ``rolled.steps``: ``rolled.final`` is the
    state after them, ``rolled.rows`` what was recorded until then. It is a KeyboardInterrupt, so that what does not ask
    for it ends as it always does. In an interactive session, ``sys.last_value.rolled`` is what was computed.

    Args:
        message: what was interrupted, and after how many steps.
        rolled: until then.
    """

    def __init__(self, message: str, rolled: Rolled) -> None:
        super().__init__(message)
        self.rolled = rolled

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.rolled)


@contextmanager
def nothing_is_kept(what: str) -> Iterator[None]:
    """Let Ctrl-C say that ``what`` was interrupted and that nothing of it is of use, as a `KeyboardInterrupt`."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        said = f"{what} was interrupted; it is known at its end alone, so nothing of it is kept"
        raise KeyboardInterrupt(said) from interrupt


@dataclass
class Made:
    """What a loop has made so far, told by the loop while it runs.

    Args:
        so_far: how many steps, and the state after them. One attribute, which an interrupt cannot leave half set.
    """

    so_far: tuple[int, dict[str, NDArray[Any]]] = field(default=(0, {}))
