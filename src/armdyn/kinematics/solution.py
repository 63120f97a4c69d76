"""Solutions of inverse kinematics: configurations, their errors, and the reason of each failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.base.advice import option
from armdyn.base.errors import ArmdynError, ShapeError
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from pandas import DataFrame

CONVERGED = "converged"
OUT_OF_REACH = "out of reach"
AT_LIMIT = "held by limits"
SINGULAR = "singular"
TOO_FEW_JOINTS = "too few joints"
ITERATION_LIMIT = "iteration limit"
NOT_A_NUMBER = "not a number"


class NoSolution(ArmdynError, ValueError):
    """Targets without a solution, if one was required."""


class ReachBound(NamedTuple):
    """A bound on the reach: requested ``distance`` and largest one ``at_most``, m, from the axis of a joint."""

    distance: float
    at_most: float
    joint: str
    frame: str


@dataclass(frozen=True, eq=False)
class Solution(Tabulated):
    """Joint positions for the targets of an arm, their remaining errors and the reason of each failure. Immutable.

    Args:
        q: joint positions, rad or m, shape (..., n); the nearest ones found if the target was not met.
        success: True if the target is met within the tolerance and all limits, shape (...).
        status: a word for each target, shape (...): "converged", "out of reach", "held by limits", "singular",
            "too few joints", "iteration limit", "not a number".
        position_error: remaining distance, m, the greatest of all tasks, shape (...).
        angle_error: remaining angle, rad, the greatest of all tasks, shape (...).
        iterations: number of steps of the search, for all starts, shape (...).
        starts: number of starts, shape (...).
        held: -1 or 1 if the lower or upper limit of a joint prevents a failed target, otherwise 0, shape (..., n).
        smallest_singular_value: smallest singular value of the task's Jacobian at a failed target's q, relative to the
            greatest; NaN for targets that are met, shape (...).
        tolerance: tolerance, m and rad.
        joint_names: names of the joints in the order of q.

    >>> robot = armdyn.load("ur5")
    >>> solution = robot.inverse_kinematics(robot.forward_kinematics([0.3, -1.2, 1.4, -0.7, 1.1, 0.2]))
    >>> solution
    <Solution for 'ur5': 1 of 1 targets met within 1e-10>
    """

    robot: str
    q: Array
    success: Array
    status: Array
    position_error: Array
    angle_error: Array
    iterations: Array
    starts: Array
    held: Array
    smallest_singular_value: Array
    tolerance: float
    joint_names: tuple[str, ...]
    limits: Array
    reaches: dict[tuple[int, ...], ReachBound]

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def reason(self, *index: int) -> str:
        """One sentence on the result of one target; ``index`` is its index in the batch.

        >>> robot = armdyn.load("planar_2r")
        >>> print(robot.inverse_kinematics([3.0, 4.0, 0.0]).reason())
        out of reach: the target is 5 m from the axis of 'joint_1', and 'tip' gets at most 2 m from it; 3 m are left
        """
        if len(index) != self.success.ndim:
            raise ShapeError(f"reason{index} of a batch of shape {self.success.shape}; expected an index for each axis")
        status = str(self.status[index])
        if status == NOT_A_NUMBER:
            return "not a number: the target or the start is not finite"
        text = f"{_quantity(self.position_error[index], 'm')} and {_quantity(self.angle_error[index], 'rad')} are left"
        if self.angle_error[index] == 0.0:
            text = f"{_quantity(self.position_error[index], 'm')} are left"
        if status == CONVERGED:
            return f"converged: {text} after {self.iterations[index]} iterations from {self.starts[index]} starts"
        return f"{status}: {self._why(status, index)}; {text}"

    def _why(self, status: str, index: tuple[int, ...]) -> str:
        nearest = f"at the nearest of what {self.starts[index]} starts led to"
        if status == OUT_OF_REACH:
            reach = self.reaches[tuple(k % size for k, size in zip(index, self.success.shape, strict=True))]
            return (
                f"the target is {reach.distance:.6g} m from the axis of {reach.joint!r}, "
                f"and {reach.frame!r} gets at most {reach.at_most:.6g} m from it"
            )
        if status == AT_LIMIT:
            return f"{nearest}, {self._limits_reached(index)}"
        if status == SINGULAR:
            return (
                f"{nearest}, the arm is singular (smallest singular value "
                f"{self.smallest_singular_value[index]:.1e} of the greatest) and cannot move towards the target"
            )
        if status == TOO_FEW_JOINTS:
            return f"{nearest}, {len(self.joint_names)} joints cannot meet all conditions at once"
        return f"{nearest}, the search still went on; more {option('iterations')} or {option('starts')} may help"

    def _limits_reached(self, index: tuple[int, ...]) -> str:
        limits = []
        for joint, side, bounds in zip(self.joint_names, self.held[index], self.limits, strict=True):
            if side:
                limits.append(f"{'upper' if side > 0 else 'lower'} limit of {joint!r} ({bounds[int(side > 0)]:.6g})")
        return f"the way on is barred by the {' and the '.join(limits)}"

    def required(self) -> Array:
        """q, if every target is met.

        Raises:
            NoSolution: some targets are not met; the message contains them and the reasons.
        """
        failed = np.argwhere(~self.success)
        if not len(failed):
            return self.q
        states = [tuple(map(int, index)) for index in failed[:5]]
        lines = [f"target{list(index) if index else ''} {self.reason(*index)}" for index in states]
        more = [f"... and {len(failed) - 5} more"] if len(failed) > 5 else []
        head = f"{self.robot!r}: {len(failed)} of {self.success.size} targets are not met within {self.tolerance:g}"
        raise NoSolution("\n  ".join([f"{head}:", *lines, *more]))

    def table(self) -> TextTable:
        """The table that ``print`` shows, one row per target: status, remaining errors, effort and joint positions."""
        from armdyn.kinematics.summary import summary  # noqa: PLC0415 - it needs this class

        return summary(self)

    def to_dataframe(self) -> DataFrame:
        """A ``pandas.DataFrame`` with one row per target, including those that `table` omits.

        Raises:
            MissingLibrary: pandas is not installed.
        """
        from armdyn.kinematics.summary import summary  # noqa: PLC0415 - it needs this class

        return summary(self, most=self.success.size).to_dataframe()

    def __repr__(self) -> str:
        counts = f"{int(self.success.sum())} of {self.success.size} targets met within {self.tolerance:g}"
        words, numbers = np.unique(self.status[~self.success], return_counts=True)
        others = "".join(f"; {number} {word}" for word, number in zip(words, numbers, strict=True))
        return f"<Solution for {self.robot!r}: {counts}{others}>"


def spread(finite: Array, batch: tuple[int, ...], values: Array, missing: object) -> Array:
    """Values of the finite states of a batch at their indices, with ``missing`` at the others."""
    result = np.full((len(finite), *values.shape[1:]), missing, dtype=values.dtype)
    result[finite] = values
    return result.reshape((*batch, *values.shape[1:]))


def _quantity(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}"
