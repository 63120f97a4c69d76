"""Input files with some words replaced."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles.masp_files import FILES


@pytest.fixture
def edited(tmp_path: Path) -> Callable[..., Path]:
    """A copy of an input file, "kg_puma" or "slider", with words replaced: pairs of old and new."""

    def write(name: str, *changes: tuple[str, str]) -> Path:
        text = FILES[name].read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = tmp_path / "arm.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
