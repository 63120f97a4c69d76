"""States of a robot as numeric functions take them: arrays of one batch, and rows and joints by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import as_plain
from armdyn.constraints.errors import ContradictingConstraints, InconsistentMotion, OpenLoop, SingularState
from armdyn.errors import ArmdynError, ModelError, ShapeError, UnknownName, shown
from armdyn.model.constraints import Row
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array

CLOSED = 1e-6
"""How far from closed, m or rad, and how fast against the constraints, m/s or rad/s, a state may be.

Rows of functions of the caller's, which have no unit, are measured by `row_sizes`.
"""

NEAR, VANISHED = 0.1, 1e-4
"""How far beside a state gradients are looked at, rad or m, and which part of them counts as none."""


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
    def mechanism(self) -> Mechanism: ...  # noqa: D102
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
    def _constrained_inverse_dynamics(self) -> Callable[..., Any]: ...
    @property
    def _constrained_forward_dynamics(self) -> Callable[..., Any]: ...
    @property
    def _hybrid_forces(self) -> Callable[..., Any]: ...
    @property
    def _force_projection(self) -> Callable[..., Any]: ...
    @property
    def _acceleration_projection(self) -> Callable[..., Any]: ...
    @property
    def _independence(self) -> Callable[..., Any]: ...


def holonomic(robot: ConstrainedRobot) -> Array:
    """Which rows are equations for positions, shape (constraints,)."""
    return np.array([row.holonomic for row in robot.constraint_rows], dtype=bool)


def per_joint(robot: ConstrainedRobot, **values: Any) -> list[Array]:
    """Arrays of shape (..., n), broadcast to one batch, as float64."""
    arrays = []
    for name, value in values.items():
        try:
            plain = as_plain(name, value, (robot.joint_names,), repr(robot.name))
            array = np.asarray(plain, dtype=float)
        except ArmdynError:
            raise
        except (TypeError, ValueError, OverflowError):
            raise ShapeError(
                f"{name} is {shown(value)}; expected numbers, one value per joint of {robot.name!r}"
            ) from None
        if array.ndim == 0 or array.shape[-1] != robot.dof:
            raise ShapeError(
                f"{name} has shape {array.shape}; expected (..., {robot.dof}), one value per joint of {robot.name!r}: "
                f"{' '.join(robot.joint_names)}"
            )
        arrays.append(array)
    try:
        return [np.array(array) for array in np.broadcast_arrays(*arrays)]
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape[:-1]}" for name, a in zip(values, arrays, strict=True))
        raise ShapeError(f"the batches of the arguments do not broadcast together: {shapes}") from None


def multipliers_of(robot: ConstrainedRobot, multipliers: ArrayLike) -> Array:
    """Multipliers, one for each row, as float64."""
    lam = np.asarray(as_plain("multipliers", multipliers), dtype=float)
    rows = robot.constraint_rows
    if lam.shape[-1:] != (len(rows),):
        names = ", ".join(row.name for row in rows)
        raise ShapeError(f"multipliers have shape {lam.shape}; expected (..., {len(rows)}), one for each of {names}")
    return lam


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


def row_sizes(rows: Sequence[Row], A: Array, near: Array) -> Array:
    """What the values of rows are divided by before they are judged, shape (..., rows).

    1 for rows in m or rad. A row without a unit is a function of the caller's, any multiple of which says the same: it
    is measured by its gradient, so that phi_i / |A_i| is the least motion of the joints, rad or m, that makes it zero
    to first order. Where the gradient vanishes, as on a stretched arm, a part of that ``near`` the state stands in for
    it, lest rounding be divided by rounding; where that vanishes too, 1.
    """
    has_unit = np.array([bool(row.unit) for row in rows], dtype=bool)
    gradient = np.fmax(np.linalg.norm(A, axis=-1), VANISHED * near)
    return np.where(~has_unit & np.isfinite(gradient) & (gradient > 0.0), gradient, 1.0)


def gradients_near(robot: ConstrainedRobot, q: Array) -> Array:
    """The greatest |A_i| at two states beside q, the same at every call, shape (..., constraints)."""
    asides = NEAR * np.random.default_rng(1).uniform(-1.0, 1.0, (2, robot.dof))
    lengths = np.linalg.norm([np.asarray(robot.constraint_jacobian(q + aside)) for aside in asides], axis=-1)
    greatest: Array = np.where(np.isfinite(lengths), lengths, 0.0).max(axis=0)
    return greatest


def sizes_at(robot: ConstrainedRobot, q: Array, *, holonomic_only: bool = False) -> Array:
    """`row_sizes` at states; A is evaluated where a row has no unit alone."""
    kept: Array = holonomic(robot) if holonomic_only else np.ones(len(robot.constraint_rows), dtype=bool)
    rows = [row for row, keep in zip(robot.constraint_rows, kept, strict=True) if keep]
    if all(row.unit for row in rows):
        return np.ones(len(rows))
    A = np.asarray(robot.constraint_jacobian(q))[..., kept, :]
    return row_sizes(rows, A, gradients_near(robot, q)[..., kept])


def check_closed(robot: ConstrainedRobot, q: Array, tolerance: float) -> None:
    """Raise an `OpenLoop` where phi(q) is not zero, with by how much and where; states with NaN are passed on."""
    rows = [row for row in robot.constraint_rows if row.holonomic]
    if not rows:
        return
    phi = np.asarray(robot.constraint_error(q))
    size = np.broadcast_to(sizes_at(robot, q, holonomic_only=True), phi.shape)
    worst = _first_beyond(phi / size, tolerance, _numbers(q))
    if worst is None:
        return
    left = (
        f"the constraints of {robot.name!r} do not hold at q{state_name(worst)}: "
        f"{listed(rows, phi[worst], '', size[worst])}, more than the tolerance of {tolerance:g}. "
    )
    from armdyn.constraints.closing import close_loop  # noqa: PLC0415 - it is made of this module

    try:
        close_loop(robot, q[worst])
    except ContradictingConstraints as why:
        raise ContradictingConstraints(left + f"No q is near at which they do: {why}") from None
    except OpenLoop:
        raise OpenLoop(left + "robot.close_loop, from a guess nearer to a closed state, finds a q where they do, if "
                       "there is one; from this q it finds none.") from None  # fmt: skip
    raise OpenLoop(left + "robot.close_loop(q) finds a q where they do.")


def check_velocities(robot: ConstrainedRobot, q: Array, qd: Array, tolerance: float) -> None:
    """Raise an `InconsistentMotion` where A qd is not zero."""
    against = np.asarray(robot.constraint_velocity(q, qd))
    size = np.broadcast_to(sizes_at(robot, q), against.shape)
    speed = np.maximum(1.0, np.abs(qd).max(axis=-1, keepdims=True))
    worst = _first_beyond(against / size / speed, tolerance, _numbers(q) & _numbers(qd))
    if worst is not None:
        raise InconsistentMotion(
            f"the velocities qd{state_name(worst)} leave the constraints of {robot.name!r}: A qd is "
            f"{listed(robot.constraint_rows, against[worst], '/s', size[worst])}. robot.close_velocities(q, qd) has "
            "the nearest that they allow."
        )


def check_gradients(robot: ConstrainedRobot, A: Array, states: Sequence[tuple[int, ...]]) -> None:
    """Raise a `SingularState` where rows of A, shape (states, constraints, n), are no numbers."""
    bad = ~_numbers(A)
    if bad.any():
        first = int(np.flatnonzero(bad.any(axis=-1))[0])
        names = [repr(row.name) for row, is_bad in zip(robot.constraint_rows, bad[first], strict=True) if is_bad]
        raise SingularState(
            f"constraint{'s' if len(names) > 1 else ''} {', '.join(names)} of {robot.name!r} "
            f"{'have' if len(names) > 1 else 'has'} no gradient at q{state_name(states[first])}: {NO_GRADIENT}. Choose "
            "another state."
        )


NO_GRADIENT = "a distance has none where its two points coincide, nor rotations where the frames are half a turn apart"
"""Where A is no number, for messages."""


def _numbers(values: Array) -> Array:
    return np.asarray(np.isfinite(values).all(axis=-1))


def _first_beyond(values: Array, tolerance: float, judged: Array) -> tuple[int, ...] | None:
    """The first of the states that are judged with a value that is none or beyond the tolerance."""
    beyond = np.asarray(~(np.abs(values) <= tolerance).all(axis=-1) & judged)
    if not beyond.any():
        return None
    return tuple(int(i) for i in np.argwhere(beyond)[0])


def listed(rows: Iterable[Row], values: Array, per: str, size: Array | None = None, shown: int = 4) -> str:
    """The largest values, as ``size`` measures them, with the names of their rows."""
    sizes = np.ones(len(values)) if size is None else size
    measured = np.where(np.isnan(values), np.inf, np.abs(values / sizes))
    of_row = sorted(zip(rows, values, sizes, measured, strict=True), key=lambda one: -one[3])[:shown]
    return ", ".join(
        _value(row, value, one, per)
        for row, value, one, much in of_row
        if much > 1e-3 * measured.max() or much == np.inf
    )


def _value(row: Row, value: float, size: float, per: str) -> str:
    if row.unit:
        return f"{row.name!r} is {value:.6g} {row.unit}{per}"
    by_gradient = "" if size == 1.0 else f", which is {value / size:.6g} by its gradient, rad or m of the joints{per}"
    return f"{row.name!r} is {value:.6g}{by_gradient}"
