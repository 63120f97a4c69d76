"""The robot as the numeric functions of this package see it, and its compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from armdyn.declaration import Function
from armdyn.functions import CompiledFunction
from armdyn.functions.arm import Arm
from armdyn.model.constraints import Row
from armdyn.model.mechanism import Mechanism


class ConstrainedRobot(Arm, Protocol):
    """A robot with constraints: `armdyn.Robot` is one."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def dof(self) -> int: ...  # noqa: D102
    @property
    def mechanism(self) -> Mechanism: ...  # noqa: D102
    @property
    def joint_names(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def constraint_rows(self) -> tuple[Row, ...]: ...  # noqa: D102
    @property
    def mass_matrix(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def jacobian(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_error(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_jacobian(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_velocity(self) -> Callable[..., Any]: ...  # noqa: D102
    @property
    def constraint_drift(self) -> Callable[..., Any]: ...  # noqa: D102


def compiled(function: Function, robot: ConstrainedRobot) -> CompiledFunction:
    """A function of `armdyn.constraints.dynamics` compiled for a robot, which keeps it for the next call."""
    kept: dict[str, CompiledFunction] = vars(robot)
    name = f"_{function.name}"
    return kept[name] if name in kept else kept.setdefault(name, CompiledFunction(robot, function))
