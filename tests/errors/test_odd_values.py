"""Values that are no number get the same outcome from every package: an error of armdyn's that names the argument."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import ArmdynError
from armdyn.constraints import ConstraintError
from armdyn.kinematics import TaskError
from armdyn.modern_robotics import JointTrajectory
from armdyn.simulation import Euler, SettingError
from armdyn.task_space import TaskSpaceError
from armdyn.trajectory import Cubic, MotionError

UR5, PLANAR = armdyn.load("ur5"), armdyn.load("planar_2r")
Q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
STATE = ([0.3, -1.2], [0.3, -1.2])
HELD = UR5.with_constraints(armdyn.constraints.Held("tool0", pose=UR5.forward_kinematics(Q)))


class Measured(np.ndarray):
    """An array of another library, with a unit."""

    units = "rad"


ODD = {
    "an integer beyond floats": 10**400,
    "bytes": b"3",
    "True": True,
    "NumPy's True": np.True_,
    "text": "3",
    "None": None,
    "complex": 1j,
    "NumPy's complex": np.complex128(1.0),
    "masked": np.ma.masked,
    "NaN": np.nan,
    "NumPy's NaN": np.float32("nan"),
    "a list": [1.0],
    "an array": np.ones(1),
    "a ragged list": [1.0, [2.0]],
    "a quantity": np.array(0.5).view(Measured),
    "a class": float,
}

CALLS: dict[str, tuple[str, type[ArmdynError], Callable[[object], object]]] = {
    "kinematics": ("tolerance", TaskError, lambda x: UR5.inverse_kinematics(np.eye(4), tolerance=x)),
    "joint rates": ("damping", TaskError, lambda x: armdyn.kinematics.joint_rates(UR5, Q, np.ones(6), damping=x)),
    "constraints": ("tolerance", ConstraintError, lambda x: HELD.close_loop(Q, tolerance=x)),
    "simulation": ("duration", SettingError, lambda x: armdyn.simulate(UR5, Q, duration=x)),
    "steps": ("step", SettingError, lambda x: Euler(step=x)),
    "task space": (
        "threshold",
        TaskSpaceError,
        lambda x: PLANAR.task_space(Q[:2], Q[:2], components="vx", threshold=x),
    ),
    "damping": ("damping", TaskSpaceError, lambda x: PLANAR.task_space(Q[:2], Q[:2], components="vx", damping=x)),
    "ellipsoids": (
        "point",
        TaskSpaceError,
        lambda x: armdyn.ellipsoids.velocity(UR5, Q, components=("vx", "vy"), point=x),
    ),
    "trajectory": ("duration", MotionError, lambda x: Cubic(1.0, x)),
    "modern_robotics": ("N", ArmdynError, lambda x: JointTrajectory([0.0], [1.0], 1.0, x, 3)),
    "inertia": ("radius", ArmdynError, lambda x: armdyn.inertia.sphere(x, mass=1.0)),
    "locked joints": ("locked", armdyn.ModelError, lambda x: armdyn.load("ur5", locked={"elbow_joint": x})),
    "formats": ("Units: length", armdyn.ModelError, lambda x: armdyn.Units(length=x)),
    "DH tables": (
        "theta",
        armdyn.ModelError,
        lambda x: armdyn.Robot.from_dh([(0.0, 0.0, 1.0, x)], convention="modified"),
    ),
    "identification": ("tolerance", armdyn.ModelError, lambda x: PLANAR.base_parameters(tolerance=x)),
}


@pytest.mark.parametrize("package", CALLS)
def test_what_is_no_number_is_refused(package: str) -> None:
    name, error, call = CALLS[package]
    for odd in ODD.values():
        with pytest.raises(error, match=rf"{name}\b.*(;|:) expected "):
            call(odd)


@pytest.mark.short_run(without=("float32-constraints",))
@pytest.mark.parametrize("package", [p for p in CALLS if p != "ellipsoids"])
@pytest.mark.parametrize("kind", [np.float32, np.array, Fraction])
def test_numbers_of_other_types_are_numbers(package: str, kind: Callable[[float], object]) -> None:
    value = {"simulation": 0.0625, "modern_robotics": 4.0, "constraints": 0.5}.get(package, 0.125)
    CALLS[package][2](kind(value))


def test_inverse_kinematics_does_not_import_the_simulator() -> None:
    source = armdyn.kinematics.__path__[0]
    assert "armdyn.simulation" not in "".join(path.read_text() for path in Path(source).glob("*.py"))
