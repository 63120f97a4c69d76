"""A controller that computes with a model of its own, which may not be the arm's."""

from __future__ import annotations

from armdyn.base.errors import SettingError, ShapeError
from armdyn.control.wrapping import Inside, Run, Values
from armdyn.declaration import Function
from armdyn.model.mechanism import Mechanism
from armdyn.robot import Robot


def with_model(controller: Function, robot: Robot) -> Function:
    """A controller whose mass matrix, bias forces and poses are those of another robot.

    They are M~ and h~ in Modern Robotics 11.35. Otherwise a controller has the exact model of
    the arm of the loop, with its parameters and payloads. Wrappers around this one use the loop's arm again.

    Args:
        controller: the controller inside.
        robot: its model of the arm, with as many joints.

    Raises:
        SettingError: a value that is not a robot.
        ShapeError: when it is traced, a robot of another number of joints.

    A UR5 with 3 kg in its hand, which is not in the controller's model, sags:

    >>> robot = armdyn.load("ur5")
    >>> unaware = armdyn.control.with_model(armdyn.control.computed_torque, robot)
    >>> loop = armdyn.ClosedLoop(robot, unaware, parameters=["tool0.payload.mass"])
    >>> q0, still = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2]), np.zeros(6)
    >>> aim = {"q_ref": q0, "qd_ref": still, "qdd_ref": still, "Kp": np.full(6, 100.0), "Kd": np.full(6, 20.0)}
    >>> rolled = loop(q0, steps=2000, tool0_payload_mass=[0.0, 3.0], **aim)
    >>> (abs(rolled.final.q - q0).max(axis=-1) > 0.05).tolist()
    [False, True]
    """
    if not isinstance(robot, Robot):
        raise SettingError(f"robot={robot!r} is not a Robot; armdyn.load('ur5') makes one from a name or a file")
    inside = Inside(controller)

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        if robot.dof != model.dof:
            raise ShapeError(f"the model {robot.name!r} has {robot.dof} joints; the arm {model.name!r} has {model.dof}")
        return run(values)

    doc = f"Joint forces tau, N m or N, shape (..., n), computed with a model of {robot.name!r}."
    return inside.wrapped(with_model, law, doc, settings={"robot": robot}, believed=robot)
