"""Names of armdyn and of tests that pages show as code become links; what does not exist is a warning."""

from __future__ import annotations

import builtins
import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_refnode

import armdyn
from armdyn_docs.cited_tests import TEST, label_of_test
from armdyn_docs.public_names import MISSING, Names, find

OF_ARMDYN = re.compile(r"(armdyn(?:\.[A-Za-z_]\w*)+)(\(.*\))?")
OF_ROBOT = re.compile(r"(?:robot|Robot)\.([a-z]\w*)(\(.*\))?")


class LinkNames(SphinxTransform):
    """Code that is a name of armdyn, a method of a robot or a test, as a link to it."""

    default_priority = 700

    def apply(self, **_: Any) -> None:
        """Replace each such piece of code outside of links and headings."""
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(literal.parent, (addnodes.pending_xref, nodes.reference, nodes.title)):
                continue
            reference = self._reference(literal.astext())
            if reference is not None:
                literal.replace_self(reference)
                reference += literal

    def _reference(self, text: str) -> addnodes.pending_xref | None:
        if found := TEST.fullmatch(text):
            return self._to("std", "ref", label_of_test(found[1], found[2]).lower())
        if found := OF_ARMDYN.fullmatch(text):
            return self._to("py", "obj", found[1])
        if (found := OF_ROBOT.fullmatch(text)) and hasattr(armdyn.Robot, found[1]):
            return self._to("py", "obj", f"armdyn.Robot.{found[1]}")
        return None

    def _to(self, domain: str, kind: str, target: str) -> addnodes.pending_xref:
        return addnodes.pending_xref(
            "", refdomain=domain, reftype=kind, reftarget=target, refexplicit=True, refwarn=True,
            refdoc=self.env.docname,
        )  # fmt: skip


class Resolver:
    """Where a name leads that Sphinx does not find: to the place of what it means, or nowhere if it is not public.

    Nothing is left out by a list: a name that means nothing at all stays a warning.
    """

    def __init__(self, names: Names, annotations: dict[str, str | None]) -> None:
        self.names, self.annotations = names, annotations

    def __call__(self, app: Any, env: Any, node: addnodes.pending_xref, content: nodes.Node) -> nodes.Node | None:
        """Sphinx's event ``missing-reference``."""
        if node.get("refdomain") != "py":
            return None
        target = str(node["reftarget"]).removeprefix("~")
        place = self._place(target)
        if place is None:
            return None
        if place:
            found = env.domains["py"].find_obj(env, None, None, place, "obj", 0)
            if found:
                entry = found[0][1]
                return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, place)
        return content

    def _place(self, target: str) -> str | None:
        """The documented name, "" of what exists and is not documented, None of what does not exist."""
        if hasattr(builtins, target):
            return ""
        if target in self.annotations:
            return self.annotations[target] or ""
        found = find(target)
        if found is MISSING:
            return None
        return self.names.place(target, found) or ""


__all__ = ["LinkNames", "Resolver"]
