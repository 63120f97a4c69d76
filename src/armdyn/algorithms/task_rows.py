"""The rows of a task: components of a frame's twist, or linear combinations of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.algorithms.kinematics import path_to
from armdyn.base.checks import number, vector
from armdyn.base.errors import ArmdynError, UnknownName
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

COMPONENTS = ("wx", "wy", "wz", "vx", "vy", "vz")
"""The components of a twist, angular part first."""

GROUPS = {"pose": COMPONENTS, "orientation": COMPONENTS[:3], "position": COMPONENTS[3:]}
GROUPS |= {name: (name,) for name in COMPONENTS}
"""Keys for several components at once."""

Components = str | Sequence[str | Sequence[float]]
"""Keys of `GROUPS`, or six numbers s for the motion s . (w, v)."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Bounds on the rows' lengths and the damping, whose squares are still finite."""

Row = tuple[float, ...]

_UNIT_ROWS: dict[str, Row] = {name: tuple(float(name == other) for other in COMPONENTS) for name in COMPONENTS}


class TaskSpaceError(ArmdynError, ValueError):
    """An invalid task: components twice, a point that is not possible, or more components than joints."""


class SingularTask(TaskSpaceError):
    """Motions of a frame that the joints cannot make independently of each other."""


def chosen_rows(components: Components) -> tuple[Row, ...]:
    """The rows s of the task's velocity s . (w, v), one per component, in the requested order.

    Raises:
        UnknownName: a key of no component.
        TaskSpaceError: none at all, one twice, or a row that is not six numbers, of which one is not zero and the
            largest between 1e-100 and 1e100.

    >>> from armdyn.algorithms.task_rows import chosen_rows
    >>> chosen_rows(("wz", "vx"))
    ((0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    """
    if not isinstance(components, Iterable):
        raise TaskSpaceError(f"components={components!r}; expected some of {', '.join(GROUPS)}, or rows of six numbers")
    names: Iterable[Any] = [components] if isinstance(components, str) else components
    rows = [row for component in names for row in _rows_of(component)]
    if not rows:
        raise TaskSpaceError(f"components={components!r} asks for nothing; expected some of {', '.join(GROUPS)}")
    for place, row in enumerate(rows):
        if row in rows[:place]:
            raise TaskSpaceError(f"components={components!r} asks for {name_of(row)} twice")
    return tuple(rows)


def _rows_of(component: Any) -> list[Row]:
    if isinstance(component, str):
        if component in ("x", "y", "z"):
            raise UnknownName(
                f"no component {component!r} in a twist: v{component} is the velocity along {component}, w{component} "
                f"the turning about it. Did you mean 'v{component}'? Known: {', '.join(GROUPS)}."
            )
        if component not in GROUPS:
            raise UnknownName.of("component", component, GROUPS, "a twist")
        return [_UNIT_ROWS[name] for name in GROUPS[component]]
    try:
        row = tuple(float(x) for x in component)
    except (TypeError, ValueError):
        row = ()
    if len(row) != 6 or not all(map(math.isfinite, row)) or not any(row):
        raise TaskSpaceError(
            f"component {component!r} is not a row; expected a word ({', '.join(GROUPS)}) "
            "or six finite numbers that weigh wx, wy, wz, vx, vy, vz, not all zero"
        )
    if not SMALLEST <= max(map(abs, row)) <= LARGEST:
        raise TaskSpaceError(
            f"component {component!r} has a length beyond what its dynamics can be computed with; expected one between "
            f"{SMALLEST:g} and {LARGEST:g}, such as 1"
        )
    return [row]


def name_of(row: Row) -> str:
    """The component's name, or the linear combination.

    >>> from armdyn.algorithms.task_rows import name_of
    >>> name_of((0, 0, 0, 1, 0, 0)), name_of((0, 0, 0.5, 1, 0, -2))
    ('vx', '0.5 wz + vx - 2 vz')
    """
    text = ""
    for factor, name in zip(row, COMPONENTS, strict=True):
        if factor:
            sign = (" - " if factor < 0 else " + ") if text else ("-" if factor < 0 else "")
            text += sign + (name if abs(factor) == 1 else f"{abs(factor):g} {name}")
    return text


def selected(rows: Sequence[Row], of_twist: Array) -> Array:
    """The task's rows of a Jacobian or a twist: factors of 0 and 1 take no multiplication."""
    return np.array([sum((factor * of_twist[i] for i, factor in enumerate(row) if factor), start=0.0) for row in rows])


def checked_damping(damping: object) -> float:
    """The damping lambda; an error if it or its square is not a finite number."""
    expected = f"zero, or a number between {SMALLEST:g} and {LARGEST:g}"
    result = number("damping", damping, least=0.0, expected=expected, error=TaskSpaceError)
    if result and not SMALLEST <= result <= LARGEST:
        raise TaskSpaceError(f"damping is {result:g}; expected {expected}")
    return result


def checked_place(point: Sequence[float], expressed_in: str) -> tuple[float, ...]:
    """The point; an error if it is not three numbers, or given with "space", whose point is at the base's origin."""
    way = way_of_twist(expressed_in)
    numbers = vector("point", point, "m, in the frame's axes", error=TaskSpaceError)
    if way == "space" and any(numbers):
        raise TaskSpaceError(
            "point= has no meaning with expressed_in='space', whose velocity is that of the point at the base's "
            "origin; use 'world' or 'body'"
        )
    return numbers


def with_point(mechanism: Mechanism, frame: str | None, point: Sequence[float]) -> Mechanism:
    """The mechanism with a frame's origin moved to a point given in the frame's axes, m."""
    if not any(point):
        return mechanism
    name = mechanism.model.frame(frame).name
    k, T = mechanism.frames[name]
    moved = np.array(T)
    moved[:3, 3] = T[:3, 3] + T[:3, :3] @ np.array(point)
    return replace(mechanism, frames={**mechanism.frames, name: (k, moved)})


def check_joints_suffice(mechanism: Mechanism, frame: str | None, rows: Sequence[Row]) -> None:
    """Refuse a task of more components than joints that can make them."""
    name = mechanism.model.frame(frame).name
    k, _ = mechanism.frame(name)
    if k < 0:
        raise SingularTask(f"frame {name!r} of {mechanism.name!r} is welded to the base: no joint moves it")
    moving = {i for j in path_to(mechanism, k) for i, _ in mechanism.drive.terms[j]}
    if len(rows) > len(moving):
        joints = ", ".join(mechanism.model.coordinates[i].name for i in sorted(moving))
        words = ", ".join(map(name_of, rows))
        raise SingularTask(
            f"{len(rows)} components of the motion of {name!r} in {mechanism.name!r} are asked for ({words}), but only "
            f"{len(moving)} joint{'s' if len(moving) > 1 else ''} ({joints}) move it; choose at most {len(moving)} "
            'with components=, such as components=("vx", "vy")'
        )
