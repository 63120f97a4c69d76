"""Friction that depends on the load, joint by joint, as forward dynamics uses it, and the check of its equations."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from armdyn.model.drive import Drive
from armdyn.model.friction import FrictionLaw, LoadLine
from armdyn.spatial.rotations import Array

RESIDUAL = 1e-12
"""The largest residual of a joint's equation, as a part of the sizes of its terms; beyond it accelerations are NaN."""

RESIDUAL_OF_FLOAT32 = 5e-4
"""The largest residual if the function computes in float32: as many of its roundings."""

SAME_PIECES = 1e-13
"""The largest change of all pieces of straight lines together that counts as rounding, not as a change."""

ON_THE_LINE = 2e-15
"""Allowed distance of a curve from the straight line of a step, relative to the load and the line's constant."""

ON_THE_LINE_IN_FLOAT32 = 1e-6
"""Allowed distance of a curve from the straight line of a step if the function computes in float32."""

BELOW_FLOAT32 = 1.0 + 1e-9
"""A factor that changes numbers in float64, and is 1 in float32."""

STEPS_OF_CURVES = 12
"""Steps of Newton's method for friction that is a curve of the load."""

SINGLY, SINGLY_OF_CURVES = 2, 4
"""Up to this step, each is left out by itself if those before were enough."""


def loaded_bodies(drive: Drive) -> list[int]:
    """The bodies in whose joints friction depends on the load."""
    return [k for k, laws in enumerate(drive.laws) if any(law.depends_on_load for law in laws)]


class LoadedFriction(NamedTuple):
    """The friction in a joint that depends on its load.

    Args:
        force: N m or N.
        slope: s, its derivative by the load.
        passed, kept: of its straight line at this load (`armdyn.model.friction.LoadLine`).
        pieces: of each law's line.
    """

    force: Any
    slope: Any
    passed: Any
    kept: Any
    pieces: tuple[Any, ...]

    def where(self, condition: Any, other: LoadedFriction) -> LoadedFriction:
        """The friction if a condition is 1, the other one if it is 0."""

        def either(a: Any, b: Any) -> Any:
            return chosen(condition, a, b)

        pieces = tuple(map(either, self.pieces, other.pieces))
        force, slope = either(self.force, other.force), either(self.slope, other.slope)
        return LoadedFriction(force, slope, either(self.passed, other.passed), either(self.kept, other.kept), pieces)


def loaded_friction(drive: Drive, rates: Array, loads: Mapping[int, Any]) -> dict[int, LoadedFriction]:
    """The friction that depends on the load, by body, at the loads of the bodies that have such friction."""
    result = {}
    for k, load in loads.items():
        laws = loaded_laws(drive, k)
        force, slope = (
            sum(each) for each in zip(*(_force_and_slope(law, rates[k], load) for law in laws), strict=True)
        )
        lines = [law.line(rates[k], load) for law in laws]
        whole = lines[0] if len(lines) == 1 else LoadLine.through(force, slope, load)
        result[k] = LoadedFriction(force, slope, whole.passed, whole.kept, tuple(line.piece for line in lines))
    return result


def loaded_laws(drive: Drive, k: int) -> list[FrictionLaw]:
    """The laws of body k that depend on its load."""
    return [law for law in drive.laws[k] if law.depends_on_load]


def _force_and_slope(law: FrictionLaw, rate: Any, load: Any) -> tuple[Any, Any]:
    """The force of a law, and its slope by the load."""
    return law.force(rate, load), law.slopes(rate, load).by_load


class NewtonStep(NamedTuple):
    """The result of a step of Newton's method.

    Args:
        drive: the drive with the friction.
        rates: of the bodies' joints.
        qdd: accelerations.
        loads: the loads at these accelerations, by body.
        friction: at these loads, by body.
        settled: 1 if the friction is that of the straight lines of the step, so that a further step changes nothing;
            else 0. A curve has to meet the line at the new load too, to rounding.
        reactions: minus the forces that hold coordinates at rest, or the forces of constraints.
    """

    drive: Drive
    rates: Array
    qdd: Array
    loads: dict[int, Any]
    friction: dict[int, LoadedFriction]
    settled: Any
    reactions: Array

    @classmethod
    def of(
        cls,
        drive: Drive,
        rates: Array,
        before: Mapping[int, LoadedFriction],
        qdd: Array,
        loads: dict[int, Any],
        reactions: Array | None = None,
    ) -> NewtonStep:
        """The step from accelerations and loads at the friction of ``before``; without reactions all move."""
        friction = loaded_friction(drive, rates, loads)
        curves = [k for k in loads if lines(drive, k) is None]
        changes = [
            abs(new - old)
            for k in loads
            if k not in curves
            for new, old in zip(friction[k].pieces, before[k].pieces, strict=True)
        ]
        settled = math.prod(
            [sum(changes) <= SAME_PIECES, *(_meets(before[k], friction[k].force, loads[k]) for k in curves)]
        )
        none = np.zeros(len(qdd)) if reactions is None else reactions
        return cls(drive, rates, qdd, loads, friction, settled, none)

    def where(self, solved: Any, *, constrained: bool = False) -> NewtonStep:
        """The step if ``solved`` is 1; the accelerations, and forces of constraints, are NaN if it is NaN."""
        found = self._replace(qdd=self.qdd * solved)
        return found._replace(reactions=self.reactions * solved) if constrained else found

    def unless_settled(self, further: NewtonStep) -> NewtonStep:
        """The further step if this one is not settled. A compiled function skips steps that no state needs."""
        settled = self.settled
        loads = {k: chosen(settled, self.loads[k], load) for k, load in further.loads.items()}
        friction = loaded_friction(self.drive, self.rates, loads)  # of straight lines little more than to choose
        friction |= {
            k: self.friction[k].where(settled, further.friction[k]) for k in loads if lines(self.drive, k) is None
        }
        qdd, reactions = (
            np.array([chosen(settled, a, b) for a, b in zip(*both, strict=True)], dtype=object)
            for both in ((self.qdd, further.qdd), (self.reactions, further.reactions))
        )
        settled = chosen(settled, 1.0, further.settled)
        return NewtonStep(self.drive, self.rates, qdd, loads, friction, settled, reactions)


Step = Callable[[Mapping[int, LoadedFriction], Mapping[int, Any]], NewtonStep]
"""A step from the friction by body at loads, and these loads."""


def steps_made(step: Step, friction: Mapping[int, LoadedFriction], loads: Mapping[int, Any], count: int) -> NewtonStep:
    """The result of this number of successive steps, at least one."""
    result = step(friction, loads)
    for _ in range(1, count):
        result = step(result.friction, result.loads)
    return result


def until_settled(
    step: Step,
    friction: Mapping[int, LoadedFriction],
    loads: Mapping[int, Any],
    count: int,
    *,
    near: bool,
    checked: Callable[[NewtonStep], NewtonStep] | None = None,
) -> NewtonStep:
    """Up to this number of steps; a compiled function skips those that settled states do not need.

    ``checked`` sets the last step of states that have not settled to NaN if it does not solve the equations. It is
    skipped for settled states: on straight lines the step is exact.

    Loads of a state nearby mostly settle in the first step, or in the second, others in the second, and curves in the
    third. Steps up to `SINGLY`, or `SINGLY_OF_CURVES`, can be left out one by one. The further ones, which few need,
    are made together, because each choice costs as much as a part of a step.
    """
    singly = SINGLY_OF_CURVES if count == STEPS_OF_CURVES else SINGLY

    def settled(found: NewtonStep, made: int) -> NewtonStep:
        """The first settled step among this one and those after it; each may be skipped by itself."""
        if made < min(singly, count - 1):
            return found.unless_settled(settled(step(found.friction, found.loads), made + 1))
        last = steps_made(step, found.friction, found.loads, count - made)
        return found.unless_settled(last if checked is None else checked(last))

    made = min(count, 1 if near else 2)
    found = steps_made(step, friction, loads, made)
    if count == made:
        return found if checked is None else checked(found)
    return settled(found, made)


def chosen(condition: Any, if_true: Any, if_false: Any) -> Any:
    """One of two numbers by a condition of 1 or 0."""
    if hasattr(condition, "select"):
        return condition.select(if_true, if_false)
    return if_true if condition else if_false


def other_laws(drive: Drive) -> Drive:
    """The drive without the friction that depends on the load."""
    laws = tuple(tuple(law for law in laws if not law.depends_on_load) for laws in drive.laws)
    return dataclasses.replace(drive, laws=laws)


def lines(drive: Drive, k: int) -> int | None:
    """The number of straight lines of the load whose maximum is the friction of body k; None for a curve."""
    counts = [law.lines for law in loaded_laws(drive, k)]
    return None if None in counts else sum(counts) - len(counts) + 1  # type: ignore[arg-type]


def _meets(line: LoadedFriction, force: Any, load: Any) -> Any:
    """1 if a force is that of a line at a load, but for rounding; else 0."""
    size = abs(load) + abs(line.kept)
    distance = line.passed * (load + force) - line.kept - load
    return abs(distance) <= _by_type(size, ON_THE_LINE, ON_THE_LINE_IN_FLOAT32) * size


def _by_type(size: Any, part: float, of_float32: float) -> Any:
    """A small part of a size; if the function computes in float32, a larger one."""
    return part + of_float32 * (BELOW_FLOAT32 * size <= size)


def holds(terms: Iterable[Any], cancelled: Any = 0.0) -> Any:
    """1 if the terms of an equation add up to 0, to `RESIDUAL` or `RESIDUAL_OF_FLOAT32` of their sizes; else 0.

    ``cancelled`` is the size of the parts that have cancelled in a term: a small remainder of them is rounding.
    """
    terms = list(terms)
    size = sum(map(abs, terms), start=cancelled)
    return abs(sum(terms)) <= _by_type(size, RESIDUAL, RESIDUAL_OF_FLOAT32) * size


def or_nan(solved: Any) -> Any:
    """1 if ``solved`` is 1, NaN if it is 0."""
    return np.sqrt(2.0 * solved - 1.0)
