"""The search index of the site: without the pages of tests, whose code has every word."""

from __future__ import annotations

from typing import Any

LEFT_OUT = ("tests/",)
"""Beginnings of the names of pages that are not searched."""


def leave_out_tests(app: Any) -> None:
    """Sphinx's event ``builder-inited``: the builder does not index pages of tests."""
    index_page = getattr(app.builder, "index_page", None)
    if index_page is None:  # a builder without a search
        return

    def searched(name: str, doctree: Any, title: str) -> None:
        if not name.startswith(LEFT_OUT):
            index_page(name, doctree, title)

    app.builder.index_page = searched
