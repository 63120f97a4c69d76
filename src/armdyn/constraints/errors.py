"""Errors of constraints at a state."""

from __future__ import annotations

from armdyn.base.errors import ArmdynError
from armdyn.spatial.rotations import Array


class ConstraintError(ArmdynError, ValueError):
    """A wrong argument of a function of constraints, or a state or motion that the constraints do not allow."""


class RedundantConstraints(ConstraintError):
    """Rows of A that depend on others at a state, so that the multipliers are not unique."""


class SingularState(RedundantConstraints):
    """A state at which rows of A depend on others that do not elsewhere: a dead point, a stretched arm."""


class OpenLoop(ConstraintError):
    """A state at which constraints phi(q) = 0 do not hold.

    Args:
        message: the violated constraints and their violations.
        q: the first such state if one was given, rad or m, shape (n,).
    """

    def __init__(self, message: str, q: Array | None = None) -> None:
        super().__init__(message)
        self.q = q


class ContradictingConstraints(OpenLoop):
    """Constraints that hold nowhere near a state, because they contradict each other."""


class InconsistentMotion(ConstraintError):
    """Velocities or accelerations that the constraints do not allow."""
