"""A hand round a circle: the example of Kazerounian and Gupta (1985), from its geometry to figures and back.

Run it with ``python examples/masp.py``; it writes masp.png, the paper's figures 5 to 8. ``armdyn masp`` does the same.
"""

import numpy as np
from numpy.typing import NDArray

import armdyn
from armdyn.masp import NEXT_TO_ZERO, MaspRun
from armdyn.plots import draw_masp, write_figure
from armdyn.simulation import Adaptive, SaveAt
from armdyn.trajectory import Arc, CurvePath, Cycloidal, follow, quintic_spline

robot = armdyn.load("kg_puma")
inch = 0.0254

# The hand at the top of the circle, psi = 0 (30, 31): columns u_t, u_a x u_t, u_a of the tip frame.
u_a, u_t = np.array([0.5, 0.0, -np.sqrt(0.75)]), np.array([0.0, 1.0, 0.0])
top = np.eye(4)
top[:3, :3] = np.column_stack([u_t, np.cross(u_a, u_t), u_a])
top[:3, 3] = np.array([34.0, 0.0, 6.0]) * inch

# Once round the x axis, the hand turning with the circle; start, cruise and stop of 3 s each (32-38).
circle = Arc(top, center=np.array([34.0, 0.0, 0.0]) * inch, axis=[-1.0, 0.0, 0.0], angle=2 * np.pi)
path = CurvePath(circle, Cycloidal(2 * np.pi, start=3.0, cruise=3.0, stop=3.0))

# Positions, rates and accelerations of the joints (4a, 4b), and the torques that make them (18-29).
t, tip = path.sampled(901)
joints = follow(robot, path, t, near=NEXT_TO_ZERO)
tau = robot.inverse_dynamics(*joints)
write_figure(draw_masp(MaspRun(robot, path, t, tip, joints, tau)), "masp.png")
print("turned, deg:          ", np.degrees(joints.q[-1] - joints.q[0]).round(6) + 0.0)
print("largest torques, N m: ", np.abs(tau).max(axis=0).round(4))
off_static = np.abs(tau[[0, -1]] - robot.gravity_forces(joints.q[[0, -1]])).max()
print(f"ends off static, N m:   {off_static:.0e}")

# And back: the torques as they are carry the arm on for a second ...
reference = quintic_spline(t, joints.q)


def torque(time: float, q: NDArray, qd: NDArray) -> NDArray:
    """The torques of the motion, at any time, whatever the arm does."""
    return robot.inverse_dynamics(*reference.evaluate(time))


second = armdyn.simulate(robot, joints.q[0], duration=1.0, torque=torque, save=SaveAt(times=t[1:100]))
print("off after 1 s, rad:   ", f"{np.abs(second.q[-1] - joints.q[100]).max():.0e}")


# ... but a hand that points up falls over: errors grow up to ten thousandfold a second. A little feedback holds it.
def controlled(time: float, q: NDArray, qd: NDArray) -> NDArray:
    """The torques of the motion, and what brings a deviation back."""
    q_wanted, qd_wanted, qdd_wanted = reference.evaluate(time)
    return robot.inverse_dynamics(q, qd, qdd_wanted + 40.0 * (qd_wanted - qd) + 400.0 * (q_wanted - q))


back = armdyn.simulate(
    robot,
    joints.q[0],
    duration=9.0,
    torque=controlled,
    save=SaveAt(times=t[1:-1]),
    method=Adaptive(rtol=1e-9, atol=1e-9),
)
print("off the circle, mm:   ", f"{1e3 * np.abs(robot.forward_kinematics(back.q) - tip.pose)[:, :3, 3].max():.0e}")
