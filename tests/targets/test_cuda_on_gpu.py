"""Kernels on a GPU: tests of `test_cuda.py` and `test_cuda_source.py`, and every public function of two arms.

PTX is compiled by NVIDIA's driver, CUDA C++ by its run-time compiler. All are skipped where there is no GPU.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.program import Program, interpret
from determinism.programs import programs
from oracles.trees import random_tree, to_armdyn
from targets import cuda_on_cpu, test_cuda, test_cuda_source
from targets.cuda_on_gpu import CompiledByNvrtc, run
from targets.exported import arguments, assert_same, public_programs
from targets.test_cuda import (  # noqa: F401 - collected here too
    test_angles_of_any_size,
    test_closed_loops_of_actuated_arms,
    test_huge_angle_within_a_rollout,
    test_mathematics,
    test_operations_and_shapes,
    test_packed,
    test_powers,
    test_rollout_of_an_arm,
    test_rollouts,
    test_special_values,
)
from targets.test_cuda_source import (  # noqa: F401 - collected here too
    test_names_that_the_kernel_uses,
    test_operations_shapes_and_rollouts,
)

PARTS = 8
"""Into which the functions of an arm are divided, for processes that share them."""

LARGEST_RESULT = 2000
"""Numbers of a result that is stored in rows only: LLVM takes a minute for the strided addresses of more."""


@pytest.fixture(autouse=True)
def _on_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """What those tests run runs on the GPU."""
    monkeypatch.setattr(test_cuda, "run", run)
    monkeypatch.setattr(test_cuda_source, "Compiled", CompiledByNvrtc)


def programs_of(robot: str) -> Iterator[tuple[str, Program]]:
    """Every public function, with and without optional arrays."""
    if robot == "ur5":
        return public_programs(robot)
    return programs(armdyn.Robot(to_armdyn(random_tree(7, 6))))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("robot", ["ur5", "tree"])
def test_every_public_function(robot: str, part: int, dtype: str) -> None:
    """float64 beside the interpreter; float32 loses no more than the same code on the processor, but for rounding."""
    for number, (_, program) in enumerate(programs_of(robot)):
        if number % PARTS != part:
            continue
        arrays = [a.astype(dtype).astype(float) for a in arguments(program)]
        largest = sum(port.size for port in program.outputs)
        layout = "rows" if largest > LARGEST_RESULT else ("strided", "rows", "packed")[number // PARTS % 3]
        if layout == "packed" and not program.to_cuda(dtype=dtype).shared_bytes:
            layout = "rows"
        found = run(program, arrays, dtype=dtype, layout=layout)
        if dtype == "float64":
            assert_same(found, program, arrays)
            continue
        on_cpu = cuda_on_cpu.run(program, arrays, dtype=dtype, layout=layout)
        for result, other, exact, port in zip(found, on_cpu, interpret(program, *arrays), program.outputs, strict=True):
            one = np.asarray(result, float).reshape(exact.shape)
            lost = np.abs(np.asarray(other, float).reshape(exact.shape) - exact).max(initial=0.0)
            scale = np.abs(exact).max(initial=1.0)
            np.testing.assert_allclose(
                one, exact, rtol=0, atol=4.0 * lost + 3e-6 * scale, err_msg=f"{program.name}: {port.name}"
            )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_subnormal_numbers(dtype: str) -> None:
    """Nothing is flushed to zero, neither what is given nor what is found."""
    tiny = np.finfo(dtype).smallest_subnormal
    x: Any = (np.arange(1, 200) * tiny)[:, None].astype(dtype)
    program = armdyn.program.trace(lambda x: (x[0] * 0.5, x[0] + x[0], -x[0]), [armdyn.program.Port("x", (1,))])
    half, twice, minus = run(program, [x], dtype=dtype)
    np.testing.assert_array_equal(half, (x[:, 0] * np.dtype(dtype).type(0.5)))
    np.testing.assert_array_equal(twice, 2 * x[:, 0])
    np.testing.assert_array_equal(minus, -x[:, 0])
