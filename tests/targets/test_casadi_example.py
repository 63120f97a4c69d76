"""The example of a time-optimal reach: it keeps its limits, and is faster than the straight line."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.simulation import Adaptive

EXAMPLE = Path(__file__).parents[2] / "examples" / "time_optimal_reach.py"


@pytest.mark.slow
def test_the_fastest_reach(tmp_path: Path) -> None:
    example = runpy.run_path(str(EXAMPLE))
    picture = tmp_path / "reach.png"
    path, line = example["main"](str(picture))
    assert picture.stat().st_size > 10_000
    assert path.duration < 0.9 * line.duration
    robot = example["loaded_robot"]()
    start, *_, end = path.evaluate(np.array([0.0, path.duration])).q
    np.testing.assert_allclose([start, end], [example["START"], example["END"]], atol=1e-6)
    np.testing.assert_allclose(path.evaluate(np.array([0.0, path.duration])).qd, 0.0, atol=1e-6)
    _, torques, speeds = example["loads"](robot, path)
    assert 0.99 < np.abs(torques).max() < 1.03
    assert 0.99 < np.abs(speeds).max() < 1.03


@pytest.mark.slow
def test_its_torques_move_the_arm_there() -> None:
    """By forward dynamics and an integrator with step control; the problem was stated in inverse dynamics."""
    example = runpy.run_path(str(EXAMPLE))
    robot = example["loaded_robot"]()
    path = example["fastest_reach"](robot)
    drive = lambda t, q, qd: robot.inverse_dynamics(*path.evaluate(min(max(t, 0.0), path.duration)))  # noqa: E731
    motion = armdyn.simulate(
        robot, example["START"], duration=path.duration, torque=drive, method=Adaptive(rtol=1e-9, atol=1e-9)
    )
    np.testing.assert_allclose(motion.q[-1], example["END"], atol=1e-5)
