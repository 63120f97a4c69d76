"""What trajectories refuse."""

from __future__ import annotations

from armdyn.errors import ArmdynError


class MotionError(ArmdynError, ValueError):
    """A motion that cannot be: a duration, limit, waypoint or time that makes no sense, or a place out of reach."""
