"""Simulation of arms with flexible joints: links and rotors over time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.flexible_dynamics import flexible_motion
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.advice import either
from armdyn.checks import per_joint
from armdyn.constraints.arguments import Redundant
from armdyn.errors import ShapeError
from armdyn.robot import Robot
from armdyn.simulation.divergence import diverged
from armdyn.simulation.drift import Corrector
from armdyn.simulation.errors import SettingError
from armdyn.simulation.events.happenings import Happenings
from armdyn.simulation.flexible import hybrid as flexible_hybrid
from armdyn.simulation.flexible.adaptive import AdaptiveRun
from armdyn.simulation.flexible.bristles import StackedBristles, frictions
from armdyn.simulation.flexible.of_links import OfLinks
from armdyn.simulation.flexible.pushing import FlexiblePushing
from armdyn.simulation.flexible.spring_steps import shorter_step
from armdyn.simulation.flexible.stacked import parted, stacked
from armdyn.simulation.flexible.state import refuse_memory
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.integration.chattering import Stretch
from armdyn.simulation.integration.grid import StepGrid, saved_steps, saved_times, step_grid
from armdyn.simulation.integration.one_by_one import one_by_one_through_chattering
from armdyn.simulation.integration.pieces import can_stop
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.methods.formulas import Rates
from armdyn.simulation.progress import Report
from armdyn.simulation.results.energy import EnergyAccount
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.settings import check_keeps_constraints
from armdyn.simulation.sticking.bristles import NAME, bending, bristle_energy, without_bristles
from armdyn.simulation.sticking.dry_joints import DryJoints, can_hold, rubbing_bodies, rubbing_names
from armdyn.spatial.rotations import Array


def refuse_rotors(robot: Robot, theta0: Any, thetad0: Any) -> None:
    """Refuse the rotors' own state where they are one with their links."""
    for name, value in (("theta0", theta0), ("thetad0", thetad0)):
        if value is not None:
            raise SettingError(
                f"{name} is given, but no joint of {robot.name!r} has a spring: its rotors are where q0 says"
            )


def refuse_coupled_loads(robot: Robot) -> None:
    """Refuse rigid joints that would stick, and do not beside flexible ones."""
    if _loads_are_coupled(robot):
        stiff = either("robot.without_springs()", "actuators without springs")
        raise SettingError(
            "events, stops, contacts and brakes are not for arms with flexible joints beside rigid ones whose friction "
            "depends on the load and which are coupled or turn rotors that are bodies; use friction that does not, or "
            f"a smooth law, or simulate {stiff} with them"
        )


def _loads_are_coupled(robot: Robot) -> bool:
    """Whether joints rub by the load and are coupled or turn rotors that are bodies."""
    return bool(rubbing_bodies(robot.mechanism.drive)) and not can_hold(robot)


def plan(
    robot: Robot,
    method: Method,
    forces: Forces,
    start: tuple[Array, ...],
    happenings: Happenings | None,
    *,
    rotors: tuple[ArrayLike | None, ArrayLike | None],
    duration: float,
    save_every: float | None,
    times: ArrayLike | None,
) -> tuple[Samples, Callable[..., None]]:
    """Room for what is kept, the rotors' motion among the signals, and what fills it."""
    q, qd, *bristles = start
    bends = StackedBristles(robot) if bristles else None
    theta, thetad = per_joint(
        robot, theta0=q if rotors[0] is None else rotors[0], thetad0=qd if rotors[1] is None else rotors[1]
    )
    if np.broadcast_shapes(theta.shape, q.shape) != q.shape:
        raise ShapeError(f"theta0 and thetad0 have shape {theta.shape}; expected {q.shape}, as q0")
    theta, thetad = np.broadcast_to(theta, q.shape), np.broadcast_to(thetad, q.shape)
    places = flexible_places(robot.model)
    state = stacked(q, theta, places), stacked(qd, thetad, places)
    size, with_f_tip = bristles[0].shape[-1] if bristles else None, forces.f_tip is not None

    def make(t: Array) -> Samples:
        return Samples.empty(t, q.shape[:-1], robot.dof, with_f_tip=with_f_tip, bristles=size)

    if isinstance(method, Adaptive):
        samples = make(saved_times(duration, save_every, times))
        fill: Callable[..., None] = partial(_adaptive, duration=duration)
    elif isinstance(method, FixedStep):
        refuse_memory(method)
        check_keeps_constraints(robot, method)
        grid = step_grid(duration, method.step)
        forces = forces.on_grid(grid)
        saved = saved_steps(grid, save_every, times)
        samples = make(grid.times(saved))
        fill = partial(_fixed_steps, grid=grid, saved=saved)
    else:
        raise SettingError(f"{method} does not move arms with flexible joints; expected 'adaptive', 'rk4' or such")
    by_solver = isinstance(method, Adaptive) and bool(robot.model.constraints) and not _loads_are_coupled(robot)
    if happenings is not None or ((bends is not None or by_solver) and can_stop(method)):
        refuse_coupled_loads(robot)
        happens = happenings or Happenings((), None, (), DryJoints.of(robot))
        watched = [one for event in happens.events for one in event.watched(robot)]
        pushing = FlexiblePushing(robot if bends is None else bends.bare, happens.stops, happens.contacts)
        in_pieces = partial(flexible_hybrid.integrate, pushing, watched, duration=duration, brakes=happens.brakes)
        return samples, partial(in_pieces, method, forces, (*state, *bristles), samples, bends=bends)
    samples.signals = {name: np.full_like(samples.q, np.nan) for name in ("theta", "thetad")}
    if bends is not None:
        fill = partial(fill, bends=bends)
    return samples, partial(fill, robot, method, forces, (*state, *bristles), samples)


def signals(robot: Robot, samples: Samples, qdd: Array) -> dict[str, Array]:
    """Those of a trajectory: bristles and what rubs beside them, where such are carried."""
    if samples.bristles is None:
        return samples.signals
    rubs = {} if "rotor_friction" in samples.signals else frictions(robot, samples, qdd)
    return samples.signals | rubs | {NAME: samples.bristles}


def accelerations_and_energy(robot: Robot, samples: Samples) -> tuple[Array, EnergyAccount]:
    """qdd, and the energies of links, rotors, springs and bristles along what was kept; the last two as potential."""
    q, qd, theta, thetad = samples.q, samples.qd, samples.signals["theta"], samples.signals["thetad"]
    known, (tau, *f_tip), slides = samples.qdd, samples.forces, robot
    if known is None and samples.bristles is not None:
        slides = without_bristles(robot)
        tau = tau - robot.compile(bending)(samples.bristles, thetad)[0]
    qdd = slides.compile(flexible_motion)(q, qd, theta, thetad, tau, *f_tip)[0] if known is None else known
    potential = robot.potential_energy(q) + robot.spring_energy(q, theta)
    if samples.bristles is not None:
        potential = potential + robot.compile(bristle_energy)(samples.bristles)
    return qdd, EnergyAccount(robot.flexible_kinetic_energy(q, qd, thetad), potential, samples.work)


@dataclass
class Flexible:
    """The equations of motion of stacked positions, on numbers, and what keeps them.

    Args:
        robot: with springs.
        forces: that act now.
        samples: what is kept; ``theta`` and ``thetad`` beside them.
        bends: friction with a state of its own.
    """

    robot: Robot
    forces: Forces
    samples: Samples
    theta: Array
    thetad: Array
    bends: StackedBristles | None = None

    def __post_init__(self) -> None:
        slides = self.robot if self.bends is None else self.bends.bare
        self.places, self.motion = flexible_places(self.robot.model), slides.compile(flexible_motion)
        self.hold, self.rubbing = 0, rubbing_bodies(slides.mechanism.drive)
        self.held: tuple[Array, ...] | None = None
        self.acting: tuple[Array, ...] = ()
        """What acted when the equations were evaluated last."""

    def __call__(self, t: float, x: Array, xd: Array, bending: Any = 0.0) -> Rates:
        """Accelerations of links and rotors, and the power of what acts; ``bending`` is the force of what bends."""
        (q, theta), (qd, thetad) = self._parted(x), self._parted(xd)
        self.acting = self.forces.at(self.hold, t, q, qd) if self.held is None else self.held
        self.samples.effort.evaluations += 1
        tau, *f_tip = self.acting
        qdd, thetadd, power = self.motion(q, qd, theta, thetad, tau - bending, *f_tip)
        return stacked(qdd, thetadd, self.places), power

    def watched(self, xd: Array) -> tuple[Array, ...]:
        """What may switch: directions of dry friction, rotor and bearing of a joint in one number, and what acted."""
        qd, thetad = (np.sign(self.robot.mechanism.drive.rates(x)[self.rubbing]) for x in self._parted(xd))
        return 2.0 * thetad + qd, *self.acting

    def record(self, t: float, x: Array, xd: Array, work: Any, *bristles: Array) -> None:
        """Keep a state."""
        (q, theta), (qd, thetad) = self._parted(x), self._parted(xd)
        self.theta[self.samples.count], self.thetad[self.samples.count] = theta, thetad
        self.samples.record((q, qd, work, *bristles), self.forces.at(self.hold, t, q, qd))

    def keep_last(self, t: float, x: Array, xd: Array, work: Any) -> None:
        """Keep the state at which the motion ends; forces that cannot be computed there are NaN."""
        self.samples.keep_end(t, lambda: self.record(t, x, xd, work), self.forget_forces)

    def forget_forces(self) -> None:
        """From now on the forces are NaN."""
        self.forces = self.forces.unknown(self.robot.dof)

    def _parted(self, x: Array) -> tuple[Array, Array]:
        return parted(x, self.robot.dof, self.places)


def _fixed_steps(
    robot: Robot,
    method: FixedStep,
    forces: Forces,
    state: tuple[Array, Array],
    samples: Samples,
    *,
    grid: StepGrid,
    saved: Array,
    report: Report,
    redundant: Redundant = "error",
    corrector: Corrector | None = None,
) -> None:
    """All states at once, a call of the equations a stage."""
    within = OfLinks.of(corrector, robot.dof)
    f = Flexible(robot, forces, samples, samples.signals["theta"], samples.signals["thetad"])
    t, (x, xd), work = 0.0, state, np.zeros(state[0].shape[:-1])
    kept = set(saved.tolist())
    before = x, xd, work
    try:
        for k in range(grid.steps):
            t, f.hold, before = k * grid.step, k, (x, xd, work)
            if k in kept:
                f.record(t, x, xd, work)
                report(k / grid.steps)
            h = grid.last_step if k == grid.steps - 1 else grid.step
            q, qd = x[..., : robot.dof], xd[..., : robot.dof]
            f.held = forces.at(k, t, q, qd) if forces.held else None
            if forces.ended:
                f.keep_last(t, x, xd, work)
                return
            x, xd, work = method.scheme.formula(f, f(t, x, xd), t, (x, xd, work), h)
            samples.effort.steps += 1
            if within is not None:
                x, xd = within.after_step(x, xd)
            if x.ndim == 1 and not np.isfinite(xd).all():
                raise diverged(robot, t + h, q, qd, shorter_step(robot, method, q))
    except Exception:  # also of a torque that is a user's own function
        f.keep_last(t, *before)
        raise
    f.record(grid.duration, x, xd, work)


def _adaptive(
    robot: Robot,
    method: Adaptive,
    forces: Forces,
    state: tuple[Array, ...],
    samples: Samples,
    *,
    duration: float,
    report: Report,
    bends: StackedBristles | None = None,
    redundant: Redundant = "error",
    corrector: Corrector | None = None,
    dense_output: bool = False,
) -> None:
    """Each state by itself."""
    chattered: list[Stretch] = []
    if dense_output:
        samples.dense = flexible_hybrid.interpolants(robot, state[0].shape[:-1])

    def alone(index: Index, own: Samples) -> Generator[float]:
        at: Any = (slice(None), *index)
        rotors = samples.signals["theta"][at], samples.signals["thetad"][at]
        f = Flexible(robot, forces.of(index), own, *rotors, bends)
        try:
            within = OfLinks.of(corrector, robot.dof)
            run = AdaptiveRun(f, method, duration, chattered, samples.dense.get(index), within)
            yield from run.integrate(*(each[index] for each in state))
        finally:
            samples.events += [replace(one, index=index) for one in own.events]

    def names() -> list[str]:
        return [*rubbing_names(robot if bends is None else bends.bare), *flexible_hybrid.names_of_forces(robot)]

    one_by_one_through_chattering(samples, alone, report, method, chattered, names)
