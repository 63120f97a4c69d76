"""Recorded and planned motions; missing quantities follow from the robot's equations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import SettingError, ShapeError
from armdyn.logs.log import Log
from armdyn.logs.rates import rates_of
from armdyn.logs.reading import read
from armdyn.motion.energy import EnergyAccount
from armdyn.motion.labels import known_labels
from armdyn.motion.motion_data import Motion, Statistics
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

FEWEST = 3
"""Rows of a log."""

A_DATE = 1e8
"""A first stamp above this, s, is a date: times count from the first row."""


def from_log(kind: type[Motion], source: Any, robot: Robot, **options: Any) -> Motion:
    """The motion of a log; the class of trajectories describes it."""
    log = read(source, robot, **{"fewest": FEWEST} | options)
    t = log.t if log.start > A_DATE else log.stamps
    notes = [*log.notes, *_note_of_date(log)]
    signals = {name: values for name in ("current", "q_ref") if (values := getattr(log, name)) is not None}
    return _motion(kind, robot, t, log.q, log.qd, log.qdd, log.tau, None, f"recorded: {log.name}", notes, signals)


def from_arrays(
    kind: type[Motion],
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    tau: ArrayLike | None,
    f_tip: ArrayLike | None,
    name: str | None,
) -> Motion:
    """The motion of arrays; the class of trajectories describes it."""
    times = array("t", t, ("T",), "seconds", finite=SettingError)
    if not (np.diff(times) > 0.0).all():
        k = int(np.flatnonzero(~(np.diff(times) > 0.0))[0]) + 1
        raise SettingError(
            f"t[{k}] is {times[k]:.12g} s, after {times[k - 1]:.12g} s; expected times that rise. armdyn.logs.read "
            "leaves such rows out"
        )
    if len(times) < 2:
        raise SettingError(f"t has {len(times)} times; expected two at least")
    positions = _states("q", q, times, robot)
    states = {
        quantity: None if values is None else _states(quantity, values, times, robot)
        for quantity, values in (("qd", qd), ("qdd", qdd), ("tau", tau))
    }
    for quantity, values in states.items():
        if values is not None and values.shape != positions.shape:
            raise ShapeError(f"{quantity} has shape {values.shape}; expected that of q, {positions.shape}")
    wrench = None
    if f_tip is not None:
        wrenches = array("f_tip", f_tip, None, "a wrench, or one for each state", finite=SettingError)
        try:
            wrench = np.broadcast_to(wrenches, (*positions.shape[:-1], 6)).copy()
        except ValueError:
            raise ShapeError(
                f"f_tip has shape {wrenches.shape}; expected (6,), or {(*positions.shape[:-1], 6)}: a wrench a state"
            ) from None
    return _motion(
        kind, robot, times, positions, states["qd"], states["qdd"], states["tau"], wrench, name or "given", [], {}
    )


def _states(quantity: str, values: ArrayLike, t: Array, robot: Robot) -> Array:
    """A finite quantity, with one row per time and one column per joint."""
    result = array(quantity, values, None, f"({len(t)}, ..., {robot.dof})", finite=SettingError)
    if result.ndim < 2 or result.shape[0] != len(t) or result.shape[-1] != robot.dof:
        raise ShapeError(
            f"{quantity} has shape {result.shape}; expected ({len(t)}, ..., {robot.dof}): a row for each time, a "
            f"column for each joint: {', '.join(robot.joint_names)}"
        )
    return result


def _motion(
    kind: type[Motion],
    robot: Robot,
    t: Array,
    q: Array,
    qd: Array | None,
    qdd: Array | None,
    tau: Array | None,
    f_tip: Array | None,
    source: str,
    notes: list[str],
    signals: Mapping[str, Array],
) -> Motion:
    """The motion with velocities, accelerations, forces and energies."""
    velocities, accelerations, sentences = rates_of(t, q, qd, qdd)
    if tau is not None:
        forces = np.array(tau)
        origin = "joint forces: as recorded; the drift of the energy account holds what the model does not explain"
    else:
        wrench = () if f_tip is None else (f_tip,)
        forces = np.array(robot.inverse_dynamics(q, velocities, accelerations, *wrench), dtype=float)
        origin = "joint forces: inverse dynamics of the recorded motion, by the model"
    kinds = tuple(joint.kind for joint in robot.joints)
    return kind(
        robot=robot.name,
        joint_names=robot.joint_names,
        joint_kinds=kinds,
        t=t,
        q=q,
        qd=velocities,
        qdd=accelerations,
        tau=forces,
        f_tip=f_tip,
        energy=_energy(robot, t, q, velocities, accelerations, forces),
        statistics=Statistics(source, 0, 0, 0.0),
        notes=(*notes, *sentences, origin),
        signals=dict(signals),
        signal_labels=known_labels(signals, robot.joint_names, kinds),
        limits=tuple(joint.limits for joint in robot.joints),
    )


def _energy(robot: Robot, t: Array, q: Array, qd: Array, qdd: Array, tau: Array) -> EnergyAccount:
    """The energies, and the work of the joint forces less friction, which may depend on the load, by trapezia."""
    power = ((tau - robot.friction_forces(q, qd, qdd)) * qd).sum(axis=-1)
    steps = np.diff(t).reshape(-1, *(1,) * (power.ndim - 1))
    done = np.cumsum(0.5 * (power[1:] + power[:-1]) * steps, axis=0)
    work = np.concatenate([np.zeros((1, *power.shape[1:])), done])
    return EnergyAccount(robot.kinetic_energy(q, qd), robot.potential_energy(q), work)


def _note_of_date(log: Log) -> list[str]:
    return [f"times count from the first row, whose stamp is {log.start:.6f} s"] if log.start > A_DATE else []
