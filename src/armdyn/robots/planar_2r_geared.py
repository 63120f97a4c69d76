"""The planar 2R arm of Modern Robotics 8.9.2: planar_2r with a geared motor at each joint.

Each motor has 1 kg, a stator of 0.005 kg m^2 and a rotor of 0.00125 kg m^2 about the joint's axis, and a gear of the
ratio G = 10 or 100. The book does not say how the 1 kg is divided; as all of it lies on the joint's axis, on the link
before, no number of the arm depends on that: here half is the rotor's. Nor does it state an inertia across the axis,
which a planar arm does not feel. Rotor and stator of motor 1 stand on the base, of motor 2 at the end of link 1.
"""

from __future__ import annotations

from typing import Any

from armdyn.actuators import Actuator, Gear, Motor, Rotor, Stator
from armdyn.robot import Robot

RATIO = 10.0
"""The first of the book's two."""


def build(*, gear_ratio: float = RATIO, **options: Any) -> Robot:
    """The arm with gears of this ratio, from planar_2r read with other options."""
    from armdyn.robots import load  # noqa: PLC0415

    arm = load("planar_2r", **options)
    drive = Actuator(
        Motor(rotor_inertia=0.00125),
        Gear(gear_ratio),
        rotor=Rotor(mass=0.5),
        stator=Stator(inertia=0.005, mass=0.5),
    )
    geared: Robot = arm.with_actuators(dict.fromkeys(arm.joint_names, drive)).renamed(name="planar_2r_geared")
    return geared
