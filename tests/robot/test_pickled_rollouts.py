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
