"""``--actuators``: the drives of a file, for every verb that takes a robot."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import actuators

Shell = Callable[..., Any]

TEXT = """\
joint_1:
  motor: {rotor_inertia: 1.2e-5}
  gear: {ratio: -101, inertia: 3e-6}
  friction:
    - Viscous: {coefficient: 0.4}
    - Coulomb: {size: 1.5}
joint_2: {gear: {ratio: 50.5}, friction: []}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "drives.yaml"
    path.write_text(TEXT)
    return path


def test_on_the_command_line(shell: Shell, file: Path, tmp_path: Path) -> None:
    states = tmp_path / "states.csv"
    states.write_text("0.3,0,2.0,0,0,1.5\n")
    command = ("torque", "planar_2r", "--motion", str(states), "--actuators", str(file))
    robot = armdyn.load("planar_2r").with_actuators(actuators.read(file))
    state = [[0.3, 0.0], [2.0, 0.0], [0.0, 1.5]]
    for more, arm in (((), robot), (("--ignore-friction",), robot.without_friction())):
        printed = np.array(shell(*command, *more).out.splitlines()[1].split(","), float)
        np.testing.assert_allclose(printed, arm.inverse_dynamics(*state), rtol=1e-13)
    page = shell("info", "planar_2r", "--actuators", str(file), columns=100).out
    assert re.search(r"joint_1 +-101 +1\.2e-5 +0\.153 +gear inertia=3e-06 +Viscous coefficient=0\.4\s+Coulomb", page)
    assert re.search(r"joint_2 +50\.5 +- +- +- +none", page)
    parts = "gear: {ratio: 9, efficiency: 0.8}, brake: {torque: 3}, rotor: {inertia: 1e-4, ratio: 5}"
    file.write_text(f"joint_1: {{{parts}}}")
    page = shell("info", "planar_2r", "--actuators", str(file), columns=100).out
    assert re.search(r"joint_1 +9 .*gear efficiency=0\.8 .*\s+Rotor inertia=0\.0001, ratio=5\s+Brake torque=3", page)
    assert "Drives" not in shell("info", "planar_2r").out


RE40 = """\
joint_1:
  motor:
    data_sheet: {nominal_voltage: 24 V, no_load_current: 137 mA, nominal_current: 6 A, terminal_resistance: 0.299 ohm,
      torque_constant: 30.2 mNm/A, rotor_inertia: 142 gcm², winding_to_housing: 1.93 °C/W,
      housing_to_ambient: 4.65 °C/W, winding_time_constant: 42.8 s, motor_time_constant: 809 s,
      winding_temperature_limit: 155 °C}
  gear: {ratio: 100, efficiency: 0.7}
  friction: {Stribeck: {static: 3.0, kinetic: 2.0, speed: 0.1}}
  rotor: {axis: [0, 0.6, 0.8], mass: 0.5, transverse: 1e-5}
"""


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_the_table_of_a_whole_drive_fits_the_window(shell: Shell, file: Path, columns: int) -> None:
    file.write_text(RE40)
    page = shell("info", "planar_2r", "--actuators", str(file), columns=columns).out
    table = page[page.index("Drives") : page.index("Links")]
    assert max(map(len, table.splitlines())) <= columns
    words = " ".join(table.split())
    assert re.search(r"thermal .*winding_to_housing=1\.93 .*housing_to_ambient=4\.65 .*winding_limit=155 ", words)
    assert re.search(r"limits .*continuous_current=6 ", words)


def test_errors_on_the_command_line(shell: Shell, file: Path) -> None:
    said = shell("info", "ur5", "--actuators", str(file))
    assert said.code == 2
    assert "no joint 'joint_1' in 'ur5'" in said.err
    file.write_text("joint_1: {gear: {ratio: 0}}\n")
    assert "drives.yaml:1 joint_1: ratio of Gear is 0" in shell("info", "planar_2r", "--actuators", str(file)).err
