"""The options of ``armdyn simulate`` as words of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from armdyn.cli.arguments import load_robot, read_joint_values, read_joint_vector, read_vector, read_wrench
from armdyn.formats.csv_table import LENGTHS
from armdyn.robot import Robot
from armdyn.simulation import SettingError
from armdyn.spatial.rotations import Array
from armdyn.studies.motion import OUTPUTS
from armdyn.studies.words import Words
from armdyn.yaml_file import Keys

SCENARIOS = (".yaml", ".yml")

PLACES: dict[str, Keys] = {
    **{name: (name,) for name in ("duration", "q0", "qd0", "stops", "torques", "between", "controller", "reference")},
    **{name: (name,) for name in ("sample_time", "method", "step", "rtol", "atol", "save_every", "brakes", "project")},
    **{name: ("inputs", name) for name in ("f_tip", "target", "kp", "kd")},
    **{name: ("outputs", name) for name in OUTPUTS},
    "torque": ("inputs", "tau"),
    "payload": ("payload", "mass"),
    "payload_com": ("payload", "com"),
}
"""Which words of a scenario the options stand for."""

VECTORS: dict[str, Callable[[str, str, Robot], Array]] = {
    **dict.fromkeys(("q0", "target"), read_joint_vector),
    "qd0": partial(read_joint_vector, quantity="qd"),
    "torque": partial(read_joint_vector, quantity="tau"),
    **dict.fromkeys(("kp", "kd"), read_joint_values),
    "f_tip": lambda text, name, _: read_wrench(text, name),
}
"""The options that are texts of several numbers, and what reads them."""


def read_brakes(text: str) -> dict[str, list[list[Any]]]:
    """Switches by joint, pairs of a time and a state, from such as "elbow_joint@0.5=engaged,elbow_joint@1=released".

    Raises:
        SettingError: a switch that is written in another way.
    """
    switches: dict[str, list[list[Any]]] = {}
    for part in text.split(","):
        place, _, state = part.strip().partition("=")
        joint, at, time = place.rpartition("@")
        try:
            switches.setdefault(joint, []).append([float(time), state])
        except ValueError:
            at = ""
        if not (joint and at and state):
            raise SettingError(
                f"--brakes has {part.strip()!r}; expected JOINT@SECONDS=STATE, such as elbow_joint@0.5=engaged"
            )
    return switches


READ: dict[str, Callable[[Any], Any]] = {
    **{name: lambda value: value for name in PLACES if name not in VECTORS},
    **dict.fromkeys(("torques", "reference"), Path.absolute),
    "brakes": read_brakes,
    "payload_com": lambda text: read_vector(text, "--payload-com", 3, units=[LENGTHS] * 3),
}
"""Functions that make words of the other options."""


ALTERNATIVES: tuple[tuple[Keys, ...], ...] = (
    (("inputs", "target"), ("reference",)),
    (("inputs", "tau"), ("torques",)),
)
"""Words of which an option for one takes the place of what a scenario says of the others."""


def flag(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.replace('_', '-')}"


def words_of(name: str) -> Words:
    """Those of a scenario, or of a robot alone."""
    if Path(name).suffix.lower() in SCENARIOS:
        return Words.read(Path(name))
    if not name:
        load_robot(name)  # raises: it is empty
    return Words.of_options({"robot": name})


def without_alternatives(words: Words, names: Iterable[str]) -> Words:
    """The words of a scenario without those whose place options of these names take."""
    given = {PLACES[name] for name in names}
    return words.without([keys for group in ALTERNATIVES if given & set(group) for keys in group])


def with_options(words: Words, options: Mapping[str, Any]) -> Words:
    """The words with those of options in their place, by the options' names."""
    given = {PLACES[name]: value for name, value in options.items()}
    return words.with_options(given, {PLACES[name]: flag(name) for name in options})
