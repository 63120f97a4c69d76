"""Errors of the viewer."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError


class ViewerError(ArmdynError, ValueError):
    """A view that cannot be shown: inconsistent settings, no browser that renders, or a file that cannot be written."""


class PortInUse(ViewerError):
    """A port of this machine that is in use by another program."""


class StreamError(ViewerError):
    """A line of a stream that contains no state of the robot; the following lines are still read."""
