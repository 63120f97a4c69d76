"""The loads of joints whose friction depends on them, carried from step to step of a closed loop.

Newton's method begins with them (`armdyn.algorithms.load_friction`): they decide how many steps it takes, and the
motion to rounding only. The load of a flexible joint's friction is the force of its spring, which the state gives.
"""

from __future__ import annotations

from armdyn.model.model import Model

NAME = "last_loads"
"""Of the state: what these joints transmitted to their links when it was computed last, N m or N, in their order."""


def count(model: Model) -> int:
    """How many rigid joints have such friction."""
    rigid = (joint for joint in model.joints if not joint.has_spring)
    return sum(any(law.depends_on_load for law in joint.laws) for joint in rigid)


SIZES = {NAME: count}
