"""Joint velocities or accelerations, with the singular values of the Jacobian and the unreached part of the motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.base.errors import ShapeError
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Joint velocities or accelerations for a motion of a frame, and the distance to a singularity. Immutable.

    Args:
        robot: name of the robot.
        values: qd in rad/s or m/s, or qdd in rad/s^2 or m/s^2, shape (..., n).
        missed: the requested motion minus that of ``values``, in the order (w, v), shape (..., 6); zero in free
            components.
        singular_values: singular values of the requested rows of J, greatest first, with lengths divided by ``length``,
            shape (..., min(rows, n)).
        condition: condition number, the greatest singular value over the smallest; infinite in a singularity, shape
            (...).
        rank: number of independent motions of the frame that the joints can make, shape (...).
        near_singular: the smallest singular value is below ``threshold`` of the greatest, shape (...).
        weak: the twist (w, v), of unit size with lengths divided by ``length``, that requires the largest joint motion;
            in a singularity one that they cannot make, shape (..., 6).
        length: length equivalent to one radian, m: the arm's own length.
        threshold, damping: the arguments of the call.
        components: number of requested components.
        per: units of the components.

    >>> robot = armdyn.load("ur5")
    >>> motion = robot.joint_rates([0.3, -1.2, 1.4, -0.7, 1.1, 0.2], [0, 0, 0, 0.1, 0, 0])
    >>> motion.values.shape, bool(motion.near_singular), bool(motion.condition < 50)
    ((6,), False, True)
    """

    robot: str
    values: Array
    missed: Array
    singular_values: Array
    condition: Array
    rank: Array
    near_singular: Array
    weak: Array
    length: float
    threshold: float
    damping: float
    components: int
    per: str

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def statement(self, *index: int) -> str:
        """One sentence on a state: singular or not, and the unreached part; ``index`` is its index in the batch.

        >>> robot = armdyn.load("planar_2r")
        >>> along_x, in_plane = [0, 0, 0, 0.1, 0, 0], ["vx", "vy"]
        >>> stretched = robot.joint_rates([0.3, 0.0], along_x, expressed_in="world", components=in_plane)
        >>> print(stretched.statement())
        singular: the joints cannot make the motion along v = (0.955, 0.296, 0);
        (0, 0, 0, 0.0913, 0.0282, 0) of what was asked for, in rad/s, m/s, is missed
        """
        if len(index) != self.rank.ndim:
            raise ShapeError(f"statement{index} of a batch of shape {self.rank.shape}; expected an index for each axis")
        if np.isnan(self.values[index]).any():
            return "not a number: what was given is not finite"
        parts = [self._of_singularity(index)]
        joints = self.values.shape[-1]
        if joints < self.components:
            parts.append(f"{joints} joints cannot give all {self.components} components")
        missed = self.missed[index]
        if np.abs(missed).max() > 1e-9 * max(1.0, float(np.abs(self.values[index]).max())):
            parts.append(f"{_tuple(missed)} of what was asked for, in {self.per}, is missed")
        return "; ".join(parts)

    def _of_singularity(self, index: tuple[int, ...]) -> str:
        smallest, greatest = self.singular_values[index][-1], self.singular_values[index][0]
        if np.isinf(self.condition[index]):
            return f"singular: the joints cannot make the motion along {_motion(self.weak[index])}"
        values = f"singular values {smallest:.3g} to {greatest:.3g}, condition {greatest / smallest:.3g}"
        if self.near_singular[index]:
            followed = "followed less than asked for" if self.damping else "followed exactly, at high joint rates"
            return f"near a singularity ({values}): the motion along {_motion(self.weak[index])} is {followed}"
        return f"regular ({values})"

    def __repr__(self) -> str:
        near = int(np.sum(self.near_singular))
        return f"<JointMotion of {self.robot!r}: {self.rank.size} states, {near} of them near a singularity>"


def _motion(twist: Array) -> str:
    """The twist as text, without parts that are zero."""
    unit = twist / np.linalg.norm(twist)
    parts = (("w", unit[:3]), ("v", unit[3:]))
    return " with ".join(f"{name} = {_tuple(part)}" for name, part in parts if np.abs(part).max() > 1e-6)


def _tuple(values: Array) -> str:
    cleaned = np.where(np.abs(values) < 1e-9 * np.abs(values).max(), 0.0, values)
    return f"({', '.join(f'{value:.3g}' for value in cleaned)})"
