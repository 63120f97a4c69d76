"""What README.md and docs/ show is run: Python blocks in order, page by page, and lines that begin with `$ armdyn`."""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if p.exists())
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """First line and text of every block of a language."""
    text = page.read_text(encoding="utf-8")
    return [(text[: found.start(2)].count("\n"), found[2]) for found in FENCE.finditer(text) if found[1] == language]


def commands(page: Path) -> list[str]:
    """Lines to type, their comments left out."""
    lines = [line for _, text in blocks(page, "console") for line in text.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ armdyn ")]


PYTHON = [p for p in PAGES if blocks(p, "python")]
CONSOLE = [pytest.param(p, c, id=f"{p.name}: {c.split('#')[0].strip()}") for p in PAGES for c in commands(p)]


def run_block(code: str, page: Path, line: int, names: dict[str, object]) -> None:
    if ">>>" in code:
        test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
        names.update(test.globs)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        report = io.StringIO()
        runner.run(test, out=report.write, clear_globs=False)
        names.update(test.globs)
        assert runner.failures == 0, report.getvalue()
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * line + code, str(page), "exec"), names)  # noqa: S102
    assert_prints(code, printed.getvalue(), page, line)


def assert_prints(code: str, printed: str, page: Path, line: int) -> None:
    """Where a print names its output in a comment behind it that looks like operation counts, it must print that."""
    promised = re.findall(r"^print\(.*\)  # (\d+m .*)$", code, re.MULTILINE)
    for text in promised:
        assert text.strip() in printed, f"{page.name}:{line}: prints {printed!r}, not {text!r}"


@pytest.mark.parametrize("page", PYTHON, ids=lambda p: p.name)
def test_python(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": "__main__"}
    for line, code in blocks(page, "python"):
        run_block(code, page, line, names)


@pytest.mark.parametrize(("page", "command"), CONSOLE)
def test_console(page: Path, command: str, tmp_path: Path) -> None:
    words = shlex.split(command, comments=True)
    code = "import sys; from armdyn.cli import main; sys.exit(main())"
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", code, *words[1:]], cwd=tmp_path, env=environment, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()
    for word in words[1:]:
        if re.fullmatch(r"[\w.]+\.(csv|png|npz|parquet|gif)", word):
            assert (tmp_path / word).stat().st_size > 0


def test_the_readme_has_snippets() -> None:
    assert ROOT / "README.md" in PYTHON
    assert any("README.md" in (p.id or "") for p in CONSOLE)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
