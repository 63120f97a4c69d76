"""The fastest motion of a UR5 with 5 kg from rest to rest within its torques and speeds, by CasADi and IPOPT.

Accelerations are linear in time between knots, so positions and velocities follow exactly, and torques are inverse
dynamics at the knots and in the middle between them. Unknown are the states and accelerations at the knots and the
duration. armdyn's inverse dynamics is a CasADi function of SX, so IPOPT gets exact first and second derivatives.
The result is compared with the fastest timing of the straight line in joint space (TOPP-RA).
Run it with ``python examples/time_optimal_reach.py``, or with ``reach.png`` behind it for a picture.
"""

import sys
import time

import casadi as ca
import numpy as np
from matplotlib.figure import Figure
from scipy.interpolate import PPoly

import armdyn
from armdyn.trajectory import ConstantVelocity, JointPath, PointToPoint, SplinePath, fastest_along

INTERVALS = 60
EFFORT = 0.02
"""The weight of the mean squared torques, in shares of their limits: joints that have time to spare move smoothly."""
START, END = np.radians([[-35, -15, 10, -60, -90, 0], [40, -120, 110, -90, -60, 40]])
"""rad, of the six joints: from low and stretched out on one side to high and folded on the other."""


def loaded_robot() -> armdyn.Robot:
    """The UR5 with the most it may carry at its flange, as a ball."""
    return armdyn.load("ur5").with_payload(armdyn.inertia.sphere(0.08, mass=5.0), "tool0")


def fastest_reach(robot: armdyn.Robot) -> SplinePath:
    """The fastest motion from START to END within the description's limits of torque and velocity."""
    n, N = robot.dof, INTERVALS
    limits = [joint.limits for joint in robot.model.joints]
    torque_limits, speed_limits = ca.DM([one.effort for one in limits]), ca.DM([one.velocity for one in limits])
    inverse_dynamics = robot.inverse_dynamics.to_casadi()

    opti = ca.Opti()
    T = opti.variable()
    q, qd, qdd = opti.variable(n, N + 1), opti.variable(n, N + 1), opti.variable(n, N + 1)
    h = T / N
    opti.subject_to(T > 0.1)
    # The acceleration is linear from knot to knot: its integrals are exact.
    a, b = qdd[:, :-1], qdd[:, 1:]
    opti.subject_to(qd[:, 1:] == qd[:, :-1] + h * (a + b) / 2)
    opti.subject_to(q[:, 1:] == q[:, :-1] + h * qd[:, :-1] + h**2 * (2 * a + b) / 6)
    middle = (
        q[:, :-1] + h / 2 * qd[:, :-1] + h**2 * (5 * a + b) / 48,
        qd[:, :-1] + h * (3 * a + b) / 8,
        (a + b) / 2,
    )
    effort = 0
    for states, count in (((q, qd, qdd), N + 1), (middle, N)):
        torque = inverse_dynamics.map(count)(*states) / ca.repmat(torque_limits, 1, count)
        velocity = states[1] / ca.repmat(speed_limits, 1, count)
        opti.subject_to(opti.bounded(-1, ca.vec(torque), 1))
        opti.subject_to(opti.bounded(-1, ca.vec(velocity), 1))
        effort += ca.sumsqr(torque) / (2 * N + 1)
    opti.minimize(T * (1 + EFFORT * effort))
    for place, where in ((0, START), (N, END)):
        opti.subject_to(q[:, place] == where)
        opti.subject_to(qd[:, place] == 0)

    # Begin at a slow motion along the straight line, of a fifth-degree polynomial.
    slow = PointToPoint(START, END, armdyn.trajectory.Quintic(1.0, 3.0)).evaluate(np.linspace(0, 3, N + 1))
    for variable, value in ((T, 3.0), (q, slow.q.T), (qd, slow.qd.T), (qdd, slow.qdd.T)):
        opti.set_initial(variable, value)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-6})
    solution = opti.solve()
    q, qd, qdd, h = (solution.value(x) for x in (q, qd, qdd, h))
    jerk = np.diff(qdd) / h
    coefficients = np.stack([jerk / 6, qdd[:, :-1] / 2, qd[:, :-1], q[:, :-1]])  # of the powers of t, (4, n, N)
    return SplinePath(PPoly(np.moveaxis(coefficients, 1, 2), h * np.arange(N + 1)))


def loads(robot: armdyn.Robot, path: JointPath) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, s, torques and velocities as shares of their limits, at 2001 times, (2001, n)."""
    t, states = path.sampled(2001)
    limits = [joint.limits for joint in robot.model.joints]
    tau = robot.inverse_dynamics(*states)
    return t, tau / [limit.effort for limit in limits], states.qd / [limit.velocity for limit in limits]


def draw(robot: armdyn.Robot, path: JointPath, file: str) -> None:
    """Torques and velocities over time, as shares of their limits."""
    t, torques, speeds = loads(robot, path)
    figure = Figure(figsize=(8, 6), layout="constrained")
    panels = zip(figure.subplots(2, 1, sharex=True), (torques, speeds), ("torque", "velocity"), strict=True)
    for axes, shares, what in panels:
        axes.plot(t, shares, label=robot.joint_names)
        axes.axhline(1, color="black", linewidth=0.8, linestyle="--")
        axes.axhline(-1, color="black", linewidth=0.8, linestyle="--")
        axes.set_ylabel(f"{what} / limit")
    axes.set_xlabel("t, s")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize="small")
    figure.savefig(file, dpi=120)


def main(picture: str | None = None) -> tuple[SplinePath, JointPath]:
    """Find the motion, compare it with the straight line's, say how near to the limits it is."""
    robot = loaded_robot()
    line = fastest_along(robot, PointToPoint(START, END, ConstantVelocity(1.0, 1.0)))
    begin = time.perf_counter()
    path = fastest_reach(robot)
    print(f"solved in {time.perf_counter() - begin:.1f} s")
    print(f"straight line in joint space: {line.duration:.3f} s; any path: {path.duration:.3f} s")
    _, torques, speeds = loads(robot, path)
    print(f"largest torque {np.abs(torques).max():.3f}, velocity {np.abs(speeds).max():.3f} of their limits")
    if picture is not None:
        draw(robot, path, picture)
    return path, line


if __name__ == "__main__":
    main(*sys.argv[1:2])
