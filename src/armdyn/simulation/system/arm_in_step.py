"""A traced arm along one step in which its forces are held: its equations of motion, and its state by name.

It is the `armdyn.simulation.system.system.System` of programs: coordinates are those of joints and, after them, of
rotors on springs; bristles are carried by the path since the begin of the step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.actuators.flexible_dynamics import flexible_motion
from armdyn.actuators.flexible_joints import flexible_places, parted, stacked
from armdyn.algorithms.elements import dissipative_forces, in_state
from armdyn.algorithms.quicker_method import quicker_method
from armdyn.constraints.projection import projected
from armdyn.constraints.rigid_motion import rigid_motion
from armdyn.simulation.elements.bristles import NAME as BRISTLES
from armdyn.simulation.elements.bristles import Bent
from armdyn.simulation.elements.own import StatesInStep
from armdyn.simulation.equations import lagrangian_derivatives
from armdyn.simulation.methods.formulas import Equations, Rates, Scheme
from armdyn.simulation.samples import ELEMENTS
from armdyn.simulation.system.momenta import Momenta, velocities_of_links
from armdyn.spatial.rotations import Array


class ArmInStep:
    """A traced arm from the beginning of a step, called by the formulas of `armdyn.simulation.methods`.

    ``acting`` has its state and forces by name; rotors of rigid joints have the positions of their links.
    """

    def __init__(self, model: Any, acting: Mapping[str, Any], *, bristles: bool = False) -> None:
        self.dof, self.places = model.dof, list(flexible_places(model.model))
        q, qd = acting["q"], acting["qd"]
        self.x, self.v = q, qd
        if self.places:
            self.x = stacked(q, acting.get("theta", q), self.places)
            self.v = stacked(qd, acting.get("thetad", qd), self.places)
        self.tau, self.f_tip = acting["tau"], acting["f_tip"]
        self.bent = Bent(model, *self._motors(self.x, self.v), acting[BRISTLES]) if bristles else None
        self.arm = model if self.bent is None else self.bent.laws.bare
        """The arm without friction with a state."""
        self.loads: Mapping[int, Any] = {}
        """Loads by body in the state that was evaluated last: the next one is near."""
        self.size = len(self.x)
        self.own = StatesInStep(self.arm, acting[ELEMENTS], self.tau) if ELEMENTS in acting else None

    # Equations of motion.

    def __call__(self, t: Any, x: Any, v: Any) -> Rates:
        """Accelerations, and rates of the states of elements; the power of all that acts."""
        if self.own is None:
            return self._of_coordinates(self.arm, x, v)
        (x, v), z, n = (one[: self.size] for one in (x, v)), v[self.size :], self.dof
        xdd, rate = self._of_coordinates(in_state(self.arm, z), x, v)
        return np.concatenate([xdd, self.own.rates(x[:n], v[:n], z)]), rate

    def _of_coordinates(self, arm: Any, x: Any, v: Any) -> Rates:
        """Accelerations, and the power, of an arm without states of elements."""
        tau, f_tip = self._forces(x, v), self.f_tip
        if self.places:
            (q, theta), (qd, thetad) = self._parted(x), self._parted(v)
            qdd, thetadd, rate = flexible_motion(arm, q, qd, theta, thetad, tau, f_tip)
            return stacked(qdd, thetadd, self.places), rate
        arm_motion = rigid_motion(arm, x, v, tau, f_tip, near=self.loads, method=quicker_method(arm))
        self.loads = arm_motion.loads
        return arm_motion.qdd, arm_motion.power(arm, x, v, tau, f_tip)

    def equations(self, scheme: Scheme) -> Equations:
        """The equations of motion that the formula of a scheme calls."""
        alone = not (self.places or self.own or self.arm.model.constraints)
        return Momenta.traced(self.arm, self) if scheme.by_momenta and not alone else self

    # Momenta of a rigid arm without constraints, by its Lagrangian: fewer operations than by accelerations.

    def momenta(self, q: Any, qd: Any) -> Any:
        """p = dL/dqd = M qd."""
        return lagrangian_derivatives(self.arm, q, qd)[1]

    def rates_of_momenta(self, t: Any, q: Any, qd: Any) -> tuple[Any, Any, Any]:
        """p, dp/dt = dL/dq + tau - friction - J^T f_tip, and the power."""
        dL_dq, p = lagrangian_derivatives(self.arm, q, qd)
        forces = self._joint_forces(q, qd)
        return p, dL_dq + forces, (forces * qd).sum(axis=-1)

    def velocities(self, q: Any, p: Any) -> Any:
        """M(q)^-1 p."""
        return velocities_of_links(self.arm, q, p)

    def _joint_forces(self, q: Any, qd: Any) -> Any:
        """tau - friction - J^T f_tip."""
        forces, arm = self._forces(q, qd), self.arm
        if arm.drive.depends_on_load:
            arm_motion = rigid_motion(arm, q, qd, forces, self.f_tip, near=self.loads)
            self.loads = arm_motion.loads
            forces = forces - arm_motion.friction
        elif arm.drive.has_friction:
            forces = forces - algorithms.friction_forces(arm, q, qd)
        if arm.elements:
            forces = forces + dissipative_forces(arm, q, qd)
        return forces if self.f_tip is None else forces - algorithms.tip_forces(arm, q, self.f_tip)

    def _forces(self, x: Any, v: Any) -> Any:
        """Forces of the motors, less those of bristles."""
        return self.tau if self.bent is None else self.tau - self.bent.forces(*self._motors(x, v))

    # The state by name.

    def later(self, x: Array, v: Array, work: Any, heat: Any = 0.0) -> dict[str, Any]:
        """The state a step later by name; ``work`` and ``heat`` do not include what bristles and elements store."""
        more: dict[str, Any] = {}
        if self.own is not None:
            before, after, z = self.x[: self.dof], x[: self.dof], v[self.size :]
            x, v, more = x[: self.size], v[: self.size], {ELEMENTS: z}
            stored = self.own.energy(after, z) - self.own.energy(before, self.own.begin)
            work, heat = work + stored, heat - stored
        theta, thetad = self._motors(x, v)
        state = {"q": x[: self.dof], "qd": v[: self.dof], "theta": theta, "thetad": thetad, "work": work, "heat": heat}
        state |= more
        if self.bent is not None:
            stored = self.bent.stored(theta, thetad)
            state |= {BRISTLES: self.bent.at(theta, thetad), "work": work + stored, "heat": heat - stored}
        return state

    def projected(self, x: Array, v: Array) -> tuple[Array, Array]:
        """The state put onto the constraints, which act on the joints alone."""
        q, qd = projected(self.arm, x[: self.dof], v[: self.dof])
        return np.array([*q, *x[self.dof :]]), np.array([*qd, *v[self.dof :]])

    def _parted(self, x: Array) -> tuple[Array, Array]:
        return parted(x, self.dof, self.places)

    def _motors(self, x: Array, v: Array) -> tuple[Array, Array]:
        """theta and thetad of all joints."""
        return (self._parted(x)[1], self._parted(v)[1]) if self.places else (x, v)


def moved(
    scheme: Scheme, model: Any, acting: Mapping[str, Any], *, bristles: bool = False, project: bool = False
) -> dict[str, Any]:
    """The state of joints that do not stick a step later, by name."""
    arm = ArmInStep(model, acting, bristles=bristles)
    begin = (arm.x, arm.v) if arm.own is None else arm.own.before(arm.x, arm.v)
    state = (*begin, *(acting.get(name, 0.0) for name in ("work", *scheme.memory)))
    x, v, work, *memory = scheme.formula(arm.equations(scheme), arm(0.0, *begin), 0.0, state, acting["h"])
    x, v = arm.projected(x, v) if project else (x, v)
    return arm.later(x, v, work) | dict(zip(scheme.memory, memory, strict=True))
