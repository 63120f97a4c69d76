"""Files of actuators: what is read, written back, and said of what is wrong; in scenarios."""

import re
from pathlib import Path

import pytest

import armdyn
from armdyn import ModelError, Unsupported, actuators
from armdyn.actuators import Actuator, Cogging, Coulomb, FrictionLaw, Gear, Motor, MotorLimits, Thermal, Viscous
from armdyn.actuators.data import as_data, fields_of, from_data, known_laws
from armdyn.studies import Scenario, StudyError

TEXT = """\
joint_1:
  motor: {rotor_inertia: 1.2e-5}
  gear: {ratio: -101, inertia: 3e-6}
  friction:
    - Viscous: {coefficient: 0.4}
    - Coulomb: {size: 1.5}
joint_2: {gear: {ratio: 50.5}, friction: []}
"""
READ = {
    "joint_1": Actuator(Motor(rotor_inertia=1.2e-5), Gear(-101.0, 3e-6), [Viscous(0.4), Coulomb(1.5)]),
    "joint_2": Actuator(gear=Gear(50.5), friction=()),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "drives.yaml"
    path.write_text(TEXT)
    return path


def test_read(file: Path) -> None:
    assert actuators.read(file) == READ
    assert actuators.read(str(file)) == READ


def test_data_sheets_and_units(tmp_path: Path) -> None:
    path = tmp_path / "drives.yaml"
    path.write_text(
        "a:\n  motor: {data_sheet: {torque_constant: 30.2 mN m/A, terminal_resistance: 0.299 ohm, "
        "rotor_inertia: 142 g cm^2}}\n"
        "b:\n  motor: {rotor_inertia: 142 g cm^2, limits: {voltage: 24 V}, "
        "thermal: {winding_to_housing: 2 K/W, winding_capacity: 20 J/K}, cogging: {amplitude: 3 mNm, periods: 12}}\n"
        "  gear: {ratio: 3, inertia: 9 g cm^2}\n"
    )
    sheet = Motor.from_data_sheet(torque_constant=30.2e-3, terminal_resistance=0.299, rotor_inertia=1.42e-5)
    plain = Motor(
        rotor_inertia=1.42e-5, limits=MotorLimits(voltage=24.0), thermal=Thermal(2.0, 20.0), cogging=Cogging(3e-3, 12.0)
    )
    assert actuators.read(path) == {"a": Actuator(sheet), "b": Actuator(plain, Gear(3.0, 9e-7))}
    actuators.write(actuators.read(path), tmp_path / "drives.json")
    assert actuators.read(tmp_path / "drives.json") == actuators.read(path)


def test_written_and_read(tmp_path: Path) -> None:
    drives = {**READ, "third": Actuator(friction=Viscous(0.1 + 0.2)), "fourth": Actuator(gear=Gear())}
    text = actuators.write({**drives, "none": None}, tmp_path / "drives.json")
    assert (tmp_path / "drives.json").read_text() == text + "\n"
    assert actuators.read(tmp_path / "drives.json") == drives


def test_what_is_written_is_a_mapping() -> None:
    with pytest.raises(ModelError, match=r"actuators are \[Actuator.*; expected a mapping from joints"):
        actuators.write([Actuator(gear=Gear(2.0))])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n\tmotor: {}\n", "drives.yaml:2: a tab stands before a word; expected spaces"),
        ("a:\n  moter: {}\n", "drives.yaml:2 a: no field 'moter' in Actuator ("),
        ("a:\n  gear: {}\n  gear: {}\n", ":3: 'gear' stands twice"),
        ("a:\n  gear:\n    ratio: 0\n", "drives.yaml:2 a: ratio of Gear is 0; expected the turns of the motor"),
        ("a:\n  gear: {ratio: fast}\n", "drives.yaml:2 a: ratio of Gear is 'fast'; expected a finite number"),
        ("a:\n  friction:\n  - Coulom: {size: 2}\n", "drives.yaml:3 a: no friction law 'Coulom' in armdyn.actuators"),
        ("a: {friction: [{Coulomb: {size: -2}}]}\n", "drives.yaml:1 a: size of Coulomb is -2; expected a number"),
        (
            "a:\n  friction:\n  - Smooth: {law: {MaxwellSlip: {stiffnesses: [9], forces: [2]}}, width: 1}\n",
            "drives.yaml:3 a: law of Smooth is MaxwellSlip(stiffnesses=(9.0,), forces=(2.0,)), which has a state",
        ),
        ("a: {passive: {armature: -2}}\n", "drives.yaml:1 a: armature of Passive is -2; expected a number of at least"),
        ("a: {passive: 2}\n", "drives.yaml:1 a: 2 is not a Passive; expected its fields: armature, damping, friction"),
        ("a: {friction: [{Coulomb: {}}]}\n", "drives.yaml:1 a: Coulomb has no size; expected its fields: size"),
        ("a: {friction: [{Coulomb: 2}]}\n", "drives.yaml:1 a: 2 is not a Coulomb; expected its fields: size"),
        ("a: {friction: [0.5]}\n", "drives.yaml:1 a: 0.5 is not a friction law; expected its name and fields"),
        ("a: {friction: 0.5}\n", "drives.yaml:1 a: 0.5 is not a friction law; expected its name and fields"),
        (
            "a: {gear: {ratio: 3}}\non: {}\n",
            "drives.yaml:2: on is read as True, which is not text; write 'on' in quotes",
        ),
        ("a: {motor: {thermal: {winding_to_housing: 2 W/K}}}\n", "winding_to_housing of Thermal is '2 W/K', in m^2 kg"),
        (
            "b:\n  gear: {}\na: {}\n",
            "drives.yaml:3 a: Actuator has no parts; expected a motor, a gear",
        ),
        ("a: 5\n", "drives.yaml:1 a: 5 is not an Actuator; expected its fields: motor, gear, friction"),
        (
            "a: {motor: [{rotor_inertia: 1}]}\n",
            "drives.yaml:1 a: [{'rotor_inertia': 1}] is not a Motor; expected",
        ),
        ("a: {motor: {data_sheet: {mass: 2 V}}}\n", "drives.yaml:1 a: mass is '2 V', in"),
        (
            "a: {motor: {data_sheet: {torque_constant: 1, speed_constant: 2}}}\n",
            "but 1/k_t is 1 (+100.0%), with k_t = 1 N m/A. Mend the sheet; check: false takes torque constant",
        ),
        ("a: {motor: {data_sheet: {}, mass: 2}}\n", "drives.yaml:1 a: data_sheet is {}; expected its entries, and no"),
        ("a: {motor: {data_sheet: {1: 2}}}\n", "drives.yaml:1 a: data_sheet is {1: 2}; expected its entries"),
        ("a: {motor: {mass: 2 V}}\n", "drives.yaml:1 a: mass of Motor is '2 V', in"),
        ("a: {motor: {mass: -2 kg}}\n", "drives.yaml:1 a: mass of Motor is -2"),
        ("- a\n", "holds no file of actuators; expected lines such as 'elbow_joint: {gear: {ratio: 100}}'"),
        ("[1]: 2\n", ":1: a key is not text"),
        ("1: 2\n", "drives.yaml:1: 1 is read as 1, which is not text"),
        ("a: {", "drives.yaml:1"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "drives.yaml"
    path.write_text(text)
    with pytest.raises(ModelError, match=re.escape(said)):
        actuators.read(path)


def test_all_problems_at_once(tmp_path: Path) -> None:
    path = tmp_path / "drives.yaml"
    path.write_text("a: {gear: {ratio: 0}}\nb: {gear: {ratio: 2}}\nc: 7\n")
    with pytest.raises(ModelError) as caught:
        actuators.read(path)
    assert [problem.partition(" ")[0] for problem in caught.value.problems] == ["drives.yaml:1", "drives.yaml:3"]


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no file .*expected that of a file of actuators"):
        actuators.read(tmp_path / "none.yaml")
    with pytest.raises(ModelError, match="expected the path of a file of actuators, got 5"):
        actuators.read(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(known_laws()))
def test_every_law(tmp_path: Path, name: str) -> None:
    """With numbers, and laws where it is made of them."""
    fields = {n: field for n, field in fields_of(known_laws()[name]).items() if field.is_required}
    values = {n: Coulomb(2.0) if field.is_law else [0.7] if field.several else 0.7 for n, field in fields.items()}
    law = known_laws()[name](**values)
    actuators.write({"joint": Actuator(friction=law)}, tmp_path / "drives.json")
    assert actuators.read(tmp_path / "drives.json") == {"joint": Actuator(friction=law)}


def test_files_name_every_law() -> None:
    public = [getattr(actuators, name) for name in actuators.__all__]
    concrete = {kind for kind in public if isinstance(kind, type) and issubclass(kind, actuators.FrictionLaw)}
    assert {kind for kind in concrete if not kind.__abstractmethods__} == set(known_laws().values())


def test_laws_of_others_are_refused() -> None:
    class Own(Viscous):
        pass

    class Other(FrictionLaw):
        force = slopes = breakaway = lambda *_: 0.0

    for law in (Own(1.0), Other()):
        with pytest.raises(Unsupported, match=r"is not a law of armdyn\.actuators"):
            as_data(Actuator(friction=law))
    with pytest.raises(Unsupported, match=r"is not an armdyn\.actuators\.Actuator"):
        actuators.write({"a": 5})  # type: ignore[dict-item]


def test_data_there_and_back() -> None:
    for actuator in READ.values():
        assert from_data(as_data(actuator)) == actuator


def test_printed(file: Path) -> None:
    robot = armdyn.load("planar_2r").with_actuators(actuators.read(file))
    assert [line for line in str(robot).splitlines() if line.startswith("actuator")] == [
        "actuator of joint_1: Motor(rotor_inertia=1.2e-05), Gear(ratio=-101, inertia=3e-06), "
        "Viscous(coefficient=0.4), Coulomb(size=1.5)",
        "actuator of joint_2: Gear(ratio=50.5), no friction",
    ]
    assert "actuator" not in str(armdyn.load("planar_2r"))


def test_in_a_scenario(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text("robot: planar_2r\nactuators: drives.yaml\ngrid: {q0: [0.1, 0.2]}\n")
    assert Scenario.read(path).robot == armdyn.load("planar_2r").with_actuators(READ)
    path.write_text("robot: planar_2r\nactuators: 5\ngrid: {q0: [0.1, 0.2]}\n")
    with pytest.raises(StudyError, match="actuators is 5; expected the name of a file beside the scenario"):
        Scenario.read(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: {motor: {1: 2}}", "no field 1 in Motor"),
        ("a: {yes: 2}", "no field True in Actuator"),
        ("a: {friction: [{2: 3}]}", "no friction law 2"),
        ("a: {motor: {<<: {mas: 1}}}", "no field 'mas' in Motor"),
        ("a: {gear: {ratio: 100:1}}", "ratio of Gear is '100:1'"),
        ("a: {gear: {ratio: 0100}}", "ratio of Gear is '0100'"),
        ("a: {gear: {ratio: 1_000}}", "ratio of Gear is '1_000'"),
        (f"a: {{motor: {{rotor_inertia: {'1' * 5000} g cm^2}}}}", "expected a number and its unit"),
        (f"a: {{motor: {{rotor_inertia: 3 {'mg' * 40}x}}}}", "unknown unit"),  # not by trying all ways to cut it
    ],
    ids=lambda value: value[:24],
)
def test_hostile_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "drives.yaml"
    path.write_text(text)
    with pytest.raises(ModelError, match=re.escape(said)):
        actuators.read(path)


@pytest.mark.parametrize("number", ["-12", "+3", "0", "1.", ".5", "2.5", "1e2", "1.5e-3", "-1E+2", "0.0100"])
def test_numbers_of_files_are_those_of_python(tmp_path: Path, number: str) -> None:
    path = tmp_path / "drives.yaml"
    path.write_text(f"a: {{friction: [{{Sigmoid: {{span: 1, steepness: 1, offset: {number}}}}}]}}")
    (law,) = actuators.read(path)["a"].laws
    assert law.offset == float(number)


def test_a_mass_of_the_link_that_has_the_payload(tmp_path: Path) -> None:
    path = tmp_path / "heavy.yaml"
    path.write_text(
        "robot: planar_2r\npayload: 1.5\nsamples: {link_2.mass: {uniform: [1, 2]}}\nruns: 3\nrecord: [q, q]\n"
    )
    with pytest.raises(StudyError, match=r"'tip.payload.mass' in its place"):
        Scenario.read(path)
