"""Errors of studies."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError


class StudyError(ArmdynError, ValueError):
    """Invalid samples, summaries or settings of a study."""


class OtherStudy(StudyError):
    """A folder that holds the parts of another study."""


class ClusterLost(ArmdynError, RuntimeError):
    """A cluster that went away, or whose workers ended repeatedly, before all runs were done.

    Parts in a folder are kept: the same call goes on where it stopped.
    """
