"""The examples of simulated motions run, and what they find is so."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_arm_in_the_channel(capsys: pytest.CaptureFixture[str]) -> None:
    """Modern Robotics 8.5 in motion: of one degree of freedom, whose time follows from the energy, 1 J."""
    motions = runpy.run_path(str(EXAMPLES / "channel.py"))["main"](1.5)
    assert "lambda = -0.167 N, thetadd = [ 0.289 -1.155] rad/s^2" in capsys.readouterr().out

    def time_a_radian(a: float) -> float:
        """dt/da where cos a + cos b = 1, from (a'^2 + y'^2) / 2 = 1 with y = sin a + sin b."""
        b = np.arccos(1 - np.cos(a))
        return np.sqrt((1 + (np.cos(a) - np.cos(b) * np.sin(a) / np.sin(b)) ** 2) / 2)

    for (method, project), motion in motions.items():
        a = motion.q[:, 0]
        reached = np.searchsorted(a, 1.0)  # before the arm is stretched, at pi/3
        for k in (reached // 3, reached - 1):
            assert quad(time_a_radian, -np.pi / 3, a[k], epsabs=1e-13)[0] == pytest.approx(motion.t[k], abs=1e-7)
        away = np.abs(np.cos(a) + np.cos(motion.q.sum(axis=1)) - 1).max()
        assert away < (1e-14 if project else 1e-7), method
        assert np.abs(motion.energy.drift).max() < 1e-6


@pytest.mark.slow
def test_the_lectures_two_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    motions = runpy.run_path(str(EXAMPLES / "two_link.py"))["main"](str(tmp_path / "lecture.gif"))
    said = capsys.readouterr().out
    assert "100 frames" in said
    assert (tmp_path / "lecture.gif").exists()
    drifts = [f"{np.abs(motions['constant', variant].energy.drift).max():.2e}" for variant in ("formula", "program")]
    assert drifts == ["1.96e+00", "6.70e-01"]
    assert all(one in said for one in drifts)
