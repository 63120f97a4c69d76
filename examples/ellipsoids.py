"""Ellipsoids of mass and mobility: figures 8.3 and 8.4 of Modern Robotics, and the same of a UR5.

Run it with ``python examples/ellipsoids.py FOLDER``; the pictures go there, or to the folder it is run in.
"""

import sys
from pathlib import Path

import numpy as np

import armdyn
from armdyn import ellipsoids
from armdyn.plots import draw_joint_ellipses, draw_on_arm, draw_tip_ellipses, write_figure


def main(folder: Path) -> None:
    """The printed figures first, for the arm of figure 8.1 with unit lengths and masses; then an arm in space."""
    arm, qs = armdyn.load("planar_2r"), np.radians([[0.0, 90.0], [0.0, 150.0]])
    write_figure(draw_joint_ellipses(arm, qs), folder / "figure_8_3.png")
    write_figure(draw_tip_ellipses(arm, qs, force=(1.0, 0.0)), folder / "figure_8_4.png")
    for q, mass in zip(qs, ellipsoids.tip_force(arm, qs, components=("vx", "vy")).lengths, strict=True):
        print(f"at {np.degrees(q)} deg the tip of the 2R arm feels like {mass[0]:.3g} kg or {mass[1]:.3g} kg")

    robot, q = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    reach, mass = ellipsoids.velocity(robot, q), ellipsoids.tip_force(robot, q)
    write_figure(draw_on_arm(robot, q, [reach, mass]), folder / "ur5.png")
    joints = ("shoulder_lift_joint", "elbow_joint")
    write_figure(draw_joint_ellipses(robot, [q, q * [1, 1, 0.3, 1, 1, 1]], joints=joints), folder / "ur5_joints.png")
    heaviest = mass.axes[:, 0]
    print(f"the UR5 feels heaviest, {mass.lengths[0]:.3g} kg, along {heaviest.round(2)}: {mass}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
