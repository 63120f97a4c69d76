"""A thousand arms, each with a payload it does not know of, and how far each ends from where it should be.

The controller compensates the gravity of the bare arm. Mass and place of the payload are drawn at random; both are
inputs of one compiled loop, which moves all arms. With a folder, a study that was interrupted goes on where it stopped.

Run it with ``python examples/payload_study.py``.
"""

import numpy as np
from rich.console import Console
from rich.table import Table

import armdyn
from armdyn.studies import Normal, Uniform, sampled

ARMS, STEPS = 1000, 3000
TARGET = np.array([0.6, -1.2, 1.0, -0.8, 0.5, 0.3])


def controller(robot):
    """PD control with the gravity compensation of ``robot``, whatever it carries."""
    bare = robot.mechanism

    @armdyn.function("(n),(n),(n),(n),(n)->(n)")
    def pd_of_the_bare_arm(model, q, qd, q_ref, Kp, Kd):
        return armdyn.algorithms.gravity_forces(bare, q) + Kp * (q_ref - q) - Kd * qd

    return pd_of_the_bare_arm


def tip_error(runs):
    """Distance of the tip from where it should be, m, shape (runs)."""
    reached = runs.robot.forward_kinematics(runs.final.q)[:, :3, 3]
    return np.linalg.norm(reached - runs.robot.forward_kinematics(TARGET)[:3, 3], axis=1)


def main(folder=None) -> armdyn.studies.Results:
    """Move all arms, and print the error of the tip over the payload."""
    robot = armdyn.load("ur5")
    results = armdyn.study(
        robot,
        sampled(ARMS, {"tool0.payload.mass": Uniform(0, 5), "tool0.payload.com": Normal(0, 0.05)}, seed=0),
        controller(robot),
        inputs={"q0": TARGET, "q_ref": TARGET, "Kp": [800, 800, 500, 100, 60, 30], "Kd": [80, 80, 50, 8, 5, 2]},
        steps=STEPS,
        summaries={"tip_error": tip_error},
        folder=folder,
        progress=True,
    )
    masses, errors = results["tool0.payload.mass"], results["tip_error"]
    table = Table("payload, kg", "arms", "median, mm", "worst, mm", title="Error of the tip after 3 s")
    for low in range(5):
        inside = (masses >= low) & (masses < low + 1)
        numbers = 1e3 * errors[inside]
        table.add_row(f"{low} to {low + 1}", str(inside.sum()), f"{np.median(numbers):.1f}", f"{numbers.max():.1f}")
    Console().print(table)
    return results


if __name__ == "__main__":
    main()
