"""PD control against computed torque: the same motion, with loads in the hand that no controller knows of.

Run it with ``python examples/tracking.py`` for the UR5, or for another arm with its description, the frame of the load
and the heaviest load, kg: ``python examples/tracking.py panda.urdf panda_link8 3``.
"""

import sys

import numpy as np

import armdyn
from armdyn import control

STEP, STEPS = 1e-3, 1500
START, END = np.array([0.0, -1.5, 1.5, -1.5, -1.5, 0.0]), np.array([1.2, -0.7, 0.9, -0.8, -1.0, 1.0])


def ends(robot: armdyn.Robot) -> tuple[np.ndarray, np.ndarray]:
    """Where the motion begins and ends, rad or m: in another arm than the UR5, at 0.4 and 0.6 of the joints' ranges."""
    if robot.name == "ur5":
        return START, END
    lower, upper = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    return lower + 0.4 * (upper - lower), lower + 0.6 * (upper - lower)


def references(robot: armdyn.Robot) -> dict[str, np.ndarray]:
    """From rest to rest in a second, then half a second of standing still."""
    law = armdyn.trajectory.Quintic(1.0, duration=1.0)
    return control.references(armdyn.trajectory.point_to_point(*ends(robot), law), STEP * np.arange(STEPS))


def followed(robot: armdyn.Robot, controller: armdyn.Function, loads: np.ndarray, **inputs: np.ndarray) -> np.ndarray:
    """Errors q - q_ref over time, rad, shape (STEPS, loads, n): all loads in one call of one compiled loop."""
    names = [a.name for a in controller.arguments]
    tables = {name: table for name, table in references(robot).items() if name in names}
    limited = control.saturated(control.with_model(controller, robot))
    load = f"{robot.tip}.payload.mass"
    method = armdyn.simulation.Euler(STEP)
    loop = armdyn.ClosedLoop(robot, limited, method=method, over_time=tables, record=["q"], parameters=[load])
    over_loads = {name: table[:, None] for name, table in tables.items()}
    rolled = loop(ends(robot)[0], steps=STEPS, **{load: loads}, **over_loads, **inputs)
    return control.require_finite(loop, rolled).rows.q - over_loads["q_ref"]


def main(description: str = "ur5", tip: str | None = None, heaviest: str = "5") -> None:
    """The same stiffness for both at the start: Kp of the PD law is M Kp of computed torque.

    Masses at the tip go from zero to the heaviest, kg; the controllers take each of them for zero.
    """
    robot = armdyn.load(description, tip=tip, chain=tip is not None)
    Kp, Kd = np.full(robot.n, 400.0), np.full(robot.n, 40.0)
    M = robot.mass_matrix(ends(robot)[0]).diagonal()
    loads = np.linspace(0.0, float(heaviest), 6)
    pd = followed(robot, control.pd_gravity, loads, Kp=Kp * M, Kd=Kd * M)
    torque = followed(robot, control.computed_torque, loads, Kp=Kp, Kd=Kd)
    print(f"{'unknown load':>14}  {'PD + gravity':>25}  {'computed torque':>25}")
    print(f"{'':>14}  {'on the way':>12} {'at rest':>12}  {'on the way':>12} {'at rest':>12}  mrad, worst joint")
    for k, load in enumerate(loads):
        errors = [1e3 * x for error in (pd, torque) for x in (abs(error[:, k]).max(), abs(error[-1, k]).max())]
        print(f"{load:11.1f} kg  {errors[0]:12.3f} {errors[1]:12.3f}  {errors[2]:12.3f} {errors[3]:12.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
