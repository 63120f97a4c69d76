"""armdyn's own sine and cosine as a function of a module, with identical bits on every machine.

It returns the sine and leaves the cosine in memory: LLVM's functions of two results are experimental, and wrong if a
caller has many values.
"""

from __future__ import annotations

from armdyn.targets.llvm.doubles import Doubles
from armdyn.targets.llvm.huge_angles import reduce_huge
from armdyn.targets.llvm.scalars import ScalarRegister
from armdyn.targets.llvm.trigonometry import fast_limit, reduce_ordinary, sincos_of_rest
from armdyn.targets.llvm.vectors import FunctionBody
from armdyn.targets.wasm.parts import address_constant

NUMBER = ScalarRegister("double", 1, has_fma=False)
"""A number of WebAssembly, which has no fused multiplication."""

NAME = "sincos"


def sincos_function(table: int, cosine: int) -> str:
    """The function, with the addresses of the bits of 2/pi and of the cosine."""
    out = Doubles()
    out.put("entry:")
    is_huge = out.is_("ogt", out.fabs("%x"), out.number(fast_limit(NUMBER)))
    out.put(f"br i1 {is_huge}, label %huge, label %ordinary")
    out.put("ordinary:")
    r, signed, quadrant = reduce_ordinary(out, NUMBER, "%x")
    out.put("br label %both")
    out.put("huge:")
    huge_r, huge_quadrant = reduce_huge(out, "%x", "ptr", address_constant(table))
    out.put("br label %both")
    out.put("both:")
    signed = out.let(f"phi double [ {signed}, %ordinary ], [ {huge_r}, %huge ]")
    r = out.let(f"phi double [ {r}, %ordinary ], [ {huge_r}, %huge ]")
    quadrant = out.let(f"phi i64 [ {quadrant}, %ordinary ], [ {huge_quadrant}, %huge ]")
    sin_x, cos_x = sincos_of_rest(out, NUMBER, r, quadrant, signed, want_sin=True, want_cos=True)
    out.put(f"store double {cos_x}, ptr {address_constant(cosine)}, align 8")
    out.put(f"ret double {sin_x}")
    return out.function(NAME, "double %x")


def sincos_call(out: FunctionBody, x: str, cosine: int) -> tuple[str, str]:
    """Append a call; returns sine and cosine."""
    sin_x = out.let(f"call double @{NAME}(double {x})")
    return sin_x, out.let(f"load double, ptr {address_constant(cosine)}, align 8")
