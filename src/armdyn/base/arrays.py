"""Arrays of other libraries as plain NumPy arrays: by names if they have some, else by position.

pandas, xarray, torch, JAX, dask, unyt, pint and others answer NumPy's functions themselves. What a function of armdyn
would return is then decided there: rows aligned by their labels, columns sorted by name, a frame taken transposed,
units multiplied by numbers that have none. So their objects never get to NumPy's functions; their numbers do.

- *Labels* (pandas, xarray, polars, pyarrow, dask): if the labels of an axis are the names of what the axis counts,
  the numbers are put into that order; a name that is missing or unknown is an error. If no label is such a name,
  position decides. Rows of several tables that are labelled differently are an error, for rows are states. Labels of
  several levels (pandas' MultiIndex) are read by the level that has the names.
- *Values by name* (dicts, structured arrays, data sets of xarray) are put into that order too; their keys are names.
- *Missing numbers* (masked entries, pandas' NA) are NaN, and make NaN of what depends on them.
- *Units* are refused: only the caller can convert them.
- Everything else is read by `numpy.asarray`: tensors on the processor are, tensors elsewhere and those that record
  gradients raise an error with the reason.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from inspect import isroutine
from itertools import chain, combinations
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError, DTypeError, ShapeError, UnknownName
from armdyn.base.scalars import Array

Names = tuple[str, ...] | None
"""The names along an axis, in order; None if it has no names."""

_PLAIN = frozenset({np.ndarray, float, int, bool, complex, str, bytes, type(None), *np.sctypeDict.values()})
_NUMBERS = (float, int, complex, str, bytes, np.generic)
_ARRAY = np.ndarray
_WITH_FIELDS = (np.ndarray, np.void)
_SEQUENCES = (list, tuple)
_LISTS = frozenset(_SEQUENCES)
_DEEPEST = 10
"""Lists within lists; what is deeper is left to NumPy, which raises an error."""

SEVERAL_QUANTITIES = "; of a table of several quantities give one, such as log['q']"

_MEASURES = "give its numbers in rad, m, N and s, such as q.to('rad').magnitude (pint), q.to_value('rad') (unyt)"


def are_plain(values: Collection[Any], depth: int = 0) -> bool:
    """True if NumPy's functions may have these as they are: its own arrays, numbers, and lists of such."""
    kinds = set(map(type, values))
    if kinds <= _PLAIN:
        return kinds.isdisjoint(_WITH_FIELDS) or not any(map(has_fields, values))
    if kinds <= _LISTS and depth < _DEEPEST:
        return are_plain(list(chain.from_iterable(values)), depth + 1)
    return all(is_plain(value, depth) for value in values)


def is_plain(value: object, depth: int = 0) -> bool:
    """True if NumPy's functions may have a value as it is."""
    if type(value) in _PLAIN or isinstance(value, _NUMBERS):
        return not has_fields(value)
    return isinstance(value, _SEQUENCES) and (depth >= _DEEPEST or are_plain(value, depth + 1))


def has_fields(value: object) -> bool:
    """True for a structured array of NumPy, or an element of one."""
    return isinstance(value, _WITH_FIELDS) and value.dtype.names is not None


def are_arrays(values: Iterable[Any]) -> bool:
    """True if all are NumPy's own arrays, as they mostly are: the fastest test."""
    for value in values:  # noqa: SIM110 - a generator takes three times as long
        if type(value) is not _ARRAY:
            return False
    return True


def as_arrays(values: Iterable[Any]) -> list[Any]:
    """Plain values with lists made arrays, once for all who look at them."""
    return [np.asarray(value) if isinstance(value, _SEQUENCES) else value for value in values]


def overlapping(arrays: Iterable[Any]) -> tuple[int, int] | None:
    """The places of the first two arrays that share memory; None if no two do.

    >>> room = np.zeros((2, 6))
    >>> overlapping([room[:, :3], room[:, 3:]]), overlapping([room, room[1]])
    (None, (0, 1))
    """
    for (j, a), (k, b) in combinations(enumerate(arrays), 2):
        if np.may_share_memory(a, b) and np.shares_memory(a, b):
            return j, k
    return None


def takes_results(array: object) -> bool:
    """True if results can be written to an array as NumPy writes them: no units, no mask, no protocol of its own."""
    return type(array) is np.ndarray or (
        isinstance(array, np.ndarray)
        and type(array).__array_ufunc__ is np.ndarray.__array_ufunc__
        and not _is_masked(array)
        and _unit_of(array) is None
    )


def plain_arguments(
    arguments: Mapping[str, Any], names_along: Callable[[str], Sequence[Names]], owner: str
) -> dict[str, Any]:
    """Arguments by name as NumPy's functions may have them.

    Args:
        arguments: the arguments by name.
        names_along: what the last axes of an argument count.
        owner: the robot, for messages.

    Raises:
        UnknownName: labels of which some, and not all, are the names.
        ShapeError: tables whose rows are labelled differently.
        DTypeError: units, and values that are not arrays.
    """
    plain, rows = {}, []
    for name, value in arguments.items():
        along, table = names_along(name), _computed(value)
        plain[name] = as_plain(name, table, along, owner)
        labels = [] if is_plain(table) else _labels(table)
        rows.append((name, labels[: max(0, len(labels) - len(along))]))
    _refuse_different_rows([(name, labels) for name, labels in rows if labels])
    return plain


def as_plain(name: str, value: object, along: Sequence[Names] = (), owner: str = "", depth: int = 0) -> Any:
    """One argument as NumPy's functions may have it; see `plain_arguments`."""
    if is_plain(value):
        return value
    if isinstance(value, _SEQUENCES) and depth < _DEEPEST:
        return [as_plain(name, x, along, owner, depth + 1) for x in value]
    table = _computed(value)
    by_name = _values_by_name(table)
    if by_name is not None:
        return _stack_by_name(name, by_name, along, owner, depth)
    return _in_order(name, _numbers(name, table), _labels(table), along, owner)


def _computed(value: Any) -> Any:
    """The computed value of a dask collection; anything else as it is."""
    graph = getattr(type(value), "__dask_graph__", None)
    return value if graph is None or graph(value) is None else value.compute()


# Values by name.


def keys(value: object) -> Names:
    """The names in values by name, or in the first of a list of such, in their own order; None of anything else."""
    while isinstance(value, _SEQUENCES) and value:
        value = value[0]
    by_name = _values_by_name(value)
    return None if by_name is None else tuple(by_name)


def _values_by_name(value: Any) -> dict[Any, object] | None:
    """Those of a dict, a structured array or a data set of xarray; None of anything else."""
    if has_fields(value):
        return {field: value[field] for field in value.dtype.names}
    return dict(value) if isinstance(value, Mapping) else None


def _stack_by_name(name: str, values: Mapping[Any, Any], along: Sequence[Names], owner: str, depth: int) -> Array:
    """Values by name in the order of the names, along the first axis that has names."""
    axis = next((k for k, names in enumerate(along) if names is not None), None)
    if axis is None:
        return np.asarray(values, dtype=object)  # no array of numbers, of which the caller names what is expected
    names = along[axis] or ()
    _refuse_other_names(name, list(values), names, owner)
    parts = [
        np.asarray(as_plain(f"{name}[{one!r}]", values[one], along[axis + 1 :], owner, depth + 1)) for one in names
    ]
    try:
        return np.stack(np.broadcast_arrays(*parts), axis=axis - len(along))
    except ValueError:
        shapes = ", ".join(f"{one!r} {part.shape}" for one, part in zip(names, parts, strict=True))
        raise ShapeError(f"the values of {name} differ in shape: {shapes}; expected numbers, or as many each") from None


# The numbers.


def _numbers(name: str, value: Any) -> Array:
    if _is_named_array(value) and value.data is not value:
        return _numbers(name, value.data)  # what holds the numbers may have units
    for part in (value, *_dtypes_of(value)):
        _refuse_units(name, part)
    try:
        array = np.asanyarray(value)
    except (ArmdynError, MemoryError):
        raise
    except Exception as error:  # whatever another library raises
        raise DTypeError(f"{name} is a {_kind(value)} that does not become an array: {error}") from None
    if _is_masked(array):
        return _without_mask(array)
    _refuse_units(name, array)
    array = np.asarray(array)
    return _nullable_numbers(value, array) if array.dtype == object else array


def _refuse_units(name: str, value: object) -> None:
    unit = _unit_of(value)
    if unit is not None:
        raise DTypeError(f"{name} is a {_kind(value)} with a unit, {unit}; expected plain numbers: {_MEASURES}")


def _unit_of(value: object) -> str | None:
    """The unit of a quantity of pint, unyt, astropy, quantities, scipp, ...; None of anything else."""
    if _labels(value):  # a column may have any name
        return None
    for attribute in ("units", "unit"):
        unit = _attribute(value, attribute)
        if unit is not None:
            return str(unit) or "dimensionless"
    return None


def is_masked(values: object) -> bool:
    """True if some of the values are masked."""
    return _is_masked(values) and bool(np.ma.is_masked(values))


def _is_masked(array: object) -> bool:
    """True for a masked array. `numpy.ma` is not imported for the test: without it there are no masked arrays."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(array, masked.MaskedArray)


def _without_mask(array: Any) -> Array:
    """NaN in place of masked entries; unchanged if the numbers cannot be NaN and none is masked."""
    numbers, mask = np.asarray(np.ma.getdata(array)), np.ma.getmaskarray(array)
    if not mask.any() or numbers.dtype.kind not in "biuf":
        return numbers
    filled = numbers.astype(numbers.dtype if numbers.dtype.kind == "f" else np.float64)
    filled[mask] = np.nan
    return filled


def _nullable_numbers(value: Any, objects: Array) -> Array:
    """A table whose columns are numbers of pandas' own types, NA as NaN; anything else stays as it is."""
    dtypes = _dtypes_of(value)
    if not dtypes or not all(getattr(dtype, "kind", "O") in "biuf" for dtype in dtypes):
        return objects
    numbers: Array = value.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _dtypes_of(value: object) -> list[object]:
    """The types of the columns of a pandas table."""
    dtypes = _attribute(value, "dtypes") if hasattr(value, "to_numpy") else None
    try:
        return [] if dtypes is None else list(dtypes)
    except TypeError:  # a Series has one
        return [dtypes]


def _kind(value: object) -> str:
    kind = type(value)
    return f"{kind.__module__.split('.')[0]}.{kind.__qualname__}".removeprefix("builtins.")


# Their names.


def _labels(value: Any) -> list[Any]:
    """The labels along each axis of a table, None for an axis without labels; empty without any labels."""
    if _is_named_array(value):
        return [value.coords[axis].to_numpy() if axis in value.coords else None for axis in value.dims]
    columns = _attribute(value, "column_names")  # pyarrow
    columns = _attribute(value, "columns") if columns is None else columns
    rows = _attribute(value, "index")
    if columns is not None:
        return [rows, columns]
    return [] if rows is None else [rows]


def _is_named_array(value: object) -> bool:
    """True for an `xarray.DataArray`, or an object with its attributes."""
    return isinstance(_attribute(value, "dims"), tuple) and hasattr(value, "coords") and hasattr(value, "data")


def _attribute(value: object, name: str) -> Any:
    """An attribute that is data; None if it is missing, or a method (``index`` of sequences)."""
    try:
        result = getattr(value, name, None)
    except Exception:  # an attribute that raises is ignored
        return None
    return None if isroutine(result) else result


def _in_order(name: str, array: Array, labels: Sequence[object], along: Sequence[Names], owner: str) -> Array:
    """The numbers in the order of the names along their last axes."""
    if len(labels) != array.ndim:
        return array
    for axis, names in zip(range(-1, -1 - len(along), -1), reversed(along), strict=True):
        if names is None or -axis > array.ndim:
            continue
        result = _of_one_level(_as_list(labels[axis]), names)
        if not set(names).isdisjoint(result):
            _refuse_other_names(name, result, names, owner)
            array = array.take([result.index(one) for one in names], axis=axis)
            continue
        _refuse_names_elsewhere(name, labels, axis, names, owner)
        _refuse_another_order(name, result, names, owner)
    return array


def _as_list(labels: Any) -> list[Any]:
    return [] if labels is None else list(labels)


def _of_one_level(labels: list[Any], names: tuple[str, ...]) -> list[Any]:
    """Labels of the level that has the most names, if labels have several levels; others as they are."""
    if not labels or not all(isinstance(label, tuple) for label in labels):
        return labels
    levels = [list(level) for level in zip(*labels, strict=False)]
    return max(levels, key=lambda level: sum(label in names for label in level), default=labels)


def _refuse_other_names(name: str, present: list[Any], names: tuple[str, ...], owner: str) -> None:
    """Raise if some labels are names, but not all names occur once, or other labels occur."""
    missing = [repr(one) for one in names if one not in present]
    unknown = [repr(one) for one in present if one not in names]
    duplicates = sorted({repr(one) for one in present if present.count(one) > 1})
    texts = [
        f"{fault} {', '.join(some[:6])}{', ...' if len(some) > 6 else ''}"
        for fault, some in (("missing", missing), ("unknown", unknown), ("twice", duplicates))
        if some
    ]
    if texts:
        raise UnknownName(
            f"{name} is labelled with names of {owner}, but not with each of them once: {'; '.join(texts)}. "
            f"Expected {_quote_names(names)}{SEVERAL_QUANTITIES if duplicates else ''}"
        )


def _refuse_names_elsewhere(name: str, labels: Sequence[object], axis: int, names: tuple[str, ...], owner: str) -> None:
    others = [
        _of_one_level(_as_list(one), names)
        for k, one in enumerate(labels)
        if k != len(labels) + axis and one is not None
    ]
    if any(len(other) == len(names) and not set(names).isdisjoint(other) for other in others):
        raise ShapeError(
            f"{name} has names of {owner} along another axis than expected, {_quote_names(names)}; transpose it"
        )


def _refuse_another_order(name: str, present: list[Any], names: tuple[str, ...], owner: str) -> None:
    """Raise if labels that only contain names ("q_elbow", "elbow/position") contain them in another order."""
    if len(present) != len(names):
        return
    for place, label in enumerate(present):
        contained = [one for one in names if isinstance(label, str) and one in label]
        longest = max(contained, key=len, default=names[place])
        if longest != names[place]:
            raise UnknownName(
                f"{name} has the label {label!r} in the place of {names[place]!r} of {owner}. Label it with the names, "
                f"{_quote_names(names)}, to have it put in order, or give a plain array in that order"
            )


def _refuse_different_rows(tables: Sequence[tuple[str, Sequence[Any]]]) -> None:
    """Raise if the batches of two tables have different labels."""
    for (one, labels), (other, others) in combinations(tables, 2):
        for a, b in zip(reversed(labels), reversed(others), strict=False):
            if a is not None and b is not None and not _alike(a, b):
                raise ShapeError(
                    f"the rows of {one} and {other} have different labels, {a[0]!s} to {a[len(a) - 1]!s} and {b[0]!s} "
                    f"to {b[len(b) - 1]!s}, but rows are states: label them alike, or give plain arrays, whose rows "
                    "belong together in their order"
                )


def _alike(a: Any, b: Any) -> bool:
    """True if labels are equal, or one of the batches is a single state."""
    if a is b or len(a) != len(b) or len(a) == 1:
        return True
    return bool(a.equals(b)) if hasattr(a, "equals") else np.array_equal(np.asarray(a), np.asarray(b))


def _quote_names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
