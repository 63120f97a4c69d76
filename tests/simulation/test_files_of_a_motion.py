"""The number of files of `armdyn.simulation` with functions that a motion runs: a reader of that motion opens these."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.simulation.matrix import DURATION, case_of

import armdyn
from armdyn.simulation import BrakeSwitches

FOLDER = Path(armdyn.simulation.__file__).parent

MOST = {
    "dry friction": 23,
    "friction under load": 29,
    "bristles": 18,
    "flexible joint": 18,
    "backlash": 29,
    "constraint": 19,
    "brake that switches": 33,
    "stops": 32,
    "contact": 35,
    "element of your own": 24,
    "element with a state": 28,
}
"""The most files of an adaptive motion with one element, the second one of a robot, whose functions are compiled."""


def files_of(run: Any) -> set[str]:
    """The files of functions that a call runs."""
    found = set[str]()

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(str(FOLDER)):
            found.add(Path(code.co_filename).relative_to(FOLDER).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.parametrize("name", MOST)
def test_a_motion_runs_functions_of_few_files(name: str) -> None:
    case = case_of((name,))
    robot, elements = case.made(), [*case.elements, *([BrakeSwitches(case.brakes)] if case.brakes else [])]

    def run() -> None:
        armdyn.simulate(robot, case.q0, case.qd0, duration=DURATION, torque=[2.0, -1.0], elements=elements)

    run()
    found = files_of(run)
    assert len(found) <= MOST[name], "\n".join(sorted(found))
    assert {"run.py", "forces.py", "drivers/event_driven.py", "system/system.py"} <= found
