"""One way to check arguments: numbers, arrays, values per joint, rotations, directions, switches, choices, names.

Each message names the argument, what was given and what was expected. ``error`` makes the error of a value; another
shape is a `ShapeError`, and an array of something else than real numbers a `DTypeError`, in every package.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import EllipsisType
from typing import Any, Protocol

import numpy as np

from armdyn.base.arrays import Names, as_plain, is_masked
from armdyn.base.errors import (
    LONGEST_SHOWN,
    ArmdynError,
    DTypeError,
    ModelError,
    SettingError,
    ShapeError,
    UnknownName,
    excerpt,
)
from armdyn.base.scalars import Array

Error = Callable[[str], Exception]
"""A class of errors, or what else makes one of a message."""

Shape = tuple[int | str | EllipsisType, ...]
"""Sizes of axes; a letter is any size, ... in front for the axes of a batch."""

ROUNDING = 1e-9
"""The tolerance on R^T R of a rotation and on the length of a direction: descriptions are printed with rounding."""

PRINTED = 1e-5
"""The tolerance on R^T R of a rotation that was printed with about six digits."""

_HELD = {"c": "complex numbers", "U": "text", "S": "text", "O": "Python objects"}


class NamedJoints(Protocol):
    """An arm with a name and names of joints, for messages."""

    @property
    def name(self) -> str:
        """The arm's name."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The coordinates, in the order of q."""


# Numbers.


def number(
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
    infinite: bool = False,
    unit: str = "",
    expected: str = "",
    error: Error = ModelError,
) -> float:
    """``value`` as a float: a real number within bounds, of Python's, NumPy's or another library's, and no bool.

    Args:
        name: the argument's, for messages.
        value: what was given for it.
        above: it must be greater.
        least: it must not be smaller.
        below: it must be smaller.
        infinite: whether infinity will do; NaN never does.
        unit: for messages.
        expected: text of messages in place of the bounds.
        error: makes the error of a message.

    >>> number("step", np.float32(0.5), above=0.0, unit="s")
    0.5
    """
    result = value if type(value) is float else as_float(value)
    if not (above < result and least <= result and (result < below or (infinite and result == math.inf))):
        expectation = expected or _bounded(above, least, below) + (f", in {unit}" if unit else "")
        raise error(f"{name} is {excerpt(value)}; expected {expectation}")
    return result


def divisor(name: str, value: object, *, unit: str = "", expected: str = "") -> float:
    """``value`` as a float above zero that one can divide by: one by it is finite; see `number`."""
    result = number(name, value, above=0.0, unit=unit, expected=expected)
    if 1.0 / result == math.inf:
        raise ModelError(
            f"{name} is {result:g}; expected {expected or 'a number above zero'}, and 1/{result:g} is infinite"
        )
    return result


def as_float(value: object) -> float:
    """The float that a real number is; NaN of anything else, and of bools."""
    if isinstance(value, bool | np.bool_) or is_masked(value):
        return math.nan
    try:
        values = np.asarray(as_plain("value", value))
    except (ArmdynError, ValueError):  # units, no array, ragged lists
        return math.nan
    floats = None if values.ndim or values.dtype.kind == "b" else _floats(values)
    return math.nan if floats is None else float(floats)


def _bounded(above: float, least: float, below: float) -> str:
    """The bounds of a number in words."""
    limits = (("above", above), ("of at least", least), ("below", below))
    texts = [f"{word} {f'{limit:g}' if limit else 'zero'}" for word, limit in limits if math.isfinite(limit)]
    return f"a number {' and '.join(texts)}" if texts else "a finite number"


def whole_number(name: str, value: Any, *, least: int, most: int | None = None, error: Error = ModelError) -> int:
    """``value`` as an integer from ``least`` to ``most``, if there is a most; no bool.

    >>> whole_number("starts", np.int64(3), least=1)
    3
    """
    try:
        result = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        result = least - 1
    if result < least:
        raise error(f"{name} is {excerpt(value)}; expected a whole number of at least {least}")
    if most is not None and result > most:
        raise error(f"{name} is {excerpt(value)}; expected a whole number from {least} to {most:,}")
    return result


# Arrays.


def array(
    name: str,
    value: object,
    shape: Shape | None = None,
    meaning: str = "",
    *,
    finite: Error | None = None,
    missing: bool = False,
    names: Names = None,
    owner: str = "",
) -> Array:
    """``value`` as a float64 array of that shape: no text, complex numbers or None.

    Args:
        name: the argument's, for messages.
        value: what was given for it.
        shape: see `Shape`; None for any.
        meaning: what is expected, in words.
        finite: the error of NaN and infinity; None if they are allowed.
        missing: whether masked entries are NaN, instead of refused.
        names: what the last axis counts; tables are put into that order.
        owner: whose names those are.

    Raises:
        ShapeError: another shape.
        DTypeError: what is not made of real numbers, or has masked ones, or units.

    >>> array("gravity", (0, 0, -9.81), (3,), "m/s^2")
    array([ 0.  ,  0.  , -9.81])
    """
    if type(value) is np.ndarray and value.dtype == np.float64 and (shape is None or _fits(value.shape, shape)):
        plain: Array = value.astype(np.float64)
        if finite is None or np.isfinite(plain).all():
            return plain
    expected = ", ".join(part for part in ("" if shape is None else _dimensions(shape), meaning) if part)
    real = f"real numbers{expected and ': '}{expected}"
    if not missing and is_masked(value):
        raise DTypeError(f"{name} has masked values; expected {real}")
    try:
        values = np.asarray(as_plain(name, value, (names,), owner))
    except ArmdynError:
        raise
    except ValueError:
        raise ShapeError(f"{name} is ragged: its rows differ in length; expected {expected}") from None
    floats = _floats(values)
    if floats is None:
        text = excerpt(value)
        description = f", {text}" if len(text) < LONGEST_SHOWN else ""
        content = _HELD.get(values.dtype.kind, str(values.dtype))
        raise DTypeError(f"{name} holds {content}{description}; expected {real}")
    if shape is not None and not _fits(floats.shape, shape):
        raise ShapeError(f"{name} has shape {floats.shape}; expected {expected}")
    if finite is not None and not np.isfinite(floats).all():
        place = _index(~np.isfinite(floats))
        raise finite(f"{_place_text(name, place)} is {floats[place]}; expected finite {real}")
    return floats


def without_booleans(name: str, value: object) -> Any:
    """``value`` without True and False, which NumPy would take for 1 and 0.

    Raises:
        DTypeError: for a value with one.
    """
    if isinstance(value, bool | np.bool_) or (isinstance(value, np.ndarray) and value.dtype == bool):
        raise DTypeError(f"{name} holds {excerpt(value)}; expected real numbers")
    if isinstance(value, list | tuple):
        for each in value:
            without_booleans(name, each)
    return value


def _floats(values: Array) -> Array | None:
    """The array in float64, a copy; None if it holds other values than real numbers."""
    if values.dtype.kind not in "fiubO":
        return None
    if values.dtype == object and any(x is None or isinstance(x, str | bytes) for x in values.flat):
        return None  # NumPy would take None for NaN, and read texts
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinity, which is for others to judge
            return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _fits(sizes_of_array: tuple[int, ...], shape: Shape) -> bool:
    sizes = shape[1:] if shape[:1] == (...,) else shape
    if len(sizes_of_array) < len(sizes) or (len(sizes_of_array) > len(sizes) and sizes is shape):
        return False
    return all(isinstance(size, str) or size == n for size, n in zip(sizes[::-1], sizes_of_array[::-1], strict=False))


def _dimensions(shape: Shape) -> str:
    return f"({', '.join('...' if n is ... else str(n) for n in shape)}{',' if len(shape) == 1 else ''})"


def _index(wrong: Array) -> tuple[int, ...]:
    """The index of the first that is wrong."""
    return tuple(map(int, np.argwhere(wrong)[0]))


def _place_text(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def vector(name: str, value: object, meaning: str = "", *, error: Error = ModelError) -> tuple[float, float, float]:
    """Three finite numbers, of whatever kind of sequence; all that is wrong with them is the ``error``."""
    try:
        x, y, z = array(name, value, (3,), meaning, finite=error).tolist()
    except (ShapeError, DTypeError) as problem:
        raise error(str(problem)) from None
    return x, y, z


def joint_array(
    arm: NamedJoints,
    name: str,
    value: object,
    shape: Shape | None = None,
    meaning: str = "",
    *,
    finite: Error | None = None,
    missing: bool = False,
) -> Array:
    """``value`` as `array`, its last axis in the order of the arm's joints if it has their names."""
    names, owner = arm.joint_names, repr(arm.name)
    return array(name, value, shape, meaning, finite=finite, missing=missing, names=names, owner=owner)


def per_joint(arm: NamedJoints, **values: object) -> list[Array]:
    """Values of each joint by the arguments' names, copied to one batch, shape (..., n); masked ones are NaN."""
    shape, each = (..., len(arm.joint_names)), one_per_joint(arm)
    return one_batch(
        **{name: joint_array(arm, name, value, shape, each, missing=True) for name, value in values.items()}
    )


def one_per_joint(arm: NamedJoints) -> str:
    """The expected values per joint, for messages: all joints of a few, the first and the last of many."""
    names = arm.joint_names
    few = names if len(names) <= 3 else (names[0], "...", names[-1])
    return f"one value per joint of {arm.name!r}: {' '.join(few)}"


def one_batch(**arrays: Array) -> list[Array]:
    """Arrays of vectors, shapes (..., k), copied to one batch."""
    try:
        batch = np.broadcast_shapes(*(a.shape[:-1] for a in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape[:-1]}" for name, a in arrays.items())
        raise ShapeError(f"the batches of the arguments do not broadcast together: {shapes}") from None
    return [np.array(np.broadcast_to(a, (*batch, a.shape[-1])), order="C") for a in arrays.values()]


def scalars(name: str, value: object, shape: tuple[int, ...], *, exact: bool = False) -> Array:
    """``value`` as an array of that shape: of float64 if all are numbers, of objects if it has symbols.

    For arithmetic with symbols, ``exact`` keeps whole numbers whole, so that 1 x is x and not 1.0 x.
    """
    try:
        result = np.asarray(value)
    except ValueError:
        raise ShapeError(f"{name} is ragged: its rows differ in length; expected {shape}") from None
    if result.shape != shape:
        raise ShapeError(f"{name} has shape {result.shape}; expected {shape}")
    if exact and result.dtype.kind in "iu":
        return result.astype(object)
    if result.dtype.kind in "fiub":
        return result.astype(np.float64)
    if result.dtype != object or any(x is None or isinstance(x, str | bytes | complex) for x in result.flat):
        content = _HELD.get(result.dtype.kind, str(result.dtype))
        raise DTypeError(f"{name} holds {content}; expected real numbers or symbols: {shape}")
    return result


# Rotations, poses and directions, one or many; of symbols nothing is judged.


def rotation(name: str, R: Array, *, tolerance: float = ROUNDING, error: Error = ModelError) -> Array:
    """R, shape (..., 3, 3), if its numbers are rotations; else the error."""
    if R.dtype == object:
        return R
    with np.errstate(all="ignore"):
        off = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-2, -1))
        mirrored = np.linalg.det(R) < 0.0
    crooked = ~(off <= tolerance)  # NaN too
    if crooked.any():
        index = _index(crooked)
        raise error(
            f"{_place_text(name, index)} is not a rotation: its columns are not orthonormal, R^T R is off the identity "
            f"by {off[index]:.3g}; expected three perpendicular unit vectors as columns "
            "(scipy.spatial.transform.Rotation.from_matrix(R).as_matrix() gives the nearest)"
        )
    if mirrored.any():
        index = _index(mirrored)
        raise error(
            f"{_place_text(name, index)} is not a rotation: its columns are left-handed (det R = -1); turn one of the "
            "three axes round"
        )
    return R


def pose(name: str, T: Array, *, tolerance: float = ROUNDING, error: Error = ModelError) -> Array:
    """T = (R, p), shape (..., 4, 4), if its numbers are rigid motions; else the error."""
    if T.dtype == object:
        return T
    rotation(f"the rotation of {name}", T[..., :3, :3], tolerance=tolerance, error=error)
    last = np.abs(T[..., 3, :] - (0.0, 0.0, 0.0, 1.0)).max(axis=-1) <= ROUNDING
    wrong = ~(last & np.isfinite(T[..., :3, 3]).all(axis=-1))
    if wrong.any():
        index = _index(wrong)
        raise error(
            f"{_place_text(name, index)} is not a pose: its last row is {T[index][3]}, its position {T[index][:3, 3]}; "
            "expected the last row 0 0 0 1 and finite numbers"
        )
    return T


def printed_pose(name: str, T: object, *, exact: bool = False) -> Array:
    """T, shape (4, 4), of symbols or of numbers as descriptions print them."""
    return pose(name, scalars(name, T, (4, 4), exact=exact), tolerance=PRINTED)


def direction(name: str, v: Array, *, tolerance: float = ROUNDING, error: Error = ModelError) -> Array:
    """v, shape (..., 3), if its numbers are unit vectors; else the error."""
    if v.dtype == object:
        return v
    with np.errstate(all="ignore"):
        wrong = ~(np.abs(np.linalg.norm(v, axis=-1) - 1.0) <= tolerance)
    if wrong.any():
        index = _index(wrong)
        raise error(f"{_place_text(name, index)} {wrong_length(v[index])}")
    return v


def wrong_length(v: Array) -> str:
    """The message for a vector that is not a unit vector, with the unit vector along it."""
    largest = float(np.abs(v).max())
    if not 0.0 < largest < math.inf:  # NaN too
        return f"has length {largest:g}; expected a unit vector such as (0, 0, 1)"
    along = v / largest
    unit = ", ".join(repr(float(x)) for x in along / math.hypot(*along))
    return f"has length {largest * math.hypot(*along):.9g}; expected a unit vector, here ({unit})"


# Switches, choices and names.


def switch(name: str, value: object, *, error: Error = ModelError) -> bool:
    """True or False, of Python's or of NumPy's."""
    if not isinstance(value, bool | np.bool_):
        raise error(f"{name} is {excerpt(value)}; expected True or False")
    return bool(value)


def is_one_of(value: object, words: Collection[str]) -> bool:
    """True if a value is one of some words; the value has any type, and may have no hash."""
    return isinstance(value, str) and value in words


def choice(name: str, value: object, words: Collection[str], *, error: Error = ModelError) -> str:
    """One of some words."""
    if not is_one_of(value, words):
        *first, last = map(repr, words)
        raise error(f"{name} is {excerpt(value)}; expected {', '.join(first)}{' or ' if first else ''}{last}")
    return str(value)


def places(
    argument: str,
    names: str | Iterable[str],
    choices: Sequence[str],
    kind: str,
    owner: str,
    *,
    error: Error = ModelError,
) -> list[int]:
    """The places of names among the known ones, in the order given; one name at least, and each once.

    Args:
        argument: its name, for messages.
        names: one, or several.
        choices: all that there are.
        kind: what they are names of, and
        owner: of what, for messages.
        error: makes the error of no name, or of one given twice.

    Raises:
        UnknownName: a name that is not known.

    >>> places("components", ("vx", "wz"), ("wx", "wy", "wz", "vx", "vy", "vz"), "component", "a twist")
    [3, 2]
    """
    values = [names] if isinstance(names, str) else list(names)
    for name in values:
        if name not in choices:
            raise UnknownName.of(kind, name, choices, owner)
    if not values or len(set(values)) < len(values):
        fault = "names one more than once" if values else "names none"
        raise error(f"{argument}={names!r} {fault}; expected some of {', '.join(choices)}, each once")
    return [choices.index(name) for name in values]


def text_problems(value: object, name: str) -> Iterator[str]:
    """The message for a value that is not a name."""
    if not isinstance(value, str):
        yield f"{name} is {excerpt(value)}; expected a text."
    elif not value.strip():
        yield f"{name} is {value!r}; expected a text that is not blank."


def object_problems(value: object, kind: type, name: str) -> Iterator[str]:
    """The message for a value that is not an object of this class."""
    if not isinstance(value, kind):
        yield f"{name} is {excerpt(value)}; expected an armdyn.{kind.__name__}."


def listed(values: Any) -> list[Any] | None:
    """The entries of a list, tuple or array; None of anything else: a text, a mapping, a set, something without end."""
    if isinstance(values, str | bytes | Mapping | AbstractSet):
        return None
    try:
        len(values)
        return list(values)
    except TypeError:  # also arrays without axes
        return None


def refuse_class(name: str, value: object, kinds: tuple[type, ...]) -> None:
    """Raise for one of these classes itself as the value of an argument that is an object of it.

    >>> from armdyn.base.checks import refuse_class
    >>> refuse_class("method", armdyn.simulation.Heun, (armdyn.simulation.Heun,))
    Traceback (most recent call last):
        ...
    armdyn.base.errors.SettingError: method has the class Heun; expected an object, Heun(...)
    """
    if isinstance(value, type) and issubclass(value, kinds):
        raise SettingError(f"{name} has the class {value.__name__}; expected an object, {value.__name__}(...)")


def objects_with(name: str, values: object, part: str, expected: str) -> list[Any]:
    """The objects of an argument, one alone or in a sequence, each of which has the attribute ``part``.

    Raises:
        SettingError: anything else among them.
    """
    objects = list(values) if isinstance(values, list | tuple) else [values]
    for one in objects:
        if hasattr(one, part):
            refuse_class(name, one, (object,))
        if isinstance(one, type) or not hasattr(one, part):
            raise SettingError(f"{name} has {one!r}; expected objects such as armdyn.simulation.{expected}")
    return objects
