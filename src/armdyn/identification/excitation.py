"""An exciting motion: its positions in time, what to expect of it, its files and its picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import number
from armdyn.base.imported import exported
from armdyn.base.tabular import csv_text
from armdyn.identification.fourier_series import Basis, motion_of
from armdyn.identification.optimal_design import Design
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot


@dataclass(frozen=True, eq=False)
class Excitation:
    """A motion for identification.

    Args:
        design: the robot, the base parameters whose columns count, the limits and the series.
        start: q_0, rad or m, shape (n,).
        coefficients: a_1, ..., a_H, b_1, ..., b_H of each joint, rad/s or m/s, shape (n, 2 harmonics).
        rows_a_second: independent rows of a log in a second, Hz: twice the cut-off of the fit's low-pass.
        information: log det A.
        used: the largest part of a limit that is used.
        evaluations: of the objective with its slopes.
        notes: limits that the description does not state.
    """

    design: Design = field(repr=False)
    start: Array
    coefficients: Array
    rows_a_second: float
    information: float
    used: float
    evaluations: int
    notes: tuple[str, ...] = ()

    @property
    def robot(self) -> Robot:
        """That moves."""
        return self.design.robot

    @property
    def duration(self) -> float:
        """Of the motion, s."""
        return self.design.duration

    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd and qdd at times, s, shape (T, n) each."""
        basis = Basis.of(np.atleast_1d(np.asarray(t, dtype=float)), self.duration, self.design.harmonics)
        return motion_of(basis, self.start, self.coefficients)

    def sampled(self, rate: float = 100.0) -> dict[str, Array]:
        """t, q, qd and qdd at a rate, Hz, as arrays by name."""
        t = np.linspace(0.0, self.duration, round(self.duration * number("rate", rate, above=0.0, unit="Hz")) + 1)
        return dict(zip(("t", "q", "qd", "qdd"), (t, *self.at(t)), strict=True))

    @property
    def deviations(self) -> dict[str, float]:
        """The deviation to expect of each base parameter, those of joints among them, by name."""
        rows = self.rows_a_second * self.duration
        result = self.design.deviations(self.start, self.coefficients, rows)
        return dict(zip(self.design.base.names, result.tolist(), strict=True))

    def to_csv(self, path: Any, rate: float = 100.0) -> None:
        """Write t, q, qd and qdd as a csv with the joints' names, which `armdyn torque --motion` and `view` read."""
        from armdyn.base.writing import write_text  # noqa: PLC0415 - for few

        write_text(path, self._csv(rate))

    def _csv(self, rate: float) -> str:
        sampled = self.sampled(rate)
        heads = ["t [s]"]
        for quantity, power in (("q", ""), ("qd", "/s"), ("qdd", "/s^2")):
            for joint in self.robot.joints:
                unit = "rad" if joint.kind == "revolute" else "m"
                heads.append(f"{quantity}_{joint.name} [{unit}{power}]")
        rows = np.concatenate([sampled["t"][:, None], sampled["q"], sampled["qd"], sampled["qdd"]], axis=1)
        return csv_text(heads, rows)

    def to_joint_trajectory(self, rate: float = 50.0) -> dict[str, Any]:
        """The motion as the fields of a ROS trajectory_msgs/JointTrajectory, plain data for YAML or JSON."""
        sampled = self.sampled(rate)
        points = [
            {
                "positions": q.tolist(),
                "velocities": qd.tolist(),
                "accelerations": qdd.tolist(),
                "time_from_start": dict(zip(("sec", "nanosec"), divmod(round(t * 1e9), 10**9), strict=True)),
            }
            for t, q, qd, qdd in zip(*sampled.values(), strict=True)
        ]
        return {"joint_names": list(self.robot.joint_names), "points": points}

    plot = exported("armdyn.plots", "draw_excitation")

    def __str__(self) -> str:
        return (
            f"an exciting motion of {self.robot.name!r}: {self.duration:g} s, {self.design.harmonics} harmonics, "
            f"log det {self.information:.4g}, at most {100 * self.used:.1f} % of a limit"
        )
