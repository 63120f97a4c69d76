"""Small functions of a module for what WebAssembly has no instruction for."""

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
"""-1, 0 or 1: whether x is above 0, less whether it is below; NaN for NaN."""
