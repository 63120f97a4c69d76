"""A rollout that ends early, and its results until then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from armdyn.base.scalars import Array

if TYPE_CHECKING:
    from armdyn.functions.rolled import RolloutResults

KEPT = "What was computed until then is in error.rolled."
"""The end of messages of a rollout that ended early."""


class RolloutInterrupted(KeyboardInterrupt):
    """Ctrl-C during a rollout; ``rolled`` holds the results until then.

    All states of the batch, or arms, have made an equal number of steps, ``rolled.steps``: ``rolled.final`` is the
    state after them, ``rolled.rows`` are the records until then. It is a KeyboardInterrupt, so that code that does not
    catch it ends as usual. In an interactive session, ``sys.last_value.rolled`` holds the results.

    Args:
        message: the name of the function, and the number of steps.
        rolled: the results until then.
    """

    def __init__(self, message: str, rolled: RolloutResults) -> None:
        super().__init__(message)
        self.rolled = rolled

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.rolled)


@contextmanager
def nothing_is_kept(subject: str) -> Iterator[None]:
    """Raise Ctrl-C as a `KeyboardInterrupt` that ``subject`` was interrupted without a usable result."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        text = f"{subject} was interrupted; it is known at its end alone, so nothing of it is kept"
        raise KeyboardInterrupt(text) from interrupt


@dataclass
class StepsSoFar:
    """The steps of a loop so far, updated by the loop while it runs.

    Args:
        so_far: the number of steps, and the state after them. One attribute, which an interrupt cannot leave half set.
    """

    so_far: tuple[int, dict[str, Array]] = field(default=(0, {}))
