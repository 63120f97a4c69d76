"""Measurements with noise, which a loop takes over time: so that the noise can be repeated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array, whole_number
from armdyn.base.errors import SettingError
from armdyn.control.wrapping import Inside, Run, Values
from armdyn.declaration import Argument, Function
from armdyn.model.mechanism import Mechanism
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


def noisy(controller: Function) -> Function:
    """A controller with measurement noise: it receives q + q_noise and qd + qd_noise.

    Both are inputs that may be left out, rad or m, and rad/s or m/s, shape (..., n), for ``over_time=`` of the loop:
    `draw_noise` makes them.

    Args:
        controller: the controller inside.

    Raises:
        TraceError: a controller that takes neither q nor qd.

    >>> robot = armdyn.load("ur5")
    >>> shaky = armdyn.control.noisy(armdyn.control.pd_gravity)
    >>> loop = armdyn.ClosedLoop(robot, shaky, over_time=["q_noise", "qd_noise"])
    >>> noise = armdyn.control.draw_noise(robot, 2000, q=1e-4, qd=1e-2, seed=1)
    >>> M = robot.mass_matrix(np.zeros(6)).diagonal()
    >>> gains = {"Kp": 100 * M, "Kd": 20 * M}
    >>> rolled = loop(np.zeros(6), steps=2000, q_ref=np.full(6, 0.5), qd_ref=np.zeros(6), **gains, **noise)
    >>> bool(1e-6 < abs(rolled.final.q - 0.5).max() < 1e-2)
    True
    """
    inside = Inside(controller)
    inside.needs("q", "qd", subject="noisy()")
    noise = {name: inside.new(f"{name}_noise") for name in ("q", "qd") if name in inside.arguments}

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        measurements = {
            name: values[name] + values[added] for name, added in noise.items() if values.get(added) is not None
        }
        result = run(values | measurements)
        return result

    more = [Argument(name, ("n",), optional=True) for name in noise.values()]
    doc = "Joint forces tau from measurements with noise, N m or N, shape (..., n)."
    return inside.wrapped(noisy, law, doc, more=more)


def draw_noise(
    robot: Robot,
    steps: int,
    *,
    seed: int,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    batch: tuple[int, ...] = (),
) -> dict[str, Array]:
    """Normally distributed noise for `noisy`: ``q_noise`` and ``qd_noise``, shape (steps, *batch, n), by name.

    Args:
        robot: whose joints are measured.
        steps: of the loop.
        seed: of NumPy's generator: a seed gives reproducible noise.
        q: standard deviations of the positions, rad or m, one or (n,); without noise if None.
        qd: of the velocities, rad/s or m/s.
        batch: shape of the arms' axes.

    >>> armdyn.control.draw_noise(armdyn.load("ur5"), 100, q=1e-4, seed=0, batch=(8,))["q_noise"].shape
    (100, 8, 6)
    """
    count = whole_number("steps", steps, least=0, error=SettingError)
    rng = np.random.default_rng(seed)
    noise = {}
    for name, values in (("q", q), ("qd", qd)):
        if values is not None:
            deviations = np.atleast_1d(
                joint_array(robot, name, values, None, "standard deviations", finite=SettingError)
            )
            if deviations.shape not in ((1,), (robot.dof,)) or (deviations < 0.0).any():
                raise SettingError(f"{name}={values!r}; expected one standard deviation, or one a joint, 0 or more")
            noise[f"{name}_noise"] = deviations * rng.standard_normal((count, *batch, robot.dof))
    return noise
