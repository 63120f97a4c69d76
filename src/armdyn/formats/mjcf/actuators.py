"""The actuators of a compiled model: gears, rotors, friction of the shaft, and the DC motors of MuJoCo 4.

MuJoCo has an actuator's armature I and damping b on its own side of its gear G: reflected to the joint they are G^2 I
and G^2 b. Its controller is not part of the equations: tau is the force that it exerts on the joint.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.cogging import Cogging
from armdyn.actuators.gear import Gear
from armdyn.actuators.limits import MotorLimits
from armdyn.actuators.motor import Motor
from armdyn.actuators.thermal import Thermal
from armdyn.actuators.viscous import Viscous
from armdyn.base.errors import ArmdynError, ModelError
from armdyn.formats.mjcf.actuator_ranges import joint_of, most_voltage
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.friction import bristles_of, drag_of
from armdyn.model.friction import FrictionLaw
from armdyn.model.parts import JointPart
from armdyn.model.passive import Passive

WITH_DC_MOTORS = 4
"""The major version of MuJoCo since which its DC motors have the parameters that are read here."""


@dataclass(frozen=True)
class MjcfActuator:
    """One actuator of a compiled model."""

    compiled: CompiledMjcf
    index: int

    @property
    def label(self) -> str:
        """Its name or else its number, with its place in the file."""
        return self.compiled.label("actuator", self.index)

    @property
    def joint(self) -> int | None:
        """The number of the joint that it drives; None for other transmissions."""
        return joint_of(self.compiled, self.index)

    @property
    def gear(self) -> float:
        """G, its length per unit of the joint."""
        return float(self.compiled.m.actuator_gear[self.index, 0])

    def number(self, array: str, place: int | None = None) -> float:
        """A number of the actuator; zero if this version of MuJoCo has none."""
        row = self.compiled.numbers(f"actuator_{array}", self.index)
        return float(row if place is None else row[place])

    @property
    def is_dc_motor(self) -> bool:
        """True if it is a <dcmotor>."""
        mujoco = self.compiled.mujoco
        kind = getattr(mujoco.mjtGain, "mjGAIN_DCMOTOR", None)
        is_read = int(mujoco.__version__.partition(".")[0]) >= WITH_DC_MOTORS
        return is_read and kind is not None and self.compiled.m.actuator_gaintype[self.index] == int(kind)

    @property
    def is_disabled(self) -> bool:
        """True if the file switches its force off: that of all actuators, or of its group."""
        m, group = self.compiled.m, int(self.compiled.m.actuator_group[self.index])
        groups = int(getattr(m.opt, "disableactuator", 0))
        return self.compiled.disabled("actuation") or (0 <= group < 31 and bool(groups >> group & 1))

    @property
    def bears_on_motion(self) -> bool:
        """True if it acts on its joint without a command, or is a motor of known constants."""
        return self.joint is not None and (self.number("armature") != 0.0 or self.has_damping or self.is_dc_motor)

    @property
    def has_damping(self) -> bool:
        """True if its shaft has damping, linear or of higher powers."""
        return bool(self.number("damping") or np.any(self.drag))

    @property
    def drag(self) -> Any:
        """The higher coefficients of its damping."""
        return self.compiled.numbers("actuator_dampingpoly", self.index)

    @property
    def bristles(self) -> list[FrictionLaw]:
        """The LuGre law of a <dcmotor>, if it has a valid one; empty if the file switches its forces off."""
        is_on = self.is_dc_motor and self.bears_on_motion and not self.is_disabled
        return bristles_of(self.lugre, self.gear) if is_on else []

    @property
    def friction(self) -> list[FrictionLaw]:
        """The laws of its shaft other than damping, reflected to the joint."""
        return [*drag_of(self.drag, self.gear**2), *self.bristles]

    @property
    def lugre(self) -> list[float]:
        """s0, s1, coulomb, static and stribeck."""
        return [self.number("dynprm", 5), self.number("dynprm", 6), *(self.number("biasprm", k) for k in (3, 4, 5))]

    @property
    def actuator(self) -> Actuator:
        """The `Actuator` of the joint."""
        try:
            return Actuator(self._motor(), Gear(self.gear), self.friction or None)
        except ArmdynError as error:
            raise ModelError(f"{self.label}: {error}") from error

    def _motor(self) -> Motor:
        inertia, damping = self.number("armature"), self.number("damping")
        if not self.is_dc_motor:
            return Motor(inertia, damping=damping)
        R, K, alpha, T0 = (self.number("gainprm", place) for place in range(4))
        te, current_rate, RT, C, ambient = (self.number("dynprm", place) for place in range(5))
        amplitude, periods, phase = (self.number("biasprm", place) for place in range(3))
        limited = bool(self.compiled.m.actuator_forcelimited[self.index])
        return Motor(
            inertia,
            damping=damping,
            torque_constant=K or None,
            resistance=R or None,
            inductance=te * R,
            limits=MotorLimits(
                voltage=min(self.number("gainprm", 7) or np.inf, most_voltage(self.compiled, self.index)),
                current_rate=current_rate or np.inf,
                torque=self.number("forcerange", 1) if limited else np.inf,
            ),
            cogging=Cogging(amplitude, periods, phase) if amplitude else None,
            thermal=Thermal(RT, C, ambient=ambient, reference=T0, resistance_coefficient=alpha) if RT else None,
        )


def actuators_of(compiled: CompiledMjcf) -> list[MjcfActuator]:
    """Every actuator of the file. MuJoCo's nu counts their controls, of which one may have several."""
    return [MjcfActuator(compiled, a) for a in range(len(compiled.m.actuator_trntype))]


def joints_with_actuators(compiled: CompiledMjcf, joints: Sequence[JointPart], names: Sequence[str]) -> list[JointPart]:
    """The joints with their actuators: the first of each, DC motors before others, and numbers and laws of the rest.

    The numbers of the joint itself are its actuator's ``passive``, to which MuJoCo adds those of actuators; higher
    coefficients of its damping are a law of the actuator.
    """
    actuators: dict[str, Actuator] = {}
    for result in sorted(actuators_of(compiled), key=lambda actuator: not actuator.is_dc_motor):
        if not result.bears_on_motion or result.joint is None:
            continue
        name = names[result.joint]
        before = actuators.get(name)
        actuators[name] = result.actuator if before is None else _with_another(before, result)
    for j, name in enumerate(names):
        if laws := drag_of(compiled.numbers("dof_dampingpoly", compiled.m.jnt_dofadr[j])):
            actuators[name] = _rubbing(actuators.get(name), laws)
    return [_driven_by(joint, actuators.get(joint.name)) for joint in joints]


def _driven_by(joint: JointPart, actuator: Actuator | None) -> JointPart:
    """The joint with an actuator that adds to its own numbers."""
    if actuator is None:
        return joint
    own = (joint.armature, joint.damping, joint.friction)
    are_sound = all(0.0 <= number < np.inf for number in own)  # others are refused with the place of the joint
    driving = dataclasses.replace(actuator, passive=Passive(*own) if any(own) and are_sound else None)
    return dataclasses.replace(joint, actuator=driving, armature=joint.armature + (actuator.armature or 0.0))


def _with_another(actuator: Actuator, other: MjcfActuator) -> Actuator:
    """The actuator with the inertia of another on its joint, on its own gear's fast side, and the other's friction."""
    gear = actuator.gear or Gear()
    inertia = gear.inertia + other.gear**2 * other.number("armature") / gear.ratio**2
    damping = other.gear**2 * other.number("damping")
    laws = [*([Viscous(damping)] if damping else []), *other.friction]
    return _rubbing(dataclasses.replace(actuator, gear=dataclasses.replace(gear, inertia=inertia)), laws)


def _rubbing(actuator: Actuator | None, laws: Sequence[FrictionLaw]) -> Actuator:
    """The actuator with further laws."""
    if actuator is None:
        return Actuator(friction=laws)
    friction = (*(actuator.friction or ()), *laws)  # type: ignore[misc]  # a tuple since it was made
    return dataclasses.replace(actuator, friction=friction or None)
