"""States of a robot as numeric functions take them: arrays of one batch, and rows and joints by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from armdyn.constraints.errors import InconsistentMotion, OpenLoop
from armdyn.errors import ModelError, ShapeError, UnknownName
from armdyn.model.constraints import Row
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array

CLOSED = 1e-6
"""How far from closed, m or rad, and how fast against the constraints, m/s or rad/s, a state may be."""


class ConstrainedRobot(Protocol):
    """What the functions of this package need of a robot: `armdyn.Robot` has it."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def dof(self) -> int: ...  # noqa: D102
    @property
    def model(self) -> Model: ...  # noqa: D102
    @property
    def joint_names(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def constraint_rows(self) -> tuple[Row, ...]: ...  # noqa: D102
    @property
    def mass_matrix(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def jacobian(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_error(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_jacobian(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_velocity(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_drift(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constrained_inverse_dynamics(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def _constrained_forward_dynamics(self) -> Callable[..., Any]: ...


def holonomic(robot: ConstrainedRobot) -> Array:
    """Which rows are equations for positions, shape (constraints,)."""
    return np.array([row.holonomic for row in robot.constraint_rows], dtype=bool)


def per_joint(robot: ConstrainedRobot, **values: Any) -> list[Array]:
    """Arrays of shape (..., n), broadcast to one batch, as float64."""
    arrays = []
    for name, value in values.items():
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise ShapeError(f"{name} is {value!r}; expected numbers, one value per joint of {robot.name!r}") from None
        if array.ndim == 0 or array.shape[-1] != robot.dof:
            shown = " ".join(robot.joint_names)
            raise ShapeError(
                f"{name} has shape {array.shape}; expected (..., {robot.dof}), one value per joint of {robot.name!r}: "
                f"{shown}"
            )
        arrays.append(array)
    try:
        return [np.array(array) for array in np.broadcast_arrays(*arrays)]
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape[:-1]}" for name, a in zip(values, arrays, strict=True))
        raise ShapeError(f"the batches of the arguments do not broadcast together: {shapes}") from None


def coordinates(robot: ConstrainedRobot, names: Iterable[str]) -> list[int]:
    """The places of coordinates in q."""
    known = list(robot.joint_names)
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            raise UnknownName.of("joint", name, known, repr(robot.name))
    return [known.index(name) for name in wanted]


def held_values(robot: ConstrainedRobot, held: Mapping[str, float] | Iterable[str], q: Array) -> tuple[Array, Array]:
    """q with the held coordinates at their values, and which coordinates are free, shape (n,)."""
    places = coordinates(robot, held)
    free = np.ones(robot.dof, dtype=bool)
    free[places] = False
    if isinstance(held, Mapping):
        q = q.copy()
        for place, value in zip(places, held.values(), strict=True):
            q[..., place] = value
    if not free.any():
        raise ModelError(f"all {robot.dof} joints of {robot.name!r} are held; leave some to close the loop")
    return q, free


def state_name(index: tuple[int, ...]) -> str:
    """Which state of a batch, for messages; empty for a single one."""
    return f" of state {index if len(index) > 1 else index[0]}" if index else ""


def check_closed(robot: ConstrainedRobot, q: Array, tolerance: float) -> None:
    """Raise an `OpenLoop` where phi(q) is not zero, with by how much and where."""
    rows = [row for row in robot.constraint_rows if row.holonomic]
    if not rows:
        return
    phi = np.asarray(robot.constraint_error(q))
    worst = _first_beyond(phi, tolerance)
    if worst is not None:
        raise OpenLoop(
            f"the constraints of {robot.name!r} do not hold at q{state_name(worst)}: {listed(rows, phi[worst], '')}, "
            f"more than the tolerance of {tolerance:g}. robot.close_loop(q) finds a q where they do."
        )


def check_velocities(robot: ConstrainedRobot, q: Array, qd: Array, tolerance: float) -> None:
    """Raise an `InconsistentMotion` where A qd is not zero."""
    against = np.asarray(robot.constraint_velocity(q, qd))
    speed = np.maximum(1.0, np.abs(qd).max(axis=-1, keepdims=True))
    worst = _first_beyond(against / speed, tolerance)
    if worst is not None:
        raise InconsistentMotion(
            f"the velocities qd{state_name(worst)} leave the constraints of {robot.name!r}: A qd is "
            f"{listed(robot.constraint_rows, against[worst], '/s')}. robot.close_velocities(q, qd) has the nearest "
            "that they allow."
        )


def _first_beyond(values: Array, tolerance: float) -> tuple[int, ...] | None:
    """The first state of a batch with a value beyond the tolerance; NaN is passed on, not judged."""
    beyond = np.asarray((np.abs(values) > tolerance).any(axis=-1))
    if not beyond.any():
        return None
    return tuple(int(i) for i in np.argwhere(beyond)[0])


def listed(rows: Iterable[Row], values: Array, per: str, shown: int = 4) -> str:
    """The largest values with the names of their rows."""
    pairs = sorted(zip(rows, values, strict=True), key=lambda pair: -abs(pair[1]))[:shown]
    largest = abs(pairs[0][1])
    return ", ".join(
        f"{row.name!r} is {value:.6g}{' ' + row.unit + per if row.unit else ''}"
        for row, value in pairs
        if abs(value) > 1e-3 * largest
    )
