"""Which arms have closed forms that can be written down."""

from __future__ import annotations

from armdyn.advice import either
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.harmonics import Groups
from armdyn.errors import Unsupported

MOST_DIRECTIONS = 3
"""Groups of parallel turning axes: a fourth makes closed forms of hundreds of terms an entry."""

MOST_BODIES = 6
"""Links: the closed form of a planar arm grows with their square, its Christoffel symbols with their cube."""

MOST_SYMBOLS_OF_ROUNDED = 8
"""Symbols of an arm with three directions whose axes are inclined: every number of it is long."""


def refuse_large(arm: SymbolicArm) -> None:
    """Raise where closed forms would fill many pages."""
    directions, bodies = len(Groups(arm).members), len(arm.bodies)
    inclined = arm.inexact and directions >= MOST_DIRECTIONS and len(arm.parameters) > MOST_SYMBOLS_OF_ROUNDED
    if directions <= MOST_DIRECTIONS and bodies <= MOST_BODIES and not inclined:
        return
    what = f"{bodies} links that turn about axes of {directions} directions"
    what += f" with {len(arm.parameters)} symbols and inclined axes" * inclined
    raise Unsupported(
        f"{arm.name!r} has {what}; its closed form would fill many pages. Take equations that name shared terms, "
        + either("robot.inverse_dynamics.equations()", f"armdyn export {arm.name} --to latex")
        + ", lock joints, or "
        + either("pass limit=False", "pass --no-limit")
        + " and wait"
    )
