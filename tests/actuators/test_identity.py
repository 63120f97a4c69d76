"""What tells actuators from each other: digests, shared code, code on disk; laws of a user's own among them."""

import dataclasses
import itertools
import pickle
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import DTypeError, ModelError, actuators
from armdyn.actuators import Actuator, Coulomb, FrictionLaw, Gear, GearLoss, Motor, MotorLimits, Rotor, Slopes, Viscous
from armdyn.functions.source_keys import source_key

ARM = armdyn.load("planar_2r")


def with_law(law: FrictionLaw) -> armdyn.Robot:
    return ARM.with_actuators({"joint_2": Actuator(friction=law)})


def own(factor: float) -> type:
    """A class as a notebook defines it again and again: of one name, with other equations."""

    @dataclasses.dataclass(frozen=True)
    class Own(actuators.DryFriction):
        size: float

        def magnitude(self, speed: object, load: object) -> float:
            return factor * self.size

    return Own


def test_a_class_that_is_defined_anew_has_its_own_equations() -> None:
    robots = [with_law(own(factor)(2.0)) for factor in (1.0, 3.0)]
    assert [robot.friction_forces([0.0, 0.0], [1.0, 1.0])[1] for robot in robots] == [2.0, 6.0]
    assert robots[0] != robots[1]


def test_a_law_of_the_same_looks_is_another() -> None:
    @dataclasses.dataclass(frozen=True)
    class Other(Viscous):
        def __repr__(self) -> str:
            return "Viscous(coefficient=2.0)"

        def force(self, rate: object, load: object) -> object:
            return 2.0 * self.coefficient * rate

    assert with_law(Viscous(2.0)) != with_law(Other(2.0))
    assert with_law(Other(2.0)).friction_forces([0.0, 0.0], [0.0, 1.0])[1] == 4.0


def test_sources_of_a_users_law_are_not_those_of_armdyn() -> None:
    """So its functions are found on disk by what was traced of them."""
    function = armdyn.algorithms.inverse_dynamics
    assert source_key(with_law(Coulomb(2.0)).model, function)
    assert source_key(with_law(own(1.0)(2.0)).model, function) is None


def test_every_number_counts() -> None:
    limits = MotorLimits(voltage=48.0)
    drives = [
        Actuator(gear=Gear()),
        Actuator(friction=()),
        Actuator(Motor(1e-4)),
        Actuator(Motor(np.nextafter(1e-4, 1.0))),
        Actuator(Motor(1e-4, limits=limits)),
        Actuator(Motor(1e-4), Gear(-1.0)),
        Actuator(Motor(1e-4), rotor=Rotor()),
        Actuator(friction=Coulomb(2.0)),
        Actuator(friction=Viscous(2.0)),
        Actuator(friction=[Viscous(1.0), Viscous(1.0)]),
        Actuator(friction=GearLoss(0.8, 0.7)),
        Actuator(gear=Gear(1.0, efficiency=0.8, back_efficiency=0.7)),
    ]
    robots = [ARM.with_actuators({"joint_2": drive}) for drive in drives]
    assert len({robot.model.digest for robot in robots}) == len(drives)
    for robot in robots:
        assert pickle.loads(pickle.dumps(robot)) == robot  # noqa: S301


class WithState(FrictionLaw):
    def __init__(self, size: float) -> None:
        self.size = size

    def force(self, rate: object, load: object) -> object:
        return self.size * rate

    def slopes(self, rate: object, load: object) -> Slopes:
        return Slopes(self.size, 0.0)

    def breakaway(self, load: object) -> float:
        return 0.0


@dataclasses.dataclass(frozen=True)
class OfTable(Viscous):
    table: object = None


@pytest.mark.parametrize(
    "law", [WithState(1.0), OfTable(1.0, np.ones(3)), OfTable(1.0, abs)], ids=["plain_class", "array", "function"]
)
def test_what_cannot_be_told_from_others_is_refused(law: FrictionLaw) -> None:
    with pytest.raises(DTypeError, match=r"expected .* frozen dataclass"):
        with_law(law)


def test_a_law_that_counts_the_load_must_say_so() -> None:
    @dataclasses.dataclass(frozen=True)
    class Silent(Viscous):
        def force(self, rate: object, load: object) -> object:
            return self.coefficient * rate * abs(load)

    with pytest.raises(ModelError, match="set depends_on_load = True"):
        with_law(Silent(0.1))


@pytest.mark.parametrize("wrong", ["Coulomb", Coulomb, 3.0, [2.0]], ids=["text", "class", "number", "numbers"])
def test_what_is_no_law_is_refused(wrong: object) -> None:
    with pytest.raises(DTypeError, match=r"friction of Actuator has .* expected laws"):
        Actuator(friction=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "make",
    [lambda: Gear(1e200), lambda: Rotor(inertia=1.0, ratio=-1e200), lambda: Actuator(Motor(1e300), Gear(1e50))],
    ids=["gear", "rotor", "armature"],
)
def test_what_no_float_holds_is_refused(make: object) -> None:
    with pytest.raises(ModelError, match="expected a finite number"):
        make()


def test_what_is_said_later_wins_and_stays() -> None:
    drive = Actuator(Motor(1e-4), Gear(100.0), Coulomb(1.0))
    arm = ARM.with_actuators({"joint_2": drive}).with_armature({"joint_2": 0.25}).with_friction({"joint_2": (2.0, 3.0)})
    assert np.isclose(arm.mass_matrix([0.0, 0.0]) - ARM.mass_matrix([0.0, 0.0]), [[0.0, 0.0], [0.0, 0.25]]).all()
    assert arm.friction_forces([0.0, 0.0], [0.0, 1.0])[1] == 2.0 + 3.0 + 1.0
    bare = arm.with_actuators({"joint_2": None})
    assert bare == ARM.with_armature({"joint_2": 0.25}).with_friction({"joint_2": (2.0, 3.0)})
    assert ARM.with_actuators({"joint_2": drive}).with_actuators({"joint_2": None}) == ARM


def test_rotors_that_were_identified() -> None:
    """Each keeps its own moment, also where two were alike, and in a file."""
    rotors = [Rotor(mass=0.2), Rotor(inertia=2.0, ratio=100.0, mass=0.2)]
    arm = ARM.with_actuators({"joint_2": Actuator(Motor(1.0), Gear(100.0), rotor=rotors)})
    values = arm.standard_parameters().values.copy()
    for moments in itertools.permutations((1.0, 2.0, 7.0), 2):
        values[-2:] = moments
        found = arm.with_standard_parameters(values)
        assert found.standard_parameters().values[-2:].tolist() == list(moments)
        again = armdyn.Robot(armdyn.formats.urdf.read_urdf_text(found.to_urdf()))
        states = np.random.default_rng(5).normal(size=(3, 2))
        assert np.allclose(again.inverse_dynamics(*states), found.inverse_dynamics(*states), rtol=1e-13)


def test_the_variational_method_knows_friction_under_load() -> None:
    arm = ARM.with_actuators({"joint_2": Actuator(gear=Gear(10.0, efficiency=0.8))})

    def end(method: Any) -> np.ndarray:
        return armdyn.simulate(arm, [0.4, 0.3], [2.0, 3.0], duration=0.1, method=method).q[-1]

    exact = end("adaptive")
    errors = [np.abs(end(armdyn.simulation.Variational(step=h)) - exact).max() for h in (2e-3, 1e-3)]
    assert errors[1] < 1e-5
    assert 3.0 < errors[0] / errors[1] < 5.0
