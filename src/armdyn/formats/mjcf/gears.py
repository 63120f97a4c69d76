"""Joint equalities of MJCF: one joint as a polynomial of another, or held still.

MuJoCo measures both joints from where the file draws them (``qpos0``, that is ``ref``), and so the equality is

    q_1 - q0_1 = c_0 + c_1 (q_2 - q0_2) + c_2 (q_2 - q0_2)^2 + c_3 (...)^3 + c_4 (...)^4

or q_1 - q0_1 = c_0 where no second joint is named. Here it holds exactly; MuJoCo lets it give (solref, solimp). The
linear ones are equations between joints, in which none goes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.advice import option
from armdyn.errors import ModelError, Unsupported
from armdyn.formats.mjcf.compiler import Compiled
from armdyn.formats.mjcf.names import Names
from armdyn.model.joint_equations import JointEquation, with_joint_equations
from armdyn.model.model import Model

MET_WITHIN = 1e-9
"""How far apart, rad or m, two values of one joint may be that ought to be the same: files print nine digits."""


@dataclass(frozen=True)
class Gear:
    """One joint equality; joints by name, the second one None where the first is held.

    Args:
        label: what messages call it, with its line.
        joint: the first joint.
        other: the second.
        references: where the file draws them.
        polynomial: c_0 ... c_4.
    """

    label: str
    joint: str
    other: str | None
    references: tuple[float, float]
    polynomial: tuple[float, ...]

    @property
    def is_linear(self) -> bool:
        """Whether the polynomial is a straight line that rises or falls."""
        return self.polynomial[1] != 0.0 and not any(self.polynomial[2:])

    @property
    def is_constant(self) -> bool:
        """Whether the first joint stands still whatever the second does."""
        return self.other is None or not any(self.polynomial[1:])

    def joint_at(self, other: float) -> float:
        """Where the first joint is for a position of the second."""
        value = np.polynomial.polynomial.polyval(other - self.references[1], self.polynomial)
        return self.references[0] + float(self.polynomial[0] if self.other is None else value)

    def other_at(self, joint: float) -> float:
        """Where the second joint is for a position of the first, where the gear is linear."""
        return self.references[1] + (joint - self.references[0] - self.polynomial[0]) / self.polynomial[1]

    @property
    def equation(self) -> JointEquation:
        """q_1 - c_1 q_2 = q0_1 + c_0 - c_1 q0_2, solved for the first joint where that is open."""
        assert self.other is not None  # noqa: S101 - a linear gear joins two
        ratio = self.polynomial[1]
        value = self.references[0] + self.polynomial[0] - ratio * self.references[1]
        return JointEquation({self.joint: 1.0, self.other: -ratio}, value, self.label, (self.joint,))


def read_gears(compiled: Compiled, names: Names) -> list[Gear]:
    """The joint equalities that are active."""
    m = compiled.m
    if compiled.disabled("equality") or compiled.disabled("constraint"):
        return []
    kind = int(compiled.mujoco.mjtEq.mjEQ_JOINT)
    return [_gear(compiled, names, e) for e in range(m.neq) if m.eq_active0[e] and m.eq_type[e] == kind]


def _gear(compiled: Compiled, names: Names, e: int) -> Gear:
    m = compiled.m
    first, second = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    at = [float(m.qpos0[m.jnt_qposadr[j]]) if j >= 0 else 0.0 for j in (first, second)]
    return Gear(
        compiled.label("equality", e),
        names.joints[first],
        names.joints[second] if second >= 0 else None,
        (at[0], at[1]),
        tuple(float(c) for c in m.eq_data[e, :5]),
    )


def hold_with(gears: Sequence[Gear], locked: Mapping[str, float], notes: list[str]) -> dict[str, float]:
    """``locked``, and what gears hold still with it: joints with no second, and those geared to one that is held."""
    held = {joint: float(position) for joint, position in locked.items()}
    waiting = list(gears)
    while waiting:
        left = []
        for gear in waiting:
            found = list(_held_by(gear, held))
            for joint, position, reason in found:
                if joint not in held:
                    held[joint] = position
                    notes.append(f"joint {joint!r} is held at {position:.6g} by {gear.label}{reason}")
                elif abs(held[joint] - position) > MET_WITHIN:
                    _take_down_conflict(gear, joint, position, held, locked, notes)
            if not found:
                left.append(gear)
        if len(left) == len(waiting):
            break
        waiting = left
    return held


def _held_by(gear: Gear, held: Mapping[str, float]) -> Iterator[tuple[str, float, str]]:
    """The joint that a gear holds, where, and why."""
    if gear.is_constant:
        yield gear.joint, gear.joint_at(0.0), ""
    elif gear.other is not None and gear.other in held:
        yield gear.joint, gear.joint_at(held[gear.other]), f", with {gear.other!r}"
    elif gear.joint in held and gear.is_linear:
        yield str(gear.other), gear.other_at(held[gear.joint]), f", with {gear.joint!r}"


def _take_down_conflict(
    gear: Gear, joint: str, position: float, held: Mapping[str, float], locked: Mapping[str, float], notes: list[str]
) -> None:
    """A note where the caller locks a joint elsewhere; an error where the file contradicts itself."""
    fault = f"{gear.label} holds joint {joint!r} at {position:.6g}, and it is held at {held[joint]:.6g}"
    if joint not in locked:
        raise ModelError(
            f"{fault} by other equalities; mend the file, or lock it: {option('locked', {joint: position})}."
        )
    notes.append(f"{fault} as asked for")


def coupled(model: Model, gears: Sequence[Gear], held: Mapping[str, float]) -> Model:
    """The model with its joints coupled as the gears between those that move say."""
    moving = set(model.joint_names)
    here, bent, notes = [], [], []
    for gear in gears:
        if gear.is_constant or {gear.joint, gear.other} <= {*held}:
            continue
        inside = [joint for joint in (gear.joint, gear.other) if joint in moving]
        if not gear.is_linear and gear.other in inside and (gear.joint in inside or gear.joint in held):
            bent.append(gear)
        elif len(inside) == 2:
            here.append(gear)
        elif inside:
            left_out = gear.other if inside == [gear.joint] else gear.joint
            notes.append(f"{gear.label} ties {inside[0]!r} to {left_out!r}, which is left out: {inside[0]!r} is free")
    if bent:
        raise Unsupported("\n".join(_refusal(gear) for gear in bent))
    if here:
        model = with_joint_equations(model, [gear.equation for gear in here])
        notes.append(f"{', '.join(gear.label for gear in here)}: held exactly, where MuJoCo lets them give (solref)")
        notes += _notes_on_standstill(model, here)
    return model.replace(notes=(*model.notes, *notes))


def _notes_on_standstill(model: Model, gears: Sequence[Gear]) -> Iterator[str]:
    """The joints that gears leave no motion, such as two of different ratios between the same joints.

    A linear gear passes every motion on, so of joints that gears tie together all stand still, or none.
    """
    assert model.coupling is not None  # noqa: S101 - the gears have made one
    rows = zip(model.joint_names, model.coupling.matrix, model.coupling.offset, strict=True)
    still = {name: float(at) for name, row, at in rows if not row.any()}
    while still:
        tied = [next(iter(still))]
        for joint in tied:  # grows on the way
            ends = (end for gear in gears if joint in (gear.joint, gear.other) for end in (gear.joint, gear.other))
            tied += [str(end) for end in dict.fromkeys(ends) if end in still and end not in tied]
        shown = ", ".join(f"{joint!r} at {still.pop(joint):.6g}" for joint in tied)
        theirs = ", ".join(gear.label for gear in gears if gear.joint in tied)
        yield f"joints {shown} are held still by {theirs}, which together leave them no motion"


def _refusal(gear: Gear) -> str:
    shown = " ".join(f"{c:g}" for c in gear.polynomial)
    return (
        f"{gear.label}: joint {gear.joint!r} is a curve of {gear.other!r} (polycoef {shown}), and couplings are "
        f"linear. Make its last three coefficients 0, or hold both: {option('locked', {gear.other: 0.0})}."
    )
