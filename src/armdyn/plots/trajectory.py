"""A motion over time: joint quantities with limits and references, energies, signals, another motion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.figure import Figure, SubFigure

from armdyn.base.checks import array, choice, is_one_of, switch
from armdyn.base.errors import DTypeError, SettingError, UnknownName, excerpt
from armdyn.model.limits import Limits
from armdyn.motion.signal_words import REFERENCES, words_of
from armdyn.motion.with_robot import check_it_moved
from armdyn.plots.draw_panel import MOST_LINES, draw_panel, legend_lines
from armdyn.plots.event_marks import event_style, events_by_name, kinds_of_events, mark_events
from armdyn.plots.extremes import INTERVALS, LONGEST
from armdyn.plots.motion_panels import Panel, Panels, any_of, behind_style, notes_on_omitted, reference_style
from armdyn.plots.overlay import Overlay, overlay_of
from armdyn.plots.sheet import SIZES, LegendEntry, PageSize, Palette, PanelPlaces, legend_columns, sheet_of, wrapped
from armdyn.plots.style import INK

if TYPE_CHECKING:
    from armdyn.logs.log import Log
    from armdyn.motion.motion_data import MotionData
    from armdyn.robot import Robot

PANELS = (
    *("q", "qd", "qdd", "tau", "energy", "drift", "phase"),
    *("error", "error_qd", "residual", "residual_qd", "residual_qdd", "residual_tau"),
)
"""Names of the panels, except those of signals."""

LAYOUTS = ("quantities", "joints")

REST = 1e-9
"""Joints that move less than this, rad or m, are at rest."""


def plot_trajectory(
    trajectory: MotionData,
    *,
    over: MotionData | Log | None = None,
    joints: Iterable[str | int] | None = None,
    panels: Sequence[str] | None = None,
    signals: Sequence[str] | None = None,
    layout: Literal["quantities", "joints"] = "quantities",
    limits: bool | Robot | Sequence[Limits] = True,
    reference: bool = True,
    degrees: bool = True,
    size: PageSize = "report",
    palette: Palette = "colour",
    figsize: tuple[float, float] | None = None,
    title: str | None = None,
    figure: Figure | SubFigure | None = None,
) -> Figure:
    """Joint positions, velocities and forces over time with limits and references, energies, signals, as a Figure.

    A joint has the same colour in every panel. References are dark dashes on their curve, with a panel of the tracking
    error; another motion or a log is a broad pale line in the background, with a panel of the residual. Limits near the
    curves are lines, in grey if all joints share them, and times beyond them are shaded. Dotted lines are events, with
    a mark for each kind in the colour of its joint; the footer lists them by joint, stop and contact. Panels that
    contain only zeros are omitted and listed in the footer; so are curves of stops and other elements that are zero.
    The dashes of curves that coincide alternate, so that all are visible. A batch of up to twenty motions shows a thin
    line for each; a larger one the median, and a band from the 5th to the 95th percentile. More than 6,000 rows are
    drawn by their extremes. Angles are not wrapped.

    Args:
        trajectory: the motion.
        over: another motion, or a log, in the background; joints are matched by name, rows by time.
        joints: names or numbers of the drawn joints; all by default.
        panels: names of the panels, in order: "q", "qd", "qdd", "tau", "energy", "drift" (of the energy account),
            "phase" (velocities over positions), "error" and "error_qd" (reference less motion), "residual",
            "residual_qd", "residual_qdd" and "residual_tau" (other motion less this), and names of signals. By default
            q, qd, tau if forces act, error, residual, energy, and drift if anything moves.
        signals: names of signals in panels of their own below; by default all that no other panel shows, none if
            panels are named.
        layout: "quantities" draws the joints together, in one panel per quantity; "joints" in one row per joint, with
            the energies below.
        limits: True for those of the trajectory; a robot or `armdyn.Limits` of each joint for others; False for none.
        reference: True to draw references, e.g. the signal q_ref, on their curves.
        degrees: angles in degrees, and speeds in degrees per second; otherwise in radians.
        size: font and line sizes for a page of a "report" (10 in wide), a "paper" (170 mm), one "column" of a paper
            (85 mm, with one panel per row), or a "slide" (13.33 in).
        palette: "colour", distinguishable by colour-blind readers, or "grey".
        figsize: width and height, inches.
        title: title above the picture; robot and duration by default.
        figure: figure to draw into, e.g. ``matplotlib.pyplot.figure(layout="constrained")``, or a part of one.

    Raises:
        UnknownName: a joint, panel or signal that the trajectory does not have.
        SettingError: an error without a reference, a residual without another motion; another layout, size or palette.
        DTypeError: another motion that is neither a trajectory nor a log.
        ShapeError: a batch as another motion.

    >>> trajectory = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.1)
    >>> [axes.get_title("left") for axes in armdyn.plots.plot_trajectory(trajectory).axes][-2:]
    ['energy [J]', 'drift of the energy account [pJ]']
    """
    arranged = choice("layout", layout, LAYOUTS, error=SettingError)
    sheet = sheet_of(size, palette, tuple(SIZES))
    numbers = _numbers(trajectory, joints)
    other = None if over is None else overlay_of(trajectory, over)
    maker = Panels(
        trajectory, numbers, sheet, degrees=switch("degrees", degrees), over=other,
        limits=_limits(trajectory, limits), reference=switch("reference", reference),
    )  # fmt: skip
    chosen = _Choice(maker, panels, signals, arranged)
    rows = chosen.by_joints() if arranged == "joints" else chosen.by_quantities()
    picture = _PanelPicture(maker, rows, chosen.notes, figure, None if figsize is None else _size(figsize))
    picture.draw(title or _title(trajectory))
    return picture.places.figure.get_figure(root=True)


class _Choice:
    """The drawn panels, and those omitted because they contain only zeros.

    Args:
        maker: builder of the panels.
        panels: names of panels, if given.
        signals: names of signals, if given.
        layout: "quantities" or "joints".
    """

    def __init__(self, maker: Panels, panels: Sequence[str] | None, signals: Sequence[str] | None, layout: str) -> None:
        self.maker, self.motion = maker, maker.motion
        self.omitted: dict[str, Any] = {}
        self.notes: list[str] = []
        choices = tuple(self.motion.signals)
        for name in signals or ():
            if not is_one_of(name, choices):
                raise UnknownName.of("signal", name, choices, f"the trajectory of {self.motion.robot!r}")
        if panels is not None:
            panels = [panels] if isinstance(panels, str) else list(panels)
            self._check(panels)
            self.panels, self.signals = panels, list(signals or ())
        else:
            self.panels = self._usual(layout)
            others = self._other_signals()
            if signals is None and layout == "joints" and others:
                self.notes.append(f"signals that are not drawn: {', '.join(others)}")
                others = []
            self.signals = list(signals) if signals is not None else others
        self.notes = [*notes_on_omitted(self.omitted), *self.notes]

    def _check(self, panels: Sequence[str]) -> None:
        for name in panels:
            if not is_one_of(name, (*PANELS, *self.motion.signals)):
                raise UnknownName.of("panel", name, (*PANELS, *self.motion.signals), "pictures of trajectories")
            if name.startswith("residual") and name in PANELS and self.maker.over is None:
                raise SettingError(f"panel {name!r} compares with another motion; expected over=other too")
            if name.startswith("error") and name in PANELS:
                of = name.removeprefix("error_") if "_" in name else "q"
                if REFERENCES[of][0] not in self.motion.signals:
                    raise SettingError(
                        f"panel {name!r} is reference less motion, and the trajectory of {self.motion.robot!r} has no "
                        f"signal {REFERENCES[of][0]!r}: trajectory.with_signals({REFERENCES[of][0]}=...)"
                    )

    def _usual(self, layout: str) -> list[str]:
        motion, maker = self.motion, self.maker
        acts = any_of(motion.tau) or (maker.over is not None and any_of(maker.over.arrays.get("tau", np.zeros(1))))
        moves = any_of(np.abs(motion.q - motion.q[:1]) > REST)
        if not acts:
            self.omitted["joint forces"] = motion.tau
        error = ["error"] if "q" in maker.references else []
        residual = ["residual"] if maker.over is not None and not motion.batch else []
        more = ["energy", *(["drift"] if moves else [])]
        if layout == "joints":
            return ["q", "qd", *(["tau"] if acts else []), *(residual or error), *more]
        return ["q", "qd", *(["tau"] if acts else []), *error, *residual, *more]

    def _other_signals(self) -> list[str]:
        """All signals except references drawn on their curve and signals that are always zero."""
        excerpt = {signal for name, signal in self.maker.references.items() if name in self.panels}
        result = []
        for name, values in self.motion.signals.items():
            if name in excerpt:
                continue
            if any_of(values):
                result.append(name)
            else:
                self.omitted[words_of(name).words] = values
        return result

    def _panel_of_name(self, joints: Sequence[int]) -> list[Panel]:
        """The panels of all names; the name of a panel takes precedence over that of a signal."""
        result = [panel for name in self.panels if name in PANELS for panel in self.maker.of(name, joints)]
        return result + [panel for name in self._signals() for panel in self.maker.signal(name)]

    def _signals(self) -> list[str]:
        return [*(name for name in self.panels if name not in PANELS), *self.signals]

    def by_quantities(self) -> list[list[Panel]]:
        """Panels in two columns, or in one."""
        return self._in_rows(self._panel_of_name(self.maker.numbers), 2)

    def _in_rows(self, panels: list[Panel], usual: int) -> list[list[Panel]]:
        """Rows of a usual number of panels, or of fewer if the page is narrow."""
        each = min(usual, self.maker.sheet.size.columns or usual)
        return [panels[k : k + each] for k in range(0, len(panels), each)]

    def by_joints(self) -> list[list[Panel]]:
        """One row per joint, and further rows for the quantities that do not belong to joints."""
        of_joints = [name for name in self.panels if name in PANELS and name not in ("energy", "drift")]
        per_joint = [name for name in self._signals() if self._is_of_joints(name)]
        rows = []
        for k in self.maker.numbers:
            row = [panel for name in of_joints for panel in self.maker.of(name, [k])]
            row += [panel for name in per_joint for panel in self.maker.signal(name, [k])]
            if row:
                named = [replace(row[0], joint=self.motion.joint_names[k]), *row[1:]]
                rows += self._in_rows(named, _columns(len(named)))
        whole = [
            panel for name in self.panels if name in PANELS and name not in of_joints
            for panel in self.maker.of(name, self.maker.numbers)
        ]  # fmt: skip
        whole += [panel for name in self._signals() if name not in per_joint for panel in self.maker.signal(name)]
        return rows + self._in_rows(whole, 2)

    def _is_of_joints(self, name: str) -> bool:
        labels = self.motion.signal_labels.get(name, ())
        return [label.name for label in labels] == list(self.motion.joint_names)


MOST_COLUMNS = 4
"""Largest number of panels in the row of a joint."""


def _columns(panels: int) -> int:
    """The number of columns of rows of at most `MOST_COLUMNS` panels and of nearly the same length."""
    rows = -(-panels // MOST_COLUMNS)
    return -(-panels // rows)


class _PanelPicture:
    """Panels at their positions, with one legend, the title and the footer.

    Args:
        maker: builder of the panels.
        rows: rows of panels.
        notes: notes for the footer.
        figure: figure to draw into; None for a new one.
        figsize: width and height of a new figure, inches.
    """

    def __init__(
        self,
        maker: Panels,
        rows: list[list[Panel]],
        notes: list[str],
        figure: Figure | SubFigure | None,
        figsize: tuple[float, float] | None,
    ) -> None:
        self.maker, self.motion, self.rows, self.sheet = maker, maker.motion, rows, maker.sheet
        columns = max((len(row) for row in rows), default=1)
        self.spans = [_spans(len(row), columns) for row in rows]
        panels = [panel for row in rows for panel in row]
        width = (figsize or (self.sheet.size.width, 0.0))[0] if figure is None else _width(figure)
        self.width = width - 0.2 * self.sheet.scale
        foot = [
            *notes,
            *events_by_name(self.motion),
            *_outside(panels),
            *_thinned(self.motion, maker.over),
            *_of_panels(panels),
        ]
        foot += [] if maker.over is None else maker.over.notes
        foot.append(self.motion.statistics.method)
        self.foot = wrapped(foot, self.width, self.sheet.scale)
        self.lift = 0.42 * self.sheet.size.font if kinds_of_events(self.motion) else 0.0
        room = [self._room(number) + 0.4 * bool(self.lift) for number in range(len(rows))]
        entries = self._entries({"limit", "outside limits"} if any(panel.bands for panel in panels) else set())
        self.places = PanelPlaces(
            self.sheet, self.spans, room, figure=figure, figsize=figsize, foot=self.foot,
            head=-(-len(entries) // legend_columns(entries, self.width, self.sheet.scale)) if entries else 0,
        )  # fmt: skip

    def draw(self, title: str) -> None:
        """Draw all panels, the legend, the title and the footer."""
        motion, font, first = self.motion, self.sheet.size.font, None
        over = self.maker.over
        drawn: set[str] = set()
        for number, (row, spans) in enumerate(zip(self.rows, self.spans, strict=True)):
            column = 0
            for panel, span in zip(row, spans, strict=True):
                axes = self.places.axes(number, column, span, None if panel.phase else first)
                draw_panel(axes, panel, self.sheet, self.lift)
                if panel.phase:
                    axes.set_xlabel("", fontsize=font)
                else:
                    first = first or axes
                    mark_events(axes, motion, 0.5 * font, self.maker.colours())
                    lowest = self._is_lowest(number, column, span)
                    axes.tick_params(labelbottom=lowest)
                    if not lowest:
                        axes.xaxis.set_label_coords(0.5, -0.1)
                    else:
                        axes.set_xlabel("time [s]", fontsize=1.06 * font, color=INK, labelpad=2.0)
                drawn |= {str(one.get_label()) for one in (*axes.collections, *axes.patches)}
                column += span
        if first is not None:
            begin, end = motion.t[0], motion.t[-1]
            if over is not None:
                begin, end = min(begin, over.t[0]), max(end, over.t[-1])
            if end > begin:
                first.set_xlim(begin, end)
        entries = self._entries(drawn)
        self.places.head(title, entries, legend_columns(entries, self.width, self.sheet.scale))
        self.places.foot(self.foot)

    def _room(self, row: int) -> float:
        """Number of text lines above a row: names of curves and of a joint, and times of the row above."""
        panels, spans = self.rows[row], self.spans[row]
        lines = max((legend_lines(panel, span) for panel, span in zip(panels, spans, strict=True)), default=0)
        lines += any(panel.joint for panel in panels)
        if row and any(self._is_lowest(row - 1, *place) for place in _places(self.spans[row - 1])):
            under = {column for start, span in _places(spans) for column in range(start, start + span)}
            above = _places(self.spans[row - 1])
            labelled = [place for place in above if self._is_lowest(row - 1, *place)]
            lines += 2 * any(start in under for start, _ in labelled)
        return lines

    def _is_lowest(self, row: int, column: int, span: int) -> bool:
        """Return True if no panel over time in a lower row has the column and span of a panel."""
        for below, spans in zip(self.rows[row + 1 :], self.spans[row + 1 :], strict=True):
            start = 0
            for panel, wide in zip(below, spans, strict=True):
                if not panel.phase and wide == span and start == column:
                    return False
                start += wide
        return True

    def _entries(self, drawn: set[str]) -> list[LegendEntry]:
        """The legend: joints, references, the other motion, limits, kinds of events."""
        panels = [panel for row in self.rows for panel in row]
        maker, motion, size = self.maker, self.motion, self.sheet.size
        entries = []
        if any(not panel.legend and panel.name != "drift" for panel in panels) and not any(p.joint for p in panels):
            entries += [LegendEntry(motion.joint_names[k], maker.style(k)) for k in maker.numbers]
        one = {"color": "#444444", "linewidth": size.line}
        if any(panel.references for panel in panels):
            entries.append(LegendEntry("reference", reference_style({**one, "color": "#888888"})))
        if maker.over is not None and any(panel.behind for panel in panels):
            entries.append(LegendEntry(maker.over.name, behind_style(one)))
        if "limit" in drawn:
            entries.append(
                LegendEntry(
                    "limit", {"color": self.sheet.limit, "linestyle": (0, (7.0, 2.0, 1.2, 2.0)), "linewidth": 0.9}
                )
            )
        if "outside limits" in drawn:
            entries.append(
                LegendEntry("outside limits", {"color": self.sheet.outside, "linewidth": 5.0 * self.sheet.scale})
            )
        if any(not panel.phase for panel in panels):
            for kind, count in kinds_of_events(motion):
                entries.append(LegendEntry(f"{kind} ({count})", event_style(kind, 0.5 * size.font)))
        if np.prod(motion.batch) > MOST_LINES:
            entries.append(LegendEntry("median, 5 to 95 %", one))
        return entries


def _places(spans: Sequence[int]) -> list[tuple[int, int]]:
    """The first column of each panel of a row, and its span."""
    return [(sum(spans[:k]), span) for k, span in enumerate(spans)]


def _spans(count: int, columns: int) -> list[int]:
    """The number of columns that each panel of a row spans: fewer panels are wider, except with two columns."""
    return [columns // max(count, 1) if columns > 2 else 1] * count


def _width(figure: Figure | SubFigure) -> float:
    """The width of a figure or a part of one, inches."""
    return float(figure.bbox.width / figure.get_figure(root=True).dpi)


def _outside(panels: Sequence[Panel]) -> list[str]:
    """The time beyond limits of each joint and quantity."""
    times = [
        (band.label, sum(end - start for start, end in band.outside))
        for panel in panels for band in panel.bands if band.outside
    ]  # fmt: skip
    result = [f"{label} {f'{time:.3g} s' if time > 0.0 else 'at one time'}" for label, time in times]
    return [f"outside limits: {', '.join(result)}"] if result else []


def _thinned(motion: MotionData, over: Overlay | None) -> list[str]:
    """A sentence on the reduction of rows to their extremes."""
    counts = [len(motion.t), *([] if over is None else [len(over.t)])]
    return [f"{count:,} rows drawn by the extremes of {INTERVALS:,} intervals" for count in counts if count > LONGEST]


def _of_panels(panels: Sequence[Panel]) -> list[str]:
    return list(dict.fromkeys(note for panel in panels for note in panel.notes))


def _limits(trajectory: MotionData, limits: object) -> Sequence[Limits]:
    """The limits of all joints; empty if none are drawn.

    Raises:
        ShapeError: a robot of other joints.
        DTypeError: limits that are neither a switch, nor a robot, nor `armdyn.Limits` of each joint.
    """
    if isinstance(limits, bool | np.bool_):
        return trajectory.limits if limits else ()
    if hasattr(limits, "joints"):
        check_it_moved(trajectory, limits)
        return [joint.limits for joint in limits.joints]
    values = list(limits) if isinstance(limits, Sequence) else []
    if len(values) != len(trajectory.joint_names) or not all(isinstance(one, Limits) for one in values):
        raise DTypeError(
            f"limits is {excerpt(limits)}; expected True, False, a robot, or an armdyn.Limits for each of the joints "
            f"{', '.join(trajectory.joint_names)}"
        )
    return values


def _size(figsize: object) -> tuple[float, float]:
    width, height = array("figsize", figsize, (2,), "width and height, inches").tolist()
    return float(width), float(height)


def _title(trajectory: MotionData) -> str:
    motions = int(np.prod(trajectory.batch))
    many = f", {motions} motions" if trajectory.batch else ""
    start = f"{trajectory.t[0]:g} to " if trajectory.t[0] else ""
    return f"{trajectory.robot}, {start}{trajectory.t[-1]:g} s{many}"


def _numbers(trajectory: MotionData, joints: Iterable[str | int] | None) -> list[int]:
    """The indices in q of the joints to draw."""
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
