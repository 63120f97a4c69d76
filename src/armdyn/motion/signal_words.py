"""Quantities of signals: the words and the symbol of each signal that armdyn records, by its name."""

from __future__ import annotations

import re
from typing import NamedTuple


class SignalWords(NamedTuple):
    """The quantity of a signal.

    Args:
        words: the quantity, e.g. "motor current".
        symbol: as in the equations, e.g. "I"; empty if it has none.
    """

    words: str
    symbol: str = ""

    def __str__(self) -> str:
        return f"{self.words} {self.symbol}".strip()


WORDS = {
    "q_ref": SignalWords("reference of joint position", "q_ref"),
    "qd_ref": SignalWords("reference of joint velocity", "q̇_ref"),
    "qdd_ref": SignalWords("reference of joint acceleration", "q̈_ref"),
    "jerk_ref": SignalWords("reference of joint jerk"),
    "snap_ref": SignalWords("reference of joint snap"),
    "theta_ref": SignalWords("reference of rotor position", "θ_ref"),
    "T_ref": SignalWords("reference of tip pose", "T_ref"),
    "R_ref": SignalWords("reference of tip orientation", "R_ref"),
    "p_ref": SignalWords("reference of tip position", "p_ref"),
    "V_ref": SignalWords("reference of tip twist", "V_ref"),
    "Vdot_ref": SignalWords("reference of tip twist rate", "V̇_ref"),
    "lambda_ref": SignalWords("reference of constraint forces", "λ_ref"),
    "multipliers_ref": SignalWords("reference of constraint forces", "λ_ref"),
    "multipliers": SignalWords("constraint forces", "λ"),
    "force_integral": SignalWords("integral of the force error", "∫e_f dt"),
    "shift": SignalWords("shift of the tip reference", "x"),
    "shift_rate": SignalWords("rate of the tip reference's shift", "ẋ"),
    "theta": SignalWords("rotor position", "θ"),
    "thetad": SignalWords("rotor velocity", "θ̇"),
    "target": SignalWords("target position"),
    "integral": SignalWords("integral of the position error", "∫e dt"),
    "friction": SignalWords("friction", "τ_f"),
    "rotor_friction": SignalWords("friction of rotors", "τ_f"),
    "residual": SignalWords("estimated external force", "r"),
    "observed_momentum": SignalWords("observed momentum", "p̂"),
    "observer_started": SignalWords("observer started"),
    "last_loads": SignalWords("load of friction"),
    "last_q": SignalWords("joint position of the last step"),
    "filtered_velocity": SignalWords("filtered velocity"),
    "differencing_started": SignalWords("differencing started"),
    "tau_unlimited": SignalWords("commanded force before limits", "τ_c"),
    "delayed_tau": SignalWords("commanded force, delayed", "τ_c"),
    "sampled_tau": SignalWords("commanded force, sampled", "τ_c"),
    "sampled_step": SignalWords("steps since the last sample"),
    "bristles": SignalWords("bristle deflection", "z"),
    "element_states": SignalWords("states of elements", "z"),
    "stop_force": SignalWords("stop force", "λ"),
    "contact_force": SignalWords("contact force", "λ"),
    "current": SignalWords("motor current", "I"),
    "voltage": SignalWords("motor voltage", "V"),
    "electrical_power": SignalWords("electrical power", "V I"),
    "winding_rise": SignalWords("winding above ambient", "ΔT"),
    "housing_rise": SignalWords("housing above ambient", "ΔT"),
    "bus_sag": SignalWords("supply voltage less bus voltage"),
    "bus_voltage": SignalWords("bus voltage", "U"),
    "supply_current": SignalWords("supply current", "I_s"),
    "burnt_power": SignalWords("braking power"),
}
"""Words and symbols by the names of signals."""

REFERENCES = {
    "q": ("q_ref",),
    "qd": ("qd_ref",),
    "qdd": ("qdd_ref",),
    "tau": ("tau_unlimited", "sampled_tau"),
    "theta": ("theta_ref",),
}
"""Signals that a quantity follows, by the quantity."""


SAMPLED = "sampled_"
"""The prefix of results of a controller that `armdyn.control.sampled` holds."""


def base_name(signal: str) -> str:
    """The name of a signal without the number that distinguishes it from others of its name and the prefix `SAMPLED`.

    >>> base_name("current_2"), base_name("sampled_residual"), base_name("bristles")
    ('current', 'residual', 'bristles')
    """
    if signal in WORDS:
        return signal
    shorter = re.sub(r"_\d+$", "", signal)
    if shorter in WORDS:
        return shorter
    name_of_value = base_name(signal.removeprefix(SAMPLED)) if signal.startswith(SAMPLED) else signal
    return name_of_value if name_of_value in WORDS else signal


def words_of(signal: str) -> SignalWords:
    """Words and symbol of a signal; those of a user are its name, underscores as spaces.

    >>> str(words_of("current")), str(words_of("current_2")), str(words_of("my_load"))
    ('motor current I', 'motor current I (2)', 'my load')
    """
    base = base_name(signal)
    if base not in WORDS:
        return SignalWords(signal.replace("_", " ").strip() or signal)
    words, symbol = WORDS[base]
    number = re.search(r"_(\d+)$", signal.removeprefix(base))
    if signal.startswith(SAMPLED) and not base.startswith(SAMPLED):
        words = f"{words}, sampled"
    return SignalWords(words, f"{symbol} ({number[1]})".strip()) if number else SignalWords(words, symbol)
