"""The drawing of the layers in CONTRIBUTING.md has the rows of the import contract, in its order."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def contract() -> list[set[str]]:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = next(one["layers"] for one in tool["importlinter"]["contracts"] if one["type"] == "layers")
    return [{name.strip() for name in row.split(":")} for row in layers]


def drawing() -> list[set[str]]:
    block = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("How the code is laid out")[2]
    rows = re.findall(r"^    (.*)$", block.partition("\n- ")[0], re.MULTILINE)
    return [set(re.findall(r"(\w+)(?:/|\.py)(?=\s|$)", row)) for row in rows]


def test_drawing_is_the_contract() -> None:
    assert drawing() == contract()
