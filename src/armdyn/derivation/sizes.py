"""Which arms have closed forms that can be written down."""

from __future__ import annotations

from armdyn.derivation.arm import SymbolicArm


def refuse_large(arm: SymbolicArm) -> None:
    """Raise where closed forms would fill many pages."""
