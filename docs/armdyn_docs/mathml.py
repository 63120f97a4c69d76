"""Equations as MathML, which browsers show by themselves: no script, no network."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

NOT_UNDERSTOOD = re.compile(r"<m[io]>(\\[a-zA-Z]+)</m[io]>")
BRACKETED = re.compile(r"<mo[^>]*>(?:\[|&#x0005B;)</mo><mtable>(.*?)</mtable><mo[^>]*>(?:\]|&#x0005D;)</mo>")
"""A matrix in brackets. The style sheet draws them, for brackets grow with it only where a font for mathematics is."""


def register(app: Sphinx) -> None:
    """Make MathML the way in which the site shows equations."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))


def visit_inline(self: Any, node: nodes.math) -> None:
    """An equation in the text."""
    self.body.append(markup(node.astext(), "inline", node))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """An equation of its own."""
    self.body.append(f'<div class="math">{markup(node.astext(), "block", node)}</div>\n')
    raise nodes.SkipNode


def markup(tex: str, display: str, location: nodes.Node | None = None) -> str:
    r"""The MathML of an equation; its LaTeX, with a warning, where that is not understood.

    >>> markup(r"\dot\theta_k", "inline").count("<mover>")
    1
    """
    plain = tex.strip().strip("$").replace(r"\displaystyle", "").strip()  # as SymPy writes it
    try:
        found = str(convert(plain, display=display))
        unknown = NOT_UNDERSTOOD.search(found)
        reason = f"{unknown[1]} is not known" if unknown else ""
    except Exception as error:
        found, reason = "", repr(error)
    if not reason:
        return BRACKETED.sub(r'<mtable class="bracketed">\1</mtable>', found)
    logger.warning("the equation %r cannot be shown: %s", tex, reason, location=location)
    return f"<code>{escape(tex)}</code>"
