"""The 2R arm whose tip runs in a frictionless channel at x = 1 (Modern Robotics, example 8.5), in motion.

Without torques and gravity its kinetic energy stays what it was, and so does x. Printed: the book's numbers at the
start, and how far each method drifts from the channel and from the energy in ten seconds. Run it with
``python examples/channel.py``.
"""

import numpy as np

import armdyn
from armdyn.simulation import Adaptive, Constraints, RungeKutta4, SaveAt

THETA, THETADOT = np.array([-np.pi / 3, 2 * np.pi / 3]), np.array([1.0, 0.0])


def arm() -> armdyn.Robot:
    """The arm of figure 8.7: lengths 1 m, point masses of 1 kg, no gravity."""
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    return armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)


def main(duration: float = 10.0) -> dict[tuple[str, bool], armdyn.Trajectory]:
    """Simulate by two methods, with and without putting each step back onto the channel."""
    robot = arm()
    start = robot.constrained_forward_dynamics(THETA, THETADOT, [0.0, 0.0])
    print(f"at the start: lambda = {start.multipliers[0]:.3f} N, thetadd = {start.qdd.round(3)} rad/s^2")

    motions = {}
    print(f"{'':30}  {'x - 1, m':>9}  {'energy, J':>9}  largest in {duration:g} s")
    for name, method in (("adaptive", Adaptive()), ("rk4", RungeKutta4(step=1e-2))):
        for project in (False, True):
            motion = armdyn.simulate(
                robot,
                THETA,
                THETADOT,
                duration=duration,
                method=method,
                save=SaveAt(every=0.01),
                elements=[Constraints(project=project)],
            )
            away = np.abs(robot.constraint_error(motion.q)).max()
            what = f"{name}{', projected' if project else ''}"
            print(f"{what:30}  {away:9.1e}  {np.abs(motion.energy.drift).max():9.1e}")
            motions[name, project] = motion

    forces = robot.constrained_forward_dynamics(motion.q, motion.qd, np.zeros(2)).multipliers[:, 0]
    print(f"lambda, the force of the tip on the channel along x, goes from {forces.min():.3f} to {forces.max():.3f} N")
    y = np.sin(motion.q[:, 0]) + np.sin(motion.q.sum(axis=1))
    print(f"the tip runs from y = {y.min():.3f} to {y.max():.3f} m")
    return motions


if __name__ == "__main__":
    main()
