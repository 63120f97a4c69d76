"""Programs as equations: in Unicode, in LaTeX, in Python, with each shared term computed once and named."""

from armdyn.base.lazy import modules_of
from armdyn.targets.equations.document import heading, latex_document, paragraph
from armdyn.targets.equations.let_bound import Equations, equations, latex
from armdyn.targets.equations.python import to_python
from armdyn.targets.equations.summaries import summary

__all__ = ["Equations", "equations", "heading", "latex", "latex_document", "paragraph", "summary", "to_python"]

__getattr__ = modules_of(__name__)
