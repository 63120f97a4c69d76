"""Calls to begin with: tables, lists, links by hand and inertias of ordinary numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pinocchio as pin

from fuzz.literals import Call


def _number(rng: Random) -> float:
    return rng.choice((0.0, round(rng.uniform(-1, 1), 3), rng.uniform(-1, 1)))


def _vector(rng: Random) -> list[float]:
    return [_number(rng) for _ in range(3)]


def _unit(rng: Random) -> list[float]:
    if rng.random() < 0.4:
        return rng.choice(([0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]))
    v = np.array([rng.gauss(0, 1) for _ in range(3)])
    return (v / np.linalg.norm(v)).tolist()  # type: ignore[no-any-return]


def _tensor(mass: float, rng: Random) -> list[list[float]]:
    A = np.array([[rng.gauss(0, 0.1) for _ in range(3)] for _ in range(3)])
    second = mass * A @ A.T
    return (np.trace(second) * np.eye(3) - second).tolist()  # type: ignore[no-any-return]


def _inertia(rng: Random) -> Call:
    mass = rng.uniform(0.1, 3.0)
    if rng.random() < 0.15:
        return Call("armdyn.Inertia.point", [mass, _vector(rng)])
    return Call("armdyn.Inertia", [mass, _vector(rng), _tensor(mass, rng)])


def _rotation(rng: Random) -> np.ndarray:
    return np.asarray(pin.rpy.rpyToMatrix(*(rng.choice((0.0, math.pi / 2, rng.uniform(-3, 3))) for _ in range(3))))


def _pose(rng: Random) -> list[list[float]]:
    return pin.SE3(_rotation(rng), np.array(_vector(rng))).homogeneous.tolist()  # type: ignore[no-any-return]


def _limits(rng: Random) -> Call:
    return Call("armdyn.Limits", [*sorted((rng.uniform(-3, 3), rng.uniform(-3, 3))), 2.0, 30.0])


def _extras(rng: Random, **choices: Any) -> dict[str, Any]:
    """Some of the arguments that may be left out."""
    return {name: value for name, value in choices.items() if rng.random() < 0.2}


def make_dh(rng: Random) -> Call:
    """A Denavit-Hartenberg table."""
    n = rng.choice((1, 2, 3))
    rows: list[Any] = []
    degrees = rng.random() < 0.2
    turn = 180.0 / math.pi if degrees else 1.0
    for _ in range(n):
        row: Any = [
            _number(rng),
            turn * rng.choice((0.0, math.pi / 2, rng.uniform(-3, 3))),
            _number(rng),
            turn * _number(rng),
        ]
        if rng.random() < 0.3:
            row.append(rng.choice(("prismatic", "P", "R", "revolute")))
        elif rng.random() < 0.3:
            row = dict(zip(("a", "alpha", "d", "theta"), row, strict=True)) | _extras(
                rng, kind="prismatic", inertia=_inertia(rng), armature=0.1, damping=0.2, limits=_limits(rng)
            )
        elif rng.random() < 0.3:
            row = Call(
                "armdyn.DHRow",
                [],
                dict(zip(("a", "alpha", "d", "theta"), row, strict=True)) | {"inertia": _inertia(rng)},
            )
        rows.append(row)
    named = {"convention": rng.choice(("modified", "standard"))}
    if rng.random() < 0.6:
        named["inertias"] = [_inertia(rng) for _ in range(n)]  # type: ignore[assignment]
    named |= _extras(
        rng, base=_pose(rng), tool=_pose(rng), gravity=_vector(rng), limits=[_limits(rng) for _ in range(n)],
        joint_names=[f"q{k}" for k in range(n)], name="arm", check_inertia=False,
    )  # fmt: skip
    return Call("armdyn.Robot.from_dh", [rows], named | ({"degrees": True} if degrees else {}))


def make_screws(rng: Random) -> Call:
    """Modern Robotics' lists."""
    n = rng.choice((1, 2, 3))
    G, S = [], []
    for _ in range(n):
        mass = rng.uniform(0.1, 3.0)
        spatial = mass * np.eye(6)
        spatial[:3, :3] = _tensor(mass, rng)
        G.append(spatial.tolist())
        w, p = np.array(_unit(rng)), np.array(_vector(rng))
        S.append([*w, *np.cross(p, w)] if rng.random() < 0.7 else [0.0, 0.0, 0.0, *w])
    columns = [list(map(float, row)) for row in zip(*S, strict=True)]
    M = [_pose(rng) for _ in range(n + 1)]
    named = _extras(rng, gravity=_vector(rng), name="arm", joint_names=[f"q{k}" for k in range(n)], check_inertia=False)
    return Call("armdyn.Robot.from_screws", [M, G, columns], named)


def make_zero_reference(rng: Random) -> Call:
    """A zero reference position."""
    n = rng.choice((1, 2, 3))
    masses = [rng.uniform(0.1, 3) for _ in range(n)]
    named: dict[str, Any] = {
        "kinds": [rng.choice("RP") for _ in range(n)],
        "c": [_vector(rng) for _ in range(n)],
        "masses": masses,
    }
    named["inertias"] = [_tensor(m, rng) for m in masses]
    if rng.random() < 0.6:
        named |= {"points": [_vector(rng) for _ in range(n)], "hand": _vector(rng)}
    else:
        named |= {"b": [_vector(rng) for _ in range(n)]} | _extras(rng, first_center=_vector(rng))
    if rng.random() < 0.2:
        named["weights"] = named.pop("masses")
    named |= _extras(rng, gravity=_vector(rng), axial=[0.0, 0.6, 0.8], transverse=[1.0, 0.0, 0.0], check_inertia=False)
    named |= _extras(
        rng, limits=[_limits(rng) for _ in range(n)], joint_names=[f"q{k}" for k in range(n)], weighed_at=9.81,
        collars={"joint_1": "link_1"}, units=Call("armdyn.Units", [0.01, 2.0]), name="arm",
    )  # fmt: skip
    return Call("armdyn.Robot.from_zero_reference", [[_unit(rng) for _ in range(n)]], named)


def make_links(rng: Random) -> Call:
    """A tree of links by hand."""
    names, parts = ["base"], []
    for k in range(rng.choice((1, 2, 3, 4))):
        kind = rng.choice(("revolute", "revolute", "prismatic", "fixed")) if k else "revolute"
        named: dict[str, Any] = {"kind": kind, "inertia": _inertia(rng)}
        if kind != "fixed":
            named["axis"] = _unit(rng)
        if rng.random() < 0.3:
            named["T"] = _pose(rng)
        else:
            named |= {"xyz": _vector(rng), "rpy": [rng.uniform(-3, 3) for _ in range(3)]}
        named |= _extras(
            rng, joint=f"q{k}", limits=_limits(rng), damping=0.1, friction=0.2, collar="child", armature=0.05
        )
        parts.append(Call("armdyn.Part", [f"l{k}", rng.choice(names)], named))
        names.append(f"l{k}")
    named = _extras(rng, base="base", base_inertia=_inertia(rng), tip=names[-1], gravity=_vector(rng), name="arm")
    return Call("armdyn.Robot.from_links", [parts], named | _extras(rng, check_inertia=False))


def make_inertia(rng: Random) -> Call:
    """An inertia alone."""
    mass = rng.uniform(0.1, 3)
    spatial = mass * np.eye(6)
    spatial[:3, :3] = _tensor(mass, rng)
    makers = (
        Call("armdyn.Inertia.from_spatial_inertia", [spatial.tolist()]),
        Call("armdyn.Inertia.from_pseudo_inertia", [np.diag([0.1, 0.2, 0.3, mass]).tolist()]),
        Call("armdyn.Inertia.point", [mass, _vector(rng)]),
        Call("armdyn.Inertia", [mass, _vector(rng), _tensor(mass, rng)]),
        Call("armdyn.Units", [rng.uniform(0.1, 2), rng.uniform(0.1, 2)]),
        Call("armdyn.Units.gravitational", [], {"length": 0.0254, "force": 4.4}),
        Call("armdyn.inertia.box", [[0.1, 0.2, 0.3]], {"mass": mass}),
        Call("armdyn.inertia.sphere", [0.2], {"density": 1000.0}),
        Call("armdyn.inertia.cylinder", [0.1, 0.5], {"mass": mass}),
    )
    return rng.choice(makers)


MAKERS: tuple[Callable[[Random], Call], ...] = (make_dh, make_screws, make_zero_reference, make_links, make_inertia)
