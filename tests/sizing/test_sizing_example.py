"""The example of sizing runs, and its drives do the task."""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "size_drives.py"


def test_drives_of_the_example_carry_themselves() -> None:
    found = runpy.run_path(str(EXAMPLE))["main"]()
    assert found.settled
    assert None not in found.best.values()
    loaded = found.robot_with_drives()
    currents = loaded.motor_currents(found.task.q, found.task.qd, found.task.qdd)
    assert currents.shape == (len(found.task.t), 6)
