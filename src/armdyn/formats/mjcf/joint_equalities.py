"""Joint equalities of MJCF: one joint as a polynomial of another, or held at rest.

MuJoCo measures both joints from the positions drawn in the file (``qpos0``, that is ``ref``), and so the equality is

    q_1 - q0_1 = c_0 + c_1 (q_2 - q0_2) + c_2 (q_2 - q0_2)^2 + c_3 (...)^3 + c_4 (...)^4

or q_1 - q0_1 = c_0 if no second joint is named. Here it holds exactly; MuJoCo makes it compliant (solref, solimp). The
linear ones are equations between joints without a preferred one; a curve becomes one if its second joint is held.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.base.advice import option
from armdyn.base.errors import ModelError, Unsupported
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.names import Names
from armdyn.model.joint_equations import JointEquation, with_joint_equations
from armdyn.model.model import Model

MET_WITHIN = 1e-9
"""The tolerance, rad or m, of two values for one joint that should be equal: files print nine digits."""


@dataclass(frozen=True)
class NonlinearEquality:
    """A joint equality that is not linear; ``references`` are the positions at which the file draws the two joints."""

    name: str
    joint: str
    other: str
    references: tuple[float, float]
    polynomial: tuple[float, ...]

    def at(self, other: float) -> JointEquation:
        """The equation of the first joint at a fixed position of the second."""
        value = np.polynomial.polynomial.polyval(other - self.references[1], self.polynomial)
        return JointEquation({self.joint: 1.0}, self.references[0] + float(value), self.name)


def read_joint_equalities(compiled: CompiledMjcf, names: Names) -> list[JointEquation | NonlinearEquality]:
    """The joint equalities that are active."""
    return [_equality(compiled, names, e) for e, kind in compiled.equalities() if kind == "joint"]


def _equality(compiled: CompiledMjcf, names: Names, e: int) -> JointEquation | NonlinearEquality:
    m, label = compiled.m, compiled.label("equality", e)
    first, second = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    at = [float(m.qpos0[m.jnt_qposadr[j]]) if j >= 0 else 0.0 for j in (first, second)]
    joint, c = names.joints[first], tuple(float(x) for x in m.eq_data[e, :5])
    if second < 0 or not any(c[1:]):
        return JointEquation({joint: 1.0}, at[0] + c[0], label)
    other = names.joints[second]
    if any(c[2:]):
        return NonlinearEquality(label, joint, other, (at[0], at[1]), c)
    return JointEquation({joint: 1.0, other: -c[1]}, at[0] + c[0] - c[1] * at[1], label, dependent=(joint,))


def hold_with(
    equalities: Sequence[JointEquation | NonlinearEquality], locked: Mapping[str, float], notes: list[str]
) -> dict[str, float]:
    """``locked``, with the joints that equalities hold: those left as the only free joint of an equality."""
    result = {joint: float(position) for joint, position in locked.items()}
    waiting = list(equalities)
    while waiting:
        remaining = []
        for one in waiting:
            if (equation := _determined(one, result)) is None:
                remaining.append(one)
                continue
            joint = next((name for name in equation.coefficients if name not in result), one.joint)
            position = equation.solved_for(joint, result)
            if joint not in result:
                result[joint] = position
                reason = "".join(f", with {other!r}" for other in _joints(one) if other != joint)
                notes.append(f"joint {joint!r} is held at {position:.6g} by {one.name}{reason}")
            elif abs(result[joint] - position) > MET_WITHIN:
                _take_down_conflict(one.name, joint, position, result, locked, notes)
        if len(remaining) == len(waiting):
            break
        waiting = remaining
    return result


def _joints(equality: JointEquation | NonlinearEquality) -> tuple[str, ...]:
    return (equality.joint, equality.other) if isinstance(equality, NonlinearEquality) else (*equality.coefficients,)


def _determined(equality: JointEquation | NonlinearEquality, locked: Mapping[str, float]) -> JointEquation | None:
    """The equation, if at most one of its joints is open; a curve is one for its first joint only."""
    if isinstance(equality, NonlinearEquality):
        return equality.at(locked[equality.other]) if equality.other in locked else None
    return equality if sum(joint not in locked for joint in equality.coefficients) <= 1 else None


def _take_down_conflict(
    name: str,
    joint: str,
    position: float,
    positions: Mapping[str, float],
    locked: Mapping[str, float],
    notes: list[str],
) -> None:
    """A note if the caller locks a joint at another position; an error if the file contradicts itself."""
    fault = f"{name} holds joint {joint!r} at {position:.6g}, and it is held at {positions[joint]:.6g}"
    if joint not in locked:
        raise ModelError(
            f"{fault} by other equalities; mend the file, or lock it: {option('locked', {joint: position})}."
        )
    notes.append(f"{fault} as asked for")


def couple_joints(
    model: Model, equalities: Sequence[JointEquation | NonlinearEquality], locked: Mapping[str, float]
) -> Model:
    """The model with its joints coupled by the equalities between those that move."""
    moving = set(model.joint_names)
    equations: list[JointEquation] = []
    refused, notes = [], []
    for one in equalities:
        joints = _joints(one)
        inside = [joint for joint in joints if joint in moving]
        if {*joints} <= {*locked}:
            continue
        if isinstance(one, NonlinearEquality) and one.other in inside and (one.joint in inside or one.joint in locked):
            refused.append(_refusal(one))
        elif isinstance(one, JointEquation) and len(inside) == 2:
            equations.append(one)
        elif inside:
            (left_out,) = {*joints} - {*inside}
            notes.append(f"{one.name} ties {inside[0]!r} to {left_out!r}, which is left out: {inside[0]!r} is free")
    if refused:
        raise Unsupported("\n".join(refused))
    if equations:
        model = with_joint_equations(model, equations)
        notes.append(f"{', '.join(e.name for e in equations)}: held exactly, where MuJoCo lets them give (solref)")
        notes += _notes_on_standstill(model, equations)
    return model.replace(notes=(*model.notes, *notes))


def _notes_on_standstill(model: Model, equations: Sequence[JointEquation]) -> Iterator[str]:
    """The joints that equations hold at rest, e.g. two equations of different ratios between the same joints.

    A linear one passes every motion on, so of joints that they couple either all are at rest, or none.
    """
    assert model.coupling is not None  # noqa: S101 - the equations have made one
    rows = zip(model.joint_names, model.coupling.matrix, model.coupling.offset, strict=True)
    still = {name: float(at) for name, row, at in rows if not row.any()}
    while still:
        tied = [next(iter(still))]
        for joint in tied:  # grows during the loop
            ends = (end for equation in equations if joint in equation.coefficients for end in equation.coefficients)
            tied += [end for end in dict.fromkeys(ends) if end in still and end not in tied]
        text = ", ".join(f"{joint!r} at {still.pop(joint):.6g}" for joint in tied)
        theirs = ", ".join(e.name for e in equations if e.joint in tied)
        yield f"joints {text} are held still by {theirs}, which together leave them no motion"


def _refusal(curve: NonlinearEquality) -> str:
    text = " ".join(f"{c:g}" for c in curve.polynomial)
    return (
        f"{curve.name}: joint {curve.joint!r} is a curve of {curve.other!r} (polycoef {text}), and couplings are "
        f"linear. Make its last three coefficients 0, or hold both: {option('locked', {curve.other: 0.0})}."
    )
