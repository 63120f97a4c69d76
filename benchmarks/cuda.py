"""Inverse dynamics of 10^7 states on NVIDIA's GPU: `python -m benchmarks.cuda` (--states, --rounds, --robots).

It needs NVIDIA's driver, armdyn and its requirements, and nothing else: memory and times come from the driver. Panda
needs the package example-robot-data; the peer, the same program replayed on JAX's arrays under jax.jit, needs JAX with
its CUDA plugin. What is missing is said, and left out. Every kernel's results are compared with the processor's first.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import tempfile
from collections.abc import Callable, Iterator
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import armdyn
from armdyn.errors import ArmdynError
from armdyn.targets.cuda.driver import Driver, the_driver
from armdyn.targets.cuda.kernel import THREADS, CudaKernel
from benchmarks.cases import make_case

CHECKED = 1000
CLOCK, MULTIPROCESSORS = 13, 16  # attributes of a device in cuda.h; the clock is in kHz
LANES = {"float32": {(8, 0): 64}, "float64": dict.fromkeys([(8, 0), (9, 0), (10, 0)], 64)}
OTHER_LANES = {"float32": 128, "float64": 2}
"""Results a multiprocessor gives in one clock, by compute capability, and of all other GPUs."""


class Memory:
    """Memory and times of the GPU whose context is active."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._places: list[c_uint64] = []

    def new(self, size: int) -> int:
        """So many bytes."""
        place = c_uint64()
        self.driver._call("cuMemAlloc_v2", byref(place), c_size_t(size))
        self._places.append(place)
        return place.value

    def sent(self, array: np.ndarray[Any, Any]) -> int:
        """A copy of an array."""
        place = self.new(array.nbytes)
        self.driver._call("cuMemcpyHtoD_v2", c_uint64(place), c_void_p(array.ctypes.data), c_size_t(array.nbytes))
        return place

    def fetched(self, place: int, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
        """Numbers from the GPU."""
        array = np.empty(shape, dtype)
        self.driver._call("cuMemcpyDtoH_v2", c_void_p(array.ctypes.data), c_uint64(place), c_size_t(array.nbytes))
        return array

    def free(self) -> None:
        """Give all back."""
        while self._places:
            self.driver._call("cuMemFree_v2", self._places.pop())

    def seconds(self, run: Callable[[], None], rounds: int) -> float:
        """The median time of a run, by the GPU's own clock, after two that do not count."""
        begin, end, found = c_void_p(), c_void_p(), []
        for event in (begin, end):
            self.driver._call("cuEventCreate", byref(event), c_uint(0))
        for _ in range(rounds + 2):
            self.driver._call("cuEventRecord", begin, c_void_p())
            run()
            self.driver._call("cuEventRecord", end, c_void_p())
            self.driver._call("cuEventSynchronize", end)
            passed = c_float()
            self.driver._call("cuEventElapsedTime", byref(passed), begin, end)
            found.append(passed.value * 1e-3)
        return median(found[2:])


@dataclass(frozen=True)
class Limits:
    """What a GPU can do: bytes a second, as measured by a copy, and instructions a second of each type."""

    bytes: float
    instructions: dict[str, float]


def limits(driver: Driver, memory: Memory, device: int, size: int, rounds: int) -> Limits:
    """Of the GPU whose context is active; ``size`` is in bytes."""
    source, target = memory.new(size), memory.new(size)
    copy = lambda: driver._call("cuMemcpyDtoD_v2", c_uint64(target), c_uint64(source), c_size_t(size))  # noqa: E731
    rate = 2 * size / memory.seconds(copy, rounds)
    memory.free()
    hertz = _attribute(driver, device, CLOCK) * 1e3 * _attribute(driver, device, MULTIPROCESSORS)
    capability = driver.capability(device)
    lanes = {dtype: LANES[dtype].get(capability, OTHER_LANES[dtype]) for dtype in LANES}
    return Limits(rate, {dtype: hertz * count for dtype, count in lanes.items()})


def _attribute(driver: Driver, device: int, attribute: int) -> int:
    value = c_int()
    driver._call("cuDeviceGetAttribute", byref(value), c_int(attribute), c_int(device))
    return value.value


def instructions(kernel: CudaKernel, layout: str) -> int:
    """Floating-point instructions of a state, as they stand in the kernel's PTX."""
    entry = kernel.ptx(layout=layout).split(".entry")[1]
    return len(re.findall(r"^\s*(?:add|sub|mul|fma|div|sqrt|neg|setp\.\w+|selp)\S*\.f(?:32|64)", entry, re.MULTILINE))


def measured(driver: Driver, robot: Any, dtype: str, layout: str, states: int, rounds: int, known: Limits) -> str:
    """One line: states a second, and how much of the binding limit that is."""
    kernel = robot.inverse_dynamics.to_cuda(dtype=dtype)
    n = len(robot.model.coordinates)
    memory, rng = Memory(driver), np.random.default_rng(1)
    arrays = [rng.uniform(-2, 2, (n, states)).astype(dtype) for _ in range(3)]
    arrays = [a if layout == "strided" else np.ascontiguousarray(a.T) for a in arrays]
    size, item = arrays[0].nbytes, arrays[0].itemsize
    places = [*(memory.sent(a) for a in arrays), memory.new(size)]
    strides = [item, states * item] if layout == "strided" else [n * item]
    values = [ctypes.c_int64(v) for v in [states, *(v for place in places for v in (place, *strides))]]
    function = kernel.function(driver, 0, layout)
    blocks = -(-states // THREADS)
    launch = lambda: driver.launch(function, blocks, THREADS, 0, values)  # noqa: E731
    launch()
    driver.wait(0)
    tau = memory.fetched(places[3], arrays[0].shape, dtype)
    few = [a[:, :CHECKED].T if layout == "strided" else a[:CHECKED] for a in (*arrays, tau)]
    expected = robot.inverse_dynamics(*(a.astype(float) for a in few[:3]))
    worst = float(np.abs(few[3] - expected).max() / np.abs(expected).max())
    seconds = memory.seconds(launch, rounds)
    memory.free()
    rates = {"bytes": known.bytes / (4 * n * item), "flops": known.instructions[dtype] / instructions(kernel, layout)}
    binding = min(rates, key=lambda which: rates[which])
    return (
        f"{robot.model.name:10} {dtype} {layout:8} {states / seconds:.3g} states/s, "
        f"{100 * states / seconds / rates[binding]:.0f} % of the limit by {binding} ({rates[binding]:.3g}); "
        f"{driver.registers(function)} registers, {driver.local_bytes(function)} bytes of spills; "
        f"largest error {worst:.1e}"
    )


def jax_peer(robot: Any, dtype: str, states: int, rounds: int) -> str:
    """The same program, replayed with jax.numpy on whole arrays under jax.jit."""
    try:
        import jax
    except ImportError:
        return "JAX is not installed: no peer (pip install 'jax[cuda13]')"
    if jax.default_backend() != "gpu":
        return f"JAX has no GPU here (its backend is {jax.default_backend()}): no peer (pip install 'jax[cuda13]')"
    jax.config.update("jax_enable_x64", True)
    np_ = jax.numpy
    program, n = robot.inverse_dynamics.program(), len(robot.model.coordinates)
    operations = {"add": np_.add, "sub": np_.subtract, "mul": np_.multiply, "div": np_.divide, "neg": np_.negative}
    operations |= {"sin": np_.sin, "cos": np_.cos, "sqrt": np_.sqrt}
    run = jax.jit(lambda *given: np_.stack(program.replay([row for a in given for row in a], operations)[0]))
    rng = np.random.default_rng(1)
    arrays = [np_.asarray(rng.uniform(-2, 2, (n, states)).astype(dtype)) for _ in range(3)]
    found = []
    for _ in range(rounds + 2):
        begin = perf_counter()
        run(*arrays).block_until_ready()
        found.append(perf_counter() - begin)
    return f"{robot.model.name:10} {dtype} jax.jit  {states / median(found[2:]):.3g} states/s (joints first)"


def lines(driver: Driver, robots: list[str], states: int, rounds: int) -> Iterator[str]:
    """The report."""
    major, minor = driver.capability(0)
    with driver.active(0), tempfile.TemporaryDirectory() as folder:
        known = limits(driver, Memory(driver), 0, 16 * states, rounds)
        rates = ", ".join(f"{rate:.3g} {dtype} instructions/s" for dtype, rate in known.instructions.items())
        yield f"compute capability {major}.{minor}, {known.bytes:.3g} bytes/s copied, {rates} by its clock"
        for name in robots:
            try:
                robot = armdyn.load(str(make_case(name, Path(folder)).urdf))
            except FileNotFoundError as error:
                yield f"{name}: {error}{'; the bundled one is taken' if name == 'ur5' else ''}"
                if name != "ur5":
                    continue
                robot = armdyn.load("ur5")
            for dtype in ("float32", "float64"):
                for layout in ("strided", "rows"):
                    yield measured(driver, robot, dtype, layout, states, rounds, known)
                yield jax_peer(robot, dtype, states, rounds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--states", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--robots", default="ur5,panda")
    given = parser.parse_args()
    try:
        driver = the_driver()
    except ArmdynError as error:
        raise SystemExit(f"nothing is measured: {error}") from None
    for line in lines(driver, given.robots.split(","), given.states, given.rounds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
