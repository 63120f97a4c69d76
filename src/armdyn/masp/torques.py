"""Torques over time: a table with smooth interpolation between its breaks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline, make_interp_spline

from armdyn.base.checks import array
from armdyn.base.errors import ArmdynError
from armdyn.logs import joint_tables
from armdyn.logs.units import ColumnUnit, unit_of_column
from armdyn.masp.hand_load import HandLoad
from armdyn.masp.units import InputUnits
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory import CartesianPath, follow

DEGREE = 5
"""Degree of the splines: their error is of order h^6 in the spacing h of rows, below that of fourth-order steps."""

ON_A_ROW = 1e-9
"""Largest distance of a break from a row's time, s."""

BETWEEN_ROWS, FEWEST_ROWS = 0.01, 49
"""Largest time between rows of the torques of a path, s; least number of rows between two of its switches."""


class TorqueTableError(ArmdynError, ValueError):
    """Rows or breaks that do not define torques over time."""


class TorqueTable:
    """Joint forces tau(t): quintic splines through rows, one per segment between breaks.

    A cam law's third derivative jumps between its parts, and the torques have a corner there: such times are breaks, at
    which the spline ends and another begins, and a multistep method restarts.

    Args:
        t: increasing times of the rows, s, shape (m,).
        tau: joint forces, N m or N, shape (m, n).
        breaks: some of the times.

    Raises:
        TorqueTableError: times that do not increase, a break that is not the time of a row.

    >>> table = armdyn.masp.TorqueTable([0.0, 1.0, 2.0], [[0.0], [1.0], [0.0]], breaks=[1.0])
    >>> float(table.at(0.5)[0])
    0.5
    """

    def __init__(self, t: ArrayLike, tau: ArrayLike, breaks: Sequence[float] = ()) -> None:
        self.t = array("t", t, ("m",), finite=TorqueTableError)
        self.tau = array("tau", tau, ("m", "n"), "a row of joint forces a time", finite=TorqueTableError)
        if len(self.t) != len(self.tau) or len(self.t) < 2 or not (np.diff(self.t) > 0.0).all():
            raise TorqueTableError("torques need two rows at least, each with a time after that of the row before")
        rows = sorted({0, len(self.t) - 1, *(self._row(at) for at in breaks)})
        self.ends = self.t[rows]
        self.pieces = tuple(self._spline(slice(i, j + 1)) for i, j in pairwise(rows))

    @property
    def dof(self) -> int:
        """n, the number of joints."""
        return int(self.tau.shape[1])

    def at(self, t: float) -> Array:
        """tau at a time, at a break that of the later segment, shape (n,); constant beyond the ends."""
        k = int(np.clip(np.searchsorted(self.ends, t, side="right") - 1, 0, len(self.pieces) - 1))
        return self.in_piece(k, t)

    def in_piece(self, k: int, t: float) -> Array:
        """tau of segment k at a time, shape (n,); constant beyond its ends."""
        value: Array = self.pieces[k](min(max(t, self.ends[k]), self.ends[k + 1]))
        return value

    def _spline(self, rows: slice) -> BSpline:
        return make_interp_spline(self.t[rows], self.tau[rows], k=min(DEGREE, rows.stop - rows.start - 1))

    def _row(self, at: float) -> int:
        k = int(np.abs(self.t - at).argmin())
        if abs(self.t[k] - at) > ON_A_ROW:
            raise TorqueTableError(
                f"the break at {at:g} s is not a time of the table; the nearest is {self.t[k]:.12g} s"
            )
        return k


def torques_of_path(
    robot: Robot, path: CartesianPath, *, near: ArrayLike, load: HandLoad | None = None, until: float | None = None
) -> TorqueTable:
    """Torques with which the arm follows a path: inverse dynamics in close rows, with breaks at the path's switches.

    Args:
        robot: the arm.
        path: path of its tip.
        near: joint positions near those at the start, rad or m, shape (n,).
        load: external load on the hand.
        until: end time, s; that of the path by default.

    Raises:
        MotionError: a path that the arm cannot follow.
    """
    switches = path.switches
    ends = switches if until is None else np.append(switches[switches < until - ON_A_ROW], until)
    parts = [np.linspace(a, b, max(FEWEST_ROWS, int(np.ceil((b - a) / BETWEEN_ROWS)) + 1)) for a, b in _pairs(ends)]
    t = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
    joints = follow(robot, path, t, near=near)
    f_tip = None if load is None else load.f_tip(robot, joints.q)
    return TorqueTable(t, robot.inverse_dynamics(*joints, f_tip), breaks=ends[1:-1].tolist())


def _pairs(ends: Array) -> list[tuple[float, float]]:
    return list(pairwise(ends.tolist()))


def read_torques(path: Path, robot: Robot, units: InputUnits, breaks: Sequence[float] = ()) -> TorqueTable:
    """The torques in a table with a column t and a column tau_JOINT for each joint; other columns are not used.

    The file is a CSV file, or another one that `armdyn.logs.read` reads. Joint forces are in the given units, times
    in s, or in the unit of a name, such as "tau_joint_1 [N m]" or "t [ms]". Files that
    `armdyn masp` writes can be read.

    Raises:
        LogError: no file, no table, a unit of another quantity, an entry that is not a finite number, by line.
        TorqueTableError: fewer than two rows, a break between rows.
        UnknownName: a column of a joint that the robot does not have.
    """

    def of_file(quantity: str, kind: str) -> ColumnUnit:
        return ColumnUnit(unit_of_column(quantity, kind).si, units.of(kind, quantity).si)

    values = joint_tables.read_torques(path, robot, units_of=of_file)
    try:
        return TorqueTable(*values, breaks)
    except TorqueTableError as error:
        raise TorqueTableError(f"{path}: {error}") from None
