"""The rank of A that a robot has in general, in contrast to that at one state."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from armdyn.constraints.arguments import ConstrainedRobot
from armdyn.constraints.rank import constraint_rank, states_near
from armdyn.spatial.rotations import Array

_ranks: WeakKeyDictionary[ConstrainedRobot, dict[float, int]] = WeakKeyDictionary()


def generic_rank(robot: ConstrainedRobot, q: Array, rank: int, rank_tolerance: float) -> int:
    """The greatest rank of A at known states, and at closed states near a first one of the robot.

    These are searched once for each robot.

    Args:
        robot: with constraints.
        q: joint positions of one state, rad or m, shape (n,).
        rank: the greatest that is known, of A at q or elsewhere.
        rank_tolerance: as for `constraint_rank`.
    """
    ranks = _ranks.setdefault(robot, {})
    if rank_tolerance not in ranks:
        near = (constraint_rank(robot, state, rank_tolerance=rank_tolerance).rank for state in states_near(robot, q))
        ranks[rank_tolerance] = max(near, default=0)
    ranks[rank_tolerance] = max(rank, ranks[rank_tolerance])
    return ranks[rank_tolerance]
