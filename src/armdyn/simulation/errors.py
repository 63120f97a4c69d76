"""What can go wrong in a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


class SettingError(ArmdynError, ValueError):
    """A duration, step, tolerance or other setting that makes no sense."""


class TrajectoryFileError(ArmdynError, ValueError):
    """A file that cannot be written, or that holds no trajectory."""
