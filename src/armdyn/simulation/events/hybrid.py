"""Motions with events, state by state: smooth pieces between what happens at stops, contacts and joints that stick."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import cache

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.drift import Corrector
from armdyn.simulation.errors import SettingError
from armdyn.simulation.events.brakes_in_motion import BrakesInMotion
from armdyn.simulation.events.happenings import Happenings
from armdyn.simulation.events.located import Watched
from armdyn.simulation.events.room import Room
from armdyn.simulation.events.state_in_motion import StateInMotion
from armdyn.simulation.events.stops import Barriers
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.integration import compiled_dry
from armdyn.simulation.integration.chattering import Stretch
from armdyn.simulation.integration.one_by_one import one_by_one_through_chattering
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.progress import Report
from armdyn.simulation.results.dense import Dense
from armdyn.simulation.results.motion_data import Occurrence
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.sticking.bristles import OnNumbers
from armdyn.simulation.sticking.dry_joints import rubbing_names
from armdyn.simulation.sticking.pushing_under_load import pushing_of
from armdyn.spatial.rotations import Array


def integrate(
    robot: Robot,
    method: Adaptive | FixedStep,
    forces: Forces,
    start: tuple[Array, ...],
    *,
    duration: float,
    samples: Samples,
    report: Report,
    happenings: Happenings,
    redundant: Redundant = "error",
    corrector: Corrector | None = None,
    dense_output: bool = False,
) -> None:
    """Integrate each state of the batch to ``duration`` or a terminal event, and fill the samples.

    The state is (q, qd), and bristles where the robot has such.
    """
    q, _, *bristles = start
    plain = happenings.only_dry and not bristles and corrector is None
    if plain and isinstance(method, Adaptive) and compiled_dry.has_loop(robot, method, forces, happenings.dry):
        compiled_dry.integrate(
            robot,
            method,
            forces,
            (start[0], start[1]),
            duration=duration,
            samples=samples,
            report=report,
            joints=happenings.dry,
            redundant=redundant,
            dense_output=dense_output,
        )
        return
    bends = OnNumbers(robot, redundant) if bristles else None
    robot = robot if bends is None else bends.bare
    barriers = Barriers(robot, happenings.stops, happenings.contacts)
    watched = [one for event in happenings.events for one in event.watched(robot)]
    batch = q.shape[:-1]
    if batch:
        refuse_in_batches(method, forces, watched)
    pushing = pushing_of(robot, barriers, happenings.dry, redundant)
    room = Room.of(samples, len(barriers))
    samples.qdd = room.qdd
    brakes = happenings.brakes
    samples.signals = room.signals(barriers.stops, friction=len(happenings.dry) > 0 or brakes is not None)
    samples.labels = barriers.labels()
    braked = None if brakes is None else cache(lambda engaged: brakes.pushing(engaged, barriers, redundant))
    if dense_output:
        samples.dense = {index: Dense(robot.dof) for index in np.ndindex(batch)}

    chattered: list[Stretch] = []

    def alone(index: Index, own: Samples) -> Generator[float]:
        acting = forces if isinstance(method, FixedStep) and not batch else forces.of(index)
        dense = samples.dense.get(index)
        motion = StateInMotion(pushing, method, acting, duration, own, room.at(index), watched, corrector, dense, bends)
        if brakes is not None and braked is not None:
            motion.brakes = BrakesInMotion.of(brakes, braked)
        try:
            yield from motion.run(*(each[index] for each in start))
        finally:
            samples.events += [Occurrence(*each, index) for each in motion.occurred]
            chattered.extend(motion.chattered)

    try:
        one_by_one_through_chattering(samples, alone, report, method, chattered, lambda: rubbing_names(robot))
    finally:
        samples.notes += notes_on_impacts(samples.events)


def refuse_in_batches(method: Method, forces: Forces, watched: Sequence[Watched]) -> None:
    """Refuse what is of one state alone."""
    if any(one.terminal for one in watched):
        raise SettingError("a terminal event ends the simulation, of a single state; simulate the states one by one")
    if forces.sampled and isinstance(method, FixedStep):
        raise SettingError(
            "a function with a sample time of its own acts on a single state where events, stops, contacts or dry "
            "friction make the states of a batch advance one after the other; simulate them one by one"
        )


def notes_on_impacts(events: Sequence[Occurrence]) -> list[str]:
    """A sentence on what impacts took, where there were any."""
    impacts = sum(one.kind == "impact" for one in events)
    took = sum(one.energy for one in events)
    several = "impact" if impacts == 1 else "impacts"
    said = f"{impacts} {several} took {took:.6g} J, which is counted as work done on the arm"
    return [said] if impacts else []
