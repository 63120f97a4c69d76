"""``armdyn export --to fmu``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from armdyn.base.errors import ShapeError, UnknownName
from armdyn.robot import Robot

OPTIONS = ("step", "command", "parameters", "platforms", "derivatives", "arrays")
"""The names that --option takes."""


def write_fmu(
    robot: Robot,
    functions: Sequence[str],
    path: Path,
    name: str | None,
    optional_inputs: Sequence[str],
    options: Mapping[str, str],
) -> list[Path]:
    """Write the FMU of a robot's forward dynamics."""
    if list(functions) != ["forward_dynamics"]:
        raise UnknownName(f"--to fmu --function {', '.join(functions)}: an FMU is of forward_dynamics; leave it out")
    for option in options:
        if option not in OPTIONS:
            raise UnknownName.of("option", option, OPTIONS, "--to fmu")
    words: dict[str, Any] = {key: options[key] for key in ("command",) if key in options}
    words |= {"step": _number(options["step"])} if "step" in options else {}
    words |= {"parameters": listed(options["parameters"])} if "parameters" in options else {}
    words |= {key: _switch(key, options[key]) for key in ("derivatives", "arrays") if key in options}
    fmu = robot.to_fmu(name=name, optional_inputs=optional_inputs, **words)
    return [fmu.write(path, platforms=listed(options.get("platforms", "")))]


def listed(text: str) -> list[str]:
    """Names with commas between them."""
    return [part for part in text.split(",") if part]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ShapeError(f"--option step={text}: expected a number, s, such as step=1e-4") from None


def _switch(option: str, text: str) -> bool:
    if text not in ("yes", "no"):
        raise ShapeError(f"--option {option}={text}: expected yes or no")
    return text == "yes"
