"""What the numbers of a study are called."""

from __future__ import annotations

import pytest

import armdyn
from armdyn.studies.labels import component_labels

WRENCH = [
    f"f_tip {axis} [{unit}]"
    for axis, unit in zip(("mx", "my", "mz", "fx", "fy", "fz"), ["N m"] * 3 + ["N"] * 3, strict=True)
]


@pytest.mark.parametrize(
    ("robot", "name", "shape", "labels"),
    [
        ("ur5", "f_tip", (6,), WRENCH),
        ("ur5", "final.bristles", (6,), [f"final.bristles {k}" for k in range(6)]),
        ("rp", "q0", (2,), ["q0 joint_1 [rad]", "q0 joint_2 [m]"]),
        ("planar_3r", "gravity", (3,), ["gravity x [m/s^2]", "gravity y [m/s^2]", "gravity z [m/s^2]"]),
        ("planar_3r", "Kp", (3,), ["Kp joint_1", "Kp joint_2", "Kp joint_3"]),
        ("rp", "joint_error", (), ["joint_error [rad or m]"]),
        ("rp", "table", (2, 2), [f"table {k}" for k in range(4)]),
    ],
)
def test_labels(robot: str, name: str, shape: tuple[int, ...], labels: list[str]) -> None:
    assert component_labels(armdyn.load(robot), name, shape) == labels
