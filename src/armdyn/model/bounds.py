"""Bounds on the numbers of a description.

Directions have no bound: they are normalised.
"""

from __future__ import annotations

LARGEST = 1e100
"""The largest mass or inertia, in any unit: products of larger numbers overflow."""

LONGEST = 1e50
"""The largest length, in any unit: squares of lengths times the largest mass are finite."""

SHORTEST = 1e-50
"""The smallest nonzero size of a body, m: the fourth powers of smaller lengths underflow to zero."""

LARGEST_ANGLE = 1e15
"""The largest angle, rad. Beyond it neighbouring floating-point numbers are more than 0.1 rad apart."""


def largest_problem(value: float, kind: str) -> str:
    """The fault in the size of a joint position, an angle or a length; empty without one.

    >>> largest_problem(1e16, "revolute")
    '1e+16 rad; expected an angle of at most 1e+15 rad'
    >>> largest_problem(1e16, "prismatic")
    ''
    """
    if kind == "revolute":
        return (
            "" if abs(value) <= LARGEST_ANGLE else f"{value:g} rad; expected an angle of at most {LARGEST_ANGLE:g} rad"
        )
    return "" if abs(value) <= LONGEST else f"{value:g} m; expected a length of at most {LONGEST:g} m"
