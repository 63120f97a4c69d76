"""Studies whose controllers run in Python: the same numbers as compiled, and the same rules."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.base.errors import TraceError
from armdyn.simulation import DivergenceWarning, OverTime, SemiImplicitEuler, UntracedControllerWarning
from armdyn.studies import Uniform, sampled
from armdyn.studies.code_digest import digest_of_code
from armdyn.studies.errors import OtherStudy

ARM = armdyn.load("planar_2r")
SAMPLES = sampled(11, {"link_2.mass": Uniform(0.5, 2)}, q0=Uniform([-1, -1], [1, 1]), kp=Uniform(5, 50), seed=2)
IGNORED = pytest.mark.filterwarnings("ignore::armdyn.simulation.UntracedControllerWarning")


class Law(NamedTuple):
    tau: Any
    integral: Any
    error: Any


SIGNATURE = "(n),(n),(n),(),(n),()->(n),(n),(n)"


def _law(q: Any, qd: Any, integral: Any, h: Any, target: Any, kp: Any) -> Law:
    error = target - q
    integral = integral + h * error
    return Law(kp * error - 3.0 * qd + 2.0 * integral, integral, error)


@armdyn.function(SIGNATURE, result=Law)
def compiled(model: Any, q: Any, qd: Any, integral: Any, h: Any, target: Any, kp: Any) -> Law:
    g = armdyn.algorithms.gravity_forces(model, q)
    law = _law(q, qd, integral, h, target, kp)
    return law._replace(tau=law.tau + g)


@armdyn.function(SIGNATURE, result=Law)
def in_python(model: Any, q: Any, qd: Any, integral: Any, h: Any, target: Any, kp: Any) -> Law:
    g = armdyn.algorithms.gravity_forces(model, q)
    if kp > 0:  # cannot be traced
        law = _law(q, qd, integral, h, target, kp)
    return law._replace(tau=law.tau + g)


def study(controller: Any, **changes: Any) -> Any:
    settings: dict[str, Any] = {
        "inputs": {"target": [0.3, -0.4], "f_tip": [0.1, 0.2, 0.3, 0.5, -0.4, 0.2]},
        "steps": 12,
        "record": ["error"],
        "every": 5,
        "summaries": {"largest": lambda runs: np.abs(runs.rows.error).max(axis=(0, 2))},
        "method": SemiImplicitEuler(2e-3),
    }
    return armdyn.study(ARM, SAMPLES, controller, **{**settings, **changes})


def test_the_same_numbers_as_compiled() -> None:
    """Whatever the chunks; and one warning, with the line that is to blame."""
    with pytest.warns(UntracedControllerWarning) as said:
        found = study(in_python, chunk=4)
    assert len(said) == 1
    assert "if kp > 0" in str(said[0].message)
    assert "study(..., require_traced=True) makes this an error" in str(said[0].message)
    assert said[0].filename == __file__
    wanted = study(compiled)
    assert found.names == wanted.names
    for name in wanted.names:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-12, atol=1e-12, err_msg=name)
    assert np.abs(wanted["final.q"] - wanted["q0"]).max() > 1e-2


def test_it_may_be_an_error() -> None:
    with pytest.raises(TraceError, match="if kp > 0"):
        study(in_python, require_traced=True)
    study(compiled, require_traced=True)


@IGNORED
def test_in_a_folder_it_goes_on_and_another_controller_is_refused(tmp_path: Path) -> None:
    first = study(in_python, folder=tmp_path, chunk=4, steps=3)
    first.parts.path(1).unlink()
    again = study(in_python, folder=tmp_path, chunk=4, steps=3)
    np.testing.assert_array_equal(first["final.q"], again["final.q"])

    def held(gain: float) -> armdyn.Function:
        @armdyn.function(SIGNATURE, result=Law)
        def law(model: Any, q: Any, qd: Any, integral: Any, h: Any, target: Any, kp: Any) -> Law:
            return Law(-gain * qd if kp > 0 else q, integral, q)

        return law

    study(held(1.0), folder=tmp_path / "held", steps=2)
    study(held(1.0), folder=tmp_path / "held", steps=2)
    with pytest.raises(OtherStudy):
        study(held(2.0), folder=tmp_path / "held", steps=2)
    with pytest.raises(OtherStudy):
        study(control.sampled(held(1.0), every=2), folder=tmp_path / "held", steps=2)


@pytest.mark.slow
@IGNORED
def test_chunks_are_short_where_a_run_takes_long(tmp_path: Path) -> None:
    """Python makes one run after the other: 64 chunks, of which an interrupted study loses one."""
    many = sampled(640, {"link_2.mass": Uniform(0.5, 2)}, kp=Uniform(5, 50), seed=2)
    given: dict[str, Any] = {"inputs": {"target": [0.3, -0.4]}, "steps": 1}
    assert armdyn.study(ARM, many, in_python, folder=tmp_path, **given).chunk == 10
    assert armdyn.study(ARM, many, compiled, **given).chunk > 100


def test_runs_that_are_lost_are_named() -> None:
    @armdyn.function("(n),(n),()->(n)")
    def pushes(model: Any, q: Any, qd: Any, kp: Any) -> Any:
        return 1e6 * kp * qd if q[0] > 0 else -qd

    with pytest.warns() as said:
        found = study(pushes, inputs={}, record=(), summaries={}, steps=300)
    assert {one.category for one in said} == {UntracedControllerWarning, DivergenceWarning}
    assert len(said) == 2
    lost = np.isnan(found["final.q"]).any(axis=1) | np.isinf(found["final.q"]).any(axis=1)
    assert 0 < lost.sum() < len(lost)
    message = next(str(one.message) for one in said if one.category is DivergenceWarning)
    assert f"{lost.sum()} of 11 runs" in message
    assert f"the first is run {np.argmax(lost)}: at t = " in message


@IGNORED
def test_an_error_of_a_controller_says_which_runs() -> None:
    @armdyn.function("(n),(n),()->(n)")
    def fails(model: Any, q: Any, qd: Any, kp: Any) -> Any:
        if kp > 45:
            raise ZeroDivisionError("own")
        return -qd

    with pytest.raises(ZeroDivisionError, match="own") as raised:
        study(fails, inputs={}, record=(), summaries={}, chunk=4, workers=1)
    run = int(np.argmax(np.asarray(study(compiled, steps=1)["kp"]) > 45))
    said, which, *_ = raised.value.__notes__
    assert f"of arm ({run % 4},)" in said
    assert f"while runs {run // 4 * 4} to" in which
    assert f"arm (0,) is run {run // 4 * 4}" in which


def _made(gain: Any, of: Callable[..., Any] = abs) -> Any:
    def law(x: float) -> Any:
        return of(gain * x + np.pi)

    return law


def _calls(x: float) -> float:
    return LATER * x


def _calls_it(x: float) -> float:
    return _calls(x) + 1.0


LATER = 2.0


def test_a_digest_of_code(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [2, 2.0, "2", (2,), [2.0], {"a": 2.0}, {2}, np.array(2.0), np.full(2, 2.0), np.float64(2), ARM, _calls]
    digests = [digest_of_code(_made(value)) for value in values]
    assert len({*digests}) == len(values)
    assert digests == [digest_of_code(_made(value)) for value in values]
    assert digest_of_code(_made(2.0, len)) != digest_of_code(_made(2.0))
    before = digest_of_code(_calls_it)
    monkeypatch.setattr(f"{__name__}.LATER", 3.0)
    assert digest_of_code(_calls_it) != before
    assert digest_of_code(ARM.with_gravity([0, 0, -1.0])) != digest_of_code(ARM)


class _Slotted:
    __slots__ = ("gain",)

    def __init__(self, gain: float) -> None:
        self.gain = gain


class _Base:
    factor = 2.0

    def scaled(self, x: float) -> float:
        return self.factor * x


class _Law(_Base):
    @staticmethod
    def offset() -> float:
        return 1.0

    def __call__(self, x: float) -> float:
        return self.scaled(x) + self.offset()


def test_objects_of_every_kind_count_in_a_digest() -> None:
    pairs: list[tuple[Any, Any]] = [
        (_Slotted(1.0), _Slotted(2.0)),
        (range(3), range(4)),
        (np.array([1, None], dtype=object), np.array([2, None], dtype=object)),
        (np.random.default_rng(1), np.random.default_rng(2)),
        (OverTime([0, 1], [[1.0, 0.0], [2.0, 0.0]]), OverTime([0, 1], [[1.0, 0.0], [3.0, 0.0]])),
        (ARM.compile(control.pd_gravity), ARM.with_gravity([0, 0, -1.0]).compile(control.pd_gravity)),
        (lambda x: 2 * x, lambda x: 3 * x),
        (functools.cache(_made(1.0)), functools.cache(_made(2.0))),
    ]
    for one, other in pairs:
        assert digest_of_code(_made(one)) == digest_of_code(_made(one)) != digest_of_code(_made(other)), one


@pytest.mark.parametrize(
    ("kind", "name", "value"), [(_Base, "factor", 3.0), (_Base, "scaled", abs), (_Law, "offset", 7)]
)
def test_methods_of_own_classes_count_too(monkeypatch: pytest.MonkeyPatch, kind: Any, name: str, value: Any) -> None:
    before = [digest_of_code(law) for law in (_made(1.0, _Law()), _made(1.0, _Law))]
    monkeypatch.setattr(kind, name, value)
    after = [digest_of_code(law) for law in (_made(1.0, _Law()), _made(1.0, _Law))]
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_what_is_gone_lends_its_place_to_nothing() -> None:
    """Each value counts, also where it lies in memory where another one lay that was looked at before."""
    gains = [float(k) for k in range(30)]
    several = [[_made(-1.0 if k == other else gain) for k, gain in enumerate(gains)] for other in range(30)]
    assert len({digest_of_code(laws) for laws in several}) == 30
    assert len({digest_of_code([_made(gain) for gain in gains]) for _ in range(20)}) == 1


def test_code_without_a_source() -> None:
    """Of an exec: the functions inside it are known by what they do, not by where they lie."""
    made = []
    for factor in (2, 2, 3):
        space: dict[str, Any] = {}
        exec(f"def law(q):\n    inner = lambda x: {factor} * x\n    return inner(q)", space)  # noqa: S102 - our own
        made.append(digest_of_code(space["law"]))
    assert made[0] == made[1] != made[2]


def test_a_compiled_study_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study(compiled)
