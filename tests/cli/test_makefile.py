"""A virtual environment that could not be completed does not stay in the way."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"

WITHOUT_ENSUREPIP = """#!/bin/sh
# A Python whose ensurepip is a package of its own, as Debian's: it leaves a folder behind, and fails.
if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin"; touch "$3/pyvenv.cfg"
    printf '#!/bin/sh\\nexit 1\\n' >"$3/bin/python"; chmod +x "$3/bin/python"
    exit 1
fi
exec {python} "$@"
"""


def make(folder: Path, python: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["make", "-f", str(MAKEFILE), f"PYTHON={python}", ".venv/made"],  # noqa: S607
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_half_made_environment_is_removed_then_made(tmp_path: Path) -> None:
    lacking = tmp_path / "python"
    lacking.write_text(WITHOUT_ENSUREPIP.format(python=sys.executable))
    lacking.chmod(0o755)
    done = make(tmp_path, lacking)
    assert done.returncode != 0
    assert "install the package python3-venv" in done.stderr
    assert not (tmp_path / ".venv").exists()

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / ".venv"], check=True)
    done = make(tmp_path, Path(sys.executable))
    assert done.returncode == 0, done.stderr
    subprocess.run([tmp_path / ".venv/bin/python", "-m", "pip", "--version"], check=True, capture_output=True)
    assert "up to date" in make(tmp_path, Path(sys.executable)).stdout
