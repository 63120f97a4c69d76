"""Joints that follow others: q_joint = multiplier q_leader + offset, as mimic joints and gears do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.advice import option
from armdyn.errors import ModelError, UnknownName
from armdyn.model.coordinates import LARGEST, SMALLEST, check_size, refuse, with_coordinates
from armdyn.model.model import Model


@dataclass(frozen=True)
class Follower:
    """q[joint] = multiplier q[leader] + offset; ``where`` is said in front of every problem, e.g. "arm.urdf:214"."""

    joint: str
    leader: str
    multiplier: float = 1.0
    offset: float = 0.0
    where: str = ""


def with_followers(model: Model, followers: Sequence[Follower]) -> Model:
    """The model whose coordinates are the joints that follow none; see `armdyn.Robot.with_mimic`.

    Raises:
        ModelError: joints that follow each other in a ring, or others already; multipliers that are no multipliers;
            limits that no position keeps.
        UnknownName: a joint that is no coordinate of the model.
    """
    check_size(model)
    names = [coordinate.name for coordinate in model.coordinates]
    for follower in followers:
        for name in (follower.joint, follower.leader):
            if name not in names:
                _refuse_dependent(model, name)
                raise UnknownName.of("joint", name, names, repr(model.name))
    refuse(problems_of(followers))
    leaders = led(followers)
    refuse(problems_of(list(leaders.values())))  # products may be beyond what each multiplier is
    free = [name for name in names if name not in leaders]
    matrix, offset = np.zeros((len(names), len(free))), np.zeros(len(names))
    for k, name in enumerate(names):
        follower = leaders.get(name, Follower(name, name))
        matrix[k, free.index(follower.leader)], offset[k] = follower.multiplier, follower.offset
    return with_coordinates(model, free, matrix, offset, where={f.joint: f.where for f in followers if f.where})


def _refuse_dependent(model: Model, name: str) -> None:
    """Say of a joint that a coupling moves already what it follows, and how to couple it anew."""
    if model.coupling is None or name not in model.joint_names:
        return
    row = model.coupling.matrix[model.joint_names.index(name)]
    moved_by = [repr(c.name) for c, factor in zip(model.coordinates, row, strict=True) if factor != 0.0]
    raise ModelError(
        f"joint {name!r} of {model.name!r} {f'follows {_listed(moved_by)}' if moved_by else 'is held still'} already, "
        "and is no entry of q; take without_couplings() first, and say all couplings anew."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def problems_of(followers: Sequence[Follower]) -> Iterator[str]:
    """What makes these no gears: multipliers that are none, offsets, joints that follow each other in a ring."""
    for follower in followers:
        here = f"{follower.where + ' ' if follower.where else ''}joint {follower.joint!r}:"
        if follower.multiplier == 0.0:
            yield (
                f"{here} it follows {follower.leader!r} with multiplier 0, which holds it still at "
                f"{follower.offset:g}; expected another number. To hold it, read the robot with "
                f"{option('locked', {follower.joint: follower.offset})}, or say with_joint_equations([({{"
                f"{follower.joint!r}: 1.0}}, {follower.offset:g})])."
            )
        elif not (math.isfinite(follower.multiplier) and math.isfinite(follower.offset)):
            yield (
                f"{here} it follows {follower.leader!r} with multiplier {follower.multiplier:g} and offset "
                f"{follower.offset:g}; expected finite numbers."
            )
        elif not SMALLEST <= abs(follower.multiplier) <= LARGEST or abs(follower.offset) > LARGEST:
            yield (
                f"{here} it follows {follower.leader!r} with multiplier {follower.multiplier:g} and offset "
                f"{follower.offset:g}; expected a multiplier whose size is between {SMALLEST:g} and {LARGEST:g}, and "
                f"an offset of at most {LARGEST:g}."
            )
    where = {follower.joint: follower.where for follower in followers}
    for ring in rings({follower.joint: follower.leader for follower in followers}):
        here = f"{where[ring[0]] + ' ' if where[ring[0]] else ''}joint {ring[0]!r}:"
        shown = [repr(name) for name in ring]
        if len(ring) == 1:
            yield f"{here} it follows itself; expected another joint."
        else:
            if len(shown) > 8:
                shown[8:] = ["..."]
            yield f"{here} joints follow each other in a ring: {' follows '.join([*shown, shown[0]])}."


def rings(leader_of: Mapping[str, str]) -> Iterator[list[str]]:
    """The rings of joints that follow each other; each joint is looked at once."""
    seen: set[str] = set()
    for start in leader_of:
        path: dict[str, None] = {}
        joint = start
        while joint in leader_of and joint not in seen:
            seen.add(joint)
            path[joint] = None
            joint = leader_of[joint]
        if joint in path:
            yield list(path)[list(path).index(joint) :]


def led(followers: Sequence[Follower]) -> dict[str, Follower]:
    """Every follower, by joint, as one of the joint at the front of its row; there must be no ring."""
    direct = {follower.joint: follower for follower in followers}
    resolved: dict[str, Follower] = {}
    for name in direct:
        row = [name]
        while (leader := direct[row[-1]].leader) in direct and leader not in resolved:
            row.append(leader)
        for joint in reversed(row):  # from the front: its leader follows none, or is resolved
            own = direct[joint]
            if (front := resolved.get(own.leader)) is None:
                resolved[joint] = own
            else:
                multiplier = own.multiplier * front.multiplier
                offset = own.multiplier * front.offset + own.offset
                resolved[joint] = Follower(joint, front.leader, multiplier, offset, own.where)
    return resolved


def as_followers(given: object) -> list[Follower]:
    """What ``with_mimic`` is given: a mapping from joints to what they follow."""
    if not isinstance(given, Mapping):
        raise ModelError(
            f"followers are {given!r}; expected a mapping from joints to what they follow, such as "
            "{'finger_2': 'finger_1'} or {'finger_2': ('finger_1', -1.0, 0.0)}."
        )
    return [as_follower(*one) for one in given.items()]


def as_follower(joint: str, given: object) -> Follower:
    """What ``with_mimic`` is given for a joint: its leader, with a multiplier and an offset behind it or not."""
    words = (given,) if isinstance(given, str) else given
    if isinstance(words, tuple | list) and 1 <= len(words) <= 3 and isinstance(words[0], str):
        try:
            multiplier, offset = [*map(float, words[1:]), *(1.0, 0.0)[len(words) - 1 :]]
            return Follower(joint, words[0], multiplier, offset)
        except (TypeError, ValueError):
            pass
    raise ModelError(
        f"joint {joint!r} shall follow {given!r}; expected the name of a joint, or (name, multiplier, offset), "
        "where it stands at multiplier q + offset."
    )
