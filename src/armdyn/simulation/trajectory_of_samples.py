"""The trajectory of the states that a simulation kept."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armdyn.robot import Robot
from armdyn.simulation.elements.bristles import bristle_labels
from armdyn.simulation.files.labels import Labels, of_robot
from armdyn.simulation.methods.catalogue import Method
from armdyn.simulation.notes import notes_on
from armdyn.simulation.results.motion_data import Statistics
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.results.trajectory import Trajectory
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array


def _labels(robot: Robot, signals: Mapping[str, Array], samples: Samples) -> Labels:
    """Names and units of the values of signals, if they are known."""
    if not signals:
        return {}
    known = samples.labels | of_robot(robot, {name: values.shape[-1] for name, values in signals.items()})
    known["bristles"] = bristle_labels(robot.model)
    return {name: known[name] for name in signals if name in known}


def made_trajectory(system: System, method: Method, samples: Samples, wall_time: float) -> Trajectory:
    """The trajectory of the samples; accelerations and energies are computed in one call each."""
    robot, t, q, qd, (tau, *wrench) = system.robot, samples.t, samples.q, samples.qd, samples.forces
    with np.errstate(all="ignore"):
        qdd, energy, signals = system.results(samples)
        notes = notes_on(robot, method, samples, energy)
    return Trajectory(
        robot=robot.name,
        joint_names=robot.joint_names,
        joint_kinds=tuple(joint.kind for joint in robot.joints),
        t=t,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=tau,
        f_tip=wrench[0] if wrench else None,
        energy=energy,
        statistics=Statistics(str(method), samples.effort.steps, samples.effort.evaluations, wall_time),
        notes=notes,
        dense=samples.dense or None,
        signals=signals,
        events=tuple(samples.events),
        signal_labels=_labels(robot, signals, samples),
        limits=tuple(joint.limits for joint in robot.joints),
    )
