"""`DriveGains`: the joint force per current of each drive, with intervals of 95 %."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from armdyn.base.tabular import Tabulated, TextTable
from armdyn.identification.fit import ConfidenceInterval
from armdyn.identification.intervals import NORMAL
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class DriveGains(Tabulated):
    """Gains of drives: the joint force is the gain times the current.

    Args:
        robot: the name of the arm.
        joint_names: in the order of the gains.
        slides: True for each joint that slides.
        values: gains, N m/A or N/A, shape (n,).
        deviations: of them, one standard deviation.
        residual_deviations: of the joint forces of each joint, N m or N.
        body: the ten parameters m, m c, I of the body of known mass in its frame; None if the links' masses were known.
        notes: what the logs lack, one sentence each.
    """

    robot: str
    joint_names: tuple[str, ...]
    slides: tuple[bool, ...]
    values: Array
    deviations: Array
    residual_deviations: Array
    body: Array | None = None
    notes: tuple[str, ...] = ()

    @property
    def intervals(self) -> Mapping[str, ConfidenceInterval]:
        """The interval of 95 % of each gain, by the name of its joint."""
        wide = NORMAL * self.deviations
        return {
            name: ConfidenceInterval(float(k - w), float(k + w))
            for name, k, w in zip(self.joint_names, self.values, wide, strict=True)
        }

    @property
    def com(self) -> Array | None:
        """The centre of mass of the body of known mass, in its frame, m, shape (3,); None without such a body."""
        return None if self.body is None else np.asarray(self.body[1:4] / self.body[0])

    def option(self) -> str:
        """The gains as the option ``--gains`` of the command line takes them."""
        return ",".join(f"{k:.6g}" for k in self.values)

    def as_json(self) -> dict[str, object]:
        """Gains by joints with their intervals, for a file."""
        return {
            "robot": self.robot,
            "gains": dict(zip(self.joint_names, self.values.tolist(), strict=True)),
            "intervals": {name: list(interval) for name, interval in self.intervals.items()},
            "residual_deviations": dict(zip(self.joint_names, self.residual_deviations.tolist(), strict=True)),
            "body_com": None if self.com is None else self.com.tolist(),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join([str(self.table()), *self.notes])

    def table(self) -> TextTable:
        """The gain of each joint with its interval, and the deviation of the residual."""
        values = [
            (name, k, low, high, "N/A" if slides else "N m/A", spread)
            for name, k, (low, high), slides, spread in zip(
                self.joint_names, self.values, self.intervals.values(), self.slides, self.residual_deviations,
                strict=True,
            )
        ]  # fmt: skip
        rows = [(a, f"{b:.4g}", f"{c:.4g}", f"{d:.4g}", e, f"{f:.3g}") for a, b, c, d, e, f in values]
        headings = ("joint", "gain", "95 % from", "to", "unit", "residual")
        return TextTable(headings, rows, "lrrrlr", f"Gains of the drives of {self.robot}", values=values)
