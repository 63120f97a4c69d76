"""The step of a closed loop's arm under the forces that act on it, held: the state a step later by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.simulation.drivers.time_stepping import time_step
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.loop.loads import NAME as LOADS
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.system.coordinates import parted, stacked
from armdyn.simulation.system.frictional_arm import FrictionalArm
from armdyn.spatial.rotations import Array


def rotors_of(model: Any, values: Mapping[str, Any]) -> dict[str, Array]:
    """theta and thetad of all joints, by name: at rigid joints those of the links, whatever is given."""
    places = flexible_places(model.model)
    pairs = {"theta": "q", "thetad": "qd"}
    return {
        name: parted(stacked(values[of_links], values[name], places), model.dof, places)[1]
        for name, of_links in pairs.items()
    }


def stuck_or_slipped(
    method: FixedStep,
    model: Any,
    acting: Mapping[str, Any],
    *,
    bristles: bool,
    project: bool,
    barriers: Barriers | None = None,
) -> dict[str, Any]:
    """The state a step later if joints stick and slip, hit stops and contacts.

    Args:
        method: of the step.
        model: the traced arm.
        acting: state, forces and h by name.
        bristles: true if friction has a state.
        project: true to project the state onto the constraints of the robot.
        barriers: stops and contacts.
    """
    arm = FrictionalArm(model, acting, bristles=bristles, near=acting.get(LOADS))
    energies = np.array([acting.get("work", 0.0), acting.get("heat", 0.0)], dtype=object)
    x, v, energies, *states = time_step(method, arm, (arm.x, arm.v, energies), acting["h"], barriers)
    x, v = arm.projected(x, v) if project else (x, v)
    stops = 0 if barriers is None else barriers.stops
    pushes = {"stop_force": arm.pushes[:stops], "contact_force": arm.pushes[stops:]}
    return arm.later(x, np.concatenate([v, *states]), *energies) | {LOADS: arm.last_loads} | pushes
