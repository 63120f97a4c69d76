"""The loads of joints whose friction depends on them, carried from step to step of a closed loop.

Newton's method begins with them (`armdyn.algorithms.load_friction`): they decide how many steps it takes, and the
motion to rounding only.
"""

from __future__ import annotations

from armdyn.model.model import Model

NAME = "last_loads"
"""Of the state: what these joints transmitted to their links when it was computed last, N m or N, in their order."""


def count(model: Model) -> int:
    """How many joints have such friction."""
    return sum(any(law.depends_on_load for law in joint.laws) for joint in model.joints)


SIZES = {NAME: count}
