"""Errors of studies."""

from __future__ import annotations

from armdyn.errors import ArmdynError


class StudyError(ArmdynError, ValueError):
    """Samples, summaries or settings that make no study."""


class OtherStudy(StudyError):
    """A folder that holds the parts of another study."""


class ClusterLost(ArmdynError, RuntimeError):
    """A cluster that went away, or whose workers ended again and again, before all runs were done.

    Parts in a folder are kept: the same call goes on where it stopped.
    """
