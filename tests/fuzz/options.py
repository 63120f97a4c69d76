"""URDF files read in part: base, tip, chain, locked joints and gravity of any kind.

The peer is Pinocchio with the whole file: joints before the base stand at zero, locked ones where they are locked, what
a chain leaves out has no mass, and gravity is turned into the axes of the world.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from xml.etree.ElementTree import Element, tostring

import numpy as np
import pinocchio as pin

import armdyn
from armdyn.formats.urdf import read_urdf
from fuzz import urdf_sources
from fuzz.cases import Finding, Stage, Verdict, file_in_memory
from fuzz.pinocchio_peer import Peer, State, bare, difference, random_state, torques_of_armdyn

ODD: tuple[Any, ...] = (
    *(None, "", " ", "l0", "nosuch", 5, 0, 1.5, [], {}, ["l0"], True, False, "world", "j0", [1, 2, 3], {"j0": "x"}),
    *(
        {"j0": None},
        {"j0": 1e16},
        {"j0": 1e300},
        {"nosuch": 0.0},
        {"j0": [1, 2]},
        [0, 0],
        [0, 0, 1e308],
        "0 0 1",
        10**400,
    ),
)


class Options:
    """Files with selections."""

    name, suffix = "options", ".json"

    @cached_property
    def path(self) -> Path:
        """The file that both libraries read."""
        return file_in_memory("arm.urdf")

    def make(self, rng: Random) -> bytes:
        """A file without couplings, and options."""
        root = urdf_sources.base(rng)
        for joint in root.iter("joint"):
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)
        return json.dumps({"urdf": tostring(root, encoding="unicode"), "options": _options(root, rng)}).encode()

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read a part; compare its torques with those of the whole."""
        try:
            asked = json.loads(data)
            text, options = asked["urdf"], dict(asked["options"])
        except (ValueError, KeyError, TypeError):
            return Verdict("no input")  # made smaller than it can be
        rng = Random(data)  # noqa: S311
        self.path.write_text(text)
        stage("armdyn")
        try:
            model = read_urdf(self.path, **{"friction": "ignore"} | options)
        except armdyn.ArmdynError:
            return Verdict("refused")
        tree = bare(model)
        state = random_state(tree.joint_names, rng)
        found = torques_of_armdyn(tree, state)
        stage("peer")
        try:
            whole = Peer.of_file(self.path, np.zeros(3))
        except ValueError:
            return Verdict("read, not by the peer")
        locked = options.get("locked") or {}
        expected, sizes = _of_the_whole(whole, tree, state, locked, chain=bool(options.get("chain")))
        apart = difference(found, expected, sizes)
        if not apart:
            return Verdict("compared")
        return Verdict("compared", Finding("difference", "torques of a part", "; ".join(apart)))


def _options(root: Element, rng: Random) -> dict[str, Any]:
    links = [link.attrib.get("name", "") for link in root.findall("link")]
    moving = [joint for joint in root.findall("joint") if joint.attrib.get("type") != "fixed"]
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        options["base"] = rng.choice(links)
    if rng.random() < 0.5:
        options["tip"] = rng.choice(links)
        options["chain"] = rng.random() < 0.6
    if rng.random() < 0.4 and moving:
        some = rng.sample(moving, rng.randrange(1, len(moving) + 1))
        options["locked"] = {joint.attrib["name"]: round(rng.uniform(-2, 2), 3) for joint in some}
    if rng.random() < 0.5:
        options["gravity"] = [rng.uniform(-10, 10) for _ in range(3)]
    if rng.random() < 0.2:
        options["check_inertia"] = False
    for key in ("base", "tip", "chain", "locked", "gravity", "check_inertia", "problems"):
        if rng.random() < 0.03:
            options[key] = rng.choice(ODD)
    return options


def _of_the_whole(
    whole: Peer, tree: armdyn.Model, state: State, locked: Mapping[str, float], *, chain: bool
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The torques of a part's joints in the whole file."""
    model = whole.model
    here = {name: model.getJointId(name) for name in tree.joint_names}
    if chain:
        kept = set(_kept(model, set(here.values()), {model.getJointId(name) for name in locked}, tree.base))
        for index in range(1, model.njoints):
            if index not in kept:
                model.inertias[index] = pin.Inertia.Zero()
    rest = {name: (float(locked.get(name, 0.0)), 0.0, 0.0) for name in whole.names if name not in here}
    q, qd, qdd = (
        {name: part[name] if name in here else rest[name][k] for name in whole.names}
        for k, part in enumerate((state.q, state.qd, state.qdd))
    )
    full = State(_upstream_at_zero(model, tree.base, q, here), qd, qdd)
    model.gravity.linear = _base_axes(model, tree.base, full.q) @ np.array(tree.gravity)
    tau, sizes = whole.torques(full)
    return {name: tau[name] for name in here}, {name: sizes[name] for name in here}


def _carrier(model: pin.Model, link: str) -> int:
    """The joint that carries a link."""
    return int(model.frames[model.getFrameId(link, pin.FrameType.BODY)].parentJoint)


def _path(model: pin.Model, index: int) -> Iterator[int]:
    """A joint and those before it."""
    while index > 0:
        yield index
        index = int(model.parents[index])


def _kept(model: pin.Model, here: set[int], locked: set[int], base: str) -> Iterator[int]:
    """The joints that a chain keeps: its own, and locked ones with nothing that is left out between them and it."""
    before = {0, *_path(model, _carrier(model, base))}
    for index in range(1, model.njoints):
        between = [k for k in _path(model, index) if k not in before]
        if all(k in here or k in locked for k in between):
            yield index


def _upstream_at_zero(model: pin.Model, base: str, q: dict[str, float], here: Mapping[str, int]) -> dict[str, float]:
    """Positions of all joints, those before the base as the file draws it, where they are not locked."""
    before = {model.names[k] for k in _path(model, _carrier(model, base))}
    return {name: 0.0 if name in before and name not in here else value for name, value in q.items()}


def _base_axes(model: pin.Model, base: str, q: Mapping[str, float]) -> np.ndarray:
    """R of the base in the world."""
    positions = pin.neutral(model)
    for index in range(1, model.njoints):
        joint, value = model.joints[index], q[model.names[index]]
        positions[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
    data = model.createData()
    pin.framesForwardKinematics(model, data, positions)
    return np.array(data.oMf[model.getFrameId(base, pin.FrameType.BODY)].rotation)
