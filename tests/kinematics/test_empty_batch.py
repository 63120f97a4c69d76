"""Searches of which none fails leave nothing to diagnose, which scipy before its version 1.15 does not take."""

from typing import Any

import numpy as np
import pytest
import scipy.spatial.transform

import armdyn


class OldRotation:
    """What scipy 1.11 does of no matrices."""

    @staticmethod
    def from_matrix(matrices: np.ndarray) -> Any:
        if len(matrices) == 0:
            raise ValueError("Invalid shape in axis 0: 0.")
        return NEW.from_matrix(matrices)


NEW = scipy.spatial.transform.Rotation


def test_no_failure_needs_no_rotation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scipy.spatial.transform, "Rotation", OldRotation)
    robot = armdyn.load("ur5")
    q = np.array([0.3, -1.1, 1.2, 0.4, 0.9, -0.2])
    reached = robot.inverse_kinematics(robot.forward_kinematics(q), q0=q + 0.01)
    assert reached.success.all()
    far = np.eye(4)
    far[0, 3] = 5.0
    assert not robot.inverse_kinematics(far).success.any()
