"""A program repeated: compiled, interpreted and written out as a loop over calls give the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from armdyn.base.errors import TraceError, UnknownName
from armdyn.program import Port, Program, Rollout, guarded, interpret, trace
from armdyn.program.rollout_products import adjoint_rollout, tangent_rollout
from armdyn.targets.gufunc import GufuncInterface
from armdyn.targets.interpreted import InterpretedRollout
from armdyn.targets.kernels import kernel_of

RNG = np.random.default_rng(12)
STATES = (1, 7, 8, 9, 16, 17, 100)


def oscillator(finish: Any = guarded) -> Rollout:
    """A state that swaps its parts, a constant result, an unread input, a matrix of gains, an input over time."""

    def step(x: Any, v: Any, gain: Any, force: Any, unread: Any, z: Any) -> Any:
        turned = gain @ x
        return v, turned * 0.9 + force, np.sin(z) + x[0], x * v, np.array([2.0, 3.0])

    ports = [
        Port("x", (2,)),
        Port("v", (2,)),
        Port("gain", (2, 2)),
        Port("force", (2,)),
        Port("unread", ()),
        Port("z", ()),
    ]
    program = trace(step, ports, ["x1", "v1", "z1", "product", "constant"], name="oscillator")
    carry = [("x1", "x"), ("v1", "v"), ("z1", "z")]
    return Rollout(finish(program), carry, ["force"], ["x", "product", "constant", "z1"])


def arm(finish: Any = guarded) -> Rollout:
    robot = armdyn.load("scara")
    n, mechanism = robot.dof, robot.exact_mechanism

    def step(q: Any, qd: Any, tau: Any, h: Any) -> Any:
        faster = qd + h * algorithms.forward_dynamics(mechanism, q, qd, tau)
        return q + h * faster, faster

    program = trace(
        step, [Port("q", (n,)), Port("qd", (n,)), Port("tau", (n,)), Port("h", ())], ["a", "b"], name="step"
    )
    return Rollout(finish(program), [("a", "q"), ("b", "qd")], ["tau"], ["q", "qd"])


def arrays_of(rollout: Rollout, states: int, steps: int, dtype: Any = np.float64) -> list[np.ndarray]:
    over_time = dict.fromkeys(rollout.stepwise, (steps,))
    shapes = [(states, *over_time.get(port.name, ()), *port.shape) for port in rollout.inputs]
    arrays = {port.name: RNG.uniform(-0.5, 0.5, shape) for port, shape in zip(rollout.inputs, shapes, strict=True)}
    if "h" in arrays:
        arrays["h"] *= 1e-4  # so small that an arm at any speed does not spread roundings
    return [a.astype(dtype) for a in arrays.values()]


def room(rollout: Rollout, states: int, rows: int, dtype: Any = np.float64) -> tuple[np.ndarray, ...]:
    final = [np.full((states, *port.shape), np.nan, dtype) for port in rollout.state]
    return (*final, *(np.full((states, rows, *port.shape), np.nan, dtype) for port in rollout.records))


def loop(rollout: Rollout, arrays: list[np.ndarray], steps: int, every: int) -> list[np.ndarray]:
    """The definition: one evaluation of the step's program after the other."""
    values = {port.name: a for port, a in zip(rollout.inputs, arrays, strict=True)}
    rows: dict[str, list[np.ndarray]] = {name: [] for name in rollout.recorded}
    for k in range(steps):
        now = {name: a[:, k] if name in rollout.stepwise else a for name, a in values.items()}
        results = dict(
            zip(
                (p.name for p in rollout.step.outputs),
                interpret(rollout.step, *now.values(), dtype=arrays[0].dtype),
                strict=True,
            )
        )
        if k % every == 0:
            for name in rollout.recorded:
                rows[name].append((results | now)[name] if name in {b for _, b in rollout.carry} else results[name])
        values |= {name: results[result] for result, name in rollout.carry}
    return [
        *(values[port.name] for port in rollout.state),
        *(np.stack(rows[name], axis=1) for name in rollout.recorded),
    ]


@pytest.mark.parametrize("make", [oscillator, arm])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_is_the_loop(make: Any, dtype: Any) -> None:
    rollout, tolerance = make(), 200 * np.finfo(dtype).eps
    kernel = kernel_of(rollout)
    for states in STATES:
        for steps, every in ((1, 1), (12, 1), (13, 4)):
            arrays = arrays_of(rollout, states, steps, dtype)
            out = room(rollout, states, -(-steps // every), dtype)
            kernel.for_arrays(arrays)(dtype(steps), dtype(every), *arrays, out=out)
            for found, expected in zip(out, loop(rollout, arrays, steps, every), strict=True):
                np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_no_step_leaves_the_state() -> None:
    rollout = arm()
    arrays, out = arrays_of(rollout, 9, 3), room(rollout, 9, 3)
    kernel_of(rollout).for_float64(0.0, 1.0, *arrays, out=out)
    np.testing.assert_array_equal(out[0], arrays[0])
    np.testing.assert_array_equal(out[1], arrays[1])
    assert np.isnan(out[2]).all()


def test_arrays_of_any_layout_and_what_all_states_share() -> None:
    rollout, states, steps = arm(), 21, 6
    q, qd, tau, _ = arrays_of(rollout, states, steps)
    kernel, expected, found = kernel_of(rollout).for_float64, room(rollout, states, steps), room(rollout, states, steps)
    shared = np.broadcast_to(tau[:1], tau.shape)
    kernel(6.0, 1.0, q, qd, np.array(shared), np.full(states, 1e-2), out=expected)
    time_first = [np.full((steps, states, a.shape[-1]), np.nan) for a in found[2:]]
    places = (np.full((4, states), np.nan).T, found[1][::-1], *(np.moveaxis(a, 0, 1) for a in time_first))
    kernel(6.0, 1.0, np.asfortranarray(q), qd[::-1][::-1], tau[:1], 1e-2, out=places)
    for one, other in zip(places, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("make", [oscillator, arm])
def test_interpreted_is_the_loop(make: Any) -> None:
    rollout = make()
    arrays, out = arrays_of(rollout, 5, 7), room(rollout, 5, 3)
    InterpretedRollout(lambda: rollout, GufuncInterface.of(rollout))(7, 3, *arrays, out=out)
    for found, expected in zip(out, loop(rollout, arrays, 7, 3), strict=True):
        np.testing.assert_array_equal(found, expected)


def tangents_of(rollout: Rollout, wrt: list[str], states: int, steps: int) -> tuple[Rollout, Any, Any]:
    """The tangent rollout, arrays for the rollout, and directions of what changes, by name."""
    tangent = tangent_rollout(rollout, wrt)
    arrays = arrays_of(tangent, states, steps)
    count = len(rollout.inputs)
    names = [port.name.removeprefix("tangent_") for port in tangent.inputs[count:]]
    assert names == [*(port.name for port in rollout.state), *(name for name in wrt if name != "z")]
    return tangent, arrays[:count], dict(zip(names, arrays[count:], strict=True))


@pytest.mark.parametrize(("make", "wrt"), [(oscillator, ["force", "z", "gain"]), (arm, ["tau", "h"]), (arm, [])])
def test_tangents_are_those_of_a_complex_step(make: Any, wrt: list[str]) -> None:
    rollout, states, steps, every = make(lambda program: program), 5, 7, 2
    tangent, arrays, directions = tangents_of(rollout, wrt, states, steps)
    out = room(tangent, states, -(-steps // every))
    kernel_of(tangent).for_float64(float(steps), float(every), *arrays, *directions.values(), out=out)
    shifted = [a + 1e-100j * directions.get(port.name, 0.0) for port, a in zip(rollout.inputs, arrays, strict=True)]
    expected = loop(rollout, shifted, steps, every)
    final, rows = expected[: len(rollout.state)], expected[len(rollout.state) :]
    wanted = [*(a.real for a in final), *(a.imag * 1e100 for a in (*final, *rows))]
    for found, one in zip(out, wanted, strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-12, atol=1e-13 * np.abs(one).max())


@pytest.mark.parametrize(("make", "wrt"), [(oscillator, ["force", "gain"]), (arm, ["tau", "h"])])
def test_the_adjoint_is_dual_to_the_tangents(make: Any, wrt: list[str]) -> None:
    """y_bar^T y_dot after the last step is x_bar^T x_dot before the first, and the sum of u_bar^T u_dot over all."""
    rollout, states, steps = make(lambda program: program), 4, 9
    tangent, arrays, directions = tangents_of(rollout, wrt, states, steps)
    carried = [port.name for port in rollout.state]
    rates = loop(tangent, [*arrays, *directions.values()], steps, 1)[len(carried) : 2 * len(carried)]
    visited = loop(Rollout(rollout.step, rollout.carry, rollout.stepwise, carried), arrays, steps, 1)[len(carried) :]

    adjoint = adjoint_rollout(rollout, wrt)
    values = dict(zip((port.name for port in rollout.inputs), arrays, strict=True))
    values |= dict(zip(carried, visited, strict=True))
    values |= {name: values[name][:, ::-1] for name in adjoint.stepwise}
    cotangents = [RNG.uniform(-1.0, 1.0, (states, *port.shape)) for port in rollout.state]
    held = [name for name in wrt if name in rollout.held]
    sums = [np.zeros_like(directions[name]) for name in held]
    found = loop(adjoint, [*values.values(), *cotangents, *sums], steps, 1)
    gradients = dict(zip([*carried, *held, *(name for name in wrt if name not in held)], found, strict=True))
    gradients |= {name: gradients[name][:, ::-1] for name in wrt if name not in held}

    after = sum((bar * dot).sum() for bar, dot in zip(cotangents, rates, strict=True))
    terms = [gradients[name] * directions[name] for name in directions]
    scale = sum(np.abs(term).sum() for term in terms)
    np.testing.assert_allclose(sum(term.sum() for term in terms), after, rtol=0.0, atol=1e-12 * scale)


def test_a_state_that_diverges_leaves_the_others_alone() -> None:
    rollout, steps = arm(), 20
    arrays, alone, together = arrays_of(rollout, 9, steps), room(rollout, 9, steps), room(rollout, 9, steps)
    kernel = kernel_of(rollout).for_float64
    kernel(20.0, 1.0, *arrays, out=alone)
    arrays[1][4] = 1e200
    with np.errstate(all="raise"):
        kernel(20.0, 1.0, *arrays, out=together)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(np.delete(one, 4, axis=0), np.delete(other, 4, axis=0))
    assert not np.isfinite(together[0][4]).all()


def program() -> Program:
    return trace(lambda x, u: (x + u, x), [Port("x", (3,)), Port("u", (3,))], ["y", "z"], name="sum")


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(UnknownName, match="no result 'yy' in sum"):
        Rollout(program(), [("yy", "x")])
    with pytest.raises(UnknownName, match="no input 'w' in sum"):
        Rollout(program(), [("y", "x")], ["w"])
    with pytest.raises(UnknownName, match="no carried input or result 'u' in sum"):
        Rollout(program(), [("y", "x")], (), ["u"])
    with pytest.raises(TraceError, match="'x' is carried or stepwise twice"):
        Rollout(program(), [("y", "x"), ("z", "x")])
    uneven = trace(lambda x: x[:2], [Port("x", (3,))], ["y"], name="cut")
    with pytest.raises(TraceError, match=r"result 'y' of shape \(2,\) cannot take the place of input 'x'"):
        Rollout(uneven, [("y", "x")])


def test_equal_rollouts_have_equal_digests() -> None:
    first, second = Rollout(program(), [("y", "x")]), Rollout(program(), [("y", "x")])
    assert first == second
    assert first.digest == second.digest
    others = [
        Rollout(program(), [("z", "x")]),
        Rollout(program(), [("y", "x")], ["u"]),
        Rollout(program(), [("y", "x")], (), ["z"]),
    ]
    assert len({first.digest, *(r.digest for r in others), first.step.digest}) == 5
