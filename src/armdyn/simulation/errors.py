"""What can go wrong in a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armdyn.errors import ArmdynError

if TYPE_CHECKING:
    from armdyn.simulation.trajectory import Trajectory


KEPT = "What was simulated until then is in error.trajectory."
"""What messages of a motion that broke off end with, in Python."""


class SimulationError(ArmdynError, RuntimeError):
    """A motion that could not be continued.

    ``trajectory`` holds all that was simulated until then; it is None where the very first state was refused.
    """

    trajectory: Trajectory | None = None


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a simulation; ``trajectory`` holds all that was simulated until then.

    It is a KeyboardInterrupt, so that what does not ask for it ends as it always does. In an interactive session,
    ``sys.last_value.trajectory`` is what was simulated.

    Args:
        message: what was interrupted, and when.
        trajectory: until then.
    """

    def __init__(self, message: str, trajectory: Trajectory) -> None:
        super().__init__(message)
        self.trajectory = trajectory

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.trajectory)


class FrictionWarning(UserWarning):
    """Joints with dry friction that creep or chatter about rest in a closed loop, where they should stick."""


class UntracedControllerWarning(UserWarning):
    """A controller of a closed loop that cannot be traced, and runs in Python."""


class SettingError(ArmdynError, ValueError):
    """A duration, step, tolerance or other setting that makes no sense."""


class TrajectoryFileError(ArmdynError, ValueError):
    """A file that cannot be written, or that holds no trajectory."""
