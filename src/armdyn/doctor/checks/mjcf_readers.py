"""Elements of MJCF files that MuJoCo obeys and other readers drop, as ``tests/doctor/test_foreign.py`` runs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from armdyn.doctor.finding import Finding
from armdyn.doctor.mjcf.parts import MjcfJoint
from armdyn.doctor.mjcf.places import numbers
from armdyn.doctor.subject import Subject


def springs(subject: Subject) -> Iterator[Finding]:
    """Joints with a spring or dry friction."""
    whys = {
        "stiffness": "a spring of MuJoCo's; Pinocchio and Drake drop it",
        "frictionloss": "dry friction of MuJoCo's; Drake drops it",
    }
    seen: set[tuple[str, int]] = set()
    for joint in subject.joints:
        if not isinstance(joint, MjcfJoint):
            continue
        for name, why in whys.items():
            if name not in joint.attributes:
                continue
            stated = joint.attributes[name]
            value = numbers(joint.attributes, name, 1, ())[0]
            if value == 0.0 or np.isnan(value) or (name, id(stated.node)) in seen:
                continue
            seen.add((name, id(stated.node)))
            text = f"{name} {value:g}"
            found = Finding.at(stated.node, "reader/spring", "note", text, why=why, link=joint.child)
            yield replace(found, element=f"joint {joint.name!r}")


def held_up(subject: Subject) -> Iterator[Finding]:
    """Bodies whose weight gravcomp takes away."""
    for body in subject.bodies.values():
        text = body.node.attributes.get("gravcomp", "0")
        if body.name != "world" and text.strip() not in ("0", "0.0"):
            why = "MuJoCo takes this share of the weight away; Pinocchio and Drake do not"
            found = Finding.at(body.node, "reader/gravcomp", "note", f"gravcomp {text}", why=why, link=body.name)
            yield replace(found, element=f"body {body.name!r}")
