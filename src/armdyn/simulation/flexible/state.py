"""Steps of arms with flexible joints whose forces are held, where none of them sticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armdyn.actuators.flexible_dynamics import flexible_motion
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.methods.formulas import Rates, State
from armdyn.simulation.sticking.bristles import Bent
from armdyn.simulation.system.coordinates import parted, stacked


@dataclass(frozen=True)
class HeldFlexible:
    """The equations of motion of a traced arm with springs, the forces held during the step.

    Args:
        model: what moves.
        tau: forces of the motors at the joints.
        f_tip: the wrench at the tip.
        bent: what bends beside the friction of the model, along the step, by positions of the rotors.
    """

    model: Any
    tau: Any
    f_tip: Any = None
    bent: Bent | None = None

    def __call__(self, t: Any, x: Any, xd: Any) -> Rates:
        """Accelerations of links and rotors, and the power of the forces."""
        places, dof = flexible_places(self.model.model), self.model.dof
        (q, theta), (qd, thetad) = parted(x, dof, places), parted(xd, dof, places)
        tau = self.tau if self.bent is None else self.tau - self.bent.forces(theta, thetad)
        qdd, thetadd, power = flexible_motion(self.model, q, qd, theta, thetad, tau, self.f_tip)
        return stacked(qdd, thetadd, places), power


def flexible_step(method: FixedStep, held: HeldFlexible, state: State, h: Any) -> State:
    """(x, xd, W) a step of a one-step method later."""
    x, xd, work = state
    return method.scheme.formula(held, held(0.0, x, xd), 0.0, (x, xd, work), h)
