"""The errors of reports."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError


class ReportError(ArmdynError, ValueError):
    """A report that cannot be generated or written: a batch, an unreadable log, a PDF without a browser."""
