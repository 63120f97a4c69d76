"""The living arm of the first page: the page of a UR5, beside the site's other files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import armdyn

NAME = "living_ur5.html"
"""The name of the file in the folder of static files of the site; docs/index.md has it in a frame."""


def write_arm(app: Any, error: Exception | None) -> None:
    """Sphinx's event ``build-finished``: the page of the arm is written."""
    if error is None and app.builder.format == "html":
        armdyn.load("ur5").to_page(Path(app.outdir) / "_static" / NAME)
