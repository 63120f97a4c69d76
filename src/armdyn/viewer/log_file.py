"""A log of joint states, a csv, as a recording."""

from __future__ import annotations

from pathlib import Path

from armdyn.robot import Robot
from armdyn.simulation.files.log_file import read_log_file
from armdyn.viewer.errors import LogError
from armdyn.viewer.recording import Recording


def read_log(path: str | Path, robot: Robot, *, rate: float | None = None) -> Recording:
    """The motion in a csv: a column t, q_JOINT for each joint, and qd_, qdd_ and tau_ where they are known.

    Units stand in the header, such as "q_elbow [deg]". Rows with NaN or infinity are left out, which a note says.

    Args:
        path: of the file, or "-" for standard input.
        robot: whose joints the columns name.
        rate: rows a second, Hz, of a log without times.

    Raises:
        LogError: no table, no times and no rate or both, times that do not rise, columns that are missing.
        UnknownName: a column of a joint that the robot does not have.
        ShapeError: a table without a header whose columns are not those of q, qd and qdd.
    """
    log = read_log_file(Path(path), robot, rate=rate, error=LogError)
    return Recording(log.t, log.q, log.qd, log.qdd, log.tau, name=log.name, notes=log.notes)
