"""Every dotted name that docs, examples and docstrings show works after a plain `import armdyn`."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

import armdyn
from oracles.docstrings import docstrings

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "notebooks").glob("*.md"),
    *(ROOT / "examples").glob("*.py"),
]
NAME = re.compile(r"(?<![\w./-])armdyn(?:\.[A-Za-z_]\w*)+")

LOOK_UP = """
import os, sys
import armdyn
failed = 0
for names in sys.argv[1:]:
    child = os.fork()  # has imported armdyn and nothing else
    if child == 0:
        for name in names.split(","):
            found = armdyn
            try:
                for part in name.split(".")[1:]:
                    found = getattr(found, part)
            except BaseException as error:
                print(f"{name}: {type(error).__name__}: {error}", flush=True)
                os._exit(1)
        os._exit(0)
    failed += os.waitpid(child, 0)[1] != 0
sys.exit(failed != 0)
"""


def texts() -> Iterator[str]:
    for page in PAGES:
        yield page.read_text(encoding="utf-8")
    yield from (docstring.text for docstring in docstrings())


@cache
def names() -> list[str]:
    """All of them; read where a test needs them, not where tests are collected."""
    return sorted({name for text in texts() for name in NAME.findall(text)})


def in_fresh_interpreters(groups: list[str]) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", LOOK_UP, *groups], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_are_found() -> None:
    assert len(names()) > 230
    assert {"armdyn.masp.run_masp", "armdyn.Robot.inverse_dynamics", "armdyn.modern_robotics.ad"} <= {*names()}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="fresh interpreters are made by fork")
def test_names_work_package_by_package() -> None:
    """One fresh interpreter for the names of each package of armdyn, one for armdyn's own."""

    def package(name: str) -> str:
        return name.split(".")[1] if name.count(".") > 1 else ""

    in_fresh_interpreters([",".join(group) for _, group in groupby(sorted(names(), key=package), package)])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="fresh interpreters are made by fork")
def test_names_work_one_by_one() -> None:
    in_fresh_interpreters(names())


def test_what_does_not_exist_is_said() -> None:
    code = (
        "import armdyn\n"
        "for place in (armdyn, armdyn.trajectory, armdyn.algorithms):\n"
        "    for name in ('masq', '_hidden', 'not.a.module', ''):\n"
        "        try: getattr(place, name)\n"
        "        except AttributeError as error: assert repr(name) in str(error), error\n"
        "        else: raise SystemExit(1)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_functions_keep_the_names_they_share_with_their_modules() -> None:
    code = (
        "import armdyn\n"
        "armdyn.algorithms.newton_euler\n"
        "import armdyn.algorithms.mass_matrix, armdyn.task_space\n"
        "assert callable(armdyn.algorithms.mass_matrix), armdyn.algorithms.mass_matrix\n"
        "assert armdyn.task_space.TaskComponents\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_packages_list_their_public_names_and_nothing_else() -> None:
    """For `dir()` and Tab, before a name is imported; each name that is listed exists, as this process finds out."""
    code = (
        "import importlib, pkgutil, armdyn\n"
        "names = ['armdyn', *(m.name for m in pkgutil.walk_packages(armdyn.__path__, 'armdyn.') if m.ispkg)]\n"
        "packages = [p for p in map(importlib.import_module, names) if hasattr(p, '__all__')]\n"
        "assert len(packages) >= 32, packages\n"
        "for package in packages:\n"
        "    public = {name for name in package.__all__ if not name.startswith('_')}\n"
        "    listed = {name for name in dir(package) if not name.startswith('_')}\n"
        "    assert listed == public, (package, sorted(listed ^ public))\n"
        "print(*(package.__name__ for package in packages))\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    for package in map(importlib.import_module, done.stdout.split()):
        for name in package.__all__:
            assert hasattr(package, name), (package, name)


@pytest.mark.parametrize(
    "name", ["simulation.SaveAt", "control.pd_gravity", "actuators.Brake", "constraints.PointOnPlane"]
)
def test_a_name_of_a_package_is_proposed(name: str) -> None:
    last, missing = name.rpartition(".")[2], "no_such_name"
    with pytest.raises(AttributeError, match=rf"has no attribute '{last}'; did you mean armdyn\.{name}\?"):
        getattr(armdyn, last)
    with pytest.raises(AttributeError, match=r"has no attribute 'no_such_name'$"):
        getattr(armdyn, missing)


def test_the_package_of_simulations_is_listed() -> None:
    assert {"simulate", "simulation"} <= set(dir(armdyn))
