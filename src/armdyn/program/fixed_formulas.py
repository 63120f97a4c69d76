"""Explicit one-step formulas with steps of one length, as Runge-Kutta formulas of y' = (v, a, P), y = (x, v, W).

Formulas that move the positions by other weights than the velocities, e.g. semi-implicit Euler, have a stage whose
velocity is that which carries the positions.
"""

from __future__ import annotations

from collections.abc import Mapping

from armdyn.program.embedded_pairs import EmbeddedPair, Weights

POSITIONS = ("q", "theta")
"""The parts of the state that are positions."""


def fixed_formula(name: str, *stages: Weights, positions: Weights | None = None) -> EmbeddedPair:
    """A formula without an error estimate, whose steps go to the next multiple of one length.

    Args:
        name: of the formula.
        stages: as of `EmbeddedPair`.
        positions: the weights of the stages for the positions after the step, if they are others.
    """
    nodes = (0.0, *(sum(weights.values()) for weights in stages))
    ends: Mapping[str, Weights] = {} if positions is None else dict.fromkeys(POSITIONS, positions)
    return EmbeddedPair(name, stages, (), nodes, (), 0, (stages[-1],), alternates=False, ends=ends)


FIXED_FORMULAS = {
    "euler": fixed_formula("euler", {0: 1.0}),
    "semi_implicit_euler": fixed_formula("semi_implicit_euler", {0: 1.0}, {0: 1.0}, positions={1: 1.0}),
    "constant_acceleration": fixed_formula("constant_acceleration", {0: 0.5}, {0: 1.0}, positions={1: 1.0}),
    "constant_acceleration_as_printed": fixed_formula(
        "constant_acceleration_as_printed", {0: 1.5}, {0: 1.0}, positions={1: 1.0}
    ),
    "heun": fixed_formula("heun", {0: 1.0}, {0: 0.5, 1: 0.5}),
    "runge_kutta_4": fixed_formula(
        "runge_kutta_4", {0: 0.5}, {1: 0.5}, {2: 1.0}, {0: 1.0 / 6.0, 1: 1.0 / 3.0, 2: 1.0 / 3.0, 3: 1.0 / 6.0}
    ),
}
"""The formulas of `armdyn.simulation.methods.formulas` by name."""
