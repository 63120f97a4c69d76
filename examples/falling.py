"""A UR5 let go from its zero configuration (Modern Robotics, exercise 8.15): energy, tip, two methods, an animation.

Run it with ``python examples/falling.py`` or ``python examples/falling.py fall.mp4``; .gif, .html and, where ffmpeg is
present, .mp4 are written.
"""

import sys

import numpy as np

import armdyn
from armdyn.simulation import Euler


def main(path: str = "ur5_falls.gif", duration: float = 3.0) -> None:
    """Simulate, compare with the method of Modern Robotics' library at another accuracy, look at the tip, draw."""
    robot = armdyn.load("ur5")
    fall = armdyn.simulate(robot, np.zeros(6), duration=duration, progress=True)
    print(fall)
    print(
        f"energy drift: {np.abs(fall.energy.drift).max():.1e} J of {float(fall.energy.scale):.1f} J that changed hands"
    )

    hand = fall.tip_motion(robot)
    speed = np.linalg.norm(hand.twist[:, 3:], axis=1)
    fastest = speed.argmax()
    print(
        f"the tip moves with up to {speed[fastest]:.2f} m/s (t = {fall.t[fastest]:.3f} s, {hand.position[fastest]} m)"
    )

    early = fall.between(0.0, min(1.0, duration))  # each step adds to the error of Euler's method
    steps = armdyn.simulate(robot, np.zeros(6), duration=early.t[-1], method=Euler(step=1e-3))
    print(f"with Euler steps of 1 ms, in the first {early.t[-1]:g} s:")
    print(early.compare(steps))

    film = fall.animate(path, robot=robot, progress=True)
    print(f"wrote {path}: {film}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
