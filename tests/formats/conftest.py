"""Fixtures of the tests of formats."""

import pytest

from armdyn.formats.mjcf import compiler


@pytest.fixture
def compiled_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile any MJCF file in the process of the tests, which is faster; `tests/errors` compiles them apart."""
    monkeypatch.setattr(compiler, "is_ordinary", lambda *_: True)
