"""Controllers that cannot be traced, results of other shapes, motions that run away: what is said, and where."""

import inspect
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.simulation import DivergenceWarning, SimulationError

HERE = Path(__file__).name


def line_of(text: str) -> int:
    """The number of the one line of this file that ends with a text."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if line.strip().endswith(text)]
    assert len(found) == 1, text
    return found[0]


@armdyn.function("(n),(n)->(n)")
def branching(model: Any, q: Any, qd: Any) -> Any:
    if q[0] > 0.5:  # branch
        return -q
    return -qd


@armdyn.function("(n),(n)->(n)")
def solving(model: Any, q: Any, qd: Any) -> Any:
    M = armdyn.algorithms.mass_matrix(model, q)
    return np.linalg.solve(M, qd)  # solver


@armdyn.function("(n),(n)->(n)")
def looping(model: Any, q: Any, qd: Any) -> Any:
    e = q @ q
    while e > 1e-3:  # loop
        e = e / 2
    return e * qd


@armdyn.function("(n),(n)->(n)")
def counting(model: Any, q: Any, qd: Any) -> Any:
    return sum((q for _ in range(int(abs(qd[0])))), start=q)  # count


@armdyn.function("(n),(n)->(n)")
def with_the_math_module(model: Any, q: Any, qd: Any) -> Any:
    return np.array([math.gamma(x) for x in q])  # math


def helper(x: Any) -> Any:
    return x if x < 0 else -x  # helper


@armdyn.function("(n),(n)->(n)")
def calling(model: Any, q: Any, qd: Any) -> Any:
    return np.array([helper(x) for x in q])


@armdyn.function("(n),(n)->(n)")
def attributes(model: Any, q: Any, qd: Any) -> Any:
    return np.array([x.real for x in q])  # attribute


CANNOT = [
    (branching, "# branch", r"armdyn\.select"),
    (solving, "# solver", r"factored_mass_matrix\(model, q\)\.solve"),
    (looping, "# loop", r"armdyn\.select"),
    (counting, "# count", r"needs a number"),
    (with_the_math_module, "# math", r"np\.sin\. armdyn\.ClosedLoop and armdyn\.study run such"),
    (calling, "# helper", r"armdyn\.select"),
    (attributes, "# attribute", r"needs a number"),
]


@pytest.mark.parametrize(("controller", "line", "advice"), CANNOT, ids=lambda x: getattr(x, "name", None))
def test_line_and_reason_and_what_to_do(controller: armdyn.Function, line: str, advice: str) -> None:
    loop = armdyn.ClosedLoop(armdyn.load("planar_2r"), controller, require_traced=True)
    with pytest.raises(armdyn.TraceError, match=advice) as raised:
        loop([0.1, 0.2], steps=3)
    message, source = str(raised.value), Path(__file__).read_text(encoding="utf-8").splitlines()[line_of(line) - 1]
    assert re.match(rf".*{re.escape(HERE)}:{line_of(line)}, in \S+, ", message), message
    assert f"`{source.strip()}`" in message
    assert message.endswith("derivatives, exports and require_traced=True need one that is traced: change that line")
    assert message.count(HERE) == 1


def test_also_around_and_in_functions_that_are_no_controllers() -> None:
    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.TraceError, match=rf"{HERE}:{line_of('# branch')}, in branching.*ClosedLoop"):
        armdyn.ClosedLoop(robot, control.delayed(branching, 2), require_traced=True)([0.1, 0.2], steps=3)
    with pytest.raises(armdyn.TraceError, match=rf"{HERE}:{line_of('# branch')}, in branching") as raised:
        robot.compile(branching)([0.1, 0.2], [0.0, 0.0])
    assert "ClosedLoop" not in str(raised.value)


def test_own_mistakes_stay_what_they_are() -> None:
    @armdyn.function("(n)->(n)")
    def broken(model: Any, q: Any) -> Any:
        return q + {}["gain"]

    with pytest.raises(KeyError, match="gain"):
        armdyn.ClosedLoop(armdyn.load("planar_2r"), broken)([0.1, 0.2], steps=3)


class Result(NamedTuple):
    tau: Any
    total: Any


def one_too_few(model: Any, q: Any, total: Any) -> Any:
    return Result(q[:-1], total)


def scalar(model: Any, q: Any, total: Any) -> Any:
    return Result(q @ q, total)


def wrong_state(model: Any, q: Any, total: Any) -> Any:
    return Result(q, np.array([total]))


def only_tau(model: Any, q: Any, total: Any) -> Any:
    return q


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (one_too_few, r"one_too_few returned tau of shape \(5,\); expected \(6,\), one value per joint of 'ur5'"),
        (scalar, r"scalar returned tau of shape \(\); expected \(6,\)"),
        (wrong_state, r"wrong_state returned total of shape \(1,\); expected \(\)$"),
        (only_tau, r"only_tau returned 1 results; expected 2: \('tau', 'total'\)"),
    ],
)
def test_wrong_shapes(law: Callable[..., Any], message: str) -> None:
    controller = armdyn.function("(n),()->(n),()", result=Result)(law)
    with pytest.raises(armdyn.ShapeError, match=message):
        armdyn.ClosedLoop(armdyn.load("ur5"), controller)(np.zeros(6), steps=1)


def test_options_that_must_be_given() -> None:
    @armdyn.function("(n)->(n)")
    def choosy(model: Any, q: Any, *, gain: float) -> Any:
        return gain * q

    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.TraceError, match=r"choosy must be given gain=; armdyn.control.with_options\(choosy, "):
        armdyn.ClosedLoop(robot, choosy)
    loop = armdyn.ClosedLoop(robot, control.with_options(choosy, gain=-2.0), record=["tau"])
    np.testing.assert_array_equal(loop([1.0, 3.0], steps=1).rows.tau, [[-2.0, -6.0]])


def test_undeclared_functions_are_told_how_to_be_declared() -> None:
    robot = armdyn.load("planar_2r")
    declared = r"not a declared function; write @armdyn\.function\('\(n\),\(n\),\(\)->\(n\)'\) above it"
    with pytest.raises(armdyn.TraceError, match=declared):
        armdyn.ClosedLoop(robot, lambda model, q, q_ref, t: q_ref - q)  # type: ignore[arg-type]
    with pytest.raises(armdyn.TraceError, match=r"A function of \(t, q, qd\) is for .*armdyn\.control\.callback"):
        armdyn.ClosedLoop(robot, lambda t, q, qd: -qd)  # type: ignore[arg-type]
    with pytest.raises(armdyn.TraceError, match=r"controller=3 is not a declared function; write @armdyn\.function"):
        armdyn.ClosedLoop(robot, 3)  # type: ignore[arg-type]


@armdyn.function("(n),(n),()->(n)")
def root(model: Any, q: Any, qd: Any, until: Any) -> Any:
    """NaN where the second joint is beyond ``until``."""
    return armdyn.algorithms.gravity_forces(model, q) + np.array([0.0, 1e-3 * np.sqrt(until - q[1])])


def test_first_that_is_not_finite() -> None:
    robot = armdyn.load("planar_2r")
    loop = armdyn.ClosedLoop(robot, root, record=["q", "qd", "tau"])
    q0, qd0 = np.zeros((3, 4, 2)), np.zeros((3, 4, 2))
    qd0[1, 2] = [0.0, 1.0]
    fine = loop(q0, qd0, steps=50, until=1.0, every=5)
    assert fine.first_not_finite() is None
    assert control.require_finite(loop, fine) is fine
    with pytest.warns(DivergenceWarning) as said:
        lost = loop(q0, qd0, steps=50, until=0.0205, every=5)
    found = lost.first_not_finite()
    first = 5 * int(np.argmax(~np.isfinite(lost.rows.tau[:, 1, 2]).all(axis=-1)))
    assert 20 < first < 40
    assert (found.step, found.state, found.entry, found.states) == (first, (1, 2), (0,), 1)
    beyond = loop(q0[1, 2], qd0[1, 2], steps=50, until=1.0).rows.q[:, 1] > 0.0205
    step = int(np.argmax(beyond)) + 1  # the step that begins there gives NaN
    message = (
        r"^1 of 12 arms, the first of them \(1, 2\), of 'planar_2r' ended in NaN or infinity, at "
        rf"t = {step / 1000:g} s, after step {step}: joint 'joint_2' had reached 1 rad/s and was the fastest, "
        r"and tau of joint 'joint_2' is nan\. Look at what computes tau"
    )
    assert re.search(message, str(said[0].message))
    assert found.name in ("q", "qd", "tau")
    message = rf"'planar_2r' ran away: {found.name} of joint 'joint_1' of arm \(1, 2\) is nan at t = {first / 1000:g} s"
    with pytest.raises(SimulationError, match=message):
        control.require_finite(loop, lost)
    with pytest.raises(SimulationError, match=rf"at t = {2 + first / 100:g} s, step {first} "):
        control.require_finite(loop, lost, h=1e-2, t0=2.0)


def test_only_the_final_state_is_not_finite() -> None:
    robot = armdyn.load("planar_2r")
    loop = armdyn.ClosedLoop(robot, root, record=["q"])
    with pytest.warns(DivergenceWarning, match="^the motion of 'planar_2r' ended in NaN or infinity, at t = "):
        lost = loop(np.zeros(2), [0.0, 1.0], steps=50, until=0.0205, every=50)
    assert np.isfinite(lost.rows.q).all()
    assert lost.first_not_finite()[:4] == ("q", 50, (), (0,))
    with pytest.raises(SimulationError, match=r"q of joint 'joint_1' is nan at t = 0\.05 s, step 50\. Use"):
        control.require_finite(loop, lost)


def test_arguments_belong_to_the_controller() -> None:
    """One that changes its arguments in place does not move the arm by that."""

    @armdyn.function("(n),(n)->(n)")
    def careless(model: Any, q: Any, qd: Any) -> Any:
        q *= -1.0
        qd[0] = 7.0
        return q

    @armdyn.function("(n)->()")
    def spent(model: Any, q: Any) -> Any:
        q[0] = 2.0
        return q[0]

    robot, q = armdyn.load("planar_2r"), np.array([0.3, 0.4])
    found = armdyn.ClosedLoop(robot, careless, running_cost=spent)(q, steps=1).final
    expected = armdyn.ClosedLoop(robot)(q, steps=1, tau=-q).final
    np.testing.assert_array_equal(found.q, expected.q)
    np.testing.assert_array_equal(found.qd, expected.qd)
    assert found.cost == 2e-3


@pytest.mark.parametrize("name", ["work", "heat", "cost"])
def test_names_of_the_loop(name: str) -> None:
    def law(model: Any, q: Any, own: Any) -> Any:
        return q

    law.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("model", "q", name)]
    )
    with pytest.raises(armdyn.TraceError, match=f"law has an argument '{name}', as the loop itself has; rename it"):
        armdyn.ClosedLoop(armdyn.load("planar_2r"), armdyn.function("(n),()->(n)")(law))


@pytest.mark.parametrize("name", ["q", "h", "work"])
def test_results_with_names_of_the_loop(name: str) -> None:
    """One called h would be the length of the next step."""

    def law(model: Any, q: Any) -> Any:
        return q, q[0]

    names = NamedTuple("Named", [("tau", Any), (name, Any)])  # type: ignore[misc]
    controller = armdyn.function("(n)->(n),()", result=names)(law)
    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.TraceError, match=f"law has a result '{name}', as the loop itself has; rename it"):
        armdyn.ClosedLoop(robot, controller, energy=True)


class Memory:
    z: Any = 0.0


MEMORY, CALLS = Memory(), [0]


@armdyn.function("(n),(n),()->(n)")
def integrating(model: Any, q: Any, qd: Any, h: Any) -> Any:
    MEMORY.z = MEMORY.z - h * q
    return MEMORY.z - qd


@armdyn.function("(n),(n)->(n)")
def counting_calls(model: Any, q: Any, qd: Any) -> Any:
    CALLS[0] += 1
    return -q * CALLS[0]


@armdyn.function("(n),(n)->(n)")
def drawing(model: Any, q: Any, qd: Any) -> Any:
    return -q * np.random.default_rng().uniform()


@pytest.mark.parametrize("controller", [integrating, counting_calls, drawing], ids=lambda one: one.name)
def test_memories_that_tracing_would_freeze(controller: armdyn.Function) -> None:
    with pytest.raises(armdyn.TraceError, match=f"{controller.name} gives something else when it is called again with"):
        armdyn.ClosedLoop(armdyn.load("planar_2r"), controller)([0.1, 0.2], steps=5)
    if controller is not integrating:
        with pytest.raises(armdyn.TraceError, match="which a compiled function would freeze"):
            armdyn.load("planar_2r").compile(controller)([0.1, 0.2], [0.0, 0.0])
