"""Functions of 10^7 states and rollouts of 10^6 arms on NVIDIA's GPU: `python -m benchmarks.cuda`.

It needs NVIDIA's driver, armdyn and its requirements, and nothing else: memory and times come from the driver. Panda
needs the package example-robot-data. Peers are timed on the same GPU, in rounds that go through all of them: the same
program replayed on JAX's arrays under jax.jit, frax, and MuJoCo's MJX, as far as they are installed; what is missing is
said, and left out. Every kernel's results are compared with the processor's first.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import tempfile
from collections.abc import Iterator, Sequence
from ctypes import byref, c_int, c_size_t, c_uint64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import armdyn
from armdyn.base.errors import ArmdynError
from armdyn.targets.cuda.driver import Driver, the_driver
from armdyn.targets.cuda.kernel import CudaKernel
from benchmarks.cases import Case, make_case
from benchmarks.cuda_cases import GpuCase, functions, rollouts
from benchmarks.cuda_memory import Memory
from benchmarks.cuda_peers import peer_lines
from benchmarks.cuda_placed import Placed

CLOCK, MULTIPROCESSORS, NAME_BYTES = 13, 16, 100  # attributes of a device in cuda.h; the clock is in kHz
LANES = {"float32": {(8, 0): 64}, "float64": dict.fromkeys([(8, 0), (9, 0), (10, 0)], 64)}
OTHER_LANES = {"float32": 128, "float64": 2}
"""Results a multiprocessor gives in one clock, by compute capability, and of all other GPUs."""


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


def name_of(driver: Driver, device: int) -> str:
    """The GPU's name."""
    text = ctypes.create_string_buffer(NAME_BYTES)
    driver._call("cuDeviceGetName", text, c_int(NAME_BYTES), c_int(device))
    return text.value.decode()


def instructions(kernel: CudaKernel, layout: str) -> int:
    """Floating-point instructions of a state, or of a step of one, as they stand in the kernel's PTX."""
    entry = kernel.ptx(layout=layout).split(".entry")[1]
    return len(re.findall(r"^\s*(?:add|sub|mul|fma|div|sqrt|neg|setp\.\w+|selp)\S*\.f(?:32|64)", entry, re.MULTILINE))


def measured(driver: Driver, case: GpuCase, dtype: str, layout: str, rounds: int, known: Limits) -> str:
    """One line: states a second, or steps of states, and how much of the binding limit that is."""
    placed = Placed(driver, case, dtype, layout)
    worst = placed.error()
    steps = max(case.steps, 1)
    rate = placed.states * steps / placed.memory.seconds(lambda: placed.launch(case.steps), rounds)
    of_instructions = known.instructions[dtype] / instructions(placed.kernel, layout)
    rates = {"bytes": known.bytes / placed.bytes * steps, "flops": of_instructions}
    placed.memory.free()
    binding = min(rates, key=lambda which: rates[which])
    return (
        f"{case.name:20} {dtype} {layout:8} {rate:.3g} {'steps' if case.steps else 'states'}/s, "
        f"{100 * rate / rates[binding]:.0f} % of the limit by {binding} ({rates[binding]:.3g}); "
        f"{driver.registers(placed.function)} registers, {driver.local_bytes(placed.function)} bytes of spills; "
        f"largest error {worst:.1e}"
    )


def robot_of(name: str, folder: Path) -> tuple[Any, Case | None, str]:
    """A robot, its file where there is one, and what is to be said of it."""
    try:
        case = make_case(name, folder)
    except FileNotFoundError as error:
        if name != "ur5":
            return None, None, f"{name}: {error}"
        return armdyn.load("ur5"), None, f"ur5: {error}; the bundled one is taken"
    return armdyn.load(str(case.urdf)), case, f"{name}:"


def lines(driver: Driver, given: argparse.Namespace) -> Iterator[str]:
    """The report."""
    major, minor = driver.capability(0)
    with driver.active(0), tempfile.TemporaryDirectory() as folder:
        known = limits(driver, Memory(driver), 0, 16 * given.states, given.rounds)
        rates = ", ".join(f"{rate:.3g} {dtype} instructions/s" for dtype, rate in known.instructions.items())
        yield f"{name_of(driver, 0)}, compute capability {major}.{minor}, {known.bytes:.3g} bytes/s copied, {rates}"
        for name in given.robots.split(","):
            robot, case, said = robot_of(name, Path(folder))
            yield said
            if robot is None:
                continue
            for one in functions(robot, given.states):
                for dtype in given.dtypes.split(","):
                    packed = ["packed"] if one.source.to_cuda(dtype=dtype).shared_bytes else []
                    for layout in ["strided", "rows", *packed]:
                        yield measured(driver, one, dtype, layout, given.rounds, known)
            for one in rollouts(robot, given.arms, given.steps):
                for dtype in given.dtypes.split(","):
                    yield measured(driver, one, dtype, "strided", min(given.rounds, 5), known)
            if given.peer_states:
                yield from peer_lines(driver, robot, case, given)


def options(given: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--states", type=int, default=10_000_000)
    parser.add_argument("--arms", type=int, default=1_000_000, help="of a rollout")
    parser.add_argument("--steps", type=int, default=1000, help="of a rollout")
    parser.add_argument("--peer-states", type=int, default=2_000_000, help="beside peers; 0: no peers")
    parser.add_argument("--peers", default="replay,frax,mjx")
    parser.add_argument("--dtypes", default="float32,float64")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--robots", default="ur5,panda")
    return parser.parse_args(given)


def main() -> None:
    """Measure and print."""
    given = options()
    try:
        driver = the_driver()
    except ArmdynError as error:
        raise SystemExit(f"nothing is measured: {error}") from None
    for line in lines(driver, given):
        print(line, flush=True)


if __name__ == "__main__":
    main()
