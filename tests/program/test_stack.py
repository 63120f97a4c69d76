"""Scratch memory of kernels on the stack, by the assembly text for x86 processors."""

import numpy as np
import pytest

import armdyn
from armdyn.program import Port, Program, trace
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm.compiler import assembly
from armdyn.targets.llvm.loop import loop_module
from armdyn.targets.llvm.machine import Machine

TRIPLE = "x86_64-unknown-linux-gnu"
MACHINES = {
    16: Machine(TRIPLE, "x86-64", ""),
    32: Machine(TRIPLE, "haswell", "+avx,+avx2,+fma"),
    64: Machine(TRIPLE, "skylake-avx512", "+avx512f,+avx512vl,+avx512dq,+avx2,+fma"),
}
"""By the bytes of a vector."""


def text_for(program: Program, vector_bytes: int) -> str:
    machine = MACHINES[vector_bytes]
    return assembly(loop_module(program, "d", machine).whole, machine)


def test_stack_of_kernels_is_aligned_to_their_vectors() -> None:
    text = text_for(armdyn.load("ur5").program("forward_dynamics"), 64)
    assert "andq\t$-64, %rsp" in text
    stored = [line for line in text.splitlines() if "zmm" in line and "rsp)" in line and line.split()[0] == "vmovups"]
    assert not [line for line in stored if line.rstrip().endswith("(%rsp)")]  # unaligned


@pytest.mark.parametrize("vector_bytes", MACHINES)
@pytest.mark.parametrize("size", [12, 36])
def test_a_frame_is_made_at_the_entry(size: int, vector_bytes: int) -> None:
    """Behind a first branch LLVM 22 forgets to save registers where the frame is aligned to a page.

    It moved the frame of functions of three arguments with two results, as reactions of joints are.
    """

    def function(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        total = x + y + z
        one = np.array([total[i * 5 % 12] * x[i % 12] for i in range(size)])
        return one, one[::-1]

    text = text_for(trace(function, [Port(name, (12,)) for name in "xyz"]), vector_bytes)
    lines = text[text.index(f"{ENTRY}:") :].splitlines()[1:]
    instructions = [line.split() for line in lines if line.strip() and not line.strip().startswith((".", "#"))]
    assert instructions[0] == ["pushq", "%rbp"]
