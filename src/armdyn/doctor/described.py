"""The text that a doctor examines: of a file, a xacro file, a text or a robot in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from armdyn.base.errors import ModelError, excerpt
from armdyn.doctor.source import SourceDocument
from armdyn.doctor.xacro import XacroFiles
from armdyn.formats.files import read_file
from armdyn.formats.urdf.expansion import expand, read_files
from armdyn.formats.xml_tree import parse
from armdyn.robot import Robot
from armdyn.robots import load
from armdyn.robots.from_memory import is_text

XACRO = b"http://www.ros.org/wiki/xacro"
"""The name space of xacro, by which a file of macros is known."""


@dataclass(frozen=True)
class CheckedDescription:
    """A description.

    Args:
        source: the text.
        folder: in which relative paths are looked up.
        load: the robot that it describes, read with its faults.
        xacro: the files from which it is generated; None of any other.
    """

    source: SourceDocument
    folder: Path
    load: Callable[[], Robot]
    xacro: XacroFiles | None = None

    @classmethod
    def of(cls, robot: object, xacro_args: Mapping[str, Any] | None) -> CheckedDescription:
        """The text of a path, a text or a robot.

        Raises:
            ModelError: a file that is not XML; a xacro file without arguments; another kind of value.
        """
        options: dict[str, Any] = {"check_inertia": False, "problems": "warn"}
        if isinstance(robot, Robot):
            source = _parse(f"{robot.name}.urdf", robot.to_urdf().encode())
            return cls(source, Path.cwd(), lambda: robot)
        if isinstance(robot, str) and is_text(robot):
            source = _parse("text", robot.encode(errors="surrogatepass"))
            return cls(source, Path.cwd(), partial(load, robot, **options))
        if not isinstance(robot, str | os.PathLike):
            raise ModelError(f"expected the path of a description, its text or a Robot, got {excerpt(robot)}.")
        file = Path(robot)
        data = read_file(file)
        if xacro_args is None and XACRO in data and b"<xacro:" in data:
            raise ModelError(
                f"{file.name} is a xacro file, which an expansion evaluates: if you trust it, give xacro_args={{}}, or "
                "the values of its arguments by name (--xacro on the command line)."
            )
        folder = file.absolute().parent
        if xacro_args is None:
            return cls(_parse(file.name, data), folder, partial(load, file, **options))
        source = _parse(file.name, expand(file, xacro_args).encode())
        files = XacroFiles.of(source, read_files(file, xacro_args))
        return cls(source, folder, partial(load, file, xacro_args=xacro_args, **options), files)


def _parse(name: str, data: bytes) -> SourceDocument:
    parse(data, name)  # refuses what is not XML, or too large
    return SourceDocument.parse(name, data)
