"""Differences between two motions: largest, rms, and over time."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.errors import SettingError, ShapeError
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.motion.motion_data import MotionData
from armdyn.motion.resampling import resampled
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUANTITIES = ("q", "qd", "qdd", "tau")

RESIDUALS = ("q", "residual", "qd", "residual_qd", "tau", "residual_tau")
"""Panels of the picture of a comparison: each quantity followed by its residual."""


@dataclass(frozen=True, eq=False)
class Difference:
    """Difference of one quantity over all common times and the batch; not finite if one of the motions is not.

    Args:
        largest: the largest absolute difference, in the unit of the quantity, shape (n,), or () of an energy.
        rms: the root of the mean square of the differences, in the same unit and shape.
        when: the time of the largest, s, in the same shape.
    """

    largest: Array
    rms: Array
    when: Array

    @classmethod
    def of(cls, t: Array, a: Array, b: Array, axes: int) -> Difference:
        """The difference of two arrays of shape (T, ..., n) with ``axes`` = 1, or (T, ...) with ``axes`` = 0."""
        off = np.abs(b - a)
        own = off.shape[off.ndim - axes :]
        over_time = off.reshape(len(t), -1, *own).max(axis=1)
        rms = np.sqrt(np.mean(off.reshape(-1, *own) ** 2, axis=0))
        return cls(over_time.max(axis=0), rms, t[over_time.argmax(axis=0)])


@dataclass(frozen=True, eq=False)
class Comparison(Tabulated):
    """The differences of two motions; ``print`` shows them as a table. Angles are not wrapped.

    Args:
        names: of the two robots.
        joint_names: in the order of q.
        joint_kinds: "revolute" or "prismatic" of each.
        t: the times at which they were compared, s, shape (T,).
        q: differences of joint positions, rad or m.
        qd: of joint velocities, rad/s or m/s.
        qdd: of joint accelerations, rad/s^2 or m/s^2.
        tau: of joint forces, N m or N.
        energy: of the total energies K + P, J.
        motions: the two motions, the first and the other.
    """

    names: tuple[str, str]
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    t: Array
    q: Difference
    qd: Difference
    qdd: Difference
    tau: Difference
    energy: Difference
    motions: tuple[Any, Any] = field(repr=False)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: object) -> Figure:
        """The other motion over the first, and the residuals, other less first, as a matplotlib Figure.

        Args:
            path: also write it there; the ending chooses the format (png, pdf, svg).
            options: of `armdyn.plots.plot_trajectory`: joints, panels, layout, limits, size and others.

        >>> arm = armdyn.load("rp")
        >>> methods = [armdyn.simulation.RungeKutta4(step=h) for h in (0.01, 0.02)]
        >>> fine, coarse = (armdyn.simulate(arm, [0, 1], duration=1, method=method) for method in methods)
        >>> [axes.get_title("left") for axes in fine.compare(coarse).plot(joints=[1]).axes][0]
        'joint position $q$ [m]'
        """
        first, other = self.motions
        figure: Figure = first.plot(path, **{"over": other, "panels": RESIDUALS, **options})
        return figure

    def page(self, path: str | os.PathLike[str] | None = None, **options: object) -> Any:
        """An `armdyn.page.MotionPage` of the first motion, with the other one and a ghost of its arm in the background.

        Args:
            path: also write it there, over a file that exists.
            options: of `armdyn.page.motion_page`: robot, title, meshes.

        >>> arm = armdyn.load("rp")
        >>> methods = [armdyn.simulation.RungeKutta4(step=h) for h in (0.01, 0.02)]
        >>> fine, coarse = (armdyn.simulate(arm, [0, 1], duration=1, method=method) for method in methods)
        >>> fine.compare(coarse).page(robot=arm)
        <page of a motion: ... bytes>
        """
        first, other = self.motions
        return first.page(path, **{"over": other, **options})

    def view(self, robot: Any = None, **options: object) -> Any:
        """An `armdyn.viewer.Viewer` of the first motion, with the other one as a ghost.

        Args:
            robot: the robot of the motions; if None, the bundled robot of that name.
            options: of `armdyn.viewer.view_trajectory`: look, dark, speed, loop, port and others.

        >>> arm = armdyn.load("rp")
        >>> methods = [armdyn.simulation.RungeKutta4(step=h) for h in (0.01, 0.02)]
        >>> fine, coarse = (armdyn.simulate(arm, [0, 1], duration=1, method=method) for method in methods)
        >>> with fine.compare(coarse).view(port=0, browser=False, quiet=True) as viewer:
        ...     viewer.seek(0.2)
        """
        first, other = self.motions
        return first.view(robot, **{"over": other, **options})

    def table(self) -> TextTable:
        """The table that ``print`` shows: one row per joint, largest and rms difference of each quantity."""
        a, b = self.names
        headings = ("joint", *(f"{name} {statistic}" for name in QUANTITIES for statistic in ("largest", "rms")))
        each = [getattr(self, quantity) for quantity in QUANTITIES]
        rows = [
            (
                f"{name}{'' if self.joint_kinds[k] == 'revolute' else ' (slides)'}",
                *(float(x[k]) for difference in each for x in (difference.largest, difference.rms)),
            )
            for k, name in enumerate(self.joint_names)
        ]
        title = f"{b!r} beside {a!r}: {len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g} s; rad, m, s, N m, N"
        energy = f"energy K + P: largest {float(self.energy.largest):.3g} J, rms {float(self.energy.rms):.3g} J"
        return TextTable.of(headings, rows, title=title, below=(energy,), digits=3)


@np.errstate(all="ignore")  # diverged motions are NaN or infinite
def compared(trajectory: MotionData, other: MotionData) -> Comparison:
    """Largest and rms differences of another motion of the same joints from this one, as a printable table.

    Motions are compared at the times of this one that lie within the other, which is interpolated at those times.

    Args:
        trajectory: the motion.
        other: of joints of the same names and kinds, and the same batch.

    Raises:
        ShapeError: other joints, or another batch.
        SettingError: motions that have no time in common.

    >>> arm = armdyn.load("rp")
    >>> methods = [armdyn.simulation.RungeKutta4(step=h) for h in (0.01, 0.02)]
    >>> fine, coarse = (armdyn.simulate(arm, [0, 1], duration=1, method=method) for method in methods)
    >>> bool(fine.compare(coarse).q.largest.max() < 1e-4)
    True
    """
    a, b = trajectory, other
    if not isinstance(b, MotionData):
        raise ShapeError(f"other is {b!r}; expected a Trajectory")
    if (a.joint_names, a.joint_kinds) != (b.joint_names, b.joint_kinds):
        raise ShapeError(
            f"the motions are of other joints: {', '.join(a.joint_names)} of {a.robot!r}, {', '.join(b.joint_names)} "
            f"of {b.robot!r}; expected the same names and kinds in the same order"
        )
    if a.batch != b.batch:
        raise ShapeError(f"the motions are batches of shapes {a.batch} and {b.batch}; trajectory.pick(...) takes one")
    common = (a.t >= b.t[0]) & (a.t <= b.t[-1])
    if not common.any():
        raise SettingError(
            f"the motions have no time in common: {a.t[0]:g} to {a.t[-1]:g} s, {b.t[0]:g} to {b.t[-1]:g} s"
        )
    t = a.t[common]
    there = resampled(b, t, None)
    of = {name: Difference.of(t, getattr(a, name)[common], getattr(there, name), 1) for name in QUANTITIES}
    energy = Difference.of(t, a.energy.total[common], there.energy.total, 0)
    return Comparison((a.robot, b.robot), a.joint_names, a.joint_kinds, t, **of, energy=energy, motions=(a, b))
