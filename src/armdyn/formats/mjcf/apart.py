"""MuJoCo's compiler in a process of its own, for documents on which it may end the process or never come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from armdyn.formats.mjcf import child

SECONDS = 60.0
"""The time limit of the compiler."""


@dataclass(frozen=True, eq=False)
class Result:
    """The result of the compiler for one document: the ``mjModel``, or None and the reason, and its warnings.

    ``replaced`` are the files that are not there, ``meshes`` the paths and scales of the meshes among them by name.
    """

    model: Any
    refusal: str
    warnings: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    meshes: Mapping[str, tuple[str, Sequence[float]]] = field(default_factory=dict)


def compile_apart(mujoco: object, path: Path) -> Result:
    """Compile a file in another process; raises if that process ends early or takes too long."""
    if not sys.executable or getattr(sys, "frozen", False):
        return Result(
            None, "it is no ordinary robot, and there is no Python here to compile it in a process of its own"
        )
    with TemporaryDirectory(prefix="armdyn-mjcf-") as name:
        folder = Path(name)
        request = json.dumps({"file": str(path.absolute()), "folder": name, "path": [str(place) for place in sys.path]})
        command = [sys.executable, child.__file__]
        environment = os.environ | {"MUJOCO_GL": "disable"}  # it draws nothing: a third of its time loads OpenGL
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": name, "env": environment}
        try:
            process = subprocess.run(command, input=request.encode(), timeout=SECONDS, check=False, **quiet)  # type: ignore[call-overload]  # noqa: S603
        except subprocess.TimeoutExpired:
            return Result(None, f"the compiler did not finish within {SECONDS:g} s")
        return result_in(mujoco, folder, process.returncode)


def result_in(mujoco: Any, folder: Path, code: int) -> Result:
    """The result in a folder, of a process that ended with this exit code."""
    text = folder / "said.json"
    if not text.exists():
        ending = f"signal {-code}" if code < 0 else f"exit code {code}"
        return Result(None, f"the compiler ended its process ({ending})")
    answer = json.loads(text.read_text(encoding="utf-8"))
    warnings = tuple(answer["warnings"])
    if "refusal" in answer:
        return Result(None, answer["refusal"], warnings)
    model = mujoco.MjModel.from_binary_path(str(folder / "model.mjb"))
    return Result(model, "", warnings, tuple(answer["replaced"]), answer["meshes"])
