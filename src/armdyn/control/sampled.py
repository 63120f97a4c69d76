"""A controller with a sample time of its own: it runs at every m-th step, and its results are held in between."""

from __future__ import annotations

from armdyn.base.checks import whole_number
from armdyn.base.errors import SettingError
from armdyn.control.wrapping import H, Inside, Run, Values
from armdyn.declaration import Function
from armdyn.model.mechanism import Mechanism
from armdyn.program import Expr, less, select
from armdyn.simulation.drivers.grid import MOST_STEPS


def sampled(controller: Function, every: int) -> Function:
    """A controller that runs at the steps 0, m, 2 m, ...; tau and its signals are held in between.

    Its states change when it runs; its ``h`` is m times the step, and of inputs over time it sees the rows of the steps
    at which it runs.

    Args:
        controller: the controller inside.
        every: m, 1 or more.

    Raises:
        SettingError: another number.

    >>> slow = armdyn.control.sampled(armdyn.control.pd_gravity, every=4)
    >>> robot = armdyn.load("ur5")
    >>> loop = armdyn.ClosedLoop(robot, slow, record=["tau"])
    >>> M = robot.mass_matrix(np.zeros(6)).diagonal()
    >>> gains = {"Kp": 100 * M, "Kd": 20 * M}
    >>> tau = loop(np.zeros(6), steps=8, q_ref=np.ones(6), qd_ref=np.zeros(6), **gains).rows.tau
    >>> bool((tau[:4] == tau[0]).all() and (tau[4:] == tau[4]).all() and (tau[4] != tau[0]).all())
    True
    """
    m = whole_number("every", every, least=1, most=MOST_STEPS, error=SettingError)
    inside = Inside(controller)
    step = inside.new("sampled_step")  # since it ran last
    samples = {inside.new(f"sampled_{name}"): name for name in inside.results if name not in inside.state}

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        runs = less(values[step], 0.5)
        if isinstance(runs, Expr) or runs:
            fresh = run(values | {"h": m * values["h"]})
        else:  # on numbers: the controller runs at its own sample time only
            fresh = {name: values[name] for name in inside.state} | {name: values[own] for own, name in samples.items()}
        result = {name: select(runs, new, values[name]) for name, new in fresh.items() if name in inside.state}
        for own, name in samples.items():
            result[name] = result[own] = select(runs, fresh[name], values[own])
        result[step] = select(less(values[step], m - 1.5), values[step] + 1.0, 0.0)
        return result

    states = {own: inside.results[name] for own, name in samples.items()} | {step: ()}
    doc = f"Joint forces tau, N m or N, shape (..., n), computed every {m} steps and held in between."
    return inside.wrapped(sampled, law, doc, more=[H], states=states, settings={"every": m})
