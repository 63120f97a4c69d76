"""Task-space dynamics from Pinocchio's M^-1, Jacobians, accelerations and forces, by dense algebra alone."""

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from armdyn.task_space import TaskComponents, compiled_task
from oracles.cases import ANGULAR_FIRST, Case

COMPONENTS = ("wx", "wy", "wz", "vx", "vy", "vz")
WAYS = {
    "body": pin.ReferenceFrame.LOCAL,
    "space": pin.ReferenceFrame.WORLD,
    "world": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


class Expected(NamedTuple):
    Lambda: np.ndarray
    eta: np.ndarray
    mu: np.ndarray
    p: np.ndarray
    J: np.ndarray
    Jdot_qd: np.ndarray
    Jbar: np.ndarray
    N: np.ndarray
    mobility: np.ndarray


def rows_of(components) -> np.ndarray:
    return np.array([np.eye(6)[COMPONENTS.index(c)] if isinstance(c, str) else c for c in components])


def model_with_point(case: Case, frame: str, point) -> tuple[pin.Model, int]:
    """Pinocchio's model with one more frame, at a point of a frame."""
    model = case.pin.copy()
    at = model.frames[model.getFrameId(frame)]
    placement = at.placement * pin.SE3(np.eye(3), np.array(point))
    index = model.addFrame(pin.Frame("at the point", at.parentJoint, 0, placement, pin.FrameType.OP_FRAME))
    return model, index


def jacobian(case: Case, q, frame, point, components, way) -> np.ndarray:
    """The task's rows, of Pinocchio's frame Jacobian."""
    model, index = model_with_point(case, frame, point)
    full = pin.computeFrameJacobian(model, model.createData(), case.pin_q(q), index, WAYS[way])
    return rows_of(components) @ case.from_pin(full)[ANGULAR_FIRST]


def inverse_mass_matrix(case: Case, q) -> np.ndarray:
    """M^-1 of Pinocchio's M, by way of ones on the diagonal: a light finger on a heavy arm costs no digits then."""
    M = case.mass_matrix(q)
    scale = 1.0 / np.sqrt(np.diagonal(M))
    return scale[:, None] * np.linalg.inv(scale[:, None] * M * scale) * scale


def task_space(case: Case, q, qd, frame, point, components, way) -> Expected:
    """Of one state; by MR 8.90, 8.91 in Khatib's form for any number of joints."""
    model, index = model_with_point(case, frame, point)
    data, S = model.createData(), rows_of(components)
    at, rate = case.pin_q(q), case.to_pin(qd)
    pin.forwardKinematics(model, data, at, rate, np.zeros(model.nv))
    pin.updateFramePlacements(model, data)
    J = jacobian(case, q, frame, point, components, way)
    acceleration = pin.getFrameClassicalAcceleration if way == "world" else pin.getFrameAcceleration
    drift = S @ acceleration(model, data, index, WAYS[way]).vector[ANGULAR_FIRST]
    Minv = inverse_mass_matrix(case, q)
    h = case.from_pin(pin.nonLinearEffects(model, data, at, rate))
    g = case.from_pin(pin.computeGeneralizedGravity(model, data, at))
    mobility = J @ Minv @ J.T
    Lambda = np.linalg.inv(mobility)
    Jbar = Minv @ J.T @ Lambda
    mu, p = Jbar.T @ (h - g) - Lambda @ drift, Jbar.T @ g
    return Expected(Lambda, mu + p, mu, p, J, drift, Jbar, np.eye(case.n) - J.T @ Jbar.T, mobility)


def compiled(robot, **options):
    """The task's compiled function, without the check for singularities; the one `Robot.task_space` uses."""
    return compiled_task(robot, TaskComponents(**options)).function


def well_conditioned(robot, q, qd, count: int, **options):
    """The states in which rounding is blown up the least."""
    with np.errstate(all="ignore"):
        condition = condition_of(compiled(robot, **options)(q, qd).mobility)
    kept = np.argsort(condition)[:count]
    assert condition[kept].max() < 1e6
    return q[kept], qd[kept]


def condition_of(mobility: np.ndarray) -> np.ndarray:
    """Of Lambda^-1, in units in which it has ones on the diagonal; infinite where it has zeros there."""
    scale = np.sqrt(np.diagonal(mobility, axis1=1, axis2=2))
    correlation = mobility / (scale[:, :, None] * scale[:, None, :])
    return np.linalg.cond(np.where(np.isfinite(correlation), correlation, 0.0))


def known_to(task) -> float:
    """What Lambda is known to, relatively, where that is less than 1e-12."""
    return max(1e-12, 1e-15 * float(condition_of(task.mobility).max()))
