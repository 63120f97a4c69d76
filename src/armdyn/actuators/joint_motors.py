"""The motors of a robot and the coordinates that they move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.motor import Motor
from armdyn.base.advice import either
from armdyn.base.errors import ModelError, Unsupported
from armdyn.base.scalars import Scalar
from armdyn.model.joint import Joint
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array

COMMANDS = ("torque", "voltage")
"""The quantities by which a motor is commanded."""


class JointMotor(NamedTuple):
    """A motor and the coordinate q that it moves.

    Args:
        coordinate: the place in q.
        motor: on the joint.
        ratio: G, turns of the rotor for one of the coordinate.
        offset: the rotor's angle at q = 0, rad.
    """

    coordinate: int
    motor: Motor
    ratio: float
    offset: float

    def speed(self, qd: Array) -> Scalar:
        """w = G qd, of the rotor, rad/s."""
        return self.ratio * qd[self.coordinate]

    def cogging_torque(self, q: Array) -> Scalar:
        """The cogging torque at the rotor's angle, N m."""
        return self.motor.cogging_torque(self.ratio * q[self.coordinate] + self.offset)

    def motor_torque(self, tau: Array, q: Array) -> Scalar:
        """k_t I = tau/G - tau_cogging, N m, of joint forces tau."""
        return tau[self.coordinate] / self.ratio - self.cogging_torque(q)

    def joint_force(self, torque: Scalar, q: Array) -> Scalar:
        """tau = G (k_t I + tau_cogging), N m or N, of a torque k_t I."""
        return self.ratio * (torque + self.cogging_torque(q))


def motor_count(model: Model) -> int:
    """The number of joints that have a motor."""
    return sum(_motor_of(joint) is not None for joint in model.joints)


CONSTANTS = {"torque_constant": "N m/A", "resistance": "ohm"}
"""The constants that a motor may lack, and their units."""


def motors_of(mechanism: Mechanism, *needs: str) -> list[JointMotor]:
    """The motors, in the order of the coordinates that they move.

    Args:
        mechanism: of the robot.
        needs: those of `CONSTANTS` that every motor must have.

    Raises:
        ModelError: a robot without motors, or motors without a required constant.
        Unsupported: a motor on a joint that several coordinates move, or two motors on joints of one coordinate,
            because their separate torques do not follow from the motion.
    """
    if not motor_count(mechanism.model):
        raise ModelError(
            f"{mechanism.name!r} has no motors; "
            + either(
                "robot.with_actuators({'elbow': Actuator(Motor(...), Gear(...))}) gives it some",
                "a file gives it some: --actuators FILE",
            )
        )
    if problems := list(_lacking(mechanism.model, needs)):
        raise ModelError(problems)
    motors: dict[int, JointMotor] = {}
    drive = mechanism.drive
    for body, terms, offset in zip(mechanism.links, drive.terms, drive.offsets, strict=False):
        joint = mechanism.model.joints[body.joint]
        motor = _motor_of(joint)
        if motor is None:
            continue
        if len(terms) != 1 or terms[0][0] in motors:
            reason = (
                "several coordinates move it" if len(terms) != 1 else "another joint that moves with it has one too"
            )
            raise Unsupported(
                f"the motor of joint {joint.name!r} of {mechanism.name!r}: {reason}, so its torque does not follow "
                "from the motion; expected one motor for each coordinate, on a joint that it alone moves"
            )
        (coordinate, factor), G = terms[0], _ratio_of(joint)
        motors[coordinate] = JointMotor(coordinate, motor, float(factor) * G, float(offset) * G)
    return [motors[coordinate] for coordinate in sorted(motors)]


def _lacking(model: Model, needs: Sequence[str]) -> Iterator[str]:
    """The constants that motors lack, a sentence each."""
    for joint in model.joints:
        motor = _motor_of(joint)
        for name in needs if motor is not None else ():
            if getattr(motor, name) is None:
                where = f"the motor of joint {joint.name!r} of {model.name!r}"
                yield f"{name} of {where} is not given; the equations need it, in {CONSTANTS[name]}: Motor({name}=...)"


def _motor_of(joint: Joint) -> Motor | None:
    return joint.actuator.motor if isinstance(joint.actuator, Actuator) else None


def _ratio_of(joint: Joint) -> float:
    return 1.0 if joint.actuator is None else joint.actuator.gear_ratio
