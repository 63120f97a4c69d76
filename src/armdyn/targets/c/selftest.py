"""A program of C that calls every function on states and compares the results with those of armdyn.

It prints integers only, so that little of C's library is linked on a microcontroller. Its own names end with an
underscore, unlike those of exported functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from armdyn.program.ports import Port
from armdyn.targets.c.dialect import Dialect
from armdyn.targets.c.functions import CFunction
from armdyn.targets.c.vectors import Vectors, vectors

HEAD = """\
/* Compares {name}.c with what armdyn computed; returns 0 if all agrees. */
{math}#include <stdio.h>

#include "{name}.h"

"""

PERCENT = """\
/* How many times the tolerance the largest difference is, in percent; NaN agrees with NaN, infinity with infinity. */
static int percent_(const {T} *found, const {T} *expected, int count, {T} tolerance)
{{
    {T} largest = {zero};
    int k;

    for (k = 0; k < count; ++k) {{
        const {T} difference = found[k] - expected[k];
        const {T} size = difference < {zero} ? -difference : difference;

        if (found[k] == expected[k] || (found[k] != found[k] && expected[k] != expected[k]))
            continue;
        if (!(size <= tolerance * {enough}))
            return 100000;
        if (size > largest * tolerance)
            largest = size / tolerance;
    }}
    return (int)(largest * {hundred});
}}
"""

MAIN = """
int main(void)
{{
    int failures_ = 0;

{calls}
    return failures_ != 0;
}}
"""


def selftest(name: str, functions: Sequence[CFunction], dialect: Dialect) -> str:
    """The text of the program."""
    words = {"T": dialect.scalar, "zero": dialect.literal(0.0), "hundred": dialect.literal(100.0)}
    tests = [_test(k, f, dialect) for k, f in enumerate(functions)]
    special = any("NAN" in test or dialect.infinity in test for test in tests)
    math = "#include <math.h>\n" if special else ""
    compared = any(port.size for f in functions for port in f.program.outputs)
    head = (HEAD + PERCENT * compared).format(name=name, math=math, enough=dialect.literal(1000.0), **words)
    calls = "\n".join(f"    failures_ += test_{k}_();" for k in range(len(functions)))
    return "\n".join([head, *tests]) + MAIN.format(calls=calls)


def _test(k: int, function: CFunction, dialect: Dialect) -> str:
    """The function that tests one function."""
    result = vectors(function.program, dialect.dtype, arguments=function.states())
    return "\n".join(_lines(k, function, dialect, result)) + "\n"


def _lines(k: int, function: CFunction, dialect: Dialect, vectors: Vectors) -> Iterator[str]:
    states, values = vectors.inputs.shape
    results = vectors.results.shape[1]
    yield from _table(dialect, f"given_{k}_", vectors.inputs)
    yield from _table(dialect, f"expected_{k}_", vectors.results)
    yield ""
    yield f"static int test_{k}_(void)"
    yield "{"
    yield "    int state_number_, worst_ = 0, now_;"
    if function.carry:
        yield f"    {function.state_type} state_;"
    yield from (f"    {dialect.scalar} result_{p}_[{max(port.size, 1)}];" for p, port in enumerate(function.results))
    yield ""
    yield f"    for (state_number_ = 0; state_number_ < {states}; ++state_number_) {{"
    yield f"        const {dialect.scalar} *const given_ = given_{k}_ + {values} * state_number_;"
    yield f"        const {dialect.scalar} *const expected_ = expected_{k}_ + {results} * state_number_;"
    yield ""
    yield from (f"        {line}" for line in _call(function))
    yield from (f"        {line}" for line in _comparisons(function, dialect, vectors.tolerances))
    yield "    }"
    yield '    printf("%-32s %d states, largest difference %d %% of the tolerance: %s\\n",'
    yield f'           "{function.function}", {states}, worst_, worst_ > 100 ? "DIFFERS" : "ok");'
    yield "    return worst_ > 100;"
    yield "}"


def _call(function: CFunction) -> Iterator[str]:
    arguments = ["&state_"] if function.carry else []
    if function.carry:
        yield f"{function.name}_init(&state_);"
    place = 0
    for port in function.program.inputs:
        if port in function.state:
            yield from _into_state(port, function.input_names[port.name], place)
        else:
            arguments.append(f"given_ + {place}" if port.shape else f"given_[{place}]")
        place += port.size
    arguments += [f"result_{p}_" for p in range(len(function.results))]
    if not any(port.size for port in function.program.inputs):
        yield "(void)given_;"
    yield f"{function.function}({', '.join(arguments)});"


def _into_state(port: Port, name: str, place: int) -> Iterator[str]:
    for k in range(port.size):
        yield f"state_.{name}{f'[{k}]' if port.shape else ''} = given_[{place + k}];"


def _comparisons(function: CFunction, dialect: Dialect, tolerances: Sequence[float]) -> Iterator[str]:
    carried = dict(function.carry)
    inputs = {port.name: port for port in function.program.inputs}
    place = 0
    for port, tolerance in zip(function.program.outputs, tolerances, strict=True):
        if port.name in carried:
            name = function.input_names[inputs[carried[port.name]].name]
            result = f"state_.{name}" if port.shape else f"&state_.{name}"
        else:
            result = f"result_{function.results.index(port)}_"
        limit = dialect.literal(max(tolerance, float(np.finfo(dialect.dtype).tiny)))
        if port.size:
            yield f"now_ = percent_({result}, expected_ + {place}, {port.size}, {limit});"
            yield "worst_ = now_ > worst_ ? now_ : worst_;"
        place += port.size
    if not any(port.size for port in function.program.outputs):
        yield from ("(void)expected_;", "now_ = 0;", "(void)now_;")


def _table(dialect: Dialect, name: str, values: np.ndarray) -> Iterator[str]:
    """An array of constants with at least one element, because C has no empty arrays."""
    texts = [_constant(dialect, float(v)) for v in values.flat] or [dialect.literal(0.0)]
    yield f"static const {dialect.scalar} {name}[] = {{"
    yield from (f"    {', '.join(texts[k : k + 4])}," for k in range(0, len(texts), 4))
    yield "};"


def _constant(dialect: Dialect, value: float) -> str:
    return f"({dialect.scalar})NAN" if np.isnan(value) else dialect.literal(value)
