"""Recorded joint states as a motion: a csv of positions over time, and what else of the motion it has."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armdyn.report.errors import ReportError
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from armdyn.simulation.files.log_file import rates_of, read_log_file
from armdyn.simulation.results.energy import EnergyAccount
from armdyn.simulation.results.motion_data import Statistics
from armdyn.spatial.rotations import Array

FEWEST = 3
"""Rows of a log."""


def read_log(path: str | Path, robot: Robot, *, rate: float | None = None) -> Trajectory:
    """The motion of a log: a csv with a column t, and a column q_JOINT for each joint, in SI or with units.

    Where there are no columns of qd or qdd they are derivatives of the quintic spline through q, or qd, which make much
    of noise; where there are none of tau they are inverse dynamics. Rows with NaN or infinity are left out. Notes say
    so. The first time counts as it stands.

    Args:
        path: of the csv; columns such as "t [ms]", "q_elbow [deg]", "qd_elbow [deg/s]", "tau_elbow [N m]". Other
            columns are not used. Without a header: q, then qd, then qdd of all joints, with t in front or not.
        robot: whose joints they are.
        rate: rows a second, Hz, of a log without times.

    Raises:
        ReportError: no table; a log without times and no rate, or with both; columns that are missing for some joints;
            times that do not rise; less than three rows.
        UnknownName: a column of a joint that the robot does not have, in the place of one that is missing.
        ShapeError: a table without a header whose columns are not those of q, qd and qdd.

    >>> from pathlib import Path
    >>> folder = Path(getfixture("tmp_path"))
    >>> rows = ["t,q_joint_1 [deg],q_joint_2 [deg]", "0,0,0", "0.1,1,2", "0.2,4,8", "0.3,9,18"]
    >>> _ = (folder / "log.csv").write_text(chr(10).join(rows))
    >>> armdyn.report.read_log(folder / "log.csv", armdyn.load("planar_2r")).q[-1].round(4)
    array([0.1571, 0.3142])
    """
    log = read_log_file(Path(path), robot, rate=rate, fewest=FEWEST, error=ReportError)
    qd, qdd, made = rates_of(log.t, log.q, log.qd, log.qdd)
    notes = [*log.notes, *made]
    if log.tau is not None:
        tau = log.tau
        notes.append("joint forces: as recorded; the drift of the energy account holds what the model does not explain")
    else:
        tau = np.asarray(robot.inverse_dynamics(log.q, qd, qdd), dtype=float)
        notes.append("joint forces: inverse dynamics of the recorded motion, by the model")
    return Trajectory(
        robot=robot.name,
        joint_names=robot.joint_names,
        joint_kinds=tuple(joint.kind for joint in robot.joints),
        t=log.t,
        q=log.q,
        qd=qd,
        qdd=qdd,
        tau=np.array(tau),
        f_tip=None,
        energy=_energy(robot, log.t, log.q, qd, qdd, tau),
        statistics=Statistics(f"recorded: {Path(path).name}", 0, 0, 0.0),
        notes=tuple(notes),
        limits=tuple(joint.limits for joint in robot.joints),
    )


def _energy(robot: Robot, t: Array, q: Array, qd: Array, qdd: Array, tau: Array) -> EnergyAccount:
    """The energies, and the work of the joint forces but for friction, which may depend on the load, by trapezia."""
    power = ((tau - robot.friction_forces(q, qd, qdd)) * qd).sum(axis=-1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    return EnergyAccount(robot.kinetic_energy(q, qd), robot.potential_energy(q), work)
