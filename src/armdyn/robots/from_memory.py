"""Robots from what else describes one: the text of a description, a model of MuJoCo or Pinocchio in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from armdyn.robot import Robot


def is_text(source: object) -> bool:
    """Whether a description itself is given, not the path of its file: its first character opens an element."""
    return isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")


def of_text(text: str, options: Mapping[str, Any]) -> Robot:
    """The robot that a URDF or MJCF text describes; of MJCF without further files, such as meshes."""
    if "<mujoco" in text and "<robot" not in text:
        return _of_mjcf_text(text, options)
    from armdyn.formats.urdf import read_urdf_text  # noqa: PLC0415 - only for such a text

    return Robot(read_urdf_text(_without_declaration(text), **options))


def _without_declaration(text: str) -> str:
    """Text needs no ``<?xml ...?>``, before which literals in programs have blanks; lines keep their numbers."""
    start = text.lstrip("\ufeff \t\r\n")
    declaration, end, rest = start.partition("?>")
    if not declaration.startswith("<?xml") or not end:
        return text
    return text[: len(text) - len(start)].lstrip("\ufeff") + rest


def _of_mjcf_text(text: str, options: Mapping[str, Any]) -> Robot:
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - slow to import

    from armdyn.base.writing import write_bytes  # noqa: PLC0415

    with TemporaryDirectory(prefix="armdyn-") as folder:
        path = write_bytes(Path(folder) / "text.xml", text.encode(errors="surrogatepass"))
        return Robot.from_mjcf(path, **options)


def of_object(source: object, options: Mapping[str, Any]) -> Robot | None:
    """The robot of a ``mujoco.MjModel`` or a ``pinocchio.Model``; None of anything else."""
    from armdyn.formats.mjcf.compiler import is_mjmodel  # noqa: PLC0415 - only for an object
    from armdyn.formats.pinocchio_model import is_pinocchio_model, read_pinocchio_model  # noqa: PLC0415

    if is_mjmodel(source):
        from armdyn.formats.mjcf.reader import read_mjmodel  # noqa: PLC0415

        return Robot(read_mjmodel(source, **options))
    if is_pinocchio_model(source):
        return Robot(read_pinocchio_model(source, **options))
    return None
