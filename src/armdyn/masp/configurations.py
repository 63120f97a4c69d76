"""All configurations in which an arm reaches a pose of its hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import option
from armdyn.base.checks import whole_number
from armdyn.base.errors import ShapeError
from armdyn.kinematics.limits import FULL_TURN, length_of
from armdyn.masp.distinct import MOST, is_among, less_turns, one_of_each_continuum
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import fixed_pose


def configurations(robot: Robot, pose: ArrayLike, *, starts: int = 256, rounds: int = 8, seed: int = 0) -> Array:
    """Joint positions that bring the tip to a pose, rad or m, shape (m, n), the nearest to zero first.

    The search uses random starts, ``starts`` at a time, until a round finds no new configuration. An arm of six joints
    has up to sixteen. Completeness is not proved: the last round found no further one. Limits are not enforced; if
    whole turns bring a joint within its limits, they are used. If axes coincide, e.g. two of a stretched wrist, the
    configurations are a continuum, of which one is listed.

    Args:
        robot: robot with six joints, the number of conditions of a pose, or fewer.
        pose: T of the tip in base axes, m, shape (4, 4).
        starts: number of starts of each round.
        rounds: the largest number of rounds.
        seed: seed of the random starts.

    Raises:
        MotionError: a value that is not a pose.
        ShapeError: more than six joints.

    >>> robot = armdyn.load("kg_puma")
    >>> top = armdyn.masp.circle_of_the_paper().evaluate(0.0).pose
    >>> len(armdyn.masp.configurations(robot, top))
    8
    """
    T = fixed_pose("pose", pose)
    if robot.dof > 6:
        raise ShapeError(
            f"{robot.name!r} has {robot.dof} joints, and a pose six conditions: the configurations are a continuum. "
            f"Hold joints with {option('locked')}"
        )
    starts, rounds = whole_number("starts", starts, least=1), whole_number("rounds", rounds, least=1)
    random, (lowest, highest) = np.random.default_rng(seed), _range(robot)
    result: list[Array] = []
    for _ in range(rounds):
        before = len(result)
        q0 = random.uniform(lowest, highest, (starts, robot.dof))
        solution = robot.inverse_kinematics(np.broadcast_to(T, (starts, 4, 4)), q0, starts=1, limits=False)
        for q in solution.q[solution.success]:
            if not is_among(robot, T, q, result):
                result.append(q)
        if len(result) == before or len(result) > MOST:
            break
    if not result:
        return np.zeros((0, robot.dof))
    placed = [_nearest_turn(robot, q) for q in result]
    in_order = np.array(sorted(placed, key=lambda q: (round(float(np.linalg.norm(q)), 6), *q.round(6))))
    return one_of_each_continuum(robot, in_order) if len(in_order) > MOST else in_order


def _range(robot: Robot) -> tuple[Array, Array]:
    """The range of random starts, rad or m: a full turn; for a prismatic joint its limits or else the arm's length."""
    length = length_of(robot, {robot.model.frame().name})
    ends = []
    for joint in robot.joints:
        if joint.kind == "revolute":
            ends.append((-np.pi, np.pi))
        else:
            lower, upper = joint.limits.lower, joint.limits.upper
            ends.append((lower if np.isfinite(lower) else -length, upper if np.isfinite(upper) else length))
    lowest, highest = np.array(ends).T
    return lowest, highest


def _nearest_turn(robot: Robot, q: Array) -> Array:
    """The configuration with each angle in -pi to pi, or within its limits if whole turns bring it there."""
    result = less_turns(robot, q)
    for k, joint in enumerate(robot.joints):
        turns = (0.0, -FULL_TURN, FULL_TURN) if joint.kind == "revolute" else ()
        inside = [x for x in result[k] + np.array(turns) if joint.limits.lower <= x <= joint.limits.upper]
        result[k] = inside[0] if inside else result[k]
    return result
