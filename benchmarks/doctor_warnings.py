"""``python -m benchmarks.doctor_warnings``: the warnings on files without an error, as the table of ``docs/doctor.md``.

Warnings of one rule with the same evidence are one row. The last column is the result of looking at the file. A
warning without a verdict ends the program.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import defaultdict
from typing import NamedTuple

from armdyn.doctor import Finding, doctor
from benchmarks.doctor import robot_data


class Verdict(NamedTuple):
    """What is true of the warnings of a rule on parts whose file and name match a pattern."""

    rule: str
    pattern: str
    text: str


VERDICTS = (
    Verdict("inertia/hull", "panda", "wrong: moments of a body that is several times as long as the link is wide"),
    Verdict("inertia/hull", "imu_link", "wrong: the moments of a cube of 25 mm on one of 10 mm, of 10 g"),
    Verdict(
        "inertia/hull", "inner_single", "wrong by a little: products of inertia of 1.4 times the width of the crank"
    ),
    Verdict("inertia/hull", "motor_double", "wrong: a radius of gyration of 89 mm on a part of 106 x 86 x 91 mm"),
    Verdict("inertia/hull", "Sake", "wrong: 1e-4 kg m² about every axis of a finger of 50 g and 30 x 22 x 71 mm"),
    Verdict(
        "inertia/hull", "rgbd_link", "wrong: the largest moments about the axis along which the camera is 0.19 m long"
    ),
    Verdict(
        "inertia/hull",
        "double_pendulum_simple",
        "wrong: 0.002 kg m² about the long axis of a rod, 64 times that of the box",
    ),
    Verdict(
        "inertia/hull", "_foot", "wrong, or the ankle is not drawn: moments of a body of 0.31 m in a foot of 0.16 m"
    ),
    Verdict("inertia/hull", "torso_1", "wrong: 100 g with the moments of a heavier belt of 0.2 m"),
    Verdict("inertia/hull", "D435", "wrong: the moments of a body of 0.36 m on a camera of 90 x 25 x 25 mm"),
    Verdict("inertia/hull", "rotor", "wrong: the moments of a rotor of 0.8 m on one of 0.26 m"),
    Verdict(
        "inertia/mirror", "talos", "wrong: centres are mirrored, products are equal; the corrected file has it too"
    ),
    Verdict("inertia/negative", "antenna", "wrong, without effect: no joint moves the link"),
    Verdict("inertia/placeholder", "", "placeholders: links of several sizes with one mass and one tensor"),
    Verdict("inertia/size", "ur5", "wrong: the moments of a cylinder of radius 0.6 m on wrists of 0.1 m"),
    Verdict(
        "inertia/size", "romeo.*Hip", "a false alarm: the link has no shape, and fingers make the median link 38 mm"
    ),
    Verdict("inertia/size", "simple_humanoid", "wrong: 1 kg m² on every link, a placeholder"),
    Verdict("inertia/triangle", "", "wrong, without effect: no joint moves the link"),
    Verdict("limit/effort", "", "the file states it; programs differ, as the finding says"),
    Verdict("limit/velocity", "", "the file states it; programs differ, as the finding says"),
    Verdict("limit/zero", "", "the file states it, or states no limit, which readers take for 0 and 0"),
    Verdict("limit/effort-below-gravity", "waist_roll", "right, by 0.2 % at one pose"),
    Verdict("limit/effort-below-gravity", "waist_pitch", "right, by 3 % at one pose"),
    Verdict("limit/effort-below-gravity", "WAIST", "right: 30 N m for a waist that carries two arms"),
    Verdict("limit/effort-below-gravity", "talos", "right, at poses that a robot on its legs does not take"),
    Verdict("mass/centre", "Wrist", "wrong, or the forearm's part is not drawn: 59 mm behind a wrist of 37 mm"),
    Verdict("mass/centre", "hip_1", "wrong, or the motor is not drawn: the mesh is a disc 13 mm thick"),
    Verdict("mass/density", "FOOT", "a placeholder: 1 g for a ball of 62 mm"),
    Verdict("mass/density", "logo", "a placeholder: 1 g for a cover of 0.15 m"),
    Verdict("mass/zero", "romeo", "the file states it: fingers without mass, M(q) has no inverse"),
    Verdict("mesh/missing", "talos_full_v2", "wrong: package:/// with three slashes names no package"),
    Verdict(
        "names/unknown",
        "talos_left_arm",
        "wrong: the file has no such joint; its transmission and its sensor are there",
    ),
)
"""The first verdict whose rule and pattern fit holds; the pattern is sought in "FILE PART"."""


def explained(file: str, one: Finding) -> str:
    """The verdict of a warning.

    Raises:
        LookupError: a warning that nobody has looked at.
    """
    part = f"{file} {one.element}"
    for verdict in VERDICTS:
        if verdict.rule == one.rule and re.search(verdict.pattern, part):
            return verdict.text
    raise LookupError(f"{part}: {one.text} [{one.rule}] has no verdict in benchmarks/doctor_warnings.py")


def evidence(one: Finding) -> str:
    """The text of a warning without poses, directions and names, which differ from link to link."""
    text = re.sub(r" at q = \(.*?\)| along \([^)]*\)| beside '[^']*'", "", one.text)
    text = re.sub(r"^mesh '[^']*/([^/']*)' is", "the mesh is", text)
    return re.sub(r"joint '[^']*' moves", "its joint moves", text)


def _named(words: list[str], most: int = 6) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def main() -> None:
    """Print the table in Markdown."""
    warnings.simplefilter("ignore")
    rows: dict[tuple[str, str, str], dict[str, dict[str, None]]] = defaultdict(dict)
    files = clean = count = 0
    for path in sorted(robot_data().rglob("*.urdf")):
        files += 1
        findings = doctor(path)
        if findings.count("error"):
            continue
        clean += 1
        for one in findings.at_least("warning"):
            count += 1
            parts = rows[one.rule, evidence(one), explained(path.name, one)]
            parts.setdefault(one.element.partition(" ")[2].strip("'") or one.element.strip("<>"), {})[path.stem] = None
    print(f"{clean} of {files} files have no error; {count} warnings in {len(rows)} rows.\n")
    print("| rule | files | links or joints | evidence | looked at |\n| --- | --- | --- | --- | --- |")
    for (rule, text, verdict), parts in sorted(rows.items()):
        of_files = sorted({file for names in parts.values() for file in names})
        print(f"| `{rule}` | {_named(of_files)} | {_named(list(parts))} | {text} | {verdict} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
