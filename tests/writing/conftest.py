from collections.abc import Callable
from pathlib import Path

import pytest

from armdyn.base import writing

REAL: dict[str, Callable[[Path], None]] = {name: getattr(writing, name) for name in ("_flush", "_flush_folder")}
"""The functions that wait for the disk, which other tests do not."""


@pytest.fixture(autouse=True)
def _files_are_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, function in REAL.items():
        monkeypatch.setattr(writing, name, function)
