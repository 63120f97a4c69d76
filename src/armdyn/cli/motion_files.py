"""The files into which ``armdyn simulate`` writes a motion."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from armdyn.base.errors import ArmdynError
from armdyn.base.interrupts import ctrl_c_waits
from armdyn.cli.outputs import refuse_lost, refuse_unwritable
from armdyn.cli.scenario_options import flag
from armdyn.cli.screen import Screen, labelled, screen
from armdyn.simulation import Contact, Trajectory
from armdyn.simulation.files.parquet_file import pyarrow
from armdyn.studies.motion import Motion
from armdyn.studies.words import Words


def _place(words: Words, kind: str) -> str:
    """The place, for messages, at which an output is asked for: an option, or a line of the scenario."""
    where = words.where("outputs", kind)
    return where if where == flag(kind) else f"{where}: {kind}"


DATA = ("csv", "npz", "parquet")
"""Outputs that hold the numbers of a motion; the others are pictures."""


def write_outputs(
    motion: Motion, trajectory: Trajectory, console: Screen, until: float | None = None, style: str = "armdyn"
) -> int:
    """All output files; one that fails keeps none of the others from being written. Returns how many were.

    Files with the numbers come first, and Ctrl-C waits for them. Where a file fails and no other has the numbers, they
    are kept in a file elsewhere. Of a motion that broke off, at the time ``until``, no animation is made, and a file
    that fails is a warning beside the motion's own error. ``style`` is that of the animation.
    """
    writers: dict[str, Callable[[Path], object]] = {
        **dict.fromkeys(DATA, trajectory.save),
        "plot": trajectory.plot,
        "animate": partial(
            trajectory.animate,
            robot=motion.robot,
            progress=True,
            style=style,
            contacts=[one for one in motion.settings["elements"] if isinstance(one, Contact)],
        ),
    }
    pictures = [kind for kind in motion.outputs if kind not in DATA and (until is None or kind != "animate")]
    failed: list[BaseException] = []
    written: set[str] = set()

    def write(kind: str) -> None:
        path = motion.outputs[kind]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            writers[kind](path)
            written.add(kind)
            console.print(f"wrote {path}{'' if until is None else f', to t = {until:g} s'}", soft_wrap=True)
        except (ArmdynError, OSError, SystemExit) as error:  # rich exits where whoever read the screen has gone
            failed.append(error)

    with ctrl_c_waits(_tell_of_waiting):
        for kind in filter(motion.outputs.__contains__, DATA):
            write(kind)
        if failed and not written:
            _keep_elsewhere(trajectory)
    for kind in pictures:
        write(kind)
    if pictures and failed and not written.intersection(DATA) and not set(DATA) & set(motion.outputs):
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


def refuse_outputs(words: Words, motion: Motion) -> None:
    """Raise for an output file that cannot be written, or that is read, before the arm moves."""
    read = (words.folder / text for key, value in words.said.items() if key != "outputs" for text in _texts(value))
    refuse_lost({_place(words, kind): path for kind, path in motion.outputs.items()}, [words.file, *read])
    for kind, path in motion.outputs.items():
        _refuse_output(_place(words, kind), kind, path)


def _texts(value: Any) -> Iterator[str | Path]:
    """The texts in a value of a scenario, any of which may be the name of a file."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)


def _refuse_output(option: str, kind: str, path: Path) -> None:
    if kind == "plot":
        from armdyn.plots.style import ENDINGS  # noqa: PLC0415 - matplotlib is slow to import

        refuse_unwritable(option, path, endings=ENDINGS)
    elif kind == "animate":
        from armdyn.plots.movie import MOVIES, refuse_movie  # noqa: PLC0415 - matplotlib is slow to import

        refuse_unwritable(option, path, endings=MOVIES)
        refuse_movie(path)
    else:
        refuse_unwritable(option, path, endings=(f".{kind}",))
        if kind == "parquet":
            pyarrow()
