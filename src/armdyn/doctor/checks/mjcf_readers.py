"""Elements of MJCF files that MuJoCo obeys and other readers drop, as ``tests/doctor/test_foreign.py`` runs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from armdyn.doctor.finding import Finding
from armdyn.doctor.mjcf.parts import MjcfJoint
from armdyn.doctor.mjcf.places import numbers
from armdyn.doctor.subject import Subject

IN_DRAKE = ("motor", "position")
"""Actuators of which Drake makes one of its own; only these give it the armature of their joint."""


def dropped(subject: Subject) -> Iterator[Finding]:
    """Joints with a spring, dry friction, or an armature that Drake reads with the actuator alone."""
    whys = {
        "stiffness": ("reader/spring", "a spring of MuJoCo's; Pinocchio and Drake drop it"),
        "frictionloss": ("reader/spring", "dry friction of MuJoCo's; Drake drops it"),
        "armature": (
            "reader/armature",
            "Drake drops it unless a <motor> or <position> drives the joint; MuJoCo and Pinocchio add it to M",
        ),
    }
    actuators = [one for section in subject.source.root.all("actuator") for tag in IN_DRAKE for one in section.all(tag)]
    driven = {one.attributes.get("joint", "") for one in actuators}
    seen: set[tuple[str, int]] = set()
    for joint in subject.joints:
        if not isinstance(joint, MjcfJoint):
            continue
        for name, (rule, why) in whys.items():
            if name not in joint.attributes or (name == "armature" and joint.name in driven):
                continue
            stated = joint.attributes[name]
            value = numbers(joint.attributes, name, 1, ())[0]
            if value == 0.0 or np.isnan(value) or (name, id(stated.node)) in seen:
                continue
            seen.add((name, id(stated.node)))
            text = f"{name} {value:g}"
            finding = Finding.at(stated.node, rule, "note", text, why=why, link=joint.child)
            yield replace(finding, element=f"joint {joint.name!r}")


def held_up(subject: Subject) -> Iterator[Finding]:
    """Bodies whose weight gravcomp takes away."""
    for body in subject.bodies.values():
        text = body.node.attributes.get("gravcomp", "0")
        if body.name != "world" and text.strip() not in ("0", "0.0"):
            why = "MuJoCo takes this share of the weight away; Pinocchio and Drake do not"
            finding = Finding.at(body.node, "reader/gravcomp", "note", f"gravcomp {text}", why=why, link=body.name)
            yield replace(finding, element=f"body {body.name!r}")
