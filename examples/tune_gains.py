"""Gradient descent on the gains of a controller, through a thousand steps of the arm's motion.

A UR5 is to reach a posture. The cost is the integral of the squared error and a little of the squared torque; its
gradient with respect to the twelve gains comes from one run forward and one adjoint run backward.

Run it with ``python examples/tune_gains.py``.
"""

import numpy as np
from rich.console import Console
from rich.table import Table

import armdyn

STEPS, STEP = 1000, 1e-3
TARGET = np.array([0.6, -1.2, 1.0, -0.8, 0.5, 0.3])
RATE = 0.6


@armdyn.function("(n),(n),(n),(n),(n)->(n)")
def servo(model, q, qd, q_ref, log_Kp, log_Kd):
    """PD control with gravity compensation; the gains are positive, for their logarithms are tuned."""
    return armdyn.algorithms.gravity_forces(model, q) + np.exp(log_Kp) * (q_ref - q) - np.exp(log_Kd) * qd


@armdyn.function("(n),(n),(n)->()")
def running_cost(model, q, tau, q_ref):
    """Cost a second: squared error, and a little of the squared torque, rad^2 and (N m)^2."""
    return (q - q_ref) @ (q - q_ref) + 1e-6 * (tau @ tau)


@armdyn.function("()->()")
def total(model, cost):
    """What has been summed up."""
    return cost


def main(iterations: int = 40) -> list[float]:
    """Tune, and print the cost and the gains."""
    console, robot = Console(), armdyn.load("ur5")
    loop = armdyn.ClosedLoop(robot, servo, running_cost=running_cost)
    log_Kp, log_Kd = np.log(np.full(6, 30.0)), np.log(np.full(6, 1.0))
    costs = []
    for _ in range(iterations):
        found = loop.gradient(
            total, ["log_Kp", "log_Kd"], np.zeros(6),
            steps=STEPS, h=STEP, q_ref=TARGET, log_Kp=log_Kp, log_Kd=log_Kd,
        )  # fmt: skip
        costs.append(float(found.cost))
        scale = max(np.abs(found.d_log_Kp).max(), np.abs(found.d_log_Kd).max())
        log_Kp, log_Kd = log_Kp - RATE * found.d_log_Kp / scale, log_Kd - RATE * found.d_log_Kd / scale
        if len(costs) > 1 and costs[-1] > costs[-2]:  # too far
            break
    table = Table("joint", "Kp, N m/rad", "Kd, N m s/rad", title=f"cost {costs[0]:.4f} -> {min(costs):.4f}")
    for name, Kp, Kd in zip(robot.joint_names, np.exp(log_Kp), np.exp(log_Kd), strict=True):
        table.add_row(name, f"{Kp:.1f}", f"{Kd:.2f}")
    console.print(table)
    return costs


if __name__ == "__main__":
    main()
