"""The figures in docs/constraints.md are what the programs have."""

import re
from pathlib import Path

import pytest
from linkages import four_bar

import armdyn
from armdyn import constraints as c

PAGE = (Path(__file__).parents[2] / "docs" / "constraints.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| (\d) \| (\d[^|]*) \| (\d[^|]*) \|$", PAGE, re.MULTILINE)
ROBOTS = {
    "`planar_2r`, point on a plane": lambda: armdyn.load("planar_2r").with_constraints(
        c.PointOnPlane("tip", (1, 0, 0), (1, 0, 0))
    ),
    "`ur5`, tip on a horizontal plane": lambda: armdyn.load("ur5").with_constraints(c.PointOnPlane("tool0", (0, 0, 1))),
    "`ur5`, tip held at a point": lambda: armdyn.load("ur5").with_constraints(c.ball("tool0")),
    "`ur5`, tip welded": lambda: armdyn.load("ur5").with_constraints(c.weld("tool0")),
    "the four-bar above": four_bar,
}


def test_every_figure_has_its_robot():
    assert {name for name, *_ in ROWS} == set(ROBOTS)


@pytest.mark.parametrize(("name", "rows", "jacobian", "dynamics"), ROWS)
def test_figures(name, rows, jacobian, dynamics):
    robot = ROBOTS[name]()
    assert len(robot.constraint_rows) == int(rows)
    assert str(robot.constraint_jacobian.op_counts) == jacobian
    assert str(robot.compile(c.constrained_forward_dynamics).op_counts) == dynamics
