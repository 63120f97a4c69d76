"""Planar linkages: as robots, and by Lagrange in their independent coordinates alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import mpmath as mp
import numpy as np
import sympy as sp

import armdyn
from armdyn import constraints as c

GRAVITY = (0.0, -9.81, 0.0)


class Bar(NamedTuple):
    """A link: its length along x, mass, centre of mass and moment of inertia about it."""

    length: float
    mass: float
    com: tuple[float, float]
    inertia: float

    def body(self) -> armdyn.Inertia:
        I = self.inertia  # noqa: E741
        return armdyn.Inertia(self.mass, [*self.com, 0.0], np.diag([0.6 * I, 0.7 * I, I]))


CRANK, COUPLER, ROCKER = (
    Bar(0.3, 1.1, (0.12, 0.03), 0.02),
    Bar(0.9, 2.3, (0.5, -0.07), 0.21),
    Bar(0.7, 1.7, (0.3, 0.05), 0.11),
)
GROUND = 0.8

UPPER_LEFT, FORE_LEFT = Bar(0.5, 1.3, (0.2, 0.02), 0.04), Bar(0.8, 0.9, (0.35, -0.04), 0.06)
UPPER_RIGHT, FORE_RIGHT = Bar(0.6, 1.6, (0.25, 0.05), 0.05), Bar(0.7, 1.2, (0.4, 0.03), 0.07)
APART = 0.4


def four_bar(closed_by: str = "pin", gravity=GRAVITY) -> armdyn.Robot:
    """Crank and coupler on the one side, the rocker on the other; the coupler's end is the rocker's."""
    z = (0, 0, 1)
    tree = armdyn.Robot.from_links(
        [
            armdyn.Part("crank", "base", "revolute", axis=z, inertia=CRANK.body()),
            armdyn.Part("coupler", "crank", "revolute", axis=z, xyz=(CRANK.length, 0, 0), inertia=COUPLER.body()),
            armdyn.Part("rocker", "base", "revolute", axis=z, xyz=(GROUND, 0, 0), inertia=ROCKER.body()),
        ],
        tip="coupler",
        gravity=gravity,
        name="four_bar",
    )
    ends = {"point": (COUPLER.length, 0, 0), "to_point": (ROCKER.length, 0, 0)}
    whole = {"pin": c.ball, "ball": c.ball, "hinge": c.hinge}[closed_by]("coupler", "rocker", name="loop", **ends)
    return tree.with_constraints(c.RowsOf(whole, ["loop: x", "loop: y"]) if closed_by == "pin" else whole)


def five_bar(gravity=GRAVITY) -> armdyn.Robot:
    """Two arms of two links that hold each other's hands."""
    z = (0, 0, 1)
    tree = armdyn.Robot.from_links(
        [
            armdyn.Part("upper_left", "base", "revolute", axis=z, inertia=UPPER_LEFT.body()),
            armdyn.Part("fore_left", "upper_left", "revolute", axis=z, xyz=(UPPER_LEFT.length, 0, 0),
                        inertia=FORE_LEFT.body()),
            armdyn.Part("upper_right", "base", "revolute", axis=z, xyz=(APART, 0, 0), inertia=UPPER_RIGHT.body()),
            armdyn.Part("fore_right", "upper_right", "revolute", axis=z, xyz=(UPPER_RIGHT.length, 0, 0),
                        inertia=FORE_RIGHT.body()),
        ],
        tip="fore_left",
        gravity=gravity,
        name="five_bar",
    )  # fmt: skip
    hands = c.ball("fore_left", "fore_right", point=(FORE_LEFT.length, 0, 0), to_point=(FORE_RIGHT.length, 0, 0))
    return tree.with_constraints(c.RowsOf(hands, [row.name for row in hands.rows[:2]]))


def freudenstein(theta2):
    """The rocker's angle of the open four-bar, by Freudenstein's equation and the half angle."""
    a, b, r, d = (sp.Float(repr(x), 40) for x in (CRANK.length, COUPLER.length, ROCKER.length, GROUND))
    K1, K2, K3 = d / a, d / r, (a**2 - b**2 + r**2 + d**2) / (2 * a * r)
    A = sp.cos(theta2) - K1 - K2 * sp.cos(theta2) + K3
    B = -2 * sp.sin(theta2)
    C = K1 - (K2 + 1) * sp.cos(theta2) + K3
    return 2 * sp.atan2(-B - sp.sqrt(B**2 - 4 * A * C), 2 * A)


class Lagrange(NamedTuple):
    """A mechanism in independent coordinates x: all joint angles, and the forces M x'' + c + g, at 40 digits."""

    angles: Callable[..., list]
    mass: Callable[..., mp.matrix]
    bias: Callable[..., list]


def _lagrange(x: list[sp.Symbol], angles: list[sp.Expr], bars: list[tuple[Bar, sp.Matrix, sp.Expr]]) -> Lagrange:
    """From every bar's pivot and direction: T and V, and from them the equations of motion."""
    xd = sp.symbols(f"v0:{len(x)}")
    T, V = sp.Integer(0), sp.Integer(0)
    for bar, pivot, angle in bars:
        u, w = (sp.Float(repr(value), 40) for value in bar.com)
        place = pivot + sp.Matrix([u * sp.cos(angle) - w * sp.sin(angle), u * sp.sin(angle) + w * sp.cos(angle)])
        velocity = place.jacobian(x) * sp.Matrix(xd)
        turning = sum(sp.diff(angle, one) * rate for one, rate in zip(x, xd, strict=True))
        m, I = sp.Float(repr(bar.mass), 40), sp.Float(repr(bar.inertia), 40)  # noqa: E741
        T += m * velocity.dot(velocity) / 2 + I * turning**2 / 2
        V -= m * (sp.Float(repr(GRAVITY[0]), 40) * place[0] + sp.Float(repr(GRAVITY[1]), 40) * place[1])
    M = sp.Matrix([[sp.diff(T, a, b) for b in xd] for a in xd])
    momenta = [sp.diff(T, rate) for rate in xd]
    bias = [
        sum(sp.diff(p, one) * rate for one, rate in zip(x, xd, strict=True)) - sp.diff(T, here) + sp.diff(V, here)
        for p, here in zip(momenta, x, strict=True)
    ]
    both = [*x, *xd]
    return Lagrange(
        sp.lambdify(x, angles, "mpmath", cse=True),
        sp.lambdify(both, M, "mpmath", cse=True),
        sp.lambdify(both, bias, "mpmath", cse=True),
    )


@cache
def four_bar_by_lagrange() -> Lagrange:
    """In the crank's angle; q = (crank, coupler against crank, rocker)."""
    x = sp.Symbol("x")
    rocker = freudenstein(x)
    elbow = CRANK.length * sp.Matrix([sp.cos(x), sp.sin(x)])
    end = sp.Matrix([GROUND, 0]) + ROCKER.length * sp.Matrix([sp.cos(rocker), sp.sin(rocker)])
    coupler = sp.atan2((end - elbow)[1], (end - elbow)[0])
    bars = [
        (CRANK, sp.zeros(2, 1), x),
        (COUPLER, elbow, coupler),
        (ROCKER, sp.Matrix([GROUND, 0]), rocker),
    ]
    return _lagrange([x], [x, coupler - x, rocker], bars)


def five_bar_by_lagrange() -> Lagrange:
    """In the angles of the upper arms, by differences of 80 digits; the hands are where two circles meet."""
    return Lagrange(_five_bar_angles, _five_bar_mass, _five_bar_bias)


def _five_bar_bars(x, y):
    """Every bar with its pivot, as a complex number, and its angle."""
    left, right = UPPER_LEFT.length * mp.expj(x), APART + UPPER_RIGHT.length * mp.expj(y)
    d = right - left
    square = abs(d) ** 2
    along = (square + mp.mpf(FORE_LEFT.length) ** 2 - mp.mpf(FORE_RIGHT.length) ** 2) / (2 * square)
    hand = left + d * (along + 1j * mp.sqrt(mp.mpf(FORE_LEFT.length) ** 2 / square - along**2))
    return [
        (UPPER_LEFT, mp.mpc(0), x),
        (FORE_LEFT, left, mp.arg(hand - left)),
        (UPPER_RIGHT, mp.mpc(APART), y),
        (FORE_RIGHT, right, mp.arg(hand - right)),
    ]


def _five_bar_angles(x, y):
    _, (_, _, fore_left), _, (_, _, fore_right) = _five_bar_bars(x, y)
    return [x, fore_left - x, y, fore_right - y]


def _places(x, y):
    """Centres of mass and angles, and their masses and moments of inertia."""
    bars = _five_bar_bars(x, y)
    places = [pivot + mp.mpc(*bar.com) * mp.expj(angle) for bar, pivot, angle in bars]
    return places + [angle for _, _, angle in bars], [bar.mass for bar, *_ in bars] + [bar.inertia for bar, *_ in bars]


def _five_bar_mass(x, y, *_):
    """M_ij = sum of m (dp/dx_i . dp/dx_j)."""
    with mp.workdps(80):
        h = mp.mpf(10) ** -25
        weights = _places(x, y)[1]
        by_x, by_y = (
            [(a - b) / (2 * h) for a, b in zip(_places(x + u, y + v)[0], _places(x - u, y - v)[0], strict=True)]
            for u, v in ((h, 0), (0, h))
        )
        return mp.matrix(
            [
                [
                    sum(w * mp.re(mp.conj(a) * b) for w, a, b in zip(weights, one, two, strict=True))
                    for two in (by_x, by_y)
                ]
                for one in (by_x, by_y)
            ]
        )


def _potential(x, y):
    places, weights = _places(x, y)
    return -sum(
        m * (GRAVITY[0] * mp.re(p) + GRAVITY[1] * mp.im(p)) for m, p in zip(weights[:4], places[:4], strict=True)
    )


def _five_bar_bias(x, y, xd, yd):
    """sum_jk (dM_ij/dx_k - dM_jk/dx_i / 2) v_j v_k + dV/dx_i."""
    with mp.workdps(80):
        h, v = mp.mpf(10) ** -12, mp.matrix([xd, yd])
        steps = ((h, mp.mpf(0)), (mp.mpf(0), h))
        dM = [(_five_bar_mass(x + a, y + b) - _five_bar_mass(x - a, y - b)) / (2 * h) for a, b in steps]
        dV = [(_potential(x + a, y + b) - _potential(x - a, y - b)) / (2 * h) for a, b in steps]
        along = (dM[0] * xd + dM[1] * yd) * v
        return [along[i] - (v.T * dM[i] * v)[0] / 2 + dV[i] for i in range(2)]
