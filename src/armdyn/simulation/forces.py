"""Forces over time: joint torques and the tip's wrench, as numbers, tables, callables, callbacks."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from armdyn.base.advice import option
from armdyn.base.arrays import Names
from armdyn.base.checks import array, number, one_per_joint
from armdyn.base.errors import SettingError, ShapeError
from armdyn.base.fields import set_fields
from armdyn.declaration import Function
from armdyn.robot import Robot
from armdyn.simulation.drivers.grid import StepGrid
from armdyn.simulation.methods.catalogue import FixedStep, Method
from armdyn.simulation.over_time import OverTime, Scheduled
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

Index = tuple[int, ...]

ROUNDING = 1e-9
"""Tolerance of the time of a sample, in sample times, for the rounding errors of summed steps."""


class Force(Protocol):
    """A joint force or a tip wrench over time."""

    @property
    def held(self) -> bool:
        """True if the force is constant during each step."""

    @property
    def rows(self) -> int | None:
        """The number of holds of a table; None for other forces."""

    def at(self, k: int, t: float, q: Array, qd: Array) -> Array:
        """The force in hold k, at time t and that state."""

    def of(self, index: Index) -> Force:
        """The force on one state of the batch."""


@dataclass(frozen=True)
class Constant:
    """A force that is constant in time."""

    value: Array
    held = True
    rows = None

    def at(self, k: int, t: float, q: Array, qd: Array) -> Array:
        """The value."""
        return self.value

    def during(self, steps: slice) -> Array:
        """The array of a compiled loop for these steps: the value."""
        return self.value

    def at_steps(self, steps: Array) -> Array:
        """The value, for every step."""
        return self.value

    def of(self, index: Index) -> Constant:
        """The value for one state of the batch."""
        return Constant(self.value[index])


@dataclass(frozen=True)
class StepValues:
    """One value for each step, held until the next (a zero-order hold)."""

    values: Array
    held = True

    @property
    def rows(self) -> int:
        """The number of values."""
        return len(self.values)

    def at(self, k: int, t: float, q: Array, qd: Array) -> Array:
        """The value of hold k."""
        return self.values[k]  # type: ignore[no-any-return]

    def during(self, steps: slice) -> Array:
        """The array of a compiled loop for these steps: their values."""
        return self.values[steps]

    def at_steps(self, steps: Array) -> Array:
        """The values of these steps; that of the last one at the end, too."""
        return self.values[np.minimum(steps, len(self.values) - 1)]

    def of(self, index: Index) -> StepValues:
        """The values for one state of the batch."""
        at: Any = (slice(None), *index)
        return StepValues(self.values[at])


@dataclass(frozen=True)
class Law:
    """A function of time and state, called whenever the equations of motion are evaluated."""

    function: Callable[[float, Array, Array], Any]
    what: str
    shape: tuple[int, ...]
    names: Names = None
    held = False
    rows = None

    def at(self, k: int, t: float, q: Array, qd: Array) -> Array:
        """The value of the function, checked. The state it sees is read-only."""
        q.flags.writeable = qd.flags.writeable = False
        try:
            value = self.function(t, q, qd)
        except Exception as error:
            error.add_note(f"while simulate() called {self.what} at t = {t:g} s")
            raise
        if type(value) is not np.ndarray or value.dtype != np.float64 or value.shape != self.shape:
            value = self._checked(value, t)
        if not math.isfinite(np.vdot(value, value)):
            self._refuse_if_not_finite(value, t, q, qd)
        return value  # type: ignore[no-any-return]

    def of(self, index: Index) -> Law:
        """The function for one state of a batch at a time."""
        return Law(self.function, self.what, self.shape[-1:], self.names)

    def _checked(self, value: Any, t: float) -> Array:
        name = f"what {self.what} returned at t = {t:g} s"
        force = array(name, value, None, str(self.shape), missing=True, names=self.names, owner="the robot")
        if force.ndim and force.shape[-1] == self.shape[-1] and force.ndim <= len(self.shape):
            with suppress(ValueError):
                return np.broadcast_to(force, self.shape)
        raise ShapeError(f"{name} has shape {force.shape}; expected {self.shape}")

    def _refuse_if_not_finite(self, value: Array, t: float, q: Array, qd: Array) -> None:
        """Refuse NaN or infinity from finite states; in a batch only if no state has finite forces."""
        at_finite_states = value[np.isfinite(q).all(axis=-1) & np.isfinite(qd).all(axis=-1)]
        bad = ~np.isfinite(at_finite_states)
        if len(bad) and bad.any(axis=-1).all():
            k = int(bad[0].argmax())
            which = f"element {k}" if self.names is None else f"the force of joint {self.names[k]!r}"
            raise SimulationError(f"{self.what} returned {at_finite_states[0, k]} as {which} at t = {t:g} s")


@dataclass(frozen=True)
class Callback:
    """A function of time and state that runs at its own sample time: the ``torque`` or ``f_tip`` of a simulation.

    It is called at the first step that begins at or after each multiple of the sample time, in order, with the state
    there, and its value is held until the next call: so it may keep a memory, branch, and call any function. With
    "rk4" too, all stages use the held value. An adaptive method, which tries steps and rejects them, is refused.

    Args:
        function: of (t, q, qd), s, rad or m, rad/s or m/s, shape (..., n); the state is read-only.
        sample_time: s, best a multiple of the step; for others ``trajectory.notes`` has a note.

    Raises:
        SettingError: not a function, or a sample time that is not above zero.

    >>> robot = armdyn.load("planar_2r")
    >>> def bang_bang(t, q, qd):
    ...     return robot.gravity_forces(q) + np.where(qd > 0, -1.0, 1.0)
    >>> torque = armdyn.control.callback(bang_bang, sample_time=0.01)
    >>> motion = armdyn.simulate(robot, np.zeros(2), np.ones(2), duration=0.1, torque=torque, method="rk4")
    >>> bool((motion.tau[:10] == motion.tau[0]).all() and (motion.tau[10] != motion.tau[0]).any())
    True
    """

    function: Callable[[float, Array, Array], Any]
    sample_time: float

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise SettingError(f"function={self.function!r}; expected a function of (t, q, qd)")
        set_fields(self, sample_time=number("sample_time", self.sample_time, above=0.0, unit="s", error=SettingError))

    def __call__(self, t: float, q: Array, qd: Array) -> Any:
        """The value of the function."""
        return self.function(t, q, qd)

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return getattr(self.function, "__qualname__", type(self.function).__name__)


@dataclass(frozen=True)
class EndingCallback(Callback):
    """A `Callback` that may end the motion: the state in which it does so is the last that is kept.

    Args:
        has_ended: returns True if the motion ends at the time of the last call.
    """

    has_ended: Callable[[], bool]


def _never() -> bool:
    return False


@dataclass
class Sampled:
    """The law of a `Callback` during one simulation: its last value, and which sample that belongs to."""

    law: Law
    sample_time: float
    sample: int = -1
    value: Any = None
    has_ended: Callable[[], bool] = _never
    held = True
    rows = None

    def at(self, k: int, t: float, q: Array, qd: Array) -> Array:
        """The value held at time t; a new one if a sample is due."""
        due = math.floor(t / self.sample_time + ROUNDING)
        if due > self.sample:
            self.sample, self.value = due, self.law.at(k, t, q, qd).copy()
        return self.value  # type: ignore[no-any-return]

    def of(self, index: Index) -> Force:
        """Refuse single states of a batch: only adaptive methods, whose time goes back and forth, request them."""
        raise SettingError(
            f"{self.law.what} has a sample time of {self.sample_time:g} s of its own; simulate it with steps of one "
            f"length, {option('method', 'rk4')} or 'euler'"
        )


@dataclass(frozen=True)
class Forces:
    """The joint torques and, if there is one, the tip's wrench."""

    torque: Force
    f_tip: Force | None = None

    @property
    def are_known(self) -> bool:
        """True if the forces are numbers that are known beforehand, constant during each step."""
        return self.held and not self.by_callables

    @property
    def by_callables(self) -> bool:
        """True if one of the forces is a function."""
        return any(isinstance(one, Law | Sampled) for one in (self.torque, self.f_tip))

    @property
    def held(self) -> bool:
        """True if all forces are constant during each step."""
        return self.torque.held and (self.f_tip is None or self.f_tip.held)

    def check(self, duration: float) -> None:
        """Refuse a simulation that lasts longer than the forces are known."""
        for name, force in (("torque", self.torque), ("f_tip", self.f_tip)):
            if isinstance(force, Scheduled):
                force.check(name, duration)

    def edges(self, duration: float) -> Array:
        """The times from 0 to the duration between which all forces are smooth.

        Raises:
            ShapeError: a table of equal holds together with a force with times of its own.
        """
        own = [f.times for f in (self.torque, self.f_tip) if isinstance(f, Scheduled)]
        if own and self.rows is not None:
            raise ShapeError("of torque and f_tip one is a table and the other an OverTime; give both the same way")
        if not own:
            return np.linspace(0.0, duration, self.rows + 1) if self.rows else np.array([0.0, duration])
        inside = np.concatenate(own)
        return np.unique([0.0, *inside[(inside > 0.0) & (inside < duration)], duration])

    @property
    def jump(self) -> bool:
        """True if the forces may jump at the edges."""
        both = (self.torque, self.f_tip)
        return self.rows is not None or any(isinstance(f, Scheduled | Sampled) and f.held for f in both)

    @property
    def sampled(self) -> bool:
        """True if one of the forces is a function with a sample time of its own."""
        return any(isinstance(one, Sampled) for one in (self.torque, self.f_tip))

    def unknown(self, dof: int) -> Forces:
        """NaN for the forces on one state, in the place of forces that cannot be computed."""
        return Forces(Constant(np.full(dof, np.nan)), None if self.f_tip is None else Constant(np.full(6, np.nan)))

    @property
    def ended(self) -> bool:
        """True if one of the forces ends the motion at the time of its last evaluation."""
        return any(isinstance(one, Sampled) and one.has_ended() for one in (self.torque, self.f_tip))

    def samples_between_steps(self, method: Method, duration: float) -> Iterator[str]:
        """That functions and held values do not act at times of their own, for no step begins there."""
        if not isinstance(method, FixedStep):
            return
        step = method.step
        for name, one in (("torque", self.torque), ("f_tip", self.f_tip)):
            if isinstance(one, Scheduled) and (late := one.begins_late(name, StepGrid(duration, step))):
                yield late
            if not isinstance(one, Sampled):
                continue
            ratio = one.sample_time / step
            if abs(ratio - max(round(ratio), 1)) > ROUNDING * ratio:
                when = "once a step" if ratio < 1.0 else "when the first step begins after each multiple of it"
                yield (
                    f"{one.law.what} has a sample time of {one.sample_time:g} s, which is no multiple of the step of "
                    f"{step:g} s: it is asked {when}"
                )

    def in_step(self, k: int, t: float, q: Array, qd: Array) -> Forces:
        """The forces in the step that begins now: functions with a sample time by the value they hold in it."""
        both = {name: f for name, f in vars(self).items() if isinstance(f, Sampled)}
        return replace(self, **{name: Constant(f.at(k, t, q, qd)) for name, f in both.items()}) if both else self

    def between(self, begin: float, end: float) -> Forces:
        """The forces for times between two edges, at the second by their values before it."""
        return self._changed(lambda force: force.between(begin, end))

    def on_grid(self, grid: StepGrid) -> Forces:
        """The forces for steps of one length: held forces become tables with one row per step.

        Raises:
            ShapeError: a table whose rows are not one for each step.
        """
        if self.rows not in (None, grid.steps):
            tables = " and ".join(name for name in ("torque", "f_tip") if isinstance(getattr(self, name), StepValues))
            raise ShapeError(
                f"{tables} is a table of {self.rows} rows; expected {grid.steps}, one for each step of "
                f"{grid.step:g} s in {grid.duration:g} s"
            )
        return self._changed(lambda force: StepValues(force.at_begins(grid)) if force.held else force)

    def _changed(self, change: Callable[[Scheduled], Force]) -> Forces:
        own = {name: f for name, f in vars(self).items() if isinstance(f, Scheduled)}
        return replace(self, **{name: change(force) for name, force in own.items()}) if own else self

    @property
    def rows(self) -> int | None:
        """The number of holds of the tables; None if there is no table."""
        rows = {f.rows for f in (self.torque, self.f_tip) if f is not None and f.rows is not None}
        if len(rows) > 1:
            counts = " and ".join(map(str, sorted(rows)))
            raise ShapeError(f"the tables of torque and f_tip have {counts} rows; give both the same")
        return rows.pop() if rows else None

    def at(self, k: int, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        """(tau,) or (tau, f_tip): the arguments of the compiled functions after the state."""
        tau = self.torque.at(k, t, q, qd)
        return (tau,) if self.f_tip is None else (tau, self.f_tip.at(k, t, q, qd))

    def held_at(self, k: int, t: float, q: Array, qd: Array) -> tuple[Array | None, ...]:
        """The values of the forces that are held during a step; None of others, which are not called."""
        both = [self.torque] if self.f_tip is None else [self.torque, self.f_tip]
        return tuple(one.at(k, t, q, qd) if one.held else None for one in both)

    def of(self, index: Index) -> Forces:
        """The force on one state of the batch."""
        return Forces(self.torque.of(index), None if self.f_tip is None else self.f_tip.of(index))


def prepared_forces(robot: Robot, batch: tuple[int, ...], torque: Any, f_tip: Any) -> Forces:
    """The forces that the arguments of `simulate` describe, for states of shape (*batch, n)."""
    if torque is None:
        tau: Force = Constant(np.zeros((*batch, robot.dof)))
    else:
        tau = prepared("torque", torque, batch, robot.dof, one_per_joint(robot), robot.joint_names)
    if f_tip is None:
        return Forces(tau)
    if robot.tip is None:
        robot.model.frame()  # raises: the robot has no single tip
    return Forces(tau, prepared("f_tip", f_tip, batch, 6, "a wrench (moment, force)"))


def _refuse_other_arguments(name: str, law: Callable[..., Any]) -> None:
    """Raise for a callable that does not take (t, q, qd)."""
    declared = law.func if isinstance(law, partial) else law
    if isinstance(declared, Function):
        raise SettingError(
            f"{name}={declared.name} is a function of (model, ...), a declared controller; expected "
            f"controller=functools.partial({declared.name}, ...), with its inputs by name"
        )
    try:
        inspect.signature(law).bind(0.0, np.zeros(1), np.zeros(1))
    except ValueError:  # the callable has no signature
        return
    except TypeError as error:
        name_of_law = getattr(law, "__qualname__", type(law).__name__)
        raise SettingError(f"{name}={name_of_law} cannot be called as {name}(t, q, qd): {error}") from None


def prepared(name: str, value: Any, batch: tuple[int, ...], size: int, meaning: str, names: Names = None) -> Force:
    """A callable is a law; an array with one axis more than the state is a table; any other is constant."""
    shape = (*batch, size)
    if isinstance(value, Callback):
        law = Law(value.function, f"{name} {value.name}()", shape, names)
        ends = value.has_ended if isinstance(value, EndingCallback) else _never
        return Sampled(law, value.sample_time, has_ended=ends)
    if isinstance(value, OverTime):
        return Scheduled.of_argument(name, value, shape, names)
    if callable(value):
        _refuse_other_arguments(name, value)
        return Law(value, f"{name} {getattr(value, '__qualname__', type(value).__name__)}()", shape, names)
    words = ", ".join(map(str, shape))
    constant = f"({size},) or ({words}) constant" if batch else f"({size},) constant"
    expected = f"{constant}, (steps, {words}) over time, or a callable; {meaning}"
    numbers = array(name, value, None, expected, names=names, owner="the robot", finite=SettingError)
    over_time = numbers.ndim == len(shape) + 1 and len(numbers) > 0
    target = (len(numbers), *shape) if over_time else shape
    if numbers.ndim == 0 or numbers.shape[-1] != size or numbers.ndim > len(target):
        raise ShapeError(f"{name} has shape {numbers.shape}; expected {expected}")
    try:
        numbers = np.ascontiguousarray(np.broadcast_to(numbers, target))
    except ValueError:
        raise ShapeError(
            f"{name} has shape {numbers.shape}; expected {expected}. "
            f"Values over time that all states share have shape (steps, {', '.join('1' for _ in batch)}, {size})"
        ) from None
    return StepValues(numbers) if over_time else Constant(numbers)
