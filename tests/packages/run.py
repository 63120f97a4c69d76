"""Everything that `make test-packages` does: wheel, each Python, newest and oldest libraries, each extra alone.

A wheel and an sdist are built and checked by twine; the wheel is that of the sdist too. The wheel is installed, in an
environment of its own, on each Python from 3.11 on that is found, with the newest libraries and with the oldest that
pyproject.toml allows, and then with each extra alone: what the extra is for is done there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TOOLS = ("build", "twine", "uv")
OLDEST = ("--resolution", "lowest-direct", *PROJECT["dependencies"])
"""The oldest version with a wheel for a Python, of each library, that pyproject.toml allows."""

LARGE = ("torch", "docs")
"""Extras that `make test-all` and `make docs` install."""

BASE = """
import numpy as np, armdyn, llvmlite, scipy, matplotlib
q = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]
ur5 = armdyn.load("ur5")
tau = ur5.inverse_dynamics(q, np.zeros(6), np.ones(6))
assert np.allclose(tau, [1.341, -27.532, -13.38, 0.655, 0.039, 0.048], atol=5e-4), tau
qdd = ur5.forward_dynamics(q, np.zeros(6), tau)
assert np.allclose(qdd, 1.0, rtol=1e-12), qdd
fall = armdyn.simulate(ur5, q, duration=0.2)
fall.save("fall.csv")
fall.plot().savefig("fall.png")
print("  numbers agree with", *(f"{m.__name__} {m.__version__}" for m in (np, scipy, llvmlite, matplotlib)))
"""

START = """
from pathlib import Path
import subprocess, sys
import numpy as np, armdyn
def armdyn_command(*words):
    subprocess.run([Path(sys.executable).with_name("armdyn"), *words], check=True, capture_output=True)
arm = armdyn.load("planar_2r")
fall = armdyn.simulate(arm, [0.3, 0.2], duration=0.1)
M = arm.mass_matrix([0.3, 0.2])
"""

USES = {
    "pandas": "assert fall.to_dataframe().shape[0] == len(fall.t)",
    "mesh": """
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
lines = ["solid body"]
for face in faces:
    corner = "\\n".join("vertex {} {} {}".format(*corners[k]) for k in face)
    lines.append(f"facet normal 0 0 0\\nouter loop\\n{corner}\\nendloop\\nendfacet")
Path("body.stl").write_text("\\n".join([*lines, "endsolid body"]))
assert np.isclose(armdyn.inertia.mesh("body.stl", density=6.0).mass, 1.0)
""",
    "viewer": 'armdyn_command("view", "planar_2r", "--save", "view.html"); assert Path("view.html").stat().st_size',
    "mjcf": """
body = '<body><joint axis="0 1 0"/><geom type="box" size=".1 .1 .2" mass="3"/></body>'
Path("arm.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
assert np.isclose(armdyn.load("arm.xml").mass_matrix([0.1])[0, 0], 3 * (0.2**2 + 0.4**2) / 12)
""",
    "xacro": """
text = armdyn.load("ur5").to_urdf().replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ', 1)
Path("arm.urdf.xacro").write_text(text)
assert armdyn.load("arm.urdf.xacro", xacro_args={}).dof == 6
""",
    "taylor": """
taylor = armdyn.simulate(arm, [0.3, 0.2], duration=0.1, method="taylor")
assert np.allclose(taylor.q[-1], fall.q[-1], rtol=0, atol=1e-9)
""",
    "parquet": 'fall.save("fall.parquet"); assert np.array_equal(armdyn.Trajectory.load("fall.parquet").q, fall.q)',
    "logs": """
from rosbags.rosbag2 import Writer
from rosbags.typesys import Stores, get_typestore
store = get_typestore(Stores.ROS2_HUMBLE)
name = "sensor_msgs/msg/JointState"
JointState, Header, Time = (store.types[n] for n in (name, "std_msgs/msg/Header", "builtin_interfaces/msg/Time"))
with Writer("bag", version=9) as bag:
    topic = bag.add_connection("/joint_states", name, typestore=store)
    for t, q, qd in zip(fall.t, fall.q, fall.qd, strict=True):
        ns = round(1e9 * t)
        message = JointState(Header(Time(*divmod(ns, 10**9)), ""), [*arm.joint_names], q, qd, np.zeros(2))
        bag.write(topic, ns, store.serialize_cdr(message, name))
assert np.array_equal(armdyn.logs.read("bag", arm).q, fall.q)
""",
    "study": """
samples = "samples: {q0: {normal: [0, 0.1]}}\\nruns: 3"
Path("study.yaml").write_text(f"robot: planar_2r\\nduration: 0.02\\n{samples}\\n")
armdyn_command("study", "study.yaml", "--out", "folder")
assert [*Path("folder").iterdir()]
""",
    "video": 'fall.animate("a.mp4", robot=arm); assert Path("a.mp4").stat().st_size',
    "sympy": 'assert "c₂" in armdyn.derive(arm).text("M")',
    "casadi": "assert np.allclose(arm.mass_matrix.to_casadi()([0.3, 0.2]).full(), M, rtol=1e-12)",
    "jax": "assert np.allclose(arm.mass_matrix.to_jax()(np.array([0.3, 0.2])), M, rtol=1e-5)",
    "zig": 'arm.to_fmu().write("a.fmu", platforms=["windows-aarch64"]); assert Path("a.fmu").stat().st_size',
}
"""What each extra is for."""


def main() -> int:
    """Run all checks; the number of failures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        uv = _tools(folder)
        wheel = _wheel(folder)
        failures = 0
        for python in _pythons():
            for options in ((), OLDEST):
                failures += not _works(uv, folder, python, str(wheel), options, BASE)
        extras = [*(extra for extra in PROJECT["optional-dependencies"] if extra not in LARGE)]
        assert extras == [*USES], "USES has a use for each extra, in their order"
        for extra in extras:
            failures += not _works(uv, folder, sys.executable, f"{wheel}[{extra}]", (), START + USES[extra])
    print(f"{failures} failed" if failures else "all work")
    return failures


def _tools(folder: Path) -> str:
    """The tools in an environment of their own; the path of uv."""
    python = folder / "tools" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder / "tools"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *TOOLS], check=True)
    return str(python.with_name("uv"))


def _wheel(folder: Path) -> Path:
    """The wheel, made from the sdist; both checked, their sizes printed."""
    source, python = folder / "source", folder / "tools" / "bin" / "python"
    files = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - of the path
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for file in filter(None, files.split("\0")):
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, source / file)
    subprocess.run([python, "-m", "build", "-o", folder / "dist", source], check=True, capture_output=True)
    files_of_dist = sorted((folder / "dist").iterdir())
    subprocess.run([python, "-m", "twine", "check", "--strict", *files_of_dist], check=True)
    (wheel,) = (file for file in files_of_dist if file.suffix == ".whl")
    (sdist,) = (file for file in files_of_dist if file.suffix == ".gz")
    assert wheel.name.endswith("-py3-none-any.whl"), wheel.name
    with zipfile.ZipFile(wheel) as archive:
        code = [info for info in archive.infolist() if info.filename.endswith(".py")]
        print(
            f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, {sum(i.compress_size for i in code) / 1e6:.2f} of .py"
        )
    with tarfile.open(sdist) as archive:
        print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.2f} MB, {len(archive.getnames())} files")
    return wheel


def _pythons() -> Iterator[str]:
    """Interpreters from 3.11 on: of the path, and of pyenv."""
    folders = [Path(part) for part in os.environ["PATH"].split(os.pathsep)]
    folders += (Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions").glob("*/bin")
    names = set[str]()
    for folder in folders:
        for file in sorted(folder.glob("python3.[0-9]*")):
            if not re.fullmatch(r"python3\.(1[1-9]|[2-9]\d)", file.name) or file.name in names:
                continue
            if subprocess.run([file, "-c", "import venv"], check=False, capture_output=True).returncode == 0:
                names.add(file.name)
                yield str(file)


def _works(uv: str, folder: Path, python: str, wheel: str, options: tuple[str, ...], use: str) -> bool:
    """True if the use ends without an error after an installation; what went wrong is printed."""
    home = Path(tempfile.mkdtemp(dir=folder))
    own = home / "venv" / "bin" / "python"
    subprocess.run([uv, "venv", "-q", "-p", python, home / "venv"], check=True)
    what = f"{Path(python).name}, {wheel.rpartition('/')[2]}, {'oldest' if options else 'newest'}"
    print(what, flush=True)
    command = [uv, "pip", "install", "-q", "-p", own, "--only-binary", ":all:", wheel, *options]
    installation = subprocess.run(command, check=False, capture_output=True, text=True)
    if installation.returncode:
        print(f"  not installed: {installation.stderr}")
        return False
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment |= {"ARMDYN_CACHE_DIR": str(home / "cache"), "MPLBACKEND": "Agg"}
    run = subprocess.run(
        [own, "-W", "error::DeprecationWarning:armdyn", "-c", use], cwd=home, env=environment, check=False
    )
    shutil.rmtree(home)
    return run.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
