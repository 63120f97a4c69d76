"""Input files of MASP, damaged: each number of them counts."""

from __future__ import annotations

import contextlib
import tomllib
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import armdyn
from armdyn.masp.input_file import ARM, EXAMPLE, JOINT, TOP, read_masp
from armdyn.masp.units import UNITS
from fuzz import plain_data
from fuzz.cases import Stage, Verdict, file_in_memory, refused
from fuzz.damage import now_and_then_damaged
from fuzz.ignored import judged_by_poke
from fuzz.meaning import Reading, reading_of

OTHER = Path(__file__).parents[1] / "masp" / "sliding_arm.toml"
KNOWN = (
    *TOP, *ARM, *JOINT, *UNITS, "axial", "transverse", "point", "joints", "curve", "center", "angle", "via", "end",
    "start", "cruise", "stop", "duration", "samples", "configuration", "near", "torques", "breaks", "q", "qd", "step",
    "force", "moment", "axes",
)  # fmt: skip


class MaspFiles:
    """Damaged input files, of the paper's arm and of one with a slide."""

    name, suffix = "masp_files", ".toml"

    @cached_property
    def path(self) -> Path:
        """The file."""
        return file_in_memory("arm.toml")

    def make(self, rng: Random) -> bytes:
        """A file with up to two changes, and now and then damaged bytes."""
        said = tomllib.loads(rng.choice((EXAMPLE, OTHER)).read_text(encoding="utf-8"))
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            plain_data.changed(said, rng, KNOWN)
        data = plain_data.as_toml(said)
        return now_and_then_damaged(data, rng, 15)

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read; with another number."""
        rng = Random(data)  # noqa: S311
        stage("armdyn")
        try:
            first = self._read(data)
        except armdyn.ArmdynError as error:
            return refused(error)
        poke = None
        with contextlib.suppress(TypeError, ValueError):  # dates
            plain = tomllib.loads(data.decode("utf-8-sig"))
            poke = plain_data.poked(plain, plain_data.as_toml, rng, KNOWN, _means_nothing)
        return judged_by_poke(first, poke, self._read)

    def _read(self, data: bytes) -> Reading:
        self.path.write_bytes(data)

        def read() -> tuple[Any, tuple[str, ...]]:
            problem = read_masp(self.path)
            path = [problem.path.evaluate(f * problem.path.duration) for f in (0.0, 0.13, 0.31, 0.52, 0.74, 0.93, 1.0)]
            fields = {name: value for name, value in vars(problem).items() if name != "path"}
            return (fields, problem.path.duration, path), problem.robot.notes

        return reading_of(read)


DIRECTIONS = ("axis", "axial", "transverse")


def _means_nothing(data: Any, place: plain_data.Place) -> bool:
    """Whether a number is part of a name or the like, or the length of a direction along one of the axes."""
    for key in place[:-1]:
        data = data[key]
    along_axis = place[-2:-1] and place[-2] in DIRECTIONS and sum(x != 0 for x in data) == 1 and data[place[-1]] != 0
    return bool(along_axis) or isinstance(data[place[-1]], str)
