"""`call`: the primitive of JAX that evaluates a program, and its rules under JAX's transforms.

Its operands have the shape (..., *shape of the array); leading axes broadcast as NumPy's do, from the right, so that an
operand that all states share is stored once. The derivative of a program is the call of its tangent program, which is
linear in the tangents; its transpose is the call of the adjoint program. Both are programs, so they have derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import Unsupported
from armdyn.base.extras import extra
from armdyn.program.ports import Port
from armdyn.targets.jax.called import JaxProgram

if TYPE_CHECKING:
    from jax import Array as JaxArray

_WHAT = "armdyn.targets.jax"
jax: Any = extra("jax", _WHAT, library="JAX")
jnp: Any = extra("jax.numpy", _WHAT, name="jax", library="JAX")
ad: Any = extra("jax.interpreters.ad", _WHAT, name="jax", library="JAX")
batching: Any = extra("jax.interpreters.batching", _WHAT, name="jax", library="JAX")
extend: Any = extra("jax.extend.core", _WHAT, name="jax", library="JAX")

call: Any = extend.Primitive("armdyn")
call.multiple_results = True


def leading(shape: Sequence[int], port: Port) -> tuple[int, ...]:
    """The leading axes of an array, which count states."""
    return tuple(shape[: len(shape) - len(port.shape)])


def _results(*operands: JaxArray, called: JaxProgram) -> list[Any]:
    """Shapes and types of the results."""
    states = batch_of([operand.shape for operand in operands], called.program.inputs)
    shapes = [(*states, *port.shape) for port in called.program.outputs]
    return [_like(operands[0], jax.core.ShapedArray(shape, operands[0].dtype)) for shape in shapes]


def _like(operand: JaxArray, result: Any) -> Any:
    """The result's abstract value; in `jax.shard_map` it varies along the mesh axes of the operands, made `alike`."""
    if not _along(operand):
        return result
    spec = jax.sharding.PartitionSpec(*(None,) * result.ndim)
    return operand.update(shape=result.shape, weak_type=False, sharding=operand.sharding.update(spec=spec))


def _along(aval: object) -> frozenset[str]:
    """The axes of the mesh of `jax.shard_map` along which an array varies, in old and new versions of JAX."""
    axes = aval.mat.varying if hasattr(aval, "mat") else getattr(aval, "vma", ())
    return frozenset(axes)


def alike(arrays: Sequence[JaxArray]) -> list[JaxArray]:
    """The arrays, made to vary along common axes of a mesh, so that a shared one's cotangent is summed over these."""
    along = [_along(array.aval) for array in arrays]
    every = frozenset[str]().union(*along)
    return [_varying(array, tuple(every - own)) for array, own in zip(arrays, along, strict=True)]


def _varying(array: object, axes: tuple[str, ...]) -> JaxArray:
    if not axes:
        return array
    return jax.lax.pcast(array, axes, to="varying") if hasattr(jax.lax, "pcast") else jax.lax.pvary(array, axes)


def batch_of(shapes: Sequence[Sequence[int]], ports: Sequence[Port]) -> tuple[int, ...]:
    """The broadcast leading axes of all operands."""
    heads = [leading(shape, port) for shape, port in zip(shapes, ports, strict=True)]
    return tuple(jnp.broadcast_shapes(*heads))  # JAX's, since extents are symbols under jax.export


def _evaluated(*operands: object, called: JaxProgram) -> JaxArray:
    with jax.disable_jit(False):  # also if the caller has disabled it, because there is no other way to evaluate
        return called.compiled(*operands)


def _rates(operands: Sequence[object], tangents: Sequence[object], *, called: JaxProgram) -> tuple[object, object]:
    """Forward mode: the results, and their rates by the changing operands."""
    names = [port.name for port in called.program.inputs]
    moving = [k for k, tangent in enumerate(tangents) if type(tangent) is not ad.Zero]
    results, rates_of = call.bind(*operands, called=called), [tangents[k] for k in moving]
    base = called.base
    first = len(base.program.inputs) if base else 0
    if base is None or moving[0] < first:
        return results, call.bind(*operands, *rates_of, called=called.tangent(tuple(names[k] for k in moving)))
    # a tangent program along its tangents, in which it is linear: the rates do not depend on these
    tangent = base.tangent(tuple(called.active[k - first] for k in moving))
    rates = call.bind(*operands[:first], *rates_of, called=tangent)
    return results, [jnp.broadcast_to(rate, result.shape) for rate, result in zip(rates, results, strict=True)]


def _transposed(cotangents: Sequence[object], *operands: JaxArray, called: JaxProgram) -> list[object]:
    """Reverse mode: a tangent program, linear in its last operands, becomes an adjoint program.

    So does any other program in operands in which it is affine, e.g. an adjoint program, linear in its cotangents,
    because the derivative is independent of the values of these operands.
    """
    places = [k for k, operand in enumerate(operands) if ad.is_undefined_primal(operand)]
    of = [k for k, cotangent in enumerate(cotangents) if type(cotangent) is not ad.Zero]
    result: list[Any] = [None] * len(operands)
    if not of:
        return result
    base = called.base
    if base is not None and min(places) >= len(base.program.inputs):
        first = len(base.program.inputs)
        names = tuple(called.active[k - first] for k in places)
    else:
        base, first = called, len(operands)
        names = tuple(called.program.inputs[k].name for k in places)
        _require_affine(called, tuple(called.program.outputs[k].name for k in of), names)
    adjoint = base.adjoint(tuple(base.program.outputs[k].name for k in of), names)
    products = call.bind(*map(_or_zeros, operands[:first]), *(cotangents[k] for k in of), called=adjoint)
    for k, product in zip(places, products, strict=True):
        result[k] = _summed(product, operands[k].aval.shape)
    return result


def _require_affine(called: JaxProgram, of: tuple[str, ...], wrt: tuple[str, ...]) -> None:
    """Raise for the transpose of a nonlinear function, as JAX does for its own functions."""
    if nonlinear := called.nonlinear(of, wrt):
        raise Unsupported(
            f"{called.program.name} is not linear in {', '.join(nonlinear)}, so it has no transpose; jax.vjp is the "
            "transpose of its derivative at a point"
        )


def _or_zeros(operand: JaxArray) -> JaxArray:
    """The operand, or zeros for an operand of the transposition."""
    return jnp.zeros(operand.aval.shape, operand.aval.dtype) if ad.is_undefined_primal(operand) else operand


def _summed(array: JaxArray, shape: tuple[int, ...]) -> JaxArray:
    """The cotangent of an operand that several states share, the sum over these states."""
    extra_axes = array.ndim - len(shape)
    shared = [extra_axes + k for k, extent in enumerate(shape) if extent == 1 != array.shape[extra_axes + k]]
    summed = jnp.sum(array, axis=(*range(extra_axes), *shared)) if extra_axes or shared else array
    return summed.reshape(shape)


def _batched(operands: Sequence[object], axes: Sequence[int | None], *, called: JaxProgram) -> tuple[object, list[int]]:
    """vmap: one more leading axis for the mapped operands."""
    rank = max(_rank(*one) for one in zip(operands, axes, called.program.inputs, strict=True))
    values = [
        operand if axis is None else _with_axes(jnp.moveaxis(operand, axis, 0), rank - _rank(operand, axis, port))
        for operand, axis, port in zip(operands, axes, called.program.inputs, strict=True)
    ]
    results = call.bind(*values, called=called)
    return results, [0] * len(results)


def _rank(operand: JaxArray, axis: int | None, port: Port) -> int:
    """The number of leading axes, without the mapped one."""
    return int(operand.ndim) - len(port.shape) - (axis is not None)


def _with_axes(operand: JaxArray, count: int) -> JaxArray:
    """The operand with ``count`` axes of one element after the first axis."""
    return operand.reshape(operand.shape[0], *(1,) * count, *operand.shape[1:])


call.def_abstract_eval(_results)
call.def_impl(_evaluated)
ad.primitive_jvps[call] = _rates
ad.primitive_transposes[call] = _transposed
batching.primitive_batchers[call] = _batched
