"""What README.md and docs/ show is run: Python blocks in order, page by page, and lines that begin with `$ armdyn`."""

import contextlib
import doctest
import io
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


NEEDS = {"torch.md": "torch"}
"""Libraries that not every test run has; pages that need them are left out without them."""

PYTHON = [p for p in PAGES if blocks(p, "python")]
CONSOLE = {" ".join(shlex.split(c, comments=True)): (p, c) for p in reversed(PAGES) for c in reversed(commands(p))}
"""What is shown on several pages is run once, for the first."""
CONSOLE = [pytest.param(p, c, id=f"{p.name}: {words}") for words, (p, c) in reversed(CONSOLE.items())]


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


@pytest.mark.short_run(
    without=(
        "actuators.md",
        "constraints.md",
        "derivatives.md",
        "excitation.md",
        "fmi.md",
        "gallery.md",
        "identify_my_arm.md",
        "jax.md",
        "own_law.md",
        "page.md",
        "pictures.md",
        "regressor.md",
        "results.md",
        "rollouts.md",
        "studies.md",
        "task_space.md",
    )
)
@pytest.mark.parametrize("page", PYTHON, ids=lambda p: p.name)
def test_python(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": "__main__"}
    for line, code in blocks(page, "python"):
        run_block(code, page, line, names)


@pytest.mark.short_run(
    without=(
        "command_line.md: armdyn bench planar_2r --states 1000",
        "command_line.md: armdyn info stanford --cost --json",
        "excitation.md: armdyn excite ur5 --duration 8 --harmonics 3 -o excite.csv --ros excite.yaml --plot excite.png",
        "fmi.md: armdyn export ur5 --to fmu --optional-input f_tip --option step=1e-4 -o ur5.fmu",
        "results.md: armdyn simulate planar_2r --duration 0.5 --out swing.gif --out swing.parquet",
        "symbols.md: armdyn derive planar_2r --form task-space --components vx,vy --expressed-in world --symbols all",
        "trajectories.md: armdyn masp --out figures",
    )
)
@pytest.mark.parametrize(("page", "command"), CONSOLE)
def test_console(
    shell: Callable[..., Any], page: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process; `tests/cli/test_bad_input.py` has a process of its own."""
    words = shlex.split(command, comments=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    said = shell(*words[1:])
    assert said.code == 0, said
    assert said.out.strip()
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
