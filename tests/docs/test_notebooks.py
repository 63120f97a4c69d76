"""The notebooks of docs/notebooks run from top to bottom, their asserts hold, and each is offered as .ipynb."""

import importlib
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted(path for path in (DOCS / "notebooks").glob("*.md") if path.stem != "index")
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUICK = "ucl_two_link"
HAS_MYST_NB = importlib.util.find_spec("myst_nb") is not None


def run(notebook: Path) -> int:
    """Run the cells as a script, lines numbered as in the file; how many there were."""
    text = notebook.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    cells = list(CELL.finditer(text))
    for cell in cells:
        line = text[: cell.start(1)].count("\n")
        exec(compile("\n" * line + cell[1], str(notebook), "exec"), names)  # noqa: S102
    return len(cells)


@pytest.mark.parametrize(
    "notebook", [pytest.param(p, id=p.stem, marks=[] if p.stem == QUICK else [pytest.mark.slow]) for p in NOTEBOOKS]
)
def test_notebook(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    assert run(notebook) > 5


def test_a_failing_cell_fails(tmp_path: Path) -> None:
    broken = tmp_path / "broken.md"
    broken.write_text("# Title\n\n```{code-cell} ipython3\nassert 1 + 1 == 3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        run(broken)


def test_every_exercise_of_chapter_8_is_there() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in NOTEBOOKS)
    assert [int(number) for number in re.findall(r"^## 8\.(\d+) ", text, re.MULTILINE)] == [*range(1, 16)]


def test_notebooks_are_listed_and_in_the_format_of_jupytext() -> None:
    listed = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8").rpartition("```{toctree}")[2].split()
    assert sorted(name for name in listed if name in {path.stem for path in NOTEBOOKS}) == [p.stem for p in NOTEBOOKS]
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert "format_name: myst\n" in text.split("\n---\n")[0]
        assert len(CELL.findall(text)) == text.count("```{code-cell}"), path.name
        for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


@pytest.mark.skipif(not HAS_MYST_NB, reason="needs the extra docs")
def test_the_file_to_download_is_a_notebook_of_the_same_cells() -> None:
    sys.path.insert(0, str(DOCS))
    try:
        notebooks = importlib.import_module("armdyn_docs.notebooks")
    finally:
        sys.path.remove(str(DOCS))
    path = DOCS / "notebooks" / "ur5_falls.md"
    written = json.loads(notebooks.as_ipynb(path.read_text(encoding="utf-8")))
    code = ["".join(cell["source"]) for cell in written["cells"] if cell["cell_type"] == "code"]
    assert code == [cell.rstrip("\n") for cell in CELL.findall(path.read_text(encoding="utf-8"))]
    words = "".join("".join(cell["source"]) for cell in written["cells"] if cell["cell_type"] == "markdown")
    assert "pip install" in words
    assert "](../" not in words
    assert written["nbformat"] == 4
