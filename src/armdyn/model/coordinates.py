"""New coordinates for the joints of a model: what may be chosen, and what the joints' limits leave of each.

The present coordinates are q = A r + b in the new ones r, so that couplings follow one another: a robot whose file
couples its fingers may get a belt besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.checks import array
from armdyn.errors import ModelError, Unsupported
from armdyn.exact import exact, rounded
from armdyn.model.coupling import Coordinate, Coupling
from armdyn.model.model import UNLIMITED, Joint, Limits, Model
from armdyn.model.notes import renoted
from armdyn.spatial.rotations import Array

Kind = Literal["revolute", "prismatic"]

DEPENDENT = 1e-12
"""Columns of a map whose combination is smaller than this, relative to their sizes, are not independent."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Factors of a map that are not zero, and offsets: squares of what lies beyond are no numbers, and it is no gear."""

MOST_JOINTS = 1000
"""How many joints a coupled model may have: its map is a full matrix."""

HELD_WITHIN = 1e-9
"""How far outside its limits a joint may be held that a coupling holds still: rounding explains it."""


class JointMap(NamedTuple):
    """q = matrix r + offset."""

    matrix: Array
    offset: Array

    def after(self, inner: JointMap) -> JointMap:
        """The map whose argument is what ``inner`` maps from."""
        A, b = exact(self.matrix), exact(self.offset)
        return JointMap(rounded(A @ exact(inner.matrix)), rounded(A @ exact(inner.offset) + b))


def joint_map(model: Model) -> JointMap:
    """The map from q to the positions of all joints, in the order of ``model.joints``."""
    if model.coupling is None:
        return JointMap(np.eye(len(model.joints)), np.zeros(len(model.joints)))
    return JointMap(model.coupling.matrix, model.coupling.offset)


def with_coordinates(
    model: Model,
    names: Sequence[str],
    matrix: ArrayLike,
    offset: ArrayLike | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    limits: Mapping[str, Limits] | None = None,
    where: Mapping[str, str] | None = None,
) -> Model:
    """The model with other coordinates; see `armdyn.Robot.with_coordinates`.

    Args:
        model: whose coordinates are replaced.
        names: of the new ones.
        matrix: A, a row for each of the present coordinates, a column for each new one.
        offset: b.
        kinds: of the new ones whose joints do not say it.
        limits: of the new ones, besides what the joints' limits leave.
        where: what stands in front of a problem with a joint, e.g. "arm.urdf:214".
    """
    check_size(model)
    step = _checked_map(model, names, matrix, offset)
    rows = [coordinate.name for coordinate in model.coordinates]
    refuse(_problems_of_factors(rows, names, step))
    whole = joint_map(model).after(step)
    refuse(_problems_of_factors(model.joint_names, names, whole))
    refuse(_problems_of_names(model, names, kinds or {}, limits or {}))
    refuse(_problems_of_columns(names, step.matrix))
    driven = _driven(model.joints, whole)
    if model.coupling is not None:
        driven += _driven(model.coupling.coordinates, step)
    finder = _Finder(driven, dict(kinds or {}), dict(limits or {}), dict(where or {}))
    coordinates = tuple(finder.coordinate(i, name) for i, name in enumerate(names))
    finder.check_held()
    refuse(dict.fromkeys(finder.problems))
    return renoted(model, model.replace(coupling=Coupling(coordinates, *whole)))


def without_couplings(model: Model) -> Model:
    """The model with every joint a coordinate of its own."""
    return renoted(model, model.replace(coupling=None))


def check_size(model: Model) -> None:
    """Refuse what would fill the memory with zeros."""
    if len(model.joints) > MOST_JOINTS:
        raise Unsupported(f"{model.name!r} couples some of {len(model.joints)} joints; at most {MOST_JOINTS} may be.")


def refuse(problems: Iterable[str]) -> None:
    """Raise where there is any problem, with all of them."""
    found = list(problems)
    if found:
        raise ModelError(found)


def _checked_map(model: Model, names: Sequence[str], matrix: ArrayLike, offset: ArrayLike | None) -> JointMap:
    rows = len(model.coordinates)
    shown = ", ".join(c.name for c in model.coordinates)
    A = array(
        "matrix",
        matrix,
        (rows, len(names)),
        f"a row for each of {shown}, a column for each new coordinate",
        finite=ModelError,
    )
    b = (
        np.zeros(rows)
        if offset is None
        else array("offset", offset, (rows,), f"one value for each of {shown}", finite=ModelError)
    )
    return JointMap(A, b)


def _problems_of_names(
    model: Model, names: Sequence[str], kinds: Mapping[str, str], limits: Mapping[str, Limits]
) -> Iterator[str]:
    if not names:
        yield f"{model.name!r}: no coordinate is left; an arm needs at least one."
    for name in dict.fromkeys(names):
        if not isinstance(name, str) or not name.strip():
            yield f"a coordinate is called {name!r}; expected a name."
        elif list(names).count(name) > 1:
            yield f"coordinate {name!r} is there {list(names).count(name)} times; names must differ."
    for what, given in (("kinds", kinds), ("limits", limits)):
        for name in given:
            if name not in names:
                yield f"{what} name {name!r}, which is no new coordinate; they are {', '.join(map(str, names))}."
    for name, kind in kinds.items():
        if kind not in ("revolute", "prismatic"):
            yield f"kind of coordinate {name!r} is {kind!r}; expected 'revolute' or 'prismatic'."
    for name, limit in limits.items():
        if not hasattr(limit, "lower"):
            yield f"limits of coordinate {name!r} are {limit!r}; expected an armdyn.Limits."


def _problems_of_factors(rows: Sequence[str], names: Sequence[str], step: JointMap) -> Iterator[str]:
    """Factors and offsets that no gear has, and whose squares are no numbers."""
    sizes = np.abs(step.matrix)
    for k, i in np.argwhere((sizes > 0.0) & ~((sizes >= SMALLEST) & (sizes <= LARGEST))).tolist():
        yield (
            f"{rows[k]!r} moves {step.matrix[k, i]:g} times as {names[i]!r}; expected 0, or a factor whose size is "
            f"between {SMALLEST:g} and {LARGEST:g}."
        )
    for k in np.flatnonzero(np.abs(step.offset) > LARGEST).tolist():
        yield f"{rows[k]!r} has offset {step.offset[k]:g}; expected one whose size is at most {LARGEST:g}."


def _problems_of_columns(names: Sequence[str], A: Array) -> Iterator[str]:
    """Coordinates that move nothing, or nothing that others do not: M(q) would be singular."""
    sizes = np.linalg.norm(A, axis=0)
    still = [name for name, size in zip(names, sizes, strict=True) if size == 0.0]
    if still:
        yield f"no joint moves with {', '.join(map(repr, still))}: a column of the matrix is zero. Leave it out."
        return
    _, singular, Vt = np.linalg.svd(A / sizes)
    if len(singular) < len(names) or singular[-1] < DEPENDENT * singular[0]:
        together = [repr(name) for name, part in zip(names, Vt[-1], strict=True) if abs(part) > 1e-6]
        yield f"coordinates {', '.join(together)} are not independent: together they can move and no joint does."


class _Driven(NamedTuple):
    """A joint, or a coordinate so far, and what moves it: factors by new coordinate."""

    part: Joint | Coordinate
    factors: Mapping[int, float]
    offset: float

    @property
    def factor(self) -> float:
        """Of the one coordinate that moves it alone."""
        (factor,) = self.factors.values()
        return factor

    def is_called(self, name: str) -> bool:
        """Whether the one coordinate that moves it is itself, where it is called so."""
        return self.part.name == name and self.factor == 1.0 and self.offset == 0.0


def _driven(parts: Sequence[Joint | Coordinate], to_parts: JointMap) -> list[_Driven]:
    rows = [{int(i): float(row[i]) for i in np.flatnonzero(row)} for row in to_parts.matrix]
    return [_Driven(*one) for one in zip(parts, rows, map(float, to_parts.offset), strict=True)]


class _Bound(NamedTuple):
    """An end of a coordinate's range, and who sets it."""

    value: float
    whose: str


@dataclass
class _Finder:
    """What the joints leave of every coordinate; collects what is wrong."""

    driven: Sequence[_Driven]
    kinds: Mapping[str, Kind]
    limits: Mapping[str, Limits]
    where: Mapping[str, str]

    def __post_init__(self) -> None:
        self.problems: list[str] = []
        self.moved: dict[int, list[_Driven]] = {}
        for d in self.driven:
            for i in d.factors:
                self.moved.setdefault(i, []).append(d)

    def coordinate(self, i: int, name: str) -> Coordinate:
        """Coordinate i: kind, limits, and the damping and friction of the joints it alone moves."""
        alone = [d for d in self.moved[i] if len(d.factors) == 1]
        joints = [(abs(d.factor), d.part) for d in alone if isinstance(d.part, Joint)]
        return Coordinate(
            name,
            self._kind(i, name, alone),
            self._limits(name, alone),
            damping=sum((f**2 * joint.damping for f, joint in joints), start=0.0),
            friction=sum((f * joint.friction for f, joint in joints), start=0.0),
        )

    def _kind(self, i: int, name: str, alone: Sequence[_Driven]) -> Kind:
        """As given; of the part that it is; else what all that it moves are."""
        if name in self.kinds:
            return self.kinds[name]
        itself = [d.part.kind for d in alone if d.is_called(name)]
        moved = {d.part.kind for d in self.moved[i]}
        if not itself and len(moved) > 1:
            self.problems.append(
                f"coordinate {name!r} turns joints and slides others, so its unit is open; "
                f"say it: kinds={{{name!r}: 'revolute'}} (rad) or 'prismatic' (m)."
            )
        return itself[0] if itself else min(moved)

    def _limits(self, name: str, alone: Sequence[_Driven]) -> Limits:
        """The given limits, narrowed by those of all that the coordinate alone moves."""
        given = self.limits.get(name, UNLIMITED)
        lower, upper = _Bound(given.lower, "its own"), _Bound(given.upper, "its own")
        velocity, effort = given.velocity, given.effort
        for d in alone:
            low, high = _range(d.part.limits, d.factor, d.offset)
            lower = max(lower, _Bound(low, d.part.name), key=lambda bound: bound.value)
            upper = min(upper, _Bound(high, d.part.name), key=lambda bound: bound.value)
            velocity = min(velocity, d.part.limits.velocity / abs(d.factor))
            if d.is_called(name):
                effort = min(effort, d.part.limits.effort)
        if not lower.value <= upper.value:
            self._complain_of_limits(name, lower, upper)
        return Limits(float(lower.value), float(upper.value), float(velocity), float(effort))

    def _complain_of_limits(self, name: str, lower: _Bound, upper: _Bound) -> None:
        where = next((self.where[b.whose] for b in (lower, upper) if b.whose in self.where), "")
        ends = [
            f"{word} {bound.value:g} ({'its own limit' if bound.whose == 'its own' else f'limit of {bound.whose!r}'})"
            for word, bound in (("at least", lower), ("at most", upper))
        ]
        self.problems.append(
            f"{where + ' ' if where else ''}coordinate {name!r}: the limits of the joints that move with it leave no "
            f"position: {' and '.join(ends)}."
        )

    def check_held(self) -> None:
        """Joints that nothing moves must be held where their limits let them be."""
        for d in self.driven:
            limits, slack = d.part.limits, HELD_WITHIN * max(1.0, abs(d.offset))
            if not d.factors and not limits.lower - slack <= d.offset <= limits.upper + slack:
                self.problems.append(
                    f"joint {d.part.name!r} is held at {d.offset:g}, outside its limits {limits.lower:g} to "
                    f"{limits.upper:g}."
                )


def _range(limits: Limits, factor: float, offset: float) -> tuple[float, float]:
    """Where a coordinate may be for ``factor`` times it plus ``offset`` to keep the limits."""
    low, high = sorted(((limits.lower - offset) / factor, (limits.upper - offset) / factor))
    return low, high
