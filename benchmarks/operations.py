"""How many operations one evaluation takes, exactly."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.cases import Case


@dataclass(frozen=True)
class Operations:
    """Operations of one evaluation; negations are not counted."""

    robot: str
    function: str
    multiplications: int
    additions: int
    divisions: int


def operations(case: Case, functions: list[str]) -> list[Operations]:
    """The counts of armdyn's programs."""
    import armdyn

    robot = armdyn.Robot.from_urdf(case.urdf)
    rows = []
    for name in functions:
        counts = getattr(robot, name).op_counts
        rows.append(Operations(case.name, name, counts.multiplications, counts.additions, counts.divisions))
    return rows
