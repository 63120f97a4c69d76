"""Derivatives of closed loops by arguments that others follow: those of the call, not of the compiled step alone."""

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import ClosedLoop
from armdyn.actuators import Actuator, Gear, LuGre, Motor, Spring
from armdyn.simulation import RungeKutta4

SOFT = Actuator(Motor(2e-3), Gear(10.0), spring=Spring(90.0, damping=1.0))
STIFF = Actuator(Motor(2e-3), Gear(10.0))
MIXED = armdyn.load("planar_2r").with_actuators({"joint_1": SOFT, "joint_2": STIFF})
ALL = armdyn.load("planar_2r").with_actuators({"joint_1": SOFT, "joint_2": SOFT})
STEPS = 40
Q, QD = np.array([0.1, 0.3]), np.array([0.7, -0.4])
ALONG = {"q": np.array([0.8, -0.6]), "qd": np.array([0.3, 0.5])}
ROTOR = {"q": "theta", "qd": "thetad"}


@armdyn.function("(n),(n),(n),(n)->()")
def cost(model: Any, q: Any, qd: Any, theta: Any, thetad: Any) -> Any:
    """A cost of all of the final state, scalar."""
    weights = np.arange(1.0, 1.0 + len(q))
    return weights @ (q * qd) + weights[::-1] @ (theta * theta) + q @ thetad


def loop_of(robot: armdyn.Robot, method: Any = None) -> ClosedLoop:
    return ClosedLoop(robot, method=method or RungeKutta4(1e-3), record=["q", "qd", "theta", "thetad"])


def values(rolled: Any) -> np.ndarray:
    """All that is recorded, and the end, in one row."""
    return np.concatenate([np.ravel(x) for x in (*rolled.rows, *rolled.final)])


@pytest.mark.short_run("q-one spring", "qd-springs")
@pytest.mark.parametrize("robot", [MIXED, ALL], ids=["one spring", "springs"])
@pytest.mark.parametrize("name", ["q", "qd"])
def test_rotors_that_are_left_out_move_with_their_links(robot: armdyn.Robot, name: str) -> None:
    """The chain rule: the rate without theta is that by q and by theta together where theta = q is given."""
    loop, rotor, v = loop_of(robot), ROTOR[name], ALONG[name]
    given: dict[str, Any] = {"q0": Q, "qd0": QD, "steps": STEPS, "tau": np.array([1.0, -2.0])}
    along = values(loop.jvp(name)(**given, **{f"tangent_{name}": v}))
    start = {rotor: {"q": Q, "qd": QD}[name]}
    both = loop.jvp(name, rotor)(**given, **start, **{f"tangent_{name}": v, f"tangent_{rotor}": v})
    np.testing.assert_allclose(along, values(both), rtol=1e-12, atol=1e-13)
    apart = [values(loop.jvp(one)(**given, **start, **{f"tangent_{one}": v})) for one in (name, rotor)]
    np.testing.assert_allclose(along, sum(apart), rtol=1e-12, atol=1e-13)
    assert abs(apart[1]).max() > 0.1
    of_given = dict(given)  # by Richardson's differences of the calls, theta left out
    call = {"q": "q0", "qd": "qd0"}[name]

    def difference(e: float) -> np.ndarray:
        ends = [values(loop(**(of_given | {call: of_given[call] + s * e * v}))) for s in (1.0, -1.0)]
        return (ends[0] - ends[1]) / (2 * e)

    np.testing.assert_allclose(along, (4 * difference(1e-3) - difference(2e-3)) / 3, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("robot", [MIXED, ALL], ids=["one spring", "springs"])
def test_gradients_are_dual_to_the_rates(robot: armdyn.Robot) -> None:
    """By q and qd with rotors left out, given, and differentiated by; of no step, too."""
    loop, tau = loop_of(robot), np.array([1.0, -2.0])
    w = {"theta": np.array([-0.2, 0.9]), "thetad": np.array([0.4, 0.1])}
    every = ALONG | w
    for wrt in (("q",), ("qd", "q"), ("q", "theta"), ("thetad", "qd")):
        for start in ({}, {"theta": Q + 0.01, "thetad": QD - 0.1}):
            for steps in (0, STEPS):
                given: dict[str, Any] = {"q0": Q, "qd0": QD, "steps": steps, "tau": tau} | start
                found = loop.gradient(cost, wrt, **given)
                assert found._fields == ("cost", *(f"d_{name}" for name in wrt))
                final = loop(**given).final
                rates = loop.jvp(*wrt)(**given, **{f"tangent_{name}": every[name] for name in wrt}).final
                compiled = robot.compile(cost)
                state = [getattr(final, one) for one in ("q", "qd", "theta", "thetad")]
                by = compiled.derivative()(*state)
                along = sum(d @ r for d, r in zip(by, (rates.q, rates.qd, rates.theta, rates.thetad), strict=True))
                sums = sum(getattr(found, f"d_{name}") @ every[name] for name in wrt)
                np.testing.assert_allclose(sums, along, rtol=1e-12, atol=1e-13)
                np.testing.assert_allclose(found.cost, compiled(*state), rtol=1e-14)


def test_friction_with_a_state_on_rotors() -> None:
    """Bristles follow the rotors, which follow the links."""
    drive = Actuator(Motor(2e-3), Gear(10.0), spring=Spring(90.0), friction=LuGre(500.0, 3.0, 0.1, 0.8, 0.5, 0.3))
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": drive})
    loop = loop_of(robot)
    given: dict[str, Any] = {"steps": STEPS, "tau": np.array([1.0, -2.0])}
    v = ALONG["qd"]
    along = values(loop.jvp("qd")(Q, QD, **given, tangent_qd=v))
    both = values(loop.jvp("qd", "thetad")(Q, QD, thetad=QD, **given, tangent_qd=v, tangent_thetad=v))
    np.testing.assert_allclose(along, both, rtol=1e-12, atol=1e-13)


@armdyn.function("(n),(n),()->(n)")
def rising(model: Any, q: Any, qd: Any, t: Any) -> Any:
    """A torque of the time, N m, shape (n,)."""
    return armdyn.algorithms.gravity_forces(model, q) + np.array([t * t, 3 * t]) - 0.2 * qd


@armdyn.function("(n),(n)->()")
def end(model: Any, q: Any, qd: Any) -> Any:
    """A cost of the end, scalar."""
    return q @ q + q @ qd


def test_times_move_with_the_step_and_the_first_time() -> None:
    """t_k = t0 + k h: by h and t0 of a controller that takes the time."""
    loop = ClosedLoop(armdyn.load("planar_2r"), rising)
    run = armdyn.load("planar_2r").compile(end)

    def at(h: float, t0: float) -> Any:
        final = loop(Q, QD, steps=200, h=h, t0=t0).final
        return np.array([*final.q, *final.qd, run(final.q, final.qd)])

    found = loop.gradient(end, ["h", "t0", "q"], Q, QD, steps=200, h=2e-3, t0=0.3)
    for name, e in (("h", np.array([1e-5, 0.0])), ("t0", np.array([0.0, 3e-3]))):
        fine, coarse = ((at(*(2e-3, 0.3) + d * e) - at(*(2e-3, 0.3) - d * e)) / (2 * d * e.sum()) for d in (1.0, 2.0))
        true = (4 * fine - coarse) / 3
        rates = loop.jvp(name)(Q, QD, steps=200, h=2e-3, t0=0.3, **{f"tangent_{name}": 1.0}).final
        np.testing.assert_allclose([*rates.q, *rates.qd], true[:4], rtol=1e-7)
        np.testing.assert_allclose(getattr(found, f"d_{name}"), true[4], rtol=1e-7)
    along = loop.jvp("h", "t0", "q")(
        Q, QD, steps=200, h=2e-3, t0=0.3, tangent_h=0.2, tangent_t0=-3.0, tangent_q=ALONG["q"]
    )  # fmt: skip
    final = loop(Q, QD, steps=200, h=2e-3, t0=0.3).final
    rate = 2 * final.q @ along.final.q + final.qd @ along.final.q + final.q @ along.final.qd
    np.testing.assert_allclose(0.2 * found.d_h - 3.0 * found.d_t0 + found.d_q @ ALONG["q"], rate, rtol=1e-12)


def test_numbers_of_four_bytes_stay_so() -> None:
    loop = loop_of(MIXED)
    q, tau = Q.astype(np.float32), np.zeros(2, np.float32)
    assert loop.jvp("q")(q, steps=3, tau=tau, tangent_q=q).final.theta.dtype == np.float32
    assert loop.gradient(cost, "q", q, steps=3, tau=tau).d_q.dtype == np.float32
    timed = ClosedLoop(armdyn.load("planar_2r"), rising)
    assert timed.jvp("h")(q, steps=3, tangent_h=1.0).final.q.dtype == np.float32
    assert timed.gradient(end, "h", q, steps=3).d_h.dtype == np.float32
