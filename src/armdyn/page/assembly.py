"""The HTML file of a page from its template: one style sheet, one script, everything that is named escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from armdyn.targets.wasm import WasmModule

SCRIPTS = (
    *("vectors", "eigen", "numbers", "elements", "colours", "meshes", "webgl", "flat", "camera", "ellipsoids", "scene"),
    *("chart", "state", "fall", "joints", "forces", "mass", "tip", "transport", "main"),
)
"""In the order in which they stand in the script: they share its names, and none is used before it is made."""


def page_html(parts: Mapping[str, str], module: WasmModule, robot: Mapping[str, Any]) -> str:
    """The file.

    Args:
        parts: HTML for the places of the template, by their names; names in it are escaped already.
        module: the functions, which the script holds.
        robot: what the script knows of the robot.
    """
    loader = re.sub(r"^export ", "", module.javascript, flags=re.MULTILINE)
    scripts = [_read(f"{name}.js") for name in SCRIPTS]
    script = "\n".join([loader, f"const ROBOT = {script_json(robot)};", *scripts])
    known = {**parts, "style": _read("style.css"), "script": script}
    return re.sub(r"\{\{(\w+)\}\}", lambda place: known[place[1]], _read("page.html"))


def script_json(value: Any) -> str:
    r"""A value as JSON that ends no script and opens no comment of HTML.

    >>> script_json("</script>")
    '"\\u003c/script>"'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return files("armdyn.page").joinpath("template", name).read_text(encoding="utf-8")
