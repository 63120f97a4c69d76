"""``python -m benchmarks.doctor_warnings``: every warning on files without an error, as the table of ``docs/doctor.md``.

Warnings of one rule with the same evidence are one row. The last column is the result of looking at the file: the
numbers are wrong, the file states it so, or the shapes do not decide it. A warning without a verdict ends the program.
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
    Verdict("inertia/hull", "panda", "wrong: the published numbers; Gaz et al. identified others for this arm"),
    Verdict("inertia/hull", "imu_link", "wrong: the moments of a cube of 25 mm on a drawn one of 10 mm"),
    Verdict("inertia/hull", "inner_single", "the slender crank is drawn alone, its motor side is on another link"),
    Verdict("inertia/hull", "motor_double", "wrong, or the gripper's motor is not drawn: the link spans 50 mm"),
    Verdict("inertia/hull", "Sake", "wrong: moments of 1e-5 kg m² on fingers of 30 mm, four times alike"),
    Verdict("inertia/hull", "rgbd_link", "wrong: a camera of 30 mm with the moments of a body of 0.24 m"),
    Verdict("inertia/hull", "double_pendulum_simple", "wrong: a rod of 25 mm radius with equal moments about its axis"),
    Verdict("inertia/hull", "_foot", "the sole alone is drawn; the moments are those of the foot with its ankle"),
    Verdict("inertia/hull", "torso_1", "half of the universal joint is drawn, 0.10 m of 0.20 m"),
    Verdict("inertia/hull", "D435", "wrong: a camera of 90 mm with the moments of a body of 0.36 m"),
    Verdict("inertia/hull", "rotor", "wrong: a rotor of 0.26 m with the moments of one of 1 m"),
    Verdict("inertia/mirror", "talos", "wrong: the sign of two products on one side; the corrected file has it too"),
    Verdict("inertia/negative", "antenna", "wrong, without effect: no joint moves the link"),
    Verdict("inertia/placeholder", "", "placeholders: links of several sizes with one mass and one tensor"),
    Verdict("inertia/size", "ur5", "wrong: moments of a link of 0.6 m on wrists of 0.19 m; later files have others"),
    Verdict("inertia/size", "simple_humanoid", "wrong: 1 kg m² on every link, a placeholder"),
    Verdict("inertia/triangle", "", "wrong, without effect: no joint moves the link"),
    Verdict("limit/effort", "", "the file states it: Pinocchio and MuJoCo differ, as the finding says"),
    Verdict("limit/velocity", "", "the file states it: programs that obey it let the joint stand still"),
    Verdict(
        "limit/zero", "", "the file states it, or states none; joints that turn in other programs are fixed in some"
    ),
    Verdict("limit/effort-below-gravity", "waist_roll", "right, by 0.2 % at one pose with both arms to one side"),
    Verdict("limit/effort-below-gravity", "waist_pitch", "right, by 3 % bent forward with both arms stretched"),
    Verdict("limit/effort-below-gravity", "WAIST", "right: a placeholder of 30 N m for all joints"),
    Verdict("limit/effort-below-gravity", "talos", "right: the arm, or the trunk, lies horizontal at this pose"),
    Verdict("mass/centre", "Hip", "not decided: the meshes are not in the package, joints alone measure the link"),
    Verdict("mass/centre", "Wrist", "not decided: the meshes are not in the package, joints alone measure the link"),
    Verdict("mass/centre", "hip_1", "wrong, or a motor is not drawn: 50 mm outside of the hull"),
    Verdict("mass/density", "FOOT", "a placeholder of 1 g: the foot is weighed with the shank"),
    Verdict("mass/density", "logo", "a placeholder of 1 g: the cover is weighed with the torso"),
    Verdict("mass/zero", "romeo", "the file states it: fingers without mass, M(q) has no inverse"),
    Verdict("mesh/missing", "talos_full_v2", "wrong: package:/// with three slashes names no package"),
    Verdict("names/unknown", "talos_left_arm", "wrong: the joint was removed, its transmission and sensor stayed"),
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
            parts.setdefault(one.element.partition(" ")[2].strip("'") or one.element, {})[path.stem] = None
    print(f"{clean} of {files} files have no error; {count} warnings in {len(rows)} rows.\n")
    print("| rule | files | links or joints | evidence | looked at |\n| --- | --- | --- | --- | --- |")
    for (rule, text, verdict), parts in sorted(rows.items()):
        of_files = sorted({file for names in parts.values() for file in names})
        print(f"| `{rule}` | {_named(of_files)} | {_named(list(parts))} | {text} | {verdict} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
