"""`Payload`: a body that `armdyn.identification.payload` fitted, with its intervals, as controllers take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.tabular import TextTable
from armdyn.identification.fit import SEEN, ConfidenceInterval
from armdyn.identification.intervals import NORMAL
from armdyn.identification.pseudo_inertia import TEN
from armdyn.model.inertia import Inertia
from armdyn.model.standard_parameters import ENTRIES
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

QUANTITIES = ("mass", "com_x", "com_y", "com_z", "I_xx", "I_xy", "I_yy", "I_xz", "I_yz", "I_zz")
"""Mass, centre of mass in the frame, inertia about the centre of mass in the frame's axes."""

UNITS = ("kg", "m", "m", "m", *("kg m^2",) * 6)


def quantities_of(theta: Array) -> tuple[Array, Array]:
    """`QUANTITIES` of ten parameters, and their derivatives by these, by complex steps, shapes (10,) and (10, 10)."""
    step = 1e-30
    slopes = np.stack([_quantities(theta + 1j * step * unit).imag / step for unit in np.eye(TEN)], axis=1)
    return _quantities(theta.astype(complex)).real, slopes


def _quantities(theta: Array) -> Array:
    m, h = theta[0], theta[1:4]
    c = h / m
    about_origin = np.zeros((3, 3), dtype=theta.dtype)
    for value, (i, j) in zip(theta[4:], ENTRIES, strict=True):
        about_origin[i, j] = about_origin[j, i] = value
    I = about_origin - m * ((c @ c) * np.eye(3) - np.outer(c, c))  # noqa: E741 - the inertia's letter
    return np.concatenate([[m], c, [I[i, j] for i, j in ENTRIES]])


@dataclass(frozen=True, eq=False)
class Payload:
    """A body on an arm, in one of the arm's frames.

    Args:
        robot: the name of the arm.
        frame: the frame in which the body is stated.
        values: `QUANTITIES`, in SI, shape (10,).
        deviations: of them, one standard deviation.
        from_data: the part of the information on each of the ten parameters m, m c, I (about the origin) that the data
            hold, 0 to 1.
        without: deviations of each joint's residual with the arm's friction and without the body, N m or N.
        residual_deviations: deviations of each joint's residual with the body.
        joint_names: of the arm.
        notes: what the logs lack, one sentence each.
    """

    robot: str
    frame: str
    values: Array
    deviations: Array
    from_data: Array = field(repr=False)
    without: Array
    residual_deviations: Array
    joint_names: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def mass(self) -> float:
        """m, kg."""
        return float(self.values[0])

    @property
    def com(self) -> Array:
        """The centre of mass in the frame, m, shape (3,)."""
        return np.array(self.values[1:4])

    @property
    def inertia(self) -> Array:
        """The inertia about the centre of mass in the frame's axes, kg m^2, shape (3, 3)."""
        tensor = np.zeros((3, 3))
        for value, (i, j) in zip(self.values[4:], ENTRIES, strict=True):
            tensor[i, j] = tensor[j, i] = value
        return tensor

    @property
    def intervals(self) -> Mapping[str, ConfidenceInterval]:
        """The interval of 95 % of each of `QUANTITIES`, by name."""
        low, high = self.values - NORMAL * self.deviations, self.values + NORMAL * self.deviations
        return {name: ConfidenceInterval(float(a), float(b)) for name, a, b in zip(QUANTITIES, low, high, strict=True)}

    @property
    def unseen(self) -> tuple[str, ...]:
        """The names of the quantities that the log does not determine."""
        return tuple(name for name, part in zip(QUANTITIES, self.from_data, strict=True) if part <= SEEN)

    @property
    def body(self) -> Inertia:
        """The body seen from the frame."""
        return Inertia(self.mass, self.com, self.inertia)

    def on(self, robot: Robot) -> Robot:
        """A robot that holds the body.

        Raises:
            UnknownName: a robot without the frame.
        """
        return robot.with_payload(self.body, self.frame)

    def libfranka(self) -> str:
        """The call of libfranka: ``setLoad(mass, F_x_Cload, load_inertia)``, inertia by columns; frame: the flange."""
        com = ", ".join(f"{x:.6g}" for x in self.com)
        inertia = ", ".join(f"{x:.6g}" for x in self.inertia.T.ravel())
        return f"robot.setLoad({self.mass:.6g}, {{{{{com}}}}}, {{{{{inertia}}}}});"

    def urscript(self) -> str:
        """The call of URScript: ``set_target_payload(m, cog, [Ixx, Iyy, Izz, Ixy, Ixz, Iyz])``; frame: the flange."""
        I = self.inertia  # noqa: E741 - the inertia's letter
        com = ", ".join(f"{x:.6g}" for x in self.com)
        entries = ", ".join(f"{I[i, j]:.6g}" for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        return f"set_target_payload({self.mass:.6g}, [{com}], [{entries}])"

    def as_json(self) -> dict[str, object]:
        """Numbers in SI for a file: mass, com, inertia about the centre of mass, intervals, calls of controllers."""
        return {
            "robot": self.robot,
            "frame": self.frame,
            "mass": self.mass,
            "com": self.com.tolist(),
            "inertia": self.inertia.tolist(),
            "intervals": {name: list(interval) for name, interval in self.intervals.items()},
            "not_determined": list(self.unseen),
            "residual_without": dict(zip(self.joint_names, self.without.tolist(), strict=True)),
            "residual": dict(zip(self.joint_names, self.residual_deviations.tolist(), strict=True)),
            "libfranka": self.libfranka(),
            "urscript": self.urscript(),
            "notes": list(self.notes),
        }

    def table(self) -> TextTable:
        """The quantities with their intervals, and the part that the data determine."""
        rows = [
            (name, f"{value:.4g}", f"{low:.4g} to {high:.4g}", unit, f"{100 * part:.0f} %")
            for name, value, (low, high), unit, part in zip(
                QUANTITIES, self.values, self.intervals.values(), UNITS, self.from_data, strict=True
            )
        ]
        title = f"Payload of {self.robot} in {self.frame}; inertia about its centre of mass"
        return TextTable(("quantity", "value", "95 %", "unit", "from data"), rows, "lrrlr", title)

    def __str__(self) -> str:
        return "\n".join([str(self.table()), self.libfranka(), self.urscript(), *self.notes])

    def _repr_html_(self) -> str:
        return self.table().html()
