"""Mimic joints: q_joint = multiplier q_leader + offset, one after another, each resolved to the joint it ends at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from armdyn.base.advice import option
from armdyn.base.errors import ModelError, UnknownName
from armdyn.model.coordinates import LARGEST, SMALLEST, check_size, moved_by, refuse
from armdyn.model.joint_equations import JointEquation, with_joint_equations
from armdyn.model.messages import quote
from armdyn.model.model import Model
from armdyn.model.parts import cycles


def with_mimics(model: Model, mimics: Sequence[JointEquation]) -> Model:
    """The model whose coordinates are the joints that do not mimic another (`armdyn.Robot.with_mimic`).

    Raises:
        ModelError: joints that follow each other in a ring, or others already; invalid multipliers; limits that no
            position satisfies.
        UnknownName: a joint that is not a coordinate of the model.
    """
    check_size(model)
    for name in (name for mimic in mimics for name in (mimic.joint, mimic.leader)):
        _check_coordinate(model, name)
    refuse(_problems_of(mimics))
    resolution = [*resolve_chains(mimics).values()]
    refuse(_problems_of(resolution))  # products of multipliers may be out of range
    return with_joint_equations(model, resolution)


def _check_coordinate(model: Model, name: str) -> None:
    """Raise for a name that is not a coordinate; for a joint that a coupling moves already, name its leaders."""
    names = [coordinate.name for coordinate in model.coordinates]
    if name in names:
        return
    if name not in model.joint_names:
        raise UnknownName.of("joint", name, names, repr(model.name))
    *others, last = [repr(other) for other in moved_by(model, name)] or [""]
    follows = f"follows {', '.join(others) + ' and ' if others else ''}{last}" if last else "is held still"
    raise ModelError(
        f"joint {name!r} of {model.name!r} {follows} already, so it has no entry in q; call "
        "without_couplings() first, then give all couplings again."
    )


def _problems_of(mimics: Sequence[JointEquation]) -> Iterator[str]:
    """Multipliers and offsets out of range, and cycles of joints."""
    for mimic in mimics:
        follows = f"{mimic.label}: it follows {mimic.leader!r} with multiplier"
        if mimic.multiplier == 0.0:
            yield (
                f"{follows} 0, which holds it still at {mimic.value:g}; expected another number. To hold it, read the "
                f"robot with {option('locked', {mimic.joint: mimic.value})}, or say with_joint_equations([({{"
                f"{mimic.joint!r}: 1.0}}, {mimic.value:g})])."
            )
        elif not (math.isfinite(mimic.multiplier) and math.isfinite(mimic.value)):
            yield f"{follows} {mimic.multiplier:g} and offset {mimic.value:g}; expected finite numbers."
        elif not SMALLEST <= abs(mimic.multiplier) <= LARGEST or abs(mimic.value) > LARGEST:
            yield (
                f"{follows} {mimic.multiplier:g} and offset {mimic.value:g}; expected a multiplier whose size is "
                f"between {SMALLEST:g} and {LARGEST:g}, and an offset of at most {LARGEST:g}."
            )
    for cycle in cycles_of(mimics):
        if len(cycle) == 1:
            yield f"{cycle[0].label}: it follows itself; expected another joint."
        else:
            yield f"{cycle[0].label}: joints follow each other in a ring: {cycle_text(cycle, 8)}."


def cycle_text(cycle: Sequence[JointEquation], most: int) -> str:
    """The joints of a cycle, at most this many of them: "'a' follows 'b' follows 'a'"."""
    names = [quote(mimic.joint) for mimic in cycle[:most]] + ["..."] * (len(cycle) > most)
    return " follows ".join([*names, quote(cycle[0].joint)])


def cycles_of(mimics: Sequence[JointEquation]) -> Iterator[list[JointEquation]]:
    """The cycles of joints that follow each other."""
    mimic_of = {mimic.joint: mimic for mimic in mimics}
    for cycle in cycles({joint: mimic.leader for joint, mimic in mimic_of.items()}):
        yield [mimic_of[joint] for joint in cycle]


def resolve_chains(mimics: Sequence[JointEquation]) -> dict[str, JointEquation]:
    """Each mimic joint expressed by the independent joint at the end of its chain; there must be no cycle."""
    direct = {mimic.joint: mimic for mimic in mimics}
    resolution: dict[str, JointEquation] = {}
    for name in direct:
        chain = [name]
        while (leader := direct[chain[-1]].leader) in direct and leader not in resolution:
            chain.append(leader)
        for joint in reversed(chain):  # from the end: its leader is independent, or resolved
            own = direct[joint]
            if (end := resolution.get(own.leader)) is not None:
                multiplier, offset = own.multiplier * end.multiplier, own.multiplier * end.value + own.value
                own = JointEquation.mimic(joint, end.leader, multiplier, offset, own.where)
            resolution[joint] = own
    return resolution


def as_mimics(mimics: object) -> list[JointEquation]:
    """The argument of ``with_mimic``: a mapping from joints to those they follow."""
    if not isinstance(mimics, Mapping):
        raise ModelError(
            f"followers are {mimics!r}; expected a mapping from joints to what they follow, such as "
            "{'finger_2': 'finger_1'} or {'finger_2': ('finger_1', -1.0, 0.0)}."
        )
    return [_as_mimic(*one) for one in mimics.items()]


def _as_mimic(joint: str, mimic: object) -> JointEquation:
    """The equation of one follower: a leader, with or without a multiplier and an offset after it."""
    words = (mimic,) if isinstance(mimic, str) else mimic
    if isinstance(words, tuple | list) and 1 <= len(words) <= 3 and isinstance(words[0], str):
        try:
            multiplier, offset = [*map(float, words[1:]), *(1.0, 0.0)[len(words) - 1 :]]
            return JointEquation.mimic(joint, words[0], multiplier, offset)
        except (TypeError, ValueError):
            pass
    raise ModelError(
        f"joint {joint!r} shall follow {mimic!r}; expected the name of a joint, or (name, multiplier, offset), "
        "where it stands at multiplier q + offset."
    )
