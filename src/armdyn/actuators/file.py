"""A file of actuators: the drives of a robot's joints, in YAML or JSON.

shoulder_pan_joint:
  motor: {rotor_inertia: 1.2e-5}
  gear: {ratio: 101}
  friction:
    - Viscous: {coefficient: 0.4}
    - Coulomb: {size: 1.5}
elbow_joint:
  motor: {data_sheet: {torque_constant: 30.2 mN m/A, terminal_resistance: 0.299 ohm, rotor_inertia: 142 g cm^2}}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.data import Misfit, as_data, from_data
from armdyn.base.errors import ModelError, excerpt
from armdyn.base.writing import write_text
from armdyn.base.yaml_file import Lined, read_mapping
from armdyn.model.actuator import JointActuator

EXAMPLE = "elbow_joint: {gear: {ratio: 100}}"


def read(path: str | os.PathLike[str]) -> dict[str, Actuator]:
    """The actuators of a file, by joint: ``robot.with_actuators(armdyn.actuators.read("drives.yaml"))``.

    Args:
        path: of a YAML or JSON file: for each joint the fields of its `Actuator`, in which motor and gear are mappings
            of theirs, and friction is a list of laws, each its name and its fields. Numbers are in SI units; those of
            motors and gears may be texts with a unit. {data_sheet: ...} holds what `Motor.from_data_sheet` takes.

    Raises:
        ModelError: every problem of the file at once, each with its line.
        MissingLibrary: PyYAML is not installed.
    """
    if not isinstance(path, str | os.PathLike):
        raise ModelError(f"expected the path of a file of actuators, got {excerpt(path)}")
    file = Path(path)
    mapping = read_mapping(file, "a file of actuators", EXAMPLE)
    result, problems = {}, []
    for joint, data in mapping.items():
        try:
            result[joint] = from_data(data)
        except Misfit as misfit:
            problems.append(f"{file.name}:{_line(mapping, (joint, *misfit.path))} {joint}: {misfit}")
    if problems:
        raise ModelError(problems)
    return result


def _line(data: object, path: tuple[str | int, ...]) -> int:
    """The line of the entry that a path leads to, or of the last key on the way that has one."""
    line = 1
    for step in path:
        if isinstance(data, Lined) and step in data:
            line, data = data.lines.get(str(step), line), data[step]
        elif isinstance(data, list) and isinstance(step, int):
            data = data[step]
        else:
            break
    return line


def write(actuators: Mapping[str, JointActuator | None], path: str | os.PathLike[str] | None = None) -> str:
    """Actuators by joint as the text that `read` reads, and as a file if a path is given; with all digits.

    Args:
        actuators: by joint; those that are None are left out.
        path: of the file to write: JSON, which is YAML too.

    Raises:
        Unsupported: actuators and laws that `armdyn.actuators` does not have.

    >>> from armdyn.actuators import Actuator, Gear, Motor
    >>> print(armdyn.actuators.write({"elbow": Actuator(Motor(rotor_inertia=1e-4), Gear(100.0))}))
    {
      "elbow": {"motor": {"rotor_inertia": 0.0001}, "gear": {"ratio": 100.0}}
    }
    """
    mapping: Any = actuators
    if not isinstance(mapping, Mapping):
        raise ModelError(
            f"actuators are {excerpt(mapping)}; expected a mapping from joints to armdyn.actuators.Actuator"
        )
    arguments = {joint: as_data(actuator) for joint, actuator in mapping.items() if actuator is not None}
    lines = [f"  {json.dumps(joint)}: {json.dumps(data)}" for joint, data in arguments.items()]
    text = "{\n" + ",\n".join(lines) + "\n}"
    if path is not None:
        write_text(path, text + "\n")
    return text
