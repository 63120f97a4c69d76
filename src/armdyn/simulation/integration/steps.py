"""The integration formulas as compiled steps, and what a simulation has to know of each: a `Scheme`.

A step during which the forces are held is one function of arrays,

    step(q, qd, work, *memory, h, tau[, f_tip]) -> (q, qd, work, *memory)

and tracing the integration formula compiles all of its stages into one call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.algorithms.load_friction import accelerations_under_load
from armdyn.declaration import Function, Shape, function, in_numbers
from armdyn.simulation.equations import (
    SOURCES,
    constrained_motion_under_load,
    lagrangian_derivatives,
    motion,
    power,
    velocity_of_momentum,
)
from armdyn.simulation.integration import predictor_corrector, schemes
from armdyn.simulation.integration.schemes import Formula, Rates, State
from armdyn.simulation.integration.variational import ITERATIONS, variational
from armdyn.spatial.rotations import Array

ONE_STEP = "(n),(n),(),(),(n),(6)?->(n),(n),()"
WITH_PAST = "(n),(n),(),(3,n),(3,n),(3),(),(n),(6)?->(n),(n),(),(3,n),(3,n),(3)"


@dataclass(frozen=True)
class Scheme:
    """The parts of an integration method with steps of one length.

    Args:
        formula: of a step.
        held_step: the compiled step with the forces held.
        evaluations: of the equations of motion in a step.
        memory: names and shapes of further arrays that a step takes and returns; they are zero at t = 0.
        starter: makes the first steps of a formula that needs a past, with the same memory; those behind a jump of a
            force, for rates of the past do not belong to the motion after it; and steps of another length.
        starting_steps: how many of them in a row.
        constrained: whether it keeps a robot's constraints.
    """

    formula: Formula
    held_step: Function
    evaluations: int
    memory: Mapping[str, Shape] = field(default_factory=dict)
    starter: Scheme | None = None
    starting_steps: int = 0
    constrained: bool = True

    @property
    def once(self) -> bool:
        """Whether it asks for the forces at the beginning of the step only."""
        return self.evaluations == 1

    def start(self, q: Array, qd: Array, *bristles: Array) -> State:
        """The state at t = 0, (q, qd, W), bristles and memory: no work is done yet, and the memory is empty."""
        batch, sizes = q.shape[:-1], {"n": q.shape[-1]}
        shapes = (tuple(in_numbers(d, sizes) for d in shape) for shape in self.memory.values())
        return (q, qd, np.zeros(batch), *bristles, *(np.zeros(batch + shape) for shape in shapes))


@dataclass(frozen=True)
class HeldForces:
    """The equations of motion of a traced arm, the forces held during the step.

    Args:
        model: the arm.
        tau: joint forces.
        f_tip: the wrench at the tip.
        loads: of the joints whose friction depends on them, in the state that was looked at last: the next one is near.
    """

    model: Any
    tau: Any
    f_tip: Any = None
    loads: dict[int, Any] = field(default_factory=dict)

    def __call__(self, t: Any, q: Any, qd: Any) -> Rates:
        """Accelerations, and the power of the forces."""
        if not self.model.drive.depends_on_load:
            return motion(self.model, q, qd, self.tau, self.f_tip)  # type: ignore[no-any-return]
        if self.model.model.constraints:
            given = self.model, q, qd, self.tau, self.f_tip
            (qdd, rate, _), loads = constrained_motion_under_load(*given, near=self.loads)
            self.loads.update(loads)
            return qdd, rate
        found = accelerations_under_load(self.model, q, qd, self.tau, self.f_tip, near=self.loads)
        self.loads.update(found.loads)
        return found.qdd, power(self.model, q, qd, found.qdd, self.tau, self.f_tip)

    def derivatives(self, q: Any, qd: Any) -> tuple[Any, Any]:
        """dL/dq and dL/dqd."""
        return lagrangian_derivatives(self.model, q, qd)  # type: ignore[no-any-return]

    def solve(self, q: Any, p: Any) -> Any:
        """M(q)^-1 p."""
        return velocity_of_momentum(self.model, q, p)

    def joint_forces(self, t: Any, q: Any, qd: Any) -> Any:
        """tau - friction - J^T f_tip."""
        tau = self.tau - self._friction(q, qd) if self.model.drive.has_friction else self.tau
        return tau if self.f_tip is None else tau - algorithms.tip_forces(self.model, q, self.f_tip)

    def _friction(self, q: Any, qd: Any) -> Any:
        """Friction; where it depends on the load, that of the accelerations which the forces cause there."""
        if not self.model.drive.depends_on_load:
            return algorithms.friction_forces(self.model, q, qd)
        found = accelerations_under_load(self.model, q, qd, self.tau, self.f_tip, near=self.loads)
        self.loads.update(found.loads)
        return algorithms.friction_forces(self.model, q, qd, found.qdd, self.f_tip)


def _traced(formula: Formula, state: State, h: Any, held: HeldForces) -> State:
    return formula(held, held(0.0, *state[:2]), 0.0, state, h)


@function(ONE_STEP, sources=SOURCES)
def euler_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) an Euler step of length h, s, later, with the forces held, shapes (..., n), (..., n), (...)."""
    return _traced(schemes.euler, (q, qd, work), h, HeldForces(model, tau, f_tip))


@function(ONE_STEP, sources=SOURCES)
def semi_implicit_euler_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) a semi-implicit Euler step of length h, s, later, shapes (..., n), (..., n), (...)."""
    return _traced(schemes.semi_implicit_euler, (q, qd, work), h, HeldForces(model, tau, f_tip))


@function(ONE_STEP, sources=SOURCES)
def constant_acceleration_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) a time h, s, later, acceleration and forces held, shapes (..., n), (..., n), (...)."""
    return _traced(schemes.constant_acceleration, (q, qd, work), h, HeldForces(model, tau, f_tip))


@function(ONE_STEP, sources=SOURCES)
def constant_acceleration_as_printed_step(
    model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None
) -> State:
    """State (q, qd, W) a step of UCL's printed program, h, s, later, shapes (..., n), (..., n), (...)."""
    return _traced(schemes.constant_acceleration_as_printed, (q, qd, work), h, HeldForces(model, tau, f_tip))


@function(ONE_STEP, sources=SOURCES)
def heun_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) a Heun step of length h, s, later, with the forces held, shapes (..., n), (..., n), (...)."""
    return _traced(schemes.heun, (q, qd, work), h, HeldForces(model, tau, f_tip))


@function(ONE_STEP, sources=SOURCES)
def runge_kutta_4_step(model: Any, q: Any, qd: Any, work: Any, h: Any, tau: Any, f_tip: Any = None) -> State:
    """State (q, qd, W) a Runge-Kutta step of length h, s, later, the forces held, shapes (..., n), (..., n), (...)."""
    return _traced(schemes.runge_kutta_4, (q, qd, work), h, HeldForces(model, tau, f_tip))


@function(WITH_PAST, sources=SOURCES)
def adams_bashforth_moulton_4_step(
    model: Any,
    q: Any,
    qd: Any,
    work: Any,
    past_qd: Any,
    past_qdd: Any,
    past_power: Any,
    h: Any,
    tau: Any,
    f_tip: Any = None,
) -> State:
    """State and past rates an Adams step of length h, s, later, the forces held, shapes (..., n), ..., (..., 3)."""
    state = (q, qd, work, past_qd, past_qdd, past_power)
    return _traced(predictor_corrector.adams_bashforth_moulton_4, state, h, HeldForces(model, tau, f_tip))


@function(WITH_PAST, sources=SOURCES)
def runge_kutta_4_remembering_step(
    model: Any,
    q: Any,
    qd: Any,
    work: Any,
    past_qd: Any,
    past_qdd: Any,
    past_power: Any,
    h: Any,
    tau: Any,
    f_tip: Any = None,
) -> State:
    """State and past rates a Runge-Kutta step of length h, s, later, shapes (..., n), ..., (..., 3)."""
    state = (q, qd, work, past_qd, past_qdd, past_power)
    return _traced(predictor_corrector.runge_kutta_4_remembering, state, h, HeldForces(model, tau, f_tip))


@function("(n),(n),(),(),(),(n),(6)?->(n),(n),(),()", sources=SOURCES)
def variational_step(
    model: Any, q: Any, qd: Any, work: Any, residual: Any, h: Any, tau: Any, f_tip: Any = None
) -> State:
    """State (q, qd, W) and worst residual, J, a variational step of length h, s, later, shapes (..., n), ..., (...)."""
    return _traced(variational, (q, qd, work, residual), h, HeldForces(model, tau, f_tip))


PAST: dict[str, Shape] = {"past_qd": (3, "n"), "past_qdd": (3, "n"), "past_power": (3,)}

EULER = Scheme(schemes.euler, euler_step, 1)
SEMI_IMPLICIT_EULER = Scheme(schemes.semi_implicit_euler, semi_implicit_euler_step, 1)
CONSTANT_ACCELERATION = Scheme(schemes.constant_acceleration, constant_acceleration_step, 1)
AS_PRINTED = Scheme(schemes.constant_acceleration_as_printed, constant_acceleration_as_printed_step, 1)
HEUN = Scheme(schemes.heun, heun_step, 2)
RUNGE_KUTTA_4 = Scheme(schemes.runge_kutta_4, runge_kutta_4_step, 4)
ADAMS_BASHFORTH_MOULTON_4 = Scheme(
    predictor_corrector.adams_bashforth_moulton_4,
    adams_bashforth_moulton_4_step,
    2,
    PAST,
    Scheme(predictor_corrector.runge_kutta_4_remembering, runge_kutta_4_remembering_step, 4, PAST),
    predictor_corrector.PAST,
)
VARIATIONAL = Scheme(variational, variational_step, ITERATIONS + 2, {"residual": ()}, constrained=False)
