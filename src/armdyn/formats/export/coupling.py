"""A coupling that is more than mimicry as <coupling> in <armdyn>, which `armdyn.formats.urdf.coupling` reads."""

from __future__ import annotations

import dataclasses
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from armdyn.base.errors import Unsupported
from armdyn.formats.export.numbers import number
from armdyn.formats.urdf.coupling import COORDINATE, MOVES, OFFSET, TAG
from armdyn.model.coordinates import with_coordinates
from armdyn.model.model import Model


def add_coupling(own: Element, model: Model) -> None:
    """Write the map from q to the joints, q_joints = A q + b.

    Raises:
        Unsupported: coordinates whose limits do not follow from those written.
    """
    coupling = model.coupling
    if coupling is None:
        return
    _check(model)
    element = SubElement(own, TAG)
    for coordinate, column in zip(coupling.coordinates, coupling.matrix.T, strict=True):
        limits = {
            name: number(value) for name, value in dataclasses.asdict(coordinate.limits).items() if np.isfinite(value)
        }
        one = SubElement(element, COORDINATE, {"name": coordinate.name, "kind": coordinate.kind} | limits)
        for joint, factor in zip(model.joint_names, column, strict=True):
            if factor:
                SubElement(one, MOVES, joint=joint, factor=number(factor))
    for joint, offset in zip(model.joint_names, coupling.offset, strict=True):
        if offset:
            SubElement(element, OFFSET, joint=joint, value=number(offset))


def _check(model: Model) -> None:
    coupling = model.coupling
    assert coupling is not None  # noqa: S101 - of add_coupling
    again = with_coordinates(
        model.replace(coupling=None),
        [c.name for c in coupling.coordinates],
        coupling.matrix,
        coupling.offset,
        kinds={c.name: c.kind for c in coupling.coordinates},
        limits={c.name: c.limits for c in coupling.coordinates},
    )
    if again.coordinates != model.coordinates:
        raise Unsupported(
            f"{model.name!r}: its coordinates have limits besides those of their joints, which <armdyn> does not hold; "
            "write the robot with every joint free, robot.without_couplings(), and couple it after reading."
        )
