"""The element <dynamics> next to <armdyn>: viscous and Coulomb friction in two numbers, which other readers use.

    <dynamics damping="0.5" friction="2"/>                                            all of it, as others read it
    <of_joint joint="turn" damping="0.1"> <actuator> <friction>                       0.1 is the joint's own,
      <Viscous coefficient="0.4"/> <Coulomb size="2"/> </friction> </actuator> </of_joint>    the rest its actuator's

`to_urdf` writes both. If <armdyn> has laws that <dynamics> can state, or the joint's own numbers, as attributes or as
the actuator's <passive>, <armdyn> is read, and a <dynamics> that contradicts it is a fault. Else <dynamics> has the
joint's own numbers, as in every URDF.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from armdyn.formats.findings import ElementReader, read_number
from armdyn.model.joint import Joint
from armdyn.model.joint_friction import JointFriction
from armdyn.model.parts import JointPart
from armdyn.model.passive import NOTHING

TAG = "dynamics"

RELATIVE = 1e-6
"""Relative tolerance of <dynamics> to <armdyn>: programs write six digits or more."""


def own_numbers(joint: Joint) -> Mapping[str, float]:
    """The attributes of <of_joint>: the joint's own numbers if <dynamics> and the actuator have others."""
    text = NOTHING if joint.actuator is None else joint.actuator.of_joint
    if not (text.rubs or _has_laws(joint)):
        return {}
    return {name: getattr(joint, name) for name in JointFriction._fields if getattr(joint, name) != getattr(text, name)}


def _has_laws(joint: Joint | JointPart) -> bool:
    """True if its actuator has laws that <dynamics> can state."""
    return joint.actuator is not None and any(joint.actuator.joint_friction)


def reconcile_friction(joint: JointPart, numbers: Mapping[str, Any], reader: ElementReader) -> JointPart:
    """The joint with the numbers that <armdyn> leaves it, if it states any; a fault if <dynamics> differs.

    Args:
        joint: with the actuator, and the numbers of <dynamics> or of <of_joint>.
        numbers: the fields of its <of_joint>.
        reader: of its <joint>.
    """
    names = JointFriction._fields
    if joint.kind == "fixed" or not (_has_laws(joint) or numbers.keys() & set(names)):
        return joint
    joint = dataclasses.replace(joint, **{name: numbers.get(name, 0.0) for name in names})
    element, expected = reader.element.first(TAG), joint.total_friction
    values = {} if element is None else {name: read_number(element.attributes.get(name, "")) for name in names}
    wrong = [
        f"{name} {value:g}, and <armdyn> {expectation:g}"
        for (name, value), expectation in zip(values.items(), expected, strict=False)
        if math.isfinite(value) and not math.isclose(value, expectation, rel_tol=RELATIVE)
    ]
    if element is not None and wrong:
        text = f"<{TAG}> says {'; '.join(wrong)}; expected the same numbers, {expected} in all"
        reader.fault(element, text, "<armdyn> is taken")
    return joint
