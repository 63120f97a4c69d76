"""How many operations one evaluation takes, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.cases import Case


@dataclass(frozen=True)
class Operations:
    """Operations of one evaluation; negations are not counted."""

    robot: str
    function: str
    multiplications: int
    additions: int
    divisions: int
    square_roots: int = 0
    other: int = 0  # exponentials and powers; comparisons, signs, sizes


def operations(case: Case, functions: list[str]) -> list[Operations]:
    """The counts of armdyn's programs."""
    import armdyn

    robot = armdyn.Robot.from_urdf(case.urdf)
    rows = []
    for name in functions:
        rows.append(_counted(case.name, name, getattr(robot, name)))
    bare = robot.without_friction()
    for what, actuator in actuators().items():
        actuated = bare.with_actuators(dict.fromkeys(bare.joint_names, actuator))
        for name in ("inverse_dynamics", "forward_dynamics"):
            rows.append(_counted(case.name, f"{name}, {what}", getattr(actuated, name)))
    return rows


def actuators() -> dict[str, Any]:
    """What every joint of an arm gets, by what it is."""
    from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Sigmoid, Stribeck, Viscous, published

    gear = Gear(efficiency=0.8, back_efficiency=0.6)
    return {
        "nothing that rubs": None,
        "viscous, rotor": Actuator(Motor(0.1), friction=Viscous(0.3)),
        "viscous, Coulomb": Actuator(friction=[Viscous(0.3), Coulomb(1.0)]),
        "viscous, Stribeck": Actuator(friction=[Viscous(0.3), Stribeck(2.0, 1.0, 0.1)]),
        "sigmoid": Actuator(friction=Sigmoid(1.0, 5.0, 0.04)),
        "gear loss": Actuator(gear=gear),
        "gear loss, rotor": Actuator(Motor(0.1), gear),
        **{law: Actuator(friction=published.servo("MX-106", law).friction) for law in ("M3", "M4", "M5", "M6")},
    }


def _counted(robot: str, name: str, function: Any) -> Operations:
    counts = function.op_counts
    numbers = (counts.multiplications, counts.additions, counts.divisions, counts.square_roots, counts.other)
    return Operations(robot, name, *numbers)
