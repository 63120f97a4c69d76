"""Equations as MathML, which browsers show by themselves: no script, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

STRUTS = re.compile(r"\\(displaystyle|left\.)\s*")
"""What SymPy writes and MathML does not need: blocks are in display style."""


def register(app: Sphinx) -> None:
    """Make MathML the way in which the site shows equations."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))


def visit_inline(self: Any, node: nodes.math) -> None:
    """An equation in the text."""
    self.body.append(markup(node, as_block=False))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """An equation of its own."""
    self.body.append(f'<div class="math">{markup(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def markup(node: nodes.Element, *, as_block: bool) -> str:
    """The MathML of an equation; a warning and its LaTeX where that is not understood."""
    tex = STRUTS.sub("", node.astext().strip().strip("$")).strip()
    try:
        return str(tex2mathml(tex, as_block=as_block))
    except MathError as error:
        logger.warning("the equation %r cannot be shown: %s", tex, error, location=node)
        return f"<code>{tex}</code>"
