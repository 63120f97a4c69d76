"""The search of the site: synonyms lead to functions and pages that exist, and pages of tests are not searched."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HAS_SPHINX = importlib.util.find_spec("sphinx") is not None and importlib.util.find_spec("myst_nb") is not None

sys.path.insert(0, str(DOCS))
try:
    public_names, searching, synonyms = (
        importlib.import_module(f"armdyn_docs.{name}") for name in ("public_names", "searching", "synonyms")
    )
finally:
    sys.path.remove(str(DOCS))

TYPED = {
    "RNEA": "armdyn.Robot.inverse_dynamics",
    "ABA": "armdyn.Robot.forward_dynamics",
    "CRBA": "armdyn.Robot.mass_matrix",
    "payload": "loads",
    "torque limit": "armdyn.Robot.effort_limits",
    "system identification": "identification",
    "time optimal": "armdyn.trajectory.fastest_along",
    "teleoperation": "viewer",
    "URDF error": "doctor",
    "gravity compensation": "compensation",
}
"""Words that readers type, and the function or page to which each leads first."""


def test_words_lead_to_one_place_that_exists() -> None:
    places = {**synonyms.FUNCTIONS, **synonyms.PAGES}
    leads = [(word.lower(), place) for place, words in places.items() for word in words]
    assert len(leads) == len({word for word, _ in leads})
    assert {word: dict(leads).get(word.lower()) for word in TYPED} == TYPED
    assert all((DOCS / f"{page}.md").is_file() for page in synonyms.PAGES)
    assert [name for name in synonyms.FUNCTIONS if public_names.find(name) is public_names.MISSING] == []


def test_a_page_gets_its_entries_behind_its_title() -> None:
    source = ["# Loads\n\nText.\n"]
    synonyms.into_page(None, "loads", source)
    assert source[0].startswith("# Loads\n\n```{index} ! single: payload\n```\n")
    assert source[0].endswith("\nText.\n")


def test_pages_of_tests_are_not_indexed() -> None:
    pages: list[str] = []
    builder = SimpleNamespace(index_page=lambda name, doctree, title: pages.append(name))
    searching.leave_out_tests(SimpleNamespace(builder=builder))
    for name in ("loads", "tests/loads", "reference/armdyn"):
        builder.index_page(name, None, "")
    assert pages == ["loads", "reference/armdyn"]


@pytest.mark.skipif(not HAS_SPHINX, reason="needs the extra docs: make docs")
def test_the_built_index_has_main_entries(tmp_path: Path) -> None:
    """Of two small pages, by Sphinx itself."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "index.md").write_text("# Start\n\n```{toctree}\nloads\ntests/loads\n```\n")
    (tmp_path / "loads.md").write_text("# Loads\n\nA mass at the tip.\n")
    (tmp_path / "tests" / "loads.md").write_text("# tests/loads\n\nmurmeltier\n")
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(DOCS)!r})\nfrom armdyn_docs import searching, synonyms\n"
        "extensions = ['myst_nb']\nnb_execution_mode = 'off'\n"
        "def setup(app):\n    app.connect('builder-inited', searching.leave_out_tests)\n"
        "    app.connect('source-read', synonyms.into_page)\n"
    )
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(tmp_path), str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "site" / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\);?\s*", text, re.DOTALL)[1])  # type: ignore[index]
    (entry,) = index["indexentries"]["payload"]
    assert index["docnames"][entry[0]] == "loads"
    assert entry[2]
    assert "murmelti" not in text
    assert [name for name in index["docnames"] if name.startswith("tests")] == []
