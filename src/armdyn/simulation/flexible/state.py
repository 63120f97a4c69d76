"""Steps of arms with flexible joints whose forces are held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armdyn.actuators.flexible_dynamics import flexible_motion
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.advice import either
from armdyn.simulation.errors import SettingError
from armdyn.simulation.flexible.stacked import parted, stacked
from armdyn.simulation.integration.methods import FixedStep
from armdyn.simulation.integration.schemes import Rates, State


@dataclass(frozen=True)
class HeldFlexible:
    """The equations of motion of a traced arm with springs, the forces held during the step."""

    model: Any
    tau: Any
    f_tip: Any = None

    def __call__(self, t: Any, x: Any, xd: Any) -> Rates:
        """Accelerations of links and rotors, and the power of the forces."""
        places, dof = flexible_places(self.model.model), self.model.dof
        (q, theta), (qd, thetad) = parted(x, dof, places), parted(xd, dof, places)
        qdd, thetadd, power = flexible_motion(self.model, q, qd, theta, thetad, self.tau, self.f_tip)
        return stacked(qdd, thetadd, places), power


def flexible_step(method: FixedStep, held: HeldFlexible, state: State, h: Any) -> State:
    """(q, qd, theta, thetad, W) a step of a one-step method later."""
    q, qd, theta, thetad, work = state
    places, dof = flexible_places(held.model.model), held.model.dof
    x, xd = stacked(q, theta, places), stacked(qd, thetad, places)
    x, xd, work = method.scheme.formula(held, held(0.0, x, xd), 0.0, (x, xd, work), h)
    (q, theta), (qd, thetad) = parted(x, dof, places), parted(xd, dof, places)
    return q, qd, theta, thetad, work


def refuse_memory(method: FixedStep) -> None:
    """Refuse the variational method, whose equations know no springs, and those that need rates of steps ago."""
    if method.scheme.memory:
        raise SettingError(
            f"{method} does not move arms with flexible joints; expected a one-step method such as "
            + either("RungeKutta4(step=1e-4), or robot.without_springs()", "--method rk4, or actuators without springs")
        )
