"""Rollouts and closed loops in another process: opened there, they give the same numbers."""

from __future__ import annotations

import inspect
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.functions.pickling import FunctionPicklingError
from armdyn.simulation import SemiImplicitEuler

LAWS = """
from typing import Any, NamedTuple

import armdyn


class Filtered(NamedTuple):
    tau: Any
    past: Any


@armdyn.function("(n),(n),(n),(n),(),()->(n),(n)", result=Filtered)
def filtered(model, q, qd, past, target, t, gain):
    return Filtered(gain * (target - q + t) - qd, 0.9 * past + 0.1 * q)


@armdyn.function("(n)->()")
def missed(model, q):
    return q @ q


class Next(NamedTuple):
    q: Any


@armdyn.function("(n),(),(3)->(n)", result=Next)
def drifting(model, q, speed, push):
    return Next(q + speed * armdyn.algorithms.gravity_forces(model, q) + push[0])
"""

CHILD = """
    import pickle, sys
    work = pickle.load(sys.stdin.buffer)
    pickle.dump([call(*arrays, **named) for call, arrays, named in work], sys.stdout.buffer)
"""


@pytest.fixture
def laws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module that other processes can import too."""
    (tmp_path / "laws_of_arms.py").write_text(LAWS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    monkeypatch.delitem(sys.modules, "laws_of_arms", raising=False)
    import laws_of_arms

    return laws_of_arms


def test_another_process_gets_the_same_numbers(laws: Any) -> None:
    robot = armdyn.load("planar_2r")
    loop = armdyn.ClosedLoop(
        robot,
        armdyn.control.saturated(laws.filtered, limits=20.0),
        method=SemiImplicitEuler(step=2e-3),
        over_time=["target"],
        record=["q", "past"],
        parameters=["gravity"],
        running_cost=laws.missed,
        energy=True,
    )
    n, steps, q = robot.dof, 10, np.full((2, robot.dof), 0.3)
    target, push = np.linspace(0.0, 1.0, steps * n).reshape(steps, n), np.linspace(0.0, 1e-3, 3 * steps)
    given = {"target": target, "gain": 3.0, "gravity": np.ones(3), "steps": steps}
    state = {"qd": q, "work": 0.0, "cost": 0.0, "past": q, "h": 1e-3, "t": np.arange(steps)}
    rollout = armdyn.functions.CompiledRollout(
        robot, laws.drifting, over_time=["push"], record=["q"], parameters=["gravity"]
    )
    arrays = (q, 1e-4, push.reshape(steps, 3), np.ones(3))
    work: list[Any] = [
        (loop, (q,), {"t0": 1.0, **given}),
        (loop.jvp("gain"), (q,), {"tangent_gain": 1.0, **given}),
        (loop.rollout, (q,), {**state, **given}),
        (rollout, arrays, {"steps": steps}),
        (rollout.jvp("speed"), arrays, {"tangent_speed": 1.0, "steps": steps}),
    ]
    done = subprocess.run(
        [sys.executable, "-c", inspect.cleandoc(CHILD)], input=pickle.dumps(work), capture_output=True, check=True
    )
    for (call, arrays, named), found in zip(work, pickle.loads(done.stdout), strict=True):  # noqa: S301 - our own
        expected = call(*arrays, **named)
        for one, other in zip((*found.final, *found.rows), (*expected.final, *expected.rows), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_function_inside_another_is_refused_by_name() -> None:
    @armdyn.function("(n)->(n)")
    def inner(model: Any, q: Any) -> Any:
        return -q

    @armdyn.function("(n)->()")
    def price(model: Any, q: Any) -> Any:
        return q @ q

    robot = armdyn.load("scara")
    advice = re.escape("Define it, and what it is made of, at the top of a module")
    for loop in (armdyn.ClosedLoop(robot, inner), armdyn.ClosedLoop(robot, armdyn.control.saturated(inner))):
        for one in (loop, loop.rollout, loop.jvp("q")):
            with pytest.raises(FunctionPicklingError, match=f"inner cannot be pickled: .*{advice}"):
                pickle.dumps(one)
    with pytest.raises(FunctionPicklingError, match="price cannot be pickled"):
        pickle.dumps(armdyn.ClosedLoop(robot, running_cost=price))


OF_A_PROMPT = """
import copy, pickle, sys
from typing import Any, NamedTuple
import numpy as np
import armdyn

GAIN = 3.0

class Law(NamedTuple):
    tau: Any
    error: Any

def error_of(q, target):
    return target - q

@armdyn.function("(n),(n)->(n),(n)", result=Law)
def law(model, q, target):
    return Law(GAIN * error_of(q, target), error_of(q, target))

@armdyn.function("(n),(n),(n)->(n)")
def held(model, q, qd, target):
    return armdyn.algorithms.gravity_forces(model, q) + GAIN * error_of(q, target) - qd

def at_most(limit):
    @armdyn.function("(n)->(n)")
    def inner(model, q):
        return armdyn.clip(q, -limit, limit)
    return inner

ARM = armdyn.load("planar_2r")
LOOP = armdyn.ClosedLoop(ARM, held)
WORK = [
    (ARM.compile(law), ([1.0, 2.0], [0.5, -0.5]), {}),
    (ARM.compile(law).derivative("q"), ([1.0, 2.0], [0.5, -0.5]), {}),
    (ARM.compile(at_most(1.5)), ([1.0, 2.0],), {}),
    (LOOP, ([0.1, 0.2],), {"steps": 3, "target": [0.0, 1.0]}),
    (LOOP.rollout, ([0.1, 0.2],), {"qd": [0.0, 0.0], "steps": 3, "target": [0.0, 1.0], "h": 1e-3}),
]
"""

NUMBERS = """
def numbers(work):
    found = [call(*arrays, **named) for call, arrays, named in work]
    parts = [getattr(one, "final", one if isinstance(one, tuple) else (one,)) for one in found]
    return [np.asarray(part).tolist() for several in parts for part in several]
"""


def test_functions_of_a_prompt_travel_with_their_code(tmp_path: Path) -> None:
    """From `python -c`, whose functions no process can import, to another one; opened again, it is the same one."""
    sender = f"""{OF_A_PROMPT}{NUMBERS}
again = pickle.loads(pickle.dumps(law)), copy.deepcopy(law)
assert again == (law, law) and pickle.loads(pickle.dumps(WORK))[0][0].function is law
sys.stdout.buffer.write(pickle.dumps((WORK, numbers(WORK))))
"""
    receiver = f"""
import pickle, sys
import numpy as np
{NUMBERS}
content = sys.stdin.buffer.read()
work, expected = pickle.loads(content)
assert numbers(work) == expected
assert pickle.loads(pickle.dumps(work[0][0]([0.0, 0.0], [1.0, 1.0]))).error.tolist() == [1.0, 1.0]
assert pickle.loads(content)[0][0][0].function is work[0][0].function
"""
    sent = subprocess.run([sys.executable, "-c", sender], capture_output=True, check=True).stdout
    subprocess.run([sys.executable, "-c", receiver], input=sent, check=True)
    script = tmp_path / "script.py"
    script.write_text(sender, encoding="utf-8")
    sent = subprocess.run([sys.executable, script], capture_output=True, check=True).stdout
    subprocess.run([sys.executable, "-c", receiver], input=sent, check=True)


POOLS = {
    "dask": """
import distributed
with distributed.Client(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as client:
    found = client.submit(call, *arrays).result(timeout=120)
""",
    "executor": """
import concurrent.futures, multiprocessing
with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
    found = pool.submit(call, *arrays).result(timeout=120)
""",
    "multiprocessing": """
import multiprocessing
with multiprocessing.get_context("spawn").Pool(1) as pool:
    found = pool.apply_async(call, arrays).get(timeout=120)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("is_script", [False, True], ids=["prompt", "script"])
@pytest.mark.parametrize("pool", POOLS)
def test_functions_of_a_prompt_in_pools(pool: str, is_script: bool, tmp_path: Path) -> None:
    """The worker computes, and its named results are the caller's class; a name that is not found there would hang."""
    guarded = POOLS[pool].strip().replace("\n", "\n    ")
    code = f"""{OF_A_PROMPT}
if __name__ == "__main__":
    call, arrays, _ = WORK[0]
    {guarded}
    assert type(found) is Law, found
    np.testing.assert_array_equal(found.tau, call(*arrays).tau)
"""
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, script] if is_script else [sys.executable, "-c", code]
    subprocess.run(command, check=True, timeout=240, env=os.environ | {"PYTHONWARNINGS": "ignore"})
