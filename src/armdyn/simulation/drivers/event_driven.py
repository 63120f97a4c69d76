"""Event-driven integration, state by state: smooth segments between events of stops, contacts and joints that stick."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from copy import copy
from functools import cache
from typing import Any

import numpy as np

from armdyn.simulation.drivers import compiled_dry
from armdyn.simulation.drivers.chattering import Stretch
from armdyn.simulation.drivers.one_by_one import one_by_one_through_chattering
from armdyn.simulation.drivers.room import Room
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.drivers.state_on_springs import FlexibleInMotion
from armdyn.simulation.elements.brakes import BrakesInMotion
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.elements.events import Watched
from armdyn.simulation.elements.happenings import Happenings
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.errors import SettingError
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.methods.catalogue import FixedStep, Method
from armdyn.simulation.progress import Report
from armdyn.simulation.results.motion_data import Occurrence
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.pushing import Pushing
from armdyn.simulation.system.pushing_on_springs import FlexiblePushing
from armdyn.simulation.system.pushing_under_load import pushing_of


def integrate(problem: Problem, report: Report) -> None:
    """Integrate each state of the batch to the duration or a terminal event, and fill the samples."""
    system, method, forces, batch, samples = (
        problem.system,
        problem.method,
        problem.forces,
        problem.batch,
        problem.samples,
    )
    happenings = problem.happenings or Happenings((), None, (), DryJoints.of(system.bare))
    if happenings.only_dry and compiled_dry.has_loop(problem, happenings.dry):
        compiled_dry.integrate(problem, report, happenings.dry)
        return
    watched = [one for event in happenings.events for one in event.watched(system.robot)]
    if batch:
        refuse_in_batches(method, forces, watched)
    if system.places:
        pushing: Pushing = FlexiblePushing(system.bare, happenings.stops, happenings.contacts)
    else:
        barriers = Barriers(system.bare, happenings.stops, happenings.contacts)
        pushing = pushing_of(system.bare, barriers, happenings.dry, problem.redundant)
    brakes = happenings.brakes
    room = Room.of(samples, len(pushing.barriers), system.size)
    samples.qdd, samples.labels = room.qdd, pushing.barriers.labels()
    rubs = len(pushing.dry) > 0 or brakes is not None or (system.carries and bool(system.places))
    samples.signals |= room.signals(pushing.barriers.stops)
    braked = cache(lambda engaged: pushing.of(brakes.braked(engaged)))  # type: ignore[union-attr]
    if problem.dense_output:
        samples.dense = {index: problem.interpolant() for index in np.ndindex(batch)}
    names = system.names_of_forces if system.places else system.names_of_friction
    kind: Any = FlexibleInMotion if system.places else StateInMotion
    chattered: list[Stretch] = []

    def alone(index: Index, own: Samples) -> Generator[float]:
        acting = forces if isinstance(method, FixedStep) and not batch else forces.of(index)
        motion: StateInMotion = kind(
            problem, copy(pushing), acting, own, room.at(index), watched, samples.dense.get(index)
        )
        if brakes is not None:
            motion.brakes = BrakesInMotion.of(brakes, lambda engaged: copy(braked(engaged)))
        try:
            yield from motion.run(*(each[index] for each in problem.start))
        finally:
            samples.events += [Occurrence(*each, index) for each in motion.occurred]
            chattered.extend(motion.chattered)

    try:
        one_by_one_through_chattering(samples, alone, report, method, chattered, names)
    finally:
        samples.notes += notes_on_impacts(samples.events)
        if rubs:
            samples.signals |= room.frictions(system.dof, system.places)


def refuse_in_batches(method: Method, forces: Forces, watched: Sequence[Watched]) -> None:
    """Refuse methods, forces and events that are for a single state, in a batch."""
    if any(one.terminal for one in watched):
        raise SettingError("a terminal event ends the simulation, of a single state; simulate the states one by one")
    if forces.sampled and isinstance(method, FixedStep):
        raise SettingError(
            "a function with a sample time of its own acts on a single state where events, stops, contacts or dry "
            "friction make the states of a batch advance one after the other; simulate them one by one"
        )


def notes_on_impacts(events: Sequence[Occurrence]) -> list[str]:
    """A sentence on the energy that impacts dissipated, if there were any."""
    impacts = sum(one.kind == "impact" for one in events)
    took = sum(one.energy for one in events)
    several = "impact" if impacts == 1 else "impacts"
    said = f"{impacts} {several} took {took:.6g} J, which is counted as work done on the arm"
    return [said] if impacts else []
