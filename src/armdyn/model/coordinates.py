"""New coordinates for the joints of a model: admissible choices, and the limits that the joints' limits imply.

The present coordinates are q = A r + b in the new ones r, so that couplings can be composed: a robot whose file couples
its fingers may get a belt in addition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ModelError, Unsupported
from armdyn.base.exact import exact, rounded
from armdyn.model.coupling import Coordinate, Coupling
from armdyn.model.elements import refuse_elements
from armdyn.model.joint import Joint
from armdyn.model.limits import UNLIMITED, Limits
from armdyn.model.model import Model
from armdyn.model.notes import renew_notes
from armdyn.spatial.rotations import Array

Kind = Literal["revolute", "prismatic"]

DEPENDENT = 1e-12
"""Columns of a map whose combination is smaller than this, relative to their sizes, are not independent."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Factors of a map that are not zero, and offsets: squares of factors outside overflow or underflow, and no gear has
them."""

MOST_JOINTS = 1000
"""The most joints of a coupled model: its map is a full matrix."""

HELD_WITHIN = 1e-9
"""The tolerance on the limits of a joint that a coupling holds still."""


def coupling_of(model: Model) -> Coupling:
    """The map from q to the positions of all joints; the identity if each joint is a coordinate."""
    if model.coupling is not None:
        return model.coupling
    n = len(model.joints)
    own = tuple(Coordinate(j.name, j.kind, j.limits, j.damping, j.friction) for j in model.joints)
    return Coupling(own, np.eye(n), np.zeros(n))


def moved_by(model: Model, joint: str) -> list[str]:
    """The coordinates that move a joint."""
    row = coupling_of(model).matrix[model.joint_names.index(joint)]
    return [coordinate.name for coordinate, factor in zip(model.coordinates, row, strict=True) if factor]


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
    """The model with other coordinates r in place of q = A r + b (`armdyn.Robot.with_coordinates`).

    Args:
        model: whose coordinates are replaced.
        names: of the new ones.
        matrix: A, one row per present coordinate, one column per new one.
        offset: b.
        kinds: of the new ones whose joints do not determine it.
        limits: of the new ones, in addition to those that follow from the joints' limits.
        where: prefix of a message about a joint, e.g. "arm.urdf:214".
    """
    refuse_elements(model, "with_coordinates")
    check_size(model)
    rows = [coordinate.name for coordinate in model.coordinates]
    A, b = _checked_map(rows, names, matrix, offset)
    refuse(_problems_of_factors(rows, names, A, b))
    old = coupling_of(model)
    to_q = exact(old.matrix)
    whole = rounded(to_q @ exact(A)), rounded(to_q @ exact(b) + exact(old.offset))
    refuse(_problems_of_factors(model.joint_names, names, *whole))
    refuse(_problems_of_names(model, names, kinds or {}, limits or {}))
    refuse(_problems_of_columns(names, A))
    driven = _driven(model.joints, *whole)
    if model.coupling is not None:
        driven += _driven(model.coupling.coordinates, A, b)
    finder = _Finder(driven, kinds or {}, limits or {}, where or {})
    coordinates = tuple(finder.coordinate(i, name) for i, name in enumerate(names))
    finder.check_held()
    refuse(dict.fromkeys(finder.problems))
    return renew_notes(model, model.replace(coupling=Coupling(coordinates, *whole)))


def without_couplings(model: Model) -> Model:
    """The model with every joint a coordinate of its own."""
    refuse_elements(model, "without_couplings")
    return renew_notes(model, model.replace(coupling=None))


def check_size(model: Model) -> None:
    """Refuse a matrix that would fill the memory with zeros."""
    if len(model.joints) > MOST_JOINTS:
        raise Unsupported(f"{model.name!r} couples some of {len(model.joints)} joints; at most {MOST_JOINTS} may be.")


def refuse(problems: Iterable[str]) -> None:
    """Raise if there is any problem, with all of them."""
    result = list(problems)
    if result:
        raise ModelError(result)


def _checked_map(
    rows: Sequence[str], names: Sequence[str], matrix: ArrayLike, offset: ArrayLike | None
) -> tuple[Array, Array]:
    n, text = len(rows), ", ".join(rows)
    meaning = f"a row for each of {text}, a column for each new coordinate"
    A = array("matrix", matrix, (n, len(names)), meaning, finite=ModelError)
    if offset is None:
        return A, np.zeros(n)
    return A, array("offset", offset, (n,), f"one value for each of {text}", finite=ModelError)


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
    for quantity, values in (("kinds", kinds), ("limits", limits)):
        for name in values:
            if name not in names:
                yield f"{quantity} name {name!r}, which is no new coordinate; they are {', '.join(map(str, names))}."
    for name, kind in kinds.items():
        if kind not in ("revolute", "prismatic"):
            yield f"kind of coordinate {name!r} is {kind!r}; expected 'revolute' or 'prismatic'."
    for name, limit in limits.items():
        if not hasattr(limit, "lower"):
            yield f"limits of coordinate {name!r} are {limit!r}; expected an armdyn.Limits."


def _problems_of_factors(rows: Sequence[str], names: Sequence[str], A: Array, b: Array) -> Iterator[str]:
    """Factors and offsets that no gear has, and whose squares are no numbers."""
    sizes = np.abs(A)
    for k, i in np.argwhere((sizes > 0.0) & ~((sizes >= SMALLEST) & (sizes <= LARGEST))).tolist():
        yield (
            f"{rows[k]!r} moves {A[k, i]:g} times as {names[i]!r}; expected 0, or a factor whose size is "
            f"between {SMALLEST:g} and {LARGEST:g}."
        )
    for k in np.flatnonzero(np.abs(b) > LARGEST).tolist():
        yield f"{rows[k]!r} has offset {b[k]:g}; expected one whose size is at most {LARGEST:g}."


def _problems_of_columns(names: Sequence[str], A: Array) -> Iterator[str]:
    """Coordinates that move no joint, or only joints that others move too: M(q) would be singular."""
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
    """A joint, or a present coordinate, and its dependence on the new ones: factors by new coordinate."""

    part: Joint | Coordinate
    factors: Mapping[int, float]
    offset: float

    @property
    def factor(self) -> float:
        """The factor of the one coordinate that moves it."""
        (factor,) = self.factors.values()
        return factor

    def is_called(self, name: str) -> bool:
        """True if it equals the one coordinate that moves it and has this name."""
        return self.part.name == name and self.factor == 1.0 and self.offset == 0.0


def _driven(parts: Sequence[Joint | Coordinate], A: Array, b: Array) -> list[_Driven]:
    rows = [{int(i): float(row[i]) for i in np.flatnonzero(row)} for row in A]
    return [_Driven(*one) for one in zip(parts, rows, map(float, b), strict=True)]


@dataclass
class _Finder:
    """Finds kind, limits and friction of every coordinate from the joints, and collects problems."""

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
        """Coordinate i: kind, limits, and the damping and friction of the joints that only it moves."""
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
        """The kind given; else that of the part that it equals; else the common kind of all joints that it moves."""
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
        """The given limits, narrowed by those of all joints that only the coordinate moves."""
        values = self.limits.get(name, UNLIMITED)
        ranges = [("", values.lower, values.upper)]
        ranges += [(d.part.name, *_range(d.part.limits, d.factor, d.offset)) for d in alone]
        lowest, lower, _ = max(ranges, key=lambda one: one[1])
        highest, _, upper = min(ranges, key=lambda one: one[2])
        if not lower <= upper:
            where = next((f"{self.where[part]} " for part in (lowest, highest) if part in self.where), "")
            ends = [
                f"{word} {value:g} ({f'limit of {part!r}' if part else 'its own limit'})"
                for word, value, part in (("at least", lower, lowest), ("at most", upper, highest))
            ]
            self.problems.append(
                f"{where}coordinate {name!r}: the limits of the joints that move with it leave no position: "
                f"{' and '.join(ends)}."
            )
        velocity = min([values.velocity, *(d.part.limits.velocity / abs(d.factor) for d in alone)])
        effort = min([values.effort, *(d.part.limits.effort for d in alone if d.is_called(name))])
        return Limits(float(lower), float(upper), float(velocity), float(effort))

    def check_held(self) -> None:
        """Joints that no coordinate moves must be held within their limits."""
        for d in self.driven:
            limits, slack = d.part.limits, HELD_WITHIN * max(1.0, abs(d.offset))
            if not d.factors and not limits.lower - slack <= d.offset <= limits.upper + slack:
                self.problems.append(
                    f"joint {d.part.name!r} is held at {d.offset:g}, outside its limits {limits.lower:g} to "
                    f"{limits.upper:g}."
                )


def _range(limits: Limits, factor: float, offset: float) -> tuple[float, float]:
    """The range of a coordinate in which ``factor`` times it plus ``offset`` keeps the limits."""
    low, high = sorted(((limits.lower - offset) / factor, (limits.upper - offset) / factor))
    return low, high
