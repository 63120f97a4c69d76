"""The cast-iron dumbbell of Modern Robotics, exercise 8.2: a bar between two balls, from its drawing to its motion.

Run it with ``python examples/dumbbell.py``.
"""

import numpy as np
from rich.console import Console
from rich.table import Table

import armdyn
from armdyn import Inertia, inertia

CAST_IRON = 7500.0  # kg/m^3


def dumbbell() -> Inertia:
    """The bar is 4 cm thick and 20 cm long, the balls are 20 cm thick; z along the bar, origin in its middle."""
    bar = inertia.cylinder(0.02, 0.20, density=CAST_IRON)
    ball = inertia.sphere(0.10, density=CAST_IRON)
    return bar + ball.at((0, 0, 0.20)) + ball.at((0, 0, -0.20))


def figures(body: Inertia) -> Table:
    """The answers to the exercise, and the same body about the rim of a ball."""
    end = (0, 0, 0.30)
    rows = [
        ("mass", "m", f"{body.mass:.3f} kg"),
        ("about the centre of mass, across the bar", "I_xx = I_yy", f"{body.tensor[0, 0]:.4f} kg m^2"),
        ("about the centre of mass, along the bar", "I_zz", f"{body.tensor[2, 2]:.4f} kg m^2"),
        ("swung by one end, across the bar", "I_xx + m d^2", f"{body.moment_about((1, 0, 0), point=end):.4f} kg m^2"),
    ]
    table = Table("", "symbol", "value", title="Cast-iron dumbbell (Modern Robotics, exercise 8.2)")
    for row in rows:
        table.add_row(*row)
    return table


def matrix(G: np.ndarray) -> Table:
    """A spatial inertia, angular part first."""
    table = Table(title="Spatial inertia G_b: kg m^2 above, kg below", show_header=False)
    for row in G:
        table.add_row(*(f"{x:.4g}" if abs(x) > 1e-12 else "0" for x in row))
    return table


def main() -> None:
    """Print the tables, and the moment that a dumbbell asks for to go on tumbling (Modern Robotics 8.40)."""
    console = Console()
    body = dumbbell()
    console.print(figures(body))
    console.print(matrix(body.spatial_inertia))
    console.print(f"possible: {armdyn.inertia.consistency(body)}")
    tumbling = [3.0, 0.0, 4.0, 0.0, 0.0, 0.0]  # rad/s about x and z, its centre of mass at rest
    moment = body.wrench(tumbling, np.zeros(6))[:3]
    shown = ", ".join(f"{x:.2f}" for x in moment)
    console.print(f"to keep turning at (3, 0, 4) rad/s it needs a moment of ({shown}) N m")


if __name__ == "__main__":
    main()
