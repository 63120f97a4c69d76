"""`Check`: a fit on a log that it may not have seen, compared with the description and friction alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from armdyn.base.imported import exported
from armdyn.base.tabular import TextTable
from armdyn.spatial.rotations import Array

AT_REST = 1e-3
"""A joint slower than this stands, rad/s or m/s."""

WORSE = 1.02
"""A fit is worse than friction alone if its torque error is above this times that of friction alone."""


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

    def as_json(self) -> dict[str, object]:
        """The root mean squares of the errors by joints, N m or N, for a file."""
        of_rows = {"fit": self.rms, "friction_alone": self.rms_alone, "description": self.rms_description}
        errors = {name: dict(zip(self.joint_names, rms.tolist(), strict=True)) for name, rms in of_rows.items()}
        return {"log": self.log, "cutoff": self.cutoff, "samples": len(self.t), "rms": errors}

    plot = exported("armdyn.plots", "draw_check")

    def _rms(self, modelled: Array) -> Array:
        return np.asarray(np.sqrt(np.mean((self.measured - modelled) ** 2, axis=0)))

    def _table(self) -> TextTable:
        columns = (self.rms_description, self.rms_alone, self.rms, self.stick_bands)
        rows = [
            (name, *("-" if np.isnan(value) else f"{value:.3g}" for value in values))
            for name, *values in zip(self.joint_names, *columns, strict=True)
        ]
        title = f"Torque errors on {self.log}, rms, N m or N, below {self.cutoff:g} Hz, {len(self.t):,} samples"
        return TextTable(("joint", "description", "friction alone", "fit", "band at rest"), rows, "lrrrr", title)

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table().html()


def worse_joints(checks: Iterable[Check]) -> list[str]:
    """The joints at which a fit is worse than friction alone on some log."""
    return sorted(
        {
            name
            for check in checks
            for name, rms, alone in zip(check.joint_names, check.rms, check.rms_alone, strict=True)
            if rms > WORSE * alone
        }
    )
