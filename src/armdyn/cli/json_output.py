"""JSON: what a verb shows, for other programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import typer

from armdyn.robot import Robot

AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print JSON in place of tables: SI units, all digits; what is not finite is null."),
]


def print_json(data: Mapping[str, object]) -> None:
    """Print one JSON object on standard output; a list of numbers stays on a line."""
    typer.echo(as_json(data))


def of_robot(arm: Robot) -> dict[str, object]:
    """The first entries of every answer about a robot."""
    return {"robot": arm.name, "joint_names": list(arm.joint_names)}


def as_json(value: object, indent: str = "") -> str:
    """A value as JSON, in lines of moderate length; arrays are lists, paths are texts.

    >>> print(as_json({"q": np.array([0.5, np.inf]), "T": np.eye(2)}))
    {
      "q": [0.5, null],
      "T": [
        [1.0, 0.0],
        [0.0, 1.0]
      ]
    }
    """
    return _text(plain(value), indent)


def plain(value: object) -> Any:
    """A value of JSON's types alone; NaN and infinity are None."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _text(value: object, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{json.dumps(key)}: {_text(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        lines = [inner + _text(part, inner) for part in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)
