"""Symbolic parameters of a robot, and the resulting `SymbolicArm`.

A parameter has its name in `armdyn.model.parameters`, followed by its component: "gravity", "LINK.mass",
"LINK.com", "LINK.com.x", "LINK.inertia", "LINK.inertia.xx", "JOINT.placement" (origin of the joint's frame in its
parent's, m), "JOINT.placement.x", "FRAME.placement" of the tip, "JOINT.armature", "JOINT.damping", "JOINT.friction",
which include the laws `Viscous` and `Coulomb` of an actuator; "JOINT.parallel_spring.stiffness" etc. of a spring in
parallel with a drive; "JOINT.rotor" and "JOINT.rotor.ratio" of a rotor that is a separate body.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from armdyn.base.advice import either
from armdyn.base.errors import ModelError, UnknownName, Unsupported, excerpt
from armdyn.base.exact import Exact, exact, unit
from armdyn.base.scalars import Scalar
from armdyn.derivation.arm import SymbolicArm, SymbolicBody, SymbolicRotor, SymbolicSpring, Tip
from armdyn.derivation.numbers import EXACT, rational
from armdyn.model.drive import OF_JOINT
from armdyn.model.elements import refuse_elements
from armdyn.model.joint import Joint
from armdyn.model.model import Model
from armdyn.model.parallel_spring import JointSpring
from armdyn.spatial.rotations import Array

AXES = "xyz"
ENTRIES = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}
COMPONENTS = {"inertia": tuple(ENTRIES), "com": tuple(AXES), "placement": tuple(AXES), "gravity": tuple(AXES)}
AGREEMENT = 1e-12
"""The largest relative difference of two numbers of one symbol."""

SPRING_SYMBOLS = {"stiffness": "k", "rest": "r", "quadratic": "kq", "cubic": "kc"}
"""The letters of the parameters of a spring."""

Symbols = str | Mapping[str, Scalar] | None


def symbolic_arm(robot: Any, symbols: Symbols = None) -> SymbolicArm:
    """The arm of a robot with symbols in place of some of its numbers.

    Args:
        robot: an `armdyn.Robot`.
        symbols: "all", or the symbols of the symbolic parameters, by the names of parameters: a name, or an expression
            of SymPy. One symbol for a vector is its length, along its direction; one for an inertia is the prefix of
            the names of its nonzero entries. None for numbers.
    """
    model: Model = robot.model
    _refuse(model)
    numbers = dict(_numbers(model))
    chosen = _all(model, numbers) if _is_all(symbols) else dict(symbols or {})  # type: ignore[arg-type]
    described = _SymbolicParameters(model.name, numbers)
    for name, value in chosen.items():
        described.set(name, value)
    described.check()
    return _assembled(model, described)


def _is_all(symbols: Symbols) -> bool:
    if isinstance(symbols, str) and symbols != "all":
        raise ModelError(f"symbols is {symbols!r}; expected 'all', or a symbol by name of a parameter")
    if symbols is not None and not isinstance(symbols, str | Mapping):
        raise ModelError(f"symbols is {excerpt(symbols)}; expected 'all', or a symbol by name of a parameter")
    return symbols == "all"


def _refuse(model: Model) -> None:
    """Raise Unsupported if a model has terms that derivations do not support."""
    refuse_elements(model, "a derivation")
    for joint in model.joints:
        if others := joint.other_laws:
            names = ", ".join(dict.fromkeys(type(law).__name__ for law in others))
            raise Unsupported(
                f"joint {joint.name!r} of {model.name!r} has friction laws of its actuator, which a derivation does "
                f"not write ({names}); expected Viscous and Coulomb, or derive "
                + either("robot.without_friction()", "with --ignore-friction")
            )
        if curved := [spring for spring in joint.parallel_springs if type(spring) is not JointSpring]:
            raise Unsupported(
                f"joint {joint.name!r} of {model.name!r} has {excerpt(curved[0])}, whose force is not a polynomial of "
                "q; expected JointSpring, or derive robot.without_parallel_springs()"
            )
        if joint.has_spring:
            raise Unsupported(
                f"joint {joint.name!r} of {model.name!r} has a spring between rotor and link, which a derivation does "
                "not write; derive the arm with stiff joints"
            )


def _numbers(model: Model) -> Iterator[tuple[str, Fraction]]:
    """Every scalar parameter and its number."""
    for axis, g in zip(AXES, model.gravity, strict=True):
        yield f"gravity.{axis}", rational(g)
    for joint in model.joints:
        inertia = model.link(joint.child).exact_inertia
        for axis, x in zip(AXES, joint.exact_placement[:3, 3], strict=True):
            yield f"{joint.name}.placement.{axis}", rational(x)
        yield f"{joint.child}.mass", rational(inertia.mass)
        for axis, x in zip(AXES, inertia.com, strict=True):
            yield f"{joint.child}.com.{axis}", rational(x)
        for entry, place in ENTRIES.items():
            yield f"{joint.child}.inertia.{entry}", rational(inertia.tensor[place])
        numbers = {"armature": joint.armature} | joint.total_friction._asdict()
        for quantity in OF_JOINT:
            yield f"{joint.name}.{quantity}", rational(numbers[quantity])
        for name, spring in joint.named_parallel_springs.items():
            yield from ((f"{name}.{quantity}", rational(value)) for quantity, value in spring.numbers.items())
        for name, rotor in joint.rotors.items():
            yield name, rational(rotor.moment_about_axis)
            yield f"{name}.ratio", rational(rotor.gear_ratio)
    if model.tip is not None and model.tip != model.base:
        frame = model.frame()
        if frame.name not in model.link_names:
            for axis, x in zip(AXES, frame.exact_pose[:3, 3], strict=True):
                yield f"{frame.name}.placement.{axis}", rational(x)


def _all(model: Model, numbers: Mapping[str, Fraction]) -> dict[str, object]:
    """A symbol with the usual name for every parameter that is not zero."""
    chosen: dict[str, Scalar] = {"gravity": "g"}
    for i, joint in enumerate(model.joints, start=1):
        link = joint.child
        vectors = {f"{joint.name}.placement": f"L{i - 1}", f"{link}.com": f"lc{i}"}
        chosen |= {f"{link}.mass": f"m{i}"} | vectors | {f"{link}.inertia": f"I{i}"}
        chosen |= {f"{joint.name}.{quantity}": f"{letter}{i}" for quantity, letter in zip(OF_JOINT, "abf", strict=True)}
        for name, apart in zip(joint.named_parallel_springs, ("", *"bcdefgh"), strict=False):
            chosen |= {f"{name}.{quantity}": f"{symbol}{i}{apart}" for quantity, symbol in SPRING_SYMBOLS.items()}
        for name, apart in zip(joint.rotors, ("", *"bcdefgh"), strict=False):
            chosen |= {name: f"Ir{i}{apart}", f"{name}.ratio": f"G{i}{apart}"}
    if model.tip is not None:
        chosen[f"{model.tip}.placement"] = f"L{len(model.joints)}"
    return dict(_entry_by_entry(chosen, numbers))


def _entry_by_entry(chosen: Mapping[str, str], numbers: Mapping[str, Fraction]) -> Iterator[tuple[str, str]]:
    """Symbols of vectors with several nonzero entries, one per entry: L1x, L1z."""
    for name, symbol in chosen.items():
        kind = name.rpartition(".")[2]
        if kind not in COMPONENTS:
            if numbers.get(name):
                yield name, symbol
            continue
        entries = [part for part in COMPONENTS[kind] if numbers.get(f"{name}.{part}")]
        if len(entries) == 1 and kind != "inertia":
            yield name, symbol
        else:
            yield from ((f"{name}.{part}", f"{symbol}{part}") for part in entries)


class _SymbolicParameters:
    """The scalar parameters of a robot, initially numbers, and the symbols that replace them."""

    def __init__(self, robot: str, numbers: Mapping[str, Fraction]) -> None:
        self.robot, self.numbers = robot, numbers
        self.expressions: dict[str, Any] = dict(numbers)
        self.values: dict[sympy.Symbol, float] = {}
        self.meanings: dict[sympy.Symbol, str] = {}

    def set(self, name: str, value: Scalar) -> None:
        """Replace a parameter by a symbol, an expression or several of them."""
        if name in self.numbers:
            self._set(name, _expression(name, value), float(self.numbers[name]))
            return
        parts = [part for part in self.numbers if part.rpartition(".")[0] == name]
        kind = name.rpartition(".")[2]
        if not parts or kind not in COMPONENTS:
            choices = [
                *self.numbers,
                *dict.fromkeys(part.rpartition(".")[0] for part in self.numbers if _is_part(part)),
            ]
            raise UnknownName.of("parameter", name, choices, repr(self.robot))
        if isinstance(value, Sequence) and not isinstance(value, str):
            self._set_each(name, parts, value)
        elif kind == "inertia":
            self._set_inertia(name, parts, value)
        else:
            self._set_length(name, parts, value)

    def _set_each(self, name: str, parts: list[str], values: Sequence[Scalar]) -> None:
        if len(values) != len(parts):
            raise ModelError(f"symbols[{name!r}] has {len(values)} entries; expected {len(parts)}: {', '.join(parts)}")
        for part, value in zip(parts, values, strict=True):
            self.set(part, value)

    def _set_inertia(self, name: str, parts: list[str], prefix: object) -> None:
        if not isinstance(prefix, str | sympy.Symbol):
            raise ModelError(
                f"symbols[{name!r}] is {excerpt(prefix)}; expected a name, or a symbol for each of {parts}"
            )
        for part in parts:
            if self.numbers[part]:
                self.set(part, f"{prefix}{part.rpartition('.')[2]}")

    def _set_length(self, name: str, parts: list[str], value: object) -> None:
        """Replace a vector by one symbol, its length along its direction."""
        vector = exact([Exact(self.numbers[part].numerator) / self.numbers[part].denominator for part in parts])
        if not any(self.numbers[part] for part in parts):
            raise ModelError(
                f"symbols[{name!r}]: the vector is zero and has no direction; give the entries that are to be symbols, "
                f"such as {parts[0]!r}"
            )
        length, expression = math.hypot(*map(float, vector)), _expression(name, value)
        self._note(name, expression, length)
        for part, entry in zip(parts, unit(vector), strict=True):
            self.expressions[part] = expression * _exact_number(rational(entry, EXACT))

    def _set(self, name: str, expression: Scalar, number: float) -> None:
        self._note(name, expression, number)
        self.expressions[name] = expression

    def _note(self, name: str, expression: object, number: float) -> None:
        if not isinstance(expression, sympy.Symbol):
            return
        value = self.values.setdefault(expression, number)
        if abs(value - number) > AGREEMENT * max(abs(value), abs(number)):
            raise ModelError(
                f"the symbol {expression} stands for {value:g} ({self.meanings[expression]}) and for {number:g} "
                f"({_meaning(name)}); give them different symbols"
            )
        meaning = self.meanings.get(expression)
        self.meanings[expression] = _meaning(name) if meaning is None else f"{meaning}, {_meaning(name)}"

    def check(self) -> None:
        """Raise ModelError if expressions do not have the values of the numbers that they replace."""
        for name, expression in self.expressions.items():
            if isinstance(expression, Fraction) or not expression.free_symbols <= set(self.values):
                continue
            number, result = float(self.numbers[name]), float(expression.subs(self.values))
            if abs(result - number) > AGREEMENT * max(1.0, abs(number)):
                raise ModelError(
                    f"symbols[{name!r}] is {expression}, which is {result:g}; {self.robot!r} has {number:g}"
                )

    def vector(self, name: str) -> Array:
        """The expressions of x, y, z."""
        return np.array([self.expressions[f"{name}.{axis}"] for axis in AXES], dtype=object)

    def tensor(self, name: str) -> Array:
        """The expressions of a symmetric matrix."""
        filled = np.empty((3, 3), dtype=object)
        for entry, (i, j) in ENTRIES.items():
            filled[i, j] = filled[j, i] = self.expressions[f"{name}.{entry}"]
        return filled


def _is_part(name: str) -> bool:
    return name.rpartition(".")[0].rpartition(".")[2] in COMPONENTS


def _meaning(name: str) -> str:
    """A description of a parameter.

    >>> _meaning("link_1.com.x"), _meaning("gravity")
    ('com.x of link_1', 'gravity')
    """
    words = name.split(".")
    for k, word in enumerate(words):
        if word in (*COMPONENTS, "mass", *OF_JOINT, "parallel_spring") and k:
            return f"{'.'.join(words[k:])} of {'.'.join(words[:k])}"
    return name


def _exact_number(number: Fraction) -> sympy.Rational:
    return sympy.Rational(number.numerator, number.denominator)


RESERVED = ("q", "qd", "qdd", "sign_qd", "tau")


def _expression(name: str, value: Scalar) -> Scalar:
    """A symbol from its name, or an expression that is a polynomial of symbols."""
    if isinstance(value, str):
        if not value.isidentifier():
            raise ModelError(
                f"symbols[{name!r}] is {value!r}; expected a name such as 'm1', or an expression of SymPy's symbols"
            )
        value = sympy.Symbol(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _exact_number(rational(value))
    if not isinstance(value, sympy.Expr):
        raise ModelError(f"symbols[{name!r}] is {excerpt(value)}; expected a name or an expression of SymPy")
    names_in_use = sorted(s.name for s in value.free_symbols if s.name.rstrip("0123456789") in RESERVED)
    if names_in_use:
        raise ModelError(
            f"symbols[{name!r}]: {names_in_use[0]!r} is the name of a coordinate or a rate; choose another"
        )
    if not value.is_polynomial(*value.free_symbols):
        raise Unsupported(f"symbols[{name!r}] is {value}; expected a polynomial of its symbols, such as m*L**2/12")
    return value.replace(lambda e: e.is_Float, lambda e: _exact_number(rational(float(e))))


def _assembled(model: Model, described: _SymbolicParameters) -> SymbolicArm:
    order = _outwards(model)
    place = {model.joints[k].child: i for i, k in enumerate(order)}
    bodies = tuple(_body(model.joints[k], place, described) for k in order)
    coordinates = model.coordinates
    if model.coupling is None:
        matrix = [[Fraction(j == k) for j in range(len(order))] for k in order]
        offset = [Fraction(0)] * len(order)
    else:
        matrix = [[rational(x) for x in model.coupling.matrix[k]] for k in order]
        offset = [rational(model.coupling.offset[k]) for k in order]
    return SymbolicArm(
        model.name,
        bodies,
        described.vector("gravity"),
        tuple(c.name for c in coordinates),
        tuple(c.kind == "prismatic" for c in coordinates),
        np.array(matrix, dtype=object),
        np.array(offset, dtype=object),
        described.values,
        described.meanings,
        _tip(model, place, described),
        model.constraints,
        _has_rounded_numbers(bodies),
        tuple(_rotors(model, place, described)),
    )


def _outwards(model: Model) -> list[int]:
    """The joints, each after its parent, otherwise in the order of the description."""
    reached, remaining, order = {model.base}, list(range(len(model.joints))), list[int]()
    while remaining:
        k = next(k for k in remaining if model.joints[k].parent in reached)
        order.append(k)
        remaining.remove(k)
        reached.add(model.joints[k].child)
    return order


def _body(joint: Joint, place: Mapping[str, int], described: _SymbolicParameters) -> SymbolicBody:
    link = joint.child
    return SymbolicBody(
        link,
        joint.name,
        joint.kind == "revolute",
        place.get(joint.parent, -1),
        _rationals(joint.exact_placement[:3, :3]),
        described.vector(f"{joint.name}.placement"),
        _rationals(unit(exact(joint.axis))),
        described.expressions[f"{link}.mass"],
        described.vector(f"{link}.com"),
        described.tensor(f"{link}.inertia"),
        **{quantity: described.expressions[f"{joint.name}.{quantity}"] for quantity in OF_JOINT},
        springs=tuple(
            SymbolicSpring(**{quantity: described.expressions[f"{name}.{quantity}"] for quantity in SPRING_SYMBOLS})
            for name in joint.named_parallel_springs
        ),
    )


def _rotors(model: Model, place: Mapping[str, int], described: _SymbolicParameters) -> Iterator[SymbolicRotor]:
    for joint in model.joints:
        for name, rotor in joint.rotors.items():
            where = model.place_of(rotor, joint)
            inertia, ratio = described.expressions[name], described.expressions[f"{name}.ratio"]
            yield SymbolicRotor(
                name, place[joint.child], place.get(where.link, -1), _rationals(where.axis), inertia, ratio
            )


def _tip(model: Model, place: Mapping[str, int], described: _SymbolicParameters) -> Tip | None:
    if model.tip is None or model.frame().link == model.base:
        return None
    frame = model.frame()
    own = f"{frame.name}.placement.x" in described.expressions
    p = described.vector(f"{frame.name}.placement") if own else _rationals(frame.exact_pose[:3, 3])
    return Tip(frame.name, place[frame.link], _rationals(frame.exact_pose[:3, :3]), p)


def _rationals(values: Array) -> Array:
    return np.asarray(np.vectorize(lambda x: rational(x, EXACT), otypes=[object])(values))


def _has_rounded_numbers(bodies: Sequence[SymbolicBody]) -> bool:
    """Return True if some axis or rotation is orthonormal only up to rounding."""
    one = np.eye(3, dtype=int)
    return any((one != body.R.T @ body.R).any() or body.axis @ body.axis != 1 for body in bodies)
