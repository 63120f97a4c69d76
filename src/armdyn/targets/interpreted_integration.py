"""An integration without machine code: SciPy's solvers with the interpreted rates; slower, with correct results."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from armdyn.base.scalars import Array
from armdyn.program.integration import (
    FINISHED,
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
        values = [
            np.broadcast_to(np.asarray(a, float), (*batch, *shape)) for a, shape in zip(arrays, shapes, strict=True)
        ]
        for index in np.ndindex(batch):
            own = [array[index] for array in values]
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


def _parts(y: Array, integration: Integration) -> list[Array]:
    """The parts of the state by their shapes, from y of shape (..., size)."""
    ports = integration.state_ports
    ends = accumulate(port.size for port in ports)
    parts = [y[..., end - port.size : end] for port, end in zip(ports, ends, strict=True)]
    return [part.reshape((*y.shape[:-1], *port.shape)) for part, port in zip(parts, ports, strict=True)]


def _rates_of(
    integration: Integration, constants: dict[str, Array], seen: list[float]
) -> Callable[[float, Array], Array]:
    """The rates as a function of t and y, which appends the watched results to ``seen``."""
    results_at = _results_of(integration, constants)

    def f(t: float, y: Array) -> Array:
        results = results_at(t, y, 0.0)
        if integration.watched is not None:
            seen.append(float(np.min(results[integration.watched])))
        return _stacked_rates(integration, results)

    return f


def _results_of(
    integration: Integration, constants: dict[str, Array]
) -> Callable[[float, Array, float], dict[str, Array]]:
    """The results of the program of rates by name, a function of t, y, and 1 if y is to be corrected."""
    rates, ports = integration.rates, integration.state_ports

    def results(t: float, y: Array, correcting: float) -> dict[str, Array]:
        values = {port.name: part for port, part in zip(ports, _parts(y, integration), strict=True)} | constants
        for name, value in ((integration.time, t), (integration.correcting, correcting)):
            if name is not None:
                values[name] = np.array(value)
        computed = interpret(rates, *(values[port.name] for port in rates.inputs), dtype=np.dtype(np.float64))
        return {port.name: result for port, result in zip(rates.outputs, computed, strict=True)}

    return results


def _stacked_rates(integration: Integration, results: dict[str, Array]) -> Array:
    """The rate of y, zero for parts without one."""
    own = zip(integration.state_ports, integration.state, strict=True)
    return np.concatenate([np.zeros(port.size) if rate is None else np.ravel(results[rate]) for port, (_, rate) in own])


def _correction_of(
    integration: Integration, constants: dict[str, Array], limits: dict[str, float]
) -> Callable[[float, Array], tuple[Array, Array] | None]:
    """The state after a step, corrected, and its rate, a function of t and y; returns None without corrections."""
    results_at, corrections = _results_of(integration, constants), dict(integration.corrections)

    def correction(t: float, y: Array) -> tuple[Array, Array] | None:
        if integration.correcting is None or not limits["corrects"]:
            return None
        results = results_at(t, y, 1.0)
        own = zip(integration.state_ports, _parts(y, integration), strict=True)
        parts = [np.ravel(results[corrections[port.name]] if port.name in corrections else part) for port, part in own]
        return np.concatenate(parts), _stacked_rates(integration, results)

    return correction


def _integrated(integration: Integration, own: list[Array], rows: list[Array], pieces: Array) -> tuple[Array, Array]:
    """Progress and state after as many steps as a call may make."""
    import scipy.integrate  # noqa: PLC0415 - slow to import

    limits, progress = dict(zip(LIMITS, own[0], strict=True)), dict(zip(PROGRESS, own[1], strict=True))
    count, times, row = len(integration.state_ports), own[-1], int(own[1][PROGRESS.index("row")])
    y = np.concatenate([np.ravel(part) for part in own[2 : 2 + count]])
    if progress["status"] != RUNNING:
        return own[1], y
    if progress["t"] >= limits["end"]:
        return np.array([*(progress | {"status": FINISHED}).values()]), y
    constants = {port.name: a for port, a in zip(integration.held_ports, own[2 + count : -1], strict=True)}
    seen: list[float] = []
    correct = _correction_of(integration, constants, limits)
    if integration.pair.is_fixed:
        f = _rates_of(integration, constants, seen)
        return _on_grid(integration, f, correct, seen, (limits, progress), y, times, rows, pieces)
    apart, m = y[integration.measured_size :], integration.measured_size  # parts without a rate are not the solver's
    rates = _rates_of(integration, constants, seen)
    solver = getattr(scipy.integrate, integration.pair.name)(
        lambda t, y: rates(t, np.concatenate([y, apart]))[:m],
        progress["t"],
        y[:m],
        limits["end"],
        rtol=limits["rtol"],
        atol=limits["atol"],
        first_step=min(progress["h"], limits["end"] - progress["t"]) or None,
    )
    for k in range(int(limits["attempts"])):
        before = solver.t, np.concatenate([solver.y, apart])
        if solver.status == "running":
            solver.step()
        if solver.t_old is None or solver.status == "failed":
            break
        of_step = seen[-integration.pair.last :]
        if limits["watches"] and min((of_step[s - 1] for s in integration.watched_stages), default=1.0) < 0.0:
            progress |= {"t": before[0], "h": solver.h_previous, "row": float(row), "status": WATCHED}
            return np.array([*progress.values()]), before[1]
        corrected = correct(solver.t, np.concatenate([solver.y, apart]))
        if corrected is not None and not np.isfinite(corrected[0]).all():
            progress |= {"t": before[0], "row": float(row), "status": TOO_SHORT}
            return np.array([*progress.values()]), before[1]
        progress["steps"] += 1
        state_at = solver.dense_output()
        row_before, row = row, row + int(np.searchsorted(times[row : int(limits["times"])], solver.t, side="right"))
        for number in range(row_before, row):
            _keep(rows, number, np.concatenate([state_at(times[number]), apart]), integration)
        if limits["pieces"]:
            pieces[k] = _piece(solver, state_at, apart)
        if corrected is not None:
            (solver.y, apart), solver.f = np.split(corrected[0], [m]), corrected[1][:m]
        if solver.status != "running":
            break
    status = {"running": RUNNING, "finished": FINISHED, "failed": TOO_SHORT}[solver.status]
    progress |= {"t": solver.t, "h": solver.h_abs, "row": float(row), "rejected": 0.0, "status": status}
    progress["evaluations"] += solver.nfev
    return np.array([*progress.values()]), np.concatenate([solver.y, apart])


def _keep(rows: list[Array], row: int, y: Array, integration: Integration) -> None:
    """Keep the state at a saved time."""
    for place, part in zip(rows, _parts(y, integration), strict=True):
        place[row] = part


def _piece(solver: Any, state_at: Any, apart: Array) -> Array:
    """The numbers of the polynomial of a step, parts without a rate being constant."""
    terms = state_at.F if hasattr(state_at, "F") else solver.h_previous * state_at.Q.T
    whole = np.hstack([np.vstack([state_at.y_old, *terms]), np.zeros((1 + len(terms), len(apart)))])
    whole[0, len(solver.y) :] = apart
    return np.concatenate([[solver.t_old, solver.h_previous], *whole])


def _on_grid(
    integration: Integration,
    f: Callable[[float, Array], Array],
    correct: Callable[[float, Array], tuple[Array, Array] | None],
    seen: list[float],
    settings: tuple[dict[str, float], dict[str, float]],
    y: Array,
    times: Array,
    rows: list[Array],
    pieces: Array,
) -> tuple[Array, Array]:
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
        corrected = correct(end, y_new)
        if not np.isfinite(y_new if corrected is None else corrected[0]).all():
            own["status"] = TOO_SHORT
            break
        if corrected is not None:
            y_new[integration.measured_size :] = corrected[0][integration.measured_size :]
        while row < int(limits["times"]) and times[row] <= end:
            _keep(rows, row, y + (times[row] - t) / h * (y_new - y), integration)
            row += 1
        if limits["pieces"]:
            pieces[k] = np.concatenate([[t, h], y, y_new - y])
        y, K = (y_new, K) if corrected is None else (corrected[0], [corrected[1]])
        own |= {"t": end, "row": float(row), "steps": own["steps"] + 1.0}
        if end >= limits["end"]:
            own["status"] = FINISHED
            break
    return np.array([*own.values()]), y
