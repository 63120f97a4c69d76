"""Controllers that cannot be traced: ordinary functions of Python, called by `armdyn.simulate` at a sample time."""

from __future__ import annotations

from collections.abc import Callable

from armdyn.simulation.forces import Callback
from armdyn.spatial.rotations import Array


def callback(function: Callable[[float, Array, Array], object], *, sample_time: float) -> Callback:
    """An ordinary function as the ``torque`` or ``f_tip`` of `armdyn.simulate`, called at its own sample time.

    See `armdyn.simulation.forces.Callback`. It runs in Python, one call per sample: for what is an `armdyn.function`,
    `armdyn.ClosedLoop` is far faster.

    Args:
        function: of (t, q, qd), s, rad or m, rad/s or m/s, shape (..., n); it returns N m or N, shape (..., n).
        sample_time: s; its value is held in between.

    >>> robot = armdyn.load("planar_2r")
    >>> def torque(t, q, qd):
    ...     pull = robot.gravity_forces(q) - 5 * qd
    ...     return np.clip(pull, -20, 20) if t < 1 else np.zeros(2)
    >>> sampled = armdyn.control.callback(torque, sample_time=0.01)
    >>> motion = armdyn.simulate(robot, np.zeros(2), duration=2.0, torque=sampled, method="rk4")
    """
    return Callback(function, sample_time)
