"""After a plain install: what needs a library of an extra names it and the cure in one line; all else works."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cli.test_every_verb import ANSWERS, _files

ROOT = Path(__file__).parents[2]

LIBRARIES = {
    **{name: name for name in ("casadi", "heyoka", "jax", "mujoco", "pandas", "pyarrow", "sympy", "torch")},
    **{name: name for name in ("distributed", "rosbags", "trimesh", "viser", "xacrodoc", "ziglang")},
    "pycollada": "collada",
    "fast-simplification": "fast_simplification",
    "pyyaml": "yaml",
    "imageio-ffmpeg": "imageio_ffmpeg",
}
"""What is imported, by the names of the libraries on the package index."""

OF_OTHERS = ("cloudpickle", "dask", "jaxlib")
"""What comes with these libraries."""

NOT_ASKED_FOR = ("pycollada", "fast-simplification")
"""Without them a mesh is drawn as a box, or with more triangles, and a note states it."""

USES = [
    *(("sympy", use) for use in ("armdyn.derive(ARM)", "armdyn.derivation.Step()", "armdyn.derivation.printing")),
    *(("sympy", use) for use in ("ARM.mass_matrix.to_sympy()", "!derive planar_2r --symbols all")),
    *((name, f"ARM.mass_matrix.to_{name}()") for name in ("casadi", "jax", "torch")),
    ("pandas", "FALL.to_dataframe()"),
    *(("pyarrow", use) for use in ("FALL.save('a.parquet')", "armdyn.Trajectory.load('a.parquet')")),
    *(("pyarrow", f"!{use}") for use in ("simulate planar_2r --duration 0.1 --out a.parquet", "report a.parquet")),
    *(("pyarrow", f"!{use}") for use in ("view planar_2r --motion a.parquet", "study study.yaml --out folder")),
    ("heyoka", "armdyn.simulate(ARM, [0, 0], duration=0.1, method='taylor')"),
    ("heyoka", "!simulate planar_2r --duration 0.1 --method taylor"),
    ("xacrodoc", "armdyn.load('arm.urdf.xacro', xacro_args={'size': '1'})"),
    ("rosbags", "armdyn.logs.read('run.mcap', ARM)"),
    ("mujoco", "armdyn.load('arm.xml')"),
    *(("mujoco", f"!{use}") for use in ("info arm.xml", "convert arm.xml --to urdf", "page arm.xml -o arm.html")),
    ("trimesh", "armdyn.inertia.mesh('body.stl', density=1.0)"),
    ("trimesh", "armdyn.view(armdyn.load('arm.xml'), browser=False)"),
    *(("viser", use) for use in ("armdyn.view(ARM, browser=False)", "!view planar_2r --save view.html")),
    *(("viser", use) for use in ("armdyn.viewer.view_trajectory(FALL, ARM)", "!view planar_2r")),
    *(
        ("pyyaml", use)
        for use in ("armdyn.actuators.read('drives.yaml')", "armdyn.studies.Scenario.read('study.yaml')")
    ),
    *(("pyyaml", f"!{use}") for use in ("study study.yaml", "simulate study.yaml", "info ur5 --actuators drives.yaml")),
    ("pyyaml", "!simulate planar_2r --duration 0.1 --method rk4 --set method.step=0.01 --controller [pid,saturated]"),
    ("distributed", "!study study.yaml --cluster tcp://127.0.0.1:1"),
    ("imageio-ffmpeg", "!simulate planar_2r --duration 0.1 --out a.mp4"),
    ("ziglang", "ARM.to_fmu().write('a.fmu', platforms=['windows-aarch64'])"),
]
"""A library that is missing, and what is called without it: Python, or behind ! a command line."""

CALL = f"""
import os, sys, traceback
import numpy, typer.main, armdyn, armdyn.cli.app
import armdyn.plots.trajectory, armdyn.plots.animation, armdyn.studies.scenario, matplotlib.pyplot  # once for all

ARM = armdyn.load("planar_2r")
FALL = armdyn.simulate(ARM, [0, 0], duration=0.1)

class Without:
    def __init__(self, blocked):
        self.blocked, self.finders = blocked, [*sys.meta_path]

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.blocked:
            return None
        return next((found for f in self.finders if (found := f.find_spec(name, path, target))), None)

def call(use):
    if use.startswith("!"):
        sys.argv = ["armdyn", *use[1:].split()]
        armdyn.cli.main()
    try:
        eval(use)
    except armdyn.MissingLibrary as error:
        print(f"MissingLibrary: {{error}}", file=sys.stderr)
        sys.exit(2)

libraries, others = {LIBRARIES!r}, {OF_OTHERS!r}
assert not sys.modules.keys() & {{*libraries.values(), *others}}
for k, line in enumerate(sys.stdin.read().splitlines()):
    library, use = line.split("\\t")
    child = os.fork()
    if child == 0:
        for number, file in ((1, f"{{k}}.out"), (2, f"{{k}}.err")):
            os.dup2(os.open(file, os.O_CREAT | os.O_WRONLY), number)
        sys.meta_path[:] = [Without({{*libraries.values(), *others}} if library == "all" else {{libraries[library]}})]
        code = 0
        try:
            call(use)
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(code, flush=True)
"""


def test_every_library_of_an_extra_is_among_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: needs for name, needs in project["optional-dependencies"].items() if name != "docs"}
    libraries = {re.match(r"[\w-]+", need)[0] for needs in extras.values() for need in needs}  # type: ignore[index]
    assert libraries == {*LIBRARIES}
    assert libraries - {*NOT_ASKED_FOR} == {library for library, _ in USES}


def without(uses: list[tuple[str, str]], folder: Path) -> list[tuple[str, int, str]]:
    """The code and the words with which each use ends without a library, or without "all" of them."""
    (folder / "arm.urdf.xacro").write_text('<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro"/>')
    (folder / "run.mcap").write_bytes(b"\x89MCAP0\r\n")
    asked = "\n".join(f"{library}\t{use}" for library, use in uses)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PATH": "/nowhere"}
    done = subprocess.run(
        [sys.executable, "-c", CALL], input=asked, env=environment, capture_output=True, text=True, check=True
    )
    codes = [int(code) for code in done.stdout.split()]
    said = [(folder / f"{k}.err").read_text(encoding="utf-8") for k in range(len(uses))]
    return [(use, *one) for (_, use), *one in zip(uses, codes, said, strict=True)]


def the_line(said: str) -> str:
    """The one line that an error is."""
    assert said.startswith("MissingLibrary: "), said
    assert said.count("\n") == 1, said
    return said


@pytest.mark.usefixtures(_files.__name__)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each use runs in a process that has imported no library")
def test_each_use_without_its_library(tmp_path: Path) -> None:
    for (library, use), (_, code, said) in zip(USES, without(USES, tmp_path), strict=True):
        assert code == 2, f"{use}\n{said}"
        assert re.search(rf"pip install .*\b{re.escape(library)}\b", the_line(said)), said


@pytest.mark.slow
@pytest.mark.usefixtures(_files.__name__)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each verb runs in a process that has imported no library")
def test_every_verb_without_any_library(tmp_path: Path) -> None:
    codes = {}
    for use, code, said in without([("all", f"!{use}") for use in ANSWERS.values()], tmp_path):
        codes[use.split()[0]] = code
        assert code == 0 or (code == 2 and the_line(said)), f"{use}\n{said}"
    assert {verb for verb, code in codes.items() if code} == {"!derive", "!study", "!view"}
