# ruff: noqa: E501 - pieces of descriptions stand whole on their lines
"""Transmissions, <dynamics> and actuators of URDF files, damaged: every number of them counts, or a note says it does not."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from random import Random
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import pinocchio as pin

import armdyn
from armdyn.actuators.data import known_laws
from armdyn.formats.urdf import read_urdf
from fuzz import numbers, urdf_sources
from fuzz.cases import Finding, Stage, Verdict, file_in_memory, refused
from fuzz.damage import now_and_then_damaged
from fuzz.ignored import judged_by_poke
from fuzz.ignored_xml import PLAIN, PREFIX, poked_xml
from fuzz.meaning import Reading, reading_of
from fuzz.trees import Words, mutate

WITHIN = ("transmission", "dynamics", "armdyn")

PIECES = (
    "<mechanicalReduction>50</mechanicalReduction>", "<mechanical_reduction>-7.5</mechanical_reduction>",
    '<drake_gear_ratio value="30"/>', '<drake_rotor_inertia value="1.5e-4"/>', '<actuator name="m"/>', '<joint name="j0"/>',
    "<type>transmission_interface/SimpleTransmission</type>", "<plugin>transmission_interface/FourBarLinkageTransmission</plugin>",
    "<motorTorqueConstant>0.1</motorTorqueConstant>", "<offset>0.3</offset>", '<dynamics damping="0.3" friction="0.4"/>',
    '<motor rotor_inertia="1e-4"/>', '<gear ratio="9" efficiency="0.8"/>', '<friction><Coulomb size="0.3"/></friction>',
    '<friction><Stribeck static="3" kinetic="2" speed="0.1"/></friction>', '<spring stiffness="900"/>', '<rotor inertia="1e-4" ratio="100" mass="0.3"/>',
    '<stator mass="0.7"/>', '<actuator><motor rotor_inertia="1e-4"/><gear ratio="9"/></actuator>', '<brake torque="3"/>',
    '<of_joint joint="j0" armature="0.1"/>', '<limits voltage="24"/>', "<role>joint1</role>", "<remark>5</remark>",
)  # fmt: skip
WORDS = Words(
    tags=(
        *(
            "transmission",
            "type",
            "plugin",
            "joint",
            "actuator",
            "mechanicalReduction",
            "mechanical_reduction",
            "dynamics",
        ),
        *(
            "drake_gear_ratio",
            "drake_rotor_inertia",
            "hardwareInterface",
            "motor",
            "gear",
            "friction",
            "spring",
            "brake",
        ),
        *("rotor", "stator", "of_joint", "armdyn", "limits", *sorted(known_laws())),
    ),
    attributes=(
        *(
            "name",
            "type",
            "value",
            "joint",
            "armature",
            "collar",
            "damping",
            "friction",
            "ratio",
            "inertia",
            "efficiency",
        ),
        *(
            "rotor_inertia",
            "size",
            "static",
            "kinetic",
            "speed",
            "mass",
            "role",
            "stiffness",
            "coefficient",
            "axis",
            "tip",
        ),
    ),
    values={"role": ("joint1", "actuator1", "joint2"), "collar": ("parent", "child")},
    references=frozenset({"name", "joint"}),
    pieces=PIECES,
)


class UrdfDrives:
    """Mutated drives of URDF files."""

    name, suffix = "urdf_drives", ".urdf"

    @cached_property
    def path(self) -> Path:
        """The file."""
        return file_in_memory("arm.urdf")

    def make(self, rng: Random) -> bytes:
        """A small arm with drives of all forms, of which up to three are changed; now and then damaged bytes."""
        root = urdf_sources.grown(rng)
        drives = _drives(root, rng)
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            mutate(rng.choice(drives), rng, WORDS, fromstring)
        data = tostring(root).replace(PLAIN, PREFIX)
        return now_and_then_damaged(data, rng, 25)

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read; damping and friction as Pinocchio has them; with another number; written and read again."""
        rng = Random(data)  # noqa: S311
        stage("armdyn")
        problems = "warn" if rng.random() < 0.5 else "refuse"
        try:
            first, model = self._read(data, problems)
        except armdyn.ArmdynError as error:
            return refused(error)
        if apart := self._written_and_read(model):
            return Verdict("read", Finding("difference", "written and read", apart))
        self.path.write_bytes(data)
        stage("peer")
        if apart := _unlike_pinocchio(self.path, model):
            return Verdict("compared", Finding("difference", "damping and friction", apart))
        stage("armdyn")
        return judged_by_poke(first, poked_xml(data, rng, WITHIN), lambda other: self._read(other, problems)[0])

    def _read(self, data: bytes, problems: str) -> tuple[Reading, armdyn.Model]:
        self.path.write_bytes(data)
        kept: list[armdyn.Model] = []

        def read() -> tuple[armdyn.Model, tuple[str, ...]]:
            kept.append(read_urdf(self.path, problems=problems))  # type: ignore[arg-type]
            return kept[-1], kept[-1].notes

        return reading_of(read), kept[-1]

    def _written_and_read(self, model: armdyn.Model) -> str:
        """How the joints' drives differ once they were written and read; empty where they do not."""
        try:
            text = armdyn.Robot(model).to_urdf()
        except armdyn.Unsupported:
            return ""
        _, again = self._read(text.encode(), "refuse")
        drives = [[(j.name, j.damping, j.friction, j.armature, j.actuator) for j in m.joints] for m in (model, again)]
        return "" if drives[0] == drives[1] else "\n".join(map(repr, drives))


def _unlike_pinocchio(path: Path, model: armdyn.Model) -> str:
    """The joints whose damping or friction Pinocchio reads otherwise."""
    try:
        peer = pin.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError):
        return ""
    for joint in model.joints:
        if joint.actuator is not None or not peer.existJointName(joint.name):
            continue
        k = peer.joints[peer.getJointId(joint.name)].idx_v
        theirs = float(peer.damping[k]), float(peer.friction[k])
        if (joint.damping, joint.friction) != theirs:
            return f"{joint.name}: armdyn {joint.damping!r} {joint.friction!r}, Pinocchio {theirs}"
    return ""


def _drives(root: Element, rng: Random) -> list[Element]:
    """The elements of drives, some of each form put in."""
    moving = [joint for joint in root.findall("joint") if joint.attrib["type"] != "fixed"]
    for joint in moving:
        name = joint.attrib["name"]
        if joint.find("dynamics") is None and rng.random() < 0.5:
            SubElement(joint, "dynamics", damping=repr(rng.uniform(0, 2)), friction=repr(rng.uniform(0, 2)))
        if rng.random() < 0.5:
            root.append(fromstring(_transmission(name, rng)))
    if rng.random() < 0.35:
        joint = rng.choice(moving).attrib["name"]
        parts = "".join(rng.sample((*PIECES[11:14], PIECES[14]), 2))
        own = f'<armdyn><of_joint joint="{joint}" armature="0.1"><actuator>{parts}</actuator></of_joint></armdyn>'
        root.append(fromstring(own))
    found = [e for e in root.iter() if e.tag in WITHIN]
    return found or moving


def _transmission(joint: str, rng: Random) -> str:
    ratio = rng.choice(("50", repr(rng.uniform(-100, 100)), numbers.shown([numbers.plain(rng)])))
    drake = f'<drake_gear_ratio value="{ratio}"/><drake_rotor_inertia value="{rng.uniform(0, 1e-3)!r}"/>'
    return rng.choice(
        (
            f'<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="{joint}"/>'
            f'<actuator name="m"><mechanicalReduction>{ratio}</mechanicalReduction></actuator></transmission>',
            f'<transmission name="t" type="SimpleTransmission"><joint name="{joint}"/><actuator name="m"/><mechanicalReduction>{ratio}</mechanicalReduction></transmission>',
            f'<ros2_control name="c" type="system"><transmission name="r"><plugin>transmission_interface/SimpleTransmission</plugin><joint name="{joint}" role="joint1"><mechanical_reduction>{ratio}</mechanical_reduction></joint></transmission></ros2_control>',
            f'<transmission name="t"><joint name="{joint}"/><actuator name="m">{drake}</actuator></transmission>',
        )
    )
