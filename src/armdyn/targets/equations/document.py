"""Standalone LaTeX documents of equations, for pdflatex, xelatex and lualatex."""

from __future__ import annotations

from collections.abc import Iterable

from armdyn.targets.equations.symbol import escape_latex

_PREAMBLE = r"""\documentclass[a4paper,10pt,fleqn]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}
  \usepackage[T1]{fontenc}
  \usepackage{lmodern}
\else
  \usepackage{fontspec}
\fi
\usepackage[margin=22mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks[4]
\setlength{\parindent}{0pt}
\setlength{\parskip}{1ex}
\setlength{\mathindent}{0pt}
\setcounter{MaxMatrixCols}{30}
"""


def latex_document(title: str, blocks: Iterable[str], *, author: str = "") -> str:
    r"""A document that compiles: its title, and blocks of LaTeX with a blank line between.

    It loads amsmath, and displayed equations may break between lines at the end of a page.

    Args:
        title: plain text.
        blocks: paragraphs (`paragraph`), headings (`heading`) and environments, e.g. ``align*``.
        author: plain text, below the title.

    >>> from armdyn.targets.equations import latex_document, paragraph
    >>> print(latex_document("One & only", [paragraph("It is 100 % exact:"), r"\[ E = m c^2 \]"]))
    \documentclass...
    ...
    {\Large\bfseries One \& only\par}
    <BLANKLINE>
    It is 100 \% exact:
    ...
    \end{document}
    """
    top = rf"{{\Large\bfseries {escape_latex(title)}\par}}"
    under = [rf"{{\large {escape_latex(author)}\par}}"] if author else []
    body = "\n\n".join([r"\begin{document}", top, *under, *blocks, r"\end{document}"])
    return f"{_PREAMBLE}{body}\n"


def paragraph(text: str) -> str:
    """Plain text as LaTeX."""
    return escape_latex(text)


def heading(text: str) -> str:
    """A heading without number."""
    return rf"\section*{{{escape_latex(text)}}}"
