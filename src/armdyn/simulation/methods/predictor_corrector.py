"""The fourth-order Adams-Bashforth-Moulton pair, a predictor-corrector method (Kazerounian and Gupta 1985, section 4).

With y = (q, qd, W), f_n its rates at the beginning of the step and f_n-1, f_n-2, f_n-3 those one, two and three steps
ago:

    predictor (Adams-Bashforth)  p     = y_n + h/24 (55 f_n - 59 f_n-1 + 37 f_n-2 - 9 f_n-3)
    corrector (Adams-Moulton)    y_n+1 = y_n + h/24 (9 f(t + h, p) + 19 f_n - 5 f_n-1 + f_n-2)

The rates are evaluated again at the corrected state (PECE): that evaluation is the f_n of the next step, at
its beginning, so that it includes a force that is held from then on. The paper specifies "predictor-corrector" only;
this is the usual pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.declaration import Shape
from armdyn.simulation.methods.formulas import Equations, Rates, State, runge_kutta_4

PAST = 3
"""Number of past steps whose rates are needed."""

PAST_RATES: dict[str, Shape] = {"past_qd": (PAST, "n"), "past_qdd": (PAST, "n"), "past_power": (PAST,)}
"""Shapes of the rates that are kept, by name: velocities, accelerations and powers."""


def adams_bashforth_moulton_4(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One step of length h from t; the memory holds the rates (qd, qdd, P) of the past, the latest first."""
    y, past = state[:3], _past(state)
    f_n = (state[1], *first)
    twenty_fourth = h * (1.0 / 24.0)
    predicted = [
        at + twenty_fourth * (55.0 * now - 59.0 * one + 37.0 * two - 9.0 * three)
        for at, now, (one, two, three) in zip(y, f_n, past, strict=True)
    ]
    f_p = (predicted[1], *f(t + h, predicted[0], predicted[1]))
    corrected = [
        at + twenty_fourth * (9.0 * then + 19.0 * now - 5.0 * one + two)
        for at, then, now, (one, two, _) in zip(y, f_p, f_n, past, strict=True)
    ]
    return (*corrected, *_remembering(f_n, past))


def runge_kutta_4_remembering(f: Equations, first: Rates, t: Any, state: State, h: Any) -> State:
    """One Runge-Kutta step that keeps the rates at its beginning: the starter of the pair while there is no past."""
    return (*runge_kutta_4(f, first, t, state[:3], h), *_remembering((state[1], *first), _past(state)))


def _past(state: State) -> list[list[Any]]:
    """The values of each of qd, qdd and P one, two and three steps ago."""
    _, _, _, past_qd, past_qdd, past_power = state
    of_joints = [[array[..., k, :] for k in range(PAST)] for array in (past_qd, past_qdd)]
    return [*of_joints, [past_power[..., k] for k in range(PAST)]]


def _remembering(now: tuple[Any, ...], past: list[list[Any]]) -> tuple[Any, ...]:
    """The memory with these rates at its front; the oldest go."""
    memory = [[value, *before[:-1]] for value, before in zip(now, past, strict=True)]
    return np.stack(memory[0], axis=-2), np.stack(memory[1], axis=-2), np.stack(memory[2], axis=-1)
