"""``python docs/armdyn_docs/thresholds.py`` writes the table of the doctor's thresholds into docs/doctor.md."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

PAGE = Path(__file__).parents[1] / "doctor.md"

_TABLE = re.compile(r"(?<=\| name \| value \| reason \|\n\| --- \| --- \| --- \|\n)(?:\|.*\n)+")


def table() -> str:
    """A row for each threshold of `armdyn.doctor.thresholds`, in the order of the module."""
    module = import_module("armdyn.doctor.thresholds")
    rows = [
        f"| `{name}` | {f'{value.value:g} {value.unit}'.strip()} | {value.reason} |\n"
        for name, value in vars(module).items()
        if isinstance(value, module.RuleThreshold)
    ]
    return "".join(rows)


def with_table(page: str) -> str:
    """The page with the rows of now."""
    return _TABLE.sub(lambda _: table(), page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
