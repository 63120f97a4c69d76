"""A declared function of one arm, compiled when it is first called; typed on `Arm`, independent of `Robot`."""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm
    from armdyn.functions.compiled import CompiledFunction
    from armdyn.functions.rolled import RolloutResults
    from armdyn.functions.rollouts import CompiledRollout
    from armdyn.functions.unfinished import RolloutInterrupted

_WHERE = {
    "Arm": "arm",
    "CompiledFunction": "compiled",
    "CompiledRollout": "rollouts",
    "RolloutResults": "rolled",
    "RolloutInterrupted": "unfinished",
}

__all__ = ["Arm", "CompiledFunction", "CompiledRollout", "RolloutInterrupted", "RolloutResults"]

__getattr__ = names_of(__name__, _WHERE)
