"""Tables of text: cells damaged, written with another separator, read by another library, and searched for numbers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from random import Random

from fuzz import numbers
from fuzz.damage import now_and_then_damaged
from fuzz.ignored import Poke, other_numbers

Table = list[list[str]]

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def written(table: Table, separator: str = ",", end: str = "\n") -> bytes:
    """The text of a table."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator=end).writerows(table)
    return out.getvalue().encode("utf-8", "replace")


def changed(table: Table, rng: Random, headings: Sequence[str]) -> None:
    """Change one thing: a cell, a heading, a row or a column."""
    width, pick = len(table[0]), rng.random()
    row, k = rng.choice(table[1:] or table), rng.randrange(width)
    if pick < 0.3 and k < len(row):
        row[k] = numbers.changed(row[k], rng)
    elif pick < 0.42 and k < len(row):
        row[k] = rng.choice(numbers.ODD)
    elif pick < 0.6:
        table[0][k] = rng.choice(headings)
    elif pick < 0.7:
        table[0][k] = table[0][k].partition(" [")[0] + rng.choice(("", " [deg]", " [m]", " [kg]", "[]", " [N m", " []"))
    elif pick < 0.78:
        table.insert(rng.randrange(len(table) + 1), list(row))
    elif pick < 0.84:
        del row[k : k + 1]
    elif pick < 0.92:
        for line in table:
            line.insert(k, line[k] if k < len(line) else "")
    else:
        for line in table:
            del line[k : k + 1]


def text_of(table: Table, rng: Random, separators: Sequence[str]) -> bytes:
    """The text, now and then with damaged bytes."""
    data = written(table, rng.choice(separators), rng.choice(("\n", "\n", "\r\n")))
    return now_and_then_damaged(data, rng, 12, (1, 1, 2))


def poked(table: Table, rng: Random, skip: Callable[[str], bool]) -> Poke | None:
    """A table written anew, and with other numbers in one cell, where its column is not to be skipped.

    None where a heading has a separator in it, by which the table in another spelling would be split.
    """
    if any(separator in heading for heading in table[0] for separator in ",;\t"):
        return None
    cells = [
        (i, k)
        for i, row in enumerate(table)
        for k, cell in enumerate(row)
        if i and k < len(table[0]) and NUMBER.fullmatch(cell.strip()) and not skip(table[0][k])
    ]
    if not cells:
        return None
    i, k = rng.choice(cells)
    others = []
    for number in other_numbers(float(table[i][k])):
        copy = [list(row) for row in table]
        copy[i][k] = repr(number)
        others.append(written(copy))
    name = table[0][k].partition("[")[0].strip()
    return Poke(written(table), others, [name], re.sub(r"\d+", "#", name))
