"""Torques of time: a table of them, smooth between its breaks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline, make_interp_spline

from armdyn.checks import array
from armdyn.errors import ArmdynError
from armdyn.formats.csv_table import ColumnUnits
from armdyn.masp.hand_load import HandLoad
from armdyn.masp.units import InputUnits
from armdyn.robot import Robot
from armdyn.simulation.files import joint_tables
from armdyn.spatial.rotations import Array
from armdyn.trajectory import CartesianPath, follow

DEGREE = 5
"""Of the splines: between rows h apart their error falls with h^6, below that of fourth-order steps."""

ON_A_ROW = 1e-9
"""How far a break may be from a row's time, s."""

BETWEEN_ROWS, FEWEST_ROWS = 0.01, 49
"""Seconds between the rows of the torques of a path, at most; rows between two of its switches, at least."""

WHOSE = "the unit of the input file"


class TorqueTableError(ArmdynError, ValueError):
    """Rows or breaks of which no torques over time can be made."""


class TorqueTable:
    """Joint forces tau(t): a quintic spline through rows, in pieces between breaks.

    A cam law's third derivative jumps where its parts meet, and the torques have a corner there: such times are breaks,
    at which the spline ends and another begins, and a multistep method starts anew.

    Args:
        t: times of the rows, s, rising, shape (m,).
        tau: joint forces, N m or N, shape (m, n).
        breaks: some of the times.

    Raises:
        TorqueTableError: times that do not rise, a break that is no row's time.

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
        """tau at a time, of the later piece at a break, shape (n,); the ends are held."""
        k = int(np.clip(np.searchsorted(self.ends, t, side="right") - 1, 0, len(self.pieces) - 1))
        return self.in_piece(k, t)

    def in_piece(self, k: int, t: float) -> Array:
        """tau at a time, of piece k, shape (n,); its ends are held."""
        value: Array = self.pieces[k](min(max(t, self.ends[k]), self.ends[k + 1]))
        return value

    def _spline(self, rows: slice) -> BSpline:
        return make_interp_spline(self.t[rows], self.tau[rows], k=min(DEGREE, rows.stop - rows.start - 1))

    def _row(self, at: float) -> int:
        k = int(np.abs(self.t - at).argmin())
        if abs(self.t[k] - at) > ON_A_ROW:
            raise TorqueTableError(f"the break at {at:g} s is no row's time; the nearest is {self.t[k]:.12g} s")
        return k


def torques_of_path(
    robot: Robot, path: CartesianPath, *, near: ArrayLike, load: HandLoad | None = None, until: float | None = None
) -> TorqueTable:
    """The torques with which the arm follows a path: inverse dynamics in close rows, its breaks the path's switches.

    Args:
        robot: the arm.
        path: of its tip.
        near: joint positions near those at the start, rad or m, shape (n,).
        load: what acts on the hand from outside.
        until: s; the whole path where none is given.

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

    The file is a csv, or another that `armdyn.logs.read` reads. Joint forces are in the units given, and the names may
    state them: "tau_joint_1 [lbf in]"; times in s, or in the unit of a name such as "t [ms]". Files that `armdyn masp`
    writes can be read.

    Raises:
        LogError: no file, no table, another unit, an entry that is not a finite number, by line and column.
        TorqueTableError: fewer than two rows, a break between rows.
        UnknownName: a column of a joint that the robot does not have.
    """

    def of_file(quantity: str, kind: str) -> ColumnUnits:
        unit = units.of(kind, quantity)
        return ColumnUnits({unit.name: unit.si}, unit.si, WHOSE)

    given = joint_tables.read_torques(path, robot, units_of=of_file)
    try:
        return TorqueTable(*given, breaks)
    except TorqueTableError as error:
        raise TorqueTableError(f"{path}: {error}") from None
