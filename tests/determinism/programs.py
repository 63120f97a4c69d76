"""Prints, as JSON, the digest and the operation counts of the programs of the robots in a file; run in processes.

    python programs.py robots.json     {"name": {"load": ["ur5", {...}]} or {"parts": [...], "tip": ...}, ...}

Nothing here depends on the environment; see `test_same_programs`.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import armdyn
from armdyn.declaration import Function
from armdyn.program import Program

LARGE = ("christoffel", "closed_form", "coriolis_coefficients", "centrifugal_coefficients")
"""Functions whose programs grow with the cube of n: of arms with few joints only."""

FEW = 8

CONSTRAINTS = (
    armdyn.constraints.PointOnPlane("tip", (0.1, -0.2, 0.97), (0.3, 0.1, 0.2)),
    armdyn.constraints.hinge("link_4", axis=(0.3, -0.5, 0.7), point=(0.1, 0.2, 0.3), to_axis=(0.1, 0.9, 0.2)),
)
"""In general directions."""

DERIVATIVES = (("gravity_forces", "q"), ("forward_kinematics", "q"))


def public_functions() -> Iterator[Function]:
    for module in (armdyn.algorithms, armdyn.constraints):
        for name in sorted(module.__all__):
            if isinstance(found := getattr(module, name), Function):
                yield found


def made(description: dict[str, Any]) -> armdyn.Robot:
    """The robot of a description."""
    if "load" in description:
        name, options = description["load"]
        robot = armdyn.load(name, **options)
        return robot.with_constraints(*CONSTRAINTS) if description.get("constrained") else robot
    parts = [armdyn.Part(**part | {"inertia": armdyn.Inertia(*part["inertia"])}) for part in description["parts"]]
    return armdyn.Robot.from_links(parts, tip=description["tip"], gravity=description["gravity"])


def options_of(robot: armdyn.Robot, function: Function) -> dict[str, Any]:
    """A choice for what has no default."""
    options = {"frame": robot.model.frames[-1].name, "expressed_in": "space"}
    return {name: options[name] for name in (*function.required_options, "frame") if name in function.options}


def is_refused(robot: armdyn.Robot, function: Function) -> bool:
    """Whether an arm has no such function: pairs of one joint, forces at no tip, stacked links with rotors."""
    needs_more = function.name == "coriolis_coefficients" and robot.dof < 2
    needs_tip = function.name == "tip_forces" and robot.tip is None
    return needs_more or needs_tip or (function.name == "closed_form" and bool(robot.model.rotors))


def programs(robot: armdyn.Robot) -> Iterator[tuple[str, Program]]:
    constrained = bool(robot.model.constraints)
    for function in public_functions():
        of_constraints = function.__module__.startswith("armdyn.constraints")
        if of_constraints != constrained or (function.name in LARGE and robot.dof > FEW):
            continue
        if is_refused(robot, function):
            continue
        optional = [a.name for a in function.arguments if a.optional and (robot.tip or a.name != "f_tip")]
        compiled = robot.compile(function)
        yield function.name, compiled.program(**options_of(robot, function))
        if optional and function.name not in LARGE:
            yield f"{function.name} with all", compiled.program(optional_inputs=optional, **options_of(robot, function))
    for name, wrt in DERIVATIVES if not constrained and robot.tip else ():
        yield f"derivative of {name}", getattr(robot, name).derivative(wrt).program()
    link = robot.model.joints[-1].child
    if not constrained:
        mass = robot.compile(armdyn.algorithms.inverse_dynamics, parameters=[f"{link}.mass", "gravity"])
        yield "inverse_dynamics by mass and gravity", mass.program()


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        descriptions = json.load(file)
    found = {}
    for name, description in descriptions.items():
        robot = made(description)
        found[name] = {what: [p.digest, str(p.op_counts)] for what, p in programs(robot)}
        found[name]["model"] = [robot.model.digest, ""]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    np.seterr(all="raise")
    warnings.simplefilter("ignore", armdyn.DescriptionWarning)  # published robots state friction
    main(sys.argv[1])
