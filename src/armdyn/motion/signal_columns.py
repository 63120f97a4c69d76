"""Columns of signals in tables: ``signal_current_elbow`` of a value with a label, ``signal_load_0`` of one without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from armdyn.motion.labels import Label, Labels
from armdyn.motion.signal_words import WORDS, base_name

SIGNAL = "signal_"
"""The prefix of the columns of signals."""

_WITH_UNIT = re.compile(r"(?P<name>.*?)(?: \[(?P<unit>[^\[\]]*)\])?", re.DOTALL)
_NUMBERED = re.compile(r"(?P<signal>.+)_(?P<k>\d+)", re.DOTALL)


def signal_columns(sizes: Mapping[str, int], labels: Labels) -> list[tuple[str, Label]]:
    """The name of each column, and the label of its value; an empty label of a value without one.

    Values that have labels are named after them, if no two columns get the same name; others are numbered.

    Args:
        sizes: the number of values of each signal, by its name.
        labels: of the values, by the name of the signal.
    """
    named = {name: labels[name] for name, size in sizes.items() if len(labels.get(name, ())) == size}
    columns_used: set[str] = set()
    columns: list[tuple[str, Label]] = []
    for name, size in sizes.items():
        own = named.get(name, (Label(""),) * size)
        names = [f"{SIGNAL}{name}_{label.name}" for label in own]
        if not all(label.name for label in own) or len({*names}) < size or columns_used & {*names}:
            names = _numbered(name, size)
        columns_used.update(names)
        columns += zip(names, own, strict=True)
    return columns


def _numbered(name: str, size: int) -> list[str]:
    return [f"{SIGNAL}{name}_{k}" for k in range(size)]


def csv_header(sizes: Mapping[str, int], labels: Labels, joints: Sequence[str]) -> list[str]:
    """The header of signals in a csv: the names of `signal_columns` with units, as far as `of_header` reads them.

    Args:
        sizes: the number of values of each signal, by its name.
        labels: of the values, by the name of the signal.
        joints: names of the joints.
    """
    labels_of_signals: dict[str, tuple[Label, ...]] = {name: labels[name] for name in sizes if name in labels}
    for name in list(labels_of_signals):
        alone = [_with_unit(column, label) for column, label in signal_columns({name: sizes[name]}, labels_of_signals)]
        if of_header(alone, joints) != ({name: sizes[name]}, {name: labels_of_signals[name]}):
            del labels_of_signals[name]
    header = [_with_unit(column, label) for column, label in signal_columns(sizes, labels_of_signals)]
    if of_header(header, joints) == (dict(sizes), labels_of_signals):
        return header
    return [column for name, size in sizes.items() for column in _numbered(name, size)]


def _with_unit(column: str, label: Label) -> str:
    return f"{column} [{label.unit}]" if label.unit else column


def of_header(header: Sequence[str], joints: Sequence[str]) -> tuple[dict[str, int], dict[str, tuple[Label, ...]]]:
    """Sizes and labels of the signals of a csv by its header, as far as it identifies them.

    Args:
        header: columns that begin with `SIGNAL`, with units in brackets.
        joints: names of the joints.
    """
    sizes: dict[str, int] = {}
    labels: dict[str, list[Label]] = {}
    for column in header:
        match = _WITH_UNIT.fullmatch(column.removeprefix(SIGNAL))
        if match is None:
            continue
        signal, label = _split_name(match["name"], joints, sizes)
        sizes[signal] = sizes.get(signal, 0) + 1
        labels.setdefault(signal, []).append(Label(label, match["unit"] or ""))
    return sizes, {name: tuple(own) for name, own in labels.items() if any(map(any, own))}


def _split_name(name: str, joints: Sequence[str], sizes: Mapping[str, int]) -> tuple[str, str]:
    """The signal and the label of a column; an empty label of a number that counts on."""
    number = _NUMBERED.fullmatch(name)
    if number is not None and int(number["k"][:9]) == sizes.get(number["signal"], 0):
        return number["signal"], ""
    for signal, label in _candidates(name):
        if label in joints or base_name(signal) in WORDS:
            return signal, label
    return (number["signal"], "") if number is not None else (name, "")


def _candidates(name: str) -> Iterator[tuple[str, str]]:
    """Signal and label, the longest signal first."""
    places = [k for k, letter in enumerate(name) if letter == "_" and 0 < k < len(name) - 1]
    return ((name[:k], name[k + 1 :]) for k in reversed(places))
