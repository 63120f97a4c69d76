"""Rollouts that break off: what was computed is kept, and the error says how far it came."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.functions import RolloutInterrupted
from armdyn.simulation import UntracedControllerWarning

ARM = armdyn.load("planar_2r")
Q0 = np.array([[0.3, -0.2], [0.5, 0.1], [-0.4, 0.7]])
STEPS = 500


@armdyn.function("(n),(n)->(n)")
def damper(model: Any, q: Any, qd: Any) -> Any:
    return -0.5 * qd


@armdyn.function("(n),(n)->(n)")
def branching(model: Any, q: Any, qd: Any) -> Any:
    return -0.5 * qd if q[0] > -100.0 else qd


class Ended(Exception):
    """Of a report."""


def ends(error: type[BaseException], after: float) -> Any:
    def report(fraction: float) -> None:
        if fraction >= after:
            raise error

    return report


@pytest.mark.parametrize("every", [1, 7, 200])
@pytest.mark.parametrize("controller", [damper, branching], ids=["compiled", "in Python"])
def test_what_was_computed_is_what_an_undisturbed_run_computes(
    monkeypatch: pytest.MonkeyPatch, controller: Any, every: int
) -> None:
    monkeypatch.setattr("armdyn.simulation.loop.python_loop.SECONDS_BETWEEN_REPORTS", 0.0)
    loop = armdyn.ClosedLoop(ARM, controller, record=["q", "tau"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UntracedControllerWarning)
        with pytest.raises(RolloutInterrupted) as caught:
            loop(Q0, steps=STEPS, every=every, report=ends(KeyboardInterrupt, 0.1))
        rolled = caught.value.rolled
        assert 0 < rolled.steps < STEPS
        same = loop(Q0, steps=rolled.steps, every=every)
    assert rolled.rows.q.shape == (-(-rolled.steps // every), *Q0.shape)
    for found, wanted in ((rolled.rows, same.rows), (rolled.final, same.final)):
        for name in found._fields:
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    said = f"interrupted after {rolled.steps} of {STEPS} steps of each of 3 arms. What was computed until then is in"
    assert said in str(caught.value)
    assert "'planar_2r'" in str(caught.value)


def test_a_single_arm_its_own_memory_and_pickling() -> None:
    loop, out = armdyn.ClosedLoop(ARM, damper, record=["q"]), {"q": np.full((STEPS, 2), np.nan)}
    with pytest.raises(RolloutInterrupted, match=f"of {STEPS} steps. What") as caught:
        loop(Q0[0], steps=STEPS, out=out, report=ends(KeyboardInterrupt, 0.0))
    rolled = caught.value.rolled
    np.testing.assert_array_equal(rolled.rows.q, out["q"][: rolled.steps])
    assert np.isfinite(rolled.rows.q).all()
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    np.testing.assert_array_equal(again.rolled.final.q, rolled.final.q)
    assert str(again) == str(caught.value)


def test_before_the_first_steps_are_done_it_is_where_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    """One velocity for all arms; what is given back is no memory of the caller's."""
    loop = armdyn.ClosedLoop(ARM, damper)

    def interrupted(*arguments: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("armdyn.functions.rollout_runs.RolloutKernel._piece", interrupted)
    with pytest.raises(RolloutInterrupted, match="after 0 of") as caught:
        loop(Q0, np.ones(2), steps=STEPS)
    rolled = caught.value.rolled
    assert rolled.steps == 0
    assert rolled.rows.q.shape == (0, 3, 2)
    np.testing.assert_array_equal(rolled.final.q, Q0)
    np.testing.assert_array_equal(rolled.final.qd, np.ones((3, 2)))
    assert not np.shares_memory(rolled.final.q, Q0)


def test_other_errors_keep_it_too() -> None:
    loop = armdyn.ClosedLoop(ARM, damper)
    with pytest.raises(Ended) as caught:
        loop(Q0, steps=STEPS, report=ends(Ended, 0.0))
    error: Any = caught.value
    assert error.__notes__ == ["What was computed until then is in error.rolled."]
    np.testing.assert_array_equal(error.rolled.final.q, loop(Q0, steps=error.rolled.steps).final.q)


def test_rates_along_tangents() -> None:
    rates = armdyn.ClosedLoop(ARM, damper).jvp("q")
    given: dict[str, Any] = {"tangent_q": np.ones(2)}
    with pytest.raises(RolloutInterrupted) as caught:
        rates(Q0, steps=STEPS, report=ends(KeyboardInterrupt, 0.0), **given)
    rolled = caught.value.rolled
    np.testing.assert_array_equal(rolled.final.q, rates(Q0, steps=rolled.steps, **given).final.q)


def test_a_study_says_which_runs() -> None:
    """Of a chunk that is not done nothing is a result."""

    def interrupted(*arguments: object) -> Any:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("armdyn.functions.rollout_runs.RolloutKernel._piece", interrupted)
        with pytest.raises(KeyboardInterrupt, match="in runs 0 to 2") as caught:
            armdyn.study(ARM, armdyn.studies.grid(q0=Q0), damper, steps=STEPS)
    assert not isinstance(caught.value, RolloutInterrupted)


def test_an_arm_that_is_lost_keeps_its_rows_until_then() -> None:
    """They are those of the arm alone; behind them is no number that could be taken for one."""

    @armdyn.function("(n),(n),()->(n)")
    def spring(model: Any, q: Any, qd: Any, stiffness: Any) -> Any:
        return -stiffness * q

    loop = armdyn.ClosedLoop(ARM, spring, method=armdyn.simulation.Euler(1e-2), record=["q", "qd"])
    stiffness = np.array([1.0, 1e7, 2.0])
    with pytest.warns(armdyn.simulation.DivergenceWarning, match=r"1 of 3 arms, the first of them \(1,\)"):
        rolled = loop(Q0, steps=100, stiffness=stiffness)
    found = rolled.first_not_finite()
    assert found is not None
    lost = found.step
    assert 3 < lost < 50
    alone = loop(Q0[1], steps=lost - 1, stiffness=1e7)
    for name in ("q", "qd"):
        rows = getattr(rolled.rows, name)
        np.testing.assert_array_equal(rows[: lost - 1, 1], getattr(alone.rows, name))
        assert np.isfinite(rows[:lost]).all()
        assert np.isnan(rows[lost + 2 :, 1]).all()
        assert np.isfinite(rows[:, [0, 2]]).all()


SIGNAL = """
import json, os, signal, threading
import numpy as np
import armdyn

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it
loop = armdyn.ClosedLoop(armdyn.load("planar_2r"), record=["q"])
timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))

def report(fraction):
    if not timer.ident:
        timer.start()

try:
    loop(np.ones((40, 2)), steps=1 << 30, every=1 << 12, tau=np.zeros(2), report=report)
except armdyn.functions.RolloutInterrupted as interrupt:
    done = interrupt.rolled.steps
    same = loop(np.ones(2), steps=done, every=1 << 12, tau=np.zeros(2))
    alike = [np.array_equal(interrupt.rolled.rows.q[:, k], same.rows.q) for k in range(40)]
    print(json.dumps([done, str(interrupt), all(alike)]))
"""


def test_a_real_signal() -> None:
    ended = subprocess.run([sys.executable, "-c", SIGNAL], check=False, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    done, message, alike = json.loads(ended.stdout)
    assert done > 64  # the first piece
    assert f"after {done:,} of {1 << 30:,} steps of each of 40 arms" in message
    assert alike


@armdyn.function("(n)->()")
def distance(model: Any, q: Any) -> Any:
    return q @ q


def test_a_gradient_says_that_nothing_of_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = armdyn.ClosedLoop(ARM, damper)

    def interrupted(*arguments: object, **named: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("armdyn.functions.rollouts.backward", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"the gradient of distance after 500 steps .* nothing of it is kept"):
        loop.gradient(distance, ["q"], Q0, steps=STEPS)
