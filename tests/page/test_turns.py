"""Roll, pitch and yaw of the page's tip, in node where it is installed: they make the rotation again, upright too."""

import json
import shutil
import subprocess
from importlib.resources import files

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_roll_pitch_and_yaw_make_the_rotation_again() -> None:
    """At pitches of 90 degrees, where rounding decides what yaw is, roll is what is left."""
    rng = np.random.default_rng(5)
    pitches = (np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi / 2 - 1e-6, 0.0, np.pi)
    turns = [np.array([*rng.uniform(-3, 3, 2), pitch]) for pitch in pitches for _ in range(5)] + list(
        rng.normal(size=(9, 3))
    )
    matrices = [Rotation.from_euler("xzy", (r, 0, 0)).as_matrix() for r in (0.0, np.pi)]
    matrices += [Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix() for roll, yaw, pitch in turns]
    source = files("armdyn.page").joinpath("template/tip.js").read_text()
    given = json.dumps([R.ravel().tolist() for R in matrices])
    script = f"{source}\nconsole.log(JSON.stringify({given}.map((R) => turnsOf((i, j) => R[3 * i + j]))))"
    said = subprocess.run([str(NODE), "-e", script], capture_output=True, text=True, check=True, timeout=60).stdout
    for R, angles in zip(matrices, json.loads(said), strict=True):
        np.testing.assert_allclose(Rotation.from_euler("xyz", angles).as_matrix(), R, atol=2e-15)
