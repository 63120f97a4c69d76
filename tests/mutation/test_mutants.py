"""The mutation check: slips in the equations are found out by what others say of a few robots.

A seeded sample of mutants is tried, spread over the modules; all of them with ``--mutants all``, or those of one
module with its name. One that survives either shows a hole in the tests or changes nothing that counts; the latter
stand in `equivalent`, each with its reason.
"""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from mutation.equivalent import EQUIVALENT, explained
from mutation.exam import exam
from mutation.mutants import Mutant, mutant, places
from mutation.question import Refusal, is_refused, is_right

SOURCE = Path(armdyn.__file__).parent
MODULES = (
    "algorithms.articulated_bodies",
    "algorithms.bias_acceleration",
    "algorithms.christoffel",
    "algorithms.closed_form",
    "algorithms.coriolis",
    "algorithms.energy",
    "algorithms.energy_regressors",
    "algorithms.external_wrench",
    "algorithms.factors",
    "algorithms.forward_dynamics",
    "algorithms.forward_dynamics_derivatives",
    "algorithms.generalized_momentum",
    "algorithms.inverse_dynamics_derivatives",
    "algorithms.joint_frames",
    "algorithms.joint_reactions",
    "algorithms.kinematics",
    "algorithms.link_motion",
    "algorithms.link_screws",
    "algorithms.mass_matrix",
    "algorithms.mass_matrix_dot",
    "algorithms.momentum",
    "algorithms.momentum_regressors",
    "algorithms.moving_composites",
    "algorithms.newton_euler",
    "algorithms.quicker_method",
    "algorithms.regressor",
    "algorithms.task_rows",
    "algorithms.task_space",
    "constraints.distance",
    "constraints.dynamics",
    "constraints.equations",
    "constraints.held",
    "constraints.holonomic",
    "constraints.joint_coupling",
    "constraints.multipliers",
    "constraints.pfaffian",
    "constraints.point_of",
    "constraints.point_on_curve",
    "constraints.point_on_line",
    "constraints.point_on_plane",
    "constraints.point_on_surface",
    "constraints.rows_of",
    "constraints.state",
    "constraints.under_load",
    "model.canonical",
    "model.clean",
    "model.drive",
    "model.inertial_constants",
    "model.mechanism",
    "model.regrouping",
    "program.accumulation",
    "program.differentiation",
    "program.jacobians",
    "program.partials",
    "spatial.positive_definite",
    "spatial.turns",
)
DATA = re.compile(r"constraints\.\w+\.[A-Z]\w*(\.(__post_init__|rows|check|false_roots))?")
"""What classes of constraints do besides their equations, which tests/constraints asks about."""

SAMPLE, SEED = 110, 7
PROCESSES = 2


def source_of(module: str) -> str:
    return (SOURCE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")


def verdicts(suspects: list[Mutant]) -> list[str]:
    """Of fresh processes, which import nothing of armdyn before it is mutated."""
    here = Path(__file__).parent.parent
    environment = {"PYTHONPATH": f"{SOURCE.parent}{os.pathsep}{here}", "PATH": "", "ARMDYN_CACHE_DIR": "",
                   "OMP_NUM_THREADS": "1"}  # fmt: skip
    questions, found = exam(), [""] * len(suspects)
    # A module's mutants go to one judge: what found out the first of them finds out others.
    modules = list(dict.fromkeys(suspect.module for suspect in suspects))
    share_of = {module: number % PROCESSES for number, module in enumerate(modules)}
    shares = [[i for i, suspect in enumerate(suspects) if share_of[suspect.module] == k] for k in range(PROCESSES)]
    judges = []
    for share in shares:
        suspected = [(f"armdyn.{suspects[i].module}", suspects[i].source) for i in share]
        judges.append(started(environment, pickle.dumps((questions, suspected))))
    for share, process in zip(shares, judges, strict=True):
        output, _ = process.communicate(timeout=3600)
        assert process.returncode == 0, "the judge itself failed"
        for i, verdict in zip(share, output.decode().split(), strict=True):
            found[i] = verdict
    return found


def started(environment: dict[str, str], given: bytes) -> subprocess.Popen[bytes]:
    """A judge at work."""
    command = [sys.executable, "-m", "mutation.judge"]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(given)
    process.stdin.close()
    process.stdin = None
    return process


def chosen(which: str) -> list[Mutant]:
    """All mutants, those of a module, or of every module its share of the sample, two at least."""
    every = which != "sample"
    by_module = {module: places(module, source_of(module)) for module in MODULES if which in ("sample", "all", module)}
    total, rng = sum(map(len, by_module.values())), np.random.default_rng(SEED)
    picked = []
    for found in by_module.values():
        size = len(found) if every else min(len(found), max(2, round(SAMPLE * len(found) / total)))
        picked += [found[i] for i in sorted(rng.choice(len(found), size, replace=False))]
    made = [mutant(place, source_of(place.module)) for place in picked]
    made = [m for m in made if not DATA.fullmatch(m.function) and not m.change.endswith("not TYPE_CHECKING")]
    return [m for m in made if every or not explained(m)]  # those would have to answer everything


@pytest.mark.slow
def test_mutants_are_found_out(request: pytest.FixtureRequest) -> None:
    suspects = chosen(request.config.getoption("--mutants"))
    untouched = Mutant(MODULES[0], "", "", "", source_of(MODULES[0]))
    first, *others = verdicts([untouched, *suspects])
    assert first == "survived", "the exam fails the true source"
    survivors = [m for m, verdict in zip(suspects, others, strict=True) if verdict == "survived"]
    unexplained = [str(m) for m in survivors if not explained(m)]
    assert not unexplained, f"{len(unexplained)} of {len(suspects)} mutants survive:\n" + "\n".join(unexplained)


@pytest.mark.slow
def test_explained_mutants_exist() -> None:
    """A change that can no longer be made needs no excuse."""
    made = {(m.function, m.change) for m in chosen("all")}
    assert {(function, change) for function, changes in EQUIVALENT.items() for change in changes} <= made


def test_a_place_is_a_change() -> None:
    source = "def f(a, b):\n    return a + 2.0 * b\n"
    found = [mutant(p, source).source.splitlines()[1].strip() for p in places("m", source)]
    assert found == ["return a - 2.0 * b", "return a", "return 2.0 * b", "return a + (2.0 + b)", "return a + 3.0 * b"]
    source = "def f(R, x):\n    if x:\n        return R @ x\n    return np.outer(R, x)\n"
    found = [mutant(p, source).source.splitlines()[1:] for p in places("m", source)]
    assert [[line.strip() for line in lines] for lines in found] == [
        ["if not x:", "return R @ x", "return np.outer(R, x)"],
        ["if x:", "return R @ x", "return np.outer(x, R)"],
        ["if x:", "return R.T @ x", "return np.outer(R, x)"],
    ]


def test_answers_are_compared() -> None:
    one = np.array([1.0, 2000.0])
    assert is_right(one + 1e-7, one)
    assert is_right([one, None, "a"], (one, None, "a"))
    for wrong in (one + 1e-5, one[:1], one * np.nan, one[None]):
        assert not is_right(wrong, one)
    assert not is_right([one], (one, one))
    assert not is_right("a", "b")
    assert is_refused(ValueError("no way 'b'"), Refusal("ValueError", "no way"))
    assert not is_refused(ValueError("no way 'b'"), Refusal("TypeError", "no way"))
    assert not is_refused(ValueError("no way 'b'"), Refusal("ValueError", "way out"))
