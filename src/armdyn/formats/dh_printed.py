"""A Denavit-Hartenberg table in print: m and degrees, the joint's variable in its column, no rounding errors."""

from __future__ import annotations

import math

import numpy as np

from armdyn.base.tabular import DUST, TextTable, figure, figures
from armdyn.formats.dh import CONVENTIONS, DHRow, DHTable
from armdyn.spatial.rotations import Array

HEADINGS = {"modified": ("a(i-1) [m]", "alpha(i-1) [°]", "d(i) [m]", "theta(i) [°]"),
            "standard": ("a(i) [m]", "alpha(i) [°]", "d(i) [m]", "theta(i) [°]")}  # fmt: skip


def dh_table(table: DHTable, *, latex: bool = False) -> TextTable:
    """The table with one row per joint; below it base and tool if they are not the identity.

    >>> print(dh_table(armdyn.load("scara").to_dh("standard")))
    DH table of 'scara', standard: Rz(theta) Tz(d) Tx(a) Rx(alpha), as Paul and Spong
    i  joint        a(i) [m]  alpha(i) [°]  d(i) [m]  theta(i) [°]
    1  shoulder         0.35             0         0            q1
    2  elbow             0.3           180         0            q2
    3  quill_slide         0           180        q3             0
    4  wrist               0             0         0            q4
    base: at (0, 0, 0.4) m, unturned
    tool: at (0, 0, -0.17) m, unturned
    """
    size = max((max(abs(row.a), abs(row.d)) for row in table.rows), default=0.0)
    rows = [_row(i, row, name, size, latex=latex) for i, (row, name) in enumerate(_row_name(table), start=1)]
    title = f"DH table of {table.name!r}, {table.convention}: {CONVENTIONS[table.convention]}"
    below = [_place(name, T) for name, T in (("base", table.base), ("tool", table.tool))]
    if latex:
        index = "{i-1}" if table.convention == "modified" else "i"
        symbols = (("a", index, "m"), (r"\alpha", index, r"$^\circ$"), ("d", "i", "m"), (r"\theta", "i", r"$^\circ$"))
        headings = tuple(rf"${symbol}_{of}$ [{unit}]" for symbol, of, unit in symbols)
        return TextTable(("$i$", "joint", *headings), rows, "rlrrrr")
    return TextTable(("i", "joint", *HEADINGS[table.convention]), rows, "rlrrrr", title, tuple(filter(None, below)))


def _row_name(table: DHTable) -> zip[tuple[DHRow, str]]:
    return zip(table.rows, table.joint_names, strict=True)


def _row(i: int, row: DHRow, name: str, size: float, *, latex: bool) -> tuple[str, ...]:
    turns = row.kind == "revolute"
    d, theta = figure(row.d, size=size), angle(row.theta)
    variable = rf"q_{{{i}}}" if latex else f"q{i}"
    moved = _sum(variable, theta if turns else d, latex=latex)
    return (
        str(i), name, figure(row.a, size=size), angle(row.alpha), *((d, moved) if turns else (moved, theta))
    )  # fmt: skip


def _sum(variable: str, offset: str, *, latex: bool) -> str:
    """q, or q and its offset."""
    negative = offset.startswith("-")
    text = variable if offset == "0" else f"{variable} {'-' if negative else '+'} {offset.removeprefix('-')}"
    return f"${text}$" if latex else text


def angle(radians: float) -> str:
    """Degrees; a number within rounding of a whole number is that whole number.

    >>> angle(-1.5707963267948966), angle(0.1)
    ('-90', '5.72958')
    """
    degrees = math.degrees(radians)
    whole = round(degrees)
    return str(whole) if abs(degrees - whole) < 180.0 * DUST else figure(degrees)


def _place(name: str, T: Array) -> str:
    """A sentence on a pose that is not the identity."""
    if np.allclose(T, np.eye(4), rtol=0.0, atol=DUST):
        return ""
    at = ", ".join(figures(T[:3, 3], size=1.0))
    if np.allclose(T[:3, :3], np.eye(3), rtol=0.0, atol=DUST):
        return f"{name}: at ({at}) m, unturned"
    x, z = (", ".join(figures(T[:3, k], size=1.0)) for k in (0, 2))
    return f"{name}: at ({at}) m, x axis ({x}), z axis ({z})"
