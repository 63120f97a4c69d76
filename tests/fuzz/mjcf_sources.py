# ruff: noqa: E501 - pieces of descriptions stand whole on their lines
"""MJCF files to begin with: grown arms that use what the format has."""

from __future__ import annotations

import math
from random import Random
from xml.etree.ElementTree import Element, SubElement, fromstring

from fuzz import numbers
from fuzz.trees import Words

WORDS = Words(
    tags=(
        *("mujoco", "compiler", "option", "flag", "size", "default", "worldbody", "body", "joint", "freejoint", "geom"),
        *("inertial", "site", "camera", "light", "frame", "replicate", "composite", "flexcomp", "equality", "connect"),
        *(
            "weld",
            "tendon",
            "fixed",
            "spatial",
            "actuator",
            "motor",
            "position",
            "general",
            "muscle",
            "sensor",
            "jointpos",
        ),
        *("keyframe", "key", "asset", "mesh", "material", "texture", "hfield", "skin", "contact", "pair", "exclude"),
        *("custom", "numeric", "text", "extension", "plugin", "include", "visual", "statistic", "deformable", "flex"),
    ),
    attributes=(
        *("name", "class", "childclass", "type", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "axis", "ref"),
        *(
            "range",
            "limited",
            "stiffness",
            "springref",
            "damping",
            "armature",
            "frictionloss",
            "margin",
            "group",
            "size",
        ),
        *("fromto", "mass", "density", "mesh", "fitscale", "diaginertia", "fullinertia", "gravcomp", "mocap", "body1"),
        *("body2", "joint1", "joint2", "anchor", "relpose", "torquescale", "polycoef", "active", "solref", "solimp"),
        *(
            "joint",
            "gear",
            "kp",
            "ctrlrange",
            "forcerange",
            "coef",
            "site",
            "angle",
            "autolimits",
            "eulerseq",
            "coordinate",
        ),
        *(
            "inertiafromgeom",
            "balanceinertia",
            "boundmass",
            "boundinertia",
            "settotalmass",
            "fusestatic",
            "discardvisual",
        ),
        *(
            "gravity",
            "timestep",
            "integrator",
            "density",
            "viscosity",
            "wind",
            "contact",
            "constraint",
            "equality",
            "count",
        ),
        *(
            "actuatorfrcrange",
            "actuatorfrclimited",
            "shellinertia",
            "file",
            "vertex",
            "face",
            "offset",
            "sep",
            "prefix",
        ),
        *(
            "inertiagrouprange",
            "usethread",
            "strippath",
            "meshdir",
            "simplify",
            "inertia",
            "builtin",
            "width",
            "height",
        ),
    ),
    values={
        "type": (
            "hinge",
            "slide",
            "ball",
            "free",
            "sphere",
            "capsule",
            "box",
            "cylinder",
            "ellipsoid",
            "plane",
            "mesh",
            "hfield",
        ),
        "angle": ("radian", "degree"),
        "coordinate": ("local", "global"),
        "inertiafromgeom": ("true", "false", "auto"),
        "limited": ("true", "false", "auto"),
        "autolimits": ("true", "false"),
        "balanceinertia": ("true", "false"),
        "fusestatic": ("true", "false"),
        "active": ("true", "false"),
        "mocap": ("true", "false"),
        "eulerseq": ("xyz", "XYZ", "zyx", "xyx", "abc", "xy"),
        "integrator": ("Euler", "RK4", "implicit", "implicitfast"),
        "inertia": ("convex", "exact", "legacy", "shell"),
        "builtin": ("checker", "flat", "gradient"),
    },
    references=frozenset(
        {"name", "class", "childclass", "body1", "body2", "joint1", "joint2", "joint", "site", "mesh", "material"}
    ),
    pieces=(
        '<joint name="jx" axis="0 1 0.5" ref="0.2" range="-1 1"/>',
        '<joint type="slide" axis="1 0 0"/>',
        '<joint type="ball"/>',
        "<freejoint/>",
        '<joint axis="0 0 1" stiffness="3" springref="0.1" damping="0.1"/>',
        '<geom size="0.1"/>',
        '<geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0" euler="10 20 30"/>',
        '<geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.04"/>',
        '<geom type="ellipsoid" size="0.1 0.2 0.3" density="300"/>',
        '<geom type="cylinder" size="0.1 0.2" mass="2" shellinertia="true"/>',
        '<geom type="mesh" mesh="tetra"/>',
        '<geom type="plane" size="1 1 1"/>',
        '<inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.2 0.25"/>',
        '<inertial pos="0 0.1 0" quat="1 2 3 4" mass="1.5" fullinertia="0.2 0.3 0.25 0.01 0.02 -0.03"/>',
        '<body name="extra" pos="0 1 0"><freejoint/><geom size="0.1"/></body>',
        '<body name="more" pos="0 0 0.3" axisangle="0 1 1 0.5"><joint axis="1 1 0"/><geom type="box" size="0.1 0.1 0.2"/></body>',
        '<frame pos="0.1 0 0" euler="0 0 30"><body><joint/><geom size="0.05"/></body></frame>',
        '<replicate count="2" offset="0.3 0 0" euler="0 0 20"><body><joint axis="0 1 0"/><geom size="0.05"/></body></replicate>',
        '<site name="s" pos="0.1 0 0" zaxis="1 0 1"/>',
        "<site/>",
        '<camera name="c" pos="0 0 1"/>',
        '<light pos="0 0 2"/>',
        '<equality><joint joint1="j0" joint2="j1" polycoef="0.1 -0.5 0 0 0"/></equality>',
        '<equality><joint joint1="j0" polycoef="0.3 0 0 0 0"/></equality>',
        '<equality><connect body1="b0" body2="b1" anchor="0.1 0 0.2"/></equality>',
        '<equality><weld body1="b0" body2="b1" relpose="0 0 0 1 0 0 0"/></equality>',
        '<equality><weld body1="b0"/></equality>',
        '<tendon><fixed name="t"><joint joint="j0" coef="1"/></fixed></tendon>',
        '<tendon><spatial><site site="s"/><site site="s0"/></spatial></tendon>',
        '<actuator><motor joint="j0" gear="50"/></actuator>',
        '<actuator><position joint="j0" kp="10" kv="1"/></actuator>',
        '<sensor><jointpos joint="j0"/></sensor>',
        '<keyframe><key qpos="0 0"/></keyframe>',
        '<asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
        '<asset><mesh name="cube" vertex="0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1" scale="0.1 0.1 0.2"/></asset>',
        '<asset><texture name="x" type="2d" builtin="checker" width="8" height="8"/></asset>',
        '<asset><hfield name="h" nrow="2" ncol="2" elevation="0 1 1 0" size="1 1 1 1"/></asset>',
        '<default><joint armature="0.1" damping="0.2"/><geom density="500"/></default>',
        '<default class="big"><geom size="0.2"/></default>',
        '<contact><exclude body1="b0" body2="b1"/></contact>',
        '<option density="1.2"/>',
        '<option gravity="1 2 -9"><flag gravity="disable"/></option>',
        '<flag contact="disable" equality="disable"/>',
        '<compiler angle="radian" settotalmass="5"/>',
        '<compiler eulerseq="zyx" balanceinertia="true" boundmass="0.1"/>',
        '<compiler coordinate="global"/>',
        '<composite type="cable" curve="s" count="5 1 1" size="1"><joint kind="main" damping="0.1"/><geom type="capsule" size=".01"/></composite>',
        '<flexcomp type="grid" count="3 3 1" spacing=".1 .1 .1" name="f" radius=".01"/>',
        '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>',
        '<include file="nosuch.xml"/>',
        '<custom><numeric name="n" data="1 2 3"/><text name="t" data="x"/></custom>',
        '<size memory="1M" nkey="3"/>',
        '<statistic extent="2"/>',
        '<visual><global fovy="40"/></visual>',
        "<remark>text</remark>",
    ),
)


def base(rng: Random) -> Element:
    """An arm of one to four bodies, with joints, sites and inertias given in all the ways there are."""
    root = Element("mujoco", model="grown")
    radian = rng.random() < 0.6
    compiler = SubElement(root, "compiler", angle="radian" if radian else "degree")
    if rng.random() < 0.2:
        compiler.set(*rng.choice((("eulerseq", "zyx"), ("autolimits", "false"), ("balanceinertia", "true"))))
    if rng.random() < 0.5:
        SubElement(root, "option", gravity=numbers.shown([rng.uniform(-10, 10) for _ in range(3)]))
    if rng.random() < 0.2:
        root.append(
            fromstring(
                '<default><joint armature="0.1"/><geom density="500"/><default class="big"><geom size="0.2"/></default></default>'
            )
        )
    world = SubElement(root, "worldbody")
    if rng.random() < 0.15:
        root.append(fromstring('<asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'))
    bodies = [world]
    joints = 0
    for k in range(rng.choice((1, 2, 2, 3, 4))):
        body = SubElement(rng.choice((bodies[-1], bodies[-1], *bodies)), "body", name=f"b{k}", pos=_vector(rng))
        _turn(body, rng, radian=radian)
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2)) or (k == 0)):
            joints += _joint(body, joints, rng)
        _mass(body, rng)
        if rng.random() < 0.3:
            SubElement(body, "site", name=f"s{k}", pos=_vector(rng))
        bodies.append(body)
    for _ in range(rng.choice((0, 0, 0, 1))):
        root.append(fromstring(rng.choice(WORDS.pieces[22:40])))
    return root


def _vector(rng: Random) -> str:
    return numbers.shown([numbers.plain(rng) for _ in range(3)])


def _turn(element: Element, rng: Random, *, radian: bool) -> None:
    unit = 1.0 if radian else 180.0 / math.pi
    turns = {
        "euler": lambda: [unit * numbers.angle(rng) for _ in range(3)],
        "quat": lambda: [rng.uniform(0.1, 1), *(rng.uniform(-1, 1) for _ in range(3))],
        "axisangle": lambda: [rng.uniform(0.1, 1), rng.uniform(-1, 1), 0.0, unit * numbers.angle(rng)],
        "xyaxes": lambda: [rng.uniform(0.1, 1), rng.uniform(-1, 1), 0.0, 0.0, rng.uniform(-1, 1), rng.uniform(0.1, 1)],
        "zaxis": lambda: [rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.1, 1)],
    }
    if rng.random() < 0.7:
        key = rng.choice(list(turns))
        element.set(key, numbers.shown(turns[key]()))


def _joint(body: Element, number: int, rng: Random) -> int:
    joint = SubElement(body, "joint", type=rng.choice(("hinge", "hinge", "slide")))
    if rng.random() < 0.9:
        joint.set("name", f"j{number}")
    joint.set(
        "axis",
        numbers.shown([rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.1, 1)]) if rng.random() < 0.5 else "0 1 0",
    )
    extras = {
        "pos": _vector(rng),
        "ref": "0.3",
        "range": "-1 2",
        "armature": "0.05",
        "damping": "0.1",
        "frictionloss": "0.1",
    }
    for key, value in extras.items():
        if rng.random() < 0.2:
            joint.set(key, value)
    return 1


def _mass(body: Element, rng: Random) -> None:
    body.append(fromstring(rng.choice(WORDS.pieces[5:10] + WORDS.pieces[12:14])))
    if rng.random() < 0.3:
        body.append(fromstring(rng.choice(WORDS.pieces[5:9])))
