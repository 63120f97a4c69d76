"""The example runs, and its table says what theory says."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from oracles.cases import ROBOTS

PANDA = str(ROBOTS / "panda_description" / "urdf" / "panda.urdf")
EXAMPLE = Path(__file__).parents[2] / "examples" / "tracking.py"


@pytest.mark.parametrize(
    "arguments",
    [(), pytest.param((PANDA, "panda_link8", "2.5"), marks=pytest.mark.slow)],
    ids=["ur5", "panda"],
)
def test_example_compares_the_controllers(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [line.replace(" kg ", " ").split() for line in done.stdout.splitlines() if " kg " in line]
    load, pd_way, pd_rest, torque_way, torque_rest = zip(*(map(float, row) for row in rows), strict=True)
    assert load == tuple(np.linspace(0.0, 2.5 if arguments else 5.0, 6))
    assert torque_way[0] < 1.0  # mrad: computed torque feeds the motion forward
    assert pd_way[0] > 30.0
    assert torque_rest[0] < 1e-3
    for sag in (pd_rest, torque_rest):  # about in proportion to a load that neither knows of
        assert 2.5 < sag[3] / sag[1] < 3.2
