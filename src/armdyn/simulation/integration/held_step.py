"""Steps of the integration methods as compiled functions: the equations of motion of an arm, its forces held.

A step during which the forces are held is one function of arrays,

    step(q, qd, work, *memory, h, tau[, f_tip]) -> (q, qd, work, *memory)

Tracing the formula of a method compiles all of its stages into one call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from armdyn import algorithms
from armdyn.algorithms.load_friction import accelerations_under_load
from armdyn.declaration import Argument, Function, MadeFunction, Shape
from armdyn.simulation.equations import (
    SOURCES,
    constrained_motion_under_load,
    lagrangian_derivatives,
    motion,
    power,
    velocity_of_momentum,
)
from armdyn.simulation.methods.formulas import Rates, State
from armdyn.simulation.methods.scheme import Scheme

STATE: dict[str, Shape] = {"q": ("n",), "qd": ("n",), "work": ()}
GIVEN = (Argument("h", ()), Argument("tau", ("n",)), Argument("f_tip", (6,), optional=True))


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


@cache
def held_step(scheme: Scheme) -> Function:
    """The state (q, qd, W) and the memory of a method a step of length h, s, later, with the forces held.

    Args:
        scheme: of the method.
    """
    own = STATE | dict(scheme.memory)

    def step(model: Any, *arrays: Any) -> State:
        *before, h, tau, f_tip = arrays
        f = HeldForces(model, tau, f_tip)
        return scheme.formula(f, f(0.0, *before[:2]), 0.0, tuple(before), h)

    name = f"{scheme.name}_step"
    step.__name__, step.__doc__ = name, f"A step of {scheme.name}, the forces held: the state a time h, s, later."
    arguments, made = (*(Argument(*one) for one in own.items()), *GIVEN), partial(held_step, scheme)
    declared = MadeFunction(step, name, "held step", arguments, tuple(own.values()), {}, made=made)
    object.__setattr__(declared, "sources", SOURCES)
    return declared
