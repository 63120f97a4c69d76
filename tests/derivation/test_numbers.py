"""Derived closed forms with the numbers put in, beside the compiled functions of the same robot."""

import re

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, Rotor, Viscous
from oracles.general_arms import P, R, general
from oracles.short_run import short_run
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, to_armdyn

QUANTITIES = {
    "tau": "inverse_dynamics",
    "M": "mass_matrix",
    "c": "velocity_forces",
    "g": "gravity_forces",
    "C": "coriolis_matrix",
    "christoffel": "christoffel",
    "coriolis": "coriolis_coefficients",
    "centrifugal": "centrifugal_coefficients",
    "M_dot": "mass_matrix_dot",
}
STATES = {"inverse_dynamics": 3, "velocity_forces": 2, "coriolis_matrix": 2, "mass_matrix_dot": 2}


def geared() -> armdyn.Robot:
    """Rotors across the joints, on the base, on the link before and on the link that they move."""
    arm, motor = general([R, R, P], [-1, 0, 1], seed=9, inclined=False), Motor(rotor_inertia=0.01)
    drives = {
        "joint_1": Actuator(motor, Gear(12.5), rotor=Rotor(mass=0.3, axis=(0.6, 0.0, 0.8))),
        "joint_2": Actuator(motor, Gear(-7.0), rotor=Rotor(mass=0.2, axis=(0.0, 0.6, 0.8), carrier="link_2")),
        "joint_3": Actuator(motor, Gear(30.0), rotor=Rotor(mass=0.1, axis=(0.8, 0.6, 0.0), position=(0.1, 0, 0))),
    }
    return arm.with_actuators(drives)


ARMS = {
    "2R": (armdyn.load("planar_2r"), "all"),
    "RP": (armdyn.load("rp"), "all"),
    "Furuta": (armdyn.load("furuta"), "all"),
    "3R": (armdyn.load("planar_3r"), "all"),
    "SCARA": (armdyn.load("scara"), "all"),
    "spatial 3R": (general([R, R, R], [-1, 0, 1], seed=3, inclined=False), "all"),
    "RPR": (general([R, P, R], [-1, 0, 1], seed=4, inclined=False), "all"),
    "inclined RP": (general([R, P], [-1, 0], seed=5, inclined=True), "all"),
    "inclined RR": (general([R, R], [-1, 0], seed=6, inclined=True), None),
    "tree": (general([R, R, P, R], [-1, 0, 0, 1], seed=7, inclined=False), "all"),
    "geared": (armdyn.load("planar_2r_geared"), "all"),
    "gyroscopic": (geared(), "all"),
    "follower": (armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", -0.5, 0.3)}), "all"),
    "differential": (
        general([R, P, R], [-1, 0, 1], seed=8, inclined=False).without_friction().with_coordinates(
            ["a", "b"], [[0.5, 0.5], [0.25, 0.0], [0.5, -0.5]], offset=[0.1, 0.2, -0.3],
            kinds={"a": "revolute", "b": "revolute"},
        ),
        None,
    ),
}  # fmt: skip


CASES = [(name, "newton-euler") for name in ARMS] + [
    (name, "lagrange") for name in ("inclined RR", "inclined RP", "SCARA", "differential")
]
"""Of the others both forms are the same, symbol by symbol."""

SECOND = [(name, "newton-euler") for name in ("tree", "spatial 3R", "inclined RR", "3R", "RP", "2R")] + [
    (name, "lagrange") for name in ("inclined RP", "differential")
]
"""What they show, others show too: RPR and gyroscopic arms, inclined RP, SCARA, followers, the random trees."""

LARGE = ("tree", "gyroscopic", "spatial 3R", "RPR")
"""Of these tau, M, c, g: the code of the rest is the same for all arms."""


SYMBOL_BY_SYMBOL = ["2R", "RP", "Furuta", "3R", "spatial 3R", "tree", "geared", "gyroscopic", "follower"]


@pytest.mark.short_run("geared-newton-euler")
@pytest.mark.parametrize(
    ("name", "form"), [pytest.param(*case, marks=pytest.mark.slow) if case in SECOND else case for case in CASES]
)
def test_substituted_numbers_give_the_compiled_functions(name: str, form: str) -> None:
    robot, symbols = ARMS[name]
    derivation = armdyn.derive(robot, form, symbols=symbols)
    s = random_states(robot.dof, 3, seed=41)
    for result, function in list(QUANTITIES.items())[: 4 if name in LARGE else None]:
        evaluated = derivation.function(result)
        states = (s.q, s.qd, s.qdd)[: STATES.get(function, 1)]
        expected = getattr(robot, function)(*states)
        found = np.array([evaluated(*state) for state in zip(s.q, s.qd, s.qdd, strict=True)])
        assert_close(found.reshape(expected.shape), expected)


@pytest.mark.short_run(without=("gyroscopic", "spatial 3R"))
@pytest.mark.parametrize(
    "name", short_run(SYMBOL_BY_SYMBOL, *(n for n in SYMBOL_BY_SYMBOL if n not in ("tree", "3R", "spatial 3R")))
)
def test_newton_euler_is_lagranges_symbol_by_symbol(name: str) -> None:
    robot, symbols = ARMS[name]
    assert armdyn.derive(robot, "newton-euler", symbols=symbols).tau == armdyn.derive(robot, symbols=symbols).tau


@pytest.mark.slow
def test_friction_is_part_of_the_joint_forces() -> None:
    robot, symbols = ARMS["tree"]
    derivation = armdyn.derive(robot, symbols=symbols)
    s = random_states(robot.dof, 4, seed=42)
    found = [derivation.function("friction")(*state) for state in zip(s.q, s.qd, s.qdd, strict=True)]
    assert_close(np.array(found), robot.friction_forces(s.q, s.qd))


def test_viscous_and_coulomb_laws_of_actuators_are_part_of_it() -> None:
    motor = Motor(1e-4, damping=2e-4, friction=3e-3)
    drives = [Actuator(motor, Gear(-30.0), [Viscous(0.3), Coulomb(0.7)], brake=Brake(0.02, "engaged")), Actuator(motor)]
    robot = armdyn.load("planar_2r").with_actuators(dict(zip(("joint_1", "joint_2"), drives, strict=True)))
    robot, s = robot.with_friction({"joint_1": (0.2, 0.4)}), random_states(2, 5, seed=18)
    states = list(zip(s.q, s.qd, s.qdd, strict=True))
    for symbols in (None, "all"):
        derivation = armdyn.derive(robot, symbols=symbols)
        for name, expected in (
            ("friction", robot.friction_forces(s.q, s.qd)),
            ("tau", robot.inverse_dynamics(s.q, s.qd, s.qdd)),
        ):
            assert_close(np.array([derivation.function(name)(*state) for state in states]), expected)


def test_random_trees_in_numbers() -> None:
    for seed in (1, 2):
        robot = armdyn.Robot(to_armdyn(random_tree(seed, 2)))
        s = random_states(robot.dof, 3, seed=43)
        tau = armdyn.derive(robot, "newton-euler").function()
        found = [tau(*state) for state in zip(s.q, s.qd, s.qdd, strict=True)]
        assert_close(np.array(found), robot.inverse_dynamics(s.q, s.qd, s.qdd))


@pytest.mark.slow
def test_inclined_axes_with_all_symbols() -> None:
    robot = general([R, R], [-1, 0], seed=6, inclined=True)
    derivation = armdyn.derive(robot, "newton-euler", symbols="all")
    s = random_states(2, 3, seed=44)
    found = [derivation.function()(*state) for state in zip(s.q, s.qd, s.qdd, strict=True)]
    assert_close(np.array(found), robot.inverse_dynamics(s.q, s.qd, s.qdd))


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("form", ["lagrange", "newton-euler"])
def test_products_of_short_numbers_are_short(form: str, kind: str) -> None:
    """0.001 times 350 is 0.35: floats that SymPy multiplies into a sum would have seventeen digits."""
    masses = [armdyn.Inertia(mass, com=(0.3, 0.1, 0.0), tensor=0.01 * np.eye(3)) for mass in (0.3, 0.7)]
    parts = [
        armdyn.Part("upper", "base", axis=(0, 0, 1), inertia=masses[0]),
        armdyn.Part("fore", "upper", kind, axis=(0, 0, 1), xyz=(0.3, 0.0, 0.0), inertia=masses[1]),
    ]
    derived = armdyn.derive(armdyn.Robot.from_links(parts, gravity=(0.0, -9.81, 0.0)), form)
    assert not re.findall(r"[0-9]*[.][0-9]{9,}", str(derived))
