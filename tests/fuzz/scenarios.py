# ruff: noqa: E501 - tables of words
"""Scenarios of motions and studies, damaged: each number of them counts."""

from __future__ import annotations

import contextlib
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import yaml

import armdyn
from armdyn.base.yaml_file import read_mapping
from armdyn.studies import Scenario
from armdyn.studies.definition import defined
from armdyn.studies.law import DeclaredLaw
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import KEYS, Words
from fuzz import plain_data
from fuzz.cases import Stage, Verdict, file_in_memory, refused
from fuzz.damage import now_and_then_damaged
from fuzz.ignored import judged_by_poke
from fuzz.meaning import Reading, reading_of

KNOWN = (
    *KEYS, "q_ref", "Kp", "Kd", "tau", "f_tip", "gravity", "link_1.mass", "link_2.com", "joint_1.damping", "mass", "com",
    "inertia", "frame", "restitution", "uniform", "normal", "log_uniform", "joint_1", "joint_2", "q0", "qd0", "file", "between", "name", "step", "every",
    "table", "normal", "through", "point_on_plane", "joint_coupling", "factors", "plane", "threshold", "signal", "residual", "above",
    "terminal", "momentum_observer", "saturated", "limits", "pid", "q_ref", "Kp", "K_observer",
)  # fmt: skip
FILES = {
    "torques.csv": "t,tau_joint_1,tau_joint_2\n0,1,2\n0.5,3,1\n1,0,0\n",
    "path.csv": "t,q_joint_1 [deg],q_joint_2 [deg]\n0,0,0\n0.5,10,5\n1,20,0\n",
    "drives.yaml": "joint_1: {gear: {ratio: 100}, motor: {rotor_inertia: 1e-4}}\n",
}


class Scenarios:
    """Damaged scenarios of a planar arm."""

    name, suffix = "scenarios", ".yaml"

    @cached_property
    def path(self) -> Path:
        """The scenario, beside the files that it names."""
        path = file_in_memory("scenario.yaml")
        for name, text in FILES.items():
            path.with_name(name).write_text(text)
        return path

    def make(self, rng: Random) -> bytes:
        """A scenario with up to two changes, and now and then damaged bytes."""
        said = study_of(rng) if rng.random() < 0.4 else motion_of(rng)
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            plain_data.changed(said, rng, KNOWN)
        data = yaml.safe_dump(said, sort_keys=False, allow_unicode=True).encode()
        return now_and_then_damaged(data, rng, 15)

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read as a motion, and where it is none as a study; with another number."""
        rng = Random(data)  # noqa: S311
        stage("armdyn")
        try:
            first = self._read(data)
        except armdyn.ArmdynError as error:
            return refused(error)
        plain = read_mapping(self.path, "a file", "a: 1")
        poke = None
        with contextlib.suppress(TypeError, ValueError):  # dates and sets, which JSON has no words for
            poke = plain_data.poked(plain, plain_data.as_json, rng, KNOWN, lambda *_: False)
        return judged_by_poke(first, poke, self._read)

    def _read(self, data: bytes) -> Reading:
        self.path.write_bytes(data)
        said = read_mapping(self.path, "a file", "a: 1", error=armdyn.ArmdynError)
        return reading_of(lambda: (self._study() if {"samples", "grid"} & {*said} else self._motion(), ()))

    def _study(self) -> Any:
        read = Scenario.read(self.path)
        whole = {
            "over_time": (),
            "keep_records": True,
            "running_cost": None,
            "energy": False,
            "chunk": None,
            "every": 1,
            "require_traced": False,
        }
        settings = {**whole, **read.settings}
        study = defined(read.robot, read.samples, **settings)
        return study.identity, study.chunk

    def _motion(self) -> Any:
        words = Words.read(self.path)
        motion = MotionSettings.of(words, words.robot())
        follows = vars(motion.follows) if motion.follows is not None else None
        settings = {name: value for name, value in motion.settings.items() if name != "torque"}
        driven = _forces(motion.settings["torque"]), words.controller_parts(), motion.driven_by
        return motion.robot, settings, *driven, follows, motion.outputs


def _forces(torque: Any) -> Any:
    """Numbers of what gives the joint forces: those of a controller, or of a table."""
    law = getattr(torque, "function", torque)
    if isinstance(law, DeclaredLaw):
        return [law.given, law.thresholds, law.record, getattr(torque, "sample_time", 0)]
    cells = getattr(law, "__closure__", None)
    inside = [cell.cell_contents for cell in cells or ()]
    gains = [x for x in inside if isinstance(x, np.ndarray)]
    return [torque if cells is None else "law", gains, getattr(torque, "sample_time", 0)]


def motion_of(rng: Random) -> dict[str, Any]:
    said: dict[str, Any] = {"robot": "planar_2r", "q0": _two(rng)}
    more = {"qd0": _two(rng), "gravity": [0, -9.81, 0], "save": {"every": 0.01}, "stops": {"restitution": 0.5}, "duration": 0.5,
            "payload": rng.choice((1.5, {"mass": 2, "com": [0, 0, 0.1]})), "actuators": "drives.yaml"}  # fmt: skip
    said |= {name: value for name, value in more.items() if rng.random() < 0.3}
    said |= {name: value for name, value in _things().items() if rng.random() < 0.15}
    way = rng.choice(("tau", "torques", "q_ref", "reference", "observer", "none"))
    if way == "observer":
        said |= {
            "controller": ["pid", {"saturated": {"limits": [9.0, 5.0]}}, {"momentum_observer": {}}],
            "method": "rk4",
        }
        said["inputs"] = {"q_ref": _two(rng), "qd_ref": 0, "Kp": 60, "Ki": 3, "Kd": _two(rng), "K_observer": 40}
        said |= {"events": {"hit": {"threshold": {"signal": "residual", "above": [3, 2]}}}, "record": ["integral"]}
        return said
    if way == "torques":
        said |= {"torque": {"file": "torques.csv", "between": rng.choice(("linear", "hold"))}}
    if way in ("q_ref", "reference"):
        said |= _aimed(rng, way == "q_ref")
        said |= {"reference": "path.csv"} if way == "reference" else {}
    if way == "tau":
        said |= {"torque": _two(rng), "f_tip": [0, 0, 0, 1.0, 0, 2.0]}
    if rng.random() < 0.3:
        said.setdefault("inputs", {})[rng.choice(("link_2.mass", "joint_1.damping", "link_1.mass"))] = 0.7
    if rng.random() < 0.5:
        said |= rng.choice(
            (
                {"method": {"name": "rk4", "step": 1e-3}},
                {"method": "euler", "method.step": 0.01},
                {"method": {"rtol": 1e-8, "atol": 1e-9}},
            )
        )
    return said


def _aimed(rng: Random, at_target: bool) -> dict[str, Any]:
    """A controller with gains, and a target where it does not follow a csv."""
    kp = rng.choice((100, _two(rng)))
    if rng.random() < 0.5:
        return {
            "controller": "pd_gravity",
            "inputs": {"Kp": kp, "Kd": 20} | ({"q_ref": _two(rng)} if at_target else {}),
        }
    inputs = {"Kp": kp, "Kd": 20} | ({"q_ref": _two(rng), "qd_ref": 0, "qdd_ref": 0} if at_target else {})
    return {"controller": "computed_torque", "inputs": inputs, "method": "rk4"}


def _things() -> dict[str, Any]:
    """What the tip may touch and pass, and how it is bound."""
    plane = {"frame": "tip", "normal": [0.5, 1, 0], "through": [0, -9.0, 0]}
    return {
        "contacts": {"table": {**plane, "restitution": 0.3}},
        "events": {"shelf": {"plane": {**plane, "terminal": True}}},
        "constraints": {"tied": {"joint_coupling": {"factors": {"joint_1": 1, "joint_2": 2}}}},
        "close_loop": True,
    }


def study_of(rng: Random) -> dict[str, Any]:
    said: dict[str, Any] = {"robot": "planar_2r", "duration": 0.1, "step": 0.01, "method": rng.choice(("euler", "rk4"))}
    if rng.random() < 0.5:
        said |= {"controller": "pd_gravity", "inputs": {"q_ref": _two(rng), "Kp": 100, "Kd": 20}}
    if rng.random() < 0.3:
        said["grid"] = {"link_2.mass": [1.0, 2.0], "q0": [0.1, 0.2]}
    else:
        said |= {"samples": {"link_2.mass": {"uniform": [1, 2]}, "qd0": {"normal": [0, 0.1]}}, "runs": 10, "seed": 3}
    more = {"every": 2, "chunk": 5, "record": ["q"], "qd0": _two(rng), "payload": 1.5, "gravity": [0, -9.81, 0]}
    return said | {
        name: value for name, value in more.items() if rng.random() < 0.2 and name not in said.get("samples", {})
    }


def _two(rng: Random) -> list[float]:
    return [rng.uniform(-2, 2), rng.uniform(-2, 2)]
