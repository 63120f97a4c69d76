"""The errors of reports."""

from __future__ import annotations

from armdyn.errors import ArmdynError


class ReportError(ArmdynError, ValueError):
    """A report that cannot be made or written: of many motions, of a log that cannot be read; a PDF without browser."""
