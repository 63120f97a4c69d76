"""The HTML file of a page from its template: one style sheet, one script, all names escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from armdyn.page.html_file import filled, template_file
from armdyn.targets.wasm import WasmModule

SCRIPTS = (
    *("vectors", "eigen", "numbers", "rate", "elements", "colours", "meshes", "webgl", "flat", "camera", "ellipsoids"),
    *("scene", "chart", "state", "fall", "joints", "forces", "mass", "tip", "inverse", "transport", "drawing", "main"),
)
"""Script files in their order in the script: they share its names, which are defined before use."""


def page_html(parts: Mapping[str, str], module: WasmModule, robot: Mapping[str, object]) -> str:
    """The HTML file of a page.

    Args:
        parts: HTML by name of the placeholder of the template; names in it are already escaped.
        module: the functions, embedded in the script.
        robot: data of the robot for the script.
    """
    loader = re.sub(r"^export ", "", module.javascript, flags=re.MULTILINE)
    scripts = [_read(f"{name}.js") for name in SCRIPTS]
    script = "\n".join([loader, f"const ROBOT = {script_json(robot)};", *scripts])
    return filled(
        _read("page.html"),
        {**parts, "script": script},
        style=_read("style.css"),
        policy="script-src 'unsafe-inline' 'wasm-unsafe-eval'; ",
        more='<meta name="color-scheme" content="light dark">\n',
    )


def script_json(value: object) -> str:
    r"""A value as JSON that ends no script and opens no comment of HTML.

    >>> script_json("</script>")
    '"\\u003c/script>"'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return template_file("armdyn.page", name)
