"""The SI unit of each quantity of a joint, by the kind of the joint."""

from __future__ import annotations

UNITS = {
    "revolute": {
        "q": "rad",
        "qd": "rad/s",
        "qdd": "rad/s^2",
        "jerk": "rad/s^3",
        "snap": "rad/s^4",
        "tau": "N m",
        "integral": "rad s",
        "momentum": "N m s",
        "stiffness": "N m/rad",
        "gain": "N m/A",
        "armature": "kg m^2",
        "damping": "N m s/rad",
        "friction": "N m",
        "offset": "N m",
    },
    "prismatic": {
        "q": "m",
        "qd": "m/s",
        "qdd": "m/s^2",
        "jerk": "m/s^3",
        "snap": "m/s^4",
        "tau": "N",
        "integral": "m s",
        "momentum": "N s",
        "stiffness": "N/m",
        "gain": "N/A",
        "armature": "kg",
        "damping": "N s/m",
        "friction": "N",
        "offset": "N",
    },
}


def in_si(kind: str, quantity: str) -> tuple[str, float]:
    """The SI unit of a joint's quantity, and that it is one."""
    return UNITS[kind][quantity], 1.0
