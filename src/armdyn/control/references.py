"""Tables of references for a closed loop, from the motions of `armdyn.trajectory`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import SettingError
from armdyn.spatial.rotations import Array
from armdyn.trajectory import CartesianPath, JointPath


def references(path: JointPath | CartesianPath, times: ArrayLike) -> dict[str, Array]:
    """References at times, by the names that the controllers of this package give them.

    Of a `JointPath` ``q_ref``, ``qd_ref``, ``qdd_ref``, rad or m and their rates, shape (steps, n); of a
    `CartesianPath` ``T_ref``, ``V_ref``, ``Vdot_ref``, shape (steps, 4, 4) and (steps, 6), expressed as "world". Before
    its beginning and after its end the motion rests at its ends.

    Args:
        path: the motion.
        times: when each step of the loop begins, s, shape (steps,).

    Raises:
        SettingError: a value that is not a path, or times that are not finite.

    >>> law = armdyn.trajectory.Quintic(1.0, duration=1.0)
    >>> path = armdyn.trajectory.point_to_point(np.zeros(6), np.ones(6), law)
    >>> tables = armdyn.control.references(path, 1e-3 * np.arange(1500))
    >>> loop = armdyn.ClosedLoop(armdyn.load("ur5"), armdyn.control.computed_torque, over_time=tables)
    >>> rolled = loop(np.zeros(6), steps=1500, Kp=np.full(6, 100.0), Kd=np.full(6, 20.0), **tables)
    >>> bool(abs(rolled.final.q - 1.0).max() < 1e-3)
    True
    """
    t = array("times", times, ("steps",), finite=SettingError)
    if not isinstance(path, JointPath | CartesianPath):
        raise SettingError(f"path={path!r}; expected a JointPath or a CartesianPath of armdyn.trajectory")
    place, rate, acceleration = path.evaluate(np.clip(t, 0.0, path.duration))
    outside = ((t < 0.0) | (t > path.duration))[:, None]
    names = ("q_ref", "qd_ref", "qdd_ref") if isinstance(path, JointPath) else ("T_ref", "V_ref", "Vdot_ref")
    tables = place, np.where(outside, 0.0, rate), np.where(outside, 0.0, acceleration)
    return dict(zip(names, tables, strict=True))
