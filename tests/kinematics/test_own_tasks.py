"""Tasks of the user's own in inverse kinematics, beside built-in ones, Pinocchio and SciPy."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

import armdyn
from armdyn.algorithms import center_of_mass, forward_kinematics, jacobian
from armdyn.kinematics import Pose, Position, Task, TaskError
from kinematics.arms import reachable
from oracles.cases import Case


@dataclass(frozen=True)
class Place(Task):
    """The origin of a frame lies at a point."""

    p: ArrayLike
    frame: str | None = None
    weight: float = 1.0
    targets: ClassVar = {"p": (3,)}
    unit = "m"

    def error(self, model: Any, q: Any) -> Any:
        return forward_kinematics(model, q, frame=self.frame)[:3, 3] - self.p


@dataclass(frozen=True)
class PlaceByJacobian(Place):
    sign: float = 1.0

    def jacobian(self, model: Any, q: Any) -> Any:
        return self.sign * jacobian(model, q, frame=self.frame, expressed_in="world")[3:]


@dataclass(frozen=True)
class LookAt(Task):
    """The z axis of a frame passes through a point."""

    point: ArrayLike
    frame: str | None = None
    targets: ClassVar = {"point": (3,)}
    unit = "m"

    def error(self, model: Any, q: Any) -> Any:
        T = forward_kinematics(model, q, frame=self.frame)
        return (T[:3, :3].T @ (self.point - T[:3, 3]))[:2]


@dataclass(frozen=True)
class Balance(Task):
    """The centre of mass has this x and y."""

    xy: ArrayLike
    targets: ClassVar = {"xy": (2,)}
    unit = "m"

    def error(self, model: Any, q: Any) -> Any:
        return center_of_mass(model, q)[:2] - self.xy


@dataclass(frozen=True)
class Sum(Task):
    """The sum of some joint angles, without target fields: a number is an error of one row."""

    joints: tuple[int, ...]
    value: float

    def error(self, model: Any, q: Any) -> Any:
        return sum(q[i] for i in self.joints) - self.value


def test_a_task_of_ones_own_finds_the_solutions_of_a_built_in_one(ur5: Case) -> None:
    q = reachable(ur5.robot, 30, seed=1)
    p, q0 = ur5.robot.forward_kinematics(q)[:, :3, 3], reachable(ur5.robot, 30, seed=2)
    built_in = ur5.robot.inverse_kinematics(Position(p), q0)
    for task in (Place(p), PlaceByJacobian(p)):
        own = ur5.robot.inverse_kinematics(task, q0)
        assert own.success.all()
        np.testing.assert_allclose(own.q, built_in.q, rtol=0, atol=1e-9)
        assert (own.iterations == built_in.iterations).all()


def test_a_camera_looks_at_points_from_places(ur5: Case) -> None:
    """Beside Pinocchio's poses: the point lies on the z axis of the frame."""
    rng = np.random.default_rng(3)
    points = rng.uniform([0.5, -0.2, -0.1], [0.8, 0.2, 0.2], (20, 3))
    place = [0.3, 0.2, 0.5]
    solution = ur5.robot.inverse_kinematics([Position(place), LookAt(points)])
    assert solution.success.all(), solution
    frame = ur5.pin.getFrameId(ur5.robot.tip)
    for q, point in zip(solution.q, points, strict=True):
        pin.framesForwardKinematics(ur5.pin, ur5.data, ur5.pin_q(q))
        pose = ur5.data.oMf[frame]
        np.testing.assert_allclose(pose.translation, place, atol=1e-10)
        assert np.linalg.norm(np.cross(pose.rotation[:, 2], point - pose.translation)) < 2e-10


def test_the_centre_of_mass_and_a_pose_at_once(panda: Case) -> None:
    """Seven joints meet six conditions of the pose and one of the balance."""
    q = reachable(panda.robot, 5, seed=4)
    T = panda.robot.forward_kinematics(q)
    centres = np.array([pin.centerOfMass(panda.pin, panda.data, panda.pin_q(one)).copy() for one in q])

    @dataclass(frozen=True)
    class Height(Task):
        z: ArrayLike
        targets: ClassVar = {"z": ()}
        unit = "m"

        def error(self, model: Any, q: Any) -> Any:
            return center_of_mass(model, q)[2] - self.z

    solution = panda.robot.inverse_kinematics([Pose(T), Height(centres[:, 2])], starts=200)
    assert solution.success.all(), solution
    reached = [pin.centerOfMass(panda.pin, panda.data, panda.pin_q(one))[2] for one in solution.q]
    np.testing.assert_allclose(reached, centres[:, 2], atol=2e-10)
    np.testing.assert_allclose(panda.robot.forward_kinematics(solution.q), T, atol=2e-10)


def test_what_cannot_be_met_is_the_least_squares_of_scipy() -> None:
    """A 2R arm cannot balance where it cannot reach."""
    robot = armdyn.load("planar_2r")
    solution = robot.inverse_kinematics(Balance([0.0, 5.0]), q0=[1.0, 0.2])
    assert solution.status == "singular"
    found = least_squares(lambda q: robot.center_of_mass(q)[:2] - [0.0, 5.0], [1.0, 0.2], ftol=1e-15, xtol=1e-15)
    assert solution.position_error == pytest.approx(np.sqrt(2.0 * found.cost), rel=1e-9)
    np.testing.assert_allclose(robot.center_of_mass(solution.q)[:2], [0.0, 1.5], atol=1e-7)  # stretched upwards


def test_fields_that_are_not_targets_are_compiled_in(ur5: Case) -> None:
    for joints in ((0, 1), (2, 3, 4)):
        solution = ur5.robot.inverse_kinematics(Sum(joints, 0.7), q0=[0.1, -0.4, 0.3, 0.2, 0.5, 0.0])
        assert solution.success
        assert solution.q[list(joints)].sum() == pytest.approx(0.7, abs=1e-10)
    assert np.allclose(solution.q[[0, 1, 5]], [0.1, -0.4, 0.0])


def test_a_weight_of_zero_leaves_a_task_out_and_frames_have_a_default(ur5: Case) -> None:
    point = ur5.robot.forward_kinematics([0.3, -1.2, 1.4, -0.7, 1.1, 0.2], frame="forearm_link")[:3, 3]
    only = ur5.robot.inverse_kinematics([Place(point), Place([9.0, 9.0, 9.0], weight=0.0)], frame="forearm_link")
    assert only.success
    named = ur5.robot.inverse_kinematics(Place(point, frame="forearm_link"))
    np.testing.assert_array_equal(named.q, only.q)


def test_targets_of_a_batch_that_are_not_numbers(ur5: Case) -> None:
    p = ur5.robot.forward_kinematics(reachable(ur5.robot, 3, seed=5))[:, :3, 3]
    p[1] = np.nan
    assert ur5.robot.inverse_kinematics(Place(p)).status.tolist() == ["converged", "not a number", "converged"]


class Bare(Task):
    def error(self, model: Any, q: Any) -> Any:
        return q


@dataclass(frozen=True)
class Matrix(Task):
    def error(self, model: Any, q: Any) -> Any:
        return np.outer(q, q)


@dataclass(frozen=True)
class Short(Place):
    def jacobian(self, model: Any, q: Any) -> Any:
        return jacobian(model, q, frame=self.frame)[3:, :2]


@dataclass(frozen=True)
class Listed(Task):
    joints: list[int]

    def error(self, model: Any, q: Any) -> Any:
        return q[self.joints]


@dataclass(frozen=True)
class Degrees(Sum):
    unit = "deg"  # type: ignore[assignment]


@dataclass(frozen=True)
class Unknown(Sum):
    targets: ClassVar = {"angle": ()}


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Bare(), "Bare is a Task without fields; put @dataclass"),
        (Matrix(), "error of Matrix has shape (6, 6); expected (rows,), or a number"),
        (Short([0.4, 0.1, 0.3]), "jacobian of Short has shape (3, 2); expected (3, 6)"),
        (PlaceByJacobian([0.4, 0.1, 0.3], sign=-1.0), "jacobian of PlaceByJacobian: J^T e differs from the gradient"),
        (Listed([0, 1]), "joints of Listed is a list, which cannot be compiled in; make it a tuple"),
        (Degrees((0, 1), 1.0), "unit='deg' of Degrees; expected 'm' or 'rad'"),
        (Unknown((0, 1), 1.0), "targets of Unknown names 'angle', which is not one of its fields"),
        (Place([0.4, 0.1, 0.3], weight=-1.0), "weight of Place"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_mistakes_are_named(ur5: Case, task: Task, message: str) -> None:
    with pytest.raises(TaskError) as caught:
        ur5.robot.inverse_kinematics(task)
    assert message in str(caught.value)
