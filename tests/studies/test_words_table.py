"""The table of words: each word and part of one gives one motion in Python, in a scenario and on the command line.

The cases are made of the table; a word that is added to it is tested by its example.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import armdyn
from armdyn import control
from armdyn.base.quantities import quantity
from armdyn.cli.word_options import advice, flag, typed, with_typed, words_of, words_table
from armdyn.plots.animate import animate_trajectory
from armdyn.simulation.methods.catalogue import NAMES
from armdyn.studies.motion import MotionSettings
from armdyn.studies.table import SIMULATE, STUDY, WORDS, Word, documented, paths
from armdyn.studies.words import Words

Shell = Callable[..., Any]

LINK = """<link name="{0}"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4} 0 0"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="99" velocity="9"/><dynamics damping="0.3"/></joint>"""
URDF = (
    '<robot name="arm"><link name="base_link"/>'
    + "".join(LINK.format(name) for name in ("upper", "fore"))
    + '<link name="tool0"/><link name="tip"/>'
    + JOINT.format("shoulder", "revolute", "base_link", "upper", 0)
    + JOINT.format("elbow", "revolute", "upper", "fore", 1)
    + JOINT.format("flange", "fixed", "fore", "tool0", 1)
    + JOINT.format("point", "fixed", "tool0", "tip", 0.1)
    + "</robot>"
)
DRIVES = """shoulder: {motor: {rotor_inertia: 1e-4}, gear: {ratio: 10}, spring: {stiffness: 100}}
elbow: {motor: {rotor_inertia: 1e-4}, gear: {ratio: 50}, brake: {torque: 0.5}}
"""
FILES = {
    "arm.urdf": URDF,
    "drives.yaml": DRIVES,
    "torques.csv": "t,tau_shoulder,tau_elbow\n0,1,2\n0.3,0,1\n2,0.5,0\n",
    "path.csv": "t,q_shoulder [deg],q_elbow [deg]\n0,17,17\n0.3,20,16\n0.6,25,10\n",
}

BASE = {"robot": "arm.urdf", "q0": 0.3, "duration": 0.6, "gravity": [0, -9.81, 0]}
PD = {"controller": "pd_gravity", "method": "rk4", "inputs": {"Kp": 50, "Kd": 9, "q_ref": 0.4}}
PID = {**PD, "inputs": {**PD["inputs"], "Ki": 3}}  # type: ignore[dict-item]
ROD = {"constraints": {"rod": {"distance": {"frame": "tip", "length": 1.5}}}, "close_loop": True}
CONTEXTS: dict[str, dict[str, Any]] = {
    "chain": {"tip": "tool0"},
    "controller": PID,
    "inputs": PD,
    "reference": {**PD, "inputs": {"Kp": 50, "Kd": 9}},
    "sample_time": PD,
    "torque.between": {"torque": "torques.csv"},
    **dict.fromkeys(("constraints", "close_loop", "redundant", "project"), ROD),
    **{name: {"actuators": "drives.yaml"} for name in ("brakes", "start")},
    **{f"payload.{part}": {"payload": 1.0} for part in ("com", "inertia", "frame")},
}  # fmt: skip
"""Other words that a word needs."""

VALUES = {
    "frame": "tool0",
    "of": "base_link",
    "joints": "elbow",
    "bristles": None,
    "theta": None,
    "thetad": None,
    "times": [0.1, 0.3],
}
"""Values of parts that are names."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("words")
    for name, text in FILES.items():
        (path / name).write_text(text)
    return path


def entries_of(path: tuple[str, ...]) -> dict[str, Any]:
    """The words of a case: those of its context, and the word or its part with a value."""
    name, *inner = path
    context = {**BASE, **CONTEXTS.get(name, {}), **CONTEXTS.get(".".join(path), {})}
    word = WORDS[name]
    value = yaml.safe_load(word.example)
    if not inner:
        both = {**context[name], **value} if isinstance(value, dict) and isinstance(context.get(name), dict) else value
        return {**context, name: both}
    part = word.parts[inner[0]]
    one = VALUES.get(part.name, _other(part.unit, part.default))
    kept = {**value} if isinstance(value, dict) else {}
    if word.is_named:
        ((own, arguments),) = kept.items()
        return {**context, name: {own: {**arguments, **({} if one is None else {part.name: one})}}}
    if name == "method":
        return {**context, name: {"name": _method_with(part.name), **({} if one is None else {part.name: one})}}
    if part.name == word.short and not kept:
        return {**context, name: value}
    one = kept.get(part.name, one)
    needed = {word.short: context[name]} if name in context else {}
    return {**context, name: {**needed, **({} if one is None else {part.name: one})}}


def _other(unit: str | None, default: str) -> Any:
    """A value that differs from a default."""
    if unit == "s" and not default:
        return 0.2
    try:
        number = float(default)
    except ValueError:
        vector = re.fullmatch(r"\((.*)\)", default)
        if vector:
            return [0.1 for _ in vector[1].split(",")]
        return {"False": True, "linear": "hold", "adaptive": "rk4"}.get(default)
    return (int(default) * 2 if re.fullmatch(r"\d+", default) else 2.0 * number) or 0.5


def _method_with(part: str) -> str:
    if part == "name":
        return "rk4"
    return next(name for name, kind in NAMES.items() if part in inspect.signature(kind).parameters)


def _paths() -> Iterator[tuple[str, ...]]:
    for path in paths():
        has_motion = SIMULATE in WORDS[path[0]].verbs and WORDS[path[0]].python != "study.folder"
        if has_motion and path != ("method", "tolerance"):  # of Taylor's series, which need a library
            yield path


# Python, by the table's column "python".


def _plain(value: Any, unit: str | None, name: str = "") -> Any:
    """The numbers of a value in SI."""
    units = {"<q>": "rad", "<qd>": "rad/s", "<tau>": "N m"}
    if isinstance(value, dict):
        return {key: _plain(one, unit, name) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one, unit, name) for one in value]
    wants = units.get(unit or "", "") if (unit or "").startswith("<") else unit
    return quantity(name, value, wants or "") if isinstance(value, str) and unit is not None else value


def _arguments(name: str, value: Any) -> dict[str, Any]:
    """The arguments of a word's class."""
    word = WORDS[name]
    value = value if isinstance(value, dict) else {word.short: value}
    return {key: _plain(one, word.units.get(key), key) for key, one in value.items()}


def _robot(folder: Path, entries: dict[str, Any]) -> armdyn.Robot:
    options = {
        WORDS[name].python.removeprefix("load."): value
        for name, value in entries.items()
        if WORDS[name].python.startswith("load.") and name != "robot"
    }
    options["locked"] = _plain(options.get("locked", {}), "<q>")
    file = entries["robot"] if entries["robot"] == "ur5" else folder / entries["robot"]
    robot = armdyn.load(file, **{key: value for key, value in options.items() if value != {}})
    if "actuators" in entries:
        robot = robot.with_actuators(armdyn.actuators.read(folder / entries["actuators"]))
    if "payload" in entries:
        body = _arguments("payload", entries["payload"])
        frame = body.pop("frame", None)
        body = {"com": np.zeros(3), "inertia": np.zeros((3, 3))} | body
        inertia = armdyn.Inertia(body["mass"], np.array(body["com"]), np.array(body["inertia"]))
        robot = robot.with_payload(inertia, frame)
    for name, ((kind, arguments),) in ((n, tuple(v.items())) for n, v in entries.get("constraints", {}).items()):
        robot = robot.with_constraints(WORDS["constraints"].kinds[kind][0](**arguments, name=name))
    return robot


def python_motion(folder: Path, entries: dict[str, Any]) -> armdyn.Trajectory:
    """The motion of calls of Python."""
    robot, rest = _robot(folder, entries), dict(entries)
    q0 = np.broadcast_to(np.array(_plain(entries["q0"], "<q>"), dtype=float), (robot.dof,))
    if entries.get("close_loop"):
        q0 = robot.close_loop(q0)
    elements: list[Any] = []
    for name in ("stops", "start"):
        if name in rest:
            elements.append(WORDS[name].classes[0](**_arguments(name, rest[name])))
    for name, contact in rest.get("contacts", {}).items():
        values = _arguments("contacts", contact)
        of_plane = set(inspect.signature(armdyn.constraints.PointOnPlane).parameters) & set(values)
        plane = armdyn.constraints.PointOnPlane(**{key: values.pop(key) for key in of_plane}, name=name)
        elements.append(armdyn.simulation.Contact(plane, **values))
    if "brakes" in rest:
        elements.append(armdyn.simulation.BrakeSwitches(rest["brakes"]))
    settings = {name: rest[name] for name in ("redundant", "project") if name in rest}
    elements += [armdyn.simulation.Constraints(**settings)] if settings else []
    method = _arguments("method", rest.get("method", {"name": "adaptive"}))
    options: dict[str, Any] = {
        "duration": _plain(rest["duration"], "s"),
        "elements": elements,
        "method": armdyn.simulation.named_method(method.pop("name", "adaptive"), **method),
        "events": [
            WORDS["events"].kinds[kind][0](**arguments, name=name)
            for name, value in rest.get("events", {}).items()
            for kind, arguments in value.items()
        ],
    }
    if "save" in rest:
        options["save"] = armdyn.simulation.SaveAt(**_arguments("save", rest["save"]))
    if "f_tip" in rest:
        options["f_tip"] = rest["f_tip"]
    qd0 = np.broadcast_to(np.array(_plain(rest.get("qd0", 0.0), "<qd>"), dtype=float), (robot.dof,))
    return armdyn.simulate(robot, q0, qd0, torque=_torque(folder, robot, rest), **options)


def _torque(folder: Path, robot: armdyn.Robot, rest: dict[str, Any]) -> Any:
    if "torque" not in rest:
        return None
    value = rest["torque"] if isinstance(rest["torque"], dict) else {"file": rest["torque"]}
    t, *columns = np.loadtxt(folder / value["file"], delimiter=",", skiprows=1).T
    return armdyn.simulation.OverTime(t, np.transpose(columns), value.get("between", "linear"))


def controlled_motion(folder: Path, entries: dict[str, Any]) -> armdyn.Trajectory:
    """The motion under a controller: that of `armdyn.simulate` with ``controller``, called at every step."""
    robot = _robot(folder, entries)
    parts = entries["controller"] if isinstance(entries["controller"], list) else [entries["controller"]]
    law = getattr(control, parts[0])
    for wrapper in parts[1:]:
        ((name, settings),) = wrapper.items()
        law = getattr(control, name)(law, **settings)
    inputs = {name: _plain(value, "rad" if name == "q_ref" else "") for name, value in entries["inputs"].items()}
    inputs = {name: np.broadcast_to(np.array(value, dtype=float), (2,)) for name, value in inputs.items()}
    return armdyn.simulate(robot, np.full(2, 0.3), duration=0.6, controller=partial(law, **inputs), method="rk4")


# The three front doors.


def scenario_motion(folder: Path, entries: dict[str, Any]) -> armdyn.Trajectory:
    path = folder / "motion.yaml"
    path.write_text(yaml.safe_dump(entries, sort_keys=False))
    words = Words.read(path)
    return MotionSettings.of(words, words.robot()).simulate()


def typed_motion(folder: Path, entries: dict[str, Any]) -> armdyn.Trajectory:
    texts = [f"{name}={_text(value)}" for name, value in entries.items() if name != "robot"]
    words = with_typed(words_of(str(folder / entries["robot"]) if entries["robot"] != "ur5" else "ur5"), {}, texts)
    return MotionSettings.of(words, words.robot()).simulate()


def _text(value: Any) -> str:
    """A value as it is typed: numbers between commas, names, YAML in braces."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and not any(isinstance(one, list | dict) for one in value):
        return ",".join(map(str, value))
    if isinstance(value, list | dict):
        return yaml.safe_dump(value, default_flow_style=True, width=1000).strip()
    return str(value)


CONTROLLED = ("controller", "inputs", "reference", "sample_time")


@pytest.mark.parametrize("path", list(_paths()), ids=".".join)
def test_a_word_is_one_motion_everywhere(folder: Path, path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    entries = entries_of(path)
    scenario, command = scenario_motion(folder, entries), typed_motion(folder, entries)
    assert len(scenario.t) > 2
    np.testing.assert_array_equal(command.q, scenario.q)
    np.testing.assert_array_equal(command.tau, scenario.tau)
    if path[0] in ("reference", "sample_time"):  # which `simulate` has by functions of time
        return
    if path[0] in CONTROLLED:
        np.testing.assert_allclose(controlled_motion(folder, entries).q, scenario.q, rtol=0, atol=1e-12)
        return
    python = python_motion(folder, entries)
    np.testing.assert_array_equal(python.t, scenario.t)
    np.testing.assert_array_equal(python.q, scenario.q)
    np.testing.assert_array_equal(python.tau, scenario.tau)
    assert [event.t for event in python.events] == [event.t for event in scenario.events]


@dataclass(frozen=True)
class Drag(armdyn.simulation.Element):
    """Joint forces against the square of the speed.

    Args:
        size: of the force at 1 rad/s or 1 m/s, N m or N.
    """

    size: float = 1.0

    def force(self, model: Any, q: Any, qd: Any) -> Any:
        """-size qd |qd|."""
        return -self.size * qd * abs(qd)


def test_a_new_element_is_one_row(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class and its row in the table are a word of scenarios, of ``--set``, and of the list."""
    row = Word(
        "simulate.elements: Element", "drag of every joint", "{size: 3}",
        verbs=(SIMULATE,), make=Drag, classes=(Drag,), units={"size": "N m"}, short="size",
    )  # fmt: skip
    monkeypatch.setitem(WORDS, "drag", row)  # type: ignore[attr-defined, arg-type]
    monkeypatch.chdir(folder)
    entries = {**BASE, "drag": {"size": "3 N m"}}
    robot = armdyn.load("arm.urdf", gravity=[0, -9.81, 0])
    python = armdyn.simulate(robot, [0.3, 0.3], duration=0.6, elements=[Drag(3.0), armdyn.simulation.Constraints()])
    for motion in (scenario_motion(folder, entries), typed_motion(folder, {**BASE, "drag": 3})):
        np.testing.assert_array_equal(motion.q, python.q)
    still = armdyn.simulate(robot, [0.3, 0.3], duration=0.6)
    assert abs(still.q[-1] - python.q[-1]).max() > 0.01
    assert advice("--size") == "--set drag.size=VALUE"


def test_options_are_words(shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each option of the table, at once, against ``--set`` of the same words."""
    monkeypatch.chdir(folder)
    entries = {name: yaml.safe_load(word.example) for name, word in WORDS.items() if word.option}
    entries |= {"controller": "pd_gravity", "out": ["a.npz"], "duration": 0.1}
    entries["inputs"] |= {"Kd": 20}
    del entries["torque"]
    by_option = ["arm.urdf"]
    for name, value in entries.items():
        texts = [f"{key}={_text(one)}" for key, one in value.items()] if name == "inputs" else [_text(value)]
        by_option += [word for text in texts for word in (flag(name), text)]
    by_set = ["arm.urdf"]
    for name, value in entries.items():
        by_set += ["--set", f"{name}={_text(['b.npz'] if name == 'out' else value)}"]
    for words in (by_option, by_set):
        said = shell("simulate", *words)
        assert said.code == 0, said.err
    first, second = (armdyn.Trajectory.load(folder / f"{name}.npz") for name in "ab")
    np.testing.assert_array_equal(first.q, second.q)
    assert len(first.t) == 101


def test_the_words_are_arguments_of_python() -> None:
    """The column of Python names an argument that exists, of a function or class of the library."""
    known = {
        "load": {*armdyn.robots.LoadOptions.__annotations__, "robot"},
        "simulate": inspect.signature(armdyn.simulate).parameters,
        "study": inspect.signature(armdyn.study).parameters,
        "control.callback": inspect.signature(control.callback).parameters,
        "studies.sampled": inspect.signature(armdyn.studies.sampled).parameters,
        "Trajectory.animate": inspect.signature(animate_trajectory).parameters,
        **{
            f"Robot.{name}": inspect.signature(getattr(armdyn.Robot, name)).parameters
            for name in ("with_actuators", "with_payload", "with_constraints", "close_loop")
        },
    }
    for name, word in WORDS.items():
        if not word.python:
            continue
        function, _, kind = word.python.partition(": ")
        owner, _, argument = function.rpartition(".")
        assert argument in known[owner], (name, word.python)
        if kind:
            element, _, part = kind.partition(".")
            assert part in ("", *inspect.signature(getattr(armdyn.simulation, element)).parameters)


def test_parts_are_documented_with_their_units() -> None:
    for name, word in WORDS.items():
        assert word.help, name
        assert not word.help.endswith("."), name
        for kind in word.classes:
            for part in word.parts.values():
                if part.name not in inspect.signature(kind).parameters:
                    continue
                whole = documented(kind, part.name)
                assert whole, (name, part.name)
                unit = part.unit if part.unit and not part.unit.startswith("<") else None
                assert unit is None or re.search(rf"(^|[\s,]){re.escape(unit)}\b", whole), (name, part, whole)
        for part_name in word.units:
            assert part_name in word.parts or word.kinds, (name, part_name)


def test_former_options_name_their_words() -> None:
    for option, word in (
        ("--step", "--set method.step=VALUE"), ("--rtol", "--set method.rtol=VALUE"), ("--stops", "--set stops=VALUE"),
        ("--csv", "--out FILE"), ("--Ki", "--input Ki=VALUE"), ("--torques", "--torque FILE.csv"),
        ("--payload-com", "--set payload.com=X,Y,Z"), ("--colour", None),
    ):  # fmt: skip
        assert advice(option) == word


def test_the_list_of_words(shell: Shell) -> None:
    said = shell("simulate", "--words", columns=200)
    assert said.code == 0
    first = [line.split()[0] for line in said.out.splitlines() if line and not line.startswith(" ")]
    for path in paths():
        name = ".".join((path[0], *(["NAME"] if WORDS[path[0]].is_named else []), *path[1:]))
        assert (name if path[1:] else path[0]) in first, name
    assert words_table().row_count == len(list(paths()))
    assert all(set(word.verbs) <= {SIMULATE, STUDY} for word in WORDS.values())
    assert typed("[0.5, -90deg]") == "0.5,-90deg"
