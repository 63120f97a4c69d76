"""`Check`: a fit on a log that it may not have seen, beside the description and friction alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.spatial.rotations import Array
from armdyn.tabular import Table

AT_REST = 1e-3
"""A joint slower than this stands, rad/s or m/s."""


MOST_DRAWN, GAP = 4000, 1.5
"""Samples of a line of the picture; times between two, in spacings, from which on the line is broken."""


def _spacing(t: Array) -> float:
    return float(np.median(np.diff(t))) if len(t) > 1 else 1.0


@dataclass(frozen=True, eq=False)
class Check:
    """Torque errors on a log, N m or N, measured less modelled, both through one zero-phase low-pass.

    Args:
        log: its name.
        joint_names: in the order of the columns.
        cutoff: of the low-pass, Hz.
        t: times, s, shape (T,): without the ends, which the filters do not reach.
        qd: joint velocities, shape (T, n).
        measured: torques after the low-pass, shape (T, n).
        fit: torques of the fit, shape (T, n).
        alone: torques of the description with fitted friction and armature.
        description: torques of the description.
    """

    log: str
    joint_names: tuple[str, ...]
    cutoff: float
    t: Array
    qd: Array
    measured: Array
    fit: Array
    alone: Array
    description: Array

    @property
    def rms(self) -> Array:
        """The root of the mean square of the fit's torque error, N m or N, shape (n,)."""
        return self._rms(self.fit)

    @property
    def rms_alone(self) -> Array:
        """The root of the mean square of the torque error of friction alone, N m or N, shape (n,)."""
        return self._rms(self.alone)

    @property
    def rms_description(self) -> Array:
        """The root of the mean square of the description's torque error, N m or N, shape (n,)."""
        return self._rms(self.description)

    @property
    def residuals(self) -> Array:
        """Measured less fitted torques, N m or N, shape (T, n)."""
        return self.measured - self.fit

    @property
    def stick_bands(self) -> Array:
        """The largest torque error while a joint stands, N m or N, shape (n,); NaN of joints that do not.

        Dry friction holds a joint at rest by any torque within this band; no model of the motion determines it.
        """
        bands = np.full(len(self.joint_names), np.nan)
        for j, (qd, error) in enumerate(zip(self.qd.T, self.residuals.T, strict=True)):
            at_rest = np.abs(qd) < AT_REST
            if at_rest.sum() > 2:
                bands[j] = np.abs(error[at_rest]).max()
        return bands

    def as_json(self) -> dict[str, Any]:
        """The root mean squares of the errors by joints, N m or N, for a file."""
        of_rows = {"fit": self.rms, "friction_alone": self.rms_alone, "description": self.rms_description}
        errors = {name: dict(zip(self.joint_names, rms.tolist(), strict=True)) for name, rms in of_rows.items()}
        return {"log": self.log, "cutoff": self.cutoff, "samples": len(self.t), "rms": errors}

    def plot(self, path: Any = None) -> Any:
        """A picture: measured joint forces, those of the fit and of friction alone, and the errors, a row a joint.

        Args:
            path: of a file to write; the figure is returned if None.
        """
        from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

        count = len(self.joint_names)
        figure = Figure(figsize=(11, 1.5 + 1.5 * count), layout="constrained")
        grid = figure.subplots(count, 2, sharex=True, squeeze=False, width_ratios=(3, 2))
        step = max(1, len(self.t) // MOST_DRAWN)
        t, breaks = self.t[::step], np.diff(self.t[::step], prepend=self.t[:1]) > GAP * step * _spacing(self.t)
        lines = ((self.alone, "friction alone", "C1"), (self.measured, "measured", "0.2"), (self.fit, "fit", "C0"))
        for j, (forces, errors) in enumerate(grid):
            for values, label, color in lines:
                shown = np.where(breaks, np.nan, values[::step, j])
                forces.plot(t, shown, color=color, label=label, linewidth=1.0)
                if values is not self.measured:
                    errors.plot(t, self.measured[::step, j] - shown, color=color, linewidth=0.8)
            forces.set_ylabel(self.joint_names[j], fontsize=8)
            errors.set_title(f"rms {self.rms[j]:.3g}, friction alone {self.rms_alone[j]:.3g}", fontsize=8)
            forces.margins(x=0)
        grid[0, 0].set_title(f"joint forces on {self.log} below {self.cutoff:g} Hz, N m or N", fontsize=9)
        grid[0, 0].legend(ncols=3, fontsize=8)
        for axes in grid[-1]:
            axes.set_xlabel("t, s")
        if path is None:
            return figure
        from armdyn.writing import replacement  # noqa: PLC0415 - for few

        with replacement(path) as place:
            figure.savefig(place, dpi=120)
        return None

    def _rms(self, modelled: Array) -> Array:
        return np.asarray(np.sqrt(np.mean((self.measured - modelled) ** 2, axis=0)))

    def _table(self) -> Table:
        columns = (self.rms_description, self.rms_alone, self.rms, self.stick_bands)
        rows = [
            (name, *("-" if np.isnan(value) else f"{value:.3g}" for value in values))
            for name, *values in zip(self.joint_names, *columns, strict=True)
        ]
        title = f"Torque errors on {self.log}, rms, N m or N, below {self.cutoff:g} Hz, {len(self.t):,} samples"
        return Table(("joint", "description", "friction alone", "fit", "band at rest"), rows, "lrrrr", title)

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table().html()
