"""URDF files, damaged: armdyn against Pinocchio on the same bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from xml.etree.ElementTree import Element, fromstring, tostring

import numpy as np

import armdyn
from armdyn.formats.urdf import read_urdf
from fuzz import urdf_sources
from fuzz.cases import Finding, Stage, Verdict, file_in_memory
from fuzz.damage import now_and_then_damaged
from fuzz.pinocchio_peer import (
    KEPT_DIGITS,
    Peer,
    State,
    bare,
    difference,
    digits_of_lengths,
    random_state,
    torques_of_armdyn,
    worse_than_peer,
)
from fuzz.trees import mutate

COMPILED = 1 / 400
"""The share of inputs whose torques are computed by compiled code too."""

EXPLAINED = ("quat_xyzw is not used",)
"""Notes that explain why Pinocchio reads another robot: it takes the quaternion of versions that we do not know."""


class Urdf:
    """Mutated URDF files."""

    name, suffix = "urdf", ".urdf"

    @cached_property
    def path(self) -> Path:
        """The file that both libraries read, in memory where the system has a place for it."""
        return file_in_memory("arm.urdf")

    def make(self, rng: Random) -> bytes:
        """A file with up to four changes of its tree, and now and then damaged bytes."""
        root = urdf_sources.base(rng)
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3))):
            mutate(root, rng, urdf_sources.WORDS, fromstring)
        data = tostring(root)
        return now_and_then_damaged(data, rng, 17, (1, 1, 2))

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read by both; where both read it, the torques of a random state."""
        rng = Random(data)  # noqa: S311
        self.path.write_bytes(data)
        stage("armdyn")
        problems = "warn" if rng.random() < 0.5 else "refuse"
        gravity = np.array([rng.uniform(-10.0, 10.0) for _ in range(3)])
        try:
            model = read_urdf(
                self.path, friction="ignore", gravity=gravity, check_inertia=rng.random() < 0.3, problems=problems
            )
        except armdyn.ArmdynError as error:
            return Verdict("refused", _doubt(error))
        tree = bare(model)
        state = random_state(tree.joint_names, rng)
        found = torques_of_armdyn(tree, state)
        if rng.random() < COMPILED and (other := _compiled(tree, state, found)):
            return Verdict("read", Finding("difference", "compiled code", other))
        if any(note.startswith(EXPLAINED) for note in model.notes):
            return Verdict("read, not compared")
        stage("peer")
        try:
            peer = Peer.of_file(self.path, gravity)
        except ValueError:
            return Verdict("read, not by the peer")
        if set(peer.names) != set(tree.joint_names):
            return _other_names(tree.joint_names, peer.names)
        expected, sizes = peer.torques(state)
        apart = difference(found, expected, sizes)
        return Verdict("compared") if not apart else self._examined(data, tree, state, found, apart)

    def _examined(
        self, data: bytes, tree: armdyn.Model, state: State, found: Mapping[str, float], apart: Sequence[str]
    ) -> Verdict:
        """The verdict on torques that differ: by a reading in many digits, and of a file that both read alike."""
        plain = self.path.with_name("plain.urdf")
        try:
            plain.write_bytes(tostring(_plain(fromstring(_without_prefixes(data.lstrip())))))
            peer = Peer.of_file(plain, np.array(tree.gravity))
            expected, sizes = peer.torques(state)
            if not difference(found, expected, sizes):
                return Verdict("compared, blanks apart")
            worse = worse_than_peer(plain, tree, state, found, expected)
        except Exception as error:
            return Verdict("compared", Finding("difference", "torques", "; ".join([*apart, repr(error)])))
        if not worse:
            return Verdict("compared, both imprecise")
        if digits_of_lengths(tree) > KEPT_DIGITS or _is_noise_of_long_lengths(tree, state, found, expected):
            return Verdict("compared, lengths of more digits than numbers have")
        as_read, _ = Peer.of_model(tree).torques(state)
        right = not difference(as_read, expected, sizes)
        signature = "torques: read rightly, computed wrongly" if right else "torques: read differently"
        return Verdict("compared", Finding("difference", signature, "; ".join([*apart, worse])))


LONG = 1e6
"""m: lengths no arm has."""


def _is_noise_of_long_lengths(
    model: armdyn.Model, state: State, found: Mapping[str, float], expected: Mapping[str, float]
) -> bool:
    """Whether torques differ by less than directions, which are known to 1e-14, make of lengths that no arm has."""
    places = [joint.placement[:3, 3] for joint in model.joints] + [link.inertia.com for link in model.links]
    far = float(np.abs(np.concatenate(places)).max(initial=0.0))
    rates = 1.0 + sum(abs(x) for x in state.qdd.values()) + sum(abs(x) for x in state.qd.values()) ** 2
    with np.errstate(over="ignore"):
        moved = sum(link.inertia.mass for link in model.links) * (far + far**2) * (rates + np.abs(model.gravity).sum())
    return far > LONG and all(abs(found[name] - value) <= 1e-13 * moved for name, value in expected.items())


def _without_prefixes(data: bytes) -> bytes:
    """The document without prefixes of names: our reader and Pinocchio's take undeclared ones, Python's does not."""
    return re.sub(rb"<(/?)\w+:", rb"<\1", data)


def _plain(root: Element) -> Element:
    """The file with single blanks between numbers, and none around them.

    Where there are others, such as line breaks, urdfdom drops the whole ``<inertial>`` and says so on the screen only.
    """
    for element in root.iter():
        for key, value in element.attrib.items():
            element.attrib[key] = " ".join(value.split())
    return root


def _other_names(ours: Sequence[str], theirs: Sequence[str]) -> Verdict:
    """The verdict on joints of other names; line breaks in them XML makes blanks, and tinyxml does not."""
    blanked = [{name.translate(str.maketrans("\n\t\r", "   ")) for name in names} for names in (ours, theirs)]
    if blanked[0] == blanked[1]:
        return Verdict("read, names with line breaks")
    return Verdict("compared", Finding("difference", "joints", f"armdyn has joints {ours}, Pinocchio {theirs}"))


def _doubt(error: armdyn.ArmdynError) -> Finding | None:
    """What is wrong with a refusal: it says nothing, or far too much."""
    text = str(error)
    if not text.strip() or len(text) > 100_000:
        return Finding("exception", "message", f"a message of {len(text)} letters")
    return None


def _compiled(model: armdyn.Model, state: State, found: dict[str, float]) -> str:
    """How compiled code differs from plain Python; empty where it does not."""
    robot = armdyn.Robot(model)
    arrays = [np.array([values[name] for name in model.joint_names]) for values in (state.q, state.qd, state.qdd)]
    tau = robot.inverse_dynamics(*arrays)
    plain = np.array([found[name] for name in model.joint_names])
    scale = np.abs(plain[np.isfinite(plain)]).max(initial=0.0)
    same = np.isclose(tau, plain, rtol=1e-9, atol=1e-12 * scale, equal_nan=True)
    return "" if same.all() else f"compiled {tau}, plain {plain}"
