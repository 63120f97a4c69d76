"""Actuators as plain data, which files hold: mappings of their fields, friction laws by their names.

    {"motor": {"rotor_inertia": 1.2e-5}, "gear": {"ratio": 100.0}, "friction": [{"Viscous": {"coefficient": 0.4}}]}

A field that has its default is left out. What fields a part has, and which of them are parts themselves, its class
says: a new law or a new field needs nothing here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import armdyn.actuators
from armdyn.actuators.actuator import Actuator
from armdyn.errors import ArmdynError, ModelError, UnknownName, Unsupported, shown
from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw


class Misfit(ModelError):
    """What makes no actuator: ``path`` leads to it, the names of fields and laws from the outside, and places."""

    def __init__(self, path: tuple[str | int, ...], text: str) -> None:
        super().__init__(text)
        self.path = path


def as_data(actuator: JointActuator) -> dict[str, Any]:
    """The data of an actuator.

    Raises:
        Unsupported: a kind of actuator or law that `armdyn.actuators` does not have: no file could name it.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear
    >>> as_data(Actuator(gear=Gear(50.0), friction=Coulomb(2.0)))
    {'gear': {'ratio': 50.0}, 'friction': [{'Coulomb': {'size': 2.0}}]}
    """
    if type(actuator) is not Actuator:
        raise Unsupported(f"{shown(actuator)} is no armdyn.actuators.Actuator; files hold these alone")
    return _fields(actuator)


def from_data(data: Any) -> Actuator:
    """The actuator of data.

    Raises:
        Misfit: an unknown field or law, one that is missing, or a number that the part refuses.
    """
    return _part(Actuator, data, ())  # type: ignore[no-any-return]


def shown_parts(part: Any) -> str:
    """The parts of an actuator in one line, without the fields that have their defaults.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear
    >>> print(shown_parts(Actuator(gear=Gear(50.0), friction=Coulomb(2.0))))
    Gear(ratio=50), Coulomb(size=2)
    """
    values = [value if isinstance(value, tuple) else (value,) for value in stated(part).values()]
    return ", ".join(", ".join(map(shown_part, value)) or "no friction" for value in values)


def shown_part(value: Any) -> str:
    """A part with the fields that do not have their defaults; a number with six digits."""
    if dataclasses.is_dataclass(value):
        fields = ", ".join(f"{name}={shown_part(field)}" for name, field in stated(value).items())
        return f"{type(value).__name__}({fields})"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


@cache
def known_laws() -> dict[str, type[FrictionLaw]]:
    """The laws of `armdyn.actuators` that can be made, by name."""
    found = {name: getattr(armdyn.actuators, name) for name in armdyn.actuators.__all__}
    return {
        name: kind
        for name, kind in found.items()
        if isinstance(kind, type) and issubclass(kind, FrictionLaw) and not kind.__abstractmethods__
    }


@cache
def fields_of(kind: Any) -> dict[str, tuple[dataclasses.Field[Any], tuple[type, ...]]]:
    """The fields of a part by name, each with the classes that its values may be of."""
    hints = get_type_hints(kind)
    return {field.name: (field, _classes(hints[field.name])) for field in dataclasses.fields(kind) if field.init}


def _classes(hint: Any) -> tuple[type, ...]:
    """The classes that a type names, in unions and in sequences too."""
    if get_origin(hint) in (Union, UnionType) or (get_origin(hint) is not None and get_args(hint)):
        return tuple(found for part in get_args(hint) for found in _classes(part))
    return (hint,) if isinstance(hint, type) else ()


def part_of(classes: tuple[type, ...]) -> type | None:
    """The class of the part that a field holds; None where it holds numbers or words."""
    return next((kind for kind in classes if issubclass(kind, FrictionLaw) or dataclasses.is_dataclass(kind)), None)


# To data


def _fields(part: Any) -> dict[str, Any]:
    return {name: _plain(value) for name, value in stated(part).items()}


def stated(part: Any) -> dict[str, Any]:
    """The values of the fields that do not have their defaults."""
    fields = ((name, field, getattr(part, name)) for name, (field, _) in fields_of(type(part)).items())
    return {
        name: value
        for name, field, value in fields
        if value is not None and (is_required(field) or repr(value) != repr(_default(field)))
    }


def _plain(value: Any) -> Any:
    if isinstance(value, FrictionLaw):
        name = type(value).__name__
        if known_laws().get(name) is not type(value):
            raise Unsupported(f"{shown(value)} is no law of armdyn.actuators; files name those alone")
        return {name: _fields(value)}
    if dataclasses.is_dataclass(value):
        return _fields(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def is_required(field: dataclasses.Field[Any]) -> bool:
    """Whether a field has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


# From data


def _part(kind: type, data: Any, path: tuple[str | int, ...]) -> Any:
    """An object of a dataclass from the mapping of its fields."""
    if not isinstance(data, Mapping):
        raise Misfit(path, f"{shown(data)} is no {kind.__name__}; expected its fields: {', '.join(fields_of(kind))}")
    known, values = fields_of(kind), {}
    for name, given in data.items():
        if name not in known:
            raise Misfit((*path, name), str(UnknownName.of("field", name, known, kind.__name__)))
        values[name] = _value(known[name][1], given, (*path, name))
    for name, (field, _) in known.items():
        if is_required(field) and name not in values:
            raise Misfit(path, f"{kind.__name__} has no {name}; expected its fields: {', '.join(known)}")
    try:
        return kind(**values)
    except ArmdynError as error:
        raise Misfit(path, str(error)) from error


def _value(classes: tuple[type, ...], given: Any, path: tuple[str | int, ...]) -> Any:
    kind = part_of(classes)
    if kind is None or given is None:
        return given
    if isinstance(given, list):
        return tuple(_value(classes, one, (*path, place)) for place, one in enumerate(given))
    return _law(given, path) if issubclass(kind, FrictionLaw) else _part(kind, given, path)


def _law(given: Any, path: tuple[str | int, ...]) -> FrictionLaw:
    """A law from the mapping of its name to its fields."""
    if not isinstance(given, Mapping) or len(given) != 1:
        raise Misfit(path, f"{shown(given)} is no friction law; expected its name and fields: Coulomb: {{size: 2.0}}")
    ((name, data),) = given.items()
    if name not in known_laws():
        raise Misfit((*path, name), str(UnknownName.of("friction law", name, known_laws(), "armdyn.actuators")))
    return _part(known_laws()[name], {} if data is None else data, (*path, name))  # type: ignore[no-any-return]
