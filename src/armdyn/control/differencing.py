"""Velocities from positions without velocity sensors: a difference and a filter."""

from __future__ import annotations

from armdyn.base.checks import number
from armdyn.base.errors import SettingError
from armdyn.control.wrapping import QD, H, Inside, Q, Run, Values
from armdyn.declaration import Function
from armdyn.model.mechanism import Mechanism
from armdyn.program import select


def differencing(controller: Function, time_constant: float = 0.0) -> Function:
    """A controller with filtered differences of the positions in place of qd.

    v[k] = (T v[k-1] + q[k] - q[k-1]) / (T + h), the first-order filter T dv/dt + v = dq/dt by backward Euler. In the
    first step v = 0. States: ``last_q``, ``filtered_velocity`` and ``differencing_started``, all of which begin at
    zero. v is the velocity that the controller receives: the signal of the same name in step k + 1.

    Args:
        controller: the controller inside.
        time_constant: T, s, 0 or more: 0 leaves the differences as they are.

    Raises:
        SettingError: another number.
        TraceError: a controller that does not take qd.

    >>> blind = armdyn.control.differencing(armdyn.control.pd_gravity, time_constant=5e-3)
    >>> blind = armdyn.control.quantised(blind, resolution=2 * np.pi / 65536)
    >>> robot = armdyn.load("ur5")
    >>> loop = armdyn.ClosedLoop(robot, blind, record=["qd", "filtered_velocity"])
    >>> M = robot.mass_matrix(np.zeros(6)).diagonal()
    >>> gains = {"Kp": 100 * M, "Kd": 20 * M}
    >>> rolled = loop(np.zeros(6), steps=2000, q_ref=np.full(6, 0.5), qd_ref=np.zeros(6), **gains)
    >>> bool(abs(rolled.rows.qd - rolled.rows.filtered_velocity)[500:].max() < 0.1)
    True
    """
    T = number("time_constant", time_constant, least=0.0, unit="s", error=SettingError)
    inside = Inside(controller)
    inside.needs("qd", subject="differencing()")
    last, filtered, started = (inside.new(n) for n in ("last_q", "filtered_velocity", "differencing_started"))

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        difference = select(values[started], values["q"] - values[last], 0.0)
        v = (T * values[filtered] + difference) / (T + values["h"])
        result = run(values | {"qd": v})
        return result | {last: values["q"], filtered: v, started: 1.0}

    doc = "Joint forces tau with velocities from differences of the positions, N m or N, shape (..., n)."
    states = {last: Q.shape, filtered: QD.shape, started: ()}
    return inside.wrapped(
        differencing, law, doc, more=[Q, H], without=["qd"], states=states, settings={"time_constant": T}
    )
