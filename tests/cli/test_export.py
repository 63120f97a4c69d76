"""``armdyn export``."""

import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main


def run(*words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["armdyn", "export", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-f", "inverse_dynamics", "-f", "jacobian", "--option", "expressed_in=body", "--optional-input", "f_tip"]
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


def test_parameters_of_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As FMUs have them: arguments of each function, in C, Python and WebAssembly alike."""
    words = ["-f", "gravity_forces", "-f", "mass_matrix", "--option", "parameters=gravity,forearm_link.mass"]
    assert run("ur5", "--to", "c", *words, "-o", str(tmp_path / "c"), monkeypatch=monkeypatch) == 0
    header = (tmp_path / "c" / "ur5.h").read_text()
    for function in ("gravity_forces", "mass_matrix"):
        assert f"void ur5_{function}(const double q[6], const double gravity[3], double forearm_link_mass" in header
    assert run("ur5", "--to", "numpy", *words, "-o", str(tmp_path / "py"), monkeypatch=monkeypatch) == 0
    names: dict[str, Any] = {}
    exec((tmp_path / "py" / "gravity_forces.py").read_text(), names)  # noqa: S102 - our own
    robot, q = armdyn.load("ur5"), np.full(6, 0.3)
    found = names["gravity_forces"](q, np.array([1.0, 2.0, 3.0]), 4.0)
    by_both = robot.compile(armdyn.algorithms.gravity_forces, parameters=["gravity", "forearm_link.mass"])
    np.testing.assert_allclose(found, by_both(q, [1.0, 2.0, 3.0], 4.0), rtol=1e-13, atol=1e-13)
    assert run("ur5", "--to", "c", "--option", "parameters=forearm.mass", monkeypatch=monkeypatch) == 2


def test_fmu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    options = ["--option", "step=1e-4", "--option", "parameters=gravity", "--option", "derivatives=no"]
    path = tmp_path / "arm.fmu"
    words = ["rp", "--to", "fmu", "--optional-input", "f_tip", "--name", "arm", *options, "-o", str(path)]
    assert run(*words, monkeypatch=monkeypatch) == 0
    assert capsys.readouterr().out.strip() == str(path)
    with zipfile.ZipFile(path) as archive:
        described = archive.read("modelDescription.xml").decode()
    assert 'modelName="arm"' in described
    assert 'start="0.0001"' in described
    assert 'name="f_tip"' in described
    assert "payload" not in described


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "d"], "no target 'd' in armdyn export"),
        (["--to", "c", "-f", "inverse_dynamic"], "Did you mean 'inverse_dynamics'?"),
        (["--to", "c", "-f", "jacobian", "--option", "expressed_in"], "expected NAME=VALUE"),
        (["--to", "c", "--option", "expressed_in=body"], "no option 'expressed_in' in inverse_dynamics"),
        (["--to", "c", "--optional-input", "qd"], "no optional array 'qd' in inverse_dynamics"),
        (["--to", "c", "--scalar", "half"], "scalar='half': expected 'double' or 'float'"),
        (["--to", "c", "--sincos", "lookup"], "sincos='lookup': expected 'libm', 'inline'"),
        (["--to", "fmu", "-f", "mass_matrix"], "an FMU is of forward_dynamics; leave it out"),
        (["--to", "fmu", "--option", "steps=1"], "no option 'steps' in --to fmu"),
        (["--to", "fmu", "--option", "step=soon"], "--option step=soon: expected a number, s"),
        (["--to", "fmu", "--option", "derivatives=1"], "--option derivatives=1: expected yes or no"),
        (["--to", "fmu", "--option", "platforms=dos"], "no platform 'dos'"),
        (["--to", "fmu", "--scalar", "float"], "--to fmu has no --scalar"),
        (["--to", "fmu", "-o", "folder"], "-o 'folder' is a folder; expected the name of a file"),
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
    Path("folder").mkdir()
    assert run("scara", *words, monkeypatch=monkeypatch) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not Path("scara_c").exists()


@pytest.mark.short_run("python-inverse_dynamics.py", "c-CMakeLists.txt")
@pytest.mark.parametrize(
    ("to", "name"), [("c", "CMakeLists.txt"), ("python", "inverse_dynamics.py"), ("fmu", "rp.fmu")]
)
def test_files_of_others_are_not_replaced(
    to: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if to == "fmu" and not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    (tmp_path / name).write_text("mine")
    words = ["rp", "--to", to, "-o", str(tmp_path / name if to == "fmu" else tmp_path)]
    assert run(*words, monkeypatch=monkeypatch) != 0
    said = capsys.readouterr().err
    assert "there already, with other contents" in said
    assert "--overwrite" in said
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"
    assert run(*words, "--overwrite", monkeypatch=monkeypatch) == 0
    made = (tmp_path / name).read_bytes()
    assert made != b"mine"
    assert run(*words, monkeypatch=monkeypatch) == 0  # once more, the same
    assert (tmp_path / name).read_bytes() == made


def test_friction_under_load_needs_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drives = tmp_path / "lossy.yaml"
    drives.write_text("joint_1: {gear: {ratio: 9, efficiency: 0.8}}")
    words = ["planar_2r", "--actuators", str(drives), "--to", "c", "-f", "friction_forces", "-o", str(tmp_path / "c")]
    assert run(*words, monkeypatch=monkeypatch) == 2
    assert "give qdd too, armdyn export by --optional-input qdd." in " ".join(capsys.readouterr().err.split())
    assert run(*words, "--optional-input", "qdd", monkeypatch=monkeypatch) == 0
