"""Arrays of any layout: the same bits as rows give, in every way that numbers go to registers and back."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.program import Port, Program, trace
from armdyn.targets.gufunc import ENTRY, GufuncInterface, LoopTable, keep
from armdyn.targets.kernels import kernel_of
from armdyn.targets.llvm.compiler import compile_ir
from armdyn.targets.llvm.loop import loop_module
from armdyn.targets.llvm.machine import Machine, host
from armdyn.targets.llvm.vectors import Vector
from armdyn.targets.native.linker import link
from armdyn.targets.native.loader import load
from oracles.short_run import short_run


@dataclass(frozen=True)
class Wide(Machine):
    """Vectors of 64 bytes on any processor, which takes several of its own for one."""

    @property
    def vector_bytes(self) -> int:
        return 64


def machines() -> dict[str, Machine]:
    """This processor; vectors of 64 bytes; on x86-64 also such of 16 bytes, and of 32 where it has them."""
    triple = host().triple
    found = {"host": host(), "64 bytes": Wide(triple, host().cpu, host().features)}
    if platform.machine() in ("x86_64", "AMD64"):
        found["16 bytes"] = Machine(triple, "x86-64", "")
    if host().has("avx2") and host().has("fma"):
        found["32 bytes"] = Machine(triple, "haswell", "+avx,+avx2,+fma")
    return found


MACHINES = machines()


def several(A: Any, u: Any, s: Any) -> Any:
    """Results of no axis, one axis, two and three; lengths that end in pieces of every width, constants among them."""
    return (
        s * u[0],
        np.concatenate([u * s, A[0], [2.5]]),
        A * s,
        np.multiply.outer(A[:2, :3], u[:3]) * s,
        np.multiply.outer(A[:, 0], np.array([1.0, 0.0]) * u[:2]),
    )


PROGRAM = trace(several, [Port("A", (3, 7)), Port("u", (5,)), Port("s", ())], name="several")


@cache
def compiled(name: str, dtype: str) -> np.ufunc:
    machine = MACHINES[name]
    address, memory = load(link([compile_ir(loop_module(PROGRAM, dtype, machine).whole, machine)], ENTRY))
    keep(memory)
    return LoopTable(GufuncInterface.of(PROGRAM), {dtype: address}).ufunc


def inside(a: np.ndarray, at: tuple[Any, ...], larger: tuple[int, ...], order: Any = "C") -> np.ndarray:
    """A view with the numbers of an array into a larger one, whose other numbers are NaN."""
    view: np.ndarray = np.full(larger, np.nan, a.dtype, order)[at]
    view[...] = a
    return view


def wider(a: np.ndarray) -> np.ndarray:
    """The first numbers of longer rows."""
    return inside(a, (..., slice(a.shape[-1])), (*a.shape[:-1], a.shape[-1] + 3))


def every_other_state(a: np.ndarray, order: Any = "C") -> np.ndarray:
    return inside(a, (slice(None, None, 2),), (2 * len(a), *a.shape[1:]), order)


def turned(a: np.ndarray, axes: tuple[slice, ...]) -> np.ndarray:
    """The same array with some axes backwards in memory."""
    return np.ascontiguousarray(a[axes])[axes]


def core_reversed(a: np.ndarray) -> np.ndarray:
    """Rows after each other, the axes of a state in the opposite order."""
    axes = (0, *range(a.ndim - 1, 0, -1))
    return np.ascontiguousarray(a.transpose(axes)).transpose(axes)


BACK = slice(None, None, -1)
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "rows": lambda a: a,
    "states last": np.asfortranarray,
    "states last, rows kept": lambda a: np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0),
    "states last, padded": lambda a: inside(a, (slice(len(a)),), (len(a) + 5, *a.shape[1:]), "F"),
    "states last, every other": lambda a: every_other_state(a, "F"),
    "states last, backwards": lambda a: np.asfortranarray(a[::-1])[::-1],
    "every other state": every_other_state,
    "states backwards": lambda a: turned(a, (BACK,)),
    "all backwards": lambda a: turned(a, (BACK,) * a.ndim),
    "numbers backwards": lambda a: turned(a, (..., BACK)) if a.ndim > 1 else a,
    "wider rows": lambda a: wider(a) if a.ndim > 1 else a,
    "wider blocks": lambda a: wider(wider(a).swapaxes(1, -1)).swapaxes(1, -1) if a.ndim > 2 else wider(a),
    "every other number": lambda a: inside(a, (..., slice(None, None, 2)), (*a.shape[:-1], 2 * a.shape[-1])),
    "axes reversed": core_reversed,
}


def batch(program: Program, count: int, dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.uniform(-2.0, 2.0, (count, *port.shape)).astype(dtype) for port in program.inputs]


def assert_same_bits(results: Any, expected: Any, said: str) -> None:
    for result, wanted in zip(results, expected, strict=True):
        assert result.tobytes() == wanted.tobytes(), said


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_same_bits_from_and_to_every_layout(layout: str, machine: str, dtype: str) -> None:
    """Groups that are whole and not; inputs of this layout and results of others, and the other way round."""
    ufunc, change, lanes = compiled(machine, dtype), LAYOUTS[layout], Vector.of(dtype, MACHINES[machine]).lanes
    for count in (1, lanes - 1, lanes, lanes + 1, 100):
        arrays = batch(PROGRAM, count, dtype)
        expected = ufunc(*arrays)
        assert_same_bits(ufunc(*map(change, arrays)), expected, f"inputs, {count} states")
        for given in (arrays, [*map(change, arrays)]):
            out = tuple(change(np.zeros_like(result)) for result in expected)
            ufunc(*given, out=out)
            assert_same_bits(out, expected, f"results, {count} states")


@pytest.mark.parametrize("dtype", "df")
@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_is_written_beside_the_results(machine: str, dtype: str) -> None:
    ufunc, lanes = compiled(machine, dtype), Vector.of(dtype, MACHINES[machine]).lanes
    for count in (1, lanes, lanes + 1, 3 * lanes):
        arrays = batch(PROGRAM, count, dtype)
        rooms = [np.full((count + 2, *(2 * n for n in port.shape)), -7.0, dtype, "F") for port in PROGRAM.outputs]
        out = tuple(
            room[(slice(1, -1), *(slice(n) for n in port.shape))]
            for room, port in zip(rooms, PROGRAM.outputs, strict=True)
        )
        ufunc(*arrays, out=out)
        assert_same_bits(out, ufunc(*arrays), f"{count} states")
        for view in out:
            view[...] = -7.0
        assert all((room == -7.0).all() for room in rooms)


@pytest.mark.short_run("129")
@pytest.mark.parametrize("length", short_run([129, 150, 300], 129, 300))
def test_states_of_very_many_numbers(length: int) -> None:
    """Columns and pieces that several functions move, runs longer than there are functions for."""
    program = trace(
        lambda x: (x * 3.0, np.stack([x, -x])), [Port("x", (length,))], ["row", "rows"], name=f"long{length}"
    )
    ufunc, x = kernel_of(program, cache=False).for_float64, batch(program, 19, "d")[0]
    for name, change in LAYOUTS.items():
        out = tuple(change(result) for result in (np.zeros_like(x), np.zeros((19, 2, length))))
        ufunc(change(x), out=out)
        assert_same_bits(out, (x * 3.0, np.stack([x, -x], axis=1)), name)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "forward_kinematics", "kinetic_energy"])
def test_functions_of_a_robot(name: str, layout: str) -> None:
    function, change = getattr(armdyn.load("ur5"), name), LAYOUTS[layout]
    given = {"inverse_dynamics": 3, "kinetic_energy": 2}.get(name, 1)
    arrays = [np.random.default_rng(k).uniform(-2.0, 2.0, (100, 6)) for k in range(given)]
    expected = function(*arrays)
    out = change(np.zeros_like(expected))
    assert function(*map(change, arrays), out=out) is out
    assert_same_bits((function(*map(change, arrays)), out), (expected, expected), layout)


@pytest.mark.parametrize("features", [("cortex-a72", "+neon"), ("neoverse-n1", "+neon,+fullfp16")], ids=lambda f: f[0])
def test_other_processors_code_is_made(features: tuple[str, str]) -> None:
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = Machine("aarch64-unknown-linux-gnu", *features)
    for dtype in "df":
        assert compile_ir(loop_module(PROGRAM, dtype, machine).whole, machine)
