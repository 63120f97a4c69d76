"""Event-driven integration, state by state: smooth segments between events of stops, contacts and joints that stick."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from copy import copy
from functools import cache, partial

import numpy as np

from armdyn.base.errors import SettingError
from armdyn.base.progress import Report
from armdyn.motion.dense import Dense
from armdyn.motion.motion_data import Occurrence
from armdyn.simulation.drivers import side_by_side, sticking_side_by_side
from armdyn.simulation.drivers.chattering import Stretch, note_on
from armdyn.simulation.drivers.compiled_segments import Segments
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.events import refuse_terminal
from armdyn.simulation.elements.events_in_motion import (
    BacklashInMotion,
    BrakesInMotion,
    EventsInMotion,
    KinksInMotion,
    LoadKinks,
)
from armdyn.simulation.elements.springs import ends_of
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.samples import Samples
from armdyn.simulation.system.bounded_rows import BoundedRows, rows_of_joints
from armdyn.simulation.system.problem import EventSources, Problem

Start = Callable[[Forces, Samples, Dense | None], StateInMotion]
"""The motion of one state of the batch, under its forces, with room for its samples and interpolants."""


def integrate(problem: Problem, report: Report) -> None:
    """Integrate each state of the batch to the duration or a terminal event, and fill the samples.

    All states side by side in a compiled loop if there is one, the others one after the other.
    """
    if has_modes(problem) or problem.system.own_states > 0:
        _with_modes(problem, report)
        return
    states = side_by_side.Run(problem, report).integrate() if side_by_side.has_loop(problem) else None
    _each(problem, report, partial(StateInMotion, problem), states)


def has_modes(problem: Problem) -> bool:
    """True if located functions may change the equations of a motion, or are events of it."""
    system = problem.system
    kinks = system.carries or bool(system.robot.model.constraints) or bool(ends_of(system.robot))
    return problem.sources is not None or (bool(system.places) and kinks)


def _with_modes(problem: Problem, report: Report) -> None:
    """Motions whose barriers, joints or events are located."""
    system, samples, batch = problem.system, problem.samples, problem.batch
    sources = problem.sources or EventSources(dry=False)
    watched = [one for event in sources.events for one in event.watched(system.robot)]
    refuse_terminal(watched, batch)
    if batch:
        refuse_in_batches(problem.method, problem.forces)
    rows = _rows_of(problem, sources)
    brakes, ends = sources.brakes, ends_of(system.bare)
    samples.add_forces(rows.barriers.stops, rows.barriers.contacts, system.size)
    samples.labels = rows.barriers.labels()
    braked = cache(lambda engaged: rows.of(brakes.braked(engaged)))  # type: ignore[union-attr]

    def start(forces: Forces, own: Samples, dense: Dense | None) -> StateInMotion:
        motion = StateInMotion(problem, forces, own, dense)
        modes = ContactModes(motion, copy(rows))
        if ends:
            motion.located.append(BacklashInMotion(modes, ends))
        motion.add_modes(modes)
        if brakes is not None:
            motion.located.append(BrakesInMotion(modes, brakes, lambda engaged: copy(braked(engaged))))
        if rows.kinks:
            motion.located.append(LoadKinks(modes))
        if sources.kinks is not None:
            motion.located.append(KinksInMotion(motion, sources.kinks))
        motion.events = EventsInMotion(motion, watched)
        motion.segments = Segments.of(problem, motion)
        return motion

    states: list[Index] | None = None
    without_modes = not has_modes(problem) and side_by_side.has_loop(problem)
    try:
        if sources.only_dry and sticking_side_by_side.has_loop(problem, rows.dry):
            states = sticking_side_by_side.StickingRun(problem, report, rows).integrate()
        elif without_modes:
            states = side_by_side.Run(problem, report).integrate()
        _each(problem, report, start, states)
    finally:
        samples.qdd = None if without_modes else samples.qdd  # computed when it is first read
        samples.notes += notes_on_impacts(samples.events)
        if len(rows.dry) > 0 or brakes is not None or (system.carries and bool(system.places)):
            samples.add_frictions()


def _rows_of(problem: Problem, sources: EventSources) -> BoundedRows:
    """The equations of motion with rows of stops, contacts and dry joints; the robot keeps those of joints alone."""
    around = sources.stops, sources.contacts
    if any(around):
        return BoundedRows(problem.system.bare, *around, problem.redundant)
    return rows_of_joints(problem.system.bare, problem.redundant)


def _each(problem: Problem, report: Report, start: Start, states: Sequence[Index] | None = None) -> None:
    """Integrate states one by one, all by default; then, however this ends, sort the events, and note chattering."""
    if states is not None and not states:
        return
    samples, method, forces, stretches = problem.samples, problem.method, problem.forces, list[Stretch]()
    if problem.dense_output:
        which = np.ndindex(problem.batch) if states is None else states
        samples.dense |= {index: problem.interpolant() for index in which}

    def alone(index: Index, own: Samples) -> Generator[float]:
        acting = forces if isinstance(method, FixedStep) and not problem.batch else forces.of(index)
        motion = start(acting, own, samples.dense.get(index))
        try:
            yield from motion.run(*(each[index] for each in problem.start))
        finally:
            samples.events += [Occurrence(*each, index) for each in motion.occurred]
            stretches.extend(motion.chattering.stretches if motion.chattering is not None else ())

    try:
        samples.one_by_one(alone, report, states)
    finally:
        samples.events.sort(key=lambda one: one.t)
        if stretches and isinstance(method, Adaptive) and method.chattering_step is not None:
            samples.notes.append(note_on(stretches, method.chattering_step))


def refuse_in_batches(method: Method, forces: Forces) -> None:
    """Refuse forces that are for a single state, in a batch."""
    if forces.sampled and isinstance(method, FixedStep):
        raise SettingError(
            "a function with a sample time of its own acts on a single state if events, stops, contacts or dry "
            "friction make the states of a batch advance one after the other; simulate them one by one"
        )


def notes_on_impacts(events: Sequence[Occurrence]) -> list[str]:
    """A sentence on the energy that impacts dissipated, if there were any."""
    impacts = sum(one.kind == "impact" for one in events)
    took = sum(one.energy for one in events)
    several = "impact" if impacts == 1 else "impacts"
    note = f"{impacts} {several} took {took:.6g} J, which is counted as work done on the arm"
    return [note] if impacts else []
