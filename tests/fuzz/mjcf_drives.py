# ruff: noqa: E501 - pieces of descriptions stand whole on their lines
"""Actuators and joints' friction of MJCF files, damaged: what joints feel is MuJoCo's; numbers count or are said not to."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import mujoco
import numpy as np

import armdyn
from armdyn.actuators import LuGre
from armdyn.algorithms import friction_forces, mass_matrix
from armdyn.formats.mjcf import compiler, read_mjcf
from armdyn.model.canonical import canonical
from fuzz import mjcf_sources
from fuzz.cases import Finding, Stage, Verdict, file_in_memory, refused
from fuzz.damage import now_and_then_damaged
from fuzz.ignored import judged_by_poke
from fuzz.ignored_xml import poked_xml
from fuzz.meaning import Reading, reading_of
from fuzz.mjcf import _forked, _has_parallel_slides
from fuzz.trees import Words, mutate

FORMS = (
    '<motor joint="j0" gear="50"/>', '<motor joint="j0" gear="-50" armature="1e-4" damping="2e-3"/>',
    '<position joint="j0" kp="10" kv="1"/>', '<velocity joint="j0" kv="3" gear="7"/>', '<damper joint="j0" kv="2" ctrlrange="0 1"/>',
    '<general joint="j0" gainprm="3" biastype="affine" biasprm="0.1 -2 -0.3"/>', '<intvelocity joint="j0" kp="4" actrange="-1 1"/>',
    '<cylinder joint="j0" area="0.1" timeconst="2"/>', '<position joint="j0" armature="2e-4" gear="30" kp="9" forcerange="-5 5"/>',
    '<dcmotor joint="j0" gear="100" motorconst="0.04 0.05" resistance="2" inductance="1e-3" armature="1e-5" damping="1e-6"/>',
    '<dcmotor joint="j0" gear="20" motorconst="0.04" resistance="2" thermal="2 20 0 0.004 25 20" saturation="1.5 0 100" cogging="0.01 12 0.3"/>',
    '<dcmotor joint="j0" gear="20" motorconst="0.04" resistance="2" lugre="100 0.1 0.2 0.3 0.1"/>',
)  # fmt: skip
ATTRIBUTES = (
    *(
        "gear",
        "armature",
        "damping",
        "kp",
        "kv",
        "forcerange",
        "ctrlrange",
        "motorconst",
        "resistance",
        "inductance",
        "thermal",
    ),
    *(
        "saturation",
        "cogging",
        "lugre",
        "joint",
        "class",
        "name",
        "gainprm",
        "biasprm",
        "dyntype",
        "dynprm",
        "forcelimited",
    ),
)
FELT = (
    "gear",
    "armature",
    "damping",
    "motorconst",
    "resistance",
    "inductance",
    "thermal",
    "saturation",
    "cogging",
    "lugre",
)
"""Of which joints feel something, or which a note tells; of controllers a note says that they are no part of the equations."""

WORDS = Words(
    tags=("motor", "position", "velocity", "general", "dcmotor", "damper", "actuator"),
    attributes=ATTRIBUTES,
    values={"forcelimited": ("true", "false", "auto"), "dyntype": ("none", "integrator", "filter")},
    references=frozenset({"joint", "name"}),
    pieces=FORMS,
)


class MjcfDrives:
    """Mutated actuators of MJCF files."""

    name, suffix = "mjcf_drives", ".xml"

    @cached_property
    def path(self) -> Path:
        """The file."""
        path = file_in_memory("arm.xml")
        os.chdir(path.parent)  # MuJoCo writes a log where it is
        return path

    def make(self, rng: Random) -> bytes:
        """An arm with one to three actuators, of which up to two things are changed, and now and then damaged bytes."""
        root = mjcf_sources.base(rng)
        drives = _drives(root, rng)
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            mutate(drives, rng, WORDS, fromstring)
        data = tostring(root)
        return now_and_then_damaged(data, rng, 25)

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read; mass matrix and damping as MuJoCo has them; with another number."""
        rng = Random(data)  # noqa: S311
        stage("armdyn")
        try:
            first, model = self._read(data)
        except armdyn.ArmdynError as error:
            return refused(error)
        stage("peer")
        if apart := _unlike_mujoco(self.path, model, rng):
            return Verdict("compared", Finding("difference", "what joints feel", apart))
        if b"\n" in data or b"<equality" in data:
            return Verdict("compared")  # names that another parser blanks; joints that are held, of which a note tells
        stage("armdyn")
        return judged_by_poke(first, poked_xml(data, rng, ("actuator",), FELT), lambda other: self._read(other)[0])

    def _read(self, data: bytes) -> tuple[Reading, armdyn.Model]:
        self.path.write_bytes(data)
        kept: list[armdyn.Model] = []

        def read() -> tuple[armdyn.Model, tuple[str, ...]]:
            kept.append(read_mjcf(self.path))
            return kept[-1], kept[-1].notes

        with mock.patch.object(compiler, "compile_apart", _forked):
            return reading_of(read), kept[-1]


def _drives(root: Element, rng: Random) -> Element:
    """The actuators put in, on joints that are there."""
    names = [joint.attrib["name"] for joint in root.iter("joint") if "name" in joint.attrib and "axis" in joint.attrib]
    drives = SubElement(root, "actuator")
    for _ in range(rng.choice((1, 1, 2, 3))):
        drive = fromstring(rng.choice(FORMS))
        drive.set("joint", rng.choice(names or ["j0"]))
        drives.append(drive)
    return drives


def _unlike_mujoco(path: Path, model: armdyn.Model, rng: Random) -> str:
    """How the mass matrix, or the damping of the joints, differs from MuJoCo's; empty where it does not."""
    m = mujoco.MjModel.from_xml_path(str(path))
    plain = (
        not (model.coupling or model.constraints) and m.njnt == m.nv == len(model.joints) and m.ntendon == m.neq == 0
    )
    laws = [law for joint in model.joints if joint.actuator is not None for law in joint.actuator.friction or ()]
    if (
        not plain
        or _has_parallel_slides(m)
        or any(isinstance(law, LuGre) for law in laws)
        or np.abs(m.qpos0).max(initial=0.0) > 1e3
    ):
        return ""
    m.jnt_stiffness[:], m.body_gravcomp[:], m.body_sameframe[:] = 0.0, 0.0, 0
    m.opt.density = m.opt.viscosity = 0.0
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(m)
    q, qd = (np.array([rng.uniform(-1, 1) for _ in model.joints]) for _ in range(2))
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(m, data)
    columns = np.eye(m.nv)
    for k in range(m.nv):
        mujoco.mj_mulM(m, data, columns[k], np.eye(m.nv)[k])
    mechanism = canonical(model.replace(joints=tuple(joint.replace(friction=0.0) for joint in model.joints)))
    with np.errstate(all="ignore"):
        M = np.asarray(mass_matrix(mechanism, q), float)
        friction = np.asarray(friction_forces(mechanism, q, qd), float)
    return _apart("mass matrix", M, columns) or _apart("friction", friction, -data.qfrc_passive)


def _apart(what: str, ours: Any, theirs: Any) -> str:
    scale = np.abs(theirs).max(initial=1e-300)
    if not np.isfinite(theirs).all() or np.abs(ours - theirs).max(initial=0.0) <= 1e-9 * scale:
        return ""
    return f"{what}: armdyn {ours.tolist()}, MuJoCo {theirs.tolist()}"
