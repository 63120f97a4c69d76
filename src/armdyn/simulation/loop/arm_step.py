"""The step of a closed loop's arm under the forces that act on it, held: the state a step later by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.constraints.projection import projected
from armdyn.simulation.flexible.sliding_arm import SlidingFlexibleArm
from armdyn.simulation.flexible.state import HeldFlexible, flexible_step
from armdyn.simulation.integration.held_step import held_step
from armdyn.simulation.loop.loads import NAME as LOADS
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.sticking.bent_step import bent_step
from armdyn.simulation.sticking.bristles import NAME as BRISTLES
from armdyn.simulation.sticking.bristles import Bent
from armdyn.simulation.sticking.projected_rows import projected_at_rest
from armdyn.simulation.sticking.rows_step import ArmOfRows, by_rows, rows_step
from armdyn.simulation.sticking.sliding_arm import SlidingArm
from armdyn.simulation.sticking.stick_slip import stick_slip_step
from armdyn.simulation.system.coordinates import parted, stacked
from armdyn.spatial.rotations import Array


def moved(method: FixedStep, model: Any, acting: Mapping[str, Any], *, bristles: bool, project: bool) -> dict[str, Any]:
    """Of rigid joints that do not stick; ``project``: onto the constraints of the robot."""
    names = ("q", "qd", *([BRISTLES] if bristles else []), "work", *method.scheme.memory)
    state, given = tuple(acting.get(name, 0.0) for name in names), (acting["h"], acting["tau"], acting["f_tip"])
    later = bent_step(method, model, state, *given) if bristles else held_step(method.scheme)(model, *state, *given)
    later = (*projected(model, *later[:2]), *later[2:]) if project else later
    return dict(zip(names, later, strict=True))


def rotors_of(model: Any, values: Mapping[str, Any]) -> dict[str, Array]:
    """theta and thetad of all joints, by name: at rigid joints those of the links, whatever is given."""
    places = flexible_places(model.model)
    pairs = {"theta": "q", "thetad": "qd"}
    return {
        name: parted(stacked(values[of_links], values[name], places), model.dof, places)[1]
        for name, of_links in pairs.items()
    }


class Before:
    """The state of an arm when a step begins, in which rotors of rigid joints are where their links are.

    Args:
        model: the traced arm.
        acting: its state by name.
        bristles: whether it has the state of friction.
    """

    def __init__(self, model: Any, acting: Mapping[str, Any], *, bristles: bool) -> None:
        self.dof, self.places = model.dof, flexible_places(model.model)
        q, qd = acting["q"], acting["qd"]
        self.x = stacked(q, acting.get("theta", q), self.places)
        self.xd = stacked(qd, acting.get("thetad", qd), self.places)
        self.bent = Bent(model, *self._rotors(self.x, self.xd), acting[BRISTLES]) if bristles else None
        self.arm = model if self.bent is None else self.bent.laws.bare
        """Without the friction whose state bends."""

    def later(self, x: Array, xd: Array, energies: Array) -> dict[str, Any]:
        """The state a step later by name, of work and heat what they are without the friction that bends."""
        theta, thetad = self._rotors(x, xd)
        found = {"q": x[: self.dof], "qd": xd[: self.dof], "theta": theta, "thetad": thetad}
        stored = 0.0 if self.bent is None else self.bent.stored(theta, thetad)
        found |= {} if self.bent is None else {BRISTLES: self.bent.path.bent(theta, thetad)}
        return found | {"work": energies[0] + stored, "heat": energies[1] - stored}

    def _rotors(self, x: Array, xd: Array) -> tuple[Array, Array]:
        """theta and thetad of all joints."""
        return parted(x, self.dof, self.places)[1], parted(xd, self.dof, self.places)[1]


def moved_on_springs(
    method: FixedStep, model: Any, acting: Mapping[str, Any], *, bristles: bool, project: bool
) -> dict[str, Any]:
    """Of flexible joints that do not stick; ``project``: the links onto the constraints of the robot."""
    before = Before(model, acting, bristles=bristles)
    f = HeldFlexible(before.arm, acting["tau"], acting["f_tip"], before.bent)
    x, xd, work = flexible_step(method, f, (before.x, before.xd, acting.get("work", 0.0)), acting["h"])
    if project:
        q, qd = projected(model, x[: before.dof], xd[: before.dof])
        x, xd = np.array([*q, *x[before.dof :]]), np.array([*qd, *xd[before.dof :]])
    return before.later(x, xd, np.array([work, 0.0], dtype=object))


def stuck_or_slipped(
    method: FixedStep, model: Any, acting: Mapping[str, Any], *, bristles: bool, project: bool
) -> dict[str, Any]:
    """Of joints that stick and slip; ``project``: onto the constraints of the robot."""
    before = Before(model, acting, bristles=bristles)
    energies = np.array([acting.get("work", 0.0), acting.get("heat", 0.0)], dtype=object)
    if by_rows(model):
        rows = ArmOfRows(before.arm, before.xd, acting["tau"], acting["f_tip"], before.bent)
        q, qd, energies = rows_step(method, rows, (before.x, before.xd, energies), acting["h"])
        if project:
            q, qd = projected_at_rest(model, rows.rows, q, qd)
        return before.later(q, qd, energies)
    kind = SlidingFlexibleArm if before.places else SlidingArm
    arm = kind(before.arm, before.xd, acting["tau"], acting["f_tip"], before.bent, acting.get(LOADS))
    later, loads = stick_slip_step(method, arm, (before.x, before.xd, energies), acting["h"])
    return before.later(*later) | {LOADS: loads}
