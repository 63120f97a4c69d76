"""The functions that printed Python needs in addition to those of ``math`` or NumPy."""

from __future__ import annotations

from collections.abc import Collection

MATH = {
    "sign": '''def sign(x):
    """-1, 0 or 1."""
    return x if isnan(x) else float((x > 0) - (x < 0))
''',
    "min": '''def minimum(a, b):
    """The smaller; NaN if either is."""
    return a + b if isnan(a) or isnan(b) else min(a, b)
''',
    "max": '''def maximum(a, b):
    """The larger; NaN if either is."""
    return a + b if isnan(a) or isnan(b) else max(a, b)
''',
    "floor": '''def floor(x):
    """The whole number below, as a float."""
    return float(math.floor(x)) if isfinite(x) else x
''',
    "less": '''def less(a, b):
    """1 if a < b, else 0."""
    return float(a < b)
''',
    "less_equal": '''def less_equal(a, b):
    """1 if a <= b, else 0."""
    return float(a <= b)
''',
    "select": '''def select(condition, if_true, if_false):
    """``if_true`` if the condition is not 0."""
    return if_true if condition != 0 else if_false
''',
    "guard": '''def guard(value, unused):
    """The value; NaN where what it does not depend on is NaN or infinite."""
    return value + 0.0 * unused
''',
}
"""The helper functions by operation; `NAMES_IN_MATH` has the name that each defines."""

NUMPY = {
    "less": '''def less(a, b):
    """1 if a < b, else 0."""
    return np.less(a, b).astype(float)
''',
    "less_equal": '''def less_equal(a, b):
    """1 if a <= b, else 0."""
    return np.less_equal(a, b).astype(float)
''',
    "select": '''def select(condition, if_true, if_false):
    """``if_true`` if the condition is not 0."""
    return np.where(condition != 0, if_true, if_false)
''',
    "guard": MATH["guard"],
}

ARRANGED = '''def arranged(batch, shape, *scalars):
    """An array of shape (*batch, *shape)."""
    array = np.empty((*batch, len(scalars)))
    for k, scalar in enumerate(scalars):
        array[..., k] = scalar
    return array.reshape((*batch, *shape))[()]
'''

QUOTIENT = '''def quotient(a, b):
    """a / b, also if b is 0."""
    if b:
        return a / b
    return nan if isnan(a) or not a else copysign(inf, a) * copysign(1.0, b)
'''
"""The division of programs that evaluate both sides of a choice, of which one may have no value."""

OR_NAN = '''def or_nan(function):
    """The function, NaN if ``math`` raises an error: of what is not chosen."""

    def evaluated(*x):
        try:
            return function(*x)
        except (ValueError, OverflowError):
            return nan

    return evaluated
'''
"""A wrapper of the functions of programs that evaluate both sides of a choice."""

NAMES_IN_MATH = {"abs": "abs", "min": "minimum", "max": "maximum"}
"""Names of operations in the module ``math``, if they differ from those of programs."""

NAMES_IN_NUMPY = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "pow": "power",
    "min": "minimum",
    "max": "maximum",
}

CAN_FAIL = ("sqrt", "log", "exp", "pow", "asin", "acos")
"""Functions of ``math`` that raise errors at finite numbers."""


def helpers(operations: Collection[str], defined: dict[str, str]) -> list[str]:
    """The helper functions that a program needs, in the order of the table."""
    return [source for name, source in defined.items() if name in operations]
