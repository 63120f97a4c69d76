"""A UR5 draws a straight line with its tool pointing down: joint positions, rates, accelerations and torques.

Run it with ``python examples/reach.py``.
"""

import numpy as np

import armdyn
from armdyn.kinematics import Pointing, Position


def line(start: np.ndarray, end: np.ndarray, duration: float, steps: int) -> tuple[np.ndarray, ...]:
    """Times, places, velocities and accelerations from rest to rest, by a polynomial of fifth degree."""
    t = np.linspace(0.0, duration, steps)
    s = (t / duration)[:, None]
    way = end - start
    p = start + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
    v = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
    a = way * (60 * s - 180 * s**2 + 120 * s**3) / duration**2
    return t, p, v, a


def main() -> None:
    """Inverse kinematics for the first point, then for all, each from where the last one was; then its derivatives."""
    robot = armdyn.load("ur5")
    t, p, v, a = line(np.array([0.35, -0.3, 0.1]), np.array([0.45, 0.35, 0.25]), duration=2.0, steps=201)

    # Where to begin: the tool down, turned as it likes, as near as possible to a comfortable elbow-up posture.
    down = [Position(p[0]), Pointing([0, 0, -1], axis="z")]
    first = robot.inverse_kinematics(down, [0, -1.2, 1.6, -2.0, -1.57, 0], choose="nearest").required()

    # From there on with the orientation kept, so that the path is one of poses.
    T = np.tile(robot.forward_kinematics(first), (len(t), 1, 1))
    T[:, :3, 3] = p
    q = np.empty((len(t), robot.dof))
    q[0] = first
    for k in range(1, len(t)):
        q[k] = robot.inverse_kinematics(T[k], q[k - 1], starts=1).required()

    still = np.zeros_like(v)
    rates = robot.joint_rates(q, np.hstack([still, v]), expressed_in="world")
    qd = rates.values
    qdd = robot.joint_accelerations(q, qd, np.hstack([still, a]), expressed_in="world").values
    tau = robot.inverse_dynamics(q, qd, qdd)

    off = np.abs(robot.forward_kinematics(q) - T).max()
    print(f"{len(t)} poses along {np.linalg.norm(p[-1] - p[0]):.3f} m in {t[-1]:g} s, none off by more than {off:.1e}")
    middle = len(t) // 2
    print(f"worst condition {rates.condition.max():.3g}; halfway: {rates.statement(middle)}")
    print(f"{'joint':>22}  {'from':>7}  {'to':>7} rad  {'rate':>6} rad/s  {'torque':>6} N m at most")
    for name, x, xd, force in zip(robot.joint_names, q.T, qd.T, tau.T, strict=True):
        print(f"{name:>22}  {x[0]:7.3f}  {x[-1]:7.3f}      {abs(xd).max():6.3f}        {abs(force).max():6.2f}")

    beyond = robot.inverse_kinematics([0.9, 0.9, 0.3])
    print(f"and farther out? {beyond.reason()}")


if __name__ == "__main__":
    main()
