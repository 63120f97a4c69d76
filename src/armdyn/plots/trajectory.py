"""A simulated motion over time: positions, velocities, energies and the drift of the energy account."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator

from armdyn.checks import is_one_of
from armdyn.errors import UnknownName
from armdyn.plots.style import COLOURS, INK, new_figure, prepare
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.trajectory import Trajectory

DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""One for each round through the colours."""

MOST_LINES = 20
"""A batch of more motions than this is drawn as medians and bands."""


def plot_trajectory(
    trajectory: Trajectory, *, degrees: bool = True, title: str | None = None, signals: Sequence[str] | None = None
) -> Figure:
    """Joint positions, joint velocities, energies and the drift of the energy account over time, as a Figure.

    A batch of up to twenty motions shows a thin line for each; a larger one the median, and a band from the 5th to
    the 95th percentile. Angles are not wrapped.

    Args:
        trajectory: what to draw.
        degrees: angles in degrees; otherwise in radians.
        title: above the picture; robot and duration where none is given. The method stands beside it.
        signals: names of those drawn below, each in a panel of its own; all where nothing is said, none of ``()``.

    Raises:
        UnknownName: a signal that the trajectory does not have.

    >>> trajectory = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.1)
    >>> [axes.get_ylabel() for axes in armdyn.plots.plot_trajectory(trajectory).axes]
    ['angle [deg]', 'velocity [rad/s]', 'energy [J]', 'drift [pJ]']
    """
    panels = [*_joint_panels(trajectory, degrees), (_draw_energies, 1.25), (_draw_drift, 0.6)]
    panels += [(_signal_panel(name), 1.25) for name in _chosen(trajectory, signals)]
    heights = [height for _, height in panels]
    figure = new_figure(7.5, 0.6 + 1.75 * sum(heights))
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for (draw, _), axes in zip(panels, all_axes, strict=True):
        prepare(axes)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.label.set_fontsize(9)
        axes.xaxis.label.set_fontsize(9)
        draw(axes, trajectory)
    all_axes[-1].set_xlabel("time [s]", color=INK)
    all_axes[-1].set_xlim(trajectory.t[0], trajectory.t[-1] if len(trajectory.t) > 1 else None)
    figure.align_ylabels(all_axes)
    all_axes[0].set_title(_plain(title or _title(trajectory)), loc="left", fontsize=11, color=INK, fontweight="bold")
    all_axes[0].set_title(trajectory.statistics.method, loc="right", fontsize=8, color="#666666")
    return figure


Draw = Callable[[Axes, "Trajectory"], None]


def _joint_panels(trajectory: Trajectory, degrees: bool) -> list[tuple[Draw, float]]:
    """Positions and velocities, in panels of their own for joints that turn and joints that slide."""
    panels: list[tuple[Draw, float]] = []
    for what in ("q", "qd"):
        for kind in ("revolute", "prismatic"):
            if kind in trajectory.joint_kinds:
                panels.append((_joint_panel(what, kind, degrees), 1.6 if what == "q" else 1.25))
    return panels


def _joint_panel(what: str, kind: str, degrees: bool) -> Draw:
    in_degrees = degrees and what == "q" and kind == "revolute"
    scale = 180 / np.pi if in_degrees else 1.0
    label = {
        ("q", "revolute"): f"angle [{'deg' if in_degrees else 'rad'}]",
        ("q", "prismatic"): "position [m]",
        ("qd", "revolute"): "velocity [rad/s]",
        ("qd", "prismatic"): "velocity [m/s]",
    }[what, kind]

    def draw(axes: Axes, trajectory: Trajectory) -> None:
        values = getattr(trajectory, what) * scale
        joints = [k for k, its_kind in enumerate(trajectory.joint_kinds) if its_kind == kind]
        for place, k in enumerate(joints):
            dashes = k // len(COLOURS) + _hides_another(values[..., k], values[..., joints[:place]])
            style = {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[dashes % len(DASHES)]}
            _draw_lines(axes, trajectory.t, values[..., k], trajectory.joint_names[k], **style)
        axes.set_ylabel(label, color=INK)
        if in_degrees and 180 <= np.ptp(axes.get_ylim()) < 1440:
            shown = np.ptp(axes.get_ylim())
            axes.yaxis.set_major_locator(MultipleLocator(45 if shown < 360 else 90 if shown < 720 else 180))
        if what == "q":
            many = np.prod(trajectory.batch) > MOST_LINES
            _legend(axes, "median, 5 to 95 %" if many else None)

    return draw


def _hides_another(line: Array, others: Array) -> bool:
    """Whether a line runs where another is drawn already; dashed, it shows both."""
    if line.ndim > 1 or not others.size:
        return False
    apart = np.abs(others - line[:, None])
    return bool((np.median(apart, axis=0) < 0.004 * max(np.ptp(others), np.ptp(line))).any())


def _chosen(trajectory: Trajectory, signals: Sequence[str] | None) -> Sequence[str]:
    """The names of the signals to draw."""
    known = tuple(trajectory.signals)
    for name in signals or ():
        if not is_one_of(name, known):
            raise UnknownName.of("signal", name, known, f"the trajectory of {trajectory.robot!r}")
    return known if signals is None else signals


def _signal_panel(name: str) -> Draw:
    """A line for each of the values of a signal."""

    def draw(axes: Axes, trajectory: Trajectory) -> None:
        values = trajectory.signals[name]
        for k in range(values.shape[-1]):
            dashes = k // len(COLOURS) + _hides_another(values[..., k], values[..., :k])
            style = {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[dashes % len(DASHES)]}
            label = f"{name} {k}" if values.shape[-1] > 1 else name
            _draw_lines(axes, trajectory.t, values[..., k], label, **style)
        axes.set_ylabel(_plain(name), color=INK)
        _legend(axes)

    return draw


def _draw_energies(axes: Axes, trajectory: Trajectory) -> None:
    energy = trajectory.energy
    shown = [("kinetic", energy.kinetic, COLOURS[0]), ("potential", energy.potential, COLOURS[1])]
    if np.nanmax(np.abs(energy.work), initial=0.0) > 0:
        shown.append(("work put in", energy.work, COLOURS[2]))
    shown.append(("total", energy.total, INK))
    for place, (name, values, colour) in enumerate(shown):
        others = np.stack([other for _, other, _ in shown[:place]], axis=-1) if place else values[..., :0]
        style = DASHES[_hides_another(values, others)]
        _draw_lines(axes, trajectory.t, values, name, color=colour, linestyle=style)
    axes.set_ylabel("energy [J]", color=INK)
    _legend(axes)


def _draw_drift(axes: Axes, trajectory: Trajectory) -> None:
    drift = trajectory.energy.drift
    largest = np.abs(drift[np.isfinite(drift)]).max(initial=0.0)
    scale, unit = next(((s, u) for s, u in _JOULES if largest >= s), _JOULES[-1])
    _draw_lines(axes, trajectory.t, drift / scale, "total - initial - work", color=INK)
    axes.set_ylabel(f"drift [{unit}]", color=INK)
    _legend(axes)


_JOULES = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ"), (1e-12, "pJ"), (1e-15, "fJ"))


def _draw_lines(axes: Axes, t: Array, values: Array, name: str, **style: Any) -> None:
    """One motion as a line, few as thin lines, many as the median with a band around it."""
    flat = values.reshape(len(t), -1)
    motions = flat.shape[1]
    if motions <= MOST_LINES:
        thin: dict[str, Any] = {"linewidth": 1.4} if motions == 1 else {"linewidth": 0.7, "alpha": 0.7}
        for k in range(motions):
            axes.plot(t, flat[:, k], label=_plain(name) if k == 0 else None, **thin, **style)
        return
    flat = flat[:, np.isfinite(flat).all(axis=0)]
    if flat.shape[1]:
        low, middle, high = np.percentile(flat, [5, 50, 95], axis=1)
        axes.fill_between(t, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axes.plot(t, middle, label=_plain(name), linewidth=1.4, **style)


def _legend(axes: Axes, title: str | None = None) -> None:
    """Beside the panel, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        style = {"frameon": False, "fontsize": 8, "handlelength": 1.8, "labelcolor": INK, "title": title}
        style |= {"title_fontsize": 8, "alignment": "left"}
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0.0, **style)


def _title(trajectory: Trajectory) -> str:
    motions = int(np.prod(trajectory.batch))
    many = f", {motions} motions" if trajectory.batch else ""
    start = f"{trajectory.t[0]:g} to " if trajectory.t[0] else ""
    return f"{trajectory.robot}, {start}{trajectory.t[-1]:g} s{many}"


def _plain(text: str) -> str:
    """Text as it stands: a dollar sign starts no formula, a leading underscore hides no label."""
    return ("\u200b" if text.startswith("_") else "") + text.replace("$", r"\$")
