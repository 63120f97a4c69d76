"""The recursions as compiled functions, one for each number of joints, compiled at first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from armdyn.base.arrays import are_plain
from armdyn.program import Port, Program, trace
from armdyn.targets import load_or_compile, source_digest
from armdyn.targets.kernels import NumpyFunction

Shape = tuple[int, ...]


def shapes(n: int) -> dict[str, Shape]:
    """The shapes of the recursions' arguments for an arm of n joints."""
    return {
        "q": (n,),
        "qd": (n,),
        "qdd": (n,),
        "g": (3,),
        "f_tip": (6,),
        "M": (4, 4),
        "goal": (4, 4),
        "Mlist": (n + 1, 4, 4),
        "Glist": (n, 6, 6),
        "Slist": (6, n),
        "Blist": (6, n),
    }


@cache
def compile_kernel(function: Callable[..., object], n: int) -> NumpyFunction:
    """A function of `recursion` as a ufunc of float64 arrays for arms of n joints; leading axes broadcast."""
    key = ("modern_robotics", function.__name__, n, source_digest("modern_robotics", "spatial"))
    return load_or_compile(repr(key), lambda: program(function, n)).for_float64


def try_kernel(run: Callable[..., object], *arrays: object) -> Any:
    """The result for unchanged arguments; None if they must be checked and converted first."""
    if not are_plain(arrays):
        return None
    try:
        return run(*arrays)
    except (TypeError, ValueError, OverflowError):
        return None


def program(function: Callable[..., object], n: int) -> Program:
    """The straight-line program of a function of `recursion` for arms of n joints."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return trace(function, [Port(name, shapes(n)[name]) for name in names], name=function.__name__)
