"""`armdyn export --to python | numpy | latex`."""

from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import armdyn
from armdyn.cli.app import app
from targets.test_equations import module


def export(folder: Path, *words: str) -> list[str]:
    run = CliRunner().invoke(app, ["export", "ur5", *words, "-o", str(folder)], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    return sorted(path.name for path in folder.iterdir())


def test_python(tmp_path: Path) -> None:
    assert export(tmp_path / "new", "--to", "python", "-f", "gravity_forces", "-f", "mass_matrix") == [
        "gravity_forces.py",
        "mass_matrix.py",
    ]
    q = np.linspace(-1, 1, 6)
    f = module((tmp_path / "new" / "gravity_forces.py").read_text(encoding="utf-8"))
    np.testing.assert_allclose(f(q.tolist()), armdyn.load("ur5").gravity_forces(q), rtol=1e-12, atol=1e-12)


def test_numpy(tmp_path: Path) -> None:
    words = ["--to", "numpy", "-f", "jacobian", "--option", "expressed_in=space", "--name", "arm"]
    assert export(tmp_path, *words) == ["arm_jacobian.py"]
    q = np.random.default_rng(2).uniform(-1, 1, (5, 6))
    source = (tmp_path / "arm_jacobian.py").read_text(encoding="utf-8")
    assert "def arm_jacobian(q):" in source
    expected = armdyn.load("ur5").jacobian(q, expressed_in="space")
    np.testing.assert_allclose(module(source)(q), expected, rtol=1e-12, atol=1e-12)


def test_latex(tmp_path: Path) -> None:
    assert export(tmp_path, "--to", "latex", "-f", "gravity_forces", "-f", "mass_matrix") == ["ur5.tex"]
    text = (tmp_path / "ur5.tex").read_text(encoding="utf-8")
    assert r"\section*{Gravity forces}" in text
    assert text.index(r"\section*{Mass matrix}") < text.index(r"\begin{bmatrix} M_{11}")


def test_a_setting_of_another_target(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["export", "ur5", "--to", "latex", "--scalar", "float", "-o", str(tmp_path)])
    assert "--to latex has no --scalar; it belongs to --to c" in str(run.exception)
