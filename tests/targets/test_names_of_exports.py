"""What every export refuses alike: names without letters, parameters that share a word."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import Unsupported
from armdyn.targets.wasm import module

EXPORTS = ["to_c", "to_casadi", "to_jax", "to_wasm", "to_cuda", "to_python"]
"""Methods of compiled functions."""


def named(export: str) -> Callable[[str], Any]:
    """An export under a name."""
    if export == "to_casadi":
        pytest.importorskip("casadi")
    if export == "to_jax":
        pytest.importorskip("jax")
    robot = armdyn.load("rp")
    others = {
        "robot.to_c": lambda name: robot.to_c(["gravity_forces"], name=name),
        "to_fmu": lambda name: robot.to_fmu(name=name),
        "controller_fmu": lambda name: armdyn.fmi.controller_fmu(robot, armdyn.control.pid, step=1e-3, name=name),
        "module": lambda name: module([robot.gravity_forces.program()], name=name),
    }
    return others.get(export) or (lambda name: getattr(robot.gravity_forces, export)(name=name))


@pytest.mark.parametrize("export", [*EXPORTS, "robot.to_c", "to_fmu", "controller_fmu", "module"])
def test_a_name_has_a_letter_or_a_digit(export: str) -> None:
    called = named(export)
    assert called("arm") is not None
    for name in ("", " - "):
        with pytest.raises(Unsupported, match=f"name={name!r} has no letter and no digit; give another name"):
            called(name)


def test_parameters_that_are_given_by_the_same_word() -> None:
    rod = armdyn.Inertia(1.0, [0.2, 0.0, 0.0], np.diag([0.1, 0.2, 0.2]))
    parts = [
        armdyn.Part("a.b", "base", axis=(0, 0, 1), inertia=rod),
        armdyn.Part("a_b", "a.b", axis=(0, 1, 0), inertia=rod),
    ]
    robot, gravity_forces = armdyn.Robot.from_links(parts), armdyn.algorithms.gravity_forces
    both = robot.compile(gravity_forces, parameters=["a.b.mass", "a_b.mass"])
    given = both(np.ones(2), a_b_mass=2.0, a_b_mass_2=3.0)  # the plain name has the plain word
    np.testing.assert_array_equal(given, both(np.ones(2), **{"a.b.mass": 3.0, "a_b.mass": 2.0}))
    with pytest.raises(Unsupported, match=r"'a.b.mass' and 'a_b.mass' are both 'a_b_mass' in C; rename one of them"):
        both.to_c()
    apart = robot.renamed({"a.b": "first"}).compile(
        armdyn.algorithms.gravity_forces, parameters=["first.mass", "a_b.mass"]
    )
    assert apart.to_c().functions[0].input_names["a_b.mass"] == "a_b_mass"


def test_what_is_no_program() -> None:
    with pytest.raises(TypeError, match=r"is CompiledFunction; expected a Program or a Rollout: function.program\(\)"):
        module([armdyn.load("rp").gravity_forces])
