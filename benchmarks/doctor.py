"""``python -m benchmarks.doctor``: findings of public robots by kind, time a file, and defects beside other programs.

Other programs are given by their paths, e.g. ``--peer venv/bin/urdf_validate --peer /usr/bin/check_urdf``. One of them
has found a defect if it names the link or joint in a warning, failure or error that is absent for the right file.
``--mjcf FOLDER`` counts the findings of the MJCF files in a folder too, such as that of an installed package; ``--urdf
FOLDER`` those of its arms in URDF: files with a chain of four or more joints that a motor can turn or slide.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

import armdyn
from armdyn.doctor import Findings, doctor
from armdyn.doctor.source import SourceDocument
from armdyn.doctor.subject import Articulation, Subject

LINK = """  <link name="link_{k}">
    <inertial> <origin xyz="0.15 0 0"/> <mass value="4"/>
      <inertia ixx="0.00427" ixy="0" ixz="0" iyy="0.0321" iyz="0" izz="0.0321"/> </inertial>
    <visual> <origin xyz="0.15 0 0"/> <geometry> <box size="0.3 0.08 0.08"/> </geometry> </visual>
    <collision> <origin xyz="0.15 0 0"/> <geometry> <box size="0.3 0.08 0.08"/> </geometry> </collision>
  </link>
"""
JOINT = """  <joint name="joint_{k}" type="revolute">
    <parent link="link_{before}"/> <child link="link_{k}"/> <origin xyz="0.3 0 0"/> <axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.6" effort="90" velocity="3"/>
  </joint>
"""
BASE = """  <link name="link_0">
    <visual> <geometry> <box size="0.1 0.1 0.1"/> </geometry> </visual>
    <collision> <geometry> <box size="0.1 0.1 0.1"/> </geometry> </collision>
  </link>
"""

DEFECTS = {
    "moment 1000 times too large": ("link_2", 'izz="0.0321"', 'izz="32.1"'),
    "triangle inequality 3.6 % off": (
        "link_2",
        'ixx="0.00427" ixy="0" ixz="0" iyy="0.0321"',
        'ixx="0.00117" ixy="0" ixz="0" iyy="0.02977"',
    ),
    "negative moments": ("link_2", 'iyy="0.0321" iyz="0" izz="0.0321"', 'iyy="-0.0321" iyz="0" izz="-0.0321"'),
    "mass 0 with a collider": ("link_3", 'value="4"', 'value="0"'),
    "effort and velocity 0": ("joint_2", 'effort="90" velocity="3"', 'effort="0" velocity="0"'),
    "2.95 kg m^2 of a rod": ("link_2", 'iyy="0.0321" iyz="0" izz="0.0321"', 'iyy="2.95" iyz="0" izz="2.95"'),
    "moments in kg mm^2": (
        "link_2",
        'ixx="0.00427" ixy="0" ixz="0" iyy="0.0321" iyz="0" izz="0.0321"',
        'ixx="4270" ixy="0" ixz="0" iyy="32100" iyz="0" izz="32100"',
    ),
    "centre of mass 100 m away": ("link_2", '<inertial> <origin xyz="0.15', '<inertial> <origin xyz="100'),
    "a digit too many in the mass": ("link_2", 'value="4"', 'value="42.87"'),
    "limits in degrees": ("joint_2", 'lower="-2.5" upper="2.6"', 'lower="-143" upper="149"'),
    "limits swapped": ("joint_2", 'lower="-2.5" upper="2.6"', 'lower="2.6" upper="-2.5"'),
    "effort below gravity's torque": ("joint_2", 'effort="90"', 'effort="9"'),
}
"""By name: the link or joint, the right text and the wrong one."""


def right_text() -> str:
    """An arm of three boxes without a fault."""
    parts = [LINK.format(k=k) + JOINT.format(k=k, before=k - 1) for k in (1, 2, 3)]
    return f'<?xml version="1.0"?>\n<robot name="boxes">\n{BASE}{"".join(parts)}</robot>\n'


def wrong_text(part: str, old: str, new: str) -> str:
    """The arm with one defect."""
    text = right_text()
    begin = text.index(f' name="{part}"')
    return text[:begin] + text[begin:].replace(old, new, 1)


def robot_data() -> Path:
    """The folder of the package ``example-robot-data``."""
    for entry in sys.path:
        folder = Path(entry, "cmeel.prefix", "share", "example-robot-data", "robots")
        if folder.is_dir():
            return folder
    raise FileNotFoundError("no robots found: pip install example-robot-data")


def of_public_robots(console: Console, files: list[Path]) -> None:
    """Counts by rule, files without an error, and the median times beyond loading, without and with meshes."""
    rules: Counter[tuple[str, str]] = Counter()
    clean, refused = 0, list[str]()
    closed, opened = list[float](), list[float]()
    for path in files:
        try:
            _, seconds = _timed(path, meshes=False)
        except armdyn.ArmdynError as error:
            refused.append(f"{path.name}: {error}")
            continue
        closed.append(1e3 * seconds)
        findings, seconds = _timed(path, meshes=None)
        opened.append(1e3 * seconds)
        clean += not findings.count("error")
        rules.update((one.severity, one.rule) for one in findings)
    table = Table("severity", "rule", "findings")
    for (severity, rule), number in sorted(rules.items()):
        table.add_row(severity, rule, str(number))
    console.print(table)
    for reason in refused:
        console.print(reason)
    console.print(
        f"{clean} of {len(files)} files without an error; median beyond loading {statistics.median(closed):.0f} ms, "
        f"{statistics.median(opened):.0f} ms with the meshes that take at most 1 s"
    )


LEAST_JOINTS = 4
"""Moving joints in a chain that make a description an arm or a leg: fewer have toys, wheels and grippers."""


def arms_in(folder: Path) -> tuple[list[Path], int]:
    """The URDF files in a folder with a chain of at least `LEAST_JOINTS` moving joints, and the number of all files."""
    files = sorted(folder.rglob("*.urdf"))
    return [path for path in files if _longest_chain(path) >= LEAST_JOINTS], len(files)


def _longest_chain(path: Path) -> int:
    """The largest number of joints of their own drive from the root to a link; 0 of a file that is not XML."""
    try:
        source = SourceDocument.parse(path.name, path.read_bytes())
    except armdyn.ArmdynError:
        return 0
    bodies = Subject.of(source, path.parent).bodies.values()
    return max((sum(_is_driven(joint) for joint in body.path) for body in bodies), default=0)


def _is_driven(joint: Articulation) -> bool:
    return joint.kind in ("revolute", "continuous", "prismatic") and joint.node.first("mimic") is None


def mjcf_files(folder: Path) -> list[Path]:
    """The MJCF files in a folder whose bodies state inertias."""
    files = sorted(folder.rglob("*.xml"))
    return [path for path in files if path.read_bytes().lstrip()[:1] == b"<" and _is_of_arms(path.read_bytes())]


def _is_of_arms(data: bytes) -> bool:
    return b"<mujoco" in data and b"<inertial" in data and b"<mujocoinclude" not in data


def _timed(path: Path, *, meshes: bool | None) -> tuple[Findings, float]:
    """The findings of a file, and the processor time of the doctor less that of loading."""
    times = []
    for _ in range(2):  # the first run compiles
        start = time.thread_time()
        with contextlib.suppress(armdyn.ArmdynError):
            armdyn.load(path, check_inertia=False, problems="warn")
        middle = time.thread_time()
        findings = doctor(path, meshes=meshes)
        times.append(time.thread_time() - 2 * middle + start)
    return findings, times[-1]


def beside(peers: list[str], console: Console) -> None:
    """One row for each defect: found by armdyn, its first repair, found by each peer."""
    table = Table("defect", "armdyn", "first repair", *(Path(peer).name for peer in peers))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "boxes.urdf"
        path.write_text(right_text())
        quiet = [_lines(peer, path) for peer in peers]
        false = [str(len(doctor(path).at_least("warning"))), "", *(str(_complaints(lines)) for lines in quiet)]
        for name, (part, old, new) in DEFECTS.items():
            path.write_text(wrong_text(part, old, new))
            mine = [one for one in doctor(path).at_least("warning") if f"'{part}'" in one.element]
            repair = next((one.repairs[0].title for one in mine if one.repairs), "")
            marks = [
                "yes" if any(part in line and _is_complaint(line) for line in _lines(peer, path) - before) else "no"
                for peer, before in zip(peers, quiet, strict=True)
            ]
            table.add_row(name, "yes" if mine else "no", repair, *marks)
        table.add_row("complaints about the right file", *false)
    console.print(table)


def _lines(peer: str, path: Path) -> set[str]:
    done = subprocess.run([peer, str(path)], capture_output=True, text=True, check=False, timeout=60)
    return set((done.stdout + done.stderr).splitlines())


def _complaints(lines: set[str]) -> int:
    return sum(map(_is_complaint, lines))


def _is_complaint(line: str) -> bool:
    return any(word in line.lower() for word in ("warn", "fail", "error"))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="append", default=[], help="another program that takes a file")
    parser.add_argument("--mjcf", action="append", default=[], type=Path, help="a folder with MJCF files")
    parser.add_argument("--urdf", action="append", default=[], type=Path, help="a folder with URDF files")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    console = Console()
    beside(given.peer, console)
    of_public_robots(console, sorted(robot_data().rglob("*.urdf")))
    for folder in given.urdf:
        arms, count = arms_in(folder)
        console.print(f"{folder.name}: {len(arms)} of {count} files have a chain of {LEAST_JOINTS} joints")
        of_public_robots(console, arms)
    for folder in given.mjcf:
        of_public_robots(console, mjcf_files(folder))


if __name__ == "__main__":
    main()
