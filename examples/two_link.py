"""The two-link simulation of a lecture on dynamics (UCL, week 9): its formula, its program and the exact motion.

The lecture's arm starts from rest at q = 0 and moves for ten seconds in steps of 1 ms, the acceleration held during
each: q + qd T + qdd T^2/2 by the formula on the slides. The program on the slides updates qd first, so that it adds
3/2 qdd T^2. Both are simulated with the lecture's constant torque and with a sinusoid, and compared with the exact
motion.
Run it with ``python examples/two_link.py``, or ``python examples/two_link.py lecture.gif`` for the lecture's animation.
"""

import sys

import numpy as np

import armdyn
from armdyn.simulation import Adaptive, ConstantAcceleration, SaveAt

T, STEPS = 1e-3, 10_000
AMPLITUDES = np.array([0.1, 0.1]), np.array([1.0, 0.5])
"""N m, of the constant torque and of the sinusoid sin(t)."""


def main(film: str | None = None) -> dict[tuple[str, str], armdyn.Trajectory]:
    """Simulate both torques by both variants and exactly, say how far they are apart, draw."""
    robot, t = armdyn.load("ucl_2r"), T * np.arange(STEPS)
    constant, sinusoidal = AMPLITUDES
    torques = {"constant": np.tile(constant, (STEPS, 1)), "sinusoidal": np.sin(t)[:, np.newaxis] * sinusoidal}
    variants = {"formula": ConstantAcceleration(T), "program": ConstantAcceleration(T, as_printed=True)}
    motions = {}
    print(f"{'torque':12} {'variant':8}  {'in 1 s':>9} {'in 10 s':>9}  rad from the exact motion   energy error, J")
    for torque, table in torques.items():
        law = constant if torque == "constant" else lambda t, q, qd: np.sin(t) * sinusoidal
        exact = armdyn.simulate(
            robot, [0, 0], duration=STEPS * T, torque=law, method=Adaptive(rtol=1e-12, atol=1e-12), save=SaveAt(every=T)
        )
        motions[torque, "exact"] = exact
        for variant, method in variants.items():
            motion = armdyn.simulate(robot, [0, 0], duration=STEPS * T, torque=table, method=method)
            away = np.abs(motion.q - exact.q).max(axis=1)
            drift = np.abs(motion.energy.drift).max()
            print(f"{torque:12} {variant:8}  {away[:1001].max():9.1e} {away.max():9.1e}  {drift:45.2e}")
            motions[torque, variant] = motion
        print(f"{torque:12} {'exact':8}  {'':19}  {np.abs(exact.energy.drift).max():45.2e}")
    if film is not None:
        print(f"wrote {film}: {motions['constant', 'program'].animate(film, robot=robot, style='ucl')}")
    return motions


if __name__ == "__main__":
    main(*sys.argv[1:2])
