"""Closed forms of the equations of motion, derived step by step with SymPy.

`armdyn.derive` returns a `Derivation`: steps, equations, and results in the arrangement of textbooks; its methods
`task_space` and `constrained` return `TaskEquations` and `ConstrainedEquations`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import MissingLibrary
from armdyn.base.extras import extra, stand_in
from armdyn.base.lazy import has_module, module_of
from armdyn.base.threads import undivided

if TYPE_CHECKING:
    from armdyn.derivation.arm import SymbolicArm
    from armdyn.derivation.constrained import ConstrainedEquations
    from armdyn.derivation.derivation import Derivation, derive
    from armdyn.derivation.dh import from_dh
    from armdyn.derivation.parameters import symbolic_arm
    from armdyn.derivation.steps import Equation, Step
    from armdyn.derivation.task import TaskEquations

_WHERE = {
    "ConstrainedEquations": "constrained",
    "Derivation": "derivation",
    "Equation": "steps",
    "Step": "steps",
    "SymbolicArm": "arm",
    "TaskEquations": "task",
    "derive": "derivation",
    "from_dh": "dh",
    "symbolic_arm": "parameters",
}

__all__ = [
    "ConstrainedEquations",
    "Derivation",
    "Equation",
    "Step",
    "SymbolicArm",
    "TaskEquations",
    "derive",
    "from_dh",
    "symbolic_arm",
]


def __getattr__(name: str) -> Any:
    """Import a public name or a module at first access; SymPy is an extra, required by every module.

    Without it a public name is a class that raises MissingLibrary when it is called, so that the package can be listed.
    """
    if name not in _WHERE and not has_module(__name__, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with undivided():
        try:
            extra("sympy", f"armdyn.derivation.{name}", library="SymPy")
        except MissingLibrary as error:
            if name not in _WHERE:
                raise
            return stand_in(name, __name__, str(error))
        return (
            getattr(import_module(f"{__name__}.{_WHERE[name]}"), name) if name in _WHERE else module_of(__name__, name)
        )


def __dir__() -> list[str]:
    return sorted(__all__)
