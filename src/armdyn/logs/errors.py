"""The error of logs."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError


class LogError(ArmdynError, ValueError):
    """A log that cannot be read: no table, no times, columns or units that do not fit the robot."""
