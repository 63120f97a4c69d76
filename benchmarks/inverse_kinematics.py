"""Inverse kinematics of the UR5 to 1e-10, from random starts, beside loops over Pinocchio, Robotics Toolbox and mink.

    taskset -c 0 python -m benchmarks.inverse_kinematics [--poses 10000] [--peer-poses 500] [--json FILE]

Poses of random configurations, so that every one can be reached; one random start each, the same for all libraries; up
to 64 starts of at most 100 iterations. What a library calls solved is not believed: every solution goes through
Pinocchio's forward kinematics, and counts where distance (m) and angle (rad) are both at most 1.01e-10. Libraries
that loop in Python get fewer poses, the first of the same; a library that is not installed is left out.

| library | how |
|---|---|
| armdyn | `robot.inverse_kinematics`, one call |
| pinocchio | a Python loop: damped least squares, log6 and Jlog6, random restarts |
| roboticstoolbox | `ETS.ik_LM`, its C++, called pose by pose; Chan's damping; it draws its restarts itself |
| mink | a Python loop over `solve_ik` with a frame task and DAQP, random restarts |
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import describe

TOLERANCE = 1e-10
STARTS, ITERATIONS = 64, 100
Array = np.ndarray[Any, Any]
Solver = Callable[[Array, Array], Array]
"""From poses (N, 4, 4) and starts (N, 6) to configurations (N, 6)."""


@dataclass(frozen=True)
class Outcome:
    """What one library made of the poses."""

    library: str
    poses: int
    solved: int
    seconds: float
    worst_distance: float
    worst_angle: float

    @property
    def microseconds(self) -> float:
        """Per pose."""
        return 1e6 * self.seconds / self.poses


def urdf() -> Path:
    return Path(str(resources.files("armdyn.robots") / "ur5.urdf"))


def problems(count: int) -> tuple[Array, Array]:
    """Poses that can be reached, and starts; joint angles from -pi to pi, fixed seed."""
    import armdyn

    rng = np.random.default_rng(20240501)
    q, q0 = rng.uniform(-np.pi, np.pi, (2, count, 6))
    return armdyn.load("ur5").forward_kinematics(q), q0


def restarts() -> Iterator[Array]:
    rng = np.random.default_rng(0)
    while True:
        yield rng.uniform(-np.pi, np.pi, 6)


def with_restarts(solve: Callable[[Array, Array], Array | None]) -> Solver:
    """Call ``solve`` on pose and start until it says it is there."""

    def all_poses(poses: Array, starts: Array) -> Array:
        found = np.full(starts.shape, np.nan)
        for k, (T, q0) in enumerate(zip(poses, starts, strict=True)):
            for _, q in zip(range(STARTS), _chain(q0, restarts()), strict=False):
                solution = solve(T, q)
                if solution is not None:
                    found[k] = solution
                    break
        return found

    return all_poses


def _chain(first: Array, rest: Iterator[Array]) -> Iterator[Array]:
    yield first
    yield from rest


def armdyn_solver() -> Solver:
    import armdyn

    robot = armdyn.load("ur5")
    return lambda poses, starts: robot.inverse_kinematics(poses, starts, starts=STARTS, iterations=ITERATIONS).q


def pinocchio_solver() -> Solver:
    """The loop of Pinocchio's own example of inverse kinematics, with damping that falls with the error."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(urdf()))
    data, frame = model.createData(), model.getFrameId("tool0")

    def solve(T: Array, q: Array) -> Array | None:
        goal, eye = pin.SE3(T), np.eye(6)
        for _ in range(ITERATIONS):
            pin.framesForwardKinematics(model, data, q)
            difference = data.oMf[frame].actInv(goal)
            error = pin.log6(difference).vector
            if max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:])) < 0.9 * TOLERANCE:
                return np.asarray(q)
            J = -pin.Jlog6(difference.inverse()) @ pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
            damping = 0.1 * (error @ error) + 1e-14
            q = q - J.T @ np.linalg.solve(J @ J.T + damping * eye, error)
        return None

    return with_restarts(solve)


def toolbox_solver() -> Solver:
    """Robotics Toolbox has its own joint-by-joint description; here it is made from the same numbers."""
    from roboticstoolbox import ET, ETS

    import armdyn

    robot = armdyn.load("ur5")
    steps = []
    for joint in robot.joints:
        axis = "xyz"[int(np.argmax(joint.axis))]
        assert np.array_equal(joint.axis, np.eye(3)["xyz".index(axis)])
        steps += [ET.SE3(np.array(joint.placement)), {"x": ET.Rx, "y": ET.Ry, "z": ET.Rz}[axis]()]
    steps.append(ET.SE3(np.array(robot.model.frame("tool0").pose)))
    chain = ETS(steps)
    tolerance = 0.5 * (0.9 * TOLERANCE) ** 2  # it compares e.e / 2

    def all_poses(poses: Array, starts: Array) -> Array:
        found = np.full(starts.shape, np.nan)
        for k, (T, q0) in enumerate(zip(poses, starts, strict=True)):
            one = chain.ik_LM(T, q0=q0, ilimit=ITERATIONS, slimit=STARTS, tol=tolerance, joint_limits=False)
            if one.success:
                found[k] = one.q
        return found

    return all_poses


def mink_solver() -> Solver:
    import mink
    import mujoco

    text = urdf().read_text(encoding="utf-8")
    compiler = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(text.replace("<link name=", compiler + "<link name=", 1))
    task = mink.FrameTask("tool0", "body", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-3)

    def solve(T: Array, q: Array) -> Array | None:
        configuration = mink.Configuration(model, q=q)
        task.set_target(mink.SE3.from_matrix(T))
        for _ in range(ITERATIONS):
            error = task.compute_error(configuration)
            if max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:])) < 0.9 * TOLERANCE:
                return np.asarray(configuration.q).copy()
            velocity = mink.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-14, limits=[])
            configuration.integrate_inplace(velocity, 1.0)
        return None

    return with_restarts(solve)


def verified(q: Array, poses: Array) -> tuple[Array, Array]:
    """Distance and angle left, by Pinocchio's forward kinematics; infinite where nothing was found."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(urdf()))
    data, frame = model.createData(), model.getFrameId("tool0")
    left = np.full((len(q), 2), np.inf)
    for k in np.flatnonzero(np.isfinite(q).all(axis=1)):
        pin.framesForwardKinematics(model, data, q[k])
        at = data.oMf[frame]
        turn = pin.log3(poses[k, :3, :3] @ at.rotation.T)
        left[k] = np.linalg.norm(at.translation - poses[k, :3, 3]), np.linalg.norm(turn)
    return left[:, 0], left[:, 1]


def measured(library: str, solver: Solver, poses: Array, starts: Array) -> Outcome:
    """One untimed call on a few poses, which also compiles, then the timed one."""
    solver(poses[:2], starts[:2])
    begin = time.perf_counter()
    q = solver(poses, starts)
    seconds = time.perf_counter() - begin
    distance, angle = verified(q, poses)
    good = np.maximum(distance, angle) <= 1.01 * TOLERANCE
    worst = (float(x[good].max()) if good.any() else float("nan") for x in (distance, angle))
    return Outcome(library, len(poses), int(good.sum()), seconds, *worst)


LIBRARIES = {
    "armdyn": armdyn_solver,
    "pinocchio": pinocchio_solver,
    "roboticstoolbox": toolbox_solver,
    "mink": mink_solver,
}


def main() -> None:
    """Measure, and print a row for each library."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--peer-poses", type=int, default=500)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    poses, starts = problems(options.poses)
    outcomes = []
    print(f"{'library':>16} {'poses':>6} {'solved':>7} {'share':>8} {'time a pose':>12}  worst of the solved")
    for library, make in LIBRARIES.items():
        try:
            solver = make()
        except ImportError as error:
            print(f"{library:>16} left out: {error}")
            continue
        count = options.poses if library == "armdyn" else min(options.poses, options.peer_poses)
        one = measured(library, solver, poses[:count], starts[:count])
        outcomes.append(one)
        print(
            f"{library:>16} {one.poses:6} {one.solved:7} {one.solved / one.poses:8.2%} {one.microseconds:9.1f} us  "
            f"{one.worst_distance:.1e} m, {one.worst_angle:.1e} rad"
        )
    if options.json:
        rows = [asdict(one) | {"microseconds": one.microseconds} for one in outcomes]
        options.json.write_text(json.dumps({"machine": describe(), "outcomes": rows}, indent=1))


if __name__ == "__main__":
    main()
