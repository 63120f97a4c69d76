"""Simulation from an initial state to a `Trajectory`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import answering, option
from armdyn.base.checks import number
from armdyn.base.errors import SettingError
from armdyn.base.progress import Report, progress_bar
from armdyn.declaration import Function
from armdyn.motion.trajectory import Trajectory
from armdyn.robot import Robot
from armdyn.simulation.divergence import fastest, moves_no_inertia
from armdyn.simulation.drivers import event_driven, fixed_step, taylor
from armdyn.simulation.drivers.grid import SaveAt
from armdyn.simulation.elements.events import Event, checked_events
from armdyn.simulation.elements.parts import Parts
from armdyn.simulation.elements.springs import ends_of
from armdyn.simulation.forces import prepared_forces
from armdyn.simulation.loop.closed_loop import ClosedLoop
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method, Taylor, chosen_method
from armdyn.simulation.other_arguments import OF_OTHERS, OPTIONS
from armdyn.simulation.over_time import OverTime
from armdyn.simulation.results import friction_left_out, made_trajectory
from armdyn.simulation.samples import Samples, checked_save
from armdyn.simulation.system.problem import EventSources, Problem
from armdyn.simulation.system.system import System
from armdyn.simulation.under_controller import controlled_motion
from armdyn.simulation.unfinished import KEPT, SimulationError, SimulationInterrupted, keep_in_error
from armdyn.simulation.within_constraints import checked_start, corrector_of, initial_state, notes_on_projection
from armdyn.spatial.rotations import Array

ForceLike = ArrayLike | OverTime | Callable[[float, Array, Array], Any]
"""A constant, a table over time, values at times of their own, or a function of (t, q, qd)."""


@answering(OPTIONS | OF_OTHERS)
def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    *,
    duration: float,
    torque: ForceLike | None = None,
    f_tip: ForceLike | None = None,
    controller: Function | partial[Any] | None = None,
    method: str | Method | None = None,
    save: SaveAt | None = None,
    elements: Sequence[Any] = (),
    events: Sequence[Event] = (),
    progress: bool = False,
) -> Trajectory:
    """Motion q(t), qd(t) from an initial state under joint torques, gravity and a wrench at the tip, a `Trajectory`.

    Integrates M(q) qdd = tau - h(q, qd) - J^T(q) f_tip (Modern Robotics 8.5), and with it the work of torques and
    wrench, so that ``trajectory.energy.drift`` shows the error of the integration. A robot with constraints moves
    within them (8.96); its drift from them by the integration's errors is in ``trajectory.notes``. Joint limits
    are enforced by `Stops` only: ``trajectory.notes`` names the joints that leave them. Joints with dry friction
    stick and slip (8.9.4): the times are in ``trajectory.events``, the friction in ``trajectory.signals``.

    If joints are flexible (`armdyn.actuators.Spring`), links and rotors move by themselves, as in
    `flexible_forward_dynamics`: theta and thetad are in ``trajectory.signals``, and the energy of the springs
    counts as potential. ``torque`` acts on the rotors; stops and contacts push the links, whose impacts do not reach
    the rotors. Rotors and links with dry friction stick and slip each by itself; the friction of rotors is
    ``trajectory.signals["rotor_friction"]``.

    If friction has a state of its own (`armdyn.actuators.LuGre`, `MaxwellSlip`), the bristle deflection is part of the
    motion: ``trajectory.signals["bristles"]``, in the order of the joints, their laws and their elements. Its energy
    counts as potential energy. At flexible joints it follows the rotor.

    Args:
        robot: the robot that moves.
        q0: joint positions at t = 0, rad or m, shape (..., n); leading axes are a batch.
        qd0: joint velocities at t = 0, rad/s or m/s, shape (..., n); at rest by default.
        duration: s. With fixed steps, the last step is shortened if this is not a multiple of the step.
        torque: joint forces, N m or N. None: zero. An array with at most the axes of the state, (n,) or (..., n), is
            constant. One with an axis more, (steps, n) or (steps, ..., n), is a table over time: row k acts during
            step k (a zero-order hold, as in Modern Robotics' ForwardDynamicsTrajectory, whose last row moves nothing
            and is left out here); the adaptive method divides the duration into as many equal parts as there are rows,
            and starts anew at each. An `OverTime` has times of its own, and values that are held or on straight lines
            between them. A callable ``torque(t, q, qd)`` returns shape (..., n); q and qd have the shape of
            the state and are read-only. With `armdyn.control.callback` it has a sample time of its own, between which
            its value is held.
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N: the same choices with 6
            in the place of n.
        controller: a declared controller, e.g. one of `armdyn.control`, in the place of ``torque``: the motion is that
            of ``ClosedLoop(robot, controller).simulate``, the controller called once per step. Its inputs are bound by
            ``functools.partial(controller, q_ref=..., Kp=...)``. Each step holds f_tip: it is not a callable then.
            Events, and states at any time, are those of steps of a part of the length under the force that the step
            holds.
        method: "adaptive" (the default; "rk4" under a controller), "rk4", "euler", "semi_implicit_euler", "heun",
            "constant_acceleration", "abm4", "variational", "taylor"; for stiff motions "radau", "bdf", "lsoda"; or an
            object with settings, a step of another length than 1 ms or tolerances other than 1e-10: `Adaptive`,
            `RungeKutta4`, `Euler`, `SemiImplicitEuler`, `Heun`, `ConstantAcceleration`, `AdamsBashforthMoulton4`,
            `Variational`, `Taylor`. docs/simulation.md compares them.
        save: `SaveAt`, the times at which states are kept. By default each step, or a thousand equal intervals of an
            adaptive motion.
        elements: parts of the mechanical system and their settings, in any order: `Stops` make the limits of joints
            stops that they hit, press against and leave; a `Contact` is a point that a plane pushes and never pulls;
            `BrakeSwitches` engage and release brakes; `Constraints` sets the treatment of the robot's constraints;
            `Start` the initial state of rotors and bristles; an `Element` of your own is a force of positions and
            velocities, an `ElementWithState` has states with rates of its own. The forces of stops and contacts are in
            ``trajectory.signals``, and the energy that impacts dissipate is counted as work.
        events: `JointLimit`, `Plane`, `Crossing` to detect. Each occurrence, located to rounding, is
            in ``trajectory.events``. With events, stops, contacts and brakes the states of a batch are integrated one
            after the other, and a callable gets one state; so, too, with dry friction and a callable.
        progress: show a progress bar on stderr.

    With fixed steps and none of these the batch advances as one, in vector code, and a state that diverges becomes NaN
    without harm to the others; so a callable gets the whole batch. The adaptive method gives each state steps of its
    own, exactly as if alone, side by side in compiled loops if forces are known; a callable gets one state of shape
    (n,). Accelerations, energies, signals and notes of the trajectory are computed when they are first read.

    Raises:
        ShapeError: an array, or the result of a callable, that does not fit the robot.
        DTypeError: one that does not hold real numbers.
        SettingError: a duration, step, tolerance or time that makes no sense, or more than the memory holds.
        UnknownName: a method that does not exist, or f_tip for a robot without a single tip.
        ConstraintError: an initial state that the robot's constraints do not allow, or at which they are redundant.
        SimulationError: a motion that could not be continued; ``error.trajectory`` holds it until there.
        SimulationInterrupted: Ctrl-C, a KeyboardInterrupt; ``error.trajectory`` has the motion until then.

    >>> robot = armdyn.load("planar_2r")
    >>> falls = armdyn.simulate(robot, [0.0, 0.0], duration=1.0)
    >>> falls.q[-1].round(6)
    array([-2.195884, -0.409497])

    A function of time and state that holds the arm against gravity while it damps the motion, for two states at once:

    >>> def torque(t, q, qd):
    ...     return robot.gravity_forces(q) - 5 * qd
    >>> stops = armdyn.simulate(robot, np.zeros((2, 2)), [[1, 0], [0, 1]], duration=9, torque=torque, method="rk4")
    >>> bool(abs(stops.qd[-1]).max() < 1e-3)
    True

    A declared controller, called every 2 ms, and the state at four times:

    >>> from functools import partial
    >>> from armdyn.simulation import RungeKutta4, SaveAt
    >>> holds = partial(armdyn.control.pd_gravity, q_ref=[0.5, -0.5], Kp=60.0, Kd=20.0)
    >>> method, save = RungeKutta4(step=2e-3), SaveAt(every=1.0)
    >>> reach = armdyn.simulate(robot, [0.0, 0.0], duration=4.0, controller=holds, method=method, save=save)
    >>> reach.t, reach.q[-1].round(3)
    (array([0., 1., 2., 3., 4.]), array([ 0.5, -0.5]))
    """
    _require_robot(robot, torque, controller)
    save, parts, events = checked_save(save), Parts.of(elements), checked_events(events)
    if controller is not None:
        if torque is not None:
            raise SettingError("torque and controller are both given; expected one of them")
        settings: dict[str, Any] = {"duration": duration, "f_tip": f_tip, "method": method, "progress": progress}
        return controlled_motion(robot, q0, qd0, controller, save=save, parts=parts, events=events, **settings)
    duration = number("duration", duration, above=0.0, unit="s", error=SettingError)
    chosen = chosen_method("adaptive" if method is None else method)
    q, qd = initial_state(robot, q0, qd0)
    robot = robot.with_elements(*parts.own) if parts.own else robot  # which keeps its compiled functions
    robot, redundant, left_out = checked_start(robot, q, qd, parts.constraints.redundant)
    forces = prepared_forces(robot, q.shape[:-1], torque, f_tip)
    forces.check(duration)
    system = System.of(robot, chosen, redundant)
    start = system.start(q, qd, parts.start)
    sources = EventSources.of(system, chosen, parts, events, duration, alone=q.ndim == 1)
    problem = Problem.of(system, chosen, forces, start, duration, save, sources)
    problem.corrector = corrector_of(robot, chosen, parts.constraints.project, redundant)
    sticks, samples = sources is not None and sources.dry, problem.samples
    pushed = bool(parts.stops or parts.contacts)
    samples.notes += (
        *left_out,
        *forces.samples_between_steps(chosen, duration),
        *friction_left_out(robot, system.bare, sticks=sticks, pushed=pushed),
    )
    integrate = driver_of(problem)
    used = replace(chosen, step=min(chosen.step, duration)) if isinstance(chosen, FixedStep) else chosen
    began = time.perf_counter()

    def trajectory() -> Trajectory:
        rows = samples.kept()
        rows.notes = [*samples.notes, *notes_on_projection(problem.corrector, robot, chosen, redundant, rows)]
        return made_trajectory(system, used, rows, time.perf_counter() - began)

    try:
        with np.errstate(all="ignore"), progress_bar(progress, duration, f"{robot.name}, {used}") as report:
            integrate(problem, report)
            _refuse_if_all_are_lost(robot, samples)
    except Exception as error:  # also of a torque that is a user's own function
        if samples.count:
            keep_in_error(error, trajectory())
        raise
    except KeyboardInterrupt as interrupt:
        if not samples.count:
            raise
        when = f"interrupted {_how_far(samples, duration)}"
        samples.notes.insert(0, f"the simulation was {when}")
        what = f"the simulation of {robot.name!r} was {when}. {KEPT}"
        raise SimulationInterrupted(what, trajectory()) from interrupt
    return trajectory()


def _require_robot(robot: Any, torque: Any, controller: Any) -> None:
    """Raise if the robot is something else, or if a closed loop, which has a robot of its own, is to move it."""
    if not isinstance(robot, Robot):
        raise SettingError(f"robot={robot!r} is not a Robot; armdyn.load('ur5') makes one from a name or a file")
    for name, value in (("torque", torque), ("controller", controller)):
        if isinstance(value, ClosedLoop):
            raise SettingError(
                f"{name} is {value!r}, a robot and its controller; expected controller= the declared function alone, "
                "or a call of the loop's own simulate(q0, qd0, steps=...)"
            )


def _how_far(samples: Samples, duration: float) -> str:
    """The time at which a simulation was interrupted, with the motion if a batch is simulated one by one."""
    there = np.isfinite(samples.q[: samples.count]).all(axis=-1).reshape(samples.count, -1)
    if samples.alone is not None and there.shape[1] > 1:
        reached = samples.t[max(int(there[:, samples.alone].sum()) - 1, 0)]
        return f"after t = {reached:g} s of {duration:g} s of motion {samples.alone + 1} of {there.shape[1]}"
    return f"after t = {samples.t[samples.count - 1]:g} s of {duration:g} s"


def driver_of(problem: Problem) -> Callable[[Problem, Report], None]:
    """The driver that integrates a problem: from event to event, or steps of a method alone."""
    method, system = problem.method, problem.system
    if isinstance(method, Taylor):
        return taylor.integrate
    by_pieces = problem.sources is not None or system.own_states > 0 or (bool(system.places) and system.carries)
    backlash = bool(system.places) and not problem.batch and bool(ends_of(system.robot))
    by_pieces = by_pieces or problem.within_steps or backlash
    if isinstance(method, Adaptive) or by_pieces:
        return event_driven.integrate
    return fixed_step.integrate


def _refuse_if_all_are_lost(robot: Robot, samples: Samples) -> None:
    last = samples.count - 1
    if (np.isfinite(samples.q[last]).all(axis=-1) & np.isfinite(samples.qd[last]).all(axis=-1)).any():
        return
    samples = samples.kept()
    states = np.concatenate([samples.q, samples.qd], axis=-1).reshape(len(samples.t), -1, 2 * samples.q.shape[-1])
    finite: Array = np.all(np.isfinite(states), axis=2)
    if not finite.any():
        raise SimulationError("none of the initial states is finite")
    k = int(np.flatnonzero(finite.any(axis=1))[-1])
    last = int(np.flatnonzero(finite[k])[0])
    q, qd = (array.reshape(len(samples.t), -1, robot.dof)[k, last] for array in (samples.q, samples.qd))
    why = f"{fastest(robot, qd)}. Use a shorter step, or {option('method', 'adaptive')}."
    raise SimulationError(
        f"none of the states could be continued to the end; the last is lost after t = {samples.t[k]:g} s: "
        f"{moves_no_inertia(robot, q) or why}"
    )
