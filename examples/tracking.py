"""PD control against computed torque on a UR5: the same motion, with loads in the hand that no controller knows of.

Run it with ``python examples/tracking.py``.
"""

import numpy as np

import armdyn
from armdyn import control

STEP, STEPS = 1e-3, 1500
LOADS = np.linspace(0.0, 5.0, 6)
"""Masses at the tip, kg; the controllers take each of them for zero."""

START, END = [0.0, -1.5, 1.5, -1.5, -1.5, 0.0], [1.2, -0.7, 0.9, -0.8, -1.0, 1.0]


def references() -> dict[str, np.ndarray]:
    """From rest to rest in a second, then half a second of standing still."""
    law = armdyn.trajectory.Quintic(1.0, duration=1.0)
    return control.references(armdyn.trajectory.point_to_point(START, END, law), STEP * np.arange(STEPS))


def followed(robot: armdyn.Robot, controller: armdyn.Function, **inputs: np.ndarray) -> np.ndarray:
    """Errors q - q_ref over time, rad, shape (STEPS, loads, 6): all loads in one call of one compiled loop."""
    tables = {name: table for name, table in references().items() if name in [a.name for a in controller.arguments]}
    limited = control.saturated(control.with_model(controller, robot))
    load = ["tool0.payload.mass"]
    method = armdyn.simulation.Euler(STEP)
    loop = armdyn.ClosedLoop(robot, limited, method=method, over_time=tables, record=["q"], parameters=load)
    over_loads = {name: table[:, None] for name, table in tables.items()}
    rolled = loop(START, steps=STEPS, tool0_payload_mass=LOADS, **over_loads, **inputs)
    return control.require_finite(loop, rolled).rows.q - over_loads["q_ref"]


def main() -> None:
    """The same stiffness for both at the start: Kp of the PD law is M Kp of computed torque."""
    robot = armdyn.load("ur5")
    Kp, Kd = np.full(6, 400.0), np.full(6, 40.0)
    M = robot.mass_matrix(START).diagonal()
    pd = followed(robot, control.pd_gravity, Kp=Kp * M, Kd=Kd * M)
    torque = followed(robot, control.computed_torque, Kp=Kp, Kd=Kd)
    print(f"{'unknown load':>14}  {'PD + gravity':>25}  {'computed torque':>25}")
    print(f"{'':>14}  {'on the way':>12} {'at rest':>12}  {'on the way':>12} {'at rest':>12}  mrad, worst joint")
    for k, load in enumerate(LOADS):
        errors = [1e3 * x for error in (pd, torque) for x in (abs(error[:, k]).max(), abs(error[-1, k]).max())]
        print(f"{load:11.1f} kg  {errors[0]:12.3f} {errors[1]:12.3f}  {errors[2]:12.3f} {errors[3]:12.3f}")


if __name__ == "__main__":
    main()
