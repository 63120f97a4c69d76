"""Errors of the viewer."""

from __future__ import annotations

from armdyn.errors import ArmdynError


class ViewerError(ArmdynError, ValueError):
    """A view that cannot be made: settings that make no sense, no browser that draws, a file that cannot be written."""


class PortInUse(ViewerError):
    """A port of this machine on which another program listens already."""


class StreamError(ViewerError):
    """A line of a stream that holds no state of the robot; what follows is still read."""
