"""A coupling as joints that mimic others, where it is one: every other coupling has no place in a URDF file."""

from __future__ import annotations

import numpy as np

from armdyn.errors import Unsupported
from armdyn.model.followers import Follower, with_followers
from armdyn.model.model import Model


def mimics_of(model: Model) -> dict[str, Follower]:
    """The joints that follow others, by name.

    Raises:
        Unsupported: a coupling that is more than mimicry.
    """
    if model.coupling is None:
        return {}
    coordinates = [coordinate.name for coordinate in model.coupling.coordinates]
    followers, leaders = {}, []
    for joint, row, offset in zip(model.joints, model.coupling.matrix, model.coupling.offset, strict=True):
        moved_by = np.flatnonzero(row)
        if len(moved_by) != 1:
            how = f"{len(moved_by)} coordinates move it" if len(moved_by) else f"it is held at {offset:g}"
            raise Unsupported(_refusal(model, f"joint {joint.name!r} follows no single joint: {how}"))
        leader, factor = coordinates[moved_by[0]], float(row[moved_by[0]])
        if joint.name == leader and (factor, offset) == (1.0, 0.0):
            leaders.append(joint.name)
        else:
            followers[joint.name] = Follower(joint.name, leader, factor, float(offset))
    if leaders != coordinates:
        raise Unsupported(_refusal(model, f"its coordinates {', '.join(coordinates)} are not joints in their order"))
    free = model.replace(coupling=None)
    if with_followers(free, list(followers.values())).coordinates != model.coordinates:
        raise Unsupported(_refusal(model, "its coordinates have limits or kinds besides those of the joints"))
    return followers


def _refusal(model: Model, why: str) -> str:
    return (
        f"{model.name!r}: {why}; URDF knows joints that mimic one other. Write the robot with every joint free, "
        "robot.without_couplings(), and couple it after reading."
    )
