"""docs/robot.md lists everything a robot can be asked, by what the answer is about; this module writes it.

python tests/docs/test_robot_page.py
"""

from __future__ import annotations

import inspect
from pathlib import Path

import armdyn
from armdyn.robot.groups import GROUPS

PAGE = Path(__file__).parents[2] / "docs" / "robot.md"

HEAD = """# What a robot can be asked

Everything on `armdyn.Robot`, by what the answer is about; `help(armdyn.Robot)` begins with the same groups. Names that
other libraries use lead here: `robot.rnea` says that it is `robot.inverse_dynamics(q, qd, qdd)`.

```python
import numpy as np
import armdyn

robot = armdyn.load("ur5")  # or the path or text of a URDF or MJCF file, a mujoco.MjModel, a pinocchio.Model
print(robot)  # joints, kinds, limits, links, masses; notebooks show the same table
q = robot.random_configuration(np.random.default_rng(0), size=1000)  # within robot.lower and robot.upper
M = robot.compile("mass_matrix")(q)  # by name, as robot.mass_matrix(q)
print(robot.program("mass_matrix").op_counts)  # 68m + 71a + 10t
print(robot.to_dh("modified"))  # a table; .to_latex() writes it for a paper
tool = robot.with_payload(mass=2.0, com=[0, 0, 0.1])
```

![A UR5: links as lines, a drum about the axis of each joint, base and tip with their axes, names and positions beside \
it](pictures/robot_ur5.png)
"""


def first_line(name: str) -> str:
    """What the documentation of a member says first."""
    documentation = inspect.getdoc(inspect.getattr_static(armdyn.Robot, name, None)) if name != "model" else None
    text = documentation or "The description: links, joints, frames, geometry, as frozen data."
    return " ".join(text.partition("\n\n")[0].split()).replace("|", r"\|")


def page() -> str:
    """The page as it has to be."""
    parts = [HEAD]
    for heading, names in GROUPS.items():
        rows = [f"| `{name}` | {first_line(name)} |" for name in names]
        parts.append("\n".join([f"## {heading}\n", "| name | what |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python tests/docs/test_robot_page.py"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
