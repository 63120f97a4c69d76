"""`compensation`: an arm that floats, as a function, as C99 in a folder, and as a loop in Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, number
from armdyn.base.errors import ModelError
from armdyn.base.threads import cached_property
from armdyn.base.writing import write_folder
from armdyn.control.floating import floating_goal, floating_torque
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.compiled import CompiledFunction
    from armdyn.identification import Fit
    from armdyn.robot import Robot
    from armdyn.targets.c.code import CCode

SHARE = 0.3
"""The part of the known friction that is compensated. The rest damps the arm, and holds errors of gravity."""

RAMP = 2.0
"""Time of the ramp, s."""

TERMS = ("viscous", "coulomb", "load")
"""The terms of friction that are compensated."""


@dataclass(frozen=True, eq=False)
class Compensation:
    """Gravity and friction compensation of an arm.

    Args:
        robot: whose gravity is compensated, fitted or as described.
        friction: the compensated numbers of each joint, by `TERMS`, each of shape (n,).
        limit: largest joint forces, N m or N, shape (n,).
        ramp: time of the ramp, s.
        frame: of the payload.
        stiffness: k of position servos, N m/rad or N/m, shape (n,); None for servos that take torques.
    """

    robot: Robot
    friction: dict[str, Array]
    limit: Array
    ramp: float
    frame: str
    stiffness: Array | None = None

    @property
    def inputs(self) -> dict[str, Any]:
        """The constant inputs of `step`, by name."""
        servo = {} if self.stiffness is None else {"stiffness": self.stiffness}
        return {**self.friction, "limit": self.limit, "ramp": self.ramp, **servo}

    @cached_property
    def step(self) -> CompiledFunction:
        """`floating_torque`, or `floating_goal` of position servos, with mass and centre of the payload as inputs."""
        law = floating_torque if self.stiffness is None else floating_goal
        return self.robot.compile(law, parameters=[f"{self.frame}.payload.mass", f"{self.frame}.payload.com"])

    def __call__(
        self, q: ArrayLike, qd: ArrayLike, t: float, *, mass: float = 0.0, com: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Array:
        """Joint forces, N m or N, or goals of position servos, rad or m, shape (..., n).

        Args:
            q: joint positions, rad or m, shape (..., n).
            qd: joint velocities, rad/s or m/s, shape (..., n).
            t: time since the start, s.
            mass: of the payload, kg.
            com: its centre of mass in ``frame``, m, shape (3,).
        """
        payload = dict(zip(self._payload, (mass, np.asarray(com, dtype=np.float64)), strict=True))
        return np.asarray(self.step(q, qd, t, **self.inputs, **payload))

    @cached_property
    def _payload(self) -> tuple[str, str]:
        """The names of the inputs of the payload: its mass, its centre of mass."""
        mass, com = (port.name for port in self.step.program().inputs[-2:])
        return mass, com

    def to_c(self, name: str = "compensation", scalar: str = "float") -> CCode:
        """C99 of `step`, with a self-test.

        Args:
            name: of the files.
            scalar: "double" or "float".
        """
        code: CCode = self.step.to_c(name=name, scalar=scalar)
        return code

    def write(self, folder: str | Path, *, name: str = "compensation", scalar: str = "float") -> list[Path]:
        """Write NAME.c, NAME.h, NAME_selftest.c, CMakeLists.txt, and NAME_numbers.h with the constant inputs.

        Args:
            folder: made if there is none.
            name: of the files.
            scalar: "double" or "float".
        """
        files = {file: text.encode("ascii") for file, text in self.to_c(name, scalar).files.items()}
        files[f"{name}_numbers.h"] = self.numbers(name, scalar).encode("ascii")
        return write_folder(folder, files)

    def numbers(self, name: str = "compensation", scalar: str = "float") -> str:
        """A header of C99 with the constant inputs of `step`, in the order of its arguments."""
        guard, suffix = f"{name.upper()}_NUMBERS_H", "f" if scalar == "float" else ""
        lines = [f"#ifndef {guard}", f"#define {guard}", ""]
        for word, value in self.inputs.items():
            entries = [f"{float(x)!r}{suffix}" for x in np.atleast_1d(value)]
            if np.ndim(value):
                lines.append(f"static const {scalar} {name}_{word}[{len(entries)}] = {{{', '.join(entries)}}};")
            else:
                lines.append(f"static const {scalar} {name}_{word} = {entries[0]};")
        return "\n".join([*lines, "", "#endif", ""])

    def run(
        self,
        read: Callable[[], tuple[ArrayLike, ArrayLike]],
        command: Callable[[Array], None],
        *,
        duration: float,
        rate: float = 50.0,
        mass: float = 0.0,
        com: ArrayLike = (0.0, 0.0, 0.0),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> int:
        """Float the arm from a loop in Python; the number of steps.

        Args:
            read: returns q and qd of the arm, shape (n,) each.
            command: takes the joint forces, or the goals of position servos, shape (n,).
            duration: s.
            rate: steps per second, Hz.
            mass: of the payload, kg.
            com: its centre of mass in ``frame``, m.
            clock: returns the time, s.
            sleep: waits for a number of seconds.
        """
        start, steps = clock(), 0
        while (t := clock() - start) < duration:
            q, qd = read()
            command(self(q, qd, t, mass=mass, com=com))
            steps += 1
            sleep(max(0.0, start + steps / rate - clock()))
        return steps


def compensation(
    arm: Robot | Fit,
    *,
    share: float = SHARE,
    limit: ArrayLike | None = None,
    ramp: float = RAMP,
    frame: str | None = None,
    stiffness: ArrayLike | None = None,
) -> Compensation:
    """Gravity and friction compensation of an arm: it stays wherever it is put, and is moved by hand.

    Args:
        arm: a robot, whose joints' damping and Coulomb friction count, or a `Fit`, whose friction terms do.
        share: the part of the friction that is compensated, 0 to 1.
        limit: largest joint forces, N m or N, one or one for each joint; those of the description if None.
        ramp: time in which the forces rise from zero, s.
        frame: of the payload; the tip if None.
        stiffness: k of position servos that drive a joint by k (q_goal - q), N m/rad or N/m, one or one for each joint;
            None for servos that take torques.

    Raises:
        ModelError: joints without a limit of force, if none is passed.

    >>> floating = armdyn.control.compensation(armdyn.load("ur5"))
    >>> q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> tau = floating(q, np.zeros(6), 5.0, mass=1.0)
    >>> held = armdyn.load("ur5").with_payload(mass=1.0)
    >>> bool(np.allclose(tau, held.gravity_forces(q), rtol=0, atol=1e-12))
    True
    """
    from armdyn.identification import Fit  # noqa: PLC0415 - of fits only

    robot = arm.robot if isinstance(arm, Fit) else arm
    numbers = _fitted(arm) if isinstance(arm, Fit) else _described(arm)
    part = number("share", share, least=0.0, error=ModelError)
    if part > 1.0:
        raise ModelError(f"share={part:g} of the friction; more than 1 pushes the arm on. Expected 0 to 1")
    limits = _limits(robot) if limit is None else _of_all("limit", limit, robot)
    servo = None if stiffness is None else _of_all("stiffness", stiffness, robot)
    for name, values in (("limit", limits), ("stiffness", servo)):
        if values is not None and not (values > 0.0).all():
            raise ModelError(f"{name}={values.tolist()}; expected numbers above zero")
    return Compensation(
        robot,
        {name: part * values for name, values in numbers.items()},
        limits,
        number("ramp", ramp, above=0.0, unit="s", error=ModelError),
        robot.model.frame(frame).name,
        servo,
    )


def _of_all(name: str, value: ArrayLike, robot: Robot) -> Array:
    """A number of each joint, of one for all or one for each."""
    if np.ndim(value) == 0:
        return np.full(robot.dof, number(name, value, error=ModelError))
    return array(name, value, (robot.dof,))


def _fitted(fit: Fit) -> dict[str, Array]:
    """The friction terms of a fit."""
    of_joints = [fit.friction(name) for name in fit.source.joint_names]
    return {term: np.array([numbers.get(term, 0.0) for numbers in of_joints]) for term in TERMS}


def _described(robot: Robot) -> dict[str, Array]:
    """Damping and Coulomb friction of a robot's joints."""
    words = {"viscous": "damping", "coulomb": "friction"}
    numbers = {
        term: np.array([float(getattr(joint, word, 0.0)) for joint in robot.joints]) for term, word in words.items()
    }
    return {**numbers, "load": np.zeros(robot.dof)}


def _limits(robot: Robot) -> Array:
    """The largest joint forces of the description."""
    limits = np.array(robot.effort_limits, dtype=np.float64)
    open_ones = [name for name, limit in zip(robot.joint_names, limits, strict=True) if not np.isfinite(limit)]
    if open_ones:
        raise ModelError(f"joints {', '.join(open_ones)} have no limit of force; pass limit=, N m or N")
    return limits
