"""An HTML file that needs no other: its head, what it may run and load, and its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from armdyn._version import __version__


def template_file(package: str, name: str) -> str:
    """A file of the templates of a package, such as "armdyn.page"."""
    return files(package).joinpath("template", name).read_text(encoding="utf-8")


def filled(template: str, parts: Mapping[str, str], *, style: str, policy: str = "", more: str = "") -> str:
    """The file: a head, and the body of a template with its places ``{{name}}`` filled.

    Args:
        template: from <body> on.
        parts: HTML by the names of the places, among them "title"; names in it are escaped already.
        style: the style sheet.
        policy: what the file may run, in the words of a content security policy, each part with a semicolon behind it.
        more: lines of the head.
    """
    known = {**parts, "version": escape(__version__), "style": style, "policy": policy, "more": more}
    whole = template_file("armdyn.page", "head.html") + template
    return re.sub(r"\{\{(\w+)\}\}", lambda place: known[place[1]], whole)
