"""A description is the same program on every machine: digests and counts under other BLAS kernels and environments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.targets.llvm.machine import host
from oracles.robot_data import ROBOTS
from oracles.short_run import short_run
from oracles.trees import Tree, random_tree

VECTORS = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))
"""What this processor has and NumPy uses beyond its baseline; nothing where all of it is turned off already."""

EACH: Mapping[str, Mapping[str, str]] = {
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "no vector features": {"NPY_DISABLE_CPU_FEATURES": VECTORS} if VECTORS else {},
    "hash seed": {"PYTHONHASHSEED": "12345"},
    "threads": {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    "empty environment": {},
}
"""What a process gets besides the environment at hand, or in its place."""
AT_ONCE = ("Prescott", "no vector features", "hash seed", "threads")
SETTINGS = {"five at once": {k: v for name in AT_ONCE for k, v in EACH[name].items()}, **EACH}
"""The short run has five settings in one process; `make test-all` tells which of them matters."""
BARE = ("five at once", "empty environment")
"""Settings of a process that gets nothing of the environment at hand."""

NEEDS = {"Haswell": "avx2", "SkylakeX": "avx512vl", "Sandybridge": "avx"}
"""What a processor must have to run OpenBLAS's kernels for another one."""

FROM_URDF: Mapping[str, dict[str, Any]] = {
    "panda_description/urdf/panda.urdf": {},
    "ur_description/urdf/ur3_robot.urdf": {},
    "ur_description/urdf/ur5_robot.urdf": {},
    "ur_description/urdf/ur5_gripper.urdf": {},
    "ur_description/urdf/ur10_robot.urdf": {},
    "xarm_description/urdf/xarm7.urdf": {},
    "z1_description/urdf/z1.urdf": {},
    "kinova_description/robots/kinova.urdf": {},
    "so_arm_description/urdf/so100.urdf": {},
    "so_arm_description/urdf/so101.urdf": {},
    "talos_data/robots/talos_left_arm.urdf": {},
    "baxter_description/urdf/baxter.urdf": {},
}

SAMPLE = ("puma560", "so_arm_description/urdf/so100.urdf", "tree 0", "constrained")
"""One arm of each kind; `make test-all` has all of them."""

PROGRAMS = Path(__file__).with_name("programs.py")


def parts_of(tree: Tree) -> dict[str, Any]:
    """A random tree in plain numbers, which JSON keeps to the last digit."""
    parts = [
        {
            "name": part.name,
            "parent": part.parent,
            "kind": part.kind,
            "T": part.placement.tolist(),
            "axis": None if part.kind == "fixed" else part.axis.tolist(),
            "inertia": [part.mass, part.com.tolist(), part.tensor.tolist()],
        }
        for part in tree.parts
    ]
    return {"parts": parts, "tip": tree.tip, "gravity": tree.gravity.tolist()}


def all_robots() -> dict[str, dict[str, Any]]:
    """Bundled arms, arms of files, random trees with general axes, and one with constraints."""
    robots: dict[str, dict[str, Any]] = {name: {"load": [name, {}]} for name in armdyn.bundled_robots()}
    robots |= {
        path: {"load": [str(ROBOTS / path), {"check_inertia": False, **options}]} for path, options in FROM_URDF.items()
    }
    robots |= {f"tree {seed}": parts_of(random_tree(seed, 3 + seed % 6)) for seed in range(12)}
    return robots | {"constrained": {"load": ["kg_puma", {}], "constrained": True}}


def programs_of(robots: Path, environment: Mapping[str, str]) -> dict[str, dict[str, list[str]]]:
    """Digest and counts of every program, as a process of its own finds them."""
    source = str(Path(armdyn.__file__).parents[1])
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {source!r}); import runpy; sys.argv[1:] = "
               f"[{str(robots)!r}]; runpy.run_path({str(PROGRAMS)!r}, run_name='__main__')"]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["sample", pytest.param("all", marks=pytest.mark.slow)])
def robots(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robots")
    described = all_robots()
    chosen = described if request.param == "all" else {name: described[name] for name in SAMPLE}
    (folder / "robots.json").write_text(json.dumps(chosen))
    return folder / "robots.json"


@pytest.fixture(scope="module")
def here(robots: Path) -> dict[str, dict[str, list[str]]]:
    return programs_of(robots, os.environ)


@pytest.mark.parametrize("setting", short_run(SETTINGS, "five at once"))
def test_same_programs(robots: Path, here: dict[str, dict[str, list[str]]], setting: str) -> None:
    if setting in NEEDS and not host().has(NEEDS[setting]):
        pytest.skip(f"this processor has no {NEEDS[setting]}, which the kernels for {setting} are made of")
    given = {} if setting in BARE else os.environ
    assert programs_of(robots, {**given, **SETTINGS[setting]}) == here
