"""The error of identification."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError


class IdentificationError(ArmdynError, ValueError):
    """A fit that cannot be made: logs without motion or torques, settings that make no sense, a missing scale."""
