"""`armdyn export --to cuda` writes both kernels of every function."""

from pathlib import Path

from typer.testing import CliRunner

import armdyn
from armdyn.base.errors import UnknownName
from armdyn.cli.app import app


def test_files(tmp_path: Path) -> None:
    functions = ["-f", "gravity_forces", "-f", "mass_matrix"]
    done = CliRunner().invoke(
        app, ["export", "rp", "--to", "cuda", *functions, "--scalar", "float", "-o", str(tmp_path)]
    )
    assert done.exit_code == 0, done.output
    endings = {f"{name}{ending}" for name in ("gravity_forces", "mass_matrix") for ending in (".cu", ".ptx")}
    assert {path.name for path in tmp_path.iterdir()} == endings
    kernel = armdyn.load("rp").mass_matrix.to_cuda(dtype="float32")
    assert Path(tmp_path, "mass_matrix.cu").read_text() == kernel.source
    assert ".entry mass_matrix(" in Path(tmp_path, "mass_matrix.ptx").read_text()


def test_another_scalar(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["export", "rp", "--to", "cuda", "--scalar", "half", "-o", str(tmp_path)])
    assert isinstance(done.exception, UnknownName)
