"""Pages whose Python is run when the site is built, each as a notebook, with what it prints and draws."""

from __future__ import annotations

EXECUTED = ("tutorial", "gallery", "bundled_arms", "identify_my_arm")
"""Pages of docs/ without their ending. The others are run by tests/docs, and print nothing here."""

HEAD = """---
file_format: mystnb
kernelspec:
  name: python3
---
"""
SET_UP = """```{code-cell} python
:tags: [remove-cell]
%matplotlib inline
%config InlineBackend.figure_formats = ["retina"]
%config InlineBackend.print_figure_kwargs = {"bbox_inches": None}
import warnings
warnings.filterwarnings("error", module="armdyn|__main__")
```

"""


def as_notebook(_app: object, name: str, source: list[str]) -> None:
    """Sphinx's event ``source-read``: Python of an executed page becomes cells; notebooks get their download."""
    if name.startswith("notebooks/") and name != "notebooks/index":
        from armdyn_docs.notebooks import with_download  # noqa: PLC0415 - needs MyST-NB

        source[0] = with_download(name, source[0], SET_UP)
    if name in EXECUTED:
        title, _, text = source[0].partition("\n\n")
        cells = text.replace("```python\n", "```{code-cell} python\n")
        source[0] = f"{HEAD}{title}\n\n{SET_UP}{cells}"
