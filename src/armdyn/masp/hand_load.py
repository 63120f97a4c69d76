"""External forces and moments on the hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class HandLoad:
    """A constant force and moment of the surroundings on the hand, at the hand point h.

    The recursion of Kazerounian and Gupta begins with them: N_7 and T_7 of (14) and (15), which the last link exerts,
    are their negatives.

    Args:
        force: force, N, shape (3,).
        moment: moment about h, N m, shape (3,).
        turning: True for vectors in the hand's axes, which rotate with them; False for base axes.
    """

    force: Array
    moment: Array
    turning: bool = False

    def f_tip(self, robot: Robot, q: Array) -> Array:
        """The wrench (m, f) that the tip applies to its surroundings, in its axes, N m and N, shape (..., 6)."""
        onto = np.concatenate([self.moment, self.force])
        if self.turning:
            return np.broadcast_to(-onto, (*q.shape[:-1], 6)).copy()
        into = np.swapaxes(robot.forward_kinematics(q)[..., :3, :3], -1, -2)
        return np.concatenate([-(into @ self.moment), -(into @ self.force)], axis=-1)
