"""Bundled planar arms with other masses and lengths of their links."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from armdyn.base.checks import array
from armdyn.base.errors import ModelError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

ARMS = ("planar_2r", "planar_3r", "ucl_2r")
"""Their links lie along x, each from its joint to the next one."""


def build(
    name: str, *, masses: Sequence[float] | None = None, lengths: Sequence[float] | None = None, **options: Any
) -> Robot:
    """A planar arm with links of these masses, kg, and lengths, m; centres of mass and inertias scale with both.

    Args:
        name: one of `ARMS`.
        masses: of the links, kg; those of the description if left out.
        lengths: of the links, m; those of the description if left out.
        options: as of `armdyn.load`.

    Raises:
        ShapeError: another number of masses or lengths than of links.
        ModelError: numbers that are not above zero.
    """
    from armdyn.formats.urdf import read_urdf_text  # noqa: PLC0415 - other arms need none of it

    root = ElementTree.parse(Path(__file__).parent / f"{name}.urdf").getroot()  # noqa: S314 - a file of ours
    links = [link for link in root.iter("link") if link.find("inertial") is not None]
    origins = [joint for joint in (one.find("origin") for one in root.iter("joint")) if joint is not None]
    before = np.array([_vector(origin)[0] for origin in origins]), np.array([_mass(link) for link in links])
    long, heavy = (
        each if values is None else _above_zero(f"{quantity} of {name!r}", values, len(links), unit)
        for each, values, quantity, unit in zip(
            before, (lengths, masses), ("lengths", "masses"), ("m", "kg"), strict=True
        )
    )
    for link, origin, mass, ratio in zip(links, origins, heavy, long / before[0], strict=True):
        _set(origin, _vector(origin) * ratio)
        com, inertia = link.find("inertial/origin"), link.find("inertial/inertia")
        grown = mass / _mass(link) * ratio**2
        if com is not None and inertia is not None:
            _set(com, _vector(com) * ratio)
            for entry, value in inertia.attrib.items():
                inertia.set(entry, repr(float(float(value) * grown)))
        link.find("inertial/mass").set("value", repr(float(mass)))  # type: ignore[union-attr]
    return Robot(read_urdf_text(ElementTree.tostring(root, encoding="unicode"), **options))


def _above_zero(quantity: str, numbers: Any, count: int, unit: str) -> Array:
    values = array(quantity, numbers, (count,), f"one for each link, {unit}", finite=ModelError)
    if not (values > 0.0).all():
        raise ModelError(f"{quantity} are {values.tolist()}; expected numbers above zero, {unit}")
    return values


def _vector(element: ElementTree.Element) -> Array:
    return np.array([float(x) for x in element.get("xyz", "0 0 0").split()])


def _set(element: ElementTree.Element, values: Any) -> None:
    element.set("xyz", " ".join(repr(float(x)) for x in values))


def _mass(link: ElementTree.Element) -> float:
    mass = link.find("inertial/mass")
    return 0.0 if mass is None else float(mass.get("value", "0"))
