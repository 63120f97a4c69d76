"""The inverse half: a hand's motion, the resulting joint motion, and its torques and reactions."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from armdyn.algorithms.joint_reactions import JointReactions
from armdyn.masp.circle import NEXT_TO_ZERO, circle_of_the_paper
from armdyn.masp.hand_load import HandLoad
from armdyn.masp.units import InputUnits, said_in
from armdyn.model.joint_units import in_si
from armdyn.motion.limits_passed import limits_left
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory import CartesianPath, JointStates, MotionError, TipMotion, follow

PUBLISHED = {"inverse_dynamics": (816, 708, 12), "forward_dynamics": (2468, 1879, 12)}
"""Multiplications, additions and trigonometric evaluations for a general arm of six revolute joints (sections 3, 4)."""


@dataclass(frozen=True, eq=False)
class MaspRun:
    """A hand's motion, the resulting joint motion, and its torques. All in SI.

    Args:
        robot: the arm.
        path: path of the hand.
        t: times, s, shape (T,).
        tip: pose, twist and twist rate of the hand in base axes, (T, 4, 4), (T, 6), (T, 6).
        joints: q, qd, qdd, rad or m, rad/s or m/s, ..., shape (T, n).
        tau: joint forces, N m or N, shape (T, n).
        f_tip: wrench the tip applies to its surroundings, in the tip frame, N m and N, shape (T, 6); None without one.
        units: units of tables, pictures and notes; None for SI, with degrees in pictures.
    """

    robot: Robot
    path: CartesianPath
    t: Array
    tip: TipMotion
    joints: JointStates
    tau: Array
    f_tip: Array | None = None
    units: InputUnits | None = None

    @property
    def reactions(self) -> JointReactions:
        """Reactions N_k and T_k of each link on the next, N and N m, shape (T, n, 3), at the joint's centre, base axes.

        They follow Kazerounian and Gupta (14), (15), with the collars of prismatic joints if the description has them
        (7, 8).
        """
        result: JointReactions = self.robot.joint_reactions(*self.joints, self.f_tip, expressed_in="base")
        return result

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on the limits of the arm that the motion exceeds, one for each kind."""
        unit_of = in_si if self.units is None else self.units.of
        return tuple(limits_left(self.robot, self.t, self.joints.q, self.joints.qd, self.tau, unit_of))


def run_masp(
    robot: Robot,
    path: CartesianPath | None = None,
    *,
    samples: int = 901,
    near: ArrayLike = NEXT_TO_ZERO,
    load: HandLoad | None = None,
    units: InputUnits | None = None,
) -> MaspRun:
    """Inverse kinematics, rates, accelerations, then joint forces tau, N m or N, shape (T, n), of a hand's path.

    Args:
        robot: the arm; "kg_puma" is the paper's.
        path: path of its tip; the paper's circle by default.
        samples: T, number of equally spaced times.
        near: joint positions near those at the start, rad or m, shape (n,).
        load: external load on the hand.
        units: units of the results' tables, pictures and messages; the numbers of the `MaspRun` are in SI.

    Raises:
        MotionError: a path that the arm cannot follow.

    >>> run = armdyn.masp.run_masp(armdyn.load("kg_puma"), samples=91)
    >>> turned = run.joints.q[-1] - run.joints.q[0]
    >>> (turned / np.pi).round(12) + 0.0
    array([0., 0., 0., 2., 0., 0.])
    """
    if samples < 2:
        raise MotionError(f"samples={samples!r}; expected two at least, a start and an end")
    path = circle_of_the_paper() if path is None else path
    t, tip = path.sampled(samples)
    with said_in(units):
        joints = follow(robot, path, t, near=near)
    f_tip = None if load is None else load.f_tip(robot, joints.q)
    return MaspRun(robot, path, t, tip, joints, robot.inverse_dynamics(*joints, f_tip), f_tip, units)
