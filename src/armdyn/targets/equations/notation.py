"""The symbols of the results of known functions."""

from __future__ import annotations

RESULTS = {
    "bias_forces": "h",
    "center_of_mass": "p",
    "center_of_mass_velocity": "v",
    "christoffel": "Gamma",
    "coriolis_matrix": "C",
    "forward_dynamics": "qdd",
    "forward_kinematics": "T",
    "generalized_momentum": "p",
    "gravity_forces": "g",
    "inverse_dynamics": "tau",
    "inverse_mass_matrix": "Minv",
    "jacobian": "J",
    "jacobian_dot": "Jdot",
    "kinetic_energy": "K",
    "link_poses": "T",
    "mass_matrix": "M",
    "mass_matrix_dot": "Mdot",
    "potential_energy": "P",
    "regressor": "Y",
    "tip_forces": "tau",
}
"""The symbol of the result of a function that has one result, by the name of its program (docs/conventions.md)."""


def words(function: str, inputs: list[str], outputs: list[str]) -> tuple[list[str], list[str]]:
    """The symbols of a program's inputs and outputs, all different.

    >>> from armdyn.targets.equations.notation import words
    >>> words("inverse_dynamics", ["q", "qd", "qdd"], ["out"])
    (['q', 'qd', 'qdd'], ['tau'])
    >>> words("my_law", ["q"], ["q", "out"])
    (['q'], ['q_out', 'out'])
    """
    results = [RESULTS.get(function, "out")] if outputs == ["out"] else list(outputs)
    names_in_use = set(inputs)
    return list(inputs), [_other(word, names_in_use) for word in results]


def _other(word: str, taken: set[str]) -> str:
    while word in taken:
        word = f"{word}_out"
    taken.add(word)
    return word
