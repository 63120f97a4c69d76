"""The errors of live pages."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError


class PageError(ArmdynError, ValueError):
    """A page that cannot be generated or written: a robot that is too large, a file that cannot be written."""
