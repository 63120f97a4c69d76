"""Results as columns of numbers in the units of the input file."""

from __future__ import annotations

import math

import numpy as np

from armdyn.masp.run import MaspRun
from armdyn.masp.simulation import MaspSimulation
from armdyn.masp.units import InputUnits
from armdyn.spatial.rotations import Array

AXES = "xyz"
NAMES = ("hand_omega", "hand_v"), ("hand_alpha", "hand_a")


def columns(result: MaspRun | MaspSimulation) -> dict[str, Array]:
    """t, then q, qd, qdd and tau of each joint, the hand's motion, and, for an analysis, the joints' reactions.

    Columns of the hand: position of h, axes u_a and u_t, angular velocity omega and velocity v of h, alpha and a, in
    base axes. Columns of reactions: force N and moment T of each link on the next at the joint's centre, in base axes.
    Names contain the unit in brackets.

    >>> run = armdyn.masp.run_masp(armdyn.load("kg_puma"), samples=2, units=armdyn.masp.InputUnits("in", "lbf", "deg"))
    >>> names = list(armdyn.masp.columns(run))
    >>> names[1], names[19], names[25], names[-1]
    ('q_joint_1 [deg]', 'tau_joint_1 [lbf in]', 'hand_x [in]', 'T_z_joint_6 [lbf in]')
    """
    units = InputUnits() if result.units is None else result.units
    table = {"t [s]": result.t}
    quantities = zip(("q", "qd", "qdd", "tau"), (*result.joints, result.tau), strict=True)
    for quantity, values in quantities:
        for k, joint in enumerate(result.robot.joints):
            unit = units.of(joint.kind, quantity)
            table[f"{quantity}_{joint.name} [{unit.name}]"] = values[:, k] / unit.si
    table |= _hand(result, units)
    return table | _reactions(result, units) if isinstance(result, MaspRun) else table


def _hand(result: MaspRun | MaspSimulation, units: InputUnits) -> dict[str, Array]:
    """The hand's position, axes, velocity and acceleration."""
    pose, *motions = result.tip
    length = units.of_length
    table = {f"hand_{x} [{length.name}]": pose[:, k, 3] / length.si for k, x in enumerate(AXES)}
    table |= {f"hand_u_a_{x}": pose[:, k, 2] for k, x in enumerate(AXES)}
    table |= {f"hand_u_t_{x}": pose[:, k, 0] for k, x in enumerate(AXES)}
    for names, values, order in zip(NAMES, motions, ("qd", "qdd"), strict=True):
        for name, quantity, first in zip(names, ("angle", "length"), (0, 3), strict=True):
            unit = units.rate(quantity, order)
            table |= {f"{name}_{x} [{unit.name}]": values[:, first + k] / unit.si for k, x in enumerate(AXES)}
    return table


def _reactions(run: MaspRun, units: InputUnits) -> dict[str, Array]:
    """The reaction force N and moment T of each joint."""
    f, n = run.reactions
    return {
        f"{symbol}_{x}_{joint} [{unit.name}]": values[:, k, i] / unit.si
        for symbol, values, unit in (("N", f, units.of_force), ("T", n, units.moment))
        for k, joint in enumerate(run.robot.joint_names)
        for i, x in enumerate(AXES)
    }


def largest(vectors: Array, one: float) -> float:
    """The length of the longest of vectors (T, 3), in a unit that is ``one`` in SI."""
    return float(np.linalg.norm(vectors, axis=-1).max()) / one if len(vectors) else math.nan
