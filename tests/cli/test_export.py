"""``armdyn export``."""

import shutil
import subprocess
from pathlib import Path

import pytest

from armdyn.cli.app import main


def run(*words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["armdyn", "export", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-f", "inverse_dynamics", "-f", "jacobian", "--option", "expressed_in=body", "--given", "f_tip"]
    more = ["--name", "arm", "--scalar", "float", "--sincos", "inline", "--shared", "-o", str(tmp_path / "new")]
    assert run("scara", "--to", "c", *words, *more, monkeypatch=monkeypatch) == 0
    paths = [Path(line) for line in capsys.readouterr().out.split()]
    assert [path.name for path in paths] == ["arm.h", "arm.c", "arm_selftest.c", "CMakeLists.txt"]
    header = paths[0].read_text()
    assert "const float f_tip[6]" in header
    assert "float inverse_dynamics[4]" in header
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-std=c99", "arm.c", "arm_selftest.c", "-o", "test"], cwd=paths[0].parent, check=True)
        subprocess.run([paths[0].parent / "test"], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "d"], "no target 'd' in armdyn export"),
        (["--to", "c", "-f", "inverse_dynamic"], "Did you mean 'inverse_dynamics'?"),
        (["--to", "c", "-f", "jacobian", "--option", "expressed_in"], "expected NAME=VALUE"),
        (["--to", "c", "--option", "expressed_in=body"], "no option 'expressed_in' in inverse_dynamics"),
        (["--to", "c", "--given", "qd"], "no optional array 'qd' in inverse_dynamics"),
        (["--to", "c", "--scalar", "half"], "scalar='half': expected 'double' or 'float'"),
        (["--to", "c", "--sincos", "lookup"], "sincos='lookup': expected 'libm', 'inline'"),
        (["--to", "c", "-o", "file"], "-o 'file' is a file; expected the name of a folder"),
    ],
)
def test_bad_input(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert run("scara", *words, monkeypatch=monkeypatch) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not Path("scara_c").exists()
