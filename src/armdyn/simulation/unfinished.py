"""Errors of a motion that broke off, which hold the trajectory until then."""

from __future__ import annotations

from typing import Any

from armdyn.base.errors import ArmdynError
from armdyn.motion.trajectory import Trajectory

KEPT = "What was simulated until then is in error.trajectory."
"""The end of messages of a motion that broke off, in Python."""


class SimulationError(ArmdynError, RuntimeError):
    """A motion that could not be continued.

    ``trajectory`` is the motion until then; it is None if the very first state was refused.
    """

    trajectory: Trajectory | None = None


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a simulation; ``trajectory`` is the motion until then.

    It is a KeyboardInterrupt, so that programs that do not catch it end as usual. In an interactive session,
    ``sys.last_value.trajectory`` is the motion.

    Args:
        message: the interrupted action, and its time.
        trajectory: the motion until then.
    """

    def __init__(self, message: str, trajectory: Trajectory) -> None:
        super().__init__(message)
        self.trajectory = trajectory

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.trajectory)


def keep_in_error(error: Exception, trajectory: Trajectory) -> None:
    """Attach the trajectory so far to an error, and state it in its message."""
    error.trajectory = trajectory  # type: ignore[attr-defined]
    if isinstance(error, SimulationError):
        error.args = (f"{str(error).removesuffix('.')}. {KEPT}",)
    else:
        error.add_note(KEPT)
