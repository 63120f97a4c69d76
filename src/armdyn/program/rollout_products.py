"""Derivatives of rollouts as rollouts: tangents carried with the state, and cotangents carried back in time.

With x the carried inputs, u all others and x[k+1] = f(x[k], u[k]), tangents obey x_dot[k+1] = f_x x_dot[k] + f_u u_dot,
which is a rollout of f with its tangent program. Cotangents x_bar of a cost of the final state obey

    x_bar[k] = f_x^T x_bar[k+1],    u_bar[k] = f_u^T x_bar[k+1],

with f_x and f_u at the states of the rollout, the last step first: a rollout of the adjoint program, which reads the
recorded states as inputs over time, backwards. The gradient by a held input is the sum of its u_bar[k], one more
carried array; that by an input over time is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from armdyn.base.errors import TraceError
from armdyn.base.scalars import Scalar
from armdyn.program.expr import shaped
from armdyn.program.functions import applied
from armdyn.program.operations import OPERATIONS
from armdyn.program.ports import Port
from armdyn.program.program import Program, trace
from armdyn.program.replay import replay
from armdyn.program.rollout import Rollout

_OPERATIONS = {name: partial(applied, name) for name in OPERATIONS}


def tangent_rollout(rollout: Rollout, wrt: Iterable[str]) -> Rollout:
    """The rollout together with the rates of its state for changing inputs; it records the rates of the records.

    Its inputs are those of the rollout, then ``tangent_X`` for each carried X, of the initial state, and for each other
    X of ``wrt``, over time if X is. Its state is that of the rollout, then ``tangent_X`` of it.
    """
    step, carried = rollout.step, [name for _, name in rollout.carry]
    results = [result for result, _ in rollout.carry]
    results += [name for name in rollout.recorded if name not in carried and name not in results]
    by = [*carried, *(name for name in wrt if name not in carried)]
    product = step.jvp(results, by, primal=True)
    tangents_in = dict(zip(by, (port.name for port in product.inputs[len(step.inputs) :]), strict=True))
    tangents_out = dict(zip(results, (port.name for port in product.outputs[len(results) :]), strict=True))
    recorded = [tangents_in[name] if name in carried else tangents_out[name] for name in rollout.recorded]
    return Rollout(
        product,
        [*rollout.carry, *((tangents_out[result], tangents_in[name]) for result, name in rollout.carry)],
        [*rollout.stepwise, *(tangents_in[name] for name in rollout.stepwise if name in tangents_in)],
        recorded,
    )


def adjoint_rollout(rollout: Rollout, wrt: Sequence[str]) -> Rollout:
    """The rollout that carries cotangents of the state back in time.

    Its inputs are those of the rollout, the carried ones now over time, then ``cotangent_X`` for each
    carried X, of the final state; then ``sum_X`` for each X of ``wrt`` that is held, initially zero. Its state at the
    end is ``cotangent_X`` of the initial state, and the sums. The cotangents of inputs over time are recorded.

    Raises:
        TraceError: if the rollout has an input with one of these names.
    """
    step, carried = rollout.step, [name for _, name in rollout.carry]
    by = [*carried, *(name for name in wrt if name not in carried)]
    product = step.vjp([result for result, _ in rollout.carry], by)
    shapes = {port.name: port.shape for port in step.inputs}
    constants = [name for name in by if name in rollout.held]
    over_time = [name for name in by if name in rollout.stepwise]
    inputs = [
        *step.inputs,
        *(Port(f"cotangent_{name}", shapes[name]) for name in carried),
        *(Port(f"sum_{name}", shapes[name]) for name in constants),
    ]

    for port in inputs[len(step.inputs) :]:
        if port.name in shapes:
            raise TraceError(f"{rollout.name} has an input {port.name!r}, as its adjoint has; rename it")

    def back(*arrays: Scalar) -> Scalar:
        values = arrays[: len(product.inputs)]
        sums = dict(zip(constants, arrays[len(product.inputs) :], strict=True))
        cotangents = dict(zip(by, inlined(product, values), strict=True))
        return (
            *(cotangents[name] for name in carried),
            *(sums[name] + cotangents[name] for name in constants),
            *(cotangents[name] for name in over_time),
        )

    names = [f"to_{port.name}" for port in inputs[len(step.inputs) :]] + [f"cotangent_{name}" for name in over_time]
    program = trace(back, inputs, names, name=f"{rollout.name}_adjoint")
    carry = [(f"to_{port.name}", port.name) for port in inputs[len(step.inputs) :]]
    recorded = [f"cotangent_{name}" for name in over_time]
    return Rollout(program, carry, [*carried, *rollout.stepwise], recorded)


def inlined(program: Program, arrays: Sequence[object]) -> list[Scalar]:
    """The results of a program on arrays of traced scalars: its nodes become part of the current trace."""
    scalars = [scalar for array in arrays for scalar in np.asarray(array, dtype=object).ravel()]
    results = replay(program, scalars, _OPERATIONS)
    return [shaped(values, port.shape) for port, values in zip(program.outputs, results, strict=True)]
