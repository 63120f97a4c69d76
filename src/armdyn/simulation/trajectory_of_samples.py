"""The trajectory of the states that a simulation kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.motion.labels import Labels, of_robot
from armdyn.motion.motion_data import MotionData, Statistics
from armdyn.motion.trajectory import Trajectory
from armdyn.robot import Robot
from armdyn.simulation.elements.bristles import bristle_labels
from armdyn.simulation.elements.own import labels_of_states
from armdyn.simulation.methods.catalogue import Method
from armdyn.simulation.notes import notes_on
from armdyn.simulation.samples import ELEMENTS, Samples
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array


def _labels(robot: Robot, signals: Mapping[str, Array], samples: Samples) -> Labels:
    """Names and units of the values of signals, if they are known."""
    if not signals:
        return {}
    known = samples.labels | of_robot(robot, {name: values.shape[-1] for name, values in signals.items()})
    known |= {"bristles": bristle_labels(robot.model), ELEMENTS: labels_of_states(robot.model)}
    return {name: known[name] for name in signals if name in known}


def made_trajectory(system: System, method: Method, samples: Samples, wall_time: float) -> Trajectory:
    """The trajectory of the samples; accelerations, energies and notes are computed when they are first read."""
    robot, (tau, *wrench) = system.robot, samples.forces

    def results(_: MotionData) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            qdd, energy, signals = system.results(samples)
        return {"qdd": qdd, "energy": energy, "signals": signals, "signal_labels": _labels(robot, signals, samples)}

    def notes(motion: MotionData) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            return {"notes": notes_on(robot, method, samples, motion.energy)}

    return Trajectory.with_deferred(
        {("qdd", "energy", "signals", "signal_labels"): results, ("notes",): notes},
        robot=robot.name,
        joint_names=robot.joint_names,
        joint_kinds=tuple(joint.kind for joint in robot.joints),
        t=samples.t,
        q=samples.q,
        qd=samples.qd,
        tau=tau,
        f_tip=wrench[0] if wrench else None,
        statistics=Statistics(str(method), samples.effort.steps, samples.effort.evaluations, wall_time),
        dense=samples.dense or None,
        events=tuple(samples.events),
        limits=tuple(joint.limits for joint in robot.joints),
    )
