"""Terms of joint friction that are linear in one number for each joint, and the laws that they are.

Each term is a number of the joint times a function of its velocity qd and of the load l that it transmits to its links,
with s = tanh(qd/w), a sign that does not jump in the noise of a joint at rest:

    viscous   b qd            coulomb  c s          load  k |l| s
    offset    o               quadratic  d qd |qd|  stribeck  e s exp(-(qd/v)^2)      spring  k q
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from armdyn.actuators.coulomb import Coulomb
from armdyn.actuators.direction_dependent import DirectionDependent
from armdyn.actuators.gear_loss import GearLoss
from armdyn.actuators.quadratic import Quadratic
from armdyn.actuators.stribeck import Stribeck
from armdyn.actuators.viscous import Viscous
from armdyn.base.errors import UnknownName
from armdyn.identification.errors import IdentificationError
from armdyn.model.friction import FrictionLaw
from armdyn.spatial.rotations import Array

SIGN_WIDTH, SLIDE_SIGN_WIDTH = 0.01, 0.001
"""w of the smooth sign of a joint that turns, rad/s, and of one that slides, m/s."""

STRIBECK_SPEED = 0.1
"""v of the linear Stribeck term, rad/s or m/s."""


class FrictionTerm(NamedTuple):
    """One term: its name, the unit of its number at joints that turn and slide, True if it is not negative, its spread.

    The spread is that of the numbers which joints have; infinite if any number is as likely. If a log does not
    determine the number, it stays within that.
    """

    name: str
    unit: str
    slide_unit: str
    not_negative: bool
    spread: float = np.inf


TERMS = {
    term.name: term
    for term in (
        FrictionTerm("viscous", "N m s/rad", "N s/m", True),
        FrictionTerm("coulomb", "N m", "N", True),
        FrictionTerm("load", "", "", True, spread=0.1),
        FrictionTerm("offset", "N m", "N", False),
        FrictionTerm("quadratic", "N m s^2/rad^2", "N s^2/m^2", True),
        FrictionTerm("stribeck", "N m", "N", True),
        FrictionTerm("spring", "N m/rad", "N/m", True, spread=0.5),
    )
}


def terms_of(names: Sequence[str]) -> tuple[FrictionTerm, ...]:
    """The terms of these names, each once.

    Raises:
        UnknownName: a name of no term.
        IdentificationError: a name twice, or a text in place of names.
    """
    if isinstance(names, str):
        raise IdentificationError(f"friction is {names!r}; expected a list of terms, such as [{names!r}]")
    for name in names:
        if name not in TERMS:
            raise UnknownName.of("friction term", name, TERMS, "friction=")
    if len(set(names)) < len(names):
        raise IdentificationError(f"friction={tuple(names)!r} names a term twice; expected each once")
    return tuple(TERMS[name] for name in names)


def sign_width(kind: str) -> float:
    """The width of the smooth sign of a kind of joint, rad/s or m/s."""
    return SLIDE_SIGN_WIDTH if kind == "prismatic" else SIGN_WIDTH


def term_values(name: str, q: Array, qd: Array, load: Array | None, widths: Array) -> Array:
    """The function that the number of a term multiplies, shape (T, n); ``widths`` of the smooth sign, shape (n,)."""
    if name == "spring":
        return q
    if name == "viscous":
        return qd
    if name == "offset":
        return np.ones_like(qd)
    if name == "quadratic":
        return np.asarray(qd * np.abs(qd))
    sign = np.tanh(qd / widths)
    if name == "stribeck":
        return np.asarray(sign * np.exp(-((qd / STRIBECK_SPEED) ** 2)))
    return np.asarray(np.abs(load) * sign if name == "load" and load is not None else sign)


LARGEST_LOAD_FRICTION = 0.9
"""The largest number of the term "load" for which a gear can be driven by its load."""


def laws_of(numbers: Mapping[str, float]) -> tuple[FrictionLaw, ...]:
    """The friction laws of a joint with these numbers by the names of terms; terms of zero have none.

    An offset is a law only together with Coulomb friction of at least its size: friction c + o forwards and c - o
    backwards.
    """
    laws: list[FrictionLaw] = []
    viscous, coulomb, offset = (numbers.get(name, 0.0) for name in ("viscous", "coulomb", "offset"))
    stribeck, load, quadratic = (numbers.get(name, 0.0) for name in ("stribeck", "load", "quadratic"))
    if viscous:
        laws.append(Viscous(viscous))
    if stribeck:
        laws.append(Stribeck(coulomb + stribeck, coulomb, STRIBECK_SPEED))
    elif coulomb and 0.0 < abs(offset) <= coulomb:
        laws.append(DirectionDependent(Coulomb(coulomb + offset), Coulomb(coulomb - offset)))
    elif coulomb:
        laws.append(Coulomb(coulomb))
    if load:
        part = min(load, LARGEST_LOAD_FRICTION)
        laws.append(GearLoss(efficiency=1.0 / (1.0 + part), back_efficiency=1.0 - part))
    if quadratic:
        laws.append(Quadratic(quadratic))
    return tuple(laws)
