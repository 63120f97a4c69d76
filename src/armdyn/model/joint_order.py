"""The order of the joints, which is that of q: the description's, the chain's from base to tip, or one of names.

A joint order is a permutation of q: q_new = P q_old, M_new = P M P^T. Exporters of descriptions often list the last
joint first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from armdyn.base.advice import option
from armdyn.base.checks import listed
from armdyn.base.errors import ModelError, UnknownName, excerpt
from armdyn.model.coupling import Coupling
from armdyn.model.joint import Joint
from armdyn.model.messages import quote
from armdyn.model.model import Model

FILE, CHAIN = "file", "chain"
"""The order of the description, and that from the base to the tips, each joint after those that carry it."""

EXPECTED = "'chain', 'file', or the names of all entries of q in the order that they shall have"


def chain_order(joints: Sequence[Joint], base: str) -> list[Joint]:
    """The joints from the base to the tips, branch after branch, each after those that carry it."""
    on_link: dict[str, list[Joint]] = {}
    for joint in joints:
        on_link.setdefault(joint.parent, []).append(joint)
    ordered: list[Joint] = []
    waiting = on_link.get(base, [])[::-1]
    while waiting:
        ordered.append(waiting.pop())
        waiting += on_link.get(ordered[-1].child, [])[::-1]
    return ordered


def notes_on_joint_order(model: Model) -> Iterator[str]:
    """One sentence on joints that are in q before a joint that carries them."""
    carriers = {joint.child: joint.name for joint in model.joints}
    seen: set[str] = set()
    for joint in model.joints:
        carrier = carriers.get(joint.parent)
        if carrier is not None and carrier not in seen:
            yield (
                f"q is in the order of the description, in which {quote(joint.name)} stands before {quote(carrier)}, "
                f"which carries it; {option('joint_order', CHAIN)} gives the order of the chain"
            )
            return
        seen.add(joint.name)


def checked_order(order: object) -> str | tuple[str, ...]:
    """The argument ``joint_order=``: "file", "chain", or names.

    Raises:
        ModelError: a value of another kind.
    """
    if isinstance(order, str) and order in (FILE, CHAIN):
        return order
    names = None if isinstance(order, str) else listed(order)
    if names is None or not all(isinstance(name, str) for name in names):
        raise ModelError(f"joint_order is {excerpt(order)}; expected {EXPECTED}.")
    return tuple(names)


def in_joint_order(model: Model, order: str | Sequence[str]) -> Model:
    """The model whose q has another order; notes stay, except for that on the order.

    Args:
        model: whose entries of q are put in order.
        order: "chain"; "file", the present order; or the names of all entries of q.

    Raises:
        ModelError: names that are not those of q, each once.
        UnknownName: a name that is not that of an entry of q.
    """
    order = checked_order(order)
    if order == FILE:
        return model
    names = [coordinate.name for coordinate in model.coordinates]
    if order == CHAIN:
        joints = chain_order(model.joints, model.base)
        order_of_joints = _first_moved(model, joints)
    else:
        order_of_joints = list(order)
        _check_names(model, names, order_of_joints)
        joints = list(model.joints) if model.coupling is not None else [model.joint(name) for name in order_of_joints]
    before = set(notes_on_joint_order(model))
    other = _with_joints(model, joints, [names.index(name) for name in order_of_joints])
    new_notes = [note for note in model.notes if note not in before]
    return other.replace(notes=(*new_notes, *notes_on_joint_order(other)))


def _check_names(model: Model, names: Sequence[str], order: Sequence[str]) -> None:
    for name in order:
        if name not in names:
            raise UnknownName.of("joint", name, names, repr(model.name))
    if len({*order}) < len(order) or len(order) < len(names):
        missing = [repr(name) for name in names if name not in order]
        fault = f"lacks {', '.join(missing)}" if missing else "names a joint twice"
        raise ModelError(f"joint_order of {model.name!r} {fault}; expected {EXPECTED}.")


def _first_moved(model: Model, joints: Sequence[Joint]) -> list[str]:
    """The entries of q, in the order of the first joint that each moves."""
    if model.coupling is None:
        return [joint.name for joint in joints]
    rows = dict(zip(model.joint_names, model.coupling.matrix, strict=True))
    moved = (np.flatnonzero(rows[joint.name]) for joint in joints)
    return [model.coordinates[i].name for i in dict.fromkeys(int(i) for row in moved for i in row)]


def _with_joints(model: Model, joints: Sequence[Joint], columns: Sequence[int]) -> Model:
    """The model with its joints, the links that they carry and the coordinates in another order."""
    links = (model.links[0], *(model.link(joint.child) for joint in joints))
    coupling = model.coupling
    if coupling is not None:
        rows = [model.joint_names.index(joint.name) for joint in joints]
        coordinates = tuple(coupling.coordinates[i] for i in columns)
        coupling = Coupling(coordinates, coupling.matrix[np.ix_(rows, columns)], coupling.offset[rows])
    return model.replace(links=links, joints=tuple(joints), coupling=coupling)


def without_permutation(model: Model) -> Model:
    """The model in which a coupling that only reorders the joints becomes the order of the joints."""
    coupling = model.coupling
    if coupling is None:
        return model
    A, names = coupling.matrix, [coordinate.name for coordinate in coupling.coordinates]
    if A.shape[0] != A.shape[1] or coupling.offset.any() or sorted(names) != sorted(model.joint_names):
        return model
    order = [model.joint_names.index(name) for name in names]
    own = [(model.joints[i].kind, model.joints[i].limits) for i in order]
    if not np.array_equal(A[order], np.eye(len(names))) or own != [(c.kind, c.limits) for c in coupling.coordinates]:
        return model
    free = dataclasses.replace(model, coupling=None)
    return _with_joints(free, [model.joints[i] for i in order], order)
