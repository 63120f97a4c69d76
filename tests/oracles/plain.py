"""Numbers without a compiler, for tests that want few states of many robots or of large ones."""

from typing import Any

import numpy as np

from armdyn import Robot, algorithms
from armdyn.functions import CompiledFunction
from armdyn.program import interpret

LARGEST_COMPILED = 9
"""Joints of a robot whose functions `compiled_unless_large` compiles."""


def plainly(robot: Robot, name: str, *arrays: np.ndarray, **named: Any) -> Any:
    """What ``robot.<name>`` answers, computed state by state with nothing traced or compiled.

    Arrays have one leading axis, the states, also those given by name; what else is given by name are options.
    """
    function = getattr(algorithms, name)
    batched = {key: value for key, value in named.items() if isinstance(value, np.ndarray)}
    options = {key: value for key, value in named.items() if key not in batched}
    results = []
    for k in range(len(arrays[0])):
        by_name = {key: value[k] for key, value in batched.items()}
        results.append(function(robot.mechanism, *(x[k] for x in arrays), **by_name, **options))
    if not isinstance(results[0], tuple):
        return np.array(results, dtype=float)
    fields = [np.array(rows, dtype=float) for rows in zip(*results, strict=True)]
    return type(results[0])(*fields)


def compiled_unless_large(function: CompiledFunction, *arrays: np.ndarray, **named: Any) -> Any:
    """What a compiled function answers; of robots with many joints, whose code takes seconds to make, its program does.

    `tests/identities/test_plain_python.py` says of every robot that programs and machine code agree.
    """
    if len(function.arm.model.coordinates) <= LARGEST_COMPILED:
        return function(*arrays, **named)
    declared = function.function
    given = dict(zip((a.name for a in declared.arguments), arrays, strict=False)) | named
    options = {name: given[name] for name in declared.options if name in given}
    program = function.program(optional_inputs=given, **options)
    results = interpret(program, *(given[port.name] for port in program.inputs))
    if declared.result is not None:
        return declared.result(*results)
    return results if len(results) > 1 else results[0]
