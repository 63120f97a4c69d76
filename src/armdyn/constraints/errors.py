"""What can be wrong with constraints at a state."""

from __future__ import annotations

from armdyn.errors import ArmdynError


class ConstraintError(ArmdynError, ValueError):
    """Constraints, or a state within them, that do not allow what was asked."""


class RedundantConstraints(ConstraintError):
    """Rows of A that follow from others at a state, so that the multipliers are not unique."""


class OpenLoop(ConstraintError):
    """A state at which constraints phi(q) = 0 do not hold."""


class InconsistentMotion(ConstraintError):
    """Velocities or accelerations that the constraints do not allow."""
