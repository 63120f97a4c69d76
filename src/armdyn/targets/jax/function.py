"""`JaxFunction`: a program as a function of JAX's arrays, with its checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.errors import DTypeError
from armdyn.program.interpret import interpret
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.targets.jax import lowering
from armdyn.targets.jax.called import jax_program
from armdyn.targets.jax.primitive import alike, call, jax, jnp, leading
from armdyn.targets.named_calls import NamedCall
from armdyn.targets.shapes import leading_axes, no_broadcast

if TYPE_CHECKING:
    from jax import Array as JaxArray

assert lowering  # the import registers the primitive's lowering  # noqa: S101

_TYPES = ("float32", "float64")


class JaxFunction(NamedCall):
    """A program as a function of JAX's arrays, made by `Program.to_jax`."""

    LANGUAGE = "JAX"

    def __init__(self, program: Program, *, name: str | None = None) -> None:
        """Declare it; kernels are compiled when they are first needed."""
        super().__init__(program, name)
        self._called = jax_program(program)

    def __call__(self, *arrays: object, **by_name: object) -> Any:
        """The results for arrays of shape (..., *shape of the array).

        Raises:
            TypeError: if the arrays are not those of the program.
            DTypeError: if numbers are not float32 or float64, or arrays have both types.
            ShapeError: if an array's last axes are not the program's, or leading axes do not broadcast.
        """
        values = self._bound(arrays, by_name)
        if not values:
            return self._result(*map(jnp.asarray, interpret(self.program)))
        ports = self.program.inputs
        ready = [_check(array, port) for array, port in zip(values, ports, strict=True)]
        _check_together(ready, ports)
        return self._result(*call.bind(*alike(ready), called=self._called))

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.program, self.__name__)


def _revived(program: Program, name: str) -> JaxFunction:
    return JaxFunction(program, name=name)


def _check(values: Any, port: Port) -> Any:
    """An array of JAX, also made of numbers, after checks."""
    values = values if hasattr(values, "dtype") else _of_numbers(values)
    if not isinstance(values.dtype, np.dtype):
        raise DTypeError(
            f"{port.name} is a {type(values).__module__}.{type(values).__qualname__}; expected an array of JAX or "
            f"NumPy: jax.numpy.from_dlpack({port.name})"
        )
    if values.dtype.name not in _TYPES:
        raise DTypeError(
            f"{port.name} is an array of {values.dtype}; expected float64 or float32: {port.name}.astype(float)"
        )
    array = jnp.asarray(values if isinstance(values, jax.Array) else np.asarray(values, values.dtype.name))
    leading_axes(array.shape, port)
    return array


def _of_numbers(values: Any) -> JaxArray:
    """An array of Python's numbers, or of JAX's scalars, which may be traced."""
    has_jax = any(isinstance(one, jax.Array) for one in jax.tree.leaves(values))
    array = jnp.asarray(values) if has_jax else np.asarray(values)
    return array.astype(float) if array.dtype.kind in "iu" else array


def _check_together(arrays: Sequence[JaxArray], ports: Sequence[Port]) -> None:
    for array, port in zip(arrays, ports, strict=True):
        if array.dtype != arrays[0].dtype:
            raise DTypeError(
                f"{ports[0].name} is an array of {arrays[0].dtype} and {port.name} one of {array.dtype}; expected "
                f"one type: {port.name}.astype({ports[0].name}.dtype)"
            )
    heads = [leading(array.shape, port) for array, port in zip(arrays, ports, strict=True)]
    try:
        jnp.broadcast_shapes(*heads)
    except ValueError:
        raise no_broadcast(ports, heads) from None
