"""The numbers that the documentation of the package prints, version 1.1.1, to the digits it prints."""

from typing import Any

import numpy as np
import pytest

import armdyn.modern_robotics as mr
from oracles.screw_lists import BOOK

PI = np.pi
Q, QD, QDD = np.array([0.1, 0.1, 0.1]), np.array([0.1, 0.2, 0.3]), np.array([2, 1.5, 1])
G, F = np.array([0, 0, -9.8]), np.ones(6)
SO3 = np.array([[0, -3, 2], [3, 0, -1], [-2, 1, 0]])
QUARTER = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 3], [0, 0, 0, 1]])
PERMUTED = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
HOME = np.array([[-1, 0, 0, 0], [0, 1, 0, 6], [0, 0, -1, 2], [0, 0, 0, 1]])
BODY = np.array([[0, 0, -1, 2, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0.1]]).T
SPACE = np.array([[0, 0, 1, 4, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, -1, -6, 0, -0.1]]).T
FOUR = np.array([[0, 0, 1, 0, 0.2, 0.2], [1, 0, 0, 2, 0, 3], [0, 1, 0, 0, 2, 1], [1, 0, 0, 0.2, 0.3, 0.4]]).T
FOUR_Q = np.array([0.2, 1.1, 0.1, 1.2])
THETA = np.array([PI / 2.0, 3, PI])
REACHED = [[0, 1, 0, -5], [1, 0, 0, 4], [0, 0, -1, 1.68584073], [0, 0, 0, 1]]
GOAL = np.array([[0, 1, 0, -5], [1, 0, 0, 4], [0, 0, -1, 1.6858], [0, 0, 0, 1]])
OFF = np.array([[1.0, 0.0, 0.0], [0.0, 0.1, -0.95], [0.0, 1.0, 0.1]])
OFF_SE3 = np.array([[1.0, 0.0, 0.0, 1.2], [0.0, 0.1, -0.95, 1.5], [0.0, 1.0, 0.1, -0.9], [0.0, 0.0, 0.1, 0.98]])
NEAR = np.array([[0.675, 0.150, 0.720], [0.370, 0.771, -0.511], [-0.630, 0.619, 0.472]])
NEAR_SE3 = np.vstack([np.column_stack([NEAR, [1.2, 5.4, 3.6]]), [0.003, 0.002, 0.010, 0.9]])
PROJECTED = [
    [0.67901136, 0.14894516, 0.71885945],
    [0.37320708, 0.77319584, -0.51272279],
    [-0.63218672, 0.61642804, 0.46942137],
]
START = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
END = np.array([[0, 0, 1, 0.1], [1, 0, 0, 0], [0, 1, 0, 4.1], [0, 0, 0, 1]])
LAST = [0, 0, 0, 1]

PRINTED: dict[str, tuple[tuple[Any, ...], Any, float]] = {
    "NearZero": ((-1e-7,), True, 0),
    "Normalize": (([1, 2, 3],), [0.26726124, 0.53452248, 0.80178373], 6e-9),
    "RotInv": ((PERMUTED,), [[0, 1, 0], [0, 0, 1], [1, 0, 0]], 0),
    "VecToso3": (([1, 2, 3],), SO3, 0),
    "so3ToVec": ((SO3,), [1, 2, 3], 0),
    "MatrixExp3": (
        (SO3,),
        [
            [-0.69492056, 0.71352099, 0.08929286],
            [-0.19200697, -0.30378504, 0.93319235],
            [0.69297817, 0.6313497, 0.34810748],
        ],
        6e-9,
    ),
    "MatrixLog3": (
        (PERMUTED,),
        [[0, -1.20919958, 1.20919958], [1.20919958, 0, -1.20919958], [-1.20919958, 1.20919958, 0]],
        6e-9,
    ),
    "DistanceToSO3": ((OFF,), 0.08835, 5e-6),
    "TestIfSO3": ((OFF,), False, 0),
    "ProjectToSO3": ((NEAR,), PROJECTED, 6e-9),
    "RpToTrans": ((QUARTER[:3, :3], [1, 2, 5]), [[1, 0, 0, 1], [0, 0, -1, 2], [0, 1, 0, 5], LAST], 0),
    "TransInv": ((QUARTER,), [[1, 0, 0, 0], [0, 0, 1, -3], [0, -1, 0, 0], LAST], 0),
    "VecTose3": (([1, 2, 3, 4, 5, 6],), [[0, -3, 2, 4], [3, 0, -1, 5], [-2, 1, 0, 6], [0, 0, 0, 0]], 0),
    "se3ToVec": (([[0, -3, 2, 4], [3, 0, -1, 5], [-2, 1, 0, 6], [0, 0, 0, 0]],), [1, 2, 3, 4, 5, 6], 0),
    "Adjoint": (
        (QUARTER,),
        [
            [1, 0, 0, 0, 0, 0],
            [0, 0, -1, 0, 0, 0],
            [0, 1, 0, 0, 0, 0],
            [0, 0, 3, 1, 0, 0],
            [3, 0, 0, 0, 0, -1],
            [0, 0, 0, 0, 1, 0],
        ],
        0,
    ),
    "ScrewToAxis": (([3, 0, 0], [0, 0, 1], 2), [0, 0, 1, 0, -3, 2], 0),
    "MatrixExp6": (
        ([[0, 0, 0, 0], [0, 0, -1.57079632, 2.35619449], [0, 1.57079632, 0, 2.35619449], [0, 0, 0, 0]],),
        [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 3], LAST],
        3e-8,
    ),
    "MatrixLog6": (
        (QUARTER,),
        [[0, 0, 0, 0], [0, 0, -1.57079633, 2.35619449], [0, 1.57079633, 0, 2.35619449], [0, 0, 0, 0]],
        6e-9,
    ),
    "DistanceToSE3": ((OFF_SE3,), 0.134931, 5e-7),
    "TestIfSE3": ((OFF_SE3,), False, 0),
    "ProjectToSE3": ((NEAR_SE3,), [[*r, p] for r, p in zip(PROJECTED, [1.2, 5.4, 3.6], strict=True)] + [LAST], 6e-9),
    "FKinBody": ((HOME, BODY, THETA), REACHED, 6e-9),
    "FKinSpace": ((HOME, SPACE, THETA), REACHED, 6e-9),
    "JacobianBody": (
        (FOUR, FOUR_Q),
        [
            [-0.04528405, 0.99500417, 0, 1],
            [0.74359313, 0.09304865, 0.36235775, 0],
            [-0.66709716, 0.03617541, -0.93203909, 0],
            [2.32586047, 1.66809, 0.56410831, 0.2],
            [-1.44321167, 2.94561275, 1.43306521, 0.3],
            [-2.06639565, 1.82881722, -1.58868628, 0.4],
        ],
        6e-9,
    ),
    "JacobianSpace": (
        (FOUR, FOUR_Q),
        [
            [0, 0.98006658, -0.09011564, 0.95749426],
            [0, 0.19866933, 0.4445544, 0.28487557],
            [1, 0, 0.89120736, -0.04528405],
            [0, 1.95218638, -2.21635216, -0.51161537],
            [0.2, 0.43654132, -2.43712573, 2.77535713],
            [0.2, 2.96026613, 3.23573065, 2.22512443],
        ],
        6e-9,
    ),
    "ad": (
        ([1, 2, 3, 4, 5, 6],),
        [
            [0, -3, 2, 0, 0, 0],
            [3, 0, -1, 0, 0, 0],
            [-2, 1, 0, 0, 0, 0],
            [0, -6, 5, 0, -3, 2],
            [6, 0, -4, 3, 0, -1],
            [-5, 4, 0, -2, 1, 0],
        ],
        0,
    ),
    "InverseDynamics": ((Q, QD, QDD, G, F, *BOOK), [74.69616155, -33.06766016, -3.23057314], 6e-9),
    "MassMatrix": (
        (Q, *BOOK),
        [
            [2.25433380e01, -3.07146754e-01, -7.18426391e-03],
            [-3.07146754e-01, 1.96850717e00, 4.32157368e-01],
            [-7.18426391e-03, 4.32157368e-01, 1.91630858e-01],
        ],
        6e-8,
    ),
    "VelQuadraticForces": ((Q, QD, *BOOK), [0.26453118, -0.05505157, -0.00689132], 6e-9),
    "GravityForces": ((Q, G, *BOOK), [28.40331262, -37.64094817, -5.4415892], 6e-9),
    "EndEffectorForces": ((Q, F, *BOOK), [1.40954608, 1.85771497, 1.392409], 6e-9),
    "ForwardDynamics": ((Q, QD, [0.5, 0.6, 0.7], G, F, *BOOK), [-0.97392907, 25.58466784, -32.91499212], 6e-9),
    "CubicTimeScaling": ((2, 0.6), 0.216, 1e-15),
    "QuinticTimeScaling": ((2, 0.6), 0.16308, 1e-15),
    "JointTrajectory": (
        ([1, 0, 0, 1, 1, 0.2, 0, 1], [1.2, 0.5, 0.6, 1.1, 2, 2, 0.9, 1], 4, 6, 3),
        [
            [1, 0, 0, 1, 1, 0.2, 0, 1],
            [1.0208, 0.052, 0.0624, 1.0104, 1.104, 0.3872, 0.0936, 1],
            [1.0704, 0.176, 0.2112, 1.0352, 1.352, 0.8336, 0.3168, 1],
            [1.1296, 0.324, 0.3888, 1.0648, 1.648, 1.3664, 0.5832, 1],
            [1.1792, 0.448, 0.5376, 1.0896, 1.896, 1.8128, 0.8064, 1],
            [1.2, 0.5, 0.6, 1.1, 2, 2, 0.9, 1],
        ],
        1e-14,
    ),
    "ScrewTrajectory": (
        (START, END, 5, 4, 3),
        [
            START,
            [[0.904, -0.25, 0.346, 0.441], [0.346, 0.904, -0.25, 0.529], [-0.25, 0.346, 0.904, 1.601], LAST],
            [[0.346, -0.25, 0.904, -0.117], [0.904, 0.346, -0.25, 0.473], [-0.25, 0.904, 0.346, 3.274], LAST],
            END,
        ],
        6e-4,
    ),
    "CartesianTrajectory": (
        (START, END, 5, 4, 5),
        [
            START,
            [[0.937, -0.214, 0.277, 0.811], [0.277, 0.937, -0.214, 0], [-0.214, 0.277, 0.937, 1.651], LAST],
            [[0.277, -0.214, 0.937, 0.289], [0.937, 0.277, -0.214, 0], [-0.214, 0.937, 0.277, 3.449], LAST],
            END,
        ],
        6e-4,
    ),
    "ComputedTorque": (
        (Q, QD, [0.2, 0.2, 0.2], G, *BOOK, [1.0, 1.0, 1.0], [2, 1.2, 2], [0.1, 0.1, 0.1], 1.3, 1.2, 1.1),
        [133.00525246, -29.94223324, -3.03276856],
        6e-9,
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed(name: str) -> None:
    arguments, printed, half_a_digit = PRINTED[name]
    np.testing.assert_allclose(getattr(mr, name)(*arguments), printed, rtol=0, atol=half_a_digit)


def test_axis_and_angle_printed() -> None:
    axis, theta = mr.AxisAng3([1, 2, 3])
    np.testing.assert_allclose(axis, [0.26726124, 0.53452248, 0.80178373], rtol=0, atol=6e-9)
    assert theta == pytest.approx(3.7416573867739413, rel=1e-15)
    S, theta = mr.AxisAng6([1, 0, 0, 1, 2, 3])
    np.testing.assert_array_equal(S, [1, 0, 0, 1, 2, 3])
    assert theta == 1.0


def test_rotation_and_position_printed() -> None:
    R, p = mr.TransToRp(QUARTER)
    np.testing.assert_array_equal(R, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    np.testing.assert_array_equal(p, [0, 0, 3])


def test_inverse_kinematics_printed() -> None:
    for name, axes, printed in (
        ("IKinBody", BODY, [1.57073819, 2.999667, 3.14153913]),
        ("IKinSpace", SPACE, [1.57073783, 2.99966384, 3.1415342]),
    ):
        q, found = getattr(mr, name)(axes, HOME, GOAL, np.array([1.5, 2.5, 3]), 0.01, 0.001)
        assert found is True
        np.testing.assert_allclose(q, printed, rtol=0, atol=6e-9)


def test_euler_step_printed() -> None:
    q, qd = mr.EulerStep(Q, QD, QDD, 0.1)
    np.testing.assert_allclose(q, [0.11, 0.12, 0.13], rtol=0, atol=1e-15)
    np.testing.assert_allclose(qd, [0.3, 0.35, 0.4], rtol=0, atol=1e-15)
