"""Actuators as plain data, which files hold: mappings of their fields, friction laws by their names.

    {"motor": {"rotor_inertia": 1.2e-5}, "gear": {"ratio": 100.0}, "friction": [{"Viscous": {"coefficient": 0.4}}]}

A field that has its default is left out. The fields of a part, and which of them are parts themselves, follow from its
class: a new law or a new field needs no change here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from armdyn.actuators import limits, motor, thermal
from armdyn.actuators.actuator import Actuator
from armdyn.actuators.brake import Brake
from armdyn.actuators.cogging import Cogging
from armdyn.actuators.gear import Gear
from armdyn.actuators.limits import MotorLimits
from armdyn.actuators.motor import Motor
from armdyn.actuators.thermal import Thermal
from armdyn.base.advice import instead
from armdyn.base.errors import ArmdynError, ModelError, UnknownName, Unsupported, excerpt
from armdyn.base.quantities import quantity
from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw


class Misfit(ModelError):
    """Data of no valid actuator; ``path`` leads to it: names of fields and laws from the outside in, and indices."""

    def __init__(self, path: tuple[str | int, ...], text: str) -> None:
        super().__init__(text)
        self.path = path


def as_data(actuator: JointActuator) -> dict[str, object]:
    """The data of an actuator.

    Raises:
        Unsupported: a kind of actuator or law that `armdyn.actuators` does not have: no file could name it.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear
    >>> as_data(Actuator(gear=Gear(50.0), friction=Coulomb(2.0)))
    {'gear': {'ratio': 50.0}, 'friction': [{'Coulomb': {'size': 2.0}}]}
    """
    if type(actuator) is not Actuator:
        raise Unsupported(f"{excerpt(actuator)} is not an armdyn.actuators.Actuator; a file holds only these")
    return _fields(actuator)


def from_data(data: object) -> Actuator:
    """The actuator of data.

    Raises:
        Misfit: an unknown field or law, one that is missing, or a number that the part refuses.
    """
    return _part(Actuator, data, ())  # type: ignore[no-any-return]


def shown_parts(part: object) -> str:
    """The parts of an actuator in one line, without the fields that have their defaults.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear
    >>> print(shown_parts(Actuator(gear=Gear(50.0), friction=Coulomb(2.0))))
    Gear(ratio=50), Coulomb(size=2)
    """
    values = [value if isinstance(value, tuple) else (value,) for value in entries_of(part).values()]
    return ", ".join(", ".join(map(shown_part, value)) or "no friction" for value in values) or "says nothing"


def shown_part(value: object) -> str:
    """A part with the fields that do not have their defaults; a number with six digits."""
    if dataclasses.is_dataclass(value):
        fields = ", ".join(f"{name}={shown_part(field)}" for name, field in entries_of(value).items())
        return f"{type(value).__name__}({fields})"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def known_laws() -> Mapping[str, type[FrictionLaw]]:
    """The laws of `armdyn.actuators` that can be made, by name."""
    from armdyn.actuators.laws import LAWS  # noqa: PLC0415 - a dozen modules, which most files do not need

    return LAWS


@dataclass(frozen=True)
class Field:
    """A field of a part: required or not, the classes of its values, and one value or several."""

    is_required: bool
    default: Any
    classes: tuple[type, ...]
    several: bool

    @property
    def part(self) -> type | None:
        """The class of the part that it holds, or of the law; None if it holds numbers or words."""
        kinds = (kind for kind in self.classes if issubclass(kind, FrictionLaw) or dataclasses.is_dataclass(kind))
        return next(kinds, None)

    @property
    def is_law(self) -> bool:
        """True if it holds friction laws."""
        return self.part is not None and issubclass(self.part, FrictionLaw)


@cache
def fields_of(kind: type) -> dict[str, Field]:
    """The fields of a part, by name."""
    hints, result = get_type_hints(kind), {}
    for field in dataclasses.fields(kind):
        none = field.default is field.default_factory is dataclasses.MISSING
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        several = any(issubclass(get_origin(hint) or object, Sequence) for hint in _union(hints[field.name]))
        result[field.name] = Field(none, default, _classes(hints[field.name]), several)
    return result


def _union(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _classes(hint: object) -> tuple[type, ...]:
    """The classes that a type names, in unions and in sequences too."""
    if get_args(hint):
        return tuple(kind for part in get_args(hint) for kind in _classes(part))
    return (hint,) if isinstance(hint, type) else ()


# To data


def _fields(part: object) -> dict[str, Any]:
    return {name: _plain(value) for name, value in entries_of(part).items()}


def entries_of(part: object) -> dict[str, Any]:
    """The values of the fields that do not have their defaults."""
    kind: type = type(part)
    values = ((name, field, getattr(part, name)) for name, field in fields_of(kind).items())
    return {
        name: value
        for name, field, value in values
        if field.is_required or not _is_default(part, name, value, field.default)
    }


def _is_default(part: Any, name: str, value: object, default: object) -> bool:
    """True if the part would have this value by default; some fields are derived from others."""
    try:
        return repr(value) == repr(getattr(dataclasses.replace(part, **{name: default}), name))
    except ArmdynError:  # no such part could be made
        return False


def _plain(value: object) -> Any:
    if isinstance(value, FrictionLaw):
        name = type(value).__name__
        if known_laws().get(name) is not type(value):
            raise Unsupported(f"{excerpt(value)} is not a law of armdyn.actuators; a file names only these")
        return {name: _fields(value)}
    if dataclasses.is_dataclass(value):
        return _fields(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


# From data

UNITS: dict[type, dict[str, str]] = {
    Motor: {**motor.UNITS, "torque_constant": "N m/A", "resistance": "ohm"},
    MotorLimits: limits.UNITS,
    Thermal: thermal.UNITS,
    Cogging: {"amplitude": "N m", "phase": "rad"},
    Gear: {"inertia": "kg m^2"},
    Brake: {"torque": "N m"},
}
"""The units of fields that may be texts with a unit, such as "142 g cm^2"."""

DATA_SHEET = "data_sheet"
"""The key that replaces a motor's fields by the entries of its data sheet, for `Motor.from_data_sheet`."""


def _part(kind: type, data: object, path: tuple[str | int, ...]) -> Any:
    """An object of a dataclass from the mapping of its fields."""
    if not isinstance(data, Mapping):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise Misfit(
            path, f"{excerpt(data)} is not {article} {kind.__name__}; expected its fields: {', '.join(fields_of(kind))}"
        )
    if kind is Motor and DATA_SHEET in data:
        return _from_data_sheet(data, path)
    fields, values = fields_of(kind), {}
    for name, datum in data.items():
        if name not in fields:
            raise Misfit((*path, name), str(UnknownName.of("field", name, fields, kind.__name__)))
        values[name] = _value(fields[name], datum, (*path, name))
        if isinstance(datum, str) and (unit := UNITS.get(kind, {}).get(name)):
            values[name] = _construct(
                (*path, name), quantity, f"{name} of {kind.__name__}", datum, unit, needs_unit=True
            )
    for name, field in fields.items():
        if field.is_required and name not in values:
            raise Misfit(path, f"{kind.__name__} has no {name}; expected its fields: {', '.join(fields)}")
    return _construct(path, kind, **values)


def _from_data_sheet(data: Mapping[str, object], path: tuple[str | int, ...]) -> Motor:
    entries = data[DATA_SHEET]
    if len(data) > 1 or not isinstance(entries, Mapping) or not all(isinstance(name, str) for name in entries):
        raise Misfit(path, f"{DATA_SHEET} is {excerpt(entries)}; expected its entries, and no other field of Motor")
    with instead(check="check: false"):
        return _construct((*path, DATA_SHEET), Motor.from_data_sheet, **entries)  # type: ignore[no-any-return]


def _construct(path: tuple[str | int, ...], make: Callable[..., object], *args: object, **fields: object) -> Any:
    """The object made of fields; raises a `Misfit` if they are refused."""
    try:
        return make(*args, **fields)
    except ArmdynError as error:
        raise Misfit(path, str(error)) from error


def _value(field: Field, datum: object, path: tuple[str | int, ...]) -> Any:
    if field.part is None or datum is None:
        return tuple(datum) if isinstance(datum, list) else datum
    if isinstance(datum, list) and field.several:
        return tuple(_value(field, one, (*path, place)) for place, one in enumerate(datum))
    return _law(datum, path) if field.is_law else _part(field.part, datum, path)


def _law(datum: object, path: tuple[str | int, ...]) -> FrictionLaw:
    """A law from the mapping of its name to its fields."""
    if not isinstance(datum, Mapping) or len(datum) != 1:
        raise Misfit(
            path, f"{excerpt(datum)} is not a friction law; expected its name and fields: Coulomb: {{size: 2.0}}"
        )
    ((name, data),) = datum.items()
    if name not in known_laws():
        raise Misfit((*path, name), str(UnknownName.of("friction law", name, known_laws(), "armdyn.actuators")))
    return _part(known_laws()[name], {} if data is None else data, (*path, name))  # type: ignore[no-any-return]
