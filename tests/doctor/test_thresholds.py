"""The table of thresholds in docs/doctor.md: that of the module, each with its reason."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_has_the_thresholds_of_the_module() -> None:
    spec = importlib.util.spec_from_file_location("thresholds_page", DOCS / "armdyn_docs" / "thresholds.py")
    assert spec is not None
    assert spec.loader is not None
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    page = (DOCS / "doctor.md").read_text()
    assert writer.table().count("\n") > 20
    assert writer.table() in page, "python docs/armdyn_docs/thresholds.py writes the table"
    assert writer.with_table(page) == page


def test_each_threshold_has_a_reason_and_is_used() -> None:
    module = importlib.import_module("armdyn.doctor.thresholds")
    sources = "".join(path.read_text() for path in Path(module.__file__ or "").parent.rglob("*.py"))
    for name, value in vars(module).items():
        if isinstance(value, module.RuleThreshold):
            assert len(value.reason) > 15, name
            assert sources.count(f"{name}.value") or name == "OUT_OF_SCALE", name
