"""Data sheets with their units: a printed one comes back, and contradictions are named with their numbers."""

import dataclasses
import math

import numpy as np
import pytest

import armdyn
from armdyn import ModelError, UnknownName
from armdyn.actuators import DataSheetError, Motor
from armdyn.base.quantities import quantity
from armdyn.base.units import parse_product

RE40 = {
    "nominal_voltage": "24 V",
    "no_load_speed": "7580 rpm",
    "no_load_current": "137 mA",
    "nominal_current": "6 A",
    "stall_torque": "2420 mNm",
    "stall_current": "80.2 A",
    "terminal_resistance": "0.299 Ω",
    "terminal_inductance": "0.082 mH",
    "torque_constant": "30.2 mNm/A",
    "speed_constant": "317 rpm/V",
    "speed_torque_gradient": "3.14 rpm/mNm",
    "mechanical_time_constant": "4.67 ms",
    "rotor_inertia": "142 gcm²",
    "winding_to_housing": "1.93 K/W",
    "housing_to_ambient": "4.65 K/W",
    "winding_time_constant": "42.8 s",
    "motor_time_constant": "809 s",
    "winding_temperature_limit": "155 °C",
    "maximum_speed": "12000 rpm",
    "mass": "480 g",
}
"""maxon RE 40, 150 W, part 148867: maxon's product page of August 2019 (catalogue page 19-EN-136)."""

RPM = math.pi / 30.0


def test_re_40_gives_what_its_page_prints() -> None:
    """Nominal point 6940 rpm, 177 mN m; 91 % at best; stall, no load, gradient and time constant of the same page."""
    motor = Motor.from_data_sheet(**RE40)
    assert (motor.k_t, motor.R, motor.L, motor.rotor_inertia) == (0.0302, 0.299, 8.2e-5, 1.42e-5)
    assert (motor.mass, motor.limits.voltage, motor.limits.continuous_current) == (0.48, 24.0, 6.0)
    assert motor.no_load_speed() / RPM == pytest.approx(7580.0, rel=1e-3)
    assert motor.no_load_current() == pytest.approx(0.137, rel=1e-12)
    assert motor.stall_torque() == pytest.approx(2.42, rel=5e-3)
    assert motor.stall_current() == pytest.approx(80.2, rel=5e-3)
    assert motor.rated_torque == pytest.approx(0.177, rel=5e-3)
    assert motor.rated_speed / RPM == pytest.approx(6940.0, rel=0.015)
    assert motor.maximum_efficiency() == pytest.approx(0.91, abs=0.012)
    assert motor.thermal.winding_capacity == pytest.approx(42.8 / 1.93)
    assert motor.thermal.winding_limit == 155.0


def test_printed_nominal_current_is_below_what_the_winding_alone_bears() -> None:
    """Friction and iron warm the motor too, so the copper's model is 7 to 14 % higher for this maker's RE series."""
    assert 1.0 < Motor.from_data_sheet(**RE40).continuous_current() / 6.0 < 1.14


FAULHABER = {
    "nominal_voltage": "24 V",
    "no_load_speed": "11300 rpm",
    "no_load_current": "189 mA",
    "stall_torque": "371 mNm",
    "phase_resistance": "0.6 ohm",
    "connection": "star",
    "torque_constant": "20.12 mNm/A",
    "speed_constant": "475 rpm/V",
    "speed_torque_gradient": "31 rpm/mNm",
    "mechanical_time_constant": "11 ms",
    "rotor_inertia": "34 gcm²",
}
"""Faulhaber 3564K024B, data sheet series 3564...B; 1.2 ohm between phases, printed with two digits."""


def test_a_printed_sheet_that_contradicts_itself() -> None:
    """Its stall torque, gradient and time constant fit 1.3 ohm, not the 1.2 that it prints."""
    with pytest.raises(DataSheetError) as raised:
        Motor.from_data_sheet(**FAULHABER)
    problems = raised.value.problems
    assert [problem.split()[0] for problem in problems] == [
        "stall_torque",
        "speed_torque_gradient",
        "mechanical_time_constant",
    ]
    assert "stall_torque is 0.371 N m, but k_t V/R is 0.4024 (-7.8%), with k_t = 0.02012 N m/A, R = 1.2 ohm" in problems
    assert problems[-1].endswith(
        ". Mend the sheet; check=False takes torque constant and resistance, and leaves out the rest"
    )
    assert Motor.from_data_sheet(**FAULHABER | {"phase_resistance": "0.65 ohm"}).no_load_speed() > 1100.0


def test_contradictions_are_named_with_their_numbers() -> None:
    """All at once; `check=False` takes k_t and R and leaves the others out."""
    wrong = RE40 | {"no_load_speed": "5580 rpm", "speed_constant": "380 rpm/V", "stall_current": "60 A"}
    with pytest.raises(DataSheetError) as raised:
        Motor.from_data_sheet(**wrong)
    said = str(raised.value)
    assert "speed_constant is 39.794 rad/s/V, but 1/k_t is 33.113 (+20.2%), with k_t = 0.0302 N m/A" in said
    assert "no_load_speed is 584.34 rad/s, but (V - R I_0)/k_t is 793.35 (-26.3%)" in said
    assert "stall_current is 60 A, but V/R is 80.268 (-25.3%)" in said
    assert "stall_torque" not in said
    assert Motor.from_data_sheet(**wrong, check=False) == Motor.from_data_sheet(**RE40)


def test_stall_torque_and_current_are_compared_without_a_voltage() -> None:
    sheet = {"torque_constant": "50 mN m/A", "terminal_resistance": "2 ohm", "stall_current": "10 A"}
    Motor.from_data_sheet(**sheet, stall_torque="0.51 N m")
    with pytest.raises(DataSheetError, match=r"stall_torque is 1 N m, but k_t stall_current is 0\.5 \(\+100\.0%\)"):
        Motor.from_data_sheet(**sheet, stall_torque="1 N m")
    with pytest.warns(armdyn.DescriptionWarning, match="stall_current without nominal_voltage"):
        Motor.from_data_sheet(**sheet)


def test_the_nominal_point() -> None:
    """The RE 40's printed torque and speed fit its current, within those of warm windings; alone the torque says it."""
    printed = {"nominal_torque": "177 mN m", "nominal_speed": "6930 rpm"}
    sheet = {name: text for name, text in RE40.items() if name != "nominal_current"}
    with_current = Motor.from_data_sheet(**sheet, **printed, nominal_current="6 A")
    assert with_current == Motor.from_data_sheet(**sheet, nominal_current="6 A")
    found = Motor.from_data_sheet(**sheet, **printed).limits.continuous_current
    np.testing.assert_allclose(found, 0.177 / 0.0302 + 0.137, rtol=1e-15)
    with pytest.raises(DataSheetError) as raised:
        Motor.from_data_sheet(**sheet, nominal_torque="230 mN m", nominal_speed="2000 rpm", nominal_current="6 A")
    said = str(raised.value)
    assert "nominal_torque is 0.23 N m, but k_t (I_n - I_0) is 0.17706 (+29.9%)" in said
    assert "nominal_speed is 209.44 rad/s, but (V - R I_n)/k_t is 735.3 (-71.5%)" in said
    with pytest.raises(DataSheetError, match=r"nominal_torque is 1 N m, but k_t \(I_n - I_0\) is 0 \(\+inf%\)"):
        Motor.from_data_sheet(**sheet, nominal_torque="1 N m", nominal_current="137 mA")
    with pytest.warns(armdyn.DescriptionWarning, match="nominal_speed without nominal_current"):
        Motor.from_data_sheet(**sheet, nominal_speed="6930 rpm")


def test_a_winding_warms_up_before_its_motor() -> None:
    with pytest.raises(DataSheetError, match="winding_time_constant is 1120 s, above motor_time"):
        Motor.from_data_sheet(**RE40 | {"winding_time_constant": "1120 s", "motor_time_constant": "41.6 s"})


@pytest.mark.parametrize("factor", [0.953, 1.048])
@pytest.mark.parametrize("name", ["stall_torque", "speed_torque_gradient", "mechanical_time_constant"])
def test_five_per_cent_are_the_tolerance(name: str, factor: float) -> None:
    exact = dataclasses.replace(Motor.from_data_sheet(**RE40))
    values = {
        "stall_torque": exact.stall_torque(),
        "speed_torque_gradient": exact.R / exact.k_t**2,
        "mechanical_time_constant": exact.rotor_inertia * exact.R / exact.k_t**2,
    }
    Motor.from_data_sheet(**RE40 | {name: values[name] * factor})
    with pytest.raises(DataSheetError, match=name):
        Motor.from_data_sheet(**RE40 | {name: values[name] * (1.0 + 1.1 * (factor - 1.0))})


def test_star_and_delta() -> None:
    """Two phases in a row between the terminals of a star; one beside two in a delta."""
    star = Motor.from_data_sheet(torque_constant=0.1, phase_resistance=0.3, phase_inductance=2e-4, connection="star")
    delta = Motor.from_data_sheet(torque_constant=0.1, phase_resistance=0.9, phase_inductance=6e-4, connection="delta")
    assert pytest.approx([0.6, 4e-4]) == [star.R, star.L]
    assert pytest.approx([0.6, 4e-4]) == [delta.R, delta.L]


@pytest.mark.parametrize("leave", [("torque_constant",), ("torque_constant", "speed_constant")])
def test_constants_from_what_is_left(leave: tuple[str, ...]) -> None:
    left = {name: text for name, text in RE40.items() if name not in leave}
    assert Motor.from_data_sheet(**left).k_t == pytest.approx(0.0302, rel=3e-3)


@pytest.mark.parametrize("leave", [("terminal_resistance",), ("terminal_resistance", "stall_current")])
def test_resistance_from_what_is_left(leave: tuple[str, ...]) -> None:
    left = {name: text for name, text in RE40.items() if name not in leave}
    motor = Motor.from_data_sheet(**left)
    assert 0.299 * motor.k_t / motor.R == pytest.approx(0.0302, rel=5e-3)


def test_damping_is_part_of_the_no_load_current() -> None:
    motor = Motor.from_data_sheet(**RE40, damping=2e-6)
    w = 7580.0 * RPM
    assert motor.friction == pytest.approx(0.0302 * 0.137 - 2e-6 * w)
    assert motor.friction_torque(w) == pytest.approx(0.0302 * 0.137)
    sheet = {"nominal_voltage": 24.0, "torque_constant": 0.03, "terminal_resistance": 2.0, "no_load_current": 0.5}
    without_speed = Motor.from_data_sheet(**sheet, damping=1e-6)
    assert without_speed.friction == pytest.approx(0.03 * 0.5 - 1e-6 * (24.0 - 2.0 * 0.5) / 0.03)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("33.5 mN m/A", "N m/A", 0.0335),
        ("33.5mNm/A", "N m/A", 0.0335),
        ("285 rpm/V", "rad/s/V", 285 * RPM),
        ("92.5 g cm^2", "kg m^2", 92.5e-7),
        ("92.5 gcm2", "kg m^2", 92.5e-7),
        ("3.51 kg·cm²", "kg m^2", 3.51e-4),
        ("1.5 µH", "H", 1.5e-6),
        ("7.42 V/krpm", "V s/rad", 7.42e-3 / RPM),
        ("1200 min⁻¹", "rad/s", 1200 * RPM),
        ("100 1/min", "rad/s", 100 * RPM),
        ("100/min", "rad/s", 100 * RPM),
        ("3.16 mV/min⁻¹", "V s/rad", 3.16e-3 / RPM),
        ("317 min-1/V", "rad/s/V", 317 * RPM),
        ("5 rad/min", "rad/s", 5 / 60),
        ("5 rev/min", "rad/s", 5 * RPM),
        ("2 min", "s", 120.0),
        ("3.14 rpm/mN m", "rad/s/N m", 3140 * RPM),
        ("3.14 rpm/mNm", "rad/s/N m", 3140 * RPM),
        ("2 lbf in", "N m", 2 * 4.4482216152605 * 0.0254),
        ("16 ozf-in", "N m", 4.4482216152605 * 0.0254),
        ("16 oz-in/A", "N m/A", 4.4482216152605 * 0.0254),
        ("2 lb-ft", "N m", 2 * 4.4482216152605 * 0.3048),
        ("2 lbft", "N m", 2 * 4.4482216152605 * 0.3048),
        ("5 in-lbs", "N m", 5 * 4.4482216152605 * 0.0254),
        ("16 oz-in²", "kg m^2", 0.45359237 * 0.0254**2),
        ("16 oz-in-s²", "kg m^2", 4.4482216152605 * 0.0254),
        ("16 oz", "kg", 0.45359237),
        ("5 lbs", "kg", 5 * 0.45359237),
        ("3 °C/W", "K/W", 3.0),
        ("3 degC/W", "K/W", 3.0),
        ("9 °F/W", "K/W", 5.0),
        ("0.39 %/K", "1/K", 0.0039),
        ("-0.1 %/°C", "K^-1", -0.001),
        ("1 Nms", "N m s/rad", 1.0),
        ("4 mNms/rad", "N m s/rad", 0.004),
        ("2 Nm/(rad/s)", "N m s/rad", 2.0),
        ("2 V/(rad/s)", "V s/rad", 2.0),
        ("3 (rad/s)/V", "rad/s/V", 3.0),
        ("3 N m/(A)", "N m/A", 3.0),
        ("7580 RPM", "rad/s", 7580 * RPM),
        ("7.42 V/kRPM", "V s/rad", 7.42e-3 / RPM),
        ("7.42 V/1000rpm", "V s/rad", 7.42e-3 / RPM),
        ("7.42 V/(1000 rpm)", "V s/rad", 7.42e-3 / RPM),
        ("7.42 V/1000 min⁻¹", "V s/rad", 7.42e-3 / RPM),
        ("311.15 K", "degC", 38.0),
        ("-40 °C", "degC", -40.0),
        ("1e3 mohm", "ohm", 1.0),
        (0.5, "N m", 0.5),
    ],
)  # fmt: skip
def test_units(text: str | float, unit: str, value: float) -> None:
    assert quantity("x", text, unit, needs_unit=True) == pytest.approx(value, rel=1e-14)


def test_decimal_numbers_are_rounded_once() -> None:
    for text in ("142 g cm^2", "0.1 mN m", "30.2 mN m"):
        assert quantity("x", text, "kg m^2" if "g" in text else "N m") == float(
            f"{text.split()[0]}e-{7 if 'g' in text else 3}"
        )


KT = {"torque_constant": 1.0}
STAR = {**KT, "phase_resistance": 1.0, "connection": "star"}
NO_LOAD = {"nominal_voltage": 24.0, "no_load_speed": 100.0, "terminal_resistance": 1.0}


@pytest.mark.parametrize(
    ("entries", "kind", "message"),
    [
        ({"torque_constant": "30.2 mNm"}, ModelError, "in m^2 kg s^-2; expected a unit like N m/A, which is"),
        ({"terminal_resistance": "3 ohn"}, ModelError, "unknown unit 'ohn'. Did you mean 'ohm'"),
        ({"torque_constant": "30.2 Nm/ampere"}, ModelError, "unknown unit 'ampere'."),
        ({"torque_constant": "30.2"}, ModelError, "'30.2', without a unit; expected one such as '30.2 N m/A'"),
        ({"torque_constant": "1e400 N m/A"}, ModelError, "expected a number that a float holds"),
        ({"torque_constant": "1e999999999 N m/A"}, ModelError, "'1e999999999 N m/A'"),
        ({"torque_constant": "1 N^999999999 m/A"}, ModelError, "is not a unit"),
        ({"torque_constant": "nan N m/A"}, ModelError, "expected a number and its unit"),
        ({"torque_constant": float("nan")}, ModelError, "torque_constant is nan"),
        ({"torque_constant": "some"}, ModelError, "expected a number and its unit, such as '1.5 N m/A'"),
        ({"torque_constant": "3 N m/(A"}, ModelError, "'N m/(A' is not a unit"),
        ({"torque_constant": "3 N m/((A))"}, ModelError, "'N m/((A))' is not a unit"),
        ({"torque_constant": "3 N m/()"}, ModelError, "'N m/()' is not a unit"),
        ({"torque_constant": "3 N m/(A %)"}, ModelError, "'%' is read of what changes with temperature alone"),
        ({"no_load_speed": "5 %/s"}, ModelError, "'%' is read of what changes with temperature alone"),
        ({"current_rate": "5 A (1000 rpm)"}, ModelError, "'A (1000 rpm)' is not a unit"),
        ({"damping": "5 in-lbs"}, ModelError, "in m kg; expected a unit like N m s/rad"),
        ({"stall_torque": "5 oz"}, ModelError, "in kg; expected a unit like N m"),
        ({"stall_torque": "5 mNms"}, ModelError, "in m^2 kg s^-1; expected a unit like N m, which is m^2 kg s^-2"),
        ({"winding_to_housing": "3 °C"}, ModelError, "in K; expected a unit like K/W"),
        ({"torque_constant": "30,2 mNm/A"}, ModelError, "'30,2 mNm/A', with a comma; expected a point before decimals"),
        ({"no_load_speed": "7,580 rpm"}, ModelError, "such as '1.5 rad/s', and nothing between thousands"),
        ({"torque_constant": True}, ModelError, "torque_constant is True"),
        ({"torque_constant": -0.1}, ModelError, "torque_constant is -0.1; expected a number above zero"),
        ({"torqe_constant": 0.1}, UnknownName, "Did you mean 'torque_constant'"),
        ({"winding_temperature_limit": "155 W"}, ModelError, "expected a temperature in degC, K or degF"),
        ({"terminal_resistance": 1.0}, DataSheetError, "the torque constant is missing; give torque_constant,"),
        ({**KT, "phase_resistance": 1.0}, DataSheetError, "phase_resistance is given alone"),
        ({**KT, "connection": "star"}, DataSheetError, "connection is given alone"),
        ({**STAR, "connection": "ring"}, ModelError, "connection is 'ring'; expected 'star'"),
        ({**STAR, "terminal_resistance": 2.0}, DataSheetError, "both given"),
        ({**KT, "winding_temperature_limit": 155.0}, DataSheetError, "has winding_temperature_limit but lacks"),
        ({**KT, "winding_to_housing": 1.0}, DataSheetError, "has winding_to_housing but lacks housing_to_ambient"),
        ({**KT, "cogging_torque": 1.0}, DataSheetError, "cogging_periods belong together"),
        ({**NO_LOAD, "damping": 1.0}, DataSheetError, "no torque constant gives"),
        ({**RE40, "damping": 1e-4}, DataSheetError, "more than the no-load current's"),
        ({**KT, "no_load_current": 1.0, "damping": 1.0}, DataSheetError, "needs nominal_voltage"),
    ],
)  # fmt: skip
def test_errors(entries: dict[str, object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as raised:
        Motor.from_data_sheet(**entries)
    assert message in str(raised.value)


def test_unit_alone() -> None:
    assert parse_product("N m").powers == parse_product("kg m^2 s^-2").powers == parse_product("J").powers
    np.testing.assert_allclose(float(parse_product("rev/min").size), float(parse_product("rpm").size), rtol=1e-15)


def test_entries_that_say_nothing_are_warned_of() -> None:
    with pytest.warns(
        armdyn.DescriptionWarning, match="stall_torque without nominal_voltage, mechanical_time_constant"
    ):
        Motor.from_data_sheet(
            torque_constant=0.03, terminal_resistance=0.3, stall_torque=2.4, mechanical_time_constant="4.7 ms"
        )


@pytest.mark.parametrize(
    "entries", [{"torque_constant": 1e-200}, {"torque_constant": 0.03, "terminal_resistance": 1e99}]
)
def test_numbers_that_no_motor_has(entries: dict[str, float]) -> None:
    with pytest.raises(armdyn.ModelError, match="between 1e-30 and 1e"):
        Motor.from_data_sheet(**entries)


@pytest.mark.parametrize(
    "text", ["3 V/100rpm", "3 V/10001/min", "3 1000 rpm", "5 rpm/10 mNm", "30 10 mNm", "30 1 0 mNm", "3 V 100"]
)
def test_numbers_are_no_units(text: str) -> None:
    with pytest.raises(ModelError, match="is not a unit"):
        quantity("x", text, "V s/rad")


def test_minutes_without_an_angle_are_ambiguous() -> None:
    with pytest.raises(ModelError, match="'V min' has minutes and no angle; expected such as 'rpm' or 'rad/min'"):
        quantity("x", "3 V min", "V s/rad")


@pytest.mark.parametrize("no_load", [0.095, 0.4])
def test_the_torque_constant_of_a_sheet_without_a_resistance(no_load: float) -> None:
    """V = k w_0 + R I_0 and R = k V/tau_s."""
    k, R, V = 0.0225, 5.0, 12.0
    sheet = {"nominal_voltage": V, "no_load_speed": (V - R * no_load) / k, "no_load_current": no_load}
    for more in ({"stall_current": V / R}, {"stall_torque": k * V / R}):
        motor = Motor.from_data_sheet(**sheet, **more)
        np.testing.assert_allclose([motor.k_t, motor.R], [k, R], rtol=1e-13)
        np.testing.assert_allclose(motor.no_load_speed(V), sheet["no_load_speed"], rtol=1e-13)
