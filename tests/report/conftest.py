"""Fixtures of the tests of reports."""

from importlib import import_module

import pytest

from armdyn.report import document


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the pictures out of reports whose words are tested: most of a report's time draws them."""
    empty = '<svg role="img"></svg>'
    monkeypatch.setattr(document, "motion_figure", lambda *_: empty)
    monkeypatch.setattr(document, "path_figure", lambda *_: empty)
    monkeypatch.setattr(import_module("armdyn.report.fit_report"), "inlined", lambda *_: empty)
