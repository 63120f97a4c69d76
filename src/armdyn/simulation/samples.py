"""The states that a simulation keeps while it runs; rows that are not reached stay NaN."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import parted, stacked
from armdyn.base.checks import refuse_class
from armdyn.base.errors import SettingError, excerpt
from armdyn.base.progress import Report
from armdyn.motion.dense import Dense
from armdyn.motion.labels import Label
from armdyn.motion.motion_data import Occurrence
from armdyn.simulation.drivers.grid import SaveAt, refuse_more_than_memory
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

ELEMENTS = "element_states"
"""Name of the signal with the states of elements."""


def checked_save(save: Any) -> SaveAt:
    """The times to save at, all by default."""
    if save is None:
        return SaveAt()
    refuse_class("save", save, (SaveAt,))
    if not isinstance(save, SaveAt):
        raise SettingError(
            f"save={excerpt(save)}; expected armdyn.simulation.SaveAt(every=0.01), s, or SaveAt(times=...)"
        )
    return save


@dataclass
class Effort:
    """Numbers of steps and of evaluations of the equations of motion so far."""

    steps: int = 0
    evaluations: int = 0


@dataclass
class Samples:
    """Times (T,), and state, work and forces at each, (T, ..., n) or (T, ...); ``count`` of them are filled.

    Args:
        t: times, s.
        q: joint positions; ``qd`` and ``qdd`` their rates, the latter if the integration itself computes them.
        work: of all forces, J.
        forces: tau, and the wrench of the tip if there is one.
        count: the number of rows that are filled.
        effort: numbers of steps and of evaluations.
        memory: of a method that has one (`armdyn.simulation.methods.formulas.Scheme`), at the end.
        notes: sentences about the integration.
        dense: the interpolants of each state of the batch, if requested.
        events: those that occurred.
        push: forces of stops and contacts; ``friction`` is that of all coordinates.
        signals: by name, e.g. of rotors and of forces of stops.
        bristles: bristle deflection, (T, ..., k), for friction with a state.
        labels: names and units of values of signals.
        lost: a text on states that diverged to NaN or infinity, if more steps were made than are kept.
        shares_times: true if the times are those of a whole batch.
        alone: the index of the state that is integrated, if those of a batch are integrated one after the other.
        places: of flexible joints, whose rotors are among the signals.
    """

    t: Array
    q: Array
    qd: Array
    work: Array
    forces: tuple[Array, ...]
    count: int = 0
    effort: Effort = field(default_factory=Effort)
    memory: dict[str, Array] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    dense: dict[tuple[int, ...], Dense] = field(default_factory=dict)
    events: list[Occurrence] = field(default_factory=list)
    qdd: Array | None = None
    push: Array = field(default_factory=lambda: np.zeros(0))
    friction: Array = field(default_factory=lambda: np.zeros(0))
    signals: dict[str, Array] = field(default_factory=dict)
    bristles: Array | None = None
    labels: dict[str, tuple[Label, ...]] = field(default_factory=dict)
    lost: str = ""
    shares_times: bool = False
    alone: int | None = None
    places: tuple[int, ...] = ()

    @classmethod
    def empty(
        cls, t: Array, batch: tuple[int, ...], dof: int, *, with_f_tip: bool, bristles: int | None = None
    ) -> Samples:
        """Empty samples for one state per time, with bristle states if the motion has them."""
        sizes = (dof, dof, dof, 6) if with_f_tip else (dof, dof, dof)
        # q, qd, tau and f_tip; qdd, work and the energies follow from them
        refuse_more_than_memory(8.0 * len(t) * np.prod(batch, dtype=float) * (sum(sizes) + dof + 5 + (bristles or 0)))
        q, qd, *forces = (np.full((len(t), *batch, size), np.nan) for size in sizes)
        bristle_rows = None if bristles is None else np.full((len(t), *batch, bristles), np.nan)
        return cls(t, q, qd, np.full((len(t), *batch), np.nan), tuple(forces), bristles=bristle_rows)

    def record(self, state: tuple[Any, ...], forces: tuple[Array, ...]) -> None:
        """Keep the next state, (x, v, W), bristles and states of elements, and the forces there, as far as given."""
        row, (x, v, self.work[self.count]) = self.count, state[:3]
        if self.places:
            (x, self.signals["theta"][row]), (v, self.signals["thetad"][row]) = (
                parted(of_all, self.q.shape[-1], self.places) for of_all in (x, v)
            )
        self.q[row], self.qd[row] = x, v
        if self.bristles is not None:
            self.bristles[row] = state[3]
        if ELEMENTS in self.signals:
            self.signals[ELEMENTS][row] = state[4]
        for rows, value in zip(self.forces, forces, strict=False):
            rows[row] = value
        self.count = row + 1

    def add_forces(self, stops: int, contacts: int, coordinates: int) -> None:
        """Add room for accelerations, the forces of stops and contacts, and the friction of coordinates."""
        shapes = (self.q.shape[-1], stops + contacts, coordinates)
        self.qdd, self.push, self.friction = (np.full((*self.q.shape[:-1], size), np.nan) for size in shapes)
        pushes = {"stop_force": self.push[..., :stops], "contact_force": self.push[..., stops:]}
        self.signals |= {name: values for name, values in pushes.items() if values.shape[-1]}

    def keep_forces(self, rows: Any, qdd: Array, push: Array, friction: Array) -> None:
        """Keep accelerations of joints, forces of stops and contacts, and the friction of coordinates."""
        assert self.qdd is not None  # noqa: S101 - of `add_forces`
        self.qdd[rows], self.push[rows], self.friction[rows] = qdd, push, friction

    def repeat(self, last: int) -> None:
        """Fill the rows after the latest one, before ``last``, with its state and forces."""
        arrays = (self.q, self.qd, self.work, *self.forces, self.qdd, self.push, self.friction, *self.signals.values())
        for array in arrays:
            if array is not None:
                array[self.count : last] = array[self.count - 1]
        self.count = last

    def add_frictions(self) -> None:
        """Make the friction at joints, and at rotors on springs if there are some, (T, ..., n), signals."""
        if not self.places:
            self.signals["friction"] = self.friction
            return
        dof, of_rotors = self.q.shape[-1], np.zeros(self.q.shape)
        of_rotors[..., list(self.places)] = self.friction[..., dof:]
        of_rotors[np.isnan(self.qdd)] = np.nan  # type: ignore[arg-type]
        self.signals |= {"friction": self.friction[..., :dof], "rotor_friction": of_rotors}

    def state(self, row: int) -> tuple[Any, ...]:
        """A state that was kept: (x, v, W), and bristles if there are some."""
        q, qd = self.q[row], self.qd[row]
        if self.places:
            q, qd = (
                stacked(q, self.signals["theta"][row], self.places),
                stacked(qd, self.signals["thetad"][row], self.places),
            )
        return q, qd, self.work[row], *(() if self.bristles is None else (self.bristles[row],))

    def states(self, rows: slice) -> Array:
        """z of some rows: bristles and, after them, states of elements, (rows, ..., z)."""
        parts = [one[rows] for one in (self.bristles, self.signals.get(ELEMENTS)) if one is not None]
        z: Array = np.concatenate(parts, axis=-1)
        return z

    def make_last_row(self, t: float) -> bool:
        """Add a row for the time t, s, at which a motion ends; returns False if none was added.

        No row is added if that state is kept already, nor in a batch, in which others go on, except at the times that
        are to be kept, e.g. the start.
        """
        if self.count and self.t[self.count - 1] >= t:
            return False
        if self.shares_times:
            return bool(self.t[self.count] == t)
        self.t[self.count] = t
        return True

    def keep_end(self, t: float, record: Callable[[], None], forget_forces: Callable[[], None]) -> None:
        """Keep the state at which a motion ends by ``record``; without forces if these cannot be computed there."""
        if self.make_last_row(t):
            try:
                record()
            except Exception:  # a function of the user may fail here too
                forget_forces()
                record()

    def of(self, index: tuple[int, ...]) -> Samples:
        """The room of one state of the batch, shared with this one."""
        at: Any = (slice(None), *index)
        forces = tuple(f[at] for f in self.forces)
        bristle_rows = None if self.bristles is None else self.bristles[at]
        own: dict[str, Any] = {"effort": self.effort, "bristles": bristle_rows, "shares_times": bool(index)}
        names = [*(("theta", "thetad") if self.places else ()), *((ELEMENTS,) if ELEMENTS in self.signals else ())]
        own |= {"places": self.places, "signals": {name: self.signals[name][at] for name in names}}
        if self.qdd is not None:
            own |= {"qdd": self.qdd[at], "push": self.push[at], "friction": self.friction[at]}
        return Samples(self.t, self.q[at], self.qd[at], self.work[at], forces, **own)

    def one_by_one(
        self,
        alone: Callable[[tuple[int, ...], Samples], Generator[float]],
        report: Report,
        some: Sequence[tuple[int, ...]] | None = None,
    ) -> None:
        """Integrate each state of the batch on its own, into its part of these samples.

        A state that cannot be continued keeps NaN from there on, unless none of them can. However this ends, ``count``
        is the count of the state that came furthest, and ``alone`` the place of the last one.

        Args:
            alone: integrates the state at a place of the batch, fills its samples, yields the fraction that is done.
            report: called with the fraction that is done.
            some: the states that are integrated, the others being integrated already; all by default.

        Raises:
            SimulationError: that of the first state, if none could be continued.
        """
        states, failures = list(np.ndindex(self.q.shape[1:-1])), list[SimulationError]()
        for place, index in enumerate(states if some is None else some):
            own, self.alone = self.of(index), place
            try:
                with closing(alone(index, own)) as parts:
                    for part in parts:
                        report((place + part) / len(states))
            except SimulationError as error:
                failures.append(error)
            finally:
                self.count = max(self.count, own.count)
        if failures and len(failures) == len(states):
            raise failures[0]

    def kept(self) -> Samples:
        """The samples that are filled, as arrays of their own."""
        to = slice(self.count)
        return replace(
            self,
            t=self.t[to],
            q=self.q[to],
            qd=self.qd[to],
            work=self.work[to],
            forces=tuple(f[to] for f in self.forces),
            qdd=None if self.qdd is None else self.qdd[to],
            signals={name: values[to] for name, values in self.signals.items()},
            bristles=None if self.bristles is None else self.bristles[to],
        )
