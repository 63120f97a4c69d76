"""The loads of joints whose friction depends on them, carried from step to step of a closed loop.

Newton's method begins with them (`armdyn.algorithms.load_friction`): they decide how many steps it takes, and the
motion to rounding only. The load of a flexible joint's friction is the force of its spring, which the state gives.
"""

from __future__ import annotations

from armdyn.model.model import Model

NAME = "last_loads"
"""Name of the state with the last computed loads of these joints on their links, N m or N, in their order."""


def count(model: Model) -> int:
    """The number of rigid joints with friction that depends on the load."""
    rigid = (joint for joint in model.joints if not joint.has_spring)
    return sum(any(law.depends_on_load for law in joint.laws) for joint in rigid)


SIZES = {NAME: count}
