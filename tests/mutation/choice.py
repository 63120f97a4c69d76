"""Which method of forward dynamics motions take, by sums over pairs of a joint and a body that it carries."""

from collections.abc import Iterator

import numpy as np

from armdyn.model.mechanism import Mechanism
from mutation.known import Known
from mutation.question import Question


def of_choice(robots: dict[str, Known]) -> Iterator[Question]:
    """The choice and what it depends on, of robots with branches, rotors and slides."""
    for name in ("ur5", "geared", "right_angled_tree", "panda_fingers", "slides_between_turns"):
        mechanism = robots[name].robot.mechanism
        part = least_part(mechanism)
        longest = max(len(path) for path in paths(mechanism))
        yield Question(name, "armdyn.algorithms.quicker_method.least_part", {}, [], np.array(part))
        yield Question(name, "armdyn.algorithms.quicker_method.longest_chain", {}, [], np.array(longest))
        method = "mass_matrix" if part > 0.0 else "articulated"
        yield Question(name, "armdyn.algorithms.quicker_method.quicker_method", {}, [], method)


def paths(mechanism: Mechanism) -> list[list[int]]:
    """Of every body the bodies from itself to the base."""
    found: list[list[int]] = []
    for k, body in enumerate(mechanism.bodies):
        found.append([k, *(found[body.parent] if body.parent >= 0 else [])])
    return found


def least_part(mechanism: Mechanism) -> float:
    """min over joints of (own inertia + rotor)/(inertia carried, all in line)."""
    bodies = mechanism.bodies
    mass = np.array([float(body.mass) for body in bodies])
    arm = np.array([np.sqrt(sum(float(x) ** 2 for x in body.first_moment)) for body in bodies])
    offset = np.array([np.sqrt(sum(float(x) ** 2 for x in body.offset)) for body in bodies])
    moments = np.array([[[float(x) for x in row] for row in body.second_moment] for body in bodies])
    parts = []
    for j, body in enumerate(bodies):
        carried = 0.0
        for k, path in enumerate(paths(mechanism)):
            if j not in path:
                continue
            before = path[: path.index(j)]
            distance = arm[k] / mass[k] + offset[before].sum() if mass[k] else 0.0
            carried += moments[k].trace() + mass[k] * distance**2 if body.revolute else mass[k]
        own = moments[j][0, 0] + moments[j][1, 1] if body.revolute else mass[j]
        parts.append((own + float(mechanism.drive.armature[j])) / carried if carried else 0.0)
    return min(parts)
