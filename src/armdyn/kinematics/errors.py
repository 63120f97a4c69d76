"""What can go wrong before a search begins."""

from __future__ import annotations

from armdyn.errors import ArmdynError


class TaskError(ArmdynError, ValueError):
    """A target, weight, start or setting that makes no sense."""
