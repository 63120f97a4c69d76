"""A simulated motion over time: positions, velocities, forces, energies and the drift of the energy account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from armdyn.checks import array, is_one_of
from armdyn.errors import UnknownName
from armdyn.plots.coinciding import FLAT, Piece, pieces
from armdyn.plots.event_marks import kinds_of_events, mark_events
from armdyn.plots.style import COLOURS, INK, new_figure, prepare
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.files.labels import Label
    from armdyn.simulation.results.trajectory import Trajectory

DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""One for each round through the colours."""

MOST_LINES = 20
"""A batch of more motions than this is drawn as medians and bands."""

PANELS = ("q", "qd", "qdd", "tau", "energy", "drift")
"""The panels, besides those of signals."""

WIDTH, ROW = 10.0, 2.1
"""Of a figure and of a row of its panels, inches."""

IN_DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s^2": "deg/s²"}
"""The units of signals that degrees take the place of, as in the panels of joints."""

REST = 1e-9
"""Joints that move less than this, rad or m, are at rest."""

PAD = 0.07
"""Around panels and titles, inches."""


def plot_trajectory(
    trajectory: Trajectory,
    *,
    joints: Iterable[str | int] | None = None,
    panels: Sequence[str] | None = None,
    degrees: bool = True,
    figsize: tuple[float, float] | None = None,
    title: str | None = None,
    signals: Sequence[str] | None = None,
    figure: Figure | SubFigure | None = None,
) -> Figure:
    """Joint positions, velocities and forces, energies and the drift of their account over time, as a Figure.

    Panels stand in two columns. The dashes of curves that coincide take turns, so that all are seen. Dotted lines are
    events: impacts, joints that stick, crossings asked for. A batch of up to twenty motions shows a thin line for each;
    a larger one the median, and a band from the 5th to the 95th percentile. Angles are not wrapped.

    Args:
        trajectory: what to draw.
        joints: names or numbers of the joints that are drawn; all where nothing is said.
        panels: which, in this order, of "q", "qd", "qdd", "tau", "energy" and "drift". Where nothing is said: q, qd,
            tau where forces act, energy, and drift where anything moves.
        degrees: angles in degrees, and speeds in degrees a second; otherwise in radians.
        figsize: width and height, inches.
        title: above the picture; robot and duration where none is given. The method stands beside it.
        signals: names of those drawn below, each in a panel of its own; all where nothing is said, none of ``()``, and
            none where panels are named.
        figure: one to draw into, such as ``matplotlib.pyplot.figure(layout="constrained")``, or a part of one.

    Raises:
        UnknownName: a joint, panel or signal that the trajectory does not have.

    >>> trajectory = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.1)
    >>> [axes.get_ylabel() for axes in armdyn.plots.plot_trajectory(trajectory).axes]
    ['angle [deg]', 'velocity [deg/s]', 'energy [J]', 'drift [pJ]']
    """
    shown = _chosen_panels(trajectory, panels)
    drawn = [_Panel(name, kind) for name in shown for kind in _kinds(trajectory, name, _numbers(trajectory, joints))]
    named = _chosen_signals(trajectory, signals) if signals is not None or panels is None else ()
    view = _View(trajectory, _numbers(trajectory, joints), degrees)
    makers: list[Draw] = [view.panel(panel) for panel in drawn]
    for name in named:
        makers += [_signal_panel(name, unit, degrees=degrees) for unit in _units_of_joints(trajectory, name)]
    rows = -(-len(makers) // 2)
    if figure is None:
        width, height = (WIDTH, 0.6 + ROW * max(rows, 2)) if figsize is None else _size(figsize)
        figure = new_figure(width, height)
    _lay_out(figure)
    _draw(figure, makers, trajectory)
    _legend_of_joints(figure, view)
    _head(figure, trajectory, title)
    return figure.get_figure(root=True)


Draw = Callable[[Axes, "Trajectory"], None]


@dataclass(frozen=True)
class _Panel:
    """A quantity, and the kind of joints whose it is; none of energies."""

    name: str
    kind: str = ""


def _chosen_panels(trajectory: Trajectory, panels: Sequence[str] | None) -> Sequence[str]:
    if panels is None:
        acts = _any(trajectory.tau)
        moves = _any(np.abs(trajectory.q - trajectory.q[:1]) > REST)
        return ("q", "qd", *(["tau"] if acts else []), "energy", *(["drift"] if moves else []))
    for name in [panels] if isinstance(panels, str) else panels:
        if not is_one_of(name, PANELS):
            raise UnknownName.of("panel", name, PANELS, "pictures of trajectories")
    return (panels,) if isinstance(panels, str) else tuple(panels)


def _any(values: Array) -> bool:
    """Whether any finite value is not zero."""
    return bool((np.isfinite(values) & (values != 0.0)).any())


def _numbers(trajectory: Trajectory, joints: Iterable[str | int] | None) -> list[int]:
    """The places in q of the joints to draw."""
    names = trajectory.joint_names
    if joints is None:
        return list(range(len(names)))
    numbers = []
    for joint in [joints] if isinstance(joints, str | int) else joints:
        if isinstance(joint, int | np.integer) and not isinstance(joint, bool) and 0 <= joint < len(names):
            numbers.append(int(joint))
        elif isinstance(joint, str) and joint in names:
            numbers.append(names.index(joint))
        else:
            raise UnknownName.of("joint", joint, names, f"the trajectory of {trajectory.robot!r}")
    return list(dict.fromkeys(numbers))


def _kinds(trajectory: Trajectory, name: str, numbers: Sequence[int]) -> list[str]:
    """Joints that turn and joints that slide have panels of their own."""
    if name in ("energy", "drift"):
        return [""]
    return [kind for kind in ("revolute", "prismatic") if any(trajectory.joint_kinds[k] == kind for k in numbers)]


def _size(figsize: Any) -> tuple[float, float]:
    width, height = array("figsize", figsize, (2,), "width and height, inches").tolist()
    return float(width), float(height)


def _lay_out(figure: Figure | SubFigure) -> None:
    """Let Matplotlib's constrained layout make room for what stands around panels, where no other is chosen."""
    whole = figure.get_figure(root=True)
    if whole.get_layout_engine() is None:
        whole.set_layout_engine("constrained")
    engine = whole.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(h_pad=PAD)


def _draw(figure: Figure | SubFigure, makers: list[Draw], trajectory: Trajectory) -> None:
    """Panels in two columns, row by row, the last as wide as both where it stands alone."""
    rows = -(-len(makers) // 2)
    grid = figure.add_gridspec(max(rows, 1), 2)
    first: Axes | None = None
    for place, make in enumerate(makers):
        row, column = divmod(place, 2)
        alone = place == len(makers) - 1 and column == 0
        axes = figure.add_subplot(grid[row, :] if alone else grid[row, column], sharex=first)
        first = first or axes
        prepare(axes)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_offset_position("right")  # on the left stands the legend
        axes.yaxis.label.set_fontsize(9)
        axes.xaxis.label.set_fontsize(9)
        make(axes, trajectory)
        _settle(axes)
        mark_events(axes, trajectory)
        is_odd = len(makers) % 2 == 1  # then the last panel is wide, and its times do not stand below those above it
        lowest = place + 2 >= len(makers) and not (place == len(makers) - 2 and is_odd)
        axes.tick_params(labelbottom=place + (3 if is_odd else 2) >= len(makers))
        if lowest:
            axes.set_xlabel("time [s]", color=INK)
    if first is not None and len(trajectory.t) > 1:
        first.set_xlim(trajectory.t[0], trajectory.t[-1])
    figure.align_ylabels()


def _settle(axes: Axes) -> None:
    """An axis of a value that does not change shows that value, and no offsets."""
    low, high = axes.get_ylim()
    middle = 0.5 * (low + high)
    if limit := _of_most(axes):
        low, high = max(low, -limit), min(high, limit)
        axes.set_ylim(low, high)
        middle = 0.5 * (low + high)
    if high - low <= FLAT * max(abs(middle), 1.0) or not axes.lines:
        half = 0.05 * max(abs(middle), 1.0)
        axes.set_ylim(middle - half, middle + half)
    axes.ticklabel_format(axis="y", useOffset=False)


LOST, BEFORE, SHOWN = 1e9, 0.1, 100.0
"""More than this, in the unit of a panel and times what it was in this part of the time, a motion reaches only where it
diverges. It is shown up to so many times that, or up to so many where it was less than one."""


def _of_most(axes: Axes) -> float:
    """The size up to which curves are shown that diverge; else 0."""
    begun, all_of_it = 0.0, 0.0
    for line in axes.lines:
        sizes = np.abs(np.asarray(line.get_ydata(), dtype=float))
        times, (_, end) = np.asarray(line.get_xdata(), dtype=float), axes.dataLim.intervalx
        begun = max(begun, _largest(sizes[times <= BEFORE * end]))
        all_of_it = max(all_of_it, _largest(sizes))
    return SHOWN * max(begun, 1.0) if LOST * max(begun, 1.0) < all_of_it else 0.0


def _largest(sizes: Array) -> float:
    return float(np.max(sizes[np.isfinite(sizes)], initial=0.0))


def _head(figure: Figure | SubFigure, trajectory: Trajectory, title: str | None) -> None:
    """The title, and below all panels what events are marked, and the method."""
    figure.suptitle(
        _plain(title or _title(trajectory)), x=0.01, ha="left", fontsize=11, color=INK, fontweight="bold"
    )  # fmt: skip
    foot = filter(None, (kinds_of_events(trajectory), trajectory.statistics.method))
    figure.supxlabel(_plain("; ".join(foot)), x=0.99, ha="right", fontsize=7, color="#666666")


class _View:
    """The joints that are drawn, each in its own colour, the same in every panel."""

    def __init__(self, trajectory: Trajectory, numbers: list[int], degrees: bool) -> None:
        self.trajectory, self.numbers, self.degrees = trajectory, numbers, degrees
        self._has_joints = False

    def panel(self, panel: _Panel) -> Draw:
        """The function that draws a panel."""
        if panel.name == "energy":
            return _draw_energies
        if panel.name == "drift":
            return _draw_drift
        self._has_joints = True
        return lambda axes, _: self._draw(axes, panel)

    def style(self, k: int) -> dict[str, Any]:
        """Colour and dashes of a joint."""
        return _style(self.numbers.index(k))

    def joints(self) -> list[tuple[str, dict[str, Any]]]:
        """The names and styles of all joints drawn."""
        return [(self.trajectory.joint_names[k], self.style(k)) for k in self.numbers] if self._has_joints else []

    def _draw(self, axes: Axes, panel: _Panel) -> None:
        turns = panel.kind == "revolute"
        in_degrees = self.degrees and turns and panel.name != "tau"
        values = getattr(self.trajectory, panel.name) * (180.0 / np.pi if in_degrees else 1.0)
        of_kind = [k for k in self.numbers if self.trajectory.joint_kinds[k] == panel.kind]
        curves = [(self.trajectory.joint_names[k], values[..., k], self.style(k)) for k in of_kind]
        _draw_curves(axes, self.trajectory.t, curves)
        axes.set_ylabel(_ylabel(panel.name, turns, in_degrees), color=INK)
        if in_degrees and panel.name == "q" and 180 <= np.ptp(axes.get_ylim()) < 1440:
            shown = np.ptp(axes.get_ylim())
            axes.yaxis.set_major_locator(MultipleLocator(45 if shown < 360 else 90 if shown < 720 else 180))


def _ylabel(name: str, turns: bool, in_degrees: bool) -> str:
    angle = "deg" if in_degrees else "rad"
    return {
        "q": f"angle [{angle}]" if turns else "position [m]",
        "qd": f"velocity [{angle if turns else 'm'}/s]",
        "qdd": f"acceleration [{angle if turns else 'm'}/s²]",
        "tau": "torque [N m]" if turns else "force [N]",
    }[name]


def _style(place: int) -> dict[str, Any]:
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": DASHES[place // len(COLOURS) % len(DASHES)]}


def _chosen_signals(trajectory: Trajectory, signals: Sequence[str] | None) -> Sequence[str]:
    """The names of the signals to draw."""
    known = tuple(trajectory.signals)
    for name in signals or ():
        if not is_one_of(name, known):
            raise UnknownName.of("signal", name, known, f"the trajectory of {trajectory.robot!r}")
    return known if signals is None else signals


def _units_of_joints(trajectory: Trajectory, name: str) -> Sequence[str | None]:
    """The units of a signal that joints which turn and slide have in different ones; else None."""
    labels = trajectory.signal_labels.get(name, ())
    units = tuple(dict.fromkeys(label.unit for label in labels))
    of_joints = [label.name for label in labels] == list(trajectory.joint_names)
    return units if of_joints and len(units) > 1 else (None,)


def _signal_panel(name: str, only: str | None, *, degrees: bool) -> Draw:
    """A line for each of the values of a signal, or of those in a unit, with their names and units as far as known."""

    def draw(axes: Axes, trajectory: Trajectory) -> None:
        values, known = trajectory.signals[name], trajectory.signal_labels.get(name)
        places = range(values.shape[-1])
        if only is not None and known is not None:
            places = [k for k, one in enumerate(known) if one.unit == only]  # type: ignore[assignment]
            values, known = values[..., places], tuple(known[k] for k in places)
        if degrees and known is not None:
            values = values * [180.0 / np.pi if one.unit in IN_DEGREES else 1.0 for one in known]
            known = tuple(one._replace(unit=IN_DEGREES.get(one.unit, one.unit)) for one in known)
        labels, unit = _labels_of_signal(name, values.shape[-1], known)
        curves = zip(labels, np.moveaxis(values, -1, 0), map(_style, places), strict=True)
        _draw_curves(axes, trajectory.t, list(curves))
        axes.set_ylabel(_plain(name + unit), color=INK)
        _legend_above(axes)

    return draw


def _labels_of_signal(name: str, size: int, known: Sequence[Label] | None) -> tuple[list[str], str]:
    """The names of the values of a signal, and the unit of the axis; units stand with the names where they differ."""
    if known is None:
        return ([name] if size == 1 else [f"{name} {k}" for k in range(size)]), ""
    units = dict.fromkeys(one.unit for one in known)
    if len(units) == 1:
        return [one.name or name for one in known], "".join(f" [{unit}]" for unit in units if unit)
    return [f"{one.name} [{one.unit}]" if one.unit else one.name for one in known], ""


def _draw_energies(axes: Axes, trajectory: Trajectory) -> None:
    energy = trajectory.energy
    shown = [("kinetic", energy.kinetic, COLOURS[0]), ("potential", energy.potential, COLOURS[1])]
    if np.nanmax(np.abs(energy.work), initial=0.0) > 0:
        shown.append(("work put in", energy.work, COLOURS[2]))
    shown.append(("total", energy.total, INK))
    _draw_curves(axes, trajectory.t, [(name, values, {"color": colour}) for name, values, colour in shown])
    axes.set_ylabel("energy [J]", color=INK)
    _legend_above(axes)


def _draw_drift(axes: Axes, trajectory: Trajectory) -> None:
    drift = trajectory.energy.drift
    largest = np.abs(drift[np.isfinite(drift)]).max(initial=0.0)
    scale, unit = next(((s, u) for s, u in _JOULES if largest >= s), _JOULES[-1])
    _draw_curves(axes, trajectory.t, [("total - initial - work", drift / scale, {"color": INK})])
    axes.set_ylabel(f"drift [{unit}]", color=INK)
    _legend_above(axes)


_JOULES = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ"), (1e-12, "pJ"), (1e-15, "fJ"))


def _draw_curves(axes: Axes, t: Array, curves: Sequence[tuple[str, Array, dict[str, Any]]]) -> None:
    """Curves, the name, values and style of each; those of one motion take turns where they coincide."""
    alone = len(t) > 1 and all(values.ndim == 1 for _, values, _ in curves)
    parts = pieces(t, np.stack([values for _, values, _ in curves], axis=-1)) if curves and alone else None
    for k, (name, values, style) in enumerate(curves):
        if parts is None:
            _draw_lines(axes, t, values, name, **style)
        else:
            _draw_pieces(axes, t, values, name, parts[k], style)


def _draw_pieces(axes: Axes, t: Array, values: Array, name: str, parts: list[Piece], style: dict[str, Any]) -> None:
    """One motion's line, in parts."""
    for k, part in enumerate(parts):
        own, label = slice(part.first, part.last + 1), _plain(name) if k == 0 else None
        axes.plot(t[own], values[own], label=label, linewidth=1.4, **(style | part.style))


def _draw_lines(axes: Axes, t: Array, values: Array, name: str, **style: Any) -> None:
    """Few motions as thin lines, many as the median with a band around it."""
    flat = values.reshape(len(t), -1)
    motions = flat.shape[1]
    if motions <= MOST_LINES:
        thin: dict[str, Any] = {"linewidth": 1.4} if motions == 1 else {"linewidth": 0.7, "alpha": 0.7}
        if len(t) == 1:
            thin["marker"] = "o"
        for k in range(motions):
            axes.plot(t, flat[:, k], label=_plain(name) if k == 0 else None, **thin, **style)
        return
    flat = flat[:, np.isfinite(flat).all(axis=0)]
    if flat.shape[1]:
        low, middle, high = np.percentile(flat, [5, 50, 95], axis=1)
        axes.fill_between(t, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axes.plot(t, middle, label=_plain(name), linewidth=1.4, **style)


def _legend_above(axes: Axes) -> None:
    """In a line above the panel, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        place = axes.get_subplotspec()
        panels = 1 if place is None else len(place.colspan)
        drawn = [handle for handle in handles if isinstance(handle, Line2D)]
        solid = [Line2D([], [], color=line.get_color(), linewidth=1.4) for line in drawn]
        axes.legend(
            solid, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2,
            ncols=_columns_of(labels, panels), frameon=False, fontsize=8, handlelength=1.8, columnspacing=1.2,
            labelcolor=INK,
        )  # fmt: skip


MOST_COLUMNS, LETTERS_OF_A_PANEL, LETTERS_OF_A_LINE = 4, 56, 5
"""Columns of a legend, letters that go above a panel, and the letters in whose room a line is drawn before its name."""


def _columns_of(labels: Sequence[str], panels: int) -> int:
    """As many columns as go above so many panels: a legend that is wider would take its room from all panels."""
    for columns in range(min(len(labels), MOST_COLUMNS * panels), 1, -1):
        rows = -(-len(labels) // columns)
        longest = [max(map(len, labels[k : k + rows])) for k in range(0, len(labels), rows)]
        if sum(longest) + LETTERS_OF_A_LINE * len(longest) <= LETTERS_OF_A_PANEL * panels:
            return columns
    return 1


def _legend_of_joints(figure: Figure | SubFigure, view: _View) -> None:
    """The joints once, to the right of all panels."""
    named = view.joints()
    if named:
        handles = [Line2D([], [], label=_plain(name), linewidth=1.4, **style) for name, style in named]
        many = np.prod(view.trajectory.batch) > MOST_LINES
        figure.legend(
            handles=handles, loc="outside right upper", frameon=False, fontsize=8, handlelength=2.2, labelcolor=INK,
            title="median, 5 to 95 %" if many else None, title_fontsize=8, alignment="left",
            ncols=-(-len(handles) // 30),
        )  # fmt: skip


def _title(trajectory: Trajectory) -> str:
    motions = int(np.prod(trajectory.batch))
    many = f", {motions} motions" if trajectory.batch else ""
    start = f"{trajectory.t[0]:g} to " if trajectory.t[0] else ""
    return f"{trajectory.robot}, {start}{trajectory.t[-1]:g} s{many}"


def _plain(text: str) -> str:
    """Text as it stands: a dollar sign starts no formula, a leading underscore hides no label."""
    return ("\u200b" if text.startswith("_") else "") + text.replace("$", r"\$")
