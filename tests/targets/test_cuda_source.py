"""CUDA C++ compiled for this processor, by a header that says what a thread is, and run beside the interpreter."""

import ctypes
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.program import Port, Program, Rollout, trace
from armdyn.targets.c.building import CompilerError, here
from targets.cuda_on_cpu import computed
from targets.exported import ROBOTS, arguments, assert_same, odd_shapes, public_programs, single_operations
from targets.test_cuda import RNG, damped, expected_rollout

HEADER = """\
#include <math.h>
#include <string.h>
#define __global__
#define __device__
struct place { unsigned x; };
static place blockIdx, gridDim, threadIdx, blockDim;
extern "C" void thread(unsigned number, unsigned count)
{
    blockIdx.x = number; gridDim.x = count; threadIdx.x = 0; blockDim.x = 1;
}
struct float2 { float x, y; }; struct float4 { float x, y, z, w; }; struct double2 { double x, y; };
static float2 make_float2(float x, float y) { return {x, y}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static double2 make_double2(double x, double y) { return {x, y}; }
static float __int_as_float(int bits) { float number; memcpy(&number, &bits, 4); return number; }
static void sincos_of(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
static void sincosf_of(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
#define sincos sincos_of
#define sincosf sincosf_of
"""


def _compiler() -> list[str]:
    try:
        return here()
    except CompilerError as error:
        pytest.skip(str(error))


class Compiled:
    """Kernels of programs and rollouts by C++, in one library."""

    def __init__(self, sources: Sequence[Program | Rollout], dtype: str, layout: str, folder: Path) -> None:
        Path(folder, "kernels.cpp").write_text(HEADER + text_of(sources, dtype, layout))
        flags = ["-x", "c++", "-std=c++11", "-O0", "-shared", "-fPIC", "-w", "-o", "kernels.so"]
        done = subprocess.run(
            [*_compiler(), *flags, "kernels.cpp", "-lm"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[:2000]
        self.library = ctypes.CDLL(str(Path(folder, "kernels.so")))
        self.sources, self.dtype, self.layout = list(sources), dtype, layout

    def run(self, number: int, arrays: Sequence[np.ndarray], *, steps: int = 0, every: int = 1) -> list[np.ndarray]:
        """The outputs; where strided, the states lie along the last axis of memory."""

        def call(threads: int, values: Sequence[int], kept: Sequence[np.ndarray]) -> None:
            for thread in range(threads):
                self.library.thread(thread, threads)
                self.library[f"kernel{number}"](*map(ctypes.c_int64, values))

        return computed(call, self.sources[number], arrays, self.dtype, self.layout, steps, every)


def text_of(sources: Sequence[Program | Rollout], dtype: str, layout: str) -> str:
    """The CUDA C++ of kernels named ``kernel0``, ``kernel1``, ... in one file."""
    kernels = [one.to_cuda(dtype=dtype, name=f"kernel{k}").source_for(layout) for k, one in enumerate(sources)]
    return "\n".join(f"namespace n{k} {{\n{text}}}\n" for k, text in enumerate(kernels))


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_public_function(robot: str, tmp_path: Path) -> None:
    programs = [program for _, program in public_programs(robot)]
    compiled = Compiled(programs, "float64", "strided", tmp_path)
    for number, program in enumerate(programs):
        arrays = arguments(program)
        assert_same(compiled.run(number, arrays), program, arrays)


@pytest.mark.short_run("float32-rows")
@pytest.mark.parametrize(("dtype", "layout"), [("float64", "rows"), ("float32", "rows"), ("float32", "strided")])
def test_operations_shapes_and_rollouts(dtype: str, layout: str, tmp_path: Path) -> None:
    programs = [*single_operations(), odd_shapes(), armdyn.load("ur5").mass_matrix.program()]
    rollouts = [damped(), damped(fixed=True)]
    compiled = Compiled([*programs, *rollouts], dtype, layout, tmp_path)
    rtol = 1e-14 if dtype == "float64" else 3e-6
    for number, program in enumerate(programs):
        arrays = arguments(program)
        assert_same(compiled.run(number, arrays), program, arrays, rtol)
    x, v, u, d = RNG.normal(size=(5, 2)), RNG.normal(size=(5, 2)), RNG.normal(size=(5, 7, 2)), RNG.uniform(size=5)
    for number, rollout in enumerate(rollouts, start=len(programs)):
        found = compiled.run(number, [x, v, u, d], steps=7, every=3)
        for result, expected in zip(found, expected_rollout(rollout, x, v, u, d, 3), strict=True):
            np.testing.assert_allclose(result, expected, rtol=10 * rtol, atol=10 * rtol)


def test_names_that_the_kernel_uses(tmp_path: Path) -> None:
    """Of arrays; and one that would end a comment, or go on in the next line."""
    names = ["t_0", "result_0", "count", "q", "q_group0", "q_out", "a\nb\\"]
    program = trace(lambda *x: (np.sin(x[0]) + np.cos(x[0]) + x[3], sum(x)), [Port(n, (2,)) for n in names], ["q", "c"])
    named = replace(program, name="odd \n name \\")
    kernels = Compiled([named], "float64", "rows", tmp_path)
    arrays = arguments(named)
    assert_same(kernels.run(0, arrays), named, arrays)
