"""A thousand arms, each with a payload it does not know of, and how far each ends from where it should be.

The controller compensates the gravity of the bare arm. Mass and place of the payload are inputs of the compiled loop,
so that one kernel moves all arms, each with its own.

Run it with ``python examples/payload_study.py``.
"""

import numpy as np
from rich.console import Console
from rich.table import Table

import armdyn

ARMS, STEPS = 1000, 3000
TARGET = np.array([0.6, -1.2, 1.0, -0.8, 0.5, 0.3])


def controller(robot):
    """PD control with the gravity compensation of ``robot``, whatever it carries."""
    bare = robot.mechanism

    @armdyn.function("(n),(n),(n),(n),(n)->(n)")
    def pd_of_the_bare_arm(model, q, qd, target, kp, kd):
        return armdyn.algorithms.gravity_forces(bare, q) + kp * (target - q) - kd * qd

    return pd_of_the_bare_arm


def main() -> np.ndarray:
    """Move all arms, and print the error of the tip over the payload."""
    robot = armdyn.load("ur5")
    loop = armdyn.ClosedLoop(
        robot, controller(robot), record=[], parameters=["tool0.payload.mass", "tool0.payload.com"]
    )
    rng = np.random.default_rng(0)
    masses = rng.uniform(0.0, 5.0, ARMS)
    rolled = loop(
        np.tile(TARGET, (ARMS, 1)), steps=STEPS, workers=-1,
        target=TARGET, kp=np.array([800.0, 800, 500, 100, 60, 30]), kd=np.array([80.0, 80, 50, 8, 5, 2]),
        tool0_payload_mass=masses, tool0_payload_com=rng.normal(0.0, 0.05, (ARMS, 3)),
    )  # fmt: skip
    reached = robot.forward_kinematics(rolled.final.q)[:, :3, 3]
    errors = np.linalg.norm(reached - robot.forward_kinematics(TARGET)[:3, 3], axis=1)
    table = Table("payload, kg", "arms", "median, mm", "worst, mm", title="Error of the tip after 3 s")
    for low in range(5):
        inside = (masses >= low) & (masses < low + 1)
        numbers = 1e3 * errors[inside]
        table.add_row(f"{low} to {low + 1}", str(inside.sum()), f"{np.median(numbers):.1f}", f"{numbers.max():.1f}")
    Console().print(table)
    return errors


if __name__ == "__main__":
    main()
