"""Small functions of a module for operations without an instruction of WebAssembly."""

from __future__ import annotations

from armdyn.targets.wasm.encoder import F64, Code, Signature
from armdyn.targets.wasm.instructions import assembled

SIGN = Code(
    "sign",
    Signature(F64, F64),
    b"",
    assembled(
        """
        get x  f64.const 0.0  f64.gt  get x  f64.const 0.0  f64.lt  i32.sub  f64.convert_i32_s
        get x
        get x  get x  f64.eq  select
        """,
        {"x": 0},
    ),
)
"""The sign of x, -1, 0 or 1: (x > 0) - (x < 0); NaN for NaN."""
