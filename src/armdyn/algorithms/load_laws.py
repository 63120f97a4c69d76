"""Friction that depends on the load, joint by joint, and the straight lines of the load that touch it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from armdyn.base.scalars import Scalar
from armdyn.model.drive import Drive
from armdyn.model.friction import FrictionLaw, LoadLine
from armdyn.spatial.rotations import Array


class LoadedFriction(NamedTuple):
    """The friction in a joint that depends on its load.

    Args:
        force: N m or N.
        slope: s, its derivative by the load.
        gain, offset: of its straight line at this load (`armdyn.model.friction.LoadLine`).
        pieces: of each law's line.
    """

    force: Scalar
    slope: Scalar
    gain: Scalar
    offset: Scalar
    pieces: tuple[Scalar, ...]

    def where(self, condition: Scalar, other: LoadedFriction) -> LoadedFriction:
        """The friction if a condition is 1, the other one if it is 0."""

        def either(a: Scalar, b: Scalar) -> Scalar:
            return select(condition, a, b)

        pieces = tuple(map(either, self.pieces, other.pieces))
        force, slope = either(self.force, other.force), either(self.slope, other.slope)
        return LoadedFriction(force, slope, either(self.gain, other.gain), either(self.offset, other.offset), pieces)


def loaded_friction(drive: Drive, rates: Array, loads: Mapping[int, Scalar]) -> dict[int, LoadedFriction]:
    """The friction that depends on the load, by body, at the loads of the bodies that have such friction."""
    result = {}
    for k, load in loads.items():
        laws = loaded_laws(drive, k)
        force, slope = (
            sum(each) for each in zip(*(_force_and_slope(law, rates[k], load) for law in laws), strict=True)
        )
        lines = [law.line(rates[k], load) for law in laws]
        whole = lines[0] if len(lines) == 1 else LoadLine.through(force, slope, load)
        result[k] = LoadedFriction(force, slope, whole.gain, whole.offset, tuple(line.piece for line in lines))
    return result


def _force_and_slope(law: FrictionLaw, rate: Scalar, load: Scalar) -> tuple[Scalar, Scalar]:
    """The force of a law, and its slope by the load."""
    return law.force(rate, load), law.slopes(rate, load).by_load


def loaded_bodies(drive: Drive) -> list[int]:
    """The bodies in whose joints friction depends on the load."""
    return [k for k, laws in enumerate(drive.laws) if any(law.depends_on_load for law in laws)]


def loaded_laws(drive: Drive, k: int) -> list[FrictionLaw]:
    """The laws of body k that depend on its load."""
    return [law for law in drive.laws[k] if law.depends_on_load]


def lines(drive: Drive, k: int) -> int | None:
    """The number of straight lines of the load whose maximum is the friction of body k; None for a curve."""
    counts = [law.lines for law in loaded_laws(drive, k)]
    return None if None in counts else sum(counts) - len(counts) + 1  # type: ignore[arg-type]


def is_curved(drive: Drive) -> bool:
    """True if the friction of some joint is a curve of its load."""
    return None in (lines(drive, k) for k in loaded_bodies(drive))


def other_friction(drive: Drive, rates: Array) -> list[Scalar]:
    """d, the friction in every joint that does not depend on the load, by body."""
    laws = tuple(tuple(law for law in laws if not law.depends_on_load) for laws in drive.laws)
    return dataclasses.replace(drive, laws=laws).friction_forces(rates, [0.0] * len(rates))


def select(condition: Scalar, if_true: Scalar, if_false: Scalar) -> Scalar:
    """One of two numbers by a condition of 1 or 0."""
    if hasattr(condition, "select"):
        return condition.select(if_true, if_false)
    return if_true if condition else if_false
