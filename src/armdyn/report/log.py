"""Recorded joint states as a motion: a csv of positions over time, and what else of the motion it has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from armdyn.checks import number
from armdyn.errors import UnknownName
from armdyn.formats.csv_table import OF_TIME, Column, ColumnUnits, CsvTable, units_of
from armdyn.report.errors import ReportError
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from armdyn.simulation.energy import EnergyAccount
from armdyn.simulation.trajectory import Statistics
from armdyn.spatial.rotations import Array

QUANTITIES = ("q", "qd", "qdd", "tau")

FEWEST = 3
"""Rows of a log."""


def read_log(path: str | Path, robot: Robot, *, rate: float | None = None) -> Trajectory:
    """The motion of a log: a csv with a column t, and a column q_JOINT for each joint, in SI or with units.

    Where there are no columns of qd or qdd they are derivatives of the quintic spline through q, which make much of
    noise; where there are none of tau they are inverse dynamics. A note says so. The first time counts as it stands.

    Args:
        path: of the csv; columns such as "t [ms]", "q_elbow [deg]", "qd_elbow [deg/s]", "tau_elbow [N m]". Other
            columns are not used.
        robot: whose joints they are.
        rate: rows a second, Hz, of a log without times.

    Raises:
        ReportError: no table; a log without times and no rate, or with both; columns that are missing for some joints;
            times that do not rise; less than three rows.
        UnknownName: a column of a joint that the robot does not have.

    >>> from pathlib import Path
    >>> folder = Path(getfixture("tmp_path"))
    >>> rows = ["t,q_joint_1 [deg],q_joint_2 [deg]", "0,0,0", "0.1,1,2", "0.2,4,8", "0.3,9,18"]
    >>> _ = (folder / "log.csv").write_text(chr(10).join(rows))
    >>> armdyn.report.read_log(folder / "log.csv", armdyn.load("planar_2r")).q[-1].round(4)
    array([0.1571, 0.3142])
    """
    path = Path(path)
    joints = ", ".join(robot.joint_names)
    table = CsvTable.read(path, f"a header t, q_JOINT, ..., the joints {joints}, and rows", error=ReportError)
    columns, others = table.columns(_known(robot))
    _refuse_foreign(table, others, robot)
    wanted = [what for what in QUANTITIES if what == "q" or any(name in columns for name in _names(what, robot))]
    if "t" not in columns and rate is None:
        raise ReportError(
            f"{table.where} has no column t, so that it does not say when; give it one, such as 't [s]', or say how "
            "many rows there are in a second: --rate HZ, rate= in Python"
        )
    if "t" in columns and rate is not None:
        raise ReportError(f"{table.where} has a column t, and rate={rate:g} Hz is given too; leave the rate out")
    values = table.numbers(table.required(columns, [name for what in wanted for name in _names(what, robot)]))
    if len(values) < FEWEST:
        raise ReportError(f"{table.file} has {len(values)} rows of numbers; a motion needs {FEWEST} at least")
    t = _times(table, columns, len(values), rate)
    found = dict(zip(wanted, np.split(values, len(wanted), axis=1), strict=True))
    return _motion(path, robot, t, found)


def _known(robot: Robot) -> Mapping[str, ColumnUnits]:
    joints = {f"{what}_{joint.name}": units_of(what, joint.kind) for what in QUANTITIES for joint in robot.joints}
    return joints | {"t": OF_TIME}


def _names(quantity: str, robot: Robot) -> list[str]:
    return [f"{quantity}_{joint}" for joint in robot.joint_names]


def _refuse_foreign(table: CsvTable, others: list[str], robot: Robot) -> None:
    for label in others:
        quantity, underscore, joint = label.partition("[")[0].strip().partition("_")
        if underscore and quantity == "q":
            raise UnknownName.of("joint", joint, robot.joint_names, f"{robot.name!r}, {table.where} column {label!r}")


def _times(table: CsvTable, columns: Mapping[str, Column], rows: int, rate: float | None) -> Array:
    if rate is not None:
        return np.arange(rows) / number("rate", rate, above=0.0, unit="Hz", error=ReportError)
    t: Array = table.numbers([columns["t"]])[:, 0]
    falls = np.flatnonzero(~(np.diff(t) > 0.0))
    if falls.size:
        k = int(falls[0]) + 1
        raise ReportError(
            f"{table.file}:{table.rows[k][0]} t is {t[k]:.12g} s, behind {t[k - 1]:.12g} s; expected rows each with a "
            "time after that of the row before"
        )
    return t


def _motion(path: Path, robot: Robot, t: Array, found: Mapping[str, Array]) -> Trajectory:
    """The trajectory, with what the log lacks made up, and said."""
    from scipy.interpolate import make_interp_spline  # noqa: PLC0415 - slow to import

    notes = []
    spline = make_interp_spline(t, found["q"], k=min(5, (len(t) - 1) // 2 * 2 - 1 if len(t) < 6 else 5))
    states = {what: found[what] if what in found else spline(t, nu=k) for k, what in enumerate(("q", "qd", "qdd"))}
    made = [what for what in ("qd", "qdd") if what not in found]
    if made:
        notes.append(f"{' and '.join(made)}: derivatives of the quintic spline through the recorded positions")
    if "tau" in found:
        tau = found["tau"]
        notes.append("joint forces: as recorded; the drift of the energy account holds what the model does not explain")
    else:
        tau = np.asarray(robot.inverse_dynamics(*states.values()), dtype=float)
        notes.append("joint forces: inverse dynamics of the recorded motion, by the model")
    q, qd = states["q"], states["qd"]
    power = ((tau - robot.friction_forces(q, qd)) * qd).sum(axis=-1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    energy = EnergyAccount(robot.kinetic_energy(q, qd), robot.potential_energy(q), work)
    return Trajectory(
        robot=robot.name,
        joint_names=robot.joint_names,
        joint_kinds=tuple(joint.kind for joint in robot.joints),
        t=t,
        q=states["q"],
        qd=states["qd"],
        qdd=states["qdd"],
        tau=np.array(tau),
        f_tip=None,
        energy=energy,
        statistics=Statistics(f"recorded: {path.name}", 0, 0, 0.0),
        notes=tuple(notes),
    )
