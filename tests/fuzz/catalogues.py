"""Catalogues of motors and of gears, damaged: every number of a row counts, in the unit of its column."""

from __future__ import annotations

import csv
import io
import re
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from random import Random

import armdyn
from armdyn.sizing import Catalogue
from armdyn.sizing.catalogue import ABOUT, OF_GEARS, OF_MOTORS
from fuzz import cells
from fuzz.cases import Finding, Stage, Verdict, file_in_memory, refused
from fuzz.ignored import judged_by_poke
from fuzz.meaning import Reading, reading_of

UNITS = (
    "V",
    "mV",
    "rpm",
    "rad/s",
    "A",
    "mA",
    "mNm",
    "N m",
    "ohm",
    "mH",
    "gcm^2",
    "g",
    "kg",
    "%",
    "K/W",
    "s",
    "ms",
    "furlong",
)
HEADINGS = tuple(f"{name} [{unit}]" for name in (*OF_MOTORS, *OF_GEARS) for unit in UNITS) + ABOUT + ("colour", "")


@cache
def _bundled(what: str) -> tuple[tuple[str, ...], ...]:
    text = (resources.files("armdyn.sizing") / f"{what}.csv").read_text(encoding="utf-8")
    return tuple(map(tuple, csv.reader(io.StringIO(text))))


class Catalogues:
    """Damaged catalogues; the first byte says of what they are: M of motors, G of gears."""

    name, suffix = "catalogues", ".csv"

    @cached_property
    def path(self) -> Path:
        """The table."""
        return file_in_memory("catalogue.csv")

    def make(self, rng: Random) -> bytes:
        """Some bundled rows, some columns, up to two changes, and now and then damaged bytes."""
        what = rng.choice(("motors", "gears"))
        header, *rows = _bundled(what)
        kept = [k for k, heading in enumerate(header) if heading == "name" or rng.random() < 0.85]
        table = [[row[k] for k in kept] for row in (header, *rng.sample(rows, rng.choice((1, 1, 2, 3))))]
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            if table[0]:
                cells.changed(table, rng, HEADINGS)
        return what[0].upper().encode() + cells.text_of(table, rng, (",", ",", ",", ";", "\t"))

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read; with another number."""
        rng, motors, data = Random(data), data[:1] == b"M", data[1:]  # noqa: S311
        stage("armdyn")
        try:
            first = self._read(data, motors=motors)
        except armdyn.ArmdynError as error:
            return refused(error)
        table = self._plain(data)
        numbers = [k for k, heading in enumerate(table[0]) if heading.partition("[")[0].strip() not in ABOUT]
        if doubtful := [row[k] for row in table[1:] for k in numbers if re.search(r"\d_\d", row[k])]:
            return Verdict("read", Finding("difference", "underscores in numbers", repr(doubtful)))
        poke = cells.poked(table, rng, lambda heading: heading.partition("[")[0].strip() in ABOUT)
        return judged_by_poke(first, poke, lambda other: self._read(other, motors=motors))

    def _read(self, data: bytes, *, motors: bool) -> Reading:
        self.path.write_bytes(data)

        def read() -> tuple[object, tuple[str, ...]]:
            other = self._other("gears" if motors else "motors")
            found = Catalogue.read(self.path, other) if motors else Catalogue.read(other, self.path)
            return (found.motors if motors else found.gears), ()

        return reading_of(read)

    def _other(self, what: str) -> Path:
        """A file of one bundled row, for what the table is not of."""
        file = self.path.with_name(f"{what}.csv")
        if not file.exists():
            file.write_bytes(cells.written([list(row) for row in _bundled(what)[:2]]))
        return file

    def _plain(self, data: bytes) -> cells.Table:
        text = data.decode("utf-8-sig")
        first = next(line for line in text.splitlines() if line.strip())
        separator = next((s for s in "\t;," if s in first), ",")
        return [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(c.strip() for c in row)
        ]
