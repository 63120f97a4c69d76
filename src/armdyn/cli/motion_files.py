"""The files into which ``armdyn simulate`` writes a motion."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex

from armdyn.base.errors import ArmdynError
from armdyn.base.interrupts import ctrl_c_waits
from armdyn.cli.outputs import refuse_lost, refuse_unwritable
from armdyn.cli.screen import Screen, labelled, screen
from armdyn.formats.tables.parquet import pyarrow
from armdyn.simulation import Contact, Trajectory
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

MOVIES = (".gif", ".mp4", ".html")

DATA = (".csv", ".npz", ".parquet")
"""Endings of files with the numbers of a motion; the others are pictures."""


def kind_of(path: Path) -> str:
    """The kind of an output file by its ending: "data", "animation" or "picture".

    >>> kind_of(Path("fall.csv")), kind_of(Path("fall.gif")), kind_of(Path("fall.png"))
    ('data', 'animation', 'picture')
    """
    return "data" if path.suffix.lower() in DATA else "animation" if path.suffix.lower() in MOVIES else "picture"


def write_outputs(motion: MotionSettings, trajectory: Trajectory, console: Screen, until: float | None = None) -> int:
    """Write all output files, also if one of them fails. Returns their number.

    Files with the numbers are first, and Ctrl-C waits for them. If a file fails and no other has the numbers, they
    are written into a file elsewhere. A motion that broke off, at the time ``until``, gets no animation, and a file
    that fails is a warning in addition to the motion's own error.
    """
    animate = partial(
        trajectory.animate,
        robot=motion.robot,
        progress=motion.progress,
        style=motion.style,
        contacts=[one for one in motion.settings["elements"] if isinstance(one, Contact)],
    )
    writers: dict[str, Callable[[Path], object]] = {
        "data": trajectory.save,
        "picture": trajectory.plot,
        "animation": animate,
    }
    data = [path for path in motion.outputs if kind_of(path) == "data"]
    pictures = [path for path in motion.outputs if path not in data]
    failed: list[BaseException] = []
    written: set[Path] = set()

    def write(path: Path) -> None:
        try:
            writers[kind_of(path)](path)
            written.add(path)
            console.print(f"wrote {path}{'' if until is None else f', to t = {until:g} s'}", soft_wrap=True)
        except (ArmdynError, OSError, SystemExit) as error:  # rich exits if the reader of the screen has gone
            failed.append(error)

    with ctrl_c_waits(_tell_of_waiting):
        for path in data:
            write(path)
        if failed and not written:
            _keep_elsewhere(trajectory)
    for path in pictures:
        if until is None or kind_of(path) == "picture":
            write(path)
    if pictures and failed and not data:
        _keep_elsewhere(trajectory)
    if failed and until is None:
        raise failed[0]
    for fault in failed:
        if not isinstance(fault, SystemExit):
            screen(stderr=True).print(labelled("warning:", "yellow", str(fault)), soft_wrap=True)
    return len(written)


def _tell_of_waiting() -> None:
    screen(stderr=True).print("the motion is being written; Ctrl-C again gives it up", soft_wrap=True)


def _keep_elsewhere(trajectory: Trajectory) -> None:
    """Write the numbers into the first folder that takes them: that of temporary files, or the user's own."""
    name = f"armdyn-{token_hex(4)}.npz"
    for folder in (tempfile.gettempdir, Path.home, Path.cwd):
        with suppress(ArmdynError, OSError, RuntimeError):  # RuntimeError: a user without a folder
            path = Path(folder()) / name
            trajectory.save(path)
            screen(stderr=True).print(f"the motion is kept in {path}: armdyn.Trajectory.load reads it", soft_wrap=True)
            return


def refuse_outputs(words: Words) -> None:
    """Raise for an output file that cannot be written, or that is read, before the arm moves."""
    place = words.where("out")
    option = place if place.startswith("--") else f"{place}: out"
    read = (words.folder / text for key, value in words.entries.items() if key != "out" for text in _texts(value))
    inputs: list[str | Path] = [words.file, *read]
    for path in map(Path, words.listed("out")):
        refuse_lost({option: path}, inputs)
        _refuse_output(option, path)


def _texts(value: object) -> Iterator[str | Path]:
    """The texts in a value of a scenario, any of which may be the name of a file."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)


def _refuse_output(option: str, path: Path) -> None:
    kind = kind_of(path)
    if kind == "picture":
        from armdyn.plots.style import ENDINGS  # noqa: PLC0415 - matplotlib is slow to import

        refuse_unwritable(option, path, endings=(*DATA, *MOVIES, *ENDINGS))
    else:
        refuse_unwritable(option, path)
    if kind == "animation":
        from armdyn.plots.movie import refuse_movie  # noqa: PLC0415 - matplotlib is slow to import

        refuse_movie(path)
    elif path.suffix.lower() == ".parquet":
        pyarrow()
