"""A self-contained HTML file: its head, content security policy and parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from armdyn._version import __version__


def template_file(package: str, name: str) -> str:
    """A file of the templates of a package, e.g. "armdyn.page"."""
    return files(package).joinpath("template", name).read_text(encoding="utf-8")


def filled(template: str, parts: Mapping[str, str], *, style: str, policy: str = "", more: str = "") -> str:
    """The HTML file: a head, and the body of a template with its placeholders ``{{name}}`` filled.

    Args:
        template: template from <body> on.
        parts: HTML by name of the placeholder, including "title"; names in it are already escaped.
        style: the style sheet.
        policy: directives of the content security policy, each followed by a semicolon.
        more: further lines of the head.
    """
    values = {**parts, "version": escape(__version__), "style": style, "policy": policy, "more": more}
    whole = template_file("armdyn.page", "head.html") + template
    return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], whole)
