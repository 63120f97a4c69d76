"""Notes on a model: numbers that are kept and not used, joints that move no mass."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from armdyn.base.advice import option
from armdyn.model.coupling import Coupling
from armdyn.model.joint import Joint
from armdyn.model.joint_order import notes_on_joint_order
from armdyn.model.messages import listing
from armdyn.model.model import Model
from armdyn.model.parts import JointPart

SHOWN = 3
"""The most joints that one note names."""

LIMIT_ROUNDING = 1e-9
"""The distance outside its limits, rad or m, at which a locked joint is noted: limits are printed rounded."""


def surprises_in(model: Model) -> Iterator[str]:
    """Notes that are warnings too, one sentence for each kind."""
    stuck = [joint.name for joint in model.joints if (joint.limits.lower, joint.limits.upper) == (0.0, 0.0)]
    slow = [joint.name for joint in model.joints if joint.limits.velocity == 0.0]
    if stuck or slow:
        zero = [f"{kind} limits of {listing(names, SHOWN)}" for kind, names in
                (("position", stuck), ("velocity", slow)) if names]  # fmt: skip
        yield (
            f"the {' and the '.join(zero)} are zero, as many files have them that know none: "
            "motions that keep to limits cannot move these joints"
        )


def notes_on(model: Model) -> Iterator[str]:
    """The notes, one sentence each."""
    yield from surprises_in(model)
    yield from notes_on_joint_order(model)
    if model.coupling is not None:
        yield from _notes_on_coupling(model, model.coupling)
    massless = _massless(model)
    if massless:
        yield f"no mass moves with {', '.join(massless)}: M(q) has zero rows there and forward dynamics is not defined"


def renew_notes(before: Model, after: Model, *others: str) -> Model:
    """A model made from another, with notes on its own numbers in place of those on the other's, and ``others``."""
    own = set(notes_on(before))
    return after.replace(notes=(*(note for note in before.notes if note not in own), *others, *notes_on(after)))


def notes_on_lost_mass(tip: str | None, branches: Mapping[str, float]) -> Iterator[str]:
    """One sentence on the branches with mass that a chain leaves out: readers warn of it too."""
    heavy = [f"{joint!r} ({kg:.4g} kg)" for joint, kg in branches.items() if kg]
    if heavy:
        yield (
            f"{sum(branches.values()):.4g} kg are not on the chain to {tip!r} and left out: what is moved by "
            f"{', '.join(heavy)}; to keep the mass, hold these joints with {option('locked')}"
        )


def notes_on_branches(tip: str | None, branches: Mapping[str, float]) -> Iterator[str]:
    """One sentence on the branches without mass that a chain leaves out."""
    light = [repr(joint) for joint, kg in branches.items() if not kg]
    if light:
        yield (
            f"no mass is lost with what is not on the chain to {tip!r} and left out: what is moved by "
            f"{', '.join(light)}"
        )


def notes_on_ignored_friction(model: Model, ignored: bool) -> Iterator[str]:
    """One sentence on the friction that the description has and the caller ignores."""
    rubbing = [joint.name for joint in model.joints if joint.rubs]
    if rubbing and ignored:
        yield f"damping and friction of {', '.join(rubbing)} are left out, as {option('friction', 'ignore')} says"


def notes_on_locked(joints: Sequence[JointPart | Joint], locked: Mapping[str, float]) -> Iterator[str]:
    """One sentence on the joints that are locked outside their limits."""
    outside = [
        f"{joint.name} (at {locked[joint.name]:g}, limits {joint.limits.lower:g} to {joint.limits.upper:g})"
        for joint in joints
        if joint.name in locked
        and not joint.limits.lower - LIMIT_ROUNDING <= locked[joint.name] <= joint.limits.upper + LIMIT_ROUNDING
    ]
    if outside:
        yield f"locked outside their limits: {listing(outside, SHOWN)}"


def _notes_on_coupling(model: Model, coupling: Coupling) -> Iterator[str]:
    """Notes on numbers of joints that belong to no coordinate."""
    of_several = np.count_nonzero(coupling.matrix, axis=1) > 1
    shared = [joint for joint, several in zip(model.joints, of_several, strict=True) if several]
    limited = [
        joint.name for joint in shared
        if math.isfinite(min(-joint.limits.lower, joint.limits.upper, joint.limits.velocity))
    ]  # fmt: skip
    if limited:
        those = listing(limited, SHOWN)
        yield f"limits of {those}, which several coordinates move, bound no single one; simulations obey them"
    coordinates = {coordinate.name for coordinate in coupling.coordinates}
    weak = [
        joint.name for joint in model.joints if math.isfinite(joint.limits.effort) and joint.name not in coordinates
    ]
    if weak:
        yield f"effort limits of {listing(weak, SHOWN)}, which other coordinates drive, are kept in the joints alone"


def _massless(model: Model) -> list[str]:
    """The coordinates that move neither mass nor rotor."""
    carries = {joint.child: model.link(joint.child).inertia for joint in model.joints}
    massive = {name for name, inertia in carries.items() if inertia.mass or inertia.tensor.any()}
    parent_of = {joint.child: joint.parent for joint in model.joints}
    for link in list(massive):
        while (link := parent_of.get(link, "")) and link not in massive:
            massive.add(link)
    idle = np.array(
        [joint.child not in massive and joint.armature == 0.0 and not joint.rotors for joint in model.joints]
    )
    if model.coupling is None:
        return [joint.name for joint, moves_none in zip(model.joints, idle, strict=True) if moves_none]
    moves_mass = (model.coupling.matrix[~idle] != 0.0).any(axis=0)
    return [c.name for c, moves in zip(model.coupling.coordinates, moves_mass, strict=True) if not moves]
