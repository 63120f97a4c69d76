"""The panels of a motion over time: titles with units, curves, references, another motion in the background, limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.model.limits import Limits
from armdyn.motion.labels import Label
from armdyn.motion.limits_passed import ROUNDING
from armdyn.motion.signal_words import REFERENCES, words_of
from armdyn.plots.event_marks import joint_of
from armdyn.plots.overlay import Overlay
from armdyn.plots.sheet import Sheet
from armdyn.plots.style import COLOURS, INK
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.motion.motion_data import MotionData

IN_DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s^2": "deg/s²"}
"""Units in degrees by unit in radians."""

WORDS = {
    "q": ("joint angle", "joint position", "q"),
    "qd": ("joint velocity", "joint velocity", r"\dot{q}"),
    "qdd": ("joint acceleration", "joint acceleration", r"\ddot{q}"),
    "tau": ("joint torque", "joint force", r"\tau"),
}
"""Names of each quantity for revolute and for prismatic joints, and its symbol."""

UNITS = {
    "revolute": {"q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "tau": "N m"},
    "prismatic": {"q": "m", "qd": "m/s", "qdd": "m/s^2", "tau": "N"},
}

KINDS = ("revolute", "prismatic")

_SYMBOL = re.compile(r"(?P<base>[A-Za-z\u0391-\u03c9\u222b]+)(?P<mark>[\u0302\u0307\u0308]?)(?:_(?P<below>\w+))?")
_GREEK = {"τ": r"\tau", "θ": r"\theta", "λ": r"\lambda", "ΔT": r"\Delta T"}
_MARKS = {"\u0302": r"\hat", "\u0307": r"\dot", "\u0308": r"\ddot", "": ""}


@dataclass(frozen=True)
class PanelCurve:
    """A line of a panel.

    Args:
        label: its name in a legend.
        t: its x values, s, shape (T,).
        values: y values, shape (T, ...), one column per motion of a batch.
        style: colour, dashes and width.
    """

    label: str
    t: Array
    values: Array
    style: Mapping[str, Any]


@dataclass(frozen=True)
class Band:
    """The limits of a joint in a panel.

    Args:
        label: the joint and the quantity.
        low: lower limit, in the unit of the panel, or -inf.
        high: upper limit, in the unit of the panel, or inf.
        colour: colour of the joint.
        outside: start and end times of the intervals in which the motion is beyond the limits, s.
    """

    label: str
    low: float
    high: float
    colour: str
    outside: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Panel:
    """The content of a panel.

    Args:
        name: name of the quantity.
        title: name, symbol and unit.
        curves: curves of the motion, in front.
        behind: curves of another motion.
        references: references that the curves follow.
        bands: limits.
        legend: True if the panel has labels of its own, not those of joints.
        phase: True for velocities over positions.
        joint: name of the joint whose row begins here; empty if none does.
        notes: notes for the footer.
    """

    name: str
    title: str
    curves: Sequence[PanelCurve] = ()
    behind: Sequence[PanelCurve] = ()
    references: Sequence[PanelCurve] = ()
    bands: Sequence[Band] = ()
    legend: bool = False
    phase: bool = False
    joint: str = ""
    notes: Sequence[str] = field(default=())


def symbol_text(symbol: str) -> str:
    r"""A symbol, e.g. "τ_f", as a formula of Matplotlib.

    >>> symbol_text("τ_f"), symbol_text("I"), symbol_text("V I")
    ('$\\tau_{\\mathrm{f}}$', '$I$', '$V\\,I$')
    """
    parts = []
    for one in symbol.split(" "):
        match = _SYMBOL.fullmatch(one)
        if match is None:
            return symbol
        base = _GREEK.get(match["base"], match["base"])
        base = rf"{_MARKS[match['mark']]}{{{base}}}" if match["mark"] else base
        below = match["below"] or ""
        parts.append(base + (rf"_{{\mathrm{{{below}}}}}" if below else ""))
    return "$" + r"\,".join(parts) + "$" if symbol else ""


class Panels:
    """Builds the panels of a motion.

    Args:
        motion: the drawn motion.
        numbers: indices of the drawn joints.
        sheet: colours.
        degrees: True for angles in degrees.
        over: another motion.
        limits: limits of all joints; empty to draw none.
        reference: True to draw references on their curves.
    """

    def __init__(
        self,
        motion: MotionData,
        numbers: Sequence[int],
        sheet: Sheet,
        *,
        degrees: bool,
        over: Overlay | None,
        limits: Sequence[Limits],
        reference: bool,
    ) -> None:
        self.motion, self.numbers, self.sheet = motion, numbers, sheet
        self.degrees, self.over, self.limits = degrees, over, limits
        self.references = self._references() if reference else {}

    def _references(self) -> dict[str, str]:
        """The signal that each quantity follows, by the quantity."""
        result = {}
        for name, signals in REFERENCES.items():
            for signal in signals:
                values = self.motion.signals.get(signal)
                if values is not None and values.shape == self.motion.q.shape and name not in result:
                    result[name] = signal
        return result

    def style(self, joint: int) -> dict[str, Any]:
        """Colour, dashes and width of the curves of a joint, equal in every panel."""
        return self.sheet.style(self.numbers.index(joint))

    def colours(self) -> dict[str, str]:
        """The colours of the drawn joints by name."""
        return {self.motion.joint_names[k]: str(self.style(k)["color"]) for k in self.numbers}

    def kinds(self, joints: Sequence[int]) -> list[str]:
        """The kinds of some joints; each kind has a separate panel."""
        return [kind for kind in KINDS if any(self.motion.joint_kinds[k] == kind for k in joints)]

    def of(self, name: str, joints: Sequence[int]) -> Iterator[Panel]:
        """The panels of a quantity of joints, one for each kind of joint; one panel for energies."""
        if name == "energy":
            yield self._energy()
        elif name == "drift":
            yield self._drift()
        else:
            for kind in self.kinds(joints):
                of_kind = [k for k in joints if self.motion.joint_kinds[k] == kind]
                result = self._phase(kind, of_kind) if name == "phase" else self._of_joints(name, kind, of_kind)
                if result is not None:
                    yield result

    def _of_joints(self, name: str, kind: str, joints: Sequence[int]) -> Panel | None:
        """Joint positions, velocities, accelerations or forces; errors and residuals of them."""
        if name.startswith("error"):
            return self._error(name.removeprefix("error_") if "_" in name else "q", kind, joints)
        if name.startswith("residual"):
            return self._residual(name.removeprefix("residual_") if "_" in name else "q", kind, joints)
        factor, unit = self._unit(UNITS[kind][name])
        values = getattr(self.motion, name)
        curves = [self._curve(k, values[..., k] * factor) for k in joints]
        behind, references = self._behind(name, joints, factor), []
        if name in self.references:
            signal = self.motion.signals[self.references[name]]
            references = [self._reference(k, signal[..., k] * factor) for k in joints]
        bands = list(self._bands(name, joints, factor))
        return Panel(name, _title(name, kind, unit), curves, behind, references, bands)

    def _unit(self, unit: str) -> tuple[float, str]:
        """The factor from an SI unit to the displayed unit, and the name of the latter."""
        if self.degrees and unit in IN_DEGREES:
            return 180.0 / np.pi, IN_DEGREES[unit]
        return 1.0, unit.replace("^2", "²")

    def _curve(self, joint: int, values: Array) -> PanelCurve:
        return PanelCurve(self.motion.joint_names[joint], self.motion.t, values, self.style(joint))

    def _reference(self, joint: int, values: Array) -> PanelCurve:
        return PanelCurve("reference", self.motion.t, values, reference_style(self.style(joint)))

    def _behind(self, name: str, joints: Sequence[int], factor: float) -> list[PanelCurve]:
        line = None if self.over is None else self.over.line(name)
        if line is None:
            return []
        t, values = line
        drawn_joints = [k for k in joints if np.isfinite(values[:, k]).any()]
        return [PanelCurve("other", t, values[:, k] * factor, behind_style(self.style(k))) for k in drawn_joints]

    def _bands(self, name: str, joints: Sequence[int], factor: float) -> Iterator[Band]:
        for k in joints if self.limits and not self.motion.batch else ():
            one = self.limits[k]
            low, high = {
                "q": (one.lower, one.upper),
                "qd": (-one.velocity, one.velocity),
                "tau": (-one.effort, one.effort),
            }.get(name, (-np.inf, np.inf))
            if not (np.isfinite(low) or np.isfinite(high)) or not low <= high:
                continue
            values = getattr(self.motion, name)[:, k]
            slack = ROUNDING * max(abs(low) if np.isfinite(low) else 0.0, abs(high) if np.isfinite(high) else 0.0, 1.0)
            beyond = (values > high + slack) | (values < low - slack)
            label = f"{self.motion.joint_names[k]} {name}"
            outside = _stretches(self.motion.t, beyond)
            yield Band(label, low * factor, high * factor, self.style(k)["color"], outside)

    def _error(self, name: str, kind: str, joints: Sequence[int]) -> Panel | None:
        signal = self.motion.signals.get(REFERENCES[name][0])
        if signal is None or signal.shape != self.motion.q.shape:
            return None
        factor, unit = self._unit(UNITS[kind][name])
        off = (signal - getattr(self.motion, name)) * factor
        symbol = WORDS[name][2]
        title = rf"tracking error ${symbol}_\mathrm{{ref}} - {symbol}$ [{unit}]"
        return Panel("error", title, [self._curve(k, off[..., k]) for k in joints])

    def _residual(self, name: str, kind: str, joints: Sequence[int]) -> Panel | None:
        there = None if self.over is None or self.motion.batch else self.over.at(self.motion.t, name)
        if there is None:
            return None
        factor, unit = self._unit(UNITS[kind][name])
        off = (there - getattr(self.motion, name)) * factor
        drawn_joints = [k for k in joints if np.isfinite(off[:, k]).any()]
        title = f"residual, other - this: ${WORDS[name][2]}$ [{unit}]".replace(" - ", " \u2212 ")
        return Panel("residual", title, [self._curve(k, off[:, k]) for k in drawn_joints])

    def _phase(self, kind: str, joints: Sequence[int]) -> Panel:
        """The phase panel: velocities over positions."""
        (along, unit), (up, rate) = self._unit(UNITS[kind]["q"]), self._unit(UNITS[kind]["qd"])
        motion = self.motion
        curves = []
        for k in joints:
            q, qd = motion.q[..., k] * along, motion.qd[..., k] * up
            first: Any = (slice(None), *(0 for _ in motion.batch))
            curves.append(PanelCurve(motion.joint_names[k], q[first], qd[first], self.style(k)))
        title = rf"phase portrait: $\dot{{q}}$ [{rate}] over $q$ [{unit}]"
        notes = ["phase portrait of the first motion"] if motion.batch else []
        behind = []
        rates = None if self.over is None else self.over.line("qd")
        positions = None if self.over is None else self.over.line("q")
        if rates is not None and positions is not None:
            q, qd = positions[1] * along, rates[1] * up
            drawn_joints = [k for k in joints if np.isfinite(q[:, k]).any()]
            behind = [PanelCurve("other", q[:, k], qd[:, k], behind_style(self.style(k))) for k in drawn_joints]
        return Panel("phase", title, curves, behind, phase=True, notes=notes)

    def _energy(self) -> Panel:
        energy, wide = self.motion.energy, self.sheet.size.line
        colours = self.sheet.colours
        terms = [("kinetic", energy.kinetic, 0, "solid"), ("potential", energy.potential, 1, "solid")]
        if np.nanmax(np.abs(energy.work), initial=0.0) > 0:
            terms.append(("work put in", energy.work, 2, "solid"))
        curves = [
            PanelCurve(name, self.motion.t, values, {"color": colours[k], "linestyle": dashes, "linewidth": wide})
            for name, values, k, dashes in terms
        ]
        whole = {"color": INK, "linestyle": "solid" if colours is COLOURS else (0, (5, 1.5)), "linewidth": wide}
        curves.append(PanelCurve("total", self.motion.t, energy.total, whole))
        behind = []
        if self.over is not None and isinstance(self.over.motion, type(self.motion)):
            behind = [PanelCurve("other", self.over.t, self.over.motion.energy.total, behind_style(whole))]
        return Panel("energy", "energy [J]", curves, behind, legend=True)

    def _drift(self) -> Panel:
        drift = self.motion.energy.drift
        scale, unit = scale_of_drift(drift)
        style = {"color": INK, "linewidth": self.sheet.size.line}
        curve = PanelCurve("total - initial - work", self.motion.t, drift / scale, style)
        return Panel("drift", f"drift of the energy account [{unit}]", [curve])

    def signal(self, name: str, joints: Sequence[int] | None = None) -> Iterator[Panel]:
        """The panels of a signal, one for each unit of joints; of some joints only, if they are named.

        Curves that are zero at all times are omitted, unless all are, or the signal has a curve for each joint.
        """
        values, signal_label = self.motion.signals[name], self.motion.signal_labels.get(name)
        labels = signal_label or [Label(f"{name} {k}" if values.shape[-1] > 1 else "") for k in range(values.shape[-1])]
        places = [self._joint_of(label.name) for label in labels] if signal_label else [-1] * len(labels)
        of_joints = [label.name for label in labels] == list(self.motion.joint_names)
        keep = [k for k, j in enumerate(places) if (j in self.numbers or j < 0) and (joints is None or j in joints)]
        zero = [] if of_joints else [k for k in keep if not any_of(values[..., k])]
        if len(zero) == len(keep):
            zero = []
        drawn = dict.fromkeys(labels[k].unit for k in keep if k not in zero)
        omitted = [unit for unit in dict.fromkeys(labels[k].unit for k in zero) if unit not in drawn]
        notes = [f"zero throughout: {words_of(name).words} [{unit}]" for unit in omitted]
        for unit in drawn:
            own = [k for k in keep if labels[k].unit == unit]
            nonzero = [k for k in own if k not in zero]
            yield replace(self._of_signal(name, unit, nonzero, labels, places, len(own), of_joints), notes=notes)

    def _of_signal(
        self, name: str, unit: str, own: Sequence[int], labels: Sequence[Label], places: Sequence[int], count: int,
        of_joints: bool,
    ) -> Panel:  # fmt: skip
        factor, unit_text = self._unit(unit)
        words, symbol = words_of(name)
        title = f"{words} {symbol_text(symbol)}".strip().replace("  ", " ")
        values = self.motion.signals[name]
        turns: dict[int, int] = {}
        curves = []
        for place, k in enumerate(own):
            joint = places[k]
            turn = turns.get(joint, -1) + 1
            turns[joint] = turn
            style = self.sheet.style(place) if joint < 0 else self.sheet.style(self.numbers.index(joint), turn)
            curves.append(PanelCurve(labels[k].name or words, self.motion.t, values[..., k] * factor, style))
        behind = self._behind(name, own, factor) if of_joints else []
        named = not of_joints and (len(own) > 1 or bool(labels[own[0]].name) if own else False)
        zero = count - len(own)
        note = f" ({zero} of {count} {'is' if zero == 1 else 'are'} zero)" if zero else ""
        return Panel(name, title + (f" [{unit_text}]" if unit_text else "") + note, curves, behind, legend=named)

    def _joint_of(self, label: str) -> int:
        """The index of the joint whose name begins a label; -1 if there is none."""
        names = self.motion.joint_names
        return names.index(joint) if (joint := joint_of(label, names)) else -1


_JOULES = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ"), (1e-9, "nJ"), (1e-12, "pJ"), (1e-15, "fJ"))


def scale_of_drift(drift: Array) -> tuple[float, str]:
    """The unit in which the largest drift is at least one, J, and its name."""
    largest = np.abs(drift[np.isfinite(drift)]).max(initial=0.0)
    return next(((s, u) for s, u in _JOULES if largest >= s), _JOULES[-1])


def _title(name: str, kind: str, unit: str) -> str:
    turns, slides, symbol = WORDS[name]
    return f"{turns if kind == 'revolute' else slides} ${symbol}$ [{unit}]"


def any_of(values: Array) -> bool:
    """Return True if any finite value is not zero."""
    return bool((np.isfinite(values) & (values != 0.0)).any())


def notes_on_omitted(quantities: Mapping[str, Array]) -> list[str]:
    """Sentences on quantities without a panel: those that are zero at all times, and those without a finite value.

    Args:
        quantities: values by the words of the quantity.
    """
    zero, infinite = [], []
    for words, values in quantities.items():
        if not np.isfinite(values).any():
            infinite.append(words)
        elif not any_of(values):
            zero.append(words)
    texts = (("zero throughout", zero), ("without a finite value", infinite))
    return [f"{text}: {', '.join(words)}" for text, words in texts if words]


def reference_style(style: Mapping[str, Any]) -> dict[str, object]:
    """The line of a reference on a curve of a style: thin, dark, dashed."""
    return {
        "color": _darker(str(style["color"])),
        "linewidth": 0.65 * style["linewidth"],
        "linestyle": (0, (4.0, 2.5)),
        "zorder": 3.0,
    }


def behind_style(style: Mapping[str, Any]) -> dict[str, Any]:
    """The line of another motion in the background of a curve of a style: broad and pale."""
    wide = 3.2 * style["linewidth"]
    return {"color": style["color"], "linewidth": wide, "alpha": 0.3, "zorder": 1.5, "solid_capstyle": "butt"}


def _darker(colour: str) -> str:
    parts = [int(0.5 * int(colour[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _stretches(t: Array, beyond: Array) -> list[tuple[float, float]]:
    """The start and end times of the intervals in which a mask is True."""
    changes = np.diff(np.concatenate([[0], beyond.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1) - 1
    return [(float(t[a]), float(t[b])) for a, b in zip(starts, ends, strict=True)]
