"""The error of files of motions."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError


class TrajectoryFileError(ArmdynError, ValueError):
    """A file that cannot be written, or that holds no trajectory."""
