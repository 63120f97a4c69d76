"""The code of the primitive: the compiled kernel on a CPU, JAX's own operations on other devices."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.threads import Once, undivided
from armdyn.program.guard import guarded
from armdyn.program.interpret import interpret
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.replay import Operations
from armdyn.targets.gufunc import GufuncInterface
from armdyn.targets.jax.called import JaxProgram
from armdyn.targets.jax.primitive import batch_of, call, jax, jnp, leading
from armdyn.targets.kernels import kernel_of, loops_of
from armdyn.targets.native.work_queue_ir import GROUP
from armdyn.targets.native.xla_handler import Axis, HandlerError, handler, plan

if TYPE_CHECKING:
    from jax import Array as JaxArray

mlir: Any = jax.interpreters.mlir

_LETTERS = {"float32": "f", "float64": "d"}

_MOST_OF_NUMPY = 64
"""The most arguments and results of a ufunc together."""


def lower(program: Program, *arrays: JaxArray) -> list[JaxArray]:
    """The results of a program, computed with JAX's operations."""
    scalars = []
    for array, port in zip(arrays, program.inputs, strict=True):
        flat = array.reshape(*leading(array.shape, port), port.size)
        scalars += [flat[..., k] for k in range(port.size)]
    states = batch_of([array.shape for array in arrays], program.inputs)
    dtype = arrays[0].dtype
    return [
        _array([jnp.broadcast_to(jnp.asarray(x, dtype), states) for x in values], port, states, dtype)
        for port, values in zip(program.outputs, program.replay(scalars, _operations(dtype)), strict=True)
    ]


def _array(values: list[Any], port: Port, states: tuple[int, ...], dtype: object) -> JaxArray:
    stacked = jnp.stack(values, axis=-1) if values else jnp.empty((*states, 0), dtype)
    return stacked.reshape(*states, *port.shape)


def _operations(dtype: object) -> Operations:
    same = {"add", "sin", "cos", "tan", "sqrt", "exp", "log", "tanh", "abs", "sign", "floor"}
    others = {"sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative", "pow": "power"}
    others |= {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "min": "minimum"}
    names = {name: name for name in same} | others | {"max": "maximum"}
    return {name: getattr(jnp, word) for name, word in names.items()} | {
        "less": lambda a, b: jnp.less(a, b).astype(dtype),
        "less_equal": lambda a, b: jnp.less_equal(a, b).astype(dtype),
        "select": lambda condition, a, b: jnp.where(condition != 0, a, b),
        "guard": lambda value, unused: value + 0.0 * unused,
    }


def _on_any_device(context: object, *operands: object, called: JaxProgram) -> Any:
    program = guarded(called.program)
    lowered = mlir.lower_fun(lambda *arrays: lower(program, *arrays), multiple_results=True)
    return lowered(context, *operands)


def _on_cpu(context: Any, *operands: object, called: JaxProgram) -> Any:
    """A call of the handler; of Python if there is no handler; JAX's operations if kernels cannot be used.

    That is the case with empty arrays, and in `jax.export`, which writes code for other processes and machines.
    """
    shapes = [aval.shape for aval in context.avals_in]
    ports = (*called.program.inputs, *called.program.outputs)
    exports = context.module_context.lowering_parameters.for_export
    if exports or not all(port.size for port in ports):
        return _on_any_device(context, *operands, called=called)
    axes = _split_states(shapes, called.program)
    if axes is None:
        return _broadcast(context, *operands, called=called)
    letter = _LETTERS[context.avals_in[0].dtype.name]
    try:
        target = _targets.get((called.program.digest, letter), lambda: _registered(called.program, letter))
    except HandlerError as error:
        _warn(error)
        return _through_python(context, *operands, called=called)
    words = plan(letter, *_of_plan(called.program, shapes), *axes)
    return jax.ffi.ffi_lowering(target)(context, *operands, plan=np.array(words, np.int64))


def _of_plan(program: Program, shapes: Sequence[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], int, list[int]]:
    """Shapes of one state's arrays and results, the number of arrays, and the number of states of each."""
    ports = (*program.inputs, *program.outputs)
    count = math.prod(batch_of(shapes, program.inputs))
    counts = [math.prod(leading(shape, port)) for shape, port in zip(shapes, program.inputs, strict=True)]
    return [port.shape for port in ports], len(program.inputs), counts + [count] * len(program.outputs)


def _split_states(shapes: Sequence[tuple[int, ...]], program: Program) -> tuple[Axis, Axis] | None:
    """The leading axes as rows of states, so that every array changes along all or none of either.

    A kernel computes several states of a row at once. So if the last axes make rows too short for that, e.g. the
    columns of a Jacobian for many states, rows go along the first ones. None if arrays share states in another manner,
    e.g. (2, 1, 3) together with (1, 5, 3).
    """
    states = batch_of(shapes, program.inputs)
    heads = [leading(shape, port) for shape, port in zip(shapes, program.inputs, strict=True)]
    padded = [(*(1,) * (len(states) - len(head)), *head) for head in heads] + [states] * len(program.outputs)
    for cut in (0, *range(len(states) - 1, 0, -1)):
        inner = [_step(head[cut:], states[cut:]) for head in padded]
        outer = [_step(head[:cut], states[:cut]) for head in padded]
        if None not in inner and None not in outer:
            rows = tuple(o * math.prod(head[cut:]) for o, head in zip(outer, padded, strict=True) if o is not None)
            steps = tuple(step for step in inner if step is not None)
            groups = Axis(math.prod(states[:cut]), rows), Axis(math.prod(states[cut:]), steps)
            is_short = groups[1].extent < min(GROUP, groups[0].extent)
            return groups[::-1] if is_short else groups
    return None


def _step(own: tuple[int, ...], all_states: tuple[int, ...]) -> int | None:
    """1 if an array has a value for each state, 0 if all states share one, None if it is mixed."""
    if own == all_states:
        return 1
    return 0 if math.prod(own) == 1 else None


def _broadcast(context: Any, *operands: object, called: JaxProgram) -> Any:
    """The call with all arrays broadcast to all states."""
    states = batch_of([aval.shape for aval in context.avals_in], called.program.inputs)

    def call_all(*arrays: object) -> JaxArray:
        ports = called.program.inputs
        whole = [jnp.broadcast_to(a, (*states, *port.shape)) for a, port in zip(arrays, ports, strict=True)]
        return call.bind(*whole, called=called)

    return mlir.lower_fun(call_all, multiple_results=True)(context, *operands)


def _through_python(context: Any, *operands: object, called: JaxProgram) -> Any:
    """A call of the NumPy function, or of the interpreter if there are more arrays than NumPy's functions accept."""
    program = guarded(called.program)
    is_small = len(program.inputs) + len(program.outputs) <= _MOST_OF_NUMPY
    evaluate = kernel_of(program).for_any() if is_small else partial(interpret, program)

    def numbers(*arrays: object) -> Any:
        result = evaluate(*map(np.asarray, arrays))
        results = result if isinstance(result, tuple | list) else (result,)
        return tuple(np.asarray(x, aval.dtype) for x, aval in zip(results, context.avals_out, strict=True))

    def call_back(*arrays: object) -> JaxArray:
        return jax.pure_callback(numbers, context.avals_out, *arrays, vmap_method="broadcast_all")

    return mlir.lower_fun(call_back, multiple_results=True)(context, *operands)


_targets: Once[tuple[str, str], str] = Once()


def _registered(program: Program, letter: str) -> str:
    """Register the handler of a program with XLA; returns its name there."""
    with undivided():
        loop = loops_of(guarded(program)).address(letter)  # the kernel that NumPy's calls have too
        if loop is None:
            raise HandlerError("there is no machine code", is_known=True)
        address = handler(loop, GufuncInterface.of(program).inputs + GufuncInterface.of(program).outputs)
        name = f"armdyn_{program.digest[:32]}_{letter}"
        try:
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="cpu")
        except Exception as error:  # raised by XLA if the layout of the interface is different
            raise HandlerError(f"XLA refuses it: {error}") from error
    return name


_warned: set[str] = set()


def _warn(error: HandlerError) -> None:
    """Warn once about calls of Python and their reason, unless the user chose them or the kernel warns."""
    if error.is_known or _warned:
        return
    _warned.add("said")
    warnings.warn(
        f"XLA of JAX {jax.__version__} cannot call armdyn's kernels ({error}), so it calls Python, which calls them: "
        "slower for small batches, never wrong. Please report this",
        RuntimeWarning,
        stacklevel=2,
    )


mlir.register_lowering(call, _on_any_device)
mlir.register_lowering(call, _on_cpu, platform="cpu")
