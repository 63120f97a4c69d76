"""The simulation half: from torques over time to motions of joints and hand, by the predictor-corrector."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import instead
from armdyn.base.checks import number
from armdyn.base.errors import ShapeError
from armdyn.masp.hand_load import HandLoad
from armdyn.masp.torques import TorqueTable
from armdyn.masp.units import InputUnits
from armdyn.model.joint_units import in_si
from armdyn.motion.limits_passed import limits_left
from armdyn.robot import Robot
from armdyn.simulation import (
    AdamsBashforthMoulton4,
    SettingError,
    SimulationError,
    SimulationInterrupted,
    Trajectory,
    simulate,
)
from armdyn.simulation.results import LOST
from armdyn.simulation.unfinished import KEPT
from armdyn.spatial.rotations import Array
from armdyn.trajectory import JointStates, TipMotion

KEPT_HERE = "What was simulated until then is in error.simulation."
"""The end of messages of an aborted motion, in Python."""

ROUNDING = 1e-9
"""Largest deviation of a segment from a whole number of steps, in steps, that is read as rounding."""


@dataclass(frozen=True, eq=False)
class MaspSimulation:
    """The motion of an arm and its hand under given torques, in SI.

    Args:
        robot: the arm.
        t: times, s, shape (T,).
        joints: q, qd, qdd, rad or m, rad/s or m/s, ..., shape (T, n).
        tau: joint forces, N m or N, shape (T, n).
        f_tip: wrench the tip applies to its surroundings, in the tip frame, N m and N, shape (T, 6); None without one.
        pieces: the motions between the torques' breaks, one `armdyn.Trajectory` each, from their own t = 0.
        units: units of tables, pictures and notes; None for SI.
    """

    robot: Robot
    t: Array
    joints: JointStates
    tau: Array
    f_tip: Array | None
    pieces: tuple[Trajectory, ...]
    units: InputUnits | None = None

    @property
    def tip(self) -> TipMotion:
        """Position, velocity and acceleration of the hand, base axes: T, J qd and J qdd + Jdot qd (4a, 4b)."""
        q, qd, qdd = self.joints
        J = self.robot.jacobian(q, expressed_in="world")
        drift = np.einsum("tij,tj->ti", self.robot.jacobian_dot(q, qd, expressed_in="world"), qd)
        twist, rate = np.einsum("tij,tj->ti", J, qd), np.einsum("tij,tj->ti", J, qdd) + drift
        return TipMotion(self.robot.forward_kinematics(q), twist, rate)

    @property
    def energy_drift(self) -> float:
        """The largest difference between the energy and the work done, of all segments, J: the integration error."""
        return float(max(np.abs(piece.energy.drift).max() for piece in self.pieces))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on too long steps and exceeded limits, one sentence each."""
        q, qd, _ = self.joints
        unit_of = in_si if self.units is None else self.units.of
        return (*self._steps_too_long(), *limits_left(self.robot, self.t, q, qd, self.tau, unit_of))

    def _steps_too_long(self) -> Iterator[str]:
        """A note on the segment with the largest energy drift, relative to its exchanged energy."""
        drifts = [float(np.abs(piece.energy.relative_drift).max()) for piece in self.pieces]
        worst = int(np.argmax(drifts))
        if drifts[worst] > LOST:
            step = float(np.diff(self.pieces[worst].t).max())
            yield (
                f"the energy drifts by {drifts[worst]:.2g} of what changed hands: the step of {step:g} s is too long "
                "for this motion. Use a shorter one"
            )


def simulate_torques(
    robot: Robot,
    torques: TorqueTable,
    q0: ArrayLike,
    qd0: ArrayLike | None = None,
    *,
    duration: float | None = None,
    step: float = 1e-3,
    load: HandLoad | None = None,
    units: InputUnits | None = None,
    progress: bool = False,
) -> MaspSimulation:
    """Motion of joints and hand under torques over time, by the Adams-Bashforth-Moulton predictor-corrector.

    The method restarts by Runge-Kutta at each of the torques' breaks, so that corners do not reduce the order: halving
    the step divides the error by sixteen. Kazerounian and Gupta 1985, section 4.

    Args:
        robot: the arm.
        torques: joint forces tau(t), N m or N.
        q0: joint positions at the first time of the torques, rad or m, shape (n,).
        qd0: joint rates there, rad/s or m/s; zero by default.
        duration: duration, s; that of the torques by default.
        step: step, s; between breaks it is shortened to a whole number of equal steps.
        load: external load on the hand.
        units: units of the results' tables and pictures.
        progress: show a progress bar on stderr.

    Raises:
        ShapeError: torques of another number of joints.
        SettingError: a duration beyond the torques, or a step that is not above zero.
        SimulationError: a motion that could not be continued.
        SimulationInterrupted: Ctrl-C. For both, ``error.simulation`` is the motion simulated up to then, if any.

    >>> robot = armdyn.load("kg_puma")
    >>> q0 = np.array([0.1, -0.7, -0.8, -0.2, -1.0, 2.8])
    >>> hold = armdyn.masp.TorqueTable([0.0, 1.0], [robot.gravity_forces(q0)] * 2)
    >>> moved = armdyn.masp.simulate_torques(robot, hold, q0, duration=0.1, step=0.01)
    >>> bool(abs(moved.tip.pose[-1] - moved.tip.pose[0]).max() < 1e-9)
    True
    """
    if torques.dof != robot.dof:
        raise ShapeError(f"the torques are of {torques.dof} joints; expected {robot.dof}, those of {robot.name!r}")
    step = number("step", step, above=0.0, unit="s", error=SettingError)
    whole = float(torques.t[-1] - torques.t[0])
    length = whole if duration is None else number("duration", duration, above=0.0, unit="s", error=SettingError)
    if length > whole * (1 + ROUNDING):
        raise SettingError(f"duration is {length:g} s; expected at most the {whole:g} s for which there are torques")
    first = float(torques.t[0])
    ends = torques.ends[torques.ends < first + length - ROUNDING * step]
    q, qd = q0, qd0
    pieces: list[Trajectory] = []
    for k, (begin, end) in enumerate(zip(ends, [*ends[1:], first + length], strict=True)):
        try:
            with instead(method="armdyn.simulate with method='adaptive'"):
                piece = simulate(
                    robot,
                    q,
                    qd,
                    duration=end - begin,
                    torque=_law(torques, k, begin),
                    f_tip=None if load is None else _wrench(robot, load),
                    method=AdamsBashforthMoulton4(step=(end - begin) / np.ceil((end - begin) / step - ROUNDING)),
                    progress=progress,
                )
        except (SimulationError, SimulationInterrupted) as error:
            begun = [*pieces, *([] if error.trajectory is None else [error.trajectory])]
            error.simulation = _join(robot, ends[: len(begun)], begun, units) if begun else None  # type: ignore[union-attr]
            error.args = (_message(str(error), begin, has_results=bool(begun)),)
            raise
        pieces.append(piece)
        q, qd = piece.q[-1], piece.qd[-1]
    return _join(robot, ends, pieces, units)


def _message(message: str, begin: float, *, has_results: bool) -> str:
    """The message of an error in a segment that begins at a time."""
    text = message.removesuffix(KEPT).rstrip().removesuffix(".")
    text = re.sub(r"(?<=\bt = )[-+.\de]+(?= s\b)", lambda found: f"{begin + float(found[0]):g}", text)
    return f"{text}. {KEPT_HERE}" if has_results else f"{text}."


def _law(torques: TorqueTable, k: int, begin: float) -> Callable[[float, Array, Array], Array]:
    """The torques of one segment as a function of the time since its beginning."""
    return lambda t, q, qd: torques.in_piece(k, begin + t)


def _wrench(robot: Robot, load: HandLoad) -> Callable[[float, Array, Array], Array]:
    return lambda t, q, qd: load.f_tip(robot, q)


def _join(robot: Robot, begins: Array, pieces: list[Trajectory], units: InputUnits | None) -> MaspSimulation:
    """All segments joined; at common times the row of the later segment is used."""
    slices = [slice(None, -1)] * (len(pieces) - 1) + [slice(None)]

    def whole(name: str) -> Array:
        return np.concatenate([getattr(piece, name)[rows] for piece, rows in zip(pieces, slices, strict=True)])

    t = np.concatenate([begin + piece.t[rows] for begin, piece, rows in zip(begins, pieces, slices, strict=True)])
    f_tip = None if pieces[0].f_tip is None else whole("f_tip")
    joints = JointStates(whole("q"), whole("qd"), whole("qdd"))
    return MaspSimulation(robot, t, joints, whole("tau"), f_tip, tuple(pieces), units)
