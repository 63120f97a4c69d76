"""The problem that a simulation solves: a system, its forces and its start, a method, and room for the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from armdyn.constraints.arguments import Redundant
from armdyn.motion.dense import Dense
from armdyn.robot import Robot
from armdyn.simulation.divergence import refuse_without_inertia
from armdyn.simulation.drivers.grid import SaveAt, StepGrid, saved_times, step_grid, steps_at, times_to_save
from armdyn.simulation.elements.brakes import Brakes
from armdyn.simulation.elements.events import Event
from armdyn.simulation.elements.own import Kinks, kinks_of
from armdyn.simulation.elements.parts import Parts
from armdyn.simulation.elements.stops import Contact, Stops
from armdyn.simulation.forces import Forces
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method, can_stop, check_method
from armdyn.simulation.samples import Samples
from armdyn.simulation.system.system import System
from armdyn.simulation.within_constraints import Corrector
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class EventSources:
    """The sources of located events of a motion: joints that can stick, events, stops, contacts, brakes and kinks."""

    dry: bool
    events: Sequence[Event] = ()
    stops: Stops | None = None
    contacts: Sequence[Contact] = ()
    brakes: Brakes | None = None
    kinks: Kinks | None = None

    @classmethod
    def of(
        cls, system: System, method: Method, parts: Parts, events: Sequence[Event], duration: float, *, alone: bool
    ) -> EventSources | None:
        """The sources of a simulation, ``alone`` if of a single state; None if nothing is to be located.

        Joints with dry friction are not located by methods that cannot stop within a step.
        """
        brakes = Brakes.of(system.bare, parts.switches, duration) if parts.switches else None
        locates = can_stop(method) and (isinstance(method, Adaptive) or alone)
        kinks = kinks_of(system.robot) if locates and system.robot.model.elements else None
        sources = cls(system.sticks, events, parts.stops, parts.contacts, brakes, kinks)
        if sources.only_dry and not (system.sticks and can_stop(method)):
            return None
        check_method(method)
        return sources

    @property
    def only_dry(self) -> bool:
        """True if joints that stick are the only source."""
        return not (self.events or self.stops or self.contacts or self.brakes or self.kinks)


@dataclass
class Problem:
    """The input of each driver of a simulation, besides a function to report progress to.

    Args:
        system: the system that moves.
        method: of the integration.
        forces: the forces that act.
        start: (x, v) at t = 0, and z if the system has states, with the axes of a batch.
        duration: s.
        samples: room for the motion, which the driver fills.
        sources: of located events; None if there are none.
        corrector: puts states onto constraints; None if they are not corrected.
        dense_output: true to keep the interpolants of the steps.
        grid: of a method with steps of one length.
        saved: the steps of the grid after which a state is kept; None if some are kept within steps.
    """

    system: System
    method: Any
    forces: Forces
    start: tuple[Array, ...]
    duration: float
    samples: Samples
    sources: EventSources | None = None
    corrector: Corrector | None = None
    dense_output: bool = False
    grid: Any = None
    saved: Any = None

    @classmethod
    def of(
        cls,
        system: System,
        method: Method,
        forces: Forces,
        start: tuple[Array, ...],
        duration: float,
        save: SaveAt,
        sources: EventSources | None,
    ) -> Problem:
        """The problem whose states are kept at the times of ``save``."""
        system.refuse_method(method)
        if not system.places:
            refuse_without_inertia(system.robot, start[0])
        grid: StepGrid | None = None
        saved: Array | None = None
        if isinstance(method, FixedStep):
            grid = step_grid(duration, method.step)
            forces, t = forces.on_grid(grid), times_to_save(duration, save, otherwise=grid.step)
            saved = steps_at(grid, t)
            t = t if saved is None else grid.times(saved)
        else:
            t = saved_times(duration, save)
        samples = system.room(t, start[0].shape[:-1], with_f_tip=forces.f_tip is not None)
        return cls(
            system,
            method,
            forces,
            start,
            duration,
            samples,
            sources,
            dense_output=save.dense,
            grid=grid,
            saved=saved,
        )

    @property
    def robot(self) -> Robot:
        """The robot that moves, with all its laws of friction."""
        return self.system.robot

    @property
    def redundant(self) -> Redundant:
        """Treatment of constraints that follow from others."""
        return self.system.redundant

    @property
    def batch(self) -> tuple[int, ...]:
        """The axes of the batch."""
        return self.start[0].shape[:-1]

    @property
    def within_steps(self) -> bool:
        """True if states within steps of one length are kept."""
        return self.grid is not None and (self.saved is None or self.dense_output)

    @property
    def corrects(self) -> bool:
        """True if every state is projected onto the constraints."""
        return self.corrector is not None and self.corrector.always

    def interpolant(self) -> Dense:
        """Room for the interpolants of one state."""
        return Dense(self.system.dof, self.system.places)
