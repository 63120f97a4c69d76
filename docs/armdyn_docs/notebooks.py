"""The notebooks of docs/notebooks: text in the format of MyST and Jupytext, offered as .ipynb files too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
INSTALL = "This notebook needs armdyn and SymPy: `pip install '.[sympy]'` in a checkout."
DOWNLOADS = "downloads"
"""The folder beside the notebooks in which the .ipynb files are written."""


def sources(docs: Path) -> list[Path]:
    """The notebooks, without the page that lists them."""
    return sorted(path for path in (docs / "notebooks").glob("*.md") if path.stem != "index")


def as_ipynb(text: str) -> str:
    """The .ipynb of a text notebook: links to pages become their words, for the file travels alone."""
    notebook = read_myst_markdown_notebook(text)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"  # the same at each build
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(r"\1", cell.source)
    title = notebook.cells[0]
    first, _, rest = title.source.partition("\n")
    title.source = f"{first}\n\n{INSTALL}\n{rest}"
    notebook.metadata = {"kernelspec": dict(notebook.metadata["kernelspec"])}
    return str(nbformat.writes(notebook, version=nbformat.NO_CONVERT))


def downloads(docs: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each .ipynb file."""
    for path in sources(docs):
        yield f"{path.stem}.ipynb", as_ipynb(path.read_text(encoding="utf-8"))


def with_download(name: str, text: str, set_up: str) -> str:
    """The page of a notebook: behind its title a link to the .ipynb file, and the cell that sets up its pictures."""
    head, title, body = re.split(r"(^# .*$)", text, maxsplit=1, flags=re.MULTILINE)
    link = f"{{download}}`Download as a Jupyter notebook <{DOWNLOADS}/{Path(name).name}.ipynb>`"
    return f"{head}{title}\n\n{link}\n\n{set_up}{body.lstrip()}"
