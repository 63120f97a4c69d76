"""Equations of the site as MathML."""

import importlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("latex2mathml")
pytest.importorskip("sphinx")

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
try:
    mathml = importlib.import_module("armdyn_docs.mathml")
finally:
    sys.path.remove(str(DOCS))


def test_a_matrix_as_sympy_writes_it() -> None:
    shown = mathml.markup(r"$\displaystyle \left[\begin{matrix}1 & 0\\0 & m^{2}\end{matrix}\right]$", "block")
    assert shown.startswith("<math")
    assert shown.count("<mtd>") == 4
    assert '<mtable class="bracketed">' in shown
    assert not {"[", "$"} & {*shown}


def test_what_is_not_understood_stays_latex(caplog: pytest.LogCaptureFixture) -> None:
    assert mathml.markup(r"\nothing{a} < b", "inline") == r"<code>\nothing{a} &lt; b</code>"
