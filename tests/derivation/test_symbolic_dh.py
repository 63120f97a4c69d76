"""Denavit-Hartenberg tables with symbols beside the same tables with numbers."""

import numpy as np
import pytest
import sympy

import armdyn
from armdyn.base.errors import ModelError, ShapeError
from armdyn.derivation import from_dh
from armdyn.spatial import MassProperties
from oracles.short_run import each_once
from oracles.states import assert_close, random_states

TABLES = {
    "RRR": [(0.0, np.pi / 2, 0.4, 0.0), (0.5, 0.0, 0.1, 0.3), (0.45, -np.pi / 2, 0.0, -0.2)],
    "RPR": [(0.0, np.pi / 2, 0.4, 0.0), (0.3, -np.pi / 2, 0.2, 0.0, "prismatic"), (0.25, 0.0, 0.1, 0.0)],
    "inclined RR": [(0.2, 0.7, 0.4, 0.3), (0.5, -0.4, 0.1, 0.0)],
}
GRAVITY = (1.0, -2.0, -9.0)


def inertias(count: int) -> list[armdyn.Inertia]:
    """Of general values."""
    rng, made = np.random.default_rng(7), []
    for _ in range(count):
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = (Q @ np.diag([0.3, 0.4, 0.5]) @ Q.T).round(6)
        made.append(armdyn.Inertia(rng.uniform(1, 3), rng.uniform(-0.5, 0.5, 3), (tensor + tensor.T) / 2))
    return made


@pytest.mark.short_run("inclined RR-modified")
@pytest.mark.parametrize(("name", "convention"), each_once(TABLES, ["modified", "standard"]))
def test_the_same_table_in_numbers(name: str, convention: str) -> None:
    table = TABLES[name]
    own = inertias(len(table))
    robot = armdyn.Robot.from_dh(table, inertias=own, convention=convention, gravity=GRAVITY)
    values: dict[str, float] = {}

    def named(symbol: str, value: float) -> sympy.Symbol:
        values[symbol] = value
        return sympy.Symbol(symbol)

    rows = [(named(f"a{i}", r[0]) if r[0] else 0, r[1], named(f"d{i}", r[2]), *r[3:]) for i, r in enumerate(table)]
    with_symbols = [
        MassProperties(named(f"m{i}", b.mass), np.array([named(f"r{i}", b.com[0]), *b.com[1:]], dtype=object), b.tensor)
        for i, b in enumerate(own)
    ]
    described = from_dh(rows, inertias=with_symbols, convention=convention, gravity=GRAVITY)
    arm = armdyn.derive(described, "newton-euler", limit=False)
    tau, s = arm.function("tau", values), random_states(robot.dof, 3, seed=61)
    found = [tau(*state) for state in zip(s.q, s.qd, s.qdd, strict=True)]
    assert_close(np.array(found), robot.inverse_dynamics(s.q, s.qd, s.qdd))


def test_bad_tables() -> None:
    a, body = sympy.Symbol("a"), inertias(1)
    with pytest.raises(ModelError, match=r"rows\[0\]: alpha is a; axes are numbers, lengths may be symbols"):
        from_dh([(0, a, 0, 0)], inertias=body, convention="modified")
    with pytest.raises(ModelError, match=r"rows\[0\] has sin\(a\); expected numbers, symbols, and polynomials"):
        from_dh([(sympy.sin(a), 0, 0, 0)], inertias=body, convention="modified")
    with pytest.raises(ModelError, match=r"'q1' is the name of a coordinate or a rate"):
        from_dh([(sympy.Symbol("q1"), 0, 0, 0)], inertias=body, convention="modified")
    with pytest.raises(ModelError, match=r"convention is 'craig'; expected 'modified' \(Craig\) or 'standard'"):
        from_dh([(0, 0, 0, 0)], inertias=body, convention="craig")
    with pytest.raises(ShapeError, match="2 rows and 1 inertias; expected one of each a joint"):
        from_dh([(0, 0, 0, 0), (0, 0, 0, 0)], inertias=body, convention="modified")
    with pytest.raises(ShapeError, match=r"rows\[0\] is \(0, 0, 0\); expected a, alpha, d, theta"):
        from_dh([(0, 0, 0)], inertias=body, convention="modified")
