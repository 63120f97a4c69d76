"""A declared function of one arm, compiled when it is first called; typed on `Arm`, independent of `Robot`."""

from armdyn.base.lazy import modules_of
from armdyn.functions.arm import Arm
from armdyn.functions.compiled import CompiledFunction
from armdyn.functions.rolled import Rolled
from armdyn.functions.rollouts import CompiledRollout
from armdyn.functions.unfinished import RolloutInterrupted

__all__ = ["Arm", "CompiledFunction", "CompiledRollout", "Rolled", "RolloutInterrupted"]

__getattr__ = modules_of(__name__)
