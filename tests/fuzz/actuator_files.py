# ruff: noqa: E501 - tables of words
"""Files of actuators, damaged: what is read is written and read again the same, and each number of it counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import yaml

import armdyn
from armdyn import actuators
from armdyn.actuators.data import DATA_SHEET, fields_of, known_laws
from armdyn.actuators.data_sheet import ENTRIES
from armdyn.base.yaml_file import read_mapping
from fuzz import plain_data
from fuzz.cases import Finding, Stage, Verdict, file_in_memory, refused
from fuzz.damage import now_and_then_damaged
from fuzz.ignored import judged_by_poke
from fuzz.meaning import Reading, reading_of

SHEETS: tuple[dict[str, Any], ...] = (
    {"torque_constant": "30.2 mN m/A", "terminal_resistance": "0.299 ohm", "rotor_inertia": "142 g cm^2"},
    {"nominal_voltage": "24 V", "no_load_speed": "7580 rpm", "no_load_current": "137 mA", "terminal_resistance": 0.299},
    {"speed_constant": "317 rpm/V", "stall_current": "80.2 A", "nominal_voltage": 24, "rotor_inertia": 1.42e-5},
    {"voltage_constant": "0.0302 V s/rad", "phase_resistance": 0.15, "connection": "star", "peak_current": "30 A"},
    {
        "torque_constant": 0.06,
        "terminal_resistance": 0.5,
        "cogging_torque": "5 mNm",
        "cogging_periods": 12,
        "mass": 0.5,
    },
    {
        "torque_constant": 0.06,
        "stall_torque": 2.4,
        "nominal_voltage": 24,
        "maximum_speed": "9000 rpm",
        "mass": 0.1,
    },
    {
        **{
            "torque_constant": 0.0302,
            "terminal_resistance": 0.299,
            "winding_to_housing": 1.93,
            "housing_to_ambient": 4.65,
        },
        **{"winding_time_constant": 41.5, "motor_time_constant": "809 s", "winding_temperature_limit": "155 degC"},
    },
)
UNITS: dict[str, tuple[str, ...]] = {
    "inertia": ("g cm^2", "kg m^2", "lb in^2"),
    "rotor_inertia": ("g cm^2", "kg mm^2"),
    "voltage": ("V", "mV"),
    "current": ("A", "mA"),
}

WORDS = tuple(
    {
        *("motor", "gear", "friction", "spring", "brake", "rotor", "stator", "limits", "cogging", "thermal", DATA_SHEET),
        *known_laws(), *ENTRIES, *(name for law in known_laws().values() for name in fields_of(law)),
        *("ratio", "efficiency", "back_efficiency", "inertia", "rotor_inertia", "torque_constant", "resistance", "check"),
    }
)  # fmt: skip
KNOWN = sorted(WORDS)


class ActuatorFiles:
    """Damaged files of actuators, YAML and JSON."""

    name, suffix = "actuator_files", ".yaml"

    @cached_property
    def path(self) -> Path:
        """The file."""
        return file_in_memory("drives.yaml")

    def make(self, rng: Random) -> bytes:
        """One to three actuators with up to three changes, and now and then damaged bytes."""
        drives = {f"j{k}": _actuator(rng) for k in range(rng.choice((1, 1, 1, 2)))}
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            plain_data.changed(drives, rng, KNOWN)
        flow = rng.choice((True, False, None))
        text = yaml.safe_dump(drives, default_flow_style=flow, sort_keys=False, allow_unicode=True).encode()
        data = plain_data.as_json(drives) if rng.random() < 0.3 else text
        return now_and_then_damaged(data, rng, 12, (1, 1, 2))

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read; written and read again; with another number."""
        rng = Random(data)  # noqa: S311
        stage("armdyn")
        try:
            first = self._read(data)
        except armdyn.ArmdynError as error:
            return refused(error)
        plain = read_mapping(self.path, "a file", "a: 1")
        if again := self._written_and_read():
            return Verdict("read", Finding("difference", "written and read", again))
        try:
            poke = plain_data.poked(plain, plain_data.as_json, rng, KNOWN, _is_a_check)
        except (TypeError, ValueError):  # dates and sets, which JSON has no words for
            return Verdict("read")
        return judged_by_poke(first, poke, self._read)

    def _read(self, data: bytes) -> Reading:
        self.path.write_bytes(data)
        return reading_of(lambda: (actuators.read(self.path), ()))

    def _written_and_read(self) -> str:
        drives = actuators.read(self.path)
        self.path.write_text(actuators.write(drives), encoding="utf-8")
        again = actuators.read(self.path)
        return "" if again == drives else f"{drives}\n{again}"


def _is_a_check(data: Any, place: plain_data.Place) -> bool:
    """Whether a number is an entry of a data sheet that contradicts others without being looked at, as is asked for."""
    if DATA_SHEET not in place:
        return False
    for key in place[: place.index(DATA_SHEET) + 1]:
        data = data[key]
    return isinstance(data, dict) and data.get("check") is False


def _actuator(rng: Random) -> dict[str, Any]:
    parts: dict[str, Callable[[Random], Any]] = {
        "motor": _motor, "gear": _gear, "friction": _friction, "spring": _spring, "brake": _brake, "rotor": _rotor,
    }  # fmt: skip
    chosen = {name: make for name, make in parts.items() if rng.random() < 0.45}
    if "spring" in chosen:
        chosen.pop("rotor", None)
    return {name: make(rng) for name, make in chosen.items()}


def _some(rng: Random, size: float, *names: str) -> dict[str, Any]:
    found: dict[str, Any] = {name: size * rng.uniform(0.1, 2.0) for name in names if rng.random() < 0.5}
    for name in found:
        if name in UNITS and rng.random() < 0.3:
            found[name] = f"{rng.uniform(1, 500):.4g} {rng.choice(UNITS[name])}"
    return found


def _motor(rng: Random) -> dict[str, Any]:
    if rng.random() < 0.4:
        return {DATA_SHEET: json.loads(json.dumps(rng.choice(SHEETS)))}
    motor = _some(rng, 0.1, "rotor_inertia", "torque_constant", "resistance", "inductance", "friction", "damping")
    if rng.random() < 0.3:
        motor["limits"] = _some(rng, 20.0, "voltage", "current", "current_rate", "speed", "torque")
    if rng.random() < 0.2:
        motor["cogging"] = {"amplitude": 0.01, "periods": 12} | _some(rng, 1.0, "phase")
    if rng.random() < 0.2:
        more = rng.choice(({}, {"housing_to_ambient": 4.65, "housing_capacity": 170.0, "winding_limit": 155}))
        motor["thermal"] = {"winding_to_housing": 2.0, "winding_capacity": 20.0} | more
    return motor | _some(rng, 0.4, "mass")


def _gear(rng: Random) -> dict[str, Any]:
    gear: dict[str, Any] = {"ratio": rng.choice((100, -50.5, rng.uniform(1, 200)))} | _some(rng, 1e-4, "inertia")
    if rng.random() < 0.3:
        gear["efficiency"] = rng.uniform(0.6, 1.0)
        gear |= _some(rng, 0.4, "back_efficiency")
    return gear


def _friction(rng: Random) -> Any:
    laws = [_law(rng) for _ in range(rng.choice((0, 1, 1, 2)))]
    return laws[0] if len(laws) == 1 and rng.random() < 0.3 else laws


def _law(rng: Random) -> dict[str, Any]:
    name = rng.choice(sorted(known_laws()))
    fields = {
        field: _field(field, rng)
        for field, about in fields_of(known_laws()[name]).items()
        if about.is_required or rng.random() < 0.5
    }
    return {name: fields}


def _field(name: str, rng: Random) -> Any:
    if name in ("law", "forwards", "backwards"):
        return {"Coulomb": {"size": rng.uniform(0.1, 2)}}
    if name in ("stiffnesses", "forces"):
        return [rng.uniform(0.1, 2), rng.uniform(0.1, 2)]
    if "efficiency" in name:
        return rng.uniform(0.5, 1.0)
    if name == "shape":
        return rng.choice(("tanh", "root"))
    return rng.uniform(0.1, 0.9) + ("static" in name or name in ("motor", "external"))


def _spring(rng: Random) -> dict[str, Any]:
    return {"stiffness": rng.uniform(100, 1e4)} | _some(rng, 1.0, "damping", "cubic", "backlash")


def _brake(rng: Random) -> dict[str, Any]:
    return {"torque": rng.choice((3.0, "500 mN m"))} | ({"state": "engaged"} if rng.random() < 0.5 else {})


def _rotor(rng: Random) -> Any:
    return {"inertia": rng.uniform(1e-5, 1e-3), "ratio": rng.uniform(1, 100)} | _some(rng, 0.5, "mass", "transverse")
