"""The command line in this process, as a shell would see it."""

import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import pytest

from armdyn.cli import main


class Said(NamedTuple):
    """Exit code, standard output, standard error."""

    code: int
    out: str
    err: str


Shell = Callable[..., Said]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Run ``armdyn WORDS`` in a window of 80 columns, or of ``columns``."""
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # main() sets its own
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(*words: str, columns: int = 80) -> Said:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["armdyn", *words])
        capsys.readouterr()
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        else:
            code = 0
        return Said(code, *capsys.readouterr())

    return run
