"""The content of a motion's page: charts of each joint, and their columns of numbers."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.model.limits import Limits
from armdyn.motion.signal_words import REFERENCES, words_of
from armdyn.plots.extremes import extreme_rows
from armdyn.plots.motion_panels import UNITS, any_of, notes_on_omitted, scale_of_drift
from armdyn.plots.overlay import Overlay
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.motion.trajectory import Trajectory

MOST_NUMBERS = 8_000_000
"""Largest number of values on a page; longer motions are thinned by extremes."""

WORDS = {
    "q": ("angle", "position", "q"),
    "qd": ("velocity", "velocity", "q̇"),
    "qdd": ("acceleration", "acceleration", "q̈"),
    "tau": ("torque", "force", "τ"),
}
"""Names of each quantity for revolute and for prismatic joints, and its symbol."""

OVERVIEW = 400
"""Intervals whose extremes are the overview of a column, with which the page opens."""

DEGREES = {"rad": ("°", 180.0 / np.pi), "rad/s": ("°/s", 180.0 / np.pi), "rad/s^2": ("°/s²", 180.0 / np.pi)}

SHOWN_FIRST = ("q", "qd", "tau", "residual", "error")
"""Quantities of joints in the order of preference; an opened page shows up to `MOST_FIRST` of them."""

MOST_FIRST = 3
"""Columns of quantities when the page opens."""


class Content:
    """Charts and columns of a motion, with another one drawn in the background.

    Args:
        motion: one motion.
        over: another one, or a log.
        limits: limits of its joints; empty if unknown.
    """

    def __init__(self, motion: Trajectory, over: Overlay | None, limits: Sequence[Limits]) -> None:
        self.motion, self.over, self.limits = motion, over, limits
        self.notes: list[str] = []
        self.columns: dict[str, dict[str, Any]] = {}
        self.blocks: list[str] = []
        self._values: dict[str, tuple[int, Array]] = {}
        self.quantities: dict[str, str] = {}
        self.joints: list[dict[str, Any]] = [
            {"name": name, "kind": kind, "charts": list(self._of_joint(k))}
            for k, (name, kind) in enumerate(zip(motion.joint_names, motion.joint_kinds, strict=True))
        ]
        self.zero = [name for name in ("q", "qd", "tau", "qdd") if not any_of(getattr(motion, name))]
        omitted = {self.quantities[name]: getattr(motion, name) for name in self.zero}
        omitted |= {words_of(name).words: values for name, values in motion.signals.items() if not any_of(values)}
        self.notes += notes_on_omitted(omitted)
        self.whole = list(self._of_all())
        self._pack()

    def data(self) -> dict[str, object]:
        """The content for JSON."""
        motion = self.motion
        return {
            "joints": self.joints,
            "whole": self.whole,
            "quantities": self.quantities,
            "first": self._first(),
            "columns": self.columns,
            "motions": self._motions,
            "names": [motion.robot, *([] if self.over is None else [self.over.name])],
            "events": [{"t": one.t, "name": one.name, "kind": one.kind} for one in motion.events],
            "ghost": self.over is not None and "q" in self.over.arrays,
        }

    def _column(self, name: str, values: Array, of: int = 0) -> str:
        """Add a column of numbers of the motion, 0, or of the other one, 1, and return its name."""
        self._values[name] = (of, np.asarray(values, dtype=float))
        return name

    def _of_joint(self, k: int) -> Iterator[dict[str, Any]]:
        """The charts of a joint: q, qd, qdd, tau, tracking error, residual, signals of joints."""
        motion, over, kind = self.motion, self.over, self.motion.joint_kinds[k]
        references = {name: own[0] for name, own in self._references().items()}
        for name in ("q", "qd", "tau", "qdd"):
            unit, factor = _unit_and_factor(UNITS[kind][name])
            turns, slides, symbol = WORDS[name]
            title = f"{turns if kind == 'revolute' else slides} {symbol}"
            series = [{"column": self._column(f"{name}:{k}", getattr(motion, name)[:, k]), "role": "main"}]
            if name in references:
                signal = references[name]
                column = self._column(f"{signal}:{k}", motion.signals[signal][:, k])
                series.append({"column": column, "role": "reference"})
            if over is not None and name in over.arrays and np.isfinite(over.arrays[name][:, k]).any():
                other = self._column(f"{name}:{k}:other", over.arrays[name][:, k], 1)
                series.append({"column": other, "role": "other"})
            self._name(name, turns)
            bounds = self._bounds(k, name, factor)
            yield {"quantity": name, "title": title, "unit": unit, "factor": factor, "series": series, **bounds}
        if "q" in references:
            off = motion.signals[references["q"]][:, k] - motion.q[:, k]
            yield self._derived("error", "tracking error", off, k, kind)
        if over is not None and (there := over.at(motion.t, "q")) is not None:
            yield self._derived("residual", "residual, other less this", there[:, k] - motion.q[:, k], k, kind)
        yield from self._signals(k, {*references.values()})

    def _derived(self, name: str, title: str, values: Array, k: int, kind: str) -> dict[str, Any]:
        unit, factor = _unit_and_factor(UNITS[kind]["q"])
        self._name(name, name)
        series = [{"column": self._column(f"{name}:{k}", values), "role": "main"}]
        return {"quantity": name, "title": title, "unit": unit, "factor": factor, "series": series}

    def _signals(self, k: int, references: set[str]) -> Iterator[dict[str, Any]]:
        motion, over = self.motion, self.over
        for name, values in motion.signals.items():
            labels = motion.signal_labels.get(name, ())
            if name in references or [label.name for label in labels] != list(motion.joint_names) or not any_of(values):
                continue
            unit, factor = _unit_and_factor(labels[k].unit)
            self._name(name, words_of(name).words)
            series = [{"column": self._column(f"{name}:{k}", values[:, k]), "role": "main"}]
            if over is not None and name in over.arrays and np.isfinite(over.arrays[name][:, k]).any():
                other = self._column(f"{name}:{k}:other", over.arrays[name][:, k], 1)
                series.append({"column": other, "role": "other"})
            yield {"quantity": name, "title": str(words_of(name)), "unit": unit, "factor": factor, "series": series}

    def _name(self, quantity: str, words: str) -> None:
        self.quantities.setdefault(quantity, words)

    def _references(self) -> dict[str, list[str]]:
        shape = self.motion.q.shape
        result = {
            name: [one for one in own if one in self.motion.signals and self.motion.signals[one].shape == shape]
            for name, own in REFERENCES.items()
        }
        return {name: own for name, own in result.items() if own}

    def _bounds(self, k: int, name: str, factor: float) -> dict[str, object]:
        if not self.limits:
            return {}
        one = self.limits[k]
        low, high = {
            "q": (one.lower, one.upper),
            "qd": (-one.velocity, one.velocity),
            "tau": (-one.effort, one.effort),
        }.get(name, (-math.inf, math.inf))
        if not low <= high:
            return {}
        return {
            "low": low * factor if math.isfinite(low) else None,
            "high": high * factor if math.isfinite(high) else None,
        }

    def _of_all(self) -> Iterator[dict[str, object]]:
        """The charts of energies and of signals that are not of joints."""
        motion, energy = self.motion, self.motion.energy
        parts = [("kinetic", energy.kinetic), ("potential", energy.potential), ("work put in", energy.work)]
        series = [{"column": self._column(name, values), "role": "main", "name": name} for name, values in parts]
        series.append({"column": self._column("total", energy.total), "role": "main", "name": "total"})
        other = None if self.over is None else self.over.motion
        if other is not None:
            total = self._column("total:other", other.energy.total, 1)
            series.append({"column": total, "role": "other", "name": "total"})
        yield {"title": "energy", "unit": "J", "factor": 1.0, "series": series, "quantity": "energy"}
        drift = [{"column": self._column("drift", energy.drift), "role": "main", "name": "total, initial, work"}]
        scale, unit = scale_of_drift(energy.drift)
        title = "drift of the energy account"
        yield {"title": title, "unit": unit, "factor": 1.0 / scale, "series": drift, "quantity": "drift"}
        for name, values in motion.signals.items():
            labels = motion.signal_labels.get(name, ())
            if [label.name for label in labels] == list(motion.joint_names) or not any_of(values):
                continue
            moving = [k for k in range(values.shape[-1]) if any_of(values[:, k])]
            units = dict.fromkeys(labels[k].unit if labels else "" for k in moving)
            for unit in units:
                own = [k for k in moving if not labels or labels[k].unit == unit]
                words, (text, factor) = words_of(name), _unit_and_factor(unit)
                lines = [
                    {
                        "column": self._column(f"{name}:{k}", values[:, k]), "role": "main",
                        "name": labels[k].name if labels and labels[k].name else f"{words.words} {k}",
                    }
                    for k in own
                ]  # fmt: skip
                alone = f": {lines[0]['name']}" if len(lines) == 1 and labels and labels[own[0]].name else ""
                yield {"title": f"{words}{alone}", "unit": text, "factor": factor, "series": lines, "quantity": name}

    def _pack(self) -> None:
        """Encode times and columns as text; long motions are thinned by the extremes of all their columns."""
        self._motions = []
        first = self._in_overview()
        times = [self.motion.t, *([] if self.over is None else [self.over.t])]
        for of, t in enumerate(times):
            own = {name: values for name, (motion, values) in self._values.items() if motion == of}
            rows = np.arange(len(t))
            if len(t) * max(len(own), 1) > MOST_NUMBERS / len(times):
                most = int(MOST_NUMBERS / len(times) / max(len(own), 1))
                stacked = np.stack(list(own.values()), axis=-1)
                rows = extreme_rows(stacked, max(most // (2 * len(own)), 500), most)
                self.notes.append(f"{len(t):,} rows thinned to {len(rows):,} that hold the extremes of each interval")
            pieces = [slice(0, len(t))] if of == 0 or self.over is None else self.over.pieces
            for name, values in own.items():
                self.columns[name] = {"motion": of, "block": self._block(values[rows], "<f4")}
                if name in first:
                    self.columns[name]["overview"] = _overview(t, values, pieces)
            places = np.searchsorted(rows, [piece.stop for piece in pieces[:-1]]).tolist()
            ends = {"start": float(t[0]), "end": float(t[-1])}
            self._motions.append({"t": self._block(t[rows], "<f8"), "rows": len(rows), "breaks": places, **ends})

    def _in_overview(self) -> set[str]:
        """The columns of the charts that an opened page shows, and of the positions of the arm."""
        quantities = {"q", *self._first()}
        charts = [one for joint in self.joints for one in joint["charts"] if one["quantity"] in quantities]
        return {series["column"] for chart in (*charts, *self.whole) for series in chart["series"]}

    def _first(self) -> list[str]:
        """The quantities of joints that an opened page shows."""
        names = [name for name in SHOWN_FIRST if name in self.quantities and name not in self.zero]
        return names[:2] + names[3:4] if "residual" in names else names[:MOST_FIRST]

    def _block(self, values: Array, kind: str) -> int:
        """Add a text block of values and return its number; blocks are decoded when their chart is drawn."""
        self.blocks.append(_encoded(values, kind))
        return len(self.blocks) - 1


def _unit_and_factor(unit: str) -> tuple[str, float]:
    """The displayed unit, and its factor."""
    return DEGREES.get(unit, (unit.replace("^2", "²"), 1.0))


def _overview(t: Array, values: Array, pieces: Sequence[slice]) -> str:
    """Times from the start and values of a column's extremes as text: single precision, base 64, NaN in gaps."""
    rows = extreme_rows(values[:, None], OVERVIEW, 2 * OVERVIEW)
    stops = [piece.stop for piece in pieces[:-1]]
    rows = np.union1d(rows, [row for stop in stops for row in (stop - 1, stop)]).astype(int)
    places = np.searchsorted(rows, stops)
    times = np.insert(t[rows] - t[0], places, [0.5 * (t[stop - 1] + t[stop]) - t[0] for stop in stops])
    both = np.concatenate([times, np.insert(values[rows].astype(float), places, np.nan)])
    return base64.b64encode(both.astype("<f4").tobytes()).decode()


def _encoded(values: Array, kind: str) -> str:
    """Values as text: in single precision the differences of their bits; byte by byte in planes, deflated, base 64.

    The encoding is lossless, and smooth columns take a third of the space.
    """
    bits = np.ascontiguousarray(values, dtype=kind)
    if kind == "<f4":
        bits = np.diff(bits.view("<u4"), prepend=np.uint32(0))
    planes = np.ascontiguousarray(bits.view(np.uint8).reshape(len(values), -1).T)
    return base64.b64encode(zlib.compress(planes.tobytes(), 1)).decode()
