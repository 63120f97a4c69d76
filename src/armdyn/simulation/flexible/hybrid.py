"""Motions of arms with flexible joints in pieces: along each, links and rotors slide in one direction or stick.

Every stop or contact of the links is open or held closed, as of rigid arms (`armdyn.simulation.events.hybrid`).
Where a joint has backlash, rotor and link touch at one end of the play, or do not, along a whole piece too.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.advice import option
from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.drift import Corrector
from armdyn.simulation.events.brakes import Brakes
from armdyn.simulation.events.brakes_in_motion import BrakesInMotion
from armdyn.simulation.events.crossings import Function
from armdyn.simulation.events.finding import Along, At, Found
from armdyn.simulation.events.hybrid import notes_on_impacts, refuse_in_batches
from armdyn.simulation.events.located import Watched
from armdyn.simulation.events.play import ends_of
from armdyn.simulation.events.pushing import Mode, Pushing
from armdyn.simulation.events.room import Room
from armdyn.simulation.events.state_in_motion import StateInMotion
from armdyn.simulation.flexible.bristles import StackedBristles
from armdyn.simulation.flexible.of_links import OfLinks
from armdyn.simulation.flexible.pushing import FlexiblePushing
from armdyn.simulation.flexible.spring_steps import too_long_for_springs
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.integration.chattering import Stretch, Watch
from armdyn.simulation.integration.one_by_one import one_by_one_through_chattering
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep
from armdyn.simulation.progress import Report
from armdyn.simulation.results.dense import Dense
from armdyn.simulation.results.motion_data import Occurrence
from armdyn.simulation.results.samples import Samples
from armdyn.spatial.rotations import Array

OF_ROTORS = ("theta", "thetad", "rotor_friction")
"""Signals of a trajectory: motion of the rotors, and friction at those of flexible joints."""


def integrate(
    pushing: FlexiblePushing,
    watched: Sequence[Watched],
    method: Adaptive | FixedStep,
    forces: Forces,
    state: tuple[Array, ...],
    samples: Samples,
    *,
    duration: float,
    report: Report,
    bends: StackedBristles | None = None,
    brakes: Brakes | None = None,
    redundant: Redundant = "error",
    corrector: Corrector | None = None,
    dense_output: bool = False,
) -> None:
    """Integrate each stacked state (x, xd), and bristles, of the batch to ``duration``, and fill the samples."""
    batch = state[0].shape[:-1]
    if batch:
        refuse_in_batches(method, forces, watched)
    room = Room.of(samples, len(pushing.barriers))
    samples.qdd = room.qdd
    samples.labels = pushing.barriers.labels()
    rotors = {name: np.full_like(samples.q, np.nan) for name in OF_ROTORS}
    rubs = len(pushing.dry) > 0 or brakes is not None or bends is not None
    samples.signals = signals_of(room, pushing, rotors, rubs=rubs)
    braked = cache(lambda engaged: pushing.of(brakes.braked(engaged)))  # type: ignore[union-attr]
    chattered: list[Stretch] = []
    if dense_output:
        samples.dense = interpolants(pushing.robot, batch)

    def alone(index: Index, own: Samples) -> Generator[float]:
        at: Any = (slice(None), *index)
        acting = forces if isinstance(method, FixedStep) and not batch else forces.of(index)
        own.signals = {name: values[at] for name, values in rotors.items()}
        dense = samples.dense.get(index)
        place, own_pushing = room.at(index), copy.copy(pushing)
        within = OfLinks.of(corrector, pushing.n)
        motion = FlexibleInMotion(own_pushing, method, acting, duration, own, place, watched, within, dense, bends)
        if brakes is not None:
            motion.brakes = BrakesInMotion.of(brakes, lambda engaged: copy.copy(braked(engaged)))
        try:
            yield from motion.run(*(each[index] for each in state))
        finally:
            samples.events += [Occurrence(*each, index) for each in motion.occurred]
            chattered.extend(motion.chattered)

    names = partial(names_of_forces, pushing.robot)
    try:
        one_by_one_through_chattering(samples, alone, report, method, chattered, names)
    finally:
        samples.notes += notes_on_impacts(samples.events)


def interpolants(robot: Robot, batch: tuple[int, ...]) -> dict[tuple[int, ...], Dense]:
    """Room for those of links and rotors, of each state of the batch."""
    places = tuple(flexible_places(robot.model))
    return {index: Dense(robot.dof, places) for index in np.ndindex(batch)}


def signals_of(room: Room, pushing: FlexiblePushing, rotors: dict[str, Array], *, rubs: bool) -> dict[str, Array]:
    """Of a trajectory, by name: those of rotors, what barriers push, and what rubs where something can stick."""
    theta, thetad, friction = (rotors[name] for name in OF_ROTORS)
    found = {"theta": theta, "thetad": thetad, **room.signals(pushing.barriers.stops, friction=rubs)}
    return {**found, "rotor_friction": friction} if rubs else found


def names_of_forces(robot: Robot) -> list[str]:
    """Names of what functions of time and state give, in their order."""
    return [*(f"the torque of {name!r}" for name in robot.joint_names), *(f"f_tip[{place}]" for place in range(6))]


class FlexibleInMotion(StateInMotion):
    """One state on its way: y = (x, xd, z, W), x the stacked positions of links and rotors, z where something bends.

    Args:
        pushing: of this state alone, for it holds which ends of plays touch.
        method: of the simulation.
        forces: that act on this state.
        duration: s.
        samples: those of this state, with room for signals of rotors.
        room: for accelerations of the links, what barriers push and what rubs.
        watched: for events.
        within: puts states onto the constraints; None where none is asked for.
        dense: gets the interpolants; None where they are not kept.
        bends: friction with a state of its own.
    """

    pushing: FlexiblePushing

    def __init__(
        self,
        pushing: FlexiblePushing,
        method: Adaptive | FixedStep,
        forces: Forces,
        duration: float,
        samples: Samples,
        room: Room,
        watched: Sequence[Watched],
        within: OfLinks | None = None,
        dense: Dense | None = None,
        bends: StackedBristles | None = None,
    ) -> None:
        super().__init__(pushing, method, forces, duration, samples, room, watched, within, dense, bends)
        self.method, self.rubbing = method, []
        self.once = isinstance(method, FixedStep) and method.scheme.once
        self.held: tuple[Array, ...] | None = None
        self.longest = method.chattering_step if isinstance(method, Adaptive) else None
        self.watch = Watch(duration, self.longest) if forces.by_callables and self.longest is not None else None
        self.plays = [end for end in ends_of(pushing.robot) if not end.of_push]
        self.signs = np.zeros(len(pushing.joints), dtype=int)
        """Of loads that changed it while the rotor slid, else 0: what is zero but for rounding has that sign."""

    def _begun(self, t: float, y: Array) -> Array:
        """The first state: what is pressed at an end of a play touches there."""
        self.pushing.touches = np.zeros(self.pushing.n)
        for end in self.plays:
            if end.press(y[: 2 * self.n]) > 0.0:
                self.pushing.touches[end.link] = end.side
        return super()._begun(t, y)

    def _seen(self, y: Array) -> tuple[Array, Array]:
        """q and qd of the links."""
        (x, xd), n = self._state(y), self.pushing.n
        return x[:n], xd[:n]

    def _watched_beside(self, begin: float) -> Iterator[tuple[str, int, Along, int]]:
        """The ends of plays, and loads that change their sign.

        An end that touches is left, those of a play in which nothing touches are reached. Friction under load, as of a
        gear that is driven or drives, has a kink where its load changes the sign.
        """
        for place, end in enumerate(self.plays):
            touch = self.pushing.touches[end.link]
            if touch in (0.0, end.side):
                yield "touch", place, partial(self._press, place, begin), -1 if touch else 1

        for k in self.pushing.kinks:
            if not self._held_rotors()[k]:
                for way in (-1, 1):
                    yield "load", way * (k + 1), partial(self._load, k, begin), way

    def _held_rotors(self) -> Array:
        """Whether the rotor of each flexible joint sticks."""
        held = np.zeros(len(self.pushing.joints), dtype=bool)
        held[self.pushing.rubbing] = self.pushing.held_rotors(self.mode)
        return held

    def _load(self, k: int, begin: float, at: At) -> Function:
        """The load of a rotor's friction; its sign alone at the begin, where that is known."""
        known = float(self.signs[k])
        return lambda t: known if known and t <= begin else self.pushing.loads(*self._state(at(t)))[k]

    def _press(self, place: int, begin: float, at: At) -> Function:
        """How an end of a play is pressed; at the begin, where it may be zero but for rounding, as the piece says."""
        end, touches = self.plays[place], bool(self.pushing.touches[self.plays[place].link])
        return lambda t: end.press(at(t)[: 2 * self.n]) if t > begin else 1.0 if touches else -1.0

    def _changed(self, t: float, y: Array, found: Found) -> Array:
        """The state behind a link's or rotor's rest, what is held being left, or an end of a play."""
        if found.kind not in ("touch", "load"):
            return super()._changed(t, y, found)
        self.integrator.restart()
        if found.kind == "load":
            self.signs[abs(found.place) - 1] = np.sign(found.place)
            return self._corrected(y, after_step=True) if self.mode.held.any() else y
        end, touches = self.plays[found.place], self.pushing.touches.copy()
        touches[end.link] = 0.0 if touches[end.link] else end.side
        self.pushing.touches = touches
        self._note(t, end.joint, "contact" if touches[end.link] else "release", y)
        return self._settled(t, y)

    def _pushed_by(self, pushing: Pushing) -> None:
        """The ends of plays touch as before."""
        touches = self.pushing.touches
        super()._pushed_by(pushing)
        self.pushing.touches = touches

    def _note_changes(self, t: float, y: Array, before: Mode, *, quiet: bool) -> None:
        """As of rigid arms; the loads of rotors that stick are not looked at."""
        super()._note_changes(t, y, before, quiet=quiet)
        self.signs[self._held_rotors()] = 0

    def _record_state(self, t: float, y: Array) -> None:
        """Keep a state, the accelerations of its links, and what rubs."""
        (x, xd), z, row, rigid = self._state(y), y[2 * self.n : -1], self.samples.count, self.pushing.rigid
        found, parted = self.pushing.rates(x, xd, self._pushed(t, y), self.mode, shared=True), self.pushing.parted
        (q, theta), (qd, thetad), (qdd, _) = parted(x), parted(xd), parted(found.qdd)
        friction, behind = parted(found.friction)
        behind = behind + self._bending(y)[0]
        friction[rigid], behind[rigid] = behind[rigid], 0.0
        for name, values in zip(OF_ROTORS, (theta, thetad, behind), strict=True):
            self.samples.signals[name][row] = values
        self.room.keep(row, found._replace(qdd=qdd, friction=friction))
        self.samples.record((q, qd, y[-1] + self._stored(z), z), self._acting(t, y))

    def _why_too_many(self, y: Array) -> str:
        """The spring that fixed steps are too long for, where they are; functions that may switch within steps."""
        usual, (q, _) = super()._why_too_many(y), self._seen(y)
        if isinstance(self.method, Adaptive):
            return usual
        springs = too_long_for_springs(self.pushing.robot, self.method, q)
        if springs or self.once or not self.forces.by_callables:
            return springs or usual
        return (
            f"{usual}. If torque or f_tip jumps where a velocity changes its sign, use {option('method', 'adaptive')}, "
            "'semi_implicit_euler', or a smooth law, such as tanh(qd / eps) in the place of sign(qd)"
        )

    def _stepped(self, t: float, y: Array, end: float) -> tuple[float, Array, bool]:
        """One step; forces that are asked for once a step act in all of it, so that nothing switches within."""
        self.held = self._acting(t, y) if self.once or self.quiet is not None else None
        try:
            return super()._stepped(t, y, end)
        finally:
            self.held = None

    def _acting(self, t: float, y: Array) -> tuple[Array, ...]:
        return super()._acting(t, y) if self.held is None else self.held

    def _refuse_chattering(self, t: float) -> None:
        """Functions that switch are carried through by fixed steps, as beside rigid joints that do not rub."""
