"""Limits on the size of arms for closed forms."""

from __future__ import annotations

from armdyn.base.advice import either
from armdyn.base.errors import Unsupported
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.harmonics import Groups

MOST_DIRECTIONS = 3
"""Largest number of groups of parallel revolute axes: a fourth leads to hundreds of terms per entry."""

MOST_BODIES = 6
"""Largest number of links: closed forms of planar arms grow quadratically, their Christoffel symbols cubically."""

MOST_SYMBOLS_OF_ROUNDED = 8
"""Largest number of symbols of an arm with three directions and inclined axes, because all its numbers are long."""


def refuse_large(arm: SymbolicArm) -> None:
    """Raise Unsupported if closed forms would fill many pages."""
    directions, bodies = len(Groups(arm).members), len(arm.bodies)
    inclined = arm.inexact and directions >= MOST_DIRECTIONS and len(arm.parameters) > MOST_SYMBOLS_OF_ROUNDED
    if directions <= MOST_DIRECTIONS and bodies <= MOST_BODIES and not inclined:
        return
    size = f"{bodies} links that turn about axes of {directions} directions"
    size += f" with {len(arm.parameters)} symbols and inclined axes" * inclined
    raise Unsupported(
        f"{arm.name!r} has {size}; its closed form would fill many pages. Take equations that name shared terms, "
        + either("robot.inverse_dynamics.equations()", f"armdyn export {arm.name} --to latex")
        + ", lock joints, or "
        + either("pass limit=False", "pass --no-limit")
        + " and wait"
    )
