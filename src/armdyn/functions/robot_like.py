"""`RobotLike`: the part of `armdyn.Robot` that functions read which are methods of it too."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol

from armdyn.functions.arm import Arm
from armdyn.functions.compiled import CompiledFunction
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from collections.abc import Callable

    from armdyn.declaration import Function
    from armdyn.model.coupling import Coordinate
    from armdyn.model.joint import Joint
    from armdyn.model.mechanism import Mechanism


class RobotLike(Arm, Hashable, Protocol):
    """A robot for functions that must not import its class: `armdyn.Robot` is one.

    `armdyn.Robot` names the functions that become its methods, for their types. A function that named the class in turn
    would make a circle of imports; it takes this instead.
    """

    @property
    def name(self) -> str:
        """The robot's name."""

    @property
    def dof(self) -> int:
        """n, the size of q."""

    @property
    def joints(self) -> tuple[Joint | Coordinate, ...]:
        """The entries of q, in order."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the entries of q, in order."""

    @property
    def mechanism(self) -> Mechanism:
        """The model in canonical link frames, in float64."""

    @property
    def compile(self) -> Callable[..., CompiledFunction]:
        """Compiles a declared function."""

    @property
    def random_configuration(self) -> Callable[..., Array]:
        """Joint positions within the limits, from a seed, rad or m, shape (..., n)."""

    @property
    def mass_matrix(self) -> Callable[..., Array]:
        """M(q), kg m^2, kg m or kg, shape (..., n, n)."""

    @property
    def jacobian(self) -> Callable[..., Array]:
        """J(q), the twist of a frame per joint velocity, shape (..., 6, n)."""

    @property
    def momentum_regressor(self) -> Callable[..., Array]:
        """Regressor of the momentum M qd, shape (..., n, parameters)."""

    @property
    def lagrangian_gradient_regressor(self) -> Callable[..., Array]:
        """Regressor of dL/dq = C^T qd - g, shape (..., n, parameters)."""

    @property
    def regressor(self) -> Callable[..., Array]:
        """Y(q, qd, qdd), joint forces per inertial parameter, shape (..., n, parameters)."""


def compile_for(function: Function, robot: Arm) -> CompiledFunction:
    """A function compiled for a robot, which keeps it under the function's name for the next call."""
    compiled: dict[str, CompiledFunction] = vars(robot)
    name = f"_{function.name}"
    return compiled[name] if name in compiled else compiled.setdefault(name, CompiledFunction(robot, function))
