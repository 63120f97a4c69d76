"""Drives for a UR5 that carries 2 kg from one side to the other and back: from data sheets, with their own masses.

Run it with ``python examples/size_drives.py``.
"""

import numpy as np

import armdyn
from armdyn.sizing import MotionCycle, Sizing, ratio_sweep, size


def there_and_back(start: np.ndarray, end: np.ndarray, duration: float, steps: int = 201) -> MotionCycle:
    """From rest to rest by a polynomial of fifth degree, a pause, back, and another pause."""
    t = np.linspace(0.0, duration, steps)
    s, way = (t / duration)[:, None], end - start
    q = start + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
    qd = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
    qdd = way * (60 * s - 180 * s**2 + 120 * s**3) / duration**2
    go = MotionCycle(t, q, qd, qdd).then_hold(0.5)
    later = go.t[-1] + t
    back = (start + end - q, -qd, -qdd)
    whole = (np.concatenate([getattr(go, name), other]) for name, other in zip(("q", "qd", "qdd"), back, strict=True))
    return MotionCycle(np.concatenate([go.t, later]), *whole).then_hold(0.5)


def main() -> Sizing:
    """Size all joints, say what was chosen and why a lighter motor will not do, sweep the ratio of the elbow's gear."""
    robot = armdyn.load("ur5").with_payload(armdyn.inertia.sphere(0.05, mass=2.0))
    task = there_and_back(
        np.array([-1.0, -1.2, 1.6, -2.0, -1.57, 0.0]), np.array([1.0, -1.8, 1.2, -1.0, -1.57, 1.0]), 1.5
    )
    found = size(robot, task, voltage=48.0)
    print(found)
    for name, choice in found.best.items():
        print(f"{name:>20}: {choice.motor if choice else 'none'}, {choice.gear if choice else ''}")

    elbow = found.joints["elbow_joint"]
    print(
        "EC 45 flat behind GP 62 A at the elbow:",
        *elbow.why("maxon EC 45 flat 251601", "maxon GP 62 A 110505"),
        sep="\n  ",
    )
    choice = elbow.best
    if choice is not None:
        motor, gear = elbow.parts(choice)
        sweep = ratio_sweep(elbow.load, motor, np.linspace(40.0, 400.0, 10), gear)
        for G, torque, speed in zip(sweep.ratio, sweep.rms_torque, sweep.speed, strict=True):
            print(f"G = {G:5.0f}: {torque:6.3f} N m rms, {speed * 30 / np.pi:6.0f} rpm at most")
        print(f"least torque at G = {elbow.matching_ratio(choice):.0f} without losses; chosen: {gear.ratio:.1f}")
    return found


if __name__ == "__main__":
    main()
