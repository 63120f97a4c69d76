"""The actuators of a compiled model: gears, rotors, friction of the shaft, and the DC motors of MuJoCo 4.

MuJoCo has an actuator's armature I and damping b on its own side of its gear G: the joint feels G^2 I and G^2 b. What
its controller does is no part of the equations: tau is what it puts on the joint.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
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
from armdyn.errors import ArmdynError, ModelError
from armdyn.formats.mjcf.actuator_ranges import most_voltage, ranges_not_used
from armdyn.formats.mjcf.compiler import Compiled
from armdyn.formats.mjcf.friction import bristles_of, drag_of, is_left_out
from armdyn.model.friction import FrictionLaw
from armdyn.model.messages import listing
from armdyn.model.parts import JointPart
from armdyn.model.passive import Passive

SHOWN = 10
"""The most actuators that one note names."""

WITH_DC_MOTORS = 4
"""The major version of MuJoCo since which its DC motors have the parameters that are read here."""


@dataclass(frozen=True)
class MjcfActuator:
    """One actuator of a compiled model."""

    compiled: Compiled
    index: int

    @property
    def label(self) -> str:
        """Its name or else its number, with its place in the file."""
        return self.compiled.label("actuator", self.index)

    @property
    def joint(self) -> int | None:
        """The number of the joint that it drives; None of other transmissions."""
        m, types = self.compiled.m, self.compiled.mujoco.mjtTrn
        on_joint = (int(types.mjTRN_JOINT), int(types.mjTRN_JOINTINPARENT))
        return int(m.actuator_trnid[self.index, 0]) if m.actuator_trntype[self.index] in on_joint else None

    @property
    def gear(self) -> float:
        """G, its length for one of the joint."""
        return float(self.compiled.m.actuator_gear[self.index, 0])

    def number(self, array: str, place: int | None = None) -> float:
        """A number of the actuator; zero where this version of MuJoCo has none."""
        row = self.compiled.numbers(f"actuator_{array}", self.index)
        return float(row if place is None else row[place])

    @property
    def is_dc_motor(self) -> bool:
        """Whether it is a <dcmotor>."""
        mujoco = self.compiled.mujoco
        kind = getattr(mujoco.mjtGain, "mjGAIN_DCMOTOR", None)
        is_read = int(mujoco.__version__.partition(".")[0]) >= WITH_DC_MOTORS
        return is_read and kind is not None and self.compiled.m.actuator_gaintype[self.index] == int(kind)

    @property
    def bears_on_motion(self) -> bool:
        """Whether its joint feels it without a command, or it is a motor of known constants."""
        is_felt = self.number("armature") != 0.0 or self.number("damping") != 0.0 or bool(drag_of(self.drag))
        return self.joint is not None and (is_felt or self.is_dc_motor)

    @property
    def drag(self) -> Any:
        """The higher coefficients of its damping."""
        return self.compiled.numbers("actuator_dampingpoly", self.index)

    @property
    def bristles(self) -> list[FrictionLaw]:
        """The LuGre law of a <dcmotor>, where it has one that fits."""
        return bristles_of(self._lugre, self.gear) if self.is_dc_motor and self.bears_on_motion else []

    @property
    def friction(self) -> list[FrictionLaw]:
        """The laws of its shaft besides damping, as the joint feels them."""
        return [*drag_of(self.drag, self.gear**2), *self.bristles]

    @property
    def _lugre(self) -> list[float]:
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

    @property
    def not_used(self) -> str:
        """The numbers of its gear, its ranges and its controller that no equation contains."""
        gear = "" if self.bears_on_motion or self.gear == 1.0 else f"gear {self.gear:g}"
        of_kind = self._of_dc_motor() if self.is_dc_motor else self._gains()
        ranges = ranges_not_used(self.compiled, self.index, is_read=self.is_dc_motor and self.bears_on_motion)
        return ", ".join(filter(None, (gear, *of_kind, *ranges)))

    def _of_dc_motor(self) -> Iterator[str]:
        gains = {"kp": ("gainprm", 4), "ki": ("gainprm", 5), "kd": ("gainprm", 6), "slewmax": ("dynprm", 7),
                 "Imax": ("dynprm", 8)}  # fmt: skip
        yield from (f"{name} {value:g}" for name, place in gains.items() if (value := self.number(*place)))
        if self._lugre[0] and not self.bristles:
            yield f"lugre {' '.join(f'{value:g}' for value in self._lugre)}"

    def _gains(self) -> Iterator[str]:
        m, mujoco, a = self.compiled.m, self.compiled.mujoco, self.index
        kind = mujoco.mjtGain(m.actuator_gaintype[a])
        if kind != mujoco.mjtGain.mjGAIN_FIXED:
            yield kind.name.removeprefix("mjGAIN_").lower()
            return
        gain, (offset, by_length, by_rate) = self.number("gainprm", 0), m.actuator_biasprm[a, :3]
        if m.actuator_biastype[a] != mujoco.mjtBias.mjBIAS_AFFINE:
            yield from [f"gain {gain:g}"] if gain != 1.0 else []
        elif offset == 0.0 and by_length == -gain:
            yield f"kp {gain:g}"
            yield from [f"kv {-by_rate:g}"] if by_rate else []
        elif offset == by_length == 0.0 and by_rate == -gain:
            yield f"kv {gain:g}"
        else:
            yield f"gain {gain:g}, bias {offset:g} {by_length:g} {by_rate:g}"


def actuators_of(compiled: Compiled) -> list[MjcfActuator]:
    """Every actuator of the file. MuJoCo's nu counts their controls, of which one may have several."""
    return [MjcfActuator(compiled, a) for a in range(len(compiled.m.actuator_trntype))]


def driven(compiled: Compiled, joints: Sequence[JointPart], names: Sequence[str]) -> list[JointPart]:
    """The joints with their actuators: the first of each, a DC motor before others; of the rest numbers and laws.

    What the joint itself has is its actuator's ``passive``, to which MuJoCo adds; higher coefficients of its damping
    are a law of the actuator.
    """
    actuators: dict[str, Actuator] = {}
    for found in sorted(actuators_of(compiled), key=lambda actuator: not actuator.is_dc_motor):
        if not found.bears_on_motion or found.joint is None:
            continue
        name = names[found.joint]
        before = actuators.get(name)
        actuators[name] = found.actuator if before is None else _with_another(before, found)
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


def notes_on_actuators(compiled: Compiled) -> Iterator[str]:
    """Notes on the parts of the file's actuators that no equation contains."""
    actuators = actuators_of(compiled)
    if not actuators:
        return
    one = len(actuators) == 1
    counted = "1 actuator is" if one else f"{len(actuators)} actuators are"
    felt = any(actuator.bears_on_motion for actuator in actuators)
    but = ", but for what their joints feel of gears, rotors and shafts" if felt else ""
    yield f"{counted} not part of the equations{but}: tau is what {'it puts' if one else 'they put'} on the joints"
    unused = [f"{actuator.label} ({said})" for actuator in actuators if (said := actuator.not_used)]
    if unused:
        yield f"not used of actuators: {listing(unused, SHOWN)}"
    motors = [a for a in actuators if a.is_dc_motor and a.bears_on_motion]
    second = [a.label for k, a in enumerate(motors) if a.joint in {other.joint for other in motors[:k]}]
    if second:
        yield f"constants of the second motor on a joint are left out: {listing(second, SHOWN)}"
    bristles = [actuator.label for actuator in actuators if actuator.bristles]
    if bristles:
        yield (
            f"LuGre friction of {listing(bristles, SHOWN)}: its bristles bend in simulate and ClosedLoop, all other "
            "functions count it as at a steady velocity (armdyn.actuators.LuGre)"
        )
    bent = [actuator.label for actuator in actuators if is_left_out(actuator.drag)]
    if bent:
        yield f"the negative higher coefficients of the damping of {listing(bent, SHOWN)} are left out"
