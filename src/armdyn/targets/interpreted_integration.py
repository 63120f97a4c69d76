"""An integration without machine code: SciPy's solvers with the interpreted rates; slower, with correct results."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.program.integration import (
    FINISHED,
    FIRST_WATCHED,
    LIMITS,
    ON_GRID,
    PROGRESS,
    RUNNING,
    TOO_SHORT,
    WATCHED,
    Integration,
)
from armdyn.program.interpret import interpret
from armdyn.targets.interpreted import InPlaceOfUfunc


class InterpretedIntegration(InPlaceOfUfunc[Integration]):
    """An integration called like the ufunc it would be compiled to, by SciPy's solvers: state after state."""

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        """Write progress, state, states at saved times and polynomials of steps to the arrays of ``out``."""
        integration = self._make_program()
        ports, count, batch = integration.state_ports, len(integration.state_ports), out[0].shape[:-1]
        cores = [port.shape for port in (*ports, *integration.held_ports)]
        shapes = [(len(LIMITS),), (len(PROGRESS),), *cores, (np.shape(arrays[-1])[-1],)]
        given = [
            np.broadcast_to(np.asarray(a, float), (*batch, *shape)) for a, shape in zip(arrays, shapes, strict=True)
        ]
        for index in np.ndindex(batch):
            own = [array[index] for array in given]
            results = [place[index] for place in out[1 : 1 + count]]
            rows = [place[index] for place in out[1 + count : 1 + 2 * count]]
            progress, y = _integrated(integration, own, rows, out[-1][index])
            out[0][index] = progress
            for k, (part, port) in enumerate(zip(_parts(y, integration), integration.state_ports, strict=True)):
                if port.shape:
                    results[k][...] = part
                else:
                    out[1 + k][index] = part
        return out


def _parts(y: NDArray[Any], integration: Integration) -> list[NDArray[Any]]:
    """The parts of the state by their shapes, from y of shape (..., size)."""
    ports = integration.state_ports
    ends = accumulate(port.size for port in ports)
    parts = [y[..., end - port.size : end] for port, end in zip(ports, ends, strict=True)]
    return [part.reshape((*y.shape[:-1], *port.shape)) for part, port in zip(parts, ports, strict=True)]


def _rates_of(
    integration: Integration, held: dict[str, NDArray[Any]], seen: list[float]
) -> Callable[[float, NDArray[Any]], NDArray[Any]]:
    """The rates as a function of t and y, which appends the watched results to ``seen``."""
    rates, ports = integration.rates, integration.state_ports

    def f(t: float, y: NDArray[Any]) -> NDArray[Any]:
        values = {port.name: part for port, part in zip(ports, _parts(y, integration), strict=True)} | held
        if integration.time is not None:
            values[integration.time] = np.array(t)
        computed = interpret(rates, *(values[port.name] for port in rates.inputs), dtype=np.dtype(np.float64))
        results = {port.name: result for port, result in zip(rates.outputs, computed, strict=True)}
        if integration.watched is not None:
            seen.append(float(np.min(results[integration.watched])))
        return np.concatenate([np.ravel(results[rate]) for _, rate in integration.state])

    return f


def _integrated(
    integration: Integration, own: list[NDArray[Any]], rows: list[NDArray[Any]], pieces: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Progress and state after as many steps as a call may make."""
    import scipy.integrate  # noqa: PLC0415 - slow to import

    limits, progress = dict(zip(LIMITS, own[0], strict=True)), dict(zip(PROGRESS, own[1], strict=True))
    count, times, row = len(integration.state_ports), own[-1], int(own[1][PROGRESS.index("row")])
    y = np.concatenate([np.ravel(part) for part in own[2 : 2 + count]])
    if progress["status"] != RUNNING:
        return own[1], y
    if progress["t"] >= limits["end"]:
        return np.array([*(progress | {"status": FINISHED}).values()]), y
    held = {port.name: a for port, a in zip(integration.held_ports, own[2 + count : -1], strict=True)}
    seen: list[float] = []
    if integration.pair.is_fixed:
        f = _rates_of(integration, held, seen)
        return _on_grid(integration, f, seen, (limits, progress), y, times, rows, pieces)
    solver = getattr(scipy.integrate, integration.pair.name)(
        _rates_of(integration, held, seen),
        progress["t"],
        y,
        limits["end"],
        rtol=limits["rtol"],
        atol=limits["atol"],
        first_step=min(progress["h"], limits["end"] - progress["t"]) or None,
    )
    for k in range(int(limits["attempts"])):
        before = solver.t, solver.y
        if solver.status == "running":
            solver.step()
        if solver.t_old is None or solver.status == "failed":
            break
        if limits["watches"] and min(seen[-integration.pair.last :][FIRST_WATCHED - 1 :], default=1.0) < 0.0:
            progress |= {"t": before[0], "h": solver.h_previous, "row": float(row), "status": WATCHED}
            return np.array([*progress.values()]), before[1]
        progress["steps"] += 1
        state_at = solver.dense_output()
        while row < int(limits["times"]) and times[row] <= solver.t:
            for place, part in zip(rows, _parts(state_at(times[row]), integration), strict=True):
                place[row] = part
            row += 1
        if limits["pieces"]:
            terms = state_at.F if hasattr(state_at, "F") else solver.h_previous * state_at.Q.T
            pieces[k] = np.concatenate([[solver.t_old, solver.h_previous], state_at.y_old, *terms])
        if solver.status != "running":
            break
    status = {"running": RUNNING, "finished": FINISHED, "failed": TOO_SHORT}[solver.status]
    progress |= {"t": solver.t, "h": solver.h_abs, "row": float(row), "rejected": 0.0, "status": status}
    progress["evaluations"] += solver.nfev
    return np.array([*progress.values()]), solver.y


def _on_grid(
    integration: Integration,
    f: Callable[[float, NDArray[Any]], NDArray[Any]],
    seen: list[float],
    settings: tuple[dict[str, float], dict[str, float]],
    y: NDArray[Any],
    times: NDArray[Any],
    rows: list[NDArray[Any]],
    pieces: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Progress and state after steps of a fixed formula to multiples of their length."""
    pair, (limits, progress), step = integration.pair, settings, settings[0]["step"]
    K, own = [f(progress["t"], y)], progress | {"status": RUNNING}
    ports = [port for port in integration.state_ports for _ in range(port.size)]
    ends = [pair.ends.get(port.name, pair.stages[-1]) for port in ports]
    last = np.array([[weights.get(j, 0.0) for j in range(pair.last)] for weights in ends])
    own["evaluations"] += 1.0
    for k in range(int(limits["attempts"])):
        t, row = own["t"], int(own["row"])
        following = (math.floor(t / step * (1.0 + 1e-15) + ON_GRID) + 1.0) * step
        end = limits["end"] if following > limits["end"] - ON_GRID * step else following
        h = end - t
        for weights, c in zip(pair.stages[:-1], pair.nodes[1:], strict=False):
            K.append(f(t + c * h, y + h * sum(w * K[j] for j, w in weights.items())))
        y_new = y + h * np.einsum("ks,sk->k", last, np.array(K))
        K = [f(end, y_new)]
        own["evaluations"] += float(pair.last)
        if limits["watches"] and seen[-1] < 0.0:
            own |= {"h": h, "status": WATCHED}
            break
        if not np.isfinite(y_new).all():
            own["status"] = TOO_SHORT
            break
        while row < int(limits["times"]) and times[row] <= end:
            state = y + (times[row] - t) / h * (y_new - y)
            for place, part in zip(rows, _parts(state, integration), strict=True):
                place[row] = part
            row += 1
        if limits["pieces"]:
            pieces[k] = np.concatenate([[t, h], y, y_new - y])
        y = y_new
        own |= {"t": end, "row": float(row), "steps": own["steps"] + 1.0}
        if end >= limits["end"]:
            own["status"] = FINISHED
            break
    return np.array([*own.values()]), y
