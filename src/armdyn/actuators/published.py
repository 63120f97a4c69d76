"""Actuators of robots and servos with the published numbers of their identification, and the source of each.

Each function gives a mapping for ``robot.with_actuators``, by the names that the joints have in the makers' own
descriptions; other names are given as ``joints``.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.coulomb import Coulomb
from armdyn.actuators.direction_dependent import DirectionDependent
from armdyn.actuators.motor import Motor
from armdyn.actuators.servo_friction import ServoFriction
from armdyn.actuators.sigmoid import Sigmoid
from armdyn.actuators.viscous import Viscous
from armdyn.base.checks import number
from armdyn.base.errors import ModelError, ShapeError, UnknownName

PANDA = (
    (0.54615, 5.1181, 0.039533),
    (0.87224, 9.0657, 0.025882),
    (0.64068, 10.136, -0.04607),
    (1.2794, 5.5903, 0.036194),
    (0.83904, 8.3469, 0.026226),
    (0.30301, 17.133, -0.021047),
    (0.56489, 10.336, 0.0035526),
)
"""Parameters by joint: p1, N m; p2, s/rad; p3, rad/s."""

PANDA_JOINTS = tuple(f"panda_joint{k}" for k in range(1, 8))

UR10E = (
    (0.0000, 21.2560035178975, 12.5483919746119, 0.196127531079290),
    (3.7434, 20.2209078488147, 13.2656448586672, -0.753542068699768),
    (0.0000, 10.3777424977617, 4.99431320112810, 0.197915175643975),
    (0.0708, 3.57505079619634, 1.99785409182665, 0.0548203669462869),
    (0.2342, 2.49090134851989, 2.69046065664555, -0.00961090201631413),
    (0.4365, 3.02555317117942, 2.29785428883088, 0.0425285989157143),
)
"""Parameters by joint: reflected inertia, kg m^2; viscous friction, N m s/rad; Coulomb friction and its offset, N m."""

UR10E_JOINTS = tuple(
    f"{name}_joint" for name in ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
)


def panda(joints: Sequence[str] = PANDA_JOINTS) -> dict[str, Actuator]:
    """Friction of the Franka Emika Panda, the sigmoids of Gaz et al. 2019 (IEEE RA-L 4(4), 4147-4154).

    The numbers are those of the authors' code (FrankaEmikaPandaDynModel). They were identified on the torque sensors at
    the output of the gears, so they are smaller than the friction at the motors. Rotor inertias were not published.

    Args:
        joints: names of the seven joints, from the base.

    >>> armdyn.actuators.published.panda()["panda_joint1"].friction
    (Sigmoid(span=0.54615, steepness=5.1181, offset=0.039533),)
    """
    return _by_joint(joints, [Actuator(friction=Sigmoid(*numbers)) for numbers in PANDA], "the Panda")


def ur10e(joints: Sequence[str] = UR10E_JOINTS) -> dict[str, Actuator]:
    """Friction and reflected rotor inertias of a UR10e, of Mamedov and Mikhel 2020 (Front. Robot. AI 7:571574).

    The numbers are those of the first author's repository (dynamic_calibration), whose friction is Fv qd + Fc sign(qd)
    + F0:
    Coulomb friction of Fc + F0 forwards and Fc - F0 backwards. The inertia of joint 1 cannot be distinguished from that
    of its link and counts as 0; that of joint 3 is 0 as the bound of the fit.

    Args:
        joints: names of the six joints, from the base.

    >>> armdyn.actuators.published.ur10e()["elbow_joint"].friction[0]
    Viscous(coefficient=10.3777424977617)
    """
    actuators = []
    for inertia, viscous, coulomb, offset in UR10E:
        dry = DirectionDependent(Coulomb(coulomb + offset), Coulomb(coulomb - offset))
        actuators.append(Actuator(Motor(rotor_inertia=inertia), friction=[Viscous(viscous), dry]))
    return _by_joint(joints, actuators, "the UR10e")


def servo(name: str, law: str = "M6") -> Actuator:
    """A servo as Rhoban's BAM identified it: reflected inertia and friction (Duclusaud et al., arXiv:2410.08650).

    The numbers are those of the authors' repository (Rhoban/bam, Apache 2.0); they belong together with the law. The
    STS3215 ran at 7.4 V (revision 31e5b97), the ST3025 at 12 V (revision 27f3fa5, M4 and M6).

    Args:
        name: "MX-64", "MX-106", "eRob80:50", "eRob80:100", "STS3215" or "ST3025".
        law: "M1" to "M6", a law of `ServoFriction`.

    Raises:
        UnknownName: another servo or law.

    >>> round(armdyn.actuators.published.servo("MX-106", "M3").armature, 6)
    0.024847
    """
    rows = _servos()
    if name not in rows:
        raise UnknownName.of("servo", name, tuple(rows), "armdyn.actuators.published")
    if law not in rows[name]:
        raise UnknownName.of("law", law, tuple(rows[name]), f"servo {name!r}")
    numbers = dict(rows[name][law])
    return Actuator(Motor(rotor_inertia=numbers.pop("armature")), friction=ServoFriction(**numbers))


class PositionServo(NamedTuple):
    """A position servo as its joint sees it: tau = clip(stiffness (q_goal - q), -limit, limit) - damping qd.

    ``stiffness`` in N m/rad, ``damping`` by back-EMF in N m s/rad, ``limit`` in N m.
    """

    stiffness: float
    damping: float
    limit: float


class _Drive(NamedTuple):
    """Supply, V; the largest part of it; the part of it per radian and unit of the gain register."""

    supply: float
    largest: float
    part: float


DRIVES = {"STS3215": _Drive(7.4, 0.97, 0.166), "ST3025": _Drive(12.0, 1.0, 0.166)}
"""Supplies and position loops of servos, of the actuators in Rhoban/bam."""


def position_servo(name: str, law: str = "M6", *, gain: float = 32.0, supply: float | None = None) -> PositionServo:
    """The position loop of a servo of BAM: V = clip(gain a r (q_goal - q)) supply, tau = kt/R (V - kt qd).

    a is the part of the supply per radian and unit of the gain, 0.166; r its correction, kt and R were identified
    together with the law of friction.

    Args:
        name: "STS3215" or "ST3025".
        law: of the friction, as for `servo`.
        gain: the servo's register of the proportional gain; 32 from the factory, 16 in LeRobot.
        supply: V; that of the identification if None.

    Raises:
        UnknownName: another servo or law.
        ModelError: a gain or a supply that is not above zero.

    >>> servo = armdyn.actuators.published.position_servo("STS3215", "M4", gain=16)
    >>> round(servo.stiffness, 2), round(servo.damping, 3), round(servo.limit, 2)
    (11.87, 0.648, 3.67)
    """
    rows = _drives()
    if name not in rows:
        raise UnknownName.of("position servo", name, tuple(rows), "armdyn.actuators.published")
    if law not in rows[name]:
        raise UnknownName.of("law", law, tuple(rows[name]), f"servo {name!r}")
    kt, R, ratio = (rows[name][law][key] for key in ("torque_constant", "resistance", "gain_ratio"))
    loop = DRIVES[name]
    V = number("supply", loop.supply if supply is None else supply, above=0.0, unit="V", error=ModelError)
    P = number("gain", gain, above=0.0, error=ModelError)
    return PositionServo(P * loop.part * ratio * V * kt / R, kt * kt / R, loop.largest * V * kt / R)


def _servos() -> dict[str, dict[str, dict[str, float]]]:
    """Inertia and friction by servo and law, as far as the law has them."""
    return _table("servos.csv")


def _drives() -> dict[str, dict[str, dict[str, float]]]:
    """Torque constants, resistances and gains by servo and law."""
    return _table("servo_drives.csv")


@cache
def _table(file_name: str) -> dict[str, dict[str, dict[str, float]]]:
    """The numbers of a file by servo and law."""
    result: dict[str, dict[str, dict[str, float]]] = {}
    with (resources.files("armdyn.actuators") / file_name).open() as file:
        for row in csv.DictReader(file):
            name, law = row.pop("servo"), row.pop("law")
            result.setdefault(name, {})[law] = {key: float(value) for key, value in row.items() if value}
    return result


def _by_joint(joints: Sequence[str], actuators: Sequence[Actuator], owner: str) -> dict[str, Actuator]:
    if len(joints) != len(actuators):
        raise ShapeError(f"{len(joints)} joints are named; expected {len(actuators)}, those of {owner}")
    return dict(zip(joints, actuators, strict=True))
