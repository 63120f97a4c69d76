"""A traced step of an arm whose friction has a state of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armdyn.simulation.equations import motion
from armdyn.simulation.integration.held_step import HeldForces
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.methods.formulas import Rates, State
from armdyn.simulation.sticking.bristles import Bent


@dataclass(frozen=True)
class HeldBent:
    """The equations of motion of a traced arm along one step, the forces held but those of what bends.

    Args:
        bent: along the step; it knows the arm without what bends.
        tau: joint forces.
        f_tip: the wrench at the tip.
    """

    bent: Bent
    tau: Any
    f_tip: Any = None

    def __call__(self, t: Any, q: Any, qd: Any) -> Rates:
        """Accelerations, and the power of the forces less that of all friction."""
        pushes = self.tau - self.bent.forces(q, qd)
        return motion(self.bent.laws.bare, q, qd, pushes, self.f_tip)  # type: ignore[no-any-return]

    def derivatives(self, q: Any, qd: Any) -> tuple[Any, Any]:
        """dL/dq and dL/dqd."""
        return self._held(self.tau).derivatives(q, qd)

    def solve(self, q: Any, p: Any) -> Any:
        """M(q)^-1 p."""
        return self._held(self.tau).solve(q, p)

    def joint_forces(self, t: Any, q: Any, qd: Any) -> Any:
        """tau - friction - J^T f_tip."""
        return self._held(self.tau - self.bent.forces(q, qd)).joint_forces(t, q, qd)

    def _held(self, tau: Any) -> HeldForces:
        return HeldForces(self.bent.laws.bare, tau, self.f_tip)


def bent_step(method: FixedStep, model: Any, state: State, h: Any, tau: Any, f_tip: Any = None) -> State:
    """(q, qd, z, W) and the memory of the method a step later, traced, the forces held."""
    q, qd, z, work, *memory = state
    bent = Bent(model, q, qd, z)
    f = HeldBent(bent, tau, f_tip)
    q, qd, work, *memory = method.scheme.formula(f, f(0.0, q, qd), 0.0, (q, qd, work, *memory), h)
    return q, qd, bent.path.bent(q, qd), work + bent.stored(q, qd), *memory
